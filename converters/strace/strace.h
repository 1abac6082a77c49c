/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The strace converter, inside. A line is read in three steps, each a file of its own:
 *
 *	strace_line.c   prefix (pid, times) and kind of a line; the layout of a log
 *	strace_args.c   arguments and result of a call: strings, descriptors with names, flags
 *	strace_calls.c  calls put together, unfinished ones made whole
 *
 * Which calls matter: strace_table.c. What they do: strace_data.c (bytes and positions), strace_aio.c (asynchronous
 * requests and their results), strace_fds.c (descriptors), strace_passed.c (those sent to other processes),
 * Which calls matter: strace_table.c. What they do: strace_data.c (bytes and positions), strace_fds.c (descriptors),
 * strace_passed.c (those sent to other processes), strace_reuse.c (numbers that threads use again),
 * strace_order.c (calls whose order is not known),
 * strace_names.c (names, sizes, other operations), strace_tasks.c, strace_fork.c and strace_held.c (processes).
 * strace_emit.c makes the events, strace_log.c merges the members of an input into lines in order
 * of time, strace.c is the converter's face.
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
	STRACE_CALL = 1, /* name(... : whole, unfinished, or cut by foreign text */
	STRACE_RESUMED,  /* <... name resumed>... */
	STRACE_END,      /* +++ exited with 0 +++ and its like */
	STRACE_TAIL,     /* the rest of a call that foreign text had cut */
	STRACE_SKIP,     /* signals, stacks, dumps, strace's own messages, empty lines */
	STRACE_SUMMARY,  /* the head of a -c table */
	STRACE_FOREIGN,  /* anything else */
};

struct strace_line {
	const char *body, *end;
	const char *comm; /* NULL: none shown */
	size_t comm_size;
	int64_t time_ns; /* 0 where the log has no times */
	uint32_t tid;    /* 0: none shown */
	uint8_t kind;    /* enum strace_kind */
	bool bracket;    /* the pid stood in "[pid ]" */
};

/* What stands before the body of every line of a log. */
struct strace_layout {
	bool pid;                    /* a bare pid on every line */
	bool brackets;               /* [pid N] on some */
	bool colour;                 /* escapes to be taken out */
	bool clock, epoch, relative; /* times: of the day, since 1970, since the line before */
	bool duration;
	bool starts_with_exec; /* the log has the traced processes from their beginning */
	bool decided;
	uint64_t tick_ns;
};

/* Running times of one log. */
struct strace_clock {
	int64_t day_ns, last_ns, sum_ns;
	uint64_t seconds; /* of the last time since 1970, and its digits */
	char digits[16];
	bool seen;
};

/* Reads prefix and kind; a line that does not fit the layout is STRACE_FOREIGN. */
void strace_line_parse(const struct strace_layout *layout, struct strace_clock *clock,
		       const char *text, const char *end, struct strace_line *line);
/* Looks at the first lines of a log. False: nothing in them looks like strace. */
bool strace_layout_detect(const char *head, size_t size, struct strace_layout *layout,
			  int64_t *first_ns, unsigned *calls, unsigned *lines);
/* Cuts " <0.000012>" off the end; returns the new end. digits: of the fraction. */
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
	int64_t number;          /* STRACE_CWD: AT_FDCWD */
	struct strace_text note; /* what stands in <>, still escaped; p NULL: nothing */
	bool deleted;
};

enum { STRACE_CWD = -100, STRACE_NO_FD = -1 };

/*
 * Splits the arguments behind '(' at their commas; returns the place behind the closing bracket,
 * or NULL if it is not there, with the arguments so far. joined: foreign text ends here, brackets before do not count.
 */
const char *strace_split(const char *p, const char *end, const char *joined,
			 struct strace_text *args, unsigned max, unsigned *count);
bool strace_number(struct strace_text arg, int64_t *value);
/* Move *at past a number, or a word, if it is there. */
bool strace_digits(const char **at, const char *end, int64_t *value);
bool strace_skip(const char **at, const char *end, const char *word);
/* The number behind `key` ("st_size=") at any place of the text. */
bool strace_field(struct strace_text text, const char *key, int64_t *value);
struct strace_fd strace_fd(struct strace_text arg);
/* The text between quotes, unescaped to out (room bytes at most); false: no string. */
bool strace_string(struct strace_text arg, char *out, size_t capacity, size_t *size);
size_t strace_unescape(struct strace_text raw, char *out, size_t capacity);
bool strace_is(struct strace_text arg, const char *word);
bool strace_has_flag(struct strace_text arg, const char *word); /* a whole word in A|B|C */

