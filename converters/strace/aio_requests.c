/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Outstanding asynchronous requests and their results.
 *
 * strace prints no address of an iocb in io_submit, so results are matched by context and aio_data
 * alone. The outstanding requests of a context with equal aio_data form a *class*.
 *
 * If one call returns as many results as the class has requests, all of them have completed by
 * then. If it returns fewer, it is unknown which requests they belong to; the completion of all is
 * unknown from then on. Such requests become records at once, and the class only counts how many of
 * them are outstanding (unmatched), since later results may belong to them.
 *
 * Lengths are taken from the results where these can be attributed. That is also the case if every
 * result is as long as every request, or if the results of a class add up to the requested lengths
 * when it becomes empty.
 *
 * A context that the log shows incompletely (truncated arrays, no io_setup) is not trusted: the
 * completion of all its requests is unknown.
 */
#include "strace.h"

#include <assert.h>

#include "lib/base/hash.h"

enum {
	OUTSTANDING_MAX = 65536, /* outstanding requests: the default of fs.aio-max-nr */
	CLASSES_MAX = 2 * OUTSTANDING_MAX,
	CONTEXTS_MAX = 1024, /* per process */
	BUCKETS = 4096,      /* of the table of classes; a power of two */
};

struct strace_aio_class {
	LIST_ENTRY(strace_aio_class) in_bucket, in_context;
	struct strace_aio_class *touched; /* list of classes with results in the current call */
	struct strace_context *context;
	/* outstanding requests whose completion can still be determined */
	TAILQ_HEAD(strace_class_queue, strace_request) outstanding;
	uint64_t data, requests, unmatched;
	uint64_t min, max;            /* requested lengths since the class was last empty */
	uint64_t requested, returned; /* sums of lengths since then */
	uint64_t maybe_short;         /* results since then that may be short */
	bool irregular;               /* a request failed or transfers no bytes */
	/* Results in the current call */
	uint64_t results, sum;
	int64_t shortest, longest;
};

enum request_state { OUTSTANDING, UNKNOWN, DONE };

struct strace_request {
	TAILQ_ENTRY(strace_request) in_log;   /* oldest first */
	TAILQ_ENTRY(strace_request) in_class; /* valid while OUTSTANDING */
	struct strace_request *batch;         /* next request of the same call */
	struct strace_aio_class *class;
	struct iot_record rec;
	int64_t result, end_ns;
	uint8_t state;
	bool submitted;    /* io_submit has returned, and rec is set */
	bool recorded;     /* ... and will be emitted */
	bool result_known; /* if DONE: result belongs to this request */
	bool end_known;
};

/* Classes */

static struct strace_aio_list *bucket(struct strace *s, const struct strace_context *ctx,
				      uint64_t data)
{
	const uint64_t key = data * 0x9e3779b97f4a7c15U ^ (uint64_t)(uintptr_t)ctx;
	return &s->aio.bucket[hash_mix(s->fds.seed, key) & (BUCKETS - 1)];
}

static struct strace_aio_class *find_class(struct strace *s, const struct strace_context *ctx,
					   uint64_t data)
{
	struct strace_aio_class *class = NULL;
	if (s->aio.bucket != NULL)
		LIST_FOREACH (class, bucket(s, ctx, data), in_bucket)
			if (class->context == ctx && class->data == data)
				break;
	return class;
}

static struct strace_aio_class *make_class(struct strace *s, struct strace_context *ctx,
					   uint64_t data)
{
	struct strace_aio_class *class = find_class(s, ctx, data);
	if (class != NULL || s->aio.classes == CLASSES_MAX)
		return class;
	if (s->aio.bucket == NULL)
		s->aio.bucket = fdtable_grow(&s->fds, NULL, 0, BUCKETS * sizeof *s->aio.bucket);
	class = s->aio.bucket != NULL ? fdtable_grow(&s->fds, NULL, 0, sizeof *class) : NULL;
	if (class == NULL)
		return NULL;
	*class = (struct strace_aio_class){.context = ctx, .data = data, .min = UINT64_MAX};
	TAILQ_INIT(&class->outstanding);
	LIST_INSERT_HEAD(bucket(s, ctx, data), class, in_bucket);
	LIST_INSERT_HEAD(&ctx->classes, class, in_context);
	s->aio.classes++;
	return class;
}

/*
 * Frees a class without outstanding requests. Lengths that are still uncertain are counted as
 * unknown.
 */
static void end_class(struct strace *s, struct strace_aio_class *class)
{
	assert(TAILQ_EMPTY(&class->outstanding));
	if (class->maybe_short > 0 && (class->irregular || class->requested != class->returned))
		strace_count(s, "unknown.async_lengths", class->maybe_short);
	LIST_REMOVE(class, in_bucket);
	LIST_REMOVE(class, in_context);
	fdtable_drop(&s->fds, class, sizeof *class);
	s->aio.classes--;
}

