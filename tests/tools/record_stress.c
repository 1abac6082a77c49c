/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that read and write at full speed, each in a file of its own, for tests of iotrace
 * record.
 *
 *	record_stress THREADS SECONDS COUNTS DIRECTORY
 *
 * Thread i uses the file DIRECTORY/i, and after each call increments the i-th of the 64-bit numbers
 * in the file COUNTS, which are therefore right also after SIGKILL. SECONDS 0: until SIGTERM, after
 * which it ends with exit status 0, or SIGKILL.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 64, BLOCK = 128, BLOCKS = 64, LINE = 8 /* counts per cache line */ };

struct stress {
	_Atomic uint64_t *count;
	int directory;
	int64_t end; /* of CLOCK_MONOTONIC, in s; 0: none */
};

struct worker {
	struct stress *stress;
	unsigned number;
	pthread_t thread;
};

static atomic_bool stopped; /* by SIGTERM */

static void stop(int number)
{
	(void)number;
	atomic_store_explicit(&stopped, true, memory_order_relaxed);
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static int64_t now_s(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static void one_call(int fd, char *block, uint64_t n)
{
	const off_t at = (off_t)(n / 4 % BLOCKS) * BLOCK;
	const ssize_t moved =
	    n % 4 == 0 ? pwrite(fd, block, BLOCK, at) : pread(fd, block, BLOCK, at);
	if (moved != BLOCK)
		fail("transfer");
}

static void *work(void *context)
{
	const struct worker *w = context;
	_Atomic uint64_t *count = &w->stress->count[w->number * LINE];
	char name[16], block[BLOCK] = "";
	(void)snprintf(name, sizeof(name), "%u", w->number);
	const int fd = openat(w->stress->directory, name, O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (fd < 0)
		fail(name);
	for (uint64_t n = 0; !atomic_load_explicit(&stopped, memory_order_relaxed) &&
			     (n % 1024 != 0 || w->stress->end == 0 || now_s() < w->stress->end);) {
		one_call(fd, block, n);
		atomic_store_explicit(count, ++n, memory_order_relaxed);
	}
	if (close(fd) != 0)
		fail("close");
	return NULL;
}

int main(int argc, char **argv)
{
	static struct worker workers[THREADS_MAX];
	const unsigned threads = argc == 5 ? (unsigned)atoi(argv[1]) : 0;
	if (threads == 0 || threads > THREADS_MAX)
		return 2;
	const int fd = open(argv[3], O_RDWR | O_CREAT, 0644);
	const size_t size = threads * LINE * sizeof(uint64_t);
	if (fd < 0 || ftruncate(fd, (off_t)size) != 0)
		fail(argv[3]);
	struct stress s = {.directory = open(argv[4], O_RDONLY | O_DIRECTORY),
			   .count = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)};
	if (s.directory < 0 || s.count == MAP_FAILED)
		fail(argv[4]);
	(void)signal(SIGTERM, stop);
	if (atoi(argv[2]) > 0)
		s.end = now_s() + atoi(argv[2]);
	for (unsigned i = 0; i < threads; i++) {
		workers[i] = (struct worker){.stress = &s, .number = i};
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
			fail("thread");
	}
	for (unsigned i = 0; i < threads; i++)
		(void)pthread_join(workers[i].thread, NULL);
	return 0;
}
