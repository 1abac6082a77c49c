/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts tables of I/Os as text: values separated by commas, tabs or another character, one I/O
 * per line. columns.c describes what the columns mean. A row is a record, or an %op if its
 * operation transfers no data; all other lines are counted.
 */
#include "csv.h"

#include "lib/base/number.h"
#include "lib/base/plural.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { EXACT_BITS = 100, NAME_BITS = 8, NAMES_MIN = 3, OP_NAME_MAX = 255 };

static const struct iot_format_option options[] = {
    {"columns", "LIST",
     "what the columns are: names with units, such as time:us,op,offset,length, or msr, spc, "
     "cloudphysics, alibaba, tencent, systor, txt, raw, raw:ns"},
    {"delimiter", "CHAR", "the character between columns, or tab (default: auto-detect)"},
    {NULL, NULL, NULL},
};

/* Detection */

static bool is_blank(struct iot_text line)
{
	return line.size == 0 || line.data[0] == '#';
}

/* Splits off the next line; its data is NULL if it has no end. */
static struct iot_text split_line(struct iot_text *rest)
{
	const char *end = rest->size > 0 ? memchr(rest->data, '\n', rest->size) : NULL;
	struct iot_text line = {NULL, 0};
	if (end == NULL)
		return line;
	line = (struct iot_text){rest->data, (size_t)(end - rest->data)};
	rest->data += line.size + 1;
	rest->size -= line.size + 1;
	while (line.size > 0 && line.data[line.size - 1] == '\r')
		line.size--;
	return line;
}

/* The first line that is not blank; empty if there is none. */
static struct iot_text first_line(const char *head, size_t size)
{
	static const char bom[] = "\xef\xbb\xbf";
	const size_t skip = size >= 3 && memcmp(head, bom, 3) == 0 ? 3 : 0;
	struct iot_text rest = {head + skip, size - skip}, line;
	do
		line = split_line(&rest);
	while (line.data != NULL && is_blank(line));
	return line.data != NULL ? line : (struct iot_text){"", 0};
}

/* Returns whether the columns suffice to call a file a table of I/Os. */
static bool describes_io(const struct csv_layout *l)
{
	const uint32_t data = CSV_BIT(CSV_OFFSET) | CSV_BIT(CSV_LENGTH) | CSV_BIT(CSV_ID),
		       time = CSV_BIT(CSV_START) | CSV_BIT(CSV_END);
	return (l->used & data) != 0 && (l->used & time) != 0;
}

/* Comments at the start of a trace, also of a damaged one, are no header. */
static bool is_trace_comment(const char *head, size_t size)
{
	return (size > 2 && strncasecmp(head, "ff", 2) == 0 && isspace((unsigned char)head[2])) ||
	       (size > 4 && memcmp(head, "255 %", 5) == 0);
}

static int sniff(struct input *in)
{
	struct csv_layout l;
	const char *unit;
	size_t size;
	const char *head = input_head(in, 0, &size);
	const struct iot_text line = first_line(head, size);
	if (is_trace_comment(head, size) || memchr(line.data, '\0', line.size) != NULL)
		return 0;
	const size_t names = csv_columns_header(&l, line, &unit);
	if (l.preset != NULL)
		return EXACT_BITS;
	if (names >= NAMES_MIN && describes_io(&l))
		return NAME_BITS * (int)names;
	return csv_columns_detect(&l, head, size);
}

/* Opening */

static int set_delimiter(struct csv_source *c, struct iot_text line)
{
	const char *given = source_setting(c->src, "delimiter");
	if (given == NULL) {
		if (c->layout.delimiter == '\0')
			c->layout.delimiter = csv_delimiter(line);
		return IOT_OK;
	}
	c->layout.delimiter = strcmp(given, "tab") == 0 ? '\t' : given[0];
	if ((strlen(given) == 1 && given[0] != '"') || c->layout.delimiter == '\t')
		return IOT_OK;
	return source_setting_wrong(c->src, "delimiter", "a character other than a quote, or tab");
}

static void set_header(struct csv_source *c, struct iot_text line)
{
	c->header = malloc(line.size + 1);
	if (c->header == NULL) {
		error_no_memory(&c->src->error);
		return;
	}
	memcpy(c->header, line.data, line.size);
	c->header_size = line.size;
}

