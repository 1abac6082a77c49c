/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of system calls and of functions of libc, and what each does. */
#include "calls.h"

#include <string.h>

static const struct call_type TYPES[] = {
    {"read readv recv recvfrom recvmsg", CALL_READ, NULL, false},
    {"write writev send sendto sendmsg", CALL_WRITE, NULL, false},
    {"pread pread64 preadv preadv2 preadv64", CALL_READ_AT, NULL, false},
    {"pwrite pwrite64 pwritev pwritev2 pwritev64", CALL_WRITE_AT, NULL, false},
    {"sendfile sendfile64 copy_file_range splice", CALL_COPY, NULL, false},
    {"fread", CALL_READ, NULL, true},
    {"fwrite", CALL_WRITE, NULL, true},
    {"lseek lseek64", CALL_SEEK, NULL, false},
    {"fseek fseeko fseek64 fseeko64", CALL_SEEK, NULL, true},
    {"ftell ftello ftell64 ftello64", CALL_POSITION, NULL, true},
    {"open open64 openat openat64 openat2", CALL_OPEN, "open", false},
    {"creat creat64", CALL_CREATE, "create", false},
    {"fopen fopen64", CALL_OPEN_STREAM, "open", true},
    {"close", CALL_CLOSE, "close", false},
    {"fclose", CALL_CLOSE, "close", true},
    {"close_range", CALL_CLOSE_RANGE, NULL, false},
    {"dup dup2 dup3", CALL_DUP, NULL, false},
    {"fcntl fcntl64", CALL_FCNTL, NULL, false},
    {"pipe pipe2", CALL_PIPE, NULL, false},
    {"socket accept accept4", CALL_SOCKET, NULL, false},
    {"eventfd eventfd2 epoll_create epoll_create1 signalfd signalfd4 timerfd_create inotify_init "
     "inotify_init1 userfaultfd perf_event_open fanotify_init mq_open pidfd_open io_uring_setup",
     CALL_SPECIAL, NULL, false},
    {"memfd_create memfd_secret", CALL_MEMFD, NULL, false},
    {"mmap mmap2 mmap64", CALL_MAP, NULL, false},
    {"io_uring_enter io_submit process_vm_readv process_vm_writev", CALL_HIDDEN, NULL, false},
    {"fsync fdatasync sync_file_range", CALL_ON_FD, "fsync", false},
    {"syncfs", CALL_ON_FD, "sync", false},
    {"fstat fstat64 newfstat __fxstat __fxstat64", CALL_ON_FD, "stat", false},
    {"fstatfs fstatfs64", CALL_ON_FD, "statfs", false},
    {"fchmod", CALL_ON_FD, "chmod", false},
    {"fchown", CALL_ON_FD, "chown", false},
    {"getdents getdents64 readdir", CALL_ON_FD, "readdir", false},
    {"fallocate", CALL_ON_FD, "allocate", false},
    {"sync", CALL_ON_PATH, "sync", false},
    {"stat stat64 lstat lstat64 newstat newlstat newfstatat fstatat64 statx __xstat __xstat64 "
     "__lxstat __lxstat64",
     CALL_ON_PATH, "stat", false},
    {"access faccessat faccessat2", CALL_ON_PATH, "access", false},
    {"readlink readlinkat", CALL_ON_PATH, "readlink", false},
    {"mkdir mkdirat", CALL_ON_PATH, "mkdir", false},
    {"mknod mknodat mkfifo", CALL_ON_PATH, "mknod", false},
    {"chmod fchmodat fchmodat2", CALL_ON_PATH, "chmod", false},
    {"chown lchown fchownat", CALL_ON_PATH, "chown", false},
    {"utime utimes futimesat utimensat", CALL_ON_PATH, "utime", false},
    {"statfs statfs64", CALL_ON_PATH, "statfs", false},
    {"opendir", CALL_ON_PATH, "opendir", false},
    {"symlink symlinkat", CALL_ON_PATH, "symlink", false},
    {"unlink unlinkat remove", CALL_UNLINK, "unlink", false},
    {"rmdir", CALL_UNLINK, "rmdir", false},
    {"rename renameat renameat2", CALL_RENAME, "rename", false},
    {"link linkat", CALL_LINK, "link", false},
    {"truncate truncate64", CALL_TRUNCATE, "truncate", false},
    {"ftruncate ftruncate64", CALL_TRUNCATE_FD, "truncate", false},
    {"chdir fchdir", CALL_CHDIR, NULL, false},
    {"clone clone3 fork vfork", CALL_FORK, NULL, false},
    {"execve execveat", CALL_EXEC, NULL, false},
    {"exit_group", CALL_EXIT, NULL, false},
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
