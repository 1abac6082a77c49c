/* SPDX-License-Identifier: BSD-2-Clause */
#include "finding_list.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

bool finding_list_add(struct finding_list *list, const struct iot_finding *f)
{
	struct kept_finding kept = {.line = f->line, .kind = f->kind, .column = f->column};
	if (!array_reserve(&list->finding, &list->capacity, list->count + 1, sizeof(kept)))
		return false;
	kept.text = strdup(f->text);
	if (kept.text == NULL)
		return false;
	list->finding[list->count++] = kept;
	return true;
}

void finding_list_free(struct finding_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->finding[i].text);
	free(list->finding);
}
