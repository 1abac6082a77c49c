/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Definitions and scopes are reference-counted, so memory is bounded by what is current on either
 * side plus what is in transit, even on an endless stream. A scope is created once for a file and
 * its process, and again when either is redefined.
 */
#include "scope.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/format/directive.h"

enum {
	KIND_PROCESS = 1,
	KIND_FILE,
	KIND_DISK,
	CAPACITY_FIRST = 16,
	UNDEFINED_CAPACITY = 96,
};

static const size_t used_max = (size_t)1 << 30; /* bytes of directives and tables */

struct scope_definition {
	char *text;
	uint32_t size, refs;
	uint32_t object; /* of a file */
	uint32_t next_free;
};

struct scope {
	uint32_t process, file; /* definitions */
	uint64_t refs;
	uint32_t object;
	uint32_t next_free;
};

struct scope_entity {
	uint32_t kind; /* 0: unused */
	uint32_t process, file;
	uint32_t in, out; /* current definitions */
	/* current scope; of a process: the scope of its files without a definition */
	uint32_t scope;
};

/* Bytes of an entity with its share of the map of ids. */
enum { ENTITY_SIZE = sizeof(struct scope_entity) + sizeof(uint64_t) + 2 * sizeof(uint32_t) };

/* Tables */

static int no_memory(struct scope_tracker *t)
{
	return error_set(t->error, IOT_ENOMEM, "out of memory for %%process and %%file");
}

static int reserve(struct scope_tracker *t, size_t bytes)
{
	if (bytes > used_max - t->used)
		return error_set(t->error, IOT_ELIMIT,
				 "more than 1 GiB of %%process and %%file are in use");
	t->used += bytes;
	return IOT_OK;
}

static int grow(struct scope_tracker *t, void **table, size_t *capacity, size_t size)
{
	size_t more = *capacity > 0 ? *capacity : CAPACITY_FIRST;
	if (*capacity + more > UINT32_MAX || reserve(t, more * size) != IOT_OK)
		return error_set(t->error, IOT_ELIMIT, "too many %%process and %%file");
	void *now = realloc(*table, (*capacity + more) * size);
	if (now == NULL)
		return no_memory(t);
	*table = now;
	*capacity += more;
	return IOT_OK;
}

static void forget_recent(struct scope_recent *recent)
{
	memset(recent, 0, SCOPE_RECENT_MAX * sizeof(*recent));
}

/* Returns 0 on failure. */
static uint32_t new_definition(struct scope_tracker *t, struct iot_text text)
{
	uint32_t number = t->free_definition;
	void *table = t->definition;
	if (number == 0 && t->definitions == t->definition_capacity &&
	    grow(t, &table, &t->definition_capacity, sizeof(*t->definition)) != IOT_OK)
		return 0;
	t->definition = table;
	char *copy = reserve(t, text.size) == IOT_OK ? malloc(text.size + 1) : NULL;
	if (copy == NULL) {
		no_memory(t);
		return 0;
	}
	if (number != 0)
		t->free_definition = t->definition[number].next_free;
	else
		number = (uint32_t)t->definitions++;
	memcpy(copy, text.data, text.size);
	t->definition[number] =
	    (struct scope_definition){.text = copy, .size = (uint32_t)text.size};
	return number;
}

/* The text may have been delivered: it remains until scope_release. */
static void drop_definition(struct scope_tracker *t, uint32_t number)
{
	struct scope_definition *d = &t->definition[number];
	if (number == 0 || --d->refs > 0)
		return;
	d->next_free = t->dropped;
	t->dropped = number;
}

void scope_release(struct scope_tracker *t)
{
	while (t->dropped != 0) {
		const uint32_t number = t->dropped;
		struct scope_definition *d = &t->definition[number];
		t->dropped = d->next_free;
		free(d->text);
		t->used -= d->size;
		*d = (struct scope_definition){.next_free = t->free_definition};
		t->free_definition = number;
	}
}

static void set_definition(struct scope_tracker *t, uint32_t *place, uint32_t number)
{
	uint32_t was = *place;
	t->definition[number].refs++;
	*place = number;
	drop_definition(t, was);
}

static uint32_t new_scope(struct scope_tracker *t, uint32_t process, uint32_t file)
{
	uint32_t number = t->free_scope;
	void *table = t->scope;
	if (number == 0 && t->scopes == t->scope_capacity &&
	    grow(t, &table, &t->scope_capacity, sizeof(*t->scope)) != IOT_OK)
		return 0;
	t->scope = table;
	if (number != 0)
		t->free_scope = t->scope[number].next_free;
	else
		number = (uint32_t)t->scopes++;
	t->scope[number] =
	    (struct scope){.process = process, .file = file, .object = t->definition[file].object};
	t->definition[process].refs++;
	t->definition[file].refs++;
	return number;
}

