/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tellings and bearings are counted references, so a stream without end keeps only those that are in
 * force on either side or on their way between the two. Bearings are made once for a file and its
 * process, and again when something new is told of either.
 */
#include "scope.h"

#include <stdlib.h>
#include <string.h>

#include "lib/format/directive.h"
#include "lib/base/hash.h"

enum {
	KIND_PROCESS = 1,
	KIND_FILE,
	KIND_DISK,
	ROOM_FIRST = 16,
	UNDEFINED_ROOM = 96,
};

__extension__ typedef unsigned __int128 uint128;

static const size_t used_max = (size_t)1 << 30; /* bytes of directives and tables */

struct iot_telling {
	char *text;
	uint32_t size, refs;
	uint32_t next_free;
};

struct iot_bearing {
	uint32_t process, file; /* tellings */
	uint64_t refs;
	uint32_t next_free;
};

struct iot_subject {
	uint32_t kind; /* 0: an empty slot */
	uint32_t process, file;
	uint32_t in, out; /* tellings in force */
	uint32_t bearing; /* of events now; of a process: of its files of which nothing is told */
};

/* Tables */

static int no_memory(struct iot_retold *r)
{
	return iot_error_set(r->error, IOT_ENOMEM, "out of memory for %%process and %%file");
}

static int reserve(struct iot_retold *r, size_t bytes)
{
	if (bytes > used_max - r->used)
		return iot_error_set(r->error, IOT_ELIMIT,
				     "more than 1 GiB of %%process and %%file are in use");
	r->used += bytes;
	return IOT_OK;
}

static int grow(struct iot_retold *r, void **table, size_t *room, size_t size)
{
	size_t more = *room > 0 ? *room : ROOM_FIRST;
	if (*room + more > UINT32_MAX || reserve(r, more * size) != IOT_OK)
		return iot_error_set(r->error, IOT_ELIMIT, "too many %%process and %%file");
	void *now = realloc(*table, (*room + more) * size);
	if (now == NULL)
		return no_memory(r);
	*table = now;
	*room += more;
	return IOT_OK;
}

static void forget_recent(struct iot_recent *recent)
{
	memset(recent, 0, IOT_RETOLD_RECENT * sizeof(*recent));
}

/* 0: it failed. */
static uint32_t new_telling(struct iot_retold *r, struct iot_text text)
{
	uint32_t number = r->free_telling;
	void *table = r->telling;
	if (number == 0 && r->tellings == r->telling_room &&
	    grow(r, &table, &r->telling_room, sizeof(*r->telling)) != IOT_OK)
		return 0;
	r->telling = table;
	char *copy = reserve(r, text.size) == IOT_OK ? malloc(text.size + 1) : NULL;
	if (copy == NULL) {
		no_memory(r);
		return 0;
	}
	if (number != 0)
		r->free_telling = r->telling[number].next_free;
	else
		number = (uint32_t)r->tellings++;
	memcpy(copy, text.data, text.size);
	r->telling[number] = (struct iot_telling){.text = copy, .size = (uint32_t)text.size};
	return number;
}

static void drop_telling(struct iot_retold *r, uint32_t number)
{
	struct iot_telling *t = &r->telling[number];
	if (number == 0 || --t->refs > 0)
		return;
	free(t->text);
	r->used -= t->size;
	*t = (struct iot_telling){.next_free = r->free_telling};
	r->free_telling = number;
}

static void set_telling(struct iot_retold *r, uint32_t *place, uint32_t number)
{
	uint32_t was = *place;
	r->telling[number].refs++;
	*place = number;
	drop_telling(r, was);
}

static uint32_t new_bearing(struct iot_retold *r, uint32_t process, uint32_t file)
{
	uint32_t number = r->free_bearing;
	void *table = r->bearing;
	if (number == 0 && r->bearings == r->bearing_room &&
	    grow(r, &table, &r->bearing_room, sizeof(*r->bearing)) != IOT_OK)
		return 0;
	r->bearing = table;
	if (number != 0)
		r->free_bearing = r->bearing[number].next_free;
	else
		number = (uint32_t)r->bearings++;
	r->bearing[number] = (struct iot_bearing){.process = process, .file = file};
	r->telling[process].refs++;
	r->telling[file].refs++;
	return number;
}

static void drop_bearing(struct iot_retold *r, uint32_t number)
{
	struct iot_bearing *b = &r->bearing[number];
	if (number == 0 || --b->refs > 0)
		return;
	drop_telling(r, b->process);
	drop_telling(r, b->file);
	*b = (struct iot_bearing){.next_free = r->free_bearing};
	r->free_bearing = number;
	forget_recent(r->out); /* the number may come again */
}

/* Subjects: open addressing, a power of two of slots, one always empty */

