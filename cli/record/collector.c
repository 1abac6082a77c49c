/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Order: a thread stores a mark (in_flight) before a call starts. Stores become visible to the
 * collector within SLACK_NS, so after a look at all marks no event that starts before now -
 * SLACK_NS and all marks can arrive any more: that is the watermark. Rings are looked for after the
 * clock is read, because a ring exists before the first call that it records.
 *
 * A program's time stamp can be later than that of the collector after it: processors read their
 * counters before earlier loads are complete, and those of two processors differ.
 */
#include "collector.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/array.h"
#include "lib/base/clock.h"
#include "lib/base/error.h"
#include "lib/base/full_io.h"
#include "lib/base/number.h"
#include "doorbell.h"
#include "event_order.h"
#include "packet_pipe.h"
#include "ring.h"
#include "sites.h"

/* For how long records wait for calls that started before them. */
#define OPERATION_NS UINT64_C(1000000000)
#define TRANSFER_NS  UINT64_C(10000000000)

enum {
	RINGS_MAX = 1 << 14,
	ENDED_MAX = 256,
	ANCESTORS_MAX = 64, /* of a process, among which makers of spare files are looked for */
	WAIT_MIN_MS = 3,    /* while programs are busy */
	WAIT_MAX_MS = 20,
	BUSY = 1 << 14,     /* bytes of all rings after which the next look follows soon */
	SLICE = 1 << 18,    /* bytes of rings whose events are written at once */
	SLACK_NS = 1000000, /* stores become visible within microseconds */
	SKEW_NS = 10000000, /* of a valid time stamp */
};

struct collector {
	const struct recording *recording;
	struct processes processes;
	struct ring *ring;
	size_t rings, ring_capacity;
	struct event_order order; /* its events of this step have their texts in the rings */
	struct ring_events *events;
	struct clock_map *clock;
	uint64_t zero, watermark, slack, skew, operation, transfer; /* in units of the clock */
	size_t drained;                                             /* bytes, since the last wait */
	uint32_t files; /* files that the directory has been searched for */
	struct doorbell doorbell;
	struct packet_pipe packets;
	int wait_ms;
	uint8_t flags; /* of all records */
	bool per_thread;
	uint32_t ended[ENDED_MAX];
	size_t ended_count;
	struct error error;
};

struct collector *collector_new(const struct recording *r, struct iot_writer *w,
				struct clock_map *clock, const struct collector_options *o)
{
	struct collector *c = calloc(1, sizeof(*c));
	if (c == NULL)
		return NULL;
	c->recording = r;
	c->clock = clock;
	c->zero = c->watermark = clock->sample[0].ticks;
	c->slack = clock_map_units(clock, SLACK_NS);
	c->skew = clock_map_units(clock, SKEW_NS);
	c->operation = clock_map_units(clock, OPERATION_NS);
	c->transfer = clock_map_units(clock, TRANSFER_NS);
	c->wait_ms = WAIT_MIN_MS;
	packet_pipe_init(&c->packets, r->pipe);
	c->per_thread = o->per_thread;
	c->flags = r->control->cpu == RECORD_CPU_NONE ? IOT_CPU_UNKNOWN : 0;
	c->events = ring_events_new(w, &c->processes, clock, &o->events);
	const bool has_order = event_order_init(&c->order, o->memory, c->events);
	ring_survive_truncation();
	doorbell_start(&c->doorbell, &r->control->doorbell, &r->control->heartbeat);
	if (has_order && c->events != NULL)
		return c;
	collector_free(c);
	return NULL;
}

void collector_free(struct collector *c)
{
	if (c == NULL)
		return;
	doorbell_stop(&c->doorbell);
	for (size_t i = 0; i < c->rings; i++)
		ring_close(&c->ring[i]);
	free(c->ring);
	event_order_free(&c->order);
	ring_events_free(c->events);
	processes_free(&c->processes);
	free(c);
}

void collector_expect(struct collector *c, uint32_t pid, const char *program)
{
	const size_t index = processes_expect(&c->processes, pid, 0);
	if (index != SIZE_MAX)
		ring_events_expect(c->events, (uint32_t)index, program);
}