enum strace_open_flag { /* of the traced system, as -X raw shows them */
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
	STRACE_DATA = 1,     /* moves bytes of files: its entry holds the watermark back */
	STRACE_OP = 2,       /* gives a dated %op */
	STRACE_FORK = 4,     /* takes effect at its entry */
	STRACE_READS = 8,    /* may wait for long on what is no file */
	STRACE_PRIVATE = 16, /* makes a descriptor that is close-on-exec always */
	STRACE_SENDS = 32,   /* what it sends may arrive before it returns */
	STRACE_SUBMITS = 64, /* what it starts may complete before it returns */
	STRACE_MOVES = 128,  /* uses the position of its descriptor */
	STRACE_WRITES = 256, /* may change the size of its file */
	STRACE_COPIES = 512, /* has two descriptors */
	STRACE_OPENS = 1024, /* of a name, which it may truncate */
};

struct strace_entry {
	const char *name;
	void (*run)(struct strace *s, struct strace_call *c);
	unsigned class; /* enum strace_class */
	int variant;    /* what it means is run's business */
	const char *op; /* name of its %op */
};

/* A place of the hash table of calls. */
struct strace_name {
	const struct strace_entry *entry; /* NULL: free */
	uint64_t head;                    /* the first bytes of the name */
	size_t size;
};

enum strace_pending {
	STRACE_IDLE,
	STRACE_WAITING, /* an unfinished call, its text kept */
	STRACE_IGNORED, /* one whose end will say nothing */
};

/* A process: its threads share an id. */
struct strace_group {
	uint32_t refs, id, parent, thread_of;
	uint32_t pid;
	bool announced;
	char *name; /* of its program, or NULL */
	size_t name_size;
	struct strace_group *leader;     /* of a thread that is a process of its own; or NULL */
	struct strace_context *contexts; /* of io_setup; a thread's are its leader's */
	unsigned context_count;
};

/* What a call that has not returned yet uses. */
struct strace_using {
	struct open_description *open; /* its position; NULL: none */
	struct tracked_file *file;     /* its size; NULL: none */
};

struct strace_task {
	uint32_t tid;
	struct strace_group *group;
	struct fd_table *table;
	struct directory *cwd;
	struct strace_task *prev, *next; /* all that are alive */
	/* The call that has not returned yet */
	struct strace_task *waiting_prev, *waiting_next; /* those that hold the watermark back */
	bool waits, counted;
	uint8_t pending; /* enum strace_pending */
	const struct strace_entry *entry;
	int64_t entry_ns, entered;
	struct strace_using using[2];
	char *text;
	size_t text_size, text_capacity;
	bool posted;                       /* ... has sent descriptors already */
	struct strace_request *submitting; /* ... has submitted these, if it succeeds */
	struct strace_task *provisional;   /* the child that a pending fork will have */
	struct strace_task *forking_prev, *forking_next; /* those that have one */
	bool thread;                                     /* of its parent's process */
	struct strace_task *peer_prev,
	    *peer_next;                     /* threads of a process, a ring; NULL: none yet */
	struct strace_member *cut_in;       /* where its call has been cut */
	bool adopted;                       /* seen without a fork before it */
	bool shared;                        /* its number is that of processes in several logs */
	const struct strace_member *member; /* of the current line */
	unsigned returns;                   /* to the log of an earlier line from another one */
	uint32_t turn;                      /* lines so far */
	int64_t starts[STRACE_TURNS],
	    next_start; /* in a set: times of the current line, and of the next */
};

struct strace_call {
	const struct strace_entry *entry;
	struct strace_task *task;
	struct strace_text arg[STRACE_ARGS];
	unsigned args;
	int64_t start_ns, end_ns;
	int64_t entered, left; /* the same for comparisons: lines of one log, times of a set */
	uint64_t duration_ns;
	bool duration_known;
	bool returned; /* the result is a number */
	bool failed;
	int64_t result;
	struct strace_text error; /* errno's name */
	struct strace_fd fd;      /* the result's, with its name */
};

