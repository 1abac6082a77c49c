/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Recorder converter over whatever comes. Its events must be ones that a writer can express, and
 * what it promises must hold: %trace comes first, text is one line, the watermark does not go back.
 *
 * The first byte of an input is for options: bits 0-1 --layer, 2 --check, 3 few events at a time.
 * '0' is the plain way. Then come the files of a trace: a line "NAME SIZE", and so many bytes (see
 * tests/tools/recorder_pieces.py); they are given to the converter as a tar.
 */
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "converters/converter.h"

enum { BATCH = 50, EVENTS_MAX = 50000, TAR_BLOCK = 512, NAME_ROOM = 100 };

/* Tar */

struct tar {
	uint8_t *data;
	size_t size;
};

static uint8_t *tar_room(struct tar *t, size_t size)
{
	size_t padded = (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
	t->data = fuzz_memory(t->data, t->size + padded + 1);
	uint8_t *room = t->data + t->size;
	memset(room, 0, padded);
	t->size += padded;
	return room;
}

static void tar_add(struct tar *t, const char *name, const uint8_t *data, size_t size)
{
	char *head = (char *)tar_room(t, TAR_BLOCK);
	unsigned sum = 0;
	snprintf(head, NAME_ROOM, "%s", name);
	memcpy(head + 100,
	       "0000644\0"
	       "0000000\0"
	       "0000000\0",
	       24);
	snprintf(head + 124, 12, "%011zo", size);
	memcpy(head + 136, "00000000000\0        0", 21);
	memcpy(head + 257,
	       "ustar\0"
	       "00",
	       8);
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += (unsigned char)head[i];
	snprintf(head + 148, 8, "%06o", sum);
	uint8_t *room = tar_room(t, size);
	if (size > 0)
		memcpy(room, data, size);
}

/* The next file; false: no more. What is missing of the last one is cut off. */
static bool take_file(struct fuzz_input *in, struct tar *t)
{
	char name[NAME_ROOM], line[NAME_ROOM + 24];
	size_t n = 0, size;
	while (n < in->size && n < sizeof(line) - 1 && in->data[n] != '\n')
		n++;
	if (n == in->size || in->data[n] != '\n')
		return false;
	memcpy(line, in->data, n);
	line[n] = '\0';
	if (sscanf(line, "%99s %zu", name, &size) != 2)
		return false;
	in->data += n + 1;
	in->size -= n + 1;
	size = size < in->size ? size : in->size;
	tar_add(t, name, in->data, size);
	in->data += size;
	in->size -= size;
	return true;
}

static int tar_file(struct fuzz_input *in)
{
	struct tar t = {NULL, 0};
	while (take_file(in, &t))
		;
	(void)tar_room(&t, 2 * TAR_BLOCK);
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	FUZZ_CHECK(fd >= 0);
	for (size_t done = 0; done < t.size;) {
		ssize_t n = write(fd, t.data + done, t.size - done);
		FUZZ_CHECK(n > 0);
		done += (size_t)n;
	}
	free(t.data);
	return fd;
}

/* Conversion */

static void check_event(const struct iot_event *ev)
{
	FUZZ_CHECK(ev->kind >= IOT_RECORD && ev->kind <= IOT_DIRECTIVE);
	FUZZ_CHECK(ev->rec.zero == 0 && ev->rec.spare == 0);
	if (ev->kind == IOT_RECORD)
		return;
	FUZZ_CHECK(ev->text.size <= IOT_COMMENT_MAX);
	FUZZ_CHECK(ev->text.size == 0 || memchr(ev->text.data, '\n', ev->text.size) == NULL);
	struct iot_event parsed = {.text = ev->text};
	FUZZ_CHECK(iot_directive_parse(&parsed, NULL) == IOT_OK);
	FUZZ_CHECK(parsed.kind == ev->kind && parsed.has == ev->has);
}

/* What starts before 1970 cannot be expressed. */
static void write_event(struct iot_writer *w, struct iot_event ev)
{
	if (ev.rec.start_ns < 0)
		return;
	if (ev.kind == IOT_RECORD && ev.rec.duration_ns > (uint64_t)(INT64_MAX - ev.rec.start_ns))
		return;
	int status = iot_writer_events(w, &ev, 1);
	if (status != IOT_OK)
		fprintf(stderr, "%s\n", iot_writer_error(w));
	FUZZ_CHECK(status == IOT_OK);
}

static void convert(struct iot_source *src, int batch)
{
	struct iot_writer *w = iot_writer_new();
	struct iot_event ev[BATCH];
	int64_t watermark = INT64_MIN;
	size_t events = 0;
	int n = src->converter->open(src);
	FUZZ_CHECK(w != NULL && iot_writer_open_memory(w) == IOT_OK);
	while (n >= 0 && events < EVENTS_MAX && (n = src->converter->next(src, ev, batch)) > 0) {
		FUZZ_CHECK(n <= batch);
		FUZZ_CHECK(events > 0 || ev[0].kind == IOT_TRACE);
		FUZZ_CHECK(src->watermark_ns >= watermark || src->watermark_ns == INT64_MIN);
		watermark = src->watermark_ns;
		for (int i = 0; i < n; i++) {
			check_event(&ev[i]);
			write_event(w, ev[i]);
		}
		events += (size_t)n;
	}
	FUZZ_CHECK(n >= 0 || src->error.text[0] != '\0');
	src->converter->close(src);
	FUZZ_CHECK(iot_writer_close(w) == IOT_OK);
	iot_writer_free(w);
}

static void convert_tar(int fd, unsigned how)
{
	static const char *const layers[] = {"posix", "mpiio", "both", "both"};
	struct iot_setting settings[2] = {{"layer", layers[how & 3]}, {"check", ""}};
	char name[64];
	const char *path[1] = {name};
	struct iot_error error = {0};
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	struct iot_input *in = iot_input_new(path, 1, NULL, &error);
	if (in == NULL)
		return;
	struct iot_source src = {.converter = iot_converter_find("recorder"),
				 .input = in,
				 .settings = settings,
				 .setting_count = how & 4 ? 2 : 1,
				 .watermark_ns = INT64_MIN};
	FUZZ_CHECK(src.converter != NULL);
	(void)src.converter->sniff(in);
	convert(&src, how & 8 ? 1 : BATCH);
	iot_input_free(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	unsigned how = (unsigned)fuzz_take(&in, 1) ^ '0';
	int fd = tar_file(&in);
	convert_tar(fd, how);
	(void)close(fd);
	return 0;
}
