/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes and events that a collector adds to the trace, its own events among them. */
#include "collector_internal.h"

#include <string.h>

void collector_expect(struct collector *c, uint32_t pid, const char *program)
{
	const size_t index = processes_expect(&c->processes, pid, 0, 0);
	if (index == SIZE_MAX)
		return;
	if (c->spool == NULL)
		ring_events_expect(c->events, (uint32_t)index, program);
	else
		(void)collector_spool_program(c, (uint32_t)index, program);
}

int collector_add(struct collector *c, struct iot_event ev)
{
	ev.rec.start_ns = (int64_t)(clock_map_now(c->clock) - c->zero);
	if (c->spool != NULL)
		return collector_spool_event(c, &ev);
	return event_order_add(&c->order, &ev, 1);
}

int collector_add_loss(struct collector *c, const struct ring *r, enum ring_loss why,
		       uint64_t records)
{
	return collector_add(
	    c, (struct iot_event){
		   .kind = RING_LOST,
		   .rec = {.process = r->process, .type = (uint8_t)why, .offset = records}});
}

void collector_release_rings(struct collector *c)
{
	for (size_t i = 0; i < c->rings; i++)
		if (c->ring[i].data != NULL)
			ring_release(&c->ring[i]);
}

int collector_copy_events(struct collector *c)
{
	const int status = event_order_copy(&c->order);
	collector_release_rings(c);
	return status;
}

/* Returns the pid of the child that a record announces, 0 if it announces none. */
static uint32_t child_of(const void *record, size_t n)
{
	struct record_head head;
	struct record_child child;
	struct record_thread user;
	memcpy(&head, record, sizeof(head));
	if (head.kind == RECORD_CHILD && n >= sizeof(child)) {
		memcpy(&child, record, sizeof(child));
		return child.pid;
	}
	return ring_states_user(record, n, &user) && head.code == RECORD_THREAD_VFORKED ? user.tid
											: 0;
}

void collector_note_child(struct collector *c, uint32_t parent, const void *record, size_t n)
{
	const uint32_t pid = n >= sizeof(struct record_head) ? child_of(record, n) : 0;
	const struct process *const by = &c->processes.process[parent];
	if (pid != 0)
		(void)processes_expect(&c->processes, pid, by->pid, by->namespace);
}

void collector_note_children(struct collector *c, uint32_t parent, const struct iot_event *ev,
			     size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ev[i].kind == RING_RAW)
			collector_note_child(c, parent, ev[i].text.data, ev[i].text.size);
}

struct ring_decoder collector_decoder(struct collector *c, struct ring_user user)
{
	return (struct ring_decoder){.zero = c->zero,
				     .now = clock_map_now(c->clock),
				     .skew = c->skew,
				     .user = user,
				     .flags = c->flags};
}

int collector_add_damage(struct collector *c, uint32_t process)
{
	return collector_add(c,
			     (struct iot_event){.kind = RING_LOST,
						.rec = {.process = process, .type = RING_DAMAGED}});
}

int collector_add_records(struct collector *c, uint32_t process, const unsigned char *data,
			  size_t n)
{
	const struct ring_decoder d = collector_decoder(c, (struct ring_user){process, process});
	int status = IOT_OK;
	while (n > 0 && status == IOT_OK) {
		size_t used;
		const int count = ring_decode(&d, data, n, c->order.batch, &used);
		if (count < 0 || used == 0)
			return collector_add_damage(c, process);
		collector_note_children(c, process, c->order.batch, (size_t)count);
		status = event_order_add(&c->order, c->order.batch, (size_t)count);
		data += used;
		n -= used;
	}
	return status;
}
