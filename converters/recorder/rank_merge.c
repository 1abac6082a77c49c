/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calls of all ranks, in order of their start, then of their rank. As many ranks are open at
 * once as memory allows: a group.
 */
#include "recorder.h"

#include <assert.h>
#include <stdlib.h>

static struct loser_entry entry_of(const struct recorder_order *o, uint32_t number)
{
	return (struct loser_entry){loser_tree_key(o->rank[number]->coming->start_ns), number};
}

void recorder_order_add(struct recorder_order *o, struct recorder_rank *rk)
{
	o->rank[o->count++] = rk;
	o->open++;
}

void recorder_order_begin(struct recorder_order *o)
{
	o->tree = (struct loser_tree){o->node, o->count};
	for (uint32_t i = 0; i < o->count; i++)
		o->node[o->count + i] = entry_of(o, i);
	loser_tree_build(&o->tree, NULL, NULL);
}

void recorder_order_moved(struct recorder_order *o)
{
	const uint32_t first = loser_tree_winner(&o->tree);
	loser_tree_replay(&o->tree, first, entry_of(o, first), NULL, NULL);
}

void recorder_order_ended(struct recorder_order *o)
{
	const uint32_t first = loser_tree_winner(&o->tree);
	assert(o->open > 0);
	o->rank[first] = NULL;
	loser_tree_replay(&o->tree, first, LOSER_TREE_END, NULL, NULL);
	if (--o->open == 0)
		o->count = 0;
}

/* Ranks */

static void rank_free(struct recorder_rank *rk)
{
	struct recorder *r = rk->r;
	rk->ops->close(rk);
	recorder_map_free(r, &rk->paths);
	recorder_map_free(r, &rk->mpi_files);
	recorder_map_free(r, &rk->descriptors);
	recorder_handle_free(r, rk->duplicate);
	r->merge.group_bytes -= rk->bytes;
	free(rk);
}

/*
 * Ends a rank. If it is damaged, stores the first error and counts the others; out of memory ends
 * the conversion.
 */
static void end_rank(struct recorder_rank *rk)
{
	struct recorder *r = rk->r;
	if (rk->error.status == IOT_ENOMEM)
		r->status = IOT_ENOMEM;
	else if (rk->error.status != IOT_OK && r->damage.status != IOT_OK)
		r->more_damage++;
	else if (rk->error.status != IOT_OK)
		r->damage = rk->error;
	rank_free(rk);
}

static void open_rank(struct recorder *r, uint32_t rank)
{
	static const struct recorder_rank_ops *const ops[] = {
	    [RECORDER_COMPRESSED] = &recorder_rank_v23,
	    [RECORDER_PEEPHOLE] = &recorder_rank_v21,
	    [RECORDER_TEXT] = &recorder_rank_text};
	struct recorder_rank *rk = calloc(1, sizeof *rk);
	if (rk == NULL) {
		r->status = IOT_ENOMEM;
		return;
	}
	rk->r = r;
	rk->rank = rank;
	rk->ops = ops[r->meta.kind];
	const bool fine = rk->ops->open(rk) == IOT_OK;
	r->merge.group_bytes += rk->bytes;
	if (fine && rk->ops->next(rk) > 0)
		recorder_order_add(&r->merge.order, rk);
	else
		end_rank(rk);
}

void recorder_merge_group(struct recorder *r)
{
	struct recorder_merge *m = &r->merge;
	struct recorder_order *o = &m->order;
	assert(o->open == 0 && o->count == 0);
	while (o->count < RECORDER_GROUP_RANKS && m->opened < m->ranks && r->status == IOT_OK &&
	       (o->count == 0 || m->group_bytes + r->shared.kept_bytes < RECORDER_GROUP_BYTES))
		open_rank(r, m->rank[m->opened++]);
	if (o->count > 0)
		recorder_order_begin(o);
}

void recorder_merge_advance(struct recorder *r)
{
	struct recorder_order *o = &r->merge.order;
	struct recorder_rank *rk = recorder_first(o);
	if (++rk->coming == rk->end && rk->ops->next(rk) <= 0) {
		recorder_order_ended(o);
		end_rank(rk);
		return;
	}
	recorder_order_moved(o);
	/* with many ranks, most of the next one's state is no longer in the cache */
	__builtin_prefetch(recorder_first(o)->coming->signature);
	__builtin_prefetch(rk->coming + 1);
}

static int rank_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* Lists the ranks that have files of their own; all ranks, if there is one file for all. */
static int list_ranks(struct recorder *r)
{
	static const enum recorder_role roles[] = {RECORDER_RANK_CST,   RECORDER_RANK_CFG,
						   RECORDER_RANK_TIMES, RECORDER_RANK_CALLS,
						   RECORDER_RANK_META,  RECORDER_RANK_TEXT};
	const struct recorder_meta *meta = &r->meta;
	struct recorder_merge *m = &r->merge;
	const bool all = meta->kind == RECORDER_COMPRESSED && (meta->one_times || meta->shared);
	size_t capacity = all ? meta->ranks : r->files.parts, n = 0;
	m->rank = malloc((capacity + 1) * sizeof *m->rank);
	if (m->rank == NULL)
		return error_no_memory(&r->src->error);
	for (uint32_t i = 0; all && i < meta->ranks; i++)
		m->rank[n++] = i;
	for (size_t i = 0; !all && i < sizeof roles / sizeof *roles; i++) {
		const struct recorder_part *part;
		size_t parts = recorder_parts(r, roles[i], &part);
		for (size_t k = 0; k < parts; k++)
			if (meta->kind == RECORDER_TEXT || part[k].rank < meta->ranks)
				m->rank[n++] = part[k].rank;
	}
	qsort(m->rank, n, sizeof *m->rank, rank_number);
	for (size_t i = 0; i < n; i++)
		if (m->ranks == 0 || m->rank[m->ranks - 1] != m->rank[i])
			m->rank[m->ranks++] = m->rank[i];
	return IOT_OK;
}

int recorder_merge_open(struct recorder *r)
{
	int status = list_ranks(r);
	if (status == IOT_OK)
		recorder_merge_group(r);
	return r->status == IOT_OK ? status : error_set(&r->src->error, r->status, "out of memory");
}

void recorder_merge_close(struct recorder *r)
{
	struct recorder_merge *m = &r->merge;
	for (uint32_t i = 0; i < m->order.count; i++)
		if (m->order.rank[i] != NULL)
			rank_free(m->order.rank[i]);
	free(m->rank);
}