static void drop_scope(struct scope_tracker *t, uint32_t number)
{
	struct scope *s = &t->scope[number];
	if (number == 0 || --s->refs > 0)
		return;
	drop_definition(t, s->process);
	drop_definition(t, s->file);
	*s = (struct scope){.next_free = t->free_scope};
	t->free_scope = number;
	forget_recent(t->out); /* the number may be reused */
}

/* Entities */

static struct scope_entity *find(const struct scope_tracker *t, uint32_t kind, uint32_t process,
				 uint32_t file)
{
	const struct scope_entities *all = &t->of[kind];
	const size_t i = idmap_find(&all->ids, idmap_pair(process, file));
	return i != SIZE_MAX ? &all->entity[i] : NULL;
}

static int grow_entities(struct scope_tracker *t, struct scope_entities *all)
{
	const size_t more = all->capacity > 0 ? all->capacity : CAPACITY_FIRST;
	if (reserve(t, more * ENTITY_SIZE) != IOT_OK)
		return t->error->status;
	return array_reserve_index(&all->entity, &all->capacity, all->capacity + more - 1,
				   sizeof(*all->entity))
		   ? IOT_OK
		   : no_memory(t);
}

/* Returns the entity, created if missing; NULL on failure. */
static struct scope_entity *entity_of(struct scope_tracker *t, uint32_t kind, uint32_t process,
				      uint32_t file)
{
	struct scope_entities *all = &t->of[kind];
	if (all->ids.count == all->capacity && grow_entities(t, all) != IOT_OK)
		return NULL;
	const size_t i = idmap_number(&all->ids, idmap_pair(process, file));
	if (i == SIZE_MAX) {
		no_memory(t);
		return NULL;
	}
	assert(all->entity != NULL && i < all->capacity);
	struct scope_entity *s = &all->entity[i];
	if (s->kind == 0) {
		*s = (struct scope_entity){.kind = kind, .process = process, .file = file};
		t->entities++;
	}
	return s;
}

/* Removes an entity without definitions. */
static void remove_if_idle(struct scope_tracker *t, struct scope_entity *s)
{
	if (s->in != 0 || s->out != 0)
		return;
	drop_scope(t, s->scope);
	(void)idmap_remove(&t->of[s->kind].ids, idmap_pair(s->process, s->file));
	*s = (struct scope_entity){.kind = 0};
	t->entities--;
}

int scope_tracker_init(struct scope_tracker *t, struct error *error)
{
	*t = (struct scope_tracker){.error = error};
	void *definitions = NULL, *scopes = NULL;
	int status = grow(t, &definitions, &t->definition_capacity, sizeof(*t->definition));
	if (status == IOT_OK)
		status = grow(t, &scopes, &t->scope_capacity, sizeof(*t->scope));
	t->definition = definitions;
	t->scope = scopes;
	if (status != IOT_OK)
		return status;
	assert(definitions != NULL && scopes != NULL);
	t->definition[0] = (struct scope_definition){.refs = 1};
	t->scope[0] = (struct scope){.refs = 1};
	t->definitions = t->scopes = 1;
	return IOT_OK;
}

