/* SPDX-License-Identifier: BSD-2-Clause */
#include "statistics.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/ui/message.h"

static const char *name_of(unsigned call)
{
	static const char *const names[MOUNT_CALLS] = {
#define X(name, text) text,
	    RECORD_OPS(X)
#undef X
		[MOUNT_READ] = "read",
	    [MOUNT_WRITE] = "write", [MOUNT_MAPPED_READ] = "mapped read",
	    [MOUNT_MAPPED_WRITE] = "mapped write", [MOUNT_LOOKUP] = "lookup"};
	return names[call];
}

struct call_sums {
	uint64_t calls, bytes, ticks;
};

typedef void line_fn(void *to, const char *text);

static struct call_sums sum(const struct mount *m, unsigned call)
{
	struct call_sums s = {0, 0, 0};
	for (const struct mount_thread *t = atomic_load(&m->threads); t != NULL; t = t->next) {
		s.calls += atomic_load(&t->count[call].calls);
		s.bytes += atomic_load(&t->count[call].bytes);
		s.ticks += atomic_load(&t->count[call].ticks);
	}
	return s;
}

uint64_t statistics_calls(const struct mount *m)
{
	uint64_t calls = 0;
	for (unsigned call = 0; call < MOUNT_CALLS; call++)
		calls += sum(m, call).calls;
	return calls;
}

static bool has_bytes(unsigned call)
{
	return call >= MOUNT_READ && call <= MOUNT_MAPPED_WRITE;
}

static void print_call(const struct mount *m, unsigned call, line_fn *line, void *to)
{
	char text[160], bytes[32] = "";
	const struct call_sums s = sum(m, call);
	const double seconds =
	    (double)s.ticks / (double)clock_map_units(m->clock, UINT64_C(1000000000));
	if (s.calls == 0)
		return;
	if (has_bytes(call))
		(void)snprintf(bytes, sizeof bytes, "%" PRIu64 " bytes", s.bytes);
	(void)snprintf(text, sizeof text, "%-12s %12" PRIu64 " %-5s %22s %12.6f s", name_of(call),
		       s.calls, s.calls == 1 ? "call" : "calls", bytes, seconds);
	line(to, text);
}

void statistics_each(const struct mount *m, line_fn *line, void *to)
{
	char text[256];
	for (unsigned call = 0; call < MOUNT_CALLS; call++)
		print_call(m, call, line, to);
	(void)snprintf(text, sizeof text,
		       "buffers: %" PRIu64 " swaps, %" PRIu64 " waits of %.6f s, %" PRIu64
		       " records dropped; %" PRIu64 " pieces joined",
		       atomic_load(&m->buffers.swaps), atomic_load(&m->buffers.waits),
		       (double)atomic_load(&m->buffers.waited_ns) / 1e9,
		       atomic_load(&m->buffers.dropped), atomic_load(&m->pieces.joined));
	line(to, text);
}

static void print_line(void *to, const char *text)
{
	(void)to;
	message_print("%s", text);
}

void statistics_print(const struct mount *m)
{
	statistics_each(m, print_line, NULL);
}
