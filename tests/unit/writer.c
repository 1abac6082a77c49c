/* SPDX-License-Identifier: BSD-2-Clause */
/* The output of a writer, byte for byte, and what it rejects. */
#include <criterion/criterion.h>

#include <errno.h>
#include <unistd.h>
#include <xxhash.h>

#include "example.h"
#include "trace_tools.h"

static void write_texts(struct iot_writer *w, const char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct iot_event ev = comment(texts[i]);
		cr_assert_eq(iot_writer_events(w, &ev, 1), IOT_OK, "%s", iot_writer_error(w));
	}
}

static void write_text(struct iot_writer *w, const char *text)
{
	write_texts(w, &text, 1);
}

static void write_record(struct iot_writer *w, uint32_t process, uint32_t file, int64_t start_ns,
			 uint8_t flags)
{
	const struct iot_record rec = {.start_ns = start_ns,
				       .process = process,
				       .file = file,
				       .length = 1,
				       .type = IOT_LOGICAL,
				       .flags = flags};
	cr_assert_eq(iot_writer_records(w, &rec, 1), IOT_OK, "%s", iot_writer_error(w));
}

/* Puts the right hashes where a text has "HASH", as iotrace(5) says. */
static char *sealed(const char *text)
{
	char *out = strdup(text), *from = out, *hash;
	while ((hash = strstr(out, "HASH")) != NULL) {
		char *line = hash, digits[17], *rest = strdup(hash + 4);
		while (line > out && line[-1] != '\n')
			line--;
		snprintf(digits, sizeof(digits), "%016llx",
			 (unsigned long long)XXH3_64bits(from, (size_t)(line - from)));
		size_t before = (size_t)(hash - out), line_at = (size_t)(line - out);
		out = realloc(out, before + 16 + strlen(rest) + 1);
		memcpy(out + before, digits, 16);
		strcpy(out + before + 16, rest);
		from = strchr(out + line_at, '\n') + 1;
		free(rest);
	}
	return out;
}

static void expect(struct iot_writer *w, const char *text)
{
	struct bytes got = written(w);
	char *wanted = sealed(text);
	cr_assert_str_eq(got.data, wanted);
	free(wanted);
	free(got.data);
}

Test(writer, example_of_the_format_byte_for_byte)
{
	struct iot_writer *w = memory_writer((struct make){0});
	write_text(w, "%file process=7 id=3 object=1 path=/scratch/out.bin");
	cr_assert_eq(iot_writer_records(w, example, 4), IOT_OK);
	expect(w, "ff %iotrace version=2 tick=1000\n"
		  "ff %file process=7 id=3 object=1 path=/scratch/out.bin\n"
		  "c0 22 0 8 0 1f4 3 7 0\n"
		  "c0 ec 3e8 1f5 3e8\n"
		  "80 28 0 64 64 32 4 64\n"
		  "80 23 2 8 a 64 3 9 0\n"
		  "ff %end records=4 comments=1 xxh3=HASH\n");
}

Test(writer, bare_decimal)
{
	struct iot_writer *w = memory_writer((struct make){.bare = true, .base = 10, .sync = 1});
	write_text(w, "");
	write_text(w, " two  blanks");
	cr_assert_eq(iot_writer_records(w, example, 2), IOT_OK);
	expect(w, "255\n255  two  blanks\n192 34 0 8 0 500 3 7 0\n192 236 1000 501 1000\n");
}

Test(writer, nothing_written_is_a_trace)
{
	expect(memory_writer((struct make){.tick_ns = 1}),
	       "ff %iotrace version=2 tick=1\nff %end records=0 comments=0 xxh3=HASH\n");
}

Test(writer, sync_comes_with_what_follows_it)
{
	struct iot_writer *w = memory_writer((struct make){.sync = 2});
	cr_assert_eq(iot_writer_records(w, example, 4), IOT_OK);
	expect(w, "ff %iotrace version=2 tick=1000 sync=2\n"
		  "c0 22 0 8 0 1f4 3 7 0\n"
		  "c0 ec 3e8 1f5 3e8\n"
		  "ff %sync time=1000 record=2 xxh3=HASH\n"
		  "80 20 0 64 64 32 4 7 64\n"
		  "80 23 2 8 a 64 3 9 0\n"
		  "ff %end records=4 comments=0 xxh3=HASH\n");
}

Test(writer, comment_after_the_last_record_of_an_interval_stands_after_sync)
{
	struct iot_writer *w = memory_writer((struct make){.sync = 2});
	cr_assert_eq(iot_writer_records(w, example, 2), IOT_OK);
	write_text(w, "note");
	expect(w, "ff %iotrace version=2 tick=1000 sync=2\n"
		  "c0 22 0 8 0 1f4 3 7 0\n"
		  "c0 ec 3e8 1f5 3e8\n"
		  "ff %sync time=1000 record=2 xxh3=HASH\n"
		  "ff note\n"
		  "ff %end records=2 comments=1 xxh3=HASH\n");
}

