/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs of record_lives that pass descriptors on by rarer calls, or lose what record needs. */
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record_lives.h"

enum { STACK = 1 << 16, OTHER = 65534, PAUSE_US = 100000 };

/* A child that runs a function. */
static pid_t child(void (*run)(int fd), int fd)
{
	const pid_t pid = fork();
	if (pid == 0) {
		run(fd);
		_exit(0);
	}
	return pid;
}

static void put_7(int fd)
{
	put(fd, 7, "a");
}

static void child_puts(int fd)
{
	wait_for(child(put_7, fd));
}

static void exec_writer(int fd)
{
	execv(own_path, writer(fd, -1, 6, "a"));
	check(false, own_path);
}

/* Logs a transfer of `size` bytes at the current position, before it is done. */
static void note_at(int fd, char direction, size_t size, const char *file)
{
	note(direction, raw(SYS_lseek, fd, 0, SEEK_CUR), (long)size, file);
}

/* A child with some of its parent's resources, which continues in a function. */
static pid_t clone_with(int flags, int (*run)(void *fd), int *fd)
{
	char *stack = malloc(STACK);
	check(stack != NULL, "stack");
	return clone(run, stack + STACK, flags | SIGCHLD, fd);
}

/* Tables of descriptors */

static int replace_file(void *fd)
{
	close(*(int *)fd);
	check(make("b", 0) == *(int *)fd, "number");
	put(*(int *)fd, 5, "b");
	return 0;
}

static void shared_table(void)
{
	int fd = make("a", 0);
	put(fd, 2, "a");
	wait_for(clone_with(CLONE_FILES, replace_file, &fd));
	put(fd, 3, "b");
}

static int exec_replaced(void *fd)
{
	exec_writer(*(int *)fd);
	return 1;
}

/* The child replaces the file by another one while the parent waits, and both open more. */
static int replace_in_turn(void *fd)
{
	const int other = make("c", 0);
	replace_file(fd);
	put(other, 4, "c");
	close(other);
	put(make("d", 0), 6, "d");
	exec_writer(make("a", 0));
	return 1;
}

static void shared_table_in_turn(void)
{
	int fd = make("a", 0);
	put(fd, 2, "a");
	wait_for(clone_with(CLONE_FILES, replace_in_turn, &fd));
	put(fd, 3, "b");
	put(fd + 1, 3, "d");
	put(fd + 2, 2, "a");
	check(lseek(fd, 1, SEEK_SET) == 1, "lseek");
	get(fd, 3, "b");
	child_puts(fd + 2);
	const int more = make("e", 0);
	put(more, 9, "e");
	put(dup(more), 8, "e");
}

static void shared_table_exec(void)
{
	int fd = make("a", 0);
	put(fd, 2, "a");
	wait_for(clone_with(CLONE_FILES, exec_replaced, &fd));
	put(fd, 3, "a");
}

static int unshare_and_replace(void *fd)
{
	const int n = *(int *)fd;
	check(close_range((unsigned)n, (unsigned)n, CLOSE_RANGE_UNSHARE) == 0, "close_range");
	check(make("b", 0) == n, "number");
	put(n, 5, "b");
	return 0;
}

static void unshared_range(void)
{
	int fd = make("a", 0);
	put(fd, 2, "a");
	wait_for(clone_with(CLONE_FILES, unshare_and_replace, &fd));
	put(fd, 3, "a");
}

static int put_in_memory(void *fd)
{
	put(*(int *)fd, 5, "a");
	return 0;
}

static void shared_all(void)
{
	int fd = make("a", 0);
	put(fd, 2, "a");
	wait_for(clone_with(CLONE_VM | CLONE_FILES, put_in_memory, &fd));
	put(fd, 3, "a");
}

static void closed_from(void)
{
	make("b", 0);
	check(close_range(3, LOG_FD - 1, 0) == 0, "close_range");
	closefrom(LOG_FD + 1);
	const int fd = make("a", 0);
	put(fd, 2, "a");
	child_puts(fd);
	wait_for(forked_writer(fd, -1, 6, "a"));
	put(fd, 3, "a");
}

