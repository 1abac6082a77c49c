/* SPDX-License-Identifier: BSD-2-Clause */
/* The findings of an analysis as a table, the most expensive first. */
#ifndef CLI_VIEWS_FINDINGS_H
#define CLI_VIEWS_FINDINGS_H

#include "values.h"

enum { FINDING_OBJECTS = 4 };

struct findings_view {
	const struct iot_analyze *analysis;
	const char *code; /* of the finding that is read */
	const struct iot_analyze_value *object[FINDING_OBJECTS];
	struct iot_table table, objects, evidence;
	struct value_texts texts, object_texts;
};

void findings_view(struct findings_view *v, const struct iot_analyze *a);

#endif
