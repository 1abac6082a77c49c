/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From lines to calls: the table of the system calls that matter, and calls put together from their
 * unfinished and resumed halves. A call takes effect when it returns.
 */
#include "strace.h"

#include <stdlib.h>
#include <string.h>

enum {
	R = STRACE_DATA | STRACE_READS, /* may wait: its entry counts only if it reads a file */
	W = STRACE_DATA,
	PARTIAL_LINES = 8, /* foreign lines that may stand inside a call */
};

static const struct strace_entry CALLS[] = {
    /* bytes; variant: does it write? */
    {"read", strace_read_write, R, 0, NULL},
    {"write", strace_read_write, W | STRACE_READS, 1, NULL},
    {"readv", strace_read_write, R, 0, NULL},
    {"writev", strace_read_write, W | STRACE_READS, 1, NULL},
    {"pread64", strace_at_offset, W, 0, NULL},
    {"pwrite64", strace_at_offset, W, 1, NULL},
    {"pread", strace_at_offset, W, 0, NULL},
    {"pwrite", strace_at_offset, W, 1, NULL},
    {"preadv", strace_at_offset, W, 0, NULL},
    {"pwritev", strace_at_offset, W, 1, NULL},
    {"preadv2", strace_at_offset, W, 0, NULL},
    {"pwritev2", strace_at_offset, W, 1, NULL},
    {"recv", strace_read_write, R, 0, NULL},
    {"recvfrom", strace_read_write, R, 0, NULL},
    {"recvmsg", strace_recvmsg, R, 0, NULL},
    {"send", strace_read_write, R, 1, NULL},
    {"sendto", strace_read_write, R, 1, NULL},
    {"sendmsg", strace_read_write, R, 1, NULL},
    {"sendfile", strace_sendfile, W, 0, NULL},
    {"sendfile64", strace_sendfile, W, 0, NULL},
    {"copy_file_range", strace_copy_range, W, 0, NULL},
    {"splice", strace_copy_range, W, 1, NULL},
    {"io_submit", strace_io_submit, W, 0, NULL},
    {"io_uring_enter", strace_hidden, 0, 0, NULL},
    {"restart_syscall", strace_hidden, 0, 1, NULL},
    {"mmap", strace_mmap, 0, 0, NULL},
    {"mmap2", strace_mmap, 0, 0, NULL},
    {"lseek", strace_lseek, 0, 0, NULL},
    {"_llseek", strace_llseek, 0, 0, NULL},
    /* descriptors; open's variant: argument of the path */
    {"open", strace_open, STRACE_OP, 0, "open"},
    {"openat", strace_open, STRACE_OP, 1, "open"},
    {"openat2", strace_open, STRACE_OP, 2, "open"},
    {"creat", strace_open, STRACE_OP, 3, "create"},
    {"open_by_handle_at", strace_open, STRACE_OP, 4, "open"},
    {"close", strace_close, STRACE_OP, 0, "close"},
    {"close_range", strace_close_range, STRACE_OP, 0, "close"},
    {"dup", strace_dup, 0, 1, NULL},
    {"dup2", strace_dup, 0, 2, NULL},
    {"dup3", strace_dup, 0, 3, NULL},
    {"fcntl", strace_fcntl, 0, 0, NULL},
    {"fcntl64", strace_fcntl, 0, 0, NULL},
    {"ioctl", strace_ioctl, 0, 0, NULL},
    {"pipe", strace_pair, 0, IOT_FD_PIPE, NULL},
    {"pipe2", strace_pair, 0, IOT_FD_PIPE, NULL},
    {"socketpair", strace_pair, 0, IOT_FD_SOCKET, NULL},
    {"socket", strace_made, 0, IOT_FD_SOCKET, NULL},
    {"accept", strace_made, 0, IOT_FD_SOCKET, NULL},
    {"accept4", strace_made, 0, IOT_FD_SOCKET, NULL},
    {"eventfd", strace_made, 0, IOT_FD_OTHER, NULL},
    {"eventfd2", strace_made, 0, IOT_FD_OTHER, NULL},
    {"epoll_create", strace_made, 0, IOT_FD_OTHER, NULL},
    {"epoll_create1", strace_made, 0, IOT_FD_OTHER, NULL},
    {"signalfd", strace_made, 0, IOT_FD_OTHER, NULL},
    {"signalfd4", strace_made, 0, IOT_FD_OTHER, NULL},
    {"timerfd_create", strace_made, 0, IOT_FD_OTHER, NULL},
    {"inotify_init", strace_made, 0, IOT_FD_OTHER, NULL},
    {"inotify_init1", strace_made, 0, IOT_FD_OTHER, NULL},
    {"memfd_create", strace_made, 0, IOT_FD_OTHER, NULL},
    {"memfd_secret", strace_made, 0, IOT_FD_OTHER, NULL},
    {"userfaultfd", strace_made, 0, IOT_FD_OTHER, NULL},
    {"pidfd_open", strace_made, 0, IOT_FD_OTHER, NULL},
    {"perf_event_open", strace_made, 0, IOT_FD_OTHER, NULL},
    {"io_uring_setup", strace_made, 0, IOT_FD_OTHER, NULL},
    {"bpf", strace_made, 0, IOT_FD_OTHER, NULL},
    {"fanotify_init", strace_made, 0, IOT_FD_OTHER, NULL},
    {"mq_open", strace_made, 0, IOT_FD_OTHER, NULL},
    {"pidfd_getfd", strace_made, 0, 0, NULL},
    /* names and other operations */
    {"stat", strace_path_op, STRACE_OP, STRACE_STAT, "stat"},
    {"stat64", strace_path_op, STRACE_OP, STRACE_STAT, "stat"},
    {"lstat", strace_path_op, STRACE_OP, STRACE_STAT, "stat"},
    {"lstat64", strace_path_op, STRACE_OP, STRACE_STAT, "stat"},
    {"fstat", strace_fd_op, STRACE_OP, STRACE_STAT, "stat"},
    {"fstat64", strace_fd_op, STRACE_OP, STRACE_STAT, "stat"},
    {"newfstatat", strace_path_op_at, STRACE_OP, STRACE_STAT, "stat"},
    {"fstatat64", strace_path_op_at, STRACE_OP, STRACE_STAT, "stat"},
    {"statx", strace_path_op_at, STRACE_OP, STRACE_STAT, "stat"},
    {"access", strace_path_op, STRACE_OP, STRACE_ACCESS, "access"},
    {"faccessat", strace_path_op_at, STRACE_OP, STRACE_ACCESS, "access"},
    {"faccessat2", strace_path_op_at, STRACE_OP, STRACE_ACCESS, "access"},
    {"unlink", strace_path_op, STRACE_OP, STRACE_UNLINK, "unlink"},
    {"unlinkat", strace_path_op_at, STRACE_OP, STRACE_UNLINK, "unlink"},
    {"rmdir", strace_path_op, STRACE_OP, STRACE_UNLINK, "rmdir"},
    {"rename", strace_two_paths, STRACE_OP, STRACE_RENAME, "rename"},
    {"renameat", strace_two_paths_at, STRACE_OP, STRACE_RENAME, "rename"},
    {"renameat2", strace_two_paths_at, STRACE_OP, STRACE_RENAME, "rename"},
    {"link", strace_two_paths, STRACE_OP, STRACE_LINK, "link"},
    {"linkat", strace_two_paths_at, STRACE_OP, STRACE_LINK, "link"},
    {"symlink", strace_symlink, STRACE_OP, STRACE_PLAIN, "symlink"},
    {"symlinkat", strace_symlink_at, STRACE_OP, STRACE_PLAIN, "symlink"},
    {"readlink", strace_path_op, STRACE_OP, STRACE_PLAIN, "readlink"},
    {"readlinkat", strace_path_op_at, STRACE_OP, STRACE_PLAIN, "readlink"},
    {"mkdir", strace_path_op, STRACE_OP, STRACE_MAKE, "mkdir"},
    {"mkdirat", strace_path_op_at, STRACE_OP, STRACE_MAKE, "mkdir"},
    {"mknod", strace_path_op, STRACE_OP, STRACE_MAKE, "mknod"},
    {"mknodat", strace_path_op_at, STRACE_OP, STRACE_MAKE, "mknod"},
    {"chmod", strace_path_op, STRACE_OP, STRACE_PLAIN, "chmod"},
    {"fchmod", strace_fd_op, STRACE_OP, STRACE_PLAIN, "chmod"},
    {"fchmodat", strace_path_op_at, STRACE_OP, STRACE_PLAIN, "chmod"},
    {"fchmodat2", strace_path_op_at, STRACE_OP, STRACE_PLAIN, "chmod"},
    {"chown", strace_path_op, STRACE_OP, STRACE_PLAIN, "chown"},
    {"lchown", strace_path_op, STRACE_OP, STRACE_PLAIN, "chown"},
    {"fchown", strace_fd_op, STRACE_OP, STRACE_PLAIN, "chown"},
    {"fchownat", strace_path_op_at, STRACE_OP, STRACE_PLAIN, "chown"},
    {"utime", strace_path_op, STRACE_OP, STRACE_PLAIN, "utime"},
    {"utimes", strace_path_op, STRACE_OP, STRACE_PLAIN, "utime"},
    {"futimesat", strace_path_op_at, STRACE_OP, STRACE_PLAIN, "utime"},
    {"utimensat", strace_path_op_at, STRACE_OP, STRACE_PLAIN, "utime"},
    {"statfs", strace_path_op, STRACE_OP, STRACE_PLAIN, "statfs"},
    {"fstatfs", strace_fd_op, STRACE_OP, STRACE_PLAIN, "statfs"},
    {"getdents", strace_fd_op, STRACE_OP, STRACE_PLAIN, "readdir"},
    {"getdents64", strace_fd_op, STRACE_OP, STRACE_PLAIN, "readdir"},
    {"truncate", strace_truncate, STRACE_OP, 0, "truncate"},
    {"truncate64", strace_truncate, STRACE_OP, 0, "truncate"},
    {"ftruncate", strace_ftruncate, STRACE_OP, 0, "truncate"},
    {"ftruncate64", strace_ftruncate, STRACE_OP, 0, "truncate"},
    {"fallocate", strace_fallocate, STRACE_OP, 0, "allocate"},
    {"fsync", strace_fd_op, STRACE_OP, STRACE_PLAIN, "fsync"},
    {"fdatasync", strace_fd_op, STRACE_OP, STRACE_PLAIN, "fsync"},
    {"sync_file_range", strace_fd_op, STRACE_OP, STRACE_PLAIN, "fsync"},
    {"syncfs", strace_fd_op, STRACE_OP, STRACE_PLAIN, "sync"},
    {"sync", strace_sync, STRACE_OP, 0, "sync"},
    {"msync", strace_sync, STRACE_OP, 0, "msync"},
    {"chdir", strace_chdir, 0, 0, NULL},
    {"fchdir", strace_chdir, 0, 1, NULL},
    {"chroot", strace_chdir, 0, 2, NULL},
    {"getcwd", strace_getcwd, 0, 0, NULL},
    /* processes */
    {"clone", strace_fork, STRACE_FORK, 0, NULL},
    {"clone3", strace_fork, STRACE_FORK, 0, NULL},
    {"fork", strace_fork, STRACE_FORK, 0, NULL},
    {"vfork", strace_fork, STRACE_FORK, 0, NULL},
    {"execve", strace_exec, 0, 0, NULL},
    {"execveat", strace_exec, 0, 1, NULL},
    {"unshare", strace_unshare, 0, 0, NULL},
    {"set_tid_address", strace_own_number, 0, 0, NULL},
    {"gettid", strace_own_number, 0, 0, NULL},
};

