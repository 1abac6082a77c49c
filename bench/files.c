/* SPDX-License-Identifier: BSD-2-Clause */
/* End to end: files to records, records to files, and zstd alone on the same bytes. */
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include "bench.h"

extern char **environ;

bool bench_write_file(struct bench *b, const struct bench_file *f, uint64_t *stored)
{
	struct iot_writer *w = iot_writer_new();
	bool ok = w != NULL && iot_writer_set(w, IOT_SET_LEVEL, (uint64_t)f->level) == IOT_OK &&
		  iot_writer_set(w, IOT_SET_THREADS, (uint64_t)f->threads) == IOT_OK &&
		  iot_writer_set(w, IOT_SET_TICK_NS, b->tick_ns) == IOT_OK &&
		  iot_writer_set(w, IOT_SET_UNDECLARED_DISKS, 1) == IOT_OK &&
		  iot_writer_open(w, f->path) == IOT_OK;
	for (size_t at = 0; ok && at < f->n; at += BENCH_BATCH) {
		const size_t n = f->n - at < BENCH_BATCH ? f->n - at : BENCH_BATCH;
		ok = iot_writer_records(w, b->records + at, n) == IOT_OK;
	}
	ok = ok && iot_writer_close(w) == IOT_OK;
	if (!ok)
		fprintf(stderr, "bench: %s\n", w == NULL ? "out of memory" : iot_writer_error(w));
	if (ok && stored != NULL)
		*stored = iot_writer_fact(w, IOT_FACT_BYTES_STORED);
	iot_writer_free(w);
	return ok;
}

bool bench_read_file(struct bench *b, const struct bench_file *f)
{
	struct iot_reader *r = iot_reader_new();
	size_t n = 0;
	ssize_t got = IOT_ENOMEM;
	if (r != NULL && iot_reader_set(r, IOT_SET_READ_AHEAD, f->threads > 0) == IOT_OK)
		got = iot_reader_open(r, f->path);
	while (got >= 0 && (got = iot_reader_records(r, b->batch, BENCH_BATCH)) > 0)
		n += (size_t)got;
	if (got < 0)
		fprintf(stderr, "bench: %s\n", r == NULL ? "out of memory" : iot_reader_error(r));
	iot_reader_free(r);
	return got == 0 && n == f->n;
}

/* Counts of a part, and of all: records and bytes. */
struct sums {
	uint64_t records, bytes;
};

static void *begin_part(void *context)
{
	(void)context;
	return calloc(1, sizeof(struct sums));
}

static int count_events(void *part, const struct iot_event *ev, size_t n)
{
	struct sums *s = part;
	for (size_t i = 0; i < n; i++) {
		const bool is_record = ev[i].kind == IOT_RECORD;
		s->records += is_record;
		s->bytes += is_record ? ev[i].rec.length : 0;
	}
	return IOT_OK;
}

static void drop_part(void *context, void *part)
{
	(void)context;
	free(part);
}

static int join_part(void *context, void *part)
{
	struct sums *all = context;
	const struct sums *s = part;
	all->records += s->records;
	all->bytes += s->bytes;
	free(part);
	return IOT_OK;
}

bool bench_fold_file(const struct bench_file *f)
{
	struct sums all = {0};
	const struct iot_fold fold = {&all, begin_part, count_events, join_part, drop_part};
	struct iot_reader *r = iot_reader_new();
	int status =
	    r != NULL ? iot_reader_set(r, IOT_SET_THREADS, (uint64_t)f->threads) : IOT_ENOMEM;
	if (status == IOT_OK)
		status = iot_reader_open(r, f->path);
	if (status == IOT_OK)
		status = iot_reader_fold(r, &fold);
	if (status != IOT_OK)
		fprintf(stderr, "bench: %s\n", r == NULL ? "out of memory" : iot_reader_error(r));
	iot_reader_free(r);
	return status == IOT_OK && all.records == f->n;
}

static bool unpack_block(ZSTD_DCtx *d, ZSTD_inBuffer *in, void *out, size_t capacity,
			 uint64_t *size)
{
	for (;;) {
		ZSTD_outBuffer o = {out, capacity, 0};
		if (ZSTD_isError(ZSTD_decompressStream(d, &o, in)))
			return false;
		*size += o.pos;
		if (in->pos == in->size && o.pos < o.size)
			return true;
	}
}

bool bench_unzstd(struct bench *b)
{
	const size_t in_capacity = ZSTD_DStreamInSize() * 4, out_capacity = ZSTD_DStreamOutSize();
	char *in = malloc(in_capacity), *out = malloc(out_capacity);
	ZSTD_DCtx *d = ZSTD_createDCtx();
	const int fd = open(b->zstd, O_RDONLY | O_CLOEXEC);
	uint64_t size = 0;
	ssize_t n = -1;
	bool ok = in != NULL && out != NULL && d != NULL && fd >= 0;
	while (ok && (n = read(fd, in, in_capacity)) > 0) {
		ZSTD_inBuffer block = {in, (size_t)n, 0};
		ok = unpack_block(d, &block, out, out_capacity, &size);
	}
	if (fd >= 0)
		close(fd);
	ZSTD_freeDCtx(d);
	free(in);
	free(out);
	return ok && n == 0 && size == b->framed_size;
}

bool bench_dozstd(struct bench *b)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	ZSTD_inBuffer in = {b->framed, b->framed_size, 0};
	size_t rest = 1;
	if (c == NULL || ZSTD_isError(ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, 3))) {
		ZSTD_freeCCtx(c);
		return false;
	}
	while (rest > 0 && !ZSTD_isError(rest)) {
		ZSTD_outBuffer out = {b->scratch, b->scratch_size, 0};
		rest = ZSTD_compressStream2(c, &out, &in, ZSTD_e_end);
	}
	ZSTD_freeCCtx(c);
	return rest == 0;
}

/* Runs a command and discards its output. */
static bool run(char *const argv[])
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int status = -1;
	if (posix_spawn_file_actions_init(&actions) != 0)
		return false;
	if (posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) !=
		0 ||
	    posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
		fprintf(stderr, "bench: %s failed\n", argv[0]);
		return false;
	}
	return true;
}

bool bench_unzstd_command(struct bench *b)
{
	return run((char *[]){"zstd", "-q", "-d", "-c", b->zstd, NULL});
}

bool bench_dozstd_command(struct bench *b)
{
	return run((char *[]){"zstd", "-q", "-3", "-c", b->plain, NULL});
}