/* Returns whether the line is a header: letters where numbers are expected. */
static bool is_header(struct csv_source *c, struct iot_text line)
{
	const char *at = line.data, *const end = at + line.size;
	struct iot_text field;
	c->scratch_used = 0;
	for (size_t i = 0; i < c->layout.count && at <= end; i++) {
		const uint8_t form = c->layout.column[i].form;
		if (!csv_fields_next(c, &at, end, &field))
			return false;
		at += at < end;
		if (form != CSV_IGNORED && form != CSV_WORD && form != CSV_TEXT && field.size > 0)
			return isalpha((unsigned char)field.data[0]);
	}
	return false;
}

#define NAME_THE_COLUMNS "name the columns, such as %scolumns=time:s,op,offset,length"

/* Completes the sentence of csv_columns_list. */
static int refuse_list(struct csv_source *c)
{
	const struct error why = c->src->error;
	error_clear(&c->src->error);
	return error_set(&c->src->error, why.status, "%scolumns: %s", c->src->option_prefix,
			 why.text);
}

static void note_left_out(struct csv_source *c)
{
	const size_t n = c->layout.columns_left_out;
	if (n > 0)
		report_note(&c->src->report, "%zu %s: %s", n,
			    plural(n, "column of the header is left out",
				   "columns of the header are left out"),
			    c->layout.left_out);
}

static int read_header(struct csv_source *c, struct iot_text line, const char *head, size_t size)
{
	const char *list = source_setting(c->src, "columns"), *unit = NULL;
	struct error *e = &c->src->error;
	if (list != NULL) {
		if (csv_columns_list(&c->layout, list, e) != IOT_OK)
			return refuse_list(c);
		if (set_delimiter(c, line) == IOT_OK && is_header(c, line))
			set_header(c, line);
		return e->status;
	}
	const size_t names = csv_columns_header(&c->layout, line, &unit);
	if (unit != NULL)
		return error_set(e, IOT_EUSAGE,
				 "the header has no unit for '%s'; " NAME_THE_COLUMNS, unit,
				 c->src->option_prefix);
	if (names >= 2) {
		c->layout.exact = true;
		set_header(c, line);
		note_left_out(c);
	} else if (csv_columns_detect(&c->layout, head, size) == 0) {
		return error_set(e, IOT_EUSAGE,
				 "no header line with names of columns; " NAME_THE_COLUMNS,
				 c->src->option_prefix);
	}
	return set_delimiter(c, line);
}

static bool is_key(const struct csv_column *column, struct iot_text field)
{
	uint64_t number;
	return column->field == CSV_ID && field.size > 0 &&
	       !number_decimal(field.data, field.size, &number);
}

/* Columns of ids, processes, files and disks have numbers or names: the first row decides. */
static void find_named(struct csv_source *c, struct iot_text line)
{
	const char *at = line.data, *const end = at + line.size;
	struct csv_layout *l = &c->layout;
	struct iot_text field;
	c->scratch_used = 0;
	for (size_t i = 0; i < l->count; i++, at += at < end) {
		struct csv_column *column = &l->column[i];
		if (!csv_fields_next(c, &at, end, &field))
			return;
		if (is_key(column, field))
			column->form = CSV_KEY;
		if (column->field < CSV_PROCESS || column->field > CSV_DISK || field.size == 0 ||
		    isdigit((unsigned char)field.data[0]))
			continue;
		column->form = CSV_TEXT;
		c->named_process = c->named_process || column->field == CSV_PROCESS;
		c->named_disk = c->named_disk || column->field == CSV_DISK;
		if (column->field != CSV_FILE)
			continue;
		column->field = CSV_PATH;
		l->used = (l->used & ~CSV_BIT(CSV_FILE)) | CSV_BIT(CSV_PATH);
	}
}

static bool is_known_header(const struct csv_source *c, struct iot_text line)
{
	return c->header != NULL && line.size == c->header_size &&
	       memcmp(line.data, c->header, line.size) == 0;
}

