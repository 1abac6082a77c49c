/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations on names, attributes and directories. */
#include "wrap.h"

static bool path_begin(struct operation_call *o, enum record_op op, int directory, const char *path)
{
	if (!operation_begin(o, op))
		return false;
	operation_on_path(o, directory, path);
	return true;
}

static bool paths_begin(struct operation_call *o, enum record_op op, int from, const char *path,
			int to, const char *to_path)
{
	if (!path_begin(o, op, from, path))
		return false;
	o->event.to_directory = to;
	o->event.to = to_path;
	return true;
}

static bool descriptor_begin(struct operation_call *o, enum record_op op, int fd)
{
	if (!operation_begin(o, op))
		return false;
	operation_on(o, fd);
	return true;
}

/* A wrapper whose call is described by `begin`, one of the functions above. */
#define NAMED(type, name, parameters, arguments, begin)                                            \
	EXPORT type name parameters                                                                \
	{                                                                                          \
		struct operation_call o;                                                           \
		if (!begin)                                                                        \
			return real.name arguments;                                                \
		return (type)operation_end(&o, real.name arguments);                               \
	}

#define ON_PATH(op)     path_begin(&o, RECORD_OP_##op, AT_FDCWD, path)
#define ON_PATH_AT(op)  path_begin(&o, RECORD_OP_##op, directory, path)
#define ON_FD(op)       descriptor_begin(&o, RECORD_OP_##op, fd)
#define ON_PATHS(op)    paths_begin(&o, RECORD_OP_##op, AT_FDCWD, path, AT_FDCWD, to)
#define ON_PATHS_AT(op) paths_begin(&o, RECORD_OP_##op, directory, path, to_directory, to)

NAMED(int, stat, (const char *restrict path, struct stat *restrict s), (path, s), ON_PATH(STAT))
NAMED(int, lstat, (const char *restrict path, struct stat *restrict s), (path, s), ON_PATH(STAT))
NAMED(int, fstat, (int fd, struct stat *s), (fd, s), ON_FD(STAT))
NAMED(int, fstatat, (int directory, const char *restrict path, struct stat *restrict s, int flags),
      (directory, path, s, flags), ON_PATH_AT(STAT))
NAMED(int, statx,
      (int directory, const char *restrict path, int flags, unsigned mask,
       struct statx *restrict s),
      (directory, path, flags, mask, s), ON_PATH_AT(STAT))
NAMED(int, access, (const char *path, int mode), (path, mode), ON_PATH(ACCESS))
NAMED(int, euidaccess, (const char *path, int mode), (path, mode), ON_PATH(ACCESS))
NAMED(int, faccessat, (int directory, const char *path, int mode, int flags),
      (directory, path, mode, flags), ON_PATH_AT(ACCESS))

NAMED(int, rename, (const char *path, const char *to), (path, to), ON_PATHS(RENAME))
NAMED(int, renameat, (int directory, const char *path, int to_directory, const char *to),
      (directory, path, to_directory, to), ON_PATHS_AT(RENAME))
NAMED(int, renameat2,
      (int directory, const char *path, int to_directory, const char *to, unsigned flags),
      (directory, path, to_directory, to, flags),
      paths_begin(&o, (flags & RENAME_EXCHANGE) != 0 ? RECORD_OP_EXCHANGE : RECORD_OP_RENAME,
		  directory, path, to_directory, to))
NAMED(int, link, (const char *path, const char *to), (path, to), ON_PATHS(LINK))
NAMED(int, linkat, (int directory, const char *path, int to_directory, const char *to, int flags),
      (directory, path, to_directory, to, flags), ON_PATHS_AT(LINK))
NAMED(int, symlink, (const char *target, const char *path), (target, path), ON_PATH(SYMLINK))
NAMED(int, symlinkat, (const char *target, int directory, const char *path),
      (target, directory, path), ON_PATH_AT(SYMLINK))
NAMED(ssize_t, readlink, (const char *restrict path, char *restrict to, size_t size),
      (path, to, size), ON_PATH(READLINK))
NAMED(ssize_t, readlinkat,
      (int directory, const char *restrict path, char *restrict to, size_t size),
      (directory, path, to, size), ON_PATH_AT(READLINK))

