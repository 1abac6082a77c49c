/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs whose processes share descriptors, run programs, change their user, root or namespaces,
 * and log what they transfer, for record_lives.py:
 *
 *	record_lives LOG STATIC SETUID NAME
 *
 * runs the program of that name in the working directory. LOG is a file of struct log, which each
 * process maps: an entry is a store to memory, which no tracer sees. STATIC is a program without
 * libc that writes "static\n" to its standard output, SETUID a copy of this program that has the
 * privileges of another user. Offsets come from the kernel, which system calls by instruction
 * ask. Exit status 77: the program needs privileges that the process lacks.
 *
 *	record_lives -w DESCRIPTOR OFFSET LENGTH FILE
 *
 * continues after exec: it moves to an offset unless that is negative, sets O_APPEND if it is -2,
 * and writes.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record_lives.h"

enum { ENTRIES = 4096, NAME = 24, OTHER_USER = 65534, SKIPPED = 77 };

struct entry {
	long offset, length;
	char direction, file[NAME - 1];
};

static struct log {
	_Atomic long count;
	long padding[3];
	struct entry entry[ENTRIES];
} * entries;

char own_path[4096];
const char *static_path;
static const char *setuid_program;
static char buffer[4096];

/*
 * Not inline: the number would show that the place is one of I/O, which is too far away to be seen.
 */
__attribute__((noinline)) long raw(long number, long a, long b, long c)
{
	long result;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

void check(bool ok, const char *what)
{
	if (ok)
		return;
	const int errnum = errno;
	fprintf(stderr, "record_lives: %s: %s\n", what, strerror(errnum));
	_exit(errnum == EPERM || errnum == ENOSYS ? SKIPPED : EXIT_FAILURE);
}

void note(char direction, long offset, long length, const char *file)
{
	const long n = atomic_fetch_add(&entries->count, 1);
	check(n < ENTRIES, "log");
	struct entry *e = &entries->entry[n];
	e->offset = offset;
	e->length = length;
	e->direction = direction;
	strncpy(e->file, file, sizeof e->file - 1);
}

/* Transfers at the position, or at the end of a file with O_APPEND. */

void put(int fd, size_t size, const char *file)
{
	const long at = raw(SYS_lseek, fd, 0, SEEK_CUR);
	check(write(fd, buffer, size) == (ssize_t)size, "write");
	const long end = raw(SYS_lseek, fd, 0, SEEK_CUR);
	note('w', end - at == (long)size ? at : end - (long)size, (long)size, file);
}

void get(int fd, size_t size, const char *file)
{
	const long at = raw(SYS_lseek, fd, 0, SEEK_CUR);
	const ssize_t n = read(fd, buffer, size);
	check(n >= 0, "read");
	note('r', at, n, file);
}

int make(const char *file, int flags)
{
	const int fd = open(file, O_RDWR | O_CREAT | O_TRUNC | flags, 0666);
	check(fd >= 0, file);
	return fd;
}

/* Most programs begin with a file of this many bytes. */
static int begin(size_t size)
{
	const int fd = make("a", 0);
	put(fd, size, "a");
	return fd;
}

void wait_for(pid_t pid)
{
	int status = 0;
	check(pid > 0 && waitpid(pid, &status, 0) == pid, "wait");
	if (status != 0)
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE);
}

static void wait_all(void)
{
	int status;
	while (wait(&status) > 0)
		if (status != 0)
			_exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE);
}

/* The arguments with which this program continues after exec. */
char **writer(int fd, long offset, size_t size, const char *file)
{
	static char text[5][NAME];
	static char *argv[8];
	static char program[] = "/proc/self/exe";
	snprintf(text[0], NAME, "-w");
	snprintf(text[1], NAME, "%d", fd);
	snprintf(text[2], NAME, "%ld", offset);
	snprintf(text[3], NAME, "%zu", size);
	snprintf(text[4], NAME, "%s", file);
	argv[0] = program;
	for (int i = 0; i < 5; i++)
		argv[i + 1] = text[i];
	return argv;
}

static void run_writer(const char *program, int fd, long offset, size_t size, const char *file)
{
	execv(program, writer(fd, offset, size, file));
	check(false, program);
}

pid_t forked_writer(int fd, long offset, size_t size, const char *file)
{
	const pid_t pid = fork();
	if (pid == 0)
		run_writer(own_path, fd, offset, size, file);
	return pid;
}