Test(writer, names_are_repeated_after_sync_before_who_needs_them)
{
	static const char *const names[] = {"%process id=1 name=a", "%process id=2 name=b",
					    "%file process=1 id=5 path=/a",
					    "%file process=1 id=6 path=/b"};
	struct iot_writer *w = memory_writer((struct make){.sync = 3});
	write_texts(w, names, 4);
	write_record(w, 1, 5, 0, 0);
	write_record(w, 1, 6, 0, 0);
	write_record(w, 2, 5, 0, 0);
	write_text(w, "%file process=1 id=6 path=/b");
	write_record(w, 2, 5, 0, 0);
	write_record(w, 1, 6, 0, 0);
	write_record(w, 1, 6, 0, 0);
	expect(w, "ff %iotrace version=2 tick=1000 sync=3\n"
		  "ff %process id=1 name=a\n"
		  "ff %process id=2 name=b\n"
		  "ff %file process=1 id=5 path=/a\n"
		  "ff %2 = + /b\n"
		  "80 20 0 1 0 0 5 1 0\n"
		  "80 28 0 1 0 0 6 0\n"
		  "80 20 0 1 0 0 5 2 0\n"
		  "ff %sync time=0 record=3 xxh3=HASH\n"
		  "ff %process id=2 name=b\n"
		  "80 20 0 1 0 0 5 2 0\n"
		  "ff %process id=1 name=a\n"
		  "ff %file process=1 id=6 path=/b\n"
		  "80 20 0 1 0 0 6 1 0\n"
		  "80 ac 0 0 0 0\n"
		  "ff %end records=6 comments=4 xxh3=HASH\n");
}

Test(writer, closed_file_is_not_repeated)
{
	struct iot_writer *w = memory_writer((struct make){.sync = 1});
	write_text(w, "%file process=1 id=5 path=/a");
	write_record(w, 1, 5, 0, 0);
	write_text(w, "%op name=close time=5000 took=10 process=1 file=5 result=0");
	write_record(w, 1, 5, 0, 0);
	expect(w, "ff %iotrace version=2 tick=1000 sync=1\n"
		  "ff %file process=1 id=5 path=/a\n"
		  "80 20 0 1 0 0 5 1 0\n"
		  "ff %sync time=0 record=1 xxh3=HASH\n"
		  "ff %op name=close time=5 took=0 process=1 file=5 result=0\n"
		  "80 20 0 1 0 0 5 1 0\n"
		  "ff %end records=2 comments=2 xxh3=HASH\n");
}

Test(writer, repeat_of_what_is_in_force_is_not_written)
{
	static const char *const texts[] = {
	    "%file process=1 id=5 path=/a", "%file process=1 id=5 path=/a",
	    "%file process=1 id=5 path=/b", "%file process=1 id=5 path=/a"};
	struct iot_writer *w = memory_writer((struct make){.bare = true});
	write_texts(w, texts, 4);
	expect(w, "ff %file process=1 id=5 path=/a\n"
		  "ff %file process=1 id=5 path=/b\n"
		  "ff %file process=1 id=5 path=/a\n");
}

Test(writer, unknown_offsets_are_marked_where_they_begin_and_end)
{
	struct iot_writer *w = memory_writer((struct make){.bare = true});
	write_text(w, "%file process=1 id=5 path=/a");
	write_record(w, 1, 5, 0, 0);
	write_record(w, 1, 5, 0, IOT_OFFSET_UNKNOWN);
	write_record(w, 1, 5, 0, IOT_OFFSET_UNKNOWN);
	write_record(w, 1, 5, 0, 0);
	write_record(w, 1, 6, 0, IOT_OFFSET_UNKNOWN);
	const struct iot_record disk = {.process = 1, .file = 7, .flags = IOT_OFFSET_UNKNOWN};
	cr_assert_eq(iot_writer_records(w, &disk, 1), IOT_OK);
	expect(w, "ff %file process=1 id=5 path=/a\n"
		  "80 20 0 1 0 0 5 1 0\n"
		  "ff %file process=1 id=5 path=/a offset=unknown\n"
		  "80 ac 0 0 0 0\n"
		  "80 ac 0 0 0 0\n"
		  "ff %file process=1 id=5 path=/a offset=known\n"
		  "80 ac 0 0 0 0\n"
		  "ff %file process=1 id=6 offset=unknown\n"
		  "80 28 0 1 0 0 6 0\n"
		  "ff %file process=1 id=7 kind=disk offset=unknown\n"
		  "0 28 0 0 0 0 7 0\n");
}

Test(writer, unknown_offset_marked_by_a_file_is_not_marked_twice)
{
	struct iot_writer *w = memory_writer((struct make){.sync = 1});
	write_text(w, "%file process=1 id=5 offset=unknown");
	write_record(w, 1, 5, 0, IOT_OFFSET_UNKNOWN);
	write_record(w, 1, 5, 0, IOT_OFFSET_UNKNOWN);
	write_text(w, "%file process=1 id=5 offset=known");
	write_record(w, 1, 5, 0, 0);
	expect(w, "ff %iotrace version=2 tick=1000 sync=1\n"
		  "ff %file process=1 id=5 offset=unknown\n"
		  "80 20 0 1 0 0 5 1 0\n"
		  "ff %sync time=0 record=1 xxh3=HASH\n"
		  "ff %file process=1 id=5 offset=unknown\n"
		  "80 20 0 1 0 0 5 1 0\n"
		  "ff %sync time=0 record=2 xxh3=HASH\n"
		  "ff %file process=1 id=5 offset=known\n"
		  "80 20 0 1 0 0 5 1 0\n"
		  "ff %end records=3 comments=2 xxh3=HASH\n");
}

