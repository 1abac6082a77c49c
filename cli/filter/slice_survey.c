/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts records, determines the span, and collects the first few names. See slice_survey.h. */
#include "slice_survey.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/base/number.h"

#include "cli/ui/output.h"
#include "cli/ui/printable.h"

enum { NS_PER_S = 1000000000, NAME_SIZE = 160, LIST_SIZE = 1024 };

static bool is_named(const struct survey_names *n, const char *name)
{
	for (size_t i = 0; i < n->named; i++)
		if (strcmp(n->name[i], name) == 0)
			return true;
	return false;
}

/* Counts a new id; keeps its name if it is one of the first. */
static void add(struct survey *s, struct survey_names *n, uint64_t id, const char *name)
{
	const size_t count = n->ids.count;
	const size_t number = idmap_number(&n->ids, id);
	if (number == SIZE_MAX)
		s->failed = true;
	if (number != count || n->named == SURVEY_SHOWN || is_named(n, name))
		return;
	n->name[n->named] = strdup(name);
	if (n->name[n->named] == NULL)
		s->failed = true;
	else
		n->named++;
}

/* The value of a key, decoded and printable; returns false if there is none. */
static bool printable_value(struct survey *s, const struct iot_event *ev, const char *key,
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

static void take_rank(struct survey *s, const struct iot_event *ev)
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

static void take_process(struct survey *s, const struct iot_event *ev)
{
	char name[NAME_SIZE] = "", text[NAME_SIZE + 16];
	const bool named = printable_value(s, ev, "name", name, sizeof name);
	snprintf(text, sizeof text, "%u%s%s", ev->rec.process, named ? " " : "", name);
	add(s, &s->processes, ev->rec.process, text);
	take_rank(s, ev);
}

/* FNV-1a: files are counted by path. */
static uint64_t hash_of(struct iot_text text)
{
	uint64_t hash = 0xcbf29ce484222325U;
	for (size_t i = 0; i < text.size; i++)
		hash = (hash ^ (unsigned char)text.data[i]) * 0x100000001b3U;
	return hash;
}

static void take_file(struct survey *s, const struct iot_event *ev)
{
	char path[NAME_SIZE];
	if (!(ev->has & IOT_HAS_DISK) && printable_value(s, ev, "path", path, sizeof path))
		add(s, &s->files, hash_of(iot_directive_get(ev, "path")), path);
}

static void take_record(struct survey *s, const struct iot_record *rec)
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
	add(s, &s->processes, rec->process, id);
}

bool survey_wants_more(const struct survey *s)
{
	return s->events < SURVEY_EVENTS_MAX && !s->failed;
}

void survey_events(struct survey *s, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ev[i].kind == IOT_RECORD)
			take_record(s, &ev[i].rec);
		else if (ev[i].kind == IOT_PROCESS && survey_wants_more(s))
			take_process(s, &ev[i]);
		else if (ev[i].kind == IOT_FILE && survey_wants_more(s))
			take_file(s, &ev[i]);
		s->events++;
	}
}

static void report_names(const char *shown, const char *kind, const struct survey_names *n)
{
	char list[LIST_SIZE] = "";
	size_t used = 0;
	for (size_t i = 0; i < n->named && used < sizeof list; i++) {
		const int more = snprintf(list + used, sizeof list - used, "%s%s",
					  i > 0 ? ", " : "", n->name[i]);
		used += more > 0 ? (size_t)more : 0;
	}
	if (n->named == 0)
		return;
	if (n->ids.count > n->named)
		print_message("%s: its %s: %s, and %zu more", shown, kind, list,
			      n->ids.count - n->named);
	else
		print_message("%s: its %s: %s", shown, kind, list);
}

static void report_ranks(const struct survey *s, const char *shown)
{
	if (s->ranks.count == 0)
		return;
	if (s->first_rank == s->last_rank)
		print_message("%s: its rank: %ju", shown, (uintmax_t)s->first_rank);
	else
		print_message("%s: its ranks: %zu, from %ju to %ju", shown, s->ranks.count,
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

static void report_clock(const struct survey *s, const char *shown, uint64_t epoch_ns)
{
	char first[64], last[64];
	print_message("%s: these are %s to %s", shown,
		      clock_of(first, sizeof first, epoch_ns + (uint64_t)s->first_ns),
		      clock_of(last, sizeof last, epoch_ns + (uint64_t)s->last_ns));
}

void survey_report(const struct survey *s, const char *shown, const uint64_t *epoch_ns, bool names)
{
	if (s->records == 0)
		print_message("%s: there are no records in it", shown);
	else if (s->any_start)
		print_message("%s: %ju records, which start from %.6f to %.6f s", shown,
			      (uintmax_t)s->records, (double)s->first_ns / NS_PER_S,
			      (double)s->last_ns / NS_PER_S);
	else
		print_message("%s: %ju records, whose starts are not known", shown,
			      (uintmax_t)s->records);
	if (s->any_start && epoch_ns != NULL)
		report_clock(s, shown, *epoch_ns);
	if (!names)
		return;
	report_names(shown, "processes", &s->processes);
	report_names(shown, "files", &s->files);
	report_ranks(s, shown);
}

static void free_names(struct survey_names *n)
{
	for (size_t i = 0; i < n->named; i++)
		free(n->name[i]);
	idmap_free(&n->ids);
}

void survey_free(struct survey *s)
{
	free_names(&s->processes);
	free_names(&s->files);
	idmap_free(&s->ranks);
	*s = (struct survey){.records = 0};
}
