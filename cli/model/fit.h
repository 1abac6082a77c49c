/* SPDX-License-Identifier: BSD-2-Clause */
/* Grids of settings, whose simulations are compared with the logs. */
#ifndef CLI_MODEL_FIT_H
#define CLI_MODEL_FIT_H

#include "lib/model/system.h"
#include "results.h"

enum { FIT_KEYS_MAX = 4, FIT_STEPS_MAX = 4096 };

struct fit_key {
	struct iot_text name;
	uint64_t from, to;
	uint32_t steps;
};

struct fit_grid {
	struct fit_key key[FIT_KEYS_MAX];
	size_t keys;
};

/* Adds KEY=FROM:TO:STEPS. Returns NULL, or what is expected. */
const char *fit_grid_add(struct fit_grid *g, const char *text);
/* Simulates every combination, and stores the rows. Returns an enum iot_status. */
int fit_run(const struct fit_grid *g, const struct model_system *system, struct model_results *r);

#endif
