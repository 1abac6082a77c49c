/* SPDX-License-Identifier: BSD-2-Clause */
#include "clock_map.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/full_io.h"

enum { ATTEMPTS = 8, RECENT_NS = 1000000, DISTANCE_MIN_NS = 50000 };

#if defined(__x86_64__)
static uint64_t ticks_now(void)
{
	return __builtin_ia32_rdtsc();
}

bool clock_has_tsc(void)
{
	char text[16] = "";
	const int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
			    O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd < 0 ? -1 : full_read(fd, text, sizeof(text) - 1, FULL_IO_CURRENT);
	if (fd >= 0)
		(void)close(fd);
	return n > 0 && strcmp(text, "tsc\n") == 0;
}
#else
static uint64_t ticks_now(void)
{
	return clock_monotonic_ns();
}

bool clock_has_tsc(void)
{
	return false;
}
#endif

/* The pair whose readings are closest together: an interrupt may separate them. */
static struct clock_sample take(void)
{
	struct clock_sample best = {0, 0};
	uint64_t best_width = UINT64_MAX;
	for (int i = 0; i < ATTEMPTS; i++) {
		const uint64_t before = ticks_now(), ns = clock_monotonic_ns(),
			       width = ticks_now() - before;
		if (width >= best_width)
			continue;
		best_width = width;
		best = (struct clock_sample){before + width / 2, ns};
	}
	return best;
}

void clock_map_start(struct clock_map *m, enum record_clock clock)
{
	m->clock = clock;
	m->count = 1;
	m->sample[0] = clock == RECORD_TSC
			   ? take()
			   : (struct clock_sample){clock_monotonic_ns(), clock_monotonic_ns()};
}

/* Keeps each second sample. */
static void thin_out(struct clock_map *m)
{
	size_t kept = 0;
	for (size_t i = 0; i < m->count; i += 2)
		m->sample[kept++] = m->sample[i];
	m->count = kept;
}

void clock_map_add(struct clock_map *m, struct clock_sample sample)
{
	const struct clock_sample last = m->sample[m->count - 1];
	if (m->clock != RECORD_TSC || sample.ticks <= last.ticks || sample.ns <= last.ns)
		return;
	if (m->count == CLOCK_SAMPLES)
		thin_out(m);
	m->sample[m->count++] = sample;
}

void clock_map_sample(struct clock_map *m)
{
	const struct clock_sample last = m->sample[m->count - 1];
	const uint64_t recent = m->count > 1 ? RECENT_NS : DISTANCE_MIN_NS;
	if (m->clock != RECORD_TSC)
		return;
	while (clock_monotonic_ns() - last.ns < recent)
		if (m->count > 1)
			return;
	clock_map_add(m, take());
}

uint64_t clock_map_now(const struct clock_map *m)
{
	return m->clock == RECORD_TSC ? ticks_now() : clock_monotonic_ns();
}

static double rate(const struct clock_sample *a)
{
	return (double)(a[1].ns - a[0].ns) / (double)(a[1].ticks - a[0].ticks);
}

uint64_t clock_map_units(const struct clock_map *m, uint64_t ns)
{
	if (m->count < 2)
		return ns;
	const double units = (double)ns / rate(m->sample);
	return units < (double)(INT64_MAX / 2) ? (uint64_t)units : INT64_MAX;
}

/* The sample before a time; the one before the last for times after all samples. */
static const struct clock_sample *find(const struct clock_map *m, uint64_t ticks)
{
	const struct clock_sample *s = &m->sample[m->count - 2];
	while (s > m->sample && ticks < s->ticks)
		s--;
	return s;
}

uint64_t clock_map_ns(const struct clock_map *m, uint64_t time)
{
	if (m->count < 2)
		return time;
	const struct clock_sample *s = find(m, time);
	if (time < s->ticks)
		return s->ns;
	const double ns = (double)(time - s->ticks) * rate(s);
	return ns < (double)(INT64_MAX / 2) ? s->ns + (uint64_t)ns : INT64_MAX;
}
