/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A module that counts sizes and bytes over time, as iotrace-analyze(1) defines them: a record
 * moves its bytes evenly between its start and its end. Reports lines
 *
 *	size DIRECTION BYTES RECORDS
 *	bin DIRECTION NUMBER BYTES	of 1/512 s, from 0 in 1970
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <iotrace/module.h>

enum { SIZES = 64, BINS = 1 << 16, BIN_NS = 1953125 };

struct phases {
	uint64_t epoch_ns, first;
	struct {
		uint64_t bytes, records;
	} size[2][SIZES];
	uint64_t bin[2][BINS];
};

static void *begin(const char *args, const struct iot_module_host *host)
{
	(void)args, (void)host;
	return calloc(1, sizeof(struct phases));
}

/* The bytes that a record has moved until a time. */
static uint64_t moved(const struct iot_record *r, uint64_t start, uint64_t until)
{
	if (until <= start)
		return 0;
	return until - start >= r->duration_ns
		   ? r->length
		   : (uint64_t)((unsigned __int128)r->length * (until - start) / r->duration_ns);
}

static void add_record(struct phases *p, const struct iot_record *r)
{
	const int d = (r->type & IOT_WRITE) != 0;
	const uint64_t start = p->epoch_ns + (uint64_t)r->start_ns;
	size_t i = 0;
	while (i < SIZES - 1 && p->size[d][i].records > 0 && p->size[d][i].bytes != r->length)
		i++;
	p->size[d][i].bytes = r->length;
	p->size[d][i].records++;
	if (p->first == 0)
		p->first = start / BIN_NS;
	for (uint64_t b = start / BIN_NS; b - p->first < BINS; b++) {
		p->bin[d][b - p->first] +=
		    moved(r, start, (b + 1) * BIN_NS) - moved(r, start, b * BIN_NS);
		if (moved(r, start, (b + 1) * BIN_NS) == r->length)
			break;
	}
}

static int add(void *state, const struct iot_record *records, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add_record(state, &records[i]);
	return 0;
}

static int define(void *state, const struct iot_event *event)
{
	struct phases *p = state;
	static const char key[] = " epoch=";
	const char *at = event->kind == IOT_TRACE
			     ? memmem(event->text.data, event->text.size, key, sizeof key - 1)
			     : NULL;
	if (at != NULL)
		p->epoch_ns = strtoull(at + sizeof key - 1, NULL, 10);
	return 0;
}

static void print_line(iot_print_fn *print, void *to, const char *what, int write, uint64_t a,
		       uint64_t b)
{
	char line[96];
	const int n = snprintf(line, sizeof line, "%s %s %" PRIu64 " %" PRIu64 "\n", what,
			       write ? "write" : "read", a, b);
	print(to, line, (size_t)n);
}

static int report(void *state, iot_print_fn *print, void *to)
{
	const struct phases *p = state;
	for (int d = 0; d < 2; d++) {
		for (size_t i = 0; i < SIZES; i++)
			if (p->size[d][i].records > 0)
				print_line(print, to, "size", d, p->size[d][i].bytes,
					   p->size[d][i].records);
		for (size_t i = 0; i < BINS; i++)
			if (p->bin[d][i] > 0)
				print_line(print, to, "bin", d, p->first + i, p->bin[d][i]);
	}
	return 0;
}

const struct iot_module iot_module = {.abi = IOT_MODULE_ABI,
				      .size = sizeof iot_module,
				      .name = "phases",
				      .version = "1",
				      .init = begin,
				      .records = add,
				      .event = define,
				      .report = report,
				      .fini = free};
