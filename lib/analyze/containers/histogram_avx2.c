/* SPDX-License-Identifier: BSD-2-Clause */
#include "histogram_avx2.h"

#ifdef __x86_64__

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

bool histogram_avx2_works(void)
{
	return __builtin_cpu_supports("avx2");
}

/*
 * As histogram_index: the exponent and the first 5 bits of the mantissa of v - 1 as a double, which
 * the difference of 2^52 + (v - 1) and 2^52 is.
 */
AVX2 static inline __m256i bins_of(__m256i v)
{
	const __m256i exponent = _mm256_set1_epi64x(0x433LL << 52); /* of 2^52 */
	const __m256i u = _mm256_sub_epi64(v, _mm256_set1_epi64x(1));
	const __m256d number = _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(u, exponent)),
					     _mm256_castsi256_pd(exponent));
	const __m256i bin = _mm256_sub_epi64(_mm256_srli_epi64(_mm256_castpd_si256(number), 47),
					     _mm256_set1_epi64x(32 * 1023 + 127));
	return _mm256_blendv_epi8(v, bin, _mm256_cmpgt_epi64(v, _mm256_set1_epi64x(32)));
}

AVX2 static inline __m256i min_of(__m256i a, __m256i b)
{
	return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
}

AVX2 static inline __m256i max_of(__m256i a, __m256i b)
{
	return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b));
}

AVX2 static void reduce(struct histogram_sums *to, const __m256i lanes[5])
{
	uint64_t of[5][HISTOGRAM_LANES];
	for (unsigned i = 0; i < 5; i++)
		_mm256_storeu_si256((__m256i *)of[i], lanes[i]);
	*to = (struct histogram_sums){.min = of[2][0]};
	for (unsigned i = 0; i < HISTOGRAM_LANES; i++) {
		to->sum += of[0][i];
		to->squares += of[1][i];
		to->min = of[2][i] < to->min ? of[2][i] : to->min;
		to->max = of[3][i] > to->max ? of[3][i] : to->max;
		to->bits |= of[4][i];
	}
}

AVX2 void histogram_sum_avx2(const uint64_t *values, size_t n, struct histogram_sums *sums,
			     uint64_t *bins)
{
	__m256i sum = _mm256_setzero_si256(), squares = sum, max = sum, bits = sum;
	__m256i min = _mm256_set1_epi64x(INT64_MAX);
	for (size_t i = 0; i < n; i += HISTOGRAM_LANES) {
		const __m256i v = _mm256_loadu_si256((const __m256i *)(values + i));
		sum = _mm256_add_epi64(sum, v);
		squares = _mm256_add_epi64(squares, _mm256_mul_epu32(v, v));
		min = min_of(min, v);
		max = max_of(max, v);
		bits = _mm256_or_si256(bits, v);
		_mm256_storeu_si256((__m256i *)(bins + i), bins_of(v));
	}
	reduce(sums, (const __m256i[5]){sum, squares, min, max, bits});
}

#else

bool histogram_avx2_works(void)
{
	return false;
}

void histogram_sum_avx2(const uint64_t *values, size_t n, struct histogram_sums *sums,
			uint64_t *bins)
{
	(void)values, (void)n, (void)sums, (void)bins;
}

#endif
