/* SPDX-License-Identifier: BSD-2-Clause */
/* Ties of physical records on random traces: each has evidence beyond its time. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ties/extents.h"
#include "lib/ties/sums.h"
#include "lib/ties/tie.h"

enum { EVENTS = 400, TEXT = 160, FILES = 4, PROCESSES = 3, MAPPED = 2, FILE_BYTES = 1 << 16 };

struct made {
	struct iot_event ev[EVENTS];
	char text[EVENTS][TEXT];
	size_t count, given;
	uint32_t seed;
};

static uint32_t chance(struct made *t, uint32_t n)
{
	t->seed = t->seed * 1664525u + 1013904223u;
	return (t->seed >> 8) % n;
}

static void directive(struct made *t, const char *text)
{
	struct iot_event *ev = &t->ev[t->count];
	cr_assert_lt(t->count, EVENTS);
	strcpy(t->text[t->count], text);
	*ev = (struct iot_event){.text = {t->text[t->count], strlen(text)}};
	cr_assert_eq(iot_directive_parse(ev, NULL), IOT_OK);
	t->count++;
}

static void define(struct made *t)
{
	char text[TEXT];
	for (unsigned p = 1; p <= PROCESSES; p++) {
		for (unsigned f = 1; f <= FILES; f++) {
			snprintf(text, sizeof text, "%%file process=%u id=%u object=%u path=/f%u%s",
				 p, p * 10 + f, f, f, f == FILES ? " flags=sync" : "");
			directive(t, text);
		}
		snprintf(text, sizeof text,
			 "%%file process=%u id=1 object=100 path=/d kind=disk source-id=8,0", p);
		directive(t, text);
	}
	for (unsigned f = 1; f <= MAPPED; f++) {
		snprintf(text, sizeof text,
			 "%%extent object=%u offset=0 length=%u device=8,0 sector=%u", f,
			 FILE_BYTES, f * 1000);
		directive(t, text);
	}
}

static void add_record(struct made *t, int64_t now_ns)
{
	const bool logical = chance(t, 2) == 0;
	const uint32_t process = 1 + chance(t, PROCESSES), file = 1 + chance(t, FILES);
	struct iot_record r = {.start_ns = now_ns, .process = process, .flags = IOT_CPU_UNKNOWN};
	r.type = (uint8_t)(chance(t, 2) ? IOT_WRITE : 0);
	if (logical) {
		r.type |= IOT_LOGICAL;
		r.file = process * 10 + file;
		r.object = file;
		r.offset = chance(t, FILE_BYTES - 8192);
		r.length = chance(t, 3) == 0 ? chance(t, 8192) : 512u * (1 + chance(t, 8));
		r.duration_ns = chance(t, 40);
	} else {
		r.type |= (uint8_t)chance(t, 3);
		r.file = 1;
		r.object = 100;
		r.offset = 900 + chance(t, 1400);
		r.length = 1 + chance(t, 16);
		r.duration_ns = 5;
	}
	t->ev[t->count++] = (struct iot_event){.rec = r, .kind = IOT_RECORD};
}

static void make(struct made *t, uint32_t seed)
{
	int64_t now_ns = 0;
	*t = (struct made){.seed = seed};
	define(t);
	while (t->count < EVENTS - 1) {
		now_ns += chance(t, 12);
		if (chance(t, 8) > 0) {
			add_record(t, now_ns);
			continue;
		}
		char text[TEXT];
		const unsigned p = 1 + chance(t, PROCESSES);
		snprintf(text, sizeof text,
			 "%%op name=fsync time=%ld took=%u process=%u file=%u result=0",
			 (long)now_ns, chance(t, 40), p, p * 10 + 1 + chance(t, FILES));
		directive(t, text);
	}
}

static int give(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct made *t = context;
	(void)self;
	while (b->count < b->capacity && t->given < t->count)
		b->events[b->count++] = t->ev[t->given++];
	return b->count > 0;
}

/* The tied trace: its records, and the sums of its counters. */
struct tied {
	struct iot_record rec[EVENTS];
	size_t count;
	struct tie_sums sums;
};

