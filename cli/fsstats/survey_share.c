/* SPDX-License-Identifier: BSD-2-Clause */
#include "survey_share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "cli/ui/key.h"
#include "lib/filter/pseudonym.h"

enum { ID_TEXT = 32, NAME_TEXT = 4096 };

static bool is_key_of_nobody(uint64_t key)
{
	return key == SURVEY_OTHER || key == SURVEY_LINKED || key == SURVEY_UNKNOWN;
}

/* Writes the pseudonym of a name, with a null byte. A path that becomes too long is one name. */
static void write_pseudonym(enum survey_by by, unsigned char *secret, const char *name,
			    char text[NAME_TEXT])
{
	static const char kinds[] = {[SURVEY_BY_OWNER] = NAME_USER,
				     [SURVEY_BY_GROUP] = NAME_GROUP,
				     [SURVEY_BY_DIRECTORY] = NAME_PATH,
				     [SURVEY_BY_PROJECT] = NAME_PROJECT};
	const struct iot_anonymize_options o = {.context = secret, .hash = key_hash};
	const struct iot_text plain = {name, strlen(name)};
	size_t size =
	    by == SURVEY_BY_DIRECTORY ? pseudonym_path(&o, plain, text, NAME_TEXT - 1) : 0;
	if (size == 0)
		size = pseudonym_name(&o, kinds[by], plain, text);
	text[size] = '\0';
}

/* Makes the name, and the key that surveys with the same secret share. */
static bool hide_key(enum survey_by by, unsigned char *secret, const struct survey_key_row *row,
		     uint64_t *key, char **name)
{
	char id[ID_TEXT], text[NAME_TEXT];
	*key = row->key;
	*name = NULL;
	if (is_key_of_nobody(row->key))
		return true;
	write_pseudonym(by, secret, survey_key_name(row, id, sizeof id), text);
	*key = XXH3_64bits(text, strlen(text)) >> 1;
	*name = strdup(text);
	return *name != NULL;
}

/* Returns the fingerprint of a secret, and of how names were hidden before it. */
static uint64_t fingerprint(unsigned char *secret, uint64_t hidden)
{
	char text[ID_TEXT];
	unsigned char digest[IOT_DIGEST_SIZE];
	uint64_t value = 0;
	const struct iot_text part = {
	    text, (size_t)snprintf(text, sizeof text, "fsstats %ju", (uintmax_t)hidden)};
	key_hash(secret, &part, 1, digest);
	for (size_t i = 0; i < sizeof value; i++)
		value = value << 8 | digest[i];
	return value > SURVEY_NUMBERED ? value : UINT64_MAX;
}

const char *survey_why_other_keys(const struct fs_survey *a, const struct fs_survey *b)
{
	if (a->by == SURVEY_BY_NONE || a->by != b->by)
		return NULL;
	if (a->hidden == SURVEY_NUMBERED || b->hidden == SURVEY_NUMBERED)
		return "has numbers of --share without --key, which differ between surveys";
	return a->hidden == b->hidden ? NULL : "was shared with another --key, or not shared";
}

bool survey_hide_keys(struct fs_survey *s, unsigned char *secret)
{
	size_t count;
	struct survey_key_row *rows = survey_key_rows(s, &count);
	struct key_sums *sums = calloc(count + 1, sizeof *sums);
	struct idmap keys = {0};
	bool ok = rows != NULL && sums != NULL;
	for (size_t i = 0; ok && i < count; i++) {
		uint64_t key = i + 1;
		sums[i] = *rows[i].sums;
		sums[i].name = NULL;
		ok = secret == NULL || hide_key(s->by, secret, &rows[i], &key, &sums[i].name);
		ok = ok && idmap_number(&keys, key) == i;
	}
	free(rows);
	if (s->by != SURVEY_BY_NONE)
		s->hidden = secret != NULL ? fingerprint(secret, s->hidden) : SURVEY_NUMBERED;
	survey_free_keys(s);
	s->keys = keys;
	s->sums = sums;
	s->sums_capacity = sums != NULL ? count + 1 : 0;
	return ok;
}
