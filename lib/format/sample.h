/* SPDX-License-Identifier: BSD-2-Clause */
/* The parsed values of a %sample: the growth of the counters of a host in an interval. */
#ifndef LIB_FORMAT_SAMPLE_H
#define LIB_FORMAT_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

enum sample_value {
	SAMPLE_READ_BYTES,
	SAMPLE_WRITTEN_BYTES,
	SAMPLE_READS,
	SAMPLE_WRITES,
	SAMPLE_REQUESTS, /* reads and writes of a source that does not distinguish them */
	SAMPLE_OPENS,
	SAMPLE_CLOSES,
	SAMPLE_READDIRS,
	SAMPLE_INODE_UPDATES,
	SAMPLE_CREATES,
	SAMPLE_READ_NS,
	SAMPLE_WRITE_NS,
	SAMPLE_BUSY_NS,
	SAMPLE_QUEUE_NS,
	SAMPLE_VALUES
};
/* Their keys. */
extern const struct iot_text sample_names[SAMPLE_VALUES];

struct sample {
	/* percent-encoded; data of target and job is NULL without one */
	struct iot_text host, target, job;
	uint64_t start_ns, took_ns;    /* of the interval, since time zero of the trace */
	uint64_t value[SAMPLE_VALUES]; /* 0 if it is not known */
	uint32_t known;                /* bit for each value that it has */
	bool gap, reset, doubtful;
};

/* Returns whether the sample has a host, an interval, and numbers. */
bool sample_of(const struct iot_event *ev, struct sample *s);
/*
 * Returns the size of "%sample time=T took=DT", with which most samples begin; 0 for others, and
 * for short ones.
 */
size_t sample_interval_size(struct iot_text text);
/* A hash of what it counts: host, target and job. Intervals of one key do not overlap. */
uint64_t sample_key(const struct sample *s);

#endif
