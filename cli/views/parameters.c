/* SPDX-License-Identifier: BSD-2-Clause */
#include "parameters.h"

#include "lib/result/columns.h"

static void set_option(struct iot_row *to, void *source)
{
	const struct reading_view *view = source;
	row_word(to, &metrics.in_option, view->options->source.setting[to->number]);
}

static void set_reading(struct iot_row *to, void *source)
{
	const struct reading_view *view = source;
	const struct trace_in_options *o = view->options;
	if (o->source.format != NULL)
		row_word(to, &metrics.in_format, o->source.format);
	row_table(to, &metrics.in_options, &view->in_options);
	row_known(to, &metrics.in_base, o->base != NOT_GIVEN, o->base);
	row_known(to, &metrics.in_tick_ns, o->tick_ns != NOT_GIVEN, o->tick_ns);
	row_number(to, &metrics.verify, !o->no_verify);
	row_number(to, &metrics.recover, o->recover);
	row_number(to, &metrics.allow_empty, o->allow_empty);
}

void reading_view(struct reading_view *view, const struct trace_in_options *options)
{
	static const struct iot_column columns[] =
	    COLUMN_LIST(COLUMN(in_format), COLUMN(in_options), COLUMN(in_base), COLUMN(in_tick_ns),
			COLUMN(verify), COLUMN(recover), COLUMN(allow_empty));
	static const struct iot_column option[] = COLUMN_LIST(COLUMN(in_option));
	*view = (struct reading_view){
	    .options = options,
	    .table = TABLE_RECORD(columns, set_reading, view),
	    .in_options = TABLE_LIST(option, options->source.settings, set_option, view),
	};
}

static void set_device(struct iot_row *to, void *source)
{
	const struct device_options *d = source;
	row_number(to, &metrics.near_ns, d->near_ns);
	row_number(to, &metrics.far_ns, d->far_ns);
	row_number(to, &metrics.span, d->span);
	row_number(to, &metrics.device_read_latency_ns, d->read_latency_ns);
	row_number(to, &metrics.device_write_latency_ns, d->write_latency_ns);
	row_number(to, &metrics.read_rate, d->read_rate);
	row_number(to, &metrics.write_rate, d->write_rate);
	row_number(to, &metrics.depth, d->depth);
}

struct iot_table device_view(const struct device_options *device)
{
	static const struct iot_column columns[] = COLUMN_LIST(
	    COLUMN(near_ns), COLUMN(far_ns), COLUMN(span), COLUMN(device_read_latency_ns),
	    COLUMN(device_write_latency_ns), COLUMN(read_rate), COLUMN(write_rate), COLUMN(depth));
	return (struct iot_table)TABLE_RECORD(columns, set_device, (void *)device);
}
