/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Causes of slow I/O, and what each costs. The time of every call goes to one cause, the most
 * specific one that explains it; only an imbalance of ranks is measured beside the others.
 */
#ifndef LIB_ANALYZE_FINDINGS_CAUSES_H
#define LIB_ANALYZE_FINDINGS_CAUSES_H

#include "finding.h"

/* Adds a finding for each cause that costs time. Needs durations of requests or operations. */
void causes_find(struct findings *f, const struct findings_source *from,
		 const struct run_cost *cost);

#endif
