/* SPDX-License-Identifier: BSD-2-Clause */
#include "counters.h"

#include <stdlib.h>
#include <string.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/base/array.h"
#include "lib/base/number.h"
#include "lib/format/directive.h"

#include "requests_internal.h"

enum { COMMON_VALUES = 4 /* of a record */ };

/* A %counter */
struct counter_record {
	uint64_t sum[COUNTERS_SUMS];
	bool unmeasured[COUNTERS_SUMS];
	counters_fs fs[COUNTERS_TIMES], slowest_fs, fastest_fs;
	uint64_t small[2], max_byte, max_read, times, rank;
	bool of_one_rank;
	/* common values and how often they occur; a stride may be negative */
	uint64_t size[COMMON_VALUES], size_count[COMMON_VALUES];
	uint64_t stride[COMMON_VALUES], stride_count[COMMON_VALUES];
};

/* Names, without the prefix of the module, in the order of strcmp. */
static const struct counter_name {
	const char *name;
	unsigned sum;
} names[] = {
    {"BYTES_READ", COUNTERS_BYTES},
    {"BYTES_WRITTEN", COUNTERS_BYTES + 1},
    {"COLL_OPENS", COUNTERS_OPENS},
    {"COLL_READS", COUNTERS_COLLECTIVE},
    {"COLL_WRITES", COUNTERS_COLLECTIVE + 1},
    {"CONSEC_READS", COUNTERS_CONSECUTIVE},
    {"CONSEC_WRITES", COUNTERS_CONSECUTIVE + 1},
    {"FDSYNCS", COUNTERS_SYNCS},
    {"FILE_NOT_ALIGNED", COUNTERS_NOT_ALIGNED},
    {"FLUSHES", COUNTERS_SYNCS},
    {"FSYNCS", COUNTERS_SYNCS},
    {"INDEP_OPENS", COUNTERS_OPENS},
    {"INDEP_READS", COUNTERS_REQUESTS},
    {"INDEP_WRITES", COUNTERS_REQUESTS + 1},
    {"MMAPS", COUNTERS_MMAPS},
    {"NB_READS", COUNTERS_REQUESTS},
    {"NB_WRITES", COUNTERS_REQUESTS + 1},
    {"OPENS", COUNTERS_OPENS},
    {"READS", COUNTERS_REQUESTS},
    {"RW_SWITCHES", COUNTERS_SWITCHES},
    {"SEEKS", COUNTERS_SEEKS},
    {"SEQ_READS", COUNTERS_SEQUENTIAL},
    {"SEQ_WRITES", COUNTERS_SEQUENTIAL + 1},
    {"SPLIT_READS", COUNTERS_REQUESTS},
    {"SPLIT_WRITES", COUNTERS_REQUESTS + 1},
    {"STATS", COUNTERS_STATS},
    {"SYNCS", COUNTERS_SYNCS},
    {"WRITES", COUNTERS_REQUESTS + 1},
};

static int by_name(const void *text, const void *element)
{
	const struct iot_text *name = text;
	const char *other = ((const struct counter_name *)element)->name;
	const size_t size = strlen(other);
	const int order = memcmp(name->data, other, name->size < size ? name->size : size);
	return order != 0 ? order : (name->size > size) - (name->size < size);
}

/* Values */

static bool starts(struct iot_text *text, const char *with)
{
	const size_t size = strlen(with);
	if (text->size < size || memcmp(text->data, with, size) != 0)
		return false;
	text->data += size;
	text->size -= size;
	return true;
}

/* Returns false for a number below 0. */
static bool whole(struct iot_text text, uint64_t *v)
{
	return text.size > 0 && number_decimal(text.data, text.size, v);
}

