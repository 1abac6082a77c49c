/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libarchive and liblzma on top of a bufreader; see archive_reader.h. xz is decompressed by liblzma
 * directly: libarchive would allocate as much memory as a file asks for, up to 4 GiB.
 */
#include "archive_reader.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>

#include "archive_library.h"

enum {
	XZ_OUTPUT = 64 << 10,      /* bytes that one call returns at most */
	XZ_MEMORY_MAX = 160 << 20, /* a dictionary of 128 MiB and the decoder's other memory */
};

/* A decoder of either library and the bufreader under it. */
#define AFTER_BYTE "%s: after byte %ju of the decompressed data: "

struct unpacker {
	struct bufreader *base;
	char *name; /* escaped */
	enum compression_layer how;
	size_t peeked; /* bytes of base that the decoder currently uses */
	bool opened, drained, ended;
	struct error error;
	struct archive_library library; /* not open for xz */
	struct archive *archive;        /* NULL for xz */
	const char *block;              /* decompressed, not yet delivered */
	size_t left;
	uint64_t made;      /* bytes delivered */
	lzma_stream stream; /* for xz */
};

struct tar {
	struct unpacker *u;
	/* allocated here: libarchive does not check its own allocation */
	struct archive_entry *entry;
	uint64_t skipped;
};

static bool begins(const char *head, size_t size, const char *magic, size_t n)
{
	return size >= n && memcmp(head, magic, n) == 0;
}

static bool begins_skippable(const char *head, size_t size)
{
	return size >= 4 && (head[0] & 0xf0) == 0x50 && memcmp(head + 1, "\x2a\x4d\x18", 3) == 0;
}

static bool begins_bzip2(const char *head, size_t size)
{
	return size >= 5 && memcmp(head, "BZh", 3) == 0 && head[3] >= '1' && head[3] <= '9' &&
	       (head[4] == 0x31 || head[4] == 0x17);
}

enum compression_layer compression_layer_of(const char *head, size_t size)
{
	if (begins(head, size, "\x1f\x8b", 2) || begins(head, size, "\x28\xb5\x2f\xfd", 4) ||
	    begins_skippable(head, size))
		return COMPRESSION_LAYER_BUFREADER;
	if (begins(head, size,
		   "\xfd"
		   "7zXZ\0",
		   6))
		return COMPRESSION_LAYER_XZ;
	if (begins(head, size, "\x04\x22\x4d\x18", 4) || begins(head, size, "\x02\x21\x4c\x18", 4))
		return COMPRESSION_LAYER_LZ4;
	return begins_bzip2(head, size) ? COMPRESSION_LAYER_BZIP2 : COMPRESSION_LAYER_NONE;
}

/*
 * Checks the checksum of the first header: every dialect of tar has it, and text does not match it
 * by chance.
 */
bool is_tar(const char *head, size_t size)
{
	enum { SUM_AT = 148, SUM_SIZE = 8, HEADER = 512 };
	if (size < HEADER || head[0] == '\0')
		return false;
	unsigned sum = 0, reported = 0, digits = 0;
	for (size_t i = 0; i < HEADER; i++)
		sum += i - SUM_AT < SUM_SIZE ? ' ' : (unsigned char)head[i];
	for (size_t i = SUM_AT; i < SUM_AT + SUM_SIZE; i++) {
		if (head[i] < '0' || head[i] > '7') {
			if (digits > 0)
				break;
			continue;
		}
		reported = reported * 8 + (unsigned)(head[i] - '0');
		digits++;
	}
	return digits > 0 && reported == sum;
}

/* Consumes the bytes of base that were used and peeks more. */
static const char *next_bytes(struct unpacker *u, size_t unused)
{
	bufreader_consume(u->base, u->peeked - unused);
	return bufreader_peek(u->base, 1, &u->peeked);
}

