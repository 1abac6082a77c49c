/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests of iotrace mount: buffers with an appender, and transfers. */
#ifndef TESTS_MOUNT_TOOLS_H
#define TESTS_MOUNT_TOOLS_H

#include <criterion/criterion.h>
#include <string.h>

#include "cli/mount/buffers.h"
#include "record/ring.h"

struct mount_buffers {
	struct clock_map clock;
	struct buffer_pair pair;
	struct appender appender;
};

static inline void mount_buffers_init(struct mount_buffers *b, bool drop)
{
	*b = (struct mount_buffers){.clock = {.clock = RECORD_MONOTONIC}};
	clock_map_start(&b->clock, RECORD_MONOTONIC);
	cr_assert(buffers_init(&b->pair, BUFFERS_SIZE_MIN, drop, &b->clock));
	buffers_join(&b->pair, &b->appender);
}

static inline struct record_transfer mount_transfer(uint32_t description, int64_t offset,
						    uint64_t length)
{
	return (struct record_transfer){.head = {.size = sizeof(struct record_transfer),
						 .kind = RECORD_TRANSFER,
						 .description = description},
					.offset = offset,
					.length = length,
					.start = (uint64_t)offset + 1,
					.end = (uint64_t)offset + 2};
}

/* Appends a transfer whose offset is its number. */
static inline bool mount_append(struct buffer_pair *b, struct appender *a, uint32_t tid,
				uint64_t number)
{
	const struct record_transfer t = mount_transfer(1, (int64_t)number, 1);
	return buffers_append(b, a, (struct buffered){7, tid}, &t, sizeof(t));
}

/* Stores up to `capacity` transfers of the full buffer, empties it, and returns their number. */
static inline size_t mount_take(struct buffer_pair *b, struct record_transfer *found,
				size_t capacity)
{
	struct buffer *full = buffers_take(b);
	const unsigned char *record;
	struct buffered who;
	size_t at = 0, used = 0, size, n = 0;
	if (full == NULL)
		return 0;
	for (; (record = buffers_next(full, &at, &used, &who, &size)) != NULL; n++) {
		cr_assert_eq(size, sizeof(*found));
		cr_assert_eq(who.pid, 7);
		cr_assert_lt(n, capacity);
		memcpy(&found[n], record, size);
	}
	buffers_return(b, full);
	return n;
}

#endif
