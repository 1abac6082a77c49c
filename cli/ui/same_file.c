/* SPDX-License-Identifier: BSD-2-Clause */
/* See same_file.h. */
#include "same_file.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/atomic_file.h"
#include "lib/base/array.h"
#include "file_content.h"
#include "message.h"
#include "options.h"
#include "same_content.h"

enum kind { NOTHING, REGULAR, DIRECTORY, PIPE, ABSENT };

struct file_used {
	enum role role;
	char *path;
	const char *option; /* an output's; NULL: not to be named */
	enum kind kind;     /* NOTHING: differs from all other files */
	dev_t device;       /* of the file, or of its nearest existing ancestor directory */
	ino_t inode;
	char *rest;   /* ABSENT: the path from that directory, without "." and ".." */
	size_t index; /* among the files of the command */
};

static bool is_standard_output(const struct file_used *u)
{
	return u->role != ROLE_INPUT && u->role != ROLE_KEY &&
	       (strcmp(u->path, "-") == 0 || strcmp(u->path, "/dev/stdout") == 0);
}

static bool is_standard_input(const struct file_used *u)
{
	return u->role == ROLE_INPUT && strcmp(u->path, "-") == 0;
}

/* Identity */

/*
 * Appends the components of `tail` to `rest`; both may name directories that do not exist, so none
 * is a link.
 */
static void append_normal(char *rest, const char *tail)
{
	while (*tail != '\0') {
		const size_t n = strcspn(tail, "/");
		char *last = strrchr(rest, '/');
		if (n == 2 && memcmp(tail, "..", 2) == 0) {
			*(last != NULL ? last : rest) = '\0';
		} else if (n > 0 && !(n == 1 && *tail == '.')) {
			if (*rest != '\0')
				strcat(rest, "/");
			strncat(rest, tail, n);
		}
		tail += n + (tail[n] == '/');
	}
}

/* The nearest existing ancestor of `target`, and the rest. Truncates `target`. */
static bool identify_absent(struct file_used *u, char *target)
{
	const size_t size = strlen(target);
	struct stat st;
	size_t end = size;
	u->rest = calloc(1, size + 2);
	if (u->rest == NULL)
		return false;
	do {
		while (end > 0 && target[end - 1] != '/')
			end--;
		const char kept = target[end];
		target[end] = '\0';
		const bool there = stat(end > 0 ? target : ".", &st) == 0;
		target[end] = kept;
		if (there && S_ISDIR(st.st_mode)) {
			u->kind = ABSENT;
			u->device = st.st_dev;
			u->inode = st.st_ino;
			append_normal(u->rest, target + end);
			return true;
		}
		while (end > 0 && target[end - 1] == '/')
			end--;
	} while (end > 0);
	return true;
}

static bool stat_used(const struct file_used *u, struct stat *st)
{
	if (is_standard_output(u))
		return fstat(STDOUT_FILENO, st) == 0;
	if (is_standard_input(u))
		return fstat(STDIN_FILENO, st) == 0;
	return stat(u->path, st) == 0;
}

/* Returns false if out of memory. A file that cannot be examined is rejected when it is opened. */
static bool identify(struct file_used *u)
{
	struct stat st;
	free(u->rest);
	u->rest = NULL;
	u->kind = NOTHING;
	if (stat_used(u, &st)) {
		if (S_ISREG(st.st_mode))
			u->kind = REGULAR;
		else if (S_ISDIR(st.st_mode) && u->role == ROLE_INPUT)
			u->kind = DIRECTORY;
		else if ((S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) && u->role == ROLE_INPUT)
			u->kind = PIPE;
		u->device = st.st_dev;
		u->inode = st.st_ino;
		return true;
	}
	if (errno != ENOENT || u->role == ROLE_INPUT)
		return true;
	char *target = atomic_file_target(u->path);
	if (target == NULL)
		return errno != ENOMEM;
	const bool fine = identify_absent(u, target);
	free(target);
	return fine;
}

