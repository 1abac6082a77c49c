/* SPDX-License-Identifier: BSD-2-Clause */
#include "evaluate.h"

#include <math.h>
#include <stdlib.h>

/* Counters */

static void add_error(struct model_error *e, uint64_t logged, uint64_t simulated)
{
	if (logged == 0)
		return;
	e->logs++;
	e->differing += simulated != logged;
	e->sum += fabs((double)simulated - (double)logged) / (double)logged;
}

void model_errors(const struct model_input *in, const struct model_result *r,
		  struct model_error errors[MODEL_COUNTERS])
{
	for (size_t i = 0; i < MODEL_COUNTERS; i++)
		errors[i] = (struct model_error){0, 0, 0};
	for (size_t i = 0; i < in->nodes; i++)
		for (size_t k = 0; k < in->node[i].count; k++) {
			const struct model_log *l = &in->node[i].log[k];
			const struct model_outcome *o = &r->outcome[i][k];
			add_error(&errors[MODEL_BYTES_READ], l->bytes[0], o->bytes[0]);
			add_error(&errors[MODEL_READS], l->requests[0], o->requests[0]);
			add_error(&errors[MODEL_BYTES_WRITTEN], l->bytes[1], o->bytes[1]);
			add_error(&errors[MODEL_WRITES], l->requests[1], o->requests[1]);
		}
}

/* Times */

/*
 * Returns the end of a log: the end of its I/O, and the rest of the interval in the original
 * system.
 */
static int64_t log_end_ps(const struct model_log *l, const struct model_outcome *base,
			  const struct model_outcome *o)
{
	const int64_t rest_ps = base->start_ps + l->took_ps - base->end_ps;
	return o->end_ps + (rest_ps > 0 ? rest_ps : 0);
}

/* Requests are in progress from the begin of a log to the end of its I/O. */
static int64_t log_io_ps(const struct model_outcome *o, int64_t *after_ps)
{
	const int64_t begin_ps = o->start_ps > *after_ps ? o->start_ps : *after_ps;
	const int64_t io_ps = o->end_ps > begin_ps ? o->end_ps - begin_ps : 0;
	*after_ps = o->end_ps > *after_ps ? o->end_ps : *after_ps;
	return io_ps;
}

static void add_log(struct model_times *t, const struct model_log *l,
		    const struct model_outcome *base, const struct model_outcome *o)
{
	const int64_t end_ps = log_end_ps(l, base, o);
	t->begin_ps = t->logs == 0 || o->start_ps < t->begin_ps ? o->start_ps : t->begin_ps;
	t->end_ps = t->logs == 0 || end_ps > t->end_ps ? end_ps : t->end_ps;
}

void model_node_times(const struct model_input *in, const struct model_result *base,
		      const struct model_result *r, size_t node, struct model_times *t)
{
	*t = (struct model_times){0};
	for (size_t k = 0; k < in->node[node].count; k++) {
		add_log(t, &in->node[node].log[k], &base->outcome[node][k], &r->outcome[node][k]);
		t->logs++;
	}
	t->io_ps = r->io_ps[node];
}

bool model_job_times(const struct model_input *in, const struct model_result *base,
		     const struct model_result *r, struct model_times *times)
{
	int64_t *io_ps = calloc((size_t)in->jobs + 1, sizeof *io_ps);
	if (io_ps == NULL)
		return false;
	for (size_t j = 0; j <= in->jobs; j++)
		times[j] = (struct model_times){0};
	for (size_t i = 0; i < in->nodes; i++) {
		int64_t after_ps = 0;
		for (size_t k = 0; k < in->node[i].count; k++) {
			const struct model_log *l = &in->node[i].log[k];
			const struct model_outcome *o = &r->outcome[i][k];
			const int64_t took_ps = log_io_ps(o, &after_ps);
			add_log(&times[l->job], l, &base->outcome[i][k], o);
			times[l->job].logs++;
			io_ps[l->job] += took_ps;
		}
		for (size_t k = 0; k < in->node[i].count; k++) {
			const uint32_t job = in->node[i].log[k].job;
			if (io_ps[job] > times[job].io_ps)
				times[job].io_ps = io_ps[job];
			io_ps[job] = 0;
		}
	}
	free(io_ps);
	return true;
}

/* Fitting */

static const double plateau = 0.98, other_direction = 0.01;

static double rate_of(const struct model_log *l, enum model_direction d)
{
	return l->took_ps > 0 ? (double)l->bytes[d] / ((double)l->took_ps / (double)MODEL_PS_PER_S)
			      : 0;
}

static double highest_rate(const struct model_input *in, enum model_direction d)
{
	double highest = 0;
	for (size_t i = 0; i < in->nodes; i++)
		for (size_t k = 0; k < in->node[i].count; k++)
			highest = fmax(highest, rate_of(&in->node[i].log[k], d));
	return highest;
}

/*
 * The I/O of a log fills the interval if its rate is the highest one, which other logs reach, too:
 * then the system limited it.
 */
static bool informs(const struct model_log *l, enum model_direction d, double highest)
{
	return highest > 0 && rate_of(l, d) >= plateau * highest &&
	       (double)l->bytes[1 - d] <= other_direction * (double)l->bytes[d];
}

static void fit_node(const struct model_node *n, const struct model_outcome *o,
		     int64_t (*disk_end_ps)[2], enum model_direction d, double highest,
		     struct model_fit *fit)
{
	for (size_t k = 0; k < n->count; k++) {
		int64_t begin_ps = o[k].start_ps;
		if (!informs(&n->log[k], d, highest))
			continue;
		if (k > 0 && disk_end_ps[k - 1][d] > begin_ps)
			begin_ps = disk_end_ps[k - 1][d];
		const double took_s =
		    (double)(disk_end_ps[k][d] - begin_ps) / (double)MODEL_PS_PER_S;
		const double difference =
		    (double)n->log[k].bytes[d] / took_s - rate_of(&n->log[k], d);
		fit->logs[d]++;
		fit->squares[d] += difference * difference;
	}
}

void model_fit(const struct model_input *in, const struct model_result *r, struct model_fit *fit)
{
	*fit = (struct model_fit){{0, 0}, {0, 0}};
	for (enum model_direction d = MODEL_READ; d <= MODEL_WRITE; d++) {
		const double highest = highest_rate(in, d);
		for (size_t i = 0; i < in->nodes; i++)
			fit_node(&in->node[i], r->outcome[i], r->disk_end_ps[i], d, highest, fit);
	}
}
