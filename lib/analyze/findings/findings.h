/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Findings: what may make the I/O slow, with the figure, the threshold that it exceeds, the file or
 * process that it concerns most, and a remedy.
 */
#ifndef LIB_ANALYZE_FINDINGS_FINDINGS_H
#define LIB_ANALYZE_FINDINGS_FINDINGS_H

#include "lib/analyze/op_times.h"
#include "lib/analyze/over_time/concurrency.h"
#include "lib/analyze/places.h"
#include "lib/analyze/slow_calls.h"
#include "lib/analyze/tables/tables.h"

enum { FINDING_TEXT = 512 };

struct finding {
	const char *code;
	double value, threshold;
	uint64_t count; /* requests, files or processes beyond the threshold */
	uint64_t bytes; /* that it concerns */
	bool has_count, has_bytes;
	/*
	 * what costs the time: calls of `operation`, those that failed, or requests or files; 0:
	 * none
	 */
	uint64_t calls, failed, requests, files;
	struct table_rank file; /* that it concerns most, if `has_file` */
	char key[VALUE_KEY];    /* of the file */
	uint32_t process;       /* likewise */
	uint64_t rank;          /* likewise */
	bool has_file, has_process, has_rank;
	const char *cause;           /* a word of the vocabulary */
	const char *operation;       /* the name with most time; NULL: none */
	struct iot_text place;       /* the directory that it concerns most; data NULL: none */
	char sentence[FINDING_TEXT]; /* percent-encoded */
	const char *remedy;
	double seconds;   /* that it costs, if `saves_time` */
	double saves;     /* the share of the run that the remedy can save at most */
	bool saves_time;  /* it is a share of the time, else of the bytes */
	double explained; /* the share of `saves` that other findings explain; they precede it */
	bool trivial;
	size_t number; /* orders findings that save the same */
};

struct findings {
	struct finding *list; /* those that save most first */
	size_t count, capacity;
	bool failed; /* out of memory */
};

struct findings_source {
	const struct values *values; /* of all sections */
	const struct row_table *table;
	const struct counters *counters;
	const struct iot_analyze_options *options;
	const struct metadata *metadata;
	const struct op_times *op_times;
	const struct slow_calls *slow_calls;
	const struct concurrency *concurrency;
	const struct places *places;
};

void findings_find(struct findings *f, const struct findings_source *from);
/* The texts belong to f. */
void findings_values(const struct findings *f, struct values *v);
void findings_free(struct findings *f);

#endif
