/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CSV and TSV for data frames and databases: nanoseconds and bytes, empty where unknown, paths
 * percent-encoded so that every row is valid UTF-8 and one line.
 */
#include <stdlib.h>

#include "lib/base/number.h"
#include "lib/base/text.h"

#include "cli/ui/printable.h"
#include "export.h"

enum column {
	START_NS,
	DURATION_NS,
	OP,
	KIND,
	OFFSET,
	LENGTH,
	PROCESS,
	RANK,
	FILE_NUMBER,
	PATH,
	CPU_NS,
	RELATIVE_OFFSET,
	OPERATION,
	OBJECT,
	PROGRAM,
	HOST,
	TO,
	RESULT,
	SIZE,
	COLUMNS,
};

static const char *const column_names[COLUMNS] = {
    "start_ns",  "duration_ns", "op",      "kind", "offset", "length",
    "process",   "rank",        "file",    "path", "cpu_ns", "relative_offset",
    "operation", "object",      "program", "host", "to",     "result",
    "size",
};

enum {
	COLUMNS_DEFAULT = PATH + 1,
	COLUMNS_MAX = 64,
	NUMBERS_MAX = COLUMNS_MAX * 40, /* bytes of a row without its names */
};

struct csv_table {
	char separator;
	size_t count;
	uint8_t column[COLUMNS_MAX];
};

/* Names */

static size_t tsv_encode(char *out, const char *text, size_t size)
{
	return percent_encode_cell(out, text, size, "\"\\");
}

/* Quotes as RFC 4180 does, from the end: out has 3 * size + 2 bytes. */
static size_t quote(char *out, size_t size, size_t quotes)
{
	const size_t total = size + quotes + 2;
	char *to = out + total;
	*--to = '"';
	for (size_t i = size; i-- > 0;) {
		*--to = out[i];
		if (out[i] == '"')
			*--to = '"';
	}
	*--to = '"';
	return total;
}

static size_t csv_encode(char *out, const char *text, size_t size)
{
	const size_t used = percent_encode_cell(out, text, size, "");
	size_t quotes = 0;
	for (size_t i = 0; i < used; i++)
		quotes += out[i] == '"';
	return quotes > 0 || memchr(out, ',', used) != NULL ? quote(out, used, quotes) : used;
}

/* The name of each kind of data, and marks for the other bits of a type. */
static char *put_kind(char *to, unsigned type)
{
	static const char *const names[] = {"file", "metadata", "read-ahead", "virtual-memory"};
	static const char *const disk[] = {"disk", "disk-metadata", "disk-read-ahead",
					   "disk-virtual-memory"};
	static const struct {
		unsigned bit;
		const char *mark;
	} marks[] = {{0x04, "+4"},
		     {IOT_ASYNC, "+async"},
		     {IOT_READ_AHEAD_HIT, "+hit"},
		     {IOT_CACHE_MISS, "+miss"}};
	to = stpcpy(to, (type & IOT_LOGICAL ? names : disk)[type & IOT_DATA_KIND]);
	if ((type & ~((unsigned)IOT_LOGICAL | IOT_WRITE | IOT_DATA_KIND)) == 0)
		return to;
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (type & marks[i].bit)
			to = stpcpy(to, marks[i].mark);
	return to;
}

/* Columns */

static int column_number(struct iot_text name)
{
	for (int i = 0; i < COLUMNS; i++)
		if (text_equals(name, column_names[i]))
			return i;
	return -1;
}

static struct iot_text next_column(const char **list)
{
	const size_t size = strcspn(*list, ",");
	const struct iot_text name = {*list, size};
	*list += size + ((*list)[size] == ',');
	return name;
}

bool csv_columns_valid(const char *columns, struct iot_text *wrong)
{
	size_t count = 0;
	do {
		*wrong = next_column(&columns);
		if (column_number(*wrong) < 0 || ++count > COLUMNS_MAX)
			return false;
	} while (*columns != '\0');
	return true;
}

static void choose_columns(struct csv_table *c, const char *list)
{
	for (; list == NULL && c->count < COLUMNS_DEFAULT; c->count++)
		c->column[c->count] = (uint8_t)c->count;
	while (list != NULL && *list != '\0' && c->count < COLUMNS_MAX)
		c->column[c->count++] = (uint8_t)column_number(next_column(&list));
}

static void begin(struct export *x, char separator)
{
	struct csv_table *c = export_state(x, sizeof *c);
	if (c == NULL)
		return;
	c->separator = separator;
	choose_columns(c, x->options->columns);
	for (size_t i = 0; i < c->count && !x->options->no_header; i++) {
		output_text(x->out, column_names[c->column[i]]);
		output_write(x->out, i + 1 < c->count ? &separator : "\n", 1);
	}
}

static void begin_csv(struct export *x)
{
	begin(x, ',');
}

static void begin_tsv(struct export *x)
{
	begin(x, '\t');
}

/* Rows */

static inline char *put_name(struct export *x, char *to, const struct name *name)
{
	if (name->text == NULL)
		return to;
	output_took(x->out, to);
	if (name->size <= NAMES_CAPACITY) {
		to = output_reserve(x->out, NAMES_CAPACITY + NUMBERS_MAX);
		memcpy(to, name->text, name->size);
		return to + name->size;
	}
	output_write(x->out, name->text, name->size);
	return output_reserve(x->out, NUMBERS_MAX);
}

/* In bytes: physical records count blocks. */
static inline char *put_bytes(struct export *x, char *to, const struct iot_record *rec, uint64_t v)
{
	uint64_t bytes;
	if (rec->type & IOT_LOGICAL)
		return number_fast(to, v);
	return export_bytes(x, rec, v, &bytes) ? number_fast(to, bytes) : to;
}

