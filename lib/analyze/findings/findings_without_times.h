/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Findings of traces without durations: shares of requests and bytes are compared with thresholds.
 */
#ifndef LIB_ANALYZE_FINDINGS_FINDINGS_WITHOUT_TIMES_H
#define LIB_ANALYZE_FINDINGS_FINDINGS_WITHOUT_TIMES_H

#include "finding.h"

/* Adds what a file shows. */
void file_evidence_add(struct file_evidence *e, const struct row_table *t, size_t file);
/* Processes that spend much time in metadata operations. */
void findings_of_metadata(struct findings *f, const struct findings_source *from,
			  const struct run_cost *cost);
/* How requests look: their sizes, their order, and what they read again. */
void findings_of_requests(struct findings *f, const struct findings_source *from,
			  const struct run_cost *cost, const struct file_evidence *e);
/* How processes share the work and their files. */
void findings_of_processes(struct findings *f, const struct findings_source *from,
			   const struct run_cost *cost, const struct file_evidence *e);

#endif
