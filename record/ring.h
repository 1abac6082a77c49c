/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface between traced programs, which contain libiotrace-record.so, and the collector.
 *
 * A recording is a directory of mode 0700. RECORD_VARIABLE names it in the environment of traced
 * programs. It contains:
 *
 *   recording            struct record_control, then slots of struct record_description; with
 *                        RECORD_SYSCALLS then tables of struct record_sites, each at a multiple of
 *                        8
 *   process.PID.START    struct record_process; START: field 22 of /proc/PID/stat; in another PID
 *                        namespace than the collector's, exclusive or its inode times 2^32, as
 *                        processes of several namespaces have one PID and may start together
 *   ring.NUMBER          struct record_ring, then the data of the ring
 *   packets              a pipe, with RECORD_PACKETS
 *   event.PID.NUMBER     one ring record of a process, with RECORD_PACKETS
 *   library.PID.NUMBER   the path of a library, the sites of which a process asks for
 *   spare.PID.NUMBER     struct record_process or struct record_ring, for later children
 *
 * The collector creates `recording` before it starts the program, and reserves space for its
 * beginning (posix_fallocate), as a program that touches a page without space is killed; processes
 * reserve more of it as they need it. A process stores the `magic` of its file and of its rings
 * when the header is complete, then increments `files`; a scan leaves files without it for the next
 * time. A process creates other files under names that begin with "new." and renames them when they
 * are complete. The file of a process appears before its rings, and remains the same when the
 * process calls exec. The collector may unlink a ring as soon as it has mapped it, and the file of
 * a process when the process has ended; a process that is killed before leaves incomplete files.
 *
 * A process whose user, root or namespaces change makes spare files before, as it and its children
 * may be unable to make any later. They share the mappings: one claims a spare by an atomic change
 * of `state` or `tid`, stores its own pid and, as the last member, `start`, and increments `files`.
 * The collector gives the file of a claimed process its usual name, and removes spares when the
 * maker and its descendants have ended.
 *
 * With RECORD_PACKETS the data of a ring is in private memory of its process, and the file has the
 * header only. The process sends transfers, opens, closes and its start through the pipe, as
 * packets of the procstat format, whose tick is 1 ns. Other ring records about processes are in
 * files that appear as files of rings do; the collector removes them. Operations are counted.
 *
 * Times are values of the clock that record_control names: nanoseconds of CLOCK_MONOTONIC, or ticks
 * of the processor's time stamp counter, which the collector converts with samples of its own. CPU
 * times are nanoseconds of the process. Integers have the byte order of the machine. Descriptions
 * are numbered from 1 in the whole recording; 0 is none.
 *
 * The collector trusts nothing here: a traced program can write to all of it.
 */
#ifndef RECORD_RING_H
#define RECORD_RING_H

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_VARIABLE "IOTRACE_RECORDING"

enum {
	RECORD_VERSION = 26,
	RECORD_LINE = 64,          /* bytes of a cache line */
	RECORD_PAGE = 4096,        /* size of every header; a ring's data and the slots follow it */
	RECORD_RING_MIN = 1 << 16, /* bytes of data of a ring, a power of two */
	RECORD_RING_MAX = 1 << 26,
	RECORD_SLOTS = 1 << 14,      /* capacity for descriptions with a shared position */
	RECORD_SLOTS_STEP = 1 << 10, /* slots that get memory together */
	RECORD_TABLES = 1 << 20,     /* bytes for tables, of which few have memory */
	RECORD_SIZE_MAX = 1 << 14,   /* bytes of a record, a multiple of 8 */
	RECORD_TEXT_MAX = 4096,      /* bytes of each text of a record, with its NUL */
	RECORD_NOTES = 3072,         /* bytes of the records in the file of a process */
};

#define RECORD_CONTROL_MAGIC UINT64_C(0x314c52544e4f4352) /* "RCONTRL1" */
#define RECORD_PROCESS_MAGIC UINT64_C(0x31434f5250434552) /* "RECPROC1" */
#define RECORD_RING_MAGIC    UINT64_C(0x31474e4952434552) /* "RECRING1" */

enum record_clock { RECORD_MONOTONIC, RECORD_TSC };
enum record_cpu { RECORD_CPU_SAMPLED, RECORD_CPU_EXACT, RECORD_CPU_NONE };
enum record_stdio { RECORD_STDIO_TRANSFERS, RECORD_STDIO_CALLS, RECORD_STDIO_OFF };
enum record_full { RECORD_BLOCK, RECORD_DROP };
/* calls of libc; system calls; these also where a signal has to show them */
enum record_seen { RECORD_CALLS, RECORD_SYSCALLS, RECORD_TRAPS };
enum record_transport { RECORD_RINGS, RECORD_PACKETS };

