/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One thread sends at a time, with signals blocked, and never waits meanwhile: a signal handler
 * cannot find the packets incomplete, nor leave them so with siglongjmp.
 */
#include "packets.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <iotrace/iotrace.h>

#include "lib/packets/packet.h"
#include "crc.h"
#include "raw.h"
#include "rings.h"
#include "text.h"

enum {
	PIPE_NUMBER = 1000, /* of the descriptor; below FD_SETSIZE, above those that programs use */
	NUMBERS_ABOVE = 64, /* 1/NUMBERS_ABOVE of all numbers, and 2, are higher */
	FULL_BYTES = 16384, /* of a ring that are sent at once */
	AGE_MS = 100,       /* after which records are sent */
	STUCK_MS = 1000,    /* an operation that takes longer does not hold back the mark */
	LOCK_TRIES = 1000,  /* of a millisecond */
	WAIT_MS = 50,
	ABANDONED = 1000, /* records after which a dead collector is looked for again */
	DATA_WORDS = 80,  /* min space for a data packet */
	TAKEN = 0,        /* kind of a record that is in a packet */
};

static struct {
	_Atomic uintptr_t sender;  /* the thread that sends; 0: none */
	_Atomic uint64_t marked;   /* time of the latest mark */
	_Atomic int32_t abandoned; /* records that are going to be dropped without a try */
	uint64_t sequence, cpu;
	dev_t device; /* of the pipe */
	ino_t inode;
	size_t used; /* bytes of `out` */
	unsigned char out[PACKET_MAX];
} sending;

/* The pipe */

static bool is_pipe(int fd)
{
	struct stat s = {.st_mode = 0};
	return fd >= 0 && raw_call(SYS_fstat, fd, (long)&s, 0, 0, 0, 0) == 0 &&
	       s.st_dev == sending.device && s.st_ino == sending.inode;
}

static int duplicate_high(int fd)
{
	struct rlimit limit = {.rlim_cur = 0};
	raw_call(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit, 0, 0);
	const rlim_t below = limit.rlim_cur / NUMBERS_ABOVE + 2;
	const rlim_t first = limit.rlim_cur > below ? limit.rlim_cur - below : 0;
	return (int)raw_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC,
			     first < PIPE_NUMBER ? (long)first : PIPE_NUMBER, 0, 0, 0);
}

/* Opened for reading, too, so that no write raises SIGPIPE when the collector has ended. */
static bool open_pipe(void)
{
	char name[sizeof recording.directory + 16];
	struct stat s = {.st_mode = 0};
	struct text t = text_in(name, sizeof name);
	text_add(&t, recording.directory);
	text_add(&t, "/packets");
	const int fd = raw_open(name, O_RDWR | O_NONBLOCK);
	if (fd < 0)
		return false;
	if (raw_call(SYS_fstat, fd, (long)&s, 0, 0, 0, 0) == 0 && S_ISFIFO(s.st_mode)) {
		recording.pipe = duplicate_high(fd);
		sending.device = s.st_dev;
		sending.inode = s.st_ino;
	}
	raw_close(fd);
	return recording.pipe >= 0;
}

bool packets_init(void)
{
	crc_init();
	return open_pipe();
}

void packets_move(void)
{
	const int before = recording.pipe;
	const int fd = duplicate_high(before);
	if (fd < 0)
		return;
	recording.pipe = fd;
	raw_close(before);
}

void packets_forked(void)
{
	sending.sender = 0;
	sending.abandoned = 0;
	sending.marked = sending.sequence = sending.cpu = 0;
	sending.used = 0;
}

/* The size is at most PIPE_BUF: the pipe takes all or nothing. Returns false if it is full. */
static bool write_out(void)
{
	if (sending.used == 0)
		return true;
	if (!is_pipe(recording.pipe) && !open_pipe())
		return false;
	if (raw_call(SYS_write, recording.pipe, (long)sending.out, (long)sending.used, 0, 0, 0) !=
	    (long)sending.used)
		return false;
	recording.own_writes++;
	recording.own_written += sending.used;
	sending.used = 0;
	return true;
}

/* Packets */

/* Returns the address of a packet with up to `words` of payload; NULL if the pipe is full. */
static unsigned char *packet_begin(size_t words)
{
	if (PACKET_MAX - sending.used < PACKET_WORD_SIZE * (PACKET_HEADER + words) && !write_out())
		return NULL;
	return sending.out + sending.used;
}

static unsigned char *put(unsigned char *at, uint64_t word)
{
	packet_word_put(at, word);
	return at + PACKET_WORD_SIZE;
}

static unsigned char *payload_of(unsigned char *packet)
{
	return packet + PACKET_WORD_SIZE * PACKET_HEADER;
}

