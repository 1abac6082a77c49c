/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that does I/O in many ways and logs each transfer, for record_truth.py:
 *
 *	record_truth SCENARIO DIRECTORY | cat
 *
 * A line "PID DIRECTION OFFSET LENGTH FILE" of standard output, a pipe, is one transfer; DIRECTION
 * is r or w. R and W belong to streams, whose buffers divide them in other ways: only their
 * bytes count. t is a truncate to the size OFFSET. Files are in DIRECTORY, which exists.
 */
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 300000, BLOCK = 5000, THREADS = 8, CALLS = 200, PATH_SIZE = 512 };

static const char *directory, *program;
static char buffer[SIZE];

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "record_truth: %s: %s\n", what, strerror(errno));
	_exit(EXIT_FAILURE);
}

static void log_transfer(char direction, long long offset, long long length, const char *file)
{
	char line[PATH_SIZE];
	const int n = snprintf(line, sizeof(line), "%d %c %lld %lld %s\n", (int)getpid(), direction,
			       offset, length, file);
	check(write(STDOUT_FILENO, line, (size_t)n) == n, "log");
}

/* Logs the transfer of a call that returned its length. */
static void moved(char direction, off_t offset, ssize_t length, const char *file)
{
	check(length >= 0, file);
	log_transfer(direction, offset, length, file);
}

static void truncated(int result, off_t size, const char *file)
{
	check(result == 0, file);
	log_transfer('t', size, 0, file);
}

static const char *path_of(const char *file, char path[PATH_SIZE])
{
	snprintf(path, PATH_SIZE, "%s/%s", directory, file);
	return path;
}

static int open_file(const char *file, int flags)
{
	char path[PATH_SIZE];
	const int fd = open(path_of(file, path), flags | O_CREAT, 0666);
	check(fd >= 0, path);
	return fd;
}

static int make_file(const char *file, size_t size)
{
	const int fd = open_file(file, O_RDWR | O_TRUNC);
	moved('w', 0, write(fd, buffer, size), file);
	check(lseek(fd, 0, SEEK_SET) == 0, "lseek");
	return fd;
}

static void wait_for(pid_t pid)
{
	int status;
	check(waitpid(pid, &status, 0) == pid && status == 0, "child");
}

/* Scenarios */

static void positions(void)
{
	const int fd = make_file("positions", SIZE);
	moved('r', 0, read(fd, buffer, 100), "positions");
	moved('r', 100, read(fd, buffer, 1), "positions");
	check(lseek(fd, -10, SEEK_END) == SIZE - 10, "lseek");
	moved('r', SIZE - 10, read(fd, buffer, 100), "positions");
	moved('r', SIZE, read(fd, buffer, 100), "positions");
	moved('r', 7, pread(fd, buffer, 13, 7), "positions");
	moved('w', SIZE, write(fd, buffer, 5), "positions");
	moved('w', 3 * SIZE, pwrite(fd, buffer, 17, 3 * SIZE), "positions");
	check(lseek(fd, 1000, SEEK_CUR) == SIZE + 1005, "lseek");
	moved('w', SIZE + 1005, write(fd, buffer, 1), "positions");
	truncated(ftruncate(fd, 50), 50, "positions");
	moved('r', SIZE + 1006, read(fd, buffer, 1), "positions");
	check(read(-1, buffer, 1) < 0 && write(-1, buffer, 1) < 0, "failures");
	close(fd);
}

static void truncates(void)
{
	static const off_t large = (off_t)1 << 33;
	char path[PATH_SIZE];
	const int fd = make_file("truncates", SIZE);
	path_of("truncates", path);
	truncated(ftruncate(fd, 0), 0, "truncates");
	truncated(ftruncate(fd, 4096), 4096, "truncates");
	truncated(ftruncate(fd, 4096), 4096, "truncates");
	truncated(ftruncate64(fd, large), large, "truncates");
	truncated(truncate(path, 1), 1, "truncates");
	truncated(truncate64(path, large + 1), large + 1, "truncates");
	check(ftruncate(fd, -1) < 0 && truncate(path_of("absent", path), 7) < 0, "failures");
	const pid_t pid = fork();
	check(pid >= 0, "fork");
	if (pid == 0) {
		truncated(ftruncate(fd, 99), 99, "truncates");
		_exit(EXIT_SUCCESS);
	}
	wait_for(pid);
	close(fd);
}