Test(writer, new_offset_stands_before_the_repeats_as_when_it_is_written_again)
{
	struct iot_writer *w = memory_writer((struct make){.sync = 1});
	write_text(w, "%process id=1 name=a");
	write_record(w, 1, 4, 0, 0);
	write_record(w, 1, 5, 0, IOT_OFFSET_UNKNOWN);
	const char *text = "ff %iotrace version=2 tick=1000 sync=1\n"
			   "ff %process id=1 name=a\n"
			   "80 20 0 1 0 0 4 1 0\n"
			   "ff %sync time=0 record=1 xxh3=HASH\n"
			   "ff %file process=1 id=5 offset=unknown\n"
			   "ff %process id=1 name=a\n"
			   "80 20 0 1 0 0 5 1 0\n"
			   "ff %end records=2 comments=2 xxh3=HASH\n";
	expect(w, text);
	w = memory_writer((struct make){.sync = 1});
	write_text(w, "%process id=1 name=a");
	write_record(w, 1, 4, 0, 0);
	write_text(w, "%file process=1 id=5 offset=unknown");
	write_record(w, 1, 5, 0, IOT_OFFSET_UNKNOWN);
	expect(w, text);
}

Test(writer, trace_that_lacks_offsets_says_so_once)
{
	struct iot_writer *w = memory_writer((struct make){.bare = true});
	write_text(w, "%trace lacks=offset,cpu");
	write_record(w, 1, 5, 0, IOT_OFFSET_UNKNOWN);
	write_record(w, 1, 6, 0, IOT_OFFSET_UNKNOWN);
	expect(w, "ff %trace lacks=offset,cpu\n80 20 0 1 0 0 5 1 0\n80 28 0 1 0 0 6 0\n");
}

Test(writer, every_flag_is_marked_where_it_begins_and_ends)
{
	struct iot_writer *w = memory_writer((struct make){.bare = true});
	write_text(w, "%file process=1 id=5 path=/a cpu=unknown");
	write_record(w, 1, 5, 0, IOT_CPU_UNKNOWN | IOT_DURATION_UNKNOWN);
	write_record(w, 1, 5, 0, IOT_CPU_UNKNOWN | IOT_DURATION_UNKNOWN);
	write_record(w, 1, 5, 0, IOT_DURATION_UNKNOWN);
	write_record(w, 1, 5, 0, 0);
	write_record(w, 1, 6, 0, IOT_OFFSET_UNKNOWN | IOT_START_UNKNOWN);
	expect(w, "ff %file process=1 id=5 path=/a cpu=unknown\n"
		  "ff %file process=1 id=5 path=/a cpu=unknown completion=unknown\n"
		  "80 20 0 1 0 0 5 1 0\n"
		  "80 ac 0 0 0 0\n"
		  "ff %file process=1 id=5 path=/a completion=unknown cpu=known\n"
		  "80 ac 0 0 0 0\n"
		  "ff %file process=1 id=5 path=/a cpu=known completion=known\n"
		  "80 ac 0 0 0 0\n"
		  "ff %file process=1 id=6 offset=unknown start=unknown\n"
		  "80 28 0 1 0 0 6 0\n");
}

Test(writer, flag_that_lacks_covered_is_marked_once_lacks_ends)
{
	struct iot_writer *w = memory_writer((struct make){.bare = true});
	write_text(w, "%trace lacks=completion");
	write_record(w, 1, 5, 0, IOT_DURATION_UNKNOWN);
	write_text(w, "%trace lacks=");
	write_record(w, 1, 5, 0, IOT_DURATION_UNKNOWN);
	expect(w, "ff %trace lacks=completion\n"
		  "80 20 0 1 0 0 5 1 0\n"
		  "ff %trace lacks=\n"
		  "ff %file process=1 id=5 completion=unknown\n"
		  "80 ac 0 0 0 0\n");
}

Test(writer, flag_of_no_meaning_is_refused)
{
	struct iot_writer *w = memory_writer((struct make){0});
	struct iot_record rec = {.process = 1, .file = 2, .type = IOT_LOGICAL};
	cr_assert_eq(iot_writer_records(w, &rec, 1), IOT_OK);
	rec.flags = 0x10;
	cr_assert_eq(iot_writer_records(w, &rec, 1), IOT_EUSAGE);
	cr_assert_str_eq(iot_writer_error(w), "record 1 cannot be written: its flags have a bit "
					      "that is not in enum iot_flag");
	iot_writer_free(w);
}

/* The same numbers in each run. */
static unsigned roll(uint64_t *state, unsigned sides)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(*state >> 33) % sides;
}

