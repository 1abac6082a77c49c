/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of samples, a row each, such as exports of monitoring systems:
 *
 *     end,host,target,read-bytes:KiB,written-bytes-per-s
 *     2026-11-21T10:00:00Z,node1,scratch,4096,1024.5
 *
 * A first line of names, or the setting "columns", states what the columns are. The values are
 * increases in an interval, or with the setting "cumulative" counters.
 */
#include "samplescsv.h"

#include <stdio.h>

#include "lib/base/civil_time.h"
#include "lib/base/size.h"

enum { BITS = 150, COLUMN_TEXT = 80 };

struct samplescsv {
	struct tabular_layout layout;
	uint64_t interval_ns; /* of rows without a length; 0: not stated */
	bool is_cumulative, is_first, has_layout;
};

/* Settings */

/* Writes the name of a column that is wrong and a blank; nothing if no column is. */
static const char *quoted(char text[COLUMN_TEXT], struct iot_text column)
{
	text[0] = '\0';
	if (column.data != NULL)
		(void)snprintf(text, COLUMN_TEXT, "'%.*s' ",
			       column.size < 64 ? (int)column.size : 64, column.data);
	return text;
}

static bool set_columns(struct sampling *s)
{
	struct samplescsv *t = s->own;
	const char *list = source_setting(s->src, "columns");
	struct iot_text column;
	if (list == NULL)
		return true;
	const char *wrong =
	    tabular_layout_set(&t->layout, (struct iot_text){list, strlen(list)}, ',', &column);
	t->has_layout = wrong == NULL;
	if (wrong == NULL)
		return true;
	char text[COLUMN_TEXT];
	s->status = error_set(&s->src->error, IOT_EUSAGE, "%scolumns: %s%s", s->src->option_prefix,
			      quoted(text, column), wrong);
	return false;
}

static bool set_interval(struct sampling *s)
{
	struct samplescsv *t = s->own;
	const char *interval = source_setting(s->src, "interval");
	struct decimal seconds;
	if (interval == NULL)
		return true;
	const size_t n = strlen(interval), unit = n > 0 && interval[n - 1] == 's';
	if (decimal_parse((struct iot_text){interval, n - unit}, &seconds) &&
	    decimal_times(seconds, SAMPLES_NS_PER_S, &t->interval_ns) && t->interval_ns > 0)
		return true;
	(void)source_setting_wrong(s->src, "interval", "seconds, such as 60");
	return false;
}

static bool open_table(struct sampling *s)
{
	struct samplescsv *t = s->own;
	t->is_cumulative = source_setting(s->src, "cumulative") != NULL;
	return set_columns(s) && set_interval(s);
}

static bool begin(struct sampling *s)
{
	((struct samplescsv *)s->own)->is_first = true;
	return true;
}

/* Rows */

struct tabular_row {
	struct sample_point point;
	int64_t begin_ns, end_ns; /* SAMPLES_TIME_UNKNOWN: not in the row */
	uint64_t took_ns;
	struct decimal value[SAMPLE_VALUES];
	const struct tabular_column *column[SAMPLE_VALUES];
};

static bool take_time(const struct tabular_column *c, struct iot_text text, int64_t *ns)
{
	struct civil_time date;
	struct decimal d;
	uint64_t number;
	if (c->dated && civil_time_parse(text, &date)) {
		*ns = (civil_time_utc(&date) - date.east_s) * CIVIL_NS_PER_S + date.ns;
		return *ns >= 0 && *ns <= SAMPLES_TIME_MAX;
	}
	if (c->dated)
		return civil_seconds_parse(text, ns) && *ns <= SAMPLES_TIME_MAX;
	if (!decimal_parse(text, &d) || !decimal_times(d, c->unit, &number) ||
	    number > SAMPLES_TIME_MAX)
		return false;
	*ns = (int64_t)number;
	return true;
}

static bool take_field(struct tabular_row *r, const struct tabular_column *c, struct iot_text text)
{
	struct decimal took;
	switch (c->meaning) {
	case TABULAR_TIME:
		return take_time(c, text, &r->begin_ns);
	case TABULAR_END:
		return take_time(c, text, &r->end_ns);
	case TABULAR_TOOK:
		return decimal_parse(text, &took) && decimal_times(took, c->unit, &r->took_ns);
	case TABULAR_HOST:
		r->point.host = text;
		break;
	case TABULAR_TARGET:
		r->point.target = text;
		break;
	case TABULAR_JOB:
		r->point.job = text;
		break;
	case TABULAR_VALUE:
		r->column[c->value] = text.size > 0 ? c : NULL;
		return text.size == 0 || decimal_parse(text, &r->value[c->value]);
	default:
		break;
	}
	return text.size <= SAMPLES_TEXT_MAX;
}

static bool split(const struct tabular_layout *l, struct iot_text line, struct tabular_row *r)
{
	struct iot_text field;
	size_t i = 0;
	for (; tabular_field(&line, l->delimiter, &field); i++)
		if (i == l->count || !take_field(r, &l->column[i], field))
			return false;
	return i == l->count;
}

/* Rates become increases, and numbers get their unit. */
static bool scale(struct tabular_row *r)
{
	for (unsigned v = 0; v < SAMPLE_VALUES; v++) {
		const struct tabular_column *c = r->column[v];
		uint64_t value;
		if (c == NULL)
			continue;
		if (c->per_second ? !decimal_over(r->value[v], c->unit, r->took_ns, &value)
				  : !decimal_times(r->value[v], c->unit, &value))
			return false;
		sample_set(&r->point, (enum sample_value)v, value);
	}
	return true;
}

