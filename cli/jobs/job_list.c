/* SPDX-License-Identifier: BSD-2-Clause */
#include "job_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/ui/message.h"
#include "lib/io/bufreader.h"

#include "list_reader.h"

/* Reading */

/* Returns the next line without its end; data is NULL at the end. A longer line is cut. */
static struct iot_text next_line(struct bufreader *in, size_t *size)
{
	size_t have, want = 1;
	const char *data, *end = NULL;
	do {
		data = bufreader_peek(in, want, &have);
		end = have > 0 ? memchr(data, '\n', have) : NULL;
		if (end != NULL || have < want)
			break;
		want = have + 1;
	} while (have <= JOB_LINE_MAX);
	if (have == 0)
		return (struct iot_text){NULL, 0};
	size_t n = end != NULL ? (size_t)(end - data) : have;
	*size = end != NULL ? n + 1 : n;
	if (n > 0 && data[n - 1] == '\r')
		n--;
	return (struct iot_text){data, n};
}

/* Handles the first line, which decides the form. Returns NULL, or what was expected. */
static const char *begin(struct list_reader *r, struct iot_text line, bool *is_job)
{
	struct iot_text columns = {r->options->columns, 0};
	*is_job = list_is_pbs(line) || columns.data != NULL;
	if (columns.data == NULL)
		return list_is_pbs(line) ? NULL : list_table_header(r, line);
	columns.size = strlen(columns.data);
	const char *expected = list_table_header(r, columns);
	const bool bars = memchr(line.data, '|', line.size) != NULL,
		   tabs = memchr(line.data, '\t', line.size) != NULL;
	r->separator = bars ? '|' : tabs ? '\t' : ',';
	r->is_sacct = bars;
	return expected;
}

static bool is_cut(const struct iot_text line, size_t size)
{
	return line.size > JOB_LINE_MAX || (size > JOB_LINE_MAX && line.size == size);
}

static enum exit_status limit(const char *path, const char *what)
{
	message_print_about(path, "%s", what);
	return EXIT_FAILED;
}

static enum exit_status failed(const struct bufreader *in)
{
	message_print("%s", bufreader_error(in)->text);
	return EXIT_FAILED;
}

static enum exit_status read_lines(struct list_reader *r, struct bufreader *in, const char *path)
{
	bool begun = false, cut = false;
	size_t size = 0;
	for (struct iot_text line; (line = next_line(in, &size)).data != NULL && !r->no_memory;
	     bufreader_consume(in, size)) {
		const bool rest = cut;
		cut = is_cut(line, size) && line.data[size - 1] != '\n';
		r->list->lines += !rest;
		if (line.size == 0 || rest)
			continue;
		if (is_cut(line, size)) {
			list_drop(r, JOB_DROP_LONG);
			continue;
		}
		if (memchr(line.data, '\0', line.size) != NULL) {
			list_drop(r, JOB_DROP_SYNTAX);
			continue;
		}
		bool is_job = true;
		const char *expected = begun ? NULL : begin(r, line, &is_job);
		begun = true;
		if (expected != NULL) {
			message_print_about(path, "line %ju: not a list of jobs: expected %s",
					    (uintmax_t)r->list->lines, expected);
			return EXIT_FAILED;
		}
		if (is_job && r->separator != '\0')
			list_table_line(r, line);
		else if (is_job)
			list_pbs_line(r, line);
		if (r->list->count > JOB_LIST_MAX)
			return limit(path, "more than 4194304 jobs");
	}
	if (r->no_memory)
		return message_no_memory();
	if (bufreader_status(in) != IOT_OK)
		return failed(in);
	return begun ? EXIT_OK : limit(path, "an empty file, not a list of jobs");
}

/* Order */

