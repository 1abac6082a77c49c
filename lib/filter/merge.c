/* SPDX-License-Identifier: BSD-2-Clause */
/* The stage that merges: see merge.h. */
#include "merge.h"

#include <stdio.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "lib/base/array.h"
#include "lib/base/loser_tree.h"
#include "lib/base/options.h"

#include "merge_ids.h"

enum {
	HELD_ALL = 256 << 20, /* total bytes of held directives of all inputs; again of %trace */
	HELD_MIN = 4 << 20,
	NAME_MAX_SIZE = 32
};

enum merge_phase { MERGE_OPEN, MERGE_HEADS, MERGE_RUNS, MERGE_WRITE };

struct merge {
	struct iot_merge_options options;
	struct error error;
	enum merge_phase phase;
	struct iot_stream **upstream; /* of the caller, by number */
	struct merge_input *inputs;
	size_t count;
	char *names; /* made for the inputs */
	struct merge_align align;
	uint64_t bytes_done, bytes_total; /* of all inputs */

	struct {
		struct merge_stream **all;
		size_t count;
		struct loser_tree tree;
		bool drained; /* the winner has no event left, but may not have ended */
	} streams;            /* that are merged now */
	uint32_t *from;       /* for each event selected for either batch: the index of its input */
	size_t from_capacity;

	struct merge_runs runs;
	struct iot_batch *run_batch;
	size_t grouped; /* inputs that are in runs */
	struct {
		size_t input;
		const char *at; /* in its %trace */
	} head;                 /* the next %trace of the head of the output */

	struct merge_ids ids;
	struct remap_ids remap;
	struct text_blocks text; /* that was rewritten */
	struct {
		struct idmap hashes;
		uint32_t *input;
		size_t capacity;
	} written; /* %trace: in slices of one trace, the same one repeats */
};

/* The order of events that start together */

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_texts(const struct iot_text *a, const struct iot_text *b)
{
	size_t n = a->size < b->size ? a->size : b->size;
	int order = n > 0 ? memcmp(a->data, b->data, n) : 0;
	return order != 0 ? order : compare(a->size, b->size);
}

/* Among events that are equal so far, directives with a key of their own follow records. */
static bool has_own_key(const struct iot_event *ev)
{
	return ev->kind != IOT_RECORD && (ev->has & IOT_HAS_TIME);
}

static int compare_events(const struct iot_event *a, const struct iot_event *b)
{
	const struct iot_record *x = &a->rec, *y = &b->rec;
	const bool own_a = has_own_key(a), own_b = has_own_key(b);
	const uint64_t fields[][2] = {{x->process, y->process},
				      {x->file, y->file},
				      {x->offset, y->offset},
				      {x->length, y->length},
				      {own_a, own_b},
				      {own_a ? 0 : x->type, own_b ? 0 : y->type},
				      {x->duration_ns, y->duration_ns},
				      {x->operation, y->operation},
				      {x->flags, y->flags}};
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (fields[i][0] != fields[i][1])
			return compare(fields[i][0], fields[i][1]);
	return own_a ? compare_texts(&a->text, &b->text) : 0;
}

/*
 * If the inputs are parts of one trace, an input that began before this time precedes one that
 * begins now. Returns 1, 0, or -1.
 */
static int compare_begun(const struct merge *m, int64_t start_ns, uint32_t a, uint32_t b)
{
	if (!m->options.keep_ids)
		return 0;
	return (m->inputs[b].first_ns < start_ns) - (m->inputs[a].first_ns < start_ns);
}

/* A loser_tree_tie_fn: context is the merge. */
static bool is_before(const void *context, uint32_t left, uint32_t right)
{
	const struct merge *m = context;
	const struct merge_stream *a = m->streams.all[left], *b = m->streams.all[right];
	const uint32_t from_a = merge_stream_from(a), from_b = merge_stream_from(b);
	int order = compare_begun(m, a->at->rec.start_ns, from_a, from_b);
	if (order == 0)
		order = compare_events(a->at, b->at);
	return order != 0 ? order < 0 : from_a < from_b;
}

/* Streams */

/* Proceeds to the next events of a stream that has none left; reports the end of an input. */
static int refill(struct merge *m, struct merge_stream *s)
{
	const uint64_t before = s->bytes_done;
	int status = IOT_OK;
	while (s->at == s->end && !s->ended && status == IOT_OK)
		status = s->run != NULL ? merge_run_fill(s) : merge_stream_fill(s, &m->error);
	m->bytes_done += s->bytes_done - before;
	if (status == IOT_OK && s->at == s->end)
		status = s->failed;
	if (status != IOT_OK)
		return error_set(&m->error, status, "out of memory");
	if (s->at == s->end && s->input != NULL && m->options.ended != NULL)
		m->options.ended(m->options.context, s->input->number, s->status,
				 s->status != IOT_OK ? iot_stream_error(s->upstream) : "");
	return IOT_OK;
}

