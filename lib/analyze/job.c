/* SPDX-License-Identifier: BSD-2-Clause */
#include "job.h"

#include <stdlib.h>
#include <string.h>

#include "lib/result/names.h"

#include "state.h"
#include "values.h"

static bool set(struct job *j, enum job_text which, struct iot_text text)
{
	if (j->text[which] != NULL || text.data == NULL || text.size == 0 ||
	    text.size > JOB_TEXT_MAX)
		return true;
	j->text[which] = strndup(text.data, text.size);
	return j->text[which] != NULL;
}

bool job_define(struct job *j, const struct iot_event *trace)
{
	const struct iot_text user = iot_directive_get(trace, "user");
	return set(j, JOB_ID, iot_directive_get(trace, "job")) &&
	       set(j, JOB_USER, user.data != NULL ? user : iot_directive_get(trace, "uid"));
}

static struct iot_text text_of(const struct job *j, enum job_text which)
{
	return j->text[which] != NULL ? (struct iot_text){j->text[which], strlen(j->text[which])}
				      : (struct iot_text){NULL, 0};
}

bool job_join(struct job *j, const struct job *more)
{
	bool done = true;
	for (unsigned i = 0; i < JOB_TEXTS && done; i++)
		done = set(j, i, text_of(more, i));
	j->more += more->more;
	return done;
}

static const char *const keys[JOB_TEXTS] = {[JOB_ID] = "job", [JOB_USER] = "user"};

void job_values(const struct job *j, struct values *v)
{
	v->section = SECTION_OF(trace);
	for (unsigned i = 0; i < JOB_TEXTS; i++)
		if (j->text[i] != NULL)
			values_text(v, keys[i], NULL, text_of(j, i));
}

void job_state(struct state *s, struct job *j)
{
	size_t row;
	while (state_each(s, "job", 1, &row)) {
		state_number(s, "more", &j->more);
		for (unsigned i = 0; i < JOB_TEXTS; i++) {
			struct iot_text text = text_of(j, i);
			state_text(s, keys[i], &text);
			if (!state_saves(s) && !state_failed(s) && !set(j, i, text))
				state_no_memory(s);
		}
	}
}

void job_free(struct job *j)
{
	for (unsigned i = 0; i < JOB_TEXTS; i++)
		free(j->text[i]);
}
