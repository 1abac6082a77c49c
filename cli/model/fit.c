/* SPDX-License-Identifier: BSD-2-Clause */
#include "fit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/number.h"
#include "lib/base/size.h"

static bool parse_value(struct iot_text text, uint64_t *v)
{
	return model_parse_bandwidth(text, v) || size_parse(text.data, text.size, v) == SIZE_VALID;
}

static bool parse_key(struct fit_key *k, const char *text)
{
	struct model_system any;
	const char *equals = strchr(text, '=');
	const char *first = equals != NULL ? strchr(equals, ':') : NULL;
	const char *second = first != NULL ? strchr(first + 1, ':') : NULL;
	uint64_t steps;
	if (second == NULL)
		return false;
	k->name = (struct iot_text){text, (size_t)(equals - text)};
	if (model_system_number(&any, k->name) == NULL ||
	    !parse_value((struct iot_text){equals + 1, (size_t)(first - equals - 1)}, &k->from) ||
	    !parse_value((struct iot_text){first + 1, (size_t)(second - first - 1)}, &k->to) ||
	    !number_decimal(second + 1, strlen(second + 1), &steps) || steps < 2 ||
	    steps > FIT_STEPS_MAX || k->from == 0 || k->from >= k->to)
		return false;
	k->steps = (uint32_t)steps;
	return true;
}

const char *fit_grid_add(struct fit_grid *g, const char *text)
{
	uint64_t rows = 1;
	if (g->keys == FIT_KEYS_MAX)
		return "at most 4 keys";
	if (!parse_key(&g->key[g->keys], text))
		return "KEY=FROM:TO:STEPS, such as network=1Gbit/s:10Gbit/s:10";
	g->keys++;
	for (size_t i = 0; i < g->keys; i++)
		rows *= g->key[i].steps;
	return rows <= MODEL_FITS_MAX ? NULL : "at most 4096 combinations";
}

static uint64_t value_at(const struct fit_key *k, uint64_t step)
{
	return k->from + (uint64_t)((double)(k->to - k->from) * (double)step / (k->steps - 1.0));
}

/* Sets combination i, and names it. */
static void set_combination(const struct fit_grid *g, size_t i, struct model_system *s,
			    char text[MODEL_SETTING_TEXT])
{
	size_t used = 0;
	for (size_t k = 0; k < g->keys; k++) {
		const struct fit_key *key = &g->key[k];
		const uint64_t value = value_at(key, i % key->steps);
		i /= key->steps;
		*model_system_number(s, key->name) = value;
		const int n =
		    snprintf(text + used, MODEL_SETTING_TEXT - used, "%s%.*s=%" PRIu64,
			     k > 0 ? " " : "", (int)key->name.size, key->name.data, value);
		used += (size_t)n < MODEL_SETTING_TEXT - used ? (size_t)n : 0;
	}
}

int fit_run(const struct fit_grid *g, const struct model_system *system, struct model_results *r)
{
	size_t rows = 1;
	for (size_t i = 0; i < g->keys; i++)
		rows *= g->key[i].steps;
	r->fits = calloc(rows, sizeof *r->fits);
	if (r->fits == NULL)
		return IOT_ENOMEM;
	r->input.wants_disk_end = true;
	for (; r->fit_count < rows; r->fit_count++) {
		struct model_fit_row *row = &r->fits[r->fit_count];
		struct model_system s = *system;
		struct model_result result = {0};
		set_combination(g, r->fit_count, &s, row->setting);
		const int status = model_simulate(&s, &r->input, NULL, &result);
		if (status == IOT_OK)
			model_fit(&r->input, &result, &row->fit);
		model_result_free(&result);
		if (status != IOT_OK)
			return status;
	}
	return IOT_OK;
}
