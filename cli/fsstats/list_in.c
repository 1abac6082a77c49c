/* SPDX-License-Identifier: BSD-2-Clause */
#include "list_in.h"

#include <stdlib.h>
#include <xxhash.h>

#include "lib/base/number.h"
#include "lib/base/text.h"

enum { BLOCK = 512, KIB = 1024, S_PER_DAY = 86400, DATE_SIZE = 10, KEY_TEXT = 1024 };

static const char *const field_names[LIST_FIELDS] = {
    [LIST_IGNORED] = "-",       [LIST_TYPE] = "type",   [LIST_SIZE] = "size",
    [LIST_BLOCKS] = "blocks",   [LIST_KIB] = "kib",     [LIST_LINKS] = "links",
    [LIST_MTIME] = "mtime",     [LIST_CTIME] = "ctime", [LIST_ATIME] = "atime",
    [LIST_UID] = "uid",         [LIST_GID] = "gid",     [LIST_DEVICE] = "device",
    [LIST_INODE] = "inode",     [LIST_NAME] = "name",   [LIST_PATH] = "path",
    [LIST_PROJECT] = "project",
};

const char list_find_columns[] =
    "type,size,blocks,links,mtime,ctime,atime,uid,gid,device,inode,path";

struct entry_list {
	struct fs_survey *survey;
	const struct list_columns *columns;
	char separator;  /* ' ': any number of blanks */
	char terminator; /* of lines */
	bool begun, no_memory;
};

/* The values of a line. */
struct list_entry {
	struct survey_entry entry;
	uint64_t device, inode;
	uint64_t owner[SURVEY_BY_PROJECT + 1]; /* by enum survey_by */
	bool has_inode;
	struct iot_text path;
};

/* Columns */

static enum list_field find_field(const char *name, size_t size)
{
	for (unsigned i = 0; i < LIST_FIELDS; i++)
		if (text_equals((struct iot_text){name, size}, field_names[i]))
			return (enum list_field)i;
	return LIST_FIELDS;
}

const char *list_columns_parse(struct list_columns *c, const char *text)
{
	bool has_size = false;
	c->count = 0;
	for (const char *at = text;; at++) {
		const size_t size = strcspn(at, ",");
		const enum list_field f = find_field(at, size);
		if (f == LIST_FIELDS || c->count == LIST_COLUMNS)
			return "a list of -, type, size, blocks, kib, links, mtime, ctime, atime, "
			       "uid, gid, project, device, inode, name, path";
		has_size |= f == LIST_SIZE;
		c->field[c->count++] = (unsigned char)f;
		at += size;
		if (*at == '\0')
			return has_size ? NULL : "a column size";
	}
}

static bool has(const struct list_columns *c, enum list_field f)
{
	return memchr(c->field, (int)f, c->count) != NULL;
}

void list_set_unknown(struct fs_survey *s, const struct list_columns *c)
{
	static const struct {
		enum list_field field;
		uint32_t bits;
	} needs[] = {
	    {LIST_LINKS, 1U << SURVEY_LINKS | 1U << SURVEY_DUPLICATES},
	    {LIST_INODE, 1U << SURVEY_DUPLICATES},
	    {LIST_MTIME, 1U << SURVEY_MTIME | 1U << SURVEY_MTIME_BYTES},
	    {LIST_CTIME, 1U << SURVEY_CTIME | 1U << SURVEY_CTIME_BYTES},
	    {LIST_ATIME, 1U << SURVEY_ATIME | 1U << SURVEY_ATIME_BYTES},
	    {LIST_TYPE, 1U << SURVEY_DIRECTORY | 1U << SURVEY_TARGET | 1U << SURVEY_SPECIALS},
	};
	for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
		if (!has(c, needs[i].field))
			s->unknown |= needs[i].bits;
	if (!has(c, LIST_BLOCKS) && !has(c, LIST_KIB))
		s->unknown |= 1U << SURVEY_CAPACITY | 1U << SURVEY_POSITIVE | 1U << SURVEY_NEGATIVE;
	if (!has(c, LIST_NAME) && !has(c, LIST_PATH))
		s->unknown |= 1U << SURVEY_NAME;
	s->unknown |= 1U << SURVEY_ENTRIES | 1U << SURVEY_SNAPSHOTS;
	s->names &= has(c, LIST_PATH);
}

