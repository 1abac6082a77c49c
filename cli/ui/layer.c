/* SPDX-License-Identifier: BSD-2-Clause */
#include "layer.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/text.h"

static const char *const names[] = {[LAYER_DEFAULT] = "",
				    [LAYER_LOGICAL] = "logical",
				    [LAYER_POSIX] = "posix",
				    [LAYER_MPIIO] = "mpiio",
				    [LAYER_PHYSICAL] = "physical"};

const char *layer_name(enum record_layer layer)
{
	return names[layer];
}

const char *option_layer(const struct option *opt, const char *value)
{
	for (enum record_layer i = LAYER_LOGICAL; i <= LAYER_PHYSICAL; i++)
		if (strcmp(value, names[i]) == 0) {
			*(enum record_layer *)opt->target = i;
			return NULL;
		}
	return "logical, posix, mpiio or physical";
}

const char *option_physical(const struct option *opt, const char *value)
{
	(void)value;
	*(enum record_layer *)opt->target = LAYER_PHYSICAL;
	return NULL;
}

/* Returns whether the file of an event is of MPI-IO, which a %file defines. */
static bool is_mpiio(struct layer_filter *f, const struct iot_event *ev, bool *failed)
{
	const uint64_t file = idmap_pair(ev->rec.process, ev->rec.file);
	const size_t known = idmap_find(&f->files, file);
	if (ev->kind != IOT_FILE)
		return known != SIZE_MAX && f->mpiio[known];
	const bool mpiio = text_equals(iot_directive_get(ev, "layer"), "mpiio");
	if (!mpiio && known == SIZE_MAX)
		return false;
	const size_t i = idmap_number(&f->files, file);
	if (!array_reserve_index(&f->mpiio, &f->capacity, i, sizeof *f->mpiio)) {
		*failed = true;
		return false;
	}
	return f->mpiio[i] = mpiio;
}

static bool has_file(const struct iot_event *ev)
{
	if (ev->kind == IOT_RECORD)
		return (ev->rec.type & IOT_LOGICAL) != 0;
	return (ev->kind == IOT_FILE && (ev->has & IOT_HAS_DISK) == 0) ||
	       (ev->kind == IOT_OP && (ev->has & IOT_HAS_FILE) != 0);
}

size_t layer_filter_events(struct layer_filter *f, struct iot_event *ev, size_t n)
{
	size_t kept = 0;
	bool failed = false;
	for (size_t i = 0; i < n; i++)
		if (!has_file(&ev[i]) || is_mpiio(f, &ev[i], &failed) == (f->layer == LAYER_MPIIO))
			ev[kept++] = ev[i];
	return failed ? SIZE_MAX : kept;
}

void layer_filter_free(struct layer_filter *f)
{
	idmap_free(&f->files);
	free(f->mpiio);
}
