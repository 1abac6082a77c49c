/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts events in rows by file, process or object; counts of parts of a trace can be joined. */
#include <iotrace/filter.h>

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/histogram.h"
#include "lib/base/array.h"
#include "lib/base/idmap.h"
#include "lib/base/number.h"
#include "lib/base/options.h"
#include "lib/format/directive.h"

enum {
	SIZES_FIRST = 3, /* first capacity of the counts by class */
	OPERATIONS_MAX = 66,
	NAMES_MAX = 1 << 28, /* bytes, by default */
	ROW_SIZE_MAX = 216,  /* of a row that has one file and one class of sizes */
};

/* Sizes */

/*
 * Counts of I/Os by class of size. Most rows have few classes, so the counts are stored packed.
 * All zeros: empty.
 */
struct size_counts {
	uint8_t used, capacity;
	uint8_t at[IOT_SIZE_CLASSES]; /* index + 1 of the count of a class; 0: none */
	uint64_t count[];
};

struct sizes {
	union {
		uint64_t only;              /* the count of the one class ... */
		struct size_counts *counts; /* ... or malloced */
	};
	uint8_t single; /* that class + 1; 0: `counts`, or NULL */
};

static struct size_counts *sizes_grow(struct size_counts *old)
{
	const unsigned capacity = old != NULL ? 2U * old->capacity + 1 : SIZES_FIRST;
	struct size_counts *c = realloc(old, sizeof *c + capacity * sizeof c->count[0]);
	if (c == NULL)
		return NULL;
	if (old == NULL)
		*c = (struct size_counts){.used = 0};
	c->capacity = (uint8_t)capacity;
	return c;
}

static void sizes_append(struct size_counts *c, unsigned class, uint64_t n)
{
	c->count[c->used++] = n;
	c->at[class] = c->used;
}

/* Converts a single class to several. */
static bool sizes_spread(struct sizes *s)
{
	struct size_counts *c = sizes_grow(NULL);
	if (c == NULL)
		return false;
	sizes_append(c, s->single - 1U, s->only);
	s->counts = c;
	s->single = 0;
	return true;
}

/* The class is new. */
static bool sizes_add_to_many(struct sizes *s, unsigned class, uint64_t n)
{
	if (s->single == 0 && s->counts == NULL) {
		s->single = (uint8_t)(class + 1);
		s->only = n;
		return true;
	}
	if (s->single != 0 && !sizes_spread(s))
		return false;
	if (s->counts->used == s->counts->capacity) {
		struct size_counts *c = sizes_grow(s->counts);
		if (c == NULL)
			return false;
		s->counts = c;
	}
	sizes_append(s->counts, class, n);
	return true;
}

/* Returns false if out of memory. */
static inline bool sizes_add(struct sizes *s, unsigned class, uint64_t n)
{
	if (s->single == class + 1) {
		s->only += n;
		return true;
	}
	if (s->single == 0 && s->counts != NULL && s->counts->at[class] > 0) {
		s->counts->count[s->counts->at[class] - 1] += n;
		return true;
	}
	return sizes_add_to_many(s, class, n);
}

static uint64_t sizes_count(const struct sizes *s, unsigned class)
{
	if (s->single != 0)
		return s->single == class + 1 ? s->only : 0;
	if (s->counts == NULL || s->counts->at[class] == 0)
		return 0;
	return s->counts->count[s->counts->at[class] - 1];
}

static bool sizes_join(struct sizes *s, const struct sizes *more)
{
	for (unsigned k = 0; k < IOT_SIZE_CLASSES; k++) {
		const uint64_t n = sizes_count(more, k);
		if (n > 0 && !sizes_add(s, k, n))
			return false;
	}
	return true;
}

static void sizes_free(struct sizes *s)
{
	if (s->single == 0)
		free(s->counts);
	*s = (struct sizes){.single = 0};
}

/* Operations */

struct operations {
	struct iot_stats_operation io[2]; /* reads, writes: without names, until they are sorted */
	struct iot_stats_operation row[OPERATIONS_MAX];
	size_t count;
	uint64_t ops;    /* all %op */
	uint64_t others; /* ... with names that are too long, or beyond the table */
};

static void operation_add(struct iot_stats_operation *to, const struct iot_stats_operation *more)
{
	to->calls += more->calls;
	to->failed += more->failed;
	to->timed += more->timed;
	to->ns += more->ns;
}

/* Returns NULL if the table is full. */
static struct iot_stats_operation *operation_row(struct operations *o, const char *name,
						 size_t size)
{
	for (size_t i = 0; i < o->count; i++)
		if (strncmp(o->row[i].name, name, size) == 0 && o->row[i].name[size] == '\0')
			return &o->row[i];
	if (size >= IOT_OPERATION_NAME || o->count == OPERATIONS_MAX - 2)
		return NULL;
	struct iot_stats_operation *row = &o->row[o->count++];
	memset(row, 0, sizeof *row);
	memcpy(row->name, name, size);
	return row;
}

