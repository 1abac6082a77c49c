/* SPDX-License-Identifier: BSD-2-Clause */
#include "lacks.h"

#include <string.h>

#include "lib/base/text.h"

static unsigned lack_of(struct iot_text word)
{
	static const struct {
		const char *word;
		unsigned lack;
	} lacks[] = {{"operations", LACK_OPERATIONS},     {"creates", LACK_CREATES},
		     {"created", LACK_CREATED},           {"results", LACK_RESULTS},
		     {"asynchronous", LACK_ASYNCHRONOUS}, {"processes", LACK_PROCESSES}};
	for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++)
		if (text_equals(word, lacks[i].word))
			return lacks[i].lack;
	return 0;
}

unsigned lacks_of(const struct iot_event *trace)
{
	const struct iot_text list = iot_directive_get(trace, "lacks");
	unsigned lacks = 0;
	if (list.data == NULL)
		return 0;
	for (const char *at = list.data, *const end = at + list.size; at < end;) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const char *const to = comma != NULL ? comma : end;
		lacks |= lack_of((struct iot_text){at, (size_t)(to - at)});
		at = to + (comma != NULL);
	}
	return lacks;
}
