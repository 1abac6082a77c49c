/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The handle, and lines. While an interval is intact its lines are decoded; after the first damage
 * they are only counted, as far as they are recognizable, up to the next %sync.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/reader/detect_base.h"
#include "lib/codec/record_line.h"
#include "lib/codec/codec.h"
#include "lint.h"
#include "verify_internal.h"

enum { CODEC_PROCESSES = 64, MEMORY_MAX_DEFAULT = 1 << 30 };

static void fail_memory(struct verify *v, int status)
{
	verify_fail(v, status,
		    status == IOT_ELIMIT ? "the trace needs more memory than the limit"
					 : "out of memory");
}

/* Records that everything up to cur can be decoded. */
static void clean_so_far(struct verify *v, size_t records, int64_t ticks)
{
	v->current.clean_to = verify_at(v, v->cur);
	v->current.clean_records += records;
	v->current.clean_ticks += ticks;
	v->index += records;
	v->verdict->records += records;
	verify_count(v, records, ticks);
}

/* Records */

static void first_use(struct verify *v, const struct iot_record *rec)
{
	const struct definition *name = definitions_path(&v->names, rec);
	if (v->lint != NULL)
		lint_new_file(v->lint, rec, name != NULL);
	codec_set_object(v->codec, name != NULL ? name->object : 0, 0);
}

static void grow_codec(struct verify *v)
{
	const int status = definitions_grow_codec(&v->names, &v->codec, &v->codec_size);
	if (status != IOT_OK)
		fail_memory(v, status);
}

/* Returns whether lines are to be linted. */
static bool begin_lint(struct verify *v)
{
	if (v->lint != NULL || !v->handle->warnings)
		return v->lint != NULL;
	v->lint = lint_new(v->handle, codec_tick(v->codec), (unsigned)v->verdict->base, 1);
	if (v->lint == NULL)
		fail_memory(v, IOT_ENOMEM);
	else
		lint_interval(v->lint, codec_start(v->codec));
	return v->lint != NULL;
}

static enum decode_stop decode_records(struct verify *v)
{
	enum decode_stop why;
	const char *from = v->cur;
	const int64_t start = codec_start(v->codec);
	const size_t n = codec_decode_lines(v->codec, &v->cur, v->end, v->records, VERIFY_BATCH,
					    sizeof(*v->records), NULL, &why);
	clean_so_far(v, n, codec_start(v->codec) - start);
	if (n > 0 && begin_lint(v)) {
		const int status =
		    lint_records(v->lint, from, (size_t)(v->cur - from), v->records, n, v->line);
		if (status != IOT_OK)
			fail_memory(v, status);
	}
	v->line += n;
	v->begun |= n > 0;
	if (why == DECODE_STOP_FIRST_USE)
		first_use(v, &v->records[n - 1]);
	return why;
}

/* Comments */

static bool parse_comment(struct verify *v, const struct text_line *l, struct iot_event *ev)
{
	const char *wrong = NULL;
	*ev = (struct iot_event){.text = l->text};
	const int status = directive_codec_parse(v->directives, ev, codec_tick(v->codec),
						 v->scratch, RETIMED_MAX(IOT_COMMENT_MAX), &wrong);
	if (status == IOT_ENOMEM) {
		fail_memory(v, status);
		return false;
	}
	if (status == IOT_OK)
		return true;
	verify_damaged(v, IOT_BAD_COMMENT, l->column, "a damaged directive", wrong);
	return false;
}

static void reported_again(struct verify *v, const struct text_line *l,
			   const struct definition *name)
{
	if (v->lint != NULL && name->reported == v->current.number)
		finding_report(v->handle, IOT_WARN_REPEAT, v->line, l->column,
			       "repeats the current definition, but not after a %%sync");
}

static void accept_comment(struct verify *v, const struct text_line *l)
{
	struct iot_event ev;
	struct definition *name;
	if (!parse_comment(v, l, &ev))
		return;
	const int status = definitions_add(&v->names, &ev, &name);
	if (status < 0) {
		fail_memory(v, status);
		return;
	}
	if (begin_lint(v)) {
		lint_comment(v->lint, v->cur, l, ev.text, v->line);
		lint_directive(v->lint, &ev, v->line, l->column);
	}
	if (status == 1)
		reported_again(v, l, name);
	else
		v->verdict->comments++;
	if (status != 1 && ev.kind != IOT_COMMENT && v->handle->directive != NULL)
		v->handle->directive(v->handle->directive_context, &ev);
	if (name != NULL)
		name->reported = v->current.number;
	v->begun = true;
	v->cur = l->next;
	v->line++;
	clean_so_far(v, 0, 0);
}

