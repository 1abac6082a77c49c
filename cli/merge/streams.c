/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the ordered streams to a writer or to the tempfile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "lib/base/loser_tree.h"

#include "merge.h"
#include "cli/ui/signals.h"

int merge_report(struct merge *m, const char *sentence)
{
	progress_clear(&m->progress);
	print_message("%s", sentence);
	return EXIT_FAULT;
}

int merge_write_fault(struct merge *m)
{
	progress_clear(&m->progress);
	return report_write_error(m->writer, &m->options->write);
}

/* Output */

int merge_flush(struct merge *m)
{
	const size_t n = m->out_count;
	m->out_count = 0;
	rounding_records(&m->rounding, m->out, n);
	return iot_writer_records(m->writer, m->out, n) == IOT_OK ? EXIT_OK : merge_write_fault(m);
}

/* In slices of one trace, the same %trace repeats. */
static bool is_repeated(struct merge *m, const struct iot_event *ev, bool *repeated)
{
	const size_t before = m->traces.count;
	size_t n = idmap_number(&m->traces, XXH3_64bits(ev->text.data, ev->text.size));
	if (!array_reserve_index(&m->trace_input, &m->trace_inputs_capacity, n,
				 sizeof *m->trace_input))
		return false;
	if (m->traces.count > before)
		m->trace_input[n] = ev->rec.spare;
	*repeated = m->trace_input[n] != ev->rec.spare;
	return true;
}

int merge_write_other(struct merge *m, struct iot_event ev)
{
	bool repeated = false;
	int status = merge_flush(m);
	if (status != EXIT_OK)
		return status;
	m->ids.current = ev.rec.spare;
	if (ev.kind == IOT_TRACE && !merge_trace_text(m, &m->inputs[ev.rec.spare], &ev.text))
		return merge_report(m, "out of memory");
	if (m->ids.keep && ev.kind == IOT_TRACE && !is_repeated(m, &ev, &repeated))
		return merge_report(m, "out of memory");
	if (repeated)
		return EXIT_OK;
	if (ev.kind == IOT_PROCESS && !merge_ids_process(&m->ids, &ev))
		return merge_report(m, "out of memory");
	ev.has = 0; /* rec contains the sort key; the content is in the text */
	if (!m->ids.keep && !remap_ids_event(&m->renumber, &ev))
		return merge_report(m, "out of memory");
	rounding_events(&m->rounding, &ev, 1);
	return iot_writer_events(m->writer, &ev, 1) == IOT_OK ? EXIT_OK : merge_write_fault(m);
}

static int tempfile(struct merge *m, const struct iot_event *ev)
{
	if (merge_tempfile_append(m->tempfile, ev) != IOT_OK)
		return merge_report(m, m->error.text);
	return EXIT_OK;
}

static inline int emit(struct merge *m, const struct iot_event *ev)
{
	if (m->spooling)
		return tempfile(m, ev);
	if (ev->kind != IOT_RECORD)
		return merge_write_other(m, *ev);
	struct iot_record *rec = &m->out[m->out_count];
	*rec = ev->rec;
	if (!merge_ids_record(&m->ids, rec))
		return merge_report(m, "out of memory");
	rec->spare = 0;
	m->out_count++;
	m->records++;
	return m->out_count < MERGE_BATCH ? EXIT_OK : merge_flush(m);
}

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

static int compare_events(const struct iot_event *a, const struct iot_event *b)
{
	const struct iot_record *x = &a->rec, *y = &b->rec;
	const uint64_t fields[][2] = {
	    {x->process, y->process},     {x->file, y->file},  {x->offset, y->offset},
	    {x->length, y->length},       {x->type, y->type},  {x->duration_ns, y->duration_ns},
	    {x->operation, y->operation}, {x->flags, y->flags}};
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (fields[i][0] != fields[i][1])
			return compare(fields[i][0], fields[i][1]);
	int order = x->type == MERGE_TIE ? compare_texts(&a->text, &b->text) : 0;
	return order != 0 ? order : compare(x->spare, y->spare);
}

/* Parts of one trace that have started end before those that start now: returns 1, 0, or -1. */
static int compare_begun(const struct merge *m, const struct iot_record *a,
			 const struct iot_record *b)
{
	if (!m->options->keep_ids)
		return 0;
	bool begun_a = m->inputs[a->spare].first_ns < a->start_ns;
	bool begun_b = m->inputs[b->spare].first_ns < b->start_ns;
	return begun_b - begun_a;
}

