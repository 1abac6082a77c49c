/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events. Directives without a time of their own get the earliest time at which an event can still
 * come, so that sorting puts them before all that need them.
 */
#include "strace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/room.h"

enum { CHUNK_SIZE = 64 << 10, DIRECTIVE_ROOM = 2 * 3 * IOT_PATH_ROOM + 512 };

void iot_strace_count(struct strace *s, const char *name, uint64_t n)
{
	iot_report_add(&s->src->report, name, n);
}

/* Text that lives until the next call of next */

void iot_strace_text_reset(struct strace *s)
{
	for (struct strace_chunk *c = s->chunks; c != NULL; c = c->next)
		c->used = 0;
	s->chunk = s->chunks;
}

static char *text_room(struct strace *s, size_t need)
{
	struct strace_chunk *c = s->chunk;
	while (c != NULL && c->room - c->used < need)
		c = c->next;
	if (c == NULL) {
		size_t room = need > CHUNK_SIZE ? need : CHUNK_SIZE;
		c = malloc(sizeof *c + room);
		if (c == NULL) {
			s->status = IOT_ENOMEM;
			return NULL;
		}
		*c = (struct strace_chunk){.room = room};
		struct strace_chunk **last = &s->chunks;
		while (*last != NULL)
			last = &(*last)->next;
		*last = c;
	}
	s->chunk = c;
	return c->text + c->used;
}

/* Events that do not fit any more wait for the next call. */
struct iot_event *iot_strace_event(struct strace *s)
{
	if (s->out_count < s->out_max)
		return &s->out[s->out_count++];
	if (!iot_room(&s->over, &s->over_room, s->over_count + 1, sizeof *s->over)) {
		s->status = IOT_ENOMEM;
		return NULL;
	}
	return &s->over[s->over_count++];
}

static bool begin(struct strace *s, struct iot_builder *b, const char *name, size_t room)
{
	char *memory = text_room(s, room);
	if (memory == NULL)
		return false;
	iot_directive_begin(b, memory, room, name);
	return true;
}

static struct iot_event *end(struct strace *s, struct iot_builder *b, int64_t start_ns)
{
	struct iot_event made = {0};
	if (iot_directive_end(b, &made) != IOT_OK) { /* only ever too long */
		iot_strace_count(s, "directive.too_long", 1);
		return NULL;
	}
	struct iot_event *ev = iot_strace_event(s);
	if (ev == NULL)
		return NULL;
	*ev = made;
	ev->rec.start_ns = start_ns;
	s->chunk->used += made.text.size;
	return ev;
}

static int64_t undated(const struct strace *s, int64_t from_ns)
{
	return s->promised_ns < from_ns ? s->promised_ns : from_ns;
}

/* %trace */

/* The strings of ["a", "b"...], with blanks between, to out. */
static size_t argv_text(struct strace_text arg, char *out, size_t room)
{
	size_t n = 0;
	struct strace_text word[STRACE_ARGS * 8];
	unsigned count;
	if (arg.p == arg.end || *arg.p != '[' ||
	    iot_strace_split(arg.p + 1, arg.end, NULL, word, STRACE_ARGS * 8, &count) == NULL)
		return 0;
	for (unsigned i = 0; i < count && n + 1 < room; i++) {
		size_t size;
		if (n > 0)
			out[n++] = ' ';
		if (!iot_strace_string(word[i], out + n, room - n, &size))
			return 0;
		n += size;
	}
	return n;
}

static size_t command(struct strace *s, const struct strace_line *line, char *out, size_t room)
{
	static const char EXEC[] = "execve(";
	struct strace_text arg[STRACE_ARGS];
	unsigned count;
	size_t n = sizeof EXEC - 1, size = 0;
	if (line->kind != STRACE_CALL || (size_t)(line->end - line->body) < n ||
	    memcmp(line->body, EXEC, n) != 0 ||
	    iot_strace_split(line->body + n, line->end, NULL, arg, STRACE_ARGS, &count) == NULL ||
	    count < 2)
		return 0;
	(void)s;
	size = argv_text(arg[1], out, room);
	if (size == 0)
		iot_strace_string(arg[0], out, room, &size);
	return size;
}

