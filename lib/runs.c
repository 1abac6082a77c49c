/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * On file an event is a mask of the fields that are not 0 (two bytes, little-endian), the start
 * since the event before in its run, and those fields, as numbers of seven bits a byte, the last
 * byte below 0x80; then the text. Nobody else ever sees the file: it has no name.
 */
#include "runs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	STORED_MAX = 128, /* bytes of an event without its text */
	BUFFER_MIN = 4096,
	WRITE_BUFFER_MAX = 65536,
	TEXT_ROOM = 65536,      /* text handed out at once, if one alone has no more */
	MERGE_MEMORY = 1 << 17, /* of all runs together, if their least is not more */
	BATCH = 64,
};

enum field {
	F_DURATION = 0x0001,
	F_CPU = 0x0002,
	F_OFFSET = 0x0004,
	F_LENGTH = 0x0008,
	F_OPERATION = 0x0010,
	F_FILE = 0x0020,
	F_PROCESS = 0x0040,
	F_OBJECT = 0x0080,
	F_TYPE = 0x0100,
	F_FLAGS = 0x0200,
	F_SPARE = 0x0400,
	F_KIND = 0x0800, /* 0 here: IOT_RECORD */
	F_HAS = 0x1000,
	F_TEXT = 0x2000,
};

struct iot_cursor {
	uint64_t offset, end; /* of the run's rest that is not in the buffer */
	unsigned char *buf;
	size_t pos, len, room;
	struct iot_event head; /* its text is still to be read, at pos */
};

struct iot_heap_entry {
	int64_t start;
	size_t run;
};

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The temporary file */

static const char *temporary_folder(void)
{
	const char *folder = getenv("TMPDIR");
	return folder != NULL && folder[0] != '\0' ? folder : "/tmp";
}

static int open_named(const char *folder)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/iotrace-sort.XXXXXX", folder);
	if (n < 0 || (size_t)n >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	int fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		(void)unlink(path);
	return fd;
}

static int file_open(struct iot_runs *r, struct iot_run_file *f)
{
	const char *folder = temporary_folder();
	f->buf = malloc(WRITE_BUFFER_MAX);
	if (f->buf == NULL)
		return iot_error_set(r->error, IOT_ENOMEM, "out of memory for sorting");
	f->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
	if (f->fd < 0)
		f->fd = open_named(folder);
	if (f->fd >= 0)
		return IOT_OK;
	char shown[256];
	return iot_error_system(r->error, errno, "cannot make a temporary file in %s",
				iot_escape(shown, sizeof(shown), folder, strlen(folder)));
}

static void file_close(struct iot_run_file *f)
{
	if (f->fd >= 0)
		(void)close(f->fd); /* nothing in it is needed any more */
	free(f->start);
	free(f->buf);
	*f = (struct iot_run_file){.fd = -1};
}

static int file_write(struct iot_runs *r, struct iot_run_file *f, const void *data, size_t size)
{
	const char *from = data;
	while (size > 0) {
		ssize_t n = pwrite(f->fd, from, size, (off_t)f->size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			char shown[256];
			const char *folder = temporary_folder();
			return iot_error_system(
			    r->error, n < 0 ? errno : ENOSPC,
			    "cannot write the temporary file for sorting in %s",
			    iot_escape(shown, sizeof(shown), folder, strlen(folder)));
		}
		from += n;
		size -= (size_t)n;
		f->size += (uint64_t)n;
		r->written += (uint64_t)n;
	}
	return IOT_OK;
}

static int file_flush(struct iot_runs *r, struct iot_run_file *f)
{
	size_t size = f->fill;
	f->fill = 0;
	return file_write(r, f, f->buf, size);
}

