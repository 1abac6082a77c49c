/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Internals of the strace converter. A line passes through line_prefix.c, log_merge.c, calls.c
 * (which completes the call), syscall_table.c (which selects its handler), a sys_*.c, call_order.c
 * and emit.c. Each file uses only those above it:
 *
 *     args.c             arguments and result of a call: strings, descriptors, flags
 *     line_prefix.c      prefix (pid, times) and kind of a line; the layout of a log
 *     log_merge.c        merges the members of an input into lines in order of time
 *     emit.c             events
 *     aio_requests.c     asynchronous requests and their results
 *     tasks.c            processes and threads; lines of tasks whose parent is not yet known
 *     call_order.c       calls whose order is unknown
 *     fd_slots.c         the description that a descriptor refers to; reused numbers
 *     sys_path.c         calls that use names, sizes, other operations
 *     sys_fd.c           calls that create, copy and close descriptors
 *     sys_data.c         calls that transfer bytes or set positions
 *     sys_fd_passing.c   descriptors sent to other processes
 *     sys_aio.c          io_submit, io_getevents
 *     syscall_table.c    the calls that are converted
 *     calls.c            complete calls, from their unfinished and resumed halves
 *     strace.c           the converter
 */
#ifndef CONVERTERS_STRACE_STRACE_H
#define CONVERTERS_STRACE_STRACE_H

#include <string.h>
#include <sys/queue.h>

#include "lib/base/idmap.h"
#include "lib/base/loser_tree.h"

#include "converters/converter.h"
#include "converters/emit.h"
#include "converters/fdtable/fdtable.h"

struct strace;
struct strace_call;
struct strace_task;

/* Lines */

enum strace_kind {
	STRACE_CALL = 1, /* name(... : complete, unfinished, or interrupted by foreign text */
	STRACE_RESUMED,  /* <... name resumed>... */
	STRACE_END,      /* +++ exited with 0 +++ and similar */
	STRACE_TAIL,     /* the rest of a call that foreign text interrupted */
	STRACE_SKIP,     /* signals, stacks, dumps, strace's own messages, empty lines */
	STRACE_SUMMARY,  /* the header of a -c table */
	STRACE_FOREIGN,  /* anything else */
};

struct strace_line {
	const char *body, *end;
	const char *comm; /* NULL if not shown */
	size_t comm_size;
	int64_t time_ns; /* 0 if the log has no times */
	uint32_t tid;    /* 0 if not shown */
	uint8_t kind;    /* enum strace_kind */
	bool bracket;    /* the pid was printed as "[pid N]" */
};

/* The parts that precede the body of every line of a log. */
struct strace_layout {
	bool pid;                    /* a bare pid on every line */
	bool brackets;               /* [pid N] on some lines */
	bool colour;                 /* colour escapes, which must be removed */
	bool clock, epoch, relative; /* times: of day, since 1970, since the previous line */
	bool duration;
	bool starts_with_exec; /* the traced processes are in the log from their start */
	bool decided;
	uint64_t tick_ns;
};

/* State of the clock of one log. */
struct strace_clock {
	int64_t day_ns, last_ns, sum_ns;
	uint64_t seconds; /* seconds since 1970 of the last time, and their digits */
	char digits[16];
	bool seen;
};

/* Parses prefix and kind. A line that does not match the layout is STRACE_FOREIGN. */
void strace_line_parse(const struct strace_layout *layout, struct strace_clock *clock,
		       const char *text, const char *end, struct strace_line *line);
/*
 * Determines the layout from the first lines of a log. Returns false if none of them looks like
 * strace.
 */
bool strace_layout_detect(const char *head, size_t size, struct strace_layout *layout,
			  int64_t *first_ns, unsigned *calls, unsigned *lines);
struct strace_duration {
	uint64_t ns;
	unsigned digits; /* of the fraction */
	bool known, negative;
};

/* Removes " <0.000012>" from the end and returns the new end. */
const char *strace_line_duration(const char *text, const char *end, struct strace_duration *d);
bool strace_line_unfinished(const char *text, const char *end);
size_t strace_line_uncolour(const char *text, size_t size, char *out);

/* Arguments */

enum { STRACE_ARGS = 8, STRACE_TURNS = 8 };

