/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The layout of a line:
 *
 *	[pid] [absolute time] [relative time] [call number] [instruction pointer] body
 *
 * Each part is optional. "1234 ", "[pid  1234] ", "1234<comm> "; "HH:MM:SS[.frac] ",
 * "1700000000[.frac] "; "     0.000012 ", "(+     0.000012) "; "[   3] "; "[00007f134648a9f0] ".
 * The first lines of a log determine which parts it has; later lines must have the same parts, so
 * that text of the traced program between them is not taken for a line.
 */
#include "strace.h"

#include <string.h>

#include "lib/base/number.h"

#define NS_PER_SECOND INT64_C(1000000000)
#define NS_PER_HOUR   (3600 * NS_PER_SECOND)
#define NS_PER_DAY    (24 * NS_PER_HOUR)
/* In seconds; leaves a margin of two days. */
#define EPOCH_MAX (INT64_MAX / NS_PER_SECOND - 2 * 86400)

enum { LAYOUT_LINES = 200, EPOCH_DIGITS = 9, EPOCH_DIGITS_MAX = 10 };

static bool starts(const char *p, const char *end, const char *word)
{
	return strace_skip(&p, end, word);
}

enum { FRACTION_DIGITS = 9 };

/* Nanoseconds of the last of n digits of a fraction. */
static const int64_t TICK[FRACTION_DIGITS + 1] = {1000000000, 100000000, 10000000, 1000000, 100000,
						  10000,      1000,      100,      10,      1};

/* Fast path for a fraction of at most seven digits. Returns false if the loop is needed. */
static bool short_fraction(struct strace_text *at, unsigned *digits, int64_t *ns)
{
	if (at->end - at->p < 9 || *at->p != '.')
		return false;
	const uint64_t bytes = number_load(at->p + 1);
	*digits = number_leading(bytes);
	if (*digits == 0 || *digits == 8)
		return false;
	at->p += 1 + *digits;
	*ns = number_of_eight(bytes << 8 * (8 - *digits)) * TICK[*digits];
	return true;
}

/* Parses ".123456" to nanoseconds; digits after the ninth are dropped. */
static int64_t fraction(struct strace_text *at, unsigned *digits)
{
	int64_t ns;
	if (short_fraction(at, digits, &ns))
		return ns;
	int64_t value = 0;
	unsigned n = 0;
	if (strace_skip(&at->p, at->end, "."))
		for (; at->p < at->end && strace_digit(*at->p); at->p++)
			if (n < FRACTION_DIGITS) {
				value = value * 10 + (*at->p - '0');
				n++;
			}
	*digits = n;
	return value * TICK[n];
}

/* Parses a pid and advances past it. */
static bool pid(struct strace_text *at, uint32_t *tid)
{
	const char *start = at->p;
	uint64_t v;
	if (!number_scan(&at->p, at->end, 10, &v) || at->p - start > 7 || v > STRACE_PID_MAX)
		return false;
	*tid = (uint32_t)v;
	return v > 0;
}

/* Parses "<comm>" after a pid. */
static bool comm(struct strace_text *at, struct strace_line *line)
{
	const char *close = memchr(at->p, '>', (size_t)(at->end - at->p));
	if (close == NULL)
		return false;
	line->comm = at->p + 1;
	line->comm_size = (size_t)(close - at->p) - 1;
	at->p = close + 1;
	return true;
}

static void skip_spaces(struct strace_text *at)
{
	while (at->p < at->end && *at->p == ' ')
		at->p++;
}

/* "[pid  1234] " or "[pid  1234<comm>] " */
static bool bracket_pid(struct strace_text *at, struct strace_line *line)
{
	at->p += sizeof "[pid " - 1;
	skip_spaces(at);
	line->bracket = pid(at, &line->tid) &&
			(at->p == at->end || *at->p != '<' || comm(at, line)) &&
			strace_skip(&at->p, at->end, "] ");
	return line->bracket;
}

/* Parses "1234  " or "1234<comm> ". The cursor does not move if the digits are not a pid. */
static void bare_pid(struct strace_text *at, struct strace_line *line)
{
	struct strace_text rest = *at;
	if (!pid(&rest, &line->tid) || rest.p == rest.end ||
	    (*rest.p != ' ' && (*rest.p != '<' || !comm(&rest, line)))) {
		line->tid = 0;
		return;
	}
	skip_spaces(&rest);
	*at = rest;
}

/* The times of a line: contributions to the layout. */
struct times {
	bool clock, epoch, relative;
	int64_t absolute_ns, relative_ns;
	unsigned digits, relative_digits;
};

