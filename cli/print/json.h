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

/* Writes a table as a document with a line for each row. */
void print_json_document(struct output *o, const struct iot_table *table);
/* Writes a table as a member, or as an element if key is NULL. */
void print_json(struct json *j, const char *key, const struct iot_table *table);
/* Writes rows as a member, with a line for each row although the document has no lines. */
void print_json_lines(struct json *j, const char *key, const struct iot_table *table);
/* Writes a row as members of the object that is open. */
void print_json_members(struct json *j, const struct iot_table *table, size_t row);

#endif
