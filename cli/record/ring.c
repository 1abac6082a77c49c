/* SPDX-License-Identifier: BSD-2-Clause */
#include "ring.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Records */

static size_t min_size(unsigned kind)
{
	static const size_t sizes[] = {
	    [RECORD_TRANSFER] = sizeof(struct record_transfer),
	    [RECORD_OPEN] = sizeof(struct record_open),
	    [RECORD_OPERATION] = sizeof(struct record_operation),
	    [RECORD_THREAD] = sizeof(struct record_thread),
	    [RECORD_START] = sizeof(struct record_start),
	    [RECORD_CHILD] = sizeof(struct record_child),
	    [RECORD_EXIT] = sizeof(struct record_exit),
	    [RECORD_SKIP] = sizeof(struct record_skip),
	};
	return kind < sizeof(sizes) / sizeof(*sizes) ? sizes[kind] : 0;
}

static bool head_is_valid(struct record_head head, size_t n)
{
	const size_t min = min_size(head.kind);
	return min > 0 && head.size >= min && head.size <= n && head.size % 8 == 0 &&
	       head.size <= RECORD_SIZE_MAX;
}

/* The kinds of other records begin with their times alike. */
struct timed_record {
	struct record_head head;
	uint64_t time;
};

static bool in_time(const struct ring_decoder *d, uint64_t time)
{
	return time >= d->zero && time <= d->now + d->skew;
}

static bool decode_transfer(const struct ring_decoder *d, const unsigned char *data,
			    struct iot_event *ev)
{
	struct record_transfer t;
	memcpy(&t, data, sizeof(t));
	if (!in_time(d, t.start) || !in_time(d, t.end) || t.end + d->skew < t.start ||
	    t.cpu > INT64_MAX || t.head.description == 0 ||
	    (t.offset < 0 && t.offset != RECORD_OFFSET_UNKNOWN))
		return false;
	const bool known = t.offset != RECORD_OFFSET_UNKNOWN;
	const unsigned write = (t.head.code & RECORD_WRITE) != 0 ? IOT_WRITE : 0U,
		       async = (t.head.code & RECORD_ASYNC) != 0 ? IOT_ASYNC : 0U;
	*ev = (struct iot_event){
	    .kind = IOT_RECORD,
	    .rec = {.start_ns = (int64_t)(t.start - d->zero),
		    .duration_ns = t.end > t.start ? t.end - t.start : 0,
		    .cpu_ns = (int64_t)t.cpu,
		    .offset = known ? (uint64_t)t.offset : 0,
		    .length = t.length,
		    .file = t.head.description,
		    .process = d->user.process,
		    .object = d->user.thread,
		    .type = (uint8_t)(IOT_LOGICAL | write | async),
		    .flags = (uint8_t)(d->flags | (known ? 0U : IOT_OFFSET_UNKNOWN))}};
	return true;
}

static bool decode_other(const struct ring_decoder *d, const unsigned char *data, size_t size,
			 struct iot_event *ev)
{
	struct timed_record t;
	memcpy(&t, data, sizeof(t));
	if (!in_time(d, t.time))
		return false;
	*ev = (struct iot_event){.kind = RING_RAW,
				 .rec = {.start_ns = (int64_t)(t.time - d->zero),
					 .process = d->user.process,
					 .object = d->user.thread},
				 .text = {(const char *)data, size}};
	return true;
}

/* Returns when a record starts; 0 if its bytes are not in the n bytes, or it has no time. */
static uint64_t start_of(struct record_head head, const unsigned char *data, size_t n)
{
	const size_t at = head.kind == RECORD_TRANSFER ? offsetof(struct record_transfer, start)
						       : offsetof(struct timed_record, time);
	uint64_t start;
	if (n < at + sizeof(start) || head.kind == RECORD_SKIP)
		return 0;
	memcpy(&start, data + at, sizeof(start));
	return start;
}

bool ring_states_user(const unsigned char *data, size_t n, struct record_thread *user)
{
	if (n < sizeof(*user))
		return false;
	memcpy(user, data, sizeof(*user));
	return user->head.kind == RECORD_THREAD && user->tid != 0;
}

