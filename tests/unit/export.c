/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the export formats: lanes, protobuf messages, encoded names. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "cli/export/lanes.h"
#include "cli/export/protobuf.h"
#include "lib/base/utf8.h"
#include "lib/event_table/names.h"

Test(lanes, overlapping_slices_of_a_group_have_different_lanes)
{
	struct lanes l = {0};
	bool is_new;
	cr_assert_eq(lanes_place(&l, 1, 0, 10, &is_new), 0);
	cr_assert(is_new);
	cr_assert_eq(lanes_place(&l, 1, 5, 20, &is_new), 1);
	cr_assert(is_new);
	cr_assert_eq(lanes_place(&l, 2, 5, 20, &is_new), 0);
	cr_assert(is_new);
	cr_assert_eq(lanes_place(&l, 1, 10, 12, &is_new), 0);
	cr_assert(!is_new);
	cr_assert_eq(lanes_place(&l, 1, 19, 19, &is_new), 0);
	cr_assert(!is_new);
	lanes_free(&l);
}

Test(lanes, no_more_than_the_limit_are_used_at_a_time)
{
	struct lanes l = {0};
	bool is_new;
	for (int i = 0; i < LANES_MAX; i++)
		cr_assert_eq(lanes_place(&l, 1, 0, 10, &is_new), i);
	cr_assert_eq(lanes_place(&l, 1, 9, 10, &is_new), LANE_NONE);
	cr_assert_eq(lanes_place(&l, 1, 10, 11, &is_new), 0);
	lanes_free(&l);
}

Test(protobuf, numbers_and_nested_messages)
{
	static const unsigned char wanted[] = {
	    0x08, 0x96, 0x01,                            /* field 1: 150 */
	    0x9a, 0x01, 0x85, 0x80, 0x80, 0x00,          /* field 19: 5 bytes */
	    0x12, 0x03, 'a',  'b',  'c',                 /* field 2 */
	    0x19, 1,    0,    0,    0,    0,    0, 0, 0, /* field 3: fixed */
	};
	struct byte_buffer b = {0};
	protobuf_number(&b, 1, 150);
	const size_t at = protobuf_begin(&b, 19);
	protobuf_text(&b, 2, "abc");
	protobuf_end(&b, at);
	protobuf_fixed64(&b, 3, 1);
	cr_assert(!b.failed);
	cr_assert_eq(b.size, sizeof wanted);
	cr_assert_eq(memcmp(b.data, wanted, sizeof wanted), 0);
	free(b.data);
}

static void percent(const char *text, size_t size, const char *also, const char *wanted)
{
	char out[64];
	const size_t n = percent_encode(out, text, size, also);
	cr_assert_eq(n, strlen(wanted));
	cr_assert_eq(memcmp(out, wanted, n), 0);
}

Test(names, what_is_not_printable_utf8_is_percent_encoded)
{
	percent("/a b,c", 6, "", "/a b,c");
	percent("100%\n\0x", 7, "", "100%25%0A%00x");
	percent("\xc3\xa4\xff\xc3", 4, "", "\xc3\xa4%FF%C3");
	percent("a\"b\\", 4, "\"\\", "a%22b%5C");
	percent("", 0, "", "");
	percent("\xe2\x80\xae"
		"a\xc2\x9b",
		6, "", "%E2%80%AEa%C2%9B");
}

static void cell(const char *text, const char *wanted)
{
	char out[64];
	const size_t n = percent_encode_cell(out, text, strlen(text), "");
	cr_assert(n == strlen(wanted) && memcmp(out, wanted, n) == 0, "%.*s", (int)n, out);
}

Test(names, first_character_of_a_formula_is_percent_encoded)
{
	cell("=1+2", "%3D1+2");
	cell("+a", "%2Ba");
	cell("-5", "%2D5");
	cell("-", "-");
	cell("@a=b", "%40a=b");
	cell("/a=b", "/a=b");
	cell("", "");
}

static struct iot_event directive(const char *text)
{
	struct iot_event ev = {.text = {text, strlen(text)}};
	cr_assert_eq(iot_directive_parse(&ev, NULL), IOT_OK);
	return ev;
}

static void path_is(struct names *n, struct iot_record rec, const char *wanted)
{
	const struct name *path = names_path(n, &rec);
	cr_assert_eq(path->text == NULL, wanted == NULL);
	if (wanted != NULL)
		cr_assert_eq(
		    path->size == strlen(wanted) && memcmp(path->text, wanted, path->size) == 0, 1);
}

Test(names, a_path_is_current_from_its_definition_to_its_close)
{
	struct names *n = malloc(sizeof *n);
	const struct iot_record rec = {.process = 1, .file = 2, .type = IOT_LOGICAL};
	struct iot_event ev = directive("%file process=1 id=2 object=5 path=/a");
	names_init(n, NULL);
	path_is(n, rec, NULL);
	names_event(n, &ev);
	path_is(n, rec, "/a");
	cr_assert_eq(names_object(n, &rec), 5);
	ev = directive("%file process=1 id=2 path=/b%20c");
	names_event(n, &ev);
	path_is(n, rec, "/b c");
	ev = directive("%op name=close process=1 file=2 result=0");
	names_event(n, &ev);
	path_is(n, rec, NULL);
	names_free(n);
	free(n);
}

Test(names, a_process_has_the_rank_of_its_latest_definition)
{
	struct names *n = malloc(sizeof *n);
	struct iot_event ev = directive("%process id=1 name=a rank=3");
	names_init(n, NULL);
	cr_assert_null(names_process(n, 1, PROCESS_RANK)->text);
	names_event(n, &ev);
	cr_assert_eq(names_process(n, 1, PROCESS_RANK)->text[0], '3');
	cr_assert_null(names_process(n, 1, PROCESS_HOST)->text);
	ev = directive("%process id=1 name=a rank=4");
	names_event(n, &ev);
	cr_assert_eq(names_process(n, 1, PROCESS_RANK)->text[0], '4');
	names_free(n);
	free(n);
}
