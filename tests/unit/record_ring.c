/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading of valid and invalid rings, and the search for processes. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/record/packet_pipe.h"
#include "cli/record/processes.h"
#include "cli/record/ring.h"
#include "lib/base/tempfile.h"

static const struct ring_decoder decoder = {.zero = 1000, .now = 9000, .user = {.process = 5}};

static struct record_transfer transfer(void)
{
	return (struct record_transfer){.head = {.size = sizeof(struct record_transfer),
						 .kind = RECORD_TRANSFER,
						 .description = 1},
					.offset = 10,
					.length = 20,
					.start = 2000,
					.end = 3000,
					.cpu = 7};
}

static int decode(const struct record_transfer *t, size_t n, struct iot_event *ev)
{
	static struct iot_event batch[RING_BATCH];
	size_t used;
	const int count = ring_decode(&decoder, (const void *)t, n, batch, &used);
	*ev = batch[0];
	return count;
}

Test(record_ring, transfer_becomes_a_record)
{
	struct iot_event ev;
	const struct record_transfer t = transfer();
	cr_assert_eq(decode(&t, sizeof(t), &ev), 1);
	cr_expect_eq(ev.kind, IOT_RECORD);
	cr_expect_eq(ev.rec.start_ns, 1000);
	cr_expect_eq(ev.rec.duration_ns, 1000);
	cr_expect_eq(ev.rec.offset, 10);
	cr_expect_eq(ev.rec.length, 20);
	cr_expect_eq(ev.rec.process, 5);
	cr_expect_eq(ev.rec.cpu_ns, 7);
}

Test(record_ring, invalid_transfer_is_rejected)
{
	struct iot_event ev;
	struct record_transfer t = transfer();
	cr_expect_eq(decode(&t, sizeof(t) - 8, &ev), -1);
	t.end = 1999;
	cr_expect_eq(decode(&t, sizeof(t), &ev), -1);
	t = transfer();
	t.start = 999;
	cr_expect_eq(decode(&t, sizeof(t), &ev), -1);
	t = transfer();
	t.end = 9001;
	cr_expect_eq(decode(&t, sizeof(t), &ev), -1);
	t = transfer();
	t.offset = -1;
	cr_expect_eq(decode(&t, sizeof(t), &ev), -1);
	t = transfer();
	t.head.size = 44;
	cr_expect_eq(decode(&t, sizeof(t), &ev), -1);
	t = transfer();
	t.head.kind = 0;
	cr_expect_eq(decode(&t, sizeof(t), &ev), -1);
}

Test(record_ring, skipped_bytes_precede_the_next_record)
{
	_Alignas(8) unsigned char bytes[96 + sizeof(struct record_transfer)];
	struct record_skip skip = {.head = {.size = sizeof(skip), .kind = RECORD_SKIP},
				   .bytes = 96};
	const struct record_transfer t = transfer();
	struct iot_event ev[RING_BATCH];
	size_t used;
	memset(bytes, 0xff, sizeof(bytes));
	memcpy(bytes, &skip, sizeof(skip));
	memcpy(bytes + 96, &t, sizeof(t));
	cr_expect_eq(ring_decode(&decoder, bytes, sizeof(bytes), ev, &used), 1);
	cr_expect_eq(used, sizeof(bytes));
	cr_expect_eq(ev->rec.offset, 10);
	cr_expect_eq(ring_decode(&decoder, bytes, 96, ev, &used), 0);
	cr_expect_eq(used, 96);
	const uint64_t invalid[] = {0, 8, 92, sizeof(bytes) + 8, UINT64_MAX, UINT64_MAX - 7};
	for (size_t i = 0; i < sizeof(invalid) / sizeof(*invalid); i++) {
		skip.bytes = invalid[i];
		memcpy(bytes, &skip, sizeof(skip));
		cr_expect_eq(ring_decode(&decoder, bytes, sizeof(bytes), ev, &used), -1);
	}
}

Test(record_ring, clocks_of_processors_may_differ_by_the_skew)
{
	struct ring_decoder d = decoder;
	struct record_transfer t = transfer();
	struct iot_event ev[RING_BATCH];
	size_t used;
	d.skew = 10;
	t.start = t.end = 9010;
	cr_expect_eq(ring_decode(&d, (void *)&t, sizeof(t), ev, &used), 1);
	t.end = 9000;
	cr_expect_eq(ring_decode(&d, (void *)&t, sizeof(t), ev, &used), 1);
	cr_expect(ev->rec.start_ns == 8010 && ev->rec.duration_ns == 0);
	t.end = 8999;
	cr_expect_eq(ring_decode(&d, (void *)&t, sizeof(t), ev, &used), -1);
	t.start = t.end = 9011;
	cr_expect_eq(ring_decode(&d, (void *)&t, sizeof(t), ev, &used), -1);
}

