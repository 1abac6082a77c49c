/* SPDX-License-Identifier: BSD-2-Clause */
/* Dates and times of day as texts. */
#ifndef LIB_BASE_CIVIL_TIME_H
#define LIB_BASE_CIVIL_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

enum { CIVIL_NS_PER_S = 1000000000, CIVIL_S_PER_DAY = 86400 };

struct civil_time {
	uint64_t year, month, day, hour, minute, second;
	int64_t ns;
	int64_t east_s; /* the zone, if the text has one */
	bool has_zone;
};

/*
 * Parses 2026-11-21T10:00:00.5 and 11/21/2026 10:00:00 PM, whose clock and fraction may be absent,
 * with an optional zone: Z, UTC, +02:00 or -0530. Years are 1970 to 2200. Returns false if the text
 * is another one.
 */
bool civil_time_parse(struct iot_text text, struct civil_time *c);
/* Returns seconds since 1970 of a time in UTC, without regard to its zone. */
int64_t civil_time_utc(const struct civil_time *c);

/*
 * Parses decimal seconds since 1970, of whose fraction nine digits count, as nanoseconds, at most
 * two days before 2^63. Returns false if the text is another one.
 */
bool civil_seconds_parse(struct iot_text text, int64_t *ns);

#endif
