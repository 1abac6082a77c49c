/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A library to be preloaded: lets one call of a program fail, as full disks and exhausted memory
 * do.
 *
 *	FAULT=CALL:N[:HOW]   the Nth call of CALL fails so (0: all of them)
 *	FAULT_COUNT=FILE     at the end, "CALL COUNT" for every kind of call, and "live COUNT" of
 *	                     blocks of memory that were not freed, to FILE
 *
 * CALL: malloc (calloc, realloc and aligned allocations too), thread, open, read, write, sync,
 * close, rename, link, folder (mkdir), stat, mode (fchmod), size (ftruncate, fallocate), pipe,
 * seek. HOW: the name of an errno; "short": at most one byte is moved; "stuck": this call and all
 * later ones fail (with ENOSPC or ENOMEM); "SIGTERM": the process gets the signal just before the
 * call, which is made. Calls of standard error are left alone.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum call {
	MALLOC,
	THREAD,
	OPEN,
	READ,
	WRITE,
	SYNC,
	CLOSE,
	RENAME,
	LINK,
	DIRECTORY,
	STAT,
	MODE,
	SIZE,
	PIPE,
	SEEK,
	CALLS
};

static const char *const names[CALLS] = {"malloc", "thread", "open",   "read", "write",
					 "sync",   "close",  "rename", "link", "folder",
					 "stat",   "mode",   "size",   "pipe", "seek"};

static atomic_ulong counts[CALLS];
static atomic_long live; /* blocks of memory */
static int failing = -1, with;
static unsigned long at;
static bool is_short, is_stuck, is_signal;

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static int errno_of(const char *name)
{
	static const struct {
		const char *name;
		int value;
	} all[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},       {"EINTR", EINTR},
		   {"EPIPE", EPIPE},   {"EMFILE", EMFILE}, {"ENOMEM", ENOMEM},
		   {"EAGAIN", EAGAIN}, {"EACCES", EACCES}, {"EPERM", EPERM}};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strcmp(all[i].name, name) == 0)
			return all[i].value;
	return EIO;
}

__attribute__((constructor)) static void begin(void)
{
	const char *text = getenv("FAULT");
	if (text == NULL)
		return;
	char word[64];
	snprintf(word, sizeof word, "%s", text);
	char *number = strchr(word, ':'), *how = number != NULL ? strchr(number + 1, ':') : NULL;
	if (number == NULL)
		return;
	*number++ = '\0';
	if (how != NULL)
		*how++ = '\0';
	at = strtoul(number, NULL, 10);
	is_short = how != NULL && strcmp(how, "short") == 0;
	is_stuck = how != NULL && strcmp(how, "stuck") == 0;
	is_signal = how != NULL && strcmp(how, "SIGTERM") == 0;
	for (int i = 0; i < CALLS; i++)
		if (strcmp(names[i], word) == 0)
			failing = i;
	if (how != NULL && *how == 0)
		how = NULL;
	with = how != NULL && !is_stuck ? errno_of(how) : failing == MALLOC ? ENOMEM : ENOSPC;
	for (int i = 0; i < CALLS; i++)
		atomic_store(&counts[i], 0);
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("FAULT_COUNT");
	const long left = atomic_load(&live);
	failing = -1;
	FILE *file = path != NULL ? fopen(path, "w") : NULL;
	if (file == NULL)
		return;
	unsigned long seen[CALLS];
	for (int i = 0; i < CALLS; i++)
		seen[i] = atomic_load(&counts[i]);
	for (int i = 0; i < CALLS; i++)
		fprintf(file, "%s %lu\n", names[i], seen[i]);
	fprintf(file, "live %ld\n", left);
	fclose(file);
}

/* Counts a call; whether it is one that shall fail. */
static bool fails(enum call call)
{
	unsigned long number = atomic_fetch_add(&counts[call], 1) + 1;
	if (failing != (int)call)
		return false;
	const bool meant = at == 0 || number == at || (is_stuck && number > at);
	if (meant && is_signal)
		(void)raise(SIGTERM);
	return meant && !is_signal;
}

static bool fails_with(enum call call)
{
	if (!fails(call) || is_short)
		return false;
	errno = with;
	return true;
}

/* Bytes of a read or write that may be transferred; -1: it fails. */
static ssize_t allowed(enum call call, int fd, size_t size)
{
	if (fd == STDERR_FILENO || !fails(call))
		return (ssize_t)size;
	if (is_short)
		return size > 0 ? 1 : 0;
	errno = with;
	return -1;
}

static __thread bool creating_thread;

/* Memory; sanitizers have their own. */
#ifndef FAULT_FILES_ONLY

/* dlsym may allocate before malloc is known. */
static char early[65536];
static atomic_size_t early_used;

static bool is_early(const void *p)
{
	return (const char *)p >= early && (const char *)p < early + sizeof early;
}

