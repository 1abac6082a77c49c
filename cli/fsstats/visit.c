/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads directories: counts their entries, and queues their subdirectories. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "walk_internal.h"
#include "lib/base/array.h"
#include "lib/base/clock.h"

enum { BLOCK = 512, PATH_TEXT = 4096, LARGE_DIRECTORY = 1000 };

static const uint64_t ns_per_s = 1000000000;

static void fail(struct walker *k, const struct subtree *d, const char *name, int error)
{
	const struct walk_options *o = k->walk->options;
	char text[PATH_TEXT];
	if (error == ENOMEM)
		walk_stop(k->walk, WALK_NO_MEMORY);
	if (k->counts)
		survey_fail(k->survey, error);
	atomic_fetch_add_explicit(&k->failures, 1, memory_order_relaxed);
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

static uint64_t key_of(const struct fs_survey *s, const struct subtree *in, const struct statx *st)
{
	return s->by == SURVEY_BY_OWNER                     ? st->stx_uid
	       : s->by == SURVEY_BY_GROUP                   ? st->stx_gid
	       : st->stx_nlink > 1 && S_ISREG(st->stx_mode) ? SURVEY_LINKED
							    : in->key;
}

/* Returns the id of the device's root: machines number devices differently. */
static uint64_t volume_of(const struct tree_walk *w, uint64_t device)
{
	for (size_t i = 0; i < w->volume_count; i++)
		if (w->volume[i].device == device)
			return w->volume[i].id;
	return device;
}

/* Counts a file when its last link is found. */
static void add_link(struct walker *k, const struct statx *st, const struct survey_entry *e)
{
	struct tree_walk *w = k->walk;
	const uint64_t id = survey_link_id(volume_of(w, device_of(st)), st->stx_ino);
	const struct survey_link one = {*e, 1, false};
	struct survey_link_change change = {false, false};
	struct survey_entry whole = *e;
	pthread_mutex_lock(&w->links_lock);
	const struct survey_link *link = survey_add_link(w->survey, id, &one, &change);
	if (link != NULL)
		whole = link->file;
	pthread_mutex_unlock(&w->links_lock);
	if (link == NULL)
		walk_stop(w, WALK_NO_MEMORY);
	if (change.is_whole)
		survey_add(k->survey, &whole);
	k->survey->duplicate_links += change.is_known;
}

static void count(struct walker *k, const struct subtree *in, const struct statx *st, size_t name)
{
	const struct survey_entry e = {
	    kind_of(st->stx_mode),
	    st->stx_size,
	    st->stx_blocks * BLOCK,
	    st->stx_nlink,
	    {st->stx_mtime.tv_sec, st->stx_ctime.tv_sec, st->stx_atime.tv_sec},
	    key_of(k->survey, in, st),
	    name,
	};
	if (e.kind == SURVEY_FILE && e.links > 1)
		add_link(k, st, &e);
	else
		survey_add(k->survey, &e);
}

/*
 * Returns whether a directory is in this part of the tree. The parts divide the directories at
 * WALK_PART_DEPTH, each with everything below it.
 */
static bool is_in_part(const struct walk_options *o, const struct subtree *in, const char *name)
{
	if (o->parts < 2 || in->depth + 1 != WALK_PART_DEPTH)
		return true;
	return XXH3_64bits_withSeed(name, strlen(name), in->path_hash) % o->parts + 1 == o->part;
}

/* Returns whether to enter a directory; if not, counts the reason. */
static bool is_entered(struct walker *k, struct subtree *in, const char *name,
		       const struct statx *st)
{
	const struct walk_options *o = k->walk->options;
	const bool away = !o->cross && device_of(st) != k->root_device;
	const bool snapshot = !o->snapshots && is_snapshot(name);
	const bool loop = subtree_is_inside(in, device_of(st), st->stx_ino);
	if (k->counts) {
		k->survey->snapshots += snapshot;
		k->survey->other_devices += away && !snapshot;
		k->survey->loops += loop && !away && !snapshot;
	}
	return !away && !snapshot && !loop && is_in_part(o, in, name);
}

/* Directories down to the depth of the survey are keys of their own. */
static void set_key(struct walker *k, struct subtree *d)
{
	char path[PATH_TEXT];
	if (k->survey->by != SURVEY_BY_DIRECTORY)
		return;
	d->key = d->depth <= k->survey->depth ? d->path_hash : d->parent->key;
	if (d->depth > k->survey->depth)
		return;
	struct key_sums *sums = survey_sums(k->survey, d->key);
	subtree_path(d, NULL, path, sizeof path);
	if (sums != NULL && sums->name == NULL)
		sums->name = strdup(path);
	k->survey->no_memory |= sums != NULL && sums->name == NULL;
}

static void enter(struct walker *k, struct subtree *in, const char *name, size_t size,
		  const struct statx *st)
{
	struct subtree *d = subtree_new(in, name, size);
	if (d == NULL) {
		walk_stop(k->walk, WALK_NO_MEMORY);
		return;
	}
	d->device = device_of(st);
	d->inode = st->stx_ino;
	set_key(k, d);
	d->next = k->found;
	k->found_count++;
	if (k->found == NULL)
		k->found_last = d;
	k->found = d;
}

/* Waits until options->rate calls per second allow the next one. */
static void wait_for_turn(struct tree_walk *w)
{
	const uint64_t rate = w->options->rate;
	const uint64_t n = atomic_fetch_add_explicit(&w->statx_calls, 1, memory_order_relaxed);
	const uint64_t due_ns = w->begin_ns + (uint64_t)((double)n / (double)rate * 1e9);
	const uint64_t now_ns = clock_monotonic_ns();
	walk_report_progress(w); /* a directory can take long */
	if (now_ns >= due_ns)
		return;
	const struct timespec left = {(time_t)((due_ns - now_ns) / ns_per_s),
				      (long)((due_ns - now_ns) % ns_per_s)};
	nanosleep(&left, NULL);
}

static bool is_excluded(const struct walk_options *o, const char *name)
{
	for (size_t i = 0; i < o->exclude_count; i++)
		if (fnmatch(o->exclude[i], name, 0) == 0)
			return true;
	return false;
}

static bool get_status(struct walker *k, struct subtree *in, int fd, const char *name,
		       struct statx *st)
{
	const unsigned wanted = STATX_TYPE | STATX_MODE | STATX_NLINK | STATX_UID | STATX_GID |
				STATX_ATIME | STATX_MTIME | STATX_CTIME | STATX_INO | STATX_SIZE |
				STATX_BLOCKS;
	const int sync = k->walk->options->force_sync ? AT_STATX_FORCE_SYNC : AT_STATX_DONT_SYNC;
	if (k->walk->options->rate != 0)
		wait_for_turn(k->walk);
	if (statx(fd, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | sync, wanted, st) == 0)
		return true;
	if (errno != ENOENT)
		fail(k, in, name, errno);
	else
		k->survey->vanished += k->counts;
	return false;
}

/* Adds a file to the list of the largest, under each of its names. */
static void add_top_file(struct walker *k, const struct subtree *in, const char *name,
			 const struct statx *st)
{
	char path[TOP_PATH_MAX];
	const bool linked = st->stx_nlink > 1;
	struct top_entry e = {st->stx_size, linked ? device_of(st) : 0, linked ? st->stx_ino : 0,
			      path};
	if (!k->counts || !k->survey->names || !S_ISREG(st->stx_mode) ||
	    !top_list_wants(&k->survey->top[SURVEY_TOP_FILES], e.value))
		return;
	subtree_path(in, name, path, sizeof path);
	survey_add_top(k->survey, SURVEY_TOP_FILES, &e);
}

static void add_top_directory(struct walker *k, const struct subtree *d, uint64_t entries)
{
	char path[TOP_PATH_MAX];
	const struct top_entry e = {entries, 0, 0, path};
	if (!k->survey->names || !top_list_wants(&k->survey->top[SURVEY_TOP_DIRECTORIES], entries))
		return;
	subtree_path(d, NULL, path, sizeof path);
	survey_add_top(k->survey, SURVEY_TOP_DIRECTORIES, &e);
}

static void visit(struct walker *k, struct subtree *in, int fd, const char *name)
{
	struct statx st;
	if (!get_status(k, in, fd, name, &st))
		return;
	const size_t size = strlen(name);
	add_top_file(k, in, name, &st);
	if (k->counts)
		count(k, in, &st, size);
	if (S_ISDIR(st.stx_mode) && is_entered(k, in, name, &st))
		enter(k, in, name, size, &st);
}

/* Directories */

static bool is_dots(const char *name)
{
	return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

/* Returns whether the entry counts. */
static bool visit_entry(struct walker *k, struct subtree *d, int fd, const struct dirent64 *e)
{
	if (is_dots(e->d_name) || is_excluded(k->walk->options, e->d_name))
		return false;
	if (k->counts || e->d_type == DT_DIR || e->d_type == DT_UNKNOWN)
		visit(k, d, fd, e->d_name);
	return true;
}

static int by_inode(const void *left, const void *right)
{
	const struct entry_place *a = left, *b = right;
	return a->inode < b->inode ? -1 : a->inode > b->inode;
}

/*
 * Sorts the places of the entries in the buffer. Returns their number; 0 if they are few, already
 * in order, or if out of memory.
 */
static size_t sort_entries(struct walker *k, size_t size)
{
	size_t n = 0;
	bool sorted = true;
	for (size_t at = 0; at < size; n++) {
		const struct dirent64 *e = (const void *)(k->entries + at);
		if (!array_reserve(&k->places, &k->places_capacity, n + 1, sizeof *k->places))
			return 0;
		k->places[n] = (struct entry_place){e->d_ino, at};
		sorted &= n == 0 || k->places[n - 1].inode <= e->d_ino;
		at += e->d_reclen;
	}
	if (sorted || n <= LARGE_DIRECTORY)
		return 0;
	qsort(k->places, n, sizeof *k->places, by_inode);
	return n;
}

static uint64_t visit_entries(struct walker *k, struct subtree *d, int fd, size_t size)
{
	const size_t sorted = d->by_inode ? sort_entries(k, size) : 0;
	uint64_t visited = 0;
	for (size_t i = 0; i < sorted; i++)
		visited += visit_entry(k, d, fd, (const void *)(k->entries + k->places[i].at));
	for (size_t at = 0; sorted == 0 && at < size;) {
		const struct dirent64 *e = (const void *)(k->entries + at);
		at += e->d_reclen;
		visited += visit_entry(k, d, fd, e);
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
	w->waiting += k->found_count;
	k->found = NULL;
	k->found_count = 0;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

static void read_entries(struct walker *k, struct subtree *d, int fd)
{
	uint64_t entries = 0;
	ssize_t size;
	while ((size = getdents64(fd, k->entries, WALK_ENTRIES_BYTES)) > 0) {
		const uint64_t visited = visit_entries(k, d, fd, (size_t)size);
		entries += visited;
		atomic_fetch_add_explicit(&k->visited, visited, memory_order_relaxed);
		queue_found(k);
		walk_report_progress(k->walk);
	}
	if (size == 0 && k->counts) {
		survey_add_entries(k->survey, entries);
		add_top_directory(k, d, entries);
	}
	if (size == 0)
		return;
	k->survey->unread += k->counts;
	fail(k, d, NULL, errno);
}

/* Counts why a directory is not read. */
static void fail_directory(struct walker *k, struct subtree *d, int error)
{
	if (error == ENOENT) {
		k->survey->vanished += k->counts;
		return;
	}
	k->survey->unread += k->counts;
	if (error == ESTALE || error == ENOTDIR || error == ELOOP)
		k->survey->moved += k->counts; /* replaced since its name was read */
	else
		fail(k, d, NULL, error);
}

/* Files belong to the project of their directory. */
static void set_project(struct walker *k, struct subtree *d, int fd)
{
	struct fsxattr attributes;
	if (k->survey->by != SURVEY_BY_PROJECT)
		return;
	d->key =
	    ioctl(fd, FS_IOC_FSGETXATTR, &attributes) == 0 ? attributes.fsx_projid : SURVEY_UNKNOWN;
}

void walk_directory(struct walker *k, struct subtree *d)
{
	const struct walk_options *o = k->walk->options;
	bool touched = false;
	const struct subtree *root = d;
	while (root->parent != NULL)
		root = root->parent;
	k->root_device = root->device;
	k->counts = o->parts < 2 || o->part == 1 || d->depth >= WALK_PART_DEPTH;
	const int fd = subtree_open(d, held_find(&k->held, d->parent), &touched);
	if (fd < 0) {
		fail_directory(k, d, errno);
		return;
	}
	k->survey->touched += touched && k->counts;
	if (d->depth > atomic_load_explicit(&k->deepest, memory_order_relaxed))
		atomic_store_explicit(&k->deepest, d->depth, memory_order_relaxed);
	set_project(k, d, fd);
	read_entries(k, d, fd);
	held_add(&k->held, d, fd);
}
