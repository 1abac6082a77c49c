/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes of an analysis, in order of rank, then of id; and groups of equally many. */
#ifndef CLI_REPORT_PROCESS_LIST_H
#define CLI_REPORT_PROCESS_LIST_H

#include <stdbool.h>

#include <iotrace/analyze.h>

enum process_time { PROCESS_READING, PROCESS_WRITING, PROCESS_METADATA, PROCESS_TIMES };

struct process_row {
	uint32_t id;
	bool has_rank;
	uint64_t rank, bytes[2];
	double ns[PROCESS_TIMES]; /* NaN: unknown */
};

struct process_list {
	struct process_row *row;
	size_t count;
	bool ranked; /* all have a rank */
};

/* Returns an enum iot_status. */
int process_list_make(struct process_list *p, struct iot_analyze *a);
/* The rank, or the id if not all processes have one. */
uint64_t process_list_label(const struct process_list *p, size_t i);
/* Fewest bytes first. */
void process_list_sort_by_bytes(struct process_list *p);
void process_list_sort_by_rank(struct process_list *p);
void process_list_free(struct process_list *p);

#endif
