/* SPDX-License-Identifier: BSD-2-Clause */
/* A survey as files: csv, a state, and plots; the caller writes the report. */
#ifndef CLI_FSSTATS_SURVEY_OUT_H
#define CLI_FSSTATS_SURVEY_OUT_H

#include "cli/ui/options.h"

#include "survey_in.h"

struct survey_out {
	const char *csv, *state, *plots, *html; /* paths; NULL: none */
	const char *without;                    /* a key whose files a plot leaves out; or NULL */
	const char *key;                        /* a file with the secret of pseudonyms; or NULL */
	uint64_t top;                           /* keys that are shown */
	const struct command_spec *command;
};

/*
 * Finds the sums of o->without; *sums is NULL without this option. Returns EXIT_OK, or
 * EXIT_FAILED after a message.
 */
enum exit_status survey_out_without(const struct survey_out *o, const struct fs_survey *s,
				    const struct key_sums **sums);
/*
 * Writes the state, then counts files with links that were not found, and writes the other outputs.
 * Both functions return EXIT_OK, or the exit status after a message.
 */
enum exit_status survey_out_write(const struct survey_out *o, const struct survey_in *in);
/* Refuses outputs that would replace files of other kinds. checkpoint: another output, or NULL. */
enum exit_status survey_out_check(const struct survey_out *o, const char *checkpoint);

#endif
