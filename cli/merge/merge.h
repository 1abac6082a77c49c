/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merging: k traces, each in order of start, to one.
 *
 *	merge_align.c   where time zero of each input is in the output, and what %trace then says
 *	merge_inputs.c  inputs opened, and what their first batches tell
 *	merge_source.c  streams of events in batches: inputs, and parts of the spool
 *	merge_place.c   each event's place in the order
 *	merge_spool.c   inputs that were merged before, because not all could be open at once
 *	merge_ahead.c   a thread that fills the batches to come
 *	merge_tree.c    which stream is next
 *	merge_ids.c     which id becomes which, and CPU clocks that go on
 *	merge_streams.c streams in order, to the output
 *	merge.c         all of it
 *
 * The order: start, process, file, then all other fields; what is the same in all of them stands in
 * the order of the inputs, which are sorted by what is in them, not as they were named. Ids compared
 * are those of the inputs. Only the heads of streams are compared, so each keeps its own order.
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
#include "cli/filter/time_shift.h"
#include "cli/filter/remap_ids.h"
#include "cli/filter/rounding.h"

struct sorter;
struct merge;
struct merge_tempfile;

enum {
	MERGE_BATCH = 1024,
	MERGE_TIE = 0xff, /* type of what is no record, where its place in the order is its own */
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

/* What is known of an input from its first batch, and what becomes of it. */
struct merge_input {
	const char *path;
	struct merge_source *source; /* where it is open; or NULL */
	char shown[256];             /* escaped */
	uint32_t index;              /* in the order that does not depend on how they were named */
	uint64_t device, inode;      /* of a regular file; 0, 0: none */
	bool again;                  /* can be opened again */
	bool piped;                  /* can be read only once */
	uint64_t size;               /* bytes; 0: not known */
	uint64_t tick_ns;
	int64_t first_ns; /* start of its first record; INT64_MAX: it has none in its first batch */
	char *traces;     /* texts of the %trace before that, each ending in LF */
	size_t traces_size;
	bool has_epoch;
	int64_t epoch_ns;
	unsigned lacks;
	char *host;                 /* its %trace's; NULL: does not tell */
	int64_t shift_ns;           /* as told */
	int64_t move_ns;            /* to be added to its times, >= 0 */
	uint32_t ids_max[ID_KINDS]; /* in its first batch */
};

/* A batch of a stream: events whose rec tells their place; rec.spare: index of the input. */
struct merge_batch {
	struct iot_event *ev;
	size_t capacity; /* events: MERGE_BATCH, or more for directives that are held */
	size_t count;
	size_t held; /* behind them: directives whose place the next record tells */
	char *text;
	size_t text_used, text_capacity;
	uint64_t stored; /* bytes taken from the disk when it was filled */
	bool last;       /* nothing comes behind it; see the stream's error */
};

enum merge_state { MERGE_IDLE, MERGE_ASKED, MERGE_FILLING, MERGE_FILLED };

struct merge_source {
	const struct merge *merge;
	struct merge_input *input; /* NULL: a part of the spool */
	struct iot_reader *reader;
	struct piped piped; /* what the reader reads, if that is a pipe */
	struct sorter *sorter;
	struct scope_tracker scopes; /* with the sorter */
	const struct merge_tempfile *tempfile;
	uint64_t tempfile_at, tempfile_end;
	unsigned char
	    *tempfile_buffer; /* bytes [spool_at, spool_at + spool_have) are at spool_used */
	size_t tempfile_used, tempfile_have;
	struct time_shift rebase;
	int64_t moved_ns;  /* what was added to the times of the first batch when it was read */
	int64_t last_ns;   /* start of its record before */
	int64_t max_ns;    /* latest time so far */
	int64_t placed_ns; /* place of its event before */
	struct iot_reader *ahead; /* a second reader of the input, or NULL */
	struct iot_record next;   /* its next record, found by `ahead`, if next_known */
	bool next_known, has_next;
	bool begun; /* a record was read; of an input to be sorted */
	struct error fault;
	bool fatal; /* the fault ends everything; else what came before it is good */
	bool lossy; /* the reader went over damage */
	bool cut;   /* a signal ended it before its end */

	struct merge_batch batch[2];
	unsigned current;
	enum merge_state state; /* of the other batch */
	uint64_t seen;          /* bytes taken that progress knows of */

