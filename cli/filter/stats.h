/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The counts of stat: rows of statistics by file, object or process. A file here is a fileId of a
 * process, one open; an object is the same file in the whole trace.
 */
#ifndef CLI_FILTER_STATS_H
#define CLI_FILTER_STATS_H

#include "lib/base/idmap.h"

#include <iotrace/iotrace.h>

#include "operations.h"
#include "size_classes.h"

enum { STATS_NAMES_MAX = 1 << 28 }; /* bytes */

struct io_counters {
	uint64_t opens; /* by %op */
	uint64_t files; /* fileIds seen */
	uint64_t reads, writes, read_bytes, written_bytes, io_ns;
	uint64_t timed;      /* I/Os whose duration is known, of which io_ns is the sum */
	uint64_t followers;  /* I/Os with a previous one in their file */
	uint64_t placed;     /* ... whose distance from it is known */
	uint64_t sequential; /* ... of these, those that begin where that one ended */
	uint64_t same_size;  /* followers of the same size */
	struct sizes sizes;  /* the last member: all others are counters */
};

struct stats_row {
	struct io_counters counters;
	uint32_t process, file, object; /* 0 if the row combines several or none */
	uint64_t rank;                  /* of its process, + 1; 0: unknown */
	int64_t first_ns, last_ns;      /* starts of its first and its last I/O */
	char *name; /* of a process, the path of an open, or from an %op alone; or NULL */
	uint32_t name_size;
	bool named; /* the name is not from an %op alone */
	bool dated; /* first_ns and last_ns are known */
};

enum stats_by { BY_FILE, BY_PROCESS, BY_OBJECT };

struct opened {
	uint32_t row;                /* number + 1; 0: none yet */
	bool active;                 /* had an I/O */
	bool unknown, first_unknown; /* offset: of its last I/O, of its first */
	uint32_t object;
	uint64_t end, length; /* of its previous I/O */
	/* State that joining with earlier events requires: */
	uint32_t first_row, first_io_row; /* number + 1, in which it had its first I/O */
	uint64_t first_offset, first_length;
};

struct stats {
	enum stats_by by;
	bool physical;   /* count physical records, not logical ones */
	bool failed;     /* out of memory */
	bool layers;     /* a %trace declares several: each has the same I/O */
	bool no_offsets; /* lacks=offset */
	uint64_t left_out;
	uint64_t counters;              /* %counter */
	uint64_t file_counters;         /* ... about one file */
	uint64_t names_size, names_max; /* bytes of names in rows; 0: STATS_NAMES_MAX */
	uint64_t unnamed;               /* names beyond that limit */

	struct stats_row *rows;
	size_t row_count, row_capacity;
	struct idmap opened_map; /* (process, file) */
	struct opened *opened;
	size_t opened_capacity;
	struct idmap group_map; /* objects or processes */
	uint32_t *group_rows;   /* number + 1 */
	size_t group_capacity;
	struct idmap rank_map; /* processes */
	uint64_t *ranks;       /* + 1 */
	size_t rank_capacity;
	struct sizes sizes; /* the totals of all rows */
	struct operations operations;
};

void stats_events(struct stats *t, const struct iot_event *ev, size_t n);
/*
 * Adds the statistics of the following events, which the call consumes. Returns false if out of
 * memory.
 */
bool stats_join(struct stats *t, struct stats *more);
/* Sorts rows by bytes, largest first; *total becomes the sum of all. */
void stats_finish(struct stats *t, struct io_counters *total);
void stats_free(struct stats *t);

#endif
