/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracks open files and their positions, for sources that record calls instead of offsets.
 *
 * task: a thread, with its descriptor table and working directory, each possibly shared
 *
 * description: one open of a file, with position and append flag, shared by dup and fork
 *
 * file: the file itself under all its names: number, size, current path
 *
 * The module knows neither system calls nor formats. A converter reports what happened, in the
 * order of returns, and asks for offsets. Unknown values (positions of descriptors that were open
 * before the trace, sizes of files that existed) are marked and counted from 0.
 *
 * Errors are stored in fdtable->status (IOT_ENOMEM, IOT_ELIMIT). Until the caller checks it, calls
 * continue with the state that exists; functions that create an object return NULL.
 */
#ifndef CONVERTERS_FDTABLE_FDTABLE_H
#define CONVERTERS_FDTABLE_FDTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FD_PAGE = 64,                                  /* slots */
	FD_PAGES = 32,                                 /* pages of a group */
	FD_GROUP = FD_PAGE * FD_PAGES,                 /* slots of a group */
	FD_MAX = 1 << 20,                              /* higher descriptors are not tracked */
	PATH_CAPACITY = 8192,                          /* for a resolved path */
	PATHS_DIRECTIVE = 2 * 3 * PATH_CAPACITY + 512, /* capacity for a directive with two paths */
	FDTABLE_MEMORY_MAX = 1 << 30,                  /* bytes of all tracked state */
};

enum descriptor_kind {
	FD_FILE = 1,
	FD_DIRECTORY, /* also O_PATH: carries no data */
	FD_SOCKET,
	FD_PIPE,
	FD_TTY,
	FD_DEVICE,
	FD_MEMFD, /* memory file, without a name in any directory */
	FD_OTHER,
};

/*
 * Returns the kind of the object that a name belongs to, which is a path or a form such as
 * "pipe:[12]"; FD_OTHER if it is neither. block: it is a block device, which counts as a file.
 */
enum descriptor_kind descriptor_kind_of_path(const char *path, size_t size, bool block);

/* One use of an object: task, time and kind. A converter compares uses to find races. */
struct fd_use {
	int64_t entered, left; /* times of the call */
	int64_t took_ns;       /* -1 if unknown */
	uint32_t task, turn;   /* turn is private to the converter */
};

/* The last uses of an object by two tasks, and a summary of all uses before them. */
struct fd_uses {
	struct fd_use last[2];
	int64_t end; /* time by which the earlier uses had returned */
	/* of all uses that may overlap with later calls; private to the converter */
	unsigned kinds;
};

struct tracked_file {
	uint32_t object; /* number of the file in the trace, 0 until assigned */
	uint32_t refs;
	uint64_t size; /* if not size_known: the largest end seen, counted from 0 */
	bool size_known;
	struct fd_uses resizes; /* calls that changed the size */
	/* id: descriptions older than this one may be used by untraced processes */
	uint32_t passed;
	/* private to the converter: an open was seen; untraced processes may write it */
	bool opened, elsewhere;
	uint32_t writers; /* active calls that may change it */
	bool disputed;    /* the order of the last two uses matters and is unknown */
	char *path;       /* not NUL-terminated; NULL if unknown; see file_has_path() */
	size_t path_size;
	struct path_name *name; /* the node that the path belongs to; NULL if removed */
	uint64_t moved;         /* fdtable->moves when the path was last computed */
};

