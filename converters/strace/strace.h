/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Internals of the strace converter. A line is read in three steps:
 *
 *     line_prefix.c      prefix (pid, times) and kind of a line; the layout of a log
 *     args.c             arguments and result of a call: strings, descriptors, flags
 *     calls.c            complete calls, from their unfinished and resumed halves
 *
 * The effects of calls:
 *
 *     syscall_table.c    the calls that are converted
 *     sys_data.c         bytes and positions
 *     sys_aio.c          asynchronous requests and their results
 *     sys_fd.c           descriptors
 *     sys_fd_passing.c   descriptors sent to other processes
 *     sys_path.c         names, sizes, other operations
 *     sys_fork.c         processes: fork, exec
 *     tasks.c            processes and threads
 *     deferred_lines.c   lines of tasks whose parent is not yet known
 *     fd_reuse.c         descriptor numbers that threads reuse
 *     call_order.c       calls whose order is unknown
 *
 * emit.c makes the events, log_merge.c merges the members of an input into lines in order of time,
 * strace.c is the converter.
 */
#ifndef CONVERTERS_STRACE_STRACE_H
#define CONVERTERS_STRACE_STRACE_H

#include "lib/base/idmap.h"

#include "converters/converter.h"
#include "converters/emit.h"
#include "converters/fdtable/fdtable.h"

struct strace;
struct strace_call;

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
/*
 * Removes " <0.000012>" from the end and returns the new end. *digits is the number of digits of
 * the fraction.
 */
const char *strace_line_duration(const char *text, const char *end, uint64_t *ns, unsigned *digits,
				 bool *found);
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

/*
 * Splits the arguments that follow '(' at their commas. Returns the position after the closing
 * bracket; if it is missing, returns NULL, with the arguments found so far. joined: end of the part
 * before foreign text, or NULL; in that part, only commas count.
 */
const char *strace_split(const char *p, const char *end, const char *joined,
			 struct strace_text *args, unsigned max, unsigned *count);
bool strace_number(struct strace_text arg, int64_t *value);
/* Advances *at past a number, or a word, if it is present. */
bool strace_digits(const char **at, const char *end, int64_t *value);
bool strace_skip(const char **at, const char *end, const char *word);
/* Finds the number that follows `key` ("st_size=") anywhere in the text. */
bool strace_field(struct strace_text text, const char *key, int64_t *value);
struct strace_fd strace_fd(struct strace_text arg);
/*
 * Unescapes the text between quotes to out (at most `capacity` bytes). Returns false if arg is not
 * a string.
 */
bool strace_string(struct strace_text arg, char *out, size_t capacity, size_t *size);
size_t strace_unescape(struct strace_text raw, char *out, size_t capacity);
bool strace_is(struct strace_text arg, const char *word);
/* Returns true if `word` is one of the words in A|B|C. */
bool strace_has_flag(struct strace_text arg, const char *word);

/* Values of the traced system, as -X raw prints them. */
enum strace_open_flag {
	STRACE_O_WRONLY = 01,
	STRACE_O_RDWR = 02,
	STRACE_O_CREAT = 0100,
	STRACE_O_EXCL = 0200,
	STRACE_O_TRUNC = 01000,
	STRACE_O_APPEND = 02000,
	STRACE_O_DIRECTORY = 0200000,
	STRACE_O_CLOEXEC = 02000000,
	STRACE_O_PATH = 010000000,
	STRACE_O_TMPFILE = 020000000,
};
unsigned strace_open_flags(struct strace_text arg);

/* Calls */

