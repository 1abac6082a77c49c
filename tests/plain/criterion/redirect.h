/* SPDX-License-Identifier: BSD-2-Clause */
/* See criterion.h beside it. */
#ifndef IOT_PLAIN_REDIRECT_H
#define IOT_PLAIN_REDIRECT_H

/* Standard error goes nowhere. */
void cr_redirect_stderr(void);

#endif
