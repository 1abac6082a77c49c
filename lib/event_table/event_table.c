/* SPDX-License-Identifier: BSD-2-Clause */
#include "event_table.h"

#include "lib/base/number.h"
#include "lib/base/text.h"
#include "lib/base/utf8.h"

static const struct {
	const char *name;
	enum column_type type;
} columns[EVENT_COLUMNS] = {
#define X(NAME, name, type) [EVENT_##NAME] = {name, EVENT_##type},
    EVENT_COLUMN_LIST(X)
#undef X
};

const char *event_column_name(enum event_column column)
{
	return columns[column].name;
}

enum column_type event_column_type(enum event_column column)
{
	return columns[column].type;
}

static int column_number(struct iot_text name)
{
	for (int i = 0; i < EVENT_COLUMNS; i++)
		if (text_equals(name, columns[i].name))
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

bool event_columns_parse(struct event_columns *c, const char *list, struct iot_text *wrong)
{
	c->count = 0;
	for (; list == NULL && c->count < EVENT_COLUMNS_DEFAULT; c->count++)
		c->column[c->count] = (uint8_t)c->count;
	while (list != NULL) {
		const struct iot_text name = next_column(&list);
		const int column = column_number(name);
		if (column < 0 || c->count == EVENT_COLUMNS_MAX) {
			if (wrong != NULL)
				*wrong = name;
			return false;
		}
		c->column[c->count++] = (uint8_t)column;
		list = *list != '\0' ? list : NULL;
	}
	return true;
}

size_t event_cell_text(char *out, const char *text, size_t size)
{
	return percent_encode_cell(out, text, size, "");
}

/* The name of each kind of data, and marks for the other bits of a type. */
char *event_kind_name(char to[EVENT_KIND_MAX], unsigned type)
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
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (type & marks[i].bit)
			to = stpcpy(to, marks[i].mark);
	return to;
}

static enum event_cell_kind number_of_key(const struct iot_event *ev, enum event_column column,
					  struct event_cell *cell)
{
	const struct iot_text value = iot_directive_get(ev, columns[column].name);
	return value.data != NULL && number_parse(value.data, value.size, 10, &cell->number)
		   ? EVENT_CELL_NUMBER
		   : EVENT_CELL_UNKNOWN;
}

/* Returns the bits of iot_event.has without which an operation lacks the column of a record. */
static unsigned needed(enum event_column column)
{
	switch (column) {
	case EVENT_START_NS:
		return IOT_HAS_TIME;
	case EVENT_DURATION_NS:
		return IOT_HAS_TOOK;
	case EVENT_PROCESS:
	case EVENT_RANK:
	case EVENT_HOST:
	case EVENT_PROGRAM:
		return IOT_HAS_PROCESS;
	case EVENT_FILE:
	case EVENT_PATH:
	case EVENT_OBJECT:
		return IOT_HAS_FILE;
	default:
		return ~0U;
	}
}

enum event_cell_kind event_operation_cell(struct names *names, const struct iot_event *ev,
					  enum event_column column, struct event_cell *cell)
{
	static const char *const keys[EVENT_COLUMNS] = {[EVENT_OP] = "name",
							[EVENT_PATH] = "path",
							[EVENT_TO] = "to",
							[EVENT_RESULT] = "result"};
	if (column == EVENT_OFFSET || column == EVENT_LENGTH || column == EVENT_SIZE)
		return number_of_key(ev, column, cell);
	if (keys[column] != NULL && iot_directive_get(ev, keys[column]).data != NULL)
		return event_name(names_value(names, ev, keys[column]), cell);
	struct iot_record rec = ev->rec;
	rec.type = IOT_LOGICAL;
	rec.flags = (uint8_t)names->lacks;
	return (ev->has & needed(column)) == needed(column)
		   ? event_cell_of(names, &rec, column, cell)
		   : EVENT_CELL_UNKNOWN;
}
