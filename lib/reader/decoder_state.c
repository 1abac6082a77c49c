/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the decoder share: errors, the codec, muting, and the events delivered. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/codec/codec.h"
#include "lookahead.h"

enum {
	ARENA_SIZE = 65536,
	MUTED_PROCESSES = 64,
};

/* Errors */

int decoder_refuse(struct decoder *d, const char *why)
{
	return d->name != NULL ? error_refuse(&d->error, why)
			       : error_set(&d->error, IOT_EUSAGE, "%s", why);
}

bool decoder_fail(struct decoder *d, int status, unsigned column, const char *format, ...)
{
	char sentence[sizeof(d->error.text)];
	va_list args;
	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	const unsigned long long line = d->lines + 1;
	if (column == 0)
		column = 1;
	if (d->entered)
		error_set(&d->error, status,
			  "%s: line %llu from the %%sync of record %llu, column %u: %s", d->name,
			  line, (unsigned long long)d->entered_at, column, sentence);
	else
		error_set(&d->error, status, "%s:%llu:%u: %s", d->name, line, column, sentence);
	return false;
}

bool decoder_fail_memory(struct decoder *d, int status)
{
	if (status == IOT_ENOMEM)
		return decoder_fail(d, status, 1, "out of memory");
	return decoder_fail(d, status, 1,
			    "the trace needs more memory than the limit of %llu bytes "
			    "(IOT_SET_LIMIT_MEMORY)",
			    (unsigned long long)d->settings->memory_max);
}

bool decoder_stuck(struct decoder *d)
{
	return decoder_fail(d, IOT_ELIMIT, 1, "this line needs more memory than the reader has");
}

/* Damage */

void decoder_count_unverified(struct decoder *d)
{
	if (d->framed && d->settings->verify && !decoder_looks_ahead(d) &&
	    d->progress != TRACE_ENDED && !decoder_is_skipping(d))
		d->sync.unverified += d->index - d->sync.interval_at;
}

bool decoder_damaged(struct decoder *d, unsigned column, const char *sentence)
{
	/* the message may be in the codec state that decoder_unmute frees */
	if (!d->settings->recover) {
		decoder_fail(d, IOT_EFORMAT, column, "%s", sentence);
		decoder_unmute(d);
		return false;
	}
	char from[64] = "";
	if (d->entered)
		snprintf(from, sizeof(from), " from the %%sync of record %llu",
			 (unsigned long long)d->entered_at);
	snprintf(d->sync.damage, sizeof(d->sync.damage), "line %llu%s: %s",
		 (unsigned long long)d->lines + 1, from, sentence);
	decoder_unmute(d);
	d->sync.recovery = RECOVERY_SKIPPING;
	return true;
}

bool decoder_broken(struct decoder *d, unsigned column, const char *sentence)
{
	decoder_count_unverified(d);
	return decoder_damaged(d, column, sentence);
}

/* The codec */

bool decoder_grow_codec(struct decoder *d)
{
	const int status = definitions_grow_codec(&d->names, &d->codec, &d->codec_size);
	return status == IOT_OK || decoder_fail_memory(d, status);
}

bool decoder_prepare_directives(struct decoder *d)
{
	if (d->version == 1 || d->directives != NULL)
		return true;
	d->directives = directive_codec_new();
	return d->directives != NULL || decoder_fail_memory(d, IOT_ENOMEM);
}

void decoder_forget_state(struct decoder *d)
{
	iot_codec_forget(d->codec);
	directive_codec_forget(d->directives);
}

int64_t decoder_last_start_ns(const struct decoder *d)
{
	return codec_start(d->codec) * (int64_t)codec_tick(d->codec);
}

/*
 * A muted interval has a codec of its own, which any interval permits, so that the cost does not
 * depend on the number of processes in the trace.
 */
bool decoder_mute(struct decoder *d)
{
	const size_t size = iot_codec_size(MUTED_PROCESSES);
	if (decoder_is_muted(d))
		return true;
	if (!definitions_reserve(&d->names, size))
		return decoder_fail_memory(d, IOT_ELIMIT);
	void *block = malloc(size);
	if (block == NULL) {
		d->names.used -= size;
		return decoder_fail_memory(d, IOT_ENOMEM);
	}
	const struct iot_codec *before = d->codec;
	d->muted = (struct muted_from){d->codec, d->codec_size, d->index};
	d->codec = iot_codec_init(block, size, codec_tick(before), codec_base(before));
	d->codec_size = size;
	codec_set_missing(d->codec, codec_missing(before));
	codec_set_start(d->codec, codec_start(before));
	return true;
}

void decoder_unmute(struct decoder *d)
{
	if (!decoder_is_muted(d))
		return;
	assert(d->index >= d->muted.index && d->names.used >= d->codec_size);
	free(d->codec);
	d->names.used -= d->codec_size;
	d->codec = d->muted.codec;
	d->codec_size = d->muted.codec_size;
	d->sync.unverified += d->index - d->muted.index;
	d->index = d->muted.index;
	d->muted = (struct muted_from){NULL, 0, 0};
}

/* Events */

int decoder_arena_reserve(struct decoder *d, size_t need)
{
	struct text_arena *a = &d->arena;
	assert(a->used <= a->size);
	if (need <= a->size - a->used)
		return 1;
	if (a->used > 0)
		return 0;
	need = need > ARENA_SIZE ? need : ARENA_SIZE;
	return array_reserve(&a->text, &a->size, need, 1) ? 1 : IOT_ENOMEM;
}

void decoder_deliver(struct decoder *d, struct event_batch *b, struct iot_event *ev)
{
	if (!(ev->has & IOT_HAS_TIME))
		ev->rec.start_ns = decoder_last_start_ns(d);
	if (d->output.directive != NULL)
		d->output.directive(d->output.context, ev, b->n);
	if (b->events == NULL)
		return;
	assert(b->n < b->max);
	if (d->arena.text != NULL && ev->text.data == d->arena.text + d->arena.used)
		d->arena.used += ev->text.size;
	batch_add(b, ev);
}
