/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of processes: what they lost is reported, and their files are removed. */
#include "collector_internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Ancestors of a process among which makers of spare files are looked for. */
enum { ANCESTORS_MAX = 64 };

/* Rings that the program removed, or that could not be opened. */
static int report_missing(struct collector *c, uint32_t index)
{
	const struct process *p = &c->processes.process[index];
	if (p->shared == NULL || collector_excess(atomic_load(&p->shared->rings), p->rings) == 0)
		return IOT_OK;
	return collector_add_damage(c, index);
}

static int report_killed(struct collector *c, uint32_t process)
{
	int status = IOT_OK;
	for (size_t i = 0; i < c->rings && status == IOT_OK; i++)
		if (c->ring[i].process == process && !c->processes.process[process].alive &&
		    atomic_load(&c->ring[i].header->in_flight) != 0)
			status = collector_add_loss(c, &c->ring[i], RING_KILLED, 1);
	return status;
}

static void close_rings(struct collector *c, uint32_t process)
{
	size_t kept = 0;
	for (size_t i = 0; i < c->rings; i++) {
		struct ring *r = &c->ring[i];
		char taken[32];
		if (r->process != process) {
			c->ring[kept++] = *r;
			continue;
		}
		collector_taken_name(taken, r->serial);
		if (c->spool != NULL)
			(void)unlinkat(c->recording->fd, taken, 0);
		ring_close(r);
	}
	c->rings = kept;
}

static void remove_spares(struct collector *c, uint32_t index)
{
	char prefix[32];
	const int fd = openat(c->recording->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *e;
	if (d == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return;
	}
	(void)snprintf(prefix, sizeof(prefix), "spare.%u.", c->processes.process[index].pid);
	while ((e = readdir(d)) != NULL)
		if (strncmp(e->d_name, prefix, strlen(prefix)) == 0)
			(void)unlinkat(fd, e->d_name, 0);
	(void)closedir(d);
	c->processes.process[index].makes_spares = false;
	atomic_fetch_sub(&c->recording->control->makers, 1);
}

/* Removes the spares of a process that ended, or of the ancestor that it was the last to use. */
static void release_spares(struct collector *c, uint32_t index)
{
	for (size_t i = index, depth = 0; i != SIZE_MAX && depth < ANCESTORS_MAX; depth++) {
		const struct process *p = &c->processes.process[i];
		if (p->makes_spares && !p->alive && !processes_has_descendant(&c->processes, i))
			remove_spares(c, (uint32_t)i);
		i = processes_known(&c->processes, i, p->parent);
	}
}

/* Returns whether the process ended without a call of exit. */
static bool is_exit_unseen(const struct process *p)
{
	return !p->alive && p->shared != NULL && atomic_load(&p->shared->state) == RECORD_RUNNING;
}

int collector_report_end(struct collector *c, uint32_t index)
{
	uint64_t counter[RECORD_COUNTER_COUNT] = {0};
	const struct record_process *shared = c->processes.process[index].shared;
	int status = collector_report_unsent(c, index);
	if (status == IOT_OK)
		status = report_missing(c, index);
	if (status == IOT_OK)
		status = report_killed(c, index);
	for (size_t i = 0; shared != NULL && i < RECORD_COUNTER_COUNT; i++)
		counter[i] = atomic_load(&shared->counter[i]);
	if (counter[RECORD_COUNTER_GO] == 0) /* Go ends its programs without libc */
		counter[RECORD_COUNTER_EXITS] = is_exit_unseen(&c->processes.process[index]);
	if (status == IOT_OK)
		status = collector_add(
		    c, (struct iot_event){.kind = RING_ENDED,
					  .rec = {.process = index},
					  .text = {(const char *)counter, sizeof(counter)}});
	return status;
}

void collector_release_process(struct collector *c, uint32_t index)
{
	close_rings(c, index);
	processes_release(&c->processes, index, c->recording->fd);
	release_spares(c, index);
}
