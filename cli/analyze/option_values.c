/* SPDX-License-Identifier: BSD-2-Clause */
#include "option_values.h"

#include <string.h>

#include <iotrace/analyze.h>

#include "lib/base/number.h"
#include "lib/base/size.h"

const char *analyze_option_part(const struct option *opt, const char *value)
{
	enum { PARTS_MAX = 1000000 };
	struct part_of *part = opt->target;
	const char *at = value, *end = value + strlen(value);
	if (number_scan(&at, end, 10, &part->k) && at < end && *at++ == '/' &&
	    number_scan(&at, end, 10, &part->n) && at == end && part->k >= 1 &&
	    part->k <= part->n && part->n <= PARTS_MAX)
		return NULL;
	part->n = 0;
	if (number_parse(value, strlen(value), 10, &part->k) && part->k >= 1 &&
	    part->k <= PARTS_MAX)
		return NULL;
	return "K/N, the K-th of N parts, such as 3/64, or with --plan K";
}

const char *analyze_section_word(size_t i)
{
	static const char *const names[] = {
#define SECTION(name, bit) #name,
#include "lib/result/section_list.h"
#undef SECTION
	    NULL};
	return names[i];
}

const char *analyze_option_section(const struct option *opt, const char *value)
{
	uint32_t *bits = opt->target, found = 1;
	for (const char *at = value; found != 0; at += strcspn(at, ",") + 1) {
		const size_t n = strcspn(at, ",");
		found = iot_analyze_section_bit(at, n);
		*bits |= found;
		if (found != 0 && at[n] == '\0')
			return NULL;
	}
	return "a list of";
}

const char *analyze_option_alignment(const struct option *opt, const char *value)
{
	uint64_t n;
	if (size_parse(value, strlen(value), &n) != SIZE_VALID || n == 0 || (n & (n - 1)) != 0)
		return "a power of two, in bytes, such as 512 or 4K";
	*(uint64_t *)opt->target = n;
	return NULL;
}
