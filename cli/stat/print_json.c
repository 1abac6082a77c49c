/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics as a JSON object. */
#include "results.h"

#include <stdio.h>
#include <string.h>

#include "cli/ui/json.h"
#include "cli/ui/unseen_json.h"

void stat_json_counters(struct json *j, const struct stat_results *s,
			const struct iot_stats_row *row)
{
	const bool ios = stat_knows_ios(s, row);
	char key[24];
	json_known(j, "opens", stat_knows_opens(s, row), row->opens);
	json_known(j, "reads", ios, row->reads);
	json_known(j, "writes", ios, row->writes);
	json_known(j, "read_bytes", ios, row->read_bytes);
	json_known(j, "written_bytes", ios, row->written_bytes);
	json_known(j, "io_ns", stat_knows_times(s, row), row->io_ns);
	json_known(j, "timed", ios, row->timed);
	json_known(j, "followers", ios, row->followers);
	json_known(j, "placed", ios, row->located);
	json_known(j, "sequential", stat_knows_order(s, row), row->sequential);
	json_known(j, "same_size", ios, row->same_size);
	json_open(j, "sizes", '{');
	for (unsigned k = 0; k < IOT_SIZE_CLASSES; k++) {
		snprintf(key, sizeof key, "%ju", (uintmax_t)stat_class_floor(k));
		if (iot_stats_size(row, k) > 0)
			json_number(j, key, iot_stats_size(row, k));
	}
	json_close(j, '}');
}

void stat_json_row(struct json *j, const struct stat_results *s, const struct iot_stats_row *row)
{
	size_t size = 0;
	const char *name = stat_name(s, row, &size);
	const bool times = (row->has & IOT_STATS_HAS_TIMES) != 0;
	bool own_file =
	    s->by == IOT_STATS_BY_FILE || (s->by == IOT_STATS_BY_OBJECT && row->object == 0);
	if (s->by == IOT_STATS_BY_PROCESS || own_file)
		json_number(j, "process", row->process);
	if (own_file)
		json_number(j, "file", row->file);
	if (row->object)
		json_number(j, "object", row->object);
	if (row->has & IOT_STATS_HAS_RANK)
		json_number(j, "rank", row->rank);
	if (name)
		json_text(j, "name", name, size);
	if (stat_input(s, row) != NULL)
		json_text(j, "input", stat_input(s, row), strlen(stat_input(s, row)));
	stat_json_counters(j, s, row);
	json_known(j, "first_ns", times, (uint64_t)row->first_ns);
	json_known(j, "last_ns", times, (uint64_t)row->last_ns);
}

static void json_latency(struct json *j, const struct stat_results *s, const char *key, int write)
{
	struct iot_stats_latency l;
	iot_stats_latency(s->stats, write, &l);
	if (l.count == 0) {
		json_null(j, key);
		return;
	}
	json_open(j, key, '{');
	json_number(j, "min", l.min_ns);
	json_exact(j, "mean", l.mean_ns);
	json_exact(j, "p50", l.median_ns);
	json_exact(j, "p99", l.p99_ns);
	json_number(j, "max", l.max_ns);
	json_close(j, '}');
}

static void json_latencies(struct json *j, const struct stat_results *s)
{
	const uint64_t span = iot_stats_fact(s->stats, IOT_STATS_SPAN_NS);
	json_open(j, "latency_ns", '{');
	json_latency(j, s, "read", 0);
	json_latency(j, s, "write", 1);
	json_close(j, '}');
	json_known(j, "span_ns", span > 0, span);
}

static void json_operations(struct json *j, const struct stat_results *s)
{
	const struct iot_stats_operation *row;
	json_open(j, "operations", '[');
	for (size_t i = 0; (row = stat_operation_at(s, i)) != NULL; i++) {
		json_open(j, NULL, '{');
		json_text(j, "name", row->name, strlen(row->name));
		json_number(j, "calls", row->calls);
		json_number(j, "failed", row->failed);
		json_number(j, "timed", row->timed);
		json_known(j, "ns", row->timed > 0, row->ns);
		json_close(j, '}');
	}
	json_close(j, ']');
}

void stat_print_json(struct stat_results *s)
{
	static const char *const by[] = {"file", "process", "object", "rank",
					 "host", "dir",     "input",  "op"};
	const struct iot_stats_row *row;
	struct json j = {.out = &s->out};
	json_open(&j, NULL, '{');
	json_text(&j, "by", by[s->by], strlen(by[s->by]));
	json_text(&j, "layer", s->layer, strlen(s->layer));
	json_open(&j, "rows", '[');
	for (size_t i = 0; (row = stat_row_at(s, i)) != NULL; i++) {
		output_text(&s->out, i == 0 ? "\n" : "");
		json_open(&j, NULL, '{');
		stat_json_row(&j, s, row);
		json_close(&j, '}');
		j.comma = false;
		output_text(&s->out, stat_row_at(s, i + 1) != NULL ? ",\n" : "\n");
	}
	json_close(&j, ']');
	json_open(&j, "total", '{');
	stat_json_counters(&j, s, iot_stats_total(s->stats));
	json_close(&j, '}');
	json_latencies(&j, s);
	json_operations(&j, s);
	unseen_json(&j, &s->unseen);
	json_close(&j, '}');
}
