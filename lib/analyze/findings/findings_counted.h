/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings from counters of Darshan, of what a trace has no records of. */
#ifndef LIB_ANALYZE_FINDINGS_FINDINGS_COUNTED_H
#define LIB_ANALYZE_FINDINGS_FINDINGS_COUNTED_H

#include "finding.h"

/* The evidence of files, which the findings of records use, too. */
void findings_counted_files(struct file_evidence *e, const struct row_table *t);
/* Of counters of POSIX, which have times of operations that records lack. */
void findings_counted_metadata(struct findings *f, const struct findings_source *from,
			       const struct run_cost *cost);
/* Adds the findings with evidence of their own. */
void findings_counted(struct findings *f, const struct findings_source *from,
		      const struct run_cost *cost, const struct file_evidence *e);

#endif
