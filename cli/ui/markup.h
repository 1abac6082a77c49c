/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text in HTML and SVG. The characters of markup are escaped; those that no display may show become
 * \\xHH, byte by byte, and a backslash is doubled. The result is valid UTF-8, in every locale.
 */
#ifndef CLI_UI_MARKUP_H
#define CLI_UI_MARKUP_H

#include "output.h"

void markup_write(struct output *o, const char *text, size_t n);
void markup_text(struct output *o, const char *text);
/* Leaves out the middle of a text of more than `max` columns, >= 12: an ellipsis replaces it. */
void markup_shortened(struct output *o, const char *text, size_t n, size_t max);
/* Returns whether markup_shortened leaves something out. */
bool markup_is_longer(const char *text, size_t n, size_t max);

#endif
