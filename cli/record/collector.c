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
#include <inttypes.h>
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
#include "replay.h"
#include "ring.h"
#include "sites.h"

/* For how long records wait for calls that started before them. */
#define OPERATION_NS UINT64_C(1000000000)
#define TRANSFER_NS  UINT64_C(10000000000)

enum {
	RINGS_MAX = 1 << 14,
	RINGS_EVER = 1 << 28, /* serial numbers */
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
	struct spool *spool;               /* NULL: events are written at once */
	struct replay *replay;             /* converts what the spool has */
	bool replays;                      /* the spool is full: entries are converted at once */
	struct spooled_ring *spooled_ring; /* in collector_resume(), by serial number */
	size_t spooled_ring_capacity;
	size_t spooled;  /* processes that the spool has */
	uint32_t serial; /* of the latest ring in the spool */
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

/* The spool */

/* Converts the entries that the spool has and, as it is full, from now on those that follow. */
static int convert_spool(struct collector *c)
{
	struct spool_entry e;
	const void *data;
	int status = IOT_OK, found = 0;
	c->replays = true;
	while (status == IOT_OK && (found = spool_next(c->spool, &e, &data)) > 0) {
		status = replay_entry(c->replay, &e, data);
		if (e.kind == SPOOL_STEP)
			atomic_store(&c->recording->control->heartbeat, clock_monotonic_ns());
	}
	if (found < 0)
		status = error_set(&c->error, IOT_EIO, "the spool has an invalid entry");
	return status;
}

/* Ends spooling: converts the entries of the spool and deletes it. */
static int leave_spool(struct collector *c)
{
	int status = convert_spool(c);
	if (status == IOT_OK)
		status = replay_copy(c->replay);
	(void)unlinkat(c->recording->fd, "spool", 0);
	spool_close(c->spool);
	return status;
}

static int spool_entry(struct collector *c, const struct spool_entry *e, const void *data)
{
	if (!c->replays && spool_append(c->spool, e, data))
		return IOT_OK;
	const int status = c->replays ? IOT_OK : leave_spool(c);
	return status == IOT_OK ? replay_entry(c->replay, e, data) : status;
}

/* Spools new processes before any entry that refers to them. */
static int spool_processes(struct collector *c)
{
	int status = IOT_OK;
	for (; c->spooled < c->processes.count && status == IOT_OK; c->spooled++) {
		const struct process *p = &c->processes.process[c->spooled];
		const struct spool_process entry = {p->pid, p->parent, p->namespace};
		status = spool_entry(c,
				     &(struct spool_entry){.kind = SPOOL_PROCESS,
							   .process = (uint32_t)c->spooled,
							   .size = sizeof(entry)},
				     &entry);
	}
	return status;
}

static int spool_program(struct collector *c, uint32_t process, const char *program)
{
	char text[PATH_MAX + 8] = "";
	(void)snprintf(text, PATH_MAX, "%s", program);
	const int status = spool_processes(c);
	const struct spool_entry e = {
	    .kind = SPOOL_EXPECT, .process = process, .size = spool_size(strlen(text) + 1)};
	return status == IOT_OK ? spool_entry(c, &e, text) : status;
}

/* ev->rec.file: the serial number of its ring */
static int spool_event(struct collector *c, const struct iot_event *ev)
{
	struct {
		struct spool_event event;
		uint64_t counter[RECORD_COUNTER_COUNT];
	} data = {.event = {.kind = ev->kind,
			    .text_size = (uint32_t)ev->text.size,
			    .start = c->processes.process[ev->rec.process].start,
			    .rec = ev->rec}};
	const int status = spool_processes(c);
	const struct spool_entry e = {.kind = SPOOL_EVENT,
				      .process = ev->rec.process,
				      .size = sizeof(data.event) + ev->text.size,
				      .ring = ev->rec.file};
	if (ev->text.size > 0)
		memcpy(data.counter, ev->text.data, ev->text.size);
	return status == IOT_OK ? spool_entry(c, &e, &data) : status;
}

/* What has been gathered is complete up to here. */
static int spool_step(struct collector *c)
{
	const struct clock_sample sample = c->clock->sample[c->clock->count - 1];
	const struct spool_entry e = {
	    .kind = SPOOL_STEP, .size = sizeof(sample), .time = c->watermark};
	return spool_entry(c, &e, &sample);
}

static bool start_writing(struct collector *c, struct iot_writer *w,
			  const struct collector_options *o)
{
	if (o->spool != NULL) {
		const struct replay_options options = {o->memory, o->per_thread, &o->events};
		c->replay = replay_new(o->begin, w, &options);
		return c->replay != NULL;
	}
	c->events = ring_events_new(w, &c->processes, c->clock, &o->events);
	return event_order_init(&c->order, o->memory, c->events) && c->events != NULL;
}

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
	c->spool = o->spool;
	c->flags = r->control->cpu == RECORD_CPU_NONE ? IOT_CPU_UNKNOWN : 0;
	const bool can_write = start_writing(c, w, o);
	ring_survive_truncation();
	doorbell_start(&c->doorbell, &r->control->doorbell, &r->control->heartbeat);
	if (can_write)
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
	free(c->spooled_ring);
	event_order_free(&c->order);
	ring_events_free(c->events);
	replay_free(c->replay);
	processes_free(&c->processes);
	free(c);
}