static void operations_record(struct operations *o, const struct iot_record *rec)
{
	struct iot_stats_operation *io = &o->io[(rec->type & IOT_WRITE) != 0];
	io->calls++;
	if ((rec->flags & IOT_DURATION_UNKNOWN) != 0)
		return;
	io->timed++;
	io->ns += rec->duration_ns;
}

static void operations_op(struct operations *o, const struct iot_event *ev)
{
	const struct iot_text name = iot_directive_get(ev, "name"),
			      result = iot_directive_get(ev, "result"),
			      took = iot_directive_get(ev, "took");
	uint64_t ns;
	o->ops++;
	struct iot_stats_operation *row = name.size < IOT_OPERATION_NAME && name.size > 0
					      ? operation_row(o, name.data, name.size)
					      : NULL;
	if (row == NULL) {
		o->others++;
		return;
	}
	row->calls++;
	row->failed += result.data != NULL && (result.size != 1 || result.data[0] != '0');
	if (took.data == NULL || !number_decimal(took.data, took.size, &ns))
		return;
	row->timed++;
	row->ns += ns;
}

static void operations_join(struct operations *o, const struct operations *more)
{
	o->ops += more->ops;
	o->others += more->others;
	for (size_t i = 0; i < more->count; i++) {
		const struct iot_stats_operation *m = &more->row[i];
		struct iot_stats_operation *row = operation_row(o, m->name, strlen(m->name));
		if (row == NULL)
			o->others += m->calls;
		else
			operation_add(row, m);
	}
	operation_add(&o->io[0], &more->io[0]);
	operation_add(&o->io[1], &more->io[1]);
}

static int max_time_first(const void *left, const void *right)
{
	const struct iot_stats_operation *a = left, *b = right;
	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return strcmp(a->name, b->name);
}

static void operations_sort(struct operations *o)
{
	static const char names[2][IOT_OPERATION_NAME] = {"read", "write"};
	for (size_t i = 0; i < 2; i++) {
		struct iot_stats_operation *row = &o->row[o->count];
		o->count += o->io[i].calls > 0;
		*row = o->io[i];
		memcpy(row->name, names[i], sizeof names[i]);
	}
	if (o->count > 0)
		qsort(o->row, o->count, sizeof o->row[0], max_time_first);
}

/* Rows */

struct stats_row {
	struct iot_stats_row values; /* first: the caller has its address */
	struct sizes sizes;
};

/* A fileId of a process. */
struct opened {
	uint32_t row; /* number + 1; 0: none yet */
	uint32_t object;
	uint64_t end, length; /* of its previous I/O */
	/* State that joining with earlier events requires: */
	uint32_t first_row;
	uint32_t first_io_row : 29;              /* number + 1, in which it had its first I/O */
	uint32_t active : 1;                     /* had an I/O */
	uint32_t unknown : 1, first_unknown : 1; /* offset: of its last I/O, of its first */
	uint64_t first_offset, first_length;
};

#define FIRST_IO_ROW_MASK ((UINT32_C(1) << 29) - 1)

static_assert(2 * IDMAP_MAX < FIRST_IO_ROW_MASK, "rows have numbers of objects or fileIds");
static_assert(sizeof(struct stats_row) + sizeof(struct opened) <= ROW_SIZE_MAX, "memory of stat");

struct iot_stats {
	struct iot_stats_options options;
	bool failed;     /* out of memory */
	bool layers;     /* a %trace declares several: each has the same I/O */
	bool no_offsets; /* lacks=offset */
	uint64_t left_out;
	uint64_t counters, file_counters; /* %counter */
	uint64_t names_size;              /* bytes of names in rows */
	uint64_t unnamed;                 /* names beyond the limit */

	struct stats_row *rows;
	size_t row_count, row_capacity;
	struct idmap opened_map; /* (process, file) */
	struct opened *opened;
	size_t opened_capacity;
	struct idmap group_map; /* objects or processes */
	uint32_t *group_rows;   /* number + 1 */
	size_t group_capacity;
	struct idmap rank_map; /* processes */
	uint64_t *ranks;       /* + 1 */
	size_t rank_capacity;
	struct stats_row total;
	struct operations operations;
	struct histogram durations[2]; /* of reads, of writes; ns */
	int64_t end_ns;                /* the last end of an I/O */
	char *trace_host;              /* malloced; NULL: unknown */
	size_t trace_host_size;
};

/* The rows are those of processes, or of objects, at least until they are combined. */
static bool by_process(const struct iot_stats *s)
{
	return s->options.by == IOT_STATS_BY_PROCESS || s->options.by == IOT_STATS_BY_RANK ||
	       s->options.by == IOT_STATS_BY_HOST;
}

static bool by_object(const struct iot_stats *s)
{
	return s->options.by == IOT_STATS_BY_OBJECT || s->options.by == IOT_STATS_BY_DIRECTORY;
}

static int result(const struct iot_stats *s)
{
	return s->failed ? IOT_ENOMEM : IOT_OK;
}

/*
 * Index of an element in an array parallel to a map, which grows. Returns SIZE_MAX if out of
 * memory.
 */
