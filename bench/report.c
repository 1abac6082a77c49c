/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of a workload: a table for people, an object for programs. */
#include "bench.h"

struct label {
	const char *key, *text;
};

static const struct label labels[BENCH_COUNT] = {
    [BENCH_MEMCPY] = {"memcpy", "memcpy of the text"},
    [BENCH_FLOOR_DECODE] = {"floor_decode", "decode: floor"},
    [BENCH_DECODE] = {"decode", "decode: codec"},
    [BENCH_READ_MEMORY] = {"read_memory", "read memory, hash verified"},
    [BENCH_ANALYZE] = {"analyze", "analyze memory, all statistics"},
    [BENCH_FLOOR_ENCODE] = {"floor_encode", "encode: floor"},
    [BENCH_ENCODE] = {"encode", "encode: codec"},
    [BENCH_WRITE_MEMORY] = {"write_memory", "write memory, hashed"},
    [BENCH_READ_PLAIN] = {"read_plain", "read .iot"},
    [BENCH_UNZSTD] = {"unzstd", "libzstd -d alone"},
    [BENCH_UNZSTD_COMMAND] = {"unzstd_command", "zstd -d alone"},
    [BENCH_READ_ZSTD] = {"read_zstd", "read .zst"},
    [BENCH_READ_ZSTD_2] = {"read_zstd_2", "read .zst, two threads"},
    [BENCH_FOLD_ZSTD] = {"fold_zstd", "count .zst side by side, two threads"},
    [BENCH_READ_GZIP] = {"read_gzip", "read .gz"},
    [BENCH_READ_GZIP_2] = {"read_gzip_2", "read .gz, two threads"},
    [BENCH_WRITE_PLAIN] = {"write_plain", "write .iot"},
    [BENCH_DOZSTD] = {"dozstd", "libzstd -3 alone"},
    [BENCH_DOZSTD_COMMAND] = {"dozstd_command", "zstd -3 alone"},
    [BENCH_WRITE_ZSTD] = {"write_zstd", "write .zst -3"},
    [BENCH_WRITE_ZSTD_2] = {"write_zstd_2", "write .zst -3, two threads"},
    [BENCH_WRITE_DEFAULT] = {"write_default", "write .zst -1"},
    [BENCH_WRITE_DEFAULT_2] = {"write_default_2", "write .zst -1, two threads"},
    [BENCH_WRITE_GZIP] = {"write_gzip", "write .gz -6"},
    [BENCH_PCAP] = {"pcap", "libpcap, same I/Os"},
};

static const enum bench_id order[BENCH_COUNT] = {
    BENCH_MEMCPY,      BENCH_FLOOR_DECODE, BENCH_DECODE,        BENCH_READ_MEMORY,
    BENCH_ANALYZE,     BENCH_FLOOR_ENCODE, BENCH_ENCODE,        BENCH_WRITE_MEMORY,
    BENCH_READ_PLAIN,  BENCH_PCAP,         BENCH_UNZSTD,        BENCH_UNZSTD_COMMAND,
    BENCH_READ_ZSTD,   BENCH_READ_ZSTD_2,  BENCH_FOLD_ZSTD,     BENCH_READ_GZIP,
    BENCH_READ_GZIP_2, BENCH_WRITE_PLAIN,  BENCH_DOZSTD,        BENCH_DOZSTD_COMMAND,
    BENCH_WRITE_ZSTD,  BENCH_WRITE_ZSTD_2, BENCH_WRITE_DEFAULT, BENCH_WRITE_DEFAULT_2,
    BENCH_WRITE_GZIP,
};

const char *bench_key(enum bench_id id)
{
	return labels[id].key;
}

static double ns_per_record(const struct bench_times *t)
{
	return bench_median(t) * 1e9 / (double)t->records;
}

static double mb_per_second(const struct bench_times *t)
{
	return (double)t->bytes * 1e-6 / bench_median(t);
}

static void print_times(FILE *out, const struct bench *b)
{
	fprintf(out, "  %-36s %10s %10s %10s\n", "", "M rec/s", "ns/rec", "MB/s text");
	for (size_t i = 0; i < BENCH_COUNT; i++) {
		const struct bench_times *t = &b->times[order[i]];
		if (t->runs > 0)
			fprintf(out, "  %-36s %10.2f %10.2f %10.0f%s\n", labels[order[i]].text,
				bench_rate(b, order[i]) * 1e-6, ns_per_record(t), mb_per_second(t),
				t->by_wall ? " wall" : "");
	}
}

static void print_size(FILE *out, const char *what, double bytes)
{
	if (bytes > 0)
		fprintf(out, "  %s %.2f", what, bytes);
}