/* Returns the bytes to skip, 0 if they are not in the n bytes. */
static size_t decode_skip(const unsigned char *data, size_t n)
{
	struct record_skip s;
	memcpy(&s, data, sizeof(s));
	const bool valid =
	    s.head.size == sizeof(s) && s.bytes >= sizeof(s) && s.bytes <= n && s.bytes % 8 == 0;
	return valid ? (size_t)s.bytes : 0;
}

size_t ring_record_size(const unsigned char *data, size_t n)
{
	struct record_head head;
	if (n < sizeof(head))
		return 0;
	memcpy(&head, data, sizeof(head));
	if (!head_is_valid(head, n))
		return 0;
	return head.kind == RECORD_SKIP ? decode_skip(data, n) : head.size;
}

/* Returns the bytes of the record that the n bytes begin with, 0 if it is invalid. */
static size_t decode(const struct ring_decoder *d, const unsigned char *data, size_t n,
		     struct record_head head, struct iot_event *ev)
{
	if (!head_is_valid(head, n))
		return 0;
	if (head.kind == RECORD_SKIP)
		return decode_skip(data, n);
	const bool valid = head.kind == RECORD_TRANSFER ? decode_transfer(d, data, ev)
							: decode_other(d, data, head.size, ev);
	return valid ? head.size : 0;
}

int ring_decode(const struct ring_decoder *d, const unsigned char *data, size_t n,
		struct iot_event out[RING_BATCH], size_t *used)
{
	const uint64_t until = d->until != 0 ? d->until : UINT64_MAX;
	int count = 0;
	size_t size = 1;
	*used = 0;
	while (count < RING_BATCH && n - *used >= sizeof(struct record_head)) {
		struct record_head head;
		memcpy(&head, data + *used, sizeof(head));
		if (start_of(head, data + *used, n - *used) >= until)
			return count;
		size = decode(d, data + *used, n - *used, head, &out[count]);
		if (size == 0 || (head.kind == RECORD_THREAD && *used > 0))
			break;
		count += head.kind != RECORD_THREAD && head.kind != RECORD_SKIP;
		*used += size;
	}
	return *used == 0 && size == 0 ? -1 : count;
}

/* Returns whether the text of a record with `fixed` bytes before it ends in NUL. */
static bool text_is_valid(const unsigned char *record, size_t fixed, uint64_t size, size_t n)
{
	return size == 0 || (size <= n - fixed && record[fixed + size - 1] == '\0');
}

bool ring_record_is_valid(const void *record, size_t n)
{
	const struct record_head *head = record;
	if (n < sizeof(*head) || head->size != n || !head_is_valid(*head, n))
		return false;
	if (head->kind == RECORD_OPEN) {
		const struct record_open *o = record;
		return head->code < RECORD_OP_COUNT &&
		       text_is_valid(record, sizeof(*o), o->text_size, n);
	}
	if (head->kind == RECORD_OPERATION) {
		const struct record_operation *o = record;
		const uint64_t end = (uint64_t)o->text_size + o->to_size;
		return head->code < RECORD_OP_COUNT &&
		       text_is_valid(record, sizeof(*o), o->text_size, n) &&
		       (o->to_size == 0 || text_is_valid(record, sizeof(*o), end, n));
	}
	if (head->kind == RECORD_START) {
		const struct record_start *s = record;
		const uint64_t end = (uint64_t)s->command_size + s->directory_size;
		return text_is_valid(record, sizeof(*s), s->command_size, n) &&
		       text_is_valid(record, sizeof(*s), end, n);
	}
	if (head->kind == RECORD_CHILD) {
		const struct record_child *c = record;
		return text_is_valid(record, sizeof(*c), c->text_size, n);
	}
	return true;
}

/* Rings */

static bool is_ring(const struct record_ring *h, off_t file_size)
{
	return h->magic == RECORD_RING_MAGIC && h->version == RECORD_VERSION &&
	       h->size >= RECORD_RING_MIN && h->size <= RECORD_RING_MAX &&
	       (h->size & (h->size - 1)) == 0 &&
	       (file_size == RECORD_PAGE || file_size == (off_t)h->size + RECORD_PAGE);
}

