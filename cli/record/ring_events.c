/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptions are defined by RECORD_OPEN, which starts before every use. A definition is freed
 * when its process closes it, unless a child may have inherited it.
 */
#include "ring_events.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "lib/base/array.h"
#include "lib/base/error.h"
#include "lib/base/number.h"
#include "lib/format/open_flags.h"
#include "file_maps.h"
#include "launch.h"
#include "ring.h"
#include "untraced.h"

enum {
	TEXT_CAPACITY = 1 << 20,
	DIRECTIVE_MAX = IOT_COMMENT_MAX - 4,
	RECORD_MARGIN = 16, /* bytes after a copy of a record that may be read */
	LATE_NS = 10000000, /* an operation that precedes other events by so much came late */
};

struct description {
	char *path; /* NULL: none */
	uint32_t object;
	uint32_t opener, forks; /* the process, and its forks up to then */
	uint32_t mode, flags;   /* flags: of open */
	bool skipped;
};

struct tracked {
	char *name;     /* of the program */
	char *awaited;  /* program that exec or a parent has announced, until it starts */
	int32_t result; /* ... of that exec: enum record_exec */
	bool declared; /* as %process, with its name, in this part of the trace or an earlier one */
	bool counted;  /* in the totals */
	uint32_t part; /* the last one that declares it */
	uint32_t shown;              /* the number of its parent, as declared; 0: none */
	int64_t cpu_ns, cpu_zero_ns; /* CPU times: of its last record, and zero in this part */
	bool started;                /* a program with the library, or the child of one */
	uint32_t parent;             /* pid; 0: unknown */
	int64_t rank;                /* -1: none */
	uint32_t forks;
	uint32_t next_thread; /* of the same process; 0: none */
	bool linked;          /* as a thread, from its process */
	struct idmap known;   /* description -> index + 1 of its definition, in `file` */
	uint32_t *file;
	size_t file_capacity;
	uint64_t skipped[3]; /* calls, bytes read, bytes written */
	/* read and written bytes: of transfers; of the kernel, before the first program, at the end */
	uint64_t moved[2], before[2], kernel[2];
	uint64_t children[2]; /* part of `kernel`: of children that have ended, with theirs */
	bool has_kernel;
};

struct ring_events {
	struct iot_writer *w;
	const struct processes *processes;
	const struct clock_map *clock;
	const struct ring_events_options *options;
	int64_t last_ns; /* the latest start so far */
	struct ring_events_totals totals;
	struct tracked *tracked; /* of each process */
	size_t tracked_capacity;
	struct idmap numbers; /* description -> its definition, in `description` */
	struct description *description;
	size_t description_capacity;
	struct idmap identities; /* hash of device, inode and birth -> object - 1 */
	struct file_maps maps;
	/* output that has not been written: events or operations, RING_BATCH of each */
	struct iot_event *out;
	struct iot_operation *operation;
	size_t count, operations;
	uint32_t part; /* of the trace, from 0 */
	bool has_times;
	char *text; /* TEXT_CAPACITY bytes, of the output */
	size_t used;
	int status;
};

struct ring_events *ring_events_new(struct iot_writer *w, const struct processes *processes,
				    const struct clock_map *clock,
				    const struct ring_events_options *options)
{
	struct ring_events *e = calloc(1, sizeof(*e));
	char *text = malloc(TEXT_CAPACITY);
	struct iot_event *out = malloc(RING_BATCH * sizeof(*out));
	struct iot_operation *operation = malloc(RING_BATCH * sizeof(*operation));
	if (e == NULL || text == NULL || out == NULL || operation == NULL) {
		free(e);
		free(text);
		free(out);
		free(operation);
		return NULL;
	}
	e->w = w;
	e->processes = processes;
	e->clock = clock;
	e->options = options;
	e->text = text;
	e->out = out;
	e->operation = operation;
	return e;
}

static void forget_process(struct tracked *t)
{
	free(t->name);
	free(t->awaited);
	free(t->file);
	idmap_free(&t->known);
	*t = (struct tracked){.rank = -1};
}

void ring_events_free(struct ring_events *e)
{
	if (e == NULL)
		return;
	for (size_t i = 0; i < e->tracked_capacity; i++)
		forget_process(&e->tracked[i]);
	for (size_t i = 0; i < e->description_capacity; i++)
		free(e->description[i].path);
	idmap_free(&e->numbers);
	idmap_free(&e->identities);
	file_maps_free(&e->maps);
	free(e->tracked);
	free(e->description);
	free(e->text);
	free(e->out);
	free(e->operation);
	free(e);
}

const struct ring_events_totals *ring_events_totals(const struct ring_events *e)
{
	return &e->totals;
}

/* Output */

static int fail(struct ring_events *e, int status)
{
	if (e->status == IOT_OK)
		e->status = status;
	return e->status;
}

