/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the user named, as a list of members. Members are files, pipes (whose window is opened at
 * once, to see what they are, and handed out later) or slices of the spool: one unlinked temporary
 * file with the files of all tars. Nothing is ever written under a name that an input gives.
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
	IOT_MEMBERS_MAX = 1000000,
	IOT_HEADS_TOTAL = 4 << 20, /* shared by the heads of all members */
	IOT_HEAD_LEAST = 256,      /* but each has so much */
	IOT_HEAD_PIPE = 4096,      /* of a pipe, no more than this is waited for */
};

static int out_of_memory(struct iot_error *error)
{
	return iot_error_set(error, IOT_ENOMEM, "out of memory");
}

/* Members */

static struct iot_member *add_member(struct iot_input *in, char *name, struct iot_error *error)
{
	if (name == NULL) {
		out_of_memory(error);
		return NULL;
	}
	if (in->count == IOT_MEMBERS_MAX) {
		free(name);
		iot_error_set(error, IOT_ELIMIT, "more than %d files", IOT_MEMBERS_MAX);
		return NULL;
	}
	if (!iot_room(&in->member, &in->room, in->count + 1, sizeof(*in->member))) {
		free(name);
		out_of_memory(error);
		return NULL;
	}
	struct iot_member *m = &in->member[in->count++];
	*m = (struct iot_member){.name = name, .spool_at = -1};
	return m;
}

static void member_clear(struct iot_member *m)
{
	iot_window_free(m->once);
	free(m->name);
	free(m->fault);
	free(m->head);
}

/* Tar */

/* "TAR/NAME": to be shown, never to be opened. */
static char *shown_name(const char *tar, const char *name)
{
	char *shown, escaped[4096];
	iot_escape(escaped, sizeof escaped, name, strlen(name));
	return asprintf(&shown, "%s/%s", tar, escaped) >= 0 ? shown : NULL;
}

/* Damage in a tar comes behind the last byte that could be read of it. */
static int keep_fault(struct iot_input *in, size_t first, const struct iot_error *fault,
		      struct iot_error *error)
{
	if (in->count == first)
		return iot_error_set(error, fault->status, "%s", fault->text);
	struct iot_member *last = &in->member[in->count - 1];
	last->fault = malloc(sizeof(*fault));
	if (last->fault == NULL)
		return out_of_memory(error);
	*last->fault = *fault;
	return IOT_OK;
}

static int spool_files(struct iot_input *in, struct iot_tar *t, const char *tar,
		       struct iot_error *error)
{
	size_t first = in->count;
	const char *name;
	int got;
	while ((got = iot_tar_next(t, &name)) > 0) {
		struct iot_member *m = add_member(in, shown_name(tar, name), error);
		if (m == NULL)
			return error->status;
		m->spool_at = (int64_t)in->spool.size;
		got = iot_spool_file(&in->spool, t, &m->size, error);
		in->total += m->size;
		if (error->status != IOT_OK)
			return error->status;
		if (got < 0)
			break;
	}
	in->skipped += iot_tar_skipped(t);
	return got < 0 ? keep_fault(in, first, iot_tar_error(t), error) : IOT_OK;
}

/* base is used up. */
static int add_tar(struct iot_input *in, struct iot_window *base, const char *name,
		   struct iot_error *error)
{
	struct iot_tar *t = iot_tar_new(base, name, error);
	if (t == NULL)
		return error->status;
	int status = iot_spool_open(&in->spool, error);
	if (status == IOT_OK)
		status = spool_files(in, t, name, error);
	iot_tar_free(t);
	return status;
}

