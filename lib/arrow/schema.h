/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIB_ARROW_SCHEMA_H
#define LIB_ARROW_SCHEMA_H

#include <iotrace/arrow.h>

#include "lib/event_table/event_table.h"

/*
 * Exports the types of columns; timestamps: EVENT_START_NS is one. Returns IOT_OK or IOT_ENOMEM,
 * with out->release NULL.
 */
int schema_export(const struct event_columns *columns, bool timestamps, struct ArrowSchema *out);

#endif
