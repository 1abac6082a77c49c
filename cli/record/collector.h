/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The collector of a recording: finds processes and rings, drains the rings, sorts their events and
 * writes those before the watermark while the programs run.
 *
 *	until all processes have ended:  collector_step
 *	collector_finish
 *
 * With a spool it only gathers, and what it has gathered becomes the trace in collector_finish(),
 * or from the moment on when the spool is full.
 */
#ifndef CLI_RECORD_COLLECTOR_H
#define CLI_RECORD_COLLECTOR_H

#include "recording.h"
#include "ring_events.h"
#include "spool.h"

struct collector;

struct collector_options {
	uint64_t memory; /* for sorting */
	bool per_thread; /* threads have processIds of their own */
	struct ring_events_options events;
	struct spool *spool;             /* whose first entry is SPOOL_BEGIN; NULL: none */
	const struct spool_begin *begin; /* the same */
};

/*
 * Times of the trace count from the first sample of the clock, which has two. All arguments outlive
 * the collector. Returns NULL if out of memory.
 */
struct collector *collector_new(const struct recording *r, struct iot_writer *w,
				struct clock_map *clock, const struct collector_options *o);
void collector_free(struct collector *c);
/*
 * Continues the work of a collector that was killed, which began then, and whose spool has been
 * opened; nothing but collector_new() has been called before. Returns the status.
 */
int collector_resume(struct collector *c, uint64_t began);
/* Declares the first process, and the program that it runs. */
void collector_expect(struct collector *c, uint32_t pid, const char *program);
/*
 * Waits until a process has ended or fd is readable, but not for long, and collects. Returns the
 * status.
 */
int collector_step(struct collector *c, int fd);
/*
 * Passes the following events to another writer, between two steps: the next part of the trace. Not
 * with a spool.
 */
void collector_begin_part(struct collector *c, struct iot_writer *w);
/* See ring_events_keep(). Not with a spool. */
int collector_keep(struct collector *c, bool keep);
bool collector_part_has_times(const struct collector *c);
/* Returns whether a process of the recording still exists. */
bool collector_is_active(const struct collector *c);
/* Writes the remaining events. Returns the status. */
int collector_finish(struct collector *c);
/* The sentence of the error; "" if the writer has it, or there is none. */
const char *collector_error(const struct collector *c);
/* Number of records that arrived too late to be in order of start: asynchronous requests. */
uint64_t collector_late(const struct collector *c);
const struct ring_events_totals *collector_totals(const struct collector *c);

#endif