/* Directives that change the meaning of flags: lacks=, a %file without flags, a close. */
static void write_some_directive(struct iot_writer *w, uint64_t *state, unsigned *lacks)
{
	static const struct {
		const char *list;
		unsigned flags;
	} trace[] = {{"", 0},
		     {"cpu", IOT_CPU_UNKNOWN},
		     {"cpu,completion", IOT_CPU_UNKNOWN | IOT_DURATION_UNKNOWN},
		     {"offset,start", IOT_OFFSET_UNKNOWN | IOT_START_UNKNOWN}};
	const unsigned process = roll(state, 3), file = roll(state, 40), which = roll(state, 4);
	char text[100];
	switch (roll(state, 4)) {
	case 0:
		*lacks = trace[which].flags;
		snprintf(text, sizeof(text), "%%trace lacks=%s", trace[which].list);
		break;
	case 1:
		snprintf(text, sizeof(text), "%%file process=%u id=%u object=%u%s", process, file,
			 file, which % 2 ? " kind=disk" : "");
		break;
	case 2:
		snprintf(text, sizeof(text), "%%file process=%u id=%u completion=unknown cpu=known",
			 process, file);
		break;
	default:
		snprintf(text, sizeof(text), "%%op name=close process=%u file=%u", process, file);
	}
	write_text(w, text);
}

/* Writes records with all flags and checks that a reader finds them; then once more of the copy. */
static void check_flags(uint64_t seed, struct make how)
{
	enum { N = 3000 };
	static struct iot_record rec[N], got[N + 1];
	static uint8_t lacking[N];
	uint64_t state = seed;
	unsigned lacks = 0;
	struct iot_writer *w = memory_writer(how);
	for (size_t i = 0; i < N; i++) {
		if (roll(&state, 9) == 0)
			write_some_directive(w, &state, &lacks);
		const unsigned steady = roll(&state, 3);
		rec[i] = (struct iot_record){
		    .start_ns = (int64_t)i * 1000,
		    .process = roll(&state, 3),
		    .file = roll(&state, roll(&state, 2) ? 40 : 2),
		    .length = 1,
		    .type = roll(&state, 4) ? IOT_LOGICAL : 0,
		    .flags = (uint8_t)(steady && i > 0 ? rec[i - 1].flags : roll(&state, 16))};
		lacking[i] = (uint8_t)lacks;
		cr_assert_eq(iot_writer_records(w, &rec[i], 1), IOT_OK, "%s", iot_writer_error(w));
	}
	struct bytes b = written(w), copy = rewritten(b.data, b.size, how);
	cr_assert(copy.size == b.size && memcmp(copy.data, b.data, b.size) == 0);
	struct iot_reader *r = iot_reader_new();
	cr_assert_eq(iot_reader_open_memory(r, copy.data, copy.size, "t"), IOT_OK);
	size_t n = 0;
	for (ssize_t more; (more = iot_reader_records(r, got + n, N + 1 - n)) != 0;
	     n += (size_t)more)
		cr_assert(more > 0, "%s", iot_reader_error(r));
	cr_assert_eq(n, N);
	for (size_t i = 0; i < N; i++)
		cr_assert_eq(got[i].flags, rec[i].flags | lacking[i], "record %zu", i);
	iot_reader_free(r);
	free(b.data);
	free(copy.data);
}

Test(writer, flags_of_every_record_are_read_again)
{
	for (uint64_t seed = 1; seed <= 20; seed++)
		check_flags(seed, (struct make){.sync = seed % 3 * 7,
						.base = seed % 2 ? 16 : 10,
						.bare = seed % 5 == 0});
}

static struct iot_writer *tracer(void)
{
	struct iot_writer *w = iot_writer_new();
	cr_assert_eq(iot_writer_set(w, IOT_SET_FRAMING, 0), IOT_OK);
	cr_assert_eq(iot_writer_open_memory(w), IOT_OK);
	return w;
}

Test(writer, record_without_logical_needs_a_declared_disk)
{
	const struct iot_record rec = {.process = 1, .file = 5, .length = 4096, .type = IOT_WRITE};
	struct iot_writer *w = tracer();
	cr_assert_eq(iot_writer_file(w, 1, 5, 0, "/a"), IOT_OK);
	cr_assert_eq(iot_writer_records(w, &rec, 1), IOT_EUSAGE);
	cr_assert_str_eq(iot_writer_error(w),
			 "record 0 cannot be written: its type lacks IOT_LOGICAL, so it is an I/O "
			 "of a disk, in blocks of 512 bytes, and no %file kind=disk declares that "
			 "disk");
	iot_writer_free(w);
	w = tracer();
	cr_assert_eq(iot_writer_disk(w, 1, 5, "/dev/sda"), IOT_OK);
	cr_assert_eq(iot_writer_records(w, &rec, 1), IOT_OK);
	expect(w, "ff %file process=1 id=5 kind=disk path=/dev/sda\n40 22 0 8 0 0 5 1 0\n");
}

Test(writer, declarations_are_encoded_and_written_once)
{
	struct iot_writer *w = tracer();
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(iot_writer_process(w, 7, 1, "my program"), IOT_OK);
		cr_assert_eq(iot_writer_process(w, 8, 0, NULL), IOT_OK);
		cr_assert_eq(iot_writer_file(w, 7, 3, 9, "/a b\n% time=5"), IOT_OK);
		cr_assert_eq(iot_writer_file(w, 7, 4, 0, NULL), IOT_OK);
	}
	expect(w, "ff %process id=7 name=my%20program parent=1\n"
		  "ff %process id=8\n"
		  "ff %file process=7 id=3 object=9 path=/a%20b%0A%25%20time=5\n"
		  "ff %file process=7 id=4\n");
}

