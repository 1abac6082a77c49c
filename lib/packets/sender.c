/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sender: settings, opening, the calls of a traced program for its I/Os, and fork. An I/O stays
 * in its thread's lane; the thread that fills a lane takes the sender's lock, moves the I/Os to the
 * batches of their files, and sends the packets that are due. Order of locks: sender, lane, clock.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <iotrace/packets.h>

#include "lib/base/error.h"
#include "sender_batch.h"
#include "sender_clock.h"
#include "sender_lane.h"

enum {
	FILES_DEFAULT = 32,
	FILES_MAX = 65536,
	FLUSH_DEFAULT = 100000,
	TYPE_COMMENT = 0xff,
	CHILD_TIMEOUT_MS = 1000,
};

/* What to do if the pipe is full. */
enum full_pipe { PIPE_WAIT, PIPE_DROP };

/* When all files are sent, and I/Os since and time of the last watermark. */
struct flush_policy {
	uint64_t every, every_ns;
	uint64_t unflushed;
	_Atomic int64_t flushed_ns;
};

struct fork_in_progress {
	int pipe[2]; /* from the child to the parent; -1: none */
	int64_t start_ns;
};

struct iot_sender {
	pthread_mutex_t lock;
	struct error error;
	bool is_open, ended, owns_fd;
	atomic_bool ready; /* is_ready, for threads without the lock */
	int fd;

	uint32_t process, parent, tick_ps, files_max;
	bool process_given, parent_given, physical;
	enum full_pipe full;
	struct sender_clock clock;
	struct flush_policy flush;

	struct sender_lane *lanes;
	struct sender_batches batches;
	/* a pending I/O of another generation belongs to the parent, from before fork */
	uint64_t generation;
	uint64_t sequence, records, dropped;
	uint32_t files;
	uint64_t watermark_max; /* in ticks */

	struct fork_in_progress fork;
	char program[256];
	size_t program_size;
	unsigned char packet[PACKET_MAX];
};

/* The pipe */

static void wait_for_space(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	(void)poll(&p, 1, -1);
}

/*
 * Writes all bytes: atomically if fd is a pipe with enough space and size is at most PIPE_BUF.
 * Returns 0, or the errno; EAGAIN if the pipe is full and nothing was written.
 */
static int write_all(int fd, const char *data, size_t size, enum full_pipe full)
{
	size_t done = 0;
	while (done < size) {
		const ssize_t n = write(fd, data + done, size - done);
		if (n > 0) {
			done += (size_t)n;
		} else if (n == 0) {
			return EIO;
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			/* A partially written packet must be completed. */
			if (full == PIPE_DROP && done == 0)
				return EAGAIN;
			wait_for_space(fd);
		} else if (errno != EINTR) {
			return errno;
		}
	}
	return 0;
}

/*
 * As write_all. The disposition of SIGPIPE belongs to the traced program, so the signal is blocked
 * in this thread during the write, and consumed if the write raised it.
 */
