/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls on files whose offsets have to be tracked, for logs of tracers; see
 * testdata/perf/README.md. It works in the current directory.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char bytes[8192];

static void *in_thread(void *fd)
{
	(void)!write(*(int *)fd, bytes, 100);
	return NULL;
}

static void appends(void)
{
	int fd = open("app end.log", O_WRONLY | O_CREAT | O_TRUNC, 0644);
	(void)!write(fd, bytes, 11);
	close(fd);
	fd = open("app end.log", O_WRONLY | O_APPEND);
	(void)!write(fd, bytes, 13);
	(void)!fsync(fd);
	close(fd);
}

static void copies(int fd)
{
	int out = open("copy.dat", O_RDWR | O_CREAT | O_TRUNC, 0644), ends[2];
	lseek(fd, 0, SEEK_SET);
	(void)!sendfile(out, fd, NULL, 300);
	(void)!write(out, bytes, 1);
	(void)!pipe(ends);
	(void)!write(ends[1], bytes, 50);
	(void)!read(ends[0], bytes, 60);
	close(ends[0]);
	close(ends[1]);
	(void)!ftruncate(out, 64);
	lseek(out, -4, SEEK_END);
	(void)!read(out, bytes, 100);
	close(out);
}

int main(void)
{
	struct iovec parts[2] = {{bytes, 10}, {bytes + 10, 20}};
	int fd = open("data.dat", O_RDWR | O_CREAT | O_TRUNC, 0644), copy, other;
	pthread_t thread;
	(void)!write(fd, bytes, 1000);
	(void)!writev(fd, parts, 2);
	lseek(fd, 10, SEEK_SET);
	(void)!read(fd, bytes, 100);
	(void)!pread(fd, bytes, 5, 0);
	(void)!pwrite(fd, bytes, 2, 4096);
	copy = dup(fd);
	(void)!read(copy, bytes, 7);
	dup2(fd, 20);
	(void)!write(20, bytes, 3);
	other = fcntl(fd, F_DUPFD_CLOEXEC, 30);
	(void)!lseek(other, 3, SEEK_CUR);
	fcntl(copy, F_SETFL, O_APPEND);
	(void)!write(copy, bytes, 5);
	fcntl(copy, F_SETFL, 0);
	appends();
	copies(fd);
	(void)!open("absent", O_RDONLY);
	pthread_create(&thread, NULL, in_thread, &fd);
	pthread_join(thread, NULL);
	if (fork() == 0) {
		(void)!read(fd, bytes, 64);
		_exit(0);
	}
	wait(NULL);
	(void)!read(fd, bytes, 64);
	rename("copy.dat", "moved.dat");
	unlink("moved.dat");
	close(20);
	close(copy);
	close(fd);
	return 0;
}
