/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that create, copy and close descriptors. */
#include "strace.h"

#include <string.h>

/* Installs a new description in the slot that a call has returned. */
static struct fd_slot *install(struct strace *s, struct strace_call *c, int64_t fd,
			       struct open_description *d, bool cloexec)
{
	if (d != NULL)
		d->seen = true;
	return strace_install(s, c, fd, d, cloexec);
}

/* open */

enum open_variant { OPEN, OPENAT, OPENAT2, CREAT, BY_HANDLE };

struct opening {
	unsigned flags;
	size_t path_size; /* of s->path; 0 if unknown */
	bool create;
};

/* Returns the flags of openat2: "{flags=O_RDONLY|..., mode=..., ...}" */
static unsigned how_flags(struct strace_text how)
{
	const char *flags = memmem(how.p, (size_t)(how.end - how.p), "flags=", 6);
	const char *comma = flags == NULL ? NULL : memchr(flags, ',', (size_t)(how.end - flags));
	return comma == NULL ? 0 : strace_open_flags((struct strace_text){flags + 6, comma});
}

static void read_opening(struct strace *s, struct strace_call *c, struct opening *o)
{
	const int variant = c->entry->variant;
	const unsigned path = variant == OPENAT || variant == OPENAT2 ? 1 : 0;
	const unsigned flags = path + 1 + (variant == BY_HANDLE);
	struct strace_fd dir = {.number = STRACE_CWD};
	*o = (struct opening){0};
	if (path == 1 && c->args > 0)
		dir = strace_fd(c->arg[0]);
	if (variant == CREAT)
		o->flags = STRACE_O_CREAT | STRACE_O_WRONLY | STRACE_O_TRUNC;
	else if (c->args > path + 1)
		o->flags = variant == OPENAT2 ? how_flags(c->arg[flags])
					      : strace_open_flags(c->arg[flags]);
	if (variant != BY_HANDLE && c->args > path)
		o->path_size = strace_path(s, c, &dir, c->arg[path], s->path);
	o->create = (o->flags & (STRACE_O_CREAT | (STRACE_O_TMPFILE & ~STRACE_O_DIRECTORY))) != 0;
}

static bool is_tmpfile(const struct opening *o)
{
	return (o->flags & STRACE_O_TMPFILE) == STRACE_O_TMPFILE;
}

/*
 * Handles paths like /proc/self/fd/3: opening one opens the file of the descriptor, whatever its
 * name.
 */
static bool opened_again(struct strace *s, struct strace_call *c, const struct opening *o,
			 enum descriptor_kind *kind, struct tracked_file **f)
{
	const struct fd_slot *slot =
	    o->path_size > 0 ? strace_slot_of_path(s, c, s->path, o->path_size) : NULL;
	if (slot == NULL)
		return false;
	const struct open_description *d = slot->open;
	if (!d->seen && c->fd.note.p != NULL && !c->fd.deleted &&
	    (d->file == NULL || d->file->name == NULL))
		return false; /* the name has more information */
	*f = d->file;
	*kind = d->kind == FD_DIRECTORY ? FD_FILE : (enum descriptor_kind)d->kind;
	return true;
}

/* Determines the kind of the opened object, and its file if a descriptor refers to it already. */
static enum descriptor_kind opened_kind(struct strace *s, struct strace_call *c, struct opening *o,
					struct tracked_file **f)
{
	bool block = false;
	enum descriptor_kind kind = FD_FILE;
	const bool again = opened_again(s, c, o, &kind, f), real = c->fd.note.p != NULL;
	if (real) { /* the name that strace prints with the result is the real path */
		o->path_size = strace_note_path(s, &c->fd, &block);
		memcpy(s->path, s->path2, o->path_size);
	}
	if (!again && o->path_size > 0)
		kind = descriptor_kind_of_path(s->path, o->path_size, block);
	if (kind == FD_OTHER && *s->path != '/' && !real && !again)
		kind = FD_FILE; /* a relative name */
	if ((o->flags & (STRACE_O_DIRECTORY | STRACE_O_PATH)) != 0 && !is_tmpfile(o))
		kind = FD_DIRECTORY;
	return kind;
}

