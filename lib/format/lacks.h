/* SPDX-License-Identifier: BSD-2-Clause */
/* What a source cannot show: words of lacks= in %trace, without fields of records. */
#ifndef LIB_FORMAT_LACKS_H
#define LIB_FORMAT_LACKS_H

#include <iotrace/iotrace.h>

enum lack {
	LACK_OPERATIONS = 1 << 0,   /* all %op but a few, such as opens and closes */
	LACK_CREATES = 1 << 1,      /* opens that create a file */
	LACK_CREATED = 1 << 2,      /* whether an open created its file: `create` may have */
	LACK_RESULTS = 1 << 3,      /* whether calls failed */
	LACK_ASYNCHRONOUS = 1 << 4, /* whether requests are asynchronous */
	LACK_PROCESSES = 1 << 5,    /* which process made a request */
	LACK_ALL = (1 << 6) - 1
};

/* Returns the bits of enum lack that a %trace names. */
unsigned lacks_of(const struct iot_event *trace);

#endif
