/* SPDX-License-Identifier: BSD-2-Clause */
#include "file_users.h"

#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/result/names.h"

#include "state.h"
#include "statistic.h"

static uint64_t interval_of(const struct file_users *s)
{
	return s->interval_ns != 0 ? s->interval_ns : 1000000000;
}

static int by_number(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return a < b ? -1 : a > b;
}

static void settle_pair(struct file_users *s, struct file_users_pair *p)
{
	uint32_t used = 0;
	if (p->count > 0)
		qsort(p->bins, p->count, sizeof *p->bins, by_number);
	for (size_t i = 0; i < p->count; i++)
		if (used == 0 || p->bins[used - 1] != p->bins[i])
			p->bins[used++] = p->bins[i];
	s->bins -= p->count - used;
	p->count = used;
	p->from_ns = p->to_ns = 0;
}

static void settle_pairs(struct file_users *s)
{
	for (size_t i = 0; i < s->capacity; i++)
		settle_pair(s, &s->pairs[i]);
}

static void coarsen(struct file_users *s)
{
	s->coarser++;
	for (size_t i = 0; i < s->capacity; i++)
		for (size_t k = 0; k < s->pairs[i].count; k++)
			s->pairs[i].bins[k] >>= 1;
	settle_pairs(s);
}

/* A pair has a bin, however wide. */
static size_t bins_max(const struct file_users *s)
{
	return FILE_USERS_MAX + s->used;
}

void file_users_settle(struct file_users *s)
{
	settle_pairs(s);
	while (s->bins > bins_max(s) && s->coarser < FILE_USERS_COARSER_MAX)
		coarsen(s);
}

/* Most pairs have few bins, so their memory grows from one on. */
static bool reserve_bin(struct file_users_pair *p)
{
	if (p->count < p->capacity)
		return true;
	const uint32_t capacity = p->capacity == 0 ? 1 : 2 * p->capacity;
	uint64_t *bins = realloc(p->bins, capacity * sizeof *bins);
	if (bins == NULL)
		return false;
	p->bins = bins;
	p->capacity = capacity;
	return true;
}

static bool add_bin(struct file_users *s, struct file_users_pair *p, uint64_t bin)
{
	if (!reserve_bin(p))
		return false;
	s->used += p->count == 0;
	p->bins[p->count++] = bin;
	s->bins++;
	if (s->bins > 2 * bins_max(s)) /* with repetitions */
		file_users_settle(s);
	return true;
}

/* A start outside of the last bin. */
static bool add_start(struct file_users *s, struct file_users_pair *p, uint64_t ns)
{
	const uint64_t interval = interval_of(s);
	const uint64_t bin = ns / interval >> s->coarser;
	if (!add_bin(s, p, bin))
		return false;
	const uint64_t first = ns / interval >> s->coarser << s->coarser;
	p->from_ns = first * interval;
	if (__builtin_mul_overflow(first + ((uint64_t)1 << s->coarser), interval, &p->to_ns))
		p->to_ns = UINT64_MAX;
	return true;
}

/* The first request from i on that does not start in the last bin, or their number. */
static inline size_t next_outside(const struct file_users_pair *p, const struct io_span *span,
				  size_t i, uint64_t epoch_ns)
{
	const uint64_t from_ns = p->from_ns, length_ns = p->to_ns - from_ns;
	while (i < span->count && epoch_ns + (uint64_t)span->start_ns[i] - from_ns < length_ns)
		i++;
	return i;
}

static bool add_span(struct file_users *s, struct file_users_pair *p, const struct io_span *span,
		     uint64_t epoch_ns)
{
	for (size_t i = 0; (i = next_outside(p, span, i, epoch_ns)) < span->count; i++)
		if (!add_start(s, p, epoch_ns + (uint64_t)span->start_ns[i]))
			return false;
	return true;
}

bool file_users_add(struct file_users *s, const struct io_spans *grouped, uint64_t epoch_ns)
{
	for (size_t i = 0; i < grouped->count; i++) {
		const struct io_span *span = &grouped->span[i];
		SPANS_AHEAD(grouped, i, pair, s->pairs, s->capacity);
		if (!array_reserve_index(&s->pairs, &s->capacity, span->pair, sizeof *s->pairs))
			return false;
		s->pairs[span->pair].used = true;
		if ((span->flags & IOT_START_UNKNOWN) == 0 &&
		    !add_span(s, &s->pairs[span->pair], span, epoch_ns))
			return false;
	}
	return true;
}

/* Parts */

bool file_users_join(struct file_users *s, struct file_users *part, const uint32_t *pair)
{
	while (s->coarser < part->coarser)
		coarsen(s);
	for (size_t i = 0; i < part->capacity; i++) {
		const struct file_users_pair *from = &part->pairs[i];
		if (!from->used)
			continue;
		if (!array_reserve_index(&s->pairs, &s->capacity, pair[i], sizeof *s->pairs))
			return false;
		s->pairs[pair[i]].used = true;
		s->pairs[pair[i]].from_ns = s->pairs[pair[i]].to_ns = 0;
		for (size_t k = 0; k < from->count; k++)
			if (!add_bin(s, &s->pairs[pair[i]],
				     from->bins[k] >> (s->coarser - part->coarser)))
				return false;
	}
	return true;
}

/* States */

/* The bins of all pairs, one after the other. */
struct bin_cursor {
	size_t row, next;
};

static const uint64_t *next_bin(const struct state *s, const struct file_users *f,
				struct bin_cursor *c)
{
	for (; c->row < s->pairs.count; c->row++, c->next = 0) {
		const size_t i = s->pairs.own[c->row];
		if (i < f->capacity && c->next < f->pairs[i].count)
			return &f->pairs[i].bins[c->next++];
	}
	return NULL;
}