static void tie(struct made *t, struct tied *to)
{
	static const struct iot_stage stage = {.next = give};
	struct iot_batch *b = iot_batch_new(7);
	struct iot_stream *s = tie_stream(iot_stream_new(NULL, &stage, t));
	int got = 0;
	cr_assert(b != NULL && s != NULL);
	*to = (struct tied){.count = 0};
	while ((got = iot_stream_next(s, b)) > 0) {
		for (size_t i = 0; i < b->count; i++) {
			if (b->events[i].kind == IOT_RECORD)
				to->rec[to->count++] = b->events[i].rec;
			cr_assert(tie_sums_event(&to->sums, &b->events[i]));
		}
		b->count = 0;
	}
	cr_assert_eq(got, 0, "%s", iot_stream_error(s));
	iot_stream_free(s);
	iot_batch_free(b);
}

static bool is_in_progress(int64_t start_ns, uint64_t took_ns, int64_t now_ns)
{
	return start_ns <= now_ns && now_ns <= start_ns + (int64_t)took_ns;
}

static uint64_t low(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Returns whether the pages of a logical record have one of the sectors. */
static bool shares_bytes(const struct iot_record *l, const struct iot_record *p)
{
	const uint64_t base = l->object * 1000, end = base + FILE_BYTES / IOT_BLOCK_SIZE;
	if (l->object > MAPPED || l->length == 0 || p->offset >= end ||
	    p->offset + p->length <= base)
		return false;
	const uint64_t from = p->offset > base ? p->offset - base : 0;
	const uint64_t to = low(p->offset + p->length, end) - base;
	const uint64_t first = l->offset / EXTENT_BLOCK * 8;
	const uint64_t last = (l->offset + l->length + EXTENT_BLOCK - 1) / EXTENT_BLOCK * 8;
	return from < last && first < to;
}

static bool is_flushed(const struct made *t, const struct iot_record *l, const struct iot_record *p)
{
	if ((p->type & IOT_WRITE) == 0 || (l->type & IOT_WRITE) == 0)
		return false;
	if (l->object == FILES && l->process == p->process &&
	    is_in_progress(l->start_ns, l->duration_ns, p->start_ns))
		return true;
	for (size_t i = 0; i < t->count; i++) {
		const struct iot_record *op = &t->ev[i].rec;
		if (t->ev[i].kind == IOT_OP && op->process == p->process &&
		    op->file % 10 == l->object && l->start_ns <= op->start_ns &&
		    is_in_progress(op->start_ns, op->duration_ns, p->start_ns))
			return true;
	}
	return false;
}

/*
 * Returns whether the physical records of an operation add up to the logical one that they were
 * part of.
 */
static bool adds_up(const struct tied *all, const struct iot_record *l, const struct iot_record *p)
{
	uint64_t sum = 0;
	if (l->process != p->process || ((l->type ^ p->type) & IOT_WRITE) ||
	    !is_in_progress(l->start_ns, l->duration_ns, p->start_ns))
		return false;
	for (size_t i = 0; i < all->count; i++) {
		const struct iot_record *r = &all->rec[i];
		if ((r->type & IOT_LOGICAL) == 0 && r->operation == l->operation &&
		    r->process == l->process &&
		    is_in_progress(l->start_ns, l->duration_ns, r->start_ns))
			sum += r->length * IOT_BLOCK_SIZE;
	}
	return sum >= l->length;
}

static const struct iot_record *logical_of(const struct tied *all, uint32_t operation)
{
	const struct iot_record *found = NULL;
	for (size_t i = 0; i < all->count; i++) {
		if ((all->rec[i].type & IOT_LOGICAL) == 0 || all->rec[i].operation != operation)
			continue;
		cr_assert_null(found, "two logical records have operationId %u", operation);
		found = &all->rec[i];
	}
	return found;
}

Test(ties, every_tie_has_evidence_beyond_its_time)
{
	struct made *t = malloc(sizeof *t);
	struct tied *all = malloc(sizeof *all);
	uint64_t seen[TIE_KINDS] = {0};
	cr_assert(t != NULL && all != NULL);
	for (uint32_t seed = 1; seed <= 200; seed++) {
		make(t, seed);
		tie(t, all);
		for (size_t i = 0; i < all->count; i++) {
			const struct iot_record *p = &all->rec[i];
			if (p->type & IOT_LOGICAL)
				continue;
			cr_assert_neq(p->operation, 0);
			const struct iot_record *l = logical_of(all, p->operation);
			cr_expect(l == NULL || shares_bytes(l, p) || is_flushed(t, l, p) ||
				      adds_up(all, l, p),
				  "seed %u: record %zu", seed, i);
		}
		for (int k = 0; k < TIE_KINDS; k++)
			seen[k] += all->sums.kind[k].records[0] + all->sums.kind[k].records[1];
		tie_sums_free(&all->sums);
	}
	for (int k = 0; k < TIE_KINDS; k++)
		cr_expect_gt(seen[k], 0, "no tie of kind %s", tie_kind_names[k]);
	free(all);
	free(t);
}

Test(ties, tied_and_untied_bytes_are_all_physical_bytes)
{
	struct made *t = malloc(sizeof *t);
	struct tied *all = malloc(sizeof *all);
	cr_assert(t != NULL && all != NULL);
	for (uint32_t seed = 1; seed <= 200; seed++) {
		uint64_t bytes[TIE_DIRECTIONS] = {0}, rows[TIE_DIRECTIONS] = {0};
		make(t, seed);
		tie(t, all);
		for (size_t i = 0; i < all->count; i++)
			if ((all->rec[i].type & IOT_LOGICAL) == 0)
				bytes[(all->rec[i].type & IOT_WRITE) != 0] +=
				    all->rec[i].length * IOT_BLOCK_SIZE;
		for (size_t i = 0; i < all->sums.rows.count; i++)
			for (int d = 0; d < TIE_DIRECTIONS; d++)
				rows[d] += all->sums.row[i].physical[d];
		for (int d = 0; d < TIE_DIRECTIONS; d++) {
			uint64_t tied = 0;
			for (int k = TIE_DIRECT; k < TIE_KINDS; k++)
				tied += all->sums.kind[k].bytes[d];
			cr_expect_eq(tied + all->sums.kind[TIE_NONE].bytes[d], bytes[d]);
			cr_expect_eq(tied, rows[d], "files have the tied bytes");
		}
		tie_sums_free(&all->sums);
	}
	free(all);
	free(t);
}

Test(ties, sums_of_parts_are_those_of_the_whole)
{
	struct tie_sums whole = {.any = false}, first = whole, second = whole;
	const struct tie_row rows[3] = {
	    {.object = 5, .logical = {1, 2}, .physical = {512, 1024}, .ahead = 4096},
	    {.process = 5, .file = 5, .physical = {0, 512}, .merged = 1},
	    {.object = 5, .logical = {10, 20}, .ahead_used = 512}};
	for (size_t i = 0; i < 3; i++) {
		char memory[TIE_COUNTER_MAX];
		struct iot_builder b;
		struct iot_event ev;
		tie_counter_of_row(&b, memory, &rows[i]);
		cr_assert_eq(iot_directive_end(&b, &ev), IOT_OK);
		cr_assert(tie_sums_event(&whole, &ev));
		cr_assert(tie_sums_event(i == 0 ? &first : &second, &ev));
	}
	cr_assert(tie_sums_join(&first, &second));
	cr_assert_eq(whole.rows.count, 2);
	cr_assert_eq(first.rows.count, 2);
	for (size_t i = 0; i < 2; i++)
		cr_expect_eq(memcmp(&first.row[i], &whole.row[i], sizeof *whole.row), 0);
	cr_expect_eq(first.row[0].logical[TIE_WRITE], 22);
	cr_expect_eq(first.row[0].ahead, 4096);
	tie_sums_free(&whole);
	tie_sums_free(&first);
	tie_sums_free(&second);
}

Test(ties, extents_that_overlap_are_found)
{
	struct extents x = {.count = 0};
	static const char *const texts[] = {
	    "%extent object=1 offset=0 length=1048576 device=8,0 sector=0",
	    "%extent object=1 offset=4096 length=4096 device=8,0 sector=5000",
	    "%extent object=1 offset=4096 length=4096 device=8,0 sector=5000",
	    "%extent object=2 offset=0 length=1000 device=8,1 sector=8"};
	for (size_t i = 0; i < 4; i++) {
		struct iot_event ev = {.text = {texts[i], strlen(texts[i])}};
		cr_assert_eq(iot_directive_parse(&ev, NULL), IOT_OK);
		cr_assert_eq(extents_add(&x, &ev), 1);
	}
	cr_assert_eq(extents_sort(&x), IOT_OK);
	cr_expect_eq(x.count, 3, "repeats are dropped");
	struct extent_part part;
	size_t at = 0, found = 0;
	while (extents_next_of_file(&x, 1, 500000, 10, &at, &part))
		found += part.begin == 500000 && part.end == 500010;
	cr_expect_eq(found, 1, "the first extent reaches beyond the second");
	at = 0;
	const size_t small = extents_device(&x, (struct iot_text){"8,1", 3});
	cr_assert(extents_next_of_disk(&x, (uint32_t)small, 9, 8, &at, &part));
	cr_expect(part.begin == 512 && part.end == 1000, "the last sector is not full");
	cr_expect_not(extents_next_of_disk(&x, (uint32_t)small, 9, 8, &at, &part));
	at = 0;
	cr_expect_not(extents_next_of_disk(&x, (uint32_t)small, 10, 8, &at, &part));
	cr_expect(extents_have(&x, 2) && !extents_have(&x, 3));
	extents_free(&x);
}

Test(ties, sectors_that_several_files_have_had_tie_nothing)
{
	static struct made t;
	static struct tied to;
	const struct iot_record write = {.start_ns = 10,
					 .process = 1,
					 .file = 11,
					 .object = 1,
					 .length = 4096,
					 .type = IOT_LOGICAL | IOT_WRITE,
					 .flags = IOT_CPU_UNKNOWN};
	for (unsigned sector = 1000; sector <= 1008; sector += 8) {
		char text[TEXT];
		struct iot_record p = {.start_ns = 100,
				       .process = 2,
				       .file = 1,
				       .object = 100,
				       .offset = 1000,
				       .length = 8,
				       .type = IOT_WRITE,
				       .flags = IOT_CPU_UNKNOWN};
		t = (struct made){.count = 0};
		define(&t);
		snprintf(text, sizeof text,
			 "%%extent object=9 offset=0 length=4096 device=8,0 sector=%u", sector);
		directive(&t, text);
		t.ev[t.count++] = (struct iot_event){.rec = write, .kind = IOT_RECORD};
		t.ev[t.count++] = (struct iot_event){.rec = p, .kind = IOT_RECORD};
		tie(&t, &to);
		cr_expect_eq(to.sums.kind[TIE_MAP].records[TIE_WRITE], sector == 1000 ? 0 : 1,
			     "another file has had sector %u", sector);
		tie_sums_free(&to.sums);
	}
}

/*
 * A write-back of the only page of file 1, the first two of file 2, which follow it, and no file's.
 */
Test(ties, a_physical_write_counts_for_each_of_its_files)
{
	static struct made t;
	static struct tied to;
	static const uint64_t expected[MAPPED] = {4096, 8192};
	const unsigned sector[2] = {0, 8}, length[2] = {4096, 8192};
	t = (struct made){.count = 0};
	for (unsigned f = 0; f < MAPPED; f++) {
		char text[TEXT];
		snprintf(text, sizeof text,
			 "%%extent object=%u offset=0 length=%u device=8,0 sector=%u", f + 1,
			 length[f], sector[f]);
		directive(&t, text);
		snprintf(text, sizeof text, "%%file process=1 id=%u object=%u path=/f", f + 1,
			 f + 1);
		directive(&t, text);
	}
	directive(&t, "%file process=2 id=1 object=100 path=/d kind=disk source-id=8,0");
	for (unsigned f = 1; f <= MAPPED; f++)
		t.ev[t.count++] = (struct iot_event){.rec = {.start_ns = f,
							     .process = 1,
							     .file = f,
							     .object = f,
							     .length = 100,
							     .type = IOT_LOGICAL | IOT_WRITE,
							     .flags = IOT_CPU_UNKNOWN},
						     .kind = IOT_RECORD};
	t.ev[t.count++] = (struct iot_event){.rec = {.start_ns = 100,
						     .process = 2,
						     .file = 1,
						     .object = 100,
						     .length = 32,
						     .type = IOT_WRITE,
						     .flags = IOT_CPU_UNKNOWN},
					     .kind = IOT_RECORD};
	tie(&t, &to);
	for (size_t i = 0; i < to.sums.rows.count; i++)
		cr_expect_eq(to.sums.row[i].physical[TIE_WRITE],
			     expected[to.sums.row[i].object - 1]);
	cr_expect_eq(to.sums.rows.count, MAPPED);
	cr_expect_eq(to.sums.kind[TIE_MAP].bytes[TIE_WRITE], 12288);
	cr_expect_eq(to.sums.kind[TIE_NONE].bytes[TIE_WRITE], 4096);
	cr_expect_eq(to.sums.kind[TIE_NONE].records[TIE_WRITE], 0);
	tie_sums_free(&to.sums);
}
