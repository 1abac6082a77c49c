/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Uncompressed input is read directly into the buffer that peek returns, compressed input is
 * decompressed into it, and uncompressed memory is returned without a copy. With a prefetch thread,
 * its slots are returned without a copy: the unconsumed rest of one is copied in front of the
 * next.
 */
#include "bufreader.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decompress.h"
#include "lib/base/fdio.h"
#include "lib/base/prefetch.h"
#include "lib/base/thread.h"

enum {
	SLACK = 1 << 16, /* capacity of the buffer beyond one read */
	HUGE_PAGE = 2 << 20,
	/* initial capacity of the buffer: small, as the cache also has to hold zstd's window */
	UNPACKED_CAPACITY = 3 << 16,

	SLOTS = 8,           /* minimum number that the thread fills ahead */
	SLOT_SIZE = 1 << 16, /* small enough that slots stay in the cache */
	HEADROOM = 1 << 16,  /* precedes a slot, for the unconsumed rest of the previous one */
	RESYNC_THREADS = 16, /* damaged frames after which starting another thread does not pay */
};

static const size_t READ_SIZE_DEFAULT = 1 << 20;
static const size_t READ_SIZE_MAX = 1 << 26;
static const size_t BUFFER_DEFAULT = 1 << 24;
static const uint64_t WINDOW_DEFAULT = 1 << 27;

/*
 * A thread that decompresses into a ring of slots. While it runs, it owns the decompressor, the
 * byte source and `error`.
 */
struct ahead {
	struct prefetch *ring; /* NULL without a thread */
	size_t slots;
	char *memory;     /* HEADROOM and SLOT_SIZE bytes for each slot */
	uint64_t *stored; /* bytes read from the source when a slot was filled */
	int wake[2];      /* a byte in this pipe ends a blocked read */
	struct error error;
};

struct bufreader {
	struct error error;
	char *name; /* escaped */
	size_t buffer_max;
	struct byte_source in;
	struct decompressor unpacker;
	bool fd_owned;
	bool prefetch; /* decompress on a thread */
	size_t ahead_size;
	struct ahead ahead;
	uint64_t stored; /* with a thread: stored bytes read for the available bytes */
	void (*done)(void *context);
	void *done_context;
	uint64_t total;
	uint64_t first; /* regular file: its offset when it was opened */
	/* stored bytes skipped by seeks, minus those read again after seeks backwards (mod 2^64) */
	uint64_t skipped;

	/* The available bytes are bytes[start .. end). */
	const char *bytes;
	/* the target of bytes, unless that is the caller's memory or a slot */
	char *block;
	size_t start, end, capacity; /* capacity: of block */
	unsigned resyncs;
	bool ended;
	bool detected;
	enum iot_compression how;
};

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
	w->prefetch = o->prefetch && !o->stop;
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

/* The prefetch thread */

static char *slot_data(const struct bufreader *w, size_t slot)
{
	return w->ahead.memory + slot * (HEADROOM + SLOT_SIZE) + HEADROOM;
}

static bool at_end(const struct decompressor *u)
{
	return u->ended || u->error->status != IOT_OK;
}

/* A slot is passed on when it is full, and before a read that may block. */
static ssize_t fill_slot(void *context, size_t slot)
{
	struct bufreader *w = context;
	struct decompressor *u = &w->unpacker;
	char *to = slot_data(w, slot);
	size_t size = 0;
	while (size < SLOT_SIZE && !at_end(u) && (size == 0 || !decompress_hungry(u)))
		size += decompress_read(u, to + size, SLOT_SIZE - size);
	w->ahead.stored[slot] = w->in.stored;
	return (ssize_t)size;
}

/* Decompressor and source belong to the bufreader again. */
static void own_source(struct bufreader *w)
{
	w->in.error = w->unpacker.error = &w->error;
	w->in.can_wake = false;
}

static void stop_prefetch(struct bufreader *w)
{
	struct ahead *a = &w->ahead;
	if (a->stored == NULL)
		return;
	/* The pipe is empty, so one byte always fits. */
	if (a->ring != NULL)
		while (write(a->wake[1], "", 1) < 0 && errno == EINTR)
			;
	prefetch_free(a->ring);
	for (int i = 0; i < 2; i++)
		if (a->wake[i] >= 0)
			close(a->wake[i]);
	free(a->memory);
	free(a->stored);
	w->ahead = (struct ahead){.ring = NULL};
	own_source(w);
}

static bool new_ring(struct bufreader *w)
{
	struct ahead *a = &w->ahead;
	a->slots = w->ahead_size / SLOT_SIZE > SLOTS ? w->ahead_size / SLOT_SIZE : SLOTS;
	a->wake[0] = a->wake[1] = -1;
	a->stored = calloc(a->slots, sizeof(*a->stored));
	a->memory = malloc(a->slots * (HEADROOM + SLOT_SIZE));
	if (a->stored == NULL || a->memory == NULL || pipe2(a->wake, O_CLOEXEC | O_NONBLOCK) != 0)
		return false;
	w->in.wake_fd = a->wake[0];
	w->in.can_wake = true;
	a->error = w->error;
	w->in.error = w->unpacker.error = &a->error;
	a->ring = prefetch_new(fill_slot, w, a->slots, true);
	if (a->ring == NULL)
		return false;
	prefetch_wake_early(a->ring);
	return true;
}