/* Requests */

static void request_free(struct strace *s, struct strace_request *r)
{
	TAILQ_REMOVE(&s->aio.log, r, in_log);
	fdtable_drop(&s->fds, r, sizeof *r);
	s->aio.requests--;
}

static void emit(struct strace *s, struct strace_request *r)
{
	if (!r->recorded || s->ended)
		return;
	if (r->state == DONE && r->result_known && r->result < 0) {
		strace_count(s, "failed.async", 1);
		return;
	}
	if (r->state == DONE && r->result_known)
		r->rec.length = (uint64_t)r->result;
	if (r->state == DONE && r->end_known && r->end_ns >= r->rec.start_ns) {
		r->rec.duration_ns = (uint64_t)(r->end_ns - r->rec.start_ns);
		r->rec.flags &= (uint8_t)~IOT_DURATION_UNKNOWN;
	} else if (s->log.durations) {
		strace_count(s, "unknown.duration_records", 1);
	}
	strace_emit_record(s, &r->rec);
}

/* Emits a request whose result is settled, once its io_submit has returned. */
static void settle(struct strace *s, struct strace_request *r)
{
	if (!r->submitted)
		return;
	emit(s, r);
	request_free(s, r);
}

static void leave_class(struct strace_request *r)
{
	struct strace_aio_class *class = r->class;
	assert(class != NULL && class->requests > 0);
	TAILQ_REMOVE(&class->outstanding, r, in_class);
	class->requests--;
	r->class = NULL;
}

/* The completion of a request cannot be determined any more. */
static void unmatch(struct strace *s, struct strace_request *r)
{
	assert(r->class != NULL);
	r->class->unmatched++;
	leave_class(r);
	r->state = UNKNOWN;
	settle(s, r);
}

static void unmatch_all(struct strace *s, struct strace_aio_class *class)
{
	while (!TAILQ_EMPTY(&class->outstanding))
		unmatch(s, TAILQ_FIRST(&class->outstanding));
}

/*
 * Makes the oldest request unmatched if there are too many. Returns false if that is impossible.
 */
static bool keep_limit(struct strace *s)
{
	struct strace_request *r = TAILQ_FIRST(&s->aio.log);
	if (s->aio.requests < OUTSTANDING_MAX)
		return true;
	if (!r->submitted || r->state != OUTSTANDING)
		return false;
	unmatch(s, r);
	return true;
}

struct strace_request **strace_request_new(struct strace *s, struct strace_request **at,
					   struct strace_context *ctx,
					   const struct strace_request_info *info)
{
	struct strace_aio_class *class = keep_limit(s) ? make_class(s, ctx, info->data) : NULL;
	struct strace_request *r = class != NULL ? fdtable_grow(&s->fds, NULL, 0, sizeof *r) : NULL;
	const uint64_t length = info->length;
	if (r == NULL)
		return NULL;
	*r = (struct strace_request){.class = class};
	r->rec.start_ns = info->start_ns;
	r->rec.length = length;
	TAILQ_INSERT_TAIL(&class->outstanding, r, in_class);
	TAILQ_INSERT_TAIL(&s->aio.log, r, in_log);
	class->requests++;
	class->min = length < class->min ? length : class->min;
	class->max = length > class->max ? length : class->max;
	class->requested += length;
	class->irregular |= info->irregular;
	s->aio.requests++;
	*at = r;
	return &r->batch;
}

struct strace_request *strace_request_submitted(struct strace *s, struct strace_request *r,
						const struct iot_record *rec)
{
	struct strace_request lone = {.state = UNKNOWN}, *next = r != NULL ? r->batch : NULL;
	if (r == NULL)
		r = &lone;
	r->recorded = rec != NULL;
	if (rec != NULL)
		r->rec = *rec;
	r->submitted = true;
	if (r == &lone)
		emit(s, r);
	else if (r->state != OUTSTANDING)
		settle(s, r);
	return next;
}

/* A request that is unmatched remains counted as outstanding. */
void strace_aio_withdraw(struct strace *s, struct strace_task *t)
{
	struct strace_request *r = t->active.submitting;
	t->active.submitting = NULL;
	for (struct strace_request *next; r != NULL; r = next) {
		struct strace_aio_class *class = r->class;
		next = r->batch;
		if (r->state == OUTSTANDING) {
			leave_class(r);
			class->requested -= r->rec.length;
			if (class->requests == 0 && class->unmatched == 0)
				end_class(s, class);
		}
		request_free(s, r);
	}
}

int64_t strace_aio_earliest(const struct strace *s)
{
	const struct strace_request *r = TAILQ_FIRST(&s->aio.log);
	return r != NULL ? r->rec.start_ns : INT64_MAX;
}

/* Results */

