/* SPDX-License-Identifier: BSD-2-Clause */
#include <pthread.h>
#include <string.h>

#include "bt_lines.h"
#include "bt_math.h"

enum { THREADS_MAX = 64 };

struct share {
	struct bt *bt;
	bt_line_fn *call;
	int direction, first, end; /* Planes [first, end). */
};

/*
 * A plane contains the lines of one index of the direction that varies most slowly, so that threads
 * touch other memory.
 */
static void *run_share(void *arg)
{
	const struct share *s = arg;
	const size_t outer = bt_stride(s->bt, s->direction == 2 ? 1 : 2);
	const size_t inner = bt_stride(s->bt, s->direction == 0 ? 1 : 0);
	for (int a = s->first; a < s->end; a++)
		for (int b = 1; b < s->bt->n - 1; b++)
			s->call(s->bt, s->direction, (size_t)a * outer + (size_t)b * inner);
	return NULL;
}

/* A share without a thread of its own is computed here, as the last one always is. */
void bt_lines(struct bt *bt, int direction, bt_line_fn *call)
{
	struct share shares[THREADS_MAX];
	pthread_t thread[THREADS_MAX];
	int started[THREADS_MAX] = {0};
	const int planes = bt->n - 2, n = bt->threads < THREADS_MAX ? bt->threads : THREADS_MAX;
	for (int t = 0; t < n; t++) {
		shares[t] = (struct share){bt, call, direction, 1 + planes * t / n,
					   1 + planes * (t + 1) / n};
		started[t] =
		    t < n - 1 && pthread_create(&thread[t], NULL, run_share, &shares[t]) == 0;
		if (!started[t])
			run_share(&shares[t]);
	}
	for (int t = 0; t < n; t++)
		if (started[t])
			pthread_join(thread[t], NULL);
}

void bt_line_load(const struct bt *bt, const double *field, int direction, size_t offset,
		  double line[][BT_M])
{
	const size_t stride = bt_stride(bt, direction);
	for (int p = 0; p < bt->n; p++)
		memcpy(line[p], field + offset + (size_t)p * stride, sizeof(line[p]));
}
