/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calls of one rank of 2.3 to 3.x. The grammar determines their order; the timestamps are
 * stored separately, both relative to the start of the previous call. A start may precede the
 * previous one, if threads or instrumented functions record late: the difference is stored modulo
 * 2^32. A thread may decode the calls of all ranks ahead.
 */
#include "recorder.h"

#include <assert.h>
#include <endian.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/thread.h"

#define HALF_OF_32 ((int64_t)1 << 31)
#define ALL_OF_32  ((int64_t)1 << 32)
#define TICKS_MAX  ((int64_t)1 << 62)

/* Limits what a grammar may declare, so that sums do not overflow. */
#define CALLS_MAX ((uint64_t)1 << 48)
/* Limits within which the conversion of ticks to nanoseconds cannot overflow. */
#define TICKS_SURE   ((int64_t)1 << 50)
#define TICK_SURE_NS 1024
#define BASE_SURE_NS ((int64_t)1 << 62)

enum {
	TIMES = 2048,
	BATCH_MIN = 256,    /* calls; batch sizes are multiples of it */
	NEXT_SIGNATURE = 4, /* distance in calls at which it is fetched into the cache */
};

struct timestamps {
	uint32_t at, count;
	struct recorder_stream stream;
	uint32_t pair[TIMES][2]; /* start and end */
};

/*
 * Merging switches ranks on almost every call, which evicts their state from the cache; each rank
 * therefore decodes a batch of calls at once.
 */
struct call_batch {
	size_t count;
	bool last;  /* no batch follows */
	int status; /* IOT_OK, or the error that follows the last call */
	struct recorder_call *call;
};

struct rank_v23 {
	struct recorder_unit *unit;
	struct call_batch *batch; /* the current one of both */
	struct call_batch both[2];
	size_t capacity; /* of a batch, in calls */
	bool decoding;   /* the thread decodes the other batch */

	/* Owned by the decoding thread, in cache lines of its own. */
	struct recorder_expansion expansion;
	int64_t ticks; /* start of the previous call */
	uint64_t done; /* calls decoded */
	uint64_t backwards;
	int64_t sum[RECORDER_PATTERNS];
	uint32_t position[RECORDER_PATTERNS];
	struct timestamps times;
};

static uint64_t total_calls(const struct recorder_grammar *g)
{
	return g->rule[g->start].total;
}

/* Times */

