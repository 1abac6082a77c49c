/* SPDX-License-Identifier: BSD-2-Clause */
#include "survey.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

#include "survey_links.h"

enum { KIB_BITS = 10, S_PER_DAY = 86400, LINEAR_WIDTH = 8 };

const struct survey_form survey_forms[SURVEY_HISTOGRAMS] = {
    [SURVEY_SIZE] = {"file size", "KB", SURVEY_KIB, false},
    [SURVEY_CAPACITY] = {"capacity used", "KB", SURVEY_KIB, false},
    [SURVEY_POSITIVE] = {"positive overhead", "KB", SURVEY_KIB, false},
    [SURVEY_NEGATIVE] = {"negative overhead", "KB", SURVEY_KIB, false},
    [SURVEY_ENTRIES] = {"directory size (entries)", "ents", SURVEY_WHOLE, false},
    [SURVEY_DIRECTORY] = {"directory size", "KB", SURVEY_KIB, false},
    [SURVEY_NAME] = {"filename length", "chars", SURVEY_LINEAR, false},
    [SURVEY_LINKS] = {"link count", "links", SURVEY_WHOLE, false},
    [SURVEY_TARGET] = {"symlink target length", "chars", SURVEY_LINEAR, false},
    [SURVEY_MTIME] = {"mtime (files)", "days", SURVEY_DAYS, false},
    [SURVEY_MTIME_BYTES] = {"mtime (KB)", "days", SURVEY_DAYS, true},
    [SURVEY_CTIME] = {"ctime (files)", "days", SURVEY_DAYS, false},
    [SURVEY_CTIME_BYTES] = {"ctime (KB)", "days", SURVEY_DAYS, true},
    [SURVEY_ATIME] = {"atime (files)", "days", SURVEY_DAYS, false},
    [SURVEY_ATIME_BYTES] = {"atime (KB)", "days", SURVEY_DAYS, true},
};

const unsigned survey_ages[SURVEY_AGES] = {30, 64, 180, 365, 730};

static unsigned log_bin(uint64_t v)
{
	return v < 2 ? 0 : 63U - (unsigned)__builtin_clzll(v);
}

unsigned survey_bin(enum survey_scale scale, uint64_t v)
{
	if (scale == SURVEY_LINEAR)
		return v >= (SURVEY_LINEAR_BINS - 1) * LINEAR_WIDTH ? SURVEY_LINEAR_BINS - 1
								    : (unsigned)(v / LINEAR_WIDTH);
	return log_bin(scale == SURVEY_KIB ? v >> KIB_BITS : v);
}

uint64_t survey_lower(enum survey_scale scale, unsigned bin)
{
	if (scale == SURVEY_LINEAR)
		return bin * LINEAR_WIDTH;
	if (bin == 0)
		return 0;
	return UINT64_C(1) << (scale == SURVEY_KIB ? bin + KIB_BITS : bin);
}

uint64_t survey_upper(enum survey_scale scale, unsigned bin)
{
	const unsigned last = scale == SURVEY_LINEAR ? SURVEY_LINEAR_BINS - 1
			      : scale == SURVEY_KIB  ? SURVEY_BINS - 1 - KIB_BITS
						     : SURVEY_BINS - 1;
	return bin >= last ? UINT64_MAX : survey_lower(scale, bin + 1) - 1;
}

/* selects: the value that determines the bin. */
static void add(struct fs_survey *s, enum survey_histogram h, uint64_t selects, uint64_t value,
		uint64_t items)
{
	struct survey_bins *b = &s->of[h];
	const unsigned bin = survey_bin(survey_forms[h].scale, selects);
	if (items == 0 || !survey_knows(s, h))
		return;
	b->min = b->items == 0 || value < b->min ? value : b->min;
	b->max = value > b->max ? value : b->max;
	b->items += items;
	b->amount += (uint128)value * items;
	b->bin_items[bin] += items;
	b->bin_amount[bin] += (uint128)value * items;
}

static int64_t age_of(const struct fs_survey *s, int64_t time_s)
{
	int64_t age_s;
	if (__builtin_sub_overflow(s->now_s, time_s, &age_s))
		return time_s < 0 ? INT64_MAX : -1;
	return age_s;
}

