/* SPDX-License-Identifier: BSD-2-Clause */
/* The handle of a source: formats, settings, opening, and the report. */
#include "source_internal.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/size.h"

static const char trace_format[] = "iotrace";

/* Formats */

int iot_source_format(size_t i, struct iot_format *format)
{
	size_t count = 0;
	while (converters[count] != NULL)
		count++;
	if (i >= count)
		return 0;
	*format = (struct iot_format){converters[i]->name, converters[i]->summary,
				      converters[i]->options};
	return 1;
}

static bool has_option(const struct converter *c, const char *name)
{
	const struct iot_format_option *o = c->options;
	while (o != NULL && o->name != NULL && strcmp(o->name, name) != 0)
		o++;
	return o != NULL && o->name != NULL;
}

/* "ops" has no effect on formats without %op, and is common to all. */
static bool is_option(const char *name)
{
	for (size_t i = 0; converters[i] != NULL; i++)
		if (has_option(converters[i], name))
			return true;
	return strcmp(name, "ops") == 0;
}

/* The handle */

struct iot_source *iot_source_new(void)
{
	return calloc(1, sizeof(struct iot_source));
}

static void close_input(struct iot_source *s)
{
	if (s->converter_open)
		s->state.converter->close(&s->state);
	iot_reader_free(s->reader);
	for (size_t i = 0; i < s->trace_count; i++)
		trace_member_free(s->trace[i]);
	free(s->trace);
	input_free(s->input);
}

void iot_source_free(struct iot_source *s)
{
	if (s == NULL)
		return;
	close_input(s);
	for (size_t i = 0; i < s->setting_count; i++) {
		free((char *)s->setting[i].name);
		free((char *)s->setting[i].value);
	}
	free(s);
}

/* Settings */

static int refuse_value(struct iot_source *s, const char *key, const char *value,
			const char *expected)
{
	char shown[128];
	escape_text(shown, sizeof(shown), value, strlen(value));
	return error_set(&s->error, IOT_EUSAGE, "%s is '%s', expected %s", key, shown, expected);
}

static int set_format(struct iot_source *s, const char *value)
{
	s->format_is_trace = strcmp(value, trace_format) == 0;
	s->format = converter_find(value);
	return s->format_is_trace || s->format != NULL
		   ? IOT_OK
		   : refuse_value(s, "format", value, "the name of a format");
}

static int set_fallback(struct iot_source *s, const char *value)
{
	s->fallback_is_trace = strcmp(value, trace_format) == 0;
	return s->fallback_is_trace || value[0] == '\0'
		   ? IOT_OK
		   : refuse_value(s, "fallback", value, "\"iotrace\" or nothing");
}

static int set_order(struct iot_source *s, const char *value)
{
	static const char *const names[] = {[SOURCE_ORDER_START] = "start",
					    [SOURCE_ORDER_INPUT] = "input",
					    [SOURCE_ORDER_STREAM] = "stream"};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(value, names[i]) == 0) {
			s->order = (enum source_order)i;
			return IOT_OK;
		}
	return refuse_value(s, "order", value, "start, input or stream");
}

static int set_memory(struct iot_source *s, const char *value)
{
	if (size_parse(value, strlen(value), &s->memory) == SIZE_VALID && s->memory > 0)
		return IOT_OK;
	return refuse_value(s, "memory", value, "a number of bytes, such as 64M");
}

static int set_option_prefix(struct iot_source *s, const char *value)
{
	const size_t size = strlen(value) + 1;
	if (size > sizeof s->option_prefix)
		return refuse_value(s, "option-prefix", value, "less than 32 characters");
	memcpy(s->option_prefix, value, size);
	return IOT_OK;
}

static int set_option(struct iot_source *s, const char *key, const char *value)
{
	char shown[128];
	escape_text(shown, sizeof(shown), key, strlen(key));
	if (!is_option(key))
		return error_set(&s->error, IOT_EUSAGE, "%s: not an option of a format", shown);
	if (s->setting_count == SOURCE_SETTINGS_MAX)
		return error_set(&s->error, IOT_EUSAGE, "%s: more than %d options", shown,
				 SOURCE_SETTINGS_MAX);
	struct setting *to = &s->setting[s->setting_count++];
	*to = (struct setting){strdup(key), strdup(value)};
	return to->name != NULL && to->value != NULL ? IOT_OK : error_no_memory(&s->error);
}

