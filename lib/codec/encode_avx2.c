/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes ordinary records as hexadecimal lines fast: hardly any branch depends on the record's
 * contents.
 *
 *	1. Omission and scaling of offset and length are determined together.
 *	2. The eight numbers of a line, of 32 bits each, are converted to digits at once: nibbles
 *	   are spread over bytes, and leading zeros shifted out. All are written, each at the end
 *	   of the one before; an omitted field has size 0, so the next one overwrites it.
 *	3. A line with a longer number, or a negative one, is written number by number.
 *
 * Records that encode.c would reject, and first uses, are left to it, before any state changes.
 */
#include "avx2.h"
#include "record_line.h"

#if defined(__x86_64__)

#include "state_avx2.h"

#define TARGET_AVX2 AVX2
#define INLINE      ALWAYS_INLINE

/*
 * The fields of a line: times as differences, offset and length as written; the rest is taken from
 * the record.
 */
struct encoded_line {
	const struct iot_record *rec;
	__m128i extent; /* offset and length */
	uint64_t start, completion, cpu;
	unsigned compression;
};

/* Constants of write_short and choose; the constants of write_short have one lane per number. */
#define FOUR(v)                                                                                    \
	{                                                                                          \
		v, v, v, v                                                                         \
	}
#define EIGHT(v)                                                                                   \
	{                                                                                          \
		v, v, v, v, v, v, v, v                                                             \
	}
static const struct constants {
	_Alignas(32) uint64_t high[4], in_block[4], block_shift[4];
	uint32_t one[8], nine[8], top_exponent[8], drop[8], nibble[8];
	uint32_t turn[8]; /* puts the highest byte first */
	char digits[33];
} constants = {
    .high = FOUR(UINT64_MAX << 32),
    .in_block = FOUR(IOT_BLOCK_SIZE - 1),
    .block_shift = FOUR(9),
    .one = EIGHT(1),
    .nine = EIGHT(9),
    .top_exponent = EIGHT((0x9fU << 24) - 1),
    .drop = {NO_BLOCK, NO_LENGTH, 0, 0, NO_OPERATIONID, NO_FILEID, NO_PROCESSID, 0},
    .nibble = EIGHT(0x0f0f0f0f),
    .turn = {0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f, 0x00010203, 0x04050607, 0x08090a0b,
	     0x0c0d0e0f},
    .digits = "0123456789abcdef0123456789abcdef",
};
#undef FOUR
#undef EIGHT

/* Keeps the constants in memory operands: compilers would rebuild them for each line. */
static INLINE const struct constants *get_constants(void)
{
	const struct constants *k = &constants;
	__asm__("" : "+r"(k));
	return k;
}

static INLINE __m256i load(const void *constant)
{
	return _mm256_load_si256(constant);
}

static INLINE __m128i load_half(const void *constant)
{
	return _mm_load_si128(constant);
}

/* Text */

/* One or two digits, a blank, and the size of both. */
#define ONE(digit)                                                                                 \
	{                                                                                          \
		{digit, ' '}, 2                                                                    \
	}
#define TWO(high, low)                                                                             \
	{                                                                                          \
		{high, low, ' '}, 3                                                                \
	}
#define ROW(h)                                                                                     \
	TWO(h, '0'), TWO(h, '1'), TWO(h, '2'), TWO(h, '3'), TWO(h, '4'), TWO(h, '5'), TWO(h, '6'), \
	    TWO(h, '7'), TWO(h, '8'), TWO(h, '9'), TWO(h, 'a'), TWO(h, 'b'), TWO(h, 'c'),          \
	    TWO(h, 'd'), TWO(h, 'e'), TWO(h, 'f')
static const struct {
	char text[3];
	uint8_t size;
} byte_text[256] = {
    ONE('0'), ONE('1'), ONE('2'), ONE('3'), ONE('4'), ONE('5'), ONE('6'), ONE('7'),
    ONE('8'), ONE('9'), ONE('a'), ONE('b'), ONE('c'), ONE('d'), ONE('e'), ONE('f'),
    ROW('1'), ROW('2'), ROW('3'), ROW('4'), ROW('5'), ROW('6'), ROW('7'), ROW('8'),
    ROW('9'), ROW('a'), ROW('b'), ROW('c'), ROW('d'), ROW('e'), ROW('f'),
};
#undef ROW
#undef TWO
#undef ONE

/* Always writes four bytes. */
static INLINE char *put_byte(char *out, unsigned v)
{
	memcpy(out, &byte_text[v], sizeof byte_text[v]);
	return out + byte_text[v].size;
}

