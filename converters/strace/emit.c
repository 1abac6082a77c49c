/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Emits events. Untimed directives get the earliest time at which an event can still occur, so that
 * sorting puts them before all events that need them.
 */
#include "strace.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "lib/format/open_flags.h"

void strace_count(struct strace *s, const char *name, uint64_t n)
{
	report_add(&s->src->report, name, n);
}

void strace_lose(struct strace *s, enum strace_loss why, const struct strace_member *m,
		 uint64_t line)
{
	static const char *const NAMES[STRACE_LOSSES] = {
	    [STRACE_MIXED] = "mixed.lost", [STRACE_CONTRADICTED] = "contradicted.lost"};
	struct strace_lost *lost = &s->lost[why];
	if (lost->calls++ == 0 && m != NULL) {
		lost->member = m->index;
		lost->line = line;
	}
	strace_count(s, NAMES[why], 1);
}

/* %trace */

/* Writes the strings of ["a", "b"...], separated by spaces, to out. */
static size_t argv_text(struct strace_text arg, char *out, size_t capacity)
{
	struct strace_text word[STRACE_ARGS * 8];
	const unsigned count = strace_elements(arg, word, STRACE_ARGS * 8);
	size_t n = 0;
	for (unsigned i = 0; i < count && n + 1 < capacity; i++) {
		size_t size;
		if (n > 0)
			out[n++] = ' ';
		if (!strace_string(word[i], out + n, capacity - n, &size))
			return 0;
		n += size;
	}
	return n;
}

static size_t command(const struct strace_line *line, char *out, size_t capacity)
{
	struct strace_text arg[STRACE_ARGS];
	const char *p = line->body;
	unsigned count;
	if (line->kind != STRACE_CALL || !strace_skip(&p, line->end, "execve(") ||
	    strace_split(p, line->end, NULL, arg, STRACE_ARGS, &count) == NULL || count < 2)
		return 0;
	size_t size = argv_text(arg[1], out, capacity);
	if (size == 0)
		strace_string(arg[0], out, capacity, &size);
	return size;
}

void strace_emit_trace(struct strace *s)
{
	struct iot_builder b;
	if (!emit_begin(&s->emit, &b, "trace"))
		return;
	const struct strace_member *first = s->log.current;
	emit_string(&b, "source", "strace");
	if (first != NULL) {
		size_t size = command(&first->line, s->path, sizeof s->path);
		if (size > 0)
			iot_directive_text(&b, "command", s->path, size);
	}
	if (s->options.host != NULL)
		emit_string(&b, "host", s->options.host);
	if (s->log.epochs > 0 && s->log.epochs == s->log.logs)
		iot_directive_number(&b, "epoch", 0);
	const char *lacks =
	    s->log.has_time
		? (s->log.durations ? "cpu,created" : "cpu,completion,created")
		: (s->log.durations ? "cpu,start,created" : "cpu,completion,start,created");
	emit_string(&b, "lacks", lacks);
	emit_end(&s->emit, &b, s->src->first_ns);
}

void strace_emit_process(struct strace *s, struct strace_group *g)
{
	struct iot_builder b;
	g->announced = true;
	if (!emit_begin(&s->emit, &b, "process"))
		return;
	iot_directive_number(&b, "id", g->id);
	if (g->name != NULL)
		iot_directive_text(&b, "name", g->name, g->name_size);
	if (s->options.ranked)
		iot_directive_number(&b, "rank", s->options.rank);
	if (g->parent != 0)
		iot_directive_number(&b, "parent", g->parent);
	if (g->thread_of != 0)
		iot_directive_number(&b, "thread-of", g->thread_of);
	if (g->pid != 0 && g->id != g->pid)
		iot_directive_number(&b, "pid", g->pid);
	emit_end(&s->emit, &b, emit_untimed(&s->emit, s->now_ns));
}

/* %file */

bool strace_recorded(const struct strace *s, const struct open_description *d)
{
	return d->kind == FD_FILE || s->options.all;
}

bool strace_shown(const struct strace *s, const struct open_description *d)
{
	return strace_recorded(s, d) || d->kind == FD_DIRECTORY;
}

