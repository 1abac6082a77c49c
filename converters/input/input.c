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

#include "lib/base/full_io.h"
#include "lib/base/tempfile.h"
#include "lib/base/array.h"
#include "lib/io/byte_source.h"

#include "archive_reader.h"
#include "directory.h"

enum {
	MEMBERS_MAX = 1000000,
	HEADS_TOTAL = 4 << 20,   /* shared by the heads of all members */
	HEAD_MIN = 256,          /* minimum for each member */
	LOOK_MS = 100,           /* maximum delay before a request of another thread is noticed */
	HEAD_PIPE = 4096,        /* wait for at most this much of a pipe */
	TAR_FILL_MAX = 64 << 20, /* bytes after the end of a tar */
	READ_TOTAL = 16 << 20,   /* shared by the bufreaders of all members */
	READ_MAX = 1 << 20,      /* of one bufreader */
	READ_MIN = 4096,
};

#define TEMPFILE_MAX ((uint64_t)64 << 30)

struct member {
	char *name;
	uint64_t size;            /* bytes in the file or in the temporary file */
	uint64_t done;            /* bytes that the last bufreader read, set when it is closed */
	int64_t tempfile_at;      /* offset in the temporary file; -1 for a file or pipe */
	struct identity identity; /* of a file */
	struct identity root;     /* of the directory name[0..root_size) in which it was found */
	size_t root_size;         /* 0 if the user named the file itself */
	struct bufreader *once;   /* an open pipe, until input_open() */
	struct error *damage;     /* error to report after the last byte of a damaged tar */
	char *head;
	size_t head_size;
	bool head_known, pipe;
	bool is_file;     /* standard input, but not a pipe */
	bool is_unpacked; /* a pipe that a layer above its bufreader decompresses */
};

struct input {
	struct member *member;
	size_t count, capacity;
	int tempfile; /* of the files of all tars; -1 if not open */
	uint64_t tempfile_size;
	uint64_t total, done, skipped;
	size_t read_size; /* 0: derived from the number of members */
	bool looking;     /* while only heads are read: use small buffers */
	int only_fd;      /* of the only file, whose head has been read, or -1 */
	struct interrupt *interrupt;
	struct tap *taps;    /* currently open */
	struct error unseen; /* why a head could not be read, unless the input is at fault */
};

/* The raw bytes of one open member, under its bufreader. */
struct tap {
	struct input *in;
	size_t member;
	int fd;                            /* -1 for a slice of the temporary file */
	bool reopened;                     /* only the head is read now */
	const struct bufreader *bufreader; /* the bufreader on these bytes */
	int64_t first;                     /* of a regular file: where the trace begins */
	struct kept_bytes kept;            /* what was read of a pipe before it was opened */
	/*
	 * Position in the slice of the temporary file. Atomic because another thread may ask for
	 * progress.
	 */
	_Atomic uint64_t at;
	struct error why;
	struct tap *next, **link;
};

/* Open members: their raw bytes, which are counted, and the bufreaders on top */

static uint64_t tap_position(const struct tap *t)
{
	if (t->fd < 0)
		return t->at;
	off_t at = lseek(t->fd, 0, SEEK_CUR);
	if (at >= 0)
		return (uint64_t)at;
	return t->bufreader != NULL ? bufreader_stored(t->bufreader) : 0;
}

static void tap_free(void *context)
{
	struct tap *t = context;
	struct input *in = t->in;
	in->member[t->member].done = tap_position(t);
	in->done += in->member[t->member].done;
	if (t->reopened && in->count == 1 && in->only_fd < 0)
		in->only_fd = t->fd;
	else if (t->fd >= 0)
		close(t->fd);
	*t->link = t->next;
	if (t->next != NULL)
		t->next->link = t->link;
	free(t->kept.data);
	free(t);
}

/* Takes ownership of fd, which is -1 for a slice of the temporary file. */
static struct tap *tap_new(struct input *in, size_t member, int fd)
{
	struct tap *t = calloc(1, sizeof(*t));
	if (t == NULL)
		return NULL;
	t->in = in;
	t->member = member;
	t->fd = fd;
	t->reopened = in->looking && fd >= 0;
	t->first = fd >= 0 ? lseek(fd, 0, SEEK_CUR) : -1;
	t->kept.on = t->first < 0 && fd >= 0;
	t->next = in->taps;
	t->link = &in->taps;
	if (t->next != NULL)
		t->next->link = &t->next;
	in->taps = t;
	in->done -= in->member[member].done;
	in->member[member].done = 0;
	return t;
}

