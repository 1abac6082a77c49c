/* SPDX-License-Identifier: BSD-2-Clause */
/* Which %process and %file are in force. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "lib/format/directive.h"
#include "lib/format/definitions.h"

enum { PLENTY = 1 << 20 };

static int tell(struct iot_names *n, const char *text)
{
	struct iot_event ev = {.text = {text, strlen(text)}};
	struct iot_name *which;
	cr_assert_eq(iot_directive_parse(&ev, NULL), IOT_OK, "%s", text);
	return iot_names_tell(n, &ev, &which);
}

Test(names, word_for_word_repeat_says_nothing_new)
{
	for (int texts = 0; texts < 2; texts++) {
		struct iot_names n;
		iot_names_init(&n, PLENTY, texts, false);
		cr_assert_eq(tell(&n, "%file process=1 id=2 path=/a"), 0);
		cr_assert_eq(tell(&n, "%file process=1 id=2 path=/a"), 1);
		cr_assert_eq(tell(&n, "%file process=1 id=2  path=/a"), 0);
		cr_assert_eq(tell(&n, "%file process=1 id=2 path=/a"), 0);
		cr_assert_eq(tell(&n, "%process id=1"), 0);
		cr_assert_eq(tell(&n, "%process id=1"), 1);
		iot_names_free(&n);
	}
}

Test(names, process_file_and_disk_of_one_number_are_three)
{
	struct iot_names n;
	iot_names_init(&n, PLENTY, true, false);
	cr_assert_eq(tell(&n, "%process id=1"), 0);
	cr_assert_eq(tell(&n, "%file process=1 id=0 object=5"), 0);
	cr_assert_eq(tell(&n, "%file process=1 id=0 object=6 kind=disk"), 0);
	cr_assert_eq(iot_names_find(&n, IOT_NAME_FILE, 1, 0)->object, 5);
	cr_assert_eq(iot_names_find(&n, IOT_NAME_DISK, 1, 0)->object, 6);
	cr_assert_not_null(iot_names_find(&n, IOT_NAME_PROCESS, 1, 0));
	cr_assert_null(iot_names_find(&n, IOT_NAME_FILE, 0, 1));
	const struct iot_record logical = {.type = IOT_LOGICAL, .process = 1};
	const struct iot_record physical = {.process = 1};
	cr_assert_eq(iot_names_of(&n, &logical)->object, 5);
	cr_assert_eq(iot_names_of(&n, &physical)->object, 6);
	iot_names_free(&n);
}

Test(names, later_file_replaces_all_keys)
{
	struct iot_names n;
	iot_names_init(&n, PLENTY, false, true);
	tell(&n, "%file process=1 id=2 object=5 offset=unknown");
	cr_assert_eq(iot_names_find(&n, IOT_NAME_FILE, 1, 2)->flags, IOT_OFFSET_UNKNOWN);
	tell(&n, "%file process=1 id=2");
	cr_assert_eq(iot_names_find(&n, IOT_NAME_FILE, 1, 2)->flags, 0);
	cr_assert_eq(iot_names_find(&n, IOT_NAME_FILE, 1, 2)->object, 0);
	iot_names_free(&n);
}

Test(names, close_ends_the_file_and_not_the_disk)
{
	struct iot_names n;
	iot_names_init(&n, PLENTY, true, false);
	tell(&n, "%file process=1 id=2 path=/a");
	tell(&n, "%file process=1 id=2 path=/dev/a kind=disk");
	tell(&n, "%op name=close process=1 file=2 result=EIO");
	cr_assert_not_null(iot_names_find(&n, IOT_NAME_FILE, 1, 2));
	tell(&n, "%op name=close process=1 file=2 result=0");
	cr_assert_null(iot_names_find(&n, IOT_NAME_FILE, 1, 2));
	cr_assert_not_null(iot_names_find(&n, IOT_NAME_DISK, 1, 2));
	cr_assert_eq(tell(&n, "%file process=1 id=2 path=/a"), 0);
	tell(&n, "%op name=close process=9 file=9");
	iot_names_free(&n);
}

Test(names, paths_are_decoded_and_the_last_one_counts)
{
	struct iot_names n;
	iot_names_init(&n, PLENTY, false, true);
	tell(&n, "%file process=1 id=2 object=7 path=/a%20b");
	const struct iot_name *path = iot_names_find(&n, IOT_NAME_OBJECT, 7, 0);
	cr_assert(iot_text_is((struct iot_text){path->text, path->size}, "/a b"));
	tell(&n, "%file process=1 id=3 object=7 path=/c");
	path = iot_names_find(&n, IOT_NAME_OBJECT, 7, 0);
	cr_assert(iot_text_is((struct iot_text){path->text, path->size}, "/c"));
	tell(&n, "%file process=1 id=3 object=7");
	path = iot_names_find(&n, IOT_NAME_OBJECT, 7, 0);
	cr_assert(iot_text_is((struct iot_text){path->text, path->size}, "/c"));
	tell(&n, "%file process=1 id=3 path=/without-object");
	cr_assert_null(iot_names_find(&n, IOT_NAME_OBJECT, 0, 0));
	iot_names_free(&n);
}

/* Opened and closed in all orders: what is left is found, what is closed is not. */
Test(names, many_come_and_go)
{
	enum { COUNT = 5000 };
	struct iot_names n;
	char text[100];
	iot_names_init(&n, PLENTY, true, false);
	for (int i = 0; i < COUNT; i++) {
		snprintf(text, sizeof(text), "%%file process=%d id=%d path=/f%d", i % 7, i, i);
		cr_assert_eq(tell(&n, text), 0);
	}
	for (int i = 0; i < COUNT; i += 3) {
		snprintf(text, sizeof(text), "%%op name=close process=%d file=%d", i % 7, i);
		cr_assert_eq(tell(&n, text), 0);
	}
	for (int i = 0; i < COUNT; i++) {
		const struct iot_name *e =
		    iot_names_find(&n, IOT_NAME_FILE, (uint32_t)i % 7, (uint32_t)i);
		cr_assert_eq(e == NULL, i % 3 == 0, "%d", i);
	}
	for (int i = 0; i < COUNT; i++) {
		snprintf(text, sizeof(text), "%%op name=close process=%d file=%d", i % 7, i);
		tell(&n, text);
	}
	cr_assert_eq(n.count, 0);
	cr_assert_eq(n.used, n.slots * sizeof(*n.slot));
	iot_names_free(&n);
}

Test(names, limit_is_obeyed)
{
	struct iot_names n;
	char text[100];
	int status = 0, i;
	iot_names_init(&n, 10000, true, true);
	for (i = 0; i < 1000 && status == 0; i++) {
		snprintf(text, sizeof(text), "%%file process=1 id=%d object=%d path=/file/%d", i, i,
			 i);
		status = tell(&n, text);
	}
	cr_assert_eq(status, IOT_ELIMIT);
	cr_assert_gt(i, 10);
	cr_assert_leq(n.used, 10000);
	iot_names_free(&n);
	iot_names_init(&n, 100, false, false);
	cr_assert(iot_names_reserve(&n, 100));
	cr_assert_not(iot_names_reserve(&n, 1));
	iot_names_free(&n);
}
