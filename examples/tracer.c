/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tracer that uses the codec alone: it copies a file and writes one line for each read and write
 * to standard output, from memory of its own, without allocation. Times are nanoseconds of the
 * monotonic clock; the output is a trace without framing.
 *
 * 	tracer IN OUT >app.iot
 */
#include <fcntl.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <iotrace/iotrace.h>

enum { STATE_SIZE = 8192, PROCESS = 1, IN = 1, OUT = 2 };

struct tracer {
	alignas(16) unsigned char state[STATE_SIZE];
	struct iot_codec *codec;
	int64_t zero_ns;
};

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int begin(struct tracer *t)
{
	if (iot_codec_size(1) > STATE_SIZE)
		return -1;
	t->codec = iot_codec_init(t->state, STATE_SIZE, IOT_TICK_DEFAULT_NS, 16);
	t->zero_ns = now_ns();
	return t->codec != NULL ? 0 : -1;
}

static int write_directive(struct iot_builder *b)
{
	struct iot_event ev;
	if (iot_directive_end(b, &ev) != IOT_OK)
		return -1;
	printf("ff %.*s\n", (int)ev.text.size, ev.text.data);
	return 0;
}

/* With the host, a merge recognizes files that several traces name. */
static int declare_trace(void)
{
	char memory[1024], host[256] = "";
	struct iot_builder b;
	(void)gethostname(host, sizeof(host) - 1);
	iot_directive_begin(&b, memory, sizeof(memory), "trace");
	iot_directive_text(&b, "host", host, strlen(host));
	return write_directive(&b);
}

/* Names a file before its first record. */
static int declare_file(uint32_t file, const char *path)
{
	char memory[1024];
	struct iot_builder b;
	iot_directive_begin(&b, memory, sizeof(memory), "file");
	iot_directive_number(&b, "process", PROCESS);
	iot_directive_number(&b, "id", file);
	iot_directive_number(&b, "object", file);
	iot_directive_text(&b, "path", path, strlen(path));
	return write_directive(&b);
}

static int trace(struct tracer *t, uint8_t type, uint32_t file, uint64_t offset, uint64_t length,
		 int64_t start_ns)
{
	char line[IOT_ENCODED_MAX];
	const struct iot_record rec = {.start_ns = start_ns - t->zero_ns,
				       .duration_ns = (uint64_t)(now_ns() - start_ns),
				       .offset = offset,
				       .length = length,
				       .file = file,
				       .process = PROCESS,
				       .type = (uint8_t)(IOT_LOGICAL | type)};
	const ssize_t size = iot_encode(t->codec, &rec, line);
	return size > 0 && fwrite(line, 1, (size_t)size, stdout) == (size_t)size ? 0 : -1;
}

static int copy(struct tracer *t, int in, int out)
{
	static char buffer[65536];
	uint64_t offset = 0;
	for (;;) {
		int64_t start_ns = now_ns();
		const ssize_t n = read(in, buffer, sizeof(buffer));
		if (n <= 0)
			return (int)n;
		if (trace(t, 0, IN, offset, (uint64_t)n, start_ns) != 0)
			return -1;
		start_ns = now_ns();
		if (write(out, buffer, (size_t)n) != n ||
		    trace(t, IOT_WRITE, OUT, offset, (uint64_t)n, start_ns) != 0)
			return -1;
		offset += (uint64_t)n;
	}
}

int main(int argc, char **argv)
{
	static struct tracer t;
	if (argc != 3)
		return 2;
	const int in = open(argv[1], O_RDONLY);
	const int out = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (in < 0 || out < 0 || begin(&t) != 0 || declare_trace() != 0 ||
	    declare_file(IN, argv[1]) != 0 || declare_file(OUT, argv[2]) != 0 ||
	    copy(&t, in, out) != 0 || fflush(stdout) != 0) {
		perror("tracer");
		return 1;
	}
	return 0;
}
