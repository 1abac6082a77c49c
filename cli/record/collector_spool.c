/* SPDX-License-Identifier: BSD-2-Clause */
/* What a collector gathers becomes entries of its spool; if that is full, events of the trace. */
#include "collector_internal.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/clock.h"

int collector_convert_spool(struct collector *c)
{
	struct spool_entry e;
	const void *data;
	int status = IOT_OK, found = 0;
	c->replays = true;
	while (status == IOT_OK && (found = spool_next(c->spool, &e, &data)) > 0) {
		status = replay_entry(c->replay, &e, data);
		if (e.kind == SPOOL_STEP)
			atomic_store(&c->recording->control->heartbeat, clock_monotonic_ns());
	}
	if (found < 0)
		status = error_set(&c->error, IOT_EIO, "the spool has an invalid entry");
	return status;
}

/* Ends spooling: converts the entries of the spool and deletes it. */
static int leave_spool(struct collector *c)
{
	int status = collector_convert_spool(c);
	if (status == IOT_OK)
		status = replay_copy(c->replay);
	(void)unlinkat(c->recording->fd, "spool", 0);
	spool_close(c->spool);
	return status;
}

int collector_spool_entry(struct collector *c, const struct spool_entry *e, const void *data)
{
	if (!c->replays && spool_append(c->spool, e, data))
		return IOT_OK;
	const int status = c->replays ? IOT_OK : leave_spool(c);
	return status == IOT_OK ? replay_entry(c->replay, e, data) : status;
}

int collector_spool_processes(struct collector *c)
{
	int status = IOT_OK;
	for (; c->spooled < c->processes.count && status == IOT_OK; c->spooled++) {
		const struct process *p = &c->processes.process[c->spooled];
		const struct spool_process entry = {p->pid, p->parent, p->namespace};
		status =
		    collector_spool_entry(c,
					  &(struct spool_entry){.kind = SPOOL_PROCESS,
								.process = (uint32_t)c->spooled,
								.size = sizeof(entry)},
					  &entry);
	}
	return status;
}

int collector_spool_program(struct collector *c, uint32_t process, const char *program)
{
	char text[PATH_MAX + 8] = "";
	(void)snprintf(text, PATH_MAX, "%s", program);
	const int status = collector_spool_processes(c);
	const struct spool_entry e = {
	    .kind = SPOOL_EXPECT, .process = process, .size = spool_size(strlen(text) + 1)};
	return status == IOT_OK ? collector_spool_entry(c, &e, text) : status;
}

int collector_spool_event(struct collector *c, const struct iot_event *ev)
{
	struct {
		struct spool_event event;
		uint64_t counter[RECORD_COUNTER_COUNT];
	} data = {.event = {.kind = ev->kind,
			    .text_size = (uint32_t)ev->text.size,
			    .start = c->processes.process[ev->rec.process].start,
			    .rec = ev->rec}};
	const int status = collector_spool_processes(c);
	const struct spool_entry e = {.kind = SPOOL_EVENT,
				      .process = ev->rec.process,
				      .size = sizeof(data.event) + ev->text.size,
				      .ring = ev->rec.file};
	if (ev->text.size > 0)
		memcpy(data.counter, ev->text.data, ev->text.size);
	return status == IOT_OK ? collector_spool_entry(c, &e, &data) : status;
}

int collector_spool_step(struct collector *c)
{
	const struct clock_sample sample = c->clock->sample[c->clock->count - 1];
	const struct spool_entry e = {
	    .kind = SPOOL_STEP, .size = sizeof(sample), .time = c->watermark};
	return collector_spool_entry(c, &e, &sample);
}