static void flush(struct ring_events *e)
{
	if (e->status == IOT_OK && e->count > 0)
		(void)fail(e, iot_writer_events(e->w, e->out, e->count));
	if (e->status == IOT_OK && e->operations > 0)
		(void)fail(e, iot_writer_operations(e->w, e->operation, e->operations));
	e->count = e->operations = e->used = 0;
}

/* Returns a time of the trace. */
static int64_t time_of(const struct ring_events *e, uint64_t time)
{
	const uint64_t zero = e->clock->sample[0].ns, ns = clock_map_ns(e->clock, time);
	return ns < zero ? 0 : ns - zero > INT64_MAX ? INT64_MAX : (int64_t)(ns - zero);
}

static struct iot_event *next_event(struct ring_events *e)
{
	if (e->count == RING_BATCH || e->operations > 0)
		flush(e);
	return &e->out[e->count++];
}

static void begin(struct ring_events *e, struct iot_builder *b, const char *name)
{
	if (TEXT_CAPACITY - e->used < DIRECTIVE_MAX || e->count == RING_BATCH || e->operations > 0)
		flush(e);
	iot_directive_begin(b, e->text + e->used, DIRECTIVE_MAX, name);
}

/*
 * A directive that is too long is left out; the events that it belongs to remain. The writer parses
 * the text, so it is not parsed here.
 */
static void end(struct ring_events *e, const struct iot_builder *b)
{
	if (b->status != IOT_OK)
		return;
	e->out[e->count++] = (struct iot_event){.kind = IOT_DIRECTIVE, .text = {b->data, b->size}};
	e->used += b->size;
}

static void add_text(struct iot_builder *b, const char *key, const char *value)
{
	iot_directive_text(b, key, value, strlen(value));
}

/* Processes */

static struct tracked *tracked_of(struct ring_events *e, uint32_t index)
{
	const size_t before = e->tracked_capacity;
	if (index < before)
		return &e->tracked[index];
	if (!array_reserve_index(&e->tracked, &e->tracked_capacity, index, sizeof(*e->tracked))) {
		(void)fail(e, IOT_ENOMEM);
		return NULL;
	}
	for (size_t i = before; i < e->tracked_capacity; i++)
		e->tracked[i].rank = -1;
	return &e->tracked[index];
}

/* A parent may end before a later part of the trace repeats the definition of its child. */
static uint32_t shown_parent(const struct ring_events *e, uint32_t index)
{
	const struct process *p = &e->processes->process[index];
	const uint32_t pid = e->tracked[index].parent != 0 ? e->tracked[index].parent : p->parent;
	const size_t parent =
	    p->thread_of == UINT32_MAX ? processes_known(e->processes, index, pid) : SIZE_MAX;
	return parent != SIZE_MAX && parent != index ? e->processes->process[parent].id : 0;
}

/* Ranks of other hosts may have traces of their own, which merge and analyze join. */
static void add_rank(struct iot_builder *b, int64_t rank)
{
	char host[HOST_NAME_MAX + 1] = "";
	iot_directive_number(b, "rank", (uint64_t)rank);
	if (gethostname(host, sizeof(host) - 1) == 0)
		add_text(b, "host", host);
}

static void begin_process(struct ring_events *e, struct iot_builder *b, uint32_t index)
{
	const struct process *p = &e->processes->process[index];
	const bool is_thread = p->thread_of != UINT32_MAX;
	const struct tracked *t = &e->tracked[is_thread ? p->thread_of : index];
	const uint32_t parent =
	    e->tracked[index].declared ? e->tracked[index].shown : shown_parent(e, index);
	begin(e, b, "process");
	iot_directive_number(b, "id", p->id);
	if (t->name != NULL)
		add_text(b, "name", t->name);
	if (t->rank >= 0)
		add_rank(b, t->rank);
	if (is_thread)
		iot_directive_number(b, "thread-of", e->processes->process[p->thread_of].id);
	if (parent != 0)
		iot_directive_number(b, "parent", parent);
	if (p->id != p->pid)
		iot_directive_number(b, "pid", p->pid);
}

/* A process, or a thread after its process; once in each part of the trace. */
static void declare_process(struct ring_events *e, uint32_t index)
{
	const struct process *process = &e->processes->process[index];
	struct tracked *t = &e->tracked[index];
	struct iot_builder b;
	if (t->declared && t->part == e->part)
		return;
	if (!t->declared)
		t->shown = shown_parent(e, index);
	t->declared = true;
	t->part = e->part;
	if (process->thread_of != UINT32_MAX)
		declare_process(e, process->thread_of);
	else
		e->totals.processes += !t->counted;
	t->counted = true;
	begin_process(e, &b, index);
	end(e, &b);
}

/* Repeats the definition that an earlier part of the trace has. */
static void repeat_process(struct ring_events *e, uint32_t index)
{
	if (e->tracked[index].declared)
		declare_process(e, index);
}

