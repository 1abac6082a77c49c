/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The libcachesim converter:
 *     libcachesim.c  converts requests to events
 *     layout.c       the layouts of requests, and how they are detected
 */
#ifndef CONVERTERS_LIBCACHESIM_LIBCACHESIM_H
#define CONVERTERS_LIBCACHESIM_LIBCACHESIM_H

#include <string.h>

#include "converters/emit.h"

#include "lib/base/idmap.h"

enum {
	LCS_ITEM_MAX = 512,      /* bytes of a request */
	LCS_HEADER_MAX = 8192,   /* bytes of the header of lcs */
	LCS_FILES_MAX = 1 << 22, /* objects of --block */
	LCS_DIRECTIVE = 4096,
};

/* A little-endian number of a request; its size is 0 if the layout does not have it. */
struct lcs_field {
	uint16_t at;
	uint8_t size;
};

enum lcs_ops { LCS_NO_OPS, LCS_CACHE_OPS, LCS_SCSI_OPS };

/* How the requests of a file are stored. */
struct lcs_layout {
	const char *name;
	uint32_t header, item; /* bytes */
	struct lcs_field time, id, size, op, tenant, next;
	enum lcs_ops ops;
	uint32_t tick_ns;  /* unit of the time */
	uint64_t requests; /* as the header declares; 0 if it does not */
	bool scsi_blocks;  /* the id is a block of a disk */
};

/* Reads a number; eight bytes must be readable. */
static inline uint64_t lcs_load(const unsigned char *item, struct lcs_field f)
{
	uint64_t v;
	memcpy(&v, item + f.at, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return f.size == 8 ? v : v & ((UINT64_C(1) << 8 * f.size) - 1);
}

/* Sets the layout of that name. Returns false if there is none without a header. */
bool lcs_layout_named(struct lcs_layout *l, const char *name);
/*
 * Detects the layout from the first bytes of a file. Returns bits of evidence, 0 if it is unknown;
 * *error is set if it is a header that is not valid.
 */
int lcs_layout_detect(struct lcs_layout *l, const char *head, size_t size, struct error *error);

/* Commands of SCSI. */
bool lcs_is_transfer(uint64_t command);
bool lcs_is_write(uint64_t command);

#endif
