/* SPDX-License-Identifier: BSD-2-Clause */
#include "fsstats.h"

#include <stdio.h>

#include "cli/print/text.h"
#include "cli/ui/printable.h"

#include "fsstats_tables.h"

/* Rows: keys, if there are any, else the bins of all histograms. */
bool fsstats_print(struct output *o, const struct fsstats_shown *shown,
		   const struct print_form *form)
{
	struct survey_document d;
	if (!survey_document_make(&d, shown))
		return false;
	form->print(o,
		    form->is_nested                       ? &d.record
		    : shown->survey->by == SURVEY_BY_NONE ? &d.bins
							  : &d.key_rows,
		    NULL);
	survey_document_free(&d);
	return true;
}

static void print_totals(struct output *o, struct survey_document *d)
{
	static const struct text_column entries[] =
	    COLUMN_LIST(TEXT(regular_files, 12, 0), TEXT(directories, 12, 0), TEXT(symlinks, 15, 0),
			TEXT(special_files, 14, 0), TEXT(walk_errors, 9, 0));
	static const struct text_column bytes[] = COLUMN_LIST(
	    TEXT(data_bytes, 12, 1), TEXT(capacity_bytes, 12, 1), TEXT(file_mean_bytes, 15, 1),
	    TEXT(file_median_bytes, 14, 1), TEXT(file_max_bytes, 12, 1));
	print_text(o, entries, COLUMN_COUNT(entries), NULL, &d->totals);
	output_text(o, "\n");
	print_text(o, bytes, COLUMN_COUNT(bytes), NULL, &d->totals);
}

static void print_frequent(struct output *o, const struct fs_survey *s)
{
	const struct survey_bins *b = &s->of[SURVEY_SIZE];
	const unsigned bin = survey_frequent_bin(s);
	char lower[32], upper[32];
	if (b->items == 0)
		return;
	output_printf(o, "\nmost frequent: %s to %s, %.1f %% of files\n",
		      printable_bytes(lower, sizeof lower, survey_lower(SURVEY_KIB, bin)),
		      printable_bytes(upper, sizeof upper, survey_upper(SURVEY_KIB, bin) + 1),
		      100 * (double)b->bin_items[bin] / (double)b->items);
}

static void print_space(struct output *o, const struct fs_survey *s)
{
	char total[32], used[32];
	if (!s->knows_space)
		return;
	output_printf(o, "file system: %s, %s used\n",
		      printable_bytes(total, sizeof total, s->space),
		      printable_bytes(used, sizeof used, s->space_used));
}

static void print_keys(struct output *o, struct survey_document *d)
{
	static const struct text_column columns[] = COLUMN_LIST(
	    TEXT(regular_files, 12, 0), TEXT(data_bytes, 12, 1), TEXT(capacity_bytes, 12, 1),
	    TEXT(files_share, 10, 1), TEXT(bytes_share, 10, 1), TEXT(survey_key, 0, 0));
	static const char *const titles[] = {"", "owner", "group", "directory", "project"};
	output_text(o, "\n");
	print_text(o, columns, COLUMN_COUNT(columns), titles[d->survey->by], &d->key_rows);
}

static void print_unused(struct output *o, struct survey_document *d)
{
	static const struct text_column columns[] =
	    COLUMN_LIST(TEXT(unused_days, 12, 0), TEXT(regular_files, 12, 0),
			TEXT(data_bytes, 12, 1), TEXT(survey_key, 0, 0));
	output_text(o, "\n");
	print_text(o, columns, COLUMN_COUNT(columns), "directory", &d->unused_rows);
}

static void print_tops(struct output *o, const struct survey_document *d)
{
	static const struct text_column files[] =
	    COLUMN_LIST(TEXT(data_bytes, 12, 1), TEXT(survey_path, 0, 0));
	static const struct text_column directories[] =
	    COLUMN_LIST(TEXT(directory_entries, 12, 0), TEXT(survey_path, 0, 0));
	output_text(o, "\n");
	print_text(o, files, COLUMN_COUNT(files), "largest files", &d->top[SURVEY_TOP_FILES]);
	if (!survey_knows(d->survey, SURVEY_ENTRIES))
		return;
	output_text(o, "\n");
	print_text(o, directories, COLUMN_COUNT(directories), "largest directories",
		   &d->top[SURVEY_TOP_DIRECTORIES]);
}

bool fsstats_print_text(struct output *o, const struct fsstats_shown *shown)
{
	static const struct text_column of_limit[] = COLUMN_LIST(
	    TEXT(size_limit, 12, 0), TEXT(files_share, 12, 1), TEXT(bytes_share, 12, 1));
	static const struct text_column of_age[] = COLUMN_LIST(
	    TEXT(age_days, 12, 0), TEXT(not_accessed_files, 14, 1), TEXT(not_accessed_bytes, 10, 1),
	    TEXT(not_modified_files, 14, 1), TEXT(not_modified_bytes, 10, 1));
	struct survey_document d;
	if (!survey_document_make(&d, shown))
		return false;
	print_totals(o, &d);
	print_frequent(o, shown->survey);
	print_space(o, shown->survey);
	output_text(o, "\n");
	print_text(o, of_limit, COLUMN_COUNT(of_limit), NULL, &d.limits);
	output_text(o, "\n");
	print_text(o, of_age, COLUMN_COUNT(of_age), NULL, &d.ages);
	if (shown->survey->by != SURVEY_BY_NONE)
		print_keys(o, &d);
	if (d.unused != NULL && shown->survey->by == SURVEY_BY_DIRECTORY)
		print_unused(o, &d);
	if (shown->survey->names)
		print_tops(o, &d);
	survey_document_free(&d);
	return true;
}
