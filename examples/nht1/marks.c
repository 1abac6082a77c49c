/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the figures of the sections of a program, from a trace or a log alone. A section NAME
 * lasts from the call access("/iotrace/mark/begin-NAME") to access("/iotrace/mark/end-NAME"); other
 * marks are counted.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <iotrace/source.h>

#include "die.h"

enum { SECTIONS_MAX = 64, NAME_MAX_SIZE = 64, FILES_MAX = 1024 };

#define MARK "/iotrace/mark/"

struct section {
	char name[NAME_MAX_SIZE];
	int open;
	int64_t begin_ns, end_ns;
	uint64_t marks, gaps;
	uint64_t requests[2], bytes[2]; /* Reads, writes. */
};

struct file_end {
	uint64_t file, end;
};

struct marks {
	struct section section[SECTIONS_MAX];
	size_t sections;
	struct file_end file[FILES_MAX];
	size_t files;
};

static void begin_section(struct marks *m, const char *name, int64_t at_ns)
{
	if (m->sections == SECTIONS_MAX)
		die("more than %d sections", SECTIONS_MAX);
	struct section *s = &m->section[m->sections++];
	snprintf(s->name, sizeof(s->name), "%s", name);
	s->open = 1;
	s->begin_ns = at_ns;
}

static void end_section(struct marks *m, const char *name, int64_t at_ns)
{
	for (size_t i = 0; i < m->sections; i++)
		if (m->section[i].open && strcmp(m->section[i].name, name) == 0) {
			m->section[i].open = 0;
			m->section[i].end_ns = at_ns;
		}
}

/* A section begins at the end of the call that marks its begin. */
static void add_mark(struct marks *m, const char *name, const struct iot_record *rec)
{
	if (strncmp(name, "begin-", 6) == 0) {
		begin_section(m, name + 6, rec->start_ns + (int64_t)rec->duration_ns);
	} else if (strncmp(name, "end-", 4) == 0) {
		end_section(m, name + 4, rec->start_ns);
	} else {
		for (size_t i = 0; i < m->sections; i++)
			m->section[i].marks += (uint64_t)m->section[i].open;
	}
}

static void add_operation(struct marks *m, const struct iot_event *ev)
{
	char path[sizeof(MARK) + NAME_MAX_SIZE];
	const struct iot_text encoded = iot_directive_get(ev, "path");
	if (encoded.data == NULL || encoded.size >= sizeof(path))
		return;
	path[iot_percent_decode(encoded, path, NULL)] = '\0';
	if (strncmp(path, MARK, strlen(MARK)) == 0)
		add_mark(m, path + strlen(MARK), &ev->rec);
}

/* Returns whether a write begins where the last one to its file ended; the first one, at 0. */
static int continues(struct marks *m, const struct iot_record *rec)
{
	const uint64_t file =
	    rec->object != 0 ? rec->object : (uint64_t)rec->process << 32 | rec->file;
	size_t i = 0;
	while (i < m->files && m->file[i].file != file)
		i++;
	if (i == FILES_MAX)
		die("more than %d files", FILES_MAX);
	if (i == m->files)
		m->file[m->files++] = (struct file_end){.file = file};
	const int yes = rec->offset == m->file[i].end || rec->offset == 0;
	m->file[i].end = rec->offset + rec->length;
	return yes;
}

static void add_record(struct marks *m, const struct iot_record *rec)
{
	const int writes = (rec->type & IOT_WRITE) != 0;
	if (!(rec->type & IOT_LOGICAL))
		return;
	const int gap = writes && !continues(m, rec);
	for (size_t i = 0; i < m->sections; i++)
		if (m->section[i].open) {
			m->section[i].requests[writes]++;
			m->section[i].bytes[writes] += rec->length;
			m->section[i].gaps += (uint64_t)gap;
		}
}

/* Returns IOT_OK at the end of the source. */
static int add_all(struct marks *m, struct iot_source *s, const char *const *paths, size_t count)
{
	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
	int status = b != NULL ? iot_source_open(s, paths, count) : IOT_ENOMEM;
	struct iot_stream *events = status == IOT_OK ? iot_source_stream(s) : NULL;
	while (events != NULL && (status = iot_stream_next(events, b)) > 0)
		for (size_t i = 0; i < b->count; i++)
			if (b->events[i].kind == IOT_RECORD)
				add_record(m, &b->events[i].rec);
			else if (b->events[i].kind == IOT_OP)
				add_operation(m, &b->events[i]);
	iot_stream_free(events);
	iot_batch_free(b);
	return status;
}

/* A section without an end has no time. */
static void print_times(const struct section *s)
{
	printf("%s %.9f ", s->name, (double)s->begin_ns * 1e-9);
	if (s->open)
		printf("- - ");
	else
		printf("%.9f %.9f ", (double)s->end_ns * 1e-9,
		       (double)(s->end_ns - s->begin_ns) * 1e-9);
}

/*
 * Times are in seconds. The gaps are writes that begin elsewhere than at the end of the last one.
 */
static void print_sections(const struct marks *m)
{
	puts("section begin end time marks reads read_bytes writes written_bytes gaps");
	for (size_t i = 0; i < m->sections; i++) {
		const struct section *s = &m->section[i];
		print_times(s);
		printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		       s->marks, s->requests[0], s->bytes[0], s->requests[1], s->bytes[1], s->gaps);
	}
}

int main(int argc, char **argv)
{
	static struct marks m;
	struct iot_source *s = iot_source_new();
	if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		fputs("Usage: marks TRACE...\n\nPrint the time, reads and writes of each section "
		      "of a trace or log.\n",
		      argc < 2 ? stderr : stdout);
		return argc < 2 ? 2 : 0;
	}
	if (s == NULL)
		die("out of memory");
	if (add_all(&m, s, (const char *const *)argv + 1, (size_t)argc - 1) != IOT_OK)
		die("%s", iot_source_error(s));
	print_sections(&m);
	iot_source_free(s);
	return fflush(stdout) == 0 ? 0 : 1;
}
