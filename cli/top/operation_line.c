/* SPDX-License-Identifier: BSD-2-Clause */
#include "operation_line.h"

#include <stdio.h>
#include <string.h>

#include "cli/ui/printable.h"
#include "lib/format/operation_kind.h"

void operation_head(char *line, size_t capacity)
{
	(void)snprintf(line, capacity, "%7s %6s %7s %7s %6s %6s %11s  %s", "CALLS/s", "TIME/s",
		       "CALLS", "FAILED", "TIME", "MEAN", "KIND", "OPERATION");
}

bool operation_has_times(const struct iot_stats_operation *o)
{
	return o->timed > 0 || o->calls == 0;
}

void operation_line(const struct period *p, const struct operation_rate *row, char *line,
		    size_t capacity)
{
	const struct iot_stats_operation *all = row->all, *now = p->all ? all : &row->recent;
	const bool rates = p->seconds > 0;
	char cell[6][CELL], name[4 * IOT_OPERATION_NAME];
	const struct iot_text operation = {all->name, strlen(all->name)};
	(void)snprintf(line, capacity, "%7s %6s %7s %7s %6s %6s %11s  %s",
		       cell_rate(cell[0], true, p, now->calls, 1000),
		       cell_duration(cell[1], rates && operation_has_times(now),
				     rates ? (double)now->ns / p->seconds : 0),
		       cell_scaled(cell[2], true, (double)all->calls, 1000),
		       cell_scaled(cell[3], row->has_results, (double)all->failed, 1000),
		       cell_duration(cell[4], operation_has_times(all), (double)all->ns),
		       cell_duration(cell[5], all->timed > 0,
				     all->timed > 0 ? (double)all->ns / (double)all->timed : 0),
		       operation_kind_name(operation),
		       printable(name, sizeof name, all->name, strlen(all->name)));
}
