/* SPDX-License-Identifier: BSD-2-Clause */
/* liblzma on top of a bufreader; see xz.h. */
#include "xz.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 64 << 10 };

struct xz {
	struct bufreader *base;
	char *name; /* escaped */
	lzma_stream stream;
	size_t shown; /* bytes of base that were passed to the stream */
	bool begun, ended;
	struct error error;
};

static void xz_free(void *context)
{
	struct xz *x = context;
	if (x == NULL)
		return;
	lzma_end(&x->stream);
	bufreader_free(x->base);
	free(x->name);
	free(x);
}

static int fail(struct xz *x, lzma_ret why)
{
	const struct error *below = bufreader_error(x->base);
	if (bufreader_status(x->base) != IOT_OK)
		return error_set(&x->error, below->status, "%s", below->text);
	switch (why) {
	case LZMA_MEM_ERROR:
		return error_set(&x->error, IOT_ENOMEM, "out of memory");
	case LZMA_MEMLIMIT_ERROR:
		return error_set(&x->error, IOT_ELIMIT,
				 "%s: xz asks for %ju bytes of memory, the limit is %d", x->name,
				 (uintmax_t)lzma_memusage(&x->stream), XZ_MEMORY_MAX);
	case LZMA_BUF_ERROR:
		return error_set(&x->error, IOT_ETRUNCATED, "%s: truncated xz data", x->name);
	case LZMA_OPTIONS_ERROR:
		return error_set(&x->error, IOT_EFORMAT, "%s: xz of a kind not known", x->name);
	default:
		return error_set(&x->error, IOT_EFORMAT, "%s: damaged xz data", x->name);
	}
}

/* Consumes the bytes that liblzma used and peeks more. Returns LZMA_FINISH at the end of base. */
static lzma_action feed(struct xz *x)
{
	bufreader_consume(x->base, x->shown - x->stream.avail_in);
	x->stream.next_in = (const uint8_t *)bufreader_peek(x->base, 1, &x->shown);
	x->stream.avail_in = x->shown;
	return x->shown == 0 ? LZMA_FINISH : LZMA_RUN;
}

/* Drops the output of the call that detects damage, because it may be wrong. */
static ssize_t read_xz(void *context, void *buffer, size_t size)
{
	struct xz *x = context;
	const size_t capacity = size < PIECE ? size : PIECE;
	lzma_ret got = LZMA_OK;
	if (x->error.status == IOT_OK && !x->begun)
		got = lzma_stream_decoder(&x->stream, XZ_MEMORY_MAX, LZMA_CONCATENATED);
	x->begun = true;
	x->stream.next_out = buffer;
	x->stream.avail_out = capacity;
	while (got == LZMA_OK && x->error.status == IOT_OK && !x->ended &&
	       x->stream.avail_out == capacity)
		got = lzma_code(&x->stream, feed(x));
	x->ended = x->ended || got == LZMA_STREAM_END;
	if (got != LZMA_OK && got != LZMA_STREAM_END)
		(void)fail(x, got);
	const size_t n = got == LZMA_DATA_ERROR ? 0 : capacity - x->stream.avail_out;
	if (n > 0 || x->error.status == IOT_OK)
		return (ssize_t)n;
	errno = EIO;
	return -1;
}

static struct xz *xz_new(struct bufreader *base, const char *name)
{
	const size_t capacity = 4 * strlen(name) + 4;
	struct xz *x = calloc(1, sizeof(*x));
	char *shown = malloc(capacity);
	if (x == NULL || shown == NULL) {
		free(shown);
		free(x);
		bufreader_free(base);
		return NULL;
	}
	x->base = base;
	x->stream = (lzma_stream)LZMA_STREAM_INIT;
	x->name = shown;
	escape_text(shown, capacity, name, strlen(name));
	return x;
}

struct bufreader *xz_bufreader(struct bufreader *base, const char *name,
			       const struct bufreader_options *options, struct error *error)
{
	struct xz *x = xz_new(base, name);
	struct bufreader_options own = *options;
	if (x == NULL) {
		error_set(error, IOT_ENOMEM, "out of memory");
		return NULL;
	}
	own.why = &x->error;
	own.done = xz_free;
	own.done_context = x;
	struct bufreader *w = bufreader_new(name, &own);
	if (w == NULL) {
		xz_free(x);
		error_set(error, IOT_ENOMEM, "out of memory");
		return NULL;
	}
	if (bufreader_open_callback(w, read_xz, x) == IOT_OK)
		return w;
	*error = *bufreader_error(w);
	bufreader_free(w);
	return NULL;
}
