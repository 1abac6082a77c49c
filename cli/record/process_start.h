/* SPDX-License-Identifier: BSD-2-Clause */
/* When processes started. */
#ifndef CLI_RECORD_PROCESS_START_H
#define CLI_RECORD_PROCESS_START_H

#include <stdint.h>

/* Returns field 22 of /proc/PID/stat; 0 if it is unknown. */
uint64_t process_start(uint32_t pid);

#endif
