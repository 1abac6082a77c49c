/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_ANALYZE_PRINT_TIES_H
#define CLI_ANALYZE_PRINT_TIES_H

#include "results.h"

/* Prints the costs of calls at the disks, if the trace ties I/Os of disks to calls. */
void analyze_print_ties(struct analyze_results *a);

#endif