struct open_description {
	uint32_t refs;
	uint32_t id;     /* number of this open in the trace */
	uint32_t object; /* if it is not a tracked file */
	uint8_t kind;    /* enum descriptor_kind */
	bool append;
	bool sync, dsync, direct; /* O_SYNC, O_DSYNC, O_DIRECT */
	bool seen;                /* its creation was traced; otherwise it existed before */
	bool position_known;      /* if false, position counts from 0 */
	bool elsewhere;           /* untraced processes may move the position */
	bool vague;               /* private to the converter: not even its flags are known */
	uint64_t position;
	struct fd_uses uses;        /* of the position */
	uint32_t users;             /* active calls that use it */
	bool disputed;              /* the order of the last two uses matters and is unknown */
	bool ambiguous;             /* others may have preceded the last use */
	uint32_t note;              /* hash of the name that the source shows with the descriptor */
	struct tracked_file *file;  /* NULL if kind is neither file nor directory */
	struct fd_socketpair *pair; /* the pair that this socket is an end of; or NULL */
	uint32_t *reported;         /* processes to which this description was reported */
	uint32_t reported_count, reported_capacity, reported_next;
	uint32_t reported_last; /* the process reported last; 0 if none */
	/* the process in which a close ended its definition last, 0 if none; start of that call */
	uint32_t ended_process;
	int64_t ended_ns;
};

/*
 * The descriptors of one description in one table form a ring, which shows when the last is closed.
 */
struct fd_slot {
	struct open_description *open; /* NULL if free or unknown */
	uint32_t prev, next;
	int64_t since; /* when a call returned the number; private to the converter */
};

/*
 * Slots are stored in pages, so that a high number costs little memory. A copied table shares
 * its pages until one of the two changes.
 */
struct fd_page {
	uint32_t refs;
	uint64_t used, cloexec; /* one bit per slot */
	uint64_t ringed;        /* slots that share their description with another slot */
	struct fd_slot slot[FD_PAGE];
};

/*
 * Pages are stored in groups, which copies share too: a table with one high descriptor takes a few
 * kilobytes.
 */
struct pages {
	uint32_t refs;
	struct fd_page *page[FD_PAGES]; /* NULL if all slots are free */
};

struct fd_table {
	uint32_t refs, id;
	uint32_t capacity;    /* number of descriptors that the groups cover */
	uint32_t full;        /* pages 1..full-1 have no free slot */
	struct pages **pages; /* NULL if all slots are free */
};

/* A working directory. If size is 0, it is the unknown directory in which the trace started. */
struct directory {
	uint32_t refs;
	size_t size, capacity;
	char *path;
};

struct fdtable {
	int status;
	uint32_t files, objects, tables; /* numbers assigned so far */
	uint64_t memory, memory_max;     /* bytes */
	uint64_t seed;                   /* of the hash function */
	uint64_t moves;                  /* names renamed so far */
	uint64_t unnamed;                /* files whose path became too long */
	uint32_t name_ids;
	bool links; /* symbolic links may exist among the names */
	size_t name_count, name_capacity;
	struct path_name **name;   /* nodes of path_tree.c, by hash */
	struct path_name *root[2]; /* of relative and of absolute names */
};

void fdtable_init(struct fdtable *t);
void fdtable_clear(struct fdtable *t); /* forgets all names */

/*
 * Memory that counts against memory_max. fdtable_grow() enlarges a block from `size` bytes (NULL
 * and 0 for a new one) to `more` bytes and clears the new ones. Returns NULL if out of memory; the
 * block is unchanged then.
 */
void *fdtable_grow(struct fdtable *t, void *block, size_t size, size_t more);
void fdtable_drop(struct fdtable *t, void *block, size_t size);

/* Tables */

struct fd_table *fd_table_new(struct fdtable *t);
struct fd_table *fd_table_copy(struct fdtable *t, const struct fd_table *from);
struct fd_table *fd_table_share(struct fd_table *table);
void fd_table_free(struct fdtable *t, struct fd_table *table); /* drops one reference */
/*
 * Stores a description in a slot. If the table has other descriptors of it, fd_table_last() does
 * not find them; use fd_table_dup() then. Takes ownership of the caller's reference to `open`;
 * closes the slot's previous description. Returns NULL if the descriptor is not tracked.
 */
struct fd_slot *fd_table_set(struct fdtable *t, struct fd_table *table, int64_t fd,
			     struct open_description *open, bool cloexec);
/* Makes `to` another descriptor of the description that `from` refers to. */
struct fd_slot *fd_table_dup(struct fdtable *t, struct fd_table *table, int64_t from, int64_t to,
			     bool cloexec);
