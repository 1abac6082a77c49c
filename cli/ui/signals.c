/* SPDX-License-Identifier: BSD-2-Clause */
#include "signals.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct interrupt interrupt;
static volatile sig_atomic_t pending, stopped_by, waits, held;
/* Set before the handlers are installed. */
static volatile sig_atomic_t how_caught, has_temporary, speaks, on_terminal;

static const int caught[] = {SIGINT, SIGTERM, SIGHUP};

enum { CAUGHT = sizeof(caught) / sizeof(*caught) };

static atomic_bool progress_requested; /* without a lock, so that a handler may set it */

static struct sigaction inherited_pipe, inherited_xfsz, inherited_chld;
static sigset_t inherited_mask;

void signals_init(void)
{
	struct sigaction action;
	memset(&action, 0, sizeof(action));
	action.sa_handler = SIG_DFL;
	(void)sigaction(SIGCHLD, &action, &inherited_chld);
	action.sa_handler = SIG_IGN;
	(void)sigaction(SIGPIPE, &action, &inherited_pipe);
	(void)sigaction(SIGXFSZ, &action, &inherited_xfsz);
	(void)sigprocmask(SIG_BLOCK, NULL, &inherited_mask);
}

/* By system calls: glibc refuses the signals that it uses itself, from 32 to SIGRTMIN. */
static void set_own_signals(void (*handler)(int))
{
	const uint64_t action[4] = {(uintptr_t)handler}; /* as the kernel has it */
	for (int number = 32; number < SIGRTMIN; number++)
		(void)syscall(SYS_rt_sigaction, number, action, NULL, sizeof(uint64_t));
}

void signals_inherit(void)
{
	(void)sigaction(SIGPIPE, &inherited_pipe, NULL);
	(void)sigaction(SIGXFSZ, &inherited_xfsz, NULL);
	(void)sigaction(SIGCHLD, &inherited_chld, NULL);
	(void)sigprocmask(SIG_SETMASK, &inherited_mask, NULL);
	set_own_signals(SIG_DFL);
}

int signals_receive(void)
{
	sigset_t set;
	sigfillset(&set);
	sigdelset(&set, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	set_own_signals(SIG_IGN);
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static void say_waits(void)
{
	static const char erase[] = "\r\033[K";
	static const char text[] = "iotrace: interrupted: waits for the end of the input; "
				   "interrupt again (Ctrl-C) to stop reading\n";
	if (!speaks)
		return;
	if (on_terminal && write(STDERR_FILENO, erase, sizeof(erase) - 1) < 0)
		return;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		return;
}

/*
 * A signal that arrives after the last look at the request and before a call that blocks would
 * have no effect: another one follows each second, which ends such calls with EINTR.
 */
static void on_alarm(int number)
{
	(void)number;
	alarm(1);
}

static void request(enum interrupt_request what)
{
	interrupt.request = (sig_atomic_t)what;
	alarm(1);
}

static void end_at_once(int number)
{
	signal(number, SIG_DFL);
	raise(number);
}

static void on_signal(int number)
{
	if (how_caught == SIGNALS_PIPE && number == SIGINT && !waits &&
	    interrupt.request == INTERRUPT_NONE) {
		waits = 1;
		say_waits();
	} else if (how_caught != SIGNALS_FILES && interrupt.request == INTERRUPT_NONE) {
		stopped_by = number;
		request(INTERRUPT_DRAIN);
	} else if (how_caught == SIGNALS_PIPE && number == SIGHUP) {
		return; /* a shell and the kernel both report one hangup */
	} else if (pending == 0 && (has_temporary || held)) {
		pending = number;
		request(INTERRUPT_QUIT);
	} else if (!held) { /* a blocked write would never see the pending signal */
		end_at_once(number);
	}
}

static struct sigaction action_of(void (*handler)(int))
{
	struct sigaction action;
	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < CAUGHT; i++)
		sigaddset(&action.sa_mask, caught[i]);
	return action;
}

static void set_all(void (*handler)(int))
{
	const struct sigaction action = action_of(handler);
	struct sigaction old;
	for (size_t i = 0; i < CAUGHT; i++) {
		/* A signal ignored at startup (nohup) stays ignored. */
		if (sigaction(caught[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(caught[i], &action, NULL);
	}
}

static bool gets_temporary(const char *path)
{
	struct stat st;
	return strcmp(path, "-") != 0 && (stat(path, &st) != 0 || S_ISREG(st.st_mode));
}

void signals_catch(enum signals_how how, const char *output, bool quiet)
{
	how_caught = (sig_atomic_t)how;
	has_temporary = gets_temporary(output);
	on_terminal = isatty(STDERR_FILENO) == 1;
	speaks = on_terminal || !quiet;
	const struct sigaction repeated = action_of(on_alarm);
	sigaction(SIGALRM, &repeated, NULL);
	set_all(on_signal);
}

void signals_restore(void)
{
	set_all(SIG_DFL);
}

static void on_progress(int number)
{
	(void)number;
	atomic_store(&progress_requested, true);
}

void signals_catch_progress(void)
{
	struct sigaction action, old;
	memset(&action, 0, sizeof(action));
	action.sa_handler = on_progress;
	action.sa_flags = SA_RESTART;
	if (sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		(void)sigaction(SIGUSR1, &action, NULL);
}

bool signals_progress_requested(void)
{
	return atomic_load_explicit(&progress_requested, memory_order_relaxed) &&
	       atomic_exchange(&progress_requested, false);
}

struct interrupt *signals_interrupt(void)
{
	return &interrupt;
}

int signals_pending(void)
{
	return pending;
}

bool signals_cut(void)
{
	return atomic_load(&interrupt.cut);
}

int signals_ending(void)
{
	return pending != 0 ? pending : signals_cut() ? stopped_by : 0;
}

void signals_hold(bool hold)
{
	held = hold && has_temporary;
}

int signals_exit(int status)
{
	const int number = signals_ending();
	if (number == 0)
		return status;
	end_at_once(number);
	return 128 + number;
}
