/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of a %sample: in any order and form the same as token by token. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/number.h"
#include "lib/base/text.h"
#include "lib/base/word.h"
#include "lib/format/directive.h"
#include "lib/format/sample.h"

/* Random numbers, the same in each run. */
static uint64_t draw(uint64_t below)
{
	static uint64_t x = 88172645463325252;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x % below;
}

static bool take(struct sample *s, struct iot_text key, struct iot_text value)
{
	if (text_equals(key, "host"))
		s->host = value;
	else if (text_equals(key, "target"))
		s->target = value;
	else if (text_equals(key, "gap"))
		s->gap = !text_equals(value, "0");
	for (unsigned v = 0; v < SAMPLE_VALUES; v++) {
		if (!text_same(key, sample_names[v]))
			continue;
		s->known |= UINT32_C(1) << v;
		return number_decimal(value.data, value.size, &s->value[v]);
	}
	return true;
}

/* Returns whether all values are numbers and there is a host. */
static bool take_tokens(struct sample *s, const struct iot_event *ev)
{
	struct iot_text rest = ev->text, token, key, value;
	*s =
	    (struct sample){.start_ns = (uint64_t)ev->rec.start_ns, .took_ns = ev->rec.duration_ns};
	while (word_next(&rest, &token))
		if (directive_split(token, &key, &value) && !take(s, key, value))
			return false;
	return s->host.data != NULL;
}

/* Returns whether the text is a sample. In a copy, sanitizers find what is read beyond its end. */
static bool check(const char *text)
{
	const size_t size = strlen(text);
	char *copy = malloc(size);
	cr_assert_not_null(copy);
	memcpy(copy, text, size); /* without the zero at its end */
	struct iot_event ev = {.text = {copy, size}};
	struct sample found, expected;
	cr_assert_eq(iot_directive_parse(&ev, NULL), IOT_OK);
	const bool is_sample = take_tokens(&expected, &ev);
	cr_assert_eq(sample_of(&ev, &found), is_sample, "%s", text);
	if (is_sample) {
		cr_assert(text_same(found.host, expected.host), "%s", text);
		cr_assert_eq(found.target.data, expected.target.data, "%s", text);
		cr_assert_eq(found.known, expected.known, "%s", text);
		cr_assert_arr_eq(found.value, expected.value, sizeof found.value, "%s", text);
		cr_assert_eq(found.gap, expected.gap, "%s", text);
		cr_assert_eq(found.took_ns, expected.took_ns, "%s", text);
	}
	free(copy);
	return is_sample;
}

/* Appends a number of random digits, rarely something else. */
static char *put_value(char *to)
{
	static const char *const others[] = {"",   "-1", "1x",  "18446744073709551615",
					     "0x", "+",  "1.5", "18446744073709551616"};
	if (draw(200) == 0)
		return to + sprintf(to, "%s", others[draw(8)]);
	const unsigned digits = 1 + (unsigned)draw(draw(4) == 0 ? 19 : 9);
	for (unsigned i = 0; i < digits; i++)
		*to++ = (char)('0' + draw(10));
	return to;
}

static char *put_text(char *to, const char *text)
{
	return to + sprintf(to, "%s", text);
}

static char *put_blank(char *to)
{
	return put_text(to, draw(30) == 0 ? "\t" : draw(30) == 0 ? "  " : " ");
}

/* Values in the order of their names, of which some are left out, repeated or not in order. */
static char *put_values(char *to)
{
	for (unsigned v = 0; v < SAMPLE_VALUES; v++) {
		if (draw(3) == 0)
			continue;
		const unsigned other = draw(30) == 0 ? (unsigned)draw(SAMPLE_VALUES) : v;
		to = put_blank(to);
		to = put_text(to, sample_names[other].data);
		to = put_text(to, draw(100) == 0 ? "" : draw(100) == 0 ? "x=" : "=");
		to = put_value(to);
		if (draw(30) == 0)
			to = put_text(to, draw(2) == 0 ? " gap=1" : " read=5");
	}
	return to;
}

Test(sample_values, values_are_those_of_tokens)
{
	static const char *const begin[] = {"%%sample time=%u took=%u source=x",
					    "%%sample took=%u time=%u", "%%sample  time=%u took=%u",
					    "%%sample time=000%u took=%u\tsource=x"};
	unsigned samples = 0;
	for (unsigned i = 0; i < 20000; i++) {
		char text[2048], *to = text;
		to += sprintf(to, begin[draw(10) == 0 ? draw(4) : 0], (unsigned)draw(100000),
			      1 + (unsigned)draw(1000));
		if (draw(10) == 0)
			to = put_values(to);
		if (draw(50) > 0)
			to = put_text(to, " host=node1");
		if (draw(2) > 0)
			to = put_text(to, " target=a");
		to = put_values(to);
		if (draw(10) == 0)
			to = put_blank(to);
		*to = '\0';
		samples += check(text);
	}
	cr_assert_gt(samples, 5000);
	cr_assert_lt(samples, 19900);
}

Test(sample_values, forms_of_an_interval)
{
	cr_assert(check("%sample time=1 took=2 host=a"));
	cr_assert(check("%sample time=1 took=2 host=a opens=1"));
	cr_assert(check("%sample time=1 took=2 host=a opens=1 opens=2"));
	cr_assert(check("%sample time=1764320400090595000 took=9223372036854775 host=a opens=1 "
			"source=mmpmon reads=7"));
	cr_assert(check("%sample time=0000000000000000000000000000001 took=2 source=mmpmon host=a "
			"opens=1"));
	cr_assert_not(
	    check("%sample time=1 took=2 source=mmpmon target=fs opens=18446744073709551616"));
}
