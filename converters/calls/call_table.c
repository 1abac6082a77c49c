/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of system calls and of functions of libc, and what each does. */
#include "calls.h"

#include <string.h>

static const struct call_type TYPES[] = {
    {"read", NULL, CALL_READ, false, true},
    {"write", NULL, CALL_WRITE, false, true},
    {"pread pread64", NULL, CALL_READ_AT, false, true},
    {"pwrite pwrite64", NULL, CALL_WRITE_AT, false, true},
    {"sendfile sendfile64 copy_file_range splice", NULL, CALL_COPY, false, true},
    {"fread", NULL, CALL_READ, true, true},
    {"fwrite", NULL, CALL_WRITE, true, true},
    {"readv recv recvfrom recvmsg", NULL, CALL_READ, false, false},
    {"writev send sendto sendmsg", NULL, CALL_WRITE, false, false},
    {"preadv preadv2 preadv64", NULL, CALL_READ_AT, false, false},
    {"pwritev pwritev2 pwritev64", NULL, CALL_WRITE_AT, false, false},
    {"lseek lseek64", NULL, CALL_SEEK, false, false},
    {"fseek fseeko fseek64 fseeko64", NULL, CALL_SEEK, true, false},
    {"ftell ftello ftell64 ftello64", NULL, CALL_POSITION, true, false},
    {"open open64 openat openat64 openat2", "open", CALL_OPEN, false, false},
    {"creat creat64", "create", CALL_CREATE, false, false},
    {"fopen fopen64", "open", CALL_OPEN_STREAM, true, false},
    {"close", "close", CALL_CLOSE, false, false},
    {"fclose", "close", CALL_CLOSE, true, false},
    {"close_range", NULL, CALL_CLOSE_RANGE, false, false},
    {"dup dup2 dup3", NULL, CALL_DUP, false, false},
    {"fcntl fcntl64", NULL, CALL_FCNTL, false, false},
    {"pipe pipe2", NULL, CALL_PIPE, false, false},
    {"socket accept accept4", NULL, CALL_SOCKET, false, false},
    {"eventfd eventfd2 epoll_create epoll_create1 signalfd signalfd4 timerfd_create inotify_init "
     "inotify_init1 userfaultfd perf_event_open fanotify_init mq_open pidfd_open io_uring_setup",
     NULL, CALL_SPECIAL, false, false},
    {"memfd_create memfd_secret", NULL, CALL_MEMFD, false, false},
    {"mmap mmap2 mmap64", NULL, CALL_MAP, false, false},
    {"io_uring_enter io_submit process_vm_readv process_vm_writev", NULL, CALL_HIDDEN, false,
     false},
    {"fsync fdatasync sync_file_range", "fsync", CALL_ON_FD, false, false},
    {"syncfs", "sync", CALL_ON_FD, false, false},
    {"fstat fstat64 newfstat __fxstat __fxstat64", "stat", CALL_ON_FD, false, false},
    {"fstatfs fstatfs64", "statfs", CALL_ON_FD, false, false},
    {"fchmod", "chmod", CALL_ON_FD, false, false},
    {"fchown", "chown", CALL_ON_FD, false, false},
    {"getdents getdents64 readdir", "readdir", CALL_ON_FD, false, false},
    {"fallocate", "allocate", CALL_ON_FD, false, false},
    {"sync", "sync", CALL_ON_PATH, false, false},
    {"stat stat64 lstat lstat64 newstat newlstat newfstatat fstatat64 statx __xstat __xstat64 "
     "__lxstat __lxstat64",
     "stat", CALL_ON_PATH, false, false},
    {"access faccessat faccessat2", "access", CALL_ON_PATH, false, false},
    {"readlink readlinkat", "readlink", CALL_ON_PATH, false, false},
    {"mkdir mkdirat", "mkdir", CALL_ON_PATH, false, false},
    {"mknod mknodat mkfifo", "mknod", CALL_ON_PATH, false, false},
    {"chmod fchmodat fchmodat2", "chmod", CALL_ON_PATH, false, false},
    {"chown lchown fchownat", "chown", CALL_ON_PATH, false, false},
    {"utime utimes futimesat utimensat", "utime", CALL_ON_PATH, false, false},
    {"statfs statfs64", "statfs", CALL_ON_PATH, false, false},
    {"getxattr lgetxattr setxattr lsetxattr listxattr llistxattr removexattr lremovexattr", "xattr",
     CALL_ON_PATH, false, false},
    {"fgetxattr fsetxattr flistxattr fremovexattr", "xattr", CALL_ON_FD, false, false},
    {"opendir", "opendir", CALL_ON_PATH, false, false},
    {"symlink symlinkat", "symlink", CALL_ON_PATH, false, false},
    {"unlink unlinkat remove", "unlink", CALL_UNLINK, false, false},
    {"rmdir", "rmdir", CALL_UNLINK, false, false},
    {"rename renameat renameat2", "rename", CALL_RENAME, false, false},
    {"link linkat", "link", CALL_LINK, false, false},
    {"truncate truncate64", "truncate", CALL_TRUNCATE, false, false},
    {"ftruncate ftruncate64", "truncate", CALL_TRUNCATE_FD, false, false},
    {"chdir fchdir", NULL, CALL_CHDIR, false, false},
    {"clone clone3 fork vfork", NULL, CALL_FORK, false, false},
    {"execve execveat", NULL, CALL_EXEC, false, false},
    {"exit_group", NULL, CALL_EXIT, false, false},
};

/* The first eight bytes of a name: with the length they identify almost every name. */
static inline uint64_t name_head(const char *name, size_t size)
{
	uint64_t head = 0;
	memcpy(&head, name, size < sizeof head ? size : sizeof head);
	return head;
}

/* Returns the slot of a name, or the free one where it would be. */
static inline size_t slot_of(const struct call_name *table, const char *name, size_t size)
{
	_Static_assert(CALL_NAMES == 1 << 10, "ten bits are kept");
	const uint64_t head = name_head(name, size);
	size_t at = (size_t)((head ^ (uint64_t)size << 56) * 0x9e3779b97f4a7c15U >> 54);
	for (; table[at].type != NULL; at = (at + 1) % CALL_NAMES)
		if (table[at].head == head && table[at].size == size &&
		    (size <= sizeof head || memcmp(table[at].name, name, size) == 0))
			break;
	return at;
}

void call_types_init(struct call_name *table)
{
	for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++)
		for (const char *name = TYPES[i].names; *name != '\0';) {
			const size_t size = strcspn(name, " ");
			table[slot_of(table, name, size)] =
			    (struct call_name){.type = &TYPES[i],
					       .name = name,
					       .head = name_head(name, size),
					       .size = size};
			name += size + (name[size] == ' ');
		}
}

const struct call_type *call_type_find(const struct call_name *table, const char *name, size_t size)
{
	return table[slot_of(table, name, size)].type;
}
