/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file system that passes every request on to a directory, the source, and records it. Its
 * requests are in the files fs_*.c; trace.h writes what they record.
 */
#ifndef CLI_MOUNT_MOUNT_H
#define CLI_MOUNT_MOUNT_H

#define FUSE_USE_VERSION 312

#include <limits.h>
#include <fuse_lowlevel.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/record/glob_list.h"
#include "buffers.h"
#include "requesters.h"
#include "inodes.h"
#include "pieces.h"
#include "record/ring.h"

enum { MOUNT_WRITE_MAX = 1 << 20 };

/* The statistics count the operations of %op, and these. */
enum mount_call {
	MOUNT_READ = RECORD_OP_COUNT,
	MOUNT_WRITE,
	MOUNT_MAPPED_READ, /* pages of a mapping, which become no records */
	MOUNT_MAPPED_WRITE,
	MOUNT_LOOKUP,
	MOUNT_CALLS,
};

struct mount_count {
	_Atomic uint64_t calls, bytes, ticks; /* ticks: units of the clock */
};

/* The data of a thread that serves requests. When the thread ends, another one uses the data. */
struct mount_thread {
	struct appender appender;
	struct mount_thread *next;
	_Atomic bool used;
	unsigned char *data; /* MOUNT_WRITE_MAX bytes, aligned to pages */
	struct cached_requester cache[REQUESTERS_CACHED];
	struct mount_count count[MOUNT_CALLS];
};

struct mount {
	char source[PATH_MAX], point[PATH_MAX]; /* absolute */
	bool cached;                            /* with the page cache: --view=kernel */
	struct glob_list mapped;                /* --mmap-fallback: with the page cache */
	double timeout; /* s, for which the kernel keeps names and attributes */
	bool as_root;   /* files get the owner of the caller */
	struct inode root;
	struct inodes inodes;
	struct buffer_pair buffers;
	struct requesters requesters;
	struct pieces pieces;
	const struct clock_map *clock;
	_Atomic uint32_t descriptions;
	_Atomic(struct mount_thread *) threads;
	struct fuse_session *session;
};

/* A file that is open. */
struct mount_file {
	int fd;
	uint32_t description;
	struct buffered opener;
	bool direct;   /* the page cache is not used */
	bool aligned;  /* O_DIRECT */
	bool executed; /* opened by the kernel, to execute it */
};

/* A request while it is served. */
struct mount_request {
	fuse_req_t req;
	struct mount *m;
	struct mount_thread *thread;
	struct buffered who;
	uint64_t start;
	unsigned call; /* RECORD_OP_* or enum mount_call */
	struct inode *used[2];
};

/* fresh: the caller may be a new process. */
struct mount_request request_begin(fuse_req_t req, unsigned call, bool fresh);
/* Ends the recording of a request: call it before the reply, after which the caller continues. */
void request_end(struct mount_request *r);
/* request_end, and the reply that the request failed, or was done (0). */
void request_reply(struct mount_request *r, int errnum);
/* request_end, and the reply of a request that failed. Returns true without a failure (0). */
bool request_done(struct mount_request *r, int errnum);

/* Returns an inode. Its descriptor is valid until the request ends. A request has two at most. */
struct inode *request_inode(struct mount_request *r, fuse_ino_t ino);
/* Stores the path of an inode below the mount point, or of a name in it; "" if unknown. */
void mount_path(const struct mount *m, const struct inode *i, const char *name,
		char path[PATH_MAX]);
/* Stores "/proc/self/fd/N", for calls that do not take an O_PATH descriptor. */
void mount_proc_path(const struct inode *i, char path[64]);

/* Records an operation with the call of the request. The paths may be NULL or "". */
void request_record(struct mount_request *r, int result, const char *path, const char *to);
/* Records an operation on an open file, or on an inode. size: the argument of truncate, else -1 */
void request_record_file(struct mount_request *r, int result, const struct mount_file *f,
			 const struct inode *i, int64_t size);
/* Records that a file was opened, or that this failed (f is NULL). */
void request_record_open(struct mount_request *r, int result, const struct mount_file *f, int flags,
			 const char *path);
/* Records a transfer. asked: bytes of the request; call_size: see pieces_take() */
void request_record_transfer(struct mount_request *r, const struct mount_file *f, bool write,
			     int64_t offset, uint64_t length, uint64_t asked, uint64_t call_size);

/* Finds a name and counts a lookup of it. Returns 0 or an errno. */
int mount_look_up(struct mount *m, struct inode *parent, const char *name,
		  struct fuse_entry_param *e);

/* Requests, by file. */
extern const struct fuse_lowlevel_ops mount_operations;
void fs_lookup(fuse_req_t req, fuse_ino_t parent, const char *name);
void fs_forget(fuse_req_t req, fuse_ino_t ino, uint64_t lookups);
void fs_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets);
void fs_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t device);
void fs_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode);
void fs_symlink(fuse_req_t req, const char *target, fuse_ino_t parent, const char *name);
void fs_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t parent, const char *name);
void fs_unlink(fuse_req_t req, fuse_ino_t parent, const char *name);
void fs_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name);
void fs_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t to,
	       const char *new_name, unsigned flags);
void fs_readlink(fuse_req_t req, fuse_ino_t ino);
/* Makes the caller the owner of a new file. */
void mount_give(const struct mount_request *r, const struct inode *parent, const char *name,
		mode_t mode);

void fs_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void fs_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int valid,
		struct fuse_file_info *fi);
/*
 * A user other than root has changed the content of a file: its bits setuid and setgid are cleared,
 * which the kernel leaves to the file system, and root's calls would keep.
 */
void mount_drop_privileges(const struct mount_request *r, int fd);
void fs_statfs(fuse_req_t req, fuse_ino_t ino);
void fs_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size);
void fs_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size);
void fs_setxattr(fuse_req_t req, fuse_ino_t ino, const char *name, const char *value, size_t size,
		 int flags);
void fs_removexattr(fuse_req_t req, fuse_ino_t ino, const char *name);

void fs_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void fs_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
		struct fuse_file_info *fi);
void fs_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
		    struct fuse_file_info *fi);
void fs_releasedir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void fs_fsyncdir(fuse_req_t req, fuse_ino_t ino, int data_only, struct fuse_file_info *fi);

void fs_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
	       struct fuse_file_info *fi);
void fs_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void fs_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void fs_flush(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void fs_fsync(fuse_req_t req, fuse_ino_t ino, int data_only, struct fuse_file_info *fi);
void fs_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *fi);
void fs_write(fuse_req_t req, fuse_ino_t ino, const char *data, size_t size, off_t offset,
	      struct fuse_file_info *fi);
void fs_fallocate(fuse_req_t req, fuse_ino_t ino, int mode, off_t offset, off_t length,
		  struct fuse_file_info *fi);
void fs_copy_file_range(fuse_req_t req, fuse_ino_t in, off_t from, struct fuse_file_info *fi_in,
			fuse_ino_t out, off_t to, struct fuse_file_info *fi_out, size_t size,
			int flags);
void fs_lseek(fuse_req_t req, fuse_ino_t ino, off_t offset, int whence, struct fuse_file_info *fi);

#endif