static int read_times(struct recorder_rank *k)
{
	struct rank_v23 *c = k->state;
	struct timestamps *s = &c->times;
	ssize_t n = recorder_stream_read(&s->stream, s->pair, sizeof s->pair, &k->error);
	if (n < 0)
		return (int)n;
	s->at = 0;
	s->count = (uint32_t)((size_t)n / sizeof *s->pair);
	if (s->count > 0)
		return IOT_OK;
	return error_set(&k->error, IOT_ETRUNCATED,
			 "%s: rank %u: times end after %ju of %ju calls%s", s->stream.name, k->rank,
			 (uintmax_t)c->done, (uintmax_t)total_calls(c->unit->grammar),
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

static int decode_times(struct recorder_rank *k, struct recorder_call *call)
{
	struct rank_v23 *c = k->state;
	struct timestamps *s = &c->times;
	int status = s->at == s->count ? read_times(k) : IOT_OK;
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

/* Calls */

static void decode_offset(struct recorder_rank *k, struct recorder_call *call)
{
	struct rank_v23 *c = k->state;
	const struct recorder_signature *s = call->signature;
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

static int decode_call(struct recorder_rank *k, int32_t terminal, struct recorder_call *call)
{
	struct rank_v23 *c = k->state;
	const struct recorder_cst *cst = c->unit->cst;
	const struct recorder_signature *s = &cst->signature[terminal];
	call->signature = s;
	call->offset = s->offset;
	call->offset_known = true;
	int status = decode_times(k, call);
	if (status != IOT_OK)
		return status;
	if (s->function->pattern != 0 && !s->broken)
		decode_offset(k, call);
	if (cst->seen != NULL)
		cst->seen[terminal]++;
	c->done++;
	return IOT_OK;
}

static void decode_batch(struct recorder_rank *k, struct call_batch *b)
{
	struct rank_v23 *c = k->state;
	const struct recorder_signature *signature = c->unit->cst->signature;
	int32_t terminal[BATCH_MIN];
	b->count = 0;
	b->status = IOT_OK;
	do {
		const size_t n = recorder_expand(&c->expansion, terminal, BATCH_MIN);
		for (size_t i = 0; i < n && b->status == IOT_OK; i++) {
			if (i + NEXT_SIGNATURE < n)
				__builtin_prefetch(&signature[terminal[i + NEXT_SIGNATURE]]);
			b->status = decode_call(k, terminal[i], &b->call[b->count]);
			b->count += b->status == IOT_OK;
		}
		b->last = n < BATCH_MIN || b->status != IOT_OK;
	} while (!b->last && b->count < c->capacity);
}

/* Checks that calls and times end together. */
static int finish(struct recorder_rank *k)
{
	struct rank_v23 *c = k->state;
	struct timestamps *s = &c->times;
	char more;
	ssize_t n = s->at < s->count ? 1 : 0;
	if (n == 0 && s->stream.bufreader != NULL)
		n = recorder_stream_read(&s->stream, &more, 1, &k->error);
	if (n > 0)
		error_set(&k->error, IOT_EFORMAT, "%s: rank %u: more times than calls (%ju)",
			  s->stream.name, k->rank, (uintmax_t)c->done);
	return k->error.status;
}

/*
 * A thread that decodes calls of the ranks ahead. Each rank has two batches: the current one, and
 * one that is being decoded. During that time the thread owns the rank's times, grammar and sums.
 * Hysteresis: a waiting thread is woken only when half of the requested batches are done, because a
 * wakeup costs as much as several hundred calls.
 */

enum {
	AHEAD_CALLS_MIN = 1 << 17,
	AHEAD_CALLS = 1 << 14, /* total number of calls in one batch of every rank */
	AHEAD_WAKE = 2048,     /* wake the thread only if this many calls are requested */
};

struct recorder_ahead {
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	/*
	 * Protected by the mutex. Ranks whose next batch is requested, each once: [done, wanted).
	 */
	struct recorder_rank *rank[RECORDER_GROUP_RANKS];
	size_t done, wanted;
	bool stop, idle; /* idle: the decoding thread waits */
	bool waits;      /* the consumer waits until at most `enough` requests are pending */
	size_t enough;
};

static struct call_batch *other_batch(struct rank_v23 *c)
{
	return c->batch == &c->both[0] ? &c->both[1] : &c->both[0];
}

static void *decode_ahead(void *context)
{
	struct recorder_ahead *a = context;
	pthread_mutex_lock(&a->mutex);
	while (!a->stop) {
		a->idle = a->done == a->wanted;
		if (a->idle) {
			pthread_cond_wait(&a->changed, &a->mutex);
			continue;
		}
		struct recorder_rank *k = a->rank[a->done % RECORDER_GROUP_RANKS];
		struct rank_v23 *c = k->state;
		pthread_mutex_unlock(&a->mutex);
		decode_batch(k, other_batch(c));
		pthread_mutex_lock(&a->mutex);
		a->done++;
		c->decoding = false;
		if (a->waits && a->wanted - a->done <= a->enough)
			pthread_cond_signal(&a->changed);
	}
	pthread_mutex_unlock(&a->mutex);
	return NULL;
}

/* Requests the rank's next batch. */
static void request(struct recorder_ahead *a, struct recorder_rank *k)
{
	struct rank_v23 *c = k->state;
	if (c->batch->last)
		return;
	assert(!c->decoding && a->wanted - a->done < RECORDER_GROUP_RANKS);
	c->decoding = true;
	a->rank[a->wanted++ % RECORDER_GROUP_RANKS] = k;
}

/* Waits until the rank's next batch is decoded, and enough others to amortize the wakeup. */
static void wait_for(struct recorder_ahead *a, const struct rank_v23 *c)
{
	a->enough = (a->wanted - a->done) / 2;
	a->waits = true;
	if (a->idle)
		pthread_cond_signal(&a->changed);
	while (c->decoding || a->wanted - a->done > a->enough)
		pthread_cond_wait(&a->changed, &a->mutex);
	a->waits = false;
}

static void next_batch(struct recorder_rank *k)
{
	struct recorder_ahead *a = k->r->merge.ahead;
	struct rank_v23 *c = k->state;
	if (a == NULL) {
		decode_batch(k, c->batch);
		return;
	}
	pthread_mutex_lock(&a->mutex);
	if (c->decoding)
		wait_for(a, c);
	c->batch = other_batch(c);
	request(a, k);
	if (a->idle && (a->wanted - a->done) * c->capacity >= AHEAD_WAKE)
		pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->mutex);
}

/* Returns false if one rank has most of the calls: its state stays in the cache anyway. */
static bool is_worthwhile(const struct recorder_order *o, uint64_t *all)
{
	uint64_t max = 0;
	*all = 0;
	for (uint32_t i = 0; i < o->count; i++) {
		const uint64_t calls = o->rank[i]->calls;
		max = calls > max ? calls : max;
		*all += calls;
	}
	return *all >= AHEAD_CALLS_MIN && max <= *all / 2 && cpu_count() > 1;
}

/*
 * Sizes both batches of a rank in proportion to its share of all calls. Returns false if out of
 * memory.
 */
static bool enlarge_batches(struct recorder_rank *k, uint64_t all)
{
	struct rank_v23 *c = k->state;
	const double share = (double)k->calls / (double)all;
	const size_t multiple = (size_t)(share * AHEAD_CALLS / BATCH_MIN);
	const size_t capacity = (multiple > 0 ? multiple : 1) * BATCH_MIN;
	assert(k->coming == c->batch->call);
	for (unsigned i = 0; i < 2; i++) {
		struct recorder_call *call = realloc(c->both[i].call, capacity * sizeof *call);
		if (call == NULL)
			return false;
		c->both[i].call = call;
		k->coming = c->batch->call;
		k->end = k->coming + c->batch->count;
	}
	c->capacity = capacity;
	return true;
}

static void request_all(struct recorder_ahead *a, const struct recorder_order *o)
{
	pthread_mutex_lock(&a->mutex);
	for (uint32_t i = 0; i < o->count; i++)
		request(a, o->rank[i]);
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->mutex);
}

static void ahead_free(struct recorder_ahead *a)
{
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->mutex);
	free(a);
}

/* Without a thread, the ranks decode their batches when they need them. */
void recorder_ahead_begin(struct recorder *r)
{
	const struct recorder_order *o = &r->merge.order;
	uint64_t all;
	if (r->meta.kind != RECORDER_COMPRESSED || !is_worthwhile(o, &all))
		return;
	for (uint32_t i = 0; i < o->count; i++)
		if (!enlarge_batches(o->rank[i], all))
			return;
	struct recorder_ahead *a = calloc(1, sizeof *a);
	if (a == NULL)
		return;
	pthread_mutex_init(&a->mutex, NULL);
	pthread_cond_init(&a->changed, NULL);
	if (thread_start(&a->thread, decode_ahead, a)) {
		r->merge.ahead = a;
		request_all(a, o);
	} else {
		ahead_free(a);
	}
}

void recorder_ahead_end(struct recorder *r)
{
	struct recorder_ahead *a = r->merge.ahead;
	if (a == NULL)
		return;
	pthread_mutex_lock(&a->mutex);
	a->stop = true;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->mutex);
	pthread_join(a->thread, NULL);
	ahead_free(a);
	r->merge.ahead = NULL;
}