static la_ssize_t feed(struct archive *a, void *context, const void **buffer)
{
	struct unpacker *u = context;
	*buffer = next_bytes(u, 0);
	u->drained = u->peeked == 0;
	if (u->drained && bufreader_status(u->base) != IOT_OK) {
		u->library.archive_set_error(a, EIO, "%s", bufreader_error(u->base)->text);
		return -1;
	}
	return (la_ssize_t)u->peeked;
}

static void unpacker_free(void *context)
{
	struct unpacker *u = context;
	if (u == NULL)
		return;
	if (u->archive != NULL)
		u->library.archive_read_free(u->archive);
	archive_library_close(&u->library);
	lzma_end(&u->stream);
	bufreader_free(u->base);
	free(u->name);
	free(u);
}

/* Takes ownership of base. */
static struct unpacker *unpacker_new(struct bufreader *base, enum compression_layer how,
				     const char *name, struct error *error)
{
	const size_t size = strlen(name);
	struct unpacker *u = calloc(1, sizeof(*u));
	char *escaped = malloc(4 * size + 4);
	if (u == NULL || escaped == NULL) {
		free(escaped);
		free(u);
		bufreader_free(base);
		error_no_memory(error);
		return NULL;
	}
	*u = (struct unpacker){.base = base,
			       .name = escape_text(escaped, 4 * size + 4, name, size),
			       .how = how,
			       .stream = LZMA_STREAM_INIT};
	if (how == COMPRESSION_LAYER_XZ)
		return u;
	if (archive_library_open(&u->library, error)) {
		u->archive = u->library.archive_read_new();
		if (u->archive != NULL)
			return u;
		error_no_memory(error);
	}
	unpacker_free(u);
	return NULL;
}

/* libarchive */

/*
 * A result of ARCHIVE_WARN means that this libarchive would run a program as filter; the caller
 * refuses it.
 */
static int enable_filter(struct unpacker *u)
{
	if (u->how == COMPRESSION_LAYER_BZIP2)
		return u->library.archive_read_support_filter_bzip2(u->archive);
	if (u->how == COMPRESSION_LAYER_LZ4)
		return u->library.archive_read_support_filter_lz4(u->archive);
	return ARCHIVE_OK;
}

/*
 * Stores libarchive's error. If libarchive had reached the end of base, the input is truncated;
 * otherwise it is malformed.
 */
static int give_up(struct unpacker *u)
{
	const struct error *base = bufreader_error(u->base);
	const char *words = u->library.archive_error_string(u->archive);
	const bool memory = u->library.archive_errno(u->archive) == ENOMEM;
	char escaped[256];
	if (bufreader_status(u->base) != IOT_OK)
		return error_set(&u->error, base->status, "%s", base->text);
	if (words == NULL)
		words = "cannot be unpacked";
	escape_text(escaped, sizeof(escaped), words, strlen(words));
	const int status = memory ? IOT_ENOMEM : u->drained ? IOT_ETRUNCATED : IOT_EFORMAT;
	if (u->how == COMPRESSION_LAYER_NONE || memory)
		return error_set(&u->error, status, "%s: %s", u->name, escaped);
	return error_set(&u->error, status, AFTER_BYTE "%s", u->name, (uintmax_t)u->made, escaped);
}

/*
 * Sets up step by step: archive_read_open() would continue although its first step is out of
 * memory.
 */
static bool begin_reading(struct unpacker *u)
{
	return u->library.archive_read_set_read_callback(u->archive, feed) == ARCHIVE_OK &&
	       u->library.archive_read_set_callback_data(u->archive, u) == ARCHIVE_OK &&
	       u->library.archive_read_open1(u->archive) >= ARCHIVE_WARN;
}

static int open_archive(struct unpacker *u)
{
	if (enable_filter(u) != ARCHIVE_OK)
		return error_set(&u->error, IOT_EUSAGE,
				 "%s: this libarchive cannot unpack its compression", u->name);
	u->opened = true;
	return begin_reading(u) ? IOT_OK : give_up(u);
}

