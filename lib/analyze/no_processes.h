/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of sources that do not show which process made a request. */
#ifndef LIB_ANALYZE_NO_PROCESSES_H
#define LIB_ANALYZE_NO_PROCESSES_H

#include "values.h"

/* Makes the values unknown that depend on the number of processes or compare them. */
void no_processes_forget(struct values *v);

#endif
