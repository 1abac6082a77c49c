/* SPDX-License-Identifier: BSD-2-Clause */
#include "file_sums.h"

#include <stdlib.h>

#include "lib/analyze/containers/interval.h"
#include "lib/analyze/containers/saturate.h"
#include "lib/analyze/requests.h"
#include "lib/base/ahead.h"

static struct file_sums_map *map_of(struct file_sums *l, const struct file_key *key)
{
	return key->object != 0 ? &l->objects : &l->streams;
}

static uint64_t number_key(const struct file_key *key)
{
	return key->object != 0 ? key->object : idmap_pair(key->process, key->file);
}

/* Returns NULL if out of memory. */
static struct file_sums_packed *element(struct file_sums_map *m, size_t i, unsigned layer)
{
	return array_reserve_index(&m->file[layer], &m->capacity[layer], i, sizeof *m->file[layer])
		   ? &m->file[layer][i]
		   : NULL;
}

static struct file_sums_packed *file_at(struct file_sums_map *m, uint64_t key, unsigned layer)
{
	return element(m, idmap_number(&m->map, key), layer);
}

size_t file_sums_number(struct file_sums *l, const struct file_key *key)
{
	return idmap_number(&map_of(l, key)->map, number_key(key));
}

void file_sums_ahead(const struct file_sums *l, bool object, size_t number, unsigned layer)
{
	const struct file_sums_map *m = object ? &l->objects : &l->streams;
	ahead_element(m->file[layer], m->capacity[layer], number, sizeof *m->file[layer]);
}

static struct file_sum unpacked(const struct file_sums_packed *p)
{
	struct file_sum f = {.extent = p->extent, .located = p->located};
	for (unsigned kind = 0; kind < ROW_KINDS; kind++) {
		f.sums.count[kind] = p->count[kind];
		f.sums.untimed[kind] = p->has_time[kind] ? 0 : p->count[kind];
		f.sums.ns[kind] = p->ns[kind];
	}
	f.sums.bytes[0] = p->bytes[0];
	f.sums.bytes[1] = p->bytes[1];
	f.sums.opens = p->opens;
	f.sums.closes = p->closes;
	f.sums.timed = p->timed;
	f.sums.first_ns = p->first_ns;
	f.sums.last_ns = p->last_ns;
	return f;
}

/* As row_sums_add; a sum has times as soon as one of its parts has any. */
static void add(struct file_sums_packed *to, const struct file_sum *more)
{
	const struct row_sums *s = &more->sums;
	for (unsigned kind = 0; kind < ROW_KINDS; kind++) {
		to->count[kind] += s->count[kind];
		to->ns[kind] = saturate_add(to->ns[kind], s->ns[kind]);
		to->has_time[kind] |= s->untimed[kind] < s->count[kind];
	}
	for (unsigned d = 0; d < 2; d++)
		to->bytes[d] = saturate_add(to->bytes[d], s->bytes[d]);
	to->opens += (uint32_t)s->opens;
	to->closes += (uint32_t)s->closes;
	if (more->located && more->extent > to->extent)
		to->extent = more->extent;
	to->located |= more->located;
	if (!s->timed)
		return;
	to->first_ns = to->timed && to->first_ns < s->first_ns ? to->first_ns : s->first_ns;
	to->last_ns = to->timed && to->last_ns > s->last_ns ? to->last_ns : s->last_ns;
	to->timed = true;
}

bool file_sums_add(struct file_sums *l, const struct file_key *key, unsigned layer,
		   const struct file_sum *more)
{
	struct file_sums_packed *to = file_at(map_of(l, key), number_key(key), layer);
	if (to != NULL)
		add(to, more);
	return to != NULL;
}

static struct file_sum of_record(const struct iot_record *rec, unsigned shift)
{
	const bool write = (rec->type & IOT_WRITE) != 0;
	const bool placed = (rec->flags & IOT_OFFSET_UNKNOWN) == 0,
		   started = (rec->flags & IOT_START_UNKNOWN) == 0,
		   lasted = (rec->flags & IOT_DURATION_UNKNOWN) == 0;
	const uint64_t length = rec->length << shift;
	const int64_t end = interval_end(rec->start_ns, lasted ? rec->duration_ns : 0);
	struct file_sum f = {.extent = saturate_add(rec->offset << shift, length),
			     .located = placed};
	f.sums.count[write] = 1;
	f.sums.untimed[write] = !started || !lasted;
	f.sums.ns[write] = (uint64_t)end - (uint64_t)rec->start_ns;
	f.sums.bytes[write] = length;
	f.sums.timed = started;
	f.sums.first_ns = rec->start_ns;
	f.sums.last_ns = end;
	return f;
}

