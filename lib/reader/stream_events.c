/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Delivers the events of a stream like a decoder that reads them from a file: times are multiples
 * of the tick, a record has the object and the flags that its %file states, and a directive that
 * repeats the current definition is dropped.
 *
 * Texts point into the batch of the stream, or into `text` if they had to be made. So a pull ends
 * where another batch, or another made text, would replace those already delivered.
 */
#include "stream_events.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/codec/codec.h"
#include "lib/format/directive.h"
#include "lib/format/file_flags.h"

enum {
	RECENT = 8,                                   /* files; a power of two */
	TEXT_CAPACITY = RETIMED_MAX(IOT_COMMENT_MAX), /* a %file with flags fits, too */
};

static_assert((int)TEXT_CAPACITY >= (int)FILE_FLAGS_CAPACITY, "one buffer for both");

/* The definition of a file, for records that follow each other. */
struct recent_file {
	uint32_t process, file, object;
	uint8_t logical, flags;
	bool known;
};

/* The last CPU clock of each process before the position of a seek. */
struct clocks {
	struct idmap processes;
	int64_t *cpu_ns;
	size_t capacity;
	bool from_zero; /* clocks are relative to these */
};

struct stream_events {
	struct iot_stream *stream;
	struct iot_batch *batch;
	size_t next; /* index of the next event in the batch */
	bool started, ended;
	uint64_t tick_ns;
	unsigned missing; /* flags of lacks= */
	int64_t start_ns; /* of the last record */
	struct recent_file recent[RECENT];
	struct clocks clocks;
	char *text, *ticks; /* TEXT_CAPACITY bytes each */
	bool text_used;     /* by an event that this pull has delivered */
};

struct stream_events *stream_events_new(struct iot_stream *stream,
					const struct reader_settings *set)
{
	struct stream_events *s = calloc(1, sizeof(*s));
	if (s == NULL) {
		iot_stream_free(stream);
		return NULL;
	}
	s->stream = stream;
	s->tick_ns = set->tick_given ? set->tick_ns : 1;
	s->batch = iot_batch_new(IOT_BATCH_EVENTS);
	s->text = malloc(TEXT_CAPACITY);
	s->ticks = malloc(TEXT_CAPACITY);
	if (stream != NULL && s->batch != NULL && s->text != NULL && s->ticks != NULL)
		return s;
	stream_events_free(s);
	return NULL;
}

void stream_events_free(struct stream_events *s)
{
	if (s == NULL)
		return;
	iot_batch_free(s->batch);
	iot_stream_free(s->stream);
	idmap_free(&s->clocks.processes);
	free(s->clocks.cpu_ns);
	free(s->text);
	free(s->ticks);
	free(s);
}

bool stream_events_started(const struct stream_events *s)
{
	return s->started;
}

uint64_t stream_events_tick(const struct stream_events *s)
{
	return s->tick_ns;
}

int64_t stream_events_last_start_ns(const struct stream_events *s)
{
	return s->start_ns;
}

void stream_events_progress(const struct stream_events *s, uint64_t *done, uint64_t *total)
{
	*done = s->batch->bytes_done;
	*total = s->batch->bytes_total;
}

/* The stream */

static int stream_failed(struct stream_events *s, struct decoder *d, int status)
{
	const char *sentence = iot_stream_error(s->stream);
	return error_set(&d->error, status, "%s", sentence[0] != '\0' ? sentence : "out of memory");
}

/* Ensures a next event. Returns 1, 0 at the end, or a negative status. */
static int more(struct stream_events *s, struct decoder *d)
{
	s->started = true;
	while (s->next == s->batch->count && !s->ended) {
		const int status = iot_stream_next(s->stream, s->batch);
		if (status < 0)
			return stream_failed(s, d, status);
		s->next = 0;
		s->ended = status == 0;
		if (s->ended)
			s->batch->count = 0;
	}
	if (s->ended)
		d->progress = TRACE_COMPLETE;
	return !s->ended;
}

static void hash_event(XXH3_state_t *hash, const struct iot_event *ev)
{
	const struct iot_record *rec = &ev->rec;
	const uint64_t fields[] = {ev->kind,         (uint64_t)rec->start_ns,
				   rec->duration_ns, rec->offset,
				   rec->length,      rec->process,
				   rec->file,        rec->type};
	XXH3_64bits_update(hash, fields, sizeof fields);
	if (ev->text.size > 0)
		XXH3_64bits_update(hash, ev->text.data, ev->text.size);
}

