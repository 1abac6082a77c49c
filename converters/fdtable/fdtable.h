/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who has which file open, and where in it: for sources that show calls instead of offsets.
 *
 *	task         a thread: its descriptor table and working directory, each perhaps shared
 *	description  one open of a file: position, append flag; shared by dup and fork
 *	file         what it is behind all its names: number, size, current path
 *
 * The tracker knows no system calls and no format. A converter says what happened, in the order of
 * returns, and asks for offsets. What cannot be known (positions of descriptors that were open
 * before the trace, sizes of files that existed) is marked, and counted from 0.
 *
 * Failures stick in tracker->status (IOT_ENOMEM, IOT_ELIMIT); until it is looked at, calls go on
 * with what there is, and those that make something return NULL.
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
	FD_MAX = 1 << 20,                              /* descriptors beyond are not followed */
	PATH_CAPACITY = 8192,                          /* of a path, resolved */
	PATHS_DIRECTIVE = 2 * 3 * PATH_CAPACITY + 512, /* room for one with two paths */
	FDTABLE_MEMORY_MAX = 1 << 30,                  /* bytes of all that is followed */
};

enum descriptor_kind {
	FD_FILE = 1,
	FD_DIRECTORY, /* and O_PATH: carries no data */
	FD_SOCKET,
	FD_PIPE,
	FD_TTY,
	FD_DEVICE,
	FD_MEMFD, /* memory without a name in any directory */
	FD_OTHER,
};

/* Who used something last, when and how, so that a converter can find races. */
struct fd_use {
	int64_t entered, left; /* of the call */
	int64_t took_ns;       /* -1: not known */
	uint32_t task, turn;   /* turn: for the converter */
};

/* The last uses of something by two tasks, and what is known of all before them. */
struct fd_uses {
	struct fd_use last[2];
	int64_t end;    /* when those before had left */
	unsigned kinds; /* of all that may overlap with calls to come; for the converter */
};

struct tracked_file {
	uint32_t object; /* number of the file in the trace, 0 until it has one */
	uint32_t refs;
	uint64_t size; /* not known: as far as seen, from 0 */
	bool size_known;
	struct fd_uses resizes; /* calls that changed the size */
	uint32_t passed;        /* id: earlier descriptions may be used where nobody sees it */
	bool opened,
	    elsewhere;    /* for the converter: an open was seen; others may write it unseen */
	uint32_t writers; /* calls under way that may change it */
	bool disputed;    /* the last two came in an order that matters and is not known */
	char *path;       /* not ended by NUL; NULL: none known; see file_has_path */
	size_t path_size;
	struct path_name *name; /* that the path is of; NULL: gone */
	uint64_t moved;         /* moves of the tracker when the path was last looked up */
};

struct open_description {
	uint32_t refs;
	uint32_t id;     /* number of this open in the trace */
	uint32_t object; /* of what is no tracked file */
	uint8_t kind;    /* enum descriptor_kind */
	bool append;
	bool seen;           /* made before our eyes; else it was there already */
	bool position_known; /* else position counts from 0 */
	bool elsewhere;      /* others may move the position unseen */
	bool vague;          /* for the converter: not even its flags are known */
	uint64_t position;
	struct fd_uses uses; /* of the position */
	uint32_t users;      /* calls under way that use it */
	bool disputed;       /* the last two came in an order that matters and is not known */
	uint32_t note;       /* hash of the name that the source shows beside the descriptor */
	struct tracked_file *file;  /* NULL if kind is neither file nor directory */
	struct fd_socketpair *pair; /* of sockets, that this is an end of; or NULL */
	uint32_t *reported;         /* processes that know of this description */
	uint32_t reported_count, reported_capacity, reported_next;
	uint32_t reported_last; /* 0: none */
};

/* The descriptors of a description in one table are a ring, so that the last of them is known. */
struct fd_slot {
	struct open_description *open; /* NULL: free, or not known */
	uint32_t prev, next;
	int64_t since; /* when a call returned the number; for the converter */
};

/* Pages, so that a high number costs little; tables that were copied share those that are alike. */
struct fd_page {
	uint32_t refs;
	uint64_t used, cloexec; /* bits of slots */
	struct fd_slot slot[FD_PAGE];
};

/* Pages in groups, which copies share too: a table of one high descriptor has a few kilobytes. */
struct pages {
	uint32_t refs;
	struct fd_page *page[FD_PAGES]; /* NULL: all free */
};

struct fd_table {
	uint32_t refs, id;
	uint32_t capacity;    /* descriptors that the groups stand for */
	uint32_t full;        /* pages 1 to below this one have no free slot */
	struct pages **pages; /* NULL: all free */
};

