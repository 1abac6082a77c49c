/* SPDX-License-Identifier: BSD-2-Clause */
/* A walk, and a thread of it. */
#ifndef CLI_FSSTATS_WALK_INTERNAL_H
#define CLI_FSSTATS_WALK_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "held.h"
#include "subtree.h"
#include "survey_links.h"
#include "walk.h"

enum { WALK_ENTRIES_BYTES = 256 << 10, WALK_PART_DEPTH = 2 };

/* An entry in the buffer of a walker. */
struct entry_place {
	uint64_t inode;
	size_t at;
};

/* A device, and the number that stands for it in the identity of its files. */
struct walk_volume {
	uint64_t device, id;
};

/* A directory that a thread reads, or will read on. */
struct walk_reading {
	struct subtree *of;
	int fd;           /* -1: not open yet */
	uint64_t entries; /* that were visited */
};

struct tree_walk {
	const struct walk_options *options;
	struct fs_survey *survey; /* the result */
	pthread_mutex_t lock;     /* protects the members that follow */
	pthread_cond_t changed;
	struct subtree *queue; /* newest first, which keeps it short */
	size_t waiting;        /* directories in the queue */
	uint64_t queue_bytes;
	struct walk_reading
	    *paused; /* options->paused_max at most, the last one is read on first */
	size_t paused_count;
	unsigned busy; /* threads that may add to the queue */
	bool pausing;  /* for a checkpoint: threads wait after their directory */
	uint64_t checkpoint_ns;
	enum walk_status status;
	struct walker *walkers;
	unsigned walker_count;
	pthread_mutex_t links_lock; /* protects the links of survey */
	struct walk_volume *volume; /* of the roots */
	size_t volume_count;
	pthread_mutex_t message_lock;
	uint64_t begin_ns;
	_Atomic uint64_t statx_calls; /* only with options->rate */
};

struct walker {
	struct tree_walk *walk;
	struct fs_survey *survey;
	char *entries;              /* WALK_ENTRIES_BYTES */
	struct entry_place *places; /* in the order of inodes */
	size_t places_capacity;
	pthread_t thread;
	bool started;
	/* For the progress, which other threads read: */
	_Atomic uint64_t visited, failures;
	_Atomic uint32_t deepest;
	struct subtree *found; /* subdirectories of the directory that is read */
	struct subtree *found_last;
	size_t found_count;
	uint64_t found_bytes;
	uint64_t root_device;
	bool counts; /* entries of this directory belong to this part of the tree */
	struct held_directories held;
};

/* Reads a directory and queues its subdirectories; it may be paused before its end. */
void walk_directory(struct walker *k, struct walk_reading *at);
/* Looks at an entry of a directory. */
void walk_visit(struct walker *k, struct subtree *in, int fd, const char *name);
/* Counts and reports that a directory, or its entry `name` unless NULL, cannot be read. */
void walk_fail(struct walker *k, const struct subtree *d, const char *name, int error);
/* Adds a directory to the list of the largest. */
void walk_add_top_directory(struct walker *k, const struct subtree *d, uint64_t entries);

/* Counts the directories that are in the queue. */
void walk_queue_begin(struct tree_walk *w);
/*
 * Moves the subdirectories that were found to the queue. Returns true if their directory was
 * paused: it waits until they have been read.
 */
bool walk_queue_found(struct walker *k, const struct walk_reading *at);
/*
 * Waits for a directory, after the last one of this thread has ended. Returns one without `of` if
 * none is left.
 */
struct walk_reading walk_next(struct tree_walk *w);
void walk_queue_release(struct tree_walk *w);
/* Reports the progress if it is wanted. */
void walk_report_progress(struct tree_walk *w);
/* Ends the walk on all threads. */
void walk_stop(struct tree_walk *w, enum walk_status status);

/* Opens the roots, and queues the roots of this part. See walk_trees(). */
enum walk_status walk_open_roots(struct tree_walk *w, int *fds, char *const *roots, size_t count,
				 size_t *bad);

/*
 * Returns whether entries of large directories in the tree of fd are looked at in the order of
 * inodes.
 */
bool walk_sorts(const struct walk_options *o, int fd);
/* Adds the file systems that contain the roots. */
void walk_add_space(struct fs_survey *s, const int *fds, size_t count);

/*
 * Checkpoints. Saving: no thread reads a directory. Loading: replaces the queue and the survey;
 * roots are open. Both return false after a message to options->failed_checkpoint.
 */
bool walk_save(struct tree_walk *w);
bool walk_load(struct tree_walk *w, const int *fds, char *const *roots, size_t count);

#endif
