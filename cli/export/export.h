/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output formats for other tools and for people. A format is one file: it has begin, events and
 * end, and a line in the table of cmd_cat.c.
 */
#ifndef CLI_EXPORT_EXPORT_H
#define CLI_EXPORT_EXPORT_H

#include "cli/ui/output.h"
#include "lib/event_table/names.h"

/* The options of the formats; the help describes them. */
struct export_options {
	const char *columns; /* NULL: the default columns */
	uint64_t level;      /* parquet: of zstd; 0: default */
	bool ns, names, unknown;
	bool no_header, all_events;
	bool physical;            /* fio, oracle, lcs: I/Os of disks instead of programs */
	bool real_names;          /* fio */
	bool per_process;         /* fio */
	const char *prefix;       /* fio */
	const char *setup;        /* fio: path of a script; NULL: none */
	uint64_t block, memory;   /* oracle, lcs: bytes */
	bool counters;            /* chrome, perfetto */
	const char *input, *path; /* of the trace and of the output */
	bool no_fsync;
	const struct command_spec *command;
};

/* What a format cannot represent; counted, and reported at the end. */
enum export_note {
	NOTE_OPERATIONS,
	NOTE_METADATA,
	NOTE_COUNTERS,
	NOTE_LOST,
	NOTE_LOGICAL,
	NOTE_PHYSICAL,
	NOTE_OFFSET_UNKNOWN,
	NOTE_START_UNKNOWN,
	NOTE_DURATION_UNKNOWN,
	NOTE_EMPTY,
	NOTE_OFFSET_TOO_LARGE,
	NOTE_ROUNDED,
	NOTE_SECONDS,
	NOTE_SPLIT,
	NOTE_NAME,
	NOTE_TENANT,
	NOTE_OVERLAP,
	NOTES,
};

enum { EXPORT_OUTPUTS_MAX = 512 };

struct export
{
	struct output *out;
	const struct export_options *options;
	uint64_t tick_ns; /* of the trace */
	struct names names;
	uint64_t notes[NOTES];
	void *state;                             /* of the format */
	struct output *more[EXPORT_OUTPUTS_MAX]; /* further outputs */
	size_t more_count;
	/* failed: out of memory, unless `error` says why, or a message was printed */
	bool failed, reported;
	char error[512];
};

/* The bytes that a record transfers. */
struct transfer {
	uint64_t offset, length; /* offset + length <= 2^63-1 */
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
	bool binary; /* not for terminals */
};

extern const struct export_format export_csv, export_csv_raw, export_tsv, export_jsonl, export_text,
    export_parquet, export_fio, export_oracle, export_lcs, export_chrome, export_perfetto,
    export_blkparse;

/*
 * Updates the names. Every format calls it for each event: after the event has been written,
 * because a close still needs the name of its file.
 */
void export_event(struct export *x, const struct iot_event *ev);
/* Stops the export; the first failure is kept. The output is discarded. */
void export_fail(struct export *x, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Allocates the state, of zeros. Returns NULL, and fails, if out of memory. */
void *export_state(struct export *x, size_t size);
/*
 * For formats of transfers: returns true with *t set if the record is an I/O of the chosen level
 * with a known offset and at least one byte; otherwise counts why not.
 */
bool export_transfer(struct export *x, const struct iot_record *rec, struct transfer *t);
/*
 * Converts an offset or length of a record to bytes: physical records count blocks. Returns false,
 * and counts it, if it has more than 64 bits.
 */
bool export_bytes(struct export *x, const struct iot_record *rec, uint64_t value, uint64_t *bytes);
/* Opens a further output. Returns NULL, and fails, if that is impossible. */
struct output *export_open(struct export *x, const char *path);
/* Completes or discards the further outputs. Returns the exit status. */
enum exit_status export_close(struct export *x, bool discard);

/* Prints the notes as one message. */
void export_report(const struct export *x, const char *format);
/* Frees names and state. */
void export_free(struct export *x, const struct export_format *format);

#endif
