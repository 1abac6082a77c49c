/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tokens of a directive, for callers that need all of them: blanks and '=' are found in 64
 * bytes at once. word_next() removes a single token from a text.
 */
#ifndef LIB_FORMAT_TOKENS_H
#define LIB_FORMAT_TOKENS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <iotrace/iotrace.h>

enum { TOKENS_BLOCK = 64 };

struct tokens {
	const char *at, *end, *block;
	uint64_t blanks, equals; /* bits of the bytes of the block, which end at `end` */
};

#ifdef __SSE2__
static inline uint64_t tokens_equal(const char *block, char c)
{
	uint64_t found = 0;
	for (unsigned i = 0; i < TOKENS_BLOCK; i += 16) {
		const __m128i text = _mm_loadu_si128((const void *)(block + i));
		const int same = _mm_movemask_epi8(_mm_cmpeq_epi8(text, _mm_set1_epi8(c)));
		found |= (uint64_t)(unsigned)same << i;
	}
	return found;
}
#else
static inline uint64_t tokens_equal(const char *block, char c)
{
	uint64_t found = 0;
	for (unsigned i = 0; i < TOKENS_BLOCK; i++)
		found |= (uint64_t)(block[i] == c) << i;
	return found;
}
#endif

static inline void tokens_load(struct tokens *t, const char *block)
{
	char tail[TOKENS_BLOCK];
	const char *text = block;
	if (t->end - block < TOKENS_BLOCK) {
		memset(tail, ' ', sizeof tail);
		memcpy(tail, block, (size_t)(t->end - block));
		text = tail;
	}
	t->block = block;
	t->blanks = tokens_equal(text, ' ') | tokens_equal(text, '\t');
	t->equals = tokens_equal(text, '=');
}

static inline struct tokens tokens_of(struct iot_text text)
{
	struct tokens t = {.at = text.data, .end = text.data + text.size};
	if (text.size > 0)
		tokens_load(&t, text.data);
	return t;
}

/* Returns the bits of the block from t->at on, loading the block that begins there if none are. */
static inline uint64_t tokens_from(struct tokens *t, const uint64_t *bits, bool invert)
{
	if (t->at - t->block >= TOKENS_BLOCK)
		tokens_load(t, t->at);
	return (invert ? ~*bits : *bits) >> (t->at - t->block);
}

/* Moves over blanks. Returns false if no token follows. */
static inline bool tokens_skip(struct tokens *t)
{
	while (t->at < t->end) {
		const uint64_t other = tokens_from(t, &t->blanks, true);
		if (other != 0) {
			t->at += __builtin_ctzll(other);
			return t->at < t->end;
		}
		t->at = t->block + TOKENS_BLOCK;
	}
	return false;
}

/* The size of a token that is longer than a block, or ends with the text. */
static inline size_t tokens_long(struct tokens *t, const char *begin)
{
	t->at = t->block + TOKENS_BLOCK;
	while (t->at < t->end) {
		const uint64_t blank = tokens_from(t, &t->blanks, false);
		if (blank != 0)
			return (size_t)(t->at - begin) + (size_t)__builtin_ctzll(blank);
		t->at += TOKENS_BLOCK;
	}
	return (size_t)(t->end - begin);
}

/*
 * Stores the next token, and the index of its first '=', which is the size of the token if it has
 * none. Returns false after the last one.
 */
static inline bool tokens_next(struct tokens *t, struct iot_text *token, size_t *equals)
{
	if (!tokens_skip(t))
		return false;
	const char *const begin = t->at;
	assert(begin != NULL);
	uint64_t blank = tokens_from(t, &t->blanks, false);
	if (blank == 0 && t->block != begin) {
		tokens_load(t, begin);
		blank = t->blanks;
	}
	const uint64_t equal = tokens_from(t, &t->equals, false);
	const size_t size = blank != 0 ? (size_t)__builtin_ctzll(blank) : tokens_long(t, begin);
	const char *found = equal != 0 ? begin + __builtin_ctzll(equal) : NULL;
	if (found == NULL && size > TOKENS_BLOCK)
		found = memchr(begin + TOKENS_BLOCK, '=', size - TOKENS_BLOCK);
	*equals = found != NULL && found < begin + size ? (size_t)(found - begin) : size;
	*token = (struct iot_text){begin, size};
	t->at = begin + size;
	return true;
}

#endif
