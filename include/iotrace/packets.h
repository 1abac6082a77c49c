/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libiotrace: packets of I/Os, sent by the traced processes themselves through a pipe that they
 * share, to `iotrace procstat`; see iot_packets(3). In outline, for one process:
 *
 *	struct iot_sender *s = iot_sender_new();
 *	int status = s ? iot_sender_open(s, "/tmp/fifo", "myprogram") : IOT_ENOMEM;
 *	...
 *	struct iot_flight f;
 *	iot_sender_begin(s, &f);
 *	ssize_t n = pread(fd, buffer, size, offset);
 *	struct iot_record r = {.type = IOT_LOGICAL, .file = 1, .offset = offset, .length = n};
 *	iot_sender_end(s, &f, n >= 0 ? &r : NULL);
 *	...
 *	iot_sender_exit(s, 0);
 *	iot_sender_free(s);
 *
 * I/Os on one file are gathered and sent together, all files every so many I/Os. One write(2) for
 * each packet, no memory asked for after open, one lock: a sender may be used by all threads of its
 * process at once, but not in signal handlers.
 *
 * Nothing here fails the traced program: a call on a sender that has failed, or is not open, does
 * nothing but return its status again. A pipe that nobody reads is IOT_EIO, without SIGPIPE.
 */
#ifndef IOTRACE_PACKETS_H
#define IOTRACE_PACKETS_H

#include <iotrace/iotrace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct iot_sender;

/* Settings, to be made before open */
enum iot_sender_option {
	IOT_SEND_PROCESS = 1, /* processId: that of getpid(2) */
	IOT_SEND_PARENT,      /* processId of the parent: that of getppid(2); 0: not known */
	IOT_SEND_FILES,       /* files whose I/Os are gathered at a time, 1 .. 65536: 32 */
	IOT_SEND_FLUSH,       /* I/Os until all files are sent: 100000 */
	IOT_SEND_FLUSH_NS,    /* ... or time, where an I/O ends later: 0, no limit */
	IOT_SEND_TICK_PS,     /* length of a tick in picoseconds, the same for all: 1000 */
	IOT_SEND_DROP,        /* 1: a packet for which the pipe has no room is dropped; 0: waits */
	IOT_SEND_PHYSICAL,    /* 1: sends records of disks, whose type lacks IOT_LOGICAL; 0:
				 iot_sender_end refuses them */
};

/* What a sender has done */
enum iot_sender_fact {
	IOT_SENT_PACKETS = 1, /* dropped ones too: the next sequence number */
	IOT_SENT_RECORDS,
	IOT_SENT_DROPPED, /* packets */
};

/*
 * Nanoseconds of a wall clock that all processes of a stream share, and of the process's CPU clock.
 * The wall clock must not go back.
 */
typedef void iot_clock_fn(void *context, int64_t *wall_ns, int64_t *cpu_ns);

/* An I/O under way, in the caller's memory. No mark is later than the oldest one's start. */
struct iot_flight {
	int64_t start_ns, cpu_ns;
	/* Not for the caller */
	struct iot_flight *next, *previous;
	uint64_t life;
};

/* NULL only when out of memory. */
IOT_API struct iot_sender *iot_sender_new(void);
/* Sends nothing: see iot_sender_exit. Closes what open opened. NULL is fine. */
IOT_API void iot_sender_free(struct iot_sender *s);
/* IOT_EUSAGE: no such setting, a value out of range, or open already. */
IOT_API int iot_sender_set(struct iot_sender *s, enum iot_sender_option option, uint64_t value);
/*
 * Instead of CLOCK_MONOTONIC and CLOCK_PROCESS_CPUTIME_ID. epoch_ns: nanoseconds since 1970 at the
 * clock's zero; 0: not known. fn is called under the sender's lock.
 */
IOT_API int iot_sender_on_clock(struct iot_sender *s, iot_clock_fn *fn, void *context,
				int64_t epoch_ns);

/*
 * Opens the pipe (for a FIFO: waits until somebody reads it) and sends the start packet. `program`
 * is the program's name. A descriptor stays the caller's; with IOT_SEND_DROP it has to be
 * O_NONBLOCK.
 */
IOT_API IOT_USE_RESULT int iot_sender_open(struct iot_sender *s, const char *path,
					   const char *program);
IOT_API IOT_USE_RESULT int iot_sender_open_fd(struct iot_sender *s, int fd, const char *program);

/*
 * Around each I/O. begin reads the clocks; end sends the record, whose start, duration, CPU clock
 * and process need not be set, or with NULL forgets the I/O (it failed). IOT_EUSAGE: the type of the
 * record lacks IOT_LOGICAL, and IOT_SEND_PHYSICAL is 0; the sender then works on. Each flight that
 * begins has to end.
 */
IOT_API int iot_sender_begin(struct iot_sender *s, struct iot_flight *f);
IOT_API int iot_sender_end(struct iot_sender *s, struct iot_flight *f,
			   const struct iot_record *rec);

/* A number for a file that is being opened: 1, 2, ... */
IOT_API uint32_t iot_sender_file(struct iot_sender *s);
/* These end a flight, too. flags: of open(2); created: 1 if the file was not there before. */
IOT_API int iot_sender_opened(struct iot_sender *s, struct iot_flight *f, uint32_t file,
			      const char *path, uint64_t flags, int created);
IOT_API int iot_sender_closed(struct iot_sender *s, struct iot_flight *f, uint32_t file);

/* Sends what has been gathered, and a mark: before exec, when idle. */
IOT_API int iot_sender_flush(struct iot_sender *s);
/* The last packets of a process. From then on nothing is sent. */
IOT_API int iot_sender_exit(struct iot_sender *s, int status);

/*
 * Around fork(2), for pthread_atfork(3). before takes the lock, which the others release. The child
 * forgets what its parent had gathered, and sends its start packet; the parent waits for that, for
 * a second at the most. process: the child's processId; 0: that of getpid(2).
 */
IOT_API void iot_sender_before_fork(struct iot_sender *s);
IOT_API void iot_sender_after_fork_parent(struct iot_sender *s);
IOT_API void iot_sender_after_fork_child(struct iot_sender *s, uint32_t process);

IOT_API uint64_t iot_sender_fact(struct iot_sender *s, enum iot_sender_fact fact);
/* What went wrong first, in a sentence; "" if nothing did. */
IOT_API const char *iot_sender_error(struct iot_sender *s);

#ifdef __cplusplus
}
#endif

#endif
