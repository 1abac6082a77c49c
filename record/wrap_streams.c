/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams. */
#include <string.h>

#include "program.h"
#include "stream.h"

#undef fread_unlocked
#undef fwrite_unlocked

/* Opening and closing */

static unsigned flags_of(const char *mode)
{
	const bool both = strchr(mode, '+') != NULL;
	if (*mode == 'r')
		return both ? O_RDWR : O_RDONLY;
	return (both ? O_RDWR : O_WRONLY) | O_CREAT | (unsigned)(*mode == 'a' ? O_APPEND : O_TRUNC);
}

static FILE *stream_opened(struct operation_call *o, FILE *stream)
{
	operation_opened(o, stream == NULL ? -1 : stream->_fileno);
	return stream;
}

EXPORT FILE *fopen(const char *restrict path, const char *restrict mode)
{
	struct operation_call o;
	if (!operation_opens(&o, AT_FDCWD, path, flags_of(mode)))
		return real.fopen(path, mode);
	return stream_opened(&o, real.fopen(path, mode));
}

EXPORT FILE *tmpfile(void)
{
	struct operation_call o;
	if (!operation_opens(&o, AT_FDCWD, NULL, O_RDWR | O_CREAT | O_EXCL))
		return real.tmpfile();
	return stream_opened(&o, real.tmpfile());
}

ALIAS(fopen64, fopen);
ALIAS(tmpfile64, tmpfile);

/* What waits in the buffer is written by a call of its own, after which the position is known. */
static void drain(FILE *stream)
{
	if (stream != NULL && (stream_pending(stream) > 0 || stream->_mode > 0))
		fflush(stream);
}

EXPORT FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict stream)
{
	struct operation_call o;
	drain(stream);
	if (!operation_opens(&o, AT_FDCWD, path, flags_of(mode)))
		return real.freopen(path, mode, stream);
	const int fd = stream->_fileno;
	struct operation_call closing = {.p = o.p, .ring = o.ring};
	closing.event = (struct event){.op = RECORD_OP_CLOSE, .start = o.event.start};
	closing.outer = o.event.start; /* the call goes on */
	if (fd >= 0)
		operation_closed(&closing, descriptor_remove(fd), fd, 0);
	return stream_opened(&o, real.freopen(path, mode, stream));
}

ALIAS(freopen64, freopen);

EXPORT int fclose(FILE *stream)
{
	struct operation_call o;
	drain(stream);
	if (!operation_begin(&o, RECORD_OP_CLOSE))
		return real.fclose(stream);
	const int fd = stream->_fileno;
	const union descriptor d = descriptor_remove(fd);
	const int result = real.fclose(stream);
	operation_closed(&o, d, fd, result == 0 ? 0 : -1);
	return result;
}

EXPORT FILE *popen(const char *command, const char *mode)
{
	struct producer *p = thread_enter();
	if (p != NULL)
		descriptors_share(false);
	program_of_libc();
	FILE *const stream = real.popen(command, mode);
	if (stream != NULL && p != NULL)
		descriptor_reset(stream->_fileno);
	return stream;
}

EXPORT int pclose(FILE *stream)
{
	drain(stream);
	if (thread_enter() != NULL)
		descriptor_reset(stream->_fileno);
	return real.pclose(stream);
}

/* Reading */

EXPORT size_t fread(void *restrict to, size_t size, size_t n, FILE *restrict stream)
{
	struct stream_call c;
	if (!stream_begin(&c, stream, (int64_t)(size * n) > stream_unread(stream)))
		return real.fread(to, size, n, stream);
	const size_t result = real.fread(to, size, n, stream);
	stream_end(&c, (int64_t)(size * result), 0);
	return result;
}

EXPORT size_t fread_unlocked(void *restrict to, size_t size, size_t n, FILE *restrict stream)
{
	struct stream_call c;
	if (!stream_begin(&c, stream, (int64_t)(size * n) > stream_unread(stream)))
		return real.fread_unlocked(to, size, n, stream);
	const size_t result = real.fread_unlocked(to, size, n, stream);
	stream_end(&c, (int64_t)(size * result), 0);
	return result;
}

extern void __chk_fail(void) __attribute__((noreturn));

EXPORT size_t __fread_chk(void *restrict to, size_t capacity, size_t size, size_t n,
			  FILE *restrict stream)
{
	if (size != 0 && n > capacity / size)
		__chk_fail();
	return fread(to, size, n, stream);
}

