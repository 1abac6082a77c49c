/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes, files, pairs, streams and heads of a state, each in the order of its key. Members that
 * the next request of a fileId overwrites are not saved.
 */
#include "requests.h"
#include "state.h"

#include <stdlib.h>

#include "requests_internal.h"

struct keyed {
	uint64_t key;
	uint32_t number;
};

struct keyed_list {
	struct keyed *at;
	size_t count;
};

static int by_key(const void *left, const void *right)
{
	const struct keyed *a = left, *b = right;
	return a->key < b->key ? -1 : a->key > b->key;
}

/* Saving: a list of up to `max` keys; loading: an empty one. */
static struct keyed_list new_list(struct state *s, size_t max)
{
	struct keyed_list list = {.at = calloc(max + 1, sizeof *list.at)};
	if (list.at == NULL)
		state_no_memory(s);
	return list;
}

static void add_key(struct keyed_list *list, uint64_t key, size_t number)
{
	if (list->at != NULL)
		list->at[list->count++] = (struct keyed){key, (uint32_t)number};
}

/* Sorts the keys, and gives each the next row. */
static void give_rows(struct state *s, struct keyed_list *list, struct state_numbers *of)
{
	if (list->at == NULL)
		return;
	qsort(list->at, list->count, sizeof *list->at, by_key);
	for (size_t i = 0; i < list->count; i++)
		state_add_number(s, of, list->at[i].number);
}

/* Loading: each key is above the one of the row before. */
static void check_order(struct state *s, uint64_t key, uint64_t *last, bool first)
{
	state_check(s, first || key > *last, "rows in the order of their keys");
	*last = key;
}

/* Counts */

static void counts_state(struct state *s, struct requests *r)
{
	size_t i;
	while (state_each(s, "requests", 1, &i)) {
		state_number(s, "left_out", &r->left_out);
		state_number(s, "streams_limited", &r->streams_limited);
		state_small(s, "sample_bits", &r->files.sample_bits, 63);
		state_flag(s, "has_mpiio", &r->has_mpiio);
	}
	while (state_each(s, "requests.other", 8, &i)) {
		state_number(s, "n", &r->other[i / 2][i % 2]);
		state_number(s, "bytes", &r->other_bytes[i / 2][i % 2]);
	}
}

/* Processes and threads */

static int64_t clock_of(const struct requests *r, size_t i)
{
	return i < r->clock_capacity && r->clocks[i].known ? r->clocks[i].ns : 0;
}

/* The processes that have done or declared anything. */
static void list_processes(struct state *s, const struct requests *r, struct keyed_list *list)
{
	bool *used = calloc(r->processes.map.count + 1, sizeof *used);
	if (used == NULL)
		state_no_memory(s);
	for (size_t i = 0; i < r->processes.map.count && used != NULL; i++) {
		used[i] |= r->processes.owner[i] != 0 ||
			   (i < r->processes.active_capacity && r->processes.active[i]) ||
			   clock_of(r, i) != 0;
		if (r->processes.owner[i] != 0)
			used[r->processes.owner[i] - 1] = true;
	}
	for (size_t i = 0; i < r->pair_map.count && used != NULL; i++)
		used[(uint32_t)(r->pair_map.keys[i] >> 32) - 1] = true;
	for (size_t i = 0; i < r->processes.map.count && used != NULL; i++)
		if (used[i])
			add_key(list, r->processes.map.keys[i], i);
	give_rows(s, list, &s->processes);
	free(used);
}

static void load_process(struct state *s, struct requests *r, uint32_t id, bool active, int64_t ns)
{
	const size_t i = requests_number(r, id);
	if (i == SIZE_MAX) {
		state_no_memory(s);
		return;
	}
	state_add_number(s, &s->processes, (uint32_t)i);
	if (active)
		requests_mark_active(r, i);
	struct request_clock *clock =
	    ns != 0 ? state_at(s, &r->clocks, &r->clock_capacity, i, sizeof *r->clocks) : NULL;
	if (clock != NULL)
		*clock = (struct request_clock){ns, true};
}

/* The owner is a row + 1. */
static void process_row(struct state *s, struct requests *r, uint32_t *id, uint32_t *owner)
{
	const size_t i = state_saves(s) ? idmap_find(&r->processes.map, *id) : 0;
	bool active = state_saves(s) && i < r->processes.active_capacity && r->processes.active[i];
	int64_t ns = state_saves(s) ? clock_of(r, i) : 0;
	if (state_saves(s) && r->processes.owner[i] != 0)
		*owner = s->processes.index[r->processes.owner[i] - 1];
	state_small(s, "id", id, UINT32_MAX);
	state_small(s, "owner", owner, UINT32_MAX);
	state_flag(s, "active", &active);
	state_signed(s, "cpu", &ns);
	if (!state_saves(s) && !state_failed(s))
		load_process(s, r, *id, active, ns);
}