/* Whether the first rows are in order of start, and how fine their times are. */
static void look_at_row(struct csv_source *c, struct iot_text line, const char *limit,
			int64_t *last_ns)
{
	const uint32_t start = CSV_BIT(CSV_START), duration = CSV_BIT(CSV_DURATION);
	const uint64_t *number = c->row.number;
	if (!csv_fields_parse(c, line, limit))
		return;
	if ((c->row.known & start) != 0 && number[CSV_START] <= INT64_MAX) {
		c->src->unordered = c->src->unordered || (int64_t)number[CSV_START] < *last_ns;
		*last_ns = (int64_t)number[CSV_START];
	}
	if (((c->row.known & start) != 0 && number[CSV_START] % c->src->tick_ns != 0) ||
	    ((c->row.known & duration) != 0 && number[CSV_DURATION] % c->src->tick_ns != 0))
		c->src->tick_ns = 1;
}

static void look_at_rows(struct csv_source *c, const char *head, size_t size)
{
	struct iot_text rest = {head, size}, line;
	int64_t last_ns = INT64_MIN;
	bool first = true;
	while ((line = split_line(&rest)).data != NULL) {
		if (is_known_header(c, line) || is_blank(line))
			continue;
		if (first && !c->layout.own)
			find_named(c, line);
		first = false;
		look_at_row(c, line, head + size, &last_ns);
	}
}

static bool is_since_1970(const struct csv_layout *l)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->column[i].since_1970)
			return true;
	return false;
}

static int open_source(struct source_state *src)
{
	struct csv_source *c = calloc(1, sizeof *c);
	size_t size;
	src->state = c;
	if (c != NULL)
		c->scratch = malloc(CSV_SCRATCH);
	if (c == NULL || c->scratch == NULL)
		return error_no_memory(&src->error);
	c->src = src;
	c->emit.report = &src->report;
	c->emit.directive_capacity = CSV_DIRECTIVE;
	const char *head = input_head(src->input, 0, &size);
	if (emit_set_ops(&c->emit, src) != IOT_OK ||
	    read_header(c, first_line(head, size), head, size) != IOT_OK)
		return src->error.status;
	src->tick_ns = csv_columns_tick(&c->layout);
	memcpy(c->row.number, c->layout.constant, sizeof c->row.number);
	src->scoped = true;
	src->first_ns = is_since_1970(&c->layout) ? INT64_MAX : 0;
	c->expected =
	    c->layout.used & (CSV_BIT(CSV_LENGTH) | CSV_BIT(CSV_OFFSET) | CSV_BIT(CSV_ID));
	if ((c->layout.used & CSV_BIT(CSV_TYPE)) == 0)
		c->expected |= CSV_BIT(CSV_OP);
	look_at_rows(c, head, size);
	return csv_rows_open(c);
}

/* Events */

static void emit_trace(struct csv_source *c)
{
	static const struct {
		uint32_t columns;
		const char *name;
	} fields[] = {{CSV_BIT(CSV_START) | CSV_BIT(CSV_END), "start"},
		      {CSV_BIT(CSV_DURATION) | CSV_BIT(CSV_END), "completion"},
		      {CSV_BIT(CSV_CPU) | CSV_BIT(CSV_CPU_CLOCK), "cpu"},
		      {CSV_BIT(CSV_OFFSET) | CSV_BIT(CSV_ID), "offset"},
		      {CSV_BIT(CSV_TYPE), "asynchronous"},
		      {CSV_BIT(CSV_RESULT), "results"},
		      {CSV_BIT(CSV_PROCESS) | CSV_BIT(CSV_RANK) | CSV_BIT(CSV_HOST), "processes"}};
	char lacks[80] = "";
	struct iot_builder b;
	if (!emit_begin(&c->emit, &b, "trace"))
		return;
	emit_string(&b, "source", "csv");
	if (c->layout.preset != NULL)
		emit_string(&b, "log-format", c->layout.preset);
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if ((c->layout.used & fields[i].columns) == 0)
			strcat(strcat(lacks, lacks[0] != '\0' ? "," : ""), fields[i].name);
	if (lacks[0] != '\0')
		emit_string(&b, "lacks", lacks);
	if (is_since_1970(&c->layout))
		iot_directive_number(&b, "epoch", 0);
	emit_end(&c->emit, &b, 0);
}

