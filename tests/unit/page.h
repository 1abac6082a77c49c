/* SPDX-License-Identifier: BSD-2-Clause */
/* Captures what is printed to a struct output. */
#ifndef TESTS_UNIT_PAGE_H
#define TESTS_UNIT_PAGE_H

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/ui/output.h"

/* A temporary file and its contents. */
struct page {
	char path[32], text[4096];
	struct output out;
};

static inline void page_open(struct page *p)
{
	strcpy(p->path, "/tmp/iotrace-page-XXXXXX");
	int fd = mkstemp(p->path);
	cr_assert_geq(fd, 0);
	close(fd);
	cr_assert_eq(output_open(&p->out, p->path, 0), EXIT_OK);
}

/* Closes the output and returns what was written; removes the file. */
static inline const char *page_text(struct page *p)
{
	cr_assert_eq(output_close(&p->out), EXIT_OK);
	FILE *file = fopen(p->path, "r");
	cr_assert_not_null(file);
	size_t n = fread(p->text, 1, sizeof p->text - 1, file);
	p->text[n] = '\0';
	fclose(file);
	unlink(p->path);
	return p->text;
}

#endif
