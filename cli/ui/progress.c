/* SPDX-License-Identifier: BSD-2-Clause */
#include "progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "printable.h"
#include "lib/base/clock.h"

enum {
	PROGRESS_PERIOD_NS = 1000000000 / 6,
	PROGRESS_WIDTH = 80,      /* if stderr is not a terminal, or reports no width */
	PROGRESS_WIDTH_MAX = 120, /* longer lines have no more content */
};

static bool goes_to_terminal(const char *out)
{
	struct stat to, here;
	if (out == NULL)
		return false;
	if (strcmp(out, "-") == 0)
		return isatty(STDOUT_FILENO) == 1;
	if (stat(out, &to) != 0 || !S_ISCHR(to.st_mode))
		return false;
	return to.st_rdev == makedev(5, 0) /* /dev/tty */ ||
	       (fstat(STDERR_FILENO, &here) == 0 && to.st_rdev == here.st_rdev);
}

void progress_begin(struct progress *p, int how, bool quiet, const char *out)
{
	memset(p, 0, sizeof *p);
	p->on = how == PROGRESS_ALWAYS;
	if (how == PROGRESS_AUTO && !quiet)
		p->on = isatty(STDERR_FILENO) && !goes_to_terminal(out);
	p->started_ns = p->on ? clock_monotonic_ns() : 0;
	p->last_ns = p->started_ns;
}

bool progress_due(const struct progress *p, uint64_t *last_ns)
{
	if (!p->on)
		return false;
	const uint64_t now = clock_monotonic_ns();
	if (now - *last_ns < PROGRESS_PERIOD_NS)
		return false;
	*last_ns = now;
	return true;
}

/* The last column stays empty: some terminals wrap the line after it. */
static size_t line_width(void)
{
	struct winsize size;
	size_t width = PROGRESS_WIDTH;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		width = size.ws_col;
	return (width < PROGRESS_WIDTH_MAX ? width : PROGRESS_WIDTH_MAX) - 1;
}

/* Omits fields that do not fit into the line. */
static void show_fields(struct progress *p, char field[][64], size_t count)
{
	char line[PROGRESS_WIDTH_MAX] = "";
	const size_t width = line_width();
	size_t used = 0;
	for (size_t i = 0; i < count; i++) {
		const size_t gap = used > 0 ? 2 : 0, size = strlen(field[i]);
		if (size == 0 || used + gap + size > width)
			continue;
		memset(line + used, ' ', gap);
		memcpy(line + used + gap, field[i], size + 1);
		used += gap + size;
	}
	p->shown = true;
	fprintf(stderr, "\r%s\033[K", line);
}

static void format_share(char *text, size_t capacity, uint64_t done, uint64_t total)
{
	const double share = done < total ? 100 * (double)done / (double)total : 100;
	snprintf(text, capacity, "%3.0f %%", share);
}

static void format_left(char *text, size_t capacity, double seconds)
{
	const uint64_t s = seconds < 1e9 ? (uint64_t)(seconds + 0.5) : 1000000000U;
	if (s >= 3600)
		snprintf(text, capacity, "ETA %ju:%02ju:%02ju", (uintmax_t)(s / 3600),
			 (uintmax_t)(s / 60 % 60), (uintmax_t)(s % 60));
	else
		snprintf(text, capacity, "ETA %ju:%02ju", (uintmax_t)(s / 60), (uintmax_t)(s % 60));
}

void progress_show(struct progress *p, uint64_t done, uint64_t total, uint64_t records)
{
	enum { SHARE, BYTES, RATE, LEFT, RECORDS, FIELDS };
	char field[FIELDS][64] = {""}, text[32], all[32];
	if (!progress_due(p, &p->last_ns))
		return;
	const double seconds = (double)(p->last_ns - p->started_ns) / 1e9;
	const double rate = (double)done / seconds;
	printable_bytes(text, sizeof text, done);
	if (total > 0) {
		format_share(field[SHARE], sizeof field[SHARE], done, total);
		snprintf(field[BYTES], sizeof field[BYTES], "%s of %s", text,
			 printable_bytes(all, sizeof all, total));
	} else {
		snprintf(field[BYTES], sizeof field[BYTES], "%s", text);
	}
	snprintf(field[RATE], sizeof field[RATE], "%s/s",
		 printable_bytes(text, sizeof text, (uint64_t)rate));
	if (done > 0 && done <= total)
		format_left(field[LEFT], sizeof field[LEFT], (double)(total - done) / rate);
	snprintf(field[RECORDS], sizeof field[RECORDS], "%ju records", (uintmax_t)records);
	show_fields(p, field, FIELDS);
}

static void show_phase(struct progress *p, const char *phase, uint64_t done, uint64_t all,
		       const char *unit)
{
	char field[3][64] = {""};
	if (!progress_due(p, &p->last_ns))
		return;
	if (all > 0)
		format_share(field[0], sizeof field[0], done, all);
	snprintf(field[1], sizeof field[1], "%s", phase);
	snprintf(field[2], sizeof field[2], "%ju %s", (uintmax_t)done, unit);
	show_fields(p, field, 3);
}

void progress_show_written(struct progress *p, uint64_t records, uint64_t all)
{
	show_phase(p, "writing", records, all, "records");
}

void progress_show_simulated(struct progress *p, uint64_t calls, uint64_t all)
{
	show_phase(p, "simulating", calls, all, "calls");
}

void progress_show_walk(struct progress *p, uint64_t entries, uint64_t waiting, uint64_t errors)
{
	char field[4][64] = {""};
	const double seconds = (double)(clock_monotonic_ns() - p->started_ns) / 1e9;
	if (!p->on)
		return;
	snprintf(field[0], sizeof field[0], "%ju entries", (uintmax_t)entries);
	snprintf(field[1], sizeof field[1], "%.0f/s", (double)entries / seconds);
	snprintf(field[2], sizeof field[2], "%ju directories wait", (uintmax_t)waiting);
	if (errors > 0)
		snprintf(field[3], sizeof field[3], "%ju errors", (uintmax_t)errors);
	show_fields(p, field, 4);
}

void progress_clear(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