struct strace_text {
	const char *p, *end;
};

struct strace_fd {
	int64_t number;          /* STRACE_CWD for AT_FDCWD */
	struct strace_text note; /* the text in <>, still escaped; p is NULL if absent */
	bool deleted;
};

enum { STRACE_CWD = -100, STRACE_NO_FD = -1 };

static inline bool strace_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* Advances *at past a word, if it is present. */
static inline bool strace_skip(const char **at, const char *end, const char *word)
{
	const size_t n = strlen(word);
	if ((size_t)(end - *at) < n || memcmp(*at, word, n) != 0)
		return false;
	*at += n;
	return true;
}

/* Returns true if the text starts with `key` ("iov_len="); *value is the rest. */
static inline bool strace_value(struct strace_text text, const char *key, struct strace_text *value)
{
	if (!strace_skip(&text.p, text.end, key))
		return false;
	*value = text;
	return true;
}

/*
 * Splits the arguments that follow '(' at their commas. Returns the position after the closing
 * bracket; if it is missing, returns NULL, with the arguments found so far. joined: end of the part
 * before foreign text, or NULL; in that part, only commas count.
 */
const char *strace_split(const char *p, const char *end, const char *joined,
			 struct strace_text *args, unsigned max, unsigned *count);
/* Splits "{a=1, b=[2]}" or "[1, 2]". Returns the number of elements, 0 if it has another form. */
unsigned strace_elements(struct strace_text list, struct strace_text *part, unsigned max);
/* Returns all arguments as one text. */
struct strace_text strace_arguments(const struct strace_call *c);
bool strace_number(struct strace_text arg, int64_t *value);
/* Advances *at past a number, if one is present. */
bool strace_digits(const char **at, const char *end, int64_t *value);
/* Finds the number that follows `key` ("st_size=") anywhere in the text. */
bool strace_field(struct strace_text text, const char *key, int64_t *value);
/* Parses "[50]", the value that an argument points to. */
bool strace_pointed(struct strace_text arg, int64_t *value);
struct strace_fd strace_fd(struct strace_text arg);
/*
 * Unescapes the text between quotes to out (at most `capacity` bytes). Returns false if arg is not
 * a string.
 */
bool strace_string(struct strace_text arg, char *out, size_t capacity, size_t *size);
size_t strace_unescape(struct strace_text raw, char *out, size_t capacity);
/* Skips "name=", which -N prints. */
struct strace_text strace_unnamed(struct strace_text arg);
/* Returns true if an argument starts with this word. */
static inline bool strace_is(struct strace_text arg, const char *word)
{
	arg = strace_unnamed(arg);
	return strace_skip(&arg.p, arg.end, word);
}

bool strace_contains(struct strace_text text, const char *word);
/* Returns true if `word` is one of the words in A|B|C. */
bool strace_has_flag(struct strace_text arg, const char *word);
/* Returns true if argument i has the flag, as a word or as a bit of a number. */
bool strace_flag(const struct strace_call *c, unsigned i, const char *word, int64_t bit);

/* Values of the traced system, as -X raw prints them. */
enum strace_open_flag {
	STRACE_O_WRONLY = 01,
	STRACE_O_RDWR = 02,
	STRACE_O_CREAT = 0100,
	STRACE_O_EXCL = 0200,
	STRACE_O_TRUNC = 01000,
	STRACE_O_APPEND = 02000,
	STRACE_O_DSYNC = 010000,
	STRACE_O_DIRECT = 040000,
	STRACE_O_SYNC = 04010000, /* includes O_DSYNC */
	STRACE_O_DIRECTORY = 0200000,
	STRACE_O_CLOEXEC = 02000000,
	STRACE_O_PATH = 010000000,
	STRACE_O_TMPFILE = 020000000,
};
unsigned strace_open_flags(struct strace_text arg);

struct strace_word {
	const char *name;
	int64_t value;
};
/* Returns the value of an argument that is printed as a word or a number; -1 if it is neither. */
int64_t strace_word(struct strace_text arg, const struct strace_word *words, size_t count);

/* Calls */