static size_t number_of(struct iot_stats *s, struct idmap *map, uint64_t key, void *array,
			size_t *capacity, size_t size)
{
	const size_t i = idmap_number(map, key);
	if (array_reserve_index(array, capacity, i, size))
		return i;
	s->failed = true;
	return SIZE_MAX;
}

static struct opened *opened_of(struct iot_stats *s, uint32_t process, uint32_t file)
{
	size_t i = number_of(s, &s->opened_map, idmap_pair(process, file), &s->opened,
			     &s->opened_capacity, sizeof *s->opened);
	return i == SIZE_MAX ? NULL : &s->opened[i];
}

/* Adds a row; returns its number + 1, or 0 if out of memory. */
static uint32_t add_row(struct iot_stats *s, uint32_t process, uint32_t file, uint32_t object)
{
	if (!array_reserve_index(&s->rows, &s->row_capacity, s->row_count, sizeof *s->rows)) {
		s->failed = true;
		return 0;
	}
	struct stats_row *rows = s->rows;
	rows[s->row_count].values.process = process;
	rows[s->row_count].values.file = file;
	rows[s->row_count].values.object = object;
	return (uint32_t)++s->row_count;
}

/* The row of an object or process, created if it does not exist. */
static uint32_t group_row(struct iot_stats *s, uint32_t key)
{
	size_t i = number_of(s, &s->group_map, key, &s->group_rows, &s->group_capacity,
			     sizeof *s->group_rows);
	if (i == SIZE_MAX)
		return 0;
	if (s->group_rows[i] == 0) {
		bool process = by_process(s);
		s->group_rows[i] = add_row(s, process ? key : 0, 0, process ? 0 : key);
	}
	return s->group_rows[i];
}

static uint32_t find_row(struct iot_stats *s, const struct iot_record *rec, uint32_t own)
{
	if (by_process(s))
		return group_row(s, rec->process);
	if (by_object(s) && rec->object != 0)
		return group_row(s, rec->object);
	return own ? own : add_row(s, rec->process, rec->file, rec->object);
}

/* The row of a record or of a directive about a file; *opened is its file. */
static struct stats_row *row_of(struct iot_stats *s, const struct iot_record *rec,
				struct opened **opened)
{
	struct opened *o = opened_of(s, rec->process, rec->file);
	if (!o)
		return NULL;
	bool fresh = o->row == 0;
	if (fresh || (rec->object != 0 && o->object != rec->object)) {
		o->row = find_row(s, rec, s->options.by == IOT_STATS_BY_FILE ? o->row : 0);
		o->object = rec->object;
	}
	if (o->row == 0)
		return NULL;
	struct stats_row *row = &s->rows[o->row - 1];
	row->values.files += fresh;
	if (fresh)
		o->first_row = o->row;
	if (s->options.by == IOT_STATS_BY_FILE)
		row->values.object = o->object;
	*opened = o;
	return row;
}

static unsigned size_class(uint64_t length)
{
	unsigned k = length == 0 ? 0 : 64U - (unsigned)__builtin_clzll(length);
	return k < IOT_SIZE_CLASSES ? k : IOT_SIZE_CLASSES - 1;
}

/* Unknown offsets of one open file count from the same base, so their distance is known. */
static void count_follower(struct iot_stats_row *f, const struct opened *o, uint64_t offset,
			   uint64_t length, bool unknown)
{
	const bool located = o->unknown == unknown;
	f->followers++;
	f->located += located;
	f->sequential += located && offset == o->end;
	f->same_size += length == o->length;
}

static void extend_span(struct iot_stats_row *f, int64_t first_ns, int64_t last_ns)
{
	const bool known = (f->has & IOT_STATS_HAS_TIMES) != 0;
	f->first_ns = known && f->first_ns < first_ns ? f->first_ns : first_ns;
	f->last_ns = known && f->last_ns > last_ns ? f->last_ns : last_ns;
	f->has |= IOT_STATS_HAS_TIMES;
}

static void extend_end(struct iot_stats *s, const struct iot_record *rec)
{
	const bool timed = (rec->flags & IOT_DURATION_UNKNOWN) == 0;
	const int64_t end = rec->start_ns + (timed ? (int64_t)rec->duration_ns : 0);
	s->end_ns = end > s->end_ns ? end : s->end_ns;
}

static void count_record(struct iot_stats *s, const struct iot_record *rec)
{
	const bool unknown = (rec->flags & IOT_OFFSET_UNKNOWN) != 0;
	bool physical = (rec->type & IOT_LOGICAL) == 0;
	struct opened *o;
	if (physical != (s->options.physical != 0)) {
		s->left_out++;
		return;
	}
	operations_record(&s->operations, rec);
	struct stats_row *row = row_of(s, rec, &o);
	if (!row)
		return;
	struct iot_stats_row *f = &row->values;
	uint64_t bytes = physical ? rec->length * IOT_BLOCK_SIZE : rec->length;
	bool write = (rec->type & IOT_WRITE) != 0;
	if ((rec->flags & IOT_START_UNKNOWN) == 0) {
		extend_span(f, rec->start_ns, rec->start_ns);
		extend_end(s, rec);
	}
	f->reads += !write;
	f->writes += write;
	f->read_bytes += write ? 0 : bytes;
	f->written_bytes += write ? bytes : 0;
	if ((rec->flags & IOT_DURATION_UNKNOWN) == 0) {
		f->timed++;
		f->io_ns += rec->duration_ns;
		histogram_add(&s->durations[write], rec->duration_ns);
	}
	if (o->active)
		count_follower(f, o, rec->offset, rec->length, unknown);
	s->failed |= !sizes_add(&row->sizes, size_class(bytes), 1);
	if (!o->active) {
		o->first_io_row = o->row & FIRST_IO_ROW_MASK;
		o->first_offset = rec->offset;
		o->first_length = rec->length;
		o->first_unknown = unknown;
	}
	o->active = true;
	o->unknown = unknown;
	o->end = rec->offset + rec->length;
	o->length = rec->length;
}

