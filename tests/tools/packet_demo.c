/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A traced program, as an example and as a test: processes and threads that do I/O through wrappers
 * which send packets into a FIFO. What each process has sent is also logged, to DIR/direct.PID, for
 * packet_compare.py: a line "type,start,duration,cpu,offset,length,file,process" for an I/O, and
 * "sent" when all before it has been sent.
 *
 *	packet_demo [--processes=N] [--threads=N] [--ios=N] [--kill] [--pause] FIFO DIR
 *
 * --kill: children kill themselves when half of their work is done. --pause: between two rounds of
 * all that, DIR/paused is made and DIR/go waited for.
 */
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <iotrace/packets.h>

enum { BLOCK_MAX = 8192, FILE_MAX = 1 << 20, THREADS_MAX = 64 };

static struct iot_sender *sender;
static int log_fd = -1;
static const char *directory;

struct file {
	int fd;
	uint32_t number;
};

static struct file common;

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	_exit(EXIT_FAILURE);
}

/* A clock that stores the time that iot_sender_end received */

static __thread int64_t ended_ns;
static __thread bool ending;

static int64_t clock_ns(clockid_t which)
{
	struct timespec t;
	check(clock_gettime(which, &t) == 0, "clock_gettime");
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void clocks(void *context, int64_t *wall_ns, int64_t *cpu_ns)
{
	(void)context;
	*wall_ns = clock_ns(CLOCK_MONOTONIC);
	*cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (ending)
		ended_ns = *wall_ns;
	ending = false;
}

/* The log */

static void log_open(void)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/direct.%d", directory, (int)getpid());
	if (log_fd >= 0)
		close(log_fd);
	log_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	check(log_fd >= 0, path);
}

static void log_text(const char *text)
{
	check(write(log_fd, text, strlen(text)) == (ssize_t)strlen(text), "log");
}

static void log_io(const struct iot_pending_io *f, const struct iot_record *r)
{
	char line[256];
	snprintf(line, sizeof(line), "%u,%lld,%lld,%lld,%llu,%llu,%u,%d\n", r->type,
		 (long long)f->start_ns, (long long)(ended_ns - f->start_ns), (long long)f->cpu_ns,
		 (unsigned long long)r->offset, (unsigned long long)r->length, r->file,
		 (int)getpid());
	log_text(line);
}

/* The wrappers */

static struct file traced_open(const char *path, int flags)
{
	struct iot_pending_io f;
	struct stat st;
	bool there = stat(path, &st) == 0;
	struct file file = {-1, iot_sender_file(sender)};
	(void)iot_sender_begin(sender, &f);
	file.fd = open(path, flags, 0666);
	if (file.fd >= 0)
		(void)iot_sender_opened(sender, &f, file.number, path, (uint64_t)flags, !there);
	else
		(void)iot_sender_end(sender, &f, NULL);
	check(file.fd >= 0, path);
	return file;
}

static void traced_close(struct file file)
{
	struct iot_pending_io f;
	(void)iot_sender_begin(sender, &f);
	close(file.fd);
	(void)iot_sender_closed(sender, &f, file.number);
}

static void traced_io(struct file file, void *buffer, size_t size, off_t offset, bool write)
{
	struct iot_pending_io f;
	(void)iot_sender_begin(sender, &f);
	ssize_t n =
	    write ? pwrite(file.fd, buffer, size, offset) : pread(file.fd, buffer, size, offset);
	struct iot_record r = {.type = (uint8_t)(IOT_LOGICAL | (write ? IOT_WRITE : 0)),
			       .file = file.number,
			       .offset = (uint64_t)offset,
			       .length = n > 0 ? (uint64_t)n : 0};
	ending = true;
	if (iot_sender_end(sender, &f, n >= 0 ? &r : NULL) == IOT_OK && n >= 0)
		log_io(&f, &r);
}

static void before_fork(void)
{
	iot_sender_before_fork(sender);
}

static void after_fork_parent(void)
{
	iot_sender_after_fork_parent(sender);
}

static void after_fork_child(void)
{
	iot_sender_after_fork_child(sender, 0);
}

/* The work */

struct settings {
	unsigned processes, threads, ios;
	bool kill, pause;
};

/* While a thread is created or ends, no fork: the allocators of sanitizers do not survive it. */
struct crew {
	bool forks;
	pthread_barrier_t all_there, all_done;
};

struct member {
	struct crew *crew;
	unsigned number;
};

static struct settings set = {.processes = 4, .threads = 3, .ios = 300};

static void wait_for_crew(struct crew *crew, pthread_barrier_t *barrier)
{
	if (crew->forks)
		(void)pthread_barrier_wait(barrier);
}

static void do_ios(unsigned number)
{
	char path[256], buffer[BLOCK_MAX] = {0};
	unsigned seed = (unsigned)getpid() * 31 + number;
	off_t offset = 0;
	snprintf(path, sizeof(path), "%s/data.%d.%u", directory, (int)getpid(), number);
	struct file own = traced_open(path, O_RDWR | O_CREAT);
	for (unsigned i = 0; i < set.ios; i++) {
		size_t size = (size_t)rand_r(&seed) % BLOCK_MAX;
		bool seek = rand_r(&seed) % 4 == 0, write = rand_r(&seed) % 2 == 0;
		if (seek)
			offset = rand_r(&seed) % FILE_MAX;
		if (rand_r(&seed) % 50 == 0)
			traced_io(common, buffer, size, offset, write);
		else
			traced_io(own, buffer, size, offset, write);
		offset += (off_t)size;
	}
	traced_close(own);
}