void scope_tracker_free(struct scope_tracker *t)
{
	for (size_t i = 1; i < t->definitions; i++)
		free(t->definition[i].text);
	free(t->definition);
	free(t->scope);
	for (size_t kind = 0; kind < SCOPE_KINDS; kind++) {
		idmap_free(&t->of[kind].ids);
		free(t->of[kind].entity);
	}
	*t = (struct scope_tracker){.error = t->error};
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

static struct scope_recent *recent_of(struct scope_recent *recent, uint32_t kind, uint32_t process,
				      uint32_t file)
{
	/* Ids are small and dense, so neighbouring ids do not collide. */
	return &recent[(file + process * 61 + kind) & (SCOPE_RECENT_MAX - 1)];
}

static bool is_it(const struct scope_recent *r, uint32_t kind, uint32_t process, uint32_t file)
{
	return r->process == process && r->file == file && r->kind == kind;
}

/* Finds the current scope of a file in the input; returns false on failure. */
static bool look_up(struct scope_tracker *t, uint32_t kind, uint32_t process, uint32_t file,
		    uint32_t *scope)
{
	struct scope_entity *p = find(t, KIND_PROCESS, process, 0);
	struct scope_entity *f = kind != KIND_PROCESS ? find(t, kind, process, file) : NULL;
	uint32_t of_process = p != NULL ? p->in : 0, of_file = f != NULL ? f->in : 0;
	struct scope_entity *keeper = of_file != 0 ? f : p;
	*scope = 0;
	if (of_process == 0 && of_file == 0)
		return true;
	const struct scope *s = &t->scope[keeper->scope];
	if (keeper->scope == 0 || s->process != of_process || s->file != of_file) {
		drop_scope(t, keeper->scope);
		keeper->scope = new_scope(t, of_process, of_file);
		t->scope[keeper->scope].refs++;
	}
	*scope = keeper->scope;
	return *scope != 0;
}

static bool find_scope(struct scope_tracker *t, const struct iot_event *ev, uint32_t *scope)
{
	const uint32_t kind = kind_of(ev), process = ev->rec.process;
	const uint32_t file = kind != KIND_PROCESS ? ev->rec.file : 0;
	struct scope_recent *r = recent_of(t->in, kind, process, file);
	if (!is_it(r, kind, process, file)) {
		if (!look_up(t, kind, process, file, scope))
			return false;
		*r = (struct scope_recent){process, file, kind, *scope};
	}
	*scope = r->scope;
	t->scope[r->scope].refs++;
	return true;
}

static bool take_definition(struct scope_tracker *t, struct iot_event *ev, uint32_t *tag)
{
	const uint32_t kind = kind_of(ev);
	uint32_t file = kind != KIND_PROCESS ? ev->rec.file : 0;
	struct scope_entity *s = entity_of(t, kind, ev->rec.process, file);
	uint32_t number = s != NULL ? new_definition(t, ev->text) : 0;
	if (number == 0)
		return false;
	t->definition[number].refs++; /* the event's own reference */
	t->definition[number].object = ev->rec.object;
	set_definition(t, &s->in, number);
	*tag = number;
	ev->text = (struct iot_text){NULL, 0};
	forget_recent(t->in);
	return true;
}

/* Handles a close: ends the definition of the file on input or output. */
static void close_file(struct scope_tracker *t, const struct iot_event *ev, bool in)
{
	struct scope_entity *s = find(t, KIND_FILE, ev->rec.process, ev->rec.file);
	if (s == NULL)
		return;
	set_definition(t, in ? &s->in : &s->out, 0);
	remove_if_idle(t, s);
	forget_recent(in ? t->in : t->out);
}

/* Returns whether a directive refers to a process or file without defining it. */
static bool is_under(const struct iot_event *ev)
{
	return (ev->kind == IOT_OP || ev->kind == IOT_COUNTER || ev->kind == IOT_DIRECTIVE) &&
	       (ev->has & IOT_HAS_PROCESS);
}

static bool take_directive(struct scope_tracker *t, struct iot_event *ev, uint32_t *tag)
{
	*tag = 0;
	if (ev->kind == IOT_PROCESS || ev->kind == IOT_FILE)
		return take_definition(t, ev, tag);
	if (!is_under(ev))
		return true;
	if (!find_scope(t, ev, tag))
		return false;
	if (ev->kind == IOT_OP && directive_closes(ev))
		close_file(t, ev, true);
	return true;
}

int scope_attach(struct scope_tracker *t, struct iot_event *ev, uint32_t *tag, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ev[i].kind != IOT_RECORD) {
			if (!take_directive(t, &ev[i], &tag[i]))
				return t->error->status;
		} else if (t->entities == 0) {
			tag[i] = 0;
		} else if (find_scope(t, &ev[i], &tag[i])) {
			ev[i].rec.object ^= t->scope[tag[i]].object;
		} else {
			return t->error->status;
		}
	}
	return IOT_OK;
}

/* Out: functions return an enum scope_step or a negative status */

/* Makes a definition current on output; 0: the file has none any more. */
static int define(struct scope_tracker *t, struct scope_entity *s, uint32_t number,
		  struct iot_event *definition)
{
	char memory[UNDEFINED_CAPACITY];
	struct iot_builder b;
	*definition = (struct iot_event){.kind = IOT_COMMENT};
	if (number != 0) {
		definition->text =
		    (struct iot_text){t->definition[number].text, t->definition[number].size};
		if (iot_directive_parse(definition, NULL) != IOT_OK)
			return IOT_EFORMAT;
	} else {
		iot_directive_begin(&b, memory, sizeof(memory), "file");
		iot_directive_number(&b, "process", s->process);
		iot_directive_number(&b, "id", s->file);
		if (s->kind == KIND_DISK)
			iot_directive_text(&b, "kind", "disk", 4);
		if (iot_directive_end(&b, definition) != IOT_OK)
			return IOT_EFORMAT;
		const uint32_t kept = new_definition(t, definition->text);
		if (kept == 0)
			return t->error->status;
		definition->text.data = t->definition[kept].text;
		t->definition[kept].refs++;
		drop_definition(t, kept);
	}
	set_definition(t, &s->out, number);
	forget_recent(t->out);
	return SCOPE_DEFINITION;
}

