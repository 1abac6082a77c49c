/* SPDX-License-Identifier: BSD-2-Clause */
#include "findings.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/result/names.h"

#include "causes.h"
#include "finding.h"
#include "findings_counted.h"

static void add_straggler(struct file_evidence *e, const struct row_table *t,
			  const struct table_file *f, struct table_rank rank)
{
	const uint64_t more = f->slowest_ns - f->fastest_ns;
	const double share = f->io_ns > 0 ? (double)more / (double)f->io_ns : 0;
	if (t->from.rows->busy.inexact[BUSY_IO] || share <= STRAGGLERS_MAX)
		return;
	e->stragglers++;
	if (!max_rank_take(&e->straggler, rank, more))
		return;
	e->straggler_share = share;
	e->straggler_users = f->users;
}

static void add_shared(struct file_evidence *e, const struct row_table *t,
		       const struct table_file *f, struct table_rank rank)
{
	for (unsigned d = 0; d < 2; d++) {
		e->shared_requests[d] += f->all.sums.count[d];
		e->shared_small[d] += f->small[d];
		max_rank_take(&e->small_shared[d], rank, f->small[d]);
	}
	e->shared_files += f->users == t->from.processes;
	if (f->users == t->from.processes)
		max_rank_take(&e->shared, rank, row_bytes(&f->all.sums));
	add_straggler(e, t, f, rank);
}

static void add_file(struct file_evidence *e, const struct row_table *t, size_t file)
{
	const struct order *o = t->from.order;
	struct table_file f;
	struct reuse_sums reuse;
	if (!table_file(t, file, &f) || f.users == 0)
		return;
	const struct table_rank rank = table_file_rank(t, file);
	reuse_file_sums(t->from.reuse, file, &reuse);
	for (unsigned d = 0; d < 2; d++) {
		max_rank_take(&e->small[d], rank, f.small[d]);
		e->requests[d] += f.all.sums.count[d];
		e->small_requests[d] += f.small[d];
	}
	if (file < o->file_capacity)
		max_rank_take(&e->random, rank, o->files[file].pattern_requests[PATTERN_RANDOM]);
	max_rank_take(&e->reread, rank,
		      saturate_add(reuse.kind[REUSE_RE_READ], reuse.kind[REUSE_READ_AFTER_WRITE]));
	if (f.users > 1)
		add_shared(e, t, &f, rank);
}

/* Findings */

/*
 * Returns whether metadata takes more than METADATA_MAX_S, or METADATA_MAX of the process's
 * I/O time.
 */
static bool has_much_metadata(const struct busy *b, size_t process)
{
	const uint64_t ns = b->processes[process].of[BUSY_METADATA].ns,
		       all = b->processes[process].of[BUSY_ALL].ns;
	return ns > 0 &&
	       ((double)ns > METADATA_MAX_S * 1e9 || (double)ns >= METADATA_MAX * (double)all);
}

static void find_metadata(struct findings *f, const struct findings_source *from,
			  const struct run_cost *cost)
{
	const struct busy *b = from->table->from.busy;
	struct max_rank max = {.any = false};
	uint64_t count = 0;
	if (b->inexact[BUSY_METADATA] || b->inexact[BUSY_ALL])
		return;
	for (size_t i = 0; i < b->capacity; i++) {
		if (!has_much_metadata(b, i))
			continue;
		count++;
		max_rank_take(&max, table_process_rank(from->table, i),
			      b->processes[i].of[BUSY_METADATA].ns);
	}
	if (!max.any)
		return;
	const double ns = (double)max.rank.first,
		     all = (double)b->processes[max.rank.number].of[BUSY_ALL].ns;
	struct finding *to = finding_add(f, "metadata", ns / all, METADATA_MAX);
	if (to == NULL)
		return;
	finding_set_count(to, count);
	finding_set_process(to, max.rank.key.process);
	finding_set_seconds(to, cost, ns / 1e9);
	finding_text(
	    to,
	    "Process %ju is in metadata operations for %.3g s, %.0f %%25 of its time in I/O "
	    "(threshold: 50 %%25 or 30 s); processes beyond it: %ju",
	    (uintmax_t)to->process, ns / 1e9, 100 * to->value, (uintmax_t)count);
	to->remedy = FINDING_REMEDY_METADATA;
}