/* Of length and the first eight bytes: enough to tell the names apart nearly always. */
static size_t hash_name(const char *name, size_t size)
{
	uint64_t first = 0;
	memcpy(&first, name, size < sizeof first ? size : sizeof first);
	uint64_t last = (unsigned char)name[size - 1];
	return (size_t)((first ^ size << 56 ^ last << 48) * 0x9e3779b97f4a7c15U >> 54);
}

void strace_calls_init(struct strace *s)
{
	_Static_assert(STRACE_HASH == 1 << 10, "hash_name keeps ten bits");
	for (size_t i = 0; i < sizeof CALLS / sizeof CALLS[0]; i++) {
		size_t at = hash_name(CALLS[i].name, strlen(CALLS[i].name));
		while (s->hash[at] != NULL)
			at = (at + 1) % STRACE_HASH;
		s->hash[at] = &CALLS[i];
	}
}

const struct strace_entry *strace_calls_find(const struct strace *s, const char *name, size_t size)
{
	const struct strace_entry *e;
	for (size_t at = hash_name(name, size); (e = s->hash[at]) != NULL;
	     at = (at + 1) % STRACE_HASH)
		if (strncmp(e->name, name, size) == 0 && e->name[size] == '\0')
			return e;
	return NULL;
}

/* Waiting calls */

