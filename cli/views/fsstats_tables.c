/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of the tables of a survey. */
#include "fsstats_tables.h"

#include <math.h>
#include <stdlib.h>

#include "lib/result/columns.h"
#include "lib/result/row.h"

enum { MEDIAN = 500 };

static const uint64_t s_per_day = 86400;

static const uint64_t limits[] = {0, 4 << 10, 64 << 10, 1 << 20, 2 << 20, 128 << 20, 1 << 30};

static double share(uint64_t part, uint64_t whole)
{
	return (double)part / (double)whole; /* unknown if there are none */
}

/* The upper limits of bins in the csv form do not belong to them. */
static const char below[] = "files of exactly this size are not counted";

static void set_bounded_share(struct iot_row *to, const struct iot_metric *metric, double value)
{
	struct iot_cell *cell = row_cell(to, metric, IOT_BOTH);
	if (cell != NULL && value == value)
		*cell = (struct iot_cell){
		    .kind = IOT_REAL, .real = value, .why = value < 1 ? below : NULL};
}

static double share_of(uint128 part, uint128 whole)
{
	return (double)part / (double)whole;
}

static void set_limit_of_bins(struct iot_row *to, const struct fs_survey *s, uint64_t limit)
{
	const struct survey_bins *b = &s->of[SURVEY_SIZE];
	uint64_t items = 0;
	uint128 bytes = 0;
	if (limit < survey_lower(SURVEY_KIB, 1) || !survey_knows(s, SURVEY_SIZE))
		return;
	for (unsigned i = 0; survey_upper(SURVEY_KIB, i) < limit; i++) {
		items += b->bin_items[i];
		bytes += b->bin_amount[i];
	}
	set_bounded_share(to, &metrics.files_share, share_of(items, b->items));
	set_bounded_share(to, &metrics.bytes_share, share_of(bytes, b->amount));
}

static void set_limit(struct iot_row *to, void *source)
{
	const struct fs_survey *s = ((const struct survey_document *)source)->survey;
	const uint64_t limit = limits[to->number];
	row_number(to, &metrics.size_limit, limit);
	if (!survey_knows(s, SURVEY_EXACT)) {
		set_limit_of_bins(to, s, limit);
		return;
	}
	row_real(to, &metrics.files_share, share(histogram_up_to(&s->size, limit), s->size.count));
	row_real(to, &metrics.bytes_share, share(survey_bytes_up_to(s, limit), s->size.sum));
}

/* Returns the share of items at least `days` old; it is unknown unless a bin begins there. */
static double older_share(const struct fs_survey *s, enum survey_time t, size_t age, bool bytes)
{
	const unsigned h = SURVEY_MTIME + 2 * (unsigned)t + bytes;
	const struct survey_bins *b = &s->of[h];
	const uint64_t days = survey_ages[age];
	uint64_t older = 0;
	if (!survey_knows(s, h))
		return (double)NAN;
	if (survey_knows(s, SURVEY_EXACT))
		return bytes ? share(s->older_bytes[t][age], s->size.sum)
			     : share(s->older[t][age], s->size.count);
	if (survey_lower(SURVEY_DAYS, survey_bin(SURVEY_DAYS, days)) != days)
		return (double)NAN;
	for (unsigned i = survey_bin(SURVEY_DAYS, days); i < SURVEY_BINS; i++)
		older += b->bin_items[i];
	return share(older, b->items);
}

static void set_age(struct iot_row *to, void *source)
{
	const struct fs_survey *s = ((const struct survey_document *)source)->survey;
	const size_t i = to->number;
	row_number(to, &metrics.age_days, survey_ages[i]);
	row_real(to, &metrics.not_accessed_files, older_share(s, SURVEY_ACCESSED, i, false));
	row_real(to, &metrics.not_accessed_bytes, older_share(s, SURVEY_ACCESSED, i, true));
	row_real(to, &metrics.not_modified_files, older_share(s, SURVEY_MODIFIED, i, false));
	row_real(to, &metrics.not_modified_bytes, older_share(s, SURVEY_MODIFIED, i, true));
}