/* Returns false if it is unknown. */
static bool small_share(const struct findings_source *from, const struct file_evidence *e,
			unsigned d, double *share, double *requests)
{
	char key[VALUE_KEY];
	values_key(key, from->options->small);
	*requests = (double)e->requests[d];
	*share = e->requests[d] > 0 ? (double)e->small_requests[d] / *requests : 0;
	if (from->table->from.counted != NULL)
		return e->requests[d] > 0;
	return finding_known_of(from, VALUE(sizes, small_share), d, key, share) &&
	       finding_known_of(from, VALUE(totals, requests), d, NULL, requests);
}

static void find_small(struct findings *f, const struct findings_source *from,
		       const struct run_cost *cost, const struct file_evidence *e, unsigned d)
{
	static const char *const codes[2] = {"small_requests_r", "small_requests_w"};
	char size[FINDING_SIZE];
	double share, requests;
	if (!small_share(from, e, d, &share, &requests) || share <= SMALL_MAX ||
	    share * requests <= REQUESTS_MIN)
		return;
	struct finding *to = finding_add(f, codes[d], share, SMALL_MAX);
	if (to == NULL)
		return;
	finding_set_count(to, (uint64_t)(share * requests + 0.5));
	finding_set_share(to, cost, share * cost->reads_or_writes[d]);
	finding_text(to, "%.0f %%25 of the %ss (%ju) have up to %s (threshold: 10 %%25 and 1000)",
		     100 * share, finding_verbs[d], (uintmax_t)to->count,
		     finding_size(size, (double)from->options->small));
	finding_set_file(to, "; most in ", &e->small[d]);
	to->remedy = d == 0 ? "read larger blocks, or through a buffer"
			    : "write larger blocks, or through a buffer";
}

static void find_small_shared(struct findings *f, const struct findings_source *from,
			      const struct run_cost *cost, const struct file_evidence *e,
			      unsigned d)
{
	static const char *const codes[2] = {"small_requests_shared_r", "small_requests_shared_w"};
	const double requests = (double)e->shared_requests[d], small = (double)e->shared_small[d];
	char size[FINDING_SIZE];
	if (requests <= 0 || small <= REQUESTS_MIN || small <= SMALL_MAX * requests)
		return;
	struct finding *to = finding_add(f, codes[d], small / requests, SMALL_MAX);
	if (to == NULL)
		return;
	finding_set_count(to, e->shared_small[d]);
	finding_set_share(to, cost, small / (double)e->requests[d] * cost->reads_or_writes[d]);
	finding_text(
	    to,
	    "%.0f %%25 of the %ss of shared files (%ju) have up to %s (threshold: 10 %%25 and "
	    "1000)",
	    100 * to->value, finding_verbs[d], (uintmax_t)to->count,
	    finding_size(size, (double)from->options->small));
	finding_set_file(to, "; most in ", &e->small_shared[d]);
	to->remedy = "collective I/O, or one process per node that combines them";
}

static double random_share(const struct findings_source *from, unsigned d)
{
	static const char *const patterns[] = {"short",          "contiguous", "simple strided",
					       "nested strided", "sequential", "random"};
	double all = 0, random = 0, n;
	for (unsigned i = 0; i < PATTERNS; i++)
		if (finding_known_of(from, VALUE(order, pattern_requests), d, patterns[i], &n)) {
			all += n;
			random = i == PATTERN_RANDOM ? n : random;
		}
	return all > 0 ? random / all : 0;
}

