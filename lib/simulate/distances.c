/* SPDX-License-Identifier: BSD-2-Clause */
#include "distances.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

enum {
	WORD = 64,
	SMALL = 512,
	LARGE = 32768,
	SLOTS_MIN = 2 * LARGE,
	BATCH = 64,        /* references that are looked up together */
	SLOTS_PER_KEY = 4, /* after a compaction, so that the next one is far */
};

#define SLOTS_MAX ((uint64_t)1 << 32)

/* Slots */

static void set_slot(struct distances *d, size_t slot)
{
	d->bits[slot / WORD] |= (uint64_t)1 << slot % WORD;
	d->small[slot / SMALL]++;
	d->large[slot / LARGE]++;
	d->set++;
}

static void clear_slot(struct distances *d, size_t slot)
{
	d->bits[slot / WORD] &= ~((uint64_t)1 << slot % WORD);
	d->small[slot / SMALL]--;
	d->large[slot / LARGE]--;
	d->set--;
}

/* Sums over several counts at a time: the sum of a large range fits in 16 bits. */
static size_t sum_small(const uint16_t *count, size_t n)
{
	uint64_t lanes = 0, four;
	size_t sum = 0;
	for (; n % 4 != 0; n--)
		sum += *count++;
	for (; n > 0; n -= 4, count += 4) {
		memcpy(&four, count, sizeof four);
		lanes += four;
	}
	return sum + (size_t)(lanes * 0x0001000100010001U >> 48);
}

static size_t sum_large(const uint32_t *count, size_t n)
{
	uint64_t lanes[2] = {0, 0}, two[2];
	size_t sum = 0;
	for (; n % 4 != 0; n--)
		sum += *count++;
	for (; n > 0; n -= 4, count += 4) {
		memcpy(two, count, sizeof two);
		lanes[0] += two[0];
		lanes[1] += two[1];
	}
	return sum + (uint32_t)lanes[0] + (lanes[0] >> 32) + (uint32_t)lanes[1] + (lanes[1] >> 32);
}

/* The number of set slots before a slot. */
static size_t set_before(const struct distances *d, size_t slot)
{
	const size_t small = slot / LARGE * (LARGE / SMALL);
	size_t n =
	    sum_large(d->large, slot / LARGE) + sum_small(d->small + small, slot / SMALL - small);
	for (size_t i = slot / SMALL * (SMALL / WORD); i < slot / WORD; i++)
		n += (size_t)__builtin_popcountll(d->bits[i]);
	return n + (size_t)__builtin_popcountll(d->bits[slot / WORD] &
						(((uint64_t)1 << slot % WORD) - 1));
}

/* The number of set slots from a slot on; sums the shorter side. */
static size_t set_from(const struct distances *d, size_t slot)
{
	const size_t end = (d->now + LARGE - 1) / LARGE, large = slot / LARGE,
		     small = slot / SMALL + 1;
	if (large < end / 2)
		return d->set - set_before(d, slot);
	size_t n = sum_large(d->large + large + 1, end - large - 1) +
		   sum_small(d->small + small, (large + 1) * (LARGE / SMALL) - small);
	for (size_t i = slot / WORD + 1; i < (slot / SMALL + 1) * (SMALL / WORD); i++)
		n += (size_t)__builtin_popcountll(d->bits[i]);
	return n + (size_t)__builtin_popcountll(d->bits[slot / WORD] >> slot % WORD);
}

/* Compaction */

static bool allocate(struct distances *d, size_t slots)
{
	uint64_t *bits = calloc(slots / WORD, sizeof *bits);
	uint16_t *small = calloc(slots / SMALL, sizeof *small);
	uint32_t *large = calloc(slots / LARGE, sizeof *large);
	if (bits == NULL || small == NULL || large == NULL) {
		free(bits);
		free(small);
		free(large);
		return false;
	}
	free(d->bits);
	free(d->small);
	free(d->large);
	d->bits = bits;
	d->small = small;
	d->large = large;
	d->slots = slots;
	return true;
}

