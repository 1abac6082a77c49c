/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * As much of Criterion as our tests use, for sanitizers that Criterion itself does not run under:
 * each test is a function called in a child of a small program, plain_main.c.
 */
#ifndef PLAIN_CRITERION_H
#define PLAIN_CRITERION_H

#pragma GCC system_header

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plain_options {
	int line;
	void (*init)(void), (*fini)(void);
	double timeout;
};

struct plain_test {
	const char *suite, *name, *file;
	void (*run)(void); /* NULL: options of a suite */
	struct plain_options options;
};

/* Prints where and what; fatal: ends the test. */
void plain_failed(bool fatal, const char *file, int line, const char *what, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#define PLAIN_KEEP(id)                                                                             \
	__attribute__((                                                                            \
	    used, section("plain_tests"))) static const struct plain_test *const id##_kept = &id

#define Test(Suite, Name, ...)                                                                     \
	static void Suite##_##Name##_run(void);                                                    \
	static const struct plain_test Suite##_##Name = {                                          \
	    #Suite, #Name, __FILE__, Suite##_##Name##_run, {.line = __LINE__, __VA_ARGS__}};       \
	PLAIN_KEEP(Suite##_##Name);                                                                \
	static void Suite##_##Name##_run(void)

#define TestSuite(Suite, ...)                                                                      \
	static const struct plain_test Suite##_suite = {                                           \
	    #Suite, "", __FILE__, NULL, {.line = __LINE__, __VA_ARGS__}};                          \
	PLAIN_KEEP(Suite##_suite)

#define PLAIN_CHECK(fatal, holds, what, ...)                                                       \
	((holds) ? (void)0 : plain_failed(fatal, __FILE__, __LINE__, what, "" __VA_ARGS__))

#define cr_assert(a, ...)     PLAIN_CHECK(true, a, #a, __VA_ARGS__)
#define cr_expect(a, ...)     PLAIN_CHECK(false, a, #a, __VA_ARGS__)
#define cr_assert_not(a, ...) PLAIN_CHECK(true, !(a), "not " #a, __VA_ARGS__)
#define cr_expect_not(a, ...) PLAIN_CHECK(false, !(a), "not " #a, __VA_ARGS__)
#define cr_assert_fail(...)   PLAIN_CHECK(true, false, "fails", __VA_ARGS__)

#define cr_assert_null(a, ...)     PLAIN_CHECK(true, (a) == NULL, #a " == NULL", __VA_ARGS__)
#define cr_expect_null(a, ...)     PLAIN_CHECK(false, (a) == NULL, #a " == NULL", __VA_ARGS__)
#define cr_assert_not_null(a, ...) PLAIN_CHECK(true, (a) != NULL, #a " != NULL", __VA_ARGS__)
#define cr_expect_not_null(a, ...) PLAIN_CHECK(false, (a) != NULL, #a " != NULL", __VA_ARGS__)

#define PLAIN_TWO(fatal, a, sign, b, ...)                                                          \
	PLAIN_CHECK(fatal, (a)sign(b), #a " " #sign " " #b, __VA_ARGS__)
#define cr_assert_eq(a, b, ...)  PLAIN_TWO(true, a, ==, b, __VA_ARGS__)
#define cr_expect_eq(a, b, ...)  PLAIN_TWO(false, a, ==, b, __VA_ARGS__)
#define cr_assert_neq(a, b, ...) PLAIN_TWO(true, a, !=, b, __VA_ARGS__)
#define cr_expect_neq(a, b, ...) PLAIN_TWO(false, a, !=, b, __VA_ARGS__)
#define cr_assert_gt(a, b, ...)  PLAIN_TWO(true, a, >, b, __VA_ARGS__)
#define cr_expect_gt(a, b, ...)  PLAIN_TWO(false, a, >, b, __VA_ARGS__)
#define cr_assert_geq(a, b, ...) PLAIN_TWO(true, a, >=, b, __VA_ARGS__)
#define cr_expect_geq(a, b, ...) PLAIN_TWO(false, a, >=, b, __VA_ARGS__)
#define cr_assert_lt(a, b, ...)  PLAIN_TWO(true, a, <, b, __VA_ARGS__)
#define cr_expect_lt(a, b, ...)  PLAIN_TWO(false, a, <, b, __VA_ARGS__)
#define cr_assert_leq(a, b, ...) PLAIN_TWO(true, a, <=, b, __VA_ARGS__)
#define cr_expect_leq(a, b, ...) PLAIN_TWO(false, a, <=, b, __VA_ARGS__)

#define cr_assert_float_eq(a, b, epsilon, ...)                                                     \
	PLAIN_CHECK(true, (a) - (b) <= (epsilon) && (b) - (a) <= (epsilon), #a " is near " #b,     \
		    __VA_ARGS__)

#define PLAIN_TEXT(fatal, a, sign, b, ...)                                                         \
	PLAIN_CHECK(fatal, strcmp(a, b) sign 0, #a " " #sign " " #b, __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...)     PLAIN_TEXT(true, a, ==, b, __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...)     PLAIN_TEXT(false, a, ==, b, __VA_ARGS__)
#define cr_assert_str_neq(a, b, ...)    PLAIN_TEXT(true, a, !=, b, __VA_ARGS__)
#define cr_expect_str_neq(a, b, ...)    PLAIN_TEXT(false, a, !=, b, __VA_ARGS__)
#define cr_assert_str_not_empty(a, ...) PLAIN_TEXT(true, a, !=, "", __VA_ARGS__)

#define PLAIN_BYTES(fatal, a, b, n, ...)                                                           \
	PLAIN_CHECK(fatal, memcmp(a, b, n) == 0, "bytes of " #a " == " #b, __VA_ARGS__)
#define cr_assert_arr_eq(a, b, n, ...) PLAIN_BYTES(true, a, b, n, __VA_ARGS__)
#define cr_expect_arr_eq(a, b, n, ...) PLAIN_BYTES(false, a, b, n, __VA_ARGS__)

#endif
