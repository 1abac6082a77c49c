/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Buffered reading: plain, gzip and Zstandard input over every source, complete, truncated and
 * damaged.
 */
#include <criterion/criterion.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "lib/io/bufreader.h"

struct bytes {
	unsigned char *data;
	size_t size;
	size_t capacity; /* 0: not known */
};

enum source { MEMORY, FILE_PATH, PIPE, CALLBACK, SOURCES };

static const size_t steps[] = {1, 17, 0};

static bool prefetch;

/* A test that runs without and with the thread that unpacks ahead. */
#define TEST_BOTH_WAYS(name)                                                                       \
	static void name(void);                                                                    \
	Test(bufreader, name)                                                                      \
	{                                                                                          \
		prefetch = false;                                                                  \
		name();                                                                            \
		prefetch = true;                                                                   \
		name();                                                                            \
	}                                                                                          \
	static void name(void)

static struct bytes bytes_of(const void *data, size_t size)
{
	struct bytes b = {malloc(size + 1), size, size + 1};

	cr_assert_not_null(b.data);
	if (size > 0)
		memcpy(b.data, data, size);
	return b;
}

static void append_copy(struct bytes *to, const void *data, size_t size)
{
	if (to->capacity < to->size + size + 1) {
		to->capacity = 2 * (to->size + size + 1);
		to->data = realloc(to->data, to->capacity);
		cr_assert_not_null(to->data);
	}
	if (size > 0)
		memcpy(to->data + to->size, data, size);
	to->size += size;
}

static void append(struct bytes *to, struct bytes what)
{
	append_copy(to, what.data, what.size);
	free(what.data);
}

/* Lines that compress somewhat, different ones for each seed. */
static struct bytes text_of(size_t size, unsigned seed)
{
	struct bytes b = {malloc(size + 64), 0, 0};

	cr_assert_not_null(b.data);
	while (b.size < size) {
		seed = seed * 1103515245 + 12345;
		b.size += (size_t)sprintf((char *)b.data + b.size, "%x %x line\n", seed >> 16,
					  seed >> 28);
	}
	b.size = size;
	return b;
}

static struct bytes gzip_of(struct bytes plain)
{
	struct bytes b = {malloc(plain.size + 1024), 0, 0};
	z_stream z = {0};

	cr_assert_eq(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = plain.data;
	z.avail_in = (uInt)plain.size;
	z.next_out = b.data;
	z.avail_out = (uInt)plain.size + 1024;
	cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	b.size = z.total_out;
	deflateEnd(&z);
	return b;
}

static struct bytes zstd_of(struct bytes plain)
{
	const size_t bound = ZSTD_compressBound(plain.size);
	struct bytes b = {malloc(bound), 0, 0};
	ZSTD_CCtx *c = ZSTD_createCCtx();

	cr_assert_not_null(c);
	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	b.size = ZSTD_compress2(c, b.data, bound, plain.data, plain.size);
	cr_assert(!ZSTD_isError(b.size));
	ZSTD_freeCCtx(c);
	return b;
}

static struct bytes packed_of(enum iot_compression how, struct bytes plain)
{
	if (how == IOT_GZIP)
		return gzip_of(plain);
	return how == IOT_ZSTD ? zstd_of(plain) : bytes_of(plain.data, plain.size);
}

static struct bytes skippable_of(unsigned kind, size_t size)
{
	struct bytes b = {calloc(1, size + 8), size + 8, 0};
	const unsigned char head[] = {(unsigned char)(0x50 | kind), 0x2a, 0x4d, 0x18,
				      (unsigned char)size,          0,    0,    0};

	memcpy(b.data, head, sizeof(head));
	return b;
}

static struct bufreader *window_of(size_t read_size, size_t buffer_max)
{
	const struct bufreader_options options = {
	    .read_size = read_size, .buffer_max = buffer_max, .prefetch = prefetch};
	struct bufreader *w = bufreader_new("in", &options);

	cr_assert_not_null(w);
	return w;
}

static struct bufreader *memory_window(struct bytes b, size_t read_size)
{
	struct bufreader *w = window_of(read_size, 0);

	cr_assert_eq(bufreader_open_memory(w, b.data, b.size), IOT_OK);
	return w;
}

/* Everything that is left, looked at `want` bytes at a time. */
static struct bytes drain(struct bufreader *w, size_t want)
{
	struct bytes all = {0};

