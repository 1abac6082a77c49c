/* SPDX-License-Identifier: BSD-2-Clause */
#include "stub_signals.h"

#include <errno.h>
#include <sys/prctl.h>
#include <ucontext.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH /* since Linux 5.11 */
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

enum { SA_OF_KERNEL = 0x04000000 /* SA_RESTORER */, SET_SIZE = 8 };

#define SELF (UINT64_C(1) << (SIGSYS - 1))

/* As the kernel has it. */
struct action {
	void (*handler)(int, siginfo_t *, void *);
	uint64_t flags;
	void (*restorer)(void);
	uint64_t mask;
};

/* Ours, on the alternate stack, as some stacks of a program are small; and the program's. */
static struct action ours = {.flags = SA_SIGINFO | SA_ONSTACK | SA_OF_KERNEL,
			     .restorer = signals_return,
			     .mask = UINT64_MAX};
static struct action of_program;

/* The kernel reads it at each call of other code, which it makes without a signal if this is 0. */
static _Thread_local volatile char selector __attribute__((tls_model("initial-exec")));

/* This library. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _etext[] __attribute__((visibility("hidden")));

__asm__(".text\n"
	".globl signals_return\n"
	".hidden signals_return\n"
	"signals_return:\n"
	"	movl $15, %eax\n"
	"	syscall\n");

static long set_action(const struct action *new, struct action *old)
{
	return raw_call(SYS_rt_sigaction, SIGSYS, (long)new, (long)old, SET_SIZE, 0, 0);
}

static void set_mask(int how, uint64_t mask)
{
	raw_call(SYS_rt_sigprocmask, how, (long)&mask, 0, SET_SIZE, 0, 0);
}

static bool set_up(struct action *old)
{
	selector = 1;
	const long begin = (long)__ehdr_start, end = (long)_etext;
	if (raw_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, 1, begin, end - begin,
		     (long)&selector, 0) != 0)
		return false;
	set_action(&ours, old);
	set_mask(SIG_UNBLOCK, SELF);
	return true;
}

void signals_begin(void (*handler)(int, siginfo_t *, void *))
{
	ours.handler = handler;
	recording.traps = set_up(&of_program);
}

void signals_continue(void)
{
	if (!set_up(NULL))
		recording_count(RECORD_COUNTER_SITES, 1);
}

void signals_of_program(siginfo_t *info, void *context)
{
	static const struct action by_default = {.handler = NULL};
	const struct action a = of_program;
	uint64_t mask;
	if (a.handler == (void *)SIG_IGN && info->si_code <= 0)
		return;
	if (a.handler == (void *)SIG_DFL || a.handler == (void *)SIG_IGN) {
		const long pid = raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0),
			   tid = raw_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
		set_action(&by_default, NULL);
		raw_call(SYS_tgkill, pid, tid, SIGSYS, 0, 0, 0); /* when this handler returns */
		return;
	}
	if ((a.flags & SA_RESETHAND) != 0)
		of_program = by_default;
	__builtin_memcpy(&mask, &((ucontext_t *)context)->uc_sigmask, sizeof mask);
	set_mask(SIG_SETMASK, (mask | a.mask) & ~SELF);
	a.handler(SIGSYS, info, context);
}

/*
 * If the call of this function trapped, it would be made elsewhere, where the thread is not
 * cancelled. A signal handler may block SIGSYS meanwhile and leave by a jump.
 */
long stub_pass_cancel(const struct stub_frame *f)
{
	const long *const a = f->argument;
	selector = 0;
	const long result =
	    f->cancel->function(f->cancel->state, f->number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (recording.traps) {
		set_mask(SIG_UNBLOCK, SELF);
		selector = 1;
	}
	return result;
}

/* Calls of the program */

/* A child of vfork has signals of its own, but its state is here. */
static bool is_ours(void)
{
	return recording.traps && !producer_self.vforked;
}

long stub_pass_unblocked(const struct stub_frame *f, int argument)
{
	const uint64_t *const given = (const uint64_t *)f->argument[argument];
	if (!is_ours() || given == NULL || (*given & SELF) == 0)
		return stub_pass(f);
	struct stub_frame with = *f;
	const uint64_t mask = *given & ~SELF;
	with.argument[argument] = (long)&mask;
	return stub_pass(&with);
}

static long on_mask_first(const struct stub_frame *f)
{
	return stub_pass_unblocked(f, 0);
}

static long on_mask_second(const struct stub_frame *f)
{
	return stub_pass_unblocked(f, 1);
}

static long on_mask_fourth(const struct stub_frame *f)
{
	return stub_pass_unblocked(f, 3);
}

static long on_mask_fifth(const struct stub_frame *f)
{
	return stub_pass_unblocked(f, 4);
}

/* The last argument points to a pointer to the set, and its size. */
static long on_mask_pointer(const struct stub_frame *f)
{
	const struct {
		const uint64_t *mask;
		uint64_t size;
	} *const given = (const void *)f->argument[5];
	if (given == NULL || given->mask == NULL)
		return stub_pass(f);
	struct stub_frame with = *f;
	const uint64_t mask = *given->mask & ~SELF;
	__typeof__(*given) changed = {&mask, given->size};
	with.argument[5] = (long)&changed;
	return stub_pass(&with);
}

static long swap_action(const struct action *new, struct action *old)
{
	const struct action before = of_program;
	if (new != NULL)
		of_program = *new;
	if (old != NULL)
		*old = before;
	return 0;
}

static long on_action(const struct stub_frame *f)
{
	const struct action *const new = (const struct action *)f->argument[1];
	if (f->argument[3] == SET_SIZE && f->argument[0] == SIGSYS)
		return swap_action(new, (struct action *)f->argument[2]);
	if (new == NULL)
		return stub_pass(f);
	struct stub_frame with = *f;
	struct action changed = *new;
	changed.mask &= ~SELF;
	with.argument[1] = (long)&changed;
	return stub_pass(&with);
}

/* A program that uses the same has to do without. */
static long on_prctl(const struct stub_frame *f)
{
	return f->argument[0] == PR_SET_SYSCALL_USER_DISPATCH ? -EINVAL : stub_pass(f);
}

stub_handler *stub_signal(long number)
{
	if (!is_ours())
		return NULL;
	switch (number) {
	case SYS_rt_sigsuspend:
		return on_mask_first;
	case SYS_rt_sigprocmask:
		return on_mask_second;
	case SYS_ppoll:
		return on_mask_fourth;
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
		return on_mask_fifth;
	case SYS_pselect6:
	case SYS_io_pgetevents:
		return on_mask_pointer;
	case SYS_rt_sigaction:
		return on_action;
	case SYS_prctl:
		return on_prctl;
	default:
		return NULL;
	}
}
