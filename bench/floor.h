/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The least work that reads and writes hexadecimal lines: what a checked library is measured
 * against. Process and file numbers have to be small, times whole microseconds, records logical.
 */
#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

#include <stdbool.h>
#include <string.h>

#include <iotrace/iotrace.h>

enum { FLOOR_PROCESSES = 8192, FLOOR_FILES = 1 << 19 };

struct floor_file {
	uint64_t next, length;
};

struct floor_state {
	int64_t start;
	uint32_t process;
	uint32_t file[FLOOR_PROCESSES]; /* of the process's previous record */
	int64_t cpu[FLOOR_PROCESSES];
	struct floor_file files[FLOOR_FILES];
};

static inline void floor_begin(struct floor_state *s)
{
	memset(s, 0xff, sizeof(*s)); /* nothing is what the one before had */
	memset(s->cpu, 0, sizeof(s->cpu));
	s->start = 0;
}

/* Whole lines to records; returns how many. `r` has room for them all. */
size_t floor_decode(struct floor_state *s, const char *text, const char *end, struct iot_record *r);

/* n records to lines; returns what is behind them. IOT_ENCODED_MAX bytes each are enough. */
char *floor_encode(struct floor_state *s, const struct iot_record *r, size_t n, char *text);

#endif
