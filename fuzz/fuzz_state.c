/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of any trace, cut at its %syncs and joined in any tree, have the values of the whole, and
 * its state, byte for byte; also if each was saved and loaded in between.
 *
 * The first byte of an input is options as in fuzz_analyze, and bit 4: parts are saved and loaded,
 * bit 5: cycles and the working set are computed, too, which takes most of the time; bit 6: events
 * are kept, and states have these; the second byte is the records between %syncs, the third the
 * tree; a trace follows.
 */
#include <iotrace/analyze.h>

#include "lib/base/number.h"

#include "fuzz.h"

enum {
	EVENTS = 64,
	MEMORY_MAX = 16 << 20,
	PARTS_MAX = 512,
	/* without cycles, and findings and the map, which need them: these have no state */
	WITHOUT_CYCLES = IOT_ANALYZE_TOTALS | IOT_ANALYZE_SIZES | IOT_ANALYZE_ORDER |
			 IOT_ANALYZE_TIME | IOT_ANALYZE_METADATA | IOT_ANALYZE_FILES |
			 IOT_ANALYZE_PROCESSES | IOT_ANALYZE_REUSE | IOT_ANALYZE_CLASSES |
			 IOT_ANALYZE_COUNTERS
};

struct cut {
	const char *text;
	size_t size;
	uint64_t tick_ns, epoch_ns;
	unsigned lacks, how, tree;
	bool late_lacks, has_record;
};

static struct iot_reader *open_reader(const void *data, size_t size, uint64_t tick_ns)
{
	struct iot_reader *r = iot_reader_new();
	FUZZ_CHECK(r != NULL);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_LIMIT_WINDOW, 8 << 20) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_LIMIT_MEMORY, MEMORY_MAX) == IOT_OK);
	if (tick_ns != 0) {
		FUZZ_CHECK(iot_reader_set(r, IOT_SET_TICK_NS, tick_ns) == IOT_OK);
		FUZZ_CHECK(iot_reader_set(r, IOT_SET_BASE, 16) == IOT_OK);
	}
	FUZZ_CHECK(iot_reader_open_memory(r, data, size, "fuzz") == IOT_OK);
	return r;
}

/* What the head of the trace declares for all parts. */
static void note(struct cut *c, const struct iot_analyze *head, const struct iot_event *ev)
{
	unsigned lacks = 0;
	(void)head;
	c->has_record |= ev->kind == IOT_RECORD;
	if (ev->kind != IOT_TRACE || !iot_directive_lacks(ev, &lacks))
		return;
	c->late_lacks |= c->has_record && lacks != c->lacks;
	c->lacks = lacks;
}

/* Writes the trace with a %sync after every n records. Returns false if a writer rejects it. */
static bool write_framed(struct iot_writer *w, struct cut *c, const uint8_t *data, size_t size,
			 unsigned n)
{
	struct iot_reader *r = open_reader(data, size, 0);
	struct iot_event ev[EVENTS];
	ssize_t got;
	bool written = true;
	FUZZ_CHECK(iot_writer_set(w, IOT_SET_SYNC, n) == IOT_OK);
	FUZZ_CHECK(iot_writer_set(w, IOT_SET_UNDECLARED_DISKS, 1) == IOT_OK);
	FUZZ_CHECK(iot_writer_set(w, IOT_SET_TICK_NS, 1) == IOT_OK);
	FUZZ_CHECK(iot_writer_open_memory(w) == IOT_OK);
	while (written && (got = iot_reader_events(r, ev, EVENTS)) > 0) {
		for (ssize_t i = 0; i < got; i++)
			note(c, NULL, &ev[i]);
		written = iot_writer_events(w, ev, (size_t)got) == IOT_OK;
	}
	written = written && iot_writer_close(w) == IOT_OK;
	iot_reader_free(r);
	c->text = written ? iot_writer_memory(w, &c->size) : NULL;
	return written;
}

