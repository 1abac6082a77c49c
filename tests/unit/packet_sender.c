/* SPDX-License-Identifier: BSD-2-Clause */
/* Senders: the packets in the pipe for the I/Os that a program reports. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <iotrace/packets.h>

#include "lib/packets/packet.h"

enum { CAPACITY = 1 << 16 };

static int ends[2];
static int64_t now;
static struct iot_sender *s;
static unsigned char *stream;
static size_t size, at;

static void ticking(void *context, int64_t *wall_ns, int64_t *cpu_ns)
{
	(void)context;
	*wall_ns = ++now;
	*cpu_ns = now / 2;
}

static void begin(void)
{
	cr_assert_eq(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	stream = malloc(2 * CAPACITY);
	s = iot_sender_new();
	cr_assert_not_null(s);
	cr_assert_not_null(stream);
	now = 1000;
	(void)iot_sender_set(s, IOT_SEND_PROCESS, 42);
	(void)iot_sender_set(s, IOT_SEND_PARENT, 41);
	(void)iot_sender_on_clock(s, ticking, NULL, 77);
}

static void end(void)
{
	iot_sender_free(s);
	free(stream);
	close(ends[0]);
	close(ends[1]);
}

TestSuite(packet_sender, .init = begin, .fini = end);

static void start(void)
{
	cr_assert_eq(iot_sender_open_fd(s, ends[1], "program"), IOT_OK, "%s", iot_sender_error(s));
}

/* Reads the next packet from the pipe; returns false if there is none. */
static bool next(struct packet *p)
{
	const char *why;
	if (at == size) {
		ssize_t n = read(ends[0], stream, 2 * CAPACITY);
		at = 0;
		size = n > 0 ? (size_t)n : 0;
	}
	if (at == size)
		return false;
	cr_assert_eq(packet_check(stream + at, size - at, 1000, p, &why), PACKET_GOOD, "%s", why);
	at += packet_size(p);
	return true;
}

static void expect(unsigned kind, struct packet *p)
{
	cr_assert(next(p), "kind %u", kind);
	cr_assert_eq(p->kind, kind);
}

static int io(uint32_t file, uint64_t offset)
{
	struct iot_pending_io f;
	struct iot_record r = {.type = IOT_LOGICAL, .file = file, .offset = offset, .length = 10};
	(void)iot_sender_begin(s, &f);
	return iot_sender_end(s, &f, &r);
}

static int end_physical(void)
{
	struct iot_pending_io f;
	(void)iot_sender_begin(s, &f);
	return iot_sender_end(s, &f, &(struct iot_record){.type = IOT_WRITE, .length = 4096});
}

Test(packet_sender, record_without_logical_is_refused_and_the_sender_works_on)
{
	struct packet p;
	start();
	expect(PACKET_START, &p);
	cr_assert_eq(end_physical(), IOT_EUSAGE);
	cr_assert(strstr(iot_sender_error(s), "IOT_LOGICAL") != NULL);
	cr_assert_eq(io(1, 0), IOT_OK);
	cr_assert_eq(iot_sender_exit(s, 0), IOT_OK);
	expect(PACKET_DATA, &p);
	cr_assert_eq(p.entries, 1);
}

Test(packet_sender, record_without_logical_is_sent_where_it_is_asked_for)
{
	cr_assert_eq(iot_sender_set(s, IOT_SEND_PHYSICAL, 1), IOT_OK);
	start();
	cr_assert_eq(end_physical(), IOT_OK);
	cr_assert_eq(iot_sender_fact(s, IOT_SENT_RECORDS), 1);
}

Test(packet_sender, a_life_from_start_to_exit)
{
	struct packet p;
	struct iot_pending_io f;
	start();
	(void)iot_sender_begin(s, &f);
	cr_expect_eq(iot_sender_opened(s, &f, 1, "/a/file", 2, 1), IOT_OK);
	for (uint64_t i = 0; i < 3; i++)
		cr_expect_eq(io(1, 10 * i), IOT_OK);
	(void)iot_sender_begin(s, &f);
	cr_expect_eq(iot_sender_closed(s, &f, 1), IOT_OK);
	cr_expect_eq(iot_sender_exit(s, 3), IOT_OK);
	cr_expect_eq(io(1, 0), IOT_EUSAGE);

	expect(PACKET_START, &p);
	cr_expect_eq(p.process, 42);
	cr_expect_eq(packet_word(&p, 0), 41);
	cr_expect_eq(packet_word(&p, 1), 77);
	cr_expect_eq(packet_text(&p, 2), strlen("program"));
	expect(PACKET_OPEN, &p);
	cr_expect_eq(packet_word(&p, 1) & ~PACKET_ELAPSED_MAX, PACKET_OPEN_CREATED);
	cr_expect_eq(packet_text(&p, 3), strlen("/a/file"));
	expect(PACKET_DATA, &p);
	cr_expect_eq(p.entries, 3);
	cr_expect_eq(p.words, 5 + 3 + 3);
	expect(PACKET_CLOSE, &p);
	expect(PACKET_EXIT, &p);
	cr_expect_eq(packet_word(&p, 0), 3);
	cr_expect_eq(p.sequence, 4);
	cr_expect_not(next(&p));
}

