/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A line to a record. Two readers of the same grammar (iotrace(5), RECORDS) share one judge:
 *
 *	fast_fields   lines as writers make them: one pass, single spaces, no bounds (every line
 *ends in LF) slow_fields   everything that is legal, and the sentences about what is not resolve
 *what the fields mean, given what was before
 *
 * The fast one gives up at the first thing that is out of the ordinary; then the slow one reads the
 *line anew.
 */
#include "number.h"
#include "predict_state.h"

enum compression {
	OFFSET_IN_BLOCKS = 0x01,
	LENGTH_IN_BLOCKS = 0x02,
	NO_LENGTH = 0x04,
	NO_PROCESSID = 0x08,
	UNDEFINED = 0x10,
	NO_OPERATIONID = 0x20,
	NO_BLOCK = 0x40,
	NO_FILEID = 0x80,
};

/* A line's fields in their order; column[] is for messages. */
enum field {
	TYPE,
	COMPRESSION,
	OFFSET,
	LENGTH,
	START,
	COMPLETION,
	OPERATION,
	FILEID,
	PROCESSID,
	CPU,
	FIELDS
};

static const char *const field_name[FIELDS] = {
    "recordType",     "compression", "offset", "length",    "startTime",
    "completionTime", "operationId", "fileId", "processId", "processTime",
};

static const uint8_t field_dropped_by[FIELDS] = {
    [OFFSET] = NO_BLOCK,  [LENGTH] = NO_LENGTH,       [OPERATION] = NO_OPERATIONID,
    [FILEID] = NO_FILEID, [PROCESSID] = NO_PROCESSID,
};

struct fields {
	uint64_t offset, length, completion;
	int64_t start, cpu; /* differences, as on the line */
	uint32_t operation, file, process;
	uint8_t type, compression;
};

enum outcome { DECODED, WRONG, FULL };

/* What is wrong, for explain: a field and one of these. */
enum fault {
	NO_HISTORY_PROCESS,
	NO_HISTORY_FILE,
	NO_HISTORY_OFFSET,
	NO_HISTORY_LENGTH,
	OFFSET_WRAPS,
	SCALED_OFFSET,
	SCALED_LENGTH,
	START_RANGE,
	COMPLETION_RANGE,
	CPU_RANGE,
};

struct judgement {
	enum fault fault;
	uint32_t process, file;
};

static inline __attribute__((always_inline)) bool scale(uint64_t *value, bool in_blocks)
{
	if (!in_blocks)
		return true;
	if (*value >> 55 != 0)
		return false;
	*value *= IOT_BLOCK_SIZE;
	return true;
}

#define FAIL(what)                                                                                 \
	do {                                                                                       \
		j->fault = (what);                                                                 \
		return WRONG;                                                                      \
	} while (0)

