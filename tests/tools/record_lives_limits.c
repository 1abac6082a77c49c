/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs of record_lives that limit themselves: privileges, resources, signals, names. */
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record_lives.h"

static void child_puts(int fd)
{
	const pid_t pid = fork();
	if (pid == 0) {
		put(fd, 7, "a");
		_exit(0);
	}
	wait_for(pid);
}

static void child_and_program(int fd)
{
	put(fd, 3, "a");
	child_puts(fd);
	wait_for(forked_writer(fd, -1, 6, "a"));
	put(fd, 3, "a");
}

static void no_capabilities(void)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct none[2] = {{0}};
	const int fd = make("a", 0);
	check(syscall(SYS_capset, &head, none) == 0, "capset");
	child_and_program(fd);
}

static void set_limit(int resource, rlim_t limit)
{
	check(setrlimit(resource, &(struct rlimit){limit, limit}) == 0, "setrlimit");
}

static void small_files(void)
{
	const int fd = make("a", 0);
	set_limit(RLIMIT_FSIZE, 8192);
	child_and_program(fd);
}

static void little_memory(void)
{
	long pages = 0;
	const int fd = make("a", 0);
	FILE *from = fopen("/proc/self/statm", "r");
	check(from != NULL && fscanf(from, "%ld", &pages) == 1 && fclose(from) == 0, "statm");
	set_limit(RLIMIT_AS, (rlim_t)(pages * 4096 + (1 << 18)));
	put(fd, 3, "a");
	child_puts(fd);
	put(fd, 3, "a");
}

static void no_locked_memory(void)
{
	const int fd = make("a", 0);
	set_limit(RLIMIT_MEMLOCK, 0);
	set_limit(RLIMIT_CORE, 0);
	child_and_program(fd);
}

static void no_permissions(void)
{
	const int fd = make("a", 0);
	umask(0777);
	child_and_program(fd);
}

static void user_without_permissions(void)
{
	const int fd = make("a", 0);
	umask(0777);
	become_other();
	put(fd, 3, "a");
	child_puts(fd);
	put(fd, 3, "a");
}

static void user_grandchild(void)
{
	const int fd = make("a", 0);
	const pid_t pid = fork();
	put(fd, 0, "a");
	if (pid == 0) {
		become_other();
		child_puts(fd);
		wait_for(forked_writer(fd, -1, 6, "a"));
		_exit(0);
	}
	wait_for(pid);
	put(fd, 3, "a");
}

static void signals_blocked(void)
{
	sigset_t all;
	const int fd = make("a", 0);
	sigfillset(&all);
	check(sigprocmask(SIG_BLOCK, &all, NULL) == 0, "sigprocmask");
	child_and_program(fd);
}

static int handled_fd;

static void handle(int number)
{
	(void)number;
	put(handled_fd, 4, "a");
	child_puts(handled_fd);
}

static void handler(void)
{
	handled_fd = make("a", 0);
	signal(SIGUSR1, handle);
	put(handled_fd, 3, "a");
	raise(SIGUSR1);
	put(handled_fd, 3, "a");
}

static void *thread_vforks(void *fd)
{
	char **const argv = writer(*(int *)fd, -1, 6, "a");
	const pid_t pid = vfork();
	if (pid == 0) {
		execv(own_path, argv);
		_exit(1);
	}
	wait_for(pid);
	put(*(int *)fd, 3, "a");
	return NULL;
}

static void vfork_of_thread(void)
{
	int fd = make("a", 0);
	pthread_t thread;
	put(fd, 2, "a");
	pthread_create(&thread, NULL, thread_vforks, &fd);
	pthread_join(thread, NULL);
	put(fd, 3, "a");
}

static void *thread_puts(void *fd)
{
	put(*(int *)fd, 5, "a");
	return NULL;
}

static void unshared_main(void)
{
	int fd = make("a", 0);
	pthread_t thread;
	check(unshare(CLONE_FILES | CLONE_FS) == 0, "unshare");
	put(fd, 2, "a");
	pthread_create(&thread, NULL, thread_puts, &fd);
	pthread_join(thread, NULL);
	child_and_program(fd);
}

static void other_preload(void)
{
	const int fd = make("a", 0);
	check(setenv("LD_PRELOAD", "", 1) == 0, "setenv");
	child_and_program(fd);
	check(unsetenv("LD_PRELOAD") == 0, "unsetenv");
	child_and_program(fd);
}

static void exec_at(void)
{
	const int fd = make("a", 0), program = open(own_path, O_PATH);
	put(fd, 2, "a");
	const pid_t pid = fork();
	if (pid == 0) {
		syscall(SYS_execveat, program, "", writer(fd, -1, 6, "a"), environ, AT_EMPTY_PATH);
		check(false, "execveat");
	}
	wait_for(pid);
	put(fd, 3, "a");
}

static void container(void)
{
	const int fd = make("a", 0);
	check(unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID) == 0, "unshare");
	put(fd, 2, "a");
	wait_for(forked_writer(fd, -1, 6, "a"));
	put(fd, 3, "a");
}

/* Enters a root that has all files except the directory of the recording. */
static void bound_root(void)
{
	const int fd = make("a", 0);
	check(unshare(CLONE_NEWNS) == 0, "unshare");
	check(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "mount");
	check(mkdir("root", 0777) == 0 && mount("/", "root", NULL, MS_BIND | MS_REC, NULL) == 0 &&
		  mount("none", "root/dev/shm", "tmpfs", 0, NULL) == 0 && chroot("root") == 0,
	      "chroot");
	put(fd, 2, "a");
	child_puts(fd);
	wait_for(forked_writer(fd, -1, 6, "a"));
	put(fd, 3, "a");
}

const struct program programs_with_limits[] = {
    {"no-capabilities", no_capabilities},
    {"small-files", small_files},
    {"little-memory", little_memory},
    {"no-locked-memory", no_locked_memory},
    {"no-permissions", no_permissions},
    {"user-without-permissions", user_without_permissions},
    {"user-grandchild", user_grandchild},
    {"signals-blocked", signals_blocked},
    {"handler", handler},
    {"vfork-of-thread", vfork_of_thread},
    {"unshared-main", unshared_main},
    {"other-preload", other_preload},
    {"exec-at", exec_at},
    {"container", container},
    {"bound-root", bound_root},
    {NULL, NULL},
};