/* Requests that go back, and those that could: with a predecessor, or counted. */
static void backward_of(const struct findings_source *from, unsigned d, double *backward,
			double *followers)
{
	double sequential;
	*backward = *followers = 0;
	if (from->table->from.counted == NULL) {
		finding_known_of(from, VALUE(order, backward_share), d, NULL, backward);
		finding_known_of(from, VALUE(order, followers), d, NULL, followers);
	} else if (finding_known_of(from, VALUE(counters, sequential_requests), d, "POSIX",
				    &sequential) &&
		   finding_known_of(from, VALUE(counters, requests), d, "POSIX", followers) &&
		   sequential < *followers) {
		*backward = (*followers - sequential) / *followers;
	}
}

static void find_random(struct findings *f, const struct findings_source *from,
			const struct run_cost *cost, const struct file_evidence *e, unsigned d)
{
	static const char *const codes[2] = {"random_r", "random_w"};
	const double random = random_share(from, d);
	double backward, followers;
	backward_of(from, d, &backward, &followers);
	const bool much = backward > BACKWARD_MAX && backward * followers > REQUESTS_MIN;
	if (!much && random <= RANDOM_MAX)
		return;
	struct finding *to =
	    finding_add(f, codes[d], much ? backward : random, much ? BACKWARD_MAX : RANDOM_MAX);
	if (to == NULL)
		return;
	finding_set_share(to, cost, to->value * cost->reads_or_writes[d]);
	if (much)
		finding_text(to,
			     "%.0f %%25 of the %ss go back to a lower offset than the previous one "
			     "(threshold: 20 %%25 and 1000)",
			     100 * backward, finding_verbs[d]);
	else
		finding_text(to,
			     "%.0f %%25 of the %ss are in streams of random order (threshold: 50 "
			     "%%25)",
			     100 * random, finding_verbs[d]);
	finding_set_file(to, "; most requests of random streams are in ", &e->random);
	to->remedy = d == 0 ? "sort the accesses by offset, or read ahead and keep the data"
			    : "sort the accesses by offset, or collect them in memory";
}

/* Bytes of the files in a sample are not compared with the bytes of all files. */
static bool is_sample(const struct findings_source *from)
{
	return finding_value(from, VALUE(limits, files), NULL) != NULL;
}

static void find_reread(struct findings *f, const struct findings_source *from,
			const struct run_cost *cost, const struct file_evidence *e)
{
	double again, after_write, all;
	char size[FINDING_SIZE];
	if (is_sample(from) || !finding_known(from, VALUE(reuse, re_read), NULL, &again) ||
	    !finding_known(from, VALUE(reuse, read_after_write), NULL, &after_write) ||
	    !finding_known(from, VALUE(totals, read_bytes), NULL, &all) ||
	    again + after_write <= REREAD_MAX * all)
		return;
	struct finding *to = finding_add(f, "read_again", (again + after_write) / all, REREAD_MAX);
	if (to == NULL)
		return;
	finding_set_share(to, cost, to->value * cost->reads_or_writes[0]);
	finding_set_bytes(
	    to, saturate_add(finding_value(from, VALUE(reuse, re_read), NULL)->number,
			     finding_value(from, VALUE(reuse, read_after_write), NULL)->number));
	finding_text(to,
		     "%.0f %%25 of the bytes read (%s) were read or written before (threshold: 10 "
		     "%%25)",
		     100 * to->value, finding_size(size, again + after_write));
	finding_set_file(to, "; most of ", &e->reread);
	to->remedy = "keep the data in memory between uses";
}

static void find_cache(struct findings *f, const struct findings_source *from,
		       const struct run_cost *cost)
{
	double footprint, all, swapping;
	char size[2][FINDING_SIZE];
	if (is_sample(from) || !finding_known(from, VALUE(reuse, footprint), NULL, &footprint) ||
	    !finding_known(from, VALUE(totals, bytes), NULL, &all) ||
	    !finding_known(from, VALUE(classes, reason_share), "swapping", &swapping) ||
	    footprint >= FOOTPRINT_MAX * all || swapping <= SWAPPING_MIN)
		return;
	struct finding *to = finding_add(f, "fits_in_memory", footprint / all, FOOTPRINT_MAX);
	if (to == NULL)
		return;
	finding_set_share(to, cost, swapping * cost->both);
	finding_set_bytes(to, finding_value(from, VALUE(reuse, footprint), NULL)->number);
	finding_text(
	    to,
	    "All requests (%s) use %s of files, %.2g %%25 of that (threshold: 25 %%25), and "
	    "%.0f %%25 is swapping (threshold: 50 %%25)",
	    finding_size(size[0], all), finding_size(size[1], footprint), 100 * to->value,
	    100 * swapping);
	to->remedy = "a cache of the size of the footprint holds all of it";
}

