/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From lines to calls: the table of the system calls that matter, and calls put together from their
 * unfinished and resumed halves. A call takes effect when it returns.
 */
#include "strace.h"

#include <stdlib.h>
#include <string.h>

#include "lib/room.h"

enum {
	R = STRACE_DATA | STRACE_READS, /* may wait: its entry counts only if it reads a file */
	W = STRACE_DATA,
	PARTIAL_LINES = 8, /* foreign lines that may stand inside a call */
	TEXT_KEPT = 4096,  /* room that a task keeps for the text of its next call */
};

static const struct strace_entry CALLS[] = {
    /* bytes; variant: does it write? */
    {"read", iot_strace_read_write, R, 0, NULL},
    {"write", iot_strace_read_write, W | STRACE_READS, 1, NULL},
    {"readv", iot_strace_read_write, R, 0, NULL},
    {"writev", iot_strace_read_write, W | STRACE_READS, 1, NULL},
    {"pread64", iot_strace_at_offset, W, 0, NULL},
    {"pwrite64", iot_strace_at_offset, W, 1, NULL},
    {"pread", iot_strace_at_offset, W, 0, NULL},
    {"pwrite", iot_strace_at_offset, W, 1, NULL},
    {"preadv", iot_strace_at_offset, W, 0, NULL},
    {"pwritev", iot_strace_at_offset, W, 1, NULL},
    {"preadv2", iot_strace_at_offset, W, 0, NULL},
    {"pwritev2", iot_strace_at_offset, W, 1, NULL},
    {"recv", iot_strace_read_write, R, 0, NULL},
    {"recvfrom", iot_strace_read_write, R, 0, NULL},
    {"recvmsg", iot_strace_recvmsg, R, 0, NULL},
    {"send", iot_strace_read_write, R, 1, NULL},
    {"sendto", iot_strace_read_write, R, 1, NULL},
    {"sendmsg", iot_strace_read_write, R, 1, NULL},
    {"sendfile", iot_strace_sendfile, W, 0, NULL},
    {"sendfile64", iot_strace_sendfile, W, 0, NULL},
    {"copy_file_range", iot_strace_copy_range, W, 0, NULL},
    {"splice", iot_strace_copy_range, W, 1, NULL},
    {"io_submit", iot_strace_io_submit, W, 0, NULL},
    {"io_uring_enter", iot_strace_hidden, 0, 0, NULL},
    {"restart_syscall", iot_strace_hidden, 0, 1, NULL},
    {"mmap", iot_strace_mmap, 0, 0, NULL},
    {"mmap2", iot_strace_mmap, 0, 0, NULL},
    {"lseek", iot_strace_lseek, 0, 0, NULL},
    {"_llseek", iot_strace_llseek, 0, 0, NULL},
    /* descriptors; open's variant: argument of the path */
    {"open", iot_strace_open, STRACE_OP, 0, "open"},
    {"openat", iot_strace_open, STRACE_OP, 1, "open"},
    {"openat2", iot_strace_open, STRACE_OP, 2, "open"},
    {"creat", iot_strace_open, STRACE_OP, 3, "create"},
    {"open_by_handle_at", iot_strace_open, STRACE_OP, 4, "open"},
    {"close", iot_strace_close, STRACE_OP, 0, "close"},
    {"close_range", iot_strace_close_range, STRACE_OP, 0, "close"},
    {"dup", iot_strace_dup, 0, 1, NULL},
    {"dup2", iot_strace_dup, 0, 2, NULL},
    {"dup3", iot_strace_dup, 0, 3, NULL},
    {"fcntl", iot_strace_fcntl, 0, 0, NULL},
    {"fcntl64", iot_strace_fcntl, 0, 0, NULL},
    {"ioctl", iot_strace_ioctl, 0, 0, NULL},
    {"pipe", iot_strace_pair, 0, IOT_FD_PIPE, NULL},
    {"pipe2", iot_strace_pair, 0, IOT_FD_PIPE, NULL},
    {"socketpair", iot_strace_pair, 0, IOT_FD_SOCKET, NULL},
    {"socket", iot_strace_made, 0, IOT_FD_SOCKET, NULL},
    {"accept", iot_strace_made, 0, IOT_FD_SOCKET, NULL},
    {"accept4", iot_strace_made, 0, IOT_FD_SOCKET, NULL},
    {"eventfd", iot_strace_made, 0, IOT_FD_OTHER, NULL},
    {"eventfd2", iot_strace_made, 0, IOT_FD_OTHER, NULL},
    {"epoll_create", iot_strace_made, 0, IOT_FD_OTHER, NULL},
    {"epoll_create1", iot_strace_made, 0, IOT_FD_OTHER, NULL},
    {"signalfd", iot_strace_made, 0, IOT_FD_OTHER, NULL},
    {"signalfd4", iot_strace_made, 0, IOT_FD_OTHER, NULL},
    {"timerfd_create", iot_strace_made, 0, IOT_FD_OTHER, NULL},
    {"inotify_init", iot_strace_made, 0, IOT_FD_OTHER, NULL},
    {"inotify_init1", iot_strace_made, 0, IOT_FD_OTHER, NULL},
    {"memfd_create", iot_strace_made, 0, IOT_FD_OTHER, NULL},
    {"memfd_secret", iot_strace_made, 0, IOT_FD_OTHER, NULL},
    {"userfaultfd", iot_strace_made, 0, IOT_FD_OTHER, NULL},
    {"pidfd_open", iot_strace_made, STRACE_PRIVATE, IOT_FD_OTHER, NULL},
    {"perf_event_open", iot_strace_made, 0, IOT_FD_OTHER, NULL},
    {"io_uring_setup", iot_strace_made, STRACE_PRIVATE, IOT_FD_OTHER, NULL},
    {"bpf", iot_strace_made, STRACE_PRIVATE, IOT_FD_OTHER, NULL},
    {"fanotify_init", iot_strace_made, 0, IOT_FD_OTHER, NULL},
    {"mq_open", iot_strace_made, 0, IOT_FD_OTHER, NULL},
    {"pidfd_getfd", iot_strace_made, 0, 0, NULL},
    /* names and other operations */
    {"stat", iot_strace_path_op, STRACE_OP, STRACE_STAT, "stat"},
    {"stat64", iot_strace_path_op, STRACE_OP, STRACE_STAT, "stat"},
    {"lstat", iot_strace_path_op, STRACE_OP, STRACE_STAT, "stat"},
    {"lstat64", iot_strace_path_op, STRACE_OP, STRACE_STAT, "stat"},
    {"fstat", iot_strace_fd_op, STRACE_OP, STRACE_STAT, "stat"},
    {"fstat64", iot_strace_fd_op, STRACE_OP, STRACE_STAT, "stat"},
    {"newfstatat", iot_strace_path_op_at, STRACE_OP, STRACE_STAT, "stat"},
    {"fstatat64", iot_strace_path_op_at, STRACE_OP, STRACE_STAT, "stat"},
    {"statx", iot_strace_path_op_at, STRACE_OP, STRACE_STAT, "stat"},
    {"access", iot_strace_path_op, STRACE_OP, STRACE_ACCESS, "access"},
    {"faccessat", iot_strace_path_op_at, STRACE_OP, STRACE_ACCESS, "access"},
    {"faccessat2", iot_strace_path_op_at, STRACE_OP, STRACE_ACCESS, "access"},
    {"unlink", iot_strace_path_op, STRACE_OP, STRACE_UNLINK, "unlink"},
    {"unlinkat", iot_strace_path_op_at, STRACE_OP, STRACE_UNLINK, "unlink"},
    {"rmdir", iot_strace_path_op, STRACE_OP, STRACE_UNLINK, "rmdir"},
    {"rename", iot_strace_two_paths, STRACE_OP, STRACE_RENAME, "rename"},
    {"renameat", iot_strace_two_paths_at, STRACE_OP, STRACE_RENAME, "rename"},
    {"renameat2", iot_strace_two_paths_at, STRACE_OP, STRACE_RENAME, "rename"},
    {"link", iot_strace_two_paths, STRACE_OP, STRACE_LINK, "link"},
    {"linkat", iot_strace_two_paths_at, STRACE_OP, STRACE_LINK, "link"},
    {"symlink", iot_strace_symlink, STRACE_OP, STRACE_PLAIN, "symlink"},
    {"symlinkat", iot_strace_symlink_at, STRACE_OP, STRACE_PLAIN, "symlink"},
    {"readlink", iot_strace_path_op, STRACE_OP, STRACE_PLAIN, "readlink"},
    {"readlinkat", iot_strace_path_op_at, STRACE_OP, STRACE_PLAIN, "readlink"},
    {"mkdir", iot_strace_path_op, STRACE_OP, STRACE_MAKE, "mkdir"},
    {"mkdirat", iot_strace_path_op_at, STRACE_OP, STRACE_MAKE, "mkdir"},
    {"mknod", iot_strace_path_op, STRACE_OP, STRACE_MAKE, "mknod"},
    {"mknodat", iot_strace_path_op_at, STRACE_OP, STRACE_MAKE, "mknod"},
    {"chmod", iot_strace_path_op, STRACE_OP, STRACE_PLAIN, "chmod"},
    {"fchmod", iot_strace_fd_op, STRACE_OP, STRACE_PLAIN, "chmod"},
    {"fchmodat", iot_strace_path_op_at, STRACE_OP, STRACE_PLAIN, "chmod"},
    {"fchmodat2", iot_strace_path_op_at, STRACE_OP, STRACE_PLAIN, "chmod"},
    {"chown", iot_strace_path_op, STRACE_OP, STRACE_PLAIN, "chown"},
    {"lchown", iot_strace_path_op, STRACE_OP, STRACE_PLAIN, "chown"},
    {"fchown", iot_strace_fd_op, STRACE_OP, STRACE_PLAIN, "chown"},
    {"fchownat", iot_strace_path_op_at, STRACE_OP, STRACE_PLAIN, "chown"},
    {"utime", iot_strace_path_op, STRACE_OP, STRACE_PLAIN, "utime"},
    {"utimes", iot_strace_path_op, STRACE_OP, STRACE_PLAIN, "utime"},
    {"futimesat", iot_strace_path_op_at, STRACE_OP, STRACE_PLAIN, "utime"},
    {"utimensat", iot_strace_path_op_at, STRACE_OP, STRACE_PLAIN, "utime"},
    {"statfs", iot_strace_path_op, STRACE_OP, STRACE_PLAIN, "statfs"},
    {"fstatfs", iot_strace_fd_op, STRACE_OP, STRACE_PLAIN, "statfs"},
    {"getdents", iot_strace_fd_op, STRACE_OP, STRACE_PLAIN, "readdir"},
    {"getdents64", iot_strace_fd_op, STRACE_OP, STRACE_PLAIN, "readdir"},
    {"truncate", iot_strace_truncate, STRACE_OP, 0, "truncate"},
    {"truncate64", iot_strace_truncate, STRACE_OP, 0, "truncate"},
    {"ftruncate", iot_strace_ftruncate, STRACE_OP, 0, "truncate"},
    {"ftruncate64", iot_strace_ftruncate, STRACE_OP, 0, "truncate"},
    {"fallocate", iot_strace_fallocate, STRACE_OP, 0, "allocate"},
    {"fsync", iot_strace_fd_op, STRACE_OP, STRACE_PLAIN, "fsync"},
    {"fdatasync", iot_strace_fd_op, STRACE_OP, STRACE_PLAIN, "fsync"},
    {"sync_file_range", iot_strace_fd_op, STRACE_OP, STRACE_PLAIN, "fsync"},
    {"syncfs", iot_strace_fd_op, STRACE_OP, STRACE_PLAIN, "sync"},
    {"sync", iot_strace_sync, STRACE_OP, 0, "sync"},
    {"msync", iot_strace_sync, STRACE_OP, 0, "msync"},
    {"chdir", iot_strace_chdir, 0, 0, NULL},
    {"fchdir", iot_strace_chdir, 0, 1, NULL},
    {"chroot", iot_strace_chdir, 0, 2, NULL},
    {"getcwd", iot_strace_getcwd, 0, 0, NULL},
    /* processes */
    {"clone", iot_strace_fork, STRACE_FORK, 0, NULL},
    {"clone3", iot_strace_fork, STRACE_FORK, 0, NULL},
    {"fork", iot_strace_fork, STRACE_FORK, 0, NULL},
    {"vfork", iot_strace_fork, STRACE_FORK, 0, NULL},
    {"execve", iot_strace_exec, 0, 0, NULL},
    {"execveat", iot_strace_exec, 0, 1, NULL},
    {"unshare", iot_strace_unshare, 0, 0, NULL},
    {"set_tid_address", iot_strace_own_number, 0, 0, NULL},
    {"gettid", iot_strace_own_number, 0, 0, NULL},
};