void iot_strace_emit_trace(struct strace *s)
{
	struct iot_builder b;
	if (!begin(s, &b, "trace", DIRECTIVE_ROOM))
		return;
	const struct strace_member *first = s->current;
	iot_directive_text(&b, "source", "strace", 6);
	if (first != NULL) {
		size_t size = command(s, &first->line, s->path, sizeof s->path);
		if (size > 0)
			iot_directive_text(&b, "command", s->path, size);
	}
	if (s->epoch)
		iot_directive_number(&b, "epoch", 0);
	const char *lacks = !s->has_time    ? "cpu,completion,start"
			    : !s->durations ? "cpu,completion"
					    : "cpu";
	iot_directive_text(&b, "lacks", lacks, strlen(lacks));
	end(s, &b, s->src->first_ns);
}

void iot_strace_emit_process(struct strace *s, struct strace_group *g)
{
	struct iot_builder b;
	g->announced = true;
	if (!begin(s, &b, "process", DIRECTIVE_ROOM))
		return;
	iot_directive_number(&b, "id", g->id);
	if (g->name != NULL)
		iot_directive_text(&b, "name", g->name, g->name_size);
	if (g->parent != 0)
		iot_directive_number(&b, "parent", g->parent);
	if (g->thread_of != 0)
		iot_directive_number(&b, "thread-of", g->thread_of);
	if (g->pid != 0 && g->id != g->pid)
		iot_directive_number(&b, "pid", g->pid);
	end(s, &b, undated(s, s->now_ns));
}

/* %file */

bool iot_strace_recorded(const struct strace *s, const struct iot_description *d)
{
	return d->kind == IOT_FD_FILE || s->all;
}

static uint32_t object_of(struct strace *s, struct iot_description *d)
{
	uint32_t *object = d->file != NULL ? &d->file->object : &d->object;
	if (*object == 0)
		*object = ++s->tracker.objects;
	return *object;
}

static const char *kind_name(unsigned kind)
{
	switch (kind) {
	case IOT_FD_DIRECTORY:
		return "directory";
	case IOT_FD_SOCKET:
		return "socket";
	case IOT_FD_PIPE:
		return "pipe";
	case IOT_FD_TTY:
		return "tty";
	case IOT_FD_DEVICE:
		return "device";
	case IOT_FD_OTHER:
		return "other";
	default:
		return NULL;
	}
}

static void file_event(struct strace *s, const struct strace_task *t, int64_t fd,
		       struct iot_description *d, int64_t from_ns)
{
	struct iot_builder b;
	const char *kind = kind_name(d->kind);
	if (!begin(s, &b, "file", DIRECTIVE_ROOM))
		return;
	iot_directive_number(&b, "process", t->group->id);
	iot_directive_number(&b, "id", d->id);
	iot_directive_number(&b, "object", object_of(s, d));
	if (d->file != NULL && d->file->path != NULL) {
		iot_directive_text(&b, "path", d->file->path, d->file->path_size);
	} else {
		char id[2 * 20 + 2];
		int n = snprintf(id, sizeof id, "%u:%lld", t->group->pid, (long long)fd);
		iot_directive_text(&b, "source-id", id, (size_t)n);
	}
	if (kind != NULL)
		iot_directive_text(&b, "kind", kind, strlen(kind));
	end(s, &b, undated(s, from_ns));
}

uint32_t iot_strace_emit_file(struct strace *s, struct strace_task *task, int64_t fd,
			      struct iot_slot *slot, int64_t from_ns)
{
	struct iot_description *d = slot->open;
	uint32_t process = task->group->id;
	if (!task->group->announced)
		iot_strace_emit_process(s, task->group);
	if (slot->told == process)
		return d->id;
	slot->told = process;
	if (!iot_description_told(&s->tracker, d, process))
		file_event(s, task, fd, d, from_ns);
	return d->id;
}

