/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The statistics of one layer. Each function calls one of struct statistic for all of them, or for
 * number i of the registry. Those that return bool return false if out of memory.
 */
#ifndef LIB_ANALYZE_LAYER_H
#define LIB_ANALYZE_LAYER_H

#include "registry.h"

struct layer *layer_new(const struct iot_analyze_options *o); /* NULL if out of memory */
void layer_free(struct layer *l);                             /* NULL is ignored */

bool layer_needs(unsigned i, const struct iot_analyze_options *o);
bool layer_add(struct layer *l, unsigned i, const struct statistic_batch *b);
bool layer_act(struct layer *l, unsigned i, const struct statistic_action *a);

bool layer_add_sample(struct layer *l, const struct iot_event *ev, uint64_t epoch_ns);
bool layer_add_at_once(struct layer *l, const struct statistic_batch *b, const struct requests *r);
bool layer_add_heads(struct layer *l, const struct requests *r);
/* Adds the part that follows; NULL: it has no requests. */
bool layer_join(struct layer *l, struct layer *part, const struct statistic_map *map);
bool layer_add_trace(struct layer *l, struct layer *more, const struct statistic_map *map);
bool layer_settle(struct layer *l);
bool layer_end(struct layer *l);
/* Adds the values of statistics that have a function for them. */
bool layer_values(struct layer *l, const struct statistic_values *from, struct values *v);
void layer_forget(struct layer *l);
void layer_shift(struct layer *l, uint64_t by_ns);
void layer_sample(struct layer *l, const struct sample_kept *k);
void layer_state(struct state *s, struct layer *l, const struct requests *r);

#endif
