/* SPDX-License-Identifier: BSD-2-Clause */
/* The parsed values of an %op, which several statistics use, so that its text is read once. */
#ifndef LIB_FORMAT_OPERATION_H
#define LIB_FORMAT_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

#include "operation_kind.h"

struct op {
	const struct iot_event *ev;
	struct iot_text name, result, path; /* data is NULL if the key is absent */
	enum operation_kind kind;
	uint64_t calls, size;
	bool failed, sized;          /* sized: the size is known */
	bool opens, creates, closes; /* successful operations; opens, creates: of a known file */
};

struct op operation_of(const struct iot_event *ev);

#endif
