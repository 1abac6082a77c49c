/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks schemas and arrays against the rules of Arrow's C data interface and columnar format.
 * Functions return NULL, or the rule that is broken.
 */
#ifndef FUZZ_ARROW_VALID_H
#define FUZZ_ARROW_VALID_H

#include <stdint.h>
#include <string.h>

#include <iotrace/arrow.h>

#define ARROW_RULE(cond)                                                                           \
	do {                                                                                       \
		if (!(cond))                                                                       \
			return #cond;                                                              \
	} while (0)

static inline size_t arrow_width(const char *format)
{
	return strchr("lL", format[0]) != NULL || strcmp(format, "tsn:UTC") == 0 ? 8
	       : strchr("iI", format[0]) != NULL                                 ? 4
										 : 0;
}

static inline const char *arrow_valid_schema(const struct ArrowSchema *s)
{
	ARROW_RULE(s->release != NULL);
	ARROW_RULE(strcmp(s->format, "+s") == 0 && s->dictionary == NULL);
	ARROW_RULE(s->n_children > 0 && s->children != NULL);
	for (int64_t i = 0; i < s->n_children; i++) {
		const struct ArrowSchema *c = s->children[i];
		ARROW_RULE(c->release != NULL && c->name != NULL && c->name[0] != '\0');
		ARROW_RULE(arrow_width(c->format) > 0 && c->n_children == 0);
		ARROW_RULE(c->flags == ARROW_FLAG_NULLABLE);
		if (c->dictionary == NULL)
			continue;
		ARROW_RULE(strcmp(c->format, "i") == 0);
		ARROW_RULE(c->dictionary->release != NULL);
		ARROW_RULE(strcmp(c->dictionary->format, "u") == 0);
	}
	return NULL;
}

static inline int arrow_is_null(const struct ArrowArray *a, int64_t row)
{
	const uint8_t *bits = a->buffers[0];
	return bits != NULL && !(bits[row / 8] >> row % 8 & 1);
}

/*
 * Texts are checked as this project makes them: printable, so that no byte is a control character.
 */
static inline const char *arrow_valid_texts(const struct ArrowArray *d)
{
	ARROW_RULE(d->release != NULL && d->n_buffers == 3 && d->null_count == 0);
	ARROW_RULE(d->n_children == 0 && d->dictionary == NULL && d->offset == 0);
	const int32_t *offset = d->buffers[1];
	const unsigned char *data = d->buffers[2];
	ARROW_RULE((uintptr_t)offset % 64 == 0 && (uintptr_t)data % 64 == 0);
	ARROW_RULE(offset[0] == 0);
	for (int64_t i = 0; i < d->length; i++)
		ARROW_RULE(offset[i + 1] > offset[i]);
	for (int32_t i = 0; i < offset[d->length]; i++)
		ARROW_RULE(data[i] >= ' ' && data[i] != 0x7f);
	return NULL;
}

static inline const char *arrow_valid_codes(const struct ArrowArray *a)
{
	const int32_t *code = a->buffers[1];
	for (int64_t row = 0; row < a->length; row++)
		if (!arrow_is_null(a, row))
			ARROW_RULE(code[row] >= 0 && code[row] < a->dictionary->length);
	return arrow_valid_texts(a->dictionary);
}

static inline const char *arrow_valid_column(const struct ArrowSchema *s,
					     const struct ArrowArray *a, int64_t length)
{
	ARROW_RULE(a->release != NULL && a->length == length && a->offset == 0);
	ARROW_RULE(a->n_buffers == 2 && a->n_children == 0);
	ARROW_RULE(a->buffers[1] != NULL && (uintptr_t)a->buffers[1] % 64 == 0);
	ARROW_RULE((uintptr_t)a->buffers[0] % 64 == 0);
	int64_t nulls = 0;
	for (int64_t row = 0; row < length; row++)
		nulls += arrow_is_null(a, row);
	ARROW_RULE(nulls == a->null_count);
	ARROW_RULE((nulls > 0) == (a->buffers[0] != NULL));
	ARROW_RULE((s->dictionary != NULL) == (a->dictionary != NULL));
	return a->dictionary != NULL ? arrow_valid_codes(a) : NULL;
}

static inline const char *arrow_valid_batch(const struct ArrowSchema *s, const struct ArrowArray *a)
{
	ARROW_RULE(a->release != NULL && a->length > 0 && a->null_count == 0 && a->offset == 0);
	ARROW_RULE(a->n_buffers == 1 && a->buffers[0] == NULL && a->dictionary == NULL);
	ARROW_RULE(a->n_children == s->n_children);
	for (int64_t i = 0; i < a->n_children; i++) {
		const char *broken = arrow_valid_column(s->children[i], a->children[i], a->length);
		if (broken != NULL)
			return broken;
	}
	return NULL;
}

#endif
