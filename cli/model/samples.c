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

static bool add(struct samples *s, struct model_log *one, struct iot_text host, struct iot_text job)
{
	const size_t number =
	    name_number(&s->host_ids, &s->host, &s->hosts, &s->host_capacity, host);
	size_t of_job = 0;
	if (job.data != NULL && job.size > 0)
		of_job = name_number(&s->job_ids, &s->job, &s->jobs, &s->job_capacity, job);
	if (number == SIZE_MAX || of_job == SIZE_MAX ||
	    !array_reserve(&s->log, &s->capacity, s->count + 1, sizeof *s->log))
		return false;
	one->node = (uint32_t)number;
	one->job = job.data != NULL && job.size > 0 ? (uint32_t)of_job + 1 : 0;
	s->log[s->count++] = *one;
	return true;
}

/* Times of more than a hundred days do not fit in picoseconds. */
static bool set_times(struct samples *s, struct model_log *one, const struct sample *declared)
{
	const int64_t max_ns = MODEL_SPAN_MAX / PS_PER_NS;
	int64_t after_ns;
	if (s->count == 0)
		s->begin_ns = (int64_t)declared->start_ns;
	if (__builtin_sub_overflow((int64_t)declared->start_ns, s->begin_ns, &after_ns) ||
	    after_ns > max_ns || after_ns < -max_ns || declared->took_ns > (uint64_t)max_ns)
		return false;
	one->start_ps = after_ns * PS_PER_NS;
	one->took_ps = (int64_t)declared->took_ns * PS_PER_NS;
	return true;
}

/* Returns false if out of memory. */
static bool read_sample(struct samples *s, const struct iot_event *ev)
{
	const uint32_t needed = 1U << SAMPLE_READ_BYTES | 1U << SAMPLE_WRITTEN_BYTES;
	struct sample declared;
	if (!sample_of(ev, &declared) || declared.value[SAMPLE_READS] > UINT32_MAX ||
	    declared.value[SAMPLE_WRITES] > UINT32_MAX) {
		wrong_samples_add(&s->wrong, ev);
		return true;
	}
	struct model_log one = {
	    .bytes = {declared.value[SAMPLE_READ_BYTES], declared.value[SAMPLE_WRITTEN_BYTES]},
	    .requests = {(uint32_t)declared.value[SAMPLE_READS],
			 (uint32_t)declared.value[SAMPLE_WRITES]}};
	const bool incomplete = (declared.known & needed) != needed;
	s->gaps += declared.gap;
	s->incomplete += !declared.gap && incomplete;
	if (declared.gap || incomplete)
		return true;
	s->is_too_long |= !set_times(s, &one, &declared);
	return s->is_too_long || add(s, &one, declared.host, declared.job);
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

static int compare(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

/* Orders by host, time, and everything else, so that the order of inputs does not matter. */
static int by_host(const void *left, const void *right)
{
	const struct model_log *a = left, *b = right;
	int order = compare(a->node, b->node);
	if (order == 0)
		order = compare(a->start_ps, b->start_ps);
	if (order == 0)
		order = compare(a->took_ps, b->took_ps);
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
		if (jobs && s->log[i].job != 0)
			s->log[i].job = rank[s->log[i].job - 1] + 1;
		else if (!jobs)
			s->log[i].node = rank[s->log[i].node];
	}
	free(order);
	free(rank);
	free(sorted);
	return ok;
}

static bool same_interval(const struct model_log *a, const struct model_log *b)
{
	return a->node == b->node && a->start_ps == b->start_ps && a->took_ps == b->took_ps &&
	       a->job == b->job;
}

/* Returns false if a sum is too large. */
static bool add_to(struct model_log *to, const struct model_log *from)
{
	bool ok = true;
	for (unsigned d = 0; d < 2; d++)
		ok &= !__builtin_add_overflow(to->bytes[d], from->bytes[d], &to->bytes[d]) &&
		      !__builtin_add_overflow(to->requests[d], from->requests[d], &to->requests[d]);
	return ok;
}

/* Adds up the samples of several targets. Returns false if a sum is too large. */
static bool merge(struct samples *s)
{
	size_t n = 0;
	bool ok = true;
	for (size_t i = 0; i < s->count; i++)
		if (n == 0 || !same_interval(&s->log[n - 1], &s->log[i]))
			s->log[n++] = s->log[i];
		else
			ok &= add_to(&s->log[n - 1], &s->log[i]);
	s->count = n;
	return ok;
}

/* Returns false if the logs begin in more than MODEL_SPAN_MAX. */
static bool begin_at_first(struct samples *s)
{
	int64_t first_ps = INT64_MAX, last_ps = INT64_MIN;
	for (size_t i = 0; i < s->count; i++) {
		if (s->log[i].start_ps < first_ps)
			first_ps = s->log[i].start_ps;
		if (s->log[i].start_ps > last_ps)
			last_ps = s->log[i].start_ps;
	}
	for (size_t i = 0; i < s->count; i++)
		s->log[i].start_ps -= first_ps;
	s->begin_ns += first_ps / PS_PER_NS;
	return last_ps - first_ps <= MODEL_SPAN_MAX;
}

static bool list_nodes(struct samples *s)
{
	s->node = calloc(s->hosts + 1, sizeof *s->node);
	for (size_t i = 0; s->node != NULL && i < s->count; i++) {
		struct model_node *n = &s->node[s->log[i].node];
		if (n->count++ == 0)
			n->log = &s->log[i];
	}
	return s->node != NULL;
}

enum exit_status samples_finish(struct samples *s)
{
	if (s->count == 0 && !s->is_too_long) {
		message_print("no samples: expected %%sample directives with host= and took=");
		return EXIT_FAILED;
	}
	if (s->is_too_long || !begin_at_first(s)) {
		message_print("samples of more than 100 days; 'iotrace slice' selects a part");
		return EXIT_FAILED;
	}
	if (!sort_names(s, s->host, s->hosts, false) || !sort_names(s, s->job, s->jobs, true))
		return message_no_memory();
	qsort(s->log, s->count, sizeof *s->log, by_host);
	if (!merge(s)) {
		message_print("samples of one host and interval add up to 2^32 requests or 2^64 "
			      "bytes, or more");
		return EXIT_FAILED;
	}
	return list_nodes(s) ? EXIT_OK : message_no_memory();
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
	free_names(s->host, s->hosts);
	free_names(s->job, s->jobs);
	idmap_free(&s->host_ids);
	idmap_free(&s->job_ids);
	free(s->trace);
	free(s->log);
	free(s->node);
}