/* Called at the first read, so that errors at the start are reported like all others. */
static int open_stream(struct unpacker *u)
{
	struct archive_entry *entry;
	if (u->library.archive_read_support_format_raw(u->archive) != ARCHIVE_OK ||
	    u->library.archive_read_support_format_empty(u->archive) != ARCHIVE_OK)
		return give_up(u);
	int status = open_archive(u);
	if (status != IOT_OK)
		return status;
	int got = u->library.archive_read_next_header(u->archive, &entry);
	u->ended = got == ARCHIVE_EOF;
	return got < ARCHIVE_WARN ? give_up(u) : IOT_OK;
}

/*
 * Reads by blocks: archive_read_data() would drop bytes already copied if the following block is
 * damaged.
 */
static void next_block(struct unpacker *u)
{
	const void *data;
	la_int64_t offset;
	int got;
	do
		got = u->library.archive_read_data_block(u->archive, &data, &u->left, &offset);
	while (got == ARCHIVE_RETRY || (got == ARCHIVE_OK && u->left == 0));
	u->block = data;
	u->ended = got == ARCHIVE_EOF;
	if (got != ARCHIVE_OK)
		u->left = 0;
	if (got < ARCHIVE_OK)
		(void)give_up(u);
}

static ssize_t read_stream(void *context, void *buffer, size_t size)
{
	struct unpacker *u = context;
	if (u->error.status == IOT_OK && !u->opened)
		(void)open_stream(u);
	if (u->error.status == IOT_OK && !u->ended && u->left == 0)
		next_block(u);
	if (u->error.status != IOT_OK) {
		errno = EIO;
		return -1;
	}
	size_t n = size < u->left ? size : u->left;
	if (n == 0)
		return 0;
	memcpy(buffer, u->block, n);
	u->block += n;
	u->left -= n;
	u->made += n;
	return (ssize_t)n;
}

/* liblzma */

static int xz_error(struct unpacker *u, lzma_ret why)
{
	const struct error *base = bufreader_error(u->base);
	if (bufreader_status(u->base) != IOT_OK)
		return error_set(&u->error, base->status, "%s", base->text);
	switch (why) {
	case LZMA_MEM_ERROR:
		return error_no_memory(&u->error);
	case LZMA_MEMLIMIT_ERROR:
		return error_set(&u->error, IOT_ELIMIT,
				 "%s: xz asks for %ju bytes of memory, the limit is %d", u->name,
				 (uintmax_t)lzma_memusage(&u->stream), XZ_MEMORY_MAX);
	case LZMA_BUF_ERROR:
		return error_set(&u->error, IOT_ETRUNCATED, AFTER_BYTE "truncated xz data", u->name,
				 (uintmax_t)u->made);
	case LZMA_OPTIONS_ERROR:
		return error_set(&u->error, IOT_EFORMAT, "%s: xz of a kind not known", u->name);
	default:
		return error_set(&u->error, IOT_EFORMAT, AFTER_BYTE "damaged xz data", u->name,
				 (uintmax_t)u->made);
	}
}

/* Drops the output of the call that detects damage, because it may be wrong. */
static ssize_t read_xz(void *context, void *buffer, size_t size)
{
	struct unpacker *u = context;
	const size_t capacity = size < XZ_OUTPUT ? size : XZ_OUTPUT;
	lzma_ret got = LZMA_OK;
	if (u->error.status == IOT_OK && !u->opened)
		got = lzma_stream_decoder(&u->stream, XZ_MEMORY_MAX, LZMA_CONCATENATED);
	u->opened = true;
	u->stream.next_out = buffer;
	u->stream.avail_out = capacity;
	while (got == LZMA_OK && u->error.status == IOT_OK && !u->ended &&
	       u->stream.avail_out == capacity) {
		u->stream.next_in = (const uint8_t *)next_bytes(u, u->stream.avail_in);
		u->stream.avail_in = u->peeked;
		got = lzma_code(&u->stream, u->peeked == 0 ? LZMA_FINISH : LZMA_RUN);
	}
	u->ended = u->ended || got == LZMA_STREAM_END;
	if (got != LZMA_OK && got != LZMA_STREAM_END)
		(void)xz_error(u, got);
	const size_t n = got == LZMA_DATA_ERROR ? 0 : capacity - u->stream.avail_out;
	u->made += n;
	if (n > 0 || u->error.status == IOT_OK)
		return (ssize_t)n;
	errno = EIO;
	return -1;
}

