/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests about open files. A read is answered from the buffer of the thread: a reply that splices
 * from the file would not show how many bytes it had.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mount.h"

static struct mount_file *file_of(const struct fuse_file_info *fi)
{
	return (struct mount_file *)(uintptr_t)fi->fh;
}

static int failure(int result)
{
	return result == 0 ? 0 : errno;
}

/* Opening */

enum { FOR_EXECUTION = 040 }; /* FMODE_EXEC of the kernel, which adds it to the flags of an open */

static bool is_cached(const struct mount *m, const char *path)
{
	return m->cached || glob_list_match(&m->mapped, path);
}

static struct mount_file *make_file(struct mount_request *r, int fd, int flags, const char *path)
{
	struct mount_file *f = malloc(sizeof(*f));
	if (f == NULL) {
		(void)close(fd);
		errno = ENOMEM;
		return NULL;
	}
	*f = (struct mount_file){.fd = fd,
				 .description = atomic_fetch_add(&r->m->descriptions, 1) + 1,
				 .opener = r->who,
				 .direct = !is_cached(r->m, path),
				 .aligned = (flags & O_DIRECT) != 0,
				 .executed = (flags & FOR_EXECUTION) != 0};
	return f;
}

static void describe(const struct mount_file *f, struct fuse_file_info *fi)
{
	fi->fh = (uintptr_t)f;
	fi->direct_io = f->direct;
	fi->noflush = 0;
}

void fs_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct mount_request r = request_begin(req, RECORD_OP_OPEN, true);
	const struct inode *i = request_inode(&r, ino);
	char link[64], path[PATH_MAX];
	mount_proc_path(i, link);
	mount_path(r.m, i, NULL, path);
	const int fd = open(link, (fi->flags & ~(O_NOFOLLOW | O_CREAT | O_EXCL)) | O_CLOEXEC);
	struct mount_file *f = fd >= 0 ? make_file(&r, fd, fi->flags, path) : NULL;
	const int errnum = f != NULL ? 0 : errno;
	request_record_open(&r, errnum, f, fi->flags, path);
	if (f == NULL) {
		request_reply(&r, errnum);
		return;
	}
	describe(f, fi);
	request_end(&r);
	(void)fuse_reply_open(req, fi);
}

static void discard(struct mount_file *f)
{
	(void)close(f->fd);
	free(f);
}

void fs_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
	       struct fuse_file_info *fi)
{
	struct mount_request r = request_begin(req, RECORD_OP_CREATE, true);
	struct inode *p = request_inode(&r, parent);
	struct fuse_entry_param e;
	char path[PATH_MAX];
	mount_path(r.m, p, name, path);
	const int fd = openat(p->fd, name, (fi->flags & ~O_NOFOLLOW) | O_CREAT | O_CLOEXEC, mode);
	struct mount_file *f = fd >= 0 ? make_file(&r, fd, fi->flags, path) : NULL;
	int errnum = f != NULL ? 0 : errno;
	if (f != NULL)
		mount_give(&r, p, name, mode);
	if (f != NULL && (errnum = mount_look_up(r.m, p, name, &e)) != 0) {
		discard(f);
		f = NULL;
	}
	request_record_open(&r, errnum, f, fi->flags | O_CREAT, path);
	if (f == NULL) {
		request_reply(&r, errnum);
		return;
	}
	describe(f, fi);
	request_end(&r);
	(void)fuse_reply_create(req, &e, fi);
}

/*
 * Handles the last close of a file. No caller waits for it; it is recorded for the process that
 * opened the file.
 */
void fs_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct mount_request r = request_begin(req, RECORD_OP_CLOSE, false);
	struct mount_file *f = file_of(fi);
	(void)ino;
	r.who = f->opener;
	if (atomic_load(&r.m->pieces.count) > 0)
		pieces_end(&r.m->pieces, &r.m->buffers, &r.thread->appender, f->description);
	(void)close(f->fd);
	request_record_file(&r, 0, f, NULL, -1);
	free(f);
	request_reply(&r, 0);
}

/* Errors of delayed writes are reported at close. */
void fs_flush(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	(void)fuse_reply_err(req, failure(close(dup(file_of(fi)->fd))));
}

void fs_fsync(fuse_req_t req, fuse_ino_t ino, int data_only, struct fuse_file_info *fi)
{
	struct mount_request r = request_begin(req, RECORD_OP_FSYNC, false);
	const struct mount_file *f = file_of(fi);
	(void)ino;
	const int errnum = failure(data_only != 0 ? fdatasync(f->fd) : fsync(f->fd));
	request_record_file(&r, errnum, f, NULL, -1);
	request_reply(&r, errnum);
}

