/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by reuse.c, which counts, and reuse_state.c, which saves and loads. */
#ifndef LIB_ANALYZE_REUSE_INTERNAL_H
#define LIB_ANALYZE_REUSE_INTERNAL_H

#include "reuse.h"

/* States of bytes in a map. */
enum byte_use {
	USE_NONE,
	USE_READ,            /* only read */
	USE_WRITTEN,         /* only written */
	USE_READ_WRITTEN,    /* first read; written since it was last read */
	USE_READ_READ,       /* first read, and written; read since then */
	USE_WRITTEN_WRITTEN, /* first written, and read; written since then */
	USE_WRITTEN_READ,    /* first written; read since it was last written */
	USES
};

/* Rounds the ranges of all files if there are too many. Returns false if out of memory. */
bool reuse_limit(struct reuse *r);

#endif
