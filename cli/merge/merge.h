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

struct iot_sorter;
struct iot_merge;
struct iot_spool;

enum {
	IOT_MERGE_BATCH = 1024,
	IOT_MERGE_TIE =
	    0xff, /* type of what is no record, where its place in the order is its own */
};

/* --shift */

struct iot_merge_shift {
	char *name; /* of a file or a host */
	int64_t by_ns;
	bool used;
};

enum iot_shift_by { IOT_SHIFT_BY_FILE, IOT_SHIFT_BY_HOST };

struct iot_merge_options {
	const struct iot_command *command;
	struct iot_read_options read;
	struct iot_write_options write;
	struct iot_merge_shift *shifts;
	size_t shift_count;
	int shift_by; /* enum iot_shift_by */
	bool keep_ids, join_paths, reorder, verbose;
	uint64_t memory; /* of all sorters */
};

/* What is known of an input from its first batch, and what becomes of it. */
struct iot_merge_input {
	const char *path;
	struct iot_merge_source *source; /* where it is open; or NULL */
	char shown[256];                 /* escaped */
	uint32_t index;         /* in the order that does not depend on how they were named */
	uint64_t device, inode; /* of a regular file; 0, 0: none */
	bool again;             /* can be opened again */
	bool piped;             /* can be read only once */
	uint64_t size;          /* bytes; 0: not known */
	uint64_t tick_ns;
	int64_t first_ns; /* start of its first record; INT64_MAX: it has none in its first batch */
	char *traces;     /* texts of the %trace before that, each ending in LF */
	size_t traces_size;
	bool has_epoch;
	int64_t epoch_ns;
	unsigned lacks;
	char *host;                     /* its %trace's; NULL: does not tell */
	int64_t shift_ns;               /* as told */
	int64_t move_ns;                /* to be added to its times, >= 0 */
	uint32_t ids_max[IOT_ID_KINDS]; /* in its first batch */
};

/* A batch of a stream: events whose rec tells their place; rec.spare: index of the input. */
struct iot_merge_batch {
	struct iot_event *ev;
	size_t room; /* events: IOT_MERGE_BATCH, or more for directives that are held */
	size_t count;
	size_t held; /* behind them: directives whose place the next record tells */
	char *text;
	size_t text_used, text_room;
	uint64_t stored; /* bytes taken from the disk when it was filled */
	bool last;       /* nothing comes behind it; see the stream's error */
};

enum iot_merge_state { IOT_MERGE_IDLE, IOT_MERGE_ASKED, IOT_MERGE_FILLING, IOT_MERGE_FILLED };

struct iot_merge_source {
	const struct iot_merge *merge;
	struct iot_merge_input *input; /* NULL: a part of the spool */
	struct iot_reader *reader;
	struct iot_piped piped; /* what the reader reads, if that is a pipe */
	struct iot_sorter *sorter;
	struct iot_retold retold; /* with the sorter */
	const struct iot_spool *spool;
	uint64_t spool_at, spool_end;
	unsigned char *spool_buffer; /* bytes [spool_at, spool_at + spool_have) are at spool_used */
	size_t spool_used, spool_have;
	struct iot_rebase rebase;
	int64_t moved_ns;  /* what was added to the times of the first batch when it was read */
	int64_t last_ns;   /* start of its record before */
	int64_t most_ns;   /* latest time so far */
	int64_t placed_ns; /* place of its event before */
	struct iot_record next; /* its next record, found ahead of the reader, if next_known */
	bool next_known, has_next;
	bool begun; /* a record was read; of an input to be sorted */
	struct iot_error fault;
	bool fatal; /* the fault ends everything; else what came before it is good */
	bool lossy; /* the reader went over damage */
	bool cut;   /* a signal ended it before its end */

	struct iot_merge_batch batch[2];
	unsigned current;
	enum iot_merge_state state; /* of the other batch */
	uint64_t seen;              /* bytes taken that progress knows of */

