/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes in. Plain input is read straight into the buffer that is shown (memory is shown where it
 * lies); compressed input goes through a raw buffer and is unpacked into it.
 *
 * Behind the bytes already unpacked the raw buffer keeps as much as it can of the frame or member in
 * work: when a decoder notices damage it may have run past the beginning of the next one, and resync
 * looks for that from the start of the damaged one.
 */
#include "window.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_getFrameHeader */
#include <zstd.h>
#include <zstd_errors.h>

enum {
	SLACK = 1 << 16,      /* of the buffers, beyond one read */
	STOP_QUIET_MS = 100,  /* told to stop: a pipe silent for so long has ended */
	STOP_TOTAL_MS = 3000, /* ... and one that never is silent ends too */
	STOP_LOOK_MS = 500,   /* a signal just before a read is noticed after so long */
	ZSTD_FIRST_HINT = 5,  /* least bytes of a frame's header */
	ZSTD_BLOCK_HEADER = 3,
	MAGIC_MAX = 4,
};

static const size_t READ_SIZE_DEFAULT = 1 << 20;
static const size_t READ_SIZE_MAX = 1 << 26;
static const size_t BUFFER_DEFAULT = 1 << 24;
static const uint64_t WINDOW_DEFAULT = 1 << 27;

enum source { SOURCE_NONE, SOURCE_FD, SOURCE_MEMORY, SOURCE_CALLBACK };

/* Whether bytes begin something; MAYBE: more of them are needed to tell. */
enum match { MATCH_NO, MATCH_MAYBE, MATCH_YES };

struct iot_window {
	struct iot_error error;
	char *name; /* escaped */
	size_t read_size, buffer_max;
	uint64_t window_max;
	const volatile sig_atomic_t *stop;
	const struct iot_error *why;
	void (*done)(void *context);
	void *done_context;

	enum source source;
	int fd;
	bool fd_owned;
	bool source_ended;
	int source_errno;         /* the source ended by an error */
	int64_t stop_deadline_ms; /* 0: not told to stop yet */
	iot_read_fn *read;
	void *context;
	uint64_t stored, total;

	/* What is shown is bytes[start .. end). */
	const char *bytes;
	char *block; /* where bytes points to, unless that is the caller's memory */
	size_t start, end, room;
	bool ended;
	bool detected;
	enum iot_compression how;

	/* raw[0] is byte raw_at of the source; what the decoder has not taken begins at raw_pos. */
	const unsigned char *raw;
	unsigned char *raw_block;
	size_t raw_pos, raw_end, raw_room;
	uint64_t raw_at;
	uint64_t frame_at; /* where the frame or member in work began */
	bool in_frame;
	bool output_full; /* the decoder may hold more output */
	bool damaged;     /* the error is one that resync may step over */
	size_t zstd_hint; /* bytes that the decoder would like next */
	z_stream zlib;
	bool zlib_made;
	ZSTD_DCtx *zstd;
};

static size_t or_default(size_t value, size_t fallback, size_t most)
{
	if (value == 0)
		value = fallback;
	return value < most ? value : most;
}

/* zstd's own limit is a power of two. */
static uint64_t power_of_two_below(uint64_t n)
{
	uint64_t power = 1 << 10;

	while (power < (UINT64_C(1) << 31) && power * 2 <= n)
		power *= 2;
	return power;
}

struct iot_window *iot_window_new(const char *name, const struct iot_window_options *options)
{
	static const struct iot_window_options defaults = {0};
	const struct iot_window_options *o = options ? options : &defaults;
	const size_t size = strlen(name);
	struct iot_window *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->name = malloc(4 * size + 4);
	if (!w->name) {
		free(w);
		return NULL;
	}
	iot_escape(w->name, 4 * size + 4, name, size);
	w->read_size = or_default(o->read_size, READ_SIZE_DEFAULT, READ_SIZE_MAX);
	w->buffer_max = or_default(o->buffer_max, BUFFER_DEFAULT, SIZE_MAX / 4);
	w->window_max = power_of_two_below(o->window_max ? o->window_max : WINDOW_DEFAULT);
	w->detected = o->plain;
	w->stop = o->stop;
	w->why = o->why;
	w->done = o->done;
	w->done_context = o->done_context;
	w->fd = -1;
	w->bytes = "";
	return w;
}

