/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the converter of packets over any bytes. Its events must be expressible by a writer, %trace
 * comes first, text is one line, the watermark does not decrease; and memory stays bounded, which
 * the sanitizer's limit checks.
 *
 * The first byte of an input is options: bit 0, CRCs are corrected first, so that a fuzzer gets
 * past them; bit 1, the stream is read in small blocks; bit 2, in small batches. '0' is the
 * default.
 */
#include "convert.h"

#include <zlib.h>

#include "lib/packets/packet.h"

enum { BATCH = 1024, EVENTS_MAX = 200000, CRC_AT = 60, HEADER = PACKET_WORD_SIZE * PACKET_HEADER };

/* Each magic begins a packet; its length stays, its CRC is corrected. */
static void mend(uint8_t *data, size_t size)
{
	unsigned char magic[PACKET_WORD_SIZE];
	packet_word_put(magic, PACKET_MAGIC);
	for (size_t at = 0; at + HEADER <= size;) {
		uint32_t words = (uint32_t)packet_word_get(data + at + PACKET_WORD_SIZE);
		size_t whole = HEADER + (size_t)PACKET_WORD_SIZE * words;
		if (memcmp(data + at, magic, PACKET_WORD_SIZE) != 0 || words > PACKET_PAYLOAD_MAX ||
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

static void convert(struct source_state *src, int batch)
{
	static struct iot_event ev[BATCH];
	struct iot_writer *w = iot_writer_new();
	int64_t watermark = INT64_MIN;
	size_t events = 0;
	int n = src->converter->open(src);
	FUZZ_CHECK(w != NULL && iot_writer_set(w, IOT_SET_UNDECLARED_DISKS, 1) == IOT_OK &&
		   iot_writer_open_memory(w) == IOT_OK);
	while (n >= 0 && events < EVENTS_MAX && (n = src->converter->next(src, ev, batch)) > 0) {
		FUZZ_CHECK(n <= batch);
		FUZZ_CHECK(events > 0 || ev[0].kind == IOT_TRACE);
		FUZZ_CHECK(src->watermark_ns >= watermark);
		watermark = src->watermark_ns;
		for (int i = 0; i < n; i++)
			FUZZ_CHECK(fuzz_can_be_written(&ev[i]));
		fuzz_write(w, ev, n);
		events += (size_t)n;
	}
	FUZZ_CHECK(n >= 0 || src->error.text[0] != '\0');
	src->converter->close(src);
	FUZZ_CHECK(iot_writer_close(w) == IOT_OK);
	iot_writer_free(w);
}

static void convert_file(int fd, unsigned how)
{
	char name[FUZZ_PATH];
	const char *path = fuzz_path(name, fd);
	struct error error = {0};
	struct input *in = input_new(&path, 1, NULL, &error);
	if (in == NULL)
		return;
	if (how & 2)
		input_set_read_size(in, 17);
	struct source_state src = {
	    .converter = converter_find("procstat"), .input = in, .watermark_ns = INT64_MIN};
	FUZZ_CHECK(src.converter != NULL);
	(void)src.converter->sniff(in);
	convert(&src, how & 4 ? 5 : BATCH);
	input_free(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	unsigned how = (unsigned)fuzz_take(&in, 1) ^ '0';
	uint8_t *copy = fuzz_memory(NULL, in.size + 1);
	memcpy(copy, in.data, in.size);
	if (how & 1)
		mend(copy, in.size);
	int fd = fuzz_file(copy, in.size);
	convert_file(fd, how);
	(void)close(fd);
	free(copy);
	return 0;
}
