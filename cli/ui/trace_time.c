/* SPDX-License-Identifier: BSD-2-Clause */
/* Decimal fractions are exact to a nanosecond (or billionth): no floating point. */
#include "trace_time.h"

#include <string.h>
#include <time.h>

enum { NS_PER_S = 1000000000, BILLION = 1000000000 };

#define DAY_S INT64_C(86400)

static const char what_times_are[] =
    "a time: 90s, 1.5h, 250ms, 50%, 07:40:14, 2026-11-21T10:00:00 or @1700000000";

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Scans a number with at most one '.'; returns its end, or NULL if it has no digits. */
static const char *after_number(const char *p)
{
	const char *from = p;
	bool any = false;
	for (; is_digit(*p) || (*p == '.' && memchr(from, '.', (size_t)(p - from)) == NULL); p++)
		any |= is_digit(*p);
	return any ? p : NULL;
}

/* The digits at p, up to a '.', times unit. */
static bool whole_units(const char *p, uint64_t unit, uint64_t *value)
{
	*value = 0;
	for (; is_digit(*p); p++)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(*p - '0'), value))
			return false;
	return !__builtin_mul_overflow(*value, unit, value);
}

/* The digits after the '.' at p, as a fraction of unit; truncated. */
static uint64_t part_of_unit(const char *p, uint64_t unit)
{
	uint64_t part = 0;
	for (p++; is_digit(*p); p++) {
		unit /= 10;
		part += unit * (uint64_t)(*p - '0');
	}
	return part;
}

static bool scaled(const char *p, uint64_t unit, uint64_t *value)
{
	const char *point = p + strspn(p, "0123456789");
	const uint64_t part = *point == '.' ? part_of_unit(point, unit) : 0;
	return whole_units(p, unit, value) && !__builtin_add_overflow(*value, part, value) &&
	       *value <= INT64_MAX;
}

static uint64_t unit_of(const char *name)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
	    {"ns", 1},
	    {"us", 1000},
	    {"ms", 1000000},
	    {"s", NS_PER_S},
	    {"", NS_PER_S},
	    {"m", (uint64_t)60 * NS_PER_S},
	    {"min", (uint64_t)60 * NS_PER_S},
	    {"h", (uint64_t)3600 * NS_PER_S},
	    {"d", (uint64_t)86400 * NS_PER_S},
	};
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(units[i].name, name) == 0)
			return units[i].ns;
	return 0;
}

/* "Z", "+01:00" or "-0100": seconds east of Greenwich. */
static bool parse_zone(const char *zone, int64_t *east)
{
	struct tm offset = {0};
	*east = 0;
	if (strcmp(zone, "Z") == 0 || strcmp(zone, "z") == 0)
		return true;
	if (zone[0] != '+' && zone[0] != '-')
		return false;
	const char *end = strptime(zone + 1, "%H:%M", &offset);
	if (end == NULL)
		end = strptime(zone + 1, "%H%M", &offset);
	if (end == NULL || *end != '\0')
		return false;
	*east = offset.tm_hour * 3600 + offset.tm_min * 60;
	*east = zone[0] == '+' ? *east : -*east;
	return true;
}

/* Seconds since 1970 from the fields of a calendar; followed by "", "Z" or "+01:00". */
static bool calendar_seconds(struct tm *tm, const char *zone, int64_t *seconds)
{
	int64_t east;
	if (zone[0] == '\0') {
		tm->tm_isdst = -1;
		*seconds = mktime(tm);
		return *seconds >= 0;
	}
	if (!parse_zone(zone, &east))
		return false;
	*seconds = timegm(tm) - east;
	return *seconds >= 0;
}

static bool parse_calendar(const char *text, uint64_t *ns)
{
	static const char *const forms[] = {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S",
					    "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"};
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct tm tm = {0};
		uint64_t fraction = 0;
		int64_t seconds;
		const char *end = strptime(text, forms[i], &tm);
		if (end == NULL)
			continue;
		if (*end == '.') {
			const char *digits = end;
			end = after_number(end);
			if (end == NULL)
				return false;
			fraction = part_of_unit(digits, NS_PER_S);
		}
		if (!calendar_seconds(&tm, end, &seconds))
			continue;
		return !__builtin_mul_overflow((uint64_t)seconds, (uint64_t)NS_PER_S, ns) &&
		       !__builtin_add_overflow(*ns, fraction, ns);
	}
	return false;
}

/* "07:40:14.5", "7:40", and a zone. */
static bool parse_time_of_day(const char *text, struct trace_time *time)
{
	struct tm tm = {0};
	uint64_t fraction = 0;
	time->unit_ns = NS_PER_S;
	const char *end = strptime(text, "%H:%M:%S", &tm);
	if (end == NULL) {
		end = strptime(text, "%H:%M", &tm);
		time->unit_ns = (uint64_t)60 * NS_PER_S;
	} else if (*end == '.') {
		const char *digits = end;
		end = after_number(end);
		fraction = end != NULL ? part_of_unit(digits, NS_PER_S) : 0;
		time->unit_ns = 1;
	}
	if (end == NULL)
		return false;
	time->kind = TIME_OF_DAY;
	time->zoned = *end != '\0';
	time->value =
	    (uint64_t)(tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec) * NS_PER_S + fraction;
	return !time->zoned || parse_zone(end, &time->east_s);
}

