/* SPDX-License-Identifier: BSD-2-Clause */
/* An input, inside: input.c finds out what its members are, input_open.c opens them. */
#ifndef CONVERTERS_INPUT_INPUT_INTERNAL_H
#define CONVERTERS_INPUT_INPUT_INTERNAL_H

#include "converters/converter.h"
#include "directory.h"
#include "archive.h"

struct iot_member {
	char *name;
	uint64_t size;                /* bytes in the file or the spool */
	uint64_t done;                /* of them taken by the last window, once it is closed */
	int64_t spool_at;             /* -1: a file or pipe */
	struct iot_identity identity; /* of a file */
	struct iot_identity root;     /* of the directory at name[0 .. root_size) that it was in */
	size_t root_size;             /* 0: the user named the file itself */
	struct iot_window *once;      /* a pipe, until it is opened */
	struct iot_error *fault;      /* what comes behind the last byte of a damaged tar */
	char *head;
	size_t head_size;
	bool head_known, pipe;
};

struct iot_input {
	struct iot_member *member;
	size_t count, room;
	struct iot_spool spool; /* of all tars */
	uint64_t total, done, skipped;
	size_t read_size; /* 0: by the number of members */
	bool looking;     /* at first bytes only: small windows */
	struct iot_interrupt *stop;
	struct iot_tap *taps;    /* open now */
	struct iot_error unseen; /* why a head could not be looked at, but for the input's faults */
};

/* Raw bytes of one open member: beneath its window. */
struct iot_tap {
	struct iot_input *in;
	size_t member;
	int fd; /* -1: from the spool */
	const struct iot_window *window; /* on these bytes */
	/* Position in the slice of the spool. Another thread may ask for progress. */
	_Atomic uint64_t at;
	struct iot_error why;
	struct iot_tap *next, **link;
};

/* Bytes of the file or spool that its window has taken. */
uint64_t iot_tap_position(const struct iot_tap *t);
/*
 * The window on a member's raw bytes, which unpacks gzip and Zstandard unless `plain`. fd, which may
 * be -1 for a slice of the spool, belongs to it.
 */
struct iot_window *iot_tap_window(struct iot_input *in, size_t member, int fd, bool plain,
				  struct iot_error *error);
/* Puts libarchive over a window where it is needed; `raw` is used up. */
struct iot_window *iot_member_unpacked(struct iot_input *in, size_t member, struct iot_window *raw,
				       enum iot_packing how, struct iot_error *error);
/* The bytes of a file or slice, unpacked. NULL with *error set. */
struct iot_window *iot_member_open(struct iot_input *in, size_t member, struct iot_error *error);

#endif
