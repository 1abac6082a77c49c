/* SPDX-License-Identifier: BSD-2-Clause */
/* Records as CSV. */
#include <stdlib.h>

#include "lib/base/array.h"

#include "lib/base/number.h"
#include "print.h"

enum { ROW_MAX = 11 * 21 + sizeof ",offset duration cpu start" };

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

static int64_t cpu_since(struct printer *s, const struct iot_record *rec)
{
	size_t i = idmap_number(&s->processes, rec->process);
	if (!array_reserve_index(&s->cpu_ns, &s->cpu_capacity, i, sizeof *s->cpu_ns)) {
		s->failed = true;
		return 0;
	}
	/* As in the format: differences that exceed 64 bits wrap, and wrap back. */
	int64_t since = (int64_t)((uint64_t)rec->cpu_ns - (uint64_t)s->cpu_ns[i]);
	s->cpu_ns[i] = rec->cpu_ns;
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

static void write_name(struct printer *s, const struct iot_record *rec)
{
	size_t size;
	const char *path = printer_path(s, rec, &size);
	char *to = output_reserve(s->out, ROW_MAX);
	*to++ = ',';
	to = number_fast(to, rec->object);
	*to++ = ',';
	output_took(s->out, to);
	if (path)
		write_quoted(s->out, path, size);
	output_write(s->out, "\n", 1);
}

void print_csv_head(struct printer *s)
{
	output_text(s->out, "type,start,duration,cpu,offset,length,operation,file,process");
	output_text(s->out, s->unknown ? ",unknown,relative_offset" : "");
	output_text(s->out, s->names ? ",object,path\n" : "\n");
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

static inline char *put_row(struct printer *s, char *to, const struct iot_record *r)
{
	const uint64_t tick_ns = s->tick_ns;
	to = put_next(to, r->type);
	to = put_known(to, r, IOT_START_UNKNOWN, ticks((uint64_t)r->start_ns, tick_ns));
	to = put_known(to, r, IOT_DURATION_UNKNOWN, ticks(r->duration_ns, tick_ns));
	if ((r->flags & IOT_CPU_UNKNOWN) == 0)
		to = put_signed(to, cpu_since(s, r), tick_ns);
	*to++ = ',';
	to = put_known(to, r, IOT_OFFSET_UNKNOWN, r->offset);
	to = put_next(to, r->length);
	to = put_next(to, r->operation);
	to = put_next(to, r->file);
	to = number_fast(to, r->process);
	return s->unknown ? put_unknown(to, r) : to;
}

void print_csv(struct printer *s, const struct iot_record *rec, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *to = put_row(s, output_reserve(s->out, ROW_MAX), &rec[i]);
		*to++ = '\n';
		output_took(s->out, to);
	}
}

void print_csv_named(struct printer *s, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		printer_event(s, &ev[i]);
		if (ev[i].kind != IOT_RECORD)
			continue;
		output_took(s->out, put_row(s, output_reserve(s->out, ROW_MAX), &ev[i].rec));
		write_name(s, &ev[i].rec);
	}
}

bool printer_reserve(struct printer *s, size_t size)
{
	if (!array_reserve(&s->memory, &s->memory_capacity, size + 1, 1))
		s->failed = true;
	return !s->failed;
}

void print_free(struct printer *s)
{
	idmap_free(&s->processes);
	free(s->cpu_ns);
	free(s->memory);
	print_paths_free(s);
}