Test(record_ring, records_follow_a_child_of_vfork_until_its_parent_continues)
{
	struct processes p = {0};
	struct record_thread user = {
	    .head = {.size = sizeof(user), .kind = RECORD_THREAD, .code = RECORD_THREAD_VFORKED},
	    .time = 2000,
	    .tid = 9};
	struct record_thread read;
	struct ring_user got;
	cr_assert_eq(processes_expect(&p, 7, 0, 0), 0);
	cr_assert(ring_states_user((void *)&user, sizeof(user), &read));
	got = processes_ring_user(&p, 0, &read, true);
	cr_expect(got.process == 0 && got.thread == 0, "an unknown one is recorded as its parent");
	cr_assert_eq(processes_expect(&p, 9, 7, 0), 1);
	got = processes_ring_user(&p, 0, &read, true);
	cr_expect(got.process == 1 && got.thread == 1);
	user.head.code = RECORD_THREAD_OF_PROCESS;
	user.tid = 8;
	cr_assert(ring_states_user((void *)&user, sizeof(user), &read));
	got = processes_ring_user(&p, 0, &read, true);
	cr_expect(got.process == 0 && got.thread == 2);
	cr_expect_not(ring_states_user((void *)&user, sizeof(user) - 1, &read));
	processes_free(&p);
}

Test(record_ring, text_without_its_end_is_rejected)
{
	_Alignas(8) unsigned char bytes[sizeof(struct record_child) + 8] = {0};
	struct record_child *const child = (void *)bytes;
	child->head = (struct record_head){.size = sizeof(bytes), .kind = RECORD_CHILD};
	memcpy(bytes + sizeof(*child), "abc", 4);
	child->text_size = 4;
	cr_expect(ring_record_is_valid(bytes, sizeof(bytes)));
	child->text_size = 3;
	cr_expect_not(ring_record_is_valid(bytes, sizeof(bytes)));
	child->text_size = 9;
	cr_expect_not(ring_record_is_valid(bytes, sizeof(bytes)));
	child->text_size = UINT16_MAX;
	cr_expect_not(ring_record_is_valid(bytes, sizeof(bytes)));
}

/* Creates a ring of the smallest size in a directory, which the caller removes. */
static int create_ring(char directory[64], const struct record_ring *header)
{
	snprintf(directory, 64, "%s/ring-XXXXXX", tempfile_directory());
	cr_assert_not_null(mkdtemp(directory));
	const int at = open(directory, O_RDONLY | O_DIRECTORY);
	const int fd = openat(at, "ring.1", O_RDWR | O_CREAT, 0600);
	cr_assert(at >= 0 && fd >= 0);
	cr_assert_eq(ftruncate(fd, RECORD_PAGE + RECORD_RING_MIN), 0);
	cr_assert_eq(pwrite(fd, header, sizeof(*header), 0), (ssize_t)sizeof(*header));
	close(fd);
	return at;
}

static void remove_ring(const char *directory, int at)
{
	unlinkat(at, "ring.1", 0);
	close(at);
	rmdir(directory);
}

static const struct record_ring valid_header = {
    .magic = RECORD_RING_MAGIC, .version = RECORD_VERSION, .size = RECORD_RING_MIN, .pid = 7};

Test(record_ring, header_is_checked)
{
	char directory[64];
	struct ring r;
	struct record_ring h = valid_header;
	h.size = RECORD_RING_MIN * 2;
	const int at = create_ring(directory, &h);
	cr_expect_not_null(ring_open(&r, at, "ring.1"));
	cr_expect_not_null(ring_open(&r, at, "none"));
	remove_ring(directory, at);
}

Test(record_ring, head_is_checked)
{
	char directory[64];
	struct ring r;
	const int at = create_ring(directory, &valid_header);
	cr_assert_null(ring_open(&r, at, "ring.1"));
	atomic_store(&r.header->head, 48);
	cr_expect_eq(ring_available(&r), 48);
	r.tail += 48;
	ring_release(&r);
	cr_expect_eq(atomic_load(&r.header->tail), 48);
	cr_expect_eq(ring_available(&r), 0);
	atomic_store(&r.header->head, 40);
	cr_expect_eq(ring_available(&r), 0);
	cr_expect(r.failed);
	ring_close(&r);
	remove_ring(directory, at);
}

