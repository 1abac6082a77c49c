/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *     llite.scratch-ffff8a01c1a5f000.stats=
 *     snapshot_time             1764320400.123456789 secs.nsecs
 *     read_bytes                100 samples [bytes] 4096 1048576 10485760
 *     open                      12 samples [reqs]
 *
 * A block begins with the name of a parameter. The counters after it are the number of samples, and
 * with a unit other than [reqs] their minimum, maximum and sum. The text does not name its host.
 */
#include "lustre.h"

#include <stdlib.h>

enum { BITS = 150 };

/* Parameters */

static bool starts(struct iot_text text, const char *with)
{
	const size_t n = strlen(with);
	return text.size >= n && memcmp(text.data, with, n) == 0;
}

static bool ends(struct iot_text text, const char *with)
{
	const size_t n = strlen(with);
	return text.size >= n && memcmp(text.data + text.size - n, with, n) == 0;
}

/* Returns the name of a parameter with its '='; empty if the line does not begin with one. */
static struct iot_text parameter(struct iot_text line)
{
	const char *equals = line.size > 0 ? memchr(line.data, '=', line.size) : NULL;
	const size_t n = equals != NULL ? (size_t)(equals - line.data) + 1 : 0;
	const bool named = n > 0 && memchr(line.data, '.', n) != NULL &&
			   memchr(line.data, ' ', n) == NULL && memchr(line.data, ':', n) == NULL;
	return (struct iot_text){line.data, named ? n : 0};
}

static enum lustre_kind kind_of(struct iot_text name)
{
	if (starts(name, "llite.") && ends(name, ".stats="))
		return LUSTRE_CLIENT;
	if ((starts(name, "osc.") || starts(name, "obdfilter.")) &&
	    (ends(name, ".stats=") || ends(name, ".job_stats=")))
		return LUSTRE_STORAGE;
	if (starts(name, "mdt.") && (ends(name, ".md_stats=") || ends(name, ".job_stats=")))
		return LUSTRE_METADATA;
	return LUSTRE_OTHER;
}

/* Returns the size of "scratch-OST0001" in "scratch-OST0001-osc-ffff8a01c1a5f000". */
static size_t device_size(const char *text, size_t size)
{
	const char *dash = size > 0 ? memchr(text, '-', size) : NULL;
	const size_t from = dash != NULL ? (size_t)(dash - text) + 1 : size;
	const char *next = from < size ? memchr(text + from, '-', size - from) : NULL;
	return next != NULL ? (size_t)(next - text) : size;
}

/* Takes the target, and of a client what differs from mount to mount. */
static bool take_instance(struct lustre *l, struct iot_text name)
{
	const char *from = memchr(name.data, '.', name.size);
	const char *to = name.data + name.size;
	while (to > name.data && to[-1] != '.')
		to--;
	if (from == NULL || to - from < 3 || to - from > SAMPLES_TEXT_MAX)
		return false;
	const size_t size = (size_t)(to - from) - 2;
	const char *text = from + 1;
	size_t target = device_size(text, size);
	if (l->kind == LUSTRE_CLIENT) {
		const char *dash = memrchr(text, '-', size);
		target = dash != NULL ? (size_t)(dash - text) : size;
	}
	memcpy(l->target, text, target);
	memcpy(l->mount, text, size);
	l->target_size = target;
	l->mount_size = size;
	return target > 0;
}

static bool end_block(struct sampling *s)
{
	const struct lustre *l = s->own;
	return l->in_jobs ? lustre_jobs_end_entry(s) : lustre_end_block(s);
}

static bool take_parameter(struct sampling *s, struct iot_text name)
{
	struct lustre *l = s->own;
	if (!end_block(s))
		return false;
	l->kind = kind_of(name);
	l->in_jobs = false;
	if (l->kind == LUSTRE_OTHER) {
		l->skipped++;
		return true;
	}
	if (!take_instance(l, name)) {
		l->kind = LUSTRE_OTHER;
		return samples_unparsed(s);
	}
	if (ends(name, ".job_stats="))
		return lustre_jobs_begin(s);
	lustre_begin_block(&l->block);
	return true;
}

