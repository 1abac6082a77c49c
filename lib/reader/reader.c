/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader handle: settings, opening, errors, and properties of the trace. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "seek_points.h"
#include "lookahead.h"
#include "parallel.h"
#include "lib/codec/codec.h"
#include "reader_internal.h"

enum {
	THREADS_MAX = 256,
	HELD_MAX = 1 << 30,
	READ_SIZE_VERIFIED = 1 << 18, /* the cache holds it until it is hashed */
	AHEAD_VERIFIED = 1 << 24,     /* decompression continues while an interval is decoded */
	HELD_SLACK = 1 << 26,         /* maximum bytes that a bufreader reads at once */
};

struct iot_reader *iot_reader_new(void)
{
	struct iot_reader *r = calloc(1, sizeof(*r));
	if (r == NULL)
		return NULL;
	r->hash = XXH3_createState();
	if (r->hash == NULL) {
		free(r);
		return NULL;
	}
	XXH3_64bits_reset(r->hash);
	r->allow_empty = true;
	r->verify = true;
	r->tick_ns = IOT_TICK_DEFAULT_NS;
	r->memory_max = (uint64_t)1 << 30;
	r->held_max = HELD_DEFAULT;
	return r;
}

void iot_reader_free(struct iot_reader *r)
{
	if (r == NULL)
		return;
	reader_end_parallel(r);
	lookahead_free(r->lookahead);
	bufreader_free(r->bufreader);
	seek_points_free(r->frames);
	reader_drop_deferred(r);
	definitions_free(&r->names);
	XXH3_freeState(r->hash);
	free(r->codec);
	free(r->arena);
	free(r->tail);
	free(r);
}

/* Settings and opening */

int reader_refuse(struct iot_reader *r, const char *why)
{
	return r->bufreader != NULL ? error_refuse(&r->error, why)
				    : error_set(&r->error, IOT_EUSAGE, "%s", why);
}

static int set_number(struct iot_reader *r, uint64_t *where, uint64_t value, uint64_t max)
{
	if (value < 1 || value > max)
		return reader_refuse(r, "a setting of the reader is out of range");
	*where = value;
	return IOT_OK;
}

static int set_bool(struct iot_reader *r, bool *where, uint64_t value)
{
	if (value > 1)
		return reader_refuse(r, "a setting of the reader is neither 0 nor 1");
	*where = value == 1;
	return IOT_OK;
}

int iot_reader_set(struct iot_reader *r, enum iot_option option, uint64_t value)
{
	if (r->error.status != IOT_OK)
		return r->error.status;
	if (r->bufreader != NULL)
		return reader_refuse(r, "settings of a reader are made before it is opened");
	switch (option) {
	case IOT_SET_VERIFY:
		return set_bool(r, &r->verify, value);
	case IOT_SET_RECOVER:
		return set_bool(r, &r->recover, value);
	case IOT_SET_ALLOW_EMPTY:
		return set_bool(r, &r->allow_empty, value);
	case IOT_SET_VERIFIED:
		return set_bool(r, &r->verified, value);
	case IOT_SET_LIMIT_HELD:
		return set_number(r, &r->held_max, value, HELD_MAX);
	case IOT_SET_READ_AHEAD:
		return set_bool(r, &r->read_ahead, value);
	case IOT_SET_LIMIT_WINDOW:
		return set_number(r, &r->window_max, value, UINT64_MAX);
	case IOT_SET_READ_SIZE:
		return set_number(r, &r->read_size, value, SIZE_MAX / 4);
	case IOT_SET_TICK_NS:
		r->tick_given = true;
		return set_number(r, &r->tick_ns, value, INT64_MAX);
	case IOT_SET_LIMIT_MEMORY:
		return set_number(r, &r->memory_max, value, SIZE_MAX);
	case IOT_SET_THREADS:
		return set_number(r, &r->threads, value, THREADS_MAX);
	case IOT_SET_BASE:
		if (value != 0 && value != 10 && value != 16)
			return reader_refuse(r, "a base is 16 or 10, or 0 to find out");
		r->base = value;
		return IOT_OK;
	default:
		return reader_refuse(r, "not a setting of readers");
	}
}

