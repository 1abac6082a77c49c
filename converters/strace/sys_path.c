/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that use names, sizes and the working directory, and other operations without data. */
#include "strace.h"

#include <string.h>

/* Records the working directory that strace prints with AT_FDCWD. */
static void learn_cwd(struct strace *s, struct strace_task *t, struct strace_text note)
{
	size_t size = strace_unescape(note, s->scratch, sizeof s->scratch);
	struct directory *d = t->cwd;
	if (size == 0 || *s->scratch != '/' ||
	    (d->size == size && memcmp(d->path, s->scratch, size) == 0))
		return;
	bool relative = d->size == 0 || *d->path != '/';
	size_t root = size;
	if (relative && d->size > 0) { /* so far known by a relative name: determine its prefix */
		if (size <= d->size || memcmp(s->scratch + size - d->size, d->path, d->size) != 0 ||
		    s->scratch[size - d->size - 1] != '/')
			relative = false;
		root = size - d->size - 1;
	}
	if (relative)
		fdtable_root(&s->fds, s->scratch, root == 0 ? 1 : root);
	directory_set(&s->fds, d, s->scratch, size);
}

size_t strace_path(struct strace *s, struct strace_call *c, const struct strace_fd *dir,
		   struct strace_text arg, char *out)
{
	const struct strace_task *t = c->task;
	size_t size;
	if (dir->number == STRACE_CWD && dir->note.p != NULL)
		learn_cwd(s, c->task, dir->note);
	if (!strace_string(arg, s->scratch, sizeof s->scratch, &size) || size == 0)
		return 0;
	if (*s->scratch == '/' || dir->number == STRACE_CWD)
		return fdtable_resolve(&s->fds, t->cwd->path, t->cwd->size, s->scratch, size, out);
	if (dir->note.p != NULL) {
		char base[PATH_CAPACITY];
		size_t n = strace_unescape(dir->note, base, sizeof base);
		return fdtable_resolve(&s->fds, base, n, s->scratch, size, out);
	}
	const struct fd_slot *slot = fd_table_get(t->table, dir->number);
	if (slot == NULL || slot->open->file == NULL || !file_has_path(&s->fds, slot->open->file))
		return 0;
	const struct tracked_file *f = slot->open->file;
	return fdtable_resolve(&s->fds, f->path, f->path_size, s->scratch, size, out);
}

/* Parses "12/", the number of a process or thread. */
static bool number_part(const char **p, const char *end, int64_t *pid)
{
	return strace_digits(p, end, pid) && strace_skip(p, end, "/");
}

/*
 * Parses "/proc/self/fd/3" and similar paths: returns the descriptor and its process; -1 for other
 * paths.
 */
