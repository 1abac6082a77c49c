/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The handler of SIGSYS makes no call: it lets the thread continue in the stub to which a jump
 * would have led. So a trapped call has the stack and the blocked signals of the program, can be
 * interrupted and cancelled, and may create processes.
 */
#include "stub_traps.h"

#include <errno.h>
#include <linux/audit.h>
#include <ucontext.h>

#include "patch.h"
#include "stub_signals.h"

#ifndef SYS_USER_DISPATCH
#define SYS_USER_DISPATCH 2
#endif

/* Returns the code that makes the call and continues at `back`, which the kernel puts in rcx. */
static uint64_t code_for(long number, uint64_t back)
{
	switch (number) {
	case SYS_rt_sigreturn:
		return (uint64_t)signals_return;
	case SYS_clone:
	case SYS_clone3:
	case SYS_fork:
	case SYS_vfork:
		return patch_trapped(back);
	default:
		return (uint64_t)stub_enter;
	}
}

/* The set of signals that rt_sigreturn is going to restore is on the stack. */
static void unblock_in_frame(uint64_t stack)
{
	uint64_t mask;
	void *const set = &((ucontext_t *)stack)->uc_sigmask;
	__builtin_memcpy(&mask, set, sizeof mask);
	mask &= ~(UINT64_C(1) << (SIGSYS - 1));
	__builtin_memcpy(set, &mask, sizeof mask);
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	greg_t *const r = ((ucontext_t *)context)->uc_mcontext.gregs;
	(void)signal;
	if (info->si_code != SYS_USER_DISPATCH) {
		signals_of_program(info, context);
		return;
	}
	if (info->si_arch != AUDIT_ARCH_X86_64) { /* as a kernel without calls of 32 bits */
		r[REG_RAX] = -ENOSYS;
		return;
	}
	if (info->si_syscall == SYS_rt_sigreturn)
		unblock_in_frame((uint64_t)r[REG_RSP]);
	const uint64_t code = code_for(info->si_syscall, (uint64_t)r[REG_RIP]);
	if (code == 0) {
		r[REG_RAX] = -EAGAIN;
		return;
	}
	r[REG_RCX] = r[REG_RIP];
	r[REG_RIP] = (greg_t)code;
}

/* The calls of valgrind itself would trap. */
void traps_begin(void)
{
	if (recording.control->seen == RECORD_TRAPS && !recording.in_valgrind)
		signals_begin(on_signal);
}
