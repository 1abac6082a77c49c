/* SPDX-License-Identifier: BSD-2-Clause */
#include "results.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/ui/message.h"

const char *simulate_write_name(const struct simulate_results *r)
{
	static const char *const names[] = {"back", "through", "around"};
	return names[r->references.write];
}

const char *simulate_prefetch_name(const struct simulate_results *r, char text[32])
{
	switch (r->prefetch.kind) {
	case PREFETCH_NONE:
		return "none";
	case PREFETCH_REQUEST:
		return "request";
	case PREFETCH_NEXT:
		snprintf(text, 32, "next:%" PRIu64, r->prefetch.value);
		break;
	case PREFETCH_WINDOW:
		snprintf(text, 32, "window:%" PRIu64, r->prefetch.value);
		break;
	}
	return text;
}

bool simulate_reuse(const struct simulate_results *r, size_t row, struct block_reuse_row *reuse)
{
	return r->reuse != NULL && block_reuse_row(r->reuse, row, reuse);
}

const char *simulate_row_name(struct simulate_results *r, size_t row, char *text)
{
	return row_name(text, r->input.in.reader, references_name(r->input.references, row),
			r->references.by, r->references.physical);
}

static int by_references(const void *a, const void *b, void *context)
{
	const struct references *r = context;
	const size_t i = *(const size_t *)a, j = *(const size_t *)b;
	const uint64_t first = both(references_row(r, i)->references),
		       second = both(references_row(r, j)->references);
	return first != second ? (first < second) - (first > second) : (i > j) - (i < j);
}

enum exit_status simulate_sort_rows(struct simulate_results *r)
{
	r->rows = references_rows(r->input.references);
	r->order = malloc((r->rows + 1) * sizeof *r->order);
	if (r->order == NULL)
		return message_no_memory();
	for (size_t i = 0; i < r->rows; i++)
		r->order[i] = i;
	qsort_r(r->order, r->rows, sizeof *r->order, by_references, r->input.references);
	return EXIT_OK;
}
