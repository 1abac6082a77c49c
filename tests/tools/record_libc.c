/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * I/O that libc makes by itself, for tests of iotrace record, in the current directory. Each prints
 * nothing, and writes only to the file "out".
 *
 *	record_libc prints	four processes print to one stream, and the parent waits
 *	record_libc daemon	daemon(3) prints
 *	record_libc wide	a stream of wide characters, read again with another orientation
 *	record_libc perror	messages of errors
 *	record_libc limit	a stream whose flushes fail at a limit of the size of files
 *	record_libc seeks	a stream that goes back, and takes characters back
 *	record_libc own		instructions of this program
 *	record_libc namespace	a second libc, which is loaded later
 *	record_libc cancel N	N threads are cancelled in a read that blocks; exit status 1: a
 *				cleanup handler did not run, or a result is another one
 *	record_libc sends N	a program with threads sends N messages, and asks for its addresses
 *	record_libc signals N	N writes, while signal handlers write, and interrupt reads of a pipe
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

static void check(int ok, const char *what)
{
	if (ok)
		return;
	(void)fprintf(stderr, "record_libc: %s: %s\n", what, strerror(errno));
	exit(1);
}

static FILE *open_stream(const char *mode)
{
	FILE *const f = fopen("out", mode);
	check(f != NULL, "out");
	return f;
}

static void print_lines(FILE *f, int n)
{
	for (int i = 0; i < n; i++)
		(void)fprintf(f, "line %d\n", i);
}

static void prints(int n)
{
	(void)n;
	FILE *const f = open_stream("w");
	for (int i = 0; i < 4; i++) {
		const pid_t pid = fork();
		check(pid >= 0, "fork");
		if (pid == 0) {
			print_lines(f, 6000);
			exit(0);
		}
	}
	while (wait(NULL) > 0)
		continue;
}

static void becomes_daemon(int n)
{
	(void)n;
	check(daemon(1, 1) == 0, "daemon");
	print_lines(open_stream("w"), 3000);
}

static void wide(int n)
{
	(void)n;
	FILE *f = open_stream("w");
	for (int i = 0; i < 5000; i++)
		check(fwprintf(f, L"line %d\n", i) > 0, "fwprintf");
	check(fclose(f) == 0, "fclose");
	f = open_stream("r");
	while (fgetwc(f) != WEOF)
		continue;
	check(fclose(f) == 0, "fclose");
}

static void messages(int n)
{
	(void)n;
	check(freopen("out", "w", stderr) != NULL, "out");
	for (int i = 1; i < 40; i++) {
		errno = i;
		perror("message");
		psignal(i, "signal");
	}
}

static void limit(int n)
{
	(void)n;
	const struct rlimit l = {20000, 20000};
	check(signal(SIGXFSZ, SIG_IGN) != SIG_ERR, "signal");
	FILE *const f = open_stream("w");
	check(setrlimit(RLIMIT_FSIZE, &l) == 0, "setrlimit");
	print_lines(f, 9000);
	(void)fclose(f);
}

static void seeks(int n)
{
	(void)n;
	FILE *f = open_stream("w+");
	print_lines(f, 5000);
	for (int i = 0; i < 200; i++) {
		check(fseek(f, 97L * i, SEEK_SET) == 0, "fseek");
		const int c = fgetc(f);
		check(ungetc(c, f) == c && fgetc(f) == c, "ungetc");
		if (i % 20 == 0)
			check(fseek(f, 0, SEEK_CUR) == 0 && fputc('x', f) == 'x', "fputc");
	}
	check(fclose(f) == 0, "fclose");
}

/* Code that is not in the libc of this program */

static void own(int n)
{
	(void)n;
	static const char text[] = "without libc\n";
	const int fd = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	for (int i = 0; i < 10; i++) {
		long written;
		__asm__ volatile("movl $1, %%eax\n\tsyscall"
				 : "=a"(written)
				 : "D"((long)fd), "S"(text), "d"(sizeof(text) - 1)
				 : "rcx", "r11", "memory");
		check(written == sizeof(text) - 1, "write");
	}
}

