/* SPDX-License-Identifier: BSD-2-Clause */
/* The goals of each workload, as ratios that are comparable on any machine. */
#include <string.h>

#include "bench.h"

struct list {
	const struct bench *b;
	struct bench_goal *goals;
	size_t n;
};

static void add(struct list *l, struct bench_goal g)
{
	if (g.found > 0 && l->n < BENCH_GOALS_MAX)
		l->goals[l->n++] = g;
}

static double ratio(const struct list *l, enum bench_id a, enum bench_id b)
{
	return bench_ratio(&l->b->times[a], &l->b->times[b]);
}

static double rate_m(const struct list *l, enum bench_id id)
{
	return bench_rate(l->b, id) * 1e-6;
}

static void add_memory(struct list *l, bool mixed, bool sequential)
{
	const double decode = sequential ? 70 : 45;
	add(l, (struct bench_goal){"read from memory, checked", "M/s", rate_m(l, BENCH_READ_MEMORY),
				   mixed || sequential ? decode : 0, false});
	add(l, (struct bench_goal){"  times the floor's decoder", "x",
				   ratio(l, BENCH_READ_MEMORY, BENCH_FLOOR_DECODE),
				   mixed ? 45.0 / 41.0 : 0, false});
	add(l, (struct bench_goal){"  codec times the floor's decoder", "x",
				   ratio(l, BENCH_DECODE, BENCH_FLOOR_DECODE), 0, false});
	if (l->b->mixed_rate > 0 && strcmp(l->b->workload, "wide") == 0)
		add(l, (struct bench_goal){"  times that on mixed", "x",
					   bench_rate(l->b, BENCH_READ_MEMORY) / l->b->mixed_rate,
					   0.5, false});
	const bool wide = strcmp(l->b->workload, "wide") == 0;
	add(l, (struct bench_goal){"analyze from memory, times read", "x",
				   ratio(l, BENCH_ANALYZE, BENCH_READ_MEMORY),
				   wide    ? 0
				   : mixed ? 0.35
					   : 0.5,
				   false});
	add(l, (struct bench_goal){"write to memory, checked", "M/s", rate_m(l, BENCH_WRITE_MEMORY),
				   mixed ? 35 : 0, false});
	add(l, (struct bench_goal){"  times the floor's encoder", "x",
				   ratio(l, BENCH_WRITE_MEMORY, BENCH_FLOOR_ENCODE),
				   mixed ? 35.0 / 38.0 : 0, false});
	add(l, (struct bench_goal){"  codec times the floor's encoder", "x",
				   ratio(l, BENCH_ENCODE, BENCH_FLOOR_ENCODE), 0, false});
}

static void add_zstd(struct list *l, bool mixed)
{
	add(l, (struct bench_goal){"read .zst, one thread", "M/s", rate_m(l, BENCH_READ_ZSTD),
				   mixed ? 18 : 0, false});
	add(l, (struct bench_goal){"read .zst, two threads, times zstd -d", "x",
				   ratio(l, BENCH_READ_ZSTD_2, BENCH_UNZSTD_COMMAND),
				   mixed ? 0.95 : 0, false});
	add(l, (struct bench_goal){"  times libzstd alone", "x",
				   ratio(l, BENCH_READ_ZSTD_2, BENCH_UNZSTD), mixed ? 0.95 : 0,
				   false});
	add(l, (struct bench_goal){"count .zst side by side, two threads", "M/s",
				   rate_m(l, BENCH_FOLD_ZSTD), mixed ? 40 : 0, false});
	add(l, (struct bench_goal){"write .zst -3, one thread, times libzstd", "x",
				   ratio(l, BENCH_WRITE_ZSTD, BENCH_DOZSTD), 0, false});
	add(l,
	    (struct bench_goal){"write .zst -3, two threads, times libzstd", "x",
				ratio(l, BENCH_WRITE_ZSTD_2, BENCH_DOZSTD), mixed ? 1 : 0, false});
	add(l, (struct bench_goal){"  times zstd -3", "x",
				   ratio(l, BENCH_WRITE_ZSTD_2, BENCH_DOZSTD_COMMAND),
				   mixed ? 1 : 0, false});
}

size_t bench_goals(const struct bench *b, struct bench_goal *goals)
{
	struct list l = {b, goals, 0};
	const bool mixed = strcmp(b->workload, "mixed") == 0;
	const long peak_kib =
	    b->peak_read_kib > b->peak_write_kib ? b->peak_read_kib : b->peak_write_kib;

	add_memory(&l, mixed, strcmp(b->workload, "sequential") == 0);
	add_zstd(&l, mixed);
	add(&l, (struct bench_goal){"zstd -1", "B/record", b->sizes.zstd_1, 0, true});
	add(&l, (struct bench_goal){"zstd -3", "B/record", b->sizes.zstd_3, mixed ? 7.9 : 0, true});
	add(&l,
	    (struct bench_goal){"zstd -19", "B/record", b->sizes.zstd_19, mixed ? 6.4 : 0, true});
	add(&l,
	    (struct bench_goal){"read a plain file, times libpcap", "x",
				ratio(&l, BENCH_READ_PLAIN, BENCH_PCAP), mixed ? 1.8 : 0, false});
	add(&l, (struct bench_goal){"peak memory", "MiB", (double)peak_kib / 1024, mixed ? 32 : 0,
				    true});
	return l.n;
}

bool bench_reached(const struct bench_goal *g)
{
	return g->at_most ? g->found <= g->wanted : g->found >= g->wanted;
}