/* The settings of a recording, and what its processes share. The collector creates it. */
struct record_control {
	uint64_t magic; /* RECORD_CONTROL_MAGIC */
	uint32_t version;
	uint32_t ring_size;        /* bytes of data of each ring, a power of two */
	uint8_t clock;             /* enum record_clock */
	uint8_t cpu;               /* enum record_cpu */
	uint8_t stdio;             /* enum record_stdio */
	uint8_t full;              /* enum record_full */
	uint8_t data_only;         /* 1: opens, closes and transfers, no other operations */
	uint8_t no_follow;         /* 1: only `leader` records */
	uint8_t per_thread;        /* 1: CPU times count for the thread, not for the process */
	uint8_t transport;         /* enum record_transport */
	uint8_t counts_operations; /* 1: count the other operations */
	uint8_t seen;              /* enum record_seen */
	uint8_t padding[6];
	uint32_t leader;    /* the pid of the first program; 0: any */
	uint64_t cpu_step;  /* RECORD_CPU_SAMPLED: age of a reading, in units of the clock; 1 ms */
	uint64_t namespace; /* inode of the PID namespace of the collector; 0: unknown */
	uint64_t proc;      /* the device that the collector's /proc is; 0: unknown */

	/*
	 * Written by the collector. A process that waits for a full ring gives up if the collector
	 * has ended, or if the heartbeat (CLOCK_MONOTONIC, ns) is older than RECORD_STALL_MAX; in
	 * another PID namespace, where it cannot see the collector, than RECORD_HEARTBEAT_MAX. From
	 * then on it drops records until the heartbeat is recent.
	 */
	_Alignas(64) _Atomic uint64_t heartbeat;
	_Atomic uint32_t collector; /* its pid */
	_Atomic uint32_t closed;    /* 1: the recording has ended; processes stop recording */
	_Atomic uint32_t searched;  /* the number in `files` up to which it has opened rings */
	_Atomic uint32_t tables;    /* bytes of tables that are complete */

	/* Written by processes, with atomic additions; the first value used is 1. */
	_Alignas(64) _Atomic uint32_t descriptions; /* numbers of descriptions assigned so far */
	_Atomic uint32_t rings;                     /* numbers of rings and events */
	_Atomic uint32_t slots;                     /* where the search for a free slot begins */
	_Atomic uint32_t slots_ready;               /* slots that have memory */
	_Atomic uint32_t renames;                   /* counts calls that may rename directories */
	_Atomic uint32_t files;  /* counts files that appeared in the directory */
	_Atomic uint32_t makers; /* processes that made spare files */

	/*
	 * A futex (shared, not private), which a process increments and wakes when one of its rings
	 * has become half full. The collector may sleep on it.
	 */
	_Alignas(64) _Atomic uint32_t doorbell;
};

#define RECORD_HEARTBEAT_MAX UINT64_C(1000000000)
#define RECORD_STALL_MAX     UINT64_C(20000000000)

/*
 * An open file description. Processes use it to share positions across fork and exec; the collector
 * ignores it.
 */
struct record_description {
	_Atomic uint32_t number;     /* 0: the slot is free */
	_Atomic uint32_t references; /* descriptors in all processes; 0: free, yet still found */
	_Atomic int64_t position;
	uint64_t device, inode;
	_Atomic uint32_t flags;   /* of open */
	_Atomic uint32_t shared;  /* 1: several processes may use the position */
	_Atomic uint64_t holder;  /* the pid that last passed it to a program or a child */
	_Atomic uint32_t resyncs; /* how often the position was set to the kernel's */
	uint32_t padding[3];
};

