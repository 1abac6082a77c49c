/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directives, each with the number of records before it, and the records. A column has what is
 * not expected of a record: that it begins at the end of the record before of the same file, and
 * has its object; that the process uses its last file; and that its CPU clock stands still.
 */
#include "events_state.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "lib/base/array.h"
#include "lib/base/idmap.h"

enum {
	BATCH = 256,
	ADJOINS = 16 /* beside the flags of a record: its offset is the expected one */
};

enum kept_field {
	START,
	TOOK,
	CPU,
	OFFSET,
	LENGTH,
	OPERATION,
	FILE_ID,
	PROCESS,
	OBJECT,
	TYPE,
	FLAGS,
	FIELDS
};

struct expected_of_file {
	uint64_t end, object;
};

struct expected_of_process {
	uint64_t file, cpu;
};

/* What is expected of records. */
struct expected {
	struct idmap files, processes;
	struct expected_of_file *file;
	struct expected_of_process *process;
	size_t file_capacity, process_capacity;
};

/* The directives of a state that is loaded, in memory that does not move any more. */
struct directives {
	char *text; /* of all */
	struct directive_place {
		uint64_t after; /* records */
		size_t size;
	} * place;
	size_t size, capacity, count, place_capacity;
	size_t next, next_text;
};

/* Records */

static const struct {
	const char *key;
	uint64_t max;
} columns[FIELDS] = {[START] = {"start", INT64_MAX},      [TOOK] = {"took_ns", INT64_MAX},
		     [CPU] = {"cpu", UINT64_MAX},         [OFFSET] = {"offset", UINT64_MAX},
		     [LENGTH] = {"length", UINT64_MAX},   [OPERATION] = {"operation", UINT32_MAX},
		     [FILE_ID] = {"fileid", UINT64_MAX},  [PROCESS] = {"processid", UINT32_MAX},
		     [OBJECT] = {"objectid", UINT64_MAX}, [TYPE] = {"type", UINT8_MAX},
		     [FLAGS] = {"flags", UINT8_MAX}};

static void to_fields(const struct iot_record *rec, uint64_t field[FIELDS])
{
	field[START] = (uint64_t)rec->start_ns;
	field[TOOK] = rec->duration_ns;
	field[CPU] = (uint64_t)rec->cpu_ns;
	field[OFFSET] = rec->offset;
	field[LENGTH] = rec->length;
	field[OPERATION] = rec->operation;
	field[FILE_ID] = rec->file;
	field[PROCESS] = rec->process;
	field[OBJECT] = rec->object;
	field[TYPE] = rec->type;
	field[FLAGS] = rec->flags;
}

/* Returns false if no record has these. */
static bool from_fields(const uint64_t field[FIELDS], struct iot_record *rec)
{
	*rec = (struct iot_record){.start_ns = (int64_t)field[START],
				   .duration_ns = field[TOOK],
				   .cpu_ns = (int64_t)field[CPU],
				   .offset = field[OFFSET],
				   .length = field[LENGTH],
				   .operation = (uint32_t)field[OPERATION],
				   .file = (uint32_t)field[FILE_ID],
				   .process = (uint32_t)field[PROCESS],
				   .object = (uint32_t)field[OBJECT],
				   .type = (uint8_t)field[TYPE],
				   .flags = (uint8_t)field[FLAGS]};
	return field[FILE_ID] <= UINT32_MAX && field[OBJECT] <= UINT32_MAX && kept_is_record(rec);
}

/* Zigzag: 0, -1, 1, -2, ... as 0, 1, 2, 3, ... */
static uint64_t difference(uint64_t from, uint64_t to)
{
	const uint64_t d = to - from;
	return d << 1 ^ (0 - (d >> 63));
}

static uint64_t add_difference(uint64_t from, uint64_t code)
{
	return from + (code >> 1 ^ (0 - (code & 1)));
}

static struct expected_of_process *process_of(struct expected *e, uint64_t process)
{
	const size_t n = idmap_number(&e->processes, process);
	return array_reserve_index(&e->process, &e->process_capacity, n, sizeof *e->process)
		   ? &e->process[n]
		   : NULL;
}

static struct expected_of_file *file_of(struct expected *e, uint64_t process, uint64_t file)
{
	const size_t n = idmap_number(&e->files, process << 32 | file);
	return array_reserve_index(&e->file, &e->file_capacity, n, sizeof *e->file) ? &e->file[n]
										    : NULL;
}

