/* SPDX-License-Identifier: BSD-2-Clause */
/* The growth between two surveys. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "cli/print/text.h"
#include "lib/result/columns.h"
#include "lib/result/row.h"

#include "fsstats.h"

enum { KEY_NAME = 32, DATE_TEXT = 32, ROWS = 4 };

static const double s_per_day = 86400;

struct key_change {
	struct survey_key_row row; /* in the later survey, or in the earlier one if it ended */
	const struct key_sums *earlier, *later;
};

struct change_document {
	const struct fsstats_change *change;
	struct key_change *keys;
	size_t key_count;
	char key[KEY_NAME];
	struct iot_table changes, key_changes;
};

static const struct key_sums no_sums;

static double new_files(const struct key_change *k)
{
	return (double)k->later->files - (double)k->earlier->files;
}

static double new_bytes(const struct key_change *k)
{
	return (double)k->later->bytes - (double)k->earlier->bytes;
}

static int by_growth(const void *left, const void *right)
{
	const struct key_change *a = left, *b = right;
	if (new_files(a) != new_files(b))
		return new_files(a) > new_files(b) ? -1 : 1;
	return a->row.key < b->row.key ? -1 : a->row.key > b->row.key;
}

static const struct key_sums *sums_or_none(const struct fs_survey *s, uint64_t key)
{
	const struct key_sums *found = survey_find_sums(s, key);
	return found != NULL ? found : &no_sums;
}

/*
 * Appends the keys of a survey. From the earlier survey, appends only keys that the later one
 * lacks.
 */
static bool add_keys(struct change_document *d, const struct fs_survey *s)
{
	size_t count;
	struct survey_key_row *rows = survey_key_rows(s, &count);
	struct key_change *keys = realloc(d->keys, (d->key_count + count + 1) * sizeof *keys);
	if (keys != NULL)
		d->keys = keys;
	for (size_t i = 0; rows != NULL && keys != NULL && i < count; i++) {
		const struct key_sums *later = sums_or_none(d->change->later, rows[i].key);
		if (s == d->change->earlier && later->files > 0)
			continue;
		d->keys[d->key_count++] = (struct key_change){
		    rows[i], sums_or_none(d->change->earlier, rows[i].key), later};
	}
	const bool ok = rows != NULL && keys != NULL;
	free(rows);
	return ok;
}

/* Rows */

static void set_numbers(struct iot_row *to, const char *what, bool known, double earlier,
			double later)
{
	row_word(to, &metrics.changed, what);
	if (!known)
		return;
	row_real(to, &metrics.earlier, earlier);
	row_real(to, &metrics.later, later);
	row_real(to, &metrics.growth, later - earlier);
	row_real(to, &metrics.growth_share, (later - earlier) / earlier);
}

static bool both_know(const struct fsstats_change *c, unsigned h)
{
	return survey_knows(c->earlier, h) && survey_knows(c->later, h);
}

static void set_change(struct iot_row *to, void *source)
{
	const struct fsstats_change *c = ((const struct change_document *)source)->change;
	const struct fs_survey *a = c->earlier, *b = c->later;
	if (to->number == 0)
		set_numbers(to, "files", both_know(c, SURVEY_SIZE), (double)a->entries[SURVEY_FILE],
			    (double)b->entries[SURVEY_FILE]);
	else if (to->number == 1)
		set_numbers(to, "directories", both_know(c, SURVEY_DIRECTORY),
			    (double)a->entries[SURVEY_DIRECTORIES],
			    (double)b->entries[SURVEY_DIRECTORIES]);
	else if (to->number == 2)
		set_numbers(to, "bytes of files", both_know(c, SURVEY_SIZE),
			    (double)a->of[SURVEY_SIZE].amount, (double)b->of[SURVEY_SIZE].amount);
	else
		set_numbers(to, "capacity of files", both_know(c, SURVEY_CAPACITY),
			    (double)a->of[SURVEY_CAPACITY].amount,
			    (double)b->of[SURVEY_CAPACITY].amount);
}

static void set_key_change(struct iot_row *to, void *source)
{
	struct change_document *d = source;
	const struct fsstats_change *c = d->change;
	const struct key_change *k = &d->keys[to->number];
	const double files =
	    (double)c->later->entries[SURVEY_FILE] - (double)c->earlier->entries[SURVEY_FILE];
	const double bytes =
	    (double)c->later->of[SURVEY_SIZE].amount - (double)c->earlier->of[SURVEY_SIZE].amount;
	row_word(to, &metrics.survey_key, survey_key_name(&k->row, d->key, sizeof d->key));
	row_real(to, &metrics.new_files, new_files(k));
	row_real(to, &metrics.new_files_share, new_files(k) / files);
	row_real(to, &metrics.new_bytes, new_bytes(k));
	row_real(to, &metrics.new_bytes_share, new_bytes(k) / bytes);
	row_number(to, &metrics.regular_files, k->later->files);
	row_number(to, &metrics.data_bytes, k->later->bytes);
}