Test(packet_sender, all_files_are_sent_every_so_many)
{
	struct packet p;
	(void)iot_sender_set(s, IOT_SEND_FLUSH, 5);
	start();
	for (uint32_t i = 0; i < 5; i++)
		cr_expect_eq(io(1 + i % 2, i), IOT_OK);
	expect(PACKET_START, &p);
	expect(PACKET_DATA, &p);
	expect(PACKET_DATA, &p);
	expect(PACKET_WATERMARK, &p);
	cr_expect_not(next(&p));
}

Test(packet_sender, no_mark_is_later_than_what_is_under_way)
{
	struct packet p;
	struct iot_pending_io slow, slower;
	start();
	(void)iot_sender_begin(s, &slower);
	(void)iot_sender_begin(s, &slow);
	cr_expect_eq(iot_sender_flush(s), IOT_OK);
	(void)iot_sender_end(s, &slower, NULL);
	cr_expect_eq(iot_sender_flush(s), IOT_OK);
	(void)iot_sender_end(s, &slow, NULL);
	cr_expect_eq(iot_sender_flush(s), IOT_OK);
	expect(PACKET_START, &p);
	expect(PACKET_WATERMARK, &p);
	cr_expect_eq(packet_word(&p, 0), (uint64_t)slower.start_ns);
	expect(PACKET_WATERMARK, &p);
	cr_expect_eq(packet_word(&p, 0), (uint64_t)slow.start_ns);
	expect(PACKET_WATERMARK, &p);
	cr_expect_gt(packet_word(&p, 0), (uint64_t)slow.start_ns);
}

Test(packet_sender, more_files_than_batches_take_turns)
{
	struct packet p;
	uint64_t entries = 0;
	(void)iot_sender_set(s, IOT_SEND_FILES, 4);
	start();
	for (uint32_t i = 0; i < 300; i++)
		cr_expect_eq(io(1 + i % 11, i), IOT_OK);
	(void)iot_sender_exit(s, 0);
	while (next(&p))
		entries += p.entries;
	cr_expect_eq(entries, 300);
	cr_expect_eq(iot_sender_fact(s, IOT_SENT_RECORDS), 300);
}

Test(packet_sender, a_full_pipe_drops_on_request)
{
	struct packet p;
	uint64_t last = 0, packets = 0;
	(void)iot_sender_set(s, IOT_SEND_DROP, 1);
	start();
	for (uint32_t i = 0; i < 100000; i++)
		cr_assert_eq(io(i % 7, i * 31), IOT_OK);
	for (; next(&p); packets++)
		last = p.sequence;
	cr_expect_eq(iot_sender_flush(s), IOT_OK);
	uint64_t dropped = iot_sender_fact(s, IOT_SENT_DROPPED);
	cr_expect_gt(dropped, 0);
	cr_assert(next(&p));
	cr_expect_geq(p.sequence - last - 1, dropped - 7);
	cr_expect_eq(packets, last + 1);
}