void collector_expect(struct collector *c, uint32_t pid, const char *program)
{
	const size_t index = processes_expect(&c->processes, pid, 0);
	if (index == SIZE_MAX)
		return;
	if (c->spool == NULL)
		ring_events_expect(c->events, (uint32_t)index, program);
	else
		(void)spool_program(c, (uint32_t)index, program);
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
	if (c->error.status != IOT_OK)
		return c->error.text;
	return c->spool != NULL ? replay_error(c->replay) : c->order.error.text;
}

uint64_t collector_late(const struct collector *c)
{
	return c->spool != NULL ? replay_late(c->replay) : c->order.late;
}

const struct ring_events_totals *collector_totals(const struct collector *c)
{
	return c->spool != NULL ? replay_totals(c->replay) : ring_events_totals(c->events);
}

/* Sorting */

/* An event of the collector itself, which no earlier event may follow. */
static int add_own(struct collector *c, struct iot_event ev)
{
	ev.rec.start_ns = (int64_t)(clock_map_now(c->clock) - c->zero);
	if (c->spool != NULL)
		return spool_event(c, &ev);
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

static void name_taken(char name[32], uint32_t serial)
{
	(void)snprintf(name, 32, "taken.%" PRIu32, serial);
}

/* A ring with a spool has a name until the end of its process has been spooled. */
static void keep_ring(struct collector *c, struct ring *r, const char *name)
{
	char taken[32];
	r->serial = ++c->serial;
	name_taken(taken, r->serial);
	(void)renameat(c->recording->fd, name, c->recording->fd, taken);
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
	c->processes.process[process].rings++;
	if (c->spool != NULL)
		keep_ring(c, &r, name);
	else
		(void)unlinkat(c->recording->fd, name, 0);
	c->ring[c->rings++] = r;
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

/* Opens the directory of the recording. Returns NULL after storing the error. */
static DIR *open_directory(struct collector *c)
{
	const int fd = openat(c->recording->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	if (d == NULL) {
		(void)error_system(&c->error, errno, "%s: cannot be read", c->recording->path);
		if (fd >= 0)
			(void)close(fd);
	}
	return d;
}

static int read_directory(struct collector *c)
{
	DIR *d = open_directory(c);
	if (d == NULL)
		return c->error.status;
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

/* A collector that continues */

/* What the spool has of a ring, by its serial number. */
struct spooled_ring {
	uint64_t end, dropped, dropped_bytes, dropped_others;
};

static int restore_event(struct collector *c, const struct spool_entry *e, const void *data,
			 struct spooled_ring *ring)
{
	struct spool_event event;
	if (e->size < sizeof(event) || e->process >= c->processes.count)
		return error_set(&c->error, IOT_EFORMAT, "the spool has an invalid event");
	memcpy(&event, data, sizeof(event));
	struct process *p = &c->processes.process[e->process];
	if (event.kind == RING_ENDED) {
		p->ended = true;
		p->start = event.start;
	} else if (event.rec.type == RING_DROPPED) {
		ring->dropped += event.rec.offset;
		ring->dropped_bytes += event.rec.length;
		ring->dropped_others += event.rec.object;
	}
	return IOT_OK;
}

static int restore_process(struct collector *c, const struct spool_entry *e, const void *data)
{
	struct spool_process p;
	if (e->size != sizeof(p))
		return error_set(&c->error, IOT_EFORMAT, "the spool has an invalid process");
	memcpy(&p, data, sizeof(p));
	if (processes_restore(&c->processes, p.pid, p.parent, p.namespace) == SIZE_MAX)
		return error_set(&c->error, IOT_EFORMAT, "the spool has an invalid process");
	c->spooled++;
	return IOT_OK;
}

static int restore_entry(struct collector *c, const struct spool_entry *e, const void *data)
{
	struct clock_sample sample;
	if (e->ring > RINGS_EVER ||
	    !array_reserve_index(&c->spooled_ring, &c->spooled_ring_capacity, e->ring,
				 sizeof(*c->spooled_ring)))
		return error_set(&c->error, IOT_EFORMAT, "the spool has an invalid ring");
	struct spooled_ring *ring = &c->spooled_ring[e->ring];
	switch (e->kind) {
	case SPOOL_PROCESS:
		return restore_process(c, e, data);
	case SPOOL_RING:
		ring->end = e->position + e->size;
		return IOT_OK;
	case SPOOL_EVENT:
		return restore_event(c, e, data, ring);
	case SPOOL_STEP:
		memcpy(&sample, data, e->size < sizeof(sample) ? e->size : sizeof(sample));
		clock_map_add(c->clock, sample);
		c->watermark = e->time;
		return IOT_OK;
	default:
		return IOT_OK;
	}
}

/* Applies all entries up to the last step, and then lets the spool grow from there. */
static int restore_spool(struct collector *c)
{
	struct spool_entry e;
	const void *data;
	int status = IOT_OK;
	while (spool_next(c->spool, &e, &data) > 0)
		;
	if (!spool_cut(c->spool))
		return error_system(&c->error, errno, "the spool cannot be shortened");
	while (status == IOT_OK && spool_next(c->spool, &e, &data) > 0)
		status = restore_entry(c, &e, data);
	if (status == IOT_OK && !spool_cut(c->spool))
		status = error_system(&c->error, errno, "the spool cannot be shortened");
	return status;
}

/* "taken.SERIAL" */
static void reopen_ring(struct collector *c, const char *name)
{
	uint64_t serial;
	struct ring r;
	const char *digits = strchr(name, '.') + 1;
	if (!number_decimal(digits, strlen(digits), &serial) || serial > RINGS_EVER)
		return;
	if (serial > c->serial)
		c->serial = (uint32_t)serial;
	if (c->rings == RINGS_MAX ||
	    !array_reserve(&c->ring, &c->ring_capacity, c->rings + 1, sizeof(*c->ring)) ||
	    ring_open(&r, c->recording->fd, name) != NULL)
		return;
	const size_t process = processes_joined(&c->processes, r.pid, r.start);
	if (process == SIZE_MAX || c->processes.process[process].ended) {
		ring_close(&r);
		(void)unlinkat(c->recording->fd, name, 0);
		return;
	}
	r.serial = (uint32_t)serial;
	r.process = r.thread = (uint32_t)process;
	if (serial < c->spooled_ring_capacity) {
		const struct spooled_ring *s = &c->spooled_ring[serial];
		r.tail = s->end;
		r.dropped = s->dropped;
		r.dropped_bytes = s->dropped_bytes;
		r.dropped_others = s->dropped_others;
	}
	c->processes.process[process].rings++;
	c->ring[c->rings++] = r;
}

static int reopen_directory(struct collector *c)
{
	DIR *d = open_directory(c);
	if (d == NULL)
		return c->error.status;
	each_file(c, d, "process.", join_process);
	each_file(c, d, "spare.", join_spare);
	each_file(c, d, "taken.", reopen_ring);
	(void)closedir(d);
	return IOT_OK;
}

int collector_resume(struct collector *c, uint64_t began)
{
	c->processes.began = began;
	c->processes.resumed = true;
	int status = restore_spool(c);
	for (size_t i = 0; i < c->processes.count && status == IOT_OK; i++)
		if (!c->processes.process[i].ended && !processes_await_end(&c->processes, i))
			status = error_set(&c->error, IOT_ENOMEM, "out of memory");
	if (status == IOT_OK)
		status = reopen_directory(c);
	free(c->spooled_ring);
	c->spooled_ring = NULL;
	c->processes.resumed = false;
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
						     .file = r->serial,
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

/* Returns the bytes of valid records, and expects the children that these announce. */
static size_t scan_records(struct collector *c, const struct ring *r, const unsigned char *data,
			   size_t n)
{
	struct record_child child;
	size_t at = 0;
	for (size_t size; at < n && (size = ring_record_size(data + at, n - at)) > 0; at += size) {
		if (size < sizeof(child) ||
		    data[at + offsetof(struct record_head, kind)] != RECORD_CHILD)
			continue;
		memcpy(&child, data + at, sizeof(child));
		(void)processes_expect(&c->processes, child.pid, r->pid);
	}
	return at;
}

static int spool_ring(struct collector *c, struct ring *r)
{
	const bool failed = r->failed;
	const size_t n = r->data != NULL ? ring_available(r) : 0;
	const unsigned char *const data = r->data + (r->tail & (r->size - 1));
	const size_t valid = n > 0 ? scan_records(c, r, data, n) : 0;
	const struct spool_entry e = {.kind = SPOOL_RING,
				      .process = r->process,
				      .size = valid,
				      .ring = r->serial,
				      .position = r->tail,
				      .time = clock_map_now(c->clock)};
	int status = valid > 0 ? spool_processes(c) : IOT_OK;
	if (status == IOT_OK && valid > 0)
		status = spool_entry(c, &e, data);
	c->drained += valid;
	r->tail += valid;
	if (status == IOT_OK && (r->failed || valid < n)) {
		r->failed = failed;
		status = give_up(c, r);
	}
	return status == IOT_OK ? report_dropped(c, r) : status;
}

static int spool_rings(struct collector *c)
{
	int status = IOT_OK;
	for (size_t i = 0; i < c->rings && status == IOT_OK; i++)
		status = spool_ring(c, &c->ring[i]);
	return status;
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
	if (c->spool != NULL)
		return status == IOT_OK ? spool_rings(c) : status;
	if (status == IOT_OK)
		status = write_slices(c, from);
	if (status == IOT_OK)
		status = drain_rings(c, all ? 0 : c->watermark, true);
	return status == IOT_OK ? drain_packets(c) : status;
}

/* The end of processes */

static int report_killed(struct collector *c, uint32_t process)
{
	int status = IOT_OK;
	for (size_t i = 0; i < c->rings && status == IOT_OK; i++)
		if (c->ring[i].process == process && !c->processes.process[process].alive &&
		    atomic_load(&c->ring[i].header->in_flight) != 0)
			status = add_loss(c, &c->ring[i], RING_KILLED, 1);
	return status;
}

static void close_rings(struct collector *c, uint32_t process)
{
	size_t kept = 0;
	for (size_t i = 0; i < c->rings; i++) {
		struct ring *r = &c->ring[i];
		char taken[32];
		if (r->process != process) {
			c->ring[kept++] = *r;
			continue;
		}
		name_taken(taken, r->serial);
		if (c->spool != NULL)
			(void)unlinkat(c->recording->fd, taken, 0);
		ring_close(r);
	}
	c->rings = kept;
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
static int report_end(struct collector *c, uint32_t index)
{
	uint64_t counter[RECORD_COUNTER_COUNT] = {0};
	const struct record_process *shared = c->processes.process[index].shared;
	int status = report_unsent(c, index);
	if (status == IOT_OK)
		status = report_missing(c, index);
	if (status == IOT_OK)
		status = report_killed(c, index);
	for (size_t i = 0; shared != NULL && i < RECORD_COUNTER_COUNT; i++)
		counter[i] = atomic_load(&shared->counter[i]);
	if (status == IOT_OK)
		status = add_own(
		    c, (struct iot_event){.kind = RING_ENDED,
					  .rec = {.process = index},
					  .text = {(const char *)counter, sizeof(counter)}});
	return status;
}

/* Its end has been reported, and is in the spool. */
static void release_process(struct collector *c, uint32_t index)
{
	close_rings(c, index);
	processes_release(&c->processes, index, c->recording->fd);
	release_spares(c, index);
}

/* Rings are released when what they had is complete in the spool. */
static int end_spool_step(struct collector *c)
{
	const int status = spool_step(c);
	if (status == IOT_OK)
		release_rings(c);
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
	if (status == IOT_OK && c->spool == NULL)
		status = write_until(c, c->watermark);
	for (size_t i = 0; i < c->ended_count && status == IOT_OK; i++)
		status = report_end(c, c->ended[i]);
	if (status == IOT_OK && c->spool != NULL)
		status = end_spool_step(c);
	for (size_t i = 0; i < c->ended_count && status == IOT_OK; i++)
		release_process(c, c->ended[i]);
	c->ended_count = 0;
	return status;
}

static int interrupt_process(struct collector *c, uint32_t index)
{
	const int status =
	    add_own(c, (struct iot_event){.kind = RING_LOST,
					  .rec = {.process = index, .type = RING_INTERRUPTED}});
	return status == IOT_OK ? report_end(c, index) : status;
}

/* The file stays until the recording is removed: if this fails, it can be converted again. */
static int finish_spool(struct collector *c)
{
	int status = spool_processes(c);
	if (status == IOT_OK)
		status = end_spool_step(c);
	if (status == IOT_OK && !c->replays)
		status = convert_spool(c);
	return status == IOT_OK ? replay_end(c->replay) : status;
}

/* The directory is read even if a process was killed before it counted its file. */
int collector_finish(struct collector *c)
{
	int status = read_directory(c);
	if (status == IOT_OK)
		status = drain_all(c, true);
	if (status == IOT_OK && c->spool == NULL)
		status = copy_events(c);
	for (size_t i = 0; i < c->processes.count && status == IOT_OK; i++)
		if (c->processes.process[i].shared != NULL)
			status = interrupt_process(c, (uint32_t)i);
	clock_map_sample(c->clock);
	if (status == IOT_OK)
		status = c->spool != NULL ? finish_spool(c) : event_order_end(&c->order);
	for (size_t i = 0; i < c->processes.count && status == IOT_OK; i++)
		if (c->processes.process[i].shared != NULL)
			release_process(c, (uint32_t)i);
	return status;
}
