/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets of the pipe, and the records that have not left their processes yet. */
#include "collector_internal.h"

#include <string.h>

/* Finds the process of a packet, which may have joined since the directory was read. */
static size_t process_of_packet(struct collector *c, uint32_t pid)
{
	size_t process = processes_find(&c->processes, pid);
	if (process != SIZE_MAX && c->processes.process[process].start != 0)
		return process;
	if (collector_read_directory(c) != IOT_OK)
		return SIZE_MAX;
	process = processes_find(&c->processes, pid);
	return process != SIZE_MAX && c->processes.process[process].start != 0 ? process : SIZE_MAX;
}

static bool is_other(const struct packet *p)
{
	return p->kind == PACKET_OPEN || p->kind == PACKET_CLOSE;
}

static int add_packet(struct collector *c, const struct packet *p)
{
	unsigned char records[PACKET_PIPE_RECORDS_MAX];
	const size_t index = process_of_packet(c, p->process);
	if (index == SIZE_MAX)
		return c->error.status != IOT_OK ? c->error.status : collector_add_damage(c, 0);
	struct process *process = &c->processes.process[index];
	const bool is_next = p->kind == PACKET_START || p->sequence == process->sequence;
	process->sequence = p->sequence + 1;
	if (p->kind == PACKET_WATERMARK)
		process->mark = packet_word(p, 0);
	process->received += p->entries + is_other(p);
	process->received_others += is_other(p);
	const size_t n = packet_pipe_records(p, records);
	const int status = is_next ? IOT_OK : collector_add_damage(c, (uint32_t)index);
	return status == IOT_OK && n > 0 ? collector_add_records(c, (uint32_t)index, records, n)
					 : status;
}

/* Takes the records that a process left in its file. */
static int add_notes(struct collector *c, uint32_t index)
{
	struct process *const p = &c->processes.process[index];
	_Alignas(8) unsigned char note[RECORD_NOTES];
	const uint32_t end = p->shared != NULL ? atomic_load(&p->shared->noted) : 0;
	int status = IOT_OK;
	if (end > RECORD_NOTES || end <= p->noted)
		return IOT_OK;
	memcpy(note, p->shared->note, end);
	for (size_t size;
	     status == IOT_OK && (size = ring_record_size(note + p->noted, end - p->noted)) > 0;
	     p->noted += (uint32_t)size) {
		p->received++;
		p->received_others++;
		status = collector_add_records(c, index, note + p->noted, size);
	}
	return status;
}

/* The processes of rings are those that have records to send. */
static int read_notes(struct collector *c)
{
	int status = IOT_OK;
	for (size_t i = 0; i < c->rings && status == IOT_OK; i++)
		status = add_notes(c, c->ring[i].process);
	return status;
}

int collector_drain_packets(struct collector *c)
{
	struct packet p;
	if (c->packets.fd < 0)
		return IOT_OK;
	int status = read_notes(c);
	packet_pipe_begin(&c->packets);
	c->drained += c->packets.unread;
	while (status == IOT_OK && packet_pipe_next(&c->packets, &p)) {
		if (c->packets.scan.bad > 0)
			status = collector_add_damage(c, 0);
		c->packets.scan.bad = 0;
		if (status == IOT_OK)
			status = add_packet(c, &p);
	}
	return status;
}

/* Counts the ring records of each process. Those that have not left it are not in the pipe. */
static void count_made(struct collector *c)
{
	for (size_t i = 0; i < c->rings; i++)
		c->processes.process[c->ring[i].process].made =
		    c->processes.process[c->ring[i].process].made_others = 0;
	for (size_t i = 0; i < c->rings; i++) {
		const struct record_ring *h = c->ring[i].header;
		struct process *p = &c->processes.process[c->ring[i].process];
		p->made += atomic_load(&h->made);
		p->made_others += atomic_load(&h->made_others);
	}
}

uint64_t collector_oldest_unsent(struct collector *c, uint64_t watermark)
{
	if (c->packets.fd < 0)
		return watermark;
	count_made(c);
	for (size_t i = 0; i < c->rings; i++) {
		const struct process *p = &c->processes.process[c->ring[i].process];
		if (p->shared != NULL && p->mark < watermark && p->made != p->received)
			watermark = p->mark;
	}
	return watermark;
}

int collector_report_unsent(struct collector *c, uint32_t index)
{
	const struct process *p = &c->processes.process[index];
	if (c->packets.fd < 0 || p->shared == NULL)
		return IOT_OK;
	count_made(c);
	const uint64_t records = collector_excess(p->made - p->made_others,
						  p->received - p->received_others),
		       others = collector_excess(p->made_others, p->received_others);
	if (records + others == 0)
		return IOT_OK;
	return collector_add(c, (struct iot_event){.kind = RING_LOST,
						   .rec = {.process = index,
							   .type = RING_UNSENT,
							   .offset = records,
							   .object = (uint32_t)others}});
}
