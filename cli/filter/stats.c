/* SPDX-License-Identifier: BSD-2-Clause */
/* Aggregates events to rows of statistics. */
#include "stats.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/directive.h"
#include "lib/base/number.h"

/*
 * Index of an element in an array parallel to a map, which grows. Returns SIZE_MAX if out of
 * memory.
 */
static size_t number_of(struct stats *t, struct idmap *map, uint64_t key, void *array,
			size_t *capacity, size_t size)
{
	const size_t i = idmap_number(map, key);
	if (array_reserve_index(array, capacity, i, size))
		return i;
	t->failed = true;
	return SIZE_MAX;
}

static struct opened *opened_of(struct stats *t, uint32_t process, uint32_t file)
{
	size_t i = number_of(t, &t->opened_map, idmap_pair(process, file), &t->opened,
			     &t->opened_capacity, sizeof *t->opened);
	return i == SIZE_MAX ? NULL : &t->opened[i];
}

/* Adds a row; returns its number + 1, or 0 if out of memory. */
static uint32_t add_row(struct stats *t, uint32_t process, uint32_t file, uint32_t object)
{
	if (!array_reserve_index(&t->rows, &t->row_capacity, t->row_count, sizeof *t->rows)) {
		t->failed = true;
		return 0;
	}
	struct stats_row *rows = t->rows;
	rows[t->row_count].process = process;
	rows[t->row_count].file = file;
	rows[t->row_count].object = object;
	return (uint32_t)++t->row_count;
}

/* The row of an object or process, created if it does not exist. */
static uint32_t group_row(struct stats *t, uint32_t key)
{
	size_t i = number_of(t, &t->group_map, key, &t->group_rows, &t->group_capacity,
			     sizeof *t->group_rows);
	if (i == SIZE_MAX)
		return 0;
	if (t->group_rows[i] == 0) {
		bool process = t->by == BY_PROCESS;
		t->group_rows[i] = add_row(t, process ? key : 0, 0, process ? 0 : key);
	}
	return t->group_rows[i];
}

static uint32_t find_row(struct stats *t, const struct iot_record *rec, uint32_t own)
{
	if (t->by == BY_PROCESS)
		return group_row(t, rec->process);
	if (t->by == BY_OBJECT && rec->object != 0)
		return group_row(t, rec->object);
	return own ? own : add_row(t, rec->process, rec->file, rec->object);
}

/* The row of a record or of a directive about a file; *opened is its file. */
static struct stats_row *row_of(struct stats *t, const struct iot_record *rec,
				struct opened **opened)
{
	struct opened *o = opened_of(t, rec->process, rec->file);
	if (!o)
		return NULL;
	bool fresh = o->row == 0;
	if (fresh || (rec->object != 0 && o->object != rec->object)) {
		o->row = find_row(t, rec, t->by == BY_FILE ? o->row : 0);
		o->object = rec->object;
	}
	if (o->row == 0)
		return NULL;
	struct stats_row *row = &t->rows[o->row - 1];
	row->counters.files += fresh;
	if (fresh)
		o->first_row = o->row;
	if (t->by == BY_FILE)
		row->object = o->object;
	*opened = o;
	return row;
}

static unsigned size_class(uint64_t length)
{
	unsigned k = length == 0 ? 0 : 64U - (unsigned)__builtin_clzll(length);
	return k < SIZE_CLASSES ? k : SIZE_CLASSES - 1;
}

/* Unknown offsets of one open file count from the same base, so their distance is known. */
static void count_follower(struct io_counters *f, const struct opened *o, uint64_t offset,
			   uint64_t length, bool unknown)
{
	const bool placed = o->unknown == unknown;
	f->followers++;
	f->placed += placed;
	f->sequential += placed && offset == o->end;
	f->same_size += length == o->length;
}

static void extend_span(struct stats_row *row, int64_t first_ns, int64_t last_ns)
{
	row->first_ns = row->dated && row->first_ns < first_ns ? row->first_ns : first_ns;
	row->last_ns = row->dated && row->last_ns > last_ns ? row->last_ns : last_ns;
	row->dated = true;
}

