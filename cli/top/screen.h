/* SPDX-License-Identifier: BSD-2-Clause */
/* The terminal of a table that is drawn over and over. */
#ifndef CLI_TOP_SCREEN_H
#define CLI_TOP_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

#include "cli/ui/output.h"

struct screen {
	bool on;  /* standard output is a terminal that can be controlled */
	int keys; /* the terminal's keys are read from it; -1: none */
	struct termios before;
};

/* With `on` false, and where the terminal cannot be controlled, only lines are written. */
void screen_begin(struct screen *s, struct output *o, bool on);
/* Restores the terminal; what was drawn last stays visible. */
void screen_end(struct screen *s, struct output *o);
/* Returns the size of the terminal; SIZE_MAX if there is none. */
void screen_size(const struct screen *s, size_t *lines, size_t *columns);
/* Before and after a table. */
void screen_home(const struct screen *s, struct output *o);
void screen_flush(const struct screen *s, struct output *o);
/* A line of it, which is cut to the width of the terminal. */
void screen_line(const struct screen *s, struct output *o, char *text, size_t columns);
/* Returns the next key, or 0. */
char screen_key(const struct screen *s);

#endif
