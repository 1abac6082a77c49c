/* SPDX-License-Identifier: BSD-2-Clause */
#include "forward.h"

#include <signal.h>
#include <stdint.h>
#include <sys/signalfd.h>
#include <unistd.h>

static sigset_t stop_signals(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGTTIN);
	sigaddset(&set, SIGTTOU);
	return set;
}

/* Timers that the caller set before exec continue in this process, but not in its child. */
static bool is_timer(uint32_t number)
{
	return number == SIGALRM || number == SIGVTALRM || number == SIGPROF;
}

/* The kernel signals limits to this process alone, and the keys of a terminal to both. */
static bool is_for_program(const struct signalfd_siginfo *s, pid_t program)
{
	if (s->ssi_code == SI_KERNEL)
		return is_timer(s->ssi_signo);
	return s->ssi_pid != (uint32_t)getpid() && s->ssi_pid != (uint32_t)program;
}

static void pass(const struct signalfd_siginfo *s, pid_t program)
{
	const int number = (int)s->ssi_signo;
	const union sigval value = {.sival_ptr = (void *)(uintptr_t)s->ssi_ptr};
	if (s->ssi_code == SI_QUEUE)
		(void)sigqueue(program, number, value);
	else
		(void)kill(program, number);
}

/* The kernel does not stop processes that no shell would continue. */
static void stop(int number)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, number);
	(void)raise(number);
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
}

static bool ends(uint32_t number)
{
	return number == SIGINT || number == SIGQUIT || number == SIGTERM || number == SIGHUP;
}

bool forward_signals(int signals, pid_t program)
{
	const sigset_t stops = stop_signals();
	struct signalfd_siginfo s;
	bool end = false;
	while (read(signals, &s, sizeof(s)) == (ssize_t)sizeof(s)) {
		if (program != 0 && is_for_program(&s, program))
			pass(&s, program);
		if (sigismember(&stops, (int)s.ssi_signo) == 1)
			stop((int)s.ssi_signo);
		end = end || (program == 0 && ends(s.ssi_signo));
	}
	return end;
}

void forward_end(int signals)
{
	const sigset_t set = stop_signals();
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
	if (signals >= 0)
		(void)close(signals);
}
