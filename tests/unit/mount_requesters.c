/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes that make requests on a mount. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/mount/requesters.h"
#include "mount_tools.h"

static struct mount_buffers b;
static struct requesters requesters;
static struct cached_requester cache[REQUESTERS_CACHED];

static void begin(void)
{
	mount_buffers_init(&b, false);
	cr_assert(requesters_init(&requesters, &b.clock));
}

static void end(void)
{
	requesters_free(&requesters);
	buffers_free(&b.pair);
}

static struct buffered find(uint32_t tid, bool fresh)
{
	return requesters_find(&requesters, cache, tid, fresh, clock_map_now(&b.clock), &b.pair,
			       &b.appender);
}

/* Returns how many processes were announced since the last call, and stores the last one. */
static size_t announced(struct record_start *last, char program[RECORD_TEXT_MAX])
{
	const unsigned char *record;
	struct buffered who;
	size_t at = 0, used = 0, size, n = 0;
	buffers_swap(&b.pair);
	struct buffer *full = buffers_take(&b.pair);
	if (full == NULL)
		return 0;
	for (; (record = buffers_next(full, &at, &used, &who, &size)) != NULL; n++) {
		memcpy(last, record, sizeof(*last));
		memcpy(program, record + sizeof(*last), last->command_size);
		cr_expect_eq(last->head.kind, RECORD_START);
		cr_expect_eq(who.pid, last->pid);
	}
	buffers_return(&b.pair, full);
	return n;
}

TestSuite(mount_requesters, .init = begin, .fini = end);

Test(mount_requesters, a_process_is_announced_once)
{
	struct record_start start;
	char program[RECORD_TEXT_MAX], own[RECORD_TEXT_MAX] = "";
	const uint32_t pid = (uint32_t)getpid();
	for (int i = 0; i < 3; i++) {
		const struct buffered who = find(pid, i > 0);
		cr_expect_eq(who.pid, pid);
		cr_expect_eq(who.tid, pid);
	}
	cr_assert_eq(announced(&start, program), 1);
	cr_expect_eq(start.pid, pid);
	cr_expect_eq(start.parent, (uint32_t)getppid());
	cr_assert_gt(readlink("/proc/self/exe", own, sizeof(own) - 1), 0);
	cr_expect_str_eq(program, own);
}

static void *find_own(void *process)
{
	*(struct buffered *)process = find((uint32_t)syscall(SYS_gettid), true);
	return NULL;
}

Test(mount_requesters, a_thread_belongs_to_its_process)
{
	struct record_start start;
	struct buffered who;
	char program[RECORD_TEXT_MAX];
	pthread_t id;
	(void)find((uint32_t)getpid(), true);
	cr_assert_eq(pthread_create(&id, NULL, find_own, &who), 0);
	(void)pthread_join(id, NULL);
	cr_expect_eq(who.pid, (uint32_t)getpid());
	cr_expect_neq(who.tid, who.pid);
	cr_expect_eq(announced(&start, program), 1, "a thread is not another process");
}

Test(mount_requesters, a_request_without_a_caller_has_no_process)
{
	struct record_start start;
	char program[RECORD_TEXT_MAX];
	const struct buffered who = find(0, true);
	cr_expect_eq(who.pid, 0);
	cr_expect_eq(who.tid, 0);
	cr_expect_eq(announced(&start, program), 0);
}

/* A child that waits for the end of a pipe, and then runs another program. */
static pid_t start_child(int pipe_ends[2])
{
	char byte;
	cr_assert_eq(pipe(pipe_ends), 0);
	const pid_t pid = fork();
	if (pid == 0) {
		(void)close(pipe_ends[1]);
		(void)!read(pipe_ends[0], &byte, 1);
		(void)execlp("sleep", "sleep", "100", (char *)NULL);
		_exit(127);
	}
	(void)close(pipe_ends[0]);
	return pid;
}

static bool runs(pid_t pid, const char *name)
{
	char link[64], program[RECORD_TEXT_MAX] = "";
	(void)snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	return readlink(link, program, sizeof(program) - 1) > 0 && strstr(program, name) != NULL;
}

Test(mount_requesters, a_process_with_a_new_program_is_announced_again)
{
	struct record_start start;
	char program[RECORD_TEXT_MAX];
	int ends[2];
	const pid_t pid = start_child(ends);
	const uint32_t tid = (uint32_t)pid;
	(void)find(tid, true);
	cr_assert_eq(announced(&start, program), 1);
	cr_expect_eq(start.parent, (uint32_t)getpid());
	(void)close(ends[1]);
	for (int i = 0; i < 5000 && runs(pid, "unit"); i++)
		(void)usleep(1000);
	(void)find(tid, false);
	cr_expect_eq(announced(&start, program), 0, "a recent answer is valid for a while");
	(void)find(tid, true);
	cr_expect_eq(announced(&start, program), 1);
	cr_expect(!strstr(program, "unit"));
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	cr_expect_eq(find(tid, true).pid, tid, "the last answer serves for a thread that ended");
	cr_expect_eq(announced(&start, program), 0);
}
