/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Known I/O, for tests of iotrace record, in the current directory.
 *
 *	record_calls known	calls of each kind, one after the other
 *	record_calls threads	four threads and a child write 100 blocks each
 *	record_calls directories	operations on names in a directory that is renamed
 *	record_calls rare	a child of clone writes; messages, and a library in another
 *				namespace
 *	record_calls uring	3 requests to a ring of io_uring that is closed, 2 to one that a
 *				child inherits and that an exec that fails leaves open, 4 to one
 *				that libc does not see, 1 to another after 200 files were opened;
 *				exit status 77: no io_uring
 *	record_calls kill N	a child writes blocks until it has completed N, and is killed with
 *				SIGKILL; prints the number of those that it completed
 *	record_calls signal N	ends by this signal
 *	record_calls signals	creates the file "ready", and prints the number of each signal that
 *				it gets, the last one 64
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCK = 4096, BLOCKS = 100, THREADS = 4 };

static char bytes[BLOCK];

static void check(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "record_calls: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int create(const char *name, int flags)
{
	const int fd = open(name, O_RDWR | O_CREAT | O_TRUNC | flags, 0644);
	check(fd >= 0, name);
	return fd;
}

static void known(void)
{
	const struct iovec parts[] = {{bytes, 10}, {bytes, 20}, {bytes, 30}};
	const int fd = create("data", 0);
	check(write(fd, bytes, 1000) == 1000, "write");
	check(pwrite(fd, bytes, 500, 2000) == 500, "pwrite");
	check(writev(fd, parts, 3) == 60, "writev");
	const int again = dup(fd);
	check(write(again, bytes, 7) == 7, "write to a duplicate");
	check(lseek(fd, 100, SEEK_SET) == 100, "lseek");
	check(read(again, bytes, 50) == 50, "read");
	check(pread(fd, bytes, BLOCK, 2400) == 100, "pread at the end");
	check(preadv(fd, parts, 2, 5) == 30, "preadv");
	check(read(fd, bytes, 0) == 0 && read(-1, bytes, 1) < 0, "reads of nothing");
	const int end = open("data", O_WRONLY | O_APPEND);
	check(write(end, bytes, 3) == 3, "append");
	const int copy = create("copy", 0);
	check(lseek(fd, 0, SEEK_SET) == 0, "lseek");
	check(copy_file_range(fd, NULL, copy, NULL, 300, 0) == 300, "copy_file_range");
	check(write(copy, bytes, 1) == 1, "write after a copy");
	const pid_t child = fork();
	if (child == 0)
		_exit(write(fd, bytes, 40) == 40 ? 0 : 1);
	int status = 1;
	check(waitpid(child, &status, 0) == child && status == 0, "child");
	check(write(fd, bytes, 2) == 2, "write after the child's");
	check(close(fd) == 0 && close(again) == 0 && close(end) == 0 && close(copy) == 0, "close");
}

static void write_blocks(const char *name)
{
	const int fd = create(name, 0);
	for (int i = 0; i < BLOCKS; i++)
		check(write(fd, bytes, BLOCK) == BLOCK, name);
	check(close(fd) == 0, "close");
}

static void *in_thread(void *number)
{
	char name[32];
	snprintf(name, sizeof(name), "thread%d", *(const int *)number);
	write_blocks(name);
	return NULL;
}

static void threads(void)
{
	pthread_t thread[THREADS];
	int number[THREADS], status = 1;
	const pid_t child = fork();
	if (child == 0) {
		write_blocks("child");
		_exit(0);
	}
	for (int i = 0; i < THREADS; i++) {
		number[i] = i;
		check(pthread_create(&thread[i], NULL, in_thread, &number[i]) == 0, "thread");
	}
	for (int i = 0; i < THREADS; i++)
		check(pthread_join(thread[i], NULL) == 0, "join");
	check(waitpid(child, &status, 0) == child && status == 0, "child");
}

/* The path of the directory is not asked for each time, but again after a rename by any process. */
static void directories(void)
{
	check(mkdir("first", 0755) == 0, "mkdir");
	const int d = open("first", O_RDONLY | O_DIRECTORY);
	int status = 1;
	for (int i = 0; i < 2; i++)
		check(faccessat(d, ".", R_OK, 0) == 0, "faccessat");
	check(rename("first", "second") == 0, "rename");
	for (int i = 0; i < 2; i++)
		check(faccessat(d, ".", R_OK, 0) == 0, "faccessat after a rename");
	const pid_t child = fork();
	if (child == 0)
		_exit(rename("second", "third") != 0);
	check(waitpid(child, &status, 0) == child && status == 0, "child");
	check(faccessat(d, ".", R_OK, 0) == 0, "faccessat after the child's");
	check(close(d) == 0 && rmdir("third") == 0, "rmdir");
}

static int in_clone(void *fd)
{
	return write(*(const int *)fd, bytes, 40) == 40 ? 0 : 1;
}

static void messages(void)
{
	int pair[2];
	struct iovec parts[] = {{bytes, 10}, {bytes, 20}};
	struct mmsghdr message[2] = {{.msg_hdr = {.msg_iov = &parts[0], .msg_iovlen = 1}},
				     {.msg_hdr = {.msg_iov = &parts[1], .msg_iovlen = 1}}};
	check(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0, "socketpair");
	check(sendmmsg(pair[0], message, 2, 0) == 2, "sendmmsg");
	check(recvmmsg(pair[1], message, 2, 0, NULL) == 2, "recvmmsg");
	check(close(pair[0]) == 0 && close(pair[1]) == 0, "close");
}

static void rare(void)
{
	static _Alignas(16) char stack[1 << 16];
	int fd = create("data", 0), status = 1;
	check(write(fd, bytes, 100) == 100, "write");
	const pid_t child = clone(in_clone, stack + sizeof(stack), SIGCHLD, &fd);
	check(waitpid(child, &status, 0) == child && status == 0, "child of clone");
	check(write(fd, bytes, 5) == 5, "write after the child's");
	const pid_t borrower =
	    clone(in_clone, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, &fd);
	check(waitpid(borrower, &status, 0) == borrower && status == 0, "child in shared memory");
	check(lseek(fd, 0, SEEK_CUR) == 185, "position");
	messages();
	check(dlmopen(LM_ID_NEWLM, "libm.so.6", RTLD_NOW) != NULL, "dlmopen");
	check(close(fd) == 0, "close");
}

/* A system call as liburing makes it, unseen by libc. */
static long unseen_call(long number, long a, long b)
{
	long result;
	register long none __asm__("r10") = 0;
	register long signals __asm__("r8") = 0;
	register long size __asm__("r9") = 0;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(0), "r"(none), "r"(signals), "r"(size)
			 : "rcx", "r11", "memory");
	return result;
}

