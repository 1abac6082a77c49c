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
#include "storage.h"
#include "lib/base/full_io.h"
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
	bool unread;   /* only the first bytes are available, without a thread as yet */
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
	struct bufreader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->name = malloc(4 * size + 4);
	if (!r->name) {
		free(r);
		return NULL;
	}
	escape_text(r->name, 4 * size + 4, name, size);
	r->buffer_max = or_default(o->buffer_max, BUFFER_DEFAULT, SIZE_MAX / 4);
	r->detected = o->plain;
	r->prefetch = o->prefetch && !o->interrupt;
	r->ahead_size = o->ahead_size;
	r->done = o->done;
	r->done_context = o->done_context;
	r->in.error = r->unpacker.error = &r->error;
	r->in.name = r->unpacker.name = r->name;
	r->in.read_size = or_default(o->read_size, READ_SIZE_DEFAULT, READ_SIZE_MAX);
	r->in.interrupt = o->interrupt;
	r->in.waits = o->waits;
	r->in.why = o->why;
	r->in.keep = o->keep;
	r->unpacker.in = &r->in;
	r->unpacker.window_max = power_of_two_below(o->window_max ? o->window_max : WINDOW_DEFAULT);
	r->bytes = "";
	return r;
}

/* The prefetch thread */

static char *slot_data(const struct bufreader *r, size_t slot)
{
	return r->ahead.memory + slot * (HEADROOM + SLOT_SIZE) + HEADROOM;
}

static bool at_end(const struct decompressor *d)
{
	return d->ended || d->error->status != IOT_OK;
}

/* A slot is passed on when it is full, and before a read that may block. */
static ssize_t fill_slot(void *context, size_t slot)
{
	struct bufreader *r = context;
	struct decompressor *d = &r->unpacker;
	char *to = slot_data(r, slot);
	size_t size = 0;
	while (size < SLOT_SIZE && !at_end(d) && (size == 0 || !decompress_hungry(d)))
		size += decompress_read(d, to + size, SLOT_SIZE - size);
	r->ahead.stored[slot] = r->in.stored;
	return (ssize_t)size;
}

/* Decompressor and source belong to the bufreader again. */
static void own_source(struct bufreader *r)
{
	r->in.error = r->unpacker.error = &r->error;
	r->in.can_wake = false;
}

static void stop_prefetch(struct bufreader *r)
{
	struct ahead *a = &r->ahead;
	if (a->slots == 0)
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
	r->ahead = (struct ahead){.ring = NULL};
	own_source(r);
}

static bool new_ring(struct bufreader *r)
{
	struct ahead *a = &r->ahead;
	a->slots = r->ahead_size / SLOT_SIZE > SLOTS ? r->ahead_size / SLOT_SIZE : SLOTS;
	a->wake[0] = a->wake[1] = -1;
	a->stored = calloc(a->slots, sizeof(*a->stored));
	a->memory = malloc(a->slots * (HEADROOM + SLOT_SIZE));
	if (a->stored == NULL || a->memory == NULL || pipe2(a->wake, O_CLOEXEC | O_NONBLOCK) != 0)
		return false;
	r->in.wake_fd = a->wake[0];
	r->in.can_wake = true;
	a->error = r->error;
	r->in.error = r->unpacker.error = &a->error;
	a->ring = prefetch_new(fill_slot, r, a->slots, true);
	if (a->ring == NULL)
		return false;
	prefetch_wake_early(a->ring);
	return true;
}

/* Starts the thread if it is wanted; without one the bufreader decompresses on demand. */
static void start_prefetch(struct bufreader *r)
{
	r->unread = false;
	if (!r->prefetch || r->error.status != IOT_OK || cpu_count() == 1)
		return;
	r->stored = r->in.stored;
	if (!new_ring(r))
		stop_prefetch(r);
}

void bufreader_free(struct bufreader *r)
{
	if (!r)
		return;
	stop_prefetch(r);
	if (r->fd_owned)
		close(r->in.fd);
	storage_free(r->in.storage);
	decompress_close(&r->unpacker);
	free(r->block);
	free(r->name);
	if (r->done)
		r->done(r->done_context);
	free(r);
}

static int fail_memory(struct bufreader *r)
{
	return error_set(&r->error, IOT_ENOMEM, "%s: out of memory", r->name);
}

/* Opening */