/* Starts the thread if it is wanted; without one the bufreader decompresses on demand. */
static void start_prefetch(struct bufreader *w)
{
	if (!w->prefetch || w->error.status != IOT_OK || cpu_count() == 1)
		return;
	w->stored = w->in.stored;
	if (!new_ring(w))
		stop_prefetch(w);
}

void bufreader_free(struct bufreader *w)
{
	if (!w)
		return;
	stop_prefetch(w);
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
		start_prefetch(w);
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

/* The caller updates bytes. */
static bool grow_block(struct bufreader *w, size_t capacity)
{
	char *block = grown(w->block, capacity);
	if (!block) {
		fail_memory(w);
		return false;
	}
	w->block = block;
	w->capacity = capacity;
	return true;
}

static bool grow(struct bufreader *w, size_t capacity_max)
{
	const size_t capacity = w->capacity < capacity_max / 4 ? 4 * w->capacity : capacity_max;
	move_to_front(w, w->block);
	if (!grow_block(w, capacity))
		return false;
	w->bytes = w->block;
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

/* Copies the unconsumed rest out of a slot, which the thread gets back with the next call. */
static void save_rest(struct bufreader *w)
{
	const size_t rest = w->end - w->start;
	if (w->bytes == w->block)
		return;
	assert(rest <= w->capacity);
	memcpy(w->block, w->bytes + w->start, rest);
	w->bytes = w->block;
	w->start = 0;
	w->end = rest;
}

static void show_slot(struct bufreader *w, char *data, size_t size)
{
	const size_t rest = w->end - w->start;
	memcpy(data - rest, w->block + w->start, rest);
	w->bytes = data - HEADROOM;
	w->start = HEADROOM - rest;
	w->end = HEADROOM + size;
}

/* The rest exceeds the headroom of a slot, so both are returned in the block. */
static void append_slot(struct bufreader *w, const char *data, size_t size)
{
	if (w->end + size > w->capacity)
		move_to_front(w, w->block);
	if (w->end + size > w->capacity && !grow_block(w, 2 * (w->end + size)))
		return;
	memcpy(w->block + w->end, data, size);
	w->end += size;
	w->bytes = w->block;
}

static void next_slot(struct bufreader *w)
{
	size_t slot;
	save_rest(w);
	const ssize_t size = prefetch_next(w->ahead.ring, &slot);
	if (size <= 0) {
		w->stored = w->in.stored;
		own_source(w);
		if (w->error.status == IOT_OK)
			w->error = w->ahead.error;
		w->ended = true;
		return;
	}
	w->stored = w->ahead.stored[slot];
	if (w->end - w->start <= HEADROOM)
		show_slot(w, slot_data(w, slot), (size_t)size);
	else
		append_slot(w, slot_data(w, slot), (size_t)size);
}

static void look(struct bufreader *w)
{
	if (w->ahead.ring)
		next_slot(w);
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

	if (w->in.kind != BYTE_SOURCE_FD || w->ahead.ring || w->in.ended ||
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
	return w->ahead.ring ? w->stored : w->in.stored;
}

uint64_t bufreader_stored(const struct bufreader *w)
{
	return bufreader_position(w) - w->skipped;
}

uint64_t bufreader_total(const struct bufreader *w)
{
	return w->total;
}

/* Repositioning: to a byte of the file, or past damage */

/* Discards the bytes that the thread has decompressed ahead, and all available bytes. */
static void end_ahead(struct bufreader *w)
{
	stop_prefetch(w);
	w->bytes = w->block;
	w->start = w->end = 0;
}

bool bufreader_stored_input(const struct bufreader *w, struct stored_input *source)
{
	*source = (struct stored_input){.fd = w->in.fd, .first = w->first, .size = w->total};
	if (w->in.kind == BYTE_SOURCE_MEMORY)
		source->memory = w->in.memory;
	return w->total > 0;
}

void bufreader_idle(struct bufreader *w)
{
	end_ahead(w);
}

int bufreader_seek(struct bufreader *w, uint64_t at)
{
	const uint64_t before = bufreader_position(w);

	end_ahead(w);
	if (error_in_input(w->error.status))
		error_clear(&w->error);
	if (w->error.status != IOT_OK)
		return w->error.status;
	if (!byte_source_seek(&w->in, w->first, at))
		return error_system(&w->error, errno, "%s: cannot go to byte %llu", w->name,
				    (unsigned long long)at);
	w->skipped += at - before;
	w->ended = false;
	if (w->how != IOT_PLAIN) {
		decompress_seek(&w->unpacker, at);
		start_prefetch(w);
	} else if (!w->block) {
		w->bytes = w->in.memory;
		w->start = w->end = (size_t)at;
	}
	return w->error.status;
}

bool bufreader_resync(struct bufreader *w)
{
	if (w->ahead.ring && !w->ended)
		return false; /* no damage has been reported */
	if (!w->unpacker.damaged)
		return false;
	end_ahead(w);
	w->ended = !decompress_resync(&w->unpacker);
	if (!w->ended && ++w->resyncs <= RESYNC_THREADS)
		start_prefetch(w);
	return !w->ended;
}

ssize_t stored_input_read(const struct stored_input *s, uint64_t at, void *to, size_t n)
{
	if (at >= s->size)
		return 0;
	if (n > s->size - at)
		n = (size_t)(s->size - at);
	if (s->memory != NULL) {
		memcpy(to, s->memory + at, n);
		return (ssize_t)n;
	}
	return fdio_read(s->fd, to, n, s->first + at);
}
