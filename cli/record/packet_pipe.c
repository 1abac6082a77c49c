/* SPDX-License-Identifier: BSD-2-Clause */
#include "packet_pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <iotrace/iotrace.h>

#define NAME "packets"

enum { PIPE_SIZE = 1 << 20 };

static_assert(PACKET_ENTRIES_MAX * sizeof(struct record_transfer) <= PACKET_PIPE_RECORDS_MAX,
	      "fits");
static_assert(sizeof(struct record_open) + PACKET_MAX <= PACKET_PIPE_RECORDS_MAX, "fits");

int packet_pipe_create(int directory)
{
	if (mkfifoat(directory, NAME, 0600) != 0)
		return -1;
	const int fd = openat(directory, NAME, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		(void)fcntl(fd, F_SETPIPE_SZ, PIPE_SIZE); /* the system may allow less */
	return fd;
}

void packet_pipe_init(struct packet_pipe *s, int fd)
{
	s->fd = fd;
	s->scan = (struct packet_scan){.tick_ps = PACKET_TICK_PS_PER_NS};
	s->unread = s->at = s->have = 0; /* not the data, whose memory may never be needed */
}

void packet_pipe_begin(struct packet_pipe *s)
{
	int n = 0;
	s->unread = ioctl(s->fd, FIONREAD, &n) == 0 && n > 0 ? (size_t)n : 0;
}

/* Returns false if nothing is left to read. */
static bool fill(struct packet_pipe *s)
{
	ssize_t n;
	memmove(s->data, s->data + s->at, s->have - s->at);
	s->have -= s->at;
	s->at = 0;
	const size_t space = sizeof(s->data) - s->have,
		     want = s->unread < space ? s->unread : space;
	do
		n = want > 0 ? read(s->fd, s->data + s->have, want) : 0;
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return false;
	s->have += (size_t)n;
	s->unread -= (size_t)n;
	return true;
}

bool packet_pipe_next(struct packet_pipe *s, struct packet *p)
{
	do {
		size_t used;
		const bool found =
		    packet_find(&s->scan, s->data + s->at, s->have - s->at, false, &used, p);
		s->at += used;
		if (found)
			return true;
	} while (fill(s));
	return false;
}

/* Records */

static size_t data_records(const struct packet *p, unsigned char *out)
{
	struct packet_entries all = {.packet = p};
	struct packet_entry e = {0};
	size_t n = 0;
	while (packet_entry_next(&all, &e)) {
		const struct record_transfer t = {
		    .head = {.size = sizeof(t),
			     .kind = RECORD_TRANSFER,
			     .code = (uint8_t)(((e.type & IOT_WRITE) != 0 ? RECORD_WRITE : 0U) |
					       ((e.type & IOT_ASYNC) != 0 ? RECORD_ASYNC : 0U)),
			     .description = p->file},
		    .offset = (int64_t)e.offset,
		    .length = e.length,
		    .start = e.start,
		    .end = e.start + e.elapsed,
		    .cpu = e.cpu};
		memcpy(out + n, &t, sizeof(t));
		n += sizeof(t);
	}
	return n;
}

static size_t round_up(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/* Packets have no identity of the file: those with one path are the same. */
static size_t open_record(const struct packet *p, unsigned char *out)
{
	const uint64_t how = packet_word(p, 1), flags = packet_word(p, 2);
	const uint64_t start = packet_word(p, 0), elapsed = how & PACKET_ELAPSED_MAX;
	const size_t text = packet_text(p, PACKET_OPEN_WORDS);
	const unsigned char *path = p->payload + PACKET_WORD_SIZE * PACKET_OPEN_WORDS;
	struct record_open o = {.head = {.kind = RECORD_OPEN, .description = p->file},
				.size = -1,
				.start = start,
				.end = start + elapsed,
				.flags = (uint32_t)flags,
				.mode = (flags & O_DIRECTORY) != 0 ? S_IFDIR : S_IFREG,
				.text_size = (uint16_t)(text > 0 ? text + 1 : 0)};
	o.head.code = elapsed == 0                       ? RECORD_OP_FOUND
		      : (how & PACKET_OPEN_CREATED) != 0 ? RECORD_OP_CREATE
							 : RECORD_OP_OPEN;
	o.inode = text > 0 ? XXH3_64bits(path, text) | 1 : 0;
	o.head.size = (uint16_t)round_up(sizeof(o) + o.text_size);
	memset(out, 0, o.head.size);
	memcpy(out, &o, sizeof(o));
	memcpy(out + sizeof(o), path, text);
	return o.head.size;
}

static size_t close_record(const struct packet *p, unsigned char *out)
{
	const uint64_t start = packet_word(p, 0);
	const struct record_operation o = {.head = {.size = sizeof(o),
						    .kind = RECORD_OPERATION,
						    .code = RECORD_OP_CLOSE,
						    .description = p->file},
					   .start = start,
					   .end = start + packet_word(p, 1)};
	memcpy(out, &o, sizeof(o));
	return sizeof(o);
}

size_t packet_pipe_records(const struct packet *p, unsigned char out[PACKET_PIPE_RECORDS_MAX])
{
	if (p->kind == PACKET_DATA)
		return data_records(p, out);
	if (p->kind == PACKET_OPEN)
		return open_record(p, out);
	return p->kind == PACKET_CLOSE ? close_record(p, out) : 0;
}
