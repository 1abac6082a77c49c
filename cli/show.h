/* SPDX-License-Identifier: BSD-2-Clause */
/* Events as CSV, as JSON lines, and as aligned text for people. */
#ifndef IOT_CLI_SHOW_H
#define IOT_CLI_SHOW_H

#include "map.h"
#include "out.h"

struct iot_show {
	struct iot_out *out;
	struct iot_reader *reader; /* knows the paths */
	uint64_t tick_ns;          /* unit of the times in CSV: the trace's tick, or 1 */
	bool names;                /* CSV: with object and path */
	bool failed;               /* out of memory */

	/* CSV's cpu is the difference to the process's record before. */
	struct iot_map processes;
	int64_t *cpu_ns;
	size_t cpu_room;

	char *memory; /* for a path or value being decoded */
	size_t memory_room;
};

void iot_show_free(struct iot_show *s);
/* Sees to it that memory has room for so many bytes. */
bool iot_show_room(struct iot_show *s, size_t size);

void iot_show_csv_head(struct iot_show *s);
void iot_show_csv(struct iot_show *s, const struct iot_record *rec, size_t n);
void iot_show_json(struct iot_show *s, const struct iot_event *ev, size_t n);
void iot_show_text_head(struct iot_show *s);
void iot_show_text(struct iot_show *s, const struct iot_event *ev, size_t n);

#endif