enum strace_class {
	STRACE_DATA = 1,     /* transfers bytes of files: its entry limits the watermark */
	STRACE_OP = 2,       /* produces an %op with a time */
	STRACE_FORK = 4,     /* starts a task */
	STRACE_READS = 8,    /* may block for long on descriptors that are not files */
	STRACE_PRIVATE = 16, /* creates a descriptor that is always close-on-exec */
	STRACE_MOVES = 32,   /* uses the position of its descriptor */
	STRACE_WRITES = 64,  /* may change the size of its file */
	STRACE_ASKS = 128,   /* the third argument is the maximum of the result */
	STRACE_FAILS = 256,  /* run is also called if it failed */
	STRACE_ALWAYS = 512, /* run is also called without result or arguments */
};

typedef void strace_handler(struct strace *s, struct strace_call *c);

struct strace_entry {
	const char *names; /* separated by spaces */
	strace_handler *run;
	unsigned class;        /* enum strace_class */
	unsigned args;         /* minimum number of arguments for run */
	int variant;           /* meaning depends on run */
	const char *op;        /* name of its %op */
	strace_handler *enter; /* called if it does not return at once; or NULL */
};

enum { STRACE_CLONE = 1 }; /* variant of forks with flags */

/* The objects that an active call uses. */
struct strace_using {
	struct open_description *open; /* uses its position; NULL if none */
	struct tracked_file *file;     /* uses its size; NULL if none */
};

/* A call that has been entered and has not returned. */
struct strace_active {
	const struct strace_entry *entry; /* NULL if there is none */
	int64_t entry_ns, entered;
	struct strace_using using[2];
	char *text;
	size_t text_size, text_capacity;
	bool posted;                       /* it has already sent descriptors */
	struct strace_request *submitting; /* the requests that it submits if it succeeds */
};

struct strace_call {
	const struct strace_entry *entry;
	struct strace_task *task;
	struct strace_text arg[STRACE_ARGS];
	unsigned args;
	int64_t start_ns, end_ns;
	int64_t entered, left; /* for comparisons: line numbers in one log, times in a set */
	uint64_t duration_ns;
	bool duration_known;
	bool returned; /* the result is a number */
	bool failed;
	int64_t result;
	struct strace_text error; /* name of errno */
	struct strace_fd fd;      /* descriptor of the result, with its name */
};

/* Tasks */

/* A process: its threads share a process id. */
struct strace_group {
	uint32_t refs, id, parent, thread_of;
	uint32_t pid;
	bool announced;
	char *name; /* of its program, or NULL */
	size_t name_size;
	/* with --threads: the leader of this thread's process; or NULL */
	struct strace_group *leader;
	LIST_HEAD(strace_context_list, strace_context)
	contexts; /* of io_setup; threads use the contexts of their leader */
	unsigned context_count;
};

enum strace_list {
	STRACE_ALIVE,    /* all live tasks, the newest first */
	STRACE_LIMITING, /* those with an active call that limits the watermark */
	STRACE_FORKING,  /* those with a pending fork */
	STRACE_LISTS,
};

struct strace_task_list {
	TAILQ_HEAD(strace_task_queue, strace_task) tasks;
	size_t count;
};

struct strace_task {
	uint32_t tid;
	struct strace_group *group;
	struct fd_table *table;
	struct directory *cwd;
	TAILQ_ENTRY(strace_task) link[STRACE_LISTS];
	struct strace_active active;
	bool limits;                     /* its call limits the watermark */
	struct strace_task *provisional; /* the child of a pending fork */
	bool thread;                     /* is a thread of its parent's process */
	/* ring of the threads of a process; NULL if alone */
	struct strace_task *peer_prev, *peer_next;
	struct strace_member *cut_in;       /* member in which its call was interrupted */
	bool adopted;                       /* appeared without a preceding fork */
	bool shared;                        /* processes of several logs have this number */
	const struct strace_member *member; /* member of the current line */
	unsigned returns; /* number of times that lines switched back to an earlier log */
	uint32_t turn;    /* number of lines so far */
	int64_t starts[STRACE_TURNS]; /* in a set: start times of recent lines */
};

/* What is known about a number: a pid, or the id of a process. */
struct strace_number {
	struct strace_task *task; /* NULL if none is alive */
	uint32_t deferred;        /* number of its deferred lines */
	bool used;                /* a process has this id */
};

