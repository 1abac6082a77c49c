/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Puts the right hash into the %sync and %end lines of a trace written or edited by hand:
 *
 *	cc -o seal tests/tools/seal.c -lxxhash && ./seal <edited.iot >testdata/format/NAME.iot
 *
 * Knows nothing of the library, so that the traces of testdata/format do not agree with it by
 * construction.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

static bool is_sealed(const char *line)
{
	const char *text = strchr(line, '%');
	return text != NULL && (strncmp(text, "%sync ", 6) == 0 || strncmp(text, "%end ", 5) == 0);
}

static bool seal(char *line, XXH3_state_t *state)
{
	char *hash = strstr(line, "xxh3=");
	char digits[17];
	if (hash == NULL || strlen(hash) < 5 + 16)
		return false;
	snprintf(digits, sizeof digits, "%016llx", (unsigned long long)XXH3_64bits_digest(state));
	memcpy(hash + 5, digits, 16);
	return true;
}

int main(void)
{
	XXH3_state_t *state = XXH3_createState();
	char *line = NULL;
	size_t capacity = 0;
	ssize_t n;
	bool fine = state != NULL && XXH3_64bits_reset(state) == XXH_OK;

	while (fine && (n = getline(&line, &capacity, stdin)) > 0) {
		if (is_sealed(line))
			fine = seal(line, state) && XXH3_64bits_reset(state) == XXH_OK;
		else
			fine = XXH3_64bits_update(state, line, (size_t)n) == XXH_OK;
		fine = fine && fwrite(line, 1, (size_t)n, stdout) == (size_t)n;
	}
	free(line);
	XXH3_freeState(state);
	return fine && fflush(stdout) == 0 && !ferror(stdin) ? EXIT_SUCCESS : EXIT_FAILURE;
}