/* A name's first eight bytes: with the length, enough to tell names apart nearly always. */
static uint64_t name_head(const char *name, size_t size)
{
	uint64_t head = 0;
	memcpy(&head, name, size < sizeof head ? size : sizeof head);
	return head;
}

static size_t name_hash(uint64_t head, size_t size)
{
	return (size_t)((head ^ (uint64_t)size << 56) * 0x9e3779b97f4a7c15U >> 54);
}

void iot_strace_calls_init(struct strace *s)
{
	_Static_assert(STRACE_HASH == 1 << 10, "name_hash keeps ten bits");
	for (size_t i = 0; i < sizeof CALLS / sizeof CALLS[0]; i++) {
		size_t size = strlen(CALLS[i].name);
		uint64_t head = name_head(CALLS[i].name, size);
		size_t at = name_hash(head, size);
		while (s->hash[at].entry != NULL)
			at = (at + 1) % STRACE_HASH;
		s->hash[at] = (struct strace_name){.entry = &CALLS[i], .head = head, .size = size};
	}
}

const struct strace_entry *iot_strace_calls_find(const struct strace *s, const char *name,
						 size_t size)
{
	uint64_t head = name_head(name, size);
	const struct strace_name *n;
	for (size_t at = name_hash(head, size); (n = &s->hash[at])->entry != NULL;
	     at = (at + 1) % STRACE_HASH)
		if (n->head == head && n->size == size &&
		    (size <= sizeof head || memcmp(n->entry->name, name, size) == 0))
			return n->entry;
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
	*(t->waiting_prev == NULL ? &s->waiting : &t->waiting_prev->waiting_next) = t->waiting_next;
	*(t->waiting_next == NULL ? &s->waiting_last : &t->waiting_next->waiting_prev) =
	    t->waiting_prev;
	t->counted = false;
}