EXPORT size_t __fread_unlocked_chk(void *restrict to, size_t capacity, size_t size, size_t n,
				   FILE *restrict stream)
{
	if (size != 0 && n > capacity / size)
		__chk_fail();
	return fread_unlocked(to, size, n, stream);
}

/* A call that reads one character, which is the result. */
#define READS_CHARACTER(name)                                                                      \
	EXPORT int name(FILE *stream)                                                              \
	{                                                                                          \
		struct stream_call c;                                                              \
		if (!stream_begin(&c, stream, stream_unread(stream) == 0))                         \
			return real.name(stream);                                                  \
		const int result = real.name(stream);                                              \
		stream_end(&c, result != EOF, 0);                                                  \
		return result;                                                                     \
	}

READS_CHARACTER(fgetc)
READS_CHARACTER(fgetc_unlocked)
READS_CHARACTER(__uflow)

ALIAS(getc, fgetc);
ALIAS(_IO_getc, fgetc);
ALIAS(getc_unlocked, fgetc_unlocked);

EXPORT int getchar(void)
{
	return fgetc(stdin);
}

EXPORT int getchar_unlocked(void)
{
	return fgetc_unlocked(stdin);
}

EXPORT int __underflow(FILE *stream)
{
	struct stream_call c;
	if (!stream_begin(&c, stream, stream_unread(stream) == 0))
		return real.__underflow(stream);
	const int result = real.__underflow(stream);
	stream_end(&c, 0, 0);
	return result;
}

/* Returns true if a line, or `size` bytes of it, are in the buffer. */
static bool has_line(const FILE *stream, int end, int64_t size)
{
	const int64_t unread = stream_unread(stream);
	return unread > 0 &&
	       (unread >= size || memchr(stream->_IO_read_ptr, end, (size_t)unread) != NULL);
}

#define READS_LINE(name)                                                                           \
	EXPORT char *name(char *restrict to, int size, FILE *restrict stream)                      \
	{                                                                                          \
		struct stream_call c;                                                              \
		if (!stream_begin(&c, stream, !has_line(stream, '\n', size - 1)))                  \
			return real.name(to, size, stream);                                        \
		char *const result = real.name(to, size, stream);                                  \
		stream_end(&c, result == NULL ? 0 : (int64_t)strlen(result), 0);                   \
		return result;                                                                     \
	}

READS_LINE(fgets)
READS_LINE(fgets_unlocked)

EXPORT char *__fgets_chk(char *to, size_t capacity, int size, FILE *stream)
{
	if (size > 0 && (size_t)size > capacity)
		__chk_fail();
	return fgets(to, size, stream);
}

EXPORT char *__fgets_unlocked_chk(char *to, size_t capacity, int size, FILE *stream)
{
	if (size > 0 && (size_t)size > capacity)
		__chk_fail();
	return fgets_unlocked(to, size, stream);
}

EXPORT ssize_t getdelim(char **restrict line, size_t *restrict size, int end, FILE *restrict stream)
{
	struct stream_call c;
	if (!stream_begin(&c, stream, !has_line(stream, end, INT64_MAX)))
		return real.getdelim(line, size, end, stream);
	const ssize_t result = real.getdelim(line, size, end, stream);
	stream_end(&c, result < 0 ? 0 : result, 0);
	return result;
}

ALIAS(__getdelim, getdelim);

EXPORT ssize_t getline(char **restrict line, size_t *restrict size, FILE *restrict stream)
{
	return getdelim(line, size, '\n', stream);
}

/* A call of which only its result is known, not the bytes that it moved. */
#define STREAM_CALL(type, name, parameters, arguments, stream, n, bits)                            \
	EXPORT type name parameters                                                                \
	{                                                                                          \
		struct stream_call c;                                                              \
		if (!stream_begin(&c, stream, true))                                               \
			return real.name arguments;                                                \
		type result = real.name arguments;                                                 \
		stream_end(&c, n, bits);                                                           \
		return result;                                                                     \
	}

STREAM_CALL(int, getw, (FILE * s), (s), s, (int64_t)sizeof(int), 0)
STREAM_CALL(wint_t, fgetwc, (FILE * s), (s), s, -1, 0)
STREAM_CALL(wchar_t *, fgetws, (wchar_t *restrict to, int size, FILE *restrict s), (to, size, s), s,
	    -1, 0)

ALIAS(getwc, fgetwc);

/* The headers give these the names of C99, "__isoc99_vfscanf" and so on. */

EXPORT int vfscanf(FILE *restrict stream, const char *restrict format, va_list list)
{
	struct stream_call c;
	const bool follows = stream_begin(&c, stream, true);
	const int result = real.__isoc99_vfscanf(stream, format, list);
	if (follows)
		stream_end(&c, -1, 0);
	return result;
}