Test(writer, declaration_with_too_long_a_name_is_refused_and_the_writer_works_on)
{
	struct iot_writer *w = tracer();
	char *path = calloc(1, IOT_COMMENT_MAX + 1);
	memset(path, 'x', IOT_COMMENT_MAX);
	cr_assert_eq(iot_writer_file(w, 7, 3, 9, path), IOT_EUSAGE);
	cr_assert_str_eq(iot_writer_error(w), "the name in a declaration is too long");
	path[IOT_COMMENT_MAX - 100] = '\0';
	cr_assert_eq(iot_writer_file(w, 7, 3, 9, path), IOT_OK);
	cr_assert_eq(iot_writer_process(w, 7, 0, "p"), IOT_OK);
	struct bytes b = written(w);
	struct reading got = read_bytes(b.data, b.size, (struct how){0});
	cr_assert_eq(got.comments, 2);
	free_reading(&got);
	free(b.data);
	free(path);
}

Test(writer, directives_have_ticks)
{
	struct iot_writer *w = memory_writer((struct make){.bare = true, .tick_ns = 1000});
	write_text(w, "%op name=x time=1999 took=2 why=time=3000");
	write_text(w, "%unheard-of time=5000");
	write_text(w, "time=5000");
	expect(w,
	       "ff %op name=x time=1 took=1 why=time=3000\nff %unheard-of time=5\nff time=5000\n");
}

static void expect_refusal(struct iot_event ev, const char *sentence)
{
	struct iot_writer *w = memory_writer((struct make){0});
	cr_assert_eq(iot_writer_events(w, &ev, 1), IOT_EUSAGE);
	cr_assert_str_eq(iot_writer_error(w), sentence);
	cr_assert_eq(iot_writer_close(w), IOT_EUSAGE);
	iot_writer_free(w);
}

Test(writer, events_that_cannot_be_expressed_are_refused)
{
	struct iot_event ev = {.kind = IOT_RECORD, .rec.type = 0xff};
	char *longest = calloc(1, IOT_COMMENT_MAX + 1);
	expect_refusal(ev, "record 0 cannot be written: recordType ff marks a comment: it cannot "
			   "be a record's");
	ev = (struct iot_event){.kind = 0};
	expect_refusal(ev, "an event of no known kind");
	expect_refusal(comment("a\nb"), "a comment cannot have a line end (LF) in it");
	expect_refusal(comment("a\r"),
		       "a comment cannot end in CR: readers take it for a part of the line end");
	expect_refusal(comment("%end records=1"),
		       "%iotrace, %sync and %end are made by the writer");
	expect_refusal(comment("%file process=1"), "%file needs id=");
	memset(longest, 'x', IOT_COMMENT_MAX);
	expect_refusal(comment(longest), "a comment line would be longer than 65536 bytes");
	longest[IOT_COMMENT_MAX - 2] = '\0';
	expect_refusal(comment(longest), "a comment line would be longer than 65536 bytes");
	free(longest);
}

Test(writer, longest_comment_is_written_and_read)
{
	char *longest = calloc(1, IOT_COMMENT_MAX + 1);
	memset(longest, 'x', IOT_COMMENT_MAX - 3);
	struct iot_writer *w = memory_writer((struct make){0});
	for (int i = 0; i < 9; i++)
		write_text(w, longest);
	struct bytes b = written(w);
	struct reading got = read_bytes(b.data, b.size, (struct how){0});
	cr_assert_eq(got.status, 0, "%s", got.error);
	cr_assert_eq(got.comments, 9);
	free_reading(&got);
	free(b.data);
	free(longest);
}

Test(writer, settings_out_of_range_are_refused)
{
	static const struct {
		enum iot_option option;
		uint64_t value;
	} bad[] = {{IOT_SET_TICK_NS, 0},     {IOT_SET_TICK_NS, (uint64_t)INT64_MAX + 1},
		   {IOT_SET_BASE, 0},        {IOT_SET_BASE, 8},
		   {IOT_SET_FRAMING, 2},     {IOT_SET_COMPRESSION, 3},
		   {IOT_SET_LEVEL, 20},      {IOT_SET_THREADS, 1000},
		   {IOT_SET_VERIFY, 1},      {IOT_SET_READ_SIZE, 1},
		   {(enum iot_option)99, 1}, {IOT_SET_LIMIT_MEMORY, 0},
		   {IOT_SET_IN_PLACE, 2},    {IOT_SET_FLUSH_NS, UINT64_MAX}};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct iot_writer *w = iot_writer_new();
		cr_assert_eq(iot_writer_set(w, bad[i].option, bad[i].value), IOT_EUSAGE, "%zu", i);
		cr_assert_str_not_empty(iot_writer_error(w));
		iot_writer_free(w);
	}
}

