/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON: the output is JSON for any input. */
#include "cli/ui/json.h"
#include "cli/ui/printable.h"
#include "page.h"

static void string_is(const char *text, size_t n, const char *wanted)
{
	struct page p;
	page_open(&p);
	json_string(&p.out, text, n);
	cr_expect_str_eq(page_text(&p), wanted);
}

Test(json, strings_are_escaped)
{
	string_is("", 0, "\"\"");
	string_is("a\"b\\c/", 6, "\"a\\\"b\\\\c/\"");
	string_is("\n\t\r\b\0\x7f", 6, "\"\\n\\t\\r\\u0008\\u0000\\u007f\"");
}

Test(json, utf8_passes_and_other_bytes_become_latin_1)
{
	string_is("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9,
		  "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
	string_is("\xff\xfe", 2, "\"\\u00ff\\u00fe\"");
	string_is("\xc3", 1, "\"\\u00c3\"");
	string_is("\xc3(", 2, "\"\\u00c3(\"");
	/* overlong, a surrogate, beyond the last character */
	string_is("\xc0\xaf", 2, "\"\\u00c0\\u00af\"");
	string_is("\xed\xa0\x80", 3, "\"\\u00ed\\u00a0\\u0080\"");
	string_is("\xf4\x90\x80\x80", 4, "\"\\u00f4\\u0090\\u0080\\u0080\"");
}

Test(json, characters_that_hide_or_turn_others_are_escaped)
{
	string_is("\xe2\x80\xae", 3, "\"\\u202e\"");
	string_is("a\xe2\x80\xa8\xe2\x81\xa6", 7, "\"a\\u2028\\u2066\"");
	string_is("\xf3\xa0\x80\x81", 4, "\"\\udb40\\udc01\"");
	string_is("\xc2\x85", 2, "\"\\u0085\"");
}

static void write_sample(struct page *p, bool pretty)
{
	struct json j = {.out = &p->out, .pretty = pretty};
	json_open(&j, NULL, '{');
	json_number(&j, "n", UINT64_MAX);
	json_signed(&j, "s", INT64_MIN);
	json_open(&j, "list", '[');
	json_bool(&j, NULL, true);
	json_exact(&j, NULL, 0.5);
	json_close(&j, ']');
	json_open(&j, "empty", '{');
	json_close(&j, '}');
	json_close(&j, '}');
}

Test(json, commas_stand_between_members_only)
{
	struct page p;
	page_open(&p);
	write_sample(&p, false);
	cr_expect_str_eq(page_text(&p), "{\"n\":18446744073709551615,\"s\":-9223372036854775808,"
					"\"list\":[true,0.5],\"empty\":{}}\n");
}

Test(json, pretty_has_a_line_for_each_member)
{
	struct page p;
	page_open(&p);
	write_sample(&p, true);
	cr_expect_str_eq(page_text(&p),
			 "{\n  \"n\": 18446744073709551615,\n  \"s\": -9223372036854775808,\n"
			 "  \"list\": [\n    true,\n    0.5\n  ],\n  \"empty\": {}\n}\n");
}

Test(json, the_next_top_begins_without_a_comma)
{
	struct page p;
	page_open(&p);
	struct json j = {.out = &p.out};
	for (int i = 0; i < 2; i++) {
		json_open(&j, NULL, '{');
		json_text(&j, "k", "v", 1);
		json_close(&j, '}');
	}
	cr_expect_str_eq(page_text(&p), "{\"k\":\"v\"}\n{\"k\":\"v\"}\n");
}

Test(out, sizes_for_human)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {{0, "0 B"},          {1023, "1023 B"},          {1024, "1.00 KiB"},
		     {10240, "10.0 KiB"}, {1023 * 1024, "1.00 MiB"}, {UINT64_MAX, "16.0 EiB"}};
	char text[32];
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		cr_expect_str_eq(printable_bytes(text, sizeof text, cases[i].bytes), cases[i].text);
}