	struct iot_event *at, *end; /* of the current batch */
};

/* Streams */

/* The first batch, its times not moved yet, and what it tells. IOT_OK; else see source->fault. */
int iot_merge_source_open(struct iot_merge_source *s, const struct iot_merge *m,
			  struct iot_merge_input *in);
/* Tells the index, and moves times: of the first batch, and of all to come. Sorts, if told to. */
void iot_merge_source_begin(struct iot_merge_source *s);
int iot_merge_source_open_spool(struct iot_merge_source *s, const struct iot_merge *m,
				const struct iot_spool *spool, size_t part);
/* Fills the batch that is not the current one. Called by one thread at a time. */
void iot_merge_source_fill(struct iot_merge_source *s);
void iot_merge_source_close(struct iot_merge_source *s);

/* A reader of its own input. */
int iot_merge_set_up(const struct iot_merge_source *s, struct iot_reader *r);

/* Events in a batch */

/* Puts a fault that ends everything; returns the status. */
int iot_merge_no_memory(struct iot_merge_source *s);
/* Copies the text of event `at` into the batch; those before it are there. */
bool iot_merge_keep_text(struct iot_merge_batch *b, size_t at);
/*
 * Moves, checks and keeps events [from, n), which were just read: from so many lines, the last of
 * which is `line`. IOT_OK, or the fault.
 */
int iot_merge_place_new(struct iot_merge_source *s, struct iot_merge_batch *b, size_t from,
			size_t n, uint64_t lines, uint64_t line);
/* Gives directives their place. Those behind the last record are held, if one may come. */
void iot_merge_place_others(struct iot_merge_source *s, struct iot_merge_batch *b, size_t n);
/* Moves the n events of a batch that was read before it was known how far. */
int iot_merge_move_first(struct iot_merge_source *s, struct iot_merge_batch *b, size_t n);

/* Parts of the spool: events of several inputs, merged, in one temporary file without a name. */

struct iot_spool *iot_spool_new(struct iot_error *error);
void iot_spool_free(struct iot_spool *s);
int iot_spool_put(struct iot_spool *s, const struct iot_event *ev);
/* Ends the part; what is put next is in another one. */
int iot_spool_end_part(struct iot_spool *s);
size_t iot_spool_parts(const struct iot_spool *s);
uint64_t iot_spool_part(const struct iot_spool *s, size_t part, uint64_t *end);
/* The next n bytes of a stream's part, in its buffer; NULL: see source->fault. */
const void *iot_spool_read(struct iot_merge_source *s, size_t n);

enum { IOT_SPOOL_BUFFER = 1 << 17 };

/* What an event is in the spool: this, then its text. Of records rec alone. */
struct iot_spooled {
	struct iot_record rec; /* zero: 1 if the rest follows */
	uint32_t kind, has, size, spare;
};

/* The thread */

struct iot_merge_ahead;

/* NULL: none, batches are filled when they are asked for. */
struct iot_merge_ahead *iot_merge_ahead_new(size_t sources);
void iot_merge_ahead_free(struct iot_merge_ahead *a);
void iot_merge_ahead_ask(struct iot_merge_ahead *a, struct iot_merge_source *s);
/* Waits for what was asked for, or does it. */
void iot_merge_ahead_wait(struct iot_merge_ahead *a, struct iot_merge_source *s);

/* Time */

/* "FILE=+1.5s"; what was expected, or NULL. */
const char *iot_merge_shift_add(struct iot_merge_options *o, const char *value);

struct iot_merge {
	const struct iot_merge_options *options;
	struct iot_merge_input *inputs;
	size_t count;
	struct iot_merge_source **sources;
	size_t source_count;
	size_t open_max; /* inputs that may be open at the same time */
	struct iot_spool *spool;
	bool spooling; /* what is merged goes there */