static bool has(const struct csv_source *c, enum csv_field field)
{
	return (c->row.known & CSV_BIT(field)) != 0;
}

/* Sets start and duration. Returns false if they exceed 2^63-1 nanoseconds. */
static bool set_times(struct csv_source *c, struct iot_record *rec)
{
	const uint64_t *number = c->row.number;
	uint64_t start = number[CSV_START], end = number[CSV_END], duration = number[CSV_DURATION];
	bool start_known = has(c, CSV_START), duration_known = has(c, CSV_DURATION);
	if (has(c, CSV_END) && start_known && !duration_known) {
		if (end < start)
			report_add(&c->src->report, "clock.negative_duration", 1);
		duration_known = end >= start;
		duration = duration_known ? end - start : 0;
	} else if (has(c, CSV_END) && !start_known && duration_known) {
		if (end < duration)
			return false;
		start = end - duration;
		start_known = true;
	}
	/* A row without a start keeps its place in the order. */
	start = start_known ? start : (uint64_t)c->latest_ns;
	duration = duration_known ? duration : 0;
	rec->flags = (uint8_t)((start_known ? 0 : IOT_START_UNKNOWN) |
			       (duration_known ? 0 : IOT_DURATION_UNKNOWN));
	rec->start_ns = (int64_t)start;
	rec->duration_ns = duration;
	return start <= INT64_MAX && duration <= INT64_MAX - start;
}

/* Sets the type, and the offset and the length in its unit. */
static void set_data(struct csv_source *c, struct iot_record *rec)
{
	const uint64_t *number = c->row.number;
	const bool disk = has(c, CSV_KIND) ? (number[CSV_KIND] & IOT_LOGICAL) == 0
					   : (c->layout.used & CSV_BIT(CSV_DISK)) != 0;
	rec->offset = has(c, CSV_OFFSET)            ? number[CSV_OFFSET]
		      : has(c, CSV_ID)              ? number[CSV_ID]
		      : has(c, CSV_RELATIVE_OFFSET) ? number[CSV_RELATIVE_OFFSET]
						    : 0;
	rec->length = has(c, CSV_LENGTH) ? number[CSV_LENGTH] : 0;
	if (!has(c, CSV_OFFSET) && !has(c, CSV_ID))
		rec->flags |= IOT_OFFSET_UNKNOWN;
	if (has(c, CSV_TYPE)) {
		rec->type = (uint8_t)number[CSV_TYPE];
		return;
	}
	rec->type = (uint8_t)(has(c, CSV_OP) ? number[CSV_OP] & IOT_WRITE : 0);
	if (has(c, CSV_KIND))
		rec->type |= (uint8_t)(number[CSV_KIND] & ~(uint64_t)IOT_LOGICAL);
	if (disk && (rec->offset | rec->length) % IOT_BLOCK_SIZE == 0) {
		rec->offset /= IOT_BLOCK_SIZE;
		rec->length /= IOT_BLOCK_SIZE;
	} else {
		rec->type |= IOT_LOGICAL;
	}
}

/*
 * Sets process and file, of which names are numbered. Returns false if they are not 32-bit numbers.
 */
static bool set_ids(struct csv_source *c, struct iot_record *rec)
{
	const struct csv_row *row = &c->row;
	const bool disk = (rec->type & IOT_LOGICAL) == 0;
	const enum csv_field file = has(c, CSV_DISK) ? CSV_DISK : CSV_FILE;
	uint64_t id[2] = {0, 0};
	const enum csv_field process =
	    (c->layout.used & CSV_BIT(CSV_PROCESS)) == 0 ? CSV_HOST : CSV_PROCESS;
	if (has(c, process) && (process == CSV_HOST || c->named_process))
		id[0] = csv_names_number(c, CSV_OF_PROCESSES, row->text[process]);
	else if (has(c, CSV_PROCESS))
		id[0] = row->number[CSV_PROCESS];
	if (file == CSV_DISK && c->named_disk)
		id[1] = csv_names_number(c, CSV_OF_FILES, row->text[CSV_DISK]);
	else if (has(c, file))
		id[1] = row->number[file];
	else if (has(c, CSV_PATH) && !disk)
		id[1] = csv_names_number(c, CSV_OF_FILES, row->text[CSV_PATH]);
	rec->process = (uint32_t)id[0];
	rec->file = (uint32_t)id[1];
	rec->object = has(c, CSV_OBJECT) ? (uint32_t)row->number[CSV_OBJECT] : 0;
	rec->operation = has(c, CSV_OPERATION) ? (uint32_t)row->number[CSV_OPERATION] : 0;
	return c->src->error.status == IOT_OK && (id[0] | id[1]) <= UINT32_MAX &&
	       (!has(c, CSV_OBJECT) || row->number[CSV_OBJECT] <= UINT32_MAX) &&
	       (!has(c, CSV_OPERATION) || row->number[CSV_OPERATION] <= UINT32_MAX) &&
	       (!has(c, CSV_TYPE) || row->number[CSV_TYPE] < UINT8_MAX);
}