/* The previous record's values for what was dropped; then this record becomes the previous one. */
static inline __attribute__((always_inline)) enum outcome
resolve(struct iot_codec *c, const struct fields *f, struct iot_record *rec, struct judgement *j)
{
	const unsigned comp = f->compression;
	const unsigned physical = f->type & IOT_LOGICAL ? 0 : IOT_PHYSICAL_SLOT;
	struct iot_predict_process *p;
	uint32_t process = f->process, file = f->file;
	unsigned news = 0;

	if (comp & NO_PROCESSID) {
		if (c->last == 0)
			FAIL(NO_HISTORY_PROCESS);
		p = iot_predict_at(c, c->last);
		process = p->id;
	} else {
		p = iot_predict_process(c, process);
	}
	j->process = process;
	if (comp & NO_FILEID) {
		if (p == NULL || p->count == 0)
			FAIL(NO_HISTORY_FILE);
		file = iot_predict_keys(c, p)[0];
	}
	j->file = file;
	int position = p == NULL ? -1 : iot_predict_find(c, p, file, physical);
	const struct iot_predict_file *had =
	    position < 0 ? NULL
			 : &iot_predict_files(
			       c, p)[iot_predict_slots(c, p)[position] & (IOT_PHYSICAL_SLOT - 1)];

	uint64_t offset = f->offset, length = f->length;
	uint32_t operation = f->operation;
	if (comp & NO_BLOCK) {
		if (had == NULL)
			FAIL(NO_HISTORY_OFFSET);
		if (had->wraps)
			FAIL(OFFSET_WRAPS);
		offset = had->next;
	} else if (!scale(&offset, comp & OFFSET_IN_BLOCKS)) {
		FAIL(SCALED_OFFSET);
	}
	if (comp & NO_LENGTH) {
		if (had == NULL)
			FAIL(NO_HISTORY_LENGTH);
		length = had->length;
	} else if (!scale(&length, comp & LENGTH_IN_BLOCKS)) {
		FAIL(SCALED_LENGTH);
	}
	if (comp & NO_OPERATIONID)
		operation = had == NULL ? 0 : had->operation;

	int64_t start, cpu, cpu_before = p == NULL ? 0 : p->cpu;
	if (__builtin_add_overflow(c->start, f->start, &start) || start < 0 || start > c->tick_max)
		FAIL(START_RANGE);
	if (f->completion > (uint64_t)(c->tick_max - start))
		FAIL(COMPLETION_RANGE);
	if (__builtin_add_overflow(cpu_before, f->cpu, &cpu) || cpu > c->tick_max ||
	    cpu < -c->tick_max)
		FAIL(CPU_RANGE);

	if (position < 0) {
		news = IOT_NEWS_FILE;
		if (p == NULL && (p = iot_predict_add_process(c, process)) == NULL)
			return FULL;
		if (p->count == 0)
			news |= IOT_NEWS_PROCESS;
		if (!iot_predict_make_room(c, p))
			return FULL;
	}
	struct iot_predict_file *now =
	    iot_predict_commit(c, p, position, file, physical, start, cpu);
	if (position < 0)
		now->object = 0, now->flags = 0;
	iot_predict_extent(now, offset, length, operation);
	c->news = (uint8_t)news;

	rec->start_ns = start * (int64_t)c->tick_ns;
	rec->duration_ns = f->completion * c->tick_ns;
	rec->cpu_ns = cpu * (int64_t)c->tick_ns;
	rec->offset = offset;
	rec->length = length;
	rec->operation = operation;
	rec->file = file;
	rec->process = process;
	rec->object = now->object;
	rec->type = f->type;
	rec->flags = (uint8_t)(now->flags | c->lacks);
	rec->zero = 0;
	rec->spare = 0;
	return DECODED;
}

/* Lines as writers make them */

#define X   255
#define X4  X, X, X, X
#define X16 X4, X4, X4, X4
#define X64 X16, X16, X16, X16
static const uint8_t digit_value[256] = {
    X16, X16, X16,                                      /* 0x00 */
    0,   1,   2,   3,  4,  5,  6,  7, 8,  9,  X, X, X4, /* 0x30 */
    X,   10,  11,  12, 13, 14, 15, X, X4, X4,           /* 0x40 */
    X16,                                                /* 0x50 */
    X,   10,  11,  12, 13, 14, 15, X, X4, X4,           /* 0x60 */
    X16, X64, X64,                                      /* 0x70 */
};
#undef X
#undef X4
#undef X16
#undef X64

/* So many digits of either base fit 64 bits without a check. */
enum { SAFE_DIGITS = 16 };

/* A number and the character behind it; false: not as writers make it. */
static inline __attribute__((always_inline)) bool number(const unsigned char **at, unsigned base,
							 unsigned char behind, uint64_t *value)
{
	const unsigned char *p = *at;
	uint64_t v = digit_value[*p];
	if (v >= base)
		return false;
	unsigned d;
	while ((d = digit_value[*++p]) < base)
		v = v * base + d;
	if (*p != behind || p - *at > SAFE_DIGITS)
		return false;
	*at = p + 1;
	*value = v;
	return true;
}

static inline __attribute__((always_inline)) bool
signed_number(const unsigned char **at, unsigned base, unsigned char behind, int64_t *value)
{
	uint64_t v;
	const bool negative = **at == '-';
	*at += negative;
	if (!number(at, base, behind, &v) || v > INT64_MAX)
		return false;
	*value = negative ? -(int64_t)v : (int64_t)v;
	return true;
}

/* The fields of the line at *at, which then is behind its LF. */
static inline __attribute__((always_inline)) bool fast_fields(const unsigned char **at,
							      unsigned base, struct fields *f)
{
	const unsigned char *p = *at;
	uint64_t type, comp, v;
	if (!number(&p, base, ' ', &type) || !number(&p, base, ' ', &comp) || type >= 0xff ||
	    comp > 0xff || comp & UNDEFINED)
		return false;
	if (!(comp & NO_BLOCK) && !number(&p, base, ' ', &f->offset))
		return false;
	if (!(comp & NO_LENGTH) && !number(&p, base, ' ', &f->length))
		return false;
	if (!signed_number(&p, base, ' ', &f->start) || !number(&p, base, ' ', &f->completion))
		return false;
	if (!(comp & NO_OPERATIONID)) {
		if (!number(&p, base, ' ', &v) || v > UINT32_MAX)
			return false;
		f->operation = (uint32_t)v;
	}
	if (!(comp & NO_FILEID)) {
		if (!number(&p, base, ' ', &v) || v > UINT32_MAX)
			return false;
		f->file = (uint32_t)v;
	}
	if (!(comp & NO_PROCESSID)) {
		if (!number(&p, base, ' ', &v) || v > UINT32_MAX)
			return false;
		f->process = (uint32_t)v;
	}
	if (!signed_number(&p, base, '\n', &f->cpu))
		return false;
	f->type = (uint8_t)type;
	f->compression = (uint8_t)comp;
	*at = p;
	return true;
}

