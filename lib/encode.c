/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A record to a line, in canonical form (iotrace(5), CANONICAL FORM): every field that a reader
 * would infer is dropped, nonzero multiples of 512 are scaled, one space, no leading zeros.
 */
#include "line.h"
#include "number.h"

__extension__ typedef unsigned __int128 wide;

/* Ticks and the extent as they go on the line. */
struct line {
	int64_t start, cpu; /* absolute */
	uint64_t completion, offset, length;
	unsigned compression;
};

/* ns / tick by multiplication; the estimate is at most one too small as ns < 2^63. */
static inline uint64_t to_ticks(const struct iot_codec *c, uint64_t ns)
{
	if (c->tick_ns == 1)
		return ns;
	uint64_t q = (uint64_t)(((wide)ns * c->tick_reciprocal) >> 64);
	return ns - q * c->tick_ns >= c->tick_ns ? q + 1 : q;
}

static inline int64_t to_ticks_down(const struct iot_codec *c, int64_t ns)
{
	if (ns >= 0)
		return (int64_t)to_ticks(c, (uint64_t)ns);
	return -1 - (int64_t)to_ticks(c, (uint64_t)(-1 - ns));
}

/* Eight hexadecimal digits, the first in the lowest byte. */
static inline uint64_t hex_digits(uint32_t v)
{
	uint64_t x = v;
	x = ((x << 16) & 0x0000ffff00000000U) | (x & 0xffff);
	x = ((x << 8) & 0x00ff000000ff0000U) | (x & 0x000000ff000000ffU);
	x = ((x << 4) & 0x0f000f000f000f00U) | (x & 0x000f000f000f000fU);
	uint64_t letter = ((x + 0x0606060606060606U) >> 4) & 0x0101010101010101U;
	return __builtin_bswap64(x + 0x3030303030303030U + letter * ('a' - '0' - 10));
}

static inline char *put_hex(char *out, uint64_t v)
{
	if (v >> 32 != 0)
		return out + iot_number_hex(out, v);
	/* 4 * n bits hold v in n digits */
	unsigned n = (35U - (unsigned)__builtin_clz((uint32_t)v | 1U)) / 4;
	uint64_t text = hex_digits((uint32_t)v) >> (8 * (8 - n));
	memcpy(out, &text, sizeof text);
	return out + n;
}

static inline char *put_dec(char *out, uint64_t v)
{
	if (v < 10) {
		*out = (char)('0' + v);
		return out + 1;
	}
	return out + iot_number_dec(out, v);
}

static inline __attribute__((always_inline)) char *put(char *out, uint64_t v, unsigned base)
{
	out = base == 16 ? put_hex(out, v) : put_dec(out, v);
	*out = ' ';
	return out + 1;
}

static inline __attribute__((always_inline)) char *put_signed(char *out, int64_t v, unsigned base)
{
	if (v >= 0)
		return put(out, (uint64_t)v, base);
	*out = '-';
	return put(out + 1, 0 - (uint64_t)v, base);
}

static int refuse(struct iot_codec *c, int status, const char *why)
{
	c->column = 0;
	strncpy(c->error, why, sizeof c->error - 1);
	return status;
}

static inline const char *unfit(const struct iot_record *rec)
{
	if (rec->type == 0xff)
		return "recordType ff marks a comment: it cannot be a record's";
	if (rec->start_ns < 0)
		return "a start before the trace's zero";
	if (rec->duration_ns > (uint64_t)(INT64_MAX - rec->start_ns))
		return "an end beyond 2^63-1 nanoseconds";
	return NULL;
}

static inline bool times(const struct iot_codec *c, const struct iot_record *rec,
			 const struct iot_predict_process *p, struct line *l, int64_t *cpu_delta)
{
	l->start = (int64_t)to_ticks(c, (uint64_t)rec->start_ns);
	l->completion =
	    to_ticks(c, (uint64_t)rec->start_ns + rec->duration_ns) - (uint64_t)l->start;
	l->cpu = to_ticks_down(c, rec->cpu_ns);
	return l->cpu >= -c->tick_max &&
	       !__builtin_sub_overflow(l->cpu, p == NULL ? 0 : p->cpu, cpu_delta) &&
	       *cpu_delta != INT64_MIN;
}

