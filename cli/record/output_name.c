/* SPDX-License-Identifier: BSD-2-Clause */
#include "output_name.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job.h"

struct name_values {
	char pid[16], host[HOST_NAME_MAX + 1];
	const char *rank, *job;
};

static const char *value_of(const struct name_values *v, char letter)
{
	switch (letter) {
	case 'p':
		return v->pid;
	case 'h':
		return v->host;
	case 'r':
		return v->rank;
	case 'j':
		return v->job;
	case '%':
		return "%";
	default:
		return NULL;
	}
}

static const char *refuse(char letter, char why[128])
{
	if (letter == 'r')
		return "%r: no variable of the environment has the rank in an MPI job";
	if (letter == 'j')
		return "%j: no variable of the environment has the number of a batch job";
	(void)snprintf(why, 128, "-o has %%%c, expected %%p, %%h, %%r, %%j or %%%%", letter);
	return why;
}

const char *output_name_expand(const char *pattern, pid_t pid, char *out, size_t capacity,
			       char why[128])
{
	char number[JOB_NUMBER];
	struct name_values v = {.rank = job_rank(), .job = job_number(number)};
	size_t n = 0;
	(void)snprintf(v.pid, sizeof(v.pid), "%ld", (long)pid);
	if (gethostname(v.host, sizeof(v.host) - 1) != 0)
		return "the name of the host is unknown";
	for (const char *p = pattern; *p != '\0'; p++) {
		const char letter[2] = {*p, '\0'};
		const char *text = letter;
		if (*p == '%') {
			text = value_of(&v, p[1]);
			if (text == NULL)
				return refuse(p[1], why);
			p++;
		}
		const size_t size = strlen(text);
		if (size >= capacity - n)
			return "the name of the trace is too long";
		memcpy(out + n, text, size + 1);
		n += size;
	}
	return n > 0 ? NULL : "the name of the trace is empty";
}

/* In containers the same program often has the same pid. */
void output_name_default(const char *program, pid_t pid, char *out, size_t capacity)
{
	enum { NAMES = 10000 };
	const char *slash = strrchr(program, '/');
	const char *base = slash != NULL ? slash + 1 : program;
	struct stat st;
	(void)snprintf(out, capacity, "%s.%ld.iot.zst", base, (long)pid);
	for (int i = 2; i < NAMES && lstat(out, &st) == 0; i++)
		(void)snprintf(out, capacity, "%s.%ld.%d.iot.zst", base, (long)pid, i);
}