/* A line that cannot be understood before its process's parent is known. */
struct strace_held {
	struct strace_held *next;
	int64_t time_ns;
	uint32_t tid;
	uint8_t kind;
	size_t size;
	char body[];
};

/* What a descriptor had open before it was closed or replaced. */
struct strace_gone {
	uint32_t table; /* id */
	int64_t fd, until;
	bool last; /* it was the last one of its description */
	struct fd_slot slot;
};

/* A number that a call has returned while it seemed to be in use. */
struct strace_owed {
	uint32_t table; /* id; 0: its close has come */
	int64_t fd;
	struct fd_use by;
	struct open_description *open; /* what it had open, since then, and which call made it so */
	int64_t since;
	struct fd_use first; /* left 0: not known */
};

/* A number that a call of a set has returned. */
struct strace_installed {
	uint32_t table; /* id */
	int64_t fd;
	struct fd_use by;
};

enum strace_use_kind {
	STRACE_ADDS = 1,  /* moves the position, or the end, by what it transfers */
	STRACE_GROWS = 2, /* a write beyond the end */
	STRACE_SETS = 4,
};

/* Members, one log each */

struct strace_member {
	size_t index;
	struct bufreader *bufreader;
	struct strace_layout layout;
	struct strace_clock clock;
	uint32_t tid; /* of all its lines, where they show none; 0: not known */
	uint64_t line_number;
	const char *shown, *at, *limit; /* what the window shows; the lines from `at` are to come */
	const char *raw, *raw_end;      /* the current line as it stands there */
	struct strace_line line;
	int64_t key_ns; /* when the current line takes effect */
	int64_t first_ns, last_ns;
	bool opened;
	bool cut;      /* the current line has no LF */
	bool ends_cut; /* ... and is not whole */
	char *clean;   /* a line without colours */
	size_t clean_capacity;
	struct strace_task *partial; /* whose call was cut by foreign text */
	unsigned partial_lines;
	bool partial_ignored; /* the same for a call that says nothing */
};

/* The option of strace that shows whole the arrays that -s cuts; the manual recommends it. */
#define STRACE_ARRAYS "-e 'abbrev=!/io_|msg|pipe|pair'"

enum {
	STRACE_HASH = 1024, /* of the table of calls; a power of two */
	STRACE_HELD_LINES = 20000,
	STRACE_HELD_BYTES = 64 << 20,
	STRACE_LINE_MAX = (16 << 20) - (64 << 10), /* what a window holds, nearly */
	STRACE_PID_MAX = 4194304,
	STRACE_RANK_MAX = INT32_MAX,
	STRACE_HOST_MAX = 255,
	STRACE_GONE = 256,
	STRACE_OWED = 64,
	STRACE_STARTS = 256,
};

/* What is no file: its reads and writes are counted, and become records with --all only. */
enum strace_skipped_kind {
	STRACE_SKIPPED_PIPE,
	STRACE_SKIPPED_SOCKET,
	STRACE_SKIPPED_TERMINAL,
	STRACE_SKIPPED_DEVICE,
	STRACE_SKIPPED_MEMFD,
	STRACE_SKIPPED_STANDARD, /* descriptors 0 to 2 that the log does not name */
	STRACE_SKIPPED_OTHER,
	STRACE_SKIPPED_KINDS,
};

struct strace_skipped {
	uint64_t calls, bytes[2]; /* read, written */
};

struct strace {
	struct source_state *src;
	struct fdtable tracker;
	size_t logs, clocks, epochs;        /* members that are logs, and those with such times */
	bool has_time, brackets, durations; /* of the logs */
	bool threads, all;                  /* options */
	bool ranked;
	uint64_t rank;    /* of all processes, if ranked */
	const char *host; /* NULL: unknown */

	/* Members: a heap of those that have a line, by time */
	struct strace_member *member;
	size_t members;
	size_t windows, windows_max; /* open, and how many may be */
	uint32_t *heap;
	size_t heap_size;
	struct strace_member *current;
	int64_t now_ns;

