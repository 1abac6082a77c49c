/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface of the converters: one const struct converter per foreign format, listed in
 * registry.c. A new format is one new converter and one line there.
 *
 * Input: the members that the paths of the user name (a file, several files, the files of a
 * directory or tar, standard input), decompressed (input/).
 *
 * Source: one conversion, with its input, options and report (report.c).
 */
#ifndef CONVERTER_H
#define CONVERTER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/source.h>

#include "lib/base/error.h"
#include "lib/io/bufreader.h"

/* Input */

struct input;

enum { INPUT_HEAD_SIZE = 65536 }; /* bytes at the start of each member that sniff may inspect */

/*
 * All paths are parts of ONE input: files (uncompressed, or compressed with gzip, bzip2, xz, zstd,
 * lz4), tars of such files, directories (their regular files at any depth, sorted by name), "-".
 * Members of a tar are stored in an unlinked temporary file. Returns NULL with *error set if a path
 * cannot be read. `interrupt` may be NULL; it interrupts all operations early, see
 * lib/base/interrupt.h.
 */
struct input *input_new(const char *const *paths, size_t count, struct interrupt *interrupt,
			struct error *error);
void input_free(struct input *in);

size_t input_count(const struct input *in);
/* Returns the path of a member, or the tar's path + '/' + name. */
const char *input_name(const struct input *in, size_t member);
/*
 * Returns the first decompressed bytes of a member, at most INPUT_HEAD_SIZE. They are valid until
 * input_free().
 */
const char *input_head(struct input *in, size_t member, size_t *size);
/* Returns true if a member starts like an iotrace trace. */
bool input_is_trace(struct input *in, size_t member);
/*
 * Returns IOT_OK, or the reason (out of memory, disk error) why a requested head was not read
 * completely.
 */
const struct error *input_unseen(const struct input *in);
/*
 * Opens a member for reading from its start. The caller frees the bufreader before the input.
 * Standard input and pipes can be opened once, other members any number of times. Returns NULL with
 * *error set.
 */
struct bufreader *input_open(struct input *in, size_t member, struct error *error);
bool input_again(const struct input *in);       /* all members can be opened again */
bool input_is_piped(const struct input *in);    /* a member is a pipe, which may block */
uint64_t input_skipped(const struct input *in); /* links and devices in directories and tars */
/* Sets the size of single reads, for bufreaders opened from now on. Tests use 1 and 17. */
void input_set_read_size(struct input *in, size_t read_size);
/* Reports the bytes read from disk so far and their total; *total is 0 if unknown. */
void input_progress(const struct input *in, uint64_t *done, uint64_t *total);

/* The stored bytes of a member, for a reader of traces, which decompresses them itself. */
struct stored_bytes {
	int fd;           /* the caller closes it; -1: none, see input_open */
	bool is_file;     /* a regular file, at its first byte; otherwise a pipe, ... */
	const char *head; /* of which this much was read; valid until input_free */
	size_t head_size;
};

/* Instead of input_open. Returns a status, with *error set unless it is IOT_OK. */
int input_stored(struct input *in, size_t member, struct stored_bytes *b, struct error *error);

/*
 * A reader on a member that is a trace, whose facts and seeks refer to its stored bytes. The
 * caller frees it after the reader and before the input. Returns NULL with *error set, unless the
 * reader has an error.
 */
struct trace_member;

struct trace_member *trace_member_open(struct input *in, size_t member, struct iot_reader *r,
				       struct interrupt *interrupt, struct error *error);
void trace_member_free(struct trace_member *t);

/* Report: what a conversion counted. Names have dots: "hidden.io_uring". */

enum {
	REPORT_COUNTS = 96,
	REPORT_EXAMPLES = 5,
	REPORT_DIFFERENCES = 20,
	REPORT_NOTES = 20,
};

struct report {
	uint64_t lines, calls, records, unparsed;
	uint64_t record_bytes; /* sum of record lengths, if the source counts skipped bytes */
	uint64_t differences_found, notes_made; /* totals; only the first ones are stored below */
	size_t counts, examples, differences, notes;
	struct iot_source_count count[REPORT_COUNTS];       /* names are string literals */
	struct iot_source_example example[REPORT_EXAMPLES]; /* the first unparsed positions */
	struct iot_source_difference difference[REPORT_DIFFERENCES];
	char note[REPORT_NOTES][256];
};