static void namespace(int n)
{
	(void)n;
	ssize_t (*function)(int, const void *, size_t);
	const int fd = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	void *const libc = dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW);
	check(libc != NULL, "dlmopen");
	void *const found = dlsym(libc, "write");
	memcpy(&function, &found, sizeof(function));
	check(function(fd, "another libc\n", 13) == 13, "write");
}

/* Cancellation */

static int ends[2];
static int cleaned;

static void clean(void *unused)
{
	(void)unused;
	cleaned++;
}

static void *blocks(void *started)
{
	char byte;
	pthread_cleanup_push(clean, NULL);
	check(write(*(int *)started, "", 1) == 1, "write");
	check(read(ends[0], &byte, 1) < 0, "read");
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancel(int n)
{
	int started[2];
	char byte;
	void *result;
	pthread_t thread;
	check(pipe(ends) == 0 && pipe(started) == 0, "pipe");
	for (int i = 0; i < n; i++) {
		check(pthread_create(&thread, NULL, blocks, &started[1]) == 0, "pthread_create");
		check(read(started[0], &byte, 1) == 1, "read");
		if (i % 8 == 0)
			(void)usleep(100);
		check(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0, "cancel");
		check(result == PTHREAD_CANCELED && cleaned == i + 1, "not cancelled");
	}
}

/* System calls of which libc sets the arguments immediately before */

static void *waits(void *unused)
{
	char byte;
	check(read(ends[0], &byte, 1) == 1, "read");
	return unused;
}

static void sends(int n)
{
	char message[8];
	int pair[2];
	pthread_t thread;
	struct ifaddrs *addresses;
	check(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0, "socketpair");
	check(pthread_create(&thread, NULL, waits, NULL) == 0, "pthread_create");
	for (int i = 0; i < n; i++) {
		check(sendto(pair[0], "message", 8, 0, NULL, 0) == 8, "sendto");
		check(recv(pair[1], message, sizeof(message), 0) == 8, "recv");
		check(strcmp(message, "message") == 0, "another message");
	}
	check(getifaddrs(&addresses) == 0, "getifaddrs");
	freeifaddrs(addresses);
	const int fd = dup(pair[1]);
	check(fd == pair[1] + 1, "getifaddrs did not close its socket");
	check(write(ends[1], "", 1) == 1 && pthread_join(thread, NULL) == 0, "thread");
}

/* Signals */

static int log_fd;
static volatile sig_atomic_t handled;

static void on_alarm(int number)
{
	const int saved = errno;
	(void)number;
	if (write(log_fd, "handler\n", 8) == 8)
		handled++;
	errno = saved;
}

static void signals(int n)
{
	const struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
	struct sigaction a = {.sa_flags = SA_RESTART};
	char text[8];
	FILE *const f = open_stream("w");
	log_fd = fileno(f);
	a.sa_handler = on_alarm;
	check(pipe(ends) == 0 && sigaction(SIGALRM, &a, NULL) == 0, "sigaction");
	check(setitimer(ITIMER_REAL, &often, NULL) == 0, "setitimer");
	for (int i = 0; i < n; i++) {
		check(write(log_fd, "program\n", 8) == 8, "write");
		check(write(ends[1], "12345678", 8) == 8 && read(ends[0], text, 8) == 8, "pipe");
	}
	check(setitimer(ITIMER_REAL, &never, NULL) == 0, "setitimer");
	check(lseek(log_fd, 0, SEEK_CUR) == 8L * (n + handled), "lost writes");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(int);
	} parts[] = {{"prints", prints},   {"daemon", becomes_daemon}, {"wide", wide},
		     {"perror", messages}, {"limit", limit},           {"seeks", seeks},
		     {"own", own},         {"namespace", namespace},   {"cancel", cancel},
		     {"sends", sends},     {"signals", signals}};
	for (size_t i = 0; argc > 1 && i < sizeof(parts) / sizeof(*parts); i++)
		if (strcmp(parts[i].name, argv[1]) == 0) {
			parts[i].run(argc > 2 ? atoi(argv[2]) : 0);
			return 0;
		}
	return 2;
}
