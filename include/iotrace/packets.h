/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libiotrace: I/O packets that traced processes send through a shared pipe to `iotrace procstat`;
 * see iot_packets(3). In outline, for one process:
 *
 *	struct iot_sender *s = iot_sender_new();
 *	int status = s ? iot_sender_open(s, "/tmp/fifo", "myprogram") : IOT_ENOMEM;
 *	...
 *	struct iot_pending_io io;
 *	iot_sender_begin(s, &io);
 *	ssize_t n = pread(fd, buffer, size, offset);
 *	struct iot_record r = {.type = IOT_LOGICAL, .file = 1, .offset = offset, .length = n};
 *	iot_sender_end(s, &io, n >= 0 ? &r : NULL);
 *	...
 *	iot_sender_exit(s, 0);
 *	iot_sender_free(s);
 *
 * I/Os on one file are collected and sent together; all files are sent after IOT_SEND_FLUSH I/Os.
 * Each packet is one write(2). The sender allocates no memory after open. All threads of its
 * process may use it concurrently, and rarely wait for each other; signal handlers must not use it.
 *
 * The sender never makes the traced program fail: a call on a sender that has failed, or is not
 * open, only returns its status again. A pipe without a reader is IOT_EIO, without SIGPIPE.
 */
#ifndef IOTRACE_PACKETS_H
#define IOTRACE_PACKETS_H

#include <signal.h>
#include <sys/select.h> /* sigset_t, also in strict C */

#include <iotrace/iotrace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct iot_sender;

/* Settings, allowed before open only */
enum iot_sender_option {
	IOT_SEND_PROCESS = 1, /* processId (default: getpid(2)) */
	IOT_SEND_PARENT,      /* processId of the parent, 0 if unknown (default: getppid(2)) */
	/* files whose I/Os are collected at a time, 1 .. 65536 (default 32) */
	IOT_SEND_FILES,
	IOT_SEND_FLUSH, /* I/Os after which all files are sent (default 100000) */
	/*
	 * nanoseconds after which all files are sent, checked when an I/O ends; 0, the default: no
	 * limit
	 */
	IOT_SEND_FLUSH_NS,
	/* length of a tick in picoseconds, the same for all processes (default 1000) */
	IOT_SEND_TICK_PS,
	IOT_SEND_DROP, /* 1: drop a packet if the pipe is full; 0: wait (default 0) */
	/*
	 * 1: send records of disks, whose type lacks IOT_LOGICAL; 0: iot_sender_end rejects them
	 * (default 0)
	 */
	IOT_SEND_PHYSICAL,
	/*
	 * nanoseconds after which the process's CPU clock is read again; I/Os in between repeat its
	 * value, because reading it takes about 1 us (default 1000000); 0: it is read for each I/O
	 */
	IOT_SEND_CPU_NS,
};

/* Counters of a sender */
enum iot_sender_fact {
	IOT_SENT_PACKETS = 1, /* packets, including dropped ones: the next sequence number */
	IOT_SENT_RECORDS,
	IOT_SENT_DROPPED, /* packets */
};

/*
 * Stores the nanoseconds of a wall clock that all processes of a stream share, and of the process's
 * CPU clock. The wall clock must not go backwards.
 */
typedef void iot_clock_fn(void *context, int64_t *wall_ns, int64_t *cpu_ns);

/*
 * An I/O in progress, in the caller's memory. No watermark is later than the start of the oldest
 * one.
 */
struct iot_pending_io {
	int64_t start_ns, cpu_ns;
	/* Private members */
	struct iot_pending_io *next, *previous;
	uint64_t generation;
};

/* Returns NULL if out of memory. */
IOT_API struct iot_sender *iot_sender_new(void);
/* Closes what open opened and sends nothing: see iot_sender_exit. NULL is ignored. */
IOT_API void iot_sender_free(struct iot_sender *s);
/*
 * Returns IOT_EUSAGE if the setting is unknown, the value out of range, or the sender already open.
 */
IOT_API int iot_sender_set(struct iot_sender *s, enum iot_sender_option option, uint64_t value);
/*
 * Replaces CLOCK_MONOTONIC and CLOCK_PROCESS_CPUTIME_ID. epoch_ns: nanoseconds since 1970 at the
 * clock's zero; 0 if unknown. Calls of fn do not overlap; it must not use the sender.
 */
IOT_API int iot_sender_on_clock(struct iot_sender *s, iot_clock_fn *fn, void *context,
				int64_t epoch_ns);

/*
 * Opens the pipe (for a FIFO, waits for a reader) and sends the start packet. `program` is the
 * program's name. A descriptor remains the caller's; with IOT_SEND_DROP it must be O_NONBLOCK.
 */
IOT_API IOT_USE_RESULT int iot_sender_open(struct iot_sender *s, const char *path,
					   const char *program);
IOT_API IOT_USE_RESULT int iot_sender_open_fd(struct iot_sender *s, int fd, const char *program);

/*
 * Enclose each I/O. begin reads the clocks; end sends the record, whose start, duration, CPU clock
 * and process need not be set, or with NULL discards the I/O (it failed). Returns IOT_EUSAGE if the
 * type of the record lacks IOT_LOGICAL and IOT_SEND_PHYSICAL is 0; the sender remains usable. Each
 * I/O that begins must end.
 */
