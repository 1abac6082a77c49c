/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files with several links. A survey counts such a file once, when its last link is found or at the
 * end. States list files with missing links separately, because other parts of the tree may have
 * these links.
 */
#ifndef CLI_FSSTATS_SURVEY_LINKS_H
#define CLI_FSSTATS_SURVEY_LINKS_H

#include "survey.h"

#include "lib/base/hash.h"

/* A file with several links, and how many of them were found. */
struct survey_link {
	struct survey_entry file; /* with the length of the shortest name */
	uint32_t found;           /* links */
	bool counted;             /* the survey has the file */
};

/*
 * Returns the identity of a file, which hides the number of the inode. No two inodes of a volume
 * have the same identity. volume: a number for the file system that is the same in all walks of it.
 */
static inline uint64_t survey_link_id(uint64_t volume, uint64_t inode)
{
	return hash_mix(UINT64_C(0x9e3779b97f4a7c15), inode ^ volume);
}

/* What an added link says about its file. */
struct survey_link_change {
	bool is_known; /* another link was found before */
	bool is_whole; /* all links have been found now, so the file is to be counted */
};

/*
 * Adds links of a file. Returns the file, until the next one is added; NULL, after setting
 * s->no_memory, if out of memory.
 */
const struct survey_link *survey_add_link(struct fs_survey *s, uint64_t id,
					  const struct survey_link *link,
					  struct survey_link_change *change);
/*
 * Lists the numbers in s->link of such files, by identity; the caller frees. NULL: out of memory.
 */
uint32_t *survey_open_links(const struct fs_survey *s, size_t *count);

#endif
