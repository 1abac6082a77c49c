/* SPDX-License-Identifier: BSD-2-Clause */
#include "unseen_json.h"

#include <string.h>

static void json_name(struct json *j, const char *encoded)
{
	char name[UNSEEN_NAME];
	const size_t size =
	    iot_percent_decode((struct iot_text){encoded, strlen(encoded)}, name, NULL);
	if (size > 0)
		json_text(j, "first", name, size);
	else
		json_null(j, "first");
}

static void json_reasons(struct json *j, const struct unseen *u)
{
	json_open(j, "reasons", '[');
	for (unsigned i = 0; i < UNSEEN_WHYS; i++) {
		const char *why = unseen_why_name(i);
		if (u->programs[i] == 0)
			continue;
		json_open(j, NULL, '{');
		json_text(j, "why", why, strlen(why));
		json_number(j, "programs", u->programs[i]);
		json_name(j, u->name[i]);
		json_close(j, '}');
	}
	json_close(j, ']');
}

void unseen_json(struct json *j, const struct unseen *u)
{
	const char *remedy = unseen_remedy(u);
	if (remedy == NULL) {
		json_null(j, "unseen");
		return;
	}
	json_open(j, "unseen", '{');
	json_number(j, "programs", unseen_programs(u));
	json_reasons(j, u);
	for (unsigned i = 0; i < UNSEEN_CALLS; i++)
		json_number(j, unseen_calls_name(i), u->calls[i]);
	json_text(j, "remedy", remedy, strlen(remedy));
	json_close(j, '}');
}
