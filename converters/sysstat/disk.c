/* SPDX-License-Identifier: BSD-2-Clause */
#include <fnmatch.h>

#include "sysstat.h"

#include "lib/base/civil_time.h"

enum { KB = 1 << 10, MB = 1 << 20, NS_PER_MS = 1000000, PERCENT = 100, SECTOR = 512 };

static const struct {
	const char *name;
	enum sysstat_field field;
	uint64_t factor;
} fields[] = {
    {"tps", SYSSTAT_REQUESTS, 1},
    {"r/s", SYSSTAT_READS, 1},
    {"w/s", SYSSTAT_WRITES, 1},
    {"rkB/s", SYSSTAT_READ_RATE, KB},
    {"wkB/s", SYSSTAT_WRITE_RATE, KB},
    {"rMB/s", SYSSTAT_READ_RATE, MB},
    {"wMB/s", SYSSTAT_WRITE_RATE, MB},
    {"kB_read/s", SYSSTAT_READ_RATE, KB},
    {"kB_wrtn/s", SYSSTAT_WRITE_RATE, KB},
    {"MB_read/s", SYSSTAT_READ_RATE, MB},
    {"MB_wrtn/s", SYSSTAT_WRITE_RATE, MB},
    {"kB_read", SYSSTAT_READ_BYTES, KB},
    {"kB_wrtn", SYSSTAT_WRITTEN_BYTES, KB},
    {"MB_read", SYSSTAT_READ_BYTES, MB},
    {"MB_wrtn", SYSSTAT_WRITTEN_BYTES, MB},
    {"rkB", SYSSTAT_READ_RATE, KB},
    {"wkB", SYSSTAT_WRITE_RATE, KB},
    {"rd_sec/s", SYSSTAT_READ_RATE, SECTOR},
    {"wr_sec/s", SYSSTAT_WRITE_RATE, SECTOR},
    {"r_await", SYSSTAT_READ_AWAIT, NS_PER_MS},
    {"w_await", SYSSTAT_WRITE_AWAIT, NS_PER_MS},
    {"aqu-sz", SYSSTAT_QUEUE, SAMPLES_NS_PER_S},
    {"avgqu-sz", SYSSTAT_QUEUE, SAMPLES_NS_PER_S},
    {"util", SYSSTAT_BUSY, SAMPLES_NS_PER_S / PERCENT},
    {"%util", SYSSTAT_BUSY, SAMPLES_NS_PER_S / PERCENT},
    {"util-percent", SYSSTAT_BUSY, SAMPLES_NS_PER_S / PERCENT},
    {"disk_device", SYSSTAT_DEVICE, 1},
    {"disk-device", SYSSTAT_DEVICE, 1},
    {"Device", SYSSTAT_DEVICE, 1},
    {"Device:", SYSSTAT_DEVICE, 1},
    {"DEV", SYSSTAT_DEVICE, 1},
};

enum sysstat_field sysstat_field(struct iot_text name, uint64_t *factor)
{
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (text_equals(name, fields[i].name)) {
			*factor = fields[i].factor;
			return fields[i].field;
		}
	return SYSSTAT_OTHER;
}

bool sysstat_set(struct sysstat *y, enum sysstat_field field, uint64_t factor,
		 struct iot_text number)
{
	if (!decimal_parse(number, &y->disk.number[field]))
		return false;
	y->disk.known |= UINT32_C(1) << field;
	y->disk.factor[field] = factor;
	return true;
}

bool sysstat_begin_disk(struct sysstat *y, struct iot_text name)
{
	y->disk.known = 0;
	y->disk.name_size = 0;
	if (name.size == 0 || name.size >= sizeof y->disk.name)
		return false;
	memcpy(y->disk.name, name.data, name.size);
	y->disk.name[name.size] = '\0';
	y->disk.name_size = name.size;
	return true;
}

/* Values */

static bool knows(const struct sysstat_disk *d, enum sysstat_field field)
{
	return (d->known >> field & 1) != 0;
}

/* Sets a value from a rate. Returns false if it does not fit. */
static bool put_rate(struct sample_point *p, enum sample_value v, const struct sysstat_disk *d,
		     enum sysstat_field field, uint64_t took_ns)
{
	uint64_t value;
	if (!knows(d, field) || (p->known >> v & 1) != 0)
		return true;
	if (!decimal_over(d->number[field], d->factor[field], took_ns, &value))
		return false;
	sample_set(p, v, value);
	return true;
}

static bool put_sum(struct sample_point *p, enum sample_value v, const struct sysstat_disk *d,
		    enum sysstat_field field)
{
	uint64_t value;
	if (!knows(d, field))
		return true;
	if (!decimal_times(d->number[field], d->factor[field], &value))
		return false;
	sample_set(p, v, value);
	return true;
}

