/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording.h"

#include <string.h>
#include <sys/mman.h>

#include "raw.h"
#include "text.h"

struct recording_state recording;

enum {
	SHARED_SIZE = RECORD_PAGE + RECORD_SLOTS * (int)sizeof(struct record_description),
	RING_RESERVED = RECORD_RING_MIN / 2,
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
	    raw_map(NULL, SHARED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	raw_close(fd);
	recording.joined =
	    raw_map(NULL, RECORD_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (c == NULL || recording.joined == NULL)
		return false;
	recording.pid = (uint32_t)raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
	if (!is_for_this_process(c, recording.pid)) {
		raw_unmap(c, SHARED_SIZE);
		return false;
	}
	raw_call(SYS_madvise, (long)recording.joined, RECORD_PAGE, MADV_WIPEONFORK, 0, 0, 0);
	recording.control = c;
	recording.slots = (struct record_description *)((char *)c + RECORD_PAGE);
	recording.cpu_step = c->cpu_step > 0 ? c->cpu_step : 1000000;
	/* without this call (before Linux 5.14) a ring cannot get memory later */
	recording.reserved = raw_call(SYS_madvise, (long)recording.joined, RECORD_PAGE,
				      MADV_POPULATE_WRITE, 0, 0, 0) == 0
				 ? RING_RESERVED
				 : c->ring_size;
	return true;
}

bool recording_read(const char *path, char *text, size_t size)
{
	const int fd = raw_open(path, O_RDONLY);
	const long n = fd < 0 ? -1 : raw_read(fd, text, size - 1);
	if (fd >= 0)
		raw_close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	recording.own_reads++;
	recording.own_bytes += (uint64_t)n;
	return true;
}

/* Returns field 22 of /proc/self/stat: the time at which the process started. */
static uint64_t start_of_process(void)
{
	char line[1024];
	if (!recording_read("/proc/self/stat", line, sizeof line))
		return 0;
	const char *p = strrchr(line, ')'); /* the end of field 2 */
	for (int field = 2; p != NULL && field < 22; field++)
		p = strchr(p + 1, ' ');
	return p == NULL ? 0 : text_number(p + 1);
}

/* Maps a new file of this size, of which `reserved` bytes have memory. */
static void *create(const char *name, size_t size, size_t reserved)
{
	const int fd = raw_open(name, O_RDWR | O_CREAT | O_EXCL);
	if (fd < 0)
		return NULL;
	void *at = NULL;
	if (raw_call(SYS_ftruncate, fd, (long)size, 0, 0, 0, 0) == 0 &&
	    raw_call(SYS_fallocate, fd, 0, 0, (long)reserved, 0, 0) == 0)
		at = raw_map(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	raw_close(fd);
	if (at == NULL)
		raw_call(SYS_unlink, (long)name, 0, 0, 0, 0, 0);
	return at;
}

static void publish(const char *new_name, const char *name)
{
	raw_call(SYS_rename, (long)new_name, (long)name, 0, 0, 0, 0);
	atomic_fetch_add(&recording.control->files, 1);
}

static struct record_process *process_create(const char *name, uint64_t start)
{
	char new_name[NAME_SIZE];
	struct text t = name_in(new_name, "/new.process.");
	text_add_number(&t, recording.pid);
	struct record_process *p = create(new_name, RECORD_PAGE, RECORD_PAGE);
	if (p == NULL)
		return NULL;
	p->magic = RECORD_PROCESS_MAGIC;
	p->version = RECORD_VERSION;
	p->pid = recording.pid;
	p->start = start;
	publish(new_name, name);
	return p;
}

/* Returns the file that an earlier program of this process created; NULL if none did. */
static struct record_process *process_find(const char *name)
{
	const int fd = raw_open(name, O_RDWR);
	if (fd < 0)
		return NULL;
	struct record_process *p =
	    raw_map(NULL, RECORD_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	raw_close(fd);
	return p;
}

bool recording_join(uint32_t parent, bool forked)
{
	char name[NAME_SIZE];
	recording.pid = (uint32_t)raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
	if (recording.control->no_follow && recording.control->leader != recording.pid)
		return false;
	const uint64_t start = start_of_process();
	struct text t = name_in(name, "/process.");
	text_add_number(&t, recording.pid);
	text_add(&t, ".");
	text_add_number(&t, start);
	struct record_process *p = forked ? NULL : process_find(name);
	if (p == NULL) {
		p = process_create(name, start);
		if (p == NULL)
			return false;
		p->parent = parent;
		p->forked = forked;
	}
	atomic_fetch_add(&p->programs, 1);
	atomic_store(&p->state, RECORD_RUNNING);
	recording.process = p;
	*recording.joined = 1;
	return true;
}

/* Maps the data of a ring a second time, after the first. */
static struct record_ring *map_twice(const char *name, size_t size, uint64_t reserved)
{
	const size_t once = RECORD_PAGE + size;
	struct record_ring *r = create(name, once, RECORD_PAGE + reserved);
	if (r == NULL)
		return NULL;
	char *all = raw_map(NULL, once + size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	char *first = NULL;
	if (all != NULL) {
		const long moved = raw_call(SYS_mremap, (long)r, (long)once, (long)once,
					    MREMAP_MAYMOVE | MREMAP_FIXED, (long)all, 0);
		first = moved == (long)all ? all : NULL;
	}
	/* an old size of 0 duplicates a shared mapping */
	if (first != NULL && raw_call(SYS_mremap, (long)(first + RECORD_PAGE), 0, (long)size,
				      MREMAP_MAYMOVE | MREMAP_FIXED, (long)(first + once),
				      0) == (long)(first + once))
		return (struct record_ring *)first;
	raw_unmap(first != NULL ? first : (char *)r, once);
	raw_call(SYS_unlink, (long)name, 0, 0, 0, 0, 0);
	return NULL;
}

struct record_ring *recording_ring(uint64_t *reserved)
{
	char new_name[NAME_SIZE], name[NAME_SIZE];
	const uint32_t number = atomic_fetch_add(&recording.control->rings, 1) + 1;
	struct text t = name_in(new_name, "/new.ring.");
	text_add_number(&t, number);
	t = name_in(name, "/ring.");
	text_add_number(&t, number);
	*reserved = recording.reserved;
	const uint32_t size = recording.control->ring_size;
	struct record_ring *r = map_twice(new_name, size, *reserved);
	if (r == NULL)
		return NULL;
	r->magic = RECORD_RING_MAGIC;
	r->version = RECORD_VERSION;
	r->size = size;
	r->pid = recording.pid;
	r->start = recording.process->start;
	publish(new_name, name);
	return r;
}

void recording_ring_unmap(struct record_ring *ring)
{
	raw_unmap(ring, RECORD_PAGE + 2 * (size_t)ring->size);
}
