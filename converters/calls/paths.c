/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that use names and sizes, and other operations without data. */
#include "calls.h"

#include <string.h>

static const struct iot_text NO_PATH = {NULL, 0};

/* Operations on descriptors */

static void resize(struct calls *c, const struct call *call, struct tracked_file *f)
{
	if (f == NULL || call_failed(call))
		return;
	if (call_has(call, CALL_HAS_OFFSET) && call->offset >= 0 && !c->sizes_unknown)
		file_truncate(f, (uint64_t)call->offset);
	else
		f->size_known = false;
}

/* fallocate without flags extends the file; with flags it may move bytes. */
static void allocate(const struct call *call, struct tracked_file *f)
{
	enum { KEEP_SIZE = 1 };
	int64_t end;
	if (f == NULL || call_failed(call) ||
	    (call_has(call, CALL_HAS_FLAGS) && call->flags == KEEP_SIZE))
		return;
	if (call_has(call, CALL_HAS_FLAGS | CALL_HAS_OFFSET | CALL_HAS_COUNT) && call->flags == 0 &&
	    !__builtin_add_overflow(call->offset, call->count, &end) && end >= 0)
		file_grow(f, (uint64_t)end);
	else
		f->size_known = false;
}

enum call_outcome calls_on_fd(struct calls *c, const struct call *call)
{
	if (!call_has(call, CALL_HAS_FD))
		return calls_on_path(c, call);
	const bool known = fd_table_get(call->caller->table, call->fd) != NULL;
	struct fd_slot *slot = call_failed(call) && !known ? NULL : calls_slot(c, call);
	if (slot == NULL)
		return CALL_TRACKED;
	struct open_description *d = slot->open;
	if (call->type->kind == CALL_TRUNCATE_FD)
		resize(c, call, d->file);
	else if (strcmp(call->type->op, "allocate") == 0)
		allocate(call, d->file);
	if (d->kind != FD_FILE && d->kind != FD_DIRECTORY)
		return CALL_SKIPPED;
	return calls_emit_op_on(c, call, d);
}

/* Operations on names */

static bool exchanges(const struct call *call)
{
	return call->type->kind == CALL_RENAME && call_has(call, CALL_HAS_FLAGS) &&
	       (call->flags & CALL_RENAME_EXCHANGE) != 0;
}

static void effect(struct calls *c, const struct call *call, size_t size, size_t to_size)
{
	switch (call->type->kind) {
	case CALL_UNLINK:
		fdtable_absent(&c->fds, c->path, size);
		break;
	case CALL_TRUNCATE:
		resize(c, call, fdtable_find(&c->fds, c->path, size));
		break;
	case CALL_RENAME:
		if (to_size > 0)
			fdtable_rename(&c->fds, c->path, size, c->to_path, to_size,
				       exchanges(call));
		else /* the source does not show the new name */
			fdtable_absent(&c->fds, c->path, size);
		break;
	case CALL_LINK:
		if (to_size > 0)
			fdtable_link(&c->fds, c->path, size, c->to_path, to_size, false);
		break;
	default:
		break;
	}
}

enum call_outcome calls_on_path(struct calls *c, const struct call *call)
{
	const size_t size = calls_resolve(c, call, call->path, c->path),
		     to_size = calls_resolve(c, call, call->to_path, c->to_path);
	if (size > 0 && !call_failed(call))
		effect(c, call, size, to_size);
	return calls_emit_op(c, call, exchanges(call) ? "exchange" : call->type->op, 0,
			     (struct iot_text){c->path, size},
			     to_size > 0 ? (struct iot_text){c->to_path, to_size} : NO_PATH);
}

enum call_outcome calls_chdir(struct calls *c, const struct call *call)
{
	struct directory *cwd = call->caller->cwd;
	if (call_failed(call))
		return CALL_TRACKED;
	if (call->path.size > 0) {
		const size_t size = calls_resolve(c, call, call->path, c->path);
		directory_set(&c->fds, cwd, c->path, size);
		return CALL_TRACKED;
	}
	const struct fd_slot *slot = call_has(call, CALL_HAS_FD) ? calls_slot(c, call) : NULL;
	if (slot != NULL && slot->open->file != NULL && file_has_path(&c->fds, slot->open->file))
		directory_set(&c->fds, cwd, slot->open->file->path, slot->open->file->path_size);
	return CALL_TRACKED;
}
