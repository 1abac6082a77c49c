/* SPDX-License-Identifier: BSD-2-Clause */
/* flags= of %file: properties of an opening that change the cost of its requests. */
#ifndef LIB_FORMAT_OPEN_FLAGS_H
#define LIB_FORMAT_OPEN_FLAGS_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the value for O_SYNC, O_DSYNC and O_DIRECT; NULL if none is set. */
static inline const char *open_flags_name(bool sync, bool dsync, bool direct)
{
	if (sync)
		return direct ? "sync,direct" : "sync";
	if (dsync)
		return direct ? "dsync,direct" : "dsync";
	return direct ? "direct" : NULL;
}

#endif