/* Writes a number and a blank; always writes at least 16 bytes. */
static INLINE char *put(char *out, uint64_t v)
{
	static const uint8_t places[32] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	const unsigned unused = (unsigned)__builtin_clzll(v | 1) / 4;
	const __m128i nibble = load_half(constants.nibble);
	const __m128i bytes = _mm_cvtsi64_si128((int64_t)__builtin_bswap64(v));
	const __m128i low = _mm_and_si128(bytes, nibble);
	const __m128i high = _mm_and_si128(_mm_srli_epi16(bytes, 4), nibble);
	const __m128i text =
	    _mm_shuffle_epi8(load_half(constants.digits), _mm_unpacklo_epi8(high, low));
	const __m128i used = _mm_loadu_si128((const __m128i *)(const void *)(places + unused));
	_mm_storeu_si128((__m128i *)(void *)out, _mm_shuffle_epi8(text, used));
	out[16 - unused] = ' ';
	return out + 17 - unused;
}

static INLINE char *put_signed(char *out, int64_t v)
{
	if (v >= 0)
		return put(out, (uint64_t)v);
	*out = '-';
	return put(out + 1, 0 - (uint64_t)v);
}

static TARGET_AVX2 __attribute__((noinline)) char *write_long(char *out, struct encoded_line l)
{
	const struct iot_record *rec = l.rec;
	const unsigned comp = l.compression;
	out = put_byte(out, rec->type);
	out = put_byte(out, comp);
	if (!(comp & NO_BLOCK))
		out = put(out, (uint64_t)_mm_cvtsi128_si64(l.extent));
	if (!(comp & NO_LENGTH))
		out = put(out, (uint64_t)_mm_extract_epi64(l.extent, 1));
	out = put_signed(out, (int64_t)l.start);
	out = put(out, l.completion);
	if (!(comp & NO_OPERATIONID))
		out = put(out, rec->operation);
	if (!(comp & NO_FILEID))
		out = put(out, rec->file);
	if (!(comp & NO_PROCESSID))
		out = put(out, rec->process);
	out = put_signed(out, (int64_t)l.cpu);
	out[-1] = '\n';
	return out;
}

/* Returns whether no number has more than eight digits. */
static INLINE bool is_short(const struct encoded_line *l, const struct constants *k)
{
	return (l->start | l->completion | l->cpu) >> 32 == 0 &&
	       _mm_testz_si128(l->extent, load_half(k->high));
}

/* Returns the numbers of a short line in line order. */
static INLINE __m256i numbers(const struct encoded_line *l)
{
	const __m128i times = _mm_set_epi64x((int64_t)l->completion, (int64_t)l->start);
	const __m128 first =
	    _mm_shuffle_ps(_mm_castsi128_ps(l->extent), _mm_castsi128_ps(times), 0x88);
	const __m128i ids = _mm_loadu_si128((const __m128i *)(const void *)&l->rec->operation);
	return _mm256_set_m128i(_mm_insert_epi32(ids, (int)l->cpu, 3), _mm_castps_si128(first));
}

/*
 * Counts the leading zeros among eight digits: a quarter of the difference between the exponent and
 * the exponent of 2^31. Only the highest bit of each run of ones is converted to floating
 * point, so that nothing is rounded up.
 */
static INLINE __m256i count_zeros(__m256i v, const struct constants *k)
{
	const __m256i some = _mm256_or_si256(v, load(k->one));
	const __m256i top = _mm256_andnot_si256(_mm256_srli_epi32(some, 1), some);
	const __m256i exponent = _mm256_slli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(top)), 1);
	return _mm256_srli_epi32(_mm256_sub_epi32(load(k->top_exponent), exponent), 26);
}

/* Returns the end of each number including its blank, one byte for each. */
static INLINE uint64_t find_ends(__m256i zeros, unsigned comp, const struct constants *k)
{
	const __m256i dropped = _mm256_and_si256(_mm256_set1_epi32((int)comp), load(k->drop));
	const __m256i kept = _mm256_cmpeq_epi32(dropped, _mm256_setzero_si256());
	const __m256i size = _mm256_and_si256(kept, _mm256_sub_epi32(load(k->nine), zeros));
	const __m128i half =
	    _mm_packus_epi32(_mm256_castsi256_si128(size), _mm256_extracti128_si256(size, 1));
	return (uint64_t)_mm_cvtsi128_si64(_mm_packus_epi16(half, half)) * 0x0101010101010101U;
}

