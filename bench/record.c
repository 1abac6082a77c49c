/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What libiotrace-record.so adds to a call: blocks of calls through the wrapper alternate with
 * blocks of the same calls through libc's own function, in one process.
 *
 *     record [-S] [-T] [-b BLOCKS] [-n CALLS] [-s BYTES] [-t THREADS] DIRECTORY FILE
 *
 * Prints, for each kind of call, the median time of an untraced call and the median of the
 * differences between neighbouring blocks, in nanoseconds. Without a recording in the environment
 * it runs itself with the library in DIRECTORY, and consumes the records without looking at them.
 * -T: the clock is the time stamp counter. -S: system calls lead to stubs; untraced calls are made
 * by a second libc.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/record/site_tables.h"
#include "cli/record/sites.h"
#include "record/ring.h"

#include "median.h"

enum { FILE_CALLS = 50 }; /* the size of the file, which stays in a processor's cache */

struct calls {
	__typeof__(pread) *pread;
	__typeof__(read) *read;
	__typeof__(write) *write;
	__typeof__(open) *open;
	__typeof__(close) *close;
	__typeof__(lstat) *lstat;
	__typeof__(fstat) *fstat;
};

static struct {
	int blocks, calls, threads;
	size_t bytes;
	const char *path;
	struct calls raw;
} bench = {.blocks = 400, .calls = 1000, .threads = 1, .bytes = 4096};

static const struct calls traced = {pread, read, write, open, close, lstat, fstat};

struct thread {
	pthread_t id;
	int fd;
	char *buffer;
	double *plain, *added;
	const struct kind *kind;
};

/* Kinds of calls. They return whether the call did what it should. */

static bool call_pread(const struct calls *by, const struct thread *t)
{
	return by->pread(t->fd, t->buffer, bench.bytes, 0) == (ssize_t)bench.bytes;
}

static bool call_read(const struct calls *by, const struct thread *t)
{
	return by->read(t->fd, t->buffer, bench.bytes) == (ssize_t)bench.bytes;
}

static bool call_write(const struct calls *by, const struct thread *t)
{
	return by->write(t->fd, t->buffer, bench.bytes) == (ssize_t)bench.bytes;
}

static bool call_lstat(const struct calls *by, const struct thread *t)
{
	struct stat s;
	(void)t;
	return by->lstat(bench.path, &s) == 0;
}

static bool call_fstat(const struct calls *by, const struct thread *t)
{
	struct stat s;
	return by->fstat(t->fd, &s) == 0;
}

static bool call_open_close(const struct calls *by, const struct thread *t)
{
	(void)t;
	const int fd = by->open(bench.path, O_RDONLY);
	return fd >= 0 && by->close(fd) == 0;
}

static const struct kind {
	const char *name;
	bool (*call)(const struct calls *, const struct thread *);
	bool moves; /* the position: the file is begun again after FILE_CALLS */
} kinds[] = {
    {"write", call_write, true},  {"pread", call_pread, false},
    {"read", call_read, true},    {"lstat", call_lstat, false},
    {"fstat", call_fstat, false}, {"open+close", call_open_close, false},
};

static double now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Returns nanoseconds per call. */
static double block(const struct calls *by, const struct thread *t)
{
	const double start = now_ns();
	for (int i = 0; i < bench.calls; i++) {
		if (t->kind->moves && i % FILE_CALLS == 0)
			lseek(t->fd, 0, SEEK_SET);
		if (!t->kind->call(by, t))
			abort();
	}
	return (now_ns() - start) / bench.calls;
}

static void *run(void *argument)
{
	struct thread *t = argument;
	t->buffer = calloc(1, bench.bytes);
	block(&traced, t);
	for (int i = 0; i < bench.blocks;
	     i++) { /* in turns: the first of a pair is at a disadvantage */
		const double first = block(i % 2 != 0 ? &traced : &bench.raw, t);
		const double second = block(i % 2 != 0 ? &bench.raw : &traced, t);
		t->plain[i] = i % 2 != 0 ? second : first;
		t->added[i] = i % 2 != 0 ? first - second : second - first;
	}
	free(t->buffer);
	return NULL;
}