static void load_bin(struct state *s, struct file_users *f, uint64_t row, uint64_t bin)
{
	state_check(s, row < s->pairs.count && f->bins <= bins_max(f), "bins of pairs");
	struct file_users_pair *p = state_failed(s) ? NULL
						    : state_at(s, &f->pairs, &f->capacity,
							       s->pairs.own[row], sizeof *f->pairs);
	if (p != NULL && !add_bin(f, p, bin))
		state_no_memory(s);
}

static void state(struct state *s, void *of, const struct requests *requests)
{
	(void)requests;
	struct file_users *f = of;
	struct bin_cursor c = {0, 0};
	size_t i;
	while (state_each(s, "file_users", 1, &i))
		state_small(s, "coarser", &f->coarser, FILE_USERS_COARSER_MAX);
	while (state_each(s, "file_users.pair", s->pairs.count, &i)) {
		struct file_users_pair *p =
		    state_at(s, &f->pairs, &f->capacity, s->pairs.own[i], sizeof *f->pairs);
		if (p == NULL)
			return;
		state_flag(s, "used", &p->used);
	}
	const uint64_t *next = state_saves(s) ? next_bin(s, f, &c) : NULL;
	while (state_list(s, "file_users.bin", next != NULL)) {
		uint64_t row = c.row, bin = next != NULL ? *next : 0;
		state_number(s, "pair", &row);
		state_number(s, "bin", &bin);
		if (state_saves(s))
			next = next_bin(s, f, &c);
		else
			load_bin(s, f, row, bin);
	}
}

/* Values */

/* The start of a process in a bin of a file. */
struct file_bin {
	uint64_t bin;
	uint32_t file;
};

static int by_file_and_bin(const void *left, const void *right)
{
	const struct file_bin *a = left, *b = right;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->bin < b->bin ? -1 : a->bin > b->bin;
}

static uint32_t file_of(const struct requests *r, size_t pair)
{
	return (uint32_t)r->pair_map.keys[pair] - 1;
}

/* The starts of files with several processes. Returns their number. */
static size_t list_starts(const struct file_users *s, const struct requests *r,
			  const uint32_t *users, struct file_bin *starts)
{
	size_t n = 0;
	for (size_t i = 0; i < s->capacity && i < r->pair_map.count; i++)
		for (size_t k = 0; k < s->pairs[i].count && users[file_of(r, i)] > 1; k++)
			starts[n++] = (struct file_bin){s->pairs[i].bins[k], file_of(r, i)};
	if (n > 0)
		qsort(starts, n, sizeof *starts, by_file_and_bin);
	return n;
}

static void concurrency_values_of(const struct file_bin *starts, size_t n, double processes,
				  struct values *v)
{
	static const char none[] = "no file has several processes";
	uint64_t max = 0, bins = 0, run = 0;
	for (size_t i = 0; i < n; i++) {
		const bool same = i > 0 && by_file_and_bin(&starts[i - 1], &starts[i]) == 0;
		bins += !same;
		run = same ? run + 1 : 1;
		max = run > max ? run : max;
	}
	values_ratio(v, NAME_OF(same_file_share_max), NULL, "", (double)max, n > 0 ? processes : 0,
		     none);
	values_ratio(v, NAME_OF(same_file_share_mean), NULL, "", (double)n,
		     (double)bins * processes, none);
}

bool file_users_values(const struct file_users *s, const struct requests *r, uint64_t processes,
		       struct values *v)
{
	struct file_bin *starts = calloc(s->bins + 1, sizeof *starts);
	uint32_t *users = calloc((size_t)r->files.count + 1, sizeof *users);
	const bool done = starts != NULL && users != NULL;
	for (size_t i = 0; done && i < s->capacity && i < r->pair_map.count; i++)
		users[file_of(r, i)] += s->pairs[i].used;
	if (done)
		concurrency_values_of(starts, list_starts(s, r, users, starts), (double)processes,
				      v);
	if (done && s->coarser > 0)
		values_note(v, "in wider bins than the interval's");
	free(starts);
	free(users);
	return done;
}

static void free_all(void *of)
{
	struct file_users *s = of;
	for (size_t i = 0; i < s->capacity; i++)
		free(s->pairs[i].bins);
	free(s->pairs);
}

/* The statistic */

static void init(void *of, const struct iot_analyze_options *o)
{
	((struct file_users *)of)->interval_ns = o->interval_ns;
}

static bool add_batch(void *of, const struct statistic_batch *b)
{
	return file_users_add(of, &b->grouped, b->epoch_ns);
}

static bool settle(void *of)
{
	file_users_settle(of);
	return true;
}

static bool join(void *of, void *part, const struct statistic_map *map)
{
	return file_users_join(of, part, map->numbers->pair);
}

static void sample(void *of, const struct sample_kept *k)
{
	struct file_users *s = of;
	for (size_t i = 0; i < k->pairs && i < s->capacity; i++) {
		if (k->pair[i] != UINT32_MAX)
			continue;
		s->bins -= s->pairs[i].count;
		s->used -= s->pairs[i].count > 0;
		free(s->pairs[i].bins);
	}
	SAMPLE_KEEP(s->pairs, s->capacity, k->pair, k->pairs);
}

const struct statistic file_users_statistic = {
    .sections = IOT_ANALYZE_TIME,
    .init = init,
    .add = add_batch,
    .join = join,
    .add_trace = join,
    .settle = settle,
    .sample = sample,
    .state = state,
    .free = free_all,
};
