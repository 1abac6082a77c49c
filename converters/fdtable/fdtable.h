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
	IOT_FD_PAGE = 64,                                  /* slots */
	IOT_FD_PAGES = 32,                                 /* pages of a group */
	IOT_FD_GROUP = IOT_FD_PAGE * IOT_FD_PAGES,         /* slots of a group */
	IOT_FD_MAX = 1 << 20,                              /* descriptors beyond are not followed */
	IOT_PATH_ROOM = 8192,                              /* of a path, resolved */
	IOT_PATHS_DIRECTIVE = 2 * 3 * IOT_PATH_ROOM + 512, /* room for one with two paths */
	IOT_TRACKER_MEMORY_MAX = 1 << 30,                  /* bytes of all that is followed */
};

enum iot_descriptor_kind {
	IOT_FD_FILE = 1,
	IOT_FD_DIRECTORY, /* and O_PATH: carries no data */
	IOT_FD_SOCKET,
	IOT_FD_PIPE,
	IOT_FD_TTY,
	IOT_FD_DEVICE,
	IOT_FD_MEMFD, /* memory without a name in any directory */
	IOT_FD_OTHER,
};

/* Who used something last, when and how, so that a converter can find races. */
struct iot_use {
	int64_t entered, left; /* of the call */
	int64_t took_ns;       /* -1: not known */
	uint32_t task, turn;   /* turn: for the converter */
};

/* The last uses of something by two tasks, and what is known of all before them. */
struct iot_uses {
	struct iot_use last[2];
	int64_t end;    /* when those before had left */
	unsigned kinds; /* of all that may overlap with calls to come; for the converter */
};

struct iot_tracked_file {
	uint32_t object; /* number of the file in the trace, 0 until it has one */
	uint32_t refs;
	uint64_t size; /* not known: as far as seen, from 0 */
	bool size_known;
	struct iot_uses resizes; /* calls that changed the size */
	uint32_t passed;         /* id: earlier descriptions may be used where nobody sees it */
	bool opened,
	    elsewhere;    /* for the converter: an open was seen; others may write it unseen */
	uint32_t writers; /* calls under way that may change it */
	bool disputed;    /* the last two came in an order that matters and is not known */
	char *path;       /* not ended by NUL; NULL: none known; see iot_file_has_path */
	size_t path_size;
	struct iot_name *name; /* that the path is of; NULL: gone */
	uint64_t moved;        /* moves of the tracker when the path was last looked up */
};

struct iot_description {
	uint32_t refs;
	uint32_t id;     /* number of this open in the trace */
	uint32_t object; /* of what is no tracked file */
	uint8_t kind;    /* enum iot_descriptor_kind */
	bool append;
	bool seen;           /* made before our eyes; else it was there already */
	bool position_known; /* else position counts from 0 */
	bool elsewhere;      /* others may move the position unseen */
	bool vague;          /* for the converter: not even its flags are known */
	uint64_t position;
	struct iot_uses uses; /* of the position */
	uint32_t users;       /* calls under way that use it */
	bool disputed;        /* the last two came in an order that matters and is not known */
	uint32_t note;        /* hash of the name that the source shows beside the descriptor */
	struct iot_tracked_file *file; /* NULL if kind is neither file nor directory */
	struct iot_pair *pair;         /* of sockets, that this is an end of; or NULL */
	uint32_t *told;                /* processes that know of this description */
	uint32_t told_count, told_room, told_next;
	uint32_t told_last; /* 0: none */
};

/* The descriptors of a description in one table are a ring, so that the last of them is known. */
struct iot_slot {
	struct iot_description *open; /* NULL: free, or not known */
	uint32_t prev, next;
	int64_t since; /* when a call returned the number; for the converter */
};

/* Pages, so that a high number costs little; tables that were copied share those that are alike. */
struct iot_page {
	uint32_t refs;
	uint64_t used, cloexec; /* bits of slots */
	struct iot_slot slot[IOT_FD_PAGE];
};

/* Pages in groups, which copies share too: a table of one high descriptor has a few kilobytes. */
struct iot_pages {
	uint32_t refs;
	struct iot_page *page[IOT_FD_PAGES]; /* NULL: all free */
};

struct iot_table {
	uint32_t refs, id;
	uint32_t room;            /* descriptors that the groups stand for */
	uint32_t full;            /* pages 1 to below this one have no free slot */
	struct iot_pages **pages; /* NULL: all free */
};

/* A working directory. size 0: where the trace began, not known. */
struct iot_directory {
	uint32_t refs;
	size_t size, room;
	char *path;
};