int iot_source_set(struct iot_source *s, const char *key, const char *value)
{
	if (s->error.status != IOT_OK && s->error.status != IOT_ELIMIT)
		return s->error.status;
	if (strcmp(key, "order") == 0 && !s->streaming)
		return set_order(s, value);
	if (s->input != NULL)
		return error_refuse(&s->error, "options of a source are set before it is opened");
	if (strcmp(key, "format") == 0)
		return set_format(s, value);
	if (strcmp(key, "fallback") == 0)
		return set_fallback(s, value);
	if (strcmp(key, "memory") == 0)
		return set_memory(s, value);
	if (strcmp(key, "option-prefix") == 0)
		return set_option_prefix(s, value);
	return set_option(s, key, value);
}

void iot_source_on_progress(struct iot_source *s, iot_source_progress_fn *fn, void *context)
{
	s->progress = fn;
	s->progress_context = context;
}

void iot_source_cancel(struct iot_source *s)
{
	interrupt_raise(&s->interrupt);
}

void iot_source_cancel_by(struct iot_source *s, const volatile sig_atomic_t *count)
{
	s->interrupt.other = count;
}

/* Opening */

int source_open_converter(struct iot_source *s)
{
	const struct converter *c = s->state.converter;
	s->state = (struct source_state){.converter = c,
					 .input = s->input,
					 .settings = s->setting,
					 .setting_count = s->setting_count,
					 .tick_ns = IOT_TICK_DEFAULT_NS,
					 .watermark_ns = INT64_MIN};
	memcpy(s->state.option_prefix, s->option_prefix, sizeof s->option_prefix);
	s->converter_open = true;
	if (c->open(&s->state) == IOT_OK)
		return IOT_OK;
	return error_set(&s->error, s->state.error.status, "%s", s->state.error.text);
}

int source_open_trace(struct iot_source *s, struct iot_reader *r)
{
	struct trace_member **grown =
	    realloc(s->trace, (s->trace_count + 1) * sizeof(struct trace_member *));
	if (grown == NULL)
		return error_no_memory(&s->error);
	s->trace = grown;
	s->trace[s->trace_count] = trace_member_open(s->input, 0, r, &s->interrupt, &s->error);
	if (s->trace[s->trace_count] != NULL)
		s->trace_count++;
	else if (s->error.status == IOT_OK)
		error_set(&s->error, IOT_EIO, "%s", iot_reader_error(r));
	return s->error.status;
}

static int refuse_several(struct iot_source *s)
{
	return error_set(&s->error, IOT_EUSAGE,
			 "a trace is one file, and this input has %zu; iotrace merge joins traces",
			 input_count(s->input));
}

static int detect(struct iot_source *s)
{
	const bool alone = input_count(s->input) == 1;
	struct error error = {.status = IOT_OK};
	s->is_trace = s->format_is_trace;
	if (s->is_trace)
		return alone ? IOT_OK : refuse_several(s);
	s->state.converter = s->format;
	s->is_trace = s->format == NULL && alone && input_is_trace(s->input, 0);
	if (s->is_trace || s->format != NULL)
		return IOT_OK;
	s->state.converter = converter_sniff(s->input, &error);
	s->is_trace = s->state.converter == NULL && error.status == IOT_EFORMAT && alone &&
		      s->fallback_is_trace;
	if (s->is_trace || s->state.converter != NULL)
		return IOT_OK;
	s->unknown_format = error.status == IOT_EUSAGE ||
			    (error.status == IOT_EFORMAT && !input_is_trace(s->input, 0));
	return error_set(&s->error, error.status, "%s", error.text);
}

int iot_source_open(struct iot_source *s, const char *const *paths, size_t count)
{
	if (s->error.status != IOT_OK)
		return s->error.status;
	if (s->input != NULL)
		return error_refuse(&s->error, "a source is opened once");
	s->input = input_new(paths, count, &s->interrupt, &s->error);
	if (s->input == NULL || detect(s) != IOT_OK)
		return s->error.status;
	s->opened = s->is_trace || source_open_converter(s) == IOT_OK;
	return s->error.status;
}

/* The reader of the previous stream of a trace was the only user of its bytes. */
static int open_own_reader(struct iot_source *s)
{
	iot_reader_free(s->reader);
	s->reader = iot_reader_new();
	if (s->reader == NULL)
		return error_no_memory(&s->error);
	(void)iot_reader_set(s->reader, IOT_SET_READ_AHEAD, 1);
	(void)iot_reader_set(s->reader, IOT_SET_ALLOW_EMPTY, 0);
	return source_open_trace(s, s->reader);
}

static int begin_stream(struct iot_source *s)
{
	if (s->error.status != IOT_OK && (!s->opened || s->error.status != IOT_ELIMIT))
		return s->error.status;
	if (s->streaming || !s->opened)
		return error_refuse(&s->error, s->streaming ? "a source has one stream at a time"
							    : "the source is not open");
	const bool again = s->began;
	if (again && !input_again(s->input))
		return error_refuse(&s->error, "a pipe can be read once only");
	error_clear(&s->error);
	s->began = s->streaming = s->blank = true;
	s->read_all = s->lost_delivered = false;
	s->records = s->early = 0;
	s->last_ns = 0;
	s->damage.status = IOT_OK;
	s->sort = (struct iot_sort_report){.late = 0};
	if (s->is_trace)
		return open_own_reader(s);
	return again ? source_open_converter(s) : IOT_OK;
}