static void find_stragglers(struct findings *f, const struct run_cost *cost,
			    const struct file_evidence *e)
{
	if (e->stragglers == 0)
		return;
	struct finding *to = finding_add(f, "stragglers", e->straggler_share, STRAGGLERS_MAX);
	if (to == NULL)
		return;
	finding_set_count(to, e->stragglers);
	finding_set_seconds(to, cost, (double)e->straggler.rank.first / 1e9);
	finding_text(to,
		     "Of %ju processes that share a file the slowest takes %.3g s longer than the "
		     "fastest, %.0f %%25 of all their time (threshold: 15 %%25)",
		     (uintmax_t)e->straggler_users, (double)e->straggler.rank.first / 1e9,
		     100 * to->value);
	finding_set_file(to, "; it is ", &e->straggler);
	to->remedy = "distribute the requests evenly, and look at the placement of the file";
}

/* Returns whether one of the processes has more than the others: of `name`, an imbalance. */
static bool is_uneven(const struct findings_source *from, const char *name, double *spread,
		      double *process, double *ratio)
{
	return finding_known(from, SECTION_OF(processes), name, "spread", spread) &&
	       finding_known(from, SECTION_OF(processes), name, "process", process) &&
	       finding_known(from, SECTION_OF(processes), name, "max_to_mean", ratio) &&
	       *spread > IMBALANCE_MAX;
}

/* The requests count if the bytes are even: many of a process may be smaller. */
static void find_imbalance(struct findings *f, const struct findings_source *from,
			   const struct run_cost *cost)
{
	double spread, process, ratio;
	if (from->table->from.processes < 2)
		return;
	const bool bytes = is_uneven(from, "imbalance_bytes", &spread, &process, &ratio);
	if (!bytes && !is_uneven(from, "imbalance_requests", &spread, &process, &ratio))
		return;
	struct finding *to = finding_add(f, "imbalance", spread, IMBALANCE_MAX);
	if (to == NULL)
		return;
	finding_set_process(to, (uint32_t)process);
	finding_set_share(to, cost, (1 - 1 / ratio) * cost->both);
	finding_text(
	    to,
	    "The process with the fewest %s has %.0f %%25 fewer than the one with most, process "
	    "%ju (threshold: 30 %%25), which has %.3g times the mean",
	    bytes ? "bytes" : "requests", 100 * spread, (uintmax_t)to->process, ratio);
	to->remedy = bytes ? "distribute the data evenly over the processes"
			   : "distribute the requests evenly over the processes";
}

static bool has_strategy(const struct findings_source *from, const char *strategy)
{
	const struct iot_analyze_value *v = finding_value(from, VALUE(files, strategy), NULL);
	return v != NULL && v->kind == IOT_VALUE_TEXT && v->text.size == strlen(strategy) &&
	       memcmp(v->text.data, strategy, v->text.size) == 0;
}

