/* SPDX-License-Identifier: BSD-2-Clause */
/* Jumps: out of a signal handler that interrupted a call, which then never returns. */
#include <dlfcn.h>
#include <setjmp.h>
#include <string.h>

#include "enter.h"

void __longjmp_chk(struct __jmp_buf_tag[1], int);

static void jump_begin(void)
{
	struct producer *p = &producer_self;
	if (p->ring == NULL || *recording.joined != p->joined)
		return;
	const uint64_t head = atomic_load(&p->ring->head);
	if (p->next != head) /* records that were not finished */
		atomic_fetch_add(&p->ring->dropped, 1);
	p->next = head;
	p->writing = 0;
	atomic_store(&p->ring->in_flight, 0);
}

/* The functions of libc, which the constructor finds: a signal handler must not search. */
static __typeof__(longjmp) *libc_longjmp, *libc_longjmp_chk;

static void find(const char *name, __typeof__(longjmp) **function)
{
	void *const found = *function == NULL ? dlsym(RTLD_NEXT, name) : NULL;
	if (found != NULL)
		memcpy(function, &found, sizeof found);
}

void jumps_find(void)
{
	find("longjmp", &libc_longjmp);
	find("__longjmp_chk", &libc_longjmp_chk);
}

void jumps_are_at(uint64_t longjmp_at, uint64_t longjmp_chk_at)
{
	memcpy(&libc_longjmp, &longjmp_at, sizeof libc_longjmp);
	memcpy(&libc_longjmp_chk, &longjmp_chk_at, sizeof libc_longjmp_chk);
}

static __attribute__((noreturn)) void jump(__typeof__(longjmp) **function,
					   struct __jmp_buf_tag environment[1], int value)
{
	jump_begin();
	if (*function == NULL) /* another constructor was first */
		jumps_find();
	(*function)(environment, value);
	__builtin_unreachable();
}

EXPORT void longjmp(struct __jmp_buf_tag environment[1], int value)
{
	jump(&libc_longjmp, environment, value);
}

/* The mask of signals is restored if the environment has one. */
ALIAS(_longjmp, longjmp);
ALIAS(siglongjmp, longjmp);

EXPORT void __longjmp_chk(struct __jmp_buf_tag environment[1], int value)
{
	jump(&libc_longjmp_chk, environment, value);
}
