/* SPDX-License-Identifier: BSD-2-Clause */
#include "reuse_internal.h"

#include <assert.h>
#include <stdlib.h>

#include "lib/analyze/containers/interval.h"
#include "lib/analyze/containers/saturate.h"
#include "lib/base/array.h"
#include "lib/result/names.h"

#include "statistic.h"
#include "state.h"

enum {
	SEGMENTS_PER_FILE = 4,   /* that rounding leaves */
	VISITS_PER_REQUEST = 64, /* segments, on average */
	VISITS_MAX = 1 << 27
};

static_assert((int)USES == (int)BYTE_STATES, "a map has the states of uses");

static const uint8_t after[2][USES] = {{[USE_NONE] = USE_READ,
					[USE_READ] = USE_READ,
					[USE_WRITTEN] = USE_WRITTEN_READ,
					[USE_READ_WRITTEN] = USE_READ_READ,
					[USE_READ_READ] = USE_READ_READ,
					[USE_WRITTEN_WRITTEN] = USE_WRITTEN_READ,
					[USE_WRITTEN_READ] = USE_WRITTEN_READ},
				       {[USE_NONE] = USE_WRITTEN,
					[USE_READ] = USE_READ_WRITTEN,
					[USE_WRITTEN] = USE_WRITTEN,
					[USE_READ_WRITTEN] = USE_READ_WRITTEN,
					[USE_READ_READ] = USE_READ_WRITTEN,
					[USE_WRITTEN_WRITTEN] = USE_WRITTEN_WRITTEN,
					[USE_WRITTEN_READ] = USE_WRITTEN_WRITTEN}};

/* Limits */

static size_t segments_max(const struct reuse *r, size_t max)
{
	return max + SEGMENTS_PER_FILE * r->capacity;
}

static bool round_files(struct reuse *r)
{
	for (size_t i = 0; i < r->capacity; i++)
		if (!byte_map_round(&r->maps, &r->files[i].map, r->round))
			return false;
	return true;
}

static bool is_slow(const struct reuse *r)
{
	return r->maps.visited / VISITS_PER_REQUEST > VISITS_MAX / VISITS_PER_REQUEST + r->requests;
}

bool reuse_limit(struct reuse *r)
{
	const bool slow = is_slow(r);
	if (!slow && r->maps.segments <= segments_max(r, BYTE_SEGMENTS_MAX))
		return true;
	r->maps.visited = r->requests = 0;
	if (r->round == 0)
		r->round = BYTE_ROUND_MIN;
	else if (slow && r->round < BYTE_ROUND_MAX)
		r->round++;
	bool done = round_files(r);
	while (done && r->round < BYTE_ROUND_MAX &&
	       r->maps.segments > segments_max(r, BYTE_SEGMENTS_MAX / 2)) {
		r->round++;
		done = round_files(r);
	}
	return done;
}

/* Requests */

enum { RANGES_AHEAD = 8 };

static inline void add_to(uint64_t *sum, uint64_t bytes)
{
	*sum = saturate_add(*sum, bytes);
}

/* Counts bytes by their previous use; counts that follow from the map are left out. */
static void count(struct reuse_file *f, bool write, const uint64_t touched[USES])
{
	const uint64_t unread =
	    saturate_add(touched[USE_WRITTEN],
			 saturate_add(touched[USE_READ_WRITTEN], touched[USE_WRITTEN_WRITTEN]));
	const uint64_t read = saturate_add(touched[USE_READ_READ], touched[USE_WRITTEN_READ]);
	add_to(write ? &f->overwrite_unread : &f->read_after_write, unread);
	add_to(write ? &f->overwrite_read : &f->re_read, read);
	if (!write)
		add_to(&f->re_read, touched[USE_READ]);
}

/* Requests that follow each other are one range. */
static bool add_ranges(struct reuse *r, struct reuse_file *f, const struct io_span *span,
		       size_t from, size_t n)
{
	const uint64_t *offset = span->offset + from, *length = span->length + from;
	const bool write = span->write[from];
	uint64_t touched[USES] = {0};
	for (size_t i = 0; i < n;) {
		struct byte_change c = {offset[i], offset[i], after[write], write};
		if (i + RANGES_AHEAD < n)
			byte_map_ahead(&f->map, offset[i + RANGES_AHEAD]);
		for (; i < n && offset[i] == c.end; i++)
			c.end = saturate_add(c.end, length[i]);
		if (!byte_map_change(&r->maps, &f->map, &c, touched))
			return false;
	}
	count(f, write, touched);
	return true;
}

