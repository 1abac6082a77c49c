/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals that ask to end. A conversion looks at them between batches: so its temporary file is
 * gone, or its piped input finished, before the process is.
 */
#include "conversion.h"

#include <string.h>

static volatile sig_atomic_t stop_input, pending, is_gentle, leaves_nothing;

static const int caught[] = {SIGINT, SIGTERM, SIGHUP};

enum { CAUGHT = sizeof(caught) / sizeof(*caught) };

static void on_signal(int number)
{
	if (is_gentle && !stop_input) {
		stop_input = 1;
	} else if (!leaves_nothing && pending == 0) {
		pending = number;
		stop_input = 2; /* where one line does not end, there is no next batch */
	} else { /* a write to a pipe that nobody empties would never come to look at pending */
		signal(number, SIG_DFL);
		raise(number);
	}
}

static void set_all(void (*handler)(int))
{
	struct sigaction action, old;
	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < CAUGHT; i++) {
		/* Who started us with a signal ignored (nohup) wants it so. */
		if (sigaction(caught[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(caught[i], &action, NULL);
	}
}

void iot_signals_catch(bool gentle, const char *output)
{
	is_gentle = gentle;
	leaves_nothing = strcmp(output, "-") == 0;
	set_all(on_signal);
}

void iot_signals_restore(void)
{
	set_all(SIG_DFL);
}

int iot_signal_pending(void)
{
	return pending;
}

const volatile sig_atomic_t *iot_signal_stop(void)
{
	return &stop_input;
}