static counters_fs scaled(uint64_t v, int power)
{
	enum { POWER_MAX = 19 };
	counters_fs factor = 1;
	if (power > POWER_MAX || power < -POWER_MAX)
		return power > 0 ? (counters_fs)UINT64_MAX * UINT32_MAX : 0;
	for (int i = power < 0 ? -power : power; i > 0; i--)
		factor *= 10;
	return power >= 0 ? v * factor : v / factor + (v % factor * 2 >= factor);
}

/* Seconds as a decimal number with an exponent, in femtoseconds; 0 if negative. */
static counters_fs seconds(struct iot_text text)
{
	enum { DIGITS = 18, EXPONENT_MAX = 400, FEMTO = 15 };
	uint64_t v = 0, exponent = 0;
	int power = FEMTO;
	unsigned digits = 0;
	bool fraction = false, negative;
	const char *at = text.data, *end = at + text.size;
	for (; at < end && (*at == '.' || number_digit(*at) < 10); at++) {
		if (*at == '.') {
			fraction = true;
			continue;
		}
		if (digits < DIGITS)
			v = v * 10 + number_digit(*at);
		power += (digits >= DIGITS) - fraction;
		digits += v > 0 && digits < DIGITS;
	}
	if (at < end && *at == 'e') {
		negative = ++at < end && *at == '-';
		at += at < end && (*at == '-' || *at == '+');
		(void)number_scan(&at, end, 10, &exponent);
		exponent = exponent > EXPONENT_MAX ? EXPONENT_MAX : exponent;
		power += negative ? -(int)exponent : (int)exponent;
	}
	return at == end && v > 0 ? scaled(v, power) : 0;
}

/* Parsing */

static void set_time(struct counter_record *c, struct iot_text name, struct iot_text value)
{
	if (text_equals(name, "READ_TIME"))
		c->fs[COUNTERS_READ] = seconds(value);
	else if (text_equals(name, "WRITE_TIME"))
		c->fs[COUNTERS_WRITE] = seconds(value);
	else if (text_equals(name, "META_TIME"))
		c->fs[COUNTERS_METADATA] = seconds(value);
	else if (text_equals(name, "SLOWEST_RANK_TIME"))
		c->slowest_fs = seconds(value);
	else if (text_equals(name, "FASTEST_RANK_TIME"))
		c->fastest_fs = seconds(value);
}

/* "1_ACCESS" and "1_COUNT". */
static void set_common(struct iot_text name, const char *kind, struct iot_text text,
		       uint64_t value[COMMON_VALUES], uint64_t count[COMMON_VALUES])
{
	const unsigned i = name.size > 2 ? (unsigned)(name.data[0] - '1') : COMMON_VALUES;
	const bool negative = text.size > 0 && text.data[0] == '-';
	uint64_t v;
	if (i >= COMMON_VALUES ||
	    !whole((struct iot_text){text.data + negative, text.size - negative}, &v))
		return;
	name.data += 2;
	name.size -= 2;
	if (text_equals(name, kind))
		value[i] = negative ? 0 - v : v;
	else if (text_equals(name, "COUNT") && !negative)
		count[i] = v;
}

static void set_class(struct counter_record *c, struct iot_text name, unsigned sum,
		      struct iot_text value)
{
	static const char *const classes[COUNTERS_CLASSES] = {
	    "0_100", "100_1K", "1K_10K",   "10K_100K", "100K_1M",
	    "1M_4M", "4M_10M", "10M_100M", "100M_1G",  "1G_PLUS"};
	uint64_t v;
	for (unsigned i = 0; i < COUNTERS_CLASSES; i++)
		if (text_equals(name, classes[i]) && whole(value, &v))
			c->sum[sum + i] = v;
}

static void set_sum(struct counter_record *c, struct iot_text name, struct iot_text value)
{
	const struct counter_name *found =
	    bsearch(&name, names, sizeof names / sizeof names[0], sizeof names[0], by_name);
	uint64_t v;
	if (found == NULL)
		return;
	if (whole(value, &v))
		c->sum[found->sum] = saturate_add(c->sum[found->sum], v);
	else
		c->unmeasured[found->sum] = true;
}

