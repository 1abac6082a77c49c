/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Damages a file in many ways and gives each to a fuzz harness, in this process: every place where
 * it may be cut, or random changes of one byte. An input that takes too long or too much memory
 * ends the program, as does what the harness or a sanitizer finds; the program reports it.
 *
 *	mutate_TARGET cuts FILE [STEP]
 *	mutate_TARGET bytes FILE SEED COUNT
 *
 * The byte that harnesses take for options goes through its values in turn, from '0' on.
 */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fuzz/fuzz.h"

enum { SECONDS_MAX = 300, MEMORY_MAX_KB = 1 << 20, OPTIONS = 16 };

static char what[128]; /* the input in work */

static void too_slow(int signal)
{
	(void)signal;
	static const char why[] = ": takes too long\n";
	(void)!write(STDERR_FILENO, what, strlen(what));
	(void)!write(STDERR_FILENO, why, sizeof(why) - 1);
	_exit(EXIT_FAILURE);
}

static uint8_t *load(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	if (f == NULL || fseek(f, 0, SEEK_END) != 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(EXIT_FAILURE);
	}
	*size = (size_t)ftell(f);
	rewind(f);
	uint8_t *data = fuzz_memory(NULL, *size + 1);
	if (fread(data, 1, *size, f) != *size || fclose(f) != 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(EXIT_FAILURE);
	}
	return data;
}

/* In a block of its own size, so that a sanitizer sees a byte too many. */
static void try(const uint8_t *data, size_t size, unsigned option)
{
	struct rusage used;
	uint8_t *input = fuzz_memory(NULL, size + 1);
	input[0] = (uint8_t)('0' ^ option % OPTIONS);
	if (size > 0)
		memcpy(input + 1, data, size);
	(void)alarm(SECONDS_MAX);
	(void)LLVMFuzzerTestOneInput(input, size + 1);
	(void)alarm(0);
	free(input);
	if (getrusage(RUSAGE_SELF, &used) == 0 && used.ru_maxrss > MEMORY_MAX_KB) {
		fprintf(stderr, "%s: takes %ld MiB of memory\n", what, used.ru_maxrss >> 10);
		exit(EXIT_FAILURE);
	}
}

static unsigned long cut(const uint8_t *data, size_t size, size_t step)
{
	unsigned long tried = 0;
	for (size_t at = 0; at < size; at += step) {
		snprintf(what, sizeof(what), "cut at %zu", at);
		try(data, at, (unsigned)tried++);
	}
	return tried;
}

/* splitmix64 */
static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static unsigned long change(uint8_t *data, size_t size, uint64_t seed, unsigned long count)
{
	for (unsigned long i = 0; i < count && size > 0; i++) {
		size_t at = (size_t)(random_next(&seed) % size);
		uint8_t was = data[at], now = (uint8_t)(random_next(&seed) % 255);
		now = (uint8_t)(now + (now >= was));
		data[at] = now;
		snprintf(what, sizeof(what), "byte %zu: %02x for %02x", at, now, was);
		try(data, size, (unsigned)i);
		data[at] = was;
	}
	return count;
}

int main(int argc, char **argv)
{
	unsigned long tried;
	size_t size;
	if (argc < 3 || (strcmp(argv[1], "bytes") == 0) != (argc == 5)) {
		fprintf(stderr, "mutate cuts FILE [STEP]\nmutate bytes FILE SEED COUNT\n");
		return 2;
	}
	(void)signal(SIGALRM, too_slow);
	uint8_t *data = load(argv[2], &size);
	if (argc == 5)
		tried = change(data, size, strtoull(argv[3], NULL, 10), strtoul(argv[4], NULL, 10));
	else
		tried = cut(data, size, argc > 3 ? strtoul(argv[3], NULL, 10) : 1);
	free(data);
	printf("%lu inputs\n", tried);
	return EXIT_SUCCESS;
}
