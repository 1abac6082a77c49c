/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hexadecimal lines, fast: the nibbles of a number are spread over eight bytes at once and become digits at once; the
 * leading zeros are shifted out. No branch depends on how many digits a number has.
 */
#include "encode.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "number.h"

#define WIDE   __attribute__((target("ssse3,bmi,bmi2,lzcnt")))
#define INLINE WIDE inline __attribute__((always_inline))

/* At most eight digits and a blank; eight bytes are written whatever there is. */
static INLINE char *put_short(char *out, uint32_t v)
{
	const __m128i digits = _mm_setr_epi8('0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a',
					     'b', 'c', 'd', 'e', 'f');
	const uint64_t unused = _lzcnt_u32(v | 1) / 4; /* of eight digits */
	const __m128i nibbles = _mm_cvtsi64_si128((long long)_pdep_u64(v, 0x0f0f0f0f0f0f0f0fU));
	uint64_t text = (uint64_t)_mm_cvtsi128_si64(_mm_shuffle_epi8(digits, nibbles));
	text = __builtin_bswap64(text) >> (8 * unused);
	memcpy(out, &text, sizeof text);
	out[8 - unused] = ' ';
	return out + 9 - unused;
}

#define ROW(h)                                                                                     \
	{h, '0', ' '}, {h, '1', ' '}, {h, '2', ' '}, {h, '3', ' '}, {h, '4', ' '}, {h, '5', ' '},  \
	    {h, '6', ' '}, {h, '7', ' '}, {h, '8', ' '}, {h, '9', ' '}, {h, 'a', ' '},             \
	    {h, 'b', ' '}, {h, 'c', ' '}, {h, 'd', ' '}, {h, 'e', ' '},                            \
	{                                                                                          \
		h, 'f', ' '                                                                        \
	}
static const char byte_text[256][4] = {
    ROW('0'), ROW('1'), ROW('2'), ROW('3'), ROW('4'), ROW('5'), ROW('6'), ROW('7'),
    ROW('8'), ROW('9'), ROW('a'), ROW('b'), ROW('c'), ROW('d'), ROW('e'), ROW('f'),
};
#undef ROW

/* One or two digits and a blank. */
static INLINE char *put_byte(char *out, unsigned v)
{
	const unsigned short_of = v < 16;
	memcpy(out, byte_text[v] + short_of, 3);
	return out + 3 - short_of;
}

static INLINE char *put(char *out, uint64_t v)
{
	if (v <= UINT32_MAX)
		return put_short(out, (uint32_t)v);
	out += iot_number_hex(out, v);
	*out = ' ';
	return out + 1;
}

static INLINE char *put_signed(char *out, int64_t v)
{
	if (v >= 0)
		return put(out, (uint64_t)v);
	*out = '-';
	return put(out + 1, 0 - (uint64_t)v);
}

static INLINE char *write_line(char *out, const struct iot_fields *f)
{
	const unsigned comp = f->compression;
	out = put_byte(out, f->type);
	out = put_byte(out, comp);
	if (!(comp & IOT_NO_BLOCK))
		out = put(out, f->offset);
	if (!(comp & IOT_NO_LENGTH))
		out = put(out, f->length);
	out = put_signed(out, f->start);
	out = put(out, f->completion);
	if (!(comp & IOT_NO_OPERATIONID))
		out = put_short(out, f->operation);
	if (!(comp & IOT_NO_FILEID))
		out = put_short(out, f->file);
	if (!(comp & IOT_NO_PROCESSID))
		out = put_short(out, f->process);
	out = put_signed(out, f->cpu);
	out[-1] = '\n';
	return out;
}

WIDE size_t iot_encode_wide(struct iot_codec *c, const struct iot_record *rec, size_t n,
			    size_t stride, char *text, size_t room, size_t *size, ssize_t *last)
{
	return iot_encode_lines_with(c, rec, n, stride, text, room, size, last, write_line);
}

#else

size_t iot_encode_wide(struct iot_codec *c, const struct iot_record *rec, size_t n, size_t stride,
		       char *text, size_t room, size_t *size, ssize_t *last)
{
	(void)rec, (void)n, (void)stride, (void)text, (void)room;
	*size = 0;
	*last = iot_encode_refuse(c, IOT_EUSAGE, "no wide registers here");
	return 0;
}

#endif
