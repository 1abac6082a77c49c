/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables as JSON: a record is an object, rows are an array of objects, a list is an array of
 * values, and a map is an object with a member for each row. An unknown value is null; an absent
 * value has no member. Adjacent columns of the reads and the writes of a metric are one member,
 * unless they have names of their own: "hits": {"reads": 1, "writes": 2}, or null if the reads are
 * unknown.
 */
#ifndef CLI_PRINT_JSON_H
#define CLI_PRINT_JSON_H

#include <iotrace/result.h>

#include "cli/ui/json.h"

/* Writes a table as a document of one line. */
void print_json_compact(struct output *o, const struct iot_table *table);
/* Writes a table as a member, or as an element if key is NULL. */
void print_json(struct json *j, const char *key, const struct iot_table *table);
/* Begin and end a document that is a list of tables, which print_json() writes. */
void print_json_list(struct json *j);
void print_json_list_end(struct json *j);

#endif
