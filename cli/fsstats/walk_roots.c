/* SPDX-License-Identifier: BSD-2-Clause */
/* The trees of a walk, which must not overlap. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/error.h"

#include "walk_internal.h"

enum { ROOT_TEXT = 4096 };

static bool name_key(struct fs_survey *s, struct subtree *d)
{
	if (s->by != SURVEY_BY_DIRECTORY)
		return true;
	struct key_sums *sums = survey_sums(s, d->key = d->path_hash);
	if (sums != NULL && sums->name == NULL) {
		char path[ROOT_TEXT];
		sums->name = strdup(escape_text(path, sizeof path, d->name, d->size));
	}
	return sums != NULL && sums->name != NULL;
}

/* Roots on the same device share the smallest root id, so their order does not matter. */
static void add_volume(struct tree_walk *w, uint64_t device, uint64_t root)
{
	size_t i = 0;
	while (i < w->volume_count && w->volume[i].device != device)
		i++;
	if (i == w->volume_count)
		w->volume[w->volume_count++] = (struct walk_volume){device, root};
	else if (root < w->volume[i].id)
		w->volume[i].id = root;
}

/* Adds a root to the queue. Only entries of walked directories count, so the root does not. */
static bool add_root(struct tree_walk *w, const char *path, int fd)
{
	struct stat st;
	struct subtree *d = subtree_new(NULL, path, strlen(path));
	char *absolute = realpath(path, NULL);
	const struct walk_options *o = w->options;
	const char *name = absolute != NULL ? absolute : path;
	const uint32_t parts = o->parts > 1 ? o->parts : 1;
	if (d == NULL || fstat(fd, &st) != 0 ||
	    !root_list_add_path(&w->survey->roots, name, parts > 1 ? o->part : 1, parts)) {
		subtree_release(d);
		free(absolute);
		return false;
	}
	d->path_hash = root_list_id(name, strlen(name));
	free(absolute);
	if (!name_key(w->survey, d))
		return false;
	d->root_fd = fd;
	d->by_inode = walk_sorts(o, fd);
	d->device = st.st_dev;
	d->inode = st.st_ino;
	add_volume(w, d->device, d->path_hash);
	d->next = w->queue;
	w->queue = d;
	return true;
}

/* Returns whether a directory is one of the others, or below one. */
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

enum walk_status walk_open_roots(struct tree_walk *w, int *fds, char *const *roots, size_t count_,
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
	walk_add_space(w->survey, fds, count_);
	return WALK_OK;
}