void report_add(struct report *r, const char *name, uint64_t n);
/* Counts one unparsed position and stores the first few. */
void report_unparsed(struct report *r, const char *member, uint64_t line, const char *text,
		     size_t size);

/* Reports that a total of the records differs from the total that the source states (--check). */
void report_differs(struct report *r, const char *where, const char *what, uint64_t source_says,
		    uint64_t converted);
/*
 * Adds a sentence for the user, printed as a warning. The caller has escaped any foreign text in
 * it.
 */
void report_note(struct report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the count of this name, 0 if nothing was counted. */
uint64_t report_get(const struct report *r, const char *name);
/* Declares that a note explains this count. */
void report_noted(struct report *r, const char *name);

/* Source */

struct converter;

enum { OPTION_PREFIX_SIZE = 32 };

struct setting {
	const char *name, *value; /* of an option; value is "" if it takes no argument */
};

/* open() sets tick_ns, first_ns, unordered and scoped; next() keeps watermark_ns up to date. */
struct source_state {
	const struct converter *converter;
	struct input *input;
	const struct setting *settings;
	size_t setting_count;
	char option_prefix
	    [OPTION_PREFIX_SIZE]; /* precedes names of settings in messages, such as "--" */
	uint64_t tick_ns;         /* time resolution of the source */
	int64_t first_ns;         /* earliest time known at open; the trace starts there */
	/* set by open: watermarks come late or never, so sort all events from the start */
	bool unordered;
	/*
	 * set by open: definitions apply to the events after them in the input, whatever their
	 * times
	 */
	bool scoped;
	int64_t watermark_ns; /* no later event starts earlier; INT64_MIN if unknown */
	bool paused;          /* set by next: no events now, but the watermark may have moved */
	bool lost_reported;   /* %lost already describes the cause of the final error */
	bool foreign;         /* no line was understood; see source_check_understood */
	struct error error;
	struct report report;
	void *state; /* private state of the converter */
};

struct converter {
	const char *name, *summary;
	const struct iot_format_option *options; /* ends with a NULL name; may be NULL */
	/*
	 * Traced programs produce input and watermarks while the conversion runs. Events are sorted
	 * as far as the watermarks allow, however many must be buffered; events that come too late
	 * are counted.
	 */
	bool live;
	/*
	 * Returns the number of bits of evidence, 0 if the format is not recognized. Inspects names
	 * and heads only.
	 */
	int (*sniff)(struct input *in);
	int (*open)(struct source_state *src);
	/*
	 * Returns the number of events stored in out (1 to max); 0 at the end, or with src->paused
	 * set (live sources only) instead of waiting for input; negative on error, see src->error.
	 * Events that precede an error are delivered first. The first event is %trace. Times are
	 * nanoseconds since 1970 if the source knows them (%trace then has epoch=0), else since the
	 * source's own zero. Every event has a sort key in rec.start_ns. Text is valid until the
	 * next call.
	 */
	int (*next)(struct source_state *src, struct iot_event *out, int max);
	void (*close)(struct source_state *src); /* also called after a failed open */
	/*
	 * Returns true if the converter's %counter directives use this name, in addition to the
	 * counters of reports, and its value cannot identify a job, a machine, a file or a storage
	 * system. NULL if there are no such names.
	 */
	bool (*is_counter)(struct iot_text name);
};

extern const struct converter *const converters[]; /* ends with NULL */

/* The same for all converters and reports: exact names, listed in counters.c. */
bool counter_is_known(struct iot_text name);
/* Returns true if it is a count of a report: neither a time nor a number of bytes. */
bool counter_is_count(struct iot_text name);

const struct converter *converter_find(const char *name);
/*
 * Returns the converter with the most evidence. Returns NULL with *error set if none recognizes the
 * input or two have equal evidence.
 */
const struct converter *converter_sniff(struct input *in, struct error *error);

/*
 * Counts and notes `count` members that the conversion ignores; `first` is the index of one of
 * them.
 */
void source_ignored(struct source_state *src, size_t count, size_t first);
/* Returns the value of a setting, NULL if it was not given. */
const char *source_setting(const struct source_state *src, const char *name);
/* Sets src->error to "NAME is 'VALUE', expected EXPECTED"; returns IOT_EUSAGE. */
int source_setting_wrong(struct source_state *src, const char *name, const char *expected);
/*
 * Called at the end of the input: if there were lines and none was understood, the input has
 * another format, and src->error is set.
 */
void source_check_understood(struct source_state *src);

#endif
