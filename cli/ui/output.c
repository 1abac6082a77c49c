/* SPDX-License-Identifier: BSD-2-Clause */
#include "output.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/byte_sink.h"
#include "message.h"
#include "lib/base/utf8.h"
#include "printable.h"
#include "signals.h"

bool output_is_unread(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
	return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

bool output_has_suffix(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);
	return n > m && strcmp(text + n - m, end) == 0;
}

enum iot_compression output_compression(const char *path)
{
	return output_has_suffix(path, ".gz")    ? IOT_GZIP
	       : output_has_suffix(path, ".zst") ? IOT_ZSTD
						 : IOT_PLAIN;
}

enum exit_status output_open(struct output *o, const char *path, unsigned how)
{
	memset(o, 0, sizeof *o);
	o->standard = strcmp(path, "-") == 0;
	o->data = malloc(OUTPUT_SIZE);
	o->sink = byte_sink_new();
	if (!o->data || !o->sink)
		o->status = IOT_ENOMEM;
	else
		o->status = byte_sink_compress(o->sink, output_compression(path), 0, 0);
	if (o->status == IOT_OK) {
		byte_sink_how(o->sink, how);
		o->status = byte_sink_open(o->sink, path);
	}
	return o->status == IOT_OK ? EXIT_OK : output_close(o);
}

void output_spill(struct output *o)
{
	if (o->status == IOT_OK)
		o->status = byte_sink_write(o->sink, o->data, o->used);
	o->used = 0;
}

void output_flush(struct output *o)
{
	output_spill(o);
	if (o->status == IOT_OK)
		o->status = byte_sink_flush(o->sink);
}

void output_write(struct output *o, const void *data, size_t size)
{
	const char *from = data;
	while (size > 0) {
		if (o->used == OUTPUT_SIZE)
			output_spill(o);
		size_t n = OUTPUT_SIZE - o->used < size ? OUTPUT_SIZE - o->used : size;
		memcpy(o->data + o->used, from, n);
		o->used += n;
		from += n;
		size -= n;
	}
}

void output_printf(struct output *o, const char *format, ...)
{
	enum { CAPACITY = 4096 };
	char *to = output_reserve(o, CAPACITY);
	va_list args;
	va_start(args, format);
	int n = vsnprintf(to, CAPACITY, format, args);
	va_end(args);
	if (n > 0)
		output_took(o, to + (n < CAPACITY ? n : CAPACITY - 1));
}

void output_abandon(struct output *o)
{
	byte_sink_free(o->sink);
	free(o->data);
	memset(o, 0, sizeof *o);
}

enum exit_status output_close(struct output *o)
{
	if (o->status == IOT_OK)
		output_spill(o);
	signals_hold(true);
	if (o->status == IOT_OK)
		o->status = byte_sink_close(o->sink);
	signals_hold(false);
	int status = o->status;
	bool quiet = status == IOT_EIO && o->standard && output_is_unread();
	if (status != IOT_OK && !quiet)
		message_print("%s", o->sink && status != IOT_ENOMEM ? byte_sink_error(o->sink)->text
								    : "out of memory");
	output_abandon(o);
	return status == IOT_OK ? EXIT_OK : EXIT_FAILED;
}

void output_encoded(struct output *o, const char *text, size_t n)
{
	enum { PIECE_MAX = 16384 };
	for (size_t i = 0, size; i < n; i += size) {
		size = n - i < PIECE_MAX ? n - i : PIECE_MAX;
		while (i + size < n && size > 1 && (text[i + size] & 0xc0) == 0x80)
			size--; /* a piece ends with a whole character */
		char *to = output_reserve(o, 3 * PIECE_MAX);
		to += i == 0 ? percent_encode_cell(to, text, size, "")
			     : percent_encode(to, text + i, size, "");
		output_took(o, to);
	}
}
