/* SPDX-License-Identifier: BSD-2-Clause */
/* The stream: pulls events and hands out batches of rows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <iotrace/arrow.h>

#include "arrow_column.h"
#include "schema.h"

#include "lib/base/error.h"
#include "lib/base/number.h"
#include "lib/base/options.h"

enum { ROWS_DEFAULT = 65536, ROWS_FIRST = 4096 };

struct arrow {
	struct iot_stream *upstream;
	struct iot_batch *batch;
	size_t at; /* the next event of the batch */
	struct iot_arrow_options options;
	struct event_columns columns;
	struct arrow_column *column; /* columns.count of them */
	struct buffers *buffers;
	struct names *names;
	uint64_t lost;
	uint64_t epoch_ns;  /* 0: none */
	size_t rows;        /* of the batch under construction */
	size_t rows_before; /* of the previous one */
	bool begun, over;
	struct error error;
};

static void arrow_free(struct arrow *a)
{
	for (size_t i = 0; a->column != NULL && i < a->columns.count; i++)
		arrow_column_free(&a->column[i]);
	free(a->column);
	if (a->buffers != NULL)
		buffers_close(a->buffers);
	buffers_drop(a->buffers);
	if (a->names != NULL)
		names_free(a->names);
	free(a->names);
	iot_batch_free(a->batch);
	iot_stream_free(a->upstream);
	free(a);
}

/* Events */

static int fail(struct arrow *a, int status)
{
	const char *sentence = status == IOT_ENOMEM
				   ? "out of memory"
				   : "the texts of a column exceed 2^31 bytes, or a "
				     "start 2^63-1 ns since 1970";
	return error_set(&a->error, status, "%s", sentence);
}

/* Notes the warnings at the end of the stream about the rows before it. */
static void end(struct arrow *a, int status)
{
	a->over = true;
	const char *sentence = status < 0 ? iot_stream_error(a->upstream) : "";
	if (status < 0)
		error_set(&a->error, status, "%s",
			  *sentence != '\0' ? sentence : iot_status_name(status));
	else if (a->lost > 0 && !a->options.incomplete)
		error_set(&a->error, IOT_ETRUNCATED,
			  "the table is incomplete: the trace has %ju lost intervals (%%lost)",
			  (uintmax_t)a->lost);
}

/* Returns whether the batch has another event, after a pull if need be. */
static bool has_event(struct arrow *a)
{
	while (!a->over && a->at == a->batch->count) {
		const int status = iot_stream_next(a->upstream, a->batch);
		a->at = 0;
		if (status <= 0)
			end(a, status);
	}
	return !a->over;
}

/* Looks for the epoch in the events that precede the first record. */
static void begin(struct arrow *a)
{
	a->begun = true;
	if (!a->options.timestamps || !has_event(a))
		return;
	const struct iot_event *ev = a->batch->events;
	for (size_t i = 0; i < a->batch->count && ev[i].kind != IOT_RECORD; i++) {
		const struct iot_text epoch = iot_directive_get(&ev[i], "epoch");
		if (ev[i].kind == IOT_TRACE && epoch.data != NULL &&
		    !number_decimal(epoch.data, epoch.size, &a->epoch_ns))
			a->epoch_ns = 0;
	}
	a->epoch_ns = a->epoch_ns <= INT64_MAX ? a->epoch_ns : 0;
	for (size_t i = 0; i < a->columns.count; i++)
		if (a->columns.column[i] == EVENT_START_NS)
			a->column[i].zero_ns = (int64_t)a->epoch_ns;
}

/* Rows */

static int add_records(struct arrow *a, const struct arrow_run *run)
{
	int status = IOT_OK;
	for (size_t i = 0; i < a->columns.count && status == IOT_OK; i++) {
		status = arrow_column_reserve(&a->column[i], a->rows + run->count);
		if (status == IOT_OK)
			status = arrow_column_records(&a->column[i], a->names, run);
	}
	a->rows += run->count;
	return status;
}

static int add_operation(struct arrow *a, const struct iot_event *ev)
{
	int status = IOT_OK;
	for (size_t i = 0; i < a->columns.count && status == IOT_OK; i++) {
		status = arrow_column_reserve(&a->column[i], a->rows + 1);
		if (status == IOT_OK)
			status = arrow_column_operation(&a->column[i], a->names, ev);
	}
	a->rows++;
	return status;
}

/* Adds the next record with those that follow it directly, or another event. */
static int add_events(struct arrow *a)
{
	const struct iot_event *ev = a->batch->events + a->at;
	const size_t left = a->batch->count - a->at, space = a->options.rows - a->rows;
	const struct arrow_run run = arrow_run_of(ev, left < space ? left : space);
	int status = IOT_OK;
	a->at += run.count > 0 ? run.count : 1;
	if (run.count > 0) {
		status = add_records(a, &run);
	} else {
		if (ev->kind == IOT_OP && a->options.all_events)
			status = add_operation(a, ev);
		names_event(a->names, ev);
		a->lost += ev->kind == IOT_LOST;
	}
	return status == IOT_OK && a->names->failed ? IOT_ENOMEM : status;
}

static int begin_rows(struct arrow *a)
{
	const size_t first = a->rows_before > 0 ? a->rows_before : ROWS_FIRST;
	const size_t capacity = first < a->options.rows ? first : a->options.rows;
	int status = IOT_OK;
	a->rows = 0;
	for (size_t i = 0; i < a->columns.count && status == IOT_OK; i++)
		status = arrow_column_reserve(&a->column[i], capacity);
	return status;
}

