/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that change their order keep what %process and %file said of them. On the way in each event
 * is tagged with the directives in force for it; on the way out these are told again where others, or
 * none, are in force by then. A %process or %file itself goes its way like any event, and is told
 * unless it says nothing new where it comes to stand.
 */
#ifndef LIB_FILTER_SCOPE_H
#define LIB_FILTER_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"

struct iot_telling; /* a %process or %file */
struct iot_bearing; /* the tellings that an event is under */
struct iot_subject; /* a process or a file, and what is told of it on both sides */

enum { IOT_RETOLD_RECENT = 256 };

/* The bearing of a file that was looked up lately. */
struct iot_recent {
	uint32_t process, file, kind, bearing;
};

struct iot_retold {
	struct iot_error *error;
	struct iot_telling *telling; /* [0] stands for none, as bearing [0] does */
	struct iot_bearing *bearing;
	struct iot_subject *subject; /* a hash table */
	size_t tellings, telling_room, bearings, bearing_room, subjects, slots;
	uint32_t free_telling, free_bearing; /* lists; 0: empty */
	size_t used;                         /* bytes */
	uint64_t seed;
	struct iot_recent in[IOT_RETOLD_RECENT], out[IOT_RETOLD_RECENT];
};

typedef int iot_retold_fn(void *context, const struct iot_event *ev, size_t n);

/* IOT_OK or IOT_ENOMEM. */
int iot_retold_init(struct iot_retold *r, struct iot_error *error);
void iot_retold_free(struct iot_retold *r);

/*
 * Tags n events, in the order of the input: rec.object of records, rec.offset of directives are
 * taken for that, and what %process and %file say is kept here instead of in their text.
 */
int iot_retold_in(struct iot_retold *r, struct iot_event *ev, size_t n);
/* Hands events that were tagged, in whatever order, to `put`, with the directives they need. */
int iot_retold_out(struct iot_retold *r, struct iot_event *ev, size_t n, iot_retold_fn *put,
		   void *context);

#endif