static void note(struct expected_of_process *p, struct expected_of_file *f,
		 const uint64_t field[FIELDS])
{
	*p = (struct expected_of_process){field[FILE_ID], field[CPU]};
	*f = (struct expected_of_file){field[OFFSET] + field[LENGTH], field[OBJECT]};
}

/* Fields to columns. Returns false if out of memory. */
static bool to_columns(struct expected *e, const uint64_t field[FIELDS], uint64_t column[FIELDS])
{
	struct expected_of_process *p = process_of(e, field[PROCESS]);
	struct expected_of_file *f = file_of(e, field[PROCESS], field[FILE_ID]);
	if (p == NULL || f == NULL)
		return false;
	memcpy(column, field, FIELDS * sizeof *field);
	column[FILE_ID] = difference(p->file, field[FILE_ID]);
	column[CPU] = difference(p->cpu, field[CPU]);
	column[OFFSET] = field[OFFSET] != f->end ? field[OFFSET] : 0;
	column[FLAGS] |= field[OFFSET] != f->end ? 0 : ADJOINS;
	column[OBJECT] = difference(f->object, field[OBJECT]);
	note(p, f, field);
	return true;
}

/* The reverse, in place. */
static bool from_columns(struct expected *e, uint64_t field[FIELDS])
{
	struct expected_of_process *p = process_of(e, field[PROCESS]);
	if (p == NULL)
		return false;
	field[FILE_ID] = add_difference(p->file, field[FILE_ID]);
	field[CPU] = add_difference(p->cpu, field[CPU]);
	struct expected_of_file *f = file_of(e, field[PROCESS], field[FILE_ID]);
	if (f == NULL)
		return false;
	field[OFFSET] = (field[FLAGS] & ADJOINS) != 0 ? f->end : field[OFFSET];
	field[FLAGS] &= ~(uint64_t)ADJOINS;
	field[OBJECT] = add_difference(f->object, field[OBJECT]);
	note(p, f, field);
	return true;
}

static void free_expected(struct expected *e)
{
	idmap_free(&e->files);
	idmap_free(&e->processes);
	free(e->file);
	free(e->process);
}

static void record_row(struct state *s, uint64_t field[FIELDS])
{
	for (unsigned i = 0; i < FIELDS; i++)
		state_limited(s, columns[i].key, &field[i], columns[i].max);
}

/* Saving */

static bool step_to(struct kept_cursor *c, bool records, uint64_t *before)
{
	while (kept_step(c)) {
		const bool is_record = c->ev.kind == IOT_RECORD;
		if (is_record == records)
			return true;
		*before += is_record;
	}
	return false;
}

/* The texts of directives, in pieces that fit on a line. All but the first begin with '+'. */
struct text_pieces {
	struct kept_cursor cursor;
	size_t left; /* of the current text */
	char text[STATE_TEXT_MAX];
};

/* Steps to the next piece, and adds the records before it; false at the end. */
static bool step_to_piece(struct text_pieces *p, struct iot_text *piece, uint64_t *records)
{
	const size_t mark = p->left > 0;
	if (mark == 0 && !step_to(&p->cursor, false, records))
		return false;
	const struct iot_text text = p->cursor.ev.text;
	if (mark == 0)
		p->left = text.size;
	const size_t capacity = sizeof p->text - mark,
		     size = p->left < capacity ? p->left : capacity;
	p->text[0] = '+';
	memcpy(p->text + mark, text.data + text.size - p->left, size);
	p->left -= size;
	*piece = (struct iot_text){p->text, mark + size};
	return true;
}

static void save_directives(struct state *s, const struct kept_events *k)
{
	struct text_pieces p = {.cursor.of = k};
	struct iot_text piece;
	uint64_t records = 0;
	while (state_list(s, "events.directive", step_to_piece(&p, &piece, &records))) {
		state_number(s, "after", &records);
		state_text(s, "text", &piece);
	}
}

static void save_records(struct state *s, const struct kept_events *k)
{
	struct kept_cursor c = {.of = k};
	struct expected e = {.file = NULL};
	uint64_t records = 0, field[FIELDS], column[FIELDS] = {0};
	while (state_list(s, "events.record", step_to(&c, true, &records))) {
		to_fields(&c.ev.rec, field);
		if (!to_columns(&e, field, column))
			state_no_memory(s);
		record_row(s, column);
	}
	free_expected(&e);
}

/* Loading */

struct loading {
	struct state *state;
	int (*add)(void *context, const struct iot_event *ev, size_t n);
	void *context;
	struct iot_event ev[BATCH];
	size_t count; /* of ev */
	uint64_t cost, records;
	struct directives directives;
};

