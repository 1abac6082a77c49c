/* SPDX-License-Identifier: BSD-2-Clause */
#include "order_internal.h"

#include <stdlib.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/base/array.h"
#include "lib/result/names.h"

#include "counters.h"

enum {
	SHORT_MAX = 3,
	TOLERANCE = 20, /* one transition of 20 may differ from the others, and at least one */
};

/* Mixed streams */

/* The first run of a head is counted when it is joined. */
static void end_first_run(struct order_head *head, struct order_stream *s)
{
	head->run_requests = s->run_requests;
	head->run_bytes = s->run_bytes;
	head->run_ended = true;
	s->run_requests = s->run_bytes = 0;
}

void order_end_run(struct order *o, struct order_stream *s)
{
	if (s->head != 0 && !o->heads[s->head - 1].run_ended) {
		end_first_run(&o->heads[s->head - 1], s);
		return;
	}
	if (s->run_requests == 0)
		return;
	histogram_add(&o->run_requests, s->run_requests);
	histogram_add(&o->run_bytes, s->run_bytes);
	s->run_requests = s->run_bytes = 0;
}

static void begin_mixed(struct order *o, const struct order_stream *s,
			const struct order_request *q, bool write)
{
	struct order_head *head = s->head != 0 ? &o->heads[s->head - 1] : NULL;
	if (head == NULL || head->used)
		return;
	head->used = true;
	head->offset = q->offset;
	head->length = q->length;
	head->write = write;
}

static void follow(struct order *o, struct order_stream *s, const struct order_request *q,
		   bool write)
{
	const bool sequential = q->offset == s->end;
	s->followers++;
	s->sequential += sequential;
	s->same_size += q->length == s->length;
	o->switches += write != s->write;
	if (sequential)
		return;
	histogram_add(&o->seek, q->offset > s->end ? q->offset - s->end : s->end - q->offset);
	order_end_run(o, s);
}

void order_follow(struct order *o, struct order_stream *s, const struct order_request *q,
		  bool write)
{
	if (s->follows)
		follow(o, s, q, write);
	else
		begin_mixed(o, s, q, write);
}

static void add_mixed(struct order *o, struct order_stream *s, const struct order_request *q,
		      bool write)
{
	order_follow(o, s, q, write);
	s->follows = true;
	s->run_requests++;
	s->run_bytes = saturate_add(s->run_bytes, q->length);
	s->end = saturate_add(q->offset, q->length);
	s->length = q->length;
	s->write = write;
}

/* Direction streams */

/* Returns the first request of the head of a stream; NULL: it has none. */
static struct order_first *first_of(struct order *o, const struct order_stream *s, bool write)
{
	return s->head != 0 ? &o->heads[s->head - 1].of[write] : NULL;
}

static bool follow_direction(struct order_counts *c, struct order_direction *s,
			     const struct order_request *q)
{
	const uint64_t stride = q->offset - s->offset;
	const bool consecutive = q->offset == s->end, forward = q->offset > s->end,
		   again = !consecutive && !forward && stride == 0 && q->length > 0;
	c->followers++;
	c->consecutive += consecutive;
	c->forward += forward;
	c->again += again;
	c->backward += !consecutive && !forward && !again;
	c->strided += !consecutive && s->has_stride && stride == s->stride;
	s->transitions++;
	s->contiguous += consecutive;
	s->forward += consecutive || forward;
	s->stride = stride;
	s->has_stride = true;
	return few_add(&s->strides, stride, 1);
}

static void begin_direction(struct order *o, const struct order_stream *s,
			    const struct order_request *q, bool write)
{
	struct order_first *first = first_of(o, s, write);
	if (first != NULL && first->kind == FIRST_NONE)
		*first = (struct order_first){
		    .kind = FIRST_OPEN, .offset = q->offset, .length = q->length};
}

/* The second request of a direction. */
static void follow_first(struct order *o, const struct order_stream *s,
			 const struct order_request *q, bool write)
{
	struct order_first *first = first_of(o, s, write);
	if (first == NULL || first->kind != FIRST_OPEN)
		return;
	first->kind = FIRST_FOLLOWED;
	first->stride = q->offset - s->of[write].offset;
	first->consecutive = q->offset == s->of[write].end;
}

