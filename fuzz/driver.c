/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a harness over the files and directories of the command line, without a fuzzer. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

#include "fuzz.h"

static size_t ran;

static bool run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	bool fine = f != NULL && fstat(fileno(f), &st) == 0;
	size_t size = fine ? (size_t)st.st_size : 0;
	uint8_t *data = fuzz_memory(NULL, size + 1);
	fine = fine && fread(data, 1, size, f) == size;
	if (f == NULL || fclose(f) != 0 || !fine)
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
	/* in a block of its exact size, so that a sanitizer detects overreads */
	data = fuzz_memory(data, size > 0 ? size : 1);
	if (fine)
		(void)LLVMFuzzerTestOneInput(data, size);
	free(data);
	ran++;
	return fine;
}

static bool run(const char *path)
{
	DIR *dir = opendir(path);
	if (dir == NULL)
		return run_file(path);
	bool fine = true;
	for (struct dirent *e; (e = readdir(dir)) != NULL;) {
		char name[PATH_MAX];
		int n = snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
		if (e->d_name[0] != '.' && n > 0 && (size_t)n < sizeof(name))
			fine = run(name) && fine;
	}
	(void)closedir(dir);
	return fine;
}

int main(int argc, char **argv)
{
	bool fine = true;
	for (int i = 1; i < argc; i++)
		fine = run(argv[i]) && fine;
	printf("%zu inputs\n", ran);
	return fine && ran > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
