/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests about names in directories. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mount.h"

void fs_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct mount_request r = request_begin(req, MOUNT_LOOKUP, false);
	struct fuse_entry_param e;
	const int errnum = mount_look_up(r.m, request_inode(&r, parent), name, &e);
	request_record(&r, errnum, NULL, NULL);
	if (request_done(&r, errnum))
		(void)fuse_reply_entry(req, &e);
}

static void forget(fuse_req_t req, fuse_ino_t ino, uint64_t lookups)
{
	struct mount *m = fuse_req_userdata(req);
	if (ino != FUSE_ROOT_ID)
		inodes_forget(&m->inodes, (struct inode *)(uintptr_t)ino, lookups);
}

void fs_forget(fuse_req_t req, fuse_ino_t ino, uint64_t lookups)
{
	forget(req, ino, lookups);
	fuse_reply_none(req);
}

void fs_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets)
{
	for (size_t i = 0; i < count; i++)
		forget(req, forgets[i].ino, forgets[i].nlookup);
	fuse_reply_none(req);
}

/*
 * In a directory with the setgid bit, a file gets the group of the directory. A change of the owner
 * clears bits of the mode.
 */
void mount_give(const struct mount_request *r, const struct inode *parent, const char *name,
		mode_t mode)
{
	const struct fuse_ctx *ctx = fuse_req_ctx(r->req);
	struct stat st;
	if (!r->m->as_root || (ctx->uid == 0 && ctx->gid == 0))
		return;
	const bool has_group =
	    fstatat(parent->fd, "", &st, AT_EMPTY_PATH) == 0 && (st.st_mode & S_ISGID) != 0;
	if (fchownat(parent->fd, name, ctx->uid, has_group ? (gid_t)-1 : ctx->gid,
		     AT_SYMLINK_NOFOLLOW) == 0 &&
	    (mode & (S_ISUID | S_ISGID)) != 0 && !S_ISLNK(mode))
		(void)!fchmodat(parent->fd, name, mode & 07777, 0);
}

/* Replies to a request that made a name, with its inode. made: 0 or an errno */
static void reply_made(struct mount_request *r, int made, struct inode *parent, const char *name,
		       mode_t mode, const char *target)
{
	char path[PATH_MAX];
	struct fuse_entry_param e;
	int errnum = made;
	if (made == 0) {
		mount_give(r, parent, name, mode);
		errnum = mount_look_up(r->m, parent, name, &e);
	}
	mount_path(r->m, parent, name, path);
	request_record(r, errnum, target != NULL ? target : path, target != NULL ? path : NULL);
	if (request_done(r, errnum))
		(void)fuse_reply_entry(r->req, &e);
}

static int failure(int result)
{
	return result == 0 ? 0 : errno;
}

void fs_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t device)
{
	struct mount_request r = request_begin(req, RECORD_OP_MKNOD, false);
	struct inode *p = request_inode(&r, parent);
	reply_made(&r, failure(mknodat(p->fd, name, mode, device)), p, name, mode, NULL);
}

void fs_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
	struct mount_request r = request_begin(req, RECORD_OP_MKDIR, false);
	struct inode *p = request_inode(&r, parent);
	reply_made(&r, failure(mkdirat(p->fd, name, mode)), p, name, S_IFDIR | mode, NULL);
}

void fs_symlink(fuse_req_t req, const char *target, fuse_ino_t parent, const char *name)
{
	struct mount_request r = request_begin(req, RECORD_OP_SYMLINK, false);
	struct inode *p = request_inode(&r, parent);
	reply_made(&r, failure(symlinkat(target, p->fd, name)), p, name, S_IFLNK, target);
}

void fs_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t parent, const char *name)
{
	struct mount_request r = request_begin(req, RECORD_OP_LINK, false);
	struct inode *i = request_inode(&r, ino), *p = request_inode(&r, parent);
	struct fuse_entry_param e;
	char link[64], path[PATH_MAX], to[PATH_MAX];
	mount_proc_path(i, link);
	mount_path(r.m, i, NULL, path);
	mount_path(r.m, p, name, to);
	int errnum = failure(linkat(AT_FDCWD, link, p->fd, name, AT_SYMLINK_FOLLOW));
	if (errnum == 0)
		errnum = mount_look_up(r.m, p, name, &e);
	request_record(&r, errnum, path, to);
	if (request_done(&r, errnum))
		(void)fuse_reply_entry(req, &e);
}

static void remove_name(struct mount_request *r, fuse_ino_t parent, const char *name, int flags)
{
	char path[PATH_MAX];
	const struct inode *p = request_inode(r, parent);
	const int errnum = failure(unlinkat(p->fd, name, flags));
	mount_path(r->m, p, name, path);
	request_record(r, errnum, path, NULL);
	request_reply(r, errnum);
}

void fs_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct mount_request r = request_begin(req, RECORD_OP_UNLINK, false);
	remove_name(&r, parent, name, 0);
}

void fs_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct mount_request r = request_begin(req, RECORD_OP_RMDIR, false);
	remove_name(&r, parent, name, AT_REMOVEDIR);
}

void fs_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t to,
	       const char *new_name, unsigned flags)
{
	const bool exchange = (flags & RENAME_EXCHANGE) != 0;
	struct mount_request r =
	    request_begin(req, exchange ? RECORD_OP_EXCHANGE : RECORD_OP_RENAME, false);
	const struct inode *p = request_inode(&r, parent), *q = request_inode(&r, to);
	char path[PATH_MAX], new_path[PATH_MAX];
	mount_path(r.m, p, name, path);
	mount_path(r.m, q, new_name, new_path);
	const int errnum = failure(renameat2(p->fd, name, q->fd, new_name, flags));
	request_record(&r, errnum, path, new_path);
	request_reply(&r, errnum);
}

void fs_readlink(fuse_req_t req, fuse_ino_t ino)
{
	struct mount_request r = request_begin(req, RECORD_OP_READLINK, false);
	const struct inode *i = request_inode(&r, ino);
	char target[PATH_MAX + 1];
	const ssize_t n = readlinkat(i->fd, "", target, sizeof(target));
	const int errnum = n < 0 ? errno : (size_t)n == sizeof(target) ? ENAMETOOLONG : 0;
	request_record_file(&r, errnum, NULL, i, -1);
	if (!request_done(&r, errnum))
		return;
	target[n] = '\0';
	(void)fuse_reply_readlink(req, target);
}
