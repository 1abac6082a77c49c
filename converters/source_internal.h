/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A source of the public interface: source.c is the handle with its settings and its report,
 * source_stream.c the stages that turn a converter or a reader into a stream in order of start,
 * source_definitions.c one of them.
 */
#ifndef CONVERTERS_SOURCE_INTERNAL_H
#define CONVERTERS_SOURCE_INTERNAL_H

#include <stdatomic.h>

#include <iotrace/filter.h>

#include "converter.h"
#include "lib/base/interrupt.h"

enum source_order { SOURCE_ORDER_START, SOURCE_ORDER_INPUT, SOURCE_ORDER_STREAM };

enum { SOURCE_SETTINGS_MAX = 64, SOURCE_LOST_SIZE = 2048 };

struct iot_source {
	/* settings */
	const struct converter *format; /* NULL: detect */
	bool format_is_trace, fallback_is_trace;
	char option_prefix[OPTION_PREFIX_SIZE];
	enum source_order order;
	uint64_t memory;
	struct setting setting[SOURCE_SETTINGS_MAX]; /* names of converters; values are copies */
	size_t setting_count;
	iot_source_progress_fn *progress;
	void *progress_context;

	/* input, after open */
	struct input *input;
	bool opened; /* without an error */
	bool unknown_format;
	struct interrupt interrupt;
	bool is_trace;
	struct iot_reader *reader;   /* of the stream of a trace */
	struct trace_member **trace; /* of all readers */
	size_t trace_count;
	bool began; /* a stream was made */
	struct source_state state;
	struct error error;

	/* one stream */
	bool converter_open; /* the state belongs to a converter that has delivered no events */
	bool streaming;
	void (*freed)(struct iot_source *s); /* called when the stream has been freed; or NULL */
	bool blank;                          /* the source has delivered no events */
	bool read_all;
	bool lost_delivered;
	char lost[SOURCE_LOST_SIZE]; /* its text */
	struct error damage;         /* why the input ended early */
	struct iot_sort_report sort;
	uint64_t early;               /* events before time zero */
	uint64_t records;             /* read */
	uint64_t looked_ns, shown_ns; /* when progress was determined, and passed on */
	int64_t last_ns;              /* start of the last event delivered */
	_Atomic uint64_t done, total;
};

/* source.c */

/* Opens the converter from the beginning. Returns a status. */
int source_open_converter(struct iot_source *s);
/* Opens a reader on a source that is a trace. Returns a status. */
int source_open_trace(struct iot_source *s, struct iot_reader *r);

/* source_stream.c */

/* Returns NULL if out of memory. */
struct iot_stream *source_stream_new(struct iot_source *s);

/* source_definitions.c */

/* Takes over the upstream in every case. */
struct iot_stream *source_definitions(struct iot_stream *upstream);

#endif
