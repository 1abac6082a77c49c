/* SPDX-License-Identifier: BSD-2-Clause */
/* An input, inside: input.c finds out what its members are, input_open.c opens them. */
#ifndef CONVERTERS_INPUT_INPUT_INTERNAL_H
#define CONVERTERS_INPUT_INPUT_INTERNAL_H

#include "converters/converter.h"
#include "directory.h"
#include "archive.h"

struct member {
	char *name;
	uint64_t size;            /* bytes in the file or the spool */
	uint64_t done;            /* of them taken by the last window, once it is closed */
	int64_t tempfile_at;      /* -1: a file or pipe */
	struct identity identity; /* of a file */
	struct identity root;     /* of the directory at name[0 .. root_size) that it was in */
	size_t root_size;         /* 0: the user named the file itself */
	struct bufreader *once;   /* a pipe, until it is opened */
	struct error *fault;      /* what comes behind the last byte of a damaged tar */
	char *head;
	size_t head_size;
	bool head_known, pipe;
};

struct input {
	struct member *member;
	size_t count, capacity;
	struct input_tempfile tempfile; /* of all tars */
	uint64_t total, done, skipped;
	size_t read_size; /* 0: by the number of members */
	bool looking;     /* at first bytes only: small windows */
	struct interrupt *stop;
	struct tap *taps;    /* open now */
	struct error unseen; /* why a head could not be looked at, but for the input's faults */
};

/* Raw bytes of one open member: beneath its window. */
struct tap {
	struct input *in;
	size_t member;
	int fd;                            /* -1: from the spool */
	const struct bufreader *bufreader; /* on these bytes */
	/* Position in the slice of the spool. Another thread may ask for progress. */
	_Atomic uint64_t at;
	struct error why;
	struct tap *next, **link;
};

/* Bytes of the file or spool that its window has taken. */
uint64_t tap_position(const struct tap *t);
/*
 * The window on a member's raw bytes, which unpacks gzip and Zstandard unless `plain`. fd, which may
 * be -1 for a slice of the spool, belongs to it.
 */
struct bufreader *tap_bufreader(struct input *in, size_t member, int fd, bool plain,
				struct error *error);
/* Puts libarchive over a window where it is needed; `raw` is used up. */
struct bufreader *member_decompressed(struct input *in, size_t member, struct bufreader *raw,
				      enum compression_layer how, struct error *error);
/* The bytes of a file or slice, unpacked. NULL with *error set. */
struct bufreader *member_open(struct input *in, size_t member, struct error *error);

#endif
