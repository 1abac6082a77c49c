/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What columns mean. A list is the value of --columns, "time:us,op,offset:sectors,length"; a preset
 * is such a list under a name; the names of a header line form a list as well. A name with a value,
 * "disk=1", stands for a column that has this value in all rows.
 */
#include "csv.h"

#include <ctype.h>
#include <stdio.h>

#include "lib/base/number.h"
#include "lib/base/text.h"

enum { WORD_MAX = 48, PRESET_ROWS = 5, PRESET_ROWS_MIN = 3 };

#define NS_PER_S    UINT64_C(1000000000)
#define KIB         UINT64_C(1024)
#define FILETIME_NS UINT64_C(100)

struct unit {
	const char *name;
	uint64_t size;
};

static const struct unit times[] = {
    {"ns", 1},
    {"us", 1000},
    {"ms", 1000000},
    {"s", NS_PER_S},
    {"nsec", 1},
    {"usec", 1000},
    {"msec", 1000000},
    {"sec", NS_PER_S},
    {"100ns", 100},
    {"seconds", NS_PER_S},
    {"tick", IOT_TICK_DEFAULT_NS},
    {NULL, 0},
};

static const struct unit sizes[] = {
    {"bytes", 1},
    {"b", 1},
    {"sectors", IOT_BLOCK_SIZE},
    {"blocks", IOT_BLOCK_SIZE},
    {"kib", KIB},
    {"mib", KIB *KIB},
    {"kb", 1000},
    {"mb", 1000 * 1000},
    {NULL, 0},
};

/* The names of columns, in lower case and without other characters than letters and digits. */
static const struct known {
	const char *name;
	enum csv_field field;
	uint64_t unit; /* 0: of the table, or none */
} names[] = {
    {"time", CSV_START, 0},
    {"unix", CSV_START, 0},
    {"start", CSV_START, 0},
    {"starttime", CSV_START, 0},
    {"timestamp", CSV_START, 0},
    {"ts", CSV_START, 0},
    {"optime", CSV_START, 0},
    {"end", CSV_END, 0},
    {"endtime", CSV_END, 0},
    {"duration", CSV_DURATION, 0},
    {"elapsed", CSV_DURATION, 0},
    {"latency", CSV_DURATION, 0},
    {"lat", CSV_DURATION, 0},
    {"response", CSV_DURATION, 0},
    {"responsetime", CSV_DURATION, 0},
    {"took", CSV_DURATION, 0},
    {"cpu", CSV_CPU, 0},
    {"op", CSV_OP, 0},
    {"opcode", CSV_OP, 0},
    {"operation", CSV_OP, 0},
    {"iotype", CSV_OP, 0},
    {"type", CSV_OP, 0},
    {"rw", CSV_OP, 0},
    {"offset", CSV_OFFSET, 0},
    {"lba", CSV_OFFSET, IOT_BLOCK_SIZE},
    {"lbn", CSV_OFFSET, IOT_BLOCK_SIZE},
    {"sector", CSV_OFFSET, IOT_BLOCK_SIZE},
    {"relativeoffset", CSV_RELATIVE_OFFSET, 0},
    {"id", CSV_ID, 0},
    {"key", CSV_ID, 0},
    {"objid", CSV_ID, 0},
    {"objectid", CSV_ID, 0},
    {"length", CSV_LENGTH, 0},
    {"len", CSV_LENGTH, 0},
    {"size", CSV_LENGTH, 0},
    {"objsize", CSV_LENGTH, 0},
    {"objectsize", CSV_LENGTH, 0},
    {"bytes", CSV_LENGTH, 0},
    {"sectors", CSV_LENGTH, IOT_BLOCK_SIZE},
    {"process", CSV_PROCESS, 0},
    {"pid", CSV_PROCESS, 0},
    {"rank", CSV_RANK, 0},
    {"file", CSV_FILE, 0},
    {"fileid", CSV_FILE, 0},
    {"object", CSV_OBJECT, 0},
    {"disk", CSV_DISK, 0},
    {"disknumber", CSV_DISK, 0},
    {"device", CSV_DISK, 0},
    {"deviceid", CSV_DISK, 0},
    {"volume", CSV_DISK, 0},
    {"volumeid", CSV_DISK, 0},
    {"lun", CSV_DISK, 0},
    {"asu", CSV_DISK, 0},
    {"path", CSV_PATH, 0},
    {"filename", CSV_PATH, 0},
    {"host", CSV_HOST, 0},
    {"hostname", CSV_HOST, 0},
    {"command", CSV_COMMAND, 0},
    {"comm", CSV_COMMAND, 0},
};

