/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Uncompressed input is read directly into the buffer that peek returns, compressed input is
 * decompressed into it, and uncompressed memory is returned without a copy. With a prefetch thread,
 * its buffers are returned without a copy: the unconsumed rest of one is copied in front of the
 * next.
 */
#include "bufreader_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	SLACK = 1 << 16, /* capacity of the buffer beyond one read */
	HUGE_PAGE = 2 << 20,
	UNPACKED_CAPACITY =
	    /*
	     * initial capacity of the buffer; small, because the cache also has to hold zstd's
	     * window
	     */
	3 << 16,
};

static const size_t READ_SIZE_DEFAULT = 1 << 20;
static const size_t READ_SIZE_MAX = 1 << 26;
static const size_t BUFFER_DEFAULT = 1 << 24;
static const uint64_t WINDOW_DEFAULT = 1 << 27;

static size_t or_default(size_t value, size_t fallback, size_t max)
{
	if (value == 0)
		value = fallback;
	return value < max ? value : max;
}

/* zstd's own limit is a power of two. */
static uint64_t power_of_two_below(uint64_t n)
{
	uint64_t power = 1 << 10;

	while (power < (UINT64_C(1) << 31) && power * 2 <= n)
		power *= 2;
	return power;
}

struct bufreader *bufreader_new(const char *name, const struct bufreader_options *options)
{
	static const struct bufreader_options defaults = {0};
	const struct bufreader_options *o = options ? options : &defaults;
	const size_t size = strlen(name);
	struct bufreader *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->name = malloc(4 * size + 4);
	if (!w->name) {
		free(w);
		return NULL;
	}
	escape_text(w->name, 4 * size + 4, name, size);
	w->buffer_max = or_default(o->buffer_max, BUFFER_DEFAULT, SIZE_MAX / 4);
	w->detected = o->plain;
	w->ahead = o->stop ? PREFETCH_NEVER : o->ahead;
	w->ahead_size = o->ahead_size;
	w->done = o->done;
	w->done_context = o->done_context;
	w->in.error = w->unpacker.error = &w->error;
	w->in.name = w->unpacker.name = w->name;
	w->in.read_size = or_default(o->read_size, READ_SIZE_DEFAULT, READ_SIZE_MAX);
	w->in.stop = o->stop;
	w->in.waits = o->waits;
	w->in.why = o->why;
	w->unpacker.in = &w->in;
	w->unpacker.window_max = power_of_two_below(o->window_max ? o->window_max : WINDOW_DEFAULT);
	w->bytes = "";
	return w;
}

void bufreader_free(struct bufreader *w)
{
	if (!w)
		return;
	decompress_ahead_free(w->readahead);
	if (w->fd_owned)
		close(w->in.fd);
	decompress_close(&w->unpacker);
	free(w->block);
	free(w->name);
	if (w->done)
		w->done(w->done_context);
	free(w);
}

static int fail_memory(struct bufreader *w)
{
	return error_set(&w->error, IOT_ENOMEM, "%s: out of memory", w->name);
}

/* Opening */

static int begin(struct bufreader *w, enum byte_source_kind kind)
{
	if (w->error.status != IOT_OK)
		return w->error.status;
	if (w->in.kind != BYTE_SOURCE_NONE)
		return error_set(&w->error, IOT_EUSAGE, "%s: is open already", w->name);
	w->in.kind = kind;
	if (kind == BYTE_SOURCE_MEMORY)
		return IOT_OK;
	w->capacity = w->in.read_size + SLACK;
	w->block = malloc(w->capacity);
	if (!w->block)
		return fail_memory(w);
	w->bytes = w->block;
	return IOT_OK;
}

int bufreader_open_fd(struct bufreader *w, int fd)
{
	struct stat st;

	if (begin(w, BYTE_SOURCE_FD) != IOT_OK)
		return w->error.status;
	w->in.fd = fd;
	if (fstat(fd, &st) != 0)
		return error_system(&w->error, errno, "%s: cannot be read", w->name);
	if (S_ISDIR(st.st_mode))
		return error_system(&w->error, EISDIR, "%s: cannot be read", w->name);
	if (S_ISREG(st.st_mode)) {
		const off_t first = lseek(fd, 0, SEEK_CUR);
		w->first = first > 0 ? (uint64_t)first : 0;
		w->total = (uint64_t)st.st_size > w->first ? (uint64_t)st.st_size - w->first : 0;
	}
	return IOT_OK;
}

int bufreader_open(struct bufreader *w, const char *path)
{
	int fd;

	if (strcmp(path, "-") == 0)
		return bufreader_open_fd(w, STDIN_FILENO);
	if (w->error.status != IOT_OK)
		return w->error.status;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return error_system(&w->error, errno, "%s: cannot be opened", w->name);
	if (bufreader_open_fd(w, fd) != IOT_OK) {
		close(fd);
		return w->error.status;
	}
	w->fd_owned = true;
	return IOT_OK;
}

