/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A survey: what trees of files contain, as sums and histograms of integers, without names. The
 * surveys of disjoint sets of entries add up exactly, in any order.
 */
#ifndef CLI_FSSTATS_SURVEY_H
#define CLI_FSSTATS_SURVEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyze/containers/histogram.h"
#include "lib/base/idmap.h"

#include "joint.h"
#include "root_list.h"
#include "top_list.h"

/* In the order in which the csv form has them. */
enum survey_histogram {
	SURVEY_SIZE,
	SURVEY_CAPACITY,
	SURVEY_POSITIVE,
	SURVEY_NEGATIVE,
	SURVEY_ENTRIES,
	SURVEY_DIRECTORY,
	SURVEY_NAME,
	SURVEY_LINKS,
	SURVEY_TARGET,
	SURVEY_MTIME,
	SURVEY_MTIME_BYTES,
	SURVEY_CTIME,
	SURVEY_CTIME_BYTES,
	SURVEY_ATIME,
	SURVEY_ATIME_BYTES,
	SURVEY_HISTOGRAMS,
	/* Further bits of `unknown`: */
	SURVEY_EXACT = SURVEY_HISTOGRAMS, /* values that no csv form contains */
	SURVEY_SPECIALS,
	SURVEY_DUPLICATES,
	SURVEY_SNAPSHOTS,
	SURVEY_BITS
};

/* Limits of bins. All but SURVEY_LINEAR double from 2 on. */
enum survey_scale {
	SURVEY_KIB,    /* bytes, in units of 1,024 */
	SURVEY_WHOLE,  /* whole numbers, inclusive limits */
	SURVEY_DAYS,   /* whole days */
	SURVEY_LINEAR, /* 8 wide, up to 127 */
};

enum { SURVEY_BINS = 64, SURVEY_LINEAR_BINS = 17, SURVEY_ERRNO = 134, SURVEY_AGES = 5 };

struct survey_bins {
	uint64_t items;    /* of the histograms of ages by bytes: bytes */
	uint128 amount;    /* the sum of the values; of ages by bytes: of days x bytes */
	uint64_t min, max; /* only if items > 0 */
	uint64_t bin_items[SURVEY_BINS];
	uint128 bin_amount[SURVEY_BINS];
};

enum survey_time { SURVEY_MODIFIED, SURVEY_CHANGED, SURVEY_ACCESSED, SURVEY_TIMES };
enum survey_kind { SURVEY_FILE, SURVEY_DIRECTORIES, SURVEY_SYMLINK, SURVEY_SPECIAL, SURVEY_KINDS };

/* What --by distinguishes. */
enum survey_by {
	SURVEY_BY_NONE,
	SURVEY_BY_OWNER,
	SURVEY_BY_GROUP,
	SURVEY_BY_DIRECTORY,
	SURVEY_BY_PROJECT,
};

/* The files of one owner, group, directory or project. */
struct key_sums {
	char *name; /* of a directory, escaped, or a pseudonym; NULL: the key is an id */
	uint64_t files, bytes, capacity;
	int64_t used_s;                                            /* the last access */
	int64_t oldest_s, newest_s;                                /* modified */
	uint64_t older[SURVEY_AGES], older_bytes[SURVEY_AGES];     /* by the last access */
	uint64_t size_files[SURVEY_BINS], size_bytes[SURVEY_BINS]; /* by SURVEY_SIZE's bins */
};

/* The largest of them, by bytes and by entries. */
enum survey_top { SURVEY_TOP_FILES, SURVEY_TOP_DIRECTORIES, SURVEY_TOPS };

enum { SURVEY_KEYS_MAX = 1 << 16 };
#define SURVEY_OTHER   UINT64_MAX       /* the key of all files beyond SURVEY_KEYS_MAX keys */
#define SURVEY_UNKNOWN (UINT64_MAX - 2) /* the key of files whose owner or project is unknown */
/*
 * The key of files with several links if directories or their projects are keys: such a file can be
 * in several directories, and it is a matter of chance which one is read first.
 */
#define SURVEY_LINKED (UINT64_MAX - 1)

enum { SURVEY_NAMED, SURVEY_NUMBERED };