static int64_t fd_of_path(const char *path, size_t size, int64_t *pid)
{
	static const char *const STANDARD[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
	const char *p = path, *end = path + size;
	int64_t fd;
	*pid = 0;
	for (int i = 0; i < 3; i++)
		if (size == strlen(STANDARD[i]) && memcmp(path, STANDARD[i], size) == 0)
			return i;
	if (!strace_skip(&p, end, "/dev/fd/")) {
		if (!strace_skip(&p, end, "/proc/") ||
		    !(strace_skip(&p, end, "self/") || strace_skip(&p, end, "thread-self/") ||
		      number_part(&p, end, pid)) ||
		    (strace_skip(&p, end, "task/") && !number_part(&p, end, pid)) ||
		    !strace_skip(&p, end, "fd/"))
			return STRACE_NO_FD;
	}
	return strace_digits(&p, end, &fd) && p == end ? fd : STRACE_NO_FD;
}

struct fd_slot *strace_slot_of_path(struct strace *s, struct strace_call *c, const char *path,
				    size_t size)
{
	int64_t pid;
	const struct strace_fd fd = {.number = fd_of_path(path, size, &pid)};
	if (fd.number < 0)
		return NULL;
	const struct strace_task *t =
	    pid == 0 || pid > STRACE_PID_MAX ? c->task : strace_task_find(s, (uint32_t)pid);
	if (t == NULL)
		return NULL;
	struct fd_slot *slot = fd_table_get(t->table, fd.number);
	if (slot != NULL)
		return slot;
	return fd_table_set(&s->fds, t->table, fd.number, strace_fd_found(s, &fd), false);
}

struct tracked_file *strace_file_at(struct strace *s, struct strace_call *c, const char *path,
				    size_t size)
{
	const struct fd_slot *slot = strace_slot_of_path(s, c, path, size);
	return slot != NULL ? slot->open->file : fdtable_find(&s->fds, path, size);
}

/* stat */

enum raw_mode { MODE_TYPE = 0170000, MODE_FILE = 0100000 };

/* Returns 1 for a regular file, 0 for other kinds, -1 if not shown. */
static int is_regular(struct strace_text text)
{
	const char *p =
	    text.p == NULL ? NULL : memmem(text.p, (size_t)(text.end - text.p), "_mode=", 6);
	if (p == NULL)
		return -1;
	p += 6;
	if (strace_skip(&p, text.end, "S_IFREG"))
		return 1;
	unsigned mode = 0;
	if (p == text.end || *p != '0')
		return 0;
	for (; p < text.end && *p >= '0' && *p <= '7'; p++)
		mode = mode * 8 + (unsigned)(*p - '0');
	return (mode & MODE_TYPE) == MODE_FILE;
}

/* Returns the arguments from the second on, which show the result. */
static struct strace_text stat_text(const struct strace_call *c)
{
	if (c->args < 2)
		return (struct strace_text){0};
	return (struct strace_text){c->arg[1].p, c->arg[c->args - 1].end};
}

static void learn_size(struct strace *s, const struct strace_call *c, struct tracked_file *f)
{
	const struct strace_text text = stat_text(c);
	int64_t size;
	if (f != NULL && is_regular(text) == 1 &&
	    (strace_field(text, "st_size=", &size) || strace_field(text, "stx_size=", &size)) &&
	    size >= 0)
		strace_learn_size(s, c, f, (uint64_t)size);
}

/* Uses the result of fstat as the kind of a descriptor that was open before the trace. */
static void learn_kind(struct strace *s, const struct strace_call *c, struct fd_slot *slot)
{
	static const struct {
		const char *name;
		uint8_t kind;
	} KINDS[] = {{"S_IFCHR", FD_DEVICE},
		     {"S_IFIFO", FD_PIPE},
		     {"S_IFSOCK", FD_SOCKET},
		     {"S_IFDIR", FD_DIRECTORY}};
	const struct strace_text text = stat_text(c);
	struct open_description *d = slot->open;
	const int regular = is_regular(text);
	if (d->seen || d->note != 0)
		return;
	if (regular == 1 && d->kind == FD_OTHER) {
		d->file = file_unlinked(&s->fds);
		d->kind = d->file != NULL ? FD_FILE : FD_OTHER;
	} else if (regular == 0 && d->kind == FD_FILE) {
		for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++)
			if (strace_contains(text, KINDS[i].name))
				d->kind = KINDS[i].kind;
	}
}

/* One path */

static const struct strace_fd CWD = {.number = STRACE_CWD};

static void path_op(struct strace *s, struct strace_call *c, const char *name, size_t path_size)
{
	strace_emit_op(s, c,
		       &(struct strace_op){.name = name, .path = s->path, .path_size = path_size});
}

static void path_effect(struct strace *s, struct strace_call *c, size_t size)
{
	const int variant = c->entry->variant;
	const bool missing = c->failed && strace_is(c->error, "ENOENT");
	if (size == 0 || (c->failed && !missing))
		return;
	if (variant == STRACE_UNLINK)
		fdtable_absent(&s->fds, s->path, size);
	else if (missing && (variant == STRACE_STAT || variant == STRACE_ACCESS))
		fdtable_missing(&s->fds, s->path, size);
	else if (variant == STRACE_STAT)
		learn_size(s, c, strace_file_at(s, c, s->path, size));
}

void strace_path_op(struct strace *s, struct strace_call *c)
{
	const size_t size = strace_path(s, c, &CWD, c->arg[0], s->path);
	path_effect(s, c, size);
	path_op(s, c, c->entry->op, size);
}

void strace_fd_op(struct strace *s, struct strace_call *c)
{
	const struct strace_fd fd = strace_fd(c->arg[0]);
	struct fd_slot *slot =
	    c->failed ? fd_table_get(c->task->table, fd.number) : strace_slot(s, c, &fd);
	if (slot == NULL)
		return;
	if (c->entry->variant == STRACE_STAT && !c->failed) {
		learn_kind(s, c, slot);
		learn_size(s, c, slot->open->file);
	}
	if (!strace_shown(s, slot->open) || !emit_wants_op(&s->emit, c->entry->op))
		return;
	const uint32_t file = strace_emit_file(s, c->task, fd.number, slot, c->start_ns);
	strace_emit_op_on(s, c, c->entry->op, file, slot->open);
}

