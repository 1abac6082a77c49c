/* SPDX-License-Identifier: BSD-2-Clause */
#include "second_cache.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

enum { NONE = SECOND_QUEUE_MAX };

/* Queues */

static size_t find(const struct second_queue *q, uint64_t key)
{
	for (size_t i = 0; i < q->n; i++)
		if (q->item[i].key == key)
			return i;
	return NONE;
}

static struct second_item take(struct second_queue *q, size_t i)
{
	const struct second_item item = q->item[i];
	q->n--;
	memmove(q->item + i, q->item + i + 1, (q->n - i) * sizeof item);
	return item;
}

static struct second_item pop(struct second_queue *q)
{
	return take(q, 0);
}

static void push(struct second_queue *q, struct second_item item)
{
	if (q->n == SECOND_QUEUE_MAX)
		abort();
	q->item[q->n++] = item;
}

static void push_key(struct second_queue *q, uint64_t key)
{
	push(q, (struct second_item){.key = key});
}

static void renew(struct second_queue *q, size_t i)
{
	push(q, take(q, i));
}

/* Returns whether the key was in the queue, from which it is removed. */
static bool take_key(struct second_queue *q, uint64_t key)
{
	const size_t i = find(q, key);
	if (i != NONE)
		(void)take(q, i);
	return i != NONE;
}

static void push_ghost(struct second_queue *q, uint64_t key, size_t limit)
{
	if (limit == 0)
		return;
	if (q->n == limit)
		(void)pop(q);
	push_key(q, key);
}

/* Policies with one queue: an eviction and a hit each */

static void lru_hit(struct second_cache *c, size_t i)
{
	renew(&c->q[0], i);
}

static void fifo_hit(struct second_cache *c, size_t i)
{
	(void)c;
	(void)i;
}

static void oldest_evict(struct second_cache *c)
{
	(void)pop(&c->q[0]);
}

static void bit_hit(struct second_cache *c, size_t i)
{
	c->q[0].item[i].count = 1;
}

static void clock_evict(struct second_cache *c)
{
	for (; c->q[0].item[0].count != 0; renew(&c->q[0], 0))
		c->q[0].item[0].count = 0;
	(void)pop(&c->q[0]);
}

static void lfu_hit(struct second_cache *c, size_t i)
{
	c->q[0].item[i].count++;
	c->q[0].item[i].time = c->time;
}

static void lfu_evict(struct second_cache *c)
{
	const struct second_item *item = c->q[0].item;
	size_t lowest = 0;
	for (size_t i = 1; i < c->q[0].n; i++)
		if (item[i].count < item[lowest].count ||
		    (item[i].count == item[lowest].count && item[i].time < item[lowest].time))
			lowest = i;
	(void)take(&c->q[0], lowest);
}

static void sieve_evict(struct second_cache *c)
{
	struct second_queue *q = &c->q[0];
	for (; q->item[c->hand].count != 0; c->hand = (c->hand + 1) % q->n)
		q->item[c->hand].count = 0;
	(void)take(q, c->hand);
	if (c->hand == q->n)
		c->hand = 0;
}

static void opt_evict(struct second_cache *c)
{
	const struct second_item *item = c->q[0].item;
	size_t farthest = 0;
	for (size_t i = 1; i < c->q[0].n; i++)
		if (item[i].time > item[farthest].time)
			farthest = i;
	(void)take(&c->q[0], farthest);
}

static void one_queue(struct second_cache *c, uint64_t key, uint64_t next,
		      void (*hit)(struct second_cache *, size_t),
		      void (*evict)(struct second_cache *))
{
	struct second_queue *q = &c->q[0];
	const size_t i = find(q, key);
	if (i != NONE) {
		hit(c, i);
	} else {
		if (q->n == c->capacity) {
			c->evictions++;
			evict(c);
		}
		push(q, (struct second_item){.key = key, .time = c->time});
	}
	if (next != 0)
		q->item[find(q, key)].time = next;
}

static void lru(struct second_cache *c, uint64_t key, uint64_t next)
{
	(void)next;
	one_queue(c, key, 0, lru_hit, oldest_evict);
}

static void fifo(struct second_cache *c, uint64_t key, uint64_t next)
{
	(void)next;
	one_queue(c, key, 0, fifo_hit, oldest_evict);
}

static void clock_policy(struct second_cache *c, uint64_t key, uint64_t next)
{
	(void)next;
	one_queue(c, key, 0, bit_hit, clock_evict);
}

static void lfu(struct second_cache *c, uint64_t key, uint64_t next)
{
	(void)next;
	one_queue(c, key, 0, lfu_hit, lfu_evict);
}

