/* SPDX-License-Identifier: BSD-2-Clause */
#include "descriptors.h"

#include <errno.h>
#include <string.h>

#include "raw.h"
#include "text.h"

enum { PROBES = 256 }; /* slots that are tried before a description goes without */

/* Slots */

static void slot_take(union descriptor d)
{
	if (d.has_slot)
		atomic_fetch_add(&descriptor_slot(d)->references, 1);
}

/*
 * The slot, plus 1, that this thread freed last: its memory is in caches, and few slots are
 * searched for inherited descriptors. It is another one if processes may yet find the description.
 */
static _Thread_local uint32_t slot_freed __attribute__((tls_model("initial-exec")));

static void slot_drop(union descriptor d)
{
	struct record_description *s = descriptor_slot(d);
	uint32_t n = d.has_slot ? atomic_load(&s->references) : 0;
	while (n > 0 && atomic_load(&s->number) == d.number)
		if (atomic_compare_exchange_weak(&s->references, &n, n - 1)) {
			if (n == 1 && atomic_load(&s->shared) == 0)
				slot_freed = d.slot + 1U;
			return;
		}
}

static bool slot_claim(struct record_description *s)
{
	uint32_t none = 0;
	return atomic_compare_exchange_strong(&s->references, &none, 1);
}

/* Gives memory to the slots up to this one. Returns false if there is none. */
static bool slot_reserve(uint32_t at)
{
	_Atomic uint32_t *const ready = &recording.control->slots_ready;
	for (uint32_t n = atomic_load(ready); n <= at;) {
		if (n % RECORD_SLOTS_STEP != 0 || n >= RECORD_SLOTS ||
		    !recording_populate(&recording.slots[n],
					RECORD_SLOTS_STEP * sizeof *recording.slots))
			return false;
		if (atomic_compare_exchange_strong(ready, &n, n + RECORD_SLOTS_STEP))
			n += RECORD_SLOTS_STEP;
	}
	return true;
}

/* Claims a free slot. Returns its index, RECORD_SLOTS if it finds none. */
static uint32_t slot_claim_any(void)
{
	const uint32_t freed = slot_freed;
	slot_freed = 0;
	if (freed > 0 && slot_claim(&recording.slots[freed - 1]))
		return freed - 1;
	for (int i = 0; i < PROBES; i++) {
		const uint32_t at = atomic_fetch_add(&recording.control->slots, 1) % RECORD_SLOTS;
		if (!slot_reserve(at))
			break;
		if (slot_claim(&recording.slots[at]))
			return at;
	}
	return RECORD_SLOTS;
}

/*
 * Gives a new description a slot, if one is free; until all of it is stored, the number is 0, so
 * that no other process finds it. Release stores keep their order, and need no barrier.
 */
static void slot_new(union descriptor *d, const struct event_file *file, uint32_t flags)
{
	const uint32_t at = slot_claim_any();
	if (at == RECORD_SLOTS)
		return;
	struct record_description *s = &recording.slots[at];
	atomic_store_explicit(&s->number, 0, memory_order_release);
	atomic_signal_fence(memory_order_seq_cst); /* processors store in order */
	s->device = event_device(file->stat.stx_dev_major, file->stat.stx_dev_minor);
	s->inode = file->stat.stx_ino;
	atomic_store_explicit(&s->flags, flags, memory_order_release);
	atomic_store_explicit(&s->position, file->position, memory_order_release);
	atomic_store_explicit(&s->shared, 0, memory_order_release);
	atomic_store_explicit(&s->holder, 0, memory_order_release);
	atomic_store_explicit(&s->number, d->number, memory_order_release);
	d->slot = at & (RECORD_SLOTS - 1);
	d->has_slot = 1;
}

/* Flags that two descriptors of one description have in common. */
static uint32_t flags_compared(uint32_t flags)
{
	return flags & (O_ACCMODE | O_APPEND);
}

/*
 * Returns a measure of how likely a slot is the description of a file that this process inherited:
 * 0 if it is not, more if this process or its parent passed it on, and more if it is in use.
 */
