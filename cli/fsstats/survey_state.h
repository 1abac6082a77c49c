/* SPDX-License-Identifier: BSD-2-Clause */
/* A survey as %fsstats directives: tables of integers, by lib/analyze/state.h. */
#ifndef CLI_FSSTATS_SURVEY_STATE_H
#define CLI_FSSTATS_SURVEY_STATE_H

#include "lib/analyze/state.h"

#include "survey.h"

#define SURVEY_DIRECTIVE "%fsstats"

/* Returns whether an event is the first one of a survey. */
bool survey_state_begins(const struct iot_event *first);
/*
 * Saves or loads the tables of a survey. Before it is loaded, the survey is empty. Sets s->error
 * after a failure.
 */
void survey_state(struct state *s, struct fs_survey *v);
/* Saves or loads the last table, which only a complete state has. */
void survey_state_end(struct state *s);
/* Saves a complete state. Returns an enum iot_status; after a failure, *e has the reason. */
int survey_save(struct fs_survey *v, struct iot_writer *w, struct error *e);
/* Loads a state whose first event has been read, into an empty survey. */
int survey_load(struct fs_survey *v, struct iot_reader *r, const struct iot_event *first,
		struct error *e);

#endif