static void waiting_add(struct strace *s, struct strace_task *t)
{
	t->counted = true;
	t->waiting_next = NULL;
	t->waiting_prev = s->waiting_last;
	*(s->waiting_last == NULL ? &s->waiting : &s->waiting_last->waiting_next) = t;
	s->waiting_last = t;
}

static void waiting_remove(struct strace *s, struct strace_task *t)
{
	if (!t->counted)
		return;
	*(t->waiting_prev == NULL ? &s->waiting : &t->waiting_prev->waiting_next) =
	    t->waiting_next;
	*(t->waiting_next == NULL ? &s->waiting_last : &t->waiting_next->waiting_prev) =
	    t->waiting_prev;
	t->counted = false;
}

void strace_pending_clear(struct strace *s, struct strace_task *t)
{
	waiting_remove(s, t);
	t->pending = STRACE_IDLE;
	t->entry = NULL;
	t->text_size = 0;
}

static bool keep_text(struct strace *s, struct strace_task *t, const char *text, const char *end)
{
	size_t size = (size_t)(end - text);
	if (t->text_size + size > STRACE_LINE_MAX)
		return false;
	if (t->text_size + size > t->text_room) {
		size_t room = (t->text_size + size) * 2 + 64;
		char *grown = realloc(t->text, room);
		if (grown == NULL) {
			s->status = IOT_ENOMEM;
			return false;
		}
		t->text = grown;
		t->text_room = room;
	}
	memcpy(t->text + t->text_size, text, size);
	t->text_size += size;
	return true;
}

