/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes a line to a record. Two parsers of one grammar (iotrace(5), RECORDS) share one
 * interpretation:
 *
 *	fast_fields        lines as writers produce them: one pass, single spaces, LF at each end
 *	record_line_parse  every legal spelling, with error messages (record_line.c)
 *	resolve            interprets the fields, given the previous records
 *
 * The fast parser gives up at the first irregularity; then the line is parsed again by the slow
 * one.
 */
#include "avx2.h"
#include "record_line.h"
#include "lib/base/number.h"

enum outcome { DECODED, WRONG, FULL };

/* The error for explain, one per message. */
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

struct decode_fault {
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
		wrong->fault = (what);                                                             \
		return WRONG;                                                                      \
	} while (0)

/*
 * Replaces omitted fields by the previous record's values; then makes this record the previous one.
 */
static inline __attribute__((always_inline)) enum outcome resolve(struct iot_codec *c,
								  const struct record_fields *f,
								  struct iot_record *rec,
								  struct decode_fault *wrong)
{
	const unsigned comp = f->compression;
	const unsigned physical = f->type & IOT_LOGICAL ? 0 : CODEC_PHYSICAL_SLOT;
	struct codec_process *p;
	uint32_t process = f->process, file = f->file;
	unsigned first_use = 0;

	if (comp & NO_PROCESSID) {
		if (c->last == 0)
			FAIL(NO_HISTORY_PROCESS);
		p = codec_at(c, c->last);
		process = p->id;
	} else {
		p = codec_process(c, process);
	}
	wrong->process = process;
	if (comp & NO_FILEID) {
		if (p == NULL || p->count == 0)
			FAIL(NO_HISTORY_FILE);
		file = p->latest.file;
	}
	wrong->file = file;
	int position = p == NULL ? -1 : codec_find(c, p, file, physical);
	const struct codec_file *had = position < 0 ? NULL : codec_entry(c, p, position);

