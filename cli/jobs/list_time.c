/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/number.h"

#include "list_reader.h"

enum { NS_PER_S = 1000000000, S_PER_DAY = 86400 };
static const int64_t seconds_max = INT64_MAX / NS_PER_S - 2 * S_PER_DAY;

struct civil {
	uint64_t year, month, day, hour, minute, second;
	int64_t ns;
};

/* Parses a number of up to `digits` digits that a character follows; 0: none. */
static bool part(const char **at, const char *end, unsigned digits, char after, uint64_t *value)
{
	const char *begin = *at;
	if (!number_scan(at, end, 10, value) || *at - begin > (ptrdiff_t)digits)
		return false;
	return after == '\0' || (*at < end && *(*at)++ == after);
}

static bool is_valid(const struct civil *c)
{
	return c->month >= 1 && c->month <= 12 && c->day >= 1 && c->day <= 31 && c->hour <= 24 &&
	       c->minute <= 59 && c->second <= 60 && c->year >= 1970 && c->year <= 2200;
}

static bool parse_date(const char **at, const char *end, struct civil *c)
{
	const char *iso = *at;
	if (part(&iso, end, 4, '-', &c->year) && part(&iso, end, 2, '-', &c->month) &&
	    part(&iso, end, 2, '\0', &c->day)) {
		*at = iso;
		return true;
	}
	return part(at, end, 2, '/', &c->month) && part(at, end, 2, '/', &c->day) &&
	       part(at, end, 4, '\0', &c->year);
}

/* Parses the digits of a fraction of a second, of which the first nine count. */
static int64_t parse_fraction(const char **at, const char *end)
{
	int64_t ns = 0, unit = NS_PER_S / 10;
	for (; *at < end && **at >= '0' && **at <= '9'; (*at)++, unit /= 10)
		ns += (**at - '0') * unit;
	return ns;
}

static bool parse_clock(const char **at, const char *end, struct civil *c)
{
	if (!part(at, end, 2, ':', &c->hour) || !part(at, end, 2, '\0', &c->minute))
		return false;
	if (*at < end && **at == ':') {
		(*at)++;
		if (!part(at, end, 2, '\0', &c->second))
			return false;
	}
	if (*at < end && **at == '.') {
		(*at)++;
		c->ns = parse_fraction(at, end);
	}
	return true;
}

/* Days since 1970 of a date of the Gregorian calendar. */
static int64_t days_of(const struct civil *c)
{
	const int64_t y = (int64_t)c->year - (c->month <= 2), m = (int64_t)c->month;
	const int64_t in_year = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + (int64_t)c->day - 1;
	return 365 * y + y / 4 - y / 100 + y / 400 + in_year - 719468;
}

static int64_t utc_of(const struct civil *c)
{
	return days_of(c) * S_PER_DAY + (int64_t)(c->hour * 3600 + c->minute * 60 + c->second);
}

/* Parses Z, +02:00 or -0530. Returns false if another text follows the time. */
static bool parse_zone(const char *at, const char *end, int64_t *east_s)
{
	uint64_t hours, minutes;
	*east_s = 0;
	if (end - at == 1 && *at == 'Z')
		return true;
	if (end - at < 5 || (*at != '+' && *at != '-'))
		return false;
	const char *h = at + 1, *m = end - 2;
	if (!number_decimal(h, 2, &hours) || !number_decimal(m, 2, &minutes) ||
	    (end - at != 5 && !(end - at == 6 && at[3] == ':')))
		return false;
	*east_s = (*at == '-' ? -1 : 1) * (int64_t)(hours * 3600 + minutes * 60);
	return true;
}

/* Sets the time zone of the process to the zone of the option while a list is read. */
static int64_t local_of(const struct civil *c)
{
	struct tm tm = {.tm_year = (int)c->year - 1900,
			.tm_mon = (int)c->month - 1,
			.tm_mday = (int)c->day,
			.tm_hour = (int)c->hour,
			.tm_min = (int)c->minute,
			.tm_sec = (int)c->second,
			.tm_isdst = -1};
	return (int64_t)mktime(&tm);
}

static enum list_time parse_civil(struct list_reader *r, struct iot_text text, int64_t *ns)
{
	const char *at = text.data, *end = at + text.size;
	struct civil c = {.hour = 0};
	int64_t east_s = 0, s;
	if (!parse_date(&at, end, &c))
		return LIST_TIME_WRONG;
	if (at < end && (*at == 'T' || *at == ' ')) {
		at++;
		if (!parse_clock(&at, end, &c))
			return LIST_TIME_WRONG;
	}
	if (!is_valid(&c) || (at < end && !parse_zone(at, end, &east_s)))
		return LIST_TIME_WRONG;
	if (at < end || r->options->zone == NULL) {
		s = utc_of(&c) - east_s;
		r->list->assumes_utc |= at == end;
	} else
		s = local_of(&c);
	*ns = s * NS_PER_S + c.ns;
	return s < 0 ? LIST_TIME_WRONG : LIST_TIME_KNOWN;
}

static bool is_none(struct iot_text text)
{
	static const char *const words[] = {"Unknown", "None", "N/A", "-", "0"};
	bool none = text.size == 0;
	for (size_t i = 0; i < sizeof words / sizeof words[0] && !none; i++)
		none = text_equals(text, words[i]);
	return none;
}

enum list_time list_time_parse(struct list_reader *r, struct iot_text text, int64_t *ns)
{
	const char *at = text.data, *end = at + text.size;
	uint64_t s;
	*ns = JOB_TIME_UNKNOWN;
	if (is_none(text))
		return LIST_TIME_NONE;
	if (!number_scan(&at, end, 10, &s) || (at < end && *at != '.'))
		return parse_civil(r, text, ns);
	int64_t fraction = 0;
	if (at < end) {
		at++;
		fraction = parse_fraction(&at, end);
	}
	if (at < end || s > (uint64_t)seconds_max)
		return LIST_TIME_WRONG;
	*ns = (int64_t)s * NS_PER_S + fraction;
	return LIST_TIME_KNOWN;
}

bool list_zone_exists(const char *zone)
{
	char path[512];
	const char *directory = getenv("TZDIR");
	if (directory == NULL)
		directory = "/usr/share/zoneinfo";
	snprintf(path, sizeof path, "%s/%s", directory, zone);
	return strcmp(zone, "UTC") == 0 ||
	       (zone[0] != '/' && strstr(zone, "..") == NULL && access(path, R_OK) == 0);
}
