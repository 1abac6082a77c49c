/* SPDX-License-Identifier: BSD-2-Clause */
#include "follow.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/ui/being_written.h"
#include "cli/ui/message.h"
#include "cli/ui/trace_in.h"

enum {
	LOOK_MS = 1000, /* longest delay where inotify does not work, as on network file systems */
	OLD_S = 60,
	CREATED_MS = 3000, /* longest delay until a file exists */
	STEP_MS = 20,
};

/* A recorder that was started together with the command may not have created the file yet. */
static void wait_until_created(const char *path)
{
	const struct timespec step = {.tv_nsec = STEP_MS * 1000000L};
	for (int ms = 0; ms < CREATED_MS && access(path, F_OK) != 0 && errno == ENOENT;
	     ms += STEP_MS)
		(void)nanosleep(&step, NULL);
}

bool follow_open(struct follow *f, const char *path)
{
	char link[32];
	struct stat st;
	*f = (struct follow){.stop = -1, .notices = -1};
	if (strcmp(path, "-") != 0)
		wait_until_created(path);
	f->fd = trace_in_descriptor(path, &st);
	if (f->fd < 0)
		return false;
	f->stop = eventfd(0, EFD_CLOEXEC);
	if (f->stop < 0) {
		message_print("no eventfd: %s", strerror(errno));
		follow_close(f);
		return false;
	}
	f->file = S_ISREG(st.st_mode);
	if (!f->file)
		return true;
	/* The lease of is_written would end the process if a writer opened the file meanwhile. */
	(void)signal(SIGIO, SIG_IGN);
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", f->fd);
	f->notices = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (f->notices >= 0 &&
	    inotify_add_watch(f->notices, link, IN_MODIFY | IN_CLOSE_WRITE) < 0) {
		(void)close(f->notices);
		f->notices = -1;
	}
	return true;
}

void follow_close(struct follow *f)
{
	if (f->fd > STDIN_FILENO)
		(void)close(f->fd);
	if (f->stop >= 0)
		(void)close(f->stop);
	if (f->notices >= 0)
		(void)close(f->notices);
	f->fd = f->stop = f->notices = -1;
}

void follow_stop(struct follow *f)
{
	(void)eventfd_write(f->stop, 1);
}

/* Where leases are not available, a file that has not changed for a minute is complete. */
static bool is_recent(int fd)
{
	struct stat st;
	return fstat(fd, &st) == 0 && time(NULL) - st.st_mtime < OLD_S;
}

/* A lease for reading is refused while any process has the file open for writing. */
static bool is_written(int fd)
{
	if (being_written(fd))
		return true;
	if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
		return errno == EAGAIN || is_recent(fd);
	(void)fcntl(fd, F_SETLEASE, F_UNLCK);
	return false;
}

/* Waits until the input changes. Returns false if it is to end. */
static bool wait_for_change(const struct follow *f, int fd, int timeout_ms)
{
	struct pollfd p[] = {{.fd = f->stop, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
	while (poll(p, 2, timeout_ms) < 0 && errno == EINTR)
		;
	return p[0].revents == 0;
}

static ssize_t read_some(struct follow *f, void *buffer, size_t size)
{
	ssize_t n;
	do
		n = read(f->fd, buffer, size);
	while (n < 0 && errno == EINTR);
	if (n == 0 && !f->file)
		atomic_store(&f->ended, true);
	return n;
}

static ssize_t read_file(struct follow *f, void *buffer, size_t size)
{
	char notices[4096];
	bool waits = true;
	for (;;) {
		const ssize_t n = read_some(f, buffer, size);
		if (n != 0)
			return n;
		if (!waits) {
			atomic_store(&f->ended, true);
			return 0;
		}
		/* One more read follows: the file may have grown before it was closed. */
		while (f->notices >= 0 && read(f->notices, notices, sizeof(notices)) > 0)
			;
		waits = is_written(f->fd);
		if (!waits)
			continue;
		atomic_store(&f->idle, true);
		if (!wait_for_change(f, f->notices, LOOK_MS))
			return 0;
	}
}

static ssize_t read_more(void *context, void *buffer, size_t size)
{
	struct follow *f = context;
	if (f->file)
		return read_file(f, buffer, size);
	return wait_for_change(f, f->fd, -1) ? read_some(f, buffer, size) : 0;
}

bool follow_open_trace(struct follow *f, struct iot_reader *reader, const char *name)
{
	if (iot_reader_set(reader, IOT_SET_ALLOW_EMPTY, 0) == IOT_OK &&
	    iot_reader_open_callback(reader, read_more, f, name) == IOT_OK)
		return true;
	message_print("%s", iot_reader_error(reader));
	return false;
}
