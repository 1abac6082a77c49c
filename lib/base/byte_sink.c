/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Written bytes collect in `text`; from there they are sent as they are, or through a compressor
 * and its own buffer. Large uncompressed writes bypass the buffer.
 *
 * A pipe without a reader raises SIGPIPE before write(2) can return EPIPE. The library installs no
 * handlers: a caller that wants an error instead of the signal must ignore SIGPIPE.
 *
 * With worker threads, zstd ends a frame by waiting for all of its jobs. Jobs are therefore small,
 * so that most of a frame is compressed by the time it ends, and only the last job remains to be
 * waited for.
 */
#include "byte_sink.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "atomic_file.h"
#include "lib/base/array.h"
#include "seek_table.h"

enum {
	BUFFER_SIZE = 1 << 18,
	ZSTD_JOB_SIZE = 1 << 20,
	GZIP_LEVEL_DEFAULT = 6,
	GZIP_LEVEL_MAX = 9,
	/* on traces faster than level 3, with smaller output: bench/RESULTS.md */
	ZSTD_LEVEL_DEFAULT = 1,
	ZSTD_LEVEL_SMALL = 6, /* of an output that fits in the buffer: milliseconds at most */
	ZSTD_LEVEL_MAX = 19,
	/*
	 * of a trace that is read while it is written: its memory stays in the cache and has few
	 * pages, as recorded programs use the same processors
	 */
	ZSTD_LIVE_WINDOW_LOG = 17,
	ZSTD_LIVE_HASH_LOG = 11,
	TEXT_LIVE = 1 << 16,
	GZIP_CAPACITY_MIN = 64, /* with less output space zlib repeats its flush markers */
};

enum destination { TO_NOTHING, TO_FD, TO_CALLBACK, TO_MEMORY };

struct byte_sink {
	struct error error;
	char *name; /* escaped */
	enum iot_compression how;
	int level;
	unsigned threads;

	enum destination destination;
	int fd;
	bool closed;
	struct atomic_file file; /* owns fd, unless fd is the caller's */
	unsigned file_how;
	iot_write_fn *write;
	void *context;
	char *memory;
	size_t memory_size, memory_capacity;
	uint64_t stored;

	char *text;
	size_t text_size, text_capacity; /* text_capacity is 0 before open and after close */
	char *packed;
	size_t packed_size;
	bool in_frame;
	bool any_frame;
	struct seek_table frames; /* of zstd */
	uint64_t frame_at;        /* position of the current frame in the file */
	uint64_t frame_text;      /* bytes compressed into it */
	bool no_index;
	z_stream zlib;
	bool zlib_made;
	ZSTD_CCtx *zstd;
};

struct byte_sink *byte_sink_new(void)
{
	struct byte_sink *s = calloc(1, sizeof(*s));

	if (s)
		s->fd = -1;
	return s;
}

void byte_sink_free(struct byte_sink *s)
{
	if (!s)
		return;
	atomic_file_drop(&s->file);
	if (s->zlib_made)
		deflateEnd(&s->zlib);
	ZSTD_freeCCtx(s->zstd);
	seek_table_free(&s->frames);
	free(s->memory);
	free(s->text);
	free(s->packed);
	free(s->name);
	free(s);
}

static const char *name_of(const struct byte_sink *s)
{
	return s->name ? s->name : "output";
}

static int fail_memory(struct byte_sink *s)
{
	return error_set(&s->error, IOT_ENOMEM, "%s: out of memory", name_of(s));
}

static int fail_write(struct byte_sink *s, int errnum)
{
	return error_system(&s->error, errnum, "%s: at byte %llu: cannot be written", name_of(s),
			    (unsigned long long)s->stored);
}

int byte_sink_compress(struct byte_sink *s, enum iot_compression how, int level, unsigned threads)
{
	const int max = how == IOT_GZIP   ? GZIP_LEVEL_MAX
			: how == IOT_ZSTD ? ZSTD_LEVEL_MAX
					  : INT_MAX;

	if (s->error.status != IOT_OK)
		return s->error.status;
	if (s->destination != TO_NOTHING)
		return error_set(&s->error, IOT_EUSAGE, "%s: is open already", name_of(s));
	if (how != IOT_PLAIN && how != IOT_GZIP && how != IOT_ZSTD)
		return error_set(&s->error, IOT_EUSAGE, "unknown compression %d", (int)how);
	if (level < 0 || level > max)
		return error_set(&s->error, IOT_EUSAGE, "level %d, expected 0 to %d", level, max);
	s->how = how;
	s->level = level;
	s->threads = threads;
	return IOT_OK;
}