static int begin(struct bufreader *r, enum byte_source_kind kind)
{
	if (r->error.status != IOT_OK)
		return r->error.status;
	if (r->in.kind != BYTE_SOURCE_NONE)
		return error_set(&r->error, IOT_EUSAGE, "%s: is open already", r->name);
	r->in.kind = kind;
	if (kind == BYTE_SOURCE_MEMORY)
		return IOT_OK;
	r->capacity = r->in.read_size + SLACK;
	r->block = malloc(r->capacity);
	if (!r->block)
		return fail_memory(r);
	r->bytes = r->block;
	return IOT_OK;
}

int bufreader_open_fd(struct bufreader *r, int fd)
{
	struct stat st;

	if (begin(r, BYTE_SOURCE_FD) != IOT_OK)
		return r->error.status;
	r->in.fd = fd;
	if (fstat(fd, &st) != 0)
		return error_system(&r->error, errno, "%s: cannot be read", r->name);
	if (S_ISDIR(st.st_mode))
		return error_system(&r->error, EISDIR, "%s: cannot be read", r->name);
	if (S_ISREG(st.st_mode)) {
		const off_t first = lseek(fd, 0, SEEK_CUR);
		r->first = first > 0 ? (uint64_t)first : 0;
		r->total = (uint64_t)st.st_size > r->first ? (uint64_t)st.st_size - r->first : 0;
	}
	return IOT_OK;
}

int bufreader_open(struct bufreader *r, const char *path)
{
	int fd;

	if (strcmp(path, "-") == 0)
		return bufreader_open_fd(r, STDIN_FILENO);
	if (r->error.status != IOT_OK)
		return r->error.status;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return error_system(&r->error, errno, "%s: cannot be opened", r->name);
	if (bufreader_open_fd(r, fd) != IOT_OK) {
		close(fd);
		return r->error.status;
	}
	r->fd_owned = true;
	return IOT_OK;
}

int bufreader_open_memory(struct bufreader *r, const void *data, size_t size)
{
	if (begin(r, BYTE_SOURCE_MEMORY) != IOT_OK)
		return r->error.status;
	r->bytes = r->in.memory = data && size > 0 ? data : "";
	r->capacity = size;
	r->total = size;
	return IOT_OK;
}

int bufreader_open_storage(struct bufreader *r, const struct iot_storage *storage)
{
	if (begin(r, BYTE_SOURCE_STORAGE) != IOT_OK)
		return r->error.status;
	r->in.storage = storage_new(storage);
	if (r->in.storage == NULL)
		return fail_memory(r);
	r->total = storage->size;
	return IOT_OK;
}

int bufreader_open_callback(struct bufreader *r, iot_read_fn *read, void *context)
{
	if (begin(r, BYTE_SOURCE_CALLBACK) != IOT_OK)
		return r->error.status;
	r->in.read = read;
	r->in.context = context;
	return IOT_OK;
}

/* Detection */

static void unpack_from_now(struct bufreader *r, enum iot_compression how)
{
	const size_t size = r->end;

	r->how = how;
	r->end = 0;
	if (decompress_open(&r->unpacker, how, r->bytes, size, r->capacity) != IOT_OK)
		return;
	if (!r->block) {
		/* The caller's memory is now the input of the decompressor. */
		r->capacity = UNPACKED_CAPACITY;
		r->bytes = r->block = malloc(r->capacity);
	}
	if (r->capacity > UNPACKED_CAPACITY)
		r->capacity = UNPACKED_CAPACITY;
	r->unread = r->block != NULL;
	if (!r->block) {
		fail_memory(r);
		r->bytes = "";
	}
}

/* Examines the first bytes, as far as available, before any are returned. */
static void detect(struct bufreader *r)
{
	const enum format_match gzip = decompress_match(IOT_GZIP, r->bytes, r->end);
	const enum format_match zstd = decompress_match(IOT_ZSTD, r->bytes, r->end);

	if ((gzip == FORMAT_MATCH_MAYBE || zstd == FORMAT_MATCH_MAYBE) && !r->in.ended)
		return;
	r->detected = true;
	if (gzip == FORMAT_MATCH_YES)
		unpack_from_now(r, IOT_GZIP);
	else if (zstd == FORMAT_MATCH_YES)
		unpack_from_now(r, IOT_ZSTD);
}

/* Filling the buffer */