/* name: without the prefix of the module. */
static void set_counter(struct counter_record *c, struct iot_text name, struct iot_text value)
{
	uint64_t v;
	if (starts(&name, "F_"))
		set_time(c, name, value);
	else if (starts(&name, "SIZE_READ_AGG_") || starts(&name, "SIZE_READ_"))
		set_class(c, name, COUNTERS_SIZE_READ, value);
	else if (starts(&name, "SIZE_WRITE_AGG_") || starts(&name, "SIZE_WRITE_"))
		set_class(c, name, COUNTERS_SIZE_WRITE, value);
	else if (starts(&name, "ACCESS"))
		set_common(name, "ACCESS", value, c->size, c->size_count);
	else if (starts(&name, "STRIDE"))
		set_common(name, "STRIDE", value, c->stride, c->stride_count);
	else if (starts(&name, "MAX_BYTE_") && whole(value, &v)) {
		c->max_byte = v > c->max_byte ? v : c->max_byte;
		c->max_read = text_equals(name, "READ") ? v : c->max_read;
	} else
		set_sum(c, name, value);
}

static void parse(struct counter_record *c, const struct iot_event *ev, const char *prefix)
{
	struct iot_text rest = ev->text, token, key, value;
	*c = (struct counter_record){.times = 1};
	while (word_next(&rest, &token)) {
		if (!directive_split(token, &key, &value))
			continue;
		if (starts(&key, prefix))
			set_counter(c, key, value);
		else if (text_equals(key, "rank"))
			c->of_one_rank = whole(value, &c->rank);
		else if (text_equals(key, "times"))
			(void)whole(value, &c->times);
	}
}

/* Sums */

static void add_product(uint64_t *to, uint64_t v, uint64_t times)
{
	uint64_t product;
	*to = __builtin_mul_overflow(v, times, &product) ? UINT64_MAX : saturate_add(*to, product);
}

/* Times of up to 2^32 repetitions. */
static void add_time(counters_fs *to, counters_fs fs, uint64_t times)
{
	*to = saturate_add_wide(*to, fs * (times > UINT32_MAX ? UINT32_MAX : times));
}

static bool add_common(struct counters_totals *t, const struct counter_record *c)
{
	for (unsigned i = 0; i < COMMON_VALUES; i++) {
		if (c->size_count[i] > 0 &&
		    !common_add(&t->sizes, c->size[i], c->size_count[i] * c->times))
			return false;
		if (c->stride_count[i] > 0 &&
		    !common_add(&t->strides, c->stride[i], c->stride_count[i] * c->times))
			return false;
	}
	return true;
}

static bool add_rank(struct counters_totals *t, const struct counter_record *c)
{
	const size_t i = idmap_number(&t->rank_map, c->rank);
	if (!array_reserve_index(&t->ranks, &t->rank_capacity, i, sizeof *t->ranks))
		return false;
	add_product(&t->ranks[i].bytes, c->sum[COUNTERS_BYTES], c->times);
	add_product(&t->ranks[i].bytes, c->sum[COUNTERS_BYTES + 1], c->times);
	for (unsigned k = 0; k < COUNTERS_TIMES; k++)
		add_time(&t->ranks[i].fs[k], c->fs[k], c->times);
	return true;
}

static void add_shared_times(struct counters_file *f, const struct counter_record *c)
{
	add_time(&f->slowest_fs, c->slowest_fs, c->times);
	add_time(&f->fastest_fs, c->fastest_fs, c->times);
	for (unsigned k = 0; k < COUNTERS_TIMES; k++)
		add_time(&f->shared_fs, c->fs[k], c->times);
}

