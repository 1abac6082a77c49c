/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/record/live_trace.h"
#include "cli/ui/message.h"
#include "cli/ui/output.h"
#include "cli/ui/signals.h"
#include "lib/base/clock.h"

enum { DIRECTIVE = 8192 };

/* A program that prints counters may take the interval, or this time if the interval is shorter. */
static const uint64_t program_limit_ns = SAMPLES_NS_PER_S;

/* Output */

static enum exit_status wrong_output(const struct sampler *s)
{
	message_print("%s", iot_writer_error(s->writer));
	return EXIT_FAILED;
}

static int put(struct sampler *s, struct iot_builder *b)
{
	struct iot_event ev;
	const int status = iot_directive_end(b, &ev);
	return status == IOT_OK ? iot_writer_events(s->writer, &ev, 1) : status;
}

static int write_trace(struct sampler *s)
{
	static const char lacks[] = "completion,cpu,offset";
	char memory[DIRECTIVE];
	struct iot_builder b;
	iot_directive_begin(&b, memory, sizeof memory, "trace");
	iot_directive_text(&b, "source", "sample", 6);
	iot_directive_number(&b, "epoch", 0);
	iot_directive_text(&b, "lacks", lacks, sizeof lacks - 1);
	iot_directive_number(&b, "interval", s->every_ns);
	iot_directive_text(&b, "host", s->host, strlen(s->host));
	return put(s, &b);
}

static enum exit_status open_writer(struct sampler *s)
{
	s->writer = iot_writer_new();
	if (s->writer == NULL)
		return message_no_memory();
	const enum iot_compression compression = output_compression(s->name);
	if (live_trace_set(s->writer, rotation_wanted(&s->rotation), compression) != IOT_OK ||
	    iot_writer_open(s->writer, s->name) != IOT_OK || write_trace(s) != IOT_OK)
		return wrong_output(s);
	return EXIT_OK;
}

/* Begins the output, or its next part. */
static enum exit_status open_part(struct sampler *s)
{
	const int errnum = rotation_wanted(&s->rotation)
			       ? rotation_next(&s->rotation, clock_monotonic_ns(), s->name)
			       : 0;
	if (!rotation_wanted(&s->rotation))
		(void)snprintf(s->name, sizeof s->name, "%s", s->out);
	if (errnum == 0)
		return open_writer(s);
	message_print_about(s->out, "a part of the trace cannot be opened: %s", strerror(errnum));
	return EXIT_FAILED;
}

static enum exit_status close_part(struct sampler *s)
{
	enum exit_status status = EXIT_OK;
	if (iot_writer_close(s->writer) != IOT_OK)
		status = wrong_output(s);
	iot_writer_free(s->writer);
	s->writer = NULL;
	return status;
}

static enum exit_status rotate(struct sampler *s)
{
	const uint64_t bytes = iot_writer_fact(s->writer, IOT_FACT_BYTES_STORED);
	if (!rotation_wanted(&s->rotation) ||
	    !rotation_is_due(&s->rotation, bytes, clock_monotonic_ns()))
		return EXIT_OK;
	const enum exit_status status = close_part(s);
	return status == EXIT_OK ? open_part(s) : status;
}

/* Sources */

/* The first failure of a source is reported, and each interval that it lacks is in the trace. */
static int write_lost(struct sampler *s, struct sampled_source *from, uint64_t time_ns, int errnum)
{
	char memory[DIRECTIVE];
	struct iot_builder b;
	if (!from->failed)
		message_print("%s: the counters cannot be read: %s", from->text->name,
			      strerror(errnum));
	from->failed = true;
	iot_directive_begin(&b, memory, sizeof memory, "lost");
	iot_directive_number(&b, "time", time_ns);
	iot_directive_text(&b, "source", from->text->converter, strlen(from->text->converter));
	iot_directive_text(&b, "host", s->host, strlen(s->host));
	iot_directive_text(&b, "why", "unreadable", 10);
	return put(s, &b);
}

static int write_samples(struct sampler *s, struct sampled_source *from, uint64_t time_ns,
			 struct iot_text text)
{
	int n = samples_live(&from->source, (int64_t)time_ns, text, s->events, SAMPLER_EVENTS);
	while (n > 0) {
		const int status = iot_writer_events(s->writer, s->events, (size_t)n);
		if (status != IOT_OK)
			return status;
		n = samples_live_more(&from->source, s->events, SAMPLER_EVENTS);
	}
	return n;
}

/* The time of a sample is the mean of the times before and after it is read. */
static enum exit_status sample(struct sampler *s, struct sampled_source *from)
{
	size_t size;
	const uint64_t limit = s->every_ns > program_limit_ns ? s->every_ns : program_limit_ns;
	const uint64_t before = clock_read_ns(CLOCK_REALTIME);
	const int errnum = text_read(from->text, s->text, SAMPLER_TEXT, &size, limit);
	const uint64_t after = clock_read_ns(CLOCK_REALTIME),
		       took = after > before ? after - before : 0, time_ns = before + took / 2;
	s->slow += took > s->every_ns / 100;
	const int status = errnum != 0
			       ? write_lost(s, from, time_ns, errnum)
			       : write_samples(s, from, time_ns, (struct iot_text){s->text, size});
	if (from->source.error.status != IOT_OK) {
		message_print("%s", from->source.error.text);
		return EXIT_FAILED;
	}
	return status == IOT_OK ? EXIT_OK : wrong_output(s);
}