void iot_window_free(struct iot_window *w)
{
	if (!w)
		return;
	if (w->fd_owned)
		close(w->fd);
	if (w->zlib_made)
		inflateEnd(&w->zlib);
	ZSTD_freeDCtx(w->zstd);
	free(w->raw_block);
	free(w->block);
	free(w->name);
	if (w->done)
		w->done(w->done_context);
	free(w);
}

static int fail_memory(struct iot_window *w)
{
	return iot_error_set(&w->error, IOT_ENOMEM, "%s: out of memory", w->name);
}

/* Opening */

static int begin(struct iot_window *w, enum source source)
{
	if (w->error.status != IOT_OK)
		return w->error.status;
	if (w->source != SOURCE_NONE)
		return iot_error_set(&w->error, IOT_EUSAGE, "%s: is open already", w->name);
	w->source = source;
	if (source == SOURCE_MEMORY)
		return IOT_OK;
	w->room = w->read_size + SLACK;
	w->block = malloc(w->room);
	if (!w->block)
		return fail_memory(w);
	w->bytes = w->block;
	return IOT_OK;
}

int iot_window_open_fd(struct iot_window *w, int fd)
{
	struct stat st;

	if (begin(w, SOURCE_FD) != IOT_OK)
		return w->error.status;
	w->fd = fd;
	if (fstat(fd, &st) != 0)
		return iot_error_system(&w->error, errno, "%s: cannot be read", w->name);
	if (S_ISDIR(st.st_mode))
		return iot_error_system(&w->error, EISDIR, "%s: cannot be read", w->name);
	if (S_ISREG(st.st_mode))
		w->total = (uint64_t)st.st_size;
	return IOT_OK;
}

int iot_window_open(struct iot_window *w, const char *path)
{
	int fd;

	if (strcmp(path, "-") == 0)
		return iot_window_open_fd(w, STDIN_FILENO);
	if (w->error.status != IOT_OK)
		return w->error.status;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return iot_error_system(&w->error, errno, "%s: cannot be opened", w->name);
	if (iot_window_open_fd(w, fd) != IOT_OK) {
		close(fd);
		return w->error.status;
	}
	w->fd_owned = true;
	return IOT_OK;
}

int iot_window_open_memory(struct iot_window *w, const void *data, size_t size)
{
	if (begin(w, SOURCE_MEMORY) != IOT_OK)
		return w->error.status;
	w->bytes = data && size > 0 ? data : "";
	w->room = size;
	w->total = size;
	return IOT_OK;
}

int iot_window_open_callback(struct iot_window *w, iot_read_fn *read, void *context)
{
	if (begin(w, SOURCE_CALLBACK) != IOT_OK)
		return w->error.status;
	w->read = read;
	w->context = context;
	return IOT_OK;
}

/* The source: every byte comes through take_from_source */

static int64_t now_ms(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
		return 0;
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool readable_within(int fd, int timeout_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, timeout_ms) > 0;
}

/* Waits until a read will not block; false: told to stop, and nothing more seems to come. */
static bool worth_reading(struct iot_window *w)
{
	int64_t left_ms;

	if (!w->stop)
		return true;
	/* A signal between a look at *stop and a read that blocks would go unnoticed. */
	while (!*w->stop)
		if (readable_within(w->fd, STOP_LOOK_MS))
			return true;
	if (w->stop_deadline_ms == 0)
		w->stop_deadline_ms = now_ms() + STOP_TOTAL_MS;
	left_ms = w->stop_deadline_ms - now_ms();
	if (left_ms <= 0)
		return false;
	return readable_within(w->fd, left_ms < STOP_QUIET_MS ? (int)left_ms : STOP_QUIET_MS);
}

