/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --layer: which records a command uses. Programs make logical records, by calls of POSIX, or of
 * MPI-IO in files with layer=mpiio. Disks make physical records.
 */
#ifndef CLI_UI_LAYER_H
#define CLI_UI_LAYER_H

#include <iotrace/iotrace.h>

#include "lib/base/idmap.h"

#include "options.h"

enum record_layer { LAYER_DEFAULT, LAYER_LOGICAL, LAYER_POSIX, LAYER_MPIIO, LAYER_PHYSICAL };

/* Parse --layer=NAME, and --physical, into the enum record_layer target. */
option_fn option_layer, option_physical;
const char *layer_name(enum record_layer layer);

/* Elements of an array of options. */
/* clang-format off */
#define OPTION_LAYER(target)                                                                      \
	CALL("layer", "LAYER", &(target),                                                        \
	     "logical, posix, mpiio or physical records (default: those that IN has)",           \
	     option_layer),                                                                      \
	CALL("physical", NULL, &(target), NULL, option_physical)
/* clang-format on */

/* Selects the events of POSIX or of MPI-IO. Begins as zeros except for `layer`. */
struct layer_filter {
	enum record_layer layer;
	struct idmap files; /* (process, file) */
	bool *mpiio;        /* of each */
	size_t capacity;
};

/*
 * Moves events without a file, and events of the layer's files, to the front. Returns their number,
 * or SIZE_MAX if out of memory.
 */
size_t layer_filter_events(struct layer_filter *f, struct iot_event *ev, size_t n);
void layer_filter_free(struct layer_filter *f);

#endif