static struct loser_entry entry_of(const struct merge_stream *s, size_t number)
{
	if (s->at == s->end)
		return LOSER_TREE_END;
	return (struct loser_entry){loser_tree_key(s->at->rec.start_ns), number};
}

static int begin_streams(struct merge *m)
{
	struct loser_tree *t = &m->streams.tree;
	t->leaves = m->streams.count;
	for (size_t i = 0; i < t->leaves; i++) {
		const int status = refill(m, m->streams.all[i]);
		if (status != IOT_OK)
			return status;
		t->node[t->leaves + i] = entry_of(m->streams.all[i], i);
	}
	loser_tree_build(t, is_before, m);
	m->streams.drained = false;
	return IOT_OK;
}

static void free_streams(struct merge *m)
{
	assert(m->streams.all != NULL || m->streams.count == 0);
	for (size_t i = 0; i < m->streams.count; i++)
		merge_stream_free(m->streams.all[i]);
	m->streams.count = 0;
}

/* Makes inputs [first, end) the streams. */
static int begin_inputs(struct merge *m, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		struct merge_input *in = &m->inputs[i];
		struct merge_stream *s = in->stream;
		in->stream = NULL;
		m->streams.all[m->streams.count++] = s;
		if (merge_stream_begin(s, in, &m->error) != IOT_OK)
			return m->error.status;
	}
	return begin_streams(m);
}

/*
 * Appends the events of stream s to b while they precede `limit`, but at least one; then replays
 * its path, unless the stream has to be filled, which invalidates its texts.
 */
static void select_run(struct merge *m, struct merge_stream *s, uint64_t limit, struct iot_batch *b)
{
	const uint32_t winner = loser_tree_winner(&m->streams.tree);
	struct loser_entry now;
	do {
		m->from[b->count] = merge_stream_from(s);
		b->events[b->count++] = *s->at++;
		if (s->at == s->end && s->in_held)
			merge_stream_advance(s);
		m->streams.drained = s->at == s->end;
		now = entry_of(s, winner);
	} while (now.key < limit && b->count < b->capacity);
	if (!m->streams.drained)
		loser_tree_replay(&m->streams.tree, winner, now, is_before, m);
}

/* Fills b with the next events of all streams. Returns 1, 0 at their end, or a negative status. */
static int select_events(struct merge *m, struct iot_batch *b)
{
	struct loser_tree *t = &m->streams.tree;
	uint32_t last = UINT32_MAX;
	if (m->streams.drained) {
		const uint32_t winner = loser_tree_winner(t);
		struct merge_stream *s = m->streams.all[winner];
		const int status = refill(m, s);
		if (status != IOT_OK)
			return status;
		loser_tree_replay(t, winner, entry_of(s, winner), is_before, m);
		m->streams.drained = false;
	}
	while (b->count < b->capacity && !m->streams.drained && !loser_tree_ended(t)) {
		const uint32_t winner = loser_tree_winner(t);
		/* While one stream stays ahead of all others, no match has to be played. */
		const uint64_t limit = winner == last ? loser_tree_second(t) : 0;
		select_run(m, m->streams.all[winner], limit, b);
		last = winner;
	}
	return b->count > 0;
}

/* Output */

/* In slices of one trace, the same %trace repeats. */
static bool is_repeated(struct merge *m, struct iot_text text, uint32_t from, bool *repeated)
{
	const size_t before = m->written.hashes.count;
	const size_t n = idmap_number(&m->written.hashes, XXH3_64bits(text.data, text.size));
	if (!array_reserve_index(&m->written.input, &m->written.capacity, n,
				 sizeof(*m->written.input)))
		return false;
	if (m->written.hashes.count > before)
		m->written.input[n] = from;
	*repeated = m->written.input[n] != from;
	return true;
}

/* Rewrites the text of an event of input `from`. Returns false if out of memory. */
static bool rewrite(struct merge *m, struct iot_event *ev, uint32_t from, bool *repeated)
{
	const struct merge_input *in = &m->inputs[from];
	const char *text = ev->text.data;
	m->ids.current = from;
	if (ev->kind == IOT_TRACE && !merge_align_trace(&m->align, in, &ev->text))
		return false;
	if (m->ids.keep && ev->kind == IOT_TRACE && !is_repeated(m, ev->text, from, repeated))
		return false;
	if (ev->kind == IOT_PROCESS && !merge_ids_process(&m->ids, ev))
		return false;
	ev->has = 0; /* rec contains the sort key; the content is in the text */
	if (!m->ids.keep && !remap_ids_event(&m->remap, ev))
		return false;
	return ev->text.data == text || text_blocks_copy(&m->text, &ev->text);
}

