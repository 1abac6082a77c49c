/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the converters of system counters share. A source says what the counters of a host and a
 * target are at a time, or how much they grew; this module makes %sample directives of that.
 *
 *     samples.c   the interface of a converter: members, lines, the end
 *     live.c      texts that a program reads at intervals
 *     counters.c  from counters to increases: first values, resets, gaps, clocks
 *     emit.c      %trace, %sample and %lost
 *     decimal.c   numbers with a point, without rounding
 *     stamp.c     lines "time SECONDS" and "host NAME" between the texts of /proc
 *     failure.c   errors, and lines that are not understood
 *
 * Each file uses only those below it.
 */
#ifndef CONVERTERS_SAMPLES_SAMPLES_H
#define CONVERTERS_SAMPLES_SAMPLES_H

#include "converters/calls/lines.h"
#include "converters/converter.h"
#include "converters/emit.h"
#include "lib/base/array.h"
#include "lib/base/idmap.h"
#include "lib/base/number.h"
#include "lib/base/text.h"
#include "lib/base/word.h"
#include "lib/format/sample.h"

enum {
	SAMPLES_TEXT_MAX = 4096,    /* bytes of a host, a target, a job */
	SAMPLES_KEYS_MAX = 1 << 20, /* (host, target, job) */
	SAMPLES_DIRECTIVE = 48 << 10,
	SAMPLES_RECENT = 15, /* intervals of a key whose median is the usual one */
	SAMPLES_HEAD = 1024, /* samples before %trace states the interval */
	SAMPLES_NS_PER_S = 1000000000,
};

#define SAMPLES_TIME_MAX     (INT64_MAX / 2)
#define SAMPLES_TIME_UNKNOWN INT64_MIN

__extension__ typedef unsigned __int128 samples_wide;

/* Counters of one target on one host at a time, or their increases since a time. */
struct sample_point {
	struct iot_text host, target, job; /* job.data is NULL without a job */
	struct iot_text entry;             /* what counters of one target differ in; may be NULL */
	int64_t time_ns;                   /* since 1970, 0 to SAMPLES_TIME_MAX */
	int64_t since_ns;                  /* when the counters were 0, or SAMPLES_TIME_UNKNOWN */
	bool appears;   /* the first value counts from since_ns, when the key appeared */
	uint32_t known; /* bit for each value */
	uint64_t value[SAMPLE_VALUES];
};

static inline void sample_set(struct sample_point *p, enum sample_value v, uint64_t value)
{
	p->known |= UINT32_C(1) << v;
	p->value[v] = value;
}

/* Adds to a value, which is 0 before. Returns false if the sum does not fit in 64 bits. */
static inline bool sample_add(struct sample_point *p, enum sample_value v, uint64_t value)
{
	p->known |= UINT32_C(1) << v;
	return !__builtin_add_overflow(p->value[v], value, &p->value[v]);
}

struct counted_key {
	int64_t time_ns; /* of the last value; SAMPLES_TIME_UNKNOWN before the first one */
	uint32_t known, recent;
	uint64_t value[SAMPLE_VALUES];
	uint64_t took[SAMPLES_RECENT]; /* the last intervals, of which there are `recent` */
};

struct sampling;

/* What one format does. Functions return false if out of memory, or after samples_fail(). */
struct samples_format {
	size_t state_size;     /* of samples.own, which begins as zeros */
	uint64_t tick_ns;      /* resolution of the times */
	const uint64_t *units; /* of the numbers that counters had; NULL: 1 */
	/* reads settings; may be NULL */
	bool (*open)(struct sampling *s);
	/* a member begins, or ends; either may be NULL */
	bool (*begin)(struct sampling *s);
	bool (*end)(struct sampling *s);
	/* calls samples_unparsed() for a line that is not understood */
	bool (*line)(struct sampling *s, struct iot_text line);
	void (*close)(struct sampling *s); /* frees what own refers to; may be NULL */
};

struct sampling {
	struct source_state *src;
	const struct samples_format *format;
	void *own;
	struct emit emit;
	struct line_reader lines;
	struct iot_text line;
	size_t member; /* the next one to open */
	struct idmap numbers;
	struct counted_key *key;
	size_t key_capacity;
	uint64_t seed;
	int64_t now_ns;    /* end of the newest sample */
	uint64_t max_gap;  /* times the usual interval */
	uint64_t max_rate; /* bytes per second; 0: none */
	uint64_t made, gaps, long_gaps, firsts, duplicates, resets, decreases, backwards, wraps,
	    doubtful;
	uint64_t head[SAMPLES_HEAD]; /* intervals of the first samples */
	bool wraps_32, began, ended;
	bool is_unparsed;     /* the current line is counted as not understood */
	bool is_cut;          /* the member ended inside of a line, or could not be read */
	bool takes_cut_lines; /* a last line without its end is understood as far as it goes */
	struct error damage;  /* the first one */
	int status;
	/* of the last lines "time" and "host", and of the setting "host" */
	int64_t stamp_ns;
	char host[SAMPLES_TEXT_MAX];
	size_t host_size;
};

