/* SPDX-License-Identifier: BSD-2-Clause */
/* Waits for packets, passes them on, and enters them in a ledger. */
#include "collector.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/fdio.h"

enum {
	READ_SIZE = 1 << 20, /* as much as a pipe can hold: packets in it are whole */
	DRAIN_MS = 2000,     /* told to stop: writers that never pause are left after so long */
};

void iot_collector_init(struct iot_collector *c)
{
	c->pipes = 0;
	iot_ledger_init(&c->ledger);
}

bool iot_collector_add(struct iot_collector *c, int fd, const char *name)
{
	unsigned char *data = malloc(READ_SIZE + IOT_PACKET_MAX);
	if (data == NULL) {
		close(fd);
		iot_error_set(&c->error, IOT_ENOMEM, "out of memory");
		return false;
	}
	c->pipe[c->pipes] = (struct iot_pipe_in){.name = name, .data = data};
	c->poll[c->pipes++] = (struct pollfd){.fd = fd, .events = POLLIN};
	return true;
}

void iot_collector_free(struct iot_collector *c)
{
	for (size_t i = 0; i < c->pipes; i++) {
		if (c->poll[i].fd >= 0)
			close(c->poll[i].fd);
		free(c->pipe[i].data);
	}
	c->pipes = 0;
	iot_ledger_free(&c->ledger);
}

/* Out */

/* Where nobody empties a pipe, this does not come back: signals come through, then. */
static bool write_out(struct iot_collector *c, const unsigned char *data, size_t size)
{
	sigset_t blocked;
	if (c->open_to != NULL)
		(void)sigprocmask(SIG_SETMASK, c->open_to, &blocked);
	const bool written = iot_file_write(c->out, data, size, IOT_FILE_HERE);
	if (written)
		c->bytes += size;
	else
		iot_error_system(&c->error, errno, "%s: cannot be written", c->out_name);
	if (c->open_to != NULL)
		(void)sigprocmask(SIG_SETMASK, &blocked, NULL);
	return written;
}

/* Counting */

static void count_lost(struct iot_collector *c)
{
	struct iot_packet_range lost;
	while (iot_ledger_lost(&c->ledger, &lost))
		if (c->appends && lost.first == 0)
			c->before += lost.count;
}

static bool count(struct iot_collector *c, const struct iot_packet *p)
{
	struct iot_packet_process *who;
	enum iot_ledger_verdict verdict = iot_ledger_enter(&c->ledger, p, &who);
	if (verdict == IOT_LEDGER_NO_MEMORY || verdict == IOT_LEDGER_FULL) {
		iot_error_set(&c->error, IOT_ELIMIT, "too many processes to be counted");
		return false;
	}
	if (verdict == IOT_LEDGER_DUPLICATE)
		return true;
	c->records += p->entries;
	if (p->kind == IOT_PACKET_EXIT)
		iot_ledger_end_process(&c->ledger, who);
	count_lost(c);
	return true;
}

/* In */

static void take_damage(struct iot_collector *c, struct iot_pipe_in *in)
{
	c->damaged += in->scan.bad;
	in->scan.bad = 0;
}

/* Passes on what has arrived, but for a packet that is not whole yet. */
static bool pass_on(struct iot_collector *c, struct iot_pipe_in *in, bool end)
{
	struct iot_packet p;
	size_t done = 0, used;
	bool counted = true;
	while (iot_packet_find(&in->scan, in->data + done, in->have - done, end, &used, &p)) {
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

static bool close_pipe(struct iot_collector *c, size_t i)
{
	close(c->poll[i].fd);
	c->poll[i].fd = -1;
	return pass_on(c, &c->pipe[i], true);
}

static bool read_pipe(struct iot_collector *c, size_t i)
{
	struct iot_pipe_in *in = &c->pipe[i];
	ssize_t n = read(c->poll[i].fd, in->data + in->have, READ_SIZE);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n < 0) {
		char name[512];
		iot_error_system(&c->error, errno, "%s: cannot be read",
				 iot_escape(name, sizeof(name), in->name, strlen(in->name)));
		return false;
	}
	if (n == 0)
		return close_pipe(c, i);
	in->have += (size_t)n;
	return pass_on(c, in, false);
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

/* What is in the pipes now, and then the rest of what has been begun. */
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

bool iot_collector_run(struct iot_collector *c, const sigset_t *waiting)
{
	struct stat st;
	const bool to_file = fstat(c->out, &st) == 0 && S_ISREG(st.st_mode);
	c->open_to = to_file ? NULL : waiting;
	while (is_open(c) && !*c->stop) {
		int n = ppoll(c->poll, (nfds_t)c->pipes, NULL, waiting);
		if (n < 0 && errno != EINTR && errno != EAGAIN) {
			iot_error_system(&c->error, errno, "cannot wait for packets");
			return false;
		}
		if (n > 0 && !read_ready(c))
			return false;
	}
	bool drained = drain(c);
	iot_ledger_end(&c->ledger);
	count_lost(c);
	return drained;
}
