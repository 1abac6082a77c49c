/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader: blocks of whole lines from a window, records from the codec, comments one by one.
 *
 * A block is what the window shows up to its last LF; the texts of events lie in it, so a call
 * never goes on to the next block once it has something to deliver. The last line may lack its LF:
 * it is copied, with one. But where %iotrace began the trace, such a line other than %end is what
 * is left of a longer one, and must not be taken for a record.
 *
 * Told to recover, a reader that finds damage drops lines until the next %sync (or %end), believes
 * what that says, and tells the loss as an event.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base.h"
#include "error.h"
#include "framing.h"
#include "names.h"
#include "predict.h"
#include "window.h"

enum {
	LINE_MOST = IOT_COMMENT_MAX + 64, /* a line without LF that is longer is not waited for */
	CODEC_PROCESSES = 64,
	ARENA_SIZE = 65536,
	LOST_ROOM = 1024,
};

struct iot_reader {
	struct iot_error error;
	bool verify, recover, read_ahead;
	uint64_t window_max, read_size, tick_ns, base, memory_max;
	void (*warn)(void *context, const char *sentence);
	void *warn_context;

	char *name;
	struct iot_window *window;
	struct iot_codec *codec;
	size_t codec_size;
	struct iot_names names;
	XXH3_state_t *hash;
	char *arena; /* texts of events that differ from those on the line */
	size_t arena_size, arena_used;

	const char *cur, *end; /* of the block; LF at end[-1] */
	const char *block;
	const char *hashed; /* up to here the block is in the hash */
	size_t shown;       /* to be consumed of the window when the block is done */
	char *tail;         /* the last line, with LF */

	bool begun;    /* a line that is not blank has been seen */
	bool framed;   /* %iotrace was there */
	bool ended;    /* %end was there */
	bool in_tail;  /* the block is the last line, that lacked its LF */
	bool cut;      /* the last line is a part of one */
	bool done;     /* the proper end was told */
	bool skipping; /* until the next %sync */
	bool in_long;  /* in a line that is too long, skipping */
	uint64_t sync;
	uint64_t lines, records, comments, text_bytes;
	uint64_t index; /* records so far with those that were lost */
	uint64_t lost, lost_records, warnings;
	char damage[512]; /* why it skips: for why= and for the error if there is no way out */
};

/* Where a call puts what it finds: events, or records alone. */
struct batch {
	struct iot_event *events; /* NULL: records alone */
	struct iot_record *records;
	size_t stride, max, n;
};

struct iot_reader *iot_reader_new(void)
{
	struct iot_reader *r = calloc(1, sizeof(*r));
	if (r == NULL)
		return NULL;
	r->hash = XXH3_createState();
	if (r->hash == NULL) {
		free(r);
		return NULL;
	}
	XXH3_64bits_reset(r->hash);
	r->verify = true;
	r->tick_ns = IOT_TICK_DEFAULT_NS;
	r->memory_max = (uint64_t)1 << 30;
	return r;
}

void iot_reader_free(struct iot_reader *r)
{
	if (r == NULL)
		return;
	iot_window_free(r->window);
	iot_names_free(&r->names);
	XXH3_freeState(r->hash);
	free(r->codec);
	free(r->arena);
	free(r->tail);
	free(r->name);
	free(r);
}

/* Settings and opening */

static int refuse(struct iot_reader *r, const char *why)
{
	return iot_error_set(&r->error, IOT_EUSAGE, "%s", why);
}

static int set_number(struct iot_reader *r, uint64_t *where, uint64_t value, uint64_t max)
{
	if (value < 1 || value > max)
		return refuse(r, "a setting of the reader is out of range");
	*where = value;
	return IOT_OK;
}

static int set_bool(struct iot_reader *r, bool *where, uint64_t value)
{
	if (value > 1)
		return refuse(r, "a setting of the reader is neither 0 nor 1");
	*where = value == 1;
	return IOT_OK;
}

