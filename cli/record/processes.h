/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processes of a recording: those that have joined it, which have a file process.PID.START, and
 * children that have been announced; and threads that have processIds of their own. They keep their
 * index after their end.
 */
#ifndef CLI_RECORD_PROCESSES_H
#define CLI_RECORD_PROCESSES_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/idmap.h"
#include "record/ring.h"
#include "ring.h"

enum { PROCESSES_MAX = 1 << 22 }; /* with threads */

struct process {
	uint32_t pid, parent;          /* in their PID namespace; parent 0: unknown */
	uint64_t namespace;            /* inode of another one than ours; 0: ours */
	uint32_t our_pid;              /* in our PID namespace; 0: it has ended */
	uint32_t id;                   /* in the trace: the pid, unless an earlier process had it */
	uint32_t thread_of;            /* of a thread: the index of its process; else UINT32_MAX */
	uint64_t start;                /* see record/ring.h; 0: has not joined */
	int pidfd;                     /* -1: none, although alive */
	bool alive, ended;             /* ended: processes_wait() has returned it */
	bool makes_spares;             /* and it has made spare files, which exist */
	struct record_process *shared; /* mapped until its end; NULL if it has not joined */
	uint64_t rings;                /* that the collector has opened so far */
	/* RECORD_PACKETS: of the next packet; the latest mark */
	uint64_t sequence, mark;
	uint32_t noted; /* ... bytes of records that were read in its file */
	/*
	 * ... ring records, and of these the ones other than transfers: in the process, and
	 * received
	 */
	uint64_t made, made_others, received, received_others;
};

/* The latest process or thread with a key. */
struct latest {
	struct idmap numbers; /* key -> number, of `index` */
	uint32_t *index;      /* + 1 */
	size_t capacity;
};

struct processes {
	struct process *process;
	size_t count, capacity;
	struct latest pids, tids; /* by number */
	struct latest placed;     /* processes by PID namespace and pid */
	struct latest joined;     /* ... by pid and start */
	uint32_t *alive;          /* indexes */
	size_t alive_count, alive_capacity;
	struct pollfd *polled;
	size_t polled_capacity;
	uint64_t began; /* when the collector started, before all of these */
	bool resumed;   /* processes are watched when they join: they may have ended long ago */
};

void processes_free(struct processes *p);

/* Returns the index of the latest process with a pid, SIZE_MAX if there is none. */
size_t processes_find(const struct processes *p, uint32_t pid);
/* ... with a pid in a PID namespace */
size_t processes_find_in(const struct processes *p, uint32_t pid, uint64_t namespace);
/*
 * Returns the index of the process that process `by` knows by a pid, SIZE_MAX if that is unknown.
 */
size_t processes_known(const struct processes *p, size_t by, uint32_t pid);
/*
 * Adds a child that a parent in this PID namespace has announced, unless it is known. Returns its
 * index, SIZE_MAX: refused
 */
size_t processes_expect(struct processes *p, uint32_t pid, uint32_t parent, uint64_t namespace);
/*
 * Adds a process that another collector knew. It is neither watched nor alive. Returns its index,
 * SIZE_MAX: refused
 */
size_t processes_restore(struct processes *p, uint32_t pid, uint32_t parent, uint64_t namespace);
/*
 * Lets processes_wait() return a process that was restored, unless it joins and still exists.
 * Returns false if out of memory.
 */
bool processes_await_end(struct processes *p, size_t index);
/*
 * Maps the file of a process. Returns its index; SIZE_MAX with *why set if the file is invalid or
 * there are too many.
 */
size_t processes_join(struct processes *p, int directory, const char *name, const char **why);
/*
 * Reads a spare file, "spare.PID.NUMBER". Returns the index of its maker, SIZE_MAX if that is
 * unknown. Sets `claimed` to the new name of the file, "" if no process has claimed it.
 */
size_t processes_spare(const struct processes *p, int directory, const char *name,
		       char claimed[64]);
/* Returns whether a process that is alive descends from one. */
bool processes_has_descendant(const struct processes *p, size_t ancestor);
/*
 * Returns the index of a thread of a process, which is added unless it is known. The thread that
 * has the number of its process is the process. SIZE_MAX: refused
 */
size_t processes_thread(struct processes *p, size_t process, uint32_t tid);
/*
 * Returns who uses a ring of a process from a record on that states it: a thread, or a child of
 * vfork that is known. Without per_thread, and beyond the limit, threads are recorded as their
 * process.
 */
struct ring_user processes_ring_user(struct processes *p, uint32_t process,
				     const struct record_thread *stated, bool per_thread);
/* Sets the start of a process, which has joined. Returns false if out of memory. */
bool processes_set_start(struct processes *p, size_t index, uint64_t start);
/* Returns the index of a process that has joined, SIZE_MAX if there is none. */
size_t processes_joined(const struct processes *p, uint32_t pid, uint64_t start);

/*
 * Waits up to timeout_ms until one of the `extra` descriptors is ready or a process has ended.
 * Returns the indexes of ended processes in ended[0 .. *count), which are then no longer alive.
 */
bool processes_wait(struct processes *p, struct pollfd *extra, size_t extra_count, int timeout_ms,
		    uint32_t *ended, size_t *count, size_t max);
/* Unmaps the file of a process that has ended and removes it from the directory. */
void processes_release(struct processes *p, size_t index, int directory);

#endif
