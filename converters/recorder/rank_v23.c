/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calls of one rank of 2.3 to 3.x. The grammar determines their order; the timestamps are
 * stored separately, both relative to the start of the previous call. A start may precede the
 * previous one, if threads or instrumented functions record late: the difference is stored modulo
 * 2^32.
 */
#include "recorder.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HALF_OF_32 ((int64_t)1 << 31)
#define ALL_OF_32  ((int64_t)1 << 32)
#define TICKS_MAX  ((int64_t)1 << 62)

/* Limits within which the conversion of ticks to nanoseconds cannot overflow. */
#define TICKS_SURE   ((int64_t)1 << 50)
#define TICK_SURE_NS 1024
#define BASE_SURE_NS ((int64_t)1 << 62)
/* Times */

static int fill(struct recorder_rank *k)
{
	struct recorder_stamps *s = &k->compressed->stamps;
	ssize_t n = recorder_stream_read(&s->stream, s->pair, sizeof s->pair, &k->error);
	if (n < 0)
		return (int)n;
	s->at = 0;
	s->count = (uint32_t)((size_t)n / sizeof *s->pair);
	if (s->count > 0)
		return IOT_OK;
	return error_set(&k->error, IOT_ETRUNCATED,
			 "%s: rank %u: times end after %ju of %ju calls%s", s->stream.name, k->rank,
			 (uintmax_t)k->compressed->done,
			 (uintmax_t)k->compressed->expansion.grammar
			     ->rule[k->compressed->expansion.grammar->start]
			     .total,
			 n > 0 ? ", in the middle of one" : "");
}

/* Converts ticks since the rank's zero to nanoseconds. */
static bool to_ns(const struct recorder_rank *k, int64_t ticks, int64_t *ns)
{
	const struct recorder_meta *m = &k->r->meta;
	if (m->tick_ns == 0) {
		double value = (double)ticks * (m->tick_s * 1e9);
		if (value > 9e18 || value < -9e18)
			return false;
		*ns = (int64_t)value;
	} else if (__builtin_mul_overflow(ticks, (int64_t)m->tick_ns, ns)) {
		return false;
	}
	return !__builtin_add_overflow(*ns, k->base_ns, ns);
}

static int take_times(struct recorder_rank *k, struct recorder_made *call)
{
	struct recorder_compressed *c = k->compressed;
	struct recorder_stamps *s = &c->stamps;
	int status = s->at == s->count ? fill(k) : IOT_OK;
	if (status != IOT_OK)
		return status;
	uint32_t start = le32toh(s->pair[s->at][0]), took = le32toh(s->pair[s->at][1]) - start;
	s->at++;
	const uint64_t tick_ns = k->r->meta.tick_ns;
	int64_t by = start, end_ns;
	if (start >= HALF_OF_32 && c->unit->threads) {
		by -= ALL_OF_32;
		c->backwards++;
	}
	c->ticks += by;
	if (tick_ns != 0 && c->ticks >= 0 && c->ticks < TICKS_SURE && tick_ns <= TICK_SURE_NS &&
	    k->base_ns < BASE_SURE_NS) {
		call->start_ns = k->base_ns + c->ticks * (int64_t)tick_ns;
		call->duration_ns = took * tick_ns;
		return IOT_OK;
	}
	if (c->ticks > TICKS_MAX || c->ticks < -TICKS_MAX || !to_ns(k, c->ticks, &call->start_ns) ||
	    !to_ns(k, c->ticks + took, &end_ns))
		return error_set(&k->error, IOT_EFORMAT, "%s: rank %u: times beyond all bounds",
				 s->stream.name, k->rank);
	call->duration_ns = (uint64_t)(end_ns - call->start_ns);
	return IOT_OK;
}

/* Offsets */

static void take_offset(struct recorder_rank *k, const struct recorder_signature *s,
			struct recorder_made *call)
{
	struct recorder_compressed *c = k->compressed;
	const struct recorder_function *f = s->function;
	int64_t value = s->offset, sloped;
	bool known = true;
	if (s->sloped) {
		uint32_t at = c->position[f->pattern - 1];
		known = at != UINT32_MAX &&
			!__builtin_mul_overflow(s->slope, (int64_t)at, &sloped) &&
			!__builtin_add_overflow(value, sloped, &value);
	}
	if (known && k->r->meta.intra && f->running)
		known = !__builtin_add_overflow(c->sum[f->pattern - 1], value, &value);
	if (known && f->running)
		c->sum[f->pattern - 1] = value;
	call->offset = value;
	call->offset_known = known;
}