/* Maps the header, and after it the data twice. */
static bool map_ring(struct ring *r, int fd)
{
	const size_t size = r->size;
	unsigned char *at = mmap(NULL, RECORD_PAGE + 2 * size, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return false;
	unsigned char *data = at + RECORD_PAGE;
	if (mmap(at, RECORD_PAGE + size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) !=
		MAP_FAILED &&
	    mmap(data + size, size, PROT_READ, MAP_SHARED | MAP_FIXED, fd, RECORD_PAGE) !=
		MAP_FAILED) {
		r->header = (void *)at;
		r->data = data;
		return true;
	}
	(void)munmap(at, RECORD_PAGE + 2 * size);
	return false;
}

/* With RECORD_PACKETS the data is in the process. */
static bool map_header(struct ring *r, int fd)
{
	void *at = mmap(NULL, RECORD_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	r->header = at != MAP_FAILED ? at : NULL;
	return r->header != NULL;
}

static const char *open_ring(struct ring *r, int fd)
{
	struct stat st;
	struct record_ring h;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    pread(fd, &h, sizeof(h), 0) != (ssize_t)sizeof(h))
		return "cannot be read";
	if (!is_ring(&h, st.st_size))
		return "is not a ring of this version";
	*r = (struct ring){.size = h.size, .pid = h.pid, .start = h.start};
	const bool mapped = st.st_size == RECORD_PAGE ? map_header(r, fd) : map_ring(r, fd);
	if (!mapped)
		return "cannot be mapped";
	atomic_store(&r->header->opened, 1);
	return NULL;
}

const char *ring_open(struct ring *r, int directory, const char *name)
{
	const int fd = openat(directory, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return "cannot be opened";
	const char *const why = open_ring(r, fd);
	(void)close(fd);
	return why;
}

void ring_close(struct ring *r)
{
	if (r->header != NULL)
		(void)munmap(r->header, RECORD_PAGE + (r->data != NULL ? 2 * (size_t)r->size : 0));
	r->header = NULL;
}

size_t ring_available(struct ring *r)
{
	const uint64_t head = atomic_load_explicit(&r->header->head, memory_order_acquire);
	r->failed = r->failed || head < r->tail || head - r->tail > r->size || head % 8 != 0;
	return r->failed ? 0 : (size_t)(head - r->tail);
}

bool ring_in_order(struct ring *r, size_t n)
{
	const uint64_t end = r->tail + n;
	if (r->checked < r->tail) {
		r->checked = r->tail;
		r->newest = 0;
	}
	while (r->checked < end) {
		const unsigned char *data = r->data + (r->checked & (r->size - 1));
		const size_t left = (size_t)(end - r->checked);
		struct record_head head;
		memcpy(&head, data, sizeof(head));
		const bool is_skip = head.kind == RECORD_SKIP && left >= sizeof(struct record_skip);
		const size_t size = is_skip ? decode_skip(data, left) : head.size;
		const uint64_t start = is_skip ? r->newest : start_of(head, data, left);
		if (size < sizeof(struct timed_record) || size > left || size % 8 != 0 ||
		    start < r->newest)
			return false;
		r->newest = start;
		r->checked += size;
	}
	return true;
}

void ring_release(struct ring *r)
{
	struct record_ring *h = r->header;
	atomic_store_explicit(&h->tail, r->tail, memory_order_release);
	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&h->waiting, memory_order_relaxed) == 0)
		return;
	atomic_store_explicit(&h->waiting, 0, memory_order_relaxed);
	atomic_fetch_add(&h->wake, 1);
	(void)syscall(SYS_futex, &h->wake, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Truncation */

static void replace_page(int number, siginfo_t *info, void *context)
{
	const int saved = errno;
	void *page = (void *)((uintptr_t)info->si_addr & ~(uintptr_t)(RECORD_PAGE - 1));
	(void)context;
	if (info->si_code <= 0) /* a process sent it */
		return;
	if (info->si_code != BUS_ADRERR ||
	    mmap(page, RECORD_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		 -1, 0) == MAP_FAILED)
		(void)signal(number, SIG_DFL);
	errno = saved;
}

void ring_survive_truncation(void)
{
	struct sigaction action;
	memset(&action, 0, sizeof(action));
	action.sa_sigaction = replace_page;
	action.sa_flags = SA_SIGINFO;
	sigemptyset(&action.sa_mask);
	(void)sigaction(SIGBUS, &action, NULL);
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGBUS);
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
}
