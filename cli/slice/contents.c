/* SPDX-License-Identifier: BSD-2-Clause */
#include "contents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

#include "cli/ui/message.h"
#include "cli/ui/printable.h"
#include "lib/base/number.h"

enum {
	CONTENTS_EVENTS_MAX = 1 << 20, /* events examined for names */
	CONTENTS_NAME_SIZE = 160,
	CONTENTS_LIST_SIZE = 1024,
	NS_PER_S = 1000000000,
};

static bool is_named(const struct contents_names *n, const char *name)
{
	for (size_t i = 0; i < n->named; i++)
		if (strcmp(n->name[i], name) == 0)
			return true;
	return false;
}

/* Counts a new id; keeps its name if it is one of the first. */
static void add_name(struct contents *s, struct contents_names *n, uint64_t id, const char *name)
{
	const size_t count = n->ids.count;
	const size_t number = idmap_number(&n->ids, id);
	if (number == SIZE_MAX)
		s->failed = true;
	if (number != count || n->named == CONTENTS_SHOWN || is_named(n, name))
		return;
	n->name[n->named] = strdup(name);
	if (n->name[n->named] == NULL)
		s->failed = true;
	else
		n->named++;
}

/* Stores the value of a key, decoded and printable. Returns false if the key is missing. */
static bool printable_value(struct contents *s, const struct iot_event *ev, const char *key,
			    char *text, size_t size)
{
	const struct iot_text value = iot_directive_get(ev, key);
	if (value.data == NULL)
		return false;
	char *decoded = malloc(value.size + 1);
	if (decoded == NULL) {
		s->failed = true;
		return false;
	}
	printable(text, size, decoded, iot_percent_decode(value, decoded, NULL));
	free(decoded);
	return true;
}

static void contents_rank(struct contents *s, const struct iot_event *ev)
{
	const struct iot_text text = iot_directive_get(ev, "rank");
	uint64_t rank;
	if (text.data == NULL || !number_decimal(text.data, text.size, &rank))
		return;
	if (s->ranks.count == 0 || rank < s->first_rank)
		s->first_rank = rank;
	if (s->ranks.count == 0 || rank > s->last_rank)
		s->last_rank = rank;
	if (idmap_number(&s->ranks, rank) == SIZE_MAX)
		s->failed = true;
}

static void contents_process(struct contents *s, const struct iot_event *ev)
{
	char name[CONTENTS_NAME_SIZE] = "", text[CONTENTS_NAME_SIZE + 16];
	const bool named = printable_value(s, ev, "name", name, sizeof name);
	snprintf(text, sizeof text, "%u%s%s", ev->rec.process, named ? " " : "", name);
	add_name(s, &s->processes, ev->rec.process, text);
	contents_rank(s, ev);
}

/* Files are counted by path. */
static void contents_file(struct contents *s, const struct iot_event *ev)
{
	const struct iot_text value = iot_directive_get(ev, "path");
	char path[CONTENTS_NAME_SIZE];
	if (!(ev->has & IOT_HAS_DISK) && printable_value(s, ev, "path", path, sizeof path))
		add_name(s, &s->files, XXH3_64bits(value.data, value.size), path);
}

static void contents_record(struct contents *s, const struct iot_record *rec)
{
	char id[16];
	s->records++;
	if ((rec->flags & IOT_START_UNKNOWN) == 0) {
		if (!s->any_start || rec->start_ns < s->first_ns)
			s->first_ns = rec->start_ns;
		if (!s->any_start || rec->start_ns > s->last_ns)
			s->last_ns = rec->start_ns;
		s->any_start = true;
	}
	if (s->processes.ids.count > 0 && s->processes.ids.last_key == rec->process)
		return;
	snprintf(id, sizeof id, "%u", rec->process);
	add_name(s, &s->processes, rec->process, id);
}

bool contents_wants_more(const struct contents *s)
{
	return s->events < CONTENTS_EVENTS_MAX && !s->failed;
}

void contents_events(struct contents *s, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ev[i].kind == IOT_RECORD)
			contents_record(s, &ev[i].rec);
		else if (ev[i].kind == IOT_PROCESS && contents_wants_more(s))
			contents_process(s, &ev[i]);
		else if (ev[i].kind == IOT_FILE && contents_wants_more(s))
			contents_file(s, &ev[i]);
		s->events++;
	}
}

static void report_names(const char *shown, const char *kind, const struct contents_names *n)
{
	char list[CONTENTS_LIST_SIZE] = "";
	size_t used = 0;
	for (size_t i = 0; i < n->named && used < sizeof list; i++) {
		const int more = snprintf(list + used, sizeof list - used, "%s%s",
					  i > 0 ? ", " : "", n->name[i]);
		used += more > 0 ? (size_t)more : 0;
	}
	if (n->named == 0)
		return;
	if (n->ids.count > n->named)
		message_print("%s: its %s: %s, and %zu more", shown, kind, list,
			      n->ids.count - n->named);
	else
		message_print("%s: its %s: %s", shown, kind, list);
}

static void report_ranks(const struct contents *s, const char *shown)
{
	if (s->ranks.count == 0)
		return;
	if (s->first_rank == s->last_rank)
		message_print("%s: its rank: %ju", shown, (uintmax_t)s->first_rank);
	else
		message_print("%s: its ranks: %zu, from %ju to %ju", shown, s->ranks.count,
			      (uintmax_t)s->first_rank, (uintmax_t)s->last_rank);
}

static const char *clock_of(char *text, size_t size, uint64_t ns)
{
	struct tm tm;
	const time_t seconds = (time_t)(ns / NS_PER_S);
	const size_t n =
	    gmtime_r(&seconds, &tm) != NULL ? strftime(text, size, "%Y-%m-%dT%H:%M:%S", &tm) : 0;
	snprintf(text + n, size - n, ".%06uZ", (unsigned)(ns % NS_PER_S / 1000));
	return text;
}

static void report_clock(const struct contents *s, const char *shown, uint64_t epoch_ns)
{
	char first[64], last[64];
	message_print("%s: these are %s to %s", shown,
		      clock_of(first, sizeof first, epoch_ns + (uint64_t)s->first_ns),
		      clock_of(last, sizeof last, epoch_ns + (uint64_t)s->last_ns));
}

void contents_report(const struct contents *s, const char *shown, const uint64_t *epoch_ns,
		     bool names)
{
	if (s->records == 0)
		message_print("%s: there are no records in it", shown);
	else if (s->any_start)
		message_print("%s: %ju records, which start from %.6f to %.6f s", shown,
			      (uintmax_t)s->records, (double)s->first_ns / NS_PER_S,
			      (double)s->last_ns / NS_PER_S);
	else
		message_print("%s: %ju records, whose starts are not known", shown,
			      (uintmax_t)s->records);
	if (s->any_start && epoch_ns != NULL)
		report_clock(s, shown, *epoch_ns);
	if (!names)
		return;
	report_names(shown, "processes", &s->processes);
	report_names(shown, "files", &s->files);
	report_ranks(s, shown);
}

static void free_names(struct contents_names *n)
{
	for (size_t i = 0; i < n->named; i++)
		free(n->name[i]);
	idmap_free(&n->ids);
}

void contents_free(struct contents *s)
{
	free_names(&s->processes);
	free_names(&s->files);
	idmap_free(&s->ranks);
	*s = (struct contents){.records = 0};
}
