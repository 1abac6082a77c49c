/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the results of a benchmark: lines of a name and a value, or one JSON object. */
#ifndef NHT1_REPORT_H
#define NHT1_REPORT_H

#include <stdint.h>

struct report {
	int json, fields;
};

void report_text(struct report *r, const char *name, const char *value);
void report_count(struct report *r, const char *name, uint64_t value);

/* Prints all digits that a double has. */
void report_number(struct report *r, const char *name, double value);

/*
 * Adds the processor, memory and kernel of this machine, and the file system of a directory or
 * file.
 */
void report_machine(struct report *r, const char *path);

/* Completes the output; a failed write ends the program. */
void report_end(struct report *r);

#endif
