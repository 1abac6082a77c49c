/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of a trace, and sequential reading of their slices, raw or as a zlib block. Members
 * that are read at many offsets (recorder.ts, ug.cfg, a container) are stored: in memory, or in a
 * temporary file if they are large.
 */
#include "recorder.h"

#include <assert.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/full_io.h"

enum {
	STORE_MEMORY = 8 << 20,
	READ_SIZE = 16 << 10, /* of each slice; there may be one per rank */
	DEFLATE_MAX = 1040,   /* maximum expansion factor of deflate, rounded up */
	LOAD_FIRST = 64 << 10,
	LOAD_ESTIMATE_MAX = 1 << 20, /* memory that a declared size alone may reserve */
	AT_ONCE_MIN = 64 << 10,      /* decompressed bytes */
	AT_ONCE_MAX = 32 << 20,
	SHOWN_NAME = 120,
};

#define STORE_MAX ((uint64_t)64 << 30)

double recorder_double(const void *p)
{
	uint64_t bits = recorder_u64(p);
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* Parts */

static int by_role(const void *a, const void *b)
{
	const struct recorder_part *x = a, *y = b;
	if (x->role != y->role)
		return x->role < y->role ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

void recorder_sort_parts(struct recorder_files *f)
{
	if (f->parts > 0)
		qsort(f->part, f->parts, sizeof *f->part, by_role);
}

size_t recorder_parts(const struct recorder *r, enum recorder_role role,
		      const struct recorder_part **first)
{
	const struct recorder_files *f = &r->files;
	size_t low = 0, high = f->parts, n = 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (f->part[middle].role < role)
			low = middle + 1;
		else
			high = middle;
	}
	while (low + n < f->parts && f->part[low + n].role == role)
		n++;
	*first = f->part + low;
	return n;
}

const struct recorder_part *recorder_part(const struct recorder *r, enum recorder_role role,
					  uint32_t rank)
{
	const struct recorder_part key = {.role = role, .rank = rank};
	const struct recorder_files *f = &r->files;
	return f->parts == 0 ? NULL : bsearch(&key, f->part, f->parts, sizeof *f->part, by_role);
}

const char *recorder_name(struct recorder *r, const struct recorder_part *part)
{
	char *out = r->files.name[r->files.name_turn++ % RECORDER_MESSAGE_NAMES];
	const char *name = input_name(r->src->input, part->member);
	size_t size = strlen(name), cut = size > SHOWN_NAME ? size - SHOWN_NAME : 0;
	return escape_text(out, RECORDER_MESSAGE_NAME, name + cut, size - cut);
}

/* Stores */

static struct recorder_store *find_store(struct recorder_files *f, size_t member)
{
	for (size_t i = 0; i < f->stores; i++)
		if (f->store[i].member == member)
			return &f->store[i];
	return NULL;
}

static int store_append(struct recorder_store *s, const char *data, size_t n, struct error *error)
{
	const bool small = tempfile_end(&s->file) == 0 && s->size + n <= STORE_MEMORY;
	if (n > STORE_MAX - s->size)
		return error_set(error, IOT_ELIMIT, "more than %d GiB of temporary file",
				 (int)(STORE_MAX >> 30));
	if (small && !array_reserve(&s->data, &s->capacity, (size_t)s->size + n, 1))
		return error_no_memory(error);
	if (small) {
		memcpy(s->data + s->size, data, n);
	} else {
		if (s->data != NULL)
			(void)tempfile_append(&s->file, s->data, (size_t)s->size);
		free(s->data);
		s->data = NULL;
		if (error->status == IOT_OK)
			(void)tempfile_append(&s->file, data, n);
	}
	s->size += n;
	return error->status;
}

/* A member that is damaged at its end is stored up to there. */
static int store_fill(struct recorder *r, struct recorder_store *s, struct bufreader *in)
{
	size_t have;
	const char *data;
	int status = IOT_OK;
	while (status == IOT_OK && (data = bufreader_peek(in, 1, &have)) != NULL && have > 0) {
		status = store_append(s, data, have, &r->src->error);
		bufreader_consume(in, have);
	}
	if (status == IOT_OK && tempfile_end(&s->file) > 0)
		status = tempfile_flush(&s->file);
	if (bufreader_status(in) != IOT_OK && r->damage.status == IOT_OK)
		r->damage = *bufreader_error(in);
	return status;
}

int recorder_store(struct recorder *r, const struct recorder_part *part, uint64_t *size)
{
	struct recorder_files *f = &r->files;
	struct recorder_store *s = find_store(f, part->member);
	int status = IOT_OK;
	if (s == NULL) {
		struct bufreader *in = input_open(r->src->input, part->member, &r->src->error);
		if (in == NULL)
			return r->src->error.status;
		assert(f->stores < RECORDER_STORES);
		s = &f->store[f->stores++];
		*s = (struct recorder_store){.member = part->member};
		tempfile_init(&s->file, &r->src->error);
		status = store_fill(r, s, in);
		bufreader_free(in);
	}
	*size = part->size == RECORDER_WHOLE ? s->size : part->size;
	return status;
}

void recorder_files_free(struct recorder_files *f)
{
	for (size_t i = 0; i < f->stores; i++) {
		free(f->store[i].data);
		tempfile_free(&f->store[i].file);
	}
	free(f->part);
	free(f->directory);
}

static ssize_t read_store(void *context, void *buffer, size_t size)
{
	struct recorder_stream *s = context;
	ssize_t n;
	if (size > s->end - s->at)
		size = (size_t)(s->end - s->at);
	n = (ssize_t)size;
	if (s->store->data == NULL)
		n = full_read(s->store->file.fd, buffer, size, s->at);
	else if (size > 0)
		memcpy(buffer, s->store->data + s->at, size);
	s->at += n > 0 ? (uint64_t)n : 0;
	return n;
}

/* Streams */

static int ends_before(const struct recorder_stream *s, uint64_t end, uint64_t at,
		       struct error *error)
{
	return error_set(error, IOT_ETRUNCATED, "%s: ends at byte %ju, before %ju", s->name,
			 (uintmax_t)end, (uintmax_t)at);
}

/* Reads `size` bytes of the store. A truncated slice is reported when reading reaches its end. */
static int open_slice(struct recorder_stream *s, uint64_t at, uint64_t size, struct error *error)
{
	const struct bufreader_options options = {.read_size = READ_SIZE, .plain = true};
	uint64_t stored = at < s->store->size ? s->store->size - at : 0;
	if (stored == 0 && size > 0)
		return ends_before(s, s->store->size, at, error);
	s->at = at;
	s->end = at + (size < stored ? size : stored);
	s->left = size;
	s->bufreader = bufreader_new(s->name, &options);
	if (s->bufreader == NULL || bufreader_open_callback(s->bufreader, read_store, s) != IOT_OK)
		return error_no_memory(error);
	return IOT_OK;
}

static int read_block_head(struct recorder_stream *s, struct error *error)
{
	size_t have;
	const char *head = bufreader_peek(s->bufreader, RECORDER_BLOCK_HEAD, &have);
	if (have < RECORDER_BLOCK_HEAD)
		return error_set(error, IOT_ETRUNCATED, "%s: ends inside the header of a block",
				 s->name);
	const uint64_t packed = recorder_u64(head);
	const uint64_t left = s->left < RECORDER_BLOCK_HEAD ? 0 : s->left - RECORDER_BLOCK_HEAD;
	s->expect = recorder_u64(head + 8);
	bufreader_consume(s->bufreader, RECORDER_BLOCK_HEAD);
	if (s->left != RECORDER_WHOLE && (s->left < RECORDER_BLOCK_HEAD || packed != left))
		return error_set(error, IOT_EFORMAT,
				 "%s: a block of %ju bytes, but %ju bytes are left", s->name,
				 (uintmax_t)packed, (uintmax_t)left);
	if (s->expect / DEFLATE_MAX > packed)
		return error_set(error, IOT_EFORMAT,
				 "%s: a block of %ju bytes declares a decompressed size of %ju",
				 s->name, (uintmax_t)packed, (uintmax_t)s->expect);
	s->left = packed;
	s->inflating = inflateInit(&s->z) == Z_OK;
	return s->inflating ? IOT_OK : error_no_memory(error);
}

int recorder_stream_open(struct recorder *r, struct recorder_stream *s,
			 const struct recorder_part *part, uint64_t offset, uint64_t size,
			 bool packed, struct error *error)
{
	int status = IOT_OK;
	*s = (struct recorder_stream){
	    .store = find_store(&r->files, part->member), .left = RECORDER_WHOLE, .packed = packed};
	memcpy(s->name, recorder_name(r, part), sizeof s->name);
	if (s->store != NULL) {
		uint64_t whole = part->size == RECORDER_WHOLE ? s->store->size : part->size;
		if (offset > whole)
			return ends_before(s, whole, offset, error);
		status = open_slice(s, part->offset + offset,
				    size == RECORDER_WHOLE ? whole - offset : size, error);
	} else {
		s->bufreader = input_open(r->src->input, part->member, error);
		status = s->bufreader == NULL ? error->status : IOT_OK;
	}
	return status == IOT_OK && packed ? read_block_head(s, error) : status;
}

/* Peeks the next bytes of the slice or block. */
static const char *peek(struct recorder_stream *s, size_t *have)
{
	*have = 0;
	const char *data = s->left > 0 ? bufreader_peek(s->bufreader, 1, have) : "";
	if (*have > s->left)
		*have = (size_t)s->left;
	return data;
}

static void consume(struct recorder_stream *s, size_t n)
{
	bufreader_consume(s->bufreader, n);
	if (s->packed || s->left != RECORDER_WHOLE)
		s->left -= n;
}

static ssize_t read_raw(struct recorder_stream *s, char *out, size_t n, struct error *error)
{
	size_t done = 0;
	while (done < n) {
		size_t have;
		const char *data = peek(s, &have);
		if (have == 0)
			break;
		have = have < n - done ? have : n - done;
		memcpy(out + done, data, have);
		consume(s, have);
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
		return error_set(error, IOT_EFORMAT,
				 "%s: the decompressed size of a block is %s than the %ju bytes "
				 "that its header declares",
				 s->name, s->got > s->expect ? "more" : "less",
				 (uintmax_t)s->expect);
	if (s->left > 0)
		return error_set(
		    error, IOT_EFORMAT,
		    "%s: a block ends %ju bytes before the end that its header declares", s->name,
		    (uintmax_t)s->left);
	if (s->store == NULL && bufreader_peek(s->bufreader, 1, &have) != NULL && have > 0)
		return error_set(error, IOT_EFORMAT, "%s: extra bytes after the block", s->name);
	return IOT_OK;
}

static int inflate_error(struct recorder_stream *s, int z, struct error *error)
{
	if (z == Z_BUF_ERROR)
		return error_set(error, IOT_ETRUNCATED,
				 "%s: ends inside a block, after %ju of %ju decompressed bytes",
				 s->name, (uintmax_t)s->got, (uintmax_t)s->expect);
	return error_set(error, z == Z_MEM_ERROR ? IOT_ENOMEM : IOT_EFORMAT,
			 "%s: damaged zlib block: %s", s->name,
			 s->z.msg != NULL ? s->z.msg : "it needs a dictionary");
}

static ssize_t read_packed(struct recorder_stream *s, char *out, size_t n, struct error *error)
{
	int status = IOT_OK;
	s->z.next_out = (Bytef *)out;
	s->z.avail_out = (uInt)n;
	while (s->z.avail_out > 0 && !s->ended && status == IOT_OK) {
		size_t have;
		const char *data = peek(s, &have);
		const uInt before = s->z.avail_out;
		s->z.next_in = (Bytef *)(uintptr_t)data;
		s->z.avail_in = (uInt)have;
		const int z = inflate(&s->z, Z_NO_FLUSH);
		consume(s, have - s->z.avail_in);
		s->got += before - s->z.avail_out;
		if (z == Z_STREAM_END || s->got > s->expect)
			status = block_end(s, error);
		else if (z != Z_OK)
			status = inflate_error(s, z, error);
	}
	const size_t done = n - s->z.avail_out;
	return status == IOT_OK || (done > 0 && s->got <= s->expect) ? (ssize_t)done : status;
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
	bufreader_free(s->bufreader);
}

/* Complete payloads */

/*
 * Decompresses a block of medium size in one shot with libdeflate, which takes half the time.
 * Returns NULL, with nothing consumed, if the block is not suitable or damaged; zlib then locates
 * the damage.
 */
static char *load_at_once(struct recorder_stream *s, size_t max, struct error *error)
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
	    libdeflate_zlib_decompress_ex(d, packed, (size_t)s->left, data, (size_t)s->expect,
					  &used, &size) == LIBDEFLATE_SUCCESS &&
	    used == s->left && size == s->expect) {
		consume(s, used);
		s->got = size;
		(void)block_end(s, error);
	} else {
		free(data);
		data = NULL;
	}
	libdeflate_free_decompressor(d);
	return data;
}

