/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads counters at intervals, and writes their increases to a trace that can be read meanwhile. */
#ifndef CLI_SAMPLE_SAMPLER_H
#define CLI_SAMPLE_SAMPLER_H

#include <limits.h>

#include "cli/ui/rotation.h"
#include "converters/samples/samples.h"

#include "text_in.h"

enum { SAMPLED_SOURCES = 4, SAMPLER_TEXT = 4 << 20, SAMPLER_EVENTS = 1024 };

struct sampler {
	uint64_t every_ns, count, for_ns; /* count, for_ns: 0: until a signal */
	bool align;                       /* at multiples of the interval since 1970 */
	bool quiet;
	const char *device; /* a glob; NULL: disks */
	const char *out;
	struct rotation rotation;
	uint32_t wanted; /* a bit for each source; 0: all sources that exist */

	struct sampled_source {
		const struct text_source *text;
		struct source_state source;
		bool failed; /* and this was reported */
	} source[SAMPLED_SOURCES];
	size_t sources;
	struct setting settings[2];
	char host[HOST_NAME_MAX + 1];
	char name[PATH_MAX]; /* of the current part */
	struct iot_writer *writer;
	char *text;
	struct iot_event *events;
	int signals;      /* descriptor */
	uint64_t slow;    /* reads that took more than a hundredth of the interval */
	uint64_t next_ns; /* of the monotonic clock */
};

/* Returns the exit status, after a message unless it is EXIT_OK. */
enum exit_status sampler_run(struct sampler *s);

#endif
