/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls that are converted: name, handler, class, variant. */
#include "strace.h"

#include <string.h>

enum {
	/* may block: its entry limits the watermark only if it reads a file */
	R = STRACE_DATA | STRACE_READS,
	RM = R | STRACE_MOVES,
	WM = RM | STRACE_WRITES,
	W = STRACE_DATA,
	WP = W | STRACE_WRITES,
	W2 = W | STRACE_MOVES | STRACE_WRITES | STRACE_COPIES,
	ASKS = STRACE_ASKS,
	OPEN = STRACE_OP | STRACE_OPENS | STRACE_WRITES,
};

static const struct strace_entry CALLS[] = {
    /* bytes; variant: 1 for writes */
    {"read", strace_read_write, RM | ASKS, 0, NULL},
    {"write", strace_read_write, WM | ASKS, 1, NULL},
    {"readv", strace_read_write, RM, 0, NULL},
    {"writev", strace_read_write, WM, 1, NULL},
    {"pread64", strace_at_offset, W | ASKS, 0, NULL},
    {"pwrite64", strace_at_offset, WP | ASKS, 1, NULL},
    {"pread", strace_at_offset, W | ASKS, 0, NULL},
    {"pwrite", strace_at_offset, WP | ASKS, 1, NULL},
    {"preadv", strace_at_offset, W, 0, NULL},
    {"pwritev", strace_at_offset, WP, 1, NULL},
    {"preadv2", strace_at_offset, W | STRACE_MOVES, 0, NULL},
    {"pwritev2", strace_at_offset, WP | STRACE_MOVES, 1, NULL},
    {"recv", strace_read_write, R, 0, NULL},
    {"recvfrom", strace_read_write, R, 0, NULL},
    {"recvmsg", strace_recvmsg, R, 0, NULL},
    {"send", strace_read_write, R | ASKS, 1, NULL},
    {"sendto", strace_read_write, R | ASKS, 1, NULL},
    {"sendmsg", strace_sendmsg, R | STRACE_SENDS, 1, NULL},
    {"sendmmsg", strace_messages, 0, 0, NULL},
    {"recvmmsg", strace_messages, 0, 0, NULL},
    {"recvmmsg_time64", strace_messages, 0, 0, NULL},
    {"sendfile", strace_sendfile, W2, 0, NULL},
    {"sendfile64", strace_sendfile, W2, 0, NULL},
    {"copy_file_range", strace_copy_range, W2, 0, NULL},
    {"splice", strace_copy_range, W2, 1, NULL},
    {"io_submit", strace_io_submit, W | STRACE_SUBMITS, 0, NULL},
    {"io_getevents", strace_io_getevents, 0, 0, NULL},
    {"io_getevents_time32", strace_io_getevents, 0, 0, NULL},
    {"io_pgetevents", strace_io_getevents, 0, 0, NULL},
    {"io_pgetevents_time32", strace_io_getevents, 0, 0, NULL},
    {"io_pgetevents_time64", strace_io_getevents, 0, 0, NULL},
    {"io_setup", strace_io_setup, 0, 0, NULL},
    {"io_destroy", strace_io_destroy, 0, 0, NULL},
    {"io_cancel", strace_io_cancel, 0, 0, NULL},
    {"io_uring_enter", strace_hidden, 0, 0, NULL},
    {"restart_syscall", strace_hidden, 0, 1, NULL},
    {"mmap", strace_mmap, 0, 0, NULL},
    {"mmap2", strace_mmap, 0, 0, NULL},
    {"lseek", strace_lseek, STRACE_MOVES, 0, NULL},
    {"_llseek", strace_llseek, STRACE_MOVES, 0, NULL},
    /* descriptors; variant of open: index of the path argument */
    {"open", strace_open, OPEN, 0, "open"},
    {"openat", strace_open, OPEN, 1, "open"},
    {"openat2", strace_open, OPEN, 2, "open"},
    {"creat", strace_open, OPEN, 3, "create"},
    {"open_by_handle_at", strace_open, STRACE_OP, 4, "open"},
    {"close", strace_close, STRACE_OP, 0, "close"},
    {"close_range", strace_close_range, STRACE_OP, 0, "close"},
    {"dup", strace_dup, 0, 1, NULL},
    {"dup2", strace_dup, 0, 2, NULL},
    {"dup3", strace_dup, 0, 3, NULL},
    {"fcntl", strace_fcntl, 0, 0, NULL},
    {"fcntl64", strace_fcntl, 0, 0, NULL},
    {"ioctl", strace_ioctl, 0, 0, NULL},
    {"pipe", strace_pair, 0, FD_PIPE, NULL},
    {"pipe2", strace_pair, 0, FD_PIPE, NULL},
    {"socketpair", strace_pair, 0, FD_SOCKET, NULL},
    {"socket", strace_created, 0, FD_SOCKET, NULL},
    {"accept", strace_created, 0, FD_SOCKET, NULL},
    {"accept4", strace_created, 0, FD_SOCKET, NULL},
    {"eventfd", strace_created, 0, FD_OTHER, NULL},
    {"eventfd2", strace_created, 0, FD_OTHER, NULL},
    {"epoll_create", strace_created, 0, FD_OTHER, NULL},
    {"epoll_create1", strace_created, 0, FD_OTHER, NULL},
    {"signalfd", strace_created, 0, FD_OTHER, NULL},
    {"signalfd4", strace_created, 0, FD_OTHER, NULL},
    {"timerfd_create", strace_created, 0, FD_OTHER, NULL},
    {"inotify_init", strace_created, 0, FD_OTHER, NULL},
    {"inotify_init1", strace_created, 0, FD_OTHER, NULL},
    {"memfd_create", strace_created, 0, FD_MEMFD, NULL},
    {"memfd_secret", strace_created, 0, FD_MEMFD, NULL},
    {"userfaultfd", strace_created, 0, FD_OTHER, NULL},
    {"pidfd_open", strace_created, STRACE_PRIVATE, FD_OTHER, NULL},
    {"perf_event_open", strace_created, 0, FD_OTHER, NULL},
    {"io_uring_setup", strace_io_uring_setup, STRACE_PRIVATE, FD_OTHER, NULL},
    {"bpf", strace_created, STRACE_PRIVATE, FD_OTHER, NULL},
    {"fanotify_init", strace_created, 0, FD_OTHER, NULL},
    {"mq_open", strace_created, 0, FD_OTHER, NULL},
    {"pidfd_getfd", strace_created, 0, 0, NULL},
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
    {"truncate", strace_truncate, OPEN, 0, "truncate"},
    {"truncate64", strace_truncate, OPEN, 0, "truncate"},
    {"ftruncate", strace_ftruncate, STRACE_OP | STRACE_WRITES, 0, "truncate"},
    {"ftruncate64", strace_ftruncate, STRACE_OP | STRACE_WRITES, 0, "truncate"},
    {"fallocate", strace_fallocate, STRACE_OP | STRACE_WRITES, 0, "allocate"},
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

/* The first eight bytes of a name: with the length they identify almost every name. */
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

void strace_table_init(struct strace *s)
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

const struct strace_entry *strace_table_find(const struct strace *s, const char *name, size_t size)
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
