/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The places in libc and ld.so where system calls of I/O are made, which a process replaces by
 * jumps to stubs of its own. `iotrace record` writes them to the file `recording`.
 */
#ifndef RECORD_SITES_H
#define RECORD_SITES_H

#include <stddef.h>
#include <stdint.h>

#define RECORD_SITES_MAGIC UINT64_C(0x3453455449534552) /* "RESITES4" */

enum {
	RECORD_BUILD_ID = 20,    /* bytes of a build id */
	RECORD_SITES_MAX = 1024, /* of one library */
	RECORD_JUMP = 5,         /* bytes of a jump with a distance of 32 bits */
	RECORD_SYSCALL = 2,      /* bytes of the instruction */
	RECORD_MOVED = 24,       /* bytes of instructions that are moved, at most */
};

/* How the jump to a stub fits. */
enum record_site_method {
	RECORD_SITE_NUMBER,  /* in place of mov $number,%eax, before the instruction */
	RECORD_SITE_PADDING, /* in bytes between functions, to which the instruction jumps */
	RECORD_SITE_MOVED,   /* in place of an instruction that is moved, with those after it */
	RECORD_SITE_CALL,    /* a call of the function that contains the instruction */
};

struct record_site {
	uint32_t at;   /* of the syscall instruction, from the start of the library */
	uint32_t jump; /* where the jump to the stub goes */
	/* NUMBER: the number; MOVED: the sum of the bytes; CALL: how far into its function */
	uint32_t value;
	uint8_t method;                /* enum record_site_method */
	uint8_t original[RECORD_JUMP]; /* the bytes at `jump` */
	uint8_t padding[2];
};

struct record_sites {
	uint64_t magic; /* RECORD_SITES_MAGIC */
	uint8_t build_id[RECORD_BUILD_ID];
	uint32_t count;
	uint32_t missed;               /* sites of I/O that no method fits */
	uint32_t is_libc;              /* 1: it has the calls that all programs make */
	uint32_t longjmp, longjmp_chk; /* of libc: where these functions are; 0: unknown */
	struct record_site site[];
};

/* Returns a sum by which changed instructions are found. */
static inline uint32_t record_sites_sum(const uint8_t *code, size_t size)
{
	uint32_t sum = 2166136261;
	for (size_t i = 0; i < size; i++)
		sum = (sum ^ code[i]) * 16777619;
	return sum;
}

/* Returns how many bytes a table of some sites takes. */
static inline size_t record_sites_size(uint32_t count)
{
	return (sizeof(struct record_sites) + count * sizeof(struct record_site) + 7) & ~(size_t)7;
}

#endif
