/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls that are converted. */
#include "strace.h"

#include <string.h>

enum {
	/* may block: its entry limits the watermark only if it reads a file */
	R = STRACE_DATA | STRACE_READS,
	RM = R | STRACE_MOVES,
	WM = RM | STRACE_WRITES,
	W = STRACE_DATA,
	WP = W | STRACE_WRITES,
	ASKS = STRACE_ASKS,
	ALWAYS = STRACE_ALWAYS,
	OP = STRACE_OP | STRACE_FAILS,
};

static const struct strace_entry CALLS[] = {
    /* bytes; variant: 1 for writes */
    {"read", strace_read_write, RM | ASKS, 1, 0, NULL, strace_use_enter},
    {"write", strace_read_write, WM | ASKS, 1, 1, NULL, strace_use_enter},
    {"readv", strace_read_write, RM, 1, 0, NULL, strace_use_enter},
    {"writev", strace_read_write, WM, 1, 1, NULL, strace_use_enter},
    {"pread64 pread", strace_at_offset, W | ASKS, 4, 0, NULL, NULL},
    {"pwrite64 pwrite", strace_at_offset, WP | ASKS, 4, 1, NULL, strace_use_enter},
    {"preadv", strace_at_offset, W, 4, 0, NULL, NULL},
    {"pwritev", strace_at_offset, WP, 4, 1, NULL, strace_use_enter},
    {"preadv2", strace_at_offset, W | STRACE_MOVES, 4, 0, NULL, strace_use_enter},
    {"pwritev2", strace_at_offset, WP | STRACE_MOVES, 4, 1, NULL, strace_use_enter},
    {"recv recvfrom", strace_read_write, R, 1, 0, NULL, NULL},
    {"recvmsg", strace_recvmsg, R | ALWAYS, 0, 0, NULL, NULL},
    {"send sendto", strace_read_write, R | ASKS, 1, 1, NULL, NULL},
    {"sendmsg", strace_sendmsg, R | ALWAYS, 0, 1, NULL, strace_sendmsg_enter},
    {"sendmmsg recvmmsg recvmmsg_time64", strace_messages, 0, 0, 0, NULL, NULL},
    {"sendfile sendfile64", strace_sendfile, W, 4, 0, NULL, strace_sendfile_enter},
    {"copy_file_range", strace_copy_range, W, 4, 0, NULL, strace_copy_range_enter},
    {"splice", strace_copy_range, W, 4, 1, NULL, strace_copy_range_enter},
    {"io_submit", strace_io_submit, W | ALWAYS, 0, 0, NULL, strace_io_submit_enter},
    {"io_getevents io_getevents_time32 io_pgetevents io_pgetevents_time32 io_pgetevents_time64",
     strace_io_getevents, 0, 4, 0, NULL, NULL},
    {"io_setup", strace_io_setup, 0, 2, 0, NULL, NULL},
    {"io_destroy", strace_io_destroy, 0, 1, 0, NULL, NULL},
    {"io_cancel", strace_io_cancel, 0, 1, 0, NULL, NULL},
    {"io_uring_enter", strace_hidden, 0, 0, 0, NULL, NULL},
    {"restart_syscall", strace_hidden, 0, 1, 1, NULL, NULL},
    {"mmap mmap2", strace_mmap, 0, 6, 0, NULL, NULL},
    {"lseek", strace_lseek, STRACE_MOVES, 3, 0, NULL, strace_use_enter},
    {"_llseek", strace_llseek, STRACE_MOVES, 4, 0, NULL, strace_use_enter},
    /* descriptors; variant of open: enum open_variant; of others: enum descriptor_kind */
    {"open", strace_open, OP, 0, 0, "open", strace_open_enter},
    {"openat", strace_open, OP, 0, 1, "open", strace_open_enter},
    {"openat2", strace_open, OP, 0, 2, "open", strace_open_enter},
    {"creat", strace_open, OP, 0, 3, "create", strace_open_enter},
    {"open_by_handle_at", strace_open, OP, 0, 4, "open", NULL},
    {"close", strace_close, OP, 1, 0, "close", NULL},
    {"close_range", strace_close_range, STRACE_OP, 3, 0, "close", NULL},
    {"dup", strace_dup, 0, 1, 0, NULL, NULL},
    {"dup2 dup3", strace_dup, 0, 1, 1, NULL, NULL},
    {"fcntl fcntl64", strace_fcntl, 0, 2, 0, NULL, NULL},
    {"ioctl", strace_ioctl, 0, 2, 0, NULL, NULL},
    {"pipe pipe2", strace_pair, 0, 1, FD_PIPE, NULL, NULL},
    {"socketpair", strace_pair, 0, 4, FD_SOCKET, NULL, NULL},
    {"socket accept accept4", strace_created, 0, 0, FD_SOCKET, NULL, NULL},
    {"eventfd eventfd2 epoll_create epoll_create1 signalfd signalfd4 timerfd_create inotify_init "
     "inotify_init1 userfaultfd perf_event_open fanotify_init mq_open",
     strace_created, 0, 0, FD_OTHER, NULL, NULL},
    {"memfd_create memfd_secret", strace_created, 0, 0, FD_MEMFD, NULL, NULL},
    {"pidfd_open", strace_created, STRACE_PRIVATE, 0, FD_OTHER, NULL, NULL},
    {"io_uring_setup", strace_io_uring_setup, STRACE_PRIVATE, 0, FD_OTHER, NULL, NULL},
    {"bpf", strace_bpf, STRACE_PRIVATE, 1, FD_OTHER, NULL, NULL},
    {"pidfd_getfd", strace_created, 0, 0, 0, NULL, NULL},
    /* names and other operations */
    {"stat stat64 lstat lstat64", strace_path_op, OP, 1, STRACE_STAT, "stat", NULL},
    {"fstat fstat64", strace_fd_op, OP, 1, STRACE_STAT, "stat", NULL},
    {"newfstatat fstatat64 statx", strace_path_op_at, OP, 2, STRACE_STAT, "stat", NULL},
    {"access", strace_path_op, OP, 1, STRACE_ACCESS, "access", NULL},
    {"faccessat faccessat2", strace_path_op_at, OP, 2, STRACE_ACCESS, "access", NULL},
    {"unlink", strace_path_op, OP, 1, STRACE_UNLINK, "unlink", NULL},
    {"unlinkat", strace_path_op_at, OP, 2, STRACE_UNLINK, "unlink", NULL},
    {"rmdir", strace_path_op, OP, 1, STRACE_UNLINK, "rmdir", NULL},
    {"rename", strace_two_paths, OP, 2, STRACE_RENAME, "rename", NULL},
    {"renameat renameat2", strace_two_paths_at, OP, 4, STRACE_RENAME, "rename", NULL},
    {"link", strace_two_paths, OP, 2, STRACE_LINK, "link", NULL},
    {"linkat", strace_two_paths_at, OP, 4, STRACE_LINK, "link", NULL},
    {"symlink", strace_symlink, OP, 2, STRACE_PLAIN, "symlink", NULL},
    {"symlinkat", strace_symlink_at, OP, 3, STRACE_PLAIN, "symlink", NULL},
    {"readlink", strace_path_op, OP, 1, STRACE_PLAIN, "readlink", NULL},
    {"readlinkat", strace_path_op_at, OP, 2, STRACE_PLAIN, "readlink", NULL},
    {"mkdir", strace_path_op, OP, 1, STRACE_PLAIN, "mkdir", NULL},
    {"mkdirat", strace_path_op_at, OP, 2, STRACE_PLAIN, "mkdir", NULL},
    {"mknod", strace_path_op, OP, 1, STRACE_PLAIN, "mknod", NULL},
    {"mknodat", strace_path_op_at, OP, 2, STRACE_PLAIN, "mknod", NULL},
    {"chmod", strace_path_op, OP, 1, STRACE_PLAIN, "chmod", NULL},
    {"fchmod", strace_fd_op, OP, 1, STRACE_PLAIN, "chmod", NULL},
    {"fchmodat fchmodat2", strace_path_op_at, OP, 2, STRACE_PLAIN, "chmod", NULL},
    {"chown lchown", strace_path_op, OP, 1, STRACE_PLAIN, "chown", NULL},
    {"fchown", strace_fd_op, OP, 1, STRACE_PLAIN, "chown", NULL},
    {"fchownat", strace_path_op_at, OP, 2, STRACE_PLAIN, "chown", NULL},
    {"utime utimes", strace_path_op, OP, 1, STRACE_PLAIN, "utime", NULL},
    {"futimesat utimensat", strace_path_op_at, OP, 2, STRACE_PLAIN, "utime", NULL},
    {"statfs", strace_path_op, OP, 1, STRACE_PLAIN, "statfs", NULL},
    {"fstatfs", strace_fd_op, OP, 1, STRACE_PLAIN, "statfs", NULL},
    {"getxattr lgetxattr setxattr lsetxattr listxattr llistxattr removexattr lremovexattr",
     strace_path_op, OP, 1, STRACE_PLAIN, "xattr", NULL},
    {"fgetxattr fsetxattr flistxattr fremovexattr", strace_fd_op, OP, 1, STRACE_PLAIN, "xattr",
     NULL},
    {"getdents getdents64", strace_fd_op, OP, 1, STRACE_PLAIN, "readdir", NULL},
    {"truncate truncate64", strace_truncate, OP, 2, 0, "truncate", strace_truncate_enter},
    {"ftruncate ftruncate64", strace_ftruncate, OP | STRACE_WRITES, 2, 0, "truncate",
     strace_use_enter},
    {"fallocate", strace_fallocate, OP | STRACE_WRITES, 4, 0, "allocate", strace_use_enter},
    {"fsync fdatasync sync_file_range", strace_fd_op, OP, 1, STRACE_PLAIN, "fsync", NULL},
    {"flock", strace_fd_op, OP, 1, STRACE_PLAIN, "lock", NULL},
    {"syncfs", strace_fd_op, OP, 1, STRACE_PLAIN, "sync", NULL},
    {"sync", strace_sync, OP, 0, 0, "sync", NULL},
    {"msync", strace_sync, OP, 0, 0, "msync", NULL},
    {"chdir", strace_chdir, 0, 1, 0, NULL, NULL},
    {"fchdir", strace_chdir, 0, 1, 1, NULL, NULL},
    {"chroot", strace_chdir, 0, 1, 2, NULL, NULL},
    {"getcwd", strace_getcwd, 0, 1, 0, NULL, NULL},
    /* processes */
    {"clone clone3", strace_fork, STRACE_FORK | ALWAYS, 0, STRACE_CLONE, NULL, strace_fork_enter},
    {"fork vfork", strace_fork, STRACE_FORK | ALWAYS, 0, 0, NULL, strace_fork_enter},
    {"execve", strace_exec, 0, 0, 0, NULL, NULL},
    {"execveat", strace_exec, 0, 0, 1, NULL, NULL},
    {"unshare", strace_unshare, 0, 1, 0, NULL, NULL},
    {"set_tid_address gettid", strace_own_number, 0, 0, 0, NULL, NULL},
};

