/* SPDX-License-Identifier: BSD-2-Clause */
#include "civil_time.h"

#include <string.h>

#include "number.h"

/* Parses a number of up to `digits` digits that a character follows; 0: none. */
static bool part(const char **at, const char *end, unsigned digits, char after, uint64_t *value)
{
	const char *begin = *at;
	if (!number_scan(at, end, 10, value) || *at - begin > (ptrdiff_t)digits)
		return false;
	return after == '\0' || (*at < end && *(*at)++ == after);
}

static bool is_valid(const struct civil_time *c)
{
	return c->month >= 1 && c->month <= 12 && c->day >= 1 && c->day <= 31 && c->hour <= 24 &&
	       c->minute <= 59 && c->second <= 60 && c->year >= 1970 && c->year <= 2200;
}

static bool parse_date(const char **at, const char *end, struct civil_time *c)
{
	const char *iso = *at;
	if (part(&iso, end, 4, '-', &c->year) && part(&iso, end, 2, '-', &c->month) &&
	    part(&iso, end, 2, '\0', &c->day)) {
		*at = iso;
		return true;
	}
	if (!part(at, end, 2, '/', &c->month) || !part(at, end, 2, '/', &c->day) ||
	    !part(at, end, 4, '\0', &c->year))
		return false;
	c->year += c->year < 100 ? 2000 : 0;
	return true;
}

/* Parses the digits of a fraction of a second, of which the first nine count. */
static int64_t parse_fraction(const char **at, const char *end)
{
	int64_t ns = 0, unit = CIVIL_NS_PER_S / 10;
	for (; *at < end && **at >= '0' && **at <= '9'; (*at)++, unit /= 10)
		ns += (**at - '0') * unit;
	return ns;
}

/* Applies AM or PM, which may follow the clock of twelve hours. */
static bool parse_half(const char **at, const char *end, struct civil_time *c)
{
	const char *half = *at + (*at < end && **at == ' ');
	if (end - half < 2 || half[1] != 'M' || (half[0] != 'A' && half[0] != 'P'))
		return true;
	*at = half + 2;
	if (c->hour < 1 || c->hour > 12)
		return false;
	c->hour = c->hour % 12 + (half[0] == 'P' ? 12 : 0);
	return true;
}

static bool parse_clock(const char **at, const char *end, struct civil_time *c)
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
	return parse_half(at, end, c);
}

/* Days since 1970 of a date of the Gregorian calendar. */
static int64_t days_of(const struct civil_time *c)
{
	const int64_t y = (int64_t)c->year - (c->month <= 2), m = (int64_t)c->month;
	const int64_t in_year = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + (int64_t)c->day - 1;
	return 365 * y + y / 4 - y / 100 + y / 400 + in_year - 719468;
}

int64_t civil_time_utc(const struct civil_time *c)
{
	return days_of(c) * CIVIL_S_PER_DAY +
	       (int64_t)(c->hour * 3600 + c->minute * 60 + c->second);
}

/* Parses Z, +02:00 or -0530. Returns false if another text follows the time. */
static bool parse_zone(const char *at, const char *end, int64_t *east_s)
{
	uint64_t hours, minutes;
	*east_s = 0;
	if (end - at == 1 && *at == 'Z')
		return true;
	if (end - at == 3 && memcmp(at, "UTC", 3) == 0)
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

bool civil_time_parse(struct iot_text text, struct civil_time *c)
{
	const char *at = text.data, *end = at + text.size;
	*c = (struct civil_time){.hour = 0};
	if (!parse_date(&at, end, c))
		return false;
	if (at < end && (*at == 'T' || *at == ' ')) {
		at++;
		if (!parse_clock(&at, end, c))
			return false;
	}
	at += at < end && *at == ' ';
	c->has_zone = at < end;
	return is_valid(c) && (at == end || parse_zone(at, end, &c->east_s));
}

bool civil_seconds_parse(struct iot_text text, int64_t *ns)
{
	const int64_t max = INT64_MAX / CIVIL_NS_PER_S - 2 * CIVIL_S_PER_DAY;
	const char *at = text.data, *end = at + text.size;
	uint64_t seconds;
	int64_t fraction = 0;
	if (text.size == 0 || !number_scan(&at, end, 10, &seconds) || seconds > (uint64_t)max)
		return false;
	if (at < end && *at == '.') {
		at++;
		fraction = parse_fraction(&at, end);
	}
	*ns = (int64_t)seconds * CIVIL_NS_PER_S + fraction;
	return at == end;
}
