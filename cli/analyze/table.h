/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of `iotrace analyze`, by process, rank, host, file, directory or operation. */
#ifndef CLI_ANALYZE_TABLE_H
#define CLI_ANALYZE_TABLE_H

#include <iotrace/analyze.h>

#include "cli/ui/json.h"

#include "shown.h"

enum analyze_form { ANALYZE_TEXT, ANALYZE_JSON, ANALYZE_TSV };

/* Prints up to `top` rows. Returns an enum iot_status. */
int analyze_table_print(struct output *out, struct iot_analyze *a, enum iot_analyze_by by,
			enum analyze_form form, uint64_t top);
/* A value as a member of an object, and as the text of a column. */
void analyze_json_value(struct json *j, const char *key, const struct iot_analyze_value *v);
void analyze_tsv_value(struct output *out, const struct iot_analyze_value *v);
/* Names a file without a path by its key, as stat does. Returns false for other keys. */
bool analyze_file_label(char *label, size_t size, const char *key);

#endif
