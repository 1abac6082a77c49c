/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams, in order, to a writer or into the spool. */
#include <stdio.h>
#include <xxhash.h>

#include "merge.h"
#include "cli/ui/signals.h"

int iot_merge_tell(struct iot_merge *m, const char *sentence)
{
	iot_progress_clear(&m->progress);
	iot_message("%s", sentence);
	return IOT_EXIT_FAULT;
}

int iot_merge_write_fault(struct iot_merge *m)
{
	iot_progress_clear(&m->progress);
	return iot_write_fault(m->writer, &m->options->write);
}

/* Out */

int iot_merge_flush(struct iot_merge *m)
{
	const size_t n = m->out_count;
	m->out_count = 0;
	iot_rounding_records(&m->rounding, m->out, n);
	return iot_writer_records(m->writer, m->out, n) == IOT_OK ? IOT_EXIT_OK
								  : iot_merge_write_fault(m);
}

/* In slices of one trace, %trace comes again and again. */
static bool is_repeated(struct iot_merge *m, const struct iot_event *ev, bool *repeated)
{
	const size_t before = m->traces.count;
	size_t n = iot_map_number(&m->traces, XXH3_64bits(ev->text.data, ev->text.size));
	uint32_t *fitted =
	    n == SIZE_MAX ? NULL
			  : iot_map_fit(m->trace_input, &m->trace_inputs_room, n, sizeof *fitted);
	if (fitted == NULL)
		return false;
	m->trace_input = fitted;
	if (m->traces.count > before)
		fitted[n] = ev->rec.spare;
	*repeated = fitted[n] != ev->rec.spare;
	return true;
}

int iot_merge_write_other(struct iot_merge *m, struct iot_event ev)
{
	bool repeated = false;
	int status = iot_merge_flush(m);
	if (status != IOT_EXIT_OK)
		return status;
	m->ids.current = ev.rec.spare;
	if (ev.kind == IOT_TRACE && !iot_merge_trace_text(m, &m->inputs[ev.rec.spare], &ev.text))
		return iot_merge_tell(m, "out of memory");
	if (m->ids.keep && ev.kind == IOT_TRACE && !is_repeated(m, &ev, &repeated))
		return iot_merge_tell(m, "out of memory");
	if (repeated)
		return IOT_EXIT_OK;
	if (ev.kind == IOT_PROCESS && !iot_merge_ids_process(&m->ids, &ev))
		return iot_merge_tell(m, "out of memory");
	ev.has = 0; /* rec tells its place; what it means is in the text */
	if (!m->ids.keep && !iot_renumber_event(&m->renumber, &ev))
		return iot_merge_tell(m, "out of memory");
	iot_rounding_events(&m->rounding, &ev, 1);
	return iot_writer_events(m->writer, &ev, 1) == IOT_OK ? IOT_EXIT_OK
							      : iot_merge_write_fault(m);
}

static int spool(struct iot_merge *m, const struct iot_event *ev)
{
	if (iot_spool_put(m->spool, ev) != IOT_OK)
		return iot_merge_tell(m, m->error.text);
	return IOT_EXIT_OK;
}

static inline int emit(struct iot_merge *m, const struct iot_event *ev)
{
	if (m->spooling)
		return spool(m, ev);
	if (ev->kind != IOT_RECORD)
		return iot_merge_write_other(m, *ev);
	struct iot_record *rec = &m->out[m->out_count];
	*rec = ev->rec;
	if (!iot_merge_ids_record(&m->ids, rec))
		return iot_merge_tell(m, "out of memory");
	rec->spare = 0;
	m->out_count++;
	m->records++;
	return m->out_count < IOT_MERGE_BATCH ? IOT_EXIT_OK : iot_merge_flush(m);
}

/* Streams */

static void show_progress(struct iot_merge *m, struct iot_merge_source *s)
{
	uint64_t stored = s->batch[s->current].stored;
	if (stored > s->seen) {
		m->stored += stored - s->seen;
		s->seen = stored;
	}
	iot_progress_show(&m->progress, m->stored, m->total, m->records);
}

/* What is to be said of a stream that has ended. */
static int tell_end(struct iot_merge *m, const struct iot_merge_source *s)
{
	char text[512];
	if (s->cut) {
		m->damaged = true;
	} else if (s->fault.status != IOT_OK) {
		m->damaged = true;
		(void)iot_merge_tell(m, s->fault.text);
	} else if (s->lossy) {
		m->damaged = true;
		snprintf(text, sizeof text, "%s: damaged; records were lost", s->input->shown);
		(void)iot_merge_tell(m, text);
	}
	return s->fatal ? IOT_EXIT_FAULT : IOT_EXIT_OK;
}

static void show_batch(struct iot_merge *m, struct iot_merge_source *s)
{
	struct iot_merge_batch *b = &s->batch[s->current];
	s->at = b->ev;
	s->end = b->ev + b->count;
	if (!b->last)
		iot_merge_ahead_ask(m->ahead, s);
}

/* The current batch is done: the next one that has something in it, or the end. */
static int next_batch(struct iot_merge *m, struct iot_merge_source *s)
{
	while (s->at == s->end) {
		if (iot_signal_pending() != 0)
			return IOT_EXIT_FAULT;
		if (s->batch[s->current].last)
			return tell_end(m, s);
		iot_merge_ahead_wait(m->ahead, s);
		s->current = !s->current;
		show_batch(m, s);
		show_progress(m, s);
	}
	return IOT_EXIT_OK;
}

static inline int step(struct iot_merge *m, struct iot_merge_source *s)
{
	int status = emit(m, s->at);
	s->at++;
	if (status == IOT_EXIT_OK && s->at == s->end)
		status = next_batch(m, s);
	return status;
}

/* While one stream stays ahead of all others, nothing has to be played. */
static int run_tree(struct iot_merge *m, struct iot_merge_tree *t)
{
	int status = IOT_EXIT_OK;
	while (t->node[0].key != UINT64_MAX && status == IOT_EXIT_OK) {
		const uint64_t winner = t->node[0].source;
		struct iot_merge_source *s = t->sources[winner];
		status = step(m, s);
		iot_merge_tree_replay(t, iot_merge_key(s));
		if (t->node[0].source != winner)
			continue;
		const uint64_t limit = iot_merge_tree_second(t);
		uint64_t key = t->node[0].key;
		while (key < limit && status == IOT_EXIT_OK) {
			status = step(m, s);
			key = iot_merge_key(s);
		}
		iot_merge_tree_replay(t, key);
	}
	return status;
}

int iot_merge_streams(struct iot_merge *m)
{
	struct iot_merge_tree tree;
	int status = IOT_EXIT_OK;
	m->ahead = iot_merge_ahead_new(m->source_count);
	for (size_t i = 0; i < m->source_count; i++)
		show_batch(m, m->sources[i]);
	for (size_t i = 0; i < m->source_count && status == IOT_EXIT_OK; i++)
		status = next_batch(m, m->sources[i]);
	if (status == IOT_EXIT_OK) {
		bool fine = iot_merge_tree_init(&tree, m->sources, m->source_count);
		status = fine ? run_tree(m, &tree) : iot_merge_tell(m, "out of memory");
		iot_merge_tree_free(&tree);
	}
	/* The thread may wait for a pipe. */
	for (size_t i = 0; i < m->source_count && status != IOT_EXIT_OK; i++)
		iot_piped_end(&m->sources[i]->piped);
	iot_merge_ahead_free(m->ahead);
	m->ahead = NULL;
	return status;
}
