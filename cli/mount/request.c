/* SPDX-License-Identifier: BSD-2-Clause */
/* What all requests share: the caller, times, counts, and the records that they append. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mount.h"

/* Threads */

static pthread_key_t thread_key;
static pthread_once_t thread_once = PTHREAD_ONCE_INIT;

static void leave(void *thread)
{
	atomic_store(&((struct mount_thread *)thread)->used, false);
}

static void make_key(void)
{
	(void)pthread_key_create(&thread_key, leave);
}

static struct mount_thread *add_thread(struct mount *m)
{
	struct mount_thread *t = calloc(1, sizeof(*t));
	void *data = NULL;
	if (t == NULL || posix_memalign(&data, 4096, MOUNT_WRITE_MAX) != 0)
		abort(); /* a request cannot be refused without memory to name it */
	t->data = data;
	atomic_store(&t->used, true);
	t->next = atomic_load(&m->threads);
	while (!atomic_compare_exchange_weak(&m->threads, &t->next, t))
		;
	buffers_join(&m->buffers, &t->appender);
	return t;
}

/* Returns the data that an ended thread has left, or new data. */
static struct mount_thread *find_thread(struct mount *m)
{
	for (struct mount_thread *t = atomic_load(&m->threads); t != NULL; t = t->next) {
		bool used = false;
		if (atomic_compare_exchange_strong(&t->used, &used, true))
			return t;
	}
	return add_thread(m);
}

static struct mount_thread *own_thread(struct mount *m)
{
	static _Thread_local struct mount_thread *own;
	if (own != NULL)
		return own;
	own = find_thread(m);
	(void)pthread_once(&thread_once, make_key);
	(void)pthread_setspecific(thread_key, own);
	return own;
}

/* Requests */

struct mount_request request_begin(fuse_req_t req, unsigned call, bool fresh)
{
	struct mount *m = fuse_req_userdata(req);
	struct mount_thread *t = own_thread(m);
	struct mount_request r = {.req = req, .m = m, .thread = t, .call = call};
	r.start = buffers_begin(&m->buffers, &t->appender);
	r.who = requesters_find(&m->requesters, t->cache, (uint32_t)fuse_req_ctx(req)->pid, fresh,
				r.start, &m->buffers, &t->appender);
	return r;
}

/* end: when the call had ended */
static void count(struct mount_request *r, uint64_t bytes, uint64_t end)
{
	struct mount_count *c = &r->thread->count[r->call];
	const uint64_t ticks = end - r->start;
	const memory_order any = memory_order_relaxed;
	atomic_store_explicit(&c->calls, atomic_load_explicit(&c->calls, any) + 1, any);
	atomic_store_explicit(&c->bytes, atomic_load_explicit(&c->bytes, any) + bytes, any);
	atomic_store_explicit(&c->ticks, atomic_load_explicit(&c->ticks, any) + ticks, any);
}

void request_end(struct mount_request *r)
{
	for (size_t i = 0; i < 2 && r->used[i] != NULL; i++)
		inodes_leave(&r->m->inodes, r->used[i]);
	buffers_end(&r->thread->appender);
}

void request_reply(struct mount_request *r, int errnum)
{
	request_end(r);
	(void)fuse_reply_err(r->req, errnum);
}

bool request_done(struct mount_request *r, int errnum)
{
	if (errnum != 0)
		request_reply(r, errnum);
	else
		request_end(r);
	return errnum == 0;
}

/* Inodes and paths */

struct inode *request_inode(struct mount_request *r, fuse_ino_t ino)
{
	struct inode *i = (struct inode *)(uintptr_t)ino;
	if (ino == FUSE_ROOT_ID)
		return &r->m->root;
	inodes_use(&r->m->inodes, i);
	r->used[r->used[0] != NULL] = i;
	return i;
}

void mount_proc_path(const struct inode *i, char path[64])
{
	(void)snprintf(path, 64, "/proc/self/fd/%d", i->fd);
}

/* Returns the rest of a path below a directory, NULL if the path is not below it. */
static const char *below(const char *path, const char *directory)
{
	const size_t n = strcmp(directory, "/") == 0 ? 0 : strlen(directory);
	return strncmp(path, directory, n) == 0 && (path[n] == '/' || path[n] == '\0') ? path + n
										       : NULL;
}

void mount_path(const struct mount *m, const struct inode *i, const char *name, char path[PATH_MAX])
{
	char link[64], found[PATH_MAX];
	mount_proc_path(i, link);
	const ssize_t size = readlink(link, found, sizeof(found) - 1);
	found[size > 0 ? size : 0] = '\0';
	const char *rest = below(found, m->source);
	*path = '\0';
	if (size <= 0 || rest == NULL)
		return;
	const char *parent = strcmp(rest, "/") == 0 ? "" : rest;
	const int n = snprintf(path, PATH_MAX, "%s%s%s%s", m->point, parent,
			       name != NULL ? "/" : "", name != NULL ? name : "");
	if (n < 0 || n >= PATH_MAX)
		*path = '\0';
}