	for (;;) {
		size_t have;
		const char *p = bufreader_peek(w, want, &have);

		if (have == 0)
			return all;
		append_copy(&all, p, have);
		bufreader_consume(w, have);
	}
}

static void assert_same(struct bytes a, struct bytes b)
{
	cr_assert_eq(a.size, b.size, "%zu bytes, not %zu", a.size, b.size);
	cr_assert(a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

struct feed {
	struct bytes bytes;
	size_t at;
	int fd;
	unsigned interruptions;
};

static void *feed_pipe(void *context)
{
	struct feed *f = context;

	while (f->at < f->bytes.size) {
		const size_t left = f->bytes.size - f->at;
		const ssize_t n = write(f->fd, f->bytes.data + f->at, left < 1000 ? left : 1000);

		if (n < 0)
			break;
		f->at += (size_t)n;
	}
	close(f->fd);
	return NULL;
}

static ssize_t feed_callback(void *context, void *to, size_t size)
{
	struct feed *f = context;
	const size_t left = f->bytes.size - f->at;
	const size_t n = left < size ? left : size;

	if (f->interruptions++ % 3 == 1) {
		errno = EINTR;
		return -1;
	}
	memcpy(to, f->bytes.data + f->at, n);
	f->at += n;
	return (ssize_t)n;
}

static void make_file(char *path, struct bytes b)
{
	int fd;

	strcpy(path, "/tmp/iot-window-XXXXXX");
	fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, b.data, b.size), (ssize_t)b.size);
	close(fd);
}

/* Reads `b` by way of a source; the status of its end is returned. */
static int read_by(enum source source, struct bytes b, size_t read_size, struct bytes *got)
{
	struct bufreader *w = window_of(read_size, 0);
	struct feed feed = {.bytes = b};
	pthread_t thread;
	char path[64];
	int status, fds[2] = {-1, -1};

	if (source == MEMORY) {
		cr_assert_eq(bufreader_open_memory(w, b.data, b.size), IOT_OK);
	} else if (source == FILE_PATH) {
		make_file(path, b);
		cr_assert_eq(bufreader_open(w, path), IOT_OK);
		unlink(path);
		cr_assert_eq(bufreader_total(w), b.size);
	} else if (source == PIPE) {
		cr_assert_eq(pipe(fds), 0);
		feed.fd = fds[1];
		cr_assert_eq(pthread_create(&thread, NULL, feed_pipe, &feed), 0);
		cr_assert_eq(bufreader_open_fd(w, fds[0]), IOT_OK);
	} else {
		cr_assert_eq(bufreader_open_callback(w, feed_callback, &feed), IOT_OK);
	}
	*got = drain(w, 1);
	if (source == PIPE) {
		pthread_join(thread, NULL);
		close(fds[0]);
	}
	status = bufreader_status(w);
	if (status == IOT_OK)
		cr_assert_eq(bufreader_stored(w), b.size);
	bufreader_free(w);
	return status;
}

TEST_BOTH_WAYS(every_source_and_compression_gives_the_same_bytes)
{
	const struct bytes plain = text_of(300000, 1);

	for (enum iot_compression how = IOT_PLAIN; how <= IOT_ZSTD; how++) {
		const struct bytes packed = packed_of(how, plain);

		for (int source = MEMORY; source < SOURCES; source++) {
			for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
				struct bytes got;

				if (prefetch && source != MEMORY && steps[i] == 1)
					continue; /* a piece for each byte: slow */
				cr_assert_eq(read_by((enum source)source, packed, steps[i], &got),
					     IOT_OK);
				assert_same(got, plain);
				free(got.data);
			}
		}
		free(packed.data);
	}
	free(plain.data);
}

TEST_BOTH_WAYS(the_first_bytes_name_the_compression)
{
	for (enum iot_compression how = IOT_PLAIN; how <= IOT_ZSTD; how++) {
		const struct bytes plain = text_of(100, 1);
		const struct bytes packed = packed_of(how, plain);
		struct bufreader *w = memory_window(packed, 1);
		size_t have;

		bufreader_peek(w, 1, &have);
		cr_assert_eq(bufreader_compression(w), how);
		bufreader_free(w);
		free(packed.data);
		free(plain.data);
	}
}

TEST_BOTH_WAYS(beginnings_of_a_magic_number_alone_are_plain)
{
	const char *texts[] = {"",   "\x1f",   "\x28", "\x28\xb5", "\x28\xb5\x2f",
			       "P*", "S\x2aM", "ff 1"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const struct bytes b = bytes_of(texts[i], strlen(texts[i]));

		for (size_t j = 0; j < sizeof(steps) / sizeof(*steps); j++) {
			struct bytes got;

			cr_assert_eq(read_by(CALLBACK, b, steps[j], &got), IOT_OK);
			assert_same(got, b);
			free(got.data);
		}
		free(b.data);
	}
}

