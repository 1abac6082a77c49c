/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The description that a descriptor or a stream refers to. One that was open before the trace, or
 * whose open was not traced, is created at its first use, with an unknown position.
 */
#include "calls.h"

#include <string.h>

/* Names that the source shows with descriptors */

/* Opens the file of a name that a source shows; the name is real, without symbolic links. */
static struct tracked_file *file_of_note(struct calls *c, const struct call *call)
{
	const size_t size = calls_resolve(c, call, call->note, c->to_path);
	if (size == 0)
		return NULL;
	struct tracked_file *f = fdtable_open(&c->fds, c->to_path, size, OPEN_REAL);
	if (f != NULL && c->sizes_unknown)
		f->size_known = false;
	return f;
}

void calls_share(struct calls *c, struct tracked_file *f)
{
	f->passed = c->fds.files + 1;
}

static struct open_description *found(struct calls *c, const struct call *call, bool note)
{
	const bool named = note && call->note.size > 0;
	enum descriptor_kind kind = call->fd > 2 || call->type->stream ? FD_FILE : FD_OTHER;
	if (named)
		kind = descriptor_kind_of_path(call->note.data, call->note.size, false);
	if (kind == FD_OTHER && named)
		kind = FD_FILE; /* a relative name, or an identifier */
	struct tracked_file *f = NULL;
	if (kind == FD_FILE && named)
		f = file_of_note(c, call);
	const bool unlinked = kind == FD_FILE && f == NULL;
	if (unlinked)
		f = file_unlinked(&c->fds);
	struct open_description *d = open_description_new(&c->fds, kind, f);
	if (unlinked)
		file_free(&c->fds, f);
	if (d == NULL || !named)
		return d;
	d->note = call->note_number;
	if (c->copies_hidden && d->file != NULL)
		calls_share(c, d->file);
	return d;
}

static bool is_path_of(struct calls *c, const struct call *call, struct tracked_file *f)
{
	const size_t size = calls_resolve(c, call, call->note, c->to_path);
	return f != NULL && file_has_path(&c->fds, f) && f->path_size == size &&
	       memcmp(f->path, c->to_path, size) == 0;
}

/* Gives the file of a description that was opened without a name the name shown later. */
static void learn_name(struct calls *c, const struct call *call, struct open_description *d)
{
	struct tracked_file *old = d->file;
	if (d->kind != FD_FILE || d->reported_last != 0 || file_has_path(&c->fds, old))
		return;
	const enum descriptor_kind kind =
	    descriptor_kind_of_path(call->note.data, call->note.size, false);
	if (kind != FD_FILE) {
		d->kind = (uint8_t)kind;
		return;
	}
	struct tracked_file *f = file_of_note(c, call);
	if (f == NULL || f == old)
		return;
	if (old->size_known)
		file_truncate(f, old->size);
	f->refs++;
	d->file = f;
	file_free(&c->fds, old);
}

/*
 * Handles a name other than the one that was shown with this description before. Returns the slot
 * to use.
 */
static struct fd_slot *note_changed(struct calls *c, const struct call *call,
				    struct fd_table *table, int64_t fd, struct fd_slot *slot)
{
	struct open_description *d = slot->open;
	if (call->note_number == 0) {
		if (d->file != NULL)
			learn_name(c, call, d);
		return slot;
	}
	if (d->note != call->note_number && d->note != 0 && !is_path_of(c, call, d->file)) {
		c->missed_closes++;
		return fd_table_set(&c->fds, table, fd, found(c, call, true), false);
	}
	d->note = call->note_number;
	return slot;
}

/* Slots */

struct fd_table *calls_streams(struct calls *c, struct caller *p)
{
	if (p->streams == NULL)
		p->streams = fd_table_new(&c->fds);
	return p->streams;
}

static struct fd_slot *slot_in(struct calls *c, const struct call *call, struct fd_table *table,
			       int64_t fd, bool note)
{
	struct fd_slot *slot = table == NULL || fd < 0 ? NULL : fd_table_get(table, fd);
	if (table == NULL || fd < 0)
		return NULL;
	if (slot == NULL)
		return fd_table_set(&c->fds, table, fd, found(c, call, note), false);
	if (note && call->note.size > 0 &&
	    (call->note_number == 0 || slot->open->note != call->note_number))
		return note_changed(c, call, table, fd, slot);
	return slot;
}

struct fd_slot *calls_slot_of(struct calls *c, const struct call *call, int64_t fd)
{
	return slot_in(c, call, call->caller->table, fd, fd == call->fd);
}

struct fd_slot *calls_slot(struct calls *c, const struct call *call)
{
	if (call->type->stream)
		return call->note_number == 0 ? NULL
					      : slot_in(c, call, calls_streams(c, call->caller),
							call->note_number, true);
	return call_has(call, CALL_HAS_FD) ? calls_slot_of(c, call, call->fd) : NULL;
}

static unsigned skipped_kind(const struct open_description *d)
{
	enum { PIPE, SOCKET, TERMINAL, DEVICE, MEMFD, STANDARD, OTHER };
	switch (d->kind) {
	case FD_PIPE:
		return PIPE;
	case FD_SOCKET:
		return SOCKET;
	case FD_TTY:
		return TERMINAL;
	case FD_DEVICE:
		return DEVICE;
	case FD_MEMFD:
		return MEMFD;
	default: /* open before the trace, without a name: 0, 1 or 2 */
		return d->seen ? OTHER : STANDARD;
	}
}

struct fd_slot *calls_data_slot(struct calls *c, struct fd_slot *slot, uint64_t bytes, bool write)
{
	if (slot == NULL || slot->open->kind == FD_DIRECTORY)
		return NULL;
	if (slot->open->kind == FD_FILE)
		return slot;
	struct call_skipped *k = &c->skipped[skipped_kind(slot->open)];
	k->calls++;
	k->bytes[write] += bytes;
	return NULL;
}

/* Paths */

size_t calls_resolve(struct calls *c, const struct call *call, struct iot_text path, char *out)
{
	const struct directory *cwd = call->caller->cwd;
	const char *base = cwd->path;
	size_t size = cwd->size;
	if (path.size == 0)
		return 0;
	if (path.data[0] != '/' && call_has(call, CALL_HAS_TO) && call->to != CALL_AT_CWD) {
		const struct fd_slot *slot = fd_table_get(call->caller->table, call->to);
		if (slot == NULL || slot->open->file == NULL ||
		    !file_has_path(&c->fds, slot->open->file))
			return 0;
		base = slot->open->file->path;
		size = slot->open->file->path_size;
	}
	return fdtable_resolve(&c->fds, base, size, path.data, path.size, out);
}