/* Every legal line, and sentences. No printf: it may allocate and depends on the locale. */

static void say(struct iot_codec *c, const char *text, size_t n)
{
	size_t have = strlen(c->error);
	for (size_t i = 0; i < n && have + 1 < sizeof c->error; i++) {
		unsigned char b = (unsigned char)text[i];
		if (b >= 0x20 && b < 0x7f) {
			c->error[have++] = (char)b;
		} else if (have + 5 < sizeof c->error) {
			c->error[have++] = '\\';
			c->error[have++] = 'x';
			c->error[have++] = "0123456789abcdef"[b >> 4];
			c->error[have++] = "0123456789abcdef"[b & 15];
		}
	}
	c->error[have] = '\0';
}

static void say_text(struct iot_codec *c, const char *text)
{
	say(c, text, strlen(text));
}

static void say_number(struct iot_codec *c, uint64_t v)
{
	char digits[IOT_DIGITS_MAX];
	say(c, digits, iot_number_dec(digits, v));
}

static int fault_begin(struct iot_codec *c, size_t column)
{
	c->column = (unsigned)column;
	c->error[0] = '\0';
	return IOT_EFORMAT;
}

struct token {
	const char *text;
	size_t size, column;
};

static int not_a_number(struct iot_codec *c, const struct token *t, const char *name)
{
	enum { SHOWN = 24 };
	fault_begin(c, t->column);
	say_text(c, "found '");
	say(c, t->text, t->size < SHOWN ? t->size : SHOWN);
	say_text(c, t->size < SHOWN ? "'" : "...'");
	say_text(c, " as ");
	say_text(c, name);
	say_text(c, c->base == 16 ? ", expected hexadecimal digits" : ", expected decimal digits");
	return IOT_EFORMAT;
}

static int does_not_fit(struct iot_codec *c, const struct token *t, const char *name, unsigned bits)
{
	fault_begin(c, t->column);
	say_text(c, name);
	say_text(c, " does not fit ");
	say_number(c, bits);
	say_text(c, " bits");
	return IOT_EFORMAT;
}

static bool all_digits(const struct token *t, size_t from, unsigned base)
{
	for (size_t i = from; i < t->size; i++)
		if (digit_value[(unsigned char)t->text[i]] >= base)
			return false;
	return t->size > from;
}

static int field_value(struct iot_codec *c, enum field which, const struct token *t,
		       uint64_t *value, bool *negative)
{
	static const uint8_t bits[FIELDS] = {8, 8, 64, 64, 63, 64, 32, 32, 32, 63};
	const bool may_be_negative = which == START || which == CPU;
	*negative = t->text[0] == '-';
	if (*negative && !may_be_negative && all_digits(t, 1, c->base)) {
		fault_begin(c, t->column);
		say_text(c, field_name[which]);
		say_text(c, " is negative; only startTime and processTime may be");
		return IOT_EFORMAT;
	}
	const size_t from = *negative && may_be_negative;
	if (!all_digits(t, from, c->base))
		return not_a_number(c, t, field_name[which]);
	if (!iot_number_parse(t->text + from, t->size - from, c->base, value) ||
	    (bits[which] < 64 && *value >> bits[which] != 0))
		return does_not_fit(c, t, field_name[which], bits[which]);
	return IOT_OK;
}

static bool blank(char b)
{
	return b == ' ' || b == '\t';
}

/* Splits a line; *count may exceed what was stored. */
static int split(struct iot_codec *c, const char *line, size_t size, struct token *token,
		 size_t *count)
{
	*count = 0;
	for (size_t i = 0; i < size;) {
		if (blank(line[i])) {
			i++;
			continue;
		}
		size_t from = i;
		for (; i < size && !blank(line[i]); i++) {
			const unsigned char in = (unsigned char)line[i];
			if (in < 0x20 || in > 0x7e) {
				fault_begin(c, i + 1);
				say_text(c, "found byte ");
				say(c, line + i, 1);
				say_text(c, ", expected digits and blanks");
				return IOT_EFORMAT;
			}
		}
		if (*count <= FIELDS)
			token[*count] = (struct token){line + from, i - from, from + 1};
		++*count;
	}
	return IOT_OK;
}

