/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls of code that this program generates, so that no jump can replace them, for tests of
 * iotrace record --seen=traps. It appends lines to the file "out", while it does with signals,
 * threads and processes what a signal for each call must not disturb.
 *
 *	record_traps		all of it; exit status 0 if the file has all lines
 *	record_traps line	one line
 *	record_traps code none|is-code|becomes-code|file|child	a line, but for none, by code in
 *				memory that is code from the beginning, becomes code, or is a file
 *				without a name; child: of one that becomes code, in a child
 *	record_traps refused PROGRAM ...	the program, without the call that makes others trap
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { LINE = 5, THREADS = 20 };

static long (*generated)(long number, long a, long b, long c, long d, long e);
static int out;
static int expected; /* lines */

static void check(int ok, const char *what)
{
	if (ok)
		return;
	(void)fprintf(stderr, "record_traps: %s: %s\n", what, strerror(errno));
	exit(1);
}

enum { CODE = 4096 };

static void *memory_of(const char *way)
{
	const int all = PROT_READ | PROT_WRITE | PROT_EXEC, anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
	if (strcmp(way, "is-code") == 0)
		return mmap(NULL, CODE, all, anonymous, -1, 0);
	if (strcmp(way, "file") != 0)
		return mmap(NULL, CODE, PROT_READ | PROT_WRITE, anonymous, -1, 0);
	const int file = memfd_create("code", 0);
	check(file >= 0 && ftruncate(file, CODE) == 0, "memfd_create");
	return mmap(NULL, CODE, all, MAP_SHARED, file, 0);
}

static void generate(const char *way)
{
	static const unsigned char code[] = {
	    0x48, 0x89, 0xf8, /* mov %rdi,%rax, and so on for the arguments */
	    0x48, 0x89, 0xf7, 0x48, 0x89, 0xd6, 0x48, 0x89, 0xca,
	    0x4d, 0x89, 0xc2, 0x4d, 0x89, 0xc8, 0x0f, 0x05, 0xc3};
	void *const page = memory_of(way);
	check(page != MAP_FAILED, "mmap");
	memcpy(page, code, sizeof(code));
	if (strcmp(way, "is-code") != 0 && strcmp(way, "file") != 0)
		check(mprotect(page, CODE, PROT_READ | PROT_EXEC) == 0, "mprotect");
	memcpy(&generated, &page, sizeof(generated));
}

static void append(void)
{
	if (generated(SYS_write, out, (long)"line\n", LINE, 0, 0) != LINE) /* also in handlers */
		_exit(1);
}

static void line(void)
{
	append();
	expected++;
}

/* Handlers */

static void on_signal(int number)
{
	(void)number;
	line();
}

static void handle(int number, int flags)
{
	struct sigaction a = {.sa_flags = flags};
	a.sa_handler = on_signal;
	(void)sigfillset(&a.sa_mask);
	check(sigaction(number, &a, NULL) == 0, "sigaction");
}

static void handles(void)
{
	handle(SIGUSR1, 0);
	for (int i = 0; i < 3; i++)
		check(raise(SIGUSR1) == 0, "raise");
	line();
}

static void has_handler_of_the_same_signal(void)
{
	struct sigaction a;
	handle(SIGSYS, 0);
	line();
	check(raise(SIGSYS) == 0, "raise");
	check(sigaction(SIGSYS, NULL, &a) == 0 && a.sa_handler == on_signal, "another handler");
	line();
	check(signal(SIGSYS, SIG_IGN) == on_signal && raise(SIGSYS) == 0, "ignored");
	line();
}

static void handles_on_another_stack(void)
{
	const stack_t s = {.ss_sp = malloc(1 << 15), .ss_size = 1 << 15};
	check(s.ss_sp != NULL && sigaltstack(&s, NULL) == 0, "sigaltstack");
	handle(SIGUSR1, SA_ONSTACK);
	check(raise(SIGUSR1) == 0, "raise");
	line();
}

static sigjmp_buf before;

static void jump(int number)
{
	(void)number;
	line();
	siglongjmp(before, 1);
}

static void jumps(void)
{
	check(signal(SIGUSR1, jump) != SIG_ERR, "signal");
	if (sigsetjmp(before, 1) == 0)
		check(raise(SIGUSR1) == 0, "raise");
	line();
}

/* Blocked signals */

static void block_all(void)
{
	sigset_t all;
	(void)sigfillset(&all);
	check(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0, "pthread_sigmask");
}

static void blocks_all(void)
{
	block_all();
	line();
}