struct bufreader *decompress_bufreader(struct bufreader *base, enum compression_layer how,
				       const char *name, const struct bufreader_options *options,
				       struct error *error)
{
	struct unpacker *u = unpacker_new(base, how, name, error);
	if (u == NULL)
		return NULL;
	struct bufreader_options own = *options;
	own.why = &u->error;
	own.done = unpacker_free;
	own.done_context = u;
	struct bufreader *w = bufreader_new(name, &own);
	if (w == NULL) {
		unpacker_free(u);
		error_no_memory(error);
		return NULL;
	}
	if (bufreader_open_callback(w, how == COMPRESSION_LAYER_XZ ? read_xz : read_stream, u) ==
	    IOT_OK)
		return w;
	*error = *bufreader_error(w);
	bufreader_free(w);
	return NULL;
}

/* Tar */

struct tar *tar_new(struct bufreader *base, const char *name, struct error *error)
{
	struct unpacker *u = unpacker_new(base, COMPRESSION_LAYER_NONE, name, error);
	struct tar *t = u != NULL ? calloc(1, sizeof(*t)) : NULL;
	struct archive_entry *entry = u != NULL ? u->library.archive_entry_new2(u->archive) : NULL;
	if (t != NULL && entry != NULL) {
		*t = (struct tar){.u = u, .entry = entry};
		if (u->library.archive_read_support_format_tar(u->archive) == ARCHIVE_OK &&
		    open_archive(u) == IOT_OK)
			return t;
		(void)give_up(u);
		*error = u->error;
	}
	error_no_memory(error);
	if (entry != NULL)
		u->library.archive_entry_free(entry);
	unpacker_free(u);
	free(t);
	return NULL;
}

void tar_free(struct tar *t)
{
	if (t == NULL)
		return;
	t->u->library.archive_entry_free(t->entry);
	unpacker_free(t->u);
	free(t);
}

/* A hard link has the type of a regular file, but no data. */
static bool is_plain_file(const struct archive_library *l, struct archive_entry *entry)
{
	return l->archive_entry_filetype(entry) == AE_IFREG &&
	       l->archive_entry_hardlink(entry) == NULL;
}

int tar_next(struct tar *t, const char **name)
{
	const struct archive_library *const l = &t->u->library;
	struct archive_entry *const entry = t->entry;
	if (t->u->error.status != IOT_OK)
		return t->u->error.status;
	for (;;) {
		int got = l->archive_read_next_header2(t->u->archive, entry);
		if (got == ARCHIVE_EOF)
			return 0;
		if (got == ARCHIVE_RETRY)
			continue;
		if (got < ARCHIVE_WARN)
			return give_up(t->u);
		if (is_plain_file(l, entry))
			break;
		if (l->archive_entry_filetype(entry) != AE_IFDIR)
			t->skipped++;
	}
	/* NULL if the name cannot be represented in the locale of the process. */
	*name = l->archive_entry_pathname(entry);
	if (*name == NULL)
		*name = l->archive_entry_pathname_utf8(entry);
	if (*name == NULL)
		*name = "?";
	return 1;
}

int tar_block(struct tar *t, const void **data, size_t *size, uint64_t *offset)
{
	la_int64_t at = 0;
	int got;
	do
		got = t->u->library.archive_read_data_block(t->u->archive, data, size, &at);
	while (got == ARCHIVE_RETRY);
	if (got == ARCHIVE_EOF)
		return 0;
	if (got < ARCHIVE_WARN || at < 0)
		return give_up(t->u);
	*offset = (uint64_t)at;
	return 1;
}

uint64_t tar_skipped(const struct tar *t)
{
	return t->skipped;
}

const struct error *tar_error(const struct tar *t)
{
	return &t->u->error;
}
