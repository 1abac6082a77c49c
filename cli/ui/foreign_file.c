/* SPDX-License-Identifier: BSD-2-Clause */
/* Detects what a file is by its first bytes. */
#include "foreign_file.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "converters/converter.h"
#include "lib/base/error.h"
#include "message.h"
#include "piped.h"

enum { HEAD_SIZE = 4096, SENTENCE_SIZE = 256 };

struct magic {
	const char *bytes;
	size_t size;
	const char *kind;
};

#define MAGIC(bytes, kind)                                                                         \
	{                                                                                          \
		bytes, sizeof(bytes) - 1, kind                                                     \
	}

static const struct magic magics[] = {
    MAGIC("\177ELF", "an ELF program, library or object file"),
    MAGIC("\211PNG\r\n\032\n", "a PNG image"),
    MAGIC("\377\330\377", "a JPEG image"),
    MAGIC("GIF8", "a GIF image"),
    MAGIC("%PDF-", "a PDF document"),
    MAGIC("PK\003\004", "a zip archive"),
    MAGIC("7z\274\257\047\034", "a 7z archive"),
    MAGIC("!<arch>\n", "an ar archive"),
    MAGIC("\355\253\356\333", "an RPM package"),
    MAGIC("SQLite format 3", "an SQLite database"),
    MAGIC("\211HDF\r\n\032\n", "an HDF5 file"),
    MAGIC("CDF\001", "a NetCDF file"),
    MAGIC("CDF\002", "a NetCDF file"),
    MAGIC("CDF\005", "a NetCDF file"),
    MAGIC("\324\303\262\241", "a capture of network packets"),
    MAGIC("\241\262\303\324", "a capture of network packets"),
    MAGIC("\n\r\r\n", "a capture of network packets"),
    MAGIC("PERFILE2", "a log of perf"),
    MAGIC("\007tae", "a log of blktrace"),
    MAGIC("#!", "a script"),
    MAGIC("<?xml", "XML"),
    MAGIC("<!DOCTYPE", "HTML"),
    MAGIC("<html", "HTML"),
    MAGIC("{", "JSON"),
    MAGIC("type,start,duration,cpu,offset,", "the CSV of 'iotrace cat'"),
};

static const char *magic_of(const char *head, size_t size)
{
	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
		if (size >= magics[i].size && memcmp(head, magics[i].bytes, magics[i].size) == 0)
			return magics[i].kind;
	return NULL;
}

static bool is_text(const char *head, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		const unsigned char c = (unsigned char)head[i];
		if ((c < 0x20 && strchr("\t\n\v\f\r\b\033", c) == NULL) || c == '\0' || c == 0x7f)
			return false;
	}
	return true;
}

static size_t blanks(const char *line, size_t size)
{
	size_t n = 0;
	while (n < size && strchr(" \t\r\n", line[n]) != NULL && line[n] != '\0')
		n++;
	return n;
}

/* The first line has two fields at least, of digits, or is a comment; or there are only blanks. */
static bool is_like_trace(const char *head, size_t size)
{
	const size_t indent = blanks(head, size);
	if (indent == size)
		return true;
	const char *line = head + indent;
	const char *lf = memchr(line, '\n', size - indent);
	const size_t n = lf != NULL ? (size_t)(lf - line) : size - indent;
	const size_t first = n < 4 ? n : 4;
	char word[5] = "";
	memcpy(word, line, first);
	word[strcspn(word, " \t\r")] = '\0';
	if (strcasecmp(word, "ff") == 0 || strcmp(word, "255") == 0)
		return true;
	size_t digits = 0;
	while (digits < n && line[digits] != '\0' &&
	       strchr("0123456789abcdefABCDEF- \t\r", line[digits]) != NULL)
		digits++;
	return digits == n && memchr(line, ' ', n) != NULL;
}

static enum foreign_file look_at_bytes(const char *head, size_t size, char *text, size_t capacity)
{
	const char *kind;
	if (size == 0 || is_like_trace(head, size))
		return FOREIGN_NOT;
	if ((kind = magic_of(head, size)) != NULL)
		snprintf(text, capacity, "not a trace: it seems to be %s", kind);
	else if (!is_text(head, size))
		snprintf(text, capacity, "not a trace: it seems to be binary data of another kind");
	else {
		snprintf(text, capacity, "not a trace: it seems to be text of another kind");
		return FOREIGN_TEXT;
	}
	return FOREIGN_KNOWN;
}

static enum foreign_file look_at_file(const char *path, char *text, size_t capacity)
{
	struct error error = {.status = IOT_OK};
	enum foreign_file found = FOREIGN_NOT;
	struct input *in = input_new(&path, 1, NULL, &error);
	size_t have = 0;
	if (in != NULL && input_count(in) == 1) {
		const char *head = input_head(in, 0, &have);
		found = look_at_bytes(head, have < HEAD_SIZE ? have : HEAD_SIZE, text, capacity);
	}
	input_free(in);
	return found;
}

enum foreign_file foreign_file_look(const char *path, char *sentence, size_t size)
{
	const bool standard = strcmp(path, "-") == 0;
	struct stat st;
	if ((standard ? fstat(STDIN_FILENO, &st) : stat(path, &st)) != 0)
		return FOREIGN_NOT;
	if (!S_ISREG(st.st_mode))
		return FOREIGN_NOT;
	return look_at_file(piped_name_again(path), sentence, size);
}

enum foreign_file foreign_file_report(const char *path)
{
	char sentence[SENTENCE_SIZE];
	const enum foreign_file found = foreign_file_look(path, sentence, sizeof sentence);
	if (found != FOREIGN_NOT)
		message_print_about(strcmp(path, "-") == 0 ? "standard input" : path, "%s",
				    sentence);
	return found;
}
