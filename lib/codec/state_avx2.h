/* SPDX-License-Identifier: BSD-2-Clause */
/* The state (predict_state.h) searched and changed with wide registers: where iot_decode_wide_works. */
#ifndef LIB_CODEC_STATE_AVX2_H
#define LIB_CODEC_STATE_AVX2_H

#include <immintrin.h>

#include "state.h"

#define IOT_WIDE   __attribute__((target("avx2,bmi,bmi2")))
#define IOT_INLINE IOT_WIDE inline __attribute__((always_inline))

enum { IOT_LANES = 8 }; /* keys looked at together */

/* A process's file table: see predict_state.h. */
struct iot_predict_table {
	uint32_t *key;
	uint8_t *slot;
	struct iot_predict_file *entry;
};

static inline struct iot_predict_table iot_predict_table(struct iot_codec *c,
							 const struct iot_predict_process *p)
{
	return (struct iot_predict_table){iot_predict_keys(c, p), iot_predict_slots(c, p),
					  iot_predict_files(c, p)};
}

/* The entry of a file that is not the latest. */
static inline const struct iot_predict_file *
iot_predict_table_entry(const struct iot_predict_table *t, int position)
{
	return &t->entry[t->slot[position] & (IOT_PHYSICAL_SLOT - 1)];
}

/* iot_predict_find. Behind fewer keys than are looked at are other parts of the table. */
static IOT_INLINE int iot_predict_find_wide(const struct iot_predict_table *t, int count,
					    uint32_t file, unsigned physical)
{
	const __m256i wanted = _mm256_set1_epi32((int)file);
	for (int i = 0; i < count; i += IOT_LANES) {
		const __m256i keys =
		    _mm256_loadu_si256((const __m256i *)(const void *)(t->key + i));
		const __m256i same = _mm256_cmpeq_epi32(keys, wanted);
		unsigned hits = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(same));
		for (; hits != 0; hits = _blsr_u32(hits)) {
			const int at = i + (int)_tzcnt_u32(hits);
			if (at < count && (t->slot[at] & IOT_PHYSICAL_SLOT) == physical)
				return at;
		}
	}
	return -1;
}

/* iot_predict_touch, without a loop for a file at one of the first positions. */
static IOT_INLINE void iot_predict_touch_wide(struct iot_codec *c, struct iot_predict_process *p,
					      const struct iot_predict_table *t, int position,
					      uint32_t file, unsigned physical)
{
	if (position < 0 || position >= IOT_LANES) {
		iot_predict_touch(c, p, position, file, physical);
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
	p->latest = t->entry[own & (IOT_PHYSICAL_SLOT - 1)];
}

#endif