static void find_rank_0(struct findings *f, const struct findings_source *from,
			const struct run_cost *cost)
{
	const struct row_table *t = from->table;
	struct max_rank max = {.any = false};
	double all = 0;
	for (size_t i = 0; i < t->from.rows->process_capacity; i++) {
		const uint64_t bytes = row_bytes(&t->from.rows->processes[i]);
		all += (double)bytes;
		if (bytes > 0)
			max_rank_take(&max, table_process_rank(t, i), bytes);
	}
	struct finding *to =
	    max.any && has_strategy(from, "rank-0")
		? finding_add(f, "rank_0", (double)max.rank.first / all, RANK_0_MIN)
		: NULL;
	if (to == NULL)
		return;
	finding_set_process(to, max.rank.key.process);
	finding_set_share(to, cost, (1 - 1 / (double)t->from.processes) * cost->both);
	finding_text(to,
		     "Process %ju has %.2f %%25 of the bytes of %ju processes (threshold: 99 %%25)",
		     (uintmax_t)to->process, 100 * to->value, (uintmax_t)t->from.processes);
	to->remedy = FINDING_REMEDY_RANK_0;
}

static void find_shared_file(struct findings *f, const struct findings_source *from,
			     const struct run_cost *cost, const struct file_evidence *e)
{
	double all;
	if (e->shared_files != 1 || !e->shared.any || !has_strategy(from, "N-1") ||
	    !finding_known(from, VALUE(totals, bytes), NULL, &all))
		return;
	struct finding *to =
	    finding_add(f, "one_shared_file", (double)e->shared.rank.first / all, 0);
	if (to == NULL)
		return;
	finding_set_share(to, cost, to->value * cost->both);
	finding_text(to, "All %ju processes share one file, with %.0f %%25 of the bytes",
		     (uintmax_t)from->table->from.processes, 100 * to->value);
	finding_set_file(to, ": ", &e->shared);
	to->remedy = "increase its number of stripes, or use a file for each node";
}

static void find_misaligned(struct findings *f, const struct findings_source *from,
			    const struct run_cost *cost, unsigned d)
{
	static const char *const codes[2] = {"misaligned_r", "misaligned_w"};
	double aligned;
	if (!finding_known_of(from, VALUE(sizes, aligned_share), d, NULL, &aligned) ||
	    1 - aligned <= MISALIGNED_MAX)
		return;
	struct finding *to = finding_add(f, codes[d], 1 - aligned, MISALIGNED_MAX);
	if (to == NULL)
		return;
	finding_set_share(to, cost, to->value * cost->reads_or_writes[d]);
	finding_text(
	    to,
	    "%.0f %%25 of the offsets of %ss are not multiples of %ju bytes (threshold: 10 "
	    "%%25)",
	    100 * to->value, finding_verbs[d], (uintmax_t)from->options->alignment);
	to->remedy = "align records and blocks to the blocks of the file system";
}

/* From counters: calls of MPI-IO. */
static void find_independent(struct findings *f, const struct findings_source *from,
			     const struct run_cost *cost, unsigned d)
{
	static const char *const codes[2] = {"no_collective_r", "no_collective_w"};
	double calls, collective;
	if (!finding_known_of(from, VALUE(counters, requests), d, "MPI-IO", &calls) ||
	    !finding_known_of(from, VALUE(counters, collective_requests), d, "MPI-IO",
			      &collective) ||
	    calls <= REQUESTS_MIN || collective >= COLLECTIVE_MIN * calls)
		return;
	struct finding *to = finding_add(f, codes[d], collective / calls, COLLECTIVE_MIN);
	if (to == NULL)
		return;
	finding_set_count(to, (uint64_t)calls);
	finding_set_share(to, cost, (1 - to->value) * cost->reads_or_writes[d]);
	finding_text(
	    to,
	    "%.0f %%25 of the %ju %ss of MPI-IO are collective (threshold: 50 %%25 of more "
	    "than 1000)",
	    100 * to->value, (uintmax_t)to->count, finding_verbs[d]);
	to->remedy = d == 0 ? "MPI_File_read_all instead of MPI_File_read"
			    : "MPI_File_write_all instead of MPI_File_write";
}

/* From counters: bytes of a module. */
static double counted_bytes(const struct findings_source *from, const char *module)
{
	double all = 0, bytes;
	for (unsigned d = 0; d < 2; d++)
		all +=
		    finding_known_of(from, VALUE(counters, bytes), d, module, &bytes) ? bytes : 0;
	return all;
}

