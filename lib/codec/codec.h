/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What "previous" means (iotrace(5), STATE): the one model behind encoder and decoder. The state
 * lives in the caller's block and refers to itself by offsets, so that the block can move.
 *
 * This half is what reader and writer need of it; the half for decode.c and encode.c is
 * predict_state.h.
 */
#ifndef LIB_CODEC_CODEC_H
#define LIB_CODEC_CODEC_H

#include <stdbool.h>

#include <iotrace/iotrace.h>

/* What the last record decoded or encoded met for the first time since init or forget. */
enum first_use {
	FIRST_USE_PROCESS = 1,
	FIRST_USE_FILE = 2, /* new in the table, or back in it after eviction */
	FIRST_USE_FLAGS =
	    4, /* encoding: flags of the record that lacks= does not cover are not the entry's */
};
unsigned codec_first_use(const struct iot_codec *c);

/* Sets object and flags (those of %file) in the entry that the last record used. */
void codec_set_object(struct iot_codec *c, uint32_t object, unsigned flags);

/* The same for an entry that may or may not be in a table: a %file has come. */
void codec_update(struct iot_codec *c, uint32_t process, uint32_t file, bool physical,
		  uint32_t object, unsigned flags);

/*
 * %trace lacks=: flags that every decoded record gets from now on, and that are not compared when
 * one is encoded.
 */
void codec_set_missing(struct iot_codec *c, unsigned flags);

uint64_t codec_tick(const struct iot_codec *c);
unsigned codec_base(const struct iot_codec *c);

/* Start of the previous record, in ticks; set when entering a trace at a %sync. */
int64_t codec_start(const struct iot_codec *c);
void codec_set_start(struct iot_codec *c, int64_t ticks);

/* The CPU clock of a process, in ticks; 0 where there is none. Set: false if the block is full. */
int64_t codec_clock(struct iot_codec *c, uint32_t process);
bool codec_set_clock(struct iot_codec *c, uint32_t process, int64_t ticks);
/* All of them, at most max; returns how many there are. */
struct cpu_clock {
	uint32_t process;
	int64_t ticks;
};
size_t codec_clocks(struct iot_codec *c, struct cpu_clock *clocks, size_t max);
unsigned codec_missing(const struct iot_codec *c);

/* Every process' CPU clock begins anew. */
void codec_zero_clocks(struct iot_codec *c);

/* Called with a record that has news: object and flags in it are not known. codec_set_object may follow. */
struct first_use_handler {
	void (*record)(void *context, struct iot_record *rec);
	void *context;
};

/*
 * Decodes consecutive record lines from *text, which ends in LF at end[-1], into rec (so many bytes
 * from one to the next), at most max. Moves *text behind what was decoded, says why it stopped, and
 * returns the number of records stored. Without `meet` it stops at news.
 */
enum decode_stop {
	DECODE_STOP_MAX,       /* max records */
	DECODE_STOP_END,       /* *text == end */
	DECODE_STOP_FIRST_USE, /* the record stored last has news: object and flags in it are not known */
	DECODE_STOP_OTHER, /* the line at *text is a comment or blank */
	DECODE_STOP_LIMIT, /* the block is full: grow it and call again */
	DECODE_STOP_ERROR, /* the line at *text is wrong: iot_codec_error */
};
size_t codec_decode_lines(struct iot_codec *c, const char **text, const char *end,
			  struct iot_record *rec, size_t max, size_t stride,
			  const struct first_use_handler *on_first_use, enum decode_stop *why);

/*
 * Encodes records (so many bytes from one to the next) to text while it has room for one more, at most n. Stops
 * behind a record with news, and before one that iot_encode would refuse. Returns how many were encoded; *size:
 * bytes of all; *last: of the one with news, or what iot_encode answered to the next; else not negative.
 */
size_t codec_encode_lines(struct iot_codec *c, const struct iot_record *rec, size_t n,
			  size_t stride, char *text, size_t capacity, size_t *size, ssize_t *last);

#endif