/* Rows own their names, which the caller may only read. */
static void free_name(struct stats_row *row)
{
	free((char *)(uintptr_t)row->values.name);
	row->values.name = NULL;
}

/* Moves the allocated name to the row, unless the limit for names is reached. */
static void give_name(struct iot_stats *s, struct stats_row *row, const char *name, size_t size)
{
	if (row->values.name != NULL)
		s->names_size -= row->values.name_size;
	free_name(row);
	if (size > s->options.names_max - s->names_size) {
		s->unnamed++;
		free((char *)(uintptr_t)name);
		return;
	}
	row->values.name = name;
	row->values.name_size = size;
	s->names_size += size;
}

/* An %op names its file only if no %file does. */
static void keep_name(struct iot_stats *s, struct stats_row *row, const struct iot_event *ev,
		      const char *key)
{
	if (ev->kind == IOT_OP && (row->values.has & IOT_STATS_NAME_DEFINED))
		return;
	struct iot_text value = iot_directive_get(ev, key);
	char *name = value.data ? malloc(value.size + 1) : NULL;
	if (!name) {
		s->failed |= value.data != NULL;
		return;
	}
	give_name(s, row, name, iot_percent_decode(value, name, NULL));
	row->values.has |= ev->kind != IOT_OP ? (unsigned)IOT_STATS_NAME_DEFINED : 0U;
}

/* Whether the row keeps the path itself, and not the caller that of its object. */
static bool names_files(const struct iot_stats *s, const struct stats_row *row)
{
	return s->options.by == IOT_STATS_BY_FILE ||
	       (by_object(s) && (row->values.object == 0 || s->options.object_name == NULL));
}

/* A successful open. If its file has no other name, the path becomes the name. */
static void count_op(struct iot_stats *s, const struct iot_event *ev)
{
	struct iot_text name = iot_directive_get(ev, "name");
	struct iot_text result = iot_directive_get(ev, "result");
	struct opened *o;
	if (!s->options.physical)
		operations_op(&s->operations, ev);
	if (s->options.physical || !(text_equals(name, "open") || text_equals(name, "create")))
		return;
	if ((result.data && !text_equals(result, "0")) || !(ev->has & IOT_HAS_FILE))
		return;
	struct stats_row *row = row_of(s, &ev->rec, &o);
	if (!row)
		return;
	row->values.opens++;
	if (names_files(s, row))
		keep_name(s, row, ev, "path");
}

static void count_file(struct iot_stats *s, const struct iot_event *ev)
{
	struct opened *o;
	bool disk = (ev->has & IOT_HAS_DISK) != 0;
	struct stats_row *row = disk == (s->options.physical != 0) ? row_of(s, &ev->rec, &o) : NULL;
	if (row && names_files(s, row))
		keep_name(s, row, ev, "path");
}

static void set_rank(struct iot_stats *s, uint32_t process, uint64_t rank)
{
	size_t i =
	    number_of(s, &s->rank_map, process, &s->ranks, &s->rank_capacity, sizeof *s->ranks);
	if (i != SIZE_MAX)
		s->ranks[i] = rank;
}

static void count_process(struct iot_stats *s, const struct iot_event *ev)
{
	size_t row = by_process(s) ? group_row(s, ev->rec.process) : 0;
	const struct iot_text text = iot_directive_get(ev, "rank");
	uint64_t rank;
	if (row > 0)
		keep_name(s, &s->rows[row - 1], ev,
			  s->options.by == IOT_STATS_BY_HOST ? "host" : "name");
	if (text.data != NULL && number_decimal(text.data, text.size, &rank) && rank < UINT64_MAX)
		set_rank(s, ev->rec.process, rank + 1);
}

static void set_trace_host(struct iot_stats *s, struct iot_text host)
{
	char *name = host.data != NULL && s->trace_host == NULL ? malloc(host.size + 1) : NULL;
	if (name == NULL) {
		s->failed |= host.data != NULL && s->trace_host == NULL;
		return;
	}
	s->trace_host_size = iot_percent_decode(host, name, NULL);
	s->trace_host = name;
}

