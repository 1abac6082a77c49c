/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts logs of fio: I/O logs (--write_iolog), which fio can replay, and the logs of single I/Os
 * with offsets (--write_lat_log and others, with --log_offset=1).
 *
 *     fio.c       the interface: members, lines, counts
 *     iolog.c     lines of an I/O log
 *     samples.c   lines of a latency, bandwidth or IOPS log
 *     emit.c      files, records and operations
 */
#ifndef CONVERTERS_FIO_FIO_H
#define CONVERTERS_FIO_FIO_H

#include "converters/calls/lines.h"
#include "converters/converter.h"
#include "converters/emit.h"
#include "lib/base/array.h"
#include "lib/base/idmap.h"
#include "lib/base/number.h"

enum {
	FIO_LINE_MAX = 4096, /* fio reads lines into a buffer of this size */
	FIO_NAME_MAX = 255,  /* as fio */
	FIO_FILES_MAX = 1 << 20,
	FIO_DIRECTIVE = 8192,
	FIO_WORDS_MAX = 8,
	FIO_COLUMNS_MAX = 7,
};

enum fio_action {
	FIO_ADD,
	FIO_OPEN,
	FIO_CLOSE,
	FIO_READ,
	FIO_WRITE,
	FIO_SYNC,
	FIO_DATASYNC,
	FIO_TRIM,
	FIO_WAIT,
	FIO_ACTIONS
};

/* The kinds of logs of single I/Os, in the order of preference; their names are in file names. */
enum fio_samples { FIO_LAT, FIO_CLAT, FIO_BW, FIO_IOPS, FIO_SLAT, FIO_UNNAMED };

struct fio_word {
	const char *data;
	size_t size;
};

struct fio_io {
	enum fio_action action;
	int64_t start_ns;
	uint64_t duration_ns;
	uint64_t offset, length;
	bool has_duration;
};

struct fio_file {
	char *name;
	size_t size;
	uint32_t file;    /* fileId of the current open; 0 if it is not open */
	uint32_t process; /* that opened it */
};

struct fio {
	struct source_state *src;
	struct emit emit;
	bool samples;     /* logs of single I/Os */
	bool lacks_start; /* %trace declares it */
	bool began, ended;
	int status;
	struct error damage;

	struct line_reader lines;
	size_t member;
	unsigned version;      /* of the current I/O log */
	enum fio_samples kind; /* of the members to convert, if they are samples */
	size_t columns;        /* of the current member */
	bool has_offsets;
	bool epoch; /* times count from 1970 */

	uint32_t process, files_opened; /* current ones, numbered from 1 */
	int64_t now_ns;
	struct idmap names;
	struct fio_file *file;
	size_t file_capacity, last_file; /* last_file: index + 1 */
	uint64_t seed;
	uint64_t actions[FIO_ACTIONS];
	uint64_t headers, unopened, backwards, early;
};

/* iolog.c */

/* Returns the version in a header line, 0 if it is not one. */
unsigned fio_header(const char *line, const char *end);
/* Processes a line. Returns false on failure. */
bool fio_iolog_line(struct fio *f, const char *line, const char *end);

/* samples.c */

/* Returns the number of columns of a line, 0 if it is not one of a log. */
size_t fio_sample_parse(const char *line, const char *end, uint64_t column[FIO_COLUMNS_MAX]);
/* Determines the columns of a member from its first lines. */
void fio_samples_examine(struct fio *f, const char *head, size_t size);
enum fio_samples fio_samples_kind(const char *name);
bool fio_sample_line(struct fio *f, const char *line, const char *end);

/* emit.c */

bool fio_no_memory(struct fio *f);
void fio_count_unparsed(struct fio *f, const char *line, const char *end);
void fio_emit_trace(struct fio *f);
bool fio_emit_process(struct fio *f);
/* Opens a file and emits its definition; name is empty if it is not known. */
bool fio_emit_open(struct fio *f, struct fio_file *file);
bool fio_emit_io(struct fio *f, const struct fio_file *file, const struct fio_io *io);
void fio_emit_lost(struct fio *f, uint64_t bytes, const char *why);

#endif