int bufreader_open_memory(struct bufreader *w, const void *data, size_t size)
{
	if (begin(w, BYTE_SOURCE_MEMORY) != IOT_OK)
		return w->error.status;
	w->bytes = w->in.memory = data && size > 0 ? data : "";
	w->capacity = size;
	w->total = size;
	return IOT_OK;
}

int bufreader_open_callback(struct bufreader *w, iot_read_fn *read, void *context)
{
	if (begin(w, BYTE_SOURCE_CALLBACK) != IOT_OK)
		return w->error.status;
	w->in.read = read;
	w->in.context = context;
	return IOT_OK;
}

/* The prefetch thread */

/* Without a thread the reader decompresses on demand. */
void bufreader_start_prefetch(struct bufreader *w)
{
	if (w->ahead == PREFETCH_NEVER || w->error.status != IOT_OK)
		return;
	if (w->ahead == PREFETCH_IF_USEFUL && !decompress_ahead_pays())
		return;
	w->stored = w->in.stored;
	w->ahead_error = w->error;
	w->in.error = w->unpacker.error = &w->ahead_error;
	w->readahead = decompress_ahead_new(&w->unpacker, w->ahead_size);
	if (!w->readahead)
		w->in.error = w->unpacker.error = &w->error;
}

/* The thread has reported the end: decompressor and error belong to the bufreader again. */
static void ahead_ended(struct bufreader *w)
{
	w->stored = w->in.stored;
	w->in.error = w->unpacker.error = &w->error;
	if (w->error.status == IOT_OK)
		w->error = w->ahead_error;
	w->ended = true;
}

static void release_piece(struct bufreader *w)
{
	if (w->holding)
		decompress_ahead_release(w->readahead);
	w->holding = false;
}

/* Detection */

static void unpack_from_now(struct bufreader *w, enum iot_compression how)
{
	const size_t size = w->end;

	w->how = how;
	w->end = 0;
	if (decompress_open(&w->unpacker, how, w->bytes, size, w->capacity) != IOT_OK)
		return;
	if (!w->block) {
		/* The caller's memory is now the input of the decompressor. */
		w->capacity = UNPACKED_CAPACITY;
		w->bytes = w->block = malloc(w->capacity);
	}
	if (w->capacity > UNPACKED_CAPACITY)
		w->capacity = UNPACKED_CAPACITY;
	if (w->block) {
		bufreader_start_prefetch(w);
	} else {
		fail_memory(w);
		w->bytes = "";
	}
}

/* Examines the first bytes, as far as available, before any are returned. */
static void detect(struct bufreader *w)
{
	const enum format_match gzip = decompress_match(IOT_GZIP, w->bytes, w->end);
	const enum format_match zstd = decompress_match(IOT_ZSTD, w->bytes, w->end);

	if ((gzip == FORMAT_MATCH_MAYBE || zstd == FORMAT_MATCH_MAYBE) && !w->in.ended)
		return;
	w->detected = true;
	if (gzip == FORMAT_MATCH_YES)
		unpack_from_now(w, IOT_GZIP);
	else if (zstd == FORMAT_MATCH_YES)
		unpack_from_now(w, IOT_ZSTD);
}

/* Filling the buffer */

static void read_plain(struct bufreader *w)
{
	size_t n;

	if (w->in.kind == BYTE_SOURCE_MEMORY)
		n = byte_source_step(&w->in, w->capacity - w->end);
	else
		n = byte_source_read(&w->in, w->block + w->end, w->capacity - w->end);
	w->end += n;
	if (!w->detected)
		detect(w);
	w->ended = n == 0 && w->how == IOT_PLAIN;
}

static void unpack(struct bufreader *w)
{
	w->end += decompress_read(&w->unpacker, w->block + w->end, w->capacity - w->end);
	w->ended = w->unpacker.ended;
}

static void move_to_front(struct bufreader *w, char *front)
{
	memmove(front, w->block + w->start, w->end - w->start);
	w->end -= w->start;
	w->start = 0;
}

/*
 * Returns a larger block with the same bytes at its front. realloc remaps a large block without
 * copying it as long as all its pages have the same advice, so the advice includes the first and
 * last page. Huge pages save most of the cost of the first access.
 */
static char *grown(char *block, size_t capacity)
{
	char *bigger = realloc(block, capacity);
	if (!bigger || capacity < 2 * HUGE_PAGE)
		return bigger;
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const uintptr_t first = (uintptr_t)bigger / page * page;
	const uintptr_t end = ((uintptr_t)bigger + capacity + page - 1) / page * page;
	(void)madvise((char *)bigger - ((uintptr_t)bigger - first), end - first, MADV_HUGEPAGE);
	return bigger;
}

static bool grow(struct bufreader *w, size_t capacity_max)
{
	const size_t capacity = w->capacity < capacity_max / 4 ? 4 * w->capacity : capacity_max;
	char *block;

	move_to_front(w, w->block);
	block = grown(w->block, capacity);
	if (!block) {
		fail_memory(w);
		return false;
	}
	w->bytes = w->block = block;
	w->capacity = capacity;
	return true;
}

/*
 * Reserves capacity after the available bytes. They are moved when at least as many have been
 * consumed as are left, or into twice the capacity: either way each byte is moved a bounded number
 * of times.
 */
