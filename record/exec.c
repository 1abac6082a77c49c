/* SPDX-License-Identifier: BSD-2-Clause */
#include "exec.h"

#include "program.h"
#include "raw.h"
#include "uring.h"

/* In the child of vfork: the parent's ring, which is not in use, receives what it does. */
static void vforked_record(struct event_child *e)
{
	struct producer *p = &producer_self;
	struct record_ring *const own = p->ring;
	e->pid = (uint32_t)raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
	p->ring = p->parked;
	if (p->ring != NULL)
		event_child(p, e);
	p->ring = own;
}

static void vforked_exec(int directory, const char *path, char *const *envp)
{
	struct event_child e = {
	    .how = RECORD_VFORK, .directory = directory, .program = path, .why = program_why(envp)};
	struct producer *p = &producer_self;
	vforked_record(&e);
	if (p->ring != NULL) {
		event_seeks_flush(p);
		descriptors_exec();
		p->executed = true;
	} else if (p->parked != NULL)
		descriptors_share(false);
}

static void vforked_failed(void)
{
	struct producer *p = &producer_self;
	vforked_record(&(struct event_child){.how = RECORD_EXEC_FAILED});
	if (p->executed)
		descriptors_exec_failed();
	p->executed = false;
}

bool exec_begin(struct operation_call *o, struct producer *p, int directory, const char *path,
		char *const *envp)
{
	const bool vforked = producer_self.vforked > 0;
	if (vforked)
		vforked_exec(directory, path, envp);
	if (vforked || !operation_begin_of(o, p, RECORD_OP_EXEC)) {
		program_is_unrecorded(1);
		return false;
	}
	event_seeks_flush(o->p);
	operation_on_path(o, directory, path);
	o->event.end = o->event.start;
	o->event.result = program_why(envp);
	event_operation(o->p, &o->event);
	producer_end(o->p, o->outer);
	descriptors_exec();
	process_executes();
	return true;
}

void exec_returns(struct operation_call *o, bool recorded, int64_t result)
{
	if (recorded) {
		descriptors_exec_failed();
		uring_continues();
		atomic_store(&recording.process->state, RECORD_RUNNING);
		o->event.start = clock_now(); /* after the record of the call */
		operation_returns(o, result);
		return;
	}
	if (producer_self.vforked > 0)
		vforked_failed();
	program_is_unrecorded(-1);
}
