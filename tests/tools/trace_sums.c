/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is left of traces when ids are renumbered: for each process the number of its records and a
 * hash of them, in their order, with absolute times. Files count by the order in which the process
 * used them first. Lines are sorted, so the lines of several traces equal the lines of their merge:
 *
 *	trace_sums IN...
 *
 * Fails if a trace is damaged, or not in order of start. The last line on stderr is the number of
 * records.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include <iotrace/iotrace.h>

#include "lib/base/idmap.h"

struct process {
	uint64_t records, hash;
	int64_t cpu_ns;
	struct idmap files;
};

struct sums {
	struct idmap map; /* (trace, process) */
	struct process *process;
	size_t capacity;
	uint64_t records;
};

enum { BATCH = 1024 };

static void die(const char *why)
{
	fprintf(stderr, "trace_sums: %s\n", why);
	exit(1);
}

static int64_t epoch_of(const struct iot_event *ev)
{
	char digits[32] = "";
	struct iot_text epoch = iot_directive_get(ev, "epoch");
	if (ev->kind == IOT_TRACE && epoch.data != NULL && epoch.size < sizeof digits)
		memcpy(digits, epoch.data, epoch.size);
	return strtoll(digits, NULL, 10);
}

static void add(struct sums *s, uint32_t trace, const struct iot_record *rec, int64_t epoch_ns)
{
	size_t n = idmap_number(&s->map, idmap_pair(trace, rec->process));
	if (!array_reserve_index(&s->process, &s->capacity, n, sizeof *s->process))
		die("out of memory");
	struct process *p = &s->process[n];
	const uint64_t fields[] = {p->hash,          (uint64_t)(rec->start_ns + epoch_ns),
				   rec->duration_ns, (uint64_t)(rec->cpu_ns - p->cpu_ns),
				   rec->offset,      rec->length,
				   rec->operation,   idmap_number(&p->files, rec->file),
				   rec->type};
	p->hash = XXH3_64bits(fields, sizeof fields);
	p->cpu_ns = rec->cpu_ns;
	p->records++;
	s->records++;
}

static void read_trace(struct sums *s, uint32_t trace, const char *path)
{
	static struct iot_event ev[BATCH];
	int64_t epoch_ns = 0, last_ns = 0;
	struct iot_reader *r = iot_reader_new();
	ssize_t n = r != NULL ? iot_reader_open(r, path) : IOT_ENOMEM;
	while (n >= 0 && (n = iot_reader_events(r, ev, BATCH)) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			if (ev[i].kind != IOT_RECORD) {
				epoch_ns = epoch_of(&ev[i]) > 0 ? epoch_of(&ev[i]) : epoch_ns;
				continue;
			}
			if (ev[i].rec.start_ns < last_ns)
				die("not in order of start");
			last_ns = ev[i].rec.start_ns;
			add(s, trace, &ev[i].rec, epoch_ns);
		}
	}
	if (n < 0)
		die(iot_reader_error(r));
	iot_reader_free(r);
}

static int compare(const void *left, const void *right)
{
	const struct process *a = left, *b = right;
	return a->hash < b->hash ? -1 : a->hash > b->hash;
}

int main(int argc, char **argv)
{
	struct sums s = {.records = 0};
	for (int i = 1; i < argc; i++)
		read_trace(&s, (uint32_t)i, argv[i]);
	qsort(s.process, s.map.count, sizeof *s.process, compare);
	for (size_t i = 0; i < s.map.count; i++)
		printf("%016llx %llu\n", (unsigned long long)s.process[i].hash,
		       (unsigned long long)s.process[i].records);
	fprintf(stderr, "%llu\n", (unsigned long long)s.records);
	for (size_t i = 0; i < s.map.count; i++)
		idmap_free(&s.process[i].files);
	idmap_free(&s.map);
	free(s.process);
	return 0;
}
