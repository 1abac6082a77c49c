/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls that create, copy and close descriptors. A descriptor that was open before the trace is
 * created at its first use: from the name that strace prints with it, otherwise as a file without a
 * name (0, 1, 2: not as a file).
 */
#include "strace.h"

#include <string.h>

static bool begins(const char *path, size_t size, const char *word)
{
	size_t n = strlen(word);
	return size >= n && memcmp(path, word, n) == 0;
}

enum descriptor_kind strace_path_kind(const char *path, size_t size, bool block)
{
	if (size == 0)
		return FD_OTHER;
	if (begins(path, size, "/dev/")) {
		if (begins(path, size, "/dev/shm/") || block)
			return FD_FILE;
		if (begins(path, size, "/dev/tty") || begins(path, size, "/dev/pts/") ||
		    begins(path, size, "/dev/console"))
			return FD_TTY;
		return FD_DEVICE;
	}
	if (begins(path, size, "/memfd:"))
		return FD_MEMFD;
	if (*path == '/')
		return FD_FILE;
	if (begins(path, size, "pipe:"))
		return FD_PIPE;
	if (begins(path, size, "socket:") || begins(path, size, "TCP") ||
	    begins(path, size, "UDP") || begins(path, size, "UNIX") ||
	    begins(path, size, "NETLINK") || begins(path, size, "RAW"))
		return FD_SOCKET;
	return FD_OTHER;
}

static uint32_t note_hash(const struct strace_fd *fd)
{
	uint32_t h = fd->deleted ? 2 : 1;
	for (const char *p = fd->note.p; p < fd->note.end; p++)
		h = (h ^ (unsigned char)*p) * 16777619U;
	return h | 1;
}

/* Writes the path in the name of a descriptor, without a trailing "<block 254:0>", to s->path2. */
static size_t note_path(struct strace *s, const struct strace_fd *fd, bool *block)
{
	struct strace_text raw = fd->note;
	static const char BLOCK[] = "<block ";
	const char *inner = memchr(raw.p, '<', (size_t)(raw.end - raw.p));
	*block = inner != NULL && begins(inner, (size_t)(raw.end - inner), BLOCK);
	if (inner != NULL && *raw.p == '/')
		raw.end = inner;
	return strace_unescape(raw, s->path2, sizeof s->path2);
}

struct open_description *strace_fd_found(struct strace *s, const struct strace_fd *fd)
{
	struct tracked_file *f = NULL;
	bool block = false, unlinked = false;
	enum descriptor_kind kind = fd->number > 2 ? FD_FILE : FD_OTHER;
	if (fd->note.p != NULL) {
		size_t size = note_path(s, fd, &block);
		kind = strace_path_kind(s->path2, size, block);
		if (kind == FD_FILE && !fd->deleted)
			f = fdtable_open(&s->tracker, s->path2, size, OPEN_REAL);
	}
	if (kind == FD_FILE && f == NULL) {
		f = tracker_unlinked(&s->tracker);
		unlinked = true;
	}
	struct open_description *d = open_description_new(&s->tracker, kind, f);
	if (unlinked && f != NULL)
		file_free(&s->tracker, f);
	if (d != NULL && fd->note.p != NULL)
		d->note = note_hash(fd);
	return d;
}

/* Handles a descriptor whose printed name differs from the tracked one. */
static void note_changed(struct strace *s, struct strace_task *t, const struct strace_fd *fd,
			 struct fd_slot *slot)
{
	struct open_description *d = slot->open;
	bool block;
	size_t size = note_path(s, fd, &block);
	enum descriptor_kind kind = strace_path_kind(s->path2, size, block);
	bool same_kind = kind == d->kind || (kind == FD_FILE && d->kind == FD_DIRECTORY);
	struct tracked_file *f = d->file;
	if (!same_kind || (f != NULL && file_has_path(&s->tracker, f) && !d->seen && !fd->deleted &&
			   (f->path_size != size || memcmp(f->path, s->path2, size) != 0))) {
		s->missed += !strace_is_candidate(d);
		fd_table_set(&s->tracker, t->table, fd->number, strace_fd_found(s, fd),
			     fd_table_cloexec(t->table, fd->number));
		return;
	}
	d->note = note_hash(fd);
	if (f == NULL || d->kind != FD_FILE)
		return;
	if (fd->deleted) {
		if (fdtable_find(&s->tracker, s->path2, size) == f)
			fdtable_absent(&s->tracker, s->path2, size);
	} else if (!file_has_path(&s->tracker, f) || f->path_size != size ||
		   memcmp(f->path, s->path2, size) != 0) {
		fdtable_renamed(&s->tracker, f, s->path2, size);
	}
}