Test(writer, calls_out_of_turn_are_refused)
{
	struct iot_writer *w = iot_writer_new();
	cr_assert_eq(iot_writer_records(w, example, 1), IOT_EUSAGE);
	cr_assert_str_eq(iot_writer_error(w), "the writer is not open");
	iot_writer_free(w);
	w = memory_writer((struct make){0});
	cr_assert_eq(iot_writer_close(w), IOT_OK);
	cr_assert_eq(iot_writer_fact(w, IOT_FACT_COMPLETE), 1);
	cr_assert_eq(iot_writer_close(w), IOT_EUSAGE);
	iot_writer_free(w);
	w = iot_writer_new();
	iot_writer_set(w, IOT_SET_COMPRESSION, IOT_GZIP);
	iot_writer_set(w, IOT_SET_LEVEL, 19);
	cr_assert_eq(iot_writer_open_memory(w), IOT_EUSAGE);
	iot_writer_free(w);
	iot_writer_free(NULL);
}

Test(writer, refusals_leave_an_open_writer_as_it_was)
{
	struct iot_writer *w = memory_writer((struct make){0}), *other;
	other = memory_writer((struct make){0});
	cr_assert_eq(iot_writer_set(w, IOT_SET_BASE, 10), IOT_EUSAGE);
	cr_assert_str_eq(iot_writer_error(w), "settings of a writer are made before it is opened");
	cr_assert_eq(iot_writer_open_memory(w), IOT_EUSAGE);
	cr_assert_eq(iot_writer_open(w, "/nowhere"), IOT_EUSAGE);
	cr_assert_eq(iot_writer_records(w, example, 1), IOT_OK);
	cr_assert_eq(iot_writer_records(other, example, 1), IOT_OK);
	struct bytes b = written(w), want = written(other);
	cr_assert_eq(b.size, want.size);
	cr_assert_eq(memcmp(b.data, want.data, b.size), 0);
	free(b.data);
	free(want.data);
}

Test(writer, memory_has_a_limit)
{
	struct iot_writer *w = iot_writer_new();
	int status = IOT_OK;
	iot_writer_set(w, IOT_SET_LIMIT_MEMORY, 200000);
	cr_assert_eq(iot_writer_open_memory(w), IOT_OK);
	for (uint32_t i = 0; status == IOT_OK && i < 100000; i++) {
		const struct iot_record rec = {.process = i, .type = IOT_LOGICAL};
		status = iot_writer_records(w, &rec, 1);
	}
	cr_assert_eq(status, IOT_ELIMIT);
	cr_assert_not_null(strstr(iot_writer_error(w), "IOT_SET_LIMIT_MEMORY"));
	iot_writer_free(w);
}

static ssize_t full_disk(void *context, const void *buffer, size_t size)
{
	size_t *left = context;
	(void)buffer;
	if (*left == 0) {
		errno = ENOSPC;
		return -1;
	}
	size = size < *left ? size : *left;
	*left -= size;
	return (ssize_t)size;
}

Test(writer, full_disk_is_reported)
{
	size_t left = 20;
	struct iot_writer *w = iot_writer_new();
	cr_assert_eq(iot_writer_open_callback(w, full_disk, &left, "disk"), IOT_OK);
	cr_assert_eq(iot_writer_records(w, example, 4), IOT_OK);
	cr_assert_eq(iot_writer_close(w), IOT_EIO);
	cr_assert_not_null(strstr(iot_writer_error(w), "No space left"));
	cr_assert_eq(iot_writer_fact(w, IOT_FACT_COMPLETE), 0);
	iot_writer_free(w);
}

Test(writer, facts_count)
{
	struct iot_writer *w = memory_writer((struct make){.sync = 2, .tick_ns = 10});
	write_text(w, "x");
	cr_assert_eq(iot_writer_records(w, example, 4), IOT_OK);
	cr_assert_eq(iot_writer_fact(w, IOT_FACT_RECORDS), 4);
	cr_assert_eq(iot_writer_fact(w, IOT_FACT_COMMENTS), 1);
	cr_assert_eq(iot_writer_fact(w, IOT_FACT_SYNC), 2);
	cr_assert_eq(iot_writer_fact(w, IOT_FACT_TICK_NS), 10);
	cr_assert_eq(iot_writer_fact(w, IOT_FACT_BASE), 16);
	cr_assert_eq(iot_writer_fact(w, IOT_FACT_COMPLETE), 0);
	cr_assert_eq(iot_writer_close(w), IOT_OK);
	size_t size;
	iot_writer_memory(w, &size);
	cr_assert_eq(iot_writer_fact(w, IOT_FACT_BYTES_TEXT), size);
	cr_assert_eq(iot_writer_fact(w, IOT_FACT_BYTES_STORED), size);
	iot_writer_free(w);
}

static enum iot_compression compression_of(const char *path)
{
	struct iot_writer *w = iot_writer_new();
	struct iot_reader *r = iot_reader_new();
	struct iot_event ev;
	cr_assert_eq(iot_writer_open(w, path), IOT_OK, "%s", iot_writer_error(w));
	cr_assert_eq(iot_writer_close(w), IOT_OK);
	cr_assert_eq(iot_reader_open(r, path), IOT_OK);
	cr_assert_eq(iot_reader_events(r, &ev, 1), 0);
	enum iot_compression c = (enum iot_compression)iot_reader_fact(r, IOT_FACT_COMPRESSION);
	iot_reader_free(r);
	iot_writer_free(w);
	unlink(path);
	return c;
}

