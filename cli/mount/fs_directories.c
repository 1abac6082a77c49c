/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests about open directories. A readdir is recorded for each refill, not for each entry. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount.h"

struct open_directory {
	struct mount_file file;
	DIR *stream;
	struct dirent *entry; /* read, but not replied: it did not fit */
	off_t offset;
};

static struct open_directory *directory_of(const struct fuse_file_info *fi)
{
	return (struct open_directory *)(uintptr_t)fi->fh;
}

static struct open_directory *open_directory(struct mount_request *r, const struct inode *i)
{
	struct open_directory *d = calloc(1, sizeof(*d));
	if (d == NULL)
		return NULL;
	d->file.fd = openat(i->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d->stream = d->file.fd >= 0 ? fdopendir(d->file.fd) : NULL;
	if (d->stream != NULL) {
		d->file.opener = r->who;
		d->file.description = atomic_fetch_add(&r->m->descriptions, 1) + 1;
		return d;
	}
	const int errnum = errno;
	if (d->file.fd >= 0)
		(void)close(d->file.fd);
	free(d);
	errno = errnum;
	return NULL;
}

void fs_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct mount_request r = request_begin(req, RECORD_OP_OPEN, true);
	const struct inode *i = request_inode(&r, ino);
	char path[PATH_MAX];
	struct open_directory *d = open_directory(&r, i);
	const int errnum = d != NULL ? 0 : errno;
	mount_path(r.m, i, NULL, path);
	request_record_open(&r, errnum, d != NULL ? &d->file : NULL, fi->flags, path);
	if (d == NULL) {
		request_reply(&r, errnum);
		return;
	}
	fi->fh = (uintptr_t)d;
	request_end(&r);
	(void)fuse_reply_open(req, fi);
}

/* The entries of one reply. */
struct filling {
	struct mount_request *r;
	struct inode *directory;
	char *data;
	size_t size, used;
	bool plus;
};

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static struct stat entry_stat(const struct dirent *e)
{
	return (struct stat){.st_ino = e->d_ino, .st_mode = (mode_t)e->d_type << 12};
}

/* Returns the size of the entry; if it is more than the space left, the entry was not added. */
static size_t add_plain(struct filling *f, const struct dirent *e)
{
	const struct stat st = entry_stat(e);
	return fuse_add_direntry(f->r->req, f->data + f->used, f->size - f->used, e->d_name, &st,
				 e->d_off);
}

/* A name that cannot be looked up any more is added without an inode. */
static size_t add_plus(struct filling *f, const struct dirent *e)
{
	struct mount *m = f->r->m;
	struct fuse_entry_param p = {.attr = entry_stat(e)};
	const bool found =
	    !is_dots(e->d_name) && mount_look_up(m, f->directory, e->d_name, &p) == 0;
	if (!found)
		p = (struct fuse_entry_param){.attr = entry_stat(e)};
	const size_t n = fuse_add_direntry_plus(f->r->req, f->data + f->used, f->size - f->used,
						e->d_name, &p, e->d_off);
	if (found && n > f->size - f->used)
		inodes_forget(&m->inodes, (struct inode *)(uintptr_t)p.ino, 1);
	return n;
}

/* Returns 0 or an errno. */
static int fill(struct filling *f, struct open_directory *d, off_t offset)
{
	if (offset != d->offset) {
		seekdir(d->stream, offset);
		d->entry = NULL;
		d->offset = offset;
	}
	for (;;) {
		errno = 0;
		if (d->entry == NULL && (d->entry = readdir(d->stream)) == NULL)
			return errno;
		const size_t n = f->plus ? add_plus(f, d->entry) : add_plain(f, d->entry);
		if (n > f->size - f->used)
			return 0;
		f->used += n;
		d->offset = d->entry->d_off;
		d->entry = NULL;
	}
}

static void read_directory(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
			   struct fuse_file_info *fi, bool plus)
{
	struct mount_request r = request_begin(req, RECORD_OP_READDIR, false);
	struct open_directory *d = directory_of(fi);
	struct filling f = {.r = &r,
			    .directory = request_inode(&r, ino),
			    .data = (char *)r.thread->data,
			    .size = size < MOUNT_WRITE_MAX ? size : MOUNT_WRITE_MAX,
			    .plus = plus};
	const int filled = fill(&f, d, offset), errnum = f.used == 0 ? filled : 0;
	request_record_file(&r, errnum, &d->file, NULL, -1);
	if (request_done(&r, errnum))
		(void)fuse_reply_buf(req, f.data, f.used);
}

void fs_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
		struct fuse_file_info *fi)
{
	read_directory(req, ino, size, offset, fi, false);
}

void fs_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
		    struct fuse_file_info *fi)
{
	read_directory(req, ino, size, offset, fi, true);
}

void fs_releasedir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct mount_request r = request_begin(req, RECORD_OP_CLOSE, false);
	struct open_directory *d = directory_of(fi);
	(void)ino;
	r.who = d->file.opener;
	(void)closedir(d->stream);
	request_record_file(&r, 0, &d->file, NULL, -1);
	free(d);
	request_reply(&r, 0);
}

void fs_fsyncdir(fuse_req_t req, fuse_ino_t ino, int data_only, struct fuse_file_info *fi)
{
	struct mount_request r = request_begin(req, RECORD_OP_FSYNC, false);
	const struct open_directory *d = directory_of(fi);
	(void)ino;
	const int result = data_only != 0 ? fdatasync(d->file.fd) : fsync(d->file.fd);
	const int errnum = result == 0 ? 0 : errno;
	request_record_file(&r, errnum, &d->file, NULL, -1);
	request_reply(&r, errnum);
}
