/* SPDX-License-Identifier: BSD-2-Clause */
/* What `iotrace stat` shows of its results. */
#ifndef CLI_VIEWS_STAT_H
#define CLI_VIEWS_STAT_H

#include "cli/stat/results.h"
#include "cli/ui/json.h"

void stat_print_text(struct stat_results *s);
void stat_print_json(struct stat_results *s);
void stat_print_tsv(struct stat_results *s);

/* Returns the word of --by. */
const char *stat_by_name(int by);

/*
 * Write members of the object that is open: the values of a row; its ids, name and values; an
 * operation.
 */
void stat_json_counters(struct json *j, const struct stat_results *s,
			const struct iot_stats_row *row);
void stat_json_row(struct json *j, const struct stat_results *s, const struct iot_stats_row *row);
void stat_json_operation(struct json *j, const struct iot_stats_operation *o);

#endif
