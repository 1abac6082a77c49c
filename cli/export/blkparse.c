/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * I/Os of disks in the form of blkparse's default lines: Q and D at the start, C at the end. Lines
 * are in order of time, so completions wait in a heap until no earlier line can follow.
 */
#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/base/number.h"

#include "lib/base/utf8.h"
#include "export.h"

enum {
	LINE_MAX_SIZE = 512,
	COMM_MAX = 64,
	PENDING_MAX = 1 << 22,
	MINOR_BITS = 20, /* of a disk's number: the major number is above them */
};

struct completion {
	uint64_t end_ns, order;
	struct iot_record rec;
};

struct blkparse {
	struct completion *heap; /* the earliest is the first */
	size_t count, capacity;
	uint64_t lines;   /* written */
	uint64_t records; /* so far, for a stable order */
};

static bool is_before(const struct completion *a, const struct completion *b)
{
	return a->end_ns != b->end_ns ? a->end_ns < b->end_ns : a->order < b->order;
}

static void push(struct blkparse *b, struct completion c)
{
	size_t i = b->count++;
	for (; i > 0 && is_before(&c, &b->heap[(i - 1) / 2]); i = (i - 1) / 2)
		b->heap[i] = b->heap[(i - 1) / 2];
	b->heap[i] = c;
}

static struct completion pop(struct blkparse *b)
{
	const struct completion first = b->heap[0], last = b->heap[--b->count];
	size_t i = 0, child;
	for (; (child = 2 * i + 1) < b->count; i = child) {
		if (child + 1 < b->count && is_before(&b->heap[child + 1], &b->heap[child]))
			child++;
		if (!is_before(&b->heap[child], &last))
			break;
		b->heap[i] = b->heap[child];
	}
	b->heap[i] = last;
	return first;
}

/* Lines */

static char *put_left(char *to, uint64_t v, unsigned width)
{
	char *const end = number_fast(to, v);
	const size_t n = (size_t)(end - to);
	if (n >= width)
		return end;
	memset(end, ' ', width - n);
	return to + width;
}

/* The direction, and letters for read-ahead and metadata. */
static char *put_rwbs(char *to, unsigned type)
{
	const char *const letter = type & IOT_WRITE ? "W" : "R";
	const unsigned kind = type & IOT_DATA_KIND;
	const char *const more = kind == IOT_READ_AHEAD ? "A" : kind == IOT_METADATA ? "M" : "";
	to = stpcpy(to, *more == '\0' ? "  " : " ");
	return stpcpy(stpcpy(to, letter), more);
}

/* The name of the program without characters that end it. */
static char *put_comm(struct export *x, char *to, uint32_t process)
{
	const struct name *program = names_process(&x->names, process, PROCESS_PROGRAM);
	for (size_t i = 0; i < program->size && i < COMM_MAX; i++) {
		const char c = program->text[i];
		*to++ = (char)(c == ' ' || c == '[' || c == ']' ? '_' : c);
	}
	return to;
}

/* maj,min cpu sequence seconds.nanoseconds pid action rwbs sector + sectors [comm] */
static void write_line(struct export *x, const struct iot_record *rec, uint64_t ns, char action)
{
	struct blkparse *b = x->state;
	char *to = output_reserve(x->out, LINE_MAX_SIZE);
	to = number_right(to, rec->file >> MINOR_BITS, 3);
	*to++ = ',';
	to = put_left(to, rec->file & ((1U << MINOR_BITS) - 1), 3);
	to = stpcpy(to, "  0 ");
	to = number_right(to, ++b->lines, 8);
	*to++ = ' ';
	to = number_right(to, ns / 1000000000, 5);
	*to++ = '.';
	to = number_fixed(to, ns % 1000000000, 9);
	*to++ = ' ';
	to = number_right(to, rec->process, 5);
	to = stpcpy(to, "  ");
	*to++ = action;
	*to++ = ' ';
	to = put_rwbs(to, rec->type);
	*to++ = ' ';
	to = number_fast(to, rec->offset);
	to = stpcpy(to, " + ");
	to = number_fast(to, rec->length);
	to = stpcpy(to, " [");
	to = action == 'C' ? stpcpy(to, "0") : put_comm(x, to, rec->process);
	output_took(x->out, stpcpy(to, "]\n"));
}

