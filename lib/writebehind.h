/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that packs and writes behind the one that makes the bytes, out of a few pieces of
 * memory. From the first piece until the thread is gone the packer is its own, save while
 * iot_writebehind_wait has returned and nothing was sent since.
 *
 * All signals are blocked in the thread. A child made by fork(2) does not have it: a sink is of no
 * use there, not even to be freed.
 */
#ifndef IOT_LIB_WRITEBEHIND_H
#define IOT_LIB_WRITEBEHIND_H

#include <stddef.h>
#include <stdint.h>

#include "packer.h"

struct iot_writebehind;

enum { IOT_WRITEBEHIND_ROOM = 1 << 16 }; /* bytes in a piece: small ones stay in the cache */

/* NULL: there is no memory or no thread to be had. The packer is open, its destination not yet. */
struct iot_writebehind *iot_writebehind_new(struct iot_packer *p);

/* Ends the thread at once, also while it waits in a write; NULL is fine. A callback is waited for. */
void iot_writebehind_free(struct iot_writebehind *wb);

/* Waits for a piece to fill. */
char *iot_writebehind_room(struct iot_writebehind *wb);

/* Hands that piece over; the status of the thread so far. If not IOT_OK, the packer's error tells. */
int iot_writebehind_send(struct iot_writebehind *wb, size_t size, enum iot_ending ending);

/* Waits until all that was sent is done; the status of all of it. */
int iot_writebehind_wait(struct iot_writebehind *wb);

uint64_t iot_writebehind_stored(struct iot_writebehind *wb); /* bytes sent to the file by now */

#endif