/* Calls in order */

static int next(struct recorder_rank *k)
{
	struct rank_v23 *c = k->state;
	if (!c->batch->last)
		next_batch(k);
	else
		c->batch->count = 0;
	k->coming = c->batch->call;
	k->end = k->coming + c->batch->count;
	if (c->batch->count > 0)
		return 1;
	return c->batch->status == IOT_OK ? finish(k) : c->batch->status;
}

/* Opening */

static void close_rank(struct recorder_rank *k)
{
	struct rank_v23 *c = k->state;
	char where[32];
	if (c == NULL)
		return;
	if (c->unit != NULL && c->unit->own) {
		snprintf(where, sizeof where, "rank %u", k->rank);
		recorder_check_cst(k->r, c->unit->cst, where);
	}
	k->r->counts.count[RECORDER_BACKWARDS] += c->backwards;
	recorder_expand_end(&c->expansion);
	recorder_stream_close(&c->times.stream);
	recorder_unit_put(k->r, c->unit);
	free(c->both[0].call);
	free(c->both[1].call);
	free(c);
}

/* Checks before any expansion that the numbers of times and calls are equal, if declared. */
static int open_times(struct recorder_rank *k)
{
	const struct recorder_meta *m = &k->r->meta;
	struct rank_v23 *c = k->state;
	struct recorder_stream *s = &c->times.stream;
	const struct recorder_part *part = m->one_times
					       ? recorder_part(k->r, RECORDER_TIMES, 0)
					       : recorder_rank_part(k, RECORDER_RANK_TIMES, ".ts");
	const uint64_t calls = total_calls(c->unit->grammar);
	uint64_t at = 0, size = RECORDER_WHOLE;
	if (part == NULL)
		return k->error.status;
	if (m->one_times) {
		at = k->r->shared.times_at[k->rank];
		size = k->r->shared.times_at[k->rank + 1] - at;
	}
	if (size == 0)
		memcpy(s->name, recorder_name(k->r, part), sizeof s->name);
	else if (recorder_stream_open(k->r, s, part, at, size, m->times_packed, &k->error) !=
		 IOT_OK)
		return k->error.status;
	if (size > 0 && m->times_packed)
		size = s->expect;
	if (size == RECORDER_WHOLE)
		return IOT_OK;
	if (size % sizeof *c->times.pair != 0)
		return error_set(&k->error, IOT_EFORMAT, "%s: rank %u: %ju bytes are no pairs",
				 s->name, k->rank, (uintmax_t)size);
	if (size / sizeof *c->times.pair != calls)
		return error_set(&k->error, IOT_EFORMAT, "%s: rank %u: %ju times for %ju calls",
				 s->name, k->rank, (uintmax_t)(size / sizeof *c->times.pair),
				 (uintmax_t)calls);
	return IOT_OK;
}

