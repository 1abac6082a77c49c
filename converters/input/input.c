/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns the paths of the user into a list of members. A member is a file, a pipe (opened at once to
 * inspect its first bytes, and handed out later) or a slice of one unlinked temporary file, which
 * holds the files of all tars. No file is ever created under a name that an input contains.
 */
#include "converters/converter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/fdio.h"
#include "lib/base/array.h"

#include "input_internal.h"

enum {
	MEMBERS_MAX = 1000000,
	HEADS_TOTAL = 4 << 20, /* shared by the heads of all members */
	HEAD_MIN = 256,        /* minimum for each member */
	HEAD_PIPE = 4096,      /* wait for at most this much of a pipe */
};

static int out_of_memory(struct error *error)
{
	return error_set(error, IOT_ENOMEM, "out of memory");
}

/* Members */

static struct member *add_member(struct input *in, char *name, struct error *error)
{
	if (name == NULL) {
		out_of_memory(error);
		return NULL;
	}
	if (in->count == MEMBERS_MAX) {
		free(name);
		error_set(error, IOT_ELIMIT, "more than %d files", MEMBERS_MAX);
		return NULL;
	}
	if (!array_reserve(&in->member, &in->capacity, in->count + 1, sizeof(*in->member))) {
		free(name);
		out_of_memory(error);
		return NULL;
	}
	struct member *m = &in->member[in->count++];
	*m = (struct member){.name = name, .tempfile_at = -1};
	return m;
}

static void member_clear(struct member *m)
{
	bufreader_free(m->once);
	free(m->name);
	free(m->fault);
	free(m->head);
}

/* Tar */

/* Returns "TAR/NAME", for display only, never to be opened. */
static char *shown_name(const char *tar, const char *name)
{
	char *shown, escaped[4096];
	escape_text(escaped, sizeof escaped, name, strlen(name));
	return asprintf(&shown, "%s/%s", tar, escaped) >= 0 ? shown : NULL;
}

/*
 * Stores the error of a damaged tar with its last readable member, so that it is reported after
 * that member's last byte.
 */
static int keep_fault(struct input *in, size_t first, const struct error *fault,
		      struct error *error)
{
	if (in->count == first)
		return error_set(error, fault->status, "%s", fault->text);
	struct member *last = &in->member[in->count - 1];
	last->fault = malloc(sizeof(*fault));
	if (last->fault == NULL)
		return out_of_memory(error);
	*last->fault = *fault;
	return IOT_OK;
}

static int tempfile_files(struct input *in, struct tar *t, const char *tar, struct error *error)
{
	size_t first = in->count;
	const char *name;
	int got;
	while ((got = tar_next(t, &name)) > 0) {
		struct member *m = add_member(in, shown_name(tar, name), error);
		if (m == NULL)
			return error->status;
		m->tempfile_at = (int64_t)in->tempfile.size;
		got = input_tempfile_file(&in->tempfile, t, &m->size, error);
		in->total += m->size;
		if (error->status != IOT_OK)
			return error->status;
		if (got < 0)
			break;
	}
	in->skipped += tar_skipped(t);
	return got < 0 ? keep_fault(in, first, tar_error(t), error) : IOT_OK;
}

/* Takes ownership of base. */
static int add_tar(struct input *in, struct bufreader *base, const char *name, struct error *error)
{
	struct tar *t = tar_new(base, name, error);
	if (t == NULL)
		return error->status;
	int status = input_tempfile_open(&in->tempfile, error);
	if (status == IOT_OK)
		status = tempfile_files(in, t, name, error);
	tar_free(t);
	return status;
}

/* Replaces the member added last, which turned out to be a tar, by the tar's files. */
static int replace_by_tar(struct input *in, struct bufreader *base, struct error *error)
{
	struct member tar = in->member[in->count - 1];
	size_t place = in->count - 1;
	in->total -= tar.size;
	int status = add_tar(in, base, tar.name, error);
	in->done -= in->member[place].done;
	member_clear(&tar);
	in->count--;
	memmove(&in->member[place], &in->member[place + 1],
		(in->count - place) * sizeof(*in->member));
	return status;
}

/* Files, directories, pipes */