static void count_record(struct stats *t, const struct iot_record *rec)
{
	const bool unknown = (rec->flags & IOT_OFFSET_UNKNOWN) != 0;
	bool physical = (rec->type & IOT_LOGICAL) == 0;
	struct opened *o;
	if (physical != t->physical) {
		t->left_out++;
		return;
	}
	operations_record(&t->operations, rec);
	struct stats_row *row = row_of(t, rec, &o);
	if (!row)
		return;
	struct io_counters *f = &row->counters;
	uint64_t bytes = physical ? rec->length * IOT_BLOCK_SIZE : rec->length;
	bool write = (rec->type & IOT_WRITE) != 0;
	if ((rec->flags & IOT_START_UNKNOWN) == 0)
		extend_span(row, rec->start_ns, rec->start_ns);
	f->reads += !write;
	f->writes += write;
	f->read_bytes += write ? 0 : bytes;
	f->written_bytes += write ? bytes : 0;
	if ((rec->flags & IOT_DURATION_UNKNOWN) == 0) {
		f->timed++;
		f->io_ns += rec->duration_ns;
	}
	if (o->active)
		count_follower(f, o, rec->offset, rec->length, unknown);
	t->failed |= !sizes_add(&f->sizes, size_class(bytes), 1);
	if (!o->active) {
		o->first_io_row = o->row;
		o->first_offset = rec->offset;
		o->first_length = rec->length;
		o->first_unknown = unknown;
	}
	o->active = true;
	o->unknown = unknown;
	o->end = rec->offset + rec->length;
	o->length = rec->length;
}

static bool is(struct iot_text text, const char *word)
{
	return text.data && text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

/* Moves the allocated name to the row, unless the limit for names is reached. */
static void give_name(struct stats *t, struct stats_row *row, char *name, size_t size)
{
	const uint64_t max = t->names_max > 0 ? t->names_max : STATS_NAMES_MAX;
	if (row->name != NULL)
		t->names_size -= row->name_size;
	free(row->name);
	row->name = NULL;
	if (size > max - t->names_size) {
		t->unnamed++;
		free(name);
		return;
	}
	row->name = name;
	row->name_size = (uint32_t)size;
	t->names_size += size;
}

/* An %op names its file only if no %file does. */
static void keep_name(struct stats *t, struct stats_row *row, const struct iot_event *ev,
		      const char *key)
{
	if (ev->kind == IOT_OP && row->named)
		return;
	struct iot_text value = iot_directive_get(ev, key);
	char *name = value.data ? malloc(value.size + 1) : NULL;
	if (!name) {
		t->failed |= value.data != NULL;
		return;
	}
	give_name(t, row, name, iot_percent_decode(value, name, NULL));
	row->named = ev->kind != IOT_OP;
}

/* An object has the name that the reader knows. */
static bool names_files(const struct stats *t, const struct stats_row *row)
{
	return t->by == BY_FILE || (t->by == BY_OBJECT && row->object == 0);
}

/* A successful open. If its file has no other name, the path becomes the name. */
static void count_op(struct stats *t, const struct iot_event *ev)
{
	struct iot_text name = iot_directive_get(ev, "name");
	struct iot_text result = iot_directive_get(ev, "result");
	struct opened *o;
	if (!t->physical)
		operations_op(&t->operations, ev);
	if (t->physical || !(is(name, "open") || is(name, "create")))
		return;
	if ((result.data && !is(result, "0")) || !(ev->has & IOT_HAS_FILE))
		return;
	struct stats_row *row = row_of(t, &ev->rec, &o);
	if (!row)
		return;
	row->counters.opens++;
	if (names_files(t, row))
		keep_name(t, row, ev, "path");
}

static void count_file(struct stats *t, const struct iot_event *ev)
{
	struct opened *o;
	bool disk = (ev->has & IOT_HAS_DISK) != 0;
	struct stats_row *row = disk == t->physical ? row_of(t, &ev->rec, &o) : NULL;
	if (row && names_files(t, row))
		keep_name(t, row, ev, "path");
}

static void set_rank(struct stats *t, uint32_t process, uint64_t rank)
{
	size_t i =
	    number_of(t, &t->rank_map, process, &t->ranks, &t->rank_capacity, sizeof *t->ranks);
	if (i != SIZE_MAX)
		t->ranks[i] = rank;
}

static void count_process(struct stats *t, const struct iot_event *ev)
{
	size_t row = t->by == BY_PROCESS ? group_row(t, ev->rec.process) : 0;
	const struct iot_text text = iot_directive_get(ev, "rank");
	uint64_t rank;
	if (row > 0)
		keep_name(t, &t->rows[row - 1], ev, "name");
	if (text.data != NULL && number_decimal(text.data, text.size, &rank) && rank < UINT64_MAX)
		set_rank(t, ev->rec.process, rank + 1);
}

static void take_trace(struct stats *t, const struct iot_event *ev)
{
	const struct iot_text layer = iot_directive_get(ev, "layer");
	if (layer.data != NULL && memchr(layer.data, ',', layer.size) != NULL)
		t->layers = true;
	unsigned lacks;
	if (directive_lacks(ev, &lacks))
		t->no_offsets = (lacks & IOT_OFFSET_UNKNOWN) != 0;
}

static void count_counter(struct stats *t, const struct iot_event *ev)
{
	t->counters++;
	t->file_counters += (ev->has & (IOT_HAS_FILE | IOT_HAS_OBJECT)) != 0 ||
			    iot_directive_get(ev, "path").data != NULL;
}

void stats_events(struct stats *t, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ev[i].kind == IOT_RECORD)
			count_record(t, &ev[i].rec);
		else if (ev[i].kind == IOT_OP)
			count_op(t, &ev[i]);
		else if (ev[i].kind == IOT_FILE)
			count_file(t, &ev[i]);
		else if (ev[i].kind == IOT_PROCESS)
			count_process(t, &ev[i]);
		else if (ev[i].kind == IOT_TRACE)
			take_trace(t, &ev[i]);
		else if (ev[i].kind == IOT_COUNTER)
			count_counter(t, &ev[i]);
	}
}

