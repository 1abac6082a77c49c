/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The numbers of several rows need no separators, because the last digit of each has another
 * alphabet. A column that begins with + has differences. One that begins with * has a factor and
 * the least number before the others, which are multiples of the factor above the least one: times
 * are multiples of a tick. All are shorter than decimal numbers, and compress better.
 */
#include "state_column.h"

#include <string.h>

#include "lib/base/number.h"

enum {
	DECIMAL_DIGITS = 39, /* of 128 bits */
	DIGIT_BITS = 5,
	DIGITS_MAX = 26, /* of 128 bits */
	DIGIT_MASK = (1 << DIGIT_BITS) - 1
};

/*
 * The alphabet of the last digit of a number, and of its other digits; the lowest digit comes
 * first.
 */
static const char last_digit[] = "0123456789abcdefghijklmnopqrstuv";
static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZwxyz-_";

/* Saving */

bool state_put(struct state *s, size_t *size, const char *text, size_t n)
{
	if (n > STATE_LINE_MAX - *size) {
		error_set(&s->error, IOT_ELIMIT, "a row of a state does not fit in a line");
		return false;
	}
	memcpy(s->text + *size, text, n);
	*size += n;
	return true;
}

size_t state_digits(uint128 v)
{
	const uint64_t high = (uint64_t)(v >> 64), low = (uint64_t)v | 1;
	const int bits = high != 0 ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll(low);
	return ((size_t)bits + DIGIT_BITS - 1) / DIGIT_BITS;
}

/* Zigzag: 0, -1, 1, -2, ... as 0, 1, 2, 3, ... */
static uint128 difference(uint128 from, uint128 to)
{
	const uint128 d = to - from;
	return d >> 127 != 0 ? ~(d << 1) : d << 1;
}

static bool put_number(struct state *s, size_t *size, uint128 v)
{
	char text[DIGITS_MAX];
	size_t n = 0;
	for (; v > DIGIT_MASK; v >>= DIGIT_BITS)
		text[n++] = digit[v & DIGIT_MASK];
	text[n++] = last_digit[v];
	return state_put(s, size, text, n);
}

static bool put_decimal(struct state *s, size_t *size, uint128 v)
{
	char text[DECIMAL_DIGITS];
	size_t n = sizeof text;
	do
		text[--n] = (char)('0' + (unsigned)(v % 10));
	while ((v /= 10) > 0);
	return state_put(s, size, text + n, sizeof text - n);
}

/* Numbers are min + factor * what is written. */
struct column_form {
	uint128 min, factor;
	bool differences;
};

static const struct column_form plain = {0, 1, false};

/* Most numbers are small, and division of 64 bits takes a fraction of the time. */
static uint128 scaled(const struct column_form *f, uint128 v)
{
	const uint128 above = v - f->min;
	if (f->factor == 1)
		return above;
	if ((above | f->factor) <= UINT64_MAX)
		return (uint64_t)above / (uint64_t)f->factor;
	return above / f->factor;
}

static uint128 written(const struct column_form *f, uint128 before, uint128 v)
{
	return f->differences ? difference(scaled(f, before), scaled(f, v)) : scaled(f, v);
}

/* The first number has none before it. */
static uint128 before(const struct column_form *f, const struct state_column *c, size_t i)
{
	return i > 0 ? c->number[i - 1] : f->min;
}

static size_t digits_in(const struct column_form *f, const struct state_column *c)
{
	size_t digits = f->differences;
	if (f->factor > 1)
		digits += 1 + state_digits(f->factor) + state_digits(f->min);
	for (size_t i = 0; i < c->count; i++)
		digits += state_digits(written(f, before(f, c, i), c->number[i]));
	return digits;
}