	/* Tasks by tid */
	struct strace_task **task; /* open addressing; tid 0 is `numberless` */
	size_t task_capacity, task_count;
	struct strace_task *alive, *oldest; /* list of all, and its end */
	struct strace_task *waiting;        /* list of those with a dated call pending */
	struct strace_task *waiting_last;
	struct strace_task *numberless; /* the first process while its number is not known */
	struct strace_task *last;       /* a small cache */
	uint8_t *used_ids;              /* bitmap of process ids given */
	struct strace_task *forking;    /* list of those with a fork pending */
	uint32_t next_id, forks_pending;
	uint32_t adopted;         /* seen without a fork before them */
	bool whole, forks_hidden; /* every process descends from the first; forks are not shown */
	bool forks;               /* the log shows any */
	bool appeared;            /* descriptors above 2 that no call has returned */
	uint64_t others;          /* calls that say nothing of files */
	bool releasing;
	bool release_due; /* a fork has returned a number that lines may be held for */
	struct strace_held *held, **held_tail;
	size_t held_lines, held_bytes;
	struct idmap held_ids; /* of tasks that have held lines */
	uint32_t *held_of;     /* lines of each */
	size_t held_capacity;

	struct {
		struct strace_request *first, *last; /* outstanding, or not yet written */
		struct strace_aio_class **bucket;
		size_t requests, classes;
		uint64_t setups, submits, rings; /* calls */
	} aio;

	struct strace_skipped skipped[STRACE_SKIPPED_KINDS];
	/* What threads do to each other: strace_reuse.c, strace_order.c */
	struct strace_gone gone[STRACE_GONE];
	struct strace_owed owed[STRACE_OWED];
	struct strace_installed installed[STRACE_GONE];
	unsigned gone_next, owed_next, installed_next;
	struct fd_slot unknown;
	bool unix_sockets, messages, cut_messages; /* the log shows any */
	bool passed_noted, untimed_noted;
	uint32_t passed; /* id: any description before may be used where nobody sees it */
	size_t let_go_work;
	int64_t missed;                /* closes that the log does not show */
	int64_t starts[STRACE_STARTS]; /* of the lines of a set that were read last */
	unsigned starts_next;
	struct strace_unsettled *unsettled; /* a ring */
	unsigned unsettled_first, unsettled_count;
	size_t settle_lines;
	int64_t settled_ns; /* no line of a set to come began before */

	struct emit emit;
	int64_t mark_ns; /* the watermark, and the line at which it is looked for again */
	uint64_t mark_again;
	uint64_t understood; /* lines of a trace seen */
	int status;          /* what next says after the last event */
	bool began, ended;
	bool backwards;                     /* times have gone back: there is no watermark */
	const struct strace_member *cut_in; /* the first whose last line is not whole; NULL: none */
	bool summary;
	struct strace_name hash[STRACE_HASH];
	char path[PATH_CAPACITY], path2[PATH_CAPACITY], scratch[PATH_CAPACITY];
};

/* strace_table.c */
void strace_table_init(struct strace *s);
const struct strace_entry *strace_table_find(const struct strace *s, const char *name, size_t size);

/* strace_calls.c */
/* A line with a body, in its order. */
void strace_process(struct strace *s, struct strace_member *m, const struct strace_line *line);
void strace_body(struct strace *s, struct strace_task *task, int64_t time_ns, enum strace_kind kind,
		 const char *body, const char *end, struct strace_member *m);
void strace_pending_clear(struct strace *s, struct strace_task *task);

/* strace_tasks.c */
/* The task of a line; NULL: the line has been put aside, or there is no memory. */
struct strace_task *strace_task_of(struct strace *s, const struct strace_line *line);
struct strace_task *strace_task_find(struct strace *s, uint32_t tid);
void strace_task_end(struct strace *s, struct strace_task *task);
void strace_task_superseded(struct strace *s, struct strace_task *leader, uint32_t tid);
void strace_tasks_release_deferred(struct strace *s, bool all);
/* strace_held.c: whether there are held lines of a task */
bool strace_is_deferred(const struct strace *s, uint32_t tid);
void strace_defer(struct strace *s, const struct strace_line *line, uint32_t tid);
/* The first held line whose task is known by now; all: guessed, if need be. NULL: there is none. */
struct strace_held *strace_next_deferred(struct strace *s, bool all);
void strace_deferred_free(struct strace *s);
void strace_tasks_free(struct strace *s);
struct strace_group *strace_group_new(struct strace *s);
void strace_group_name(struct strace *s, struct strace_group *g, const char *name, size_t size);
void strace_task_free(struct strace *s, struct strace_task *t);
/* The child that a pending fork will have: laid aside, taken back, forgotten. */
void strace_expect_child(struct strace *s, struct strace_task *parent, struct strace_task *child);
struct strace_task *strace_take_provisional(struct strace *s, struct strace_task *parent);
void strace_drop_provisional(struct strace *s, struct strace_task *parent);
bool strace_task_adopt(struct strace *s, struct strace_task *t, uint32_t tid);
/* Gives a task its number. */
bool strace_number_task(struct strace *s, struct strace_task *t, uint32_t tid);
void strace_end_siblings(struct strace *s, const struct strace_task *left);

