/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A dictionary of texts that grows while arrays that were exported share its memory: texts are only
 * appended, beyond what those arrays read, and memory that is full is left to them.
 */
#ifndef LIB_ARROW_DICTIONARY_H
#define LIB_ARROW_DICTIONARY_H

#include <iotrace/arrow.h>

#include "lib/base/idmap.h"

struct dictionary_texts;

/* Start with {0}. */
struct dictionary {
	struct idmap ids; /* hashes of the texts */
	struct dictionary_texts *texts;
	size_t count;
};

/*
 * Returns the code of a text, a new one for a new text; or IOT_ENOMEM, or IOT_ELIMIT at 2^31 bytes.
 */
int64_t dictionary_code(struct dictionary *d, const char *text, size_t size);
/* Returns the text of a code; valid until the next call of dictionary_code. */
struct iot_text dictionary_text(const struct dictionary *d, size_t code);
/* Exports the texts so far. Returns IOT_OK or IOT_ENOMEM. */
int dictionary_export(struct dictionary *d, struct ArrowArray *out);
void dictionary_free(struct dictionary *d);

#endif