static const struct preset {
	const char *name, *list, *header;
} presets[] = {
    {"msr", "time:filetime,host,disk,op,offset,length,duration:100ns",
     "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime"},
    {"spc", "disk,offset:sectors,length,op,time:s", NULL},
    {"cloudphysics", "-,time:s,op,length,offset:sectors,disk=1", "version,time,op,size,lbn"},
    {"alibaba", "disk,op,offset,length,unix:us", "device_id,opcode,offset,length,timestamp"},
    {"tencent", "unix:s,offset:sectors,length:sectors,op,disk",
     "Timestamp,Offset,Size,IOType,VolumeID"},
    {"systor", "unix:s,duration:s,op,disk,offset,length",
     "Timestamp,Response,IOType,LUN,Offset,Size"},
    {"txt", "id", NULL},
};

/* The columns of cat --format=csv --columns=raw, with the columns of --unknown and --names. */
static const struct known raw[] = {
    {"type", CSV_TYPE, 1},
    {"start", CSV_START, IOT_TICK_DEFAULT_NS},
    {"duration", CSV_DURATION, IOT_TICK_DEFAULT_NS},
    {"cpu", CSV_CPU, IOT_TICK_DEFAULT_NS},
    {"offset", CSV_OFFSET, 1},
    {"length", CSV_LENGTH, 1},
    {"operation", CSV_OPERATION, 1},
    {"file", CSV_FILE, 1},
    {"process", CSV_PROCESS, 1},
    {"unknown", CSV_SKIP, 1},
    {"relative_offset", CSV_RELATIVE_OFFSET, 1},
    {"object", CSV_OBJECT, 1},
    {"path", CSV_PATH, 1},
};

enum { RAW = sizeof raw / sizeof *raw, RAW_MIN = 9 };

/* The columns of cat --format=csv and tsv. */
static const struct known own[] = {
    {"start_ns", CSV_START, 1},
    {"duration_ns", CSV_DURATION, 1},
    {"kind", CSV_KIND, 1},
    {"cpu_ns", CSV_CPU_CLOCK, 1},
    {"op", CSV_OP, 1},
    {"offset", CSV_OFFSET, 1},
    {"length", CSV_LENGTH, 1},
    {"process", CSV_PROCESS, 1},
    {"rank", CSV_RANK, 1},
    {"file", CSV_FILE, 1},
    {"path", CSV_PATH, 1},
    {"relative_offset", CSV_RELATIVE_OFFSET, 1},
    {"operation", CSV_OPERATION, 1},
    {"object", CSV_OBJECT, 1},
    {"program", CSV_COMMAND, 1},
    {"host", CSV_HOST, 1},
    {"to", CSV_TO, 1},
    {"result", CSV_RESULT, 1},
    {"size", CSV_SIZE, 1},
};

/* The first ones of these do not occur in tables of other programs. */
enum { OWN = sizeof own / sizeof *own, OWN_CERTAIN = 4 };

/* Splits off the text up to a separator; *rest is what follows. Returns false at the end. */
static bool split(struct iot_text *rest, char separator, struct iot_text *part)
{
	if (rest->data == NULL)
		return false;
	const char *end = memchr(rest->data, separator, rest->size);
	const size_t n = end != NULL ? (size_t)(end - rest->data) : rest->size;
	*part = (struct iot_text){rest->data, n};
	*rest = end != NULL ? (struct iot_text){end + 1, rest->size - n - 1}
			    : (struct iot_text){NULL, 0};
	return true;
}

