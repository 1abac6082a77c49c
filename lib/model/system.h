/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SYSTEM files: lines of "key = value", with several settings in a line if at least two blanks
 * separate them, and comments after '#'. Keys: io-nodes, io-nodes-N (I/O nodes with N compute
 * nodes), compute-nodes, request-max, ciod-buffer, page-pool, tree, tree-links, network, server,
 * internal, burst-buffer.
 */
#ifndef LIB_MODEL_SYSTEM_H
#define LIB_MODEL_SYSTEM_H

#include <iotrace/iotrace.h>

#include "model.h"

enum { MODEL_FILE_MAX = 1 << 16 };

/* Sets the defaults: one compute node, no buffers, and links without delay. */
void model_system_init(struct model_system *s);
/*
 * Sets what a text states. A variant is parsed over the original system. Returns an enum
 * iot_status; after a failure, *e has the line and what was expected.
 */
int model_system_parse(struct model_system *s, const char *text, size_t size, struct error *e);
/* Sets one key. Returns NULL, or what is expected. */
const char *model_system_set(struct model_system *s, struct iot_text key, struct iot_text value);
/* Returns the bandwidth or size that a key sets, for keys that have one; NULL for others. */
uint64_t *model_system_number(struct model_system *s, struct iot_text key);
/* Parses a bandwidth such as 850MiB/s, 10Gbit/s or 0, in bytes per second. */
bool model_parse_bandwidth(struct iot_text text, uint64_t *bandwidth);

#endif
