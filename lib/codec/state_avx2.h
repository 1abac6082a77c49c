/* SPDX-License-Identifier: BSD-2-Clause */
/* AVX2 versions of the searches and updates in state.h, for processors where decode_avx2_works. */
#ifndef LIB_CODEC_STATE_AVX2_H
#define LIB_CODEC_STATE_AVX2_H

#include <immintrin.h>

#include "state.h"

#define AVX2          __attribute__((target("avx2,bmi,bmi2")))
#define ALWAYS_INLINE AVX2 inline __attribute__((always_inline))

enum { AVX2_LANES = 8 }; /* keys compared together */

/* A process's file table: see state.h. */
struct codec_table {
	uint32_t *key;
	uint8_t *slot;
	struct codec_file *entry;
};

static inline struct codec_table codec_table(struct iot_codec *c, const struct codec_process *p)
{
	return (struct codec_table){codec_keys(c, p), codec_slots(c, p), codec_files(c, p)};
}

/* Returns the entry of a file that is not the most recent one. */
static inline const struct codec_file *codec_table_entry(const struct codec_table *t, int position)
{
	return &t->entry[t->slot[position] & (CODEC_PHYSICAL_SLOT - 1)];
}

/*
 * AVX2 version of codec_find. The comparison may read past the last key, into other parts of the
 * table.
 */
static ALWAYS_INLINE int codec_find_avx2(const struct codec_table *t, int count, uint32_t file,
					 unsigned physical)
{
	const __m256i wanted = _mm256_set1_epi32((int)file);
	for (int i = 0; i < count; i += AVX2_LANES) {
		const __m256i keys =
		    _mm256_loadu_si256((const __m256i *)(const void *)(t->key + i));
		const __m256i same = _mm256_cmpeq_epi32(keys, wanted);
		unsigned hits = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(same));
		for (; hits != 0; hits = _blsr_u32(hits)) {
			const int at = i + (int)_tzcnt_u32(hits);
			if (at < count && (t->slot[at] & CODEC_PHYSICAL_SLOT) == physical)
				return at;
		}
	}
	return -1;
}

/* AVX2 version of codec_touch, without a loop if the file is at one of the first positions. */
static ALWAYS_INLINE void codec_touch_avx2(struct iot_codec *c, struct codec_process *p,
					   const struct codec_table *t, int position, uint32_t file,
					   unsigned physical)
{
	if (position < 0 || position >= AVX2_LANES) {
		codec_touch(c, p, position, file, physical);
		return;
	}
	__m256i *const key = (__m256i *)(void *)t->key;
	const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
	const __m256i back = _mm256_cmpgt_epi32(_mm256_set1_epi32(position + 1), lane);
	const __m256i keys =
	    _mm256_permutevar8x32_epi32(_mm256_loadu_si256(key), _mm256_add_epi32(lane, back));
	const uint8_t own = t->slot[position];
	uint64_t slots;
	memcpy(&slots, t->slot, sizeof slots);
	const uint64_t before = _bzhi_u64(slots, 8 * (unsigned)position);
	slots = (slots ^ before) & ~((uint64_t)0xff << 8 * position);
	slots |= before << 8 | own;
	_mm256_storeu_si256(key, _mm256_blend_epi32(keys, _mm256_set1_epi32((int)file), 1));
	memcpy(t->slot, &slots, sizeof slots);
	t->entry[p->latest.place] = p->latest;
	p->latest = t->entry[own & (CODEC_PHYSICAL_SLOT - 1)];
}

#endif