static void duplicates(void)
{
	const int fd = make_file("duplicates", SIZE), other = make_file("replaced", 10);
	const int copy = dup(fd), high = fcntl(fd, F_DUPFD_CLOEXEC, 100);
	moved('r', 0, read(fd, buffer, 10), "duplicates");
	moved('r', 10, read(copy, buffer, 10), "duplicates");
	check(lseek(high, 1000, SEEK_SET) == 1000, "lseek");
	check(dup2(fd, other) == other && dup3(fd, 77, O_CLOEXEC) == 77, "dup2");
	moved('r', 1000, read(other, buffer, 10), "duplicates");
	close(fd);
	moved('w', 1010, write(copy, buffer, 10), "duplicates");
	moved('r', 1020, read(77, buffer, 10), "duplicates");
	check(dup2(copy, copy) == copy, "dup2");
	moved('r', 1030, read(copy, buffer, 10), "duplicates");
	close(copy);
	close(77);
	close(other);
	moved('r', 1040, read(high, buffer, 10), "duplicates");
	close(high);
}

static void reuse(void)
{
	char file[32];
	for (int i = 0; i < 50; i++) {
		snprintf(file, sizeof(file), "reuse.%d", i % 7);
		const int fd = make_file(file, (size_t)i + 10);
		moved('r', 0, read(fd, buffer, 5), file);
		close(fd);
	}
	const int first = make_file("range.0", 10), second = make_file("range.1", 10);
	check(close_range((unsigned)first, (unsigned)second, 0) == 0, "close_range");
	const int fd = make_file("range.2", 20);
	check(fd == first, "the number is used again");
	moved('r', 0, read(fd, buffer, 20), "range.2");
	close(fd);
}

static void appends(void)
{
	const int fd = open_file("appends", O_RDWR | O_TRUNC | O_APPEND);
	const int other = open_file("appends", O_WRONLY | O_APPEND);
	off_t end = 0;
	for (int i = 1; i < 20; i++) {
		moved('w', end, write(i % 2 != 0 ? fd : other, buffer, (size_t)i), "appends");
		end += i;
	}
	moved('w', end, pwrite(fd, buffer, 5, 3), "appends");
	check(fcntl(fd, F_SETFL, 0) == 0 && lseek(fd, 2, SEEK_SET) == 2, "fcntl");
	moved('w', 2, write(fd, buffer, 5), "appends");
	moved('r', 7, read(fd, buffer, 5), "appends");
	check(fcntl(fd, F_SETFL, O_APPEND) == 0, "fcntl");
	moved('w', end + 5, write(fd, buffer, 5), "appends");
	close(fd);
	close(other);
}

static void vectors(void)
{
	const int fd = make_file("vectors", SIZE);
	const struct iovec v[3] = {{buffer, 10}, {buffer + 10, 0}, {buffer + 10, 1000}};
	moved('r', 0, readv(fd, v, 3), "vectors");
	moved('w', 1010, writev(fd, v, 3), "vectors");
	moved('r', 5000, preadv(fd, v, 3, 5000), "vectors");
	moved('w', 6000, pwritev(fd, v, 3, 6000), "vectors");
	moved('r', 7000, preadv2(fd, v, 3, 7000, 0), "vectors");
	moved('r', 2020, preadv2(fd, v, 3, -1, 0), "vectors");
	moved('w', 3030, pwritev2(fd, v, 3, -1, 0), "vectors");
	moved('w', SIZE, pwritev2(fd, v, 3, 0, RWF_APPEND), "vectors");
	moved('r', 4040, read(fd, buffer, 1), "vectors");
	close(fd);
}

