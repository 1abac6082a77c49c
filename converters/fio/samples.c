/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Logs of single I/Os: columns of numbers, separated by ", ":
 *
 *	milliseconds, value, direction, bytes, offset, priority, ...
 *
 * Direction is 0 for reads, 1 for writes, 2 for trims; the offset is present with --log_offset=1,
 * the priority since release 3.20. The time is the time of completion. The kind of the value is
 * only in the name of the file, NAME_lat.JOB.log: a latency in nanoseconds (lat, clat, slat), KiB/s
 * (bw) or 1 (iops).
 */
#include "fio.h"

#include <limits.h>

enum { NS_PER_MS = 1000000, EXAMINED = 1000, SINCE_1970_MS_BITS = 40 };

enum { COLUMN_TIME, COLUMN_VALUE, COLUMN_DIRECTION, COLUMN_BYTES, COLUMN_OFFSET, COLUMN_OLD = 5 };

static bool scan_column(const char **at, const char *end, uint64_t *value)
{
	const bool hex = end - *at > 2 && memcmp(*at, "0x", 2) == 0;
	*at += hex ? 2 : 0;
	return number_scan(at, end, hex ? 16 : 10, value);
}

size_t fio_sample_parse(const char *line, const char *end, uint64_t column[FIO_COLUMNS_MAX])
{
	const char *at = line;
	size_t n = 0;
	for (; n < FIO_COLUMNS_MAX; n++) {
		if (!scan_column(&at, end, &column[n]))
			return 0;
		if (at == end)
			break;
		if (end - at < 3 || at[0] != ',' || at[1] != ' ')
			return 0;
		at += 2;
	}
	return n >= COLUMN_BYTES && n < FIO_COLUMNS_MAX && column[COLUMN_DIRECTION] <= 2 ? n + 1
											 : 0;
}

/* In logs with five columns the last one is an offset, or a priority: 0, 1 or hexadecimal. */
void fio_samples_examine(struct fio *f, const char *head, size_t size)
{
	const char *at = head, *end = head + size, *lf;
	uint64_t column[FIO_COLUMNS_MAX];
	bool offsets = false;
	f->columns = 0;
	for (int i = 0; i < EXAMINED && at < end; i++, at = lf + 1) {
		lf = memchr(at, '\n', (size_t)(end - at));
		if (lf == NULL)
			break;
		const size_t n = fio_sample_parse(at, lf, column);
		f->columns = f->columns == 0 ? n : f->columns;
		offsets |= n == COLUMN_OLD && column[COLUMN_OFFSET] > 1 &&
			   memchr(at, 'x', (size_t)(lf - at)) == NULL;
	}
	f->has_offsets = f->columns > COLUMN_OLD || offsets;
}

enum fio_samples fio_samples_kind(const char *name)
{
	static const char *const kinds[] = {
	    [FIO_LAT] = "_lat.",   [FIO_CLAT] = "_clat.", [FIO_BW] = "_bw.",
	    [FIO_IOPS] = "_iops.", [FIO_SLAT] = "_slat.", [FIO_UNNAMED] = ""};
	const char *slash = strrchr(name, '/');
	unsigned i = 0;
	while (strstr(slash != NULL ? slash : name, kinds[i]) == NULL)
		i++;
	return (enum fio_samples)i;
}

static bool convert(struct fio *f, const uint64_t column[FIO_COLUMNS_MAX])
{
	static const enum fio_action actions[] = {FIO_READ, FIO_WRITE, FIO_TRIM};
	struct fio_file *file = &f->file[0];
	struct fio_io io = {.action = actions[column[COLUMN_DIRECTION]],
			    .start_ns = (int64_t)(column[COLUMN_TIME] * NS_PER_MS),
			    .offset = column[COLUMN_OFFSET],
			    .length = column[COLUMN_BYTES]};
	if (f->kind <= FIO_CLAT) {
		const uint64_t end_ns = (uint64_t)io.start_ns, took = column[COLUMN_VALUE];
		f->early += took > end_ns;
		io.has_duration = true;
		io.duration_ns = took;
		io.start_ns = (int64_t)(took > end_ns ? 0 : end_ns - took);
	}
	f->now_ns = io.start_ns;
	f->actions[io.action]++;
	if (file->process != f->process && !fio_emit_open(f, file))
		return false;
	return fio_emit_io(f, file, &io);
}

bool fio_sample_line(struct fio *f, const char *line, const char *end)
{
	uint64_t column[FIO_COLUMNS_MAX];
	const size_t n = fio_sample_parse(line, end, column);
	if (n > 0 && n == f->columns && column[COLUMN_TIME] <= INT64_MAX / 2 / NS_PER_MS &&
	    column[COLUMN_VALUE] <= INT64_MAX / 2)
		return convert(f, column);
	fio_count_unparsed(f, line, end);
	return true;
}