static void add_age(struct fs_survey *s, enum survey_time t, uint64_t size, int64_t time_s)
{
	const int64_t age_s = age_of(s, time_s);
	const uint64_t days = age_s < 0 ? 0 : (uint64_t)age_s / S_PER_DAY;
	const enum survey_histogram h = SURVEY_MTIME + 2 * t;
	s->future[t] += age_s < 0;
	for (size_t i = 0; i < SURVEY_AGES && days >= survey_ages[i]; i++) {
		s->older[t][i]++;
		s->older_bytes[t][i] += size;
	}
	add(s, h, days, days, 1);
	add(s, h + 1, days, days, size);
	if (t != SURVEY_CHANGED)
		joint_add(&s->joint[t], survey_bin(SURVEY_KIB, size), log_bin(days), size);
}

static void add_to_key(struct fs_survey *s, const struct survey_entry *e)
{
	struct key_sums *to = survey_sums(s, e->key);
	const int64_t age_s = age_of(s, e->time_s[SURVEY_ACCESSED]);
	const int64_t modified_s = e->time_s[SURVEY_MODIFIED];
	const int64_t used_s = e->time_s[SURVEY_ACCESSED];
	const unsigned bin = survey_bin(SURVEY_KIB, e->size);
	if (to == NULL)
		return;
	to->oldest_s = to->files == 0 || modified_s < to->oldest_s ? modified_s : to->oldest_s;
	to->newest_s = to->files == 0 || modified_s > to->newest_s ? modified_s : to->newest_s;
	to->used_s = to->files == 0 || used_s > to->used_s ? used_s : to->used_s;
	to->files++;
	to->bytes += e->size;
	to->capacity += e->capacity;
	to->size_files[bin]++;
	to->size_bytes[bin] += e->size;
	for (size_t i = 0; i < SURVEY_AGES && age_s / S_PER_DAY >= survey_ages[i]; i++) {
		to->older[i]++;
		to->older_bytes[i] += e->size;
	}
}

static void add_file(struct fs_survey *s, const struct survey_entry *e)
{
	add(s, SURVEY_SIZE, e->size, e->size, 1);
	add(s, SURVEY_CAPACITY, e->capacity, e->capacity, 1);
	add(s, SURVEY_LINKS, e->links, e->links, 1);
	histogram_add(&s->size, e->size);
	s->size_bytes[histogram_index(e->size)] += e->size;
	s->sparse += e->capacity < e->size / 2;
	for (enum survey_time t = 0; t < SURVEY_TIMES; t++)
		add_age(s, t, e->size, e->time_s[t]);
	if (s->by != SURVEY_BY_NONE)
		add_to_key(s, e);
}

void survey_add(struct fs_survey *s, const struct survey_entry *e)
{
	s->entries[e->kind]++;
	if (e->kind == SURVEY_SPECIAL)
		return;
	s->data += e->size;
	s->capacity += e->capacity;
	if (e->name > 0)
		add(s, SURVEY_NAME, e->name, e->name, 1);
	if (e->capacity >= e->size)
		add(s, SURVEY_POSITIVE, e->size, e->capacity - e->size, 1);
	else
		add(s, SURVEY_NEGATIVE, e->size, e->size - e->capacity, 1);
	if (e->kind == SURVEY_FILE)
		add_file(s, e);
	else if (e->kind == SURVEY_DIRECTORIES)
		add(s, SURVEY_DIRECTORY, e->size, e->size, 1);
	else
		add(s, SURVEY_TARGET, e->size, e->size, 1);
}

void survey_add_entries(struct fs_survey *s, uint64_t entries)
{
	add(s, SURVEY_ENTRIES, entries, entries, 1);
}

void survey_add_top(struct fs_survey *s, enum survey_top list, const struct top_entry *entry)
{
	s->no_memory |= !top_list_add(&s->top[list], entry);
}

void survey_fail(struct fs_survey *s, int error)
{
	s->failed[error > 0 && error < SURVEY_ERRNO ? error : 0]++;
}

static void add_list(uint64_t *to, const uint64_t *more, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] += more[i];
}