static void few_descriptors(void)
{
	const int fd = make("a", 0);
	check(setrlimit(RLIMIT_NOFILE, &(struct rlimit){(rlim_t)fd + 1, (rlim_t)fd + 1}) == 0,
	      "setrlimit");
	put(fd, 2, "a");
	child_puts(fd);
	put(fd, 3, "a");
}

static void duplicate_over(void)
{
	const int fd = make("a", 0), other = make("b", 0);
	put(fd, 4, "a");
	check(dup2(fd, other) == other, "dup2");
	const int high = fcntl(fd, F_DUPFD_CLOEXEC, 200);
	check(high == 200, "F_DUPFD_CLOEXEC");
	child_puts(high);
	wait_for(forked_writer(other, -1, 6, "a"));
	put(fd, 3, "a");
}

static void vfork_switches(void)
{
	const int fd = make("a", 0), other = make("b", 0);
	char **const argv = writer(fd, -1, 6, "b");
	put(fd, 4, "a");
	const pid_t pid = vfork();
	if (pid == 0) {
		dup2(other, fd);
		execv(own_path, argv);
		_exit(1);
	}
	wait_for(pid);
	put(fd, 3, "a");
	put(other, 3, "b");
}

static void spawn_actions(void)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	const int fd = make("a", 0);
	put(fd, 4, "a");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 50, "b", O_RDWR | O_CREAT, 0666);
	posix_spawn_file_actions_addclose(&actions, fd);
	check(posix_spawn(&pid, own_path, &actions, NULL, writer(50, -1, 6, "b"), environ) == 0,
	      "spawn");
	wait_for(pid);
	put(fd, 3, "a");
}

/* Descriptors of other processes */

static void taken(void)
{
	int pipe_fd[2];
	char byte = 0;
	check(pipe(pipe_fd) == 0, "pipe");
	const int fd = make("b", 0); /* the child has "a" at this number */
	const pid_t pid = fork();
	if (pid == 0) {
		check(dup2(make("a", 0), fd) == fd, "dup2");
		put(fd, 4, "a");
		check(write(pipe_fd[1], &byte, 1) == 1, "write");
		pause();
	}
	check(read(pipe_fd[0], &byte, 1) == 1, "read");
	const int process = (int)syscall(SYS_pidfd_open, pid, 0);
	const int theirs = (int)syscall(SYS_pidfd_getfd, process, fd, 0);
	check(process >= 0 && theirs >= 0, "pidfd_getfd");
	put(theirs, 3, "a");
	put(fd, 2, "b");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	put(theirs, 3, "a");
}

static void open_again(pid_t pid, int fd)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
	const int again = open(path, O_RDWR);
	check(again >= 0, path);
	put(again, 2, "a");
	put(fd, 3, "a");
}

static void opened_by_number(void)
{
	const int fd = make("a", 0);
	put(fd, 9, "a");
	open_again(getpid(), fd);
	child_puts(fd);
}

static void open_parents(int fd)
{
	open_again(getppid(), fd);
}

static void opened_of_parent(void)
{
	const int fd = make("a", 0);
	put(fd, 9, "a");
	wait_for(child(open_parents, fd));
	put(fd, 3, "a");
}

/* Positions */

static void set_append(int fd)
{
	check(fcntl(fd, F_SETFL, O_APPEND) == 0, "F_SETFL");
}

static void child_appends(void)
{
	const int fd = make("a", 0);
	put(fd, 9, "a");
	wait_for(child(set_append, fd));
	check(lseek(fd, 0, SEEK_SET) == 0, "lseek");
	put(fd, 3, "a");
}

static void program_appends(void)
{
	const int fd = make("a", 0);
	put(fd, 9, "a");
	check(lseek(fd, 0, SEEK_SET) == 0, "lseek");
	wait_for(forked_writer(fd, -2, 6, "a"));
	check(lseek(fd, 0, SEEK_SET) == 0, "lseek");
	put(fd, 3, "a");
}