int mount_look_up(struct mount *m, struct inode *parent, const char *name,
		  struct fuse_entry_param *e)
{
	*e = (struct fuse_entry_param){.attr_timeout = m->timeout, .entry_timeout = m->timeout};
	const int fd = openat(parent->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno;
	if (fstatat(fd, "", &e->attr, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) != 0) {
		const int errnum = errno;
		(void)close(fd);
		return errnum;
	}
	struct inode *i = inodes_find(&m->inodes, fd, &e->attr);
	if (i == NULL)
		return ENOMEM;
	e->ino = (uintptr_t)i;
	return 0;
}

/* Records */

static void append(struct mount_request *r, const void *record, size_t size)
{
	(void)buffers_append(&r->m->buffers, &r->thread->appender, r->who, record, size);
}

static size_t padded(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

static size_t text_size(const char *text)
{
	return text != NULL && *text != '\0' ? strlen(text) + 1 : 0;
}

static void append_operation(struct mount_request *r, uint32_t description, int result,
			     int64_t size, const char *path, const char *to)
{
	_Alignas(8) unsigned char memory[sizeof(struct record_operation) + 2 * RECORD_TEXT_MAX];
	struct record_operation *o = (void *)memory;
	const size_t path_size = text_size(path), to_size = path_size > 0 ? text_size(to) : 0;
	const size_t n = padded(sizeof(*o) + path_size + to_size);
	memset(memory + n - 8, 0, 8);
	*o = (struct record_operation){.head = {.size = (uint16_t)n,
						.kind = RECORD_OPERATION,
						.code = (uint8_t)r->call,
						.description = description},
				       .start = r->start,
				       .end = clock_map_now(r->m->clock),
				       .size = size,
				       .result = -result,
				       .text_size = (uint16_t)path_size,
				       .to_size = (uint16_t)to_size};
	if (path_size > 0)
		memcpy(o->text, path, path_size);
	if (to_size > 0)
		memcpy(o->text + path_size, to, to_size);
	append(r, o, n);
	count(r, 0, o->end);
}

void request_record(struct mount_request *r, int result, const char *path, const char *to)
{
	if (r->call < RECORD_OP_COUNT)
		append_operation(r, 0, result, -1, path, to);
	else
		count(r, 0, clock_map_now(r->m->clock));
}

void request_record_file(struct mount_request *r, int result, const struct mount_file *f,
			 const struct inode *i, int64_t size)
{
	char path[PATH_MAX] = "";
	if (f == NULL)
		mount_path(r->m, i, NULL, path);
	append_operation(r, f != NULL ? f->description : 0, result, size, path, NULL);
}

/* The identity of a file, as iotrace record stores it. */
static void identify(struct record_open *o, int fd)
{
	struct stat st;
	struct statx x;
	o->size = -1;
	if (fstat(fd, &st) != 0)
		return;
	o->device = st.st_dev;
	o->inode = st.st_ino;
	o->mode = (uint16_t)st.st_mode;
	if (S_ISREG(st.st_mode))
		o->size = st.st_size;
	if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &x) == 0 && (x.stx_mask & STATX_BTIME) != 0)
		o->birth = x.stx_btime.tv_sec * 1000000000 + x.stx_btime.tv_nsec;
}

void request_record_open(struct mount_request *r, int result, const struct mount_file *f, int flags,
			 const char *path)
{
	_Alignas(8) unsigned char memory[sizeof(struct record_open) + RECORD_TEXT_MAX + 8];
	struct record_open *o = (void *)memory;
	const size_t text = text_size(path), n = padded(sizeof(*o) + text);
	memset(memory + n - 8, 0, 8);
	*o = (struct record_open){.head = {.size = (uint16_t)n,
					   .kind = RECORD_OPEN,
					   .code = (uint8_t)r->call,
					   .description = f != NULL ? f->description : 0},
				  .start = r->start,
				  .end = clock_map_now(r->m->clock),
				  .size = -1,
				  .result = f != NULL ? f->fd : -result,
				  .flags = (uint32_t)flags,
				  .text_size = (uint16_t)text};
	if (f != NULL)
		identify(o, f->fd);
	if (text > 0)
		memcpy(o->text, path, text);
	append(r, o, n);
	count(r, 0, o->end);
}

static bool may_be_piece(const struct mount_request *r, uint64_t call_size)
{
	return call_size > 0 || atomic_load_explicit(&r->m->pieces.count, memory_order_relaxed) > 0;
}

void request_record_transfer(struct mount_request *r, const struct mount_file *f, bool write,
			     int64_t offset, uint64_t length, uint64_t asked, uint64_t call_size)
{
	const struct record_transfer t = {
	    .head = {.size = sizeof(t),
		     .kind = RECORD_TRANSFER,
		     .code = write ? RECORD_WRITE : 0,
		     .description = f->description},
	    .offset = offset,
	    .length = length,
	    .start = r->start,
	    .end = clock_map_now(r->m->clock),
	};
	if (!may_be_piece(r, call_size) ||
	    !pieces_take(&r->m->pieces, &r->m->buffers, &r->thread->appender, r->who, &t, asked,
			 call_size))
		append(r, &t, sizeof(t));
	count(r, length, t.end);
}
