/* SPDX-License-Identifier: BSD-2-Clause */
/* Accounting logs of PBS Pro, OpenPBS and Torque: DATE TIME;KIND;ID;KEY=VALUE ... */
#include <string.h>

#include "lib/base/number.h"

#include "list_reader.h"

/* Takes the text up to a separator, or all of it. */
static struct iot_text take(struct iot_text *from, char separator)
{
	const char *at = from->size > 0 ? memchr(from->data, separator, from->size) : NULL;
	struct iot_text taken = {from->data, at != NULL ? (size_t)(at - from->data) : from->size};
	const size_t used = taken.size + (at != NULL);
	from->data += used;
	from->size -= used;
	return taken;
}

bool list_is_pbs(struct iot_text line)
{
	const struct iot_text date = take(&line, ';'), kind = take(&line, ';');
	return date.size == sizeof "11/21/2026 10:00:00" - 1 && date.data[2] == '/' &&
	       date.data[5] == '/' && date.data[10] == ' ' && kind.size == 1;
}

/* The CPUs of one chunk of exec_host after its '/': 0*4, 0, or 0-3,6 in Torque. */
static uint64_t cpus_of(struct iot_text chunk)
{
	uint64_t sum = 0, n, to;
	const char *star = chunk.size > 0 ? memchr(chunk.data, '*', chunk.size) : NULL;
	if (star != NULL)
		return number_decimal(star + 1, (size_t)(chunk.data + chunk.size - star - 1), &n)
			   ? n
			   : 0;
	while (chunk.size > 0) {
		struct iot_text range = take(&chunk, ',');
		const struct iot_text first = take(&range, '-');
		const bool one = number_decimal(first.data, first.size, &n);
		if (one && range.size > 0 && number_decimal(range.data, range.size, &to) && to >= n)
			sum += to - n;
		sum += one;
	}
	return sum;
}

/* Returns whether a host is in a list of hosts with commas between them. */
static bool contains(const char *list, size_t size, struct iot_text host)
{
	struct iot_text rest = {list, size};
	while (rest.size > 0) {
		const struct iot_text one = take(&rest, ',');
		if (one.size == host.size && memcmp(one.data, host.data, host.size) == 0)
			return true;
	}
	return false;
}

/* Appends the hosts of n1/0*4+n2/0 to `hosts`, each once, and returns their size. */
static size_t add_hosts(struct listed_job *job, struct iot_text chunks, char hosts[JOB_LINE_MAX])
{
	size_t size = 0;
	while (chunks.size > 0) {
		struct iot_text chunk = take(&chunks, '+');
		const struct iot_text host = take(&chunk, '/');
		job->cpus += cpus_of(chunk);
		if (host.size == 0 || contains(hosts, size, host))
			continue;
		job->nodes++;
		if (size > 0)
			hosts[size++] = ',';
		memcpy(hosts + size, host.data, host.size);
		size += host.size;
	}
	return size;
}

/* Takes KEY=VALUE, whose value may be in quotes. */
static bool next_pair(struct iot_text *rest, struct iot_text *key, struct iot_text *value)
{
	while (rest->size > 0 && *rest->data == ' ')
		(void)take(rest, ' ');
	if (rest->size == 0)
		return false;
	const char *equals = memchr(rest->data, '=', rest->size);
	const char *blank = memchr(rest->data, ' ', rest->size);
	if (equals == NULL || (blank != NULL && blank < equals)) {
		*key = take(rest, ' ');
		*value = (struct iot_text){key->data, 0};
		return true;
	}
	*key = take(rest, '=');
	if (rest->size > 0 && *rest->data == '"') {
		(void)take(rest, '"');
		*value = take(rest, '"');
	} else
		*value = take(rest, ' ');
	return true;
}

static void read_pair(struct list_reader *r, struct listed_job *job,
		      struct iot_text text[LISTED_TEXTS], struct iot_text key,
		      struct iot_text value, bool *wrong)
{
	static const struct {
		const char *key;
		enum listed_text text;
	} texts[] = {{"user", LISTED_USER},
		     {"jobname", LISTED_NAME},
		     {"account", LISTED_ACCOUNT},
		     {"Exit_status", LISTED_STATE}};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		if (text_equals(key, texts[i].key))
			text[texts[i].text] = value;
	if (text_equals(key, "project") && text[LISTED_ACCOUNT].size == 0 &&
	    !text_equals(value, "_pbs_project_default"))
		text[LISTED_ACCOUNT] = value;
	else if (text_equals(key, "start"))
		*wrong |= list_time_parse(r, value, &job->start_ns) == LIST_TIME_WRONG;
	else if (text_equals(key, "end"))
		*wrong |= list_time_parse(r, value, &job->end_ns) == LIST_TIME_WRONG;
	else if (text_equals(key, "exec_host"))
		text[LISTED_HOSTS] = value;
}

void list_pbs_line(struct list_reader *r, struct iot_text line)
{
	char hosts[JOB_LINE_MAX];
	struct iot_text text[LISTED_TEXTS] = {{NULL, 0}}, key, value;
	struct listed_job job = {
	    .run = 1, .start_ns = JOB_TIME_UNKNOWN, .end_ns = JOB_TIME_UNKNOWN};
	bool wrong = false;
	if (!list_is_pbs(line)) {
		list_drop(r, JOB_DROP_SYNTAX);
		return;
	}
	const struct iot_text date = take(&line, ';'), kind = take(&line, ';');
	text[LISTED_ID] = take(&line, ';');
	if (*kind.data != 'E' && *kind.data != 'R')
		return; /* other events of jobs */
	while (next_pair(&line, &key, &value))
		read_pair(r, &job, text, key, value, &wrong);
	if (*kind.data == 'R')
		text[LISTED_STATE] = (struct iot_text){"rerun", 5};
	if (job.end_ns == JOB_TIME_UNKNOWN)
		wrong |= list_time_parse(r, date, &job.end_ns) != LIST_TIME_KNOWN;
	text[LISTED_HOSTS].size = add_hosts(&job, text[LISTED_HOSTS], hosts);
	text[LISTED_HOSTS].data = hosts;
	if (wrong)
		list_drop(r, JOB_DROP_TIME);
	else
		list_add(r, &job, text);
}
