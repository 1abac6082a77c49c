/* SPDX-License-Identifier: BSD-2-Clause */
#include "walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "subtree.h"
#include "link_set.h"

enum { ENTRIES_BYTES = 256 << 10, BLOCK = 512, PATH_TEXT = 4096 };

struct tree_walk {
	const struct walk_options *options;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	struct subtree *queue; /* newest first, which keeps it short */
	unsigned busy;         /* threads that may add to the queue */
	enum walk_status status;
	pthread_mutex_t links_lock;
	struct link_set links;
	pthread_mutex_t message_lock;
};

struct walker {
	struct tree_walk *walk;
	struct fs_survey *survey;
	char *entries; /* ENTRIES_BYTES */
	pthread_t thread;
	bool started;
	struct subtree *found; /* subdirectories of the directory that is read */
	struct subtree *found_last;
	uint64_t root_device;
	struct subtree *held; /* the directory that was read last: often the next one's parent */
	int held_fd;
};

static void stop(struct tree_walk *w, enum walk_status status)
{
	pthread_mutex_lock(&w->lock);
	if (w->status == WALK_OK)
		w->status = status;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

static void fail(struct walker *k, const struct subtree *d, const char *name, int error)
{
	const struct walk_options *o = k->walk->options;
	char text[PATH_TEXT];
	if (error == ENOMEM)
		stop(k->walk, WALK_NO_MEMORY);
	survey_fail(k->survey, error);
	subtree_path(d, name, text, sizeof text);
	pthread_mutex_lock(&k->walk->message_lock);
	o->failed(o->context, text, error);
	pthread_mutex_unlock(&k->walk->message_lock);
}

/* Entries */

static uint64_t device_of(const struct statx *st)
{
	return makedev(st->stx_dev_major, st->stx_dev_minor);
}

static enum survey_kind kind_of(unsigned mode)
{
	return S_ISREG(mode)   ? SURVEY_FILE
	       : S_ISDIR(mode) ? SURVEY_DIRECTORIES
	       : S_ISLNK(mode) ? SURVEY_SYMLINK
			       : SURVEY_SPECIAL;
}

static bool is_snapshot(const char *name)
{
	return strcmp(name, ".snapshot") == 0 || strcmp(name, ".snapshots") == 0 ||
	       strcmp(name, ".zfs") == 0;
}

/* Whether a file has been counted under another name. */
static bool is_duplicate(struct walker *k, const struct statx *st)
{
	const struct link_key key = {device_of(st) + 1, st->stx_ino};
	bool is_new = true;
	if (!S_ISREG(st->stx_mode) || st->stx_nlink < 2)
		return false;
	pthread_mutex_lock(&k->walk->links_lock);
	const bool ok = link_set_add(&k->walk->links, key, &is_new);
	pthread_mutex_unlock(&k->walk->links_lock);
	if (!ok)
		stop(k->walk, WALK_NO_MEMORY);
	return !is_new;
}

static void count(struct walker *k, const struct statx *st, size_t name)
{
	const struct survey_entry e = {
	    kind_of(st->stx_mode),
	    st->stx_size,
	    st->stx_blocks * BLOCK,
	    st->stx_nlink,
	    {st->stx_mtime.tv_sec, st->stx_ctime.tv_sec, st->stx_atime.tv_sec},
	    name,
	};
	survey_add(k->survey, &e, k->walk->options->now_s);
}

/* Returns whether a directory is to be entered, and counts why not. */
static bool is_entered(struct walker *k, struct subtree *in, const char *name,
		       const struct statx *st)
{
	const struct walk_options *o = k->walk->options;
	const bool away = !o->cross && device_of(st) != k->root_device;
	const bool snapshot = !o->snapshots && is_snapshot(name);
	const bool loop = subtree_is_inside(in, device_of(st), st->stx_ino);
	k->survey->snapshots += snapshot;
	k->survey->other_devices += away && !snapshot;
	k->survey->loops += loop && !away && !snapshot;
	return !away && !snapshot && !loop;
}

static void enter(struct walker *k, struct subtree *in, const char *name, size_t size,
		  const struct statx *st)
{
	struct subtree *d = subtree_new(in, name, size);
	if (d == NULL) {
		stop(k->walk, WALK_NO_MEMORY);
		return;
	}
	d->device = device_of(st);
	d->inode = st->stx_ino;
	d->next = k->found;
	if (k->found == NULL)
		k->found_last = d;
	k->found = d;
}

static void visit(struct walker *k, struct subtree *in, int fd, const char *name)
{
	const unsigned wanted = STATX_TYPE | STATX_MODE | STATX_NLINK | STATX_ATIME | STATX_MTIME |
				STATX_CTIME | STATX_INO | STATX_SIZE | STATX_BLOCKS;
	const int sync = k->walk->options->force_sync ? AT_STATX_FORCE_SYNC : AT_STATX_DONT_SYNC;
	struct statx st;
	if (statx(fd, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | sync, wanted, &st) != 0) {
		if (errno == ENOENT)
			k->survey->vanished++;
		else
			fail(k, in, name, errno);
		return;
	}
	const size_t size = strlen(name);
	if (is_duplicate(k, &st)) {
		k->survey->duplicate_links++;
		return;
	}
	count(k, &st, size);
	if (S_ISDIR(st.stx_mode) && is_entered(k, in, name, &st))
		enter(k, in, name, size, &st);
}

/* Directories */

static bool is_dots(const char *name)
{
	return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

static uint64_t visit_entries(struct walker *k, struct subtree *d, int fd, size_t size)
{
	uint64_t visited = 0;
	for (size_t at = 0; at < size;) {
		const struct dirent64 *e = (const void *)(k->entries + at);
		at += e->d_reclen;
		if (is_dots(e->d_name))
			continue;
		visited++;
		visit(k, d, fd, e->d_name);
	}
	return visited;
}

/* Moves the subdirectories that were found to the queue. */
static void queue_found(struct walker *k)
{
	struct tree_walk *w = k->walk;
	if (k->found == NULL)
		return;
	pthread_mutex_lock(&w->lock);
	k->found_last->next = w->queue;
	w->queue = k->found;
	k->found = NULL;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

static void read_entries(struct walker *k, struct subtree *d, int fd)
{
	uint64_t entries = 0;
	ssize_t size;
	while ((size = getdents64(fd, k->entries, ENTRIES_BYTES)) > 0) {
		entries += visit_entries(k, d, fd, (size_t)size);
		queue_found(k);
	}
	if (size == 0) {
		survey_add_entries(k->survey, entries);
		return;
	}
	k->survey->unread++;
	fail(k, d, NULL, errno);
}

/* Keeps a directory open in place of the previous one; NULL: none. */
static void hold(struct walker *k, struct subtree *d, int fd)
{
	if (k->held != NULL) {
		close(k->held_fd);
		subtree_release(k->held);
	}
	if (d != NULL)
		subtree_use(d);
	k->held = d;
	k->held_fd = fd;
}

static void read_directory(struct walker *k, struct subtree *d)
{
	bool touched = false;
	const struct subtree *root = d;
	while (root->parent != NULL)
		root = root->parent;
	k->root_device = root->device;
	const bool below = k->held != NULL && k->held == d->parent;
	const int fd = subtree_open(d, below ? k->held_fd : -1, &touched);
	if (fd >= 0) {
		k->survey->touched += touched;
		read_entries(k, d, fd);
		hold(k, d, fd);
	} else if (errno == ENOENT) {
		k->survey->vanished++;
	} else if (errno == ESTALE || errno == ENOTDIR || errno == ELOOP) {
		k->survey->moved++; /* replaced since its name was read */
		k->survey->unread++;
	} else {
		k->survey->unread++;
		fail(k, d, NULL, errno);
	}
}

/* Threads */

/* Waits for a directory. Returns NULL if none is left. */
static struct subtree *next_directory(struct tree_walk *w)
{
	pthread_mutex_lock(&w->lock);
	w->busy--;
	while (w->queue == NULL && w->busy > 0 && w->status == WALK_OK)
		pthread_cond_wait(&w->changed, &w->lock);
	struct subtree *d = w->status == WALK_OK ? w->queue : NULL;
	if (d != NULL) {
		w->queue = d->next;
		w->busy++;
	} else {
		pthread_cond_broadcast(&w->changed);
	}
	pthread_mutex_unlock(&w->lock);
	return d;
}

static void *run(void *context)
{
	struct walker *k = context;
	struct subtree *d;
	while ((d = next_directory(k->walk)) != NULL) {
		read_directory(k, d);
		subtree_release(d);
	}
	hold(k, NULL, -1);
	return NULL;
}

static void join_walkers(struct tree_walk *w, struct walker *of, unsigned count_,
			 struct fs_survey *s)
{
	for (unsigned i = 0; i < count_; i++) {
		if (of[i].started)
			pthread_join(of[i].thread, NULL);
		if (of[i].survey != NULL)
			survey_join(s, of[i].survey);
		free(of[i].survey);
		free(of[i].entries);
	}
	while (w->queue != NULL) { /* after a failure */
		struct subtree *d = w->queue;
		w->queue = d->next;
		subtree_release(d);
	}
}

/* A thread that cannot be started is left out; the last walker runs on the caller's. */
static enum walk_status run_walkers(struct tree_walk *w, struct fs_survey *s)
{
	const unsigned n = w->options->threads;
	struct walker *of = calloc(n, sizeof *of);
	bool ok = of != NULL;
	for (unsigned i = 0; ok && i < n; i++) {
		of[i].walk = w;
		of[i].survey = calloc(1, sizeof *of[i].survey);
		of[i].entries = malloc(ENTRIES_BYTES);
		ok = of[i].survey != NULL && of[i].entries != NULL;
	}
	if (!ok)
		w->status = WALK_NO_MEMORY;
	w->busy = 1;
	for (unsigned i = 0; ok && i + 1 < n; i++) {
		pthread_mutex_lock(&w->lock);
		w->busy++;
		pthread_mutex_unlock(&w->lock);
		of[i].started = pthread_create(&of[i].thread, NULL, run, &of[i]) == 0;
		if (of[i].started)
			continue;
		pthread_mutex_lock(&w->lock);
		w->busy--;
		pthread_mutex_unlock(&w->lock);
	}
	if (ok)
		run(&of[n - 1]);
	join_walkers(w, of, of == NULL ? 0 : n, s);
	free(of);
	return w->status;
}

/* Roots */

/* Adds a root to the queue. Only entries of walked directories count, so the root does not. */
static bool add_root(struct tree_walk *w, const char *path, int fd)
{
	struct stat st;
	struct subtree *d = subtree_new(NULL, path, strlen(path));
	if (d == NULL || fstat(fd, &st) != 0) {
		subtree_release(d);
		return false;
	}
	d->root_fd = fd;
	d->device = st.st_dev;
	d->inode = st.st_ino;
	d->next = w->queue;
	w->queue = d;
	return true;
}

/* Whether a directory is below one of the others, or one of them. */
static bool overlaps(const int *fds, size_t count_, size_t i)
{
	struct stat of[2], above;
	int at = dup(fds[i]);
	bool found = false;
	for (bool first = true; at >= 0 && !found; first = false) {
		if (fstat(at, &of[0]) != 0)
			break;
		for (size_t j = 0; j < count_; j++)
			if ((!first || j < i) && fstat(fds[j], &of[1]) == 0 && j != i)
				found |=
				    of[0].st_dev == of[1].st_dev && of[0].st_ino == of[1].st_ino;
		const int up = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		close(at);
		at = up;
		if (at >= 0 && fstat(at, &above) == 0 && above.st_dev == of[0].st_dev &&
		    above.st_ino == of[0].st_ino)
			break; /* the root of the file system */
	}
	if (at >= 0)
		close(at);
	return found;
}

static enum walk_status open_roots(struct tree_walk *w, int *fds, char *const *roots, size_t count_,
				   size_t *bad)
{
	for (*bad = 0; *bad < count_; ++*bad) {
		const int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
		fds[*bad] = open(roots[*bad], flags);
		if (fds[*bad] < 0)
			return WALK_BAD_ROOT;
		if (!add_root(w, roots[*bad], fds[*bad]))
			return WALK_NO_MEMORY;
	}
	for (*bad = 0; *bad < count_; ++*bad) {
		errno = EEXIST;
		if (overlaps(fds, count_, *bad))
			return WALK_BAD_ROOT;
	}
	return WALK_OK;
}

enum walk_status walk_trees(struct fs_survey *s, char *const *roots, size_t count_,
			    const struct walk_options *options, size_t *bad)
{
	struct tree_walk w = {.options = options,
			      .lock = PTHREAD_MUTEX_INITIALIZER,
			      .changed = PTHREAD_COND_INITIALIZER,
			      .links_lock = PTHREAD_MUTEX_INITIALIZER,
			      .message_lock = PTHREAD_MUTEX_INITIALIZER};
	int *fds = malloc(count_ * sizeof *fds);
	if (fds == NULL)
		return WALK_NO_MEMORY;
	for (size_t i = 0; i < count_; i++)
		fds[i] = -1;
	const enum walk_status opened = open_roots(&w, fds, roots, count_, bad);
	const int error = errno;
	if (opened != WALK_OK)
		w.status = opened;
	const enum walk_status status = opened == WALK_OK ? run_walkers(&w, s) : opened;
	if (opened != WALK_OK)
		join_walkers(&w, NULL, 0, s);
	for (size_t i = 0; i < count_; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	link_set_free(&w.links);
	free(fds);
	errno = error;
	return status;
}