/* Counters of a process: I/O that becomes no record. The second column is the name in %counter. */
#define RECORD_COUNTERS(X)                                                                         \
	X(PIPE_CALLS, "skipped.pipe.calls")                                                        \
	X(PIPE_READ, "skipped.pipe.read_bytes")                                                    \
	X(PIPE_WRITTEN, "skipped.pipe.written_bytes")                                              \
	X(SOCKET_CALLS, "skipped.socket.calls")                                                    \
	X(SOCKET_READ, "skipped.socket.read_bytes")                                                \
	X(SOCKET_WRITTEN, "skipped.socket.written_bytes")                                          \
	X(TERMINAL_CALLS, "skipped.terminal.calls")                                                \
	X(TERMINAL_READ, "skipped.terminal.read_bytes")                                            \
	X(TERMINAL_WRITTEN, "skipped.terminal.written_bytes")                                      \
	X(DEVICE_CALLS, "skipped.device.calls")                                                    \
	X(DEVICE_READ, "skipped.device.read_bytes")                                                \
	X(DEVICE_WRITTEN, "skipped.device.written_bytes")                                          \
	X(MEMFD_CALLS, "skipped.memfd.calls")                                                      \
	X(MEMFD_READ, "skipped.memfd.read_bytes")                                                  \
	X(MEMFD_WRITTEN, "skipped.memfd.written_bytes")                                            \
	X(OTHER_CALLS, "skipped.other.calls")                                                      \
	X(OTHER_READ, "skipped.other.read_bytes")                                                  \
	X(OTHER_WRITTEN, "skipped.other.written_bytes")                                            \
	/* of the bytes above and of records: those that /proc/PID/io does not count */            \
	X(UNCOUNTED_READ, "uncounted.read_bytes")                                                  \
	X(UNCOUNTED_WRITTEN, "uncounted.written_bytes")                                            \
	X(LOADER, "hidden.loader") /* bytes read before the library started */                     \
	X(MMAP, "hidden.mmap")     /* mappings of files */                                         \
	X(URING_RINGS, "hidden.io_uring_rings")                                                    \
	X(URING_CALLS, "hidden.io_uring") /* io_uring_enter */                                     \
	X(URING_REQUESTS, "hidden.io_uring_requests")                                              \
	X(STDIO_CALLS, "hidden.stdio")     /* stream operations without a record */                \
	X(STDIO_JOINED, "joined.stdio")    /* records that may join several system calls */        \
	X(AIO_LATE, "late.aio")            /* completions whose true time is unknown */            \
	X(AIO_HIDDEN, "hidden.aio")        /* asynchronous requests without a record */            \
	X(PASSED, "unseen.passed")         /* descriptors received in messages */                  \
	X(NAMESPACES, "hidden.namespaces") /* setns, unshare, chroot */                            \
	X(LOADED, "hidden.dlmopen")        /* libraries in other namespaces */                     \
	X(GO, "hidden.go")                 /* programs and libraries of Go, which bypass libc */   \
	X(COPIES, "unseen.copies")         /* tee, vmsplice, process_vm_readv and _writev */       \
	X(AMBIGUOUS, "ambiguous")          /* records whose offset was disputed by another call */ \
	X(RESYNCED, "position.resynced")   /* positions that differed from the kernel's */         \
	X(FALLBACK, "unseen.syscalls")     /* the program: none of its calls was seen */           \
	X(SITES, "unseen.sites")           /* places in libraries that could not be changed */     \
	X(CHANGED, "unseen.changed")       /* places that others had changed */                    \
	X(FAR, "unseen.far")               /* places that are too far away */                      \
	X(LIBRARIES, "unseen.libraries")   /* whose system calls are not known */                  \
	X(CODE, "hidden.code")             /* times that other memory became code          */      \
	/* by such code: bytes that the kernel counted but nobody recorded; the collector's */     \
	X(CODE_BYTES, "unseen.code")                                                               \
	/* the collector sets it if the process ended, but not by a call that it saw */            \
	X(EXITS, "unseen.exits")                                                                   \
	X(UNRECORDED, "unrecorded")        /* calls that no ring was available for */              \
	X(PROGRAMS, "unrecorded.programs") /* that cannot record, without a record of their own */ \
	X(OPERATIONS, "unsent.operations") /* that packets cannot carry */                         \
	X(OFFSETS, "unsent.offsets")       /* transfers whose offset is unknown, likewise */

enum record_counter {
#define X(name, text) RECORD_COUNTER_##name,
	RECORD_COUNTERS(X)
#undef X
	    RECORD_COUNTER_COUNT,
};

enum record_process_state {
	RECORD_RUNNING,
	RECORD_EXECUTING, /* calls exec; running again when the new program has the library, too */
	RECORD_FINISHED,  /* exit was called and its record is in a ring */
	RECORD_SPARE,     /* no process has claimed the file */
};

/*
 * A process. Readable after its death; its counters survive a kill. Names and relations are in its
 * RECORD_START.
 */
