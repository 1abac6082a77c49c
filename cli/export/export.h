/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output formats for other tools and for people. A format is one file: it has begin, events and
 * end, and a line in the table of cmd_cat.c.
 */
#ifndef CLI_EXPORT_EXPORT_H
#define CLI_EXPORT_EXPORT_H

#include "cli/ui/output.h"
#include "names.h"

/* The options of the formats. Times are always nanoseconds; see the help for the meaning. */
struct export_options {
	const char *columns; /* NULL: the default columns */
	bool ns, names, unknown;
	bool no_header, all_events;
};

/* What a format cannot represent; counted, and reported at the end. */
enum export_note {
	NOTE_OPERATIONS,
	NOTE_COUNTERS,
	NOTE_LOST,
	NOTE_OFFSET_TOO_LARGE,
	NOTES,
};

struct export
{
	struct output *out;
	const struct export_options *options;
	uint64_t tick_ns; /* of the trace */
	unsigned lacks;   /* enum iot_flag: what operations lack, which have no flags */
	struct names names;
	uint64_t notes[NOTES];
	void *state; /* of the format */
	bool failed; /* out of memory, or `error` says why */
	char error[256];
};

struct export_format {
	names_encode *encode; /* the form of names; NULL: decoded */
	/* Allocates the state and writes what precedes the first event. */
	void (*begin)(struct export *x);
	void (*events)(struct export *x, const struct iot_event *ev, size_t n);
	/* Writes what follows the last event; NULL: nothing. */
	void (*end)(struct export *x);
	/* Frees what the state, which may be NULL, refers to; NULL: nothing. */
	void (*free)(struct export *x);
};

extern const struct export_format export_csv, export_csv_raw, export_tsv, export_jsonl, export_text;

/*
 * Updates names and lacks. Every format calls it for each event: after the event has been written,
 * because a close still needs the name of its file.
 */
void export_event(struct export *x, const struct iot_event *ev);
/* Stops the export; the first failure is kept. The output is discarded. */
void export_fail(struct export *x, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Allocates the state, of zeros. Returns NULL, and fails, if out of memory. */
void *export_state(struct export *x, size_t size);
/* Prints the notes as one message. */
void export_report(const struct export *x, const char *format);
/* Frees names and state. */
void export_free(struct export *x, const struct export_format *format);

/* Returns whether --columns names columns of `format`; otherwise *wrong is the first other name. */
bool csv_columns_valid(const char *columns, struct iot_text *wrong);

#endif
