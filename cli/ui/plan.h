/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plans: text with a line %part for each task, which says what bytes of which traces to read. A
 * line is a part of one trace, or several whole traces.
 */
#ifndef CLI_UI_PLAN_H
#define CLI_UI_PLAN_H

#include <stdio.h>

#include "output.h"
#include "trace_in.h"

enum { PLAN_LINES_MAX = 1000000 };

/* A trace that a line names. */
struct plan_trace {
	char *path;
	uint64_t size, id;
};

struct plan_part {
	struct plan_trace *traces;
	size_t count;
	bool physical;          /* the traces have physical records and no others */
	uint64_t k, n;          /* the line is part k of n; n 0: whole traces */
	struct iot_range range; /* unless n is 0 */
	char *header, *next;    /* texts of the range, if they belong to the line; or NULL */
};

/* A plan that is being read. */
struct plan_in {
	const char *path; /* escaped by messages; "-": standard input */
	FILE *file;
	char *line;
	size_t capacity;
	uint64_t lines; /* read so far */
};

/* Return EXIT_OK, or EXIT_FAILED after a message. */
enum exit_status plan_open(struct plan_in *in, const char *path);
/* Reads the next line; *got: there was one. */
enum exit_status plan_next(struct plan_in *in, struct plan_part *part, bool *got);
void plan_close(struct plan_in *in);
/* Reads line k, from 1, of a plan. */
enum exit_status plan_read(struct plan_part *part, const char *path, uint64_t k);
void plan_part_free(struct plan_part *part);
/* Returns the paths of the traces, an array to be freed; NULL if out of memory. */
char **plan_paths(const struct plan_part *part);

/* Writes a line. */
enum exit_status plan_write(struct output *out, const struct plan_part *part);

/* Compares the traces of a line with several with the files. */
enum exit_status plan_check_traces(const struct plan_part *part, const struct trace_in_options *o,
				   const struct command_spec *command);

/* What a command has of a plan: its options, and the part that they choose. */
struct plan_options {
	const char *file; /* --plan; or NULL */
	uint64_t k;       /* --part; 0: not given */
	struct plan_part part;
};

/* clang-format off */
#define OPTION_PLAN(p)                                                                             \
	OPTION(STRING, 0, "plan", "FILE", &(p).file,                                              \
	       "read the part of a trace that a line of FILE states; see iotrace parts"),         \
	RANGE(NUMBER, 0, "part", "K", &(p).k, "the number of the line of --plan", 1,              \
	      PLAN_LINES_MAX)
/* clang-format on */

/*
 * Applies --plan and --part to a command that reads one input: *path becomes the path of the trace
 * unless it is given, and "-" has the bytes of the part alone.
 */
enum exit_status plan_choose(struct plan_options *p, const char **path, struct trace_in_options *o,
			     const struct command_spec *command);

#endif
