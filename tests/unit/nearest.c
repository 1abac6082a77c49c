/* SPDX-License-Identifier: BSD-2-Clause */
/* "did you mean": distances, and which words are near enough. */
#include <criterion/criterion.h>

#include <string.h>

#include "cli/ui/nearest.h"

/* The word that is found among three; NULL if none is. */
static void expect(const char *typed, const char *found)
{
	static const char *const words[] = {"stat", "slice", "simulate"};
	struct nearest near;
	nearest_start(&near, typed);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		nearest_offer(&near, words[i], strlen(words[i]));
	cr_expect_eq(nearest_is_found(&near), found != NULL, "%s", typed);
	if (found != NULL)
		cr_expect_str_eq(near.word, found, "%s", typed);
}

Test(nearest, distance_counts_edits_and_swaps)
{
	cr_expect_eq(nearest_distance("stat", "stat"), 0);
	cr_expect_eq(nearest_distance("STAT", "stat"), 0);
	cr_expect_eq(nearest_distance("satt", "stat"), 1);
	cr_expect_eq(nearest_distance("stt", "stat"), 1);
	cr_expect_eq(nearest_distance("stats", "stat"), 1);
	cr_expect_eq(nearest_distance("stet", "stat"), 1);
	cr_expect_eq(nearest_distance("", "stat"), 4);
	cr_expect_eq(nearest_distance("conv", "convert"), 1);
}

Test(nearest, only_a_likely_typing_error_is_found)
{
	expect("stst", "stat");
	expect("sta", "stat");
	expect("sim", "simulate");
	expect("simluatee", "simulate");
	expect("soot", NULL);
	expect("xy", NULL);
	expect("s", NULL);
	expect("", NULL);
}

Test(nearest, long_words_are_far)
{
	char typed[300];
	memset(typed, 's', sizeof typed - 1);
	typed[sizeof typed - 1] = '\0';
	expect(typed, NULL);
}
