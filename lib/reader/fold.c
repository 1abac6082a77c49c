/* SPDX-License-Identifier: BSD-2-Clause */
/* Reduces a trace, with threads or serially. */
#include <stdlib.h>

#include "parallel.h"

enum { ALONE_EVENTS = 1 << 22 }; /* events per part, so that joins show progress */

/* Accumulates the next part; *got is the last result of iot_reader_events. */
static int fold_part(struct iot_reader *r, const struct iot_fold *fold, struct iot_event *ev,
		     ssize_t *got)
{
	size_t n = 0;
	int status = IOT_OK;
	void *part = fold->begin(fold->context);
	if (part == NULL)
		return IOT_ENOMEM;
	while (status == IOT_OK && n < ALONE_EVENTS &&
	       (*got = iot_reader_events(r, ev, FOLD_EVENTS)) > 0) {
		status = fold->events(part, ev, (size_t)*got);
		n += (size_t)*got;
	}
	if (status == IOT_OK)
		return fold->join(fold->context, part);
	fold->drop(fold->context, part);
	return status;
}

static int fold_alone(struct iot_reader *r, const struct iot_fold *fold)
{
	struct iot_event *ev = malloc(FOLD_EVENTS * sizeof(*ev));
	ssize_t got = ev != NULL;
	int status = ev != NULL ? IOT_OK : IOT_ENOMEM;
	while (status == IOT_OK && got > 0)
		status = fold_part(r, fold, ev, &got);
	free(ev);
	return status != IOT_OK ? status : (int)got;
}

int iot_reader_fold(struct iot_reader *r, const struct iot_fold *fold)
{
	int status = IOT_OK;
	const bool fresh = r->threads > 1 && !r->parallel_tried && r->error.status == IOT_OK &&
			   !r->done && r->held.count == 0;
	if (fresh && reader_go_parallel(r, fold)) {
		while (status == IOT_OK && r->ordered != NULL)
			status = reader_fold_parallel(r, fold);
		reader_end_parallel(r); /* has an effect only after an error */
	}
	return status != IOT_OK ? status : fold_alone(r, fold);
}