/* A line that is deferred until the parent of its process is known. */
struct strace_deferred {
	struct strace_deferred *next;
	int64_t time_ns;
	uint32_t tid;
	uint8_t kind;
	size_t size;
	char body[];
};

struct strace_tasks {
	struct idmap numbers;
	struct strace_number *number;
	size_t number_capacity;
	struct strace_task_list list[STRACE_LISTS];
	struct strace_task *numberless; /* the first process, as long as its number is unknown */
	struct strace_task *last;       /* a cache of one entry */
	uint32_t next_id;
	uint32_t adopted; /* number of tasks that appeared without a preceding fork */
	/* whole: every process descends from the first; forks_hidden: forks are not in the log */
	bool whole, forks_hidden;
	bool forks; /* the log contains forks */
	struct strace_deferred *deferred, **deferred_end;
	size_t deferred_lines, deferred_bytes;
	bool deferred_full; /* a line could not be deferred: release all and guess */
	bool release_due;   /* a fork has returned a number for which deferred lines may wait */
};

/* Asynchronous requests */

LIST_HEAD(strace_aio_list, strace_aio_class);

struct strace_context {
	LIST_ENTRY(strace_context) in_group;
	struct strace_aio_list classes;
	uint64_t id;
	bool trusted;
};

struct strace_request_info {
	int64_t start_ns;
	uint64_t data, length;
	bool irregular; /* transfers no bytes, or its length is hidden */
};

struct strace_aio {
	TAILQ_HEAD(strace_request_queue, strace_request)
	log; /* requests outstanding, or not yet emitted */
	struct strace_aio_list *bucket;
	size_t requests, classes;
	uint64_t setups, submits, rings; /* number of calls */
};

/* Races between threads */

enum {
	STRACE_CLOSED = 256,
	STRACE_MISSING = 64,
	STRACE_INSTALLED = 256,
};

/* The description of a descriptor that was closed or replaced. */
struct strace_closed {
	uint32_t table; /* id */
	int64_t fd, until;
	bool last; /* it was the last descriptor of its description */
	struct fd_slot slot;
};

/* A number that a call returned although it seemed to be in use: a close is missing. */
struct strace_missing {
	uint32_t table; /* id; 0 if the close has been found */
	int64_t fd;
	struct fd_use by;
	/* the description that it had, since when, and the call that installed it */
	struct open_description *open;
	int64_t since;
	struct fd_use first; /* left is 0 if unknown */
};

/* A number that a call returned, in a set. */
struct strace_installed {
	uint32_t table; /* id */
	int64_t fd;
	struct fd_use by;
};

/* Rings of the latest */
struct strace_reuse {
	struct strace_closed closed[STRACE_CLOSED];
	struct strace_missing missing[STRACE_MISSING];
	struct strace_installed installed[STRACE_INSTALLED];
	unsigned closed_next, missing_next, installed_next;
	int64_t missed; /* closes that are missing in the log */
	struct fd_slot unknown;
};

struct strace_order {
	struct strace_unsettled *unsettled; /* ring of records whose offsets are not yet certain */
	unsigned first, count;
	size_t lines;       /* since records were settled last */
	int64_t settled_ns; /* no later line of a set started before */
	bool untimed_noted;
};

/* Descriptors that other processes may share */
struct strace_passing {
	bool unix_sockets, messages, cut_messages; /* the log contains them */
	bool appeared; /* descriptors above 2 appeared that no call has returned */
	bool noted;
	uint32_t passed; /* id: untraced processes may use older descriptions */
	size_t visited;  /* descriptors, for all truncated messages */
};

enum strace_use_kind {
	STRACE_ADDS = 1,  /* advances the position, or the end, by the bytes it transfers */
	STRACE_GROWS = 2, /* writes beyond the end */
	STRACE_SETS = 4,
};

/* Members, one log each */

