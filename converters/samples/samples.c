/* SPDX-License-Identifier: BSD-2-Clause */
#include "samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/hash.h"
#include "lib/base/size.h"

enum { MAX_GAP = 10, LINES_EXAMINED = 400 /* of a head */ };

int samples_sniff(struct input *in, int (*bits)(struct iot_text line))
{
	size_t size;
	const char *at = input_head(in, 0, &size), *end = at + size, *lf;
	int found = 0;
	for (int i = 0; i < LINES_EXAMINED && at < end && found == 0; i++, at = lf + 1) {
		lf = memchr(at, '\n', (size_t)(end - at));
		if (lf == NULL)
			break;
		const bool has_cr = lf > at && lf[-1] == '\r';
		found = bits((struct iot_text){at, (size_t)(lf - at) - has_cr});
	}
	return found;
}

/* Members */

static bool end_member(struct sampling *s)
{
	const bool open = s->lines.bufreader != NULL;
	s->is_unparsed = false;
	const bool ended = !open || s->format->end == NULL || s->format->end(s);
	line_reader_close(&s->lines);
	return ended;
}

/* Opens the next member. Returns 1; 0 if there is none; negative on failure. */
static int open_member(struct sampling *s)
{
	if (!end_member(s))
		return s->status;
	if (s->member == input_count(s->src->input))
		return 0;
	s->lines.bufreader = input_open(s->src->input, s->member++, &s->src->error);
	if (s->lines.bufreader == NULL)
		return s->status = s->src->error.status;
	s->takes_cut_lines = s->is_cut = false;
	s->stamp_ns = SAMPLES_TIME_UNKNOWN;
	samples_host_of_member(s);
	return s->format->begin == NULL || s->format->begin(s) ? 1 : s->status;
}

/* Lines */

static bool take_line(struct sampling *s, struct iot_text line)
{
	s->line = line;
	s->is_unparsed = false;
	s->src->report.calls++;
	return s->format->line(s, line);
}

void samples_damaged(struct sampling *s, int status, size_t size)
{
	char text[sizeof s->damage.text];
	const struct sample_point none = {.job = {NULL, 0}};
	s->is_cut = true;
	if (status != IOT_OK)
		snprintf(text, sizeof text, "%s", bufreader_error(s->lines.bufreader)->text);
	else
		snprintf(text, sizeof text, "%s: ends inside line %" PRIu64,
			 bufreader_name(s->lines.bufreader), s->lines.number);
	if (size > 0)
		report_add(&s->src->report, "damaged.bytes", size);
	if (s->damage.status == IOT_OK)
		error_set(&s->damage, status != IOT_OK ? status : IOT_ETRUNCATED, "%s", text);
	(void)samples_emit_lost(s, &none, s->now_ns, 0, "truncated");
}

/* A number at the end of a line that is cut may be a part of a longer one. */
static bool last_line(struct sampling *s, struct iot_text line)
{
	const int status = line_reader_status(&s->lines);
	if (status == IOT_OK && s->takes_cut_lines)
		return take_line(s, line);
	samples_damaged(s, status, line.size);
	return true;
}

/* Processes one line. Returns 1; 0 at the end; negative on failure. */
static int step(struct sampling *s)
{
	struct iot_text line = {NULL, 0};
	if (s->lines.bufreader == NULL)
		return open_member(s);
	const enum line_kind kind = line_reader_next(&s->lines, &line);
	s->src->report.lines += kind != LINE_END;
	switch (kind) {
	case LINE_WHOLE:
		return take_line(s, line) ? 1 : s->status;
	case LINE_TOO_LONG:
		s->line = line;
		s->is_unparsed = false;
		s->src->report.calls++;
		return samples_unparsed(s) ? 1 : s->status;
	case LINE_LAST:
		return last_line(s, line) ? open_member(s) : s->status;
	default:
		if (line_reader_status(&s->lines) != IOT_OK)
			samples_damaged(s, line_reader_status(&s->lines), 0);
		return open_member(s);
	}
}

/* The end */

static void finish(struct sampling *s)
{
	const struct {
		const char *name;
		uint64_t value;
	} counts[] = {{"samples", s->made},
		      {"samples.first", s->firsts},
		      {"samples.duplicate", s->duplicates},
		      {"samples.gaps", s->gaps},
		      {"samples.long_gaps", s->long_gaps},
		      {"samples.resets", s->resets},
		      {"samples.decreases", s->decreases},
		      {"samples.wraps", s->wraps},
		      {"samples.doubtful", s->doubtful},
		      {"clock.backwards", s->backwards}};
	s->ended = true;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (counts[i].value > 0)
			report_add(&s->src->report, counts[i].name, counts[i].value);
	emit_counts(&s->emit, s->src->converter->name, s->now_ns);
	source_check_understood(s->src);
	s->status = s->status == IOT_OK ? s->src->error.status : s->status;
}

