/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that damages the recording it belongs to, for tests of iotrace record. It writes to a
 * file before and after, more often than its ring has space, and ends with exit status 3.
 *
 *	record_hostile delete	a child removes its ring before the collector, the parent of this
 *				program, has opened it
 *	record_hostile head N	overwrites the head of its ring by N
 *	record_hostile tail N	... the tail
 *	record_hostile mark N	... the start of the call in progress
 *	record_hostile stop N	... and stops after a child has written
 *	record_hostile remove	removes the directory of the recording
 *	record_hostile join PID	says that this process has been added
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/ring.h"

enum { WRITES = 50000 };

static void check(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

static void write_bytes(int fd, int n)
{
	for (int i = 0; i < n; i++)
		check(pwrite(fd, "", 1, i % 4096) == 1, "pwrite");
}

/* Returns the header of the ring of this process. */
static struct record_ring *find_ring(void)
{
	char line[4096];
	FILE *in = fopen("/proc/self/maps", "r");
	check(in != NULL, "maps");
	while (fgets(line, sizeof line, in) != NULL && strstr(line, "/ring.") == NULL)
		;
	(void)fclose(in);
	const uintptr_t from = strtoul(line, NULL, 16);
	check(from != 0, "no ring");
	return (struct record_ring *)from;
}

/* Removes the files of the recording whose names begin with a prefix. */
static void remove_files(const char *prefix)
{
	const char *path = getenv(RECORD_VARIABLE);
	const struct dirent *e;
	DIR *d = opendir(path != NULL ? path : "");
	check(d != NULL, "recording");
	while ((e = readdir(d)) != NULL)
		if (strncmp(e->d_name, prefix, strlen(prefix)) == 0 && e->d_name[0] != '.')
			check(unlinkat(dirfd(d), e->d_name, 0) == 0, e->d_name);
	(void)closedir(d);
}

static void delete_ring(int fd)
{
	const pid_t collector = getppid();
	int status = 0;
	check(kill(collector, SIGSTOP) == 0, "SIGSTOP");
	const pid_t child = fork();
	if (child != 0) {
		check(waitpid(child, &status, 0) == child, "child");
		exit(WEXITSTATUS(status));
	}
	write_bytes(fd, 1);
	remove_files("ring.");
	check(kill(collector, SIGCONT) == 0, "SIGCONT");
}

static void join(const char *pid)
{
	char name[4096];
	(void)snprintf(name, sizeof name, "%s/joined.%s", getenv(RECORD_VARIABLE), pid);
	const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
	check(fd >= 0 && close(fd) == 0, name);
}

static void stop(int fd, uint64_t mark)
{
	atomic_store(&find_ring()->in_flight, mark);
	const pid_t child = fork();
	if (child == 0) {
		write_bytes(fd, 1000);
		_exit(0);
	}
	check(waitpid(child, NULL, 0) == child && raise(SIGSTOP) == 0, "child");
}

static void damage(int fd, const char *what, const char *value)
{
	const uint64_t n = strtoull(value, NULL, 0);
	if (strcmp(what, "delete") == 0)
		delete_ring(fd);
	else if (strcmp(what, "head") == 0)
		atomic_store(&find_ring()->head, n);
	else if (strcmp(what, "tail") == 0)
		atomic_store(&find_ring()->tail, n);
	else if (strcmp(what, "mark") == 0)
		atomic_store(&find_ring()->in_flight, n);
	else if (strcmp(what, "remove") == 0)
		remove_files("");
	else if (strcmp(what, "join") == 0)
		join(value);
	else if (strcmp(what, "stop") == 0)
		stop(fd, n);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const int fd = open("hostile.data", O_RDWR | O_CREAT | O_TRUNC, 0644);
	check(fd >= 0, "hostile.data");
	write_bytes(fd, 10);
	damage(fd, what, argc > 2 ? argv[2] : "0");
	write_bytes(fd, WRITES);
	return 3;
}
