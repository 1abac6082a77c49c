/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_UI_UNSEEN_JSON_H
#define CLI_UI_UNSEEN_JSON_H

#include "lib/format/unseen.h"

#include "json.h"

/*
 * Writes a member "unseen": the programs by reason with the name of the first one, the calls by
 * kind, and the remedy; null if there is nothing.
 */
void unseen_json(struct json *j, const struct unseen *u);

#endif
