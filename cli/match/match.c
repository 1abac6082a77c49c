/* SPDX-License-Identifier: BSD-2-Clause */
#include "match.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/number.h"
#include "lib/base/text.h"
#include "lib/format/directive.h"
#include "lib/format/sample.h"

enum { TEXT_SIZE = 1 << 18, VALUE_MAX = 4096, HOSTS_MAX = 1 << 14 };

struct host_interval {
	const struct iot_event *event;
	int64_t from_ns, to_ns;   /* since 1970 */
	uint64_t bytes, value[2]; /* bytes: read and written ones */
	bool gap, has_job;        /* has_job: an empty one */
};

/* Returns whether each job gets a value as it is, because it is not an increase. */
static bool is_whole(struct iot_text key)
{
	static const char *const names[] = {"source",     "host",      "target",     "gap",
					    "reset",      "doubtful",  "size-min-r", "size-max-r",
					    "size-min-w", "size-max-w"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (text_equals(key, names[i]))
			return true;
	return false;
}

static bool is_replaced(struct iot_text key)
{
	return text_equals(key, "time") || text_equals(key, "took") || text_equals(key, "job");
}

/* Output */

static void write_event(struct match *m, const struct iot_event *ev)
{
	if (m->status == IOT_OK)
		m->status = iot_writer_events(m->writer, ev, 1);
}

static void write_text(struct match *m, const char *text, size_t size)
{
	struct iot_event ev = {.text = {text, size}};
	if (m->status == IOT_OK)
		m->status = iot_directive_parse(&ev, NULL);
	write_event(m, &ev);
}

static void release(struct match *m, int64_t before_ns)
{
	while (m->queue.count > 0 && event_queue_next(&m->queue) < before_ns) {
		char *text = (char *)(uintptr_t)event_queue_take(&m->queue).data;
		write_text(m, text, strlen(text));
		free(text);
	}
}

/* Writes a sample, after all waiting samples that start earlier or at the same time. */
static void add_sample(struct match *m, const struct iot_event *ev, int64_t at_ns)
{
	if (at_ns <= m->read_ns && (m->queue.count == 0 || event_queue_next(&m->queue) > at_ns)) {
		write_event(m, ev);
		return;
	}
	char *text = strndup(ev->text.data, ev->text.size);
	if (text != NULL &&
	    event_queue_add(&m->queue, (struct queue_event){at_ns, m->number++, (uintptr_t)text}))
		return;
	free(text);
	m->status = IOT_ENOMEM;
}

static void put_value(struct match *m, struct iot_builder *b, struct iot_text key,
		      struct iot_text value, struct share *s)
{
	char name[64], decoded[VALUE_MAX + 1];
	uint64_t number;
	if (key.size >= sizeof name || value.size > VALUE_MAX)
		return;
	memcpy(name, key.data, key.size);
	name[key.size] = '\0';
	const bool counts = !is_whole(key) && number_decimal(value.data, value.size, &number);
	if (counts && s != NULL) {
		shares_split(m->share, m->shares, m->strategy, number);
		number = s->value;
	}
	if (counts)
		iot_directive_number(b, name, number);
	else if (s == NULL || m->shares == 1 || is_whole(key))
		iot_directive_text(b, name, decoded, iot_percent_decode(value, decoded, NULL));
}

/*
 * Adds the job to the text of a sample that belongs to one job as a whole, or to none. Returns
 * false if it has to be written value by value.
 */
static bool put_whole(struct match *m, const struct host_interval *sample, const struct share *s,
		      struct iot_event *ev)
{
	const struct iot_text text = sample->event->text;
	if (s == NULL && !sample->has_job) {
		*ev = *sample->event;
		return true;
	}
	const bool is_whole = s != NULL && m->shares == 1 && s->from_ns == sample->from_ns &&
			      s->to_ns == sample->to_ns && !sample->has_job;
	const size_t interval =
	    is_whole && text.size <= TEXT_SIZE / 2 ? sample_interval_size(text) : 0;
	char id[MATCH_ID_SIZE];
	if (interval == 0)
		return false;
	struct iot_builder b = {.data = m->text, .size = interval, .capacity = TEXT_SIZE};
	memcpy(b.data, text.data, interval);
	iot_directive_text(&b, "job", id, match_job_id(&m->hosts->list->job[s->job], id));
	if (b.status != IOT_OK || b.capacity - b.size < text.size - interval)
		return false;
	memcpy(b.data + b.size, text.data + interval, text.size - interval);
	*ev = *sample->event;
	ev->text = (struct iot_text){b.data, b.size + text.size - interval};
	return true;
}

/* Builds the part of a sample that a job gets, or all of it without a job, value by value. */
static int build_sample(struct match *m, const struct host_interval *sample, struct share *s,
			struct iot_event *ev)
{
	struct iot_builder b;
	struct iot_text rest = sample->event->text, token, key, value;
	const int64_t from_ns = s != NULL ? s->from_ns : sample->from_ns;
	const int64_t to_ns = s != NULL ? s->to_ns : sample->to_ns;
	char id[MATCH_ID_SIZE];
	iot_directive_begin(&b, m->text, TEXT_SIZE, "sample");
	iot_directive_number(&b, "time", (uint64_t)(from_ns - m->epoch_ns));
	iot_directive_number(&b, "took", (uint64_t)(to_ns - from_ns));
	if (s != NULL)
		iot_directive_text(&b, "job", id, match_job_id(&m->hosts->list->job[s->job], id));
	while (word_next(&rest, &token))
		if (directive_split(token, &key, &value) && !is_replaced(key))
			put_value(m, &b, key, value, s);
	return iot_directive_end(&b, ev);
}

static void put_sample(struct match *m, const struct host_interval *sample, struct share *s)
{
	struct iot_event ev;
	if (m->writer == NULL && (m->take == NULL || s == NULL))
		return;
	if (!put_whole(m, sample, s, &ev) && m->status == IOT_OK)
		m->status = build_sample(m, sample, s, &ev);
	if (m->status == IOT_OK && m->take != NULL && s != NULL)
		m->status = m->take(m->taker, &ev, s->job);
	else if (m->status == IOT_OK)
		add_sample(m, &ev, s != NULL ? s->from_ns : sample->from_ns);
}

/* A sample that has a job already. */
static void keep_sample(struct match *m, const struct iot_event *ev, struct iot_text job,
			int64_t from_ns)
{
	char id[MATCH_ID_SIZE];
	m->had_job++;
	if (m->writer != NULL)
		add_sample(m, ev, from_ns);
	if (m->take == NULL || job.size > VALUE_MAX)
		return;
	id[iot_percent_decode(job, id, NULL)] = '\0';
	const struct listed_job *listed = match_find_job(m->hosts->list, id);
	if (listed != NULL)
		m->status = m->take(m->taker, ev, (uint32_t)(listed - m->hosts->list->job));
}

static void put_job(struct match *m, size_t i)
{
	static const char *const keys[LISTED_TEXTS] = {
	    [LISTED_NAME] = "name",   [LISTED_USER] = "user",       [LISTED_ACCOUNT] = "account",
	    [LISTED_STATE] = "state", [LISTED_CLUSTER] = "cluster", [LISTED_HOSTS] = "hosts"};
	const struct listed_job *job = &m->hosts->list->job[i];
	struct iot_builder b;
	struct iot_event ev;
	char id[MATCH_ID_SIZE];
	iot_directive_begin(&b, m->text, TEXT_SIZE, "job");
	iot_directive_text(&b, "id", id, match_job_id(job, id));
	iot_directive_number(&b, "start", (uint64_t)job->start_ns);
	if (job->end_ns != JOB_TIME_UNKNOWN)
		iot_directive_number(&b, "end", (uint64_t)job->end_ns);
	for (size_t k = 0; k < LISTED_TEXTS; k++)
		if (keys[k] != NULL && job->text[k] != NULL && strlen(job->text[k]) <= HOSTS_MAX)
			iot_directive_text(&b, keys[k], job->text[k], strlen(job->text[k]));
	if (job->nodes > 0)
		iot_directive_number(&b, "nodes", job->nodes);
	if (job->cpus > 0)
		iot_directive_number(&b, "cpus", job->cpus);
	if (job->processes > 0)
		iot_directive_number(&b, "processes", job->processes);
	iot_directive_number(&b, "match-bytes", m->job[i].bytes);
	iot_directive_number(&b, "match-bound", m->job[i].bound);
	if (m->status == IOT_OK)
		m->status = iot_directive_end(&b, &ev);
	if (m->status == IOT_OK)
		m->status = iot_writer_events(m->writer, &ev, 1);
}

static void put_jobs(struct match *m)
{
	const struct job_list *l = m->hosts->list;
	for (size_t i = 0; i < l->count; i++)
		if (l->job[i].start_ns < m->last_ns && l->job[i].end_ns > m->first_ns)
			put_job(m, i);
}

/* Matching */

static bool gets(const struct share *s, size_t count, enum strategy strategy)
{
	return strategy == STRATEGY_SIMPLE ? s->runs_at_end
					   : strategy != STRATEGY_DISCARD || count == 1;
}

static void count_strategy(struct match *m, const struct host_interval *sample,
			   enum strategy strategy)
{
	struct matched_bytes *of = &m->of[strategy];
	bool any = false;
	for (unsigned d = 0; d < 2; d++) {
		shares_split(m->share, m->shares, strategy, sample->value[d]);
		for (size_t k = 0; k < m->shares; k++)
			of->matched += m->share[k].value;
	}
	for (size_t k = 0; k < m->shares; k++)
		any |= gets(&m->share[k], m->shares, strategy);
	of->unmatched += any ? 0 : sample->bytes;
}

static void count_jobs(struct match *m, const struct host_interval *sample)
{
	for (unsigned d = 0; d < 2; d++) {
		shares_split(m->share, m->shares, m->strategy, sample->value[d]);
		for (size_t k = 0; k < m->shares; k++) {
			struct matched_job *job = &m->job[m->share[k].job];
			job->bytes += m->share[k].value;
			job->bound += share_bound(&m->share[k], m->shares, sample->value[d]);
		}
	}
	for (size_t k = 0; k < m->shares; k++)
		m->job[m->share[k].job].samples += gets(&m->share[k], m->shares, m->strategy);
}

static void count_bytes(struct match *m, const struct host_interval *sample)
{
	const size_t n = m->shares;
	const unsigned kind = n > 1 ? MATCH_CONFLICT : n == 1 ? MATCH_ONE_JOB : MATCH_NO_JOB;
	m->samples[kind]++;
	m->bytes[kind] += sample->bytes;
	for (unsigned i = 0; i < STRATEGIES; i++)
		count_strategy(m, sample, i);
	count_jobs(m, sample);
}

struct collecting {
	struct match *match;
	const struct host_interval *sample;
};

static bool add_share(void *context, uint32_t number)
{
	const struct collecting *c = context;
	struct match *m = c->match;
	const struct listed_job *job = &m->hosts->list->job[number];
	struct share s = {.job = number, .from_ns = c->sample->from_ns, .to_ns = c->sample->to_ns};
	if (job->start_ns == job->end_ns)
		return true;
	if (!array_reserve(&m->share, &m->share_capacity, m->shares + 1, sizeof *m->share))
		return false;
	s.runs_at_end = job->end_ns >= s.to_ns;
	if (job->start_ns > s.from_ns)
		s.from_ns = job->start_ns;
	if (job->end_ns < s.to_ns)
		s.to_ns = job->end_ns;
	s.cpus = job->nodes > 0 ? job->cpus / job->nodes : 0;
	m->share[m->shares++] = s;
	return true;
}

static void match_sample(struct match *m, const struct host_interval *sample, size_t host)
{
	struct collecting c = {m, sample};
	bool any = false;
	m->shares = 0;
	if (host != SIZE_MAX &&
	    !host_jobs_each(m->hosts, host, sample->from_ns, sample->to_ns, add_share, &c)) {
		m->status = IOT_ENOMEM;
		return;
	}
	m->idle_bytes += host == SIZE_MAX ? sample->bytes : 0;
	if (m->shares > 1 && sample->gap) {
		m->gaps++;
		m->shares = 0;
	}
	if (m->shares > 0)
		shares_weigh(m->share, m->shares);
	count_bytes(m, sample);
	for (size_t i = 0; i < m->shares; i++) {
		if (!gets(&m->share[i], m->shares, m->strategy))
			continue;
		any = true;
		put_sample(m, sample, &m->share[i]);
	}
	if (!any)
		put_sample(m, sample, NULL);
}

/* Input */

static bool set_interval(const struct match *m, const struct sample *declared,
			 struct host_interval *s)
{
	s->gap = declared->gap;
	s->has_job = declared->job.data != NULL;
	for (unsigned d = 0; d < 2; d++)
		s->value[d] = declared->value[SAMPLE_READ_BYTES + d];
	return declared->host.size <= VALUE_MAX &&
	       !__builtin_add_overflow(declared->value[SAMPLE_READ_BYTES],
				       declared->value[SAMPLE_WRITTEN_BYTES], &s->bytes) &&
	       !__builtin_add_overflow(m->epoch_ns, declared->start_ns, &s->from_ns) &&
	       !__builtin_add_overflow(s->from_ns, declared->took_ns, &s->to_ns);
}

static void read_sample(struct match *m, const struct iot_event *ev)
{
	struct sample declared;
	struct host_interval s = {.event = ev};
	char host[VALUE_MAX + 1];
	if (!sample_of(ev, &declared) || !set_interval(m, &declared, &s)) {
		wrong_samples_add(&m->wrong, ev);
		return;
	}
	release(m, s.from_ns);
	m->read_ns = s.from_ns;
	if (m->first_ns > s.from_ns)
		m->first_ns = s.from_ns;
	if (m->last_ns < s.to_ns)
		m->last_ns = s.to_ns;
	if (declared.job.size > 0) {
		keep_sample(m, ev, declared.job, s.from_ns);
		return;
	}
	const size_t size = iot_percent_decode(declared.host, host, NULL);
	match_sample(m, &s, host_jobs_find(m->hosts, host, size));
}

static void read_event(struct match *m, const struct iot_event *ev)
{
	uint64_t epoch_ns;
	const struct iot_text epoch =
	    ev->kind == IOT_TRACE ? iot_directive_get(ev, "epoch") : (struct iot_text){NULL, 0};
	if (!m->has_epoch && epoch.data != NULL &&
	    number_decimal(epoch.data, epoch.size, &epoch_ns) && epoch_ns <= INT64_MAX) {
		m->has_epoch = true;
		m->epoch_ns = (int64_t)epoch_ns;
	}
	if (directive_is_sample(ev))
		read_sample(m, ev);
	else if (m->writer != NULL)
		m->status = iot_writer_events(m->writer, ev, 1);
	else if (m->take != NULL)
		m->status = m->take(m->taker, ev, MATCH_DIRECTIVE);
}

enum exit_status match_read(struct match *m, const char *path,
			    const struct trace_in_options *options,
			    const struct command_spec *command)
{
	struct iot_event ev[TRACE_IN_BATCH];
	struct trace_in in;
	enum exit_status status = trace_in_open(&in, path, options, command);
	m->job = calloc(m->hosts->list->count + 1, sizeof *m->job);
	m->text = malloc(TEXT_SIZE);
	m->first_ns = INT64_MAX;
	if (status == EXIT_OK && (m->job == NULL || m->text == NULL))
		status = message_no_memory();
	for (size_t n = status == EXIT_OK; n > 0 && m->status == IOT_OK;) {
		n = trace_in_events(&in, ev, TRACE_IN_BATCH);
		for (size_t i = 0; i < n && m->status == IOT_OK; i++)
			read_event(m, &ev[i]);
	}
	release(m, INT64_MAX);
	if (m->status == IOT_OK && m->writer != NULL && status == EXIT_OK)
		put_jobs(m);
	if (status == EXIT_OK)
		status = trace_in_exit(&in, true);
	trace_in_close(&in);
	return status;
}

void match_free(struct match *m)
{
	while (m->queue.count > 0)
		free((void *)(uintptr_t)event_queue_take(&m->queue).data);
	event_queue_free(&m->queue);
	free(m->job);
	free(m->share);
	free(m->text);
}
