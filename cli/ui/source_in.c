/* SPDX-License-Identifier: BSD-2-Clause */
#include "source_in.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "signals.h"
#include "source_warnings.h"

enum { KEY_CAPACITY = 64, SENTENCE_CAPACITY = 1200 };

static const char trace_format[] = "iotrace";

/* Options */

const char *source_in_format_word(size_t i)
{
	struct iot_format f;
	if (i == 0)
		return trace_format;
	return iot_source_format(i - 1, &f) ? f.name : NULL;
}

const char *source_in_take_format(const struct option *opt, const char *value)
{
	struct source_in_options *o = opt->target;
	const char *name;
	o->format = value;
	for (size_t i = 0; (name = source_in_format_word(i)) != NULL; i++)
		if (strcmp(name, value) == 0)
			return NULL;
	return "one of";
}

/* "KEY" or "KEY=VALUE". */
static int set(struct iot_source *s, const char *text)
{
	const size_t n = strcspn(text, "=");
	char key[KEY_CAPACITY] = "";
	memcpy(key, text, n < KEY_CAPACITY ? n : 0);
	/* convert has another option --threads */
	return iot_source_set(s, strcmp(key, "per-thread") == 0 ? "threads" : key,
			      text[n] == '=' ? text + n + 1 : "");
}

const char *source_in_take_setting(const struct option *opt, const char *value)
{
	struct source_in_options *o = opt->target;
	struct iot_source *s = iot_source_new();
	const int status = s != NULL ? set(s, value) : IOT_ENOMEM;
	iot_source_free(s);
	if (status == IOT_ENOMEM)
		return option_no_memory;
	if (status != IOT_OK)
		return "KEY or KEY=VALUE, an option of a format of 'iotrace convert'";
	if (o->settings == SOURCE_IN_SETTINGS_MAX)
		return "at most 32 of these options";
	o->setting[o->settings++] = value;
	return NULL;
}

static int apply(struct iot_source *s, const struct source_in_options *o, const char *fallback)
{
	char memory[32];
	snprintf(memory, sizeof memory, "%ju", (uintmax_t)o->memory);
	int status = iot_source_set(s, "fallback", fallback);
	if (status == IOT_OK)
		status = iot_source_set(s, "option-prefix", "--in-option=");
	if (status == IOT_OK && o->memory > 0)
		status = iot_source_set(s, "memory", memory);
	if (status == IOT_OK && o->format != NULL)
		status = iot_source_set(s, "format", o->format);
	for (size_t i = 0; i < o->settings && status == IOT_OK; i++)
		status = set(s, o->setting[i]);
	return status;
}

/* Detection */

bool source_in_is_compressed(const char *path)
{
	static const char *const magics[] = {("\375"
					      "7zXZ"),
					     "BZh", "\004\042\115\030"};
	char head[8] = "";
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	const ssize_t n = fd >= 0 ? pread(fd, head, sizeof head - 1, 0) : -1;
	if (fd >= 0)
		(void)close(fd);
	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
		if (n > 0 && memcmp(head, magics[i], strlen(magics[i])) == 0)
			return true;
	return false;
}

static const char *detect(const char *path, const struct source_in_options *o, bool *packed)
{
	const char *name = NULL;
	struct iot_source *s = iot_source_new();
	if (s != NULL && apply(s, o, "") == IOT_OK) {
		/* The name is static, and known even if the format refuses the input. */
		if (iot_source_open(s, &path, 1) != IOT_ENOMEM)
			name = iot_source_name(s);
		const char *file = iot_source_file(s, 0);
		*packed =
		    (file != NULL && strcmp(file, path) != 0) || source_in_is_compressed(path);
	}
	iot_source_free(s);
	return name;
}

/* The first bytes of a descriptor, which remain to be read. */
static ssize_t peek(int fd, void *head, size_t size)
{
	int side[2];
	struct stat st;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return pread(fd, head, size, lseek(fd, 0, SEEK_CUR));
	if (pipe2(side, O_CLOEXEC) != 0)
		return -1;
	ssize_t n;
	do
		n = tee(fd, side[1], size, 0);
	while (n < 0 && errno == EINTR && signals_ending() == 0);
	if (n > 0)
		n = read(side[0], head, (size_t)n);
	(void)close(side[0]);
	(void)close(side[1]);
	return n;
}