static void find_streams(struct findings *f, const struct findings_source *from,
			 const struct run_cost *cost)
{
	const struct counters_totals *stdio = from->counters->of[COUNTERS_STDIO];
	uint64_t rank;
	const double streams = counted_bytes(from, "STDIO"),
		     all = streams + counted_bytes(from, "POSIX");
	char size[FINDING_SIZE];
	if (streams <= STREAM_MAX * all)
		return;
	struct finding *to = finding_add(f, "stream_io", streams / all, STREAM_MAX);
	if (to == NULL)
		return;
	finding_set_seconds(
	    to, cost,
	    counters_seconds(counters_longest(stdio, 1 << COUNTERS_READ | 1 << COUNTERS_WRITE,
					      from->table->from.processes, &rank)));
	finding_text(to,
		     "%.0f %%25 of the bytes (%s) pass through streams of stdio.h (threshold: 10 "
		     "%%25)",
		     100 * to->value, finding_size(size, streams));
	to->remedy = "read and write large data without streams";
}

static void find_overlap(struct findings *f, const struct findings_source *from,
			 const struct run_cost *cost)
{
	double share, period;
	if (finding_asynchronous(from) ||
	    !finding_known(from, VALUE(time, io_share), NULL, &share) || share <= OVERLAP_MIN ||
	    !finding_known(from, VALUE(cycles, period_s), NULL, &period))
		return;
	struct finding *to = finding_add(f, "overlap_possible", share, OVERLAP_MIN);
	if (to == NULL)
		return;
	finding_set_seconds(to, cost, (share < 0.5 ? share : 1 - share) * cost->seconds);
	finding_text(
	    to, "%.0f %%25 of the time is in synchronous I/O (threshold: 20 %%25), every %.3g s",
	    100 * share, period);
	to->remedy = "asynchronous I/O, or a thread for I/O, overlaps it with computation";
}

/* Those that concern a direction. */
static void find_of(struct findings *f, const struct findings_source *from,
		    const struct run_cost *cost, const struct file_evidence *e, unsigned d)
{
	find_small_shared(f, from, cost, e, d);
	find_small(f, from, cost, e, d);
	find_independent(f, from, cost, d);
	find_random(f, from, cost, e, d);
	find_misaligned(f, from, cost, d);
}

