/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the page cache out of a measurement of reads. */
#ifndef NHT1_CACHE_H
#define NHT1_CACHE_H

#include <stddef.h>

enum evict { EVICT_ADVICE, EVICT_DIRECT, EVICT_ALL, EVICT_NONE };

extern const char *const evict_words[];

/*
 * Removes the pages of a file that is on disk from memory, by the method. A failed call ends the
 * program.
 */
void cache_evict(const char *path, enum evict how);

/* Returns the number of pages of a file that are in memory. */
size_t cache_resident_pages(const char *path);

#endif