static void processes_state(struct state *s, struct requests *r)
{
	struct keyed_list list = new_list(s, r->processes.map.count);
	uint64_t last = 0;
	if (state_saves(s))
		list_processes(s, r, &list);
	for (size_t i = 0; state_list(s, "process", i < list.count); i++) {
		uint32_t id = i < list.count ? (uint32_t)list.at[i].key : 0, owner = 0;
		process_row(s, r, &id, &owner);
		check_order(s, id, &last, i == 0);
		if (!state_saves(s) && !state_failed(s))
			r->processes.owner[i] = owner;
	}
	for (size_t i = 0; i < s->processes.count; i++)
		state_check(s, state_saves(s) || r->processes.owner[i] <= s->processes.count,
			    "owners that are processes");
	free(list.at);
}

/* Files: first files of objects, then files of fileIds */

static void list_objects(struct state *s, const struct requests *r, struct keyed_list *list)
{
	for (size_t i = 0; i < r->files.object_map.count; i++)
		if (i < r->files.object_capacity && r->files.object_file[i] != 0)
			add_key(list, r->files.object_map.keys[i], r->files.object_file[i] - 1);
	give_rows(s, list, &s->files);
}

static void list_own_files(struct state *s, const struct requests *r, bool undefined,
			   struct keyed_list *list)
{
	for (size_t i = 0; i < r->file_ids.map.count; i++) {
		const struct file_id *id = &r->ids[i];
		const uint32_t file = undefined ? id->own.undefined : id->own.file;
		if (file != 0 && file != r->files.other)
			add_key(list, r->file_ids.map.keys[i], file - 1);
	}
	give_rows(s, list, &s->files);
}

static void add_file(struct state *s, const struct requests *r, uint32_t file)
{
	if (file == 0 || r->failed)
		state_no_memory(s);
	else
		state_add_number(s, &s->files, file - 1);
}

static void files_state(struct state *s, struct requests *r)
{
	struct keyed_list list = new_list(s, r->files.object_map.count);
	uint64_t last = 0;
	if (state_saves(s))
		list_objects(s, r, &list);
	for (size_t i = 0; state_list(s, "file", i < list.count); i++) {
		uint32_t object = i < list.count ? (uint32_t)list.at[i].key : 0;
		state_small(s, "o", &object, UINT32_MAX);
		check_order(s, object, &last, false);
		if (!state_saves(s) && !state_failed(s))
			add_file(s, r, requests_file(r, NULL, object));
	}
	free(list.at);
}

/* The two numbers of a fileId. */
static void key_state(struct state *s, uint64_t *key)
{
	uint32_t process = (uint32_t)(*key >> 32), file = (uint32_t)*key;
	state_small(s, "p", &process, UINT32_MAX);
	state_small(s, "f", &file, UINT32_MAX);
	*key = idmap_pair(process, file);
}

static void load_own_file(struct state *s, struct requests *r, uint64_t key, bool undefined)
{
	struct file_id *id = requests_id(r, (uint32_t)(key >> 32), (uint32_t)key);
	if (id == NULL)
		state_no_memory(s);
	else
		add_file(s, r,
			 undefined ? requests_undefined_file(r, id) : requests_file(r, id, 0));
}

/* undefined: the files of operations in a part, which an earlier part declares. */
static void own_files_state(struct state *s, struct requests *r, const char *kind, bool undefined)
{
	struct keyed_list list = new_list(s, r->file_ids.map.count);
	uint64_t last = 0;
	if (state_saves(s))
		list_own_files(s, r, undefined, &list);
	for (size_t i = 0; state_list(s, kind, i < list.count); i++) {
		uint64_t key = i < list.count ? list.at[i].key : 0;
		key_state(s, &key);
		check_order(s, key, &last, i == 0);
		if (!state_saves(s) && !state_failed(s))
			load_own_file(s, r, key, undefined);
	}
	free(list.at);
}

