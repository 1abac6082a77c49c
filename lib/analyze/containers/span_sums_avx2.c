/* SPDX-License-Identifier: BSD-2-Clause */
#include "span_sums_avx2.h"

#ifdef __x86_64__

#include <immintrin.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2")))

enum { LANES = 4, OFFSET_BITS = 62, LENGTH_BITS = 52 /* offsets and ends compare as signed */ };

AVX2 static inline __m256i load(const void *from)
{
	return _mm256_loadu_si256(from);
}

/* All bits of writes. */
AVX2 static inline __m256i mask_of(const bool *write)
{
	int bytes;
	memcpy(&bytes, write, sizeof bytes);
	return _mm256_sub_epi64(_mm256_setzero_si256(),
				_mm256_cvtepu8_epi64(_mm_cvtsi32_si128(bytes)));
}

AVX2 static inline __m256i min_of(__m256i a, __m256i b)
{
	return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
}

AVX2 static inline __m256i max_of(__m256i a, __m256i b)
{
	return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b));
}

AVX2 static inline uint64_t sum_of(__m256i v)
{
	const __m128i pair =
	    _mm_add_epi64(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
	return (uint64_t)_mm_cvtsi128_si64(pair) + (uint64_t)_mm_extract_epi64(pair, 1);
}

AVX2 static inline uint64_t bits_of(__m256i v)
{
	const __m128i pair =
	    _mm_or_si128(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
	return (uint64_t)_mm_cvtsi128_si64(pair) | (uint64_t)_mm_extract_epi64(pair, 1);
}

AVX2 static inline int64_t min_lane(__m256i v)
{
	v = min_of(v, _mm256_permute4x64_epi64(v, 0x4e));
	v = min_of(v, _mm256_permute4x64_epi64(v, 0xb1));
	return _mm_cvtsi128_si64(_mm256_castsi256_si128(v));
}

AVX2 static inline int64_t max_lane(__m256i v)
{
	v = max_of(v, _mm256_permute4x64_epi64(v, 0x4e));
	v = max_of(v, _mm256_permute4x64_epi64(v, 0xb1));
	return _mm_cvtsi128_si64(_mm256_castsi256_si128(v));
}

struct time_lanes {
	__m256i ns, write_ns, writes, bits, overlap, apart, previous;
};

AVX2 static inline struct time_lanes begin_times(void)
{
	const __m256i zero = _mm256_setzero_si256();
	return (struct time_lanes){
	    zero, zero, zero, zero, zero, _mm256_set1_epi64x(-1), _mm256_set1_epi64x(INT64_MIN)};
}

AVX2 static inline void add_times(struct time_lanes *t, __m256i start, __m256i end, __m256i mask)
{
	const __m256i ns = _mm256_sub_epi64(end, start);
	const __m256i rotated = _mm256_permute4x64_epi64(end, 0x93);
	const __m256i before = _mm256_blend_epi32(rotated, t->previous, 0x03);
	t->ns = _mm256_add_epi64(t->ns, ns);
	t->write_ns = _mm256_add_epi64(t->write_ns, _mm256_and_si256(ns, mask));
	t->writes = _mm256_sub_epi64(t->writes, mask);
	t->bits = _mm256_or_si256(t->bits, ns);
	t->overlap = _mm256_or_si256(t->overlap, _mm256_cmpgt_epi64(before, start));
	t->apart = _mm256_and_si256(t->apart, _mm256_cmpgt_epi64(end, start));
	t->previous = rotated;
}

AVX2 static inline void end_times(const struct time_lanes *t, struct span_sums *to)
{
	to->ns = sum_of(t->ns);
	to->write_ns = sum_of(t->write_ns);
	to->writes = sum_of(t->writes);
	to->large = bits_of(t->bits);
	to->apart = _mm256_movemask_epi8(_mm256_andnot_si256(t->overlap, t->apart)) == -1;
}

AVX2 static size_t sum_times(struct span_sums *to, const struct io_span *s)
{
	struct time_lanes t = begin_times();
	size_t i = 0;
	for (; i + LANES <= s->count; i += LANES)
		add_times(&t, load(s->start_ns + i), load(s->end_ns + i), mask_of(s->write + i));
	end_times(&t, to);
	return i;
}

struct range_lanes {
	__m256i bytes, bytes_written, bits, offset_bits, differs, low, extent, first_ns, last_ns;
};

AVX2 static inline void add_ranges(struct range_lanes *r, __m256i offset, __m256i length,
				   __m256i mask)
{
	r->bytes = _mm256_add_epi64(r->bytes, length);
	r->bytes_written = _mm256_add_epi64(r->bytes_written, _mm256_and_si256(length, mask));
	r->bits = _mm256_or_si256(r->bits, length);
	r->offset_bits = _mm256_or_si256(r->offset_bits, offset);
	r->low = min_of(r->low, offset);
	r->extent = max_of(r->extent, _mm256_add_epi64(offset, length));
}

AVX2 static inline void end_ranges(const struct range_lanes *r, struct span_sums *to)
{
	to->bytes = sum_of(r->bytes);
	to->bytes_written = sum_of(r->bytes_written);
	to->large |= bits_of(r->bits);
	to->differs = bits_of(r->differs);
	to->low = (uint64_t)min_lane(r->low);
	to->extent = (uint64_t)max_lane(r->extent);
	to->first_ns = min_lane(r->first_ns);
	to->last_ns = max_lane(r->last_ns);
}

AVX2 static size_t sum(struct span_sums *to, const struct io_span *s)
{
	const __m256i zero = _mm256_setzero_si256(), max = _mm256_set1_epi64x(INT64_MAX),
		      length_of_first = _mm256_set1_epi64x((int64_t)s->length[0]);
	struct time_lanes t = begin_times();
	struct range_lanes r = {
	    zero, zero, zero, zero, zero, max, zero, max, _mm256_set1_epi64x(INT64_MIN)};
	size_t i = 0;
	for (; i + LANES <= s->count; i += LANES) {
		const __m256i start = load(s->start_ns + i), end = load(s->end_ns + i),
			      length = load(s->length + i), mask = mask_of(s->write + i);
		add_times(&t, start, end, mask);
		add_ranges(&r, load(s->offset + i), length, mask);
		r.differs = _mm256_or_si256(r.differs, _mm256_xor_si256(length, length_of_first));
		r.first_ns = min_of(r.first_ns, start);
		r.last_ns = max_of(r.last_ns, end);
	}
	if (bits_of(r.offset_bits) >> OFFSET_BITS != 0 || bits_of(r.bits) >> LENGTH_BITS != 0)
		return 0;
	end_times(&t, to);
	end_ranges(&r, to);
	return i;
}

static bool is_worth(const struct io_span *s)
{
	return s->count >= 2 * LANES && __builtin_cpu_supports("avx2");
}

size_t span_sum_avx2(struct span_sums *to, const struct io_span *s)
{
	return is_worth(s) ? sum(to, s) : 0;
}

size_t span_sum_times_avx2(struct span_sums *to, const struct io_span *s)
{
	return is_worth(s) ? sum_times(to, s) : 0;
}

#else

size_t span_sum_avx2(struct span_sums *to, const struct io_span *s)
{
	(void)to, (void)s;
	return 0;
}

size_t span_sum_times_avx2(struct span_sums *to, const struct io_span *s)
{
	(void)to, (void)s;
	return 0;
}

#endif
