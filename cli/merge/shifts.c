/* SPDX-License-Identifier: BSD-2-Clause */
/* --shift: differences of the clocks of inputs, and which inputs have a clock. */
#include "merge.h"

#include <stdlib.h>
#include <string.h>

#include "cli/ui/trace_time.h"
#include "lib/base/error.h"

/* A signed time. */
static bool parse_shift(const char *text, int64_t *ns)
{
	struct trace_time time;
	bool minus = text[0] == '-';
	text += minus || text[0] == '+';
	if (trace_time_parse(text, &time) != NULL || time.kind != TIME_SINCE_ZERO)
		return false;
	*ns = minus ? -(int64_t)time.value : (int64_t)time.value;
	return true;
}

const char *merge_add_shift(const struct option *opt, const char *value)
{
	struct merge_options *o = opt->target;
	const char *equals = strrchr(value, '=');
	struct merge_shift shift = {.name = NULL};
	if (equals == NULL || equals == value || !parse_shift(equals + 1, &shift.by_ns))
		return "NAME=TIME, such as b.iot=+1.5s or node7=-20ms: an input, or its host with "
		       "--shift-by=host, and a time";
	struct merge_shift *grown = realloc(o->shifts, (o->shift_count + 1) * sizeof(*grown));
	if (grown == NULL)
		return option_no_memory;
	o->shifts = grown;
	shift.name = strndup(value, (size_t)(equals - value));
	if (shift.name == NULL)
		return option_no_memory;
	o->shifts[o->shift_count++] = shift;
	return NULL;
}

static void find_shift(struct merge_command *m, const char *name, int64_t *shift_ns)
{
	const struct merge_options *o = m->options;
	for (size_t k = 0; k < o->shift_count && name != NULL; k++) {
		if (strcmp(o->shifts[k].name, name) != 0)
			continue;
		*shift_ns = o->shifts[k].by_ns;
		o->shifts[k].used = true;
	}
}

/* Remembers names that are hosts, for the message. */
static void note_host(struct merge_command *m, const char *host)
{
	const struct merge_options *o = m->options;
	for (size_t k = 0; k < o->shift_count && host != NULL; k++)
		o->shifts[k].is_host |= strcmp(o->shifts[k].name, host) == 0;
}

static const char *what_is_missing(const struct merge_options *o, const struct merge_shift *s)
{
	if (o->shift_by == SHIFT_BY_HOST)
		return "of that host";
	return s->is_host ? "called that, but of that host: add --shift-by=host" : "called that";
}

static int refuse_shift(struct merge_command *m, const struct merge_shift *s)
{
	char name[256];
	(void)options_wrong(m->options->command, "--shift=%s=...: no input is %s",
			    escape_text(name, sizeof name, s->name, strlen(s->name)),
			    what_is_missing(m->options, s));
	m->reported = m->refused = true;
	return IOT_EUSAGE;
}

static int refuse_unused(struct merge_command *m)
{
	const struct merge_options *o = m->options;
	for (size_t k = 0; k < o->shift_count; k++)
		if (!o->shifts[k].used)
			return refuse_shift(m, &o->shifts[k]);
	return IOT_OK;
}

/* Times of two clocks tie nothing. */
static int refuse_unaligned(struct merge_command *m)
{
	if (m->options->physical_count == 0 || m->without_epoch == 0 || m->options->shift_count > 0)
		return IOT_OK;
	(void)options_wrong(
	    m->options->command,
	    "--physical: %zu of %zu inputs have no epoch= in their %%trace, so their "
	    "times cannot be compared: state the difference with --shift",
	    m->without_epoch, m->count);
	m->reported = m->refused = true;
	return IOT_EUSAGE;
}

int merge_shift_input(void *context, size_t input, const char *host, int has_epoch,
		      int64_t *shift_ns)
{
	struct merge_command *m = context;
	const struct merge_options *o = m->options;
	m->without_epoch += !has_epoch;
	note_host(m, host);
	find_shift(m, o->shift_by == SHIFT_BY_HOST ? host : m->inputs[input].path, shift_ns);
	if (input + 1 < m->count)
		return IOT_OK;
	if (refuse_unaligned(m) != IOT_OK)
		return IOT_EUSAGE;
	if (m->without_epoch > 0 && m->count > 1 && o->shift_count == 0 && !o->keep_ids &&
	    !o->read.quiet)
		message_print(
		    "warning: %zu of %zu inputs have no epoch= in their %%trace: aligned by "
		    "their time zero (see --shift)",
		    m->without_epoch, m->count);
	return refuse_unused(m);
}