struct iot_tracker {
	int status;
	uint32_t files, objects, tables; /* numbers given */
	uint64_t memory, memory_max;     /* bytes */
	uint64_t seed;                   /* of hashes */
	uint64_t moves;                  /* names renamed so far */
	uint64_t unnamed;                /* files of which the path has become too long */
	uint32_t name_ids;
	bool links; /* there may be symbolic links among the names */
	size_t name_count, name_room;
	struct iot_name **name;   /* of tracker_tree.h, by hash */
	struct iot_name *root[2]; /* of relative and of absolute names */
};

void iot_tracker_init(struct iot_tracker *t);
void iot_tracker_clear(struct iot_tracker *t); /* forgets all names */

/*
 * Memory that counts against memory_max. grow: a block of `size` bytes (none: NULL and 0) becomes
 * one of `more`, the new bytes 0; NULL: no memory, the block stays.
 */
void *iot_tracker_grow(struct iot_tracker *t, void *block, size_t size, size_t more);
void iot_tracker_drop(struct iot_tracker *t, void *block, size_t size);

/* Tables */

struct iot_table *iot_table_new(struct iot_tracker *t);
struct iot_table *iot_table_copy(struct iot_tracker *t, const struct iot_table *from);
struct iot_table *iot_table_share(struct iot_table *table);
void iot_table_free(struct iot_tracker *t, struct iot_table *table); /* one reference */
/*
 * Puts a description where no other descriptor of the table has it (or the last one of them to be
 * closed is not known as such). Takes over the caller's
 * reference to `open`; closes what was there. NULL: not followed.
 */
struct iot_slot *iot_table_set(struct iot_tracker *t, struct iot_table *table, int64_t fd,
			       struct iot_description *open, bool cloexec);
/* `to` becomes another descriptor of what `from` has open. */
struct iot_slot *iot_table_dup(struct iot_tracker *t, struct iot_table *table, int64_t from,
			       int64_t to, bool cloexec);
void iot_table_set_cloexec(struct iot_tracker *t, struct iot_table *table, int64_t fd,
			   bool cloexec);
bool iot_table_cloexec(const struct iot_table *table, int64_t fd);
void iot_table_close(struct iot_tracker *t, struct iot_table *table, int64_t fd);
void iot_table_exec(struct iot_tracker *t, struct iot_table *table); /* close-on-exec */
/* Is this the only descriptor of its description in the table? */
bool iot_table_last(const struct iot_table *table, int64_t fd);
uint32_t iot_table_lowest(struct iot_table *table, uint32_t from); /* the lowest free one */

/* The page that has a descriptor; NULL: all of it is free. */
static inline struct iot_page *iot_table_page(const struct iot_table *table, int64_t fd)
{
	if (fd < 0 || fd >= (int64_t)table->room)
		return NULL;
	const struct iot_pages *group = table->pages[fd / IOT_FD_GROUP];
	return group == NULL ? NULL : group->page[fd / IOT_FD_PAGE % IOT_FD_PAGES];
}

/* NULL: free, or not known. It holds until the table changes. */
static inline struct iot_slot *iot_table_get(const struct iot_table *table, int64_t fd)
{
	struct iot_page *page = iot_table_page(table, fd);
	if (page == NULL || page->slot[fd % IOT_FD_PAGE].open == NULL)
		return NULL;
	return &page->slot[fd % IOT_FD_PAGE];
}

/* The first open descriptor from fd on, *slot of it; at least table->room: there is none. */
int64_t iot_table_next(const struct iot_table *table, int64_t fd, struct iot_slot **slot);

/* Descriptions */

/* With one reference, for the caller. file may be NULL; a reference to it is taken. */
struct iot_description *iot_description_new(struct iot_tracker *t, enum iot_descriptor_kind kind,
					    struct iot_tracked_file *file);
void iot_description_free(struct iot_tracker *t, struct iot_description *d); /* one reference */
/*
 * Has this process been told of the description? It counts as told from now on. Of many processes
 * the earliest are forgotten.
 */
bool iot_description_told(struct iot_tracker *t, struct iot_description *d, uint32_t process);

struct iot_place {
	uint64_t offset;
	bool known;
};

/* Bytes moved at the position, which advances; appending writes go to the file's end. */
struct iot_place iot_description_move(struct iot_description *d, bool write, uint64_t length);
/* Bytes moved at an offset that was given; the position stays. */
struct iot_place iot_description_move_at(struct iot_description *d, bool write, uint64_t offset,
					 uint64_t length);
/* Bytes appended whatever the flags say; the position stays if `keep`. */
struct iot_place iot_description_append(struct iot_description *d, uint64_t length, bool keep);
/* A read at `place` returned `got` of `wanted` bytes: tells the size when it is less. */
void iot_description_short_read(struct iot_description *d, struct iot_place place, uint64_t got,
				uint64_t wanted);
void iot_description_seek(struct iot_description *d, uint64_t position);

/* Descriptions that processes pass to each other, in messages between the ends of a pair of sockets */

