/* SPDX-License-Identifier: BSD-2-Clause */
/* PNG images of plots, which rsvg-convert of librsvg makes. */
#ifndef CLI_REPORT_PNG_H
#define CLI_REPORT_PNG_H

#include "cli/cmd.h"

/* Returns EXIT_OK, or EXIT_FAILED after a message; nothing is left at `image` then. */
enum exit_status png_convert(const char *svg, const char *image);

#endif
