/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_RECORD_UNTRACED_H
#define CLI_RECORD_UNTRACED_H

/*
 * Returns why a program does not load the library: "static", "setuid", "elfclass" (another word
 * size or processor), "musl" (another libc), or "unknown". Follows the interpreters of scripts.
 */
const char *untraced_why(const char *program);

#endif
