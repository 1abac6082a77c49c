/* SPDX-License-Identifier: BSD-2-Clause */
/* The clocks of a sender. */
#include "sender_clock.h"

#include <errno.h>

enum { NS_PER_S = 1000000000, CPU_EVERY_NS = 1000000 };

static int64_t system_ns(clockid_t which)
{
	struct timespec t;
	if (clock_gettime(which, &t) != 0)
		return 0;
	return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

bool sender_clock_init(struct sender_clock *c)
{
	c->cpu_every_ns = CPU_EVERY_NS;
	return pthread_mutex_init(&c->lock, NULL) == 0;
}

void sender_clock_free(struct sender_clock *c)
{
	(void)pthread_mutex_destroy(&c->lock);
}

void sender_clock_open(struct sender_clock *c)
{
	if (c->read == NULL)
		c->epoch_ns = system_ns(CLOCK_REALTIME) - system_ns(CLOCK_MONOTONIC);
}

void sender_clock_forked(struct sender_clock *c)
{
	atomic_store(&c->cpu_ns, 0);
}

/* Returns the greater one of two readings, as threads store theirs in any order, and keeps it. */
static int64_t keep_cpu(struct sender_clock *c, int64_t wall_ns)
{
	const int64_t cpu_ns = system_ns(CLOCK_PROCESS_CPUTIME_ID);
	int64_t kept_ns = atomic_load(&c->cpu_ns);
	while (kept_ns < cpu_ns && !atomic_compare_exchange_weak(&c->cpu_ns, &kept_ns, cpu_ns))
		;
	atomic_store_explicit(&c->cpu_read_ns, wall_ns, memory_order_relaxed);
	return kept_ns < cpu_ns ? cpu_ns : kept_ns;
}

static void read_given(struct sender_clock *c, int64_t *wall_ns, int64_t *cpu_ns)
{
	const int saved_errno = errno;
	(void)pthread_mutex_lock(&c->lock);
	c->read(c->context, wall_ns, cpu_ns);
	(void)pthread_mutex_unlock(&c->lock);
	errno = saved_errno;
	*wall_ns = *wall_ns > 0 ? *wall_ns : 0;
	*cpu_ns = *cpu_ns > 0 ? *cpu_ns : 0;
}

void sender_clock_read(struct sender_clock *c, int64_t *wall_ns, int64_t *cpu_ns)
{
	if (c->read != NULL) {
		read_given(c, wall_ns, cpu_ns);
		return;
	}
	*wall_ns = system_ns(CLOCK_MONOTONIC);
	*cpu_ns = keep_cpu(c, *wall_ns);
}

static bool cpu_is_recent(const struct sender_clock *c, int64_t wall_ns)
{
	const int64_t read_ns = atomic_load_explicit(&c->cpu_read_ns, memory_order_relaxed);
	const uint64_t age_ns = wall_ns > read_ns ? (uint64_t)(wall_ns - read_ns) : 0;
	return age_ns < c->cpu_every_ns;
}

void sender_clock_start(struct sender_clock *c, int64_t *wall_ns, int64_t *cpu_ns)
{
	if (c->read != NULL) {
		read_given(c, wall_ns, cpu_ns);
		return;
	}
	*wall_ns = system_ns(CLOCK_MONOTONIC);
	*cpu_ns = cpu_is_recent(c, *wall_ns)
		      ? atomic_load_explicit(&c->cpu_ns, memory_order_relaxed)
		      : keep_cpu(c, *wall_ns);
}

int64_t sender_clock_wall(struct sender_clock *c)
{
	int64_t wall_ns, cpu_ns;
	if (c->read == NULL)
		return system_ns(CLOCK_MONOTONIC);
	read_given(c, &wall_ns, &cpu_ns);
	return wall_ns;
}
