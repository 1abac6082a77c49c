/* SPDX-License-Identifier: BSD-2-Clause */
#include "extents.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/text.h"
#include "lib/format/directive.h"

void extents_free(struct extents *x)
{
	free(x->by_file);
	free(x->by_disk);
	free(x->device);
	*x = (struct extents){.by_file = NULL};
}

size_t extents_device(struct extents *x, struct iot_text name)
{
	for (size_t i = 0; i < x->devices; i++)
		if (strlen(x->device[i]) == name.size &&
		    memcmp(x->device[i], name.data, name.size) == 0)
			return i;
	if (x->devices == EXTENT_DEVICES_MAX || name.size >= EXTENT_DEVICE_MAX ||
	    !array_reserve_index(&x->device, &x->device_capacity, x->devices, sizeof *x->device))
		return SIZE_MAX;
	memcpy(x->device[x->devices], name.data, name.size);
	return x->devices++;
}

static bool is_extent(const struct iot_event *ev)
{
	static const char name[] = "%extent ";
	const size_t n = sizeof name - 1;
	return ev->kind == IOT_DIRECTIVE && ev->text.size > n &&
	       memcmp(ev->text.data, name, n) == 0;
}

static bool has_number(const struct iot_event *ev, const char *key, uint64_t *to)
{
	return iot_directive_get(ev, key).data != NULL && directive_number(ev, key, to);
}

static bool read_extent(const struct iot_event *ev, struct extent *e)
{
	uint64_t object = 0;
	const bool numbers =
	    has_number(ev, "object", &object) && has_number(ev, "offset", &e->offset) &&
	    has_number(ev, "length", &e->length) && has_number(ev, "sector", &e->sector);
	e->object = (uint32_t)object;
	return numbers && object > 0 && object <= UINT32_MAX && e->length > 0 &&
	       e->length <= INT64_MAX && e->offset <= INT64_MAX &&
	       e->sector <= INT64_MAX / IOT_BLOCK_SIZE;
}

int extents_add(struct extents *x, const struct iot_event *ev)
{
	struct extent e = {.offset = 0};
	if (!is_extent(ev))
		return 0;
	const struct iot_text device = iot_directive_get(ev, "device");
	if (!read_extent(ev, &e) || device.data == NULL || device.size >= EXTENT_DEVICE_MAX)
		return IOT_EFORMAT;
	const size_t number = extents_device(x, device);
	if (number == SIZE_MAX || x->count == EXTENTS_MAX)
		return IOT_ELIMIT;
	e.device = (uint32_t)number;
	if (!array_reserve(&x->by_file, &x->capacity, x->count + 1, sizeof *x->by_file))
		return IOT_ENOMEM;
	x->by_file[x->count++] = e;
	return 1;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_in_file(const void *left, const void *right)
{
	const struct extent *a = left, *b = right;
	const int order = compare(a->object, b->object);
	if (order != 0)
		return order;
	return a->offset != b->offset ? compare(a->offset, b->offset)
				      : compare(a->sector, b->sector);
}

static int compare_on_disk(const void *left, const void *right)
{
	const struct extent *a = left, *b = right;
	const int order = compare(a->device, b->device);
	if (order != 0)
		return order;
	return a->sector != b->sector ? compare(a->sector, b->sector)
				      : compare(a->first_block, b->first_block);
}

/* Drops repeats: a file may be mapped several times. */
static size_t drop_repeats(struct extent *e, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || compare_in_file(&e[kept - 1], &e[i]) != 0 ||
		    e[kept - 1].length != e[i].length || e[kept - 1].device != e[i].device)
			e[kept++] = e[i];
	return kept;
}

static uint64_t sectors_of(uint64_t bytes)
{
	return bytes / IOT_BLOCK_SIZE + (bytes % IOT_BLOCK_SIZE > 0);
}