static void measure(const struct kind *kind)
{
	struct thread *t = calloc((size_t)bench.threads, sizeof *t);
	double plain = 0, added = 0;
	for (int i = 0; i < bench.threads; i++) {
		t[i] = (struct thread){.fd = open(bench.path, O_RDWR), .kind = kind};
		t[i].plain = calloc((size_t)bench.blocks, sizeof(double));
		t[i].added = calloc((size_t)bench.blocks, sizeof(double));
		if (i > 0)
			pthread_create(&t[i].id, NULL, run, &t[i]);
	}
	run(&t[0]); /* without other threads, libc makes calls without tests for cancellation */
	for (int i = 0; i < bench.threads; i++) {
		if (i > 0)
			pthread_join(t[i].id, NULL);
		plain += median(t[i].plain, (size_t)bench.blocks) / bench.threads;
		added += median(t[i].added, (size_t)bench.blocks) / bench.threads;
		free(t[i].plain);
		free(t[i].added);
		close(t[i].fd);
	}
	free(t);
	printf("%-10s %zu bytes, %d threads: %.0f ns untraced, %.0f ns added\n", kind->name,
	       bench.bytes, bench.threads, plain, added);
}

/* Stores the function of libc itself. */
static void find(void *libc, const char *name, void *to)
{
	void *const found = dlsym(libc, name);
	memcpy(to, &found, sizeof found);
}

/* The recording */

enum { RINGS = 256, RING_SIZE = 1 << 20 };

struct consumer {
	char directory[64];
	struct record_control *control;
	struct record_ring *ring[RINGS];
	int rings;
};

static void *map(const char *path, size_t size, int flags)
{
	const int fd = open(path, O_RDWR | flags, 0600);
	if (fd < 0 || ((flags & O_CREAT) != 0 && posix_fallocate(fd, 0, (off_t)size) != 0))
		return NULL;
	void *const at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return at == MAP_FAILED ? NULL : at;
}

/* Returns false if the sites of libc are not known. */
static bool write_sites(const char *path)
{
	const int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const bool written = directory >= 0 && site_tables_write(directory);
	if (directory >= 0)
		close(directory);
	return written;
}

static bool consumer_start(struct consumer *c, bool tsc, bool at_system_call)
{
	char path[128];
	strcpy(c->directory, "/dev/shm/record-bench-XXXXXX");
	if (mkdtemp(c->directory) == NULL)
		return false;
	snprintf(path, sizeof path, "%s/recording", c->directory);
	c->control = map(path, RECORD_SHARED_SIZE, O_CREAT);
	if (c->control == NULL)
		return false;
	c->control->magic = RECORD_CONTROL_MAGIC;
	c->control->version = RECORD_VERSION;
	c->control->ring_size = RING_SIZE;
	c->control->slots_ready = RECORD_SLOTS;
	c->control->clock = tsc ? RECORD_TSC : RECORD_MONOTONIC;
	c->control->cpu_step = tsc ? 2000000 : 1000000;
	c->control->seen = at_system_call ? RECORD_SYSCALLS : RECORD_CALLS;
	return !at_system_call || write_sites(c->directory);
}

/* Maps new rings, and consumes all records. Removes the files, which the program has mapped. */
static void consume(struct consumer *c, bool remove_all)
{
	char path[400];
	DIR *const d = opendir(c->directory);
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
		snprintf(path, sizeof path, "%s/%s", c->directory, e->d_name);
		const bool is_ring = strncmp(e->d_name, "ring.", 5) == 0;
		if (is_ring && c->rings < RINGS &&
		    (c->ring[c->rings] = map(path, RECORD_PAGE, 0)) != NULL)
			c->rings++;
		if (is_ring || remove_all)
			unlink(path);
	}
	if (d != NULL)
		closedir(d);
	atomic_store(&c->control->heartbeat, (uint64_t)now_ns());
	for (int i = 0; i < c->rings; i++)
		atomic_store(&c->ring[i]->tail, atomic_load(&c->ring[i]->head));
}

