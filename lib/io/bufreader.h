/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes in. A window shows the next bytes of a descriptor, of memory or of a callback, and steps
 * over them: ahead and consume. gzip and Zstandard are told by the first bytes and unpacked;
 * members and frames one behind the other are one stream. Bytes shown stay where they are until the
 * next ahead.
 */
#ifndef LIB_IO_BUFREADER_H
#define LIB_IO_BUFREADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "stop.h"

struct bufreader;

/* Unpacking on a thread of its own, ahead of the reader. Plain input never has one. */
enum prefetch_mode {
	PREFETCH_NEVER,
	PREFETCH_IF_USEFUL, /* there is more than one processor */
	PREFETCH_ALWAYS,    /* but not with `stop` */
};

struct bufreader_options {
	size_t read_size;            /* bytes asked for at once; 0: 1 MiB */
	size_t buffer_max;           /* ahead beyond this many bytes is IOT_ELIMIT; 0: 16 MiB */
	uint64_t window_max;         /* of a zstd frame; 0: 128 MiB */
	size_t ahead_size;           /* bytes unpacked ahead; 0: half a mebibyte */
	enum prefetch_mode ahead;    /* a callback is then called from that thread */
	bool plain;                  /* do not look for compression */
	struct interrupt *stop;      /* ends the input early, with IOT_ETRUNCATED; or NULL */
	bool waits;                  /* with stop: for a pipe, which is drained first */
	const struct error *why;     /* status and sentence of a callback that returned -1, taken
					over as they are; NULL, or IOT_OK in it: errno */
	void (*done)(void *context); /* called last by bufreader_free, so that what a window was
					lent (a descriptor, a callback's context) ends with it */
	void *done_context;
};

/* NULL when out of memory. `name` is for messages and is copied; options NULL: the defaults. */
struct bufreader *bufreader_new(const char *name, const struct bufreader_options *options);
void bufreader_free(struct bufreader *w);

/* One of these, once. A path "-" is standard input; a descriptor and memory stay the caller's. */
int bufreader_open(struct bufreader *w, const char *path);
int bufreader_open_fd(struct bufreader *w, int fd);
int bufreader_open_memory(struct bufreader *w, const void *data, size_t size);
int bufreader_open_callback(struct bufreader *w, iot_read_fn *read, void *context);

/*
 * The next bytes: at least `want` of them (>= 1) in *have, as many as are there without waiting;
 * fewer only at the end or at an error, which bufreader_status tells apart. Good bytes before
 * damage are shown first. Asking for one byte more than there are is how a long line grows (the
 * buffer doubles).
 */
const char *bufreader_peek(struct bufreader *w, size_t want, size_t *have);
void bufreader_consume(struct bufreader *w, size_t n); /* n <= what was shown */
/* Moves what is left to the front, if that is little, so that much can be shown at once without moving it. */
void bufreader_compact(struct bufreader *w);
/* Would ahead have to wait for longer than this for the writer at the other end of a pipe? */
bool bufreader_waits(const struct bufreader *w, size_t want, int timeout_ms);

/*
 * IOT_OK: the end, if ahead gave less than wanted, was a proper one. IOT_EIO; IOT_EFORMAT: damaged
 * compressed data; IOT_ETRUNCATED: the input stops inside a frame or member; IOT_ELIMIT.
 */
int bufreader_status(const struct bufreader *w);
const struct error *bufreader_error(const struct bufreader *w);
/* What it was named, escaped: fit for a message. */
const char *bufreader_name(const struct bufreader *w);

/*
 * After damage in compressed data, which may have made a frame run into the end of the input: drops
 * what has been unpacked, clears the error and goes on at the next frame or member that begins
 * behind the beginning of the damaged one. False, and all stays as it is, if there is none.
 */
bool bufreader_resync(struct bufreader *w);

/* A file or memory that can be read at any offset. */
struct stored_input {
	int fd;             /* where memory is NULL */
	const char *memory; /* or NULL */
	uint64_t first;     /* of a descriptor: where the trace begins in the file */
	uint64_t size;
};

/* Reads up to n bytes at `at`, fewer at the end. Returns -1 with errno if that fails. */
ssize_t stored_input_read(const struct stored_input *s, uint64_t at, void *to, size_t n);

/*
 * A regular file or memory, to be read at any place: false if this is none. What is stored, not
 * what is shown; it stays the window's.
 */
bool bufreader_stored_input(const struct bufreader *w, struct stored_input *source);

/*
 * Goes on at a byte of such a source, where something begins that unpacks by itself; also after the
 * end or after damage. Not before the first ahead.
 */
int bufreader_seek(struct bufreader *w, uint64_t at);
/* Nothing is read until the next seek. */
void bufreader_idle(struct bufreader *w);

enum iot_compression
bufreader_compression(const struct bufreader *w);       /* known after the first ahead */
uint64_t bufreader_stored(const struct bufreader *w);   /* bytes taken from the source so far */
uint64_t bufreader_position(const struct bufreader *w); /* the same, with those sought over */
uint64_t bufreader_total(const struct bufreader *w); /* size of a regular file or memory; else 0 */

#endif
