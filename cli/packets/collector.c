/* SPDX-License-Identifier: BSD-2-Clause */
/* Waits for packets, forwards them, and tracks their sequence numbers. */
#include "collector.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/fdio.h"

enum {
	READ_SIZE = 1 << 20, /* capacity of a pipe: packets in it are complete */
	DRAIN_MS = 2000,     /* after a stop request: timeout for writers that never pause */
};

void collector_init(struct collector *c)
{
	c->pipes = 0;
	sequence_init(&c->sequence);
}

bool collector_add(struct collector *c, int fd, const char *name)
{
	unsigned char *data = malloc(READ_SIZE + PACKET_MAX);
	if (data == NULL) {
		close(fd);
		error_set(&c->error, IOT_ENOMEM, "out of memory");
		return false;
	}
	c->pipe[c->pipes] = (struct collector_pipe){.name = name, .data = data};
	c->poll[c->pipes++] = (struct pollfd){.fd = fd, .events = POLLIN};
	return true;
}

void collector_free(struct collector *c)
{
	for (size_t i = 0; i < c->pipes; i++) {
		if (c->poll[i].fd >= 0)
			close(c->poll[i].fd);
		free(c->pipe[i].data);
	}
	c->pipes = 0;
	sequence_free(&c->sequence);
}

/* Output */

/* If nobody drains the pipe, this blocks; signals are admitted meanwhile. */
static bool write_out(struct collector *c, const unsigned char *data, size_t size)
{
	sigset_t blocked;
	if (c->open_to != NULL)
		(void)sigprocmask(SIG_SETMASK, c->open_to, &blocked);
	const bool written = fdio_write(c->out, data, size, FDIO_CURRENT);
	if (written)
		c->bytes += size;
	else
		error_system(&c->error, errno, "%s: cannot be written", c->out_name);
	if (c->open_to != NULL)
		(void)sigprocmask(SIG_SETMASK, &blocked, NULL);
	return written;
}

/* Counting */

static void count_lost(struct collector *c)
{
	struct packet_range lost;
	while (sequence_lost(&c->sequence, &lost))
		if (c->appends && lost.first == 0)
			c->before += lost.count;
}

static bool count(struct collector *c, const struct packet *p)
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

static void take_damage(struct collector *c, struct collector_pipe *in)
{
	c->damaged += in->scan.bad;
	in->scan.bad = 0;
}

/* Forwards the data that has arrived, except an incomplete packet. */
static bool pass_on(struct collector *c, struct collector_pipe *in, bool end)
{
	struct packet p;
	size_t done = 0, used;
	bool counted = true;
	while (packet_find(&in->scan, in->data + done, in->have - done, end, &used, &p)) {
		take_damage(c, in);
		counted = counted && count(c, &p);
		done += used;
	}
	done += used;
	if (!write_out(c, in->data, done))
		return false;
	in->have -= done;
	memmove(in->data, in->data + done, in->have);
	if (end)
		take_damage(c, in);
	return counted;
}

static bool close_pipe(struct collector *c, size_t i)
{
	close(c->poll[i].fd);
	c->poll[i].fd = -1;
	return pass_on(c, &c->pipe[i], true);
}

static bool read_pipe(struct collector *c, size_t i)
{
	struct collector_pipe *in = &c->pipe[i];
	ssize_t n = read(c->poll[i].fd, in->data + in->have, READ_SIZE);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n < 0) {
		char name[512];
		error_system(&c->error, errno, "%s: cannot be read",
			     escape_text(name, sizeof(name), in->name, strlen(in->name)));
		return false;
	}
	if (n == 0)
		return close_pipe(c, i);
	in->have += (size_t)n;
	return pass_on(c, in, false);
}

static bool read_ready(struct collector *c)
{
	for (size_t i = 0; i < c->pipes; i++)
		if (c->poll[i].fd >= 0 && c->poll[i].revents != 0 && !read_pipe(c, i))
			return false;
	return true;
}

/* Waiting */

static bool is_open(const struct collector *c)
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
static bool drain(struct collector *c)
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

bool collector_run(struct collector *c, const sigset_t *waiting)
{
	struct stat st;
	const bool to_file = fstat(c->out, &st) == 0 && S_ISREG(st.st_mode);
	c->open_to = to_file ? NULL : waiting;
	while (is_open(c) && !*c->stop) {
		int n = ppoll(c->poll, (nfds_t)c->pipes, NULL, waiting);
		if (n < 0 && errno != EINTR && errno != EAGAIN) {
			error_system(&c->error, errno, "cannot wait for packets");
			return false;
		}
		if (n > 0 && !read_ready(c))
			return false;
	}
	bool drained = drain(c);
	sequence_end(&c->sequence);
	count_lost(c);
	return drained;
}
