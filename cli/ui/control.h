/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests to a command that runs, as text through a socket in the file system: each is a datagram,
 * and so is each piece of the answer, so that nobody who asks can hold the command up.
 */
#ifndef CLI_UI_CONTROL_H
#define CLI_UI_CONTROL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { CONTROL_TEXT = 2 * PATH_MAX, CONTROL_SECONDS = 30 };

/* The side of the command. */
struct control {
	int fd; /* -1: none */
	const char *path;
};

struct control_request {
	bool is_printed;  /* nobody waits for the answer: it is a message */
	uint64_t records; /* that a module has before it answers */
	struct sockaddr_un from;
	socklen_t from_size;
	char text[CONTROL_TEXT];
};

/* Replaces a socket that nobody reads. The path outlives it. Returns false with errno set. */
bool control_open(struct control *c, const char *path);
void control_close(struct control *c);
/* Stores the next request. Returns false if none waits. */
bool control_receive(const struct control *c, struct control_request *q);
/* Answers a request, with text of any size; done: whether it was fulfilled. */
void control_answer(const struct control *c, const struct control_request *q, bool done,
		    const char *text, size_t size);
/* The same with a sentence, to which a line end is added. */
void control_say(const struct control *c, const struct control_request *q, bool done,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Returns the size of NAME in [NAME=]FILE, 0 if it is missing. */
size_t control_module_name(const char *module);

/* The side that asks. */

/* Receives a piece of the answer. */
typedef void control_piece_fn(void *to, const char *text, size_t size);
/*
 * Sends a request and waits for the answer. Returns 1 if it was fulfilled, 0 if not, or -1 with
 * errno set: ETIMEDOUT if nobody answers within CONTROL_SECONDS.
 */
int control_ask(const char *path, const char *text, control_piece_fn *piece, void *to);

#endif