/* A loser_tree_tie_fn: context is the streams. */
bool merge_before(const void *context, uint32_t left, uint32_t right)
{
	struct merge_source *const *sources = context;
	const struct merge_source *a = sources[left], *b = sources[right];
	int order = compare_begun(a->merge, &a->at->rec, &b->at->rec);
	if (order == 0)
		order = compare_events(a->at, b->at);
	return order < 0;
}

/* Streams */

static void show_progress(struct merge *m, struct merge_source *s)
{
	uint64_t stored = s->batch[s->current].stored;
	if (stored > s->seen) {
		m->stored += stored - s->seen;
		s->seen = stored;
	}
	progress_show(&m->progress, m->stored, m->total, m->records);
}

/* The messages about a stream that has ended. */
static int report_end(struct merge *m, const struct merge_source *s)
{
	char text[512];
	if (s->cut) {
		m->damaged = true;
	} else if (s->fault.status != IOT_OK) {
		m->damaged = true;
		(void)merge_report(m, s->fault.text);
	} else if (s->lossy) {
		m->damaged = true;
		snprintf(text, sizeof text, "%s: damaged; records were lost", s->input->shown);
		(void)merge_report(m, text);
	}
	return s->fatal ? EXIT_FAULT : EXIT_OK;
}

static void show_batch(struct merge *m, struct merge_source *s)
{
	struct merge_batch *b = &s->batch[s->current];
	s->at = b->ev;
	s->end = b->ev + b->count;
	if (!b->last)
		merge_prefetch_ask(m->ahead, s);
}

/* The current batch is empty: loads the next batch with events, or the end. */
static int next_batch(struct merge *m, struct merge_source *s)
{
	while (s->at == s->end) {
		if (signal_pending() != 0)
			return EXIT_FAULT;
		if (s->batch[s->current].last)
			return report_end(m, s);
		merge_prefetch_wait(m->ahead, s);
		s->current = !s->current;
		show_batch(m, s);
		show_progress(m, s);
	}
	return EXIT_OK;
}

static inline int step(struct merge *m, struct merge_source *s)
{
	int status = emit(m, s->at);
	s->at++;
	if (status == EXIT_OK && s->at == s->end)
		status = next_batch(m, s);
	return status;
}

static struct loser_entry entry_of(const struct merge_source *s, size_t number)
{
	if (s->at == s->end)
		return LOSER_TREE_END;
	return (struct loser_entry){loser_tree_key(s->at->rec.start_ns), number};
}

/* While one stream stays ahead of all others, no match has to be played. */
static int run_tree(struct merge *m, struct loser_tree *t)
{
	struct merge_source *const *sources = m->sources;
	int status = EXIT_OK;
	while (!loser_tree_ended(t) && status == EXIT_OK) {
		const uint32_t winner = loser_tree_winner(t);
		struct merge_source *s = sources[winner];
		status = step(m, s);
		struct loser_entry now = entry_of(s, winner);
		loser_tree_replay(t, winner, now, merge_before, sources);
		if (loser_tree_ended(t) || loser_tree_winner(t) != winner)
			continue;
		const uint64_t limit = loser_tree_second(t);
		while (now.key < limit && status == EXIT_OK) {
			status = step(m, s);
			now = entry_of(s, winner);
		}
		loser_tree_replay(t, winner, now, merge_before, sources);
	}
	return status;
}

/* Merges the streams, each of which has an event or has ended. */
static int merge_events(struct merge *m)
{
	const size_t n = m->source_count;
	struct loser_tree t = {.node = calloc(2 * n, sizeof(*t.node)), .leaves = n};
	if (t.node == NULL)
		return merge_report(m, "out of memory");
	for (size_t i = 0; i < n; i++)
		t.node[n + i] = entry_of(m->sources[i], i);
	loser_tree_build(&t, merge_before, m->sources);
	const int status = run_tree(m, &t);
	free(t.node);
	return status;
}

int merge_streams(struct merge *m)
{
	int status = EXIT_OK;
	m->ahead = merge_prefetch_new(m->source_count);
	for (size_t i = 0; i < m->source_count; i++)
		show_batch(m, m->sources[i]);
	for (size_t i = 0; i < m->source_count && status == EXIT_OK; i++)
		status = next_batch(m, m->sources[i]);
	if (status == EXIT_OK)
		status = merge_events(m);
	/* The thread may be blocked on a pipe. */
	for (size_t i = 0; i < m->source_count && status != EXIT_OK; i++)
		piped_end(&m->sources[i]->piped);
	merge_prefetch_free(m->ahead);
	m->ahead = NULL;
	return status;
}