static void count_trace(struct iot_stats *s, const struct iot_event *ev)
{
	if (s->options.by == IOT_STATS_BY_HOST)
		set_trace_host(s, iot_directive_get(ev, "host"));
	const struct iot_text layer = iot_directive_get(ev, "layer");
	if (layer.data != NULL && memchr(layer.data, ',', layer.size) != NULL)
		s->layers = true;
	unsigned lacks;
	if (iot_directive_lacks(ev, &lacks))
		s->no_offsets = (lacks & IOT_OFFSET_UNKNOWN) != 0;
}

static void count_counter(struct iot_stats *s, const struct iot_event *ev)
{
	s->counters++;
	s->file_counters += (ev->has & (IOT_HAS_FILE | IOT_HAS_OBJECT)) != 0 ||
			    iot_directive_get(ev, "path").data != NULL;
}

int iot_stats_events(struct iot_stats *s, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ev[i].kind == IOT_RECORD)
			count_record(s, &ev[i].rec);
		else if (ev[i].kind == IOT_OP)
			count_op(s, &ev[i]);
		else if (ev[i].kind == IOT_FILE)
			count_file(s, &ev[i]);
		else if (ev[i].kind == IOT_PROCESS)
			count_process(s, &ev[i]);
		else if (ev[i].kind == IOT_TRACE)
			count_trace(s, &ev[i]);
		else if (ev[i].kind == IOT_COUNTER)
			count_counter(s, &ev[i]);
	}
	return result(s);
}

static uint64_t sort_key(const struct iot_stats_row *f, uint32_t sort)
{
	switch (sort) {
	case IOT_STATS_SORT_IOS:
		return f->reads + f->writes;
	case IOT_STATS_SORT_TIME:
		return f->io_ns;
	case IOT_STATS_SORT_OPENS:
		return f->opens;
	case IOT_STATS_SORT_READS:
		return f->reads;
	case IOT_STATS_SORT_WRITES:
		return f->writes;
	case IOT_STATS_SORT_READ_BYTES:
		return f->read_bytes;
	case IOT_STATS_SORT_WRITTEN_BYTES:
		return f->written_bytes;
	default:
		return f->read_bytes + f->written_bytes;
	}
}

static int largest_first(const void *left, const void *right, void *sort)
{
	const struct stats_row *a = left, *b = right;
	uint64_t x = sort_key(&a->values, *(uint32_t *)sort);
	uint64_t y = sort_key(&b->values, *(uint32_t *)sort);
	if (x != y)
		return x < y ? 1 : -1;
	x = a->values.read_bytes + a->values.written_bytes;
	y = b->values.read_bytes + b->values.written_bytes;
	if (x != y)
		return x < y ? 1 : -1;
	x = a->values.reads + a->values.writes;
	y = b->values.reads + b->values.writes;
	if (x != y)
		return x < y ? 1 : -1;
	if (a->values.object != b->values.object)
		return a->values.object < b->values.object ? -1 : 1;
	if (a->values.process != b->values.process)
		return a->values.process < b->values.process ? -1 : 1;
	return a->values.file < b->values.file ? -1 : a->values.file > b->values.file;
}

/* Returns false if out of memory. */
static bool add(struct stats_row *total, const struct stats_row *more)
{
	enum { COUNTERS = offsetof(struct iot_stats_row, process) / sizeof(uint64_t) };
	uint64_t sum[COUNTERS], values[COUNTERS];
	memcpy(sum, &total->values, sizeof sum);
	memcpy(values, &more->values, sizeof values);
	for (size_t i = 0; i < COUNTERS; i++)
		sum[i] += values[i];
	memcpy(&total->values, sum, sizeof sum);
	return sizes_join(&total->sizes, &more->sizes);
}

/* Joins parts: corrects the values that depend on earlier events, then adds the rows. */

static void join_opened(struct iot_stats *s, struct iot_stats *more)
{
	for (size_t i = 0; i < more->opened_map.count && !s->failed; i++) {
		const struct opened *m = &more->opened[i];
		const uint64_t key = more->opened_map.keys[i];
		const struct opened *o = opened_of(s, (uint32_t)(key >> 32), (uint32_t)key);
		if (o == NULL || m->row == 0)
			continue;
		if (o->row != 0)
			more->rows[m->first_row - 1].values.files--;
		if (!o->active || !m->active)
			continue;
		struct iot_stats_row *f = &more->rows[m->first_io_row - 1].values;
		count_follower(f, o, m->first_offset, m->first_length, m->first_unknown);
	}
}

/* The row that a later row continues, or a new one; its number + 1, or 0 if out of memory. */
static uint32_t row_for(struct iot_stats *s, const struct stats_row *row)
{
	if (by_process(s))
		return group_row(s, row->values.process);
	if (by_object(s) && row->values.object != 0)
		return group_row(s, row->values.object);
	struct opened *o = opened_of(s, row->values.process, row->values.file);
	if (o != NULL && o->row == 0)
		o->row = add_row(s, row->values.process, row->values.file, row->values.object);
	return o != NULL ? o->row : 0;
}