static void seek_end(int fd)
{
	check(lseek(fd, -2, SEEK_END) == 98, "lseek");
	check(lseek(fd, 5, SEEK_CUR) == 103, "lseek");
}

static void child_seeks_end(void)
{
	const int fd = make("a", 0);
	check(ftruncate(fd, 100) == 0, "ftruncate");
	wait_for(child(seek_end, fd));
	put(fd, 3, "a");
}

static void cut(int fd)
{
	check(ftruncate(fd, 0) == 0, "ftruncate");
}

static void child_truncates(void)
{
	const int fd = make("a", O_APPEND);
	put(fd, 9, "a");
	wait_for(child(cut, fd));
	put(fd, 3, "a");
}

static void positioned_append(void)
{
	const int fd = make("a", O_APPEND);
	put(fd, 9, "a");
	note('w', 9, 4, "a");
	check(pwrite(fd, "abcd", 4, 2) == 4, "pwrite");
	put(fd, 3, "a");
}

static void put_vectors(int fd)
{
	char text[] = "abcdefg";
	const struct iovec v[] = {{text, 3}, {text, 4}};
	note_at(fd, 'w', 7, "a");
	check(pwritev2(fd, v, 2, -1, 0) == 7, "pwritev2");
	check(lseek(fd, 0, SEEK_CUR) == 9, "lseek");
}

static void vectors_at_position(void)
{
	const int fd = make("a", 0);
	put(fd, 2, "a");
	wait_for(child(put_vectors, fd));
	put(fd, 3, "a");
}

static int other_file; /* "b", with 20 bytes, at position 0 */

static void make_other(void)
{
	other_file = make("b", 0);
	put(other_file, 20, "b");
	check(lseek(other_file, 0, SEEK_SET) == 0, "lseek");
}

static void note_both(int fd, size_t size)
{
	note_at(other_file, 'r', size, "b");
	note_at(fd, 'w', size, "a");
}

static void send_file(int fd)
{
	note_both(fd, 8);
	check(sendfile(fd, other_file, NULL, 8) == 8, "sendfile");
}

static void child_sends(void)
{
	const int fd = make("a", 0);
	make_other();
	put(fd, 2, "a");
	wait_for(child(send_file, fd));
	put(fd, 3, "a");
	get(other_file, 4, "b");
}

static void copy_range(int fd)
{
	note_both(fd, 8);
	check(copy_file_range(other_file, NULL, fd, NULL, 8, 0) == 8, "copy_file_range");
}

static void child_copies(void)
{
	const int fd = make("a", 0);
	make_other();
	put(fd, 2, "a");
	wait_for(child(copy_range, fd));
	put(fd, 3, "a");
	get(other_file, 4, "b");
}

static void splice_pipe(int fd)
{
	int pipe_fd[2];
	check(pipe(pipe_fd) == 0, "pipe");
	note_both(fd, 8);
	check(splice(other_file, NULL, pipe_fd[1], NULL, 8, 0) == 8 &&
		  splice(pipe_fd[0], NULL, fd, NULL, 8, 0) == 8,
	      "splice");
}

static void child_splices(void)
{
	const int fd = make("a", 0);
	make_other();
	put(fd, 2, "a");
	wait_for(child(splice_pipe, fd));
	put(fd, 3, "a");
	get(other_file, 4, "b");
}

/* Programs */

static void program_in_memory(void)
{
	static char data[1 << 16];
	const int fd = make("a", 0), from = open(own_path, O_RDONLY);
	const int to = memfd_create("copy", MFD_CLOEXEC);
	ssize_t n;
	put(fd, 2, "a");
	while ((n = read(from, data, sizeof data)) > 0)
		check(write(to, data, (size_t)n) == n, "write");
	const pid_t pid = fork();
	if (pid == 0) {
		fexecve(to, writer(fd, -1, 6, "a"), environ);
		check(false, "fexecve");
	}
	wait_for(pid);
	put(fd, 3, "a");
}

