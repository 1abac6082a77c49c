/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program to be traced: threads that open, close, append, dup, seek and write at random, with
 * numbers of descriptors that go from thread to thread, and that log where each transfer really
 * was.
 *
 *	thread_probe DIRECTORY SEED OPERATIONS [THREADS]
 *
 * DIRECTORY/truth has a line for each transfer of each thread, in its order: thread, "r" or "w",
 * offset, length, name of the file. Where a transfer was is known
 *
 *	explicit  from the call itself (pread, pwrite)
 *	asked     from lseek(fd, 0, SEEK_CUR) after it, on a description of the thread's own, or
 *	          under a lock. Nothing else here makes that call: take its lines out of the log.
 *	read      from the data: each word of DIRECTORY/pattern is its own number
 *	found     from DIRECTORY/shared, where each write has left its thread and number
 *
 * so that threads may race for positions and for the ends of files.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	THREADS_MAX = 64,
	SLOTS = 6,     /* descriptors that go from thread to thread */
	APPENDED = 3,  /* files that all threads append to */
	WORDS = 65536, /* of the pattern */
	CHUNK = 4096,
	TOKEN = 16, /* bytes that identify the thread of a write */
};

struct transfer {
	int64_t offset; /* -1: found afterwards */
	uint32_t length;
	char way;
	char name[23];
};

struct worker {
	pthread_t thread;
	uint64_t random;
	struct transfer *done;
	size_t count, capacity;
	uint32_t index;
	pid_t tid;
};

static struct slot {
	pthread_mutex_t lock;
	int fd; /* -1: closed */
	bool append;
	char name[23];
} slot[SLOTS];

static struct worker worker[THREADS_MAX];
static int shared_fd, pattern_fd;
static unsigned operations;

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

static uint32_t roll(struct worker *w, uint32_t below)
{
	w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(w->random >> 33) % below;
}

static void report(struct worker *w, char way, int64_t offset, ssize_t length, const char *name)
{
	if (w->count == w->capacity) {
		w->capacity = w->capacity == 0 ? 256 : w->capacity * 2;
		w->done = realloc(w->done, w->capacity * sizeof *w->done);
		if (w->done == NULL)
			fail("realloc");
	}
	struct transfer *t = &w->done[w->count++];
	*t = (struct transfer){.offset = offset, .length = (uint32_t)length, .way = way};
	snprintf(t->name, sizeof t->name, "%s", name);
}

/* After a transfer on a description that no other thread uses now. */
static void report_asked(struct worker *w, char way, int fd, ssize_t n, const char *name)
{
	if (n < 0)
		fail(name);
	report(w, way, lseek(fd, 0, SEEK_CUR) - n, n, name);
}

static int open_file(const char *name, int flags)
{
	int fd = open(name, flags | O_CREAT, 0600);
	if (fd < 0)
		fail(name);
	return fd;
}

/* A number that other threads may have had, or will have. */
static void make_other(struct worker *w)
{
	int pair[2];
	switch (roll(w, 4)) {
	case 0:
		if (pipe(pair) != 0)
			fail("pipe");
		close(pair[0]);
		close(pair[1]);
		return;
	case 1:
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
			fail("socketpair");
		close(pair[0]);
		close(pair[1]);
		return;
	case 2:
		close(eventfd(0, 0));
		return;
	default:
		close(open("/dev/null", O_RDONLY));
	}
}

static void own_file(struct worker *w)
{
	char name[23], data[CHUNK] = {0};
	snprintf(name, sizeof name, "own.%u.%u", w->index, roll(w, 2));
	int fd = open_file(name, O_RDWR | (roll(w, 2) == 0 ? O_TRUNC : 0));
	for (unsigned i = roll(w, 5); i > 0; i--) {
		const size_t length = 1 + roll(w, CHUNK - 1);
		const off_t at = roll(w, 2 * CHUNK);
		switch (roll(w, 6)) {
		case 0:
			report(w, 'w', at, pwrite(fd, data, length, at), name);
			break;
		case 1:
			report(w, 'r', at, pread(fd, data, length, at), name);
			break;
		case 2:
			if (lseek(fd, at, SEEK_SET) < 0)
				fail("lseek");
			break;
		case 3: { /* continues under another number */
			const int copy = dup(fd);
			close(fd);
			fd = copy;
			break;
		}
		case 4:
			report_asked(w, 'r', fd, read(fd, data, length), name);
			break;
		default:
			report_asked(w, 'w', fd, write(fd, data, length), name);
		}
	}
	close(fd);
}

static void append_file(struct worker *w)
{
	char name[23], data[CHUNK] = {0};
	struct stat st;
	snprintf(name, sizeof name, "append.%u", roll(w, APPENDED));
	int fd = open_file(name, O_WRONLY | O_APPEND | (roll(w, 20) == 0 ? O_TRUNC : 0));
	for (unsigned i = roll(w, 4); i > 0; i--) {
		const size_t length = 1 + roll(w, CHUNK - 1);
		const off_t at = roll(w, 8 * CHUNK);
		const unsigned what = roll(w, 24);
		if (what == 0 && ftruncate(fd, at) != 0)
			fail("ftruncate");
		if (what == 1 && fstat(fd, &st) != 0)
			fail("fstat");
		if (what == 2 && lseek(fd, 0, SEEK_END) < 0)
			fail("lseek");
		if (what == 3) { /* beyond the end, perhaps */
			const int other = open_file(name, O_WRONLY);
			report(w, 'w', at, pwrite(other, data, length, at), name);
			close(other);
		}
		report_asked(w, 'w', fd, write(fd, data, length), name);
		if (what > 20) {
			const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
			close(fd);
			fd = copy;
		}
	}
	close(fd);
}