TEST_BOTH_WAYS(forced_to_be_plain_it_does_not_unpack)
{
	const struct bufreader_options options = {.plain = true};
	const struct bytes plain = text_of(1000, 1);
	const struct bytes packed = gzip_of(plain);
	struct bufreader *w = bufreader_new("in", &options);
	struct bytes got;

	cr_assert_eq(bufreader_open_memory(w, packed.data, packed.size), IOT_OK);
	got = drain(w, 1);
	assert_same(got, packed);
	cr_assert_eq(bufreader_compression(w), IOT_PLAIN);
	bufreader_free(w);
	free(got.data);
	free(packed.data);
	free(plain.data);
}

TEST_BOTH_WAYS(frame_after_frame_is_one_stream)
{
	for (enum iot_compression how = IOT_GZIP; how <= IOT_ZSTD; how++) {
		struct bytes plain = {0};
		struct bytes packed = {0};

		for (unsigned i = 0; i < 20; i++) {
			struct bytes part = text_of(i % 3 == 0 ? 0 : i * 100, i);

			append(&packed, packed_of(how, part));
			append(&plain, part);
			if (how == IOT_ZSTD)
				append(&packed, skippable_of(i % 16, i));
		}
		for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
			struct bytes got;

			cr_assert_eq(read_by(MEMORY, packed, steps[i], &got), IOT_OK);
			assert_same(got, plain);
			free(got.data);
			cr_assert_eq(read_by(CALLBACK, packed, steps[i], &got), IOT_OK);
			assert_same(got, plain);
			free(got.data);
		}
		free(packed.data);
		free(plain.data);
	}
}

TEST_BOTH_WAYS(a_skippable_frame_may_come_first)
{
	const struct bytes plain = text_of(1000, 1);
	struct bytes packed = skippable_of(0, 200);
	struct bytes got;

	append(&packed, zstd_of(plain));
	cr_assert_eq(read_by(CALLBACK, packed, 1, &got), IOT_OK);
	assert_same(got, plain);
	free(got.data);
	free(packed.data);
	free(plain.data);
}

TEST_BOTH_WAYS(zeros_after_gzip_are_padding)
{
	const struct bytes plain = text_of(1000, 1);
	struct bytes packed = gzip_of(plain);
	struct bytes got;

	append(&packed, (struct bytes){calloc(1, 5000), 5000, 0});
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		cr_assert_eq(read_by(CALLBACK, packed, steps[i], &got), IOT_OK);
		assert_same(got, plain);
		free(got.data);
	}
	append(&packed, bytes_of("x", 1));
	cr_assert_eq(read_by(CALLBACK, packed, 17, &got), IOT_EFORMAT);
	assert_same(got, plain);
	free(got.data);
	free(packed.data);
	free(plain.data);
}

TEST_BOTH_WAYS(other_bytes_after_a_frame_are_damage)
{
	for (enum iot_compression how = IOT_GZIP; how <= IOT_ZSTD; how++) {
		const struct bytes plain = text_of(1000, 1);
		struct bytes packed = packed_of(how, plain);
		char place[64];
		struct bufreader *w;
		struct bytes got;

		snprintf(place, sizeof(place), "in: at byte %zu: ", packed.size);
		append(&packed, bytes_of("garbage", 7));
		w = memory_window(packed, 0);
		got = drain(w, 1);
		assert_same(got, plain);
		cr_assert_eq(bufreader_status(w), IOT_EFORMAT);
		cr_assert_eq(strncmp(bufreader_error(w)->text, place, strlen(place)), 0, "%s",
			     bufreader_error(w)->text);
		cr_assert(!bufreader_resync(w));
		cr_assert_eq(bufreader_status(w), IOT_EFORMAT);
		bufreader_free(w);
		free(got.data);
		free(packed.data);
		free(plain.data);
	}
}

TEST_BOTH_WAYS(cut_anywhere_inside_it_is_truncated)
{
	for (enum iot_compression how = IOT_GZIP; how <= IOT_ZSTD; how++) {
		const struct bytes plain = text_of(700, 1);
		struct bytes packed = packed_of(how, plain);
		const size_t first = packed.size;

		append(&packed, packed_of(how, plain));
		for (size_t cut = how == IOT_GZIP ? 2 : 4; cut < packed.size; cut++) {
			const struct bytes part = {packed.data, cut, 0};
			const int expected = cut == first ? IOT_OK : IOT_ETRUNCATED;
			struct bytes got;

			for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
				cr_assert_eq(read_by(CALLBACK, part, steps[i], &got), expected,
					     "cut at %zu of %zu", cut, packed.size);
				cr_assert(cut < first || got.size >= plain.size);
				free(got.data);
			}
		}
		free(packed.data);
		free(plain.data);
	}
}