/* Completes the packet whose payload ends at `end`. */
static void packet_end(unsigned char *packet, const unsigned char *end, enum packet_kind kind,
		       uint32_t file, uint32_t entries)
{
	const size_t size = (size_t)(end - packet), words = size / PACKET_WORD_SIZE;
	unsigned char *at = packet;
	at = put(at, PACKET_MAGIC);
	at = put(at, (uint64_t)kind << 56 | (words - PACKET_HEADER));
	at = put(at, (uint64_t)recording.pid << 32 | file);
	at = put(at, sending.sequence++);
	at = put(at, (uint64_t)PACKET_TICK_PS_PER_NS << 32 | entries);
	at = put(at, clock_now());
	at = put(at, sending.cpu);
	put(at, 0);
	put(at, crc_of(packet, words));
	sending.used += size;
}

static uint64_t elapsed(uint64_t start, uint64_t end, uint64_t min)
{
	const uint64_t ns = end > start + min ? end - start : min;
	return ns < PACKET_ELAPSED_MAX ? ns : PACKET_ELAPSED_MAX;
}

static unsigned char *put_entry(unsigned char *at, const struct record_transfer *t,
				const struct record_transfer *before)
{
	const uint64_t write = (t->head.code & RECORD_WRITE) != 0 ? IOT_WRITE : 0,
		       async = (t->head.code & RECORD_ASYNC) != 0 ? IOT_ASYNC : 0;
	const bool has_offset = before == NULL ||
				(uint64_t)t->offset != (uint64_t)before->offset + before->length,
		   has_length = before == NULL || t->length != before->length;
	at = put(at, (IOT_LOGICAL | write | async) << 56 | (has_offset ? PACKET_ENTRY_OFFSET : 0) |
			 (has_length ? PACKET_ENTRY_LENGTH : 0) | elapsed(t->start, t->end, 0));
	at = put(put(at, t->start), t->cpu);
	if (has_offset)
		at = put(at, (uint64_t)t->offset);
	return has_length ? put(at, t->length) : at;
}

/*
 * Sends the transfer at `from`, and later ones of its file up to `head` that one packet takes and
 * that are in order of start.
 */
static bool send_transfers(char *data, uint64_t mask, uint64_t from, uint64_t head)
{
	unsigned char *const packet = packet_begin(DATA_WORDS), *at, *end;
	const struct record_transfer *before = NULL;
	uint32_t file = 0, entries = 0;
	if (packet == NULL)
		return false;
	at = payload_of(packet);
	end = sending.out + PACKET_MAX - PACKET_WORD_SIZE * PACKET_ENTRY_MAX;
	while (from < head && at <= end) {
		struct record_transfer *t = (struct record_transfer *)(data + (from & mask));
		from += t->head.size;
		if (t->head.kind != RECORD_TRANSFER || (entries > 0 && t->head.description != file))
			continue;
		if (before != NULL && t->start < before->start)
			break;
		at = put_entry(at, t, before);
		file = t->head.description;
		sending.cpu = t->cpu;
		t->head.kind = TAKEN;
		before = t;
		entries++;
	}
	packet_end(packet, at, PACKET_DATA, file, entries);
	return true;
}

/* Packets have no unknown offset. */
static bool send_transfer(struct record_ring *r, uint64_t from, uint64_t head)
{
	char *const data = (char *)r + RECORD_PAGE;
	const uint64_t mask = r->size - 1;
	const struct record_transfer *t = (const struct record_transfer *)(data + (from & mask));
	if (t->offset >= 0)
		return send_transfers(data, mask, from, head);
	recording_count(RECORD_COUNTER_OFFSETS, 1);
	atomic_fetch_sub(&r->made, 1);
	return true;
}

/* Text, padded with zeros to a word. */
static unsigned char *put_text(unsigned char *at, const char *text, size_t size)
{
	const size_t words = (size + PACKET_WORD_SIZE - 1) / PACKET_WORD_SIZE;
	memset(at, 0, words * PACKET_WORD_SIZE);
	memcpy(at, text, size);
	return at + words * PACKET_WORD_SIZE;
}

static void count_operation(struct record_ring *r, unsigned code)
{
	if (recording.control->counts_operations && code != RECORD_OP_CHDIR)
		recording_count(RECORD_COUNTER_OPERATIONS, 1);
	atomic_fetch_sub(&r->made, 1);
	atomic_fetch_sub(&r->made_others, 1);
}

/*
 * A descriptor that was open before has no duration. An open that failed, or the open of a
 * descriptor without transfers, has no file: it is counted.
 */
