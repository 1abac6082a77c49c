/* SPDX-License-Identifier: BSD-2-Clause */
/* See criterion.h beside it. */
#ifndef PLAIN_REDIRECT_H
#define PLAIN_REDIRECT_H

/* Standard error goes nowhere. */
void cr_redirect_stderr(void);

#endif
