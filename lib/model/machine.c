/* SPDX-License-Identifier: BSD-2-Clause */
/* The path of requests: compute node, tree, CIOD, page pool, bypass, network, server, disk. */
#include "machine.h"

#include "requests.h"

static int64_t on_tree(const struct machine *m, uint64_t size)
{
	return model_duration_ps(size, m->system->tree);
}

static uint64_t network_of(const struct model_system *s)
{
	return s->burst_buffer > 0 ? s->burst_external : s->network;
}

static void add_transfer(struct machine *m, struct model_transfers *q,
			 const struct model_transfer *t)
{
	m->no_memory |= !model_transfers_add(q, t);
}

static int64_t send(struct machine *m, struct model_link *l, int64_t duration_ps)
{
	const int64_t end_ps = model_link_send(l, m->now_ps, duration_ps);
	m->no_memory |= end_ps < 0;
	return end_ps;
}

/* Counters */

/* Returns the interval that contains now; with a base, the last one that has begun. */
static struct model_outcome *interval_now(struct machine *m, struct io_node *n)
{
	const size_t known = m->base != NULL ? n->released : n->in->count;
	for (; n->interval + 1 < known; n->interval++) {
		const struct model_log *l = &n->in->log[n->interval];
		const int64_t start_ps =
		    m->base != NULL ? n->out[n->interval].start_ps : l->start_ps;
		if (m->now_ps <= start_ps + l->took_ps)
			break;
	}
	return &n->out[n->interval];
}

static void count(struct machine *m, struct io_node *n, const struct model_transfer *t)
{
	struct model_outcome *to = interval_now(m, n);
	const struct model_log *l = &n->in->log[n->interval];
	const unsigned d = t->is_write ? MODEL_WRITE : MODEL_READ;
	const bool late = m->base == NULL && m->now_ps > l->start_ps + l->took_ps;
	if (n->disk_end_ps != NULL)
		n->disk_end_ps[t->log][d] = m->now_ps;
	m->result->at_disk[d] += t->size;
	m->result->late_requests += late;
	if (late)
		return;
	to->bytes[d] += t->size;
	to->requests[d]++;
}

/* Compute nodes */

/* Takes the next request of the logs that have been released. */
static bool next_request(struct machine *m, struct io_node *n, uint32_t i)
{
	struct compute_node *c = &n->compute[i];
	for (; c->log < n->released; c->log++, c->next = i) {
		const struct model_log *l = &n->in->log[c->log];
		const uint64_t count_ = model_request_count(m->system, l, MODEL_READ) +
					model_request_count(m->system, l, MODEL_WRITE);
		if (c->next >= count_)
			continue;
		const struct model_request r = model_request_at(m->system, l, c->next);
		c->size = r.size;
		c->is_write = r.is_write;
		c->current = c->log;
		c->next += n->compute_count;
		return true;
	}
	return false;
}

static struct model_transfer transfer_of(const struct compute_node *c, uint32_t i)
{
	return (struct model_transfer){.size = c->size & TRANSFER_SIZE_MASK,
				       .log = c->current,
				       .compute = i,
				       .is_write = c->is_write};
}

static void admit(struct machine *m, uint32_t node);

static void arrive_at_bypass(struct machine *m, uint32_t node, uint32_t i)
{
	const struct model_transfer t = transfer_of(&m->node[node].compute[i], i);
	add_transfer(m, &m->node[node].requests, &t);
	admit(m, node);
}

static void send_write(struct machine *m, uint32_t node, uint32_t i)
{
	const int64_t end_ps = m->now_ps + on_tree(m, m->node[node].compute[i].size);
	machine_add_event(m, m->system->tree_shared ? EVENT_SHARED : EVENT_BUFFERED, node, i,
			  end_ps);
}

static void send_read(struct machine *m, uint32_t node, uint32_t i)
{
	const int64_t passed_ps = model_link_pass(&m->node[node].up, m->now_ps);
	if (passed_ps == m->now_ps)
		arrive_at_bypass(m, node, i);
	else
		machine_add_event(m, EVENT_REQUESTED, node, i, passed_ps);
}