static bool empty_path(struct strace_text arg)
{
	return (arg.end - arg.p == 2 && arg.p[0] == '"' && arg.p[1] == '"') ||
	       strace_is(arg, "NULL");
}

void strace_path_op_at(struct strace *s, struct strace_call *c)
{
	const struct strace_fd dir = strace_fd(c->arg[0]);
	if (dir.number != STRACE_CWD && empty_path(c->arg[1])) {
		strace_fd_op(s, c);
		return;
	}
	const size_t size = strace_path(s, c, &dir, c->arg[1], s->path);
	path_effect(s, c, size);
	const bool removes_directory =
	    c->entry->variant == STRACE_UNLINK && strace_flag(c, 2, "AT_REMOVEDIR", 0x200);
	path_op(s, c, removes_directory ? "rmdir" : c->entry->op, size);
}

/* Two paths */

/* Makes s->path2 a second name of the file s->path. */
static void new_link(struct strace *s, struct strace_call *c, size_t from, size_t to)
{
	const bool follow = strace_flag(c, 4, "AT_SYMLINK_FOLLOW", 0x400);
	const struct fd_slot *slot = follow ? strace_slot_of_path(s, c, s->path, from) : NULL;
	if (slot == NULL)
		fdtable_link(&s->fds, s->path, from, s->path2, to, follow);
	else if (slot->open->file != NULL)
		fdtable_name(&s->fds, slot->open->file, s->path2, to);
}

static bool exchanges(const struct strace_call *c)
{
	return c->entry->variant == STRACE_RENAME && strace_flag(c, 4, "RENAME_EXCHANGE", 2);
}

static void two_paths_op(struct strace *s, struct strace_call *c, size_t from, size_t to)
{
	strace_emit_op(s, c,
		       &(struct strace_op){.name = exchanges(c) ? "exchange" : c->entry->op,
					   .path = s->path,
					   .path_size = from,
					   .to = s->path2,
					   .to_size = to});
}

static void two_paths(struct strace *s, struct strace_call *c, size_t from, size_t to)
{
	if (!c->failed && from > 0 && to > 0 && c->entry->variant == STRACE_RENAME)
		fdtable_rename(&s->fds, s->path, from, s->path2, to, exchanges(c));
	else if (!c->failed && from > 0 && to > 0)
		new_link(s, c, from, to);
	two_paths_op(s, c, from, to);
}

void strace_two_paths(struct strace *s, struct strace_call *c)
{
	const size_t from = strace_path(s, c, &CWD, c->arg[0], s->path);
	two_paths(s, c, from, strace_path(s, c, &CWD, c->arg[1], s->path2));
}

void strace_two_paths_at(struct strace *s, struct strace_call *c)
{
	const struct strace_fd a = strace_fd(c->arg[0]), b = strace_fd(c->arg[2]);
	const size_t from = strace_path(s, c, &a, c->arg[1], s->path),
		     to = strace_path(s, c, &b, c->arg[3], s->path2);
	if (from > 0 || a.number < 0 || !empty_path(c->arg[1]) ||
	    c->entry->variant != STRACE_LINK) {
		two_paths(s, c, from, to);
		return;
	}
	/* linkat(3, "", ..., AT_EMPTY_PATH): gives the file of a descriptor a name */
	const struct fd_slot *slot = c->failed ? NULL : strace_slot(s, c, &a);
	if (slot != NULL && slot->open->file != NULL && to > 0)
		fdtable_name(&s->fds, slot->open->file, s->path2, to);
	two_paths_op(s, c, 0, to);
}

/* symlink(target, path): the target is arbitrary text */
static void symlink_op(struct strace *s, struct strace_call *c, const struct strace_fd *dir,
		       struct strace_text arg)
{
	const size_t path_size = strace_path(s, c, dir, arg, s->path);
	size_t to_size;
	if (!strace_string(c->arg[0], s->path2, sizeof s->path2, &to_size))
		to_size = 0;
	if (!c->failed && path_size > 0 && to_size > 0)
		fdtable_symlink(&s->fds, s->path, path_size, s->path2, to_size);
	two_paths_op(s, c, path_size, to_size);
}