NAMED(int, unlink, (const char *path), (path), ON_PATH(UNLINK))
NAMED(int, unlinkat, (int directory, const char *path, int flags), (directory, path, flags),
      path_begin(&o, (flags & AT_REMOVEDIR) != 0 ? RECORD_OP_RMDIR : RECORD_OP_UNLINK, directory,
		 path))
NAMED(int, remove, (const char *path), (path), ON_PATH(UNLINK))
NAMED(int, rmdir, (const char *path), (path), ON_PATH(RMDIR))
NAMED(int, mkdir, (const char *path, mode_t mode), (path, mode), ON_PATH(MKDIR))
NAMED(int, mkdirat, (int directory, const char *path, mode_t mode), (directory, path, mode),
      ON_PATH_AT(MKDIR))
NAMED(int, mknod, (const char *path, mode_t mode, dev_t device), (path, mode, device),
      ON_PATH(MKNOD))
NAMED(int, mknodat, (int directory, const char *path, mode_t mode, dev_t device),
      (directory, path, mode, device), ON_PATH_AT(MKNOD))
NAMED(int, mkfifo, (const char *path, mode_t mode), (path, mode), ON_PATH(MKNOD))
NAMED(int, mkfifoat, (int directory, const char *path, mode_t mode), (directory, path, mode),
      ON_PATH_AT(MKNOD))

NAMED(int, chmod, (const char *path, mode_t mode), (path, mode), ON_PATH(CHMOD))
NAMED(int, fchmod, (int fd, mode_t mode), (fd, mode), ON_FD(CHMOD))
NAMED(int, fchmodat, (int directory, const char *path, mode_t mode, int flags),
      (directory, path, mode, flags), ON_PATH_AT(CHMOD))
NAMED(int, chown, (const char *path, uid_t owner, gid_t group), (path, owner, group),
      ON_PATH(CHOWN))
NAMED(int, lchown, (const char *path, uid_t owner, gid_t group), (path, owner, group),
      ON_PATH(CHOWN))
NAMED(int, fchown, (int fd, uid_t owner, gid_t group), (fd, owner, group), ON_FD(CHOWN))
NAMED(int, fchownat, (int directory, const char *path, uid_t owner, gid_t group, int flags),
      (directory, path, owner, group, flags), ON_PATH_AT(CHOWN))
NAMED(int, utime, (const char *path, const struct utimbuf *times), (path, times), ON_PATH(UTIME))
NAMED(int, utimes, (const char *path, const struct timeval times[2]), (path, times), ON_PATH(UTIME))
NAMED(int, lutimes, (const char *path, const struct timeval times[2]), (path, times),
      ON_PATH(UTIME))
NAMED(int, utimensat, (int directory, const char *path, const struct timespec times[2], int flags),
      (directory, path, times, flags), ON_PATH_AT(UTIME))
NAMED(int, futimens, (int fd, const struct timespec times[2]), (fd, times), ON_FD(UTIME))
NAMED(int, futimes, (int fd, const struct timeval times[2]), (fd, times), ON_FD(UTIME))
NAMED(int, statfs, (const char *path, struct statfs *s), (path, s), ON_PATH(STATFS))
NAMED(int, fstatfs, (int fd, struct statfs *s), (fd, s), ON_FD(STATFS))

NAMED(ssize_t, getxattr, (const char *path, const char *name, void *value, size_t size),
      (path, name, value, size), ON_PATH(XATTR))
NAMED(ssize_t, lgetxattr, (const char *path, const char *name, void *value, size_t size),
      (path, name, value, size), ON_PATH(XATTR))
NAMED(ssize_t, fgetxattr, (int fd, const char *name, void *value, size_t size),
      (fd, name, value, size), ON_FD(XATTR))
NAMED(int, setxattr,
      (const char *path, const char *name, const void *value, size_t size, int flags),
      (path, name, value, size, flags), ON_PATH(XATTR))
NAMED(int, lsetxattr,
      (const char *path, const char *name, const void *value, size_t size, int flags),
      (path, name, value, size, flags), ON_PATH(XATTR))
NAMED(int, fsetxattr, (int fd, const char *name, const void *value, size_t size, int flags),
      (fd, name, value, size, flags), ON_FD(XATTR))
NAMED(ssize_t, listxattr, (const char *path, char *list, size_t size), (path, list, size),
      ON_PATH(XATTR))