/* All files outside of the sample have one number, without statistics. */
static void other_file_state(struct state *s, struct requests *r)
{
	const bool any = r->files.other != 0;
	size_t rows = 0;
	for (; state_list(s, "file.other", rows == 0 && any); rows++) {
		state_number(s, "operations", &r->files.undefined_left_out);
		state_check(s, rows == 0, "one row");
		if (!state_saves(s) && !requests_begin_sample(r))
			state_no_memory(s);
		if (!state_failed(s))
			state_add_number(s, &s->files, r->files.other - 1);
	}
}

/* Pairs of a process and a file */

static void list_pairs(struct state *s, const struct requests *r, struct keyed_list *list)
{
	for (size_t i = 0; i < r->pair_map.count; i++) {
		const uint64_t key = r->pair_map.keys[i];
		add_key(list,
			idmap_pair(s->processes.index[(uint32_t)(key >> 32) - 1],
				   s->files.index[(uint32_t)key - 1]),
			i);
	}
	give_rows(s, list, &s->pairs);
}

static void load_pair(struct state *s, struct requests *r, uint32_t process, uint32_t file)
{
	const size_t i = requests_pair(r, process, file + 1);
	if (i == SIZE_MAX)
		state_no_memory(s);
	else
		state_add_number(s, &s->pairs, (uint32_t)i);
}

static void pairs_state(struct state *s, struct requests *r)
{
	struct keyed_list list = new_list(s, r->pair_map.count);
	uint64_t last = 0;
	if (state_saves(s) && !state_failed(s))
		list_pairs(s, r, &list);
	for (size_t i = 0; state_list(s, "pair", i < list.count); i++) {
		const uint64_t key = i < list.count ? r->pair_map.keys[list.at[i].number] : 0;
		uint32_t process = (uint32_t)(key >> 32) - 1, file = (uint32_t)key - 1;
		state_reference(s, "p", &s->processes, &process);
		state_reference(s, "f", &s->files, &file);
		check_order(s, idmap_pair(process, file), &last, i == 0);
		if (!state_saves(s) && !state_failed(s))
			load_pair(s, r, process, file);
	}
	free(list.at);
}

/* FileIds that are open, or whose layer is known; in a part also those that it begins with */

/* The definition matters only to operations; without one the object is unknown. */
static bool has_definition(const struct requests *r, const struct file_id *id)
{
	return (r->options.sections & REQUESTS_ROWS) != 0 && id->defined &&
	       (id->defined_object != 0 || r->options.part);
}

static bool is_saved(const struct requests *r, const struct file_id *id)
{
	return id->stream != 0 || id->layer != 0 || has_definition(r, id) ||
	       (r->options.part && (id->head != 0 || id->left_out || id->has_layer));
}

static int by_id(const void *left, const void *right, void *keys)
{
	const uint64_t *key = keys, a = key[*(const uint32_t *)left],
		       b = key[*(const uint32_t *)right];
	return a < b ? -1 : a > b;
}

/* Their numbers, without keys, which would take much memory. NULL if out of memory. */
static uint32_t *list_ids(struct state *s, const struct requests *r, size_t *count)
{
	uint32_t *list = calloc(r->file_ids.map.count + 1, sizeof *list);
	*count = 0;
	if (list == NULL) {
		state_no_memory(s);
		return NULL;
	}
	for (size_t i = 0; i < r->file_ids.map.count && state_saves(s); i++)
		if (is_saved(r, &r->ids[i]))
			list[(*count)++] = (uint32_t)i;
	if (*count > 0)
		qsort_r(list, *count, sizeof *list, by_id, r->file_ids.map.keys);
	return list;
}

/* A file of the saved numbers, or none. */
static void file_state(struct state *s, const char *key, uint32_t *file)
{
	uint32_t row = state_saves(s) && *file != 0 ? s->files.index[*file - 1] : 0;
	state_small(s, key, &row, (uint32_t)s->files.count);
	if (!state_saves(s))
		*file = row != 0 ? s->files.own[row - 1] + 1 : 0;
}

/* Files of objects have the numbers of these, as both were loaded in one order. */
static uint32_t object_of(const struct requests *r, uint32_t file)
{
	return file != 0 && file <= r->files.object_map.count
		   ? (uint32_t)r->files.object_map.keys[file - 1]
		   : 0;
}

