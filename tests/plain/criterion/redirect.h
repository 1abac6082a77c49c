/* SPDX-License-Identifier: BSD-2-Clause */
/* See criterion.h beside it. */
#ifndef PLAIN_REDIRECT_H
#define PLAIN_REDIRECT_H

#pragma GCC system_header

#include <stdbool.h>

#include "criterion.h"

/* Standard error goes to a temporary file. */
void cr_redirect_stderr(void);
/* Returns whether this, and nothing else, was written there. */
bool plain_stderr_is(const char *text);

#define cr_expect_stderr_eq_str(text, ...)                                                         \
	PLAIN_CHECK(false, plain_stderr_is(text), "stderr is " #text, __VA_ARGS__)

#endif
