/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *     obdfilter.scratch-OST0000.job_stats=
 *     job_stats:
 *     - job_id:          1234.0.node1
 *       snapshot_time:   1764320400.123456789 secs.nsecs
 *       read_bytes:      { samples: 256, unit: bytes, min: 4096, max: 65536, sum: 1048576 }
 *
 * Ids end with their line: real ones contain any character. An entry that no process of its job
 * uses is removed after a while, and starts at 0 when it returns.
 */
#include <xxhash.h>

#include "lustre.h"

#include "lib/base/hash.h"

/* Places */

/* Finds the number of a text, or of a text at a place. */
static size_t number_of(struct sampling *s, struct idmap *in, uint64_t h, struct iot_text text)
{
	return idmap_number(in,
			    hash_mix(h, XXH3_64bits_withSeed(text.data, text.size, s->seed ^ h)));
}

static struct iot_text host_of(const struct sampling *s)
{
	return (struct iot_text){s->host, s->host_size};
}

bool lustre_jobs_begin(struct sampling *s)
{
	struct lustre *l = s->own;
	const struct iot_text target = {l->target, l->target_size};
	const size_t host = number_of(s, &l->places, 1, host_of(s));
	l->at = number_of(s, &l->places, host + 2, target);
	l->in_jobs = true;
	if (host == SIZE_MAX ||
	    !array_reserve_index(&l->place, &l->place_capacity, l->at, sizeof *l->place))
		return samples_no_memory(s);
	struct lustre_place *at = &l->place[l->at];
	if (at->blocks++ == 0)
		at->now_ns = SAMPLES_TIME_UNKNOWN;
	at->earlier_ns = at->now_ns;
	return true;
}

/* Returns the last block that had this entry in *seen, and that it is in this block. */
static bool note_entry(struct sampling *s, uint64_t *seen)
{
	struct lustre *l = s->own;
	const size_t i =
	    number_of(s, &l->entries, l->at + 1, (struct iot_text){l->job, l->job_size});
	if (i >= SAMPLES_KEYS_MAX && i != SIZE_MAX)
		return samples_fail(s, "more than %d jobs on targets", (int)SAMPLES_KEYS_MAX);
	if (!array_reserve_index(&l->seen, &l->seen_capacity, i, sizeof *l->seen))
		return samples_no_memory(s);
	*seen = l->seen[i];
	l->seen[i] = l->place[l->at].blocks;
	return true;
}

/* Ids */

/* Returns the end of a field: the character that follows its code in the format. */
static size_t field_size(struct iot_text id, size_t from, char stop)
{
	const char *end =
	    stop != '\0' && from < id.size ? memchr(id.data + from, stop, id.size - from) : NULL;
	return end != NULL ? (size_t)(end - id.data) - from : id.size - from;
}

/* Finds the job in an id. Returns false if the id does not have the format. */
static bool split_id(const char *format, struct iot_text id, struct iot_text *job)
{
	size_t at = 0;
	for (const char *f = format; *f != '\0'; f++) {
		if (*f != '%' || f[1] == '%') {
			f += *f == '%';
			if (at == id.size || id.data[at++] != *f)
				return false;
			continue;
		}
		f++;
		const size_t n = field_size(id, at, f[1]);
		if (n == 0)
			return false;
		if (*f == 'j')
			*job = (struct iot_text){id.data + at, n};
		at += n;
	}
	return at == id.size;
}

bool lustre_jobs_open(struct sampling *s)
{
	const char *format = source_setting(s->src, "jobid");
	bool has_job = format == NULL, wrong = false;
	for (const char *f = format; f != NULL && *f != '\0'; f++) {
		if (*f != '%')
			continue;
		f++;
		has_job |= *f == 'j';
		wrong |= *f == '\0' || strchr("juhHegp%", *f) == NULL || f[1] == '%';
		if (*f == '\0')
			break;
	}
	if (has_job && !wrong)
		return true;
	(void)source_setting_wrong(s->src, "jobid",
				   "%j and codes of Lustre with a character between them, such as "
				   "%j.%u");
	return false;
}

/* Entries */

static bool name_job(struct sampling *s, struct sample_point *p)
{
	struct lustre *l = s->own;
	const char *format = source_setting(s->src, "jobid");
	const struct iot_text id = {l->job, l->job_size};
	p->entry = id;
	if (id.size == 0)
		return true;
	if (format == NULL) {
		p->job = id;
		return true;
	}
	if (!split_id(format, id, &p->job))
		l->unmatched++;
	return true;
}