static ssize_t read_fd(struct iot_window *w, void *to, size_t size)
{
	for (;;) {
		ssize_t n;

		if (!worth_reading(w))
			return 0;
		n = read(w->fd, to, size);
		if (n >= 0)
			return n;
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			readable_within(w->fd, STOP_LOOK_MS);
		else if (errno != EINTR)
			return -1;
	}
}

static ssize_t read_callback(struct iot_window *w, void *to, size_t size)
{
	ssize_t n;

	do
		n = w->read(w->context, to, size);
	while (n < 0 && errno == EINTR && !(w->stop && *w->stop));
	if (n < 0 && errno == EINTR)
		return 0;
	if (n > 0 && (size_t)n > size) {
		iot_error_set(&w->error, IOT_EUSAGE, "%s: more bytes than asked for", w->name);
		return 0;
	}
	return n;
}

/* At most read_size bytes; 0: the end, or an error. */
static size_t take_from_source(struct iot_window *w, void *to, size_t room)
{
	const size_t size = room < w->read_size ? room : w->read_size;
	ssize_t n = 0;

	if (!w->source_ended) {
		n = w->source == SOURCE_FD ? read_fd(w, to, size) : read_callback(w, to, size);
		w->source_errno = n < 0 ? errno : 0;
		w->source_ended = n <= 0;
	}
	if (w->source_errno != 0 && w->why && w->why->status != IOT_OK)
		iot_error_set(&w->error, w->why->status, "%s", w->why->text);
	else if (w->source_errno != 0)
		iot_error_system(&w->error, w->source_errno, "%s: at byte %llu: cannot be read",
				 w->name, (unsigned long long)w->stored);
	if (n <= 0)
		return 0;
	w->stored += (uint64_t)n;
	return (size_t)n;
}

/* Memory is shown in steps of read_size, so that small blocks can be tried on it as well. */
static size_t step_of_memory(struct iot_window *w, size_t left)
{
	const size_t n = left < w->read_size ? left : w->read_size;

	w->stored += n;
	w->source_ended = n == 0;
	return n;
}

/* The raw buffer */

static size_t raw_left(const struct iot_window *w)
{
	return w->raw_end - w->raw_pos;
}

static uint64_t raw_offset(const struct iot_window *w)
{
	return w->raw_at + w->raw_pos;
}

/* Makes room for one read. What is moved is at most half the buffer, so moving costs little. */
static void drop_old_raw(struct iot_window *w)
{
	const uint64_t behind_frame = w->raw_at + w->raw_end - w->frame_at;
	size_t keep = w->raw_room / 2;

	if (w->raw_room - w->raw_end >= w->read_size)
		return;
	if (behind_frame < keep)
		keep = (size_t)behind_frame;
	if (keep < raw_left(w))
		keep = raw_left(w);
	memmove(w->raw_block, w->raw_block + w->raw_end - keep, keep);
	w->raw_at += w->raw_end - keep;
	w->raw_pos -= w->raw_end - keep;
	w->raw_end = keep;
}

/* False: the end, or an error. */
static bool refill(struct iot_window *w)
{
	size_t n;

	if (w->source == SOURCE_MEMORY) {
		n = step_of_memory(w, w->raw_room - w->raw_end);
	} else {
		drop_old_raw(w);
		n = take_from_source(w, w->raw_block + w->raw_end, w->raw_room - w->raw_end);
	}
	w->raw_end += n;
	return n > 0;
}

/* Beginnings of members and frames */

static enum match match_bytes(const unsigned char *p, size_t n, const char *magic, size_t size)
{
	if (memcmp(p, magic, n < size ? n : size) != 0)
		return MATCH_NO;
	return n < size ? MATCH_MAYBE : MATCH_YES;
}