/* Those that save most first, trivial ones last. */
static int by_savings(const void *left, const void *right)
{
	const struct finding *a = left, *b = right;
	if (a->trivial != b->trivial)
		return a->trivial ? 1 : -1;
	const double own[2] = {a->saves * (1 - a->explained), b->saves * (1 - b->explained)};
	if (own[0] < own[1] || own[0] > own[1])
		return own[0] > own[1] ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Whether counters alone have the times of operations. */
static bool lacks_operations(const struct findings_source *from)
{
	return !from->options->physical && from->counters->of[COUNTERS_POSIX] != NULL &&
	       busy_max(from->table->from.busy, BUSY_METADATA) == 0;
}

static void find_all(struct findings *f, const struct findings_source *from,
		     const struct run_cost *cost, const struct file_evidence *e)
{
	if (lacks_operations(from))
		findings_counted_metadata(f, from, cost);
	else
		find_metadata(f, from, cost);
	find_streams(f, from, cost);
	find_cache(f, from, cost);
	find_reread(f, from, cost, e);
	for (unsigned d = 0; d < 2; d++)
		find_of(f, from, cost, e, d);
	find_stragglers(f, cost, e);
	find_rank_0(f, from, cost);
	find_imbalance(f, from, cost);
	find_shared_file(f, from, cost, e);
	find_overlap(f, from, cost);
}

/* Returns the cause, in the vocabulary of causes.c, that a finding without times points to. */
static const char *cause_of(const char *code)
{
	static const struct {
		const char *code, *cause;
	} causes[] = {{"metadata", "metadata_lookup"},
		      {"small_requests_r", "small_requests"},
		      {"small_requests_w", "small_requests"},
		      {"small_requests_shared_r", "shared_file"},
		      {"small_requests_shared_w", "shared_file"},
		      {"one_shared_file", "shared_file"},
		      {"no_collective_r", "shared_file"},
		      {"no_collective_w", "shared_file"},
		      {"random_r", "random_access"},
		      {"random_w", "random_access"},
		      {"misaligned", "misaligned"},
		      {"misaligned_r", "misaligned"},
		      {"misaligned_w", "misaligned"},
		      {"read_again", "redundant_reads"},
		      {"fits_in_memory", "redundant_reads"},
		      {"stragglers", "imbalance_time"},
		      {"imbalance", "imbalance_bytes"},
		      {"rank_0", "serial"},
		      {"stream_io", "small_requests"}};
	for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
		if (strcmp(code, causes[i].code) == 0)
			return causes[i].cause;
	return NULL;
}

/* States the bound of what can be saved. */
static void add_savings(struct finding *f)
{
	if (!f->trivial)
		finding_text(f, ". It concerns up to %.0f %%25 of the %s", 100 * f->saves,
			     f->saves_time ? "run time" : "bytes");
}

/* Without durations, or with counters alone, shares of requests and bytes are all that is known. */
static void find_without_times(struct findings *f, const struct findings_source *from,
			       const struct run_cost *cost)
{
	const struct counters_totals *counted = from->table->from.counted;
	struct file_evidence e = {.stragglers = 0};
	if (counted != NULL)
		findings_counted_files(&e, from->table);
	for (size_t i = 0; i < from->table->from.requests->files.count && counted == NULL; i++)
		add_file(&e, from->table, i);
	find_all(f, from, cost, &e);
	if (counted != NULL)
		findings_counted(f, from, cost, &e);
	for (size_t i = 0; i < f->count; i++) {
		f->list[i].cause = cause_of(f->list[i].code);
		add_savings(&f->list[i]);
	}
}

/* Records of Darshan come without operations, whose times are counters. */
static void find_with_times(struct findings *f, const struct findings_source *from,
			    const struct run_cost *cost)
{
	if (lacks_operations(from))
		findings_counted_metadata(f, from, cost);
	if (f->count > 0) {
		f->list[0].cause = cause_of(f->list[0].code);
		add_savings(&f->list[0]);
	}
	causes_find(f, from, cost);
}

/* Returns whether the durations of calls are known, so that each cause has a cost. */
static bool has_times(const struct findings_source *from, const struct run_cost *cost)
{
	const struct table_source *t = &from->table->from;
	return t->counted == NULL && !from->options->physical && cost->seconds > 0 &&
	       !t->busy->inexact[BUSY_ALL] && busy_max(t->busy, BUSY_ALL) > 0;
}

/*
 * Moves a finding that others explain before those that cost less, up to the third place: two
 * causes are more to the point than an imbalance to which they lead.
 */
static void raise_explained(struct findings *f)
{
	enum { FIRST_CAUSES = 2 };
	for (size_t i = FIRST_CAUSES; i < f->count; i++) {
		const struct finding moved = f->list[i];
		size_t at = i;
		if (moved.explained <= 0 || moved.trivial)
			continue;
		for (; at > FIRST_CAUSES && f->list[at - 1].saves < moved.saves; at--)
			f->list[at] = f->list[at - 1];
		f->list[at] = moved;
	}
}

void findings_find(struct findings *f, const struct findings_source *from)
{
	const struct run_cost cost = run_cost_of(from);
	if (has_times(from, &cost))
		find_with_times(f, from, &cost);
	else
		find_without_times(f, from, &cost);
	if (f->count > 0)
		qsort(f->list, f->count, sizeof *f->list, by_savings);
	raise_explained(f);
}

/* Results */

static void share_values(const struct finding *at, const struct finding *end, struct values *v)
{
	for (const struct finding *i = at; i < end; i++)
		if (i->threshold > 0)
			values_real(v, NAME_OF(value), i->code, "", i->value);
	for (const struct finding *i = at; i < end; i++)
		if (i->threshold > 0)
			values_real(v, NAME_OF(threshold), i->code, "", i->threshold);
	for (const struct finding *i = at; i < end; i++) {
		values_real(v, NAME_OF(cost_share), i->code, "", i->saves);
		values_note(v, i->saves_time ? "of the run time" : "of the bytes");
	}
}

/* Adds the counts of findings, except those that are 0. */
static void count_values(const struct finding *at, const struct finding *end, struct values *v)
{
	static const struct {
		const char *name;
		size_t offset;
	} counts[] = {{"calls", offsetof(struct finding, calls)},
		      {"failed", offsetof(struct finding, failed)},
		      {"requests", offsetof(struct finding, requests)},
		      {"files", offsetof(struct finding, files)}};
	for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
		for (const struct finding *i = at; i < end; i++) {
			const uint64_t *n = (const void *)((const char *)i + counts[k].offset);
			if (*n > 0)
				values_number(v, counts[k].name, i->code, "", *n);
		}
}

static void evidence_values(const struct finding *at, const struct finding *end, struct values *v)
{
	for (const struct finding *i = at; i < end; i++)
		if (i->cause != NULL)
			values_word(v, NAME_OF(cause), i->code, i->cause);
	for (const struct finding *i = at; i < end; i++)
		if (i->saves_time)
			values_number(v, NAME_OF(cost_ns), i->code, "ns",
				      (uint64_t)(i->seconds * 1e9));
	for (const struct finding *i = at; i < end; i++)
		if (i->operation != NULL)
			values_word(v, NAME_OF(operation), i->code, i->operation);
	for (const struct finding *i = at; i < end; i++)
		if (i->place.data != NULL)
			values_text(v, NAME_OF(directory), i->code, i->place);
	for (const struct finding *i = at; i < end; i++)
		if (i->has_rank)
			values_number(v, NAME_OF(rank), i->code, "", i->rank);
	for (const struct finding *i = at; i < end; i++)
		if (i->has_count)
			values_number(v, NAME_OF(count), i->code, "", i->count);
	for (const struct finding *i = at; i < end; i++)
		if (i->has_bytes)
			values_number(v, NAME_OF(bytes), i->code, "bytes", i->bytes);
	for (const struct finding *i = at; i < end; i++)
		if (i->has_file)
			values_text(v, NAME_OF(file), i->code,
				    (struct iot_text){i->key, strlen(i->key)});
	for (const struct finding *i = at; i < end; i++)
		if (i->has_file && i->file.name.data != NULL)
			values_text(v, NAME_OF(path), i->code, i->file.name);
	for (const struct finding *i = at; i < end; i++)
		if (i->has_process)
			values_number(v, NAME_OF(process), i->code, "", i->process);
}

void findings_values(const struct findings *f, struct values *v)
{
	const struct finding *at = f->list, *all = at != NULL ? at + f->count : at, *end = all;
	while (end > at && end[-1].trivial)
		end--;
	v->section = SECTION_OF(findings);
	v->failed |= f->failed;
	values_number(v, NAME_OF(found), NULL, "", (uint64_t)(end - at));
	values_number(v, NAME_OF(trivial), NULL, "", (uint64_t)(all - end));
	share_values(at, end, v);
	evidence_values(at, end, v);
	count_values(at, end, v);
	for (const struct finding *i = at; i < end; i++)
		values_text(v, NAME_OF(sentence), i->code,
			    (struct iot_text){i->sentence, strlen(i->sentence)});
	for (const struct finding *i = at; i < end; i++)
		values_text(v, NAME_OF(remedy), i->code,
			    (struct iot_text){i->remedy, strlen(i->remedy)});
	for (const struct finding *i = end; i < all; i++) {
		values_real(v, NAME_OF(trivial_cost_share), i->code, "", i->saves);
		values_note(v, i->saves_time ? "of the run time" : "of the bytes");
	}
}

void findings_free(struct findings *f)
{
	free(f->list);
}
