/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plants a secret in the text of a comment or directive, in spellings that an anonymizer could
 * misinterpret, and finds it in any spelling.
 */
#ifndef FUZZ_PLANT_H
#define FUZZ_PLANT_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <iotrace/iotrace.h>

/* Consists of letters that pseudonyms do not contain, so none of them matches by chance. */
#define PLANT_SECRET "HEALTHILY"

/*
 * The text around the secret, and its position: in place of the value (or word), after it, before
 * it, ...
 */
enum plant_where { PLANT_VALUE, PLANT_AFTER, PLANT_BEFORE, PLANT_KEY, PLANT_WORD };
static const struct plant_form {
	enum plant_where where;
	const char *text;
} plant_forms[] = {
    {PLANT_VALUE, "HEALTHILY"},
    {PLANT_VALUE, "healthily"},
    {PLANT_VALUE, "EHEALTHILY"},
    {PLANT_VALUE, "POSIX_HEALTHILY"},
    {PLANT_VALUE, "%48%65althily"},
    {PLANT_VALUE, "1%2CHealthily"},
    {PLANT_VALUE, "/usr/HEALTHILY/x.HEALTHILY"},
    {PLANT_AFTER, "HEALTHILY"},
    {PLANT_AFTER, ",HEALTHILY"},
    {PLANT_AFTER, ".healthily"},
    {PLANT_BEFORE, "HEALTHILY"},
    {PLANT_BEFORE, "HEALTHILY,"},
    {PLANT_KEY, "HEALTHILY"},
    {PLANT_KEY, "POSIX_HEALTHILY"},
    {PLANT_KEY, "hidden.HEALTHILY"},
    {PLANT_WORD, "HEALTHILY"},
    {PLANT_WORD, "HEALTHILY=1"},
    {PLANT_WORD, "POSIX_HEALTHILY=1"},
    {PLANT_WORD, "ambiguous.healthily=1"},
    {PLANT_WORD, "result=EHEALTHILY"},
    {PLANT_WORD, "HEATMAP_READ_BIN_HEALTHILY=1"},
};

enum { PLANT_FORMS = sizeof(plant_forms) / sizeof(*plant_forms), PLANT_CAPACITY = 4096 };

/*
 * Writes `text` with the secret planted at word number `place`, from 0; returns the size, 0 if
 * it has fewer words.
 */
static inline size_t plant(char *out, struct iot_text text, size_t place, unsigned form)
{
	const struct plant_form *f = &plant_forms[form % PLANT_FORMS];
	const char *word = text.data, *const end = text.data + text.size;
	for (;; word++) {
		while (word < end && *word == ' ')
			word++;
		if (word == end)
			return 0;
		if (place-- == 0)
			break;
		while (word < end && *word != ' ')
			word++;
		if (word == end)
			return 0;
	}
	const char *after = memchr(word, ' ', (size_t)(end - word));
	after = after != NULL ? after : end;
	const char *equals = memchr(word, '=', (size_t)(after - word));
	const char *value = equals != NULL ? equals + 1 : word;
	const char *from = f->where == PLANT_AFTER || f->where == PLANT_WORD ? after
			   : f->where == PLANT_KEY                           ? word
									     : value;
	const char *to = f->where == PLANT_VALUE                   ? after
			 : f->where == PLANT_KEY && equals != NULL ? equals
								   : from;
	const int size =
	    snprintf(out, PLANT_CAPACITY, "%.*s%s%s%.*s", (int)(from - text.data), text.data,
		     f->where == PLANT_WORD ? " " : "", f->text, (int)(end - to), to);
	return size > 0 && size < PLANT_CAPACITY ? (size_t)size : 0;
}

static inline int plant_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c != '\0' ? strchr(digits, c | 32) : NULL;
	return at != NULL ? (int)(at - digits) : -1;
}

/* Returns whether the text contains the secret, in any case, percent-encoded or not. */
static inline bool plant_is_in(const char *text, size_t size)
{
	const size_t length = sizeof(PLANT_SECRET) - 1;
	size_t found = 0;
	for (size_t start = 0; start < size; start++) {
		size_t i = start;
		for (found = 0; i < size && found < length; found++, i++) {
			int c = (unsigned char)text[i];
			if (c == '%' && i + 2 < size && plant_digit(text[i + 1]) >= 0 &&
			    plant_digit(text[i + 2]) >= 0) {
				c = 16 * plant_digit(text[i + 1]) + plant_digit(text[i + 2]);
				i += 2;
			}
			if ((c & ~32) != PLANT_SECRET[found])
				break;
		}
		if (found == length)
			return true;
	}
	return false;
}

#endif