/* Returns a copy of text, NULL if it is empty. */
static char *copy_text(struct ring_events *e, const char *text)
{
	char *copy = text != NULL && *text != '\0' ? strdup(text) : NULL;
	if (copy == NULL && text != NULL && *text != '\0')
		(void)fail(e, IOT_ENOMEM);
	return copy;
}

static void await(struct ring_events *e, struct tracked *t, const char *program, int32_t result)
{
	free(t->awaited);
	t->awaited = copy_text(e, program);
	t->result = result;
}

void ring_events_expect(struct ring_events *e, uint32_t process, const char *program)
{
	struct tracked *t = tracked_of(e, process);
	if (t != NULL)
		await(e, t, program, 0);
}

/* A program or the child of a fork: its name is the announced one, its parent's, or argv[0]. */
static void on_start(struct ring_events *e, uint32_t index, const struct record_start *s)
{
	struct tracked *t = &e->tracked[index];
	const size_t parent = processes_known(e->processes, index, s->parent);
	const char *name = s->command_size > 0 ? s->text : NULL;
	if (s->head.code == 1 && parent < e->tracked_capacity && e->tracked[parent].name != NULL)
		name = e->tracked[parent].name;
	else if (t->awaited != NULL)
		name = t->awaited;
	char *copy = copy_text(e, name);
	free(t->name);
	t->name = copy;
	t->rank = s->rank < 0 ? -1 : s->rank;
	if (!t->started) {
		t->parent = s->parent;
		t->before[0] = s->rchar;
		t->before[1] = s->wchar;
	} else {
		t->before[0] += s->loader;
	}
	t->declared = false;
	t->started = true;
	free(t->awaited);
	t->awaited = NULL;
}

/* The program of a child of vfork is recorded before it starts. */
static void on_child(struct ring_events *e, uint32_t index, const struct record_child *c)
{
	const size_t child = processes_known(e->processes, index, c->pid);
	if (c->head.code == RECORD_FORK)
		e->tracked[index].forks++;
	const bool has_program = c->head.code != RECORD_FORK && c->text_size > 0;
	if (child == SIZE_MAX || e->options->no_follow ||
	    (!has_program && c->head.code != RECORD_EXEC_FAILED))
		return;
	struct tracked *t = tracked_of(e, (uint32_t)child);
	if (t != NULL && !t->started)
		await(e, t, has_program ? c->text : NULL, c->why);
}

/* Files */

static bool is_below(const char *path, const char *directory)
{
	const size_t n = strlen(directory);
	return strncmp(path, directory, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

static bool is_skipped(const struct ring_events *e, const char *path)
{
	const struct ring_events_options *o = e->options;
	if (glob_list_match(&o->skipped, path))
		return true;
	if (o->paths.count > 0)
		return !glob_list_match(&o->paths, path);
	if (path[0] != '/' || (path[1] != 'd' && path[1] != 'p' && path[1] != 's'))
		return false;
	return (is_below(path, "/dev") && !is_below(path, "/dev/shm")) || is_below(path, "/proc") ||
	       is_below(path, "/sys");
}

/* Returns a number that is not 0 if a byte of x is c, and possibly if none is. */
static uint64_t has_byte(uint64_t x, char c)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), zero = x ^ ones * (unsigned char)c;
	return (zero - ones) & ~zero & ones << 7;
}

/*
 * Returns true only if no slash of a path precedes another, a dot, or the end. RECORD_MARGIN bytes
 * after the path are read.
 */
static bool is_normal(const char *path, size_t n)
{
	uint64_t x, next;
	for (size_t i = 0; i < n; i += sizeof(x)) {
		memcpy(&x, path + i, sizeof(x));
		memcpy(&next, path + i + 1, sizeof(next));
		if ((has_byte(x, '/') &
		     (has_byte(next, '/') | has_byte(next, '.') | has_byte(next, '\0'))) != 0)
			return false;
	}
	return true;
}

/*
 * Removes ".", ".." and double slashes from an absolute path in place. Symbolic links are not
 * followed.
 */
static void normalize(char *path)
{
	size_t n = 0;
	for (const char *p = path; *p != '\0';) {
		p += strspn(p, "/");
		const size_t size = strcspn(p, "/");
		if (size == 2 && memcmp(p, "..", 2) == 0) {
			while (n > 0 && path[--n] != '/')
				;
		} else if (size > 0 && !(size == 1 && *p == '.')) {
			path[n++] = '/';
			memmove(path + n, p, size);
			n += size;
		}
		p += size;
	}
	if (n == 0)
		path[n++] = '/';
	path[n] = '\0';
}

/* Returns the path of a record, normalized in place; NULL if it has none, or an empty one. */
static const char *path_of(char *text, uint32_t size)
{
	if (size == 0 || *text == '\0')
		return NULL;
	if (*text == '/' && !is_normal(text, size - 1))
		normalize(text);
	return text;
}

