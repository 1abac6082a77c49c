/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The times of files, summed by cause: each file is classified by how it is used, and the most
 * specific cause takes the times that it explains.
 */
#ifndef LIB_ANALYZE_FINDINGS_CAUSE_SUMS_H
#define LIB_ANALYZE_FINDINGS_CAUSE_SUMS_H

#include "finding.h"

enum cause {
	CAUSE_SYNC,
	CAUSE_LOCK,
	CAUSE_SLOW,
	CAUSE_OPEN_CLOSE,
	CAUSE_SMALL_FILES,
	CAUSE_NAMES,
	CAUSE_SEEK,
	CAUSE_TRUNCATED,
	CAUSE_LOOKUP,
	CAUSE_SHARED,
	CAUSE_RANDOM,
	CAUSE_MISALIGNED,
	CAUSE_REREAD,
	CAUSE_SMALL,
	CAUSES
};

/* What a cause costs: sums over files, before they are scaled. */
struct cause_sum {
	uint64_t ns, calls, files;
	struct max_rank file;
};

struct causes {
	const struct findings_source *from;
	struct cause_sum of[CAUSES];
	struct cause_sum small_files; /* a cause only if they are many */
	uint64_t synced_small_files;
	bool names_commit;         /* names change because of syncs */
	uint64_t data_ns, open_ns; /* of all files */
	uint64_t sync_writes;      /* to files opened with O_SYNC or O_DSYNC */
	uint64_t bulk_sync_ns;     /* of syncs that transfer much data */
	struct slow_sum slow;
};

/* Adds the times of all files. */
void cause_sums_add_files(struct causes *all);

#endif
