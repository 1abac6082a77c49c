/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "machine.h"

uint32_t model_compute_nodes(const struct model_system *s, size_t i, size_t n)
{
	return n - i <= s->few_nodes ? s->few_compute_nodes : s->compute_nodes;
}

static int check_log(const struct model_log *l, struct error *e)
{
	if (l->bytes[0] > MODEL_BYTES_MAX || l->bytes[1] > MODEL_BYTES_MAX)
		return error_set(e, IOT_ELIMIT, "a sample of more than 2^50 bytes");
	if (l->start_ps < 0 || l->start_ps > MODEL_SPAN_MAX || l->took_ps > MODEL_SPAN_MAX)
		return error_set(e, IOT_ELIMIT, "samples of more than 100 days");
	return IOT_OK;
}

static int check_node(const struct model_system *s, const struct model_node *n, uint64_t *requests,
		      struct error *e)
{
	for (size_t k = 0; k < n->count; k++) {
		if (check_log(&n->log[k], e) != IOT_OK)
			return e->status;
		*requests += model_request_count(s, &n->log[k], MODEL_READ) +
			     model_request_count(s, &n->log[k], MODEL_WRITE);
		if (*requests > MODEL_REQUESTS_MAX)
			return error_set(e, IOT_ELIMIT, "2^32 requests or more");
	}
	return IOT_OK;
}

int model_check(const struct model_system *s, const struct model_input *in, struct error *e)
{
	uint64_t compute = 0, requests = 0;
	if (in->nodes > s->io_nodes)
		return error_set(e, IOT_ELIMIT, "%zu hosts, expected at most io-nodes = %u",
				 in->nodes, s->io_nodes);
	for (size_t i = 0; i < in->nodes; i++) {
		compute += model_compute_nodes(s, i, in->nodes);
		if (check_node(s, &in->node[i], &requests, e) != IOT_OK)
			return e->status;
	}
	if (compute > MODEL_COMPUTE_MAX)
		return error_set(e, IOT_ELIMIT, "%ju compute nodes, at most 1048576",
				 (uintmax_t)compute);
	return IOT_OK;
}

static bool make_node(struct machine *m, size_t i)
{
	struct io_node *n = &m->node[i];
	n->in = &m->input->node[i];
	n->compute_count = model_compute_nodes(m->system, i, m->input->nodes);
	n->compute = calloc(n->compute_count + 1U, sizeof *n->compute);
	n->out = m->result->outcome[i] = calloc(n->in->count + 1, sizeof *n->out);
	for (uint32_t c = 0; n->compute != NULL && c < n->compute_count; c++)
		n->compute[c].next = c;
	if (m->input->wants_disk_end)
		n->disk_end_ps = m->result->disk_end_ps[i] =
		    calloc(n->in->count + 1, sizeof *n->disk_end_ps);
	return n->compute != NULL && n->out != NULL &&
	       (n->disk_end_ps != NULL || !m->input->wants_disk_end);
}

static bool make(struct machine *m)
{
	struct model_result *r = m->result;
	const size_t nodes = m->input->nodes;
	*r = (struct model_result){.nodes = nodes};
	r->outcome = calloc(nodes + 1, sizeof *r->outcome);
	r->io_ps = calloc(nodes + 1, sizeof *r->io_ps);
	m->node = calloc(nodes + 1, sizeof *m->node);
	if (m->input->wants_disk_end)
		r->disk_end_ps = calloc(nodes + 1, sizeof *r->disk_end_ps);
	bool ok = r->outcome != NULL && r->io_ps != NULL && m->node != NULL &&
		  (r->disk_end_ps != NULL || !m->input->wants_disk_end);
	for (size_t i = 0; i < nodes && ok; i++)
		ok = make_node(m, i);
	return ok && (m->base == NULL || schedule_jobs(m));
}

static void count_splits(struct machine *m)
{
	for (size_t i = 0; i < m->input->nodes; i++)
		for (size_t k = 0; k < m->input->node[i].count; k++)
			for (enum model_direction d = MODEL_READ; d <= MODEL_WRITE; d++) {
				const struct model_log *l = &m->input->node[i].log[k];
				m->result->splits +=
				    model_request_count(m->system, l, d) - l->requests[d];
			}
}

/* Without a base, a release schedules the next one of its node. */
static void release(struct machine *m, uint32_t node)
{
	const struct io_node *n = &m->node[node];
	if (m->base == NULL && n->released + 1 < n->in->count)
		machine_add_event(m, EVENT_RELEASE, node, 0, n->in->log[n->released + 1].start_ps);
	machine_release(m, node);
}

static void run(struct machine *m)
{
	schedule_first(m);
	do {
		while (m->events.count > 0 && !m->no_memory) {
			const struct queue_event e = event_queue_take(&m->events);
			const enum machine_event kind = (enum machine_event)(e.number >> 44);
			const uint32_t node = (uint32_t)(e.number >> 32) & 0xfff;
			m->now_ps = e.time;
			if (kind == EVENT_RELEASE)
				release(m, node);
			else
				machine_handle(m, kind, node, (uint32_t)e.number);
		}
	} while (!m->no_memory && schedule_stuck(m));
}

static void free_machine(struct machine *m)
{
	for (size_t i = 0; i < m->input->nodes && m->node != NULL; i++) {
		struct io_node *n = &m->node[i];
		m->result->io_ps[i] = n->io_ps;
		free(n->compute);
		model_link_free(&n->up);
		model_link_free(&n->down);
		model_transfers_free(&n->requests);
		model_transfers_free(&n->drains);
		model_transfers_free(&n->entering);
		model_transfers_free(&n->written);
		if (m->first_of_job != NULL)
			free(m->first_of_job[i]);
	}
	free(m->node);
	free(m->job);
	free(m->first_of_job);
	event_queue_free(&m->events);
	model_link_free(&m->disk_up);
	model_link_free(&m->disk_down);
}

int model_simulate(const struct model_system *s, const struct model_input *in,
		   const struct model_result *base, struct model_result *result)
{
	struct machine m = {.system = s, .input = in, .base = base, .result = result};
	if (!make(&m)) {
		m.no_memory = true;
	} else {
		count_splits(&m);
		run(&m);
	}
	free_machine(&m);
	return m.no_memory ? IOT_ENOMEM : IOT_OK;
}

void model_result_free(struct model_result *r)
{
	for (size_t i = 0; i < r->nodes && r->outcome != NULL; i++)
		free(r->outcome[i]);
	for (size_t i = 0; i < r->nodes && r->disk_end_ps != NULL; i++)
		free(r->disk_end_ps[i]);
	free(r->outcome);
	free(r->disk_end_ps);
	free(r->io_ps);
	*r = (struct model_result){0};
}
