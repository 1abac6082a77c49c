/* SPDX-License-Identifier: BSD-2-Clause */
#include "samples.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "lib/base/array.h"
#include "lib/base/text.h"
#include "lib/format/directive.h"
#include "lib/format/sample.h"

enum { NAME_MAX_BYTES = 4096, PS_PER_NS = 1000 };

/* Returns the number of a name, from `first` on; SIZE_MAX if out of memory. */
static size_t name_number(struct idmap *ids, char ***names, size_t *count, size_t *capacity,
			  struct iot_text text)
{
	char name[NAME_MAX_BYTES + 1];
	if (text.size > NAME_MAX_BYTES)
		text.size = NAME_MAX_BYTES;
	const size_t size = iot_percent_decode(text, name, NULL);
	const size_t i = idmap_number(ids, XXH3_64bits(name, size));
	if (!array_reserve_index(names, capacity, i, sizeof **names))
		return SIZE_MAX;
	if ((*names)[i] != NULL)
		return i;
	(*names)[i] = strndup(name, size);
	*count = i + 1;
	return (*names)[i] != NULL ? i : SIZE_MAX;
}

static bool add(struct samples *s, struct host_sample *one, struct iot_text host,
		struct iot_text job)
{
	const size_t number =
	    name_number(&s->host_ids, &s->host, &s->hosts, &s->host_capacity, host);
	size_t of_job = 0;
	if (job.data != NULL && job.size > 0)
		of_job = name_number(&s->job_ids, &s->job, &s->jobs, &s->job_capacity, job);
	if (number == SIZE_MAX || of_job == SIZE_MAX ||
	    !array_reserve(&s->of, &s->capacity, s->count + 1, sizeof *s->of))
		return false;
	one->host = (uint32_t)number;
	one->job = job.data != NULL && job.size > 0 ? (uint32_t)of_job + 1 : 0;
	s->of[s->count++] = *one;
	return true;
}

/* Returns false if out of memory. */
static bool read_sample(struct samples *s, const struct iot_event *ev)
{
	struct sample declared;
	if (!sample_of(ev, &declared) || declared.value[SAMPLE_READS] > UINT32_MAX ||
	    declared.value[SAMPLE_WRITES] > UINT32_MAX) {
		wrong_samples_add(&s->wrong, ev);
		return true;
	}
	struct host_sample one = {
	    .time_ns = (int64_t)declared.start_ns,
	    .took_ns = declared.took_ns,
	    .bytes = {declared.value[SAMPLE_READ_BYTES], declared.value[SAMPLE_WRITTEN_BYTES]},
	    .requests = {declared.value[SAMPLE_READS], declared.value[SAMPLE_WRITES]}};
	s->gaps += declared.gap;
	return declared.gap || add(s, &one, declared.host, declared.job);
}

enum exit_status samples_read(struct samples *s, const char *path,
			      const struct trace_in_options *options,
			      const struct command_spec *command)
{
	struct iot_event ev[TRACE_IN_BATCH];
	struct trace_in in;
	enum exit_status status = trace_in_open(&in, path, options, command);
	bool ok = status == EXIT_OK;
	for (size_t n = 1; ok && n > 0;) {
		n = trace_in_events(&in, ev, TRACE_IN_BATCH);
		for (size_t i = 0; i < n && ok; i++) {
			if (directive_is_sample(&ev[i]))
				ok = read_sample(s, &ev[i]);
			else if (ev[i].kind == IOT_TRACE && s->trace == NULL)
				ok = (s->trace = strndup(ev[i].text.data, ev[i].text.size)) != NULL;
		}
	}
	if (status == EXIT_OK)
		status = ok ? trace_in_exit(&in, true) : message_no_memory();
	trace_in_close(&in);
	return status;
}

/* Order */

