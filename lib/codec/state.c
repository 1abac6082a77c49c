/* SPDX-License-Identifier: BSD-2-Clause */
/* The codec state: its block, processes and file tables. See state.h. */
#include <assert.h>

#include "avx2.h"
#include "state.h"
#include "lib/base/hash.h"

static const uint8_t rooms[CODEC_SIZE_CLASSES] = {2, 8, IOT_FILES_MAX};

enum { FIRST_HASH_BITS = 8, HASH_SPARSE = 4 }; /* minimum number of buckets per process */

static_assert(sizeof(struct iot_record) == 64, "a record is 64 bytes");
static_assert(sizeof(struct codec_file) == 32, "a file is 32 bytes");
static_assert(sizeof(struct codec_process) <= CODEC_UNIT, "a process is a cache line");

static size_t units(size_t size)
{
	return (size + CODEC_UNIT - 1) / CODEC_UNIT;
}

static size_t table_units(unsigned size_class)
{
	const size_t capacity = rooms[size_class];
	return units(codec_table_head(capacity) + capacity * sizeof(struct codec_file));
}

size_t iot_codec_size(size_t processes)
{
	size_t each = units(sizeof(struct codec_process));
	for (unsigned i = 0; i < CODEC_SIZE_CLASSES; i++)
		each += table_units(i);
	size_t hash = 1U << FIRST_HASH_BITS;
	while (hash < HASH_SPARSE * processes && hash < SIZE_MAX / 64)
		hash *= 2;
	if (processes > (SIZE_MAX / 2 - CODEC_UNIT * hash) / (each * CODEC_UNIT))
		return SIZE_MAX;
	/* Outgrown hash tables stay in the block: together they are as large as the last. */
	return units(sizeof(struct iot_codec)) * CODEC_UNIT + processes * each * CODEC_UNIT +
	       2 * hash * sizeof(struct codec_bucket);
}

/* Positions are 32-bit counts of units: the part of a block beyond 256 GiB is not used. */
static size_t usable(size_t size)
{
	const uint64_t max = (uint64_t)UINT32_MAX * CODEC_UNIT;
	return size < max ? size : (size_t)max;
}

static uint32_t allocate(struct iot_codec *c, size_t unit_count)
{
	size_t bytes = unit_count * CODEC_UNIT;
	if (bytes > c->size - c->used)
		return 0;
	uint32_t place = (uint32_t)(c->used / CODEC_UNIT);
	c->used += bytes;
	memset((char *)c + (size_t)place * CODEC_UNIT, 0, bytes);
	return place;
}

/*
 * Hashing multiplies by a random odd number, so that no input can force collisions without knowing
 * it.
 */
static uint64_t random_factor(void)
{
	return hash_seed() | 1;
}

/*
 * With 2^shift < tick <= 2^(shift + 1), n * reciprocal / 2^(64 + shift) exceeds n / tick by less
 * than 1 / tick for n < 2^63, so the integer part is exact. Ticks of one nanosecond are not
 * divided.
 */
static void set_reciprocal(struct iot_codec *c)
{
	if (c->tick_ns == 1)
		return;
	c->tick_shift = 63 - (unsigned)__builtin_clzll(c->tick_ns - 1);
	const uint128 power = (uint128)1 << (64 + c->tick_shift);
	c->tick_reciprocal = (uint64_t)((power - 1) / c->tick_ns + 1);
}

struct iot_codec *iot_codec_init(void *block, size_t size, uint64_t tick_ns, unsigned base)
{
	if (block == NULL || size < iot_codec_size(1) || (base != 10 && base != 16) ||
	    tick_ns == 0 || tick_ns > INT64_MAX)
		return NULL;
	struct iot_codec *c = block;
	memset(c, 0, sizeof *c);
	c->size = usable(size);
	c->used = units(sizeof *c) * CODEC_UNIT;
	c->tick_ns = tick_ns;
	set_reciprocal(c);
	c->tick_max = (int64_t)(INT64_MAX / tick_ns);
	c->hash_factor = random_factor();
	c->base = base;
	c->avx2 = decode_avx2_works();
	c->epoch = 1;
	c->hash_bits = FIRST_HASH_BITS;
	c->hash = allocate(c, units(sizeof(struct codec_bucket) << FIRST_HASH_BITS));
	return c;
}

struct iot_codec *iot_codec_grow(void *block, size_t size)
{
	struct iot_codec *c = block;
	if (usable(size) > c->size)
		c->size = usable(size);
	return c;
}

void iot_codec_forget(struct iot_codec *c)
{
	c->epoch++;
	c->last = 0;
}

int64_t codec_clock(struct iot_codec *c, uint32_t process)
{
	const struct codec_process *p = codec_process(c, process);
	return p != NULL ? p->cpu : 0;
}

bool codec_set_clock(struct iot_codec *c, uint32_t process, int64_t ticks)
{
	struct codec_process *p = codec_process(c, process);
	if (p == NULL)
		p = codec_add_process(c, process);
	if (p == NULL)
		return false;
	p->cpu = ticks;
	return true;
}

