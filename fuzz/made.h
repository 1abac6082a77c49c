/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A valid trace made from an input's bytes: records, names, operations, comments, all framing. And
 * the harness for functions that work on one trace.
 */
#ifndef FUZZ_MADE_H
#define FUZZ_MADE_H

#include "fuzz.h"

enum { MADE_LONG = 4000, MADE_MAX = 400, MADE_TIMES = 40, MADE_MANY = 4000 };

struct made {
	struct iot_writer *writer;
	struct iot_record last;
	size_t records;
	bool in_order;
};

static inline void made_text(struct made *m, const char *text, size_t size)
{
	struct iot_event ev = {.text = {text, size}};
	if (memchr(text, '\n', size) != NULL || iot_directive_parse(&ev, NULL) != IOT_OK)
		return;
	ev.rec.start_ns = ev.has & IOT_HAS_TIME ? ev.rec.start_ns : m->last.start_ns;
	FUZZ_CHECK(iot_writer_events(m->writer, &ev, 1) == IOT_OK);
}

/* A time for a directive: now, at the beginning, before, a little or far later. */
static inline unsigned long long made_time(const struct made *m, unsigned how)
{
	const uint64_t now = (uint64_t)m->last.start_ns;
	const uint64_t times[] = {now, 0, now / 2000 * 1000, now + 7000, now + 1000000000};
	return times[how % 5];
}

static inline void made_other(struct made *m, struct fuzz_input *in)
{
	char text[120 + MADE_LONG];
	const unsigned kind = (unsigned)fuzz_take(in, 1), a = kind >> 2 & 3;
	const unsigned b = (unsigned)fuzz_take(in, 1) % 5;
	if (kind % 4 == 0)
		snprintf(text, sizeof(text), "%%process id=%u name=ETHEL%u parent=%u", a, b, a / 2);
	else if (kind % 4 == 1)
		snprintf(text, sizeof(text),
			 "%%file process=%u id=%u object=%u path=/HOLY%u/LAST%u%s", a, b, 1 + b, a,
			 b,
			 kind & 64 ? kind & 128 ? " completion=unknown" : " offset=unknown" : "");
	else if (kind % 4 == 2)
		snprintf(text, sizeof(text),
			 "%%op name=stat time=%llu took=5 process=%u path=/HOLY%u/%0*u",
			 made_time(m, kind >> 4 & 7), a, b, kind & 128 ? MADE_LONG : 1, 7);
	else
		snprintf(text, sizeof(text), "comment of ETHEL %u", b);
	made_text(m, text, strlen(text));
}

static inline void made_record(struct made *m, struct fuzz_input *in)
{
	struct iot_record *rec = &m->last;
	const unsigned what = (unsigned)fuzz_take(in, 1);
	const int64_t step = (int64_t)fuzz_take(in, 1) * 1000;
	if (m->in_order || rec->start_ns < step || what % 8 != 7)
		rec->start_ns += step;
	else
		rec->start_ns -= step;
	rec->offset = what & 8 ? fuzz_take(in, 2) : rec->offset + rec->length;
	rec->length = what & 16 ? fuzz_take(in, 2) : rec->length;
	rec->process = what & 32 ? (uint32_t)fuzz_take(in, 1) % 4 : rec->process;
	rec->file = what & 64 ? (uint32_t)fuzz_take(in, 1) % 5 : rec->file;
	rec->duration_ns = what & 128 ? fuzz_take(in, 2) * 1000 : rec->duration_ns;
	rec->cpu_ns += (int64_t)(what & 7) * 1000;
	rec->operation = what & 4 ? (uint32_t)m->records : 0;
	rec->flags = step % 3000 == 0 ? (uint8_t)(step / 3000 % 16) : rec->flags;
	rec->type = (uint8_t)(what & 1 ? IOT_LOGICAL | IOT_WRITE : IOT_LOGICAL);
	FUZZ_CHECK(iot_writer_records(m->writer, rec, 1) == IOT_OK);
	m->records++;
}

/* All of `in`, once. */
static inline void made_all(struct made *m, struct fuzz_input *in)
{
	for (size_t i = 0; in->size > 0 && i < MADE_MAX; i++) {
		if (fuzz_take(in, 1) % 4 == 0)
			made_other(m, in);
		else
			made_record(m, in);
	}
}

/*
 * The first byte: 0-1 compression, 2-3 %sync, 4 decimal, 5 repeated until it exceeds small memory
 * limits, 6 version 1. The writer is closed; the caller frees it.
 */
static inline struct iot_writer *made_trace(struct fuzz_input *in, bool in_order)
{
	static const uint64_t syncs[] = {IOT_SYNC_DEFAULT, 1, 3, 20};
	const unsigned how = (unsigned)fuzz_take(in, 1);
	struct made m = {.writer = iot_writer_new(), .in_order = in_order};
	FUZZ_CHECK(m.writer != NULL);
	FUZZ_CHECK(iot_writer_set(m.writer, IOT_SET_COMPRESSION, (how & 3) % 3) == IOT_OK);
	FUZZ_CHECK(iot_writer_set(m.writer, IOT_SET_SYNC, syncs[how >> 2 & 3]) == IOT_OK);
	FUZZ_CHECK(iot_writer_set(m.writer, IOT_SET_BASE, how & 16 ? 10 : 16) == IOT_OK);
	FUZZ_CHECK(iot_writer_set(m.writer, IOT_SET_VERSION, how & 64 ? 1 : 2) == IOT_OK);
	FUZZ_CHECK(iot_writer_open_memory(m.writer) == IOT_OK);
	for (int left = how & 32 ? MADE_TIMES : 1; left > 0 && m.records < MADE_MANY; left--) {
		struct fuzz_input again = *in;
		made_all(&m, left > 1 ? &again : in);
	}
	FUZZ_CHECK(iot_writer_close(m.writer) == IOT_OK);
	return m.writer;
}

/*
 * Runs `check` on a trace. It also gets the first byte of an input, where '0' selects the defaults;
 * with bit 3 the trace is made from the rest, otherwise it is the rest, unchanged.
 */
static inline int made_or_given(const uint8_t *data, size_t size,
				void (*check)(const void *trace, size_t size, unsigned how))
{
	struct fuzz_input in = {data, size};
	const unsigned how = (unsigned)fuzz_take(&in, 1) ^ '0';
	if (!(how & 8)) {
		check(in.data, in.size, how);
		return 0;
	}
	struct iot_writer *w = made_trace(&in, false);
	const void *trace = iot_writer_memory(w, &size);
	check(trace, size, how);
	iot_writer_free(w);
	return 0;
}

#endif
