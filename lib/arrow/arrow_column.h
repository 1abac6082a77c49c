/* SPDX-License-Identifier: BSD-2-Clause */
/* A column under construction: the values of the next batch, and the dictionary of all batches. */
#ifndef LIB_ARROW_COLUMN_H
#define LIB_ARROW_COLUMN_H

#include "buffers.h"
#include "dictionary.h"
#include "lib/event_table/event_table.h"

enum { ARROW_RUN_MAX = 256 /* records at a time, so that they stay in the cache */ };

/* Records that follow each other directly. */
struct arrow_run {
	const struct iot_event *ev;
	size_t count; /* <= ARROW_RUN_MAX */
	bool plain;   /* all are I/Os of programs without an unknown value */
};

struct arrow_column {
	enum event_column column;
	enum column_type type;
	struct buffers *buffers; /* of the stream */
	size_t width;            /* bytes of a value; of texts: of a code */
	size_t rows, capacity, nulls;
	void *values;
	uint8_t *valid;          /* a bit for each row; NULL: all are 1 */
	uint32_t code_of[256];   /* code + 1 of a type of records; 0: none yet */
	int64_t zero_ns;         /* added to starts: the epoch of timestamps */
	struct dictionary texts; /* of EVENT_TEXT */
};

/* Takes up to `left` records that begin at ev; none if ev is not a record. */
struct arrow_run arrow_run_of(const struct iot_event *ev, size_t left);

/* `buffers` must outlive the column. */
void arrow_column_init(struct arrow_column *c, enum event_column column, struct buffers *buffers);
void arrow_column_free(struct arrow_column *c);

/* Makes capacity for rows. Returns IOT_OK or IOT_ENOMEM. */
int arrow_column_reserve(struct arrow_column *c, size_t rows);
/*
 * These append rows for the records of a run, and for an %op; there is capacity for them. Return
 * IOT_OK; IOT_ENOMEM; IOT_ELIMIT for a dictionary that is full, or a timestamp beyond 2^63-1.
 */
int arrow_column_records(struct arrow_column *c, struct names *names, const struct arrow_run *run);
int arrow_column_operation(struct arrow_column *c, struct names *names, const struct iot_event *ev);
/* Removes the rows, for columns that are read where they are. */
void arrow_column_clear(struct arrow_column *c);
/* Exports the rows, which leave the column. Returns IOT_OK or IOT_ENOMEM. */
int arrow_column_export(struct arrow_column *c, struct ArrowArray *out);

#endif