/* Records */

void iot_strace_emit_record(struct strace *s, const struct strace_call *c, int64_t fd,
			    struct iot_slot *slot, const struct strace_io *io)
{
	struct iot_description *d = slot->open;
	uint32_t process = c->task->group->id;
	if (slot->told != process || !c->task->group->announced)
		iot_strace_emit_file(s, c->task, fd, slot, c->start_ns);
	struct iot_event *ev = iot_strace_event(s);
	if (ev == NULL)
		return;
	unsigned type = IOT_LOGICAL | (io->write ? IOT_WRITE : 0U) | (io->async ? IOT_ASYNC : 0U);
	unsigned flags = IOT_CPU_UNKNOWN | (io->place.known ? 0U : IOT_OFFSET_UNKNOWN) |
			 (c->duration_known ? 0U : IOT_DURATION_UNKNOWN) |
			 (s->has_time ? 0U : IOT_START_UNKNOWN);
	*ev = (struct iot_event){
	    .rec = {.start_ns = c->start_ns,
		    .duration_ns = c->duration_ns,
		    .offset = io->place.offset,
		    .length = io->length,
		    .file = d->id,
		    .process = process,
		    .object = object_of(s, d),
		    .type = (uint8_t)type,
		    .flags = (uint8_t)flags},
	    .kind = IOT_RECORD,
	};
	s->src->report.records++;
	if (io->place.known)
		return;
	iot_strace_count(s, "unknown.offset_records", 1);
	iot_strace_count(s, "unknown.offset_bytes", io->length);
}

/* %op */

bool iot_strace_wants_op(const struct strace *s, const char *name)
{
	static const char *const NAMES[] = {"create", "close", "unlink",  "rmdir", "rename",
					    "link",   "mkdir", "symlink", "mknod"};
	if (s->ops != STRACE_OPS_NAMES)
		return s->ops == STRACE_OPS_ALL;
	for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
		if (strcmp(NAMES[i], name) == 0)
			return true;
	return false;
}

static void op_result(struct iot_builder *b, const struct strace_call *c)
{
	size_t n = (size_t)(c->error.end - c->error.p);
	if (!c->failed)
		iot_directive_text(b, "result", "0", 1);
	else if (c->error.p != NULL && n > 0)
		iot_directive_text(b, "result", c->error.p, n);
	else
		iot_directive_text(b, "result", "error", 5);
}

void iot_strace_emit_op(struct strace *s, const struct strace_call *c, const struct strace_op *op)
{
	struct iot_builder b;
	if (!c->task->group->announced)
		iot_strace_emit_process(s, c->task->group);
	if (!begin(s, &b, "op", DIRECTIVE_ROOM))
		return;
	iot_directive_text(&b, "name", op->name, strlen(op->name));
	iot_directive_number(&b, "time", (uint64_t)c->start_ns);
	iot_directive_number(&b, "took", c->duration_ns);
	iot_directive_number(&b, "process", c->task->group->id);
	if (op->file != 0)
		iot_directive_number(&b, "file", op->file);
	if (op->path_size > 0)
		iot_directive_text(&b, "path", op->path, op->path_size);
	if (op->to_size > 0)
		iot_directive_text(&b, "to", op->to, op->to_size);
	op_result(&b, c);
	end(s, &b, c->start_ns);
}

/* %counter, last of all */

void iot_strace_emit_counters(struct strace *s)
{
	struct iot_builder b;
	const struct iot_report *r = &s->src->report;
	if ((r->counts == 0 && r->unparsed == 0) || !begin(s, &b, "counter", DIRECTIVE_ROOM))
		return;
	iot_directive_text(&b, "source", "strace", 6);
	for (size_t i = 0; i < r->counts; i++)
		iot_directive_number(&b, r->count[i].name, r->count[i].value);
	if (r->unparsed > 0)
		iot_directive_number(&b, "unparsed", r->unparsed);
	end(s, &b, s->now_ns);
}
