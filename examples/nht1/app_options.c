/* SPDX-License-Identifier: BSD-2-Clause */
#include "app_options.h"
#include "die.h"
#include "options.h"

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

#define STEP_S 0.01 /* The time of a step of the pattern, unless --step says it. */

void app_options_parse(struct app_options *a, int argc, char **argv)
{
	int class = 0, word = 0, io = IO_WRITE, sync = SYNC_END, pattern = 0;
	const struct option_row options[] = {
	    {"--class", OPTION_WORD, .value = &class, .letter = 'c', .words = bt_class_words},
	    {"--output", OPTION_TEXT, .value = &a->output.path, .letter = 'o'},
	    {"--file-per-vector", OPTION_FLAG, .value = &a->output.file_per_vector},
	    {"--io", OPTION_WORD, .value = &io, .words = io_words},
	    {"--request", OPTION_BYTES, .value = &a->output.request},
	    {"--sync", OPTION_WORD, .value = &sync, .words = sync_words},
	    {"--word", OPTION_WORD, .value = &word, .words = bt_number_words},
	    {"--threads", OPTION_COUNT, .value = &a->threads, .low = 1, .high = 64},
	    {"--tc", OPTION_SECONDS, .value = &a->compute_s},
	    {"--runs", OPTION_COUNT, .value = &a->runs, .low = 1, .high = 1000},
	    {"--pattern-only", OPTION_FLAG, .value = &pattern},
	    {"--step", OPTION_SECONDS, .value = &a->step_s},
	    {"--sleep", OPTION_FLAG, .value = &a->sleep},
	    {"--json", OPTION_FLAG, .value = &a->json, .letter = 'j'},
	    {0},
	};
	*a = (struct app_options){.output = {.path = "nht1.out"}, .threads = 1, .runs = 3};
	options_parse(options, help, argc, argv);
	options_end(argc, argv);
	a->of = bt_class_of(class);
	a->word = bt_number_bytes(word);
	a->output.io = (enum io)io;
	a->output.sync = (enum sync)sync;
	if (pattern && a->step_s <= 0)
		a->step_s = STEP_S;
	if (a->sleep && a->step_s <= 0)
		die("--sleep needs --pattern-only");
}