enum strace_class {
	STRACE_DATA = 1,     /* transfers bytes of files: its entry limits the watermark */
	STRACE_OP = 2,       /* produces an %op with a time */
	STRACE_FORK = 4,     /* takes effect at its entry */
	STRACE_READS = 8,    /* may block for long on descriptors that are not files */
	STRACE_PRIVATE = 16, /* creates a descriptor that is always close-on-exec */
	STRACE_SENDS = 32,   /* the message may arrive before the call returns */
	STRACE_SUBMITS = 64, /* its requests may complete before it returns */
	STRACE_MOVES = 128,  /* uses the position of its descriptor */
	STRACE_WRITES = 256, /* may change the size of its file */
	STRACE_COPIES = 512, /* has two descriptors */
	STRACE_OPENS = 1024, /* opens a name, and may truncate the file */
	STRACE_ASKS = 2048,  /* the third argument is the maximum of the result */
};

struct strace_entry {
	const char *name;
	void (*run)(struct strace *s, struct strace_call *c);
	unsigned class; /* enum strace_class */
	int variant;    /* meaning depends on run */
	const char *op; /* name of its %op */
};

/* A slot of the hash table of calls. */
struct strace_name {
	const struct strace_entry *entry; /* NULL if free */
	uint64_t head;                    /* the first bytes of the name */
	size_t size;
};

enum strace_pending {
	STRACE_IDLE,
	STRACE_WAITING, /* an unfinished call; its text is stored */
	STRACE_IGNORED, /* an unfinished call without effect */
};

/* A process: its threads share a process id. */
struct strace_group {
	uint32_t refs, id, parent, thread_of;
	uint32_t pid;
	bool announced;
	char *name; /* of its program, or NULL */
	size_t name_size;
	/* with --threads: the leader of this thread's process; or NULL */
	struct strace_group *leader;
	struct strace_context *contexts; /* of io_setup; threads use those of their leader */
	unsigned context_count;
};

/* The objects that an active call uses. */
struct strace_using {
	struct open_description *open; /* uses its position; NULL if none */
	struct tracked_file *file;     /* uses its size; NULL if none */
};

struct strace_task {
	uint32_t tid;
	struct strace_group *group;
	struct fd_table *table;
	struct directory *cwd;
	struct strace_task *prev, *next; /* list of all live tasks */
	/* The active call; tasks with a call that limits the watermark form a list. */
	struct strace_task *waiting_prev, *waiting_next;
	bool waits, counted;
	uint8_t pending; /* enum strace_pending */
	const struct strace_entry *entry;
	int64_t entry_ns, entered;
	struct strace_using using[2];
	char *text;
	size_t text_size, text_capacity;
	bool posted;                       /* ... has already sent descriptors */
	struct strace_request *submitting; /* ... has submitted these requests, if it succeeds */
	struct strace_task *provisional;   /* the child of a pending fork */
	struct strace_task *forking_prev, *forking_next; /* list of those with such a child */
	bool thread;                                     /* is a thread of its parent's process */
	struct strace_task *peer_prev,
	    *peer_next;                     /* ring of the threads of a process; NULL if alone */
	struct strace_member *cut_in;       /* member in which its call was interrupted */
	bool adopted;                       /* appeared without a preceding fork */
	bool shared;                        /* processes of several logs have this number */
	const struct strace_member *member; /* member of the current line */
	unsigned returns; /* number of times that lines switched back to an earlier log */
	uint32_t turn;    /* number of lines so far */
	int64_t starts[STRACE_TURNS],
	    next_start; /* in a set: start times of recent lines, and of the next line */
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

/* A line that is deferred until the parent of its process is known. */
struct strace_held {
	struct strace_held *next;
	int64_t time_ns;
	uint32_t tid;
	uint8_t kind;
	size_t size;
	char body[];
};

/* The description of a descriptor that was closed or replaced. */
struct strace_gone {
	uint32_t table; /* id */
	int64_t fd, until;
	bool last; /* it was the last descriptor of its description */
	struct fd_slot slot;
};

/* A number that a call returned although it seemed to be in use: a close is missing. */
struct strace_owed {
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
	bool opened;
	bool cut;      /* the current line has no LF */
	bool ends_cut; /* the last line is incomplete */
	char *clean;   /* a copy of the line without colours */
	size_t clean_capacity;
	struct strace_task *partial; /* the task whose call was interrupted by foreign text */
	unsigned partial_lines;
	bool partial_ignored; /* true if an ignored call was interrupted */
};

/*
 * The strace option that prints arrays completely, which -s truncates otherwise; the manual
 * recommends it.
 */
#define STRACE_ARRAYS "-e 'abbrev=!/io_|msg|pipe|pair'"

enum {
	STRACE_HASH = 1024, /* size of the table of calls; a power of two */
	STRACE_HELD_LINES = 20000,
	STRACE_HELD_BYTES = 64 << 20,
	/* slightly less than the capacity of a bufreader */
	STRACE_LINE_MAX = (16 << 20) - (64 << 10),
	STRACE_PID_MAX = 4194304,
	STRACE_RANK_MAX = INT32_MAX,
	STRACE_HOST_MAX = 255,
	STRACE_GONE = 256,
	STRACE_OWED = 64,
	STRACE_STARTS = 256,
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

struct strace {
	struct source_state *src;
	struct fdtable tracker;
	/* members that are logs, and those with times of day or since 1970 */
	size_t logs, clocks, epochs;
	bool has_time, brackets, durations; /* true if the logs have them */
	bool threads, all;                  /* options */
	bool ranked;
	uint64_t rank;    /* of all processes, if ranked */
	const char *host; /* NULL if not given */