TEST_BOTH_WAYS(what_is_truncated_cannot_be_resynced)
{
	const struct bytes plain = text_of(700, 1);
	const struct bytes packed = zstd_of(plain);
	struct bufreader *w = memory_window((struct bytes){packed.data, packed.size / 2, 0}, 0);
	struct bytes got = drain(w, 1);

	cr_assert_eq(bufreader_status(w), IOT_ETRUNCATED);
	cr_assert(!bufreader_resync(w));
	cr_assert_eq(bufreader_status(w), IOT_ETRUNCATED);
	bufreader_free(w);
	free(got.data);
	free(packed.data);
	free(plain.data);
}

static bool ends_with(struct bytes all, struct bytes tail)
{
	return all.size >= tail.size &&
	       memcmp(all.data + all.size - tail.size, tail.data, tail.size) == 0;
}

/* Reads all that can be read of damaged input; returns the status of the first damage. */
static int read_resyncing(struct bytes packed, size_t read_size, struct bytes *got, int *last)
{
	struct feed feed = {.bytes = packed};
	struct bufreader *w = window_of(read_size, 0);
	unsigned resyncs = 0;
	int first;

	cr_assert_eq(bufreader_open_callback(w, feed_callback, &feed), IOT_OK);
	*got = drain(w, 1);
	first = bufreader_status(w);
	while (bufreader_resync(w)) {
		cr_assert_lt(++resyncs, packed.size);
		append(got, drain(w, 1));
	}
	*last = bufreader_status(w);
	bufreader_free(w);
	return first;
}

/* Three frames, the middle one with a flipped bit: the first is complete, the last is found. */
TEST_BOTH_WAYS(a_bit_flipped_anywhere_is_noticed_and_the_next_frame_found)
{
	for (enum iot_compression how = IOT_GZIP; how <= IOT_ZSTD; how++) {
		const struct bytes a = text_of(400, 1), b = text_of(400, 2), c = text_of(30000, 3);
		struct bytes packed = packed_of(how, a);
		const size_t from = packed.size;
		size_t to;
		unsigned found = 0, tried = 0;

		append(&packed, packed_of(how, b));
		to = packed.size;
		append(&packed, packed_of(how, c));
		for (size_t bit = 8 * from; bit < 8 * to; bit += prefetch ? 17 : 1) {
			struct bytes got;
			int first, last;

			packed.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
			first = read_resyncing(packed, steps[bit % 3], &got, &last);
			packed.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
			cr_assert(first == IOT_OK || first == IOT_EFORMAT || first == IOT_ELIMIT ||
				      first == IOT_ETRUNCATED,
				  "status %d", first);
			cr_assert_eq(memcmp(got.data, a.data, a.size), 0);
			/* Some bits of gzip's header (time, system) do not affect the contents. */
			if (first == IOT_OK)
				cr_assert(ends_with(got, c));
			tried++;
			if (ends_with(got, c) && last == IOT_OK)
				found++;
			free(got.data);
		}
		cr_assert_gt(found * 100, tried * 95, "found in %u of %u", found, tried);
		free(packed.data);
		free(a.data);
		free(b.data);
		free(c.data);
	}
}

TEST_BOTH_WAYS(every_byte_flipped_never_gives_wrong_bytes_as_right)
{
	for (enum iot_compression how = IOT_GZIP; how <= IOT_ZSTD; how++) {
		const struct bytes plain = text_of(500, 7);
		const struct bytes packed = packed_of(how, plain);

		for (size_t at = how == IOT_GZIP ? 2 : 4; at < packed.size; at++) {
			for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
				struct bytes got;

				packed.data[at] ^= 0xff;
				if (read_by(CALLBACK, packed, steps[i], &got) == IOT_OK)
					assert_same(got, plain);
				packed.data[at] ^= 0xff;
				free(got.data);
			}
		}
		free(packed.data);
		free(plain.data);
	}
}

static void message_of(struct bytes packed, size_t read_size, char text[sizeof(struct error)])
{
	struct bufreader *w = window_of(read_size, 0);
	struct feed feed = {.bytes = packed};

	cr_assert_eq(bufreader_open_callback(w, feed_callback, &feed), IOT_OK);
	free(drain(w, 1).data);
	strcpy(text, bufreader_error(w)->text);
	bufreader_free(w);
}

