/* SPDX-License-Identifier: BSD-2-Clause */
/* Results that are computed when they are asked for: rows, bins over time, and offsets. */
#include <stdlib.h>
#include <string.h>

#include "analyze_internal.h"

static unsigned section_of(enum iot_analyze_by by)
{
	return by == IOT_ANALYZE_BY_FILE || by == IOT_ANALYZE_BY_DIRECTORY ? IOT_ANALYZE_FILES
	       : by == IOT_ANALYZE_BY_OPERATION                            ? IOT_ANALYZE_METADATA
									   : IOT_ANALYZE_PROCESSES;
}

ssize_t iot_analyze_rows(struct iot_analyze *a, enum iot_analyze_by by)
{
	const bool known = a->finished && a->status == IOT_OK && analyze_needs(a, section_of(by));
	return known ? table_sort(&a->table, by) : 0;
}

int iot_analyze_row(struct iot_analyze *a, size_t i, struct iot_analyze_row *row)
{
	return table_row(&a->table, i, row);
}

/*
 * Cells have the numbers of processes, or of hosts; the result has the ids of processes, or the
 * positions of hosts. Returns false if out of memory.
 */
static bool set_process_ids(struct iot_analyze *a, size_t count)
{
	const struct host_samples *h = analyze_samples(a);
	uint32_t *position = h != NULL ? host_samples_order(h) : NULL;
	const bool done = h == NULL || position != NULL;
	for (size_t i = 0; i < count && done; i++) {
		struct iot_analyze_cell *cell = &a->over_time.cells[i];
		cell->process = h != NULL ? position[cell->process]
					  : (uint32_t)a->requests.processes.map.keys[cell->process];
	}
	free(position);
	return done;
}

int iot_analyze_timeline(struct iot_analyze *a, size_t max, struct iot_analyze_timeline *to)
{
	if (!a->finished || a->status != IOT_OK || !analyze_needs(a, IOT_ANALYZE_TIME))
		return IOT_EUSAGE;
	const struct layer *l = a->layers[analyze_chosen_layer(a)];
	const struct view_source from = analyze_view(a, l);
	if (!over_time_make(&a->over_time, &from, max, to) || !set_process_ids(a, to->cell_count))
		return IOT_ENOMEM;
	to->has_epoch = a->trace.epoch_ns != 0;
	to->epoch_ns = a->trace.epoch_ns;
	return IOT_OK;
}

static int by_table_rank(const void *left, const void *right)
{
	return table_precedes(left, right) ? -1 : table_precedes(right, left);
}

/* Stores the number of the file with offsets that is i-th by bytes. Returns an enum iot_status. */
static int offsets_file(const struct iot_analyze *a, const struct offsets *o, size_t i,
			size_t *file)
{
	struct table_rank *ranks = malloc((o->file_capacity + 1) * sizeof *ranks);
	size_t count = 0;
	if (ranks == NULL)
		return IOT_ENOMEM;
	for (size_t k = 0; k < o->file_capacity; k++) {
		if (o->files[k].rows == NULL)
			continue;
		ranks[count] = table_file_rank(&a->table, k);
		ranks[count++].first = o->files[k].bytes;
	}
	qsort(ranks, count, sizeof *ranks, by_table_rank);
	if (i < count)
		*file = ranks[i].number;
	free(ranks);
	return i < count ? IOT_OK : IOT_EUSAGE;
}

int iot_analyze_offsets(struct iot_analyze *a, size_t i, struct iot_analyze_offsets *to)
{
	const struct offsets_map *map = &a->offsets;
	size_t file;
	if (!a->finished || a->status != IOT_OK || !a->options.offsets)
		return IOT_EUSAGE;
	const struct layer *l = a->layers[analyze_chosen_layer(a)];
	const uint64_t begin_ns = analyze_span(a).begin_ns;
	const int status = offsets_file(a, &l->offsets, i, &file);
	if (status != IOT_OK)
		return status;
	if (!offsets_map(&l->offsets, file, &a->offsets))
		return IOT_ENOMEM;
	const struct file_key *key = &a->requests.files.keys[file];
	table_file_key(a->offsets_key, key);
	*to = (struct iot_analyze_offsets){.key = {a->offsets_key, strlen(a->offsets_key)},
					   .path = row_names_path(&a->names, key),
					   .width_s = map->width_s,
					   .begin_s = over_time_seconds(begin_ns, map->first_ns),
					   .bins = map->bins,
					   .block_bytes = map->block_bytes,
					   .count = map->count,
					   .cells = map->cells,
					   .sampled = l->offsets.level > 0 ||
						      a->requests.files.sample_bits > 0};
	return IOT_OK;
}
