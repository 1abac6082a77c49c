/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts what `lctl get_param` of Lustre prints of stats, md_stats and job_stats.
 *
 *     lustre.c      the interface, parameters, lines of stats
 *     job_stats.c   the entries of jobs
 *     block.c       from the counters of a block to a sample
 */
#ifndef CONVERTERS_LUSTRE_LUSTRE_H
#define CONVERTERS_LUSTRE_LUSTRE_H

#include "converters/samples/samples.h"

/* Where counters are: they differ in what they count. */
enum lustre_kind {
	LUSTRE_NONE,
	LUSTRE_OTHER, /* a parameter that is not used */
	LUSTRE_CLIENT,
	LUSTRE_STORAGE,
	LUSTRE_METADATA
};

/* The counters of a target, or of a job there. */
struct lustre_block {
	bool open;
	int64_t time_ns, since_ns; /* SAMPLES_TIME_UNKNOWN: not stated */
	uint64_t elapsed_ns;       /* since the counters were 0; 0: not stated */
	uint32_t known;            /* bit for each value that a line states */
	uint64_t value[SAMPLE_VALUES];
};

struct lustre_place {
	uint64_t blocks;            /* of job_stats so far */
	int64_t now_ns, earlier_ns; /* newest times of this block and of the one before it */
};

struct lustre {
	enum lustre_kind kind;
	char target[SAMPLES_TEXT_MAX], mount[SAMPLES_TEXT_MAX];
	size_t target_size, mount_size;
	struct lustre_block block;
	/* blocks of mounts of one file system, which are added */
	struct lustre_block sum;
	char sum_target[SAMPLES_TEXT_MAX], sum_mount[SAMPLES_TEXT_MAX];
	size_t sum_target_size, sum_mount_size;
	/* job_stats.c */
	bool in_jobs;
	char job[SAMPLES_TEXT_MAX];
	size_t job_size;
	size_t at; /* index of the place */
	struct idmap places, entries;
	struct lustre_place *place;
	uint64_t *seen; /* the last block of each entry */
	size_t place_capacity, seen_capacity;
	uint64_t skipped, unmatched;
};

/* block.c */

/*
 * Takes a counter: the number of its samples, and their sum if has_sum, in a unit such as "bytes".
 * Returns false if a value does not fit in 64 bits.
 */
bool lustre_counter(struct lustre_block *b, struct iot_text name, struct iot_text unit,
		    uint64_t samples, bool has_sum, uint64_t sum);
/* Takes snapshot_time, start_time or elapsed_time. Returns false if it is another name. */
bool lustre_time(struct lustre_block *b, struct iot_text name, struct iot_text value, bool *valid);
void lustre_begin_block(struct lustre_block *b);
/* Emits the sample of a block of stats, if one is open. Returns false on failure. */
bool lustre_end_block(struct sampling *s);
bool lustre_end_sum(struct sampling *s);
/* Makes the counters of the block, for the caller to add what identifies them. */
void lustre_point(struct sampling *s, const struct lustre_block *b, enum lustre_kind kind,
		  struct sample_point *p);

/* job_stats.c */

bool lustre_jobs_begin(struct sampling *s);
bool lustre_jobs_line(struct sampling *s, struct iot_text line);
bool lustre_jobs_end_entry(struct sampling *s);
bool lustre_jobs_open(struct sampling *s);

#endif
