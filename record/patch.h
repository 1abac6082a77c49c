/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces the system calls of I/O in a library by jumps to stubs. */
#ifndef RECORD_PATCH_H
#define RECORD_PATCH_H

#include <link.h>
#include <stdbool.h>

#include "ring.h"
#include "sites.h"

/* A library in memory. */
struct loaded_library {
	uint64_t base; /* what addresses of the file are relative to */
	const ElfW(Phdr) * segment;
	unsigned segment_count;
	uint8_t build_id[RECORD_BUILD_ID];
};

struct patch {
	int memory;   /* descriptor of /proc/self/mem; -1: not yet needed */
	bool written; /* text of the library was changed */
	bool reuses;  /* libraries may have been unloaded, so their stubs can be reused */
	/* changes of one page, which are written together: [first, last) are in `bytes` */
	uint64_t page, first, last;
	unsigned sites;                           /* with a jump among the changes */
	uint8_t bytes[RECORD_PAGE + RECORD_JUMP]; /* a jump may continue in the next page */
};

void patch_begin(struct patch *p, bool reuses);
/* Returns whether text was changed. Nobody may be running the code, but this thread. */
bool patch_library(struct patch *p, const struct loaded_library *l, const struct record_sites *s);
void patch_end(struct patch *p);
/* Returns a stub for a call that may create a process and continues at `back`; 0: none is free. */
uint64_t patch_trapped(uint64_t back);

#endif