	/* Members: a heap of those with a current line, ordered by time */
	struct strace_member *member;
	size_t members;
	size_t windows, windows_max; /* open bufreaders, and their limit */
	uint32_t *heap;
	size_t heap_size;
	struct strace_member *current;
	int64_t now_ns;

	/* Tasks by tid */
	struct strace_task **task; /* open addressing; tid 0 is `numberless` */
	size_t task_capacity, task_count;
	struct strace_task *alive, *oldest; /* list of all, and its end */
	/* list of those with an active call that limits the watermark */
	struct strace_task *waiting;
	struct strace_task *waiting_last;
	struct strace_task *numberless; /* the first process, as long as its number is unknown */
	struct strace_task *last;       /* a cache of one entry */
	uint8_t *used_ids;              /* bitmap of assigned process ids */
	struct strace_task *forking;    /* list of those with a pending fork */
	uint32_t next_id, forks_pending;
	uint32_t adopted; /* number of tasks that appeared without a preceding fork */
	/* whole: every process descends from the first; forks_hidden: forks are not in the log */
	bool whole, forks_hidden;
	bool forks;      /* the log contains forks */
	bool appeared;   /* descriptors above 2 appeared that no call has returned */
	uint64_t others; /* calls without effect on files */
	bool releasing;
	bool release_due; /* a fork has returned a number for which deferred lines may wait */
	struct strace_held *held, **held_tail;
	size_t held_lines, held_bytes;
	struct idmap held_ids; /* of tasks with deferred lines */
	uint32_t *held_of;     /* number of deferred lines of each */
	size_t held_capacity;

	struct {
		struct strace_request *first, *last; /* outstanding, or not yet emitted */
		struct strace_aio_class **bucket;
		size_t requests, classes;
		uint64_t setups, submits, rings; /* number of calls */
	} aio;

	struct strace_skipped skipped[STRACE_SKIPPED_KINDS];
	/* Races between threads: fd_reuse.c, call_order.c */
	struct strace_gone gone[STRACE_GONE];
	struct strace_owed owed[STRACE_OWED];
	struct strace_installed installed[STRACE_GONE];
	unsigned gone_next, owed_next, installed_next;
	struct fd_slot unknown;
	bool unix_sockets, messages, cut_messages; /* the log contains them */
	bool passed_noted, untimed_noted;
	uint32_t passed; /* id: untraced processes may use older descriptions */
	size_t let_go_work;
	int64_t missed;                /* closes that are missing in the log */
	int64_t starts[STRACE_STARTS]; /* start times of the lines of a set read last */
	unsigned starts_next;
	struct strace_unsettled *unsettled; /* ring of records whose offsets are not yet certain */
	unsigned unsettled_first, unsettled_count;
	size_t settle_lines;
	int64_t settled_ns; /* no later line of a set started before */

