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

enum {
	TIMES = 2048,
	BATCH = 256,        /* calls decoded at once */
	NEXT_SIGNATURE = 4, /* distance in calls at which it is fetched into the cache */
};

struct timestamps {
	uint32_t at, count;
	struct recorder_stream stream;
	uint32_t pair[TIMES][2]; /* start and end */
};

struct rank_v23 {
	struct recorder_unit *unit;
	struct recorder_expansion expansion;
	int64_t ticks; /* start of the previous call */
	uint64_t done; /* calls decoded */
	int64_t sum[RECORDER_PATTERNS];
	uint32_t position[RECORDER_PATTERNS];
	bool ended; /* no batch follows */
	struct timestamps times;
	struct recorder_call call[BATCH];
};

static uint64_t total_calls(const struct recorder_grammar *g)
{
	return g->rule[g->start].total;
}

/* Times */

static int read_times(struct recorder_rank *rk)
{
	struct rank_v23 *v = rk->state;
	struct timestamps *s = &v->times;
	ssize_t n = recorder_stream_read(&s->stream, s->pair, sizeof s->pair, &rk->error);
	if (n < 0)
		return (int)n;
	s->at = 0;
	s->count = (uint32_t)((size_t)n / sizeof *s->pair);
	if (s->count > 0)
		return IOT_OK;
	return error_set(&rk->error, IOT_ETRUNCATED,
			 "%s: rank %u: times end after %ju of %ju calls%s", s->stream.name,
			 rk->rank, (uintmax_t)v->done, (uintmax_t)total_calls(v->unit->grammar),
			 n > 0 ? ", in the middle of one" : "");
}

/* Converts ticks since the rank's zero to nanoseconds. */
static bool to_ns(const struct recorder_rank *rk, int64_t ticks, int64_t *ns)
{
	const struct recorder_meta *m = &rk->r->meta;
	if (m->tick_ns == 0) {
		double value = (double)ticks * (m->tick_s * 1e9);
		if (value > 9e18 || value < -9e18)
			return false;
		*ns = (int64_t)value;
	} else if (__builtin_mul_overflow(ticks, (int64_t)m->tick_ns, ns)) {
		return false;
	}
	return !__builtin_add_overflow(*ns, rk->base_ns, ns);
}

static int decode_times(struct recorder_rank *rk, struct recorder_call *call)
{
	struct rank_v23 *v = rk->state;
	struct timestamps *s = &v->times;
	int status = s->at == s->count ? read_times(rk) : IOT_OK;
	if (status != IOT_OK)
		return status;
	uint32_t start = le32toh(s->pair[s->at][0]), took = le32toh(s->pair[s->at][1]) - start;
	s->at++;
	const uint64_t tick_ns = rk->r->meta.tick_ns;
	int64_t by = start, end_ns;
	if (start >= HALF_OF_32 && v->unit->threads) {
		by -= ALL_OF_32;
		rk->r->counts.count[RECORDER_BACKWARDS]++;
	}
	v->ticks += by;
	if (tick_ns != 0 && v->ticks >= 0 && v->ticks < TICKS_SURE && tick_ns <= TICK_SURE_NS &&
	    rk->base_ns < BASE_SURE_NS) {
		call->start_ns = rk->base_ns + v->ticks * (int64_t)tick_ns;
		call->duration_ns = took * tick_ns;
		return IOT_OK;
	}
	if (v->ticks > TICKS_MAX || v->ticks < -TICKS_MAX ||
	    !to_ns(rk, v->ticks, &call->start_ns) || !to_ns(rk, v->ticks + took, &end_ns))
		return error_set(&rk->error, IOT_EFORMAT, "%s: rank %u: time exceeds 2^63-1 ns",
				 s->stream.name, rk->rank);
	call->duration_ns = (uint64_t)(end_ns - call->start_ns);
	return IOT_OK;
}

/* Calls */

static void decode_offset(struct recorder_rank *rk, struct recorder_call *call)
{
	struct rank_v23 *v = rk->state;
	const struct recorder_signature *s = call->signature;
	const struct recorder_function *f = s->function;
	int64_t value = s->offset, sloped;
	bool known = true;
	if (s->sloped) {
		uint32_t at = v->position[f->pattern - 1];
		known = at != UINT32_MAX &&
			!__builtin_mul_overflow(s->slope, (int64_t)at, &sloped) &&
			!__builtin_add_overflow(value, sloped, &value);
	}
	if (known && rk->r->meta.intra && f->running)
		known = !__builtin_add_overflow(v->sum[f->pattern - 1], value, &value);
	if (known && f->running)
		v->sum[f->pattern - 1] = value;
	call->offset = value;
	call->offset_known = known;
}

static int decode_call(struct recorder_rank *rk, int32_t terminal, struct recorder_call *call)
{
	struct rank_v23 *v = rk->state;
	const struct recorder_cst *cst = v->unit->cst;
	const struct recorder_signature *s = &cst->signature[terminal];
	call->signature = s;
	call->offset = s->offset;
	call->offset_known = true;
	int status = decode_times(rk, call);
	if (status != IOT_OK)
		return status;
	if (s->function->pattern != 0 && !s->broken)
		decode_offset(rk, call);
	if (cst->seen != NULL)
		cst->seen[terminal]++;
	v->done++;
	return IOT_OK;
}

