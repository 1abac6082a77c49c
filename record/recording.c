/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "raw.h"
#include "spares.h"
#include "text.h"

#ifndef MADV_POPULATE_WRITE /* since glibc 2.35 */
#define MADV_POPULATE_WRITE 23
#endif

struct recording_state recording = {.pipe = -1};

enum {
	RING_POPULATED = RECORD_RING_MIN / 4, /* bytes of data of a new ring that have memory */
	NAME_SIZE = 1200,
};

static struct text name_in(char *buffer, const char *kind)
{
	struct text t = text_in(buffer, NAME_SIZE);
	text_add(&t, recording.directory);
	text_add(&t, kind);
	return t;
}

static bool is_for_this_process(const struct record_control *c, uint32_t pid)
{
	return c->magic == RECORD_CONTROL_MAGIC && c->version == RECORD_VERSION &&
	       c->ring_size >= RECORD_RING_MIN && c->ring_size <= RECORD_RING_MAX &&
	       (c->ring_size & (c->ring_size - 1)) == 0 && !c->closed &&
	       (!c->no_follow || c->leader == 0 || c->leader == pid);
}

bool recording_open(const char *directory)
{
	char name[NAME_SIZE];
	struct text t = text_in(recording.directory, sizeof recording.directory);
	text_add(&t, directory);
	name_in(name, "/recording");
	const int fd = raw_open(name, O_RDWR);
	if (fd < 0)
		return false;
	struct record_control *c =
	    raw_map(NULL, RECORD_SHARED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	raw_close(fd);
	recording.joined =
	    raw_map(NULL, RECORD_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (c == NULL || recording.joined == NULL)
		return false;
	recording.pid = (uint32_t)raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
	if (!is_for_this_process(c, recording.pid)) {
		raw_unmap(c, RECORD_SHARED_SIZE);
		return false;
	}
	recording.joining = (_Atomic uint32_t *)recording.joined + 1;
	raw_call(SYS_madvise, (long)recording.joined, RECORD_PAGE, MADV_WIPEONFORK, 0, 0, 0);
	recording.control = c;
	recording.slots = (struct record_description *)((char *)c + RECORD_PAGE);
	if (c->cpu == RECORD_CPU_SAMPLED)
		recording.cpu_step = c->cpu_step > 0 ? c->cpu_step : 1000000;
	recording.counts_ticks = c->clock == RECORD_TSC;
	recording.sends = c->transport == RECORD_PACKETS;
	recording.can_populate = recording_populate((void *)recording.joined, RECORD_PAGE);
	return true;
}

int recording_access(void)
{
	char name[NAME_SIZE];
	name_in(name, "/recording");
	return (int)raw_call(SYS_access, (long)name, R_OK | W_OK, 0, 0, 0, 0);
}

/* Sets *device to the device of the file system. */
static bool read_of_device(const char *path, char *text, size_t size, uint64_t *device)
{
	struct stat s = {.st_dev = 0};
	const int fd = raw_open(path, O_RDONLY);
	const long n = fd < 0 ? -1 : raw_read(fd, text, size - 1);
	if (fd >= 0 && device != NULL && raw_call(SYS_fstat, fd, (long)&s, 0, 0, 0, 0) == 0)
		*device = s.st_dev;
	if (fd >= 0)
		raw_close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	recording.own_reads++;
	recording.own_bytes += (uint64_t)n;
	return true;
}

bool recording_read(const char *path, char *text, size_t size)
{
	return read_of_device(path, text, size, NULL);
}

/* What /proc shows of this process. */
struct proc_identity {
	uint64_t start;     /* see record/ring.h */
	uint64_t namespace; /* inode of its PID namespace; 0: the same as the collector */
};

/* Returns the inode of the PID namespace; 0 if it is unknown, or if the collector is in it. */
static uint64_t other_namespace(void)
{
	struct stat s = {.st_ino = 0};
	const bool known = raw_call(SYS_stat, (long)"/proc/self/ns/pid", (long)&s, 0, 0, 0, 0) == 0;
	return known && s.st_ino != recording.control->namespace ? s.st_ino : 0;
}

static struct proc_identity identify(void)
{
	char line[1024];
	uint64_t device = 0;
	if (!read_of_device("/proc/self/stat", line, sizeof line, &device))
		return (struct proc_identity){clock_now(), other_namespace()};
	const char *p = strrchr(line, ')'); /* the end of field 2 */
	for (int field = 2; p != NULL && field < 22; field++)
		p = strchr(p + 1, ' ');
	const bool is_same_id =
	    device != 0 && device == recording.control->proc && text_number(line) == recording.pid;
	const uint64_t namespace = is_same_id ? 0 : other_namespace();
	return (struct proc_identity){p == NULL ? 0 : text_number(p + 1) ^ namespace << 32,
				      namespace};
}

/* Returns the size beyond which a file must not grow: SIGXFSZ would end the program. */
static uint64_t file_limit(void)
{
	struct rlimit limit = {.rlim_cur = RLIM_INFINITY};
	raw_call(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit, 0, 0);
	return limit.rlim_cur;
}

/* Sets the size of a file, and reserves memory for its first `reserved` bytes. */
static bool grow(int fd, size_t size, size_t reserved)
{
	return size <= file_limit() &&
	       (size == reserved || raw_call(SYS_ftruncate, fd, (long)size, 0, 0, 0, 0) == 0) &&
	       (reserved == 0 || raw_call(SYS_fallocate, fd, 0, 0, (long)reserved, 0, 0) == 0);
}

/* Creates a file of this size, of which `reserved` bytes have memory. Returns -1 if it cannot. */
static int create(const char *name, size_t size, size_t reserved)
{
	const int fd = raw_open(name, O_RDWR | O_CREAT | O_EXCL);
	if (fd < 0 || grow(fd, size, reserved))
		return fd;
	raw_close(fd);
	raw_call(SYS_unlink, (long)name, 0, 0, 0, 0, 0);
	return -1;
}

/* Returns the number of a file that is complete. */
static uint32_t publish(void)
{
	return atomic_fetch_add(&recording.control->files, 1) + 1;
}

/* The start of the process is stored last: a spare file without it is not in use. */
static void process_identify(struct record_process *p, const struct proc_identity *self)
{
	p->pid = recording.pid;
	p->namespace = self->namespace;
	atomic_signal_fence(memory_order_seq_cst); /* processors store in order */
	p->start = self->start;
}

static bool is_grown(int fd)
{
	struct stat s = {.st_size = 0};
	return (raw_call(SYS_fstat, fd, (long)&s, 0, 0, 0, 0) == 0 && s.st_size == RECORD_PAGE) ||
	       grow(fd, RECORD_PAGE, RECORD_PAGE);
}

/*
 * Maps the file of a process, and creates it if there is none: an earlier program of the process
 * may have done so. Returns NULL if that is impossible.
 */
static struct record_process *process_map(const char *name)
{
	const int fd = raw_open(name, O_RDWR | O_CREAT);
	struct record_process *p = NULL;
	if (fd < 0)
		return NULL;
	if (is_grown(fd))
		p = raw_map(NULL, RECORD_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	raw_close(fd);
	if (p == NULL)
		raw_call(SYS_unlink, (long)name, 0, 0, 0, 0, 0);
	return p;
}

/* The collector reads the file of a process that has this number. */
static void process_publish(struct record_process *p)
{
	p->version = RECORD_VERSION;
	atomic_signal_fence(memory_order_seq_cst); /* processors store in order */
	p->magic = RECORD_PROCESS_MAGIC;
	publish();
}

static void process_fill(struct record_process *p, const struct proc_identity *self,
			 uint32_t parent)
{
	p->parent = parent;
	process_identify(p, self);
	process_publish(p);
}

/*
 * Finds or creates the file of this process, or claims a spare one. Returns NULL if there is none.
 */
static struct record_process *process_open(const char *name, const struct proc_identity *self,
					   uint32_t parent)
{
	struct record_process *p = process_map(name);
	if (p == NULL)
		p = spares_claim_process();
	if (p != NULL && p->start == 0)
		process_fill(p, self, parent);
	return p;
}

bool recording_join(uint32_t parent, bool forked)
{
	char name[NAME_SIZE];
	recording.pid = (uint32_t)raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
	if (recording.control->no_follow && recording.control->leader != recording.pid)
		return false;
	const struct proc_identity self = identify();
	struct text t = name_in(name, "/process.");
	text_add_number(&t, recording.pid);
	text_add(&t, ".");
	text_add_number(&t, self.start);
	struct record_process *const p = process_open(name, &self, parent);
	if (p == NULL)
		return false;
	p->forked = forked;
	atomic_fetch_add(&p->programs, 1);
	atomic_store(&p->state, RECORD_RUNNING);
	recording.process = p;
	recording.joins = recording.joins < UINT16_MAX ? recording.joins + 1 : 1;
	*recording.joined = recording.joins;
	return true;
}

/*
 * Maps the header and the data of a ring, and the data a second time after it, in place of what is
 * beyond the end of the file.
 */
static struct record_ring *map_twice(int fd, size_t size)
{
	const size_t once = RECORD_PAGE + size;
	const int protection = PROT_READ | PROT_WRITE;
	char *const all = raw_map(NULL, once + size, protection, MAP_SHARED, fd, 0);
	if (all == NULL)
		return NULL;
	if (raw_map(all + once, size, protection, MAP_SHARED | MAP_FIXED, fd, RECORD_PAGE) != NULL)
		return (struct record_ring *)all;
	raw_unmap(all, once + size);
	return NULL;
}

/*
 * Maps the header, and private data twice. A child of fork has the data, too, until it forgets the
 * rings of its parent.
 */
static struct record_ring *map_private(int fd, size_t size)
{
	const int protection = PROT_READ | PROT_WRITE;
	char *const all =
	    raw_map(NULL, RECORD_PAGE + 2 * size, protection, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (all == NULL)
		return NULL;
	char *const data = all + RECORD_PAGE, *const again = data + size;
	if (raw_map(all, RECORD_PAGE, protection, MAP_SHARED | MAP_FIXED, fd, 0) != NULL &&
	    raw_call(SYS_mremap, (long)data, 0, (long)size, MREMAP_MAYMOVE | MREMAP_FIXED,
		     (long)again, 0) == (long)again)
		return (struct record_ring *)all;
	raw_unmap(all, RECORD_PAGE + 2 * size);
	return NULL;
}

/* Gives memory to pages. A write to a page without memory would raise SIGBUS. */
bool recording_populate(void *at, size_t size)
{
	return raw_call(SYS_madvise, (long)at, (long)size, MADV_POPULATE_WRITE, 0, 0, 0) == 0;
}

/* Returns a ring whose data other processes do not see. */
static struct record_ring *private_ring_create(const char *name, size_t size)
{
	const int fd = create(name, RECORD_PAGE, RECORD_PAGE);
	if (fd < 0)
		return NULL;
	struct record_ring *r = map_private(fd, size);
	raw_close(fd);
	if (r == NULL)
		raw_call(SYS_unlink, (long)name, 0, 0, 0, 0, 0);
	return r;
}

/*
 * Returns a ring with memory for `*populated` bytes of data, which may be more than is asked for.
 */
static struct record_ring *ring_create(const char *name, size_t size, uint64_t *populated)
{
	const bool all = !recording.can_populate || recording.sends;
	if (all)
		*populated = size;
	if (recording.sends)
		return private_ring_create(name, size);
	const int fd = create(name, RECORD_PAGE + size, all ? RECORD_PAGE + size : 0);
	if (fd < 0)
		return NULL;
	struct record_ring *r = map_twice(fd, size);
	raw_close(fd);
	if (r != NULL && (all || recording_populate(r, RECORD_PAGE + *populated)))
		return r;
	if (r != NULL)
		raw_unmap(r, RECORD_PAGE + 2 * size);
	raw_call(SYS_unlink, (long)name, 0, 0, 0, 0, 0);
	return NULL;
}

static uint32_t ring_size(void)
{
	const uint64_t limit = file_limit();
	uint32_t size = recording.control->ring_size;
	while (size > RECORD_RING_MIN && RECORD_PAGE + size > limit)
		size /= 2;
	return size;
}

static void ring_is_published(struct record_ring *r, uint32_t number)
{
	atomic_store(&r->number, number);
	atomic_fetch_add(&recording.process->rings, 1);
}

/* Creates a ring under a name of this kind; `start` 0: a spare one. */
static struct record_ring *ring_file(const char *kind, uint64_t start, uint64_t *populated)
{
	char name[NAME_SIZE];
	struct text t = name_in(name, kind);
	text_add_number(&t, atomic_fetch_add(&recording.control->rings, 1) + 1);
	const uint32_t size = ring_size();
	struct record_ring *r = ring_create(name, size, populated);
	if (r == NULL)
		return NULL;
	r->version = RECORD_VERSION;
	r->size = size;
	r->pid = recording.pid;
	r->start = start;
	atomic_signal_fence(memory_order_seq_cst);
	r->magic = RECORD_RING_MAGIC;
	const uint32_t published = publish();
	if (start != 0)
		ring_is_published(r, published);
	return r;
}

static struct record_ring *ring_claim(uint64_t *populated)
{
	struct record_ring *r = spares_claim_ring();
	if (r == NULL)
		return NULL;
	if (recording.sends)
		*populated = r->size;
	else if (!recording_populate(r, RECORD_PAGE + *populated))
		return NULL;
	r->pid = recording.pid;
	atomic_store(&r->opened, 0);
	atomic_signal_fence(memory_order_seq_cst);
	r->start = recording.process->start;
	ring_is_published(r, publish());
	return r;
}

struct record_ring *recording_ring(uint64_t *populated)
{
	*populated = RING_POPULATED;
	struct record_ring *r = ring_file("/ring.", recording.process->start, populated);
	*populated = r != NULL ? *populated : RING_POPULATED;
	return r != NULL ? r : ring_claim(populated);
}

static const char *spare_prefix(char *buffer)
{
	struct text t = text_in(buffer, NAME_SIZE);
	text_add(&t, "/spare.");
	text_add_number(&t, recording.pid);
	text_add(&t, ".");
	return buffer;
}

static struct record_process *spare_process(void)
{
	char prefix[NAME_SIZE], name[NAME_SIZE];
	struct text t = name_in(name, spare_prefix(prefix));
	text_add_number(&t, atomic_fetch_add(&recording.control->rings, 1) + 1);
	struct record_process *const p = process_map(name);
	if (p != NULL) {
		atomic_store(&p->state, RECORD_SPARE);
		process_publish(p);
	}
	return p;
}

static struct record_ring *spare_ring(void)
{
	char prefix[NAME_SIZE];
	uint64_t populated = 0;
	return ring_file(spare_prefix(prefix), 0, &populated);
}

void recording_make_spares(void)
{
	struct record_control *const c = recording.control;
	uint32_t none = 0;
	if (c == NULL || c->no_follow || (!recording.can_populate && !recording.sends) ||
	    !atomic_compare_exchange_strong(&spares.made, &none, 1))
		return;
	if (atomic_fetch_add(&c->makers, 1) >= SPARE_MAKERS_MAX) {
		atomic_fetch_sub(&c->makers, 1);
		return;
	}
	for (int i = 0; i < SPARE_PROCESSES; i++)
		spares.process[i] = spare_process();
	for (int i = 0; i < SPARE_RINGS; i++)
		spares.ring[i] = spare_ring();
}

bool recording_has_ring(const struct record_ring *ring)
{
	const uint32_t searched = atomic_load(&recording.control->searched);
	return atomic_load(&ring->opened) != 0 ||
	       (int32_t)(searched - atomic_load(&ring->number)) < 0;
}

void recording_ring_unmap(struct record_ring *ring)
{
	raw_unmap(ring, RECORD_PAGE + 2 * (size_t)ring->size);
}

bool recording_is_collected(void)
{
	const struct record_control *c = recording.control;
	const uint64_t beat = atomic_load(&c->heartbeat), now = clock_ns(CLOCK_MONOTONIC);
	const uint64_t age = now > beat ? now - beat : 0;
	if (recording.process->namespace != 0)
		return age < RECORD_HEARTBEAT_MAX;
	const uint32_t pid = atomic_load(&c->collector);
	return pid != 0 && raw_call(SYS_kill, pid, 0, 0, 0, 0, 0) != -ESRCH &&
	       age < RECORD_STALL_MAX;
}

void recording_wake_collector(void)
{
	atomic_fetch_add(&recording.control->doorbell, 1);
	raw_call(SYS_futex, (long)&recording.control->doorbell, FUTEX_WAKE, 1, 0, 0, 0);
}

/* "/KIND.PID.NUMBER" */
static void name_event(char *buffer, const char *prefix, const char *kind, uint32_t number)
{
	struct text t = name_in(buffer, prefix);
	text_add(&t, kind);
	text_add(&t, ".");
	text_add_number(&t, recording.pid);
	text_add(&t, ".");
	text_add_number(&t, number);
}

uint32_t recording_write(const char *kind, const void *data, size_t size)
{
	char new_name[NAME_SIZE], name[NAME_SIZE];
	const uint32_t number = atomic_fetch_add(&recording.control->rings, 1) + 1;
	name_event(new_name, "/new.", kind, number);
	name_event(name, "/", kind, number);
	const int fd = size <= file_limit() ? create(new_name, 0, 0) : -1;
	if (fd < 0)
		return 0;
	const bool written = raw_call(SYS_write, fd, (long)data, (long)size, 0, 0, 0) == (long)size;
	raw_close(fd);
	recording.own_writes++;
	recording.own_written += written ? size : 0;
	if (written) {
		raw_call(SYS_rename, (long)new_name, (long)name, 0, 0, 0, 0);
		publish();
	} else
		raw_call(SYS_unlink, (long)new_name, 0, 0, 0, 0, 0);
	return written ? number : 0;
}

bool recording_is_done(const char *kind, uint32_t number)
{
	char name[NAME_SIZE];
	name_event(name, "/", kind, number);
	return raw_call(SYS_access, (long)name, F_OK, 0, 0, 0, 0) != 0;
}
