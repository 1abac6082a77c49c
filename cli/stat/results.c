/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of the results, and which of them are printed. */
#include "results.h"

#include <string.h>

#include "lib/base/text.h"

bool stat_has_only_counters(const struct iot_stats *stats)
{
	const struct iot_stats_row *total = iot_stats_total(stats);
	return total->samples + total->reads + total->writes +
		       iot_stats_fact(stats, IOT_STATS_LEFT_OUT) ==
		   0 &&
	       iot_stats_fact(stats, IOT_STATS_FILE_COUNTERS) +
		       iot_stats_fact(stats, IOT_STATS_SAMPLES) >
		   0;
}

bool stat_has_samples(const struct stat_results *s)
{
	return s->by == IOT_STATS_BY_TARGET || s->by == IOT_STATS_BY_JOB ||
	       iot_stats_total(s->stats)->samples > 0;
}

bool stat_knows_ios(const struct stat_results *s, const struct iot_stats_row *f)
{
	return !s->counters_only && !stat_has_samples(s) && (f->has & IOT_STATS_ONLY_COUNTERS) == 0;
}

bool stat_knows_opens(const struct iot_stats_row *f)
{
	return (f->has & IOT_STATS_HAS_OPENS) != 0;
}

bool stat_knows_times(const struct stat_results *s, const struct iot_stats_row *f)
{
	return stat_knows_ios(s, f) && (f->timed > 0 || f->reads + f->writes == 0);
}

bool stat_knows_order(const struct stat_results *s, const struct iot_stats_row *f)
{
	return stat_knows_ios(s, f) && (f->located > 0 || f->followers == 0);
}

const char *stat_input(const struct stat_results *s, const struct iot_stats_row *row)
{
	const bool any = s->by <= IOT_STATS_BY_OBJECT || s->by == IOT_STATS_BY_TRACE;
	return any && row->trace > 0 ? s->inputs[row->trace - 1] : NULL;
}

static bool names_object(const struct stat_results *s, const struct iot_stats_row *row)
{
	return s->in.reader != NULL && row->object != 0 &&
	       (s->by == IOT_STATS_BY_OBJECT || s->by == IOT_STATS_BY_FILE || row->name == NULL);
}

const char *stat_name(const struct stat_results *s, const struct iot_stats_row *row, size_t *size)
{
	if (s->by == IOT_STATS_BY_TRACE) {
		const char *input = s->inputs[row->trace > 0 ? row->trace - 1 : 0];
		*size = strlen(input);
		return input;
	}
	const char *path =
	    names_object(s, row) ? iot_reader_name(s->in.reader, row->object, size) : NULL;
	if (path)
		return path;
	*size = row->name_size;
	return row->name;
}

struct iot_text stat_first_name(const struct stat_results *s, const struct iot_stats_row *row)
{
	struct iot_text first = {NULL, 0}, last = {NULL, 0};
	if (s->in.reader == NULL && row->object != 0)
		return first_names_of(&s->first_names, row->trace, row->object);
	if (!names_object(s, row))
		return first;
	last.data = iot_reader_name(s->in.reader, row->object, &last.size);
	first.data = iot_reader_first_name(s->in.reader, row->object, &first.size);
	return last.data != NULL && !text_same(first, last) ? first : (struct iot_text){NULL, 0};
}

const struct iot_stats_row *stat_row_at(const struct stat_results *s, size_t i)
{
	return s->by != STAT_BY_OPERATION && i < s->top ? iot_stats_row(s->stats, i) : NULL;
}

const struct iot_stats_operation *stat_operation_at(const struct stat_results *s, size_t i)
{
	return s->by != STAT_BY_OPERATION || i < s->top ? iot_stats_operation(s->stats, i) : NULL;
}

uint64_t stat_class_floor(unsigned k)
{
	return k == 0 ? 0 : (uint64_t)1 << (k - 1);
}