static uint32_t object_of(struct ring_events *e, const struct record_open *o)
{
	const uint64_t identity[] = {o->device, o->inode, (uint64_t)o->birth};
	if (o->inode == 0 || e->identities.count >= RING_OBJECTS_MAX)
		return 0;
	const size_t n = idmap_number(&e->identities, XXH3_64bits(identity, sizeof(identity)));
	if (n != SIZE_MAX)
		return (uint32_t)n + 1;
	(void)fail(e, IOT_ENOMEM);
	return 0;
}

/* Returns the definition of a description, NULL if it is unknown. */
static struct description *find_description(struct ring_events *e, uint32_t number)
{
	const size_t n = idmap_find(&e->numbers, number);
	return n != SIZE_MAX && n < e->description_capacity ? &e->description[n] : NULL;
}

static void see_file(struct ring_events *e, const struct description *d,
		     const struct record_open *o)
{
	const struct file_identity identity = {o->device, o->inode, o->birth};
	if (e->options->extents && S_ISREG(d->mode) && !d->skipped &&
	    !file_maps_see(&e->maps, d->object, d->path, &identity))
		(void)fail(e, IOT_ENOMEM);
}

static void define(struct ring_events *e, uint32_t index, const struct record_open *o,
		   const char *path)
{
	if (find_description(e, o->head.description) != NULL ||
	    e->numbers.count >= RING_DESCRIPTIONS_MAX)
		return;
	const size_t n = idmap_number(&e->numbers, o->head.description);
	char *copy = copy_text(e, path);
	if (!array_reserve_index(&e->description, &e->description_capacity, n,
				 sizeof(*e->description))) {
		free(copy);
		(void)fail(e, IOT_ENOMEM);
		return;
	}
	e->description[n] = (struct description){.path = copy,
						 .object = object_of(e, o),
						 .opener = index,
						 .forks = e->tracked[index].forks,
						 .mode = o->mode,
						 .flags = o->flags,
						 .skipped = copy != NULL && is_skipped(e, copy)};
	see_file(e, &e->description[n], o);
}

/* Returns the flags of an open that change what a write costs; NULL if it has none. */
static const char *flags_name(uint32_t flags)
{
	return open_flags_name((flags & O_SYNC) == O_SYNC, (flags & O_DSYNC) != 0,
			       (flags & O_DIRECT) != 0);
}

static void declare_file(struct ring_events *e, uint32_t index, uint32_t number,
			 const struct description *d)
{
	struct iot_builder b;
	begin(e, &b, "file");
	iot_directive_number(&b, "process", e->processes->process[index].id);
	iot_directive_number(&b, "id", number);
	if (d->object != 0)
		iot_directive_number(&b, "object", d->object);
	if (d->path != NULL)
		add_text(&b, "path", d->path);
	if (S_ISDIR(d->mode))
		add_text(&b, "kind", "directory");
	else if (S_ISBLK(d->mode))
		add_text(&b, "kind", "device");
	if (flags_name(d->flags) != NULL)
		add_text(&b, "flags", flags_name(d->flags));
	end(e, &b);
}

/*
 * Returns the definition of a description for an event of a process, declared as %file; NULL if it
 * is unknown.
 */
static const struct description *use_file(struct ring_events *e, uint32_t index, uint32_t number)
{
	struct tracked *t = &e->tracked[index];
	size_t n = idmap_find(&t->known, number);
	if (n != SIZE_MAX && n < t->file_capacity && t->file[n] != 0)
		return &e->description[t->file[n] - 1];
	const struct description *d = find_description(e, number);
	if (d == NULL)
		return NULL;
	n = idmap_number(&t->known, number);
	if (!array_reserve_index(&t->file, &t->file_capacity, n, sizeof(*t->file))) {
		(void)fail(e, IOT_ENOMEM);
		return NULL;
	}
	t->file[n] = (uint32_t)(d - e->description) + 1;
	if (!d->skipped) {
		declare_process(e, index);
		declare_file(e, index, number, d);
	}
	return d;
}

static void forget_file(struct tracked *t, uint32_t number)
{
	const size_t n = idmap_remove(&t->known, number);
	if (n != SIZE_MAX && n < t->file_capacity)
		t->file[n] = 0;
}

static void close_file(struct ring_events *e, uint32_t index, uint32_t number)
{
	struct tracked *t = &e->tracked[index];
	struct description *d = find_description(e, number);
	forget_file(t, number);
	for (uint32_t i = t->next_thread; i != 0; i = e->tracked[i].next_thread)
		forget_file(&e->tracked[i], number);
	if (d != NULL)
		file_maps_close(&e->maps, d->object);
	if (d == NULL || d->opener != index || d->forks != t->forks)
		return;
	(void)idmap_remove(&e->numbers, number);
	free(d->path);
	*d = (struct description){.path = NULL};
}

/* Operations */

