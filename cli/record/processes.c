/* SPDX-License-Identifier: BSD-2-Clause */
#include "processes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/array.h"
#include "lib/base/hash.h"
#include "lib/base/number.h"

#include "namespaces.h"
#include "proc_file.h"

enum { OTHER_IDS = 1 << 23 }; /* beyond the largest pid of Linux, 2^22 */

static void latest_free(struct latest *l)
{
	idmap_free(&l->numbers);
	free(l->index);
}

void processes_free(struct processes *p)
{
	for (size_t i = 0; i < p->count; i++) {
		if (p->process[i].shared != NULL)
			(void)munmap(p->process[i].shared, RECORD_PAGE);
		if (p->process[i].pidfd >= 0)
			(void)close(p->process[i].pidfd);
	}
	latest_free(&p->pids);
	latest_free(&p->tids);
	latest_free(&p->placed);
	latest_free(&p->joined);
	free(p->process);
	free(p->alive);
	free(p->polled);
}

static size_t find_latest(const struct latest *l, uint64_t key)
{
	const size_t n = idmap_find(&l->numbers, key);
	return n == SIZE_MAX || n >= l->capacity || l->index[n] == 0 ? SIZE_MAX : l->index[n] - 1;
}

static bool set_latest(struct latest *l, uint64_t key, size_t index)
{
	const size_t n = idmap_number(&l->numbers, key);
	if (!array_reserve_index(&l->index, &l->capacity, n, sizeof(*l->index)))
		return false;
	l->index[n] = (uint32_t)index + 1;
	return true;
}

size_t processes_find(const struct processes *p, uint32_t pid)
{
	return find_latest(&p->pids, pid);
}

/* Inodes of namespaces have 32 bits. */
static uint64_t place(uint32_t pid, uint64_t namespace)
{
	return namespace << 32 | pid;
}

size_t processes_find_in(const struct processes *p, uint32_t pid, uint64_t namespace)
{
	return find_latest(&p->placed, place(pid, namespace));
}

/* The first process of a PID namespace has its parent in another one. */
size_t processes_known(const struct processes *p, size_t by, uint32_t pid)
{
	const size_t near = processes_find_in(p, pid, p->process[by].namespace);
	return near != SIZE_MAX ? near : processes_find(p, pid);
}

static bool exists(uint32_t pid)
{
	return pid != 0 && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
}

/* Returns -1 if there is none. Half of the descriptors remain for files. */
static int open_pidfd(uint32_t pid)
{
	struct rlimit limit;
	const int fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
	if (fd < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0 || (rlim_t)fd < limit.rlim_cur / 2)
		return fd;
	(void)close(fd);
	return -1;
}

/* A traced program can name any process. */
static bool is_older(struct processes *p, uint32_t pid)
{
	if (p->began == 0)
		p->began = process_start((uint32_t)getpid());
	const uint64_t start = process_start(pid);
	return start != 0 && start < p->began;
}

/* Without a pidfd kill(2) shows whether a process exists. */
static void watch(struct processes *p, struct process *process)
{
	process->our_pid = process->namespace == 0
			       ? process->pid
			       : namespaces_find(process->namespace, process->pid);
	if (process->our_pid != 0 && is_older(p, process->our_pid))
		process->our_pid = 0;
	if (process->our_pid != 0)
		process->pidfd = open_pidfd(process->our_pid);
	process->alive = process->pidfd >= 0 || exists(process->our_pid);
}

/* Another process may have the pid of one that ended before this collector started. */
static void watch_known(struct processes *p, struct process *process)
{
	if (process->pidfd >= 0)
		(void)close(process->pidfd);
	process->pidfd = -1;
	process->our_pid = 0;
	process->alive = false;
	if (process->namespace == 0 && process_start(process->pid) == process->start)
		watch(p, process);
}

/* Adds a process, or the thread of one, with an id that nothing else has. */
static size_t add_entry(struct processes *p, struct latest *l, uint32_t pid)
{
	const size_t index = p->count;
	const bool reused =
	    processes_find(p, pid) != SIZE_MAX || find_latest(&p->tids, pid) != SIZE_MAX;
	if (pid == 0 || pid > INT32_MAX || index >= PROCESSES_MAX ||
	    !array_reserve(&p->process, &p->capacity, index + 1, sizeof(*p->process)) ||
	    !set_latest(l, pid, index))
		return SIZE_MAX;
	p->process[index] = (struct process){.pid = pid,
					     .id = reused ? OTHER_IDS + (uint32_t)index : pid,
					     .thread_of = UINT32_MAX,
					     .pidfd = -1};
	p->count++;
	return index;
}