	bool epochs;      /* all inputs have one */
	unsigned lacks;   /* common to all inputs */
	int64_t zero_ns;  /* the output's, since 1970 where all inputs have an epoch, else 0 */
	uint64_t tick_ns; /* the greatest common divisor */

	struct iot_merge_ids ids;
	struct iot_renumber renumber;
	struct iot_merge_ahead *ahead;
	struct iot_writer *writer;
	struct iot_rounding rounding;
	struct iot_record *out; /* records that wait to be written */
	size_t out_count;
	char *trace; /* a %trace that was rewritten */
	size_t trace_room;
	uint64_t records, stored, total;
	bool damaged;
	struct iot_map traces; /* hashes of the %trace written: --keep-ids */
	uint32_t *trace_input;
	size_t trace_inputs_room;
	struct iot_error error;
	struct iot_progress progress;
};

/* Sorts the inputs and finds shifts, moves, tick and lacks. IOT_EXIT_OK, or the exit status. */
int iot_merge_align(struct iot_merge *m);
/* The text of an input's %trace as it is in the output; false: out of memory. */
bool iot_merge_trace_text(struct iot_merge *m, const struct iot_merge_input *in,
			  struct iot_text *text);

/* Inputs */

/* Reads the first batch of all; closes those that can be opened again, unless told to keep them. */
int iot_merge_inspect(struct iot_merge *m, bool keep_open);
/* Whether all %trace go to the head of the output. */
bool iot_merge_has_head(const struct iot_merge *m);
/* Inputs [first, end) become the streams. */
int iot_merge_begin_inputs(struct iot_merge *m, size_t first, size_t end);
void iot_merge_close_streams(struct iot_merge *m);
void iot_merge_close_stream(struct iot_merge_source *s);

/* Out. All return an exit status. */

/* A message; IOT_EXIT_FAULT. */
int iot_merge_tell(struct iot_merge *m, const char *sentence);
int iot_merge_write_fault(struct iot_merge *m);
int iot_merge_write_other(struct iot_merge *m, struct iot_event ev);
/* Writes the records that wait. */
int iot_merge_flush(struct iot_merge *m);
/* All that the streams have. */
int iot_merge_streams(struct iot_merge *m);

/* All of it. The exit status. */
int iot_merge(const struct iot_merge_options *o, char *const *paths, size_t count);

/* Which stream is next: a tree of losers. */

struct iot_merge_leaf {
	uint64_t key; /* start of a stream's next event; UINT64_MAX: none */
	uint64_t source;
};

struct iot_merge_tree {
	struct iot_merge_leaf *node; /* [0]: the winner */
	size_t count;
	struct iot_merge_source *const *sources;
};

/* sources: their at and end are set. False: out of memory. */
bool iot_merge_tree_init(struct iot_merge_tree *t, struct iot_merge_source *const *sources,
			 size_t count);
void iot_merge_tree_free(struct iot_merge_tree *t);
/* Of two streams whose next events start together (or that are at their ends), whether a is first. */
bool iot_merge_before(const struct iot_merge_source *a, const struct iot_merge_source *b);
/* The least key but the winner's. */
uint64_t iot_merge_tree_second(const struct iot_merge_tree *t);

static inline uint64_t iot_merge_key(const struct iot_merge_source *s)
{
	return s->at < s->end ? (uint64_t)s->at->rec.start_ns : UINT64_MAX;
}

/*
 * The winner's key has become `key`. Who wins is what a processor cannot foresee, so both are
 * exchanged, or not, without a branch.
 */
static inline void iot_merge_tree_replay(struct iot_merge_tree *t, uint64_t key)
{
	struct iot_merge_leaf now = {key, t->node[0].source};
	for (size_t at = (now.source + t->count) / 2; at > 0; at /= 2) {
		const struct iot_merge_leaf other = t->node[at];
		bool loses = other.key < now.key;
		if (__builtin_expect(other.key == now.key, 0))
			loses = iot_merge_before(t->sources[other.source], t->sources[now.source]);
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