/* Checks that calls and times end together. */
static int finish(struct recorder_rank *rk)
{
	struct rank_v23 *v = rk->state;
	struct timestamps *s = &v->times;
	char more;
	ssize_t n = s->at < s->count ? 1 : 0;
	if (n == 0 && s->stream.bufreader != NULL)
		n = recorder_stream_read(&s->stream, &more, 1, &rk->error);
	if (n > 0)
		error_set(&rk->error, IOT_EFORMAT, "%s: rank %u: more times than calls (%ju)",
			  s->stream.name, rk->rank, (uintmax_t)v->done);
	return rk->error.status;
}

/*
 * Merging switches ranks on almost every call, which evicts their state from the cache; each rank
 * therefore decodes a batch of calls at once.
 */
static int next(struct recorder_rank *rk)
{
	struct rank_v23 *v = rk->state;
	const struct recorder_signature *signature = v->unit->cst->signature;
	int32_t terminal[BATCH];
	const size_t n = v->ended ? 0 : recorder_expand(&v->expansion, terminal, BATCH);
	size_t count = 0;
	for (; count < n; count++) {
		if (count + NEXT_SIGNATURE < n)
			__builtin_prefetch(&signature[terminal[count + NEXT_SIGNATURE]]);
		if (decode_call(rk, terminal[count], &v->call[count]) != IOT_OK)
			break;
	}
	v->ended = count < BATCH;
	rk->coming = v->call;
	rk->end = rk->coming + count;
	if (count > 0)
		return 1;
	return rk->error.status == IOT_OK ? finish(rk) : rk->error.status;
}

/* Opening */

static void close_rank(struct recorder_rank *rk)
{
	struct rank_v23 *v = rk->state;
	char where[32];
	if (v == NULL)
		return;
	if (v->unit != NULL && v->unit->own) {
		snprintf(where, sizeof where, "rank %u", rk->rank);
		recorder_check_cst(rk->r, v->unit->cst, where);
	}
	recorder_expand_end(&v->expansion);
	recorder_stream_close(&v->times.stream);
	recorder_unit_put(rk->r, v->unit);
	free(v);
}

/* Checks before any expansion that the numbers of times and calls are equal, if declared. */
static int open_times(struct recorder_rank *rk)
{
	const struct recorder_meta *m = &rk->r->meta;
	struct rank_v23 *v = rk->state;
	struct recorder_stream *s = &v->times.stream;
	const struct recorder_part *part = m->one_times
					       ? recorder_part(rk->r, RECORDER_TIMES, 0)
					       : recorder_rank_part(rk, RECORDER_RANK_TIMES, ".ts");
	const uint64_t calls = total_calls(v->unit->grammar);
	uint64_t at = 0, size = RECORDER_WHOLE;
	if (part == NULL)
		return rk->error.status;
	if (m->one_times) {
		at = rk->r->shared.times_at[rk->rank];
		size = rk->r->shared.times_at[rk->rank + 1] - at;
	}
	if (size == 0)
		memcpy(s->name, recorder_name(rk->r, part), sizeof s->name);
	else if (recorder_stream_open(rk->r, s, part, at, size, m->times_packed, &rk->error) !=
		 IOT_OK)
		return rk->error.status;
	if (size > 0 && m->times_packed)
		size = s->expect;
	if (size == RECORDER_WHOLE)
		return IOT_OK;
	if (size % sizeof *v->times.pair != 0)
		return error_set(&rk->error, IOT_EFORMAT,
				 "%s: rank %u: size %ju is not a multiple of 8", s->name, rk->rank,
				 (uintmax_t)size);
	if (size / sizeof *v->times.pair != calls)
		return error_set(&rk->error, IOT_EFORMAT, "%s: rank %u: %ju times for %ju calls",
				 s->name, rk->rank, (uintmax_t)(size / sizeof *v->times.pair),
				 (uintmax_t)calls);
	return IOT_OK;
}

static int open_rank(struct recorder_rank *rk)
{
	struct rank_v23 *v = rk->state = calloc(1, sizeof *v);
	if (v == NULL)
		return error_no_memory(&rk->error);
	rk->base_ns = rk->r->base_ns;
	v->unit = recorder_unit_get(rk->r, rk->rank, &rk->error);
	if (v->unit == NULL)
		return rk->error.status;
	const struct recorder_grammar *g = v->unit->grammar;
	int status = open_times(rk);
	if (status != IOT_OK)
		return status;
	if (!recorder_expand_begin(&v->expansion, g))
		return error_no_memory(&rk->error);
	for (unsigned p = 0; p < RECORDER_PATTERNS; p++)
		v->position[p] = recorder_position(rk->r, rk->rank, p + 1);
	rk->bytes = sizeof *v - sizeof v->call + RECORDER_RANK_BYTES +
		    g->rule[g->start].depth * sizeof *v->expansion.frame;
	if (v->unit->own)
		rk->bytes += v->unit->cst->bytes + g->bytes;
	return IOT_OK;
}

const struct recorder_rank_ops recorder_rank_v23 = {
    .open = open_rank, .next = next, .close = close_rank};
