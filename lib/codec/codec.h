/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The codec state (iotrace(5), STATE): the single model for encoder and decoder. The state lives in
 * the caller's block and refers to itself by offsets, so that the block can move.
 *
 * This header is the interface for reader and writer; decode.c and encode.c also use state.h.
 */
#ifndef LIB_CODEC_CODEC_H
#define LIB_CODEC_CODEC_H

#include <stdbool.h>

#include <iotrace/iotrace.h>

/*
 * Processes and files that the last record decoded or encoded used for the first time since init or
 * forget.
 */
enum first_use {
	FIRST_USE_PROCESS = 1,
	FIRST_USE_FILE = 2, /* new in the table, or inserted again after eviction */
	FIRST_USE_FLAGS =
	    /*
	     * encoding: flags of the record not covered by lacks= differ from the flags of the
	     * table entry
	     */
	4,
};
unsigned codec_first_use(const struct iot_codec *c);

/* Returns why no line can express the record; NULL if one can. */
static inline const char *codec_unfit(const struct iot_record *rec)
{
	if (rec->type == 0xff)
		return "recordType ff marks a comment: it cannot be a record's";
	if (rec->start_ns < 0)
		return "a start before the trace's zero";
	if (rec->duration_ns > (uint64_t)(INT64_MAX - rec->start_ns))
		return "an end beyond 2^63-1 nanoseconds";
	return NULL;
}

/* Sets object and flags of %file in the table entry that the last record used. */
void codec_set_object(struct iot_codec *c, uint32_t object, unsigned flags);

/* The same for a %file directive, whose table entry may not exist. */
void codec_update(struct iot_codec *c, uint32_t process, uint32_t file, bool physical,
		  uint32_t object, unsigned flags);

/*
 * %trace lacks=: sets flags that every decoded record gets from now on, and that are not compared
 * when a record is encoded.
 */
void codec_set_missing(struct iot_codec *c, unsigned flags);

uint64_t codec_tick(const struct iot_codec *c);
unsigned codec_base(const struct iot_codec *c);

/* Start of the previous record, in ticks; set after a seek to a %sync. */
int64_t codec_start(const struct iot_codec *c);
void codec_set_start(struct iot_codec *c, int64_t ticks);

/*
 * CPU clock of a process, in ticks; 0 if unknown. codec_set_clock returns false if the block is
 * full.
 */
int64_t codec_clock(struct iot_codec *c, uint32_t process);
bool codec_set_clock(struct iot_codec *c, uint32_t process, int64_t ticks);
/* Stores up to max CPU clocks; returns the total number. */
struct cpu_clock {
	uint32_t process;
	int64_t ticks;
};
size_t codec_clocks(struct iot_codec *c, struct cpu_clock *clocks, size_t max);
unsigned codec_missing(const struct iot_codec *c);

/* Resets the CPU clocks of all processes to 0. */
void codec_zero_clocks(struct iot_codec *c);

/*
 * Called with a record that is a first use: its object and flags are not yet known.
 * codec_set_object may follow.
 */
struct first_use_handler {
	void (*record)(void *context, struct iot_record *rec);
	void *context;
};

/*
 * Decodes up to max consecutive record lines from *text, which ends in LF at end[-1], into rec,
 * with `stride` bytes from one record to the next. Advances *text past the decoded lines, sets *why
 * to the reason for stopping, and returns the number of records stored. Without on_first_use it
 * stops at each first use.
 */
enum decode_stop {
	DECODE_STOP_MAX, /* max records stored */
	DECODE_STOP_END, /* *text == end */
	/* the last record stored is a first use: its object and flags are not yet known */
	DECODE_STOP_FIRST_USE,
	DECODE_STOP_OTHER, /* the line at *text is a comment or blank */
	DECODE_STOP_LIMIT, /* the block is full: grow it and call again */
	DECODE_STOP_ERROR, /* the line at *text is invalid: see iot_codec_error */
};
size_t codec_decode_lines(struct iot_codec *c, const char **text, const char *end,
			  struct iot_record *rec, size_t max, size_t stride,
			  const struct first_use_handler *on_first_use, enum decode_stop *why);

/*
 * Encodes up to n records, `stride` bytes apart, to text while its capacity suffices for one more.
 * Stops after a first use, and before a record that iot_encode would reject. Returns the number
 * encoded; *size: bytes of all lines; *last: bytes of the last line at a first use, or the negative
 * status of iot_encode for the next record; otherwise not negative.
 */
size_t codec_encode_lines(struct iot_codec *c, const struct iot_record *rec, size_t n,
			  size_t stride, char *text, size_t capacity, size_t *size, ssize_t *last);

#endif