static void blank(struct verify *v, const struct text_line *l)
{
	if (!blank_run_add(&v->blanks, v->line, (size_t)(l->next - v->cur))) {
		verify_fail(v, IOT_ELIMIT, BLANK_RUN_MESSAGE);
		return;
	}
	const bool lint = begin_lint(v);
	v->cur = blank_run_more(&v->blanks, l->next, v->end);
	for (; v->line <= v->blanks.line; v->line++)
		if (lint)
			lint_blank(v->lint, v->line);
	if (!v->current.broken)
		clean_so_far(v, 0, 0);
}

/*
 * Reports text after a %end, whether that was valid or not. Returns true if the rest is to be
 * ignored.
 */
static bool after_end(struct verify *v, const struct text_line *l)
{
	const bool header =
	    l->kind == TEXT_LINE_COMMENT && directive_framing(l->text) == FRAMING_HEADER;
	if (header && v->verdict->ended)
		v->verdict->second_line = v->line;
	if (header && v->verdict->ended)
		finding_report(
		    v->handle, IOT_BAD_TAIL, v->line, l->column,
		    "a second %%iotrace: concatenated traces are not a trace; join them with "
		    "`iotrace merge`");
	if (header || v->verdict->count[IOT_BAD_TAIL] > 0)
		return v->verdict->ended;
	finding_report(v->handle, IOT_BAD_TAIL, v->line, 1, "text after %%end");
	return v->verdict->ended;
}

static enum framing_kind framing_of(const struct text_line *l)
{
	return l->kind == TEXT_LINE_COMMENT ? directive_framing(l->text) : FRAMING_NONE;
}

/* Processes a line at cur that is not a record. */
static void accept_comment_line(struct verify *v, const struct text_line *l)
{
	const enum framing_kind framing = framing_of(l);
	if (l->base != v->verdict->base)
		verify_damaged(v, IOT_BAD_COMMENT, 1, "a damaged comment",
			       l->base == 16
				   ? "a comment of a hexadecimal trace (ff) in a decimal one"
				   : "a comment of a decimal trace (255) in a hexadecimal one");
	else if (l->size > IOT_COMMENT_MAX)
		verify_damaged(v, IOT_BAD_COMMENT, IOT_COMMENT_MAX + 1, "a damaged comment",
			       "a comment line longer than 65536 bytes");
	else if (framing != FRAMING_NONE)
		verify_framing(v, l, framing);
	else if (!verify_damaged_sync(v, l, NULL))
		accept_comment(v, l);
}

/* Damaged intervals */

static void count_line(struct verify *v, const struct text_line *l)
{
	struct record_fields f;
	size_t column[RECORD_FIELDS];
	if (l->kind == TEXT_LINE_OTHER && l->size <= IOT_LINE_MAX &&
	    record_line_parse(v->codec, v->cur, l->size, &f, column) == IOT_OK)
		verify_count(v, 1, f.start);
	v->cur = l->next;
	v->line++;
}

static void count_broken(struct verify *v, const struct text_line *l)
{
	const enum framing_kind framing = framing_of(l);
	v->begun = true;
	if (framing != FRAMING_NONE && l->base == v->verdict->base)
		verify_framing(v, l, framing);
	else if (!verify_damaged_sync(v, l, NULL))
		count_line(v, l);
}

/* Lines */

/* Returns false if the line is a damaged %iotrace. */
static bool bad_record(struct verify *v)
{
	unsigned column;
	if (!v->begun && framing_resembles_header(v->cur, (size_t)(v->end - v->cur)))
		return false;
	const char *sentence = iot_codec_error(v->codec, &column);
	verify_damaged(v, IOT_BAD_RECORD, column, "a damaged record", sentence);
	return true;
}