static bool send_open(struct record_ring *r, const struct record_open *o)
{
	const size_t capacity = (size_t)PACKET_WORD_SIZE * (PACKET_PAYLOAD_MAX - PACKET_OPEN_WORDS),
		     size = o->text_size > 0 ? o->text_size - 1U : 0;
	const bool found = o->head.code == RECORD_OP_FOUND,
		   creates = o->head.code == RECORD_OP_CREATE, is_cut = size > capacity;
	if (o->head.description == 0 || o->result < 0) {
		count_operation(r, o->head.code);
		return true;
	}
	unsigned char *const packet = packet_begin(PACKET_OPEN_WORDS + size / PACKET_WORD_SIZE + 1);
	if (packet == NULL)
		return false;
	unsigned char *at = put(payload_of(packet), o->start);
	at = put(at, elapsed(o->start, o->end, found ? 0 : 1) |
			 (creates ? PACKET_OPEN_CREATED : 0) | (is_cut ? PACKET_OPEN_CUT : 0));
	at = put(at, o->flags | (S_ISDIR(o->mode) ? O_DIRECTORY : 0));
	at = put_text(at, o->text, is_cut ? capacity : size);
	packet_end(packet, at, PACKET_OPEN, o->head.description, 0);
	return true;
}

static bool send_close(const struct record_operation *o)
{
	unsigned char *const packet = packet_begin(2);
	if (packet == NULL)
		return false;
	unsigned char *at = put(payload_of(packet), o->start);
	at = put(at, elapsed(o->start, o->end, 0));
	packet_end(packet, at, PACKET_CLOSE, o->head.description, 0);
	return true;
}

static bool send_mark(uint64_t mark)
{
	unsigned char *const packet = packet_begin(1);
	if (packet != NULL)
		packet_end(packet, put(payload_of(packet), mark), PACKET_WATERMARK, 0, 0);
	return packet != NULL;
}

/* Returns whether a record says that a program is going to run. */
static bool has_program(const struct record_head *h)
{
	if (h->kind == RECORD_CHILD)
		return ((const struct record_child *)h)->text_size > 0;
	return h->kind == RECORD_OPERATION && ((const struct record_operation *)h)->result >= 0;
}

/* Leaves a record in the file of the process. Returns false if that is full. */
static bool note(const struct record_head *h)
{
	struct record_process *const q = recording.process;
	const uint32_t at = atomic_load(&q->noted);
	if (at > RECORD_NOTES || h->size > RECORD_NOTES - at)
		return false;
	memcpy(q->note + at, h, h->size);
	atomic_store(&q->noted, at + h->size);
	return true;
}

/*
 * A record about a process, which packets cannot carry. If it is lost, it remains unsent, and a
 * program is counted.
 */
static void write_event(const struct record_head *h)
{
	if (recording_write("event", h, h->size) == 0 && !note(h) && has_program(h))
		recording_count(RECORD_COUNTER_PROGRAMS, 1);
}

static bool send_start(const struct record_start *s)
{
	const size_t size = strnlen(s->text, s->command_size), max = 255;
	unsigned char *const packet = packet_begin(PACKET_START_WORDS + max / PACKET_WORD_SIZE + 1);
	if (packet == NULL)
		return false;
	sending.sequence = 0;
	unsigned char *at = put(payload_of(packet), s->parent);
	at = put(at, clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC));
	at = put_text(at, s->text, size < max ? size : max);
	packet_end(packet, at, PACKET_START, 0, 0);
	write_event(&s->head);
	return true;
}

static bool send_operation(struct record_ring *r, const struct record_operation *o)
{
	if (o->head.code == RECORD_OP_CLOSE)
		return send_close(o);
	if (o->head.code == RECORD_OP_EXEC)
		write_event(&o->head);
	else
		count_operation(r, o->head.code);
	return true;
}

/* Returns false if the pipe is full. */
static bool send_record(struct record_ring *r, uint64_t at, uint64_t head)
{
	const void *const record = (const char *)r + RECORD_PAGE + (at & (r->size - 1));
	const struct record_head *h = record;
	if (h->kind == TAKEN)
		return true;
	if (h->kind == RECORD_TRANSFER)
		return send_transfer(r, at, head);
	if (h->kind == RECORD_OPEN)
		return send_open(r, record);
	if (h->kind == RECORD_START)
		return send_start(record);
	if (h->kind == RECORD_OPERATION)
		return send_operation(r, record);
	write_event(h);
	return true;
}

/* Rings */

static bool send_ring(struct record_ring *r)
{
	const char *const data = (const char *)r + RECORD_PAGE;
	const uint64_t mask = r->size - 1;
	const uint64_t head = atomic_load_explicit(&r->head, memory_order_acquire);
	uint64_t at = atomic_load_explicit(&r->tail, memory_order_relaxed);
	if (head - at > r->size) /* the program has overwritten one of them */
		atomic_store_explicit(&r->tail, at = head, memory_order_release);
	while (at < head && send_record(r, at, head)) {
		at += ((const struct record_head *)(data + (at & mask)))->size;
		atomic_store_explicit(&r->tail, at, memory_order_release);
	}
	return at >= head;
}

