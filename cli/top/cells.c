/* SPDX-License-Identifier: BSD-2-Clause */
#include "cells.h"

#include <stdio.h>

const char *cell_scaled(char text[CELL], bool known, double value, double unit)
{
	static const char prefixes[] = " KMGTPE";
	size_t power = 0;
	if (!known)
		return "-";
	for (; value >= 999.5 && power + 2 < sizeof prefixes; power++)
		value /= unit;
	if (power == 0)
		(void)snprintf(text, CELL, "%.0f", value);
	else
		(void)snprintf(text, CELL, "%.*f%c", value < 9.95 ? 1 : 0, value, prefixes[power]);
	return text;
}

const char *cell_seconds(char text[CELL], bool known, double s)
{
	if (!known || s >= 100)
		return cell_scaled(text, known, s, 1000);
	(void)snprintf(text, CELL, "%.2f", s);
	return text;
}

const char *cell_duration(char text[CELL], bool known, double ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	size_t unit = 0;
	if (!known)
		return "-";
	for (; ns >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
		ns /= 1000;
	(void)snprintf(text, CELL, "%.*f%s", unit > 0 && ns < 9.95 ? 1 : 0, ns, units[unit]);
	return text;
}

const char *cell_rate(char text[CELL], bool known, const struct period *p, uint64_t count,
		      double unit)
{
	known = known && p->seconds > 0;
	return cell_scaled(text, known, known ? (double)count / p->seconds : 0, unit);
}
