/* SPDX-License-Identifier: BSD-2-Clause */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app_options.h"
#include "die.h"
#include "units.h"

static const char help[] =
    "Usage: app [OPTION]...\n"
    "\n"
    "The application benchmark of NHT-1: solves the BT problem of the NAS Parallel\n"
    "Benchmarks and writes the solution after each fifth step.\n"
    "\n"
    "  -c, --class=S|W|A|B     the size: 12, 24, 64 or 102 points in each direction\n"
    "                          (default: S; B is the size of NHT-1)\n"
    "  -o, --output=FILE       write to this file (default: nht1.out)\n"
    "      --file-per-vector   write each vector to a file of its own, FILE.NUMBER\n"
    "      --io=METHOD         write, pwrite, writev, mmap, direct, or async: in a\n"
    "                          thread, while the computation continues\n"
    "      --request=SIZE      bytes of a call (default: the whole vector)\n"
    "      --sync=WHEN         end, vector or none: when the data is on disk\n"
    "      --word=8|4          bytes of a number in the file (default: 8)\n"
    "      --threads=N         threads of the solver (default: 1)\n"
    "      --tc=SECONDS        the time without I/O (default: it is measured first)\n"
    "      --runs=N            runs to measure it, of which the best counts (3)\n"
    "      --pattern-only      write the same amounts without the solver\n"
    "      --step=SECONDS      pattern only: the time of a step (default: 0.01)\n"
    "      --sleep             pattern only: sleep instead of computing\n"
    "  -j, --json              print one JSON object\n"
    "  -h, --help              print this help\n"
    "\n"
    "The figures appear only if the norms of the solution are the published ones.\n"
    "A run that fails or is interrupted removes its files.\n";

enum { IO = 256, FILE_PER_VECTOR, REQUEST, SYNC, WORD, THREADS, TC, RUNS, PATTERN, STEP, SLEEP };

static const struct option options[] = {
    {"class", 1, NULL, 'c'},
    {"output", 1, NULL, 'o'},
    {"file-per-vector", 0, NULL, FILE_PER_VECTOR},
    {"io", 1, NULL, IO},
    {"request", 1, NULL, REQUEST},
    {"sync", 1, NULL, SYNC},
    {"word", 1, NULL, WORD},
    {"threads", 1, NULL, THREADS},
    {"tc", 1, NULL, TC},
    {"runs", 1, NULL, RUNS},
    {"pattern-only", 0, NULL, PATTERN},
    {"step", 1, NULL, STEP},
    {"sleep", 0, NULL, SLEEP},
    {"json", 0, NULL, 'j'},
    {"help", 0, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static const struct bt_class *parse_class(const char *text)
{
	const struct bt_class *of = strlen(text) == 1 ? bt_class_find(*text) : NULL;
	if (of == NULL)
		die("--class is '%s', expected S, W, A or B", text);
	return of;
}

/* Options of the file. Returns whether the option is one of them. */
static int parse_output(struct output *o, int option, const char *value)
{
	switch (option) {
	case 'o':
		o->path = value;
		return 1;
	case FILE_PER_VECTOR:
		o->file_per_vector = 1;
		return 1;
	case IO:
		o->io = (enum io)parse_word("--io", value, io_words);
		return 1;
	case REQUEST:
		o->request = parse_size("--request", value);
		return 1;
	case SYNC:
		o->sync = (enum sync)parse_word("--sync", value, sync_words);
		return 1;
	default:
		return 0;
	}
}

static void parse_option(struct app_options *a, int option, const char *value)
{
	static const char *const words[] = {"8", "4", NULL};
	switch (option) {
	case 'c':
		a->of = parse_class(value);
		break;
	case WORD:
		a->word = parse_word("--word", value, words) == 0 ? 8 : 4;
		break;
	case THREADS:
		a->threads = parse_count("--threads", value, 1, 64);
		break;
	case TC:
		a->compute_s = parse_seconds("--tc", value);
		break;
	case RUNS:
		a->runs = parse_count("--runs", value, 1, 1000);
		break;
	case PATTERN:
		a->step_s = a->step_s > 0 ? a->step_s : 0.01;
		break;
	case STEP:
		a->step_s = parse_seconds("--step", value);
		break;
	case SLEEP:
		a->sleep = 1;
		break;
	case 'j':
		a->json = 1;
		break;
	case 'h':
		fputs(help, stdout);
		exit(0);
	default:
		exit(2);
	}
}

void app_options_parse(struct app_options *a, int argc, char **argv)
{
	int option;
	*a = (struct app_options){
	    .output = {.path = "nht1.out"}, .threads = 1, .word = 8, .runs = 3};
	a->of = bt_class_find('S');
	while ((option = getopt_long(argc, argv, "c:o:jh", options, NULL)) != -1)
		if (!parse_output(&a->output, option, optarg))
			parse_option(a, option, optarg);
	if (optind < argc)
		die("'%s' is not an option; see --help", argv[optind]);
	if (a->sleep && a->step_s <= 0)
		die("--sleep needs --pattern-only");
}
