/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The working set: distinct blocks of 64 KiB that requests touch, in bins of 2^-k seconds, of which
 * there are up to 128. Bin b becomes bin floor(b / 2) when there are more, so k depends on the
 * requests alone. Sets are estimated by HyperLogLog; the set of several bins is their union.
 */
#ifndef LIB_ANALYZE_WORKING_SET_H
#define LIB_ANALYZE_WORKING_SET_H

#include "lib/base/hyperloglog.h"

#include "requests.h"
#include "values.h"

enum {
	WORKING_SET_BINS_MAX = 128,
	WORKING_SET_BINS_MIN = 64, /* that a view has, unless there are fewer */
	WORKING_SET_BLOCK = 1 << 16,
	WORKING_SET_BLOCKS_MAX = 1 << 15 /* of one request */
};

struct state;

/* All zeros: no request. */
struct working_set {
	int coarser;              /* k is CELLS_K - coarser */
	struct hyperloglog *bins; /* bin b at b % WORKING_SET_BINS_MAX; NULL: none */
	int64_t first, last;      /* bins, if there are any */
	bool truncated;           /* requests of more than WORKING_SET_BLOCKS_MAX blocks */
	bool unordered;           /* traces with other ids of files were added */
	bool sampled;             /* set before values: files are missing */
};

/* These return false if out of memory. Times plus epoch_ns are times of bins. */
bool working_set_add(struct working_set *w, const struct io_spans *grouped,
		     const struct requests *r, uint64_t epoch_ns);
bool working_set_join(struct working_set *w, const struct working_set *part);
/* Values of section `reuse`. begin_ns: of the trace. */
bool working_set_values(const struct working_set *w, uint64_t begin_ns, struct values *v);
void working_set_state(struct state *s, struct working_set *w);
void working_set_free(struct working_set *w);

#endif