static void join_bins(struct survey_bins *b, const struct survey_bins *more)
{
	if (more->items == 0)
		return;
	b->min = b->items == 0 || more->min < b->min ? more->min : b->min;
	b->max = more->max > b->max ? more->max : b->max;
	b->items += more->items;
	b->amount += more->amount;
	add_list(b->bin_items, more->bin_items, SURVEY_BINS);
	for (size_t i = 0; i < SURVEY_BINS; i++)
		b->bin_amount[i] += more->bin_amount[i];
}

struct key_sums *survey_sums(struct fs_survey *s, uint64_t key)
{
	if (s->keys.count >= SURVEY_KEYS_MAX && idmap_find(&s->keys, key) == SIZE_MAX)
		key = SURVEY_OTHER;
	const size_t i = idmap_number(&s->keys, key);
	if (array_reserve_index(&s->sums, &s->sums_capacity, i, sizeof *s->sums))
		return &s->sums[i];
	s->no_memory = true;
	return NULL;
}

const struct key_sums *survey_find_sums(const struct fs_survey *s, uint64_t key)
{
	const size_t i = idmap_find(&s->keys, key);
	return i < s->keys.count && i < s->sums_capacity ? &s->sums[i] : NULL;
}

static void join_sums(struct fs_survey *s, uint64_t key, const struct key_sums *more)
{
	struct key_sums *to = survey_sums(s, key);
	if (to == NULL)
		return;
	/* One thread may name a directory of which another one counts the files. */
	if (to->name == NULL && more->name != NULL) {
		to->name = strdup(more->name);
		s->no_memory |= to->name == NULL;
	}
	if (more->files == 0)
		return;
	if (to->files == 0 || more->oldest_s < to->oldest_s)
		to->oldest_s = more->oldest_s;
	if (to->files == 0 || more->newest_s > to->newest_s)
		to->newest_s = more->newest_s;
	if (to->files == 0 || more->used_s > to->used_s)
		to->used_s = more->used_s;
	to->files += more->files;
	to->bytes += more->bytes;
	to->capacity += more->capacity;
	add_list(to->older, more->older, SURVEY_AGES);
	add_list(to->older_bytes, more->older_bytes, SURVEY_AGES);
	add_list(to->size_files, more->size_files, SURVEY_BINS);
	add_list(to->size_bytes, more->size_bytes, SURVEY_BINS);
}

/* The sum has top lists only if both surveys have. */
static void join_tops(struct fs_survey *s, const struct fs_survey *more)
{
	for (size_t i = 0; i < SURVEY_TOPS; i++) {
		if (s->names && more->names)
			s->no_memory |= !top_list_join(&s->top[i], &more->top[i]);
		else
			top_list_free(&s->top[i]);
	}
	s->names &= more->names;
}

static void join_links(struct fs_survey *s, const struct fs_survey *more)
{
	struct survey_link_change change;
	for (size_t i = 0; i < more->link_ids.count && i < more->links_capacity; i++) {
		if (more->link[i].counted)
			continue;
		const struct survey_link *l =
		    survey_add_link(s, more->link_ids.keys[i], &more->link[i], &change);
		if (l != NULL && change.is_whole)
			survey_add(s, &l->file);
		s->duplicate_links += l != NULL && change.is_known;
	}
}

void survey_count_links(struct fs_survey *s)
{
	for (size_t i = 0; i < s->link_ids.count && i < s->links_capacity; i++) {
		if (!s->link[i].counted)
			survey_add(s, &s->link[i].file);
		s->link[i].counted = true;
	}
}