struct iot_stream *iot_source_stream(struct iot_source *s)
{
	if (begin_stream(s) != IOT_OK)
		return NULL;
	struct iot_stream *e = source_stream_new(s);
	if (e == NULL)
		(void)error_no_memory(&s->error);
	return e;
}

struct iot_stream *iot_source_into_stream(struct iot_source *s)
{
	struct iot_stream *e = iot_source_stream(s);
	s->freed = e != NULL ? iot_source_free : NULL;
	return e;
}

int iot_source_open_reader(struct iot_source *s, struct iot_reader *r)
{
	if (s->opened && s->is_trace)
		return source_open_trace(s, r);
	struct iot_stream *e = iot_source_stream(s);
	const int status = iot_reader_set(r, IOT_SET_TICK_NS, s->state.tick_ns);
	if (e == NULL || status != IOT_OK) {
		iot_stream_free(e);
		return status != IOT_OK || s->error.status == IOT_OK ? IOT_EUSAGE : s->error.status;
	}
	return iot_reader_open_stream(r, e);
}

/* Properties */

const char *iot_source_name(const struct iot_source *s)
{
	if (s->is_trace)
		return trace_format;
	return s->state.converter != NULL ? s->state.converter->name : NULL;
}

const char *iot_source_file(const struct iot_source *s, size_t i)
{
	return s->input != NULL && i < input_count(s->input) ? input_name(s->input, i) : NULL;
}

const char *iot_source_error(const struct iot_source *s)
{
	return s->error.status == IOT_OK && s->damage.status != IOT_OK ? s->damage.text
								       : s->error.text;
}

void iot_source_progress(const struct iot_source *s, uint64_t *done, uint64_t *total)
{
	*done = atomic_load(&s->done);
	*total = atomic_load(&s->total);
}

static bool is_live(const struct iot_source *s)
{
	return s->state.converter != NULL && s->state.converter->live;
}

uint64_t iot_source_fact(const struct iot_source *s, enum iot_source_fact fact)
{
	const struct report *r = &s->state.report;
	switch (fact) {
	case IOT_SOURCE_TICK_NS:
		return s->state.tick_ns;
	case IOT_SOURCE_FILES:
		return s->input != NULL ? input_count(s->input) : 0;
	case IOT_SOURCE_SKIPPED:
		return s->input != NULL ? input_skipped(s->input) : 0;
	case IOT_SOURCE_REPEATABLE:
		return s->input != NULL && input_again(s->input);
	case IOT_SOURCE_LIVE:
		return is_live(s);
	case IOT_SOURCE_WAITING:
		return s->state.paused;
	case IOT_SOURCE_READ:
		return s->read_all;
	case IOT_SOURCE_LOST:
		return s->damage.status != IOT_OK;
	case IOT_SOURCE_CANCELLED:
		return atomic_load(&s->interrupt.cut);
	case IOT_SOURCE_LINES:
		return r->lines;
	case IOT_SOURCE_CALLS:
		return r->calls;
	case IOT_SOURCE_RECORDS:
		return r->records;
	case IOT_SOURCE_RECORD_BYTES:
		return r->record_bytes;
	case IOT_SOURCE_UNPARSED:
		return r->unparsed;
	case IOT_SOURCE_NOTES:
		return r->notes_made;
	case IOT_SOURCE_DIFFERENCES:
		return r->differences_found;
	case IOT_SOURCE_RESTART:
		return s->sort.restart != 0;
	case IOT_SOURCE_RUNS:
		return s->sort.runs;
	case IOT_SOURCE_SPILLED:
		return s->sort.spilled;
	case IOT_SOURCE_UNKNOWN_FORMAT:
		return s->unknown_format;
	}
	return 0;
}

const struct iot_source_count *iot_source_count(const struct iot_source *s, size_t i)
{
	return i < s->state.report.counts ? &s->state.report.count[i] : NULL;
}

const struct iot_source_example *iot_source_example(const struct iot_source *s, size_t i)
{
	return i < s->state.report.examples ? &s->state.report.example[i] : NULL;
}

const struct iot_source_difference *iot_source_difference(const struct iot_source *s, size_t i)
{
	return i < s->state.report.differences ? &s->state.report.difference[i] : NULL;
}

const char *iot_source_note(const struct iot_source *s, size_t i)
{
	return i < s->state.report.notes ? s->state.report.note[i] : NULL;
}
