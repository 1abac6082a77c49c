/* SPDX-License-Identifier: BSD-2-Clause */
#include "requesters.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "cli/record/proc_file.h"
#include "record/ring.h"

#define AGE_NS UINT64_C(1000000000)

enum { STATUS_MAX = 4096 };

bool requesters_init(struct requesters *c, const struct clock_map *clock)
{
	*c = (struct requesters){.age = clock_map_units(clock, AGE_NS)};
	errno = pthread_mutex_init(&c->mutex, NULL);
	return errno == 0;
}

void requesters_free(struct requesters *c)
{
	idmap_free(&c->pids);
	free(c->announced);
	(void)pthread_mutex_destroy(&c->mutex);
}

static uint32_t number_after(const char *status, const char *key)
{
	const char *p = strstr(status, key);
	return p != NULL ? (uint32_t)strtoul(p + strlen(key), NULL, 10) : 0;
}

/* Stores the path of the program; without permission, its first argument, or its short name. */
static void find_program(uint32_t pid, char program[PATH_MAX])
{
	char link[64];
	(void)snprintf(link, sizeof(link), "/proc/%" PRIu32 "/exe", pid);
	const ssize_t n = readlink(link, program, PATH_MAX - 1);
	program[n > 0 ? n : 0] = '\0';
	if (n > 0 || proc_file_read(pid, "cmdline", program, PATH_MAX) > 0)
		return;
	if (proc_file_read(pid, "comm", program, PATH_MAX) > 0)
		program[strcspn(program, "\n")] = '\0';
}

static void append_start(struct buffer_pair *b, struct appender *a, struct buffered who,
			 uint32_t parent, uint64_t now, const char *program)
{
	_Alignas(8) unsigned char memory[sizeof(struct record_start) + RECORD_TEXT_MAX + 8];
	struct record_start *s = (void *)memory;
	const size_t text = strlen(program) + 1, size = (sizeof(*s) + text + 7) & ~(size_t)7;
	memset(memory, 0, size);
	*s = (struct record_start){.head = {.size = (uint16_t)size, .kind = RECORD_START},
				   .time = now,
				   .pid = who.pid,
				   .parent = parent,
				   .rank = -1,
				   .command_size = (uint32_t)text};
	memcpy(s->text, program, text);
	(void)buffers_append(b, a, who, s, size);
}

/* Returns whether the process or its program is new. */
static bool is_new(struct requesters *c, uint32_t pid, struct announced now)
{
	bool changed = false;
	(void)pthread_mutex_lock(&c->mutex);
	const size_t n = idmap_number(&c->pids, pid);
	if (array_reserve_index(&c->announced, &c->capacity, n, sizeof(*c->announced))) {
		changed =
		    c->announced[n].start != now.start || c->announced[n].program != now.program;
		c->announced[n] = now;
	}
	(void)pthread_mutex_unlock(&c->mutex);
	return changed;
}

static void announce(struct requesters *c, struct buffered who, uint32_t parent, uint64_t now,
		     struct buffer_pair *b, struct appender *a)
{
	char program[PATH_MAX];
	find_program(who.pid, program);
	const struct announced current = {.start = process_start(who.pid),
					  .program = XXH3_64bits(program, strlen(program))};
	if (is_new(c, who.pid, current))
		append_start(b, a, who, parent, now, program);
}

struct buffered requesters_find(struct requesters *c,
				struct cached_requester cache[REQUESTERS_CACHED], uint32_t tid,
				bool fresh, uint64_t now, struct buffer_pair *b, struct appender *a)
{
	char status[STATUS_MAX];
	struct cached_requester *known = &cache[tid & (REQUESTERS_CACHED - 1)];
	if (tid == 0)
		return (struct buffered){0, 0};
	if (known->tid == tid && now < known->until && !fresh)
		return (struct buffered){known->pid, tid};
	if (proc_file_read(tid, "status", status, sizeof(status)) == 0)
		return (struct buffered){known->tid == tid ? known->pid : tid, tid};
	const struct buffered who = {number_after(status, "\nTgid:"), tid};
	*known = (struct cached_requester){tid, who.pid, now + c->age};
	announce(c, who, number_after(status, "\nPPid:"), now, b, a);
	return who;
}
