/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface of the converters: one const struct converter per foreign format, listed in
 * table.c. A new format is one new file and one line there.
 *
 *	input   what the user named: members (a file, several, the files of a directory or tar,
 *		standard input), unpacked (input.c)
 *	source  one conversion: an input, its options, its report (source.c)
 */
#ifndef CONVERTER_H
#define CONVERTER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

#include "lib/base/error.h"
#include "lib/io/bufreader.h"

/* Input */

struct input;

enum { INPUT_HEAD_SIZE = 65536 }; /* bytes of each member that a sniff may see */

/*
 * All paths are parts of ONE input: files (plain, or compressed with gzip, bzip2, xz, zstd, lz4),
 * tars of the same, directories (their regular files at any depth, sorted by name), "-". Members of
 * a tar are spooled to an unlinked temporary file. NULL with *error set where a path cannot be
 * read. stop, which may be NULL, ends all of it early: see lib/stop.h.
 */
struct input *input_new(const char *const *paths, size_t count, struct interrupt *stop,
			struct error *error);
void input_free(struct input *in);

size_t input_count(const struct input *in);
const char *input_name(const struct input *in,
		       size_t member); /* path, or tar's path + '/' + name */
/* The first bytes of a member, at most INPUT_HEAD_SIZE, unpacked; kept until free. */
const char *input_head(struct input *in, size_t member, size_t *size);
/* Whether a member begins as our own traces do. */
bool input_is_trace(struct input *in, size_t member);
/* IOT_OK, or why a head asked for could not be read whole: memory, or the disk. */
const struct error *input_unseen(const struct input *in);
/*
 * The bytes of a member from its start, for the caller to free before the input. Standard input and
 * pipes can be opened once, all others again and again. NULL with *error set.
 */
struct bufreader *input_open(struct input *in, size_t member, struct error *error);
bool input_again(const struct input *in);       /* all members can be opened again */
uint64_t input_skipped(const struct input *in); /* links, devices in directories and tars */
/* Bytes asked of the system at once, for windows opened from now on. For tests: 1, 17. */
void input_set_read_size(struct input *in, size_t read_size);
/* Bytes taken from the disk so far, and of how many; *total 0 where that is not known. */
void input_progress(const struct input *in, uint64_t *done, uint64_t *total);

/* Report: what a conversion counted. Names are dotted: "hidden.io_uring". */

enum {
	REPORT_COUNTS = 96,
	REPORT_EXAMPLES = 5,
	REPORT_DIFFERENCES = 20,
	REPORT_NOTES = 20,
};

struct report_count {
	const char *name; /* a literal */
	uint64_t value;
	bool noted; /* a note says what it means: no other warning does */
};

struct report_example {
	uint64_t line;               /* 0: not a text format */
	char member[256], text[160]; /* escaped */
};

/* A total of the records beside the source's own. */
struct report_difference {
	char where[256], what[64]; /* escaped: a file of a process; "bytes read" */
	uint64_t source_says, converted;
};

struct report {
	uint64_t lines, calls, records, unparsed;
	uint64_t record_bytes; /* lengths of the records, where the source counts skipped bytes */
	uint64_t differences_found, notes_made; /* all of them; the first ones are kept below */
	size_t counts, examples, differences, notes;
	struct report_count count[REPORT_COUNTS];
	struct report_example example[REPORT_EXAMPLES]; /* the first unparsed places */
	struct report_difference difference[REPORT_DIFFERENCES];
	char note[REPORT_NOTES][256];
};

void report_add(struct report *r, const char *name, uint64_t n);
/* Counts one unparsed place and keeps the first few. */
void report_unparsed(struct report *r, const char *member, uint64_t line, const char *text,
		     size_t size);

/* --check has found that a total of the records is not what the source itself says. */
void report_differs(struct report *r, const char *where, const char *what, uint64_t source_says,
		    uint64_t converted);
/* A sentence for the user, shown as a warning. Foreign text in it has been escaped. */
void report_note(struct report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What was counted under this name; 0: nothing. */
uint64_t report_get(const struct report *r, const char *name);
/* A note explains this count. */
void report_noted(struct report *r, const char *name);

/* Source */

/* Whether an operation of this name changes names, or closes: what --ops=names is about. */
bool op_renames(struct iot_text name);

struct converter;

struct setting {
	const char *name, *value; /* of an option; value "" where it takes none */
};

/* open sets tick_ns, first_ns and unordered; next keeps watermark_ns up to date. */
struct source_state {
	const struct converter *converter;
	struct input *input;
	const struct setting *settings;
	size_t setting_count;
	uint64_t tick_ns; /* the source's own resolution */
	int64_t first_ns; /* the earliest time known at open: where the trace begins */
	bool unordered; /* set by open: watermarks come late or never, so hold all from the start */
	int64_t watermark_ns; /* no event still to come starts earlier; INT64_MIN: cannot tell */
	bool paused;          /* next: none for now, but the watermark may have moved */
	bool lost_reported;   /* the error at the end is about what %lost has told */
	struct error error;
	struct report report;
	void *state; /* the converter's own */
};

/* An option of a converter's own, as the command line shows it: --name[=ARGUMENT]. */
struct converter_option {
	const char *name, *argument, *help; /* argument NULL: takes none */
};

struct converter {
	const char *name, *summary;
	const struct converter_option *options; /* ends with a NULL name; may be NULL */
	/*
	 * Watermarks are promises of the traced programs: order is made as they allow, however much
	 * has to wait meanwhile, and what comes too late is counted.
	 */
	bool live;
	/* Bits of evidence; 0: not mine. Looks at names and heads only. */
	int (*sniff)(struct input *in);
	int (*open)(struct source_state *src);
	/*
	 * The next events, at most max: how many (at least 1), 0 at the end (or with
	 * src->paused, of live sources alone: not to wait for input), negative: see
	 * src->error; events before an error are delivered first. The first event is %trace. Times
	 * count from 1970 where the source tells (then %trace has epoch=0), else from the source's
	 * own zero; both in nanoseconds. Every event has its place in rec.start_ns. Text lives
	 * until the next call.
	 */
	int (*next)(struct source_state *src, struct iot_event *out, int max);
	void (*close)(struct source_state *src); /* also after a failed open */
	/*
	 * Whether its %counter directives have a counter of this name, besides those of reports,
	 * whose value cannot identify a job, a machine, a file or a store. NULL: they have none.
	 */
	bool (*is_counter)(struct iot_text name);
};

extern const struct converter *const converters[]; /* ends with NULL */

/* The same for all converters and reports: exact names, listed in counters.c. */
bool counter_is_known(struct iot_text name);

const struct converter *converter_find(const char *name);
/* The best bidder; NULL with *error set if nobody bids or two bid the same. */
const struct converter *converter_sniff(struct input *in, struct error *error);

/* The value of a setting; NULL if it was not given. */
/* Counts and notes members that are no part of what is converted, of which `first` is one. */
void source_ignored(struct source_state *src, size_t count, size_t first);
const char *source_setting(const struct source_state *src, const char *name);

#endif
