/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables by process, rank, host, file, directory and operation, from the rows of pairs of a process
 * and a file; * lists of the rows with most bytes, requests or time.
 */
#ifndef LIB_ANALYZE_TABLES_TABLES_H
#define LIB_ANALYZE_TABLES_TABLES_H

#include "lib/analyze/classes.h"
#include "lib/analyze/counters.h"
#include "lib/analyze/hosts/host_samples.h"
#include "lib/analyze/metadata.h"
#include "lib/analyze/order.h"
#include "lib/analyze/reuse.h"
#include "lib/analyze/rows.h"
#include "lib/analyze/values.h"

#include "row_names.h"

struct table_source {
	unsigned layer;
	const struct requests *requests;
	const struct rows *rows;
	const struct busy *busy; /* of processes */
	const struct order *order;
	const struct reuse *reuse;
	const struct classes *classes;
	const struct row_names *names;
	const struct metadata *metadata;       /* NULL: not known */
	const struct counters_totals *counted; /* counters that replace requests; NULL: none */
	const struct host_samples *samples;    /* samples that replace requests; NULL: none */
	uint64_t processes;                    /* of the job */
	bool shows_opens, shows_operations;    /* otherwise the number is unknown */
	bool by_file;                          /* files are known */
};

/* What a row sorts by: larger ones first, then names, then numbers. */
struct table_rank {
	uint64_t first, second;
	struct iot_text name;
	struct file_key key;
	uint32_t number; /* of the process or file */
};

struct row_table {
	struct table_source from;
	uint32_t *begin; /* by file: the index of its first pair in `pairs`; one more than files */
	uint32_t *pairs; /* those in use, by file */
	uint32_t *files; /* by process: those with a request of it */
	/* files outside of the sample, their indices in file_sums; they follow the others */
	uint32_t *left_out;
	size_t left_out_count;
	struct table_rank *ranks; /* of the table sorted last */
	size_t count, capacity;
	uint32_t *members; /* of groups: processes or files; ranks[i].number: index of the first */
	size_t member_count;
	enum iot_analyze_by by;
	struct values values; /* of one row */
	char key[VALUE_KEY];  /* of one row */
};

/* The sums of a row, and times of unions by enum busy_kind. */
struct table_sums {
	struct row_sums sums;
	uint64_t ns[BUSY_KINDS];
};

enum file_layout { LAYOUT_SEGMENTED, LAYOUT_INTERLEAVED, LAYOUT_OVERLAPPING, LAYOUTS };
extern const char *const file_layouts[LAYOUTS];

struct table_file {
	struct table_sums all; /* of its processes */
	uint64_t small[2];     /* requests, by direction */
	uint32_t users;        /* processes with a request */
	uint64_t extent;       /* only if `located` */
	bool located;
	enum file_layout layout; /* only if shared: users > 1 */
	uint64_t slowest_ns, fastest_ns, io_ns;
};

/* Returns false if out of memory. `from` must outlive the table. */
bool table_make(struct row_table *t, const struct table_source *from);
void table_free(struct row_table *t);
/* Returns the number of rows, or IOT_ENOMEM. */
ssize_t table_sort(struct row_table *t, enum iot_analyze_by by);
/* Returns IOT_OK, IOT_EUSAGE, IOT_ENOMEM. */
int table_row(struct row_table *t, size_t i, struct iot_analyze_row *row);

/* The number of files, with those outside of the sample, and the key of one of them. */
size_t table_files(const struct row_table *t);
struct file_key table_key_of_file(const struct row_table *t, size_t file);
/* Returns whether a file is outside of the sample: only its sums are known. */
bool table_is_left_out(const struct row_table *t, size_t file);
/* Sums the pairs of a file. Returns false if it has neither requests nor operations. */
bool table_file(const struct row_table *t, size_t file, struct table_file *sums);
/* Sums the rows of a process. Returns false if it has neither requests nor operations. */
bool table_process(const struct row_table *t, size_t process, struct table_sums *sums);
/* Returns whether no request has a known time. */
bool table_is_untimed(const struct row_sums *s);
struct table_rank table_file_rank(const struct row_table *t, size_t file);
struct table_rank table_process_rank(const struct row_table *t, size_t process);
uint32_t table_process_id(const struct row_table *t, size_t process);
/* Returns whether a precedes b, which is not equal to it. */
bool table_precedes(const struct table_rank *a, const struct table_rank *b);
const char *table_file_key(char key[VALUE_KEY], const struct file_key *file);
/* The values of a row. */
void table_process_values(const struct row_table *t, size_t process, struct values *v);
void table_file_values(const struct row_table *t, size_t file, struct values *v);
void table_sampled_host_values(const struct row_table *t, size_t host, struct values *v);
void table_operation_values(const struct metadata *m, size_t operation, struct values *v);
/* Writes the values of sums; key: of the row, or NULL. */
void table_sums_values(const struct row_table *t, const char *key, const struct table_sums *sums,
		       const struct busy *b, struct values *v);
/* Append a rank for each row. Return false if out of memory. */
bool table_rank_processes(struct row_table *t);
bool table_rank_files(struct row_table *t);
bool table_rank_operations(struct row_table *t);
bool table_rank_sampled_hosts(struct row_table *t);
/* Appends a rank with the bytes and requests of the sums. Returns false if out of memory. */
bool table_add_rank(struct row_table *t, struct table_rank rank, const struct row_sums *s);
/* Sorts `ranks` by their order. */
void table_sort_ranks(struct row_table *t);
int table_compare_names(struct iot_text a, struct iot_text b);

/*
 * Groups: the processes of a rank or host, the files of a directory. Replaces the ranks of members
 * by ranks of groups. Returns false if out of memory.
 */
bool table_group(struct row_table *t);
void table_group_values(const struct row_table *t, size_t group, struct values *v);
/* The text of its key; NULL if its members declare none. */
struct iot_text table_group_key(struct row_table *t, size_t group);

/* The values of the sections. Return false if out of memory. */
bool sharing_values(const struct row_table *t, size_t top, struct values *v);
bool balance_values(const struct row_table *t, size_t top, struct values *v);

#endif
