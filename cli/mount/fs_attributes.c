/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests about attributes of files, including extended attributes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "mount.h"

static struct mount_file *file_of(const struct fuse_file_info *fi)
{
	return fi != NULL ? (struct mount_file *)(uintptr_t)fi->fh : NULL;
}

static int failure(int result)
{
	return result == 0 ? 0 : errno;
}

static int attributes(const struct inode *i, struct stat *st)
{
	return failure(fstatat(i->fd, "", st, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW));
}

void fs_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct mount_request r = request_begin(req, RECORD_OP_STAT, false);
	const struct inode *i = request_inode(&r, ino);
	struct stat st;
	const int errnum = attributes(i, &st);
	(void)fi; /* unused: it may belong to a directory */
	request_record_file(&r, errnum, NULL, i, -1);
	if (request_done(&r, errnum))
		(void)fuse_reply_attr(req, &st, r.m->timeout);
}

/* Symbolic links have times, but no mode that could be changed. */
static int set_times(const struct inode *i, const struct stat *attr, int valid)
{
	struct timespec t[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_OMIT}};
	char path[64];
	mount_proc_path(i, path);
	if ((valid & FUSE_SET_ATTR_ATIME_NOW) != 0)
		t[0].tv_nsec = UTIME_NOW;
	else if ((valid & FUSE_SET_ATTR_ATIME) != 0)
		t[0] = attr->st_atim;
	if ((valid & FUSE_SET_ATTR_MTIME_NOW) != 0)
		t[1].tv_nsec = UTIME_NOW;
	else if ((valid & FUSE_SET_ATTR_MTIME) != 0)
		t[1] = attr->st_mtim;
	if (S_ISLNK(i->type))
		return failure(utimensat(i->fd, "", t, AT_EMPTY_PATH));
	return failure(utimensat(AT_FDCWD, path, t, 0));
}

static int set_owner(const struct inode *i, const struct stat *attr, int valid)
{
	const uid_t uid = (valid & FUSE_SET_ATTR_UID) != 0 ? attr->st_uid : (uid_t)-1;
	const gid_t gid = (valid & FUSE_SET_ATTR_GID) != 0 ? attr->st_gid : (gid_t)-1;
	return failure(fchownat(i->fd, "", uid, gid, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW));
}

/* One system call may set several attributes; the operation is named after the first. */
static unsigned kind_of(int valid)
{
	if ((valid & FUSE_SET_ATTR_SIZE) != 0)
		return RECORD_OP_TRUNCATE;
	if ((valid & (FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID)) != 0)
		return RECORD_OP_CHOWN;
	return (valid & FUSE_SET_ATTR_MODE) != 0 ? RECORD_OP_CHMOD : RECORD_OP_UTIME;
}

void mount_drop_privileges(const struct mount_request *r, int fd)
{
	char path[64];
	struct stat st;
	if (!r->m->as_root || fuse_req_ctx(r->req)->uid == 0 || fstat(fd, &st) != 0)
		return;
	const bool of_group = (st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP);
	const mode_t kept = st.st_mode & 07777 & ~(mode_t)(S_ISUID | (of_group ? S_ISGID : 0));
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (kept != (st.st_mode & 07777))
		(void)chmod(path, kept);
}

static int set_attributes(const struct inode *i, const struct mount_file *f,
			  const struct stat *attr, int valid)
{
	char path[64];
	int errnum = 0;
	mount_proc_path(i, path);
	if ((valid & (FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID)) != 0)
		errnum = set_owner(i, attr, valid);
	if (errnum == 0 && (valid & FUSE_SET_ATTR_MODE) != 0)
		errnum = failure(chmod(path, attr->st_mode));
	if (errnum == 0 && (valid & FUSE_SET_ATTR_SIZE) != 0)
		errnum = failure(f != NULL ? ftruncate(f->fd, attr->st_size)
					   : truncate(path, attr->st_size));
	if (errnum == 0 && (valid & (FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_MTIME)) != 0)
		errnum = set_times(i, attr, valid);
	return errnum;
}

void fs_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int valid,
		struct fuse_file_info *fi)
{
	struct mount_request r = request_begin(req, kind_of(valid), false);
	const struct inode *i = request_inode(&r, ino);
	struct mount_file *f = file_of(fi);
	struct stat st;
	int errnum = set_attributes(i, f, attr, valid);
	if (errnum == 0 && (valid & FUSE_SET_ATTR_SIZE) != 0)
		mount_drop_privileges(&r, i->fd);
	request_record_file(&r, errnum, f, i, r.call == RECORD_OP_TRUNCATE ? attr->st_size : -1);
	if (errnum == 0)
		errnum = attributes(i, &st);
	if (request_done(&r, errnum))
		(void)fuse_reply_attr(req, &st, r.m->timeout);
}

void fs_statfs(fuse_req_t req, fuse_ino_t ino)
{
	struct mount_request r = request_begin(req, RECORD_OP_STATFS, false);
	const struct inode *i = request_inode(&r, ino);
	struct statvfs st;
	const int errnum = failure(fstatvfs(i->fd, &st));
	request_record_file(&r, errnum, NULL, i, -1);
	if (request_done(&r, errnum))
		(void)fuse_reply_statfs(req, &st);
}

/* Extended attributes. These calls follow the symbolic link /proc/self/fd/N to the file. */

static void reply_value(struct mount_request *r, const struct inode *i, const char *value,
			size_t size, ssize_t n)
{
	const int errnum = n < 0 ? errno : 0;
	request_record_file(r, errnum, NULL, i, -1);
	if (!request_done(r, errnum))
		return;
	if (size == 0)
		(void)fuse_reply_xattr(r->req, (size_t)n);
	else
		(void)fuse_reply_buf(r->req, value, (size_t)n);
}

void fs_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size)
{
	struct mount_request r = request_begin(req, RECORD_OP_XATTR, false);
	const struct inode *i = request_inode(&r, ino);
	char path[64], *value = (char *)r.thread->data;
	mount_proc_path(i, path);
	if (size > MOUNT_WRITE_MAX) {
		request_reply(&r, E2BIG);
		return;
	}
	reply_value(&r, i, value, size, getxattr(path, name, value, size));
}

void fs_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size)
{
	struct mount_request r = request_begin(req, RECORD_OP_XATTR, false);
	const struct inode *i = request_inode(&r, ino);
	char path[64], *names = (char *)r.thread->data;
	mount_proc_path(i, path);
	if (size > MOUNT_WRITE_MAX) {
		request_reply(&r, E2BIG);
		return;
	}
	reply_value(&r, i, names, size, listxattr(path, names, size));
}

void fs_setxattr(fuse_req_t req, fuse_ino_t ino, const char *name, const char *value, size_t size,
		 int flags)
{
	struct mount_request r = request_begin(req, RECORD_OP_XATTR, false);
	const struct inode *i = request_inode(&r, ino);
	char path[64];
	mount_proc_path(i, path);
	const int errnum = failure(setxattr(path, name, value, size, flags));
	request_record_file(&r, errnum, NULL, i, -1);
	request_reply(&r, errnum);
}

void fs_removexattr(fuse_req_t req, fuse_ino_t ino, const char *name)
{
	struct mount_request r = request_begin(req, RECORD_OP_XATTR, false);
	const struct inode *i = request_inode(&r, ino);
	char path[64];
	mount_proc_path(i, path);
	const int errnum = failure(removexattr(path, name));
	request_record_file(&r, errnum, NULL, i, -1);
	request_reply(&r, errnum);
}