bool order_follow_direction(struct order *o, struct order_stream *stream,
			    const struct order_request *q, bool write)
{
	struct order_direction *s = &stream->of[write];
	if (!s->follows) {
		begin_direction(o, stream, q, write);
		return true;
	}
	if (!s->has_stride)
		follow_first(o, stream, q, write);
	return follow_direction(&o->of[write], s, q);
}

static bool add_direction(struct order *o, struct order_stream *stream,
			  const struct order_request *q, bool write)
{
	struct order_direction *s = &stream->of[write];
	const bool added = order_follow_direction(o, stream, q, write);
	s->follows = true;
	s->requests++;
	s->bytes = saturate_add(s->bytes, q->length);
	s->offset = q->offset;
	s->end = saturate_add(q->offset, q->length);
	return added;
}

/* The request that follows one of unknown offset has no predecessor. */
void order_interrupt_mixed(struct order *o, struct order_stream *s)
{
	struct order_head *head = s->head != 0 ? &o->heads[s->head - 1] : NULL;
	order_end_run(o, s);
	s->follows = s->steady = false;
	if (head == NULL || head->used)
		return;
	head->used = head->unknown = true;
}

void order_interrupt_direction(struct order *o, struct order_stream *s, bool write)
{
	struct order_first *first = first_of(o, s, write);
	s->of[write].follows = s->of[write].has_stride = s->steady = false;
	if (first != NULL && first->kind <= FIRST_OPEN)
		first->kind = first->kind == FIRST_OPEN ? FIRST_ALONE : FIRST_UNKNOWN;
}

/* n requests of the length of the previous one, at its end; the counts of all streams follow. */
static inline void count_consecutive(struct order_stream *s, uint64_t n)
{
	struct order_direction *d = &s->of[s->write];
	uint64_t bytes;
	if (__builtin_mul_overflow(n, s->length, &bytes))
		bytes = UINT64_MAX;
	s->followers += n;
	s->sequential += n;
	s->same_size += n;
	s->run_requests += n;
	s->run_bytes = saturate_add(s->run_bytes, bytes);
	d->requests += n;
	d->bytes = saturate_add(d->bytes, bytes);
	d->transitions += n;
	d->contiguous += n;
	d->forward += n;
	d->stride = s->length;
	d->strides.first.count += d->strides.many ? 0 : n;
}

/* Counts of consecutive requests of a batch, by direction. */
struct steady {
	uint64_t requests[2];
};

static void settle(struct order *o, const struct steady *steady)
{
	for (unsigned d = 0; d < 2; d++) {
		o->of[d].followers += steady->requests[d];
		o->of[d].consecutive += steady->requests[d];
	}
}

/*
 * Adds the requests up to the first one that does not begin where the previous one of its stream
 * and direction ended, or that has another stride or size; returns their number.
 */
static inline size_t add_consecutive(struct order_stream *s, const struct io_span *span,
				     size_t from, struct steady *to)
{
	const bool write = span->write[from];
	uint64_t end = s->end;
	size_t i = from;
	if (s->write != write || !s->steady)
		return 0;
	for (; i < span->count && s->steady && span->offset[i] == end &&
	       span->length[i] == s->length && span->write[i] == write;
	     i++)
		s->steady = !__builtin_add_overflow(end, s->length, &end);
	if (i == from)
		return 0;
	to->requests[write] += i - from;
	s->end = s->of[write].end = s->steady ? end : UINT64_MAX;
	s->of[write].offset = span->offset[i - 1];
	count_consecutive(s, i - from);
	return i - from;
}

static bool add_request(struct order *o, struct order_stream *s, const struct order_request *q,
			bool write)
{
	const struct order_direction *d = &s->of[write];
	add_mixed(o, s, q, write);
	if (!add_direction(o, s, q, write))
		return false;
	s->steady =
	    d->has_stride && d->end - d->offset == q->length && few_counts(&d->strides, q->length);
	return true;
}

static inline bool add_span(struct order *o, struct order_stream *s, const struct io_span *span,
			    struct steady *to)
{
	for (size_t i = 0; i < span->count; i++) {
		i += add_consecutive(s, span, i, to);
		if (i == span->count)
			return true;
		const struct order_request q = {span->offset[i], span->length[i]};
		if (!add_request(o, s, &q, span->write[i]))
			return false;
	}
	return true;
}

