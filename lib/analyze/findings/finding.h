/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of findings, what each concerns, and what its remedy can save at most. */
#ifndef LIB_ANALYZE_FINDINGS_FINDING_H
#define LIB_ANALYZE_FINDINGS_FINDING_H

#include "findings.h"

/* Thresholds: shares, unless a unit is named. */
enum { REQUESTS_MIN = 1000, FINDING_SIZE = 32 };
#define SMALL_MAX      0.1
#define MISALIGNED_MAX 0.1
#define BACKWARD_MAX   0.2
#define RANDOM_MAX     0.5
#define REREAD_MAX     0.1
#define METADATA_MAX   0.5
#define METADATA_MAX_S 30.0
#define METADATA_MIN   0.05 /* of the run, in lookups or in changes of names */
#define STRAGGLERS_MAX 0.15
#define IMBALANCE_MAX  0.3
#define RANK_0_MIN     0.99
#define OVERLAP_MIN    0.2
#define FOOTPRINT_MAX  0.25
#define SWAPPING_MIN   0.5
#define COLLECTIVE_MIN 0.5
#define STREAM_MAX     0.1

#define FINDING_REMEDY_METADATA                                                                    \
	"open files once and keep them open, combine small files, do not repeat stat"

#define FINDING_REMEDY_RANK_0 "let several processes do I/O, such as by collective buffering"

/* The most of files or processes. */
struct max_rank {
	struct table_rank rank; /* rank.first: how much */
	bool any;
};

/* Evidence over all files, from records or counters. */
struct file_evidence {
	struct max_rank small[2], small_shared[2], random, reread, straggler, shared;
	uint64_t requests[2], small_requests[2];
	uint64_t shared_requests[2], shared_small[2];
	uint64_t stragglers;    /* files */
	double straggler_share; /* of the file with most */
	uint64_t straggler_users, shared_files;
};

/*
 * The shares of the run time that the slowest process spends in reads, writes and both; of the
 * bytes if these times are not known.
 */
struct run_cost {
	double seconds, bytes; /* of the run; 0 if unknown */
	bool timed;            /* times are known */
	double reads_or_writes[2], both;
};

extern const char *const finding_verbs[2];

const struct iot_analyze_value *finding_value(const struct findings_source *from,
					      const char *section, const char *name,
					      const char *key);
/* Return false if the value is unknown, or no number; _of: NAME_r or NAME_w. */
bool finding_known(const struct findings_source *from, const char *section, const char *name,
		   const char *key, double *to);
bool finding_known_of(const struct findings_source *from, const char *section, const char *name,
		      unsigned direction, const char *key, double *to);
/* Returns whether there are asynchronous requests: a source that cannot show them has none. */
bool finding_asynchronous(const struct findings_source *from);
/* Returns whether this is the most so far. */
bool max_rank_take(struct max_rank *m, struct table_rank rank, uint64_t amount);

/* Returns NULL if out of memory. */
struct finding *finding_add(struct findings *f, const char *code, double value, double threshold);
void finding_text(struct finding *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends WHAT and the file. */
void finding_set_file(struct finding *f, const char *what, const struct max_rank *m);
void finding_set_process(struct finding *f, uint32_t process);
void finding_set_count(struct finding *f, uint64_t count);
void finding_set_bytes(struct finding *f, uint64_t bytes);
const char *finding_size(char text[FINDING_SIZE], double bytes);
/* At most this share of the run, or this time, can be saved. */
void finding_set_share(struct finding *f, const struct run_cost *cost, double share);
void finding_set_seconds(struct finding *f, const struct run_cost *cost, double seconds);

struct run_cost run_cost_of(const struct findings_source *from);

#endif