/* Creates a ring, and submits requests that do nothing. */
static int ring_with(unsigned requests, bool seen)
{
	struct io_uring_params p = {0};
	const int fd = (int)(seen ? syscall(SYS_io_uring_setup, 8, &p)
				  : unseen_call(SYS_io_uring_setup, 8, (long)&p));
	if (fd < 0)
		exit(77);
	const size_t entries = p.sq_entries * sizeof(struct io_uring_sqe),
		     array = p.sq_off.array + p.sq_entries * 4;
	struct io_uring_sqe *const entry =
	    mmap(NULL, entries, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQES);
	char *const ring =
	    mmap(NULL, array, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQ_RING);
	check(entry != MAP_FAILED && (void *)ring != MAP_FAILED, "mmap of a ring");
	for (unsigned i = 0; i < requests; i++) {
		entry[i].opcode = IORING_OP_NOP;
		((unsigned *)(void *)(ring + p.sq_off.array))[i] = i;
	}
	atomic_store((_Atomic unsigned *)(void *)(ring + p.sq_off.tail), requests);
	check(unseen_call(SYS_io_uring_enter, fd, requests) == (long)requests, "io_uring_enter");
	munmap(ring, array);
	munmap(entry, entries);
	return fd;
}

static void uring(void)
{
	close(ring_with(3, true));
	const int fd = ring_with(2, true);
	ring_with(4, false);
	const pid_t child = fork();
	if (child == 0)
		exit(close(fd));
	check(waitpid(child, NULL, 0) == child, "waitpid");
	check(execl("absent", "absent", (char *)NULL) == -1, "execl");
	for (int i = 0; i < 200; i++)
		check(open("/dev/null", O_RDONLY) >= 0, "open");
	ring_with(1, false);
}

static void write_until_killed(atomic_long *done)
{
	const int fd = create("killed", 0);
	for (;;) {
		check(pwrite(fd, bytes, BLOCK, (off_t)(*done % BLOCKS) * BLOCK) == BLOCK, "pwrite");
		atomic_fetch_add(done, 1);
	}
}

static void kill_after(long n)
{
	atomic_long *done =
	    mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(done != MAP_FAILED, "mmap");
	const pid_t child = fork();
	if (child == 0)
		write_until_killed(done);
	while (atomic_load(done) < n)
		sched_yield();
	check(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child, "kill");
	printf("%ld\n", atomic_load(done));
}

/* glibc leaves out two signals. */
static void signals(void)
{
	const unsigned long all = ~0UL;
	unsigned char info[128];
	int number = 0;
	check(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all) == 0, "mask");
	create("ready", 0);
	while (number != 64) {
		check(syscall(SYS_rt_sigtimedwait, &all, info, NULL, sizeof all) > 0, "wait");
		memcpy(&number, info, sizeof number);
		printf("%d\n", number);
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "known") == 0)
		known();
	else if (argc == 2 && strcmp(argv[1], "threads") == 0)
		threads();
	else if (argc == 2 && strcmp(argv[1], "directories") == 0)
		directories();
	else if (argc == 2 && strcmp(argv[1], "rare") == 0)
		rare();
	else if (argc == 2 && strcmp(argv[1], "uring") == 0)
		uring();
	else if (argc == 3 && strcmp(argv[1], "kill") == 0)
		kill_after(atol(argv[2]));
	else if (argc == 3 && strcmp(argv[1], "signal") == 0)
		raise(atoi(argv[2]));
	else if (argc == 2 && strcmp(argv[1], "signals") == 0)
		signals();
	else
		return 2;
	return 0;
}
