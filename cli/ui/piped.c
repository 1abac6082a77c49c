/* SPDX-License-Identifier: BSD-2-Clause */
#include "piped.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOK_MS = 100 }; /* maximum delay before a request from another thread is noticed */

bool piped_detect(const char *path)
{
	struct stat st;
	const int status = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(path, &st);
	return status == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

bool piped_open(struct piped *p, const char *path, struct interrupt *interrupt)
{
	*p = (struct piped){.fd = STDIN_FILENO, .interrupt = interrupt};
	if (strcmp(path, "-") == 0)
		return true;
	p->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	p->owned = p->fd >= 0;
	return p->owned;
}

ssize_t piped_read(void *context, void *buffer, size_t size)
{
	struct piped *p = context;
	while (!atomic_load(&p->closing)) {
		const enum pipe_state state =
		    interrupt_wait(p->interrupt, &p->drain, p->fd, LOOK_MS, &size);
		if (state == PIPE_CUT) {
			atomic_store(&p->cut, true);
			errno = ECANCELED;
			return -1;
		}
		if (state == PIPE_WAITS)
			continue;
		const ssize_t n = read(p->fd, buffer, size);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n > 0)
			drain_consume(&p->drain, (size_t)n);
		return n;
	}
	return 0;
}

void piped_end(struct piped *p)
{
	atomic_store(&p->closing, true);
}

void piped_close(struct piped *p)
{
	if (p->owned)
		(void)close(p->fd);
	p->owned = false;
}