static int compare(const char *a, const char *b)
{
	return a == NULL || b == NULL ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

static int compare_runs(const struct listed_job *a, const struct listed_job *b)
{
	int order = strcmp(a->text[LISTED_ID], b->text[LISTED_ID]);
	if (order == 0)
		order = compare(a->text[LISTED_CLUSTER], b->text[LISTED_CLUSTER]);
	return order != 0 ? order : (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* If several files list a run, an entry that has an end precedes the others. */
static int compare_jobs(const struct listed_job *a, const struct listed_job *b)
{
	const int order = compare_runs(a, b);
	return order != 0 ? order : (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

static bool is_sorted(const struct job_list *l)
{
	size_t i = 1;
	while (i < l->count && compare_jobs(&l->job[i - 1], &l->job[i]) <= 0)
		i++;
	return i >= l->count;
}

/* Jobs are large, so their keys are sorted; the beginning of an id decides most comparisons. */
struct job_key {
	uint64_t beginning;
	uint32_t job;
};

static uint64_t beginning_of(const char *id)
{
	uint64_t bytes = 0;
	for (unsigned i = 0; i < sizeof bytes && id[i] != '\0'; i++)
		bytes |= (uint64_t)(unsigned char)id[i] << (56 - 8 * i);
	return bytes;
}

static int by_id(const void *left, const void *right, void *jobs)
{
	const struct job_key *a = left, *b = right;
	const struct listed_job *job = jobs;
	if (a->beginning != b->beginning)
		return a->beginning < b->beginning ? -1 : 1;
	const int order = compare_jobs(&job[a->job], &job[b->job]);
	return order != 0 ? order : (a->job > b->job) - (a->job < b->job);
}

/* Returns false if out of memory. */
static bool sort_jobs(struct job_list *l)
{
	if (is_sorted(l))
		return true;
	struct job_key *key = malloc(l->count * sizeof *key);
	struct listed_job *sorted = malloc(l->count * sizeof *sorted);
	const bool done = key != NULL && sorted != NULL;
	for (size_t i = 0; i < l->count && done; i++)
		key[i] = (struct job_key){beginning_of(l->job[i].text[LISTED_ID]), (uint32_t)i};
	if (done) {
		qsort_r(key, l->count, sizeof *key, by_id, l->job);
		for (size_t i = 0; i < l->count; i++)
			sorted[i] = l->job[key[i].job];
		free(l->job);
		l->job = sorted;
		l->capacity = l->count;
	} else {
		free(sorted);
	}
	free(key);
	return done;
}

/* Numbers the runs of each id, and drops runs that several files list. */
static void number_runs(struct job_list *l)
{
	size_t used = 0;
	for (size_t i = 0; i < l->count; i++) {
		const struct listed_job *last = used > 0 ? &l->job[used - 1] : NULL;
		if (last != NULL && compare_runs(last, &l->job[i]) == 0) {
			l->dropped[JOB_DROP_REPEATED]++;
			continue;
		}
		const bool again =
		    last != NULL && strcmp(last->text[LISTED_ID], l->job[i].text[LISTED_ID]) == 0;
		l->job[i].run = again ? last->run + 1 : 1;
		l->job[used++] = l->job[i];
	}
	l->count = used;
}

static const char *const drop_names[JOB_DROPS] = {
    [JOB_DROP_WIDTH] = "another number of fields than the header",
    [JOB_DROP_LONG] = "longer than 65536 bytes",
    [JOB_DROP_ID] = "no job id",
    [JOB_DROP_START] = "a job that never started",
    [JOB_DROP_TIME] = "a time that is not understood",
    [JOB_DROP_NUMBER] = "a number that is not understood",
    [JOB_DROP_REVERSED] = "a job that ends before it starts",
    [JOB_DROP_SYNTAX] = "not a line of such a list",
    [JOB_DROP_REPEATED] = "a run that is listed twice"};

static void report_drop(const struct job_list *l, const char *path, unsigned why, bool refused)
{
	const uint64_t n = l->dropped[why];
	const char *kind = refused ? "" : "warning: ", *end = n == 1 ? "" : "s";
	if (l->first_line[why] == 0)
		message_print_about(path, "%s%s (%ju line%s)", kind, drop_names[why], (uintmax_t)n,
				    end);
	else
		message_print_about(path, "%sline %ju: %s (%ju such line%s)", kind,
				    (uintmax_t)l->first_line[why], drop_names[why], (uintmax_t)n,
				    end);
}

static enum exit_status report_drops(const struct job_list *l, const char *path,
				     const struct job_list_options *options)
{
	bool refuse = false;
	for (unsigned i = 0; i < JOB_DROPS; i++) {
		const bool understood = i == JOB_DROP_START || i == JOB_DROP_REPEATED,
			   refused = options->strict && !understood && l->dropped[i] > 0;
		if (l->dropped[i] > 0 && (!options->quiet || refused))
			report_drop(l, path, i, refused);
		refuse |= refused;
	}
	if (l->assumes_utc && !options->quiet)
		message_print_about(path,
				    "warning: times without a zone are read as UTC; see --tz, "
				    "or set SLURM_TIME_FORMAT=%%s for sacct");
	return refuse ? EXIT_FAILED : EXIT_OK;
}

/* Sets the zone of the process, and returns the previous one, which is to be freed. */
static char *change_zone(const char *zone)
{
	const char *now = getenv("TZ");
	char *kept = now != NULL ? strdup(now) : NULL;
	if (zone != NULL)
		(void)setenv("TZ", zone, 1);
	else
		(void)unsetenv("TZ");
	tzset();
	return kept;
}

enum exit_status job_list_read(struct job_list *list, const char *path,
			       const struct job_list_options *options)
{
	struct list_reader r = {.list = list, .options = options};
	struct bufreader *in = bufreader_new(path, NULL);
	char *zone = NULL;
	if (in == NULL)
		return message_no_memory();
	if (options->zone != NULL)
		zone = change_zone(options->zone);
	enum exit_status status =
	    bufreader_open(in, path) == IOT_OK ? read_lines(&r, in, path) : failed(in);
	bufreader_free(in);
	if (options->zone != NULL)
		free(change_zone(zone));
	free(zone);
	if (!sort_jobs(list) && status == EXIT_OK)
		status = message_no_memory();
	number_runs(list);
	return status == EXIT_OK ? report_drops(list, path, options) : status;
}

/* Use */

/* Returns the first job whose id is not less than a text. */
static size_t lower_bound(const struct job_list *l, const char *id)
{
	size_t from = 0, to = l->count;
	while (from < to) {
		const size_t middle = from + (to - from) / 2;
		if (strcmp(l->job[middle].text[LISTED_ID], id) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Returns the last run of an id, or NULL. */
static struct listed_job *find(const struct job_list *l, const char *id)
{
	size_t i = lower_bound(l, id);
	while (i < l->count && strcmp(l->job[i].text[LISTED_ID], id) == 0)
		i++;
	return i > 0 && strcmp(l->job[i - 1].text[LISTED_ID], id) == 0 ? &l->job[i - 1] : NULL;
}

/* Returns the last run of the first id that begins with a text and a character, or NULL. */
static struct listed_job *find_longer(const struct job_list *l, const char *id, char next)
{
	char begin[JOB_LINE_MAX + 2];
	const int size = snprintf(begin, sizeof begin, "%s%c", id, next);
	if (size < 0 || (size_t)size >= sizeof begin)
		return NULL;
	const size_t i = lower_bound(l, begin);
	return i < l->count && strncmp(l->job[i].text[LISTED_ID], begin, (size_t)size) == 0
		   ? find(l, l->job[i].text[LISTED_ID])
		   : NULL;
}

static struct listed_job *find_name(const struct job_list *l, const char *name)
{
	for (size_t i = l->count; i-- > 0;)
		if (l->job[i].text[LISTED_NAME] != NULL &&
		    strcmp(l->job[i].text[LISTED_NAME], name) == 0)
			return &l->job[i];
	return NULL;
}

struct listed_job *job_list_find(const struct job_list *list, const char *id)
{
	struct listed_job *job = find(list, id);
	const bool is_number = strspn(id, "0123456789") == strlen(id) && id[0] != '\0';
	if (job == NULL && is_number)
		job = find_longer(list, id, '.');
	if (job == NULL && is_number)
		job = find_longer(list, id, '[');
	return job != NULL || strchr(id, '_') == NULL ? job : find_name(list, id);
}

double listed_run_time_s(const struct listed_job *job)
{
	return job->end_ns != JOB_TIME_UNKNOWN ? (double)(job->end_ns - job->start_ns) / 1e9
					       : (double)NAN;
}

double listed_core_hours(const struct listed_job *job)
{
	return job->cpus > 0 ? listed_run_time_s(job) * (double)job->cpus / 3600 : (double)NAN;
}

void job_list_free(struct job_list *list)
{
	free(list->job);
	text_blocks_free(&list->texts);
	*list = (struct job_list){.job = NULL};
}