void iot_reader_on_warning(struct iot_reader *r, void (*fn)(void *, const char *), void *context)
{
	r->warn = fn;
	r->warn_context = context;
}

static int make_window(struct iot_reader *r, const char *name)
{
	const bool verified = r->verified && r->verify;
	const size_t held = verified ? (size_t)r->held_max + HELD_SLACK : 0;
	const uint64_t read_size =
	    verified && r->read_size == 0 ? READ_SIZE_VERIFIED : r->read_size;
	const struct bufreader_options options = {.read_size = read_size,
						  .buffer_max = held,
						  .ahead_size = verified ? AHEAD_VERIFIED : 0,
						  .window_max = r->window_max,
						  .ahead = r->read_ahead ? PREFETCH_IF_USEFUL
									 : PREFETCH_NEVER};
	if (r->error.status != IOT_OK)
		return r->error.status;
	if (r->bufreader != NULL)
		return reader_refuse(r, "a reader is opened once");
	if (name == NULL)
		return reader_refuse(r, "a reader needs a name for what it reads");
	definitions_init(&r->names, r->memory_max, false, true);
	if (verified && (r->lookahead = lookahead_new(r->held_max)) == NULL)
		return error_set(&r->error, IOT_ENOMEM, "out of memory");
	r->bufreader = bufreader_new(strcmp(name, "-") == 0 ? "standard input" : name, &options);
	if (r->bufreader == NULL)
		return error_set(&r->error, IOT_ENOMEM, "out of memory");
	r->name = bufreader_name(r->bufreader);
	return IOT_OK;
}

static int opened(struct iot_reader *r, int status)
{
	if (status == IOT_OK)
		return IOT_OK;
	return error_set(&r->error, status, "%s", bufreader_error(r->bufreader)->text);
}

int iot_reader_open(struct iot_reader *r, const char *path)
{
	int status = make_window(r, path);
	return status != IOT_OK ? status : opened(r, bufreader_open(r->bufreader, path));
}

int iot_reader_open_fd(struct iot_reader *r, int fd, const char *name)
{
	int status = make_window(r, name);
	return status != IOT_OK ? status : opened(r, bufreader_open_fd(r->bufreader, fd));
}

int iot_reader_open_memory(struct iot_reader *r, const void *data, size_t size, const char *name)
{
	int status = make_window(r, name);
	return status != IOT_OK ? status
				: opened(r, bufreader_open_memory(r->bufreader, data, size));
}

int iot_reader_open_callback(struct iot_reader *r, iot_read_fn *read, void *context,
			     const char *name)
{
	int status = make_window(r, name);
	return status != IOT_OK ? status
				: opened(r, bufreader_open_callback(r->bufreader, read, context));
}

/* Errors */

bool reader_fail(struct iot_reader *r, int status, unsigned column, const char *format, ...)
{
	char sentence[sizeof(r->error.text)];
	va_list args;
	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	const unsigned long long line = r->lines + 1;
	if (column == 0)
		column = 1;
	if (r->entered)
		error_set(&r->error, status,
			  "%s: line %llu from the %%sync of record %llu, column %u: %s", r->name,
			  line, (unsigned long long)r->entered_at, column, sentence);
	else
		error_set(&r->error, status, "%s:%llu:%u: %s", r->name, line, column, sentence);
	return false;
}

bool reader_fail_memory(struct iot_reader *r, int status)
{
	if (status == IOT_ENOMEM)
		return reader_fail(r, status, 1, "out of memory");
	return reader_fail(r, status, 1,
			   "the trace needs more memory than the limit of %llu bytes "
			   "(IOT_SET_LIMIT_MEMORY)",
			   (unsigned long long)r->memory_max);
}

