/* SPDX-License-Identifier: BSD-2-Clause */
#include "screen.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/ui/printable.h"

/* Sequences of ECMA-48 and of every terminal since the VT220. */
#define HIDE_CURSOR "\033[?25l"
#define SHOW_CURSOR "\033[?25h"
#define HOME        "\033[H"
#define ERASE_ALL   "\033[2J"
#define ERASE_LINE  "\033[K"
#define ERASE_REST  "\033[J"

static bool controls_terminal(void)
{
	const char *term = getenv("TERM");
	return isatty(STDOUT_FILENO) == 1 && term != NULL && strcmp(term, "dumb") != 0;
}

/* Keys arrive at once and are not shown. In the background the terminal stays as it is. */
static void open_keys(struct screen *s)
{
	s->keys = open("/dev/tty", O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (s->keys < 0)
		return;
	if (tcgetpgrp(s->keys) == getpgrp() && tcgetattr(s->keys, &s->before) == 0) {
		struct termios raw = s->before;
		raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		if (tcsetattr(s->keys, TCSANOW, &raw) == 0)
			return;
	}
	(void)close(s->keys);
	s->keys = -1;
}

void screen_begin(struct screen *s, struct output *o, bool on)
{
	*s = (struct screen){.on = on && controls_terminal(), .keys = -1};
	if (!s->on)
		return;
	open_keys(s);
	output_text(o, HIDE_CURSOR HOME ERASE_ALL);
	output_flush(o);
}

void screen_end(struct screen *s, struct output *o)
{
	if (!s->on)
		return;
	if (s->keys >= 0) {
		(void)tcsetattr(s->keys, TCSANOW, &s->before);
		(void)close(s->keys);
	}
	output_text(o, SHOW_CURSOR);
	output_flush(o);
	s->on = false;
	s->keys = -1;
}

void screen_size(const struct screen *s, size_t *lines, size_t *columns)
{
	struct winsize size;
	*lines = *columns = SIZE_MAX;
	if (!s->on)
		return;
	*lines = 24;
	*columns = 80;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
		return;
	*lines = size.ws_row;
	*columns = size.ws_col;
}

void screen_home(const struct screen *s, struct output *o)
{
	output_text(o, s->on ? HOME : "");
}

void screen_line(const struct screen *s, struct output *o, char *text, size_t columns)
{
	size_t n = strlen(text);
	/* The last column stays empty: some terminals wrap the line after it. */
	while (s->on && n > 0 && ((text[n] & 0xc0) == 0x80 || printable_width(text) >= columns))
		text[--n] = '\0';
	output_text(o, text);
	output_text(o, s->on ? ERASE_LINE "\n" : "\n");
}

void screen_flush(const struct screen *s, struct output *o)
{
	output_text(o, s->on ? ERASE_REST : "");
	output_flush(o);
}

char screen_key(const struct screen *s)
{
	char key;
	return s->keys >= 0 && read(s->keys, &key, 1) == 1 ? key : '\0';
}