static int open_rank(struct recorder_rank *k)
{
	struct rank_v23 *c = k->state = calloc(1, sizeof *c);
	if (c == NULL)
		return error_set(&k->error, IOT_ENOMEM, "out of memory");
	k->base_ns = k->r->base_ns;
	c->batch = &c->both[0];
	c->capacity = BATCH_MIN;
	c->batch->call = malloc(c->capacity * sizeof *c->batch->call);
	if (c->batch->call == NULL)
		return error_set(&k->error, IOT_ENOMEM, "out of memory");
	c->unit = recorder_unit_get(k->r, k->rank, &k->error);
	if (c->unit == NULL)
		return k->error.status;
	const struct recorder_grammar *g = c->unit->grammar;
	int status = open_times(k);
	if (status != IOT_OK)
		return status;
	if (!recorder_expand_begin(&c->expansion, g))
		return error_set(&k->error, IOT_ENOMEM, "out of memory");
	for (unsigned p = 0; p < RECORDER_PATTERNS; p++)
		c->position[p] = recorder_position(k->r, k->rank, p + 1);
	k->calls = total_calls(g) < CALLS_MAX ? total_calls(g) : CALLS_MAX;
	k->bytes =
	    sizeof *c + RECORDER_RANK_BYTES + g->rule[g->start].depth * sizeof *c->expansion.frame;
	if (c->unit->own)
		k->bytes += c->unit->cst->bytes + g->bytes;
	return IOT_OK;
}

const struct recorder_rank_ops recorder_rank_v23 = {
    .open = open_rank, .next = next, .close = close_rank};