struct operation {
	const char *name, *path, *to;
	uint64_t end; /* of the recording's clock */
	int64_t result, size;
	bool has_size;
	uint64_t count; /* calls; 0: one */
	uint32_t file;  /* 0: none */
};

static const char *op_name(unsigned code)
{
	static const char *const names[] = {
#define X(name, text) text,
	    RECORD_OPS(X)
#undef X
	};
	return names[code];
}

static const char *result_name(int64_t result)
{
	const char *error = result < 0 && result > -4096 ? strerrorname_np((int)-result) : NULL;
	return result >= 0 ? "0" : error != NULL ? error : "error";
}

/* Copies a text of fewer than RECORD_SIZE_MAX bytes; data is NULL if text is. */
static struct iot_text keep_text(struct ring_events *e, const char *text)
{
	const size_t n = text != NULL ? strlen(text) : 0;
	char *copy = e->text + e->used;
	if (text == NULL)
		return (struct iot_text){NULL, 0};
	memcpy(copy, text, n);
	e->used += n;
	return (struct iot_text){copy, n};
}

static void emit_op(struct ring_events *e, uint32_t index, const struct operation *op,
		    int64_t start_ns)
{
	const int64_t end_ns = time_of(e, op->end);
	declare_process(e, index);
	if (e->count > 0 || e->operations == RING_BATCH ||
	    TEXT_CAPACITY - e->used < 2 * RECORD_SIZE_MAX)
		flush(e);
	e->operation[e->operations++] = (struct iot_operation){
	    .name = op->name,
	    .result = result_name(op->result),
	    .start_ns = start_ns,
	    .duration_ns = (uint64_t)(end_ns > start_ns ? end_ns - start_ns : 0),
	    .process = e->processes->process[index].id,
	    .file = op->file,
	    .path = keep_text(e, op->path),
	    .to = keep_text(e, op->to),
	    .size = (uint64_t)op->size,
	    .has_size = op->has_size,
	    .count = op->count};
	e->has_times = true;
}

static void on_open(struct ring_events *e, const struct iot_event *ev, struct record_open *o,
		    int64_t start_ns)
{
	const uint32_t thread = ev->rec.object;
	const char *path = path_of(o->text, o->text_size);
	const uint32_t number = o->head.description;
	const struct description *d = NULL;
	if (number != 0 && o->result >= 0) {
		define(e, ev->rec.process, o, path);
		d = use_file(e, thread, number);
	}
	if (o->head.code == RECORD_OP_FOUND || (o->result >= 0 && d == NULL) ||
	    (d != NULL ? d->skipped : is_skipped(e, path != NULL ? path : "")))
		return;
	emit_op(e, thread,
		&(struct operation){.name = op_name(o->head.code),
				    .path = path,
				    .end = o->end,
				    .result = o->result,
				    .size = o->size,
				    .has_size = d != NULL && o->size >= 0,
				    .file = d != NULL ? number : 0},
		start_ns);
}

static bool is_op_wanted(const struct ring_events *e, unsigned code)
{
	return code == RECORD_OP_CLOSE ||
	       (code != RECORD_OP_EXEC && code != RECORD_OP_CHDIR && !e->options->data_only);
}

static void on_exec(struct ring_events *e, uint32_t index, const struct record_operation *o)
{
	struct tracked *t = &e->tracked[index];
	if (o->result >= 0) {
		await(e, t, o->text_size > 0 ? o->text : "", o->result);
		return;
	}
	free(t->awaited);
	t->awaited = NULL;
}

static bool has_size(const struct record_operation *o)
{
	return o->head.code == RECORD_OP_TRUNCATE && o->size >= 0;
}

/* Returns the number of calls that a record of seeks stands for, and stores the end of their sum. */
static uint64_t seeks_of(const struct record_operation *o, uint64_t *end)
{
	if (o->head.code != RECORD_OP_SEEK || o->result <= 0)
		return 0;
	if (o->size > 0 && o->size <= UINT32_MAX)
		*end = o->start + (uint64_t)o->size;
	return (uint64_t)o->result;
}

static void on_operation(struct ring_events *e, const struct iot_event *ev,
			 struct record_operation *o, int64_t start_ns)
{
	const uint32_t index = ev->rec.process, thread = ev->rec.object;
	const uint32_t number = o->head.description;
	if (o->head.code == RECORD_OP_EXEC)
		on_exec(e, index, o);
	const char *path = path_of(o->text, o->text_size),
		   *to = path_of(o->text + o->text_size, o->to_size);
	const struct description *d = number != 0 ? use_file(e, thread, number) : NULL;
	const char *shown = path != NULL ? path : d != NULL ? d->path : NULL;
	uint64_t end = o->end;
	const uint64_t seeks = seeks_of(o, &end);
	if (is_op_wanted(e, o->head.code) && *op_name(o->head.code) != '\0' &&
	    !(d != NULL ? d->skipped : shown != NULL && is_skipped(e, shown)))
		emit_op(e, thread,
			&(struct operation){.name = op_name(o->head.code),
					    .path = shown,
					    .to = to,
					    .end = end,
					    .result = o->result,
					    .size = o->size,
					    .has_size = has_size(o),
					    .count = seeks,
					    .file = number},
			start_ns);
	if (o->head.code == RECORD_OP_CLOSE)
		close_file(e, index, number);
	else if (o->head.code == RECORD_OP_RENAME && o->result >= 0 && path != NULL && to != NULL &&
		 !file_maps_rename(&e->maps, path, to))
		(void)fail(e, IOT_ENOMEM);
}