static void spawn_writer(int fd, long offset)
{
	pid_t pid;
	check(posix_spawn(&pid, own_path, NULL, NULL, writer(fd, offset, 6, "a"), environ) == 0,
	      "spawn");
	wait_for(pid);
}

/* Makes the descriptor the standard output of the static program, which writes 7 bytes. */
static void expect_static(int fd)
{
	note('w', raw(SYS_lseek, fd, 0, SEEK_CUR), 7, "a");
	check(dup2(fd, STDOUT_FILENO) == STDOUT_FILENO, "dup2");
}

static void run_static(int fd)
{
	char *argv[] = {(char *)static_path, NULL};
	expect_static(fd);
	execv(static_path, argv);
	check(false, "static");
}

static void static_in_child(int fd)
{
	const pid_t pid = fork();
	if (pid == 0)
		run_static(fd);
	wait_for(pid);
}

static void child_puts(int fd, size_t size)
{
	const pid_t pid = fork();
	if (pid == 0) {
		put(fd, size, "a");
		_exit(0);
	}
	wait_for(pid);
}

void become_other(void)
{
	check(setresuid(OTHER_USER, OTHER_USER, OTHER_USER) == 0, "setresuid");
}

/* Another mount namespace, in which the directories of recordings are empty. */
static void hide_recording(void)
{
	check(unshare(CLONE_NEWNS) == 0, "unshare");
	check(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "mount");
	check(mount("none", "/dev/shm", "tmpfs", 0, NULL) == 0, "mount");
}

/* Descriptors that processes share */

static void grandchild(void)
{
	const int fd = begin(2);
	const pid_t pid = fork();
	if (pid == 0) {
		put(fd, 3, "a");
		child_puts(fd, 8);
		run_writer(own_path, fd, 4, 5, "a");
	}
	wait_for(pid);
	put(fd, 1, "a");
}

static void exec_continues(void)
{
	const int fd = begin(5);
	run_writer(own_path, fd, -1, 6, "a");
}

static void exec_seeks(void)
{
	const int fd = begin(50);
	wait_for(forked_writer(fd, 7, 6, "a"));
	put(fd, 3, "a");
	wait_for(forked_writer(fd, -1, 6, "a"));
	put(fd, 3, "a");
}

static void spawned(void)
{
	const int fd = make("a", 0);
	put(fd, 5, "a");
	spawn_writer(fd, 2);
	put(fd, 3, "a");
}

static void vforked(void)
{
	const int fd = make("a", 0);
	char **const argv = writer(fd, 2, 6, "a");
	put(fd, 5, "a");
	const pid_t pid = vfork();
	if (pid == 0) {
		execv(own_path, argv);
		_exit(1);
	}
	wait_for(pid);
	put(fd, 3, "a");
}

/* The child has descriptors, a position and a directory of its own until it runs the program. */
static void vfork_writes(void)
{
	const int fd = make("a", 0), other = make("b", 0);
	char **const argv = writer(other, 2, 6, "b");
	put(fd, 5, "a");
	const pid_t pid = vfork();
	if (pid == 0) {
		put(fd, 4, "a");
		close(fd);
		dup2(other, fd);
		put(fd, 2, "b");
		lseek(fd, 1, SEEK_CUR);
		put(fd, 2, "b");
		execv(own_path, argv);
		_exit(1);
	}
	wait_for(pid);
	put(fd, 3, "a");
	put(other, 3, "b");
}

/* It runs no program, another one creates a file, and the last creates a child by fork. */
static void vfork_ends(void)
{
	const int fd = make("a", 0);
	pid_t pid = vfork();
	if (pid == 0) {
		put(fd, 4, "a");
		_exit(0);
	}
	wait_for(pid);
	put(fd, 3, "a");
	check(mkdir("d", 0777) == 0, "mkdir");
	pid = vfork();
	if (pid == 0) {
		if (chdir("d") != 0)
			_exit(1);
		put(make("c", 0), 4, "c");
		execv("/nonexistent", (char *[]){(char[]){"none"}, NULL});
		put(fd, 3, "a");
		_exit(0);
	}
	wait_for(pid);
	put(fd, 2, "a");
	pid = vfork();
	if (pid == 0) {
		const pid_t grandchild = fork();
		if (grandchild == 0) {
			put(fd, 7, "a");
			_exit(0);
		}
		int status;
		waitpid(grandchild, &status, 0);
		_exit(0);
	}
	wait_for(pid);
	put(make("d/e", 0), 1, "e");
	put(fd, 1, "a");
}