static void set_key(struct iot_row *to, void *source)
{
	struct survey_document *d = source;
	const struct survey_key_row *k = &d->keys[to->number];
	row_word(to, &metrics.survey_key, survey_key_name(k, d->key, sizeof d->key));
	row_number(to, &metrics.regular_files, k->sums->files);
	row_number(to, &metrics.data_bytes, k->sums->bytes);
	row_known(to, &metrics.capacity_bytes, survey_knows(d->survey, SURVEY_CAPACITY),
		  k->sums->capacity);
	row_real(to, &metrics.files_share, share(k->sums->files, d->survey->entries[SURVEY_FILE]));
	row_real(to, &metrics.bytes_share,
		 share_of(k->sums->bytes, d->survey->of[SURVEY_SIZE].amount));
	if (survey_knows(d->survey, SURVEY_MTIME)) {
		row_signed(to, &metrics.oldest_s, k->sums->oldest_s);
		row_signed(to, &metrics.newest_s, k->sums->newest_s);
	}
	if (survey_knows(d->survey, SURVEY_ATIME))
		row_signed(to, &metrics.used_s, k->sums->used_s);
}

static void set_unused(struct iot_row *to, void *source)
{
	struct survey_document *d = source;
	const struct survey_key_row *k = &d->unused[to->number];
	const int64_t age_s = d->survey->now_s - k->sums->used_s;
	row_number(to, &metrics.unused_days, age_s < 0 ? 0 : (uint64_t)age_s / s_per_day);
	row_number(to, &metrics.regular_files, k->sums->files);
	row_number(to, &metrics.data_bytes, k->sums->bytes);
	row_word(to, &metrics.survey_key, survey_key_name(k, d->key, sizeof d->key));
}

static void set_top(struct iot_row *to, const struct top_entry *e, const struct iot_metric *value)
{
	row_number(to, value, e->value);
	row_word(to, &metrics.survey_path, e->path);
}

static void set_top_file(struct iot_row *to, void *source)
{
	const struct fs_survey *s = ((const struct survey_document *)source)->survey;
	set_top(to, &s->top[SURVEY_TOP_FILES].entry[to->number], &metrics.data_bytes);
}

static void set_top_directory(struct iot_row *to, void *source)
{
	const struct fs_survey *s = ((const struct survey_document *)source)->survey;
	set_top(to, &s->top[SURVEY_TOP_DIRECTORIES].entry[to->number], &metrics.directory_entries);
}

/* Returns whether bin i, counted through all histograms, contains something. */
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

static void row_limit(struct iot_row *to, const struct iot_metric *metric, uint64_t upper)
{
	if (upper == UINT64_MAX)
		row_absent(to, metric);
	else
		row_number(to, metric, upper);
}

static void set_bin(struct iot_row *to, void *source)
{
	const struct fs_survey *s = ((const struct survey_document *)source)->survey;
	size_t i = 0;
	for (size_t left = to->number; left > 0 || !has_bin(s, i); i++)
		left -= has_bin(s, i);
	const struct survey_form *form = &survey_forms[i / SURVEY_BINS];
	const struct survey_bins *bins = &s->of[i / SURVEY_BINS];
	const unsigned bin = i % SURVEY_BINS;
	row_word(to, &metrics.distribution, form->name);
	row_number(to, &metrics.bin_from, survey_lower(form->scale, bin));
	row_limit(to, &metrics.bin_to, survey_upper(form->scale, bin));
	row_number(to, &metrics.bin_items, bins->bin_items[bin]);
	if (bins->bin_amount[bin] <= UINT64_MAX)
		row_number(to, &metrics.bin_amount, (uint64_t)bins->bin_amount[bin]);
	else
		row_real(to, &metrics.bin_amount, (double)bins->bin_amount[bin]);
}

