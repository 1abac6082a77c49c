/* SPDX-License-Identifier: BSD-2-Clause */
/* The tree against a search through all leaves. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "lib/base/loser_tree.h"

enum { LEAVES_MAX = 9, ELEMENTS = 300 };

struct leaf {
	int64_t key[ELEMENTS];
	size_t at, count;
};

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

/* Sequences in order, of different lengths, with many ties, and up to the largest number. */
static void make_leaves(struct leaf *leaf, size_t n, uint32_t seed)
{
	for (size_t i = 0; i < n; i++) {
		leaf[i].at = 0;
		leaf[i].count = i == 3 ? 0 : 1 + next_random(&seed) % (ELEMENTS - 1);
		int64_t key = INT64_MIN;
		for (size_t k = 0; k < leaf[i].count; k++) {
			leaf[i].key[k] = key;
			key += next_random(&seed) % 4;
		}
		leaf[i].key[leaf[i].count > 0 ? leaf[i].count - 1 : 0] = INT64_MAX;
	}
}

/* A loser_tree_tie_fn: the higher number first. */
static bool higher_first(const void *context, uint32_t a, uint32_t b)
{
	(void)context;
	return a > b;
}

static struct loser_entry entry_of(const struct leaf *leaf, size_t number)
{
	if (leaf[number].at == leaf[number].count)
		return LOSER_TREE_END;
	return (struct loser_entry){loser_tree_key(leaf[number].key[leaf[number].at]), number};
}

/* The leaf with the smallest element, or n. */
static size_t first_of(const struct leaf *leaf, size_t n, bool higher)
{
	size_t best = n;
	for (size_t i = 0; i < n; i++) {
		if (leaf[i].at == leaf[i].count)
			continue;
		const int64_t key = leaf[i].key[leaf[i].at];
		if (best == n || key < leaf[best].key[leaf[best].at] ||
		    (higher && key == leaf[best].key[leaf[best].at]))
			best = i;
	}
	return best;
}

static void expect_merged(struct leaf *leaf, size_t n, loser_tree_tie_fn *tie)
{
	struct loser_entry node[2 * LEAVES_MAX];
	struct loser_tree t = {.node = node, .leaves = n};
	size_t wanted;
	for (size_t i = 0; i < n; i++)
		node[n + i] = entry_of(leaf, i);
	loser_tree_build(&t, tie, NULL);
	while ((wanted = first_of(leaf, n, tie != NULL)) < n) {
		cr_assert_not(loser_tree_ended(&t));
		cr_assert_eq(loser_tree_winner(&t), wanted);
		const uint64_t second = loser_tree_second(&t);
		leaf[wanted].at++;
		loser_tree_replay(&t, (uint32_t)wanted, entry_of(leaf, wanted), tie, NULL);
		cr_assert(loser_tree_ended(&t) || node[0].key <= second ||
			  loser_tree_winner(&t) == wanted);
	}
	cr_assert(loser_tree_ended(&t));
}

Test(loser_tree, finds_the_first_of_all_leaves)
{
	static struct leaf leaf[LEAVES_MAX];
	for (uint32_t seed = 1; seed <= 40; seed++) {
		const size_t n = 1 + seed % LEAVES_MAX;
		make_leaves(leaf, n, seed);
		expect_merged(leaf, n, NULL);
		make_leaves(leaf, n, seed);
		expect_merged(leaf, n, higher_first);
	}
}

Test(loser_tree, keys_order_signed_numbers)
{
	cr_expect_lt(loser_tree_key(INT64_MIN), loser_tree_key(-1));
	cr_expect_lt(loser_tree_key(-1), loser_tree_key(0));
	cr_expect_lt(loser_tree_key(0), loser_tree_key(INT64_MAX));
}
