/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines and what they mean. As long as an interval is whole its lines are decoded; behind the first
 * damage in it they are only counted, as far as they can be told apart, up to the next %sync.
 */
#include "verify.h"

#include <stdlib.h>
#include <string.h>

#include "lib/reader/detect_base.h"
#include "lib/codec/record_line.h"
#include "lib/codec/codec.h"
#include "verify_internal.h"

enum { CODEC_PROCESSES = 64 };

const char *iot_finding_name(enum iot_finding_kind kind)
{
	static const char *const name[IOT_FINDINGS] = {
	    [IOT_BAD_RECORD] = "bad-record",
	    [IOT_BAD_COMMENT] = "bad-comment",
	    [IOT_BAD_FRAMING] = "bad-framing",
	    [IOT_BAD_HASH] = "bad-hash",
	    [IOT_BAD_PLACE] = "bad-place",
	    [IOT_BAD_PACKING] = "bad-compression",
	    [IOT_BAD_CUT] = "cut-short",
	    [IOT_BAD_TAIL] = "behind-end",
	    [IOT_ODD_SPELLING] = "not-canonical",
	    [IOT_ODD_TIME] = "time-backwards",
	    [IOT_ODD_BITS] = "unknown-bits",
	    [IOT_ODD_PERCENT] = "percent",
	    [IOT_ODD_LATE] = "late-file",
	    [IOT_ODD_REPEAT] = "repeated",
	    [IOT_ODD_SYNC] = "sync-spacing",
	    [IOT_ODD_HEADER] = "no-header",
	    [IOT_ODD_END] = "no-end",
	    [IOT_ODD_BASE] = "base-unclear",
	    [IOT_NOTE_OVERLAP] = "overlap",
	};
	return name[kind];
}

int iot_verify_fail(struct iot_verify *v, int status, const char *why)
{
	char name[256];
	v->stop = true;
	return iot_error_set(v->error, status, "%s:%llu: %s",
			     iot_escape(name, sizeof(name), v->name, strlen(v->name)),
			     (unsigned long long)v->line, why);
}

static void fail_memory(struct iot_verify *v, int status)
{
	iot_verify_fail(v, status,
			status == IOT_ELIMIT ? "the trace needs more memory than the limit"
					     : "out of memory");
}

void iot_verify_damaged(struct iot_verify *v, enum iot_finding_kind kind, unsigned column,
			const char *why, const char *sentence)
{
	if (!v->broken)
		iot_findings_tell(&v->findings, kind, v->line, column, "%s", sentence);
	v->broken = true;
	if (v->interval.why_line != 0)
		return;
	v->interval.why_line = v->line;
	v->interval.why = why;
}

/* All up to cur can be decoded. */
static void clean_so_far(struct iot_verify *v, size_t records, int64_t ticks)
{
	v->clean_to = iot_verify_at(v, v->cur);
	v->clean_records += records;
	v->clean_ticks += ticks;
	v->index += records;
	v->verdict->records += records;
	iot_verify_count(v, records, ticks);
}

/* Records */

static void look_up(struct iot_verify *v, const struct iot_record *rec)
{
	const struct iot_name *name = iot_names_of(&v->names, rec);
	if (v->lint != NULL)
		iot_lint_new_file(v->lint, rec, name != NULL);
	iot_codec_tell(v->codec, name != NULL ? name->object : 0, 0);
}

static void grow_codec(struct iot_verify *v)
{
	const int status = iot_names_grow_codec(&v->names, &v->codec, &v->codec_size);
	if (status != IOT_OK)
		fail_memory(v, status);
}

static bool begin_lint(struct iot_verify *v)
{
	if (v->lint != NULL || !v->options->lint)
		return true;
	v->lint = iot_lint_new(&v->findings, iot_codec_tick(v->codec), (unsigned)v->verdict->base);
	if (v->lint == NULL)
		fail_memory(v, IOT_ENOMEM);
	else
		iot_lint_interval(v->lint, iot_codec_start(v->codec));
	return v->lint != NULL;
}

static enum iot_stop take_records(struct iot_verify *v)
{
	enum iot_stop why;
	const char *from = v->cur;
	const int64_t start = iot_codec_start(v->codec);
	const size_t n = iot_decode_lines(v->codec, &v->cur, v->end, v->records, IOT_VERIFY_BATCH,
					  sizeof(*v->records), NULL, &why);
	clean_so_far(v, n, iot_codec_start(v->codec) - start);
	if (n > 0 && begin_lint(v) && v->lint != NULL) {
		const int status = iot_lint_records(v->lint, from, (size_t)(v->cur - from),
						    v->records, n, v->line);
		if (status != IOT_OK)
			fail_memory(v, status);
	}
	v->line += n;
	v->begun |= n > 0;
	if (why == IOT_STOP_NEWS)
		look_up(v, &v->records[n - 1]);
	return why;
}

