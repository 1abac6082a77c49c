/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waits for packets, forwards them, and tracks their sequence numbers. Packets of several pipes are
 * never interleaved: only complete packets and damaged bytes are forwarded, and the rest of a
 * packet is waited for.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <iotrace/packets.h>

#include "lib/base/error.h"
#include "lib/base/full_io.h"
#include "packet.h"
#include "sequence.h"

enum {
	READ_SIZE = 1 << 20, /* capacity of a pipe: packets in it are complete */
	DRAIN_MS = 2000,     /* after a stop request: timeout for writers that never pause */
};

struct collector_pipe {
	char name[512]; /* escaped */
	unsigned char *data;
	size_t have; /* bytes of an incomplete packet */
	struct packet_scan scan;
};

struct iot_collector {
	struct collector_pipe pipe[IOT_COLLECTOR_PIPES_MAX];
	struct pollfd poll[IOT_COLLECTOR_PIPES_MAX]; /* fd -1: its writers have closed it */
	size_t pipes;
	int out; /* -1: not open */
	bool owns_out;
	bool appends; /* the file was not empty before */
	iot_collector_write_fn *before_write;
	void *context;
	uint64_t part_bytes; /* in the output */
	char out_name[512];
	const sigset_t *unblocked; /* the signal mask for writes to pipes and devices; or NULL */
	struct sequence sequence;
	uint64_t bytes, records, damaged, earlier;
	struct error error;
};

struct iot_collector *iot_collector_new(void)
{
	struct iot_collector *c = calloc(1, sizeof(*c));
	if (c == NULL)
		return NULL;
	c->out = -1;
	sequence_init(&c->sequence);
	return c;
}

void iot_collector_free(struct iot_collector *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->pipes; i++) {
		if (c->poll[i].fd >= 0)
			close(c->poll[i].fd);
		free(c->pipe[i].data);
	}
	if (c->owns_out)
		close(c->out);
	sequence_free(&c->sequence);
	free(c);
}

/* Opening */

