/* SPDX-License-Identifier: BSD-2-Clause */
/* The job that %trace declares, and the number of its traces that have been joined. */
#ifndef LIB_ANALYZE_JOB_H
#define LIB_ANALYZE_JOB_H

#include <stdbool.h>

#include <iotrace/iotrace.h>

struct state;
struct values;

enum { JOB_TEXT_MAX = 4096 };

enum job_text { JOB_ID, JOB_USER, JOB_TEXTS };

/* All zeros: nothing is declared. */
struct job {
	char
	    *text[JOB_TEXTS]; /* percent-encoded; NULL: not declared, or longer than JOB_TEXT_MAX */
	uint64_t more;        /* traces joined to the first one */
};

/* These keep what was declared first, and return false if out of memory. */
bool job_define(struct job *j, const struct iot_event *trace);
bool job_join(struct job *j, const struct job *more);
void job_state(struct state *s, struct job *j);
/* Adds the values of section `trace`, which directives declare. */
void job_values(const struct job *j, struct values *v);
void job_free(struct job *j);

#endif
