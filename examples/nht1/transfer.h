/* SPDX-License-Identifier: BSD-2-Clause */
/* The methods that transfer a request of an output. */
#ifndef NHT1_TRANSFER_H
#define NHT1_TRANSFER_H

#include "output.h"

enum { DIRECT_ALIGNMENT = 4096, DIRECT_BLOCK = 4 << 20 };

/* Transfers a request at the end of the file that is open. */
void transfer(struct output *o, const char *data, size_t size);

/* Transfers what waits for a whole block, without O_DIRECT. */
void transfer_rest(struct output *o);

/* Writes all bytes at the position of the descriptor. A failed call ends the program. */
void write_all(int fd, const char *path, const char *data, size_t size);

#endif