static char *put_cpu(char *to, int64_t ns)
{
	if (ns < 0)
		*to++ = '-';
	return number_fast(to, ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns);
}

static inline char *put_field(struct export *x, char *to, const struct iot_record *r,
			      enum column column)
{
	const bool known = (r->flags & IOT_OFFSET_UNKNOWN) == 0;
	uint32_t object;
	switch (column) {
	case START_NS:
		return r->flags & IOT_START_UNKNOWN ? to : number_fast(to, (uint64_t)r->start_ns);
	case DURATION_NS:
		return r->flags & IOT_DURATION_UNKNOWN ? to : number_fast(to, r->duration_ns);
	case OP:
		memcpy(to, r->type & IOT_WRITE ? "write" : "read ", 5);
		return to + (r->type & IOT_WRITE ? 5 : 4);
	case KIND:
		if ((r->type & ~(unsigned)IOT_WRITE) != IOT_LOGICAL)
			return put_kind(to, r->type);
		memcpy(to, "file", 4);
		return to + 4;
	case OFFSET:
		return known ? put_bytes(x, to, r, r->offset) : to;
	case RELATIVE_OFFSET:
		return known ? to : put_bytes(x, to, r, r->offset);
	case LENGTH:
		return put_bytes(x, to, r, r->length);
	case PROCESS:
		return number_fast(to, r->process);
	case FILE_NUMBER:
		return number_fast(to, r->file);
	case PATH:
		return put_name(x, to, names_path(&x->names, r));
	case RANK:
		return put_name(x, to, names_process(&x->names, r->process, PROCESS_RANK));
	case HOST:
		return put_name(x, to, names_process(&x->names, r->process, PROCESS_HOST));
	case PROGRAM:
		return put_name(x, to, names_process(&x->names, r->process, PROCESS_PROGRAM));
	case CPU_NS:
		return r->flags & IOT_CPU_UNKNOWN ? to : put_cpu(to, r->cpu_ns);
	case OPERATION:
		return r->operation != 0 ? number_fast(to, r->operation) : to;
	case OBJECT:
		object = names_object(&x->names, r);
		return object != 0 ? number_fast(to, object) : to;
	case TO:
	case RESULT:
	case SIZE:
	case COLUMNS:
		break;
	}
	return to;
}

static char *put_op_number(char *to, const struct iot_event *ev, const char *key)
{
	const struct iot_text value = iot_directive_get(ev, key);
	uint64_t v;
	return value.data != NULL && number_parse(value.data, value.size, 10, &v)
		   ? number_fast(to, v)
		   : to;
}

/* A column of an operation: the same columns, each empty unless the directive has its key. */
static char *put_op_field(struct export *x, char *to, const struct iot_event *ev,
			  enum column column)
{
	static const char *const keys[COLUMNS] = {
	    [OP] = "name", [PATH] = "path", [TO] = "to", [RESULT] = "result"};
	const unsigned has = ev->has;
	struct iot_record rec = ev->rec;
	rec.type = IOT_LOGICAL;
	rec.flags = (uint8_t)x->lacks;
	switch (column) {
	case START_NS:
		return has & IOT_HAS_TIME ? put_field(x, to, &rec, column) : to;
	case DURATION_NS:
		return has & IOT_HAS_TOOK ? put_field(x, to, &rec, column) : to;
	case KIND:
		return stpcpy(to, "op");
	case OFFSET:
	case LENGTH:
	case SIZE:
		return put_op_number(to, ev, column_names[column]);
	case PROCESS:
	case RANK:
	case HOST:
	case PROGRAM:
		return has & IOT_HAS_PROCESS ? put_field(x, to, &rec, column) : to;
	case FILE_NUMBER:
		return has & IOT_HAS_FILE ? put_field(x, to, &rec, column) : to;
	default:
		break;
	}
	if (keys[column] != NULL && iot_directive_get(ev, keys[column]).data != NULL) {
		const struct name value = names_value(&x->names, ev, keys[column]);
		return put_name(x, to, &value);
	}
	if ((column == PATH || column == OBJECT) && (has & IOT_HAS_FILE))
		return put_field(x, to, &rec, column);
	return to;
}

static void write_row(struct export *x, const struct iot_event *ev)
{
	const struct csv_table *c = x->state;
	char *to = output_reserve(x->out, NUMBERS_MAX);
	for (size_t i = 0; i < c->count; i++) {
		to = ev->kind == IOT_RECORD ? put_field(x, to, &ev->rec, c->column[i])
					    : put_op_field(x, to, ev, c->column[i]);
		*to++ = c->separator;
	}
	to[-1] = '\n';
	output_took(x->out, to);
}

static void events(struct export *x, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ev[i].kind == IOT_RECORD) {
			write_row(x, &ev[i]);
			continue;
		}
		if (ev[i].kind == IOT_OP && x->options->all_events)
			write_row(x, &ev[i]);
		x->notes[NOTE_OPERATIONS] += ev[i].kind == IOT_OP && !x->options->all_events;
		x->notes[NOTE_COUNTERS] += ev[i].kind == IOT_COUNTER;
		x->notes[NOTE_LOST] += ev[i].kind == IOT_LOST;
		export_event(x, &ev[i]);
	}
	x->failed |= x->names.failed;
}

const struct export_format export_csv = {
    .encode = csv_encode, .begin = begin_csv, .events = events};
const struct export_format export_tsv = {
    .encode = tsv_encode, .begin = begin_tsv, .events = events};