static int wrong_count(struct iot_codec *c, size_t found, size_t expected, size_t column)
{
	fault_begin(c, column);
	say_text(c, "found ");
	say_number(c, found);
	say_text(c, found == 1 ? " field, expected " : " fields, expected ");
	say_number(c, expected);
	return IOT_EFORMAT;
}

static void store(struct fields *f, enum field which, uint64_t v, bool negative)
{
	switch (which) {
	case TYPE:
		f->type = (uint8_t)v;
		break;
	case COMPRESSION:
		f->compression = (uint8_t)v;
		break;
	case OFFSET:
		f->offset = v;
		break;
	case LENGTH:
		f->length = v;
		break;
	case START:
		f->start = negative ? -(int64_t)v : (int64_t)v;
		break;
	case COMPLETION:
		f->completion = v;
		break;
	case OPERATION:
		f->operation = (uint32_t)v;
		break;
	case FILEID:
		f->file = (uint32_t)v;
		break;
	case PROCESSID:
		f->process = (uint32_t)v;
		break;
	case CPU:
		f->cpu = negative ? -(int64_t)v : (int64_t)v;
		break;
	case FIELDS:
		break;
	}
}

static int head(struct iot_codec *c, const struct token *token, size_t count, size_t size,
		struct fields *f)
{
	if (count < 2)
		return wrong_count(c, count, FIELDS, size + 1);
	for (enum field i = TYPE; i <= COMPRESSION; i++) {
		uint64_t v;
		bool negative;
		int status = field_value(c, i, &token[i], &v, &negative);
		if (status != IOT_OK)
			return status;
		store(f, i, v, negative);
	}
	if (f->type == 0xff) {
		fault_begin(c, token[0].column);
		say_text(c, "recordType is that of a comment, which begins with ff");
		return IOT_EFORMAT;
	}
	if (f->compression & UNDEFINED) {
		fault_begin(c, token[1].column);
		say_text(c, "compression has the undefined flag 0x10");
		return IOT_EFORMAT;
	}
	return IOT_OK;
}

/* column: of every field, for what resolve may find; dropped ones have that of the line's end. */
static int slow_fields(struct iot_codec *c, const char *line, size_t size, struct fields *f,
		       size_t *column)
{
	struct token token[FIELDS + 1];
	size_t count, next = COMPRESSION + 1, expected = 0;
	int status = split(c, line, size, token, &count);
	if (status == IOT_OK)
		status = head(c, token, count, size, f);
	if (status != IOT_OK)
		return status;
	for (enum field i = TYPE; i < FIELDS; i++)
		expected += !(f->compression & field_dropped_by[i]);
	if (count != expected)
		return wrong_count(c, count, expected,
				   count > expected ? token[expected].column : size + 1);
	for (enum field i = OFFSET; i < FIELDS; i++) {
		column[i] = size + 1;
		if (f->compression & field_dropped_by[i])
			continue;
		uint64_t v;
		bool negative;
		column[i] = token[next].column;
		status = field_value(c, i, &token[next++], &v, &negative);
		if (status != IOT_OK)
			return status;
		store(f, i, v, negative);
	}
	return IOT_OK;
}

static void say_file(struct iot_codec *c, const struct judgement *j)
{
	say_text(c, " left out, but file ");
	say_number(c, j->file);
	say_text(c, " of process ");
	say_number(c, j->process);
	say_text(c, " has no earlier record in its table");
}

static int explain(struct iot_codec *c, const struct judgement *j, const size_t *column)
{
	static const uint8_t where[] = {
	    PROCESSID, FILEID, OFFSET, LENGTH, OFFSET, OFFSET, LENGTH, START, COMPLETION, CPU,
	};
	fault_begin(c, column[where[j->fault]]);
	switch (j->fault) {
	case NO_HISTORY_PROCESS:
		say_text(c, "processId left out, but the trace has no earlier record");
		break;
	case NO_HISTORY_FILE:
		say_text(c, "fileId left out, but process ");
		say_number(c, j->process);
		say_text(c, " has no earlier record");
		break;
	case NO_HISTORY_OFFSET:
		say_text(c, "offset");
		say_file(c, j);
		break;
	case NO_HISTORY_LENGTH:
		say_text(c, "length");
		say_file(c, j);
		break;
	case OFFSET_WRAPS:
		say_text(
		    c, "offset left out, but the end of the previous record does not fit 64 bits");
		break;
	case SCALED_OFFSET:
		say_text(c, "offset times 512 does not fit 64 bits");
		break;
	case SCALED_LENGTH:
		say_text(c, "length times 512 does not fit 64 bits");
		break;
	case START_RANGE:
		say_text(c, "startTime leads out of 0 .. 2^63-1 nanoseconds");
		break;
	case COMPLETION_RANGE:
		say_text(c, "completionTime leads beyond 2^63-1 nanoseconds");
		break;
	case CPU_RANGE:
		say_text(c, "processTime leads out of the CPU clock's 64 bits of nanoseconds");
		break;
	}
	return IOT_EFORMAT;
}

