/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that create, copy and close descriptors. */
#include "calls.h"

#include <string.h>

static const struct iot_text NO_PATH = {NULL, 0};

/* open */

struct open_request {
	int64_t flags;
	size_t path_size; /* of c->path; 0 if unknown */
};

static bool is_tmpfile(const struct open_request *o)
{
	return (o->flags & CALL_O_TMPFILE) == CALL_O_TMPFILE;
}

static enum descriptor_kind opened_kind(const struct calls *c, const struct open_request *o)
{
	enum descriptor_kind kind = FD_FILE;
	if (o->path_size > 0)
		kind = descriptor_kind_of_path(c->path, o->path_size, false);
	if (kind == FD_OTHER)
		kind = FD_FILE; /* a relative name */
	if ((o->flags & (CALL_O_DIRECTORY | CALL_O_PATH)) != 0 && !is_tmpfile(o))
		kind = FD_DIRECTORY;
	return kind;
}

/* Returns the opened file with a reference of the caller; NULL if the object is not a file. */
static struct tracked_file *opened_file(struct calls *c, const struct open_request *o,
					enum descriptor_kind kind)
{
	const bool creates = (o->flags & CALL_O_CREAT) != 0,
		   exclusive = creates && (o->flags & CALL_O_EXCL) != 0;
	struct tracked_file *f = NULL;
	if (kind != FD_FILE && kind != FD_DIRECTORY)
		return NULL;
	if (o->path_size > 0 && !is_tmpfile(o)) {
		f = fdtable_open(&c->fds, c->path, o->path_size,
				 (creates ? OPEN_CREATE : 0U) | (exclusive ? OPEN_EXCLUSIVE : 0U));
		if (f != NULL)
			f->refs++;
	} else if (kind == FD_FILE) {
		f = file_unlinked(&c->fds);
		if (f != NULL && (exclusive || is_tmpfile(o)))
			file_truncate(f, 0);
	}
	if (f != NULL && (o->flags & CALL_O_TRUNC) != 0)
		file_truncate(f, 0);
	if (f != NULL && c->sizes_unknown)
		f->size_known = false;
	return f;
}

static struct open_description *opened(struct calls *c, const struct open_request *o)
{
	const enum descriptor_kind kind = opened_kind(c, o);
	struct tracked_file *f = opened_file(c, o, kind);
	struct open_description *d = open_description_new(&c->fds, kind, f);
	file_free(&c->fds, f);
	if (d == NULL)
		return NULL;
	d->append = (o->flags & CALL_O_APPEND) != 0;
	d->position_known = d->seen = true;
	return d;
}

static int64_t mode_flags(struct iot_text mode)
{
	const bool plus = mode.size > 0 && memchr(mode.data, '+', mode.size) != NULL;
	int64_t flags = 0;
	if (mode.size > 0 && *mode.data == 'w')
		flags = CALL_O_WRONLY | CALL_O_CREAT | CALL_O_TRUNC;
	else if (mode.size > 0 && *mode.data == 'a')
		flags = CALL_O_WRONLY | CALL_O_CREAT | CALL_O_APPEND;
	return plus ? (flags & ~CALL_O_ACCESS) | CALL_O_RDWR : flags;
}

static void read_opening(struct calls *c, const struct call *call, struct open_request *o)
{
	*o = (struct open_request){.flags = call_has(call, CALL_HAS_FLAGS) ? call->flags : 0};
	if (call->type->kind == CALL_CREATE)
		o->flags = CALL_O_CREAT | CALL_O_WRONLY | CALL_O_TRUNC;
	else if (call->type->stream) /* the mode is text */
		o->flags = mode_flags(call->to_path);
	o->path_size = calls_resolve(c, call, call->path, c->path);
}

static const char *open_name(const struct open_request *o)
{
	return (o->flags & (CALL_O_CREAT | (CALL_O_TMPFILE & ~CALL_O_DIRECTORY))) != 0 ? "create"
										       : "open";
}