/* A signal ends the child at any moment, also while it writes a record. */
static void vfork_killed(void)
{
	enum { CHILDREN = 200, MIN_US = 100 };
	const int fd = make("a", 0);
	for (int i = 0; i < CHILDREN; i++) {
		const pid_t pid = vfork();
		if (pid == 0) {
			const struct itimerval timer = {.it_value = {.tv_usec = MIN_US + i}};
			setitimer(ITIMER_REAL, &timer, NULL);
			for (;;)
				(void)!access("absent", F_OK);
		}
		check(waitpid(pid, NULL, 0) == pid, "wait");
		put(fd, 3, "a");
	}
}

static void static_child(void)
{
	const int fd = begin(5);
	static_in_child(fd);
	put(fd, 3, "a");
	get(fd, 3, "a");
}

static void static_spawned(void)
{
	const int fd = make("a", 0);
	char *argv[] = {(char *)static_path, NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid;
	put(fd, 5, "a");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
	note('w', 5, 7, "a");
	check(posix_spawnp(&pid, static_path, &actions, NULL, argv, environ) == 0, "spawn");
	wait_for(pid);
	put(fd, 3, "a");
}

/* A child that has nothing to do with the file while another one writes to it. */
static void static_and_other(void)
{
	const int fd = begin(5);
	const pid_t first = fork();
	if (first == 0) {
		static_in_child(fd);
		_exit(0);
	}
	wait_for(first);
	put(fd, 3, "a");
	wait_for(forked_writer(fd, -1, 6, "a"));
	put(fd, 4, "a");
}

/* Two descriptions of one file with the same position. */
static void twins(void)
{
	const int fd = make("a", 0), other = open("a", O_RDWR);
	put(fd, 5, "a");
	put(other, 5, "a");
	wait_for(forked_writer(fd, -1, 6, "a"));
	put(other, 3, "a");
	put(fd, 2, "a");
	wait_for(forked_writer(other, 100, 6, "a"));
	put(fd, 1, "a");
	put(other, 1, "a");
}

static void duplicates(void)
{
	const int fd = make("a", 0), copy = dup(fd);
	put(fd, 5, "a");
	wait_for(forked_writer(copy, -1, 6, "a"));
	put(fd, 3, "a");
	wait_for(forked_writer(fd, 1, 6, "a"));
	put(copy, 3, "a");
	close(fd);
	wait_for(forked_writer(copy, -1, 9, "a"));
	put(copy, 3, "a");
}

static void appends(void)
{
	const int fd = make("a", O_APPEND);
	put(fd, 5, "a");
	wait_for(forked_writer(fd, 0, 6, "a"));
	put(fd, 3, "a");
	check(lseek(fd, 0, SEEK_SET) == 0, "lseek");
	get(fd, 4, "a");
}

static void child_seeks(void)
{
	const int fd = begin(30);
	const pid_t pid = fork();
	if (pid == 0) {
		check(lseek(fd, 3, SEEK_SET) == 3, "lseek");
		get(fd, 4, "a");
		_exit(0);
	}
	wait_for(pid);
	put(fd, 3, "a");
}

static void chain(void)
{
	const int fd = begin(4);
	for (int i = 0; i < 3; i++) {
		const pid_t pid = fork();
		if (pid == 0) {
			put(fd, 2, "a");
			wait_for(forked_writer(fd, -1, 3, "a"));
			put(fd, 4, "a");
			run_writer(own_path, fd, i * 5, 5, "a");
		}
		wait_for(pid);
		put(fd, 1, "a");
	}
}

static void reopened(void)
{
	const int fd = make("a", O_CLOEXEC);
	put(fd, 4, "a");
	const pid_t pid = fork();
	if (pid == 0) {
		close(fd);
		const int other = make("b", 0);
		check(other == fd, "number");
		put(other, 9, "b");
		run_writer(own_path, other, -1, 6, "b");
	}
	wait_for(pid);
	put(fd, 3, "a");
}

static void passed(void)
{
	int pair[2];
	char data = 'x', control[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec v = {&data, 1};
	struct msghdr m = {.msg_iov = &v,
			   .msg_iovlen = 1,
			   .msg_control = control,
			   .msg_controllen = sizeof control};
	check(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "socketpair");
	const pid_t pid = fork();
	if (pid == 0) {
		int fd;
		check(recvmsg(pair[1], &m, 0) == 1, "recvmsg");
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
		put(fd, 7, "a");
		_exit(0);
	}
	const int fd = begin(4);
	struct cmsghdr *h = CMSG_FIRSTHDR(&m);
	*h = (struct cmsghdr){
	    .cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
	memcpy(CMSG_DATA(h), &fd, sizeof fd);
	check(sendmsg(pair[0], &m, 0) == 1, "sendmsg");
	wait_for(pid);
	put(fd, 3, "a");
}

static void cloned(void)
{
	const int fd = begin(4);
	const long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (pid == 0) {
		put(fd, 7, "a");
		run_writer(own_path, fd, -1, 3, "a");
	}
	wait_for((pid_t)pid);
	put(fd, 3, "a");
}

static void forked_unseen(void)
{
	const int fd = begin(4);
	const long pid = raw(SYS_fork, 0, 0, 0);
	if (pid == 0) {
		put(fd, 7, "a");
		_exit(0);
	}
	wait_for((pid_t)pid);
	put(fd, 3, "a");
}

static void daemonized(void)
{
	const int fd = begin(4);
	const pid_t pid = fork();
	if (pid == 0) {
		check(daemon(1, 1) == 0, "daemon");
		put(fd, 7, "a");
		_exit(0);
	}
	wait_for(pid);
	while (atomic_load(&entries->count) < 2)
		sched_yield();
	put(fd, 3, "a");
}

/* Threads with descriptors of their own */

static pthread_barrier_t barrier;
static int shared_fd;

static void *unshared_thread(void *unused)
{
	check(unshare(CLONE_FILES) == 0, "unshare");
	close(shared_fd);
	const int fd = make("b", 0);
	check(fd == shared_fd, "number");
	put(fd, 5, "b");
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	put(fd, 6, "b");
	close(fd);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return unused;
}

static void unshared_files(void)
{
	pthread_t thread;
	shared_fd = make("a", 0);
	put(shared_fd, 2, "a");
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, unshared_thread, NULL);
	pthread_barrier_wait(&barrier);
	put(shared_fd, 3, "a");
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	put(shared_fd, 4, "a");
	const int fd = make("c", 0);
	put(fd, 7, "c");
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	put(shared_fd, 4, "a");
}

static int shared_child(void *unused)
{
	(void)unused;
	close(shared_fd);
	const int fd = make("b", 0);
	put(fd, 5, "b");
	put(fd, 5, "b");
	return 0;
}

/* A child with the memory of its parent, but descriptors of its own. */
static void shared_memory(void)
{
	static char stack[1 << 16];
	shared_fd = make("a", 0);
	put(shared_fd, 2, "a");
	const pid_t pid =
	    clone(shared_child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
	wait_for(pid);
	put(shared_fd, 3, "a");
}

/* Programs with other privileges */

static void setuid_child(void)
{
	const int fd = begin(5);
	const pid_t pid = fork();
	if (pid == 0)
		run_writer(setuid_program, fd, 2, 6, "a");
	wait_for(pid);
	put(fd, 3, "a");
}

static void other_user(void)
{
	const int fd = begin(5);
	become_other();
	put(fd, 6, "a");
}

static void other_child(void)
{
	const int fd = begin(5);
	const pid_t pid = fork();
	if (pid == 0) {
		become_other();
		put(fd, 6, "a");
		_exit(0);
	}
	wait_for(pid);
	put(fd, 4, "a");
}

static void child_of_other(void)
{
	const int fd = begin(5);
	become_other();
	for (int i = 0; i < 3; i++) {
		const pid_t pid = fork();
		if (pid == 0) {
			put(fd, 6, "a");
			child_puts(fd, 7);
			_exit(0);
		}
		wait_for(pid);
		put(fd, 4, "a");
	}
}

static void many_of_other(void)
{
	const int fd = make("a", 0);
	become_other();
	for (int i = 0; i < 40; i++) {
		child_puts(fd, 6);
	}
	put(fd, 4, "a");
}

static void exec_of_other(void)
{
	const int fd = begin(5);
	const pid_t pid = fork();
	if (pid == 0) {
		become_other();
		put(fd, 4, "a");
		run_writer(own_path, fd, 1, 6, "a");
	}
	wait_for(pid);
	put(fd, 4, "a");
}

static void spawn_of_other(void)
{
	const int fd = make("a", 0);
	put(fd, 5, "a");
	become_other();
	spawn_writer(fd, 1);
	put(fd, 3, "a");
}

static void system_of_other(void)
{
	const int fd = make("a", 0);
	become_other();
	note('w', 0, 3, "a");
	check(dup2(fd, STDOUT_FILENO) == STDOUT_FILENO && system("echo ab") == 0, "system");
	put(fd, 3, "a");
}

static void other_for_a_while(void)
{
	const int fd = make("a", 0);
	check(seteuid(OTHER_USER) == 0, "seteuid");
	child_puts(fd, 6);
	check(seteuid(0) == 0, "seteuid");
	put(fd, 4, "a");
	wait_for(forked_writer(fd, -1, 5, "a"));
	put(fd, 4, "a");
}

static void *thread_writes(void *fd)
{
	put(*(int *)fd, 9, "a");
	return NULL;
}

static void thread_of_other(void)
{
	int fd = make("a", 0);
	pthread_t thread;
	become_other();
	pthread_create(&thread, NULL, thread_writes, &fd);
	pthread_join(thread, NULL);
	put(fd, 4, "a");
}

/* Roots and namespaces */

static void root_child(void)
{
	const int fd = make("a", 0);
	check(mkdir("root", 0777) == 0 && chroot("root") == 0, "chroot");
	put(fd, 5, "a");
	child_puts(fd, 6);
	put(fd, 4, "a");
}

static void root_program(void)
{
	const int fd = make("a", 0), program = open(static_path, O_RDONLY);
	check(mkdir("root", 0777) == 0 && chroot("root") == 0, "chroot");
	put(fd, 5, "a");
	const pid_t pid = fork();
	if (pid == 0) {
		char *argv[] = {(char *)static_path, NULL};
		expect_static(fd);
		fexecve(program, argv, environ);
		check(false, "fexecve");
	}
	wait_for(pid);
	put(fd, 4, "a");
}

static void child_roots(void)
{
	const int fd = make("a", 0);
	const pid_t pid = fork();
	if (pid == 0) {
		check(mkdir("root", 0777) == 0 && chroot("root") == 0, "chroot");
		put(fd, 6, "a");
		_exit(0);
	}
	wait_for(pid);
	put(fd, 4, "a");
}

static void mounts_program(void)
{
	const int fd = begin(5);
	const pid_t pid = fork();
	if (pid == 0) {
		hide_recording();
		put(fd, 4, "a");
		run_writer(own_path, fd, 1, 6, "a");
	}
	wait_for(pid);
	put(fd, 3, "a");
}

static void mounts_child(void)
{
	const int fd = make("a", 0);
	hide_recording();
	put(fd, 4, "a");
	child_puts(fd, 6);
	put(fd, 3, "a");
}

static void mounts_spawn(void)
{
	const int fd = make("a", 0);
	hide_recording();
	spawn_writer(fd, 1);
	put(fd, 3, "a");
}

static void pids(void)
{
	const int fd = make("a", 0);
	check(unshare(CLONE_NEWPID) == 0, "unshare");
	const pid_t pid = fork();
	if (pid == 0) {
		put(fd, 6, "a");
		wait_for(forked_writer(fd, -1, 5, "a"));
		put(fd, 6, "a");
		_exit(0);
	}
	wait_for(pid);
	put(fd, 3, "a");
}

static void users(void)
{
	const int fd = make("a", 0);
	check(unshare(CLONE_NEWUSER) == 0, "unshare");
	put(fd, 6, "a");
	child_puts(fd, 5);
	put(fd, 3, "a");
}

/* Environments, and programs that do not start */

static void no_environment(void)
{
	const int fd = make("a", 0);
	char *none[] = {NULL};
	const pid_t pid = fork();
	if (pid == 0) {
		execve(own_path, writer(fd, -1, 6, "a"), none);
		check(false, "execve");
	}
	wait_for(pid);
	put(fd, 3, "a");
}

static void exec_by_number(void)
{
	const int fd = make("a", 0);
	char *none[] = {NULL};
	const pid_t pid = fork();
	if (pid == 0) {
		syscall(SYS_execve, own_path, writer(fd, -1, 6, "a"), none);
		check(false, "execve");
	}
	wait_for(pid);
	put(fd, 3, "a");
}

static void absent_program(void)
{
	const int fd = make("a", 0);
	char *const argv[] = {NULL};
	const pid_t first = vfork();
	if (first == 0) {
		execv("/absent", argv);
		_exit(0);
	}
	wait_for(first);
	const pid_t pid = fork();
	if (pid == 0) {
		execv("/absent", argv);
		put(fd, 4, "a");
		_exit(0);
	}
	wait_for(pid);
	put(fd, 3, "a");
}

static void no_preload(void)
{
	const int fd = make("a", 0);
	const pid_t pid = fork();
	if (pid == 0) {
		char *argv[] = {(char *)static_path, NULL};
		check(unsetenv("LD_PRELOAD") == 0, "unsetenv");
		expect_static(fd);
		execv(static_path, argv);
		_exit(1);
	}
	wait_for(pid);
	put(fd, 3, "a");
}

static const struct program programs[] = {
    {"grandchild", grandchild},
    {"exec", exec_continues},
    {"exec-seeks", exec_seeks},
    {"spawn", spawned},
    {"vfork", vforked},
    {"vfork-writes", vfork_writes},
    {"vfork-ends", vfork_ends},
    {"vfork-killed", vfork_killed},
    {"static", static_child},
    {"static-spawn", static_spawned},
    {"static-grandchild", static_and_other},
    {"twins", twins},
    {"duplicates", duplicates},
    {"appends", appends},
    {"child-seeks", child_seeks},
    {"chain", chain},
    {"reopened", reopened},
    {"passed", passed},
    {"clone", cloned},
    {"fork-unseen", forked_unseen},
    {"daemon", daemonized},
    {"unshared-files", unshared_files},
    {"shared-memory", shared_memory},
    {"setuid", setuid_child},
    {"user", other_user},
    {"user-child", other_child},
    {"child-of-user", child_of_other},
    {"children-of-user", many_of_other},
    {"user-exec", exec_of_other},
    {"user-spawn", spawn_of_other},
    {"user-system", system_of_other},
    {"user-for-a-while", other_for_a_while},
    {"user-thread", thread_of_other},
    {"root-child", root_child},
    {"root-program", root_program},
    {"child-root", child_roots},
    {"mount-exec", mounts_program},
    {"mount-child", mounts_child},
    {"mount-spawn", mounts_spawn},
    {"pids", pids},
    {"users", users},
    {"no-environment", no_environment},
    {"exec-by-number", exec_by_number},
    {"absent", absent_program},
    {"no-preload", no_preload},
    {NULL, NULL},
};

static const struct program *find(const struct program *p, const char *name)
{
	for (; p->name != NULL; p++)
		if (strcmp(p->name, name) == 0)
			return p;
	return NULL;
}

static void map_log(const char *path)
{
	if (path != NULL) {
		const int fd = open(path, O_RDWR);
		check(fd >= 0 && dup2(fd, LOG_FD) == LOG_FD, path);
		close(fd);
	}
	entries = mmap(NULL, sizeof *entries, PROT_READ | PROT_WRITE, MAP_SHARED, LOG_FD, 0);
	check(entries != MAP_FAILED, "log");
}

static int continue_writing(char **argv)
{
	const int fd = atoi(argv[2]);
	map_log(NULL);
	if (atol(argv[3]) == -2)
		check(fcntl(fd, F_SETFL, O_APPEND) == 0, "F_SETFL");
	if (atol(argv[3]) >= 0)
		check(lseek(fd, atol(argv[3]), SEEK_SET) == atol(argv[3]), "lseek");
	put(fd, (size_t)atol(argv[4]), argv[5]);
	return 0;
}

int main(int argc, char **argv)
{
	const ssize_t n = readlink("/proc/self/exe", own_path, sizeof own_path - 1);
	check(n > 0, "name");
	if (argc == 6 && strcmp(argv[1], "-w") == 0)
		return continue_writing(argv);
	if (argc != 5)
		return 2;
	map_log(argv[1]);
	static_path = argv[2];
	setuid_program = argv[3];
	if (strncmp(argv[4], "random-", 7) == 0) {
		run_random(argv[4] + 7);
		return 0;
	}
	const struct program *p = find(programs, argv[4]);
	if (p == NULL)
		p = find(programs_with_descriptors, argv[4]);
	if (p == NULL)
		p = find(programs_with_limits, argv[4]);
	if (p == NULL)
		return 2;
	p->run();
	wait_all();
	return 0;
}