/* Comments */

static bool parse_comment(struct iot_verify *v, const struct iot_line *l, struct iot_event *ev)
{
	const char *wrong = NULL;
	*ev = (struct iot_event){.text = l->text};
	if (iot_codec_tick(v->codec) != 1 && l->text.size > 0 && l->text.data[0] == '%' &&
	    iot_directive_to_ns(&ev->text, iot_codec_tick(v->codec), v->scratch) != IOT_OK)
		wrong = "a time leads beyond 2^63-1 nanoseconds";
	else if (iot_directive_parse(ev, &wrong) == IOT_OK)
		return true;
	iot_verify_damaged(v, IOT_BAD_COMMENT, l->column, "a damaged directive", wrong);
	return false;
}

static void told_again(struct iot_verify *v, const struct iot_line *l, const struct iot_name *name)
{
	if (v->lint != NULL && name->told == v->number)
		iot_findings_tell(&v->findings, IOT_ODD_REPEAT, v->line, l->column,
				  "says again what is in force, and not behind a %%sync");
}

static void take_comment(struct iot_verify *v, const struct iot_line *l)
{
	struct iot_event ev;
	struct iot_name *name;
	if (!parse_comment(v, l, &ev))
		return;
	const int status = iot_names_tell(&v->names, &ev, &name);
	if (status < 0) {
		fail_memory(v, status);
		return;
	}
	if (begin_lint(v) && v->lint != NULL) {
		iot_lint_comment(v->lint, v->cur, l, v->line);
		iot_lint_directive(v->lint, &ev, v->line, l->column);
	}
	if (status == 1)
		told_again(v, l, name);
	else
		v->verdict->comments++;
	if (name != NULL)
		name->told = v->number;
	v->begun = true;
	v->cur = l->next;
	v->line++;
	clean_so_far(v, 0, 0);
}

static void blank(struct iot_verify *v, const struct iot_line *l)
{
	if (!iot_blank_run_take(&v->blanks, v->line, (size_t)(l->next - v->cur))) {
		iot_verify_fail(v, IOT_ELIMIT, IOT_BLANK_TOO_MUCH);
		return;
	}
	const bool lint = begin_lint(v) && v->lint != NULL;
	v->cur = iot_blank_run_more(&v->blanks, l->next, v->end);
	for (; v->line <= v->blanks.line; v->line++)
		if (lint)
			iot_lint_blank(v->lint, v->line);
	if (!v->broken)
		clean_so_far(v, 0, 0);
}

/* Something behind a %end, which was proper or not. True: the rest is not looked at. */
static bool behind_end(struct iot_verify *v, const struct iot_line *l)
{
	const bool header =
	    l->kind == IOT_LINE_COMMENT && iot_directive_framing(l->text) == IOT_FRAMING_HEADER;
	if (header && v->verdict->ended)
		v->verdict->second_line = v->line;
	if (header && v->verdict->ended)
		iot_findings_tell(
		    &v->findings, IOT_BAD_TAIL, v->line, l->column,
		    "a second %%iotrace: two traces one behind the other are no trace; "
		    "`iotrace merge` joins them");
	if (header || v->verdict->count[IOT_BAD_TAIL] > 0)
		return v->verdict->ended;
	iot_findings_tell(&v->findings, IOT_BAD_TAIL, v->line, 1, "something behind %%end");
	return v->verdict->ended;
}

static enum iot_framing framing_of(const struct iot_line *l)
{
	return l->kind == IOT_LINE_COMMENT ? iot_directive_framing(l->text) : IOT_FRAMING_NONE;
}

/* The line at cur is no record. */
static void take_other(struct iot_verify *v, const struct iot_line *l)
{
	const enum iot_framing framing = framing_of(l);
	if (l->base != v->verdict->base)
		iot_verify_damaged(v, IOT_BAD_COMMENT, 1, "a damaged comment",
				   l->base == 16
				       ? "a comment of a hexadecimal trace (ff) in a decimal one"
				       : "a comment of a decimal trace (255) in a hexadecimal one");
	else if (l->size > IOT_COMMENT_MAX)
		iot_verify_damaged(v, IOT_BAD_COMMENT, IOT_COMMENT_MAX + 1, "a damaged comment",
				   "a comment line longer than 65536 bytes");
	else if (framing != IOT_FRAMING_NONE)
		iot_verify_framing(v, l, framing);
	else if (!iot_verify_remains(v, l, NULL))
		take_comment(v, l);
}