/* Could this pending call still give an event with a time as early as its entry? */
static bool dated(struct strace *s, const struct strace_task *t, const struct strace_entry *e,
		  const char *text, const char *end)
{
	if ((e->class & STRACE_OP) != 0)
		return s->ops != STRACE_OPS_NONE;
	if ((e->class & STRACE_DATA) == 0)
		return false;
	if ((e->class & STRACE_READS) == 0 || s->all)
		return true;
	struct strace_fd fd = strace_fd((struct strace_text){text, end});
	const struct iot_slot *slot = iot_table_get(t->table, fd.number);
	return slot == NULL ? fd.number > 2 : strace_recorded(s, slot->open);
}

static void begin(struct strace *s, struct strace_task *t, const struct strace_entry *e,
		  int64_t time_ns, const char *text, const char *end)
{
	strace_pending_clear(s, t);
	if (!keep_text(s, t, text, end))
		return;
	t->pending = STRACE_WAITING;
	t->entry = e;
	t->entry_ns = time_ns;
	if (dated(s, t, e, text, end))
		waiting_add(s, t);
	if ((e->class & STRACE_FORK) == 0)
		return;
	struct strace_call c = {.entry = e, .task = t, .start_ns = time_ns, .args = 1};
	c.arg[0] = (struct strace_text){t->text, t->text + t->text_size};
	strace_fork_enter(s, &c);
}

/* Results */

static void error_name(struct strace_call *c, const char *p, const char *end)
{
	const char *name = p;
	if (p < end && *p == '(' && (size_t)(end - p) > 7) /* "(errno 123)" */
		name = p += 7;
	while (p < end && ((unsigned char)(*p - 'A') < 26 || (unsigned char)(*p - '0') < 10 ||
			   *p == '_'))
		p++;
	c->error = (struct strace_text){name, p};
}

/* What stands behind the closing bracket: " = 3</path> (flags ...)". False: no result. */
static bool read_result(struct strace *s, struct strace_call *c, const char *p, const char *end)
{
	while (p < end && *p == ' ')
		p++;
	if (p == end || *p != '=')
		return false;
	for (p++; p < end && *p == ' '; p++)
		;
	if (p == end)
		return false;
	if (*p == '?') {
		if (end - p > 3 && memcmp(p + 1, " ER", 3) == 0)
			strace_count(s, "interrupted", 1);
		return true;
	}
	if (!strace_number((struct strace_text){p, end}, &c->result))
		return false;
	c->returned = true;
	if (c->result != -1) {
		if (end[-1] == '>' || end[-1] == ')')
			c->fd = strace_fd((struct strace_text){p, end});
		return true;
	}
	const char *space = memchr(p, ' ', (size_t)(end - p));
	c->failed = true;
	if (space != NULL)
		error_name(c, space + 1, end);
	return true;
}