/* The member added last has turned out to be a tar: its files take its place. */
static int replace_by_tar(struct iot_input *in, struct iot_window *base, struct iot_error *error)
{
	struct iot_member tar = in->member[in->count - 1];
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

/* found: what is to be known of it to open it. */
static int add_file(struct iot_input *in, const char *path, const struct iot_member *found,
		    struct iot_error *error)
{
	struct iot_member *m = add_member(in, strdup(path), error);
	if (m == NULL)
		return error->status;
	m->size = found->size;
	m->identity = found->identity;
	m->root = found->root;
	m->root_size = found->root_size;
	in->total += m->size;
	in->looking = true;
	struct iot_window *w = iot_member_open(in, in->count - 1, error);
	in->looking = false;
	if (w == NULL)
		return error->status;
	size_t have;
	const char *head = iot_window_ahead(w, IOT_PACKING_SIZE, &have);
	if (iot_is_tar(head, have))
		return replace_by_tar(in, w, error);
	iot_window_free(w);
	return IOT_OK;
}

/* A packet tells at once what it is, and the next one may be long in coming. */
static const char *pipe_head(struct iot_window *w, size_t *have)
{
	static const char packet[] = "IOTPKT01";
	const char *head = iot_window_ahead(w, sizeof(packet) - 1, have);
	if (*have >= sizeof(packet) - 1 && memcmp(head, packet, sizeof(packet) - 1) == 0)
		return head;
	return iot_window_ahead(w, IOT_HEAD_PIPE, have);
}

/* fd belongs to the input. A pipe is asked for its first bytes at once; so it may have to wait. */
static int add_pipe(struct iot_input *in, int fd, const char *name, struct iot_error *error)
{
	struct iot_member *m = add_member(in, strdup(name), error);
	struct stat st;
	if (m == NULL) {
		close(fd);
		return error->status;
	}
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		m->size = (uint64_t)st.st_size;
	in->total += m->size;
	m->pipe = true;
	struct iot_window *w = iot_tap_window(in, in->count - 1, fd, false, error);
	if (w == NULL)
		return error->status;
	size_t have;
	const char *head = pipe_head(w, &have);
	enum iot_packing how = iot_packing_of(head, have);
	if (how == IOT_PACKED_BZIP2 || how == IOT_PACKED_XZ || how == IOT_PACKED_LZ4) {
		w = iot_member_unpacked(in, in->count - 1, w, how, error);
		if (w == NULL)
			return error->status;
		head = iot_window_ahead(w, IOT_HEAD_PIPE, &have);
	}
	if (iot_is_tar(head, have))
		return replace_by_tar(in, w, error);
	in->member[in->count - 1].once = w;
	return IOT_OK;
}

static int add_folder(struct iot_input *in, const char *path, struct iot_error *error)
{
	struct iot_folder folder = {.found = NULL};
	int status = iot_folder_read(&folder, path, IOT_MEMBERS_MAX, error);
	for (size_t i = 0; i < folder.count && status == IOT_OK; i++) {
		const struct iot_member found = {.size = folder.found[i].size,
						 .identity = folder.found[i].identity,
						 .root = folder.root,
						 .root_size = strlen(path)};
		status = add_file(in, folder.found[i].path, &found, error);
	}
	in->skipped += folder.skipped;
	iot_folder_free(&folder);
	return status;
}

static int add_stdin(struct iot_input *in, struct iot_error *error)
{
	for (size_t i = 0; i < in->count; i++)
		if (in->member[i].pipe && strcmp(in->member[i].name, "-") == 0)
			return iot_error_set(error, IOT_EUSAGE, "-: standard input is named twice");
	int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	return fd < 0 ? iot_path_error(error, "standard input") : add_pipe(in, fd, "-", error);
}

/* Waits for the writer of a FIFO, unless the input is asked to end. */
static int open_pipe(struct iot_input *in, const char *path)
{
	int fd;
	do
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	while (fd < 0 && errno == EINTR && (in->stop == NULL || in->stop->asked == 0));
	if (fd < 0 && errno == EINTR)
		atomic_store(&in->stop->cut, true);
	return fd;
}

static int add_path(struct iot_input *in, const char *path, struct iot_error *error)
{
	struct stat st;
	if (strcmp(path, "-") == 0)
		return add_stdin(in, error);
	if (stat(path, &st) != 0)
		return iot_path_error(error, path);
	if (S_ISDIR(st.st_mode))
		return add_folder(in, path, error);
	if (S_ISREG(st.st_mode)) {
		const struct iot_member found = {.size = (uint64_t)st.st_size,
						 .identity = iot_identity_of(&st)};
		return add_file(in, path, &found, error);
	}
	int fd = open_pipe(in, path);
	return fd < 0 ? iot_path_error(error, path) : add_pipe(in, fd, path, error);
}

/* Interface */

static int refuse_nothing(const char *path, struct iot_error *error)
{
	char shown[512];
	return iot_error_set(error, IOT_EFORMAT, "%s: no files in it",
			     iot_escape(shown, sizeof(shown), path, strlen(path)));
}

struct iot_input *iot_input_new(const char *const *paths, size_t count,
				struct iot_interrupt *stop, struct iot_error *error)
{
	struct iot_input *in = calloc(1, sizeof(*in));
	if (in == NULL) {
		out_of_memory(error);
		return NULL;
	}
	in->spool.fd = -1;
	in->stop = stop;
	int status = IOT_OK;
	for (size_t i = 0; i < count && status == IOT_OK; i++)
		status = add_path(in, paths[i], error);
	if (status == IOT_OK && in->count == 0)
		status = refuse_nothing(count > 0 ? paths[0] : "nothing", error);
	if (status == IOT_OK)
		return in;
	iot_input_free(in);
	return NULL;
}

void iot_input_free(struct iot_input *in)
{
	if (in == NULL)
		return;
	for (size_t i = 0; i < in->count; i++)
		member_clear(&in->member[i]);
	if (in->spool.fd >= 0)
		close(in->spool.fd);
	free(in->member);
	free(in);
}

size_t iot_input_count(const struct iot_input *in)
{
	return in->count;
}

const char *iot_input_name(const struct iot_input *in, size_t member)
{
	return in->member[member].name;
}

static size_t head_room(const struct iot_input *in)
{
	size_t room = (size_t)IOT_HEADS_TOTAL / in->count;
	if (room > IOT_HEAD_SIZE)
		return IOT_HEAD_SIZE;
	return room < IOT_HEAD_LEAST ? IOT_HEAD_LEAST : room;
}

/* Who has seen less than there is must not decide by it. */
static void keep_unseen(struct iot_input *in, const struct iot_error *error)
{
	if (in->unseen.status == IOT_OK &&
	    (error->status == IOT_ENOMEM || error->status == IOT_EIO))
		in->unseen = *error;
}

static void load_head(struct iot_input *in, size_t member)
{
	struct iot_error error = {.status = IOT_OK};
	struct iot_member *m = &in->member[member];
	struct iot_window *w = m->once;
	size_t have, room = head_room(in);
	in->looking = true;
	if (w == NULL)
		w = m->pipe ? NULL : iot_member_open(in, member, &error);
	in->looking = false;
	if (w == NULL) {
		keep_unseen(in, &error);
		return;
	}
	const char *data = m->pipe ? pipe_head(w, &have) : iot_window_ahead(w, room, &have);
	have = have < room ? have : room;
	m->head = have > 0 ? malloc(have) : NULL;
	if (m->head != NULL) {
		memcpy(m->head, data, have);
		m->head_size = have;
	} else if (have > 0) {
		(void)out_of_memory(&error);
	}
	keep_unseen(in, have < room ? iot_window_error(w) : &error);
	keep_unseen(in, &error);
	if (w != m->once)
		iot_window_free(w);
}

const char *iot_input_head(struct iot_input *in, size_t member, size_t *size)
{
	struct iot_member *m = &in->member[member];
	if (!m->head_known)
		load_head(in, member);
	m->head_known = true;
	*size = m->head_size;
	return m->head != NULL ? m->head : "";
}

struct iot_window *iot_input_open(struct iot_input *in, size_t member, struct iot_error *error)
{
	struct iot_member *m = &in->member[member];
	struct iot_window *w = m->once;
	if (in->unseen.status != IOT_OK) {
		*error = in->unseen;
		return NULL;
	}
	if (!m->pipe)
		return iot_member_open(in, member, error);
	if (w == NULL)
		iot_error_set(error, IOT_EUSAGE, "a pipe can be read once only");
	m->once = NULL;
	return w;
}

const struct iot_error *iot_input_unseen(const struct iot_input *in)
{
	return &in->unseen;
}

bool iot_input_again(const struct iot_input *in)
{
	for (size_t i = 0; i < in->count; i++)
		if (in->member[i].pipe)
			return false;
	return true;
}

uint64_t iot_input_skipped(const struct iot_input *in)
{
	return in->skipped;
}

void iot_input_set_read_size(struct iot_input *in, size_t read_size)
{
	in->read_size = read_size;
}

void iot_input_progress(const struct iot_input *in, uint64_t *done, uint64_t *total)
{
	*done = in->done;
	*total = in->total;
	for (const struct iot_tap *t = in->taps; t != NULL; t = t->next)
		*done += iot_tap_position(t);
	for (size_t i = 0; i<in->count && * total> 0; i++)
		if (in->member[i].pipe && in->member[i].size == 0)
			*total = 0;
}