static struct open_description *opened(struct strace *s, struct strace_call *c, struct opening *o)
{
	struct tracked_file *f = NULL;
	const enum descriptor_kind kind = opened_kind(s, c, o, &f);
	const unsigned how = ((o->flags & STRACE_O_CREAT) != 0 ? OPEN_CREATE : 0U) |
			     ((o->flags & STRACE_O_EXCL) != 0 ? OPEN_EXCLUSIVE : 0U) |
			     (c->fd.note.p != NULL ? OPEN_REAL : 0U);
	const bool named = o->path_size > 0 && !is_tmpfile(o) && !c->fd.deleted;
	if (f == NULL && named && (kind == FD_DIRECTORY || kind == FD_FILE))
		f = fdtable_open(&s->fds, s->path, o->path_size, how);
	const bool unlinked = f == NULL && kind == FD_FILE;
	if (unlinked)
		f = file_unlinked(&s->fds);
	struct open_description *d = open_description_new(&s->fds, kind, f);
	if (unlinked && f != NULL) {
		f->size_known = is_tmpfile(o);
		file_free(&s->fds, f);
	}
	if (d == NULL)
		return NULL;
	if (d->file != NULL && (o->flags & STRACE_O_TRUNC) != 0)
		strace_resized(s, c, d->file, 0);
	if (d->file != NULL)
		d->file->opened = true;
	d->append = (o->flags & STRACE_O_APPEND) != 0;
	d->sync = (o->flags & STRACE_O_SYNC) == STRACE_O_SYNC;
	d->dsync = (o->flags & STRACE_O_DSYNC) != 0;
	d->direct = (o->flags & STRACE_O_DIRECT) != 0;
	d->position_known = true;
	d->note = strace_note_hash(&c->fd);
	return d;
}

void strace_open_enter(struct strace *s, struct strace_call *c)
{
	struct opening o;
	read_opening(s, c, &o);
	if ((o.flags & STRACE_O_TRUNC) != 0 && o.path_size > 0)
		strace_use(&c->task->active.using[0], NULL,
			   strace_file_at(s, c, s->path, o.path_size));
}

static void open_op(struct strace *s, struct strace_call *c, const struct opening *o, uint32_t file)
{
	strace_emit_op(
	    s, c,
	    &(struct strace_op){.name = o->create ? "create" : c->entry->op,
				.file = file,
				.path = s->path,
				.path_size = o->path_size,
				.empties = !c->failed && (o->flags & STRACE_O_TRUNC) != 0});
}

void strace_open(struct strace *s, struct strace_call *c)
{
	struct opening o;
	read_opening(s, c, &o);
	if (c->failed) {
		if (o.path_size > 0 && strace_is(c->error, "ENOENT") && !o.create)
			fdtable_missing(&s->fds, s->path, o.path_size);
		open_op(s, c, &o, 0);
		return;
	}
	struct open_description *d = opened(s, c, &o);
	struct fd_slot *slot = install(s, c, c->result, d, (o.flags & STRACE_O_CLOEXEC) != 0);
	if (slot != NULL && strace_shown(s, slot->open))
		open_op(s, c, &o, strace_emit_file(s, c->task, c->result, slot, c->start_ns));
}

/* close */

/*
 * The operation ends the definition in the process. A thread with descriptors of its own
 * (CLONE_FILES) may use the file later, and defines it again.
 */
static void close_op(struct strace *s, struct strace_call *c, struct open_description *d, bool last)
{
	const uint32_t process = c->task->group->id;
	if (!strace_shown(s, d) || !last || !emit_wants_op(&s->emit, "close"))
		return;
	if (description_mark_known(&s->fds, d, process)) {
		strace_emit_op_on(s, c, "close", d->id, d);
		d->ended_process = process;
		d->ended_ns = c->start_ns;
	}
	description_forget(d, process);
}

static void close_fd(struct strace *s, struct strace_call *c, int64_t fd)
{
	const struct fd_table *table = c->task->table;
	if (strace_is_late(s, c, fd)) { /* the number has been reused since */
		const struct strace_closed *closed = strace_closed(s, c, fd);
		if (closed != NULL)
			close_op(s, c, closed->slot.open, closed->last);
		return;
	}
	const struct fd_slot *slot = fd_table_get(table, fd);
	if (slot == NULL)
		return;
	close_op(s, c, slot->open, fd_table_last(table, fd));
	strace_release(s, c, fd);
}

void strace_close(struct strace *s, struct strace_call *c)
{
	const struct strace_fd fd = strace_fd(c->arg[0]);
	if (c->failed && strace_is(c->error, "EBADF")) {
		if (!strace_is_late(s, c, fd.number))
			strace_release(s, c, fd.number);
		return;
	}
	if (fd.note.p != NULL && fd_table_get(c->task->table, fd.number) != NULL)
		strace_slot(s, c, &fd);
	close_fd(s, c, fd.number);
}