static bool add_file(struct counters_totals *t, const struct counter_record *c, uint32_t file)
{
	if (!array_reserve_index(&t->files, &t->file_capacity, file, sizeof *t->files))
		return false;
	struct counters_file *f = &t->files[file];
	for (unsigned d = 0; d < 2; d++) {
		add_product(&f->bytes[d], c->sum[COUNTERS_BYTES + d], c->times);
		add_product(&f->requests[d], c->sum[COUNTERS_REQUESTS + d], c->times);
		add_product(&f->small[d], c->small[d], c->times);
	}
	f->records += c->times;
	f->max_byte = c->max_byte > f->max_byte ? c->max_byte : f->max_byte;
	f->max_read = c->max_read > f->max_read ? c->max_read : f->max_read;
	f->ranks += c->of_one_rank ? c->times : 0;
	f->shared |= !c->of_one_rank;
	if (!c->of_one_rank)
		add_shared_times(f, c);
	return true;
}

static bool add(struct counters_totals *t, const struct counter_record *c, uint32_t file)
{
	t->records += c->times;
	for (unsigned i = 0; i < COUNTERS_SUMS; i++) {
		add_product(&t->sum[i], c->sum[i], c->times);
		t->unmeasured[i] |= c->unmeasured[i];
	}
	for (unsigned k = 0; k < COUNTERS_TIMES; k++)
		add_time(&t->fs[k], c->fs[k], c->times);
	if (!c->of_one_rank)
		add_time(&t->shared_fs, c->slowest_fs, c->times);
	else if (!add_rank(t, c))
		return false;
	return add_common(t, c) && add_file(t, c, file);
}

struct counters_totals *counters_of(struct counters *c, unsigned module)
{
	if (c->of[module] == NULL)
		c->of[module] = calloc(1, sizeof *c->of[module]);
	return c->of[module];
}

/* Returns the number + 1 of the file of an object, or of a fileId. */
static uint32_t file_of(struct requests *r, const struct iot_event *ev)
{
	uint64_t object = 0;
	const struct iot_text text = iot_directive_get(ev, "object");
	if (text.data != NULL && whole(text, &object) && object > 0 && object <= UINT32_MAX)
		return requests_file(r, NULL, (uint32_t)object);
	struct file_id *id = requests_id(r, ev->rec.process, ev->rec.file);
	return id != NULL ? requests_file(r, id, 0) : 0;
}

/* Requests of the classes up to a size, which is exact for the limits of classes. */
static void add_small(struct counter_record *c, uint64_t size)
{
	static const uint64_t limits[COUNTERS_CLASSES] = {
	    100,     1 << 10,  10 << 10,  100 << 10,  1 << 20,
	    4 << 20, 10 << 20, 100 << 20, 1ull << 30, UINT64_MAX};
	for (unsigned i = 0; i < COUNTERS_CLASSES && limits[i] <= size; i++) {
		c->small[0] = saturate_add(c->small[0], c->sum[COUNTERS_SIZE_READ + i]);
		c->small[1] = saturate_add(c->small[1], c->sum[COUNTERS_SIZE_WRITE + i]);
	}
}

/* Collective calls are requests, too. */
static void add_collective(struct counter_record *c)
{
	for (unsigned d = 0; d < 2; d++) {
		c->sum[COUNTERS_REQUESTS + d] =
		    saturate_add(c->sum[COUNTERS_REQUESTS + d], c->sum[COUNTERS_COLLECTIVE + d]);
		c->unmeasured[COUNTERS_REQUESTS + d] |= c->unmeasured[COUNTERS_COLLECTIVE + d];
	}
}

bool counters_add(struct counters *c, struct requests *r, const struct iot_event *ev)
{
	static const char *const sources[COUNTERS_MODULES] = {"POSIX", "MPI-IO", "STDIO"},
				 *const prefixes[COUNTERS_MODULES] = {"POSIX_", "MPIIO_", "STDIO_"};
	const struct iot_text source = iot_directive_get(ev, "source");
	struct counter_record record;
	for (unsigned i = 0; i < COUNTERS_MODULES && source.data != NULL; i++) {
		if (!text_equals(source, sources[i]))
			continue;
		struct counters_totals *t = counters_of(c, i);
		const uint32_t file = t != NULL ? file_of(r, ev) : 0;
		if (t == NULL || r->failed || file == 0)
			return false;
		parse(&record, ev, prefixes[i]);
		add_small(&record, r->options.small);
		if (i == COUNTERS_MPIIO)
			add_collective(&record);
		return add(t, &record, file - 1);
	}
	return true;
}