static enum match match_skippable(const unsigned char *p, size_t n)
{
	if (n == 0)
		return MATCH_MAYBE;
	if ((p[0] & 0xf0) != 0x50)
		return MATCH_NO;
	return match_bytes(p + 1, n - 1, "\x2a\x4d\x18", 3);
}

static enum match match_magic(enum iot_compression how, const unsigned char *p, size_t n)
{
	enum match frame;

	if (how == IOT_GZIP)
		return match_bytes(p, n, "\x1f\x8b", 2);
	frame = match_bytes(p, n, "\x28\xb5\x2f\xfd", MAGIC_MAX);
	return frame != MATCH_NO ? frame : match_skippable(p, n);
}

/* Stricter than match_magic, to find a beginning within other bytes. */
static enum match match_header(const struct iot_window *w, const unsigned char *p, size_t n)
{
	ZSTD_frameHeader header;
	enum match magic;
	size_t rc;

	if (w->how == IOT_GZIP) {
		magic = match_bytes(p, n, "\x1f\x8b\x08", 3);
		if (magic != MATCH_YES)
			return magic;
		if (n < 4)
			return MATCH_MAYBE;
		return (p[3] & 0xe0) == 0 ? MATCH_YES : MATCH_NO; /* reserved flags */
	}
	magic = match_bytes(p, n, "\x28\xb5\x2f\xfd", MAGIC_MAX);
	if (magic != MATCH_YES)
		return magic;
	rc = ZSTD_getFrameHeader(&header, p, n);
	if (ZSTD_isError(rc))
		return MATCH_NO;
	if (rc > 0)
		return MATCH_MAYBE;
	return header.windowSize <= w->window_max ? MATCH_YES : MATCH_NO;
}

/* Damage */

static const char *unit_name(const struct iot_window *w)
{
	return w->how == IOT_GZIP ? "gzip member" : "zstd frame";
}

static void fail_damaged(struct iot_window *w, const char *reason)
{
	w->damaged = true;
	iot_error_set(&w->error, IOT_EFORMAT, "%s: at byte %llu: damaged %s: %s", w->name,
		      (unsigned long long)raw_offset(w), unit_name(w), reason);
}

static void fail_truncated(struct iot_window *w)
{
	iot_error_set(&w->error, IOT_ETRUNCATED,
		      "%s: at byte %llu: the input ends inside the %s that begins at byte %llu",
		      w->name, (unsigned long long)raw_offset(w), unit_name(w),
		      (unsigned long long)w->frame_at);
}

static enum match next_magic(struct iot_window *w)
{
	enum match match;

	do
		match = match_magic(w->how, w->raw + w->raw_pos, raw_left(w));
	while (match == MATCH_MAYBE && refill(w));
	return match;
}

/* Zeros behind the last member, as tapes and some copying tools leave them, are no damage. */
static void skip_zeros(struct iot_window *w)
{
	do {
		while (raw_left(w) > 0 && w->raw[w->raw_pos] == 0)
			w->raw_pos++;
		w->frame_at = raw_offset(w);
	} while (raw_left(w) == 0 && refill(w));
}

/* False: there is none. The proper end is here, between two frames or members. */
static bool begin_frame(struct iot_window *w)
{
	enum match match;

	w->frame_at = raw_offset(w);
	match = next_magic(w);
	if (match == MATCH_NO && w->how == IOT_GZIP && w->raw[w->raw_pos] == 0) {
		skip_zeros(w);
		match = next_magic(w);
	}
	if (match == MATCH_YES) {
		w->in_frame = true;
		w->zstd_hint = ZSTD_FIRST_HINT;
		return true;
	}
	if (match == MATCH_NO)
		fail_damaged(w, "other bytes stand where one should begin");
	else if (raw_left(w) > 0 && w->error.status == IOT_OK)
		fail_truncated(w);
	w->ended = true;
	return false;
}