int iot_reader_set(struct iot_reader *r, enum iot_option option, uint64_t value)
{
	if (r->error.status != IOT_OK)
		return r->error.status;
	if (r->window != NULL)
		return refuse(r, "settings of a reader are made before it is opened");
	switch (option) {
	case IOT_SET_VERIFY:
		return set_bool(r, &r->verify, value);
	case IOT_SET_RECOVER:
		return set_bool(r, &r->recover, value);
	case IOT_SET_READ_AHEAD:
		return set_bool(r, &r->read_ahead, value);
	case IOT_SET_LIMIT_WINDOW:
		return set_number(r, &r->window_max, value, UINT64_MAX);
	case IOT_SET_READ_SIZE:
		return set_number(r, &r->read_size, value, SIZE_MAX / 4);
	case IOT_SET_TICK_NS:
		return set_number(r, &r->tick_ns, value, INT64_MAX);
	case IOT_SET_LIMIT_MEMORY:
		return set_number(r, &r->memory_max, value, SIZE_MAX);
	case IOT_SET_BASE:
		if (value != 0 && value != 10 && value != 16)
			return refuse(r, "a base is 16 or 10, or 0 to find out");
		r->base = value;
		return IOT_OK;
	default:
		return refuse(r, "not a setting of readers");
	}
}

void iot_reader_on_warning(struct iot_reader *r, void (*fn)(void *, const char *), void *context)
{
	r->warn = fn;
	r->warn_context = context;
}

static int make_window(struct iot_reader *r, const char *name)
{
	const struct iot_window_options options = {.read_size = r->read_size,
						   .window_max = r->window_max,
						   .ahead = r->read_ahead ? IOT_AHEAD_IF_IT_PAYS
									  : IOT_AHEAD_NEVER};
	if (r->error.status != IOT_OK)
		return r->error.status;
	if (r->window != NULL)
		return refuse(r, "a reader is opened once");
	if (name == NULL)
		return refuse(r, "a reader needs a name for what it reads");
	iot_names_init(&r->names, r->memory_max, false, true);
	r->name = strdup(strcmp(name, "-") == 0 ? "standard input" : name);
	r->window = r->name != NULL ? iot_window_new(r->name, &options) : NULL;
	if (r->window == NULL)
		return iot_error_set(&r->error, IOT_ENOMEM, "%s: out of memory", name);
	return IOT_OK;
}

static int opened(struct iot_reader *r, int status)
{
	if (status == IOT_OK)
		return IOT_OK;
	return iot_error_set(&r->error, status, "%s", iot_window_error(r->window)->text);
}

int iot_reader_open(struct iot_reader *r, const char *path)
{
	int status = make_window(r, path);
	return status != IOT_OK ? status : opened(r, iot_window_open(r->window, path));
}

int iot_reader_open_fd(struct iot_reader *r, int fd, const char *name)
{
	int status = make_window(r, name);
	return status != IOT_OK ? status : opened(r, iot_window_open_fd(r->window, fd));
}

int iot_reader_open_memory(struct iot_reader *r, const void *data, size_t size, const char *name)
{
	int status = make_window(r, name);
	return status != IOT_OK ? status : opened(r, iot_window_open_memory(r->window, data, size));
}

int iot_reader_open_callback(struct iot_reader *r, iot_read_fn *read, void *context,
			     const char *name)
{
	int status = make_window(r, name);
	return status != IOT_OK ? status
				: opened(r, iot_window_open_callback(r->window, read, context));
}

/* Errors. What returns bool: whether the batch goes on. */

