/* SPDX-License-Identifier: BSD-2-Clause */
#include "results.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/ui/message.h"
#include "cli/ui/printable.h"

const char *simulate_write_name(const struct simulate_results *r)
{
	static const char *const names[] = {"back", "through", "around"};
	return names[r->references.write];
}

const char *simulate_by_name(const struct simulate_results *r)
{
	static const char *const names[] = {"nothing", "object", "file", "process",
					    "rank",    "kind",   "op"};
	return names[r->references.by];
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

static const char *object_name(struct simulate_results *r, struct reference_row_name n, char *text)
{
	size_t size;
	const char *path =
	    n.object != 0 ? iot_reader_name(r->input.in.reader, n.object, &size) : NULL;
	if (path != NULL)
		return printable(text, ROW_NAME_CAPACITY, path, size);
	if (n.object != 0)
		snprintf(text, ROW_NAME_CAPACITY, "object %" PRIu32, n.object);
	else if (r->references.physical)
		snprintf(text, ROW_NAME_CAPACITY, "disk %" PRIu32, n.file);
	else if (n.file != 0 || n.process != 0)
		snprintf(text, ROW_NAME_CAPACITY, "file %" PRIu32 " of process %" PRIu32, n.file,
			 n.process);
	else
		snprintf(text, ROW_NAME_CAPACITY, "unknown offsets");
	return text;
}

static const char *file_name(struct simulate_results *r, struct reference_row_name n, char *text)
{
	char path[ROW_NAME_CAPACITY];
	const struct reference_row_name object = {.object = n.object};
	if (r->references.physical)
		snprintf(text, ROW_NAME_CAPACITY, "disk %" PRIu32, n.file);
	else
		snprintf(text, ROW_NAME_CAPACITY, "%" PRIu32 ":%" PRIu32 " %.4000s", n.process,
			 n.file, n.object != 0 ? object_name(r, object, path) : "-");
	return text;
}

const char *simulate_row_name(struct simulate_results *r, size_t row, char *text)
{
	static const char *const kinds[] = {"file data", "metadata", "read-ahead",
					    "virtual memory"};
	const struct reference_row_name n = references_name(r->input.references, row);
	switch (r->references.by) {
	case REFERENCES_BY_NOTHING:
		return "all";
	case REFERENCES_BY_OBJECT:
		return object_name(r, n, text);
	case REFERENCES_BY_FILE:
		return file_name(r, n, text);
	case REFERENCES_BY_PROCESS:
		snprintf(text, ROW_NAME_CAPACITY, "process %" PRIu32, n.process);
		break;
	case REFERENCES_BY_RANK:
		if (n.rank == 0)
			return "-";
		snprintf(text, ROW_NAME_CAPACITY, "rank %" PRIu64, n.rank - 1);
		break;
	case REFERENCES_BY_KIND:
		return kinds[n.kind];
	case REFERENCES_BY_OPERATION:
		return n.kind != 0 ? "write" : "read";
	}
	return text;
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