Test(packet_sender, a_pipe_without_reader_is_an_error_and_no_signal)
{
	sigset_t pending;
	start();
	close(ends[0]);
	cr_expect_eq(iot_sender_flush(s), IOT_EIO);
	cr_expect_eq(iot_sender_flush(s), IOT_EIO);
	cr_expect_neq(*iot_sender_error(s), '\0');
	cr_expect_eq(sigpending(&pending), 0);
	cr_expect_eq(sigismember(&pending, SIGPIPE), 0);
	ends[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

Test(packet_sender, a_long_path_is_cut)
{
	struct packet p;
	struct iot_pending_io f;
	char path[5000];
	memset(path, 'p', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	start();
	(void)iot_sender_begin(s, &f);
	cr_expect_eq(iot_sender_opened(s, &f, 1, path, 0, 0), IOT_OK);
	expect(PACKET_START, &p);
	expect(PACKET_OPEN, &p);
	cr_expect_eq(packet_size(&p), PACKET_MAX);
	cr_expect_neq(packet_word(&p, 1) & PACKET_OPEN_CUT, 0);
}

Test(packet_sender, a_child_begins_its_own_life)
{
	struct packet p;
	struct iot_pending_io f;
	bool child_first = false;
	start();
	(void)io(1, 0);
	(void)iot_sender_begin(s, &f);
	iot_sender_before_fork(s);
	pid_t pid = fork();
	if (pid == 0) {
		iot_sender_after_fork_child(s, 43);
		(void)iot_sender_end(s, &f, &(struct iot_record){.type = IOT_LOGICAL});
		_exit(iot_sender_exit(s, 0) == IOT_OK ? 0 : 1);
	}
	iot_sender_after_fork_parent(s);
	(void)iot_sender_end(s, &f, NULL);
	cr_expect_eq(iot_sender_flush(s), IOT_OK);
	int status;
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(status, 0);
	expect(PACKET_START, &p);
	while (next(&p)) {
		if (p.process == 43 && p.kind == PACKET_START) {
			child_first = true;
			cr_expect_eq(p.sequence, 0);
			cr_expect_eq(packet_word(&p, 0), 42);
		}
		cr_expect(p.process == 42 || p.kind != PACKET_DATA);
		cr_expect(p.kind != PACKET_WATERMARK || child_first);
	}
	cr_expect(child_first);
}

Test(packet_sender, a_fork_that_fails_holds_nothing_back)
{
	struct packet p;
	start();
	iot_sender_before_fork(s);
	iot_sender_after_fork_parent(s);
	int64_t before = now;
	cr_expect_eq(iot_sender_flush(s), IOT_OK);
	expect(PACKET_START, &p);
	expect(PACKET_WATERMARK, &p);
	cr_expect_geq(packet_word(&p, 0), (uint64_t)before);
}

Test(packet_sender, settings_are_checked)
{
	cr_expect_eq(iot_sender_set(s, IOT_SEND_FILES, 0), IOT_EUSAGE);
	cr_expect_eq(iot_sender_open_fd(s, ends[1], "x"), IOT_EUSAGE);
}

Test(packet_sender, refusals_leave_an_open_sender_as_it_was)
{
	struct packet p;
	start();
	cr_expect_eq(iot_sender_set(s, IOT_SEND_FILES, 1), IOT_EUSAGE);
	cr_expect_eq(iot_sender_on_clock(s, NULL, NULL, 0), IOT_EUSAGE);
	cr_expect_eq(iot_sender_open(s, "/nowhere", "x"), IOT_EUSAGE);
	cr_expect_eq(iot_sender_open_fd(s, ends[1], "x"), IOT_EUSAGE);
	cr_expect_eq(io(1, 1), IOT_OK);
	cr_expect_eq(iot_sender_flush(s), IOT_OK);
	expect(PACKET_START, &p);
	expect(PACKET_DATA, &p);
}

Test(packet_sender, calls_before_open_do_nothing)
{
	struct packet p;
	cr_expect_eq(io(1, 1), IOT_EUSAGE);
	cr_expect_eq(iot_sender_flush(s), IOT_EUSAGE);
	iot_sender_before_fork(s);
	iot_sender_after_fork_parent(s);
	cr_expect_not(next(&p));
}

/* The CPU clock */

static struct iot_sender *new_with_system_clocks(uint64_t cpu_ns)
{
	iot_sender_free(s);
	s = iot_sender_new();
	cr_assert_not_null(s);
	cr_assert_eq(iot_sender_set(s, IOT_SEND_CPU_NS, cpu_ns), IOT_OK);
	start();
	return s;
}

/* Returns the CPU clocks of two I/Os, between which the process computes. */
static void two_cpu_clocks(uint64_t cpu[2])
{
	struct packet p;
	struct packet_entry entry = {0};
	(void)io(1, 0);
	for (const clock_t before = clock(); clock() - before < CLOCKS_PER_SEC / 500;)
		;
	(void)io(1, 10);
	(void)iot_sender_flush(s);
	expect(PACKET_START, &p);
	expect(PACKET_DATA, &p);
	struct packet_entries entries = {.packet = &p};
	for (int i = 0; i < 2; i++) {
		cr_assert(packet_entry_next(&entries, &entry));
		cpu[i] = entry.cpu;
	}
}

Test(packet_sender, the_cpu_clock_is_repeated_while_it_is_recent)
{
	uint64_t cpu[2];
	new_with_system_clocks(UINT64_MAX);
	two_cpu_clocks(cpu);
	cr_expect_eq(cpu[0], cpu[1]);
	cr_expect_gt(cpu[0], 0);
}

Test(packet_sender, the_cpu_clock_is_read_for_each_io_if_so_set)
{
	uint64_t cpu[2];
	new_with_system_clocks(0);
	two_cpu_clocks(cpu);
	cr_expect_geq(cpu[1], cpu[0] + 2000000);
}

/* Threads */

enum { THREADS = 8, THREAD_IOS = 5000, FILES = 5 };

/* What the reader of the pipe has seen. */
struct received {
	uint64_t entries, packets, disordered, overtaken;
	uint64_t watermark, sequence;
	bool ended;
};

static void receive_entries(struct received *r, const struct packet *p)
{
	struct packet_entries entries = {.packet = p};
	struct packet_entry entry;
	uint64_t last = 0;
	while (packet_entry_next(&entries, &entry)) {
		r->disordered += entry.start < last;
		r->overtaken += entry.start < r->watermark;
		last = entry.start;
		r->entries++;
	}
}

static void receive_packet(struct received *r, const struct packet *p)
{
	r->disordered += p->sequence != r->packets++;
	if (p->kind == PACKET_DATA)
		receive_entries(r, p);
	else if (p->kind == PACKET_WATERMARK)
		r->watermark = packet_word(p, 0);
	r->ended = r->ended || p->kind == PACKET_EXIT;
}

static void *receive_all(void *context)
{
	struct received *r = context;
	unsigned char bytes[2 * PACKET_MAX];
	const char *why;
	struct packet p;
	size_t have = 0;
	ssize_t n;
	while (!r->ended && (n = read(ends[0], bytes + have, sizeof(bytes) - have)) > 0) {
		size_t used = 0;
		have += (size_t)n;
		while (packet_check(bytes + used, have - used, 1000, &p, &why) == PACKET_GOOD) {
			receive_packet(r, &p);
			used += packet_size(&p);
		}
		memmove(bytes, bytes + used, have - used);
		have -= used;
	}
	return NULL;
}

static atomic_ullong accepted, begun;

static void *do_thread_ios(void *context)
{
	struct iot_record r = {.type = IOT_LOGICAL, .length = 10};
	(void)context;
	for (uint64_t i = 0; i < THREAD_IOS; i++) {
		struct iot_pending_io f;
		r.offset = i * 37 % 1000;
		r.file = (uint32_t)(1 + i % FILES);
		(void)iot_sender_begin(s, &f);
		accepted += iot_sender_end(s, &f, &r) == IOT_OK;
		begun++;
	}
	return NULL;
}

/* The main thread exits after `before_exit` I/Os of the other threads, flushing meanwhile. */
static struct received run_threads(uint64_t before_exit)
{
	pthread_t thread[THREADS], reader;
	struct received r = {0};
	iot_sender_free(s);
	s = iot_sender_new();
	cr_assert_eq(fcntl(ends[0], F_SETFL, 0), 0);
	cr_assert_eq(fcntl(ends[1], F_SETFL, 0), 0);
	(void)iot_sender_set(s, IOT_SEND_FLUSH, 1000);
	(void)iot_sender_set(s, IOT_SEND_FILES, 3);
	cr_assert_eq(pthread_create(&reader, NULL, receive_all, &r), 0);
	start();
	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, do_thread_ios, NULL), 0);
	while (begun < before_exit)
		(void)iot_sender_flush(s);
	cr_expect_eq(iot_sender_exit(s, 0), IOT_OK);
	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_join(thread[i], NULL), 0);
	cr_assert_eq(pthread_join(reader, NULL), 0);
	return r;
}

