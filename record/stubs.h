/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stubs: the code that jumps in libc lead to, in place of a syscall instruction. A stub finds its own
 * return address in a table, as the jump leaves none.
 */
#ifndef RECORD_STUBS_H
#define RECORD_STUBS_H

#include <stdint.h>

enum {
	STUB_SIZE = 32,   /* bytes of a stub of a known number */
	STUBS_SIZE = 512, /* bytes of one that may be asked to create a process */
	STUBS = 384,
	STUBS_ANY = 64, /* those of STUBS_SIZE; their indices follow */
};

/* The registers at the call, in the order in which a stub pushes them. */
struct stub_frame {
	long argument[6];
	long number;
	uint64_t index; /* of the stub, in 32 bits */
};

extern const char stubs_first[], stubs_any_first[];
/* Where each stub continues: after the instruction that it replaces. */
extern uint64_t stubs_return[STUBS + STUBS_ANY];
/* The number of the call that a stub of STUBS_SIZE makes; -1: that in the register. */
extern int32_t stubs_number[STUBS_ANY];

/* What the jump to a stub of STUB_SIZE replaced: what set the number, or the first argument. */
struct stub_replaced {
	int32_t value;
	uint32_t is_argument;
};
extern struct stub_replaced stubs_replaced[STUBS];

/* Makes the call of a stub, records it, and returns its result. */
long stub_call(struct stub_frame *f);
/* Before a call that creates a process or thread, and after it, in the parent. */
void stub_creates(const struct stub_frame *f);
void stub_created(long result);

#endif
