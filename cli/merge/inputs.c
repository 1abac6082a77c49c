/* SPDX-License-Identifier: BSD-2-Clause */
/* Inputs opened, and what the first batch of each tells. */
#include <stdlib.h>
#include <string.h>

#include "lib/format/directive.h"
#include "lib/base/number.h"

#include "merge.h"
#include "cli/ui/signals.h"

/* Heads: what the first batch of an input tells */

/* An iot_renumber_fn that changes nothing. */
static bool see_id(void *context, enum iot_id kind, uint32_t id, const struct iot_event *ev,
		   uint32_t *to)
{
	uint32_t *most = context;
	(void)ev;
	*to = id;
	most[kind] = id > most[kind] ? id : most[kind];
	return true;
}

static bool learn_trace(struct iot_merge_input *in, const struct iot_event *ev)
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
	if (!in->has_epoch && iot_number_decimal(epoch.data, epoch.size, &number) &&
	    number <= INT64_MAX) {
		in->has_epoch = true;
		in->epoch_ns = (int64_t)number;
	}
	if (lacks.data != NULL)
		(void)iot_directive_lacks(ev, &in->lacks);
	if (host.data == NULL || in->host != NULL)
		return true;
	in->host = calloc(1, host.size + 1);
	if (in->host != NULL)
		(void)iot_percent_decode(host, in->host, NULL);
	return in->host != NULL;
}

static bool learn(struct iot_merge_input *in, const struct iot_merge_batch *b)
{
	struct iot_renumber see = {.map = see_id, .context = in->ids_max};
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
		fine = fine && iot_renumber_event(&see, &ev);
	}
	iot_renumber_free(&see);
	return fine;
}

/* Those %trace stand at the head of the output. */
static void drop_traces(struct iot_merge_batch *b)
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

bool iot_merge_has_head(const struct iot_merge *m)
{
	return m->count > 1 && !m->options->keep_ids;
}

/* Opening */

void iot_merge_close_stream(struct iot_merge_source *s)
{
	if (s != NULL)
		iot_merge_source_close(s);
	free(s);
}

/* NULL: it was told why. */
static struct iot_merge_source *open_input(struct iot_merge *m, struct iot_merge_input *in)
{
	struct iot_merge_source *s = in->source = calloc(1, sizeof *s);
	if (s != NULL && iot_merge_source_open(s, m, in) == IOT_OK)
		return s;
	if (iot_signal_ending() != 0)
		return NULL;
	if (s == NULL || !iot_in_refused(in->path, s->reader, s->fault.status))
		(void)iot_merge_tell(m, s != NULL ? s->fault.text : "out of memory");
	return NULL;
}

int iot_merge_inspect(struct iot_merge *m, bool keep_open)
{
	for (size_t i = 0; i < m->count; i++) {
		struct iot_merge_input *in = &m->inputs[i];
		struct iot_merge_source *s = open_input(m, in);
		if (s == NULL)
			return IOT_EXIT_FAULT;
		if (!learn(in, &s->batch[s->current]))
			return iot_merge_tell(m, "out of memory");
		if (keep_open || !in->again)
			continue;
		iot_merge_close_stream(s);
		in->source = NULL;
	}
	return IOT_EXIT_OK;
}

void iot_merge_close_streams(struct iot_merge *m)
{
	for (size_t i = 0; i < m->source_count; i++) {
		if (m->sources[i]->input != NULL)
			m->sources[i]->input->source = NULL;
		iot_merge_close_stream(m->sources[i]);
	}
	m->source_count = 0;
}

int iot_merge_begin_inputs(struct iot_merge *m, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		struct iot_merge_input *in = &m->inputs[i];
		struct iot_merge_source *s = in->source != NULL ? in->source : open_input(m, in);
		if (s == NULL)
			return IOT_EXIT_FAULT;
		s->input = in;
		m->sources[m->source_count++] = s;
		if (iot_merge_has_head(m))
			drop_traces(&s->batch[s->current]);
		iot_merge_source_begin(s);
	}
	return IOT_EXIT_OK;
}
