/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The description that a descriptor refers to. A descriptor that was open before the trace is
 * created at its first use: from the name that strace prints with it, otherwise as a file without a
 * name (0, 1, 2: not as a file).
 *
 * Threads reuse numbers: a call refers to the description that its descriptor had when the call was
 * entered, but its line may follow after another thread has closed that number and a third has
 * opened another file with it. A number that a call returns is certainly free: a close of it that
 * was entered but has not returned in the log has taken effect.
 */
#include "strace.h"

#include <assert.h>
#include <string.h>

/* Names of descriptors */

static bool begins(const char *path, size_t size, const char *word)
{
	return strace_skip(&path, path + size, word);
}

uint32_t strace_note_hash(const struct strace_fd *fd)
{
	uint32_t h = fd->deleted ? 2 : 1;
	if (fd->note.p == NULL)
		return 0;
	for (const char *p = fd->note.p; p < fd->note.end; p++)
		h = (h ^ (unsigned char)*p) * 16777619U;
	return h | 1;
}

size_t strace_note_path(struct strace *s, const struct strace_fd *fd, bool *block)
{
	struct strace_text raw = fd->note;
	const char *inner = memchr(raw.p, '<', (size_t)(raw.end - raw.p));
	*block = inner != NULL && begins(inner, (size_t)(raw.end - inner), "<block ");
	if (inner != NULL && *raw.p == '/')
		raw.end = inner;
	return strace_unescape(raw, s->path2, sizeof s->path2);
}

/* Descriptors from before the trace, or from other processes */

struct open_description *strace_fd_found(struct strace *s, const struct strace_fd *fd)
{
	struct tracked_file *f = NULL;
	bool block = false;
	enum descriptor_kind kind = fd->number > 2 ? FD_FILE : FD_OTHER;
	if (fd->note.p != NULL) {
		const size_t size = strace_note_path(s, fd, &block);
		kind = descriptor_kind_of_path(s->path2, size, block);
		if (kind == FD_FILE && !fd->deleted)
			f = fdtable_open(&s->fds, s->path2, size, OPEN_REAL);
	}
	const bool unlinked = kind == FD_FILE && f == NULL;
	if (unlinked)
		f = file_unlinked(&s->fds);
	struct open_description *d = open_description_new(&s->fds, kind, f);
	if (unlinked && f != NULL)
		file_free(&s->fds, f);
	if (d != NULL)
		d->note = strace_note_hash(fd);
	return d;
}

struct open_description *strace_found_passed(struct strace *s, const struct strace_fd *fd)
{
	struct open_description *d = strace_fd_found(s, fd);
	if (d == NULL || d->kind != FD_FILE)
		return d;
	strace_count(s, "unseen.passed", 1);
	d->elsewhere = true;
	if (d->file != NULL && d->file->opened)
		d->file->passed = d->id;
	return d;
}

/* Handles a descriptor that no call in the log has created: it may have arrived in a message. */
static void appears(struct strace *s, struct open_description *d, const struct strace_fd *fd)
{
	struct strace_passing *passing = &s->passing;
	passing->appeared = passing->appeared || fd->number > 2;
	if (d->kind != FD_FILE || d->file == NULL)
		return;
	if (d->file->opened)
		d->file->passed = d->id;
	else if (fd->note.p == NULL && fd->number > 2 && s->tasks.whole && passing->unix_sockets &&
		 (!passing->messages || passing->cut_messages))
		passing->passed = d->id;
	else
		return;
	d->elsewhere = true;
	strace_count(s, "unseen.passed", 1);
	if (!passing->noted)
		report_note(&s->src->report,
			    "a descriptor is used that no call in the log has returned: offsets "
			    "of what it may share its position with are unknown from then on; "
			    "strace -e trace=%%desc,sendmsg,recvmsg shows where it comes from");
	passing->noted = true;
}

static struct fd_slot *slot_found(struct strace *s, struct strace_task *t,
				  const struct strace_fd *fd)
{
	struct open_description *d = strace_fd_found(s, fd);
	if (d != NULL)
		appears(s, d, fd);
	return fd_table_set(&s->fds, t->table, fd->number, d, false);
}

/*
 * Returns true if its number is a guess, because strace truncated the array of the call that made
 * it.
 */
static bool is_candidate(const struct open_description *d)
{
	return !d->seen && d->note == 0 && (d->kind == FD_PIPE || d->kind == FD_SOCKET);
}