static void add_write_times(struct reuse_file *f, const struct io_span *span, size_t from, size_t n)
{
	int64_t first = f->write_timed ? f->first_write_ns : INT64_MAX;
	int64_t last = f->write_timed ? f->last_write_ns : INT64_MIN;
	for (size_t i = from; i < from + n; i++) {
		first = span->start_ns[i] < first ? span->start_ns[i] : first;
		last = span->end_ns[i] > last ? span->end_ns[i] : last;
	}
	f->first_write_ns = first;
	f->last_write_ns = last;
	f->write_timed = true;
}

/* n requests of a span for one file, of one direction. */
static bool add_requests(struct reuse *r, const struct io_span *span, size_t from, size_t n,
			 uint32_t file)
{
	struct reuse_file *f = &r->files[file];
	const bool write = span->write[from];
	if (file + 1 == r->other_file)
		return true;
	r->requests += n;
	if (write && (span->flags & IOT_START_UNKNOWN) == 0)
		add_write_times(f, span, from, n);
	if (span_is_located(span))
		return add_ranges(r, f, span, from, n);
	for (size_t i = from; i < from + n; i++)
		add_to(&f->unknown[write], span->length[i]);
	return true;
}

static bool add_grouped(struct reuse *r, const struct io_spans *spans)
{
	for (size_t i = 0; i < spans->count; i++) {
		const struct io_span *span = &spans->span[i];
		for (size_t k = 0, n; k < span->count; k += n) {
			for (n = 1; k + n < span->count && span->write[k + n] == span->write[k];)
				n++;
			if (!add_requests(r, span, k, n, span->file))
				return false;
		}
	}
	return true;
}

/* In the order of the trace. */
static bool add_ordered(struct reuse *r, const struct io_spans *spans)
{
	const struct io_id *ids = spans->ids;
	for (size_t i = 0; i < spans->count; i++) {
		const struct io_span *span = &spans->span[i];
		const uint16_t *id = span->id;
		for (size_t k = 0, n; k < span->count; k += n) {
			for (n = 1; k + n < span->count && ids[id[k + n]].file == ids[id[k]].file &&
				    span->write[k + n] == span->write[k];)
				n++;
			if (!add_requests(r, span, k, n, ids[id[k]].file))
				return false;
		}
	}
	return true;
}

/* Stores whether the order of several processes matters to a file. */
static bool find_shared(struct reuse *r, const struct io_spans *grouped, bool *shared)
{
	const struct io_span *span = grouped->span;
	*shared = false;
	r->batch++;
	for (size_t i = 0; i < grouped->count; i++) {
		SPANS_AHEAD(grouped, i, file, r->files, r->capacity);
		if (i > 0 && span[i].pair == span[i - 1].pair)
			continue;
		if (!array_reserve_index(&r->files, &r->capacity, span[i].file, sizeof *r->files))
			return false;
		*shared |= r->files[span[i].file].batch == r->batch;
		r->files[span[i].file].batch = r->batch;
	}
	return true;
}

bool reuse_add(struct reuse *r, const struct io_spans *grouped, const struct io_spans *spans)
{
	bool shared;
	return find_shared(r, grouped, &shared) &&
	       (shared ? add_ordered(r, spans) : add_grouped(r, grouped)) && reuse_limit(r);
}

/* Parts */

/* Returns whether the order of a first use and the uses of the same bytes before it matters. */
static bool order_matters(bool write, const uint64_t touched[USES])
{
	uint64_t others = 0;
	for (unsigned use = 0; use < USES; use++)
		others |= use != USE_NONE && (write || use != USE_READ) ? touched[use] : 0;
	return others != 0;
}

/* Applies a read or write of a segment to the map of a file. */
static bool add_use(struct reuse *r, struct reuse_file *f, const struct byte_segment *of,
		    bool write, bool counted)
{
	const struct byte_change c = {of->begin, of->end, after[write], 0};
	uint64_t touched[USES] = {0};
	if (!byte_map_change(&r->maps, &f->map, &c, touched))
		return false;
	r->unordered |= r->alongside && order_matters(write || of->state != USE_READ, touched);
	if (counted)
		count(f, write, touched);
	return true;
}

