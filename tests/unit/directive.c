/* SPDX-License-Identifier: BSD-2-Clause */
/* Parsing and building directives; their lines; times between ticks and nanoseconds. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "lib/format/directive.h"
#include "lib/format/framing.h"
#include "lib/format/operation.h"
#include "lib/format/tokens.h"

static struct iot_event event(const char *text)
{
	struct iot_event ev = {.text = {text, strlen(text)}};
	return ev;
}

static struct iot_event parsed(const char *text)
{
	struct iot_event ev = event(text);
	const char *why = NULL;
	cr_assert_eq(iot_directive_parse(&ev, &why), IOT_OK, "%s: %s", text, why ? why : "");
	return ev;
}

static void expect_error(const char *text, int status, const char *sentence)
{
	struct iot_event ev = event(text);
	const char *why = NULL;
	cr_assert_eq(iot_directive_parse(&ev, &why), status, "%s", text);
	cr_assert_str_eq(why, sentence);
	cr_assert_eq(iot_directive_parse(&ev, NULL), status);
}

Test(directive, text_without_percent_is_a_comment)
{
	struct iot_event ev = parsed("file process=1 id=2");
	cr_assert_eq(ev.kind, IOT_COMMENT);
	cr_assert_eq(ev.has, 0);
	ev = parsed("");
	cr_assert_eq(ev.kind, IOT_COMMENT);
	ev = parsed(" %file");
	cr_assert_eq(ev.kind, IOT_COMMENT);
}

Test(directive, names_are_matched_whole)
{
	cr_assert_eq(parsed("%file process=1 id=2").kind, IOT_FILE);
	cr_assert_eq(parsed("%files process=1 id=2").kind, IOT_DIRECTIVE);
	cr_assert_eq(parsed("%fil").kind, IOT_DIRECTIVE);
	cr_assert_eq(parsed("%").kind, IOT_DIRECTIVE);
	cr_assert_eq(parsed("%process id=1").kind, IOT_PROCESS);
	cr_assert_eq(parsed("%trace").kind, IOT_TRACE);
	cr_assert_eq(parsed("%op\tname=open").kind, IOT_OP);
	cr_assert_eq(parsed("%counter").kind, IOT_COUNTER);
	cr_assert_eq(parsed("%lost").kind, IOT_LOST);
}

Test(directive, file_has_process_id_object_and_kind)
{
	struct iot_event ev =
	    parsed("%file process=4294967295 id=3 object=9 file=77 kind=disk path=/x");
	cr_assert_eq(ev.has, IOT_HAS_PROCESS | IOT_HAS_FILE | IOT_HAS_OBJECT | IOT_HAS_DISK);
	cr_assert_eq(ev.rec.process, UINT32_MAX);
	cr_assert_eq(ev.rec.file, 3);
	cr_assert_eq(ev.rec.object, 9);
}

Test(directive, id_of_process_is_its_process)
{
	struct iot_event ev = parsed("%process id=5 parent=4 process=6 file=7");
	cr_assert_eq(ev.has, IOT_HAS_PROCESS);
	cr_assert_eq(ev.rec.process, 5);
	cr_assert_eq(ev.rec.file, 0);
}

Test(directive, id_means_nothing_elsewhere)
{
	struct iot_event ev = parsed("%op name=open id=abc process=3");
	cr_assert_eq(ev.has, IOT_HAS_PROCESS);
	cr_assert_eq(ev.rec.process, 3);
}

Test(directive, last_of_a_repeated_key_counts)
{
	struct iot_event ev = parsed("%op name=a time=x time=7 name=b");
	struct iot_text name = iot_directive_get(&ev, "name");
	cr_assert_eq(ev.rec.start_ns, 7);
	cr_assert(text_equals(name, "b"));
}

Test(directive, values_of_several_keys_are_those_of_each)
{
	static const char *const texts[] = {"%op name=a path=/x result=ENOENT name=b",
					    "%op\tpath=a=b name= pathname=c result",
					    "%op =x ===",
					    "%op xname=1 name=2=name=3",
					    "name=a path=b",
					    "",
					    "%op"};
	static const struct iot_text keys[] = {TEXT_OF("name"), TEXT_OF("path"), TEXT_OF("result")};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		const struct iot_event ev = event(texts[i]);
		struct iot_text value[3];
		directive_values(&ev, keys, 3, value);
		for (size_t k = 0; k < 3; k++) {
			const struct iot_text one = iot_directive_get(&ev, keys[k].data);
			cr_expect(value[k].data == one.data && value[k].size == one.size, "%s: %s",
				  texts[i], keys[k].data);
		}
	}
}

Test(directive, operation_is_read_in_one_pass)
{
	const struct iot_event create =
	    parsed("%op name=create process=1 file=2 path=/a size=7 count=3 result=0");
	const struct iot_event failed = parsed("%op name=open process=1 file=2 result=ENOENT");
	const struct op made = operation_of(&create), none = operation_of(&failed);
	cr_expect(made.creates && made.opens && made.sized && !made.failed && !made.closes);
	cr_expect_eq(made.calls, 3);
	cr_expect_eq(made.size, 7);
	cr_expect_eq(made.kind, OPERATION_OPEN);
	cr_expect(none.failed && !none.opens && !none.creates && !none.sized);
	cr_expect_eq(none.calls, 1);
	cr_expect_eq(none.kind, OPERATION_LOOKUP);
	cr_expect_null(none.path.data);
}

Test(directive, tokens_without_equals_and_values_with_them)
{
	struct iot_event ev = parsed("%op name=a  flag \t x=1=2 y=");
	cr_assert(text_equals(iot_directive_get(&ev, "x"), "1=2"));
	cr_assert_not_null(iot_directive_get(&ev, "y").data);
	cr_assert_eq(iot_directive_get(&ev, "y").size, 0);
	cr_assert_null(iot_directive_get(&ev, "flag").data);
	ev = event("name=a");
	cr_assert_null(iot_directive_get(&ev, "name").data);
}

Test(directive, framing_is_the_writers)
{
	const char *why = "%iotrace, %sync and %end are made by the writer";
	expect_error("%iotrace version=1 tick=1", IOT_EUSAGE, why);
	expect_error("%sync", IOT_EUSAGE, why);
	expect_error("%end", IOT_EUSAGE, why);
	cr_assert_eq(parsed("%ending").kind, IOT_DIRECTIVE);
}

Test(directive, missing_keys_are_named)
{
	expect_error("%process name=x", IOT_EFORMAT, "%process needs id=");
	expect_error("%file id=3", IOT_EFORMAT, "%file needs process=");
	expect_error("%file process=3", IOT_EFORMAT, "%file needs id=");
	expect_error("%op time=3", IOT_EFORMAT, "%op needs name=");
}

Test(directive, bad_numbers_are_named)
{
	expect_error("%op name=x time=-1", IOT_EFORMAT,
		     "time= is not a number of 0 to 2^63-1 nanoseconds");
	expect_error("%op name=x took=9223372036854775808", IOT_EFORMAT,
		     "took= is not a number of 0 to 2^63-1 nanoseconds");
	expect_error("%op name=x time=9223372036854775807 took=1", IOT_EFORMAT,
		     "time= and took= end beyond 2^63-1 nanoseconds");
	expect_error("%op name=x process=4294967296", IOT_EFORMAT,
		     "process= is not a decimal number of 32 bits");
	expect_error("%op name=x file=", IOT_EFORMAT, "file= is not a decimal number of 32 bits");
	expect_error("%process id=1 parent=a", IOT_EFORMAT,
		     "parent= is not a decimal number of 32 bits");
	expect_error("%file process=1 id=1 object=1x", IOT_EFORMAT,
		     "object= is not a decimal number of 32 bits");
	expect_error("%process id=0x1", IOT_EFORMAT, "id= is not a decimal number of 32 bits");
}

Test(directive, unknown_ones_may_have_anything)
{
	struct iot_event ev = parsed("%novel time=abc process=7 took=5");
	cr_assert_eq(ev.kind, IOT_DIRECTIVE);
	cr_assert_eq(ev.has, IOT_HAS_PROCESS | IOT_HAS_TOOK);
	cr_assert_eq(ev.rec.process, 7);
}

Test(directive, times_that_nobody_could_shift_are_refused_everywhere)
{
	static const char why[] = "a time leads beyond 2^63-1 nanoseconds";
	expect_error("%novel time=9223372036854775808", IOT_EFORMAT, why);
	expect_error("%novel took=18446744073709551615 took=1", IOT_EFORMAT, why);
	expect_error("%op name=x time=9223372036854775808 time=1", IOT_EFORMAT, why);
	struct iot_event ev = parsed("%novel time=9223372036854775807 took=18446744073709551616");
	cr_assert_eq(ev.rec.start_ns, INT64_MAX);
}

Test(directive, lacks_is_a_list)
{
	unsigned flags = 99;
	struct iot_event ev = parsed("%trace lacks=cpu,offset,,nonsense,start");
	cr_assert(iot_directive_lacks(&ev, &flags));
	cr_assert_eq(flags, IOT_CPU_UNKNOWN | IOT_OFFSET_UNKNOWN | IOT_START_UNKNOWN);
	ev = parsed("%trace lacks=completion");
	cr_assert(iot_directive_lacks(&ev, &flags));
	cr_assert_eq(flags, IOT_DURATION_UNKNOWN);
	ev = parsed("%trace lacks=");
	cr_assert(iot_directive_lacks(&ev, &flags));
	cr_assert_eq(flags, 0);
	ev = parsed("%trace");
	cr_assert_not(iot_directive_lacks(&ev, &flags));
}

Test(directive, close_that_did_not_fail_closes)
{
	struct iot_event ev = parsed("%op name=close process=1 file=2");
	cr_assert(directive_closes(&ev));
	ev = parsed("%op name=close process=1 file=2 result=0");
	cr_assert(directive_closes(&ev));
	ev = parsed("%op name=close process=1 file=2 result=EBADF");
	cr_assert_not(directive_closes(&ev));
	ev = parsed("%op name=close process=1");
	cr_assert_not(directive_closes(&ev));
	ev = parsed("%op name=closed process=1 file=2");
	cr_assert_not(directive_closes(&ev));
}

static void expect_decoded(const char *in, const char *out, unsigned malformed)
{
	char got[64];
	unsigned bad = 0;
	size_t n = iot_percent_decode((struct iot_text){in, strlen(in)}, got, &bad);
	cr_assert_eq(n, strlen(out));
	cr_assert_arr_eq(got, out, n);
	cr_assert_eq(bad, malformed);
}

Test(directive, percent_codes_are_decoded)
{
	expect_decoded("a%20b", "a b", 0);
	expect_decoded("%41%6a%4A", "AjJ", 0);
	expect_decoded("100%", "100%", 1);
	expect_decoded("%4", "%4", 1);
	expect_decoded("%4g%zz%41", "%4g%zzA", 2);
	expect_decoded("%%41", "%A", 1);
	expect_decoded("", "", 0);
}

Test(directive, building_encodes_what_it_must)
{
	char memory[200];
	struct iot_builder b;
	struct iot_event ev;
	iot_directive_begin(&b, memory, sizeof(memory), "file");
	iot_directive_number(&b, "process", 7);
	iot_directive_number(&b, "id", UINT32_MAX);
	iot_directive_text(&b, "path", "/a b%\n\x7f\xc3\xa4\xff", 10);
	cr_assert_eq(iot_directive_end(&b, &ev), IOT_OK);
	cr_assert(
	    text_equals(ev.text, "%file process=7 id=4294967295 path=/a%20b%25%0A%7F\xc3\xa4%FF"));
	cr_assert_eq(ev.kind, IOT_FILE);
	cr_assert_eq(ev.rec.process, 7);
}

Test(directive, only_real_utf8_stays)
{
	static const char *const bad[] = {
	    "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
	    "\xf8",     "\xe2\x82",     "\x80"};
	static const char *const good[] = {"\xc2\x80", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
					   "\xf4\x8f\xbf\xbf"};
	char memory[64];
	struct iot_builder b;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		iot_directive_begin(&b, memory, sizeof(memory), "x");
		iot_directive_text(&b, "k", bad[i], strlen(bad[i]));
		cr_assert_eq(b.size, 5 + 3 * strlen(bad[i]));
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		iot_directive_begin(&b, memory, sizeof(memory), "x");
		iot_directive_text(&b, "k", good[i], strlen(good[i]));
		cr_assert_eq(b.size, 5 + strlen(good[i]));
	}
}

Test(directive, any_bytes_come_back)
{
	char all[256], memory[1024], back[1024];
	struct iot_builder b;
	struct iot_event ev;
	unsigned malformed = 0;
	for (int i = 0; i < 256; i++)
		all[i] = (char)i;
	iot_directive_begin(&b, memory, sizeof(memory), "x");
	iot_directive_text(&b, "k", all, sizeof(all));
	cr_assert_eq(iot_directive_end(&b, &ev), IOT_OK);
	size_t n = iot_percent_decode(iot_directive_get(&ev, "k"), back, &malformed);
	cr_assert_eq(n, sizeof(all));
	cr_assert_arr_eq(back, all, n);
	cr_assert_eq(malformed, 0);
}

Test(directive, a_full_buffer_is_a_limit)
{
	char memory[10];
	struct iot_builder b;
	struct iot_event ev;
	iot_directive_begin(&b, memory, sizeof(memory), "op");
	iot_directive_text(&b, "name", "open", 4);
	iot_directive_number(&b, "x", 1);
	cr_assert_eq(iot_directive_end(&b, &ev), IOT_ELIMIT);
}

static void expect_times(const char *ns, uint64_t tick, const char *ticks)
{
	char out[RETIMED_MAX(200)];
	struct iot_text text = {ns, strlen(ns)};
	directive_to_ticks(&text, tick, out);
	cr_assert_eq(text.size, strlen(ticks), "%.*s", (int)text.size, text.data);
	cr_assert_arr_eq(text.data, ticks, text.size);
}

Test(directive, times_become_ticks_downwards_from_absolute_time)
{
	expect_times("%op name=x time=1999 took=2 process=5", 1000,
		     "%op name=x time=1 took=1 process=5");
	expect_times("%op took=1500  time=2400\tname=x ", 1000, "%op took=1  time=2\tname=x ");
	expect_times("%x took=1999", 1000, "%x took=1");
	expect_times("%x time=abc took=-1 times=5", 1000, "%x time=abc took=-1 times=5");
}

Test(directive, ticks_become_nanoseconds)
{
	char out[RETIMED_MAX(200)];
	const char *line = "%op name=x time=1 took=2 rank=3 time=4";
	struct iot_text text = {line, strlen(line)};
	cr_assert_eq(directive_to_ns(&text, 1000, out), IOT_OK);
	cr_assert(text_equals(text, "%op name=x time=1000 took=2000 rank=3 time=4000"));
	line = "%x time=9223372036854776";
	text = (struct iot_text){line, strlen(line)};
	cr_assert_eq(directive_to_ns(&text, 1000, out), IOT_EFORMAT);
	line = "%x nothing=1";
	text = (struct iot_text){line, strlen(line)};
	cr_assert_eq(directive_to_ns(&text, 1000, out), IOT_OK);
	cr_assert_eq(text.data, line);
}

static struct text_line look(const char *line)
{
	return text_line_classify(line, line + strlen(line));
}

Test(framing, lines_are_reported_apart)
{
	cr_assert_eq(look(" \t\r\n").kind, TEXT_LINE_BLANK);
	cr_assert_eq(look("\r\n").kind, TEXT_LINE_BLANK);
	cr_assert_eq(look("c0 22\n").kind, TEXT_LINE_OTHER);
	cr_assert_eq(look("fff\n").kind, TEXT_LINE_OTHER);
	cr_assert_eq(look("f\n").kind, TEXT_LINE_OTHER);
	cr_assert_eq(look("ff").kind, TEXT_LINE_COMMENT);
	cr_assert_eq(look("255 x\n").base, 10);
	cr_assert_eq(look("FF x\n").base, 16);
}

Test(framing, one_blank_separates_the_text)
{
	struct text_line l = look("  ff  two blanks \r\r\nnext");
	cr_assert(text_equals(l.text, " two blanks "));
	cr_assert_eq(l.column, 6);
	cr_assert_str_eq(l.next, "next");
	cr_assert_eq(look("ff \n").text.size, 0);
	cr_assert(text_equals(look("ff\tx").text, "x"));
}

Test(framing, what_is_built_is_parsed)
{
	char text[FRAMING_MAX];
	struct header_directive h = {.version = 2, .tick_ns = INT64_MAX, .sync = UINT64_MAX}, h2;
	struct sync_directive s = {UINT64_MAX, UINT64_MAX, 0x0123456789abcdef}, s2;
	struct end_directive e = {UINT64_MAX, UINT64_MAX, 7}, e2;
	size_t n = framing_build_header(text, &h);
	cr_assert_null(framing_parse_header((struct iot_text){text, n}, &h2));
	cr_assert_eq(h2.version, h.version);
	cr_assert_eq(h2.tick_ns, h.tick_ns);
	cr_assert_eq(h2.sync, h.sync);
	n = framing_build_sync(text, &s);
	cr_assert_null(framing_parse_sync((struct iot_text){text, n}, &s2));
	cr_assert_eq(s2.time, s.time);
	cr_assert_eq(s2.record, s.record);
	cr_assert_eq(s2.hash, s.hash);
	n = framing_build_end(text, &e);
	cr_assert_null(framing_parse_end((struct iot_text){text, n}, &e2));
	cr_assert_eq(e2.records, e.records);
	cr_assert_eq(e2.comments, e.comments);
	cr_assert_eq(e2.hash, 7);
}

/* The text ends with the memory that it has. */
static void compare_tokens(const char *text, size_t size)
{
	char *copy = malloc(size + 1);
	cr_assert_not_null(copy);
	memcpy(copy, text, size);
	struct iot_text rest = {copy, size}, expected, token;
	struct tokens tokens = tokens_of(rest);
	size_t equals;
	while (word_next(&rest, &expected)) {
		cr_assert(tokens_next(&tokens, &token, &equals), "%.*s", (int)size, text);
		const char *at = memchr(expected.data, '=', expected.size);
		cr_assert_eq(token.data, expected.data, "%.*s", (int)size, text);
		cr_assert_eq(token.size, expected.size);
		cr_assert_eq(equals, at != NULL ? (size_t)(at - token.data) : token.size);
	}
	cr_assert_not(tokens_next(&tokens, &token, &equals));
	free(copy);
}

Test(directive, tokens_of_blocks_are_those_of_bytes)
{
	char text[400] = {0};
	uint64_t x = 88172645463325252;
	for (unsigned i = 0; i < 20000; i++) {
		const size_t size = i % sizeof text;
		const unsigned rare = 2 + i % 90;
		for (size_t k = 0; k < size; k++) {
			x = x * 6364136223846793005 + 1442695040888963407;
			const unsigned c = (unsigned)(x >> 33) % rare;
			text[k] = c == 0 ? ' ' : c == 1 ? "\t="[k % 2] : 'a';
		}
		compare_tokens(text, size);
	}
}