static void *take_early(size_t size)
{
	size_t from = atomic_fetch_add(&early_used, (size + 31) & ~(size_t)15);
	return from + size <= sizeof early ? early + from : NULL;
}

/*
 * What pthread_create allocates stays with the stack, which libc keeps for the next thread: how
 * many there are depends on how many threads ran at once. Such blocks are not counted.
 */
enum { THREAD_BLOCKS = 1024 };
static _Atomic(void *) thread_blocks[THREAD_BLOCKS];
static atomic_size_t thread_blocks_used;

static _Atomic(void *) *find_thread_block(void *p)
{
	size_t used = atomic_load(&thread_blocks_used);
	if (used > THREAD_BLOCKS)
		used = THREAD_BLOCKS;
	for (size_t i = 0; i < used; i++)
		if (atomic_load(&thread_blocks[i]) == p)
			return &thread_blocks[i];
	return NULL;
}

static bool keep_thread_block(void *p)
{
	if (!creating_thread)
		return false;
	const size_t i = atomic_fetch_add(&thread_blocks_used, 1);
	if (i < THREAD_BLOCKS)
		atomic_store(&thread_blocks[i], p);
	return i < THREAD_BLOCKS;
}

static void *counted(void *p)
{
	if (p != NULL && !keep_thread_block(p))
		atomic_fetch_add(&live, 1);
	return p;
}

static void uncounted(void *p)
{
	_Atomic(void *) *kept = find_thread_block(p);
	if (kept != NULL)
		atomic_store(kept, NULL);
	else
		atomic_fetch_sub(&live, 1);
}

void *malloc(size_t size)
{
	static void *(*real)(size_t);
	static __thread bool looking;
	if (real == NULL) {
		if (looking)
			return take_early(size);
		looking = true;
		*(void **)&real = next("malloc");
		looking = false;
	}
	return fails_with(MALLOC) ? NULL : counted(real(size));
}

void *calloc(size_t count, size_t size)
{
	static void *(*real)(size_t, size_t);
	static __thread bool looking;
	if (real == NULL) {
		if (looking)
			return take_early(count * size);
		looking = true;
		*(void **)&real = next("calloc");
		looking = false;
	}
	return fails_with(MALLOC) ? NULL : counted(real(count, size));
}

void *realloc(void *old, size_t size)
{
	static void *(*real)(void *, size_t);
	if (real == NULL)
		*(void **)&real = next("realloc");
	if (is_early(old)) {
		void *moved = malloc(size);
		if (moved != NULL)
			memcpy(moved, old, size);
		return moved;
	}
	if (fails_with(MALLOC))
		return NULL;
	if (old == NULL)
		return counted(real(old, size));
	_Atomic(void *) *kept = find_thread_block(old);
	void *moved = real(old, size);
	if (kept != NULL && moved != NULL)
		atomic_store(kept, moved);
	return moved;
}

void *aligned_alloc(size_t alignment, size_t size)
{
	static void *(*real)(size_t, size_t);
	if (real == NULL)
		*(void **)&real = next("aligned_alloc");
	return fails_with(MALLOC) ? NULL : counted(real(alignment, size));
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
	static int (*real)(void **, size_t, size_t);
	if (real == NULL)
		*(void **)&real = next("posix_memalign");
	if (fails(MALLOC))
		return ENOMEM;
	const int status = real(out, alignment, size);
	if (status == 0)
		(void)counted(*out);
	return status;
}

void free(void *p)
{
	static void (*real)(void *);
	if (is_early(p))
		return;
	if (p != NULL)
		uncounted(p);
	if (real == NULL)
		*(void **)&real = next("free");
	real(p);
}

#endif

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	if (real == NULL)
		*(void **)&real = next("pthread_create");
	if (fails(THREAD))
		return EAGAIN;
	creating_thread = true;
	const int status = real(thread, attr, fn, arg);
	creating_thread = false;
	return status;
}

/* Files */

