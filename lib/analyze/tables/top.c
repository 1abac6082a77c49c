/* SPDX-License-Identifier: BSD-2-Clause */
#include "top.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/result/names.h"

void top_init(struct top_lists *top, size_t size)
{
	*top = (struct top_lists){.size = size};
}

/* Inserts into a sorted list, of which the last one leaves if it is full. */
static bool insert(struct top_list *list, size_t size, const struct table_rank *rank)
{
	if (list->count == size) {
		if (!table_precedes(rank, &list->rank[size - 1]))
			return true;
		list->count--;
	}
	if (!array_reserve(&list->rank, &list->capacity, list->count + 1, sizeof *list->rank))
		return false;
	size_t at = list->count++;
	for (; at > 0 && table_precedes(rank, &list->rank[at - 1]); at--)
		list->rank[at] = list->rank[at - 1];
	list->rank[at] = *rank;
	return true;
}

void top_add(struct top_lists *top, struct table_rank rank, const struct row_sums *sums,
	     uint64_t ns)
{
	const uint64_t by[TOP_LISTS] = {row_bytes(sums), row_requests(sums), ns};
	for (unsigned i = 0; i < TOP_LISTS; i++) {
		rank.first = by[i];
		if (by[i] > 0)
			top->failed |= !insert(&top->of[i], top->size, &rank);
	}
}

static const char *key_of(char key[VALUE_KEY], const struct table_rank *rank, bool files)
{
	return files ? table_file_key(key, &rank->key) : values_key(key, rank->key.process);
}

/* The paths of the files in any of the lists, once each. */
static void path_values(const struct top_lists *top, struct values *v)
{
	char key[VALUE_KEY];
	const size_t first = v->count;
	for (unsigned i = 0; i < TOP_LISTS; i++)
		for (size_t k = 0; k < top->of[i].count; k++) {
			const struct table_rank *rank = &top->of[i].rank[k];
			bool known = rank->name.data == NULL;
			table_file_key(key, &rank->key);
			for (size_t at = first; at < v->count && !known; at++)
				known = strcmp(v->value[at].key, key) == 0;
			if (!known)
				values_text(v, NAME_OF(top_path), key, rank->name);
		}
}

/* The program or rank of a process, as far as declared. */
static void process_value(const struct row_names *names, uint32_t process, const char *key,
			  bool program, struct values *v)
{
	const struct iot_text name = row_names_program(names, process);
	uint64_t rank;
	if (program && name.data != NULL)
		values_text(v, NAME_OF(top_program), key, name);
	else if (!program && row_names_rank(names, process, &rank))
		values_number(v, NAME_OF(top_rank), key, "", rank);
}

/* The programs or ranks of the processes in any of the lists, once each. */
static void process_values(const struct top_lists *top, const struct row_names *names, bool program,
			   struct values *v)
{
	char key[VALUE_KEY];
	const size_t first = v->count;
	for (unsigned i = 0; i < TOP_LISTS; i++)
		for (size_t k = 0; k < top->of[i].count; k++) {
			bool known = false;
			values_key(key, top->of[i].rank[k].key.process);
			for (size_t at = first; at < v->count && !known; at++)
				known = strcmp(v->value[at].key, key) == 0;
			if (!known)
				process_value(names, top->of[i].rank[k].key.process, key, program,
					      v);
		}
}

void top_values(const struct top_lists *top, const struct row_table *t, bool files,
		struct values *v)
{
	static const char *const names[TOP_LISTS] = {"top_bytes", "top_requests", "top_time_ns"},
				 *const units[TOP_LISTS] = {"bytes", "", "ns"};
	char key[VALUE_KEY];
	for (unsigned i = 0; i < TOP_LISTS; i++) {
		if (i == TOP_TIME && !files && t->from.busy->inexact[BUSY_ALL]) {
			values_unknown(v, names[i], NULL, units[i], v->inexact);
			continue;
		}
		for (size_t k = 0; k < top->of[i].count; k++) {
			const struct table_rank *rank = &top->of[i].rank[k];
			values_number(v, names[i], key_of(key, rank, files), units[i], rank->first);
		}
	}
	if (files) {
		path_values(top, v);
		return;
	}
	process_values(top, t->from.names, true, v);
	process_values(top, t->from.names, false, v);
}

void top_free(struct top_lists *top)
{
	for (unsigned i = 0; i < TOP_LISTS; i++)
		free(top->of[i].rank);
}
