/* SPDX-License-Identifier: BSD-2-Clause */
/* Which files have the sectors of a physical record, according to extents. */
#ifndef LIB_TIES_SECTORS_H
#define LIB_TIES_SECTORS_H

#include "match.h"

/* The number of the disk, + 1; 0: no extent is on it. */
uint32_t sectors_device(const struct tie_match *m, const struct iot_record *rec);
/*
 * Returns whether several files have had the same sectors: it is not known whose bytes these are.
 */
bool sectors_are_ambiguous(const struct tie_match *m, const struct iot_record *rec);
/* Returns whether extents show that a physical record does not belong to the file of a row. */
bool sectors_are_elsewhere(const struct tie_match *m, const struct iot_record *rec, uint32_t row);
/*
 * Adds the bytes of a tied record to the files that have them. Returns the sum, which is less than
 * the bytes of the record if extents show that no file has some of them.
 */
uint64_t sectors_credit(struct tie_match *m, const struct iot_record *rec, const struct tie *tie);

#endif