size_t codec_clocks(struct iot_codec *c, struct cpu_clock *clocks, size_t max)
{
	const struct codec_bucket *hash = codec_at(c, c->hash);
	size_t n = 0;
	for (size_t i = 0; i < (size_t)1 << c->hash_bits; i++) {
		const struct codec_process *p = codec_at(c, hash[i].place);
		if (hash[i].place == 0)
			continue;
		if (n < max)
			clocks[n] = (struct cpu_clock){p->id, p->cpu};
		n++;
	}
	return n;
}

unsigned codec_missing(const struct iot_codec *c)
{
	return c->lacks;
}

void codec_zero_clocks(struct iot_codec *c)
{
	const struct codec_bucket *hash = codec_at(c, c->hash);
	for (size_t i = 0; i < (size_t)1 << c->hash_bits; i++) {
		struct codec_process *p = codec_at(c, hash[i].place);
		if (hash[i].place != 0)
			p->cpu = 0;
	}
}

static void hash_put(struct iot_codec *c, struct codec_bucket bucket)
{
	struct codec_bucket *hash = codec_at(c, c->hash);
	const size_t mask = ((size_t)1 << c->hash_bits) - 1;
	size_t i = (size_t)(codec_hash(c->hash_factor, bucket.id) >> (64 - c->hash_bits));
	while (hash[i].place != 0)
		i = (i + 1) & mask;
	hash[i] = bucket;
}

static bool hash_grow(struct iot_codec *c)
{
	const size_t old_size = (size_t)1 << c->hash_bits;
	const uint32_t old = c->hash;
	uint32_t bigger = allocate(c, units(2 * old_size * sizeof(struct codec_bucket)));
	if (bigger == 0)
		return false;
	c->hash = bigger;
	c->hash_bits++;
	const struct codec_bucket *homes = codec_at(c, old);
	for (size_t i = 0; i < old_size; i++)
		if (homes[i].place != 0)
			hash_put(c, homes[i]);
	return true;
}

struct codec_process *codec_add_process(struct iot_codec *c, uint32_t id)
{
	if ((uint64_t)c->process_count * HASH_SPARSE >= (uint64_t)1 << c->hash_bits &&
	    !hash_grow(c))
		return NULL;
	uint32_t place = allocate(c, units(sizeof(struct codec_process)));
	if (place == 0)
		return NULL;
	struct codec_process *p = codec_at(c, place);
	p->id = id;
	p->epoch = c->epoch;
	p->latest.physical = CODEC_NO_SLOT;
	c->process_count++;
	hash_put(c, (struct codec_bucket){id, place});
	return p;
}

static uint32_t table_take(struct iot_codec *c, unsigned size_class)
{
	uint32_t place = c->free_table[size_class];
	if (place == 0)
		return allocate(c, table_units(size_class));
	memcpy(&c->free_table[size_class], codec_at(c, place), sizeof place);
	return place;
}

static void table_give(struct iot_codec *c, unsigned size_class, uint32_t place)
{
	memcpy(codec_at(c, place), &c->free_table[size_class], sizeof place);
	c->free_table[size_class] = place;
}

bool codec_reserve_file(struct iot_codec *c, struct codec_process *p)
{
	if (p->count < p->capacity || p->capacity == IOT_FILES_MAX)
		return true;
	const unsigned size_class = p->table == 0 ? 0 : p->size_class + 1U;
	const uint32_t table = table_take(c, size_class);
	if (table == 0)
		return false;
	const struct codec_process old = *p;
	p->table = table;
	p->capacity = rooms[size_class];
	p->size_class = (uint8_t)size_class;
	if (old.table != 0) {
		memcpy(codec_files(c, p), codec_files(c, &old),
		       old.count * sizeof(struct codec_file));
		memcpy(codec_keys(c, p), codec_keys(c, &old), old.count * sizeof(uint32_t));
		memcpy(codec_slots(c, p), codec_slots(c, &old), old.count);
		table_give(c, old.size_class, old.table);
	}
	return true;
}

unsigned codec_first_use(const struct iot_codec *c)
{
	return c->first_use;
}

void codec_set_object(struct iot_codec *c, uint32_t object, unsigned flags)
{
	if (c->last == 0)
		return;
	struct codec_process *p = codec_at(c, c->last);
	struct codec_file *f = &p->latest;
	f->object = object;
	f->flags = (uint8_t)flags;
}

void codec_update(struct iot_codec *c, uint32_t process, uint32_t file, bool physical,
		  uint32_t object, unsigned flags)
{
	struct codec_process *p = codec_process(c, process);
	int i = p == NULL ? -1 : codec_find(c, p, file, physical ? CODEC_PHYSICAL_SLOT : 0);
	if (i < 0)
		return;
	struct codec_file *f = codec_entry(c, p, i);
	f->object = object;
	f->flags = (uint8_t)flags;
}

void codec_set_missing(struct iot_codec *c, unsigned flags)
{
	c->lacks = (uint8_t)flags;
}

uint64_t codec_tick(const struct iot_codec *c)
{
	return c->tick_ns;
}

unsigned codec_base(const struct iot_codec *c)
{
	return c->base;
}

int64_t codec_start(const struct iot_codec *c)
{
	return c->start;
}

void codec_set_start(struct iot_codec *c, int64_t ticks)
{
	c->start = ticks;
}

const char *iot_codec_error(const struct iot_codec *c, unsigned *column)
{
	if (column != NULL)
		*column = c->column;
	return c->error;
}