static void sieve(struct second_cache *c, uint64_t key, uint64_t next)
{
	(void)next;
	one_queue(c, key, 0, bit_hit, sieve_evict);
}

/* Of blocks without a next reference, the one that was referenced first goes first. */
static void opt(struct second_cache *c, uint64_t key, uint64_t next)
{
	one_queue(c, key, next, lru_hit, opt_evict);
}

/* 2Q and S3-FIFO */

static void twoq_evict(struct second_cache *c)
{
	struct second_queue *in = &c->q[0], *main = &c->q[1];
	c->evictions++;
	if (in->n > c->capacity / 4 || main->n == 0)
		push_ghost(&c->q[2], pop(in).key, c->capacity / 2);
	else
		(void)pop(main);
}

static void twoq(struct second_cache *c, uint64_t key, uint64_t next)
{
	struct second_queue *in = &c->q[0], *main = &c->q[1];
	(void)next;
	if (find(in, key) != NONE)
		return;
	if (find(main, key) != NONE) {
		renew(main, find(main, key));
		return;
	}
	const bool ghost = take_key(&c->q[2], key);
	while (in->n + main->n >= c->capacity)
		twoq_evict(c);
	push_key(ghost ? main : in, key);
}

static void s3fifo_evict_main(struct second_cache *c)
{
	struct second_item item;
	while ((item = pop(&c->q[1])).count > 0) {
		item.count--;
		push(&c->q[1], item);
	}
}

static void s3fifo_evict(struct second_cache *c)
{
	struct second_queue *small = &c->q[0], *main = &c->q[1];
	const size_t target = c->capacity / 10 > 0 ? c->capacity / 10 : 1;
	c->evictions++;
	if (main->n <= c->capacity - target)
		while (small->n > 0) {
			const struct second_item item = pop(small);
			if (item.count < 2) {
				push_ghost(&c->q[2], item.key, 9 * c->capacity / 10);
				return;
			}
			push_key(main, item.key);
		}
	s3fifo_evict_main(c);
}

static void s3fifo(struct second_cache *c, uint64_t key, uint64_t next)
{
	(void)next;
	for (size_t k = 0; k < 2; k++) {
		const size_t i = find(&c->q[k], key);
		if (i == NONE)
			continue;
		c->q[k].item[i].count += c->q[k].item[i].count < 3;
		return;
	}
	const bool ghost = take_key(&c->q[2], key);
	while (c->q[0].n + c->q[1].n >= c->capacity)
		s3fifo_evict(c);
	push_key(&c->q[ghost], key);
}

/* ARC */

enum { T1, T2, B1, B2 };

static void arc_replace(struct second_cache *c, bool case_three)
{
	const size_t t1 = c->q[T1].n;
	if (t1 + c->q[T2].n < c->capacity)
		return;
	c->evictions++;
	const bool first = t1 > 0 && ((double)t1 > c->p || (case_three && (double)t1 >= c->p));
	if (first || c->q[T2].n == 0)
		push(&c->q[B1], pop(&c->q[T1]));
	else
		push(&c->q[B2], pop(&c->q[T2]));
}

/* A ghost of list `in` moves to T2. */
static void arc_revive(struct second_cache *c, unsigned in, uint64_t key)
{
	const double b1 = (double)c->q[B1].n, b2 = (double)c->q[B2].n, max = (double)c->capacity;
	if (in == B1)
		c->p += b2 > b1 ? b2 / b1 : 1;
	else
		c->p -= b1 > b2 ? b1 / b2 : 1;
	c->p = c->p > max ? max : c->p < 0 ? 0 : c->p;
	(void)take_key(&c->q[in], key);
	arc_replace(c, in == B2);
	push_key(&c->q[T2], key);
}

static void arc_insert(struct second_cache *c, uint64_t key)
{
	const size_t l1 = c->q[T1].n + c->q[B1].n, l2 = c->q[T2].n + c->q[B2].n;
	if (l1 == c->capacity && c->q[B1].n == 0) {
		c->evictions++;
		(void)pop(&c->q[T1]);
	} else if (l1 == c->capacity) {
		(void)pop(&c->q[B1]);
		arc_replace(c, false);
	} else if (l1 + l2 >= c->capacity) {
		if (l1 + l2 == 2 * c->capacity)
			(void)pop(&c->q[B2]);
		arc_replace(c, false);
	}
	push_key(&c->q[T1], key);
}

static void arc(struct second_cache *c, uint64_t key, uint64_t next)
{
	(void)next;
	if (take_key(&c->q[T1], key) || take_key(&c->q[T2], key))
		push_key(&c->q[T2], key);
	else if (find(&c->q[B1], key) != NONE)
		arc_revive(c, B1, key);
	else if (find(&c->q[B2], key) != NONE)
		arc_revive(c, B2, key);
	else
		arc_insert(c, key);
}