/* The column is the CPU time since the previous record of the process. */
static bool set_cpu(struct csv_source *c, struct iot_record *rec)
{
	rec->cpu_ns = has(c, CSV_CPU_CLOCK) ? (int64_t)c->row.number[CSV_CPU_CLOCK] : 0;
	if (has(c, CSV_CPU_CLOCK))
		return true;
	if (!has(c, CSV_CPU)) {
		rec->flags |= IOT_CPU_UNKNOWN;
		return true;
	}
	struct csv_process *p = csv_names_process(c, rec->process);
	if (p == NULL ||
	    __builtin_add_overflow(p->cpu_ns, (int64_t)c->row.number[CSV_CPU], &rec->cpu_ns) ||
	    rec->cpu_ns == INT64_MIN)
		return false;
	p->cpu_ns = rec->cpu_ns;
	return true;
}

static void count_missing(struct csv_source *c, const struct iot_record *rec)
{
	struct report *r = &c->src->report;
	const uint32_t lacks_offset = ~c->layout.used & CSV_BIT(CSV_OFFSET);
	if (!has(c, CSV_LENGTH))
		report_add(r, "unknown.length_records", 1);
	if (!has(c, CSV_OP) && !has(c, CSV_TYPE))
		report_add(r, "unknown.op_records", 1);
	if ((rec->flags & IOT_OFFSET_UNKNOWN) != 0 && lacks_offset == 0)
		report_add(r, "unknown.offset_records", 1);
	if (has(c, CSV_ID) && !has(c, CSV_OFFSET))
		report_add(r, "ambiguous.id", 1);
	if ((c->layout.used & CSV_BIT(CSV_DISK)) != 0 && (rec->type & IOT_LOGICAL) != 0)
		report_add(r, "unaligned.records", 1);
}

/* Returns false if the operation's name is not a word. */
static bool is_name(struct iot_text text)
{
	if (text.size == 0 || text.size > OP_NAME_MAX || !isalpha((unsigned char)text.data[0]))
		return false;
	for (size_t i = 0; i < text.size; i++)
		if (!isalnum((unsigned char)text.data[i]) && memchr("_-.", text.data[i], 3) == NULL)
			return false;
	return true;
}

/* Names that cat has written may have any character. */
static bool is_own_name(struct iot_text text)
{
	return text.size > 0 && text.size <= OP_NAME_MAX &&
	       memchr(text.data, '\0', text.size) == NULL;
}

/* What cat has written in the path of an operation need not be the path of its file. */
static bool describes_file(const struct csv_source *c)
{
	return !c->layout.own || (has(c, CSV_FILE) && has(c, CSV_OBJECT));
}

/* Builds an %op, up to its keys for the file. */
static void describe_op(struct csv_source *c, struct iot_builder *b, const char *name,
			const struct iot_record *rec)
{
	emit_string(b, "name", name);
	if ((rec->flags & IOT_START_UNKNOWN) == 0)
		iot_directive_number(b, "time", (uint64_t)rec->start_ns);
	if ((rec->flags & IOT_DURATION_UNKNOWN) == 0)
		iot_directive_number(b, "took", rec->duration_ns);
	if (has(c, CSV_PROCESS) || has(c, CSV_HOST))
		iot_directive_number(b, "process", rec->process);
}