struct record_process {
	uint64_t magic; /* RECORD_PROCESS_MAGIC */
	uint32_t version;
	uint32_t pid;
	uint64_t start; /* field 22 of /proc/PID/stat, another number without /proc; 0: a spare */
	uint64_t namespace; /* inode of its PID namespace; 0: the same as the collector */
	uint32_t parent;
	uint32_t forked;           /* 1: a child of fork, which runs its parent's program; else 0 */
	_Atomic uint32_t state;    /* enum record_process_state */
	_Atomic uint32_t programs; /* programs with the library that ran in this process so far */
	/*
	 * at the latest exec: bytes that the program and the library had read, reads of the library
	 */
	uint64_t executed_rchar, own_bytes, own_reads, own_writes, own_written;
	_Atomic uint64_t rings; /* that it created */
	_Alignas(64) _Atomic uint64_t counter[RECORD_COUNTER_COUNT];
	/*
	 * RECORD_PACKETS: ring records that packets cannot carry, from a process that must not make
	 * files; those in [0, noted) are complete.
	 */
	_Atomic uint32_t noted;
	_Alignas(8) unsigned char note[RECORD_NOTES];
};

/*
 * A ring has one producer, a thread, and one consumer. head and tail count bytes and never wrap;
 * byte n is at n % size. Records begin at multiples of 8, and may continue at the beginning of the
 * data: map the data twice in succession, and every record is contiguous.
 *
 * The producer writes a record and then stores head (release). The consumer loads head (acquire),
 * reads [tail, head) and stores tail (release). Records are in order of their publication, thus of
 * their ends as far as the thread calls; a call that a signal handler interrupted follows the calls
 * of the handler.
 *
 * in_flight: before a call the producer stores a time that is not after its start, and after the
 * record of the call is published, 0. The time is odd if the call is an operation without data,
 * such as flock, which may take hours: the collector waits for it a limited time, and its record
 * may come late. The time of a transfer is even. The collector reads the clock, issues
 * membarrier(2) (MEMBARRIER_CMD_GLOBAL; or allows 1 ms), and then loads in_flight and after it head
 * of each ring: no record that is published later starts before the minimum of that time and all
 * in_flight that are not 0. A process that is stopped in a transfer holds the watermark back, for a
 * limited time. If the process has died, in_flight != 0 is one lost call.
 *
 * If a ring is full and the recording blocks, the producer stores waiting = 1, and waits on the
 * futex `wake` (shared) until there is space. The consumer, after it has stored tail, executes
 * atomic_thread_fence(seq_cst); if waiting is 1, it stores 0 there, increments wake and wakes one.
 *
 * A program may remove the file of a ring, and the collector may be unable to open it: the producer
 * does not wait if the collector has searched the directory since, and has not opened the ring. A
 * program may also overwrite the header: the collector stores its tail, and a producer that waits
 * its head, again and again.
 */
struct record_ring {
	uint64_t magic; /* RECORD_RING_MAGIC */
	uint32_t version;
	uint32_t size; /* bytes of data */
	uint32_t pid;
	_Atomic uint32_t tid;
	uint64_t start;              /* as in struct record_process */
	_Atomic uint32_t generation; /* threads that used the ring, one after the other */
	_Atomic uint32_t ended;      /* 1: the thread has ended; another may continue the ring */
	_Atomic uint32_t number;     /* its number in `files` */

	_Alignas(64) _Atomic uint64_t head;
	_Atomic uint64_t in_flight;
	_Atomic uint64_t dropped;        /* transfers */
	_Atomic uint64_t dropped_bytes;  /* of these */
	_Atomic uint64_t dropped_others; /* opens, operations and starts */
	_Atomic uint32_t waiting;
	/* RECORD_PACKETS: ring records that are sent or will be; those that are no transfers */
	_Atomic uint64_t made, made_others;

	_Alignas(64) _Atomic uint64_t tail;
	_Atomic uint32_t wake;
	_Atomic uint32_t opened; /* 1: the collector has the ring */
};

enum record_kind {
	RECORD_TRANSFER = 1,
	RECORD_OPEN,
	RECORD_OPERATION,
	RECORD_THREAD,
	RECORD_START,
	RECORD_CHILD,
	RECORD_EXIT,
	RECORD_SKIP,
};

struct record_head {
	uint16_t size;        /* of the record, in bytes, a multiple of 8 */
	uint8_t kind;         /* enum record_kind */
	uint8_t code;         /* depends on the kind */
	uint32_t description; /* 0: none, or unknown */
};