Test(packet_sender, threads_lose_nothing_and_no_watermark_is_late)
{
	const struct received r = run_threads(THREADS * THREAD_IOS);
	cr_expect_eq(r.entries, THREADS * THREAD_IOS);
	cr_expect_eq(iot_sender_fact(s, IOT_SENT_RECORDS), THREADS * THREAD_IOS);
	cr_expect_eq(r.disordered, 0);
	cr_expect_eq(r.overtaken, 0);
}

Test(packet_sender, exit_sends_each_io_that_was_accepted)
{
	const struct received r = run_threads(THREADS * THREAD_IOS / 4);
	cr_expect_eq(r.entries, accepted);
	cr_expect_eq(r.overtaken, 0);
}

static void *do_one_io(void *context)
{
	(void)context;
	(void)io(1, 0);
	return NULL;
}

Test(packet_sender, close_comes_after_the_ios_of_other_threads)
{
	struct packet p;
	struct iot_pending_io f;
	pthread_t thread;
	start();
	cr_assert_eq(pthread_create(&thread, NULL, do_one_io, NULL), 0);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	(void)iot_sender_begin(s, &f);
	cr_expect_eq(iot_sender_closed(s, &f, 1), IOT_OK);
	expect(PACKET_START, &p);
	expect(PACKET_DATA, &p);
	expect(PACKET_CLOSE, &p);
}

static void *end_io(void *context)
{
	(void)iot_sender_end(s, context, &(struct iot_record){.type = IOT_LOGICAL, .file = 1});
	return NULL;
}

Test(packet_sender, another_thread_may_end_an_io)
{
	struct iot_pending_io f;
	pthread_t thread;
	start();
	(void)iot_sender_begin(s, &f);
	cr_assert_eq(pthread_create(&thread, NULL, end_io, &f), 0);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	cr_expect_eq(iot_sender_fact(s, IOT_SENT_RECORDS), 1);
}
