/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls from instructions that no jump has replaced. */
#ifndef RECORD_STUB_TRAPS_H
#define RECORD_STUB_TRAPS_H

/* The program begins: if the recording wants it, and the kernel can do so, such calls trap. */
void traps_begin(void);

#endif
