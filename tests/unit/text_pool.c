/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts keep their bytes while others come and go, and freed memory is used again. */
#include <criterion/criterion.h>

#include <string.h>

#include "lib/base/text_pool.h"

enum { TEXTS = 20000, SIZE_MAX_TESTED = 2 * TEXT_POOL_SHORT };

static size_t size_of(size_t i)
{
	return i * 7919 % (SIZE_MAX_TESTED + 1);
}

static bool is_filled(const char *text, size_t size, char with)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] != with)
			return false;
	return true;
}

static char *get_filled(struct text_pool *p, size_t i)
{
	char *text = text_pool_get(p, size_of(i));
	cr_assert_not_null(text);
	memset(text, (char)(i % 100), size_of(i));
	return text;
}

Test(text_pool, texts_do_not_overlap)
{
	static char *text[TEXTS];
	struct text_pool p = {.slabs = NULL};
	for (size_t i = 0; i < TEXTS; i++)
		text[i] = get_filled(&p, i);
	for (size_t i = 0; i < TEXTS; i += 2)
		text_pool_give(&p, text[i], size_of(i));
	for (size_t i = 0; i < TEXTS; i += 2)
		text[i] = get_filled(&p, i);
	for (size_t i = 0; i < TEXTS; i++)
		cr_expect(is_filled(text[i], size_of(i), (char)(i % 100)), "%zu", i);
	for (size_t i = 0; i < TEXTS; i++)
		text_pool_give(&p, text[i], size_of(i));
	text_pool_free(&p);
}

Test(text_pool, memory_of_a_freed_text_is_used_again)
{
	struct text_pool p = {.slabs = NULL};
	char *first = text_pool_get(&p, 30), *second = text_pool_get(&p, 17);
	text_pool_give(&p, first, 30);
	cr_expect_eq(text_pool_get(&p, 25), first);
	text_pool_give(&p, second, 17);
	cr_expect_neq(text_pool_get(&p, 32), second);
	text_pool_give(&p, NULL, 30);
	text_pool_free(&p);
}

/* Sizes of short and of long texts, to sizes of the same and of fewer steps. */
Test(text_pool, a_shortened_text_keeps_its_beginning)
{
	struct text_pool p = {.slabs = NULL};
	for (size_t from = 1; from <= SIZE_MAX_TESTED; from += 5) {
		for (size_t to = 0; to <= from; to += 3) {
			char *text = text_pool_get(&p, from);
			memset(text, 'x', from);
			text = text_pool_shorten(&p, text, from, to);
			cr_assert_not_null(text);
			cr_expect(is_filled(text, to, 'x'));
			text_pool_give(&p, text, to);
		}
	}
	text_pool_free(&p);
}