static bool is_same(const struct file_used *a, const struct file_used *b)
{
	return a->kind == b->kind && a->device == b->device && a->inode == b->inode &&
	       (a->kind != ABSENT || strcmp(a->rest, b->rest) == 0);
}

/* Groups equal files, in the order of the command. */
static int by_identity(const void *left, const void *right)
{
	const struct file_used *a = left, *b = right;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	const int rest = a->kind == ABSENT ? strcmp(a->rest, b->rest) : 0;
	return rest != 0 ? rest : a->index < b->index ? -1 : 1;
}

/* Messages */

static const char *role_name(const struct file_used *u)
{
	static const char *const names[] = {
	    [ROLE_INPUT] = "input",   [ROLE_KEY] = "key",       [ROLE_TRACE] = "output",
	    [ROLE_STATE] = "output",  [ROLE_EXPORT] = "output", [ROLE_OUTPUT] = "output",
	    [ROLE_REPORT] = "report", [ROLE_MAP] = "mapping"};
	return names[u->role];
}

enum { SHOWN = 512 };

/* The file with its role, "report a/b", or "standard input"; returns its buffer. */
static const char *show(char *shown, const struct file_used *u)
{
	char path[SHOWN - 16];
	if (is_standard_output(u))
		return "standard output";
	if (is_standard_input(u))
		return "standard input";
	escape_text(path, sizeof(path), u->path, strlen(u->path));
	snprintf(shown, SHOWN, "%s %s", role_name(u), path);
	return shown;
}

/* The same without the role. */
static const char *show_input(char *shown, const struct file_used *u)
{
	if (is_standard_input(u))
		return "standard input";
	escape_text(shown, SHOWN, u->path, strlen(u->path));
	return shown;
}

static enum exit_status refuse_same(const struct same_file_set *f, const struct file_used *a,
				    const struct file_used *b)
{
	char first[SHOWN], second[SHOWN];
	if (is_standard_input(a) && is_standard_input(b))
		return options_wrong(f->command,
				     "standard input is named twice, but can be read only once");
	if (a->kind == PIPE)
		return options_wrong(f->command,
				     "%s and %s are the same pipe, which can be read only once",
				     show_input(first, a), show_input(second, b));
	return options_wrong(f->command, "%s and %s are the same file", show(first, a),
			     show(second, b));
}

static void warn_twice(const struct same_file_set *f, const struct file_used *a,
		       const struct file_used *b)
{
	char first[SHOWN], second[SHOWN];
	message_print("warning: %s and %s are the same file; %s", show_input(first, a),
		      show_input(second, b), f->if_twice);
}

/* Checks */

/* Mixing two outputs makes neither readable, whatever standard output is. */
static enum exit_status check_standard_output(const struct same_file_set *f)
{
	const struct file_used *first = NULL;
	for (const struct file_used *u = f->used; u < f->used + f->count; u++) {
		if (!is_standard_output(u))
			continue;
		if (first != NULL)
			return options_wrong(f->command,
					     "%s and %s would both go to standard output",
					     role_name(first), role_name(u));
		first = u;
	}
	return EXIT_OK;
}

/* Two inputs may be the same file if it can be opened twice. */
static bool clash(const struct file_used *a, const struct file_used *b)
{
	if (is_standard_input(a) && is_standard_input(b))
		return true;
	if (a->kind == NOTHING || !is_same(a, b))
		return false;
	return a->role != ROLE_INPUT || b->role != ROLE_INPUT || a->kind == PIPE;
}

/* The files are sorted by identity. */
static enum exit_status check_pairs(const struct same_file_set *f)
{
	const struct file_used *first = NULL, *second = NULL;
	for (size_t i = 0; i + 1 < f->count; i++) {
		const struct file_used *a = &f->used[i], *b = a + 1;
		if (clash(a, b) && (first == NULL || a->index < first->index)) {
			first = a;
			second = b;
		}
	}
	return first != NULL ? refuse_same(f, first, second) : EXIT_OK;
}

