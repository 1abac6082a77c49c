/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace: one binary; the first argument is the command. */
#include <errno.h>
#include <locale.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iotrace/iotrace.h>

#include "cmd.h"
#include "version.h"
#include "cli/ui/printable.h"
#include "cli/ui/signals.h"
#include "cli/ui/message.h"
#include "cli/ui/nearest.h"

struct command_entry {
	const char *name;
	enum exit_status (*fn)(int argc, char **argv);
	const char *group, *summary;
};

static const struct command_entry commands[] = {
#define COMMAND(name, group, summary) {#name, cmd_##name, group, summary},
#include "command_list.h"
#undef COMMAND
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const struct command_entry *find(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static void print_help(void)
{
	const char *group = "";
	printf("Usage: iotrace COMMAND [OPTION]... [FILE]...\n"
	       "\n"
	       "Tools for traces of file I/O in the format of iotrace(5).\n");
	for (const struct command_entry *e = commands; e < commands + COMMANDS; e++) {
		if (strcmp(group, e->group) != 0)
			printf("\n%s:\n", e->group);
		group = e->group;
		printf("  %-10s%s\n", e->name, e->summary);
	}
	printf("\n"
	       "Run 'iotrace COMMAND --help' for the most used options, 'iotrace help COMMAND'\n"
	       "for all. A file \"-\" is standard input or output; .gz and .zst are decompressed\n"
	       "and compressed. Commands that read a trace also read the logs that convert reads.\n"
	       "\n"
	       "Trace an application, and look into the trace:\n"
	       "  iotrace record -o app.iot.zst ./app          run it\n"
	       "  iotrace stat app.iot.zst                     see which files it used, and how\n"
	       "  iotrace cat --format=csv app.iot.zst         feed another tool\n");
}

static enum exit_status usage(const char *what, const char *word)
{
	char shown[128];
	fprintf(stderr, "iotrace: %s%s%s%s", what, word ? " '" : "",
		word ? printable(shown, sizeof shown, word, strlen(word)) : "", word ? "'" : "");
	return EXIT_FAILED;
}

/* Names of the commands in other tools. */
static const char *synonym_of(const char *word)
{
	static const struct {
		const char *words, *meant;
	} synonyms[] = {{" csv ", "cat --format=csv"},
			{" json jsonl ", "cat --format=jsonl"},
			{" text show print view dump ", "cat --format=text"},
			{" verify validate lint ", "check"},
			{" repair recover fix ", "check --repair"},
			{" summary describe file ", "info"},
			{" count report ", "stat"},
			{" watch live monitor ", "top"},
			{" sort order ", "reorder"},
			{" join concat ", "merge"},
			{" cut filter select grep head tail ", "slice"},
			{" import parse ", "convert"},
			{" collect ", "procstat"},
			{" trace run ", "record"}};
	char sought[32];
	if (strlen(word) + 3 > sizeof sought)
		return NULL;
	snprintf(sought, sizeof sought, " %s ", word);
	for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
		if (strstr(synonyms[i].words, sought) != NULL)
			return synonyms[i].meant;
	return NULL;
}

/* A file in place of the command. */
static bool report_of_file(const char *word)
{
	struct stat st;
	if (word[0] == '-' || stat(word, &st) != 0)
		return false;
	fprintf(stderr, "; it is a file: name a command before it, such as 'info'");
	return true;
}

static enum exit_status unknown(const char *word)
{
	const bool option = word[0] == '-';
	const char *synonym = strcmp(word, "-v") == 0 ? "--version" : synonym_of(word);
	const enum exit_status status = usage(option ? "unknown option" : "unknown command", word);
	struct nearest near;
	nearest_start(&near, word);
	nearest_offer(&near, option ? "--help" : "help", option ? 6 : 4);
	nearest_offer(&near, option ? "--version" : "version", option ? 9 : 7);
	for (const struct command_entry *e = commands; !option && e < commands + COMMANDS; e++)
		nearest_offer(&near, e->name, strlen(e->name));
	if (synonym != NULL)
		fprintf(stderr, "; did you mean '%s'?", synonym);
	else if (!report_of_file(word) && nearest_is_found(&near))
		fprintf(stderr, "; did you mean '%s'?", near.word);
	fprintf(stderr, "\nTry 'iotrace --help'.\n");
	return status;
}

static enum exit_status version(int argc, char **argv)
{
	if (argc > 1) {
		enum exit_status status = usage("the version takes no argument:", argv[1]);
		fprintf(stderr, "\nTry 'iotrace --help'.\n");
		return status;
	}
	return version_print() < 0 ? EXIT_FAILED : EXIT_OK;
}

static enum exit_status help(int argc, char **argv)
{
	if (argc > 2) {
		enum exit_status status = usage("one command only, this is too much:", argv[2]);
		fprintf(stderr, "\nTry 'iotrace --help'.\n");
		return status;
	}
	if (argc < 2) {
		print_help();
		return EXIT_OK;
	}
	const struct command_entry *e = find(argv[1]);
	if (!e)
		return unknown(argv[1]);
	char option[] = "--help-all", *words[] = {argv[1], option, NULL};
	return e->fn(2, words);
}

/* For the completion of shells: a line for each command. */
static enum exit_status list_commands(void)
{
	for (size_t i = 0; i < COMMANDS; i++)
		printf("%s\t%s\n", commands[i].name, commands[i].summary);
	return EXIT_OK;
}

static enum exit_status run(int argc, char **argv)
{
	if (argc < 1) {
		enum exit_status status = usage("name a command", NULL);
		fprintf(stderr, "\nTry 'iotrace --help'.\n");
		return status;
	}
	const char *word = argv[0];
	if (strcmp(word, "version") == 0 || strcmp(word, "--version") == 0 ||
	    strcmp(word, "-V") == 0)
		return version(argc, argv);
	if (strcmp(word, "help") == 0)
		return help(argc, argv);
	if (strcmp(word, "--help-options") == 0)
		return list_commands();
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		return help(1, argv);
	const struct command_entry *e = find(word);
	return e ? e->fn(argc, argv) : unknown(word);
}

/* stdout may have been closed from the start, and EINTR has closed it nevertheless. */
static bool close_standard_output(void)
{
	return close(STDOUT_FILENO) == 0 || errno == EBADF || errno == EINTR;
}

static bool returned; /* main */

/*
 * libarchive calls exit(1) if it is out of memory, but EXIT_DAMAGED means that an output was made.
 */
static void correct_exit_status(void)
{
	if (!returned)
		_exit(EXIT_FAILED);
}

int main(int argc, char **argv)
{
	(void)atexit(correct_exit_status);
	/* The locale affects only how names are printed. */
	(void)setlocale(LC_CTYPE, "");
	signals_init();
	/*
	 * Returns large blocks to the system when freed: glibc would raise its threshold and keep
	 * them.
	 */
	(void)mallopt(M_MMAP_THRESHOLD, 128 * 1024);
	int status = (int)run(argc - 1, argv + 1);
	/*
	 * Data is written through output; this covers help texts, and errors that only close
	 * reports.
	 */
	errno = 0;
	if (fflush(stdout) != 0 || ferror(stdout) || !close_standard_output()) {
		if (errno != EPIPE)
			message_print("cannot write to standard output: %s", strerror(errno));
		status = status > EXIT_FAILED ? status : EXIT_FAILED; /* of a recorded program */
	}
	returned = true;
	return signals_exit(status);
}
