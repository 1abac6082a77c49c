/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of a workload, their text in memory and in files. Work that measures the library's memory
 * runs first, in child processes, before this process has grown.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "workload.h"

enum { GZIP_RECORDS = 1000000, CODEC_PROCESSES = 8192 };

/* Peak memory */

static bool stream_out(const struct bench *b)
{
	struct iot_record batch[BENCH_BATCH];
	struct workload *made = workload_new(b->workload, b->options->seed);
	struct iot_writer *w = iot_writer_new();
	bool ok = made != NULL && w != NULL && iot_writer_open(w, b->zstd) == IOT_OK;
	for (size_t at = 0; ok && at < b->options->records; at += BENCH_BATCH) {
		workload_next(made, batch, BENCH_BATCH);
		ok = iot_writer_records(w, batch, BENCH_BATCH) == IOT_OK;
	}
	ok = ok && iot_writer_close(w) == IOT_OK;
	iot_writer_free(w);
	workload_free(made);
	return ok;
}

static bool stream_in(const struct bench *b)
{
	struct iot_record batch[BENCH_BATCH];
	struct iot_reader *r = iot_reader_new();
	ssize_t got = r == NULL ? IOT_ENOMEM : iot_reader_set(r, IOT_SET_READ_AHEAD, 1);
	if (got == IOT_OK)
		got = iot_reader_open(r, b->zstd);
	while (got >= 0 && (got = iot_reader_records(r, batch, BENCH_BATCH)) > 0)
		;
	iot_reader_free(r);
	return got == 0;
}

/* Peak memory in KiB of the work in a child process; 0: it failed. */
static long peak_of(const struct bench *b, bool (*work)(const struct bench *))
{
	struct rusage usage;
	int status;
	const pid_t pid = fork();
	if (pid == 0)
		_exit(work(b) ? 0 : 1);
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status != 0)
		return 0;
	return usage.ru_maxrss;
}

static void measure_memory(struct bench *b)
{
	if (strcmp(b->workload, "real") == 0)
		return;
	b->peak_write_kib = peak_of(b, stream_out);
	if (b->peak_write_kib > 0)
		b->peak_read_kib = peak_of(b, stream_in);
}

/* Records */

static bool make_records(struct bench *b)
{
	struct workload *w = workload_new(b->workload, b->options->seed);
	if (w != NULL)
		workload_next(w, b->records, b->n);
	workload_free(w);
	b->distinct = b->n;
	b->tick_ns = IOT_TICK_DEFAULT_NS;
	return w != NULL;
}

static bool read_trace(struct bench *b, const char *path)
{
	struct iot_reader *r = iot_reader_new();
	const int64_t from_ns = b->distinct == 0 ? 0 : b->records[b->distinct - 1].start_ns;
	ssize_t got = r == NULL ? IOT_ENOMEM : iot_reader_open(r, path);
	while (got >= 0 && b->distinct < b->n) {
		struct iot_record *to = b->records + b->distinct;
		got = iot_reader_records(r, to, b->n - b->distinct);
		if (got <= 0)
			break;
		for (ssize_t i = 0; i < got; i++)
			to[i].start_ns += from_ns;
		b->distinct += (size_t)got;
	}
	const uint64_t tick_ns = r == NULL ? 0 : iot_reader_fact(r, IOT_FACT_TICK_NS);
	if (b->tick_ns == 0 || tick_ns < b->tick_ns)
		b->tick_ns = tick_ns;
	if (got < 0)
		fprintf(stderr, "bench: %s\n", r == NULL ? "out of memory" : iot_reader_error(r));
	iot_reader_free(r);
	return got >= 0;
}

/* Concatenated traces, repeated. */
static bool real_records(struct bench *b)
{
	const struct bench_options *o = b->options;
	for (size_t i = 0; i < o->paths_size && b->distinct < b->n; i++)
		if (!read_trace(b, o->paths[i]))
			return false;
	const int64_t span_ns = b->distinct == 0 ? 0 : b->records[b->distinct - 1].start_ns;
	for (size_t i = b->distinct; b->distinct > 0 && i < b->n; i++) {
		b->records[i] = b->records[i - b->distinct];
		b->records[i].start_ns += span_ns;
	}
	return b->distinct > 0;
}

static bool is_small(const struct iot_record *r)
{
	const bool whole =
	    r->start_ns % 1000 == 0 && r->duration_ns % 1000 == 0 && r->cpu_ns % 1000 == 0;
	return whole && (r->type & IOT_LOGICAL) && r->operation == 0 &&
	       r->process < FLOOR_PROCESSES && r->file < FLOOR_FILES && r->length < 1 << 24;
}

static bool all_small(const struct bench *b)
{
	int64_t start_ns = 0;
	if (b->tick_ns != 1000)
		return false;
	for (size_t i = 0; i < b->n; i++) {
		if (!is_small(&b->records[i]) || b->records[i].start_ns < start_ns)
			return false;
		start_ns = b->records[i].start_ns;
	}
	return true;
}

static bool allocate(struct bench *b)
{
	b->records = calloc(b->n, sizeof(*b->records));
	b->scratch_size = (size_t)BENCH_BATCH * IOT_ENCODED_MAX;
	b->scratch = calloc(1, b->scratch_size);
	b->batch = calloc(BENCH_STRETCH / 12, sizeof(*b->batch));
	b->codec_size = iot_codec_size(CODEC_PROCESSES);
	b->codec = calloc(1, b->codec_size);
	b->floor = calloc(1, sizeof(*b->floor));
	return b->records != NULL && b->scratch != NULL && b->batch != NULL && b->codec != NULL &&
	       b->floor != NULL;
}

