/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves and loads rows and their names; see state.h. */
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/tables/row_names.h"

#include "rows.h"
#include "state.h"

/*
 * The time between the first and the last that is not in a call, negative where calls overlap: 0
 * for a row of one call, which compresses well.
 */
static void last_column(struct state *s, struct row_sums *r)
{
	uint64_t calls = (uint64_t)r->first_ns;
	for (unsigned kind = 0; kind < ROW_KINDS; kind++)
		calls += r->ns[kind];
	int64_t idle = (int64_t)((uint64_t)r->last_ns - calls);
	state_signed(s, "idle", &idle);
	r->last_ns = (int64_t)((uint64_t)idle + calls);
	state_check(s, r->last_ns >= r->first_ns || !r->timed, "a time after the first one");
}

static void sums_columns(struct state *s, struct row_sums *r)
{
	static const char
	    *const n[ROW_KINDS] = {"n", "n_w", "n_op"},
		   *const untimed[ROW_KINDS] = {"untimed_r", "untimed_w", "untimed_op"},
		   *const ns[ROW_KINDS] = {"ns", "ns_w", "ns_op"}, *const bytes[2] = {"s", "s_w"};
	state_shares(s, n, r->count, NULL, ROW_KINDS);
	for (unsigned kind = 0; kind < ROW_KINDS; kind++)
		state_number(s, untimed[kind], &r->untimed[kind]);
	state_shares(s, ns, r->ns, r->count, ROW_KINDS);
	if (!r->timed)
		r->first_ns = r->last_ns = 0;
	state_shares(s, bytes, r->bytes, r->count, 2);
	state_number(s, "opens", &r->opens);
	state_number(s, "closes", &r->closes);
	state_flag(s, "timed", &r->timed);
	state_time(s, "first", &r->first_ns);
	last_column(s, r);
}

void rows_state(struct state *s, void *of, const struct requests *requests)
{
	(void)requests;
	struct rows *r = of;
	size_t i;
	while (state_each(s, "row.process", s->processes.count, &i)) {
		struct row_sums *p = state_at(s, &r->processes, &r->process_capacity,
					      s->processes.own[i], sizeof *r->processes);
		if (p == NULL)
			return;
		sums_columns(s, p);
	}
	while (state_each(s, "row.pair", s->pairs.count, &i)) {
		struct row_pair *p =
		    state_at(s, &r->pairs, &r->pair_capacity, s->pairs.own[i], sizeof *r->pairs);
		if (p == NULL)
			return;
		sums_columns(s, &p->sums);
		if (!p->located)
			p->low = p->high = 0;
		state_number(s, "small_r", &p->small[0]);
		state_number(s, "small_w", &p->small[1]);
		state_flag(s, "located", &p->located);
		state_number(s, "low", &p->low);
		state_differing(s, "high", &p->high,
				p->located ? p->low + p->sums.bytes[0] + p->sums.bytes[1] : 0);
		state_number(s, "existed", &p->existed);
		state_flag(s, "synchronous", &p->synchronous);
		state_number(s, "unaligned", &p->unaligned);
		state_number(s, "open_ns", &p->open_ns);
		state_number(s, "sync_ns", &p->sync_ns);
		state_small(s, "syncs", &p->syncs, UINT32_MAX);
		state_number(s, "wait_ns", &p->wait_ns);
		state_flag(s, "cut", &p->cut);
		state_flag(s, "rewritten", &p->rewritten);
		state_number(s, "written_at_cut", &p->written_at_cut);
	}
	busy_state(s, &r->busy);
}

/* The sums of files outside of the sample, in the order of their keys */

static int by_sum_key(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return a < b ? -1 : a > b;
}

/* The files of a layer, sorted. Returns NULL if out of memory. */
static uint64_t *file_sums_keys(const struct file_sums_map *m, unsigned layer, size_t *count)
{
	uint64_t *keys = calloc(m->map.count + 1, sizeof *keys);
	*count = 0;
	for (size_t i = 0; i < m->map.count && keys != NULL; i++)
		if (file_sums_uses(m, layer, i))
			keys[(*count)++] = m->map.keys[i];
	if (keys != NULL && *count > 0)
		qsort(keys, *count, sizeof *keys, by_sum_key);
	return keys;
}

static void file_sum_columns(struct state *s, struct file_sum *f)
{
	sums_columns(s, &f->sums);
	if (!f->located)
		f->extent = 0;
	state_flag(s, "located", &f->located);
	state_differing(s, "extent", &f->extent,
			f->located ? f->sums.bytes[0] + f->sums.bytes[1] : 0);
}

