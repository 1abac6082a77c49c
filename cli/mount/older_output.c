/* SPDX-License-Identifier: BSD-2-Clause */
#include "older_output.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/atomic_file.h"

/* Opens the directory of a file and stores its name; follows no link. */
static void open_directory(struct older_output *o, char *target)
{
	char *const slash = strrchr(target, '/');
	const char *const name = slash != NULL ? slash + 1 : target;
	if (snprintf(o->name, sizeof(o->name), "%s", name) >= (int)sizeof(o->name))
		return;
	if (slash != NULL)
		slash[slash == target] = '\0';
	o->directory = open(slash != NULL ? target : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static void move_aside(struct older_output *o)
{
	struct stat st;
	o->is_new = fstatat(o->directory, o->name, &st, AT_SYMLINK_NOFOLLOW) != 0;
	if (o->is_new || !S_ISREG(st.st_mode))
		return;
	if (snprintf(o->aside, sizeof(o->aside), ".%.200s.%ld", o->name, (long)getpid()) < 0 ||
	    renameat(o->directory, o->name, o->directory, o->aside) != 0)
		o->aside[0] = '\0';
}

void older_output_set_aside(struct older_output *o, const char *path)
{
	char *target = atomic_file_target(path);
	if (target != NULL)
		open_directory(o, target);
	free(target);
	if (o->directory >= 0)
		move_aside(o);
}

static void end(struct older_output *o)
{
	if (o->directory >= 0)
		(void)close(o->directory);
	o->directory = -1;
	o->aside[0] = '\0';
}

void older_output_restore(struct older_output *o)
{
	if (o->is_new)
		(void)unlinkat(o->directory, o->name, 0);
	if (o->aside[0] != '\0')
		(void)renameat(o->directory, o->aside, o->directory, o->name);
	end(o);
}

void older_output_remove(struct older_output *o)
{
	if (o->aside[0] != '\0')
		(void)unlinkat(o->directory, o->aside, 0);
	end(o);
}