struct iot_parcel {
	struct iot_parcel *next;
	uint32_t sender; /* task */
	uint32_t count;
	struct iot_description *open[]; /* with a reference each; NULL: a socket */
};

struct iot_parcel *iot_parcel_new(struct iot_tracker *t, uint32_t count, uint32_t sender);
void iot_parcel_free(struct iot_tracker *t, struct iot_parcel *p);

/* Makes two descriptions the ends of a pair. No socket may be sent, or they would hold themselves. */
void iot_pair_new(struct iot_tracker *t, struct iot_description *a, struct iot_description *b);
/* Takes the parcel over. False: the other end is not known, and the parcel still the caller's. */
bool iot_pair_send(struct iot_tracker *t, struct iot_description *from, struct iot_parcel *p);
/* The last one of this sender has not been sent after all. */
void iot_pair_take_back(struct iot_tracker *t, struct iot_description *from, uint32_t sender);
/* The next one of so many, for the caller to free; NULL: none is known. */
struct iot_parcel *iot_pair_receive(struct iot_tracker *t, struct iot_description *at,
				    uint32_t count);
void iot_pair_leave(struct iot_tracker *t, struct iot_description *d); /* d ends */

/* Files */

void iot_file_truncate(struct iot_tracked_file *f, uint64_t size);
void iot_file_grow(struct iot_tracked_file *f, uint64_t size);         /* size = max(size, this) */
void iot_file_free(struct iot_tracker *t, struct iot_tracked_file *f); /* one reference */
/* Is a path known? Then path and path_size are current until the next rename. */
bool iot_file_has_path(struct iot_tracker *t, struct iot_tracked_file *f);

enum iot_open_how {
	IOT_OPEN_CREATE = 1,
	IOT_OPEN_EXCLUSIVE = 2,
	IOT_OPEN_TRUNCATE = 4,
	IOT_OPEN_REAL = 8, /* the path is known to have no symbolic links */
};

/* The file that a successful open of this path met; it has a name, and lives as long as that. */
struct iot_tracked_file *iot_tracker_open(struct iot_tracker *t, const char *path, size_t size,
					  unsigned how);
/* A file without a name (O_TMPFILE, one deleted before the trace), with one reference. */
struct iot_tracked_file *iot_tracker_nameless(struct iot_tracker *t);
/* The file of this name, as far as it has been opened; NULL if not. */
struct iot_tracked_file *iot_tracker_find(struct iot_tracker *t, const char *path, size_t size);
void iot_tracker_absent(struct iot_tracker *t, const char *path, size_t size); /* no such name */
/* Nor, if the name is a symbolic link, what it leads to. */
void iot_tracker_missing(struct iot_tracker *t, const char *path, size_t size);
/* follow: `from` may be a symbolic link to the file that gets a second name */
void iot_tracker_link(struct iot_tracker *t, const char *from, size_t from_size, const char *to,
		      size_t to_size, bool follow);
/* A file gets this name, perhaps as one more. */
void iot_tracker_name(struct iot_tracker *t, struct iot_tracked_file *f, const char *path,
		      size_t size);
void iot_tracker_symlink(struct iot_tracker *t, const char *path, size_t size, const char *target,
			 size_t target_size);
/* Directories too: names below move along. */
void iot_tracker_rename(struct iot_tracker *t, const char *from, size_t from_size, const char *to,
			size_t to_size, bool exchange);
/* The source shows that this file is now called so. */
void iot_tracker_renamed(struct iot_tracker *t, struct iot_tracked_file *f, const char *path,
			 size_t size);
/* Where the trace began is now known: all names relative to it become absolute. */
void iot_tracker_root(struct iot_tracker *t, const char *root, size_t root_size);

/* Paths */

struct iot_directory *iot_directory_new(struct iot_tracker *t, const char *path, size_t size);
struct iot_directory *iot_directory_share(struct iot_directory *d);
void iot_directory_set(struct iot_tracker *t, struct iot_directory *d, const char *path,
		       size_t size);
void iot_directory_free(struct iot_tracker *t, struct iot_directory *d);

/*
 * `path` seen from `base`, without ".", ".." and double slashes, to out (IOT_PATH_ROOM bytes);
 * returns its size, 0 if there is no room. Symbolic links are not looked at.
 */
size_t iot_path_resolve(const char *base, size_t base_size, const char *path, size_t size,
			char *out);

/* The same, but ".." leads where it does on the symbolic links that are known; 0: nowhere. */
size_t iot_tracker_resolve(struct iot_tracker *t, const char *base, size_t base_size,
			   const char *path, size_t size, char *out);

/* The number of what a description is open on, given when it is first asked for. */
static inline uint32_t iot_tracker_object(struct iot_tracker *t, struct iot_description *d)
{
	uint32_t *object = d->file != NULL ? &d->file->object : &d->object;
	if (*object == 0)
		*object = ++t->objects;
	return *object;
}

#endif