/* Returns its number + 1 in t, or 0 if out of memory. */
static uint32_t join_row(struct iot_stats *s, struct stats_row *more)
{
	const size_t count = s->row_count;
	const uint32_t number = row_for(s, more);
	if (number == 0)
		return 0;
	struct stats_row *row = &s->rows[number - 1];
	s->failed |= !add(row, more);
	if (more->values.has & IOT_STATS_HAS_TIMES)
		extend_span(&row->values, more->values.first_ns, more->values.last_ns);
	if (more->values.name &&
	    ((more->values.has & IOT_STATS_NAME_DEFINED) ||
	     !(row->values.has & IOT_STATS_NAME_DEFINED)) &&
	    (!by_object(s) || names_files(s, row) || s->row_count > count)) {
		give_name(s, row, more->values.name, more->values.name_size);
		row->values.has |= more->values.has & IOT_STATS_NAME_DEFINED;
		more->values.name = NULL;
	}
	return number;
}

/* numbers: of more's rows in t, + 1 */
static void move_opened(struct iot_stats *s, const struct iot_stats *more, const uint32_t *numbers)
{
	for (size_t i = 0; i < more->opened_map.count && !s->failed; i++) {
		const struct opened *m = &more->opened[i];
		const uint64_t key = more->opened_map.keys[i];
		struct opened *o = opened_of(s, (uint32_t)(key >> 32), (uint32_t)key);
		if (o == NULL || m->row == 0)
			continue;
		if (o->row == 0 || m->object != 0) {
			o->row = numbers[m->row - 1];
			o->object = m->object;
		}
		if (s->options.by == IOT_STATS_BY_FILE)
			s->rows[o->row - 1].values.object = o->object;
		if (!m->active)
			continue;
		o->active = true;
		o->end = m->end;
		o->length = m->length;
		o->unknown = m->unknown;
	}
}

/* The first part is moved instead of copied: with many processes it is half of all memory. */
static bool take_over(struct iot_stats *s, struct iot_stats *more)
{
	if (s->row_count + s->opened_map.count + s->group_map.count + s->rank_map.count > 0 ||
	    s->operations.ops + s->operations.others > 0 ||
	    s->left_out + s->counters + s->unnamed > 0 || s->layers || s->no_offsets ||
	    s->trace_host != NULL || s->failed)
		return false;
	*s = *more;
	*more = (struct iot_stats){.options = s->options};
	return true;
}

/* Only the options stay. */
static void empty(struct iot_stats *s)
{
	for (size_t i = 0; i < s->row_count; i++) {
		free_name(&s->rows[i]);
		sizes_free(&s->rows[i].sizes);
	}
	sizes_free(&s->total.sizes);
	free(s->trace_host);
	free(s->rows);
	free(s->opened);
	free(s->group_rows);
	free(s->ranks);
	idmap_free(&s->rank_map);
	idmap_free(&s->opened_map);
	idmap_free(&s->group_map);
	*s = (struct iot_stats){.options = s->options};
}

int iot_stats_join(struct iot_stats *s, struct iot_stats *more)
{
	if (take_over(s, more))
		return result(s);
	uint32_t *numbers = calloc(more->row_count + 1, sizeof *numbers);
	s->failed |= more->failed || numbers == NULL;
	if (!s->failed)
		join_opened(s, more);
	for (size_t i = 0; i < more->row_count && !s->failed; i++)
		numbers[i] = join_row(s, &more->rows[i]);
	if (!s->failed)
		move_opened(s, more, numbers);
	for (size_t i = 0; i < more->rank_map.count && !s->failed; i++)
		set_rank(s, (uint32_t)more->rank_map.keys[i], more->ranks[i]);
	operations_join(&s->operations, &more->operations);
	for (size_t i = 0; i < 2; i++)
		histogram_join(&s->durations[i], &more->durations[i]);
	s->end_ns = more->end_ns > s->end_ns ? more->end_ns : s->end_ns;
	if (s->trace_host == NULL) {
		s->trace_host = more->trace_host;
		s->trace_host_size = more->trace_host_size;
		more->trace_host = NULL;
	}
	s->layers |= more->layers;
	s->left_out += more->left_out;
	s->no_offsets |= more->no_offsets;
	s->counters += more->counters;
	s->file_counters += more->file_counters;
	s->unnamed += more->unnamed;
	free(numbers);
	empty(more);
	return result(s);
}

/* Rows of one process have its rank. */
static void give_ranks(struct iot_stats *s)
{
	for (size_t i = 0; i < s->row_count && s->rank_map.count > 0; i++) {
		struct stats_row *row = &s->rows[i];
		const bool one = !by_object(s) || row->values.object == 0;
		const size_t n = one ? idmap_find(&s->rank_map, row->values.process) : SIZE_MAX;
		if (n == SIZE_MAX || s->ranks[n] == 0)
			continue;
		row->values.rank = s->ranks[n] - 1;
		row->values.has |= IOT_STATS_HAS_RANK;
	}
}

/* Combining rows */

static void copy_name(struct iot_stats *s, struct stats_row *row, const char *name, size_t size)
{
	char *copy = malloc(size + 1);
	if (copy == NULL) {
		s->failed = true;
		return;
	}
	memcpy(copy, name, size);
	copy[size] = '\0';
	give_name(s, row, copy, size);
}