/* Lines */

static bool take_counter(struct sampling *s, struct iot_text name, struct iot_text rest)
{
	struct lustre *l = s->own;
	struct iot_text word, unit = {NULL, 0};
	uint64_t samples, sum = 0;
	bool has_sum = false;
	if (!word_next(&rest, &word) || !number_decimal(word.data, word.size, &samples) ||
	    !word_next(&rest, &word) || !text_equals(word, "samples"))
		return samples_unparsed(s);
	if (word_next(&rest, &word) && word.size > 2 && word.data[0] == '[')
		unit = (struct iot_text){word.data + 1, word.size - 2};
	for (int i = 0; i < 3 && word_next(&rest, &word); i++) {
		has_sum = i == 2;
		if (has_sum && !number_decimal(word.data, word.size, &sum))
			return samples_unparsed(s);
	}
	return lustre_counter(&l->block, name, unit, samples, has_sum, sum) || samples_unparsed(s);
}

static bool take_stats(struct sampling *s, struct iot_text line)
{
	struct lustre *l = s->own;
	struct iot_text rest = line, name, value, values;
	bool valid;
	if (!word_next(&rest, &name))
		return true;
	values = rest;
	if (!word_next(&rest, &value))
		return samples_unparsed(s);
	if (lustre_time(&l->block, name, value, &valid))
		return valid || samples_unparsed(s);
	return take_counter(s, name, values);
}

static bool line(struct sampling *s, struct iot_text text)
{
	struct lustre *l = s->own;
	const struct iot_text name = parameter(text);
	if (starts(text, "time ") || starts(text, "host ")) {
		if (!end_block(s) || !lustre_end_sum(s))
			return false;
		l->kind = LUSTRE_NONE;
		return samples_stamp(s, text) || samples_unparsed(s);
	}
	if (name.size > 0)
		return take_parameter(s, name);
	if (l->kind == LUSTRE_OTHER || text.size == 0)
		return true;
	if (l->kind == LUSTRE_NONE)
		return samples_unparsed(s);
	return l->in_jobs ? lustre_jobs_line(s, text) : take_stats(s, text);
}

/* Members */

static bool end(struct sampling *s)
{
	struct lustre *l = s->own;
	if (s->is_cut) /* the counters that are missing are not 0 */
		l->block.open = false;
	const bool ok = end_block(s) && lustre_end_sum(s);
	l->kind = LUSTRE_NONE;
	l->in_jobs = false;
	if (l->skipped > 0)
		report_add(&s->src->report, "skipped.parameters", l->skipped);
	if (l->unmatched > 0)
		report_add(&s->src->report, "jobid.unmatched", l->unmatched);
	l->skipped = l->unmatched = 0;
	return ok;
}

static void close_state(struct sampling *s)
{
	struct lustre *l = s->own;
	idmap_free(&l->places);
	idmap_free(&l->entries);
	free(l->place);
	free(l->seen);
}

/* Interface */

static int line_bits(struct iot_text text)
{
	const struct iot_text name = parameter(text);
	return name.size > 0 && kind_of(name) != LUSTRE_OTHER ? BITS : 0;
}

static int sniff(struct input *in)
{
	return samples_sniff(in, line_bits);
}

static const struct samples_format format = {.state_size = sizeof(struct lustre),
					     .tick_ns = 1,
					     .open = lustre_jobs_open,
					     .end = end,
					     .line = line,
					     .close = close_state};

static int open_source(struct source_state *src)
{
	return samples_open(src, &format);
}

static const struct iot_format_option options[] = {
    {"host", "NAME", "the host of a text that does not name it"},
    {"jobid", "FORMAT", "what ids of job_stats have, with %j for the job, such as %j.%u"},
    SAMPLES_OPTIONS,
    {NULL, NULL, NULL},
};

const struct converter converter_lustre = {
    .name = "lustre",
    .summary = "counters of Lustre: lctl get_param of stats, md_stats, job_stats",
    .options = options,
    .sniff = sniff,
    .open = open_source,
    .next = samples_next,
    .close = samples_close,
};