/* Counters and losses */

/* The kernel adds the counters of a child to those of its parent when that waits for it. */
static void add_to_parent(struct ring_events *e, uint32_t index, const struct record_exit *x)
{
	const size_t parent = processes_known(e->processes, index, e->tracked[index].parent);
	if (parent >= e->tracked_capacity || e->tracked[parent].has_kernel)
		return;
	e->tracked[parent].children[0] += x->rchar + x->own_bytes;
	e->tracked[parent].children[1] += x->wchar;
}

static void on_process_exit(struct ring_events *e, uint32_t index, const struct record_exit *x)
{
	struct tracked *t = &e->tracked[index];
	struct iot_builder b;
	t->has_kernel = true;
	t->kernel[0] = x->rchar;
	t->kernel[1] = x->wchar;
	add_to_parent(e, index, x);
	if (!t->declared)
		return;
	declare_process(e, index);
	begin(e, &b, "counter");
	add_text(&b, "source", "kernel");
	iot_directive_number(&b, "process", e->processes->process[index].id);
	iot_directive_number(&b, "rchar", x->rchar);
	iot_directive_number(&b, "wchar", x->wchar);
	iot_directive_number(&b, "syscr", x->syscr);
	iot_directive_number(&b, "syscw", x->syscw);
	iot_directive_number(&b, "read_bytes", x->read_bytes);
	iot_directive_number(&b, "write_bytes", x->write_bytes);
	end(e, &b);
}

static void on_lost(struct ring_events *e, const struct iot_event *ev, int64_t start_ns)
{
	static const char *const whys[] = {[RING_DROPPED] = "dropped",
					   [RING_DAMAGED] = "damaged",
					   [RING_KILLED] = "killed",
					   [RING_INTERRUPTED] = "interrupted",
					   [RING_UNSENT] = "unsent"};
	struct iot_builder b;
	const bool is_unsent = ev->rec.type == RING_UNSENT;
	e->totals.lost += is_unsent || ev->rec.type == RING_DROPPED ? ev->rec.offset : 0;
	e->totals.killed += ev->rec.type == RING_KILLED ? ev->rec.offset : 0;
	e->totals.damaged += ev->rec.type == RING_DAMAGED;
	repeat_process(e, ev->rec.process);
	begin(e, &b, "lost");
	iot_directive_number(&b, "time", (uint64_t)start_ns);
	iot_directive_number(&b, "process", e->processes->process[ev->rec.process].id);
	if (ev->rec.offset > 0 || ev->rec.type == RING_DROPPED)
		iot_directive_number(&b, "records", ev->rec.offset);
	if (ev->rec.length > 0)
		iot_directive_number(&b, "bytes", ev->rec.length);
	if (ev->rec.object > 0)
		iot_directive_number(&b, "events", ev->rec.object);
	add_text(&b, "why", whys[ev->rec.type]);
	end(e, &b);
}

/* A record that passed the decoder, but contains invalid texts. */
static void on_damaged(struct ring_events *e, const struct iot_event *ev, int64_t start_ns)
{
	struct iot_event lost = *ev;
	lost.rec.type = RING_DAMAGED;
	on_lost(e, &lost, start_ns);
}

static const char *why_untraced(const struct tracked *t, const char *path)
{
	if (t->result == RECORD_EXEC_CLEARED)
		return "cleared-environment";
	if (t->result == RECORD_EXEC_SECURE)
		return "setuid";
	if (t->result == RECORD_EXEC_NAMESPACE)
		return "namespace";
	return t->result == RECORD_EXEC_USER ? "user" : untraced_why(path);
}

static void report_untraced(struct ring_events *e, uint32_t index)
{
	struct tracked *t = &e->tracked[index];
	struct iot_builder b;
	char path[PATH_MAX];
	launch_find_program(path, t->awaited);
	free(t->name);
	t->name = t->awaited;
	t->awaited = NULL;
	const char *why = why_untraced(t, path);
	unseen_add_program(&e->totals.unseen, (struct iot_text){why, strlen(why)},
			   (struct iot_text){t->name, strlen(t->name)});
	begin_process(e, &b, index);
	add_text(&b, "traced", "no");
	add_text(&b, "why", why);
	end(e, &b);
}

