/* SPDX-License-Identifier: BSD-2-Clause */
#include "survey.h"

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

static unsigned bin_of(enum survey_scale scale, uint64_t v)
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
	const unsigned bin = bin_of(survey_forms[h].scale, selects);
	if (items == 0)
		return;
	b->min = b->items == 0 || value < b->min ? value : b->min;
	b->max = value > b->max ? value : b->max;
	b->items += items;
	b->amount += (uint128)value * items;
	b->bin_items[bin] += items;
	b->bin_amount[bin] += (uint128)value * items;
}

static void add_age(struct fs_survey *s, enum survey_time t, uint64_t size, int64_t time_s,
		    int64_t now_s)
{
	int64_t age_s;
	if (__builtin_sub_overflow(now_s, time_s, &age_s))
		age_s = time_s < 0 ? INT64_MAX : -1;
	const uint64_t days = age_s < 0 ? 0 : (uint64_t)age_s / S_PER_DAY;
	const enum survey_histogram h = SURVEY_MTIME + 2 * t;
	s->future[t] += age_s < 0;
	for (size_t i = 0; i < SURVEY_AGES && days >= survey_ages[i]; i++) {
		s->older[t][i]++;
		s->older_bytes[t][i] += size;
	}
	add(s, h, days, days, 1);
	add(s, h + 1, days, days, size);
}

static void add_file(struct fs_survey *s, const struct survey_entry *e, int64_t now_s)
{
	add(s, SURVEY_SIZE, e->size, e->size, 1);
	add(s, SURVEY_CAPACITY, e->capacity, e->capacity, 1);
	add(s, SURVEY_LINKS, e->links, e->links, 1);
	histogram_add(&s->size, e->size);
	s->size_bytes[histogram_index(e->size)] += e->size;
	s->sparse += e->capacity < e->size / 2;
	for (enum survey_time t = 0; t < SURVEY_TIMES; t++)
		add_age(s, t, e->size, e->time_s[t], now_s);
}

void survey_add(struct fs_survey *s, const struct survey_entry *e, int64_t now_s)
{
	s->entries[e->kind]++;
	if (e->kind == SURVEY_SPECIAL)
		return;
	s->data += e->size;
	s->capacity += e->capacity;
	add(s, SURVEY_NAME, e->name, e->name, 1);
	if (e->capacity >= e->size)
		add(s, SURVEY_POSITIVE, e->size, e->capacity - e->size, 1);
	else
		add(s, SURVEY_NEGATIVE, e->size, e->size - e->capacity, 1);
	if (e->kind == SURVEY_FILE)
		add_file(s, e, now_s);
	else if (e->kind == SURVEY_DIRECTORIES)
		add(s, SURVEY_DIRECTORY, e->size, e->size, 1);
	else
		add(s, SURVEY_TARGET, e->size, e->size, 1);
}

void survey_add_entries(struct fs_survey *s, uint64_t entries)
{
	add(s, SURVEY_ENTRIES, entries, entries, 1);
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

void survey_join(struct fs_survey *s, const struct fs_survey *more)
{
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
	histogram_join(&s->size, &more->size);
	add_list(s->size_bytes, more->size_bytes, HISTOGRAM_BINS);
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
