/* SPDX-License-Identifier: BSD-2-Clause */
/* The first names of the renamed objects of several traces, which outlive the readers of these. */
#ifndef CLI_STAT_FIRST_NAMES_H
#define CLI_STAT_FIRST_NAMES_H

#include <stdbool.h>

#include <iotrace/iotrace.h>

#include "lib/base/idmap.h"
#include "lib/base/text_blocks.h"

/* All zeros: empty. */
struct first_names {
	struct idmap ids; /* traces and objects */
	struct iot_text *name;
	size_t capacity;
	struct text_blocks texts;
};

/* Copies the name. Returns false if out of memory. */
bool first_names_add(struct first_names *n, uint32_t trace, uint32_t object, struct iot_text name);
/* Returns a text with data NULL if the object was not renamed. */
struct iot_text first_names_of(const struct first_names *n, uint32_t trace, uint32_t object);
void first_names_free(struct first_names *n);

#endif
