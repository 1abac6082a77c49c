/* SPDX-License-Identifier: BSD-2-Clause */
/* The handle of a writer: settings, opening and closing. */
#include "writer_internal.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/atomic_file.h"
#include "lib/format/framing.h"

enum {
	CODEC_PROCESSES = 64,
	GZIP_LEVELS = 9,
	ZSTD_LEVELS = 19,
	THREADS_MAX = 256,
};

static const uint64_t NOT_SET = UINT64_MAX;

struct iot_writer *iot_writer_new(void)
{
	struct iot_writer *w = calloc(1, sizeof(*w));
	if (w == NULL)
		return NULL;
	w->sink = byte_sink_new();
	w->hash = XXH3_createState();
	w->buffer = malloc(BUFFER_SIZE);
	if (w->sink == NULL || w->hash == NULL || w->buffer == NULL) {
		iot_writer_free(w);
		return NULL;
	}
	XXH3_64bits_reset(w->hash);
	w->set.framing = true;
	w->set.tick_ns = IOT_TICK_DEFAULT_NS;
	w->set.base = 16;
	w->set.version = FRAMING_VERSION;
	w->set.sync = IOT_SYNC_DEFAULT;
	w->set.memory_max = (uint64_t)1 << 30;
	w->set.flush = w->set.flush_ns = NOT_SET;
	return w;
}

void iot_writer_free(struct iot_writer *w)
{
	if (w == NULL)
		return;
	byte_sink_free(w->sink);
	definitions_free(&w->names);
	XXH3_freeState(w->hash);
	directive_codec_free(w->directives);
	free(w->codec);
	free(w->encoded);
	free(w->buffer);
	free(w->scratch);
	free(w);
}

static int set_number(struct iot_writer *w, uint64_t *where, uint64_t value, uint64_t min,
		      uint64_t max)
{
	if (value < min || value > max)
		return writer_refuse(w, "a setting of the writer is out of range");
	*where = value;
	return IOT_OK;
}

static int set_switch(struct iot_writer *w, bool *where, uint64_t value)
{
	if (value > 1)
		return writer_refuse(w, "this setting of the writer is 0 or 1");
	*where = value == 1;
	return IOT_OK;
}

static int set_compression(struct iot_writer *w, uint64_t value)
{
	if (value > IOT_ZSTD)
		return writer_refuse(w, "a compression is plain, gzip or zstd");
	w->set.compression = (enum iot_compression)value;
	w->set.compression_given = true;
	return IOT_OK;
}

int iot_writer_set(struct iot_writer *w, enum iot_option option, uint64_t value)
{
	if (w->error.status != IOT_OK)
		return w->error.status;
	if (w->open)
		return error_refuse(&w->error, "settings of a writer are made before it is opened");
	switch (option) {
	case IOT_SET_TICK_NS:
		return set_number(w, &w->set.tick_ns, value, 1, INT64_MAX);
	case IOT_SET_LIMIT_MEMORY:
		return set_number(w, &w->set.memory_max, value, 1, SIZE_MAX);
	case IOT_SET_SYNC:
		return set_number(w, &w->set.sync, value, 0, UINT64_MAX);
	case IOT_SET_LEVEL:
		return set_number(w, &w->set.level, value, 0, ZSTD_LEVELS);
	case IOT_SET_THREADS:
		return set_number(w, &w->set.threads, value, 0, THREADS_MAX);
	case IOT_SET_COMPRESSION:
		return set_compression(w, value);
	case IOT_SET_BASE:
		if (value != 10 && value != 16)
			return writer_refuse(w, "a base is 16 or 10");
		w->set.base = value;
		return IOT_OK;
	case IOT_SET_FSYNC:
		if (value > 1)
			return writer_refuse(w, "fsync is 0 or 1");
		w->set.no_fsync = value == 0;
		return IOT_OK;
	case IOT_SET_FRAMING:
		return set_switch(w, &w->set.framing, value);
	case IOT_SET_UNDECLARED_DISKS:
		return set_switch(w, &w->set.undeclared_disks, value);
	case IOT_SET_IN_PLACE:
		return set_switch(w, &w->set.in_place, value);
	case IOT_SET_NEW:
		return set_switch(w, &w->set.is_new, value);
	case IOT_SET_INDEX:
		if (value > 1)
			return writer_refuse(w, "index is 0 or 1");
		w->set.no_index = value == 0;
		return IOT_OK;
	case IOT_SET_VERSION:
		return set_number(w, &w->set.version, value, 1, FRAMING_VERSION);
	case IOT_SET_FLUSH:
		return set_number(w, &w->set.flush, value, 0, UINT64_MAX - 1);
	case IOT_SET_FLUSH_NS:
		return set_number(w, &w->set.flush_ns, value, 0, INT64_MAX);
	default:
		return writer_refuse(w, "not a setting of writers");
	}
}