bool strace_aio_result(struct strace *s, const struct strace_context *ctx, uint64_t data,
		       int64_t bytes, struct strace_aio_class **touched)
{
	struct strace_aio_class *class = find_class(s, ctx, data);
	if (class == NULL)
		return false;
	if (class->results == 0) {
		class->shortest = class->longest = bytes;
		class->sum = 0;
		class->touched = *touched;
		*touched = class;
	}
	class->results++;
	class->shortest = bytes < class->shortest ? bytes : class->shortest;
	class->longest = bytes > class->longest ? bytes : class->longest;
	class->sum += bytes > 0 ? (uint64_t)bytes : 0;
	class->irregular |= bytes < 0 || (uint64_t)bytes > class->max;
	return true;
}

/*
 * Returns true if every result is as long as every request of the class: then their assignment does
 * not matter.
 */
static bool all_full(const struct strace_aio_class *class)
{
	return class->shortest == class->longest && class->min == class->max &&
	       class->shortest >= 0 && (uint64_t) class->shortest == class->max;
}

/* Completes all requests of a class, at the end of this call. */
static void complete_all(struct strace *s, struct strace_aio_class *class,
			 const struct strace_call *c)
{
	const bool alike = class->shortest == class->longest;
	for (struct strace_request *r; (r = TAILQ_FIRST(&class->outstanding)) != NULL;) {
		leave_class(r);
		r->state = DONE;
		r->end_ns = c->end_ns;
		r->end_known = c->duration_known;
		r->result_known = alike;
		r->result = class->shortest;
		if (alike) {
			class->requested -= r->rec.length;
			class->returned -= r->result > 0 ? (uint64_t)r->result : 0;
		}
		settle(s, r);
	}
	end_class(s, class);
}

static void class_results(struct strace *s, struct strace_aio_class *class,
			  const struct strace_call *c)
{
	const uint64_t results = class->results;
	const bool all = results == class->requests + class->unmatched;
	class->results = 0;
	class->returned += class->sum;
	if (!all_full(class))
		class->maybe_short +=
		    all && class->shortest == class->longest ? class->unmatched : results;
	if (all) {
		complete_all(s, class, c);
	} else {
		unmatch_all(s, class);
		class->unmatched -= results;
	}
}

/* Returns true if the log shows the requests of all these results. */
static bool is_plausible(const struct strace_aio_class *touched)
{
	for (const struct strace_aio_class *class = touched; class != NULL; class = class->touched)
		if (class->results > class->requests + class->unmatched)
			return false;
	return true;
}

bool strace_aio_results(struct strace *s, struct strace_aio_class *touched,
			const struct strace_call *c)
{
	if (!is_plausible(touched))
		return false;
	for (struct strace_aio_class *next; touched != NULL; touched = next) {
		next = touched->touched;
		class_results(s, touched, c);
	}
	return true;
}

/* Contexts: their ids are addresses, so they belong to one process */

struct strace_context *strace_context_find(const struct strace_group *g, uint64_t id)
{
	struct strace_context *ctx;
	LIST_FOREACH (ctx, &g->contexts, in_group)
		if (ctx->id == id)
			break;
	return ctx;
}

/* Abandons the requests of a context: their results will never be seen. */
static void abandon(struct strace *s, struct strace_context *ctx)
{
	for (struct strace_aio_class *class; (class = LIST_FIRST(&ctx->classes)) != NULL;) {
		unmatch_all(s, class);
		strace_count(s, "unseen.async_results", class->unmatched);
		class->irregular = true;
		end_class(s, class);
	}
}

void strace_context_distrust(struct strace *s, struct strace_context *ctx)
{
	ctx->trusted = false;
	abandon(s, ctx);
}

void strace_context_new(struct strace *s, struct strace_group *g, uint64_t id)
{
	struct strace_context *ctx = strace_context_find(g, id);
	if (ctx != NULL)
		strace_context_free(s, g, ctx);
	if (g->context_count == CONTEXTS_MAX)
		return;
	ctx = fdtable_grow(&s->fds, NULL, 0, sizeof *ctx);
	if (ctx == NULL)
		return;
	*ctx = (struct strace_context){.id = id, .trusted = true};
	LIST_INSERT_HEAD(&g->contexts, ctx, in_group);
	g->context_count++;
}

void strace_context_free(struct strace *s, struct strace_group *g, struct strace_context *ctx)
{
	abandon(s, ctx);
	LIST_REMOVE(ctx, in_group);
	g->context_count--;
	fdtable_drop(&s->fds, ctx, sizeof *ctx);
}

void strace_aio_leave(struct strace *s, struct strace_group *g)
{
	while (!LIST_EMPTY(&g->contexts))
		strace_context_free(s, g, LIST_FIRST(&g->contexts));
}

void strace_aio_free(struct strace *s)
{
	fdtable_drop(&s->fds, s->aio.bucket,
		     s->aio.bucket != NULL ? BUCKETS * sizeof *s->aio.bucket : 0);
}
