/* SPDX-License-Identifier: BSD-2-Clause */
#include "sums.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/text.h"
#include "lib/format/directive.h"

const char *const tie_kind_names[TIE_KINDS] = {"none", "direct", "flush", "map"};

void tie_sums_free(struct tie_sums *s)
{
	idmap_free(&s->rows);
	free(s->row);
	*s = (struct tie_sums){.any = false};
}

const char *const tie_row_keys[TIE_ROW_NUMBERS] = {"logical.read-bytes",
						   "logical.written-bytes",
						   "physical.read-bytes",
						   "physical.written-bytes",
						   "read-ahead.bytes",
						   "read-ahead.used-bytes",
						   "merged"};

uint64_t *tie_row_number(struct tie_row *row, size_t i)
{
	uint64_t *const numbers[TIE_ROW_NUMBERS] = {&row->logical[TIE_READ],
						    &row->logical[TIE_WRITE],
						    &row->physical[TIE_READ],
						    &row->physical[TIE_WRITE],
						    &row->ahead,
						    &row->ahead_used,
						    &row->merged};
	return numbers[i];
}

void tie_counter_of_kind(struct iot_builder *b, void *memory, enum tie_kind kind,
			 const struct tie_kind_sum *sum)
{
	const char *name = tie_kind_names[kind];
	iot_directive_begin(b, memory, TIE_COUNTER_MAX, "counter");
	iot_directive_text(b, "source", "ties", 4);
	iot_directive_text(b, "kind", name, strlen(name));
	iot_directive_number(b, "reads", sum->records[TIE_READ]);
	iot_directive_number(b, "read-bytes", sum->bytes[TIE_READ]);
	iot_directive_number(b, "writes", sum->records[TIE_WRITE]);
	iot_directive_number(b, "written-bytes", sum->bytes[TIE_WRITE]);
}

void tie_counter_of_row(struct iot_builder *b, void *memory, const struct tie_row *row)
{
	struct tie_row copy = *row;
	iot_directive_begin(b, memory, TIE_COUNTER_MAX, "counter");
	iot_directive_text(b, "source", "ties", 4);
	if (row->object != 0) {
		iot_directive_number(b, "object", row->object);
	} else {
		iot_directive_number(b, "process", row->process);
		iot_directive_number(b, "file", row->file);
	}
	for (size_t i = 0; i < TIE_ROW_NUMBERS; i++)
		iot_directive_number(b, tie_row_keys[i], *tie_row_number(&copy, i));
}

static struct tie_row *sum_of(struct tie_sums *s, const struct tie_row *of)
{
	const uint64_t key = of->object != 0 ? of->object : ~idmap_pair(of->process, of->file);
	const size_t before = s->rows.count, n = idmap_number(&s->rows, key);
	if (!array_reserve_index(&s->row, &s->capacity, n, sizeof *s->row))
		return NULL;
	if (s->rows.count > before)
		s->row[n] = (struct tie_row){
		    .object = of->object, .process = of->process, .file = of->file};
	return &s->row[n];
}

bool tie_sums_add_row(struct tie_sums *s, struct tie_row *of)
{
	struct tie_row *to = sum_of(s, of);
	for (size_t i = 0; i < TIE_ROW_NUMBERS && to != NULL; i++)
		*tie_row_number(to, i) += *tie_row_number(of, i);
	return to != NULL;
}

static void add_kind(struct tie_kind_sum *to, const struct tie_kind_sum *of)
{
	for (int d = 0; d < TIE_DIRECTIONS; d++) {
		to->records[d] += of->records[d];
		to->bytes[d] += of->bytes[d];
	}
}

static bool row_event(struct tie_sums *s, const struct iot_event *ev)
{
	struct tie_row row = {.object = ev->has & IOT_HAS_OBJECT ? ev->rec.object : 0};
	if (row.object == 0) {
		row.process = ev->rec.process;
		row.file = ev->rec.file;
	}
	for (size_t i = 0; i < TIE_ROW_NUMBERS; i++)
		if (!directive_number(ev, tie_row_keys[i], tie_row_number(&row, i)))
			return true;
	s->any = true;
	return tie_sums_add_row(s, &row);
}

bool tie_sums_event(struct tie_sums *s, const struct iot_event *ev)
{
	struct tie_kind_sum sum = {.records = {0}};
	if (ev->kind != IOT_COUNTER)
		return true;
	const struct iot_text source = iot_directive_get(ev, "source");
	if (source.data == NULL || !text_equals(source, "ties"))
		return true;
	const struct iot_text kind = iot_directive_get(ev, "kind");
	if (kind.data == NULL)
		return row_event(s, ev);
	if (!directive_number(ev, "reads", &sum.records[TIE_READ]) ||
	    !directive_number(ev, "read-bytes", &sum.bytes[TIE_READ]) ||
	    !directive_number(ev, "writes", &sum.records[TIE_WRITE]) ||
	    !directive_number(ev, "written-bytes", &sum.bytes[TIE_WRITE]))
		return true;
	for (int k = 0; k < TIE_KINDS; k++)
		if (text_equals(kind, tie_kind_names[k])) {
			add_kind(&s->kind[k], &sum);
			s->any = true;
		}
	return true;
}

bool tie_sums_join(struct tie_sums *s, const struct tie_sums *later)
{
	s->any |= later->any;
	for (int k = 0; k < TIE_KINDS; k++)
		add_kind(&s->kind[k], &later->kind[k]);
	for (size_t i = 0; i < later->rows.count; i++) {
		struct tie_row row = later->row[i];
		if (!tie_sums_add_row(s, &row))
			return false;
	}
	return true;
}

struct tie_row tie_sums_total(const struct tie_sums *s)
{
	struct tie_row total = {.object = 0};
	for (size_t i = 0; i < s->rows.count; i++)
		for (size_t n = 0; n < TIE_ROW_NUMBERS; n++)
			*tie_row_number(&total, n) += *tie_row_number(&s->row[i], n);
	return total;
}

static uint64_t physical_bytes(const struct tie_row *row)
{
	return row->physical[TIE_READ] + row->physical[TIE_WRITE];
}

int tie_row_by_file(const void *a, const void *b)
{
	const struct tie_row *x = a, *y = b;
	const uint64_t i = x->object != 0 ? x->object : idmap_pair(x->process, x->file);
	const uint64_t j = y->object != 0 ? y->object : idmap_pair(y->process, y->file);
	return (i > j) - (i < j);
}

static int by_physical_bytes(const void *a, const void *b)
{
	const uint64_t p = physical_bytes(a), q = physical_bytes(b);
	return p != q ? (p > q ? -1 : 1) : tie_row_by_file(a, b);
}

void tie_sums_sort(struct tie_sums *s)
{
	if (s->rows.count > 1)
		qsort(s->row, s->rows.count, sizeof *s->row, by_physical_bytes);
}