static void print_sizes(FILE *out, const struct bench *b)
{
	fprintf(out, "  bytes/record:");
	print_size(out, "plain", b->sizes.raw);
	print_size(out, "zstd -1", b->sizes.zstd_1);
	print_size(out, "zstd -3", b->sizes.zstd_3);
	print_size(out, "zstd -19", b->sizes.zstd_19);
	print_size(out, "gzip -6", b->sizes.gzip_6);
	print_size(out, "pcap", b->sizes.pcap);
	fputc('\n', out);
	if (b->peak_read_kib > 0)
		fprintf(out, "  peak memory, MiB: reading .zst on two threads %.1f, writing %.1f\n",
			(double)b->peak_read_kib / 1024, (double)b->peak_write_kib / 1024);
}

static void print_goals(FILE *out, const struct bench *b)
{
	struct bench_goal goals[BENCH_GOALS_MAX];
	const size_t n = bench_goals(b, goals);
	fprintf(out, "  %-42s %8s %8s\n", "", "found", "goal");
	for (size_t i = 0; i < n; i++) {
		const struct bench_goal *g = &goals[i];
		fprintf(out, "  %-42s %8.2f", g->name, g->found);
		if (g->wanted > 0)
			fprintf(out, " %8.2f %-8s %s\n", g->wanted, g->unit,
				bench_reached(g) ? "reached" : "NOT reached");
		else
			fprintf(out, " %8s %s\n", "", g->unit);
	}
}

void bench_print_table(FILE *out, const struct bench *b)
{
	fprintf(out, "%s: %zu I/Os (%zu different; gzip: %zu, zstd -19: %zu), %u runs, seed %ju\n",
		b->workload, b->n, b->distinct, b->n_gzip, b->n_19, b->options->runs,
		(uintmax_t)b->options->seed);
	print_times(out, b);
	print_sizes(out, b);
	print_goals(out, b);
	fputc('\n', out);
	fflush(out);
}

static void json_times(FILE *out, const struct bench *b)
{
	const char *comma = "";
	fputs(", \"times\": {", out);
	for (size_t i = 0; i < BENCH_COUNT; i++) {
		const struct bench_times *t = &b->times[order[i]];
		if (t->runs == 0)
			continue;
		fprintf(out,
			"%s\"%s\": {\"text\": \"%s\", \"records\": %zu, \"records_per_s\": %.0f, "
			"\"ns_per_record\": %.3f, \"mb_per_s\": %.1f}",
			comma, labels[order[i]].key, labels[order[i]].text, t->records,
			bench_rate(b, order[i]), ns_per_record(t), mb_per_second(t));
		comma = ", ";
	}
	fputc('}', out);
}

static void json_goals(FILE *out, const struct bench *b)
{
	struct bench_goal goals[BENCH_GOALS_MAX];
	const size_t n = bench_goals(b, goals);
	fputs(", \"goals\": [", out);
	for (size_t i = 0; i < n; i++) {
		const struct bench_goal *g = &goals[i];
		fprintf(out, "%s{\"text\": \"%s\", \"unit\": \"%s\", \"found\": %.4f",
			i > 0 ? ", " : "", g->name, g->unit, g->found);
		if (g->wanted > 0)
			fprintf(out, ", \"goal\": %.4f, \"reached\": %s", g->wanted,
				bench_reached(g) ? "true" : "false");
		fputc('}', out);
	}
	fputc(']', out);
}

void bench_print_json(FILE *out, const struct bench *b)
{
	const struct bench_sizes *s = &b->sizes;
	fprintf(
	    out,
	    "{\"workload\": \"%s\", \"records\": %zu, \"distinct\": %zu, \"records_gzip\": %zu, "
	    "\"records_19\": %zu, \"runs\": %u, \"seed\": %ju",
	    b->workload, b->n, b->distinct, b->n_gzip, b->n_19, b->options->runs,
	    (uintmax_t)b->options->seed);
	fprintf(
	    out,
	    ", \"bytes_per_record\": {\"plain\": %.4f, \"zstd_1\": %.4f, \"zstd_3\": %.4f, "
	    "\"zstd_19\": %.4f, "
	    "\"gzip_6\": %.4f, \"pcap\": %.4f}, \"peak_read_kib\": %ld, \"peak_write_kib\": %ld",
	    s->raw, s->zstd_1, s->zstd_3, s->zstd_19, s->gzip_6, s->pcap, b->peak_read_kib,
	    b->peak_write_kib);
	json_times(out, b);
	json_goals(out, b);
	fputs("}\n", out);
	fflush(out);
}