/* Calls */

/* Checks that calls and times end together. */
static int finish(struct recorder_rank *k)
{
	struct recorder_stamps *s = &k->compressed->stamps;
	char more;
	ssize_t n = s->at < s->count ? 1 : 0;
	if (n == 0 && s->stream.bufreader != NULL)
		n = recorder_stream_read(&s->stream, &more, 1, &k->error);
	if (n > 0)
		error_set(&k->error, IOT_EFORMAT, "%s: rank %u: more times than calls (%ju)",
			  s->stream.name, k->rank, (uintmax_t)k->compressed->done);
	return k->error.status;
}

static int make_call(struct recorder_rank *k, struct recorder_made *call)
{
	struct recorder_compressed *c = k->compressed;
	int status = take_times(k, call);
	if (status != IOT_OK)
		return status;
	const struct recorder_signature *s = &c->cst->signature[call->terminal];
	call->offset = s->offset;
	call->offset_known = true;
	if (s->function->pattern != 0 && !s->broken)
		take_offset(k, s, call);
	c->done++;
	return IOT_OK;
}

static void make_some(struct recorder_rank *k, struct recorder_batch *b)
{
	int32_t terminal[RECORDER_BATCH_MIN];
	const size_t n = recorder_expand(&k->compressed->expansion, terminal, RECORDER_BATCH_MIN);
	for (size_t i = 0; i < n && b->status == IOT_OK; i++) {
		struct recorder_made *call = &b->call[b->count];
		call->terminal = (uint32_t)terminal[i];
		b->status = make_call(k, call);
		b->count += b->status == IOT_OK;
	}
	b->last = n < RECORDER_BATCH_MIN || b->status != IOT_OK;
}

void recorder_decode(struct recorder_rank *k, struct recorder_batch *b)
{
	b->count = 0;
	b->status = IOT_OK;
	do {
		make_some(k, b);
	} while (!b->last && b->count < k->compressed->batch_capacity);
}

static int next(struct recorder_rank *k)
{
	struct recorder_compressed *c = k->compressed;
	if (c->taken == c->batch->count && !c->batch->last)
		recorder_ahead_take(k);
	if (c->taken == c->batch->count)
		return c->batch->status == IOT_OK ? finish(k) : c->batch->status;
	const struct recorder_made *call = &c->batch->call[c->taken++];
	__builtin_prefetch(&c->batch->call[c->taken]); /* another processor decoded it */
	if (c->cst->seen != NULL)
		c->cst->seen[call->terminal]++;
	k->coming = (struct recorder_call){.signature = &c->cst->signature[call->terminal],
					   .start_ns = call->start_ns,
					   .duration_ns = call->duration_ns,
					   .offset = call->offset,
					   .offset_known = call->offset_known};
	return 1;
}

/* --check: compares the calls of a function that the trace declares with those decoded. */
void recorder_check(struct recorder *r, const char *where, uint32_t function, uint64_t declared,
		    uint64_t seen)
{
	char what[64];
	struct iot_text name = {"a function without a name", 25};
	r->compared += declared > 0 || seen > 0;
	if (declared == seen)
		return;
	if (function < r->meta.functions)
		name = r->meta.function[function].name;
	snprintf(what, sizeof what, "calls of %.*s", name.size < 40 ? (int)name.size : 40,
		 name.data);
	report_differs(&r->src->report, where, what, declared, seen);
}

struct totals {
	uint64_t declared, seen; /* calls of a function */
};

static void check_counts(struct recorder *r, const struct recorder_cst *c, const char *where)
{
	if (c == NULL || c->declared == NULL || c->seen == NULL)
		return;
	struct totals *sum = calloc(r->meta.functions + RECORDER_USER_FUNCTION + 1, sizeof *sum);
	for (uint32_t i = 0; sum != NULL && i < c->count; i++) {
		sum[c->signature[i].id].declared += c->declared[i];
		sum[c->signature[i].id].seen += c->seen[i];
	}
	for (uint32_t i = 0; sum != NULL && i <= r->meta.functions + RECORDER_USER_FUNCTION; i++)
		recorder_check(r, where, i, sum[i].declared, sum[i].seen);
	if (sum == NULL)
		r->status = IOT_ENOMEM;
	free(sum);
}

void recorder_check_shared(struct recorder *r)
{
	check_counts(r, r->cst, "all ranks");
}