static int file_read(struct iot_runs *r, uint64_t offset, void *data, size_t size)
{
	char *to = data;
	while (size > 0) {
		ssize_t n = pread(r->file.fd, to, size, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return iot_error_system(r->error, n < 0 ? errno : EIO,
						"cannot read the temporary file for sorting");
		to += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
	return IOT_OK;
}

/* Events to bytes and back */

static unsigned char *put_number(unsigned char *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (unsigned char)(v | 0x80);
	*p++ = (unsigned char)v;
	return p;
}

static unsigned char *put_field(unsigned char *p, uint64_t v, unsigned bit, unsigned *mask)
{
	if (v == 0)
		return p;
	*mask |= bit;
	return put_number(p, v);
}

static size_t store(unsigned char *to, const struct iot_event *ev, int64_t last)
{
	const struct iot_record *rec = &ev->rec;
	unsigned mask = 0;
	unsigned char *p = put_number(to + 2, (uint64_t)rec->start_ns - (uint64_t)last);
	uint64_t cpu = (uint64_t)rec->cpu_ns << 1 ^ (rec->cpu_ns < 0 ? UINT64_MAX : 0);
	p = put_field(p, rec->duration_ns, F_DURATION, &mask);
	p = put_field(p, cpu, F_CPU, &mask);
	p = put_field(p, rec->offset, F_OFFSET, &mask);
	p = put_field(p, rec->length, F_LENGTH, &mask);
	p = put_field(p, rec->operation, F_OPERATION, &mask);
	p = put_field(p, rec->file, F_FILE, &mask);
	p = put_field(p, rec->process, F_PROCESS, &mask);
	p = put_field(p, rec->object, F_OBJECT, &mask);
	p = put_field(p, rec->type, F_TYPE, &mask);
	p = put_field(p, rec->flags, F_FLAGS, &mask);
	p = put_field(p, (uint64_t)rec->spare << 16 | rec->zero, F_SPARE, &mask);
	p = put_field(p, ev->kind ^ IOT_RECORD, F_KIND, &mask);
	p = put_field(p, ev->has, F_HAS, &mask);
	p = put_field(p, ev->text.size, F_TEXT, &mask);
	to[0] = (unsigned char)mask;
	to[1] = (unsigned char)(mask >> 8);
	return (size_t)(p - to);
}

static uint64_t get_number(const unsigned char **p)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		unsigned char c = *(*p)++;
		v |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80)
			break;
	}
	return v;
}

static uint64_t get_field(const unsigned char **p, unsigned bit, unsigned mask)
{
	return (mask & bit) != 0 ? get_number(p) : 0;
}

/* ev->rec.start_ns has to be that of the event before, or 0. */
static size_t load(const unsigned char *from, struct iot_event *ev)
{
	struct iot_record *rec = &ev->rec;
	unsigned mask = from[0] | (unsigned)from[1] << 8;
	const unsigned char *p = from + 2;
	rec->start_ns = (int64_t)((uint64_t)rec->start_ns + get_number(&p));
	rec->duration_ns = get_field(&p, F_DURATION, mask);
	uint64_t cpu = get_field(&p, F_CPU, mask);
	rec->cpu_ns = (int64_t)(cpu >> 1 ^ (0 - (cpu & 1)));
	rec->offset = get_field(&p, F_OFFSET, mask);
	rec->length = get_field(&p, F_LENGTH, mask);
	rec->operation = (uint32_t)get_field(&p, F_OPERATION, mask);
	rec->file = (uint32_t)get_field(&p, F_FILE, mask);
	rec->process = (uint32_t)get_field(&p, F_PROCESS, mask);
	rec->object = (uint32_t)get_field(&p, F_OBJECT, mask);
	rec->type = (uint8_t)get_field(&p, F_TYPE, mask);
	rec->flags = (uint8_t)get_field(&p, F_FLAGS, mask);
	uint64_t spare = get_field(&p, F_SPARE, mask);
	rec->zero = (uint16_t)spare;
	rec->spare = (uint32_t)(spare >> 16);
	ev->kind = (uint32_t)get_field(&p, F_KIND, mask) ^ IOT_RECORD;
	ev->has = (uint32_t)get_field(&p, F_HAS, mask);
	ev->text.size = get_field(&p, F_TEXT, mask);
	return (size_t)(p - from);
}

/* Putting */

static int begin_run(struct iot_runs *r, struct iot_run_file *f)
{
	if (f->fd < 0) {
		int status = file_open(r, f);
		if (status != IOT_OK)
			return status;
	}
	if (f->count == f->room) {
		size_t room = f->room > 0 ? 2 * f->room : 64;
		uint64_t *start = realloc(f->start, room * sizeof(*start));
		if (start == NULL)
			return iot_error_set(r->error, IOT_ENOMEM, "out of memory for sorting");
		f->start = start;
		f->room = room;
	}
	f->start[f->count++] = f->size + f->fill;
	f->last = 0;
	return IOT_OK;
}