static void file_event(struct strace *s, const struct strace_task *t, int64_t fd,
		       struct open_description *d, int64_t from_ns)
{
	static const char *const KINDS[] = {[FD_DIRECTORY] = "directory", [FD_SOCKET] = "socket",
					    [FD_PIPE] = "pipe",           [FD_TTY] = "tty",
					    [FD_DEVICE] = "device",       [FD_MEMFD] = "memfd",
					    [FD_OTHER] = "other"};
	struct iot_builder b;
	assert(d->kind <= FD_OTHER);
	if (!emit_begin(&s->emit, &b, "file"))
		return;
	iot_directive_number(&b, "process", t->group->id);
	iot_directive_number(&b, "id", d->id);
	iot_directive_number(&b, "object", fdtable_object(&s->fds, d));
	if (d->file != NULL && file_has_path(&s->fds, d->file)) {
		iot_directive_text(&b, "path", d->file->path, d->file->path_size);
	} else {
		char id[2 * 20 + 2];
		int n = snprintf(id, sizeof id, "%u:%lld", t->group->pid, (long long)fd);
		iot_directive_text(&b, "source-id", id, (size_t)n);
	}
	if (KINDS[d->kind] != NULL)
		emit_string(&b, "kind", KINDS[d->kind]);
	const char *flags = open_flags_name(d->sync, d->dsync, d->direct);
	if (flags != NULL)
		emit_string(&b, "flags", flags);
	const int64_t key_ns = emit_untimed(&s->emit, from_ns);
	const bool again = d->ended_process == t->group->id && d->ended_ns > key_ns;
	emit_end(&s->emit, &b,
		 again ? d->ended_ns : key_ns); /* after the close, if there was one */
}

uint32_t strace_emit_file(struct strace *s, struct strace_task *task, int64_t fd,
			  struct fd_slot *slot, int64_t from_ns)
{
	struct open_description *d = slot->open;
	uint32_t process = task->group->id;
	if (!task->group->announced)
		strace_emit_process(s, task->group);
	if (d->reported_last != process && !description_mark_known(&s->fds, d, process))
		file_event(s, task, fd, d, from_ns);
	return d->id;
}

/* Records */

void strace_make_record(struct strace *s, const struct strace_call *c, int64_t fd,
			struct fd_slot *slot, const struct strace_io *io, struct iot_record *rec)
{
	struct open_description *d = slot->open;
	uint32_t process = c->task->group->id;
	if (d->reported_last != process || !c->task->group->announced)
		strace_emit_file(s, c->task, fd, slot, c->start_ns);
	unsigned type = IOT_LOGICAL | (io->write ? IOT_WRITE : 0U) | (io->async ? IOT_ASYNC : 0U);
	unsigned flags = IOT_CPU_UNKNOWN | (io->at.known ? 0U : IOT_OFFSET_UNKNOWN) |
			 (c->duration_known ? 0U : IOT_DURATION_UNKNOWN) |
			 (s->log.has_time ? 0U : IOT_START_UNKNOWN);
	*rec = (struct iot_record){.start_ns = c->start_ns,
				   .duration_ns = c->duration_ns,
				   .offset = io->at.offset,
				   .length = io->length,
				   .file = d->id,
				   .process = process,
				   .object = fdtable_object(&s->fds, d),
				   .type = (uint8_t)type,
				   .flags = (uint8_t)flags};
}

void strace_emit_record(struct strace *s, const struct iot_record *rec)
{
	struct iot_event *ev = emit_event(&s->emit);
	if (ev == NULL)
		return;
	emit_record(ev, *rec);
	s->src->report.records++;
	s->src->report.record_bytes += rec->length;
	if ((rec->flags & IOT_OFFSET_UNKNOWN) == 0)
		return;
	strace_count(s, "unknown.offset_records", 1);
	strace_count(s, "unknown.offset_bytes", rec->length);
}

/* %op */

static struct iot_text op_result(const struct strace_call *c)
{
	if (!c->failed)
		return (struct iot_text){"0", 1};
	if (c->error.p != NULL && c->error.end > c->error.p)
		return (struct iot_text){c->error.p, (size_t)(c->error.end - c->error.p)};
	return (struct iot_text){"error", 5};
}

/* A size is not shown if it is negative, which is an error. */
static bool op_size(const struct strace_call *c, const struct strace_op *op, uint64_t *size)
{
	int64_t given = 0;
	const bool is_given =
	    strcmp(op->name, "truncate") == 0 && strace_number(c->arg[1], &given) && given >= 0;
	*size = (uint64_t)given;
	return op->empties || is_given;
}

void strace_emit_op(struct strace *s, const struct strace_call *c, const struct strace_op *op)
{
	if (!emit_wants_op(&s->emit, op->name))
		return;
	if (!c->task->group->announced)
		strace_emit_process(s, c->task->group);
	struct emit_operation made = {.name = op->name,
				      .start_ns = c->start_ns,
				      .timed = c->duration_known,
				      .duration_ns = c->duration_ns,
				      .process = c->task->group->id,
				      .file = op->file,
				      .path = {op->path, op->path_size},
				      .to = {op->to, op->to_size},
				      .result = op_result(c)};
	made.has_size = op_size(c, op, &made.size);
	emit_operation(&s->emit, &made);
}

void strace_emit_op_on(struct strace *s, const struct strace_call *c, const char *name,
		       uint32_t file, const struct open_description *d)
{
	struct strace_op op = {.name = name, .file = file};
	if (d->file != NULL && file_has_path(&s->fds, d->file)) {
		op.path = d->file->path;
		op.path_size = d->file->path_size;
	}
	strace_emit_op(s, c, &op);
}
