/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recorder's grammars: invalid ones are rejected, and the time of expansion is proportional to its
 * output.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "converters/recorder/recorder.h"

enum { TERMINALS = 10, WORDS = 1 << 20 };

static int32_t words[WORDS];
static struct error error;

static struct recorder_grammar *make(size_t count)
{
	memset(&error, 0, sizeof error);
	return recorder_grammar_new((const char *)words, count * sizeof *words, TERMINALS,
				    "test.cfg", &error);
}

#define GRAMMAR(...)                                                                               \
	(memcpy(words, (const int32_t[]){__VA_ARGS__}, sizeof(const int32_t[]){__VA_ARGS__}),      \
	 make(sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t)))

static void expect(struct recorder_grammar *g, const char *terminals)
{
	struct recorder_expansion e;
	char out[256];
	size_t n = 0;
	int32_t terminal;
	cr_assert_not_null(g, "%s", error.text);
	cr_assert(recorder_expand_begin(&e, g));
	while (n < sizeof out - 1 && recorder_expand(&e, &terminal, 1) > 0)
		out[n++] = (char)('0' + terminal);
	out[n] = '\0';
	cr_expect_str_eq(out, terminals);
	cr_expect_eq(g->rule[g->start].total, strlen(terminals));
	recorder_expand_end(&e);
	recorder_grammar_free(g);
}

static void refused(struct recorder_grammar *g, const char *why)
{
	cr_expect_null(g);
	cr_expect_eq(error.status, IOT_EFORMAT);
	cr_expect_not_null(strstr(error.text, why), "%s", error.text);
	recorder_grammar_free(g);
}

Test(recorder_grammar, terminals_come_in_order_with_their_exponents)
{
	expect(GRAMMAR(1, -1, 3, 4, 1, 5, 3, 4, 2), "455544");
}

Test(recorder_grammar, rules_in_any_order_and_with_any_numbers)
{
	expect(GRAMMAR(3, -70, 2, 1, 1, 2, 2, -1, 3, -9, 2, 3, 1, -70, 1, -9, 2, -70, 1, 0, 1),
	       "12201220"
	       "3122");
}

Test(recorder_grammar, an_empty_start_rule_is_no_calls)
{
	expect(GRAMMAR(1, -1, 0), "");
}

Test(recorder_grammar, rules_that_stand_for_nothing_are_left_out)
{
	expect(GRAMMAR(3, -1, 3, -2, 1000000, 7, 1, -3, 2147483647, -2, 1, -3, 1000000000, -3, 0),
	       "7");
}

Test(recorder_grammar, rules_of_one_symbol_are_looked_through)
{
	struct recorder_grammar *g =
	    GRAMMAR(4, -1, 2, -2, 1, -2, 1, -2, 1, -3, 1, -3, 1, -4, 1, -4, 2, 5, 1, 6, 1);
	cr_assert_not_null(g);
	cr_expect_eq(g->rule[g->start].depth, 2);
	expect(g, "5656");
}

Test(recorder_grammar, a_deep_chain_needs_no_deep_stack)
{
	const int32_t depth = 100000;
	size_t n = 0;
	words[n++] = depth;
	for (int32_t i = 1; i <= depth; i++) {
		words[n++] = -i;
		words[n++] = 1;
		words[n++] = i < depth ? -i - 1 : 9;
		words[n++] = i == 1 ? 5 : 1;
	}
	expect(make(n), "99999");
}

Test(recorder_grammar, work_is_in_proportion_to_what_comes_out)
{
	/* 20000 levels, each with one call of its own: half as many steps as calls, not 10^8 */
	const int32_t depth = 20000;
	struct recorder_expansion e;
	int32_t terminal[64];
	uint64_t calls = 0;
	size_t n = 0, got;
	words[n++] = depth;
	for (int32_t i = 1; i <= depth; i++) {
		words[n++] = -i;
		words[n++] = 2;
		words[n++] = i < depth ? -i - 1 : 1;
		words[n++] = 1;
		words[n++] = 3;
		words[n++] = 1;
	}
	struct recorder_grammar *g = make(n);
	cr_assert_not_null(g, "%s", error.text);
	cr_assert(recorder_expand_begin(&e, g));
	while ((got = recorder_expand(&e, terminal, 64)) > 0)
		calls += got;
	cr_expect_eq(calls, (uint64_t)depth + 1);
	recorder_expand_end(&e);
	recorder_grammar_free(g);
}

Test(recorder_grammar, bombs_are_counted_and_not_expanded)
{
	struct recorder_grammar *g = GRAMMAR(2, -1, 1, -2, 1 << 30, -2, 2, 1, 1 << 30, 2, 1 << 30);
	cr_assert_not_null(g);
	cr_expect_eq(g->rule[g->start].total, (uint64_t)1 << 61);
	recorder_grammar_free(g);
	refused(GRAMMAR(3, -1, 1, -2, 1 << 30, -2, 1, -3, 1 << 30, -3, 1, 1, 1 << 30), "2^62");
}

Test(recorder_grammar, circles_are_refused)
{
	refused(GRAMMAR(1, -1, 1, -1, 1), "contains itself");
	refused(GRAMMAR(2, -1, 2, 1, 1, -2, 1, -2, 1, -1, 1), "contains itself");
	refused(GRAMMAR(3, -1, 1, 1, 1, -2, 1, -3, 1, -3, 1, -2, 1), "contains itself");
}

Test(recorder_grammar, what_does_not_hold_together_is_refused)
{
	refused(GRAMMAR(1, -1, 1, 5, 0), "below 1");
	refused(GRAMMAR(1, -1, 1, 5, -3), "below 1");
	refused(GRAMMAR(1, -1, 1, TERMINALS, 1), "unknown signature");
	refused(GRAMMAR(1, -1, 1, -2, 1), "unknown rule");
	refused(GRAMMAR(1, -2, 1, 5, 1), "no rule -1");
	refused(GRAMMAR(2, -1, 1, 5, 1, -1, 1, 5, 1), "twice");
	refused(GRAMMAR(1, 3, 1, 5, 1), "not negative");
	refused(GRAMMAR(1, -1, 2, 5, 1), "invalid number");
	refused(GRAMMAR(1, -1, -2, 5, 1), "invalid number");
	refused(GRAMMAR(1, -1, 1, 5, 1, 7), "after the last rule");
	refused(GRAMMAR(2, -1, 2, 5, 1, 5, 1), "before rule 1");
	refused(GRAMMAR(4, -1, 4, 5, 1, 5, 1, 5, 1, 5, 1), "before rule 1");
	refused(GRAMMAR(0), "do not fit in");
	refused(GRAMMAR(-1, -1, 0), "do not fit in");
	refused(GRAMMAR(1 << 30, -1, 0), "do not fit in");
	refused(make(0), "do not fit in");
}