static enum exit_status sample_all(struct sampler *s)
{
	enum exit_status status = EXIT_OK;
	for (size_t i = 0; i < s->sources && status == EXIT_OK; i++)
		status = sample(s, &s->source[i]);
	if (status == EXIT_OK && iot_writer_flush(s->writer) != IOT_OK)
		status = wrong_output(s);
	return status == EXIT_OK ? rotate(s) : status;
}

static enum exit_status open_source(struct sampler *s, const struct text_source *t)
{
	struct sampled_source *to = &s->source[s->sources++];
	s->settings[0] = (struct setting){"host", s->host};
	s->settings[1] = (struct setting){"device", s->device};
	*to = (struct sampled_source){
	    .text = t,
	    .source = {.converter = converter_find(t->converter),
		       .settings = s->settings,
		       .setting_count = s->device != NULL && t->path != NULL ? 2 : 1}};
	if (to->source.converter->open(&to->source) == IOT_OK)
		return EXIT_OK;
	message_print("%s", to->source.error.text);
	return EXIT_FAILED;
}

static enum exit_status open_sources(struct sampler *s)
{
	const struct text_source *t;
	enum exit_status status = EXIT_OK;
	for (size_t i = 0; (t = text_source_at(i)) != NULL && status == EXIT_OK; i++)
		if (s->wanted == 0 ? text_source_exists(t) : (s->wanted >> i & 1) != 0)
			status = open_source(s, t);
	if (status == EXIT_OK && s->sources == 0) {
		message_print("no counters: neither /proc/diskstats nor other sources exist");
		status = EXIT_FAILED;
	}
	return status;
}

/* Time */

/* Nanoseconds until the counters are to be read again. */
static uint64_t time_left(struct sampler *s)
{
	const uint64_t now = clock_monotonic_ns();
	if (s->align)
		return s->every_ns - clock_read_ns(CLOCK_REALTIME) % s->every_ns;
	while (s->next_ns <= now)
		s->next_ns += s->every_ns;
	return s->next_ns - now;
}

static bool is_end(uint32_t signal)
{
	return signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT;
}

/* Waits for the next interval. Returns false if a signal ends the command. */
static bool wait_interval(struct sampler *s)
{
	const uint64_t until = clock_monotonic_ns() + time_left(s);
	struct signalfd_siginfo info;
	for (uint64_t now = clock_monotonic_ns(); now < until; now = clock_monotonic_ns()) {
		struct pollfd p = {.fd = s->signals, .events = POLLIN};
		const struct timespec left = {(time_t)((until - now) / SAMPLES_NS_PER_S),
					      (long)((until - now) % SAMPLES_NS_PER_S)};
		if (ppoll(&p, 1, &left, NULL) > 0 &&
		    read(s->signals, &info, sizeof info) == sizeof info && is_end(info.ssi_signo))
			return false;
	}
	return true;
}

static enum exit_status run(struct sampler *s)
{
	const uint64_t begin_ns = clock_monotonic_ns();
	enum exit_status status = EXIT_OK;
	s->next_ns = begin_ns;
	bool goes_on = !s->align || wait_interval(s);
	for (uint64_t n = 0; goes_on && status == EXIT_OK; n++) {
		status = sample_all(s);
		const bool ends = (s->count > 0 && n == s->count) ||
				  (s->for_ns > 0 && clock_monotonic_ns() - begin_ns >= s->for_ns);
		goes_on = !ends && wait_interval(s);
	}
	return status;
}

static void close_all(struct sampler *s)
{
	for (size_t i = 0; i < s->sources; i++)
		if (s->source[i].source.converter != NULL)
			s->source[i].source.converter->close(&s->source[i].source);
	iot_writer_free(s->writer);
	free(s->text);
	free(s->events);
	if (s->signals >= 0)
		(void)close(s->signals);
}

enum exit_status sampler_run(struct sampler *s)
{
	enum exit_status status = EXIT_OK;
	s->signals = signals_receive();
	s->text = malloc(SAMPLER_TEXT);
	s->events = calloc(SAMPLER_EVENTS, sizeof *s->events);
	(void)snprintf(s->rotation.path, sizeof s->rotation.path, "%s", s->out);
	if (s->text == NULL || s->events == NULL)
		status = message_no_memory();
	if (gethostname(s->host, sizeof s->host - 1) != 0 || s->host[0] == '\0')
		(void)snprintf(s->host, sizeof s->host, "localhost");
	if (status == EXIT_OK)
		status = open_sources(s);
	if (status == EXIT_OK)
		status = open_part(s);
	if (status == EXIT_OK)
		status = run(s);
	if (status == EXIT_OK)
		status = close_part(s);
	if (status == EXIT_OK && s->slow > 0 && !s->quiet)
		message_print("warning: %ju times, reading counters took more than 1 %% of the "
			      "interval",
			      (uintmax_t)s->slow);
	close_all(s);
	return status;
}