struct strace_member {
	size_t index;
	struct bufreader *bufreader;
	struct strace_layout layout;
	struct strace_clock clock;
	uint32_t tid; /* of all its lines, if they show none; 0 if unknown */
	uint64_t line_number;
	const char *shown, *at, *limit; /* peeked bytes; unread lines start at `at` */
	const char *raw, *raw_end;      /* the current line, in the peeked bytes */
	struct strace_line line;
	int64_t key_ns; /* time at which the current line takes effect */
	int64_t first_ns, last_ns;
	bool opened, ended;
	bool ready;    /* the current line has been read, and not yet returned */
	bool cut;      /* the current line has no LF */
	bool ends_cut; /* the last line is incomplete */
	char *clean;   /* a copy of the line without colours */
	size_t clean_capacity;
	struct strace_task *partial; /* the task whose call was interrupted by foreign text */
	unsigned partial_lines;      /* since it was interrupted */
	uint64_t partial_number;     /* the line that was interrupted */
	bool partial_ignored;        /* true if an ignored call was interrupted */
};

enum { STRACE_STARTS = 256 };

/* The members, merged by the times of their current lines */
struct strace_log {
	struct source_state *src;
	int status;
	struct strace_member *member;
	size_t members;
	/* members that are logs, and those with times of day or since 1970 */
	size_t logs, clocks, epochs;
	bool has_time, brackets, durations; /* true if the logs have them */
	bool backwards;                     /* times have decreased, so that no watermark exists */
	size_t open, open_max;              /* open members, and their limit */
	struct loser_tree tree;             /* of the members, by key_ns */
	size_t live;                        /* members that have not ended */
	struct strace_member *current;
	int64_t starts[STRACE_STARTS]; /* start times of the lines of a set read last */
	unsigned starts_next;
};

/*
 * The strace option that prints arrays completely, which -s truncates otherwise; the manual
 * recommends it.
 */
#define STRACE_ARRAYS "-e 'abbrev=!/io_|msg|pipe|pair'"

enum {
	STRACE_HASH = 1024, /* size of the table of calls; a power of two */
	/* slightly less than the capacity of a bufreader */
	STRACE_LINE_MAX = (16 << 20) - (64 << 10),
	STRACE_PID_MAX = 4194304,
};

/* A slot of the hash table of calls. */
struct strace_name {
	const struct strace_entry *entry; /* NULL if free */
	const char *name;
	uint64_t head; /* the first bytes of the name */
	size_t size;
};

/*
 * Descriptors that are not files: their reads and writes are counted, and become records with --all
 * only.
 */
enum strace_skipped_kind {
	STRACE_SKIPPED_PIPE,
	STRACE_SKIPPED_SOCKET,
	STRACE_SKIPPED_TERMINAL,
	STRACE_SKIPPED_DEVICE,
	STRACE_SKIPPED_MEMFD,
	STRACE_SKIPPED_STANDARD, /* descriptors 0 to 2 without a name in the log */
	STRACE_SKIPPED_OTHER,
	STRACE_SKIPPED_KINDS,
};

struct strace_skipped {
	uint64_t calls, bytes[2]; /* read, written */
};

struct strace_options {
	bool threads, all, ranked;
	uint64_t rank;    /* of all processes, if ranked */
	const char *host; /* NULL if not given */
};

struct strace_watermark {
	int64_t ns;
	uint64_t again; /* the line number at which it is next computed */
};

/* Why a call that the log shows becomes neither a record nor an %op. */
enum strace_loss {
	STRACE_MIXED,        /* its line lacks arguments or the end: other text is in it */
	STRACE_CONTRADICTED, /* its result contradicts its arguments */
	STRACE_LOSSES,
};

struct strace_lost {
	uint64_t calls, line; /* line: of the first */
	size_t member;
};

struct strace {
	struct source_state *src;
	struct strace_options options;
	struct strace_log log;
	struct strace_name hash[STRACE_HASH];
	struct strace_tasks tasks;
	struct fdtable fds;
	struct strace_aio aio;
	struct strace_reuse reuse;
	struct strace_order order;
	struct strace_passing passing;
	struct strace_skipped skipped[STRACE_SKIPPED_KINDS];
	struct strace_lost lost[STRACE_LOSSES];
	struct emit emit;
	struct strace_watermark watermark;
	int64_t now_ns;
	uint64_t understood; /* number of lines recognized as strace */
	uint64_t others;     /* calls without effect on files */
	bool summary;
	int status; /* returned by next after the last event */
	bool began, ended;
	/* the first member whose last line is incomplete; NULL if none */
	const struct strace_member *cut_in;
	char path[PATH_CAPACITY], path2[PATH_CAPACITY], scratch[PATH_CAPACITY];
};