/* The first use, which the part did not count, and then those that lead to the same state. */
static bool add_segment(struct reuse *r, struct reuse_file *f, const struct byte_segment *of)
{
	static const struct {
		unsigned char count, counted;
		bool write[3];
	} uses[USES] = {[USE_READ] = {1, 1, {false}},
			[USE_WRITTEN] = {1, 1, {true}},
			[USE_READ_WRITTEN] = {2, 2, {false, true}},
			[USE_READ_READ] = {3, 2, {false, true, false}},
			[USE_WRITTEN_WRITTEN] = {3, 1, {true, false, true}},
			[USE_WRITTEN_READ] = {2, 1, {true, false}}};
	for (unsigned i = 0; i < uses[of->state].count; i++)
		if (!add_use(r, f, of, uses[of->state].write[i], i < uses[of->state].counted))
			return false;
	return true;
}

static bool join_map(struct reuse *r, struct reuse_file *f, struct reuse *part,
		     struct reuse_file *from)
{
	struct byte_position at = {.leaf = NULL};
	struct byte_segment of;
	while (byte_map_next(&from->map, &at, &of))
		if (!add_segment(r, f, &of))
			return false;
	byte_map_free(&part->maps, &from->map);
	return true;
}

static void join_times(struct reuse_file *f, const struct reuse_file *from)
{
	if (!from->write_timed)
		return;
	if (!f->write_timed || from->first_write_ns < f->first_write_ns)
		f->first_write_ns = from->first_write_ns;
	if (!f->write_timed || from->last_write_ns > f->last_write_ns)
		f->last_write_ns = from->last_write_ns;
	f->write_timed = true;
}

static bool join_file(struct reuse *r, struct reuse_file *f, struct reuse *part,
		      struct reuse_file *from)
{
	add_to(&f->re_read, from->re_read);
	add_to(&f->read_after_write, from->read_after_write);
	add_to(&f->overwrite_unread, from->overwrite_unread);
	add_to(&f->overwrite_read, from->overwrite_read);
	add_to(&f->unknown[0], from->unknown[0]);
	add_to(&f->unknown[1], from->unknown[1]);
	join_times(f, from);
	if (!byte_map_is_empty(&f->map))
		return join_map(r, f, part, from);
	byte_map_move(&r->maps, &f->map, &part->maps, &from->map);
	return true;
}

static bool is_used(const struct reuse_file *f)
{
	return !byte_map_is_empty(&f->map) || f->write_timed || f->unknown[0] > 0 ||
	       f->unknown[1] > 0;
}

bool reuse_join(struct reuse *r, struct reuse *part, const uint32_t *file)
{
	r->round = part->round > r->round ? part->round : r->round;
	r->requests += part->requests;
	for (size_t i = 0; i < part->capacity; i++) {
		if (!is_used(&part->files[i]))
			continue;
		if (!array_reserve_index(&r->files, &r->capacity, file[i], sizeof *r->files) ||
		    !join_file(r, &r->files[file[i]], part, &part->files[i]) || !reuse_limit(r))
			return false;
	}
	return true;
}

bool reuse_add_trace(struct reuse *r, struct reuse *more, const uint32_t *file)
{
	r->alongside = true;
	r->unordered |= more->unordered;
	return reuse_join(r, more, file);
}

static void shift(void *of, uint64_t by)
{
	struct reuse *r = of;
	for (size_t i = 0; i < r->capacity; i++) {
		struct reuse_file *f = &r->files[i];
		if (!f->write_timed)
			continue;
		f->first_write_ns = interval_end(f->first_write_ns, by);
		f->last_write_ns = interval_end(f->last_write_ns, by);
	}
}

/* Results */

static void add_bytes(struct reuse_sums *to, unsigned use, uint64_t bytes)
{
	static const enum reuse_state states[USES] = {[USE_READ] = REUSE_READ,
						      [USE_WRITTEN] = REUSE_WRITTEN,
						      [USE_READ_WRITTEN] = REUSE_WRITTEN_LAST,
						      [USE_READ_READ] = REUSE_READ_LAST,
						      [USE_WRITTEN_WRITTEN] = REUSE_WRITTEN_LAST,
						      [USE_WRITTEN_READ] = REUSE_READ_LAST};
	const bool first_read = use == USE_READ || use == USE_READ_WRITTEN || use == USE_READ_READ;
	if (use == USE_NONE)
		return;
	add_to(&to->state[states[use]], bytes);
	add_to(&to->kind[first_read ? REUSE_FIRST_READ : REUSE_FIRST_WRITE], bytes);
	if (first_read && use != USE_READ)
		add_to(&to->kind[REUSE_WRITE_AFTER_READ], bytes);
}

