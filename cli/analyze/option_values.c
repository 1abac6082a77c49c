/* SPDX-License-Identifier: BSD-2-Clause */
#include "option_values.h"

#include <stdlib.h>
#include <string.h>

#include <iotrace/analyze.h>

#include "lib/base/number.h"

const char *analyze_option_part(const struct option *opt, const char *value)
{
	enum { PARTS_MAX = 1000000 };
	struct part_of *part = opt->target;
	const char *at = value, *end = value + strlen(value);
	if (number_scan(&at, end, 10, &part->k) && at < end && *at++ == '/' &&
	    number_scan(&at, end, 10, &part->n) && at == end && part->k >= 1 &&
	    part->k <= part->n && part->n <= PARTS_MAX)
		return NULL;
	return "K/N, the K-th of N parts, such as 3/64";
}

const char *analyze_option_section(const struct option *opt, const char *value)
{
	static const char expected[] = "totals, sizes, order, time, cycles, metadata, files, "
				       "processes, reuse, classes, counters, map, "
				       "findings, or a list of these";
	uint32_t *bits = opt->target, found = 1;
	for (const char *at = value; found != 0; at += strcspn(at, ",") + 1) {
		const size_t n = strcspn(at, ",");
		found = iot_analyze_section_bit(at, n);
		*bits |= found;
		if (found != 0 && at[n] == '\0')
			return NULL;
	}
	return expected;
}

const char *analyze_option_alignment(const struct option *opt, const char *value)
{
	char *end;
	const uint64_t n = strtoull(value, &end, 10);
	*(uint64_t *)opt->target = n;
	return *value >= '0' && *value <= '9' && *end == '\0' && n > 0 && (n & (n - 1)) == 0
		   ? NULL
		   : "a power of two, in bytes";
}