bool file_sums_add_records(struct file_sums *l, size_t number, unsigned layer,
			   const struct iot_event *ev, size_t n, unsigned shift)
{
	struct file_sums_packed *to =
	    element(ev->rec.object != 0 ? &l->objects : &l->streams, number, layer);
	for (size_t i = 0; i < n && to != NULL; i++) {
		const struct file_sum one = of_record(&ev[i].rec, shift);
		add(to, &one);
	}
	return to != NULL;
}

/* An operation on a file belongs to all layers, as in rows. */
bool file_sums_add_operation(struct file_sums *l, const struct file_key *key, unsigned layers,
			     const struct op *of)
{
	const struct row_operation op = row_operation_of(of, false);
	const struct file_sum one = {.sums = row_sums_of_operation(&op)};
	bool added = true;
	for (unsigned layer = 0; layer < layers && added; layer++)
		added = file_sums_add(l, key, layer, &one);
	return added;
}

bool file_sums_uses(const struct file_sums_map *m, unsigned layer, size_t i)
{
	return i < m->map.count && i < m->capacity[layer] &&
	       m->file[layer][i].count[0] + m->file[layer][i].count[1] +
		       m->file[layer][i].count[2] >
		   0;
}

static bool join_map(struct file_sums_map *m, const struct file_sums_map *more)
{
	for (unsigned layer = 0; layer < FILE_SUMS_LAYERS; layer++)
		for (size_t i = 0; i < more->map.count; i++) {
			if (!file_sums_uses(more, layer, i))
				continue;
			struct file_sums_packed *to = file_at(m, more->map.keys[i], layer);
			if (to == NULL)
				return false;
			const struct file_sum f = unpacked(&more->file[layer][i]);
			add(to, &f);
		}
	return true;
}

bool file_sums_join(struct file_sums *l, const struct file_sums *more)
{
	return join_map(&l->objects, &more->objects) && join_map(&l->streams, &more->streams);
}

size_t file_sums_count(const struct file_sums *l)
{
	return l->objects.map.count + l->streams.map.count;
}

static bool get(const struct file_sums_map *m, unsigned layer, size_t i, struct file_sum *f)
{
	if (!file_sums_uses(m, layer, i))
		return false;
	*f = unpacked(&m->file[layer][i]);
	return true;
}

bool file_sums_at(const struct file_sums *l, unsigned layer, size_t i, struct file_key *key,
		  struct file_sum *f)
{
	const size_t objects = l->objects.map.count;
	if (i < objects) {
		*key = (struct file_key){.object = (uint32_t)l->objects.map.keys[i]};
		return get(&l->objects, layer, i, f);
	}
	const uint64_t pair = l->streams.map.keys[i - objects];
	*key = (struct file_key){.process = (uint32_t)(pair >> 32), .file = (uint32_t)pair};
	return get(&l->streams, layer, i - objects, f);
}

bool file_sums_find(const struct file_sums *l, unsigned layer, const struct file_key *key,
		    struct file_sum *f)
{
	const struct file_sums_map *m = key->object != 0 ? &l->objects : &l->streams;
	const size_t i = m->map.count > 0 ? idmap_find(&m->map, number_key(key)) : SIZE_MAX;
	return i != SIZE_MAX && get(m, layer, i, f);
}

static void shift_map(struct file_sums_map *m, uint64_t by)
{
	for (unsigned layer = 0; layer < FILE_SUMS_LAYERS; layer++)
		for (size_t i = 0; i < m->map.count && i < m->capacity[layer]; i++) {
			struct file_sums_packed *s = &m->file[layer][i];
			s->first_ns = interval_end(s->first_ns, by);
			s->last_ns = interval_end(s->last_ns, by);
		}
}

void file_sums_shift(struct file_sums *l, uint64_t by)
{
	shift_map(&l->objects, by);
	shift_map(&l->streams, by);
}

static void free_map(struct file_sums_map *m)
{
	idmap_free(&m->map);
	for (unsigned layer = 0; layer < FILE_SUMS_LAYERS; layer++)
		free(m->file[layer]);
}

void file_sums_free(struct file_sums *l)
{
	free_map(&l->objects);
	free_map(&l->streams);
}
