/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics as columns separated by tabs. */
#include "results.h"

#include <string.h>

static void tsv_number(struct output *o, bool known, uint64_t value)
{
	if (known)
		output_printf(o, "\t%ju", (uintmax_t)value);
	else
		output_text(o, "\t");
}

static void tsv_row(struct stat_results *s, const struct iot_stats_row *f)
{
	const bool ios = stat_knows_ios(s, f);
	const struct {
		bool known;
		uint64_t value;
	} columns[] = {{true, f->file},
		       {true, f->object},
		       {stat_knows_opens(s, f), f->opens},
		       {ios, f->reads},
		       {ios, f->writes},
		       {ios, f->read_bytes},
		       {ios, f->written_bytes},
		       {stat_knows_times(s, f), f->io_ns},
		       {ios, f->followers},
		       {stat_knows_order(s, f), f->sequential},
		       {ios, f->same_size}};
	const char *separator = "\t";
	size_t size = 0;
	const char *name = stat_name(s, f, &size);
	output_printf(&s->out, "%u", f->process);
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
		tsv_number(&s->out, columns[i].known, columns[i].value);
	for (unsigned k = 0; k < IOT_SIZE_CLASSES; k++) {
		if (iot_stats_size(f, k) == 0)
			continue;
		output_printf(&s->out, "%s%ju:%ju", separator, (uintmax_t)stat_class_floor(k),
			      (uintmax_t)iot_stats_size(f, k));
		separator = ",";
	}
	output_text(&s->out, separator[0] == '\t' ? "\t\t" : "\t");
	output_encoded(&s->out, name ? name : "", size);
	output_text(&s->out, "\t");
	if (f->has & IOT_STATS_HAS_RANK)
		output_printf(&s->out, "%ju", (uintmax_t)f->rank);
	tsv_number(&s->out, ios, f->timed);
	tsv_number(&s->out, ios, f->located);
	tsv_number(&s->out, (f->has & IOT_STATS_HAS_TIMES) != 0, (uint64_t)f->first_ns);
	tsv_number(&s->out, (f->has & IOT_STATS_HAS_TIMES) != 0, (uint64_t)f->last_ns);
	if (s->input_count > 1) {
		const char *input = stat_input(s, f);
		output_text(&s->out, "\t");
		output_encoded(&s->out, input != NULL ? input : "",
			       input != NULL ? strlen(input) : 0);
	}
	output_text(&s->out, "\n");
}

static void tsv_operations(struct stat_results *s)
{
	const struct iot_stats_operation *row;
	output_text(&s->out, "operation\tcalls\tfailed\ttimed\tns\n");
	for (size_t i = 0; (row = stat_operation_at(s, i)) != NULL; i++) {
		output_encoded(&s->out, row->name, strlen(row->name));
		output_printf(&s->out, "\t%ju\t%ju\t%ju", (uintmax_t)row->calls,
			      (uintmax_t)row->failed, (uintmax_t)row->timed);
		tsv_number(&s->out, row->timed > 0, row->ns);
		output_text(&s->out, "\n");
	}
}

void stat_print_tsv(struct stat_results *s)
{
	if (s->by == STAT_BY_OPERATION) {
		tsv_operations(s);
		return;
	}
	output_text(&s->out,
		    "process\tfile\tobject\topens\treads\twrites\tread_bytes\twritten_bytes\t"
		    "io_ns\tfollowers\tsequential\tsame_size\tsizes\tname\trank\t"
		    "timed\tplaced\tfirst_ns\tlast_ns");
	output_text(&s->out, s->input_count > 1 ? "\tinput\n" : "\n");
	const struct iot_stats_row *row;
	for (size_t i = 0; (row = stat_row_at(s, i)) != NULL; i++)
		tsv_row(s, row);
}