/* Stores a description in the slot that the call has returned. */
static struct fd_slot *install(struct calls *c, const struct call *call, int64_t fd,
			       struct open_description *d, bool cloexec)
{
	const struct fd_slot *there = fd_table_get(call->caller->table, fd);
	c->missed_closes += there != NULL && there->open->seen;
	if (fd >= call->caller->floor && fd < FD_MAX)
		call->caller->floor = fd + 1; /* a call returns the lowest free number */
	return fd_table_set(&c->fds, call->caller->table, fd, d, cloexec);
}

/*
 * A stream is known by the name of its file only. Of two streams that are open at a time, the
 * source does not show which one a call uses.
 */
static struct fd_slot *open_stream(struct calls *c, const struct call *call,
				   const struct open_request *o)
{
	struct fd_table *streams = calls_streams(c, call->caller);
	if (streams == NULL || call->note_number == 0)
		return NULL;
	struct fd_slot *there = fd_table_get(streams, call->note_number);
	if (there == NULL || !there->open->seen)
		return fd_table_set(&c->fds, streams, call->note_number, opened(c, o), false);
	there->open->users++;
	there->open->vague = true;
	there->open->position_known = false;
	return there;
}

static enum call_outcome open_failed(struct calls *c, const struct call *call,
				     const struct open_request *o)
{
	static const char ABSENT[] = "ENOENT";
	if (o->path_size > 0 && (o->flags & CALL_O_CREAT) == 0 &&
	    call->error.size == sizeof ABSENT - 1 &&
	    memcmp(call->error.data, ABSENT, sizeof ABSENT - 1) == 0)
		fdtable_missing(&c->fds, c->path, o->path_size);
	return calls_emit_op(c, call, open_name(o), 0, (struct iot_text){c->path, o->path_size},
			     NO_PATH);
}

/* A name may be shown later, with the descriptor: such a file is defined at its first use. */
enum call_outcome calls_open(struct calls *c, const struct call *call)
{
	struct open_request o;
	read_opening(c, call, &o);
	if (call_failed(call))
		return open_failed(c, call, &o);
	if (!call->type->stream && !call_has(call, CALL_HAS_RESULT))
		return CALL_FAILED;
	struct fd_slot *slot = call->type->stream ? open_stream(c, call, &o)
						  : install(c, call, call->result, opened(c, &o),
							    (o.flags & CALL_O_CLOEXEC) != 0);
	if (slot == NULL)
		return CALL_TRACKED;
	slot->open->note = call->note_number;
	const bool named = o.path_size > 0 && slot->open->file != NULL;
	const uint32_t file = (named || c->names_final) && emit_wants_op(&c->emit, open_name(&o))
				  ? calls_emit_file(c, call, slot->open)
				  : 0;
	return calls_emit_op(c, call, open_name(&o), file, (struct iot_text){c->path, o.path_size},
			     NO_PATH);
}

/* close */

static enum call_outcome close_slot(struct calls *c, const struct call *call,
				    struct fd_table *table, int64_t fd)
{
	struct fd_slot *slot = fd_table_get(table, fd);
	enum call_outcome outcome = CALL_TRACKED;
	if (slot == NULL)
		return CALL_TRACKED;
	struct open_description *d = slot->open;
	if (call->type->stream && d->users > 0) {
		d->users--;
		return CALL_TRACKED;
	}
	if (fd_table_last(table, fd) && d->reported_last != 0)
		outcome = calls_emit_op_on(c, call, d);
	fd_table_close(&c->fds, table, fd);
	return outcome;
}