/* A call with all its text. False: its brackets do not close. */
static bool finish(struct strace *s, struct strace_call *c, const char *text, const char *end,
		   const char *joined)
{
	unsigned digits;
	const char *stop = strace_line_duration(text, end, &c->duration_ns, &digits,
						&c->duration_known);
	const char *p = strace_split(text, stop, joined, c->arg, STRACE_ARGS, &c->args);
	c->fd.number = STRACE_NO_FD;
	if (p == NULL || !read_result(s, c, p, stop))
		return false;
	if (!c->duration_known) {
		c->duration_ns = c->end_ns > c->start_ns ? (uint64_t)(c->end_ns - c->start_ns) : 0;
		c->duration_known = c->end_ns != c->start_ns;
	} else if (c->duration_ns > (uint64_t)(INT64_MAX / 2)) {
		c->duration_ns = 0;
	}
	if (c->end_ns < c->start_ns + (int64_t)c->duration_ns)
		c->end_ns = c->start_ns + (int64_t)c->duration_ns;
	c->entry->run(s, c);
	return true;
}

/* The end of a call that was pending, its text being complete now. */
static bool finish_pending(struct strace *s, struct strace_task *t, int64_t time_ns,
			   const char *joined)
{
	struct strace_call c = {.entry = t->entry, .task = t, .start_ns = t->entry_ns,
				.end_ns = time_ns};
	waiting_remove(s, t);
	bool ok = finish(s, &c, t->text, t->text + t->text_size, joined);
	if (t->entry == c.entry)
		strace_pending_clear(s, t);
	return ok;
}

/* Lines */

static void unparsed(struct strace *s, const struct strace_member *m)
{
	if (m == NULL)
		return;
	iot_report_unparsed(&s->src->report, iot_input_name(s->src->input, m->index),
			    m->line_number, m->raw, (size_t)(m->raw_end - m->raw));
}

/* Foreign text has cut the line: the rest comes at the beginning of a later one. */
static void cut_call(struct strace *s, struct strace_task *t, const struct strace_entry *e,
		     int64_t time_ns, const char *text, const char *end, struct strace_member *m)
{
	static const char ATTACHED[] = "strace: Process ";
	if (m == NULL || m->cut) {
		s->cut |= m != NULL;
		strace_count(s, "unclosed", 1);
		return;
	}
	m->partial_lines = 0;
	m->partial_ignored = e == NULL;
	m->partial = NULL;
	if (e == NULL)
		return;
	const char *message = memmem(text, (size_t)(end - text), ATTACHED, sizeof ATTACHED - 1);
	begin(s, t, e, time_ns, text, message == NULL ? end : message);
	m->partial = t;
	int64_t tid;
	if (message == NULL ||
	    !strace_number((struct strace_text){message + sizeof ATTACHED - 1, end}, &tid))
		return;
	if (tid > 0 && tid <= STRACE_PID_MAX)
		strace_attached(s, t, (uint32_t)tid);
}

/* Does a call that says nothing at least look whole? */
static bool closed(const char *p, const char *end)
{
	if (end > p && end[-1] == '>')
		return true;
	const char *equals = memrchr(p, '=', (size_t)(end - p));
	return equals != NULL && equals > p && equals[-1] == ' ';
}

static void call_line(struct strace *s, struct strace_task *t, int64_t time_ns, const char *body,
		      const char *end, struct strace_member *m)
{
	const char *open = memchr(body, '(', (size_t)(end - body));
	const struct strace_entry *e = strace_calls_find(s, body, (size_t)(open - body));
	s->src->report.calls++;
	const char *text = open + 1;
	if (e == NULL) {
		if (!closed(text, end))
			cut_call(s, t, NULL, time_ns, text, end, m);
		else if (t->pending != STRACE_IDLE)
			strace_pending_clear(s, t);
		return;
	}
	if (strace_line_unfinished(text, end)) {
		begin(s, t, e, time_ns, text, end - sizeof " <unfinished ...>" + 1);
		return;
	}
	if (t->pending != STRACE_IDLE)
		strace_pending_clear(s, t);
	struct strace_call c = {.entry = e, .task = t, .start_ns = time_ns, .end_ns = time_ns};
	if (finish(s, &c, text, end, NULL))
		return;
	if (end - text > 4 && memcmp(end - 4, "...>", 4) == 0) { /* <detached ...> and the like */
		const char *last = memrchr(text, '<', (size_t)(end - text));
		begin(s, t, e, time_ns, text, last == NULL ? end : last);
	} else {
		cut_call(s, t, e, time_ns, text, end, m);
	}
}