	struct emit emit;
	int64_t mark_ns; /* the watermark, and the line number at which it is next computed */
	uint64_t mark_again;
	uint64_t understood; /* number of lines recognized as strace */
	int status;          /* returned by next after the last event */
	bool began, ended;
	bool backwards; /* times have decreased: there is no watermark */
	/* the first member whose last line is incomplete; NULL if none */
	const struct strace_member *cut_in;
	bool summary;
	struct strace_name hash[STRACE_HASH];
	char path[PATH_CAPACITY], path2[PATH_CAPACITY], scratch[PATH_CAPACITY];
};

/* syscall_table.c */
void strace_table_init(struct strace *s);
const struct strace_entry *strace_table_find(const struct strace *s, const char *name, size_t size);

/* calls.c */
/* Processes a line with a body, in order. */
void strace_process(struct strace *s, struct strace_member *m, const struct strace_line *line);
void strace_body(struct strace *s, struct strace_task *task, int64_t time_ns, enum strace_kind kind,
		 const char *body, const char *end, struct strace_member *m);
void strace_pending_clear(struct strace *s, struct strace_task *task);

/* tasks.c */
/* Returns the task of a line. Returns NULL if the line was deferred or memory is exhausted. */
struct strace_task *strace_task_of(struct strace *s, const struct strace_line *line);
struct strace_task *strace_task_find(struct strace *s, uint32_t tid);
void strace_task_end(struct strace *s, struct strace_task *task);
void strace_task_superseded(struct strace *s, struct strace_task *leader, uint32_t tid);
void strace_tasks_release_deferred(struct strace *s, bool all);
/* deferred_lines.c: returns true if the task has deferred lines */
bool strace_is_deferred(const struct strace *s, uint32_t tid);
void strace_defer(struct strace *s, const struct strace_line *line, uint32_t tid);
/*
 * Returns the first deferred line whose task is known by now, NULL if there is none. all: accept
 * guesses.
 */
struct strace_held *strace_next_deferred(struct strace *s, bool all);
void strace_deferred_free(struct strace *s);
void strace_tasks_free(struct strace *s);
struct strace_group *strace_group_new(struct strace *s);
void strace_group_name(struct strace *s, struct strace_group *g, const char *name, size_t size);
void strace_task_free(struct strace *s, struct strace_task *t);
/* The provisional child of a pending fork: set it, take it, drop it. */
void strace_expect_child(struct strace *s, struct strace_task *parent, struct strace_task *child);
struct strace_task *strace_take_provisional(struct strace *s, struct strace_task *parent);
void strace_drop_provisional(struct strace *s, struct strace_task *parent);
bool strace_task_adopt(struct strace *s, struct strace_task *t, uint32_t tid);
/* Assigns a task its number. */
bool strace_number_task(struct strace *s, struct strace_task *t, uint32_t tid);
void strace_end_siblings(struct strace *s, const struct strace_task *left);

/* sys_fork.c */
void strace_fork_enter(struct strace *s, struct strace_call *c);
void strace_fork(struct strace *s, struct strace_call *c);
void strace_exec(struct strace *s, struct strace_call *c);
void strace_unshare(struct strace *s, struct strace_call *c);
void strace_own_number(struct strace *s, struct strace_call *c);
void strace_attached(struct strace *s, struct strace_task *parent, uint32_t tid);

/* sys_fd.c */
/*
 * Returns the slot of a descriptor, which is created if it was open before the trace; NULL if
 * invalid.
 */
struct fd_slot *strace_slot(struct strace *s, struct strace_call *c, const struct strace_fd *fd);
enum descriptor_kind strace_path_kind(const char *path, size_t size, bool block);
void strace_open(struct strace *s, struct strace_call *c);
void strace_close(struct strace *s, struct strace_call *c);
void strace_close_range(struct strace *s, struct strace_call *c);
void strace_dup(struct strace *s, struct strace_call *c);
void strace_fcntl(struct strace *s, struct strace_call *c);
void strace_ioctl(struct strace *s, struct strace_call *c);
void strace_pair(struct strace *s, struct strace_call *c);
void strace_created(struct strace *s, struct strace_call *c);
/* Returns a description for a descriptor that was open before the trace. */
struct open_description *strace_fd_found(struct strace *s, const struct strace_fd *fd);

/* Returns the file that an active open or truncate will truncate; NULL if unknown. */
struct tracked_file *strace_truncates(struct strace *s, struct strace_call *c);

/* fd_reuse.c */
int64_t strace_now(const struct strace *s);
/*
 * Returns the description that the number had when the call was entered, if it has been replaced
 * since; NULL if not, or if unknown.
 */
struct strace_gone *strace_gone(struct strace *s, const struct strace_call *c, int64_t fd);
/*
 * Returns true if its number is a guess, because strace truncated the array of the call that made
 * it.
 */
bool strace_is_candidate(const struct open_description *d);
/*
 * Returns true if the call that returned the number again may have returned after this one was
 * entered.
 */
bool strace_is_unsure(struct strace *s, const struct strace_call *c, int64_t fd);
/* Returns a slot for a descriptor about which nothing is known. It is valid until the next call. */
struct fd_slot *strace_no_slot(struct strace *s, const struct strace_fd *fd);
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

/* call_order.c */
struct fd_use strace_use(const struct strace_call *c);
bool strace_overlaps(struct strace *s, const struct strace_call *c, const struct fd_use *u);
/* Starts a call that does not return at once; c has its text. */
void strace_order_enter(struct strace *s, struct strace_call *c);
void strace_order_leave(struct strace *s, struct strace_task *t);
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
/* Delays a record of a set until its offset is certain, or certainly unknown. */
void strace_wait(struct strace *s, const struct strace_call *c, struct open_description *d,
		 bool appends, const struct iot_record *record);
void strace_settle(struct strace *s, bool all);
int64_t strace_unsettled_since(const struct strace *s);
void strace_order_free(struct strace *s);

/* sys_fd_passing.c */
void strace_sendmsg_enter(struct strace *s, struct strace_call *c);
void strace_sendmsg(struct strace *s, struct strace_call *c);
void strace_recvmsg(struct strace *s, struct strace_call *c);
void strace_messages(struct strace *s, struct strace_call *c); /* several messages per call */
/* Marks that untraced processes may use the description and write its file. */
void strace_let_go(struct strace *s, struct open_description *d);
bool strace_is_elsewhere(const struct strace *s, const struct open_description *d);
/* Handles a descriptor that no call in the log has created: it may have arrived in a message. */
void strace_appears(struct strace *s, struct open_description *d, const struct strace_fd *fd);
/*
 * Returns a description for a descriptor from another process, about which nothing else is known.
 */
struct open_description *strace_found_passed(struct strace *s, const struct strace_fd *fd);

/* sys_data.c */
void strace_read_write(struct strace *s, struct strace_call *c);
void strace_at_offset(struct strace *s, struct strace_call *c);
void strace_sendfile(struct strace *s, struct strace_call *c);
void strace_copy_range(struct strace *s, struct strace_call *c);
/*
 * Returns the slot of an argument whose bytes become records; otherwise counts the bytes as skipped
 * and returns NULL.
 */
struct fd_slot *strace_data_slot(struct strace *s, struct strace_call *c,
				 const struct strace_fd *fd, uint64_t bytes, bool write);
void strace_hidden(struct strace *s, struct strace_call *c);
void strace_mmap(struct strace *s, struct strace_call *c);
void strace_lseek(struct strace *s, struct strace_call *c);
void strace_llseek(struct strace *s, struct strace_call *c);

/* sys_aio.c */
void strace_io_submit_enter(struct strace *s, struct strace_call *c);
void strace_io_submit(struct strace *s, struct strace_call *c);
void strace_io_getevents(struct strace *s, struct strace_call *c);
void strace_io_setup(struct strace *s, struct strace_call *c);
void strace_io_uring_setup(struct strace *s, struct strace_call *c);
void strace_io_destroy(struct strace *s, struct strace_call *c);
void strace_io_cancel(struct strace *s, struct strace_call *c);
/* Withdraws the pending io_submit of a task, which will not return. */
void strace_aio_withdraw(struct strace *s, struct strace_task *t);
/* Abandons the requests of a process that exits or calls exec: their results will not be seen. */
void strace_aio_leave(struct strace *s, struct strace_group *g);
/* Returns the start of the earliest request not yet emitted; INT64_MAX if none. */
int64_t strace_aio_earliest(const struct strace *s);
void strace_aio_free(struct strace *s);

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
/* Records that a call has set the size. */
void strace_resized(struct strace *s, const struct strace_call *c, struct tracked_file *f,
		    uint64_t size);
void strace_path_op(struct strace *s, struct strace_call *c);
void strace_path_op_at(struct strace *s, struct strace_call *c);
void strace_fd_op(struct strace *s, struct strace_call *c);
void strace_two_paths(struct strace *s, struct strace_call *c);
void strace_two_paths_at(struct strace *s, struct strace_call *c);
void strace_symlink(struct strace *s, struct strace_call *c);
void strace_symlink_at(struct strace *s, struct strace_call *c);
void strace_truncate(struct strace *s, struct strace_call *c);
void strace_ftruncate(struct strace *s, struct strace_call *c);
void strace_fallocate(struct strace *s, struct strace_call *c);
void strace_chdir(struct strace *s, struct strace_call *c);
void strace_getcwd(struct strace *s, struct strace_call *c);
void strace_sync(struct strace *s, struct strace_call *c);
/* Records the working directory that strace prints with AT_FDCWD. */
void strace_learn_cwd(struct strace *s, struct strace_task *task, struct strace_text note);

enum strace_name_variant {
	STRACE_PLAIN, /* an operation without effect on the tracked state */
	STRACE_STAT,
	STRACE_ACCESS,
	STRACE_UNLINK,
	STRACE_RENAME,
	STRACE_LINK,
	STRACE_MAKE,
};

/* emit.c */
void strace_emit_trace(struct strace *s);
void strace_emit_process(struct strace *s, struct strace_group *group);
bool strace_recorded(const struct strace *s, const struct open_description *d);
/*
 * Returns the number of this description for events of the task's process; emits its %file if the
 * process has not seen it.
 */
uint32_t strace_emit_file(struct strace *s, struct strace_task *task, int64_t fd,
			  struct fd_slot *slot, int64_t from_ns);
struct strace_io {
	struct place place;
	uint64_t length;
	bool write, async;
	bool ordered; /* the offset depends on the order of calls */
	bool appends;
};
void strace_emit_record(struct strace *s, const struct strace_call *c, int64_t fd,
			struct fd_slot *slot, const struct strace_io *io);
/* The same in two steps: makes the record, after the %file that it needs; emits the event. */
void strace_make_record(struct strace *s, const struct strace_call *c, int64_t fd,
			struct fd_slot *slot, const struct strace_io *io, struct iot_record *rec);
void strace_emit_made(struct strace *s, const struct iot_record *rec);
struct strace_op {
	const char *name;
	uint32_t file;
	const char *path, *to;
	size_t path_size, to_size;
};
void strace_emit_op(struct strace *s, const struct strace_call *c, const struct strace_op *op);
void strace_count(struct strace *s, const char *name, uint64_t n);

/* log_merge.c */
int strace_log_open(struct strace *s);
/* Reads the next line in order. Returns 1, 0 at the end, or a negative status. */
int strace_log_next(struct strace *s);
void strace_log_close(struct strace *s);
uint32_t strace_log_suffix(const char *name);
int64_t strace_log_watermark(const struct strace *s);

#endif