/* The rows of the tables by access follow those by modification. */
static void set_joint(struct iot_row *to, void *source)
{
	const struct survey_document *d = source;
	const struct joint_ranges *j = d->joint[SURVEY_MODIFIED];
	const bool modified = j != NULL && to->number < j->count;
	const size_t before = modified || j == NULL ? 0 : j->count;
	if (!modified)
		j = d->joint[SURVEY_ACCESSED];
	const struct joint_range *r = &j->range[to->number - before];
	row_word(to, &metrics.age_of, modified ? "modified" : "accessed");
	row_number(to, &metrics.class_from, survey_lower(SURVEY_KIB, r->size_from));
	row_limit(to, &metrics.class_to, survey_upper(SURVEY_KIB, r->size_to));
	row_number(to, &metrics.days_from, survey_lower(SURVEY_DAYS, r->age_from));
	row_limit(to, &metrics.days_to, survey_upper(SURVEY_DAYS, r->age_to));
	row_number(to, &metrics.regular_files, r->sum.files);
	row_number(to, &metrics.data_bytes, r->sum.bytes);
}

/* Adds what only a walk counts; the csv form and lists lack it. */
static void set_walk(struct iot_row *to, const struct fs_survey *s)
{
	const bool exact = survey_knows(s, SURVEY_EXACT);
	row_known(to, &metrics.duplicate_links, survey_knows(s, SURVEY_DUPLICATES),
		  s->duplicate_links);
	row_known(to, &metrics.sparse_files, exact && survey_knows(s, SURVEY_CAPACITY), s->sparse);
	row_known(to, &metrics.snapshot_directories, survey_knows(s, SURVEY_SNAPSHOTS),
		  s->snapshots);
	row_known(to, &metrics.other_devices, exact, s->other_devices);
	row_known(to, &metrics.loops, exact, s->loops);
	row_known(to, &metrics.vanished, exact, s->vanished);
	row_known(to, &metrics.moved, exact, s->moved);
	row_known(to, &metrics.future_times, exact && survey_knows(s, SURVEY_MTIME),
		  s->future[SURVEY_MODIFIED]);
	row_known(to, &metrics.touched_directories, exact, s->touched);
	row_known(to, &metrics.unread_directories, exact, s->unread);
	row_known(to, &metrics.walk_errors, exact, survey_errors(s));
}

static bool knows_data(const struct fs_survey *s)
{
	return survey_knows(s, SURVEY_SIZE) &&
	       (survey_knows(s, SURVEY_EXACT) ||
		(survey_knows(s, SURVEY_DIRECTORY) && survey_knows(s, SURVEY_TARGET)));
}

static bool knows_capacity(const struct fs_survey *s)
{
	return knows_data(s) && survey_knows(s, SURVEY_POSITIVE) &&
	       survey_knows(s, SURVEY_NEGATIVE);
}

unsigned survey_frequent_bin(const struct fs_survey *s)
{
	unsigned largest = 0;
	for (unsigned i = 1; i < SURVEY_BINS; i++)
		if (s->of[SURVEY_SIZE].bin_items[i] > s->of[SURVEY_SIZE].bin_items[largest])
			largest = i;
	return largest;
}

static void set_frequent(struct iot_row *to, const struct fs_survey *s)
{
	const unsigned bin = survey_frequent_bin(s);
	if (s->of[SURVEY_SIZE].items == 0)
		return;
	row_number(to, &metrics.frequent_from, survey_lower(SURVEY_KIB, bin));
	row_number(to, &metrics.frequent_to, survey_upper(SURVEY_KIB, bin));
	row_number(to, &metrics.frequent_files, s->of[SURVEY_SIZE].bin_items[bin]);
}

