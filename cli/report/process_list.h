/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processes of an analysis, in order of rank, then of id. From samples alone: the hosts, in
 * order of their names, with their positions as ids.
 */
#ifndef CLI_REPORT_PROCESS_LIST_H
#define CLI_REPORT_PROCESS_LIST_H

#include <stdbool.h>

#include <iotrace/analyze.h>

#include "cli/ui/output.h"

enum process_time { PROCESS_READING, PROCESS_WRITING, PROCESS_METADATA, PROCESS_TIMES };

struct process_row {
	uint32_t id;
	bool has_rank, has_bytes[2];
	uint64_t rank, bytes[2];
	char *host;               /* percent-encoded; NULL: a process */
	double ns[PROCESS_TIMES]; /* NaN: unknown */
};

struct process_list {
	struct process_row *row;
	size_t count;
	bool ranked; /* all have a rank */
	bool hosts;
	size_t domain; /* bytes that all names of hosts have from their first dot */
};

struct process_label {
	const char *host;      /* of the list; or NULL */
	size_t without_domain; /* bytes of it */
	uint64_t number;       /* the rank, or the id if not all processes have one */
};

/* Returns an enum iot_status. */
int process_list_make(struct process_list *p, struct iot_analyze *a);
struct process_label process_list_label(const struct process_list *p, size_t i);
/* Returns the noun of labels: "rank", "process" or "host". */
const char *process_list_noun(const struct process_list *p);
/* Write a label: as text in markup; in an element of text, shortened; in TSV. */
void process_label_whole(struct output *o, struct process_label l);
void process_label_write(struct output *o, struct process_label l);
void process_label_field(struct output *o, struct process_label l);
/* Fewest bytes first. */
void process_list_sort_by_bytes(struct process_list *p);
void process_list_sort_by_rank(struct process_list *p);
void process_list_free(struct process_list *p);

#endif
