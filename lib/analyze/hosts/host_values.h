/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of samples. */
#ifndef LIB_ANALYZE_HOSTS_HOST_VALUES_H
#define LIB_ANALYZE_HOSTS_HOST_VALUES_H

#include "lib/analyze/over_time/view.h"
#include "lib/analyze/totals.h"
#include "lib/analyze/values.h"

#include "host_samples.h"

/* Notes of values. */
#define HOST_SAMPLES_NOTE  "from: samples"
#define HOST_SIZES_NOTE    "from: samples, means of intervals"
#define HOST_SAMPLES_BLIND "samples have no offsets"

struct totals_io host_samples_io(const struct host_samples *h);
/* The bins of each host, or of all hosts together. */
struct view_source host_samples_view(const struct host_samples *h, struct time_span span,
				     bool all_hosts);
/* Makes values unknown that samples cannot show, before section samples is added. */
void host_samples_forget(struct values *v);
/*
 * Makes values unknown that depend on a key which no sample has, and sets totals that samples have.
 */
void host_samples_correct(const struct host_samples *h, struct values *v);
/* The same of the row of a host, all whose values depend on keys. */
void host_samples_correct_row(const struct sample_sums *s, struct values *v);
/* Section samples. Returns false if out of memory. */
bool host_samples_values(const struct host_samples *h, struct time_span span, struct values *v);

#endif