void collector_begin_part(struct collector *c, struct iot_writer *w)
{
	ring_events_begin_part(c->events, w);
}

bool collector_part_has_times(const struct collector *c)
{
	return ring_events_part_has_times(c->events);
}

bool collector_is_active(const struct collector *c)
{
	return c->processes.alive_count > 0 || c->ended_count > 0;
}

const char *collector_error(const struct collector *c)
{
	return c->error.status != IOT_OK ? c->error.text : c->order.error.text;
}

uint64_t collector_late(const struct collector *c)
{
	return c->order.late;
}

const struct ring_events_totals *collector_totals(const struct collector *c)
{
	return ring_events_totals(c->events);
}

/* Sorting */

/* An event of the collector itself, which no earlier event may follow. */
static int add_own(struct collector *c, struct iot_event ev)
{
	ev.rec.start_ns = (int64_t)(clock_map_now(c->clock) - c->zero);
	return event_order_add(&c->order, &ev, 1);
}

static int add_loss(struct collector *c, const struct ring *r, enum ring_loss why, uint64_t records)
{
	return add_own(
	    c, (struct iot_event){
		   .kind = RING_LOST,
		   .rec = {.process = r->process, .type = (uint8_t)why, .offset = records}});
}

/* Returns the bytes of all rings whose events have been copied or written. */
static void release_rings(struct collector *c)
{
	for (size_t i = 0; i < c->rings; i++)
		if (c->ring[i].data != NULL)
			ring_release(&c->ring[i]);
}

/* Copies all events, so that rings can be released. */
static int copy_events(struct collector *c)
{
	const int status = event_order_copy(&c->order);
	release_rings(c);
	return status;
}

/* Writes the events before a time of the trace. */
static int write_events(struct collector *c, int64_t watermark)
{
	const int status = event_order_write(&c->order, watermark);
	release_rings(c);
	return status;
}

/* Processes and rings */

static bool begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

static void open_ring(struct collector *c, const char *name)
{
	struct ring r;
	if (c->rings == RINGS_MAX ||
	    !array_reserve(&c->ring, &c->ring_capacity, c->rings + 1, sizeof(*c->ring)) ||
	    ring_open(&r, c->recording->fd, name) != NULL)
		return;
	const size_t process = processes_joined(&c->processes, r.pid, r.start);
	if (process == SIZE_MAX) {
		ring_close(&r);
		return;
	}
	r.process = r.thread = (uint32_t)process;
	c->ring[c->rings++] = r;
	c->processes.process[process].rings++;
	(void)unlinkat(c->recording->fd, name, 0);
}

static void join_process(struct collector *c, const char *name)
{
	const char *why;
	(void)processes_join(&c->processes, c->recording->fd, name, &why);
}

/* "spare.PID.NUMBER": the file of a process that has claimed it gets the name of one. */
static void join_spare(struct collector *c, const char *name)
{
	char claimed[64];
	const size_t maker = processes_spare(&c->processes, c->recording->fd, name, claimed);
	if (maker != SIZE_MAX)
		c->processes.process[maker].makes_spares = true;
	if (*claimed != '\0' && renameat(c->recording->fd, name, c->recording->fd, claimed) == 0)
		join_process(c, claimed);
}

/* A process that another iotrace record has added, and its program. */
static void add_joined(struct collector *c, const char *name)
{
	char program[PATH_MAX];
	uint64_t pid;
	const char *digits = strchr(name, '.') + 1;
	const int fd =
	    openat(c->recording->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	const ssize_t n = fd >= 0 ? full_read(fd, program, sizeof(program) - 1, 0) : -1;
	if (fd >= 0)
		(void)close(fd);
	(void)unlinkat(c->recording->fd, name, 0);
	if (n < 0 || !number_decimal(digits, strlen(digits), &pid) || pid > INT32_MAX)
		return;
	program[n] = '\0';
	collector_expect(c, (uint32_t)pid, program);
}

static void note_children(struct collector *c, uint32_t parent, const struct iot_event *ev,
			  size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct record_child child;
		const struct iot_text text = ev[i].text;
		if (ev[i].kind != RING_RAW || text.size < sizeof(child))
			continue;
		memcpy(&child, text.data, sizeof(child));
		if (child.head.kind == RECORD_CHILD)
			(void)processes_expect(&c->processes, child.pid, parent);
	}
}