static int slot_match(const struct record_description *s, const struct event_file *file,
		      uint32_t flags)
{
	if (atomic_load(&s->number) == 0 || s->inode != file->stat.stx_ino ||
	    s->device != event_device(file->stat.stx_dev_major, file->stat.stx_dev_minor) ||
	    atomic_load(&s->position) != file->position ||
	    flags_compared(atomic_load(&s->flags)) != flags_compared(flags))
		return 0;
	const uint64_t holder = atomic_load(&s->holder);
	return 1 + (atomic_load(&s->references) > 0) +
	       2 * (holder != 0 && holder == recording.process->parent) +
	       4 * (holder == recording.pid);
}

/*
 * Returns false if this process has a descriptor with that number of a description, and the kernel
 * says that `fd` refers to another one.
 */
static bool is_same(uint32_t number, int fd)
{
	const int kcmp_file = 0;
	for (uint64_t i = 0; i < atomic_load(&descriptors_here()->used); i++)
		if (entry_load((int)i).number == number)
			return raw_call(SYS_kcmp, producer_pid(), producer_pid(), kcmp_file,
					(long)i, fd, 0) <= 0;
	return true;
}

/* Finds the description of an inherited descriptor among the descriptions of other processes. */
static bool slot_find(union descriptor *d, const struct event_file *file, uint32_t flags)
{
	const uint32_t used = atomic_load(&recording.control->slots);
	const uint32_t ready = atomic_load(&recording.control->slots_ready);
	const uint32_t count = used < ready ? used : ready;
	int best = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct record_description *s = &recording.slots[i];
		const int match = slot_match(s, file, flags);
		if (match < best || match == 0 ||
		    (match == best && atomic_load(&s->number) < d->number))
			continue;
		best = match;
		d->number = atomic_load(&s->number);
		d->slot = i & (RECORD_SLOTS - 1);
	}
	if (best == 0 || d->number == 0 || !is_same(d->number, file->fd)) {
		d->number = 0;
		return false;
	}
	d->has_slot = 1;
	atomic_store(&descriptor_slot(*d)->shared, 1);
	slot_take(*d);
	return true;
}

/* Kinds */

static bool is_memfd(int fd)
{
	static const char prefix[] = "/memfd:";
	char name[sizeof prefix + 1], path[64];
	struct text t = text_in(path, sizeof path);
	text_add(&t, "/proc/self/fd/");
	text_add_number(&t, (uint64_t)fd);
	const long n =
	    raw_call(SYS_readlinkat, AT_FDCWD, (long)path, (long)name, sizeof name, 0, 0);
	return n >= (long)sizeof prefix - 1 && memcmp(name, prefix, sizeof prefix - 1) == 0;
}

static enum descriptor_type kind_of(const struct event_file *file)
{
	const mode_t mode = file->stat.stx_mode;
	char termios[64]; /* larger than the kernel's structure */
	if (S_ISREG(mode))
		return file->stat.stx_nlink == 0 && is_memfd(file->fd) ? DESCRIPTOR_MEMFD
								       : DESCRIPTOR_FILE;
	if (S_ISBLK(mode))
		return DESCRIPTOR_FILE;
	if (S_ISDIR(mode))
		return DESCRIPTOR_DIRECTORY;
	if (S_ISFIFO(mode))
		return DESCRIPTOR_PIPE;
	if (S_ISSOCK(mode))
		return DESCRIPTOR_SOCKET;
	if (!S_ISCHR(mode))
		return DESCRIPTOR_OTHER;
	const int tcgets = 0x5401;
	return raw_call(SYS_ioctl, file->fd, tcgets, (long)termios, 0, 0, 0) == 0
		   ? DESCRIPTOR_TERMINAL
		   : DESCRIPTOR_DEVICE;
}

/* Linux 6.11 accepts no path, and need not read that it is empty; valgrind warns of it. */
static long stat_of(int fd, const char *path, struct statx *stat)
{
	return raw_call(SYS_statx, fd, (long)path, AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME,
			(long)stat, 0);
}

