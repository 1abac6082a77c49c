/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <unistd.h>
#include <stdlib.h>
#include <string.h>

#include "cli/fsstats/held.h"
#include "cli/fsstats/survey.h"

static struct fs_survey *survey_by_directory(void)
{
	struct fs_survey *s = calloc(1, sizeof(*s));
	cr_assert_not_null(s);
	s->by = SURVEY_BY_DIRECTORY;
	return s;
}

/* Threads share directories: the one that finds a directory names it, another one may read it. */
Test(fsstats, a_thread_names_a_directory_that_another_reads)
{
	struct fs_survey *all = survey_by_directory(), *finder = survey_by_directory(),
			 *reader = survey_by_directory();
	const struct survey_entry file = {.kind = SURVEY_FILE, .size = 10, .key = 7, .name = 1};
	survey_sums(finder, 7)->name = strdup("tree/a");
	survey_add(reader, &file);
	survey_join(all, finder);
	survey_join(all, reader);
	cr_assert_not_null(survey_find_sums(all, 7)->name);
	cr_assert_str_eq(survey_find_sums(all, 7)->name, "tree/a");
	cr_assert_eq(survey_find_sums(all, 7)->files, 1);
	survey_free(finder);
	survey_free(reader);
	survey_free(all);
}

/* The directory that was not used longest is closed; a directory without children is not kept. */
Test(fsstats, directories_with_children_stay_open_while_they_are_used)
{
	struct held_directories held = {.max = HELD_MAX};
	struct subtree *parent[HELD_MAX + 1], *child[HELD_MAX + 1];
	for (unsigned i = 0; i <= HELD_MAX; i++) {
		parent[i] = subtree_new(NULL, "p", 1);
		child[i] = subtree_new(parent[i], "c", 1);
		held_add(&held, parent[i], dup(STDIN_FILENO));
		cr_assert_geq(held_find(&held, parent[0]), 0);
	}
	cr_assert_eq(held_find(&held, parent[1]), -1);
	for (unsigned i = 2; i <= HELD_MAX; i++)
		cr_assert_geq(held_find(&held, parent[i]), 0);
	held_add(&held, child[0], dup(STDIN_FILENO));
	cr_assert_eq(held_find(&held, child[0]), -1);
	cr_assert_eq(held_find(&held, NULL), -1);
	held_release(&held);
	for (unsigned i = 0; i <= HELD_MAX; i++) {
		subtree_release(child[i]);
		subtree_release(parent[i]);
	}
}
