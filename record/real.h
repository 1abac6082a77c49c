/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that the wrappers call: the next definition of each name, usually libc's. */
#ifndef RECORD_REAL_H
#define RECORD_REAL_H

#include <aio.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/fsuid.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>

/* In no header before glibc 2.36. */
int pidfd_getfd(int pidfd, int fd, unsigned flags);

/* Names with a declaration in the headers. */
#define REAL_DECLARED(X)                                                                           \
	X(read)                                                                                    \
	X(write)                                                                                   \
	X(pread)                                                                                   \
	X(pwrite)                                                                                  \
	X(readv)                                                                                   \
	X(writev)                                                                                  \
	X(preadv)                                                                                  \
	X(pwritev)                                                                                 \
	X(preadv2)                                                                                 \
	X(pwritev2)                                                                                \
	X(sendfile)                                                                                \
	X(copy_file_range)                                                                         \
	X(splice)                                                                                  \
	X(tee)                                                                                     \
	X(vmsplice)                                                                                \
	X(open)                                                                                    \
	X(openat)                                                                                  \
	X(creat)                                                                                   \
	X(open_by_handle_at)                                                                       \
	X(close)                                                                                   \
	X(mkstemp)                                                                                 \
	X(mkostemp)                                                                                \
	X(mkstemps)                                                                                \
	X(mkostemps)                                                                               \
	X(memfd_create)                                                                            \
	X(shm_open)                                                                                \
	X(dup)                                                                                     \
	X(dup2)                                                                                    \
	X(dup3)                                                                                    \
	X(fcntl)                                                                                   \
	X(close_range)                                                                             \
	X(closefrom)                                                                               \
	X(lseek)                                                                                   \
	X(ioctl)                                                                                   \
	X(pipe)                                                                                    \
	X(pipe2)                                                                                   \
	X(socket)                                                                                  \
	X(socketpair)                                                                              \
	X(accept)                                                                                  \
	X(accept4)                                                                                 \
	X(pidfd_getfd)                                                                             \
	X(eventfd)                                                                                 \
	X(epoll_create)                                                                            \
	X(epoll_create1)                                                                           \
	X(timerfd_create)                                                                          \
	X(signalfd)                                                                                \
	X(inotify_init)                                                                            \
	X(inotify_init1)                                                                           \
	X(recv)                                                                                    \
	X(recvfrom)                                                                                \
	X(recvmmsg)                                                                                \
	X(recvmsg)                                                                                 \
	X(send)                                                                                    \
	X(sendto)                                                                                  \
	X(sendmmsg)                                                                                \
	X(sendmsg)                                                                                 \
	X(fsync)                                                                                   \
	X(fdatasync)                                                                               \
	X(sync)                                                                                    \
	X(syncfs)                                                                                  \
	X(sync_file_range)                                                                         \
	X(ftruncate)                                                                               \
	X(truncate)                                                                                \
	X(fallocate)                                                                               \
	X(posix_fallocate)                                                                         \
	X(posix_fadvise)                                                                           \
	X(readahead)                                                                               \
	X(flock)                                                                                   \
	X(lockf)                                                                                   \
	X(fork)                                                                                    \
	X(_Fork)                                                                                   \
	X(execve)                                                                                  \
	X(execvpe)                                                                                 \
	X(fexecve)                                                                                 \
	X(execveat)                                                                                \
	X(posix_spawn)                                                                             \
	X(posix_spawnp)                                                                            \
	X(system)                                                                                  \
	X(popen)                                                                                   \
	X(pclose)                                                                                  \
	X(fclose)                                                                                  \
	X(fcloseall)                                                                               \
	X(opendir)                                                                                 \
	X(closedir)                                                                                \
	X(chdir)                                                                                   \
	X(fchdir)                                                                                  \
	X(chroot)                                                                                  \
	X(_exit)                                                                                   \
	X(quick_exit)

