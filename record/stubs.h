/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stubs: the code that jumps in libc lead to, in place of a syscall instruction. A stub finds its
 * own return address in a table, as the jump leaves none.
 */
#ifndef RECORD_STUBS_H
#define RECORD_STUBS_H

#include "call.h"

enum {
	STUB_SIZE = 32,   /* bytes of a stub of a known number */
	STUBS_SIZE = 512, /* bytes of a stub that may create a process */
	STUBS_ANY = 256,  /* stubs of STUBS_SIZE */
	STUBS = 1024,     /* the others, whose indices follow */
};

struct stub_frame;
/* Records a call that has returned `result`, which it returns. */
typedef long stub_end(const struct stub_frame *f, long result);

/* The stack of a stub: the registers at the call, in the order of its pushes. */
struct stub_frame {
	struct data_call call;
	long argument[6];
	long number;
	stub_end *end; /* NULL: the call was made, and recorded */
	/*
	 * NULL, or the function of libc that makes the call and may cancel the thread, and its
	 * state
	 */
	struct stub_cancel *cancel;
};

/*
 * From glibc 2.41 on, a thread is cancelled if it is interrupted in one function that makes calls.
 * So that is not changed, but calls to it lead to these, which call it.
 */
typedef long stub_cancellable(void *state, long number, long a, long b, long c, long d, long e,
			      long f);
struct stub_cancel {
	stub_cancellable *function;
	void *state;
};

enum { STUBS_CANCEL = 4 };
/* Returns a function that calls `function` and records the call; NULL if all are in use. */
stub_cancellable *stub_cancel_take(stub_cancellable *function);

extern const char stubs_first[], stubs_any_first[];
/* Records a call that may create no process; its number is in rax, where it continues in rcx. */
extern const char stub_enter[];
/*
 * For each of STUBS_ANY, STUB_SIZE bytes: space for RECORD_MOVED bytes of code, and a jump to it.
 */
extern const char stubs_moved_first[];

extern struct stub_site {
	uint64_t back; /* where the stub continues: after the instruction that it replaces */
	/* of the call, which the jump replaced; STUBS_ANY: or -1, the number in the register */
	int64_t number;
} stub_sites[STUBS_ANY + STUBS];

/*
 * Prepares the record of a call, which the stub makes next; then it calls f->end. Or makes the
 * call, records it, and returns its result. Processors predict returns from functions that the
 * kernel interrupts wrongly, so calls of which a program makes many are not made inside one.
 */
long stub_begin(struct stub_frame *f);
/*
 * Before a call that creates a process or thread. Returns whether stub_created() also has to follow
 * in the child, with 0.
 */
bool stub_creates(const struct stub_frame *f);
/* After it, in the parent. */
void stub_created(long result);

#endif
