/* SPDX-License-Identifier: BSD-2-Clause */
/* Places where a stored trace can be entered. */
#include <criterion/criterion.h>
#include <zstd.h>

#include "lib/base/seek_table.h"
#include "lib/reader/seek_points.h"
#include "lib/io/zstd_frames.h"
#include "trace_tools.h"

static struct stored_input stored(struct bytes b)
{
	return (struct stored_input){.fd = -1, .memory = b.data, .size = b.size};
}

Test(seek_points, a_walk_finds_every_frame)
{
	struct bytes b = sample(100, (struct make){.compression = IOT_ZSTD, .sync = 10});
	const struct stored_input s = stored(b);
	struct zstd_frames f;
	cr_assert_eq(zstd_frames_walk(&s, &f), IOT_OK);
	cr_assert_eq(f.count, 10, "%zu", f.count);
	cr_assert_eq(f.at[0], 0);
	for (size_t i = 0; i < f.count; i++)
		cr_assert_arr_eq(b.data + f.at[i], "\x28\xb5\x2f\xfd", 4);
	zstd_frames_free(&f);
	free(b.data);
}

Test(seek_points, a_walk_goes_on_after_damage_and_ends_at_the_end)
{
	struct bytes b = sample(100, (struct make){.compression = IOT_ZSTD, .sync = 10});
	struct stored_input s = stored(b);
	struct zstd_frames whole, f;
	cr_assert_eq(zstd_frames_walk(&s, &whole), IOT_OK);
	memset(b.data + whole.at[3] + 4, 0xff, 20);
	cr_assert_eq(zstd_frames_walk(&s, &f), IOT_OK);
	cr_assert_geq(f.count, whole.count - 1);
	cr_assert_eq(f.at[f.count - 1], whole.at[whole.count - 1]);
	zstd_frames_free(&f);
	for (s.size = 0; s.size < b.size; s.size += 7) {
		cr_assert_eq(zstd_frames_walk(&s, &f), IOT_OK);
		cr_assert_leq(f.count, whole.count);
		zstd_frames_free(&f);
	}
	zstd_frames_free(&whole);
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
		struct zstd_frames f;
		cr_assert_eq(zstd_frames_walk(&s, &f), IOT_OK);
		cr_assert_eq(f.count, SEEK_POINTS_MAX / 2 + 1, "%zu", f.count);
		for (size_t i = 0; i < f.count; i++)
			cr_assert_eq(f.at[i], stride * i * size);
		zstd_frames_free(&f);
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

/* The seek table */

static struct bytes indexed(void)
{
	return sample(100, (struct make){.compression = IOT_ZSTD, .sync = 10});
}

static size_t table_size(size_t frames)
{
	return SEEK_TABLE_HEADER + frames * SEEK_TABLE_ENTRY + SEEK_TABLE_FOOTER;
}

Test(seek_points, the_seek_table_has_the_frames_of_the_walk)
{
	struct bytes b = indexed();
	const struct stored_input s = stored(b);
	struct zstd_frames walked, table;
	cr_assert_eq(zstd_frames_walk(&s, &walked), IOT_OK);
	cr_assert_eq(zstd_frames_of_table(&s, &table), 1);
	cr_assert_eq(table.count, walked.count);
	cr_assert_arr_eq(table.at, walked.at, walked.count * sizeof(*walked.at));
	zstd_frames_free(&table);
	zstd_frames_free(&walked);
	free(b.data);
}

/* Returns the sum of the records and offsets of all seek points. */
static uint64_t sum_of_points(struct bytes b)
{
	const struct stored_input s = stored(b);
	struct seek_points *points = seek_points_new(&s, IOT_ZSTD, 16, (uint64_t)1 << 27);
	struct seek_point entry = {.at = 0};
	uint64_t sum = 0;
	for (uint64_t from = 0; seek_points_next(points, from, b.size, &entry) == 1;
	     from = entry.at + 1)
		sum = sum * 31 + entry.at + entry.sync.record;
	seek_points_free(points);
	return sum;
}

Test(seek_points, a_damaged_seek_table_changes_no_result)
{
	struct bytes b = indexed();
	const uint64_t expected = sum_of_points(b);
	for (size_t i = b.size - table_size(10); i < b.size; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			b.data[i] ^= (char)(1 << bit);
			cr_assert_eq(sum_of_points(b), expected, "byte %zu, bit %u", i, bit);
			b.data[i] ^= (char)(1 << bit);
		}
	free(b.data);
}

Test(seek_points, a_seek_table_with_moved_boundaries_is_not_believed)
{
	struct bytes b = indexed();
	const uint64_t expected = sum_of_points(b);
	for (size_t i = 0; i + 1 < 10; i++) {
		char *entry =
		    b.data + b.size - table_size(10) + SEEK_TABLE_HEADER + i * SEEK_TABLE_ENTRY;
		if (entry[0] == -1 || entry[SEEK_TABLE_ENTRY] == 0)
			continue; /* would carry into the next byte */
		entry[0]++;
		entry[SEEK_TABLE_ENTRY]--;
		cr_assert_eq(sum_of_points(b), expected, "entry %zu", i);
		entry[0]--;
		entry[SEEK_TABLE_ENTRY]++;
	}
	free(b.data);
}

/* Moves bytes from entry i of the table to the next one. */
static void move_boundary(struct bytes b, size_t i, uint32_t bytes)
{
	char *entry = b.data + b.size - table_size(10) + SEEK_TABLE_HEADER + i * SEEK_TABLE_ENTRY;
	for (unsigned k = 0; k < 2; k++, entry += SEEK_TABLE_ENTRY) {
		const uint32_t size = seek_table_packed_size((unsigned char *)entry);
		const uint32_t now = k == 0 ? size - bytes : size + bytes;
		for (unsigned n = 0; n < 4; n++)
			entry[n] = (char)(now >> 8 * n);
	}
}

static uint64_t frame_at(struct bytes b, size_t i)
{
	const char *entry = b.data + b.size - table_size(10) + SEEK_TABLE_HEADER;
	uint64_t at = 0;
	for (size_t k = 0; k < i; k++, entry += SEEK_TABLE_ENTRY)
		at += seek_table_packed_size((const unsigned char *)entry);
	return at;
}

Test(seek_points, what_is_found_does_not_depend_on_earlier_searches)
{
	struct bytes b = indexed();
	const uint64_t after_second = frame_at(b, 1) + 1, after_seventh = frame_at(b, 6) + 1;
	const uint64_t size_of_seventh = frame_at(b, 7) - frame_at(b, 6);
	struct seek_point first, wrong, again;
	move_boundary(b, 1, 1);
	move_boundary(b, 6, (uint32_t)size_of_seventh); /* the table lacks the eighth frame */
	const struct stored_input s = stored(b);
	struct seek_points *points = seek_points_new(&s, IOT_ZSTD, 16, (uint64_t)1 << 27);
	cr_assert_eq(seek_points_next(points, after_seventh, b.size, &first), 1);
	cr_assert_eq(seek_points_next(points, after_second, b.size, &wrong), 1);
	cr_assert_eq(seek_points_next(points, after_seventh, b.size, &again), 1);
	cr_assert_eq(again.at, first.at);
	seek_points_free(points);
	free(b.data);
}

Test(seek_points, concatenated_files_have_no_seek_table)
{
	struct bytes b = indexed();
	struct bytes two = {malloc(2 * b.size), 2 * b.size};
	memcpy(two.data, b.data, b.size);
	memcpy(two.data + b.size, b.data, b.size);
	const struct stored_input s = stored(two);
	struct zstd_frames table;
	cr_assert_eq(zstd_frames_of_table(&s, &table), IOT_EFORMAT);
	cr_assert_null(table.at);
	free(two.data);
	free(b.data);
}

Test(seek_points, a_frame_beyond_4_gib_has_no_entry)
{
	struct seek_table t = {.data = NULL};
	size_t size;
	seek_table_add(&t, 100, UINT32_MAX);
	seek_table_add(&t, 100, (uint64_t)UINT32_MAX + 1);
	cr_assert_null(seek_table_finish(&t, &size));
	seek_table_free(&t);
}
