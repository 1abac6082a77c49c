/* SPDX-License-Identifier: BSD-2-Clause */
/* Files and hosts in plots: their paths or names, or their keys where none is known. */
#ifndef CLI_REPORT_FILE_LABEL_H
#define CLI_REPORT_FILE_LABEL_H

#include <iotrace/iotrace.h>

#include "cli/ui/output.h"

/*
 * In a text element: at most `columns` characters, with the whole path as tooltip. path:
 * percent-encoded, or NULL.
 */
void file_label_write(struct output *o, struct iot_text path, const char *key, size_t columns);

/* In markup, as a whole. */
void file_label_whole(struct output *o, struct iot_text path, const char *key);

/* In a column of TSV. */
void file_label_field(struct output *o, struct iot_text path, const char *key);

#endif