/* Appends to existing contents, if they are packets. */
static int look_at_contents(struct iot_collector *c)
{
	unsigned char head[PACKET_WORD_SIZE], magic[PACKET_WORD_SIZE];
	struct stat st;
	if (fstat(c->out, &st) != 0)
		return error_system(&c->error, errno, "%s: cannot be written", c->out_name);
	if (!S_ISREG(st.st_mode))
		return IOT_OK;
	if (flock(c->out, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return error_set(&c->error, IOT_EIO, "%s: another collector writes to it",
				 c->out_name);
	c->appends = c->appends || st.st_size > 0;
	c->part_bytes = (uint64_t)st.st_size;
	packet_word_put(magic, PACKET_MAGIC);
	if (st.st_size > 0 && (full_read(c->out, head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
			       memcmp(head, magic, sizeof(head)) != 0))
		return error_set(&c->error, IOT_EFORMAT,
				 "%s: not a file of packets; nothing is appended to it",
				 c->out_name);
	return IOT_OK;
}

int iot_collector_open_fd(struct iot_collector *c, int fd, const char *name)
{
	if (c->error.status != IOT_OK || c->out >= 0)
		return c->error.status != IOT_OK ? c->error.status : IOT_EUSAGE;
	escape_text(c->out_name, sizeof(c->out_name), name, strlen(name));
	c->out = fd;
	return IOT_OK;
}

int iot_collector_open(struct iot_collector *c, const char *path)
{
	if (c->error.status != IOT_OK || c->out >= 0)
		return c->error.status != IOT_OK ? c->error.status : IOT_EUSAGE;
	escape_text(c->out_name, sizeof(c->out_name), path, strlen(path));
	c->out = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
	if (c->out < 0)
		return error_system(&c->error, errno, "%s: cannot be opened", c->out_name);
	c->owns_out = true;
	return look_at_contents(c);
}

/* Returns whether the contents of the output are on disk. */
static bool close_output(struct iot_collector *c)
{
	bool ok = fsync(c->out) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP;
	if (c->owns_out && close(c->out) != 0)
		ok = false;
	if (!ok)
		error_system(&c->error, errno, "%s: cannot be written", c->out_name);
	c->owns_out = false;
	c->out = -1;
	return ok;
}

int iot_collector_reopen(struct iot_collector *c, const char *path)
{
	if (c->error.status != IOT_OK || c->out < 0)
		return c->error.status != IOT_OK ? c->error.status : IOT_EUSAGE;
	return close_output(c) ? iot_collector_open(c, path) : c->error.status;
}

void iot_collector_before_write(struct iot_collector *c, iot_collector_write_fn *fn, void *context)
{
	c->before_write = fn;
	c->context = context;
}

static int add_pipe(struct iot_collector *c, int fd, const char *name)
{
	struct collector_pipe *p = &c->pipe[c->pipes];
	*p = (struct collector_pipe){.data = malloc(READ_SIZE + PACKET_MAX)};
	escape_text(p->name, sizeof(p->name), name, strlen(name));
	if (p->data == NULL || fd < 0) {
		const int errnum = errno;
		free(p->data);
		if (fd < 0)
			return error_system(&c->error, errnum, "%s: cannot be opened", p->name);
		close(fd);
		return error_no_memory(&c->error);
	}
	c->poll[c->pipes++] = (struct pollfd){.fd = fd, .events = POLLIN};
	return IOT_OK;
}

/*
 * A FIFO is opened without waiting for a writer; until the first writer arrives, reading returns
 * neither data nor an end.
 */
static int open_pipe(const char *path, int keep)
{
	struct stat st;
	const bool known = stat(path, &st) == 0;
	if (known && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return -1;
	}
	const int how = known && S_ISFIFO(st.st_mode) && keep ? O_RDWR : O_RDONLY;
	return open(path, how | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

static int may_add(const struct iot_collector *c)
{
	if (c->error.status != IOT_OK)
		return c->error.status;
	return c->pipes < IOT_COLLECTOR_PIPES_MAX ? IOT_OK : IOT_ELIMIT;
}

int iot_collector_add(struct iot_collector *c, const char *path, int keep)
{
	const int status = may_add(c);
	return status == IOT_OK ? add_pipe(c, open_pipe(path, keep), path) : status;
}

int iot_collector_add_fd(struct iot_collector *c, int fd, const char *name)
{
	const int status = may_add(c);
	return status == IOT_OK ? add_pipe(c, fcntl(fd, F_DUPFD_CLOEXEC, 3), name) : status;
}

/* Output */

static bool is_allowed(struct iot_collector *c)
{
	const int status =
	    c->before_write != NULL ? c->before_write(c->context, c, c->part_bytes) : IOT_OK;
	if (status != IOT_OK)
		(void)error_set(&c->error, status, "%s: not written", c->out_name);
	return status == IOT_OK;
}

/* If nobody drains the pipe, this blocks; signals are admitted meanwhile. */
static bool write_out(struct iot_collector *c, const unsigned char *data, size_t size)
{
	sigset_t blocked;
	if (size > 0 && !is_allowed(c))
		return false;
	if (c->unblocked != NULL)
		(void)sigprocmask(SIG_SETMASK, c->unblocked, &blocked);
	const bool written = full_write(c->out, data, size, FULL_IO_CURRENT);
	c->bytes += written ? size : 0;
	c->part_bytes += written ? size : 0;
	if (!written)
		error_system(&c->error, errno, "%s: cannot be written", c->out_name);
	if (c->unblocked != NULL)
		(void)sigprocmask(SIG_SETMASK, &blocked, NULL);
	return written;
}

/* Counting */

static void count_lost(struct iot_collector *c)
{
	struct packet_range lost;
	while (sequence_pop_lost(&c->sequence, &lost))
		if (c->appends && lost.first == 0)
			c->earlier += lost.count;
}

static bool count(struct iot_collector *c, const struct packet *p)
{
	struct packet_process *who;
	enum sequence_verdict verdict = sequence_accept(&c->sequence, p, &who);
	if (verdict == SEQUENCE_NO_MEMORY || verdict == SEQUENCE_FULL) {
		error_set(&c->error, IOT_ELIMIT, "too many processes to be counted");
		return false;
	}
	if (verdict == SEQUENCE_DUPLICATE)
		return true;
	c->records += p->entries;
	if (p->kind == PACKET_EXIT)
		sequence_end_process(&c->sequence, who);
	count_lost(c);
	return true;
}

/* Input */

static void count_damage(struct iot_collector *c, struct collector_pipe *in)
{
	c->damaged += in->scan.bad;
	in->scan.bad = 0;
}

/* Forwards the data that has arrived, except an incomplete packet. */
static bool forward(struct iot_collector *c, struct collector_pipe *in, bool end)
{
	struct packet p;
	size_t done = 0, used;
	bool counted = true;
	while (packet_find(&in->scan, in->data + done, in->have - done, end, &used, &p)) {
		count_damage(c, in);
		counted = counted && count(c, &p);
		done += used;
	}
	done += used;
	if (!write_out(c, in->data, done))
		return false;
	in->have -= done;
	memmove(in->data, in->data + done, in->have);
	if (end)
		count_damage(c, in);
	return counted;
}

static bool close_pipe(struct iot_collector *c, size_t i)
{
	close(c->poll[i].fd);
	c->poll[i].fd = -1;
	return forward(c, &c->pipe[i], true);
}

static bool read_pipe(struct iot_collector *c, size_t i)
{
	struct collector_pipe *in = &c->pipe[i];
	ssize_t n = read(c->poll[i].fd, in->data + in->have, READ_SIZE);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n < 0) {
		error_system(&c->error, errno, "%s: cannot be read", in->name);
		return false;
	}
	if (n == 0)
		return close_pipe(c, i);
	in->have += (size_t)n;
	return forward(c, in, false);
}

static bool read_ready(struct iot_collector *c)
{
	for (size_t i = 0; i < c->pipes; i++)
		if (c->poll[i].fd >= 0 && c->poll[i].revents != 0 && !read_pipe(c, i))
			return false;
	return true;
}

/* Waiting */

static bool is_open(const struct iot_collector *c)
{
	for (size_t i = 0; i < c->pipes; i++)
		if (c->poll[i].fd >= 0)
			return true;
	return false;
}

static int64_t now_ms(void)
{
	struct timespec t;
	if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
		return 0;
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Reads the contents of the pipes, and then the rest of incomplete packets. */
static bool drain(struct iot_collector *c)
{
	int64_t deadline = now_ms() + DRAIN_MS;
	while (is_open(c) && now_ms() < deadline && poll(c->poll, (nfds_t)c->pipes, 0) > 0)
		if (!read_ready(c))
			return false;
	for (size_t i = 0; i < c->pipes; i++)
		if (c->poll[i].fd >= 0 && !close_pipe(c, i))
			return false;
	return true;
}

static bool collect(struct iot_collector *c, const volatile sig_atomic_t *stop,
		    const sigset_t *waiting)
{
	while (is_open(c) && (stop == NULL || !*stop)) {
		const int n = ppoll(c->poll, (nfds_t)c->pipes, NULL, waiting);
		if (n < 0 && errno != EINTR && errno != EAGAIN) {
			error_system(&c->error, errno, "cannot wait for packets");
			return false;
		}
		if (n > 0 && !read_ready(c))
			return false;
	}
	return true;
}

int iot_collector_run(struct iot_collector *c, const volatile sig_atomic_t *stop,
		      const sigset_t *waiting)
{
	struct stat st;
	if (c->error.status != IOT_OK || c->out < 0)
		return c->error.status != IOT_OK ? c->error.status : IOT_EUSAGE;
	const bool to_file = fstat(c->out, &st) == 0 && S_ISREG(st.st_mode);
	c->unblocked = to_file ? NULL : waiting;
	if (collect(c, stop, waiting)) {
		(void)drain(c);
		sequence_end(&c->sequence);
		count_lost(c);
	}
	return c->error.status;
}

int iot_collector_close(struct iot_collector *c)
{
	(void)close_output(c);
	return c->error.status;
}

uint64_t iot_collector_fact(const struct iot_collector *c, enum iot_collector_fact fact)
{
	const struct sequence *s = &c->sequence;
	const uint64_t facts[] = {
	    [IOT_COLLECTED_PACKETS] = s->packets,        [IOT_COLLECTED_RECORDS] = c->records,
	    [IOT_COLLECTED_PROCESSES] = s->processes,    [IOT_COLLECTED_BYTES] = c->bytes,
	    [IOT_COLLECTED_LOST] = s->lost - c->earlier, [IOT_COLLECTED_EARLIER] = c->earlier,
	    [IOT_COLLECTED_DAMAGED] = c->damaged,        [IOT_COLLECTED_DUPLICATES] = s->duplicates,
	    [IOT_COLLECTED_APPENDS] = c->appends,
	};
	return (size_t)fact < sizeof(facts) / sizeof(facts[0]) ? facts[fact] : 0;
}

const char *iot_collector_error(const struct iot_collector *c)
{
	return c->error.text;
}
