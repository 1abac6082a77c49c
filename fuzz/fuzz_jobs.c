/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads any bytes as a list of jobs, and any text as conditions. Every line is a job, a step or
 * counted, or is none of a job in a log of PBS; the list is sorted; each job is found by its id;
 * and a list that is written as csv from the result reads as the same jobs. A list of hosts expands
 * to names that, as a list, expand to themselves.
 *
 * The first byte of an input is options: bit 0 --jobs-columns, 1 the zone, 2 the rest is a
 * condition, 3 a list of hosts.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "fuzz.h"

#include "cli/analyze/member_values.h"
#include "cli/analyze/where.h"
#include "cli/jobs/host_list.h"
#include "cli/jobs/job_list.h"

/* Messages of errors go nowhere, unless FUZZ_TELL is set. */
static void read_list(struct job_list *l, int fd, const struct job_list_options *options)
{
	static int standard_error = -1, nowhere = -1;
	char path[64];
	if (standard_error < 0) {
		standard_error = dup(STDERR_FILENO);
		nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	}
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	FUZZ_CHECK(lseek(fd, 0, SEEK_SET) == 0);
	FUZZ_CHECK(getenv("FUZZ_TELL") != NULL || dup2(nowhere, STDERR_FILENO) >= 0);
	(void)job_list_read(l, path, options);
	FUZZ_CHECK(dup2(standard_error, STDERR_FILENO) >= 0);
}

enum { HOSTS_CHECKED = 1000 };

/* Names of hosts, each after the comma that follows the one before it. */
struct host_names {
	char *text;
	size_t size, count;
};

static bool add_host(void *context, const char *host, size_t size)
{
	struct host_names *n = context;
	FUZZ_CHECK(size > 0 && size <= HOST_NAME_MAX_BYTES);
	FUZZ_CHECK(memchr(host, '\0', size) == NULL);
	n->text = fuzz_memory(n->text, n->size + size + 2);
	if (n->count > 0)
		n->text[n->size++] = ',';
	memcpy(n->text + n->size, host, size);
	n->size += size;
	n->text[n->size] = '\0';
	return ++n->count < HOSTS_CHECKED;
}

static void check_hosts(const char *list)
{
	struct host_names once = {.text = NULL}, twice = {.text = NULL};
	const enum host_list_result result = host_list_expand(list, add_host, &once);
	FUZZ_CHECK((result == HOST_LIST_ENDED) == (once.count == HOSTS_CHECKED));
	FUZZ_CHECK(result != HOST_LIST_OK || once.count > 0);
	/* A bracket that closes none is part of a name. */
	if (once.count > 0 && strpbrk(once.text, "[]") == NULL) {
		FUZZ_CHECK(host_list_expand(once.text, add_host, &twice) ==
			   (once.count < HOSTS_CHECKED ? HOST_LIST_OK : HOST_LIST_ENDED));
		FUZZ_CHECK(twice.count == once.count && strcmp(twice.text, once.text) == 0);
	}
	free(once.text);
	free(twice.text);
}

static void check_host_text(const uint8_t *data, size_t size)
{
	char *text = fuzz_memory(NULL, size + 1);
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	check_hosts(text);
	free(text);
}

static void check_job(const struct job_list *l, size_t i)
{
	const struct listed_job *job = &l->job[i], *next = i + 1 < l->count ? job + 1 : NULL;
	const struct listed_job *found = job_list_find(l, job->text[LISTED_ID]);
	FUZZ_CHECK(job->text[LISTED_ID] != NULL && job->start_ns <= job->end_ns);
	FUZZ_CHECK(found != NULL && strcmp(found->text[LISTED_ID], job->text[LISTED_ID]) == 0);
	FUZZ_CHECK(found->run >= job->run);
	FUZZ_CHECK(next == NULL || strcmp(job->text[LISTED_ID], next->text[LISTED_ID]) <= 0);
	FUZZ_CHECK(isnan(listed_run_time_s(job)) || listed_run_time_s(job) >= 0);
	FUZZ_CHECK(isnan(listed_core_hours(job)) || listed_core_hours(job) >= 0);
	if (job->text[LISTED_HOSTS] != NULL)
		check_hosts(job->text[LISTED_HOSTS]);
}