void byte_sink_how(struct byte_sink *s, unsigned how)
{
	s->file_how = how;
}

void byte_sink_no_index(struct byte_sink *s)
{
	s->no_index = true;
}

/* Compressors */

static int make_gzip(struct byte_sink *s)
{
	const int level = s->level ? s->level : GZIP_LEVEL_DEFAULT;

	if (deflateInit2(&s->zlib, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return fail_memory(s);
	s->zlib_made = true;
	return IOT_OK;
}

/*
 * A zstd built without threads reports an upper bound of 0 and compresses in the caller's thread.
 */
static int zstd_threads(const struct byte_sink *s)
{
	const ZSTD_bounds bounds = ZSTD_cParam_getBounds(ZSTD_c_nbWorkers);
	const int max = ZSTD_isError(bounds.error) ? 0 : bounds.upperBound;

	return s->threads < (unsigned)max ? (int)s->threads : max;
}

/* Returns whether the file is read while it is written. */
static bool is_live(const struct byte_sink *s)
{
	return (s->file_how & ATOMIC_FILE_IN_PLACE) != 0;
}

static int make_zstd(struct byte_sink *s)
{
	const int threads = zstd_threads(s);
	const bool is_small = is_live(s) && s->level == 0;
	size_t rc;

	s->zstd = ZSTD_createCCtx();
	if (!s->zstd)
		return fail_memory(s);
	rc = ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel,
				    s->level ? s->level : ZSTD_LEVEL_DEFAULT);
	if (!ZSTD_isError(rc))
		rc = ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_checksumFlag, 1);
	if (!ZSTD_isError(rc) && is_small)
		rc = ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_windowLog, ZSTD_LIVE_WINDOW_LOG);
	if (!ZSTD_isError(rc) && is_small)
		rc = ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_hashLog, ZSTD_LIVE_HASH_LOG);
	if (!ZSTD_isError(rc) && threads > 0)
		rc = ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_nbWorkers, threads);
	if (!ZSTD_isError(rc) && threads > 0)
		rc = ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_jobSize, ZSTD_JOB_SIZE);
	if (ZSTD_isError(rc))
		return error_set(&s->error, IOT_EUSAGE, "%s: zstd: %s", name_of(s),
				 ZSTD_getErrorName(rc));
	return IOT_OK;
}

/* Opening */

static int set_name(struct byte_sink *s, const char *name)
{
	const size_t size = strlen(name);

	s->name = malloc(4 * size + 4);
	if (!s->name)
		return fail_memory(s);
	escape_text(s->name, 4 * size + 4, name, size);
	return IOT_OK;
}

/*
 * Prepares everything that does not depend on the destination; the destination is opened only if
 * this succeeds.
 */
static int begin(struct byte_sink *s, const char *name)
{
	if (s->error.status != IOT_OK)
		return s->error.status;
	if (s->destination != TO_NOTHING)
		return error_set(&s->error, IOT_EUSAGE, "%s: is open already", name_of(s));
	if (set_name(s, name) != IOT_OK)
		return s->error.status;
	s->text_capacity = is_live(s) ? TEXT_LIVE : BUFFER_SIZE;
	s->text = malloc(s->text_capacity);
	if (!s->text)
		return fail_memory(s);
	if (s->how == IOT_PLAIN)
		return IOT_OK;
	s->packed = malloc(BUFFER_SIZE);
	if (!s->packed)
		return fail_memory(s);
	return s->how == IOT_GZIP ? make_gzip(s) : make_zstd(s);
}

int byte_sink_open_fd(struct byte_sink *s, int fd, const char *name)
{
	if (begin(s, name) != IOT_OK)
		return s->error.status;
	s->destination = TO_FD;
	s->fd = fd;
	return IOT_OK;
}

int byte_sink_open_callback(struct byte_sink *s, iot_write_fn *write, void *context,
			    const char *name)
{
	if (begin(s, name) != IOT_OK)
		return s->error.status;
	s->destination = TO_CALLBACK;
	s->write = write;
	s->context = context;
	return IOT_OK;
}

int byte_sink_open_memory(struct byte_sink *s)
{
	if (begin(s, "memory") != IOT_OK)
		return s->error.status;
	s->destination = TO_MEMORY;
	return IOT_OK;
}

int byte_sink_open(struct byte_sink *s, const char *path)
{
	/*
	 * /dev/stdout may be a file that the shell opened for appending: it must not be replaced.
	 */
	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
		return byte_sink_open_fd(s, STDOUT_FILENO, "standard output");
	if (begin(s, path) != IOT_OK ||
	    atomic_file_open(&s->file, path, s->file_how, name_of(s), &s->error) != IOT_OK)
		return s->error.status;
	s->destination = TO_FD;
	s->fd = s->file.fd;
	return IOT_OK;
}