/* Copies the letters and digits of a name in lower case; an empty word if it is too long. */
static void simplify(struct iot_text name, char word[WORD_MAX])
{
	size_t n = 0;
	for (size_t i = 0; i < name.size; i++) {
		const unsigned char c = (unsigned char)name.data[i];
		if (!isalnum(c))
			continue;
		if (n == WORD_MAX - 1) {
			n = 0;
			break;
		}
		word[n++] = (char)tolower(c);
	}
	word[n] = '\0';
}

static const struct known *find_name(const char *word, size_t size)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i].name) == size && memcmp(names[i].name, word, size) == 0)
			return &names[i];
	return NULL;
}

static const struct unit *unit_table(enum csv_field field)
{
	switch (field) {
	case CSV_START:
	case CSV_END:
	case CSV_DURATION:
	case CSV_CPU:
	case CSV_CPU_CLOCK:
		return times;
	case CSV_OFFSET:
	case CSV_RELATIVE_OFFSET:
	case CSV_ID:
	case CSV_LENGTH:
		return sizes;
	default:
		return NULL;
	}
}

/* Returns 0 if the name is none of the table; a number is a multiple of the smallest unit. */
static uint64_t find_unit(const struct unit *table, struct iot_text name)
{
	char word[WORD_MAX];
	uint64_t number;
	if (table == NULL)
		return 0;
	simplify(name, word);
	for (const struct unit *u = table; u->name != NULL; u++)
		if (strcmp(u->name, word) == 0)
			return u->size;
	if (table == sizes && number_decimal(name.data, name.size, &number) && number <= UINT32_MAX)
		return number;
	const size_t digits = name.size > 2 ? name.size - 2 : 0;
	if (table == times && digits > 0 && memcmp(name.data + digits, "ns", 2) == 0 &&
	    number_decimal(name.data, digits, &number) && number <= NS_PER_S)
		return number;
	return 0;
}

static uint8_t form_of(enum csv_field field)
{
	switch (field) {
	case CSV_SKIP:
		return CSV_IGNORED;
	case CSV_START:
	case CSV_END:
	case CSV_DURATION:
		return CSV_TIME;
	case CSV_CPU:
	case CSV_CPU_CLOCK:
		return CSV_SIGNED;
	case CSV_OP:
		return CSV_WORD;
	case CSV_KIND:
		return CSV_TYPES;
	case CSV_PATH:
	case CSV_HOST:
	case CSV_COMMAND:
	case CSV_RANK:
	case CSV_TO:
	case CSV_RESULT:
		return CSV_TEXT;
	default:
		return CSV_COUNT;
	}
}

/* Returns false if there are too many columns, or two of one field. */
static bool add(struct csv_layout *l, struct csv_column column)
{
	const uint32_t bit = column.field != CSV_SKIP ? CSV_BIT(column.field) : 0;
	if (l->declared == CSV_COLUMNS_MAX || (l->used & bit) != 0)
		return false;
	column.form = form_of(column.field);
	l->column[l->declared++] = column;
	l->used |= bit;
	if (bit != 0)
		l->count = l->declared;
	return true;
}

/* Lists */

static int refuse(struct error *error, struct iot_text part, const char *why)
{
	char shown[64];
	return error_set(error, IOT_EUSAGE, "'%s': %s",
			 escape_text(shown, sizeof shown, part.data, part.size), why);
}

static int add_constant(struct csv_layout *l, struct iot_text part, enum csv_field field,
			struct iot_text value, struct error *error)
{
	const uint8_t form = form_of(field);
	const uint32_t bit = CSV_BIT(field);
	if (field == CSV_OP && (text_equals(value, "read") || text_equals(value, "write")))
		l->constant[field] = text_equals(value, "write") ? IOT_WRITE : 0;
	else if (form != CSV_COUNT || !number_decimal(value.data, value.size, &l->constant[field]))
		return refuse(error, part, "a number is expected after '='");
	if ((l->used & bit) != 0)
		return refuse(error, part, "a second column of this kind");
	l->used |= bit;
	l->constants |= bit;
	return IOT_OK;
}

