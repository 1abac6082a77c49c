/* SPDX-License-Identifier: BSD-2-Clause */
#include "counters.h"

#include <stdlib.h>
#include <string.h>

enum { PS_PER_NS = 1000, TEXT = 16384 };

struct log_place {
	int64_t start_ps;
	uint32_t node, log;
};

static int by_start(const void *left, const void *right)
{
	const struct log_place *a = left, *b = right;
	if (a->start_ps != b->start_ps)
		return a->start_ps < b->start_ps ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->log < b->log ? -1 : a->log > b->log;
}

static const struct model_result *result_of(const struct model_results *r)
{
	return r->has_variant ? &r->variant : &r->base;
}

static int write_sample(const struct model_results *r, struct iot_writer *w,
			const struct log_place *p)
{
	const struct model_log *l = &r->input.node[p->node].log[p->log];
	const struct model_outcome *o = &result_of(r)->outcome[p->node][p->log];
	const char *host = r->samples->host[p->node];
	char text[TEXT];
	struct iot_builder b;
	struct iot_event ev;
	iot_directive_begin(&b, text, sizeof text, "sample");
	iot_directive_number(&b, "time",
			     (uint64_t)(r->samples->begin_ns + p->start_ps / PS_PER_NS));
	iot_directive_number(&b, "took", (uint64_t)(l->took_ps / PS_PER_NS));
	iot_directive_text(&b, "source", "model", 5);
	iot_directive_text(&b, "host", host, strlen(host));
	iot_directive_text(&b, "target", "model", 5);
	if (l->job != 0)
		iot_directive_text(&b, "job", r->samples->job[l->job - 1],
				   strlen(r->samples->job[l->job - 1]));
	iot_directive_number(&b, "reads", o->requests[0]);
	iot_directive_number(&b, "writes", o->requests[1]);
	iot_directive_number(&b, "read-bytes", o->bytes[0]);
	iot_directive_number(&b, "written-bytes", o->bytes[1]);
	const int status = iot_directive_end(&b, &ev);
	return status == IOT_OK ? iot_writer_events(w, &ev, 1) : status;
}

static int write_all(const struct model_results *r, struct iot_writer *w,
		     const struct log_place *places, size_t count)
{
	const char *trace = r->samples->trace;
	struct iot_event head = {.text = {trace, trace != NULL ? strlen(trace) : 0}};
	int status = IOT_OK;
	if (trace != NULL && iot_directive_parse(&head, NULL) == IOT_OK)
		status = iot_writer_events(w, &head, 1);
	for (size_t i = 0; i < count && status == IOT_OK; i++)
		status = write_sample(r, w, &places[i]);
	return status;
}

static struct log_place *list_places(const struct model_results *r, size_t *count)
{
	struct log_place *places;
	*count = 0;
	for (size_t i = 0; i < r->input.nodes; i++)
		*count += r->input.node[i].count;
	places = malloc((*count + 1) * sizeof *places);
	size_t n = 0;
	for (uint32_t i = 0; places != NULL && i < r->input.nodes; i++)
		for (uint32_t k = 0; k < r->input.node[i].count; k++)
			places[n++] =
			    (struct log_place){r->has_variant ? r->variant.outcome[i][k].start_ps
							      : r->input.node[i].log[k].start_ps,
					       i, k};
	if (places != NULL)
		qsort(places, n, sizeof *places, by_start);
	return places;
}

static enum exit_status write_trace(const struct model_results *r, struct iot_writer *w,
				    const struct log_place *places, size_t count, const char *path,
				    const struct command_spec *command)
{
	struct trace_out_options o = TRACE_OUT_OPTIONS_INIT;
	o.path = path;
	o.tick_ns = 1;
	const enum exit_status status = trace_out_open(w, &o, command);
	if (status != EXIT_OK)
		return status;
	if (write_all(r, w, places, count) != IOT_OK || trace_out_close(w) != IOT_OK)
		return trace_out_error(w, &o);
	return EXIT_OK;
}

enum exit_status counters_write(const struct model_results *r, const char *path,
				const struct command_spec *command)
{
	size_t count;
	struct log_place *places = list_places(r, &count);
	struct iot_writer *w = iot_writer_new();
	const enum exit_status status = w == NULL || places == NULL
					    ? message_no_memory()
					    : write_trace(r, w, places, count, path, command);
	iot_writer_free(w);
	free(places);
	return status;
}
