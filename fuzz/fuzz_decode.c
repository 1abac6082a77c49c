/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes lines in both bases. An accepted line is encoded and decoded again, with the same result;
 * decoding many lines at once must give the same as one by one; a rejected line must have a
 * message. second.c must accept and reject the same lines, with the same records.
 */
#include "fuzz.h"
#include "second.h"

#include "lib/codec/codec.h"

enum { RECORDS_MAX = 20000 };

struct fuzz_state {
	struct fuzz_codec reader, writer, again;
	struct second *second;
	struct iot_record *rec; /* accepted lines */
	size_t count, capacity;
};

static void check_again(struct fuzz_state *s, const struct iot_record *rec)
{
	char line[IOT_ENCODED_MAX];
	ssize_t n = fuzz_encode(&s->writer, rec, line);
	FUZZ_CHECK(n > 0 && line[n - 1] == '\n');
	struct iot_record got;
	FUZZ_CHECK(fuzz_decode(&s->again, line, (size_t)n, &got) == IOT_OK);
	FUZZ_CHECK(fuzz_same(rec, &got));
}

static void check_line(struct fuzz_state *s, const char *line, size_t size)
{
	struct iot_record rec, second;
	memset(&rec, 0xaa, sizeof(rec));
	const bool accepted = fuzz_decode(&s->reader, line, size, &rec) == IOT_OK;
	FUZZ_CHECK(second_line(s->second, line, size, &second) == accepted);
	if (!accepted) {
		unsigned column;
		const char *why = iot_codec_error(s->reader.codec, &column);
		FUZZ_CHECK(why != NULL && why[0] != '\0');
		FUZZ_CHECK(column <= size + 1 || size > IOT_LINE_MAX);
		return;
	}
	FUZZ_CHECK(fuzz_same(&rec, &second));
	FUZZ_CHECK(rec.object == 0 && rec.flags == 0 && rec.zero == 0 && rec.spare == 0);
	FUZZ_CHECK(rec.type != 0xff && rec.start_ns >= 0);
	check_again(s, &rec);
	if (s->count == s->capacity) {
		s->capacity = 2 * s->capacity + 16;
		s->rec = fuzz_memory(s->rec, s->capacity * sizeof(rec));
	}
	s->rec[s->count++] = rec;
}

static size_t line_size(const char *text, const char *end)
{
	const char *lf = memchr(text, '\n', (size_t)(end - text));
	return (size_t)((lf != NULL ? lf + 1 : end) - text);
}

/* All lines at once; `text` ends in LF. Lines at which the batch stops are left out, as above. */
static void check_batch(const struct fuzz_state *s, const char *text, const char *end,
			uint64_t tick_ns, unsigned base)
{
	struct fuzz_codec c = fuzz_codec_new(tick_ns, base);
	size_t at = 0;
	while (text < end && at < s->count) {
		struct iot_record rec[5];
		enum decode_stop why;
		size_t n =
		    codec_decode_lines(c.codec, &text, end, rec, 5, sizeof(rec[0]), NULL, &why);
		FUZZ_CHECK(n <= 5 && (at + n <= s->count || s->count == RECORDS_MAX));
		for (size_t i = 0; i < n && at + i < s->count; i++)
			FUZZ_CHECK(fuzz_same(&rec[i], &s->rec[at + i]));
		at += n;
		if (why == DECODE_STOP_LIMIT)
			fuzz_codec_grow(&c);
		else if (why == DECODE_STOP_OTHER || why == DECODE_STOP_ERROR)
			text += line_size(text, end);
	}
	FUZZ_CHECK(at >= s->count);
	free(c.codec);
}

static void check_all(const char *text, size_t size, uint64_t tick_ns, unsigned base)
{
	struct fuzz_state s = {
	    .reader = fuzz_codec_new(tick_ns, base),
	    .writer = fuzz_codec_new(tick_ns, base),
	    .again = fuzz_codec_new(tick_ns, base),
	    .second = second_new(tick_ns, base, 0),
	};
	const char *const end = text + size;
	for (const char *p = text; p < end && s.count < RECORDS_MAX;) {
		size_t n = line_size(p, end);
		check_line(&s, p, p + n < end ? n : n - 1); /* the last without LF */
		p += n;
	}
	check_batch(&s, text, end, tick_ns, base);
	free(s.reader.codec);
	free(s.writer.codec);
	free(s.again.codec);
	second_free(s.second);
	free(s.rec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_memory(NULL, size + 1);
	memcpy(text, data, size);
	text[size] = '\n';
	check_all(text, size + 1, 1000, 16);
	check_all(text, size + 1, 1, 10);
	free(text);
	return 0;
}
