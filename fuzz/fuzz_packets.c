/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The converter of packets over whatever comes. Its events must be ones that a writer can express,
 * %trace comes first, text is one line, the watermark does not go back; and memory stays bounded,
 * which the sanitizer's limit sees.
 *
 * The first byte of an input is no part of the stream: bit 0, CRCs are made right before, so that a
 * fuzzer gets behind them; bit 1, the stream is read in small blocks; bit 2, in small batches. '0' is
 * the plain way.
 */
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "converters/converter.h"
#include "lib/packet.h"

enum { BATCH = 1024, EVENTS_MAX = 200000, CRC_AT = 60, HEADER = IOT_WORD * IOT_PACKET_HEADER };

static void write_all(int fd, const uint8_t *data, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, data, size);
		FUZZ_CHECK(n > 0);
		data += n;
		size -= (size_t)n;
	}
}

/* Every magic begins a packet of the length that it has, with the CRC that it has to have. */
static void mend(uint8_t *data, size_t size)
{
	unsigned char magic[IOT_WORD];
	iot_word_put(magic, IOT_PACKET_MAGIC);
	for (size_t at = 0; at + HEADER <= size;) {
		uint32_t words = (uint32_t)iot_word_get(data + at + IOT_WORD);
		size_t whole = HEADER + (size_t)IOT_WORD * words;
		if (memcmp(data + at, magic, IOT_WORD) != 0 || words > IOT_PAYLOAD_MAX ||
		    whole > size - at) {
			at++;
			continue;
		}
		memset(data + at + CRC_AT, 0, 4);
		uLong crc = crc32(0, data + at, (uInt)whole);
		for (int i = 0; i < 4; i++)
			data[at + CRC_AT + (size_t)i] = (uint8_t)(crc >> (24 - 8 * i));
		at += whole;
	}
}

static void check_event(const struct iot_event *ev)
{
	FUZZ_CHECK(ev->kind >= IOT_RECORD && ev->kind <= IOT_DIRECTIVE);
	FUZZ_CHECK(ev->rec.zero == 0 && ev->rec.spare == 0 && ev->rec.start_ns >= 0);
	if (ev->kind == IOT_RECORD) {
		FUZZ_CHECK(ev->rec.duration_ns <= (uint64_t)(INT64_MAX - ev->rec.start_ns));
		return;
	}
	FUZZ_CHECK(ev->text.size <= IOT_COMMENT_MAX);
	FUZZ_CHECK(memchr(ev->text.data, '\n', ev->text.size) == NULL);
	struct iot_event parsed = {.text = ev->text};
	FUZZ_CHECK(iot_directive_parse(&parsed, NULL) == IOT_OK);
	FUZZ_CHECK(parsed.kind == ev->kind && parsed.has == ev->has);
}

static void convert(struct iot_source *src, int batch)
{
	static struct iot_event ev[BATCH];
	struct iot_writer *w = iot_writer_new();
	int64_t watermark = INT64_MIN;
	size_t events = 0;
	int n = src->converter->open(src);
	FUZZ_CHECK(w != NULL && iot_writer_open_memory(w) == IOT_OK);
	while (n >= 0 && events < EVENTS_MAX && (n = src->converter->next(src, ev, batch)) > 0) {
		FUZZ_CHECK(n <= batch);
		FUZZ_CHECK(events > 0 || ev[0].kind == IOT_TRACE);
		FUZZ_CHECK(src->watermark_ns >= watermark);
		watermark = src->watermark_ns;
		for (int i = 0; i < n; i++) {
			check_event(&ev[i]);
			int status = iot_writer_events(w, &ev[i], 1);
			if (status != IOT_OK)
				fprintf(stderr, "%s\n", iot_writer_error(w));
			FUZZ_CHECK(status == IOT_OK);
		}
		events += (size_t)n;
	}
	FUZZ_CHECK(n >= 0 || src->error.text[0] != '\0');
	src->converter->close(src);
	FUZZ_CHECK(iot_writer_close(w) == IOT_OK);
	iot_writer_free(w);
}

static void convert_file(int fd, unsigned how)
{
	char name[64];
	const char *path = name;
	struct iot_error error = {0};
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	struct iot_input *in = iot_input_new(&path, 1, NULL, &error);
	if (in == NULL)
		return;
	if (how & 2)
		iot_input_set_read_size(in, 17);
	struct iot_source src = {
	    .converter = iot_converter_find("procstat"), .input = in, .watermark_ns = INT64_MIN};
	FUZZ_CHECK(src.converter != NULL);
	(void)src.converter->sniff(in);
	convert(&src, how & 4 ? 5 : BATCH);
	iot_input_free(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	unsigned how = (unsigned)fuzz_take(&in, 1) ^ '0';
	uint8_t *copy = fuzz_memory(NULL, in.size + 1);
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	FUZZ_CHECK(fd >= 0);
	memcpy(copy, in.data, in.size);
	if (how & 1)
		mend(copy, in.size);
	write_all(fd, copy, in.size);
	convert_file(fd, how);
	(void)close(fd);
	free(copy);
	return 0;
}
