/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the entries of directories, and gathers their subdirectories. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "walk_internal.h"
#include "lib/base/clock.h"

enum { BLOCK = 512, PATH_TEXT = 4096 };

static const uint64_t ns_per_s = 1000000000;

void walk_fail(struct walker *k, const struct subtree *d, const char *name, int error)
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
	k->found_bytes += subtree_bytes(d);
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
		walk_fail(k, in, name, errno);
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

void walk_add_top_directory(struct walker *k, const struct subtree *d, uint64_t entries)
{
	char path[TOP_PATH_MAX];
	const struct top_entry e = {entries, 0, 0, path};
	if (!k->survey->names || !top_list_wants(&k->survey->top[SURVEY_TOP_DIRECTORIES], entries))
		return;
	subtree_path(d, NULL, path, sizeof path);
	survey_add_top(k->survey, SURVEY_TOP_DIRECTORIES, &e);
}

void walk_visit(struct walker *k, struct subtree *in, int fd, const char *name)
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
