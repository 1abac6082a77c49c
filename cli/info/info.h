/* SPDX-License-Identifier: BSD-2-Clause */
/* What `iotrace info` counts in an input, in parts that are joined; see iot_reader_fold. */
#ifndef CLI_INFO_INFO_H
#define CLI_INFO_INFO_H

#include "cli/ui/output.h"
#include "cli/ui/trace_in.h"
#include "lib/base/idmap.h"
#include "lib/format/unseen.h"

enum { READ, WRITE, WAYS, KNOWN = 256 };

/* Keys of the first %trace. */
enum info_key {
	KEY_SOURCE,
	KEY_COMMAND,
	KEY_HOST,
	KEY_USER,
	KEY_EPOCH,
	KEY_LACKS,
	KEY_LAYER,
	KEY_LENGTHS,
	KEY_CLOCKS,
	KEY_SEEN,
	KEYS
};
extern const char *const info_keys[KEYS];

/* The percent-decoded value of a key; NULL: absent. */
struct reported {
	char *text;
	size_t size;
};

struct ways {
	uint64_t records[WAYS], bytes[WAYS];
};

/* Recently counted ids: most ids repeat. */
struct known_fields {
	uint32_t process, file, object;
	bool any, logical;
};

struct info {
	struct ways logical, physical;
	struct idmap processes, files, objects;
	struct known_fields known[KNOWN];
	uint64_t unknown_offsets, unknown_durations, unknown_cpu, unknown_starts; /* records */
	uint64_t traces;                                                          /* %trace */
	uint64_t counters, file_counters; /* %counter, and those about a file */
	uint64_t samples;                 /* %sample */
	uint64_t observed_ns[2]; /* by samples: the first start, the last end; [1] is 0 without */
	uint64_t gaps, lost_records;             /* %lost, and the losses that they state */
	int64_t first_ns, last_ns, completed_ns; /* the first start, the last start, the last end */
	bool any, any_end;                       /* starts; ends */
	bool any_lost;                           /* a %lost has records= */
	bool interrupted;  /* a %lost states that a signal ended the input of its writer */
	bool no_processes; /* the source does not show which process made a request */
	bool failed;
	struct reported reported[KEYS];
	struct unseen unseen;
};

/* Counts what remains in the input. */
void info_count(struct info *f, struct trace_in *in);
void info_free(struct info *f);

const char *info_state(const struct info *f, const struct trace_in *in);
/* Returns whether the input contains I/Os, or only counters. */
bool info_has_ios(const struct info *f, const struct trace_in *in);
/*
 * Returns whether anything is to be reported: a trace that fails on its first line has no counts.
 */
bool info_was_read(const struct trace_in *in);
/* Returns false if the first %trace does not state the time of 0. */
bool info_epoch(const struct info *f, uint64_t *ns);
const char *info_compression(const struct trace_in *in);

/* Prints it for people. */
void info_print_text(struct output *o, const char *path, const struct info *f,
		     const struct trace_in *in);

#endif
