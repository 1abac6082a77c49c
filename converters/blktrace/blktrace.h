/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts traces of Linux block devices: binary files of blktrace and the text that blkparse
 * prints.
 *
 *     blktrace.c   the interface: settings, the loop, counts
 *     binary.c     records of the files of all CPUs, in order of time
 *     text.c       lines of blkparse
 *     actions.c    devices, and the effect of each action
 *     sequence.c   missing sequence numbers
 *     requests.c   actions -> requests: from issue (or queue) to completion
 *     emit.c       requests -> records and operations
 *
 * A trace shows each action of the block layer: Q a request is queued, D issued to the device, C
 * completed. Actions of one request have its first sector in common, but a request may be merged
 * with others before it is issued, split, and completed in parts.
 */
#ifndef CONVERTERS_BLKTRACE_BLKTRACE_H
#define CONVERTERS_BLKTRACE_BLKTRACE_H

#include "converters/calls/lines.h"
#include "converters/converter.h"
#include "converters/emit.h"
#include "lib/base/array.h"
#include "lib/base/idmap.h"
#include "lib/base/loser_tree.h"
#include "lib/base/number.h"

enum blktrace_action {
	BLKTRACE_QUEUE = 1,
	BLKTRACE_BACK_MERGE,
	BLKTRACE_FRONT_MERGE,
	BLKTRACE_GET_REQUEST,
	BLKTRACE_SLEEP,
	BLKTRACE_REQUEUE,
	BLKTRACE_ISSUE,
	BLKTRACE_COMPLETE,
	BLKTRACE_PLUG,
	BLKTRACE_UNPLUG,
	BLKTRACE_UNPLUG_TIMER,
	BLKTRACE_INSERT,
	BLKTRACE_SPLIT,
	BLKTRACE_BOUNCE,
	BLKTRACE_REMAP,
	BLKTRACE_ABORT,
	BLKTRACE_DRIVER_DATA,
	BLKTRACE_OTHER,     /* not known, or of zones */
	BLKTRACE_PROCESS,   /* name of a process */
	BLKTRACE_TIMESTAMP, /* the wall clock */
	BLKTRACE_MESSAGE,
	BLKTRACE_ACTIONS
};

enum blktrace_category {
	BLKTRACE_READ = 0x1,
	BLKTRACE_WRITE = 0x2,
	BLKTRACE_FLUSH = 0x4,
	BLKTRACE_SYNC = 0x8,
	BLKTRACE_PASSTHROUGH = 0x200,
	BLKTRACE_NOTIFY = 0x400,
	BLKTRACE_AHEAD = 0x800,
	BLKTRACE_META = 0x1000,
	BLKTRACE_DISCARD = 0x2000,
	BLKTRACE_DRIVER = 0x4000,
	BLKTRACE_FUA = 0x8000,
	BLKTRACE_NONE = 0x10000, /* neither read nor write */
};

enum {
	BLKTRACE_SECTOR = IOT_BLOCK_SIZE,
	BLKTRACE_SECTOR_BITS = 52,
	BLKTRACE_DEVICES_MAX = 1 << (64 - BLKTRACE_SECTOR_BITS),
	BLKTRACE_PROCESSES_MAX = 1 << 22, /* largest pid_max of Linux */
	BLKTRACE_REQUESTS_MAX = 1 << 20,  /* outstanding */
	BLKTRACE_SAME_MAX = 64,           /* outstanding at one sector */
	BLKTRACE_CPUS_MAX = 4096,         /* files */
	BLKTRACE_NAME = 16,               /* of a process, in the kernel */
	BLKTRACE_TEXT_MAX = 1024,         /* of a message */
	BLKTRACE_DIRECTIVE = 8192,
	BLKTRACE_KINDS = 128, /* combinations of the categories of RWBS */
	BLKTRACE_RWBS = 8,    /* "FWFASM" */
};

/* One action. */
struct blktrace_action_record {
	int64_t time_ns;
	uint64_t sector, bytes;
	uint64_t other; /* split: the first sector of the second part */
	uint32_t action, categories;
	uint32_t device, pid, cpu, sequence;
	uint32_t other_device; /* remap: the device that the request was sent to */
	uint32_t error;        /* errno */
	struct iot_text text;  /* name of the process, or message */
};

struct blktrace_total {
	uint64_t count, bytes;
};

/* Totals of one action, by kind. */
enum blktrace_phase { BLKTRACE_QUEUED, BLKTRACE_ISSUED, BLKTRACE_COMPLETED, BLKTRACE_PHASES };

struct blktrace_device {
	uint32_t number; /* major << 20 | minor */
	uint32_t disk;   /* its fileId, 0 before its first request */
	bool upper;      /* its requests are sent to other devices */
	bool skipped;
	struct blktrace_total total[BLKTRACE_PHASES][BLKTRACE_KINDS];
};

/* A request, or what is left of it */
struct blktrace_request {
	uint64_t first, end; /* sectors, of all of it */
	uint64_t next;       /* the first sector that has not completed */
	int64_t since_ns;    /* issued; queued if it is not */
	uint32_t pid, device;
	uint32_t categories;
	uint32_t error;
	uint32_t older, newer; /* by since_ns; index + 1 */
	uint32_t same;         /* the next request at this sector; index + 1 */
	bool issued;
};

struct blktrace_same {
	uint32_t first, last; /* index + 1 */
	uint32_t count;
};

