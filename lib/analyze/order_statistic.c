/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of requests as a statistic of a layer. */
#include "order.h"
#include "state.h"
#include "statistic.h"

static void init(void *of, const struct iot_analyze_options *o)
{
	((struct order *)of)->by_file = (o->sections & IOT_ANALYZE_FILES) != 0;
}

static bool add_batch(void *of, const struct statistic_batch *b)
{
	return order_add(of, &b->grouped);
}

static bool act(void *of, const struct statistic_action *a)
{
	return a->kind != ACTION_END || order_end(of, a->stream);
}

static bool add_at_once(void *of, const struct statistic_batch *b, const struct requests *r)
{
	(void)b;
	return order_add_heads(of, r);
}

static bool join(void *of, void *part, const struct statistic_map *map)
{
	return order_join(of, part, map->numbers->file);
}

static void sample_stream(struct order_stream *s, const struct sample_kept *k)
{
	if (s->file >= k->files) /* streams of no file have ended */
		return;
	s->file = k->file[s->file] != UINT32_MAX ? k->file[s->file]
		  : k->other_file > 0            ? k->other_file - 1
						 : 0;
}

static void sample(void *of, const struct sample_kept *k)
{
	struct order *o = of;
	SAMPLE_KEEP(o->files, o->file_capacity, k->file, k->files);
	for (size_t i = 0; i < o->capacity; i++)
		sample_stream(&o->streams[i], k);
	for (size_t i = 0; i < o->head_count; i++)
		sample_stream(&o->heads[i].stream, k);
}

const struct statistic order_statistic = {
    .sections = NEED_ORDER,
    .init = init,
    .add = add_batch,
    .act = act,
    .add_at_once = add_at_once,
    .add_heads = order_add_heads,
    .link = order_link_streams,
    .join = join,
    .add_trace = join,
    .end = order_end_all,
    .forget = order_forget,
    .sample = sample,
    .state = order_state,
    .free = order_free,
};