static void check_own(struct recorder_rank *k)
{
	char where[32];
	if (k->compressed->unit == NULL || !k->compressed->unit->own)
		return;
	snprintf(where, sizeof where, "rank %u", k->rank);
	check_counts(k->r, k->compressed->unit->cst, where);
}

static void close_rank(struct recorder_rank *k)
{
	struct recorder_compressed *c = k->compressed;
	if (c == NULL)
		return;
	check_own(k);
	k->r->count[RECORDER_BACKWARDS] += c->backwards;
	recorder_expand_end(&c->expansion);
	recorder_stream_close(&c->stamps.stream);
	recorder_unit_put(k->r, c->unit);
	free(c->both[0].call);
	free(c->both[1].call);
	free(c);
	k->compressed = NULL;
}

static int open_times(struct recorder_rank *k)
{
	struct recorder *r = k->r;
	struct recorder_stamps *s = &k->compressed->stamps;
	const struct recorder_part *part =
	    recorder_part(r, r->meta.one_times ? RECORDER_TIMES : RECORDER_RANK_TIMES,
			  r->meta.one_times ? 0 : k->rank);
	uint64_t at = 0, size = RECORDER_WHOLE;
	if (part == NULL)
		return error_set(&k->error, IOT_ETRUNCATED, "rank %u: there is no %u.ts", k->rank,
				 k->rank);
	if (r->meta.one_times) {
		at = r->times_at[k->rank];
		size = r->times_at[k->rank + 1] - at;
	}
	s->left = size == RECORDER_WHOLE ? UINT64_MAX : size / sizeof *s->pair;
	if (size == 0) {
		memcpy(s->stream.name_text, recorder_name(r, part), sizeof s->stream.name_text);
		s->stream.name = s->stream.name_text;
		return IOT_OK;
	}
	int status =
	    recorder_stream_open(r, &s->stream, part, at, size, r->meta.times_packed, &k->error);
	if (status == IOT_OK && r->meta.times_packed)
		size = s->stream.expect;
	if (status == IOT_OK && size != RECORDER_WHOLE && size % sizeof *s->pair != 0)
		return error_set(&k->error, IOT_EFORMAT, "%s: rank %u: %ju bytes are no pairs",
				 s->stream.name, k->rank, (uintmax_t)size);
	s->left = size == RECORDER_WHOLE ? UINT64_MAX : size / sizeof *s->pair;
	return status;
}

/* Checks, before expanding anything, that there are as many times as calls. */
static int check_total(struct recorder_rank *k)
{
	const struct recorder_grammar *g = k->compressed->unit->grammar;
	const struct recorder_stamps *s = &k->compressed->stamps;
	uint64_t total = g->rule[g->start].total;
	if (s->left == UINT64_MAX || s->left == total)
		return IOT_OK;
	return error_set(&k->error, IOT_EFORMAT, "%s: rank %u: %ju times for %ju calls",
			 s->stream.name, k->rank, (uintmax_t)s->left, (uintmax_t)total);
}

int recorder_compressed_open(struct recorder_rank *k)
{
	struct recorder *r = k->r;
	struct recorder_compressed *c = calloc(1, sizeof *c);
	if (c == NULL)
		return error_set(&k->error, IOT_ENOMEM, "out of memory");
	k->compressed = c;
	k->next = next;
	k->close = close_rank;
	k->base_ns = r->base_ns;
	c->batch = &c->both[0];
	c->batch_capacity = RECORDER_BATCH_MIN;
	c->batch->call = malloc(c->batch_capacity * sizeof *c->batch->call);
	if (c->batch->call == NULL)
		return error_set(&k->error, IOT_ENOMEM, "out of memory");
	c->unit = recorder_unit_get(r, k->rank, &k->error);
	if (c->unit == NULL)
		return k->error.status;
	c->cst = c->unit->cst;
	int status = open_times(k);
	if (status == IOT_OK)
		status = check_total(k);
	if (status == IOT_OK && !recorder_expand_begin(&c->expansion, c->unit->grammar))
		status = error_set(&k->error, IOT_ENOMEM, "out of memory");
	if (status != IOT_OK)
		return status;
	for (unsigned p = 0; p < RECORDER_PATTERNS; p++)
		c->position[p] = recorder_position(r, k->rank, p + 1);
	k->bytes =
	    sizeof *c + (64 << 10) +
	    c->unit->grammar->rule[c->unit->grammar->start].depth * sizeof *c->expansion.frame;
	if (c->unit->own)
		k->bytes += c->unit->cst->bytes + c->unit->grammar->bytes;
	return IOT_OK;
}
