/* SPDX-License-Identifier: BSD-2-Clause */
#include "no_processes.h"

#include <string.h>

#include "lib/result/names.h"

static const struct {
	const char *section, *part; /* of the names in the section */
} forgotten[] = {{SECTION_OF(trace), "processes"},         {SECTION_OF(processes), "_"},
		 {SECTION_OF(time), "_process_"},          {SECTION_OF(time), "active_pairs"},
		 {SECTION_OF(time), "parallel_intensity"}, {SECTION_OF(time), "io_share"},
		 {SECTION_OF(time), "call_share"},         {SECTION_OF(time), "io_time_max"},
		 {SECTION_OF(time), "think_time"},         {SECTION_OF(time), "same_file_share"}};

static bool needs_processes(const struct iot_analyze_value *v)
{
	for (size_t i = 0; i < sizeof forgotten / sizeof *forgotten; i++)
		if (strcmp(v->section, forgotten[i].section) == 0 &&
		    strstr(v->name, forgotten[i].part) != NULL)
			return true;
	return false;
}

void no_processes_forget(struct values *v)
{
	for (size_t i = 0; i < v->count; i++)
		if (v->value[i].kind != IOT_VALUE_UNKNOWN && needs_processes(&v->value[i]))
			values_forget_one(&v->value[i], "the source does not show processes");
}