void fd_table_set_cloexec(struct fdtable *t, struct fd_table *table, int64_t fd, bool cloexec);
bool fd_table_cloexec(const struct fd_table *table, int64_t fd);
void fd_table_close(struct fdtable *t, struct fd_table *table, int64_t fd);
/* Closes all close-on-exec descriptors. */
void fd_table_exec(struct fdtable *t, struct fd_table *table);
/* Returns true if no other descriptor of the table refers to the same description. */
bool fd_table_last(const struct fd_table *table, int64_t fd);
/* Returns the lowest free descriptor >= from. */
uint32_t fd_table_lowest(struct fd_table *table, uint32_t from);

/* Returns the page of a descriptor, NULL if all its slots are free. */
static inline struct fd_page *fd_table_page(const struct fd_table *table, int64_t fd)
{
	if (fd < 0 || fd >= (int64_t)table->capacity)
		return NULL;
	const struct pages *group = table->pages[fd / FD_GROUP];
	return group == NULL ? NULL : group->page[fd / FD_PAGE % FD_PAGES];
}

/*
 * Returns NULL if the descriptor is free or unknown. The result is valid until the table changes.
 */
static inline struct fd_slot *fd_table_get(const struct fd_table *table, int64_t fd)
{
	struct fd_page *page = fd_table_page(table, fd);
	if (page == NULL || page->slot[fd % FD_PAGE].open == NULL)
		return NULL;
	return &page->slot[fd % FD_PAGE];
}

/*
 * Returns the first open descriptor >= fd and its slot; a value >= table->capacity if there is
 * none.
 */
int64_t fd_table_next(const struct fd_table *table, int64_t fd, struct fd_slot **slot);

/* Descriptions */

/*
 * Returns a description with one reference, owned by the caller. If file is not NULL, adds a
 * reference to it.
 */
struct open_description *open_description_new(struct fdtable *t, enum descriptor_kind kind,
					      struct tracked_file *file);
void open_description_free(struct fdtable *t, struct open_description *d); /* drops one reference */
/*
 * Returns true if the description has already been reported to this process, and marks it as
 * reported. The list of processes is limited; the oldest entries are dropped.
 */
bool description_mark_known(struct fdtable *t, struct open_description *d, uint32_t process);
/* Makes the description unreported to a process. */
void description_forget(struct open_description *d, uint32_t process);

struct file_offset {
	uint64_t offset;
	bool known;
};

/* Transfers bytes at the position, which advances; appending writes go to the end of the file. */
struct file_offset open_description_move(struct open_description *d, bool write, uint64_t length);
/* Transfers bytes at an explicit offset; the position does not change. */
struct file_offset open_description_move_at(struct open_description *d, bool write, uint64_t offset,
					    uint64_t length);
/* Appends bytes regardless of the flags; the position does not change if `keep`. */
struct file_offset open_description_append(struct open_description *d, uint64_t length, bool keep);
/*
 * Records that a read at `at` returned `got` of `wanted` bytes, which determines the size if got
 * < wanted.
 */
void open_description_short_read(struct open_description *d, struct file_offset at, uint64_t got,
				 uint64_t wanted);
void open_description_seek(struct open_description *d, uint64_t position);

/* Descriptions in flight: processes pass them in messages between the two ends of a socketpair */

struct fd_message {
	struct fd_message *next;
	uint32_t sender; /* task */
	uint32_t count;
	struct open_description *open[]; /* holds a reference to each; NULL is a socket */
};

struct fd_message *fd_message_new(struct fdtable *t, uint32_t count, uint32_t sender);
void fd_message_free(struct fdtable *t, struct fd_message *m);

/*
 * Makes two descriptions the ends of a pair. Callers must not pass sockets in messages, because a
 * pair could then hold references to itself.
 */
void fd_socketpair_new(struct fdtable *t, struct open_description *a, struct open_description *b);
/*
 * Takes ownership of the message. Returns false if the other end is unknown; the caller keeps the
 * message then.
 */
