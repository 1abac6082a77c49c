/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of a repaired trace: the lines of the kept intervals, each after a %sync that declares
 * its position. A reader in recovery mode, without verification, detects the gaps from it.
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

	size_t next;                /* the next interval */
	const struct interval *now; /* or NULL */
	struct raw_item piece;
	bool ended, any;
	char made[512]; /* generated lines */
	size_t made_size, made_at;
};

/* An iot_read_fn; the context is the source, in which raw, intervals, header and base are set. */
ssize_t repair_source_read(void *feed, void *buffer, size_t size);

static inline bool repair_source_keeps(const struct interval *e)
{
	return e->disposition == DISPOSITION_KEPT || e->disposition == DISPOSITION_UNVERIFIED;
}

#endif