/* Gives the selected events the ids and texts of the output. */
static int finish_events(struct merge *m, struct iot_batch *b)
{
	size_t kept = 0;
	for (size_t i = 0; i < b->count; i++) {
		struct iot_event *ev = &b->events[i];
		bool dropped = false;
		if (!(ev->kind == IOT_RECORD ? merge_ids_record(&m->ids, m->from[i], &ev->rec)
					     : rewrite(m, ev, m->from[i], &dropped)))
			return error_no_memory(&m->error);
		if (dropped)
			continue;
		if (kept < i)
			b->events[kept] = *ev;
		kept++;
	}
	b->count = kept;
	return 1;
}

/* Phases */

static bool has_head(const struct merge *m)
{
	return m->count > 1 && !m->options.keep_ids;
}

static int open_inputs(struct merge *m)
{
	const size_t each = HELD_ALL / m->count;
	bool sizes_known = true;
	for (size_t i = 0; i < m->count; i++) {
		struct merge_stream *s =
		    merge_stream_new(m->upstream[i], each > HELD_MIN ? each : HELD_MIN);
		if (s == NULL)
			return error_no_memory(&m->error);
		s->drops_traces = has_head(m);
		if (merge_stream_open(s, &m->inputs[i], &m->error) != IOT_OK)
			return m->error.status;
		m->bytes_done += s->bytes_done;
		m->bytes_total += s->bytes_total;
		sizes_known = sizes_known && s->bytes_total > 0;
	}
	if (!sizes_known)
		m->bytes_total = 0;
	if (merge_align(&m->align, m->inputs, m->count, &m->options, &m->error) != IOT_OK)
		return m->error.status;
	if (!merge_ids_init(&m->ids, m->inputs, m->count, m->options.keep_ids,
			    m->options.join_paths))
		return error_no_memory(&m->error);
	m->ids.keep_processes = m->options.keep_processes != 0;
	m->phase = MERGE_HEADS;
	return 1;
}

/* The %trace of all inputs precede everything else. */
static void select_heads(struct merge *m, struct iot_batch *b)
{
	while (m->head.input < m->count && b->count < b->capacity) {
		const struct merge_input *in = &m->inputs[m->head.input];
		const char *at = m->head.at != NULL ? m->head.at : in->trace.text;
		const char *end = in->trace.size > 0 ? in->trace.text + in->trace.size : at;
		if (at == end) {
			m->head.input++;
			m->head.at = NULL;
			continue;
		}
		const char *lf = memchr(at, '\n', (size_t)(end - at));
		m->from[b->count] = in->index;
		b->events[b->count++] =
		    (struct iot_event){.kind = IOT_TRACE, .text = {at, (size_t)(lf - at)}};
		m->head.at = lf + 1;
	}
}

static int write_heads(struct merge *m, struct iot_batch *b)
{
	if (has_head(m))
		select_heads(m, b);
	if (b->count > 0)
		return finish_events(m, b);
	const bool at_once = m->options.open_max == 0 || m->count <= m->options.open_max;
	m->phase = at_once ? MERGE_WRITE : MERGE_RUNS;
	if (!at_once && (m->run_batch = iot_batch_new(IOT_BATCH_EVENTS)) == NULL)
		return error_no_memory(&m->error);
	const int status = at_once ? begin_inputs(m, 0, m->count) : IOT_OK;
	return status == IOT_OK ? 1 : status;
}

static int begin_runs(struct merge *m)
{
	m->phase = MERGE_WRITE;
	for (size_t i = 0; i < m->runs.count; i++) {
		struct merge_stream *s = merge_run_open(&m->runs, i);
		if (s == NULL)
			return error_no_memory(&m->error);
		m->streams.all[m->streams.count++] = s;
	}
	return begin_streams(m);
}

/* Merges some events of a group of inputs to a run, or begins the next group. */
static int write_run(struct merge *m)
{
	struct iot_batch *b = m->run_batch;
	int status = IOT_OK;
	b->count = 0;
	const int got = m->streams.count > 0 ? select_events(m, b) : 0;
	if (got < 0 && !error_in_input(got))
		return got;
	if (b->count > 0) {
		status = merge_runs_append(&m->runs, b->events, m->from, b->count);
		return status == IOT_OK ? 1 : status;
	}
	if (m->streams.count > 0)
		status = merge_runs_end(&m->runs, got);
	free_streams(m);
	const size_t left = m->count - m->grouped, max = (size_t)m->options.open_max;
	const size_t n = left < max ? left : max;
	if (status == IOT_OK)
		status = n > 0 ? begin_inputs(m, m->grouped, m->grouped + n) : begin_runs(m);
	m->grouped += n;
	return status == IOT_OK ? 1 : status;
}

