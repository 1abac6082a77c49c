/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranks that take longer in I/O than the others. */
#ifndef LIB_ANALYZE_FINDINGS_RANK_IMBALANCE_H
#define LIB_ANALYZE_FINDINGS_RANK_IMBALANCE_H

#include "finding.h"

/* Adds a finding of the slowest rank, whose time the findings before it may explain. */
void rank_imbalance_find(struct findings *f, const struct findings_source *from,
			 const struct run_cost *cost);

#endif