static struct ring_decoder decoder_of(struct collector *c, uint32_t process, uint32_t thread)
{
	return (struct ring_decoder){.zero = c->zero,
				     .now = clock_map_now(c->clock),
				     .skew = c->skew,
				     .process = process,
				     .thread = thread,
				     .flags = c->flags};
}

static int add_damage(struct collector *c, uint32_t process)
{
	return add_own(c, (struct iot_event){.kind = RING_LOST,
					     .rec = {.process = process, .type = RING_DAMAGED}});
}

/* Adds ring records of a process that are in no ring. */
static int add_records(struct collector *c, uint32_t process, const unsigned char *data, size_t n)
{
	const struct ring_decoder d = decoder_of(c, process, process);
	int status = IOT_OK;
	while (n > 0 && status == IOT_OK) {
		size_t used;
		const int count = ring_decode(&d, data, n, c->order.batch, &used);
		if (count < 0 || used == 0)
			return add_damage(c, process);
		note_children(c, c->processes.process[process].pid, c->order.batch, (size_t)count);
		status = event_order_add(&c->order, c->order.batch, (size_t)count);
		data += used;
		n -= used;
	}
	return status;
}

/* "event.PID.NUMBER"; the file of a process that has not joined is left for the next time. */
static void read_event(struct collector *c, const char *name)
{
	_Alignas(8) unsigned char record[RECORD_SIZE_MAX];
	const char *digits = strchr(name, '.') + 1;
	uint64_t pid;
	if (!number_decimal(digits, strcspn(digits, "."), &pid) || pid > INT32_MAX)
		return;
	const size_t process = processes_find(&c->processes, (uint32_t)pid);
	if (process == SIZE_MAX || c->processes.process[process].start == 0)
		return;
	const int fd =
	    openat(c->recording->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	const ssize_t n = fd >= 0 ? full_read(fd, record, sizeof(record), 0) : -1;
	if (fd >= 0)
		(void)close(fd);
	(void)unlinkat(c->recording->fd, name, 0);
	if (n <= 0)
		return;
	c->processes.process[process].received++;
	c->processes.process[process].received_others++;
	(void)add_records(c, (uint32_t)process, record, (size_t)n);
}

/* Reads the path that a file of a process has, and removes the file. Returns false if it has none. */
static bool take_path(const struct collector *c, const char *name, char path[PATH_MAX])
{
	const int fd =
	    openat(c->recording->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	const ssize_t n = fd >= 0 ? full_read(fd, path, PATH_MAX - 1, 0) : -1;
	if (fd >= 0)
		(void)close(fd);
	(void)unlinkat(c->recording->fd, name, 0);
	path[n > 0 ? n : 0] = '\0';
	return path[0] == '/';
}

/* "library.PID.NUMBER": the process may have another root. */
static void provide_sites(struct collector *c, const char *name)
{
	static const char program[] = "/proc/self/exe";
	char path[PATH_MAX], seen[PATH_MAX + 64];
	const char *digits = strchr(name, '.') + 1;
	uint64_t pid;
	if (!number_decimal(digits, strcspn(digits, "."), &pid) || !take_path(c, name, path))
		return;
	if (strcmp(path, program) == 0)
		(void)snprintf(seen, sizeof(seen), "/proc/%ju/exe", (uintmax_t)pid);
	else
		(void)snprintf(seen, sizeof(seen), "/proc/%ju/root%s", (uintmax_t)pid, path);
	(void)sites_provide(c->recording->fd, access(seen, R_OK) == 0 ? seen : path);
}

static void each_file(struct collector *c, DIR *d, const char *prefix,
		      void (*found)(struct collector *, const char *))
{
	const struct dirent *e;
	rewinddir(d);
	while ((e = readdir(d)) != NULL)
		if (begins(e->d_name, prefix))
			found(c, e->d_name);
}

static int read_directory(struct collector *c)
{
	const int fd = openat(c->recording->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	if (d == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return error_system(&c->error, errno, "%s: cannot be read", c->recording->path);
	}
	each_file(c, d, "joined.", add_joined);
	each_file(c, d, "process.", join_process);
	each_file(c, d, "spare.", join_spare);
	each_file(c, d, "ring.", open_ring);
	each_file(c, d, "spare.", open_ring);
	each_file(c, d, "event.", read_event);
	each_file(c, d, "library.", provide_sites);
	(void)closedir(d);
	return IOT_OK;
}

/*
 * Reads the directory if files were added since the last time. A ring whose process joins while the
 * directory is read is found next time, as `files` is incremented after that.
 */
static int find_rings(struct collector *c)
{
	const uint32_t files = atomic_load(&c->recording->control->files);
	if (files == c->files)
		return IOT_OK;
	c->files = files;
	const int status = read_directory(c);
	atomic_store(&c->recording->control->searched, files);
	return status;
}

/* Draining */

/* A ring with an invalid record is read no more: its producer must not wait for space, though. */
static int give_up(struct collector *c, struct ring *r)
{
	const bool reported = r->failed;
	r->failed = true;
	r->tail = atomic_load(&r->header->head);
	return reported ? IOT_OK : add_loss(c, r, RING_DAMAGED, 0);
}

/* The growth of a counter, which a process may have damaged. */
static uint64_t growth(_Atomic uint64_t *counter, uint64_t *reported)
{
	const uint64_t now = atomic_load_explicit(counter, memory_order_relaxed),
		       before = *reported;
	*reported = now;
	return now > before ? now - before : 0;
}

static int report_dropped(struct collector *c, struct ring *r)
{
	const uint64_t records = growth(&r->header->dropped, &r->dropped),
		       bytes = growth(&r->header->dropped_bytes, &r->dropped_bytes),
		       others = growth(&r->header->dropped_others, &r->dropped_others);
	if (records + others == 0)
		return IOT_OK;
	return add_own(c, (struct iot_event){.kind = RING_LOST,
					     .rec = {.process = r->process,
						     .type = RING_DROPPED,
						     .offset = records,
						     .length = bytes,
						     .object = (uint32_t)others}});
}

/* Threads beyond the limit are recorded as their process. */
static void find_thread(struct collector *c, struct ring *r, const unsigned char *data, size_t n)
{
	const uint32_t tid = ring_new_thread(data, n);
	if (tid == 0)
		return;
	const size_t thread = processes_thread(&c->processes, r->process, tid);
	r->thread = thread == SIZE_MAX ? r->process : (uint32_t)thread;
}

/*
 * Decodes the records of a ring that start before d->until, the others as well if one of them may
 * start before. Returns 0 if an invalid one follows, -1 if the rest stays in the ring.
 */
static int decode_some(struct collector *c, struct ring *r, struct ring_decoder *d, size_t n,
		       size_t max_left, size_t *used)
{
	const unsigned char *data = r->data + (r->tail & (r->size - 1));
	struct iot_event *out = event_order_next(&c->order);
	if (c->per_thread)
		find_thread(c, r, data, n);
	d->thread = r->thread;
	int count = ring_decode(d, data, n, out, used);
	if (count == 0 && *used == 0 && d->until != 0) {
		if (n <= max_left && ring_in_order(r, n))
			return -1;
		d->until = 0;
		count = ring_decode(d, data, n, out, used);
	}
	if (count < 0 || *used == 0)
		return 0;
	note_children(c, r->pid, out, (size_t)count);
	c->order.count += (size_t)count;
	return 1;
}

/* Records that start at `until` or later stay in the ring if they are in order; 0: none. */
static int drain(struct collector *c, struct ring *r, uint64_t until, size_t max_left)
{
	const bool failed = r->failed;
	if (r->data == NULL)
		return report_dropped(c, r);
	size_t n = ring_available(r);
	struct ring_decoder d = decoder_of(c, r->process, r->thread);
	int status = IOT_OK;
	d.until = until;
	while (n > 0 && status == IOT_OK) {
		size_t used;
		const int decoded = decode_some(c, r, &d, n, max_left, &used);
		if (decoded == 0) {
			r->failed = failed;
			return give_up(c, r);
		}
		if (decoded < 0)
			break;
		c->drained += used;
		r->tail += used;
		n -= used;
		if (event_order_is_full(&c->order))
			status = copy_events(c);
	}
	if (r->failed) {
		r->failed = failed;
		return give_up(c, r);
	}
	return status == IOT_OK ? report_dropped(c, r) : status;
}

/*
 * Lowers the watermark to the mark of a ring, which is read before the ring's head. An operation may
 * wait for hours, as flock does, and a process may be stopped in a transfer: their records come late
 * rather than holding back all others.
 */
static uint64_t oldest(const struct collector *c, const struct ring *r, uint64_t watermark)
{
	const uint64_t mark = atomic_load_explicit(&r->header->in_flight, memory_order_acquire);
	const uint64_t limit = (mark & 1) != 0 ? c->operation : c->transfer;
	return mark == 0 || mark >= watermark || watermark - mark > limit ? watermark : mark;
}

/* Packets */

/* Finds the process of a packet, which may have joined since the directory was read. */
static size_t process_of_packet(struct collector *c, uint32_t pid)
{
	size_t process = processes_find(&c->processes, pid);
	if (process != SIZE_MAX && c->processes.process[process].start != 0)
		return process;
	if (read_directory(c) != IOT_OK)
		return SIZE_MAX;
	process = processes_find(&c->processes, pid);
	return process != SIZE_MAX && c->processes.process[process].start != 0 ? process : SIZE_MAX;
}

static bool is_other(const struct packet *p)
{
	return p->kind == PACKET_OPEN || p->kind == PACKET_CLOSE;
}

static int add_packet(struct collector *c, const struct packet *p)
{
	unsigned char records[PACKET_PIPE_RECORDS_MAX];
	const size_t index = process_of_packet(c, p->process);
	if (index == SIZE_MAX)
		return c->error.status != IOT_OK ? c->error.status : add_damage(c, 0);
	struct process *process = &c->processes.process[index];
	const bool is_next = p->kind == PACKET_START || p->sequence == process->sequence;
	process->sequence = p->sequence + 1;
	if (p->kind == PACKET_WATERMARK)
		process->mark = packet_word(p, 0);
	process->received += p->entries + is_other(p);
	process->received_others += is_other(p);
	const size_t n = packet_pipe_records(p, records);
	const int status = is_next ? IOT_OK : add_damage(c, (uint32_t)index);
	return status == IOT_OK && n > 0 ? add_records(c, (uint32_t)index, records, n) : status;
}

static int drain_packets(struct collector *c)
{
	struct packet p;
	int status = IOT_OK;
	if (c->packets.fd < 0)
		return IOT_OK;
	packet_pipe_begin(&c->packets);
	c->drained += c->packets.unread;
	while (status == IOT_OK && packet_pipe_next(&c->packets, &p)) {
		if (c->packets.scan.bad > 0)
			status = add_damage(c, 0);
		c->packets.scan.bad = 0;
		if (status == IOT_OK)
			status = add_packet(c, &p);
	}
	return status;
}

/* Counts the ring records of each process. Those that have not left it are not in the pipe. */
static void count_made(struct collector *c)
{
	for (size_t i = 0; i < c->rings; i++)
		c->processes.process[c->ring[i].process].made =
		    c->processes.process[c->ring[i].process].made_others = 0;
	for (size_t i = 0; i < c->rings; i++) {
		const struct record_ring *h = c->ring[i].header;
		struct process *p = &c->processes.process[c->ring[i].process];
		p->made += atomic_load(&h->made);
		p->made_others += atomic_load(&h->made_others);
	}
}

/* Lowers the watermark to the marks of processes that have not sent all. */
static uint64_t oldest_unsent(struct collector *c, uint64_t watermark)
{
	if (c->packets.fd < 0)
		return watermark;
	count_made(c);
	for (size_t i = 0; i < c->rings; i++) {
		const struct process *p = &c->processes.process[c->ring[i].process];
		if (p->shared != NULL && p->mark < watermark && p->made != p->received)
			watermark = p->mark;
	}
	return watermark;
}

/* The difference of two counters, which a process may have damaged. */
static uint64_t excess(uint64_t a, uint64_t b)
{
	return a > b && a - b <= UINT32_MAX ? a - b : 0;
}

/* Rings that the program removed, or that could not be opened. */
static int report_missing(struct collector *c, uint32_t index)
{
	const struct process *p = &c->processes.process[index];
	if (p->shared == NULL || excess(atomic_load(&p->shared->rings), p->rings) == 0)
		return IOT_OK;
	return add_damage(c, index);
}

static int report_unsent(struct collector *c, uint32_t index)
{
	const struct process *p = &c->processes.process[index];
	if (c->packets.fd < 0 || p->shared == NULL)
		return IOT_OK;
	count_made(c);
	const uint64_t records = excess(p->made - p->made_others, p->received - p->received_others),
		       others = excess(p->made_others, p->received_others);
	if (records + others == 0)
		return IOT_OK;
	return add_own(c, (struct iot_event){.kind = RING_LOST,
					     .rec = {.process = index,
						     .type = RING_UNSENT,
						     .offset = records,
						     .object = (uint32_t)others}});
}

/* Writes the events before a time of the clock. */
static int write_until(struct collector *c, uint64_t time)
{
	return write_events(c, (int64_t)(time - c->zero));
}

/* An invalid head is found when its ring is drained. */
static uint64_t available_bytes(const struct collector *c)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < c->rings; i++) {
		const struct ring *r = &c->ring[i];
		const uint64_t n =
		    atomic_load_explicit(&r->header->head, memory_order_relaxed) - r->tail;
		bytes += r->data != NULL && n <= r->size ? n : 0;
	}
	return bytes;
}

/* last: leaves at most a quarter of each ring, so that programs need not wait. */
static int drain_rings(struct collector *c, uint64_t until, bool last)
{
	int status = IOT_OK;
	for (size_t i = 0; i < c->rings && status == IOT_OK; i++)
		status = drain(c, &c->ring[i], until, last ? c->ring[i].size / 4 : c->ring[i].size);
	return status;
}

/* Writes events of rings before the watermark, in slices of time. The last slice is the caller's. */
static int write_slices(struct collector *c, uint64_t from)
{
	const uint64_t slices = available_bytes(c) / SLICE + 1;
	const uint64_t length = (c->watermark - from) / slices;
	int status = IOT_OK;
	for (uint64_t i = 1; i < slices && status == IOT_OK; i++) {
		status = drain_rings(c, from + i * length, false);
		if (status == IOT_OK)
			status = write_until(c, from + i * length);
	}
	return status;
}

/* all: leaves nothing in the rings. */
static int drain_all(struct collector *c, bool all)
{
	const uint64_t from = c->watermark;
	uint64_t watermark = clock_map_now(c->clock) - c->slack;
	int status = find_rings(c);
	for (size_t i = 0; i < c->rings; i++)
		watermark = oldest(c, &c->ring[i], watermark);
	watermark = oldest_unsent(c, watermark);
	if (watermark > c->watermark)
		c->watermark = watermark;
	if (status == IOT_OK)
		status = write_slices(c, from);
	if (status == IOT_OK)
		status = drain_rings(c, all ? 0 : c->watermark, true);
	return status == IOT_OK ? drain_packets(c) : status;
}

/* The end of processes */

static int close_rings(struct collector *c, uint32_t process)
{
	size_t kept = 0;
	int status = IOT_OK;
	for (size_t i = 0; i < c->rings; i++) {
		struct ring *r = &c->ring[i];
		if (r->process != process) {
			c->ring[kept++] = *r;
			continue;
		}
		if (status == IOT_OK && !c->processes.process[process].alive &&
		    atomic_load(&r->header->in_flight) != 0)
			status = add_loss(c, r, RING_KILLED, 1);
		ring_close(r);
	}
	c->rings = kept;
	return status;
}

static void remove_spares(struct collector *c, uint32_t index)
{
	char prefix[32];
	const int fd = openat(c->recording->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *e;
	if (d == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return;
	}
	(void)snprintf(prefix, sizeof(prefix), "spare.%u.", c->processes.process[index].pid);
	while ((e = readdir(d)) != NULL)
		if (begins(e->d_name, prefix))
			(void)unlinkat(fd, e->d_name, 0);
	(void)closedir(d);
	c->processes.process[index].makes_spares = false;
	atomic_fetch_sub(&c->recording->control->makers, 1);
}

/* Removes the spares of a process that ended, or of the ancestor that it was the last to use. */
static void release_spares(struct collector *c, uint32_t index)
{
	for (size_t i = index, depth = 0; i != SIZE_MAX && depth < ANCESTORS_MAX; depth++) {
		const struct process *p = &c->processes.process[i];
		if (p->makes_spares && !p->alive && !processes_has_descendant(&c->processes, i))
			remove_spares(c, (uint32_t)i);
		i = processes_find(&c->processes, p->parent);
	}
}

/* Called after the rings have been drained since the process ended. */
static int end_process(struct collector *c, uint32_t index)
{
	uint64_t counter[RECORD_COUNTER_COUNT] = {0};
	const struct record_process *shared = c->processes.process[index].shared;
	int status = report_unsent(c, index);
	if (status == IOT_OK)
		status = report_missing(c, index);
	if (status == IOT_OK)
		status = close_rings(c, index);
	for (size_t i = 0; shared != NULL && i < RECORD_COUNTER_COUNT; i++)
		counter[i] = atomic_load(&shared->counter[i]);
	if (status == IOT_OK)
		status = add_own(
		    c, (struct iot_event){.kind = RING_ENDED,
					  .rec = {.process = index},
					  .text = {(const char *)counter, sizeof(counter)}});
	processes_release(&c->processes, index, c->recording->fd);
	release_spares(c, index);
	return status;
}

/* Little is left to write when the program ends, and an idle one costs little. */
static void choose_wait(struct collector *c)
{
	c->wait_ms = c->drained > BUSY ? WAIT_MIN_MS : c->wait_ms * 2;
	if (c->wait_ms > WAIT_MAX_MS)
		c->wait_ms = WAIT_MAX_MS;
	c->drained = 0;
}

int collector_step(struct collector *c, int fd)
{
	struct pollfd extra[] = {{.fd = fd, .events = POLLIN},
				 {.fd = c->doorbell.fd, .events = POLLIN}};
	if (!processes_wait(&c->processes, extra, 2, c->wait_ms, c->ended, &c->ended_count,
			    ENDED_MAX))
		return error_system(&c->error, errno, "cannot wait for the program");
	atomic_store(&c->recording->control->heartbeat, clock_monotonic_ns());
	clock_map_sample(c->clock);
	doorbell_answer(&c->doorbell);
	int status = drain_all(c, c->ended_count > 0);
	choose_wait(c);
	if (status == IOT_OK)
		status = write_until(c, c->watermark);
	for (size_t i = 0; i < c->ended_count && status == IOT_OK; i++)
		status = end_process(c, c->ended[i]);
	c->ended_count = 0;
	return status;
}

static int interrupt_process(struct collector *c, uint32_t index)
{
	const int status =
	    add_own(c, (struct iot_event){.kind = RING_LOST,
					  .rec = {.process = index, .type = RING_INTERRUPTED}});
	return status == IOT_OK ? end_process(c, index) : status;
}

/* The directory is read even if a process was killed before it counted its file. */
int collector_finish(struct collector *c)
{
	int status = read_directory(c);
	if (status == IOT_OK)
		status = drain_all(c, true);
	if (status == IOT_OK)
		status = copy_events(c);
	for (size_t i = 0; i < c->processes.count && status == IOT_OK; i++)
		if (c->processes.process[i].shared != NULL)
			status = interrupt_process(c, (uint32_t)i);
	clock_map_sample(c->clock);
	return status == IOT_OK ? event_order_end(&c->order) : status;
}
