/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes go out as they are, or through a compressor and a buffer of packed ones.
 *
 * A pipe without a reader raises SIGPIPE before write(2) can answer EPIPE. The library installs no
 * handlers: a caller that wants an error instead of the signal ignores SIGPIPE.
 *
 * With worker threads zstd still ends a frame by waiting for all of its jobs. Jobs are therefore
 * made small, so that most of a frame is compressed by the time it ends, and the wait is that for
 * the last job.
 */
#include "packer.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	BUFFER_SIZE = 1 << 18,
	ZSTD_JOB_SIZE = 1 << 20,
	GZIP_LEVEL_DEFAULT = 6,
	ZSTD_LEVEL_DEFAULT = 3,
	GZIP_ROOM_MIN = 64, /* less output room makes zlib repeat its flush marks */
};

static int fail_memory(struct iot_packer *p)
{
	return iot_error_set(&p->error, IOT_ENOMEM, "%s: out of memory", p->name);
}

static int fail_write(struct iot_packer *p, int errnum)
{
	return iot_error_system(&p->error, errnum, "%s: at byte %llu: cannot be written", p->name,
				(unsigned long long)p->stored);
}

/* Compressors */

static int make_gzip(struct iot_packer *p, int level)
{
	if (deflateInit2(&p->zlib, level ? level : GZIP_LEVEL_DEFAULT, Z_DEFLATED, 15 + 16, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return fail_memory(p);
	p->zlib_made = true;
	return IOT_OK;
}

/* A zstd built without threads has 0 as its upper bound and compresses in the caller's thread. */
static int most_workers(unsigned wanted)
{
	const ZSTD_bounds bounds = ZSTD_cParam_getBounds(ZSTD_c_nbWorkers);
	const int most = ZSTD_isError(bounds.error) ? 0 : bounds.upperBound;

	return wanted < (unsigned)most ? (int)wanted : most;
}

static int make_zstd(struct iot_packer *p, int level, unsigned wanted)
{
	const int workers = most_workers(wanted);
	size_t rc;

	p->zstd = ZSTD_createCCtx();
	if (!p->zstd)
		return fail_memory(p);
	rc = ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel,
				    level ? level : ZSTD_LEVEL_DEFAULT);
	if (!ZSTD_isError(rc))
		rc = ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 1);
	if (!ZSTD_isError(rc) && workers > 0)
		rc = ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_nbWorkers, workers);
	if (!ZSTD_isError(rc) && workers > 0)
		rc = ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_jobSize, ZSTD_JOB_SIZE);
	if (ZSTD_isError(rc))
		return iot_error_set(&p->error, IOT_EUSAGE, "%s: zstd: %s", p->name,
				     ZSTD_getErrorName(rc));
	return IOT_OK;
}

int iot_packer_open(struct iot_packer *p, enum iot_compression how, int level, unsigned workers)
{
	p->how = how;
	if (how == IOT_PLAIN)
		return IOT_OK;
	p->packed = malloc(BUFFER_SIZE);
	if (!p->packed)
		return fail_memory(p);
	return how == IOT_GZIP ? make_gzip(p, level) : make_zstd(p, level, workers);
}

void iot_packer_close(struct iot_packer *p)
{
	if (p->zlib_made)
		deflateEnd(&p->zlib);
	ZSTD_freeCCtx(p->zstd);
	free(p->memory);
	free(p->packed);
}

/* The destination */

static int grow_memory(struct iot_packer *p, size_t size)
{
	size_t room = p->memory_room ? p->memory_room : BUFFER_SIZE;
	char *memory;

	if (size > SIZE_MAX / 2 - p->memory_size)
		return fail_memory(p);
	while (room < p->memory_size + size)
		room *= 2;
	if (room == p->memory_room)
		return IOT_OK;
	memory = realloc(p->memory, room);
	if (!memory)
		return fail_memory(p);
	p->memory = memory;
	p->memory_room = room;
	return IOT_OK;
}

static int put_memory(struct iot_packer *p, const char *data, size_t size)
{
	if (grow_memory(p, size) != IOT_OK)
		return p->error.status;
	memcpy(p->memory + p->memory_size, data, size);
	p->memory_size += size;
	p->stored += size;
	return IOT_OK;
}

/* Waits until some bytes can be written, or until woken. False: errno tells. */
static bool wait_for_room(const struct iot_packer *p)
{
	struct pollfd fds[] = {{.fd = p->fd, .events = POLLOUT},
			       {.fd = p->can_wake ? p->wake_fd : -1, .events = POLLIN}};

	if (poll(fds, 2, -1) < 0)
		return false;
	if (fds[1].revents == 0)
		return true;
	errno = ECANCELED;
	return false;
}

/* Where a reader at the other end may take its time: as much as goes without waiting for it. */
static ssize_t write_woken(const struct iot_packer *p, const char *data, size_t size)
{
	if (!wait_for_room(p))
		return -1;
	return write(p->fd, data, size < PIPE_BUF ? size : PIPE_BUF);
}

static ssize_t put_some(struct iot_packer *p, const char *data, size_t size)
{
	ssize_t n;

	if (p->destination == IOT_TO_CALLBACK)
		return p->write(p->context, data, size);
	n = p->can_wake ? write_woken(p, data, size) : write(p->fd, data, size);
	if (n >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK))
		return n;
	if (wait_for_room(p))
		errno = EINTR; /* to be tried again */
	return -1;
}