static void *work(void *context)
{
	const struct member *member = context;
	wait_for_crew(member->crew, &member->crew->all_there);
	do_ios(member->number);
	wait_for_crew(member->crew, &member->crew->all_done);
	return NULL;
}

static void work_in_crew(struct crew *crew)
{
	pthread_t thread[THREADS_MAX];
	struct member member[THREADS_MAX];
	for (unsigned i = 0; i < set.threads; i++) {
		member[i] = (struct member){crew, i};
		check(pthread_create(&thread[i], NULL, work, &member[i]) == 0, "pthread_create");
	}
	wait_for_crew(crew, &crew->all_there);
	for (unsigned i = 0; i < set.threads; i++)
		check(pthread_join(thread[i], NULL) == 0, "pthread_join");
}

static void work_in_threads(void)
{
	struct crew alone = {.forks = false};
	work_in_crew(&alone);
}

static void flush(void)
{
	if (iot_sender_flush(sender) == IOT_OK)
		log_text("sent\n");
}

static void begin_child(pid_t *pid)
{
	*pid = fork();
	check(*pid >= 0, "fork");
	if (*pid == 0)
		log_open();
}

static void child(unsigned number)
{
	pid_t grandchild = -1;
	work_in_threads();
	flush();
	if (number == 0)
		begin_child(&grandchild);
	if (set.kill && grandchild != 0) {
		set.ios /= 2;
		work_in_threads();
		raise(SIGKILL);
	}
	work_in_threads();
	if (grandchild > 0)
		check(waitpid(grandchild, NULL, 0) == grandchild, "waitpid");
	if (iot_sender_exit(sender, 0) == IOT_OK)
		log_text("sent\n");
	_exit(EXIT_SUCCESS);
}

struct nursery {
	struct crew crew;
	pid_t pid[THREADS_MAX];
};

static void *fork_children(void *context)
{
	struct nursery *nursery = context;
	(void)pthread_barrier_wait(&nursery->crew.all_there);
	for (unsigned i = 0; i < set.processes; i++) {
		begin_child(&nursery->pid[i]);
		if (nursery->pid[i] == 0)
			child(i);
	}
	(void)pthread_barrier_wait(&nursery->crew.all_done);
	return NULL;
}

/* Children are made while the threads of the parent are busy. */
static void play_round(void)
{
	struct nursery nursery = {.crew.forks = true};
	pthread_t forks;
	(void)pthread_barrier_init(&nursery.crew.all_there, NULL, set.threads + 2);
	(void)pthread_barrier_init(&nursery.crew.all_done, NULL, set.threads + 1);
	check(pthread_create(&forks, NULL, fork_children, &nursery) == 0, "pthread_create");
	work_in_crew(&nursery.crew);
	check(pthread_join(forks, NULL) == 0, "pthread_join");
	for (unsigned i = 0; i < set.processes; i++)
		check(waitpid(nursery.pid[i], NULL, 0) == nursery.pid[i], "waitpid");
	flush();
}

static void wait_to_go(void)
{
	const struct timespec while_ns = {0, 10000000};
	char path[256];
	struct stat st;
	snprintf(path, sizeof(path), "%s/paused", directory);
	int fd = open(path, O_WRONLY | O_CREAT, 0666);
	check(fd >= 0 && close(fd) == 0, path);
	snprintf(path, sizeof(path), "%s/go", directory);
	while (stat(path, &st) != 0)
		(void)nanosleep(&while_ns, NULL);
}

static bool parse(int argc, char **argv)
{
	const struct option options[] = {{"processes", 1, NULL, 'p'}, {"threads", 1, NULL, 't'},
					 {"ios", 1, NULL, 'i'},       {"kill", 0, NULL, 'k'},
					 {"pause", 0, NULL, 'w'},     {NULL, 0, NULL, 0}};
	for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		unsigned value = optarg != NULL ? (unsigned)strtoul(optarg, NULL, 10) : 0;
		switch (c) {
		case 'p':
			set.processes = value;
			break;
		case 't':
			set.threads = value;
			break;
		case 'i':
			set.ios = value;
			break;
		case 'k':
			set.kill = true;
			break;
		case 'w':
			set.pause = true;
			break;
		default:
			return false;
		}
	}
	return optind + 2 == argc && set.processes <= THREADS_MAX && set.threads <= THREADS_MAX;
}

int main(int argc, char **argv)
{
	char path[256];
	if (!parse(argc, argv)) {
		fprintf(stderr, "packet_demo: see the head of tests/tools/packet_demo.c\n");
		return 2;
	}
	directory = argv[optind + 1];
	log_open();
	sender = iot_sender_new();
	check(sender != NULL, "iot_sender_new");
	int64_t epoch_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
	(void)iot_sender_on_clock(sender, clocks, NULL, epoch_ns);
	(void)iot_sender_set(sender, IOT_SEND_FLUSH, 500);
	if (iot_sender_open(sender, argv[optind], "packet_demo") != IOT_OK) {
		fprintf(stderr, "packet_demo: %s\n", iot_sender_error(sender));
		return EXIT_FAILURE;
	}
	check(pthread_atfork(before_fork, after_fork_parent, after_fork_child) == 0,
	      "pthread_atfork");
	snprintf(path, sizeof(path), "%s/common", directory);
	common = traced_open(path, O_RDWR | O_CREAT);
	play_round();
	if (set.pause) {
		wait_to_go();
		play_round();
	}
	traced_close(common);
	int status = iot_sender_exit(sender, 0);
	if (status == IOT_OK)
		log_text("sent\n");
	else
		fprintf(stderr, "packet_demo: %s\n", iot_sender_error(sender));
	iot_sender_free(sender);
	return status == IOT_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