static int next_events(struct merge *m, struct iot_batch *b)
{
	const size_t events = b->capacity > IOT_BATCH_EVENTS ? b->capacity : IOT_BATCH_EVENTS;
	if (!array_reserve(&m->from, &m->from_capacity, events, sizeof(*m->from)))
		return error_no_memory(&m->error);
	text_blocks_reset(&m->text);
	switch (m->phase) {
	case MERGE_OPEN:
		return open_inputs(m);
	case MERGE_HEADS:
		return write_heads(m, b);
	case MERGE_RUNS:
		return write_run(m);
	case MERGE_WRITE:
		break;
	}
	const int got = select_events(m, b);
	if (got > 0)
		b->watermark_ns = b->events[b->count - 1].rec.start_ns;
	return got > 0 ? finish_events(m, b) : got;
}

static int next(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct merge *m = context;
	const int got = next_events(m, b);
	b->bytes_done = m->bytes_done;
	b->bytes_total = m->bytes_total;
	return got < 0 ? iot_stream_fail(self, got, m->error.text) : got;
}

/* The stage */

static void close_stage(void *context)
{
	struct merge *m = context;
	free_streams(m);
	for (size_t i = 0; i < m->count; i++) {
		merge_stream_free(m->inputs[i].stream);
		free(m->inputs[i].trace.text);
		free(m->inputs[i].trace.host);
		free(m->inputs[i].trace.job);
		iot_stream_free(m->upstream[i]);
	}
	merge_runs_free(&m->runs);
	iot_batch_free(m->run_batch);
	merge_ids_free(&m->ids);
	remap_ids_free(&m->remap);
	text_blocks_free(&m->text);
	idmap_free(&m->written.hashes);
	free(m->written.input);
	free(m->align.trace);
	free(m->from);
	free(m->streams.tree.node);
	free(m->streams.all);
	free(m->names);
	free(m->inputs);
	free(m->upstream);
	free(m);
}

static bool name_inputs(struct merge *m)
{
	const char *const *given = m->options.name;
	m->names = given == NULL ? malloc(m->count * NAME_MAX_SIZE) : NULL;
	if (given == NULL && m->names == NULL)
		return false;
	for (size_t i = 0; i < m->count; i++) {
		char *name = given == NULL ? m->names + i * NAME_MAX_SIZE : NULL;
		if (name != NULL)
			snprintf(name, NAME_MAX_SIZE, "input %zu", i);
		m->inputs[i].name = name != NULL ? name : given[i];
		m->inputs[i].number = i;
	}
	return true;
}

/* The inputs remain the caller's if this fails. */
static struct merge *merge_new(struct iot_stream **inputs, size_t n,
			       const struct iot_merge_options *options)
{
	struct merge *m = calloc(1, sizeof(*m));
	if (m == NULL)
		return NULL;
	const bool valid = options_copy(&m->options, sizeof(m->options), options) &&
			   m->options.keep_ids <= 1 && m->options.keep_processes <= 1 &&
			   m->options.join_paths <= IOT_JOIN_JOBS &&
			   (m->options.keep_ids == 0 || m->options.join_paths == IOT_JOIN_NONE) &&
			   m->options.open_max != 1;
	tempfile_init(&m->runs.file, &m->error);
	m->remap = (struct remap_ids){.map = merge_ids_map, .context = &m->ids};
	m->upstream = calloc(n, sizeof(*m->upstream));
	m->inputs = calloc(n, sizeof(*m->inputs));
	m->streams.all = calloc(n, sizeof(struct merge_stream *));
	m->streams.tree.node = calloc(2 * n, sizeof(*m->streams.tree.node));
	const bool complete = valid && m->upstream != NULL && m->inputs != NULL &&
			      m->streams.all != NULL && m->streams.tree.node != NULL;
	m->count = complete ? n : 0;
	if (complete && name_inputs(m)) {
		memcpy(m->upstream, inputs, n * sizeof(*inputs));
		return m;
	}
	close_stage(m);
	return NULL;
}

struct iot_stream *iot_stream_merge(struct iot_stream **inputs, size_t n,
				    const struct iot_merge_options *options)
{
	static const struct iot_stage stage = {.next = next, .close = close_stage};
	bool valid = n > 0 && n <= UINT32_MAX;
	for (size_t i = 0; i < n; i++)
		valid = valid && inputs[i] != NULL;
	struct merge *m = valid ? merge_new(inputs, n, options) : NULL;
	if (m != NULL)
		return iot_stream_new(NULL, &stage, m);
	for (size_t i = 0; i < n; i++)
		iot_stream_free(inputs[i]);
	return NULL;
}
