/* SPDX-License-Identifier: BSD-2-Clause */
/* Runtimes whose system calls bypass libc, so that this library does not see their I/O. */
#ifndef RECORD_RUNTIME_H
#define RECORD_RUNTIME_H

/* Counts the program and its libraries that are of Go, and looks for valgrind. */
void runtime_find(void);

#endif