static int define_if_new(struct scope_tracker *t, uint32_t kind, uint32_t process, uint32_t file,
			 uint32_t number, struct iot_event *definition)
{
	struct scope_entity *s = find(t, kind, process, file);
	if (number == (s != NULL ? s->out : 0))
		return SCOPE_EVENT;
	s = entity_of(t, kind, process, file);
	return s != NULL ? define(t, s, number, definition) : t->error->status;
}

/* Makes all definitions that apply to an event current, one with each call. */
static int make_current(struct scope_tracker *t, const struct iot_event *ev, uint32_t number,
			struct iot_event *definition)
{
	const uint32_t kind = kind_of(ev), process = ev->rec.process;
	const uint32_t file = kind != KIND_PROCESS ? ev->rec.file : 0;
	const struct scope b = t->scope[number];
	int step = SCOPE_EVENT;
	if (b.process != 0)
		step = define_if_new(t, KIND_PROCESS, process, 0, b.process, definition);
	/* Only records need an explicit "no definition"; directives carry their own ids. */
	if (step == SCOPE_EVENT && kind != KIND_PROCESS && (b.file != 0 || ev->kind == IOT_RECORD))
		step = define_if_new(t, kind, process, file, b.file, definition);
	if (step == SCOPE_EVENT)
		*recent_of(t->out, kind, process, file) =
		    (struct scope_recent){process, file, ev->kind == IOT_RECORD ? kind : 0, number};
	return step;
}

static bool is_current(struct scope_tracker *t, const struct iot_event *ev, uint32_t number)
{
	if (number == 0 && t->entities == 0)
		return true;
	const uint32_t kind = kind_of(ev);
	const struct scope_recent *r = recent_of(t->out, kind, ev->rec.process, ev->rec.file);
	return is_it(r, kind, ev->rec.process, ev->rec.file) && r->scope == number;
}

static void detach(struct scope_tracker *t, struct iot_record *rec, uint32_t tag)
{
	rec->object ^= t->scope[tag].object;
	drop_scope(t, tag);
}

size_t scope_pass(struct scope_tracker *t, struct iot_event *ev, const uint32_t *tag, size_t n)
{
	size_t i = 0;
	for (; i < n && ev[i].kind == IOT_RECORD && is_current(t, &ev[i], tag[i]); i++)
		detach(t, &ev[i].rec, tag[i]);
	return i;
}

static int replay_definition(struct scope_tracker *t, struct iot_event *ev, uint32_t number)
{
	const uint32_t kind = kind_of(ev);
	struct iot_event definition;
	const int step = define_if_new(
	    t, kind, ev->rec.process, kind != KIND_PROCESS ? ev->rec.file : 0, number, &definition);
	if (step == SCOPE_DEFINITION)
		ev->text = definition.text;
	drop_definition(t, number);
	return step == SCOPE_DEFINITION ? SCOPE_EVENT : step == SCOPE_EVENT ? SCOPE_NOTHING : step;
}

static int replay_record(struct scope_tracker *t, struct iot_event *ev, uint32_t tag,
			 struct iot_event *definition)
{
	const int step = make_current(t, ev, tag, definition);
	if (step == SCOPE_EVENT)
		detach(t, &ev->rec, tag);
	return step;
}

static int replay_directive(struct scope_tracker *t, const struct iot_event *ev, uint32_t tag,
			    struct iot_event *definition)
{
	if (is_under(ev)) {
		const int step = make_current(t, ev, tag, definition);
		if (step != SCOPE_EVENT)
			return step;
		drop_scope(t, tag);
	}
	if (ev->kind == IOT_OP && directive_closes(ev))
		close_file(t, ev, false);
	return SCOPE_EVENT;
}

int scope_replay(struct scope_tracker *t, struct iot_event *ev, uint32_t tag,
		 struct iot_event *definition)
{
	if (ev->kind == IOT_PROCESS || ev->kind == IOT_FILE)
		return replay_definition(t, ev, tag);
	const int step = ev->kind == IOT_RECORD ? replay_record(t, ev, tag, definition)
						: replay_directive(t, ev, tag, definition);
	if (step == SCOPE_DEFINITION && (definition->has & IOT_HAS_TIME) == 0)
		definition->rec.start_ns = ev->rec.start_ns;
	return step;
}
