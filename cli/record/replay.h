/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts what a collector has gathered: the entries of a spool become the events of a trace. */
#ifndef CLI_RECORD_REPLAY_H
#define CLI_RECORD_REPLAY_H

#include "ring_events.h"
#include "spool.h"

struct replay;

struct replay_options {
	uint64_t memory; /* for sorting */
	bool per_thread; /* threads have processIds of their own */
	const struct ring_events_options *events;
};

/* The arguments outlive it, except for `begin` and o. Returns NULL if out of memory. */
struct replay *replay_new(const struct spool_begin *begin, struct iot_writer *w,
			  const struct replay_options *o);
void replay_free(struct replay *r);
/*
 * Converts the next entry. Its data stays as it is until a SPOOL_STEP has been converted. Returns a
 * status, IOT_EFORMAT for an invalid entry.
 */
int replay_entry(struct replay *r, const struct spool_entry *e, const void *data);
/* Copies the data of entries since the last SPOOL_STEP, which need not stay. Returns the status. */
int replay_copy(struct replay *r);
/* Converts all events that wait for others. Returns the status. */
int replay_end(struct replay *r);
/* The sentence of the error; "" if the writer has it, or there is none. */
const char *replay_error(const struct replay *r);
uint64_t replay_late(const struct replay *r); /* as collector_late() */
const struct ring_events_totals *replay_totals(const struct replay *r);

#endif
