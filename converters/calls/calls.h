/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls whose arguments are numbers, as tracers of the kernel and of libraries record them, and
 * what they do to descriptors. A converter fills in struct call in the order of returns;
 * calls_run() tracks descriptors and emits records and directives. Each file uses only those above
 * it:
 *
 *     call_table.c   names of calls, and what each does
 *     callers.c      processes with their descriptors
 *     emit.c         events, and the account of lines
 *     slots.c        the description that a descriptor or a stream refers to
 *     transfers.c    calls that transfer bytes or set positions
 *     descriptors.c  calls that create, copy and close descriptors
 *     paths.c        calls that use names, and other operations
 *     calls.c        runs a call
 */
#ifndef CONVERTERS_CALLS_CALLS_H
#define CONVERTERS_CALLS_CALLS_H

#include "lib/base/idmap.h"

#include "converters/converter.h"
#include "converters/emit.h"
#include "converters/fdtable/fdtable.h"

/* Calls */

enum call_kind {
	CALL_NONE, /* without effect here */
	CALL_READ, /* at the position */
	CALL_WRITE,
	CALL_READ_AT,
	CALL_WRITE_AT,
	CALL_COPY, /* from a descriptor to another */
	CALL_SEEK,
	CALL_POSITION,
	CALL_OPEN,
	CALL_CREATE,
	CALL_OPEN_STREAM,
	CALL_CLOSE,
	CALL_CLOSE_RANGE,
	CALL_DUP,
	CALL_FCNTL,
	CALL_PIPE,
	CALL_SOCKET,
	CALL_SPECIAL, /* creates a descriptor that is neither file nor socket */
	CALL_MEMFD,
	CALL_MAP,
	CALL_HIDDEN, /* transfers bytes that no call shows */
	CALL_ON_FD,  /* an operation without data, on a descriptor */
	CALL_ON_PATH,
	CALL_UNLINK,
	CALL_RENAME,
	CALL_LINK,
	CALL_TRUNCATE,
	CALL_TRUNCATE_FD,
	CALL_CHDIR,
	CALL_FORK,
	CALL_EXEC,
	CALL_EXIT,
};

struct call_type {
	const char *names; /* separated by blanks */
	const char *op;    /* name of its %op */
	enum call_kind kind;
	bool stream; /* of stdio */
	bool asks;   /* CALL_HAS_COUNT is the maximum of the result */
};

/* A slot of the hash table of names. */
struct call_name {
	const struct call_type *type; /* NULL if free */
	const char *name;
	uint64_t head;
	size_t size;
};

enum { CALL_NAMES = 1 << 10 };

void call_types_init(struct call_name *table);
/* Returns NULL if the call is of no use here. */
const struct call_type *call_type_find(const struct call_name *table, const char *name,
				       size_t size);

/* What the source shows of a call. */
enum call_field {
	CALL_HAS_FD = 1,
	CALL_HAS_TO = 2, /* second descriptor */
	CALL_HAS_RESULT = 4,
	CALL_HAS_OFFSET = 8,
	CALL_HAS_COUNT = 16, /* bytes asked for */
	CALL_HAS_FLAGS = 32, /* of open, clone; the command of fcntl */
	CALL_HAS_WHENCE = 64,
	CALL_HAS_DURATION = 128,
	CALL_HAS_SIZE = 256, /* of an item of stdio */
};

/* Values of Linux. */
enum {
	CALL_O_ACCESS = 03,
	CALL_O_WRONLY = 01,
	CALL_O_RDWR = 02,
	CALL_O_CREAT = 0100,
	CALL_O_EXCL = 0200,
	CALL_O_TRUNC = 01000,
	CALL_O_APPEND = 02000,
	CALL_O_DIRECTORY = 0200000,
	CALL_O_CLOEXEC = 02000000,
	CALL_O_PATH = 010000000,
	CALL_O_TMPFILE = 020000000,
	CALL_AT_CWD = -100,
	CALL_RENAME_EXCHANGE = 2,
	CALL_CLONE_FILES = 0x400,
	CALL_CLONE_THREAD = 0x10000,
};

struct caller;

struct call {
	const struct call_type *type;
	struct caller *caller;
	int64_t start_ns;
	uint64_t duration_ns;
	unsigned has; /* enum call_field */
	int64_t fd, to, result, offset, count, size;
	int64_t flags, whence;
	struct iot_text path, to_path; /* size 0 if unknown */
	/* name that the source shows with fd, and a number for it, 0 if there is none */
	struct iot_text note;
	uint32_t note_number;
	struct iot_text error; /* name of errno */
};

/* Processes */

struct caller {
	uint32_t refs;
	uint32_t id, parent;
	uint64_t key;
	struct fd_table *table;
	struct fd_table *streams; /* of stdio, by note_number; NULL if there are none */
	struct directory *cwd;
	int64_t floor; /* lower descriptors are in use, whether or not the source shows them */
	bool announced;
	bool adopted;         /* appeared while a fork of its parent had not returned */
	struct iot_text host; /* not owned */
	char name[32];        /* of the program; "" if unknown */
};

/* What became of a line: each line is counted once. */
enum call_outcome {
	CALL_MADE_RECORDS,
	CALL_MADE_OP,
	CALL_TRACKED, /* changed the tracked state, or asked for it */
	CALL_FAILED,  /* a transfer that failed */
	/* a transfer with an impossible result or offset, which is lost */
	CALL_CONTRADICTED,
	CALL_SKIPPED,  /* a transfer of an object that is not a file */
	CALL_UNUSED,   /* not about files */
	CALL_METADATA, /* a line about the trace itself */
	CALL_WAITS,    /* the first of two lines of a call */
	CALL_OUTCOMES,
};