/* Handles a descriptor whose printed name differs from the tracked one. */
static void note_changed(struct strace *s, struct strace_task *t, const struct strace_fd *fd,
			 struct fd_slot *slot)
{
	struct open_description *d = slot->open;
	bool block;
	const size_t size = strace_note_path(s, fd, &block);
	const enum descriptor_kind kind = descriptor_kind_of_path(s->path2, size, block);
	const bool same_kind = kind == d->kind || (kind == FD_FILE && d->kind == FD_DIRECTORY);
	struct tracked_file *f = d->file;
	const bool named = f != NULL && file_has_path(&s->fds, f);
	const bool same_name =
	    named && f->path_size == size && memcmp(f->path, s->path2, size) == 0;
	if (!same_kind || (named && !d->seen && !fd->deleted && !same_name)) {
		s->reuse.missed += !is_candidate(d);
		fd_table_set(&s->fds, t->table, fd->number, strace_fd_found(s, fd),
			     fd_table_cloexec(t->table, fd->number));
		return;
	}
	d->note = strace_note_hash(fd);
	if (f == NULL || d->kind != FD_FILE)
		return;
	if (!fd->deleted && !same_name)
		fdtable_renamed(&s->fds, f, s->path2, size);
	else if (fd->deleted && fdtable_find(&s->fds, s->path2, size) == f)
		fdtable_absent(&s->fds, s->path2, size);
}

/* Reused numbers */

struct strace_closed *strace_closed(struct strace *s, const struct strace_call *c, int64_t fd)
{
	struct strace_reuse *r = &s->reuse;
	const unsigned count = r->closed_next < STRACE_CLOSED ? r->closed_next : STRACE_CLOSED;
	for (unsigned i = 1; i <= count; i++) {
		struct strace_closed *closed = &r->closed[(r->closed_next - i) % STRACE_CLOSED];
		if (closed->fd == fd && closed->table == c->task->table->id &&
		    closed->slot.since <= c->entered && closed->until > c->entered)
			return closed;
	}
	return NULL;
}

/* Stores the description of a number if another task may still be in a call that uses it. */
static void remember(struct strace *s, const struct strace_call *c, int64_t fd)
{
	const struct fd_table *table = c->task->table;
	const struct fd_slot *slot = table->refs > 1 ? fd_table_get(table, fd) : NULL;
	if (slot == NULL)
		return;
	struct strace_closed *closed = &s->reuse.closed[s->reuse.closed_next++ % STRACE_CLOSED];
	open_description_free(&s->fds, closed->slot.open);
	*closed = (struct strace_closed){.table = table->id,
					 .fd = fd,
					 .until = c->left,
					 .last = fd_table_last(table, fd),
					 .slot = {.open = slot->open, .since = slot->since}};
	slot->open->refs++;
}

/* Returns a slot for a descriptor about which nothing is known. It is valid until the next call. */
static struct fd_slot *unknown_slot(struct strace *s, const struct strace_fd *fd)
{
	struct fd_slot *unknown = &s->reuse.unknown;
	open_description_free(&s->fds, unknown->open);
	unknown->open = strace_fd_found(s, fd);
	strace_count(s, "ambiguous.descriptor", 1);
	if (unknown->open == NULL)
		return NULL;
	unknown->open->elsewhere = unknown->open->vague = true;
	return unknown;
}

/* Iterates over the missing closes of a descriptor, the latest first. Start with *i = 0. */
static struct strace_missing *next_missing(struct strace *s, const struct strace_call *c,
					   int64_t fd, unsigned *i)
{
	struct strace_reuse *r = &s->reuse;
	const unsigned count = r->missing_next < STRACE_MISSING ? r->missing_next : STRACE_MISSING;
	while (++*i <= count) {
		struct strace_missing *m = &r->missing[(r->missing_next - *i) % STRACE_MISSING];
		if (m->fd == fd && m->table == c->task->table->id)
			return m;
	}
	return NULL;
}

static void close_found(struct strace *s, struct strace_missing *m)
{
	m->table = 0;
	s->reuse.missed--;
}

/*
 * Records that a call returned a number that seems to be in use: its close follows later, or is
 * missing.
 */
static void add_missing(struct strace *s, const struct strace_call *c, int64_t fd)
{
	struct strace_reuse *r = &s->reuse;
	const struct fd_slot *slot = fd_table_get(c->task->table, fd);
	if (is_candidate(slot->open))
		return;
	struct strace_missing *m = &r->missing[r->missing_next++ % STRACE_MISSING];
	r->missed++;
	slot->open->refs++;
	open_description_free(&s->fds, m->open);
	*m = (struct strace_missing){.table = c->task->table->id,
				     .fd = fd,
				     .by = strace_use_of(c),
				     .open = slot->open,
				     .since = slot->since};
	for (unsigned i = 0; i < STRACE_INSTALLED; i++) {
		const struct strace_installed *in = &r->installed[i];
		if (in->table == m->table && in->fd == fd && in->by.left == m->since)
			m->first = in->by;
	}
}

/*
 * Returns true if the call that returned the number again may have returned after this one was
 * entered.
 */
static bool is_unsure(struct strace *s, const struct strace_call *c, int64_t fd)
{
	unsigned i = 0;
	const struct strace_missing *m;
	while (s->reuse.missed > 0 && (m = next_missing(s, c, fd, &i)) != NULL)
		if (strace_overlaps(s, c, &m->by))
			return true;
	return false;
}

/* Times may decrease, but not the times of a task that is alone. */
static bool is_replaced(const struct strace *s, const struct strace_call *c,
			const struct fd_slot *slot)
{
	return slot != NULL && slot->since > c->entered &&
	       (s->log.members == 1 || c->task->table->refs > 1);
}