static bool clock_time(struct strace_text *at, struct times *t)
{
	const char *p = at->p;
	if (at->end - p < 8 || p[2] != ':' || p[5] != ':')
		return false;
	for (int i = 0; i < 8; i++)
		if (i % 3 != 2 && !strace_digit(p[i]))
			return false;
	int64_t seconds = ((p[0] - '0') * 10 + p[1] - '0') * 3600 +
			  ((p[3] - '0') * 10 + p[4] - '0') * 60 + (p[6] - '0') * 10 + p[7] - '0';
	at->p += 8;
	t->absolute_ns = seconds * NS_PER_SECOND + fraction(at, &t->digits);
	t->clock = true;
	return true;
}

/* Parses seconds since 1970, or since the previous line if they have few digits. */
static bool seconds_time(struct strace_text *at, struct strace_clock *clock, struct times *t)
{
	const char *start = at->p;
	uint64_t seconds;
	if (!number_scan(&at->p, at->end, 10, &seconds))
		return false;
	const ptrdiff_t digits = at->p - start;
	if (digits > EPOCH_DIGITS_MAX || seconds > EPOCH_MAX)
		return false;
	const int64_t whole_ns = (int64_t)seconds * NS_PER_SECOND;
	t->epoch = digits >= EPOCH_DIGITS;
	t->relative = !t->epoch;
	if (t->relative)
		t->relative_ns = whole_ns + fraction(at, &t->relative_digits);
	else
		t->absolute_ns = whole_ns + fraction(at, &t->digits);
	if (digits == EPOCH_DIGITS_MAX) {
		memcpy(clock->digits, start, EPOCH_DIGITS_MAX);
		clock->seconds = seconds;
	}
	return true;
}

/* Parses "0.000012) ", which follows "(+     " after an absolute time. */
static bool bracket_relative(struct strace_text *at, struct times *t)
{
	const char *start = at->p;
	uint64_t seconds;
	if (!number_scan(&at->p, at->end, 10, &seconds) || at->p - start >= EPOCH_DIGITS)
		return false;
	t->relative = true;
	t->relative_ns = (int64_t)seconds * NS_PER_SECOND + fraction(at, &t->relative_digits);
	return strace_skip(&at->p, at->end, ") ");
}

static bool times(struct strace_text *at, struct strace_clock *clock, struct times *t)
{
	skip_spaces(at);
	if (at->p == at->end || !strace_digit(*at->p))
		return true;
	if (!clock_time(at, t) && !seconds_time(at, clock, t))
		return false;
	if (!strace_skip(&at->p, at->end, " "))
		return false;
	if (!strace_skip(&at->p, at->end, "(+"))
		return true;
	skip_spaces(at);
	return bracket_relative(at, t);
}

/* Call number, instruction pointer, security context: "[...] " */
static void skip_brackets(struct strace_text *at)
{
	while (at->p < at->end && *at->p == '[') {
		const char *close = memchr(at->p, ']', (size_t)(at->end - at->p));
		if (close == NULL || close + 1 >= at->end || close[1] != ' ')
			return;
		at->p = close + 2;
	}
}

/* "strace: Process 7 attached"; "Process 7 attached" of old versions. */
static bool own_message(const char *p, const char *end)
{
	size_t n = sizeof "Process " - 1;
	return starts(p, end, "strace: ") ||
	       (starts(p, end, "Process ") && (size_t)(end - p) > n && strace_digit(p[n])) ||
	       starts(p, end, "[ Process PID=");
}

static bool call_name(const char *p, const char *end)
{
	const char *start = p;
	while (p < end && ((unsigned char)(*p - 'a') < 26 || strace_digit(*p) || *p == '_'))
		p++;
	if (p < end && *p == '#')
		for (p++; p < end && strace_digit(*p); p++)
			;
	return p > start && p < end && *p == '(';
}

static enum strace_kind kind_of(const char *p, const char *end)
{
	if (p == end)
		return STRACE_SKIP;
	switch (*p) {
	case '<':
		return starts(p, end, "<... ") ? STRACE_RESUMED : STRACE_FOREIGN;
	case '+':
		return starts(p, end, "+++ ") ? STRACE_END : STRACE_FOREIGN;
	case '-':
		return starts(p, end, "--- ") ? STRACE_SKIP : STRACE_FOREIGN;
	default:
		return call_name(p, end) ? STRACE_CALL : STRACE_FOREIGN;
	}
}

/* Classifies lines without a prefix. */
static enum strace_kind unprefixed(const char *p, const char *end)
{
	if (p == end)
		return STRACE_SKIP;
	if (starts(p, end, " > ") || starts(p, end, " | ") || starts(p, end, " * ") ||
	    own_message(p, end) || starts(p, end, "------ "))
		return STRACE_SKIP;
	if (*p == ')' || starts(p, end, ", ") || starts(p, end, " <unfinished ...>"))
		return STRACE_TAIL;
	if (starts(p, end, "% time     seconds"))
		return STRACE_SUMMARY;
	return STRACE_CALL;
}

