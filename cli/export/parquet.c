/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parquet: the table of csv in row groups, each column in pages that are compressed with zstd.
 * Texts, and numbers with few distinct values, are codes of a dictionary of the group; others are
 * differences. It is written from the beginning to the end, so that it may go to a pipe.
 */
#include "parquet.h"

#include <stdlib.h>

#include "thrift.h"

enum { LEVEL_DEFAULT = 1 };

/* Writes the rows so far. */
static void put_group(struct export *x)
{
	struct parquet *p = x->state;
	struct thrift t = {&p->metadata, 0};
	uint64_t size = 0;
	thrift_list(&t, 1, THRIFT_STRUCT, p->columns.count);
	for (size_t i = 0; i < p->columns.count && !x->failed; i++) {
		struct parquet_chunk chunk = {.column = &p->column[i]};
		parquet_put_chunk(x, &chunk);
		parquet_describe_chunk(&p->metadata, &chunk);
		size += chunk.size;
		arrow_column_clear(&p->column[i]);
	}
	thrift_i64(&t, 2, (int64_t)size);
	thrift_i64(&t, 3, (int64_t)p->rows);
	thrift_end(&t);
	p->groups++;
	p->all_rows += p->rows;
	p->rows = 0;
}

static void begin(struct export *x)
{
	struct parquet *p = export_state(x, sizeof *p);
	if (p == NULL)
		return;
	(void)event_columns_parse(&p->columns, x->options->columns, NULL);
	p->buffers = buffers_new();
	p->zstd = ZSTD_createCCtx();
	p->number = malloc(PARQUET_PAGE_ROWS * sizeof *p->number);
	p->code = malloc(PARQUET_PAGE_ROWS * sizeof *p->code);
	p->row_code = malloc(PARQUET_GROUP_ROWS * sizeof *p->row_code);
	x->failed |= p->buffers == NULL || p->zstd == NULL || p->number == NULL ||
		     p->code == NULL || p->row_code == NULL;
	if (x->failed)
		return;
	const int level = x->options->level != 0 ? (int)x->options->level : LEVEL_DEFAULT;
	x->failed |=
	    ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, level)) != 0;
	for (size_t i = 0; i < p->columns.count; i++)
		arrow_column_init(&p->column[i], p->columns.column[i], p->buffers);
	parquet_put(x, "PAR1", 4);
}

static int add_rows(struct export *x, const struct iot_event *ev, const struct arrow_run *run)
{
	struct parquet *p = x->state;
	const size_t n = run->count > 0 ? run->count : 1;
	int status = IOT_OK;
	for (size_t i = 0; i < p->columns.count && status == IOT_OK; i++) {
		struct arrow_column *c = &p->column[i];
		status = arrow_column_reserve(c, p->rows + n);
		if (status == IOT_OK && run->count > 0)
			status = arrow_column_records(c, &x->names, run);
		else if (status == IOT_OK)
			status = arrow_column_operation(c, &x->names, ev);
	}
	p->rows += n;
	return status;
}

static void other_event(struct export *x, const struct iot_event *ev)
{
	const struct arrow_run none = {.ev = ev};
	if (ev->kind == IOT_OP && x->options->all_events)
		x->failed |= add_rows(x, ev, &none) != IOT_OK;
	else if (ev->kind == IOT_TRACE)
		parquet_add_about(x->state, ev);
	x->notes[NOTE_OPERATIONS] += ev->kind == IOT_OP && !x->options->all_events;
	x->notes[NOTE_COUNTERS] += ev->kind == IOT_COUNTER;
	x->notes[NOTE_LOST] += ev->kind == IOT_LOST;
	export_event(x, ev);
}

static void events(struct export *x, const struct iot_event *ev, size_t n)
{
	struct parquet *p = x->state;
	for (size_t i = 0, taken; i < n && !x->failed; i += taken) {
		const size_t space = PARQUET_GROUP_ROWS - p->rows;
		const struct arrow_run run = arrow_run_of(ev + i, n - i < space ? n - i : space);
		taken = run.count > 0 ? run.count : 1;
		if (run.count > 0)
			x->failed |= add_rows(x, ev + i, &run) != IOT_OK;
		else
			other_event(x, ev + i);
		x->failed |= x->names.failed;
		if (p->rows == PARQUET_GROUP_ROWS && !x->failed)
			put_group(x);
	}
}

static void end(struct export *x)
{
	const struct parquet *p = x->state;
	if (p->rows > 0)
		put_group(x);
	if (!x->failed)
		parquet_put_footer(x);
}

static void free_state(struct export *x)
{
	struct parquet *p = x->state;
	if (p == NULL)
		return;
	for (size_t i = 0; p->buffers != NULL && i < p->columns.count; i++)
		if (p->column[i].buffers != NULL)
			arrow_column_free(&p->column[i]);
	buffers_drop(p->buffers);
	ZSTD_freeCCtx(p->zstd);
	free(p->page.data);
	free(p->packed.data);
	free(p->header.data);
	free(p->metadata.data);
	free(p->about.data);
	free(p->number);
	free(p->code);
	free(p->local);
	free(p->row_code);
	idmap_free(&p->distinct);
}

const struct export_format export_parquet = {.encode = event_cell_text,
					     .begin = begin,
					     .events = events,
					     .end = end,
					     .free = free_state,
					     .binary = true};