TEST_BOTH_WAYS(the_message_of_damage_does_not_depend_on_the_sizes_of_reads)
{
	const struct bytes plain = text_of(400000, 9);
	for (enum iot_compression how = IOT_GZIP; how <= IOT_ZSTD; how++) {
		const struct bytes packed = packed_of(how, plain);
		for (size_t at = 5; at < packed.size; at += packed.size / (prefetch ? 4 : 20)) {
			char text[2][sizeof(struct error)];
			packed.data[at] ^= 0x5a;
			message_of(packed, 0, text[0]);
			for (size_t size = 1; size < 20000; size = 16 * size + 1) {
				message_of(packed, size, text[1]);
				cr_expect_str_eq(text[0], text[1], "byte %zu, reads of %zu", at,
						 size);
			}
			packed.data[at] ^= 0x5a;
		}
		free(packed.data);
	}
	free(plain.data);
}

TEST_BOTH_WAYS(blocks_before_a_bad_block_are_shown)
{
	const struct bytes plain = text_of(1 << 20, 5);

	for (enum iot_compression how = IOT_GZIP; how <= IOT_ZSTD; how++) {
		const struct bytes packed = packed_of(how, plain);
		const size_t at = packed.size * 9 / 10;

		for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
			struct bytes got;

			memset(packed.data + at, 0xff, 64);
			cr_assert_eq(read_by(CALLBACK, packed, steps[i], &got), IOT_EFORMAT);
			cr_assert_gt(got.size, plain.size * 7 / 10, "%zu", got.size);
			/* Deflate may continue with wrong bytes for a while, zstd blocks do not. */
			cr_assert_eq(memcmp(got.data, plain.data, plain.size * 7 / 10), 0);
			if (how == IOT_ZSTD)
				cr_assert_lt(got.size, plain.size);
			if (how == IOT_ZSTD)
				cr_assert_eq(memcmp(got.data, plain.data, got.size), 0);
			free(got.data);
		}
		free(packed.data);
	}
	free(plain.data);
}

TEST_BOTH_WAYS(a_window_too_large_is_a_limit_that_names_both_sizes)
{
	const struct bufreader_options options = {
	    .window_max = 1 << 20, .read_size = 1, .prefetch = prefetch};
	const struct bytes plain = text_of(4 << 20, 1);
	const struct bytes packed = zstd_of(plain);
	struct bufreader *w = bufreader_new("in", &options);
	struct bytes got;

	cr_assert_eq(bufreader_open_memory(w, packed.data, packed.size), IOT_OK);
	got = drain(w, 1);
	cr_assert_eq(got.size, 0);
	cr_assert_eq(bufreader_status(w), IOT_ELIMIT);
	cr_assert_not_null(strstr(bufreader_error(w)->text, "2097152"), "%s",
			   bufreader_error(w)->text);
	cr_assert_not_null(strstr(bufreader_error(w)->text, "1048576"));
	bufreader_free(w);
	free(got.data);
	free(packed.data);
	free(plain.data);
}

/* Like a reader of lines: requests one byte more than available until the line is complete. */
TEST_BOTH_WAYS(asking_for_one_more_grows_what_is_shown)
{
	const struct bytes plain = text_of(3 << 20, 1);

	for (enum iot_compression how = IOT_PLAIN; how <= IOT_ZSTD; how++) {
		const struct bytes packed = packed_of(how, plain);
		struct bufreader *w = memory_window(packed, 5000);
		struct bytes got = {0};
		size_t have = 0;
		const char *p = bufreader_peek(w, 100, &have);

		cr_assert_geq(have, 100);
		bufreader_consume(w, 100);
		have = 0;
		do {
			got.size = have;
			p = bufreader_peek(w, have + 1, &have);
		} while (have > got.size);
		cr_assert_eq(have, plain.size - 100);
		cr_assert_eq(memcmp(p, plain.data + 100, have), 0);
		cr_assert_eq(bufreader_status(w), IOT_OK);
		bufreader_free(w);
		free(packed.data);
	}
	free(plain.data);
}

TEST_BOTH_WAYS(small_steps_over_a_long_input_see_every_byte)
{
	const struct bytes plain = text_of(400000, 9);

	for (enum iot_compression how = IOT_PLAIN; how <= IOT_ZSTD; how++) {
		const struct bytes packed = packed_of(how, plain);
		struct feed feed = {.bytes = packed};
		struct bufreader *w = window_of(1000, 0);
		size_t at = 0, have = 1;

		cr_assert_eq(bufreader_open_callback(w, feed_callback, &feed), IOT_OK);
		for (size_t i = 0; at < plain.size; i++) {
			const size_t want = 1 + i * 7919 % 70000;
			const char *p = bufreader_peek(w, want, &have);

			cr_assert(have >= want || at + have == plain.size);
			cr_assert_eq(memcmp(p, plain.data + at, have), 0);
			have = have / 3 + 1;
			bufreader_consume(w, have);
			at += have;
		}
		bufreader_peek(w, 1, &have);
		cr_assert_eq(have, 0);
		cr_assert_eq(bufreader_status(w), IOT_OK);
		bufreader_free(w);
		free(packed.data);
	}
	free(plain.data);
}