static size_t home_of(const struct iot_retold *r, uint32_t kind, uint32_t process, uint32_t file)
{
	const uint64_t key = (uint64_t)process << 32 | file;
	const uint64_t other = (r->seed << 32 | r->seed >> 32) ^ kind;
	const uint128 product = (uint128)(key ^ r->seed) * other;
	return (size_t)((uint64_t)product ^ (uint64_t)(product >> 64)) & (r->slots - 1);
}

static struct iot_subject *slot_of(const struct iot_retold *r, uint32_t kind, uint32_t process,
				   uint32_t file)
{
	size_t i = home_of(r, kind, process, file);
	for (;; i = (i + 1) & (r->slots - 1)) {
		struct iot_subject *s = &r->subject[i];
		if (s->kind == 0 || (s->kind == kind && s->process == process && s->file == file))
			return s;
	}
}

static struct iot_subject *find(const struct iot_retold *r, uint32_t kind, uint32_t process,
				uint32_t file)
{
	struct iot_subject *s = slot_of(r, kind, process, file);
	return s->kind != 0 ? s : NULL;
}

static int double_slots(struct iot_retold *r)
{
	struct iot_retold bigger = *r;
	bigger.slots = r->slots > 0 ? 2 * r->slots : ROOM_FIRST;
	if (reserve(r, (bigger.slots - r->slots) * sizeof(*r->subject)) != IOT_OK)
		return r->error->status;
	bigger.subject = calloc(bigger.slots, sizeof(*bigger.subject));
	if (bigger.subject == NULL)
		return no_memory(r);
	for (size_t i = 0; i < r->slots; i++) {
		const struct iot_subject *s = &r->subject[i];
		if (s->kind != 0)
			*slot_of(&bigger, s->kind, s->process, s->file) = *s;
	}
	free(r->subject);
	r->subject = bigger.subject;
	r->slots = bigger.slots;
	return IOT_OK;
}

/* The subject, made where there is none; NULL: it failed. */
static struct iot_subject *subject_of(struct iot_retold *r, uint32_t kind, uint32_t process,
				      uint32_t file)
{
	if (r->subjects >= r->slots / 4 * 3 && double_slots(r) != IOT_OK)
		return NULL;
	struct iot_subject *s = slot_of(r, kind, process, file);
	if (s->kind == 0) {
		*s = (struct iot_subject){.kind = kind, .process = process, .file = file};
		r->subjects++;
	}
	return s;
}

/* Of whom nothing is told any more; those behind the gap move up to where they can be found. */
static void remove_if_idle(struct iot_retold *r, struct iot_subject *s)
{
	if (s->in != 0 || s->out != 0)
		return;
	drop_bearing(r, s->bearing);
	size_t gap = (size_t)(s - r->subject), mask = r->slots - 1;
	for (size_t i = (gap + 1) & mask; r->subject[i].kind != 0; i = (i + 1) & mask) {
		const struct iot_subject *next = &r->subject[i];
		size_t home = home_of(r, next->kind, next->process, next->file);
		if (((i - home) & mask) < ((i - gap) & mask))
			continue;
		r->subject[gap] = *next;
		gap = i;
	}
	r->subject[gap] = (struct iot_subject){.kind = 0};
	r->subjects--;
}

int iot_retold_init(struct iot_retold *r, struct iot_error *error)
{
	*r = (struct iot_retold){.error = error, .seed = iot_seed()};
	void *tellings = NULL, *bearings = NULL;
	int status = grow(r, &tellings, &r->telling_room, sizeof(*r->telling));
	if (status == IOT_OK)
		status = grow(r, &bearings, &r->bearing_room, sizeof(*r->bearing));
	r->telling = tellings;
	r->bearing = bearings;
	if (status == IOT_OK)
		status = double_slots(r);
	if (status != IOT_OK)
		return status;
	r->telling[0] = (struct iot_telling){.refs = 1};
	r->bearing[0] = (struct iot_bearing){.refs = 1};
	r->tellings = r->bearings = 1;
	return IOT_OK;
}

void iot_retold_free(struct iot_retold *r)
{
	for (size_t i = 1; i < r->tellings; i++)
		free(r->telling[i].text);
	free(r->telling);
	free(r->bearing);
	free(r->subject);
	*r = (struct iot_retold){.error = r->error};
}

/* In */

static uint32_t kind_of(const struct iot_event *ev)
{
	if (ev->kind == IOT_RECORD)
		return ev->rec.type & IOT_LOGICAL ? KIND_FILE : KIND_DISK;
	if (ev->kind == IOT_PROCESS || !(ev->has & IOT_HAS_FILE))
		return KIND_PROCESS;
	return ev->has & IOT_HAS_DISK ? KIND_DISK : KIND_FILE;
}

