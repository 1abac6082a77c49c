/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A second decoder of record lines, written from iotrace(5) alone and as simple as that page allows:
 * harnesses compare the library with it. It shares nothing with lib/ but the record that it fills.
 */
#ifndef FUZZ_SECOND_H
#define FUZZ_SECOND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

struct second; /* "previous", for one trace */

/* start: of the record before the first, in ticks. Aborts where memory lacks, as all of a harness does. */
struct second *second_new(uint64_t tick_ns, unsigned base, uint64_t start);
void second_free(struct second *s);

/* One line, with its LF or without. Comments and blank lines are no records. */
bool second_line(struct second *s, const char *line, size_t size, struct iot_record *rec);

/* What a %sync makes of the state. */
void second_forget(struct second *s);

#endif