static int max_bytes_first(const void *left, const void *right)
{
	const struct stats_row *a = left, *b = right;
	uint64_t x = a->counters.read_bytes + a->counters.written_bytes;
	uint64_t y = b->counters.read_bytes + b->counters.written_bytes;
	if (x != y)
		return x < y ? 1 : -1;
	x = a->counters.reads + a->counters.writes;
	y = b->counters.reads + b->counters.writes;
	if (x != y)
		return x < y ? 1 : -1;
	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return a->file < b->file ? -1 : a->file > b->file;
}

/* All statistics are 64-bit counters, except the sizes. Returns false if out of memory. */
static bool add(struct io_counters *total, const struct io_counters *f)
{
	enum { COUNTERS = offsetof(struct io_counters, sizes) / sizeof(uint64_t) };
	uint64_t sum[COUNTERS], more[COUNTERS];
	memcpy(sum, total, sizeof sum);
	memcpy(more, f, sizeof more);
	for (size_t i = 0; i < sizeof sum / sizeof sum[0]; i++)
		sum[i] += more[i];
	memcpy(total, sum, sizeof sum);
	return sizes_join(&total->sizes, &f->sizes);
}

/* Joins parts: corrects the values that depend on earlier events, then adds the rows. */

static void join_opened(struct stats *t, struct stats *more)
{
	for (size_t i = 0; i < more->opened_map.count && !t->failed; i++) {
		const struct opened *m = &more->opened[i];
		const uint64_t key = more->opened_map.keys[i];
		const struct opened *o = opened_of(t, (uint32_t)(key >> 32), (uint32_t)key);
		if (o == NULL || m->row == 0)
			continue;
		if (o->row != 0)
			more->rows[m->first_row - 1].counters.files--;
		if (!o->active || !m->active)
			continue;
		struct io_counters *f = &more->rows[m->first_io_row - 1].counters;
		count_follower(f, o, m->first_offset, m->first_length, m->first_unknown);
	}
}

/* The row that a later row continues, or a new one; its number + 1, or 0 if out of memory. */
static uint32_t row_for(struct stats *t, const struct stats_row *row)
{
	if (t->by == BY_PROCESS)
		return group_row(t, row->process);
	if (t->by == BY_OBJECT && row->object != 0)
		return group_row(t, row->object);
	struct opened *o = opened_of(t, row->process, row->file);
	if (o != NULL && o->row == 0)
		o->row = add_row(t, row->process, row->file, row->object);
	return o != NULL ? o->row : 0;
}

/* Returns its number + 1 in t, or 0 if out of memory. */
static uint32_t join_row(struct stats *t, struct stats_row *more)
{
	const size_t count = t->row_count;
	const uint32_t number = row_for(t, more);
	if (number == 0)
		return 0;
	struct stats_row *row = &t->rows[number - 1];
	t->failed |= !add(&row->counters, &more->counters);
	if (more->dated)
		extend_span(row, more->first_ns, more->last_ns);
	if (more->name && (more->named || !row->named) &&
	    (t->by != BY_OBJECT || row->object == 0 || t->row_count > count)) {
		give_name(t, row, more->name, more->name_size);
		row->named = more->named;
		more->name = NULL;
	}
	return number;
}