/* A completed transfer of a regular file or a block device. */
struct record_transfer {
	struct record_head head; /* code: bits of enum record_transfer_bits */
	int64_t offset;          /* RECORD_OFFSET_UNKNOWN: not known */
	uint64_t length;
	uint64_t start, end;
	uint64_t cpu; /* at the start; 0 with RECORD_CPU_NONE */
};

enum record_transfer_bits {
	RECORD_WRITE = 1,
	RECORD_ASYNC = 2,  /* start: submission; end: when the program learned of completion */
	RECORD_STREAM = 4, /* by a stream: may join several system calls (RECORD_STDIO_TRANSFERS),
			       * or is the call of the stream itself (RECORD_STDIO_CALLS) */
	RECORD_AMBIGUOUS = 8, /* other calls moved the same position at that time */
};

#define RECORD_OFFSET_UNKNOWN INT64_MIN

/*
 * Codes of RECORD_OPERATION and RECORD_OPEN, with the name in %op. RECORD_OP_FOUND is not an
 * operation: a process found a description that was open before, or that was inherited.
 */
#define RECORD_OPS(X)                                                                              \
	X(FOUND, "")                                                                               \
	X(OPEN, "open")                                                                            \
	X(CREATE, "create")                                                                        \
	X(CLOSE, "close")                                                                          \
	X(STAT, "stat")                                                                            \
	X(ACCESS, "access")                                                                        \
	X(UNLINK, "unlink")                                                                        \
	X(RMDIR, "rmdir")                                                                          \
	X(RENAME, "rename")                                                                        \
	X(LINK, "link")                                                                            \
	X(SYMLINK, "symlink")                                                                      \
	X(READLINK, "readlink")                                                                    \
	X(MKDIR, "mkdir")                                                                          \
	X(MKNOD, "mknod")                                                                          \
	X(CHMOD, "chmod")                                                                          \
	X(CHOWN, "chown")                                                                          \
	X(UTIME, "utime")                                                                          \
	X(STATFS, "statfs")                                                                        \
	X(READDIR, "readdir")                                                                      \
	X(XATTR, "xattr")                                                                          \
	X(TRUNCATE, "truncate")                                                                    \
	X(ALLOCATE, "allocate")                                                                    \
	X(FSYNC, "fsync")                                                                          \
	X(SYNC, "sync")                                                                            \
	X(MSYNC, "msync")                                                                          \
	X(MMAP, "mmap")                                                                            \
	X(ADVISE, "advise")                                                                        \
	X(READAHEAD, "readahead")                                                                  \
	X(LOCK, "lock")                                                                            \
	X(SEEK, "seek")                                                                            \
	X(CLONE, "clone")                                                                          \
	X(EXEC, "exec")                                                                            \
	X(CHDIR, "chdir")                                                                          \
	X(EXCHANGE, "exchange")

enum record_op {
#define X(name, text) RECORD_OP_##name,
	RECORD_OPS(X)
#undef X
	    RECORD_OP_COUNT,
};

/*
 * A descriptor was opened or found. head.description is 0 if the open failed, or if the descriptor
 * is neither a regular file, a block device nor a directory. The text is the path, absolute where
 * the working directory is known, not normalized: "/dir/../file" if the program passed
 * "../file" in /dir.
 */
struct record_open {
	struct record_head head; /* code: enum record_op */
	uint64_t start, end;
	uint64_t device, inode; /* st_dev and st_ino, with `birth` the identity of the file */
	int64_t birth;          /* ns since 1970; 0: the file system has none */
	int64_t size;           /* after the open; -1: unknown, or not a regular file */
	int32_t result;         /* the descriptor, or -errno */
	uint16_t mode;          /* st_mode; 0: unknown */
	uint16_t text_size;     /* with its NUL */
	uint32_t flags;         /* of open, or of F_GETFL */
	uint32_t padding;
	char text[];
};

/* An operation without data. */
struct record_operation {
	struct record_head head; /* code: enum record_op */
	uint64_t start, end;
	int64_t size;   /* that RECORD_OP_TRUNCATE gives the file; RECORD_OP_SEEK: sum of times */
	int32_t result; /* 0, or -errno; RECORD_OP_SEEK: the number of calls */
	uint16_t text_size; /* of the path, with its NUL; 0: no path */
	uint16_t to_size;   /* of the second path, which follows; 0: none */
	char text[];
};

/*
 * RECORD_OP_EXEC is published before the call, with result 0, or why the new program is not going
 * to record: enum record_exec. If the call fails, a second one with the error follows. If it
 * succeeds and the new program has the library, a RECORD_START of the same process follows in
 * another ring. The text is the path of the program.
 */