static void issue(struct machine *m, uint32_t node, uint32_t i)
{
	struct io_node *n = &m->node[node];
	struct compute_node *c = &n->compute[i];
	if (c->busy || !next_request(m, n, i))
		return;
	c->busy = true;
	if (n->in_progress++ == 0)
		n->io_since_ps = m->now_ps;
	m->result->requests++;
	m->result->generated[c->is_write ? MODEL_WRITE : MODEL_READ] += c->size;
	if (c->is_write)
		send_write(m, node, i);
	else
		send_read(m, node, i);
}

void machine_release(struct machine *m, uint32_t node)
{
	struct io_node *n = &m->node[node];
	const size_t log = n->released++;
	struct model_outcome *o = &n->out[log];
	o->start_ps = o->end_ps = m->now_ps;
	o->left = (uint32_t)(model_request_count(m->system, &n->in->log[log], MODEL_READ) +
			     model_request_count(m->system, &n->in->log[log], MODEL_WRITE));
	if (o->left == 0)
		schedule_after(m, node, log);
	for (uint32_t i = 0; i < n->compute_count && o->left > 0; i++)
		issue(m, node, i);
}

static void end_request(struct machine *m, uint32_t node, uint32_t i)
{
	struct io_node *n = &m->node[node];
	struct compute_node *c = &n->compute[i];
	struct model_outcome *o = &n->out[c->current];
	const uint32_t log = c->current;
	c->busy = false;
	if (--n->in_progress == 0)
		n->io_ps += m->now_ps - n->io_since_ps;
	o->end_ps = m->now_ps;
	if (m->input->ended != NULL)
		m->input->ended(m->input->context, node, i, log, m->now_ps);
	if (--o->left == 0)
		schedule_after(m, node, log);
	issue(m, node, i);
}

/* An acknowledgement returns through the tree. */
static void acknowledge(struct machine *m, uint32_t node, uint32_t i)
{
	const int64_t passed_ps = model_link_pass(&m->node[node].down, m->now_ps);
	if (passed_ps == m->now_ps)
		end_request(m, node, i);
	else
		machine_add_event(m, EVENT_END, node, i, passed_ps);
}

/* Burst buffer */

static void enter_burst_buffer(struct machine *m, uint32_t node)
{
	struct io_node *n = &m->node[node];
	if (n->burst_busy || n->entering.count == 0 ||
	    model_transfers_first(&n->entering)->size > m->system->burst_buffer - n->burst_used)
		return;
	n->burst = model_transfers_take(&n->entering);
	n->burst_busy = true;
	n->burst_used += n->burst.size;
	machine_add_event(m, EVENT_BURST, node, 0,
			  m->now_ps + model_duration_ps(n->burst.size, m->system->burst_internal));
}

static void end_burst(struct machine *m, uint32_t node)
{
	struct io_node *n = &m->node[node];
	struct model_transfer t = n->burst;
	const bool waits = !t.acknowledged;
	n->burst_busy = false;
	if (t.pooled)
		n->pool_used -= t.size;
	t.pooled = false;
	t.acknowledged = true;
	add_transfer(m, &n->drains, &t);
	enter_burst_buffer(m, node);
	admit(m, node);
	if (waits)
		acknowledge(m, node, t.compute);
}

/* The page pool accepts a whole write, or leaves it to the bypass. */

static void buffer_write(struct machine *m, uint32_t node, uint32_t i)
{
	struct io_node *n = &m->node[node];
	struct model_transfer t = transfer_of(&n->compute[i], i);
	t.pooled = t.acknowledged = t.size <= m->system->page_pool - n->pool_used;
	if (t.pooled)
		n->pool_used += t.size;
	add_transfer(m, m->system->burst_buffer > 0 ? &n->entering : &n->requests, &t);
	if (m->system->burst_buffer > 0)
		enter_burst_buffer(m, node);
	else
		admit(m, node);
	if (t.acknowledged)
		acknowledge(m, node, i);
}

/* Bypass, network, server and disk */

static void read_disk(struct machine *m, uint32_t node)
{
	struct io_node *n = &m->node[node];
	const uint64_t size = n->admitted.size;
	n->net_begin_ps = send(m, &m->disk_down, model_duration_ps(size, m->system->server));
	n->net_end_ps = n->net_begin_ps + model_duration_ps(size, network_of(m->system));
	machine_add_event(m, EVENT_RECEIVED, node, 0, n->net_end_ps);
}

