/* SPDX-License-Identifier: BSD-2-Clause */
/* Encoded directives: what a writer makes of them, what a reader rejects, and that both agree. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/directive.h"
#include "lib/format/directive_codec.h"
#include "trace_tools.h"

enum { CAPACITY = RETIMED_MAX(IOT_COMMENT_MAX) };

static uint64_t next_random(uint64_t *x)
{
	*x = *x * 6364136223846793005 + 1442695040888963407;
	return *x >> 33;
}

/* The two sides. */
struct pair {
	struct directive_codec *writer, *reader;
	char line[CAPACITY], out[CAPACITY];
};

static struct pair *pair_new(void)
{
	struct pair *p = calloc(1, sizeof(*p));
	cr_assert_not_null(p);
	p->writer = directive_codec_new();
	p->reader = directive_codec_new();
	cr_assert(p->writer != NULL && p->reader != NULL);
	return p;
}

static void pair_free(struct pair *p)
{
	directive_codec_free(p->writer);
	directive_codec_free(p->reader);
	free(p);
}

/* Returns the text of the line that the writer makes of a text that it `recognized`. */
static struct iot_text encoded_as(struct pair *p, struct iot_text text, bool recognized)
{
	ssize_t n = recognized ? directive_codec_encode_recognized(p->writer, text, 1, p->line) : 0;
	if (n == 0)
		n = directive_codec_encode(p->writer, text, p->line);
	cr_assert_geq(n, 0);
	return n > 0 ? (struct iot_text){p->line, (size_t)n} : text;
}

static struct iot_text encoded(struct pair *p, struct iot_text text)
{
	return encoded_as(p, text, false);
}

static int decode(struct pair *p, struct iot_event *ev, uint64_t tick_ns, const char **why)
{
	const size_t bound = directive_codec_bound(p->reader, ev->text, tick_ns);
	cr_assert_leq(bound, (size_t)CAPACITY);
	if (bound > 0)
		cr_assert_eq(directive_codec_parse(p->reader, ev, tick_ns, p->out, bound - 1, why),
			     IOT_ELIMIT);
	return directive_codec_parse(p->reader, ev, tick_ns, p->out, bound, why);
}

static struct iot_text text_of(const char *s)
{
	return (struct iot_text){s, strlen(s)};
}

static void expect_text(struct iot_text text, const char *wanted)
{
	cr_assert(text.size == strlen(wanted) && memcmp(text.data, wanted, text.size) == 0,
		  "found '%.*s', expected '%s'", (int)text.size, text.data, wanted);
}

/* Writes each text, expects that line, and that the reader restores the text. */
static void expect_lines(const char *const (*texts)[2], size_t n)
{
	struct pair *p = pair_new();
	const char *why = NULL;
	for (size_t i = 0; i < n; i++) {
		struct iot_event ev = {.text = encoded(p, text_of(texts[i][0]))};
		expect_text(ev.text, texts[i][1]);
		cr_assert_eq(decode(p, &ev, 1, &why), IOT_OK, "%s", why);
		expect_text(ev.text, texts[i][0]);
	}
	pair_free(p);
}

#define EXPECT_LINES(...)                                                                          \
	do {                                                                                       \
		static const char *const texts[][2] = {__VA_ARGS__};                               \
		expect_lines(texts, sizeof(texts) / sizeof(texts[0]));                             \
	} while (0)

Test(directive_codec, encoded_directives_decode_to_at_most_64_times_their_bytes)
{
	struct pair *p = pair_new();
	const char *why = NULL;
	char text[30000];
	uint64_t stored = 0, decoded = 0;
	snprintf(text, sizeof(text), "%%mark time=1 text=%029970d", 0);
	memset(text + 20, 'x', 29970);
	for (unsigned i = 0; i < 1000; i++) {
		struct iot_event ev = {.text = encoded(p, text_of(text))};
		stored += ev.text.size;
		cr_assert_eq(decode(p, &ev, 1, &why), IOT_OK, "%s", why);
		expect_text(ev.text, text);
		decoded += ev.text.size;
	}
	cr_assert_leq(decoded, 65 * stored);
	cr_assert_geq(decoded, 60 * stored);
	struct iot_event ev;
	int status = IOT_OK;
	for (unsigned i = 0; i < 65 && status == IOT_OK; i++) {
		ev = (struct iot_event){.text = text_of("%0 0")};
		status = decode(p, &ev, 1, &why);
	}
	cr_assert_eq(status, IOT_EFORMAT);
	cr_assert_str_eq(why, "encoded directives decode to more than 64 times their bytes");
	pair_free(p);
}