struct fd_slot *strace_slot(struct strace *s, struct strace_call *c, const struct strace_fd *fd)
{
	struct strace_task *t = c->task;
	if (fd->number < 0)
		return NULL;
	struct fd_slot *slot = fd_table_get(t->table, fd->number);
	if (slot == NULL || (slot->since > c->entered && (s->members == 1 || t->table->refs > 1))) {
		struct strace_gone *gone = strace_gone(s, c, fd->number);
		if (gone != NULL)
			return &gone->slot;
		if (slot != NULL)
			return strace_no_slot(s, fd);
	} else if (s->missed > 0 && strace_is_unsure(s, c, fd->number)) {
		return strace_no_slot(s, fd);
	}
	if (slot == NULL) {
		struct open_description *d = strace_fd_found(s, fd);
		if (d != NULL)
			strace_appears(s, d, fd);
		return fd_table_set(&s->tracker, t->table, fd->number, d, false);
	}
	if (fd->note.p != NULL && slot->open->note != note_hash(fd))
		note_changed(s, t, fd, slot);
	return fd_table_get(t->table, fd->number);
}

/* Installs a new description in the slot that a call has returned. */
static struct fd_slot *install(struct strace *s, struct strace_call *c, int64_t fd,
			       struct open_description *d, bool cloexec)
{
	if (d != NULL)
		d->seen = true;
	return strace_install(s, c, fd, d, cloexec);
}

/* open */

struct opening {
	unsigned flags;
	size_t path_size; /* of s->path; 0 if unknown */
	bool create;
};

