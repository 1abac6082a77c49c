/* SPDX-License-Identifier: BSD-2-Clause */
/* The benchmark's command line: runs one workload after the other. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

enum { WORKLOADS_MAX = 8 };

static const char usage[] =
    "usage: bench [OPTION ...] [TRACE ...]\n"
    "  --records=N      I/Os of each workload (10000000)\n"
    "  --runs=N         times that everything is measured (5)\n"
    "  --seed=N         of the generator (1)\n"
    "  --level19=N      I/Os compressed with zstd -19, which is slow (1000000)\n"
    "  --workload=NAME  mixed, sequential, wide, real (the TRACEs); may be repeated (all)\n"
    "  --directory=DIR  for files (/dev/shm, or /tmp)\n"
    "  --only=KEY       one measurement, by its name in --json, for a profiler\n"
    "  --quick          500000 I/Os, 3 runs, no zstd -19\n"
    "  --json           one object for each workload, instead of a table\n";

struct choice {
	struct bench_options options;
	const char *workloads[WORKLOADS_MAX];
	size_t workloads_size;
};

static uint64_t number(const char *text)
{
	char *end;
	const unsigned long long n = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != '\0') {
		fprintf(stderr, "bench: %s is no number\n", text);
		exit(2);
	}
	return n;
}

static void set_quick(struct bench_options *o)
{
	o->records = 500000;
	o->runs = 3;
	o->records_19 = 0;
}

static void set(struct choice *c, int option)
{
	switch (option) {
	case 'n':
		c->options.records = number(optarg);
		break;
	case 'r':
		c->options.runs = (unsigned)number(optarg);
		break;
	case 's':
		c->options.seed = number(optarg);
		break;
	case '9':
		c->options.records_19 = number(optarg);
		break;
	case 'w':
		if (c->workloads_size < WORKLOADS_MAX)
			c->workloads[c->workloads_size++] = optarg;
		break;
	case 'd':
		c->options.directory = optarg;
		break;
	case 'o':
		c->options.only = optarg;
		break;
	case 'q':
		set_quick(&c->options);
		break;
	case 'j':
		c->options.json = true;
		break;
	default:
		fputs(usage, option == 'h' ? stdout : stderr);
		exit(option == 'h' ? 0 : 2);
	}
}

static void parse(struct choice *c, int argc, char **argv)
{
	static const struct option options[] = {{"records", required_argument, NULL, 'n'},
						{"runs", required_argument, NULL, 'r'},
						{"seed", required_argument, NULL, 's'},
						{"level19", required_argument, NULL, '9'},
						{"workload", required_argument, NULL, 'w'},
						{"directory", required_argument, NULL, 'd'},
						{"only", required_argument, NULL, 'o'},
						{"quick", no_argument, NULL, 'q'},
						{"json", no_argument, NULL, 'j'},
						{"help", no_argument, NULL, 'h'},
						{0}};
	int option;
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		set(c, option);
	c->options.paths = argv + optind;
	c->options.paths_size = (size_t)(argc - optind);
	if (c->options.runs < 1 || c->options.runs > BENCH_RUNS_MAX || c->options.records < 1000) {
		fprintf(stderr, "bench: 1 to %d runs, at least 1000 records\n", BENCH_RUNS_MAX);
		exit(2);
	}
}

static void choose_all(struct choice *c)
{
	static const char *const all[] = {"mixed", "sequential", "wide", "real"};
	const size_t n = c->options.paths_size > 0 ? 4 : 3;
	if (c->workloads_size > 0)
		return;
	memcpy(c->workloads, all, n * sizeof(*all));
	c->workloads_size = n;
}

static bool measure(const char *workload, const struct bench_options *o, double *mixed_rate)
{
	struct bench *b = calloc(1, sizeof(*b));
	if (b == NULL)
		return false;
	b->workload = workload;
	b->options = o;
	b->mixed_rate = *mixed_rate;
	const bool ok = bench_prepare(b) && bench_time(b);
	if (ok && o->json)
		bench_print_json(stdout, b);
	else if (ok)
		bench_print_table(stdout, b);
	else
		fprintf(stderr, "bench: %s: failed\n", workload);
	if (strcmp(workload, "mixed") == 0)
		*mixed_rate = bench_rate(b, BENCH_READ_MEMORY);
	bench_release(b);
	free(b);
	return ok;
}

int main(int argc, char **argv)
{
	struct choice c = {
	    .options = {.records = 10000000,
			.seed = 1,
			.records_19 = 1000000,
			.runs = 5,
			.directory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"}};
	double mixed_rate = 0;
	bool ok = true;
	parse(&c, argc, argv);
	choose_all(&c);
	for (size_t i = 0; i < c.workloads_size; i++)
		ok = measure(c.workloads[i], &c.options, &mixed_rate) && ok;
	return ok ? 0 : 1;
}
