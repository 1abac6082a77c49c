/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes any record in canonical form (iotrace(5), CANONICAL FORM), digit by digit, in either
 * base: determines which fields a reader would infer and are omitted, and which are scaled.
 */
#include "avx2.h"
#include "lib/base/number.h"
#include "record_line.h"

static inline char *put(char *out, uint64_t v, unsigned base)
{
	out += base == 16 ? number_hex(out, v) : number_dec(out, v);
	*out = ' ';
	return out + 1;
}

static inline char *put_signed(char *out, int64_t v, unsigned base)
{
	if (v >= 0)
		return put(out, (uint64_t)v, base);
	*out = '-';
	return put(out + 1, 0 - (uint64_t)v, base);
}

char *record_line_write(char *out, const struct record_fields *f, unsigned base)
{
	const unsigned comp = f->compression;
	out = put(out, f->type, base);
	out = put(out, comp, base);
	if (!(comp & NO_BLOCK))
		out = put(out, f->offset, base);
	if (!(comp & NO_LENGTH))
		out = put(out, f->length, base);
	out = put_signed(out, f->start, base);
	out = put(out, f->completion, base);
	if (!(comp & NO_OPERATIONID))
		out = put(out, f->operation, base);
	if (!(comp & NO_FILEID))
		out = put(out, f->file, base);
	if (!(comp & NO_PROCESSID))
		out = put(out, f->process, base);
	out = put_signed(out, f->cpu, base);
	out[-1] = '\n';
	return out;
}

static int refuse(struct iot_codec *c, int status, const char *why)
{
	c->column = 0;
	strncpy(c->error, why, sizeof c->error - 1);
	return status;
}

static int64_t to_ticks_down(const struct iot_codec *c, int64_t ns)
{
	if (ns >= 0)
		return (int64_t)codec_to_ticks(c, (uint64_t)ns);
	return -1 - (int64_t)codec_to_ticks(c, (uint64_t)(-1 - ns));
}

/* Computes the ticks of start and CPU clock; returns false if the clock moved too far. */
static bool take_times(const struct iot_codec *c, const struct iot_record *rec,
		       const struct codec_process *p, struct record_fields *f, int64_t *start,
		       int64_t *cpu)
{
	*start = (int64_t)codec_to_ticks(c, (uint64_t)rec->start_ns);
	*cpu = to_ticks_down(c, rec->cpu_ns);
	f->start = *start - c->start;
	f->completion =
	    codec_to_ticks(c, (uint64_t)rec->start_ns + rec->duration_ns) - (uint64_t)*start;
	return *cpu >= -c->tick_max &&
	       !__builtin_sub_overflow(*cpu, p == NULL ? 0 : p->cpu, &f->cpu) &&
	       f->cpu != INT64_MIN;
}

/* Determines the fields that a reader would infer, and the scaling of the others. */
static void choose(const struct iot_codec *c, const struct iot_record *rec,
		   const struct codec_file *had, unsigned comp, struct record_fields *f)
{
	f->type = rec->type;
	f->offset = rec->offset;
	f->length = rec->length;
	f->operation = rec->operation;
	f->file = rec->file;
	f->process = rec->process;
	if (had != NULL && had->next == rec->offset && had->next >= had->length) {
		comp |= NO_BLOCK;
	} else if (rec->offset % IOT_BLOCK_SIZE == 0 && rec->offset != 0) {
		comp |= OFFSET_IN_BLOCKS;
		f->offset = rec->offset / IOT_BLOCK_SIZE;
	}
	if (had != NULL && had->length == rec->length) {
		comp |= NO_LENGTH;
	} else if (rec->length % IOT_BLOCK_SIZE == 0 && rec->length != 0) {
		comp |= LENGTH_IN_BLOCKS;
		f->length = rec->length / IOT_BLOCK_SIZE;
	}
	if (had != NULL ? had->operation == rec->operation
			: rec->operation == 0 && !c->operation_written)
		comp |= NO_OPERATIONID;
	f->compression = (uint8_t)comp;
}