static struct iot_analyze *new_analysis(const struct cut *c, bool part)
{
	const struct iot_analyze_options options = {.size = sizeof options,
						    .sections = c->how & 32 ? 0 : WITHOUT_CYCLES,
						    .working_set = c->how >> 5 & 1,
						    .dependencies = 1,
						    .physical = c->how & 1,
						    .layer = (c->how >> 1 & 3) % 3,
						    .per_thread = c->how >> 3 & 1,
						    .part = part,
						    .keep_events = c->how >> 6 & 1,
						    .epoch_ns = part ? c->epoch_ns : 0};
	struct iot_analyze *a = iot_analyze_new(&options);
	FUZZ_CHECK(a != NULL);
	return a;
}

/* Analyzes [from, to) of the text. */
static struct iot_analyze *analyze(const struct cut *c, size_t from, size_t to)
{
	struct iot_analyze *a = new_analysis(c, from > 0);
	struct iot_reader *r = open_reader(c->text + from, to - from, from > 0 ? c->tick_ns : 0);
	struct iot_event ev[EVENTS];
	ssize_t n;
	while ((n = iot_reader_events(r, ev, EVENTS)) > 0) {
		for (ssize_t i = 0; i < n && from > 0; i++)
			if (ev[i].kind == IOT_RECORD)
				ev[i].rec.flags |= (uint8_t)c->lacks;
		FUZZ_CHECK(iot_analyze_events(a, ev, (size_t)n) == IOT_OK);
	}
	FUZZ_CHECK(n == 0 || to < c->size);
	iot_reader_free(r);
	return a;
}

/* The epoch that applies to all bins. */
static void find_epoch(struct cut *c)
{
	struct iot_reader *r = open_reader(c->text, c->size, 0);
	struct iot_event ev;
	bool timed = false;
	while (!timed && iot_reader_events(r, &ev, 1) == 1) {
		const struct iot_text epoch = iot_directive_get(&ev, "epoch");
		timed = ev.kind == IOT_RECORD || (ev.kind == IOT_OP && ev.has & IOT_HAS_TIME);
		uint64_t ns;
		if (ev.kind == IOT_TRACE && c->epoch_ns == 0 && epoch.data != NULL &&
		    number_decimal(epoch.data, epoch.size, &ns) && ns <= INT64_MAX)
			c->epoch_ns = ns;
	}
	c->tick_ns = iot_reader_fact(r, IOT_FACT_TICK_NS);
	iot_reader_free(r);
}

/* The state; the writer owns the text. */
static struct iot_writer *save(struct iot_analyze *a)
{
	struct iot_writer *w = iot_writer_new();
	FUZZ_CHECK(w != NULL && iot_writer_open_memory(w) == IOT_OK);
	FUZZ_CHECK(iot_analyze_save(a, w) == IOT_OK);
	FUZZ_CHECK(iot_writer_close(w) == IOT_OK);
	return w;
}

/* Replaces an analysis by one that continues from its state. */
static struct iot_analyze *reload(struct iot_analyze *a)
{
	const struct iot_analyze_options options = {.size = sizeof options};
	struct iot_writer *w = save(a);
	size_t size;
	const void *text = iot_writer_memory(w, &size);
	struct iot_reader *r = open_reader(text, size, 0);
	struct iot_analyze *loaded = iot_analyze_new(&options);
	struct iot_event first;
	FUZZ_CHECK(loaded != NULL && iot_reader_events(r, &first, 1) == 1);
	if (iot_analyze_load(loaded, r, &first) != IOT_OK)
		fprintf(stderr, "%s\n", iot_analyze_error(loaded));
	FUZZ_CHECK(*iot_analyze_error(loaded) == '\0');
	iot_analyze_free(a);
	iot_reader_free(r);
	iot_writer_free(w);
	return loaded;
}

static void compare_states(const struct iot_writer *whole, const struct iot_writer *joined)
{
	size_t size[2];
	const void *a = iot_writer_memory(whole, &size[0]),
		   *b = iot_writer_memory(joined, &size[1]);
	const bool same = size[0] == size[1] && memcmp(a, b, size[0]) == 0;
	if (!same)
		fprintf(stderr, "whole:\n%.*s\njoined:\n%.*s\n", (int)size[0], (const char *)a,
			(int)size[1], (const char *)b);
	FUZZ_CHECK(same);
}