EXPORT int vfwscanf(FILE *restrict stream, const wchar_t *restrict format, va_list list)
{
	struct stream_call c;
	const bool follows = stream_begin(&c, stream, true);
	const int result = real.__isoc99_vfwscanf(stream, format, list);
	if (follows)
		stream_end(&c, -1, 0);
	return result;
}

/* Variadic calls, by those that take a list. */
#define VARIADIC(name, parameters, last, call)                                                     \
	EXPORT int name parameters                                                                 \
	{                                                                                          \
		va_list list;                                                                      \
		va_start(list, last);                                                              \
		const int result = call;                                                           \
		va_end(list);                                                                      \
		return result;                                                                     \
	}

VARIADIC(fscanf, (FILE *restrict s, const char *restrict format, ...), format,
	 vfscanf(s, format, list))
VARIADIC(scanf, (const char *restrict format, ...), format, vfscanf(stdin, format, list))
VARIADIC(fwscanf, (FILE *restrict s, const wchar_t *restrict format, ...), format,
	 vfwscanf(s, format, list))

EXPORT int vscanf(const char *restrict format, va_list list)
{
	return vfscanf(stdin, format, list);
}

/* Writing */

#define WRITES(name)                                                                               \
	EXPORT size_t name(const void *restrict from, size_t size, size_t n,                       \
			   FILE *restrict stream)                                                  \
	{                                                                                          \
		struct stream_call c;                                                              \
		if (!stream_begin(&c, stream, (int64_t)(size * n) > stream_space(stream)))         \
			return real.name(from, size, n, stream);                                   \
		const size_t result = real.name(from, size, n, stream);                            \
		stream_end(&c, (int64_t)(size * result), RECORD_WRITE);                            \
		return result;                                                                     \
	}

WRITES(fwrite)
WRITES(fwrite_unlocked)

#define WRITES_CHARACTER(name)                                                                     \
	EXPORT int name(int character, FILE *stream)                                               \
	{                                                                                          \
		struct stream_call c;                                                              \
		if (!stream_begin(&c, stream, stream_space(stream) <= 0))                          \
			return real.name(character, stream);                                       \
		const int result = real.name(character, stream);                                   \
		stream_end(&c, result != EOF, RECORD_WRITE);                                       \
		return result;                                                                     \
	}

WRITES_CHARACTER(fputc)
WRITES_CHARACTER(fputc_unlocked)

ALIAS(putc, fputc);
ALIAS(_IO_putc, fputc);
ALIAS(putc_unlocked, fputc_unlocked);

EXPORT int putchar(int character)
{
	return fputc(character, stdout);
}

EXPORT int putchar_unlocked(int character)
{
	return fputc_unlocked(character, stdout);
}

EXPORT int __overflow(FILE *stream, int character)
{
	struct stream_call c;
	if (!stream_begin(&c, stream, true))
		return real.__overflow(stream, character);
	const int result = real.__overflow(stream, character);
	stream_end(&c, character != EOF && result != EOF, RECORD_WRITE);
	return result;
}

#define WRITES_TEXT(name)                                                                          \
	EXPORT int name(const char *restrict text, FILE *restrict stream)                          \
	{                                                                                          \
		struct stream_call c;                                                              \
		const int64_t size = (int64_t)strlen(text);                                        \
		if (!stream_begin(&c, stream, size > stream_space(stream)))                        \
			return real.name(text, stream);                                            \
		const int result = real.name(text, stream);                                        \
		stream_end(&c, result < 0 ? 0 : size, RECORD_WRITE);                               \
		return result;                                                                     \
	}

WRITES_TEXT(fputs)
WRITES_TEXT(fputs_unlocked)

STREAM_CALL(int, puts, (const char *text), (text), stdout,
	    result < 0 ? 0 : (int64_t)strlen(text) + 1, RECORD_WRITE)
STREAM_CALL(int, putw, (int word, FILE *s), (word, s), s, (int64_t)sizeof word, RECORD_WRITE)
STREAM_CALL(int, vfprintf, (FILE *restrict s, const char *restrict format, va_list list),
	    (s, format, list), s, result < 0 ? 0 : result, RECORD_WRITE)
STREAM_CALL(int, __vfprintf_chk, (FILE * s, int level, const char *format, va_list list),
	    (s, level, format, list), s, result < 0 ? 0 : result, RECORD_WRITE)
