/* SPDX-License-Identifier: BSD-2-Clause */
/* What both forms of a trace have in common: devices, the effect of each action, and damage. */
#include "blktrace.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void blktrace_damage(struct blktrace *b, int status, uint64_t bytes, const char *format, ...)
{
	char text[512];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	b->damaged_places++;
	b->damaged_bytes += bytes;
	blktrace_emit_lost(b, 0, bytes, text);
	if (b->damage.status == IOT_OK)
		error_set(&b->damage, status, "%s", text);
}

/* Devices */

/* Returns the index of a device; SIZE_MAX on failure. */
static size_t device_index(struct blktrace *b, uint32_t number)
{
	const size_t i = idmap_number(&b->device_numbers, number);
	if (i >= BLKTRACE_DEVICES_MAX && i != SIZE_MAX) {
		b->status = error_set(&b->src->error, IOT_ELIMIT, "more than %d devices",
				      BLKTRACE_DEVICES_MAX);
		return SIZE_MAX;
	}
	if (!array_reserve_index(&b->devices, &b->device_capacity, i, sizeof *b->devices)) {
		(void)blktrace_no_memory(b);
		return SIZE_MAX;
	}
	if (b->devices[i] == NULL) {
		struct blktrace_device *device = calloc(1, sizeof *device);
		if (device == NULL) {
			(void)blktrace_no_memory(b);
			return SIZE_MAX;
		}
		device->number = number;
		device->skipped = b->has_device && number != b->device;
		b->devices[i] = device;
	}
	return i;
}

/* The requests of a device that passes them on to another one are not converted. */
static bool remap(struct blktrace *b, const struct blktrace_action_record *r)
{
	if (r->other_device == r->device)
		return true;
	const size_t upper = device_index(b, r->other_device);
	if (upper == SIZE_MAX)
		return false;
	b->devices[upper]->upper = true;
	b->devices[upper]->skipped |= !b->has_device;
	return true;
}

bool blktrace_declare_remap(struct blktrace *b, const struct blktrace_action_record *r)
{
	return r->action != BLKTRACE_REMAP || remap(b, r);
}

/* Actions */

static void add_total(struct blktrace_device *device, unsigned phase,
		      const struct blktrace_action_record *r)
{
	struct blktrace_total *total = &device->total[phase][blktrace_kind(r)];
	total->count++;
	total->bytes += r->bytes;
}

static bool process_request(struct blktrace *b, const struct blktrace_action_record *r,
			    size_t device)
{
	switch (r->action) {
	case BLKTRACE_QUEUE:
		add_total(b->devices[device], BLKTRACE_QUEUED, r);
		return blktrace_request_queue(b, r);
	case BLKTRACE_ISSUE:
		add_total(b->devices[device], BLKTRACE_ISSUED, r);
		return b->by_queue || blktrace_request_issue(b, r, device);
	case BLKTRACE_REQUEUE:
		if (!b->by_queue)
			blktrace_request_requeue(b, r, device);
		return true;
	case BLKTRACE_SPLIT:
		return blktrace_request_split(b, r, device);
	default:
		add_total(b->devices[device], BLKTRACE_COMPLETED, r);
		return blktrace_request_complete(b, r, device);
	}
}

/* Text does not mark them, but shows no sectors. A failed request may have completed none. */
static bool is_passthrough(const struct blktrace_action_record *r)
{
	return (r->categories & BLKTRACE_PASSTHROUGH) != 0 ||
	       (r->bytes == 0 && (r->categories & BLKTRACE_FLUSH) == 0 && r->error == 0 &&
		r->action != BLKTRACE_SPLIT);
}

static bool process_device(struct blktrace *b, const struct blktrace_action_record *r)
{
	const size_t device = device_index(b, r->device);
	if (device == SIZE_MAX)
		return false;
	if (b->devices[device]->skipped) {
		b->skipped++;
		return true;
	}
	if (is_passthrough(r)) {
		b->passthrough++;
		return true;
	}
	if (!blktrace_request_fits(r)) {
		b->beyond++;
		return true;
	}
	b->unaligned += r->bytes % BLKTRACE_SECTOR != 0;
	if (b->is_text && r->text.size > 0 &&
	    (r->action == BLKTRACE_QUEUE || r->action == BLKTRACE_ISSUE) &&
	    !blktrace_emit_process(b, r->pid, r->text))
		return false;
	return process_request(b, r, device);
}

static bool is_of_request(uint32_t action)
{
	const uint32_t set = 1U << BLKTRACE_QUEUE | 1U << BLKTRACE_ISSUE | 1U << BLKTRACE_COMPLETE |
			     1U << BLKTRACE_REQUEUE | 1U << BLKTRACE_SPLIT;
	return (set >> action & 1) != 0;
}

static void report_gap(struct blktrace *b, uint32_t missing)
{
	if (missing > 0)
		blktrace_emit_lost(b, missing, 0, "sequence numbers are missing");
}

bool blktrace_process(struct blktrace *b, const struct blktrace_action_record *r)
{
	b->actions[r->action]++;
	b->src->report.calls++;
	b->backwards += r->time_ns < b->now_ns;
	b->now_ns = r->time_ns > b->now_ns ? r->time_ns : b->now_ns;
	if (!b->is_text)
		report_gap(b, blktrace_sequence_missing(b, r));
	if (is_of_request(r->action))
		return process_device(b, r);
	switch (r->action) {
	case BLKTRACE_REMAP:
		return remap(b, r);
	case BLKTRACE_PROCESS:
		return blktrace_emit_process(b, r->pid, r->text);
	case BLKTRACE_MESSAGE:
		blktrace_emit_message(b, r);
		return true;
	default:
		return b->status == IOT_OK;
	}
}