const char *trace_time_parse(const char *text, struct trace_time *time)
{
	const char *end = after_number(text[0] == '@' ? text + 1 : text);
	bool fine;
	if (text[0] == '@') {
		time->kind = TIME_WALL;
		fine = end != NULL && *end == '\0' && scaled(text + 1, NS_PER_S, &time->value);
	} else if (end != NULL && strcmp(end, "%") == 0) {
		time->kind = TIME_SHARE;
		fine = scaled(text, BILLION / 100, &time->value) && time->value <= BILLION;
	} else if (end != NULL && unit_of(end) != 0) {
		time->kind = TIME_SINCE_ZERO;
		fine = scaled(text, unit_of(end), &time->value);
	} else if (parse_time_of_day(text, time)) {
		fine = true;
	} else {
		time->kind = TIME_WALL;
		fine = parse_calendar(text, &time->value);
	}
	return fine ? NULL : what_times_are;
}

static int64_t share_of(uint64_t span, uint64_t billionths)
{
	return (int64_t)(span / BILLION * billionths + span % BILLION * billionths / BILLION);
}

/* Nanoseconds since 1970 of this time on the day of `at_s`, plus `days`. */
static int64_t on_day(const struct trace_time *time, int64_t at_s, int days)
{
	const int64_t day_s = (int64_t)(time->value / NS_PER_S);
	int64_t seconds;
	if (time->zoned) {
		const int64_t local_s = at_s + time->east_s;
		const int64_t into_day = (local_s % DAY_S + DAY_S) % DAY_S;
		seconds = at_s - into_day + days * DAY_S + day_s;
	} else {
		const time_t at = (time_t)at_s;
		struct tm tm;
		if (localtime_r(&at, &tm) == NULL)
			return INT64_MAX;
		tm.tm_hour = (int)(day_s / 3600);
		tm.tm_min = (int)(day_s / 60 % 60);
		tm.tm_sec = (int)(day_s % 60);
		tm.tm_mday += days;
		tm.tm_isdst = -1;
		seconds = mktime(&tm);
	}
	return seconds * NS_PER_S + (int64_t)(time->value % NS_PER_S);
}

static const char *resolve_time_of_day(const struct trace_time *time,
				       const struct trace_time_span *span, int64_t *ns)
{
	const int64_t max = INT64_MAX - 3 * DAY_S * NS_PER_S;
	int64_t after_ns, found_ns;
	if (span->epoch_ns > (uint64_t)max ||
	    __builtin_add_overflow((int64_t)span->epoch_ns, span->after_ns, &after_ns) ||
	    after_ns > max)
		return "the times of the trace lie beyond the year 2262";
	after_ns -= after_ns % (int64_t)time->unit_ns;
	int days = -1;
	do {
		found_ns = on_day(time, after_ns / NS_PER_S, days);
	} while (found_ns < after_ns && ++days < 3);
	found_ns -= (int64_t)span->epoch_ns;
	*ns = found_ns > 0 ? found_ns : 0;
	return NULL;
}

static const char no_epoch[] = "the trace states no epoch, so wall clock times are unknown";

const char *trace_time_resolve(const struct trace_time *time, const struct trace_time_span *span,
			       int64_t *ns)
{
	switch (time->kind) {
	case TIME_SHARE:
		*ns = span->first_ns;
		if (span->last_ns > span->first_ns)
			*ns += share_of((uint64_t)(span->last_ns - span->first_ns), time->value);
		if (time->value == BILLION && *ns < INT64_MAX)
			*ns = (span->last_ns > *ns ? span->last_ns : *ns) + 1;
		return NULL;
	case TIME_WALL:
		if (!span->has_epoch)
			return no_epoch;
		*ns = 0;
		if (time->value > span->epoch_ns)
			*ns = time->value - span->epoch_ns <= INT64_MAX
				  ? (int64_t)(time->value - span->epoch_ns)
				  : INT64_MAX;
		return NULL;
	case TIME_OF_DAY:
		return span->has_epoch ? resolve_time_of_day(time, span, ns) : no_epoch;
	default:
		*ns = (int64_t)time->value;
		return NULL;
	}
}

const char *option_duration(const struct option *opt, const char *value)
{
	struct trace_time time;
	if (trace_time_parse(value, &time) != NULL || time.kind != TIME_SINCE_ZERO ||
	    time.value == 0)
		return "a length of time, such as 100ms, 30s or 1h";
	*(uint64_t *)opt->target = time.value;
	return NULL;
}