static uint128 common_divisor(uint128 a, uint128 b)
{
	while (b != 0) {
		const bool is_small = (a | b) <= UINT64_MAX;
		const uint128 rest = is_small ? (uint64_t)a % (uint64_t)b : a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* The form in which all numbers are as small as a common factor makes them. */
static struct column_form scaled_form(const struct state_column *c)
{
	struct column_form f = {c->number[0], 0, false};
	for (size_t i = 1; i < c->count; i++)
		f.min = c->number[i] < f.min ? c->number[i] : f.min;
	for (size_t i = 0; i < c->count && f.factor != 1; i++)
		f.factor = common_divisor(c->number[i] - f.min, f.factor);
	return f.factor > 1 ? f : plain;
}

static struct column_form shortest_form(const struct state_column *c)
{
	const struct column_form scaled = scaled_form(c);
	const struct column_form forms[] = {
	    plain, {plain.min, plain.factor, true}, scaled, {scaled.min, scaled.factor, true}};
	size_t best = 0, min = SIZE_MAX;
	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		const size_t digits = digits_in(&forms[i], c);
		best = digits < min ? i : best;
		min = digits < min ? digits : min;
	}
	return forms[best];
}

bool state_put_numbers(struct state *s, size_t *size, const struct state_column *c)
{
	if (s->rows == 1)
		return put_decimal(s, size, c->number[0]);
	const struct column_form f = shortest_form(c);
	bool fits = f.factor == 1 || (state_put(s, size, &(char){STATE_SCALED}, 1) &&
				      put_number(s, size, f.factor) && put_number(s, size, f.min));
	fits = fits && (!f.differences || state_put(s, size, &(char){STATE_DIFFERENCES}, 1));
	for (size_t i = 0; i < c->count && fits; i++)
		fits = put_number(s, size, written(&f, before(&f, c, i), c->number[i]));
	return fits;
}

/* Loading */

static bool read_decimal(struct state_column *c, uint128 *v)
{
	bool valid = c->at < c->end;
	for (*v = 0; c->at < c->end && valid; c->at++) {
		const unsigned one = number_digit(*c->at);
		valid = one < 10 && !__builtin_mul_overflow(*v, (uint128)10, v) &&
			!__builtin_add_overflow(*v, (uint128)one, v);
	}
	return valid;
}

/* The value of each character: of a last digit, or of another one plus 32; 255: neither. */
void state_make_values(unsigned char values[256])
{
	memset(values, 255, 256);
	for (unsigned i = 0; i <= DIGIT_MASK; i++) {
		values[(unsigned char)last_digit[i]] = (unsigned char)i;
		values[(unsigned char)digit[i]] = (unsigned char)(i + DIGIT_MASK + 1);
	}
}

/* Reads a number of any size, up to 128 bits. */
static bool read_wide(const struct state *s, struct state_column *c, uint128 *v)
{
	unsigned value = DIGIT_MASK + 1;
	*v = 0;
	for (unsigned shift = 0; value > DIGIT_MASK; shift += DIGIT_BITS) {
		value = c->at < c->end ? s->value[(unsigned char)*c->at++] : 255;
		const uint128 bits = value & DIGIT_MASK;
		if (value == 255 || shift > 127 || bits << shift >> shift != bits)
			return false;
		*v |= bits << shift;
	}
	return true;
}

/* Most numbers are small, and arithmetic of 64 bits takes half the time. */
static bool read_digits(const struct state *s, struct state_column *c, uint128 *v)
{
	uint64_t small = 0;
	const char *at = c->at;
	for (unsigned shift = 0; shift + DIGIT_BITS <= 64 && at < c->end; shift += DIGIT_BITS) {
		const unsigned value = s->value[(unsigned char)*at++];
		if (value == 255)
			return false;
		small |= (uint64_t)(value & DIGIT_MASK) << shift;
		if (value <= DIGIT_MASK) {
			c->at = at;
			*v = small;
			return true;
		}
	}
	return read_wide(s, c, v);
}

static bool skip(struct state_column *c, char mark)
{
	const bool has = c->at < c->end && *c->at == mark;
	c->at += has;
	return has;
}

void state_begin_numbers(const struct state *s, struct state_column *c)
{
	c->before = c->min = 0;
	c->factor = 1;
	c->has_differences = false;
	if (s->head.rows <= 1)
		return;
	/* of digits that are wrong, no number follows */
	if (skip(c, STATE_SCALED) &&
	    (!read_digits(s, c, &c->factor) || !read_digits(s, c, &c->min)))
		c->at = c->end;
	c->has_differences = skip(c, STATE_DIFFERENCES);
}

bool state_read_number(const struct state *s, struct state_column *c, uint128 *v)
{
	if (s->head.rows == 1)
		return read_decimal(c, v);
	const bool valid = read_digits(s, c, v);
	if (c->has_differences)
		*v = c->before + (*v & 1 ? ~(*v >> 1) : *v >> 1);
	c->before = *v;
	*v = c->min + c->factor * *v;
	return valid;
}