Test(directive_codec, a_directive_defines_the_template_of_the_following_ones)
{
	EXPECT_LINES(
	    {"%op name=stat time=100 took=7 process=9 path=/etc result=0",
	     "%op name=stat time=100 took=7 process=9 path=/etc result=0"},
	    {"%op name=stat time=116 took=8 process=9 path=/etc/passwd result=0",
	     "%0 10 + = /etc/passwd"},
	    {"%op name=stat time=117 took=30 process=9 path=/etc/passwd result=0", "%0 1 1e"},
	    {"%op name=stat time=90 took=30 process=10 path=/etc result=0", "%0 -1b = + 0"},
	    {"%op name=stat time=90 took=30 process=10 path=/etc result=ENOENT",
	     "%op name=stat time=90 took=30 process=10 path=/etc result=ENOENT"},
	    {"%op name=stat time=91 took=30 process=10 path=/etc result=ENOENT", "%1 1"},
	    {"%op name=stat time=91 took=30 process=10 path=/etc result=0", "%0 0"});
}

Test(directive_codec, ids_of_definitions_are_those_of_operations)
{
	EXPECT_LINES({"%file process=1 id=5 path=/a", "%file process=1 id=5 path=/a"},
		     {"%op name=open file=5 path=/a", "%op name=open file=5 path=/a"},
		     {"%file process=1 id=6 path=/b", "%0 = + /b"},
		     {"%op name=open file=6 path=/b", "%1"}, {"%process id=1", "%process id=1"},
		     {"%file process=1 id=7 path=/b", "%0 = +"});
}

Test(directive_codec, values_of_all_kinds)
{
	EXPECT_LINES(
	    {"%counter source=A N=0 F=0.5 M=-1 path=x", "%counter source=A N=0 F=0.5 M=-1 path=x"},
	    {"%counter source=A N=18446744073709551615 F=1e-05 M=-1 path=",
	     "%0 ffffffffffffffff :1e-05 = :"},
	    {"%counter source=A N=0 F=007 M=18446744073709551616 path=@y",
	     "%0 0 :007 :18446744073709551616 :@y"},
	    {"%counter source=A N=1 F=7 M=-1 path=x", "%0 + 7 :-1 0"},
	    {"%counter source=B N=1 F=7 M=-1 path=x", "%counter source=B N=1 F=7 M=-1 path=x"});
}

Test(directive_codec, other_comments_are_unchanged)
{
	EXPECT_LINES({"", ""}, {"plain", "plain"}, {"%", "%"}, {"%x", "%x"}, {"%x y", "%x y"},
		     {"%trace source=strace", "%trace source=strace"},
		     {"%trace source=strace", "%trace source=strace"},
		     {"%lost time=1 time=2", "%lost time=1 time=2"},
		     {"%lost time=1 time=2", "%lost time=1 time=2"});
}

/* In version 1 a name may be a number. */
Test(directive_codec, numbers_as_names_are_escaped)
{
	EXPECT_LINES({"%5 a=1", "%%5 a=1"}, {"%%5", "%%%5"}, {"%%x", "%%x"}, {"%%", "%%"});
}

Test(directive_codec, times_are_in_ticks_on_the_line_and_in_nanoseconds_in_the_event)
{
	struct pair *p = pair_new();
	const char *why;
	struct iot_event ev = {.text = encoded(p, text_of("%op name=x time=5 took=2 process=1"))};
	cr_assert_eq(decode(p, &ev, 1000, &why), IOT_OK);
	expect_text(ev.text, "%op name=x time=5000 took=2000 process=1");
	ev = (struct iot_event){.text = encoded(p, text_of("%op name=x time=9 took=3 process=1"))};
	expect_text(ev.text, "%0 4 +");
	cr_assert_eq(decode(p, &ev, 1000, &why), IOT_OK);
	expect_text(ev.text, "%op name=x time=9000 took=3000 process=1");
	cr_assert_eq(ev.kind, IOT_OP);
	cr_assert_eq(ev.has, IOT_HAS_TIME | IOT_HAS_TOOK | IOT_HAS_PROCESS);
	cr_assert_eq(ev.rec.start_ns, 9000);
	cr_assert_eq(ev.rec.duration_ns, 3000);
	cr_assert_eq(ev.rec.process, 1);
	pair_free(p);
}