static bool emit_op(struct csv_source *c, const struct iot_record *rec)
{
	const struct csv_row *row = &c->row;
	struct iot_builder b;
	char name[OP_NAME_MAX + 1] = "";
	if (!has(c, CSV_OP) ||
	    !(c->layout.own ? is_own_name(row->text[CSV_OP]) : is_name(row->text[CSV_OP])) ||
	    !(describes_file(c) ? csv_names_define(c, rec) : csv_names_define_process(c, rec)))
		return false;
	memcpy(name, row->text[CSV_OP].data, row->text[CSV_OP].size);
	if (strcmp(name, "close") == 0 && has(c, CSV_FILE))
		csv_names_close(c, rec->process, rec->file);
	c->src->report.calls++;
	c->ops++;
	if (!emit_wants_op(&c->emit, name) || !emit_begin(&c->emit, &b, "op"))
		return true;
	describe_op(c, &b, name, rec);
	if (has(c, CSV_FILE) || csv_names_one_object(c) ||
	    (!c->layout.own && (has(c, CSV_DISK) || has(c, CSV_PATH))))
		iot_directive_number(&b, "file", rec->file);
	if (has(c, CSV_PATH))
		emit_text(&b, "path", row->text[CSV_PATH]);
	if (has(c, CSV_OFFSET) || has(c, CSV_ID))
		iot_directive_number(&b, "offset", rec->offset);
	if (has(c, CSV_LENGTH))
		iot_directive_number(&b, "length", row->number[CSV_LENGTH]);
	if (has(c, CSV_TO))
		emit_text(&b, "to", row->text[CSV_TO]);
	if (has(c, CSV_RESULT))
		emit_text(&b, "result", row->text[CSV_RESULT]);
	if (has(c, CSV_SIZE))
		iot_directive_number(&b, "size", row->number[CSV_SIZE]);
	emit_end(&c->emit, &b, rec->start_ns);
	return true;
}

static bool is_op(const struct csv_source *c)
{
	const enum csv_field field = has(c, CSV_KIND) ? CSV_KIND : CSV_OP;
	return has(c, field) && c->row.number[field] == UINT64_MAX;
}

/* A row with an id may have the name of an operation of a cache. */
static void set_cache_operation(struct csv_source *c)
{
	uint64_t *op = &c->row.number[CSV_OP];
	if (has(c, CSV_ID) && has(c, CSV_OP) && *op == UINT64_MAX)
		(void)csv_find_cache_word(c->row.text[CSV_OP], op);
}

/* Converts a row to events. Returns false if it is not understood, or with src->error set. */
static bool convert_row(struct csv_source *c)
{
	struct iot_record rec = {0};
	if (!set_times(c, &rec))
		return false;
	set_cache_operation(c);
	set_data(c, &rec);
	if (!set_ids(c, &rec))
		return false;
	if (is_op(c))
		return emit_op(c, &rec);
	if (has(c, CSV_OP) && c->row.number[CSV_OP] == UINT64_MAX)
		return false;
	if (!set_cpu(c, &rec) || !csv_names_define(c, &rec))
		return false;
	if ((c->row.known & c->expected) != c->expected ||
	    (c->layout.used & CSV_BIT(CSV_DISK)) != 0 || has(c, CSV_ID))
		count_missing(c, &rec);
	struct iot_event *ev = emit_event(&c->emit);
	if (ev == NULL)
		return error_no_memory(&c->src->error) == IOT_OK;
	emit_record(ev, rec);
	c->latest_ns = rec.start_ns > c->latest_ns ? rec.start_ns : c->latest_ns;
	c->src->report.records++;
	c->src->report.calls++;
	return true;
}

static void emit_lost(struct csv_source *c, uint64_t bytes)
{
	static const char why[] = "the last line has no end, so it may be truncated";
	char name[256];
	const char *path = input_name(c->src->input, c->rows.member);
	struct iot_builder b;
	error_set(&c->cut, IOT_ETRUNCATED, "%s: %s: it is not read",
		  escape_text(name, sizeof name, path, strlen(path)), why);
	c->src->lost_reported = true;
	if (!emit_begin(&c->emit, &b, "lost"))
		return;
	iot_directive_number(&b, "time", (uint64_t)c->latest_ns);
	iot_directive_number(&b, "bytes", bytes);
	emit_string(&b, "why", why);
	emit_end(&c->emit, &b, c->latest_ns);
}