/*
 * Reserves capacity for a file that is not in its process's table; adds the process, too, if p is
 * NULL. Returns NULL if the block is full.
 */
static struct codec_process *reserve_capacity(struct iot_codec *c, struct codec_process *p,
					      uint32_t id)
{
	if (p == NULL)
		p = codec_add_process(c, id);
	return p != NULL && codec_reserve_file(c, p) ? p : NULL;
}

static ssize_t encode(struct iot_codec *c, const struct iot_record *rec, char *line)
{
	const char *why = codec_unfit(rec);
	if (why != NULL)
		return refuse(c, IOT_EUSAGE, why);
	const uint8_t physical = (uint8_t)(~rec->type & IOT_LOGICAL);
	struct codec_process *last = c->last == 0 ? NULL : codec_at(c, c->last);
	const bool same_process = last != NULL && last->id == rec->process;
	struct codec_process *p = same_process ? last : codec_process(c, rec->process);
	struct record_fields f;
	int64_t start, cpu;
	if (!take_times(c, rec, p, &f, &start, &cpu))
		return refuse(c, IOT_EUSAGE,
			      "a CPU clock that leaves 64 bits of nanoseconds, or moved by more "
			      "than 2^63-1 ticks");

	const bool same_file =
	    p != NULL && p->latest.physical != CODEC_NO_SLOT && p->latest.file == rec->file;
	int position = -1;
	if (same_file && p->latest.physical == physical)
		position = 0;
	else if (p != NULL)
		position = codec_find(c, p, rec->file, physical);
	const struct codec_file *had = position < 0 ? NULL : codec_entry(c, p, position);
	choose(c, rec, had, (same_process ? NO_PROCESSID : 0U) | (same_file ? NO_FILEID : 0U), &f);
	unsigned first_use =
	    had != NULL && (had->flags ^ rec->flags) & ~(unsigned)c->lacks ? FIRST_USE_FLAGS : 0;
	if (position < 0) {
		first_use = FIRST_USE_FILE | (p == NULL || p->count == 0 ? FIRST_USE_PROCESS : 0U);
		if ((p = reserve_capacity(c, p, rec->process)) == NULL)
			return refuse(c, IOT_ELIMIT, "the block of memory for the state is full");
	}
	codec_commit(c, p, position, rec->file, physical, start, cpu);
	codec_extent(&p->latest, rec->offset, rec->length, rec->operation);
	if (first_use != 0)
		p->latest.flags = rec->flags;
	c->operation_written |= rec->operation != 0;
	c->first_use = (uint8_t)first_use;
	return record_line_write(line, &f, c->base) - line;
}

static bool uses_avx2(const struct iot_codec *c)
{
	return c->avx2 && c->base == 16 && c->last != 0;
}

ssize_t iot_encode(struct iot_codec *c, const struct iot_record *rec, char *line)
{
	size_t size;
	c->first_use = 0;
	if (uses_avx2(c) && encode_avx2(c, rec, 1, 0, line, IOT_ENCODED_MAX, &size) == 1)
		return (ssize_t)size;
	return encode(c, rec, line);
}

static const struct iot_record *skip(const struct iot_record *rec, size_t n, size_t stride)
{
	return (const struct iot_record *)(const void *)((const char *)rec + n * stride);
}

size_t codec_encode_lines(struct iot_codec *c, const struct iot_record *rec, size_t n,
			  size_t stride, char *text, size_t capacity, size_t *size, ssize_t *last)
{
	size_t done = 0, bytes;
	c->first_use = 0;
	*size = 0;
	*last = 0;
	while (done < n && c->first_use == 0 && capacity - *size >= IOT_ENCODED_MAX) {
		if (uses_avx2(c)) {
			done += encode_avx2(c, skip(rec, done, stride), n - done, stride,
					    text + *size, capacity - *size, &bytes);
			*size += bytes;
		}
		if (done == n || capacity - *size < IOT_ENCODED_MAX)
			break;
		*last = encode(c, skip(rec, done, stride), text + *size);
		if (*last < 0)
			break;
		*size += (size_t)*last;
		done++;
	}
	return done;
}