/* gzip */

static void unpack_gzip(struct iot_window *w)
{
	z_stream *z = &w->zlib;
	const size_t in_size = raw_left(w) < UINT32_MAX ? raw_left(w) : UINT32_MAX;
	const size_t out_size =
	    w->room - w->end < UINT32_MAX ? w->room - w->end : (size_t)UINT32_MAX;
	int rc;

	z->next_in = (z_const Bytef *)(w->raw + w->raw_pos);
	z->avail_in = (uInt)in_size;
	z->next_out = (Bytef *)w->block + w->end;
	z->avail_out = (uInt)out_size;
	rc = inflate(z, Z_NO_FLUSH);
	w->raw_pos += in_size - z->avail_in;
	w->end += out_size - z->avail_out;
	w->output_full = z->avail_out == 0;
	if (rc == Z_STREAM_END) {
		w->in_frame = false;
		w->output_full = false;
		if (inflateReset(z) != Z_OK)
			fail_damaged(w, "the decoder cannot be reset");
	} else if (rc == Z_MEM_ERROR) {
		fail_memory(w);
	} else if (rc != Z_OK && rc != Z_BUF_ERROR) {
		fail_damaged(w, z->msg ? z->msg : "unknown reason");
	} else if (rc == Z_BUF_ERROR && in_size > 0) {
		fail_damaged(w, "the decoder does not get on");
	}
}

/* Zstandard */

static void fail_zstd(struct iot_window *w, size_t rc)
{
	const size_t at = (size_t)(w->frame_at - w->raw_at);
	ZSTD_frameHeader header = {0};

	switch (ZSTD_getErrorCode(rc)) {
	case ZSTD_error_memory_allocation:
		fail_memory(w);
		return;
	case ZSTD_error_frameParameter_windowTooLarge:
		/* The error came with the header's last byte, so all of it is still here. */
		if (w->frame_at < w->raw_at ||
		    ZSTD_getFrameHeader(&header, w->raw + at, w->raw_end - at) != 0)
			header.windowSize = 0;
		w->damaged = true;
		iot_error_set(&w->error, IOT_ELIMIT,
			      "%s: at byte %llu: zstd frame asks for a window of %llu bytes, "
			      "the limit is %llu",
			      w->name, (unsigned long long)w->frame_at, header.windowSize,
			      (unsigned long long)w->window_max);
		return;
	default:
		fail_damaged(w, ZSTD_getErrorName(rc));
	}
}

/*
 * A call that fails does not tell how much it wrote before, so a call gets one block, and not with
 * the next block's header behind it: good blocks before a bad one are not lost.
 */
static size_t zstd_slice(const struct iot_window *w)
{
	const size_t hint = w->zstd_hint;
	const size_t size = hint > ZSTD_BLOCK_HEADER ? hint - ZSTD_BLOCK_HEADER
			    : hint > 0               ? hint
						     : 1;

	return size < raw_left(w) ? size : raw_left(w);
}

static void unpack_zstd(struct iot_window *w)
{
	ZSTD_inBuffer in = {w->raw + w->raw_pos, zstd_slice(w), 0};
	ZSTD_outBuffer out = {w->block + w->end, w->room - w->end, 0};
	const size_t rc = ZSTD_decompressStream(w->zstd, &out, &in);

	if (ZSTD_isError(rc)) {
		fail_zstd(w, rc);
		return;
	}
	w->raw_pos += in.pos;
	w->end += out.pos;
	w->output_full = out.pos == out.size;
	w->zstd_hint = rc;
	if (rc == 0) {
		w->in_frame = false;
		w->output_full = false;
	} else if (in.size > 0 && in.pos == 0 && out.pos == 0) {
		fail_damaged(w, "the decoder does not get on");
	}
}