static void complete_until(struct export *x, uint64_t ns)
{
	struct blkparse *b = x->state;
	while (b->count > 0 && b->heap[0].end_ns <= ns) {
		const struct completion c = pop(b);
		write_line(x, &c.rec, c.end_ns, 'C');
	}
}

/* The number of the device: from the source-id of the disk, as "8,16", or else its fileId. */
static uint32_t device_of(const struct export *x, const struct iot_record *rec)
{
	const struct current_text *disk = current_file(&x->names.current, rec);
	const struct iot_text id = current_key(disk, "source-id");
	const char *comma = id.data != NULL ? memchr(id.data, ',', id.size) : NULL;
	uint64_t major, minor;
	if (comma == NULL || !number_parse(id.data, (size_t)(comma - id.data), 10, &major) ||
	    !number_parse(comma + 1, id.size - (size_t)(comma + 1 - id.data), 10, &minor) ||
	    major >> (32 - MINOR_BITS) != 0 || minor >> MINOR_BITS != 0)
		return rec->file;
	return (uint32_t)(major << MINOR_BITS | minor);
}

/* Returns whether the record can be written; otherwise counts why not. */
static bool is_expressible(struct export *x, const struct iot_record *rec)
{
	if (rec->type & IOT_LOGICAL)
		x->notes[NOTE_LOGICAL]++;
	else if (rec->flags & IOT_START_UNKNOWN)
		x->notes[NOTE_START_UNKNOWN]++;
	else if (rec->flags & IOT_OFFSET_UNKNOWN)
		x->notes[NOTE_OFFSET_UNKNOWN]++;
	else if (rec->length == 0)
		x->notes[NOTE_EMPTY]++;
	else
		return true;
	return false;
}

static void record(struct export *x, const struct iot_record *rec)
{
	struct blkparse *b = x->state;
	const uint64_t start = (uint64_t)rec->start_ns;
	if (!is_expressible(x, rec))
		return;
	complete_until(x, start);
	struct iot_record io = *rec;
	io.file = device_of(x, rec);
	write_line(x, &io, start, 'Q');
	write_line(x, &io, start, 'D');
	if (rec->flags & IOT_DURATION_UNKNOWN) {
		x->notes[NOTE_DURATION_UNKNOWN]++;
		return;
	}
	if (b->count == PENDING_MAX)
		export_fail(x, "more than %d I/Os at a time", PENDING_MAX);
	if (!array_reserve(&b->heap, &b->capacity, b->count + 1, sizeof *b->heap))
		x->failed = true;
	if (!x->failed)
		push(b, (struct completion){start + rec->duration_ns, b->records++, io});
}

static size_t encode(char *out, const char *text, size_t size)
{
	return percent_encode(out, text, size, "");
}

static void begin(struct export *x)
{
	(void)export_state(x, sizeof(struct blkparse));
}

static void events(struct export *x, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n && !x->failed; i++) {
		if (ev[i].kind == IOT_RECORD)
			record(x, &ev[i].rec);
		x->notes[NOTE_METADATA] += ev[i].kind == IOT_OP;
		x->notes[NOTE_COUNTERS] += ev[i].kind == IOT_COUNTER;
		x->notes[NOTE_LOST] += ev[i].kind == IOT_LOST;
		export_event(x, &ev[i]);
	}
}

static void end(struct export *x)
{
	complete_until(x, UINT64_MAX);
}

static void release(struct export *x)
{
	struct blkparse *b = x->state;
	if (b != NULL)
		free(b->heap);
}

const struct export_format export_blkparse = {
    .encode = encode, .begin = begin, .events = events, .end = end, .free = release};