void reuse_file_sums(const struct reuse *r, size_t file, struct reuse_sums *to)
{
	struct byte_position at = {.leaf = NULL};
	struct byte_segment s;
	*to = (struct reuse_sums){.kind = {0}};
	if (file >= r->capacity)
		return;
	const struct reuse_file *f = &r->files[file];
	to->kind[REUSE_RE_READ] = f->re_read;
	to->kind[REUSE_READ_AFTER_WRITE] = f->read_after_write;
	to->kind[REUSE_OVERWRITE_UNREAD] = f->overwrite_unread;
	to->kind[REUSE_OVERWRITE_READ] = f->overwrite_read;
	while (byte_map_next(&f->map, &at, &s))
		add_bytes(to, s.state, s.end - s.begin);
}

void reuse_sums_add(struct reuse_sums *to, const struct reuse_sums *from)
{
	for (unsigned i = 0; i < REUSE_KINDS; i++)
		add_to(&to->kind[i], from->kind[i]);
	for (unsigned i = 0; i < REUSE_STATES; i++)
		add_to(&to->state[i], from->state[i]);
}

uint64_t reuse_footprint(const struct reuse_sums *s)
{
	return saturate_add(s->state[REUSE_READ], reuse_unique(s, true));
}

uint64_t reuse_unique(const struct reuse_sums *s, bool written)
{
	return saturate_add(s->state[written ? REUSE_WRITTEN : REUSE_READ],
			    saturate_add(s->state[REUSE_WRITTEN_LAST], s->state[REUSE_READ_LAST]));
}

uint64_t reuse_bytes(const struct reuse_sums *s, bool written)
{
	uint64_t bytes = 0;
	for (unsigned i = written ? REUSE_FIRST_WRITE : REUSE_FIRST_READ;
	     i < (written ? REUSE_KINDS : REUSE_FIRST_WRITE); i++)
		add_to(&bytes, s->kind[i]);
	return bytes;
}

static void bytes_value(const struct reuse *r, const char *name, const char *key, uint64_t bytes,
			struct values *v)
{
	values_number(v, name, key, "bytes", bytes);
	if (r->round > 0)
		values_note(v, "upper bound: too many ranges were rounded outward");
}

/* Values that depend on the order of requests. */
static void ordered_value(const struct reuse *r, const char *name, uint64_t bytes, struct values *v)
{
	if (r->unordered)
		values_unknown(v, name, NULL, "bytes", v->inexact);
	else
		bytes_value(r, name, NULL, bytes, v);
}

void reuse_values(const struct reuse *r, struct values *v)
{
	static const char *const kinds[REUSE_KINDS] = {
	    "first_read",       "re_read",          "read_after_write", "first_write",
	    "write_after_read", "overwrite_unread", "overwrite_read"};
	static const char *const states[REUSE_STATES] = {"read", "written", "written-last",
							 "read-last"};
	struct reuse_sums all = {.kind = {0}}, one;
	for (size_t i = 0; i < r->capacity; i++) {
		reuse_file_sums(r, i, &one);
		reuse_sums_add(&all, &one);
	}
	v->section = SECTION_OF(reuse);
	for (unsigned i = 0; i < REUSE_KINDS; i++)
		ordered_value(r, kinds[i], all.kind[i], v);
	for (unsigned i = 0; i < REUSE_STATES && !r->unordered; i++)
		bytes_value(r, NAME_OF(state_bytes), states[i], all.state[i], v);
	if (r->unordered)
		values_unknown(v, NAME_OF(state_bytes), NULL, "bytes", v->inexact);
	bytes_value(r, "unique_read", NULL, reuse_unique(&all, false), v);
	bytes_value(r, "unique_written", NULL, reuse_unique(&all, true), v);
	bytes_value(r, "footprint", NULL, reuse_footprint(&all), v);
	values_ratio(v, NAME_OF(reuse_ratio), NULL, "",
		     (double)reuse_bytes(&all, false) + (double)reuse_bytes(&all, true),
		     (double)reuse_footprint(&all), "no bytes at known offsets");
	values_number(v, NAME_OF(rounded), NULL, "bytes",
		      r->round > 0 ? (uint64_t)1 << r->round : 0);
}

static void free_all(void *of)
{
	struct reuse *r = of;
	for (size_t i = 0; i < r->capacity; i++)
		byte_map_free(&r->maps, &r->files[i].map);
	free(r->files);
}

/* Saves and loads */

enum { SEGMENTS_PER_FILE_MAX = 4 };

/* The segments of all files, one after the other, without the untouched bytes at the begin. */
struct segment_cursor {
	size_t row; /* of the file */
	struct byte_position at;
	struct byte_segment segment;
	bool more;
};