/* Of unknown offsets. */
static void interrupt(struct order *o, struct order_stream *s, const struct io_span *span)
{
	order_interrupt_mixed(o, s);
	for (unsigned d = 0; d < 2; d++)
		if (span->of[d].count > 0)
			order_interrupt_direction(o, s, d);
}

/* Loads the streams of spans that follow span i. */
static inline void look_ahead(const struct order *o, const struct io_spans *spans, size_t i)
{
	const struct io_span *near = &spans->span[i] + AHEAD_STEPS / 2;
	SPANS_AHEAD(spans, i, stream, o->streams, o->capacity);
	if (i + AHEAD_STEPS / 2 < spans->count && near->stream < o->capacity)
		few_ahead(&o->streams[near->stream].of[near->write[0]].strides);
}

bool order_add(struct order *o, const struct io_spans *spans)
{
	struct steady steady = {.requests = {0, 0}};
	bool added = true;
	for (size_t i = 0; i < spans->count && added; i++) {
		const struct io_span *span = &spans->span[i];
		look_ahead(o, spans, i);
		if (!array_reserve_index(&o->streams, &o->capacity, span->stream,
					 sizeof *o->streams))
			return false;
		struct order_stream *s = &o->streams[span->stream];
		s->file = span->file;
		if (span_is_located(span))
			added = add_span(o, s, span, &steady);
		else
			interrupt(o, s, span);
	}
	settle(o, &steady);
	return added;
}

/* Patterns */

static bool nearly_all(uint64_t part, uint64_t all)
{
	return all - part <= 1 || (all - part) <= all / TOLERANCE;
}

/* *stride: the stride of a simple, the jump of a nested strided stream. */
static enum order_pattern pattern_of(const struct order_direction *s, uint64_t *stride)
{
	const uint64_t n = s->transitions;
	struct few_value largest[2];
	if (s->requests <= SHORT_MAX)
		return PATTERN_SHORT;
	if (s->strides.many)
		return s->forward == n ? PATTERN_SEQUENTIAL : PATTERN_RANDOM;
	few_largest(&s->strides, largest);
	if (nearly_all(s->contiguous, n))
		return PATTERN_CONTIGUOUS;
	*stride = largest[0].value;
	if (nearly_all(largest[0].count, n))
		return PATTERN_SIMPLE;
	*stride = largest[1].value;
	if (nearly_all(largest[0].count + largest[1].count, n))
		return PATTERN_NESTED;
	return nearly_all(s->forward, n) ? PATTERN_SEQUENTIAL : PATTERN_RANDOM;
}

/* The strides of two sets of streams. */
static void add_strides(struct order_file *f, unsigned strides, uint64_t stride)
{
	const bool same = f->strides == STRIDE_ONE && strides == STRIDE_ONE && f->stride == stride;
	if (strides == STRIDE_NONE || same)
		return;
	f->strides = f->strides == STRIDE_NONE ? strides : STRIDE_OTHER;
	f->stride = stride;
}

static struct order_file *file_of(struct order *o, uint32_t file)
{
	return array_reserve_index(&o->files, &o->file_capacity, file, sizeof *o->files)
		   ? &o->files[file]
		   : NULL;
}

static bool add_pattern(struct order *o, uint32_t file, enum order_pattern p, uint64_t requests,
			uint64_t stride)
{
	const bool strided = p == PATTERN_SIMPLE || p == PATTERN_NESTED;
	struct order_file *f = o->by_file ? file_of(o, file) : NULL;
	if (f == NULL)
		return !o->by_file;
	f->pattern_requests[p] += requests;
	add_strides(f, strided ? STRIDE_ONE : STRIDE_OTHER, stride);
	return true;
}

static bool end_direction(struct order *o, uint32_t file, unsigned d, struct order_direction *s)
{
	const struct few_value *value;
	uint64_t stride = 0;
	bool added = true;
	if (s->requests == 0)
		return true;
	const enum order_pattern p = pattern_of(s, &stride);
	o->of[d].pattern[p].streams++;
	o->of[d].pattern[p].requests += s->requests;
	o->of[d].pattern[p].bytes = saturate_add(o->of[d].pattern[p].bytes, s->bytes);
	for (unsigned i = 0; (value = few_at(&s->strides, i)) != NULL; i++)
		added &= common_add(&o->strides[d], value->value, value->count);
	few_free(&s->strides);
	return added && add_pattern(o, file, p, s->requests, stride);
}

