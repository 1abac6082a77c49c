/* SPDX-License-Identifier: BSD-2-Clause */
/* A survey for others: without the ids and names of its keys. Files with links were counted. */
#ifndef CLI_FSSTATS_SURVEY_SHARE_H
#define CLI_FSSTATS_SURVEY_SHARE_H

#include "survey.h"

/*
 * Replaces ids and names of keys by the pseudonyms that anonymize makes with a secret (see
 * cli/ui/key.h), so that surveys can still be added and compared; or without one, NULL, by 1, 2,
 * ... in descending order of bytes. Returns false if out of memory.
 */
bool survey_hide_keys(struct fs_survey *s, unsigned char *secret);
/* Returns why the keys of two surveys are not the same ones, or NULL. */
const char *survey_why_other_keys(const struct fs_survey *a, const struct fs_survey *b);

#endif
