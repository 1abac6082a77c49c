/* SPDX-License-Identifier: BSD-2-Clause */
#include "samplescsv.h"

bool tabular_field(struct iot_text *rest, char delimiter, struct iot_text *field)
{
	if (rest->data == NULL)
		return false;
	const char *at = rest->data, *const end = at + rest->size;
	while (at < end && *at == ' ')
		at++;
	const char *quote =
	    at < end && *at == '"' ? memchr(at + 1, '"', (size_t)(end - at - 1)) : NULL;
	const char *from = quote != NULL ? quote : at;
	const char *stop = memchr(from, delimiter, (size_t)(end - from));
	*field =
	    quote != NULL
		? (struct iot_text){at + 1, (size_t)(quote - at - 1)}
		: text_trimmed((struct iot_text){at, (size_t)((stop != NULL ? stop : end) - at)});
	*rest = stop != NULL ? (struct iot_text){stop + 1, (size_t)(end - stop - 1)}
			     : (struct iot_text){NULL, 0};
	return true;
}

char tabular_delimiter(struct iot_text line)
{
	static const char candidates[] = {',', ';', '\t', '|'};
	for (size_t i = 0; i < sizeof candidates; i++)
		if (line.size > 0 && memchr(line.data, candidates[i], line.size) != NULL)
			return candidates[i];
	return ',';
}

/* Names and units */

static bool ends_in(struct iot_text text, const char *end)
{
	const size_t n = strlen(end);
	return text.size > n && memcmp(text.data + text.size - n, end, n) == 0;
}

static bool set_meaning(struct tabular_column *c, struct iot_text name)
{
	static const char *const names[] = {
	    [TABULAR_SKIP] = "-",    [TABULAR_TIME] = "time", [TABULAR_END] = "end",
	    [TABULAR_TOOK] = "took", [TABULAR_HOST] = "host", [TABULAR_TARGET] = "target",
	    [TABULAR_JOB] = "job"};
	for (unsigned i = TABULAR_SKIP; i < sizeof names / sizeof *names; i++) {
		c->meaning = (uint8_t)i;
		if (text_equals(name, names[i]))
			return true;
	}
	c->meaning = TABULAR_VALUE;
	c->per_second = ends_in(name, "-per-s");
	name.size -= c->per_second ? sizeof "-per-s" - 1 : 0;
	for (unsigned i = 0; i < SAMPLE_VALUES; i++) {
		c->value = (uint8_t)i;
		if (text_same(name, sample_names[i]))
			return true;
	}
	return false;
}

static bool is_time(const struct tabular_column *c)
{
	return c->meaning == TABULAR_TIME || c->meaning == TABULAR_END ||
	       c->meaning == TABULAR_TOOK ||
	       (c->meaning == TABULAR_VALUE && c->value >= SAMPLE_READ_NS);
}

static bool is_bytes(const struct tabular_column *c)
{
	return c->meaning == TABULAR_VALUE && c->value <= SAMPLE_WRITTEN_BYTES;
}

/* A unit without a text is 1, or seconds of a length of time. */
static bool set_unit(struct tabular_column *c, struct iot_text unit)
{
	static const struct {
		const char *name;
		uint64_t size;
		bool time;
	} units[] = {{"s", SAMPLES_NS_PER_S, true},
		     {"ms", 1000000, true},
		     {"us", 1000, true},
		     {"ns", 1, true},
		     {"B", 1, false},
		     {"kB", 1000, false},
		     {"KiB", 1024, false},
		     {"MB", 1000000, false},
		     {"MiB", 1048576, false},
		     {"GB", 1000000000, false},
		     {"GiB", 1 << 30, false},
		     {"sectors", 512, false}};
	c->unit = c->meaning == TABULAR_TOOK ? SAMPLES_NS_PER_S : 1;
	c->dated = unit.data == NULL;
	if (unit.data == NULL)
		return true;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		c->unit = units[i].size;
		if (text_equals(unit, units[i].name))
			return units[i].time ? is_time(c) : is_bytes(c);
	}
	return false;
}

/* NAME or NAME:UNIT */
static const char *set_column(struct tabular_column *c, struct iot_text text)
{
	const char *colon = text.size > 0 ? memchr(text.data, ':', text.size) : NULL;
	const struct iot_text name = {text.data,
				      colon != NULL ? (size_t)(colon - text.data) : text.size},
			      unit = {colon != NULL ? colon + 1 : NULL,
				      colon != NULL ? text.size - name.size - 1 : 0};
	if (!set_meaning(c, name))
		return "is not the name of a value";
	return set_unit(c, unit) ? NULL : "has a unit that is not known for it";
}

static const char *lacking(const struct tabular_layout *l)
{
	if (!tabular_has(l, TABULAR_TIME) && !tabular_has(l, TABULAR_END))
		return "no column is a time";
	return tabular_has(l, TABULAR_VALUE) ? NULL : "no column is a value, such as read-bytes";
}

const char *tabular_layout_set(struct tabular_layout *l, struct iot_text names, char delimiter,
			       struct iot_text *column)
{
	*l = (struct tabular_layout){.delimiter = ','};
	while (tabular_field(&names, delimiter, column)) {
		if (l->count == TABULAR_COLUMNS_MAX)
			return "is beyond the limit of 64 columns";
		const char *wrong = set_column(&l->column[l->count], *column);
		if (wrong != NULL)
			return wrong;
		l->has |= UINT32_C(1) << l->column[l->count++].meaning;
	}
	*column = (struct iot_text){NULL, 0};
	return lacking(l);
}
