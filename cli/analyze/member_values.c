/* SPDX-License-Identifier: BSD-2-Clause */
#include "member_values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <iotrace/result.h>

#include "cli/jobs/job_list.h"
#include "lib/base/text.h"
#include "lib/result/names.h"

#include "shown.h"

/* clang-format off */
#define MORE(section, name, unit)        {VALUE(section, name), "", unit, NULL}
#define KEYED(section, name, key)        {VALUE(section, name), key, "", NULL}
#define SMALL(name)                                                                            \
	KEYED(sizes, name, "4096"), KEYED(sizes, name, "8192"),                              \
	KEYED(sizes, name, "65536"), KEYED(sizes, name, "131072"),                           \
	KEYED(sizes, name, "524288"), KEYED(sizes, name, "4194304")
/* The thresholds but 1 MiB/s, which is listed apart. */
#define THRESHOLDS(name)                                                                       \
	KEYED(time, name, "0 requests"), KEYED(time, name, "0"),                             \
	KEYED(time, name, "1024"), KEYED(time, name, "8192"),                                \
	KEYED(time, name, "131072"), KEYED(time, name, "524288")
#define ALL_THRESHOLDS(name)             THRESHOLDS(name), KEYED(time, name, "1048576")
#define SHARING(name, unit)                                                                    \
	{VALUE(files, name), "unique", unit, NULL}, {VALUE(files, name), "shared", unit, NULL},            \
	{VALUE(files, name), "part-shared", unit, NULL}
/* clang-format on */

const struct member_value member_values[] = {
    {VALUE(trace, processes), "", "", "processes"},
    {VALUE(trace, run_time_s), "", "s", "run time"},
    {VALUE(totals, requests), "", "", "requests"},
    {VALUE(totals, bytes), "", "bytes", "bytes"},
    {VALUE(totals, files), "", "", "files"},
    {VALUE(totals, size_mean), "", "bytes", "mean size"},
    {VALUE(totals, read_to_written_bytes), "", "", "bytes read by written"},
    {VALUE(totals, bytes_per_running_s), "", "bytes/s", "rate, CPU or wall time"},
    {VALUE(totals, requests_per_running_s), "", "1/s", "requests/s"},
    {VALUE(sizes, read_small_share), "1048576", "", "small reads"},
    {VALUE(sizes, write_small_share), "1048576", "", "small writes"},
    {VALUE(sizes, read_aligned_share), "", "", "aligned reads"},
    {VALUE(sizes, write_aligned_share), "", "", "aligned writes"},
    {VALUE(order, sequential_share), "", "", "sequential"},
    {VALUE(time, bytes_per_s_max), "", "bytes/s", "highest rate"},
    {VALUE(time, requests_per_s_max), "", "1/s", "highest requests/s"},
    {VALUE(time, intensity), "1048576", "", "I/O intensity"},
    {VALUE(time, burstiness), "1048576", "", "burstiness"},
    {VALUE(time, parallel_intensity_normalised), "1048576", "", "parallel intensity"},
    {VALUE(time, io_share), "", "", "time in I/O"},
    {VALUE(time, operation_share), "", "", "metadata of that"},
    {VALUE(time, slowest_bytes_per_s), "", "bytes/s", "rate of slowest process"},
    {VALUE(time, node_bytes_per_s), "", "bytes/s", "rate per node"},
    {VALUE(time, concurrency_mean), "", "", "outstanding requests"},
    {VALUE(files, shared_files), "", "", "shared files"},
    {VALUE(reuse, footprint), "", "bytes", "footprint"},
    {VALUE(reuse, reuse_ratio), "", "", "reuse"},
    MORE(totals, reads, ""),
    MORE(totals, writes, ""),
    MORE(totals, read_bytes, "bytes"),
    MORE(totals, written_bytes, "bytes"),
    MORE(totals, read_size_mean, "bytes"),
    MORE(totals, write_size_mean, "bytes"),
    MORE(totals, read_bytes_per_s, "bytes/s"),
    MORE(totals, written_bytes_per_s, "bytes/s"),
    MORE(totals, bytes_per_s, "bytes/s"),
    MORE(totals, read_requests_per_s, "1/s"),
    MORE(totals, write_requests_per_s, "1/s"),
    MORE(totals, requests_per_s, "1/s"),
    MORE(totals, write_request_share, ""),
    MORE(totals, write_byte_share, ""),
    MORE(totals, opens, ""),
    MORE(totals, created, ""),
    MORE(metadata, closes, ""),
    SMALL(read_small_share),
    SMALL(write_small_share),
    MORE(sizes, aligned_share, ""),
    MORE(order, ascending_share, ""),
    MORE(order, read_consecutive_share, ""),
    MORE(order, write_consecutive_share, ""),
    MORE(time, read_bytes_per_s_max, "bytes/s"),
    MORE(time, written_bytes_per_s_max, "bytes/s"),
    MORE(time, read_requests_per_s_max, "1/s"),
    MORE(time, write_requests_per_s_max, "1/s"),
    THRESHOLDS(intensity),
    ALL_THRESHOLDS(read_intensity),
    ALL_THRESHOLDS(write_intensity),
    THRESHOLDS(burstiness),
    ALL_THRESHOLDS(read_burstiness),
    ALL_THRESHOLDS(write_burstiness),
    ALL_THRESHOLDS(parallel_intensity),
    ALL_THRESHOLDS(read_parallel_intensity_normalised),
    ALL_THRESHOLDS(write_parallel_intensity_normalised),
    SHARING(class_files, ""),
    SHARING(class_bytes, "bytes"),
    MORE(processes, files_per_process, ""),
    MORE(processes, created_per_process, ""),
    MORE(processes, bytes_per_process, "bytes"),
    /* These are derived, or of the list. */
    MORE(list, nodes, ""),
    MORE(list, cpus, ""),
    MORE(list, run_time_s, "s"),
    MORE(list, core_hours, "h"),
    MORE(node, requests, ""),
    MORE(node, bytes, "bytes"),
};

