/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "lib/base/full_io.h"
#include "lib/base/tempfile.h"
#include "namespaces.h"
#include "packet_pipe.h"

#ifndef MADV_POPULATE_WRITE /* since glibc 2.35 */
#define MADV_POPULATE_WRITE 23
#endif

enum { RING_SIZE = 1 << 20, RINGS_PLANNED = 128 };

static const char control_name[] = "recording", spool_name[] = "spool";

/* RINGS_PLANNED rings fit, unless they would be too small. */
static uint32_t ring_size(const struct recording *r)
{
	struct statvfs fs;
	uint32_t size = RING_SIZE;
	if (fstatvfs(r->fd, &fs) != 0)
		return size;
	while (size > RECORD_RING_MIN && fs.f_bavail * fs.f_frsize / size < RINGS_PLANNED)
		size /= 2;
	return size;
}

/* Processes reserve memory for further slots if they can: since Linux 5.14. */
static uint32_t slots_at_first(void *control)
{
	return madvise(control, RECORD_PAGE, MADV_POPULATE_WRITE) == 0 ? RECORD_SLOTS_STEP
								       : RECORD_SLOTS;
}

/* Gives the file its size, and memory to the control page and the first slots. Returns an error. */
static int fill_control(struct recording *r, int fd, const struct record_control *settings)
{
	int errnum = posix_fallocate(fd, 0, RECORD_PAGE);
	void *const map = errnum == 0
			      ? mmap(NULL, RECORD_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
			      : MAP_FAILED;
	if (map == MAP_FAILED)
		return errnum != 0 ? errnum : errno;
	const uint32_t slots = slots_at_first(map);
	memcpy(map, settings, sizeof(*settings));
	r->control = map;
	r->control->magic = RECORD_CONTROL_MAGIC;
	r->control->version = RECORD_VERSION;
	r->control->namespace = namespaces_of(0);
	r->control->proc = namespaces_proc();
	atomic_store(&r->control->slots_ready, slots);
	atomic_store(&r->control->collector, (uint32_t)getpid());
	const size_t size = RECORD_PAGE + slots * sizeof(struct record_description);
	errnum = posix_fallocate(fd, 0, (off_t)size);
	return errnum == 0 && ftruncate(fd, RECORD_SHARED_SIZE) != 0 ? errno : errnum;
}

static bool create_control(struct recording *r, const struct record_control *settings)
{
	const int fd =
	    openat(r->fd, control_name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return false;
	const int errnum = fill_control(r, fd, settings);
	(void)close(fd);
	errno = errnum;
	if (errnum != 0)
		return false;
	r->control->ring_size = ring_size(r);
	if (settings->transport != RECORD_PACKETS)
		return true;
	r->control->ring_size = RECORD_RING_MIN;
	r->pipe = packet_pipe_create(r->fd);
	return r->pipe >= 0;
}

/* mkdtemp creates the directory with mode 0700. */
static bool create_in(struct recording *r, const char *directory)
{
	if (directory == NULL || directory[0] != '/')
		return false;
	const int n = snprintf(r->path, sizeof(r->path), "%s/iotrace-XXXXXX", directory);
	if (n < 0 || (size_t)n >= sizeof(r->path) || mkdtemp(r->path) == NULL) {
		r->path[0] = '\0';
		return false;
	}
	r->fd = open(r->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->fd >= 0 && flock(r->fd, LOCK_EX | LOCK_NB) == 0)
		return true;
	(void)rmdir(r->path);
	r->path[0] = '\0';
	return false;
}

/*
 * Returns false if the directory cannot be read. If the collector is killed meanwhile, the
 * directory is stale: without a spool, which would keep it, and with the file by which it is
 * recognized.
 */
static bool remove_files(int directory)
{
	const int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *e;
	if (d == NULL)
		return false;
	(void)unlinkat(directory, spool_name, 0);
	while ((e = readdir(d)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
		    strcmp(e->d_name, control_name) != 0)
			(void)unlinkat(directory, e->d_name, 0);
	(void)unlinkat(directory, control_name, 0);
	return closedir(d) == 0;
}

/* Stale directories: a collector that was killed leaves one, but the kernel frees its lock. */

static bool is_own_directory(int fd)
{
	struct stat st;
	return fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       (st.st_mode & 07777) == 0700;
}

static bool is_recording(int directory)
{
	struct record_control c = {.magic = 0};
	const int fd =
	    openat(directory, control_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	const bool whole = fd >= 0 && pread(fd, &c, sizeof(c), 0) == (ssize_t)sizeof(c);
	if (fd >= 0)
		(void)close(fd);
	return whole && c.magic == RECORD_CONTROL_MAGIC && c.version == RECORD_VERSION;
}

/* Its trace has not been made yet. */
static bool has_spool(int directory)
{
	return faccessat(directory, spool_name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static void remove_if_stale(int parent, const char *name)
{
	const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	if (is_own_directory(fd) && flock(fd, LOCK_EX | LOCK_NB) == 0 && is_recording(fd) &&
	    !has_spool(fd) && remove_files(fd))
		(void)unlinkat(parent, name, AT_REMOVEDIR);
	(void)close(fd);
}

static void remove_stale(const char *directory)
{
	static const char prefix[] = "iotrace-";
	DIR *d = opendir(directory);
	const struct dirent *e;
	while (d != NULL && (e = readdir(d)) != NULL)
		if (strncmp(e->d_name, prefix, sizeof(prefix) - 1) == 0)
			remove_if_stale(dirfd(d), e->d_name);
	if (d != NULL)
		(void)closedir(d);
}

static bool try_directory(struct recording *r, const char *directory,
			  const struct record_control *settings)
{
	if (!create_in(r, directory))
		return false;
	remove_stale(directory);
	if (create_control(r, settings))
		return true;
	const int errnum = errno;
	(void)recording_remove(r);
	errno = errnum;
	return false;
}

bool recording_create(struct recording *r, const struct record_control *settings)
{
	*r = (struct recording){.fd = -1, .pipe = -1};
	errno = ENOENT;
	return try_directory(r, getenv("XDG_RUNTIME_DIR"), settings) ||
	       try_directory(r, "/dev/shm", settings) ||
	       try_directory(r, tempfile_directory(), settings);
}

static bool map_control(struct recording *r)
{
	const int fd = openat(r->fd, control_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	void *map = fd >= 0 ? mmap(NULL, RECORD_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
			    : MAP_FAILED;
	if (fd >= 0)
		(void)close(fd);
	r->control = map != MAP_FAILED ? map : NULL;
	return r->control != NULL;
}

/* The lock of the directory is the collector's. */
bool recording_find(struct recording *r, const char *path)
{
	*r = (struct recording){.fd = -1, .pipe = -1};
	if (*path == '\0' || strlen(path) >= sizeof(r->path))
		return false;
	memcpy(r->path, path, strlen(path) + 1);
	r->fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (r->fd >= 0 && is_own_directory(r->fd) && flock(r->fd, LOCK_EX | LOCK_NB) != 0 &&
	    errno == EWOULDBLOCK && is_recording(r->fd) && map_control(r) &&
	    atomic_load(&r->control->closed) == 0)
		return true;
	recording_close(r);
	return false;
}

static const char *open_resumed(struct recording *r, const char *path)
{
	if (realpath(path, r->path) == NULL)
		return strerror(errno);
	r->fd = open(r->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (r->fd < 0)
		return strerror(errno);
	if (!is_own_directory(r->fd) || !is_recording(r->fd))
		return "is not a recording of this user and version";
	if (flock(r->fd, LOCK_EX | LOCK_NB) != 0)
		return "is being recorded";
	if (!has_spool(r->fd))
		return "has no spool: it was converted while the program ran";
	return map_control(r) ? NULL : strerror(errno);
}

const char *recording_resume(struct recording *r, const char *path)
{
	*r = (struct recording){.fd = -1, .pipe = -1};
	const char *const why = open_resumed(r, path);
	if (why == NULL)
		atomic_store(&r->control->collector, (uint32_t)getpid());
	else
		recording_close(r);
	return why;
}

void recording_close(struct recording *r)
{
	if (r->control != NULL)
		(void)munmap(r->control, RECORD_PAGE);
	if (r->fd >= 0)
		(void)close(r->fd);
	if (r->pipe >= 0)
		(void)close(r->pipe);
	*r = (struct recording){.fd = -1, .pipe = -1};
}

bool recording_add(const struct recording *r, pid_t pid, const char *program)
{
	char new_name[32], name[32];
	(void)snprintf(new_name, sizeof(new_name), "joins.%ld", (long)pid);
	(void)snprintf(name, sizeof(name), "joined.%ld", (long)pid);
	const int fd = openat(r->fd, new_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	const bool added = full_write(fd, program, strlen(program), FULL_IO_CURRENT) &&
			   renameat(r->fd, new_name, r->fd, name) == 0;
	const int errnum = errno;
	(void)close(fd);
	if (added)
		atomic_fetch_add(&r->control->files, 1);
	else
		(void)unlinkat(r->fd, new_name, 0);
	errno = errnum;
	return added;
}

/* A traced process may create files until it ends, so the directory is read again if it grew. */
bool recording_remove(struct recording *r)
{
	enum { ATTEMPTS = 8 };
	bool removed = r->path[0] == '\0';
	for (int i = 0; i < ATTEMPTS && !removed; i++)
		removed = remove_files(r->fd) && rmdir(r->path) == 0;
	recording_close(r);
	return removed;
}