enum { CALL_SKIPPED_KINDS = 7 };

struct call_skipped {
	uint64_t calls, bytes[2]; /* read, written */
};

struct calls {
	struct source_state *src;
	struct emit emit;
	struct fdtable fds;
	uint32_t lost_files;    /* events were lost while older descriptions existed */
	int64_t last_ns;        /* latest start of an event */
	bool sizes_unknown;     /* untracked calls may change sizes */
	bool names_final;       /* no call shows the name of a file that its open did not show */
	bool copies_hidden;     /* descriptors are copied by calls that the source does not show */
	struct idmap keys;      /* of processes: numbers into caller[] */
	struct caller **caller; /* NULL if there is none now */
	size_t caller_capacity;
	struct idmap ids; /* that processes have had */
	uint32_t last_id;
	uint64_t lines[CALL_OUTCOMES];
	uint64_t contradicted_line; /* the first with this outcome */
	struct call_skipped skipped[CALL_SKIPPED_KINDS];
	uint64_t missed_closes;
	struct call_name names[CALL_NAMES];
	char path[PATH_CAPACITY], to_path[PATH_CAPACITY];
};

void calls_init(struct calls *c, struct source_state *src);
void calls_free(struct calls *c);
/* Runs a call that has returned. The caller of this function counts the outcome. */
enum call_outcome calls_run(struct calls *c, const struct call *call);
/* Reports counts and emits the final %counter. source: name of the source. */
void calls_finish(struct calls *c, const char *source);
/* Returns true after an error that ends the conversion, which is then in src->error. */
bool calls_failed(struct calls *c);

/* callers.c */

/* Returns the process of a key, whose low 32 bits are its pid; NULL if out of memory. */
struct caller *caller_find(struct calls *c, uint64_t key);
/* Returns NULL if there is none with this key. */
struct caller *caller_known(const struct calls *c, uint64_t key);
/* Makes `key` a child of a process, or a thread of it; flags: of clone. */
void caller_fork(struct calls *c, struct caller *parent, uint64_t key, int64_t flags);
/* As caller_fork, for a child that appears before the fork has returned. */
void caller_adopt(struct calls *c, struct caller *parent, uint64_t key, int64_t flags);
void caller_exit(struct calls *c, struct caller *p);
void caller_set_name(struct caller *p, struct iot_text name);
void callers_free(struct calls *c);

/* emit.c */

struct call_io {
	struct file_offset at;
	uint64_t length;
	bool write;
};

void calls_emit_record(struct calls *c, const struct call *call, struct fd_slot *slot,
		       const struct call_io *io);
/* Emits the %file of a description, if this process has none yet. Returns its number. */
uint32_t calls_emit_file(struct calls *c, const struct call *call, struct open_description *d);
/* Emits an %op; file: 0 if there is none. */
enum call_outcome calls_emit_op(struct calls *c, const struct call *call, const char *name,
				uint32_t file, struct iot_text path, struct iot_text to);
enum call_outcome calls_emit_op_on(struct calls *c, const struct call *call,
				   struct open_description *d);
void calls_report(struct calls *c);

/* slots.c */

/*
 * Returns the slot of a descriptor, or of the stream if the call is of stdio: created if its open
 * was not traced. NULL if the descriptor is not tracked.
 */
struct fd_slot *calls_slot(struct calls *c, const struct call *call);
struct fd_slot *calls_slot_of(struct calls *c, const struct call *call, int64_t fd);
/* Returns the slot of a transfer; NULL, and counts its bytes, if the object is not a file. */
struct fd_slot *calls_data_slot(struct calls *c, struct fd_slot *slot, uint64_t bytes, bool write);
/* Marks the position of all descriptions of a file as shared with calls that are not shown. */
void calls_share(struct calls *c, struct tracked_file *f);
/* Resolves a path of a call to out (PATH_CAPACITY bytes). Returns its size, 0 if unknown. */
size_t calls_resolve(struct calls *c, const struct call *call, struct iot_text path, char *out);
/* Returns the table of streams; NULL if out of memory. */
struct fd_table *calls_streams(struct calls *c, struct caller *p);

/* transfers.c, descriptors.c, paths.c */

enum call_outcome calls_transfer(struct calls *c, const struct call *call);
enum call_outcome calls_copy(struct calls *c, const struct call *call);
enum call_outcome calls_seek(struct calls *c, const struct call *call);
enum call_outcome calls_open(struct calls *c, const struct call *call);
enum call_outcome calls_close(struct calls *c, const struct call *call);
enum call_outcome calls_create(struct calls *c, const struct call *call);
enum call_outcome calls_dup(struct calls *c, const struct call *call);
enum call_outcome calls_on_fd(struct calls *c, const struct call *call);
enum call_outcome calls_on_path(struct calls *c, const struct call *call);
enum call_outcome calls_map(struct calls *c, const struct call *call);
enum call_outcome calls_chdir(struct calls *c, const struct call *call);

static inline bool call_has(const struct call *call, unsigned fields)
{
	return (call->has & fields) == fields;
}

static inline bool call_failed(const struct call *call)
{
	return (call->has & CALL_HAS_RESULT) != 0 && call->result < 0;
}

#endif
