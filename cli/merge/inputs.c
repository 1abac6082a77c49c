/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens inputs and examines the first batch of each. */
#include <stdlib.h>
#include <string.h>

#include "lib/format/directive.h"
#include "lib/base/number.h"

#include "merge.h"
#include "cli/ui/signals.h"

/* Heads: the first batch of an input */

/* A remap_id_fn that changes nothing. */
static bool see_id(void *context, enum remapped_id kind, uint32_t id, const struct iot_event *ev,
		   uint32_t *to)
{
	uint32_t *max = context;
	(void)ev;
	*to = id;
	max[kind] = id > max[kind] ? id : max[kind];
	return true;
}

static bool learn_trace(struct merge_input *in, const struct iot_event *ev)
{
	struct iot_text epoch = iot_directive_get(ev, "epoch"),
			host = iot_directive_get(ev, "host");
	struct iot_text lacks = iot_directive_get(ev, "lacks");
	uint64_t number;
	char *grown = realloc(in->traces, in->traces_size + ev->text.size + 1);
	if (grown == NULL)
		return false;
	in->traces = grown;
	memcpy(grown + in->traces_size, ev->text.data, ev->text.size);
	in->traces_size += ev->text.size + 1;
	grown[in->traces_size - 1] = '\n';
	if (!in->has_epoch && number_decimal(epoch.data, epoch.size, &number) &&
	    number <= INT64_MAX) {
		in->has_epoch = true;
		in->epoch_ns = (int64_t)number;
	}
	if (lacks.data != NULL)
		(void)directive_lacks(ev, &in->lacks);
	if (host.data == NULL || in->host != NULL)
		return true;
	in->host = calloc(1, host.size + 1);
	if (in->host != NULL)
		(void)iot_percent_decode(host, in->host, NULL);
	return in->host != NULL;
}

static bool learn(struct merge_input *in, const struct merge_batch *b)
{
	struct remap_ids see = {.map = see_id, .context = in->ids_max};
	bool fine = true, head = true;
	in->first_ns = INT64_MAX;
	for (size_t i = 0; i < b->count + b->held && fine; i++) {
		struct iot_event ev = b->ev[i];
		if (ev.kind == IOT_RECORD && head) {
			in->first_ns = ev.rec.start_ns;
			head = false;
		}
		if (ev.kind == IOT_TRACE && head)
			fine = learn_trace(in, &ev);
		ev.has = 0;
		fine = fine && remap_ids_event(&see, &ev);
	}
	remap_ids_free(&see);
	return fine;
}

/* These %trace are written at the head of the output. */
static void drop_traces(struct merge_batch *b)
{
	size_t kept = 0, n = b->count + b->held, dropped = 0;
	bool head = true;
	for (size_t i = 0; i < n; i++) {
		head = head && b->ev[i].kind != IOT_RECORD;
		if (!head || b->ev[i].kind != IOT_TRACE)
			b->ev[kept++] = b->ev[i];
		else if (i < b->count)
			dropped++;
	}
	b->held -= n - kept - dropped;
	b->count -= dropped;
}

bool merge_has_head(const struct merge *m)
{
	return m->count > 1 && !m->options->keep_ids;
}

/* Opening */

void merge_close_stream(struct merge_source *s)
{
	if (s != NULL)
		merge_source_close(s);
	free(s);
}

/* Returns NULL after a message. */
static struct merge_source *open_input(struct merge *m, struct merge_input *in)
{
	struct merge_source *s = in->source = calloc(1, sizeof *s);
	if (s != NULL && merge_source_open(s, m, in) == IOT_OK)
		return s;
	if (signal_ending() != 0)
		return NULL;
	if (s == NULL || !trace_in_refused(in->path, s->reader, s->fault.status))
		(void)merge_report(m, s != NULL ? s->fault.text : "out of memory");
	return NULL;
}

int merge_inspect(struct merge *m, bool keep_open)
{
	for (size_t i = 0; i < m->count; i++) {
		struct merge_input *in = &m->inputs[i];
		struct merge_source *s = open_input(m, in);
		if (s == NULL)
			return EXIT_FAULT;
		if (!learn(in, &s->batch[s->current]))
			return merge_report(m, "out of memory");
		if (keep_open || !in->again)
			continue;
		merge_close_stream(s);
		in->source = NULL;
	}
	return EXIT_OK;
}

void merge_close_streams(struct merge *m)
{
	for (size_t i = 0; i < m->source_count; i++) {
		if (m->sources[i]->input != NULL)
			m->sources[i]->input->source = NULL;
		merge_close_stream(m->sources[i]);
	}
	m->source_count = 0;
}

int merge_begin_inputs(struct merge *m, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		struct merge_input *in = &m->inputs[i];
		struct merge_source *s = in->source != NULL ? in->source : open_input(m, in);
		if (s == NULL)
			return EXIT_FAULT;
		s->input = in;
		m->sources[m->source_count++] = s;
		if (merge_has_head(m))
			drop_traces(&s->batch[s->current]);
		merge_source_begin(s);
	}
	return EXIT_OK;
}