static void run_shell(int fd)
{
	check(dup2(fd, STDOUT_FILENO) == STDOUT_FILENO, "dup2");
	note_at(fd, 'w', 4, "a");
	execl("./script", "script", NULL);
	check(false, "script");
}

static void script(void)
{
	static const char text[] = "#!/bin/sh\necho abc\n";
	const int to = open("script", O_WRONLY | O_CREAT, 0777), fd = make("a", 0);
	check(write(to, text, sizeof text - 1) == sizeof text - 1 && close(to) == 0, "write");
	put(fd, 2, "a");
	wait_for(child(run_shell, fd));
	put(fd, 3, "a");
}

static void shell_appends(void)
{
	const int fd = make("a", O_APPEND);
	put(fd, 2, "a");
	note('w', 2, 4, "a");
	note('w', 6, 3, "a");
	check(system("echo abc >>a; exec echo de >>a") == 0, "system");
	put(fd, 3, "a");
}

static void piped(void)
{
	note('w', 0, 5, "a");
	FILE *to = popen("cat >a", "w");
	check(to != NULL && fputs("abcde", to) >= 0 && pclose(to) == 0, "popen");
}

static void stream_of_both(void)
{
	FILE *to = fopen("a", "w");
	check(to != NULL && fputs("abcde", to) >= 0, "fopen");
	note('w', 0, 5, "a");
	note('w', 5, 5, "a");
	const pid_t pid = fork();
	if (pid == 0)
		exit(0);
	wait_for(pid);
	check(fclose(to) == 0, "fclose");
}

static void *thread_execs(void *fd)
{
	exec_writer(*(int *)fd);
	return NULL;
}

static void exec_of_thread(void)
{
	int fd = make("a", 0);
	pthread_t thread;
	put(fd, 2, "a");
	pthread_create(&thread, NULL, thread_execs, &fd);
	pthread_join(thread, NULL);
}

static void *thread_forks(void *fd)
{
	child_puts(*(int *)fd);
	wait_for(forked_writer(*(int *)fd, -1, 6, "a"));
	return NULL;
}

static void fork_of_thread(void)
{
	int fd = make("a", 0);
	pthread_t thread;
	put(fd, 2, "a");
	pthread_create(&thread, NULL, thread_forks, &fd);
	pthread_join(thread, NULL);
	put(fd, 3, "a");
}

static void cloned_by_3(void)
{
	uint64_t arguments[8] = {[4] = SIGCHLD};
	const int fd = make("a", 0);
	put(fd, 2, "a");
	const long pid = syscall(SYS_clone3, arguments, sizeof arguments);
	if (pid == 0) {
		put(fd, 7, "a");
		exec_writer(fd);
	}
	wait_for((pid_t)pid);
	put(fd, 3, "a");
}

/* Ends */

static void put_and_die(int fd)
{
	put(fd, 7, "a");
	kill(getpid(), SIGKILL);
}

static void killed(void)
{
	const int fd = make("a", 0);
	for (int i = 0; i < 5; i++) {
		check(waitpid(child(put_and_die, fd), NULL, 0) > 0, "wait");
		put(fd, 3, "a");
	}
}

static void put_later(int fd)
{
	usleep(PAUSE_US);
	put(fd, 7, "a");
	exec_writer(fd);
}

static void leave_child(int fd)
{
	(void)child(put_later, fd);
}

static void orphan(void)
{
	const int fd = make("a", 0);
	put(fd, 3, "a");
	wait_for(child(leave_child, fd));
}

static void outlives(void)
{
	const int fd = make("a", 0);
	put(fd, 3, "a");
	if (child(put_later, fd) > 0)
		_exit(0);
}

/* Privileges */