/* Damaged intervals */

static void count_line(struct iot_verify *v, const struct iot_line *l)
{
	struct iot_fields f;
	size_t column[IOT_FIELDS];
	if (l->kind == IOT_LINE_OTHER && l->size <= IOT_LINE_MAX &&
	    iot_line_fields(v->codec, v->cur, l->size, &f, column) == IOT_OK)
		iot_verify_count(v, 1, f.start);
	v->cur = l->next;
	v->line++;
}

static void take_broken(struct iot_verify *v, const struct iot_line *l)
{
	const enum iot_framing framing = framing_of(l);
	v->begun = true;
	if (framing != IOT_FRAMING_NONE && l->base == v->verdict->base)
		iot_verify_framing(v, l, framing);
	else if (!iot_verify_remains(v, l, NULL))
		count_line(v, l);
}

/* Lines */

static void bad_record(struct iot_verify *v)
{
	unsigned column;
	const char *sentence = iot_codec_error(v->codec, &column);
	iot_verify_damaged(v, IOT_BAD_RECORD, column, "a damaged record", sentence);
}

/* A stretch of records, or one other line. */
static void take_some(struct iot_verify *v)
{
	if (!v->broken && !v->tail) {
		switch (take_records(v)) {
		case IOT_STOP_LIMIT:
			grow_codec(v);
			return;
		case IOT_STOP_ERROR:
			bad_record(v);
			return;
		case IOT_STOP_OTHER:
			break;
		default:
			return;
		}
	}
	const struct iot_line l = iot_line_look(v->cur, v->end);
	if (l.kind == IOT_LINE_BLANK) {
		blank(v, &l);
		return;
	}
	if (v->tail) {
		v->tail = false;
		v->broken = true;
		v->stop = behind_end(v, &l);
	}
	if (v->stop)
		return;
	if (v->broken)
		take_broken(v, &l);
	else
		take_other(v, &l);
}

static void take_block(struct iot_verify *v, const char *p, size_t size, uint64_t at)
{
	v->block = v->cur = v->hashed = p;
	v->end = p + size;
	v->block_at = at;
	if (v->number == 0)
		iot_verify_open_first(v);
	while (v->cur < v->end && !v->stop)
		take_some(v);
	iot_verify_hash_to(v, v->end);
	v->block = v->cur = v->end = v->hashed = NULL;
	v->block_at = at + size;
}

