/* SPDX-License-Identifier: BSD-2-Clause */
/* Internals of an input: input.c determines its members, input_open.c opens them. */
#ifndef CONVERTERS_INPUT_INPUT_INTERNAL_H
#define CONVERTERS_INPUT_INPUT_INTERNAL_H

#include "converters/converter.h"
#include "directory.h"
#include "archive_reader.h"

struct member {
	char *name;
	uint64_t size;            /* bytes in the file or in the temporary file */
	uint64_t done;            /* bytes that the last bufreader read, set when it is closed */
	int64_t tempfile_at;      /* offset in the temporary file; -1 for a file or pipe */
	struct identity identity; /* of a file */
	struct identity root;     /* of the directory name[0..root_size) in which it was found */
	size_t root_size;         /* 0 if the user named the file itself */
	struct bufreader *once;   /* an open pipe, until input_open() */
	struct error *fault;      /* error to report after the last byte of a damaged tar */
	char *head;
	size_t head_size;
	bool head_known, pipe;
};

struct input {
	struct member *member;
	size_t count, capacity;
	struct input_tempfile tempfile; /* shared by all tars */
	uint64_t total, done, skipped;
	size_t read_size; /* 0: derived from the number of members */
	bool looking;     /* while only heads are read: use small buffers */
	struct interrupt *stop;
	struct tap *taps;    /* currently open */
	struct error unseen; /* why a head could not be read, unless the input is at fault */
};

/* The raw bytes of one open member, under its bufreader. */
struct tap {
	struct input *in;
	size_t member;
	int fd;                            /* -1 for a slice of the temporary file */
	const struct bufreader *bufreader; /* the bufreader on these bytes */
	/*
	 * Position in the slice of the temporary file. Atomic because another thread may ask for
	 * progress.
	 */
	_Atomic uint64_t at;
	struct error why;
	struct tap *next, **link;
};

/* Returns the number of bytes that the bufreader has read from the file or temporary file. */
uint64_t tap_position(const struct tap *t);
/*
 * Returns a bufreader on a member's raw bytes, which decompresses gzip and Zstandard unless
 * `plain`. It owns fd, which is -1 for a slice of the temporary file.
 */
struct bufreader *tap_bufreader(struct input *in, size_t member, int fd, bool plain,
				struct error *error);
/*
 * Adds a libarchive or xz decompressor on top of `raw` if the compression requires one. Takes
 * ownership of `raw`.
 */
struct bufreader *member_decompressed(struct input *in, size_t member, struct bufreader *raw,
				      enum compression_layer how, struct error *error);
/*
 * Returns a bufreader on the decompressed bytes of a file or slice. Returns NULL with *error set.
 */
struct bufreader *member_open(struct input *in, size_t member, struct error *error);

#endif