/* log_merge.c */
int strace_log_open(struct strace_log *log, struct source_state *src);
/* Reads the next line in order. Returns 1, 0 at the end, or a negative status. */
int strace_log_next(struct strace_log *log);
void strace_log_close(struct strace_log *log);
/* Returns a time before which no unread call was entered. */
int64_t strace_log_watermark(const struct strace_log *log);

/* emit.c */
void strace_count(struct strace *s, const char *name, uint64_t n);
/* Counts a call as missing: the log is damaged. m: NULL if its line is not known any more. */
void strace_lose(struct strace *s, enum strace_loss why, const struct strace_member *m,
		 uint64_t line);
void strace_emit_trace(struct strace *s);
void strace_emit_process(struct strace *s, struct strace_group *group);
bool strace_recorded(const struct strace *s, const struct open_description *d);
/* As strace_recorded, or a directory: its operations are emitted. */
bool strace_shown(const struct strace *s, const struct open_description *d);
/*
 * Returns the number of this description for events of the task's process; emits its %file if the
 * process has not seen it.
 */
uint32_t strace_emit_file(struct strace *s, struct strace_task *task, int64_t fd,
			  struct fd_slot *slot, int64_t from_ns);
struct strace_io {
	struct file_offset at;
	uint64_t length;
	bool write, async;
	bool ordered; /* the offset depends on the order of calls */
	bool appends;
};
/* Makes a record, after the %file that it needs. */
void strace_make_record(struct strace *s, const struct strace_call *c, int64_t fd,
			struct fd_slot *slot, const struct strace_io *io, struct iot_record *rec);
void strace_emit_record(struct strace *s, const struct iot_record *rec);
struct strace_op {
	const char *name;
	uint32_t file;
	const char *path, *to;
	size_t path_size, to_size;
	bool empties; /* an open that truncates the file to nothing */
};
/* Emits an %op if operations of this name are wanted. */
void strace_emit_op(struct strace *s, const struct strace_call *c, const struct strace_op *op);
/* The same for a description: with its number, if it is not 0, and its path. */
void strace_emit_op_on(struct strace *s, const struct strace_call *c, const char *name,
		       uint32_t file, const struct open_description *d);

/* aio_requests.c */
struct strace_context *strace_context_find(const struct strace_group *g, uint64_t id);
void strace_context_new(struct strace *s, struct strace_group *g, uint64_t id);
void strace_context_free(struct strace *s, struct strace_group *g, struct strace_context *ctx);
void strace_context_distrust(struct strace *s, struct strace_context *ctx);
/*
 * Stores a new outstanding request at *at. Returns the position for the next one of the same call;
 * NULL if there are too many.
 */
struct strace_request **strace_request_new(struct strace *s, struct strace_request **at,
					   struct strace_context *ctx,
					   const struct strace_request_info *info);
/*
 * Declares that a request, NULL if unknown, was submitted. rec: its record, NULL if it has none.
 * Returns the next request of the call.
 */
struct strace_request *strace_request_submitted(struct strace *s, struct strace_request *r,
						const struct iot_record *rec);
/* Adds a result to its class, and the class to the list of touched classes. */
bool strace_aio_result(struct strace *s, const struct strace_context *ctx, uint64_t data,
		       int64_t bytes, struct strace_aio_class **touched);
/* Processes the results of a call. Returns false if the log lacks requests. */
bool strace_aio_results(struct strace *s, struct strace_aio_class *touched,
			const struct strace_call *c);
/* Withdraws the pending io_submit of a task, which will not return. */
void strace_aio_withdraw(struct strace *s, struct strace_task *t);
/* Abandons the requests of a process that exits or calls exec: their results will not be seen. */
void strace_aio_leave(struct strace *s, struct strace_group *g);
/* Returns the start of the earliest request not yet emitted; INT64_MAX if none. */
int64_t strace_aio_earliest(const struct strace *s);
void strace_aio_free(struct strace *s);