const size_t member_values_count = sizeof member_values / sizeof member_values[0];

size_t member_value_number(const char *section, const char *name)
{
	size_t i = 0;
	while (strcmp(member_values[i].section, section) != 0 ||
	       strcmp(member_values[i].name, name) != 0)
		i++;
	return i;
}

static double *at(double *value, const char *section, const char *name)
{
	return &value[member_value_number(section, name)];
}

/* Values that the analysis cannot know without the list. */
static void fill_listed(double *value, const struct iot_analyze *a, const struct listed_job *job)
{
	const struct iot_analyze_value *declared =
	    iot_analyze_find(a, VALUE(time, compute_nodes), NULL);
	double nodes = shown_known(declared);
	if (job != NULL && job->nodes > 0) {
		nodes = (double)job->nodes;
		*at(value, VALUE(time, node_bytes_per_s)) =
		    *at(value, VALUE(time, slowest_bytes_per_s)) / nodes;
	}
	*at(value, VALUE(list, nodes)) = nodes;
	*at(value, VALUE(node, requests)) = *at(value, VALUE(totals, requests)) / nodes;
	*at(value, VALUE(node, bytes)) = *at(value, VALUE(totals, bytes)) / nodes;
	if (job == NULL)
		return;
	if (job->cpus > 0)
		*at(value, VALUE(list, cpus)) = (double)job->cpus;
	*at(value, VALUE(list, run_time_s)) = listed_run_time_s(job);
	*at(value, VALUE(list, core_hours)) = listed_core_hours(job);
}

void member_values_fill(double *value, const struct iot_analyze *a, const struct listed_job *listed)
{
	for (size_t i = 0; i < member_values_count; i++) {
		const struct member_value *v = &member_values[i];
		value[i] = shown_known(iot_analyze_find(a, v->section, v->name, v->key));
	}
	fill_listed(value, a, listed);
}

const char *member_value_name(char text[MEMBER_VALUE_NAME], const struct member_value *value)
{
	snprintf(text, MEMBER_VALUE_NAME, "%s.%s%s%s", value->section, value->name,
		 value->key[0] != '\0' ? "." : "", value->key);
	return text;
}

/* Writes the symbol of the metric of a value, "" if it has none. */
static const char *symbol_of(char text[MEMBER_VALUE_NAME], const struct member_value *value)
{
	static const char *const suffix[] = {"", "_r", "_w"};
	enum iot_direction direction;
	const struct iot_metric *m = iot_metric_find(value->name, &direction);
	const bool has = m != NULL && m->symbol != NULL && value->section[0] != 'n';
	snprintf(text, MEMBER_VALUE_NAME, "%s%s", has ? m->symbol : "",
		 has ? suffix[direction] : "");
	return text;
}

static bool is_named(const struct member_value *value, struct iot_text name)
{
	char text[MEMBER_VALUE_NAME];
	const char *full = member_value_name(text, value);
	return text_equals(name, full) || text_equals(name, strchr(full, '.') + 1);
}

size_t member_value_find(const char *name, size_t size)
{
	char symbol[MEMBER_VALUE_NAME];
	const struct iot_text text = {name, size};
	size_t i = 0;
	while (i < member_values_count && !is_named(&member_values[i], text))
		i++;
	if (i < member_values_count)
		return i;
	/* Without a key, a name means the value at 1 MiB, or at 1 MiB per second. */
	for (i = 0; i < member_values_count; i++)
		if (text_equals(text, symbol_of(symbol, &member_values[i])) ||
		    (text_equals(text, member_values[i].name) &&
		     strcmp(member_values[i].key, "1048576") == 0))
			break;
	return i;
}