/* Times of operations that a join cannot have are unknown in the rows of files, too. */
static bool has_inexact_times(const struct iot_writer *joined)
{
	size_t size;
	const char *text = iot_writer_memory(joined, &size);
	return memmem(text, size, "kind=busy ", 10) != NULL ||
	       memmem(text, size, "kind=busy.kinds ", 16) != NULL ||
	       memmem(text, size, "kind=busy.pairs ", 16) != NULL;
}

/* Joins neighbours of parts[0, n) in an order that the tree gives. */
static struct iot_analyze *join(struct iot_analyze **parts, size_t n, unsigned tree)
{
	while (n > 1) {
		const size_t i = tree % (n - 1);
		tree = tree * 1103515245 + 12345;
		FUZZ_CHECK(iot_analyze_join(parts[i], parts[i + 1]) == IOT_OK);
		memmove(parts + i + 1, parts + i + 2, (n - i - 2) * sizeof *parts);
		n--;
	}
	return parts[0];
}

static struct iot_analyze *analyze_parts(const struct cut *c)
{
	static const char mark[] = "\nff %sync ";
	struct iot_analyze *parts[PARTS_MAX];
	size_t n = 0, from = 0;
	while (from < c->size && n < PARTS_MAX) {
		const char *next = memmem(c->text + from, c->size - from, mark, strlen(mark));
		const size_t to =
		    next != NULL && n + 1 < PARTS_MAX ? (size_t)(next - c->text) + 1 : c->size;
		parts[n] = analyze(c, from, to);
		if (c->how & 16)
			parts[n] = reload(parts[n]);
		n++;
		from = to;
	}
	return join(parts, n, c->tree);
}

static bool begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

/* Limits make some values of parts inexact, which their notes state. */
static bool may_differ(const struct iot_analyze_value *v)
{
	return v->note != NULL && (begins(v->note, "not available of these parts") ||
				   begins(v->note, "more than 4096 values"));
}

/* Returns whether all values are exact. */
static bool compare(const struct iot_analyze *whole, const struct iot_analyze *joined)
{
	const struct iot_analyze_value *v, *w;
	bool exact = true;
	for (size_t i = 0; (v = iot_analyze_value(whole, i)) != NULL; i++) {
		w = iot_analyze_find(joined, v->section, v->name, v->key);
		if (w == NULL) /* a table that is not available */
			w = iot_analyze_find(joined, v->section, v->name, NULL);
		exact &= w == NULL || !may_differ(w);
		if (begins(v->name, "common_") || (w != NULL && may_differ(w)))
			continue;
		/* Findings are estimated from the times in I/O, which may not be available. */
		if (!exact && strcmp(v->section, "findings") == 0)
			continue;
		FUZZ_CHECK(w != NULL && v->kind == w->kind);
		if (v->number != w->number || memcmp(&v->real, &w->real, sizeof v->real) != 0)
			fprintf(stderr, "%s %s %s: %ju %ju %g %g\n", v->section, v->name, v->key,
				(uintmax_t)v->number, (uintmax_t)w->number, v->real, w->real);
		FUZZ_CHECK(v->number == w->number);
		FUZZ_CHECK(memcmp(&v->real, &w->real, sizeof v->real) == 0);
	}
	return exact;
}

static void check(const struct cut *c)
{
	struct iot_analyze *whole = analyze(c, 0, c->size), *joined = analyze_parts(c);
	struct iot_writer *of_whole = save(whole), *of_joined = save(joined);
	whole = reload(whole);
	FUZZ_CHECK(iot_analyze_finish(whole) == IOT_OK);
	FUZZ_CHECK(iot_analyze_finish(joined) == IOT_OK);
	if (compare(whole, joined) && !has_inexact_times(of_joined))
		compare_states(of_whole, of_joined);
	iot_writer_free(of_whole);
	iot_writer_free(of_joined);
	iot_analyze_free(whole);
	iot_analyze_free(joined);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 3)
		return 0;
	struct cut c = {.how = data[0], .tree = data[2]};
	struct iot_writer *w = iot_writer_new();
	FUZZ_CHECK(w != NULL);
	if (write_framed(w, &c, data + 3, size - 3, data[1] + 1U) && !c.late_lacks) {
		find_epoch(&c);
		check(&c);
	}
	iot_writer_free(w);
	return 0;
}
