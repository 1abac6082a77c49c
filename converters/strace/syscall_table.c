/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls that matter: by name, who takes them, and as what. */
#include "strace.h"

#include <string.h>

enum {
	R = STRACE_DATA | STRACE_READS, /* may wait: its entry counts only if it reads a file */
	RM = R | STRACE_MOVES,
	WM = RM | STRACE_WRITES,
	W = STRACE_DATA,
	WP = W | STRACE_WRITES,
	W2 = W | STRACE_MOVES | STRACE_WRITES | STRACE_COPIES,
	OPEN = STRACE_OP | STRACE_OPENS | STRACE_WRITES,
};

static const struct strace_entry CALLS[] = {
    /* bytes; variant: does it write? */
    {"read", iot_strace_read_write, RM, 0, NULL},
    {"write", iot_strace_read_write, WM, 1, NULL},
    {"readv", iot_strace_read_write, RM, 0, NULL},
    {"writev", iot_strace_read_write, WM, 1, NULL},
    {"pread64", iot_strace_at_offset, W, 0, NULL},
    {"pwrite64", iot_strace_at_offset, WP, 1, NULL},
    {"pread", iot_strace_at_offset, W, 0, NULL},
    {"pwrite", iot_strace_at_offset, WP, 1, NULL},
    {"preadv", iot_strace_at_offset, W, 0, NULL},
    {"pwritev", iot_strace_at_offset, WP, 1, NULL},
    {"preadv2", iot_strace_at_offset, W | STRACE_MOVES, 0, NULL},
    {"pwritev2", iot_strace_at_offset, WP | STRACE_MOVES, 1, NULL},
    {"recv", iot_strace_read_write, R, 0, NULL},
    {"recvfrom", iot_strace_read_write, R, 0, NULL},
    {"recvmsg", iot_strace_recvmsg, R, 0, NULL},
    {"send", iot_strace_read_write, R, 1, NULL},
    {"sendto", iot_strace_read_write, R, 1, NULL},
    {"sendmsg", iot_strace_sendmsg, R | STRACE_SENDS, 1, NULL},
    {"sendmmsg", iot_strace_messages, 0, 0, NULL},
    {"recvmmsg", iot_strace_messages, 0, 0, NULL},
    {"recvmmsg_time64", iot_strace_messages, 0, 0, NULL},
    {"sendfile", iot_strace_sendfile, W2, 0, NULL},
    {"sendfile64", iot_strace_sendfile, W2, 0, NULL},
    {"copy_file_range", iot_strace_copy_range, W2, 0, NULL},
    {"splice", iot_strace_copy_range, W2, 1, NULL},
    {"io_submit", iot_strace_io_submit, W | STRACE_SUBMITS, 0, NULL},
    {"io_getevents", iot_strace_io_getevents, 0, 0, NULL},
    {"io_getevents_time32", iot_strace_io_getevents, 0, 0, NULL},
    {"io_pgetevents", iot_strace_io_getevents, 0, 0, NULL},
    {"io_pgetevents_time32", iot_strace_io_getevents, 0, 0, NULL},
    {"io_pgetevents_time64", iot_strace_io_getevents, 0, 0, NULL},
    {"io_setup", iot_strace_io_setup, 0, 0, NULL},
    {"io_destroy", iot_strace_io_destroy, 0, 0, NULL},
    {"io_cancel", iot_strace_io_cancel, 0, 0, NULL},
    {"io_uring_enter", iot_strace_hidden, 0, 0, NULL},
    {"restart_syscall", iot_strace_hidden, 0, 1, NULL},
    {"mmap", iot_strace_mmap, 0, 0, NULL},
    {"mmap2", iot_strace_mmap, 0, 0, NULL},
    {"lseek", iot_strace_lseek, STRACE_MOVES, 0, NULL},
    {"_llseek", iot_strace_llseek, STRACE_MOVES, 0, NULL},
    /* descriptors; open's variant: argument of the path */
    {"open", iot_strace_open, OPEN, 0, "open"},
    {"openat", iot_strace_open, OPEN, 1, "open"},
    {"openat2", iot_strace_open, OPEN, 2, "open"},
    {"creat", iot_strace_open, OPEN, 3, "create"},
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
    {"memfd_create", iot_strace_made, 0, IOT_FD_MEMFD, NULL},
    {"memfd_secret", iot_strace_made, 0, IOT_FD_MEMFD, NULL},
    {"userfaultfd", iot_strace_made, 0, IOT_FD_OTHER, NULL},
    {"pidfd_open", iot_strace_made, STRACE_PRIVATE, IOT_FD_OTHER, NULL},
    {"perf_event_open", iot_strace_made, 0, IOT_FD_OTHER, NULL},
    {"io_uring_setup", iot_strace_io_uring_setup, STRACE_PRIVATE, IOT_FD_OTHER, NULL},
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
    {"truncate", iot_strace_truncate, OPEN, 0, "truncate"},
    {"truncate64", iot_strace_truncate, OPEN, 0, "truncate"},
    {"ftruncate", iot_strace_ftruncate, STRACE_OP | STRACE_WRITES, 0, "truncate"},
    {"ftruncate64", iot_strace_ftruncate, STRACE_OP | STRACE_WRITES, 0, "truncate"},
    {"fallocate", iot_strace_fallocate, STRACE_OP | STRACE_WRITES, 0, "allocate"},
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

void iot_strace_table_init(struct strace *s)
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

const struct strace_entry *iot_strace_table_find(const struct strace *s, const char *name,
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