static bool end_mixed(struct order *o, const struct order_stream *s)
{
	struct order_file *f = o->by_file && s->followers > 0 ? file_of(o, s->file) : NULL;
	o->followers += s->followers;
	o->sequential += s->sequential;
	o->same_size += s->same_size;
	if (f == NULL)
		return !o->by_file || s->followers == 0;
	f->followers += s->followers;
	f->sequential += s->sequential;
	f->same_size += s->same_size;
	return true;
}

/* A head is kept as it is. */
static bool end_stream(struct order *o, struct order_stream *s)
{
	if (s->head != 0) {
		struct order_head *head = &o->heads[s->head - 1];
		head->ended = true;
		head->stream = *s;
		return true;
	}
	order_end_run(o, s);
	return end_mixed(o, s) && end_direction(o, s->file, 0, &s->of[0]) &&
	       end_direction(o, s->file, 1, &s->of[1]);
}

bool order_join_files(struct order *o, const struct order *part, const uint32_t *file)
{
	for (size_t i = 0; i < part->file_capacity; i++) {
		const struct order_file *from = &part->files[i];
		if (from->strides == STRIDE_NONE)
			continue;
		struct order_file *f = file_of(o, file[i]);
		if (f == NULL)
			return false;
		f->followers += from->followers;
		f->sequential += from->sequential;
		f->same_size += from->same_size;
		for (unsigned p = 0; p < PATTERNS; p++)
			f->pattern_requests[p] += from->pattern_requests[p];
		add_strides(f, from->strides, from->stride);
	}
	return true;
}

bool order_end(struct order *o, size_t stream)
{
	if (stream >= o->capacity)
		return true;
	struct order_stream *s = &o->streams[stream];
	const bool ended = end_stream(o, s);
	*s = (struct order_stream){.follows = false};
	return ended;
}

/* Counts a head that continues nothing. */
static bool end_head(struct order *o, struct order_head *head)
{
	struct order_stream *s = head->ended ? &head->stream : &o->streams[head->number];
	struct order_stream first = {.run_requests = head->run_requests,
				     .run_bytes = head->run_bytes};
	if (!head->used)
		return true;
	s->head = 0;
	order_end_run(o, &first);
	return !head->ended || end_stream(o, s);
}

bool order_end_all(void *of)
{
	struct order *o = of;
	for (size_t i = 0; i < o->head_count; i++)
		if (!end_head(o, &o->heads[i]))
			return false;
	for (size_t i = 0; i < o->capacity; i++)
		if (!order_end(o, i))
			return false;
	free(o->streams);
	o->streams = NULL;
	o->capacity = 0;
	return true;
}

void order_forget(void *of)
{
	struct order *o = of;
	for (size_t i = 0; i < o->head_count; i++)
		for (unsigned d = 0; d < 2; d++)
			few_free(&o->heads[i].stream.of[d].strides);
	free(o->heads);
	o->heads = NULL;
	o->head_count = o->head_capacity = 0;
}

void order_free(void *of)
{
	struct order *o = of;
	for (size_t i = 0; i < o->capacity; i++)
		for (unsigned d = 0; d < 2; d++)
			few_free(&o->streams[i].of[d].strides);
	order_forget(o);
	free(o->streams);
	free(o->files);
	common_free(&o->strides[0]);
	common_free(&o->strides[1]);
}

/* Values */

static const char no_followers[] = "no request has a predecessor";

static void mixed_values(const struct order *o, struct values *v)
{
	const double all = (double)o->followers;
	values_number(v, NAME_OF(followers), NULL, "", o->followers);
	values_ratio(v, NAME_OF(sequential_share), NULL, "", (double)o->sequential, all,
		     no_followers);
	values_ratio(v, NAME_OF(same_size_share), NULL, "", (double)o->same_size, all,
		     no_followers);
	values_ratio(v, NAME_OF(switch_share), NULL, "", (double)o->switches, all, no_followers);
}