static void check_list(const struct job_list *l)
{
	uint64_t lines = l->count + l->steps;
	for (unsigned i = 0; i < JOB_DROPS; i++)
		lines += l->dropped[i];
	FUZZ_CHECK(lines <= l->lines + l->dropped[JOB_DROP_REPEATED]);
	for (size_t i = 0; i < l->count; i++)
		check_job(l, i);
}

static bool is_plain(const struct listed_job *job)
{
	return strpbrk(job->text[LISTED_ID], ",\t|\"\r") == NULL &&
	       strlen(job->text[LISTED_ID]) < 1000;
}

static void check_again(const struct job_list *l)
{
	const struct job_list_options options = {.quiet = true};
	struct job_list again = {.job = NULL};
	FILE *out = tmpfile();
	size_t count = 0;
	FUZZ_CHECK(out != NULL);
	(void)fprintf(out, "job,start,end,cpus,cluster\n");
	for (size_t i = 0; i < l->count; i++) {
		const struct listed_job *job = &l->job[i];
		if (!is_plain(job) || job->run > 1)
			continue;
		count++;
		(void)fprintf(out, "%s,%jd.%09jd,", job->text[LISTED_ID],
			      (intmax_t)(job->start_ns / 1000000000),
			      (intmax_t)(job->start_ns % 1000000000));
		if (job->end_ns != JOB_TIME_UNKNOWN)
			(void)fprintf(out, "%jd.%09jd", (intmax_t)(job->end_ns / 1000000000),
				      (intmax_t)(job->end_ns % 1000000000));
		(void)fprintf(out, ",%ju,\n", (uintmax_t)job->cpus);
	}
	FUZZ_CHECK(fflush(out) == 0);
	read_list(&again, fileno(out), &options);
	FUZZ_CHECK(again.count == count);
	for (size_t i = 0, k = 0; i < l->count; i++) {
		const struct listed_job *a = &l->job[i];
		if (!is_plain(a) || a->run > 1)
			continue;
		const struct listed_job *b = &again.job[k++];
		FUZZ_CHECK(strcmp(a->text[LISTED_ID], b->text[LISTED_ID]) == 0);
		FUZZ_CHECK(a->start_ns == b->start_ns && a->end_ns == b->end_ns);
		FUZZ_CHECK(a->cpus == b->cpus);
	}
	job_list_free(&again);
	FUZZ_CHECK(fclose(out) == 0);
}

/* All conditions are true of a job if each of them is, and none is of unknown values. */
static void check_where(const uint8_t *data, size_t size)
{
	char *text = fuzz_memory(NULL, size + 1);
	struct where *w = fuzz_memory(NULL, sizeof *w);
	double *value = fuzz_memory(NULL, member_values_count * sizeof *value);
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	memset(w, 0, sizeof *w);
	const char *expected = where_parse(w, text);
	for (unsigned round = 0; round < 3; round++) {
		for (size_t i = 0; i < member_values_count; i++)
			value[i] = round == 0 ? (double)NAN : (double)(i * round);
		const bool all = where_keeps(w, value);
		size_t kept = 0;
		for (size_t i = 0; i < w->conditions; i++)
			kept += w->condition[i].kept.jobs == w->all.jobs;
		FUZZ_CHECK(all == where_is_true(w, value));
		FUZZ_CHECK(w->kept.jobs <= w->all.jobs && w->all.jobs == round + 1);
		FUZZ_CHECK(w->kept.jobs < w->all.jobs || kept == w->conditions);
	}
	FUZZ_CHECK(expected != NULL || w->conditions > 0);
	free(value);
	free(w);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	const unsigned how = (unsigned)fuzz_take(&in, 1) ^ '0';
	const struct job_list_options options = {
	    .columns = (how & 1) != 0 ? "job,start,end,user,account,cpus" : NULL,
	    .zone = (how & 2) != 0 ? "Europe/Berlin" : NULL,
	    .quiet = true};
	struct job_list l = {.job = NULL};
	if ((how & 4) != 0) {
		check_where(in.data, in.size);
		return 0;
	}
	if ((how & 8) != 0) {
		check_host_text(in.data, in.size);
		return 0;
	}
	const int fd = fuzz_file(in.data, in.size);
	read_list(&l, fd, &options);
	check_list(&l);
	check_again(&l);
	job_list_free(&l);
	(void)close(fd);
	return 0;
}