Test(writer, suffix_reports_the_compression)
{
	char directory[] = "/tmp/iotrace-writer-XXXXXX", path[64];
	cr_assert_not_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/a.iot.gz", directory);
	cr_assert_eq(compression_of(path), IOT_GZIP);
	snprintf(path, sizeof(path), "%s/a.iot.zst", directory);
	cr_assert_eq(compression_of(path), IOT_ZSTD);
	snprintf(path, sizeof(path), "%s/a.iot", directory);
	cr_assert_eq(compression_of(path), IOT_PLAIN);
	rmdir(directory);
}

Test(writer, flush_sends_what_was_written)
{
	int fds[2];
	char got[4096];
	struct iot_writer *w = iot_writer_new();
	cr_assert_eq(pipe(fds), 0);
	cr_assert_eq(iot_writer_open_fd(w, fds[1], "pipe"), IOT_OK);
	cr_assert_eq(iot_writer_records(w, example, 1), IOT_OK);
	cr_assert_eq(iot_writer_flush(w), IOT_OK);
	ssize_t n = read(fds[0], got, sizeof(got) - 1);
	cr_assert_gt(n, 0);
	got[n] = '\0';
	cr_assert_not_null(strstr(got, "\nc0 22 0 8 0 1f4 3 7 0\n"));
	iot_writer_free(w);
	close(fds[0]);
	close(fds[1]);
}

/* For all options: a reader and a writer reproduce the output of a writer. */
Test(writer, canonical_traces_are_a_fixed_point)
{
	for (uint64_t sync = 0; sync < 12; sync++) {
		for (uint64_t base = 10; base <= 16; base += 6) {
			const struct make how = {.sync = sync, .base = base, .bare = sync == 11};
			struct bytes first = sample(40, how);
			struct bytes second = rewritten(first.data, first.size, how);
			cr_assert_str_eq(second.data, first.data);
			free(first.data);
			free(second.data);
		}
	}
}

Test(writer, thousands_of_files_and_syncs_are_a_fixed_point)
{
	struct iot_writer *w = memory_writer((struct make){.sync = 1000});
	char text[200];
	for (uint32_t i = 0; i < 20000; i++) {
		const uint32_t file = i * 7919 % 4001;
		snprintf(text, sizeof(text),
			 "%%file process=%u id=%u object=%u path=/some/where/%u%s", file % 13, file,
			 file, file, i % 101 ? "" : " x=y");
		write_text(w, text);
		write_record(w, file % 13, file, i * 1000, i % 1001 == 0);
		if (i % 97 == 0) {
			snprintf(text, sizeof(text), "%%op name=close time=%u process=%u file=%u",
				 i * 1000, file % 13, file);
			write_text(w, text);
		}
	}
	struct bytes first = written(w);
	struct bytes second = rewritten(first.data, first.size, (struct make){.sync = 1000});
	cr_assert_eq(first.size, second.size);
	cr_assert_arr_eq(second.data, first.data, first.size);
	free(first.data);
	free(second.data);
}

/*
 * Operations that differ in all values, many of which are equal to the previous one's, or one more.
 */
static struct iot_operation operation(unsigned i)
{
	static const char *const names[] = {"open", "close", "stat", "rename", "a b"};
	static const char *const results[] = {"0", "0", "ENOENT", "a long name of an error"};
	static const char *const paths[] = {"/a",        "relative/b", "", "/with blank\n",
					    "/\xc3\xa4", "/%"};
	const char *path = paths[i / 3 % 6], *to = paths[i / 7 % 6];
	return (struct iot_operation){
	    .name = names[i * 7 / 2 % 5],
	    .result = results[i / 5 % 4],
	    .start_ns = (int64_t)(1000 * (i - i % 4) + 1234 * (i % 3)),
	    .duration_ns = i % 5 == 0 ? i : 4000 + i % 2,
	    .process = 1 + i / 4 % 3,
	    .file = i % 3 == 0 ? 0 : 1 + i % 5,
	    .path = {i % 4 == 1 ? NULL : path, i % 4 == 1 ? 0 : strlen(path)},
	    .to = {i % 4 == 2 ? to : NULL, i % 4 == 2 ? strlen(to) : 0},
	    .size = i % 7 == 0 ? UINT64_MAX : i % 11,
	    .has_size = i % 6 < 2,
	};
}

static void write_as_text(struct iot_writer *w, const struct iot_operation *op)
{
	static char memory[IOT_COMMENT_MAX];
	struct iot_builder b;
	iot_directive_begin(&b, memory, sizeof(memory), "op");
	iot_directive_text(&b, "name", op->name, strlen(op->name));
	iot_directive_number(&b, "time", (uint64_t)op->start_ns);
	iot_directive_number(&b, "took", op->duration_ns);
	iot_directive_number(&b, "process", op->process);
	if (op->file != 0)
		iot_directive_number(&b, "file", op->file);
	if (op->path.data != NULL)
		iot_directive_text(&b, "path", op->path.data, op->path.size);
	if (op->to.data != NULL)
		iot_directive_text(&b, "to", op->to.data, op->to.size);
	iot_directive_text(&b, "result", op->result, strlen(op->result));
	if (op->has_size)
		iot_directive_number(&b, "size", op->size);
	const struct iot_event ev = {.kind = IOT_OP, .text = {b.data, b.size}};
	cr_assert_eq(iot_writer_events(w, &ev, 1), IOT_OK, "%s", iot_writer_error(w));
}