void iot_strace_pending_clear(struct strace *s, struct strace_task *t)
{
	waiting_remove(s, t);
	t->pending = STRACE_IDLE;
	t->entry = NULL;
	t->text_size = 0;
	if (t->text_room <= TEXT_KEPT)
		return;
	iot_tracker_drop(&s->tracker, t->text, t->text_room);
	t->text = NULL;
	t->text_room = 0;
}

static bool keep_text(struct strace *s, struct strace_task *t, const char *text, const char *end)
{
	size_t size = (size_t)(end - text);
	if (t->text_size + size > STRACE_LINE_MAX)
		return false;
	if (t->text_size + size > t->text_room) {
		const size_t room = t->text_size + (size > t->text_size ? size : t->text_size);
		char *grown = iot_tracker_grow(&s->tracker, t->text, t->text_room, room);
		if (grown == NULL)
			return false;
		t->text = grown;
		t->text_room = room;
	}
	if (size > 0)
		memcpy(t->text + t->text_size, text, size);
	t->text_size += size;
	return true;
}

/* Could this pending call still give an event with a time as early as its entry? */
static bool dated(struct strace *s, const struct strace_task *t, const struct strace_entry *e,
		  const char *text, const char *end)
{
	if ((e->class & STRACE_OP) != 0)
		return s->emit.ops != IOT_EMIT_OPS_NONE;
	if ((e->class & STRACE_DATA) == 0)
		return false;
	if ((e->class & STRACE_READS) == 0 || s->all)
		return true;
	struct strace_fd fd = iot_strace_fd((struct strace_text){text, end});
	const struct iot_slot *slot = iot_table_get(t->table, fd.number);
	return slot == NULL ? fd.number > 2 : iot_strace_recorded(s, slot->open);
}

