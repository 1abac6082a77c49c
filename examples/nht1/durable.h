/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NHT1_DURABLE_H
#define NHT1_DURABLE_H

/* Waits until the data of a file is on disk. A failed call ends the program. */
void sync_file(int fd, const char *path);

/* Writes the directory that contains a path to disk, so that the name is there, too. */
void sync_directory(const char *path);

#endif