static int verdict(struct sampling *s)
{
	if (s->status != IOT_OK || s->damage.status == IOT_OK)
		return s->status;
	s->src->lost_reported = true;
	return error_set(&s->src->error, s->damage.status, "%s", s->damage.text);
}

/* The first events: %trace states the interval of the samples that follow it. */

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static uint64_t median(struct sampling *s)
{
	const size_t n = s->made < SAMPLES_HEAD ? (size_t)s->made : SAMPLES_HEAD;
	qsort(s->head, n, sizeof s->head[0], compare);
	return n > 0 ? s->head[(n - 1) / 2] : 0;
}

static void fill(struct sampling *s, size_t events)
{
	while (s->emit.count + s->emit.over_count < events && !s->ended && s->status == IOT_OK) {
		if (step(s) == 0)
			finish(s);
	}
}

/* Queues the first samples, and then %trace in the place that was kept for it. */
static void start(struct sampling *s, struct iot_event *out)
{
	s->began = true;
	emit_start(&s->emit, out, 0);
	if (!samples_emit_trace(s, 0))
		return;
	fill(s, SAMPLES_HEAD);
	const size_t n = s->emit.over_count;
	if (s->status != IOT_OK || !samples_emit_trace(s, median(s)))
		return;
	s->emit.over[0] = s->emit.over[n];
	s->emit.over_count = n;
}

/* Interface */

static int apply_settings(struct sampling *s)
{
	const char *gap = source_setting(s->src, "max-gap"),
		   *rate = source_setting(s->src, "max-rate"),
		   *wrap = source_setting(s->src, "wrap"), *host = source_setting(s->src, "host");
	s->max_gap = MAX_GAP;
	if (gap != NULL && (!number_decimal(gap, strlen(gap), &s->max_gap) || s->max_gap == 0))
		return source_setting_wrong(s->src, "max-gap", "a number from 1");
	if (rate != NULL &&
	    (size_parse(rate, strlen(rate), &s->max_rate) != SIZE_VALID || s->max_rate == 0))
		return source_setting_wrong(s->src, "max-rate", "a size from 1, such as 66GiB");
	if (wrap != NULL && strcmp(wrap, "32") != 0)
		return source_setting_wrong(s->src, "wrap", "32");
	if (host != NULL && (host[0] == '\0' || strlen(host) > SAMPLES_TEXT_MAX))
		return source_setting_wrong(s->src, "host", "a name of up to 4096 bytes");
	s->wraps_32 = wrap != NULL;
	return IOT_OK;
}

int samples_open(struct source_state *src, const struct samples_format *format)
{
	struct sampling *s = calloc(1, sizeof *s);
	src->state = s;
	if (s == NULL || (s->own = calloc(1, format->state_size)) == NULL)
		return error_set(&src->error, IOT_ENOMEM, "out of memory");
	s->src = src;
	s->format = format;
	s->seed = hash_seed();
	s->emit.report = &src->report;
	s->emit.directive_capacity = SAMPLES_DIRECTIVE;
	src->tick_ns = format->tick_ns;
	src->unordered = true;
	const int status = apply_settings(s);
	if (status == IOT_OK && format->open != NULL && !format->open(s))
		return src->error.status;
	return status;
}

int samples_next(struct source_state *src, struct iot_event *out, int max)
{
	struct sampling *s = src->state;
	if (!s->began)
		start(s, out);
	const int n = emit_leftovers(&s->emit, out, max);
	if (n > 0)
		return n;
	emit_start(&s->emit, out, max);
	fill(s, (size_t)max);
	return s->emit.count > 0 ? (int)s->emit.count : verdict(s);
}

void samples_close(struct source_state *src)
{
	struct sampling *s = src->state;
	if (s == NULL)
		return;
	if (s->own != NULL && s->format != NULL && s->format->close != NULL)
		s->format->close(s);
	line_reader_close(&s->lines);
	idmap_free(&s->numbers);
	emit_free(&s->emit);
	free(s->key);
	free(s->own);
	free(s);
	src->state = NULL;
}