static void copies(void)
{
	const int in = make_file("copies.in", SIZE), out = make_file("copies.out", 10);
	off_t at = 100, to = 1000;
	int ends[2];
	ssize_t n = copy_file_range(in, &at, out, &to, 5000, 0);
	moved('r', 100, n, "copies.in");
	moved('w', 1000, n, "copies.out");
	n = copy_file_range(in, NULL, out, NULL, 5000, 0);
	moved('r', 0, n, "copies.in");
	moved('w', 0, n, "copies.out");
	at = 200;
	n = sendfile(out, in, &at, 3000);
	moved('r', 200, n, "copies.in");
	moved('w', 5000, n, "copies.out");
	n = sendfile(out, in, NULL, 3000);
	moved('r', 5000, n, "copies.in");
	moved('w', 8000, n, "copies.out");
	check(pipe(ends) == 0, "pipe");
	moved('r', 8000, sendfile(ends[1], in, NULL, 100), "copies.in");
	moved('r', 8100, splice(in, NULL, ends[1], NULL, 100, 0), "copies.in");
	moved('w', 11000, splice(ends[0], NULL, out, NULL, 150, 0), "copies.out");
	close(ends[0]);
	close(ends[1]);
	close(in);
	close(out);
}

struct thread_work {
	int shared, number;
};

static void *do_thread(void *context)
{
	const struct thread_work *w = context;
	char file[32], own[BLOCK];
	snprintf(file, sizeof(file), "thread.%d", w->number);
	const int fd = open_file(file, O_RDWR | O_TRUNC);
	memset(own, 1, sizeof(own));
	for (int i = 0; i < CALLS; i++) {
		const off_t offset = (i * THREADS + w->number) * 100;
		moved('w', i * 20, write(fd, own, 20), file);
		moved('w', offset, pwrite(w->shared, own, 100, offset), "threads");
	}
	check(lseek(fd, 0, SEEK_SET) == 0, "lseek");
	for (int i = 0; i < CALLS; i++)
		moved('r', i * 20, read(fd, own, 20), file);
	close(fd);
	return NULL;
}

static void run_threads(int fd)
{
	pthread_t thread[THREADS];
	struct thread_work work[THREADS];
	for (int i = 0; i < THREADS; i++) {
		work[i] = (struct thread_work){fd, i};
		check(pthread_create(&thread[i], NULL, do_thread, &work[i]) == 0, "thread");
	}
	for (int i = 0; i < THREADS; i++)
		check(pthread_join(thread[i], NULL) == 0, "thread");
}

static void threads(void)
{
	const int fd = open_file("threads", O_RDWR | O_TRUNC);
	run_threads(fd);
	close(fd);
}

/* The threads of a child make its first calls. */
static void fork_threads(void)
{
	const int fd = make_file("threads", SIZE);
	const pid_t pid = fork();
	check(pid >= 0, "fork");
	if (pid == 0) {
		run_threads(fd);
		moved('w', 7, pwrite(fd, buffer, 10, 7), "threads");
		_exit(EXIT_SUCCESS);
	}
	wait_for(pid);
	close(fd);
}

/* A parent and its child move one position in turns. */
static void forks(void)
{
	const int fd = make_file("forks", SIZE);
	moved('r', 0, read(fd, buffer, 100), "forks");
	for (int i = 0; i < 5; i++) {
		const pid_t pid = fork();
		check(pid >= 0, "fork");
		if (pid == 0) {
			const int own = make_file("forks.own", 30);
			moved('r', 100 + 200 * i, read(fd, buffer, 100), "forks");
			moved('r', 0, read(own, buffer, 100), "forks.own");
			_exit(EXIT_SUCCESS);
		}
		wait_for(pid);
		moved('r', 200 + 200 * i, read(fd, buffer, 100), "forks");
	}
	close(fd);
}

/* In a new program: descriptor 50 is at position 100 of `inherited`, 51 is closed. */
static void inherited(void)
{
	moved('r', 100, read(50, buffer, 50), "inherited");
	check(read(51, buffer, 1) < 0 && errno == EBADF, "close-on-exec");
	const int fd = make_file("own", 20);
	moved('r', 0, read(fd, buffer, 20), "own");
	close(fd);
}

