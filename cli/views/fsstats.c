/* SPDX-License-Identifier: BSD-2-Clause */
#include "fsstats.h"

#include <inttypes.h>

#include "cli/print/json.h"
#include "cli/print/text.h"
#include "cli/print/tsv.h"
#include "lib/result/columns.h"
#include "lib/result/row.h"

enum { MEDIAN = 500 };

static const uint64_t limits[] = {0, 4 << 10, 64 << 10, 1 << 20, 2 << 20, 128 << 20, 1 << 30};

struct document {
	struct fs_survey *survey;
	struct iot_table limits, ages, bins;
};

static double share(uint64_t part, uint64_t whole)
{
	return (double)part / (double)whole; /* unknown if there are none */
}

static void set_limit(struct iot_row *to, void *source)
{
	const struct fs_survey *s = ((const struct document *)source)->survey;
	const uint64_t limit = limits[to->number];
	row_number(to, &metrics.size_limit, limit);
	row_real(to, &metrics.files_share, share(histogram_up_to(&s->size, limit), s->size.count));
	row_real(to, &metrics.bytes_share, share(survey_bytes_up_to(s, limit), s->size.sum));
}

static void set_age(struct iot_row *to, void *source)
{
	const struct fs_survey *s = ((const struct document *)source)->survey;
	const size_t i = to->number;
	const uint64_t files = s->size.count, bytes = s->size.sum;
	row_number(to, &metrics.age_days, survey_ages[i]);
	row_real(to, &metrics.not_accessed_files, share(s->older[SURVEY_ACCESSED][i], files));
	row_real(to, &metrics.not_accessed_bytes, share(s->older_bytes[SURVEY_ACCESSED][i], bytes));
	row_real(to, &metrics.not_modified_files, share(s->older[SURVEY_MODIFIED][i], files));
	row_real(to, &metrics.not_modified_bytes, share(s->older_bytes[SURVEY_MODIFIED][i], bytes));
}

/* Whether bin i, counted through all histograms, contains something. */
static bool has_bin(const struct fs_survey *s, size_t i)
{
	return s->of[i / SURVEY_BINS].bin_items[i % SURVEY_BINS] > 0;
}

static size_t count_bins(const struct fs_survey *s)
{
	size_t n = 0;
	for (size_t i = 0; i < (size_t)SURVEY_HISTOGRAMS * SURVEY_BINS; i++)
		n += has_bin(s, i);
	return n;
}

static void set_bin(struct iot_row *to, void *source)
{
	const struct fs_survey *s = ((const struct document *)source)->survey;
	size_t i = 0;
	for (size_t left = to->number; left > 0 || !has_bin(s, i); i++)
		left -= has_bin(s, i);
	const struct survey_form *form = &survey_forms[i / SURVEY_BINS];
	const struct survey_bins *bins = &s->of[i / SURVEY_BINS];
	const unsigned bin = i % SURVEY_BINS;
	row_word(to, &metrics.distribution, form->name);
	row_number(to, &metrics.bin_from, survey_lower(form->scale, bin));
	if (survey_upper(form->scale, bin) == UINT64_MAX)
		row_absent(to, &metrics.bin_to);
	else
		row_number(to, &metrics.bin_to, survey_upper(form->scale, bin));
	row_number(to, &metrics.bin_items, bins->bin_items[bin]);
	row_real(to, &metrics.bin_amount, (double)bins->bin_amount[bin]);
}

static void set_document(struct iot_row *to, void *source)
{
	struct document *d = source;
	const struct fs_survey *s = d->survey;
	row_number(to, &metrics.regular_files, s->entries[SURVEY_FILE]);
	row_number(to, &metrics.directories, s->entries[SURVEY_DIRECTORIES]);
	row_number(to, &metrics.symlinks, s->entries[SURVEY_SYMLINK]);
	row_number(to, &metrics.special_files, s->entries[SURVEY_SPECIAL]);
	row_number(to, &metrics.data_bytes, s->data);
	row_number(to, &metrics.capacity_bytes, s->capacity);
	if (s->size.count > 0) {
		row_real(to, &metrics.file_mean_bytes, histogram_mean(&s->size));
		row_real(to, &metrics.file_median_bytes, histogram_quantile(&s->size, MEDIAN));
		row_number(to, &metrics.file_max_bytes, s->size.max);
	}
	row_number(to, &metrics.duplicate_links, s->duplicate_links);
	row_number(to, &metrics.sparse_files, s->sparse);
	row_number(to, &metrics.snapshot_directories, s->snapshots);
	row_number(to, &metrics.other_devices, s->other_devices);
	row_number(to, &metrics.loops, s->loops);
	row_number(to, &metrics.vanished, s->vanished);
	row_number(to, &metrics.moved, s->moved);
	row_number(to, &metrics.future_times, s->future[SURVEY_MODIFIED]);
	row_number(to, &metrics.touched_directories, s->touched);
	row_number(to, &metrics.unread_directories, s->unread);
	row_number(to, &metrics.walk_errors, survey_errors(s));
	row_table(to, &metrics.size_limits, &d->limits);
	row_table(to, &metrics.age_limits, &d->ages);
	row_table(to, &metrics.distributions, &d->bins);
}

