/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options: every spelling, every kind of value; tests/cli tests prompts and messages on terminals.
 */
#include <criterion/criterion.h>
#include <criterion/redirect.h>

#include <string.h>

#include "opts_test.h"

enum { WORDS_MAX = 8 };

/* Parses "a b c", split at blanks; operands are left in words. */
static int parse(struct values *v, const char *line, char *words[WORDS_MAX + 1], char copy[256])
{
	int n = 0;
	enum exit_status status;
	snprintf(copy, 256, "test %s", line);
	for (char *word = strtok(copy, " "); word && n < WORDS_MAX; word = strtok(NULL, " "))
		words[n++] = word;
	words[n] = NULL;
	return parse_words(v, n, words, &status) ? EXIT_OK : (int)status;
}

static struct values parsed(const char *line)
{
	struct values v = {.choice = -1};
	char *words[WORDS_MAX + 1], copy[256];
	cr_assert_eq(parse(&v, line, words, copy), EXIT_OK, "%s", line);
	return v;
}

static void refused(const char *line)
{
	struct values v = {.choice = -1};
	char *words[WORDS_MAX + 1], copy[256];
	cr_expect_eq(parse(&v, line, words, copy), EXIT_FAILED, "%s", line);
}

Test(opts, letters_cluster_and_the_last_may_have_a_value)
{
	struct values v = {.choice = -1};
	char *words[WORDS_MAX + 1], copy[256];
	cr_assert_eq(parse(&v, "-vqoOUT a -n 5 b", words, copy), EXIT_OK);
	cr_expect(v.verbose && v.quiet);
	cr_expect_str_eq(v.text, "OUT");
	cr_expect_eq(v.number, 5);
	cr_expect_eq(v.operands, 2);
	cr_expect_str_eq(words[0], "a");
	cr_expect_str_eq(words[1], "b");
}

Test(opts, two_dashes_end_the_options_and_one_is_an_operand)
{
	struct values v = parsed("- -q -- -v --output");
	cr_expect(v.quiet && !v.verbose);
	cr_expect_eq(v.operands, 3);
}

Test(opts, sizes_have_units)
{
	cr_expect_eq(parsed("--size=12").size, 12);
	cr_expect_eq(parsed("--size=12k").size, 12288);
	cr_expect_eq(parsed("--size 256M").size, 256U << 20);
	cr_expect_eq(parsed("--size=16777215T").size, (uint64_t)16777215 << 40);
}

Test(opts, choices_are_words)
{
	cr_expect_eq(parsed("--colour=red").choice, 0);
	cr_expect_eq(parsed("--colour=blue").choice, 2);
}

Test(opts, the_last_of_a_repeated_option_counts)
{
	cr_expect_eq(parsed("-n 5 --number=7").number, 7);
}

Test(opts, wrong_values_are_usage_errors, .init = cr_redirect_stderr)
{
	static const char *const lines[] = {
	    "-n 1",        "-n 101",    "-n",
	    "-n 5x",       "--number=", "--number=-5",
	    "--size=M",    "--size=1X", "--size=16777216T",
	    "--colour=re", "--colour=", "--colour=red|green",
	    "--verbose=1", "--unknown", "-x",
	    "-vx",         "--outpu=x", "--size=99999999999999999999"};
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		refused(lines[i]);
}

Test(opts, no_memory_is_a_fault_and_not_a_wrong_value, .init = cr_redirect_stderr)
{
	struct values v = {.choice = -1};
	char *words[WORDS_MAX + 1], copy[256];
	cr_expect_eq(parse(&v, "--memory=1", words, copy), EXIT_FAILED);
	fflush(stderr);
	cr_expect_stderr_eq_str("iotrace: out of memory\n");
}