static char *arguments[4];

static int prepare_inherited(void)
{
	const int fd = make_file("inherited", SIZE);
	moved('r', 0, read(fd, buffer, 100), "inherited");
	check(dup2(fd, 50) == 50 && dup3(fd, 51, O_CLOEXEC) == 51, "dup2");
	arguments[0] = (char *)(uintptr_t)program;
	arguments[1] = (char *)(uintptr_t) "inherited";
	arguments[2] = (char *)(uintptr_t)directory;
	return fd;
}

static void finish_inherited(int fd, pid_t pid)
{
	wait_for(pid);
	moved('r', 150, read(fd, buffer, 50), "inherited");
	close(50);
	close(51);
	close(fd);
}

static void fork_exec(void)
{
	const int fd = prepare_inherited();
	const pid_t pid = fork();
	check(pid >= 0, "fork");
	if (pid == 0) {
		execv(program, arguments);
		_exit(EXIT_FAILURE);
	}
	finish_inherited(fd, pid);
}

static void vfork_exec(void)
{
	const int fd = prepare_inherited();
	const pid_t pid = vfork(); /* NOLINT */
	if (pid == 0) {            /* NOLINT */
		execv(program, arguments);
		_exit(EXIT_FAILURE);
	}
	finish_inherited(fd, pid);
}

static void spawn(void)
{
	pid_t pid;
	const int fd = prepare_inherited();
	check(posix_spawn(&pid, program, NULL, NULL, arguments, environ) == 0, "posix_spawn");
	finish_inherited(fd, pid);
}

static void same_process_exec(void)
{
	(void)prepare_inherited();
	execv(program, arguments);
	check(false, "execv");
}

static void asynchronous(void)
{
	const int fd = make_file("aio", SIZE);
	struct aiocb cb[6];
	memset(cb, 0, sizeof(cb));
	for (int i = 0; i < 6; i++) {
		cb[i].aio_fildes = fd;
		cb[i].aio_offset = i * 10000;
		cb[i].aio_buf = buffer + i * 10000;
		cb[i].aio_nbytes = (size_t)i + 1000;
		check((i % 2 != 0 ? aio_write(&cb[i]) : aio_read(&cb[i])) == 0, "aio");
	}
	for (int i = 0; i < 6; i++) {
		const struct aiocb *list[1] = {&cb[i]};
		while (aio_error(&cb[i]) == EINPROGRESS)
			(void)aio_suspend(list, 1, NULL);
		moved(i % 2 != 0 ? 'w' : 'r', i * 10000, aio_return(&cb[i]), "aio");
	}
	close(fd);
}

static void mapping(void)
{
	const int fd = make_file("mapping", SIZE);
	char *at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	check(at != MAP_FAILED, "mmap");
	moved('r', 0, read(fd, buffer, 10), "mapping");
	memset(at, 'x', SIZE);
	check(msync(at, SIZE, MS_ASYNC) == 0 && munmap(at, SIZE) == 0, "munmap");
	moved('r', 10, read(fd, buffer, 10), "mapping");
	close(fd);
}

/* Streams: each byte that a stream wrote or read, in the order of its file */

static FILE *open_stream(const char *file, const char *mode, int size)
{
	char path[PATH_SIZE];
	FILE *f = fopen(path_of(file, path), mode);
	check(f != NULL, path);
	if (size >= 0)
		check(setvbuf(f, NULL, size == 1 ? _IONBF : _IOFBF, (size_t)size) == 0, "setvbuf");
	return f;
}

