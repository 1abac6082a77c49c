/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of the user: compressed or not, and tars of them. The head of a member equals its
 * beginning, a member reads the same twice and with other read sizes, and sniffing is harmless.
 */
#include "fuzz.h"

#include "converters/converter.h"

enum { MEMBERS_MAX = 64, BYTES_MAX = 1 << 22 };

/* The contents of a member, up to a limit. */
static char *read_member(struct input *in, size_t member, size_t *size, bool *damaged)
{
	struct error error = {0};
	struct bufreader *w = input_open(in, member, &error);
	char *data = NULL;
	const char *p;
	size_t have;
	*size = 0;
	*damaged = w == NULL;
	if (w == NULL) {
		FUZZ_CHECK(error.text[0] != '\0');
		return NULL;
	}
	while (*size < BYTES_MAX && (p = bufreader_peek(w, 1, &have)) != NULL && have > 0) {
		data = fuzz_memory(data, *size + have);
		memcpy(data + *size, p, have);
		*size += have;
		bufreader_consume(w, have);
	}
	*damaged = bufreader_status(w) != IOT_OK;
	FUZZ_CHECK(!*damaged || bufreader_error(w)->text[0] != '\0');
	bufreader_free(w);
	return data;
}

static void check_member(struct input *in, size_t member)
{
	size_t size[2], head_size;
	bool damaged[2];
	input_set_read_size(in, 32768);
	char *data = read_member(in, member, &size[0], &damaged[0]);
	input_set_read_size(in, 17);
	char *again = size[0] < 1 << 16 ? read_member(in, member, &size[1], &damaged[1]) : NULL;
	const char *head = input_head(in, member, &head_size);
	FUZZ_CHECK(input_name(in, member) != NULL && head_size <= INPUT_HEAD_SIZE);
	FUZZ_CHECK(head_size <= size[0] || data == NULL);
	FUZZ_CHECK(data == NULL || head_size == 0 || memcmp(head, data, head_size) == 0);
	if (again == NULL || data == NULL)
		goto out;
	/* A damaged block delivers the bytes before the detected damage. */
	const size_t both = size[0] < size[1] ? size[0] : size[1];
	FUZZ_CHECK(damaged[0] == damaged[1] && (damaged[0] || size[0] == size[1]));
	FUZZ_CHECK(memcmp(data, again, both) == 0);
out:
	free(data);
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[FUZZ_PATH];
	struct error error = {0};
	int fd = fuzz_file(data, size);
	const char *path = fuzz_path(name, fd);
	struct input *in = input_new(&path, 1, NULL, &error);
	FUZZ_CHECK(in != NULL || error.text[0] != '\0');
	if (in != NULL) {
		const size_t count = input_count(in);
		FUZZ_CHECK(converter_sniff(in, &error) != NULL || error.text[0] != '\0');
		for (size_t i = 0; i < count && i < MEMBERS_MAX; i++)
			check_member(in, i);
		input_free(in);
	}
	(void)close(fd);
	return 0;
}