/* Updates the clock. A time of day that decreases by half a day or more starts the next day. */
static int64_t time_of(struct strace_clock *clock, const struct times *t)
{
	if (t->relative && !t->epoch && !t->clock) {
		if (clock->seen && t->relative_ns < INT64_MAX / 2 - clock->sum_ns)
			clock->sum_ns += t->relative_ns;
		clock->seen = true;
		return clock->sum_ns;
	}
	if (!t->clock)
		return t->absolute_ns;
	if (clock->seen && t->absolute_ns + 12 * NS_PER_HOUR < clock->last_ns &&
	    clock->day_ns < INT64_MAX / 2)
		clock->day_ns += NS_PER_DAY;
	clock->seen = true;
	clock->last_ns = t->absolute_ns;
	return clock->day_ns + t->absolute_ns;
}

/*
 * Parses a line except for the clock. Returns false if it does not have the layout of a line of
 * strace.
 */
static bool parse(struct strace_clock *clock, const char *text, const char *end,
		  struct strace_line *line, struct times *t)
{
	struct strace_text at = {text, end};
	if (at.p < end && *at.p == '[' && starts(at.p, end, "[pid ")) {
		if (!bracket_pid(&at, line))
			return false;
	} else if (at.p < end && strace_digit(*at.p)) {
		bare_pid(&at, line);
	}
	if (at.p < end && (strace_digit(*at.p) || *at.p == ' ') && !times(&at, clock, t))
		return false;
	skip_brackets(&at);
	line->body = at.p;
	line->end = end;
	line->kind = (uint8_t)kind_of(at.p, end);
	return line->kind != STRACE_FOREIGN;
}

/*
 * Fast path for the usual prefix, "1234  1700000000.123456 ", within the same second as the
 * previous line. Returns false if the general parser is needed.
 */
static bool usual_prefix(const struct strace_layout *layout, const struct strace_clock *clock,
			 const char *text, const char *end, struct strace_line *line)
{
	struct strace_text at = {text, end};
	unsigned digits;
	if (!layout->epoch || layout->relative || clock->digits[0] == '\0')
		return false;
	if (layout->pid && (!pid(&at, &line->tid) || !strace_skip(&at.p, end, " ")))
		return false;
	skip_spaces(&at);
	if (end - at.p < EPOCH_DIGITS_MAX || memcmp(at.p, clock->digits, EPOCH_DIGITS_MAX) != 0)
		return false;
	at.p += EPOCH_DIGITS_MAX;
	line->time_ns = (int64_t)clock->seconds * NS_PER_SECOND + fraction(&at, &digits);
	if (!strace_skip(&at.p, end, " ") || at.p == end || *at.p == '[' || *at.p == ' ' ||
	    *at.p == '(')
		return false;
	line->body = at.p;
	line->kind = (uint8_t)kind_of(line->body, end);
	return line->kind != STRACE_FOREIGN;
}

void strace_line_parse(const struct strace_layout *layout, struct strace_clock *clock,
		       const char *text, const char *end, struct strace_line *line)
{
	*line = (struct strace_line){.body = text, .end = end};
	if (usual_prefix(layout, clock, text, end, line))
		return;
	*line = (struct strace_line){.body = text, .end = end};
	struct times t = {0};
	if (!parse(clock, text, end, line, &t) || t.clock != layout->clock ||
	    t.epoch != layout->epoch || t.relative != layout->relative ||
	    (layout->pid && (line->tid == 0 || line->bracket))) {
		enum strace_kind kind = unprefixed(text, end);
		*line = (struct strace_line){.body = text, .end = end};
		line->kind = (uint8_t)(kind == STRACE_CALL ? STRACE_FOREIGN : kind);
		return;
	}
	line->time_ns = time_of(clock, &t);
}

static const char CUT[] = " <unfinished ...>";

bool strace_line_unfinished(const char *text, const char *end)
{
	size_t n = sizeof CUT - 1;
	return (size_t)(end - text) >= n && end[-2] == '.' && memcmp(end - n, CUT, n) == 0;
}

/* Fast path for " <0.123456>". Returns false if the general parser is needed. */
static bool usual_duration(const char *text, const char *end, struct strace_duration *d)
{
	enum { SIZE = sizeof " <0.123456>" - 1 };
	if (end - text < SIZE || end[-1] != '>')
		return false;
	const char *p = end - SIZE;
	const uint64_t fraction = number_load(p + 2) >> 16; /* without "0." */
	if (p[0] != ' ' || p[1] != '<' || !strace_digit(p[2]) || p[3] != '.' ||
	    number_leading(fraction) != 6)
		return false;
	const int64_t seconds = p[2] - '0';
	*d = (struct strace_duration){.known = true, .digits = 6};
	d->ns = (uint64_t)(seconds * NS_PER_SECOND + number_of_eight(fraction << 16) * TICK[6]);
	return true;
}