NAMED(ssize_t, llistxattr, (const char *path, char *list, size_t size), (path, list, size),
      ON_PATH(XATTR))
NAMED(ssize_t, flistxattr, (int fd, char *list, size_t size), (fd, list, size), ON_FD(XATTR))
NAMED(int, removexattr, (const char *path, const char *name), (path, name), ON_PATH(XATTR))
NAMED(int, lremovexattr, (const char *path, const char *name), (path, name), ON_PATH(XATTR))
NAMED(int, fremovexattr, (int fd, const char *name), (fd, name), ON_FD(XATTR))

/* struct stat64 and struct stat are the same on 64-bit machines. */
#define ALIAS_64(name, of, parameters) EXPORT extern int name parameters __attribute__((alias(#of)))

ALIAS_64(stat64, stat, (const char *restrict path, struct stat64 *restrict s));
ALIAS_64(lstat64, lstat, (const char *restrict path, struct stat64 *restrict s));
ALIAS_64(fstat64, fstat, (int fd, struct stat64 *s));
ALIAS_64(fstatat64, fstatat,
	 (int directory, const char *restrict path, struct stat64 *restrict s, int flags));
ALIAS_64(statfs64, statfs, (const char *path, struct statfs64 *s));
ALIAS_64(fstatfs64, fstatfs, (int fd, struct statfs64 *s));
ALIAS(eaccess, euidaccess);

/* Programs built before glibc 2.33 call these; the first argument is a version. */

EXPORT int __xstat(int version, const char *path, struct stat *s)
{
	(void)version;
	return stat(path, s);
}

EXPORT int __lxstat(int version, const char *path, struct stat *s)
{
	(void)version;
	return lstat(path, s);
}

EXPORT int __fxstat(int version, int fd, struct stat *s)
{
	(void)version;
	return fstat(fd, s);
}

EXPORT int __fxstatat(int version, int directory, const char *path, struct stat *s, int flags)
{
	(void)version;
	return fstatat(directory, path, s, flags);
}

ALIAS(__xstat64, __xstat);
ALIAS(__lxstat64, __lxstat);
ALIAS(__fxstat64, __fxstat);
ALIAS(__fxstatat64, __fxstatat);

extern void __chk_fail(void) __attribute__((noreturn));

EXPORT ssize_t __readlink_chk(const char *path, char *to, size_t size, size_t capacity)
{
	if (size > capacity)
		__chk_fail();
	return readlink(path, to, size);
}

EXPORT ssize_t __readlinkat_chk(int directory, const char *path, char *to, size_t size,
				size_t capacity)
{
	if (size > capacity)
		__chk_fail();
	return readlinkat(directory, path, to, size);
}

/* Directories */

EXPORT DIR *opendir(const char *path)
{
	struct operation_call o;
	if (!path_begin(&o, RECORD_OP_OPEN, AT_FDCWD, path))
		return real.opendir(path);
	o.event.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	DIR *const d = real.opendir(path);
	operation_opened(&o, d == NULL ? -1 : dirfd(d));
	return d;
}

/* The beginning of libc's DIR, which every program contains a version of. */
struct directory_stream {
	int fd, lock;
	size_t allocation;
	size_t size;   /* bytes in the buffer */
	size_t offset; /* of the next entry in it */
};

/* Recorded if it has to fill the buffer, not for each entry. */
EXPORT struct dirent *readdir(DIR *d)
{
	struct operation_call o;
	const struct directory_stream *const s = (const void *)d;
	if (s->offset < s->size || !descriptor_begin(&o, RECORD_OP_READDIR, s->fd))
		return real.readdir(d);
	const int before = errno;
	errno = 0;
	struct dirent *const entry = real.readdir(d);
	const bool failed = entry == NULL && errno != 0;
	operation_end(&o, failed ? -1 : 0);
	if (!failed)
		errno = before;
	return entry;
}

EXPORT struct dirent64 *readdir64(DIR *d)
{
	return (struct dirent64 *)(void *)readdir(d);
}

EXPORT ssize_t getdents64(int fd, void *buffer, size_t size)
{
	struct operation_call o;
	if (!descriptor_begin(&o, RECORD_OP_READDIR, fd))
		return real.getdents64(fd, buffer, size);
	return operation_end(&o, real.getdents64(fd, buffer, size));
}