static double days_between(const struct fsstats_change *c)
{
	if (!c->earlier->knows_now || !c->later->knows_now)
		return (double)NAN;
	return ((double)c->later->now_s - (double)c->earlier->now_s) / s_per_day;
}

/* Returns NaN if the number of files does not grow towards the wanted number. */
static double reached_s(const struct fsstats_change *c)
{
	const double now = (double)c->later->entries[SURVEY_FILE];
	const double growth = now - (double)c->earlier->entries[SURVEY_FILE];
	const double days = ((double)c->reach - now) / growth * days_between(c);
	if (c->reach == 0 || !(growth > 0) || !(days >= 0))
		return (double)NAN;
	return (double)c->later->now_s + days * s_per_day;
}

static void set_document(struct iot_row *to, void *source)
{
	struct change_document *d = source;
	const double reached = reached_s(d->change);
	row_real(to, &metrics.days_between, days_between(d->change));
	if (d->change->reach == 0)
		row_absent(to, &metrics.reached_s);
	else if (isfinite(reached) && fabs(reached) < 1e17)
		row_signed(to, &metrics.reached_s, (int64_t)reached);
	row_table(to, &metrics.changes, &d->changes);
	row_table(to, &metrics.key_changes, d->key_count > 0 ? &d->key_changes : NULL);
}

static const struct iot_column change_columns[] = COLUMN_LIST(
    COLUMN(changed), COLUMN(earlier), COLUMN(later), COLUMN(growth), COLUMN(growth_share));
static const struct iot_column key_columns[] =
    COLUMN_LIST(COLUMN(survey_key), COLUMN(new_files), COLUMN(new_files_share), COLUMN(new_bytes),
		COLUMN(new_bytes_share), COLUMN(regular_files), COLUMN(data_bytes));
static const struct iot_column document_columns[] =
    COLUMN_LIST(COLUMN(days_between), COLUMN(reached_s), COLUMN(changes), COLUMN(key_changes));

/* Returns false if out of memory; free d->keys in any case. */
static bool make_tables(struct change_document *d, const struct fsstats_change *c)
{
	*d = (struct change_document){.change = c};
	const bool by_key = c->earlier->by != SURVEY_BY_NONE && c->earlier->by == c->later->by &&
			    c->earlier->depth == c->later->depth;
	if (by_key && (!add_keys(d, c->later) || !add_keys(d, c->earlier)))
		return false;
	if (d->key_count > 0)
		qsort(d->keys, d->key_count, sizeof *d->keys, by_growth);
	d->changes = (struct iot_table)TABLE_ROWS(change_columns, ROWS, set_change, d);
	d->key_changes = (struct iot_table)TABLE_ROWS(
	    key_columns, d->key_count < c->top ? d->key_count : c->top, set_key_change, d);
	return true;
}

/* Printing */

bool fsstats_print_change(struct output *o, const struct fsstats_change *c,
			  const struct print_form *form)
{
	struct change_document d;
	const bool ok = make_tables(&d, c);
	const struct iot_table document = TABLE_RECORD(document_columns, set_document, &d);
	if (ok)
		form->print(o,
			    form->is_nested   ? &document
			    : d.key_count > 0 ? &d.key_changes
					      : &d.changes,
			    NULL);
	free(d.keys);
	return ok;
}

static void print_reached(struct output *o, const struct fsstats_change *c)
{
	const double reached = reached_s(c);
	const time_t s = isfinite(reached) && fabs(reached) < 1e11 ? (time_t)reached : 0;
	char text[DATE_TEXT];
	struct tm date;
	if (c->reach == 0)
		return;
	if (s == 0 || gmtime_r(&s, &date) == NULL ||
	    strftime(text, sizeof text, "%Y-%m-%d", &date) == 0)
		output_printf(o, "\nIt is not known when there will be %ju files.\n",
			      (uintmax_t)c->reach);
	else
		output_printf(o, "\nIf this continues, there will be %ju files on %s.\n",
			      (uintmax_t)c->reach, text);
}

bool fsstats_print_change_text(struct output *o, const struct fsstats_change *c)
{
	static const struct text_column totals[] =
	    COLUMN_LIST(TEXT(changed, -18, 0), TEXT(earlier, 18, 0), TEXT(later, 18, 0),
			TEXT(growth, 18, 0), TEXT(growth_share, 12, 1));
	static const struct text_column keys[] = COLUMN_LIST(
	    TEXT(new_files, 14, 0), TEXT(new_files_share, 13, 1), TEXT(new_bytes, 18, 0),
	    TEXT(new_bytes_share, 13, 1), TEXT(survey_key, 0, 0));
	static const char *const titles[] = {"", "owner", "group", "directory"};
	struct change_document d;
	const bool ok = make_tables(&d, c);
	if (ok)
		print_text(o, totals, COLUMN_COUNT(totals), NULL, &d.changes);
	if (ok && d.key_count > 0) {
		output_text(o, "\n");
		print_text(o, keys, COLUMN_COUNT(keys), titles[c->later->by], &d.key_changes);
	}
	print_reached(o, c);
	free(d.keys);
	return ok;
}
