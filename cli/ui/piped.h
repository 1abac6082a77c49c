/* SPDX-License-Identifier: BSD-2-Clause */
/* A pipe that a reader reads through a callback, so that a signal can end it; see lib/stop.h. */
#ifndef CLI_UI_PIPED_H
#define CLI_UI_PIPED_H

#include <stdbool.h>

#include <iotrace/iotrace.h>

#include "lib/io/stop.h"

/* Whether path ("-" is standard input) is something that can be read only once: no file. */
bool is_piped(const char *path);

struct piped {
	int fd;
	bool owned;
	struct interrupt *stop;
	struct drain drain;
	atomic_bool closing; /* a reader's thread must not wait any longer */
	atomic_bool cut;     /* ended before its end */
};

/* False: errno has the reason. Does not wait for the writer of a FIFO; reading does. */
bool piped_open(struct piped *p, const char *path, struct interrupt *stop);
/* An iot_read_fn on a struct piped. A cut input ends with ECANCELED, so a part of a line is dropped. */
iot_read_fn piped_read;
/* Before the reader is freed, which waits for a read that has begun. */
void piped_end(struct piped *p);
/* After that. Harmless if all is zero but owned. */
void piped_close(struct piped *p);

#endif
