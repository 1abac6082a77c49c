/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A buffered reader of a descriptor, memory or a callback: peek returns the next bytes, consume
 * advances past them. gzip and Zstandard are detected by their first bytes and decompressed;
 * concatenated members and frames form one stream. Bytes returned by peek stay valid until the next
 * peek.
 */
#ifndef LIB_IO_BUFREADER_H
#define LIB_IO_BUFREADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/base/interrupt.h"

struct bufreader;
struct kept_bytes;
struct storage;

struct bufreader_options {
	size_t read_size;    /* bytes per read; 0: 1 MiB */
	size_t buffer_max;   /* a peek of more bytes is IOT_ELIMIT; 0: 16 MiB */
	uint64_t window_max; /* maximum window of a zstd frame; 0: 128 MiB */
	size_t ahead_size;   /* bytes to decompress ahead; 0: 512 KiB */
	/*
	 * decompress on a thread if there is more than one processor, except with `interrupt`; a
	 * callback is then called from that thread
	 */
	bool prefetch;
	bool plain; /* skip the detection of compression */
	/* request to end the input early, with IOT_ETRUNCATED; or NULL */
	struct interrupt *interrupt;
	bool waits; /* with interrupt: the input is a pipe, which is drained first */
	/*
	 * status and message to report if a callback returns -1; errno is reported if this is NULL
	 * or contains IOT_OK
	 */
	const struct error *why;
	struct kept_bytes *keep; /* copies the bytes of a descriptor or callback; or NULL */
	/*
	 * called last by bufreader_free, to release what the reader borrowed (a descriptor, a
	 * callback's context)
	 */
	void (*done)(void *context);
	void *done_context;
};

/*
 * Returns NULL if out of memory. `name` is copied, for messages; options NULL means the defaults.
 */
struct bufreader *bufreader_new(const char *name, const struct bufreader_options *options);
void bufreader_free(struct bufreader *r);

/*
 * Call one of these once. Path "-" is standard input; a descriptor and memory remain the caller's.
 */
int bufreader_open(struct bufreader *r, const char *path);
int bufreader_open_fd(struct bufreader *r, int fd);
int bufreader_open_memory(struct bufreader *r, const void *data, size_t size);
int bufreader_open_storage(struct bufreader *r, const struct iot_storage *storage);
int bufreader_open_callback(struct bufreader *r, iot_read_fn *read, void *context);

/*
 * Returns the next bytes and stores their number in *have: at least `want` (>= 1), plus what is
 * available without waiting; fewer only at the end or at an error, which bufreader_status
 * distinguishes. Good bytes before damage are returned first. To read a line of unknown length, ask
 * for one byte more than the last peek returned (the buffer doubles).
 */
const char *bufreader_peek(struct bufreader *r, size_t want, size_t *have);
void bufreader_consume(struct bufreader *r, size_t n); /* n <= *have of the last peek */
/*
 * Moves the unconsumed bytes to the front of the buffer if they are fewer than the consumed ones,
 * so that a large peek need not move them.
 */
void bufreader_compact(struct bufreader *r);
/* Returns whether peek would wait longer than timeout_ms for the writer of a pipe. */
bool bufreader_waits(const struct bufreader *r, size_t want, int timeout_ms);

/*
 * Returns IOT_OK if the input is intact so far (a short peek then is a valid end); IOT_EIO;
 * IOT_EFORMAT for damaged compressed data; IOT_ETRUNCATED if the input ends inside a frame or
 * member; IOT_ELIMIT.
 */
int bufreader_status(const struct bufreader *r);
const struct error *bufreader_error(const struct bufreader *r);
/* Returns the name given to bufreader_new, escaped for messages. */
const char *bufreader_name(const struct bufreader *r);

/*
 * Recovers from damaged compressed data. As damage may make a frame extend to the end of the input,
 * discards the decompressed bytes, clears the error and resumes at the next frame or member that
 * begins after the start of the damaged one. Returns false, with nothing changed, if none exists.
 */
bool bufreader_resync(struct bufreader *r);

/* A file, memory or storage that can be read at any offset. */
struct stored_input {
	int fd;                  /* used if memory and storage are NULL */
	const char *memory;      /* or NULL */
	struct storage *storage; /* or NULL */
	uint64_t first;          /* for a descriptor: file offset at which the trace begins */
	uint64_t size;
};

/* Reads up to n bytes at `at`, fewer at the end. Returns -1 with errno set on failure. */
ssize_t stored_input_read(const struct stored_input *s, uint64_t at, void *to, size_t n);

/*
 * Returns true and sets *source if the input is a regular file, memory or storage. Offsets in it
 * count stored bytes, which may be compressed. It remains the bufreader's.
 */
bool bufreader_stored_input(const struct bufreader *r, struct stored_input *source);

/*
 * Continues at stored byte `at` of such an input, where a frame, a member or uncompressed data
 * begins; also after the end or after damage. Not allowed before the first peek.
 */
int bufreader_seek(struct bufreader *r, uint64_t at);
/* Such an input ends at stored byte `end`, where a frame, a member or a line begins; then seek. */
void bufreader_limit(struct bufreader *r, uint64_t end);
/* Stops reading until the next seek. */
void bufreader_idle(struct bufreader *r);

enum iot_compression
bufreader_compression(const struct bufreader *r);     /* known after the first peek */
uint64_t bufreader_stored(const struct bufreader *r); /* bytes read from the source so far */
/* the same, including bytes skipped by seeks */
uint64_t bufreader_position(const struct bufreader *r);
/* size of a regular file or memory; otherwise 0 */
uint64_t bufreader_total(const struct bufreader *r);

#endif
