/* SPDX-License-Identifier: BSD-2-Clause */
/* The writer handle: settings, opening, closing, errors, and properties of the trace. */
#include <stdlib.h>
#include <string.h>

#include "lib/format/directive.h"
#include "lib/io/atomic_file.h"
#include "lib/codec/codec.h"
#include "writer_internal.h"

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
	w->buffer = malloc(WRITER_BUFFER);
	if (w->sink == NULL || w->hash == NULL || w->buffer == NULL) {
		iot_writer_free(w);
		return NULL;
	}
	XXH3_64bits_reset(w->hash);
	w->framing = true;
	w->tick_ns = IOT_TICK_DEFAULT_NS;
	w->base = 16;
	w->sync = IOT_SYNC_DEFAULT;
	w->memory_max = (uint64_t)1 << 30;
	w->flush = w->flush_ns = NOT_SET;
	return w;
}

void iot_writer_free(struct iot_writer *w)
{
	if (w == NULL)
		return;
	byte_sink_free(w->sink);
	definitions_free(&w->names);
	XXH3_freeState(w->hash);
	free(w->codec);
	free(w->buffer);
	free(w->scratch);
	free(w);
}

/* Settings and opening */

int writer_refuse(struct iot_writer *w, const char *why)
{
	return error_set(&w->error, IOT_EUSAGE, "%s", why);
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
	w->compression = (enum iot_compression)value;
	w->reported_compression = true;
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
		return set_number(w, &w->tick_ns, value, 1, INT64_MAX);
	case IOT_SET_LIMIT_MEMORY:
		return set_number(w, &w->memory_max, value, 1, SIZE_MAX);
	case IOT_SET_SYNC:
		return set_number(w, &w->sync, value, 0, UINT64_MAX);
	case IOT_SET_LEVEL:
		return set_number(w, &w->level, value, 0, ZSTD_LEVELS);
	case IOT_SET_THREADS:
		return set_number(w, &w->threads, value, 0, THREADS_MAX);
	case IOT_SET_COMPRESSION:
		return set_compression(w, value);
	case IOT_SET_BASE:
		if (value != 10 && value != 16)
			return writer_refuse(w, "a base is 16 or 10");
		w->base = value;
		return IOT_OK;
	case IOT_SET_FSYNC:
		if (value > 1)
			return writer_refuse(w, "fsync is 0 or 1");
		w->no_fsync = value == 0;
		return IOT_OK;
	case IOT_SET_FRAMING:
		return set_switch(w, &w->framing, value);
	case IOT_SET_UNDECLARED_DISKS:
		return set_switch(w, &w->undeclared_disks, value);
	case IOT_SET_IN_PLACE:
		return set_switch(w, &w->in_place, value);
	case IOT_SET_FLUSH:
		return set_number(w, &w->flush, value, 0, UINT64_MAX - 1);
	case IOT_SET_FLUSH_NS:
		return set_number(w, &w->flush_ns, value, 0, INT64_MAX);
	default:
		return writer_refuse(w, "not a setting of writers");
	}
}

int writer_sink_failed(struct iot_writer *w)
{
	const struct error *e = byte_sink_error(w->sink);
	return error_set(&w->error, e->status, "%s", e->text);
}

static int out_of_memory(struct iot_writer *w)
{
	return error_set(&w->error, IOT_ENOMEM, "out of memory");
}

static int limit_reached(struct iot_writer *w)
{
	return error_set(&w->error, IOT_ELIMIT,
			 "the trace needs more memory than the limit of %llu bytes "
			 "(IOT_SET_LIMIT_MEMORY)",
			 (unsigned long long)w->memory_max);
}

int writer_memory_failed(struct iot_writer *w, int status)
{
	return status == IOT_ENOMEM ? out_of_memory(w) : limit_reached(w);
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
	if (w->flush == NOT_SET)
		w->flush = w->in_place ? IOT_FLUSH_DEFAULT : 0;
	if (w->flush_ns == NOT_SET)
		w->flush_ns = w->in_place ? IOT_FLUSH_NS_DEFAULT : 0;
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
	if (!w->reported_compression)
		w->compression = by_suffix(path);
	if (w->compression == IOT_GZIP && w->level > GZIP_LEVELS)
		return writer_refuse(w, "levels of gzip are 1 to 9");
	w->codec_size = iot_codec_size(CODEC_PROCESSES);
	definitions_init(&w->names, w->memory_max, true, false);
	if (!definitions_reserve(&w->names, w->codec_size))
		return limit_reached(w);
	w->scratch = malloc(RETIMED_MAX(WRITER_COMMENT_MAX));
	void *block = malloc(w->codec_size);
	if (block == NULL || w->scratch == NULL) {
		free(block);
		return out_of_memory(w);
	}
	w->codec = iot_codec_init(block, w->codec_size, w->tick_ns, (unsigned)w->base);
	if (!w->framing)
		w->sync = 0;
	choose_flushes(w);
	if (byte_sink_compress(w->sink, w->compression, (int)w->level, (unsigned)w->threads) !=
	    IOT_OK)
		return writer_sink_failed(w);
	return IOT_OK;
}

static int opened(struct iot_writer *w, int status)
{
	if (status != IOT_OK)
		return writer_sink_failed(w);
	w->open = true;
	if (w->framing && writer_put_header(w) != IOT_OK)
		return w->error.status;
	return writer_is_live(w) ? writer_flush_interval(w) : IOT_OK;
}

int iot_writer_open(struct iot_writer *w, const char *path)
{
	int status = prepare(w, path);
	if (status != IOT_OK)
		return status;
	byte_sink_how(w->sink, (w->no_fsync ? ATOMIC_FILE_NO_SYNC : 0U) |
				   (w->in_place ? ATOMIC_FILE_IN_PLACE : 0U));
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
	int status = writer_ready(w);
	if (status == IOT_OK && writer_is_live(w))
		return writer_flush_interval(w);
	if (status == IOT_OK)
		status = writer_empty_buffer(w);
	if (status == IOT_OK && byte_sink_flush(w->sink) != IOT_OK)
		status = writer_sink_failed(w);
	return status;
}

int iot_writer_close(struct iot_writer *w)
{
	int status = writer_ready(w);
	if (status == IOT_OK && w->framing)
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
		return w->tick_ns;
	case IOT_FACT_BASE:
		return w->base;
	case IOT_FACT_COMPRESSION:
		return (uint64_t)w->compression;
	case IOT_FACT_FRAMED:
		return w->framing;
	case IOT_FACT_SYNC:
		return w->sync;
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
		return (uint64_t)(codec_start(w->codec) * (int64_t)w->tick_ns);
	default:
		return 0;
	}
}

const char *iot_writer_error(const struct iot_writer *w)
{
	return w->error.text;
}
