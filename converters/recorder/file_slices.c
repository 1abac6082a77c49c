/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sequential reading of slices of members, raw or as a zlib block. Members that are read at many
 * offsets (recorder.ts, ug.cfg, a container) are stored: in memory, or in a temporary file if they
 * are large.
 */
#include "recorder.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/fdio.h"

enum {
	STORE_FIRST = 16 << 10,
	STORE_MEMORY = 8 << 20,
	WINDOW_SIZE = 16 << 10, /* of each slice; there may be one per rank */
	BLOCK_HEAD = 16,
	DEFLATE_MAX = 1040, /* maximum expansion factor of deflate, rounded up */
	LOAD_FIRST = 64 << 10,
	AT_ONCE_MIN = 64 << 10, /* decompressed bytes */
	AT_ONCE_MAX = 32 << 20,
};

double recorder_double(const void *p)
{
	uint64_t bits = recorder_u64(p);
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* Stores */

static struct recorder_store *find_store(struct recorder *r, size_t member)
{
	for (size_t i = 0; i < r->stores; i++)
		if (r->store[i].member == member)
			return &r->store[i];
	return NULL;
}

static int tempfile_bytes(struct recorder *r, const char *data, size_t n)
{
	if (!fdio_write(r->tempfile.fd, data, n, r->tempfile.size))
		return error_system(&r->src->error, errno, "temporary file");
	r->tempfile.size += n;
	return IOT_OK;
}

static int store_move_to_tempfile(struct recorder *r, struct recorder_store *s)
{
	int status = input_tempfile_open(&r->tempfile, &r->src->error);
	s->tempfile_at = r->tempfile.size;
	if (status == IOT_OK)
		status = tempfile_bytes(r, s->data, (size_t)s->size);
	free(s->data);
	s->data = NULL;
	return status;
}

static int store_grow(struct recorder *r, struct recorder_store *s, size_t need)
{
	size_t capacity = s->capacity;
	while (capacity < need)
		capacity *= 2;
	char *grown = realloc(s->data, capacity);
	if (grown == NULL)
		return error_set(&r->src->error, IOT_ENOMEM, "out of memory");
	s->data = grown;
	s->capacity = capacity;
	return IOT_OK;
}

static int store_add(struct recorder *r, struct recorder_store *s, const char *data, size_t n)
{
	int status = IOT_OK;
	if (s->data != NULL && s->size + n > STORE_MEMORY)
		status = store_move_to_tempfile(r, s);
	if (status != IOT_OK)
		return status;
	if (s->data != NULL && s->size + n > s->capacity)
		status = store_grow(r, s, (size_t)s->size + n);
	if (status != IOT_OK)
		return status;
	if (s->data != NULL)
		memcpy(s->data + s->size, data, n);
	else if (n > INPUT_TEMPFILE_MAX - r->tempfile.size)
		return error_set(&r->src->error, IOT_ELIMIT, "more than %d GiB of temporary file",
				 (int)(INPUT_TEMPFILE_MAX >> 30));
	else
		status = tempfile_bytes(r, data, n);
	s->size += n;
	return status;
}

static int store_fill(struct recorder *r, struct recorder_store *s, struct bufreader *w)
{
	size_t have;
	const char *data;
	while ((data = bufreader_peek(w, 1, &have)) != NULL && have > 0) {
		int status = store_add(r, s, data, have);
		if (status != IOT_OK)
			return status;
		bufreader_consume(w, have);
	}
	s->broken = bufreader_status(w) != IOT_OK;
	if (s->broken && r->damage.status == IOT_OK)
		r->damage = *bufreader_error(w);
	return IOT_OK;
}

int recorder_store(struct recorder *r, const struct recorder_part *part, uint64_t *size)
{
	struct recorder_store *s = find_store(r, part->member);
	if (s != NULL) {
		*size = part->size == RECORDER_WHOLE ? s->size : part->size;
		return IOT_OK;
	}
	struct bufreader *w = input_open(r->src->input, part->member, &r->src->error);
	if (w == NULL)
		return r->src->error.status;
	s = &r->store[r->stores++];
	*s = (struct recorder_store){
	    .member = part->member, .data = malloc(STORE_FIRST), .capacity = STORE_FIRST};
	int status = s->data == NULL ? error_set(&r->src->error, IOT_ENOMEM, "out of memory")
				     : store_fill(r, s, w);
	bufreader_free(w);
	*size = s->size;
	return status;
}

void recorder_stores_free(struct recorder *r)
{
	for (size_t i = 0; i < r->stores; i++)
		free(r->store[i].data);
	r->stores = 0;
	if (r->tempfile.fd >= 0)
		close(r->tempfile.fd);
	r->tempfile.fd = -1;
}

static ssize_t read_slice(void *context, void *buffer, size_t size)
{
	struct recorder_slice *s = context;
	ssize_t n;
	if (size > s->end - s->at)
		size = (size_t)(s->end - s->at);
	if (s->store->data != NULL) {
		if (size > 0)
			memcpy(buffer, s->store->data + s->at, size);
		n = (ssize_t)size;
	} else {
		n = fdio_read(s->fd, buffer, size, s->store->tempfile_at + s->at);
	}
	if (n > 0)
		s->at += (uint64_t)n;
	return n;
}

/* Streams */

static int open_slice(struct recorder *r, struct recorder_stream *s,
		      const struct recorder_store *store, uint64_t at, uint64_t size,
		      struct error *error)
{
	const struct bufreader_options options = {.read_size = WINDOW_SIZE, .plain = true};
	uint64_t there = at < store->size ? store->size - at : 0;
	if (there == 0 && size > 0)
		return error_set(error, IOT_ETRUNCATED, "%s: ends at byte %ju, before %ju", s->name,
				 (uintmax_t)store->size, (uintmax_t)at);
	/* A truncated slice is reported when reading reaches its end. */
	s->slice =
	    (struct recorder_slice){store, r->tempfile.fd, at, at + (size < there ? size : there)};
	s->left = size;
	s->bufreader = bufreader_new(s->name, &options);
	if (s->bufreader == NULL ||
	    bufreader_open_callback(s->bufreader, read_slice, &s->slice) != IOT_OK)
		return error_set(error, IOT_ENOMEM, "out of memory");
	return IOT_OK;
}

static int read_block_head(struct recorder_stream *s, struct error *error)
{
	size_t have;
	const char *head = bufreader_peek(s->bufreader, BLOCK_HEAD, &have);
	if (have < BLOCK_HEAD)
		return error_set(error, IOT_ETRUNCATED, "%s: ends inside the head of a block",
				 s->name);
	uint64_t packed = recorder_u64(head);
	s->expect = recorder_u64(head + 8);
	bufreader_consume(s->bufreader, BLOCK_HEAD);
	if (s->left != RECORDER_WHOLE && (s->left < BLOCK_HEAD || packed != s->left - BLOCK_HEAD))
		return error_set(error, IOT_EFORMAT, "%s: a block of %ju bytes where there are %ju",
				 s->name, (uintmax_t)packed,
				 (uintmax_t)(s->left < BLOCK_HEAD ? 0 : s->left - BLOCK_HEAD));
	if (s->expect / DEFLATE_MAX > packed)
		return error_set(error, IOT_EFORMAT,
				 "%s: a block of %ju bytes says that it unpacks to %ju", s->name,
				 (uintmax_t)packed, (uintmax_t)s->expect);
	s->left = packed;
	if (inflateInit(&s->z) != Z_OK)
		return error_set(error, IOT_ENOMEM, "out of memory");
	s->inflating = true;
	return IOT_OK;
}

int recorder_stream_open(struct recorder *r, struct recorder_stream *s,
			 const struct recorder_part *part, uint64_t offset, uint64_t size,
			 bool packed, struct error *error)
{
	const struct recorder_store *store = find_store(r, part->member);
	memset(s, 0, sizeof *s);
	memcpy(s->name_text, recorder_name(r, part), sizeof s->name_text);
	s->name = s->name_text;
	s->packed = packed;
	int status = IOT_OK;
	if (store != NULL) {
		uint64_t whole = part->size == RECORDER_WHOLE ? store->size : part->size;
		if (offset > whole)
			return error_set(error, IOT_ETRUNCATED, "%s: ends at byte %ju, before %ju",
					 s->name, (uintmax_t)whole, (uintmax_t)offset);
		status = open_slice(r, s, store, part->offset + offset,
				    size == RECORDER_WHOLE ? whole - offset : size, error);
	} else {
		s->left = RECORDER_WHOLE;
		s->bufreader = input_open(r->src->input, part->member, error);
		status = s->bufreader == NULL ? error->status : IOT_OK;
	}
	if (status == IOT_OK && packed)
		status = read_block_head(s, error);
	return status;
}

static ssize_t read_raw(struct recorder_stream *s, char *out, size_t n, struct error *error)
{
	size_t done = 0;
	while (done < n && s->left > 0) {
		size_t have;
		const char *data = bufreader_peek(s->bufreader, 1, &have);
		if (have == 0)
			break;
		if (have > n - done)
			have = n - done;
		if (s->left != RECORDER_WHOLE && have > s->left)
			have = (size_t)s->left;
		memcpy(out + done, data, have);
		bufreader_consume(s->bufreader, have);
		if (s->left != RECORDER_WHOLE)
			s->left -= have;
		done += have;
	}
	if (done < n && bufreader_status(s->bufreader) != IOT_OK) {
		*error = *bufreader_error(s->bufreader);
		return done > 0 ? (ssize_t)done : error->status;
	}
	return (ssize_t)done;
}

/* The block must end where its header says, with the declared number of bytes. */
static int block_end(struct recorder_stream *s, struct error *error)
{
	size_t have;
	s->ended = true;
	if (s->got != s->expect)
		return error_set(
		    error, IOT_EFORMAT, "%s: a block unpacks to %s than the %ju bytes of its head",
		    s->name, s->got > s->expect ? "more" : "less", (uintmax_t)s->expect);
	if (s->left > 0)
		return error_set(error, IOT_EFORMAT,
				 "%s: a block ends %ju bytes before its head says", s->name,
				 (uintmax_t)s->left);
	if (s->slice.store == NULL && bufreader_peek(s->bufreader, 1, &have) != NULL && have > 0)
		return error_set(error, IOT_EFORMAT, "%s: extra bytes after the block", s->name);
	return IOT_OK;
}

static int inflate_fault(struct recorder_stream *s, int z, struct error *error)
{
	if (z == Z_BUF_ERROR)
		return error_set(error, IOT_ETRUNCATED,
				 "%s: ends inside a block, %ju of %ju bytes unpacked", s->name,
				 (uintmax_t)s->got, (uintmax_t)s->expect);
	return error_set(error, z == Z_MEM_ERROR ? IOT_ENOMEM : IOT_EFORMAT,
			 "%s: damaged zlib block: %s", s->name,
			 s->z.msg != NULL ? s->z.msg : "a dictionary is wanted");
}

static ssize_t read_packed(struct recorder_stream *s, char *out, size_t n, struct error *error)
{
	s->z.next_out = (Bytef *)out;
	s->z.avail_out = (uInt)n;
	while (s->z.avail_out > 0 && !s->ended) {
		size_t have = 0;
		const char *data =
		    s->left > 0 ? bufreader_peek(s->bufreader, 1, &have) : (const char *)"";
		if (have > s->left)
			have = (size_t)s->left;
		uInt before = s->z.avail_out;
		s->z.next_in = (Bytef *)(uintptr_t)data;
		s->z.avail_in = (uInt)have;
		int z = inflate(&s->z, Z_NO_FLUSH);
		size_t eaten = have - s->z.avail_in;
		bufreader_consume(s->bufreader, eaten);
		s->left -= eaten;
		s->got += before - s->z.avail_out;
		int status = IOT_OK;
		if (z == Z_STREAM_END)
			status = block_end(s, error);
		else if (z != Z_OK || s->got > s->expect)
			status =
			    s->got > s->expect ? block_end(s, error) : inflate_fault(s, z, error);
		size_t done = n - s->z.avail_out;
		if (status != IOT_OK)
			return done > 0 && s->got <= s->expect ? (ssize_t)done : status;
	}
	return (ssize_t)(n - s->z.avail_out);
}

ssize_t recorder_stream_read(struct recorder_stream *s, void *out, size_t n, struct error *error)
{
	if (error->status != IOT_OK)
		return error->status;
	return s->packed ? read_packed(s, out, n, error) : read_raw(s, out, n, error);
}

void recorder_stream_close(struct recorder_stream *s)
{
	if (s->inflating)
		inflateEnd(&s->z);
	s->inflating = false;
	bufreader_free(s->bufreader);
	s->bufreader = NULL;
}

/* Complete payloads */

/*
 * Decompresses a block of medium size in one shot with libdeflate, which takes half the time.
 * Returns NULL, with nothing consumed, if the block is not suitable or damaged; zlib then locates
 * the damage.
 */
static char *unpack_at_once(struct recorder_stream *s, size_t max)
{
	size_t have, used, size;
	if (!s->packed || s->expect < AT_ONCE_MIN || s->expect > AT_ONCE_MAX || s->expect > max ||
	    s->left > s->expect)
		return NULL;
	const char *packed = bufreader_peek(s->bufreader, (size_t)s->left, &have);
	struct libdeflate_decompressor *d =
	    have >= s->left ? libdeflate_alloc_decompressor() : NULL;
	char *data = d != NULL ? malloc((size_t)s->expect) : NULL;
	if (data != NULL &&
	    (libdeflate_zlib_decompress_ex(d, packed, (size_t)s->left, data, (size_t)s->expect,
					   &used, &size) != LIBDEFLATE_SUCCESS ||
	     used != s->left || size != s->expect)) {
		free(data);
		data = NULL;
	}
	libdeflate_free_decompressor(d);
	return data;
}

static char *load_at_once(struct recorder_stream *s, size_t max, size_t *got, struct error *error)
{
	char *data = unpack_at_once(s, max);
	if (data == NULL)
		return NULL;
	bufreader_consume(s->bufreader, (size_t)s->left);
	s->left = 0;
	*got = s->got = (size_t)s->expect;
	(void)block_end(s, error);
	return data;
}

static char *load_stream(struct recorder_stream *s, size_t max, size_t *got, struct error *error)
{
	size_t capacity = s->packed && s->expect < max ? (size_t)s->expect + 1 : LOAD_FIRST,
	       size = 0;
	capacity = capacity > 16 * (size_t)LOAD_FIRST ? 16 * (size_t)LOAD_FIRST : capacity;
	char *data = malloc(capacity);
	ssize_t n = 0;
	while (data != NULL) {
		n = recorder_stream_read(s, data + size, capacity - size, error);
		if (n < 0 || error->status != IOT_OK)
			break;
		size += (size_t)n;
		if (size < capacity)
			break;
		if (capacity > max) {
			error_set(error, IOT_ELIMIT, "%s: more than %zu bytes", s->name, max);
			break;
		}
		capacity *= 2;
		char *grown = realloc(data, capacity);
		if (grown == NULL)
			free(data);
		data = grown;
	}
	if (data == NULL)
		error_set(error, IOT_ENOMEM, "out of memory");
	*got = size;
	return data;
}

char *recorder_load(struct recorder *r, const struct recorder_part *part, uint64_t offset,
		    uint64_t size, bool packed, size_t max, size_t *got, struct error *error)
{
	struct recorder_stream *s = malloc(sizeof *s);
	if (s == NULL) {
		error_set(error, IOT_ENOMEM, "out of memory");
		return NULL;
	}
	char *data = NULL;
	if (recorder_stream_open(r, s, part, offset, size, packed, error) == IOT_OK)
		data = load_at_once(s, max, got, error);
	if (data == NULL && error->status == IOT_OK)
		data = load_stream(s, max, got, error);
	if (error->status != IOT_OK) {
		free(data);
		data = NULL;
	}
	recorder_stream_close(s);
	free(s);
	return data;
}