/*
 * Returns whether the trace is flushed regularly, with a %sync each time so that a reader can
 * verify the flushed part.
 */
static bool is_live(const struct iot_writer *w)
{
	return w->set.in_place || w->set.flush > 0 || w->set.flush_ns > 0;
}

static bool ends_in(const char *path, const char *suffix)
{
	size_t n = strlen(path), m = strlen(suffix);
	return n > m && memcmp(path + n - m, suffix, m) == 0;
}

static enum iot_compression by_suffix(const char *path)
{
	if (path != NULL && ends_in(path, ".gz"))
		return IOT_GZIP;
	return path != NULL && ends_in(path, ".zst") ? IOT_ZSTD : IOT_PLAIN;
}

static void choose_flushes(struct iot_writer *w)
{
	if (w->set.flush == NOT_SET)
		w->set.flush = w->set.in_place ? IOT_FLUSH_DEFAULT : 0;
	if (w->set.flush_ns == NOT_SET)
		w->set.flush_ns = w->set.in_place ? IOT_FLUSH_NS_DEFAULT : 0;
}

/* Allocates what depends on settings. */
static int allocate(struct iot_writer *w)
{
	w->codec_size = iot_codec_size(CODEC_PROCESSES);
	definitions_init(&w->names, w->set.memory_max, true, false);
	if (!definitions_reserve(&w->names, w->codec_size))
		return writer_limit_reached(w);
	w->scratch = malloc(RETIMED_MAX(COMMENT_MAX));
	void *block = malloc(w->codec_size);
	if (block == NULL || w->scratch == NULL) {
		free(block);
		return writer_out_of_memory(w);
	}
	w->codec = iot_codec_init(block, w->codec_size, w->set.tick_ns, (unsigned)w->set.base);
	if (!w->set.framing || w->set.version == 1)
		return IOT_OK;
	w->directives = directive_codec_new();
	w->encoded = malloc(ENCODED_DIRECTIVE_MAX(IOT_COMMENT_MAX));
	return w->directives != NULL && w->encoded != NULL ? IOT_OK : writer_out_of_memory(w);
}

/*
 * Prepares everything before the sink is opened; path NULL: no suffix to derive the compression
 * from.
 */
static int prepare(struct iot_writer *w, const char *path)
{
	if (w->error.status != IOT_OK)
		return w->error.status;
	if (w->open)
		return error_refuse(&w->error, "a writer is opened once");
	if (!w->set.compression_given)
		w->set.compression = by_suffix(path);
	if (w->set.compression == IOT_GZIP && w->set.level > GZIP_LEVELS)
		return writer_refuse(w, "levels of gzip are 1 to 9");
	if (!w->set.framing)
		w->set.sync = 0;
	if (allocate(w) != IOT_OK)
		return w->error.status;
	choose_flushes(w);
	if (w->set.no_index)
		byte_sink_no_index(w->sink);
	if (byte_sink_compress(w->sink, w->set.compression, (int)w->set.level,
			       (unsigned)w->set.threads) != IOT_OK)
		return writer_sink_failed(w);
	return IOT_OK;
}

