/* SPDX-License-Identifier: BSD-2-Clause */
#include "map.h"

#include <stdio.h>
#include <string.h>

#include "lib/result/names.h"

#include "order.h"

/* A value of another section, and its key in the map. */
struct map_operand {
	const char *key; /* NULL: no more */
	const char *section, *name, *name_key;
};

enum { ENTRIES_MAX = 12 };

struct criterion {
	const char *number;
	struct map_operand entries[ENTRIES_MAX];
};

#define MIB "1048576"

/* clang-format off */
#define SINGLE(section, name, key) {#name, VALUE(section, name), key}
#define DIRECTIONS(section, name, key)                                                             \
	SINGLE(section, read_##name, key), SINGLE(section, write_##name, key)
#define ALL_BYTES(section, name, key)                                                              \
	SINGLE(section, read_##name, key), SINGLE(section, written_##name, key),                  \
	SINGLE(section, name, key)
#define ALL(section, name, key) DIRECTIONS(section, name, key), SINGLE(section, name, key)
/* clang-format on */
static const char patterns[] = "2.7", interfaces[] = "4.2";

/* Those without entries have a function of their own. */
static const struct criterion criteria[] = {
    {"1.1", {ALL_BYTES(totals, bytes, NULL)}},
    {"1.2",
     {SINGLE(totals, reads, NULL), SINGLE(totals, writes, NULL), SINGLE(totals, requests, NULL)}},
    {"1.3", {ALL_BYTES(time, bytes_per_s_max, NULL), ALL_BYTES(totals, bytes_per_s, NULL)}},
    {"1.4", {ALL(time, requests_per_s_max, NULL), ALL(totals, requests_per_s, NULL)}},
    {"1.5",
     {SINGLE(totals, created, NULL), SINGLE(metadata, opens, NULL),
      SINGLE(metadata, closes, NULL)}},
    {"1.6", {ALL(time, intensity, MIB)}},
    {"2.2", {DIRECTIONS(sizes, small_share, "")}}, /* of the size that the options have */
    {"2.3", {DIRECTIONS(sizes, variable_share, NULL)}},
    {"2.4",
     {SINGLE(totals, read_request_share, NULL), SINGLE(totals, write_request_share, NULL),
      SINGLE(totals, read_byte_share, NULL), SINGLE(totals, write_byte_share, NULL)}},
    {"2.6", {SINGLE(files, unshared_files, NULL), SINGLE(files, shared_files, NULL)}},
    {patterns, {{.key = NULL}}},
    {"2.9", {ALL(time, burstiness, MIB)}},
    {"2.10",
     {{"repetitive", VALUE(order, repetition), "repetitive"},
      {"lag", VALUE(order, repetition), "lag"}}},
    {"2.11",
     {{"read_type_period_s", VALUE(cycles, type_period_s), "read"},
      {"write_type_period_s", VALUE(cycles, type_period_s), "write"},
      {"type_period_s", VALUE(cycles, type_period_s), "read/write"}}},
    {"3.1", /* the whole name is too long for a key */
     {{"read_parallel_normalised", VALUE(time, read_parallel_intensity_normalised), MIB},
      {"write_parallel_normalised", VALUE(time, write_parallel_intensity_normalised), MIB},
      {"parallel_normalised", VALUE(time, parallel_intensity_normalised), MIB}}},
    {interfaces, {{.key = NULL}}},
    {"4.4",
     {{"read_required", VALUE(classes, read_reason_share), "required"},
      {"read_swapping", VALUE(classes, read_reason_share), "swapping"},
      {"read_unplaced", VALUE(classes, read_reason_share), "unknown"},
      {"write_required", VALUE(classes, write_reason_share), "required"},
      {"write_checkpoint", VALUE(classes, write_reason_share), "checkpoint"},
      {"write_swapping", VALUE(classes, write_reason_share), "swapping"},
      {"write_rewritten", VALUE(classes, write_reason_share), "rewritten"},
      {"write_unplaced", VALUE(classes, write_reason_share), "unknown"}}},
    {"4.5",
     {SINGLE(time, asynchronous_request_share, NULL), SINGLE(time, asynchronous_byte_share, NULL)}},
};

static void copy(struct values *v, const char *criterion, const struct map_operand *e)
{
	const struct iot_analyze_value *found = values_find(v, e->section, e->name, e->name_key);
	if (found == NULL) /* an unknown value lacks the keys of a known one */
		found = values_find(v, e->section, e->name, NULL);
	if (found != NULL)
		values_copy(v, criterion, e->key, *found);
	else
		values_unknown(v, criterion, e->key, "", "the trace has no such events");
}

static void copy_all(const struct map_source *from, struct values *v,
		     const struct criterion *criterion)
{
	char small[VALUE_KEY];
	for (const struct map_operand *e = criterion->entries;
	     e < criterion->entries + ENTRIES_MAX && e->key != NULL; e++) {
		struct map_operand of = *e;
		if (of.name_key != NULL && of.name_key[0] == '\0')
			of.name_key = values_key(small, from->small);
		copy(v, criterion->number, &of);
	}
}

/* The pattern of most requests of a direction, of equal ones the first; and its share of them. */
static void pattern_of(struct values *v, const char *name, const char *const key[2])
{
	static const char none[] = "no request has a known offset";
	const char *word = "";
	uint64_t max = 0;
	double all = 0;
	for (unsigned p = 0; p < PATTERNS; p++) {
		const struct iot_analyze_value *at =
		    values_find(v, SECTION_OF(order), name, order_patterns[p]);
		const uint64_t requests = at != NULL ? at->number : 0;
		word = requests > max ? order_patterns[p] : word;
		max = requests > max ? requests : max;
		all += (double)requests;
	}
	if (all > 0)
		values_word(v, patterns, key[0], word);
	else
		values_unknown(v, patterns, key[0], "", none);
	values_ratio(v, patterns, key[1], "", (double)max, all, none);
}

static void pattern_values(struct values *v)
{
	static const char *const keys[2][2] = {{"read_pattern", "read_pattern_share"},
					       {"write_pattern", "write_pattern_share"}};
	pattern_of(v, "read_pattern_requests", keys[0]);
	pattern_of(v, "write_pattern_requests", keys[1]);
}

/* The requests of each interface that the trace has any of: layers, and counters of modules. */
static void interface_values(const struct map_source *from, struct values *v)
{
	static const char *const layers[MAP_LAYERS] = {"posix", "mpiio"};
	static const char *const modules[] = {"POSIX", "MPI-IO", "STDIO"};
	static const char *const verbs[2] = {"read", "write"}, *const counted[2] = {"reads",
										    "writes"};
	char key[VALUE_KEY];
	for (unsigned i = 0; i < MAP_LAYERS; i++)
		for (unsigned d = 0; d < 2 && from->requests[i][0] + from->requests[i][1] > 0;
		     d++) {
			snprintf(key, sizeof key, "%s_%s", verbs[d], layers[i]);
			values_number(v, interfaces, key, "", from->requests[i][d]);
		}
	for (size_t m = 0; m < sizeof modules / sizeof modules[0]; m++)
		for (unsigned d = 0; d < 2; d++) {
			snprintf(key, sizeof key, "%s_counters_%s", verbs[d], modules[m]);
			const struct iot_analyze_value *found =
			    values_find(v, SECTION_OF(counters), counted[d], modules[m]);
			if (found != NULL)
				values_copy(v, interfaces, key, *found);
		}
}

void map_values(const struct map_source *from, struct values *v)
{
	v->section = SECTION_OF(map);
	for (size_t i = 0; i < sizeof criteria / sizeof criteria[0]; i++)
		if (criteria[i].number == patterns)
			pattern_values(v);
		else if (criteria[i].number == interfaces)
			interface_values(from, v);
		else
			copy_all(from, v, &criteria[i]);
}