struct fs_survey {
	uint32_t unknown; /* bits: histograms and values that the input does not contain */
	bool knows_now, knows_space;
	bool names; /* the survey has top lists; if not, they are empty */
	bool no_memory;
	/* Bytes of the file systems of the roots, at the begin of a walk. States lack them. */
	uint64_t space, space_used;
	int64_t now_s; /* ages are relative to it */
	enum survey_by by;
	uint32_t depth; /* of the directories that are keys */
	/*
	 * The replacement of names of keys: SURVEY_NAMED, SURVEY_NUMBERED, or pseudonyms, with a
	 * fingerprint of their secret.
	 */
	uint64_t hidden;
	struct top_list top[SURVEY_TOPS];
	struct idmap keys;
	struct key_sums *sums; /* by number of the key */
	size_t sums_capacity;
	struct idmap link_ids;    /* of files with several links, see survey_links.h */
	struct survey_link *link; /* by number of the id */
	size_t links_capacity;
	struct root_list roots;
	uint64_t entries[SURVEY_KINDS];
	uint64_t data, capacity; /* bytes of files, directories and symlinks */
	uint64_t duplicate_links, snapshots, other_devices, loops, vanished, moved, sparse;
	uint64_t unread;               /* directories of which entries are not counted */
	uint64_t touched;              /* directories that were read without O_NOATIME */
	uint64_t failed[SURVEY_ERRNO]; /* errors, by errno; [0]: larger ones */
	uint64_t future[SURVEY_TIMES]; /* files with times after the begin of the walk */
	/* Files, and their bytes, with an age of at least survey_ages[i] days. */
	uint64_t older[SURVEY_TIMES][SURVEY_AGES], older_bytes[SURVEY_TIMES][SURVEY_AGES];
	struct survey_bins of[SURVEY_HISTOGRAMS];
	struct joint_table joint[SURVEY_TIMES]; /* by age of that time; SURVEY_CHANGED: empty */
	struct histogram size;                  /* of files */
	uint64_t size_bytes[HISTOGRAM_BINS];    /* bytes of the files of each bin of size */
};

/* An entry of a directory. */
struct survey_entry {
	enum survey_kind kind;
	uint64_t size, capacity, links;
	int64_t time_s[SURVEY_TIMES];
	uint64_t key; /* if the survey has keys */
	size_t name;  /* bytes; 0: unknown */
};

struct survey_form {
	const char *name, *unit; /* of the csv form */
	enum survey_scale scale;
	bool by_bytes; /* items are bytes */
};

extern const struct survey_form survey_forms[SURVEY_HISTOGRAMS];
extern const unsigned survey_ages[SURVEY_AGES]; /* days, ascending */

void survey_add(struct fs_survey *s, const struct survey_entry *entry);
/* Adds a directory that was read to its end: the number of its entries. */
void survey_add_entries(struct fs_survey *s, uint64_t entries);
/* Adds a file or directory to a top list, whose path the caller has. */
void survey_add_top(struct fs_survey *s, enum survey_top list, const struct top_entry *entry);
void survey_fail(struct fs_survey *s, int error);
/*
 * Adds another survey, except for its roots, which must not overlap. If out of memory, sets
 * s->no_memory.
 */
void survey_join(struct fs_survey *s, const struct fs_survey *more);
/* Counts files with links that were not found. Do not join another survey afterwards. */
void survey_count_links(struct fs_survey *s);
void survey_free(struct fs_survey *s);
/* Frees the keys and their sums only. */
void survey_free_keys(struct fs_survey *s);

/* Returns the sums of a key; NULL, after setting s->no_memory, if out of memory. */
struct key_sums *survey_sums(struct fs_survey *s, uint64_t key);
/* Returns the sums of a key that exists, else NULL. */
const struct key_sums *survey_find_sums(const struct fs_survey *s, uint64_t key);
struct survey_key_row {
	uint64_t key;
	const struct key_sums *sums;
};
/*
 * Lists the keys in descending order of bytes; the caller frees the list. Returns NULL if out of
 * memory.
 */
struct survey_key_row *survey_key_rows(const struct fs_survey *s, size_t *count);
/* Returns the name of a key, which may be in `text`. */
const char *survey_key_name(const struct survey_key_row *row, char *text, size_t capacity);
/* Marks histograms of ages as unknown. */
void survey_drop_ages(struct fs_survey *s);
/* Returns whether the joint table of sizes and ages by a time is known. */
bool survey_knows_joint(const struct fs_survey *s, enum survey_time t);
/* Merges cells of joint tables that have fewer than min files with their neighbours. */
bool survey_coarsen(struct fs_survey *s, uint64_t min);

static inline bool survey_knows(const struct fs_survey *s, unsigned histogram)
{
	return (s->unknown >> histogram & 1) == 0;
}

/* The limits of a bin, both inclusive; UINT64_MAX: none. */
uint64_t survey_lower(enum survey_scale scale, unsigned bin);
uint64_t survey_upper(enum survey_scale scale, unsigned bin);
/* Returns the number of the bin of a value. */
unsigned survey_bin(enum survey_scale scale, uint64_t value);
/* The number of bytes in files of up to this size, which is an upper bound of a bin. */
uint64_t survey_bytes_up_to(const struct fs_survey *s, uint64_t size);
uint64_t survey_errors(const struct fs_survey *s);

#endif
