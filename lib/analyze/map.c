/* SPDX-License-Identifier: BSD-2-Clause */
#include "map.h"

#include <stdio.h>
#include <string.h>

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

#define SINGLE(section, name, key)                                                                 \
	{                                                                                          \
		name, section, name, key                                                           \
	}
#define DIRECTIONS(section, name, key)                                                             \
	SINGLE(section, name "_r", key), SINGLE(section, name "_w", key)
#define ALL(section, name, key) DIRECTIONS(section, name, key), SINGLE(section, name, key)
static const char patterns[] = "2.7", interfaces[] = "4.2";

/* Those without entries have a function of their own. */
static const struct criterion criteria[] = {
    {"1.1", {ALL("totals", "S", NULL)}},
    {"1.2", {ALL("totals", "N", NULL)}},
    {"1.3", {ALL("time", "B_max", NULL), ALL("totals", "B_avg", NULL)}},
    {"1.4", {ALL("time", "IOPS_max", NULL), ALL("totals", "IOPS_avg", NULL)}},
    {"1.5",
     {SINGLE("totals", "created", NULL), SINGLE("metadata", "F_open", NULL),
      SINGLE("metadata", "F_close", NULL)}},
    {"1.6", {ALL("time", "intensity", MIB)}},
    {"2.2", {DIRECTIONS("sizes", "small", "")}}, /* of the size that the options have */
    {"2.3", {DIRECTIONS("sizes", "variable", NULL)}},
    {"2.4",
     {SINGLE("totals", "p_r_IOPs", NULL), SINGLE("totals", "p_w_IOPs", NULL),
      SINGLE("totals", "p_r_Bytes", NULL), SINGLE("totals", "p_w_Bytes", NULL)}},
    {"2.6", {SINGLE("files", "task_local", NULL), SINGLE("files", "shared", NULL)}},
    {patterns, {{.key = NULL}}},
    {"2.9", {ALL("time", "burstiness", MIB)}},
    {"2.10",
     {{"repetitive", "order", "repetition", "repetitive"}, {"lag", "order", "repetition", "lag"}}},
    {"2.11",
     {{"type_period_s_r", "cycles", "type_period_s", "read"},
      {"type_period_s_w", "cycles", "type_period_s", "write"},
      {"type_period_s", "cycles", "type_period_s", "read/write"}}},
    {"3.1", {ALL("time", "parallel_intensity", MIB)}},
    {interfaces, {{.key = NULL}}},
    {"4.4",
     {{"required_r", "classes", "share_r", "required"},
      {"swapping_r", "classes", "share_r", "swapping"},
      {"unknown_r", "classes", "share_r", "unknown"},
      {"required_w", "classes", "share_w", "required"},
      {"checkpoint_w", "classes", "share_w", "checkpoint"},
      {"swapping_w", "classes", "share_w", "swapping"},
      {"rewritten_w", "classes", "share_w", "rewritten"},
      {"unknown_w", "classes", "share_w", "unknown"}}},
    {"4.5",
     {SINGLE("time", "asynchronous_share", NULL),
      SINGLE("time", "asynchronous_share_bytes", NULL)}},
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
		    values_find(v, "order", name, order_patterns[p]);
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
	static const char *const keys[2][2] = {{"pattern_r", "pattern_share_r"},
					       {"pattern_w", "pattern_share_w"}};
	pattern_of(v, "pattern_requests_r", keys[0]);
	pattern_of(v, "pattern_requests_w", keys[1]);
}

/* The requests of each interface that the trace has any of: layers, and counters of modules. */
static void interface_values(const struct map_source *from, struct values *v)
{
	static const char *const layers[MAP_LAYERS] = {"posix", "mpiio"};
	static const char *const modules[] = {"POSIX", "MPI-IO", "STDIO"};
	static const char *const suffix[2] = {"r", "w"};
	char key[VALUE_KEY], name[VALUE_KEY];
	for (unsigned i = 0; i < MAP_LAYERS; i++)
		for (unsigned d = 0; d < 2 && from->requests[i][0] + from->requests[i][1] > 0;
		     d++) {
			snprintf(key, sizeof key, "%s_%s", layers[i], suffix[d]);
			values_number(v, interfaces, key, "", from->requests[i][d]);
		}
	for (size_t m = 0; m < sizeof modules / sizeof modules[0]; m++)
		for (unsigned d = 0; d < 2; d++) {
			snprintf(name, sizeof name, "N_%s", suffix[d]);
			snprintf(key, sizeof key, "counters_%s_%s", modules[m], suffix[d]);
			const struct iot_analyze_value *found =
			    values_find(v, "counters", name, modules[m]);
			if (found != NULL)
				values_copy(v, interfaces, key, *found);
		}
}

void map_values(const struct map_source *from, struct values *v)
{
	v->section = "map";
	for (size_t i = 0; i < sizeof criteria / sizeof criteria[0]; i++)
		if (criteria[i].number == patterns)
			pattern_values(v);
		else if (criteria[i].number == interfaces)
			interface_values(from, v);
		else
			copy_all(from, v, &criteria[i]);
}
