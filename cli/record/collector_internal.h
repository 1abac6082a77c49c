/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the collector share. Functions that return an int return a status; the error is
 * in c->error, or in one of the modules that the collector uses.
 */
#ifndef CLI_RECORD_COLLECTOR_INTERNAL_H
#define CLI_RECORD_COLLECTOR_INTERNAL_H

#include "collector.h"
#include "lib/base/error.h"
#include "doorbell.h"
#include "event_order.h"
#include "packet_pipe.h"
#include "replay.h"
#include "ring.h"

enum { COLLECTOR_RINGS_MAX = 1 << 14, COLLECTOR_ENDED_MAX = 256 };

/* What the spool has of a ring, by its serial number. */
struct spooled_ring {
	uint64_t end, dropped, dropped_bytes, dropped_others;
};

struct collector {
	const struct recording *recording;
	struct processes processes;
	struct ring *ring;
	size_t rings, ring_capacity;
	struct event_order order; /* its events of this step have their texts in the rings */
	struct ring_events *events;
	struct spool *spool;               /* NULL: events are written at once */
	struct replay *replay;             /* converts what the spool has */
	bool replays;                      /* the spool is full: entries are converted at once */
	struct spooled_ring *spooled_ring; /* in collector_resume(), by serial number */
	size_t spooled_ring_capacity;
	size_t spooled;  /* processes that the spool has */
	uint32_t serial; /* of the latest ring in the spool */
	struct clock_map *clock;
	uint64_t zero, watermark, slack, skew, operation, transfer; /* in units of the clock */
	size_t drained;                                             /* bytes, since the last wait */
	uint32_t files; /* files that the directory has been searched for */
	struct doorbell doorbell;
	struct packet_pipe packets;
	int wait_ms;
	uint8_t flags; /* of all records */
	bool per_thread;
	uint32_t ended[COLLECTOR_ENDED_MAX];
	size_t ended_count;
	struct error error;
};

/* Returns the difference of two counters, which a process may have damaged. */
static inline uint64_t collector_excess(uint64_t a, uint64_t b)
{
	return a > b && a - b <= UINT32_MAX ? a - b : 0;
}

/* collector_spool.c: entries of the spool */

/* Converts the entries of the spool. All entries that follow are converted at once. */
int collector_convert_spool(struct collector *c);
/* Spools new processes before any entry that refers to them. */
int collector_spool_processes(struct collector *c);
int collector_spool_program(struct collector *c, uint32_t process, const char *program);
/* ev->rec.file: the serial number of its ring */
int collector_spool_event(struct collector *c, const struct iot_event *ev);
/* Declares that what has been gathered is complete up to the watermark. */
int collector_spool_step(struct collector *c);
/* Appends an entry, or converts it if the spool is full. */
int collector_spool_entry(struct collector *c, const struct spool_entry *e, const void *data);

/* collector_events.c: events of the trace */

/* Adds an event of the collector itself, which no earlier event may follow. */
int collector_add(struct collector *c, struct iot_event ev);
int collector_add_loss(struct collector *c, const struct ring *r, enum ring_loss why,
		       uint64_t records);
int collector_add_damage(struct collector *c, uint32_t process);
/* Adds ring records of a process that are in no ring. */
int collector_add_records(struct collector *c, uint32_t process, const unsigned char *data,
			  size_t n);
/* Expects the child that a record of a process announces, if it announces one. */
void collector_note_child(struct collector *c, uint32_t parent, const void *record, size_t n);
/* Expects the children that events of a process announce. */
void collector_note_children(struct collector *c, uint32_t parent, const struct iot_event *ev,
			     size_t n);
struct ring_decoder collector_decoder(struct collector *c, struct ring_user user);
/* Copies all events, so that rings can be released. */
int collector_copy_events(struct collector *c);
/* Returns the bytes of all rings whose events have been copied or written. */
void collector_release_rings(struct collector *c);

/* collector_directory.c: files of the recording */

/* What to do with files whose names begin with a prefix; the last of a list has none. */
struct collector_files {
	const char *prefix;
	void (*found)(struct collector *c, const char *name);
};
/*
 * Calls the functions of a list in its order, for each file in the directory of the recording.
 * Returns IOT_OK, or the status after storing the error.
 */
int collector_read_files(struct collector *c, const struct collector_files *files);
/* The files "process.PID.START" and "spare.PID.NUMBER" */
void collector_join_process(struct collector *c, const char *name);
void collector_join_spare(struct collector *c, const char *name);
/* Stores the name of a ring that the collector has opened. */
void collector_taken_name(char name[32], uint32_t serial);
int collector_read_directory(struct collector *c);
/* Reads the directory if files were added since the last time. */
int collector_find_rings(struct collector *c);

/* collector_drain.c: the contents of rings */

/*
 * Decodes the records of a ring. Those that start at `until` or later stay in it if they are in
 * order and at most max_left bytes; until 0: none stay.
 */
int collector_drain(struct collector *c, struct ring *r, uint64_t until, size_t max_left);
int collector_spool_rings(struct collector *c);
/* Returns the watermark, or the start of an unfinished call of the ring if that is earlier. */
uint64_t collector_oldest(const struct collector *c, const struct ring *r, uint64_t watermark);

/* collector_packets.c: the pipe of RECORD_PACKETS */

int collector_drain_packets(struct collector *c);
/* Returns the watermark, or the earliest mark of a process that has not sent all. */
uint64_t collector_oldest_unsent(struct collector *c, uint64_t watermark);
int collector_report_unsent(struct collector *c, uint32_t index);

/* collector_end.c: the end of processes */

/* Called after the rings have been drained since the process ended. */
int collector_report_end(struct collector *c, uint32_t index);
/*
 * Removes the files of a process whose end has been reported, and is in the spool if there is one.
 */
void collector_release_process(struct collector *c, uint32_t index);

#endif
