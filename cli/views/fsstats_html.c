/* SPDX-License-Identifier: BSD-2-Clause */
/* The report of a survey. */
#include <string.h>

#include "cli/fsstats/plots.h"
#include "cli/print/html_table.h"
#include "cli/ui/message.h"
#include "lib/result/names.h"

#include "fsstats_tables.h"

#define TABLE(h, caption, columns, table)                                                          \
	print_html_table(h, caption, columns, COLUMN_COUNT(columns), table)

static void write_totals(struct html *h, struct survey_document *d)
{
	static const struct text_column entries[] =
	    COLUMN_LIST(TEXT(regular_files, 12, 0), TEXT(directories, 12, 0), TEXT(symlinks, 12, 0),
			TEXT(special_files, 12, 0), TEXT(duplicate_links, 12, 0),
			TEXT(sparse_files, 12, 0), TEXT(future_times, 12, 0));
	static const struct text_column bytes[] = COLUMN_LIST(
	    TEXT(data_bytes, 12, 1), TEXT(capacity_bytes, 12, 1), TEXT(file_mean_bytes, 12, 1),
	    TEXT(file_median_bytes, 12, 1), TEXT(file_max_bytes, 12, 1),
	    TEXT(file_system_bytes, 12, 1), TEXT(file_system_used, 12, 1));
	static const struct text_column errors[] =
	    COLUMN_LIST(TEXT(walk_errors, 12, 0), TEXT(unread_directories, 12, 0),
			TEXT(vanished, 12, 0), TEXT(moved, 12, 0), TEXT(other_devices, 12, 0),
			TEXT(loops, 12, 0), TEXT(snapshot_directories, 12, 0));
	html_section(h, SECTION_OF(totals), "Totals");
	TABLE(h, NULL, entries, &d->totals);
	TABLE(h, NULL, bytes, &d->totals);
	TABLE(h, "Not read or not entered", errors, &d->totals);
	html_section_end(h);
}

static void write_limits(struct html *h, struct survey_document *d)
{
	static const struct text_column sizes[] = COLUMN_LIST(
	    TEXT(size_limit, 12, 0), TEXT(files_share, 12, 1), TEXT(bytes_share, 12, 1));
	static const struct text_column ages[] = COLUMN_LIST(
	    TEXT(age_days, 12, 0), TEXT(not_accessed_files, 12, 1), TEXT(not_accessed_bytes, 12, 1),
	    TEXT(not_modified_files, 12, 1), TEXT(not_modified_bytes, 12, 1));
	html_section(h, SECTION_OF(limits), "Sizes and ages");
	TABLE(h, "Shares up to a size, in per cent", sizes, &d->limits);
	TABLE(h, "Shares of at least an age, in per cent", ages, &d->ages);
	html_section_end(h);
}

static void write_keys(struct html *h, struct survey_document *d)
{
	static const char *const titles[] = {"", "Owners", "Groups", "Directories", "Projects"};
	static const struct text_column keys[] = COLUMN_LIST(
	    TEXT(survey_key, 0, 0), TEXT(regular_files, 12, 0), TEXT(data_bytes, 12, 1),
	    TEXT(capacity_bytes, 12, 1), TEXT(files_share, 12, 1), TEXT(bytes_share, 12, 1));
	static const struct text_column unused[] =
	    COLUMN_LIST(TEXT(survey_key, 0, 0), TEXT(unused_days, 12, 0),
			TEXT(regular_files, 12, 0), TEXT(data_bytes, 12, 1));
	if (d->survey->by == SURVEY_BY_NONE)
		return;
	html_section(h, "keys", titles[d->survey->by]);
	TABLE(h, "The largest", keys, &d->key_rows);
	if (d->unused != NULL)
		TABLE(h, "Unused for the longest time", unused, &d->unused_rows);
	html_section_end(h);
}

static void write_tops(struct html *h, struct survey_document *d)
{
	static const struct text_column files[] =
	    COLUMN_LIST(TEXT(survey_path, 0, 0), TEXT(data_bytes, 12, 1));
	static const struct text_column directories[] =
	    COLUMN_LIST(TEXT(survey_path, 0, 0), TEXT(directory_entries, 12, 0));
	if (!d->survey->names)
		return;
	html_section(h, "largest", "The largest files and directories");
	TABLE(h, NULL, files, &d->top[SURVEY_TOP_FILES]);
	TABLE(h, NULL, directories, &d->top[SURVEY_TOP_DIRECTORIES]);
	html_section_end(h);
}

static void write_joint(struct html *h, struct survey_document *d)
{
	static const struct text_column columns[] =
	    COLUMN_LIST(TEXT(age_of, 0, 0), TEXT(class_from, 12, 0), TEXT(class_to, 12, 0),
			TEXT(days_from, 12, 0), TEXT(days_to, 12, 0), TEXT(regular_files, 12, 0),
			TEXT(data_bytes, 12, 1));
	if (d->joint_rows.rows == 0)
		return;
	html_details(h, "joint", "Files by size and age");
	TABLE(h, NULL, columns, &d->joint_rows);
	html_details_end(h);
}

static void write_bins(struct html *h, struct survey_document *d)
{
	static const struct text_column columns[] =
	    COLUMN_LIST(TEXT(distribution, 0, 0), TEXT(bin_from, 12, 0), TEXT(bin_to, 12, 0),
			TEXT(bin_items, 12, 0), TEXT(bin_amount, 12, 0));
	html_details(h, "histograms", "Histograms");
	TABLE(h, NULL, columns, &d->bins);
	html_details_end(h);
}

bool fsstats_write_html(struct output *o, const struct fsstats_shown *shown)
{
	static const char title[] = "Contents of file systems";
	struct html h = {.out = o};
	struct survey_document d;
	if (!survey_document_make(&d, shown))
		return false;
	html_begin(&h, title, sizeof title - 1);
	output_printf(o, "<h1>%s</h1>\n", title);
	if (survey_errors(shown->survey) > 0)
		html_paragraph(&h, "Incomplete: something could not be read.");
	write_totals(&h, &d);
	write_limits(&h, &d);
	const struct survey_plots plots = {shown->without, shown->top};
	const bool ok = survey_plots_embed(shown->survey, &plots, o);
	write_keys(&h, &d);
	write_tops(&h, &d);
	write_joint(&h, &d);
	write_bins(&h, &d);
	html_end(&h);
	survey_document_free(&d);
	return ok;
}
