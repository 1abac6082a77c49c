/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a converter over members that a harness created. Its events must be expressible by a writer,
 * and its guarantees must hold: %trace comes first, text is one line, the watermark does not
 * decrease, an error has a message.
 */
#ifndef FUZZ_CONVERT_H
#define FUZZ_CONVERT_H

#include "fuzz.h"

#include "converters/converter.h"

enum { FUZZ_BATCH = 50, FUZZ_EVENTS_MAX = 50000 };

static inline void fuzz_check_event(const struct iot_event *ev)
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

/* Times count from 1970, the earliest possible start of a trace. */
static inline bool fuzz_can_be_written(const struct iot_event *ev)
{
	return ev->rec.start_ns >= 0 &&
	       (ev->kind != IOT_RECORD ||
		ev->rec.duration_ns <= (uint64_t)(INT64_MAX - ev->rec.start_ns));
}

static inline void fuzz_write(struct iot_writer *w, const struct iot_event *ev, int n)
{
	for (int i = 0; i < n; i++) {
		fuzz_check_event(&ev[i]);
		int status = fuzz_can_be_written(&ev[i]) ? iot_writer_events(w, &ev[i], 1) : IOT_OK;
		if (status != IOT_OK)
			fprintf(stderr, "%s\n", iot_writer_error(w));
		FUZZ_CHECK(status == IOT_OK);
	}
}

static inline void fuzz_convert_source(struct source_state *src, int batch)
{
	struct iot_writer *w = iot_writer_new();
	struct iot_event ev[FUZZ_BATCH];
	int64_t watermark = INT64_MIN;
	size_t events = 0;
	int n = src->converter->open(src);
	FUZZ_CHECK(w != NULL && iot_writer_set(w, IOT_SET_UNDECLARED_DISKS, 1) == IOT_OK &&
		   iot_writer_open_memory(w) == IOT_OK);
	while (n >= 0 && events < FUZZ_EVENTS_MAX &&
	       (n = src->converter->next(src, ev, batch)) > 0) {
		FUZZ_CHECK(n <= batch);
		FUZZ_CHECK(events > 0 || ev[0].kind == IOT_TRACE);
		FUZZ_CHECK(src->watermark_ns >= watermark || src->watermark_ns == INT64_MIN);
		watermark = src->watermark_ns;
		fuzz_write(w, ev, n);
		events += (size_t)n;
	}
	FUZZ_CHECK(n >= 0 || src->error.text[0] != '\0');
	src->converter->close(src);
	FUZZ_CHECK(iot_writer_close(w) == IOT_OK);
	iot_writer_free(w);
}

/*
 * Returns whether a file may be compressed: the message on damaged compression contains how much
 * was read.
 */
static inline bool fuzz_is_compressed(const uint8_t *data, size_t size)
{
	static const uint8_t magic[][2] = {{0x1f, 0x8b}, {0x28, 0xb5}, {'B', 'Z'},  {0xfd, '7'},
					   {0x04, 0x22}, {0x02, 0x21}, {0x03, 0x21}};
	for (size_t i = 0; i < sizeof magic / sizeof *magic; i++)
		if (size >= 2 && memcmp(data, magic[i], 2) == 0)
			return true;
	return size >= 2 && data[0] >> 4 == 5 && data[1] == 0x2a;
}

/* The bytes of an input as a file, or as two with a half each. */
struct fuzz_members {
	int fd[2];
	size_t files;
	bool compressed; /* perhaps */
};

static inline struct fuzz_members fuzz_members_new(const struct fuzz_input *in, bool halves)
{
	const size_t first = halves ? in->size / 2 : in->size;
	struct fuzz_members m = {
	    .fd = {fuzz_file(in->data, first), -1},
	    .files = 1,
	    .compressed = fuzz_is_compressed(in->data, first) ||
			  fuzz_is_compressed(in->data + first, in->size - first),
	};
	if (halves)
		m.fd[m.files++] = fuzz_file(in->data + first, in->size - first);
	return m;
}

static inline void fuzz_members_close(const struct fuzz_members *m)
{
	for (size_t i = 0; i < m->files; i++)
		(void)close(m->fd[i]);
}

/* The files `fd` as one input. batch: events per call, at most FUZZ_BATCH. */
static inline void fuzz_convert(const char *name, const int *fd, size_t files,
				const struct setting *settings, size_t count, int batch)
{
	char capacity[2][FUZZ_PATH];
	const char *path[2];
	struct error error = {0};
	FUZZ_CHECK(files <= 2);
	for (size_t i = 0; i < files; i++)
		path[i] = fuzz_path(capacity[i], fd[i]);
	struct input *in = input_new(path, files, NULL, &error);
	if (in == NULL) {
		FUZZ_CHECK(error.text[0] != '\0');
		return;
	}
	struct source_state src = {.converter = converter_find(name),
				   .input = in,
				   .settings = settings,
				   .setting_count = count,
				   .watermark_ns = INT64_MIN};
	FUZZ_CHECK(src.converter != NULL);
	(void)src.converter->sniff(in);
	fuzz_convert_source(&src, batch);
	input_free(in);
}

#endif
