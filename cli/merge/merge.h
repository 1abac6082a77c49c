/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges k traces, each in order of start, to one.
 *
 *	align.c        time zero of each input in the output, and the %trace of the output
 *	inputs.c       opens inputs, and examines their first batches
 *	source.c       streams of events in batches: inputs, and parts of the tempfile
 *	sort_keys.c    the sort key of each event
 *	tempfile.c     inputs that were merged before, because not all could be open at once
 *	prefetch.c     a thread that fills the next batches
 *	ids.c          maps ids, and continues CPU clocks
 *	streams.c      writes the ordered streams
 *	merge.c        the merge as a whole
 *
 * The order is start, process, file, then all other fields; events equal in all of them are in the
 * order of the inputs, which are sorted by their contents, not by their names. Compared ids are
 * those of the inputs. Only the heads of streams are compared, so each stream keeps its own order.
 */
#ifndef CLI_MERGE_MERGE_H
#define CLI_MERGE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/filter/scope.h"

#include "cli/ui/trace_in.h"
#include "ids.h"
#include "cli/ui/output.h"
#include "lib/filter/time_shift.h"
#include "lib/filter/remap_ids.h"
#include "lib/filter/rounding.h"

struct sorter;
struct merge;
struct merge_tempfile;

enum {
	MERGE_BATCH = 1024,
	MERGE_TIE = 0xff, /* type of an event without a record: has its own sort key */
};

/* --shift */

struct merge_shift {
	char *name; /* of a file or a host */
	int64_t by_ns;
	bool used;
};

enum shift_by { SHIFT_BY_FILE, SHIFT_BY_HOST };

struct merge_options {
	const struct command_spec *command;
	struct read_options read;
	struct write_options write;
	struct merge_shift *shifts;
	size_t shift_count;
	int shift_by; /* enum shift_by */
	bool keep_ids, join_paths, reorder, verbose;
	uint64_t memory; /* of all sorters */
};

/* State of an input after its first batch. */
struct merge_input {
	const char *path;
	struct merge_source *source; /* the pipe that it is read from, or NULL */
	char shown[256];             /* escaped */
	uint32_t index;              /* in an order independent of the arguments */
	uint64_t device, inode;      /* of a regular file; 0, 0: none */
	bool again;                  /* can be reopened */
	bool piped;                  /* can be read only once */
	uint64_t size;               /* bytes; 0: unknown */
	uint64_t tick_ns;
	int64_t first_ns; /* start of its first record; INT64_MAX: none in its first batch */
	char *traces;     /* texts of the preceding %trace, each ending in LF */
	size_t traces_size;
	bool has_epoch;
	int64_t epoch_ns;
	unsigned lacks;
	char *host;                 /* of its %trace; NULL: not declared */
	int64_t shift_ns;           /* as declared */
	int64_t move_ns;            /* to be added to its times, >= 0 */
	uint32_t ids_max[ID_KINDS]; /* in its first batch */
};

/* A batch of a stream: rec of each event contains its sort key; rec.spare: index of the input. */
struct merge_batch {
	struct iot_event *ev;
	size_t capacity; /* events: MERGE_BATCH, or more for held directives */
	size_t count;
	size_t held; /* after them: directives whose sort key depends on the next record */
	char *text;
	size_t text_used, text_capacity;
	uint64_t stored; /* bytes read from the disk to fill it */
	bool last;       /* the last batch; see the stream's error */
};

enum merge_state { MERGE_IDLE, MERGE_ASKED, MERGE_FILLING, MERGE_FILLED };

struct merge_source {
	const struct merge *merge;
	struct merge_input *input; /* NULL: a part of the tempfile */
	struct iot_reader *reader;
	struct piped piped; /* the input of the reader, if it is a pipe */
	struct sorter *sorter;
	struct scope_tracker scopes; /* with the sorter */
	const struct merge_tempfile *tempfile;
	uint64_t tempfile_at, tempfile_end;
	unsigned char
	    *tempfile_buffer; /* bytes [spool_at, spool_at + spool_have) are at spool_used */
	size_t tempfile_used, tempfile_have;
	struct time_shift rebase;
	int64_t moved_ns;         /* shift of the first batch when it was read */
	int64_t last_ns;          /* start of its previous record */
	int64_t max_ns;           /* latest time so far */
	int64_t placed_ns;        /* sort key of its previous event */
	struct iot_reader *ahead; /* a second reader of the input, or NULL */
	struct iot_record next;   /* its next record, found by `ahead`, if next_known */
	bool next_known, has_next;
	bool begun; /* a record was read; for an input to be sorted */
	struct error fault;
	bool fatal; /* the error aborts the merge; otherwise the events before it are valid */
	bool lossy; /* the reader skipped damage */
	bool cut;   /* a signal ended it early */

	struct merge_batch batch[2];
	unsigned current;
	enum merge_state state; /* of the other batch */
	uint64_t seen;          /* bytes that the progress line includes */

	struct iot_event *at, *end; /* of the current batch */
};

/* Streams */

/*
 * Reads the first batch, unshifted, and its properties. Returns IOT_OK; otherwise see
 * source->fault.
 */
int merge_source_open(struct merge_source *s, const struct merge *m, struct merge_input *in);
/*
 * Sets the index, and shifts times: of the first batch, and of all later ones. Sorts if requested.
 */
void merge_source_begin(struct merge_source *s);
int merge_source_open_tempfile(struct merge_source *s, const struct merge *m,
			       const struct merge_tempfile *tempfile, size_t part);
