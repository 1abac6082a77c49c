/* SPDX-License-Identifier: BSD-2-Clause */
/* Senders: the packets in the pipe for the I/Os that a program reports. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
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

Test(packet_sender, a_full_pipe_drops_when_told_so)
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
