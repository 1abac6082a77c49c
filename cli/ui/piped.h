/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pipe that a reader reads through a callback, so that a signal can end it; see
 * lib/base/interrupt.h.
 */
#ifndef CLI_UI_PIPED_H
#define CLI_UI_PIPED_H

#include <stdbool.h>

#include <iotrace/iotrace.h>

#include "lib/base/interrupt.h"

/* Whether path ("-" is standard input) can be read only once, because it is not a file. */
bool piped_detect(const char *path);

struct piped {
	int fd;
	bool owned;
	struct interrupt *interrupt;
	struct drain drain;
	atomic_bool closing; /* a reader's thread must stop waiting */
	atomic_bool cut;     /* ended early */
};

/* Returns false with errno set. Does not wait for the writer of a FIFO; reading does. */
bool piped_open(struct piped *p, const char *path, struct interrupt *interrupt);
/*
 * An iot_read_fn on a struct piped. A truncated input ends with ECANCELED, which drops a partial
 * line.
 */
iot_read_fn piped_read;
/* Call before the reader is freed, which waits for a running read. */
void piped_end(struct piped *p);
/* Call after that. Harmless if all members are zero except owned. */
void piped_close(struct piped *p);

#endif
