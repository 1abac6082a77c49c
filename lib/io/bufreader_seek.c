/* SPDX-License-Identifier: BSD-2-Clause */
/* A window goes on somewhere else: at a byte of the file, or behind damage. */
#include <errno.h>

#include "lib/reader/seek_points.h"
#include "bufreader_internal.h"

enum { RESYNC_THREADS = 16 }; /* behind more damage than that a thread is not worth its start */

/* What the thread has unpacked ahead is dropped, and nothing is shown. */
static void end_ahead(struct iot_window *w)
{
	iot_readahead_free(w->readahead);
	w->readahead = NULL;
	w->holding = false;
	w->in.error = w->unpacker.error = &w->error;
	w->bytes = w->block;
	w->start = w->end = 0;
}

bool iot_window_source(const struct iot_window *w, struct iot_stored *source)
{
	*source = (struct iot_stored){.fd = w->in.fd, .first = w->first, .size = w->total};
	if (w->in.kind == IOT_FROM_MEMORY)
		source->memory = w->in.memory;
	return w->total > 0;
}

void iot_window_rest(struct iot_window *w)
{
	end_ahead(w);
}

int iot_window_seek(struct iot_window *w, uint64_t at)
{
	const uint64_t before = iot_window_place(w);

	end_ahead(w);
	if (iot_error_in_input(w->error.status))
		iot_error_clear(&w->error);
	if (w->error.status != IOT_OK)
		return w->error.status;
	if (!iot_intake_seek(&w->in, w->first, at))
		return iot_error_system(&w->error, errno, "%s: cannot go to byte %llu", w->name,
					(unsigned long long)at);
	w->skipped += at - before;
	w->ended = false;
	if (w->how != IOT_PLAIN) {
		iot_unpacker_seek(&w->unpacker, at);
		iot_window_start_ahead(w);
	} else if (!w->block) {
		w->bytes = w->in.memory;
		w->start = w->end = (size_t)at;
	}
	return w->error.status;
}

bool iot_window_resync(struct iot_window *w)
{
	if (w->readahead && !w->ended)
		return false; /* no damage has been told */
	if (!w->unpacker.damaged)
		return false;
	end_ahead(w);
	w->ended = !iot_unpacker_resync(&w->unpacker);
	if (!w->ended && ++w->resyncs <= RESYNC_THREADS)
		iot_window_start_ahead(w);
	return !w->ended;
}