/* Detects the format of bytes in a file that exists in memory only. */
static const char *detect_head(const void *head, ssize_t size, const struct source_in_options *o,
			       bool *packed)
{
	char path[32];
	const char *name = NULL;
	const int fd = size > 0 ? memfd_create("head", MFD_CLOEXEC) : -1;
	if (fd < 0)
		return NULL;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (write(fd, head, (size_t)size) == size)
		name = detect(path, o, packed);
	(void)close(fd);
	return name;
}

const char *source_in_detect(const char *path, int fd, const struct source_in_options *o,
			     bool *packed)
{
	static const size_t size = 1 << 16;
	struct stat st;
	const bool standard = strcmp(path, "-") == 0;
	*packed = false;
	if (!standard && stat(path, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return detect(path, o, packed);
	char *head = malloc(size);
	const char *name = head != NULL ? detect_head(head, peek(fd, head, size), o, packed) : NULL;
	free(head);
	return name;
}

/* Input */

bool source_in_is_trace(const struct iot_source *s)
{
	const char *name = iot_source_name(s);
	return name != NULL && strcmp(name, trace_format) == 0;
}

bool source_in_cut(const struct iot_source *s)
{
	if (s == NULL || iot_source_fact(s, IOT_SOURCE_CANCELLED) == 0)
		return false;
	atomic_store(&signals_interrupt()->cut, true);
	return true;
}

/* Returns the only format with this setting; "FORMAT" if there are several. */
static const char *format_with(const char *key)
{
	struct iot_format f;
	const char *found = NULL;
	for (size_t i = 0; key != NULL && iot_source_format(i, &f); i++)
		for (const struct iot_format_option *o = f.options; o != NULL && o->name; o++) {
			if (strcmp(o->name, key) != 0)
				continue;
			if (found != NULL)
				return "FORMAT";
			found = f.name;
		}
	return found != NULL ? found : "FORMAT";
}

const char *source_in_sentence(const struct iot_source *s, const char *option, const char *key,
			       char *text, size_t capacity)
{
	const char *sentence = iot_source_error(s);
	if (iot_source_fact(s, IOT_SOURCE_UNKNOWN_FORMAT) == 0)
		return sentence;
	snprintf(text, capacity, "%s; name the format with %s=%s", sentence, option,
		 format_with(key));
	return text;
}

static enum exit_status refuse(const struct iot_source *s, int status,
			       const struct command_spec *cmd)
{
	char text[SENTENCE_CAPACITY];
	if (source_in_cut(s) || signals_ending() != 0)
		return EXIT_FAILED;
	const char *sentence = source_in_sentence(s, "--in-format", NULL, text, sizeof text);
	if (status == IOT_EUSAGE)
		return options_wrong(cmd, "%s", sentence);
	message_print("%s", sentence);
	return EXIT_FAILED;
}

int source_in_start(struct iot_source *s, const char *path, const struct source_in_options *o,
		    bool interruptible)
{
	if (interruptible)
		iot_source_cancel_by(s, &signals_interrupt()->request);
	const int status = apply(s, o, trace_format);
	return status == IOT_OK ? iot_source_open(s, &path, 1) : status;
}

enum exit_status source_in_open(struct iot_source **s, const char *path,
				const struct source_in_options *o, bool interruptible,
				const struct command_spec *cmd)
{
	*s = iot_source_new();
	if (*s == NULL)
		return message_no_memory();
	const int status = source_in_start(*s, path, o, interruptible);
	return status == IOT_OK ? EXIT_OK : refuse(*s, status, cmd);
}

void source_in_warn(const struct iot_source *s, const char *name, bool whole, bool quiet)
{
	const struct source_warnings warnings = {.source = s, .name = name, .whole = whole};
	if (source_in_is_trace(s))
		return;
	if (!quiet)
		source_warnings_print(&warnings);
	else if (source_is_mostly_unparsed(s))
		source_warnings_unparsed(&warnings);
}