static int put_text(struct iot_runs *r, struct iot_run_file *f, struct iot_text text)
{
	if (text.size > WRITE_BUFFER_MAX - f->fill) {
		int status = file_flush(r, f);
		if (status != IOT_OK)
			return status;
		if (text.size > WRITE_BUFFER_MAX)
			return file_write(r, f, text.data, text.size);
	}
	if (text.data != NULL)
		memcpy(f->buf + f->fill, text.data, text.size);
	f->fill += text.size;
	return IOT_OK;
}

static int put(struct iot_runs *r, struct iot_run_file *f, const struct iot_event *ev, size_t n)
{
	int status = IOT_OK;
	for (size_t i = 0; i < n && status == IOT_OK; i++) {
		if (f->count == 0 || ev[i].rec.start_ns < f->last)
			status = begin_run(r, f);
		if (status == IOT_OK && WRITE_BUFFER_MAX - f->fill < STORED_MAX)
			status = file_flush(r, f);
		if (status != IOT_OK)
			return status;
		f->fill += store(f->buf + f->fill, &ev[i], f->last);
		f->last = ev[i].rec.start_ns;
		if (ev[i].text.size > 0)
			status = put_text(r, f, ev[i].text);
	}
	return status;
}

int iot_runs_put(struct iot_runs *r, const struct iot_event *ev, size_t n)
{
	int status = put(r, &r->file, ev, n);
	r->made = r->file.count;
	return status;
}

/* Merging */

static int cursor_fill(struct iot_runs *r, struct iot_cursor *c)
{
	c->len -= c->pos;
	memmove(c->buf, c->buf + c->pos, c->len);
	c->pos = 0;
	uint64_t left = c->end - c->offset;
	size_t n = c->room - c->len < left ? c->room - c->len : (size_t)left;
	int status = file_read(r, c->offset, c->buf + c->len, n);
	c->len += n;
	c->offset += n;
	return status;
}

/* Makes the next event the head; 0 at the end of the run. */
static int cursor_next(struct iot_runs *r, struct iot_cursor *c)
{
	if (c->len - c->pos < STORED_MAX && c->offset < c->end) {
		int status = cursor_fill(r, c);
		if (status != IOT_OK)
			return status;
	}
	if (c->pos == c->len)
		return 0;
	c->pos += load(c->buf + c->pos, &c->head);
	if (c->pos > c->len || c->head.text.size > c->end - c->offset + (c->len - c->pos))
		return iot_error_set(r->error, IOT_EIO,
				     "the temporary file for sorting has been changed");
	return 1;
}

static int cursor_text(struct iot_runs *r, struct iot_cursor *c, char *to)
{
	size_t size = c->head.text.size, n = min_size(size, c->len - c->pos);
	memcpy(to, c->buf + c->pos, n);
	c->pos += n;
	if (n == size)
		return IOT_OK;
	uint64_t offset = c->offset;
	c->offset += size - n;
	return file_read(r, offset, to + n, size - n);
}

static bool heap_less(struct iot_heap_entry a, struct iot_heap_entry b)
{
	return a.start < b.start || (a.start == b.start && a.run < b.run);
}