/* Texts */

static bool make_bare(struct bench *b)
{
	char *all = malloc(b->n * IOT_ENCODED_MAX); /* only used pages cost memory */
	if (all == NULL || !bench_encode_text(b, all, &b->bare_size)) {
		free(all);
		return false;
	}
	b->bare = realloc(all, b->bare_size);
	return b->bare != NULL;
}

static bool load(const char *path, char **data, size_t *size)
{
	FILE *f = fopen(path, "re");
	if (f == NULL)
		return false;
	bool ok = fseek(f, 0, SEEK_END) == 0;
	*size = ok ? (size_t)ftell(f) : 0;
	*data = malloc(*size + 1);
	rewind(f);
	ok = ok && *data != NULL && fread(*data, 1, *size, f) == *size;
	fclose(f);
	return ok;
}

static double per_record(uint64_t bytes, size_t n)
{
	return (double)bytes / (double)n;
}

/* Sizes exclude repeated records. */
static bool measure_sizes(struct bench *b)
{
	uint64_t stored = 0;
	char path[BENCH_PATH + 16];
	size_t n = b->distinct;
	struct bench_file f = {.path = path, .n = n};
	snprintf(path, sizeof(path), "%s", b->out);
	if (!bench_write_file(b, &f, &stored))
		return false;
	b->sizes.raw = per_record(stored, n);
	snprintf(path, sizeof(path), "%s.zst", b->out);
	f.level = 1;
	if (!bench_write_file(b, &f, &stored))
		return false;
	b->sizes.zstd_1 = per_record(stored, n);
	f.level = 3;
	if (!bench_write_file(b, &f, &stored))
		return false;
	b->sizes.zstd_3 = per_record(stored, n);
	f.n = b->n_19 = n < b->options->records_19 ? n : b->options->records_19;
	f.level = 19;
	if (f.n > 0) {
		if (!bench_write_file(b, &f, &stored))
			return false;
		b->sizes.zstd_19 = per_record(stored, f.n);
	}
	f.n = n < GZIP_RECORDS ? n : GZIP_RECORDS;
	f.level = 6;
	snprintf(path, sizeof(path), "%s.gz", b->out);
	if (!bench_write_file(b, &f, &stored))
		return false;
	b->sizes.gzip_6 = per_record(stored, f.n);
	return true;
}

static bool make_plain(struct bench *b)
{
	uint64_t stored;
	return bench_write_file(b, &(struct bench_file){.path = b->plain, .n = b->n}, &stored) &&
	       load(b->plain, &b->framed, &b->framed_size);
}

static bool make_packed(struct bench *b)
{
	uint64_t stored;
	b->n_gzip = b->n < GZIP_RECORDS ? b->n : GZIP_RECORDS;
	if (!bench_write_file(b, &(struct bench_file){.path = b->out, .n = b->n_gzip}, &stored))
		return false;
	b->gzip_text_size = stored;
	return bench_write_file(b, &(struct bench_file){.path = b->zstd, .n = b->n, .level = 3},
				&stored) &&
	       bench_write_file(b, &(struct bench_file){.path = b->gzip, .n = b->n_gzip}, &stored);
}

static void name_files(struct bench *b)
{
	const char *d = b->options->directory;
	const int pid = (int)getpid();
	snprintf(b->plain, sizeof(b->plain), "%s/bench-%d.iot", d, pid);
	snprintf(b->zstd, sizeof(b->zstd), "%s/bench-%d.iot.zst", d, pid);
	snprintf(b->gzip, sizeof(b->gzip), "%s/bench-%d.iot.gz", d, pid);
	snprintf(b->pcap, sizeof(b->pcap), "%s/bench-%d.pcap", d, pid);
	snprintf(b->out, sizeof(b->out), "%s/bench-%d.out", d, pid);
}

bool bench_prepare(struct bench *b)
{
	b->n = b->options->records;
	name_files(b);
	if (b->options->only == NULL)
		measure_memory(b);
	const bool real = strcmp(b->workload, "real") == 0;
	if (!allocate(b) || !(real ? real_records(b) : make_records(b)))
		return false;
	b->small_ids = all_small(b);
	if (!make_bare(b))
		return false;
	if (b->options->only != NULL)
		return make_plain(b);
	if (!make_plain(b) || !make_packed(b) || !measure_sizes(b))
		return false;
	if (b->small_ids && !bench_agree(b)) {
		fprintf(stderr, "bench: the floor does not give back the records\n");
		return false;
	}
	b->pcap_made = b->small_ids && bench_pcap_write(b);
	return true;
}

static void remove_out(const struct bench *b, const char *suffix)
{
	char path[BENCH_PATH + 16];
	snprintf(path, sizeof(path), "%s%s", b->out, suffix);
	unlink(path);
}

void bench_release(struct bench *b)
{
	unlink(b->plain);
	unlink(b->zstd);
	unlink(b->gzip);
	unlink(b->pcap);
	remove_out(b, "");
	remove_out(b, ".zst");
	remove_out(b, ".gz");
	free(b->records);
	free(b->bare);
	free(b->framed);
	free(b->scratch);
	free(b->batch);
	free(b->codec);
	free(b->floor);
}