/* tasks.c */
void strace_tasks_init(struct strace_tasks *tasks);
/* Returns the task of a line. Returns NULL if the line was deferred or memory is exhausted. */
struct strace_task *strace_task_of(struct strace *s, const struct strace_line *line);
/* The same for a line that could not be deferred, after the release of all deferred ones. */
struct strace_task *strace_task_assume(struct strace *s, const struct strace_line *line);
struct strace_task *strace_task_find(const struct strace *s, uint32_t tid);
/* Returns the task of this number, a new one without known parent if there is none. */
struct strace_task *strace_task_or_root(struct strace *s, uint32_t tid);
void strace_task_end(struct strace *s, struct strace_task *task);
void strace_task_superseded(struct strace *s, struct strace_task *leader, uint32_t tid);
/*
 * Returns the first deferred line whose task is known by now, NULL if there is none; the caller
 * frees it. all: of any task.
 */
struct strace_deferred *strace_deferred_next(struct strace *s, bool all);
void strace_tasks_free(struct strace *s);
/* Returns the group of the whole process. */
struct strace_group *strace_process_of(const struct strace_task *t);
/* Appends to the text of the active call. Returns false if it is too long. */
bool strace_call_append(struct strace *s, struct strace_task *t, const char *text, const char *end);
/* Sets whether the active call limits the watermark. */
void strace_call_limits(struct strace *s, struct strace_task *t, bool limits);
/* Forgets the active call. */
void strace_call_drop(struct strace *s, struct strace_task *t);
/* Declares that the active call uses the position and the size, each NULL if not. */
void strace_use(struct strace_using *u, struct open_description *d, struct tracked_file *f);
void strace_attached(struct strace *s, struct strace_task *parent, uint32_t tid);
/* Gives a task a descriptor table of its own. */
void strace_unshare_table(struct strace *s, struct strace_task *t);
strace_handler strace_fork_enter, strace_fork, strace_exec, strace_unshare, strace_own_number;

/* call_order.c */
int64_t strace_now(const struct strace *s);
struct fd_use strace_use_of(const struct strace_call *c);
bool strace_overlaps(struct strace *s, const struct strace_call *c, const struct fd_use *u);
/*
 * Returns true if another task may have used the position, or the size, at the same time, and
 * records the call as its last use. `disputed` of the description or file is then set if the value
 * is unknown afterwards. kind: enum strace_use_kind; 0 only reads the size.
 */
bool strace_position_race(struct strace *s, const struct strace_call *c, struct open_description *d,
			  unsigned kind);
bool strace_size_race(struct strace *s, const struct strace_call *c, struct tracked_file *f,
		      unsigned kind);
/*
 * As strace_size_race, for a call that appends and is counted if its order is not known.
 * positioned: strace_position_race has looked at it before.
 */
bool strace_append_race(struct strace *s, const struct strace_call *c, struct open_description *d,
			bool positioned);
/* Sets the size to the one that a call shows, unless other calls change it at the same time. */
void strace_learn_size(struct strace *s, const struct strace_call *c, struct tracked_file *f,
		       uint64_t size);
/* Records that a call has set the size. */
void strace_resized(struct strace *s, const struct strace_call *c, struct tracked_file *f,
		    uint64_t size);
/* Emits a record; delays one of a set until its offset is certain, or certainly unknown. */
void strace_record(struct strace *s, const struct strace_call *c, int64_t fd, struct fd_slot *slot,
		   const struct strace_io *io);
void strace_settle(struct strace *s, bool all);
int64_t strace_unsettled_since(const struct strace *s);
void strace_order_free(struct strace *s);

/* fd_slots.c */
/* Returns a hash of the name that strace prints with a descriptor, 0 if there is none. */
uint32_t strace_note_hash(const struct strace_fd *fd);
/* Writes the path in the name of a descriptor, without a trailing "<block 254:0>", to s->path2. */
size_t strace_note_path(struct strace *s, const struct strace_fd *fd, bool *block);
/*
 * Returns the slot of a descriptor, which is created if it was open before the trace; NULL if
 * invalid.
 */
struct fd_slot *strace_slot(struct strace *s, struct strace_call *c, const struct strace_fd *fd);
/* Returns a description for a descriptor that was open before the trace. */
struct open_description *strace_fd_found(struct strace *s, const struct strace_fd *fd);
/*
 * Returns a description for a descriptor from another process, about which nothing else is known.
 */