static void unpack(struct iot_window *w)
{
	if (!w->in_frame && !begin_frame(w))
		return;
	if (raw_left(w) == 0 && !w->output_full && !refill(w)) {
		if (w->error.status == IOT_OK)
			fail_truncated(w);
		return;
	}
	if (w->how == IOT_GZIP)
		unpack_gzip(w);
	else
		unpack_zstd(w);
}

static int make_decoder(struct iot_window *w)
{
	int log = 0;

	if (w->how == IOT_GZIP) {
		if (inflateInit2(&w->zlib, 15 + 16) != Z_OK)
			return fail_memory(w);
		w->zlib_made = true;
		return IOT_OK;
	}
	while ((UINT64_C(1) << log) < w->window_max)
		log++;
	w->zstd = ZSTD_createDCtx();
	if (!w->zstd)
		return fail_memory(w);
	if (ZSTD_isError(ZSTD_DCtx_setParameter(w->zstd, ZSTD_d_windowLogMax, log)))
		return iot_error_set(&w->error, IOT_EUSAGE,
				     "%s: zstd refuses a window of %llu bytes", w->name,
				     (unsigned long long)w->window_max);
	return IOT_OK;
}

/* Detection */

/* The memory that was to be shown becomes the raw buffer. */
static int unpack_memory(struct iot_window *w)
{
	w->raw = (const unsigned char *)w->bytes;
	w->raw_room = w->room;
	w->raw_end = w->end;
	w->end = 0;
	w->room = w->read_size + SLACK;
	w->block = malloc(w->room);
	if (!w->block)
		return fail_memory(w);
	w->bytes = w->block;
	return IOT_OK;
}

static int unpack_from_now(struct iot_window *w, enum iot_compression how)
{
	w->how = how;
	if (make_decoder(w) != IOT_OK)
		return w->error.status;
	if (w->source == SOURCE_MEMORY)
		return unpack_memory(w);
	w->raw_room = 2 * (w->read_size + SLACK);
	w->raw_block = malloc(w->raw_room);
	if (!w->raw_block)
		return fail_memory(w);
	memcpy(w->raw_block, w->bytes, w->end);
	w->raw = w->raw_block;
	w->raw_end = w->end;
	w->end = 0;
	return IOT_OK;
}

/* Nothing has been shown yet: looks at the first bytes, as far as they are there. */
static void detect(struct iot_window *w)
{
	const unsigned char *p = (const unsigned char *)w->bytes;
	const enum match gzip = match_magic(IOT_GZIP, p, w->end);
	const enum match zstd = match_magic(IOT_ZSTD, p, w->end);

	if ((gzip == MATCH_MAYBE || zstd == MATCH_MAYBE) && !w->source_ended)
		return;
	w->detected = true;
	if (gzip == MATCH_YES)
		unpack_from_now(w, IOT_GZIP);
	else if (zstd == MATCH_YES)
		unpack_from_now(w, IOT_ZSTD);
	if (w->error.status != IOT_OK)
		w->end = 0;
}

/* Looking */

static void read_plain(struct iot_window *w)
{
	size_t n;

	if (w->source == SOURCE_MEMORY)
		n = step_of_memory(w, w->room - w->end);
	else
		n = take_from_source(w, w->block + w->end, w->room - w->end);
	w->end += n;
	if (!w->detected)
		detect(w);
	w->ended = n == 0 && w->how == IOT_PLAIN;
}

static void move_to_front(struct iot_window *w, char *front)
{
	memmove(front, w->block + w->start, w->end - w->start);
	w->end -= w->start;
	w->start = 0;
}

static bool grow(struct iot_window *w, size_t room_max)
{
	const size_t room = w->room < room_max / 2 ? 2 * w->room : room_max;
	char *block = malloc(room);

	if (!block) {
		fail_memory(w);
		return false;
	}
	move_to_front(w, block);
	free(w->block);
	w->bytes = w->block = block;
	w->room = room;
	return true;
}

/*
 * Makes room behind the bytes shown. They are moved when at least as many have been consumed as
 * are left, or into twice the room: either way each byte is moved a bounded number of times.
 */