/* Transfers */

/* Counts a request for pages of a mapping, or of a program, which no call on the file caused. */
static void count_mapped(struct mount_request *r, bool write, uint64_t n)
{
	struct mount_count *c = &r->thread->count[write ? MOUNT_MAPPED_WRITE : MOUNT_MAPPED_READ];
	atomic_fetch_add(&c->calls, 1);
	atomic_fetch_add(&c->bytes, n);
}

static uint64_t call_size(const struct mount_request *r, const struct mount_file *f, size_t size)
{
	return f->direct && pieces_may_begin(size) ? pieces_call_size(r->who.tid) : 0;
}

void fs_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *fi)
{
	struct mount_request r = request_begin(req, MOUNT_READ, false);
	const struct mount_file *f = file_of(fi);
	const size_t n = size < MOUNT_WRITE_MAX ? size : MOUNT_WRITE_MAX;
	const uint64_t in_call = call_size(&r, f, size);
	(void)ino;
	const ssize_t got = pread(f->fd, r.thread->data, n, offset);
	if (got < 0) {
		request_reply(&r, errno);
		return;
	}
	/* calls name the owner of their locks, faults do not */
	if (f->direct && (fi->lock_owner == 0 || f->executed))
		count_mapped(&r, false, (uint64_t)got);
	else
		request_record_transfer(&r, f, false, offset, (uint64_t)got, size, in_call);
	request_end(&r);
	(void)fuse_reply_buf(req, (const char *)r.thread->data, (size_t)got);
}

void fs_write(fuse_req_t req, fuse_ino_t ino, const char *data, size_t size, off_t offset,
	      struct fuse_file_info *fi)
{
	struct mount_request r = request_begin(req, MOUNT_WRITE, false);
	const struct mount_file *f = file_of(fi);
	const uint64_t in_call = call_size(&r, f, size);
	const void *from = data;
	(void)ino;
	if (f->aligned && size <= MOUNT_WRITE_MAX)
		from = memcpy(r.thread->data, data, size);
	const ssize_t done = pwrite(f->fd, from, size, offset);
	if (done < 0) {
		request_reply(&r, errno);
		return;
	}
	mount_drop_privileges(&r, f->fd);
	if (f->direct && fi->writepage != 0)
		count_mapped(&r, true, (uint64_t)done);
	else
		request_record_transfer(&r, f, true, offset, (uint64_t)done, size, in_call);
	request_end(&r);
	(void)fuse_reply_write(req, (size_t)done);
}

void fs_copy_file_range(fuse_req_t req, fuse_ino_t in, off_t from, struct fuse_file_info *fi_in,
			fuse_ino_t out, off_t to, struct fuse_file_info *fi_out, size_t size,
			int flags)
{
	struct mount_request r = request_begin(req, MOUNT_READ, false);
	const struct mount_file *f = file_of(fi_in), *g = file_of(fi_out);
	const off_t read_at = from, written_at = to;
	(void)in;
	(void)out;
	const ssize_t n = copy_file_range(f->fd, &from, g->fd, &to, size, (unsigned)flags);
	if (n < 0) {
		request_reply(&r, errno);
		return;
	}
	mount_drop_privileges(&r, g->fd);
	request_record_transfer(&r, f, false, read_at, (uint64_t)n, size, 0);
	r.call = MOUNT_WRITE;
	request_record_transfer(&r, g, true, written_at, (uint64_t)n, size, 0);
	request_end(&r);
	(void)fuse_reply_write(req, (size_t)n);
}

void fs_fallocate(fuse_req_t req, fuse_ino_t ino, int mode, off_t offset, off_t length,
		  struct fuse_file_info *fi)
{
	struct mount_request r = request_begin(req, RECORD_OP_ALLOCATE, false);
	const struct mount_file *f = file_of(fi);
	(void)ino;
	const int errnum = failure(fallocate(f->fd, mode, offset, length));
	if (errnum == 0)
		mount_drop_privileges(&r, f->fd);
	request_record_file(&r, errnum, f, NULL, -1);
	request_reply(&r, errnum);
}

/* The kernel asks only for data and holes; it computes other positions itself. */
void fs_lseek(fuse_req_t req, fuse_ino_t ino, off_t offset, int whence, struct fuse_file_info *fi)
{
	const off_t found = lseek(file_of(fi)->fd, offset, whence);
	(void)ino;
	if (found < 0)
		(void)fuse_reply_err(req, errno);
	else
		(void)fuse_reply_lseek(req, found);
}