/* Sends bytes to the destination, all of them or with an error. */
static int put(struct iot_packer *p, const char *data, size_t size)
{
	if (p->error.status != IOT_OK || size == 0)
		return p->error.status;
	if (p->destination == IOT_TO_MEMORY)
		return put_memory(p, data, size);
	while (size > 0) {
		const ssize_t n = put_some(p, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || (size_t)n > size)
			return fail_write(p, n < 0 ? errno : EIO);
		data += n;
		size -= (size_t)n;
		p->stored += (uint64_t)n;
	}
	return IOT_OK;
}

static int put_packed(struct iot_packer *p)
{
	const size_t size = p->packed_size;

	p->packed_size = 0;
	return put(p, p->packed, size);
}

/* Compression */

/* One call of deflate; *done when there is nothing left to do. */
static int deflate_some(struct iot_packer *p, enum iot_ending ending, bool *done)
{
	static const int flush[] = {Z_NO_FLUSH, Z_SYNC_FLUSH, Z_FINISH};
	z_stream *z = &p->zlib;
	int rc;

	if (BUFFER_SIZE - p->packed_size < GZIP_ROOM_MIN && put_packed(p) != IOT_OK)
		return p->error.status;
	z->next_out = (Bytef *)p->packed + p->packed_size;
	z->avail_out = (uInt)(BUFFER_SIZE - p->packed_size);
	rc = deflate(z, flush[ending]);
	p->packed_size = BUFFER_SIZE - z->avail_out;
	/* Z_BUF_ERROR: nothing to do, as when a flush is asked for twice */
	if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
		return iot_error_set(&p->error, IOT_EUSAGE, "%s: zlib: %s", p->name,
				     z->msg ? z->msg : "error");
	*done = ending == IOT_END_FRAME ? rc == Z_STREAM_END : z->avail_in == 0 && z->avail_out > 0;
	return IOT_OK;
}

static int compress_gzip(struct iot_packer *p, const char *data, size_t size,
			 enum iot_ending ending)
{
	bool done = false;

	do {
		const size_t n = size < UINT_MAX ? size : UINT_MAX;

		p->zlib.next_in = (z_const Bytef *)data;
		p->zlib.avail_in = (uInt)n;
		do
			if (deflate_some(p, n == size ? ending : IOT_GO_ON, &done) != IOT_OK)
				return p->error.status;
		while (!done);
		data += n;
		size -= n;
	} while (size > 0);
	if (ending == IOT_END_FRAME && deflateReset(&p->zlib) != Z_OK)
		return iot_error_set(&p->error, IOT_EUSAGE, "%s: zlib cannot be reset", p->name);
	return IOT_OK;
}

static int compress_zstd(struct iot_packer *p, const char *data, size_t size,
			 enum iot_ending ending)
{
	static const ZSTD_EndDirective directive[] = {ZSTD_e_continue, ZSTD_e_flush, ZSTD_e_end};
	ZSTD_inBuffer in = {data, size, 0};
	size_t rc;

	do {
		ZSTD_outBuffer out = {p->packed, BUFFER_SIZE, p->packed_size};

		rc = ZSTD_compressStream2(p->zstd, &out, &in, directive[ending]);
		if (ZSTD_isError(rc))
			return iot_error_set(&p->error, IOT_ENOMEM, "%s: zstd: %s", p->name,
					     ZSTD_getErrorName(rc));
		p->packed_size = out.pos;
		if (out.pos == out.size && put_packed(p) != IOT_OK)
			return p->error.status;
	} while (ending == IOT_GO_ON ? in.pos < in.size : rc != 0);
	return IOT_OK;
}

static int pack(struct iot_packer *p, const char *data, size_t size, enum iot_ending ending)
{
	p->any_frame = true;
	p->in_frame = ending != IOT_END_FRAME;
	return p->how == IOT_GZIP ? compress_gzip(p, data, size, ending)
				  : compress_zstd(p, data, size, ending);
}

/* No bytes at all are no valid gzip or zstd file, an empty frame is. */
static int finish(struct iot_packer *p)
{
	if (p->how != IOT_PLAIN && (p->in_frame || !p->any_frame))
		if (pack(p, "", 0, IOT_END_FRAME) != IOT_OK)
			return p->error.status;
	return put_packed(p);
}

static int flush(struct iot_packer *p)
{
	if (p->in_frame && pack(p, "", 0, IOT_FLUSH) != IOT_OK)
		return p->error.status;
	return put_packed(p);
}

static int pass(struct iot_packer *p, const char *data, size_t size)
{
	if (p->error.status != IOT_OK || size == 0)
		return p->error.status;
	return p->how == IOT_PLAIN ? put(p, data, size) : pack(p, data, size, IOT_GO_ON);
}

int iot_packer_put(struct iot_packer *p, const char *data, size_t size, enum iot_ending ending)
{
	if (pass(p, data, size) != IOT_OK)
		return p->error.status;
	switch (ending) {
	case IOT_END_FRAME:
		return p->in_frame ? pack(p, "", 0, IOT_END_FRAME) : IOT_OK;
	case IOT_FLUSH:
		return flush(p);
	case IOT_FINISH:
		return finish(p);
	default:
		return IOT_OK;
	}
}
