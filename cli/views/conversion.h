/* SPDX-License-Identifier: BSD-2-Clause */
/* The report of one conversion. */
#ifndef CLI_VIEWS_CONVERSION_H
#define CLI_VIEWS_CONVERSION_H

#include "cli/convert.h"
#include "cli/ui/json.h"

void conversion_print(struct json *j, const struct conversion *c);

#endif
