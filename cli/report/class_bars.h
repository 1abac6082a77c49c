/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes by class, of all files and of those with most. */
#ifndef CLI_REPORT_CLASS_BARS_H
#define CLI_REPORT_CLASS_BARS_H

#include <stdbool.h>

#include <iotrace/analyze.h>

enum byte_class {
	CLASS_REQUIRED,
	CLASS_CHECKPOINT,
	CLASS_SWAPPING,
	CLASS_REWRITTEN,
	CLASS_UNKNOWN,
	CLASSES
};
enum { CLASS_FILES_MAX = 9 };

extern const char *const class_names[CLASSES];

struct class_bar {
	struct iot_text name; /* percent-encoded; NULL: the key of the file, or all files */
	char key[32];
	double bytes[CLASSES];
};

struct class_bars {
	struct class_bar bar[1 + CLASS_FILES_MAX]; /* the first: all files */
	size_t count;                              /* 0: not known */
};

/* Returns an enum iot_status. */
int class_bars_make(struct class_bars *c, struct iot_analyze *a);
double class_bar_sum(const struct class_bar *b);

#endif