static void spend(struct loading *l, uint64_t cost)
{
	l->cost += cost;
	state_check(l->state, l->cost <= KEPT_COST_MAX, "no more events than a state has");
}

static void keep_text(struct state *s, struct directives *d, struct iot_text text)
{
	if (!array_reserve(&d->text, &d->capacity, d->size + text.size, 1)) {
		state_no_memory(s);
		return;
	}
	memcpy(d->text + d->size, text.data, text.size);
	d->size += text.size;
}

static void keep_directive(struct state *s, struct directives *d, uint64_t after,
			   struct iot_text text)
{
	if (!array_reserve(&d->place, &d->place_capacity, d->count + 1, sizeof *d->place)) {
		state_no_memory(s);
		return;
	}
	keep_text(s, d, text);
	d->place[d->count++] = (struct directive_place){after, text.size};
}

static void keep_piece(struct state *s, struct directives *d, struct iot_text piece)
{
	const struct iot_text text = {piece.data + 1, piece.size - 1};
	keep_text(s, d, text);
	d->place[d->count - 1].size += text.size;
}

static void load_directives(struct state *s, struct loading *l)
{
	struct iot_text text;
	uint64_t after, before = 0;
	while (state_list(s, "events.directive", false)) {
		state_number(s, "after", &after);
		state_text(s, "text", &text);
		state_check(s, after >= before, "directives in order");
		before = after;
		const bool begins = l->directives.count == 0 || text.size == 0 || *text.data != '+';
		spend(l, begins ? KEPT_EVENT_COST + text.size : text.size - 1);
		if (state_failed(s))
			continue;
		if (begins)
			keep_directive(s, &l->directives, after, text);
		else
			keep_piece(s, &l->directives, text);
	}
}

static void pass(struct loading *l)
{
	if (!state_failed(l->state) && l->count > 0 &&
	    l->add(l->context, l->ev, l->count) != IOT_OK)
		state_no_memory(l->state);
	l->count = 0;
}

static struct iot_event *next_event(struct loading *l)
{
	if (l->count == BATCH)
		pass(l);
	return &l->ev[l->count++];
}

/* Passes on the directives that follow the records so far. */
static void pass_directives(struct loading *l)
{
	struct directives *d = &l->directives;
	for (; d->next < d->count && d->place[d->next].after <= l->records; d->next++) {
		const struct iot_text text = {d->text + d->next_text, d->place[d->next].size};
		d->next_text += text.size;
		state_check(l->state, kept_directive(text, next_event(l)),
			    "a directive that counts");
	}
}

static void load_records(struct state *s, struct loading *l)
{
	struct expected e = {.file = NULL};
	uint64_t field[FIELDS];
	while (state_list(s, "events.record", false)) {
		record_row(s, field);
		spend(l, KEPT_EVENT_COST);
		if (!from_columns(&e, field))
			state_no_memory(s);
		if (state_failed(s))
			continue;
		pass_directives(l);
		struct iot_event *ev = next_event(l);
		*ev = (struct iot_event){.kind = IOT_RECORD};
		state_check(s, from_fields(field, &ev->rec), "a record");
		l->records++;
	}
	free_expected(&e);
}

static void load(struct state *s, struct loading *l)
{
	load_directives(s, l);
	load_records(s, l);
	pass_directives(l);
	pass(l);
	state_check(s, l->directives.next == l->directives.count,
		    "the records that directives follow");
	free(l->directives.text);
	free(l->directives.place);
}

void events_state(struct state *s, const struct kept_events *k,
		  int (*add)(void *context, const struct iot_event *ev, size_t n), void *context)
{
	if (state_saves(s)) {
		save_directives(s, k);
		save_records(s, k);
		return;
	}
	struct loading *l = calloc(1, sizeof *l);
	if (l == NULL) {
		state_no_memory(s);
		return;
	}
	*l = (struct loading){.state = s, .add = add, .context = context};
	load(s, l);
	free(l);
}

uint64_t events_hash(const struct kept_events *k)
{
	struct kept_cursor c = {.of = k};
	uint64_t hash = 0, field[FIELDS];
	while (kept_step(&c)) {
		if (c.ev.kind != IOT_RECORD) {
			hash = XXH3_64bits_withSeed(c.ev.text.data, c.ev.text.size, hash);
			continue;
		}
		to_fields(&c.ev.rec, field);
		for (unsigned i = 0; i < FIELDS; i++)
			field[i] = htole64(field[i]);
		hash = XXH3_64bits_withSeed(field, sizeof field, hash);
	}
	return hash;
}