static void read_plain(struct bufreader *r)
{
	size_t n;

	if (r->in.kind == BYTE_SOURCE_MEMORY)
		n = byte_source_step(&r->in, r->capacity - r->end);
	else
		n = byte_source_read(&r->in, r->block + r->end, r->capacity - r->end);
	r->end += n;
	if (!r->detected)
		detect(r);
	r->ended = n == 0 && r->how == IOT_PLAIN;
}

static void unpack(struct bufreader *r)
{
	r->end += decompress_read(&r->unpacker, r->block + r->end, r->capacity - r->end);
	r->ended = r->unpacker.ended;
}

static void move_to_front(struct bufreader *r, char *front)
{
	memmove(front, r->block + r->start, r->end - r->start);
	r->end -= r->start;
	r->start = 0;
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
static bool grow_block(struct bufreader *r, size_t capacity)
{
	char *block = grown(r->block, capacity);
	if (!block) {
		fail_memory(r);
		return false;
	}
	r->block = block;
	r->capacity = capacity;
	return true;
}

static bool grow(struct bufreader *r, size_t capacity_max)
{
	const size_t capacity = r->capacity < capacity_max / 4 ? 4 * r->capacity : capacity_max;
	move_to_front(r, r->block);
	if (!grow_block(r, capacity))
		return false;
	r->bytes = r->block;
	return true;
}

/*
 * Reserves capacity after the available bytes. They are moved when at least as many have been
 * consumed as are left, or into twice the capacity: either way each byte is moved a bounded number
 * of times.
 */
static bool reserve_capacity(struct bufreader *r)
{
	const size_t step = r->how == IOT_PLAIN ? r->in.read_size : SLACK;
	const size_t rest = r->end - r->start;
	const size_t tail = r->capacity - r->end;
	const size_t capacity_max = r->buffer_max >= r->capacity ? r->buffer_max + 1 : r->capacity;

	if (!r->block)
		return true; /* memory is returned in place */
	if (tail >= step || (tail > 0 && rest > r->start))
		return true;
	if (r->capacity < capacity_max && rest > r->start)
		return grow(r, capacity_max);
	move_to_front(r, r->block);
	return true;
}

/* Copies the unconsumed rest out of a slot, which the thread gets back with the next call. */
static void save_rest(struct bufreader *r)
{
	const size_t rest = r->end - r->start;
	if (r->bytes == r->block)
		return;
	assert(rest <= r->capacity);
	memcpy(r->block, r->bytes + r->start, rest);
	r->bytes = r->block;
	r->start = 0;
	r->end = rest;
}

static void show_slot(struct bufreader *r, char *data, size_t size)
{
	const size_t rest = r->end - r->start;
	memcpy(data - rest, r->block + r->start, rest);
	r->bytes = data - HEADROOM;
	r->start = HEADROOM - rest;
	r->end = HEADROOM + size;
}

/* The rest exceeds the headroom of a slot, so both are returned in the block. */
static void append_slot(struct bufreader *r, const char *data, size_t size)
{
	if (r->end + size > r->capacity)
		move_to_front(r, r->block);
	if (r->end + size > r->capacity && !grow_block(r, 2 * (r->end + size)))
		return;
	memcpy(r->block + r->end, data, size);
	r->end += size;
	r->bytes = r->block;
}

static void next_slot(struct bufreader *r)
{
	size_t slot;
	save_rest(r);
	const ssize_t size = prefetch_next(r->ahead.ring, &slot);
	if (size <= 0) {
		r->stored = r->in.stored;
		own_source(r);
		if (r->error.status == IOT_OK)
			r->error = r->ahead.error;
		r->ended = true;
		return;
	}
	r->stored = r->ahead.stored[slot];
	if (r->end - r->start <= HEADROOM)
		show_slot(r, slot_data(r, slot), (size_t)size);
	else
		append_slot(r, slot_data(r, slot), (size_t)size);
}

/* The beginning of an input often suffices, for which a thread would read too much. */
static void look(struct bufreader *r)
{
	if (r->unread && r->end > 0)
		start_prefetch(r);
	if (r->ahead.ring)
		next_slot(r);
	else if (!reserve_capacity(r))
		return;
	else if (r->how == IOT_PLAIN)
		read_plain(r);
	else
		unpack(r);
}

/* No bytes are returned before the compression is detected. */
static bool enough(const struct bufreader *r, size_t need)
{
	return r->ended || (r->detected && r->end - r->start >= need);
}

const char *bufreader_peek(struct bufreader *r, size_t want, size_t *have)
{
	const size_t need = want <= r->buffer_max ? want : r->buffer_max + 1;

	if (r->in.kind == BYTE_SOURCE_NONE)
		error_set(&r->error, IOT_EUSAGE, "%s: is not open", r->name);
	while (!enough(r, need) && r->error.status == IOT_OK)
		look(r);
	*have = r->end - r->start;
	if (want > r->buffer_max && *have > r->buffer_max)
		error_set(&r->error, IOT_ELIMIT, "%s: more than %zu bytes are asked for at once",
			  r->name, r->buffer_max);
	return r->bytes + r->start;
}

void bufreader_compact(struct bufreader *r)
{
	if (r->block && r->bytes == r->block && r->start > 0 && r->end - r->start < r->start)
		move_to_front(r, r->block);
}

void bufreader_consume(struct bufreader *r, size_t n)
{
	r->start += n;
}

bool bufreader_waits(const struct bufreader *r, size_t want, int timeout_ms)
{
	struct pollfd p = {.fd = r->in.fd, .events = POLLIN};

	if (r->in.kind != BYTE_SOURCE_FD || r->ahead.ring || r->in.ended ||
	    r->error.status != IOT_OK || enough(r, want))
		return false;
	return poll(&p, 1, timeout_ms) == 0;
}

/* Status */

int bufreader_status(const struct bufreader *r)
{
	return r->error.status;
}

const char *bufreader_name(const struct bufreader *r)
{
	return r->name;
}

const struct error *bufreader_error(const struct bufreader *r)
{
	return &r->error;
}

enum iot_compression bufreader_compression(const struct bufreader *r)
{
	return r->how;
}

uint64_t bufreader_position(const struct bufreader *r)
{
	return r->ahead.ring ? r->stored : r->in.stored;
}

uint64_t bufreader_stored(const struct bufreader *r)
{
	return bufreader_position(r) - r->skipped;
}

uint64_t bufreader_total(const struct bufreader *r)
{
	return r->total;
}

/* Repositioning: to a byte of the file, or past damage */

/* Discards the bytes that the thread has decompressed ahead, and all available bytes. */
static void end_ahead(struct bufreader *r)
{
	stop_prefetch(r);
	r->bytes = r->block;
	r->start = r->end = 0;
}

bool bufreader_stored_input(const struct bufreader *r, struct stored_input *source)
{
	*source = (struct stored_input){.fd = r->in.fd, .first = r->first, .size = r->total};
	if (r->in.kind == BYTE_SOURCE_MEMORY)
		source->memory = r->in.memory;
	source->storage = r->in.storage;
	return r->total > 0;
}

void bufreader_idle(struct bufreader *r)
{
	end_ahead(r);
}

void bufreader_limit(struct bufreader *r, uint64_t end)
{
	end_ahead(r);
	r->in.limit = end;
}

int bufreader_seek(struct bufreader *r, uint64_t at)
{
	const uint64_t before = bufreader_position(r);

	end_ahead(r);
	if (error_in_input(r->error.status))
		error_clear(&r->error);
	if (r->error.status != IOT_OK)
		return r->error.status;
	if (!byte_source_seek(&r->in, r->first, at))
		return error_system(&r->error, errno, "%s: cannot go to byte %llu", r->name,
				    (unsigned long long)at);
	r->skipped += at - before;
	r->ended = false;
	if (r->how != IOT_PLAIN) {
		decompress_seek(&r->unpacker, at);
		start_prefetch(r);
	} else if (!r->block) {
		r->bytes = r->in.memory;
		r->start = r->end = (size_t)at;
	}
	return r->error.status;
}

bool bufreader_resync(struct bufreader *r)
{
	if (r->ahead.ring && !r->ended)
		return false; /* no damage has been reported */
	if (!r->unpacker.damaged)
		return false;
	end_ahead(r);
	r->ended = !decompress_resync(&r->unpacker);
	if (!r->ended && ++r->resyncs <= RESYNC_THREADS)
		start_prefetch(r);
	return !r->ended;
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
	if (s->storage != NULL)
		return storage_read(s->storage, s->first + at, to, n);
	return full_read(s->fd, to, n, s->first + at);
}
