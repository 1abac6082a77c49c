/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_VERSION_H
#define CLI_VERSION_H

/*
 * Prints the versions of iotrace and of its libraries, and the available features. Returns < 0 on
 * failure.
 */
int version_print(void);

#endif