struct blktrace_requests {
	struct idmap keys; /* device and sector */
	struct blktrace_same *same;
	size_t same_capacity;
	struct blktrace_request *request;
	size_t count, capacity;
	uint32_t free; /* linked by `same`; index + 1 */
	uint32_t oldest, newest;
};

struct blktrace_names {
	struct idmap pids;
	char (*name)[BLKTRACE_NAME];
	size_t capacity;
	struct idmap disks; /* process and disk */
	uint8_t *state;     /* enum blktrace_disk_state */
	size_t state_capacity;
};

struct blktrace_sequences {
	struct idmap counters; /* device and CPU */
	uint32_t *last;
	size_t capacity;
	bool by_device; /* CPUs share the numbers of a device */
	uint64_t missing, gaps;
};

struct blktrace_member {
	struct bufreader *bufreader;
	const char *shown, *at, *end;
	uint64_t offset; /* of `shown` */
	size_t index;
	uint32_t magic; /* as it is stored */
	bool swapped;
	unsigned version, header;
};

struct blktrace_text {
	struct line_reader lines;
	size_t member;
	bool summary;
};

struct blktrace {
	struct source_state *src;
	struct emit emit;
	bool by_queue;   /* requests start when they are queued */
	bool has_device; /* only `device` is converted */
	bool is_text, began, ended, counted;
	uint32_t device;
	int64_t epoch_ns; /* wall clock at time 0 of the source */
	bool has_epoch;
	int64_t now_ns; /* of the last action */
	int status;
	struct error damage;
	uint64_t damaged_bytes, damaged_places;

	struct blktrace_member *member;
	size_t members;
	struct loser_tree tree;
	struct blktrace_text text;

	struct idmap device_numbers;
	struct blktrace_device **devices;
	size_t device_capacity;
	uint32_t disks;
	struct blktrace_names names;
	struct blktrace_sequences sequences;
	struct blktrace_requests requests;
	uint64_t actions[BLKTRACE_ACTIONS];
	uint64_t skipped, passthrough, unmatched, unfinished, unissued, dropped, failed;
	uint64_t untimed, backwards, unaligned, beyond, summary;
};

/* actions.c */

/* Keeps the first damage, counts it and emits %lost. */
void blktrace_damage(struct blktrace *b, int status, uint64_t bytes, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Processes one action of either form. Returns false on failure. */
bool blktrace_process(struct blktrace *b, const struct blktrace_action_record *r);
/* Marks the device that a remap came from. Returns false on failure. */
bool blktrace_declare_remap(struct blktrace *b, const struct blktrace_action_record *r);

/* binary.c */

/* Returns the bits of evidence in the head of a member. */
int blktrace_binary_evidence(const char *head, size_t size);
int blktrace_binary_open(struct blktrace *b);
/* Processes one record. Returns 1; 0 at the end; negative on failure. */
int blktrace_binary_step(struct blktrace *b);
void blktrace_binary_close(struct blktrace *b);

/* text.c */

int blktrace_text_evidence(const char *head, size_t size);
int blktrace_text_open(struct blktrace *b);
int blktrace_text_step(struct blktrace *b);
void blktrace_text_close(struct blktrace *b);
/* Parses a line without its LF. Returns false if it does not show an action. */
bool blktrace_text_parse(const char *line, const char *end, struct blktrace_action_record *r);

/* sequence.c */

/*
 * Returns the number of records that are missing before this one. They are numbered by device and
 * CPU, in traces that were made by hand by device alone.
 */
uint32_t blktrace_sequence_missing(struct blktrace *b, const struct blktrace_action_record *r);

/* requests.c */

/* Returns whether the sectors are those that a device can have. */
bool blktrace_request_fits(const struct blktrace_action_record *r);
bool blktrace_request_queue(struct blktrace *b, const struct blktrace_action_record *r);
bool blktrace_request_split(struct blktrace *b, const struct blktrace_action_record *r,
			    size_t device);
bool blktrace_request_issue(struct blktrace *b, const struct blktrace_action_record *r,
			    size_t device);
void blktrace_request_requeue(struct blktrace *b, const struct blktrace_action_record *r,
			      size_t device);
bool blktrace_request_complete(struct blktrace *b, const struct blktrace_action_record *r,
			       size_t device);
/* Emits the requests that did not complete. */
bool blktrace_requests_end(struct blktrace *b);
/* Returns the start of the oldest request, or `now_ns` if there is none. */
int64_t blktrace_requests_oldest(const struct blktrace *b, int64_t now_ns);
void blktrace_requests_free(struct blktrace_requests *q);

/* emit.c */

/* Reports out of memory; returns false. */
bool blktrace_no_memory(struct blktrace *b);
void blktrace_emit_trace(struct blktrace *b);
/* Declares the name of a process, unless it is known. */
bool blktrace_emit_process(struct blktrace *b, uint32_t pid, struct iot_text name);
void blktrace_emit_message(struct blktrace *b, const struct blktrace_action_record *r);
/* end_ns: the completion; negative if it is unknown. */
bool blktrace_emit_request(struct blktrace *b, const struct blktrace_request *q, int64_t end_ns);
void blktrace_emit_lost(struct blktrace *b, uint64_t records, uint64_t bytes, const char *why);
/* Emits the totals of each device. */
void blktrace_emit_totals(struct blktrace *b);
/* Writes the letters that blkparse prints for a combination of categories. */
size_t blktrace_rwbs(unsigned kind, char text[BLKTRACE_RWBS]);
unsigned blktrace_kind(const struct blktrace_action_record *r);
bool blktrace_is_counter(struct iot_text name);

#endif