static void next_segment(const struct state *s, const struct reuse *r, struct segment_cursor *c)
{
	for (; c->row < s->files.count; c->row++, c->at = (struct byte_position){.leaf = NULL}) {
		const size_t file = s->files.own[c->row];
		while (file < r->capacity &&
		       byte_map_next(&r->files[file].map, &c->at, &c->segment))
			if (c->segment.begin > 0 || c->segment.state != USE_NONE) {
				c->more = true;
				return;
			}
	}
	c->more = false;
}

static void load_segment(struct state *s, struct reuse *r, const struct segment_cursor *c)
{
	state_check(s,
		    r->maps.segments <
			BYTE_SEGMENTS_MAX + SEGMENTS_PER_FILE_MAX * (size_t)s->files.count,
		    "up to 8388608 segments");
	struct reuse_file *f = state_failed(s) ? NULL
					       : state_at(s, &r->files, &r->capacity,
							  s->files.own[c->row], sizeof *r->files);
	if (f != NULL && !byte_map_append(&r->maps, &f->map, c->segment.begin, c->segment.state))
		state_no_memory(s);
}

/* Each segment follows the one before, in another state. */
static bool follows(const struct segment_cursor *c, const struct segment_cursor *last)
{
	return last->more && c->row == last->row
		   ? c->segment.begin > last->segment.begin &&
			 c->segment.state != last->segment.state
		   : (!last->more || c->row > last->row) && c->segment.state != USE_NONE;
}

static void segments_state(struct state *s, struct reuse *r)
{
	struct segment_cursor c = {.row = 0}, last = {.row = 0};
	if (state_saves(s))
		next_segment(s, r, &c);
	while (state_list(s, "reuse.segment", c.more)) {
		uint32_t file = (uint32_t)c.row, use = c.segment.state;
		state_small(s, "row", &file, (uint32_t)s->files.count);
		state_number(s, "begin", &c.segment.begin);
		state_small(s, "use", &use, USES - 1);
		if (state_saves(s)) {
			next_segment(s, r, &c);
			continue;
		}
		c.row = file;
		c.segment.state = use;
		state_check(s, file < s->files.count && follows(&c, &last), "segments in order");
		load_segment(s, r, &c);
		last = c;
		last.more = true;
	}
}

static void file_columns(struct state *s, struct reuse_file *f)
{
	state_number(s, "re_read", &f->re_read);
	state_number(s, "read_after_write", &f->read_after_write);
	state_number(s, "overwrite_unread", &f->overwrite_unread);
	state_number(s, "overwrite_read", &f->overwrite_read);
	state_number(s, "unknown_r", &f->unknown[0]);
	state_number(s, "unknown_w", &f->unknown[1]);
	state_flag(s, "timed", &f->write_timed);
	state_signed(s, "first", &f->first_write_ns);
	state_signed(s, "last", &f->last_write_ns);
}

static void state(struct state *s, void *of, const struct requests *requests)
{
	(void)requests;
	struct reuse *r = of;
	size_t i;
	while (state_each(s, "reuse", 1, &i)) {
		state_small(s, "round", &r->round, BYTE_ROUND_MAX);
		state_flag(s, "unordered", &r->unordered);
	}
	while (state_each(s, "reuse.file", s->files.count, &i)) {
		struct reuse_file *f =
		    state_at(s, &r->files, &r->capacity, s->files.own[i], sizeof *r->files);
		if (f == NULL)
			return;
		file_columns(s, f);
	}
	segments_state(s, r);
}

/* The statistic */

static bool add_batch(void *of, const struct statistic_batch *b)
{
	((struct reuse *)of)->other_file = b->other_file;
	return reuse_add(of, &b->grouped, &b->in_order);
}

static bool join(void *of, void *part, const struct statistic_map *map)
{
	return reuse_join(of, part, map->numbers->file);
}

static bool add_trace(void *of, void *more, const struct statistic_map *map)
{
	return reuse_add_trace(of, more, map->numbers->file);
}

static void sample(void *of, const struct sample_kept *k)
{
	struct reuse *r = of;
	for (size_t i = 0; i < k->files && i < r->capacity; i++)
		if (k->file[i] == UINT32_MAX)
			byte_map_free(&r->maps, &r->files[i].map);
	SAMPLE_KEEP(r->files, r->capacity, k->file, k->files);
	r->other_file = k->other_file;
}

const struct statistic reuse_statistic = {
    .sections = NEED_REUSE,
    .add = add_batch,
    .join = join,
    .add_trace = add_trace,
    .shift = shift,
    .sample = sample,
    .state = state,
    .free = free_all,
};