static bool make_room(struct iot_window *w)
{
	const size_t step = w->how == IOT_PLAIN ? w->read_size : SLACK;
	const size_t rest = w->end - w->start;
	const size_t tail = w->room - w->end;
	const size_t room_max = w->buffer_max >= w->room ? w->buffer_max + 1 : w->room;

	if (!w->block)
		return true; /* memory is shown where it lies */
	if (tail >= step || (tail > 0 && rest > w->start))
		return true;
	if (w->room < room_max && rest > w->start)
		return grow(w, room_max);
	move_to_front(w, w->block);
	return true;
}

/* Nothing is shown before it is known what it is. */
static bool enough(const struct iot_window *w, size_t need)
{
	return w->ended || (w->detected && w->end - w->start >= need);
}

const char *iot_window_ahead(struct iot_window *w, size_t want, size_t *have)
{
	const size_t need = want <= w->buffer_max ? want : w->buffer_max + 1;

	if (w->source == SOURCE_NONE)
		iot_error_set(&w->error, IOT_EUSAGE, "%s: is not open", w->name);
	while (!enough(w, need) && w->error.status == IOT_OK && make_room(w)) {
		if (w->how == IOT_PLAIN)
			read_plain(w);
		else
			unpack(w);
	}
	*have = w->end - w->start;
	if (want > w->buffer_max && *have > w->buffer_max)
		iot_error_set(&w->error, IOT_ELIMIT,
			      "%s: more than %zu bytes are asked for at once", w->name,
			      w->buffer_max);
	return w->bytes + w->start;
}

void iot_window_consume(struct iot_window *w, size_t n)
{
	w->start += n;
}

/* Status */

int iot_window_status(const struct iot_window *w)
{
	return w->error.status;
}

const struct iot_error *iot_window_error(const struct iot_window *w)
{
	return &w->error;
}

enum iot_compression iot_window_compression(const struct iot_window *w)
{
	return w->how;
}

uint64_t iot_window_stored(const struct iot_window *w)
{
	return w->stored;
}

uint64_t iot_window_total(const struct iot_window *w)
{
	return w->total;
}

/* Going on after damage */

/* Steps to what looks like the beginning of a frame or member; false: none is left. */
static bool find_beginning(struct iot_window *w)
{
	const int first = w->how == IOT_GZIP ? 0x1f : 0x28;

	for (;;) {
		const unsigned char *p = w->raw + w->raw_pos;
		enum match match = MATCH_MAYBE;

		p = memchr(p, first, raw_left(w));
		w->raw_pos = p ? (size_t)(p - w->raw) : w->raw_end;
		w->frame_at = raw_offset(w);
		if (p)
			match = match_header(w, p, raw_left(w));
		if (match == MATCH_YES)
			return true;
		if (match == MATCH_MAYBE && refill(w))
			continue;
		if (!p)
			return false;
		w->raw_pos++;
	}
}

static bool reset_decoder(struct iot_window *w)
{
	if (w->how == IOT_GZIP)
		return inflateReset(&w->zlib) == Z_OK;
	return !ZSTD_isError(ZSTD_DCtx_reset(w->zstd, ZSTD_reset_session_only));
}

/* Every call begins behind the place where the one before went on, so that calls come to an end. */
bool iot_window_resync(struct iot_window *w)
{
	const uint64_t from = w->frame_at + 1 > w->raw_at ? w->frame_at + 1 : w->raw_at;

	if (!w->damaged)
		return false;
	w->damaged = false;
	w->start = w->end = 0;
	w->raw_pos = (size_t)(from - w->raw_at);
	w->ended = !find_beginning(w) || !reset_decoder(w);
	if (w->ended)
		return false;
	w->in_frame = false;
	w->output_full = false;
	w->error.status = IOT_OK;
	w->error.text[0] = '\0';
	return true;
}