void reader_count_unverified(struct iot_reader *r)
{
	if (r->framed && r->verify && !reader_looks_ahead(r) && !r->ended && !r->skipping)
		r->unverified += r->index - r->interval_at;
}

bool reader_damaged(struct iot_reader *r, unsigned column, const char *sentence)
{
	/* the message may be in the codec state that reader_unmute frees */
	if (!r->recover) {
		reader_fail(r, IOT_EFORMAT, column, "%s", sentence);
		reader_unmute(r);
		return false;
	}
	if (r->entered)
		snprintf(
		    r->damage, sizeof(r->damage), "line %llu from the %%sync of record %llu: %s",
		    (unsigned long long)r->lines + 1, (unsigned long long)r->entered_at, sentence);
	else
		snprintf(r->damage, sizeof(r->damage), "line %llu: %s",
			 (unsigned long long)r->lines + 1, sentence);
	reader_unmute(r);
	r->skipping = true;
	return true;
}

bool reader_broken(struct iot_reader *r, unsigned column, const char *sentence)
{
	reader_count_unverified(r);
	return reader_damaged(r, column, sentence);
}

void reader_warn(struct iot_reader *r, const char *sentence)
{
	char text[512];
	r->warnings++;
	if (r->warn == NULL)
		return;
	snprintf(text, sizeof(text), "%s: %s", r->name, sentence);
	r->warn(r->warn_context, text);
}

/* Properties of the trace */

const char *iot_reader_name(struct iot_reader *r, uint32_t object, size_t *size)
{
	const struct definition *name = definitions_find(&r->names, DEFINITION_OBJECT, object, 0);
	if (name == NULL || name->text == NULL)
		return NULL;
	if (size != NULL)
		*size = name->size;
	return name->text;
}

uint64_t iot_reader_fact(const struct iot_reader *r, enum iot_fact fact)
{
	switch (fact) {
	case IOT_FACT_TICK_NS:
		return r->codec != NULL ? codec_tick(r->codec) : 0;
	case IOT_FACT_BASE:
		return r->codec != NULL ? codec_base(r->codec) : 0;
	case IOT_FACT_COMPRESSION:
		return r->bufreader != NULL ? (uint64_t)bufreader_compression(r->bufreader) : 0;
	case IOT_FACT_FRAMED:
		return r->framed;
	case IOT_FACT_SYNC:
		return r->sync;
	case IOT_FACT_COMPLETE:
		return r->done && r->begun;
	case IOT_FACT_RECORDS:
		return r->records;
	case IOT_FACT_COMMENTS:
		return r->comments;
	case IOT_FACT_BYTES_TEXT:
		return r->text_bytes + (r->block != NULL ? (uint64_t)(r->cur - r->block) : 0);
	case IOT_FACT_BYTES_STORED:
		if (r->ordered != NULL)
			return reader_parallel_offset(r);
		return r->bufreader != NULL ? bufreader_stored(r->bufreader) + r->extra_stored : 0;
	case IOT_FACT_LINE:
		return r->lines;
	case IOT_FACT_LOST:
		return r->lost;
	case IOT_FACT_LOST_RECORDS:
		return r->lost_records;
	case IOT_FACT_WARNINGS:
		return r->warnings;
	case IOT_FACT_INDEX:
		return r->index;
	case IOT_FACT_UNVERIFIED:
		return r->unverified;
	case IOT_FACT_LAST_NS:
		return r->codec != NULL ? (uint64_t)reader_last_start_ns(r) : 0;
	}
	return 0;
}

int iot_reader_progress(const struct iot_reader *r, uint64_t *done, uint64_t *total)
{
	*done = r->bufreader != NULL ? bufreader_position(r->bufreader) : 0;
	if (r->ordered != NULL)
		*done = reader_parallel_offset(r);
	*total = r->bufreader != NULL ? bufreader_total(r->bufreader) : 0;
	return r->bufreader != NULL ? IOT_OK : IOT_EUSAGE;
}

const char *iot_reader_error(const struct iot_reader *r)
{
	return r->error.text;
}
