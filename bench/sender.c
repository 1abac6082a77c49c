/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a sender adds to a call: blocks of 1000 calls, traced and not, in turns, in one process.
 *
 *	sender [PAIRS]
 *
 * A second process reads the pipe. The table shows the median of the differences of neighboring
 * blocks, in nanoseconds per call of the thread's CPU time, which other programs disturb less, and
 * its quartiles. A sender reads the wall clock twice; a row shows what that costs alone.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <iotrace/packets.h>

enum {
	CALLS = 1000,
	SIZE = 4096,
	FILE_SIZE = 1 << 20,
	PAIRS = 400,
	PAIRS_MAX = 100000,
	THREADS_MAX = 16
};

static struct iot_sender *sender;
static int file = -1;

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(EXIT_FAILURE);
}

static double clock_ns(clockid_t which)
{
	struct timespec t;
	clock_gettime(which, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The calls */

typedef ssize_t call_fn(uint64_t offset);

static ssize_t raw_pread(uint64_t offset)
{
	char buffer[SIZE];
	return pread(file, buffer, sizeof(buffer), (off_t)offset);
}

static ssize_t raw_nothing(uint64_t offset)
{
	return (ssize_t)(offset % 2) + SIZE;
}

typedef void trace_fn(call_fn *call, uint64_t offset);

static void trace_nothing(call_fn *call, uint64_t offset)
{
	(void)call(offset);
}

static void trace_clocks(call_fn *call, uint64_t offset)
{
	(void)clock_ns(CLOCK_MONOTONIC);
	(void)call(offset);
	(void)clock_ns(CLOCK_MONOTONIC);
}

static void trace_io(call_fn *call, uint64_t offset)
{
	struct iot_pending_io io;
	(void)iot_sender_begin(sender, &io);
	const ssize_t n = call(offset);
	const struct iot_record r = {
	    .type = IOT_LOGICAL, .file = 1, .offset = offset, .length = (uint64_t)n};
	(void)iot_sender_end(sender, &io, n >= 0 ? &r : NULL);
}

static double block_ns(trace_fn *trace, call_fn *call, unsigned seed)
{
	const double start_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	for (int i = 0; i < CALLS; i++) {
		seed = seed * 1664525U + 1013904223U;
		trace(call, (uint64_t)(seed >> 8) % (FILE_SIZE / SIZE) * SIZE);
	}
	return (clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns) / CALLS;
}

/* One measurement */

struct run {
	trace_fn *trace;
	call_fn *call;
	int pairs;
	double *added;
};

static void *measure(void *context)
{
	const struct run *r = context;
	for (int i = 0; i < r->pairs; i++) {
		const double plain_ns = block_ns(trace_nothing, r->call, (unsigned)i);
		r->added[i] = block_ns(r->trace, r->call, (unsigned)i) - plain_ns;
	}
	return NULL;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void report(const char *name, int threads, trace_fn *trace, call_fn *call, int pairs)
{
	pthread_t thread[THREADS_MAX];
	struct run run[THREADS_MAX];
	const size_t n = (size_t)threads * (size_t)pairs;
	double *added = calloc(n, sizeof(*added));
	check(added != NULL, "calloc");
	for (int i = 0; i < threads; i++) {
		run[i] = (struct run){trace, call, pairs, added + (size_t)i * (size_t)pairs};
		check(pthread_create(&thread[i], NULL, measure, &run[i]) == 0, "pthread_create");
	}
	for (int i = 0; i < threads; i++)
		check(pthread_join(thread[i], NULL) == 0, "pthread_join");
	qsort(added, n, sizeof(*added), compare);
	printf("| %s | %d | %.0f | %.0f .. %.0f |\n", name, threads, added[n / 2], added[n / 4],
	       added[3 * n / 4]);
	free(added);
}

/* The sender, and the reader of its pipe */

static pid_t start_reader(int ends[2])
{
	static char buffer[1 << 16];
	check(pipe2(ends, O_CLOEXEC) == 0, "pipe2");
	const pid_t pid = fork();
	check(pid >= 0, "fork");
	if (pid > 0)
		return pid;
	close(ends[1]);
	while (read(ends[0], buffer, sizeof(buffer)) > 0)
		;
	_exit(EXIT_SUCCESS);
}

static void compare_with(const char *clock, uint64_t cpu_ns, int pairs)
{
	int ends[2];
	char name[64];
	const pid_t reader = start_reader(ends);
	sender = iot_sender_new();
	check(sender != NULL, "iot_sender_new");
	(void)iot_sender_set(sender, IOT_SEND_CPU_NS, cpu_ns);
	check(iot_sender_open_fd(sender, ends[1], "bench") == IOT_OK, "iot_sender_open_fd");
	snprintf(name, sizeof(name), "cached pread of 4 KiB, CPU clock %s", clock);
	report(name, 1, trace_io, raw_pread, pairs);
	report(name, 2, trace_io, raw_pread, pairs);
	report(name, THREADS_MAX, trace_io, raw_pread, pairs / THREADS_MAX + 1);
	snprintf(name, sizeof(name), "no call, CPU clock %s", clock);
	report(name, 1, trace_io, raw_nothing, pairs);
	check(iot_sender_exit(sender, 0) == IOT_OK, "iot_sender_exit");
	iot_sender_free(sender);
	close(ends[0]);
	close(ends[1]);
	check(waitpid(reader, NULL, 0) == reader, "waitpid");
}

int main(int argc, char **argv)
{
	const int pairs = argc > 1 ? (int)strtol(argv[1], NULL, 10) : PAIRS;
	FILE *temporary = tmpfile();
	check(pairs > 0 && pairs <= PAIRS_MAX, "sender [PAIRS]");
	check(temporary != NULL, "tmpfile");
	file = fileno(temporary);
	check(ftruncate(file, FILE_SIZE) == 0, "ftruncate");
	printf(
	    "| call | threads | added ns per call, median | quartiles |\n|---|---:|---:|---:|\n");
	report("no call, two clock readings alone", 1, trace_clocks, raw_nothing, pairs);
	compare_with("sampled", 1000000, pairs);
	compare_with("exact", 0, pairs);
	fclose(temporary);
	return EXIT_SUCCESS;
}