/* A stream that has ended has no number, but there was one. */
static void head_state(struct state *s, struct requests *r, struct file_id *id, bool *any)
{
	struct request_head none = {0}, *head = id->head != 0 ? &r->heads[id->head - 1] : &none;
	bool streams = head->stream != 0;
	*any = id->head != 0;
	state_flag(s, "head", any);
	state_flag(s, "closed", &head->closed_first);
	state_flag(s, "ended", &head->ended);
	state_flag(s, "begins", &streams);
	file_state(s, "first", &head->file);
	if (state_saves(s) || state_failed(s) || !*any)
		return;
	state_check(s, head->file != 0 || !streams, "a stream with a file");
	state_check(s, !streams || head->ended || id->stream != 0, "a stream that is open");
	head->object = object_of(r, head->file);
	head->stream = !streams ? 0 : head->ended ? UINT32_MAX : id->stream;
	requests_add_head(r, id, head);
}

static void load_id(struct state *s, struct requests *r, struct file_id *id, bool open)
{
	state_check(s, !open || id->file != 0, "a stream with a file");
	id->object = object_of(r, id->file);
	id->owner_changes = UINT32_MAX; /* its next request binds it again */
	if (open)
		id->stream = requests_new_stream(r);
}

static void id_row(struct state *s, struct requests *r, struct file_id *id)
{
	bool open = id->stream != 0, mpiio = id->layer != 0, head;
	uint32_t file = open ? id->file : 0;
	bool has_layer = id->has_layer && r->options.part != 0, defined = has_definition(r, id);
	uint32_t object = defined ? id->defined_object : 0;
	state_flag(s, "mpiio", &mpiio);
	state_flag(s, "layer", &has_layer);
	state_flag(s, "defined", &defined);
	state_small(s, "object", &object, UINT32_MAX);
	state_flag(s, "open", &open);
	file_state(s, "of", &file);
	if (!state_saves(s)) {
		id->layer = mpiio;
		id->has_layer = has_layer;
		id->defined = defined;
		id->defined_object = object;
		id->file = file;
		load_id(s, r, id, open);
	}
	head_state(s, r, id, &head);
	state_add_number(s, &s->ids, (uint32_t)(id - r->ids));
	if (open)
		state_add_number(s, &s->streams, id->stream - 1);
	if (head && id->head != 0)
		state_add_number(s, &s->heads, id->head - 1);
	if (r->failed)
		state_no_memory(s);
}

static void ids_state(struct state *s, struct requests *r)
{
	size_t count;
	uint32_t *list = list_ids(s, r, &count);
	uint64_t last = 0;
	for (size_t i = 0; state_list(s, "fileid", i < count); i++) {
		uint64_t key = i < count ? r->file_ids.map.keys[list[i]] : 0;
		key_state(s, &key);
		check_order(s, key, &last, i == 0);
		struct file_id *id =
		    state_failed(s) ? NULL : requests_id(r, (uint32_t)(key >> 32), (uint32_t)key);
		if (id != NULL)
			id_row(s, r, id);
		else
			state_no_memory(s);
	}
	free(list);
}

/* An object that no file of the sample has; `file`: number + 1. */
static void other_object(struct state *s, const struct requests *r, const char *key, uint32_t file,
			 uint32_t *object)
{
	const bool other = file != 0 && file == r->files.other;
	uint32_t v = other ? *object : 0;
	state_small(s, key, &v, UINT32_MAX);
	state_check(s, other || v == 0, "an object of a file outside of the sample");
	if (!state_saves(s) && other)
		*object = v;
}

/* The limits of a fileId: objects outside of the sample, and heads that were left out. */
static void limited_ids_state(struct state *s, struct requests *r)
{
	size_t i;
	while (state_each(s, "fileid.limit", s->ids.count, &i)) {
		struct file_id *id = &r->ids[s->ids.own[i]];
		struct request_head none = {0};
		struct request_head *head = id->head != 0 ? &r->heads[id->head - 1] : &none;
		bool left_out = id->left_out && r->options.part, closed = id->closed_first;
		other_object(s, r, "object", id->stream != 0 ? id->file : 0, &id->object);
		other_object(s, r, "first", head->file, &head->object);
		state_flag(s, "left_out", &left_out);
		state_flag(s, "closed", &closed);
		state_check(s, !left_out || (id->head == 0 && r->options.part),
			    "a part, and no head that is left out");
		id->left_out = left_out;
		id->closed_first = closed;
	}
}

void requests_state(struct state *s, struct requests *r)
{
	counts_state(s, r);
	r->files.keeps_all = true;
	processes_state(s, r);
	files_state(s, r);
	own_files_state(s, r, "file.own", false);
	own_files_state(s, r, "file.undefined", true);
	other_file_state(s, r);
	pairs_state(s, r);
	ids_state(s, r);
	limited_ids_state(s, r);
	r->files.keeps_all = false;
}
