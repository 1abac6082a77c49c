/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures the rate of making tables of Arrow from traces, as a share of the rate of reading them:
 * arrow [RUNS [RECORDS [OUT]]]. Each run measures everything once, so that the shares hold on a
 * loaded machine; times are CPU times. With OUT, the plain trace stays there.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <iotrace/arrow.h>

#include "lib/base/idmap.h"
#include "median.h"
#include "workload.h"

enum { BATCH = 1024, RUNS = 5, RUNS_MAX = 99, RECORDS = 10000000, MEASURES = 3, FORMS = 2 };

static const char *const columns[MEASURES] = {
    NULL, "start_ns,duration_ns,offset,length,process,file,cpu_ns,operation,object",
    "start_ns,duration_ns,offset,length,process,file,cpu_ns,operation,object,op,kind,path"};

struct trace {
	const char *form;
	struct iot_writer *writer; /* owns the trace */
	const void *data;
	size_t size, records;
};

/* Declares files at their first use, so that records have paths. */
static int declare(struct iot_writer *w, struct idmap *files, const struct iot_record *rec)
{
	char path[64];
	const size_t known = files->count;
	const size_t number = idmap_number(files, idmap_pair(rec->process, rec->file));
	if (number < known)
		return IOT_OK;
	snprintf(path, sizeof path, "/scratch/project/run%u/data.%zu", rec->process, number);
	return iot_writer_file(w, rec->process, rec->file, (uint32_t)number + 1, path);
}

static int fill(struct iot_writer *w, size_t records)
{
	struct workload *from = workload_new("mixed", 1);
	struct idmap files = {0};
	struct iot_record rec[BATCH];
	int status = from != NULL ? IOT_OK : IOT_ENOMEM;
	for (size_t left = records, n; left > 0 && status == IOT_OK; left -= n) {
		n = left < BATCH ? left : BATCH;
		workload_next(from, rec, n);
		for (size_t i = 0; i < n && status == IOT_OK; i++)
			status = declare(w, &files, &rec[i]);
		if (status == IOT_OK)
			status = iot_writer_records(w, rec, n);
	}
	idmap_free(&files);
	workload_free(from);
	return status;
}

static bool make(struct trace *t, size_t records, enum iot_compression compression)
{
	t->form = compression == IOT_PLAIN ? "plain" : "zstd";
	t->records = records;
	t->writer = iot_writer_new();
	if (t->writer == NULL || iot_writer_set(t->writer, IOT_SET_COMPRESSION, compression) < 0 ||
	    iot_writer_open_memory(t->writer) < 0 || fill(t->writer, records) < 0 ||
	    iot_writer_close(t->writer) < 0)
		return false;
	t->data = iot_writer_memory(t->writer, &t->size);
	return t->data != NULL;
}

static size_t read_all(struct iot_reader *r)
{
	struct iot_record rec[BATCH];
	ssize_t n;
	size_t rows = 0;
	while ((n = iot_reader_records(r, rec, BATCH)) > 0)
		rows += (size_t)n;
	return n == 0 ? rows : 0;
}

static size_t export_all(struct iot_reader *r, const char *list)
{
	const struct iot_arrow_options options = {.size = sizeof options, .columns = list};
	struct ArrowArrayStream s;
	struct ArrowArray a;
	size_t rows = 0;
	if (iot_stream_arrow(iot_stream_of_reader(r), &options, &s) != IOT_OK)
		return 0;
	int error;
	while ((error = s.get_next(&s, &a)) == 0 && a.release != NULL) {
		rows += (size_t)a.length;
		a.release(&a);
	}
	s.release(&s);
	return error == 0 ? rows : 0;
}

/* Returns records per second; 0 if reading fails. */
static double rate(const struct trace *t, const char *list)
{
	struct iot_reader *r = iot_reader_new();
	const clock_t begun = clock();
	size_t rows = 0;
	if (r != NULL && iot_reader_open_memory(r, t->data, t->size, t->form) == IOT_OK)
		rows = list != NULL ? export_all(r, list) : read_all(r);
	const double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
	iot_reader_free(r);
	return rows == t->records && seconds > 0 ? (double)rows / seconds : 0;
}

static void print(const struct trace *t, double rates[MEASURES][RUNS_MAX], size_t runs)
{
	double share[MEASURES][RUNS_MAX];
	for (size_t i = 0; i < runs; i++)
		for (size_t m = 0; m < MEASURES; m++)
			share[m][i] = rates[m][i] / rates[0][i];
	printf("%-6s %8.1f M/s %8.2f %8.2f\n", t->form, median(rates[0], runs) / 1e6,
	       median(share[1], runs), median(share[2], runs));
}

static bool save(const struct trace *t, const char *path)
{
	FILE *out = fopen(path, "wb");
	if (out == NULL)
		return false;
	const bool wrote = fwrite(t->data, 1, t->size, out) == t->size;
	return fclose(out) == 0 && wrote;
}

static bool measure(const struct trace *t, size_t runs)
{
	double rates[MEASURES][RUNS_MAX];
	for (size_t i = 0; i < runs; i++)
		for (size_t m = 0; m < MEASURES; m++)
			if ((rates[m][i] = rate(t, columns[m])) == 0)
				return false;
	print(t, rates, runs);
	return true;
}

int main(int argc, char **argv)
{
	const size_t runs = argc > 1 ? strtoul(argv[1], NULL, 10) : RUNS;
	const size_t records = argc > 2 ? strtoul(argv[2], NULL, 10) : RECORDS;
	struct trace trace[FORMS] = {{0}, {0}};
	bool fine = runs > 0 && runs <= RUNS_MAX && records > 0;
	printf("%-6s %12s %8s %8s\n", "trace", "read", "numbers", "texts");
	for (size_t i = 0; i < FORMS && fine; i++)
		fine = make(&trace[i], records, i == 0 ? IOT_PLAIN : IOT_ZSTD) &&
		       measure(&trace[i], runs);
	if (fine && argc > 3)
		fine = save(&trace[0], argv[3]);
	for (size_t i = 0; i < FORMS; i++)
		iot_writer_free(trace[i].writer);
	if (!fine)
		fprintf(stderr, "arrow: failed\n");
	return !fine;
}
