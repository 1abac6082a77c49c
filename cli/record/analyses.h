/* SPDX-License-Identifier: BSD-2-Clause */
/* The modules of a recording, by name. All get all events. */
#ifndef CLI_RECORD_ANALYSES_H
#define CLI_RECORD_ANALYSES_H

#include "analysis.h"

enum { ANALYSES_MAX = 8, ANALYSIS_NAME = 32 };

/* All zeros: none. */
struct analyses {
	size_t count;
	const char *module[ANALYSES_MAX]; /* FILE.so[:ARGS] */
	char name[ANALYSES_MAX][ANALYSIS_NAME];
	struct analysis analysis[ANALYSES_MAX];
};

struct option;

/*
 * Adds the value of an option whose target is a struct analyses: [NAME=]FILE.so[:ARGS]. Returns
 * NULL, or what is expected.
 */
const char *analyses_take(const struct option *opt, const char *value);
/* For each module as the function of analysis.h does for one. */
bool analyses_start(struct analyses *a, const struct control *control, bool drops);
void analyses_events(struct analyses *a, const struct iot_event *ev, size_t n);
void analyses_operations(struct analyses *a, const struct iot_operation *op, size_t n);
void analyses_flush(struct analyses *a);
void analyses_end(struct analyses *a);
/*
 * Lets the module answer that a request names: "report [NAME]", "module [NAME=]FILE.so[:ARGS]". A
 * name may be missing if there is one module. Otherwise answers that there is none.
 */
void analyses_ask(struct analyses *a, const struct control *control,
		  const struct control_request *q);

#endif