/* A line after "%x time=1 took=1 n=1 path=/p". */
static void expect_error(const char *line, const char *sentence)
{
	struct pair *p = pair_new();
	const char *why = NULL;
	struct iot_event ev = {.text = text_of("%op name=x time=1 took=1 n=1 path=/p")};
	cr_assert_eq(decode(p, &ev, 1000, &why), IOT_OK);
	ev = (struct iot_event){.text = text_of(line)};
	cr_assert_eq(decode(p, &ev, 1000, &why), IOT_EFORMAT, "%s", line);
	cr_assert_str_eq(why, sentence);
	pair_free(p);
}

Test(directive_codec, damaged_lines_are_errors)
{
	expect_error("%1 1", "an encoded directive without a template of its number");
	expect_error("%0x 1", "an encoded directive without a template of its number");
	expect_error("%0", "an encoded time is not a hexadecimal number");
	expect_error("%0 x", "an encoded time is not a hexadecimal number");
	expect_error("%0 -2", "a time leads beyond 2^63-1 nanoseconds");
	expect_error("%0 7fffffffffffffff", "a time leads beyond 2^63-1 nanoseconds");
	expect_error("%0 1 ffffffffffffffff", "a time leads beyond 2^63-1 nanoseconds");
	expect_error("%0 1 :1.5", "an encoded took= is not a number");
	expect_error("%0 1 1 :x", "an encoded value is not a number of up to 32 characters");
	expect_error("%0 1 1 x", "an encoded value is not a hexadecimal number");
	expect_error("%0 1 1 1 1", "an encoded path is not the number of a path");
	expect_error("%0 1 1 1 p", "an encoded path is not the number of a path");
	expect_error("%0 1 1 1 = 1",
		     "an encoded directive has more values than its template has slots");
}

/* A directive of twice that path; the tick does not count. */
static int decode_paths(unsigned size, uint64_t tick_ns)
{
	struct pair *p = pair_new();
	const char *why = NULL;
	char line[32768];
	struct iot_event ev = {.text = text_of("%x time=5 took=4 path= to=")};
	cr_assert_eq(decode(p, &ev, tick_ns, &why), IOT_OK);
	snprintf(line, sizeof(line), "%%0 1 = /%0*u", (int)size - 1, 0U);
	ev = (struct iot_event){.text = text_of(line)};
	const int status = decode(p, &ev, tick_ns, &why);
	cr_assert(status == IOT_OK ||
		  strcmp(why, "an encoded directive is longer than 32768 bytes when decoded") == 0);
	pair_free(p);
	return status;
}

Test(directive_codec, a_decoded_directive_has_at_most_32768_bytes)
{
	const unsigned longest = (32768 - (unsigned)strlen("%x time=6 took=4 path= to=")) / 2;
	cr_assert_eq(decode_paths(longest, 1), IOT_OK);
	cr_assert_eq(decode_paths(longest, 1000000), IOT_OK);
	cr_assert_eq(decode_paths(longest + 1, 1), IOT_EFORMAT);
	cr_assert_eq(decode_paths(longest + 1, 1000000), IOT_EFORMAT);
}

/* A random directive of few names, keys and values, so that templates repeat. */
static size_t random_directive(uint64_t *random, char *out, size_t size)
{
	static const char *const names[] = {"%op name=stat", "%op name=close",    "%file",
					    "%process",      "%counter source=x", "%unknown",
					    "%lost"};
	static const char *const keys[] = {"time", "took", "process", "file",   "id",     "path",
					   "to",   "n",    "result",  "object", "parent", "kind"};
	static const char *const values[] = {"0",
					     "1",
					     "2",
					     "/a/b",
					     "-3",
					     "1.25",
					     "007",
					     "ENOENT",
					     "",
					     "disk",
					     "/a",
					     "x=y",
					     "99999999999",
					     "9223372036854775807",
					     "9223372036854775808",
					     "="};
	const unsigned n = (unsigned)(next_random(random) % 7);
	int used = snprintf(out, size, "%s", names[next_random(random) % 7]);
	for (unsigned i = 0; i < n; i++)
		used += snprintf(out + used, size - (size_t)used, "%s%s=%s",
				 next_random(random) % 50 == 0 ? "\t " : " ",
				 keys[next_random(random) % 12], values[next_random(random) % 16]);
	return (size_t)used;
}