static void read_opening(struct strace *s, struct strace_call *c, struct opening *o)
{
	int variant = c->entry->variant;
	struct strace_fd dir = {.number = STRACE_CWD};
	unsigned path = variant == 1 || variant == 2 ? 1 : 0;
	*o = (struct opening){0};
	if (path == 1 && c->args > 0)
		dir = strace_fd(c->arg[0]);
	if (variant == 2 && c->args > 2) {
		struct strace_text how = c->arg[2];
		const char *flags = memmem(how.p, (size_t)(how.end - how.p), "flags=", 6);
		const char *comma =
		    flags == NULL ? NULL : memchr(flags, ',', (size_t)(how.end - flags));
		if (comma != NULL)
			o->flags = strace_open_flags((struct strace_text){flags + 6, comma});
	} else if (variant == 3) {
		o->flags = STRACE_O_CREAT | STRACE_O_WRONLY | STRACE_O_TRUNC;
	} else if (c->args > path + 1) {
		o->flags = strace_open_flags(c->arg[path + 1 + (variant == 4)]);
	}
	if (variant != 4 && c->args > path)
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

/*
 * Determines the opened file: by the name that strace prints with the result if present, because
 * that is the real path.
 */
static struct open_description *opened(struct strace *s, struct strace_call *c, struct opening *o)
{
	bool block = false;
	enum descriptor_kind kind = FD_FILE;
	struct tracked_file *f = NULL;
	const bool again = opened_again(s, c, o, &kind, &f), real = c->fd.note.p != NULL;
	if (real) {
		size_t size = note_path(s, &c->fd, &block);
		memcpy(s->path, s->path2, size);
		o->path_size = size;
	}
	if (!again && o->path_size > 0)
		kind = strace_path_kind(s->path, o->path_size, block);
	if (kind == FD_OTHER && *s->path != '/' && !real && !again)
		kind = FD_FILE; /* a relative name */
	if ((o->flags & (STRACE_O_DIRECTORY | STRACE_O_PATH)) != 0 && !is_tmpfile(o))
		kind = FD_DIRECTORY;
	unsigned how = ((o->flags & STRACE_O_CREAT) != 0 ? OPEN_CREATE : 0U) |
		       ((o->flags & STRACE_O_EXCL) != 0 ? OPEN_EXCLUSIVE : 0U) |
		       (real ? OPEN_REAL : 0U);
	const bool named = o->path_size > 0 && !is_tmpfile(o) && !c->fd.deleted;
	if (f == NULL && named && (kind == FD_DIRECTORY || kind == FD_FILE))
		f = fdtable_open(&s->tracker, s->path, o->path_size, how);
	const bool unlinked = f == NULL && kind == FD_FILE;
	if (unlinked)
		f = tracker_unlinked(&s->tracker);
	struct open_description *d = open_description_new(&s->tracker, kind, f);
	if (unlinked && f != NULL) {
		f->size_known = is_tmpfile(o);
		file_free(&s->tracker, f);
	}
	if (d == NULL)
		return NULL;
	if (d->file != NULL && (o->flags & STRACE_O_TRUNC) != 0)
		strace_resized(s, c, d->file, 0);
	if (d->file != NULL)
		d->file->opened = true;
	d->append = (o->flags & STRACE_O_APPEND) != 0;
	d->position_known = true;
	d->note = c->fd.note.p == NULL ? 0 : note_hash(&c->fd);
	return d;
}

struct tracked_file *strace_truncates(struct strace *s, struct strace_call *c)
{
	struct opening o = {.flags = STRACE_O_TRUNC};
	const struct strace_fd cwd = {.number = STRACE_CWD};
	if (c->entry->run == strace_open)
		read_opening(s, c, &o);
	else if (c->args > 0)
		o.path_size = strace_path(s, c, &cwd, c->arg[0], s->path);
	if ((o.flags & STRACE_O_TRUNC) == 0 || o.path_size == 0)
		return NULL;
	return strace_file_at(s, c, s->path, o.path_size);
}

static void open_op(struct strace *s, struct strace_call *c, const struct opening *o, uint32_t file)
{
	struct strace_op op = {.name = o->create ? "create" : c->entry->op,
			       .file = file,
			       .path = s->path,
			       .path_size = o->path_size};
	if (emit_wants_op(&s->emit, op.name))
		strace_emit_op(s, c, &op);
}

void strace_open(struct strace *s, struct strace_call *c)
{
	struct opening o;
	if (!c->returned)
		return;
	read_opening(s, c, &o);
	if (c->failed) {
		if (o.path_size > 0 && c->error.end - c->error.p == 6 &&
		    memcmp(c->error.p, "ENOENT", 6) == 0 && !o.create)
			fdtable_missing(&s->tracker, s->path, o.path_size);
		open_op(s, c, &o, 0);
		return;
	}
	struct open_description *d = opened(s, c, &o);
	struct fd_slot *slot = install(s, c, c->result, d, (o.flags & STRACE_O_CLOEXEC) != 0);
	if (slot == NULL)
		return;
	bool shown = strace_recorded(s, slot->open) || slot->open->kind == FD_DIRECTORY;
	if (shown)
		open_op(s, c, &o, strace_emit_file(s, c->task, c->result, slot, c->start_ns));
}

/* close */

static void close_op(struct strace *s, struct strace_call *c, struct open_description *d, bool last)
{
	bool shown = strace_recorded(s, d) || d->kind == FD_DIRECTORY;
	if (shown && last && emit_wants_op(&s->emit, "close") &&
	    description_mark_known(&s->tracker, d, c->task->group->id)) {
		struct strace_op op = {.name = "close", .file = d->id};
		if (d->file != NULL && file_has_path(&s->tracker, d->file)) {
			op.path = d->file->path;
			op.path_size = d->file->path_size;
		}
		strace_emit_op(s, c, &op);
	}
}

static void close_fd(struct strace *s, struct strace_call *c, int64_t fd)
{
	const struct fd_table *table = c->task->table;
	if (strace_is_late(s, c, fd)) { /* the number has been reused since */
		const struct strace_gone *gone = strace_gone(s, c, fd);
		if (gone != NULL)
			close_op(s, c, gone->slot.open, gone->last);
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
	struct strace_fd fd = strace_fd(c->arg[0]);
	if (!c->returned || c->args == 0)
		return;
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
	if (!c->returned || c->failed || c->args < 3 || !strace_number(c->arg[0], &first))
		return;
	if (!strace_number(c->arg[1], &last) || last < 0 || last > FD_MAX)
		last = FD_MAX; /* "~0U" */
	int64_t flags = 0;
	strace_number(c->arg[2], &flags);
	if (strace_has_flag(c->arg[2], "CLOSE_RANGE_UNSHARE") || (flags & 2) != 0) {
		struct fd_table *own = fd_table_copy(&s->tracker, c->task->table);
		if (own == NULL)
			return;
		fd_table_free(&s->tracker, c->task->table);
		c->task->table = own;
	}
	bool cloexec = strace_has_flag(c->arg[2], "CLOSE_RANGE_CLOEXEC") || (flags & 4) != 0;
	struct fd_table *table = c->task->table;
	struct fd_slot *slot;
	for (int64_t fd = fd_table_next(table, first < 0 ? 0 : first, &slot);
	     fd <= last && fd < (int64_t)table->capacity;
	     fd = fd_table_next(table, fd + 1, &slot)) {
		if (!cloexec)
			close_fd(s, c, fd);
		else if (slot->since <= c->entered)
			fd_table_set_cloexec(&s->tracker, table, fd, true);
	}
}

/* Copies */

void strace_dup(struct strace *s, struct strace_call *c)
{
	if (!c->returned || c->failed || c->args < 1)
		return;
	struct strace_fd from = strace_fd(c->arg[0]);
	int64_t flags = 0;
	if (c->args > 2)
		strace_number(c->arg[2], &flags);
	const bool cloexec = c->args > 2 && (strace_has_flag(c->arg[2], "O_CLOEXEC") ||
					     (flags & STRACE_O_CLOEXEC) != 0);
	strace_copy(s, c, &from, c->result, cloexec, c->entry->variant > 1);
}

enum raw_fcntl {
	RAW_DUPFD = 0,
	RAW_SETFD = 2,
	RAW_GETFL = 3,
	RAW_SETFL = 4,
	RAW_DUPFD_CLOEXEC = 1030
};

static int64_t fcntl_command(struct strace_text arg)
{
	static const struct {
		const char *name;
		int64_t value;
	} COMMANDS[] = {
	    {"F_DUPFD_CLOEXEC", RAW_DUPFD_CLOEXEC},
	    {"F_DUPFD", RAW_DUPFD},
	    {"F_SETFD", RAW_SETFD},
	    {"F_SETFL", RAW_SETFL},
	    {"F_GETFL", RAW_GETFL},
	};
	int64_t value;
	for (size_t i = 0; i < sizeof COMMANDS / sizeof COMMANDS[0]; i++)
		if (strace_is(arg, COMMANDS[i].name))
			return COMMANDS[i].value;
	return strace_number(arg, &value) ? value : -1;
}

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

void strace_fcntl(struct strace *s, struct strace_call *c)
{
	if (!c->returned || c->failed || c->args < 2)
		return;
	struct strace_fd fd = strace_fd(c->arg[0]);
	int64_t command = fcntl_command(c->arg[1]), value = 0;
	if (command == RAW_DUPFD || command == RAW_DUPFD_CLOEXEC) {
		strace_copy(s, c, &fd, c->result, command == RAW_DUPFD_CLOEXEC, false);
		return;
	}
	if (command != RAW_SETFD && command != RAW_SETFL && command != RAW_GETFL)
		return;
	struct fd_slot *slot = strace_slot(s, c, &fd);
	if (slot == NULL)
		return;
	if (command == RAW_GETFL) {
		slot->open->append = (c->result & STRACE_O_APPEND) != 0;
		return;
	}
	if (c->args < 3)
		return;
	if (command == RAW_SETFD)
		fd_table_set_cloexec(&s->tracker, c->task->table, fd.number,
				     strace_has_flag(c->arg[2], "FD_CLOEXEC") ||
					 (strace_number(c->arg[2], &value) && (value & 1) != 0));
	else
		set_append(s, c, slot->open, (strace_open_flags(c->arg[2]) & STRACE_O_APPEND) != 0);
}

enum raw_ioctl { RAW_FIONCLEX = 0x5450, RAW_FIOCLEX = 0x5451 };

void strace_ioctl(struct strace *s, struct strace_call *c)
{
	if (!c->returned || c->failed || c->args < 2)
		return;
	int64_t raw = 0;
	strace_number(c->arg[1], &raw);
	bool set = strace_is(c->arg[1], "FIOCLEX") || raw == RAW_FIOCLEX;
	if (!set && !strace_is(c->arg[1], "FIONCLEX") && raw != RAW_FIONCLEX)
		return;
	struct strace_fd fd = strace_fd(c->arg[0]);
	if (strace_slot(s, c, &fd) != NULL)
		fd_table_set_cloexec(&s->tracker, c->task->table, fd.number, set);
}

/* Descriptors that are not files */

static void made(struct strace *s, struct strace_call *c, const struct strace_fd *fd,
		 enum descriptor_kind kind, bool cloexec)
{
	struct open_description *d = open_description_new(&s->tracker, kind, NULL);
	if (d == NULL)
		return;
	d->position_known = true;
	d->note = fd->note.p == NULL ? 0 : note_hash(fd);
	s->unix_sockets |= kind == FD_SOCKET && c->args > 0 &&
			   (strace_is(c->arg[0], "AF_UNIX") || strace_is(c->arg[0], "AF_LOCAL"));
	install(s, c, fd->number, d, cloexec);
}

static bool any_cloexec(const struct strace_call *c)
{
	static const char WORD[] = "_CLOEXEC";
	const char *from = c->args == 0 ? NULL : c->arg[0].p;
	if ((c->entry->class & STRACE_PRIVATE) != 0)
		return true;
	return from != NULL && memmem(from, (size_t)(c->arg[c->args - 1].end - from), WORD,
				      sizeof WORD - 1) != NULL;
}

/* Assigns numbers that -s 0 hides: a pair uses the two lowest free ones. */
static void hidden_pair(struct strace *s, struct strace_call *c, enum descriptor_kind kind,
			bool cloexec)
{
	uint32_t from = 3;
	strace_count(s, "guessed.pair", 1);
	for (int i = 0; i < 2; i++) {
		struct strace_fd fd = {.number = fd_table_lowest(c->task->table, from)};
		made(s, c, &fd, kind, cloexec);
		struct fd_slot *slot = fd_table_get(c->task->table, fd.number);
		if (slot != NULL)
			slot->open->seen = false; /* a guess */
		from = (uint32_t)fd.number + 1;
	}
}

void strace_pair(struct strace *s, struct strace_call *c)
{
	enum descriptor_kind kind = (enum descriptor_kind)c->entry->variant;
	struct strace_text pair[2] = {0};
	unsigned at = kind == FD_SOCKET ? 3 : 0, count = 0;
	if (!c->returned || c->failed || c->args <= at)
		return;
	struct strace_text arg = c->arg[at];
	bool cloexec = any_cloexec(c);
	if (arg.p < arg.end && *arg.p == '[')
		if (strace_split(arg.p + 1, arg.end, NULL, pair, 2, &count) == NULL)
			count = 0;
	struct strace_fd a = {.number = STRACE_NO_FD}, b = a;
	if (count == 2) {
		a = strace_fd(pair[0]);
		b = strace_fd(pair[1]);
	}
	if (a.number < 0 || b.number < 0) {
		hidden_pair(s, c, kind, cloexec);
		return;
	}
	made(s, c, &a, kind, cloexec);
	made(s, c, &b, kind, cloexec);
	const struct fd_slot *first = fd_table_get(c->task->table, a.number);
	const struct fd_slot *second = fd_table_get(c->task->table, b.number);
	if (kind == FD_SOCKET && first != NULL && second != NULL)
		fd_socketpair_new(&s->tracker, first->open, second->open);
}

void strace_created(struct strace *s, struct strace_call *c)
{
	if (!c->returned || c->failed || c->result < 0)
		return;
	struct strace_fd fd = c->fd;
	fd.number = c->result;
	if (c->entry->variant == 0) /* from another process: only its name is known */
		strace_install(s, c, fd.number, strace_found_passed(s, &fd), true);
	else if (strcmp(c->entry->name, "bpf") != 0 || strace_is(c->arg[0], "BPF_MAP_CREATE") ||
		 strace_is(c->arg[0], "BPF_PROG_LOAD"))
		made(s, c, &fd, (enum descriptor_kind)c->entry->variant, any_cloexec(c));
}
