/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a random trace, and to standard output the records in it as CSV, from memory alone: what
 * every reader of the trace must find.
 *
 *	random_trace SEED TRACE >CSV
 *
 * The seed also settles tick, base, framing and sync. More files than the table holds, many
 * processes, logical and physical records of the same numbers, extremes, starts and CPU clocks that
 * go back.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <iotrace/iotrace.h>

enum { RECORDS = 16384, PROCESSES = 9, FILES = 40 };

struct generator {
	uint64_t seed, tick_ns;
	int64_t start_ticks, cpu_ticks[PROCESSES];
	uint64_t end[PROCESSES][FILES], length[PROCESSES][FILES];
};

/* splitmix64 */
static uint64_t next(struct generator *g)
{
	uint64_t z = g->seed += 0x9e3779b97f4a7c15U;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
	z = (z ^ z >> 27) * 0x94d049bb133111ebU;
	return z ^ z >> 31;
}

static uint64_t below(struct generator *g, uint64_t n)
{
	return next(g) % n;
}

/* Small ones, round ones, and now and then the largest. */
static uint64_t any_number(struct generator *g)
{
	switch (below(g, 8)) {
	case 0:
		return below(g, 2) ? UINT64_MAX : 0;
	case 1:
		return next(g);
	case 2:
	case 3:
		return 512 * below(g, 4096);
	default:
		return below(g, 100000);
	}
}

static int64_t next_start(struct generator *g)
{
	int64_t last = INT64_MAX / (int64_t)g->tick_ns;
	int64_t delta = (int64_t)below(g, 3000) - (below(g, 10) == 0 ? 1500 : 0);
	if (below(g, 500) == 0)
		return (int64_t)below(g, (uint64_t)last + 1);
	int64_t start = g->start_ticks + (g->start_ticks > last - 3000 ? -delta : delta);
	return start < 0 ? 0 : start;
}

static struct iot_record next_record(struct generator *g)
{
	size_t process = below(g, PROCESSES), file = below(g, below(g, 3) ? 4 : FILES);
	uint64_t *end = &g->end[process][file], *length = &g->length[process][file];
	bool logical = below(g, 4) != 0;
	uint8_t type = (uint8_t)((next(g) & 0x7b) | (logical ? IOT_LOGICAL : 0));
	g->start_ticks = next_start(g);
	g->cpu_ticks[process] += (int64_t)below(g, 100) - (below(g, 20) == 0 ? 50 : 0);
	struct iot_record r = {
	    .type = type,
	    .start_ns = g->start_ticks * (int64_t)g->tick_ns,
	    .duration_ns = below(g, 2000) * g->tick_ns,
	    .cpu_ns = g->cpu_ticks[process] * (int64_t)g->tick_ns,
	    .offset = below(g, 3) ? *end : any_number(g),
	    .length = below(g, 3) ? *length : any_number(g),
	    .operation = below(g, 3) ? 0 : (uint32_t)next(g),
	    .file = file == FILES - 1 ? UINT32_MAX : (uint32_t)file,
	    .process = process == PROCESSES - 1 ? UINT32_MAX : (uint32_t)process,
	};
	if (r.duration_ns > (uint64_t)INT64_MAX - (uint64_t)r.start_ns)
		r.duration_ns = 0;
	*end = r.offset + r.length;
	*length = r.length;
	return r;
}

static void print_csv(const struct generator *g, const struct iot_record *r, int64_t since_ticks)
{
	printf("%u,%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%" PRIu64 ",%" PRIu64 ",%u,%u,%u\n", r->type,
	       (uint64_t)r->start_ns / g->tick_ns, r->duration_ns / g->tick_ns, since_ticks,
	       r->offset, r->length, r->operation, r->file, r->process);
}

static int write_records(struct generator *g, struct iot_writer *w)
{
	int64_t before[PROCESSES] = {0};
	puts("type,start,duration,cpu,offset,length,operation,file,process");
	for (int i = 0; i < RECORDS; i++) {
		struct iot_record r = next_record(g);
		size_t process = r.process < PROCESSES ? r.process : PROCESSES - 1;
		int status = iot_writer_records(w, &r, 1);
		if (status != IOT_OK)
			return status;
		print_csv(g, &r, g->cpu_ticks[process] - before[process]);
		before[process] = g->cpu_ticks[process];
	}
	return iot_writer_close(w);
}

int main(int argc, char **argv)
{
	static const uint64_t ticks[] = {1, 10, 1000, 1000000, 999};
	struct generator g = {.seed = argc == 3 ? strtoull(argv[1], NULL, 10) : 0};
	struct iot_writer *w = argc == 3 ? iot_writer_new() : NULL;
	if (!w)
		return 2;
	uint64_t framing = below(&g, 4) != 0;
	g.tick_ns = framing ? ticks[below(&g, 5)] : IOT_TICK_DEFAULT_NS;
	int status = iot_writer_set(w, IOT_SET_TICK_NS, g.tick_ns);
	if (status == IOT_OK)
		status = iot_writer_set(w, IOT_SET_BASE, below(&g, 2) ? 16 : 10);
	if (status == IOT_OK)
		status = iot_writer_set(w, IOT_SET_FRAMING, framing);
	if (status == IOT_OK)
		status = iot_writer_set(w, IOT_SET_SYNC, below(&g, 2) ? below(&g, 1000) : 0);
	if (status == IOT_OK)
		status = iot_writer_set(w, IOT_SET_UNDECLARED_DISKS, 1);
	if (status == IOT_OK)
		status = iot_writer_open(w, argv[2]);
	if (status == IOT_OK)
		status = write_records(&g, w);
	if (status != IOT_OK)
		fprintf(stderr, "random_trace: %s\n", iot_writer_error(w));
	iot_writer_free(w);
	return status == IOT_OK && fflush(stdout) == 0 ? 0 : 1;
}