uint64_t stream_events_id(struct stream_events *s, struct decoder *d)
{
	uint64_t id = 0;
	XXH3_64bits_reset(d->sync.hash);
	if (more(s, d) > 0) {
		for (size_t i = 0; i < s->batch->count; i++)
			hash_event(d->sync.hash, &s->batch->events[i]);
		id = XXH3_64bits_digest(d->sync.hash);
	}
	return id != 0 ? id : 1;
}

/* Times */

static uint64_t round_down(const struct stream_events *s, uint64_t ns)
{
	return s->tick_ns == 1 ? ns : ns - ns % s->tick_ns;
}

static void round_times(const struct stream_events *s, struct iot_record *rec)
{
	const uint64_t start = (uint64_t)rec->start_ns;
	if (s->tick_ns == 1)
		return;
	rec->start_ns = (int64_t)round_down(s, start);
	rec->duration_ns = round_down(s, start + rec->duration_ns) - (uint64_t)rec->start_ns;
	const int64_t tick = (int64_t)s->tick_ns, rest = rec->cpu_ns % tick;
	rec->cpu_ns -= rest < 0 ? rest + tick : rest;
}

static bool is_rounded(const struct stream_events *s, const struct iot_event *ev)
{
	return (uint64_t)ev->rec.start_ns % s->tick_ns == 0 &&
	       ev->rec.duration_ns % s->tick_ns == 0;
}

/* Writes the directive again with times that are multiples of the tick. */
static int round_directive(struct stream_events *s, struct iot_event *ev, const char **why)
{
	struct iot_text text = ev->text;
	directive_to_ticks(&text, s->tick_ns, s->ticks);
	if (directive_to_ns(&text, s->tick_ns, s->text) != IOT_OK)
		return IOT_EFORMAT;
	*ev = (struct iot_event){.text = text};
	return iot_directive_parse(ev, why);
}

/* CPU clocks */

static bool remember_clock(struct clocks *c, const struct iot_record *rec)
{
	const size_t i = idmap_number(&c->processes, rec->process);
	if (i == SIZE_MAX || !array_reserve(&c->cpu_ns, &c->capacity, i + 1, sizeof(*c->cpu_ns)))
		return false;
	c->cpu_ns[i] = rec->cpu_ns;
	return true;
}

static void subtract_clock(const struct clocks *c, struct iot_record *rec)
{
	const size_t i = idmap_find(&c->processes, rec->process);
	if (i != SIZE_MAX)
		rec->cpu_ns = (int64_t)((uint64_t)rec->cpu_ns - (uint64_t)c->cpu_ns[i]);
}

/* Directives */

static void forget_recent(struct stream_events *s)
{
	memset(s->recent, 0, sizeof s->recent);
}

static bool wrong(struct decoder *d, int status, const char *what, const char *why)
{
	error_set(&d->error, status, "%s %llu: %s", what, (unsigned long long)d->index, why);
	return false;
}

static void deliver(struct stream_events *s, struct decoder *d, struct event_batch *b,
		    const struct iot_event *ev)
{
	d->comments++;
	if (b->events == NULL)
		return;
	s->text_used |= ev->text.data == s->text;
	batch_add(b, ev);
	if ((ev->has & IOT_HAS_TIME) == 0)
		b->events[b->n - 1].rec.start_ns = s->start_ns;
}

/* Applies a parsed directive or comment. Returns false on failure. */
static bool apply(struct stream_events *s, struct decoder *d, struct event_batch *b,
		  const struct iot_event *ev)
{
	struct definition *which;
	unsigned lacks;
	const int status = definitions_add(&d->names, ev, &which);
	if (status < 0)
		return decoder_fail_memory(d, status);
	if (status == 1)
		return true;
	forget_recent(s);
	if (ev->kind == IOT_TRACE && iot_directive_lacks(ev, &lacks))
		s->missing = lacks;
	deliver(s, d, b, ev);
	return true;
}

/* Returns whether the pull can continue. */
static bool take_directive(struct stream_events *s, struct decoder *d, struct event_batch *b)
{
	struct iot_event ev = {.text = s->batch->events[s->next].text};
	const char *why = "";
	int status = iot_directive_parse(&ev, &why);
	if (status == IOT_OK && (ev.has & IOT_HAS_TIME) != 0 && !is_rounded(s, &ev)) {
		if (s->text_used)
			return false;
		status = round_directive(s, &ev, &why);
	}
	if (status != IOT_OK)
		return wrong(d, status, "a directive after record", why);
	s->next++;
	return apply(s, d, b, &ev);
}

