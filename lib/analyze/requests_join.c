/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers of a part are given in the order of their first use, as in one pass over both. A stream
 * of the part that is the first of its fileId continues the one that is open.
 */
#include "requests_join.h"

#include <stdlib.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/base/array.h"

#include "requests_internal.h"

/* Processes */

static bool join_owners(struct requests *r, const struct requests *part, struct requests_map *map)
{
	for (size_t i = 0; i < part->processes.map.count; i++) {
		const size_t n = requests_number(r, (uint32_t)part->processes.map.keys[i]);
		if (n == SIZE_MAX)
			return false;
		map->thread[i] = (uint32_t)n;
	}
	for (size_t i = 0; i < part->processes.map.count; i++) {
		const uint32_t n = map->thread[i], owner = part->processes.owner[i];
		/* what counts for a thread itself came before its %process, if any, in the part */
		map->process[i] =
		    owner == i + 1 ? n : (uint32_t)process_ids_owner(&r->processes, n);
		if (owner == 0)
			continue;
		r->processes.owner_changes +=
		    process_ids_owner(&r->processes, n) != map->thread[owner - 1];
		r->processes.owner[n] = map->thread[owner - 1] + 1;
	}
	return true;
}

/* A thread without %process in the part may have operations only: they belong to its process. */
static bool join_processes(struct requests *r, const struct requests *part,
			   struct requests_map *map)
{
	if (!join_owners(r, part, map))
		return false;
	for (size_t i = 0; i < part->processes.active_capacity; i++) {
		if (part->processes.active[i])
			requests_mark_active(r, map->process[i]);
	}
	return !r->failed;
}

/* The clocks of the part count from the end of r. */
bool requests_join_clocks(struct requests *r, const struct requests *part,
			  const struct requests_map *map)
{
	for (size_t i = 0; i < part->clock_capacity; i++) {
		const size_t n = part->clocks[i].known ? map->thread[i] : 0;
		if (!part->clocks[i].known)
			continue;
		if (!array_reserve_index(&r->clocks, &r->clock_capacity, n, sizeof *r->clocks))
			return false;
		const uint64_t before = (uint64_t)r->clocks[n].ns;
		r->clocks[n].ns = (int64_t)(before + (uint64_t)part->clocks[i].ns);
		r->clocks[n].known = true;
	}
	return true;
}

/* Files */

static uint32_t join_file(struct requests *r, struct file_key key)
{
	if (key.omitted)
		return requests_begin_sample(r) ? r->files.other : 1;
	struct file_id *id = key.object == 0 ? requests_id(r, key.process, key.file) : NULL;
	if (key.object == 0 && id == NULL)
		return 1;
	return key.undefined ? requests_defined_file(r, id) : requests_file(r, id, key.object);
}

static bool join_files(struct requests *r, const struct requests *part, struct requests_map *map)
{
	for (uint32_t i = 0; i < part->files.count; i++)
		map->file[i] = join_file(r, part->files.keys[i]) - 1;
	return !r->failed;
}

static bool join_pairs(struct requests *r, const struct requests *part, struct requests_map *map)
{
	for (size_t i = 0; i < part->pair_map.count; i++) {
		const uint64_t key = part->pair_map.keys[i];
		const uint32_t process = map->process[(uint32_t)(key >> 32) - 1],
			       file = map->file[(uint32_t)key - 1];
		const size_t n = requests_pair(r, process, file + 1);
		if (n == SIZE_MAX)
			return false;
		map->pair[i] = (uint32_t)n;
	}
	return true;
}

/* Streams */

static bool add_link(struct requests_map *map, struct stream_link link)
{
	if (!array_reserve(&map->links, &map->link_capacity, map->link_count + 1,
			   sizeof *map->links))
		return false;
	map->links[map->link_count++] = link;
	return true;
}

/* The open stream of a fileId ends before what follows in the part. */
static bool end_open(struct requests *r, struct file_id *to, struct requests_map *map)
{
	const uint32_t stream = to->stream;
	if (stream == 0)
		return true;
	requests_end_head(r, to);
	to->stream = 0;
	requests_free_stream(r, stream - 1);
	return add_link(
	    map, (struct stream_link){.stream = stream - 1, .from = UINT32_MAX, .ends = true});
}

/* The stream that begins at a head continues the one that is open, if of the same object. */
static bool join_head(struct requests *r, struct file_id *to, const struct request_head *head,
		      uint32_t number, struct requests_map *map)
{
	const bool same = to->file != 0 && to->object == head->object, begins = to->head == 0;
	const uint32_t file = head->file != 0 ? map->file[head->file - 1] + 1 : 0;
	if ((head->closed_first || !same) && !end_open(r, to, map))
		return false;
	if (head->stream != 0 && to->stream == 0)
		to->stream = requests_new_stream(r);
	if (r->options.part && !requests_begin_head(r, to, head, file))
		return false;
	if (head->stream == 0)
		return true;
	const struct stream_link link = {.stream = to->stream - 1,
					 .from = number,
					 .head = begins ? to->head : 0,
					 .ends = head->ended};
	if (head->ended) {
		requests_end_head(r, to);
		requests_free_stream(r, to->stream - 1);
		to->stream = 0;
	}
	return add_link(map, link);
}