/* Completes the interval from two of its begin, end and length. */
static bool set_times(const struct samplescsv *t, struct tabular_row *r)
{
	int64_t *end = &r->point.time_ns;
	const bool begins = r->begin_ns != SAMPLES_TIME_UNKNOWN;
	if (t->is_cumulative) {
		*end = r->end_ns != SAMPLES_TIME_UNKNOWN ? r->end_ns : r->begin_ns;
		return true;
	}
	if (begins && r->end_ns != SAMPLES_TIME_UNKNOWN)
		r->took_ns = r->end_ns > r->begin_ns ? (uint64_t)(r->end_ns - r->begin_ns) : 0;
	else if (r->took_ns == 0)
		r->took_ns = t->interval_ns;
	if (r->took_ns == 0 || r->took_ns > SAMPLES_TIME_MAX)
		return false;
	*end = begins ? r->begin_ns + (int64_t)r->took_ns : r->end_ns;
	return *end <= SAMPLES_TIME_MAX && *end >= (int64_t)r->took_ns;
}

static bool take_row(struct sampling *s, struct iot_text line)
{
	const struct samplescsv *t = s->own;
	struct tabular_row r = {.point = {.target = {"all", 3}, .since_ns = SAMPLES_TIME_UNKNOWN},
				.begin_ns = SAMPLES_TIME_UNKNOWN,
				.end_ns = SAMPLES_TIME_UNKNOWN};
	if (!split(&t->layout, line, &r) || !set_times(t, &r) || !scale(&r))
		return samples_unparsed(s);
	if (r.point.job.size == 0)
		r.point.job = (struct iot_text){NULL, 0};
	if (r.point.host.size == 0 && !samples_has_host(s))
		return false;
	if (r.point.host.size == 0)
		r.point.host = (struct iot_text){s->host, s->host_size};
	return t->is_cumulative ? samples_count(s, &r.point)
				: samples_increase(s, &r.point, r.took_ns);
}

/* Returns whether the meaning of the columns is enough for rows; otherwise fails. */
static bool suffices(struct sampling *s)
{
	const struct samplescsv *t = s->own;
	const struct tabular_layout *l = &t->layout;
	const bool both = tabular_has(l, TABULAR_TIME) && tabular_has(l, TABULAR_END);
	if (t->is_cumulative || both || tabular_has(l, TABULAR_TOOK) || t->interval_ns > 0)
		return true;
	return samples_fail(s,
			    "no column \"took\": expected one, or %sinterval=SECONDS; "
			    "%scumulative if the values are counters",
			    s->src->option_prefix, s->src->option_prefix);
}

/* The first line has names, or with the setting "columns" it may be a row. */
static bool first_line(struct sampling *s, struct iot_text line)
{
	struct samplescsv *t = s->own;
	struct tabular_layout named;
	struct iot_text column;
	char text[COLUMN_TEXT];
	const char delimiter = tabular_delimiter(line);
	const char *wrong = tabular_layout_set(&named, line, delimiter, &column);
	if (!t->has_layout && wrong != NULL)
		return samples_fail(s,
				    "%s%s; expected names such as time, host, target, read-bytes, "
				    "or %scolumns",
				    quoted(text, column), wrong, s->src->option_prefix);
	if (!t->has_layout)
		t->layout = named;
	t->layout.delimiter = delimiter;
	if (!suffices(s))
		return false;
	return wrong == NULL || take_row(s, line);
}

static bool line(struct sampling *s, struct iot_text text)
{
	struct samplescsv *t = s->own;
	const bool is_first = t->is_first;
	if (text.size == 0)
		return true;
	t->is_first = false;
	return is_first ? first_line(s, text) : take_row(s, text);
}

/* Interface */

static int line_bits(struct iot_text text)
{
	struct tabular_layout l;
	struct iot_text column;
	return tabular_layout_set(&l, text, tabular_delimiter(text), &column) == NULL ? BITS : 0;
}

static int sniff(struct input *in)
{
	size_t size;
	const char *head = input_head(in, 0, &size),
		   *lf = size > 0 ? memchr(head, '\n', size) : NULL;
	if (lf == NULL)
		return 0;
	const bool has_cr = lf > head && lf[-1] == '\r';
	return line_bits((struct iot_text){head, (size_t)(lf - head) - has_cr});
}

static const struct samples_format format = {.state_size = sizeof(struct samplescsv),
					     .tick_ns = 1,
					     .open = open_table,
					     .begin = begin,
					     .line = line};

static int open_source(struct source_state *src)
{
	return samples_open(src, &format);
}

static const struct iot_format_option options[] = {
    {"columns", "LIST",
     "what the columns are: names with units, such as end:s,host,target,read-bytes:KiB,writes"},
    {"cumulative", NULL, "the values are counters, not increases"},
    {"interval", "SECONDS", "the length of the interval of a row without one"},
    {"host", "NAME", "the host of a table without hosts"},
    SAMPLES_OPTIONS,
    {NULL, NULL, NULL},
};

const struct converter converter_samplescsv = {
    .name = "samples-csv",
    .summary = "tables of system counters, such as exports of monitoring systems",
    .options = options,
    .sniff = sniff,
    .open = open_source,
    .next = samples_next,
    .close = samples_close,
};
