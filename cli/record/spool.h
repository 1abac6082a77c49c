/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The spool of a recording: what the collector has gathered, in the file `spool` of the recording,
 * to be converted when the programs have ended. A sequence of entries, each a header and its data.
 * Entries after the last SPOOL_STEP are incomplete: what they have of rings is still there, and the
 * next collector gathers it again.
 *
 * A traced program can write to the file, so every entry is checked.
 */
#ifndef CLI_RECORD_SPOOL_H
#define CLI_RECORD_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

#include "clock_map.h"

enum { SPOOL_DATA_MAX = RECORD_RING_MAX, SPOOL_TEXT_MAX = 1 << 20 };

enum spool_kind {
	SPOOL_BEGIN = 1, /* struct spool_begin; the first entry */
	SPOOL_PROCESS,   /* struct spool_process */
	SPOOL_EXPECT,    /* the program that a process will run */
	SPOOL_RING,      /* bytes of a ring: records that are complete */
	SPOOL_EVENT,     /* struct spool_event */
	SPOOL_STEP,      /* struct clock_sample, the latest; time: the watermark */
};

struct spool_entry {
	uint32_t kind;
	uint32_t process;  /* its number: SPOOL_PROCESS entries count from 0 */
	uint64_t size;     /* of the data, a multiple of 8 */
	uint64_t ring;     /* serial number of a ring, from 1; 0: none */
	uint64_t position; /* SPOOL_RING: of the data in the ring */
	uint64_t time;     /* SPOOL_RING: when it was read; of the recording's clock */
};

#define SPOOL_MAGIC UINT64_C(0x314c4f4f5053434f) /* "OCSPOOL1" */

/* Texts, each with its NUL, follow: the name of the trace, its %trace directive, the arguments. */
struct spool_begin {
	uint64_t magic;
	uint32_t version; /* RECORD_VERSION */
	uint32_t arguments, text_size;
	uint8_t clock, cpu; /* enum record_clock, record_cpu */
	uint8_t samples;    /* 1 or 2 */
	uint8_t padding;
	uint64_t began; /* when the collector started: process_start() */
	struct clock_sample sample[2];
};

struct spool_process {
	uint32_t pid, parent;
	uint64_t namespace;
};

/* An event of the collector; its text follows. */
struct spool_event {
	uint32_t kind, text_size;
	uint64_t start; /* SPOOL_EVENT of RING_ENDED: process_start() of the process */
	struct iot_record rec;
};

struct spool {
	int fd;               /* -1: closed */
	uint64_t size, limit; /* bytes: of entries; how many there may be */
	uint64_t read, step;  /* bytes read, and bytes up to the last SPOOL_STEP */
	unsigned char *map;
	size_t mapped;
};

/* Returns the size of an entry's data with padding. */
static inline uint64_t spool_size(uint64_t size)
{
	return (size + 7) / 8 * 8;
}

/* Creates the file in a directory. Returns false with errno set. */
bool spool_create(struct spool *s, int directory, uint64_t limit);
/* The first entry. `texts` has begin->text_size bytes. Returns false if it does not fit. */
bool spool_begin(struct spool *s, const struct spool_begin *begin, const char *texts);
/*
 * Reads the first entry. *texts stays valid as data of spool_next(); it has at least
 * begin->arguments + 2 texts. Returns false if the entry is invalid.
 */
bool spool_read_begin(struct spool *s, struct spool_begin *begin, const char **texts);
/* Opens the file for another collector. Returns false with errno set. */
bool spool_open(struct spool *s, int directory);
void spool_close(struct spool *s);
/* Appends an entry with e->size bytes of data. Returns false if it does not fit. */
bool spool_append(struct spool *s, const struct spool_entry *e, const void *data);
/*
 * Reads the next entry. Its data is valid until an entry is appended or the spool is cut or closed.
 * Returns 1; 0: no complete entry follows; -1: it is invalid, or cannot be read.
 */
int spool_next(struct spool *s, struct spool_entry *e, const void **data);
/*
 * Removes what follows the last SPOOL_STEP, or SPOOL_BEGIN, that has been read; the next entry is
 * the first one. Returns false with errno set.
 */
bool spool_cut(struct spool *s);

#endif