	uint64_t offset = f->offset, length = f->length;
	uint32_t operation = f->operation;
	if (comp & NO_BLOCK) {
		if (had == NULL)
			FAIL(NO_HISTORY_OFFSET);
		if (had->next < had->length)
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
		first_use = FIRST_USE_FILE;
		if (p == NULL && (p = codec_add_process(c, process)) == NULL)
			return FULL;
		if (p->count == 0)
			first_use |= FIRST_USE_PROCESS;
		if (!codec_reserve_file(c, p))
			return FULL;
	}
	codec_commit(c, p, position, file, physical, start, cpu);
	struct codec_file *now = &p->latest;
	codec_extent(now, offset, length, operation);
	c->first_use = (uint8_t)first_use;

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

/* Fast parsing of lines as writers produce them */

/* This many digits of either base fit 64 bits without an overflow check. */
enum { SAFE_DIGITS = 16 };

/*
 * Reads a number and the character that follows it; returns false if it is not as writers produce
 * it.
 */
static inline __attribute__((always_inline)) bool number(const unsigned char **at, unsigned base,
							 unsigned char after, uint64_t *value)
{
	const unsigned char *p = *at;
	uint64_t v = number_digits[*p];
	if (v >= base)
		return false;
	unsigned d;
	while ((d = number_digits[*++p]) < base)
		v = v * base + d;
	if (*p != after || p - *at > SAFE_DIGITS)
		return false;
	*at = p + 1;
	*value = v;
	return true;
}

static inline __attribute__((always_inline)) bool
signed_number(const unsigned char **at, unsigned base, unsigned char after, int64_t *value)
{
	uint64_t v;
	const bool negative = **at == '-';
	*at += negative;
	if (!number(at, base, after, &v) || v > INT64_MAX)
		return false;
	*value = negative ? -(int64_t)v : (int64_t)v;
	return true;
}

/* Reads the fields of the line at *at and advances *at past its LF. */
static inline __attribute__((always_inline)) bool
fast_fields(const unsigned char **at, unsigned base, struct record_fields *f)
{
	const unsigned char *p = *at;
	uint64_t type, comp, v;
	if (!number(&p, base, ' ', &type) || !number(&p, base, ' ', &comp) || type >= 0xff ||
	    comp > 0xff || comp & COMPRESSION_UNDEFINED)
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

static void say_file(struct iot_codec *c, const struct decode_fault *wrong)
{
	codec_error_text(c, " left out, but file ");
	codec_error_number(c, wrong->file);
	codec_error_text(c, " of process ");
	codec_error_number(c, wrong->process);
	codec_error_text(c, " has no earlier record in its table");
}

static int explain(struct iot_codec *c, const struct decode_fault *wrong, const size_t *column)
{
	static const uint8_t where[] = {
	    FIELD_PROCESS, FIELD_FILE,   FIELD_OFFSET, FIELD_LENGTH,     FIELD_OFFSET,
	    FIELD_OFFSET,  FIELD_LENGTH, FIELD_START,  FIELD_COMPLETION, FIELD_CPU,
	};
	codec_error_begin(c, column[where[wrong->fault]]);
	switch (wrong->fault) {
	case NO_HISTORY_PROCESS:
		codec_error_text(c, "processId left out, but the trace has no earlier record");
		break;
	case NO_HISTORY_FILE:
		codec_error_text(c, "fileId left out, but process ");
		codec_error_number(c, wrong->process);
		codec_error_text(c, " has no earlier record");
		break;
	case NO_HISTORY_OFFSET:
		codec_error_text(c, "offset");
		say_file(c, wrong);
		break;
	case NO_HISTORY_LENGTH:
		codec_error_text(c, "length");
		say_file(c, wrong);
		break;
	case OFFSET_WRAPS:
		codec_error_text(
		    c, "offset left out, but the end of the previous record does not fit 64 bits");
		break;
	case SCALED_OFFSET:
		codec_error_text(c, "offset times 512 does not fit 64 bits");
		break;
	case SCALED_LENGTH:
		codec_error_text(c, "length times 512 does not fit 64 bits");
		break;
	case START_RANGE:
		codec_error_text(c, "startTime leads out of 0 .. 2^63-1 nanoseconds");
		break;
	case COMPLETION_RANGE:
		codec_error_text(c, "completionTime leads beyond 2^63-1 nanoseconds");
		break;
	case CPU_RANGE:
		codec_error_text(c,
				 "processTime leads out of the CPU clock's 64 bits of nanoseconds");
		break;
	}
	return IOT_EFORMAT;
}

static int block_full(struct iot_codec *c)
{
	codec_error_begin(c, 0);
	codec_error_text(c, "the block of memory for the state is full");
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
	struct record_fields f = {0};
	struct decode_fault wrong = {0};
	size_t column[RECORD_FIELDS] = {0};
	size = without_end(line, size);
	if (size > IOT_LINE_MAX) {
		codec_error_begin(c, IOT_LINE_MAX + 1);
		codec_error_text(c, "a record line has at most 4096 bytes");
		return IOT_EFORMAT;
	}
	int status = record_line_parse(c, line, size, &f, column);
	if (status != IOT_OK)
		return status;
	switch (resolve(c, &f, rec, &wrong)) {
	case DECODED:
		return IOT_OK;
	case FULL:
		return block_full(c);
	case WRONG:
		break;
	}
	return explain(c, &wrong, column);
}

int iot_decode(struct iot_codec *c, const char *line, size_t size, struct iot_record *rec)
{
	int status = decode_slow(c, line, size, rec);
	if (status == IOT_OK)
		rec->object = 0, rec->flags = 0;
	return status;
}

/* Returns whether the line is blank or a comment (`ff` or `255`), which the reader handles. */
static bool is_other(const char *line, const char *end)
{
	line = skip_blanks(line, end);
	size_t n = 0;
	while (line + n < end && !is_blank(line[n]) && line[n] != '\r')
		n++;
	return (line == end || *line == '\r') ||
	       (n == 2 && (line[0] | 32) == 'f' && (line[1] | 32) == 'f') ||
	       (n == 3 && memcmp(line, "255", 3) == 0);
}

/* Decodes a line that the fast parser rejected; DECODE_STOP_MAX means "continue". */
static enum decode_stop decode_irregular(struct iot_codec *c, const char **text, const char *end,
					 struct iot_record *rec)
{
	const char *lf = memchr(*text, '\n', (size_t)(end - *text));
	if (is_other(*text, lf))
		return DECODE_STOP_OTHER;
	int status = decode_slow(c, *text, (size_t)(lf - *text), rec);
	if (status != IOT_OK)
		return status == IOT_ELIMIT ? DECODE_STOP_LIMIT : DECODE_STOP_ERROR;
	*text = lf + 1;
	return DECODE_STOP_MAX;
}

static inline __attribute__((always_inline)) size_t
decode_lines(struct iot_codec *c, const char **text, const char *end, struct iot_record *out,
	     size_t max, size_t stride, const struct first_use_handler *on_first_use,
	     enum decode_stop *why, unsigned base)
{
	const unsigned char *p = (const unsigned char *)*text;
	struct iot_record *rec = out;
	struct record_fields f = {0}; /* members that a line omits are not read */
	size_t n = 0;
	*why = DECODE_STOP_MAX;
	while (n < max) {
		struct decode_fault wrong;
		if (p == (const unsigned char *)end) {
			*why = DECODE_STOP_END;
			break;
		}
		*text = (const char *)p;
		if (!fast_fields(&p, base, &f) || resolve(c, &f, rec, &wrong) != DECODED) {
			*why = decode_irregular(c, text, end, rec);
			p = (const unsigned char *)*text;
			if (*why != DECODE_STOP_MAX)
				break;
		}
		n++;
		if (c->first_use != 0 && on_first_use == NULL) {
			*why = DECODE_STOP_FIRST_USE;
			break;
		}
		if (c->first_use != 0)
			on_first_use->record(on_first_use->context, rec);
		c->first_use = 0;
		rec = (struct iot_record *)((char *)rec + stride);
	}
	*text = (const char *)p;
	return n;
}

static size_t decode_narrow(struct iot_codec *c, const char **text, const char *end,
			    struct iot_record *rec, size_t max, size_t stride,
			    const struct first_use_handler *on_first_use, enum decode_stop *why)
{
	if (c->base == 16)
		return decode_lines(c, text, end, rec, max, stride, on_first_use, why, 16);
	return decode_lines(c, text, end, rec, max, stride, on_first_use, why, 10);
}

size_t codec_decode_lines(struct iot_codec *c, const char **text, const char *end,
			  struct iot_record *rec, size_t max, size_t stride,
			  const struct first_use_handler *on_first_use, enum decode_stop *why)
{
	if (!c->avx2)
		return decode_narrow(c, text, end, rec, max, stride, on_first_use, why);
	size_t n = 0;
	c->first_use = 0;
	do {
		n += decode_avx2(c, text, end, (void *)((char *)rec + n * stride), max - n, stride,
				 on_first_use);
		*why = n == max ? DECODE_STOP_MAX : DECODE_STOP_END;
		if (c->first_use != 0)
			*why = DECODE_STOP_FIRST_USE;
		if (c->first_use != 0 || n == max || *text == end)
			break;
		n += decode_narrow(c, text, end, (void *)((char *)rec + n * stride), 1, stride,
				   on_first_use, why);
	} while (*why == DECODE_STOP_MAX && n < max);
	return n;
}