void survey_join(struct fs_survey *s, const struct fs_survey *more)
{
	s->unknown |= more->unknown;
	s->no_memory |= more->no_memory;
	for (size_t i = 0; i < more->keys.count && i < more->sums_capacity; i++)
		join_sums(s, more->keys.keys[i], &more->sums[i]);
	add_list(s->entries, more->entries, SURVEY_KINDS);
	s->data += more->data;
	s->capacity += more->capacity;
	s->duplicate_links += more->duplicate_links;
	s->snapshots += more->snapshots;
	s->other_devices += more->other_devices;
	s->loops += more->loops;
	s->vanished += more->vanished;
	s->moved += more->moved;
	s->sparse += more->sparse;
	s->unread += more->unread;
	s->touched += more->touched;
	add_list(s->failed, more->failed, SURVEY_ERRNO);
	add_list(s->future, more->future, SURVEY_TIMES);
	for (size_t t = 0; t < SURVEY_TIMES; t++) {
		add_list(s->older[t], more->older[t], SURVEY_AGES);
		add_list(s->older_bytes[t], more->older_bytes[t], SURVEY_AGES);
	}
	for (size_t h = 0; h < SURVEY_HISTOGRAMS; h++)
		join_bins(&s->of[h], &more->of[h]);
	for (size_t t = 0; t < SURVEY_TIMES; t++)
		joint_join(&s->joint[t], &more->joint[t]);
	join_tops(s, more);
	join_links(s, more);
	histogram_join(&s->size, &more->size);
	add_list(s->size_bytes, more->size_bytes, HISTOGRAM_BINS);
}

void survey_free_keys(struct fs_survey *s)
{
	for (size_t i = 0; i < s->keys.count && i < s->sums_capacity; i++)
		free(s->sums[i].name);
	free(s->sums);
	idmap_free(&s->keys);
}

void survey_free(struct fs_survey *s)
{
	if (s == NULL)
		return;
	survey_free_keys(s);
	idmap_free(&s->link_ids);
	free(s->link);
	root_list_free(&s->roots);
	for (size_t i = 0; i < SURVEY_TOPS; i++)
		top_list_free(&s->top[i]);
	free(s);
}

/* By bytes, then by key, so that the order is always the same. */
static int by_bytes(const void *left, const void *right)
{
	const struct survey_key_row *a = left, *b = right;
	if (a->sums->bytes != b->sums->bytes)
		return a->sums->bytes > b->sums->bytes ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

struct survey_key_row *survey_key_rows(const struct fs_survey *s, size_t *count)
{
	struct survey_key_row *rows = malloc((s->keys.count + 1) * sizeof *rows);
	*count = 0;
	for (size_t i = 0; rows != NULL && i < s->keys.count && i < s->sums_capacity; i++)
		if (s->sums[i].files > 0)
			rows[(*count)++] = (struct survey_key_row){s->keys.keys[i], &s->sums[i]};
	if (rows != NULL)
		qsort(rows, *count, sizeof *rows, by_bytes);
	return rows;
}

const char *survey_key_name(const struct survey_key_row *row, char *text, size_t capacity)
{
	if (row->sums->name != NULL)
		return row->sums->name;
	if (row->key == SURVEY_OTHER)
		return "other";
	if (row->key == SURVEY_LINKED)
		return "several links";
	if (row->key == SURVEY_UNKNOWN)
		return "unknown";
	snprintf(text, capacity, "%ju", (uintmax_t)row->key);
	return text;
}

void survey_drop_ages(struct fs_survey *s)
{
	for (unsigned h = SURVEY_MTIME; h < SURVEY_HISTOGRAMS; h++)
		s->unknown |= 1U << h;
}

bool survey_knows_joint(const struct fs_survey *s, enum survey_time t)
{
	return t != SURVEY_CHANGED && survey_knows(s, SURVEY_EXACT) &&
	       survey_knows(s, SURVEY_SIZE) && survey_knows(s, SURVEY_MTIME + 2 * t);
}

bool survey_coarsen(struct fs_survey *s, uint64_t min)
{
	struct joint_ranges *r = malloc(sizeof *r);
	for (size_t t = 0; r != NULL && t < SURVEY_TIMES; t++) {
		joint_merge(&s->joint[t], min, r);
		joint_coarsen(&s->joint[t], r);
	}
	free(r);
	return r != NULL;
}

uint64_t survey_bytes_up_to(const struct fs_survey *s, uint64_t size)
{
	uint64_t bytes = 0;
	for (unsigned i = 0; i <= histogram_index(size); i++)
		bytes += s->size_bytes[i];
	return bytes;
}

uint64_t survey_errors(const struct fs_survey *s)
{
	uint64_t errors = s->moved;
	for (size_t i = 0; i < SURVEY_ERRNO; i++)
		errors += s->failed[i];
	return errors;
}
