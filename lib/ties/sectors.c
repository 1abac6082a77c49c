/* SPDX-License-Identifier: BSD-2-Clause */
#include "sectors.h"

uint32_t sectors_device(const struct tie_match *m, const struct iot_record *rec)
{
	const size_t n = idmap_find(&m->disks, rec->file);
	return n != SIZE_MAX ? m->device[n] : 0;
}

bool sectors_are_ambiguous(const struct tie_match *m, const struct iot_record *rec)
{
	const uint32_t device = sectors_device(m, rec);
	struct extent_part part;
	uint64_t end = 0; /* of the preceding parts, as a sector */
	uint32_t object = 0;
	size_t at = 0;
	while (device != 0 && extents_next_of_disk(&m->extents, device - 1, rec->offset,
						   rec->length, &at, &part)) {
		const struct extent *e = part.extent;
		const uint64_t begin = e->sector + part.begin / IOT_BLOCK_SIZE;
		if (begin < end && e->object != object)
			return true;
		if (end < e->sector + part.end / IOT_BLOCK_SIZE)
			end = e->sector + part.end / IOT_BLOCK_SIZE;
		object = e->object;
	}
	return false;
}

bool sectors_are_elsewhere(const struct tie_match *m, const struct iot_record *rec, uint32_t row)
{
	const uint32_t device = sectors_device(m, rec);
	const struct tie_row *r = &m->row[row];
	struct extent_part part;
	size_t at = 0;
	bool any = false;
	while (device != 0 && extents_next_of_disk(&m->extents, device - 1, rec->offset,
						   rec->length, &at, &part)) {
		if (part.extent->object == r->object)
			return false;
		any = true;
	}
	return any || r->mapped;
}

/*
 * Adds the bytes of each part to the file that has them. Bytes in several extents of one file count
 * once. Returns the sum.
 */
static uint64_t split(struct tie_match *m, const struct iot_record *rec, uint32_t device)
{
	const int d = rec->type & IOT_WRITE ? TIE_WRITE : TIE_READ;
	struct extent_part part;
	uint64_t sum = 0, end = rec->offset * IOT_BLOCK_SIZE; /* of the preceding parts */
	size_t at = 0;
	while (extents_next_of_disk(&m->extents, device, rec->offset, rec->length, &at, &part)) {
		const uint64_t base = part.extent->sector * IOT_BLOCK_SIZE;
		const uint64_t from = base + part.begin > end ? base + part.begin : end;
		const size_t row = idmap_find(&m->rows, part.extent->object);
		if (row == SIZE_MAX || base + part.end <= from)
			continue;
		m->row[row].physical[d] += base + part.end - from;
		sum += base + part.end - from;
		end = base + part.end;
	}
	return sum;
}

uint64_t sectors_credit(struct tie_match *m, const struct iot_record *rec, const struct tie *tie)
{
	const uint64_t bytes = rec->length * IOT_BLOCK_SIZE;
	const uint32_t device = sectors_device(m, rec);
	uint64_t sum = 0;
	if (tie->kind == TIE_NONE)
		return 0;
	if (tie->kind != TIE_DIRECT && device != 0 && !sectors_are_ambiguous(m, rec))
		sum = split(m, rec, device - 1);
	if (sum > 0)
		return sum;
	m->row[tie->row].physical[rec->type & IOT_WRITE ? TIE_WRITE : TIE_READ] += bytes;
	return bytes;
}