/*
 * Writes the texts of two numbers, the first at `at`, each followed by a blank; returns the
 * position of the next one.
 */
static INLINE char *put_two(char *out, char *at, __m128i two, unsigned ends)
{
	_mm_storel_epi64((__m128i *)(void *)at, two);
	at = out + (uint8_t)ends;
	at[-1] = ' ';
	_mm_storeh_pi((__m64 *)(void *)at, _mm_castsi128_ps(two));
	at = out + (uint8_t)(ends >> 8);
	at[-1] = ' ';
	return at;
}

static INLINE char *write_short(char *out, const struct encoded_line *l, const struct constants *k)
{
	const __m256i v = numbers(l), zeros = count_zeros(v, k), none = _mm256_setzero_si256();
	const __m256i bytes = _mm256_shuffle_epi8(v, load(k->turn));
	const __m256i low = _mm256_and_si256(bytes, load(k->nibble));
	const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), load(k->nibble));
	const __m256i unused = _mm256_slli_epi32(zeros, 3); /* bits of text */
	__m256i ab = _mm256_shuffle_epi8(load(k->digits), _mm256_unpacklo_epi8(high, low));
	__m256i cd = _mm256_shuffle_epi8(load(k->digits), _mm256_unpackhi_epi8(high, low));
	ab = _mm256_srlv_epi64(ab, _mm256_unpacklo_epi32(unused, none));
	cd = _mm256_srlv_epi64(cd, _mm256_unpackhi_epi32(unused, none));
	const uint64_t ends = find_ends(zeros, l->compression, k);

	out = put_byte(out, l->rec->type);
	out = put_byte(out, l->compression);
	char *at = put_two(out, out, _mm256_castsi256_si128(ab), (unsigned)ends);
	at = put_two(out, at, _mm256_castsi256_si128(cd), (unsigned)(ends >> 16));
	at = put_two(out, at, _mm256_extracti128_si256(ab, 1), (unsigned)(ends >> 32));
	at = put_two(out, at, _mm256_extracti128_si256(cd, 1), (unsigned)(ends >> 48));
	at[-1] = '\n';
	return at;
}

/* State */

/*
 * Returns whether the record changes the flags of its file, or the file's last record ended beyond
 * 64 bits.
 */
static INLINE bool is_irregular(const struct iot_codec *c, const struct codec_file *had,
				const struct iot_record *rec)
{
	return ((had->flags ^ rec->flags) & ~(unsigned)c->lacks) != 0 || had->next < had->length;
}

/*
 * Makes a file that is in the table, and for which is_irregular is false, the most recent one.
 * Returns its old entry, which stays unchanged; NULL if the scalar encoder must handle the record.
 */
static TARGET_AVX2 __attribute__((noinline)) const struct codec_file *
other_file(struct iot_codec *c, struct codec_process *p, const struct iot_record *rec,
	   unsigned physical)
{
	const struct codec_table t = codec_table(c, p);
	const int position = codec_find_avx2(&t, p->count, rec->file, physical);
	if (position < 0)
		return NULL;
	const struct codec_file *had = codec_table_entry(&t, position);
	if (is_irregular(c, had, rec))
		return NULL;
	codec_touch_avx2(c, p, &t, position, rec->file, physical);
	return had;
}

/*
 * Determines which of offset, length and operationId a reader would infer, and the scaling of
 * offset and length, given the file's last record; then stores this record as the last one. Scaling
 * does not wait for the comparison, because an omitted field is overwritten.
 */
static INLINE void choose(const struct codec_file *had, struct codec_file *latest,
			  const struct constants *k, struct encoded_line *l)
{
	const __m128i zero = _mm_setzero_si128();
	const __m128i last = _mm_loadu_si128((const __m128i *)(const void *)&had->next);
	const __m128i v = _mm_loadu_si128((const __m128i *)(const void *)&l->rec->offset);
	const __m128i aligned = _mm_cmpeq_epi64(_mm_and_si128(v, load_half(k->in_block)), zero);
	const __m128i same = _mm_cmpeq_epi64(last, v);
	const __m128i whole = _mm_or_si128(same, _mm_cmpeq_epi64(v, zero));
	const __m128d blocks = _mm_castsi128_pd(_mm_andnot_si128(whole, aligned));
	const unsigned dropped = (unsigned)_mm_movemask_pd(_mm_castsi128_pd(same));
	l->extent = _mm_srlv_epi64(v, _mm_and_si128(aligned, load_half(k->block_shift)));
	/* OFFSET_IN_BLOCKS and LENGTH_IN_BLOCKS */
	l->compression |= (unsigned)_mm_movemask_pd(blocks);
	l->compression |= (dropped & 1) * NO_BLOCK | (dropped & 2) * (NO_LENGTH / 2);
	l->compression |= (unsigned)(had->operation == l->rec->operation) * NO_OPERATIONID;
	_mm_storeu_si128((__m128i *)(void *)&latest->next, _mm_add_epi64(v, _mm_bsrli_si128(v, 8)));
	latest->operation = l->rec->operation;
}

