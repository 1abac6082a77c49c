/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rates of iot_analyze and of decoding, of plain traces in memory: analyze [RUNS] TRACE ... Each
 * run measures everything once, so that the ratios hold on a loaded machine; times are CPU times.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <iotrace/analyze.h>

#include "median.h"

enum { BATCH = 1024, EVENTS = 1024, RUNS_MAX = 99, RUNS = 5, MEASURES = 3 };

static const double shortest_s = 0.2;

struct trace {
	const char *name;
	char *data;
	size_t size, records;
};

/*
 * The measures: decoding alone, all statistics, and those that bins and intervals do not concern.
 */
static const uint32_t sections[MEASURES] = {
    0,
    IOT_ANALYZE_TOTALS | IOT_ANALYZE_SIZES | IOT_ANALYZE_ORDER | IOT_ANALYZE_TIME |
	IOT_ANALYZE_METADATA,
    IOT_ANALYZE_TOTALS | IOT_ANALYZE_SIZES | IOT_ANALYZE_ORDER};

static bool load(struct trace *t, const char *path)
{
	FILE *in = fopen(path, "rb");
	const char *name = strrchr(path, '/');
	long size = -1;
	t->name = name != NULL ? name + 1 : path;
	if (in != NULL && fseek(in, 0, SEEK_END) == 0)
		size = ftell(in);
	t->size = size > 0 ? (size_t)size : 0;
	t->data = malloc(t->size + 1);
	const bool done = size > 0 && t->data != NULL && fseek(in, 0, SEEK_SET) == 0 &&
			  fread(t->data, 1, t->size, in) == t->size;
	if (in != NULL)
		fclose(in);
	return done;
}

static bool decode(struct trace *t, struct iot_reader *r)
{
	struct iot_record rec[BATCH];
	ssize_t n;
	t->records = 0;
	while ((n = iot_reader_records(r, rec, BATCH)) > 0)
		t->records += (size_t)n;
	return n == 0;
}

static bool analyze(struct iot_analyze *a, struct iot_reader *r)
{
	struct iot_event ev[EVENTS];
	ssize_t n;
	while ((n = iot_reader_events(r, ev, EVENTS)) > 0)
		if (iot_analyze_events(a, ev, (size_t)n) != IOT_OK)
			return false;
	return n == 0 && iot_analyze_finish(a) == IOT_OK;
}

static bool measure_once(struct trace *t, unsigned measure)
{
	const struct iot_analyze_options options = {.size = sizeof options,
						    .sections = sections[measure]};
	struct iot_reader *r = iot_reader_new();
	struct iot_analyze *a = measure > 0 ? iot_analyze_new(&options) : NULL;
	const bool done = r != NULL && (measure == 0 || a != NULL) &&
			  iot_reader_open_memory(r, t->data, t->size, t->name) == IOT_OK &&
			  (measure == 0 ? decode(t, r) : analyze(a, r));
	if (!done)
		fprintf(stderr, "analyze: %s: %s\n", t->name,
			r != NULL ? iot_reader_error(r) : "out of memory");
	iot_analyze_free(a);
	iot_reader_free(r);
	return done;
}

static double cpu_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Seconds of one pass, which short traces make several times. Returns 0 if one fails. */
static double seconds_of(struct trace *t, unsigned measure)
{
	const double begin = cpu_s();
	double end = begin;
	unsigned passes = 0;
	for (; end - begin < shortest_s; end = cpu_s(), passes++)
		if (!measure_once(t, measure))
			return 0;
	return (end - begin) / passes;
}

static bool compare(struct trace *t, unsigned runs)
{
	double ns[MEASURES][RUNS_MAX], ratio[MEASURES][RUNS_MAX];
	for (unsigned run = 0; run < runs; run++) {
		double s[MEASURES];
		for (unsigned m = 0; m < MEASURES; m++)
			if ((s[m] = seconds_of(t, m)) <= 0)
				return false;
		for (unsigned m = 0; m < MEASURES; m++) {
			ns[m][run] = s[m] * 1e9 / (double)(t->records > 0 ? t->records : 1);
			ratio[m][run] = s[0] / s[m];
		}
	}
	printf("| %s | %zu | %.1f | %.1f | **%.2f** | %.1f | **%.2f** |\n", t->name, t->records,
	       median(ns[0], runs), median(ns[1], runs), median(ratio[1], runs),
	       median(ns[2], runs), median(ratio[2], runs));
	return true;
}

int main(int argc, char **argv)
{
	char *end = argv[argc > 1];
	unsigned long runs = argc > 1 ? strtoul(argv[1], &end, 10) : 0;
	const bool given = argc > 1 && *end == '\0' && runs >= 1 && runs <= RUNS_MAX;
	bool done = true;
	if (argc < (given ? 3 : 2)) {
		fprintf(stderr, "usage: analyze [RUNS] TRACE ...\n");
		return 2;
	}
	printf("| trace | records | decode, ns/record | all statistics | ratio | totals, sizes, "
	       "order | ratio |\n|---|---:|---:|---:|---:|---:|---:|\n");
	for (int i = given ? 2 : 1; i < argc; i++) {
		struct trace t = {.data = NULL};
		if (!load(&t, argv[i])) {
			fprintf(stderr, "analyze: cannot read %s\n", argv[i]);
			done = false;
		} else {
			done = compare(&t, given ? (unsigned)runs : RUNS) && done;
		}
		fflush(stdout);
		free(t.data);
	}
	return done ? 0 : 1;
}