bool fd_socketpair_send(struct fdtable *t, struct open_description *from, struct fd_message *m);
/* Removes the last message of this sender, which was not sent after all. */
void fd_socketpair_take_back(struct fdtable *t, struct open_description *from, uint32_t sender);
/* Returns the next message with `count` descriptors, owned by the caller; NULL if none is known. */
struct fd_message *fd_socketpair_receive(struct fdtable *t, struct open_description *at,
					 uint32_t count);
void fd_socketpair_leave(struct fdtable *t, struct open_description *d); /* d is being freed */

/* Files */

void file_truncate(struct tracked_file *f, uint64_t size);
void file_grow(struct tracked_file *f, uint64_t size);     /* size = max(size, given size) */
void file_free(struct fdtable *t, struct tracked_file *f); /* drops one reference */
/* Returns true if a path is known; path and path_size are then current until the next rename. */
bool file_has_path(struct fdtable *t, struct tracked_file *f);

enum open_how {
	OPEN_CREATE = 1,
	OPEN_EXCLUSIVE = 2,
	OPEN_TRUNCATE = 4,
	OPEN_REAL = 8, /* the path contains no symbolic links */
};

/*
 * Returns the file that a successful open of this path refers to. It has a name and lives as long
 * as the name.
 */
struct tracked_file *fdtable_open(struct fdtable *t, const char *path, size_t size, unsigned how);
/* Returns a file without a name (O_TMPFILE, deleted before the trace), with one reference. */
struct tracked_file *file_unlinked(struct fdtable *t);
/* Returns the file of this name, NULL if it has not been opened. */
struct tracked_file *fdtable_find(struct fdtable *t, const char *path, size_t size);
void fdtable_absent(struct fdtable *t, const char *path, size_t size); /* the name does not exist */
/* The name does not exist, or is a symbolic link whose target does not exist. */
void fdtable_missing(struct fdtable *t, const char *path, size_t size);
/* Adds a second name. follow: `from` may be a symbolic link to the file. */
void fdtable_link(struct fdtable *t, const char *from, size_t from_size, const char *to,
		  size_t to_size, bool follow);
/* Gives a file this name, in addition to any others. */
void fdtable_name(struct fdtable *t, struct tracked_file *f, const char *path, size_t size);
void fdtable_symlink(struct fdtable *t, const char *path, size_t size, const char *target,
		     size_t target_size);
/* Renames a file or a directory with all names below it. */
void fdtable_rename(struct fdtable *t, const char *from, size_t from_size, const char *to,
		    size_t to_size, bool exchange);
/* The source shows that this file now has this name. */
void fdtable_renamed(struct fdtable *t, struct tracked_file *f, const char *path, size_t size);
/* Sets the directory in which the trace started: all relative names become absolute. */
void fdtable_root(struct fdtable *t, const char *path, size_t size);

/* Paths */

struct directory *directory_new(struct fdtable *t, const char *path, size_t size);
struct directory *directory_share(struct directory *d);
void directory_set(struct fdtable *t, struct directory *d, const char *path, size_t size);
void directory_free(struct fdtable *t, struct directory *d);

/*
 * Resolves `path` relative to `base` without ".", ".." and double slashes, to out (PATH_CAPACITY
 * bytes). Returns its size, 0 if it does not fit. Ignores symbolic links.
 */
size_t path_resolve(const char *base, size_t base_size, const char *path, size_t size, char *out);

/*
 * As path_resolve(), but ".." respects the known symbolic links. Returns 0 if it cannot be
 * resolved.
 */
size_t fdtable_resolve(struct fdtable *t, const char *base, size_t base_size, const char *path,
		       size_t size, char *out);

/*
 * Returns the object number of the file that a description refers to, assigned at the first call.
 */
static inline uint32_t fdtable_object(struct fdtable *t, struct open_description *d)
{
	uint32_t *object = d->file != NULL ? &d->file->object : &d->object;
	if (*object == 0)
		*object = ++t->objects;
	return *object;
}

#endif
