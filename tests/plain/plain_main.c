/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the tests that criterion/criterion.h has collected, each in a child; see there. Arguments
 * are suites, or beginnings of names SUITE/NAME: the tests to run, or after '-' the tests to skip;
 * without arguments, all. An argument that names no test is an error.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <criterion/redirect.h>

enum { SECONDS_MAX = 1800 }; /* valgrind is slow */

/* The linker gives these names to the ends of a section. */
extern const struct plain_test *const __start_plain_tests[], *const __stop_plain_tests[];

static int failures; /* of the test that this child is */

void plain_failed(bool fatal, const char *file, int line, const char *what, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	printf("%s:%d: %s: ", file, line, what);
	vprintf(format, list);
	printf("\n");
	va_end(list);
	failures++;
	if (fatal)
		exit(EXIT_FAILURE);
}

void cr_redirect_stderr(void)
{
	FILE *file = tmpfile();
	if (file == NULL || dup2(fileno(file), STDERR_FILENO) < 0)
		exit(EXIT_FAILURE);
	(void)fclose(file);
}

bool plain_stderr_is(const char *text)
{
	char written[4096];
	(void)fflush(stderr);
	const ssize_t n = pread(STDERR_FILENO, written, sizeof written, 0);
	return n == (ssize_t)strlen(text) && memcmp(written, text, strlen(text)) == 0;
}

/* Options of the suite that its file has. */
static const struct plain_options *suite_of(const struct plain_test *test)
{
	for (const struct plain_test *const *t = __start_plain_tests; t < __stop_plain_tests; t++)
		if ((*t)->run == NULL && strcmp((*t)->suite, test->suite) == 0 &&
		    strcmp((*t)->file, test->file) == 0)
			return &(*t)->options;
	return NULL;
}

static void run(const struct plain_test *test)
{
	const struct plain_options *suite = suite_of(test), *own = &test->options;
	void (*init)(void) = own->init != NULL || suite == NULL ? own->init : suite->init;
	void (*fini)(void) = own->fini != NULL || suite == NULL ? own->fini : suite->fini;
	(void)alarm(SECONDS_MAX);
	if (init != NULL)
		init();
	test->run();
	if (fini != NULL)
		fini();
	exit(failures > 0 ? EXIT_FAILURE : EXIT_SUCCESS);
}

static bool passes(const struct plain_test *test)
{
	int status = 0;
	(void)fflush(stdout);
	const pid_t child = fork();
	if (child == 0)
		run(test);
	if (child > 0 && waitpid(child, &status, 0) == child && status == 0)
		return true;
	printf("not ok: %s/%s: status 0x%x\n", test->suite, test->name, (unsigned)status);
	return false;
}

static bool is_named(const struct plain_test *test, const char *argument)
{
	char name[200];
	argument += *argument == '-';
	snprintf(name, sizeof name, "%s/%s", test->suite, test->name);
	return strchr(argument, '/') != NULL ? strncmp(name, argument, strlen(argument)) == 0
					     : strcmp(test->suite, argument) == 0;
}

static bool is_wanted(const struct plain_test *test, char **arguments)
{
	bool named = false, all = true;
	for (; *arguments != NULL; arguments++) {
		const bool without = **arguments == '-', meant = is_named(test, *arguments);
		if (without && meant)
			return false;
		named |= meant;
		all &= without;
	}
	return test->run != NULL && (named || all);
}

static bool names_a_test(const char *argument)
{
	for (const struct plain_test *const *t = __start_plain_tests; t < __stop_plain_tests; t++)
		if ((*t)->run != NULL && is_named(*t, argument))
			return true;
	printf("not ok: there is no test %s\n", argument);
	return false;
}

int main(int argc, char **argv)
{
	unsigned passed = 0, failed = 0;
	for (int i = 1; i < argc; i++)
		failed += !names_a_test(argv[i]);
	for (const struct plain_test *const *t = __start_plain_tests; t < __stop_plain_tests; t++) {
		if (!is_wanted(*t, argv + (argc > 0)))
			continue;
		const bool fine = passes(*t);
		passed += fine;
		failed += !fine;
	}
	printf("%u passed, %u failed\n", passed, failed);
	return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