bool lustre_jobs_end_entry(struct sampling *s)
{
	struct lustre *l = s->own;
	struct sample_point p;
	uint64_t seen = 0;
	if (!l->block.open)
		return true;
	struct lustre_place *at = &l->place[l->at];
	l->block.open = false;
	if (s->stamp_ns != SAMPLES_TIME_UNKNOWN)
		l->block.time_ns = s->stamp_ns; /* entries state when they changed */
	if (l->block.time_ns == SAMPLES_TIME_UNKNOWN)
		return samples_unparsed(s);
	lustre_point(s, &l->block, l->kind, &p);
	p.target = (struct iot_text){l->target, l->target_size};
	if (!samples_has_host(s) || !note_entry(s, &seen) || !name_job(s, &p))
		return false;
	p.appears = seen + 1 < at->blocks || seen == 0;
	if (p.appears && p.since_ns == SAMPLES_TIME_UNKNOWN)
		p.since_ns = at->earlier_ns;
	if (p.time_ns > at->now_ns)
		at->now_ns = p.time_ns;
	return samples_count(s, &p);
}

static bool begin_entry(struct sampling *s, struct iot_text id)
{
	struct lustre *l = s->own;
	if (!lustre_jobs_end_entry(s))
		return false;
	id = text_trimmed(id);
	if (id.size >= 2 && (id.data[0] == '"' || id.data[0] == '\'') &&
	    id.data[id.size - 1] == id.data[0])
		id = (struct iot_text){id.data + 1, id.size - 2};
	if (id.size > sizeof l->job)
		return samples_unparsed(s);
	memcpy(l->job, id.data, id.size);
	l->job_size = id.size;
	lustre_begin_block(&l->block);
	return true;
}

/* Takes a part "KEY: VALUE" of a counter. */
static bool take_part(struct iot_text part, struct iot_text *unit, uint64_t *samples, uint64_t *sum,
		      bool *has_sum)
{
	const char *colon = part.size > 0 ? memchr(part.data, ':', part.size) : NULL;
	if (colon == NULL)
		return false;
	const size_t n = (size_t)(colon - part.data);
	const struct iot_text key = text_trimmed((struct iot_text){part.data, n});
	const struct iot_text value = text_trimmed((struct iot_text){colon + 1, part.size - n - 1});
	if (text_equals(key, "unit"))
		*unit = value;
	else if (text_equals(key, "samples"))
		return number_decimal(value.data, value.size, samples);
	else if (text_equals(key, "sum"))
		return *has_sum = number_decimal(value.data, value.size, sum);
	return true;
}

/* Takes "{ samples: N, unit: U, ... }". */
static bool take_counter(struct lustre *l, struct iot_text name, struct iot_text value)
{
	struct iot_text unit = {NULL, 0};
	uint64_t samples = UINT64_MAX, sum = 0;
	bool has_sum = false;
	if (value.size < 2 || value.data[0] != '{' || value.data[value.size - 1] != '}')
		return false;
	const char *at = value.data + 1, *end = value.data + value.size - 1;
	while (at < end) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const char *stop = comma != NULL ? comma : end;
		if (!take_part((struct iot_text){at, (size_t)(stop - at)}, &unit, &samples, &sum,
			       &has_sum))
			return false;
		at = stop + 1;
	}
	return samples != UINT64_MAX &&
	       lustre_counter(&l->block, name, unit, samples, has_sum, sum);
}

bool lustre_jobs_line(struct sampling *s, struct iot_text line)
{
	static const char title[] = "- job_id:";
	struct lustre *l = s->own;
	const struct iot_text text = text_trimmed(line);
	struct iot_text value, word;
	bool valid;
	if (text.size == 0 || text_equals(text, "job_stats:"))
		return true;
	if (text.size >= sizeof title - 1 && memcmp(text.data, title, sizeof title - 1) == 0)
		return begin_entry(s, (struct iot_text){text.data + sizeof title - 1,
							text.size - (sizeof title - 1)});
	const char *colon = memchr(text.data, ':', text.size);
	if (!l->block.open || colon == NULL)
		return samples_unparsed(s);
	const struct iot_text name = {text.data, (size_t)(colon - text.data)};
	value = text_trimmed((struct iot_text){colon + 1, text.size - name.size - 1});
	struct iot_text rest = value;
	if (word_next(&rest, &word) && lustre_time(&l->block, name, word, &valid))
		return valid || samples_unparsed(s);
	if (value.size == 0 || value.data[0] != '{')
		return true; /* a histogram, on lines of its own */
	return take_counter(l, name, value) || samples_unparsed(s);
}