/* A working directory. size 0: where the trace began, not known. */
struct directory {
	uint32_t refs;
	size_t size, capacity;
	char *path;
};

struct fdtable {
	int status;
	uint32_t files, objects, tables; /* numbers given */
	uint64_t memory, memory_max;     /* bytes */
	uint64_t seed;                   /* of hashes */
	uint64_t moves;                  /* names renamed so far */
	uint64_t unnamed;                /* files of which the path has become too long */
	uint32_t name_ids;
	bool links; /* there may be symbolic links among the names */
	size_t name_count, name_capacity;
	struct path_name **name;   /* of tracker_tree.h, by hash */
	struct path_name *root[2]; /* of relative and of absolute names */
};

void fdtable_init(struct fdtable *t);
void fdtable_clear(struct fdtable *t); /* forgets all names */

/*
 * Memory that counts against memory_max. grow: a block of `size` bytes (none: NULL and 0) becomes
 * one of `more`, the new bytes 0; NULL: no memory, the block stays.
 */
void *fdtable_grow(struct fdtable *t, void *block, size_t size, size_t more);
void fdtable_drop(struct fdtable *t, void *block, size_t size);

/* Tables */

struct fd_table *fd_table_new(struct fdtable *t);
struct fd_table *fd_table_copy(struct fdtable *t, const struct fd_table *from);
struct fd_table *fd_table_share(struct fd_table *table);
void fd_table_free(struct fdtable *t, struct fd_table *table); /* one reference */
/*
 * Puts a description where no other descriptor of the table has it (or the last one of them to be
 * closed is not known as such). Takes over the caller's
 * reference to `open`; closes what was there. NULL: not followed.
 */
struct fd_slot *fd_table_set(struct fdtable *t, struct fd_table *table, int64_t fd,
			     struct open_description *open, bool cloexec);
/* `to` becomes another descriptor of what `from` has open. */
struct fd_slot *fd_table_dup(struct fdtable *t, struct fd_table *table, int64_t from, int64_t to,
			     bool cloexec);
void fd_table_set_cloexec(struct fdtable *t, struct fd_table *table, int64_t fd, bool cloexec);
bool fd_table_cloexec(const struct fd_table *table, int64_t fd);
void fd_table_close(struct fdtable *t, struct fd_table *table, int64_t fd);
void fd_table_exec(struct fdtable *t, struct fd_table *table); /* close-on-exec */
/* Is this the only descriptor of its description in the table? */
bool fd_table_last(const struct fd_table *table, int64_t fd);
uint32_t fd_table_lowest(struct fd_table *table, uint32_t from); /* the lowest free one */

/* The page that has a descriptor; NULL: all of it is free. */
static inline struct fd_page *fd_table_page(const struct fd_table *table, int64_t fd)
{
	if (fd < 0 || fd >= (int64_t)table->capacity)
		return NULL;
	const struct pages *group = table->pages[fd / FD_GROUP];
	return group == NULL ? NULL : group->page[fd / FD_PAGE % FD_PAGES];
}

/* NULL: free, or not known. It holds until the table changes. */
static inline struct fd_slot *fd_table_get(const struct fd_table *table, int64_t fd)
{
	struct fd_page *page = fd_table_page(table, fd);
	if (page == NULL || page->slot[fd % FD_PAGE].open == NULL)
		return NULL;
	return &page->slot[fd % FD_PAGE];
}

/* The first open descriptor from fd on, *slot of it; at least table->room: there is none. */
int64_t fd_table_next(const struct fd_table *table, int64_t fd, struct fd_slot **slot);

/* Descriptions */

/* With one reference, for the caller. file may be NULL; a reference to it is taken. */
struct open_description *open_description_new(struct fdtable *t, enum descriptor_kind kind,
					      struct tracked_file *file);
void open_description_free(struct fdtable *t, struct open_description *d); /* one reference */
/*
 * Has this process been told of the description? It counts as told from now on. Of many processes
 * the earliest are forgotten.
 */
bool description_mark_known(struct fdtable *t, struct open_description *d, uint32_t process);

struct place {
	uint64_t offset;
	bool known;
};

/* Bytes moved at the position, which advances; appending writes go to the file's end. */
struct place open_description_move(struct open_description *d, bool write, uint64_t length);
/* Bytes moved at an offset that was given; the position stays. */
struct place open_description_move_at(struct open_description *d, bool write, uint64_t offset,
				      uint64_t length);
/* Bytes appended whatever the flags say; the position stays if `keep`. */
struct place open_description_append(struct open_description *d, uint64_t length, bool keep);
/* A read at `place` returned `got` of `wanted` bytes: tells the size when it is less. */
void open_description_short_read(struct open_description *d, struct place place, uint64_t got,
				 uint64_t wanted);