/* Records */

static const char *unfit(const struct iot_record *rec)
{
	if ((rec->flags & ~FLAGS_ALL) != 0)
		return "its flags have a bit that is not in enum iot_flag";
	return codec_unfit(rec);
}

static struct recent_file *find_file(struct stream_events *s, const struct decoder *d,
				     const struct iot_record *rec)
{
	struct recent_file *f = &s->recent[rec->file % RECENT];
	const uint8_t logical = rec->type & IOT_LOGICAL;
	if (f->known && f->file == rec->file && f->process == rec->process && f->logical == logical)
		return f;
	const struct definition *file = definitions_path(&d->names, rec);
	*f = (struct recent_file){.process = rec->process,
				  .file = rec->file,
				  .object = file != NULL ? file->object : 0,
				  .logical = logical,
				  .flags = (uint8_t)(file != NULL ? file->flags : 0),
				  .known = true};
	return f;
}

/* Adds the %file with the flags of the next record. Returns whether the pull can continue. */
static bool declare_flags(struct stream_events *s, struct decoder *d, struct event_batch *b,
			  const struct iot_record *rec, unsigned changed)
{
	struct iot_event ev;
	if (s->text_used)
		return false;
	if (file_flags_build(&d->names, rec, changed, s->text, &ev) != IOT_OK)
		return wrong(d, IOT_EUSAGE, "record", "its %file cannot be built");
	return apply(s, d, b, &ev);
}

/* Returns whether the pull can continue. */
static bool take_record(struct stream_events *s, struct decoder *d, struct event_batch *b)
{
	struct iot_record rec = s->batch->events[s->next].rec;
	const char *why = unfit(&rec);
	if (why != NULL)
		return wrong(d, IOT_EUSAGE, "record", why);
	const struct recent_file *f = find_file(s, d, &rec);
	const unsigned changed = (unsigned)(rec.flags ^ f->flags) & ~s->missing;
	if (changed != 0)
		return declare_flags(s, d, b, &rec, changed);
	s->next++;
	d->index++;
	d->records++;
	rec.object = f->object;
	rec.flags = (uint8_t)(f->flags | s->missing);
	round_times(s, &rec);
	if (s->clocks.from_zero)
		subtract_clock(&s->clocks, &rec);
	s->start_ns = rec.start_ns;
	struct iot_record *to = (void *)((char *)b->records + b->n * b->stride);
	*to = rec;
	if (b->events != NULL) {
		b->events[b->n].text = (struct iot_text){NULL, 0};
		b->events[b->n].kind = IOT_RECORD;
		b->events[b->n].has = 0;
	}
	b->n++;
	return true;
}

ssize_t stream_events_pull(struct stream_events *s, struct decoder *d, struct event_batch *b)
{
	s->text_used = false;
	while (b->n < b->max) {
		if (s->next == s->batch->count && (b->n > 0 || more(s, d) <= 0))
			break;
		if (s->batch->events[s->next].kind == IOT_RECORD ? !take_record(s, d, b)
								 : !take_directive(s, d, b))
			break;
	}
	batch_place_untimed(b);
	return b->n > 0 ? (ssize_t)b->n : d->error.status;
}

/* Seeks */

int stream_events_peek(struct stream_events *s, struct decoder *d, int64_t *start_ns)
{
	const int status = more(s, d);
	const struct iot_event *ev = status > 0 ? &s->batch->events[s->next] : NULL;
	*start_ns = -1;
	if (ev != NULL && ev->kind == IOT_RECORD && ev->rec.start_ns >= 0)
		*start_ns = (int64_t)round_down(s, (uint64_t)ev->rec.start_ns);
	return status;
}

ssize_t stream_events_skip(struct stream_events *s, struct decoder *d, struct iot_event *ev)
{
	struct event_batch b = {.events = ev, .records = &ev->rec, .stride = sizeof(*ev), .max = 1};
	const ssize_t n = stream_events_pull(s, d, &b);
	if (n == 1 && ev->kind == IOT_RECORD && !remember_clock(&s->clocks, &ev->rec)) {
		decoder_fail_memory(d, IOT_ENOMEM);
		return IOT_ENOMEM;
	}
	return n;
}

void stream_events_arrive(struct stream_events *s)
{
	s->clocks.from_zero = true;
}
