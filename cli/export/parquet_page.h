/* SPDX-License-Identifier: BSD-2-Clause */
/* The encodings of values in pages of Parquet. */
#ifndef CLI_EXPORT_PARQUET_PAGE_H
#define CLI_EXPORT_PARQUET_PAGE_H

#include "byte_buffer.h"

/*
 * DELTA_BINARY_PACKED: differences of neighbours, in as many bits as 32 of them need. bits:
 * 32 or 64, of a value.
 */
void parquet_page_deltas(struct byte_buffer *b, const uint64_t *value, size_t n, unsigned bits);
/* Runs of equal values, and groups of eight others, in `width` bits each. */
void parquet_page_runs(struct byte_buffer *b, const uint32_t *value, size_t n, unsigned width);
/* The levels of n rows, with their length: a bit for each row, NULL if all are 1. */
void parquet_page_levels(struct byte_buffer *b, const uint8_t *bits, size_t n);

#endif
