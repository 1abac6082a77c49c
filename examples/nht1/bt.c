/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bt.h"

size_t bt_size(const struct bt *bt)
{
	return (size_t)BT_M * (size_t)bt->n * (size_t)bt->n * (size_t)bt->n;
}

int bt_init(struct bt *bt, const struct bt_class *of, int threads)
{
	*bt = (struct bt){.n = of->n, .dt = of->dt, .threads = threads};
	bt->u = calloc(bt_size(bt), sizeof(double));
	bt->rhs = calloc(bt_size(bt), sizeof(double));
	bt->forcing = calloc(bt_size(bt), sizeof(double));
	if (bt->u == NULL || bt->rhs == NULL || bt->forcing == NULL)
		return -1;
	bt_set_exact(bt);
	bt_rhs(bt);
	for (size_t i = 0; i < bt_size(bt); i++)
		bt->forcing[i] = -bt->rhs[i];
	return 0;
}

void bt_free(struct bt *bt)
{
	free(bt->u);
	free(bt->rhs);
	free(bt->forcing);
}

void bt_reset(struct bt *bt)
{
	bt_blend(bt);
}

void bt_step(struct bt *bt)
{
	bt_rhs(bt);
	for (int d = 0; d < 3; d++)
		bt_solve(bt, d);
	for (size_t i = 0; i < bt_size(bt); i++)
		bt->u[i] += bt->rhs[i];
}