static int add_unit(struct csv_column *column, struct iot_text part, struct iot_text unit,
		    struct error *error)
{
	const struct unit *table = unit_table(column->field);
	column->filetime = text_equals(unit, "filetime") && column->field <= CSV_END;
	column->since_1970 = column->since_1970 || column->filetime;
	column->unit = column->filetime ? 1 : find_unit(table, unit);
	if (column->unit > 0)
		return IOT_OK;
	if (table == NULL)
		return refuse(error, part, "this column has no unit");
	return refuse(error, part,
		      table == times ? "not a unit of time: s, ms, us, ns, tick, 100ns or filetime"
				     : "not a unit of size: bytes, sectors, KiB or a number");
}

static int add_part(struct csv_layout *l, struct iot_text part, struct error *error)
{
	char word[WORD_MAX];
	struct iot_text rest = part, name = {0}, value = {0};
	const char separator = memchr(part.data, '=', part.size) != NULL ? '=' : ':';
	split(&rest, separator, &name);
	if (part.size == 0 || text_equals(part, "-"))
		return add(l, (struct csv_column){.field = CSV_SKIP})
			   ? IOT_OK
			   : refuse(error, part, "too many columns");
	simplify(name, word);
	const struct known *k = find_name(word, strlen(word));
	if (k == NULL)
		return refuse(error, part, "not the name of a column; '-' skips one");
	if (separator == '=')
		return add_constant(l, part, k->field, rest, error);
	struct csv_column column = {.field = (uint8_t)k->field,
				    .unit = k->unit > 0 ? k->unit : 1,
				    .since_1970 = strcmp(k->name, "unix") == 0};
	if (split(&rest, ':', &value)) {
		if (add_unit(&column, part, value, error) != IOT_OK)
			return IOT_EUSAGE;
	} else if (unit_table(column.field) == times) {
		return refuse(error, part, "a unit is expected, such as time:s or duration:us");
	}
	return add(l, column) ? IOT_OK : refuse(error, part, "a second column of this kind");
}

static void raw_columns(struct csv_layout *l, size_t count, uint64_t unit_ns)
{
	for (size_t i = 0; i < count; i++)
		(void)add(l, (struct csv_column){.field = (uint8_t)raw[i].field,
						 .unit = raw[i].unit != 1 ? unit_ns : 1});
	l->own = true;
	l->preset = "raw";
}

int csv_columns_list(struct csv_layout *l, const char *list, struct error *error)
{
	struct iot_text rest = {list, strlen(list)}, part;
	*l = (struct csv_layout){.preset = NULL};
	if (text_equals(rest, "raw") || text_equals(rest, "raw:ns")) {
		raw_columns(l, RAW_MIN, text_equals(rest, "raw") ? IOT_TICK_DEFAULT_NS : 1);
		return IOT_OK;
	}
	for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
		if (text_equals(rest, presets[i].name)) {
			rest = (struct iot_text){presets[i].list, strlen(presets[i].list)};
			l->preset = presets[i].name;
		}
	while (split(&rest, ',', &part))
		if (add_part(l, part, error) != IOT_OK)
			return IOT_EUSAGE;
	if (l->count == 0)
		return error_set(error, IOT_EUSAGE, "no column is used");
	return IOT_OK;
}

/* Headers */

char csv_delimiter(struct iot_text line)
{
	static const char candidates[] = "\t,;| ";
	for (const char *d = candidates; *d != '\0'; d++)
		if (line.size > 0 && memchr(line.data, *d, line.size) != NULL)
			return *d;
	return ',';
}

static bool is_header(struct iot_text line, const char *header)
{
	return line.size == strlen(header) && strncasecmp(line.data, header, line.size) == 0;
}

