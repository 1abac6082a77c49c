/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges n streams, each in order of start, to one.
 *
 *	merge.c        the stage: opens the inputs, selects the next event, writes ids and %trace
 *	merge_input.c  the events of an input, with their sort keys
 *	merge_align.c  time zero of each input in the output, and the %trace of the output
 *	merge_runs.c   merged events in a temporary file, if not all inputs can be read at once
 *	merge_ids.c    maps ids, and continues CPU clocks
 *
 * The order is start, process, file, then all other fields; events equal in all of them are in the
 * order of the inputs, which are sorted by their contents. Ids are compared as in the inputs.
 * Only the heads of streams are compared, so each stream keeps its own order.
 *
 * Here, rec of a directive or comment is its sort key, and IOT_HAS_TIME means that this key is its
 * own; otherwise the key belongs to the event that follows.
 */
#ifndef LIB_FILTER_MERGE_H
#define LIB_FILTER_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/filter.h>

#include "lib/base/error.h"
#include "lib/base/tempfile.h"
#include "lib/base/text_blocks.h"

#include "remap_ids.h"
#include "time_shift.h"

/* Inputs */

/* What is known of an input after its first events. */
struct merge_input {
	struct merge_stream *stream;
	const char *name;
	size_t number;    /* among the streams of the caller */
	uint32_t index;   /* in an order independent of that */
	int64_t first_ns; /* start of its first record; INT64_MAX: none among its first events */
	struct {
		char *text; /* of the preceding %trace, each ending in LF */
		size_t size, capacity;
		char *host; /* NULL: not declared */
		char *job;  /* the same */
		unsigned lacks;
		bool has_epoch;
		int64_t epoch_ns;
	} trace;
	int64_t shift_ns;           /* as requested */
	int64_t move_ns;            /* to be added to its times, >= 0 */
	uint32_t ids_max[ID_KINDS]; /* among its first events */
};

/*
 * A stream in order: an input, or a run. Its events are first the held ones, then the events of
 * the batch.
 */
struct merge_stream {
	struct iot_stream *upstream; /* NULL: a run */
	struct iot_batch *batch;
	struct iot_event *at, *end; /* the next events */
	bool in_held;               /* these are held ones */
	bool ended;                 /* no others follow */
	int status;                 /* why: IOT_OK, or the error of an input */
	int failed;   /* an error that ends the merge after the last event; or IOT_OK */
	size_t ready; /* events of the batch up to its last record; the others are held next */

	uint64_t bytes_done, bytes_total; /* as its batches report */

	const struct merge_input *input;
	bool drops_traces; /* %trace before the first record */
	struct {
		struct iot_event *ev;
		size_t count, capacity, bytes, bytes_max;
	} held;                     /* directives whose sort key depends on the next record */
	struct text_blocks text[2]; /* of held events, and shifted texts */
	unsigned turn;              /* the one in use */
	struct time_shift shift;
	int64_t last_ns;   /* start of its previous record */
	int64_t max_ns;    /* latest time so far */
	int64_t placed_ns; /* sort key of its previous event */

	struct merge_run *run;
	uint32_t *from; /* of a run: index of the input of each event */
};

/* Returns NULL if out of memory. */
struct merge_stream *merge_stream_new(struct iot_stream *upstream, size_t held_max);
void merge_stream_free(struct merge_stream *s);
/*
 * Reads the first events, up to a record, and their properties. A %trace before the first record is
 * dropped if drops_traces. Returns IOT_OK, or an error that ends the merge.
 */
int merge_stream_open(struct merge_stream *s, struct merge_input *in, struct error *error);
/* Shifts times: of the first events, and of all that follow. */
int merge_stream_begin(struct merge_stream *s, const struct merge_input *in, struct error *error);
/* Reads the next events of an input. Call if none is left. */
int merge_stream_fill(struct merge_stream *s, struct error *error);
/* Proceeds to the events of the batch. */
void merge_stream_advance(struct merge_stream *s);

static inline uint32_t merge_stream_from(const struct merge_stream *s)
{
	return s->input != NULL ? s->input->index : s->from[s->at - s->batch->events];
}

/* Runs: merged events of several inputs, one run after the other in one temporary file. */

struct merge_runs {
	struct tempfile file;
	struct merge_run_end {
		uint64_t offset;
		int failed; /* as in the stream of the run */
	} * end;            /* of each run */
	size_t count, capacity;
	struct iot_record last;
	uint32_t last_tag;
};

int merge_runs_append(struct merge_runs *r, const struct iot_event *ev, const uint32_t *from,
		      size_t n);
/* Ends the run; later events go to another one. failed: see merge_stream. */
int merge_runs_end(struct merge_runs *r, int failed);
void merge_runs_free(struct merge_runs *r);
/* A stream of a run. Returns NULL if out of memory. */
struct merge_stream *merge_run_open(struct merge_runs *r, size_t number);
int merge_run_fill(struct merge_stream *s);

/* Alignment */

struct merge_align {
	bool epochs;    /* all inputs have one */
	unsigned lacks; /* common to all inputs */
	char *trace;    /* a %trace that was rewritten */
	size_t trace_capacity;
};

/*
 * Sorts the inputs and determines shifts and missing fields. Returns IOT_OK, the status of
 * o->shift, or an error.
 */
int merge_align(struct merge_align *a, struct merge_input *inputs, size_t n,
		const struct iot_merge_options *o, struct error *error);
/* The text of an input's %trace in the output. Returns false if out of memory. */
bool merge_align_trace(struct merge_align *a, const struct merge_input *in, struct iot_text *text);

#endif