/* Returns false if the descriptor is closed. */
static bool file_of(int fd, struct event_file *file)
{
	static _Atomic bool needs_path;
	file->fd = fd;
	long result = -EFAULT;
	if (!recording.in_valgrind && !atomic_load_explicit(&needs_path, memory_order_relaxed)) {
		result = stat_of(fd, NULL, &file->stat);
		if (result == -EFAULT)
			atomic_store_explicit(&needs_path, true, memory_order_relaxed);
	}
	if (result == -EFAULT)
		result = stat_of(fd, "", &file->stat);
	return result == 0;
}

/* As file_of(). A directory, which has no transfers, needs no identity. */
static bool opened_file(int fd, uint32_t flags, struct event_file *file)
{
	file->fd = fd;
	if ((flags & O_DIRECTORY) == 0 || (flags & O_TMPFILE) == O_TMPFILE)
		return file_of(fd, file);
	file->stat.stx_mode = S_IFDIR;
	file->stat.stx_mask = 0;
	return true;
}

static bool is_tracked(union descriptor d)
{
	return d.kind == DESCRIPTOR_FILE || d.kind == DESCRIPTOR_DIRECTORY;
}

static uint32_t number_new(void)
{
	return atomic_fetch_add(&recording.control->descriptions, 1) + 1;
}