static uint64_t units(uint64_t ms)
{
	return ms * recording.control->cpu_step;
}

/* Lowers the mark to the start of the call that the thread of a ring is in. */
static uint64_t lower_mark(const struct record_ring *r, uint64_t mark, uint64_t now)
{
	const uint64_t start = atomic_load_explicit(&r->in_flight, memory_order_acquire);
	const bool is_operation = (start & 1) != 0;
	if (start == 0 || start >= mark || (is_operation && now - start > units(STUCK_MS)))
		return mark;
	return start & ~UINT64_C(1);
}

/* Returns true if everything was sent. */
static bool send_all(void)
{
	const uint64_t now = clock_now();
	struct record_ring *r;
	uint64_t mark = now;
	bool all = true;
	for (int i = 0; (r = rings_get(i)) != NULL; i++) {
		mark = lower_mark(r, mark, now);
		all = send_ring(r) && all;
	}
	atomic_store_explicit(&sending.marked, now, memory_order_relaxed);
	return all && send_mark(mark) && write_out();
}

static bool lock(const struct producer *p, bool waits)
{
	for (int i = 0; i < (waits ? LOCK_TRIES : 1); i++) {
		uintptr_t none = 0;
		if (atomic_compare_exchange_strong(&sending.sender, &none, (uintptr_t)p))
			return true;
		if (none == (uintptr_t)p)
			return false;
		if (waits)
			raw_call(SYS_poll, 0, 0, 1, 0, 0, 0);
	}
	return false;
}

/* Returns true if everything was sent. */
static bool send_locked(struct producer *p, bool waits)
{
	const uint64_t every = ~UINT64_C(0);
	uint64_t mask;
	bool all = false;
	if (p->vforked)
		return false;
	raw_call(SYS_rt_sigprocmask, SIG_BLOCK, (long)&every, (long)&mask, sizeof mask, 0, 0);
	if (lock(p, waits)) {
		all = send_all();
		atomic_store(&sending.sender, 0);
	}
	raw_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, sizeof mask, 0, 0);
	return all;
}

/* Returns false if nobody is going to read the pipe. */
static bool wait_for_pipe(void)
{
	struct pollfd polled = {.fd = recording.pipe, .events = POLLOUT};
	if (recording.control->closed || !is_pipe(recording.pipe) || !recording_is_collected())
		return false;
	recording_wake_collector();
	raw_call(SYS_poll, (long)&polled, 1, WAIT_MS, 0, 0, 0);
	return true;
}

void packets_send(struct producer *p)
{
	(void)send_locked(p, true);
}

void packets_finish(struct producer *p)
{
	while (!p->vforked && !send_locked(p, true) && wait_for_pipe())
		continue;
}

static bool is_due(const struct producer *p)
{
	const uint64_t marked = atomic_load_explicit(&sending.marked, memory_order_relaxed);
	const uint64_t waiting =
	    p->next - atomic_load_explicit(&p->ring->tail, memory_order_acquire);
	return waiting >= FULL_BYTES || (waiting > 0 && p->cpu_read > marked + units(AGE_MS));
}

static bool fits(const struct producer *p, uint64_t size)
{
	const uint64_t tail = atomic_load_explicit(&p->ring->tail, memory_order_acquire);
	return p->next + size + RECORD_SIZE_MAX <= tail + p->mask + 1;
}

/* Returns false if the pipe remains full, or nobody reads it. */
static bool make_space(struct producer *p, uint64_t size)
{
	while (!fits(p, size)) {
		(void)send_locked(p, true);
		if (fits(p, size))
			break;
		if (recording.control->full == RECORD_DROP || p->vforked)
			return false;
		if (!wait_for_pipe()) {
			atomic_store(&sending.abandoned, ABANDONED);
			return false;
		}
	}
	return true;
}

/* After the end of the collector calls must not take longer than before. */
static bool is_abandoned(void)
{
	return atomic_load_explicit(&sending.abandoned, memory_order_relaxed) > 0 &&
	       atomic_fetch_sub(&sending.abandoned, 1) > 0;
}

bool packets_reserve(struct producer *p, uint64_t size)
{
	p->limit = 0;
	if (is_abandoned())
		return false;
	if (is_due(p))
		(void)send_locked(p, false);
	if (!make_space(p, size))
		return false;
	atomic_fetch_add_explicit(&p->ring->made, 1, memory_order_relaxed);
	p->limit = p->next + size;
	return true;
}