/* The destination */

static int put_memory(struct byte_sink *s, const char *data, size_t size)
{
	const size_t need = s->memory_size + size;
	if (!array_reserve(&s->memory, &s->memory_capacity, need > BUFFER_SIZE ? need : BUFFER_SIZE,
			   1))
		return fail_memory(s);
	memcpy(s->memory + s->memory_size, data, size);
	s->memory_size += size;
	s->stored += size;
	return IOT_OK;
}

static ssize_t put_some(struct byte_sink *s, const char *data, size_t size)
{
	struct pollfd p = {.fd = s->fd, .events = POLLOUT};
	ssize_t n;

	if (s->destination == TO_CALLBACK)
		return s->write(s->context, data, size);
	n = write(s->fd, data, size);
	if (n >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK))
		return n;
	if (poll(&p, 1, -1) >= 0)
		errno = EINTR; /* retry the write */
	return -1;
}

/* Sends all bytes to the destination, or sets an error. */
static int put(struct byte_sink *s, const char *data, size_t size)
{
	if (s->error.status != IOT_OK || size == 0)
		return s->error.status;
	if (s->destination == TO_MEMORY)
		return put_memory(s, data, size);
	while (size > 0) {
		const ssize_t n = put_some(s, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || (size_t)n > size)
			return fail_write(s, n < 0 ? errno : EIO);
		data += n;
		size -= (size_t)n;
		s->stored += (uint64_t)n;
	}
	return IOT_OK;
}

static int put_packed(struct byte_sink *s)
{
	const size_t size = s->packed_size;

	s->packed_size = 0;
	return put(s, s->packed, size);
}

/* Compression */

/* What to do after the bytes have been compressed. */
enum ending { GO_ON, FLUSH, END };

/* Calls deflate once; sets *done when nothing is left to do. */
static int deflate_some(struct byte_sink *s, enum ending ending, bool *done)
{
	static const int flush[] = {Z_NO_FLUSH, Z_SYNC_FLUSH, Z_FINISH};
	z_stream *z = &s->zlib;
	int rc;

	if (BUFFER_SIZE - s->packed_size < GZIP_CAPACITY_MIN && put_packed(s) != IOT_OK)
		return s->error.status;
	z->next_out = (Bytef *)s->packed + s->packed_size;
	z->avail_out = (uInt)(BUFFER_SIZE - s->packed_size);
	rc = deflate(z, flush[ending]);
	s->packed_size = BUFFER_SIZE - z->avail_out;
	/* Z_BUF_ERROR: nothing to do, as after a repeated flush */
	if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
		return error_set(&s->error, IOT_EUSAGE, "%s: zlib: %s", name_of(s),
				 z->msg ? z->msg : "error");
	*done = ending == END ? rc == Z_STREAM_END : z->avail_in == 0 && z->avail_out > 0;
	return IOT_OK;
}

static int compress_gzip(struct byte_sink *s, const char *data, size_t size, enum ending ending)
{
	bool done = false;

	do {
		const size_t n = size < UINT_MAX ? size : UINT_MAX;

		s->zlib.next_in = (z_const Bytef *)data;
		s->zlib.avail_in = (uInt)n;
		do
			if (deflate_some(s, n == size ? ending : GO_ON, &done) != IOT_OK)
				return s->error.status;
		while (!done);
		data += n;
		size -= n;
	} while (size > 0);
	if (ending == END && deflateReset(&s->zlib) != Z_OK)
		return error_set(&s->error, IOT_EUSAGE, "%s: zlib cannot be reset", name_of(s));
	return IOT_OK;
}

static int compress_zstd(struct byte_sink *s, const char *data, size_t size, enum ending ending)
{
	static const ZSTD_EndDirective directive[] = {ZSTD_e_continue, ZSTD_e_flush, ZSTD_e_end};
	ZSTD_inBuffer in = {data, size, 0};
	size_t rc;

	do {
		ZSTD_outBuffer out = {s->packed, BUFFER_SIZE, s->packed_size};

		rc = ZSTD_compressStream2(s->zstd, &out, &in, directive[ending]);
		if (ZSTD_isError(rc))
			return error_set(&s->error, IOT_ENOMEM, "%s: zstd: %s", name_of(s),
					 ZSTD_getErrorName(rc));
		s->packed_size = out.pos;
		if (out.pos == out.size && put_packed(s) != IOT_OK)
			return s->error.status;
	} while (ending == GO_ON ? in.pos < in.size : rc != 0);
	return IOT_OK;
}