Test(record_ring, order_of_records_is_checked_as_they_arrive)
{
	enum { SIZE = sizeof(struct record_transfer) };
	struct record_transfer t[8];
	struct ring r = {.data = (const unsigned char *)t, .size = 1024};
	for (size_t i = 0; i < 8; i++) {
		t[i] = transfer();
		t[i].start += i;
	}
	cr_expect(ring_in_order(&r, 0));
	cr_expect(ring_in_order(&r, 2 * SIZE));
	cr_expect_eq(r.checked, 2 * SIZE);
	cr_expect(ring_in_order(&r, 4 * SIZE));
	t[5].start = 0;
	cr_expect(ring_in_order(&r, 5 * SIZE));
	cr_expect_not(ring_in_order(&r, 6 * SIZE));
	r.tail = 6 * SIZE;
	cr_expect(ring_in_order(&r, 2 * SIZE));
	cr_expect_eq(r.checked, 8 * SIZE);
	t[6].head.size = 0;
	r.checked = 0;
	cr_expect_not(ring_in_order(&r, 2 * SIZE));
}

Test(record_ring, records_that_start_later_are_not_decoded)
{
	struct record_transfer t[3] = {transfer(), transfer(), transfer()};
	struct iot_event ev[RING_BATCH];
	struct ring_decoder d = decoder;
	size_t used;
	t[1].start = 2500;
	d.until = 2500;
	cr_expect_eq(ring_decode(&d, (void *)t, sizeof(t), ev, &used), 1);
	cr_expect_eq(used, sizeof(*t));
	d.until = 2000;
	cr_expect_eq(ring_decode(&d, (void *)t, sizeof(t), ev, &used), 0);
	cr_expect_eq(used, 0);
	d.until = 2501;
	cr_expect_eq(ring_decode(&d, (void *)t, sizeof(t), ev, &used), 3);
}

Test(record_ring, processes_are_found_by_pid_and_start)
{
	struct processes p = {.count = 0};
	const uint32_t own = (uint32_t)getpid();
	const size_t index = processes_expect(&p, own, 1, 0);
	cr_assert_eq(index, 0);
	cr_expect_eq(processes_expect(&p, own, 1, 0), 0);
	cr_expect_eq(processes_find(&p, own), 0);
	cr_expect_eq(processes_find(&p, own + 1), SIZE_MAX);
	cr_expect_eq(processes_joined(&p, own, 3), SIZE_MAX);
	cr_expect_eq(p.process[0].id, own);
	processes_free(&p);
}

/* Two containers, each of which has a process 1 with a child 2. */
Test(record_ring, processes_of_other_namespaces_may_have_the_same_pid)
{
	enum { FIRST = 100, SECOND = 200 };
	struct processes p = {.count = 0};
	const size_t one = processes_restore(&p, 1, 77, FIRST),
		     other = processes_restore(&p, 1, 78, SECOND),
		     child = processes_restore(&p, 2, 1, FIRST);
	cr_assert(processes_set_start(&p, one, 5) && processes_set_start(&p, other, 6));
	cr_expect_eq(processes_joined(&p, 1, 5), one, "its rings, although another has its pid");
	cr_expect_eq(processes_joined(&p, 1, 6), other);
	cr_expect_eq(processes_find_in(&p, 1, FIRST), one);
	cr_expect_eq(processes_known(&p, child, 1), one, "the parent in its own namespace");
	cr_expect_neq(p.process[one].id, p.process[other].id);
	processes_free(&p);
}

Test(record_ring, threads_have_numbers_that_no_process_has)
{
	struct processes p = {.count = 0};
	const uint32_t own = (uint32_t)getpid(), parent = (uint32_t)getppid();
	cr_assert_eq(processes_expect(&p, own, 1, 0), 0);
	cr_expect_eq(processes_thread(&p, 0, own), 0);
	const size_t thread = processes_thread(&p, 0, parent);
	cr_assert_eq(thread, 1);
	cr_expect_eq(processes_thread(&p, 0, parent), thread);
	cr_expect_eq(p.process[thread].thread_of, 0);
	cr_expect_eq(p.process[thread].id, parent);
	cr_expect_eq(processes_find(&p, parent), SIZE_MAX);
	const size_t process = processes_expect(&p, parent, 1, 0);
	cr_assert_eq(process, 2, "a number of a thread that has ended");
	cr_expect_neq(p.process[process].id, parent);
	cr_expect_eq(p.process[process].thread_of, UINT32_MAX);
	cr_expect_eq(processes_thread(&p, process, own), 3, "a number of another process");
	cr_expect_neq(p.process[3].id, own);
	cr_expect_eq(processes_thread(&p, 0, 0), SIZE_MAX);
	processes_free(&p);
}