/* Fills the batch that is not the current one. One thread calls it at a time. */
void merge_source_fill(struct merge_source *s);
void merge_source_close(struct merge_source *s);

/* A separate reader of the same input. */
int merge_set_up(const struct merge_source *s, struct iot_reader *r);

/* Events in a batch */

/* Records an error that aborts the merge; returns the status. */
int merge_out_of_memory(struct merge_source *s);
/* Copies the text of event `at` into the batch; earlier texts are already there. */
bool merge_keep_text(struct merge_batch *b, size_t at);
/*
 * Shifts, checks and stores events [from, n), which were just read from the given number of lines,
 * the last of which is `line`. Returns IOT_OK, or the error.
 */
int merge_place_new(struct merge_source *s, struct merge_batch *b, size_t from, size_t n,
		    uint64_t lines, uint64_t line);
/* Assigns sort keys to directives. Those after the last record are held, if one may follow. */
void merge_place_others(struct merge_source *s, struct merge_batch *b, size_t n);
/* Shifts the n events of a batch that was read before its shift was known. */
int merge_shift_first(struct merge_source *s, struct merge_batch *b, size_t n);

/* Parts of the tempfile: merged events of several inputs, in one unlinked file. */

struct merge_tempfile *merge_tempfile_new(struct error *error);
void merge_tempfile_free(struct merge_tempfile *s);
int merge_tempfile_append(struct merge_tempfile *s, const struct iot_event *ev);
/* Ends the part; later events go to another one. */
int merge_tempfile_end_part(struct merge_tempfile *s);
size_t merge_tempfile_parts(const struct merge_tempfile *s);
uint64_t merge_tempfile_part(const struct merge_tempfile *s, size_t part, uint64_t *end);
/* The next n bytes of a stream's part, in its buffer; NULL: see source->fault. */
const void *merge_tempfile_read(struct merge_source *s, size_t n);

enum { MERGE_TEMPFILE_BUFFER = 1 << 17 };

/* The layout of an event in the tempfile: this, then its text. Of records only rec. */
struct merge_tempfile_event {
	struct iot_record rec; /* zero: 1 if the rest follows */
	uint32_t kind, has, size, spare;
};

/* The thread */

struct merge_prefetch;

/* NULL: no thread; batches are filled on request. */
struct merge_prefetch *merge_prefetch_new(size_t sources);
void merge_prefetch_free(struct merge_prefetch *a);
void merge_prefetch_ask(struct merge_prefetch *a, struct merge_source *s);
/* Waits for the requested batch, or fills it. */
void merge_prefetch_wait(struct merge_prefetch *a, struct merge_source *s);

/* Time */

/* Parses "FILE=+1.5s"; returns the expected syntax, or NULL. */
const char *merge_shift_add(struct merge_options *o, const char *value);

struct merge {
	const struct merge_options *options;
	struct merge_input *inputs;
	size_t count;
	struct merge_source **sources;
	size_t source_count;
	size_t open_max; /* inputs that may be open at the same time */
	struct merge_tempfile *tempfile;
	bool spooling; /* the destination of merged events */

	bool epochs;      /* all inputs have one */
	unsigned lacks;   /* common to all inputs */
	int64_t zero_ns;  /* the output's, since 1970 if all inputs have an epoch, otherwise 0 */
	uint64_t tick_ns; /* the greatest common divisor */

	struct merge_ids ids;
	struct remap_ids renumber;
	struct merge_prefetch *ahead;
	struct iot_writer *writer;
	struct iot_rounding rounding;
	struct iot_record *out; /* records to be written */
	size_t out_count;
	char *trace; /* a %trace that was rewritten */
	size_t trace_capacity;
	uint64_t records, stored, total;
	bool damaged;
	struct idmap traces; /* hashes of the %trace written: --keep-ids */
	uint32_t *trace_input;
	size_t trace_inputs_capacity;
	struct error error;
	struct progress progress;
};

/*
 * Sorts the inputs and determines shifts, tick and missing fields. Returns EXIT_OK, or the exit
 * status.
 */
int merge_align(struct merge *m);
/* The text of an input's %trace in the output; returns false if out of memory. */
bool merge_trace_text(struct merge *m, const struct merge_input *in, struct iot_text *text);

/* Inputs */

/* Reads the first batch of all; closes those that can be reopened, unless they are to stay open. */
int merge_inspect(struct merge *m, bool keep_open);
/* Whether all %trace go to the head of the output. */
bool merge_has_head(const struct merge *m);
/* Makes inputs [first, end) the streams. */
int merge_begin_inputs(struct merge *m, size_t first, size_t end);
void merge_close_streams(struct merge *m);
void merge_close_stream(struct merge_source *s);

/* Output. All functions return an exit status. */

/* Prints a message; returns EXIT_FAULT. */
int merge_report(struct merge *m, const char *sentence);
int merge_write_fault(struct merge *m);
int merge_write_other(struct merge *m, struct iot_event ev);
/* Writes the buffered records. */
int merge_flush(struct merge *m);
/* Writes all events of the streams. */
int merge_streams(struct merge *m);

/* Runs the merge. Returns the exit status. */
int merge_traces(const struct merge_options *o, char *const *paths, size_t count);

/*
 * A loser_tree_tie_fn: whether stream a is first, of two whose next events start together. context:
 * the streams.
 */
bool merge_before(const void *context, uint32_t a, uint32_t b);

#endif