/* Runs this program with the library. Returns its exit status. */
static int run_recorded(char **argv, const char *libraries, bool tsc, bool at_system_call)
{
	struct consumer c = {.rings = 0};
	char path[400];
	const struct timespec pause = {.tv_nsec = 1000000};
	int status;
	if (!consumer_start(&c, tsc, at_system_call))
		return 1;
	const pid_t pid = fork();
	if (pid == 0) {
		setenv(RECORD_VARIABLE, c.directory, 1);
		snprintf(path, sizeof path, "%s/libiotrace-record%s.so", libraries,
			 at_system_call ? "" : "-calls");
		setenv("LD_PRELOAD", path, 1);
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	while (waitpid(pid, &status, WNOHANG) == 0) {
		consume(&c, false);
		nanosleep(&pause, NULL);
	}
	if (c.rings == 0) {
		fprintf(stderr,
			"record: the library is of another version: nothing was recorded\n");
		status = 1 << 8;
	}
	uint64_t dropped = 0;
	for (int i = 0; i < c.rings; i++)
		dropped += atomic_load(&c.ring[i]->dropped);
	if (dropped > 0)
		printf("dropped %ju records\n", (uintmax_t)dropped);
	consume(&c, true);
	rmdir(c.directory);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* A second libc, whose system calls are not changed: its build id is another one. */

static bool change_build_id(char *data, size_t size, const struct record_sites *sites)
{
	char *const id = memmem(data, size, sites->build_id, sizeof sites->build_id);
	if (id != NULL)
		id[0] ^= 1;
	return id != NULL;
}

/* Copies libc, of which `function` is one, to `copy`. */
static bool copy_libc(const void *function, const char *copy)
{
	static char data[1 << 23];
	Dl_info info;
	const int from = dladdr(function, &info) != 0 ? open(info.dli_fname, O_RDONLY) : -1;
	const ssize_t n = from >= 0 ? read(from, data, sizeof data) : -1;
	const int to = open(copy, O_WRONLY | O_CREAT | O_TRUNC, 0700);
	struct record_sites *const sites = sites_of(info.dli_fname);
	const bool copied = n > 0 && sites != NULL && change_build_id(data, (size_t)n, sites) &&
			    write(to, data, (size_t)n) == n;
	free(sites);
	close(from);
	return close(to) == 0 && copied;
}

static void *untraced_libc(void *libc)
{
	char copy[400];
	snprintf(copy, sizeof copy, "%s.libc.so", bench.path);
	void *const found =
	    copy_libc(dlsym(libc, "pread"), copy) ? dlmopen(LM_ID_NEWLM, copy, RTLD_NOW) : NULL;
	unlink(copy);
	return found;
}

int main(int argc, char **argv)
{
	bool tsc = false, at_system_call = false;
	for (int c; (c = getopt(argc, argv, "STb:n:s:t:")) != -1;)
		if (c == 'T')
			tsc = true;
		else if (c == 'S')
			at_system_call = true;
		else if (c == 'b')
			bench.blocks = atoi(optarg);
		else if (c == 'n')
			bench.calls = atoi(optarg);
		else if (c == 's')
			bench.bytes = (size_t)atol(optarg);
		else if (c == 't')
			bench.threads = atoi(optarg);
		else
			return 2;
	if (optind != argc - 2)
		return 2;
	if (getenv(RECORD_VARIABLE) == NULL)
		return run_recorded(argv, argv[optind], tsc, at_system_call);
	bench.path = argv[optind + 1];
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
	if (libc != NULL && at_system_call)
		libc = untraced_libc(libc);
	if (libc == NULL)
		return 1;
	find(libc, "pread", &bench.raw.pread);
	find(libc, "read", &bench.raw.read);
	find(libc, "write", &bench.raw.write);
	find(libc, "open", &bench.raw.open);
	find(libc, "close", &bench.raw.close);
	find(libc, "lstat", &bench.raw.lstat);
	find(libc, "fstat", &bench.raw.fstat);
	const int fd = open(bench.path, O_RDWR | O_CREAT, 0600);
	if (ftruncate(fd, FILE_CALLS * (off_t)bench.bytes) != 0 || close(fd) != 0)
		return 1;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		measure(&kinds[i]);
	return 0;
}
