/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures one workload after the other, everything in one process and in alternation, so that
 * ratios are fair on a shared machine.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <iotrace/iotrace.h>

#include "floor.h"

enum bench_id {
	BENCH_MEMCPY,
	BENCH_FLOOR_DECODE,
	BENCH_DECODE,
	BENCH_FLOOR_ENCODE,
	BENCH_ENCODE,
	BENCH_READ_MEMORY,
	BENCH_ANALYZE,
	BENCH_WRITE_MEMORY,
	BENCH_UNZSTD,
	BENCH_UNZSTD_COMMAND,
	BENCH_READ_ZSTD,
	BENCH_READ_ZSTD_2,
	BENCH_FOLD_ZSTD,
	BENCH_DOZSTD,
	BENCH_DOZSTD_COMMAND,
	BENCH_WRITE_ZSTD,
	BENCH_WRITE_ZSTD_2,
	BENCH_WRITE_DEFAULT,
	BENCH_WRITE_DEFAULT_2,
	BENCH_READ_GZIP,
	BENCH_READ_GZIP_2,
	BENCH_WRITE_GZIP,
	BENCH_READ_PLAIN,
	BENCH_WRITE_PLAIN,
	BENCH_PCAP,
	BENCH_COUNT,
};

enum { BENCH_RUNS_MAX = 31, BENCH_PATH = 512 };

struct bench_options {
	uint64_t records, seed, records_19;
	unsigned runs;
	const char *directory;
	char **paths; /* of traces: the workload "real" */
	size_t paths_size;
	bool json;
	/* the key of a single measurement, which prepares only what it needs; NULL: all */
	const char *only;
};

/*
 * Work of one thread is measured by its CPU time, which other load disturbs least; work of two
 * threads or of a command, and its baselines, by wall clock time.
 */
struct bench_times {
	double cpu_s[BENCH_RUNS_MAX];
	double wall_s[BENCH_RUNS_MAX];
	bool by_wall;
	unsigned runs;
	size_t records; /* handled by one run */
	uint64_t bytes; /* of text */
};

struct bench_sizes { /* bytes per record; 0: not measured */
	double raw, zstd_1, zstd_3, zstd_19, gzip_6, pcap;
};

struct bench {
	const char *workload;
	const struct bench_options *options;

	struct iot_record *records;
	size_t n;
	size_t distinct; /* the others repeat these later */
	size_t n_gzip;   /* a smaller number, because gzip is slow */
	size_t n_19;     /* zstd -19 too */
	bool small_ids;  /* within the limits of floor and libpcap */
	uint64_t tick_ns;

	char *bare; /* record lines alone */
	size_t bare_size;
	char *framed; /* as a writer writes them */
	size_t framed_size, gzip_text_size;
	char *scratch;
	size_t scratch_size;
	struct iot_record *batch;
	void *codec;
	size_t codec_size;
	struct floor_state *floor;

	char plain[BENCH_PATH], zstd[BENCH_PATH], gzip[BENCH_PATH], pcap[BENCH_PATH];
	char out[BENCH_PATH];
	bool pcap_made;

	struct bench_times times[BENCH_COUNT];
	struct bench_sizes sizes;
	long peak_read_kib, peak_write_kib;
	double mixed_rate; /* records per second of BENCH_READ_MEMORY on "mixed"; 0: not known */
};

enum { BENCH_BATCH = 1024, BENCH_STRETCH = 16384, BENCH_ANALYZE_BATCH = 1024 };

/* prepare.c: records, texts and files of a workload */
bool bench_prepare(struct bench *b);
void bench_release(struct bench *b);

/* measure.c: in memory; files.c: to and from files, and what zstd does; pcap.c: libpcap */
bool bench_memcpy(struct bench *b);
bool bench_floor_decode(struct bench *b);
bool bench_decode(struct bench *b);
bool bench_floor_encode(struct bench *b);
bool bench_encode(struct bench *b);
bool bench_read_memory(struct bench *b);
bool bench_analyze(struct bench *b);
bool bench_write_memory(struct bench *b);
bool bench_encode_text(struct bench *b, char *out, size_t *size);
bool bench_agree(struct bench *b); /* floor and codec give the same result */

struct bench_file {
	const char *path;
	int level, threads;
	size_t n;
};

bool bench_write_file(struct bench *b, const struct bench_file *f, uint64_t *stored);
bool bench_read_file(struct bench *b, const struct bench_file *f);
bool bench_fold_file(const struct bench_file *f); /* with this number of threads */
bool bench_unzstd(struct bench *b);
bool bench_unzstd_command(struct bench *b);
bool bench_dozstd(struct bench *b);
bool bench_dozstd_command(struct bench *b);

bool bench_pcap_write(struct bench *b);
bool bench_pcap_read(struct bench *b);

/* timing.c */
bool bench_time(struct bench *b);
double bench_median(const struct bench_times *t);
/*
 * Ratio of the records per second of a to the records per second of b: median over the pairs; 0:
 * not measured.
 */
double bench_ratio(const struct bench_times *a, const struct bench_times *b);

double bench_rate(const struct bench *b, enum bench_id id); /* records per second */

/* goals.c */
struct bench_goal {
	const char *name, *unit;
	double found, wanted; /* wanted 0: no goal for this workload */
	bool at_most;
};

enum { BENCH_GOALS_MAX = 24 };

size_t bench_goals(const struct bench *b, struct bench_goal *goals);
bool bench_reached(const struct bench_goal *g);

/* report.c */
const char *bench_key(enum bench_id id);
void bench_print_table(FILE *out, const struct bench *b);
void bench_print_json(FILE *out, const struct bench *b);

#endif