/* strace_fork.c */
void strace_fork_enter(struct strace *s, struct strace_call *c);
void strace_fork(struct strace *s, struct strace_call *c);
void strace_exec(struct strace *s, struct strace_call *c);
void strace_unshare(struct strace *s, struct strace_call *c);
void strace_own_number(struct strace *s, struct strace_call *c);
void strace_attached(struct strace *s, struct strace_task *parent, uint32_t tid);

/* strace_fds.c */
/* The descriptor, made up if it was open before the trace; NULL: none. */
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
/* For a descriptor that was open before we saw it. */
struct open_description *strace_fd_found(struct strace *s, const struct strace_fd *fd);

/* The file that an open or truncate under way is going to truncate; NULL: none that is known. */
struct tracked_file *strace_truncates(struct strace *s, struct strace_call *c);

/* strace_reuse.c */
int64_t strace_now(const struct strace *s);
/* What the number had open when the call was entered, if that is gone; NULL: it is not, or is not known. */
struct strace_gone *strace_gone(struct strace *s, const struct strace_call *c, int64_t fd);
/* May the call that returned the number again have returned after this one was entered? */
/* Whether its number is a guess: strace has cut the array of the call that made it. */
bool strace_is_candidate(const struct open_description *d);
bool strace_is_unsure(struct strace *s, const struct strace_call *c, int64_t fd);
/* For a descriptor of which nothing is known. It holds until the next one. */
struct fd_slot *strace_no_slot(struct strace *s, const struct strace_fd *fd);
/* Has what this close is about been closed before, as another call returned the number since? */
bool strace_is_late(struct strace *s, const struct strace_call *c, int64_t fd);
void strace_release(struct strace *s, const struct strace_call *c, int64_t fd);
/* Puts a description, the reference included, where a call has returned a number. */
struct fd_slot *strace_install(struct strace *s, struct strace_call *c, int64_t fd,
			       struct open_description *d, bool cloexec);
/* dup; chosen: the caller has chosen the number, as in dup2. */
void strace_copy(struct strace *s, struct strace_call *c, const struct strace_fd *from, int64_t to,
		 bool cloexec, bool chosen);
void strace_reuse_free(struct strace *s);

/* strace_order.c */
struct fd_use strace_use(const struct strace_call *c);
bool strace_overlaps(struct strace *s, const struct strace_call *c, const struct fd_use *u);
/* A call begins that does not return at once: c has its text. */
void strace_order_enter(struct strace *s, struct strace_call *c);
void strace_order_leave(struct strace *s, struct strace_task *t);
/*
 * Has another task used the position, or the size, at the same time? The call counts as its last use.
 * `disputed` of the description or file says whether the value is not known afterwards. kind: enum
 * strace_use_kind; 0 for the size: it is only looked at.
 */
bool strace_position_race(struct strace *s, const struct strace_call *c, struct open_description *d,
			  unsigned kind);
bool strace_size_race(struct strace *s, const struct strace_call *c, struct tracked_file *f,
		      unsigned kind);
/* A call shows the size, unless others change it at the same time. */
void strace_learn_size(struct strace *s, const struct strace_call *c, struct tracked_file *f,
		       uint64_t size);
/* A record of a set is kept until its offset is sure, or known not to be. */
void strace_wait(struct strace *s, const struct strace_call *c, struct open_description *d,
		 bool appends, const struct iot_record *record);
void strace_settle(struct strace *s, bool all);
int64_t strace_unsettled_since(const struct strace *s);
void strace_order_free(struct strace *s);