/* Streams. */
#define REAL_STREAMS(X)                                                                            \
	X(fopen)                                                                                   \
	X(freopen)                                                                                 \
	X(tmpfile)                                                                                 \
	X(fread)                                                                                   \
	X(fread_unlocked)                                                                          \
	X(fwrite)                                                                                  \
	X(fwrite_unlocked)                                                                         \
	X(fgetc)                                                                                   \
	X(fgetc_unlocked)                                                                          \
	X(fputc)                                                                                   \
	X(fputc_unlocked)                                                                          \
	X(fgets)                                                                                   \
	X(fgets_unlocked)                                                                          \
	X(getdelim)                                                                                \
	X(fputs)                                                                                   \
	X(fputs_unlocked)                                                                          \
	X(puts)                                                                                    \
	X(getw)                                                                                    \
	X(putw)                                                                                    \
	X(fflush)                                                                                  \
	X(fflush_unlocked)                                                                         \
	X(fseek)                                                                                   \
	X(fseeko)                                                                                  \
	X(rewind)                                                                                  \
	X(fsetpos)                                                                                 \
	X(vfprintf)                                                                                \
	X(vdprintf)                                                                                \
	X(fgetwc)                                                                                  \
	X(fputwc)                                                                                  \
	X(fgetws)                                                                                  \
	X(fputws)                                                                                  \
	X(vfwprintf)                                                                               \
	X(perror)                                                                                  \
	X(__uflow)                                                                                 \
	X(__overflow)                                                                              \
	X(__underflow)                                                                             \
	X(__vfprintf_chk)                                                                          \
	X(__vdprintf_chk)                                                                          \
	X(__isoc99_vfscanf)                                                                        \
	X(__isoc99_vfwscanf)

/* Functions of libc without a declaration in its headers. */
int __uflow(FILE *);
int __overflow(FILE *, int);
int __underflow(FILE *);
int __vfprintf_chk(FILE *, int, const char *, va_list);
int __vdprintf_chk(int, int, const char *, va_list);
int __isoc99_vfscanf(FILE *, const char *, va_list);
int __isoc99_vfwscanf(FILE *, const wchar_t *, va_list);

/* Names, mappings, and what else moves data. */
#define REAL_OTHERS(X)                                                                             \
	X(stat)                                                                                    \
	X(lstat)                                                                                   \
	X(fstat)                                                                                   \
	X(fstatat)                                                                                 \
	X(statx)                                                                                   \
	X(access)                                                                                  \
	X(faccessat)                                                                               \
	X(euidaccess)                                                                              \
	X(rename)                                                                                  \
	X(renameat)                                                                                \
	X(renameat2)                                                                               \
	X(unlink)                                                                                  \
	X(unlinkat)                                                                                \
	X(remove)                                                                                  \
	X(rmdir)                                                                                   \
	X(mkdir)                                                                                   \
	X(mkdirat)                                                                                 \
	X(link)                                                                                    \
	X(linkat)                                                                                  \
	X(symlink)                                                                                 \
	X(symlinkat)                                                                               \
	X(readlink)                                                                                \
	X(readlinkat)                                                                              \
	X(chmod)                                                                                   \
	X(fchmod)                                                                                  \
	X(fchmodat)                                                                                \
	X(chown)                                                                                   \
	X(fchown)                                                                                  \
	X(lchown)                                                                                  \
	X(fchownat)                                                                                \
	X(utime)                                                                                   \
	X(utimes)                                                                                  \
	X(lutimes)                                                                                 \
	X(utimensat)                                                                               \
	X(futimens)                                                                                \
	X(futimes)                                                                                 \
	X(mknod)                                                                                   \
	X(mknodat)                                                                                 \
	X(mkfifo)                                                                                  \
	X(mkfifoat)                                                                                \
	X(statfs)                                                                                  \
	X(fstatfs)                                                                                 \
	X(getxattr)                                                                                \
	X(lgetxattr)                                                                               \
	X(fgetxattr)                                                                               \
	X(setxattr)                                                                                \
	X(lsetxattr)                                                                               \
	X(fsetxattr)                                                                               \
	X(listxattr)                                                                               \
	X(llistxattr)                                                                              \
	X(flistxattr)                                                                              \
	X(removexattr)                                                                             \
	X(lremovexattr)                                                                            \
	X(fremovexattr)                                                                            \
	X(readdir)                                                                                 \
	X(getdents64)                                                                              \
	X(mmap)                                                                                    \
	X(msync)                                                                                   \
	X(syscall)                                                                                 \
	X(aio_read)                                                                                \
	X(aio_write)                                                                               \
	X(aio_error)                                                                               \
	X(aio_return)                                                                              \
	X(aio_fsync)                                                                               \
	X(lio_listio)                                                                              \
	X(process_vm_readv)                                                                        \
	X(process_vm_writev)                                                                       \
	X(daemon)                                                                                  \
	X(clone)                                                                                   \
	X(dlopen)                                                                                  \
	X(dlmopen)                                                                                 \
	X(setns)                                                                                   \
	X(unshare)

/* Returns the function that the next library of the process defines; NULL if none does. */
void *real_find(const char *name);
void real_resolve(void);

struct real {
	bool resolved;
#define X(name) __typeof__(name) *name;
	REAL_DECLARED(X)
	REAL_STREAMS(X)
	REAL_OTHERS(X)
#undef X
};

extern struct real real;

#endif