void strace_symlink(struct strace *s, struct strace_call *c)
{
	symlink_op(s, c, &CWD, c->arg[1]);
}

void strace_symlink_at(struct strace *s, struct strace_call *c)
{
	const struct strace_fd dir = strace_fd(c->arg[1]);
	symlink_op(s, c, &dir, c->arg[2]);
}

/* Sizes */

void strace_truncate_enter(struct strace *s, struct strace_call *c)
{
	const size_t size = c->args > 0 ? strace_path(s, c, &CWD, c->arg[0], s->path) : 0;
	if (size > 0)
		strace_use(&c->task->active.using[0], NULL, strace_file_at(s, c, s->path, size));
}

void strace_truncate(struct strace *s, struct strace_call *c)
{
	int64_t length;
	const size_t size = strace_path(s, c, &CWD, c->arg[0], s->path);
	struct tracked_file *f = strace_file_at(s, c, s->path, size);
	if (!c->failed && f != NULL && strace_number(c->arg[1], &length) && length >= 0)
		strace_resized(s, c, f, (uint64_t)length);
	path_op(s, c, c->entry->op, size);
}

/* Returns the file of the descriptor, whose size a call changes; NULL if it failed. */
static struct tracked_file *file_of_fd(struct strace *s, struct strace_call *c)
{
	const struct strace_fd fd = strace_fd(c->arg[0]);
	const struct fd_slot *slot = c->failed ? NULL : strace_slot(s, c, &fd);
	return slot != NULL ? slot->open->file : NULL;
}

void strace_ftruncate(struct strace *s, struct strace_call *c)
{
	struct tracked_file *f = file_of_fd(s, c);
	int64_t length;
	if (f != NULL && strace_number(c->arg[1], &length) && length >= 0)
		strace_resized(s, c, f, (uint64_t)length);
	strace_fd_op(s, c);
}

/* A mode that moves bytes within the file makes its size unknown. */
static void allocated(struct strace *s, const struct strace_call *c, struct tracked_file *f,
		      int64_t end)
{
	const bool shifts = strace_flag(c, 1, "FALLOC_FL_COLLAPSE_RANGE", 0x8) ||
			    strace_flag(c, 1, "FALLOC_FL_INSERT_RANGE", 0x20);
	strace_size_race(s, c, f, STRACE_SETS);
	if (f->disputed || shifts)
		f->size_known = false;
	if (!shifts && !strace_flag(c, 1, "FALLOC_FL_KEEP_SIZE", 1))
		file_grow(f, (uint64_t)end);
}

void strace_fallocate(struct strace *s, struct strace_call *c)
{
	struct tracked_file *f = file_of_fd(s, c);
	int64_t offset, length, end;
	if (f != NULL && strace_number(c->arg[2], &offset) && strace_number(c->arg[3], &length) &&
	    !__builtin_add_overflow(offset, length, &end) && end >= 0)
		allocated(s, c, f, end);
	strace_fd_op(s, c);
}

void strace_sync(struct strace *s, struct strace_call *c)
{
	path_op(s, c, c->entry->op, 0);
}

/* The working directory */

enum chdir_variant { CHDIR, FCHDIR, CHROOT };

void strace_chdir(struct strace *s, struct strace_call *c)
{
	struct directory *cwd = c->task->cwd;
	if (c->entry->variant == CHROOT) { /* absolute names have another root from now on */
		strace_count(s, "chroot", 1);
	} else if (c->entry->variant == CHDIR) {
		const size_t size = strace_path(s, c, &CWD, c->arg[0], s->path);
		if (size > 0)
			directory_set(&s->fds, cwd, s->path, size);
	} else {
		struct tracked_file *f = file_of_fd(s, c);
		if (f != NULL && file_has_path(&s->fds, f))
			directory_set(&s->fds, cwd, f->path, f->path_size);
	}
}

void strace_getcwd(struct strace *s, struct strace_call *c)
{
	const struct strace_text a = c->arg[0];
	if (a.end - a.p > 2 && *a.p == '"' && a.end[-1] == '"')
		learn_cwd(s, c->task, (struct strace_text){a.p + 1, a.end - 1});
}
