/* SPDX-License-Identifier: BSD-2-Clause */
/* Rounds: each measures everything once, so that compared measurements are close in time. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "median.h"

static bool read_plain(struct bench *b)
{
	return bench_read_file(b, &(struct bench_file){.path = b->plain, .n = b->n});
}

static bool read_zstd(struct bench *b)
{
	return bench_read_file(b, &(struct bench_file){.path = b->zstd, .n = b->n});
}

static bool read_zstd_2(struct bench *b)
{
	return bench_read_file(b, &(struct bench_file){.path = b->zstd, .n = b->n, .threads = 1});
}

static bool fold_zstd(struct bench *b)
{
	return bench_fold_file(&(struct bench_file){.path = b->zstd, .n = b->n, .threads = 2});
}

static bool read_gzip(struct bench *b)
{
	return bench_read_file(b, &(struct bench_file){.path = b->gzip, .n = b->n_gzip});
}

static bool read_gzip_2(struct bench *b)
{
	return bench_read_file(b,
			       &(struct bench_file){.path = b->gzip, .n = b->n_gzip, .threads = 1});
}

/* level 0: the default */
static bool write_to(struct bench *b, const char *suffix, int level, int threads, size_t n)
{
	char path[BENCH_PATH + 16];
	snprintf(path, sizeof(path), "%s%s", b->out, suffix);
	return bench_write_file(
	    b, &(struct bench_file){.path = path, .n = n, .level = level, .threads = threads},
	    NULL);
}

static bool write_plain(struct bench *b)
{
	return write_to(b, "", 0, 0, b->n);
}

static bool write_zstd(struct bench *b)
{
	return write_to(b, ".zst", 3, 0, b->n);
}

static bool write_zstd_2(struct bench *b)
{
	return write_to(b, ".zst", 3, 1, b->n);
}

static bool write_default(struct bench *b)
{
	return write_to(b, ".zst", 0, 0, b->n);
}

static bool write_default_2(struct bench *b)
{
	return write_to(b, ".zst", 0, 1, b->n);
}

static bool write_gzip(struct bench *b)
{
	return write_to(b, ".gz", 0, 0, b->n_gzip);
}

static bool (*const functions[BENCH_COUNT])(struct bench *) = {
    [BENCH_MEMCPY] = bench_memcpy,
    [BENCH_FLOOR_DECODE] = bench_floor_decode,
    [BENCH_DECODE] = bench_decode,
    [BENCH_FLOOR_ENCODE] = bench_floor_encode,
    [BENCH_ENCODE] = bench_encode,
    [BENCH_READ_MEMORY] = bench_read_memory,
    [BENCH_ANALYZE] = bench_analyze,
    [BENCH_WRITE_MEMORY] = bench_write_memory,
    [BENCH_UNZSTD] = bench_unzstd,
    [BENCH_UNZSTD_COMMAND] = bench_unzstd_command,
    [BENCH_READ_ZSTD] = read_zstd,
    [BENCH_READ_ZSTD_2] = read_zstd_2,
    [BENCH_FOLD_ZSTD] = fold_zstd,
    [BENCH_DOZSTD] = bench_dozstd,
    [BENCH_DOZSTD_COMMAND] = bench_dozstd_command,
    [BENCH_WRITE_ZSTD] = write_zstd,
    [BENCH_WRITE_ZSTD_2] = write_zstd_2,
    [BENCH_WRITE_DEFAULT] = write_default,
    [BENCH_WRITE_DEFAULT_2] = write_default_2,
    [BENCH_READ_GZIP] = read_gzip,
    [BENCH_READ_GZIP_2] = read_gzip_2,
    [BENCH_WRITE_GZIP] = write_gzip,
    [BENCH_READ_PLAIN] = read_plain,
    [BENCH_WRITE_PLAIN] = write_plain,
    [BENCH_PCAP] = bench_pcap_read,
};

static bool of_gzip(enum bench_id id)
{
	return id == BENCH_READ_GZIP || id == BENCH_READ_GZIP_2 || id == BENCH_WRITE_GZIP;
}

static bool wanted(const struct bench *b, enum bench_id id)
{
	if (b->options->only != NULL && strcmp(b->options->only, bench_key(id)) != 0)
		return false;
	if (id == BENCH_FLOOR_DECODE || id == BENCH_FLOOR_ENCODE)
		return b->small_ids;
	return id != BENCH_PCAP || b->pcap_made;
}

static bool by_wall(enum bench_id id)
{
	return id == BENCH_UNZSTD_COMMAND || id == BENCH_DOZSTD_COMMAND ||
	       id == BENCH_READ_ZSTD_2 || id == BENCH_FOLD_ZSTD || id == BENCH_WRITE_ZSTD_2 ||
	       id == BENCH_WRITE_DEFAULT_2 || id == BENCH_READ_GZIP_2;
}

static double now_s(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool time_one(struct bench *b, enum bench_id id)
{
	struct bench_times *t = &b->times[id];
	t->by_wall = by_wall(id);
	t->records = of_gzip(id) ? b->n_gzip : b->n;
	t->bytes = of_gzip(id) ? b->gzip_text_size : b->framed_size;
	const double wall_s = now_s(CLOCK_MONOTONIC), cpu_s = now_s(CLOCK_PROCESS_CPUTIME_ID);
	if (!functions[id](b)) {
		fprintf(stderr, "bench: measurement %d failed\n", (int)id);
		return false;
	}
	t->wall_s[t->runs] = now_s(CLOCK_MONOTONIC) - wall_s;
	t->cpu_s[t->runs++] = now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_s;
	return true;
}

bool bench_time(struct bench *b)
{
	for (unsigned run = 0; run < b->options->runs; run++)
		for (enum bench_id id = 0; id < BENCH_COUNT; id++)
			if (wanted(b, id) && !time_one(b, id))
				return false;
	return true;
}

double bench_median(const struct bench_times *t)
{
	double copy[BENCH_RUNS_MAX];
	memcpy(copy, t->by_wall ? t->wall_s : t->cpu_s, sizeof(copy));
	return median(copy, t->runs);
}

double bench_ratio(const struct bench_times *a, const struct bench_times *b)
{
	double ratio[BENCH_RUNS_MAX];
	const bool wall = a->by_wall || b->by_wall;
	const unsigned n = a->runs < b->runs ? a->runs : b->runs;
	for (unsigned i = 0; i < n; i++) {
		const double a_s = wall ? a->wall_s[i] : a->cpu_s[i];
		const double b_s = wall ? b->wall_s[i] : b->cpu_s[i];
		ratio[i] = (double)a->records / a_s / ((double)b->records / b_s);
	}
	return median(ratio, n);
}

double bench_rate(const struct bench *b, enum bench_id id)
{
	const double seconds = bench_median(&b->times[id]);
	return seconds > 0 ? (double)b->times[id].records / seconds : 0;
}