static void sift_down(struct iot_heap_entry *heap, size_t n, size_t at)
{
	struct iot_heap_entry entry = heap[at];
	for (;;) {
		size_t child = 2 * at + 1;
		if (child >= n)
			break;
		if (child + 1 < n && heap_less(heap[child + 1], heap[child]))
			child++;
		if (!heap_less(heap[child], entry))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = entry;
}

static void merge_close(struct iot_runs *r)
{
	free(r->cursor);
	free(r->heap);
	free(r->buffers);
	r->cursor = NULL;
	r->heap = NULL;
	r->buffers = NULL;
	r->live = 0;
}

/* Merges runs [first, first + n) of the file, with so many bytes for reading each. */
static int merge_open(struct iot_runs *r, size_t first, size_t n, size_t room)
{
	merge_close(r);
	r->cursor = calloc(n, sizeof(*r->cursor));
	r->heap = calloc(n, sizeof(*r->heap));
	r->buffers = malloc(n * (room + STORED_MAX));
	if (r->cursor == NULL || r->heap == NULL || r->buffers == NULL)
		return iot_error_set(r->error, IOT_ENOMEM, "out of memory for sorting");
	for (size_t i = 0; i < n; i++) {
		struct iot_cursor *c = &r->cursor[i];
		size_t run = first + i;
		c->offset = r->file.start[run];
		c->end = run + 1 < r->file.count ? r->file.start[run + 1] : r->file.size;
		c->buf = r->buffers + i * (room + STORED_MAX);
		c->room = room;
		int status = cursor_next(r, c); /* no run is empty */
		if (status < 0)
			return status;
		r->heap[i] = (struct iot_heap_entry){c->head.rec.start_ns, i};
	}
	r->live = n;
	for (size_t i = n / 2; i-- > 0;)
		sift_down(r->heap, n, i);
	return IOT_OK;
}

static int text_room(struct iot_runs *r, size_t size)
{
	size_t room = size > TEXT_ROOM ? size : TEXT_ROOM;
	char *text = realloc(r->text, room);
	if (text == NULL)
		return iot_error_set(r->error, IOT_ENOMEM, "out of memory for sorting");
	r->text = text;
	r->text_room = room;
	return IOT_OK;
}

/* Moves the earliest event to *out: 1; 0 if there is no room for its text beside the others. */
static int take_first(struct iot_runs *r, struct iot_event *out)
{
	struct iot_cursor *c = &r->cursor[r->heap[0].run];
	size_t size = c->head.text.size;
	int status = IOT_OK;
	if (size > r->text_room - r->text_used) {
		if (r->text_used > 0)
			return 0;
		status = text_room(r, size);
	}
	*out = c->head;
	out->text.data = size > 0 ? r->text + r->text_used : NULL;
	if (status == IOT_OK && size > 0)
		status = cursor_text(r, c, r->text + r->text_used);
	if (status != IOT_OK)
		return status;
	r->text_used += size;
	status = cursor_next(r, c);
	if (status > 0)
		r->heap[0].start = c->head.rec.start_ns;
	else
		r->heap[0] = r->heap[--r->live];
	sift_down(r->heap, r->live, 0);
	return status < 0 ? status : 1;
}

ssize_t iot_runs_take(struct iot_runs *r, struct iot_event *out, size_t max)
{
	size_t n = 0;
	r->text_used = 0;
	while (n < max && r->live > 0) {
		int got = take_first(r, &out[n]);
		if (got < 0)
			return got;
		if (got == 0)
			break;
		n++;
	}
	return (ssize_t)n;
}

static int merge_group(struct iot_runs *r, struct iot_run_file *to, size_t first, size_t n)
{
	struct iot_event batch[BATCH];
	int status = merge_open(r, first, n, BUFFER_MIN);
	while (status == IOT_OK) {
		ssize_t got = iot_runs_take(r, batch, BATCH);
		if (got <= 0)
			return (int)got;
		status = put(r, to, batch, (size_t)got);
	}
	return status;
}

/* Neighbouring runs become one: what came earlier stays in the earlier run. */
static int merge_round(struct iot_runs *r, size_t ways)
{
	struct iot_run_file to = {.fd = -1};
	int status = IOT_OK;
	for (size_t i = 0; i < r->file.count && status == IOT_OK; i += ways)
		status = merge_group(r, &to, i, min_size(ways, r->file.count - i));
	if (status == IOT_OK)
		status = file_flush(r, &to);
	merge_close(r);
	file_close(&r->file);
	r->file = to;
	return status;
}

void iot_runs_init(struct iot_runs *r, size_t memory, struct iot_error *error)
{
	*r = (struct iot_runs){.memory = memory, .error = error, .file = {.fd = -1}};
}

void iot_runs_free(struct iot_runs *r)
{
	merge_close(r);
	file_close(&r->file);
	free(r->text);
}

int iot_runs_end(struct iot_runs *r)
{
	if (r->file.count == 0)
		return IOT_OK;
	int status = file_flush(r, &r->file);
	size_t ways = r->memory / BUFFER_MIN > 2 ? r->memory / BUFFER_MIN : 2;
	while (status == IOT_OK && r->file.count > ways)
		status = merge_round(r, ways > 2 ? ways - 1 : 2);
	if (status != IOT_OK)
		return status;
	free(r->file.buf);
	r->file.buf = NULL;
	size_t runs = r->file.count;
	size_t share = MERGE_MEMORY / runs;
	share = min_size(share, r->memory / runs);
	return merge_open(r, 0, runs, share > BUFFER_MIN ? share : BUFFER_MIN);
}