/* The part has no head of a fileId, beyond the limit of these: its streams continue none. */
static bool join_left_out(struct requests *r, struct file_id *to, const struct file_id *from,
			  struct requests_map *map)
{
	const bool same = to->file != 0 && to->object == from->object;
	r->streams_limited += to->stream != 0 && same && !from->closed_first;
	if (r->options.part && to->head == 0 && !to->left_out) {
		to->left_out = true;
		to->closed_first = from->closed_first;
	}
	return end_open(r, to, map);
}

/* A stream of the part that is not its head is a new one. */
static bool join_stream(struct requests *r, struct file_id *to, const struct file_id *from,
			struct requests_map *map)
{
	if (from->stream == 0)
		return true;
	to->stream = requests_new_stream(r);
	return add_link(map, (struct stream_link){.stream = to->stream - 1,
						  .from = from->stream - 1,
						  .moves = true});
}

static void join_id(struct file_id *to, const struct file_id *from, const struct requests_map *map)
{
	if (from->has_layer) {
		to->layer = from->layer;
		to->has_layer = true;
	}
	if (from->defined) {
		to->defined = true;
		to->defined_object = from->defined_object;
	}
	if (from->file == 0)
		return;
	to->object = from->object;
	to->file = map->file[from->file - 1] + 1;
	to->owner_changes = UINT32_MAX; /* its next request binds it again */
}

static bool join_ids(struct requests *r, const struct requests *part, struct requests_map *map)
{
	for (size_t i = 0; i < part->file_ids.map.count; i++) {
		const struct file_id *from = &part->ids[i];
		const uint64_t key = part->file_ids.map.keys[i];
		const struct request_head *head =
		    from->head != 0 ? &part->heads[from->head - 1] : NULL;
		struct file_id *to = requests_id(r, (uint32_t)(key >> 32), (uint32_t)key);
		if (to == NULL || (head != NULL && !join_head(r, to, head, from->head - 1, map)) ||
		    (from->left_out && !join_left_out(r, to, from, map)))
			return false;
		join_id(to, from, map);
		if ((head == NULL || head->stream != from->stream || head->ended) &&
		    !join_stream(r, to, from, map))
			return false;
	}
	return true;
}

static void join_counts(struct requests *r, const struct requests *part)
{
	for (unsigned kind = 0; kind < 4; kind++)
		for (unsigned d = 0; d < 2; d++) {
			r->other[kind][d] += part->other[kind][d];
			r->other_bytes[kind][d] =
			    saturate_add(r->other_bytes[kind][d], part->other_bytes[kind][d]);
		}
	r->left_out += part->left_out;
	r->streams_limited += part->streams_limited;
	r->files.undefined_left_out += part->files.undefined_left_out;
	r->has_mpiio |= part->has_mpiio;
	r->files.sample_bits = part->files.sample_bits > r->files.sample_bits
				   ? part->files.sample_bits
				   : r->files.sample_bits;
}

static bool map_make(struct requests_map *map, const struct requests *part)
{
	map->thread = calloc(part->processes.map.count + 1, sizeof *map->thread);
	map->process = calloc(part->processes.map.count + 1, sizeof *map->process);
	map->file = calloc((size_t)part->files.count + 1, sizeof *map->file);
	map->pair = calloc(part->pair_map.count + 1, sizeof *map->pair);
	return map->thread != NULL && map->process != NULL && map->file != NULL &&
	       map->pair != NULL;
}

bool requests_join(struct requests *r, const struct requests *part, struct requests_map *map)
{
	join_counts(r, part);
	r->files.keeps_all = true;
	const bool joined = map_make(map, part) && join_processes(r, part, map) &&
			    join_files(r, part, map) && join_pairs(r, part, map) &&
			    join_ids(r, part, map);
	r->files.keeps_all = false;
	return joined && file_sums_join(&r->file_sums, &part->file_sums) && !r->failed;
}

void requests_forget(struct requests *r)
{
	for (size_t i = 0; i < r->file_ids.map.count; i++)
		r->ids[i] = (struct file_id){.own = r->ids[i].own};
	file_ids_forget_recent(&r->file_ids);
	for (size_t i = 0; i < r->clock_capacity; i++)
		r->clocks[i] = (struct request_clock){.known = false};
	r->head_count = r->free_count = r->ended_count = r->streams = 0;
}

void requests_map_free(struct requests_map *map)
{
	free(map->thread);
	free(map->process);
	free(map->file);
	free(map->pair);
	free(map->links);
}