/* Values */

/* Days from 1970 to a date of the Gregorian calendar. */
static int64_t days_of(int64_t year, unsigned month, unsigned day)
{
	enum { DAYS_400_YEARS = 146097, DAYS_TO_1970 = 719468 };
	year -= month <= 2;
	const int64_t era = (year >= 0 ? year : year - 399) / 400;
	const unsigned in_era = (unsigned)(year - era * 400);
	const unsigned in_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
	return era * DAYS_400_YEARS + in_era * 365 + in_era / 4 - in_era / 100 + in_year -
	       DAYS_TO_1970;
}

static bool is_date(struct iot_text t)
{
	return t.size >= DATE_SIZE && t.data[4] == '-' && t.data[7] == '-';
}

static bool parts(const char *text, size_t a, size_t b, size_t c, size_t first, uint64_t of[3])
{
	return number_decimal(text + a, first, &of[0]) && number_decimal(text + b, 2, &of[1]) &&
	       number_decimal(text + c, 2, &of[2]);
}

/* Parses YYYY-MM-DD, and HH:MM:SS after one more character, as UTC. */
static bool parse_date(struct iot_text t, int64_t *s)
{
	enum { CLOCK = DATE_SIZE + 1, CLOCK_SIZE = 8 };
	uint64_t date[3], clock[3] = {0, 0, 0};
	if (!parts(t.data, 0, 5, 8, 4, date) || date[1] - 1 > 11 || date[2] - 1 > 30)
		return false;
	if (t.size > DATE_SIZE &&
	    (t.size < CLOCK + CLOCK_SIZE || !parts(t.data + CLOCK, 0, 3, 6, 2, clock)))
		return false;
	*s = days_of((int64_t)date[0], (unsigned)date[1], (unsigned)date[2]) * S_PER_DAY +
	     (int64_t)(clock[0] * 3600 + clock[1] * 60 + clock[2]);
	return true;
}

/* Parses seconds since 1970, rounded down, or a date. */
static bool parse_time(struct iot_text t, int64_t *s)
{
	const char *at = t.data, *end = t.data + t.size;
	const bool negative = t.size > 0 && *at == '-';
	uint64_t whole;
	bool fraction = false;
	if (is_date(t))
		return parse_date(t, s);
	at += negative;
	if (!number_scan(&at, end, 10, &whole) || whole > INT64_MAX - 1)
		return false;
	if (at < end && *at++ != '.')
		return false;
	for (; at < end; at++) {
		if (number_digit(*at) > 9)
			return false;
		fraction |= *at != '0';
	}
	*s = negative ? -(int64_t)whole - fraction : (int64_t)whole;
	return true;
}

static bool parse_type(struct iot_text t, enum survey_kind *kind)
{
	static const char files[] = "f-F", directories[] = "dD", links[] = "lL";
	if (t.size == 0)
		return false;
	*kind = memchr(files, t.data[0], sizeof files - 1) != NULL ? SURVEY_FILE
		: memchr(directories, t.data[0], sizeof directories - 1) != NULL
		    ? SURVEY_DIRECTORIES
		: memchr(links, t.data[0], sizeof links - 1) != NULL ? SURVEY_SYMLINK
								     : SURVEY_SPECIAL;
	return true;
}

static bool parse_scaled(struct iot_text t, uint64_t unit, uint64_t *v)
{
	return number_decimal(t.data, t.size, v) && !__builtin_mul_overflow(*v, unit, v);
}

static void set_path(struct list_entry *e, struct iot_text t)
{
	const char *slash = memrchr(t.data, '/', t.size);
	e->path = t;
	e->entry.name = slash != NULL ? (size_t)(t.data + t.size - slash - 1) : t.size;
}