/* The columns of `cat --columns=raw`, which are the first nine and may be followed by others. */
static size_t raw_header(struct csv_layout *l, struct iot_text line)
{
	struct iot_text rest = line, part;
	size_t n = 0, known = 0;
	bool in_order = true;
	size_t which[RAW];
	while (in_order && n < RAW && split(&rest, ',', &part)) {
		while (known < RAW && !text_equals(part, raw[known].name) && known >= RAW_MIN)
			known++;
		in_order = known < RAW && text_equals(part, raw[known].name);
		which[n++] = known++;
	}
	if (!in_order || rest.data != NULL || n < RAW_MIN)
		return 0;
	for (size_t i = 0; i < n; i++)
		(void)add(l, (struct csv_column){.field = (uint8_t)raw[which[i]].field,
						 .unit = raw[which[i]].unit});
	l->own = true;
	l->preset = "raw";
	return n;
}

/* Without a column of lengths, `size` is the size of the requests of another program. */
static size_t own_header(struct csv_layout *l, struct iot_text line)
{
	struct iot_text rest = line, part;
	bool certain = false, has_length = false, has_size = false;
	while (split(&rest, l->delimiter, &part)) {
		size_t i = 0;
		while (i < OWN && !text_equals(part, own[i].name))
			i++;
		if (i == OWN)
			return 0;
		certain = certain || i < OWN_CERTAIN;
		has_length = has_length || own[i].field == CSV_LENGTH;
		has_size = has_size || own[i].field == CSV_SIZE;
	}
	certain = certain && (has_length || !has_size);
	for (rest = line; certain && split(&rest, l->delimiter, &part);) {
		size_t i = 0;
		while (!text_equals(part, own[i].name))
			i++;
		if (!add(l, (struct csv_column){.field = (uint8_t)own[i].field,
						.unit = 1,
						.percent = true}) &&
		    !add(l, (struct csv_column){.field = CSV_SKIP}))
			return 0;
	}
	l->own = certain;
	l->preset = certain ? "iotrace" : NULL;
	return certain ? l->count : 0;
}

/* Splits a name such as "Latency (us)" or "start_ns" into its column and its unit. */
static const struct known *known_column(struct iot_text name, uint64_t *unit)
{
	char word[WORD_MAX];
	simplify(name, word);
	const size_t size = strlen(word);
	const struct known *k = find_name(word, size);
	*unit = k != NULL ? k->unit : 0;
	for (size_t n = size; k == NULL && n-- > 1;) {
		k = find_name(word, n);
		if (k != NULL)
			*unit =
			    find_unit(unit_table(k->field), (struct iot_text){word + n, size - n});
		if (*unit == 0)
			k = NULL;
	}
	return k;
}

static struct iot_text without_quotes(struct iot_text name)
{
	if (name.size >= 2 && name.data[0] == '"' && name.data[name.size - 1] == '"')
		return (struct iot_text){name.data + 1, name.size - 2};
	return name;
}

/* Lists the name, or "..." if the list is full. */
static void list_left_out(struct csv_layout *l, struct iot_text name)
{
	char shown[64];
	const size_t used = strlen(l->left_out), after = sizeof ", ...";
	const char *text = escape_text(shown, sizeof shown, name.data, name.size);
	const bool fits = used + strlen(text) + after < sizeof l->left_out - after;
	const bool is_full = used >= 3 && strcmp(l->left_out + used - 3, "...") == 0;
	l->columns_left_out++;
	if (!is_full)
		(void)snprintf(l->left_out + used, sizeof l->left_out - used, "%s%s",
			       used > 0 ? ", " : "", fits ? text : "...");
}

