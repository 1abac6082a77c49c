/* SPDX-License-Identifier: BSD-2-Clause */
#include "wrong_samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "message.h"
#include "lib/base/error.h"

void wrong_samples_add(struct wrong_samples *w, const struct iot_event *sample)
{
	if (w->count++ == 0)
		(void)snprintf(w->first, sizeof w->first, "%.*s", (int)sample->text.size,
			       sample->text.data);
}

enum exit_status wrong_samples_report(const struct wrong_samples *w)
{
	char text[4 * sizeof w->first];
	if (w->count == 0)
		return EXIT_OK;
	message_print(
	    "wrong samples, without a host or a time or with a wrong number: %ju; the first: %s",
	    (uintmax_t)w->count, escape_text(text, sizeof text, w->first, strlen(w->first)));
	return EXIT_DAMAGED;
}