static bool set_field(struct list_entry *e, enum list_field f, struct iot_text t)
{
	switch (f) {
	case LIST_TYPE:
		return parse_type(t, &e->entry.kind);
	case LIST_SIZE:
		return number_decimal(t.data, t.size, &e->entry.size);
	case LIST_BLOCKS:
		return parse_scaled(t, BLOCK, &e->entry.capacity);
	case LIST_KIB:
		return parse_scaled(t, KIB, &e->entry.capacity);
	case LIST_LINKS:
		return number_decimal(t.data, t.size, &e->entry.links);
	case LIST_MTIME:
		return parse_time(t, &e->entry.time_s[SURVEY_MODIFIED]);
	case LIST_CTIME:
		return parse_time(t, &e->entry.time_s[SURVEY_CHANGED]);
	case LIST_ATIME:
		return parse_time(t, &e->entry.time_s[SURVEY_ACCESSED]);
	case LIST_UID:
		return number_decimal(t.data, t.size, &e->owner[SURVEY_BY_OWNER]);
	case LIST_GID:
		return number_decimal(t.data, t.size, &e->owner[SURVEY_BY_GROUP]);
	case LIST_PROJECT:
		return number_decimal(t.data, t.size, &e->owner[SURVEY_BY_PROJECT]);
	case LIST_DEVICE:
		return number_decimal(t.data, t.size, &e->device) && e->device < UINT64_C(1) << 55;
	case LIST_INODE:
		e->has_inode = true;
		return number_decimal(t.data, t.size, &e->inode);
	case LIST_NAME:
	case LIST_PATH:
		set_path(e, t);
		return true;
	default:
		return true;
	}
}

/* Lines */

/* Takes the next field. The last column, if it is a name, extends to the end of the line. */
static bool next_field(const struct entry_list *r, struct iot_text *rest, bool is_last,
		       struct iot_text *field)
{
	while (r->separator == ' ' && rest->size > 0 && *rest->data == ' ') {
		rest->data++;
		rest->size--;
	}
	if (rest->data == NULL || (r->separator == ' ' && rest->size == 0))
		return false;
	const char *end = is_last ? NULL : memchr(rest->data, r->separator, rest->size);
	/* A date and its time are separated by a blank. */
	if (end != NULL && r->separator == ' ' && is_date(*rest) && end == rest->data + DATE_SIZE)
		end = memchr(end + 1, ' ', rest->size - DATE_SIZE - 1);
	*field =
	    (struct iot_text){rest->data, end != NULL ? (size_t)(end - rest->data) : rest->size};
	rest->size = end != NULL ? rest->size - field->size - 1 : 0;
	rest->data = end != NULL ? end + 1 : NULL;
	return true;
}

static bool parse_line(const struct entry_list *r, struct iot_text line, struct list_entry *e)
{
	const struct list_columns *c = r->columns;
	for (size_t i = 0; i < c->count; i++) {
		const enum list_field f = (enum list_field)c->field[i];
		const bool to_end = i + 1 == c->count && (f == LIST_PATH || f == LIST_NAME);
		struct iot_text field;
		if (!next_field(r, &line, to_end, &field) || !set_field(e, f, field))
			return false;
	}
	return true;
}

/* Returns the directory that is the key of a path: its first components, up to the depth. */
static struct iot_text key_directory(const struct fs_survey *s, struct iot_text path)
{
	size_t size = 0, depth = 0;
	for (size_t i = 1; i < path.size && depth < s->depth; i++)
		if (path.data[i] == '/' && path.data[i - 1] != '/') {
			size = i;
			depth++;
		}
	return size > 0 ? (struct iot_text){path.data, size} : (struct iot_text){".", 1};
}

static void set_directory_key(struct entry_list *r, struct list_entry *e)
{
	char name[KEY_TEXT];
	const struct iot_text text = key_directory(r->survey, e->path);
	e->entry.key = SURVEY_LINKED;
	if (e->entry.links > 1)
		return;
	e->entry.key = XXH3_64bits(text.data, text.size);
	struct key_sums *sums = survey_sums(r->survey, e->entry.key);
	if (sums != NULL && sums->name == NULL)
		sums->name = strdup(escape_text(name, sizeof name, text.data, text.size));
	r->no_memory |= sums == NULL || sums->name == NULL;
}