static ssize_t read_tempfile(void *context, void *buffer, size_t size)
{
	struct tap *t = context;
	const struct member *m = &t->in->member[t->member];
	uint64_t left = m->size - t->at;
	ssize_t n = 0;
	if (left > 0)
		n = full_read(t->in->tempfile, buffer, size < left ? size : (size_t)left,
			      (uint64_t)m->tempfile_at + t->at);
	if (n > 0)
		t->at += (uint64_t)n;
	if (left == 0 && m->damage != NULL) {
		t->why = *m->damage;
		errno = EIO;
		return -1;
	}
	return n;
}

static size_t read_size(const struct input *in)
{
	if (in->read_size > 0)
		return in->read_size;
	if (in->looking)
		return INPUT_HEAD_SIZE;
	size_t size = in->count > 0 ? (size_t)READ_TOTAL / in->count : READ_MAX;
	if (size > READ_MAX)
		return READ_MAX;
	return size < READ_MIN ? READ_MIN : size;
}

/*
 * Returns a bufreader on a member's raw bytes, which decompresses gzip and Zstandard unless
 * `plain`. Takes ownership of fd, which is -1 for a slice of the temporary file.
 */
static struct bufreader *tap_bufreader(struct input *in, size_t member, int fd, bool plain,
				       struct error *error)
{
	struct tap *t = tap_new(in, member, fd);
	if (t == NULL) {
		if (fd >= 0)
			close(fd);
		error_no_memory(error);
		return NULL;
	}
	struct bufreader_options options = {.read_size = read_size(in),
					    .plain = plain,
					    .interrupt = in->interrupt,
					    .waits = in->member[member].pipe &&
						     in->member[member].size == 0,
					    .why = &t->why,
					    .keep = &t->kept,
					    .done = tap_free,
					    .done_context = t};
	struct bufreader *w = bufreader_new(in->member[member].name, &options);
	if (w == NULL) {
		tap_free(t);
		error_no_memory(error);
		return NULL;
	}
	t->bufreader = w;
	int status =
	    fd >= 0 ? bufreader_open_fd(w, fd) : bufreader_open_callback(w, read_tempfile, t);
	if (status == IOT_OK)
		return w;
	*error = *bufreader_error(w);
	bufreader_free(w);
	return NULL;
}

/* Returns whether bufreaders cannot decompress it. */
static bool needs_layer(enum compression_layer how)
{
	return how != COMPRESSION_LAYER_NONE && how != COMPRESSION_LAYER_BUFREADER;
}

/* Adds a decompressor on top of `raw` if the compression requires one. Takes ownership of `raw`. */
static struct bufreader *member_decompressed(struct input *in, size_t member, struct bufreader *raw,
					     enum compression_layer how, struct error *error)
{
	if (raw == NULL || !needs_layer(how))
		return raw;
	const struct bufreader_options options = {.read_size = read_size(in)};
	return decompress_bufreader(raw, how, in->member[member].name, &options, error);
}

/* Reads the first raw bytes of a regular file or slice without moving its position. */
static ssize_t raw_head(const struct input *in, const struct member *m, int fd, char *head)
{
	size_t want = COMPRESSION_MAGIC_SIZE;
	if (m->tempfile_at >= 0 && m->size < want)
		want = (size_t)m->size;
	const uint64_t from = m->tempfile_at >= 0 ? (uint64_t)m->tempfile_at : 0;
	return full_read(fd >= 0 ? fd : in->tempfile, head, want, from);
}