IOT_API int iot_sender_begin(struct iot_sender *s, struct iot_pending_io *io);
IOT_API int iot_sender_end(struct iot_sender *s, struct iot_pending_io *io,
			   const struct iot_record *rec);

/* Returns a number for a file that is being opened: 1, 2, ... */
IOT_API uint32_t iot_sender_file(struct iot_sender *s);
/* These end an I/O, too. flags: of open(2); created: 1 if the file did not exist before. */
IOT_API int iot_sender_opened(struct iot_sender *s, struct iot_pending_io *io, uint32_t file,
			      const char *path, uint64_t flags, int created);
IOT_API int iot_sender_closed(struct iot_sender *s, struct iot_pending_io *io, uint32_t file);

/* Sends all collected I/Os and a watermark; call it before exec and when idle. */
IOT_API int iot_sender_flush(struct iot_sender *s);
/* Sends the last packets of a process; later calls send nothing. */
IOT_API int iot_sender_exit(struct iot_sender *s, int status);

/*
 * Call these around fork(2), for example with pthread_atfork(3). before_fork takes the lock, which
 * the other two release. The child discards the I/Os that its parent had collected, and sends its
 * start packet; the parent waits for that packet, for at most one second. process: the child's
 * processId; 0: the result of getpid(2).
 */
IOT_API void iot_sender_before_fork(struct iot_sender *s);
IOT_API void iot_sender_after_fork_parent(struct iot_sender *s);
IOT_API void iot_sender_after_fork_child(struct iot_sender *s, uint32_t process);

IOT_API uint64_t iot_sender_fact(struct iot_sender *s, enum iot_sender_fact fact);
/* Returns the first error as a sentence; "" if no error occurred. */
IOT_API const char *iot_sender_error(struct iot_sender *s);

/* Collector */

/*
 * Collects the packets of many processes from pipes into one file, as they arrive, and counts them.
 * Call new, open, add for each pipe, run, close, and free. As with a reader, the first error is
 * kept, and returned again by later calls.
 */
struct iot_collector;

enum { IOT_COLLECTOR_PIPES_MAX = 256 };

/* Counters of a collector */
enum iot_collector_fact {
	IOT_COLLECTED_PACKETS = 1, /* good packets, including duplicates */
	IOT_COLLECTED_RECORDS,
	IOT_COLLECTED_PROCESSES,
	IOT_COLLECTED_BYTES,   /* bytes written */
	IOT_COLLECTED_LOST,    /* packets that are missing */
	IOT_COLLECTED_EARLIER, /* packets sent before the collector appended to its file */
	IOT_COLLECTED_DAMAGED, /* bytes that are no packets; they are written, too */
	IOT_COLLECTED_DUPLICATES,
	IOT_COLLECTED_APPENDS, /* 1 if the file was not empty when it was opened */
};

/* Returns NULL if out of memory. */
IOT_API struct iot_collector *iot_collector_new(void);
/* Closes what open and add opened; the file keeps its contents. NULL is ignored. */
IOT_API void iot_collector_free(struct iot_collector *c);
/*
 * Opens the output, once. A file is locked and appended to; existing contents must be packets. A
 * descriptor remains the caller's.
 */
IOT_API IOT_USE_RESULT int iot_collector_open(struct iot_collector *c, const char *path);
IOT_API IOT_USE_RESULT int iot_collector_open_fd(struct iot_collector *c, int fd, const char *name);
/*
 * Adds a pipe, usually a FIFO, without waiting for a writer. keep: 1 keeps a FIFO open after its
 * writers have closed it, until `stop`. A descriptor is duplicated. Returns IOT_ELIMIT if there are
 * IOT_COLLECTOR_PIPES_MAX pipes.
 */
IOT_API IOT_USE_RESULT int iot_collector_add(struct iot_collector *c, const char *path, int keep);
IOT_API IOT_USE_RESULT int iot_collector_add_fd(struct iot_collector *c, int fd, const char *name);
/*
 * Runs until all writers have closed the pipes, or *stop is set and the contents of the pipes have
 * been read. Block the signals whose handlers set it, except in `waiting`, the mask while the
 * collector waits. Either may be NULL.
 */
IOT_API int iot_collector_run(struct iot_collector *c, const volatile sig_atomic_t *stop,
			      const sigset_t *waiting);
/*
 * Sets a function that run calls before it writes packets to an output that has `bytes` already.
 * It may call iot_collector_reopen, so that they begin another file. Returns IOT_OK, or a status
 * that ends the run.
 */
typedef int iot_collector_write_fn(void *context, struct iot_collector *c, uint64_t bytes);
IOT_API void iot_collector_before_write(struct iot_collector *c, iot_collector_write_fn *fn,
					void *context);
/* Completes the output as close does, and continues in another file, which is opened as by open. */
IOT_API IOT_USE_RESULT int iot_collector_reopen(struct iot_collector *c, const char *path);
/* Calls fsync(2) and closes the output. */
IOT_API IOT_USE_RESULT int iot_collector_close(struct iot_collector *c);
IOT_API uint64_t iot_collector_fact(const struct iot_collector *c, enum iot_collector_fact fact);
/* Returns the first error as a sentence; "" if no error occurred. */
IOT_API const char *iot_collector_error(const struct iot_collector *c);

#ifdef __cplusplus
}
#endif

#endif