static int by_name(const void *left, const void *right, void *names)
{
	char *const *host = names;
	return strcmp(host[*(const uint32_t *)left], host[*(const uint32_t *)right]);
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Orders by host, time, and everything else, so that the order of inputs does not matter. */
static int by_host(const void *left, const void *right)
{
	const struct host_sample *a = left, *b = right;
	int order = compare(a->host, b->host);
	if (order == 0)
		order = compare((uint64_t)a->time_ns, (uint64_t)b->time_ns);
	if (order == 0)
		order = compare(a->took_ns, b->took_ns);
	if (order == 0)
		order = compare(a->job, b->job);
	return order;
}

/* Renumbers names in alphabetical order. from: the first number that samples use. */
static bool sort_names(struct samples *s, char **names, size_t count, bool jobs)
{
	uint32_t *order = malloc((count + 1) * sizeof *order);
	uint32_t *rank = malloc((count + 1) * sizeof *rank);
	char **sorted = malloc((count + 1) * sizeof *sorted);
	const bool ok = order != NULL && rank != NULL && sorted != NULL;
	for (uint32_t i = 0; ok && i < count; i++)
		order[i] = i;
	if (ok)
		qsort_r(order, count, sizeof *order, by_name, names);
	for (uint32_t i = 0; ok && i < count; i++) {
		rank[order[i]] = i;
		sorted[i] = names[order[i]];
	}
	if (ok && count > 0)
		memcpy(names, sorted, count * sizeof *names);
	for (size_t i = 0; ok && i < s->count; i++) {
		if (jobs && s->of[i].job != 0)
			s->of[i].job = rank[s->of[i].job - 1] + 1;
		else if (!jobs)
			s->of[i].host = rank[s->of[i].host];
	}
	free(order);
	free(rank);
	free(sorted);
	return ok;
}

static bool same_interval(const struct host_sample *a, const struct host_sample *b)
{
	return a->host == b->host && a->time_ns == b->time_ns && a->took_ns == b->took_ns &&
	       a->job == b->job;
}

/* Adds up the samples of several targets. */
static void merge(struct samples *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->count; i++) {
		if (n == 0 || !same_interval(&s->of[n - 1], &s->of[i])) {
			s->of[n++] = s->of[i];
			continue;
		}
		for (unsigned d = 0; d < 2; d++) {
			s->of[n - 1].bytes[d] += s->of[i].bytes[d];
			s->of[n - 1].requests[d] += s->of[i].requests[d];
		}
	}
	s->count = n;
}

static void fill_logs(struct samples *s)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct host_sample *one = &s->of[i];
		struct model_node *n = &s->node[one->host];
		if (n->count++ == 0)
			n->log = &s->log[i];
		s->log[i] = (struct model_log){
		    .start_ps = (one->time_ns - s->begin_ns) * PS_PER_NS,
		    .took_ps = (int64_t)one->took_ns * PS_PER_NS,
		    .bytes = {one->bytes[0], one->bytes[1]},
		    .requests = {(uint32_t)one->requests[0], (uint32_t)one->requests[1]},
		    .job = one->job,
		};
	}
}

/* Times of more than a hundred days do not fit in picoseconds. */
static bool has_span(const struct samples *s)
{
	const int64_t max_ns = MODEL_SPAN_MAX / PS_PER_NS;
	for (size_t i = 0; i < s->count; i++)
		if (s->of[i].time_ns - s->begin_ns > max_ns || s->of[i].took_ns > (uint64_t)max_ns)
			return false;
	return true;
}

enum exit_status samples_finish(struct samples *s)
{
	if (s->count == 0) {
		message_print("no samples: expected %%sample directives with host= and took=");
		return EXIT_FAILED;
	}
	s->begin_ns = s->of[0].time_ns;
	for (size_t i = 0; i < s->count; i++)
		if (s->of[i].time_ns < s->begin_ns)
			s->begin_ns = s->of[i].time_ns;
	if (!has_span(s)) {
		message_print("samples of more than 100 days; 'iotrace slice' selects a part");
		return EXIT_FAILED;
	}
	if (!sort_names(s, s->host, s->hosts, false) || !sort_names(s, s->job, s->jobs, true))
		return message_no_memory();
	qsort(s->of, s->count, sizeof *s->of, by_host);
	merge(s);
	s->log = calloc(s->count + 1, sizeof *s->log);
	s->node = calloc(s->hosts + 1, sizeof *s->node);
	if (s->log == NULL || s->node == NULL)
		return message_no_memory();
	fill_logs(s);
	free(s->of);
	s->of = NULL;
	return EXIT_OK;
}

struct model_input samples_input(const struct samples *s)
{
	return (struct model_input){.node = s->node, .nodes = s->hosts, .jobs = (uint32_t)s->jobs};
}

static void free_names(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

void samples_free(struct samples *s)
{
	free(s->of);
	free_names(s->host, s->hosts);
	free_names(s->job, s->jobs);
	idmap_free(&s->host_ids);
	idmap_free(&s->job_ids);
	free(s->trace);
	free(s->log);
	free(s->node);
}