void open_description_seek(struct open_description *d, uint64_t position);

/* Descriptions that processes pass to each other, in messages between the ends of a pair of sockets */

struct fd_message {
	struct fd_message *next;
	uint32_t sender; /* task */
	uint32_t count;
	struct open_description *open[]; /* with a reference each; NULL: a socket */
};

struct fd_message *fd_message_new(struct fdtable *t, uint32_t count, uint32_t sender);
void fd_message_free(struct fdtable *t, struct fd_message *p);

/* Makes two descriptions the ends of a pair. No socket may be sent, or they would hold themselves. */
void fd_socketpair_new(struct fdtable *t, struct open_description *a, struct open_description *b);
/* Takes the parcel over. False: the other end is not known, and the parcel still the caller's. */
bool fd_socketpair_send(struct fdtable *t, struct open_description *from, struct fd_message *p);
/* The last one of this sender has not been sent after all. */
void fd_socketpair_take_back(struct fdtable *t, struct open_description *from, uint32_t sender);
/* The next one of so many, for the caller to free; NULL: none is known. */
struct fd_message *fd_socketpair_receive(struct fdtable *t, struct open_description *at,
					 uint32_t count);
void fd_socketpair_leave(struct fdtable *t, struct open_description *d); /* d ends */

/* Files */

void file_truncate(struct tracked_file *f, uint64_t size);
void file_grow(struct tracked_file *f, uint64_t size);     /* size = max(size, this) */
void file_free(struct fdtable *t, struct tracked_file *f); /* one reference */
/* Is a path known? Then path and path_size are current until the next rename. */
bool file_has_path(struct fdtable *t, struct tracked_file *f);

enum open_how {
	OPEN_CREATE = 1,
	OPEN_EXCLUSIVE = 2,
	OPEN_TRUNCATE = 4,
	OPEN_REAL = 8, /* the path is known to have no symbolic links */
};

/* The file that a successful open of this path met; it has a name, and lives as long as that. */
struct tracked_file *fdtable_open(struct fdtable *t, const char *path, size_t size, unsigned how);
/* A file without a name (O_TMPFILE, one deleted before the trace), with one reference. */
struct tracked_file *tracker_unlinked(struct fdtable *t);
/* The file of this name, as far as it has been opened; NULL if not. */
struct tracked_file *fdtable_find(struct fdtable *t, const char *path, size_t size);
void fdtable_absent(struct fdtable *t, const char *path, size_t size); /* no such name */
/* Nor, if the name is a symbolic link, what it leads to. */
void fdtable_missing(struct fdtable *t, const char *path, size_t size);
/* follow: `from` may be a symbolic link to the file that gets a second name */
void fdtable_link(struct fdtable *t, const char *from, size_t from_size, const char *to,
		  size_t to_size, bool follow);
/* A file gets this name, perhaps as one more. */
void fdtable_name(struct fdtable *t, struct tracked_file *f, const char *path, size_t size);
void fdtable_symlink(struct fdtable *t, const char *path, size_t size, const char *target,
		     size_t target_size);
/* Directories too: names below move along. */
void fdtable_rename(struct fdtable *t, const char *from, size_t from_size, const char *to,
		    size_t to_size, bool exchange);
/* The source shows that this file is now called so. */
void fdtable_renamed(struct fdtable *t, struct tracked_file *f, const char *path, size_t size);
/* Where the trace began is now known: all names relative to it become absolute. */
void fdtable_root(struct fdtable *t, const char *root, size_t root_size);

/* Paths */

struct directory *directory_new(struct fdtable *t, const char *path, size_t size);
struct directory *directory_share(struct directory *d);
void directory_set(struct fdtable *t, struct directory *d, const char *path, size_t size);
void directory_free(struct fdtable *t, struct directory *d);

/*
 * `path` seen from `base`, without ".", ".." and double slashes, to out (PATH_ROOM bytes);
 * returns its size, 0 if there is no room. Symbolic links are not looked at.
 */
size_t path_resolve(const char *base, size_t base_size, const char *path, size_t size, char *out);

/* The same, but ".." leads where it does on the symbolic links that are known; 0: nowhere. */
size_t fdtable_resolve(struct fdtable *t, const char *base, size_t base_size, const char *path,
		       size_t size, char *out);

/* The number of what a description is open on, given when it is first asked for. */
static inline uint32_t fdtable_object(struct fdtable *t, struct open_description *d)
{
	uint32_t *object = d->file != NULL ? &d->file->object : &d->object;
	if (*object == 0)
		*object = ++t->objects;
	return *object;
}

#endif
