/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>

#include "die.h"
#include "report.h"

static void begin_field(struct report *r, const char *name)
{
	if (r->json)
		printf("%s  \"%s\": ", r->fields > 0 ? ",\n" : "{\n", name);
	else
		printf("%-16s ", name);
	r->fields++;
}

static void end_field(const struct report *r)
{
	if (!r->json)
		putchar('\n');
}

static void print_quoted(const char *text)
{
	putchar('"');
	for (; *text != '\0'; text++)
		if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else if ((unsigned char)*text < ' ')
			printf("\\u%04x", (unsigned char)*text);
		else
			putchar(*text);
	putchar('"');
}

void report_text(struct report *r, const char *name, const char *value)
{
	begin_field(r, name);
	if (r->json)
		print_quoted(value);
	else
		printf("%s", value);
	end_field(r);
}

void report_count(struct report *r, const char *name, uint64_t value)
{
	begin_field(r, name);
	printf("%" PRIu64, value);
	end_field(r);
}

void report_number(struct report *r, const char *name, double value)
{
	begin_field(r, name);
	printf(r->json ? "%.17g" : "%.9g", value);
	end_field(r);
}

void report_end(struct report *r)
{
	if (r->json)
		printf("\n}\n");
	if (fflush(stdout) != 0 || ferror(stdout))
		die_errno("standard output", "write");
}
