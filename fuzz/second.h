/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A second decoder of record lines, written from iotrace(5) alone and as simple as that page allows:
 * harnesses compare the library with it. It shares nothing with lib/ but the record that it fills.
 */
#ifndef IOT_FUZZ_SECOND_H
#define IOT_FUZZ_SECOND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

struct iot_second; /* "previous", for one trace */

/* start: of the record before the first, in ticks. Aborts where memory lacks, as all of a harness does. */
struct iot_second *iot_second_new(uint64_t tick_ns, unsigned base, uint64_t start);
void iot_second_free(struct iot_second *s);

/* One line, with its LF or without. Comments and blank lines are no records. */
bool iot_second_line(struct iot_second *s, const char *line, size_t size, struct iot_record *rec);

/* What a %sync makes of the state. */
void iot_second_forget(struct iot_second *s);

#endif
