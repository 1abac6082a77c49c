/* SPDX-License-Identifier: BSD-2-Clause */
#include "event_counter.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cli/ui/message.h"
#include "lib/base/number.h"
#include "lib/base/thread.h"
#include "lib/format/lacks.h"

static void count_process(struct event_counter *c, const struct iot_event *ev)
{
	if (idmap_number(&c->processes, ev->rec.process) == SIZE_MAX)
		c->status = IOT_ENOMEM;
	c->counts.processes = c->processes.count;
}

static void count_lost(struct event_counter *c, const struct iot_event *ev)
{
	const struct iot_text text = iot_directive_get(ev, "records");
	uint64_t records;
	if (text.data != NULL && number_decimal(text.data, text.size, &records))
		c->counts.lost += records;
	else
		c->counts.lost_more = true;
}

static bool is_logical(const struct iot_event *ev)
{
	return ev->kind == IOT_RECORD && (ev->rec.type & IOT_LOGICAL) != 0;
}

/* Physical records count until the first logical one. */
static int count_physical(struct event_counter *c, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n && c->physical_stats != NULL; i++)
		if (is_logical(&ev[i])) {
			iot_stats_free(c->physical_stats);
			c->physical_stats = NULL;
		}
	return c->physical_stats != NULL ? iot_stats_events(c->physical_stats, ev, n) : IOT_OK;
}

static int count_batch(struct event_counter *c, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ev[i].kind == IOT_RECORD ||
		    (ev[i].kind == IOT_OP && (ev[i].has & IOT_HAS_PROCESS) != 0))
			count_process(c, &ev[i]);
		else if (ev[i].kind == IOT_LOST)
			count_lost(c, &ev[i]);
		else if (ev[i].kind == IOT_TRACE)
			c->counts.no_processes |= (lacks_of(&ev[i]) & LACK_PROCESSES) != 0;
	c->any |= n > 0;
	if (c->status == IOT_OK)
		c->status = count_physical(c, ev, n);
	return c->status == IOT_OK ? iot_stats_events(c->stats, ev, n) : c->status;
}

static void *count(void *context)
{
	struct event_counter *c = context;
	struct iot_batch *b = c->batch;
	ssize_t n = 0;
	int status = IOT_OK;
	while (status == IOT_OK && (n = iot_reader_events(c->reader, b->events, b->capacity)) > 0) {
		pthread_mutex_lock(&c->lock);
		status = count_batch(c, b->events, (size_t)n);
		pthread_mutex_unlock(&c->lock);
	}
	pthread_mutex_lock(&c->lock);
	c->status = status != IOT_OK ? status : (int)n;
	pthread_mutex_unlock(&c->lock);
	(void)eventfd_write(c->done, 1);
	return NULL;
}

static bool start(struct event_counter *c, struct follow *input, const char *name)
{
	c->started = false;
	if (!follow_open_trace(input, c->reader, name))
		return false;
	c->started = thread_start(&c->thread, count, c);
	if (!c->started)
		message_print("no thread: %s", strerror(EAGAIN));
	return c->started;
}

bool event_counter_start(struct event_counter *c, struct follow *input, const char *name,
			 const struct iot_stats_options *options, bool by_default)
{
	struct iot_stats_options physical = *options;
	physical.physical = 1;
	*c = (struct event_counter){.reader = iot_reader_new(),
				    .batch = iot_batch_new(IOT_BATCH_EVENTS),
				    .stats = iot_stats_new(options),
				    .physical_stats = by_default ? iot_stats_new(&physical) : NULL,
				    .done = eventfd(0, EFD_CLOEXEC)};
	pthread_mutex_init(&c->lock, NULL);
	if (c->reader != NULL && c->batch != NULL && c->stats != NULL &&
	    (!by_default || c->physical_stats != NULL) && c->done >= 0)
		return start(c, input, name);
	(void)message_no_memory();
	return false;
}

bool event_counter_snapshot(struct event_counter *c, struct counts *counts)
{
	pthread_mutex_lock(&c->lock);
	*counts = c->counts;
	counts->physical =
	    c->physical_stats != NULL && iot_stats_fact(c->stats, IOT_STATS_LEFT_OUT) > 0;
	counts->stats = iot_stats_snapshot(counts->physical ? c->physical_stats : c->stats);
	pthread_mutex_unlock(&c->lock);
	return counts->stats != NULL;
}

int event_counter_join(struct event_counter *c)
{
	if (c->started)
		(void)pthread_join(c->thread, NULL);
	c->started = false;
	return c->status;
}

bool event_counter_has_events(const struct event_counter *c)
{
	return c->any;
}

void event_counter_free(struct event_counter *c)
{
	(void)event_counter_join(c);
	iot_reader_free(c->reader);
	iot_batch_free(c->batch);
	iot_stats_free(c->stats);
	iot_stats_free(c->physical_stats);
	idmap_free(&c->processes);
	if (c->done >= 0)
		(void)close(c->done);
	pthread_mutex_destroy(&c->lock);
}