/* The base, and with it the state, from the first lines. */
static bool find_base(struct iot_verify *v, const char *p, size_t size)
{
	const struct iot_window_options plain = {.plain = true};
	bool tie = false;
	if (v->codec != NULL)
		return true;
	unsigned base = (unsigned)v->options->base;
	if (base == 0) {
		struct iot_window *w = iot_window_new(v->name, &plain);
		if (w == NULL || iot_window_open_memory(w, p, size) != IOT_OK) {
			iot_window_free(w);
			fail_memory(v, IOT_ENOMEM);
			return false;
		}
		base = iot_base_find(w, &tie);
		iot_window_free(w);
	}
	if (tie)
		iot_findings_tell(&v->findings, IOT_ODD_BASE, 1, 1,
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

/* The last line, without LF: what is left of one, unless it is a %end, or nothing would tell. */
static void take_cut(struct iot_verify *v, const struct iot_raw *piece)
{
	const struct iot_line l = iot_line_look(piece->text, piece->text + piece->size);
	const bool whole = !v->verdict->framed || framing_of(&l) == IOT_FRAMING_END;
	if (l.kind == IOT_LINE_BLANK || v->stop)
		return;
	if (!whole && !v->tail) {
		v->verdict->truncated = true;
		iot_verify_damaged(v, IOT_BAD_CUT, 1, "cut short",
				   "the input ends inside of a line");
		return;
	}
	char *line = malloc(piece->size + 1);
	if (line == NULL) {
		fail_memory(v, IOT_ENOMEM);
		return;
	}
	memcpy(line, piece->text, piece->size);
	line[piece->size] = '\n';
	if (v->options->lint)
		iot_findings_tell(&v->findings, IOT_ODD_SPELLING, v->line, (unsigned)l.size + 1,
				  "not canonical: the last line has no LF");
	take_block(v, line, piece->size + 1, piece->at);
	free(line);
}

static void take_gap(struct iot_verify *v, const struct iot_raw *piece)
{
	const bool cut = piece->truncated;
	if (v->number == 0)
		v->gap_before = true;
	v->verdict->truncated |= cut;
	/* every gap is damage of its own, also in an interval that is damaged already */
	v->broken = false;
	iot_verify_damaged(v, cut ? IOT_BAD_CUT : IOT_BAD_PACKING, 1,
			   cut ? "cut short" : "damaged compression", piece->why);
}

static void take_piece(struct iot_verify *v, const struct iot_raw *piece)
{
	switch (piece->kind) {
	case IOT_RAW_LINES:
		if (find_base(v, piece->text, piece->size))
			take_block(v, piece->text, piece->size, piece->at);
		break;
	case IOT_RAW_CUT:
		if (find_base(v, piece->text, piece->size))
			take_cut(v, piece);
		break;
	case IOT_RAW_FRAME:
		iot_verify_frame(v, piece);
		break;
	case IOT_RAW_GAP:
		take_gap(v, piece);
		break;
	case IOT_RAW_END:
		break;
	}
}

static void at_end(struct iot_verify *v)
{
	const struct iot_verdict *d = v->verdict;
	if (v->codec != NULL && v->number > 0)
		iot_verify_close_last(v);
	const bool damaged = d->count[IOT_BAD_PACKING] > 0 || d->count[IOT_BAD_CUT] > 0;
	if (d->framed && !d->any_end && !d->truncated)
		iot_findings_tell(&v->findings, IOT_ODD_END, v->line, 1,
				  "no %%end: cut short behind %llu records",
				  (unsigned long long)d->records);
	if (!v->begun && !damaged && !v->options->allow_empty) {
		iot_findings_tell(&v->findings, IOT_BAD_CUT, 1, 1,
				  d->lines == 0 ? IOT_EMPTY_FILE : IOT_BLANK_FILE);
		return;
	}
	if (!d->any_header && (d->lines > 0 || !damaged))
		iot_findings_tell(&v->findings, IOT_ODD_HEADER, 1, 1, "no %%iotrace%s",
				  d->lines > 0 ? "" : ", nor anything else");
}

static void run(struct iot_verify *v)
{
	struct iot_raw piece;
	int status;
	do {
		status = iot_rawtext_next(v->raw, &piece);
		if (status == IOT_OK)
			take_piece(v, &piece);
		if (v->options->progress != NULL)
			v->options->progress(v->options->progress_context,
					     iot_rawtext_stored(v->raw), v->verdict->records);
	} while (status == IOT_OK && !v->stop && piece.kind != IOT_RAW_END);
	v->verdict->lines = v->line - 1;
	v->verdict->compression = iot_rawtext_compression(v->raw);
	if (status != IOT_OK)
		*v->error = *iot_rawtext_error(v->raw);
	if (v->error->status == IOT_OK)
		at_end(v);
}

static bool make(struct iot_verify *v, int fd)
{
	bool fine = true;
	iot_names_init(&v->names, v->options->memory_max, false, false);
	v->raw = iot_rawtext_new(fd, v->name);
	v->hash = XXH3_createState();
	v->scratch = malloc(IOT_RETIMED_MAX(IOT_COMMENT_MAX));
	v->records = malloc(IOT_VERIFY_BATCH * sizeof(*v->records));
	for (size_t i = 0; i < IOT_GUESSES; i++) {
		v->guess[i].hash = XXH3_createState();
		fine = fine && v->guess[i].hash != NULL;
	}
	return fine && v->raw != NULL && v->hash != NULL && v->scratch != NULL &&
	       v->records != NULL;
}

static void forget(struct iot_verify *v)
{
	iot_rawtext_free(v->raw);
	iot_lint_free(v->lint);
	iot_names_free(&v->names);
	XXH3_freeState(v->hash);
	for (size_t i = 0; i < IOT_GUESSES; i++)
		XXH3_freeState(v->guess[i].hash);
	free(v->codec);
	free(v->scratch);
	free(v->records);
}

int iot_verify(int fd, const char *name, const struct iot_verify_options *options,
	       struct iot_verdict *verdict, struct iot_error *error)
{
	struct iot_verify v = {
	    .options = options, .verdict = verdict, .error = error, .name = name, .line = 1};
	*verdict = (struct iot_verdict){.tick_ns = options->tick_ns};
	*error = (struct iot_error){0};
	v.findings = (struct iot_findings){options, verdict->count};
	if (make(&v, fd))
		run(&v);
	else
		fail_memory(&v, IOT_ENOMEM);
	forget(&v);
	return error->status;
}