static int opened(struct iot_writer *w, int status)
{
	if (status != IOT_OK)
		return writer_sink_failed(w);
	w->open = true;
	if (w->set.framing && writer_put_header(w) != IOT_OK)
		return w->error.status;
	return is_live(w) ? writer_flush_interval(w) : IOT_OK;
}

int iot_writer_open(struct iot_writer *w, const char *path)
{
	int status = prepare(w, path);
	if (status != IOT_OK)
		return status;
	byte_sink_how(w->sink, (w->set.no_fsync ? ATOMIC_FILE_NO_SYNC : 0U) |
				   (w->set.in_place ? ATOMIC_FILE_IN_PLACE : 0U) |
				   (w->set.is_new ? ATOMIC_FILE_NEW : 0U));
	return opened(w, byte_sink_open(w->sink, path));
}

int iot_writer_open_fd(struct iot_writer *w, int fd, const char *name)
{
	int status = prepare(w, NULL);
	return status != IOT_OK ? status : opened(w, byte_sink_open_fd(w->sink, fd, name));
}

int iot_writer_open_callback(struct iot_writer *w, iot_write_fn *write, void *context,
			     const char *name)
{
	int status = prepare(w, NULL);
	return status != IOT_OK ? status
				: opened(w, byte_sink_open_callback(w->sink, write, context, name));
}

int iot_writer_open_memory(struct iot_writer *w)
{
	int status = prepare(w, NULL);
	return status != IOT_OK ? status : opened(w, byte_sink_open_memory(w->sink));
}

const void *iot_writer_memory(const struct iot_writer *w, size_t *size)
{
	return byte_sink_memory(w->sink, size);
}

/* Closing, and properties of the trace */

int iot_writer_flush(struct iot_writer *w)
{
	int status = check_open(w);
	if (status == IOT_OK && is_live(w))
		return writer_flush_interval(w);
	if (status == IOT_OK)
		status = writer_empty_buffer(w);
	if (status == IOT_OK && byte_sink_flush(w->sink) != IOT_OK)
		status = writer_sink_failed(w);
	return status;
}

int iot_writer_close(struct iot_writer *w)
{
	int status = check_open(w);
	if (status == IOT_OK && w->set.framing)
		status = writer_put_end(w);
	if (status == IOT_OK)
		status = writer_empty_buffer(w);
	if (status == IOT_OK && byte_sink_close(w->sink) != IOT_OK)
		status = writer_sink_failed(w);
	w->closed = true;
	return status;
}

uint64_t iot_writer_fact(const struct iot_writer *w, enum iot_fact fact)
{
	switch (fact) {
	case IOT_FACT_TICK_NS:
		return w->set.tick_ns;
	case IOT_FACT_BASE:
		return w->set.base;
	case IOT_FACT_COMPRESSION:
		return (uint64_t)w->set.compression;
	case IOT_FACT_FRAMED:
		return w->set.framing;
	case IOT_FACT_VERSION:
		return w->set.framing ? w->set.version : 0;
	case IOT_FACT_SYNC:
		return w->set.sync;
	case IOT_FACT_COMPLETE:
		return w->closed && w->error.status == IOT_OK;
	case IOT_FACT_RECORDS:
		return w->records;
	case IOT_FACT_COMMENTS:
		return w->comments;
	case IOT_FACT_BYTES_TEXT:
		return w->text_bytes + w->used;
	case IOT_FACT_BYTES_STORED:
		return byte_sink_stored(w->sink);
	case IOT_FACT_LAST_NS:
		if (w->codec == NULL)
			return 0;
		return (uint64_t)(codec_start(w->codec) * (int64_t)w->set.tick_ns);
	default:
		return 0;
	}
}

const char *iot_writer_error(const struct iot_writer *w)
{
	return w->error.text;
}