/* LIRS: q[STACK] has ghosts, too; count is 1 for LIR blocks, time the eviction of ghosts */

enum { STACK, QUEUE };

static size_t lirs_hirs(const struct second_cache *c)
{
	return c->capacity >= 100 ? c->capacity / 100 : 1;
}

static size_t lirs_lirs(const struct second_cache *c)
{
	size_t n = 0;
	for (size_t i = 0; i < c->q[STACK].n; i++)
		n += c->q[STACK].item[i].count;
	return n;
}

static void lirs_prune(struct second_cache *c)
{
	while (c->q[STACK].n > 0 && c->q[STACK].item[0].count == 0)
		(void)pop(&c->q[STACK]);
}

/* The ghost that was evicted first leaves a full stack. */
static void lirs_drop_ghost(struct second_cache *c)
{
	const struct second_item *item = c->q[STACK].item;
	size_t first = NONE;
	for (size_t i = 0; i < c->q[STACK].n; i++)
		if (item[i].time != 0 && (first == NONE || item[i].time < item[first].time))
			first = i;
	(void)take(&c->q[STACK], first);
}

static void lirs_top(struct second_cache *c, uint64_t key, bool lir)
{
	if (!take_key(&c->q[STACK], key) && c->q[STACK].n == 2 * c->capacity)
		lirs_drop_ghost(c);
	push(&c->q[STACK], (struct second_item){.key = key, .count = lir});
}

/* A block that is not LIR, or a ghost, becomes LIR. */
static void lirs_promote(struct second_cache *c, uint64_t key)
{
	lirs_top(c, key, true);
	if (lirs_lirs(c) > c->capacity - lirs_hirs(c))
		push_key(&c->q[QUEUE], pop(&c->q[STACK]).key);
	lirs_prune(c);
}

static void lirs_evict(struct second_cache *c)
{
	const size_t i = find(&c->q[STACK], pop(&c->q[QUEUE]).key);
	c->evictions++;
	if (i != NONE)
		c->q[STACK].item[i].time = c->time;
}

static void lirs_miss(struct second_cache *c, uint64_t key)
{
	if (lirs_lirs(c) + c->q[QUEUE].n == c->capacity)
		lirs_evict(c);
	if (find(&c->q[STACK], key) != NONE) {
		lirs_promote(c, key);
		return;
	}
	const bool lir = lirs_lirs(c) < c->capacity - lirs_hirs(c);
	lirs_top(c, key, lir);
	if (!lir)
		push_key(&c->q[QUEUE], key);
}

static void lirs(struct second_cache *c, uint64_t key, uint64_t next)
{
	const size_t i = find(&c->q[STACK], key);
	(void)next;
	if (c->capacity == 1) {
		one_queue(c, key, 0, lru_hit, oldest_evict);
	} else if (i != NONE && c->q[STACK].item[i].count == 1) {
		renew(&c->q[STACK], i);
		lirs_prune(c);
	} else if (!take_key(&c->q[QUEUE], key)) {
		lirs_miss(c, key);
	} else if (i != NONE) {
		lirs_promote(c, key);
	} else {
		lirs_top(c, key, false);
		push_key(&c->q[QUEUE], key);
	}
}

/* W-TinyLFU */

enum { WINDOW, PROBATION, PROTECTED };

static unsigned char *sketch_at(struct second_cache *c, unsigned row, uint64_t key)
{
	return &c->sketch[row][XXH3_64bits_withSeed(&key, sizeof key, row) % c->width];
}

static unsigned sketch_estimate(struct second_cache *c, uint64_t key)
{
	unsigned lowest = 15;
	for (unsigned row = 0; row < SECOND_SKETCH_ROWS; row++)
		if (*sketch_at(c, row, key) < lowest)
			lowest = *sketch_at(c, row, key);
	return lowest;
}

static void sketch_add(struct second_cache *c, uint64_t key)
{
	const unsigned lowest = sketch_estimate(c, key);
	for (unsigned row = 0; row < SECOND_SKETCH_ROWS; row++)
		if (*sketch_at(c, row, key) == lowest && lowest < 15)
			++*sketch_at(c, row, key);
	if (++c->added < 10 * c->capacity)
		return;
	c->added = 0;
	for (unsigned row = 0; row < SECOND_SKETCH_ROWS; row++)
		for (size_t i = 0; i < c->width; i++)
			c->sketch[row][i] /= 2;
}

