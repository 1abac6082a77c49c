/* SPDX-License-Identifier: BSD-2-Clause */
/* Absolute names, without normalization. Directory descriptors are resolved by /proc/self/fd. */
#ifndef RECORD_PATHS_H
#define RECORD_PATHS_H

#include "ring.h"

/* Reads the working directory again. */
void paths_update_directory(void);
const char *paths_directory(void);
/*
 * Writes the name that `path`, relative to the directory `fd` (or AT_FDCWD), refers to. Returns its
 * size with the NUL; 0 if path is NULL. `out` has RECORD_TEXT_MAX bytes.
 */
uint32_t paths_absolute(int fd, const char *path, char *out);
/* Writes the name of a descriptor. Returns its size with the NUL; 0 if it has none. */
uint32_t paths_of_descriptor(int fd, char *out);

/*
 * Call this when paths of directories may have changed. Each is then asked for again, by all
 * processes of the recording.
 */
void paths_forget(void);

#endif
