/* SPDX-License-Identifier: BSD-2-Clause */
#include "tie_values.h"

#include <stdlib.h>
#include <string.h>

#include "lib/analyze/tables/tables.h"
#include "lib/result/names.h"

#include "state.h"

static const char no_bytes[] = "no bytes of calls", no_disk_bytes[] = "no bytes of disks",
		  no_read_ahead[] = "nothing was read ahead";

/* Values */

static void kind_values(const struct tie_sums *s, struct values *v)
{
	uint64_t all[TIE_DIRECTIONS] = {0};
	const uint64_t *untied = s->kind[TIE_NONE].bytes;
	for (unsigned k = 0; k < TIE_KINDS; k++) {
		all[TIE_READ] += s->kind[k].bytes[TIE_READ];
		all[TIE_WRITE] += s->kind[k].bytes[TIE_WRITE];
	}
	static const char *const names[TIE_DIRECTIONS][2] = {
	    {"read_disk_ios", "read_disk_bytes"}, {"write_disk_ios", "written_disk_bytes"}};
	for (unsigned d = 0; d < TIE_DIRECTIONS; d++) {
		for (unsigned k = 0; k < TIE_KINDS; k++)
			values_number(v, names[d][0], tie_kind_names[k], "", s->kind[k].records[d]);
		for (unsigned k = 0; k < TIE_KINDS; k++)
			values_number(v, names[d][1], tie_kind_names[k], "bytes",
				      s->kind[k].bytes[d]);
	}
	values_ratio(v, NAME_OF(read_untied_share), NULL, "", (double)untied[TIE_READ],
		     (double)all[TIE_READ], no_disk_bytes);
	values_ratio(v, NAME_OF(write_untied_share), NULL, "", (double)untied[TIE_WRITE],
		     (double)all[TIE_WRITE], no_disk_bytes);
	values_ratio(v, NAME_OF(untied_share), NULL, "",
		     (double)untied[TIE_READ] + (double)untied[TIE_WRITE],
		     (double)all[TIE_READ] + (double)all[TIE_WRITE], no_disk_bytes);
}

/* The rows of a list: all files, and then the first ones of the sorted sums. */
struct tie_list {
	struct tie_row total;
	const struct tie_row *rows;
	size_t count;
	const struct row_names *names;
};

static const struct tie_row *row_at(const struct tie_list *l, size_t i)
{
	return i == 0 ? &l->total : &l->rows[i - 1];
}

static struct file_key file_of(const struct tie_row *row)
{
	return (struct file_key){.object = row->object, .process = row->process, .file = row->file};
}

static const char *key_of(const struct tie_list *l, size_t i, char key[VALUE_KEY])
{
	const struct file_key file = file_of(row_at(l, i));
	return i == 0 ? "total" : table_file_key(key, &file);
}

static void number_of_each(const struct tie_list *l, const char *name,
			   uint64_t (*of)(const struct tie_row *row), struct values *v)
{
	char key[VALUE_KEY];
	for (size_t i = 0; i <= l->count; i++)
		values_number(v, name, key_of(l, i, key), "bytes", of(row_at(l, i)));
}

static void ratio_of_each(const struct tie_list *l, const char *name,
			  uint64_t (*part)(const struct tie_row *row),
			  uint64_t (*whole)(const struct tie_row *row), const char *reason,
			  struct values *v)
{
	char key[VALUE_KEY];
	for (size_t i = 0; i <= l->count; i++)
		values_ratio(v, name, key_of(l, i, key), "", (double)part(row_at(l, i)),
			     (double)whole(row_at(l, i)), reason);
}

static uint64_t calls_read(const struct tie_row *row)
{
	return row->logical[TIE_READ];
}

static uint64_t calls_wrote(const struct tie_row *row)
{
	return row->logical[TIE_WRITE];
}

static uint64_t disks_read(const struct tie_row *row)
{
	return row->physical[TIE_READ];
}

static uint64_t disks_wrote(const struct tie_row *row)
{
	return row->physical[TIE_WRITE];
}

