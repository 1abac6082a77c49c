/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walks trees of directories on threads and adds their entries to a survey. It opens nothing but
 * directories, never follows a link and never leaves the trees, whatever other processes do to them
 * meanwhile. Memory depends on directories that are queued and on files with several links, not on
 * the number of entries.
 */
#ifndef CLI_FSSTATS_WALK_H
#define CLI_FSSTATS_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/interrupt.h"

#include "survey.h"

/* In which order the entries of a large directory are looked at. */
enum walk_order {
	WALK_ORDER_DEFAULT, /* of inodes, except on file systems over a network */
	WALK_ORDER_NONE,    /* as the directory has them */
	WALK_ORDER_INODE,
};

struct walk_progress {
	uint64_t entries, errors;
	uint64_t waiting; /* directories that are queued */
	uint32_t deepest; /* level of the deepest directory that was read */
};

struct walk_options {
	unsigned threads;
	size_t held_max;   /* directories that each thread keeps open after it has read them; > 0 */
	size_t paused_max; /* directories that are open while they wait to be read on */
	uint64_t
	    memory; /* bytes of directories that wait, from which on others are read on later */
	uint32_t part, parts; /* walks the part-th of `parts` parts of each tree; parts <= 1: all */
	uint64_t rate;        /* entries per second at most; 0: no limit */
	const char **exclude; /* patterns of names that are ignored */
	size_t exclude_count;
	bool cross;     /* enters directories of other devices */
	bool snapshots; /* enters directories of snapshots */
	bool force_sync;
	int order;                   /* enum walk_order */
	const char *checkpoint;      /* a file that keeps what is left to do; or NULL */
	uint64_t checkpoint_ns;      /* time between checkpoints */
	bool *kept;                  /* becomes true if a checkpoint is written; or NULL */
	bool resumes;                /* begins with the checkpoint */
	struct interrupt *interrupt; /* ends the walk after a checkpoint */
	/*
	 * An entry that could not be read. Any thread may call it, one at a time. path: escaped.
	 */
	void (*failed)(void *context, const char *path, int error);
	/*
	 * Whether progress() is wanted, which is called if so. Any thread may call them, often, one
	 * at a time, and not while failed() is called. wants_progress may be NULL.
	 */
	bool (*wants_progress)(void *context);
	void (*progress)(void *context, const struct walk_progress *p);
	/* Receives the path of a checkpoint that could not be written or read, and the reason. */
	void (*failed_checkpoint)(void *context, const char *reason);
	void *context;
};

enum walk_status { WALK_OK, WALK_NO_MEMORY, WALK_BAD_ROOT, WALK_INTERRUPTED, WALK_BAD_CHECKPOINT };

/*
 * Adds what the trees contain to *s, whose now_s, by and depth are set. A root may be a link to a
 * directory. WALK_BAD_ROOT: root *bad is not a directory or cannot be opened, with errno set; or it
 * is inside another root or contains it, with errno EEXIST.
 */
enum walk_status walk_trees(struct fs_survey *s, char *const *roots, size_t count,
			    const struct walk_options *options, size_t *bad);

#endif
