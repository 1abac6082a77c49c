/* SPDX-License-Identifier: BSD-2-Clause */
/* Lengths of x86-64 instructions. */
#ifndef CLI_RECORD_INSTRUCTION_H
#define CLI_RECORD_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the bytes of the instruction at `code`, of which `size` exist; 0 if it is not valid. */
size_t instruction_length(const uint8_t *code, size_t size);
/* Returns whether a valid instruction is one of those that do the same wherever they are. */
bool instruction_moves(const uint8_t *code, size_t size);

#endif
