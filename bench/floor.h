/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The minimal work to read and write hexadecimal lines: the baseline for a checked library. Process
 * and file numbers have to be small, times whole microseconds, records logical.
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
	memset(s, 0xff, sizeof(*s)); /* no field is inherited from the previous record */
	memset(s->cpu, 0, sizeof(s->cpu));
	s->start = 0;
}

/* Decodes whole lines; returns the number of records. `r` has capacity for all of them. */
size_t floor_decode(struct floor_state *s, const char *text, const char *end, struct iot_record *r);

/* Encodes n records; returns the end of the text. Reserve IOT_ENCODED_MAX bytes for each. */
char *floor_encode(struct floor_state *s, const struct iot_record *r, size_t n, char *text);

#endif