/* A file under two names, or named twice, is probably a mistake. */
static void warn_of_pairs(const struct same_file_set *f)
{
	for (const struct file_used *a = f->used; a + 1 < f->used + f->count; a++)
		if (a->kind == REGULAR && a[1].role == ROLE_INPUT && is_same(a, a + 1))
			warn_twice(f, a, a + 1);
}

static int by_name(const void *a, const void *b)
{
	const struct file_used *const *x = a, *const *y = b;
	const int order = same_content_compare_names((*x)->path, (*y)->path);
	return order != 0 ? order : ((*x)->index > (*y)->index) - ((*x)->index < (*y)->index);
}

static void warn_if_packed(const struct same_file_set *f, const struct file_used *packed,
			   const struct file_used *plain)
{
	char first[SHOWN], second[SHOWN];
	if (same_content_is_packed(packed->path, plain->path))
		message_print("warning: %s seems to be %s, compressed; %s",
			      show_input(first, packed), show_input(second, plain), f->if_twice);
}

/* A file next to its compressed copy is probably a mistake, too. */
static void warn_of_copies(const struct same_file_set *f)
{
	const struct file_used **input = calloc(f->count, sizeof(*input));
	size_t n = 0;
	for (size_t i = 0; i < f->count && input != NULL; i++)
		if (f->used[i].role == ROLE_INPUT && f->used[i].kind == REGULAR)
			input[n++] = &f->used[i];
	if (n > 0)
		qsort(input, n, sizeof(*input), by_name);
	for (size_t i = 0; i + 1 < n; i++)
		if (same_content_compare_names(input[i]->path, input[i + 1]->path) == 0) {
			warn_if_packed(f, input[i], input[i + 1]);
			warn_if_packed(f, input[i + 1], input[i]);
		}
	free(input);
}

static bool lies_in(char *real, const struct file_used *directory)
{
	struct stat st;
	for (char *slash = strrchr(real, '/'); slash != NULL; slash = strrchr(real, '/')) {
		slash[slash == real] = '\0';
		if (stat(real, &st) == 0 && st.st_dev == directory->device &&
		    st.st_ino == directory->inode)
			return true;
		*slash = '\0';
	}
	return false;
}

/* A directory is read with all its contents; an existing file in it would be replaced. */
static enum exit_status check_directory(const struct same_file_set *f,
					const struct file_used *directory)
{
	char real[PATH_MAX], file[SHOWN], input[SHOWN];
	for (const struct file_used *u = f->used; u < f->used + f->count; u++) {
		if (u->role == ROLE_INPUT || u->kind != REGULAR || is_standard_output(u))
			continue;
		if (realpath(u->path, real) != NULL && lies_in(real, directory))
			return options_wrong(f->command, "%s is part of %s", show(file, u),
					     show(input, directory));
	}
	return EXIT_OK;
}

/* Returns whether the output may take the place of a file with this content. */
static bool may_replace(enum role role, enum file_content content)
{
	switch (content) {
	case CONTENT_TRACE:
		return role == ROLE_TRACE;
	case CONTENT_STATE:
		return role == ROLE_TRACE || role == ROLE_STATE;
	case CONTENT_LOG:
		return role <= ROLE_EXPORT;
	case CONTENT_OTHER:
		break;
	}
	return true;
}

static enum exit_status refuse_content(const struct same_file_set *f, const struct file_used *u,
				       enum file_content content)
{
	static const char *const names[] = {
	    [CONTENT_TRACE] = "a trace", [CONTENT_STATE] = "a state", [CONTENT_LOG] = "a log"};
	char path[SHOWN];
	const bool is_long = u->option[1] == '-';
	escape_text(path, sizeof(path), u->path, strlen(u->path));
	return options_wrong(f->command,
			     "%s would replace %s, which is %s; did you mean '%s%sFILE %s'?",
			     u->option, path, names[content], u->option, is_long ? "=" : " ", path);
}

/* Fails if an output would replace data, probably because an input was taken for its name. */
static enum exit_status check_contents(const struct same_file_set *f)
{
	for (const struct file_used *u = f->used; u < f->used + f->count; u++) {
		if (u->option == NULL || u->kind != REGULAR || is_standard_output(u))
			continue;
		const enum file_content content = file_content_find(u->path);
		if (!may_replace(u->role, content))
			return refuse_content(f, u, content);
	}
	return EXIT_OK;
}

