/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader's handle: settings, opening, errors, and what is known of the trace. */
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
	AHEAD_VERIFIED = 1 << 24, /* unpacking goes on while an interval is decoded */
	HELD_SLACK = 1 << 26,     /* the most that a window reads at once */
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
	r->held_max = IOT_HELD_DEFAULT;
	return r;
}

void iot_reader_free(struct iot_reader *r)
{
	if (r == NULL)
		return;
	iot_reader_end_parallel(r);
	iot_lookahead_free(r->lookahead);
	iot_window_free(r->window);
	iot_frames_free(r->frames);
	iot_reader_drop_held(r);
	iot_names_free(&r->names);
	XXH3_freeState(r->hash);
	free(r->codec);
	free(r->arena);
	free(r->tail);
	free(r);
}

/* Settings and opening */

int iot_reader_refuse(struct iot_reader *r, const char *why)
{
	return r->window != NULL ? iot_error_refuse(&r->error, why)
				 : iot_error_set(&r->error, IOT_EUSAGE, "%s", why);
}

static int set_number(struct iot_reader *r, uint64_t *where, uint64_t value, uint64_t max)
{
	if (value < 1 || value > max)
		return iot_reader_refuse(r, "a setting of the reader is out of range");
	*where = value;
	return IOT_OK;
}

static int set_bool(struct iot_reader *r, bool *where, uint64_t value)
{
	if (value > 1)
		return iot_reader_refuse(r, "a setting of the reader is neither 0 nor 1");
	*where = value == 1;
	return IOT_OK;
}

int iot_reader_set(struct iot_reader *r, enum iot_option option, uint64_t value)
{
	if (r->error.status != IOT_OK)
		return r->error.status;
	if (r->window != NULL)
		return iot_reader_refuse(r, "settings of a reader are made before it is opened");
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
			return iot_reader_refuse(r, "a base is 16 or 10, or 0 to find out");
		r->base = value;
		return IOT_OK;
	default:
		return iot_reader_refuse(r, "not a setting of readers");
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
	const struct iot_window_options options = {.read_size = r->read_size,
						   .buffer_max = held,
						   .ahead_size = verified ? AHEAD_VERIFIED : 0,
						   .window_max = r->window_max,
						   .ahead = r->read_ahead ? IOT_AHEAD_IF_IT_PAYS
									  : IOT_AHEAD_NEVER};
	if (r->error.status != IOT_OK)
		return r->error.status;
	if (r->window != NULL)
		return iot_reader_refuse(r, "a reader is opened once");
	if (name == NULL)
		return iot_reader_refuse(r, "a reader needs a name for what it reads");
	iot_names_init(&r->names, r->memory_max, false, true);
	if (verified && (r->lookahead = iot_lookahead_new(r->held_max)) == NULL)
		return iot_error_set(&r->error, IOT_ENOMEM, "out of memory");
	r->window = iot_window_new(strcmp(name, "-") == 0 ? "standard input" : name, &options);
	if (r->window == NULL)
		return iot_error_set(&r->error, IOT_ENOMEM, "out of memory");
	r->name = iot_window_name(r->window);
	return IOT_OK;
}

static int opened(struct iot_reader *r, int status)
{
	if (status == IOT_OK)
		return IOT_OK;
	return iot_error_set(&r->error, status, "%s", iot_window_error(r->window)->text);
}

int iot_reader_open(struct iot_reader *r, const char *path)
{
	int status = make_window(r, path);
	return status != IOT_OK ? status : opened(r, iot_window_open(r->window, path));
}

int iot_reader_open_fd(struct iot_reader *r, int fd, const char *name)
{
	int status = make_window(r, name);
	return status != IOT_OK ? status : opened(r, iot_window_open_fd(r->window, fd));
}

int iot_reader_open_memory(struct iot_reader *r, const void *data, size_t size, const char *name)
{
	int status = make_window(r, name);
	return status != IOT_OK ? status : opened(r, iot_window_open_memory(r->window, data, size));
}