size_t processes_restore(struct processes *p, uint32_t pid, uint32_t parent, uint64_t namespace)
{
	const size_t index = add_entry(p, &p->pids, pid);
	if (index == SIZE_MAX || !set_latest(&p->placed, place(pid, namespace), index))
		return SIZE_MAX;
	p->process[index].parent = parent;
	p->process[index].namespace = namespace;
	return index;
}

static size_t add(struct processes *p, uint32_t pid, uint32_t parent, uint64_t namespace)
{
	if (!array_reserve(&p->alive, &p->alive_capacity, p->alive_count + 1, sizeof(*p->alive)))
		return SIZE_MAX;
	const size_t index = processes_restore(p, pid, parent, namespace);
	if (index == SIZE_MAX)
		return SIZE_MAX;
	watch(p, &p->process[index]);
	p->alive[p->alive_count++] = (uint32_t)index;
	return index;
}

bool processes_await_end(struct processes *p, size_t index)
{
	if (!array_reserve(&p->alive, &p->alive_capacity, p->alive_count + 1, sizeof(*p->alive)))
		return false;
	p->alive[p->alive_count++] = (uint32_t)index;
	return true;
}

size_t processes_thread(struct processes *p, size_t process, uint32_t tid)
{
	if (tid == p->process[process].pid)
		return process;
	size_t index = find_latest(&p->tids, tid);
	if (index != SIZE_MAX && p->process[index].thread_of == process)
		return index;
	index = add_entry(p, &p->tids, tid);
	if (index != SIZE_MAX)
		p->process[index].thread_of = (uint32_t)process;
	return index;
}

struct ring_user processes_ring_user(struct processes *p, uint32_t process,
				     const struct record_thread *stated, bool per_thread)
{
	struct ring_user user = {process, process};
	if (stated->head.code == RECORD_THREAD_VFORKED) {
		const size_t child = processes_known(p, process, stated->tid);
		if (child != SIZE_MAX)
			user.process = user.thread = (uint32_t)child;
	} else if (per_thread) {
		const size_t thread = processes_thread(p, process, stated->tid);
		user.thread = thread != SIZE_MAX ? (uint32_t)thread : process;
	}
	return user;
}

size_t processes_expect(struct processes *p, uint32_t pid, uint32_t parent, uint64_t namespace)
{
	const size_t known = processes_find_in(p, pid, namespace);
	if (known != SIZE_MAX && (!p->process[known].ended || p->process[known].start != 0))
		return known;
	return add(p, pid, parent, namespace);
}

static uint64_t joined_key(uint32_t pid, uint64_t start)
{
	return hash_mix(hash_seed(), start) ^ pid;
}

bool processes_set_start(struct processes *p, size_t index, uint64_t start)
{
	p->process[index].start = start;
	return start == 0 ||
	       set_latest(&p->joined, joined_key(p->process[index].pid, start), index);
}

size_t processes_joined(const struct processes *p, uint32_t pid, uint64_t start)
{
	const size_t index = find_latest(&p->joined, joined_key(pid, start));
	return index != SIZE_MAX && p->process[index].pid == pid &&
		       p->process[index].start == start && start != 0
		   ? index
		   : SIZE_MAX;
}

