/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of options that only `iotrace analyze` has. */
#ifndef CLI_ANALYZE_OPTION_VALUES_H
#define CLI_ANALYZE_OPTION_VALUES_H

#include "cli/ui/options.h"

struct part_of {
	uint64_t k, n;
};

/* Parses K/N, or K with n 0, into the struct part_of target. */
const char *analyze_option_part(const struct option *opt, const char *value);
/* Parses "totals,sizes,order" into the uint32_t target. */
const char *analyze_option_section(const struct option *opt, const char *value);
option_word_fn analyze_section_word;
/* Parses a size that is a power of two into the uint64_t target. */
const char *analyze_option_alignment(const struct option *opt, const char *value);

#endif