/* A signal that arrives while all others are blocked. */
static void waits(void)
{
	sigset_t others;
	struct epoll_event event;
	const struct timespec never = {60, 0};
	const int epoll = epoll_create1(0);
	(void)sigfillset(&others);
	(void)sigdelset(&others, SIGUSR1);
	block_all();
	handle(SIGUSR1, 0);
	for (int i = 0; i < 4; i++) {
		check(raise(SIGUSR1) == 0, "raise");
		const int result = i == 0   ? sigsuspend(&others)
				   : i == 1 ? ppoll(NULL, 0, &never, &others)
				   : i == 2 ? pselect(0, NULL, NULL, NULL, &never, &others)
					    : epoll_pwait(epoll, &event, 1, 60000, &others);
		check(result < 0 && errno == EINTR && expected == i + 1, "not interrupted");
	}
	line();
}

static void restores_all(void)
{
	static volatile int restored;
	static ucontext_t context;
	check(getcontext(&context) == 0, "getcontext");
	(void)sigfillset(&context.uc_sigmask);
	if (restored++ == 0)
		check(setcontext(&context) == 0, "setcontext");
	line();
}

/* Threads and processes */

static void *thread(void *unused)
{
	append();
	return unused;
}

static void has_threads(void)
{
	pthread_t t[THREADS];
	block_all();
	for (int i = 0; i < THREADS; i++)
		check(pthread_create(&t[i], NULL, thread, NULL) == 0, "pthread_create");
	for (int i = 0; i < THREADS; i++)
		check(pthread_join(t[i], NULL) == 0, "pthread_join");
	expected += THREADS;
}

static void await(pid_t pid, int lines)
{
	int status = 0;
	check(waitpid(pid, &status, 0) == pid && status == 0, "child");
	expected += lines;
}

static void forks(void)
{
	for (int i = 0; i < 3; i++) {
		const pid_t pid = i == 0   ? fork()
				  : i == 1 ? (pid_t)generated(SYS_fork, 0, 0, 0, 0, 0)
					   : (pid_t)generated(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		check(pid >= 0, "fork");
		if (pid == 0) {
			handle(SIGUSR1, 0);
			check(raise(SIGUSR1) == 0, "raise");
			append();
			_exit(0);
		}
		await(pid, 2);
		line();
	}
}

static void runs_programs(void)
{
	char *const words[] = {"record_traps", "line", NULL};
	pid_t pid;
	block_all();
	check(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, words, environ) == 0, "posix_spawn");
	await(pid, 1);
	pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
	if (pid == 0) {
		(void)execv("/proc/self/exe", words);
		_exit(1);
	}
	await(pid, 1);
	line();
}

/* As the filter of a container may do. */
static void refuse(char **words)
{
	const long traps = 59; /* PR_SET_SYSCALL_USER_DISPATCH */
	struct sock_filter filter[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, traps, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	const struct sock_fprog program = {sizeof(filter) / sizeof(*filter), filter};
	check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "PR_SET_NO_NEW_PRIVS");
	check(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, "PR_SET_SECCOMP");
	(void)execvp(words[0], words);
	check(0, words[0]);
}

static void open_out(void)
{
	out = open("out", O_WRONLY | O_CREAT | O_APPEND, 0600);
	check(out >= 0, "out");
}

/* Each part has a process of its own, and returns the number of lines as its status. */
static void run(void (*part)(void), const char *name)
{
	struct stat is;
	int status = 0;
	static int lines;
	const pid_t pid = fork();
	check(pid >= 0, "fork");
	if (pid == 0) {
		part();
		_exit(expected);
	}
	check(waitpid(pid, &status, 0) == pid, "waitpid");
	if (!WIFEXITED(status))
		(void)fprintf(stderr, "%s: signal %d\n", name, WTERMSIG(status));
	lines += WEXITSTATUS(status);
	check(fstat(out, &is) == 0 && is.st_size == (off_t)lines * LINE, name);
	check(WIFEXITED(status) && WEXITSTATUS(status) > 0, name);
}

#define RUN(part) run(part, #part)

static int code(const char *way)
{
	generate(way);
	open_out();
	const pid_t child = strcmp(way, "child") == 0 ? fork() : 0;
	if (child != 0)
		check(waitpid(child, NULL, 0) == child, "waitpid");
	else if (strcmp(way, "none") != 0)
		append();
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "code") == 0)
		return code(argv[2]);
	if (argc > 2)
		refuse(argv + 2);
	generate("becomes-code");
	open_out();
	if (argc > 1) {
		append();
		return 0;
	}
	RUN(handles);
	RUN(has_handler_of_the_same_signal);
	RUN(handles_on_another_stack);
	RUN(jumps);
	RUN(blocks_all);
	RUN(restores_all);
	RUN(waits);
	RUN(has_threads);
	RUN(forks);
	RUN(runs_programs);
	return 0;
}
