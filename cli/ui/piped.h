/* SPDX-License-Identifier: BSD-2-Clause */
/* A pipe that a reader reads through a callback, so that a signal can end it; see lib/stop.h. */
#ifndef CLI_UI_PIPED_H
#define CLI_UI_PIPED_H

#include <stdbool.h>

#include <iotrace/iotrace.h>

#include "lib/io/stop.h"

/* Whether path ("-" is standard input) is something that can be read only once: no file. */
bool iot_is_piped(const char *path);

struct iot_piped {
	int fd;
	bool owned;
	struct iot_interrupt *stop;
	struct iot_drain drain;
	atomic_bool closing; /* a reader's thread must not wait any longer */
	atomic_bool cut;     /* ended before its end */
};

/* False: errno has the reason. Does not wait for the writer of a FIFO; reading does. */
bool iot_piped_open(struct iot_piped *p, const char *path, struct iot_interrupt *stop);
/* An iot_read_fn on a struct iot_piped. A cut input ends with ECANCELED, so a part of a line is dropped. */
iot_read_fn iot_piped_read;
/* Before the reader is freed, which waits for a read that has begun. */
void iot_piped_end(struct iot_piped *p);
/* After that. Harmless if all is zero but owned. */
void iot_piped_close(struct iot_piped *p);

#endif
