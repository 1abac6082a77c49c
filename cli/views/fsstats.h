/* SPDX-License-Identifier: BSD-2-Clause */
/* What `iotrace fsstats` shows of a survey. */
#ifndef CLI_VIEWS_FSSTATS_H
#define CLI_VIEWS_FSSTATS_H

#include "cli/fsstats/survey.h"
#include "cli/print/form.h"

struct fsstats_shown {
	struct fs_survey *survey;
	size_t top;                     /* keys that are printed */
	const struct key_sums *without; /* plots show the sizes without them, too; or NULL */
	uint64_t min_count;             /* cells of joint tables with fewer files are merged */
};
/* All return false if out of memory. */
bool fsstats_print_text(struct output *o, const struct fsstats_shown *shown);
bool fsstats_print(struct output *o, const struct fsstats_shown *shown,
		   const struct print_form *form);
bool fsstats_write_html(struct output *o, const struct fsstats_shown *shown);

/* The growth from an earlier survey to a later one. */
struct fsstats_change {
	struct fs_survey *earlier, *later;
	uint64_t reach; /* a number of files whose date is wanted; 0: none */
	size_t top;
};
bool fsstats_print_change_text(struct output *o, const struct fsstats_change *c);
bool fsstats_print_change(struct output *o, const struct fsstats_change *c,
			  const struct print_form *form);

#endif