enum call_outcome calls_close(struct calls *c, const struct call *call)
{
	if (call->type->stream) {
		struct fd_table *streams = calls_streams(c, call->caller);
		return streams == NULL ? CALL_TRACKED
				       : close_slot(c, call, streams, call->note_number);
	}
	if (call_failed(call) || !call_has(call, CALL_HAS_FD))
		return CALL_TRACKED;
	if (call->fd >= 3 && call->fd < call->caller->floor)
		call->caller->floor = call->fd;
	if (call->type->kind == CALL_CLOSE)
		return close_slot(c, call, call->caller->table, call->fd);
	struct fd_slot *slot;
	struct fd_table *table = call->caller->table;
	const int64_t last = call_has(call, CALL_HAS_TO) ? call->to : INT64_MAX;
	for (int64_t fd = call->fd < 0 ? 0 : call->fd;
	     (fd = fd_table_next(table, fd, &slot)) < (int64_t)table->capacity && fd <= last; fd++)
		fd_table_close(&c->fds, table, fd);
	return CALL_TRACKED;
}

/* Other descriptors */

/* The source does not show the two descriptors of a pipe: the lowest free ones. */
static void create_pipe(struct calls *c, const struct call *call)
{
	for (int i = 0; i < 2; i++) {
		const uint32_t fd =
		    fd_table_lowest(call->caller->table, (uint32_t)call->caller->floor);
		(void)fd_table_set(&c->fds, call->caller->table, fd,
				   open_description_new(&c->fds, FD_PIPE, NULL), false);
	}
}

enum call_outcome calls_create(struct calls *c, const struct call *call)
{
	const enum call_kind kind = call->type->kind;
	if (!call_has(call, CALL_HAS_RESULT) || call->result < 0)
		return CALL_TRACKED;
	if (kind == CALL_PIPE) {
		create_pipe(c, call);
		return CALL_TRACKED;
	}
	struct open_description *d = open_description_new(&c->fds,
							  kind == CALL_SOCKET  ? FD_SOCKET
							  : kind == CALL_MEMFD ? FD_MEMFD
									       : FD_OTHER,
							  NULL);
	if (d != NULL)
		d->seen = true;
	(void)install(c, call, call->result, d, false);
	return CALL_TRACKED;
}

/* dup */

enum fcntl_command { DUPFD = 0, SETFD = 2, SETFL = 4, DUPFD_CLOEXEC = 1030 };

/* The copy is not shown: from now on, it may move the position. */
static void copy_hidden(struct calls *c, const struct call *call)
{
	struct fd_slot *slot = call_has(call, CALL_HAS_FD) ? calls_slot(c, call) : NULL;
	struct tracked_file *f = slot != NULL ? slot->open->file : NULL;
	const size_t size = slot == NULL ? calls_resolve(c, call, call->path, c->path) : 0;
	if (size > 0)
		f = fdtable_find(&c->fds, c->path, size);
	if (f != NULL)
		calls_share(c, f);
	report_add(&c->src->report, "unseen.copies", 1);
}

static void copy_fd(struct calls *c, const struct call *call, bool cloexec)
{
	if (!call_has(call, CALL_HAS_RESULT) && c->copies_hidden)
		copy_hidden(c, call);
	if (!call_has(call, CALL_HAS_RESULT | CALL_HAS_FD) || call->result < 0 ||
	    call->fd == call->result || calls_slot(c, call) == NULL)
		return;
	(void)fd_table_dup(&c->fds, call->caller->table, call->fd, call->result, cloexec);
}

static void control(struct calls *c, const struct call *call)
{
	struct fd_slot *slot;
	if (!call_has(call, CALL_HAS_FLAGS | CALL_HAS_FD) || call_failed(call))
		return;
	if (call->flags == DUPFD || call->flags == DUPFD_CLOEXEC)
		copy_fd(c, call, call->flags == DUPFD_CLOEXEC);
	else if (call->flags == SETFD && call_has(call, CALL_HAS_OFFSET))
		fd_table_set_cloexec(&c->fds, call->caller->table, call->fd, call->offset & 1);
	else if (call->flags == SETFL && call_has(call, CALL_HAS_OFFSET) &&
		 (slot = calls_slot(c, call)) != NULL)
		slot->open->append = (call->offset & CALL_O_APPEND) != 0;
}

enum call_outcome calls_dup(struct calls *c, const struct call *call)
{
	if (call->type->kind == CALL_FCNTL)
		control(c, call);
	else
		copy_fd(c, call, false);
	return CALL_TRACKED;
}