size_t csv_columns_header(struct csv_layout *l, struct iot_text line, const char **unit)
{
	struct iot_text rest = line, part;
	size_t found = 0;
	struct error error = {0};
	*l = (struct csv_layout){.delimiter = csv_delimiter(line)};
	*unit = NULL;
	if (raw_header(l, line) > 0 || own_header(l, line) > 0)
		return RAW;
	*l = (struct csv_layout){.delimiter = l->delimiter};
	for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
		if (presets[i].header != NULL && is_header(line, presets[i].header)) {
			(void)csv_columns_list(l, presets[i].name, &error);
			l->delimiter = ',';
			return RAW;
		}
	while (split(&rest, l->delimiter, &part)) {
		uint64_t size;
		const struct known *k = known_column(without_quotes(part), &size);
		struct csv_column column = {.field = (uint8_t)(k != NULL ? k->field : CSV_SKIP),
					    .unit = size > 0 ? size : 1};
		if (k != NULL && size == 0 && unit_table(k->field) == times)
			*unit = k->name;
		const bool fits = add(l, column);
		found += fits && k != NULL;
		if (!fits || k == NULL)
			list_left_out(l, without_quotes(part));
		if (!fits && !add(l, (struct csv_column){.field = CSV_SKIP}))
			break;
	}
	return found;
}

/* Rows without a header */

static bool is_number(struct iot_text text)
{
	uint64_t v;
	return number_decimal(text.data, text.size, &v);
}

static bool is_decimal(struct iot_text text)
{
	struct iot_text whole, rest = text;
	return split(&rest, '.', &whole) && is_number(whole) &&
	       (rest.data == NULL || is_number(rest));
}

static bool is_msr(const struct iot_text *f, size_t n)
{
	return n == 7 && is_number(f[0]) && f[0].size == 18 && f[0].data[0] == '1' &&
	       (f[0].data[1] == '2' || f[0].data[1] == '3') && is_number(f[2]) &&
	       (text_equals(f[3], "Read") || text_equals(f[3], "Write")) && is_number(f[4]) &&
	       is_number(f[5]) && is_number(f[6]);
}

static bool is_spc(const struct iot_text *f, size_t n)
{
	return n >= 5 && is_number(f[0]) && is_number(f[1]) && is_number(f[2]) && f[3].size == 1 &&
	       memchr("rRwW", f[3].data[0], 4) != NULL && is_decimal(f[4]);
}

enum { DETECTED_FIELDS = 8, MSR_BITS = 60, SPC_BITS = 40, TXT_BITS = 4 };

static size_t fields_of(struct iot_text line, struct iot_text field[DETECTED_FIELDS])
{
	size_t n = 0;
	if (line.size > 0 && line.data[line.size - 1] == '\r')
		line.size--;
	while (n < DETECTED_FIELDS && split(&line, ',', &field[n])) {
		while (field[n].size > 0 && field[n].data[0] == ' ')
			field[n].data++, field[n].size--;
		n++;
	}
	return n;
}

int csv_columns_detect(struct csv_layout *l, const char *head, size_t size)
{
	struct iot_text rest = {head, size}, line, field[DETECTED_FIELDS];
	struct error error = {0};
	size_t msr = 0, spc = 0, txt = 0, rows = 0;
	for (; rows < PRESET_ROWS && split(&rest, '\n', &line) && rest.data != NULL; rows++) {
		const size_t n = fields_of(line, field);
		msr += is_msr(field, n);
		spc += is_spc(field, n);
		txt += n == 1 && is_number(field[0]);
	}
	const size_t min = rows < PRESET_ROWS_MIN ? rows : PRESET_ROWS_MIN;
	const bool ids = rows >= PRESET_ROWS_MIN && txt == rows;
	if (rows == 0 || (msr < min && spc < min && !ids))
		return 0;
	(void)csv_columns_list(l, msr >= min ? "msr" : spc >= min ? "spc" : "txt", &error);
	l->delimiter = ',';
	return msr >= min ? MSR_BITS : spc >= min ? SPC_BITS : TXT_BITS;
}

uint64_t csv_columns_tick(const struct csv_layout *l)
{
	uint64_t tick_ns = 0;
	for (size_t i = 0; i < l->count; i++) {
		uint64_t a = tick_ns, b = l->column[i].filetime ? FILETIME_NS : l->column[i].unit;
		if (unit_table(l->column[i].field) != times)
			continue;
		while (b != 0) {
			const uint64_t rest = a % b;
			a = b;
			b = rest;
		}
		tick_ns = a;
	}
	return tick_ns > 0 ? tick_ns : IOT_TICK_DEFAULT_NS;
}