/* `found` contains the fields that are needed to open it. */
static int add_file(struct input *in, const char *path, const struct member *found,
		    struct error *error)
{
	struct member *m = add_member(in, strdup(path), error);
	if (m == NULL)
		return error->status;
	m->size = found->size;
	m->identity = found->identity;
	m->root = found->root;
	m->root_size = found->root_size;
	in->total += m->size;
	in->looking = true;
	struct bufreader *w = member_open(in, in->count - 1, error);
	in->looking = false;
	if (w == NULL)
		return error->status;
	size_t have;
	const char *head = bufreader_peek(w, COMPRESSION_MAGIC_SIZE, &have);
	if (is_tar(head, have))
		return replace_by_tar(in, w, error);
	bufreader_free(w);
	return IOT_OK;
}

/* Peeks only the magic of a packet stream first, because the next packet may arrive much later. */
static const char *pipe_head(struct bufreader *w, size_t *have)
{
	static const char packet[] = "IOTPKT01";
	const char *head = bufreader_peek(w, sizeof(packet) - 1, have);
	if (*have >= sizeof(packet) - 1 && memcmp(head, packet, sizeof(packet) - 1) == 0)
		return head;
	return bufreader_peek(w, HEAD_PIPE, have);
}

/* Takes ownership of fd. Reads the first bytes of the pipe at once and may therefore block. */
static int add_pipe(struct input *in, int fd, const char *name, struct error *error)
{
	struct member *m = add_member(in, strdup(name), error);
	struct stat st;
	if (m == NULL) {
		close(fd);
		return error->status;
	}
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		m->size = (uint64_t)st.st_size;
	in->total += m->size;
	m->pipe = true;
	struct bufreader *w = tap_bufreader(in, in->count - 1, fd, false, error);
	if (w == NULL)
		return error->status;
	size_t have;
	const char *head = pipe_head(w, &have);
	enum compression_layer how = compression_layer_of(head, have);
	if (how == COMPRESSION_LAYER_BZIP2 || how == COMPRESSION_LAYER_XZ ||
	    how == COMPRESSION_LAYER_LZ4) {
		w = member_decompressed(in, in->count - 1, w, how, error);
		if (w == NULL)
			return error->status;
		head = bufreader_peek(w, HEAD_PIPE, &have);
	}
	if (is_tar(head, have))
		return replace_by_tar(in, w, error);
	in->member[in->count - 1].once = w;
	return IOT_OK;
}

static int add_directory(struct input *in, const char *path, struct error *error)
{
	struct directory_list directory = {.found = NULL};
	int status = directory_list_read(&directory, path, MEMBERS_MAX, error);
	for (size_t i = 0; i < directory.count && status == IOT_OK; i++) {
		const struct member found = {.size = directory.found[i].size,
					     .identity = directory.found[i].identity,
					     .root = directory.root,
					     .root_size = strlen(path)};
		status = add_file(in, directory.found[i].path, &found, error);
	}
	in->skipped += directory.skipped;
	directory_list_free(&directory);
	return status;
}

static int add_stdin(struct input *in, struct error *error)
{
	for (size_t i = 0; i < in->count; i++)
		if (in->member[i].pipe && strcmp(in->member[i].name, "-") == 0)
			return error_set(error, IOT_EUSAGE, "-: standard input is named twice");
	int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	return fd < 0 ? input_path_error(error, "standard input") : add_pipe(in, fd, "-", error);
}

/* Blocks until a FIFO has a writer, unless the input is asked to stop. */
static int open_pipe(struct input *in, const char *path)
{
	int fd;
	do
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	while (fd < 0 && errno == EINTR && (in->stop == NULL || in->stop->asked == 0));
	if (fd < 0 && errno == EINTR)
		atomic_store(&in->stop->cut, true);
	return fd;
}

static int add_path(struct input *in, const char *path, struct error *error)
{
	struct stat st;
	if (strcmp(path, "-") == 0)
		return add_stdin(in, error);
	if (stat(path, &st) != 0)
		return input_path_error(error, path);
	if (S_ISDIR(st.st_mode))
		return add_directory(in, path, error);
	if (S_ISREG(st.st_mode)) {
		const struct member found = {.size = (uint64_t)st.st_size,
					     .identity = identity_of(&st)};
		return add_file(in, path, &found, error);
	}
	int fd = open_pipe(in, path);
	return fd < 0 ? input_path_error(error, path) : add_pipe(in, fd, path, error);
}

/* Interface */

static int refuse_nothing(const char *path, struct error *error)
{
	char shown[512];
	return error_set(error, IOT_EFORMAT, "%s: no files in it",
			 escape_text(shown, sizeof(shown), path, strlen(path)));
}

