/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings of one severity that are kept until the document is printed. */
#ifndef CLI_CHECK_FINDING_LIST_H
#define CLI_CHECK_FINDING_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include <iotrace/verify.h>

struct kept_finding {
	char *text;
	uint64_t line;
	unsigned kind, column;
};

struct finding_list {
	struct kept_finding *finding;
	size_t count, capacity;
};

/* Adds a copy. Returns false if out of memory. */
bool finding_list_add(struct finding_list *list, const struct iot_finding *f);
void finding_list_free(struct finding_list *list);

#endif