/* Processes one run of records, or one other line. */
static void process_some(struct verify *v)
{
	assert(v->block <= v->hashed && v->hashed <= v->end && v->cur < v->end);
	if (!v->current.broken && !v->tail) {
		switch (decode_records(v)) {
		case DECODE_STOP_LIMIT:
			grow_codec(v);
			return;
		case DECODE_STOP_ERROR:
			if (!bad_record(v))
				break;
			return;
		case DECODE_STOP_OTHER:
			break;
		default:
			return;
		}
	}
	const struct text_line l = text_line_classify(v->cur, v->end);
	if (l.kind == TEXT_LINE_BLANK) {
		blank(v, &l);
		return;
	}
	if (!v->begun && framing_of(&l) == FRAMING_NONE &&
	    framing_resembles_header(v->cur, l.size)) {
		verify_damaged_header(v, &l);
		return;
	}
	if (v->tail) {
		v->tail = false;
		v->current.broken = true;
		v->stop = after_end(v, &l);
	}
	if (v->stop)
		return;
	if (v->current.broken)
		count_broken(v, &l);
	else
		accept_comment_line(v, &l);
}

static void process_block(struct verify *v, const char *p, size_t size, uint64_t at)
{
	v->block = v->cur = v->hashed = p;
	v->end = p + size;
	v->block_at = at;
	if (v->current.number == 0)
		verify_open_first(v);
	while (v->cur < v->end && !v->stop)
		process_some(v);
	verify_hash_to(v, v->end);
	v->block = v->cur = v->end = v->hashed = NULL;
	v->block_at = at + size;
}

/* Determines the base from the first lines, and creates the codec state. */
static bool find_base(struct verify *v, const char *p, size_t size)
{
	const struct bufreader_options plain = {.plain = true};
	bool tie = false;
	if (v->codec != NULL)
		return true;
	unsigned base = (unsigned)v->handle->base;
	if (base == 0) {
		struct bufreader *r = bufreader_new(v->handle->name, &plain);
		if (r == NULL || bufreader_open_memory(r, p, size) != IOT_OK) {
			bufreader_free(r);
			fail_memory(v, IOT_ENOMEM);
			return false;
		}
		base = base_find(r, &tie);
		bufreader_free(r);
	}
	if (tie)
		finding_report(v->handle, IOT_WARN_BASE, 1, 1,
			       "the records could be hexadecimal or decimal; taken for "
			       "hexadecimal");
	v->verdict->base = base;
	v->codec_size = iot_codec_size(CODEC_PROCESSES);
	void *block = malloc(v->codec_size);
	if (block == NULL) {
		fail_memory(v, IOT_ENOMEM);
		return false;
	}
	v->codec = iot_codec_init(block, v->codec_size, v->verdict->tick_ns, base);
	return true;
}

/*
 * Processes the last line, without LF: it is truncated, unless it is a %end or the trace is
 * unframed.
 */
static void process_cut(struct verify *v, const struct raw_item *item)
{
	const struct text_line l = text_line_classify(item->text, item->text + item->size);
	const bool whole = !v->verdict->framed || framing_of(&l) == FRAMING_END;
	if (l.kind == TEXT_LINE_BLANK || v->stop)
		return;
	if (!whole && !v->tail) {
		v->verdict->truncated = true;
		verify_damaged(v, IOT_BAD_CUT, 1, "cut short", "the input ends inside of a line");
		return;
	}
	char *line = malloc(item->size + 1);
	if (line == NULL) {
		fail_memory(v, IOT_ENOMEM);
		return;
	}
	memcpy(line, item->text, item->size);
	line[item->size] = '\n';
	if (v->handle->warnings)
		finding_report(v->handle, IOT_WARN_SPELLING, v->line, (unsigned)l.size + 1,
			       "not canonical: the last line has no LF");
	process_block(v, line, item->size + 1, item->at);
	free(line);
}

static void process_gap(struct verify *v, const struct raw_item *item)
{
	const bool cut = item->truncated;
	if (v->current.number == 0)
		v->gap_before = true;
	v->verdict->truncated |= cut;
	/* every gap is separate damage, also in an interval that is damaged already */
	v->current.broken = false;
	verify_damaged(v, cut ? IOT_BAD_CUT : IOT_BAD_COMPRESSION, 1,
		       cut ? "cut short" : "damaged compression", item->why);
}