/* Opens a file, unless it is open since its head was read. */
static int file_open(struct input *in, size_t member, struct error *error)
{
	const struct member *m = &in->member[member];
	const int fd = in->only_fd;
	if (fd < 0)
		return found_open(m->name, &m->identity, m->root_size, &m->root, error);
	in->only_fd = -1;
	if (lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	close(fd);
	return input_path_error(error, m->name), -1;
}

/* Returns a bufreader on the decompressed bytes of a file or slice. */
static struct bufreader *member_open(struct input *in, size_t member, struct error *error)
{
	const struct member *m = &in->member[member];
	char head[COMPRESSION_MAGIC_SIZE];
	int fd = -1;
	if (m->tempfile_at < 0) {
		fd = file_open(in, member, error);
		if (fd < 0)
			return NULL;
	}
	ssize_t n = raw_head(in, m, fd, head);
	if (n < 0) {
		input_path_error(error, m->name);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	enum compression_layer how = compression_layer_of(head, (size_t)n);
	return member_decompressed(
	    in, member, tap_bufreader(in, member, fd, how != COMPRESSION_LAYER_BUFREADER, error),
	    how, error);
}

/* Members */

static struct member *add_member(struct input *in, char *name, struct error *error)
{
	if (name == NULL) {
		error_no_memory(error);
		return NULL;
	}
	if (in->count == MEMBERS_MAX) {
		free(name);
		error_set(error, IOT_ELIMIT, "more than %d files", MEMBERS_MAX);
		return NULL;
	}
	if (!array_reserve(&in->member, &in->capacity, in->count + 1, sizeof(*in->member))) {
		free(name);
		error_no_memory(error);
		return NULL;
	}
	if (in->only_fd >= 0)
		close(in->only_fd);
	in->only_fd = -1;
	struct member *m = &in->member[in->count++];
	*m = (struct member){.name = name, .tempfile_at = -1};
	return m;
}

static void member_clear(struct member *m)
{
	bufreader_free(m->once);
	free(m->name);
	free(m->damage);
	free(m->head);
}

/* Tar */

/* Returns "TAR/NAME", for display only, never to be opened. */
static char *display_name(const char *tar, const char *name)
{
	char *shown, escaped[4096];
	escape_text(escaped, sizeof escaped, name, strlen(name));
	return asprintf(&shown, "%s/%s", tar, escaped) >= 0 ? shown : NULL;
}

/*
 * Stores the error of a damaged tar with its last readable member, so that it is reported after
 * that member's last byte.
 */
static int store_damage(struct input *in, size_t first, const struct error *damage,
			struct error *error)
{
	if (in->count == first)
		return error_set(error, damage->status, "%s", damage->text);
	struct member *last = &in->member[in->count - 1];
	last->damage = malloc(sizeof(*damage));
	if (last->damage == NULL)
		return error_no_memory(error);
	*last->damage = *damage;
	return IOT_OK;
}

/*
 * Appends the bytes of the tar's current file to the temporary file; holes stay holes. *size
 * receives the number of bytes appended, also after a failure. Returns IOT_OK, a status with *error
 * set, or the tar's status with *error unchanged.
 */
static int append_file(struct input *in, struct tar *t, uint64_t *size, struct error *error)
{
	const uint64_t capacity = TEMPFILE_MAX - in->tempfile_size;
	const void *data;
	size_t n;
	uint64_t offset;
	int got;
	*size = 0;
	while ((got = tar_block(t, &data, &n, &offset)) > 0) {
		if (n > capacity || offset > capacity - n)
			return error_set(error, IOT_ELIMIT,
					 "the files of a tar need more than %d GiB",
					 (int)(TEMPFILE_MAX >> 30));
		if (!full_write(in->tempfile, data, n, in->tempfile_size + offset))
			return error_system(
			    error, errno,
			    "temporary file for the files of a tar: cannot be written");
		if (n > 0 && offset + n > *size)
			*size = offset + n;
	}
	in->tempfile_size += *size;
	return got;
}

static int append_files(struct input *in, struct tar *t, const char *tar, struct error *error)
{
	size_t first = in->count;
	const char *name;
	int got;
	while ((got = tar_next(t, &name)) > 0) {
		struct member *m = add_member(in, display_name(tar, name), error);
		if (m == NULL)
			return error->status;
		m->tempfile_at = (int64_t)in->tempfile_size;
		got = append_file(in, t, &m->size, error);
		in->total += m->size;
		if (error->status != IOT_OK)
			return error->status;
		if (got < 0)
			break;
	}
	in->skipped += tar_skipped(t);
	return got < 0 ? store_damage(in, first, tar_error(t), error) : IOT_OK;
}

/*
 * The checksum of a compressed tar comes after the end of the archive, which may be filled up with
 * zeros. Returns a status, with the failure of `base` in *damage.
 */
static int read_checksum(struct bufreader *base, struct error *damage)
{
	size_t have = 1;
	for (uint64_t left = TAR_FILL_MAX; have > 0 && left >= have; left -= have) {
		(void)bufreader_peek(base, 1, &have);
		bufreader_consume(base, have);
	}
	*damage = *bufreader_error(base);
	return bufreader_status(base);
}

/* Takes ownership of base. */
static int add_tar(struct input *in, struct bufreader *base, const char *name, bool compressed,
		   struct error *error)
{
	const size_t first = in->count;
	struct error damage;
	struct tar *t = tar_new(base, name, error);
	int status = t == NULL ? error->status : IOT_OK;
	if (t != NULL && in->tempfile < 0 && (in->tempfile = tempfile_open()) < 0)
		status = input_path_error(error, tempfile_directory());
	if (status == IOT_OK)
		status = append_files(in, t, name, error);
	if (status == IOT_OK && tar_error(t)->status == IOT_OK && compressed &&
	    read_checksum(base, &damage) != IOT_OK)
		status = store_damage(in, first, &damage, error);
	tar_free(t);
	return status;
}

/* Replaces the member added last, which turned out to be a tar, by the tar's files. */
static int replace_by_tar(struct input *in, struct bufreader *base, struct error *error)
{
	struct member tar = in->member[in->count - 1];
	size_t index = in->count - 1;
	const bool compressed =
	    !tar.pipe || tar.is_unpacked || bufreader_compression(base) != IOT_PLAIN;
	in->total -= tar.size;
	int status = add_tar(in, base, tar.name, compressed, error);
	in->done -= in->member[index].done;
	member_clear(&tar);
	in->count--;
	memmove(&in->member[index], &in->member[index + 1],
		(in->count - index) * sizeof(*in->member));
	return status;
}

/* Files, directories, pipes */

/* Returns false if out of memory. */
static bool store_head(struct member *m, const char *data, size_t size)
{
	m->head = size > 0 ? malloc(size) : NULL;
	if (m->head == NULL)
		return size == 0;
	memcpy(m->head, data, size);
	m->head_size = size;
	return true;
}

/* The head of a file that may be the only one is not read again. */
static void keep_head(struct member *m, struct bufreader *w)
{
	size_t have;
	const char *data = bufreader_peek(w, INPUT_HEAD_SIZE, &have);
	m->head_known = bufreader_status(w) == IOT_OK &&
			store_head(m, data, have < INPUT_HEAD_SIZE ? have : INPUT_HEAD_SIZE);
}

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
	if (in->count == 1)
		keep_head(m, w);
	bufreader_free(w);
	return IOT_OK;
}

/*
 * Peeks only the magic of packets and traces first, because the next packet or record may arrive
 * much later.
 */
static const char *pipe_head(struct bufreader *w, size_t *have)
{
	static const char magic[][9] = {"IOTPKT01", "ff %iotr", "255 %iot"};
	const size_t size = sizeof(magic[0]) - 1;
	const char *head = bufreader_peek(w, size, have);
	for (size_t i = 0; i < sizeof(magic) / sizeof(*magic) && *have >= size; i++)
		if (memcmp(head, magic[i], size) == 0)
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
	m->is_file = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	if (m->is_file)
		m->size = (uint64_t)st.st_size;
	in->total += m->size;
	m->pipe = true;
	struct bufreader *w = tap_bufreader(in, in->count - 1, fd, false, error);
	if (w == NULL)
		return error->status;
	size_t have;
	const char *head = pipe_head(w, &have);
	enum compression_layer how = compression_layer_of(head, have);
	if (needs_layer(how)) {
		in->member[in->count - 1].is_unpacked = true;
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

/*
 * Opens a FIFO and waits until a writer has written to it or closed it. Unlike a blocking open(),
 * this notices a request of another thread to stop.
 */
static int open_fifo(struct input *in, const char *path)
{
	struct drain drain = {.begun = false};
	size_t size = 1;
	enum pipe_state state = PIPE_WAITS;
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	while (fd >= 0 && state == PIPE_WAITS)
		state = interrupt_wait(in->interrupt, &drain, fd, LOOK_MS, &size);
	if (fd < 0 || (state == PIPE_READABLE && fcntl(fd, F_SETFL, 0) == 0))
		return fd;
	if (state == PIPE_CUT)
		errno = EINTR;
	const int reason = errno;
	close(fd);
	errno = reason;
	return -1;
}

/* Terminals and devices. */
static int open_device(struct input *in, const char *path)
{
	int fd;
	do
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	while (fd < 0 && errno == EINTR &&
	       (in->interrupt == NULL || interrupt_requested(in->interrupt) == INTERRUPT_NONE));
	if (fd < 0 && errno == EINTR)
		atomic_store(&in->interrupt->cut, true);
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
	const bool waits = S_ISFIFO(st.st_mode) && in->interrupt != NULL;
	int fd = waits ? open_fifo(in, path) : open_device(in, path);
	return fd < 0 ? input_path_error(error, path) : add_pipe(in, fd, path, error);
}

/* Interface */

static int refuse_nothing(const char *path, struct error *error)
{
	char shown[512];
	return error_set(error, IOT_EFORMAT, "%s: no files in it",
			 escape_text(shown, sizeof(shown), path, strlen(path)));
}

struct input *input_new(const char *const *paths, size_t count, struct interrupt *interrupt,
			struct error *error)
{
	struct input *in = calloc(1, sizeof(*in));
	if (in == NULL) {
		error_no_memory(error);
		return NULL;
	}
	in->tempfile = in->only_fd = -1;
	in->interrupt = interrupt;
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
	if (in->tempfile >= 0)
		close(in->tempfile);
	if (in->only_fd >= 0)
		close(in->only_fd);
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
	if (!store_head(m, data, have))
		(void)error_no_memory(&error);
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

static struct tap *find_tap(const struct input *in, size_t member)
{
	struct tap *t = in->taps;
	while (t != NULL && t->member != member)
		t = t->next;
	return t;
}

static void drop_kept(struct input *in, size_t member)
{
	struct tap *t = find_tap(in, member);
	if (t == NULL)
		return;
	free(t->kept.data);
	t->kept = (struct kept_bytes){.data = NULL};
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
	drop_kept(in, member);
	m->once = NULL;
	return w;
}

/* Stored bytes, for readers of traces */

static int open_kept(struct input *in, size_t member, struct stored_bytes *b, struct error *error)
{
	const struct tap *t = find_tap(in, member);
	/* An empty pipe is closed already. */
	if (t == NULL && in->member[member].done == 0)
		b->fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (t == NULL && b->fd >= 0)
		return IOT_OK;
	if (t == NULL)
		return error_set(error, IOT_EUSAGE, "a pipe can be read once only");
	b->is_file = t->first >= 0;
	if (t->kept.incomplete)
		return error_no_memory(error);
	b->fd = fcntl(t->fd, F_DUPFD_CLOEXEC, 3);
	if (b->fd < 0 || (b->is_file && lseek(b->fd, t->first, SEEK_SET) < 0))
		return input_path_error(error, in->member[member].name);
	b->head = t->kept.data;
	b->head_size = t->kept.size;
	return IOT_OK;
}

int input_stored(struct input *in, size_t member, struct stored_bytes *b, struct error *error)
{
	const struct member *m = &in->member[member];
	char head[COMPRESSION_MAGIC_SIZE];
	*b = (struct stored_bytes){.fd = -1};
	if (m->tempfile_at >= 0 || m->is_unpacked)
		return IOT_OK;
	if (m->pipe)
		return open_kept(in, member, b, error);
	b->is_file = true;
	b->fd = file_open(in, member, error);
	if (b->fd < 0)
		return error->status;
	const ssize_t n = raw_head(in, m, b->fd, head);
	if (n < 0)
		(void)input_path_error(error, m->name);
	if (n < 0 || needs_layer(compression_layer_of(head, (size_t)n))) {
		close(b->fd);
		b->fd = -1;
	}
	return error->status;
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

bool input_is_piped(const struct input *in)
{
	for (size_t i = 0; i < in->count; i++)
		if (in->member[i].pipe && !in->member[i].is_file)
			return true;
	return false;
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