/* Sets a sum of times from the number of requests and the mean time of one. */
static bool put_wait(struct sample_point *p, enum sample_value v, enum sample_value requests,
		     const struct sysstat_disk *d, enum sysstat_field field)
{
	uint64_t factor, value;
	if (!knows(d, field) || (p->known >> requests & 1) == 0)
		return true;
	if (__builtin_mul_overflow(p->value[requests], d->factor[field], &factor) ||
	    !decimal_times(d->number[field], factor, &value))
		return false;
	sample_set(p, v, value);
	return true;
}

static bool make_point(struct sample_point *p, const struct sysstat_disk *d, uint64_t took_ns)
{
	const bool apart = knows(d, SYSSTAT_READS) && knows(d, SYSSTAT_WRITES);
	return put_sum(p, SAMPLE_READ_BYTES, d, SYSSTAT_READ_BYTES) &&
	       put_sum(p, SAMPLE_WRITTEN_BYTES, d, SYSSTAT_WRITTEN_BYTES) &&
	       put_rate(p, SAMPLE_READ_BYTES, d, SYSSTAT_READ_RATE, took_ns) &&
	       put_rate(p, SAMPLE_WRITTEN_BYTES, d, SYSSTAT_WRITE_RATE, took_ns) &&
	       put_rate(p, SAMPLE_READS, d, SYSSTAT_READS, took_ns) &&
	       put_rate(p, SAMPLE_WRITES, d, SYSSTAT_WRITES, took_ns) &&
	       (apart || put_rate(p, SAMPLE_REQUESTS, d, SYSSTAT_REQUESTS, took_ns)) &&
	       put_wait(p, SAMPLE_READ_NS, SAMPLE_READS, d, SYSSTAT_READ_AWAIT) &&
	       put_wait(p, SAMPLE_WRITE_NS, SAMPLE_WRITES, d, SYSSTAT_WRITE_AWAIT) &&
	       put_rate(p, SAMPLE_BUSY_NS, d, SYSSTAT_BUSY, took_ns) &&
	       put_rate(p, SAMPLE_QUEUE_NS, d, SYSSTAT_QUEUE, took_ns);
}

/* Returns whether other devices count the same bytes, unless the user chooses. */
static bool is_wanted(struct sampling *s, const struct sysstat_disk *d)
{
	const char *glob = source_setting(s->src, "device");
	if (glob != NULL)
		return fnmatch(glob, d->name, 0) == 0;
	return fnmatch("dm-*", d->name, 0) != 0 && fnmatch("md*", d->name, 0) != 0 &&
	       fnmatch("loop*", d->name, 0) != 0;
}

bool sysstat_end_disk(struct sampling *s)
{
	struct sysstat *y = s->own;
	const struct sysstat_disk *d = &y->disk;
	struct sample_point p = {.host = {s->host, s->host_size},
				 .target = {d->name, d->name_size},
				 .time_ns = y->time_ns,
				 .since_ns = SAMPLES_TIME_UNKNOWN};
	uint64_t took_ns = y->took_ns;
	if (!is_wanted(s, d)) {
		report_add(&s->src->report, "skipped.devices", 1);
		return true;
	}
	if (y->time_ns == SAMPLES_TIME_UNKNOWN) {
		y->untimed++;
		return true;
	}
	if (took_ns == 0 && y->previous_ns == SAMPLES_TIME_UNKNOWN) {
		s->firsts++;
		return true;
	}
	if (took_ns == 0 && y->time_ns <= y->previous_ns) {
		s->duplicates++;
		return true;
	}
	if (took_ns == 0)
		took_ns = (uint64_t)(y->time_ns - y->previous_ns);
	if (took_ns > (uint64_t)y->time_ns || !make_point(&p, d, took_ns))
		return samples_unparsed(s);
	return !samples_has_host(s) ? false : samples_increase(s, &p, took_ns);
}

/* Reports */

bool sysstat_report(struct sampling *s, struct iot_text time)
{
	struct sysstat *y = s->own;
	struct civil_time c;
	int64_t ns;
	if (civil_time_parse(time, &c)) {
		y->assumes_zone |= !c.has_zone;
		ns = civil_time_utc(&c) - (c.has_zone ? c.east_s : y->east_s);
		if (ns < 0)
			return false;
		ns = ns * SAMPLES_NS_PER_S + c.ns;
	} else if (!civil_seconds_parse(time, &ns)) {
		return false;
	}
	y->previous_ns = y->time_ns;
	y->time_ns = ns;
	return true;
}

void sysstat_begin_run(struct sysstat *y)
{
	y->time_ns = y->previous_ns = SAMPLES_TIME_UNKNOWN;
	y->took_ns = 0;
	y->columns = 0;
}