static void set_document(struct iot_row *to, void *source)
{
	struct survey_document *d = source;
	const struct fs_survey *s = d->survey;
	const struct survey_bins *sizes = &s->of[SURVEY_SIZE];
	row_known(to, &metrics.regular_files, survey_knows(s, SURVEY_SIZE),
		  s->entries[SURVEY_FILE]);
	row_known(to, &metrics.directories, survey_knows(s, SURVEY_DIRECTORY),
		  s->entries[SURVEY_DIRECTORIES]);
	row_known(to, &metrics.symlinks, survey_knows(s, SURVEY_TARGET),
		  s->entries[SURVEY_SYMLINK]);
	row_known(to, &metrics.special_files, survey_knows(s, SURVEY_SPECIALS),
		  s->entries[SURVEY_SPECIAL]);
	row_known(to, &metrics.data_bytes, knows_data(s), s->data);
	row_known(to, &metrics.capacity_bytes, knows_capacity(s), s->capacity);
	row_known(to, &metrics.file_system_bytes, s->knows_space, s->space);
	row_known(to, &metrics.file_system_used, s->knows_space, s->space_used);
	if (survey_knows(s, SURVEY_SIZE))
		row_real(to, &metrics.file_mean_bytes, share_of(sizes->amount, sizes->items));
	if (s->size.count > 0) {
		row_real(to, &metrics.file_median_bytes, histogram_quantile(&s->size, MEDIAN));
		row_number(to, &metrics.file_max_bytes, s->size.max);
	}
	set_frequent(to, s);
	row_known(to, &metrics.entries_max, survey_knows(s, SURVEY_ENTRIES),
		  s->of[SURVEY_ENTRIES].max);
	set_walk(to, s);
	row_table(to, &metrics.size_limits, &d->limits);
	row_table(to, &metrics.age_limits, &d->ages);
	row_table(to, &metrics.survey_keys, s->by == SURVEY_BY_NONE ? NULL : &d->key_rows);
	row_table(to, &metrics.unused_keys, d->unused == NULL ? NULL : &d->unused_rows);
	row_table(to, &metrics.largest_files, s->names ? &d->top[SURVEY_TOP_FILES] : NULL);
	row_table(to, &metrics.largest_directories,
		  s->names && survey_knows(s, SURVEY_ENTRIES) ? &d->top[SURVEY_TOP_DIRECTORIES]
							      : NULL);
	row_table(to, &metrics.joint, &d->joint_rows);
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
    COLUMN(data_bytes), COLUMN(capacity_bytes), COLUMN(file_system_bytes), COLUMN(file_system_used),
    COLUMN(file_mean_bytes), COLUMN(file_median_bytes), COLUMN(file_max_bytes),
    COLUMN(frequent_from), COLUMN(frequent_to), COLUMN(frequent_files), COLUMN(entries_max),
    COLUMN(duplicate_links), COLUMN(sparse_files), COLUMN(snapshot_directories),
    COLUMN(other_devices), COLUMN(loops), COLUMN(vanished), COLUMN(moved), COLUMN(future_times),
    COLUMN(touched_directories), COLUMN(unread_directories), COLUMN(walk_errors),
    COLUMN(size_limits), COLUMN(age_limits), COLUMN(survey_keys), COLUMN(unused_keys),
    COLUMN(largest_files), COLUMN(largest_directories), COLUMN(joint), COLUMN(distributions));
static const struct iot_column unused_columns[] =
    COLUMN_LIST(COLUMN(unused_days), COLUMN(regular_files), COLUMN(data_bytes), COLUMN(survey_key));
static const struct iot_column top_file_columns[] =
    COLUMN_LIST(COLUMN(data_bytes), COLUMN(survey_path));
static const struct iot_column top_directory_columns[] =
    COLUMN_LIST(COLUMN(directory_entries), COLUMN(survey_path));
static const struct iot_column joint_columns[] =
    COLUMN_LIST(COLUMN(age_of), COLUMN(class_from), COLUMN(class_to), COLUMN(days_from),
		COLUMN(days_to), COLUMN(regular_files), COLUMN(data_bytes));