static uint64_t ahead(const struct tie_row *row)
{
	return row->ahead;
}

static uint64_t ahead_used(const struct tie_row *row)
{
	return row->ahead_used;
}

static void path_of_each(const struct tie_list *l, struct values *v)
{
	char key[VALUE_KEY];
	for (size_t i = 1; i <= l->count; i++) {
		const struct file_key file = file_of(row_at(l, i));
		const struct iot_text path = row_names_path(l->names, &file);
		if (path.data != NULL)
			values_text(v, NAME_OF(path), key_of(l, i, key), path);
	}
}

void tie_values(struct tie_sums *s, const struct row_names *names, size_t top, struct values *v)
{
	if (!s->any)
		return;
	tie_sums_sort(s);
	const struct tie_list l = {.total = tie_sums_total(s),
				   .rows = s->row,
				   .count = top < s->rows.count ? top : s->rows.count,
				   .names = names};
	v->section = SECTION_OF(ties);
	kind_values(s, v);
	path_of_each(&l, v);
	number_of_each(&l, "read_call_bytes", calls_read, v);
	number_of_each(&l, "written_call_bytes", calls_wrote, v);
	number_of_each(&l, "read_tied_bytes", disks_read, v);
	number_of_each(&l, "written_tied_bytes", disks_wrote, v);
	ratio_of_each(&l, "read_amplification", disks_read, calls_read, no_bytes, v);
	ratio_of_each(&l, "write_amplification", disks_wrote, calls_wrote, no_bytes, v);
	number_of_each(&l, "read_ahead_bytes", ahead, v);
	number_of_each(&l, "read_ahead_used_bytes", ahead_used, v);
	ratio_of_each(&l, "read_ahead_used_share", ahead_used, ahead, no_read_ahead, v);
}

/* The state */

static void kinds_state(struct state *s, struct tie_sums *sums)
{
	size_t i;
	while (state_each(s, "ties.kind", TIE_KINDS, &i)) {
		struct tie_kind_sum *k = &sums->kind[i];
		state_number(s, "reads", &k->records[TIE_READ]);
		state_number(s, "read_bytes", &k->bytes[TIE_READ]);
		state_number(s, "writes", &k->records[TIE_WRITE]);
		state_number(s, "written_bytes", &k->bytes[TIE_WRITE]);
	}
}

/* Rows in the order of their keys. */
static struct tie_row *sorted_rows(struct state *s, const struct tie_sums *sums)
{
	struct tie_row *list = calloc(sums->rows.count + 1, sizeof *list);
	if (list == NULL)
		state_no_memory(s);
	else if (sums->rows.count > 0)
		memcpy(list, sums->row, sums->rows.count * sizeof *list);
	if (list != NULL)
		qsort(list, sums->rows.count, sizeof *list, tie_row_by_file);
	return list;
}

static void row_columns(struct state *s, struct tie_row *row)
{
	state_small(s, "object", &row->object, UINT32_MAX);
	state_small(s, "opener", &row->process, UINT32_MAX);
	state_small(s, "id", &row->file, UINT32_MAX);
	for (size_t i = 0; i < TIE_ROW_NUMBERS; i++)
		state_number(s, tie_row_keys[i], tie_row_number(row, i));
}

static void files_state(struct state *s, struct tie_sums *sums)
{
	struct tie_row *list = sorted_rows(s, sums), none = {.object = 0};
	const size_t count = sums->rows.count;
	for (size_t i = 0; list != NULL && state_list(s, "ties.file", state_saves(s) && i < count);
	     i++) {
		struct tie_row row = i < count ? list[i] : none;
		row_columns(s, &row);
		if (!state_saves(s) && !state_failed(s) && !tie_sums_add_row(sums, &row))
			state_no_memory(s);
	}
	free(list);
}

void tie_state(struct state *s, struct tie_sums *sums)
{
	size_t i;
	while (state_each(s, "ties", 1, &i))
		state_flag(s, "any", &sums->any);
	kinds_state(s, sums);
	files_state(s, sums);
}