static int block_full(struct iot_codec *c)
{
	fault_begin(c, 0);
	say_text(c, "the block of memory for the state is full");
	return IOT_ELIMIT;
}

static size_t without_end(const char *line, size_t size)
{
	if (size > 0 && line[size - 1] == '\n')
		size--;
	while (size > 0 && line[size - 1] == '\r')
		size--;
	return size;
}

static int decode_slow(struct iot_codec *c, const char *line, size_t size, struct iot_record *rec)
{
	struct fields f = {0};
	struct judgement j = {0};
	size_t column[FIELDS] = {0};
	size = without_end(line, size);
	if (size > IOT_LINE_MAX) {
		fault_begin(c, IOT_LINE_MAX + 1);
		say_text(c, "a record line has at most 4096 bytes");
		return IOT_EFORMAT;
	}
	int status = slow_fields(c, line, size, &f, column);
	if (status != IOT_OK)
		return status;
	switch (resolve(c, &f, rec, &j)) {
	case DECODED:
		return IOT_OK;
	case FULL:
		return block_full(c);
	case WRONG:
		break;
	}
	return explain(c, &j, column);
}

int iot_decode(struct iot_codec *c, const char *line, size_t size, struct iot_record *rec)
{
	int status = decode_slow(c, line, size, rec);
	if (status == IOT_OK)
		rec->object = 0, rec->flags = 0;
	return status;
}

/* Blank lines and comments are the reader's: `ff` and `255` as they stand. */
static bool is_other(const char *line, const char *end)
{
	while (line < end && blank(*line))
		line++;
	size_t n = 0;
	while (line + n < end && !blank(line[n]) && line[n] != '\r')
		n++;
	return (line == end || *line == '\r') ||
	       (n == 2 && (line[0] | 32) == 'f' && (line[1] | 32) == 'f') ||
	       (n == 3 && memcmp(line, "255", 3) == 0);
}

/* A line that the fast reader gave up: IOT_STOP_MAX stands for "go on". */
static enum iot_stop decode_odd(struct iot_codec *c, const char **text, const char *end,
				struct iot_record *rec)
{
	const char *lf = memchr(*text, '\n', (size_t)(end - *text));
	if (is_other(*text, lf))
		return IOT_STOP_OTHER;
	int status = decode_slow(c, *text, (size_t)(lf - *text), rec);
	if (status != IOT_OK)
		return status == IOT_ELIMIT ? IOT_STOP_LIMIT : IOT_STOP_ERROR;
	*text = lf + 1;
	return IOT_STOP_MAX;
}

static inline __attribute__((always_inline)) size_t
decode_lines(struct iot_codec *c, const char **text, const char *end, struct iot_record *out,
	     size_t max, size_t stride, enum iot_stop *why, unsigned base)
{
	const unsigned char *p = (const unsigned char *)*text;
	struct iot_record *rec = out;
	struct fields f = {0}; /* what a line drops is not looked at */
	size_t n = 0;
	*why = IOT_STOP_MAX;
	while (n < max) {
		struct judgement j;
		if (p == (const unsigned char *)end) {
			*why = IOT_STOP_END;
			break;
		}
		*text = (const char *)p;
		if (!fast_fields(&p, base, &f) || resolve(c, &f, rec, &j) != DECODED) {
			*why = decode_odd(c, text, end, rec);
			p = (const unsigned char *)*text;
			if (*why != IOT_STOP_MAX)
				break;
		}
		n++;
		rec = (struct iot_record *)((char *)rec + stride);
		if (c->news != 0) {
			*why = IOT_STOP_NEWS;
			break;
		}
	}
	*text = (const char *)p;
	return n;
}

size_t iot_decode_lines(struct iot_codec *c, const char **text, const char *end,
			struct iot_record *rec, size_t max, size_t stride, enum iot_stop *why)
{
	if (c->base == 16)
		return decode_lines(c, text, end, rec, max, stride, why, 16);
	return decode_lines(c, text, end, rec, max, stride, why, 10);
}