static const struct iot_column key_columns[] = COLUMN_LIST(
    COLUMN(survey_key), COLUMN(regular_files), COLUMN(data_bytes), COLUMN(capacity_bytes),
    COLUMN(files_share), COLUMN(bytes_share), COLUMN(oldest_s), COLUMN(newest_s), COLUMN(used_s));

void survey_document_free(struct survey_document *d)
{
	for (size_t t = 0; t < SURVEY_TIMES; t++)
		free(d->joint[t]);
	free(d->unused);
	free(d->keys);
}

/* By the last access, then by key. */
static int by_use(const void *left, const void *right)
{
	const struct survey_key_row *a = left, *b = right;
	if (a->sums->used_s != b->sums->used_s)
		return a->sums->used_s < b->sums->used_s ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

/*
 * Lists the keys by use, if the survey has keys and access times. Returns false if out of memory.
 */
static bool list_unused(struct survey_document *d)
{
	const struct fs_survey *s = d->survey;
	size_t keys;
	if (s->by == SURVEY_BY_NONE || !s->knows_now || !survey_knows(s, SURVEY_ATIME))
		return true;
	d->unused = survey_key_rows(s, &keys);
	if (d->unused != NULL)
		qsort(d->unused, keys, sizeof *d->unused, by_use);
	return d->unused != NULL;
}

/* Returns the number of rows; SIZE_MAX if out of memory. */
static size_t merge_joint(struct survey_document *d, uint64_t min)
{
	size_t rows = 0;
	for (enum survey_time t = 0; t < SURVEY_TIMES; t++) {
		if (!survey_knows_joint(d->survey, t))
			continue;
		d->joint[t] = malloc(sizeof *d->joint[t]);
		if (d->joint[t] == NULL)
			return SIZE_MAX;
		joint_merge(&d->survey->joint[t], min, d->joint[t]);
		rows += d->joint[t]->count;
	}
	return rows;
}

static void make_tops(struct survey_document *d, size_t top)
{
	const struct top_list *l = d->survey->top;
	const size_t files = l[SURVEY_TOP_FILES].count,
		     directories = l[SURVEY_TOP_DIRECTORIES].count;
	d->top[SURVEY_TOP_FILES] = (struct iot_table)TABLE_ROWS(
	    top_file_columns, files < top ? files : top, set_top_file, d);
	d->top[SURVEY_TOP_DIRECTORIES] = (struct iot_table)TABLE_ROWS(
	    top_directory_columns, directories < top ? directories : top, set_top_directory, d);
}

bool survey_document_make(struct survey_document *d, const struct fsstats_shown *shown)
{
	struct fs_survey *s = shown->survey;
	size_t keys;
	*d = (struct survey_document){.survey = s};
	const size_t joint = merge_joint(d, shown->min_count);
	d->keys = survey_key_rows(s, &keys);
	if (joint == SIZE_MAX || d->keys == NULL || !list_unused(d)) {
		survey_document_free(d);
		return false;
	}
	keys = keys < shown->top ? keys : shown->top;
	d->limits = (struct iot_table)TABLE_ROWS(limit_columns, COLUMN_COUNT(limits), set_limit, d);
	d->ages = (struct iot_table)TABLE_ROWS(age_columns, SURVEY_AGES, set_age, d);
	d->bins = (struct iot_table)TABLE_ROWS(bin_columns, count_bins(s), set_bin, d);
	d->key_rows = (struct iot_table)TABLE_ROWS(key_columns, keys, set_key, d);
	d->unused_rows = (struct iot_table)TABLE_ROWS(unused_columns, keys, set_unused, d);
	make_tops(d, shown->top);
	d->joint_rows = (struct iot_table)TABLE_ROWS(joint_columns, joint, set_joint, d);
	d->record = (struct iot_table)TABLE_RECORD(document_columns, set_document, d);
	d->totals = (struct iot_table)TABLE_FILLED(1, set_document, d);
	return true;
}