static void file_sums_map_state(struct state *s, const char *kind, struct file_sums *l,
				bool objects, unsigned layer)
{
	size_t count;
	uint64_t *keys = file_sums_keys(objects ? &l->objects : &l->streams, layer, &count);
	if (keys == NULL)
		state_no_memory(s);
	for (size_t i = 0; keys != NULL && state_list(s, kind, i < count); i++) {
		uint64_t key = i < count ? keys[i] : 0;
		struct file_sum f = {.extent = 0};
		state_limited(s, "key", &key, objects ? UINT32_MAX : UINT64_MAX);
		const struct file_key of = {.object = objects ? (uint32_t)key : 0,
					    .process = objects ? 0 : (uint32_t)(key >> 32),
					    .file = objects ? 0 : (uint32_t)key};
		if (state_saves(s))
			(void)file_sums_find(l, layer, &of, &f);
		file_sum_columns(s, &f);
		state_check(s, !objects || key > 0, "an object");
		if (!state_saves(s) && !state_failed(s) && !file_sums_add(l, &of, layer, &f))
			state_no_memory(s);
	}
	free(keys);
}

void file_sums_state(struct state *s, struct file_sums *l)
{
	static const char *const kinds[FILE_SUMS_LAYERS][2] = {
	    {"file_sums.stream", "file_sums.object"},
	    {"file_sums.mpiio.stream", "file_sums.mpiio.object"}};
	for (unsigned layer = 0; layer < FILE_SUMS_LAYERS; layer++)
		for (unsigned objects = 0; objects < 2; objects++)
			file_sums_map_state(s, kinds[layer][objects], l, objects != 0, layer);
}

/* Names, in the order of their keys */

struct name_entry {
	uint64_t key;
	size_t number;
};

static int by_key(const void *left, const void *right)
{
	const struct name_entry *a = left, *b = right;
	return a->key < b->key ? -1 : a->key > b->key;
}

/*
 * The keys that have a name: one beyond the limits has none. Objects are in the order in which they
 * got their names, on which renames depend. NULL if out of memory.
 */
static struct name_entry *sorted_keys(const struct row_names *n, enum name_kind kind, size_t *count)
{
	const struct idmap *map = &n->of[kind].map;
	struct name_entry *list = calloc(map->count + 1, sizeof *list);
	*count = 0;
	for (size_t i = 0; i < map->count && list != NULL; i++)
		if (row_names_at(n, kind, i).size > 0)
			list[(*count)++] = (struct name_entry){map->keys[i], i};
	if (list != NULL && kind != NAME_OBJECT)
		qsort(list, *count, sizeof *list, by_key);
	return list;
}

static void names_of_kind(struct state *s, struct row_names *n, enum name_kind kind)
{
	static const char *const kinds[NAME_KINDS] = {"name.object", "name.file",  "name.host",
						      "name.rank",   "name.trace", "name.program"};
	size_t count;
	struct name_entry *list = sorted_keys(n, kind, &count);
	if (list == NULL)
		state_no_memory(s);
	for (size_t i = 0; list != NULL && state_list(s, kinds[kind], i < count); i++) {
		struct name_entry one = i < count ? list[i] : (struct name_entry){0, 0};
		struct iot_text text =
		    i < count ? row_names_at(n, kind, one.number) : (struct iot_text){NULL, 0};
		state_limited(s, "key", &one.key, kind == NAME_FILE ? UINT64_MAX : UINT32_MAX);
		state_text(s, "text", &text);
		if (!state_saves(s) && !state_failed(s) && !row_names_set(n, kind, one.key, text))
			state_no_memory(s);
	}
	free(list);
}

static void renames_state(struct state *s, struct row_names *n)
{
	const size_t count = n->renames.count;
	for (size_t i = 0; state_list(s, "rename", i < count); i++) {
		struct rename one = {.named = 0};
		if (i < count)
			one = n->renames.list[i];
		uint64_t named = one.named;
		state_limited(s, "named", &named, n->of[NAME_OBJECT].map.count);
		state_flag(s, "exchange", &one.exchange);
		state_text(s, "from", &one.from);
		char from[STATE_TEXT_MAX]; /* the next text replaces it */
		if (!state_saves(s)) {
			memcpy(from, one.from.data, one.from.size);
			one.from.data = from;
		}
		state_text(s, "to", &one.to);
		one.named = (size_t)named;
		if (!state_saves(s) && !state_failed(s) &&
		    !renames_add(&n->renames, one, &n->omitted))
			state_no_memory(s);
	}
}

void row_names_state(struct state *s, struct row_names *n)
{
	size_t i;
	while (state_each(s, "names", 1, &i))
		state_number(s, "omitted", &n->omitted);
	for (unsigned kind = 0; kind < NAME_KINDS; kind++)
		names_of_kind(s, n, kind);
	renames_state(s, n);
}
