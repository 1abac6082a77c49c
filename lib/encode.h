/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A record to a line, in canonical form (iotrace(5), CANONICAL FORM): which fields a reader would infer and are
 * dropped, which are scaled. How a line is written is the includer's: encode.c, encode_wide.c.
 */
#ifndef IOT_LIB_ENCODE_H
#define IOT_LIB_ENCODE_H

#include "line.h"

/* iot_encode_lines in hexadecimal, with wide registers: where iot_decode_wide_works. */
size_t iot_encode_wide(struct iot_codec *c, const struct iot_record *rec, size_t n, size_t stride,
		       char *text, size_t room, size_t *size, ssize_t *last);

/* Sets the state's error and returns status. */
int iot_encode_refuse(struct iot_codec *c, int status, const char *why);

/* Room for a file that is not in its process's table; the process too if it is NULL. NULL: block full. */
struct iot_predict_process *iot_encode_make_room(struct iot_codec *c, struct iot_predict_process *p,
						 uint32_t id);

/* ns / tick by multiplication, exact as ns < 2^63 (iot_codec_init). */
static inline __attribute__((always_inline)) uint64_t iot_encode_to_ticks(const struct iot_codec *c,
									  uint64_t ns)
{
	if (c->tick_ns == 1)
		return ns;
	return (uint64_t)(((iot_uint128)ns * c->tick_reciprocal) >> 64) >> c->tick_shift;
}

static inline __attribute__((always_inline)) int64_t
iot_encode_to_ticks_down(const struct iot_codec *c, int64_t ns)
{
	if (ns >= 0)
		return (int64_t)iot_encode_to_ticks(c, (uint64_t)ns);
	return -1 - (int64_t)iot_encode_to_ticks(c, (uint64_t)(-1 - ns));
}

static inline __attribute__((always_inline)) const char *
iot_encode_unfit(const struct iot_record *rec)
{
	if (rec->type == 0xff)
		return "recordType ff marks a comment: it cannot be a record's";
	if (rec->start_ns < 0)
		return "a start before the trace's zero";
	if (rec->duration_ns > (uint64_t)(INT64_MAX - rec->start_ns))
		return "an end beyond 2^63-1 nanoseconds";
	return NULL;
}

/* Absolute ticks of start and CPU clock; false if the clock moved too far. */
static inline __attribute__((always_inline)) bool
iot_encode_times(const struct iot_codec *c, const struct iot_record *rec,
		 const struct iot_predict_process *p, struct iot_fields *f, int64_t *start,
		 int64_t *cpu)
{
	*start = (int64_t)iot_encode_to_ticks(c, (uint64_t)rec->start_ns);
	*cpu = iot_encode_to_ticks_down(c, rec->cpu_ns);
	f->start = *start - c->start;
	f->completion =
	    iot_encode_to_ticks(c, (uint64_t)rec->start_ns + rec->duration_ns) - (uint64_t)*start;
	return *cpu >= -c->tick_max &&
	       !__builtin_sub_overflow(*cpu, p == NULL ? 0 : p->cpu, &f->cpu) &&
	       f->cpu != INT64_MIN;
}

/* Which fields a reader would infer, and how the others are scaled. */
static inline __attribute__((always_inline)) void
iot_encode_choose(const struct iot_codec *c, const struct iot_record *rec,
		  const struct iot_predict_file *had, unsigned comp, struct iot_fields *f)
{
	f->type = rec->type;
	f->offset = rec->offset;
	f->length = rec->length;
	f->operation = rec->operation;
	f->file = rec->file;
	f->process = rec->process;
	if (had != NULL && had->next == rec->offset && had->next >= had->length) {
		comp |= IOT_NO_BLOCK;
	} else if (rec->offset % IOT_BLOCK_SIZE == 0 && rec->offset != 0) {
		comp |= IOT_OFFSET_IN_BLOCKS;
		f->offset = rec->offset / IOT_BLOCK_SIZE;
	}
	if (had != NULL && had->length == rec->length) {
		comp |= IOT_NO_LENGTH;
	} else if (rec->length % IOT_BLOCK_SIZE == 0 && rec->length != 0) {
		comp |= IOT_LENGTH_IN_BLOCKS;
		f->length = rec->length / IOT_BLOCK_SIZE;
	}
	if (had != NULL ? had->operation == rec->operation
			: rec->operation == 0 && !c->operation_written)
		comp |= IOT_NO_OPERATIONID;
	f->compression = (uint8_t)comp;
}