/* The first eight bytes of a name: with the length they identify almost every name. */
static inline uint64_t name_head(const char *name, size_t size)
{
	uint64_t head = 0;
	memcpy(&head, name, size < sizeof head ? size : sizeof head);
	return head;
}

static size_t name_hash(uint64_t head, size_t size)
{
	return (size_t)((head ^ (uint64_t)size << 56) * 0x9e3779b97f4a7c15U >> 54);
}

/* Returns the slot of a name, or the free one where it would be. */
static inline struct strace_name *slot_of(struct strace_name *table, const char *name, size_t size)
{
	_Static_assert(STRACE_HASH == 1 << 10, "name_hash keeps ten bits");
	const uint64_t head = name_head(name, size);
	size_t at = name_hash(head, size);
	for (; table[at].entry != NULL; at = (at + 1) % STRACE_HASH)
		if (table[at].head == head && table[at].size == size &&
		    (size <= sizeof head || memcmp(table[at].name, name, size) == 0))
			break;
	return &table[at];
}

void strace_table_init(struct strace *s)
{
	for (size_t i = 0; i < sizeof CALLS / sizeof CALLS[0]; i++)
		for (const char *name = CALLS[i].names; *name != '\0';) {
			const size_t size = strcspn(name, " ");
			*slot_of(s->hash, name, size) =
			    (struct strace_name){.entry = &CALLS[i],
						 .name = name,
						 .head = name_head(name, size),
						 .size = size};
			name += size + (name[size] == ' ');
		}
}

const struct strace_entry *strace_table_find(struct strace *s, const char *name, size_t size)
{
	return slot_of(s->hash, name, size)->entry;
}

void strace_run(struct strace *s, struct strace_call *c)
{
	const struct strace_entry *e = c->entry;
	const bool succeeded = c->returned && !c->failed, has_args = c->args >= e->args;
	const bool has_result = c->returned && has_args &&
				((e->class & STRACE_FAILS) != 0 || (!c->failed && c->result >= 0));
	if (has_result || (e->class & STRACE_ALWAYS) != 0)
		e->run(s, c);
	else if (succeeded && (e->class & STRACE_DATA) != 0)
		strace_contradicted(s, c);
}
