/* SPDX-License-Identifier: BSD-2-Clause */
/* The name of a row in text. */
#include "results.h"

#include <stdio.h>
#include <string.h>

#include "cli/ui/printable.h"

enum { NAME_CAPACITY = STAT_LABEL / 2 };

/* "12 ", "12:3 ", or "12:3 (rank 11) " */
static int human_ids(const struct stat_results *s, const struct iot_stats_row *row, char *text,
		     size_t capacity)
{
	char file[16] = "", rank[32] = "";
	if (s->by == IOT_STATS_BY_RANK)
		return snprintf(text, capacity, "%ju", (uintmax_t)row->rank);
	if (s->by == IOT_STATS_BY_FILE)
		snprintf(file, sizeof file, ":%u", row->file);
	if (row->has & IOT_STATS_HAS_RANK)
		snprintf(rank, sizeof rank, " (rank %ju)", (uintmax_t)row->rank);
	return snprintf(text, capacity, "%u%s%s ", row->process, file, rank);
}

/* Returns whether a row has ids or a rank to print. */
static bool has_ids(const struct stat_results *s, const struct iot_stats_row *row)
{
	return s->by <= IOT_STATS_BY_PROCESS ||
	       (s->by == IOT_STATS_BY_RANK && (row->has & IOT_STATS_HAS_RANK));
}

static const char *human_name(const struct stat_results *s, const struct iot_stats_row *row,
			      char *text, size_t capacity)
{
	size_t size = 0;
	int used = 0;
	const char *name = stat_name(s, row, &size);
	if (has_ids(s, row))
		used = human_ids(s, row, text, capacity);
	if (name)
		printable_renamed(text + used, capacity - (size_t)used,
				  (struct iot_text){name, size}, stat_first_name(s, row));
	else if (s->by == IOT_STATS_BY_OBJECT && row->object == 0)
		snprintf(text, capacity, "%s %u of process %u", s->physical ? "disk" : "file",
			 row->file, row->process);
	else if (s->by == IOT_STATS_BY_OBJECT)
		snprintf(text, capacity, "object %u", row->object);
	else if (used == 0)
		snprintf(text, capacity, "-");
	return text;
}

/* Returns "in INPUT" for a row with ids, which only this input defines. */
static const char *human_input(const struct stat_results *s, const struct iot_stats_row *row,
			       char *text, size_t capacity)
{
	const char *input = stat_input(s, row);
	const bool named = s->by == IOT_STATS_BY_TRACE ||
			   (s->by == IOT_STATS_BY_OBJECT && row->object != 0 && row->name != NULL);
	enum { IN = sizeof " in " - 1 };
	if (input == NULL || named)
		return "";
	memcpy(text, " in ", IN);
	printable(text + IN, capacity - IN, input, strlen(input));
	return has_ids(s, row) && row->name == NULL ? text + 1 : text; /* ids end with a blank */
}

const char *stat_label(const struct stat_results *s, const struct iot_stats_row *row,
		       char text[STAT_LABEL])
{
	char input[NAME_CAPACITY];
	human_name(s, row, text, NAME_CAPACITY);
	return strcat(text, human_input(s, row, input, sizeof input));
}