static void process_item(struct verify *v, const struct raw_item *item)
{
	switch (item->kind) {
	case RAW_LINES:
		if (find_base(v, item->text, item->size))
			process_block(v, item->text, item->size, item->at);
		break;
	case RAW_CUT:
		if (find_base(v, item->text, item->size))
			process_cut(v, item);
		break;
	case RAW_FRAME:
		verify_zstd_frame(v, item);
		break;
	case RAW_GAP:
		process_gap(v, item);
		break;
	case RAW_END:
		break;
	}
}

static void at_end(struct verify *v)
{
	const struct verdict *verdict = v->verdict;
	if (v->codec != NULL && v->current.number > 0)
		verify_close_last(v);
	const bool damaged =
	    verdict->count[IOT_BAD_COMPRESSION] > 0 || verdict->count[IOT_BAD_CUT] > 0;
	if (verdict->framed && !verdict->any_end && !verdict->truncated)
		finding_report(v->handle, IOT_WARN_END, v->line, 1,
			       "no %%end: truncated after %llu records",
			       (unsigned long long)verdict->records);
	if (!v->begun && !damaged && !v->handle->allow_empty) {
		finding_report(v->handle, IOT_BAD_CUT, 1, 1,
			       verdict->lines == 0 ? EMPTY_FILE : BLANK_FILE);
		return;
	}
	if (!verdict->any_header && (verdict->lines > 0 || !damaged))
		finding_report(v->handle, IOT_WARN_HEADER, 1, 1, "no %%iotrace%s",
			       verdict->lines > 0 ? "" : ", nor anything else");
}

static void run(struct verify *v)
{
	struct raw_item item;
	int status;
	do {
		status = raw_lines_next(v->raw, &item);
		if (status == IOT_OK)
			process_item(v, &item);
		if (v->handle->progress != NULL)
			v->handle->progress(v->handle->progress_context, raw_lines_stored(v->raw),
					    v->verdict->records);
	} while (status == IOT_OK && !v->stop && item.kind != RAW_END);
	v->verdict->lines = v->line - 1;
	if (status != IOT_OK)
		v->handle->error = *raw_lines_error(v->raw);
	if (v->handle->error.status == IOT_OK)
		at_end(v);
}

static bool allocate(struct verify *v)
{
	bool fine = true;
	definitions_init(&v->names, v->handle->memory_max, false, false);
	v->raw = raw_lines_new(v->handle->fd, v->handle->name);
	v->current.hash = XXH3_createState();
	v->scratch = malloc(RETIMED_MAX(IOT_COMMENT_MAX));
	v->directives = directive_codec_new();
	v->verdict->version = FRAMING_VERSION;
	v->records = malloc(VERIFY_BATCH * sizeof(*v->records));
	for (size_t i = 0; i < RESYNC_CANDIDATES; i++) {
		v->current.candidate[i].hash = XXH3_createState();
		fine = fine && v->current.candidate[i].hash != NULL;
	}
	return fine && v->directives != NULL && v->raw != NULL && v->current.hash != NULL &&
	       v->scratch != NULL && v->records != NULL;
}

static void release(struct verify *v)
{
	raw_lines_free(v->raw);
	lint_free(v->lint);
	directive_codec_free(v->directives);
	definitions_free(&v->names);
	XXH3_freeState(v->current.hash);
	for (size_t i = 0; i < RESYNC_CANDIDATES; i++)
		XXH3_freeState(v->current.candidate[i].hash);
	free(v->codec);
	free(v->scratch);
	free(v->records);
}

/* The handle */

struct iot_verifier *iot_verifier_new(void)
{
	struct iot_verifier *v = calloc(1, sizeof(*v));
	if (v == NULL)
		return NULL;
	v->warnings = true;
	v->tick_ns = IOT_TICK_DEFAULT_NS;
	v->memory_max = MEMORY_MAX_DEFAULT;
	return v;
}

void iot_verifier_free(struct iot_verifier *v)
{
	if (v == NULL)
		return;
	intervals_free(&v->intervals);
	free(v->name);
	free(v);
}

static int set_bool(bool *to, uint64_t value)
{
	if (value > 1)
		return IOT_EUSAGE;
	*to = value == 1;
	return IOT_OK;
}

