/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_ANALYZE_PRINT_SAMPLES_H
#define CLI_ANALYZE_PRINT_SAMPLES_H

#include "results.h"

bool analyze_has_samples(const struct analyze_results *a);
/* Returns whether the values come from samples, because there are no requests. */
bool analyze_is_sampled(const struct analyze_results *a);
/* The text of section samples. */
void analyze_print_samples(struct analyze_results *a);

#endif
