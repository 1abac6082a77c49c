/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_ANALYZE_PRINT_TIES_H
#define CLI_ANALYZE_PRINT_TIES_H

#include "results.h"

/* What calls cost at the disks, if the trace ties their I/Os to calls. */
void analyze_print_ties(struct analyze_results *a);

#endif
