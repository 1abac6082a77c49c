/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes out. What is written gathers in `text`; from there it goes through a packer, in the caller's
 * thread or in one of its own: then `text` is a piece of the write-behind's ring. Large writes in
 * the caller's thread go past the buffer.
 */
#include "sink.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "outfile.h"
#include "packer.h"
#include "writebehind.h"

enum {
	BUFFER_SIZE = 1 << 18,
	GZIP_LEVEL_MAX = 9,
	ZSTD_LEVEL_MAX = 19,
};

struct iot_sink {
	struct iot_error error;
	char *name; /* escaped */
	enum iot_compression how;
	int level;
	unsigned threads;

	bool open, closed;
	struct iot_outfile file; /* unless it is the caller's */
	struct iot_packer packer;
	struct iot_writebehind *behind; /* while not NULL, the packer is its thread's */

	char *text;
	size_t text_size, text_room; /* text_room is 0 until open and after close */
};

struct iot_sink *iot_sink_new(void)
{
	return calloc(1, sizeof(struct iot_sink));
}

void iot_sink_free(struct iot_sink *s)
{
	if (!s)
		return;
	if (!s->behind)
		free(s->text);
	iot_writebehind_free(s->behind);
	iot_packer_close(&s->packer);
	iot_outfile_drop(&s->file);
	free(s->name);
	free(s);
}

static const char *name_of(const struct iot_sink *s)
{
	return s->name ? s->name : "output";
}

static int fail_memory(struct iot_sink *s)
{
	return iot_error_set(&s->error, IOT_ENOMEM, "%s: out of memory", name_of(s));
}

/* After a call that the packer answered with `status`. */
static int take_status(struct iot_sink *s, int status)
{
	if (status == IOT_OK)
		return s->error.status;
	return iot_error_set(&s->error, status, "%s", s->packer.error.text);
}

int iot_sink_compress(struct iot_sink *s, enum iot_compression how, int level, unsigned threads)
{
	const int most = how == IOT_GZIP   ? GZIP_LEVEL_MAX
			 : how == IOT_ZSTD ? ZSTD_LEVEL_MAX
					   : INT_MAX;

	if (s->error.status != IOT_OK)
		return s->error.status;
	if (s->open)
		return iot_error_set(&s->error, IOT_EUSAGE, "%s: is open already", name_of(s));
	if (how != IOT_PLAIN && how != IOT_GZIP && how != IOT_ZSTD)
		return iot_error_set(&s->error, IOT_EUSAGE, "unknown compression %d", (int)how);
	if (level < 0 || level > most)
		return iot_error_set(&s->error, IOT_EUSAGE, "level %d, expected 0 to %d", level,
				     most);
	s->how = how;
	s->level = level;
	s->threads = threads;
	return IOT_OK;
}

/* Opening */

static int set_name(struct iot_sink *s, const char *name)
{
	const size_t size = strlen(name);

	s->name = malloc(4 * size + 4);
	if (!s->name)
		return fail_memory(s);
	iot_escape(s->name, 4 * size + 4, name, size);
	return IOT_OK;
}

static int make_room(struct iot_sink *s)
{
	if (s->how != IOT_PLAIN && s->threads > 0)
		s->behind = iot_writebehind_new(&s->packer);
	s->text = s->behind ? iot_writebehind_room(s->behind) : malloc(BUFFER_SIZE);
	if (!s->text)
		return fail_memory(s);
	s->text_room = s->behind ? IOT_WRITEBEHIND_ROOM : BUFFER_SIZE;
	return IOT_OK;
}

/* What does not depend on the destination, which is not touched before this has worked. */
static int begin(struct iot_sink *s, const char *name)
{
	/* The thread that writes behind compresses as well. */
	const unsigned workers = s->threads > 1 ? s->threads - 1 : 0;

	if (s->error.status != IOT_OK)
		return s->error.status;
	if (s->open)
		return iot_error_set(&s->error, IOT_EUSAGE, "%s: is open already", name_of(s));
	if (set_name(s, name) != IOT_OK)
		return s->error.status;
	s->packer.name = s->name;
	if (take_status(s, iot_packer_open(&s->packer, s->how, s->level, workers)) != IOT_OK)
		return s->error.status;
	return make_room(s);
}

int iot_sink_open_fd(struct iot_sink *s, int fd, const char *name)
{
	if (begin(s, name) != IOT_OK)
		return s->error.status;
	s->packer.destination = IOT_TO_FD;
	s->packer.fd = fd;
	s->open = true;
	return IOT_OK;
}

int iot_sink_open_callback(struct iot_sink *s, iot_write_fn *write, void *context, const char *name)
{
	if (begin(s, name) != IOT_OK)
		return s->error.status;
	s->packer.destination = IOT_TO_CALLBACK;
	s->packer.write = write;
	s->packer.context = context;
	s->open = true;
	return IOT_OK;
}

