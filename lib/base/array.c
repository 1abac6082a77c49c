/* SPDX-License-Identifier: BSD-2-Clause */
#include "array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_FIRST = 16 };

bool iot_room(void *array, size_t *room, size_t need, size_t size)
{
	void *at;
	if (need <= *room)
		return true;
	size_t more = *room > need / 2 ? 2 * *room : need;
	if (more < ROOM_FIRST)
		more = ROOM_FIRST;
	if (more > SIZE_MAX / 2 / size)
		return false;
	/* Pointers to all kinds of elements look alike, but have no type in common. */
	memcpy(&at, array, sizeof at);
	void *grown = realloc(at, more * size);
	if (grown == NULL)
		return false;
	memcpy(array, &grown, sizeof grown);
	*room = more;
	/* cppcheck-suppress memleak */
	return true;
}