static int set_number(uint64_t *to, uint64_t value, bool allowed)
{
	if (!allowed)
		return IOT_EUSAGE;
	*to = value;
	return IOT_OK;
}

int iot_verifier_set(struct iot_verifier *v, enum iot_verify_option option, uint64_t value)
{
	if (v->state != VERIFIER_NEW)
		return IOT_EUSAGE;
	switch (option) {
	case IOT_VERIFY_WARNINGS:
		return set_bool(&v->warnings, value);
	case IOT_VERIFY_ALLOW_EMPTY:
		return set_bool(&v->allow_empty, value);
	case IOT_VERIFY_REPAIR:
		return set_bool(&v->repairs, value);
	case IOT_VERIFY_REPORTS:
		return set_number(&v->reports, value, true);
	case IOT_VERIFY_LIMIT_MEMORY:
		return set_number(&v->memory_max, value, true);
	case IOT_VERIFY_BASE:
		return set_number(&v->base, value, value == 0 || value == 10 || value == 16);
	case IOT_VERIFY_TICK_NS:
		v->tick_given |= value >= 1 && value <= INT64_MAX;
		return set_number(&v->tick_ns, value, value >= 1 && value <= INT64_MAX);
	}
	return IOT_EUSAGE;
}

void iot_verifier_on_finding(struct iot_verifier *v, iot_finding_fn *fn, void *context)
{
	v->found = fn;
	v->found_context = context;
}

void iot_verifier_on_progress(struct iot_verifier *v, iot_verify_progress_fn *fn, void *context)
{
	v->progress = fn;
	v->progress_context = context;
}

void iot_verifier_on_directive(struct iot_verifier *v, iot_verify_directive_fn *fn, void *context)
{
	v->directive = fn;
	v->directive_context = context;
}

int iot_verifier_run(struct iot_verifier *handle, int fd, const char *name)
{
	struct verify v = {.handle = handle, .verdict = &handle->verdict, .line = 1};
	if (handle->state != VERIFIER_NEW)
		return IOT_EUSAGE;
	handle->state = VERIFIER_RUN;
	handle->fd = fd;
	handle->begin = lseek(fd, 0, SEEK_CUR);
	handle->verdict.tick_ns = handle->tick_ns;
	handle->name = strdup(name);
	if (handle->name == NULL)
		error_no_memory(&handle->error);
	else if (allocate(&v))
		run(&v);
	else
		fail_memory(&v, IOT_ENOMEM);
	release(&v);
	if (handle->error.status == IOT_OK && handle->warnings)
		verify_index(handle);
	return handle->error.status;
}

uint64_t iot_verifier_fact(const struct iot_verifier *v, enum iot_verify_fact fact)
{
	const struct verdict *verdict = &v->verdict;
	const struct repair_counts *r = &v->repaired;
	const uint64_t facts[] = {
	    [IOT_VERIFIED_RECORDS] = verdict->records,
	    [IOT_VERIFIED_COMMENTS] = verdict->comments,
	    [IOT_VERIFIED_LINES] = verdict->lines,
	    [IOT_VERIFIED_COMPLETE] = verdict->ended,
	    [IOT_VERIFIED_FRAMED] = verdict->has_header,
	    [IOT_VERIFIED_TICK_NS] = verdict->tick_ns,
	    [IOT_VERIFIED_BASE] = verdict->base,
	    [IOT_VERIFIED_SYNC] = verdict->sync,
	    [IOT_VERIFIED_SECOND_TRACE] = verdict->second_line,
	    [IOT_REPAIR_UNVERIFIED] = r->unverified,
	    [IOT_REPAIR_REPEATED] = r->repeated,
	    [IOT_REPAIR_KEPT] = r->kept,
	    [IOT_REPAIR_LOST] = r->lost,
	    [IOT_REPAIR_LOST_END] = r->lost_end,
	    [IOT_REPAIR_GAPS] = r->gaps,
	    [IOT_REPAIR_READABLE] = r->readable,
	    [IOT_VERIFIED_VERSION] = verdict->has_header ? verdict->version : 0,
	};
	return (size_t)fact < sizeof(facts) / sizeof(facts[0]) ? facts[fact] : 0;
}

const char *iot_verifier_error(const struct iot_verifier *v)
{
	return v->error.text;
}