static void add_entry(struct entry_list *r, const struct list_entry *e)
{
	struct fs_survey *s = r->survey;
	const struct survey_link one = {e->entry, 1, false}, *link = NULL;
	struct survey_link_change change = {false, false};
	if (e->entry.kind != SURVEY_FILE || e->entry.links < 2 || !e->has_inode) {
		survey_add(s, &e->entry);
		return;
	}
	link = survey_add_link(s, survey_link_id(e->device, e->inode), &one, &change);
	if (link != NULL && change.is_whole)
		survey_add(s, &link->file);
	s->duplicate_links += change.is_known;
}

/* Directories are not added: their entries are unknown. */
static void add_top(struct entry_list *r, const struct list_entry *e)
{
	char path[TOP_PATH_MAX];
	const bool linked = e->entry.links > 1 && e->has_inode;
	struct top_entry top = {e->entry.size, 0, 0, path};
	if (!r->survey->names || e->entry.kind != SURVEY_FILE ||
	    !top_list_wants(&r->survey->top[SURVEY_TOP_FILES], top.value))
		return;
	if (linked) {
		top.device = e->device;
		top.inode = e->inode;
	}
	escape_text(path, sizeof path, e->path.data, e->path.size);
	survey_add_top(r->survey, SURVEY_TOP_FILES, &top);
}

static bool add_line(struct entry_list *r, struct iot_text line)
{
	struct list_entry e = {.entry = {.kind = SURVEY_FILE}};
	for (size_t i = 0; i <= SURVEY_BY_PROJECT; i++)
		e.owner[i] = SURVEY_UNKNOWN;
	if (!parse_line(r, line, &e))
		return false;
	add_top(r, &e);
	if (r->survey->by == SURVEY_BY_DIRECTORY && e.entry.kind == SURVEY_FILE)
		set_directory_key(r, &e);
	else
		e.entry.key = e.owner[r->survey->by];
	add_entry(r, &e);
	return true;
}

/* The first bytes decide how lines and fields end. */
static void begin(struct entry_list *r, const char *data, size_t size)
{
	const char *nul = memchr(data, '\0', size), *lf = memchr(data, '\n', size);
	r->begun = true;
	r->terminator = nul != NULL && (lf == NULL || nul < lf) ? '\0' : '\n';
	const char *end = memchr(data, r->terminator, size);
	const size_t line = end != NULL ? (size_t)(end - data) : size;
	r->separator = memchr(data, '\t', line) != NULL                                     ? '\t'
		       : memchr(data, ',', line) != NULL && memchr(data, ' ', line) == NULL ? ','
											    : ' ';
}

static bool is_header(const struct list_report *report, struct iot_text line)
{
	return report->lines == 1 && line.size > 0 && number_digit(line.data[0]) > 9 &&
	       memmem(line.data, line.size, "size", 4) != NULL;
}

/* Adds the complete lines of a block. Returns their size. */
static size_t add_lines(struct entry_list *r, const char *data, size_t size, bool last,
			struct list_report *report)
{
	size_t used = 0;
	while (used < size && !r->no_memory) {
		const char *at = data + used, *end = memchr(at, r->terminator, size - used);
		if (end == NULL && !last)
			break;
		struct iot_text line = {at, end != NULL ? (size_t)(end - at) : size - used};
		used += line.size + (end != NULL);
		if (line.size > 0 && line.data[line.size - 1] == '\r')
			line.size--;
		report->lines++;
		if (line.size == 0 || add_line(r, line) || is_header(report, line))
			continue;
		report->wrong++;
		if (report->first_wrong == 0)
			report->first_wrong = report->lines;
	}
	return used;
}

int list_read(struct fs_survey *s, struct bufreader *in, const struct list_columns *c,
	      struct list_report *report)
{
	struct entry_list r = {.survey = s, .columns = c};
	size_t have, want = LIST_LINE_MAX;
	for (const char *data; (data = bufreader_peek(in, want, &have)) != NULL && have > 0;) {
		if (!r.begun)
			begin(&r, data, have);
		const bool last = have < want;
		const size_t used = add_lines(&r, data, have, last, report);
		bufreader_consume(in, used);
		if (r.no_memory || s->no_memory)
			return IOT_ENOMEM;
		if (used == 0) { /* one long line */
			report->wrong++;
			report->first_wrong =
			    report->first_wrong == 0 ? report->lines + 1 : report->first_wrong;
			bufreader_consume(in, have);
		}
	}
	return bufreader_status(in);
}