/* Which fields a reader would infer. */
static inline __attribute__((always_inline)) void
choose(const struct iot_codec *c, const struct iot_record *rec, const struct iot_predict_file *had,
       bool same_process, bool same_file, struct line *l)
{
	unsigned comp = (same_process ? IOT_NO_PROCESSID : 0U) | (same_file ? IOT_NO_FILEID : 0U);
	l->offset = rec->offset;
	l->length = rec->length;
	if (had != NULL && had->next == rec->offset && had->next >= had->length) {
		comp |= IOT_NO_BLOCK;
	} else if (rec->offset % IOT_BLOCK_SIZE == 0 && rec->offset != 0) {
		comp |= IOT_OFFSET_IN_BLOCKS;
		l->offset = rec->offset / IOT_BLOCK_SIZE;
	}
	if (had != NULL && had->length == rec->length) {
		comp |= IOT_NO_LENGTH;
	} else if (rec->length % IOT_BLOCK_SIZE == 0 && rec->length != 0) {
		comp |= IOT_LENGTH_IN_BLOCKS;
		l->length = rec->length / IOT_BLOCK_SIZE;
	}
	if (had != NULL ? had->operation == rec->operation
			: rec->operation == 0 && !c->operation_written)
		comp |= IOT_NO_OPERATIONID;
	l->compression = comp;
}

static inline __attribute__((always_inline)) char *
write_line(char *out, const struct iot_record *rec, const struct line *l, int64_t start_delta,
	   int64_t cpu_delta, unsigned base)
{
	const unsigned comp = l->compression;
	out = put(out, rec->type, base);
	out = put(out, comp, base);
	if (!(comp & IOT_NO_BLOCK))
		out = put(out, l->offset, base);
	if (!(comp & IOT_NO_LENGTH))
		out = put(out, l->length, base);
	out = put_signed(out, start_delta, base);
	out = put(out, l->completion, base);
	if (!(comp & IOT_NO_OPERATIONID))
		out = put(out, rec->operation, base);
	if (!(comp & IOT_NO_FILEID))
		out = put(out, rec->file, base);
	if (!(comp & IOT_NO_PROCESSID))
		out = put(out, rec->process, base);
	out = put_signed(out, cpu_delta, base);
	out[-1] = '\n';
	return out;
}

ssize_t iot_encode(struct iot_codec *c, const struct iot_record *rec, char *text)
{
	const char *why = unfit(rec);
	if (why != NULL)
		return refuse(c, IOT_EUSAGE, why);
	const unsigned physical = rec->type & IOT_LOGICAL ? 0 : IOT_PHYSICAL_SLOT;
	struct iot_predict_process *last = c->last == 0 ? NULL : iot_predict_at(c, c->last);
	const bool same_process = last != NULL && last->id == rec->process;
	struct iot_predict_process *p = same_process ? last : iot_predict_process(c, rec->process);
	struct line l;
	int64_t cpu_delta;
	if (!times(c, rec, p, &l, &cpu_delta))
		return refuse(c, IOT_EUSAGE,
			      "a CPU clock that leaves 64 bits of nanoseconds, or moved by more "
			      "than 2^63-1 ticks");

	int position = p == NULL ? -1 : iot_predict_find(c, p, rec->file, physical);
	const bool same_file = p != NULL && p->count > 0 && iot_predict_keys(c, p)[0] == rec->file;
	const struct iot_predict_file *had =
	    position < 0 ? NULL : iot_predict_entry(c, p, position);
	unsigned news = 0;
	choose(c, rec, had, same_process, same_file, &l);
	if (had != NULL && (had->flags ^ rec->flags) & IOT_OFFSET_UNKNOWN)
		news = IOT_NEWS_FLAGS;
	if (position < 0) {
		news = IOT_NEWS_FILE;
		if (p == NULL && (p = iot_predict_add_process(c, rec->process)) == NULL)
			return refuse(c, IOT_ELIMIT, "the block of memory for the state is full");
		if (p->count == 0)
			news |= IOT_NEWS_PROCESS;
		if (!iot_predict_make_room(c, p))
			return refuse(c, IOT_ELIMIT, "the block of memory for the state is full");
	}
	char *end = c->base == 16 ? write_line(text, rec, &l, l.start - c->start, cpu_delta, 16)
				  : write_line(text, rec, &l, l.start - c->start, cpu_delta, 10);
	struct iot_predict_file *now =
	    iot_predict_commit(c, p, position, rec->file, physical, l.start, l.cpu);
	if (position < 0)
		now->object = 0, now->flags = 0;
	iot_predict_extent(now, rec->offset, rec->length, rec->operation);
	c->operation_written |= rec->operation != 0;
	c->news = (uint8_t)news;
	return end - text;
}
