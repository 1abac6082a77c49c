/* SPDX-License-Identifier: BSD-2-Clause */
#include "sysstat.h"

#include "lib/base/civil_time.h"

enum { BITS = 150, TEXT_BITS = 100 };

/* Lines */

static bool line(struct sampling *s, struct iot_text text)
{
	const struct sysstat *y = s->own;
	return y->is_json ? sysstat_json_line(s, text) : sysstat_table_line(s, text);
}

static bool set_zone(struct sampling *s)
{
	struct sysstat *y = s->own;
	const char *zone = source_setting(s->src, "tz");
	char text[32] = "1970-01-02T00:00";
	struct civil_time c;
	if (zone == NULL)
		return true;
	if (strlen(zone) < sizeof text - strlen(text))
		strcat(text, zone);
	if (civil_time_parse((struct iot_text){text, strlen(text)}, &c) && c.has_zone) {
		y->east_s = c.east_s;
		return true;
	}
	(void)source_setting_wrong(s->src, "tz", "a difference from UTC, such as +02:00");
	return false;
}

static bool begin(struct sampling *s)
{
	struct sysstat *y = s->own;
	size_t size;
	const char *head = input_head(s->src->input, s->member - 1, &size);
	y->is_json = size > 0 && (head[0] == '{' || head[0] == '[' || head[0] == ' ');
	s->takes_cut_lines = y->is_json;
	y->is_sadf = strcmp(s->src->converter->name, "sadf") == 0;
	y->depth = 0;
	y->key[0] = '\0';
	y->disk.name_size = 0;
	y->in_timestamp = false;
	sysstat_begin_run(y);
	return true;
}

static void note_times(struct sampling *s)
{
	struct sysstat *y = s->own;
	if (y->untimed > 0) {
		report_add(&s->src->report, "untimed.reports", y->untimed);
		report_note(&s->src->report,
			    "reports without a time are left out; iostat -t prints it");
	}
	if (y->assumes_zone && source_setting(s->src, "tz") == NULL)
		report_note(&s->src->report,
			    "times have no zone, and are taken as UTC; %stz states the zone, and "
			    "S_TIME_FORMAT=ISO prints it",
			    s->src->option_prefix);
	y->untimed = 0;
	y->assumes_zone = false;
}

static bool end(struct sampling *s)
{
	struct sysstat *y = s->own;
	if (y->depth > 0 && s->damage.status == IOT_OK)
		samples_damaged(s, IOT_OK, 0);
	note_times(s);
	return true;
}

/* Evidence */

static bool contains(const char *head, size_t size, const char *text)
{
	return size > 0 && memmem(head, size, text, strlen(text)) != NULL;
}

static int line_bits(struct iot_text text)
{
	return text.size > 6 && memcmp(text.data, "Device", 6) == 0 ? TEXT_BITS : 0;
}

static int sniff_iostat(struct input *in)
{
	size_t size;
	const char *head = input_head(in, 0, &size);
	if (contains(head, size, "\"sysstat\""))
		return contains(head, size, "\"disk_device\"") ? BITS : 0;
	const bool is_text = size > 6 && memcmp(head, "Linux ", 6) == 0;
	return is_text ? samples_sniff(in, line_bits) : 0;
}

static int sniff_sadf(struct input *in)
{
	static const char header[] = "# hostname;interval;timestamp;DEV";
	size_t size;
	const char *head = input_head(in, 0, &size);
	if (contains(head, size, "\"sysstat\""))
		return contains(head, size, "\"disk-device\"") ? BITS : 0;
	return size >= sizeof header && memcmp(head, header, sizeof header - 1) == 0 ? BITS : 0;
}

/* Interface */

static const struct samples_format format = {.state_size = sizeof(struct sysstat),
					     .tick_ns = SAMPLES_NS_PER_S,
					     .open = set_zone,
					     .begin = begin,
					     .end = end,
					     .line = line};

static int open_source(struct source_state *src)
{
	return samples_open(src, &format);
}

static const struct iot_format_option options[] = {
    {"device", "GLOB", "the devices to count (default: without what is built on others)"},
    {"host", "NAME", "the host of reports that do not name it"},
    {"tz", "+HH:MM", "the zone of times that have none (default: UTC)"},
    SAMPLES_OPTIONS,
    {NULL, NULL, NULL},
};

const struct converter converter_iostat = {
    .name = "iostat",
    .summary = "reports of iostat -t, as JSON or text",
    .options = options,
    .sniff = sniff_iostat,
    .open = open_source,
    .next = samples_next,
    .close = samples_close,
};

const struct converter converter_sadf = {
    .name = "sadf",
    .summary = "archives of sar: what sadf -j or sadf -d print of disks (-- -d)",
    .options = options,
    .sniff = sniff_sadf,
    .open = open_source,
    .next = samples_next,
    .close = samples_close,
};
