/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ties physical records to logical ones: finds the logical record that caused each of them.
 *
 *	direct  same process, issued during a logical transfer; the sizes of all such records add up
 *	        to the size of the transfer
 *	flush   a write, same process, issued during its fsync or a write to a file opened with
 *	        O_SYNC: tied to the last write that the fsync covers
 *	map     extents show that the sectors are bytes of a file: a write is tied to the last
 *	        logical write of these bytes, a read to a logical read in progress, or to the next
 *	        one
 *	none    all others
 *
 * A time alone ties nothing. If extents show that the sectors belong to another file, neither
 * direct nor flush applies.
 */
#ifndef LIB_TIES_MATCH_H
#define LIB_TIES_MATCH_H

#include "extents.h"

#include "lib/base/idmap.h"

enum tie_kind { TIE_NONE, TIE_DIRECT, TIE_FLUSH, TIE_MAP, TIE_KINDS };
enum { TIE_READ, TIE_WRITE, TIE_DIRECTIONS };
enum { TIE_ACTIVE_MAX = 16 }; /* transfers of a process at a time */

/* What became of a physical record. */
struct tie {
	uint32_t logical; /* number of the logical record, from 1; 0: none */
	uint32_t row;     /* its file */
	uint32_t next;    /* of the same transfer; index + 1 */
	uint8_t kind;     /* enum tie_kind */
	bool merged;      /* it serves several logical records */
};

/* A file: an object, or one open if the trace has no objects. */
struct tie_row {
	uint32_t object, process, file;
	uint32_t last_write; /* number of a logical record; 0: none */
	bool mapped;         /* it has extents */
	uint64_t logical[TIE_DIRECTIONS], physical[TIE_DIRECTIONS]; /* bytes */
	uint64_t ahead, ahead_used; /* bytes read ahead, and bytes of them that were read later */
	uint64_t merged;            /* records that serve several logical ones */
};

struct tie_transfer {
	int64_t end_ns;
	uint64_t bytes, sum; /* its own; of physical records */
	uint32_t logical, row;
	uint32_t first; /* physical record; index + 1 */
	bool write, sync;
};

struct tie_process {
	struct tie_transfer active[TIE_ACTIVE_MAX];
	size_t count;
	int64_t crowded_ns;          /* until then, more transfers were active */
	int64_t flush_ns;            /* end of its last fsync */
	uint32_t flushed, flush_row; /* the write that this fsync covers */
	uint32_t last_write, last_row;
};

struct tie_open {
	uint32_t row;
	bool sync;
};

/* A block of an extent. */
struct tie_block {
	int64_t reader_ns; /* end of the last logical read */
	uint32_t writer, reader;
	uint32_t waiting; /* the physical record that read it before; index + 1 */
	uint32_t waiting_bytes;
};

struct tie_match {
	struct extents extents;
	struct idmap opens, rows, processes, blocks, disks;
	struct tie_open *open;
	struct tie_row *row;
	struct tie_process *process;
	struct tie_block *block;
	uint32_t *device; /* of each disk, + 1; 0: unknown */
	struct tie *tie;  /* of each physical record, in their order */
	size_t open_capacity, row_capacity, process_capacity, block_capacity, device_capacity;
	size_t tie_capacity, ties;
	uint32_t logical; /* number of logical records */
};

void tie_match_free(struct tie_match *m);
/*
 * Examines the next event; all extents have been added and sorted. Returns IOT_OK, IOT_ELIMIT if
 * there are too many records or blocks, or IOT_ENOMEM.
 */
int tie_match_event(struct tie_match *m, const struct iot_event *ev);
/* Call after the last event. */
void tie_match_end(struct tie_match *m);

#endif