/* Collects the next rows. After an error they are incomplete, and lost with the stream. */
static int collect(struct arrow *a)
{
	int status = has_event(a) ? begin_rows(a) : IOT_OK;
	while (status == IOT_OK && a->rows < a->options.rows && has_event(a))
		status = add_events(a);
	return status;
}

/* Export */

struct exported_batch {
	const void *buffers[1];
	struct ArrowArray *children[EVENT_COLUMNS_MAX];
	struct ArrowArray child[EVENT_COLUMNS_MAX];
};

static void release_batch(struct ArrowArray *out)
{
	struct exported_batch *e = out->private_data;
	for (int64_t i = 0; i < out->n_children; i++)
		if (e->child[i].release != NULL)
			e->child[i].release(&e->child[i]);
	free(e);
	out->release = NULL;
}

static int export_batch(struct arrow *a, struct ArrowArray *out)
{
	struct exported_batch *e = calloc(1, sizeof *e);
	if (e == NULL)
		return IOT_ENOMEM;
	int status = IOT_OK;
	*out = (struct ArrowArray){.length = (int64_t)a->rows,
				   .n_buffers = 1,
				   .n_children = (int64_t)a->columns.count,
				   .buffers = e->buffers,
				   .children = e->children,
				   .release = release_batch,
				   .private_data = e};
	for (size_t i = 0; i < a->columns.count && status == IOT_OK; i++) {
		e->children[i] = &e->child[i];
		status = arrow_column_export(&a->column[i], &e->child[i]);
	}
	if (status != IOT_OK)
		release_batch(out);
	a->rows_before = a->rows;
	a->rows = 0;
	return status;
}

/* The interface */

static int error_number(int status)
{
	switch (status) {
	case IOT_OK:
		return 0;
	case IOT_EFORMAT:
		return EBADMSG;
	case IOT_ETRUNCATED:
		return ENODATA;
	case IOT_ELIMIT:
		return EOVERFLOW;
	case IOT_ENOMEM:
		return ENOMEM;
	case IOT_EUSAGE:
		return EINVAL;
	default:
		return EIO;
	}
}

static int get_schema(struct ArrowArrayStream *self, struct ArrowSchema *out)
{
	struct arrow *a = self->private_data;
	if (!a->begun)
		begin(a);
	return error_number(schema_export(&a->columns, a->epoch_ns != 0, out));
}

static int get_next(struct ArrowArrayStream *self, struct ArrowArray *out)
{
	struct arrow *a = self->private_data;
	*out = (struct ArrowArray){.release = NULL};
	if (!a->begun)
		begin(a);
	/* An error of the input comes after the rows that precede it. */
	int status = a->over ? a->error.status : collect(a);
	if (status == IOT_OK && a->rows > 0)
		status = export_batch(a, out);
	else if (status == IOT_OK)
		status = a->error.status;
	if (status == IOT_OK)
		return 0;
	a->over = true;
	return error_number(a->error.status != IOT_OK ? a->error.status : fail(a, status));
}

static const char *get_last_error(struct ArrowArrayStream *self)
{
	const struct arrow *a = self->private_data;
	return a->error.status != IOT_OK ? a->error.text : NULL;
}

static void release_stream(struct ArrowArrayStream *self)
{
	arrow_free(self->private_data);
	self->release = NULL;
}

static int arrow_new(struct arrow **made, const struct iot_arrow_options *o)
{
	static const struct iot_arrow_options defaults = {.size = sizeof defaults};
	struct arrow *a = *made = calloc(1, sizeof *a);
	if (a == NULL)
		return IOT_ENOMEM;
	if (!options_copy(&a->options, sizeof a->options, o != NULL ? o : &defaults) ||
	    !event_columns_parse(&a->columns, a->options.columns, NULL))
		return IOT_EUSAGE;
	a->options.rows = a->options.rows != 0 ? a->options.rows : ROWS_DEFAULT;
	a->batch = iot_batch_new(ARROW_RUN_MAX);
	a->column = calloc(a->columns.count, sizeof *a->column);
	a->buffers = buffers_new();
	a->names = malloc(sizeof *a->names);
	if (a->names != NULL)
		names_init(a->names, event_cell_text);
	if (a->batch == NULL || a->column == NULL || a->buffers == NULL || a->names == NULL)
		return IOT_ENOMEM;
	for (size_t i = 0; i < a->columns.count; i++)
		arrow_column_init(&a->column[i], a->columns.column[i], a->buffers);
	return IOT_OK;
}

int iot_stream_arrow(struct iot_stream *upstream, const struct iot_arrow_options *o,
		     struct ArrowArrayStream *out)
{
	struct arrow *a = NULL;
	int status = arrow_new(&a, o);
	*out = (struct ArrowArrayStream){.release = NULL};
	if (status == IOT_OK && upstream == NULL)
		status = IOT_ENOMEM;
	if (status != IOT_OK) {
		if (a != NULL)
			arrow_free(a);
		iot_stream_free(upstream);
		return status;
	}
	a->upstream = upstream;
	*out = (struct ArrowArrayStream){.get_schema = get_schema,
					 .get_next = get_next,
					 .get_last_error = get_last_error,
					 .release = release_stream,
					 .private_data = a};
	return IOT_OK;
}
