/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "die.h"
#include "durable.h"
#include "transfer.h"

const char *const io_words[] = {"write", "pwrite", "writev", "mmap", "direct", "async", NULL};
const char *const sync_words[] = {"end", "vector", "none", NULL};

static void open_file(struct output *o, const char *path)
{
	o->fd =
	    open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | (o->io == IO_DIRECT ? O_DIRECT : 0),
		 0666);
	if (o->fd < 0)
		die_errno(path, "open");
	temporary_add(path);
	o->open_path = path;
	o->offset = 0;
}

static void close_file(struct output *o)
{
	transfer_rest(o);
	if (o->sync != SYNC_NONE)
		sync_file(o->fd, o->open_path);
	if (close(o->fd) != 0)
		die_errno(o->open_path, "close");
	if (o->sync != SYNC_NONE)
		sync_directory(o->open_path);
}

/* The name stays allocated until the program ends: die() may use it. */
static void open_next_file(struct output *o)
{
	char *path;
	if (asprintf(&path, "%s.%d", o->path, o->vectors) < 0)
		die("out of memory");
	open_file(o, path);
}

void output_open(struct output *o)
{
	if (!o->file_per_vector)
		open_file(o, o->path);
}

static void write_vector(struct output *o, const char *vector, size_t size)
{
	if (o->file_per_vector)
		open_next_file(o);
	for (size_t done = 0; done < size;) {
		const size_t left = size - done,
			     n = o->request > 0 && o->request < left ? o->request : left;
		transfer(o, vector + done, n);
		done += n;
	}
	o->vectors++;
	if (o->file_per_vector)
		close_file(o);
	else if (o->sync == SYNC_VECTOR)
		sync_file(o->fd, o->open_path);
}

static void *write_copy(void *arg)
{
	struct output *o = arg;
	write_vector(o, o->copy, o->copy_size);
	return NULL;
}

static void wait_for_writer(struct output *o)
{
	if (o->writing && pthread_join(o->writer, NULL) != 0)
		die("cannot join the thread that writes");
	o->writing = 0;
}

/* The next vector waits until the last one is written, so one copy is enough. */
static void write_in_thread(struct output *o, const char *vector, size_t size)
{
	wait_for_writer(o);
	if (o->copy == NULL && (o->copy = malloc(size)) == NULL)
		die("out of memory");
	memcpy(o->copy, vector, size);
	o->copy_size = size;
	if (pthread_create(&o->writer, NULL, write_copy, o) != 0)
		die("cannot start a thread");
	o->writing = 1;
}

void output_vector(struct output *o, const void *vector, size_t size)
{
	if (o->io == IO_ASYNC)
		write_in_thread(o, vector, size);
	else
		write_vector(o, vector, size);
}

void output_close(struct output *o)
{
	wait_for_writer(o);
	if (!o->file_per_vector)
		close_file(o);
	free(o->block);
	free(o->copy);
	o->block = o->copy = NULL;
}
