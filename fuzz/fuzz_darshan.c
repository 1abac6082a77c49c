/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Darshan converter over whatever comes, logs and text. Its events must be ones that a writer
 * can express, and what it promises must hold: %trace comes first, text is one line.
 *
 * The first byte of an input is no part of the log: bits 0-1 --layer, 2 --check, 3 --threads, 4 the
 * log is followed by itself as a second member. '0' is the plain way.
 */
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "converters/converter.h"

enum { BATCH = 50, EVENTS_MAX = 50000 };

static int memory_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	FUZZ_CHECK(fd >= 0);
	while (size > 0) {
		ssize_t n = write(fd, data, size);
		FUZZ_CHECK(n > 0);
		data += n;
		size -= (size_t)n;
	}
	return fd;
}

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

/* Times count from 1970, before which a trace cannot begin: what cannot be is made 0. */
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

static void convert(struct iot_source *src)
{
	struct iot_writer *w = iot_writer_new();
	struct iot_event ev[BATCH];
	int64_t watermark = INT64_MIN;
	size_t events = 0;
	int n = src->converter->open(src);
	FUZZ_CHECK(w != NULL && iot_writer_open_memory(w) == IOT_OK);
	while (n >= 0 && events < EVENTS_MAX && (n = src->converter->next(src, ev, BATCH)) > 0) {
		FUZZ_CHECK(n <= BATCH);
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

static void convert_file(int fd, size_t files, unsigned how)
{
	static const char *const layers[] = {"posix", "mpiio", "both", "posix"};
	struct iot_setting settings[3] = {{"layer", layers[how & 3]}};
	size_t count = 1;
	if (how & 4)
		settings[count++] = (struct iot_setting){"check", ""};
	if (how & 8)
		settings[count++] = (struct iot_setting){"threads", ""};
	char name[64];
	const char *path[2] = {name, name};
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	struct iot_error error = {0};
	struct iot_input *in = iot_input_new(path, files, NULL, &error);
	if (in == NULL)
		return;
	struct iot_source src = {.converter = iot_converter_find("darshan"),
				 .input = in,
				 .settings = settings,
				 .setting_count = count,
				 .watermark_ns = INT64_MIN};
	FUZZ_CHECK(src.converter != NULL);
	(void)src.converter->sniff(in);
	convert(&src);
	iot_input_free(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	unsigned how = (unsigned)fuzz_take(&in, 1) ^ '0';
	int fd = memory_file(in.data, in.size);
	convert_file(fd, how & 16 ? 2 : 1, how);
	(void)close(fd);
	return 0;
}