TEST_BOTH_WAYS(more_than_the_limit_at_once_is_refused)
{
	const struct bytes plain = text_of(200001, 1);

	for (enum iot_compression how = IOT_PLAIN; how <= IOT_ZSTD; how++) {
		const struct bytes packed = packed_of(how, plain);
		struct bufreader *w = window_of(17, 200000);
		size_t have;

		cr_assert_eq(bufreader_open_memory(w, packed.data, packed.size), IOT_OK);
		bufreader_peek(w, 200000, &have);
		cr_assert_geq(have, 200000);
		cr_assert_eq(bufreader_status(w), IOT_OK);
		bufreader_peek(w, 200001, &have);
		cr_assert_eq(bufreader_status(w), IOT_ELIMIT);
		cr_assert(!bufreader_resync(w));
		bufreader_free(w);
		free(packed.data);
	}
	free(plain.data);
}

TEST_BOTH_WAYS(the_end_just_at_the_limit_is_an_end)
{
	const struct bytes plain = text_of(200000, 1);
	struct bufreader *w = window_of(17, 200000);
	size_t have;

	cr_assert_eq(bufreader_open_memory(w, plain.data, plain.size), IOT_OK);
	bufreader_peek(w, 200001, &have);
	cr_assert_eq(have, 200000);
	cr_assert_eq(bufreader_status(w), IOT_OK);
	bufreader_free(w);
	free(plain.data);
}

TEST_BOTH_WAYS(a_bomb_is_unpacked_on_demand_only)
{
	struct bytes zeros = {calloc(1, 1 << 26), 1 << 26, 0};
	const struct bytes packed = zstd_of(zeros);
	struct bufreader *w = memory_window(packed, 0);
	size_t have;

	bufreader_peek(w, 1, &have);
	cr_assert_leq(have, 2 << 20);
	bufreader_free(w);
	free(packed.data);
	free(zeros.data);
}

TEST_BOTH_WAYS(a_pipe_shows_what_is_there_without_waiting)
{
	alarm(300);
	for (enum iot_compression how = IOT_PLAIN; how <= IOT_ZSTD; how++) {
		const struct bytes plain = text_of(1000, 1);
		const struct bytes packed = packed_of(how, plain);
		struct bufreader *w = window_of(0, 0);
		int fds[2];
		size_t have;

		cr_assert_eq(pipe(fds), 0);
		cr_assert_eq(bufreader_open_fd(w, fds[0]), IOT_OK);
		cr_assert_eq(write(fds[1], packed.data, packed.size), (ssize_t)packed.size);
		bufreader_peek(w, 500, &have);
		cr_assert_eq(have, 1000);
		bufreader_free(w);
		close(fds[0]);
		close(fds[1]);
		free(packed.data);
		free(plain.data);
	}
}

static struct interrupt stop;

static void on_signal(int number)
{
	(void)number;
	stop.request = INTERRUPT_DRAIN;
}

static void *signal_soon(void *context)
{
	const struct timespec soon = {0, 50000000};

	nanosleep(&soon, NULL);
	pthread_kill(*(pthread_t *)context, SIGUSR1);
	return NULL;
}

/* The writer stays: without the signal the window would wait for ever. */
static int read_until_signal(struct bytes b, struct bytes *got)
{
	const struct bufreader_options options = {
	    .interrupt = &stop, .waits = true, .prefetch = prefetch};
	const struct sigaction action = {.sa_handler = on_signal};
	struct bufreader *w = bufreader_new("in", &options);
	pthread_t self = pthread_self(), thread;
	int status, fds[2];

	stop = (struct interrupt){0};
	sigaction(SIGUSR1, &action, NULL);
	cr_assert_eq(pipe(fds), 0);
	cr_assert_eq(bufreader_open_fd(w, fds[0]), IOT_OK);
	cr_assert_eq(write(fds[1], b.data, b.size), (ssize_t)b.size);
	cr_assert_eq(pthread_create(&thread, NULL, signal_soon, &self), 0);
	*got = drain(w, 1);
	pthread_join(thread, NULL);
	status = bufreader_status(w);
	bufreader_free(w);
	close(fds[0]);
	close(fds[1]);
	return status;
}

