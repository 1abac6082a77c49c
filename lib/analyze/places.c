/* SPDX-License-Identifier: BSD-2-Clause */
#include "places.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/base/array.h"
#include "lib/base/text.h"

#include "state.h"

static void clear(struct places *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->place[i].path);
	free(p->place);
	idmap_free(&p->map);
	*p = (struct places){.full = p->full};
}

/* Returns NULL if out of memory, or if there are too many. */
static struct place *place_of(struct places *p, struct iot_text path)
{
	const size_t i = idmap_number(&p->map, XXH3_64bits(path.data, path.size));
	if (i == SIZE_MAX || !array_reserve_index(&p->place, &p->capacity, i, sizeof *p->place))
		return NULL;
	if (i < p->count)
		return &p->place[i];
	if (i >= PLACES_MAX) {
		p->full = true;
		clear(p);
		return NULL;
	}
	char *copy = malloc(path.size + 1);
	if (copy == NULL)
		return NULL;
	memcpy(copy, path.data, path.size);
	copy[path.size] = '\0';
	p->place[i] = (struct place){.path = copy, .size = path.size};
	p->count = i + 1;
	return &p->place[i];
}

static bool is_counted(const struct op *op)
{
	const enum operation_kind kind = op->kind;
	if (kind == OPERATION_SPACE) /* an allocation has an offset, but no path */
		return op->sized && op->size == 0 && !op->failed;
	return kind == OPERATION_OPEN || kind == OPERATION_LOOKUP || kind == OPERATION_NAMES ||
	       kind == OPERATION_ATTRIBUTES || kind == OPERATION_DIRECTORY;
}

static struct iot_text place_path(struct iot_text path, enum operation_kind kind)
{
	const char *slash = path.data != NULL ? memrchr(path.data, '/', path.size) : NULL;
	if (kind == OPERATION_DIRECTORY || kind == OPERATION_SPACE)
		return path;
	if (slash != NULL)
		path.size = slash > path.data ? (size_t)(slash - path.data) : 1;
	else
		path.size = 0;
	return path;
}

bool places_add(struct places *p, const struct op *op)
{
	const enum operation_kind kind = op->kind;
	if (p->full || !is_counted(op))
		return true;
	const struct iot_text path = place_path(op->path, kind);
	if (path.size == 0 || path.size > PLACE_PATH_MAX)
		return true;
	struct place *at = place_of(p, path);
	if (at == NULL)
		return p->full;
	at->calls[kind]++;
	if ((op->ev->has & IOT_HAS_TOOK) != 0)
		at->ns[kind] = saturate_add(at->ns[kind], op->ev->rec.duration_ns);
	return true;
}

bool places_join(struct places *p, const struct places *part)
{
	p->full |= part->full;
	if (p->full)
		clear(p);
	for (size_t i = 0; i < part->count && !p->full; i++) {
		const struct place *from = &part->place[i];
		struct place *to = place_of(p, (struct iot_text){from->path, from->size});
		if (to == NULL)
			return p->full;
		for (unsigned k = 0; k < OPERATION_KINDS; k++) {
			to->calls[k] = saturate_add(to->calls[k], from->calls[k]);
			to->ns[k] = saturate_add(to->ns[k], from->ns[k]);
		}
	}
	return true;
}

static bool precedes(const struct place *a, const struct place *b, enum operation_kind kind)
{
	if (a->ns[kind] != b->ns[kind])
		return a->ns[kind] > b->ns[kind];
	return a->calls[kind] != b->calls[kind] ? a->calls[kind] > b->calls[kind]
						: strcmp(a->path, b->path) < 0;
}

const struct place *places_max(const struct places *p, enum operation_kind kind)
{
	const struct place *max = NULL;
	for (size_t i = 0; i < p->count; i++)
		if (p->place[i].calls[kind] > 0 &&
		    (max == NULL || precedes(&p->place[i], max, kind)))
			max = &p->place[i];
	return max;
}

uint64_t places_truncations(const struct places *p, struct iot_text path)
{
	if (path.data == NULL)
		return 0;
	const size_t i = idmap_find(&p->map, XXH3_64bits(path.data, path.size));
	if (i >= p->count ||
	    !text_same((struct iot_text){p->place[i].path, p->place[i].size}, path))
		return 0;
	return p->place[i].calls[OPERATION_SPACE];
}

void places_free(struct places *p)
{
	clear(p);
}

/* The state */

static int by_path(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	return strcmp(a->path, b->path);
}

/* A row for each kind of each directory, in the order of their paths. */
struct place_row {
	struct iot_text path;
	uint64_t kind, calls, ns;
};

static bool next_row(const struct place *sorted, size_t count, size_t *at, struct place_row *row)
{
	for (; *at < count * OPERATION_KINDS; ++*at) {
		const struct place *p = &sorted[*at / OPERATION_KINDS];
		row->kind = *at % OPERATION_KINDS;
		row->path = (struct iot_text){p->path, p->size};
		row->calls = p->calls[row->kind];
		row->ns = p->ns[row->kind];
		if (row->calls > 0)
			return ++*at > 0;
	}
	return false;
}

static void load_row(struct state *s, struct places *p, const struct place_row *row)
{
	state_check(s, row->path.size > 0 && memchr(row->path.data, '\0', row->path.size) == NULL,
		    "a path");
	struct place *to = state_failed(s) ? NULL : place_of(p, row->path);
	if (to == NULL) {
		if (!state_failed(s) && !p->full)
			state_no_memory(s);
		return;
	}
	to->calls[row->kind] = row->calls;
	to->ns[row->kind] = row->ns;
}

void places_state(struct state *s, struct places *p)
{
	struct place_row row = {.path = {NULL, 0}};
	struct place *sorted = calloc(p->count + 1, sizeof *sorted);
	size_t i, at = 0;
	while (state_each(s, "places", 1, &i))
		state_flag(s, "full", &p->full);
	if (sorted == NULL) {
		state_no_memory(s);
		return;
	}
	const size_t count = p->count;
	if (count > 0)
		memcpy(sorted, p->place, count * sizeof *sorted);
	qsort(sorted, count, sizeof *sorted, by_path);
	while (state_list(s, "place", state_saves(s) && next_row(sorted, count, &at, &row))) {
		state_text(s, "path", &row.path);
		state_limited(s, "of", &row.kind, OPERATION_KINDS - 1);
		state_number(s, "calls", &row.calls);
		state_number(s, "ns", &row.ns);
		if (!state_saves(s) && !state_failed(s))
			load_row(s, p, &row);
	}
	free(sorted);
}
