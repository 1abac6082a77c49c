/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface: members and their lines, and what is counted. */
#include "fio.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/hash.h"

enum {
	IOLOG_BITS = 150,
	SAMPLE_BITS = 10, /* of each line */
	LINES_EXAMINED = 3,
	US = 1000,
	SINCE_1970_MS = 40, /* log2 of a time that cannot count from the start of a run */
};

/* Evidence */

static unsigned version_of(const char *head, size_t size)
{
	const char *lf = size > 0 ? memchr(head, '\n', size) : NULL;
	const char *end = lf != NULL ? lf : head + size;
	return size > 0 ? fio_header(head, end - (end > head && end[-1] == '\r')) : 0;
}

static int sample_bits(const char *head, size_t size)
{
	uint64_t column[FIO_COLUMNS_MAX];
	const char *at = head, *end = head + size, *lf;
	int found = 0;
	for (int i = 0; i < LINES_EXAMINED && at < end; i++, at = lf + 1) {
		lf = memchr(at, '\n', (size_t)(end - at));
		if (lf == NULL || fio_sample_parse(at, lf, column) == 0)
			break;
		found++;
	}
	return found * SAMPLE_BITS;
}

static int evidence(struct input *in, size_t member, bool *samples)
{
	size_t size;
	const char *head = input_head(in, member, &size);
	*samples = version_of(head, size) == 0;
	return *samples ? sample_bits(head, size) : IOLOG_BITS;
}

static int sniff(struct input *in)
{
	int bits = 0;
	for (size_t i = 0; i < input_count(in) && bits == 0; i++) {
		bool samples;
		bits = evidence(in, i, &samples);
	}
	return bits;
}

/* Members */

static bool is_converted(struct fio *f, size_t member)
{
	const char *name = input_name(f->src->input, member);
	bool samples;
	if (evidence(f->src->input, member, &samples) == 0)
		return input_count(f->src->input) == 1;
	return samples == f->samples && (!samples || fio_samples_kind(name) == f->kind);
}

/* A job writes several logs of the same I/Os: one kind is converted. */
static void choose_kind(struct fio *f)
{
	struct input *in = f->src->input;
	f->samples = f->lacks_start = true;
	f->kind = FIO_UNNAMED;
	for (size_t i = 0; i < input_count(in); i++) {
		size_t size;
		bool samples;
		const char *head = input_head(in, i, &size);
		const enum fio_samples kind = fio_samples_kind(input_name(in, i));
		if (evidence(in, i, &samples) == 0)
			continue;
		f->samples = f->samples && samples;
		f->kind = kind < f->kind ? kind : f->kind;
		f->lacks_start = f->lacks_start && !samples && version_of(head, size) == 2;
	}
}

static void ignore_others(struct fio *f)
{
	struct input *in = f->src->input;
	size_t ignored = 0, first = 0, repeated = 0;
	for (size_t i = 0; i < input_count(in); i++) {
		size_t size;
		bool samples;
		(void)input_head(in, i, &size);
		if (size == 0 || is_converted(f, i))
			continue;
		if (evidence(in, i, &samples) > 0)
			repeated++;
		else
			first = ignored++ == 0 ? i : first;
	}
	source_ignored(f->src, ignored, first);
	if (repeated == 0)
		return;
	report_add(&f->src->report, "ignored.files", repeated);
	report_note(&f->src->report, "%zu other logs of the same jobs, left out", repeated);
}

/* Examines the head of a member. */
static int examine(struct fio *f, size_t member)
{
	size_t size;
	char shown[256];
	const char *name = input_name(f->src->input, member),
		   *head = input_head(f->src->input, member, &size);
	const unsigned version = version_of(head, size);
	escape_text(shown, sizeof shown, name, strlen(name));
	if (!f->samples && version != 0 && version != 2 && version != 3)
		return error_set(&f->src->error, IOT_EFORMAT,
				 "%s: version %u of an I/O log; 2 and 3 are known", shown, version);
	if (!f->samples)
		return IOT_OK;
	fio_samples_examine(f, head, size);
	if (f->has_offsets || f->columns == 0)
		return IOT_OK;
	return error_set(&f->src->error, IOT_EFORMAT,
			 "%s: a log without offsets; fio writes them with --log_offset=1", shown);
}

/* Opens the next member. Returns 1; 0 if there is none; negative on failure. */
static int open_member(struct fio *f)
{
	line_reader_close(&f->lines);
	f->version = 0;
	while (f->member < input_count(f->src->input) && !is_converted(f, f->member))
		f->member++;
	if (f->member == input_count(f->src->input))
		return 0;
	(void)examine(f, f->member);
	f->lines.bufreader = input_open(f->src->input, f->member++, &f->src->error);
	if (f->lines.bufreader == NULL)
		return f->status = f->src->error.status;
	return !f->samples || fio_emit_process(f) ? 1 : f->status;
}

/* Lines */

static bool process_line(struct fio *f, const char *line, const char *end)
{
	return f->samples ? fio_sample_line(f, line, end) : fio_iolog_line(f, line, end);
}

static void damage(struct fio *f, int status, size_t size, const char *text)
{
	fio_emit_lost(f, size, text);
	report_add(&f->src->report, "damaged.bytes", size);
	if (f->damage.status == IOT_OK)
		error_set(&f->damage, status, "%s", text);
}