static void index_frame(struct byte_sink *s)
{
	const uint64_t end = s->stored + s->packed_size;
	if (!s->no_index)
		seek_table_add(&s->frames, end - s->frame_at, s->frame_text);
	s->frame_at = end;
	s->frame_text = 0;
}

static int pack(struct byte_sink *s, const char *data, size_t size, enum ending ending)
{
	s->any_frame = true;
	s->in_frame = ending != END;
	if (s->how == IOT_GZIP)
		return compress_gzip(s, data, size, ending);
	s->frame_text += size;
	if (compress_zstd(s, data, size, ending) == IOT_OK && ending == END)
		index_frame(s);
	return s->error.status;
}

/*
 * Sends bytes from the text buffer or the caller to the destination, through the compressor if any.
 */
static int pass(struct byte_sink *s, const char *data, size_t size)
{
	if (s->error.status != IOT_OK || size == 0)
		return s->error.status;
	return s->how == IOT_PLAIN ? put(s, data, size) : pack(s, data, size, GO_ON);
}

static int pass_text(struct byte_sink *s)
{
	const size_t size = s->text_size;

	s->text_size = 0;
	return pass(s, s->text, size);
}

/* Writing */

static int check_open(struct byte_sink *s)
{
	if (s->destination == TO_NOTHING || s->closed)
		return error_set(&s->error, IOT_EUSAGE, "%s: is not open", name_of(s));
	return s->error.status;
}

static int write_past(struct byte_sink *s, const void *data, size_t size)
{
	if (check_open(s) != IOT_OK || pass_text(s) != IOT_OK)
		return s->error.status;
	if (size >= s->text_capacity)
		return pass(s, data, size);
	memcpy(s->text, data, size);
	s->text_size = size;
	return IOT_OK;
}

int byte_sink_write(struct byte_sink *s, const void *data, size_t size)
{
	if (size >= s->text_capacity - s->text_size)
		return write_past(s, data, size);
	memcpy(s->text + s->text_size, data, size);
	s->text_size += size;
	return s->error.status;
}

int byte_sink_frame(struct byte_sink *s)
{
	if (check_open(s) != IOT_OK || s->how == IOT_PLAIN)
		return s->error.status;
	if (pass_text(s) != IOT_OK || !s->in_frame)
		return s->error.status;
	return pack(s, "", 0, END);
}

int byte_sink_flush(struct byte_sink *s)
{
	if (check_open(s) != IOT_OK || pass_text(s) != IOT_OK)
		return s->error.status;
	if (s->in_frame && pack(s, "", 0, FLUSH) != IOT_OK)
		return s->error.status;
	return put_packed(s);
}

/* Closing */

/*
 * Compresses an output that is in the buffer as a whole; zstd then knows its size. An empty one
 * becomes an empty frame or member, as zero bytes are not a valid gzip or zstd file.
 */
static int pack_all(struct byte_sink *s)
{
	if (s->how == IOT_ZSTD && s->level == 0)
		ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL_SMALL);
	return pack(s, s->text, s->text_size, END);
}

/* A single frame needs no index. */
static void put_index(struct byte_sink *s)
{
	size_t size = 0;
	const unsigned char *table =
	    s->frames.frames > 1 ? seek_table_finish(&s->frames, &size) : NULL;
	if (table != NULL)
		put(s, (const char *)table, size);
}

/* Writes all remaining bytes. */
static void finish(struct byte_sink *s)
{
	if (s->how != IOT_PLAIN && !s->any_frame) {
		if (pack_all(s) != IOT_OK)
			return;
	} else if (pass_text(s) != IOT_OK || (s->in_frame && pack(s, "", 0, END) != IOT_OK)) {
		return;
	}
	if (put_packed(s) == IOT_OK)
		put_index(s);
}

int byte_sink_close(struct byte_sink *s)
{
	if (s->closed)
		return s->error.status;
	if (check_open(s) == IOT_OK)
		finish(s);
	s->closed = true;
	s->text_capacity = s->text_size = 0;
	return atomic_file_commit(&s->file, name_of(s), &s->error);
}

const void *byte_sink_memory(const struct byte_sink *s, size_t *size)
{
	*size = s->memory_size;
	return s->memory ? s->memory : "";
}

uint64_t byte_sink_stored(const struct byte_sink *s)
{
	return s->stored;
}

const struct error *byte_sink_error(const struct byte_sink *s)
{
	return &s->error;
}