static void start_read(struct machine *m, uint32_t node)
{
	const int64_t passed_ps = model_link_pass(&m->disk_up, m->now_ps);
	if (passed_ps == m->now_ps)
		read_disk(m, node);
	else
		machine_add_event(m, EVENT_AT_DISK, node, 0, passed_ps);
}

/* Admits the next transfer, if there is none in progress. Reads precede drains. */
static void admit(struct machine *m, uint32_t node)
{
	struct io_node *n = &m->node[node];
	struct model_transfers *q = n->requests.count > 0 ? &n->requests : &n->drains;
	if (n->busy || q->count == 0)
		return;
	n->busy = true;
	n->admitted = model_transfers_take(q);
	if (!n->admitted.is_write)
		start_read(m, node);
	else
		machine_add_event(m, EVENT_SENT, node, 0,
				  m->now_ps +
				      model_duration_ps(n->admitted.size, network_of(m->system)));
}

static void receive(struct machine *m, uint32_t node)
{
	struct io_node *n = &m->node[node];
	const struct model_transfer t = n->admitted;
	const int64_t own_ps = on_tree(m, t.size);
	const int64_t shared_ps = m->system->tree_shared ? send(m, &n->down, own_ps) : m->now_ps;
	n->busy = false;
	count(m, n, &t);
	machine_add_event(m, EVENT_END, node, t.compute, shared_ps + own_ps);
	admit(m, node);
}

static void leave_network(struct machine *m, uint32_t node)
{
	struct io_node *n = &m->node[node];
	const struct model_transfer t = n->admitted;
	n->busy = false;
	if (t.pooled)
		n->pool_used -= t.size;
	else if (m->system->burst_buffer > 0)
		n->burst_used -= t.size;
	add_transfer(m, &n->written, &t);
	machine_add_event(m, EVENT_WRITTEN, node, 0,
			  send(m, &m->disk_up, model_duration_ps(t.size, m->system->server)));
	if (m->system->burst_buffer > 0)
		enter_burst_buffer(m, node);
	admit(m, node);
}

static void end_write(struct machine *m, uint32_t node)
{
	struct io_node *n = &m->node[node];
	const struct model_transfer t = model_transfers_take(&n->written);
	count(m, n, &t);
	if (!t.acknowledged)
		acknowledge(m, node, t.compute);
}

static void return_ack(struct machine *m, uint32_t node)
{
	const struct io_node *n = &m->node[node];
	if (n->net_begin_ps <= m->now_ps && m->now_ps < n->net_end_ps)
		machine_add_event(m, EVENT_ACK_DONE, node, 0, n->net_end_ps);
	else
		end_write(m, node);
}

static void acknowledge_disk(struct machine *m, uint32_t node)
{
	const int64_t passed_ps = model_link_pass(&m->disk_down, m->now_ps);
	if (passed_ps == m->now_ps)
		return_ack(m, node);
	else
		machine_add_event(m, EVENT_ACK, node, 0, passed_ps);
}

static void share_tree(struct machine *m, uint32_t node, uint32_t i)
{
	struct io_node *n = &m->node[node];
	machine_add_event(m, EVENT_BUFFERED, node, i,
			  send(m, &n->up, on_tree(m, n->compute[i].size)));
}

void machine_handle(struct machine *m, enum machine_event kind, uint32_t node, uint32_t compute)
{
	switch (kind) {
	case EVENT_SHARED:
		share_tree(m, node, compute);
		break;
	case EVENT_BUFFERED:
		buffer_write(m, node, compute);
		break;
	case EVENT_REQUESTED:
		arrive_at_bypass(m, node, compute);
		break;
	case EVENT_AT_DISK:
		read_disk(m, node);
		break;
	case EVENT_RECEIVED:
		receive(m, node);
		break;
	case EVENT_SENT:
		leave_network(m, node);
		break;
	case EVENT_WRITTEN:
		acknowledge_disk(m, node);
		break;
	case EVENT_ACK:
		return_ack(m, node);
		break;
	case EVENT_ACK_DONE:
		end_write(m, node);
		break;
	case EVENT_BURST:
		end_burst(m, node);
		break;
	case EVENT_END:
		end_request(m, node, compute);
		break;
	default:
		break;
	}
}