static void wtinylfu_overflow(struct second_cache *c, size_t main_max)
{
	const uint64_t key = pop(&c->q[WINDOW]).key;
	if (c->q[PROBATION].n + c->q[PROTECTED].n < main_max) {
		push_key(&c->q[PROBATION], key);
		return;
	}
	c->evictions++;
	if (main_max == 0 ||
	    sketch_estimate(c, key) <= sketch_estimate(c, c->q[PROBATION].item[0].key))
		return;
	(void)pop(&c->q[PROBATION]);
	push_key(&c->q[PROBATION], key);
}

static void wtinylfu(struct second_cache *c, uint64_t key, uint64_t next)
{
	const size_t window_max = c->capacity >= 100 ? c->capacity / 100 : 1,
		     main_max = c->capacity - window_max;
	(void)next;
	sketch_add(c, key);
	if (take_key(&c->q[WINDOW], key)) {
		push_key(&c->q[WINDOW], key);
		return;
	}
	if (take_key(&c->q[PROTECTED], key) || take_key(&c->q[PROBATION], key)) {
		push_key(&c->q[PROTECTED], key);
		if (c->q[PROTECTED].n > main_max * 8 / 10)
			push(&c->q[PROBATION], pop(&c->q[PROTECTED]));
		return;
	}
	push_key(&c->q[WINDOW], key);
	if (c->q[WINDOW].n > window_max)
		wtinylfu_overflow(c, main_max);
}

/* All policies */

static const struct policy {
	const char *name;
	void (*refer)(struct second_cache *, uint64_t key, uint64_t next);
	unsigned resident; /* queues of resident blocks, from the first one on */
} policies[] = {
    {"lru", lru, 1},           {"fifo", fifo, 1},     {"clock", clock_policy, 1},
    {"lfu", lfu, 1},           {"2q", twoq, 2},       {"arc", arc, 2},
    {"lirs", lirs, 0},         {"s3fifo", s3fifo, 2}, {"sieve", sieve, 1},
    {"wtinylfu", wtinylfu, 3}, {"opt", opt, 1},
};

struct second_cache *second_cache_new(const char *policy, size_t capacity)
{
	size_t i = 0;
	while (i < sizeof policies / sizeof policies[0] && strcmp(policies[i].name, policy) != 0)
		i++;
	if (i == sizeof policies / sizeof policies[0])
		return NULL;
	struct second_cache *c = calloc(1, sizeof *c);
	if (c == NULL)
		return NULL;
	c->policy = i;
	c->capacity = capacity;
	for (c->width = 2; c->width < 4 * capacity;)
		c->width *= 2;
	return c;
}

static bool is_lirs(const struct second_cache *c)
{
	return policies[c->policy].resident == 0;
}

bool second_cache_has(const struct second_cache *c, uint64_t key)
{
	for (unsigned k = 0; k < policies[c->policy].resident; k++)
		if (find(&c->q[k], key) != NONE)
			return true;
	if (!is_lirs(c))
		return false;
	const size_t i = find(&c->q[STACK], key);
	return (i != NONE && (c->q[STACK].item[i].count == 1 || c->capacity == 1)) ||
	       find(&c->q[QUEUE], key) != NONE;
}

bool second_cache_refer(struct second_cache *c, uint64_t key, uint64_t next)
{
	const bool hit = second_cache_has(c, key);
	c->time++;
	policies[c->policy].refer(c, key, next);
	return hit;
}

static void drop_at(struct second_cache *c, unsigned k, size_t i)
{
	(void)take(&c->q[k], i);
	if (k != 0)
		return;
	c->hand -= c->hand > i;
	if (c->hand == c->q[0].n)
		c->hand = 0;
}

/* Ghosts stay, also in the stack of LIRS. */
void second_cache_drop(struct second_cache *c, uint64_t first, uint64_t last)
{
	const unsigned queues = is_lirs(c) ? 2 : policies[c->policy].resident;
	for (unsigned k = 0; k < queues; k++)
		for (size_t i = c->q[k].n; i-- > 0;) {
			const struct second_item *item = &c->q[k].item[i];
			if (item->key < first || item->key > last)
				continue;
			if (is_lirs(c) && k == STACK && item->time != 0 && c->capacity > 1)
				continue;
			drop_at(c, k, i);
		}
	if (is_lirs(c) && c->capacity > 1)
		lirs_prune(c);
}

size_t second_cache_resident(const struct second_cache *c)
{
	size_t n =
	    is_lirs(c) ? c->q[QUEUE].n + (c->capacity > 1 ? lirs_lirs(c) : c->q[STACK].n) : 0;
	for (unsigned k = 0; k < policies[c->policy].resident; k++)
		n += c->q[k].n;
	return n;
}

size_t second_next(const uint64_t *key, size_t n, size_t i)
{
	size_t j = i + 1;
	while (j < n && key[j] != key[i])
		j++;
	return j;
}