/* Without a limit of time, as nothing else would end the wait. */
Test(record_ring, without_processes_nothing_is_waited_for)
{
	struct processes p = {.count = 0};
	uint32_t ended[1];
	size_t count = 1;
	cr_expect(processes_wait(&p, NULL, 0, 0, ended, &count, 1));
	cr_expect_eq(count, 0);
	processes_free(&p);
}

Test(record_ring, a_process_that_has_ended_before_it_is_seen_is_not_waited_for)
{
	struct processes p = {.count = 0};
	struct pollfd none = {.fd = -1};
	uint32_t ended[2];
	size_t count = 0;
	const pid_t child = fork();
	if (child == 0)
		_exit(0);
	cr_assert_eq(waitpid(child, NULL, 0), child);
	const size_t index = processes_expect(&p, (uint32_t)child, 1, 0);
	cr_assert(processes_wait(&p, &none, 1, -1, ended, &count, 2));
	cr_assert_eq(count, 1);
	cr_assert_eq(ended[0], index);
	processes_free(&p);
}

/* Packets */

static struct packet packet(unsigned char data[PACKET_MAX], enum packet_kind kind, uint32_t words,
			    uint32_t entries)
{
	const struct packet head = {.kind = kind,
				    .words = words,
				    .process = 7,
				    .file = 9,
				    .tick_ps = PACKET_TICK_PS_PER_NS,
				    .entries = entries};
	const char *why = "";
	struct packet p = head;
	packet_seal(data, &head);
	cr_assert_eq(packet_check(data, PACKET_MAX, PACKET_TICK_PS_PER_NS, &p, &why), PACKET_GOOD,
		     "%s", why);
	return p;
}

static void put_words(unsigned char data[PACKET_MAX], const uint64_t *word, size_t n)
{
	memset(data, 0, PACKET_MAX);
	for (size_t i = 0; i < n; i++)
		packet_word_put(data + PACKET_WORD_SIZE * (PACKET_HEADER + i), word[i]);
}

Test(packet_pipe, entries_become_transfers)
{
	static unsigned char data[PACKET_MAX], records[PACKET_PIPE_RECORDS_MAX];
	static struct iot_event batch[RING_BATCH];
	const uint64_t both = PACKET_ENTRY_OFFSET | PACKET_ENTRY_LENGTH,
		       read = (uint64_t)IOT_LOGICAL << 56, write = read | (uint64_t)IOT_WRITE << 56;
	const uint64_t words[] = {read | both | 50, 2000, 3, 100, 10, write | 60, 3000, 4};
	size_t used;
	put_words(data, words, 8);
	const struct packet p = packet(data, PACKET_DATA, 8, 2);
	const size_t n = packet_pipe_records(&p, records);
	cr_assert_eq(n, 2 * sizeof(struct record_transfer));
	cr_assert_eq(ring_decode(&decoder, records, n, batch, &used), 2);
	cr_expect_eq(batch[0].rec.start_ns, 1000);
	cr_expect_eq(batch[0].rec.duration_ns, 50);
	cr_expect_eq(batch[0].rec.file, 9);
	cr_expect_eq(batch[0].rec.offset, 100);
	cr_expect_eq(batch[1].rec.offset, 110);
	cr_expect_eq(batch[1].rec.length, 10);
	cr_expect_eq(batch[1].rec.type, IOT_LOGICAL | IOT_WRITE);
}

/* Returns the ring record of an open packet with these words before its path. */
static struct record_open opened(uint64_t start, uint64_t how, uint64_t flags)
{
	static unsigned char data[PACKET_MAX], records[PACKET_PIPE_RECORDS_MAX];
	struct record_open o;
	put_words(data, (const uint64_t[]){start, how, flags}, 3);
	memcpy(data + PACKET_WORD_SIZE * (PACKET_HEADER + 3), "/a/path", 7);
	const struct packet p = packet(data, PACKET_OPEN, 4, 0);
	const size_t n = packet_pipe_records(&p, records);
	cr_assert(ring_record_is_valid(records, n));
	memcpy(&o, records, sizeof(o));
	cr_expect_eq(o.text_size, 8);
	cr_expect_str_eq((const char *)records + sizeof(o), "/a/path");
	return o;
}

Test(packet_pipe, opens)
{
	struct record_open o = opened(2000, 40, O_RDONLY);
	cr_expect_eq(o.head.code, RECORD_OP_OPEN);
	cr_expect_eq(o.head.description, 9);
	cr_expect_eq(o.end, 2040);
	o = opened(2000, 40 | PACKET_OPEN_CREATED, O_RDWR);
	cr_expect_eq(o.head.code, RECORD_OP_CREATE);
	o = opened(2000, 0, O_DIRECTORY);
	cr_expect_eq(o.head.code, RECORD_OP_FOUND);
	cr_expect(S_ISDIR(o.mode));
}