static void begin(struct strace *s, struct strace_task *t, const struct strace_entry *e,
		  int64_t time_ns, const char *text, const char *end)
{
	iot_strace_pending_clear(s, t);
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
	if (t->text_size > 0)
		c.arg[0] = (struct strace_text){t->text, t->text + t->text_size};
	iot_strace_fork_enter(s, &c);
}

/* Results */

static void error_name(struct strace_call *c, const char *p, const char *end)
{
	const char *name = p;
	if (p < end && *p == '(' && (size_t)(end - p) > 7) /* "(errno 123)" */
		name = p += 7;
	while (p < end &&
	       ((unsigned char)(*p - 'A') < 26 || (unsigned char)(*p - '0') < 10 || *p == '_'))
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
			iot_strace_count(s, "interrupted", 1);
		return true;
	}
	if (!iot_strace_number((struct strace_text){p, end}, &c->result))
		return false;
	c->returned = true;
	if (c->result != -1) {
		if (end[-1] == '>' || end[-1] == ')')
			c->fd = iot_strace_fd((struct strace_text){p, end});
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
	const char *stop =
	    iot_strace_line_duration(text, end, &c->duration_ns, &digits, &c->duration_known);
	const char *p = iot_strace_split(text, stop, joined, c->arg, STRACE_ARGS, &c->args);
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
	struct strace_call c = {
	    .entry = t->entry, .task = t, .start_ns = t->entry_ns, .end_ns = time_ns};
	waiting_remove(s, t);
	const char *text = t->text != NULL ? t->text : "";
	bool ok = finish(s, &c, text, text + t->text_size, joined);
	if (t->entry == c.entry)
		iot_strace_pending_clear(s, t);
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

/* The task whose call is cut in this member; NULL: none. */
static void set_partial(struct strace_member *m, struct strace_task *t)
{
	if (m->partial != NULL)
		m->partial->cut_in = NULL;
	if (t != NULL && t->cut_in != NULL)
		t->cut_in->partial = NULL;
	if (t != NULL)
		t->cut_in = m;
	m->partial = t;
}

/* Foreign text has cut the line: the rest comes at the beginning of a later one. */
static void cut_call(struct strace *s, struct strace_task *t, const struct strace_entry *e,
		     int64_t time_ns, const char *text, const char *end, struct strace_member *m)
{
	static const char ATTACHED[] = "strace: Process ";
	if (m == NULL || m->cut) {
		s->cut |= m != NULL;
		iot_strace_count(s, "unclosed", 1);
		return;
	}
	m->partial_lines = 0;
	m->partial_ignored = e == NULL;
	set_partial(m, NULL);
	if (e == NULL)
		return;
	const char *message = memmem(text, (size_t)(end - text), ATTACHED, sizeof ATTACHED - 1);
	begin(s, t, e, time_ns, text, message == NULL ? end : message);
	set_partial(m, t);
	int64_t tid;
	if (message == NULL ||
	    !iot_strace_number((struct strace_text){message + sizeof ATTACHED - 1, end}, &tid))
		return;
	if (tid > 0 && tid <= STRACE_PID_MAX)
		iot_strace_attached(s, t, (uint32_t)tid);
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
	const struct strace_entry *e = iot_strace_calls_find(s, body, (size_t)(open - body));
	s->src->report.calls++;
	const char *text = open + 1;
	if (e == NULL) {
		if (!closed(text, end))
			cut_call(s, t, NULL, time_ns, text, end, m);
		else if (t->pending != STRACE_IDLE)
			iot_strace_pending_clear(s, t);
		return;
	}
	if (iot_strace_line_unfinished(text, end)) {
		begin(s, t, e, time_ns, text, end - sizeof " <unfinished ...>" + 1);
		return;
	}
	if (t->pending != STRACE_IDLE)
		iot_strace_pending_clear(s, t);
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

static void resumed_line(struct strace *s, struct strace_task *t, int64_t time_ns, const char *body,
			 const char *end)
{
	static const char RESUMED[] = " resumed>";
	const char *name = body + 5;
	const char *space = memchr(name, ' ', (size_t)(end - name));
	size_t n = sizeof RESUMED - 1;
	if (space == NULL || space == name || (size_t)(end - space) < n ||
	    memcmp(space, RESUMED, n) != 0)
		return;
	const struct strace_entry *e = iot_strace_calls_find(s, name, (size_t)(space - name));
	if (e == NULL)
		return;
	if (t->pending == STRACE_WAITING && t->entry == e) {
		const char *rest = space + n;
		if (!iot_strace_line_unfinished(rest, end) && keep_text(s, t, rest, end) &&
		    !finish_pending(s, t, time_ns, NULL))
			iot_strace_count(s, "unclosed", 1);
		return;
	}
	iot_strace_count(s, "resumed_alone", 1);
}

static void end_line(struct strace *s, struct strace_task *t, const char *body, const char *end)
{
	static const char SUPERSEDED[] = "+++ superseded by execve in pid ";
	size_t n = sizeof SUPERSEDED - 1;
	int64_t tid;
	if ((size_t)(end - body) <= n || memcmp(body, SUPERSEDED, n) != 0)
		iot_strace_task_end(s, t);
	else if (iot_strace_number((struct strace_text){body + n, end}, &tid) && tid > 0 &&
		 tid <= STRACE_PID_MAX)
		iot_strace_task_superseded(s, t, (uint32_t)tid);
}

void iot_strace_body(struct strace *s, struct strace_task *task, int64_t time_ns,
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
	set_partial(m, NULL);
	m->partial_ignored = false;
	if (t == NULL || t->pending != STRACE_WAITING) {
		if (!ignored && line->body != line->end)
			unparsed(s, m);
		return;
	}
	if (line->body < line->end && *line->body == ' ') /* " <unfinished ...>" */
		return;
	size_t joined = t->text_size;
	iot_strace_count(s, "mixed.joined", 1);
	if (keep_text(s, t, line->body, line->end) &&
	    !finish_pending(s, t, t->entry_ns, t->text + joined))
		iot_strace_count(s, "unclosed", 1);
}

static void foreign_line(struct strace *s, struct strace_member *m)
{
	unparsed(s, m);
	if (m->partial == NULL || ++m->partial_lines <= PARTIAL_LINES)
		return;
	iot_strace_count(s, "mixed.lost", 1);
	iot_strace_pending_clear(s, m->partial);
	set_partial(m, NULL);
}

/* A line without LF, of a log with durations, that has none: its result may be cut short too. */
static bool lacks_duration(const struct strace_member *m, const struct strace_line *line)
{
	return m->layout.duration && line->kind != STRACE_END && line->end > line->body &&
	       line->end[-1] != '>' && line->end[-1] != '?';
}

/* Not inside of the fork that made it due: a held line may end the very task that forked. */
static void release_if_due(struct strace *s)
{
	if (!s->release_due)
		return;
	iot_strace_tasks_release_held(s, false);
	s->release_due = false;
}

void iot_strace_process(struct strace *s, struct strace_member *m, const struct strace_line *line)
{
	switch (line->kind) {
	case STRACE_SKIP:
		return;
	case STRACE_SUMMARY:
		s->summary = true;
		return;
	case STRACE_TAIL:
		tail_line(s, m, line);
		release_if_due(s);
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
	struct strace_task *task = iot_strace_task_of(s, line);
	if (task != NULL)
		iot_strace_body(s, task, line->time_ns, line->kind, line->body, line->end, m);
	release_if_due(s);
}