struct input *input_new(const char *const *paths, size_t count, struct interrupt *stop,
			struct error *error)
{
	struct input *in = calloc(1, sizeof(*in));
	if (in == NULL) {
		out_of_memory(error);
		return NULL;
	}
	in->tempfile.fd = -1;
	in->stop = stop;
	int status = IOT_OK;
	for (size_t i = 0; i < count && status == IOT_OK; i++)
		status = add_path(in, paths[i], error);
	if (status == IOT_OK && in->count == 0)
		status = refuse_nothing(count > 0 ? paths[0] : "nothing", error);
	if (status == IOT_OK)
		return in;
	input_free(in);
	return NULL;
}

void input_free(struct input *in)
{
	if (in == NULL)
		return;
	for (size_t i = 0; i < in->count; i++)
		member_clear(&in->member[i]);
	if (in->tempfile.fd >= 0)
		close(in->tempfile.fd);
	free(in->member);
	free(in);
}

size_t input_count(const struct input *in)
{
	return in->count;
}

const char *input_name(const struct input *in, size_t member)
{
	return in->member[member].name;
}

static size_t head_capacity(const struct input *in)
{
	size_t capacity = (size_t)HEADS_TOTAL / in->count;
	if (capacity > INPUT_HEAD_SIZE)
		return INPUT_HEAD_SIZE;
	return capacity < HEAD_MIN ? HEAD_MIN : capacity;
}

/* Stores errors that hide part of a head: sniffing must not decide on incomplete data. */
static void keep_unseen(struct input *in, const struct error *error)
{
	if (in->unseen.status == IOT_OK &&
	    (error->status == IOT_ENOMEM || error->status == IOT_EIO))
		in->unseen = *error;
}

static void load_head(struct input *in, size_t member)
{
	struct error error = {.status = IOT_OK};
	struct member *m = &in->member[member];
	struct bufreader *w = m->once;
	size_t have, capacity = head_capacity(in);
	in->looking = true;
	if (w == NULL)
		w = m->pipe ? NULL : member_open(in, member, &error);
	in->looking = false;
	if (w == NULL) {
		keep_unseen(in, &error);
		return;
	}
	const char *data = m->pipe ? pipe_head(w, &have) : bufreader_peek(w, capacity, &have);
	have = have < capacity ? have : capacity;
	m->head = have > 0 ? malloc(have) : NULL;
	if (m->head != NULL) {
		memcpy(m->head, data, have);
		m->head_size = have;
	} else if (have > 0) {
		(void)out_of_memory(&error);
	}
	keep_unseen(in, have < capacity ? bufreader_error(w) : &error);
	keep_unseen(in, &error);
	if (w != m->once)
		bufreader_free(w);
}

const char *input_head(struct input *in, size_t member, size_t *size)
{
	struct member *m = &in->member[member];
	if (!m->head_known)
		load_head(in, member);
	m->head_known = true;
	*size = m->head_size;
	return m->head != NULL ? m->head : "";
}

struct bufreader *input_open(struct input *in, size_t member, struct error *error)
{
	struct member *m = &in->member[member];
	struct bufreader *w = m->once;
	if (in->unseen.status != IOT_OK) {
		*error = in->unseen;
		return NULL;
	}
	if (!m->pipe)
		return member_open(in, member, error);
	if (w == NULL)
		error_set(error, IOT_EUSAGE, "a pipe can be read once only");
	m->once = NULL;
	return w;
}

const struct error *input_unseen(const struct input *in)
{
	return &in->unseen;
}

bool input_again(const struct input *in)
{
	for (size_t i = 0; i < in->count; i++)
		if (in->member[i].pipe)
			return false;
	return true;
}

uint64_t input_skipped(const struct input *in)
{
	return in->skipped;
}

void input_set_read_size(struct input *in, size_t read_size)
{
	in->read_size = read_size;
}

void input_progress(const struct input *in, uint64_t *done, uint64_t *total)
{
	*done = in->done;
	*total = in->total;
	for (const struct tap *t = in->taps; t != NULL; t = t->next)
		*done += tap_position(t);
	for (size_t i = 0; i<in->count && * total> 0; i++)
		if (in->member[i].pipe && in->member[i].size == 0)
			*total = 0;
}

bool input_is_trace(struct input *in, size_t member)
{
	static const char HEX[] = "ff %iotrace ", DEC[] = "255 %iotrace ";
	size_t size;
	const char *head = input_head(in, member, &size);
	return (size >= sizeof(HEX) && memcmp(head, HEX, sizeof(HEX) - 1) == 0) ||
	       (size >= sizeof(DEC) && memcmp(head, DEC, sizeof(DEC) - 1) == 0);
}
