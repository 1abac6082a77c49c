/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests of converters: conversions of bytes in memory, and their counts. */
#ifndef TESTS_CONVERTER_TOOLS_H
#define TESTS_CONVERTER_TOOLS_H

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "converters/converter.h"

enum { CONVERTED_CAPACITY = 1 << 16, CONVERTED_NAME = 40, CONVERTED_BATCH = 64 };

/* Records as "start+duration R offset+length process/file", other events as text; a line each. */
struct converted {
	char text[CONVERTED_CAPACITY];
	size_t size;
	uint64_t lost;
	int status;
	struct iot_record last;
	struct report report;
	struct error error;
};

/* 0: it was not counted. */
static inline uint64_t counted_in(const struct report *r, const char *name)
{
	for (size_t i = 0; i < r->counts; i++)
		if (strcmp(r->count[i].name, name) == 0)
			return r->count[i].value;
	return 0;
}

static inline void converted_record(struct converted *c, const struct iot_record *r)
{
	char *to = c->text + c->size;
	const size_t left = sizeof c->text - c->size;
	const char op = "RWrw"[(r->type & IOT_WRITE ? 1 : 0) + (r->type & IOT_LOGICAL ? 2 : 0)];
	c->last = *r;
	c->size += (size_t)snprintf(
	    to, left, "%" PRId64 "%s+%" PRIu64 "%s %c %" PRIu64 "%s+%" PRIu64 " %u/%u\n",
	    r->start_ns, r->flags & IOT_START_UNKNOWN ? "?" : "", r->duration_ns,
	    r->flags & IOT_DURATION_UNKNOWN ? "?" : "", op, r->offset,
	    r->flags & IOT_OFFSET_UNKNOWN ? "?" : "", r->length, r->process, r->file);
}

static inline void converted_event(struct converted *c, const struct iot_event *ev)
{
	c->lost += ev->kind == IOT_LOST;
	if (c->size > sizeof c->text - 1000)
		return;
	if (ev->kind == IOT_RECORD)
		converted_record(c, &ev->rec);
	else if (ev->kind == IOT_OP || ev->kind == IOT_FILE || ev->kind == IOT_PROCESS)
		c->size += (size_t)snprintf(c->text + c->size, sizeof c->text - c->size, "%.*s\n",
					    (int)(ev->text.size < 500 ? ev->text.size : 500),
					    ev->text.data);
}

/* Converts bytes with up to two settings, of which those without a name are not used. */
static inline void convert_bytes(struct converted *c, const char *converter, const void *data,
				 size_t size, const struct setting setting[2])
{
	char name[CONVERTED_NAME];
	const char *path = name;
	struct iot_event ev[CONVERTED_BATCH];
	const int fd = memfd_create("test", MFD_CLOEXEC);
	memset(c, 0, sizeof *c);
	cr_assert(fd >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	struct input *in = input_new(&path, 1, NULL, &c->error);
	cr_assert_not_null(in);
	struct source_state src = {.converter = converter_find(converter),
				   .input = in,
				   .settings = setting,
				   .setting_count = (size_t)(setting[0].name != NULL) +
						    (setting[1].name != NULL),
				   .watermark_ns = INT64_MIN};
	c->status = src.converter->open(&src);
	while (c->status >= 0 && (c->status = src.converter->next(&src, ev, CONVERTED_BATCH)) > 0)
		for (int i = 0; i < c->status; i++)
			converted_event(c, &ev[i]);
	c->report = src.report;
	c->error = src.error;
	src.converter->close(&src);
	input_free(in);
	(void)close(fd);
}

#endif