static struct record_process *map_process(int directory, const char *name, const char **why)
{
	struct stat st;
	struct record_process *shared = MAP_FAILED;
	const int fd = openat(directory, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	*why = "cannot be opened";
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == RECORD_PAGE)
		shared = mmap(NULL, RECORD_PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (fd >= 0)
		(void)close(fd);
	if (shared == MAP_FAILED)
		return NULL;
	if (shared->magic == RECORD_PROCESS_MAGIC && shared->version == RECORD_VERSION)
		return shared;
	*why = "is not the file of a process, of this version";
	(void)munmap(shared, RECORD_PAGE);
	return NULL;
}

/* "process.PID.START" */
static bool parse_name(const char *name, uint32_t *pid, uint64_t *start)
{
	static const char prefix[] = "process.";
	uint64_t number;
	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
		return false;
	const char *digits = name + sizeof(prefix) - 1, *dot = strchr(digits, '.');
	if (dot == NULL || !number_decimal(digits, (size_t)(dot - digits), &number) ||
	    number > INT32_MAX || !number_decimal(dot + 1, strlen(dot + 1), start))
		return false;
	*pid = (uint32_t)number;
	return *start != 0;
}

size_t processes_join(struct processes *p, int directory, const char *name, const char **why)
{
	uint32_t pid;
	uint64_t start;
	*why = "has no valid name";
	if (!parse_name(name, &pid, &start))
		return SIZE_MAX;
	size_t index = processes_joined(p, pid, start);
	if (index != SIZE_MAX)
		return index;
	struct record_process *shared = map_process(directory, name, why);
	if (shared == NULL)
		return SIZE_MAX;
	index = processes_find_in(p, pid, shared->namespace);
	if (index == SIZE_MAX || p->process[index].start != 0)
		index = add(p, pid, shared->parent, shared->namespace);
	if (index == SIZE_MAX || !processes_set_start(p, index, start)) {
		*why = "is one of too many processes";
		(void)munmap(shared, RECORD_PAGE);
		return SIZE_MAX;
	}
	p->process[index].shared = shared;
	if (p->resumed)
		watch_known(p, &p->process[index]);
	return index;
}

static void name_of(char name[64], uint32_t pid, uint64_t start)
{
	(void)snprintf(name, 64, "process.%" PRIu32 ".%" PRIu64, pid, start);
}

size_t processes_spare(const struct processes *p, int directory, const char *name, char claimed[64])
{
	const char *why, *digits = strchr(name, '.') + 1;
	uint64_t maker;
	struct record_process *shared = map_process(directory, name, &why);
	*claimed = '\0';
	if (shared != NULL) {
		const uint64_t start = shared->start;
		atomic_thread_fence(memory_order_acquire);
		if (start != 0 && shared->pid != 0 && shared->pid <= INT32_MAX)
			name_of(claimed, shared->pid, start);
		(void)munmap(shared, RECORD_PAGE);
	}
	if (!number_decimal(digits, strcspn(digits, "."), &maker) || maker > INT32_MAX)
		return SIZE_MAX;
	return processes_find(p, (uint32_t)maker);
}

static bool descends(const struct processes *p, size_t process, size_t from)
{
	enum { DEPTH_MAX = 64 };
	for (int i = 0; i < DEPTH_MAX && process != SIZE_MAX; i++) {
		process = processes_known(p, process, p->process[process].parent);
		if (process == from)
			return true;
	}
	return false;
}

bool processes_has_descendant(const struct processes *p, size_t ancestor)
{
	for (size_t i = 0; i < p->alive_count; i++)
		if (descends(p, p->alive[i], ancestor))
			return true;
	return false;
}

static bool poll_all(struct processes *p, struct pollfd *extra, size_t extra_count, int timeout_ms)
{
	size_t n = 0;
	if (!array_reserve(&p->polled, &p->polled_capacity, p->alive_count + extra_count,
			   sizeof(*p->polled)))
		return false;
	for (size_t i = 0; i < p->alive_count; i++) {
		const struct process *process = &p->process[p->alive[i]];
		if (process->pidfd >= 0)
			p->polled[n++] = (struct pollfd){.fd = process->pidfd, .events = POLLIN};
		if (!process->alive) /* it ended before it was seen, and has no pidfd */
			timeout_ms = 0;
	}
	for (size_t i = 0; i < extra_count; i++)
		p->polled[n + i] = extra[i];
	const int ready = poll(p->polled, n + extra_count, timeout_ms);
	for (size_t i = 0; ready < 0 && i < n + extra_count; i++)
		p->polled[i].revents = 0;
	for (size_t i = 0; i < extra_count; i++)
		extra[i].revents = p->polled[n + i].revents;
	return ready >= 0 || errno == EINTR;
}

bool processes_wait(struct processes *p, struct pollfd *extra, size_t extra_count, int timeout_ms,
		    uint32_t *ended, size_t *count, size_t max)
{
	size_t kept = 0, polled = 0;
	*count = 0;
	if (!poll_all(p, extra, extra_count, timeout_ms))
		return false;
	for (size_t i = 0; i < p->alive_count; i++) {
		struct process *process = &p->process[p->alive[i]];
		const bool ended_now = process->pidfd >= 0 ? p->polled[polled++].revents != 0
							   : !exists(process->our_pid);
		if (*count == max || !ended_now) {
			p->alive[kept++] = p->alive[i];
			continue;
		}
		process->alive = false;
		process->ended = true;
		ended[(*count)++] = p->alive[i];
	}
	p->alive_count = kept;
	return true;
}

void processes_release(struct processes *p, size_t index, int directory)
{
	struct process *process = &p->process[index];
	char name[64];
	if (process->pidfd >= 0)
		(void)close(process->pidfd);
	process->pidfd = -1;
	if (process->shared == NULL)
		return;
	(void)munmap(process->shared, RECORD_PAGE);
	process->shared = NULL;
	name_of(name, process->pid, process->start);
	(void)unlinkat(directory, name, 0);
}
