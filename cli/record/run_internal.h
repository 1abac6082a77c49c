/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of a run share. Functions that return an int return the exit status of the
 * command, and print what failed.
 */
#ifndef CLI_RECORD_RUN_INTERNAL_H
#define CLI_RECORD_RUN_INTERNAL_H

#include "run.h"

#include "cli/cmd.h"

static inline bool run_sends(const struct record_job *j)
{
	return j->transport == RECORD_PACKETS;
}

/* Events may be discarded, or go to a module. */
static inline bool run_is_live(const struct record_job *j)
{
	return j->live.path != NULL || j->live.analyses.count > 0 || j->live.discards;
}

/* run_output.c: the output */

bool run_has_file(const struct record_job *j);
/* Sets j->name to the name of -o, or to one that no file has. */
int run_choose_name(struct record_job *j);
/* j->name becomes the name of the next part. */
int run_name_part(struct record_job *j);
/* Opens j->name. */
int run_open_writer(struct record_job *j);
/* Opens j->name, or its first part. An older file only has to be one that can be opened. */
int run_open_output(struct record_job *j);
/* Opens j->name in place of an older file, if run_open_output has left that there. */
int run_open_over_older(struct record_job *j);
/* Returns the status, or another if it is EXIT_OK and the output cannot be completed. */
int run_close_output(struct record_job *j, int status);
/* A program that was not run has no trace. */
void run_remove_output(const struct record_job *j);
/* Removes a regular file. */
void run_remove_file(const char *path);

/* run_directive.c: %trace */

/* Checked before the program runs: %trace is written while it starts. */
bool run_variables_fit(const struct record_job *j);
/* Returns a status. The text of the directive is valid until the next call. */
int run_make_directive(const struct record_job *j, struct iot_event *ev);
int run_write_directive(struct record_job *j);

/* run_spool.c: the spool */

/* Without a spool the trace is written while programs run. */
int run_create_spool(struct record_job *j);
/* Keeps the spool if it has not been converted. */
void run_end_recording(struct record_job *j, int status);

/* run_disks.c: --blktrace */

int run_begin_disks(struct record_job *j);
void run_drain_disks(struct record_job *j);
void run_end_disks(struct record_job *j);
/* A program that was not run has no file of --blktrace. */
void run_remove_disks(const struct record_job *j);
/* The trace is complete. */
int run_tie_disks(struct record_job *j);

/* run_collect.c: the collector */

int run_receive_signals(struct record_job *j);
void run_pass_signals(struct record_job *j);
/*
 * Raises the limits of descriptors, as each traced process needs one, and of the size of files. The
 * program has inherited the old limits.
 */
void run_raise_limits(void);
/* Reports why shared memory is missing. */
int run_report_no_memory(int errnum);
int run_collect(struct record_job *j, struct collector *c);

/* run_library.c: the library that programs load */

/* Finds the library that programs load to be seen this way: enum record_seen. */
bool run_find_library(struct record_job *j, int seen);
/* Makes the tables of libc, or chooses the other way if that is impossible. */
int run_choose_seen(struct record_job *j);

/* run_join.c: --join */

/* Adds the program to the recording of another process, and waits until it ends. */
int run_add_program(struct record_job *j);

/* run_report.c: messages */

int run_failed(const char *what, int errnum);
int run_report_failure(const struct record_job *j, const struct collector *c);
int run_report_exec(const struct record_job *j, int errnum);
void run_report(const struct record_job *j);

#endif