static const struct iot_column limit_columns[] =
    COLUMN_LIST(COLUMN(size_limit), COLUMN(files_share), COLUMN(bytes_share));
static const struct iot_column age_columns[] =
    COLUMN_LIST(COLUMN(age_days), COLUMN(not_accessed_files), COLUMN(not_accessed_bytes),
		COLUMN(not_modified_files), COLUMN(not_modified_bytes));
static const struct iot_column bin_columns[] = COLUMN_LIST(
    COLUMN(distribution), COLUMN(bin_from), COLUMN(bin_to), COLUMN(bin_items), COLUMN(bin_amount));
static const struct iot_column document_columns[] = COLUMN_LIST(
    COLUMN(regular_files), COLUMN(directories), COLUMN(symlinks), COLUMN(special_files),
    COLUMN(data_bytes), COLUMN(capacity_bytes), COLUMN(file_mean_bytes), COLUMN(file_median_bytes),
    COLUMN(file_max_bytes), COLUMN(duplicate_links), COLUMN(sparse_files),
    COLUMN(snapshot_directories), COLUMN(other_devices), COLUMN(loops), COLUMN(vanished),
    COLUMN(moved), COLUMN(future_times), COLUMN(touched_directories), COLUMN(unread_directories),
    COLUMN(walk_errors), COLUMN(size_limits), COLUMN(age_limits), COLUMN(distributions));

static void make_tables(struct document *d, struct fs_survey *s)
{
	d->survey = s;
	d->limits = (struct iot_table)TABLE_ROWS(limit_columns, COLUMN_COUNT(limits), set_limit, d);
	d->ages = (struct iot_table)TABLE_ROWS(age_columns, SURVEY_AGES, set_age, d);
	d->bins = (struct iot_table)TABLE_ROWS(bin_columns, count_bins(s), set_bin, d);
}

void fsstats_print_tsv(struct output *o, struct fs_survey *s)
{
	struct document d;
	make_tables(&d, s);
	print_tsv(o, &d.bins);
}

void fsstats_print_json(struct output *o, struct fs_survey *s)
{
	struct document d;
	struct json j = {.out = o, .pretty = true};
	make_tables(&d, s);
	const struct iot_table document = TABLE_RECORD(document_columns, set_document, &d);
	print_json(&j, NULL, &document);
	output_text(o, "\n");
}

static void print_totals(struct output *o, struct document *d)
{
	static const struct text_column entries[] =
	    COLUMN_LIST(TEXT(regular_files, 12, 0), TEXT(directories, 12, 0), TEXT(symlinks, 15, 0),
			TEXT(special_files, 14, 0), TEXT(walk_errors, 9, 0));
	static const struct text_column bytes[] = COLUMN_LIST(
	    TEXT(data_bytes, 12, 1), TEXT(capacity_bytes, 12, 1), TEXT(file_mean_bytes, 15, 1),
	    TEXT(file_median_bytes, 14, 1), TEXT(file_max_bytes, 12, 1));
	const struct iot_table one = TABLE_FILLED(1, set_document, d);
	print_text(o, entries, COLUMN_COUNT(entries), NULL, &one);
	output_text(o, "\n");
	print_text(o, bytes, COLUMN_COUNT(bytes), NULL, &one);
}

void fsstats_print_text(struct output *o, struct fs_survey *s)
{
	static const struct text_column of_limit[] = COLUMN_LIST(
	    TEXT(size_limit, 12, 0), TEXT(files_share, 12, 1), TEXT(bytes_share, 12, 1));
	static const struct text_column of_age[] = COLUMN_LIST(
	    TEXT(age_days, 12, 0), TEXT(not_accessed_files, 14, 1), TEXT(not_accessed_bytes, 10, 1),
	    TEXT(not_modified_files, 14, 1), TEXT(not_modified_bytes, 10, 1));
	struct document d;
	make_tables(&d, s);
	print_totals(o, &d);
	output_text(o, "\n");
	print_text(o, of_limit, COLUMN_COUNT(of_limit), NULL, &d.limits);
	output_text(o, "\n");
	print_text(o, of_age, COLUMN_COUNT(of_age), NULL, &d.ages);
}
