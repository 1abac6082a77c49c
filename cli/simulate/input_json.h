/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of reading, as parameters in the JSON of the simulating commands. */
#ifndef CLI_SIMULATE_INPUT_JSON_H
#define CLI_SIMULATE_INPUT_JSON_H

#include "cli/ui/json.h"
#include "cli/ui/trace_in.h"

/*
 * Prints the member "reading". Options that were not given are null: the format, base and tick are
 * those of the input.
 */
void input_json_reading(struct json *j, const struct trace_in_options *o);

#endif
