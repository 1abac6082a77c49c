/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the layer of the records that a command uses. */
#include "trace_in_internal.h"

#include <string.h>

#include "message.h"
#include "piped.h"

/* A part reads this many records at the beginning of its trace, within 256 KiB. */
enum { LAYER_RECORDS_MAX = 4 * TRACE_IN_BATCH };

/* Returns false at a logical record. */
static bool search_layer(const struct iot_record *rec, size_t n, enum record_layer *layer)
{
	for (size_t i = 0; i < n && *layer != LAYER_LOGICAL; i++)
		*layer = rec[i].type & IOT_LOGICAL ? LAYER_LOGICAL : LAYER_PHYSICAL;
	return *layer != LAYER_LOGICAL;
}

bool trace_in_find_layer(struct trace_in *in, const struct trace_in_options *o)
{
	struct iot_record rec[TRACE_IN_BATCH];
	enum record_layer layer = LAYER_DEFAULT;
	size_t left = LAYER_RECORDS_MAX;
	ssize_t n = 0;
	in->quiet = true; /* what is read again warns then */
	while (left > 0 && (n = iot_reader_records(in->reader, rec, TRACE_IN_BATCH)) > 0 &&
	       search_layer(rec, (size_t)n, &layer) && in->filter.layer == LAYER_DEFAULT)
		left -= (size_t)n < left ? (size_t)n : left;
	in->layer_supposed = left == 0;
	in->quiet = o->quiet;
	if (n < 0 && iot_reader_seek(in->reader, IOT_SEEK_RECORD, 0) != IOT_OK)
		in->status = (int)n; /* choosing the range reports it */
	if (in->filter.layer != LAYER_DEFAULT)
		return layer != LAYER_DEFAULT;
	in->filter.layer = layer == LAYER_DEFAULT ? LAYER_LOGICAL : layer;
	if (layer == LAYER_PHYSICAL)
		trace_in_report_physical(o, "no logical records");
	return layer != LAYER_DEFAULT;
}

bool trace_in_refuses_layer(const struct trace_in *in, const struct iot_event *ev, size_t n)
{
	size_t i = in->layer_supposed ? 0 : n;
	while (i < n && (ev[i].kind != IOT_RECORD || !(ev[i].rec.type & IOT_LOGICAL)))
		i++;
	if (i == n)
		return false;
	message_print_about(in->operand,
			    "logical records follow %d physical ones; which of them to use, "
			    "--layer=logical or --layer=physical, has to be the same for all parts",
			    LAYER_RECORDS_MAX);
	return true;
}

/*
 * The same of events, of which samples of hosts count as logical: a trace of samples would be read
 * twice otherwise.
 */
static bool search_events(const struct iot_event *ev, size_t n, enum record_layer *layer)
{
	static const char sample[] = "%sample ";
	for (size_t i = 0; i < n && *layer != LAYER_LOGICAL; i++)
		if (ev[i].kind == IOT_RECORD)
			(void)search_layer(&ev[i].rec, 1, layer);
		else if (ev[i].text.size >= sizeof sample - 1 &&
			 memcmp(ev[i].text.data, sample, sizeof sample - 1) == 0)
			*layer = LAYER_LOGICAL;
	return *layer != LAYER_LOGICAL;
}

/* Reads an input up to a logical record. Stores whether it has one, or has physical ones only. */
static enum exit_status probe_layer(const char *path, const struct trace_in_options *o,
				    const struct command_spec *cmd, enum record_layer *layer,
				    bool *is_trace)
{
	struct iot_record rec[TRACE_IN_BATCH];
	struct iot_event ev[TRACE_IN_BATCH];
	struct trace_in in;
	const enum exit_status status = trace_in_open(&in, path, o, cmd);
	const bool opened = in.opened, reported = in.reader == NULL;
	*is_trace = opened && in.log == NULL;
	size_t n = opened ? trace_in_events(&in, ev, TRACE_IN_BATCH) : 0;
	bool searches = n > 0 && search_events(ev, n, layer);
	while (searches && (n = trace_in_records(&in, rec, TRACE_IN_BATCH)) > 0)
		searches = search_layer(rec, n, layer);
	trace_in_close(&in);
	return reported ? status : EXIT_OK;
}

enum exit_status trace_in_choose_layer(struct trace_in_options *o, char **paths, size_t n,
				       const struct command_spec *cmd)
{
	struct trace_in_options probe = *o;
	enum record_layer layer = LAYER_DEFAULT;
	enum exit_status status = EXIT_OK;
	bool is_trace = false;
	o->selects_layer = true;
	static char standard_input[] = "-"; /* o->trace may refer to it */
	char *none[] = {standard_input};
	if (o->layer != LAYER_DEFAULT)
		return EXIT_OK;
	if (n == 0) {
		paths = none;
		n = 1;
	}
	probe.quiet = probe.probes = probe.allow_empty = true;
	for (size_t i = 0; i < n && status == EXIT_OK && layer != LAYER_LOGICAL; i++) {
		if (!piped_begins_file(paths[i])) {
			o->layer = n > 1 ? LAYER_LOGICAL : LAYER_DEFAULT;
			return EXIT_OK;
		}
		status = probe_layer(piped_name_again(paths[i]), &probe, cmd, &layer, &is_trace);
	}
	o->trace = n == 1 && is_trace ? paths[0] : NULL;
	o->layer = layer == LAYER_DEFAULT ? LAYER_LOGICAL : layer;
	if (layer == LAYER_PHYSICAL && status == EXIT_OK)
		trace_in_report_physical(o, "no logical records");
	return status;
}
