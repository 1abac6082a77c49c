/* SPDX-License-Identifier: BSD-2-Clause */
/* Which %process and %file are in force. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "lib/format/directive.h"
#include "lib/format/definitions.h"

enum { PLENTY = 1 << 20 };

static int report(struct definitions *n, const char *text)
{
	struct iot_event ev = {.text = {text, strlen(text)}};
	struct definition *which;
	cr_assert_eq(iot_directive_parse(&ev, NULL), IOT_OK, "%s", text);
	return definitions_add(n, &ev, &which);
}

Test(definitions, word_for_word_repeat_says_nothing_new)
{
	for (int texts = 0; texts < 2; texts++) {
		struct definitions n;
		definitions_init(&n, PLENTY, texts, false);
		cr_assert_eq(report(&n, "%file process=1 id=2 path=/a"), 0);
		cr_assert_eq(report(&n, "%file process=1 id=2 path=/a"), 1);
		cr_assert_eq(report(&n, "%file process=1 id=2  path=/a"), 0);
		cr_assert_eq(report(&n, "%file process=1 id=2 path=/a"), 0);
		cr_assert_eq(report(&n, "%process id=1"), 0);
		cr_assert_eq(report(&n, "%process id=1"), 1);
		definitions_free(&n);
	}
}

Test(definitions, process_file_and_disk_of_one_number_are_three)
{
	struct definitions n;
	definitions_init(&n, PLENTY, true, false);
	cr_assert_eq(report(&n, "%process id=1"), 0);
	cr_assert_eq(report(&n, "%file process=1 id=0 object=5"), 0);
	cr_assert_eq(report(&n, "%file process=1 id=0 object=6 kind=disk"), 0);
	cr_assert_eq(definitions_find(&n, DEFINITION_FILE, 1, 0)->object, 5);
	cr_assert_eq(definitions_find(&n, DEFINITION_DISK, 1, 0)->object, 6);
	cr_assert_not_null(definitions_find(&n, DEFINITION_PROCESS, 1, 0));
	cr_assert_null(definitions_find(&n, DEFINITION_FILE, 0, 1));
	const struct iot_record logical = {.type = IOT_LOGICAL, .process = 1};
	const struct iot_record physical = {.process = 1};
	cr_assert_eq(definitions_path(&n, &logical)->object, 5);
	cr_assert_eq(definitions_path(&n, &physical)->object, 6);
	definitions_free(&n);
}

Test(definitions, later_file_replaces_all_keys)
{
	struct definitions n;
	definitions_init(&n, PLENTY, false, true);
	report(&n, "%file process=1 id=2 object=5 offset=unknown");
	cr_assert_eq(definitions_find(&n, DEFINITION_FILE, 1, 2)->flags, IOT_OFFSET_UNKNOWN);
	report(&n, "%file process=1 id=2");
	cr_assert_eq(definitions_find(&n, DEFINITION_FILE, 1, 2)->flags, 0);
	cr_assert_eq(definitions_find(&n, DEFINITION_FILE, 1, 2)->object, 0);
	definitions_free(&n);
}

Test(definitions, close_ends_the_file_and_not_the_disk)
{
	struct definitions n;
	definitions_init(&n, PLENTY, true, false);
	report(&n, "%file process=1 id=2 path=/a");
	report(&n, "%file process=1 id=2 path=/dev/a kind=disk");
	report(&n, "%op name=close process=1 file=2 result=EIO");
	cr_assert_not_null(definitions_find(&n, DEFINITION_FILE, 1, 2));
	report(&n, "%op name=close process=1 file=2 result=0");
	cr_assert_null(definitions_find(&n, DEFINITION_FILE, 1, 2));
	cr_assert_not_null(definitions_find(&n, DEFINITION_DISK, 1, 2));
	cr_assert_eq(report(&n, "%file process=1 id=2 path=/a"), 0);
	report(&n, "%op name=close process=9 file=9");
	definitions_free(&n);
}

Test(definitions, paths_are_decoded_and_follow_renames)
{
	struct definitions n;
	definitions_init(&n, PLENTY, false, true);
	report(&n, "%file process=1 id=2 object=7 path=/a%20b");
	cr_assert(text_equals(definitions_name(&n, 7), "/a b"));
	report(&n, "%file process=1 id=4 object=7 path=/a%20b");
	cr_assert(text_equals(definitions_name(&n, 7), "/a b"));
	report(&n, "%file process=1 id=3 object=7 path=/link");
	cr_assert(text_equals(definitions_name(&n, 7), "/a b"));
	report(&n, "%op name=rename path=/a%20b to=/failed result=EACCES");
	cr_assert(text_equals(definitions_name(&n, 7), "/a b"));
	report(&n, "%op name=rename path=/a%20b to=/c%20d result=0");
	cr_assert(text_equals(definitions_name(&n, 7), "/c d"));
	report(&n, "%file process=1 id=5 object=8 path=/c%20d");
	report(&n, "%op name=rename path=/c%20d to=/e");
	cr_assert(text_equals(definitions_name(&n, 7), "/c d"));
	cr_assert(text_equals(definitions_name(&n, 8), "/e"));
	cr_assert(text_equals(definitions_first_name(&n, 8), "/c d"));
	report(&n, "%file process=1 id=3 path=/without-object");
	cr_assert_null(definitions_name(&n, 0).data);
	definitions_free(&n);
}

Test(definitions, an_exchange_gives_each_path_to_the_other_file)
{
	struct definitions n;
	definitions_init(&n, PLENTY, false, true);
	report(&n, "%file process=1 id=2 object=7 path=/d%20d/a");
	report(&n, "%file process=1 id=3 object=8 path=/e");
	report(&n, "%op name=exchange path=/d%20d/a to=/e result=EINVAL");
	cr_assert(text_equals(definitions_name(&n, 7), "/d d/a"));
	report(&n, "%op name=exchange path=/d%20d/a to=/e result=0");
	cr_assert(text_equals(definitions_name(&n, 7), "/e"));
	cr_assert(text_equals(definitions_name(&n, 8), "/d d/a"));
	report(&n, "%op name=exchange path=/d%20d to=/e");
	cr_assert(text_equals(definitions_name(&n, 7), "/d d"));
	cr_assert(text_equals(definitions_name(&n, 8), "/e/a"));
	report(&n, "%op name=exchange path=/e/a to=/unknown");
	cr_assert(text_equals(definitions_name(&n, 8), "/unknown"));
	definitions_free(&n);
}

/* Opened and closed in all orders: open ones are found, closed ones are not. */
Test(definitions, many_come_and_go)
{
	enum { COUNT = 5000 };
	struct definitions n;
	char text[100];
	definitions_init(&n, PLENTY, true, false);
	for (int i = 0; i < COUNT; i++) {
		snprintf(text, sizeof(text), "%%file process=%d id=%d path=/f%d", i % 7, i, i);
		cr_assert_eq(report(&n, text), 0);
	}
	for (int i = 0; i < COUNT; i += 3) {
		snprintf(text, sizeof(text), "%%op name=close process=%d file=%d", i % 7, i);
		cr_assert_eq(report(&n, text), 0);
	}
	for (int i = 0; i < COUNT; i++) {
		const struct definition *e =
		    definitions_find(&n, DEFINITION_FILE, (uint32_t)i % 7, (uint32_t)i);
		cr_assert_eq(e == NULL, i % 3 == 0, "%d", i);
	}
	for (int i = 0; i < COUNT; i++) {
		snprintf(text, sizeof(text), "%%op name=close process=%d file=%d", i % 7, i);
		report(&n, text);
	}
	cr_assert_eq(definitions_find(&n, DEFINITION_FILE, 1, 1), NULL);
	cr_assert_leq(n.used, 8192 * 2 * sizeof(struct definition));
	definitions_free(&n);
}

Test(definitions, limit_is_obeyed)
{
	struct definitions n;
	char text[100];
	int status = 0, i;
	definitions_init(&n, 10000, true, true);
	for (i = 0; i < 1000 && status == 0; i++) {
		snprintf(text, sizeof(text), "%%file process=1 id=%d object=%d path=/file/%d", i, i,
			 i);
		status = report(&n, text);
	}
	cr_assert_eq(status, IOT_ELIMIT);
	cr_assert_gt(i, 10);
	cr_assert_leq(n.used, 10000);
	definitions_free(&n);
	definitions_init(&n, 100, false, false);
	cr_assert(definitions_reserve(&n, 100));
	cr_assert_not(definitions_reserve(&n, 1));
	definitions_free(&n);
}