enum record_exec {
	RECORD_EXEC_CLEARED = 1, /* its environment lacks the library */
	RECORD_EXEC_SECURE,      /* real and effective ids differ: it ignores LD_PRELOAD */
	RECORD_EXEC_USER,        /* it runs as a user who must not open the recording */
	RECORD_EXEC_NAMESPACE, /* its root or mount namespace lacks the library or the recording */
};

/*
 * Another thread begins to use this ring; the first record of a ring is one. So does a child of
 * vfork, until the thread that waits for it continues.
 */
struct record_thread {
	struct record_head head; /* code: enum record_thread_code */
	uint64_t time;
	uint32_t tid; /* or the pid of the child */
	uint32_t padding;
};

enum record_thread_code {
	RECORD_THREAD_OF_PROCESS,
	RECORD_THREAD_VFORKED, /* the child */
};

/* A program started (code 0), or a child of fork recorded its first call (code 1). */
struct record_start {
	struct record_head head;
	uint64_t time, cpu;
	uint32_t pid, parent;
	int64_t rank;          /* -1: none */
	uint64_t rchar, wchar; /* of /proc/self/io then, without the library's own */
	uint64_t loader;       /* bytes that were read before the library of this program started */
	uint32_t command_size; /* of the arguments, each with its NUL */
	uint32_t directory_size; /* of the working directory, with its NUL; follows the command */
	char text[];
};

/* A child was created. A child of vfork may be recorded several times, once with its program. */
struct record_child {
	struct record_head head; /* code: enum record_child_code */
	uint64_t time;
	uint32_t pid;
	uint16_t text_size; /* of the program's path, with its NUL; 0: unknown */
	uint16_t why;       /* 0, or why the program is not going to record: enum record_exec */
	char text[];
};

enum record_child_code {
	RECORD_FORK,        /* fork, clone: the child has the parent's program */
	RECORD_VFORK,       /* the child is going to call exec, or _exit */
	RECORD_SPAWN,       /* posix_spawn: the child runs another program */
	RECORD_EXEC_FAILED, /* ... of vfork: it could not run the program that was recorded */
};

/*
 * The process is about to end. The counters come from /proc/self/io, without the library's own
 * reads.
 */
struct record_exit {
	struct record_head head;
	uint64_t time, cpu;
	uint64_t rchar, wchar, syscr, syscw, read_bytes, write_bytes;
	/* read and written by the library: the parent's counters will include them */
	uint64_t own_bytes, own_written;
};

/*
 * Bytes without a meaning, so that the next record begins at the beginning of the data, in memory
 * that has been used before.
 */
struct record_skip {
	struct record_head head; /* its size is the size of this structure */
	uint64_t bytes;          /* from the head on, a multiple of 8 */
};

enum {
	RECORD_TABLES_AT = RECORD_PAGE + RECORD_SLOTS * (int)sizeof(struct record_description),
	RECORD_SHARED_SIZE = RECORD_TABLES_AT + RECORD_TABLES, /* bytes of `recording` */
};

static_assert(sizeof(struct record_control) <= RECORD_PAGE, "one page");
static_assert(sizeof(struct record_process) <= RECORD_PAGE, "one page");
static_assert(sizeof(struct record_ring) == 3 * RECORD_LINE, "three cache lines");
static_assert(sizeof(struct record_description) == RECORD_LINE, "one cache line");
static_assert(sizeof(struct record_head) == 8, "8 bytes");
static_assert(sizeof(struct record_transfer) == 48, "48 bytes");
static_assert(offsetof(struct record_open, text) == 72, "no hidden padding");
static_assert(offsetof(struct record_operation, text) == 40, "no hidden padding");
static_assert(offsetof(struct record_start, text) == 72, "no hidden padding");
static_assert(offsetof(struct record_child, text) == 24, "no hidden padding");
static_assert(sizeof(struct record_exit) == 88, "no hidden padding");
static_assert(sizeof(struct record_skip) == 16, "no hidden padding");
static_assert(sizeof(struct record_open) + RECORD_TEXT_MAX <= RECORD_SIZE_MAX, "fits");
static_assert(sizeof(struct record_operation) + 2 * RECORD_TEXT_MAX <= RECORD_SIZE_MAX, "fits");
static_assert(ATOMIC_LLONG_LOCK_FREE == 2 && ATOMIC_INT_LOCK_FREE == 2, "shared by processes");

#endif