/* The number of set slots before each 512; NULL if out of memory. */
static uint32_t *sums_before(const struct distances *d)
{
	const size_t n = d->slots / SMALL;
	uint32_t *before = malloc((n + 1) * sizeof *before), sum = 0;
	for (size_t i = 0; before != NULL && i < n; i++) {
		before[i] = sum;
		sum += d->small[i];
	}
	return before;
}

static uint32_t rank_of(const struct distances *d, const uint32_t *before, uint32_t slot)
{
	uint32_t n = before[slot / SMALL];
	for (size_t i = slot / SMALL * (SMALL / WORD); i < slot / WORD; i++)
		n += (uint32_t)__builtin_popcountll(d->bits[i]);
	return n + (uint32_t)__builtin_popcountll(d->bits[slot / WORD] &
						  (((uint64_t)1 << slot % WORD) - 1));
}

/* Slots that are not set are given up: the others become the first ones, in the same order. */
static bool compact(struct distances *d)
{
	size_t slots = SLOTS_MIN;
	const size_t set = d->set;
	uint32_t *before = d->slots > 0 ? sums_before(d) : NULL;
	if (d->slots > 0 && before == NULL)
		return false;
	while (slots < SLOTS_PER_KEY * (set + 1))
		slots *= 2;
	for (size_t i = 0; before != NULL && i < d->keys.count; i++)
		if (d->slot[i] != 0)
			d->slot[i] = rank_of(d, before, d->slot[i]) + 1;
	for (size_t i = 0; before != NULL && i < d->hole_count; i++)
		d->holes[i] = rank_of(d, before, d->holes[i]) + 1;
	for (size_t i = 0; before != NULL && i < d->mark_count; i++)
		d->marks[i] =
		    (d->marks[i] < d->slots ? rank_of(d, before, d->marks[i]) : (uint32_t)set) + 1;
	free(before);
	if (slots > SLOTS_MAX || !allocate(d, slots))
		return false;
	d->set = 0;
	for (d->now = 1; d->now <= set; d->now++)
		set_slot(d, d->now);
	return true;
}

/* Holes */

static void swap_holes(struct distances *d, size_t i, size_t j)
{
	const uint32_t hole = d->holes[i];
	d->holes[i] = d->holes[j];
	d->holes[j] = hole;
}

static bool push_hole(struct distances *d, uint32_t slot)
{
	if (!array_reserve(&d->holes, &d->hole_capacity, d->hole_count + 1, sizeof *d->holes))
		return false;
	size_t i = d->hole_count++;
	d->holes[i] = slot;
	for (; i > 0 && d->holes[i] > d->holes[(i - 1) / 2]; i = (i - 1) / 2)
		swap_holes(d, i, (i - 1) / 2);
	return true;
}

static void pop_hole(struct distances *d)
{
	size_t i = 0;
	d->holes[0] = d->holes[--d->hole_count];
	for (;;) {
		size_t newest = i;
		for (size_t j = 2 * i + 1; j <= 2 * i + 2 && j < d->hole_count; j++)
			newest = d->holes[j] > d->holes[newest] ? j : newest;
		if (newest == i)
			return;
		swap_holes(d, i, newest);
		i = newest;
	}
}

/* References */

/* The reference at the new end fills the newest hole above the key's last slot, which empties. */
static bool leave_slot(struct distances *d, uint32_t slot)
{
	if (d->hole_count == 0 || d->holes[0] < slot) {
		clear_slot(d, slot);
		return true;
	}
	clear_slot(d, d->holes[0]);
	pop_hole(d);
	return push_hole(d, slot);
}

static void fill_hole(struct distances *d)
{
	if (d->hole_count > 0) {
		clear_slot(d, d->holes[0]);
		pop_hole(d);
	}
}

/* The reference to the key of a number, which has a slot. */
static uint64_t refer_number(struct distances *d, size_t number)
{
	uint64_t distance = DISTANCE_NONE;
	if (d->now == d->slots && !compact(d))
		return DISTANCE_FAILED;
	if (d->slot[number] != 0) {
		distance = set_from(d, d->slot[number]);
		if (!leave_slot(d, d->slot[number]))
			return DISTANCE_FAILED;
	} else {
		fill_hole(d);
		if (d->tails.used && !key_tails_add(&d->tails, d->keys.keys[number]))
			return DISTANCE_FAILED;
	}
	set_slot(d, d->now);
	d->slot[number] = (uint32_t)d->now++;
	return distance;
}

