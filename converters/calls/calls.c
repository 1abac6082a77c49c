/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs calls; see calls.h. */
#include "calls.h"

#include <stdio.h>

void calls_init(struct calls *c, struct source_state *src)
{
	c->src = src;
	c->emit.report = &src->report;
	c->emit.directive_capacity = PATHS_DIRECTIVE;
	c->emit.promised_ns = src->first_ns;
	fdtable_init(&c->fds);
	call_types_init(c->names);
}

void calls_free(struct calls *c)
{
	callers_free(c);
	fdtable_clear(&c->fds);
	emit_free(&c->emit);
}

static uint64_t child_key(const struct caller *p, int64_t pid)
{
	return (p->key & ~(uint64_t)UINT32_MAX) | (uint32_t)pid;
}

static enum call_outcome run_process_call(struct calls *c, const struct call *call)
{
	struct caller *p = call->caller;
	switch (call->type->kind) {
	case CALL_FORK:
		if (call_has(call, CALL_HAS_RESULT) && call->result > 0 &&
		    call->result <= UINT32_MAX)
			caller_fork(c, p, child_key(p, call->result),
				    call_has(call, CALL_HAS_FLAGS) ? call->flags : 0);
		return CALL_TRACKED;
	case CALL_EXEC:
		if (!call_failed(call))
			fd_table_exec(&c->fds, p->table);
		return CALL_TRACKED;
	default:
		caller_exit(c, p);
		return CALL_TRACKED;
	}
}

enum call_outcome calls_run(struct calls *c, const struct call *call)
{
	switch (call->type->kind) {
	case CALL_READ:
	case CALL_WRITE:
	case CALL_READ_AT:
	case CALL_WRITE_AT:
		return calls_transfer(c, call);
	case CALL_COPY:
		return calls_copy(c, call);
	case CALL_SEEK:
	case CALL_POSITION:
		return calls_seek(c, call);
	case CALL_OPEN:
	case CALL_CREATE:
	case CALL_OPEN_STREAM:
		return calls_open(c, call);
	case CALL_CLOSE:
	case CALL_CLOSE_RANGE:
		return calls_close(c, call);
	case CALL_DUP:
	case CALL_FCNTL:
		return calls_dup(c, call);
	case CALL_PIPE:
	case CALL_SOCKET:
	case CALL_SPECIAL:
	case CALL_MEMFD:
		return calls_create(c, call);
	case CALL_MAP:
	case CALL_HIDDEN:
		return calls_map(c, call);
	case CALL_ON_FD:
	case CALL_TRUNCATE_FD:
		return calls_on_fd(c, call);
	case CALL_ON_PATH:
	case CALL_UNLINK:
	case CALL_RENAME:
	case CALL_LINK:
	case CALL_TRUNCATE:
		return calls_on_path(c, call);
	case CALL_CHDIR:
		return calls_chdir(c, call);
	case CALL_FORK:
	case CALL_EXEC:
	case CALL_EXIT:
		return run_process_call(c, call);
	case CALL_NONE:
		break;
	}
	return CALL_UNUSED;
}

/* The number of a line does not identify it among several files. */
static void report_contradicted(struct calls *c)
{
	const uint64_t lost = c->lines[CALL_CONTRADICTED];
	struct error *e = &c->src->error;
	char line[48] = "";
	if (lost == 0 || e->status != IOT_OK)
		return;
	if (input_count(c->src->input) == 1)
		snprintf(line, sizeof line, "line %ju: ", (uintmax_t)c->contradicted_line);
	error_set(e, IOT_EFORMAT,
		  "%scalls are missing (%ju): their results contradict their arguments", line,
		  (uintmax_t)lost);
}

void calls_finish(struct calls *c, const char *source)
{
	report_contradicted(c);
	calls_report(c);
	emit_counts(&c->emit, source, c->last_ns);
}

bool calls_failed(struct calls *c)
{
	const int status = c->emit.status != IOT_OK ? c->emit.status : c->fds.status;
	struct error *e = &c->src->error;
	if (status == IOT_OK)
		return false;
	if (e->status == IOT_OK && status == IOT_ENOMEM)
		error_set(e, status, "out of memory");
	else if (e->status == IOT_OK)
		error_set(
		    e, status,
		    "line %ju: processes, descriptors and names at once need more than %d MiB",
		    (uintmax_t)c->src->report.lines, FDTABLE_MEMORY_MAX >> 20);
	return true;
}