/* A trace of operations between records and definitions of their files. */
static struct bytes with_operations(struct make how, bool as_text)
{
	struct iot_writer *w = memory_writer(how);
	for (unsigned i = 0; i < 2000; i++) {
		const struct iot_operation op[] = {operation(2 * i), operation(2 * i + 1)};
		if (as_text) {
			write_as_text(w, &op[0]);
			write_as_text(w, &op[1]);
		} else {
			cr_assert_eq(iot_writer_operations(w, op, 2), IOT_OK, "%s",
				     iot_writer_error(w));
		}
		if (i % 5 == 0)
			cr_assert_eq(iot_writer_file(w, 1 + i % 3, 1 + i % 5, i, "/file"), IOT_OK);
		if (i % 3 == 0)
			write_record(w, 1 + i % 3, 1 + i % 5, (int64_t)i * 1000, 0);
	}
	return written(w);
}

static void expect_equal_traces(struct make how)
{
	struct bytes text = with_operations(how, true), values = with_operations(how, false);
	cr_expect_eq(text.size, values.size);
	cr_expect(text.size == values.size && memcmp(text.data, values.data, text.size) == 0);
	free(text.data);
	free(values.data);
}

Test(writer, operations_are_written_as_their_texts_are)
{
	expect_equal_traces((struct make){.tick_ns = 1});
	expect_equal_traces((struct make){.tick_ns = 1, .sync = 17});
	expect_equal_traces((struct make){.tick_ns = 1000, .sync = 100, .base = 10});
	expect_equal_traces((struct make){.tick_ns = 7, .bare = true});
}

/* Operations that have all but the size in common: a size, another one, the same, 0, none. */
Test(writer, size_of_an_operation_is_read_back)
{
	static const uint64_t sizes[] = {UINT64_MAX, 4096, 4096, 0};
	static const char *const texts[] = {" size=18446744073709551615\n", " size=4096\n",
					    " size=4096\n", " size=0\n", "result=0\n"};
	struct iot_writer *w = memory_writer((struct make){.tick_ns = 1000});
	struct iot_operation op = {.name = "truncate", .result = "0", .process = 1, .file = 2};
	for (size_t i = 0; i < 5; i++) {
		op.has_size = i < 4;
		op.size = op.has_size ? sizes[i] : 7;
		cr_assert_eq(iot_writer_operations(w, &op, 1), IOT_OK);
	}
	struct bytes trace = written(w);
	struct reading all = read_bytes(trace.data, trace.size, (struct how){0});
	cr_assert_eq(all.comments, 5);
	const char *at = all.text.data;
	for (size_t i = 0; i < 5; i++) {
		const char *end = strchr(at, '\n') + 1;
		const size_t size = strlen(texts[i]);
		cr_assert_geq((size_t)(end - at), size);
		cr_expect_arr_eq(end - size, texts[i], size);
		at = end;
	}
	free_reading(&all);
	free(trace.data);
}

Test(writer, paths_of_operations_fill_the_state_as_their_texts_do)
{
	enum { N = 1500, SIZE = 8000 };
	struct bytes trace[2];
	char *path = malloc(SIZE);
	cr_assert_not_null(path);
	memset(path, 'p', SIZE);
	for (int as_text = 0; as_text < 2; as_text++) {
		struct iot_writer *w = memory_writer((struct make){.tick_ns = 1});
		for (unsigned i = 0; i < N; i++) {
			struct iot_operation op = operation(0);
			memcpy(path, &i, 2);
			op.path = (struct iot_text){path, SIZE};
			if (as_text)
				write_as_text(w, &op);
			else
				cr_assert_eq(iot_writer_operations(w, &op, 1), IOT_OK);
		}
		trace[as_text] = written(w);
	}
	struct reading values = read_bytes(trace[0].data, trace[0].size, (struct how){0});
	struct reading text = read_bytes(trace[1].data, trace[1].size, (struct how){0});
	cr_expect_eq(values.status, IOT_OK, "%s", values.error);
	cr_expect_eq(values.comments, N);
	cr_expect_str_eq(values.text.data, text.text.data);
	free_reading(&values);
	free_reading(&text);
	free(trace[0].data);
	free(trace[1].data);
	free(path);
}

Test(writer, operation_before_time_zero_is_refused)
{
	struct iot_writer *w = memory_writer((struct make){.tick_ns = 1});
	struct iot_operation op = operation(0);
	cr_assert_eq(iot_writer_operations(w, &op, 1), IOT_OK);
	op.start_ns = INT64_MAX;
	op.duration_ns = 1;
	cr_expect_eq(iot_writer_operations(w, &op, 1), IOT_EUSAGE);
	iot_writer_free(w);
	w = memory_writer((struct make){.tick_ns = 1});
	op.start_ns = -1;
	cr_expect_eq(iot_writer_operations(w, &op, 1), IOT_EUSAGE);
	iot_writer_free(w);
}