int iot_sink_open_memory(struct iot_sink *s)
{
	if (begin(s, "memory") != IOT_OK)
		return s->error.status;
	s->packer.destination = IOT_TO_MEMORY;
	s->open = true;
	return IOT_OK;
}

int iot_sink_open(struct iot_sink *s, const char *path)
{
	/* /dev/stdout may be a file that the shell opened to append to: it must not be replaced. */
	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
		return iot_sink_open_fd(s, STDOUT_FILENO, "standard output");
	if (begin(s, path) != IOT_OK ||
	    iot_outfile_open(&s->file, path, name_of(s), &s->error) != IOT_OK)
		return s->error.status;
	s->packer.destination = IOT_TO_FD;
	s->packer.fd = s->file.fd;
	s->open = true;
	return IOT_OK;
}

/* Writing */

static int check_open(struct iot_sink *s)
{
	if (!s->open || s->closed)
		return iot_error_set(&s->error, IOT_EUSAGE, "%s: is not open", name_of(s));
	return s->error.status;
}

/* Flushing and finishing are waited for. */
static int send_behind(struct iot_sink *s, size_t size, enum iot_ending ending)
{
	int status = iot_writebehind_send(s->behind, size, ending);

	if (ending == IOT_FLUSH || ending == IOT_FINISH)
		status = iot_writebehind_wait(s->behind);
	if (status == IOT_OK)
		s->text = iot_writebehind_room(s->behind);
	return take_status(s, status);
}

/* Sends the buffer on its way. */
static int pass_text(struct iot_sink *s, enum iot_ending ending)
{
	const size_t size = s->text_size;

	s->text_size = 0;
	if (s->error.status != IOT_OK || (size == 0 && ending == IOT_GO_ON))
		return s->error.status;
	if (s->behind)
		return send_behind(s, size, ending);
	return take_status(s, iot_packer_put(&s->packer, s->text, size, ending));
}

/* More than the buffer holds: piece by piece, as there is no way past the ring. */
static int write_pieces(struct iot_sink *s, const char *data, size_t size)
{
	while (size > 0) {
		const size_t room = s->text_room - s->text_size;
		const size_t n = size < room ? size : room;

		memcpy(s->text + s->text_size, data, n);
		s->text_size += n;
		data += n;
		size -= n;
		if (s->text_size == s->text_room && pass_text(s, IOT_GO_ON) != IOT_OK)
			return s->error.status;
	}
	return IOT_OK;
}

static int write_past(struct iot_sink *s, const void *data, size_t size)
{
	if (check_open(s) != IOT_OK)
		return s->error.status;
	if (s->behind)
		return write_pieces(s, data, size);
	if (pass_text(s, IOT_GO_ON) != IOT_OK)
		return s->error.status;
	if (size >= s->text_room)
		return take_status(s, iot_packer_put(&s->packer, data, size, IOT_GO_ON));
	memcpy(s->text, data, size);
	s->text_size = size;
	return IOT_OK;
}

int iot_sink_write(struct iot_sink *s, const void *data, size_t size)
{
	if (size >= s->text_room - s->text_size)
		return write_past(s, data, size);
	memcpy(s->text + s->text_size, data, size);
	s->text_size += size;
	return s->error.status;
}

int iot_sink_frame(struct iot_sink *s)
{
	if (check_open(s) != IOT_OK || s->how == IOT_PLAIN)
		return s->error.status;
	return pass_text(s, IOT_END_FRAME);
}

int iot_sink_flush(struct iot_sink *s)
{
	return check_open(s) == IOT_OK ? pass_text(s, IOT_FLUSH) : s->error.status;
}

/* Closing */

static void end_thread(struct iot_sink *s)
{
	if (!s->behind)
		return;
	iot_writebehind_free(s->behind);
	s->behind = NULL;
	s->text = NULL; /* a piece of it */
}

int iot_sink_close(struct iot_sink *s)
{
	if (s->closed)
		return s->error.status;
	if (check_open(s) == IOT_OK)
		pass_text(s, IOT_FINISH);
	s->closed = true;
	s->text_room = s->text_size = 0;
	end_thread(s);
	return iot_outfile_commit(&s->file, name_of(s), &s->error);
}

/* Nothing moves behind the back of a caller who looks. */
const void *iot_sink_memory(const struct iot_sink *s, size_t *size)
{
	if (s->behind)
		iot_writebehind_wait(s->behind);
	*size = s->packer.memory_size;
	return s->packer.memory ? s->packer.memory : "";
}

uint64_t iot_sink_stored(const struct iot_sink *s)
{
	return s->behind ? iot_writebehind_stored(s->behind) : s->packer.stored;
}

const struct iot_error *iot_sink_error(const struct iot_sink *s)
{
	return &s->error;
}