/* Names of the number of values, of their mean, and of their quantiles. */
static void histogram_values(const struct histogram *h, const char *const names[3],
			     const char *unit, struct values *v)
{
	if (names[0] != NULL)
		values_number(v, names[0], NULL, "", h->count);
	if (h->count == 0) {
		values_unknown(v, names[1], NULL, unit, "none");
		values_unknown(v, names[2], "0.5", unit, "none");
		return;
	}
	values_real(v, names[1], NULL, unit, histogram_mean(h));
	values_real(v, names[2], "0.5", unit, histogram_quantile(h, 500));
	values_real(v, names[2], "0.9", unit, histogram_quantile(h, 900));
	values_real(v, names[2], "0.99", unit, histogram_quantile(h, 990));
}

static void run_values(const struct order *o, struct values *v)
{
	static const char *const requests[3] = {"sequential_runs", "run_requests_mean",
						"run_requests_quantile"},
				 *const bytes[3] = {NULL, "run_bytes_mean", "run_bytes_quantile"},
				 *const seeks[3] = {"jumps", "jump_mean", "jump_quantile"};
	histogram_values(&o->run_requests, requests, "", v);
	histogram_values(&o->run_bytes, bytes, "bytes", v);
	histogram_values(&o->seek, seeks, "bytes", v);
}

static void direction_values(const struct order_counts *c, unsigned d, struct values *v)
{
	static const char *const names[2][6] = {
	    {"read_followers", "read_consecutive_share", "read_forward_share",
	     "read_re_access_share", "read_backward_share", "read_strided_share"},
	    {"write_followers", "write_consecutive_share", "write_forward_share",
	     "write_re_access_share", "write_backward_share", "write_strided_share"}};
	const uint64_t part[] = {c->consecutive, c->forward, c->again, c->backward, c->strided};
	values_number(v, names[d][0], NULL, "", c->followers);
	for (unsigned i = 0; i < 5; i++)
		values_ratio(v, names[d][i + 1], NULL, "", (double)part[i], (double)c->followers,
			     no_followers);
}

const char *const order_patterns[PATTERNS] = {"short",          "contiguous", "simple strided",
					      "nested strided", "sequential", "random"};

static void pattern_values(const struct order_counts *c, unsigned d, struct values *v)
{
	static const char *const names[2][3] = {
	    {"read_pattern_streams", "read_pattern_requests", "read_pattern_bytes"},
	    {"write_pattern_streams", "write_pattern_requests", "written_pattern_bytes"}};
	for (unsigned p = 0; p < PATTERNS; p++)
		values_number(v, names[d][0], order_patterns[p], "", c->pattern[p].streams);
	for (unsigned p = 0; p < PATTERNS; p++)
		values_number(v, names[d][1], order_patterns[p], "", c->pattern[p].requests);
	for (unsigned p = 0; p < PATTERNS; p++)
		values_number(v, names[d][2], order_patterns[p], "bytes", c->pattern[p].bytes);
}

/* Strides are signed. */
static void stride_values(const struct common *c, unsigned d, struct values *v)
{
	static const char *const names[2] = {"read_common_strides", "write_common_strides"};
	struct common_value top[COMMON_TOP];
	const size_t n = common_top(c, true, top);
	char key[VALUE_KEY];
	for (size_t i = 0; i < n; i++)
		values_number(v, names[d], values_signed_key(key, (int64_t)top[i].value), "",
			      top[i].count);
	if (n > 0 && c->other > 0)
		values_note(v, COMMON_INEXACT);
}

/* The share of the requests of either direction at or after the end of their predecessor. */
static void sequential_value(const struct order *o, struct values *v)
{
	const struct order_counts *c = o->of;
	values_ratio(v, NAME_OF(ascending_share), NULL, "",
		     (double)c[0].consecutive + (double)c[0].forward + (double)c[1].consecutive +
			 (double)c[1].forward,
		     (double)c[0].followers + (double)c[1].followers, no_followers);
}

void order_values(const struct order *o, const struct counters_totals *counted, struct values *v)
{
	v->section = SECTION_OF(order);
	mixed_values(o, v);
	if (counted == NULL)
		sequential_value(o, v);
	else
		counters_sequential(counted, v);
	run_values(o, v);
	for (unsigned d = 0; d < 2; d++) {
		direction_values(&o->of[d], d, v);
		pattern_values(&o->of[d], d, v);
		stride_values(&o->strides[d], d, v);
	}
}
