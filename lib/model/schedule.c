/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides when logs begin: as they were logged; or, with a base, so that the computation between
 * them keeps its duration, and the I/O nodes of a job begin it together.
 */
#include <stdlib.h>

#include "machine.h"

/* Returns the time between the I/O of a log and the I/O of the next log in the original system. */
static int64_t computation_ps(const struct machine *m, uint32_t node, size_t log)
{
	const struct model_outcome *o = m->base->outcome[node];
	const int64_t gap_ps = o[log + 1].start_ps - o[log].end_ps;
	return gap_ps > 0 ? gap_ps : 0;
}

static void start_job(struct machine *m, struct job_start *j)
{
	for (uint32_t i = j->first_waiting; i != 0; i = m->node[i - 1].next_waiting) {
		m->node[i - 1].waits_for_job = false;
		machine_add_event(m, EVENT_RELEASE, i - 1, 0, j->latest_ps);
	}
	j->first_waiting = 0;
	j->waiting = 0;
	j->nodes = 0;
}

/* Schedules a log at a time, or later if other I/O nodes begin its job later. */
static void schedule(struct machine *m, uint32_t node, size_t log, int64_t time_ps)
{
	struct io_node *n = &m->node[node];
	if (m->base == NULL || !m->first_of_job[node][log]) {
		machine_add_event(m, EVENT_RELEASE, node, 0, time_ps);
		return;
	}
	struct job_start *j = &m->job[n->in->log[log].job];
	if (time_ps > j->latest_ps)
		j->latest_ps = time_ps;
	if (j->nodes == 0) { /* it has begun without this I/O node */
		machine_add_event(m, EVENT_RELEASE, node, 0, time_ps);
		return;
	}
	n->waits_for_job = true;
	n->next_waiting = j->first_waiting;
	j->first_waiting = node + 1;
	if (++j->waiting == j->nodes)
		start_job(m, j);
}

void schedule_after(struct machine *m, uint32_t node, size_t log)
{
	const struct io_node *n = &m->node[node];
	if (m->base != NULL && log + 1 < n->in->count)
		schedule(m, node, log + 1, m->now_ps + computation_ps(m, node, log));
}

void schedule_first(struct machine *m)
{
	for (uint32_t i = 0; i < m->input->nodes; i++)
		if (m->node[i].in->count > 0)
			schedule(m, i, 0, m->node[i].in->log[0].start_ps);
}

bool schedule_stuck(struct machine *m)
{
	struct job_start *stuck = NULL;
	for (uint32_t j = 1; m->base != NULL && j <= m->input->jobs; j++)
		if (m->job[j].waiting > 0 &&
		    (stuck == NULL || m->job[j].latest_ps < stuck->latest_ps))
			stuck = &m->job[j];
	if (stuck == NULL)
		return false;
	if (stuck->latest_ps < m->now_ps)
		stuck->latest_ps = m->now_ps;
	m->result->unsynchronized_jobs++;
	start_job(m, stuck);
	return true;
}

static bool mark_first(struct machine *m, uint32_t node, uint32_t *seen)
{
	const struct model_node *in = m->node[node].in;
	bool *first = calloc(in->count + 1, sizeof *first);
	m->first_of_job[node] = first;
	for (size_t i = 0; first != NULL && i < in->count; i++) {
		const uint32_t job = in->log[i].job;
		if (job == 0 || seen[job] == node + 1)
			continue;
		seen[job] = node + 1;
		first[i] = true;
		m->job[job].nodes++;
	}
	return first != NULL;
}

bool schedule_jobs(struct machine *m)
{
	uint32_t *seen = calloc((size_t)m->input->jobs + 1, sizeof *seen);
	m->job = calloc((size_t)m->input->jobs + 1, sizeof *m->job);
	m->first_of_job = calloc(m->input->nodes + 1, sizeof *m->first_of_job);
	bool ok = seen != NULL && m->job != NULL && m->first_of_job != NULL;
	for (uint32_t i = 0; i < m->input->nodes && ok; i++)
		ok = mark_first(m, i, seen);
	free(seen);
	return ok;
}
