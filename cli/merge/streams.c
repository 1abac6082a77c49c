/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the ordered streams to a writer or to the tempfile. */
#include <stdio.h>
#include <xxhash.h>

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

/* While one stream stays ahead of all others, no match has to be played. */
static int run_tree(struct merge *m, struct merge_tree *t)
{
	int status = EXIT_OK;
	while (t->node[0].key != UINT64_MAX && status == EXIT_OK) {
		const uint64_t winner = t->node[0].source;
		struct merge_source *s = t->sources[winner];
		status = step(m, s);
		merge_tree_replay(t, merge_key(s));
		if (t->node[0].source != winner)
			continue;
		const uint64_t limit = merge_tree_second(t);
		uint64_t key = t->node[0].key;
		while (key < limit && status == EXIT_OK) {
			status = step(m, s);
			key = merge_key(s);
		}
		merge_tree_replay(t, key);
	}
	return status;
}

int merge_streams(struct merge *m)
{
	struct merge_tree tree;
	int status = EXIT_OK;
	m->ahead = merge_prefetch_new(m->source_count);
	for (size_t i = 0; i < m->source_count; i++)
		show_batch(m, m->sources[i]);
	for (size_t i = 0; i < m->source_count && status == EXIT_OK; i++)
		status = next_batch(m, m->sources[i]);
	if (status == EXIT_OK) {
		bool fine = merge_tree_init(&tree, m->sources, m->source_count);
		status = fine ? run_tree(m, &tree) : merge_report(m, "out of memory");
		merge_tree_free(&tree);
	}
	/* The thread may be blocked on a pipe. */
	for (size_t i = 0; i < m->source_count && status != EXIT_OK; i++)
		piped_end(&m->sources[i]->piped);
	merge_prefetch_free(m->ahead);
	m->ahead = NULL;
	return status;
}