static struct iot_recent *recent_of(struct iot_recent *recent, uint32_t kind, uint32_t process,
				    uint32_t file)
{
	/* Ids are small and dense: those of neighbours do not meet. */
	return &recent[(file + process * 61 + kind) & (IOT_RETOLD_RECENT - 1)];
}

static bool is_it(const struct iot_recent *c, uint32_t kind, uint32_t process, uint32_t file)
{
	return c->process == process && c->file == file && c->kind == kind;
}

/* What is in force for a file in the input; true if that could be found out. */
static bool look_up(struct iot_retold *r, uint32_t kind, uint32_t process, uint32_t file,
		    uint32_t *bearing)
{
	struct iot_subject *p = find(r, KIND_PROCESS, process, 0);
	struct iot_subject *f = kind != KIND_PROCESS ? find(r, kind, process, file) : NULL;
	uint32_t of_process = p != NULL ? p->in : 0, of_file = f != NULL ? f->in : 0;
	struct iot_subject *keeper = of_file != 0 ? f : p;
	*bearing = 0;
	if (of_process == 0 && of_file == 0)
		return true;
	const struct iot_bearing *b = &r->bearing[keeper->bearing];
	if (keeper->bearing == 0 || b->process != of_process || b->file != of_file) {
		drop_bearing(r, keeper->bearing);
		keeper->bearing = new_bearing(r, of_process, of_file);
		r->bearing[keeper->bearing].refs++;
	}
	*bearing = keeper->bearing;
	return *bearing != 0;
}

static bool tag(struct iot_retold *r, const struct iot_event *ev, uint32_t *bearing)
{
	const uint32_t kind = kind_of(ev), process = ev->rec.process;
	const uint32_t file = kind != KIND_PROCESS ? ev->rec.file : 0;
	struct iot_recent *c = recent_of(r->in, kind, process, file);
	if (!is_it(c, kind, process, file)) {
		if (!look_up(r, kind, process, file, bearing))
			return false;
		*c = (struct iot_recent){process, file, kind, *bearing};
	}
	*bearing = c->bearing;
	r->bearing[c->bearing].refs++;
	return true;
}

static bool take_telling(struct iot_retold *r, struct iot_event *ev)
{
	const uint32_t kind = kind_of(ev);
	uint32_t file = kind != KIND_PROCESS ? ev->rec.file : 0;
	struct iot_subject *s = subject_of(r, kind, ev->rec.process, file);
	uint32_t number = s != NULL ? new_telling(r, ev->text) : 0;
	if (number == 0)
		return false;
	r->telling[number].refs++; /* the event's own */
	set_telling(r, &s->in, number);
	ev->rec.offset = number;
	ev->text.size = 0;
	forget_recent(r->in);
	return true;
}

/* A file is closed, on its way in or out. */
static void close_file(struct iot_retold *r, const struct iot_event *ev, bool in)
{
	struct iot_subject *s = find(r, KIND_FILE, ev->rec.process, ev->rec.file);
	if (s == NULL)
		return;
	set_telling(r, in ? &s->in : &s->out, 0);
	remove_if_idle(r, s);
	forget_recent(in ? r->in : r->out);
}

/* Directives that are about a process or a file, but do not define it. */
static bool is_under(const struct iot_event *ev)
{
	return (ev->kind == IOT_OP || ev->kind == IOT_COUNTER || ev->kind == IOT_DIRECTIVE) &&
	       (ev->has & IOT_HAS_PROCESS);
}

static bool take_directive(struct iot_retold *r, struct iot_event *ev)
{
	uint32_t bearing;
	if (ev->kind == IOT_PROCESS || ev->kind == IOT_FILE)
		return take_telling(r, ev);
	if (!is_under(ev))
		return true;
	if (!tag(r, ev, &bearing))
		return false;
	ev->rec.offset = bearing;
	if (ev->kind == IOT_OP && iot_directive_closes(ev))
		close_file(r, ev, true);
	return true;
}

int iot_retold_in(struct iot_retold *r, struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		/* Nothing has been told; writing the same again would cost more than looking. */
		if (ev[i].kind == IOT_RECORD && r->subjects == 0 && ev[i].rec.object == 0)
			continue;
		if (ev[i].kind == IOT_RECORD ? !tag(r, &ev[i], &ev[i].rec.object)
					     : !take_directive(r, &ev[i]))
			return r->error->status;
	}
	return IOT_OK;
}

/* Out */

/* Where events go, and those that wait to go there together. */
struct outlet {
	iot_retold_fn *put;
	void *context;
	const struct iot_event *ev;
	size_t n;
};

static int put_waiting(struct outlet *o)
{
	int status = o->n > 0 ? o->put(o->context, o->ev, o->n) : IOT_OK;
	o->ev += o->n;
	o->n = 0;
	return status;
}

