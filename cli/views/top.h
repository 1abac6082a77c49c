/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of an interval of `iotrace top` as a line of JSON. */
#ifndef CLI_VIEWS_TOP_H
#define CLI_VIEWS_TOP_H

#include "cli/top/table.h"

void top_print_json(struct output *o, const struct table *t);

#endif