static bool reserve_capacity(struct bufreader *w)
{
	const size_t step = w->how == IOT_PLAIN ? w->in.read_size : SLACK;
	const size_t rest = w->end - w->start;
	const size_t tail = w->capacity - w->end;
	const size_t capacity_max = w->buffer_max >= w->capacity ? w->buffer_max + 1 : w->capacity;

	if (!w->block)
		return true; /* memory is returned in place */
	if (tail >= step || (tail > 0 && rest > w->start))
		return true;
	if (w->capacity < capacity_max && rest > w->start)
		return grow(w, capacity_max);
	move_to_front(w, w->block);
	return true;
}

static void show_piece(struct bufreader *w, const struct ahead_buffer *piece, size_t rest)
{
	if (rest > 0)
		memcpy(piece->data - rest, w->bytes + w->start, rest);
	release_piece(w);
	w->holding = true;
	w->bytes = piece->data;
	w->bytes -= DECOMPRESS_AHEAD_HEADROOM;
	w->start = DECOMPRESS_AHEAD_HEADROOM - rest;
	w->end = DECOMPRESS_AHEAD_HEADROOM + piece->size;
}

/*
 * The rest exceeds the headroom of a buffer, so rest and buffer are copied into the block. Returns
 * false if out of memory.
 */
static bool append_piece(struct bufreader *w, const struct ahead_buffer *piece, size_t rest)
{
	const size_t size = rest + piece->size;
	const bool in_block = w->bytes == w->block;
	char *block = w->block;

	if (in_block && w->end + piece->size > w->capacity)
		move_to_front(w, w->block);
	if (size > w->capacity) {
		block = grown(w->block, 2 * size);
		if (!block) {
			fail_memory(w);
			return false;
		}
		w->capacity = 2 * size;
		w->block = block;
	}
	if (!in_block) {
		memcpy(block, w->bytes + w->start, rest);
		w->start = 0;
		w->end = rest;
	}
	memcpy(block + w->end, piece->data, piece->size);
	w->end += piece->size;
	w->bytes = block;
	return true;
}

static void take_piece(struct bufreader *w)
{
	const size_t rest = w->end - w->start;
	struct ahead_buffer piece;

	if (!decompress_ahead_next(w->readahead, &piece)) {
		ahead_ended(w);
		return;
	}
	w->stored = piece.stored;
	if (rest <= DECOMPRESS_AHEAD_HEADROOM) {
		show_piece(w, &piece, rest);
		return;
	}
	if (append_piece(w, &piece, rest)) {
		release_piece(w);
		decompress_ahead_release(w->readahead);
	}
}

static void look(struct bufreader *w)
{
	if (w->readahead)
		take_piece(w);
	else if (!reserve_capacity(w))
		return;
	else if (w->how == IOT_PLAIN)
		read_plain(w);
	else
		unpack(w);
}

/* No bytes are returned before the compression is detected. */
static bool enough(const struct bufreader *w, size_t need)
{
	return w->ended || (w->detected && w->end - w->start >= need);
}

const char *bufreader_peek(struct bufreader *w, size_t want, size_t *have)
{
	const size_t need = want <= w->buffer_max ? want : w->buffer_max + 1;

	if (w->in.kind == BYTE_SOURCE_NONE)
		error_set(&w->error, IOT_EUSAGE, "%s: is not open", w->name);
	while (!enough(w, need) && w->error.status == IOT_OK)
		look(w);
	*have = w->end - w->start;
	if (want > w->buffer_max && *have > w->buffer_max)
		error_set(&w->error, IOT_ELIMIT, "%s: more than %zu bytes are asked for at once",
			  w->name, w->buffer_max);
	return w->bytes + w->start;
}

void bufreader_compact(struct bufreader *w)
{
	if (w->block && w->bytes == w->block && w->start > 0 && w->end - w->start < w->start)
		move_to_front(w, w->block);
}

void bufreader_consume(struct bufreader *w, size_t n)
{
	w->start += n;
}

bool bufreader_waits(const struct bufreader *w, size_t want, int timeout_ms)
{
	struct pollfd p = {.fd = w->in.fd, .events = POLLIN};

	if (w->in.kind != BYTE_SOURCE_FD || w->readahead || w->in.ended ||
	    w->error.status != IOT_OK || enough(w, want))
		return false;
	return poll(&p, 1, timeout_ms) == 0;
}

/* Status */

int bufreader_status(const struct bufreader *w)
{
	return w->error.status;
}

const char *bufreader_name(const struct bufreader *w)
{
	return w->name;
}

const struct error *bufreader_error(const struct bufreader *w)
{
	return &w->error;
}

enum iot_compression bufreader_compression(const struct bufreader *w)
{
	return w->how;
}

uint64_t bufreader_position(const struct bufreader *w)
{
	return w->readahead ? w->stored : w->in.stored;
}

uint64_t bufreader_stored(const struct bufreader *w)
{
	return bufreader_position(w) - w->skipped;
}

uint64_t bufreader_total(const struct bufreader *w)
{
	return w->total;
}