static void *thread_of_user(void *fd)
{
	check(syscall(SYS_setresuid, OTHER, OTHER, OTHER) == 0, "setresuid");
	put(*(int *)fd, 7, "a");
	const int other = make("b", 0);
	put(other, 5, "b");
	child_puts(*(int *)fd);
	return NULL;
}

static void user_of_one_thread(void)
{
	int fd = make("a", 0);
	pthread_t thread;
	pthread_create(&thread, NULL, thread_of_user, &fd);
	pthread_join(thread, NULL);
	put(fd, 3, "a");
	child_puts(fd);
	wait_for(forked_writer(fd, -1, 6, "a"));
	put(fd, 3, "a");
}

static void file_system_user(void)
{
	const int fd = make("a", 0);
	setfsuid(OTHER);
	put(fd, 3, "a");
	child_puts(fd);
	setfsuid(0);
	put(fd, 3, "a");
}

static void other_group(void)
{
	const int fd = make("a", 0);
	check(setgroups(0, NULL) == 0 && setresgid(OTHER, OTHER, OTHER) == 0, "setresgid");
	put(fd, 3, "a");
	child_puts(fd);
	put(fd, 3, "a");
}

static void become_service(int fd)
{
	setsid();
	if (fork() != 0)
		_exit(0);
	check(setgroups(0, NULL) == 0 && setresgid(OTHER, OTHER, OTHER) == 0, "setresgid");
	become_other();
	put(fd, 4, "a");
	child_puts(fd);
	exec_writer(fd);
}

static void service(void)
{
	const int fd = make("a", 0);
	put(fd, 3, "a");
	wait_for(child(become_service, fd));
}

static void not_dumpable(void)
{
	const int fd = make("a", 0);
	check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_DUMPABLE, 0) == 0,
	      "prctl");
	put(fd, 3, "a");
	child_puts(fd);
	wait_for(forked_writer(fd, -1, 6, "a"));
	put(fd, 3, "a");
}

static void other_network(void)
{
	const int fd = make("a", 0);
	check(unshare(CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) == 0, "unshare");
	put(fd, 3, "a");
	child_puts(fd);
	wait_for(forked_writer(fd, -1, 6, "a"));
	put(fd, 3, "a");
}

static void unlinked(void)
{
	const int fd = make("a", 0);
	check(unlink("a") == 0, "unlink");
	put(fd, 3, "a");
	child_puts(fd);
	put(fd, 3, "a");
}

const struct program programs_with_descriptors[] = {
    {"shared-table", shared_table},
    {"shared-table-in-turn", shared_table_in_turn},
    {"shared-table-exec", shared_table_exec},
    {"unshared-range", unshared_range},
    {"shared-all", shared_all},
    {"closed-from", closed_from},
    {"few-descriptors", few_descriptors},
    {"duplicate-over", duplicate_over},
    {"vfork-switches", vfork_switches},
    {"spawn-actions", spawn_actions},
    {"taken", taken},
    {"opened-by-number", opened_by_number},
    {"opened-of-parent", opened_of_parent},
    {"child-appends", child_appends},
    {"program-appends", program_appends},
    {"child-seeks-end", child_seeks_end},
    {"child-truncates", child_truncates},
    {"positioned-append", positioned_append},
    {"vectors", vectors_at_position},
    {"child-sends", child_sends},
    {"child-copies", child_copies},
    {"child-splices", child_splices},
    {"program-in-memory", program_in_memory},
    {"script", script},
    {"shell-appends", shell_appends},
    {"piped", piped},
    {"stream-of-both", stream_of_both},
    {"exec-of-thread", exec_of_thread},
    {"fork-of-thread", fork_of_thread},
    {"clone3", cloned_by_3},
    {"killed", killed},
    {"orphan", orphan},
    {"outlives", outlives},
    {"user-of-thread", user_of_one_thread},
    {"file-system-user", file_system_user},
    {"other-group", other_group},
    {"service", service},
    {"not-dumpable", not_dumpable},
    {"other-network", other_network},
    {"unlinked", unlinked},
    {NULL, NULL},
};