static void resumed_line(struct strace *s, struct strace_task *t, int64_t time_ns,
			 const char *body, const char *end)
{
	static const char RESUMED[] = " resumed>";
	const char *name = body + 5;
	const char *space = memchr(name, ' ', (size_t)(end - name));
	size_t n = sizeof RESUMED - 1;
	if (space == NULL || space == name || (size_t)(end - space) < n ||
	    memcmp(space, RESUMED, n) != 0)
		return;
	const struct strace_entry *e = strace_calls_find(s, name, (size_t)(space - name));
	if (e == NULL)
		return;
	if (t->pending == STRACE_WAITING && t->entry == e) {
		const char *rest = space + n;
		if (!strace_line_unfinished(rest, end) && keep_text(s, t, rest, end) &&
		    !finish_pending(s, t, time_ns, NULL))
			strace_count(s, "unclosed", 1);
		return;
	}
	strace_count(s, "resumed_alone", 1);
}

static void end_line(struct strace *s, struct strace_task *t, const char *body, const char *end)
{
	static const char SUPERSEDED[] = "+++ superseded by execve in pid ";
	size_t n = sizeof SUPERSEDED - 1;
	int64_t tid;
	if ((size_t)(end - body) <= n || memcmp(body, SUPERSEDED, n) != 0)
		strace_task_end(s, t);
	else if (strace_number((struct strace_text){body + n, end}, &tid) && tid > 0 &&
		 tid <= STRACE_PID_MAX)
		strace_task_superseded(s, t, (uint32_t)tid);
}

void strace_body(struct strace *s, struct strace_task *task, int64_t time_ns,
		 enum strace_kind kind, const char *body, const char *end,
		 struct strace_member *m)
{
	task->turn++;
	if (kind == STRACE_CALL)
		call_line(s, task, time_ns, body, end, m);
	else if (kind == STRACE_RESUMED)
		resumed_line(s, task, time_ns, body, end);
	else
		end_line(s, task, body, end);
}

/* The rest of a call that was cut; its other half waits with its task. */
static void tail_line(struct strace *s, struct strace_member *m, const struct strace_line *line)
{
	struct strace_task *t = m->partial;
	bool ignored = m->partial_ignored;
	m->partial = NULL;
	m->partial_ignored = false;
	if (t == NULL || t->pending != STRACE_WAITING) {
		if (!ignored && line->body != line->end)
			unparsed(s, m);
		return;
	}
	if (line->body < line->end && *line->body == ' ') /* " <unfinished ...>" */
		return;
	size_t joined = t->text_size;
	strace_count(s, "mixed.joined", 1);
	if (keep_text(s, t, line->body, line->end) &&
	    !finish_pending(s, t, t->entry_ns, t->text + joined))
		strace_count(s, "unclosed", 1);
}

static void foreign_line(struct strace *s, struct strace_member *m)
{
	unparsed(s, m);
	if (m->partial == NULL || ++m->partial_lines <= PARTIAL_LINES)
		return;
	strace_count(s, "mixed.lost", 1);
	strace_pending_clear(s, m->partial);
	m->partial = NULL;
}

/* A line without LF, of a log with durations, that has none: its result may be cut short too. */
static bool lacks_duration(const struct strace_member *m, const struct strace_line *line)
{
	return m->layout.duration && line->kind != STRACE_END && line->end > line->body &&
	       line->end[-1] != '>' && line->end[-1] != '?';
}

void strace_process(struct strace *s, struct strace_member *m, const struct strace_line *line)
{
	switch (line->kind) {
	case STRACE_SKIP:
		return;
	case STRACE_SUMMARY:
		s->summary = true;
		return;
	case STRACE_TAIL:
		tail_line(s, m, line);
		return;
	case STRACE_FOREIGN:
		if (!s->summary)
			foreign_line(s, m);
		return;
	default:
		break;
	}
	s->understood++;
	if (m->cut && lacks_duration(m, line)) {
		s->cut = true;
		return;
	}
	struct strace_task *task = strace_task_of(s, line);
	if (task != NULL)
		strace_body(s, task, line->time_ns, line->kind, line->body, line->end, m);
}
