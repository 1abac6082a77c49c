/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of samples of counters, by host, target or job. */
#include "lib/stats/stats_internal.h"

#include <stdlib.h>
#include <xxhash.h>

#include "lib/format/sample.h"

static_assert(IOT_STATS_HAS_READ_BYTES << SAMPLE_WRITTEN_BYTES == IOT_STATS_HAS_WRITTEN_BYTES &&
		  IOT_STATS_HAS_READ_BYTES << SAMPLE_READS == IOT_STATS_HAS_READS &&
		  IOT_STATS_HAS_READ_BYTES << SAMPLE_WRITES == IOT_STATS_HAS_WRITES,
	      "the bits of known values are in the order of the values");

/* The key of a group, which differs from all numbers of processes and objects. */
static uint64_t key_of(struct iot_text name)
{
	return UINT64_C(1) << 63 | (name.data != NULL ? XXH3_64bits(name.data, name.size) : 0);
}

uint32_t stats_sample_row(struct iot_stats *s, const struct stats_row *more)
{
	const uint32_t number = stats_group_row(
	    s, key_of((struct iot_text){more->values.name, more->values.name_size}));
	if (number > 0)
		s->rows[number - 1].values.has |= IOT_STATS_SAMPLED;
	return number;
}

/* Names that are not shown are one row. */
static struct stats_row *row_of(struct iot_stats *s, struct iot_text encoded)
{
	struct stats_row named = {.values = {.name = NULL}};
	if (encoded.data != NULL)
		stats_row_name_encoded(s, &named, encoded);
	const uint32_t number = s->failed ? 0 : stats_sample_row(s, &named);
	struct stats_row *row = number > 0 ? &s->rows[number - 1] : NULL;
	if (row != NULL && row->values.name == NULL) {
		row->values.name = named.values.name;
		row->values.name_size = named.values.name_size;
	} else {
		stats_row_drop_name(s, &named);
	}
	return row;
}

static struct iot_text group_of(const struct iot_stats *s, const struct sample *sample)
{
	return s->options.by == IOT_STATS_BY_TARGET ? sample->target
	       : s->options.by == IOT_STATS_BY_JOB  ? sample->job
						    : sample->host;
}

void stats_count_sample(struct iot_stats *s, const struct iot_event *ev)
{
	struct sample sample;
	s->samples++;
	if ((!by_samples(s) && s->options.by != IOT_STATS_BY_HOST) || !sample_of(ev, &sample))
		return;
	struct stats_row *row = row_of(s, group_of(s, &sample));
	if (row == NULL)
		return;
	struct iot_stats_row *f = &row->values;
	const unsigned values = (1U << (SAMPLE_WRITES + 1)) - 1;
	f->samples++;
	f->has |= (sample.known & values) * (unsigned)IOT_STATS_HAS_READ_BYTES;
	f->has |= (sample.known & 1U << SAMPLE_OPENS) != 0 ? (unsigned)IOT_STATS_HAS_OPENS : 0U;
	f->read_bytes += sample.value[SAMPLE_READ_BYTES];
	f->written_bytes += sample.value[SAMPLE_WRITTEN_BYTES];
	f->reads += sample.value[SAMPLE_READS];
	f->writes += sample.value[SAMPLE_WRITES];
	f->opens += sample.value[SAMPLE_OPENS];
}

static bool has_ios(const struct iot_stats *s)
{
	for (size_t i = 0; i < s->row_count; i++)
		if (!is_sampled(&s->rows[i]) &&
		    s->rows[i].values.reads + s->rows[i].values.writes > 0)
			return true;
	return false;
}

void stats_choose_samples(struct iot_stats *s)
{
	size_t kept = 0;
	if (!has_ios(s))
		return;
	for (size_t i = 0; i < s->row_count; i++) {
		if (is_sampled(&s->rows[i]))
			stats_row_drop_name(s, &s->rows[i]);
		else
			s->rows[kept++] = s->rows[i];
	}
	s->row_count = kept;
}
