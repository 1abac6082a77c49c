/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of the module, and the records and events that it has. */
#include <sys/eventfd.h>
#include <unistd.h>

#include "cli/ui/message.h"

#include "module_run_internal.h"

static const char *object_name(void *context, uint32_t object, size_t *size)
{
	struct module_run *r = context;
	return iot_reader_name(r->reader, object, size);
}

static void log_line(void *context, const char *line)
{
	const struct module_run *r = context;
	message_print("module %s: %s", r->module.is != NULL ? r->module.is->name : r->path, line);
}

void module_set_host(struct module_run *r)
{
	r->host = (struct iot_module_host){
	    .size = sizeof r->host, .context = r, .object_name = object_name, .log = log_line};
}

void module_begin_call(struct module_run *r)
{
	pthread_mutex_lock(&r->lock);
	(void)alarm(IOT_MODULE_SECONDS);
}

void module_end_call(struct module_run *r)
{
	(void)alarm(0);
	pthread_mutex_unlock(&r->lock);
}

static bool give_records(struct module_run *r, size_t n)
{
	if (n == 0)
		return true;
	atomic_fetch_add(r->records, n);
	return r->module.is->records(r->module.state, r->run, n) == 0;
}

static bool give_event(struct module_run *r, const struct iot_event *ev)
{
	const struct iot_module *is = r->module.is;
	return is->event == NULL || is->event(r->module.state, ev) == 0;
}

static bool give_batch(struct module_run *r, const struct iot_event *ev, size_t n)
{
	size_t gathered = 0;
	for (size_t i = 0; i < n; i++) {
		if (ev[i].kind == IOT_RECORD) {
			r->run[gathered++] = ev[i].rec;
			continue;
		}
		if (!give_records(r, gathered) || !give_event(r, &ev[i]))
			return false;
		gathered = 0;
	}
	return give_records(r, gathered);
}

void *module_read_trace(void *run)
{
	struct module_run *r = run;
	ssize_t n = 0;
	while (!r->refused &&
	       (n = iot_reader_events(r->reader, r->batch->events, IOT_BATCH_EVENTS)) > 0) {
		module_begin_call(r);
		r->refused = !give_batch(r, r->batch->events, (size_t)n);
		module_end_call(r);
	}
	r->status = (int)(n < 0 ? n : 0);
	atomic_store(&r->ended, true);
	(void)eventfd_write(r->done, 1);
	return NULL;
}
