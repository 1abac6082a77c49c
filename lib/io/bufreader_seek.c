/* SPDX-License-Identifier: BSD-2-Clause */
/* Repositions a bufreader: to a byte of the file, or past damage. */
#include <errno.h>

#include <string.h>

#include "bufreader_internal.h"
#include "lib/base/fdio.h"

/* after this many damaged frames, starting another thread does not pay */
enum { RESYNC_THREADS = 16 };

/* Discards the bytes that the thread has decompressed ahead, and all available bytes. */
static void end_ahead(struct bufreader *w)
{
	decompress_ahead_free(w->readahead);
	w->readahead = NULL;
	w->holding = false;
	w->in.error = w->unpacker.error = &w->error;
	w->bytes = w->block;
	w->start = w->end = 0;
}

bool bufreader_stored_input(const struct bufreader *w, struct stored_input *source)
{
	*source = (struct stored_input){.fd = w->in.fd, .first = w->first, .size = w->total};
	if (w->in.kind == BYTE_SOURCE_MEMORY)
		source->memory = w->in.memory;
	return w->total > 0;
}

void bufreader_idle(struct bufreader *w)
{
	end_ahead(w);
}

int bufreader_seek(struct bufreader *w, uint64_t at)
{
	const uint64_t before = bufreader_position(w);

	end_ahead(w);
	if (error_in_input(w->error.status))
		error_clear(&w->error);
	if (w->error.status != IOT_OK)
		return w->error.status;
	if (!byte_source_seek(&w->in, w->first, at))
		return error_system(&w->error, errno, "%s: cannot go to byte %llu", w->name,
				    (unsigned long long)at);
	w->skipped += at - before;
	w->ended = false;
	if (w->how != IOT_PLAIN) {
		decompress_seek(&w->unpacker, at);
		bufreader_start_prefetch(w);
	} else if (!w->block) {
		w->bytes = w->in.memory;
		w->start = w->end = (size_t)at;
	}
	return w->error.status;
}

bool bufreader_resync(struct bufreader *w)
{
	if (w->readahead && !w->ended)
		return false; /* no damage has been reported */
	if (!w->unpacker.damaged)
		return false;
	end_ahead(w);
	w->ended = !decompress_resync(&w->unpacker);
	if (!w->ended && ++w->resyncs <= RESYNC_THREADS)
		bufreader_start_prefetch(w);
	return !w->ended;
}

ssize_t stored_input_read(const struct stored_input *s, uint64_t at, void *to, size_t n)
{
	if (at >= s->size)
		return 0;
	if (n > s->size - at)
		n = (size_t)(s->size - at);
	if (s->memory != NULL) {
		memcpy(to, s->memory + at, n);
		return (ssize_t)n;
	}
	return fdio_read(s->fd, to, n, s->first + at);
}