TEST_BOTH_WAYS(a_pipe_asked_to_end_gives_what_it_holds_and_is_cut)
{
	const struct bytes plain = text_of(1000, 1);
	const struct bytes packed = zstd_of(plain);
	struct bytes got;

	alarm(300);
	cr_assert_eq(read_until_signal(plain, &got), IOT_ETRUNCATED);
	cr_assert(stop.cut);
	assert_same(got, plain);
	free(got.data);
	cr_assert_eq(read_until_signal(packed, &got), IOT_ETRUNCATED);
	cr_assert(stop.cut);
	assert_same(got, plain);
	free(got.data);
	cr_assert_eq(read_until_signal((struct bytes){packed.data, packed.size - 3, 0}, &got),
		     IOT_ETRUNCATED);
	free(got.data);
	free(packed.data);
	free(plain.data);
}

TEST_BOTH_WAYS(a_pipe_asked_to_end_is_complete_if_its_writers_have_gone)
{
	const struct bufreader_options options = {
	    .interrupt = &stop, .waits = true, .prefetch = prefetch};
	struct bufreader *w = bufreader_new("in", &options);
	struct bytes got;
	int fds[2];

	stop = (struct interrupt){.request = INTERRUPT_DRAIN};
	cr_assert_eq(pipe(fds), 0);
	cr_assert_eq(bufreader_open_fd(w, fds[0]), IOT_OK);
	cr_assert_eq(write(fds[1], "line\n", 5), 5);
	close(fds[1]);
	got = drain(w, 1);
	cr_assert_eq(got.size, 5);
	cr_assert_eq(bufreader_status(w), IOT_OK);
	cr_assert(!stop.cut);
	bufreader_free(w);
	close(fds[0]);
	free(got.data);
}

TEST_BOTH_WAYS(a_file_asked_to_end_ends_at_once)
{
	const struct bufreader_options options = {.interrupt = &stop, .prefetch = prefetch};
	struct bufreader *w = bufreader_new("in", &options);
	struct bytes got;
	FILE *f = tmpfile();

	stop = (struct interrupt){.request = INTERRUPT_DRAIN};
	cr_assert(f && fputs("line\n", f) > 0 && fseek(f, 0, SEEK_SET) == 0);
	cr_assert_eq(bufreader_open_fd(w, fileno(f)), IOT_OK);
	got = drain(w, 1);
	cr_assert_eq(got.size, 0);
	cr_assert_eq(bufreader_status(w), IOT_ETRUNCATED);
	cr_assert_str_eq(bufreader_error(w)->text, "in: interrupted at byte 0");
	cr_assert(stop.cut);
	bufreader_free(w);
	fclose(f);
	free(got.data);
}

static void *write_for_ever(void *context)
{
	const int fd = *(int *)context;
	const struct timespec pause = {0, 5000000};

	signal(SIGPIPE, SIG_IGN);
	while (write(fd, "line\n", 5) == 5)
		nanosleep(&pause, NULL);
	return NULL;
}

TEST_BOTH_WAYS(a_pipe_asked_to_end_ends_though_its_writer_never_pauses)
{
	const struct bufreader_options options = {
	    .interrupt = &stop, .waits = true, .prefetch = prefetch};
	struct bufreader *w = bufreader_new("in", &options);
	struct bytes got;
	pthread_t thread;
	int fds[2];

	alarm(300);
	signal(SIGPIPE, SIG_IGN);
	stop = (struct interrupt){.request = INTERRUPT_DRAIN};
	cr_assert_eq(pipe(fds), 0);
	for (int i = 0; i < 30; i++)
		cr_assert_eq(write(fds[1], "line\n", 5), 5);
	cr_assert_eq(pthread_create(&thread, NULL, write_for_ever, &fds[1]), 0);
	cr_assert_eq(bufreader_open_fd(w, fds[0]), IOT_OK);
	got = drain(w, 1);
	cr_assert_eq(bufreader_status(w), IOT_ETRUNCATED);
	cr_assert_geq(got.size, 150);
	close(fds[0]);
	pthread_join(thread, NULL);
	close(fds[1]);
	bufreader_free(w);
	free(got.data);
}

static ssize_t fail_later(void *context, void *to, size_t size)
{
	unsigned *calls = context;

	if ((*calls)++ > 2) {
		errno = EIO;
		return -1;
	}
	memset(to, 'x', size);
	return (ssize_t)size;
}

