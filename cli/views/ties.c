/* SPDX-License-Identifier: BSD-2-Clause */
#include "ties.h"

#include <stdio.h>
#include <string.h>

#include "cli/print/text.h"
#include "cli/ui/printable.h"

static void set_kind(struct iot_row *to, void *source)
{
	const struct ties_view *v = source;
	const struct tie_kind_sum *sum = &v->sums->kind[to->number];
	row_word(to, &metrics.tie, tie_kind_names[to->number]);
	row_counts(to, &metrics.disk_ios, sum->records);
	row_counts(to, &metrics.disk_bytes, sum->bytes);
}

static void set_values(struct iot_row *to, const struct tie_row *row)
{
	row_counts(to, &metrics.call_bytes, row->logical);
	row_counts(to, &metrics.tied_bytes, row->physical);
	row_shares(to, &metrics.amplification, row->physical, row->logical);
	row_number(to, &metrics.read_ahead_bytes, row->ahead);
	row_number(to, &metrics.read_ahead_used_bytes, row->ahead_used);
	row_real(to, &metrics.read_ahead_used_share, (double)row->ahead_used / (double)row->ahead);
}

/* The name of a file; NULL if it has none. */
static const char *name_of(const struct ties_view *v, const struct tie_row *row, size_t *size)
{
	return row->object != 0 && v->reader != NULL ? iot_reader_name(v->reader, row->object, size)
						     : NULL;
}

static void set_file(struct iot_row *to, void *source)
{
	const struct ties_view *v = source;
	const struct tie_row *row = &v->sums->row[to->number];
	size_t size = 0;
	const char *name = name_of(v, row, &size);
	if (row->object != 0) {
		row_number(to, &metrics.object, row->object);
	} else {
		row_number(to, &metrics.process, row->process);
		row_number(to, &metrics.file, row->file);
	}
	row_text(to, &metrics.name, name, size);
	set_values(to, row);
}

static void set_total(struct iot_row *to, void *source)
{
	const struct ties_view *v = source;
	set_values(to, &v->all);
}

static void set_ties(struct iot_row *to, void *source)
{
	const struct ties_view *v = source;
	uint64_t bytes[TIE_DIRECTIONS] = {0};
	for (int k = 0; k < TIE_KINDS; k++)
		for (int d = 0; d < TIE_DIRECTIONS; d++)
			bytes[d] += v->sums->kind[k].bytes[d];
	row_table(to, &metrics.kinds, &v->kinds);
	row_shares(to, &metrics.untied_share, v->sums->kind[TIE_NONE].bytes, bytes);
	row_table(to, &metrics.total, &v->total);
	row_table(to, &metrics.tie_files, &v->files);
}

/* clang-format off */
#define VALUES \
	COLUMN_READ(call_bytes), COLUMN_WRITE(call_bytes), \
	COLUMN_READ(tied_bytes), \
	COLUMN_WRITE(tied_bytes), \
	COLUMN_READ(amplification), \
	COLUMN_WRITE(amplification), \
	COLUMN(read_ahead_bytes), COLUMN(read_ahead_used_bytes), COLUMN(read_ahead_used_share)
/* clang-format on */

void ties_view(struct ties_view *v, const struct tie_sums *sums, struct iot_reader *reader,
	       uint64_t top)
{
	static const struct iot_column kind[] =
	    COLUMN_LIST(COLUMN(tie), COLUMN_READ(disk_ios), COLUMN_WRITE(disk_ios),
			COLUMN_READ(disk_bytes), COLUMN_WRITE(disk_bytes)),
				       total[] = COLUMN_LIST(VALUES),
				       file[] = COLUMN_LIST(COLUMN(object), COLUMN(process),
							    COLUMN(file), COLUMN(name), VALUES),
				       ties[] = COLUMN_LIST(COLUMN(kinds),

							    COLUMN(untied_share), COLUMN(total),
							    COLUMN(tie_files));
	v->sums = sums;
	v->reader = reader;
	v->top = top < sums->rows.count ? (size_t)top : sums->rows.count;
	v->all = tie_sums_total(sums);
	v->kinds = (struct iot_table)TABLE_ROWS(kind, TIE_KINDS, set_kind, v);
	v->total = (struct iot_table)TABLE_RECORD(total, set_total, v);
	v->files = (struct iot_table)TABLE_ROWS(file, sums->rows.count, set_file, v);
	v->table = (struct iot_table)TABLE_RECORD(ties, set_ties, v);
}

void ties_view_set(struct iot_row *to, const struct ties_view *v)
{
	row_table(to, &metrics.ties, v->sums->any ? &v->table : NULL);
}

/* Text */

static void set_labelled(struct iot_row *to, void *source)
{
	struct ties_view *v = source;
	if (to->number == 0) {
		set_values(to, &v->all);
		row_word(to, &metrics.label, "total");
		return;
	}
	const struct tie_row *row = &v->sums->row[to->number - 1];
	size_t size = 0;
	const char *name = name_of(v, row, &size);
	if (name != NULL)
		printable(v->label, sizeof v->label, name, size);
	else if (row->object != 0)
		(void)snprintf(v->label, sizeof v->label, "object %u", row->object);
	else
		(void)snprintf(v->label, sizeof v->label, "file %u of process %u", row->file,
			       row->process);
	set_values(to, row);
	row_word(to, &metrics.label, v->label);
}

/* clang-format off */
#define READ_AS(metric, label, width, digits, unit) \
	{COLUMN_READ(metric), label, width, {digits, unit}}
#define WRITE_AS(metric, label, width, digits, unit) \
	{COLUMN_WRITE(metric), label, width, {digits, unit}}
/* clang-format on */

void ties_view_print(struct output *o, struct ties_view *v)
{
	static const struct text_column files[] = COLUMN_LIST(
	    READ_AS(call_bytes, "calls read", 10, 0, TEXT_DEFAULT),
	    READ_AS(tied_bytes, "disk", 10, 0, TEXT_DEFAULT),
	    READ_AS(amplification, "factor", 7, 2, TEXT_DEFAULT),
	    WRITE_AS(call_bytes, "written", 10, 0, TEXT_DEFAULT),
	    WRITE_AS(tied_bytes, "disk", 10, 0, TEXT_DEFAULT),
	    WRITE_AS(amplification, "factor", 7, 2, TEXT_DEFAULT),
	    TEXT_UNIT(read_ahead_used_share, "ahead used", 10, 0, TEXT_SIGN), TEXT(label, 0, 0)),
					kinds[] = COLUMN_LIST(
					    READ_AS(disk_ios, "disk reads", 10, 0, TEXT_DEFAULT),
					    READ_AS(disk_bytes, "bytes", 10, 0, TEXT_DEFAULT),
					    WRITE_AS(disk_ios, "writes", 10, 0, TEXT_DEFAULT),
					    WRITE_AS(disk_bytes, "bytes", 10, 0, TEXT_DEFAULT),
					    TEXT(tie, 0, 0));
	const struct iot_table labelled = TABLE_FILLED(1 + v->top, set_labelled, v);
	if (!v->sums->any)
		return;
	output_text(o, "\n");
	print_text(o, files, COLUMN_COUNT(files), "file", &labelled);
	output_text(o, "\n");
	print_text(o, kinds, COLUMN_COUNT(kinds), "tie", &v->kinds);
}