/* strace_passed.c */
void strace_sendmsg_enter(struct strace *s, struct strace_call *c);
void strace_sendmsg(struct strace *s, struct strace_call *c);
void strace_recvmsg(struct strace *s, struct strace_call *c);
void strace_messages(struct strace *s, struct strace_call *c); /* many at once */
/* Others may use the description, and write its file, where the log does not show it. */
void strace_let_go(struct strace *s, struct open_description *d);
bool strace_is_elsewhere(const struct strace *s, const struct open_description *d);
/* A descriptor is used that no call of the log has made: it may have come in a message. */
void strace_appears(struct strace *s, struct open_description *d, const struct strace_fd *fd);
/* For one from another process, of which nothing else is known. */
struct open_description *strace_found_passed(struct strace *s, const struct strace_fd *fd);

/* strace_data.c */
void strace_read_write(struct strace *s, struct strace_call *c);
void strace_at_offset(struct strace *s, struct strace_call *c);
void strace_sendfile(struct strace *s, struct strace_call *c);
void strace_copy_range(struct strace *s, struct strace_call *c);
/* The descriptor of an argument if its bytes are to be recorded; else they are counted as skipped. */
struct fd_slot *strace_data_slot(struct strace *s, struct strace_call *c,
				 const struct strace_fd *fd, uint64_t bytes, bool write);
void strace_hidden(struct strace *s, struct strace_call *c);
void strace_mmap(struct strace *s, struct strace_call *c);
void strace_lseek(struct strace *s, struct strace_call *c);
void strace_llseek(struct strace *s, struct strace_call *c);

/* strace_aio.c */
void strace_io_submit_enter(struct strace *s, struct strace_call *c);
void strace_io_submit(struct strace *s, struct strace_call *c);
void strace_io_getevents(struct strace *s, struct strace_call *c);
void strace_io_setup(struct strace *s, struct strace_call *c);
void strace_io_uring_setup(struct strace *s, struct strace_call *c);
void strace_io_destroy(struct strace *s, struct strace_call *c);
void strace_io_cancel(struct strace *s, struct strace_call *c);
/* The io_submit that a task has pending will not return. */
void strace_aio_withdraw(struct strace *s, struct strace_task *t);
/* A process ends, or its program does: the results of its requests will not be seen. */
void strace_aio_leave(struct strace *s, struct strace_group *g);
/* Start of the earliest request that is not written yet; INT64_MAX: there is none. */
int64_t strace_aio_earliest(const struct strace *s);
void strace_aio_free(struct strace *s);

/* strace_names.c */
/* The path at arg (relative to `dir`, or to the working directory) to out; 0: not known. */
size_t strace_path(struct strace *s, struct strace_call *c, const struct strace_fd *dir,
		   struct strace_text arg, char *out);
/* The descriptor that "/proc/self/fd/3", "/dev/fd/3" and the like stand for; NULL: the path is none. */
struct fd_slot *strace_slot_of_path(struct strace *s, struct strace_call *c, const char *path,
				    size_t size);
/* The file that a path leads to, as far as it is known. */
struct tracked_file *strace_file_at(struct strace *s, struct strace_call *c, const char *path,
				    size_t size);
/* A call has set the size. */
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
/* Working directory as shown beside AT_FDCWD. */
void strace_learn_cwd(struct strace *s, struct strace_task *task, struct strace_text note);

enum strace_name_variant {
	STRACE_PLAIN, /* an operation that changes nothing here */
	STRACE_STAT,
	STRACE_ACCESS,
	STRACE_UNLINK,
	STRACE_RENAME,
	STRACE_LINK,
	STRACE_MAKE,
};

/* strace_emit.c */
void strace_emit_trace(struct strace *s);
void strace_emit_process(struct strace *s, struct strace_group *group);
bool strace_recorded(const struct strace *s, const struct open_description *d);
/* Number of this description for events of the task's process, %file first if it is new there. */
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
/* The same in two steps: the record, after the %file that it needs; and the event. */
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

/* strace_log.c */
int strace_log_open(struct strace *s);
/* The next line in order; 1, 0 at the end, or a negative status. */
int strace_log_next(struct strace *s);
void strace_log_close(struct strace *s);
uint32_t strace_log_suffix(const char *name);
int64_t strace_log_watermark(const struct strace *s);

#endif