void strace_close_range(struct strace *s, struct strace_call *c)
{
	int64_t first, last;
	if (!strace_number(c->arg[0], &first))
		return;
	if (!strace_number(c->arg[1], &last) || last < 0 || last > FD_MAX)
		last = FD_MAX; /* "~0U" */
	if (strace_flag(c, 2, "CLOSE_RANGE_UNSHARE", 2))
		strace_unshare_table(s, c->task);
	const bool cloexec = strace_flag(c, 2, "CLOSE_RANGE_CLOEXEC", 4);
	struct fd_table *table = c->task->table;
	struct fd_slot *slot;
	for (int64_t fd = fd_table_next(table, first < 0 ? 0 : first, &slot);
	     fd <= last && fd < (int64_t)table->capacity;
	     fd = fd_table_next(table, fd + 1, &slot)) {
		if (!cloexec)
			close_fd(s, c, fd);
		else if (slot->since <= c->entered)
			fd_table_set_cloexec(&s->fds, table, fd, true);
	}
}

/* Copies and flags */

/* dup, dup2, dup3; variant: 1 if the caller chooses the number */
void strace_dup(struct strace *s, struct strace_call *c)
{
	const struct strace_fd from = strace_fd(c->arg[0]);
	strace_copy(s, c, &from, c->result, strace_flag(c, 2, "O_CLOEXEC", STRACE_O_CLOEXEC),
		    c->entry->variant == 1);
}

enum raw_fcntl {
	RAW_DUPFD = 0,
	RAW_SETFD = 2,
	RAW_GETFL = 3,
	RAW_SETFL = 4,
	RAW_SETLK = 6,
	RAW_SETLKW = 7,
	RAW_OFD_SETLK = 37,
	RAW_OFD_SETLKW = 38,
	RAW_DUPFD_CLOEXEC = 1030
};

/* Concurrent writes may or may not have appended. */
static void set_append(struct strace *s, struct strace_call *c, struct open_description *d,
		       bool append)
{
	if (d->append == append)
		return;
	d->append = append;
	strace_position_race(s, c, d, STRACE_SETS);
	if (d->disputed)
		d->position_known = false;
	if (d->disputed && d->file != NULL)
		d->file->size_known = false;
}

static bool is_lock(int64_t command)
{
	return command == RAW_SETLK || command == RAW_SETLKW || command == RAW_OFD_SETLK ||
	       command == RAW_OFD_SETLKW;
}

static void lock_op(struct strace *s, struct strace_call *c)
{
	const struct strace_fd fd = strace_fd(c->arg[0]);
	struct fd_slot *slot =
	    c->failed ? fd_table_get(c->task->table, fd.number) : strace_slot(s, c, &fd);
	if (slot == NULL || !strace_shown(s, slot->open) || !emit_wants_op(&s->emit, "lock"))
		return;
	const uint32_t file = strace_emit_file(s, c->task, fd.number, slot, c->start_ns);
	strace_emit_op_on(s, c, "lock", file, slot->open);
}

void strace_fcntl(struct strace *s, struct strace_call *c)
{
	static const struct strace_word COMMANDS[] = {{"F_DUPFD_CLOEXEC", RAW_DUPFD_CLOEXEC},
						      {"F_DUPFD", RAW_DUPFD},
						      {"F_SETFD", RAW_SETFD},
						      {"F_SETFL", RAW_SETFL},
						      {"F_SETLK", RAW_SETLK},
						      {"F_SETLKW", RAW_SETLKW},
						      {"F_OFD_SETLK", RAW_OFD_SETLK},
						      {"F_OFD_SETLKW", RAW_OFD_SETLKW},
						      {"F_GETFL", RAW_GETFL}};
	const struct strace_fd fd = strace_fd(c->arg[0]);
	const int64_t what = strace_word(c->arg[1], COMMANDS, sizeof COMMANDS / sizeof COMMANDS[0]);
	if (is_lock(what)) {
		lock_op(s, c);
		return;
	}
	if (what == RAW_DUPFD || what == RAW_DUPFD_CLOEXEC) {
		strace_copy(s, c, &fd, c->result, what == RAW_DUPFD_CLOEXEC, false);
		return;
	}
	if (what != RAW_SETFD && what != RAW_SETFL && what != RAW_GETFL)
		return;
	struct fd_slot *slot = strace_slot(s, c, &fd);
	if (slot == NULL)
		return;
	if (what == RAW_GETFL)
		slot->open->append = (c->result & STRACE_O_APPEND) != 0;
	else if (what == RAW_SETFD && c->args > 2)
		fd_table_set_cloexec(&s->fds, c->task->table, fd.number,
				     strace_flag(c, 2, "FD_CLOEXEC", 1));
	else if (c->args > 2)
		set_append(s, c, slot->open, (strace_open_flags(c->arg[2]) & STRACE_O_APPEND) != 0);
}

