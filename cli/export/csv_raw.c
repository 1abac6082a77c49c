/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CSV with the numbers of the record lines: times in ticks, blocks of physical records, CPU time
 * since the previous record of the process, file names as they are.
 */
#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/base/number.h"

#include "export.h"

enum { ROW_MAX = 11 * 21 + sizeof ",offset duration cpu start" + 1 };

struct csv_raw {
	uint64_t tick_ns; /* 1: times in nanoseconds */
	struct idmap processes;
	int64_t *cpu_ns; /* the CPU clock at the last record, by number of the process */
	size_t cpu_capacity;
};

static inline uint64_t ticks(uint64_t ns, uint64_t tick_ns)
{
	return tick_ns == 1 ? ns : ns / tick_ns;
}

static inline char *put_signed(char *to, int64_t ns, uint64_t tick_ns)
{
	if (ns >= 0)
		return number_fast(to, ticks((uint64_t)ns, tick_ns));
	*to++ = '-';
	return number_fast(to, ticks(0 - (uint64_t)ns, tick_ns));
}

static int64_t cpu_since(struct export *x, const struct iot_record *rec)
{
	struct csv_raw *c = x->state;
	size_t i = idmap_number(&c->processes, rec->process);
	if (!array_reserve_index(&c->cpu_ns, &c->cpu_capacity, i, sizeof *c->cpu_ns)) {
		x->failed = true;
		return 0;
	}
	/* As in the format: differences that exceed 64 bits wrap, and wrap back. */
	int64_t since = (int64_t)((uint64_t)rec->cpu_ns - (uint64_t)c->cpu_ns[i]);
	c->cpu_ns[i] = rec->cpu_ns;
	return since;
}

static void write_quoted(struct output *o, const char *text, size_t n)
{
	if (!memchr(text, ',', n) && !memchr(text, '"', n) && !memchr(text, '\n', n) &&
	    !memchr(text, '\r', n)) {
		output_write(o, text, n);
		return;
	}
	output_write(o, "\"", 1);
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '"')
			output_write(o, "\"", 1);
		output_write(o, text + i, 1);
	}
	output_write(o, "\"", 1);
}

static void write_name(struct export *x, const struct iot_record *rec)
{
	const struct name *path = names_path(&x->names, rec);
	char *to = output_reserve(x->out, ROW_MAX);
	to = number_fast(to, rec->object);
	*to++ = ',';
	output_took(x->out, to);
	if (path->text != NULL)
		write_quoted(x->out, path->text, path->size);
	output_write(x->out, "\n", 1);
}

static void begin(struct export *x)
{
	struct csv_raw *c = export_state(x, sizeof *c);
	if (c == NULL)
		return;
	c->tick_ns = x->options->ns ? 1 : x->tick_ns;
	output_text(x->out, "type,start,duration,cpu,offset,length,operation,file,process");
	output_text(x->out, x->options->unknown ? ",unknown,relative_offset" : "");
	output_text(x->out, x->options->names ? ",object,path\n" : "\n");
}

static inline char *put_next(char *to, uint64_t v)
{
	to = number_fast(to, v);
	*to++ = ',';
	return to;
}

/* The names of the unknown fields, and the offset in the trace if it is one of them. */
static char *put_unknown(char *to, const struct iot_record *r)
{
	static const struct {
		unsigned flag;
		const char *word;
	} flags[] = {{IOT_OFFSET_UNKNOWN, "offset"},
		     {IOT_DURATION_UNKNOWN, "duration"},
		     {IOT_CPU_UNKNOWN, "cpu"},
		     {IOT_START_UNKNOWN, "start"}};
	*to++ = ',';
	const char *const begin = to;
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		if ((r->flags & flags[i].flag) == 0)
			continue;
		if (to > begin)
			*to++ = ' ';
		to = stpcpy(to, flags[i].word);
	}
	*to++ = ',';
	return r->flags & IOT_OFFSET_UNKNOWN ? number_fast(to, r->offset) : to;
}

/* A number and a comma, or only the comma if the source did not know the number. */
static inline char *put_known(char *to, const struct iot_record *r, unsigned flag, uint64_t v)
{
	if (__builtin_expect((r->flags & flag) == 0, 1))
		return put_next(to, v);
	*to++ = ',';
	return to;
}

static inline char *put_row(struct export *x, char *to, const struct iot_record *r)
{
	const uint64_t tick_ns = ((const struct csv_raw *)x->state)->tick_ns;
	to = put_next(to, r->type);
	to = put_known(to, r, IOT_START_UNKNOWN, ticks((uint64_t)r->start_ns, tick_ns));
	to = put_known(to, r, IOT_DURATION_UNKNOWN, ticks(r->duration_ns, tick_ns));
	if ((r->flags & IOT_CPU_UNKNOWN) == 0)
		to = put_signed(to, cpu_since(x, r), tick_ns);
	*to++ = ',';
	to = put_known(to, r, IOT_OFFSET_UNKNOWN, r->offset);
	to = put_next(to, r->length);
	to = put_next(to, r->operation);
	to = put_next(to, r->file);
	to = number_fast(to, r->process);
	return x->options->unknown ? put_unknown(to, r) : to;
}

static void events(struct export *x, const struct iot_event *ev, size_t n)
{
	const bool names = x->options->names;
	for (size_t i = 0; i < n; i++) {
		if (ev[i].kind != IOT_RECORD) {
			export_event(x, &ev[i]);
			continue;
		}
		char *to = put_row(x, output_reserve(x->out, ROW_MAX), &ev[i].rec);
		*to++ = names ? ',' : '\n';
		output_took(x->out, to);
		if (names)
			write_name(x, &ev[i].rec);
	}
}

static void release(struct export *x)
{
	struct csv_raw *c = x->state;
	if (c == NULL)
		return;
	idmap_free(&c->processes);
	free(c->cpu_ns);
}

const struct export_format export_csv_raw = {.begin = begin, .events = events, .free = release};
