/* SPDX-License-Identifier: BSD-2-Clause */
#include "control.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"

/* The first byte of a datagram of an answer; the rest is text. */
enum { MORE = '+', DONE = '0', FAILED = '1' };
enum { PIECE = 1 << 14 };

static bool address_of(const char *path, struct sockaddr_un *to)
{
	*to = (struct sockaddr_un){.sun_family = AF_UNIX};
	errno = ENAMETOOLONG;
	if (strlen(path) >= sizeof to->sun_path)
		return false;
	memcpy(to->sun_path, path, strlen(path));
	return true;
}

static bool connects(int fd, const struct sockaddr_un *to)
{
	return connect(fd, (const struct sockaddr *)to, sizeof *to) == 0;
}

/* Removes a socket whose process has ended. */
static bool remove_stale(const struct sockaddr_un *at)
{
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	const bool stale = fd >= 0 && !connects(fd, at) && errno == ECONNREFUSED;
	if (fd >= 0)
		(void)close(fd);
	errno = EADDRINUSE;
	return stale && unlink(at->sun_path) == 0;
}

/* Only the user may send requests. */
static bool bind_private(int fd, const struct sockaddr_un *at)
{
	const mode_t before = umask(0077);
	const bool bound = bind(fd, (const struct sockaddr *)at, sizeof *at) == 0;
	const int errnum = errno;
	(void)umask(before);
	errno = errnum;
	return bound;
}

bool control_open(struct control *c, const char *path)
{
	struct sockaddr_un at;
	*c = (struct control){.fd = -1, .path = path};
	if (!address_of(path, &at))
		return false;
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return false;
	if (bind_private(fd, &at) ||
	    (errno == EADDRINUSE && remove_stale(&at) && bind_private(fd, &at))) {
		c->fd = fd;
		return true;
	}
	const int errnum = errno;
	(void)close(fd);
	errno = errnum;
	return false;
}

void control_close(struct control *c)
{
	if (c->fd < 0)
		return;
	(void)close(c->fd);
	(void)unlink(c->path);
	c->fd = -1;
}

bool control_receive(const struct control *c, struct control_request *q)
{
	if (c->fd < 0)
		return false;
	*q = (struct control_request){.from_size = sizeof q->from};
	const ssize_t n = recvfrom(c->fd, q->text, sizeof q->text - 1, MSG_DONTWAIT,
				   (struct sockaddr *)&q->from, &q->from_size);
	return n >= 0;
}

void control_answer(const struct control *c, const struct control_request *q, bool done,
		    const char *text, size_t size)
{
	char piece[PIECE];
	bool sent = true;
	if (q->is_printed) {
		message_print("%.*s", (int)(size > 0 ? size - 1 : 0), text); /* without line end */
		return;
	}
	do {
		const size_t n = size < sizeof piece - 1 ? size : sizeof piece - 1;
		piece[0] = n < size ? MORE : done ? DONE : FAILED;
		memcpy(piece + 1, text, n);
		text += n;
		size -= n;
		sent = sendto(c->fd, piece, n + 1, MSG_DONTWAIT | MSG_NOSIGNAL,
			      (const struct sockaddr *)&q->from, q->from_size) >= 0;
	} while (size > 0 && sent);
}

void control_say(const struct control *c, const struct control_request *q, bool done,
		 const char *format, ...)
{
	char text[CONTROL_TEXT + 256];
	va_list list;
	va_start(list, format);
	const int n = vsnprintf(text, sizeof text - 1, format, list);
	va_end(list);
	const size_t size = n < 0 ? 0 : (size_t)n < sizeof text - 1 ? (size_t)n : sizeof text - 2;
	text[size] = '\n';
	control_answer(c, q, done, text, size + 1);
}

size_t control_module_name(const char *module)
{
	const size_t size = strcspn(module, "=/.:");
	return module[size] == '=' ? size : 0;
}

/* The side that asks */

static int receive(int fd, control_piece_fn *piece, void *to)
{
	char text[PIECE];
	struct pollfd p = {.fd = fd, .events = POLLIN};
	for (;;) {
		const int ready = poll(&p, 1, CONTROL_SECONDS * 1000);
		if (ready == 0)
			errno = ETIMEDOUT;
		const ssize_t n = ready > 0 ? recv(fd, text, sizeof text, 0) : -1;
		if (n < 1)
			return -1;
		piece(to, text + 1, (size_t)n - 1);
		if (text[0] != MORE)
			return text[0] == DONE;
	}
}

int control_ask(const char *path, const char *text, control_piece_fn *piece, void *to)
{
	struct sockaddr_un at;
	const struct sockaddr_un own = {.sun_family = AF_UNIX}; /* the kernel chooses a name */
	if (!address_of(path, &at))
		return -1;
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int result = -1;
	if (fd >= 0 &&
	    bind(fd, (const struct sockaddr *)&own, (socklen_t)sizeof own.sun_family) == 0 &&
	    connects(fd, &at) && send(fd, text, strlen(text), MSG_NOSIGNAL) >= 0)
		result = receive(fd, piece, to);
	const int errnum = errno;
	if (fd >= 0)
		(void)close(fd);
	errno = errnum;
	return result;
}
