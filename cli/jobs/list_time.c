/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/civil_time.h"

#include "list_reader.h"

/* Sets the time zone of the process to the zone of the option while a list is read. */
static int64_t local_of(const struct civil_time *c)
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
	struct civil_time c;
	int64_t seconds;
	if (!civil_time_parse(text, &c))
		return LIST_TIME_WRONG;
	if (c.has_zone || r->options->zone == NULL) {
		seconds = civil_time_utc(&c) - c.east_s;
		r->list->assumes_utc |= !c.has_zone;
	} else
		seconds = local_of(&c);
	*ns = seconds * CIVIL_NS_PER_S + c.ns;
	return seconds < 0 ? LIST_TIME_WRONG : LIST_TIME_KNOWN;
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
	*ns = JOB_TIME_UNKNOWN;
	if (is_none(text))
		return LIST_TIME_NONE;
	return civil_seconds_parse(text, ns) ? LIST_TIME_KNOWN : parse_civil(r, text, ns);
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
