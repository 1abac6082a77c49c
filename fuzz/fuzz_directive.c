/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses any bytes as a directive; the directive that the builder makes of the same bytes must
 * parse to the original values. The first byte selects how keys and values are cut out of the rest.
 */
#include "fuzz.h"

enum { CAPACITY = 2048, KEYS = 6 };

static const char *const keys[KEYS] = {"path", "name", "why", "host", "argv", "x"};

static void check_parsed(const uint8_t *data, size_t size)
{
	struct iot_event ev = {.text = {(const char *)data, size}};
	const char *why = NULL;
	const int status = iot_directive_parse(&ev, &why);
	FUZZ_CHECK(status == IOT_OK || status == IOT_EFORMAT || status == IOT_EUSAGE);
	FUZZ_CHECK(status != IOT_EFORMAT || (why != NULL && why[0] != '\0'));
	if (status != IOT_OK)
		return;
	FUZZ_CHECK(ev.kind >= IOT_COMMENT && ev.kind <= IOT_DIRECTIVE && ev.rec.start_ns >= 0);
	for (size_t i = 0; i < KEYS; i++) {
		const struct iot_text value = iot_directive_get(&ev, keys[i]);
		unsigned malformed = 0;
		char *out = fuzz_memory(NULL, value.size + 1);
		if (value.data != NULL)
			FUZZ_CHECK(iot_percent_decode(value, out, &malformed) <= value.size);
		free(out);
	}
}

static void check_value(const struct iot_event *ev, const char *key, const uint8_t *want, size_t n)
{
	char out[CAPACITY];
	unsigned malformed = 0;
	const struct iot_text value = iot_directive_get(ev, key);
	FUZZ_CHECK(value.data != NULL && value.size <= sizeof(out));
	FUZZ_CHECK(iot_percent_decode(value, out, &malformed) == n && malformed == 0);
	FUZZ_CHECK(n == 0 || memcmp(out, want, n) == 0);
}

static void check_built(struct fuzz_input in)
{
	static const char *const names[] = {"file", "process", "op", "lost", "trace", "own"};
	struct {
		const uint8_t *at;
		size_t size;
	} put[KEYS] = {{NULL, 0}};
	char memory[CAPACITY];
	struct iot_builder b;
	struct iot_event ev;
	const uint64_t number = fuzz_take(&in, 4);
	iot_directive_begin(&b, memory, sizeof(memory), names[fuzz_take(&in, 1) % 6]);
	iot_directive_number(&b, "time", number);
	iot_directive_number(&b, "process", number);
	iot_directive_number(&b, "id", number);
	for (size_t i = 0; i < KEYS && in.size > 0; i++) {
		const size_t want = (size_t)fuzz_take(&in, 1), n = want < in.size ? want : in.size;
		put[i].at = in.data;
		put[i].size = n;
		iot_directive_text(&b, keys[i], in.data, n);
		in.data += n;
		in.size -= n;
	}
	const int status = iot_directive_end(&b, &ev);
	FUZZ_CHECK(status == IOT_OK || status == IOT_ELIMIT || status == IOT_EFORMAT);
	if (status != IOT_OK)
		return;
	FUZZ_CHECK(memchr(ev.text.data, '\n', ev.text.size) == NULL);
	FUZZ_CHECK((uint64_t)ev.rec.start_ns == number && (ev.has & IOT_HAS_PROCESS) != 0);
	for (size_t i = 0; i < KEYS; i++)
		if (put[i].at != NULL)
			check_value(&ev, keys[i], put[i].at, put[i].size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_parsed(data, size);
	check_built((struct fuzz_input){data, size});
	return 0;
}