	struct iot_event *at, *end; /* of the current batch */
};

/* Streams */

/* The first batch, its times not moved yet, and what it tells. IOT_OK; else see source->fault. */
int merge_source_open(struct merge_source *s, const struct merge *m, struct merge_input *in);
/* Tells the index, and moves times: of the first batch, and of all to come. Sorts, if told to. */
void merge_source_begin(struct merge_source *s);
int merge_source_open_tempfile(struct merge_source *s, const struct merge *m,
			       const struct merge_tempfile *tempfile, size_t part);
/* Fills the batch that is not the current one. Called by one thread at a time. */
void merge_source_fill(struct merge_source *s);
void merge_source_close(struct merge_source *s);

/* A reader of its own input. */
int merge_set_up(const struct merge_source *s, struct iot_reader *r);

/* Events in a batch */

/* Puts a fault that ends everything; returns the status. */
int merge_out_of_memory(struct merge_source *s);
/* Copies the text of event `at` into the batch; those before it are there. */
bool merge_keep_text(struct merge_batch *b, size_t at);
/*
 * Moves, checks and keeps events [from, n), which were just read: from so many lines, the last of
 * which is `line`. IOT_OK, or the fault.
 */
int merge_place_new(struct merge_source *s, struct merge_batch *b, size_t from, size_t n,
		    uint64_t lines, uint64_t line);
/* Gives directives their place. Those behind the last record are held, if one may come. */
void merge_place_others(struct merge_source *s, struct merge_batch *b, size_t n);
/* Moves the n events of a batch that was read before it was known how far. */
int merge_shift_first(struct merge_source *s, struct merge_batch *b, size_t n);

/* Parts of the spool: events of several inputs, merged, in one temporary file without a name. */

struct merge_tempfile *merge_tempfile_new(struct error *error);
void merge_tempfile_free(struct merge_tempfile *s);
int merge_tempfile_append(struct merge_tempfile *s, const struct iot_event *ev);
/* Ends the part; what is put next is in another one. */
int merge_tempfile_end_part(struct merge_tempfile *s);
size_t merge_tempfile_parts(const struct merge_tempfile *s);
uint64_t merge_tempfile_part(const struct merge_tempfile *s, size_t part, uint64_t *end);
/* The next n bytes of a stream's part, in its buffer; NULL: see source->fault. */
const void *merge_tempfile_read(struct merge_source *s, size_t n);

enum { MERGE_TEMPFILE_BUFFER = 1 << 17 };

/* What an event is in the spool: this, then its text. Of records rec alone. */
struct merge_tempfile_event {
	struct iot_record rec; /* zero: 1 if the rest follows */
	uint32_t kind, has, size, spare;
};

/* The thread */

struct merge_prefetch;

/* NULL: none, batches are filled when they are asked for. */
struct merge_prefetch *merge_prefetch_new(size_t sources);
void merge_prefetch_free(struct merge_prefetch *a);
void merge_prefetch_ask(struct merge_prefetch *a, struct merge_source *s);
/* Waits for what was asked for, or does it. */
void merge_prefetch_wait(struct merge_prefetch *a, struct merge_source *s);

/* Time */

/* "FILE=+1.5s"; what was expected, or NULL. */
const char *merge_shift_add(struct merge_options *o, const char *value);

struct merge {
	const struct merge_options *options;
	struct merge_input *inputs;
	size_t count;
	struct merge_source **sources;
	size_t source_count;
	size_t open_max; /* inputs that may be open at the same time */
	struct merge_tempfile *tempfile;
	bool spooling; /* what is merged goes there */

	bool epochs;      /* all inputs have one */
	unsigned lacks;   /* common to all inputs */
	int64_t zero_ns;  /* the output's, since 1970 where all inputs have an epoch, else 0 */
	uint64_t tick_ns; /* the greatest common divisor */

	struct merge_ids ids;
	struct remap_ids renumber;
	struct merge_prefetch *ahead;
	struct iot_writer *writer;
	struct rounding rounding;
	struct iot_record *out; /* records that wait to be written */
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

/* Sorts the inputs and finds shifts, moves, tick and lacks. EXIT_OK, or the exit status. */
int merge_align(struct merge *m);
/* The text of an input's %trace as it is in the output; false: out of memory. */
bool merge_trace_text(struct merge *m, const struct merge_input *in, struct iot_text *text);

/* Inputs */

/* Reads the first batch of all; closes those that can be opened again, unless told to keep them. */
int merge_inspect(struct merge *m, bool keep_open);
/* Whether all %trace go to the head of the output. */
bool merge_has_head(const struct merge *m);
/* Inputs [first, end) become the streams. */
int merge_begin_inputs(struct merge *m, size_t first, size_t end);
void merge_close_streams(struct merge *m);
void merge_close_stream(struct merge_source *s);

/* Out. All return an exit status. */

/* A message; EXIT_FAULT. */
int merge_report(struct merge *m, const char *sentence);
int merge_write_fault(struct merge *m);
int merge_write_other(struct merge *m, struct iot_event ev);
/* Writes the records that wait. */
int merge_flush(struct merge *m);
/* All that the streams have. */
int merge_streams(struct merge *m);

/* All of it. The exit status. */
int merge_traces(const struct merge_options *o, char *const *paths, size_t count);

/* Which stream is next: a tree of losers. */

struct merge_leaf {
	uint64_t key; /* start of a stream's next event; UINT64_MAX: none */
	uint64_t source;
};

struct merge_tree {
	struct merge_leaf *node; /* [0]: the winner */
	size_t count;
	struct merge_source *const *sources;
};

/* sources: their at and end are set. False: out of memory. */
bool merge_tree_init(struct merge_tree *t, struct merge_source *const *sources, size_t count);
void merge_tree_free(struct merge_tree *t);
/* Of two streams whose next events start together (or that are at their ends), whether a is first. */
bool merge_before(const struct merge_source *a, const struct merge_source *b);
/* The least key but the winner's. */
uint64_t merge_tree_second(const struct merge_tree *t);

static inline uint64_t merge_key(const struct merge_source *s)
{
	return s->at < s->end ? (uint64_t)s->at->rec.start_ns : UINT64_MAX;
}

/*
 * The winner's key has become `key`. Who wins is what a processor cannot foresee, so both are
 * exchanged, or not, without a branch.
 */
static inline void merge_tree_replay(struct merge_tree *t, uint64_t key)
{
	struct merge_leaf now = {key, t->node[0].source};
	for (size_t at = (now.source + t->count) / 2; at > 0; at /= 2) {
		const struct merge_leaf other = t->node[at];
		bool loses = other.key < now.key;
		if (__builtin_expect(other.key == now.key, 0))
			loses = merge_before(t->sources[other.source], t->sources[now.source]);
		const uint64_t mask = 0 - (uint64_t)loses;
		const uint64_t key_change = (other.key ^ now.key) & mask;
		const uint64_t source_change = (other.source ^ now.source) & mask;
		t->node[at].key = other.key ^ key_change;
		t->node[at].source = other.source ^ source_change;
		now.key ^= key_change;
		now.source ^= source_change;
	}
	t->node[0] = now;
}

#endif
