/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of hosts that jobs share: an analysis of each job, as long as it can get samples. */
#include "analyze_run.h"

#include <stdlib.h>
#include <string.h>

#include "cli/analyze/inputs.h"
#include "cli/match/match.h"
#include "cli/ui/message.h"

enum { DIRECTIVE_SIZE = 1 << 14, MOMENT_SIZE = 32 };

struct shared {
	struct analyze_run *run;
	struct analyze_inputs *inputs;
	const char *path;
	struct match *match;
	char *trace;             /* the first %trace; or NULL */
	struct iot_analyze **of; /* by job; NULL: it has no samples yet, or no more */
	bool *finished;          /* by job */
	struct event_queue ends; /* of the jobs that have an analysis */
	enum exit_status status; /* after a message */
};

static void put_moment(struct iot_builder *b, const char *key, int64_t ns)
{
	char text[MOMENT_SIZE];
	const int size = snprintf(text, sizeof text, "%jd.%09jd", (intmax_t)(ns / NS_PER_S),
				  (intmax_t)(ns % NS_PER_S));
	iot_directive_text(b, key, text, (size_t)size);
}

/* Declares what the list knows of the job. Returns an enum iot_status. */
static int declare(struct iot_analyze *a, const struct listed_job *job)
{
	char text[DIRECTIVE_SIZE], id[MATCH_ID_SIZE];
	struct iot_builder b;
	struct iot_event ev;
	iot_directive_begin(&b, text, sizeof text, "trace");
	iot_directive_text(&b, "job", id, match_job_id(job, id));
	if (job->end_ns != JOB_TIME_UNKNOWN && job->start_ns > 0) {
		put_moment(&b, "job-start", job->start_ns);
		put_moment(&b, "job-end", job->end_ns);
	}
	const int status = iot_directive_end(&b, &ev);
	return status == IOT_OK ? iot_analyze_events(a, &ev, 1) : status;
}

/* Returns an enum iot_status. */
static int begin(struct shared *s, uint32_t number)
{
	const struct listed_job *job = &s->match->hosts->list->job[number];
	struct iot_analyze_options options = s->run->options;
	struct iot_event ev = {.text = {s->trace, s->trace != NULL ? strlen(s->trace) : 0}};
	if (options.nodes == 0 && job->nodes <= UINT32_MAX)
		options.nodes = job->nodes;
	s->of[number] = iot_analyze_new(&options);
	if (s->of[number] == NULL ||
	    !event_queue_add(&s->ends, (struct queue_event){job->end_ns, number, number}))
		return IOT_ENOMEM;
	int status = s->trace != NULL ? iot_directive_parse(&ev, NULL) : IOT_OK;
	if (status == IOT_OK && s->trace != NULL)
		status = iot_analyze_events(s->of[number], &ev, 1);
	return status == IOT_OK ? declare(s->of[number], job) : status;
}

static enum exit_status add(struct shared *s, uint64_t number)
{
	struct listed_job *job = &s->run->list.job[number];
	char id[MATCH_ID_SIZE];
	id[match_job_id(job, id)] = '\0';
	job->has_log = true;
	if (iot_analyze_finish(s->of[number]) != IOT_OK)
		return message_no_memory();
	return analyze_inputs_add(s->inputs, s->of[number], id, s->path, job);
}

/* Adds the jobs that ended before a time. Returns an enum iot_status. */
static int finish(struct shared *s, int64_t before_ns)
{
	while (s->ends.count > 0 && event_queue_next(&s->ends) <= before_ns &&
	       s->status == EXIT_OK) {
		const uint64_t number = event_queue_take(&s->ends).data;
		s->status = add(s, number);
		iot_analyze_free(s->of[number]);
		s->of[number] = NULL;
		s->finished[number] = true;
	}
	return s->status == EXIT_OK ? IOT_OK : IOT_EUSAGE;
}

static bool is_wanted(const struct shared *s, uint32_t number)
{
	char id[MATCH_ID_SIZE];
	if (s->inputs->wants == NULL)
		return true;
	id[match_job_id(&s->run->list.job[number], id)] = '\0';
	return s->inputs->wants(s->inputs->wanted, id);
}

static int keep_trace(struct shared *s, const struct iot_event *ev)
{
	if (ev->kind != IOT_TRACE || s->trace != NULL)
		return IOT_OK;
	s->trace = strndup(ev->text.data, ev->text.size);
	return s->trace != NULL ? IOT_OK : IOT_ENOMEM;
}

static int take(void *taker, const struct iot_event *ev, uint32_t number)
{
	struct shared *s = taker;
	if (number == MATCH_DIRECTIVE)
		return keep_trace(s, ev);
	int status = finish(s, s->match->read_ns);
	if (status == IOT_OK && s->finished[number]) {
		message_print_about(s->path, "the samples are not in order of time: expected them "
					     "in this order; 'iotrace reorder' sorts them");
		s->status = EXIT_FAILED;
		return IOT_EUSAGE;
	}
	if (status == IOT_OK && !is_wanted(s, number))
		return IOT_OK;
	if (status == IOT_OK && s->of[number] == NULL)
		status = begin(s, number);
	return status == IOT_OK ? iot_analyze_events(s->of[number], ev, 1) : status;
}

static enum exit_status share(struct shared *s)
{
	struct match *m = s->match;
	enum exit_status status = match_read(m, s->path, &s->run->read, s->inputs->command);
	if (m->status == IOT_OK)
		m->status = finish(s, INT64_MAX);
	if (s->status != EXIT_OK)
		return s->status;
	if (m->status != IOT_OK)
		return message_no_memory();
	s->inputs->incomplete |= status == EXIT_DAMAGED;
	if (status != EXIT_FAILED)
		status = exit_status_worse(status, match_report(m, s->run->read.quiet));
	if (status != EXIT_FAILED && !s->inputs->added && s->inputs->wants == NULL) {
		message_print_about(s->path, "no job of the list has samples");
		return EXIT_FAILED;
	}
	return status == EXIT_FAILED ? status : EXIT_OK;
}

enum exit_status analyze_run_shared(struct analyze_run *a, struct analyze_inputs *inputs)
{
	struct host_jobs hosts = {.list = NULL};
	struct match m = {.hosts = &hosts, .strategy = (enum strategy)a->strategy, .take = take};
	const size_t count = a->list.count;
	struct shared s = {.run = a,
			   .inputs = inputs,
			   .path = inputs->paths[0],
			   .match = &m,
			   .of = calloc(count + 1, sizeof(struct iot_analyze *)),
			   .finished = calloc(count + 1, sizeof(bool))};
	m.taker = &s;
	enum exit_status status =
	    s.of != NULL && s.finished != NULL ? EXIT_OK : message_no_memory();
	if (status == EXIT_OK)
		status = host_jobs_make(&hosts, &a->list, a->jobs);
	if (status == EXIT_OK)
		status = share(&s);
	for (size_t i = 0; s.of != NULL && i < count; i++)
		iot_analyze_free(s.of[i]);
	event_queue_free(&s.ends);
	free(s.of);
	free(s.finished);
	free(s.trace);
	match_free(&m);
	host_jobs_free(&hosts);
	return status;
}
