/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "die.h"

enum { TEMPORARY_MAX = 1024 };

static const char *temporary[TEMPORARY_MAX];
static volatile sig_atomic_t temporaries;

void temporary_remove(void)
{
	while (temporaries > 0)
		unlink(temporary[--temporaries]);
}

void temporary_keep(void)
{
	temporaries = 0;
}

static void on_signal(int number)
{
	temporary_remove();
	signal(number, SIG_DFL);
	raise(number);
}

void temporary_add(const char *path)
{
	if (temporaries == TEMPORARY_MAX)
		die("%s: too many files, expected at most %d", path, TEMPORARY_MAX);
	if (temporaries == 0) {
		signal(SIGINT, on_signal);
		signal(SIGTERM, on_signal);
		signal(SIGHUP, on_signal);
	}
	temporary[temporaries] = path;
	temporaries++;
}

static _Noreturn void leave(void)
{
	temporary_remove();
	exit(1);
}

void die(const char *format, ...)
{
	va_list arguments;
	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	leave();
}

void die_errno(const char *path, const char *action)
{
	die("%s: %s: %s", path, action, strerror(errno));
}