/* Without its LF a line may be a part of a longer one; a header cannot be. */
static bool last_line(struct fio *f, struct iot_text line)
{
	const int status = line_reader_status(&f->lines);
	char text[sizeof f->damage.text];
	if (status == IOT_OK && !f->samples && version_of(line.data, line.size) != 0)
		return process_line(f, line.data, line.data + line.size);
	if (status != IOT_OK)
		snprintf(text, sizeof text, "%s", bufreader_error(f->lines.bufreader)->text);
	else
		snprintf(text, sizeof text, "%s: ends inside line %" PRIu64,
			 bufreader_name(f->lines.bufreader), f->lines.number);
	damage(f, status != IOT_OK ? status : IOT_ETRUNCATED, line.size, text);
	return true;
}

/* Processes one line. Returns 1; 0 at the end; negative on failure. */
static int step(struct fio *f)
{
	struct iot_text line = {NULL, 0};
	if (f->lines.bufreader == NULL)
		return open_member(f);
	const enum line_kind kind = line_reader_next(&f->lines, &line);
	f->src->report.lines += kind != LINE_END;
	switch (kind) {
	case LINE_WHOLE:
		return process_line(f, line.data, line.data + line.size) ? 1 : f->status;
	case LINE_TOO_LONG:
		fio_count_unparsed(f, line.data, line.data + line.size);
		return 1;
	case LINE_LAST:
		return last_line(f, line) ? open_member(f) : f->status;
	default:
		if (line_reader_status(&f->lines) != IOT_OK)
			(void)last_line(f, line);
		return open_member(f);
	}
}

/* The end */

static void finish(struct fio *f)
{
	static const char *const names[FIO_ACTIONS] = {
	    [FIO_ADD] = "actions.add",     [FIO_OPEN] = "actions.open",
	    [FIO_CLOSE] = "actions.close", [FIO_READ] = "actions.read",
	    [FIO_WRITE] = "actions.write", [FIO_SYNC] = "actions.sync",
	    [FIO_TRIM] = "actions.trim",   [FIO_DATASYNC] = "actions.datasync",
	    [FIO_WAIT] = "actions.wait"};
	struct report *r = &f->src->report;
	f->ended = true;
	for (size_t i = 0; i < FIO_ACTIONS; i++)
		if (f->actions[i] > 0)
			report_add(r, names[i], f->actions[i]);
	if (f->headers > 0)
		report_add(r, "actions.header", f->headers);
	if (f->unopened > 0)
		report_add(r, "unopened_records", f->unopened);
	if (f->backwards > 0)
		report_add(r, "clock.backwards", f->backwards);
	if (f->early > 0)
		report_add(r, "clock.before_start", f->early);
	emit_counts(&f->emit, "fio", f->now_ns);
	source_check_understood(f->src);
	f->status = f->status == IOT_OK ? f->src->error.status : f->status;
}

static int verdict(struct fio *f)
{
	if (f->status != IOT_OK || f->damage.status == IOT_OK)
		return f->status;
	f->src->lost_reported = true;
	return error_set(&f->src->error, f->damage.status, "%s", f->damage.text);
}

/* Interface */

static void find_first(struct fio *f)
{
	uint64_t column[FIO_COLUMNS_MAX];
	size_t size;
	for (size_t i = 0; i < input_count(f->src->input) && f->samples; i++) {
		const char *head = input_head(f->src->input, i, &size);
		const char *lf = size > 0 ? memchr(head, '\n', size) : NULL;
		if (lf != NULL && fio_sample_parse(head, lf, column) > 0)
			f->epoch = column[0] >> SINCE_1970_MS != 0;
	}
}

static int open_source(struct source_state *src)
{
	struct fio *f = calloc(1, sizeof *f);
	src->state = f;
	if (f == NULL)
		return error_no_memory(&src->error);
	f->src = src;
	f->seed = hash_seed();
	f->emit.report = &src->report;
	f->emit.directive_capacity = FIO_DIRECTIVE;
	choose_kind(f);
	ignore_others(f);
	find_first(f);
	src->tick_ns = f->samples && f->kind <= FIO_CLAT ? 1 : US;
	src->unordered = f->samples || input_count(src->input) > 1;
	if (f->samples && !array_reserve_index(&f->file, &f->file_capacity, 0, sizeof *f->file))
		return error_no_memory(&src->error);
	for (size_t i = 0; i < input_count(src->input); i++)
		if (is_converted(f, i) && examine(f, i) != IOT_OK)
			return src->error.status;
	return emit_set_ops(&f->emit, src);
}

static void close_source(struct source_state *src)
{
	struct fio *f = src->state;
	if (f == NULL)
		return;
	line_reader_close(&f->lines);
	for (size_t i = 0; i < f->names.count; i++)
		free(i < f->file_capacity ? f->file[i].name : NULL);
	free(f->file);
	idmap_free(&f->names);
	emit_free(&f->emit);
	free(f);
	src->state = NULL;
}

static void fill(struct fio *f)
{
	if (!f->began)
		fio_emit_trace(f);
	f->began = true;
	while (f->emit.count < f->emit.max && !f->ended && f->status == IOT_OK) {
		const int found = step(f);
		if (found == 0)
			finish(f);
		else if (f->emit.status != IOT_OK)
			(void)fio_no_memory(f);
	}
}

static int next(struct source_state *src, struct iot_event *out, int max)
{
	struct fio *f = src->state;
	int n = emit_leftovers(&f->emit, out, max);
	if (n == 0) {
		emit_start(&f->emit, out, max);
		fill(f);
		n = (int)f->emit.count;
	}
	if (f->emit.over_count == 0 && !src->unordered && f->now_ns > src->watermark_ns)
		src->watermark_ns = f->now_ns;
	return n > 0 ? n : verdict(f);
}

const struct converter converter_fio = {
    .name = "fio",
    .summary = "I/O logs of fio, and its logs of single I/Os with offsets",
    .sniff = sniff,
    .open = open_source,
    .next = next,
    .close = close_source,
};