static void expect_event(const struct iot_event *ev, const struct iot_event *wanted)
{
	const struct iot_text text = wanted->text;
	cr_assert_eq(ev->kind, wanted->kind, "%.*s", (int)text.size, text.data);
	cr_assert_eq(ev->has, wanted->has, "%.*s", (int)text.size, text.data);
	cr_assert_eq(memcmp(&ev->rec, &wanted->rec, sizeof(ev->rec)), 0, "%.*s", (int)text.size,
		     text.data);
}

/*
 * Whatever is written, the reader restores it and finds the same event as in the full text, and so
 * does the writer if it recognizes the text.
 */
Test(directive_codec, what_is_encoded_is_decoded)
{
	struct pair *p = pair_new();
	uint64_t random = 7;
	char text[1024];
	unsigned short_lines = 0, recognized = 0;
	for (int i = 0; i < 200000; i++) {
		const size_t size = random_directive(&random, text, sizeof(text));
		struct iot_event full = {.text = {text, size}}, ev;
		const char *why;
		ev = full;
		const bool is_known = directive_codec_recognize(p->writer, &ev);
		if (iot_directive_parse(&full, &why) != IOT_OK) {
			cr_assert_not(is_known, "%s: %s", text, why);
			continue;
		}
		if (is_known)
			expect_event(&ev, &full);
		recognized += is_known;
		if (next_random(&random) % 1000 == 0) {
			directive_codec_forget(p->writer);
			directive_codec_forget(p->reader);
		}
		ev = (struct iot_event){.text = encoded_as(p, full.text, is_known)};
		short_lines += ev.text.size < size;
		cr_assert_eq(decode(p, &ev, 1, &why), IOT_OK, "%s: %s", text, why);
		expect_text(ev.text, text);
		expect_event(&ev, &full);
	}
	cr_assert_gt(short_lines, 2000);
	cr_assert_gt(recognized, 2000);
	pair_free(p);
}

/* A recognized text is encoded as the text with its times in ticks. */
Test(directive_codec, recognized_times_become_ticks)
{
	struct pair *p = pair_new();
	struct directive_codec *other = directive_codec_new();
	char ticks[2048], wanted[2048];
	unsigned recognized = 0;
	for (uint64_t i = 0; i < 20000; i++) {
		char text[256];
		const int size = snprintf(
		    text, sizeof(text), "%%op name=stat time=%ju took=%ju process=%ju path=/a/%ju",
		    (uintmax_t)(i * 12345), (uintmax_t)(i * 7919 % 100000), (uintmax_t)(i % 3),
		    (uintmax_t)(i % 100));
		struct iot_text line = {text, (size_t)size}, rounded = line;
		directive_to_ticks(&rounded, 1000, ticks);
		const ssize_t n = directive_codec_encode(other, rounded, wanted);
		struct iot_event ev = {.text = line};
		ssize_t got = 0;
		if (directive_codec_recognize(p->writer, &ev))
			got = directive_codec_encode_recognized(p->writer, line, 1000, p->line);
		recognized += got > 0;
		if (got == 0)
			got = directive_codec_encode(p->writer, rounded, p->line);
		cr_assert_eq(got, n, "%s", text);
		cr_assert(n == 0 || memcmp(p->line, wanted, (size_t)n) == 0, "%s", text);
	}
	cr_assert_gt(recognized, 19000);
	directive_codec_free(other);
	pair_free(p);
}

/* More paths than the state holds: it is emptied, on both sides. */
Test(directive_codec, paths_beyond_the_limit)
{
	struct pair *p = pair_new();
	char text[256];
	const char *why = NULL;
	for (unsigned i = 0; i < 200000; i++) {
		snprintf(text, sizeof(text), "%%op name=stat time=%u path=/directory/%0100u", i,
			 i * 7919 % 150000);
		struct iot_event ev = {.text = encoded(p, text_of(text))};
		cr_assert_eq(decode(p, &ev, 1, &why), IOT_OK, "%u: %s", i, why);
		expect_text(ev.text, text);
	}
	pair_free(p);
}