/* iot_encode, given what writes a line. */
static inline __attribute__((always_inline)) ssize_t
iot_encode_with(struct iot_codec *c, const struct iot_record *rec, char *line,
		char *(*write)(char *out, const struct iot_fields *f))
{
	const char *why = iot_encode_unfit(rec);
	if (why != NULL)
		return iot_encode_refuse(c, IOT_EUSAGE, why);
	const uint8_t physical = (uint8_t)(~rec->type & IOT_LOGICAL);
	struct iot_predict_process *last = c->last == 0 ? NULL : iot_predict_at(c, c->last);
	const bool same_process = last != NULL && last->id == rec->process;
	struct iot_predict_process *p = same_process ? last : iot_predict_process(c, rec->process);
	struct iot_fields f;
	int64_t start, cpu;
	if (!iot_encode_times(c, rec, p, &f, &start, &cpu))
		return iot_encode_refuse(
		    c, IOT_EUSAGE,
		    "a CPU clock that leaves 64 bits of nanoseconds, or moved by more "
		    "than 2^63-1 ticks");

	const bool same_file =
	    p != NULL && p->latest.physical != IOT_NO_SLOT && p->latest.file == rec->file;
	int position = -1;
	if (same_file && p->latest.physical == physical)
		position = 0;
	else if (p != NULL)
		position = iot_predict_find(c, p, rec->file, physical);
	const struct iot_predict_file *had =
	    position < 0 ? NULL : iot_predict_entry(c, p, position);
	iot_encode_choose(c, rec, had,
			  (same_process ? IOT_NO_PROCESSID : 0U) | (same_file ? IOT_NO_FILEID : 0U),
			  &f);
	unsigned news =
	    had != NULL && (had->flags ^ rec->flags) & IOT_OFFSET_UNKNOWN ? IOT_NEWS_FLAGS : 0;
	if (position < 0) {
		news = IOT_NEWS_FILE | (p == NULL || p->count == 0 ? IOT_NEWS_PROCESS : 0U);
		if ((p = iot_encode_make_room(c, p, rec->process)) == NULL)
			return iot_encode_refuse(c, IOT_ELIMIT,
						 "the block of memory for the state is full");
	}
	char *end = write(line, &f);
	iot_predict_commit(c, p, position, rec->file, physical, start, cpu);
	iot_predict_extent(&p->latest, rec->offset, rec->length, rec->operation);
	c->operation_written |= rec->operation != 0;
	c->news = (uint8_t)news;
	return end - line;
}

/* iot_encode_lines, likewise. */
static inline __attribute__((always_inline)) size_t
iot_encode_lines_with(struct iot_codec *c, const struct iot_record *rec, size_t n, size_t stride,
		      char *text, size_t room, size_t *size, ssize_t *last,
		      char *(*write)(char *out, const struct iot_fields *f))
{
	char *out = text;
	const char *const full =
	    room < IOT_ENCODED_MAX ? text : text + (room - IOT_ENCODED_MAX) + 1;
	ssize_t line = 0;
	size_t done = 0;
	while (done < n && out < full) {
		line = iot_encode_with(c, rec, out, write);
		if (line < 0)
			break;
		out += line;
		done++;
		rec = (const struct iot_record *)(const void *)((const char *)rec + stride);
		if (c->news != 0)
			break;
	}
	*last = line;
	*size = (size_t)(out - text);
	return done;
}

#endif