/* numbers: of more's rows in t, + 1 */
static void move_opened(struct stats *t, const struct stats *more, const uint32_t *numbers)
{
	for (size_t i = 0; i < more->opened_map.count && !t->failed; i++) {
		const struct opened *m = &more->opened[i];
		const uint64_t key = more->opened_map.keys[i];
		struct opened *o = opened_of(t, (uint32_t)(key >> 32), (uint32_t)key);
		if (o == NULL || m->row == 0)
			continue;
		if (o->row == 0 || m->object != 0) {
			o->row = numbers[m->row - 1];
			o->object = m->object;
		}
		if (t->by == BY_FILE)
			t->rows[o->row - 1].object = o->object;
		if (!m->active)
			continue;
		o->active = true;
		o->end = m->end;
		o->length = m->length;
		o->unknown = m->unknown;
	}
}

/* The first part is moved instead of copied: with many processes it is half of all memory. */
static bool take_over(struct stats *t, struct stats *more)
{
	if (t->row_count + t->opened_map.count + t->group_map.count + t->rank_map.count > 0 ||
	    t->left_out + t->counters + t->unnamed > 0 || t->layers || t->no_offsets || t->failed)
		return false;
	const uint64_t names_max = t->names_max;
	*t = *more;
	t->names_max = names_max;
	*more = (struct stats){.by = t->by, .physical = t->physical};
	return true;
}

bool stats_join(struct stats *t, struct stats *more)
{
	if (take_over(t, more))
		return !t->failed;
	uint32_t *numbers = calloc(more->row_count + 1, sizeof *numbers);
	t->failed |= more->failed || numbers == NULL;
	if (!t->failed)
		join_opened(t, more);
	for (size_t i = 0; i < more->row_count && !t->failed; i++)
		numbers[i] = join_row(t, &more->rows[i]);
	if (!t->failed)
		move_opened(t, more, numbers);
	for (size_t i = 0; i < more->rank_map.count && !t->failed; i++)
		set_rank(t, (uint32_t)more->rank_map.keys[i], more->ranks[i]);
	operations_join(&t->operations, &more->operations);
	t->layers |= more->layers;
	t->left_out += more->left_out;
	t->no_offsets |= more->no_offsets;
	t->counters += more->counters;
	t->file_counters += more->file_counters;
	t->unnamed += more->unnamed;
	free(numbers);
	return !t->failed;
}

/* Rows of one process have its rank. */
static void give_ranks(struct stats *t)
{
	const size_t known = t->rank_map.count;
	for (size_t i = 0; i < t->row_count && known > 0; i++) {
		struct stats_row *row = &t->rows[i];
		const bool one = t->by != BY_OBJECT || row->object == 0;
		const size_t n = one ? idmap_number(&t->rank_map, row->process) : SIZE_MAX;
		if (n < known) /* others are new in the map */
			row->rank = t->ranks[n];
	}
}

void stats_finish(struct stats *t, struct io_counters *total)
{
	give_ranks(t);
	operations_sort(&t->operations);
	for (size_t i = 0; i < t->row_count && t->no_offsets; i++)
		t->rows[i].counters.placed = t->rows[i].counters.sequential = 0;
	memset(total, 0, sizeof *total);
	for (size_t i = 0; i < t->row_count; i++)
		t->failed |= !add(total, &t->rows[i].counters);
	t->sizes = total->sizes;
	/* If no %op reports opens, each fileId counts as one open. */
	for (size_t i = 0; i < t->row_count && total->opens == 0; i++)
		t->rows[i].counters.opens = t->rows[i].counters.files;
	if (total->opens == 0)
		total->opens = total->files;
	if (t->row_count > 0)
		qsort(t->rows, t->row_count, sizeof *t->rows, max_bytes_first);
}

void stats_free(struct stats *t)
{
	for (size_t i = 0; i < t->row_count; i++) {
		free(t->rows[i].name);
		sizes_free(&t->rows[i].counters.sizes);
	}
	sizes_free(&t->sizes);
	free(t->rows);
	free(t->opened);
	free(t->group_rows);
	free(t->ranks);
	idmap_free(&t->rank_map);
	idmap_free(&t->opened_map);
	idmap_free(&t->group_map);
	memset(t, 0, sizeof *t);
}
