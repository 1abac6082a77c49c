/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Workflow I/O: files, by path, that one of several jobs wrote and another one read. A reader
 * counts with the bytes that it read before it wrote them itself, but at most with those that the
 * writer wrote; where times can be compared, only if the writer used the file before the reader's
 * last use.
 */
#ifndef CLI_ANALYZE_WORKFLOW_H
#define CLI_ANALYZE_WORKFLOW_H

#include "cli/ui/output.h"

#include "inputs.h"

enum {
	WORKFLOW_USES_MAX = 1 << 20,   /* of files by jobs */
	WORKFLOW_TEXT_MAX = 256 << 20, /* bytes of paths */
	WORKFLOW_FLOWS_MAX = 1 << 20,  /* from a job to another one */
	WORKFLOW_STEPS_MAX = 1 << 26   /* comparisons of two uses */
};

struct workflow_use;

struct workflow_flow {
	const char *writer, *reader; /* names of jobs */
	uint64_t files, bytes;
};

struct workflow_file {
	const char *path;
	size_t path_size;
	uint64_t writers, readers, bytes;
};

/* All zeros: no job. */
struct analyze_workflow {
	struct workflow_use *uses;
	size_t use_count, use_capacity;
	char *text; /* paths */
	size_t text_size, text_capacity;
	size_t jobs;
	uint64_t left_out; /* uses beyond a limit */
	bool limited;      /* too many flows or comparisons */
	/* after analyze_workflow_end: */
	struct workflow_flow *flows;
	size_t flow_count, flow_capacity;
	struct workflow_file *files;
	size_t file_count, file_capacity;
	uint64_t bytes;
};

/* Adds a job; its number counts earlier calls. These return IOT_OK or IOT_ENOMEM. */
int analyze_workflow_add(struct analyze_workflow *w, struct iot_analyze *job);
/* Finds what jobs read of others; `name` returns the name of a job. */
int analyze_workflow_end(struct analyze_workflow *w,
			 const char *(*name)(const void *jobs, size_t i), const void *jobs);
/* Prints the flows and files with most bytes, up to `top` of each. */
void analyze_workflow_text(const struct analyze_workflow *w, struct output *out, uint64_t top);
/* Returns the number of flows or files to show, of `count`. */
size_t workflow_shown(size_t count, uint64_t top);
/* Returns why the counts are a lower bound; "" if they are exact. */
const char *workflow_note(const struct analyze_workflow *w);
void analyze_workflow_free(struct analyze_workflow *w);

#endif