uint64_t distances_refer(struct distances *d, uint64_t key)
{
	const size_t number = idmap_number(&d->keys, key);
	if (!array_reserve_index(&d->slot, &d->slot_capacity, number, sizeof *d->slot))
		return DISTANCE_FAILED;
	return refer_number(d, number);
}

uint64_t distances_since(const struct distances *d, uint32_t mark)
{
	return mark < d->now ? set_from(d, mark) : 0;
}

/* Each loop loads in advance the memory that the next one reads. */
static bool refer_batch(struct distances *d, const uint64_t *key, size_t n, uint64_t *distance)
{
	size_t number[BATCH];
	for (size_t i = 0; i < n; i++)
		idmap_prefetch_found(&d->keys, key[i]);
	for (size_t i = 0; i < n; i++) {
		number[i] = idmap_number(&d->keys, key[i]);
		if (!array_reserve_index(&d->slot, &d->slot_capacity, number[i], sizeof *d->slot))
			return false;
		__builtin_prefetch(&d->slot[number[i]], 1);
	}
	for (size_t i = 0; i < n && d->slots > 0; i++)
		__builtin_prefetch(&d->bits[d->slot[number[i]] / WORD], 1);
	for (size_t i = 0; i < n; i++)
		if ((distance[i] = refer_number(d, number[i])) == DISTANCE_FAILED)
			return false;
	return true;
}

bool distances_refer_all(struct distances *d, const uint64_t *key, size_t n, uint64_t *distance)
{
	for (size_t i = 0; i < n && i < BATCH; i++)
		idmap_prefetch(&d->keys, key[i]);
	for (size_t i = 0; i < n; i += BATCH) {
		for (size_t j = i + BATCH; j < n && j < i + 2 * BATCH; j++)
			idmap_prefetch(&d->keys, key[j]);
		if (!refer_batch(d, key + i, n - i < BATCH ? n - i : BATCH, distance + i))
			return false;
	}
	return true;
}

void distances_forget(struct distances *d, uint64_t key)
{
	const size_t number = idmap_remove(&d->keys, key);
	if (number == SIZE_MAX || d->slot[number] == 0)
		return;
	clear_slot(d, d->slot[number]);
	d->slot[number] = 0;
}

static bool drop(struct distances *d, uint64_t key)
{
	const size_t number =
	    d->keeps_dropped ? idmap_find(&d->keys, key) : idmap_remove(&d->keys, key);
	if (number == SIZE_MAX || d->slot[number] == 0)
		return true;
	const uint32_t slot = d->slot[number];
	d->slot[number] = 0;
	return push_hole(d, slot);
}

static bool use_tails(struct distances *d)
{
	d->tails.used = true;
	for (size_t i = 0; i < d->keys.count; i++)
		if (i < d->slot_capacity && d->slot[i] != 0 &&
		    !key_tails_add(&d->tails, d->keys.keys[i]))
			return false;
	return true;
}

bool distances_drop(struct distances *d, uint64_t first, uint64_t last)
{
	uint64_t key;
	if (first > last)
		return true;
	if (first == last || (!d->tails.used && last - first < d->keys.count)) {
		for (key = first; key - first <= last - first; key++)
			if (!drop(d, key))
				return false;
		return true;
	}
	if (!d->tails.used && !use_tails(d))
		return false;
	while (key_tails_take(&d->tails, first, &key))
		if (!drop(d, key))
			return false;
	return true;
}

void distances_free(struct distances *d)
{
	idmap_free(&d->keys);
	free(d->slot);
	free(d->bits);
	free(d->small);
	free(d->large);
	free(d->holes);
	key_tails_free(&d->tails);
	memset(d, 0, sizeof *d);
}

uint64_t distances_bytes(const struct distances *d)
{
	return idmap_bytes(&d->keys) + d->slot_capacity * sizeof *d->slot + d->slots / 4 +
	       d->hole_capacity * sizeof *d->holes + key_tails_bytes(&d->tails);
}