/* "/a" for "/a/b", "/" for "/b", "." for "b". */
static size_t directory_size(const char **path, size_t size)
{
	while (size > 0 && (*path)[size - 1] != '/')
		size--;
	if (size > 1)
		return size - 1;
	*path = size == 0 ? "." : "/";
	return 1;
}

static void name_directory(struct iot_stats *s, struct stats_row *row)
{
	const struct iot_stats_row *f = &row->values;
	size_t size = f->name_size;
	const char *path = f->name;
	if (f->object != 0 && s->options.object_name != NULL)
		path = s->options.object_name(s->options.context, f->object, &size);
	if (path == NULL)
		return;
	size = directory_size(&path, size);
	copy_name(s, row, path, size);
}

static int by_key(const void *left, const void *right)
{
	const struct iot_stats_row *a = left, *b = right;
	const unsigned rank_a = a->has & IOT_STATS_HAS_RANK, rank_b = b->has & IOT_STATS_HAS_RANK;
	if (rank_a != rank_b)
		return rank_a < rank_b ? -1 : 1;
	if (rank_a != 0 && a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->name == NULL || b->name == NULL)
		return (a->name != NULL) - (b->name != NULL);
	const size_t size = a->name_size < b->name_size ? a->name_size : b->name_size;
	const int order = memcmp(a->name, b->name, size);
	return order != 0 ? order : (a->name_size > b->name_size) - (a->name_size < b->name_size);
}

/* Reduces the names and ids of a row to the key that it is combined by. */
static void set_key(struct iot_stats *s, struct stats_row *row)
{
	struct iot_stats_row *f = &row->values;
	if (s->options.by == IOT_STATS_BY_DIRECTORY)
		name_directory(s, row);
	else if (s->options.by == IOT_STATS_BY_RANK)
		free_name(row);
	else if (f->name == NULL && s->trace_host != NULL)
		copy_name(s, row, s->trace_host, s->trace_host_size);
	if (s->options.by != IOT_STATS_BY_RANK)
		f->has &= ~(unsigned)IOT_STATS_HAS_RANK;
	f->process = f->file = f->object = 0;
}

static void combine_rows(struct iot_stats *s)
{
	size_t used = 0;
	for (size_t i = 0; i < s->row_count; i++)
		set_key(s, &s->rows[i]);
	if (s->row_count > 0)
		qsort(s->rows, s->row_count, sizeof *s->rows, by_key);
	for (size_t i = 0; i < s->row_count; i++) {
		struct stats_row *row = &s->rows[i];
		if (used == 0 || by_key(&s->rows[used - 1], row) != 0) {
			s->rows[used++] = *row;
			continue;
		}
		struct stats_row *to = &s->rows[used - 1];
		s->failed |= !add(to, row);
		if (row->values.has & IOT_STATS_HAS_TIMES)
			extend_span(&to->values, row->values.first_ns, row->values.last_ns);
		free_name(row);
		sizes_free(&row->sizes);
	}
	s->row_count = used;
}

static void add_to_total(struct iot_stats *s, const struct stats_row *row)
{
	s->failed |= !add(&s->total, row);
	if (row->values.has & IOT_STATS_HAS_TIMES)
		extend_span(&s->total.values, row->values.first_ns, row->values.last_ns);
}

/* Frees what only counting and joining need, before rows are sorted or named. */
static void end_counting(struct iot_stats *s)
{
	free(s->opened);
	free(s->group_rows);
	idmap_free(&s->opened_map);
	idmap_free(&s->group_map);
	s->opened = NULL;
	s->group_rows = NULL;
	s->opened_capacity = s->group_capacity = 0;
}

int iot_stats_finish(struct iot_stats *s)
{
	struct iot_stats_row *total = &s->total.values;
	end_counting(s);
	give_ranks(s);
	if (s->options.by > IOT_STATS_BY_OBJECT)
		combine_rows(s);
	operations_sort(&s->operations);
	for (size_t i = 0; i < s->row_count && s->no_offsets; i++)
		s->rows[i].values.located = s->rows[i].values.sequential = 0;
	for (size_t i = 0; i < s->row_count; i++)
		add_to_total(s, &s->rows[i]);
	/* If no %op reports opens, each fileId counts as one open. */
	for (size_t i = 0; i < s->row_count && total->opens == 0; i++)
		s->rows[i].values.opens = s->rows[i].values.files;
	if (total->opens == 0)
		total->opens = total->files;
	if (s->row_count > 0)
		qsort_r(s->rows, s->row_count, sizeof *s->rows, largest_first, &s->options.sort);
	return result(s);
}

/* Snapshots */

static bool copy_sizes(struct sizes *to, const struct sizes *from)
{
	*to = *from;
	if (from->single != 0 || from->counts == NULL)
		return true;
	const size_t size =
	    sizeof *from->counts + from->counts->capacity * sizeof from->counts->count[0];
	to->counts = malloc(size);
	if (to->counts != NULL)
		memcpy(to->counts, from->counts, size);
	return to->counts != NULL;
}

