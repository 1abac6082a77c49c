/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A second decoder of record lines, written from iotrace(5) alone and as simply as that page
 * allows: harnesses compare the library with it. It shares nothing with lib/ except the record
 * type.
 */
#ifndef FUZZ_SECOND_H
#define FUZZ_SECOND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

struct second; /* "previous", for one trace */

/*
 * start: of the record before the first, in ticks. Aborts if out of memory, as all of a harness
 * does.
 */
struct second *second_new(uint64_t tick_ns, unsigned base, uint64_t start);
void second_free(struct second *s);

/* Decodes one line, with or without its LF. Comments and blank lines are not records. */
bool second_line(struct second *s, const char *line, size_t size, struct iot_record *rec);

/* Resets the state as a %sync does. */
void second_forget(struct second *s);

#endif
