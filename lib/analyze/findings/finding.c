/* SPDX-License-Identifier: BSD-2-Clause */
#include "finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/result/metrics.h"
#include "lib/result/names.h"

enum { PATH_SHOWN = 200 };

const char *const finding_verbs[2] = {"read", "write"};

/* Evidence */

bool max_rank_take(struct max_rank *m, struct table_rank rank, uint64_t amount)
{
	rank.first = amount;
	if (amount == 0 || (m->any && !table_precedes(&rank, &m->rank)))
		return false;
	m->rank = rank;
	m->any = true;
	return true;
}

const struct iot_analyze_value *finding_value(const struct findings_source *from,
					      const char *section, const char *name,
					      const char *key)
{
	return values_find(from->values, section, name, key);
}

bool finding_known(const struct findings_source *from, const char *section, const char *name,
		   const char *key, double *to)
{
	const struct iot_analyze_value *v = finding_value(from, section, name, key);
	if (v == NULL || (v->kind != IOT_VALUE_NUMBER && v->kind != IOT_VALUE_REAL))
		return false;
	*to = v->kind == IOT_VALUE_NUMBER ? (double)v->number : v->real;
	return true;
}

bool finding_known_of(const struct findings_source *from, const char *section, const char *name,
		      unsigned direction, const char *key, double *to)
{
	char whole[IOT_COLUMN_NAME];
	return finding_known(
	    from, section,
	    metric_direction_name(whole, name, direction == 0 ? IOT_READS : IOT_WRITES), key, to);
}

bool finding_asynchronous(const struct findings_source *from)
{
	double asynchronous;
	return finding_known(from, VALUE(totals, asynchronous_requests), NULL, &asynchronous) &&
	       asynchronous > 0;
}

/* Texts */

/* Returns the end of a path that fits; a percent-encoded byte is not cut. */
static struct iot_text shown_path(struct iot_text path)
{
	if (path.size <= PATH_SHOWN)
		return path;
	size_t from = path.size - PATH_SHOWN;
	for (size_t i = from; i > 0 && i + 3 > from; i--)
		if (path.data[i - 1] == '%' && i + 2 > from) {
			from = i + 2;
			break;
		}
	return (struct iot_text){path.data + from, path.size - from};
}

void finding_text(struct finding *f, const char *format, ...)
{
	const size_t used = strlen(f->sentence);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(f->sentence + used, sizeof f->sentence - used, format, arguments);
	va_end(arguments);
}

const char *finding_size(char text[FINDING_SIZE], double bytes)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	unsigned unit = 0;
	for (; bytes >= 1024 && unit < 6; unit++)
		bytes /= 1024;
	snprintf(text, FINDING_SIZE, "%.*f %s", unit > 0 && bytes < 100, bytes, units[unit]);
	return text;
}

/* Files without a name have their numbers. */
static void say_key(struct finding *f, const char *what, const struct file_key *key)
{
	if (key->object != 0)
		finding_text(f, "%sobject %ju", what, (uintmax_t)key->object);
	else
		finding_text(f, "%sfile %ju of process %ju", what, (uintmax_t)key->file,
			     (uintmax_t)key->process);
}

void finding_set_file(struct finding *f, const char *what, const struct max_rank *m)
{
	if (!m->any)
		return;
	f->has_file = true;
	f->file = m->rank;
	table_file_key(f->key, &m->rank.key);
	if (m->rank.name.data == NULL) {
		say_key(f, what, &m->rank.key);
		return;
	}
	const struct iot_text path = shown_path(m->rank.name);
	finding_text(f, "%s%s%.*s", what, path.size < m->rank.name.size ? "..." : "",
		     (int)path.size, path.data);
}

struct finding *finding_add(struct findings *f, const char *code, double value, double threshold)
{
	if (f->failed || !array_reserve(&f->list, &f->capacity, f->count + 1, sizeof *f->list)) {
		f->failed = true;
		return NULL;
	}
	struct finding *to = &f->list[f->count++];
	*to = (struct finding){
	    .code = code, .value = value, .threshold = threshold, .number = f->count};
	return to;
}

void finding_set_bytes(struct finding *f, uint64_t bytes)
{
	f->bytes = bytes;
	f->has_bytes = true;
}

void finding_set_count(struct finding *f, uint64_t count)
{
	f->count = count;
	f->has_count = true;
}

void finding_set_process(struct finding *f, uint32_t process)
{
	f->process = process;
	f->has_process = true;
}

/* Savings */

/* Less than this is trivial: a share of the run, and what it amounts to. */
#define TRIVIAL_SHARE 0.02
#define TRIVIAL_S     0.001
#define TRIVIAL_BYTES 65536.0

static void set_saves(struct finding *f, const struct run_cost *cost, double share, bool of_time)
{
	f->saves = share < 1 ? share : 1;
	f->saves_time = of_time;
	f->seconds = f->saves * cost->seconds;
	f->trivial = f->saves < TRIVIAL_SHARE || (of_time ? f->saves * cost->seconds < TRIVIAL_S
							  : f->saves * cost->bytes < TRIVIAL_BYTES);
}

void finding_set_share(struct finding *f, const struct run_cost *cost, double share)
{
	set_saves(f, cost, share, cost->timed);
}

void finding_set_seconds(struct finding *f, const struct run_cost *cost, double seconds)
{
	set_saves(f, cost, cost->seconds > 0 ? seconds / cost->seconds : 0, true);
}
