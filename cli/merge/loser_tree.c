/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A loser tree (Knuth, volume 3, 5.4.1): each node holds the stream that lost there, so that one
 * path from a leaf to the root finds the next winner. Equal starts are rare and compared field by
 * field.
 */
#include <stdlib.h>
#include <string.h>

#include "merge.h"

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_texts(const struct iot_text *a, const struct iot_text *b)
{
	size_t n = a->size < b->size ? a->size : b->size;
	int order = n > 0 ? memcmp(a->data, b->data, n) : 0;
	return order != 0 ? order : compare(a->size, b->size);
}

static int compare_events(const struct iot_event *a, const struct iot_event *b)
{
	const struct iot_record *x = &a->rec, *y = &b->rec;
	const uint64_t fields[][2] = {
	    {x->process, y->process},     {x->file, y->file},  {x->offset, y->offset},
	    {x->length, y->length},       {x->type, y->type},  {x->duration_ns, y->duration_ns},
	    {x->operation, y->operation}, {x->flags, y->flags}};
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (fields[i][0] != fields[i][1])
			return compare(fields[i][0], fields[i][1]);
	int order = x->type == MERGE_TIE ? compare_texts(&a->text, &b->text) : 0;
	return order != 0 ? order : compare(x->spare, y->spare);
}

/* Parts of one trace that have started end before those that start now: returns 1, 0, or -1. */
static int compare_begun(const struct merge *m, const struct iot_record *a,
			 const struct iot_record *b)
{
	if (!m->options->keep_ids)
		return 0;
	bool begun_a = m->inputs[a->spare].first_ns < a->start_ns;
	bool begun_b = m->inputs[b->spare].first_ns < b->start_ns;
	return begun_b - begun_a;
}

bool merge_before(const struct merge_source *a, const struct merge_source *b)
{
	if (a->at == a->end || b->at == b->end)
		return (uintptr_t)a < (uintptr_t)b;
	int order = compare_begun(a->merge, &a->at->rec, &b->at->rec);
	if (order == 0)
		order = compare_events(a->at, b->at);
	return order < 0;
}

static bool wins(const struct merge_tree *t, struct merge_leaf a, struct merge_leaf b)
{
	if (a.key != b.key)
		return a.key < b.key;
	return merge_before(t->sources[a.source], t->sources[b.source]);
}

/* Plays the matches below a node; returns the winner. */
static struct merge_leaf play(struct merge_tree *t, size_t at)
{
	if (at >= t->count)
		return (struct merge_leaf){merge_key(t->sources[at - t->count]), at - t->count};
	struct merge_leaf a = play(t, 2 * at), b = play(t, 2 * at + 1);
	bool first = wins(t, a, b);
	t->node[at] = first ? b : a;
	return first ? a : b;
}

bool merge_tree_init(struct merge_tree *t, struct merge_source *const *sources, size_t count)
{
	*t = (struct merge_tree){.count = count, .sources = sources};
	t->node = calloc(count, sizeof *t->node);
	if (t->node == NULL)
		return false;
	t->node[0] = play(t, 1);
	return true;
}

void merge_tree_free(struct merge_tree *t)
{
	free(t->node);
	t->node = NULL;
}

uint64_t merge_tree_second(const struct merge_tree *t)
{
	uint64_t min = UINT64_MAX;
	for (size_t at = (t->node[0].source + t->count) / 2; at > 0; at /= 2)
		min = t->node[at].key < min ? t->node[at].key : min;
	return min;
}