static bool any(const uint64_t *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (values[i] != 0)
			return true;
	return false;
}

static const char *const counter_names[] = {
#define X(name, text) text,
    RECORD_COUNTERS(X)
#undef X
};

static void add_counters(struct iot_builder *b, const uint64_t *counter, const uint64_t *skipped)
{
	static const char *const skipped_names[] = {"skipped.path.calls", "skipped.path.read_bytes",
						    "skipped.path.written_bytes"};
	for (size_t i = 0; i < RECORD_COUNTER_COUNT; i++)
		if (counter[i] > 0)
			iot_directive_number(b, counter_names[i], counter[i]);
	for (size_t i = 0; i < 3; i++)
		if (skipped[i] > 0)
			iot_directive_number(b, skipped_names[i], skipped[i]);
}

/* Whether libc itself may have read what the trace lacks: locales, users and libraries. */
static bool is_of_libc(const uint64_t kernel[2], const uint64_t traced[2])
{
	enum { OF_LIBC_MAX = 1 << 16 };
	return traced[1] == kernel[1] && traced[0] <= kernel[0] &&
	       kernel[0] - traced[0] <= OF_LIBC_MAX;
}

/* The kernel counts transfers, and those of descriptors that are not files. */
static void compare(struct ring_events *e, const struct tracked *t, const uint64_t *counter)
{
	uint64_t traced[2], kernel[2];
	if (!t->has_kernel)
		return;
	for (int i = 0; i < 2; i++) {
		const uint64_t other = t->before[i] + t->children[i],
			       uncounted = counter[RECORD_COUNTER_UNCOUNTED_READ + i];
		traced[i] = t->moved[i];
		kernel[i] = t->kernel[i] - (t->kernel[i] < other ? t->kernel[i] : other);
		for (int c = RECORD_COUNTER_PIPE_CALLS; c <= RECORD_COUNTER_OTHER_CALLS; c += 3)
			traced[i] += counter[c + 1 + i];
		traced[i] -= traced[i] < uncounted ? traced[i] : uncounted;
		e->totals.kernel[i] += kernel[i];
		e->totals.traced[i] += traced[i];
	}
	const bool equal = traced[0] == kernel[0] && traced[1] == kernel[1],
		   of_libc = !equal && is_of_libc(kernel, traced);
	e->totals.compared++;
	e->totals.of_libc += of_libc;
	e->totals.libc_bytes += of_libc ? kernel[0] - traced[0] : 0;
	e->totals.differing += !equal && !of_libc;
}

static void on_ended(struct ring_events *e, const struct iot_event *ev)
{
	const uint32_t index = ev->rec.process;
	uint64_t counter[RECORD_COUNTER_COUNT] = {0};
	struct tracked *t = &e->tracked[index];
	struct iot_builder b;
	memcpy(counter, ev->text.data,
	       ev->text.size < sizeof(counter) ? ev->text.size : sizeof(counter));
	for (size_t i = 0; i < RECORD_COUNTER_COUNT; i++)
		unseen_add_calls(&e->totals.unseen, counter_names[i], counter[i]);
	compare(e, t, counter);
	if (any(counter, RECORD_COUNTER_COUNT) || any(t->skipped, 3)) {
		declare_process(e, index);
		begin(e, &b, "counter");
		add_text(&b, "source", "record");
		iot_directive_number(&b, "process", e->processes->process[index].id);
		add_counters(&b, counter, t->skipped);
		end(e, &b);
	}
	if (t->awaited != NULL)
		report_untraced(e, index);
	for (uint32_t i = t->next_thread, next; i != 0; i = next) {
		next = e->tracked[i].next_thread;
		forget_process(&e->tracked[i]);
	}
	forget_process(t);
}

/* Events */

/*
 * Returns a CPU time on the clock of the part, in which the first record of a process has the time
 * since its last record in the part before, as in a slice.
 */
static int64_t part_cpu_ns(struct tracked *t, int64_t cpu_ns)
{
	t->cpu_ns = cpu_ns;
	return cpu_ns - t->cpu_zero_ns;
}

static void on_transfer(struct ring_events *e, const struct iot_event *ev, int64_t start_ns)
{
	const uint32_t thread = ev->rec.object;
	struct tracked *t = &e->tracked[ev->rec.process];
	const struct description *d = use_file(e, thread, ev->rec.file);
	t->moved[(ev->rec.type & IOT_WRITE) != 0] += ev->rec.length;
	if (d != NULL && d->skipped) {
		t->skipped[0]++;
		t->skipped[(ev->rec.type & IOT_WRITE) != 0 ? 2 : 1] += ev->rec.length;
		return;
	}
	if (d != NULL)
		file_maps_use(&e->maps, d->object, (ev->rec.type & IOT_WRITE) != 0);
	declare_process(e, thread);
	const int64_t end_ns = time_of(e, e->clock->sample[0].ticks + (uint64_t)ev->rec.start_ns +
					      ev->rec.duration_ns);
	struct iot_event *out = next_event(e);
	*out = *ev;
	out->rec.process = e->processes->process[thread].id;
	out->rec.object = d != NULL ? d->object : 0;
	out->rec.start_ns = start_ns;
	out->rec.cpu_ns = part_cpu_ns(&e->tracked[thread], ev->rec.cpu_ns);
	out->rec.duration_ns = (uint64_t)(end_ns > start_ns ? end_ns - start_ns : 0);
	e->totals.records++;
	e->has_times = true;
}