/* samples.c: the functions of a converter */

#define SAMPLES_OPTIONS                                                                            \
	{"max-gap", "N", "an interval N times as long as usual is a gap (default: 10)"},           \
	    {"max-rate", "SIZE", "samples of more bytes per second are doubtful"},                 \
	{                                                                                          \
		"wrap", "32", "counters have 32 bits, so a decrease means that they wrapped"       \
	}

/*
 * Returns the evidence of a head: the first result of `bits` that is not 0, called for each of its
 * first lines that are complete; 0 if there is none.
 */
int samples_sniff(struct input *in, int (*bits)(struct iot_text line));
int samples_open(struct source_state *src, const struct samples_format *format);
int samples_next(struct source_state *src, struct iot_event *out, int max);
void samples_close(struct source_state *src);

/* live.c */

/*
 * Takes what counters are at a time from a text, which is not cut, of a source that is open and has
 * no input. The setting "host" names the host. Stores up to `max` events, whose text is valid until
 * the next call, and returns their number; negative on failure, with src->error. Until
 * samples_live_more returns 0, it has further events.
 */
int samples_live(struct source_state *src, int64_t time_ns, struct iot_text text,
		 struct iot_event *out, int max);
int samples_live_more(struct source_state *src, struct iot_event *out, int max);

/* counters.c. All return false if out of memory, or beyond SAMPLES_KEYS_MAX. */

/* Takes counters, and emits a sample of their increase since the last call with the same key. */
bool samples_count(struct sampling *s, const struct sample_point *p);
/* Emits a sample of increases in the interval of took_ns > 0 that ends at p->time_ns. */
bool samples_increase(struct sampling *s, const struct sample_point *p, uint64_t took_ns);

/* emit.c */

enum sample_flags { SAMPLE_GAP = 1, SAMPLE_RESET = 2, SAMPLE_DOUBTFUL = 4 };

bool samples_emit(struct sampling *s, const struct sample_point *p, uint64_t took_ns,
		  unsigned flags);
bool samples_emit_lost(struct sampling *s, const struct sample_point *p, int64_t from_ns,
		       uint64_t took_ns, const char *why);
/* Emits %trace; interval_ns is 0 if unknown. */
bool samples_emit_trace(struct sampling *s, uint64_t interval_ns);

/* decimal.c */

struct decimal {
	uint64_t digits, scale; /* the number is digits / scale, scale a power of ten */
};

/* Reads digits with one point or comma at most, and up to 18 of them. */
bool decimal_parse(struct iot_text text, struct decimal *d);
/* Returns d * factor, rounded; false if it does not fit in 64 bits. */
bool decimal_times(struct decimal d, uint64_t factor, uint64_t *value);
/* Returns d * factor * took_ns / 1 s, rounded: a rate becomes an increase. */
bool decimal_over(struct decimal d, uint64_t factor, uint64_t took_ns, uint64_t *value);

/* stamp.c */

/* Takes a line "time SECONDS[.FRACTION]" or "host NAME". Returns false if it is another line. */
bool samples_stamp(struct sampling *s, struct iot_text line);
/* Returns whether the time and the host are known; otherwise fails. */
bool samples_is_stamped(struct sampling *s);
bool samples_has_host(struct sampling *s);
/* Sets the host to a text. Returns false if it is too long. */
bool samples_set_host(struct sampling *s, struct iot_text name);
/* Sets the host to the setting "host", or to the name of the member without its suffix. */
void samples_host_of_member(struct sampling *s);

/* failure.c */

bool samples_no_memory(struct sampling *s);
/* Ends the conversion with an error. Returns false. */
bool samples_fail(struct sampling *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Counts the current line as one that is not understood. Returns true. */
bool samples_unparsed(struct sampling *s);
/*
 * Notes that a member ends inside of a line: after a number of bytes that are not understood, or
 * with the status of its reader, if that is not IOT_OK. The conversion goes on.
 */
void samples_damaged(struct sampling *s, int status, size_t size);

#endif