/*
 * Many programs omit the last end of line. A table of iotrace has one, and without all columns the
 * line is certainly truncated.
 */
static void use_last_line(struct csv_source *c)
{
	struct csv_rows *r = &c->rows;
	const struct iot_text line = {r->end - r->cut, r->cut};
	const bool whole = !c->layout.own && r->cut <= CSV_ROW_MAX && r->end == r->at;
	if (whole && csv_fields_parse(c, line, r->end) && convert_row(c)) {
		c->src->report.lines++;
		report_add(&c->src->report, "unclosed", 1);
	} else if (c->src->error.status == IOT_OK) {
		emit_lost(c, r->cut);
	}
	r->cut = 0;
}

static void count_unparsed(struct csv_source *c, struct iot_text line)
{
	report_unparsed(&c->src->report, input_name(c->src->input, c->rows.member),
			c->src->report.lines, line.data, line.size);
}

static void use_line(struct csv_source *c, struct iot_text line)
{
	if (is_blank(line)) {
		report_add(&c->src->report, "blank.lines", 1);
	} else if (is_known_header(c, line)) {
		report_add(&c->src->report, "header.lines", 1);
	} else if (!csv_fields_parse(c, line, c->rows.end) || !convert_row(c)) {
		if (c->src->error.status == IOT_OK)
			count_unparsed(c, line);
	}
}

static void finish(struct csv_source *c)
{
	struct report *r = &c->src->report;
	const uint64_t ids = report_get(r, "ambiguous.id"),
		       ops = report_get(r, "unknown.op_records");
	c->ended = true;
	if (ids > 0)
		report_note(r, "%ju %s the data only if the source numbered it so", (uintmax_t)ids,
			    plural(ids, "id of data is an offset in the trace; it orders",
				   "ids of data are offsets in the trace; they order"));
	if (ops > 0)
		report_note(r, "the operation of %ju %s", (uintmax_t)ops,
			    plural(ops, "record is not known; it is a read",
				   "records is not known; they are reads"));
	if (report_get(r, "unclosed") > 0)
		report_note(r, "the last line has no end; it is read, but it may be truncated");
	report_noted(r, "ambiguous.id");
	emit_counts(&c->emit, "csv", c->latest_ns);
	source_check_understood(c->src);
}

static void fill(struct csv_source *c)
{
	struct iot_text line = {NULL, 0};
	while (c->emit.count < c->emit.max && !c->ended) {
		const enum csv_found found = csv_rows_next(c, &line);
		if (found == CSV_ROW)
			use_line(c, line);
		else if (found == CSV_LONG)
			count_unparsed(c, (struct iot_text){"a line that is too long", 23});
		else if (c->rows.cut > 0 && found == CSV_AT_END)
			use_last_line(c);
		else
			finish(c);
		if (c->src->error.status != IOT_OK && !c->ended)
			finish(c);
	}
}

static int next(struct source_state *src, struct iot_event *out, int max)
{
	struct csv_source *c = src->state;
	const int left = emit_leftovers(&c->emit, out, max);
	if (left > 0)
		return left;
	emit_start(&c->emit, out, max);
	if (!c->began)
		emit_trace(c);
	c->began = true;
	fill(c);
	/* Rows are expected in order of start; convert sorts them all if they are not. */
	if (c->emit.over_count == 0 && !src->unordered)
		src->watermark_ns = c->latest_ns;
	if (c->emit.count > 0)
		return (int)c->emit.count;
	if (src->error.status == IOT_OK && c->cut.status != IOT_OK)
		src->error = c->cut;
	return src->error.status;
}

static void close_source(struct source_state *src)
{
	struct csv_source *c = src->state;
	if (c == NULL)
		return;
	bufreader_free(c->rows.in);
	csv_names_free(&c->names);
	emit_free(&c->emit);
	free(c->header);
	free(c->scratch);
	free(c);
	src->state = NULL;
}

const struct converter converter_csv = {
    .name = "csv",
    .summary = "tables of I/Os as text: CSV, TSV, MSR Cambridge, SPC, and iotrace cat",
    .options = options,
    .sniff = sniff,
    .open = open_source,
    .next = next,
    .close = close_source,
};
