/* SPDX-License-Identifier: BSD-2-Clause */
#include "device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

bool device_preset(struct device_options *o, const char *name, size_t n)
{
	enum { US = 1000, MS = 1000000, MB = 1000000, GIB = 1 << 30, DEPTH_SSD = 32 };
	/* half a revolution at 7200 per minute */
	const uint64_t rotation_ns = 60 * CLOCK_SECOND / 7200 / 2;
	const struct {
		const char *name;
		struct device_options options;
	} presets[] = {
	    {"disk1990", {2 * MS, 15 * MS, GIB, 0, 0, 38400000, 38400000, 0}},
	    {"hdd", {1 * MS, 8 * MS + rotation_ns, GIB, 0, 0, 200 * MB, 200 * MB, 1}},
	    {"ssd", {0, 0, GIB, 90 * US, 30 * US, 550 * MB, 500 * MB, DEPTH_SSD}},
	    {"nvme", {0, 0, GIB, 80 * US, 20 * US, UINT64_C(3500) * MB, UINT64_C(2500) * MB, 256}},
	};
	for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
		if (strlen(presets[i].name) != n || memcmp(presets[i].name, name, n) != 0)
			continue;
		*o = presets[i].options;
		return true;
	}
	return false;
}

bool device_init(struct device *d, const struct device_options *o)
{
	*d = (struct device){.options = *o};
	if (o->depth > 0)
		d->slots = calloc(o->depth, sizeof *d->slots);
	return o->depth == 0 || d->slots != NULL;
}

void device_free(struct device *d)
{
	free(d->slots);
	memset(d, 0, sizeof *d);
}

static uint64_t position_ns(const struct device *d, const struct device_io *io)
{
	const struct device_options *o = &d->options;
	if (!d->used || d->object != io->object)
		return o->far_ns;
	if (d->end == io->offset)
		return 0;
	const uint64_t distance = d->end > io->offset ? d->end - io->offset : io->offset - d->end;
	if (distance >= o->span)
		return o->far_ns;
	const double share = sqrt((double)distance / (double)o->span);
	if (o->far_ns < o->near_ns)
		return o->near_ns - (uint64_t)((double)(o->near_ns - o->far_ns) * share);
	return o->near_ns + (uint64_t)((double)(o->far_ns - o->near_ns) * share);
}

/* The slot of the I/O that was issued `depth` I/Os ago is the first to become free. */
static int64_t issue_queued(struct device *d, int64_t now_ns, uint64_t latency, uint64_t transfer)
{
	int64_t *slot = &d->slots[d->slot];
	const int64_t ready = clock_add(clock_later(now_ns, *slot), latency);
	*slot = clock_add(clock_later(ready, d->pipe_free_ns), transfer);
	d->pipe_free_ns = *slot;
	d->slot = d->slot + 1 < d->options.depth ? d->slot + 1 : 0;
	return d->pipe_free_ns;
}

int64_t device_issue(struct device *d, int64_t now_ns, const struct device_io *io)
{
	const struct device_options *o = &d->options;
	const uint64_t latency =
	    position_ns(d, io) + (io->write ? o->write_latency_ns : o->read_latency_ns);
	const uint64_t transfer =
	    clock_transfer(io->length, io->write ? o->write_rate : o->read_rate);
	d->used = true;
	d->object = io->object;
	d->end = io->offset + io->length;
	if (o->depth > 0)
		return issue_queued(d, now_ns, latency, transfer);
	return clock_add(clock_add(now_ns, latency), transfer);
}