static mode_t mode_of(int flags, va_list list)
{
	return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
	static int (*real)(const char *, int, ...);
	if (real == NULL)
		*(void **)&real = next("open");
	va_list list;
	va_start(list, flags);
	mode_t mode = mode_of(flags, list);
	va_end(list);
	return fails_with(OPEN) ? -1 : real(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	va_list list;
	va_start(list, flags);
	mode_t mode = mode_of(flags, list);
	va_end(list);
	return open(path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...)
{
	static int (*real)(int, const char *, int, ...);
	if (real == NULL)
		*(void **)&real = next("openat");
	va_list list;
	va_start(list, flags);
	mode_t mode = mode_of(flags, list);
	va_end(list);
	return fails_with(OPEN) ? -1 : real(directory, path, flags, mode);
}

int mkostemp(char *template, int flags)
{
	static int (*real)(char *, int);
	if (real == NULL)
		*(void **)&real = next("mkostemp");
	return fails_with(OPEN) ? -1 : real(template, flags);
}

ssize_t read(int fd, void *data, size_t size)
{
	static ssize_t (*real)(int, void *, size_t);
	if (real == NULL)
		*(void **)&real = next("read");
	ssize_t n = allowed(READ, fd, size);
	return n < 0 ? -1 : real(fd, data, (size_t)n);
}

ssize_t pread(int fd, void *data, size_t size, off_t offset)
{
	static ssize_t (*real)(int, void *, size_t, off_t);
	if (real == NULL)
		*(void **)&real = next("pread");
	ssize_t n = allowed(READ, fd, size);
	return n < 0 ? -1 : real(fd, data, (size_t)n, offset);
}

ssize_t pread64(int fd, void *data, size_t size, off64_t offset)
{
	return pread(fd, data, size, offset);
}

ssize_t write(int fd, const void *data, size_t size)
{
	static ssize_t (*real)(int, const void *, size_t);
	if (real == NULL)
		*(void **)&real = next("write");
	ssize_t n = allowed(WRITE, fd, size);
	return n < 0 ? -1 : real(fd, data, (size_t)n);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
	static ssize_t (*real)(int, const void *, size_t, off_t);
	if (real == NULL)
		*(void **)&real = next("pwrite");
	ssize_t n = allowed(WRITE, fd, size);
	return n < 0 ? -1 : real(fd, data, (size_t)n, offset);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
	return pwrite(fd, data, size, offset);
}

int fsync(int fd)
{
	static int (*real)(int);
	if (real == NULL)
		*(void **)&real = next("fsync");
	return fails_with(SYNC) ? -1 : real(fd);
}

int fdatasync(int fd)
{
	static int (*real)(int);
	if (real == NULL)
		*(void **)&real = next("fdatasync");
	return fails_with(SYNC) ? -1 : real(fd);
}

/* The descriptor is closed either way, as on Linux. */
int close(int fd)
{
	static int (*real)(int);
	if (real == NULL)
		*(void **)&real = next("close");
	bool failed = fd != STDERR_FILENO && fails(CLOSE);
	int status = real(fd);
	if (!failed)
		return status;
	errno = with;
	return -1;
}

int rename(const char *from, const char *to)
{
	static int (*real)(const char *, const char *);
	if (real == NULL)
		*(void **)&real = next("rename");
	return fails_with(RENAME) ? -1 : real(from, to);
}

int linkat(int from_directory, const char *from, int to_directory, const char *to, int flags)
{
	static int (*real)(int, const char *, int, const char *, int);
	if (real == NULL)
		*(void **)&real = next("linkat");
	return fails_with(LINK) ? -1 : real(from_directory, from, to_directory, to, flags);
}

int mkdir(const char *path, mode_t mode)
{
	static int (*real)(const char *, mode_t);
	if (real == NULL)
		*(void **)&real = next("mkdir");
	return fails_with(DIRECTORY) ? -1 : real(path, mode);
}

int stat(const char *path, struct stat *st)
{
	static int (*real)(const char *, struct stat *);
	if (real == NULL)
		*(void **)&real = next("stat");
	return fails_with(STAT) ? -1 : real(path, st);
}

int lstat(const char *path, struct stat *st)
{
	static int (*real)(const char *, struct stat *);
	if (real == NULL)
		*(void **)&real = next("lstat");
	return fails_with(STAT) ? -1 : real(path, st);
}

int fstat(int fd, struct stat *st)
{
	static int (*real)(int, struct stat *);
	if (real == NULL)
		*(void **)&real = next("fstat");
	return fails_with(STAT) ? -1 : real(fd, st);
}

int fchmod(int fd, mode_t mode)
{
	static int (*real)(int, mode_t);
	if (real == NULL)
		*(void **)&real = next("fchmod");
	return fails_with(MODE) ? -1 : real(fd, mode);
}

int ftruncate(int fd, off_t size)
{
	static int (*real)(int, off_t);
	if (real == NULL)
		*(void **)&real = next("ftruncate");
	return fails_with(SIZE) ? -1 : real(fd, size);
}

int fallocate(int fd, int how, off_t from, off_t size)
{
	static int (*real)(int, int, off_t, off_t);
	if (real == NULL)
		*(void **)&real = next("fallocate");
	return fails_with(SIZE) ? -1 : real(fd, how, from, size);
}

int pipe2(int fds[2], int flags)
{
	static int (*real)(int *, int);
	if (real == NULL)
		*(void **)&real = next("pipe2");
	return fails_with(PIPE) ? -1 : real(fds, flags);
}

off_t lseek(int fd, off_t offset, int whence)
{
	static off_t (*real)(int, off_t, int);
	if (real == NULL)
		*(void **)&real = next("lseek");
	return fails_with(SEEK) ? -1 : real(fd, offset, whence);
}

off64_t lseek64(int fd, off64_t offset, int whence)
{
	return lseek(fd, offset, whence);
}