enum exit_status same_file_check(struct same_file_set *f)
{
	for (size_t i = 0; i < f->count && !f->failed; i++)
		f->failed = !identify(&f->used[i]);
	if (f->failed)
		return message_no_memory();
	enum exit_status status = check_standard_output(f);
	if (f->count > 0)
		qsort(f->used, f->count, sizeof(*f->used), by_identity);
	if (status == EXIT_OK)
		status = check_pairs(f);
	for (size_t i = 0; i < f->count && status == EXIT_OK; i++)
		if (f->reads_directories && f->used[i].kind == DIRECTORY)
			status = check_directory(f, &f->used[i]);
	if (status == EXIT_OK)
		status = check_contents(f);
	if (status == EXIT_OK && f->if_twice != NULL && f->count > 0) {
		warn_of_pairs(f);
		warn_of_copies(f);
	}
	return status;
}

enum exit_status same_file_check_member(const struct same_file_set *f, const char *path)
{
	/* The path of an input is not modified. */
	struct file_used member = {.role = ROLE_INPUT, .path = (char *)(uintptr_t)path};
	if (strcmp(path, "-") == 0 || !identify(&member) || member.kind != REGULAR)
		return EXIT_OK;
	for (const struct file_used *u = f->used; u < f->used + f->count; u++)
		if (u->role != ROLE_INPUT && is_same(u, &member))
			return refuse_same(f, &member, u);
	return EXIT_OK;
}

/* The list */

void same_file_add_output(struct same_file_set *f, enum role role, const char *option,
			  const char *path)
{
	char *copy = strdup(path);
	if (copy == NULL ||
	    !array_reserve(&f->used, &f->capacity, f->count + 1, sizeof(*f->used))) {
		free(copy);
		f->failed = true;
		return;
	}
	f->used[f->count] =
	    (struct file_used){.role = role, .path = copy, .option = option, .index = f->count};
	f->count++;
}

void same_file_add(struct same_file_set *f, enum role role, const char *path)
{
	same_file_add_output(f, role, NULL, path);
}

void same_file_free(struct same_file_set *f)
{
	for (size_t i = 0; i < f->count; i++) {
		free(f->used[i].path);
		free(f->used[i].rest);
	}
	free(f->used);
	f->used = NULL;
	f->count = f->capacity = 0;
}

void same_file_add_inputs(struct same_file_set *f, char *const *inputs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		same_file_add(f, ROLE_INPUT, inputs[i]);
	if (count == 0)
		same_file_add(f, ROLE_INPUT, "-");
}

static enum exit_status check_and_free(struct same_file_set *f)
{
	const enum exit_status status = same_file_check(f);
	same_file_free(f);
	return status;
}

enum exit_status same_file_check_inputs(const struct command_spec *cmd, char *const *inputs,
					size_t count, const char *if_twice)
{
	struct same_file_set files = {.command = cmd, .if_twice = if_twice};
	same_file_add_inputs(&files, inputs, count);
	return check_and_free(&files);
}

enum exit_status same_file_check_two(const struct command_spec *cmd, const char *out,
				     const char *in)
{
	struct same_file_set files = {.command = cmd, .reads_directories = true};
	same_file_add(&files, ROLE_INPUT, in);
	same_file_add(&files, ROLE_TRACE, out);
	return check_and_free(&files);
}

enum exit_status same_file_check_outputs(const struct command_spec *cmd, char *const *inputs,
					 size_t count, const char *out, const char *svg)
{
	struct same_file_set files = {.command = cmd, .reads_directories = true};
	same_file_add_inputs(&files, inputs, count);
	if (out != NULL)
		same_file_add_output(&files, ROLE_OUTPUT, "-o", out);
	if (svg != NULL)
		same_file_add_output(&files, ROLE_OUTPUT, "--svg", svg);
	return check_and_free(&files);
}
