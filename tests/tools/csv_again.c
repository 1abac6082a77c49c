/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of cat become the same tables again, in each dialect: for each input that standard input
 * names, `cat` writes a table, `convert` makes a trace of it, and `cat` writes that. All in one
 * process, as there are many inputs.
 *
 *	csv_again <INPUTS
 *
 * Prints the names of inputs whose tables differ, and the number of tables.
 */
#include <stdio.h>

#include "fuzz/command.h"

static const struct dialect {
	const char *name, *format, *columns, *unit; /* options of cat; of convert */
} dialects[] = {
    {"csv", "--format=csv", "--quiet", "--quiet"},
    {"tsv", "--format=tsv", "--quiet", "--quiet"},
    {"all columns", "--format=csv",
     "--columns=start_ns,duration_ns,op,kind,offset,length,process,rank,file,path,cpu_ns,"
     "relative_offset,operation,object,program,host,to,result,size",
     "--quiet"},
    {"raw", "--format=csv", "--columns=raw", "--quiet"},
    {"raw:ns", "--format=csv", "--columns=raw", "--columns=raw:ns"},
};

enum { DIALECTS = sizeof dialects / sizeof *dialects };

static struct command table_of(const struct dialect *d, const char *input)
{
	const char *const words[] = {"cat",     "-q",       "--all-events",
				     d->format, d->columns, d->unit[2] == 'c' ? "--ns" : "-q",
				     input,     NULL};
	return command_run(cmd_cat, words);
}

static struct command trace_of(const struct dialect *d, const char *table)
{
	const char *const words[] = {"convert", "-q",  "--unsorted", "--from=csv",
				     d->unit,   table, NULL};
	return command_run(cmd_convert, words);
}

/* Returns whether the table becomes the same one again. Files in memory: disks are slow. */
static bool is_again(const struct dialect *d, struct command table)
{
	char path[FUZZ_PATH];
	int fd = fuzz_file(table.out, table.size);
	struct command trace = trace_of(d, fuzz_path(path, fd));
	(void)close(fd);
	fd = fuzz_file(trace.out, trace.size);
	struct command again = table_of(d, fuzz_path(path, fd));
	(void)close(fd);
	const bool same = again.size == table.size && memcmp(again.out, table.out, table.size) == 0;
	free(trace.out);
	free(again.out);
	return same;
}

int main(void)
{
	char input[COMMAND_PATH];
	unsigned inputs = 0, without = 0, same[DIALECTS] = {0}, tables[DIALECTS] = {0};
	while (scanf("%299s", input) == 1) {
		inputs++;
		for (size_t i = 0; i < DIALECTS; i++) {
			struct command table = table_of(&dialects[i], input);
			tables[i] += table.size > 0;
			without += table.size == 0 && i == 0;
			if (table.size > 0 && is_again(&dialects[i], table))
				same[i]++;
			else if (table.size > 0)
				printf("%s: another table: %s\n", dialects[i].name, input);
			free(table.out);
		}
	}
	for (size_t i = 0; i < DIALECTS; i++)
		printf("%s: %u of %u\n", dialects[i].name, same[i], tables[i]);
	printf("%u inputs, %u of them without a table\n", inputs, without);
	return 0;
}
