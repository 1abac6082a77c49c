/* SPDX-License-Identifier: BSD-2-Clause */
#include "call_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result/names.h"

#include "shown.h"

/* Returns what the calls of a kind of operations do. */
static const char *label_of(const char *kind)
{
	static const char *const labels[][2] = {{"opens", "open, close"},
						{"lookups", "look up (stat, access)"},
						{"names", "rename, remove, mkdir"},
						{"attributes", "change attributes"},
						{"directories", "read directories"},
						{"syncs", "sync to disk (fsync)"},
						{"locks", "lock"},
						{"seeks", "seek"},
						{"space", "truncate, allocate"},
						{"other", "other calls"}};
	for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++)
		if (strcmp(kind, labels[i][0]) == 0)
			return labels[i][1];
	return kind;
}

static int max_time_first(const void *left, const void *right)
{
	const struct call_time *a = left, *b = right;
	const double x = isnan(a->ns) ? -1 : a->ns, y = isnan(b->ns) ? -1 : b->ns;
	if (x > y || x < y)
		return x > y ? -1 : 1;
	return a->calls > b->calls ? -1 : a->calls < b->calls;
}

static struct call_time call_time_of(struct iot_analyze *a, const char *name, const char *section,
				     const char *calls, const char *ns)
{
	const struct iot_analyze_value *v = iot_analyze_find(a, section, calls, NULL);
	return (struct call_time){name, v != NULL && v->kind == IOT_VALUE_NUMBER ? v->number : 0,
				  shown_known(iot_analyze_find(a, section, ns, NULL))};
}

/* Returns whether sums of Darshan replace requests: Darshan has one time for all other calls. */
static bool is_counted(struct iot_analyze *a)
{
	const struct iot_analyze_value *v = iot_analyze_find(a, VALUE(totals, requests), NULL);
	return v != NULL && v->note != NULL;
}

size_t call_times(struct iot_analyze *a, struct call_time list[CALL_TIMES_MAX])
{
	const struct iot_analyze_value *v;
	size_t n = 0;
	list[n++] = call_time_of(a, "read", VALUE(totals, reads), NAME_OF(read_io_ns));
	list[n++] = call_time_of(a, "write", VALUE(totals, writes), NAME_OF(write_io_ns));
	for (size_t i = 0; (v = iot_analyze_value(a, i)) != NULL && n < CALL_TIMES_MAX; i++)
		if (strcmp(v->section, SECTION_OF(metadata)) == 0 &&
		    strcmp(v->name, NAME_OF(kind_calls)) == 0)
			list[n++] = (struct call_time){
			    label_of(v->key), v->number,
			    shown_known(iot_analyze_find(a, VALUE(metadata, kind_ns), v->key))};
	if (is_counted(a) && n < CALL_TIMES_MAX)
		list[n++] =
		    call_time_of(a, "other calls", VALUE(metadata, opens), NAME_OF(operations_ns));
	qsort(list, n, sizeof *list, max_time_first);
	return n;
}
