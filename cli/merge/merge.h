/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges traces to one ordered stream.
 *
 *	shifts.c        which times are added to the times of inputs
 *	operands.c      what the operands are
 *	input_reader.c  reads the trace of an input while it is open
 *	input.c         an input, which may be closed and opened again
 *	merge.c         the stream of all events, and its output
 */
#ifndef CLI_MERGE_MERGE_H
#define CLI_MERGE_MERGE_H

#include <stdatomic.h>

#include <iotrace/filter.h>

#include "cli/ui/source_warnings.h"
#include "cli/ui/trace_in.h"

struct merge_shift {
	char *name; /* of a file or a host */
	int64_t by_ns;
	bool used, is_host;
};

enum shift_by { SHIFT_BY_FILE, SHIFT_BY_HOST };

struct merge_options {
	const struct command_spec *command;
	struct trace_in_options read;
	struct trace_out_options write;
	struct merge_shift *shifts;
	size_t shift_count;
	int shift_by; /* enum shift_by */
	bool keep_ids, join_paths, distinct_paths, reorder, verbose;
	const char **physical; /* inputs of physical records, which follow the operands */
	size_t physical_count;
	uint64_t memory; /* of all sorters */
};

struct merge_command;

struct merge_operand {
	struct merge_command *merge;
	const char *path;
	char display_name[256];
	bool again;               /* can be reopened */
	bool once;                /* can be read only once */
	struct iot_stream *chain; /* the stages that read it; NULL: not open */
	uint64_t delivered;       /* events */

	struct iot_source *source;
	struct iot_reader *reader;
	bool is_log;     /* not a trace */
	bool is_whole;   /* all of it was read */
	int64_t last_ns; /* start of its previous record */
	uint64_t tick_ns;
	bool lossy; /* the reader skipped damage */
	bool cut;   /* a signal ended it early */
};

/* How an input ended. */
struct merge_end {
	const struct merge_operand *input;
	char *sentence;
	uint64_t unverified; /* records of the damaged interval */
	bool damaged;
};

struct merge_command {
	const struct merge_options *options;
	struct merge_operand *inputs;
	const char **paths;
	size_t count;
	size_t open_max; /* inputs that may be open at the same time */
	bool opening;    /* only the first events are read */
	bool reported;   /* the error has been printed */
	bool refused;    /* ... and is one of the command line */
	bool unordered;  /* the error concerns an input not in order */
	bool damaged;
	size_t without_epoch;
	struct merge_end *end; /* of inputs, in the order of their ends */
	atomic_size_t ended;
	size_t end_reported;
	uint64_t total; /* bytes of all files */
	struct iot_writer *writer;
	struct iot_rounding rounding;
	struct progress progress;
};

/* Adds the value of --shift. Returns what is wrong with it, or NULL. */
const char *merge_add_shift(const struct option *opt, const char *value);

/* The shift of iot_merge_options. */
int merge_shift_input(void *context, size_t input, const char *host, int has_epoch,
		      int64_t *shift_ns);

/* The number of inputs that may be open: free descriptors, up to the limit of this process. */
size_t merge_open_max(const struct merge_options *o);

enum exit_status merge_take_operands(struct merge_command *m, char *const *paths);

/* The functions of the stage that reads a trace while its input is open. */
int merge_read_trace(void *context, struct iot_stream *self, struct iot_batch *b);
void merge_close_trace(void *context);

/* The functions of the stage of an input. */
int merge_read_input(void *context, struct iot_stream *self, struct iot_batch *b);
void merge_close_input(void *context);

/* The `ended` of iot_merge_options: keeps the message for the thread that writes. */
void merge_end_input(void *context, size_t input, int status, const char *sentence);

/* Prints the messages of the inputs that have ended. */
void merge_report_ends(struct merge_command *m);

/* Merges the files. */
enum exit_status merge_traces(const struct merge_options *o, char *const *paths, size_t count);

#endif
