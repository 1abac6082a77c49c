/* SPDX-License-Identifier: BSD-2-Clause */
#include "parquet_page.h"

#include "little_endian.h"

enum { BLOCK = 128, MINIBLOCKS = 4, MINIBLOCK = BLOCK / MINIBLOCKS, GROUP = 8 };

static unsigned width_of(uint64_t v)
{
	return v == 0 ? 0 : 64U - (unsigned)__builtin_clzll(v);
}

/* Bits that do not fill a byte yet. */
struct bits {
	unsigned char *to;
	uint64_t pending;
	unsigned count;
};

/* width <= 32 */
static inline void put_bits(struct bits *s, uint64_t value, unsigned width)
{
	s->pending |= value << s->count;
	for (s->count += width; s->count >= 8; s->count -= 8, s->pending >>= 8)
		*s->to++ = (unsigned char)s->pending;
}

/* Appends n values, a multiple of eight, of `width` bits each, for which there is capacity. */
static void pack(struct byte_buffer *b, const uint64_t *value, size_t n, unsigned width)
{
	struct bits s = {.to = b->data + b->size};
	for (size_t i = 0; i < n; i++) {
		put_bits(&s, value[i] & UINT32_MAX, width < 32 ? width : 32);
		if (width > 32)
			put_bits(&s, value[i] >> 32, width - 32);
	}
	b->size = (size_t)(s.to - b->data);
}

/* Appends a block of n <= BLOCK differences, which lose their minimum. */
static void put_block(struct byte_buffer *b, int64_t *delta, size_t n, unsigned bits)
{
	uint64_t packed[BLOCK] = {0}, any[MINIBLOCKS] = {0};
	int64_t min = delta[0];
	if (!byte_buffer_reserve(b, BYTE_BUFFER_VARINT_MAX + MINIBLOCKS + sizeof packed))
		return;
	for (size_t i = 1; i < n; i++)
		min = delta[i] < min ? delta[i] : min;
	for (size_t i = 0; i < n; i++) {
		packed[i] = (uint64_t)delta[i] - (uint64_t)min;
		packed[i] &= bits == 32 ? UINT32_MAX : UINT64_MAX;
		any[i / MINIBLOCK] |= packed[i];
	}
	byte_buffer_varint(b, byte_buffer_zigzag(min));
	for (size_t m = 0; m < MINIBLOCKS; m++)
		b->data[b->size++] = (unsigned char)width_of(any[m]);
	for (size_t m = 0; m * MINIBLOCK < n; m++)
		pack(b, packed + m * MINIBLOCK, MINIBLOCK, width_of(any[m]));
}

/* Differences wrap in the width of the values. */
static int64_t difference(uint64_t a, uint64_t b, unsigned bits)
{
	return bits == 32 ? (int64_t)(int32_t)(uint32_t)(b - a) : (int64_t)(b - a);
}

void parquet_page_deltas(struct byte_buffer *b, const uint64_t *value, size_t n, unsigned bits)
{
	int64_t delta[BLOCK];
	if (n == 0 || !byte_buffer_reserve(b, 4 * (size_t)BYTE_BUFFER_VARINT_MAX))
		return;
	byte_buffer_varint(b, BLOCK);
	byte_buffer_varint(b, MINIBLOCKS);
	byte_buffer_varint(b, n);
	byte_buffer_varint(b, byte_buffer_zigzag(difference(0, value[0], bits)));
	for (size_t at = 1; at < n; at += BLOCK) {
		const size_t some = n - at < BLOCK ? n - at : BLOCK;
		for (size_t i = 0; i < some; i++)
			delta[i] = difference(value[at + i - 1], value[at + i], bits);
		put_block(b, delta, some, bits);
	}
}

static size_t run_length(const uint32_t *value, size_t n)
{
	size_t i = 1;
	while (i < n && value[i] == value[0])
		i++;
	return i;
}

static void put_run(struct byte_buffer *b, uint32_t value, size_t count, unsigned width)
{
	char bytes[sizeof value];
	if (!byte_buffer_reserve(b, BYTE_BUFFER_VARINT_MAX + sizeof bytes))
		return;
	byte_buffer_varint(b, (uint64_t)count << 1);
	(void)put_u32(bytes, value);
	byte_buffer_append(b, bytes, (width + 7) / 8);
}

/* Appends n values in whole groups, and fills the last group with zeros. */
static void put_groups(struct byte_buffer *b, const uint32_t *value, size_t n, unsigned width)
{
	const size_t groups = (n + GROUP - 1) / GROUP;
	if (!byte_buffer_reserve(b, BYTE_BUFFER_VARINT_MAX + groups * GROUP * sizeof *value))
		return;
	byte_buffer_varint(b, (uint64_t)groups << 1 | 1);
	for (size_t at = 0; at < n; at += GROUP) {
		uint64_t some[GROUP] = {0};
		for (size_t i = 0; i < GROUP && at + i < n; i++)
			some[i] = value[at + i];
		pack(b, some, GROUP, width);
	}
}

void parquet_page_runs(struct byte_buffer *b, const uint32_t *value, size_t n, unsigned width)
{
	for (size_t at = 0, end; at < n; at = end) {
		const size_t run = run_length(value + at, n - at);
		end = at + run;
		if (run >= GROUP) {
			put_run(b, value[at], run, width);
			continue;
		}
		for (end = at; end < n && run_length(value + end, n - end) < GROUP;)
			end = n - end < GROUP ? n : end + GROUP;
		put_groups(b, value + at, end - at, width);
	}
}

void parquet_page_levels(struct byte_buffer *b, const uint8_t *bits, size_t n)
{
	const size_t at = b->size, size = (n + 7) / 8;
	byte_buffer_append(b, "\0\0\0", 4);
	if (bits == NULL)
		put_run(b, 1, n, 1);
	else if (byte_buffer_reserve(b, BYTE_BUFFER_VARINT_MAX + size)) {
		byte_buffer_varint(b, (uint64_t)size << 1 | 1);
		byte_buffer_append(b, bits, size);
	}
	if (!b->failed)
		(void)put_u32((char *)b->data + at, (uint32_t)(b->size - at - 4));
}
