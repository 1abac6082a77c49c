/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What repair keeps, as the text of a trace: the lines of the intervals kept, each behind a %sync
 * that tells where it belongs. A reader told to recover, and not to verify, finds the gaps by that.
 */
#ifndef CLI_REPAIR_REPAIR_SOURCE_H
#define CLI_REPAIR_REPAIR_SOURCE_H

#include "lib/format/framing.h"
#include "lib/verify/intervals.h"
#include "lib/verify/raw_lines.h"

struct repair_source {
	struct raw_lines *raw;
	const struct intervals *intervals;
	struct header_directive header;
	unsigned base;

	size_t next;                /* interval to come */
	const struct interval *now; /* or NULL */
	struct raw_item piece;
	bool ended, any;
	char made[512]; /* lines of our own */
	size_t made_size, made_at;
};

/* iot_read_fn; the context is the feed, in which raw, intervals, header and base are set. */
ssize_t repair_source_read(void *feed, void *buffer, size_t size);

static inline bool repair_source_keeps(const struct interval *e)
{
	return e->disposition == DISPOSITION_KEPT || e->disposition == DISPOSITION_UNVERIFIED;
}

#endif