/* Joins */

static bool join_files(struct counters_totals *t, const struct counters_totals *more,
		       const uint32_t *file)
{
	for (size_t i = 0; i < more->file_capacity; i++) {
		const struct counters_file *from = &more->files[i];
		if (from->records == 0)
			continue;
		if (!array_reserve_index(&t->files, &t->file_capacity, file[i], sizeof *t->files))
			return false;
		struct counters_file *to = &t->files[file[i]];
		for (unsigned d = 0; d < 2; d++) {
			to->bytes[d] = saturate_add(to->bytes[d], from->bytes[d]);
			to->requests[d] = saturate_add(to->requests[d], from->requests[d]);
			to->small[d] = saturate_add(to->small[d], from->small[d]);
		}
		to->records += from->records;
		to->max_byte = from->max_byte > to->max_byte ? from->max_byte : to->max_byte;
		to->max_read = from->max_read > to->max_read ? from->max_read : to->max_read;
		to->ranks += from->ranks;
		to->shared |= from->shared;
		to->slowest_fs = saturate_add_wide(to->slowest_fs, from->slowest_fs);
		to->fastest_fs = saturate_add_wide(to->fastest_fs, from->fastest_fs);
		to->shared_fs = saturate_add_wide(to->shared_fs, from->shared_fs);
	}
	return true;
}

static bool join_ranks(struct counters_totals *t, const struct counters_totals *more)
{
	for (size_t i = 0; i < more->rank_map.count; i++) {
		const size_t to = idmap_number(&t->rank_map, more->rank_map.keys[i]);
		if (!array_reserve_index(&t->ranks, &t->rank_capacity, to, sizeof *t->ranks))
			return false;
		t->ranks[to].bytes = saturate_add(t->ranks[to].bytes, more->ranks[i].bytes);
		for (unsigned k = 0; k < COUNTERS_TIMES; k++)
			t->ranks[to].fs[k] =
			    saturate_add_wide(t->ranks[to].fs[k], more->ranks[i].fs[k]);
	}
	return true;
}

static bool join_module(struct counters_totals *t, const struct counters_totals *more,
			const uint32_t *file)
{
	t->records += more->records;
	for (unsigned i = 0; i < COUNTERS_SUMS; i++) {
		t->sum[i] = saturate_add(t->sum[i], more->sum[i]);
		t->unmeasured[i] |= more->unmeasured[i];
	}
	for (unsigned k = 0; k < COUNTERS_TIMES; k++)
		t->fs[k] = saturate_add_wide(t->fs[k], more->fs[k]);
	t->shared_fs = saturate_add_wide(t->shared_fs, more->shared_fs);
	return common_join(&t->sizes, &more->sizes) && common_join(&t->strides, &more->strides) &&
	       join_files(t, more, file) && join_ranks(t, more);
}

bool counters_join(struct counters *c, const struct counters *more, const uint32_t *file)
{
	for (unsigned i = 0; i < COUNTERS_MODULES; i++)
		if (more->of[i] != NULL &&
		    (counters_of(c, i) == NULL || !join_module(c->of[i], more->of[i], file)))
			return false;
	return true;
}

void counters_free(struct counters *c)
{
	for (unsigned i = 0; i < COUNTERS_MODULES; i++) {
		struct counters_totals *t = c->of[i];
		if (t == NULL)
			continue;
		common_free(&t->sizes);
		common_free(&t->strides);
		idmap_free(&t->rank_map);
		free(t->files);
		free(t->ranks);
		free(t);
	}
}
