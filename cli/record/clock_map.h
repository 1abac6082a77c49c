/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts times of a recording to nanoseconds of CLOCK_MONOTONIC. Ticks of the time stamp counter
 * are interpolated between samples of both clocks; the collector takes one each time it collects.
 */
#ifndef CLI_RECORD_CLOCK_MAP_H
#define CLI_RECORD_CLOCK_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/ring.h"

enum { CLOCK_SAMPLES = 1024 };

struct clock_sample {
	uint64_t ticks, ns;
};

struct clock_map {
	enum record_clock clock;
	size_t count;
	struct clock_sample sample[CLOCK_SAMPLES]; /* in order of time */
};

/* Returns whether the kernel itself uses the time stamp counter. */
bool clock_has_tsc(void);
/* Takes the first sample. */
void clock_map_start(struct clock_map *m, enum record_clock clock);
/* Takes a sample, unless the last one is recent. Call it once before the first conversion. */
void clock_map_sample(struct clock_map *m);
/* Adds a sample that was taken elsewhere, if it is later than the last one. */
void clock_map_add(struct clock_map *m, struct clock_sample sample);
/* The time now, in units of the recording's clock. */
uint64_t clock_map_now(const struct clock_map *m);
/* Returns the number of units in this many nanoseconds. */
uint64_t clock_map_units(const struct clock_map *m, uint64_t ns);
/* Converts a time. Later times never become earlier ones until the next sample. */
uint64_t clock_map_ns(const struct clock_map *m, uint64_t time);

#endif
