/* SPDX-License-Identifier: BSD-2-Clause */
/* The life of the process: its start, its forks, its threads, and its end. */
#include <pthread.h>
#include <string.h>

#include "enter.h"
#include "environment.h"
#include "packets.h"
#include "paths.h"
#include "raw.h"
#include "rings.h"
#include "runtime.h"
#include "uring.h"
#include "vfork.h"

enum { WAIT_NS = 1000000, WAITS_MAX = 2000 /* for another thread that joins */ };

static pthread_key_t thread_ends;

/* The arguments of the program, each with its NUL, for the children of fork. */
static struct {
	char text[RECORD_TEXT_MAX];
	size_t size;
	int64_t rank;
} command = {.rank = -1};

/* Code that the parent generated is in the child, too. */
static bool join_as_child(void)
{
	const uint32_t parent = producer_pid();
	const bool has_code = atomic_load(&recording.process->counter[RECORD_COUNTER_CODE]) > 0;
	recording.own_reads = recording.own_bytes = 0;
	recording.own_writes = recording.own_written = 0;
	rings_forget();
	packets_forked();
	const bool joined = recording_join(parent, true);
	if (joined && has_code)
		recording_count(RECORD_COUNTER_CODE, 1);
	return joined;
}

/*
 * The threads of a child may begin together: one of them joins, for which the others wait; not
 * forever, as a signal handler may leave the one that joins by a jump. Returns whether the process
 * is recorded, and in *first whether this thread was the one.
 */
static bool child_joins(bool *first)
{
	const struct timespec pause = {.tv_nsec = WAIT_NS};
	uint32_t nobody = 0;
	for (int i = 0; !atomic_compare_exchange_strong(recording.joining, &nobody, 1); i++) {
		if (i == WAITS_MAX)
			return false;
		nobody = 0;
		raw_call(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
	}
	*first = *recording.joined == 0;
	const bool joined = !*first || join_as_child();
	atomic_store(recording.joining, 0);
	return joined;
}

struct producer *thread_here_slow(void)
{
	struct producer *p = &producer_self;
	const bool forked = recording.control != NULL && *recording.joined == 0;
	if (recording.control == NULL || p->busy)
		return NULL;
	if (!forked && (p->vforked > 0 || p->parked != NULL))
		return p->parked != NULL ? vfork_here() : NULL;
	p->busy = true;
	bool first = false;
	const bool joined = !recording.control->closed && (!forked || child_joins(&first));
	if ((p->ring != NULL || p->vforked > 0) && p->joined != *recording.joined)
		producer_forget(p);
	if (joined && p->ring == NULL && producer_attach(p))
		pthread_setspecific(thread_ends, p);
	if (first && p->ring != NULL) {
		const struct event_io io = event_io_read();
		event_start(p, &io, command.rank, command.text, command.size);
	}
	p->busy = false;
	/* a child that cannot join, as one of another user, counts in the file of its parent */
	const bool follows = !recording.control->closed && !recording.control->no_follow;
	if (p->ring == NULL && (joined || (forked && follows))) {
		recording_count(RECORD_COUNTER_UNRECORDED, 1);
		descriptors_share(false); /* it may move positions, which are the kernel's then */
	}
	return p->ring != NULL ? p : NULL;
}

static void thread_end(void *self)
{
	struct producer *p = self;
	if (*recording.joined != p->joined)
		return;
	descriptors_leave();
	if (p->ring != NULL)
		event_seeks_flush(p);
	producer_detach(p);
}

static void command_set(int argc, char **argv)
{
	for (int i = 0; i < argc && argv[i] != NULL; i++) {
		const size_t n = strlen(argv[i]) + 1;
		const size_t left = sizeof command.text - command.size;
		memcpy(command.text + command.size, argv[i], n < left ? n : left);
		command.size += n < left ? n : left;
	}
}

/* The counters of the kernel include earlier programs of the process. */
static void program_continues(struct event_io *io)
{
	const struct record_process *q = recording.process;
	recording.own_bytes += q->own_bytes;
	recording.own_reads += q->own_reads;
	recording.own_writes += q->own_writes;
	recording.own_written += q->own_written;
	io->rchar -= io->rchar < q->own_bytes ? io->rchar : q->own_bytes;
	io->syscr -= io->syscr < q->own_reads ? io->syscr : q->own_reads;
	io->wchar -= io->wchar < q->own_written ? io->wchar : q->own_written;
	io->loader = io->rchar < q->executed_rchar ? 0 : io->rchar - q->executed_rchar;
}

void process_executes(void)
{
	struct record_process *q = recording.process;
	uring_ends();
	q->executed_rchar = event_io_read().rchar;
	q->own_bytes = recording.own_bytes;
	q->own_reads = recording.own_reads;
	if (recording.sends && producer_self.ring != NULL)
		packets_finish(&producer_self);
	q->own_writes = recording.own_writes;
	q->own_written = recording.own_written;
	atomic_store(&q->state, RECORD_EXECUTING);
}

bool process_start(int argc, char **argv, char **envp)
{
	const char *directory = environment_init(envp);
	if (directory == NULL || !recording_open(directory))
		return false;
	struct event_io io = event_io_read();
	paths_update_directory();
	command_set(argc, argv);
	command.rank = environment_rank(envp);
	const uint32_t parent = (uint32_t)raw_call(SYS_getppid, 0, 0, 0, 0, 0, 0);
	if ((recording.sends && !packets_init()) || !descriptors_init() ||
	    pthread_key_create(&thread_ends, thread_end) != 0 || !recording_join(parent, false)) {
		recording.control = NULL;
		return false;
	}
	program_continues(&io);
	runtime_find();
	recording_count(RECORD_COUNTER_LOADER, io.loader);
	struct producer *p = thread_here();
	if (p != NULL)
		event_start(p, &io, command.rank, command.text, command.size);
	return true;
}

void process_exit(void)
{
	if (recording.process == NULL || *recording.joined == 0)
		return;
	struct producer *p = thread_here();
	if (p != NULL &&
	    atomic_exchange(&recording.process->state, RECORD_FINISHED) != RECORD_FINISHED) {
		uring_ends();
		event_seeks_flush(p);
		event_exit(p);
		if (recording.sends)
			packets_finish(p);
	}
}