static void on_raw(struct ring_events *e, const struct iot_event *ev, int64_t start_ns)
{
	/* Copied, as texts in a batch are not aligned. */
	_Alignas(8) unsigned char record[RECORD_SIZE_MAX + RECORD_MARGIN];
	const struct record_head *head = (const void *)record;
	const uint32_t index = ev->rec.process;
	if (ev->text.size > RECORD_SIZE_MAX)
		return;
	memcpy(record, ev->text.data, ev->text.size);
	memset(record + ev->text.size, 0, RECORD_MARGIN);
	if (!ring_record_is_valid(record, ev->text.size))
		on_damaged(e, ev, start_ns);
	else if (head->kind == RECORD_OPEN)
		on_open(e, ev, (void *)record, start_ns);
	else if (head->kind == RECORD_OPERATION)
		on_operation(e, ev, (void *)record, start_ns);
	else if (head->kind == RECORD_START)
		on_start(e, index, (const void *)record);
	else if (head->kind == RECORD_CHILD)
		on_child(e, index, (const void *)record);
	else if (head->kind == RECORD_EXIT)
		on_process_exit(e, index, (const void *)record);
}

/* Tracks the process of an event and its thread, which is linked to the process. */
static bool track(struct ring_events *e, const struct iot_event *ev)
{
	const bool has_thread = ev->kind == IOT_RECORD || ev->kind == RING_RAW;
	const uint32_t index = ev->rec.process, thread = has_thread ? ev->rec.object : index;
	if (tracked_of(e, index) == NULL || tracked_of(e, thread) == NULL)
		return false;
	struct tracked *t = &e->tracked[thread];
	if (thread != index && !t->linked) {
		t->linked = true;
		t->next_thread = e->tracked[index].next_thread;
		e->tracked[index].next_thread = thread;
	}
	return true;
}

int ring_events_add(struct ring_events *e, const struct iot_event *ev)
{
	if (e->status != IOT_OK || !track(e, ev))
		return e->status;
	/* a new sample of the clock can convert an equal time to an earlier one */
	const int64_t ns = time_of(e, e->clock->sample[0].ticks + (uint64_t)ev->rec.start_ns);
	if (ns > e->last_ns)
		e->last_ns = ns;
	if (ev->kind == IOT_RECORD)
		on_transfer(e, ev, e->last_ns);
	else if (ev->kind == RING_RAW)
		on_raw(e, ev, e->last_ns - ns < LATE_NS ? e->last_ns : ns);
	else if (ev->kind == RING_LOST)
		on_lost(e, ev, e->last_ns);
	else if (ev->kind == RING_ENDED)
		on_ended(e, ev);
	return e->status;
}

/* Extents */

static void add_extents(struct ring_events *e, uint32_t object, const struct file_extents *x)
{
	struct iot_builder b;
	for (size_t i = 0; i < x->count; i++) {
		begin(e, &b, "extent");
		iot_directive_number(&b, "object", object);
		iot_directive_number(&b, "offset", x->extent[i].offset);
		iot_directive_number(&b, "length", x->extent[i].length);
		add_text(&b, "device", x->disk);
		iot_directive_number(&b, "sector", x->extent[i].sector);
		end(e, &b);
	}
}

int ring_events_end(struct ring_events *e)
{
	if (!e->options->extents || e->status != IOT_OK)
		return e->status;
	e->totals.unmapped = file_maps_end(&e->maps);
	for (size_t i = 0; i < e->maps.capacity; i++)
		add_extents(e, (uint32_t)i + 1, &e->maps.file[i].extents);
	flush(e);
	return e->status;
}

int ring_events_flush(struct ring_events *e)
{
	flush(e);
	return e->status;
}

void ring_events_begin_part(struct ring_events *e, struct iot_writer *w)
{
	e->w = w;
	e->part++;
	e->has_times = false;
	for (size_t i = 0; i < e->tracked_capacity; i++) {
		struct tracked *t = &e->tracked[i];
		idmap_free(&t->known);
		if (t->file != NULL)
			memset(t->file, 0, t->file_capacity * sizeof(*t->file));
		t->cpu_zero_ns = t->cpu_ns;
	}
}

bool ring_events_part_has_times(const struct ring_events *e)
{
	return e->has_times;
}