bool strace_is_late(struct strace *s, const struct strace_call *c, int64_t fd)
{
	const bool late = is_replaced(s, c, fd_table_get(c->task->table, fd));
	unsigned i = 0;
	struct strace_missing *m;
	while ((m = next_missing(s, c, fd, &i)) != NULL)
		if (late || strace_overlaps(s, c, &m->by)) {
			close_found(s, m);
			return true;
		}
	return late;
}

struct fd_slot *strace_slot(struct strace *s, struct strace_call *c, const struct strace_fd *fd)
{
	struct strace_task *t = c->task;
	if (fd->number < 0)
		return NULL;
	struct fd_slot *slot = fd_table_get(t->table, fd->number);
	const bool replaced = is_replaced(s, c, slot);
	struct strace_closed *closed =
	    slot == NULL || replaced ? strace_closed(s, c, fd->number) : NULL;
	if (closed != NULL)
		return &closed->slot;
	if (replaced || (slot != NULL && s->reuse.missed > 0 && is_unsure(s, c, fd->number)))
		return unknown_slot(s, fd);
	if (slot == NULL)
		return slot_found(s, t, fd);
	if (fd->note.p != NULL && slot->open->note != strace_note_hash(fd))
		note_changed(s, t, fd, slot);
	return fd_table_get(t->table, fd->number);
}

/*
 * If two calls of a set returned the same number, the second may have returned first: then this
 * close refers to the second's description, and the first's is open afterwards.
 */
static void restore(struct strace *s, const struct strace_call *c, int64_t fd)
{
	unsigned i = 0;
	struct strace_missing *m;
	while (s->reuse.missed > 0 && (m = next_missing(s, c, fd, &i)) != NULL) {
		if (m->first.left == 0 || m->first.task == c->task->tid ||
		    !strace_overlaps(s, c, &m->first))
			continue;
		close_found(s, m);
		m->open->refs++;
		struct fd_slot *slot = fd_table_set(&s->fds, c->task->table, fd, m->open, false);
		if (slot != NULL)
			slot->since = m->since;
		return;
	}
}

void strace_release(struct strace *s, const struct strace_call *c, int64_t fd)
{
	remember(s, c, fd);
	fd_table_close(&s->fds, c->task->table, fd);
	if (s->log.members > 1)
		restore(s, c, fd);
}

static void installed(struct strace *s, const struct strace_call *c, int64_t fd)
{
	struct strace_reuse *r = &s->reuse;
	struct fd_slot *slot = fd_table_get(c->task->table, fd);
	if (slot == NULL)
		return;
	slot->since = c->left;
	if (s->log.members > 1)
		r->installed[r->installed_next++ % STRACE_INSTALLED] = (struct strace_installed){
		    .table = c->task->table->id, .fd = fd, .by = strace_use_of(c)};
}

struct fd_slot *strace_install(struct strace *s, struct strace_call *c, int64_t fd,
			       struct open_description *d, bool cloexec)
{
	const struct fd_slot *present = fd_table_get(c->task->table, fd);
	if (present != NULL && present->open->seen)
		add_missing(s, c, fd);
	remember(s, c, fd);
	struct fd_slot *slot = fd_table_set(&s->fds, c->task->table, fd, d, cloexec);
	installed(s, c, fd);
	return slot;
}

void strace_copy(struct strace *s, struct strace_call *c, const struct strace_fd *from, int64_t to,
		 bool cloexec, bool chosen)
{
	struct fd_table *table = c->task->table;
	const struct fd_slot *present = fd_table_get(table, to);
	struct fd_slot *slot = strace_slot(s, c, from);
	if (slot == NULL || (chosen && from->number == to))
		return;
	if (chosen && present != NULL && present->since > c->entered) {
		/* opened while dup2 was active: the order of the two is unknown */
		slot = unknown_slot(s, &(struct strace_fd){.number = to});
		if (slot == NULL)
			return;
	} else if (!chosen && present != NULL && present->open->seen &&
		   present->open != slot->open) {
		add_missing(s, c, to);
	}
	struct open_description *d = slot->open;
	assert(d->refs > 0);
	d->refs++; /* remember() may drop the last other reference */
	remember(s, c, to);
	if (fd_table_get(table, from->number) == slot)
		fd_table_dup(&s->fds, table, from->number, to, cloexec);
	else if (d->refs++ > 0)
		fd_table_set(&s->fds, table, to, d, cloexec);
	open_description_free(&s->fds, d);
	installed(s, c, to);
}

void strace_reuse_free(struct strace *s)
{
	for (unsigned i = 0; i < STRACE_CLOSED; i++)
		open_description_free(&s->fds, s->reuse.closed[i].slot.open);
	for (unsigned i = 0; i < STRACE_MISSING; i++)
		open_description_free(&s->fds, s->reuse.missing[i].open);
	open_description_free(&s->fds, s->reuse.unknown.open);
}