STREAM_CALL(wint_t, fputwc, (wchar_t character, FILE *s), (character, s), s, -1, RECORD_WRITE)
STREAM_CALL(int, fputws, (const wchar_t *restrict text, FILE *restrict s), (text, s), s, -1,
	    RECORD_WRITE)
STREAM_CALL(int, vfwprintf, (FILE *restrict s, const wchar_t *restrict format, va_list list),
	    (s, format, list), s, -1, RECORD_WRITE)

ALIAS(_IO_puts, puts);
ALIAS(putwc, fputwc);

VARIADIC(fprintf, (FILE *restrict s, const char *restrict format, ...), format,
	 vfprintf(s, format, list))
VARIADIC(printf, (const char *restrict format, ...), format, vfprintf(stdout, format, list))
VARIADIC(__fprintf_chk, (FILE * s, int level, const char *format, ...), format,
	 __vfprintf_chk(s, level, format, list))
VARIADIC(__printf_chk, (int level, const char *format, ...), format,
	 __vfprintf_chk(stdout, level, format, list))
VARIADIC(fwprintf, (FILE *restrict s, const wchar_t *restrict format, ...), format,
	 vfwprintf(s, format, list))
VARIADIC(wprintf, (const wchar_t *restrict format, ...), format, vfwprintf(stdout, format, list))

EXPORT int vprintf(const char *restrict format, va_list list)
{
	return vfprintf(stdout, format, list);
}

EXPORT int __vprintf_chk(int level, const char *format, va_list list)
{
	return __vfprintf_chk(stdout, level, format, list);
}

/* libc writes to a descriptor through a stream of its own. */
EXPORT int vdprintf(int fd, const char *restrict format, va_list list)
{
	struct data_call c;
	call_begin(&c, fd);
	return (int)call_moved(&c, real.vdprintf(fd, format, list), RECORD_WRITE);
}

EXPORT int __vdprintf_chk(int fd, int level, const char *format, va_list list)
{
	struct data_call c;
	call_begin(&c, fd);
	return (int)call_moved(&c, real.__vdprintf_chk(fd, level, format, list), RECORD_WRITE);
}

VARIADIC(dprintf, (int fd, const char *restrict format, ...), format, vdprintf(fd, format, list))
VARIADIC(__dprintf_chk, (int fd, int level, const char *format, ...), format,
	 __vdprintf_chk(fd, level, format, list))

EXPORT void perror(const char *text)
{
	struct stream_call c;
	const bool follows = stream_begin(&c, stderr, true);
	real.perror(text);
	if (follows)
		stream_end(&c, -1, RECORD_WRITE);
}

/* Flushing and seeking */

extern FILE *_IO_list_all; /* all open streams */

static void flush_all(void)
{
	for (FILE *s = _IO_list_all; s != NULL; s = s->_chain)
		drain(s);
}

#define FLUSHES(name)                                                                              \
	EXPORT int name(FILE *stream)                                                              \
	{                                                                                          \
		struct stream_call c;                                                              \
		if (stream == NULL)                                                                \
			flush_all();                                                               \
		if (stream == NULL || !stream_begin(&c, stream, true))                             \
			return real.name(stream);                                                  \
		const int result = real.name(stream);                                              \
		stream_end_seek(&c, false);                                                        \
		return result;                                                                     \
	}

FLUSHES(fflush)
FLUSHES(fflush_unlocked)

#define SEEKS(name, parameters, arguments)                                                         \
	EXPORT int name parameters                                                                 \
	{                                                                                          \
		struct stream_call c;                                                              \
		if (!stream_begin(&c, stream, true))                                               \
			return real.name arguments;                                                \
		const int result = real.name arguments;                                            \
		stream_end_seek(&c, result == 0);                                                  \
		return result;                                                                     \
	}

SEEKS(fseek, (FILE * stream, long offset, int whence), (stream, offset, whence))
SEEKS(fseeko, (FILE * stream, off_t offset, int whence), (stream, offset, whence))
SEEKS(fsetpos, (FILE * stream, const fpos_t *position), (stream, position))

ALIAS(fseeko64, fseeko);

EXPORT int fsetpos64(FILE *stream, const fpos64_t *position)
{
	return fsetpos(stream, (const fpos_t *)(const void *)position);
}

EXPORT void rewind(FILE *stream)
{
	struct stream_call c;
	const bool follows = stream_begin(&c, stream, true);
	real.rewind(stream);
	if (follows)
		stream_end_seek(&c, true);
}

EXPORT int fcloseall(void)
{
	flush_all();
	return real.fcloseall();
}

void streams_flush(void)
{
	if (thread_enter() != NULL)
		flush_all();
}