enum raw_ioctl { RAW_FIONCLEX = 0x5450, RAW_FIOCLEX = 0x5451 };

void strace_ioctl(struct strace *s, struct strace_call *c)
{
	static const struct strace_word COMMANDS[] = {{"FIOCLEX", RAW_FIOCLEX},
						      {"FIONCLEX", RAW_FIONCLEX}};
	const int64_t what = strace_word(c->arg[1], COMMANDS, sizeof COMMANDS / sizeof COMMANDS[0]);
	const struct strace_fd fd = strace_fd(c->arg[0]);
	if ((what == RAW_FIOCLEX || what == RAW_FIONCLEX) && strace_slot(s, c, &fd) != NULL)
		fd_table_set_cloexec(&s->fds, c->task->table, fd.number, what == RAW_FIOCLEX);
}

/* Descriptors that are not files */

static void created(struct strace *s, struct strace_call *c, const struct strace_fd *fd,
		    enum descriptor_kind kind)
{
	const bool cloexec = (c->entry->class & STRACE_PRIVATE) != 0 ||
			     strace_contains(strace_arguments(c), "_CLOEXEC");
	struct open_description *d = open_description_new(&s->fds, kind, NULL);
	if (d == NULL)
		return;
	d->position_known = true;
	d->note = strace_note_hash(fd);
	s->passing.unix_sockets |=
	    kind == FD_SOCKET && c->args > 0 &&
	    (strace_is(c->arg[0], "AF_UNIX") || strace_is(c->arg[0], "AF_LOCAL"));
	install(s, c, fd->number, d, cloexec);
}

/* Assigns numbers that -s 0 hides: a pair uses the two lowest free ones. */
static void hidden_pair(struct strace *s, struct strace_call *c, enum descriptor_kind kind)
{
	uint32_t from = 3;
	strace_count(s, "guessed.pair", 1);
	for (int i = 0; i < 2; i++) {
		const struct strace_fd fd = {.number = fd_table_lowest(c->task->table, from)};
		created(s, c, &fd, kind);
		struct fd_slot *slot = fd_table_get(c->task->table, fd.number);
		if (slot != NULL)
			slot->open->seen = false; /* a guess */
		from = (uint32_t)fd.number + 1;
	}
}

/* pipe([3, 4]), socketpair(AF_UNIX, SOCK_STREAM, 0, [3, 4]) */
void strace_pair(struct strace *s, struct strace_call *c)
{
	const enum descriptor_kind kind = (enum descriptor_kind)c->entry->variant;
	struct strace_text pair[2] = {{0}};
	struct strace_fd fd[2] = {{.number = STRACE_NO_FD}, {.number = STRACE_NO_FD}};
	const struct fd_slot *slot[2];
	if (strace_elements(c->arg[kind == FD_SOCKET ? 3 : 0], pair, 2) == 2)
		for (int i = 0; i < 2; i++)
			fd[i] = strace_fd(pair[i]);
	if (fd[0].number < 0 || fd[1].number < 0) {
		hidden_pair(s, c, kind);
		return;
	}
	for (int i = 0; i < 2; i++)
		created(s, c, &fd[i], kind);
	for (int i = 0; i < 2; i++)
		slot[i] = fd_table_get(c->task->table, fd[i].number);
	if (kind == FD_SOCKET && slot[0] != NULL && slot[1] != NULL)
		fd_socketpair_new(&s->fds, slot[0]->open, slot[1]->open);
}

void strace_created(struct strace *s, struct strace_call *c)
{
	struct strace_fd fd = c->fd;
	fd.number = c->result;
	if (c->entry->variant == 0) /* from another process: only its name is known */
		strace_install(s, c, fd.number, strace_found_passed(s, &fd), true);
	else
		created(s, c, &fd, (enum descriptor_kind)c->entry->variant);
}

void strace_bpf(struct strace *s, struct strace_call *c)
{
	if (strace_is(c->arg[0], "BPF_MAP_CREATE") || strace_is(c->arg[0], "BPF_PROG_LOAD"))
		strace_created(s, c);
}