TEST_BOTH_WAYS(a_failing_read_follows_the_good_bytes_with_its_reason)
{
	struct bufreader *w = window_of(10, 0);
	unsigned calls = 0;
	size_t have;

	cr_assert_eq(bufreader_open_callback(w, fail_later, &calls), IOT_OK);
	bufreader_peek(w, 100, &have);
	cr_assert_eq(have, 30);
	cr_assert_eq(bufreader_status(w), IOT_EIO);
	cr_assert_str_eq(bufreader_error(w)->text,
			 "in: at byte 30: cannot be read: Input/output error");
	bufreader_consume(w, 30);
	bufreader_peek(w, 1, &have);
	cr_assert_eq(have, 0);
	cr_assert(!bufreader_resync(w));
	bufreader_free(w);
}

TEST_BOTH_WAYS(what_cannot_be_opened_says_why)
{
	struct bufreader *w = window_of(0, 0);
	size_t have;

	cr_assert_eq(bufreader_open(w, "/nonexistent/file"), IOT_EIO);
	cr_assert_str_eq(bufreader_error(w)->text,
			 "in: cannot be opened: No such file or directory");
	bufreader_peek(w, 1, &have);
	cr_assert_eq(have, 0);
	bufreader_free(w);

	w = window_of(0, 0);
	cr_assert_eq(bufreader_open(w, "/"), IOT_EIO);
	cr_assert_str_eq(bufreader_error(w)->text, "in: cannot be read: Is a directory");
	bufreader_free(w);
}

TEST_BOTH_WAYS(opens_once)
{
	struct bufreader *w = window_of(0, 0);

	cr_assert_eq(bufreader_open_memory(w, "ab", 2), IOT_OK);
	cr_assert_eq(bufreader_open_memory(w, "ab", 2), IOT_EUSAGE);
	bufreader_free(w);
	bufreader_free(NULL);
}

TEST_BOTH_WAYS(foreign_names_are_escaped)
{
	struct bufreader *w = bufreader_new("a\033b", NULL);

	bufreader_open(w, "/nonexistent");
	cr_assert_eq(strncmp(bufreader_error(w)->text, "a\\x1bb: ", 8), 0);
	bufreader_free(w);
}

TEST_BOTH_WAYS(a_window_is_freed_while_its_source_is_silent)
{
	const struct bytes plain = text_of(1000, 1);

	alarm(300);
	for (enum iot_compression how = IOT_GZIP; how <= IOT_ZSTD; how++) {
		struct bytes packed = packed_of(how, plain);
		struct bufreader *w = window_of(0, 0);
		const size_t first = packed.size;
		int fds[2];
		size_t have;

		append(&packed, packed_of(how, plain));
		cr_assert_eq(pipe(fds), 0);
		cr_assert_eq(bufreader_open_fd(w, fds[0]), IOT_OK);
		cr_assert_eq(write(fds[1], packed.data, first + 20), (ssize_t)first + 20);
		bufreader_peek(w, 1, &have);
		cr_assert_gt(have, 0);
		bufreader_free(w);
		close(fds[0]);
		close(fds[1]);
		free(packed.data);
	}
	free(plain.data);
}

TEST_BOTH_WAYS(a_window_is_freed_with_much_still_to_come)
{
	const struct bytes plain = text_of(8 << 20, 1);
	const struct bytes packed = zstd_of(plain);

	for (unsigned i = 0; i < 20; i++) {
		struct bufreader *w = memory_window(packed, 0);
		size_t have = 0;

		for (unsigned j = 0; j < i; j++) {
			bufreader_consume(w, have);
			bufreader_peek(w, 1, &have);
		}
		bufreader_free(w);
	}
	free(packed.data);
	free(plain.data);
}

static ssize_t report_mask(void *context, void *to, size_t size)
{
	sigset_t set;

	cr_assert_eq(pthread_sigmask(SIG_SETMASK, NULL, &set), 0);
	if (sigismember(&set, SIGINT) == 1 && sigismember(&set, SIGTERM) == 1)
		((struct feed *)context)->fd = 1;
	return feed_callback(context, to, size);
}

Test(bufreader, signals_are_not_for_the_thread_that_unpacks)
{
	const struct bytes plain = text_of(100000, 1);
	const struct bytes packed = zstd_of(plain);

	for (int way = 0; way < 2; way++) {
		prefetch = way == 1;
		struct feed feed = {.bytes = packed};
		struct bufreader *w = window_of(1000, 0);
		struct bytes got;

		cr_assert_eq(bufreader_open_callback(w, report_mask, &feed), IOT_OK);
		got = drain(w, 1);
		assert_same(got, plain);
		cr_assert_eq(feed.fd, prefetch && sysconf(_SC_NPROCESSORS_ONLN) > 1);
		bufreader_free(w);
		free(got.data);
	}
	free(packed.data);
	free(plain.data);
}