union descriptor descriptor_find(struct producer *p, int fd)
{
	union descriptor d = {0}, none = {0};
	struct event_file file;
	if (fd < 0 || !file_of(fd, &file))
		return d;
	file.position = 0;
	d.kind = kind_of(&file) & 15;
	const long flags = raw_call(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
	d.append = (flags & O_APPEND) != 0;
	if (d.kind == DESCRIPTOR_FILE) {
		file.position = raw_lseek(fd, 0, SEEK_CUR);
		if (!slot_find(&d, &file, (uint32_t)flags)) {
			d.number = number_new();
			slot_new(&d, &file, (uint32_t)flags);
		}
		d.duplicated = 1;
		if (d.has_slot)
			atomic_store(&descriptor_slot(d)->shared, 1);
	} else if (d.kind == DESCRIPTOR_DIRECTORY)
		d.number = number_new();
	if (!entry_replace(fd, none, d)) {
		slot_drop(d);
		d.has_slot = 0;
		const union descriptor now = entry_load(fd);
		if (now.word != 0)
			return now;
	}
	/* the call that needs the descriptor may have started: the description precedes it */
	const uint64_t mark = atomic_load_explicit(&p->ring->in_flight, memory_order_relaxed);
	const uint64_t now = mark != 0 ? mark : clock_now();
	const struct event e = {.op = RECORD_OP_FOUND,
				.description = d.number,
				.start = now,
				.end = now,
				.result = fd,
				.flags = (uint32_t)flags};
	if (is_tracked(d))
		event_open(p, &e, &file);
	return d;
}

static const char *after(const char *path, const char *prefix)
{
	const size_t n = strlen(prefix);
	return path != NULL && strncmp(path, prefix, n) == 0 ? path + n : NULL;
}

/* Returns whether a path names a descriptor: the open then has the descriptor's file. */
static bool is_descriptor_path(const char *path)
{
	const char *process = after(path, "/proc/");
	if (process == NULL)
		return after(path, "/dev/fd/") != NULL || after(path, "/dev/std") != NULL;
	return after(strchrnul(process, '/'), "/fd/") != NULL;
}

/* The kernel knows the name of the file; O_TMPFILE has the path of a directory. */
static bool has_other_name(const struct event *e)
{
	return (e->flags & O_TMPFILE) == O_TMPFILE || is_descriptor_path(e->path);
}

void descriptor_opened(struct producer *p, struct event *e)
{
	struct event_file file;
	union descriptor d = {0};
	const int fd = (int)e->result;
	file.fd = -1;
	file.position = 0;
	file.stat.stx_mask = file.stat.stx_mode = 0;
	if (fd >= 0 && opened_file(fd, e->flags, &file)) {
		d.kind = kind_of(&file) & 15;
		d.append = (e->flags & O_APPEND) != 0;
		if (is_tracked(d))
			d.number = number_new();
		if (d.append) /* a stream goes to the end at once */
			file.position = raw_lseek(fd, 0, SEEK_CUR);
		if (d.kind == DESCRIPTOR_FILE)
			slot_new(&d, &file, e->flags);
		descriptor_reset(fd);
		if (!entry_replace(fd, (union descriptor){0}, d))
			slot_drop(d);
		if (has_other_name(e))
			e->path = NULL;
	}
	e->description = d.number;
	if (fd >= 0 && e->is_absent)
		e->op = RECORD_OP_CREATE;
	event_open(p, e, &file);
}

/* Returns whether a table is one of this process: a child of vfork has only its own. */
static bool is_ours(const struct descriptors *t)
{
	const struct descriptors *const here = descriptors_here();
	return t == here || (!t->is_lent && !here->is_lent);
}

/* Returns true if another descriptor of this process refers to the same description. */
static bool has_other(union descriptor d, int except)
{
	for (const struct descriptors *t = &descriptors; d.duplicated && t != NULL; t = t->next)
		for (uint64_t i = 0; is_ours(t) && i < atomic_load(&t->used); i++) {
			const union descriptor o = {.word = atomic_load(&t->entry[i])};
			if (o.number == d.number && (t != descriptors_here() || (int)i != except))
				return true;
		}
	return false;
}

void descriptor_duplicated(struct producer *p, int from, int to)
{
	union descriptor d = descriptor_get(p, from), marked = d;
	if (from == to || to < 0)
		return;
	descriptor_reset(to);
	if (d.word == 0 || d.kind == DESCRIPTOR_URING)
		return;
	marked.duplicated = 1;
	entry_replace(from, d, marked);
	if (entry_replace(to, (union descriptor){0}, marked))
		slot_take(marked);
}

union descriptor descriptor_remove(int fd)
{
	union descriptor d = {0};
	struct descriptors *const t = descriptors_here();
	if ((uint64_t)(unsigned)fd < t->count)
		d.word = atomic_exchange(&t->entry[fd], 0);
	return d;
}

void descriptor_closed(struct producer *p, union descriptor d, int fd, struct event *e)
{
	if (!is_tracked(d))
		return;
	slot_drop(d);
	if (has_other(d, fd))
		return;
	if (p->seeks.description == d.number)
		event_seeks_flush(p);
	e->description = d.number;
	event_operation(p, e);
}

void descriptor_compare(union descriptor d, int fd)
{
	enum { SAMPLE = 16 };
	static _Atomic uint32_t closes; /* stays 0 after a difference: then all are compared */
	if (!d.moved || !d.has_slot || atomic_load(&descriptor_slot(d)->shared) != 0)
		return;
	const uint32_t n = atomic_load_explicit(&closes, memory_order_relaxed);
	atomic_store_explicit(&closes, n + 1, memory_order_relaxed);
	if (n % SAMPLE != 0)
		return;
	const int64_t position = raw_lseek(fd, 0, SEEK_CUR);
	if (position < 0 || position == atomic_load(&descriptor_slot(d)->position))
		return;
	recording_count(RECORD_COUNTER_RESYNCED, 1);
	atomic_store_explicit(&closes, 0, memory_order_relaxed);
}

void descriptor_set_position(struct producer *p, int fd, int64_t position)
{
	const union descriptor d = descriptor_get(p, fd);
	if (d.has_slot)
		atomic_store(&descriptor_slot(d)->position, position);
}

/* A description without a slot may have one in another process: which one, is unknown. */
static void flags_unknown(int fd)
{
	struct event_file file;
	file.stat.stx_ino = 0;
	if (!file_of(fd, &file))
		return;
	const uint32_t count = atomic_load(&recording.control->slots_ready);
	for (uint32_t i = 0; i < count; i++) {
		struct record_description *s = &recording.slots[i];
		if (atomic_load(&s->number) != 0 && s->inode == file.stat.stx_ino &&
		    s->device == event_device(file.stat.stx_dev_major, file.stat.stx_dev_minor))
			atomic_fetch_or(&s->flags, DESCRIPTION_FLAGS_UNKNOWN);
	}
}

void descriptor_set_append(union descriptor d, int fd, bool append)
{
	union descriptor changed = d;
	changed.append = append;
	if (d.kind != DESCRIPTOR_UNKNOWN)
		entry_replace(fd, d, changed);
	if (d.has_slot && append)
		atomic_fetch_or(&descriptor_slot(d)->flags, O_APPEND);
	else if (d.has_slot)
		atomic_fetch_and(&descriptor_slot(d)->flags, ~(uint32_t)O_APPEND);
	else if (d.kind == DESCRIPTOR_FILE && d.append != append)
		flags_unknown(fd);
}

void descriptor_ask_append(union descriptor *d, int fd)
{
	const union descriptor old = *d;
	const uint32_t flags = atomic_load(&descriptor_slot(old)->flags);
	const bool unknown = (flags & DESCRIPTION_FLAGS_UNKNOWN) != 0;
	const long now = unknown ? raw_call(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0) : (long)flags;
	d->append = now >= 0 && (now & O_APPEND) != 0;
	if (d->append != old.append)
		entry_replace(fd, old, *d);
}

void descriptor_reset(int fd)
{
	if (entry_load(fd).word != 0)
		slot_drop(descriptor_remove(fd));
}

/* For calls that close many descriptors. Each is recorded with the same times. */
void descriptor_reset_range(struct producer *p, unsigned first, unsigned last)
{
	const uint64_t now = clock_now();
	for (uint64_t i = first; i <= last && i < atomic_load(&descriptors_here()->used); i++) {
		struct event e = {.op = RECORD_OP_CLOSE, .start = now, .end = now};
		descriptor_closed(p, descriptor_remove((int)i), (int)i, &e);
	}
}

/* Processes */

static void each_slot(void (*run)(union descriptor))
{
	for (uint64_t i = 0; i < atomic_load(&descriptors_here()->used); i++) {
		const union descriptor d = entry_load((int)i);
		if (d.has_slot)
			run(d);
	}
}

static void slot_share(union descriptor d)
{
	atomic_store(&descriptor_slot(d)->shared, 1);
	atomic_store(&descriptor_slot(d)->holder, producer_pid());
}

void descriptors_share(bool forks)
{
	each_slot(slot_share);
	if (forks)
		each_slot(slot_take);
}

void descriptors_unshare(void)
{
	each_slot(slot_drop);
}

void descriptors_share_numbers(void)
{
	descriptors_here()->count = 0;
}

void descriptors_exec(void)
{
	each_slot(slot_share);
	each_slot(slot_drop);
}

void descriptors_exec_failed(void)
{
	each_slot(slot_take);
}

/* Threads */

static void mark_duplicated(uint64_t i)
{
	const union descriptor d = entry_load((int)i);
	union descriptor marked = d;
	marked.duplicated = 1;
	if (d.number != 0)
		entry_replace((int)i, d, marked);
}

/* Other threads may use the position at any time: it is the kernel's that counts. */
void descriptors_divide(void)
{
	for (uint64_t i = 0; i < atomic_load(&descriptors_here()->used); i++)
		mark_duplicated(i);
	if (descriptors_copy(false))
		each_slot(slot_take);
}

/* Empties the thread's own table. executed: it holds no references. */
static void remove_all(bool executed)
{
	for (uint64_t i = 0; i < atomic_load(&descriptors_own->used); i++) {
		const union descriptor d = descriptor_remove((int)i);
		if (!executed)
			slot_drop(d);
	}
}

void descriptors_leave(void)
{
	if (descriptors_own == NULL)
		return;
	remove_all(false);
	descriptors_replace(NULL);
}

bool descriptors_lend(void)
{
	if (!descriptors_copy(true))
		return false;
	each_slot(slot_take);
	return true;
}

void descriptors_return(bool executed)
{
	if (descriptors_own == NULL || !descriptors_own->is_lent)
		return;
	remove_all(executed);
	descriptors_replace(descriptors_own->before);
}