const char *strace_line_duration(const char *text, const char *end, struct strace_duration *d)
{
	if (usual_duration(text, end, d))
		return end - (sizeof " <0.123456>" - 1);
	const char *p = end;
	*d = (struct strace_duration){.known = false};
	if (p == text || *--p != '>')
		return end;
	while (p > text && (strace_digit(p[-1]) || p[-1] == '.'))
		p--;
	const bool negative = p > text && p[-1] == '-';
	const char *open = p - negative;
	if (open - text < 2 || open[-1] != '<' || open[-2] != ' ' || end - p > 24)
		return end;
	struct strace_text at = {p, end};
	uint64_t seconds;
	if (!number_scan(&at.p, at.end, 10, &seconds) || at.p - p > 9)
		return end;
	d->ns = seconds * (uint64_t)NS_PER_SECOND + (uint64_t)fraction(&at, &d->digits);
	if (at.p != end - 1)
		return end;
	d->known = !negative;
	d->negative = negative;
	return open - 2;
}

size_t strace_line_uncolour(const char *text, size_t size, char *out)
{
	size_t n = 0;
	for (size_t i = 0; i < size; i++) {
		if (text[i] != 27 || i + 1 >= size || text[i + 1] != '[') {
			out[n++] = text[i];
			continue;
		}
		for (i += 2; i < size && (strace_digit(text[i]) || text[i] == ';'); i++)
			;
	}
	return n;
}

/* Layout */

static void layout_take(struct strace_layout *layout, const struct strace_line *line,
			const struct times *t)
{
	if (!layout->decided) {
		layout->decided = true;
		layout->pid = line->tid != 0 && !line->bracket;
		layout->clock = t->clock;
		layout->epoch = t->epoch;
		layout->relative = t->relative;
		layout->starts_with_exec = starts(line->body, line->end, "execve");
	}
	layout->brackets |= line->bracket;
}

static void layout_tick(struct strace_layout *layout, const struct strace_line *line,
			const struct times *t)
{
	struct strace_duration took;
	uint64_t tick = layout->tick_ns;
	if ((t->clock || t->epoch) && (uint64_t)TICK[t->digits] < tick)
		tick = (uint64_t)TICK[t->digits];
	if (t->relative && (uint64_t)TICK[t->relative_digits] < tick)
		tick = (uint64_t)TICK[t->relative_digits];
	strace_line_duration(line->body, line->end, &took);
	if (took.known && (uint64_t)TICK[took.digits] < tick)
		tick = (uint64_t)TICK[took.digits];
	layout->duration |= took.known;
	layout->tick_ns = tick;
}

/*
 * Returns true if the line has more than a name and a bracket, which output of programs may have,
 * too.
 */
static bool plausible(const struct strace_line *line)
{
	unsigned count;
	const char *end = line->end;
	const char *open = memchr(line->body, '(', (size_t)(end - line->body));
	if (line->kind != STRACE_CALL || open == NULL || strace_line_unfinished(open, end))
		return true;
	const char *p = strace_split(open + 1, end, NULL, NULL, 0, &count);
	while (p != NULL && p < end && *p == ' ')
		p++;
	return p != NULL ? p < end && *p == '=' && p[-1] == ' '
			 : end[-1] == '>' && end - open > 4 && memcmp(end - 4, "...", 3) == 0;
}

bool strace_layout_detect(const char *head, size_t size, struct strace_layout *layout,
			  int64_t *first_ns, unsigned *calls, unsigned *lines)
{
	struct strace_clock clock = {0};
	*layout = (struct strace_layout){.tick_ns = (uint64_t)NS_PER_SECOND};
	*first_ns = 0;
	*calls = *lines = 0;
	layout->colour = memchr(head, 27, size) != NULL;
	const char *end = head + size;
	for (const char *p = head; p < end && *lines < LAYOUT_LINES;) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		const char *stop = lf == NULL ? end : lf;
		char clean[4096];
		struct strace_line line = {0};
		struct times t = {0};
		const char *from = p, *to = stop;
		if (layout->colour && stop - p <= (ptrdiff_t)sizeof clean) {
			to = clean + strace_line_uncolour(p, (size_t)(stop - p), clean);
			from = clean;
		}
		p = stop + 1;
		if (unprefixed(from, to) == STRACE_SKIP)
			continue;
		++*lines;
		if (!parse(&clock, from, to, &line, &t) || line.kind == STRACE_SKIP ||
		    !plausible(&line))
			continue;
		if (!layout->decided)
			*first_ns = time_of(&clock, &t);
		layout_take(layout, &line, &t);
		layout_tick(layout, &line, &t);
		++*calls;
	}
	return layout->decided;
}