/* A telling comes in force; 0: nothing is told of this file any more. */
static int tell(struct iot_retold *r, struct iot_subject *s, uint32_t number, struct outlet *o)
{
	char memory[UNDEFINED_ROOM];
	struct iot_event ev = {.kind = IOT_COMMENT};
	struct iot_builder b;
	if (number != 0) {
		ev.text = (struct iot_text){r->telling[number].text, r->telling[number].size};
		if (iot_directive_parse(&ev, NULL) != IOT_OK)
			return IOT_EFORMAT;
	} else {
		iot_directive_begin(&b, memory, sizeof(memory), "file");
		iot_directive_number(&b, "process", s->process);
		iot_directive_number(&b, "id", s->file);
		if (s->kind == KIND_DISK)
			iot_directive_text(&b, "kind", "disk", 4);
		if (iot_directive_end(&b, &ev) != IOT_OK)
			return IOT_EFORMAT;
	}
	int status = put_waiting(o);
	if (status == IOT_OK)
		status = o->put(o->context, &ev, 1);
	set_telling(r, &s->out, number);
	forget_recent(r->out);
	return status;
}

static int tell_if_new(struct iot_retold *r, uint32_t kind, uint32_t process, uint32_t file,
		       uint32_t number, struct outlet *o)
{
	struct iot_subject *s = find(r, kind, process, file);
	if (number == (s != NULL ? s->out : 0))
		return IOT_OK;
	s = subject_of(r, kind, process, file);
	return s != NULL ? tell(r, s, number, o) : r->error->status;
}

/* All that an event is under comes in force. */
static int bear(struct iot_retold *r, const struct iot_event *ev, uint32_t number, struct outlet *o)
{
	const uint32_t kind = kind_of(ev), process = ev->rec.process;
	const uint32_t file = kind != KIND_PROCESS ? ev->rec.file : 0;
	const struct iot_bearing b = r->bearing[number];
	int status = IOT_OK;
	if (b.process != 0)
		status = tell_if_new(r, KIND_PROCESS, process, 0, b.process, o);
	/* That nothing is told of a file matters to records alone. */
	if (status == IOT_OK && kind != KIND_PROCESS && (b.file != 0 || ev->kind == IOT_RECORD))
		status = tell_if_new(r, kind, process, file, b.file, o);
	*recent_of(r->out, kind, process, file) =
	    (struct iot_recent){process, file, ev->kind == IOT_RECORD ? kind : 0, number};
	return status;
}

static int put_record(struct iot_retold *r, const struct iot_event *ev, struct outlet *o)
{
	const uint32_t number = ev->rec.object;
	if (number == 0 && r->subjects == 0) {
		o->n++;
		return IOT_OK;
	}
	const uint32_t kind = kind_of(ev);
	const struct iot_recent *c = recent_of(r->out, kind, ev->rec.process, ev->rec.file);
	int status = IOT_OK;
	if (!is_it(c, kind, ev->rec.process, ev->rec.file) || c->bearing != number)
		status = bear(r, ev, number, o);
	drop_bearing(r, number);
	o->n++;
	return status;
}

/* Takes the event out of what waits. */
static int put_telling(struct iot_retold *r, const struct iot_event *ev, struct outlet *o)
{
	const uint32_t kind = kind_of(ev), number = (uint32_t)ev->rec.offset;
	int status = put_waiting(o);
	o->ev++;
	if (status == IOT_OK)
		status = tell_if_new(r, kind, ev->rec.process,
				     kind != KIND_PROCESS ? ev->rec.file : 0, number, o);
	drop_telling(r, number);
	return status;
}

static int put_directive(struct iot_retold *r, struct iot_event *ev, struct outlet *o)
{
	if (ev->kind == IOT_PROCESS || ev->kind == IOT_FILE)
		return put_telling(r, ev, o);
	int status = IOT_OK;
	if (is_under(ev)) {
		status = bear(r, ev, (uint32_t)ev->rec.offset, o);
		drop_bearing(r, (uint32_t)ev->rec.offset);
		ev->rec.offset = 0;
	}
	if (ev->kind == IOT_OP && iot_directive_closes(ev))
		close_file(r, ev, false);
	o->n++;
	return status;
}

int iot_retold_out(struct iot_retold *r, struct iot_event *ev, size_t n, iot_retold_fn *put,
		   void *context)
{
	struct outlet o = {.put = put, .context = context, .ev = ev};
	int status = IOT_OK;
	for (size_t i = 0; i < n && status == IOT_OK; i++)
		status = ev[i].kind == IOT_RECORD ? put_record(r, &ev[i], &o)
						  : put_directive(r, &ev[i], &o);
	return status == IOT_OK ? put_waiting(&o) : status;
}
