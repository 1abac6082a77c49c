/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes encoded directives a second time (iotrace(5), ENCODED DIRECTIVES). */
#ifndef FUZZ_SECOND_DIRECTIVES_H
#define FUZZ_SECOND_DIRECTIVES_H

#include "second_text.h"

struct second_directives;

struct second_directives *second_directives_new(void);
/* Frees the directives it has returned, too. */
void second_directives_free(struct second_directives *d);
void second_directives_forget(struct second_directives *d);
/*
 * Replaces the text of a comment by the one that it stands for. Returns false if it is malformed.
 */
bool second_directives_read(struct second_directives *d, struct text *text);

#endif