/* Sets `reach`, which ascends in a group although extents may overlap. */
static void set_reach(struct extent *e, size_t n, bool on_disk)
{
	for (size_t i = 0; i < n; i++) {
		const uint64_t end =
		    on_disk ? e[i].sector + sectors_of(e[i].length) : e[i].offset + e[i].length;
		const bool same = i > 0 && (on_disk ? e[i - 1].device == e[i].device
						    : e[i - 1].object == e[i].object);
		e[i].reach = same && e[i - 1].reach > end ? e[i - 1].reach : end;
	}
}

int extents_sort(struct extents *x)
{
	uint64_t block = 0;
	if (x->count == 0)
		return IOT_OK;
	qsort(x->by_file, x->count, sizeof *x->by_file, compare_in_file);
	x->count = drop_repeats(x->by_file, x->count);
	for (size_t i = 0; i < x->count; i++) {
		x->by_file[i].first_block = block;
		block += (x->by_file[i].length + EXTENT_BLOCK - 1) / EXTENT_BLOCK;
	}
	free(x->by_disk);
	x->by_disk = malloc((x->count + 1) * sizeof *x->by_disk);
	if (x->by_disk == NULL)
		return IOT_ENOMEM;
	memcpy(x->by_disk, x->by_file, x->count * sizeof *x->by_disk);
	qsort(x->by_disk, x->count, sizeof *x->by_disk, compare_on_disk);
	set_reach(x->by_file, x->count, false);
	set_reach(x->by_disk, x->count, true);
	return IOT_OK;
}

/* Returns the index of the first extent of the group, or a later one, that ends after `begin`. */
static size_t first_after(const struct extents *x, bool on_disk, uint32_t group, uint64_t begin)
{
	const struct extent *all = on_disk ? x->by_disk : x->by_file;
	size_t from = 0, to = x->count;
	while (from < to) {
		const size_t middle = from + (to - from) / 2;
		const struct extent *e = &all[middle];
		const uint32_t of = on_disk ? e->device : e->object;
		if (of < group || (of == group && e->reach <= begin))
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

bool extents_have(const struct extents *x, uint32_t object)
{
	const size_t i = first_after(x, false, object, 0);
	return i < x->count && x->by_file[i].object == object;
}

static uint64_t less(uint64_t from, uint64_t by)
{
	return from > by ? from - by : 0;
}

static void set_part(struct extent_part *to, const struct extent *e, uint64_t begin, uint64_t end)
{
	to->extent = e;
	to->begin = begin;
	to->end = end;
	to->first_block = e->first_block + begin / EXTENT_BLOCK;
	to->end_block = e->first_block + (end + EXTENT_BLOCK - 1) / EXTENT_BLOCK;
}

bool extents_next_of_file(const struct extents *x, uint32_t object, uint64_t offset,
			  uint64_t length, size_t *at, struct extent_part *to)
{
	const uint64_t end = length < UINT64_MAX - offset ? offset + length : UINT64_MAX;
	size_t i = *at > 0 ? *at : first_after(x, false, object, offset);
	for (; i < x->count && x->by_file[i].object == object && x->by_file[i].offset < end; i++) {
		const struct extent *e = &x->by_file[i];
		const uint64_t first = less(offset, e->offset), rest = end - e->offset;
		const uint64_t last = rest < e->length ? rest : e->length;
		if (first >= last)
			continue;
		set_part(to, e, first, last);
		*at = i + 1;
		return true;
	}
	return false;
}

bool extents_next_of_disk(const struct extents *x, uint32_t device, uint64_t sector,
			  uint64_t sectors, size_t *at, struct extent_part *to)
{
	const uint64_t end = sectors < UINT64_MAX - sector ? sector + sectors : UINT64_MAX;
	size_t i = *at > 0 ? *at : first_after(x, true, device, sector);
	for (; i < x->count && x->by_disk[i].device == device && x->by_disk[i].sector < end; i++) {
		const struct extent *e = &x->by_disk[i];
		const uint64_t first = less(sector, e->sector), rest = end - e->sector;
		const uint64_t all = sectors_of(e->length), last = rest < all ? rest : all;
		if (first >= last)
			continue;
		set_part(to, e, first * IOT_BLOCK_SIZE,
			 last == all ? e->length : last * IOT_BLOCK_SIZE);
		*at = i + 1;
		return true;
	}
	return false;
}