static void write_stream(const char *file, int size)
{
	FILE *f = open_stream(file, "w", size);
	for (int i = 0; i < 300; i++) {
		check(fwrite(buffer, 1, 11, f) == 11 && fputc('c', f) == 'c', file);
		check(fputs("text", f) >= 0 && fprintf(f, "%04d\n", i) == 5, file);
	}
	check(fwrite(buffer, 1, 20000, f) == 20000, file);
	log_transfer('W', 0, 300 * 21 + 20000, file);
	check(fseek(f, 50000, SEEK_SET) == 0 && fputs("end", f) >= 0, file);
	log_transfer('W', 50000, 3, file);
	check(fclose(f) == 0, file);
}

static void read_stream(const char *file, int size)
{
	char line[256], *text = NULL;
	size_t capacity = 0;
	FILE *f = open_stream(file, "r", size);
	check(fread(line, 1, 100, f) == 100 && fgetc(f) >= 0 && fgets(line, 256, f) != NULL, file);
	check(getline(&text, &capacity, f) > 0 && ungetc('u', f) == 'u' && fgetc(f) == 'u', file);
	while (fread(line, 1, 77, f) == 77)
		;
	log_transfer('R', 0, 50003, file);
	free(text);
	check(fclose(f) == 0, file);
}

static void streams(void)
{
	const int size[] = {-1, 1, 7, 4096, 1 << 20};
	char file[32];
	for (int i = 0; i < 5; i++) {
		snprintf(file, sizeof(file), "stream.%d", size[i]);
		write_stream(file, size[i]);
		read_stream(file, size[i]);
	}
}

/* What a stream holds when its program ends is written by libc. */
static void stream_at_exit(void)
{
	FILE *f = open_stream("at.exit", "a", -1);
	check(fputs("written at exit", f) >= 0, "at.exit");
	log_transfer('W', 0, 15, "at.exit");
}

static volatile sig_atomic_t signal_fd, signal_writes;

static void on_signal(int number)
{
	(void)number;
	if (pwrite(signal_fd, "signal", 6, 0) == 6) /* NOLINT(bugprone-signal-handler) */
		signal_writes++;
}

static void signals(void)
{
	char c;
	int ends[2];
	signal_fd = open_file("signals", O_RDWR | O_TRUNC);
	check(pipe(ends) == 0 && signal(SIGALRM, on_signal) != SIG_ERR, "signal");
	const struct sigaction a = {.sa_handler = on_signal};
	check(sigaction(SIGUSR1, &a, NULL) == 0, "sigaction");
	const pid_t parent = getpid(), pid = fork();
	check(pid >= 0, "fork");
	if (pid == 0) {
		for (int i = 0; i < 20; i++) {
			kill(parent, SIGUSR1);
			usleep(1000);
		}
		_exit(write(ends[1], "x", 1) == 1 ? EXIT_SUCCESS : EXIT_FAILURE);
	}
	while (read(ends[0], &c, 1) != 1)
		check(errno == EINTR, "read");
	wait_for(pid);
	for (int i = 0; i < signal_writes; i++)
		log_transfer('w', 0, 6, "signals");
	close(signal_fd);
	close(ends[0]);
	close(ends[1]);
}

static const struct {
	const char *name;
	void (*run)(void);
} scenarios[] = {{"positions", positions},
		 {"truncates", truncates},
		 {"duplicates", duplicates},
		 {"reuse", reuse},
		 {"appends", appends},
		 {"vectors", vectors},
		 {"copies", copies},
		 {"threads", threads},
		 {"forks", forks},
		 {"fork-threads", fork_threads},
		 {"fork-exec", fork_exec},
		 {"vfork-exec", vfork_exec},
		 {"spawn", spawn},
		 {"exec", same_process_exec},
		 {"inherited", inherited},
		 {"aio", asynchronous},
		 {"mapping", mapping},
		 {"streams", streams},
		 {"stream-at-exit", stream_at_exit},
		 {"signals", signals}};

int main(int argc, char **argv)
{
	if (argc == 3)
		for (size_t i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++)
			if (strcmp(scenarios[i].name, argv[1]) == 0) {
				program = argv[0];
				directory = argv[2];
				scenarios[i].run();
				return EXIT_SUCCESS;
			}
	fprintf(stderr, "record_truth SCENARIO DIRECTORY\n");
	return 2;
}