static int write_without_sigpipe(int fd, const void *data, size_t size, enum full_pipe full)
{
	static const struct timespec at_once = {0, 0};
	const int saved_errno = errno;
	sigset_t sigpipe, pending, before;
	sigemptyset(&sigpipe);
	sigaddset(&sigpipe, SIGPIPE);
	const bool blocked = pthread_sigmask(SIG_BLOCK, &sigpipe, &before) == 0;
	/* A signal that was not blocked cannot be pending. */
	const bool was_pending = blocked && sigismember(&before, SIGPIPE) == 1 &&
				 sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
	const int errnum = write_all(fd, data, size, full);
	if (blocked && errnum == EPIPE && !was_pending)
		while (sigtimedwait(&sigpipe, NULL, &at_once) < 0 && errno == EINTR)
			;
	if (blocked)
		(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = saved_errno;
	return errnum;
}

/* Creation */

static uint64_t ticks_of(const struct iot_sender *s, int64_t ns)
{
	if (s->tick_ps == PACKET_TICK_PS_PER_NS)
		return (uint64_t)ns;
	return packet_ticks_from_ns((uint64_t)ns, s->tick_ps);
}

static bool init_locks(struct iot_sender *s)
{
	if (pthread_mutex_init(&s->lock, NULL) != 0)
		return false;
	if (sender_clock_init(&s->clock))
		return true;
	(void)pthread_mutex_destroy(&s->lock);
	return false;
}

struct iot_sender *iot_sender_new(void)
{
	struct iot_sender *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	if (!init_locks(s)) {
		free(s);
		return NULL;
	}
	s->fd = s->fork.pipe[0] = s->fork.pipe[1] = -1;
	s->tick_ps = PACKET_TICK_PS_PER_NS;
	s->files_max = FILES_DEFAULT;
	s->flush.every = FLUSH_DEFAULT;
	s->generation = 1;
	s->watermark_max = UINT64_MAX;
	return s;
}

void iot_sender_free(struct iot_sender *s)
{
	if (s == NULL)
		return;
	if (s->owns_fd)
		close(s->fd);
	if (s->lanes != NULL)
		sender_lanes_free(s->lanes);
	free(s->lanes);
	sender_batches_free(&s->batches);
	sender_clock_free(&s->clock);
	(void)pthread_mutex_destroy(&s->lock);
	free(s);
}

/* Settings */

static int set(struct iot_sender *s, enum iot_sender_option option, uint64_t value)
{
	switch (option) {
	case IOT_SEND_PROCESS:
		s->process = (uint32_t)value;
		s->process_given = true;
		return value <= UINT32_MAX ? IOT_OK : IOT_EUSAGE;
	case IOT_SEND_PARENT:
		s->parent = (uint32_t)value;
		s->parent_given = true;
		return value <= UINT32_MAX ? IOT_OK : IOT_EUSAGE;
	case IOT_SEND_FILES:
		s->files_max = (uint32_t)value;
		return value >= 1 && value <= FILES_MAX ? IOT_OK : IOT_EUSAGE;
	case IOT_SEND_FLUSH:
		s->flush.every = value;
		return value >= 1 ? IOT_OK : IOT_EUSAGE;
	case IOT_SEND_FLUSH_NS:
		s->flush.every_ns = value;
		return IOT_OK;
	case IOT_SEND_TICK_PS:
		s->tick_ps = (uint32_t)value;
		return value >= 1 && value <= UINT32_MAX ? IOT_OK : IOT_EUSAGE;
	case IOT_SEND_PHYSICAL:
		s->physical = value == 1;
		return value <= 1 ? IOT_OK : IOT_EUSAGE;
	case IOT_SEND_CPU_NS:
		s->clock.cpu_every_ns = value;
		return IOT_OK;
	case IOT_SEND_DROP:
		s->full = value == 1 ? PIPE_DROP : PIPE_WAIT;
		return value <= 1 ? IOT_OK : IOT_EUSAGE;
	}
	return IOT_EUSAGE;
}

/* Settings and opening are allowed once, before open, and not after a rejected setting. */
static int may_open(const struct iot_sender *s)
{
	return s->error.status == IOT_OK && s->is_open ? IOT_EUSAGE : s->error.status;
}

int iot_sender_set(struct iot_sender *s, enum iot_sender_option option, uint64_t value)
{
	const int status = may_open(s);
	if (status == IOT_OK && set(s, option, value) != IOT_OK)
		return error_set(&s->error, IOT_EUSAGE, "setting %d of a sender: no such value",
				 (int)option);
	return status;
}

int iot_sender_on_clock(struct iot_sender *s, iot_clock_fn *fn, void *context, int64_t epoch_ns)
{
	const int status = may_open(s);
	if (status != IOT_OK)
		return status;
	if (fn == NULL || epoch_ns < 0)
		return error_set(&s->error, IOT_EUSAGE, "a sender's clock: no such clock");
	s->clock.read = fn;
	s->clock.context = context;
	s->clock.epoch_ns = epoch_ns;
	return IOT_OK;
}

/* Packets */

/* Returns the address for the payload of the next packet. */
static unsigned char *payload_of(struct iot_sender *s)
{
	return s->packet + PACKET_WORD_SIZE * PACKET_HEADER;
}

/* Writes text as whole words, padded with zeros; returns their number. */
static uint32_t write_text(unsigned char *to, const char *text, size_t size)
{
	const size_t words = (size + PACKET_WORD_SIZE - 1) / PACKET_WORD_SIZE;
	memset(to, 0, PACKET_WORD_SIZE * words);
	memcpy(to, text, size);
	return (uint32_t)words;
}

static int send_packet(struct iot_sender *s, enum packet_kind kind, uint32_t file, uint32_t words,
		       uint32_t entries)
{
	int64_t wall_ns, cpu_ns;
	if (s->error.status != IOT_OK)
		return s->error.status;
	/* A data packet has the CPU time of its I/Os, which may be sampled. */
	if (kind == PACKET_DATA)
		sender_clock_start(&s->clock, &wall_ns, &cpu_ns);
	else
		sender_clock_read(&s->clock, &wall_ns, &cpu_ns);
	const struct packet p = {.kind = kind,
				 .words = words,
				 .process = s->process,
				 .file = file,
				 .sequence = s->sequence++,
				 .tick_ps = s->tick_ps,
				 .entries = entries,
				 .wall = ticks_of(s, wall_ns),
				 .cpu = ticks_of(s, cpu_ns)};
	packet_seal(s->packet, &p);
	/* The start packet is never dropped, because the order of all others depends on it. */
	const enum full_pipe full = kind == PACKET_START ? PIPE_WAIT : s->full;
	const int errnum = write_without_sigpipe(s->fd, s->packet, packet_size(&p), full);
	s->dropped += errnum == EAGAIN;
	if (errnum == 0 || errnum == EAGAIN)
		return IOT_OK;
	return error_system(&s->error, errnum, "packets cannot be sent");
}

static int send_batch(struct iot_sender *s, struct sender_batch *b)
{
	const uint32_t entries = b->entries, words = b->words;
	if (entries == 0)
		return s->error.status;
	sender_batch_write(b, payload_of(s));
	return send_packet(s, PACKET_DATA, b->file, words, entries);
}

static int send_all(struct iot_sender *s)
{
	for (uint32_t i = 0; i < s->batches.count; i++)
		if (send_batch(s, &s->batches.batch[i]) != IOT_OK)
			break;
	return s->error.status;
}

static int send_watermark(struct iot_sender *s, int64_t wall_ns)
{
	const uint64_t watermark = ticks_of(s, wall_ns);
	packet_word_put(payload_of(s), watermark < s->watermark_max ? watermark : s->watermark_max);
	return send_packet(s, PACKET_WATERMARK, 0, 1, 0);
}

static int send_start(struct iot_sender *s)
{
	unsigned char *payload = payload_of(s);
	packet_word_put(payload, s->parent);
	packet_word_put(payload + PACKET_WORD_SIZE, (uint64_t)s->clock.epoch_ns);
	const uint32_t words = write_text(payload + PACKET_WORD_SIZE * PACKET_START_WORDS,
					  s->program, s->program_size);
	return send_packet(s, PACKET_START, 0, PACKET_START_WORDS + words, 0);
}

/* Opening */

static bool is_ready(const struct iot_sender *s)
{
	return s->is_open && !s->ended && s->error.status == IOT_OK;
}

/* A lane is full when its I/Os make a flush due. */
static uint32_t lane_limit(const struct flush_policy *f)
{
	const uint64_t left = f->every > f->unflushed ? f->every - f->unflushed : 1;
	return left < LANE_ENTRIES ? (uint32_t)left : LANE_ENTRIES;
}

static bool allocate(struct iot_sender *s)
{
	if (!sender_batches_init(&s->batches, s->files_max))
		return false;
	s->lanes = calloc(LANES, sizeof(*s->lanes));
	if (s->lanes != NULL && sender_lanes_init(s->lanes, lane_limit(&s->flush)))
		return true;
	free(s->lanes);
	s->lanes = NULL;
	return false;
}

static int begin(struct iot_sender *s, const char *program)
{
	s->program_size = strnlen(program, sizeof(s->program));
	memcpy(s->program, program, s->program_size);
	if (!allocate(s))
		return error_set(&s->error, IOT_ENOMEM, "out of memory for a sender");
	if (!s->process_given)
		s->process = (uint32_t)getpid();
	if (!s->parent_given)
		s->parent = (uint32_t)getppid();
	sender_clock_open(&s->clock);
	s->flush.flushed_ns = sender_clock_wall(&s->clock);
	s->is_open = true;
	(void)send_start(s);
	s->ready = is_ready(s);
	return s->error.status;
}

int iot_sender_open_fd(struct iot_sender *s, int fd, const char *program)
{
	const int status = may_open(s);
	if (status != IOT_OK)
		return status;
	s->fd = fd;
	return begin(s, program);
}

int iot_sender_open(struct iot_sender *s, const char *path, const char *program)
{
	char name[512];
	int fd;
	const int status = may_open(s);
	if (status != IOT_OK)
		return status;
	do
		fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
	while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return error_system(&s->error, errno, "%s: cannot be opened",
				    escape_text(name, sizeof(name), path, strlen(path)));
	s->owns_fd = true;
	s->fd = fd;
	/* Set after open, because a nonblocking open of a FIFO without a reader would fail. */
	if (s->full == PIPE_DROP && fcntl(fd, F_SETFL, O_APPEND | O_NONBLOCK) != 0)
		return error_system(&s->error, errno, "a pipe cannot be made O_NONBLOCK");
	return begin(s, program);
}

/* Calls: each leaves errno as it was */

static void lock(struct iot_sender *s)
{
	(void)pthread_mutex_lock(&s->lock);
}

static int unlock(struct iot_sender *s, int status)
{
	s->ready = is_ready(s);
	(void)pthread_mutex_unlock(&s->lock);
	return status;
}

/* Returns the status of a call on a sender that failed, is not open, or has sent its exit. */
static int not_ready(const struct iot_sender *s)
{
	return s->error.status != IOT_OK ? s->error.status : IOT_EUSAGE;
}

/* Returns IOT_OK if the sender is ready; without the lock. */
static int status_of(struct iot_sender *s)
{
	if (s->ready)
		return IOT_OK;
	lock(s);
	return unlock(s, is_ready(s) ? IOT_OK : not_ready(s));
}

/* Pending I/Os: the low bits of an I/O's generation are the index of its lane. */

static struct sender_lane *lane_of(const struct iot_sender *s, const struct iot_pending_io *io)
{
	return &s->lanes[io->generation % LANES];
}

int iot_sender_begin(struct iot_sender *s, struct iot_pending_io *io)
{
	io->generation = 0;
	if (!s->ready)
		return status_of(s);
	const uint32_t index = sender_lane_index();
	struct sender_lane *lane = &s->lanes[index];
	sender_lane_lock(lane);
	sender_clock_start(&s->clock, &io->start_ns, &io->cpu_ns);
	io->generation = s->generation * LANES + index;
	sender_lane_begin(lane, io);
	sender_lane_unlock(lane);
	return IOT_OK;
}

/*
 * Requires the lane's lock. Returns false if the I/O was not pending, or belongs to the parent
 * process.
 */
static bool end_pending(const struct iot_sender *s, struct iot_pending_io *io)
{
	const bool was_pending = io->generation / LANES == s->generation;
	io->generation = 0;
	if (was_pending)
		sender_lane_end(io);
	return was_pending;
}

/* As end_pending, without the lane's lock. */
static bool end_alone(const struct iot_sender *s, struct iot_pending_io *io)
{
	struct sender_lane *lane = lane_of(s, io);
	sender_lane_lock(lane);
	const bool was_pending = end_pending(s, io);
	sender_lane_unlock(lane);
	return was_pending;
}

/* Sets start, CPU clock and elapsed time, in ticks. */
static void set_times(const struct iot_sender *s, struct packet_entry *e,
		      const struct iot_pending_io *io, int64_t end_ns)
{
	const uint64_t end = ticks_of(s, end_ns);
	e->start = ticks_of(s, io->start_ns);
	e->cpu = ticks_of(s, io->cpu_ns);
	e->elapsed = end > e->start ? end - e->start : 0;
	if (e->elapsed > PACKET_ELAPSED_MAX)
		e->elapsed = PACKET_ELAPSED_MAX;
}

/* Flushing: the I/Os of lanes go to the batches of their files, and full batches are sent. */

static void add_to_batch(struct iot_sender *s, const struct lane_entry *e)
{
	struct sender_batch *b = sender_batches_find(&s->batches, e->file);
	if (b == NULL)
		b = sender_batches_take(&s->batches, e->file);
	if (b == NULL) {
		b = sender_batches_oldest(&s->batches);
		(void)send_batch(s, b);
		sender_batches_release(&s->batches, b);
		b = sender_batches_take(&s->batches, e->file);
	}
	if (!sender_batch_add(b, &e->io)) {
		(void)send_batch(s, b);
		(void)sender_batch_add(b, &e->io);
	}
}

/* Empties a lane; returns the start of its oldest pending I/O, or INT64_MAX. */
static int64_t drain(struct iot_sender *s, struct sender_lane *lane)
{
	sender_lane_lock(lane);
	for (uint32_t i = 0; i < lane->count; i++)
		add_to_batch(s, &lane->entry[i]);
	s->records += lane->count;
	s->flush.unflushed += lane->count;
	lane->count = 0;
	lane->limit = lane_limit(&s->flush);
	const int64_t oldest_ns = sender_lane_oldest(lane);
	sender_lane_unlock(lane);
	return oldest_ns;
}

/* Returns the start of the oldest pending I/O, or INT64_MAX. */
static int64_t drain_all(struct iot_sender *s)
{
	int64_t oldest_ns = INT64_MAX;
	for (uint32_t i = 0; i < LANES; i++) {
		const int64_t start_ns = drain(s, &s->lanes[i]);
		oldest_ns = start_ns < oldest_ns ? start_ns : oldest_ns;
	}
	return oldest_ns;
}

/* An I/O that begins during the flush starts after its time, which is therefore read first. */
static int flush(struct iot_sender *s)
{
	const int64_t now_ns = sender_clock_wall(&s->clock), oldest_ns = drain_all(s);
	s->flush.flushed_ns = now_ns;
	s->flush.unflushed = 0;
	if (send_all(s) != IOT_OK)
		return s->error.status;
	return send_watermark(s, oldest_ns < now_ns ? oldest_ns : now_ns);
}

static bool time_is_due(const struct flush_policy *f, int64_t now_ns)
{
	if (f->every_ns == 0)
		return false;
	const int64_t since_ns = now_ns - f->flushed_ns;
	return since_ns > 0 && (uint64_t)since_ns >= f->every_ns;
}

static int send_due(struct iot_sender *s, struct sender_lane *lane, int64_t now_ns)
{
	const int saved_errno = errno;
	lock(s);
	if (!is_ready(s))
		return unlock(s, s->error.status);
	(void)drain(s, lane);
	if (s->flush.unflushed >= s->flush.every || time_is_due(&s->flush, now_ns))
		(void)flush(s);
	errno = saved_errno;
	return unlock(s, s->error.status);
}

int iot_sender_flush(struct iot_sender *s)
{
	lock(s);
	return unlock(s, is_ready(s) ? flush(s) : not_ready(s));
}

/* Once ready is false, no lane takes an I/O, so none remains in one. */
int iot_sender_exit(struct iot_sender *s, int status)
{
	lock(s);
	if (!is_ready(s))
		return unlock(s, not_ready(s));
	s->ready = false;
	(void)drain_all(s);
	if (send_all(s) == IOT_OK) {
		packet_word_put(payload_of(s), (uint64_t)status);
		(void)send_packet(s, PACKET_EXIT, 0, 1, 0);
	}
	s->ended = true;
	return unlock(s, s->error.status);
}

/* I/Os */

static int refuse_physical(struct iot_sender *s)
{
	lock(s);
	if (!is_ready(s))
		return unlock(s, not_ready(s));
	return unlock(s, error_refuse(&s->error, "the type of a record lacks IOT_LOGICAL, so it "
						 "would be an I/O of a disk, in blocks of 512 "
						 "bytes (IOT_SEND_PHYSICAL)"));
}

/* Returns false if the record cannot be sent. */
static bool set_entry(struct lane_entry *e, const struct iot_record *rec)
{
	const uint64_t unit = (rec->type & IOT_LOGICAL) != 0 ? 1 : PACKET_PHYSICAL_UNIT;
	e->file = rec->file;
	e->io.type = rec->type;
	return rec->type != TYPE_COMMENT &&
	       !__builtin_mul_overflow(rec->offset, unit, &e->io.offset) &&
	       !__builtin_mul_overflow(rec->length, unit, &e->io.length);
}

/*
 * Adds a record to its lane; returns IOT_EUSAGE if it cannot be sent or the sender is not ready.
 * The entry is written in place, because copying one takes as long as a lock.
 */
static int append(struct iot_sender *s, struct sender_lane *lane, const struct iot_pending_io *io,
		  const struct iot_record *rec, int64_t end_ns)
{
	struct lane_entry *e = &lane->entry[lane->count];
	if (!s->ready)
		return IOT_EUSAGE;
	set_times(s, &e->io, io, end_ns);
	if (!set_entry(e, rec))
		return IOT_EUSAGE;
	lane->count++;
	return IOT_OK;
}

/* Locks a lane that is not full: the thread that filled it is about to drain it. */
static void lock_with_space(struct iot_sender *s, struct sender_lane *lane, int64_t end_ns)
{
	sender_lane_lock(lane);
	while (s->ready && sender_lane_is_full(lane)) {
		sender_lane_unlock(lane);
		(void)send_due(s, lane, end_ns);
		sender_lane_lock(lane);
	}
}

static int end_record(struct iot_sender *s, struct iot_pending_io *io, const struct iot_record *rec,
		      int64_t end_ns)
{
	struct sender_lane *lane = lane_of(s, io);
	int status = IOT_OK;
	lock_with_space(s, lane, end_ns);
	if (end_pending(s, io))
		status = append(s, lane, io, rec, end_ns);
	const bool due = sender_lane_is_full(lane) || time_is_due(&s->flush, end_ns);
	sender_lane_unlock(lane);
	if (status != IOT_OK)
		return s->ready ? status : status_of(s);
	return due ? send_due(s, lane, end_ns) : IOT_OK;
}

int iot_sender_end(struct iot_sender *s, struct iot_pending_io *io, const struct iot_record *rec)
{
	if (io->generation == 0)
		return status_of(s);
	const int64_t end_ns = sender_clock_wall(&s->clock);
	if (rec != NULL && ((rec->type & IOT_LOGICAL) != 0 || s->physical))
		return end_record(s, io, rec, end_ns);
	(void)end_alone(s, io);
	return rec != NULL ? refuse_physical(s) : status_of(s);
}

/* Files */

uint32_t iot_sender_file(struct iot_sender *s)
{
	lock(s);
	const uint32_t file = ++s->files;
	(void)unlock(s, IOT_OK);
	return file;
}

static int send_open(struct iot_sender *s, const struct packet_entry *e, uint32_t file,
		     const char *path, uint64_t flags, int created)
{
	const size_t capacity = (size_t)PACKET_WORD_SIZE * (PACKET_PAYLOAD_MAX - PACKET_OPEN_WORDS),
		     size = strnlen(path, capacity + 1);
	const bool cut = size > capacity;
	unsigned char *payload = payload_of(s);
	packet_word_put(payload, e->start);
	packet_word_put(payload + PACKET_WORD_SIZE, e->elapsed |
							(created ? PACKET_OPEN_CREATED : 0) |
							(cut ? PACKET_OPEN_CUT : 0));
	packet_word_put(payload + 2 * PACKET_WORD_SIZE, flags);
	const uint32_t words =
	    write_text(payload + PACKET_WORD_SIZE * PACKET_OPEN_WORDS, path, cut ? capacity : size);
	return send_packet(s, PACKET_OPEN, file, PACKET_OPEN_WORDS + words, 0);
}

int iot_sender_opened(struct iot_sender *s, struct iot_pending_io *io, uint32_t file,
		      const char *path, uint64_t flags, int created)
{
	const int saved_errno = errno;
	int status = IOT_OK;
	if (io->generation == 0)
		return status_of(s);
	struct packet_entry e;
	set_times(s, &e, io, sender_clock_wall(&s->clock));
	lock(s);
	const bool was_pending = end_alone(s, io);
	if (!is_ready(s))
		status = not_ready(s);
	else if (was_pending)
		status = send_open(s, &e, file, path, flags, created);
	errno = saved_errno;
	return unlock(s, status);
}

/* The I/Os of the file are sent first. */
static int send_close(struct iot_sender *s, const struct packet_entry *e, uint32_t file)
{
	(void)drain_all(s);
	struct sender_batch *b = sender_batches_find(&s->batches, file);
	if (b != NULL) {
		(void)send_batch(s, b);
		sender_batches_release(&s->batches, b);
	}
	packet_word_put(payload_of(s), e->start);
	packet_word_put(payload_of(s) + PACKET_WORD_SIZE, e->elapsed);
	return send_packet(s, PACKET_CLOSE, file, 2, 0);
}

int iot_sender_closed(struct iot_sender *s, struct iot_pending_io *io, uint32_t file)
{
	const int saved_errno = errno;
	int status = IOT_OK;
	if (io->generation == 0)
		return status_of(s);
	struct packet_entry e;
	set_times(s, &e, io, sender_clock_wall(&s->clock));
	lock(s);
	const bool was_pending = end_alone(s, io);
	if (!is_ready(s))
		status = not_ready(s);
	else if (was_pending)
		status = send_close(s, &e, file);
	errno = saved_errno;
	return unlock(s, status);
}

/*
 * Fork: until the child's start packet is in the pipe, no watermark of the parent may be later than
 * the fork. The child signals through a pipe of its own, whose end also indicates that no child
 * exists or that it died. Meanwhile the parent holds the lock, so no other thread can send a
 * watermark.
 */

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void iot_sender_before_fork(struct iot_sender *s)
{
	lock(s);
	if (!is_ready(s))
		return;
	s->fork.start_ns = sender_clock_wall(&s->clock);
	if (pipe2(s->fork.pipe, O_CLOEXEC) != 0)
		s->fork.pipe[0] = s->fork.pipe[1] = -1;
	sender_lanes_lock(s->lanes);
	(void)pthread_mutex_lock(&s->clock.lock);
}

/* Other threads may begin and end I/Os again, but not send them. */
static void unlock_lanes(struct iot_sender *s)
{
	(void)pthread_mutex_unlock(&s->clock.lock);
	sender_lanes_unlock(s->lanes);
}

/* Returns true if the child's start packet has been sent, or no child exists. */
static bool child_is_known(const struct iot_sender *s)
{
	struct pollfd p = {.fd = s->fork.pipe[0], .events = POLLIN};
	int n;
	if (p.fd < 0)
		return false;
	do
		n = poll(&p, 1, CHILD_TIMEOUT_MS);
	while (n < 0 && errno == EINTR);
	return n > 0;
}

void iot_sender_after_fork_parent(struct iot_sender *s)
{
	const int saved_errno = errno;
	if (is_ready(s)) {
		unlock_lanes(s);
		close_end(&s->fork.pipe[1]);
		const uint64_t fork_tick = ticks_of(s, s->fork.start_ns);
		/* A silent child may start at any time: watermarks stay at the fork for good. */
		if (!child_is_known(s) && fork_tick < s->watermark_max)
			s->watermark_max = fork_tick;
		close_end(&s->fork.pipe[0]);
	}
	errno = saved_errno;
	(void)unlock(s, IOT_OK);
}

void iot_sender_after_fork_child(struct iot_sender *s, uint32_t process)
{
	static const char known = 1;
	const int saved_errno = errno;
	if (is_ready(s)) {
		close_end(&s->fork.pipe[0]);
		sender_batches_clear(&s->batches);
		sender_lanes_clear(s->lanes);
		s->generation++;
		sender_clock_forked(&s->clock);
		unlock_lanes(s);
		s->parent = s->process;
		s->process = process != 0 ? process : (uint32_t)getpid();
		s->sequence = s->records = s->dropped = s->flush.unflushed = 0;
		s->watermark_max = UINT64_MAX;
		(void)send_start(s);
		/* If this fails, the parent still sees the end of the pipe. */
		if (s->fork.pipe[1] >= 0)
			(void)write_without_sigpipe(s->fork.pipe[1], &known, 1, PIPE_WAIT);
		close_end(&s->fork.pipe[1]);
	}
	errno = saved_errno;
	(void)unlock(s, IOT_OK);
}

/* Counters and errors */

static uint64_t records_of(struct iot_sender *s)
{
	uint64_t n = s->records;
	for (uint32_t i = 0; s->lanes != NULL && i < LANES; i++) {
		sender_lane_lock(&s->lanes[i]);
		n += s->lanes[i].count;
		sender_lane_unlock(&s->lanes[i]);
	}
	return n;
}

uint64_t iot_sender_fact(struct iot_sender *s, enum iot_sender_fact fact)
{
	lock(s);
	const uint64_t value = fact == IOT_SENT_PACKETS   ? s->sequence
			       : fact == IOT_SENT_RECORDS ? records_of(s)
			       : fact == IOT_SENT_DROPPED ? s->dropped
							  : 0;
	(void)unlock(s, IOT_OK);
	return value;
}

const char *iot_sender_error(struct iot_sender *s)
{
	return s->error.text;
}
