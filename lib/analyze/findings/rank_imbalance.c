/* SPDX-License-Identifier: BSD-2-Clause */
#include "rank_imbalance.h"

#include <stdlib.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/base/significant.h"

#define UNEVEN_MIN 1.3 /* the most over the mean */
#define SLOWER_MIN 0.1 /* a rank that takes less of the run longer is slow by chance */
#define SERIAL_MIN 0.9 /* share of one rank's bytes */

/* The processes of a rank: a program, and the shells that started it. */
struct rank_sum {
	uint64_t rank, ns, bytes, requests, process_ns;
	uint32_t process; /* the one with most time */
};

/* Values of all ranks: their times in I/O, their bytes and requests. */
struct rank_sums {
	uint64_t count;
	double ns, bytes, requests; /* sums */
	struct rank_sum slowest, largest;
};

static int by_rank(const void *left, const void *right)
{
	const struct rank_sum *a = left, *b = right;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Returns whether a process has a rank, and calls. */
static bool rank_of(const struct row_table *t, size_t process, struct rank_sum *to)
{
	struct table_sums sums;
	if (!table_process(t, process, &sums))
		return false;
	to->process = table_process_id(t, process);
	if (!row_names_rank(t->from.names, to->process, &to->rank))
		return false;
	to->ns = to->process_ns = sums.ns[BUSY_ALL];
	to->bytes = row_bytes(&sums.sums);
	to->requests = row_requests(&sums.sums);
	return true;
}

/* Combines processes of one rank, which are neighbours; returns the number of ranks. */
static size_t combine_ranks(struct rank_sum *list, size_t n)
{
	size_t ranks = 0;
	for (size_t i = 0; i < n; i++) {
		struct rank_sum *last = ranks > 0 ? &list[ranks - 1] : NULL;
		if (last == NULL || last->rank != list[i].rank) {
			list[ranks++] = list[i];
			continue;
		}
		last->ns = saturate_add(last->ns, list[i].ns);
		last->bytes = saturate_add(last->bytes, list[i].bytes);
		last->requests = saturate_add(last->requests, list[i].requests);
		if (list[i].process_ns > last->process_ns) {
			last->process_ns = list[i].process_ns;
			last->process = list[i].process;
		}
	}
	return ranks;
}

static void add_rank(struct rank_sums *s, const struct rank_sum *rank)
{
	if (s->count == 0 || rank->ns > s->slowest.ns)
		s->slowest = *rank;
	if (s->count == 0 || rank->bytes > s->largest.bytes)
		s->largest = *rank;
	s->count++;
	s->ns += (double)rank->ns;
	s->bytes += (double)rank->bytes;
	s->requests += (double)rank->requests;
}

/* Returns false if out of memory. */
static bool sum_ranks(struct rank_sums *s, const struct row_table *t)
{
	const size_t processes = t->from.rows->process_capacity;
	struct rank_sum *list = calloc(processes + 1, sizeof *list);
	size_t n = 0;
	if (list == NULL)
		return false;
	for (size_t i = 0; i < processes; i++)
		n += rank_of(t, i, &list[n]);
	qsort(list, n, sizeof *list, by_rank);
	n = combine_ranks(list, n);
	for (size_t i = 0; i < n; i++)
		add_rank(s, &list[i]);
	free(list);
	return true;
}

static struct finding *add_imbalance(struct findings *f, const struct run_cost *cost,
				     const char *name, double ratio, const struct rank_sum *rank,
				     double seconds)
{
	struct finding *to = finding_add(f, name, ratio, UNEVEN_MIN);
	if (to == NULL)
		return NULL;
	to->cause = name;
	to->has_rank = true;
	to->rank = rank->rank;
	finding_set_process(to, rank->process);
	finding_set_seconds(to, cost, seconds);
	return to;
}

static void find_serial(struct findings *f, const struct run_cost *cost, const struct rank_sums *s)
{
	char text[SIGNIFICANT];
	const double share = (double)s->largest.bytes / s->bytes, ns = (double)s->slowest.ns,
		     seconds = ns * (1 - 1 / (double)s->count) / 1e9;
	struct finding *to = add_imbalance(f, cost, "serial", share, &s->largest, seconds);
	if (to == NULL)
		return;
	finding_text(to,
		     "Rank %ju has %.0f %%25 of the bytes of %ju ranks: %s s, %.0f %%25 of the run",
		     (uintmax_t)s->largest.rank, 100 * share, (uintmax_t)s->count,
		     significant(text, seconds, 3), 100 * to->saves);
	to->remedy = "let all ranks do I/O, such as by collective buffering";
}

static void find_uneven_bytes(struct findings *f, const struct run_cost *cost,
			      const struct rank_sums *s, double seconds)
{
	char text[2][SIGNIFICANT];
	const double ratio = (double)s->largest.bytes * (double)s->count / s->bytes;
	struct finding *to = add_imbalance(f, cost, "imbalance_bytes", ratio, &s->largest, seconds);
	if (to == NULL)
		return;
	finding_text(
	    to,
	    "Imbalance: rank %ju has %s times the mean bytes of %ju ranks: %s s, %.0f %%25 of "
	    "the run",
	    (uintmax_t)s->largest.rank, significant(text[0], ratio, 3), (uintmax_t)s->count,
	    significant(text[1], seconds, 3), 100 * to->saves);
	to->remedy = "distribute the data evenly over the ranks";
}

static void find_uneven_times(struct findings *f, const struct run_cost *cost,
			      const struct rank_sums *s, double seconds)
{
	char text[2][SIGNIFICANT];
	const double ratio = (double)s->slowest.ns * (double)s->count / s->ns;
	struct finding *to = add_imbalance(f, cost, "imbalance_time", ratio, &s->slowest, seconds);
	if (to == NULL)
		return;
	finding_text(to,
		     "The slowest takes %s times the mean time of %ju ranks: rank %ju, %s s more, "
		     "%.0f %%25 of the run",
		     significant(text[0], ratio, 3), (uintmax_t)s->count,
		     (uintmax_t)s->slowest.rank, significant(text[1], seconds, 3), 100 * to->saves);
	const double requests =
	    s->requests > 0 ? (double)s->slowest.requests * (double)s->count / s->requests : 0;
	to->remedy = "look for what is slow there: its files, its node, its disk";
	if (requests < UNEVEN_MIN)
		return;
	finding_text(to, ", with %s times the mean requests", significant(text[0], requests, 3));
	to->remedy = "distribute the requests evenly over the ranks, or make those there larger";
}

/* Sets what of an imbalance the causes before it explain: the slowest rank has their time. */
static void explain_imbalance(struct findings *f, size_t causes, const struct run_cost *cost,
			      double slowest_s)
{
	double seconds = 0;
	for (size_t i = 0; i < causes; i++)
		seconds += f->list[i].saves * cost->seconds;
	for (size_t i = causes; i < f->count; i++)
		f->list[i].explained = seconds < slowest_s ? seconds / slowest_s : 1;
}

void rank_imbalance_find(struct findings *f, const struct findings_source *from,
			 const struct run_cost *cost)
{
	const size_t causes = f->count;
	struct rank_sums s = {.count = 0};
	if (!sum_ranks(&s, from->table)) {
		f->failed = true;
		return;
	}
	if (s.count < 2 || s.ns <= 0)
		return;
	const double n = (double)s.count, mean_ns = s.ns / n,
		     seconds = ((double)s.slowest.ns - mean_ns) / 1e9;
	if ((double)s.slowest.ns < UNEVEN_MIN * mean_ns)
		return;
	if ((double)s.largest.bytes > SERIAL_MIN * s.bytes && s.largest.rank == s.slowest.rank)
		find_serial(f, cost, &s);
	else if ((double)s.largest.bytes > UNEVEN_MIN * s.bytes / n &&
		 s.largest.rank == s.slowest.rank)
		find_uneven_bytes(f, cost, &s, seconds);
	else if (seconds > SLOWER_MIN * cost->seconds)
		find_uneven_times(f, cost, &s, seconds);
	explain_imbalance(f, causes, cost, (double)s.slowest.ns / 1e9);
}
