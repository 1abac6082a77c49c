/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of /proc/diskstats, once for each interval, after the lines "time SECONDS" and "host
 * NAME":
 *
 *        8       0 sda 4123 12 330496 1830 902 77 81920 660 0 1500 2490 ...
 *
 * Fields: major, minor, name; reads, reads merged, sectors read, ms reading; writes, writes merged,
 * sectors written, ms writing; I/Os in flight, ms with I/Os in flight, these weighted by their
 * number. Later fields (discards, flushes) are not used. A sector has 512 bytes.
 */
#include <fnmatch.h>

#include "converters/samples/samples.h"

enum {
	BITS = 150,
	FIELDS = 11,
	NAME_MAX_SIZE = 255,
	SECTOR = 512,
	NS_PER_MS = 1000000,
};

struct diskstats {
	char base[NAME_MAX_SIZE + 1]; /* the last device that is not a partition */
	uint64_t skipped;
};

struct disk_line {
	struct iot_text name;
	uint64_t field[FIELDS];
};

static bool parse(struct iot_text line, struct disk_line *d)
{
	struct iot_text word;
	uint64_t number;
	for (int i = 0; i < 2; i++)
		if (!word_next(&line, &word) || !number_decimal(word.data, word.size, &number))
			return false;
	if (!word_next(&line, &d->name) || d->name.size > NAME_MAX_SIZE)
		return false;
	for (int i = 0; i < FIELDS; i++)
		if (!word_next(&line, &word) || !number_decimal(word.data, word.size, &d->field[i]))
			return false;
	return true;
}

/* Devices */

static bool is_digits(const char *text)
{
	return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* Partitions follow their disk: sda1 sda, nvme0n1p2 nvme0n1. */
static bool is_partition(const char *name, const char *base)
{
	const size_t n = strlen(base);
	if (n == 0 || strncmp(name, base, n) != 0)
		return false;
	if (number_digit(base[n - 1]) > 9)
		return is_digits(name + n);
	return name[n] == 'p' && is_digits(name + n + 1);
}

/* Returns whether a device has no disk of its own, or one that other devices count. */
static bool is_built_on_others(const char *name)
{
	static const char *const patterns[] = {
	    "loop*", "ram*",  "zram*",   "dm-*",
	    "md*",   "drbd*", "bcache*", "nvme*c*n*" /* a path to a device */};
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
		if (fnmatch(patterns[i], name, 0) == 0)
			return true;
	return false;
}

static bool is_wanted(struct sampling *s, struct iot_text text)
{
	struct diskstats *d = s->own;
	const char *glob = source_setting(s->src, "device");
	char name[NAME_MAX_SIZE + 1];
	memcpy(name, text.data, text.size);
	name[text.size] = '\0';
	if (glob != NULL)
		return fnmatch(glob, name, 0) == 0;
	if (is_partition(name, d->base))
		return false;
	memcpy(d->base, name, text.size + 1);
	return !is_built_on_others(name);
}

/* Lines */

static const uint64_t units[SAMPLE_VALUES] = {
    [SAMPLE_READ_BYTES] = SECTOR, [SAMPLE_WRITTEN_BYTES] = SECTOR, [SAMPLE_READS] = 1,
    [SAMPLE_WRITES] = 1,          [SAMPLE_READ_NS] = NS_PER_MS,    [SAMPLE_WRITE_NS] = NS_PER_MS,
    [SAMPLE_BUSY_NS] = NS_PER_MS, [SAMPLE_QUEUE_NS] = NS_PER_MS,
};

/* Values in the order of the fields; SAMPLE_VALUES: none. */
static const uint8_t values[FIELDS] = {SAMPLE_READS,         SAMPLE_VALUES,   SAMPLE_READ_BYTES,
				       SAMPLE_READ_NS,       SAMPLE_WRITES,   SAMPLE_VALUES,
				       SAMPLE_WRITTEN_BYTES, SAMPLE_WRITE_NS, SAMPLE_VALUES,
				       SAMPLE_BUSY_NS,       SAMPLE_QUEUE_NS};

static bool make_point(struct sampling *s, const struct disk_line *d, struct sample_point *p)
{
	*p = (struct sample_point){.host = {s->host, s->host_size},
				   .target = d->name,
				   .time_ns = s->stamp_ns,
				   .since_ns = SAMPLES_TIME_UNKNOWN};
	for (int i = 0; i < FIELDS; i++) {
		const enum sample_value v = values[i];
		if (v == SAMPLE_VALUES)
			continue;
		if (d->field[i] > UINT64_MAX / units[v])
			return false;
		sample_set(p, v, d->field[i] * units[v]);
	}
	return true;
}

static bool line(struct sampling *s, struct iot_text text)
{
	struct diskstats *d = s->own;
	struct disk_line disk;
	struct sample_point p;
	if (text.size == 0)
		return true;
	if (samples_stamp(s, text)) {
		d->base[0] = '\0';
		return true;
	}
	if (!parse(text, &disk) || !make_point(s, &disk, &p))
		return samples_unparsed(s);
	if (!is_wanted(s, disk.name)) {
		d->skipped++;
		return true;
	}
	if (!samples_is_stamped(s))
		return false;
	return samples_count(s, &p);
}

static bool end(struct sampling *s)
{
	struct diskstats *d = s->own;
	if (d->skipped > 0)
		report_add(&s->src->report, "skipped.devices", d->skipped);
	d->skipped = 0;
	return true;
}

/* Interface */

static int line_bits(struct iot_text text)
{
	struct disk_line disk;
	return text.size > 0 && parse(text, &disk) ? BITS : 0;
}

static int sniff(struct input *in)
{
	return samples_sniff(in, line_bits);
}

static const struct samples_format format = {
    .state_size = sizeof(struct diskstats), .tick_ns = 1, .units = units, .line = line, .end = end};

static int open_source(struct source_state *src)
{
	return samples_open(src, &format);
}

static const struct iot_format_option options[] = {
    {"device", "GLOB", "the devices to count (default: disks, without what is built on others)"},
    {"host", "NAME", "the host of a text that does not name it"},
    SAMPLES_OPTIONS,
    {NULL, NULL, NULL},
};

const struct converter converter_diskstats = {
    .name = "diskstats",
    .summary = "counters of disks: /proc/diskstats, repeated with the time",
    .options = options,
    .sniff = sniff,
    .open = open_source,
    .next = samples_next,
    .close = samples_close,
};