struct open_description *strace_found_passed(struct strace *s, const struct strace_fd *fd);
/*
 * Returns the description that the number had when the call was entered, if it has been replaced
 * since; NULL if not, or if unknown.
 */
struct strace_closed *strace_closed(struct strace *s, const struct strace_call *c, int64_t fd);
/*
 * Returns true if the description that this close refers to is gone already, because another call
 * has returned the number since.
 */
bool strace_is_late(struct strace *s, const struct strace_call *c, int64_t fd);
void strace_release(struct strace *s, const struct strace_call *c, int64_t fd);
/* Installs a description, whose reference it takes over, in the slot that a call has returned. */
struct fd_slot *strace_install(struct strace *s, struct strace_call *c, int64_t fd,
			       struct open_description *d, bool cloexec);
/* Duplicates a descriptor. chosen: the caller chose the number, as in dup2. */
void strace_copy(struct strace *s, struct strace_call *c, const struct strace_fd *from, int64_t to,
		 bool cloexec, bool chosen);
void strace_reuse_free(struct strace *s);

/* sys_path.c */
/*
 * Resolves the path at arg, relative to `dir` or the working directory, to out. Returns its size, 0
 * if unknown.
 */
size_t strace_path(struct strace *s, struct strace_call *c, const struct strace_fd *dir,
		   struct strace_text arg, char *out);
/*
 * Returns the slot that "/proc/self/fd/3", "/dev/fd/3" and similar paths refer to; NULL for other
 * paths.
 */
struct fd_slot *strace_slot_of_path(struct strace *s, struct strace_call *c, const char *path,
				    size_t size);
/* Returns the file that a path refers to, NULL if unknown. */
struct tracked_file *strace_file_at(struct strace *s, struct strace_call *c, const char *path,
				    size_t size);
strace_handler strace_path_op, strace_path_op_at, strace_fd_op, strace_two_paths,
    strace_two_paths_at, strace_symlink, strace_symlink_at, strace_truncate, strace_truncate_enter,
    strace_ftruncate, strace_fallocate, strace_chdir, strace_getcwd, strace_sync;

enum strace_name_variant {
	STRACE_PLAIN, /* an operation without effect on the tracked state */
	STRACE_STAT,
	STRACE_ACCESS,
	STRACE_UNLINK,
	STRACE_RENAME,
	STRACE_LINK,
};

/* sys_fd.c */
strace_handler strace_open_enter, strace_open, strace_close, strace_close_range, strace_dup,
    strace_fcntl, strace_ioctl, strace_pair, strace_created, strace_bpf;

/* sys_data.c */
/* Counts a transfer that succeeded but has an impossible result or offset as missing. */
void strace_contradicted(struct strace *s, struct strace_call *c);
/* Marks the positions as unknown that a transfer with an unknown result uses. */
void strace_forget(struct strace *s, struct strace_call *c);
/*
 * Returns the slot of an argument whose bytes become records; otherwise counts the bytes as skipped
 * and returns NULL.
 */
struct fd_slot *strace_data_slot(struct strace *s, struct strace_call *c,
				 const struct strace_fd *fd, uint64_t bytes, bool write);
strace_handler strace_use_enter, strace_read_write, strace_at_offset, strace_sendfile_enter,
    strace_sendfile, strace_copy_range_enter, strace_copy_range, strace_hidden, strace_mmap,
    strace_lseek, strace_llseek;

/* sys_fd_passing.c */
strace_handler strace_sendmsg_enter, strace_sendmsg, strace_recvmsg, strace_messages;

/* sys_aio.c */
strace_handler strace_io_submit_enter, strace_io_submit, strace_io_getevents, strace_io_setup,
    strace_io_uring_setup, strace_io_destroy, strace_io_cancel;

/* syscall_table.c */
void strace_table_init(struct strace *s);
const struct strace_entry *strace_table_find(struct strace *s, const char *name, size_t size);
/* Calls the handler of a call that has returned, if it has an effect. */
void strace_run(struct strace *s, struct strace_call *c);

/* calls.c */
/* Processes a line with a body, in order. */
void strace_process(struct strace *s, struct strace_member *m, const struct strace_line *line);
/* Processes deferred lines; all: also those whose parent is unknown. */
void strace_release_deferred(struct strace *s, bool all);

#endif
