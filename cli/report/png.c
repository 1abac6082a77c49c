/* SPDX-License-Identifier: BSD-2-Clause */
#include "png.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/ui/message.h"
#include "cli/ui/signals.h"

enum { NOT_FOUND = 127 };

static void run(const char *svg, const char *image)
{
	signals_inherit();
	execlp("rsvg-convert", "rsvg-convert", "--zoom=2", "--format=png", "--output", image, "--",
	       svg, (char *)NULL);
	_exit(NOT_FOUND);
}

static enum exit_status fail(const char *image, int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
		message_print("--png needs the program rsvg-convert (Debian: apt-get install "
			      "librsvg2-bin)");
	else
		message_print_about(image, "rsvg-convert failed");
	return EXIT_FAILED;
}

/* Runs the program until it ends. Returns false if it cannot be run. */
static bool convert(const char *svg, const char *image, int *status)
{
	const pid_t pid = fork();
	if (pid == 0)
		run(svg, image);
	while (pid > 0 && waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return false;
	return pid > 0;
}

enum exit_status png_convert(const char *svg, const char *image)
{
	enum exit_status result = EXIT_OK;
	const size_t size = strlen(image) + sizeof ".part";
	char *part = malloc(size);
	int status = 0;
	if (part == NULL)
		return message_no_memory();
	snprintf(part, size, "%s.part", image);
	if (!convert(svg, part, &status)) {
		message_print("cannot run rsvg-convert: %s", strerror(errno));
		result = EXIT_FAILED;
	} else if (status != 0) {
		result = fail(image, status);
	} else if (rename(part, image) != 0) {
		message_print_about(image, "%s", strerror(errno));
		result = EXIT_FAILED;
	}
	if (result != EXIT_OK)
		(void)unlink(part);
	free(part);
	return result;
}