/* Returns false if out of memory; the row can be freed nevertheless. */
static bool copy_row(struct stats_row *to, const struct stats_row *from)
{
	to->values = from->values;
	if (from->values.name != NULL) {
		char *name = malloc(from->values.name_size + 1);
		if (name != NULL)
			memcpy(name, from->values.name, from->values.name_size + 1);
		to->values.name = name;
	}
	return copy_sizes(&to->sizes, &from->sizes) &&
	       (to->values.name != NULL || from->values.name == NULL);
}

static bool copy_rows(struct iot_stats *to, const struct iot_stats *from)
{
	to->rows = calloc(from->row_count + 1, sizeof *to->rows);
	if (to->rows == NULL)
		return false;
	to->row_capacity = from->row_count + 1;
	while (to->row_count < from->row_count) {
		const size_t i = to->row_count++;
		if (!copy_row(&to->rows[i], &from->rows[i]))
			return false;
	}
	if (from->trace_host == NULL)
		return true;
	to->trace_host = malloc(from->trace_host_size + 1);
	if (to->trace_host != NULL)
		memcpy(to->trace_host, from->trace_host, from->trace_host_size);
	return to->trace_host != NULL;
}

struct iot_stats *iot_stats_snapshot(struct iot_stats *s)
{
	struct iot_stats *copy = malloc(sizeof *copy);
	if (copy == NULL || s->failed) {
		free(copy);
		return NULL;
	}
	give_ranks(s);
	*copy = *s;
	copy->rows = NULL;
	copy->opened = NULL;
	copy->group_rows = NULL;
	copy->ranks = NULL;
	copy->trace_host = NULL;
	copy->row_count = copy->row_capacity = 0;
	copy->opened_capacity = copy->group_capacity = copy->rank_capacity = 0;
	copy->opened_map = copy->group_map = copy->rank_map = (struct idmap){.count = 0};
	if (copy_rows(copy, s) && iot_stats_finish(copy) == IOT_OK)
		return copy;
	iot_stats_free(copy);
	return NULL;
}

/* Results */

const struct iot_stats_row *iot_stats_row(const struct iot_stats *s, size_t i)
{
	return i < s->row_count ? &s->rows[i].values : NULL;
}

const struct iot_stats_row *iot_stats_total(const struct iot_stats *s)
{
	return &s->total.values;
}

const struct iot_stats_operation *iot_stats_operation(const struct iot_stats *s, size_t i)
{
	return i < s->operations.count ? &s->operations.row[i] : NULL;
}

/* The mid-point of a bin may be outside the range of the values. */
static double quantile(const struct histogram *h, unsigned permille)
{
	const double ns = histogram_quantile(h, permille);
	return ns < (double)h->min ? (double)h->min : ns > (double)h->max ? (double)h->max : ns;
}

void iot_stats_latency(const struct iot_stats *s, int write, struct iot_stats_latency *l)
{
	const struct histogram *h = &s->durations[write != 0];
	*l = (struct iot_stats_latency){.count = h->count};
	if (h->count == 0)
		return;
	l->min_ns = h->min;
	l->max_ns = h->max;
	l->mean_ns = histogram_mean(h);
	l->median_ns = quantile(h, 500);
	l->p99_ns = quantile(h, 990);
}

uint64_t iot_stats_size(const struct iot_stats_row *row, unsigned class)
{
	return class < IOT_SIZE_CLASSES
		   ? sizes_count(&((const struct stats_row *)row)->sizes, class)
		   : 0;
}

uint64_t iot_stats_fact(const struct iot_stats *s, enum iot_stats_fact fact)
{
	switch (fact) {
	case IOT_STATS_ROWS:
		return s->row_count;
	case IOT_STATS_LEFT_OUT:
		return s->left_out;
	case IOT_STATS_OPS:
		return s->operations.ops;
	case IOT_STATS_OTHER_OPS:
		return s->operations.others;
	case IOT_STATS_COUNTERS:
		return s->counters;
	case IOT_STATS_FILE_COUNTERS:
		return s->file_counters;
	case IOT_STATS_UNNAMED:
		return s->unnamed;
	case IOT_STATS_LAYERS:
		return s->layers;
	case IOT_STATS_SPAN_NS:
		return (s->total.values.has & IOT_STATS_HAS_TIMES) != 0
			   ? (uint64_t)(s->end_ns - s->total.values.first_ns)
			   : 0;
	}
	return 0;
}

struct iot_stats *iot_stats_new(const struct iot_stats_options *options)
{
	struct iot_stats *s = calloc(1, sizeof *s);
	if (s == NULL)
		return NULL;
	if (!options_copy(&s->options, sizeof s->options, options) ||
	    s->options.by > IOT_STATS_BY_DIRECTORY || s->options.physical > 1 ||
	    s->options.sort > IOT_STATS_SORT_WRITTEN_BYTES) {
		free(s);
		return NULL;
	}
	if (s->options.names_max == 0)
		s->options.names_max = NAMES_MAX;
	return s;
}

void iot_stats_free(struct iot_stats *s)
{
	if (s == NULL)
		return;
	empty(s);
	free(s);
}
