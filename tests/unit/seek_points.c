/* SPDX-License-Identifier: BSD-2-Clause */
/* Places where a stored trace can be entered. */
#include <criterion/criterion.h>
#include <zstd.h>

#include "lib/reader/seek_points.h"
#include "trace_tools.h"

static struct stored_input stored(struct bytes b)
{
	return (struct stored_input){.fd = -1, .memory = b.data, .size = b.size};
}

Test(seek_points, a_walk_finds_every_frame)
{
	struct bytes b = sample(100, (struct make){.compression = IOT_ZSTD, .sync = 10});
	const struct stored_input s = stored(b);
	uint64_t *at;
	size_t count;
	cr_assert_eq(zstd_frames_walk(&s, &at, &count), IOT_OK);
	cr_assert_eq(count, 10, "%zu", count);
	cr_assert_eq(at[0], 0);
	for (size_t i = 0; i < count; i++)
		cr_assert_arr_eq(b.data + at[i], "\x28\xb5\x2f\xfd", 4);
	free(at);
	free(b.data);
}

Test(seek_points, a_walk_goes_on_behind_damage_and_ends_at_the_end)
{
	struct bytes b = sample(100, (struct make){.compression = IOT_ZSTD, .sync = 10});
	struct stored_input s = stored(b);
	uint64_t *whole, *at;
	size_t count, n;
	cr_assert_eq(zstd_frames_walk(&s, &whole, &n), IOT_OK);
	memset(b.data + whole[3] + 4, 0xff, 20);
	cr_assert_eq(zstd_frames_walk(&s, &at, &count), IOT_OK);
	cr_assert_geq(count, n - 1);
	cr_assert_eq(at[count - 1], whole[n - 1]);
	free(at);
	for (s.size = 0; s.size < b.size; s.size += 7) {
		cr_assert_eq(zstd_frames_walk(&s, &at, &count), IOT_OK);
		cr_assert_leq(count, n);
		free(at);
	}
	free(whole);
	free(b.data);
}

Test(seek_points, of_more_frames_than_the_limit_a_walk_keeps_every_second_or_fourth)
{
	char frame[64];
	const size_t size = ZSTD_compress(frame, sizeof frame, "", 0, 1);
	const size_t n = 2 * SEEK_POINTS_MAX + 1;
	struct bytes b = {malloc(n * size), n * size};
	for (size_t i = 0; i < n; i++)
		memcpy(b.data + i * size, frame, size);
	for (size_t stride = 2; stride <= 4; stride *= 2) {
		struct stored_input s = stored(b);
		s.size = (stride / 2 * SEEK_POINTS_MAX + 1) * size;
		uint64_t *at;
		size_t count;
		cr_assert_eq(zstd_frames_walk(&s, &at, &count), IOT_OK);
		cr_assert_eq(count, SEEK_POINTS_MAX / 2 + 1, "%zu", count);
		for (size_t i = 0; i < count; i++)
			cr_assert_eq(at[i], stride * i * size);
		free(at);
	}
	free(b.data);
}

Test(seek_points, entries_are_found_from_any_place_on)
{
	for (int how = IOT_PLAIN; how <= IOT_ZSTD; how++) {
		struct bytes b =
		    sample(95, (struct make){.compression = (enum iot_compression)how, .sync = 10});
		const struct stored_input s = stored(b);
		struct seek_points *f =
		    seek_points_new(&s, (enum iot_compression)how, 16, (uint64_t)1 << 27);
		struct seek_point entry, none;
		uint64_t from = 0, record = 10;
		cr_assert_not_null(f);
		while (seek_points_next(f, from, b.size, &entry) == 1) {
			cr_assert_geq(entry.at, from);
			cr_assert_eq(entry.sync.record, record);
			cr_assert_eq(seek_points_next(f, from, entry.at, &none), 0);
			record += 10;
			from = entry.at + 1;
		}
		cr_assert_eq(record, 100, "compression %d", how);
		seek_points_free(f);
		free(b.data);
	}
}

static bool up_to(const void *context, const struct seek_point *e)
{
	return e->sync.record <= *(const uint64_t *)context;
}

Test(seek_points, the_last_entry_before_a_record_is_found)
{
	struct bytes b = sample(95, (struct make){.compression = IOT_GZIP, .sync = 10});
	const struct stored_input s = stored(b);
	struct seek_points *f = seek_points_new(&s, IOT_GZIP, 16, (uint64_t)1 << 27);
	struct seek_point entry;
	for (uint64_t record = 0; record < 120; record++) {
		const int found = seek_points_find(f, up_to, &record, &entry);
		cr_assert_eq(found, record >= 10);
		if (found)
			cr_assert_eq(entry.sync.record, record < 90 ? record / 10 * 10 : 90);
	}
	seek_points_free(f);
	free(b.data);
}