static bool fail(struct iot_reader *r, int status, unsigned column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bool fail(struct iot_reader *r, int status, unsigned column, const char *format, ...)
{
	char sentence[sizeof(r->error.text)];
	va_list args;
	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	iot_error_set(&r->error, status, "%s:%llu:%u: %s", r->name,
		      (unsigned long long)r->lines + 1, column > 0 ? column : 1, sentence);
	return false;
}

static bool fail_memory(struct iot_reader *r, int status)
{
	if (status == IOT_ENOMEM)
		return fail(r, status, 1, "out of memory");
	return fail(r, status, 1,
		    "the trace needs more memory than the limit of %llu bytes "
		    "(IOT_SET_LIMIT_MEMORY)",
		    (unsigned long long)r->memory_max);
}

/* Damage at the current line: the end, unless there is a way round it. */
static bool damaged(struct iot_reader *r, unsigned column, const char *sentence)
{
	if (!r->recover)
		return fail(r, IOT_EFORMAT, column, "%s", sentence);
	snprintf(r->damage, sizeof(r->damage), "line %llu: %s", (unsigned long long)r->lines + 1,
		 sentence);
	r->skipping = true;
	return true;
}

static void warn(struct iot_reader *r, const char *sentence)
{
	char text[512];
	r->warnings++;
	if (r->warn == NULL)
		return;
	snprintf(text, sizeof(text), "%s: %s", r->name, sentence);
	r->warn(r->warn_context, text);
}

/* Blocks */

static void hash_up_to(struct iot_reader *r, const char *p)
{
	const bool wanted = r->verify && !r->skipping && (r->framed || !r->begun);
	if (wanted && p > r->hashed)
		XXH3_64bits_update(r->hash, r->hashed, (size_t)(p - r->hashed));
	r->hashed = p;
}

static void start_block(struct iot_reader *r, const char *p, size_t size, size_t shown)
{
	r->block = r->cur = r->hashed = p;
	r->end = size > 0 ? p + size : p; /* p may be NULL */
	r->shown = shown;
}

static void finish_block(struct iot_reader *r)
{
	if (r->block == NULL)
		return;
	hash_up_to(r, r->end);
	r->text_bytes += r->shown;
	iot_window_consume(r->window, r->shown);
	start_block(r, NULL, 0, 0);
}

/* What a header that was cut short looks like. */
static bool begins_header(const struct iot_line *l)
{
	static const char header[] = "%iotrace";
	const size_t n = l->text.size < sizeof(header) - 1 ? l->text.size : sizeof(header) - 1;
	return l->kind == IOT_LINE_COMMENT && n > 0 && memcmp(l->text.data, header, n) == 0;
}

/* Whether a line without LF is only a part of one. */
static bool is_cut(const struct iot_reader *r, const struct iot_line *l)
{
	if (r->ended || l->kind == IOT_LINE_BLANK)
		return false;
	if (!r->begun && begins_header(l))
		return true;
	return r->framed &&
	       !(l->kind == IOT_LINE_COMMENT && iot_directive_framing(l->text) == IOT_FRAMING_END);
}

/* p[0 .. size) is all that is left, and has no LF. */
static int last_line(struct iot_reader *r, const char *p, size_t size)
{
	if (size == 0 || r->in_long || iot_window_status(r->window) != IOT_OK)
		return 0;
	const struct iot_line l = iot_line_look(p, p + size);
	if (is_cut(r, &l)) {
		r->cut = true;
		return 0;
	}
	r->tail = malloc(size + 1);
	if (r->tail == NULL)
		return iot_error_set(&r->error, IOT_ENOMEM, "%s: out of memory", r->name);
	memcpy(r->tail, p, size);
	r->tail[size] = '\n';
	r->in_tail = true;
	start_block(r, r->tail, size + 1, size);
	return 1;
}

static int too_long(struct iot_reader *r, size_t have)
{
	if (!r->in_long && !damaged(r, IOT_COMMENT_MAX + 1, "a line longer than 65536 bytes"))
		return r->error.status;
	r->in_long = true;
	r->text_bytes += have;
	iot_window_consume(r->window, have);
	return IOT_OK;
}

/* 1: cur .. end is the next block; 0: the input is at its end; or a negative status. */
static int next_block(struct iot_reader *r)
{
	size_t want = 1, seen = 0, have;
	finish_block(r);
	for (;;) {
		const char *p = iot_window_ahead(r->window, want, &have);
		const char *lf = have > seen ? memrchr(p + seen, '\n', have - seen) : NULL;
		if (lf != NULL) {
			start_block(r, p, (size_t)(lf + 1 - p), (size_t)(lf + 1 - p));
			break;
		}
		if (have < want)
			return last_line(r, p, have);
		seen = have;
		if (have > LINE_MOST || r->in_long) {
			int status = too_long(r, have);
			if (status != IOT_OK)
				return status;
			seen = 0;
		}
		want = seen + 1;
	}
	if (r->in_long) {
		r->cur = (const char *)memchr(r->cur, '\n', (size_t)(r->end - r->cur)) + 1;
		r->in_long = false;
		r->lines++;
	}
	return 1;
}

/*
 * Room for a text; deliver keeps it. 1: *out; 0: the batch has to end first; or a negative status.
 */
static int arena_room(struct iot_reader *r, size_t need, char **out)
{
	if (need > r->arena_size - r->arena_used) {
		if (r->arena_used > 0)
			return 0;
		size_t size = need > ARENA_SIZE ? need : ARENA_SIZE;
		char *bigger = realloc(r->arena, size);
		if (bigger == NULL)
			return IOT_ENOMEM;
		r->arena = bigger;
		r->arena_size = size;
	}
	*out = r->arena + r->arena_used;
	return 1;
}

static void step_over(struct iot_reader *r, const struct iot_line *l)
{
	r->cur = l->next;
	r->lines++;
}

/* Events */

static int64_t last_start_ns(const struct iot_reader *r)
{
	return iot_codec_start(r->codec) * (int64_t)iot_codec_tick(r->codec);
}

static void deliver(struct iot_reader *r, struct batch *b, const struct iot_event *ev)
{
	if (b->events == NULL)
		return;
	if (r->arena != NULL && ev->text.data == r->arena + r->arena_used)
		r->arena_used += ev->text.size;
	b->events[b->n] = *ev;
	if (!(ev->has & IOT_HAS_TIME))
		b->events[b->n].rec.start_ns = last_start_ns(r);
	b->n++;
}

/* Tells that something is missing; `records` 0: nobody knows how many. False: next call. */
static bool tell_lost(struct iot_reader *r, struct batch *b, uint64_t records)
{
	struct iot_builder builder;
	struct iot_event ev;
	char *out;
	int room = arena_room(r, LOST_ROOM, &out);
	if (room < 0)
		fail_memory(r, room);
	if (room <= 0)
		return false;
	r->lost++;
	r->lost_records += records;
	iot_directive_begin(&builder, out, LOST_ROOM, "lost");
	iot_directive_number(&builder, "time", (uint64_t)last_start_ns(r));
	if (records > 0)
		iot_directive_number(&builder, "records", records);
	iot_directive_text(&builder, "why", r->damage, strnlen(r->damage, LOST_ROOM / 4));
	if (iot_directive_end(&builder, &ev) == IOT_OK)
		deliver(r, b, &ev);
	return true;
}

/* Undated events take the place of what follows them; what ends the batch has that before it. */
static void place_undated(struct batch *b)
{
	if (b->events == NULL)
		return;
	for (size_t i = b->n; i-- > 1;) {
		struct iot_event *ev = &b->events[i - 1];
		if (ev->kind != IOT_RECORD && !(ev->has & IOT_HAS_TIME))
			ev->rec.start_ns = ev[1].rec.start_ns;
	}
}

/* Framing */

static bool take_header(struct iot_reader *r, const struct iot_line *l)
{
	struct iot_header h;
	uint64_t version;
	if (r->begun)
		return fail(r, IOT_EFORMAT, l->column,
			    "a second %%iotrace: two traces one behind the other are no trace; "
			    "`iotrace merge` joins them");
	const char *wrong = iot_header_parse(l->text, &h, &version);
	if (wrong != NULL && version > 1)
		return fail(r, IOT_EFORMAT, l->column, "%s (found %llu, expected 1)", wrong,
			    (unsigned long long)version);
	if (wrong != NULL)
		return fail(r, IOT_EFORMAT, l->column, "%s", wrong);
	r->codec = iot_codec_init(r->codec, r->codec_size, h.tick_ns, iot_codec_base(r->codec));
	r->framed = true;
	r->begun = true;
	r->sync = h.sync;
	step_over(r, l);
	return true;
}

/* Behind a %sync: the next interval begins. */
static void new_interval(struct iot_reader *r, const struct iot_line *l)
{
	step_over(r, l);
	XXH3_64bits_reset(r->hash);
	r->hashed = r->cur;
	r->skipping = false;
	iot_codec_forget(r->codec);
}

static bool hash_matches(struct iot_reader *r, uint64_t hash)
{
	hash_up_to(r, r->cur);
	return !r->verify || XXH3_64bits_digest(r->hash) == hash;
}

static bool can_start_at(const struct iot_reader *r, uint64_t ticks)
{
	return ticks <= INT64_MAX / iot_codec_tick(r->codec);
}

/* A trace that was entered in the middle: its first line is a %sync. */
static bool enter(struct iot_reader *r, const struct iot_line *l, const struct iot_sync *s)
{
	if (!can_start_at(r, s->time))
		return damaged(r, l->column, "time= of %sync leads beyond 2^63-1 nanoseconds");
	r->framed = true;
	r->begun = true;
	r->index = s->record;
	iot_codec_set_start(r->codec, (int64_t)s->time);
	new_interval(r, l);
	return true;
}

static bool take_sync(struct iot_reader *r, struct batch *b, const struct iot_line *l)
{
	struct iot_sync s;
	char sentence[200];
	const char *wrong = iot_sync_parse(l->text, &s);
	if (wrong != NULL)
		return damaged(r, l->column, wrong);
	if (!r->begun)
		return enter(r, l, &s);
	if (!r->framed)
		return damaged(r, l->column, "%sync in a trace that does not begin with %iotrace");
	const uint64_t start = (uint64_t)iot_codec_start(r->codec);
	const bool hash_ok = hash_matches(r, s.hash);
	if (!hash_ok)
		snprintf(sentence, sizeof(sentence),
			 "the text since the %%sync before does not have the xxh3= that this "
			 "%%sync tells");
	else if (s.record != r->index)
		snprintf(sentence, sizeof(sentence),
			 "%%sync tells record=%llu, but %llu records came before it",
			 (unsigned long long)s.record, (unsigned long long)r->index);
	else if (s.time != start)
		snprintf(sentence, sizeof(sentence),
			 "%%sync tells time=%llu, but the record before it starts at %llu",
			 (unsigned long long)s.time, (unsigned long long)start);
	else {
		new_interval(r, l);
		return true;
	}
	if (!damaged(r, l->column, sentence))
		return false;
	if (!hash_ok || !r->verify)
		return true; /* it is found again, and believed, as the %sync to go on at */
	/* all before it is as it was written: it is this line that is damaged */
	if (!tell_lost(r, b, 0))
		return false;
	new_interval(r, l);
	return true;
}

static bool end_of_tail(struct iot_reader *r)
{
	r->cut = true;
	r->cur = r->end;
	return true;
}

static bool take_end(struct iot_reader *r, struct batch *b, const struct iot_line *l)
{
	struct iot_end e;
	char sentence[200] = "";
	const char *wrong = iot_end_parse(l->text, &e);
	if (wrong != NULL)
		return r->in_tail ? end_of_tail(r) : damaged(r, l->column, wrong);
	if (!r->framed)
		return damaged(r, l->column, "%end in a trace that does not begin with %iotrace");
	if (!hash_matches(r, e.hash))
		snprintf(sentence, sizeof(sentence),
			 "the text since the last %%sync does not have the xxh3= that %%end tells");
	else if (e.records != r->index)
		snprintf(sentence, sizeof(sentence), "%%end tells records=%llu, but there are %llu",
			 (unsigned long long)e.records, (unsigned long long)r->index);
	else if (e.comments != r->comments && r->lost == 0 && r->index == r->records)
		snprintf(sentence, sizeof(sentence),
			 "%%end tells comments=%llu, but there are %llu",
			 (unsigned long long)e.comments, (unsigned long long)r->comments);
	if (sentence[0] != '\0') {
		if (!damaged(r, l->column, sentence))
			return false;
		r->skipping = false;
		if (!tell_lost(r, b, e.records > r->index ? e.records - r->index : 0))
			return false;
	}
	r->ended = true;
	step_over(r, l);
	return true;
}

/* Recovery: drops the current line, unless it is one to go on at. */
static bool skip_line(struct iot_reader *r, struct batch *b)
{
	const struct iot_line l = iot_line_look(r->cur, r->end);
	const enum iot_framing framing =
	    l.kind == IOT_LINE_COMMENT ? iot_directive_framing(l.text) : IOT_FRAMING_NONE;
	struct iot_sync s;
	struct iot_end e;
	r->begun = true;
	if (framing == IOT_FRAMING_SYNC && iot_sync_parse(l.text, &s) == NULL &&
	    can_start_at(r, s.time)) {
		iot_codec_set_start(r->codec, (int64_t)s.time);
		if (!tell_lost(r, b, s.record > r->index ? s.record - r->index : 0))
			return false;
		r->index = s.record;
		new_interval(r, &l);
		return true;
	}
	if (framing == IOT_FRAMING_END && iot_end_parse(l.text, &e) == NULL) {
		if (!tell_lost(r, b, e.records > r->index ? e.records - r->index : 0))
			return false;
		r->skipping = false;
		r->ended = true;
	}
	step_over(r, &l);
	return true;
}

/* Comments and directives */

/* The text with its times in nanoseconds. 1: done; 0: the batch has to end first; or a status. */
static int text_in_ns(struct iot_reader *r, struct iot_text *text)
{
	const uint64_t tick_ns = iot_codec_tick(r->codec);
	char *out;
	if (tick_ns == 1 || text->size == 0 || text->data[0] != '%')
		return 1;
	int status = arena_room(r, IOT_RETIMED_MAX(text->size), &out);
	if (status != 1)
		return status;
	return iot_directive_to_ns(text, tick_ns, out) == IOT_OK ? 1 : IOT_EFORMAT;
}

static void tell_codec(struct iot_reader *r, const struct iot_event *ev,
		       const struct iot_name *name)
{
	unsigned lacks;
	if (ev->kind == IOT_FILE && name != NULL)
		iot_codec_update(r->codec, name->process, name->file, name->kind == IOT_NAME_DISK,
				 name->object, name->flags);
	else if (ev->kind == IOT_TRACE && iot_directive_lacks(ev, &lacks))
		iot_codec_lacks(r->codec, lacks);
	else if (ev->kind == IOT_OP && iot_directive_closes(ev))
		iot_codec_update(r->codec, ev->rec.process, ev->rec.file, false, 0, 0);
}

static bool take_comment(struct iot_reader *r, struct batch *b, const struct iot_line *l)
{
	struct iot_event ev = {.text = l->text};
	struct iot_name *name;
	const char *wrong;
	int status = text_in_ns(r, &ev.text);
	if (status == 0)
		return false;
	if (status == IOT_EFORMAT)
		return damaged(r, l->column, "a time leads beyond 2^63-1 nanoseconds");
	if (status < 0)
		return fail_memory(r, status);
	if (iot_directive_parse(&ev, &wrong) != IOT_OK)
		return damaged(r, l->column, wrong);
	status = iot_names_tell(&r->names, &ev, &name);
	if (status < 0)
		return fail_memory(r, status);
	r->begun = true;
	step_over(r, l);
	if (status == 1)
		return true;
	tell_codec(r, &ev, name);
	r->comments++;
	deliver(r, b, &ev);
	return true;
}

static bool take_other(struct iot_reader *r, struct batch *b)
{
	const struct iot_line l = iot_line_look(r->cur, r->end);
	if (l.kind == IOT_LINE_BLANK) {
		step_over(r, &l);
		return true;
	}
	if (l.kind != IOT_LINE_COMMENT)
		return damaged(r, 1, "neither a record nor a comment");
	if (l.base != iot_codec_base(r->codec))
		return damaged(r, 1,
			       l.base == 16
				   ? "a comment of a hexadecimal trace (ff) in a decimal one"
				   : "a comment of a decimal trace (255) in a hexadecimal one");
	if (l.size > IOT_COMMENT_MAX)
		return damaged(r, IOT_COMMENT_MAX + 1, "a comment line longer than 65536 bytes");
	switch (iot_directive_framing(l.text)) {
	case IOT_FRAMING_HEADER:
		return take_header(r, &l);
	case IOT_FRAMING_SYNC:
		return take_sync(r, b, &l);
	case IOT_FRAMING_END:
		return take_end(r, b, &l);
	default:
		return take_comment(r, b, &l);
	}
}

static bool after_end(struct iot_reader *r)
{
	const struct iot_line l = iot_line_look(r->cur, r->end);
	if (l.kind != IOT_LINE_BLANK)
		return fail(r, IOT_EFORMAT, 1,
			    "something behind %%end: two traces one behind the other are no "
			    "trace; `iotrace merge` joins them");
	step_over(r, &l);
	return true;
}

/* Records */

static bool bad_record(struct iot_reader *r)
{
	unsigned column;
	const char *sentence = iot_codec_error(r->codec, &column);
	return damaged(r, column, sentence);
}

static int make_codec(struct iot_reader *r)
{
	bool tie = false;
	unsigned base = r->base != 0 ? (unsigned)r->base : iot_base_find(r->window, &tie);
	r->codec_size = iot_codec_size(CODEC_PROCESSES);
	if (!iot_names_reserve(&r->names, r->codec_size))
		return IOT_ELIMIT;
	void *block = malloc(r->codec_size);
	if (block == NULL)
		return IOT_ENOMEM;
	r->codec = iot_codec_init(block, r->codec_size, r->tick_ns, base);
	if (tie)
		warn(r, "the records could be hexadecimal or decimal; taken for hexadecimal");
	return IOT_OK;
}

static bool grow_codec(struct iot_reader *r)
{
	if (!iot_names_reserve(&r->names, r->codec_size))
		return fail_memory(r, IOT_ELIMIT);
	void *bigger = realloc(r->codec, r->codec_size * 2);
	if (bigger == NULL)
		return fail_memory(r, IOT_ENOMEM);
	r->codec_size *= 2;
	r->codec = iot_codec_grow(bigger, r->codec_size);
	return true;
}

/* The record stored last is the first of its file. */
static void look_up(struct iot_reader *r, struct iot_record *rec)
{
	const struct iot_name *name = iot_names_of(&r->names, rec);
	if (name == NULL)
		return;
	rec->object = name->object;
	rec->flags |= (uint8_t)name->flags;
	iot_codec_tell(r->codec, name->object, name->flags);
}

static struct iot_record *record_at(const struct batch *b, size_t i)
{
	return (struct iot_record *)((char *)b->records + i * b->stride);
}

static void count_records(struct iot_reader *r, struct batch *b, size_t n)
{
	for (size_t i = b->n; b->events != NULL && i < b->n + n; i++) {
		b->events[i].text = (struct iot_text){NULL, 0};
		b->events[i].kind = IOT_RECORD;
		b->events[i].has = 0;
	}
	b->n += n;
	r->records += n;
	r->index += n;
	r->lines += n;
	r->begun |= n > 0;
}

/* One stretch of records, or one other line. False: the batch ends here. */
static bool step(struct iot_reader *r, struct batch *b)
{
	enum iot_stop why;
	if (r->skipping)
		return skip_line(r, b);
	if (r->ended)
		return after_end(r);
	size_t n = iot_decode_lines(r->codec, &r->cur, r->end, record_at(b, b->n), b->max - b->n,
				    b->stride, &why);
	count_records(r, b, n);
	switch (why) {
	case IOT_STOP_NEWS:
		look_up(r, record_at(b, b->n - 1));
		return true;
	case IOT_STOP_OTHER:
		return take_other(r, b);
	case IOT_STOP_LIMIT:
		return grow_codec(r);
	case IOT_STOP_ERROR:
		return bad_record(r);
	default:
		return true;
	}
}

/* The end of the input */

/* Damaged compression: true if there is more behind it. */
static bool resync(struct iot_reader *r)
{
	if (!r->recover || iot_window_status(r->window) != IOT_EFORMAT)
		return false;
	snprintf(r->damage, sizeof(r->damage), "damaged compressed data behind line %llu",
		 (unsigned long long)r->lines);
	r->skipping = true;
	r->in_long = false;
	return iot_window_resync(r->window);
}

static void tell_end_lost(struct iot_reader *r, struct batch *b, bool cut)
{
	if (!r->recover)
		return;
	if (cut && !r->skipping)
		snprintf(r->damage, sizeof(r->damage), "cut short");
	tell_lost(r, b, 0);
}

/* Says how the input ended: a sticky error, or done. */
static void at_end(struct iot_reader *r, struct batch *b)
{
	const int status = iot_window_status(r->window);
	if (status != IOT_OK) {
		tell_end_lost(r, b, status == IOT_ETRUNCATED);
		iot_error_set(&r->error, status, "%s", iot_window_error(r->window)->text);
	} else if (r->skipping) {
		tell_end_lost(r, b, false);
		iot_error_set(&r->error, IOT_EFORMAT, "%s: %s; no %%sync behind it", r->name,
			      r->damage);
	} else if (r->cut || (r->framed && !r->ended)) {
		tell_end_lost(r, b, true);
		fail(r, IOT_ETRUNCATED, 1, "ends without %%end: cut short after %llu records",
		     (unsigned long long)r->records);
	} else {
		r->done = true;
	}
}

static ssize_t deliver_batch(struct iot_reader *r, struct batch *b)
{
	if (r->block != NULL)
		hash_up_to(r, r->cur);
	place_undated(b);
	return b->n > 0 ? (ssize_t)b->n : r->error.status;
}

static ssize_t pull(struct iot_reader *r, struct batch *b)
{
	if (r->error.status != IOT_OK || r->done)
		return r->error.status;
	if (r->window == NULL || b->max == 0)
		return refuse(r, b->max == 0 ? "asked for no events" : "the reader is not open");
	if (r->codec == NULL) {
		int status = make_codec(r);
		if (status != IOT_OK) {
			fail_memory(r, status);
			return status;
		}
	}
	r->arena_used = 0;
	while (b->n < b->max) {
		if (r->cur != r->end) {
			if (!step(r, b))
				break;
			continue;
		}
		if (b->n > 0)
			break;
		int got = next_block(r);
		if (got == 0 && !resync(r))
			at_end(r, b);
		if (r->error.status != IOT_OK || r->done)
			break;
	}
	return deliver_batch(r, b);
}

ssize_t iot_reader_events(struct iot_reader *r, struct iot_event *out, size_t max)
{
	struct batch b = {.events = out, .records = &out->rec, .stride = sizeof(*out), .max = max};
	return pull(r, &b);
}

ssize_t iot_reader_records(struct iot_reader *r, struct iot_record *out, size_t max)
{
	struct batch b = {.records = out, .stride = sizeof(*out), .max = max};
	return pull(r, &b);
}

const char *iot_reader_name(struct iot_reader *r, uint32_t object, size_t *size)
{
	const struct iot_name *name = iot_names_find(&r->names, IOT_NAME_OBJECT, object, 0);
	if (name == NULL || name->text == NULL)
		return NULL;
	if (size != NULL)
		*size = name->size;
	return name->text;
}

uint64_t iot_reader_fact(const struct iot_reader *r, enum iot_fact fact)
{
	switch (fact) {
	case IOT_FACT_TICK_NS:
		return r->codec != NULL ? iot_codec_tick(r->codec) : 0;
	case IOT_FACT_BASE:
		return r->codec != NULL ? iot_codec_base(r->codec) : 0;
	case IOT_FACT_COMPRESSION:
		return r->window != NULL ? (uint64_t)iot_window_compression(r->window) : 0;
	case IOT_FACT_FRAMED:
		return r->framed;
	case IOT_FACT_SYNC:
		return r->sync;
	case IOT_FACT_COMPLETE:
		return r->done;
	case IOT_FACT_RECORDS:
		return r->records;
	case IOT_FACT_COMMENTS:
		return r->comments;
	case IOT_FACT_BYTES_TEXT:
		return r->text_bytes + (r->block != NULL ? (uint64_t)(r->cur - r->block) : 0);
	case IOT_FACT_BYTES_STORED:
		return r->window != NULL ? iot_window_stored(r->window) : 0;
	case IOT_FACT_LINE:
		return r->lines;
	case IOT_FACT_LOST:
		return r->lost;
	case IOT_FACT_LOST_RECORDS:
		return r->lost_records;
	case IOT_FACT_WARNINGS:
		return r->warnings;
	}
	return 0;
}

const char *iot_reader_error(const struct iot_reader *r)
{
	return r->error.text;
}