static char *load_stream(struct recorder_stream *s, size_t max, struct error *error)
{
	const size_t estimate = s->packed && s->expect < max ? (size_t)s->expect + 1 : LOAD_FIRST;
	size_t capacity = 0, size = 0,
	       need = estimate < LOAD_ESTIMATE_MAX ? estimate : LOAD_ESTIMATE_MAX;
	char *data = NULL;
	while (size == capacity) {
		if (capacity > max) {
			error_set(error, IOT_ELIMIT, "%s: more than %zu bytes", s->name, max);
			break;
		}
		if (!array_reserve(&data, &capacity, need, 1)) {
			error_no_memory(error);
			break;
		}
		ssize_t n = recorder_stream_read(s, data + size, capacity - size, error);
		if (n < 0 || error->status != IOT_OK)
			break;
		size += (size_t)n;
		need = capacity + 1;
	}
	s->got = size;
	return data;
}

char *recorder_load(struct recorder *r, const struct recorder_part *part, uint64_t offset,
		    uint64_t size, bool packed, size_t max, size_t *got, struct error *error)
{
	struct recorder_stream s;
	char *data = NULL;
	if (recorder_stream_open(r, &s, part, offset, size, packed, error) == IOT_OK)
		data = load_at_once(&s, max, error);
	if (data == NULL && error->status == IOT_OK)
		data = load_stream(&s, max, error);
	if (error->status != IOT_OK) {
		free(data);
		data = NULL;
	}
	*got = (size_t)s.got;
	recorder_stream_close(&s);
	return data;
}

const char *recorder_peek_line(struct bufreader *in, size_t skip, size_t *size, bool *cut)
{
	size_t have, want = skip + 1;
	for (;;) {
		const char *data = bufreader_peek(in, want, &have);
		const char *lf = have > skip ? memchr(data + skip, '\n', have - skip) : NULL;
		*cut = lf == NULL;
		*size = lf != NULL ? (size_t)(lf - data) : have;
		if (lf != NULL)
			return data;
		if (have < want)
			return have > 0 ? data : NULL;
		if (have > RECORDER_LINE_MAX)
			return NULL;
		want = have + 1;
	}
}