/* A descriptor that is everybody's, one at a time. */
static void slot_file(struct worker *w)
{
	char data[CHUNK] = {0};
	struct slot *s = &slot[roll(w, SLOTS)];
	const size_t length = 1 + roll(w, CHUNK - 1);
	pthread_mutex_lock(&s->lock);
	const unsigned what = roll(w, 8);
	if (s->fd < 0) {
		snprintf(s->name, sizeof s->name, "slot.%u", roll(w, SLOTS * 2));
		s->append = roll(w, 3) == 0;
		s->fd = open_file(s->name, O_RDWR | (s->append ? O_APPEND : 0) |
					       (roll(w, 2) == 0 ? O_TRUNC : 0));
	} else if (what == 0) {
		close(s->fd);
		s->fd = -1;
	} else if (what == 1) {
		const int copy = dup(s->fd);
		close(s->fd);
		s->fd = copy;
	} else if (what == 2) {
		const int copy = open("/dev/null", O_RDONLY);
		dup2(s->fd, copy);
		close(s->fd);
		s->fd = copy;
	} else if (what == 3) {
		if (lseek(s->fd, (off_t)roll(w, CHUNK), SEEK_SET) < 0)
			fail("lseek");
	} else if (what == 4) {
		report_asked(w, 'r', s->fd, read(s->fd, data, length), s->name);
	} else {
		report_asked(w, 'w', s->fd, write(s->fd, data, length), s->name);
	}
	pthread_mutex_unlock(&s->lock);
}

/* All threads at one position. */
static void shared_write(struct worker *w)
{
	char data[CHUNK];
	const int length = TOKEN + (int)roll(w, CHUNK - TOKEN);
	memset(data, '.', (size_t)length);
	snprintf(data, TOKEN, "\n%u %zu", w->index, w->count);
	data[strlen(data)] = ' ';
	if (write(shared_fd, data, (size_t)length) != length)
		fail("shared");
	report(w, 'w', -1, length, "shared");
}

static void pattern_read(struct worker *w)
{
	uint64_t word[CHUNK / 8];
	if (roll(w, 6) == 0 && lseek(pattern_fd, (off_t)roll(w, WORDS / 2) * 8, SEEK_SET) < 0)
		fail("lseek");
	const ssize_t n = read(pattern_fd, word, 8 * (1 + roll(w, CHUNK / 8 - 1)));
	if (n < 0)
		fail("pattern");
	report(w, 'r', n == 0 ? -1 : (int64_t)word[0] * 8, n, "pattern");
}

static void *work(void *argument)
{
	struct worker *w = argument;
	static void (*const DO[])(struct worker *) = {own_file,   own_file,     append_file,
						      slot_file,  slot_file,    slot_file,
						      make_other, shared_write, pattern_read};
	w->tid = (pid_t)syscall(SYS_gettid);
	for (unsigned i = 0; i < operations; i++)
		DO[roll(w, sizeof DO / sizeof DO[0])](w);
	return NULL;
}

/* Where the writes to the shared file are. */
static void find_shared(unsigned threads)
{
	const off_t size = lseek(shared_fd, 0, SEEK_END);
	char *all = malloc((size_t)size + 1);
	if (all == NULL || pread(shared_fd, all, (size_t)size, 0) != size)
		fail("shared");
	all[size] = '\0';
	for (const char *p = all; (p = strchr(p, '\n')) != NULL; p++) {
		unsigned index;
		size_t number;
		if (sscanf(p, "\n%u %zu", &index, &number) != 2 || index >= threads ||
		    number >= worker[index].count)
			fail("shared: not as it was written");
		worker[index].done[number].offset = p - all;
	}
	free(all);
}

static void make_pattern(void)
{
	static uint64_t word[WORDS];
	for (uint64_t i = 0; i < WORDS; i++)
		word[i] = i;
	pattern_fd = open_file("pattern", O_RDWR | O_TRUNC);
	if (write(pattern_fd, word, sizeof word) != sizeof word ||
	    lseek(pattern_fd, 0, SEEK_SET) != 0)
		fail("pattern");
}

int main(int argc, char **argv)
{
	const unsigned threads = argc > 4 ? (unsigned)atoi(argv[4]) : 8;
	if (argc < 4 || threads < 1 || threads > THREADS_MAX || chdir(argv[1]) != 0) {
		fprintf(stderr, "usage: thread_probe DIRECTORY SEED OPERATIONS [THREADS]\n");
		return 2;
	}
	operations = (unsigned)atoi(argv[3]);
	make_pattern();
	shared_fd = open_file("shared", O_RDWR | O_TRUNC);
	for (unsigned i = 0; i < SLOTS; i++) {
		pthread_mutex_init(&slot[i].lock, NULL);
		slot[i].fd = -1;
	}
	for (unsigned i = 0; i < threads; i++) {
		worker[i].index = i;
		worker[i].random = (uint64_t)atoi(argv[2]) * 1000003 + i;
		if (pthread_create(&worker[i].thread, NULL, work, &worker[i]) != 0)
			fail("pthread_create");
	}
	for (unsigned i = 0; i < threads; i++)
		pthread_join(worker[i].thread, NULL);
	find_shared(threads);
	FILE *f = fopen("truth", "w");
	for (unsigned i = 0; f != NULL && i < threads; i++)
		for (size_t k = 0; k < worker[i].count; k++) {
			const struct transfer *t = &worker[i].done[k];
			fprintf(f, "%d %c %lld %u %s\n", (int)worker[i].tid, t->way,
				(long long)t->offset, t->length, t->name);
		}
	if (f == NULL || fclose(f) != 0)
		fail("truth");
	return 0;
}