int iot_reader_open_callback(struct iot_reader *r, iot_read_fn *read, void *context,
			     const char *name)
{
	int status = make_window(r, name);
	return status != IOT_OK ? status
				: opened(r, iot_window_open_callback(r->window, read, context));
}

/* Errors */

bool iot_reader_fail(struct iot_reader *r, int status, unsigned column, const char *format, ...)
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
		iot_error_set(&r->error, status,
			      "%s: line %llu from the %%sync of record %llu, column %u: %s",
			      r->name, line, (unsigned long long)r->entered_at, column, sentence);
	else
		iot_error_set(&r->error, status, "%s:%llu:%u: %s", r->name, line, column, sentence);
	return false;
}

bool iot_reader_fail_memory(struct iot_reader *r, int status)
{
	if (status == IOT_ENOMEM)
		return iot_reader_fail(r, status, 1, "out of memory");
	return iot_reader_fail(r, status, 1,
			       "the trace needs more memory than the limit of %llu bytes "
			       "(IOT_SET_LIMIT_MEMORY)",
			       (unsigned long long)r->memory_max);
}

void iot_reader_count_unverified(struct iot_reader *r)
{
	if (r->framed && r->verify && !iot_reader_looks_ahead(r) && !r->ended && !r->skipping)
		r->unverified += r->index - r->interval_at;
}

bool iot_reader_damaged(struct iot_reader *r, unsigned column, const char *sentence)
{
	/* the sentence may be of the codec that iot_reader_unmute frees */
	if (!r->recover) {
		iot_reader_fail(r, IOT_EFORMAT, column, "%s", sentence);
		iot_reader_unmute(r);
		return false;
	}
	if (r->entered)
		snprintf(
		    r->damage, sizeof(r->damage), "line %llu from the %%sync of record %llu: %s",
		    (unsigned long long)r->lines + 1, (unsigned long long)r->entered_at, sentence);
	else
		snprintf(r->damage, sizeof(r->damage), "line %llu: %s",
			 (unsigned long long)r->lines + 1, sentence);
	iot_reader_unmute(r);
	r->skipping = true;
	return true;
}

bool iot_reader_broken(struct iot_reader *r, unsigned column, const char *sentence)
{
	iot_reader_count_unverified(r);
	return iot_reader_damaged(r, column, sentence);
}

void iot_reader_warn(struct iot_reader *r, const char *sentence)
{
	char text[512];
	r->warnings++;
	if (r->warn == NULL)
		return;
	snprintf(text, sizeof(text), "%s: %s", r->name, sentence);
	r->warn(r->warn_context, text);
}

/* What is known of the trace */

const char *iot_reader_name(struct iot_reader *r, uint32_t object, size_t *size)
{
	const struct iot_name *name = iot_names_find(&r->names, IOT_NAME_OBJECT, object, 0);
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
		return r->codec != NULL ? iot_codec_tick(r->codec) : 0;
	case IOT_FACT_BASE:
		return r->codec != NULL ? iot_codec_base(r->codec) : 0;
	case IOT_FACT_COMPRESSION:
		return r->window != NULL ? (uint64_t)iot_window_compression(r->window) : 0;
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
			return iot_reader_parallel_place(r);
		return r->window != NULL ? iot_window_stored(r->window) + r->extra_stored : 0;
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
		return r->codec != NULL ? (uint64_t)iot_reader_last_start_ns(r) : 0;
	}
	return 0;
}

int iot_reader_progress(const struct iot_reader *r, uint64_t *done, uint64_t *total)
{
	*done = r->window != NULL ? iot_window_place(r->window) : 0;
	if (r->ordered != NULL)
		*done = iot_reader_parallel_place(r);
	*total = r->window != NULL ? iot_window_total(r->window) : 0;
	return r->window != NULL ? IOT_OK : IOT_EUSAGE;
}

const char *iot_reader_error(const struct iot_reader *r)
{
	return r->error.text;
}
