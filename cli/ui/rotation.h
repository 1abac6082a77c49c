/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --rotate: an output in numbered parts, OUT.0001.iot.zst and so on. A part ends when it has a
 * size, or after a time. No existing file is replaced: a new number follows those that exist.
 */
#ifndef CLI_UI_ROTATION_H
#define CLI_UI_ROTATION_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "options.h"

struct rotation {
	uint64_t bytes, period_ns; /* limits of a part; both 0: the output has no parts */
	uint64_t keep;             /* number of newest parts that are not removed; 0: all */
	char path[PATH_MAX];       /* of the output, to which numbers are added */
	uint64_t due_ns;           /* when the current part ends, if period_ns is not 0 */
};

/* Parses SIZE or TIME into that limit of the struct rotation that is the target. */
option_fn rotation_parse;

static inline bool rotation_wanted(const struct rotation *r)
{
	return r->bytes > 0 || r->period_ns > 0;
}

/* Returns whether a part with this number of bytes has ended at a time of the monotonic clock. */
static inline bool rotation_is_due(const struct rotation *r, uint64_t bytes, uint64_t now_ns)
{
	return (r->bytes > 0 && bytes >= r->bytes) || (r->period_ns > 0 && now_ns >= r->due_ns);
}

/*
 * Stores the name of the next part, which begins now, and removes the parts that are not kept.
 * Returns 0, or an errno.
 */
int rotation_next(struct rotation *r, uint64_t now_ns, char name[PATH_MAX]);
/* The same for the newest part that exists, to which is appended, or the first one. */
int rotation_resume(struct rotation *r, uint64_t now_ns, char name[PATH_MAX]);

#endif
