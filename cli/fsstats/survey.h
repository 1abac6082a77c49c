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

#include "lib/analyze/histogram.h"

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

struct fs_survey {
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
	struct histogram size;               /* of files */
	uint64_t size_bytes[HISTOGRAM_BINS]; /* bytes of the files of each bin of size */
};

/* An entry of a directory. */
struct survey_entry {
	enum survey_kind kind;
	uint64_t size, capacity, links;
	int64_t time_s[SURVEY_TIMES];
	size_t name; /* bytes */
};

struct survey_form {
	const char *name, *unit; /* of the csv form */
	enum survey_scale scale;
	bool by_bytes; /* items are bytes */
};

extern const struct survey_form survey_forms[SURVEY_HISTOGRAMS];
extern const unsigned survey_ages[SURVEY_AGES]; /* days, ascending */

/* now_s: ages are relative to it, in seconds since 1970. */
void survey_add(struct fs_survey *s, const struct survey_entry *entry, int64_t now_s);
/* Adds a directory that was read to its end: the number of its entries. */
void survey_add_entries(struct fs_survey *s, uint64_t entries);
void survey_fail(struct fs_survey *s, int error);
void survey_join(struct fs_survey *s, const struct fs_survey *more);

/* The limits of a bin, both inclusive; UINT64_MAX: none. */
uint64_t survey_lower(enum survey_scale scale, unsigned bin);
uint64_t survey_upper(enum survey_scale scale, unsigned bin);
/* The number of bytes in files of up to this size, which is an upper bound of a bin. */
uint64_t survey_bytes_up_to(const struct fs_survey *s, uint64_t size);
uint64_t survey_errors(const struct fs_survey *s);

#endif