/* The part of the state that the loop over records uses. */
struct encode_regs {
	uint64_t start;
	struct codec_process *last;
};

/* Returns the process of a record that follows one of `last`; NULL if it is new. */
static INLINE struct codec_process *process_of(struct iot_codec *c, struct codec_process *last,
					       const struct iot_record *rec)
{
	return last->id == rec->process ? last : codec_process(c, rec->process);
}

static INLINE bool is_ordinary(const struct iot_record *rec)
{
	const uint64_t start = (uint64_t)rec->start_ns, end = start + rec->duration_ns;
	return (start | rec->duration_ns | end | (uint64_t)rec->cpu_ns) >> 63 == 0 &&
	       rec->type != 0xff && rec->offset <= UINT64_MAX - rec->length;
}

/* Returns false, with nothing changed, if the scalar encoder must handle the record. */
static INLINE bool encode(struct iot_codec *c, struct encode_regs *hot, struct codec_process *p,
			  const struct iot_record *rec, const struct constants *k,
			  struct encoded_line *l)
{
	if (!is_ordinary(rec))
		return false;
	unsigned comp = (unsigned)(p == hot->last) * NO_PROCESSID;
	const uint64_t start = codec_to_ticks(c, (uint64_t)rec->start_ns);
	const int64_t cpu = (int64_t)codec_to_ticks(c, (uint64_t)rec->cpu_ns);
	int64_t cpu_since;
	if (__builtin_sub_overflow(cpu, p->cpu, &cpu_since) || p->latest.physical == CODEC_NO_SLOT)
		return false;

	const uint8_t physical = (uint8_t)(~rec->type & IOT_LOGICAL);
	const struct codec_file *had = &p->latest;
	if (had->file == rec->file)
		comp |= NO_FILEID;
	if (had->file != rec->file || had->physical != physical) {
		if ((had = other_file(c, p, rec, physical)) == NULL)
			return false;
	} else if (is_irregular(c, had, rec)) {
		return false;
	}
	l->rec = rec;
	l->compression = comp;
	choose(had, &p->latest, k, l);
	l->start = start - hot->start;
	l->completion = codec_to_ticks(c, (uint64_t)rec->start_ns + rec->duration_ns) - start;
	l->cpu = (uint64_t)cpu_since;
	p->cpu = cpu;
	c->operation_written |= rec->operation != 0;
	hot->start = start;
	hot->last = p;
	return true;
}

TARGET_AVX2 size_t encode_avx2(struct iot_codec *c, const struct iot_record *rec, size_t n,
			       size_t stride, char *text, size_t capacity, size_t *size)
{
	const struct constants *const k = get_constants();
	const char *const full = text + (capacity - IOT_ENCODED_MAX);
	struct encode_regs hot = {(uint64_t)c->start, codec_at(c, c->last)};
	struct codec_process *p = process_of(c, hot.last, rec), *next;
	struct encoded_line line;
	char *out = text;
	size_t done = 0;
	for (; p != NULL && out <= full; done++, p = next) {
		const struct iot_record *const now = rec;
		rec = (const struct iot_record *)(const void *)((const char *)rec + stride);
		/* Looked up early, because the process may not be in the cache. */
		next = done + 1 < n ? process_of(c, p, rec) : NULL;
		if (!encode(c, &hot, p, now, k, &line))
			break;
		out = is_short(&line, k) ? write_short(out, &line, k) : write_long(out, line);
	}
	c->start = (int64_t)hot.start;
	c->last = codec_index(c, hot.last);
	*size = (size_t)(out - text);
	return done;
}

#else

size_t encode_avx2(struct iot_codec *c, const struct iot_record *rec, size_t n, size_t stride,
		   char *text, size_t capacity, size_t *size)
{
	(void)c, (void)rec, (void)n, (void)stride, (void)text, (void)capacity;
	*size = 0;
	return 0;
}

#endif
