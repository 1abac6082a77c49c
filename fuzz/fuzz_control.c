/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends any bytes as requests to a recording, separated by LF. Each gets one answer, which says
 * whether it was fulfilled; only keep and discard change what is kept, and requests for a module
 * fail without a module.
 */
#include "fuzz.h"

#include "cli/record/live_control.h"

struct recording {
	struct live_control live;
	char path[64];
	int client;
	unsigned counts;
};

static int write_all(void *context)
{
	(void)context;
	return IOT_OK;
}

static int keep(void *context, bool keep)
{
	struct recording *r = context;
	r->live.discards = !keep;
	return IOT_OK;
}

static void count(void *context, void (*line)(void *to, const char *text), void *to)
{
	struct recording *r = context;
	r->counts++;
	line(to, "counted");
}

static struct recording *start(void)
{
	static struct recording r = {.live = LIVE_CONTROL_INIT};
	struct sockaddr_un to = {.sun_family = AF_UNIX}, own = {.sun_family = AF_UNIX};
	if (r.live.path != NULL)
		return &r;
	snprintf(r.path, sizeof r.path, "/tmp/fuzz_control.%d", (int)getpid());
	r.live.path = r.path;
	FUZZ_CHECK(live_control_start(&r.live));
	memcpy(to.sun_path, r.path, sizeof r.path);
	r.client = socket(AF_UNIX, SOCK_DGRAM, 0);
	FUZZ_CHECK(bind(r.client, (struct sockaddr *)&own, sizeof own.sun_family) == 0 &&
		   connect(r.client, (struct sockaddr *)&to, sizeof to) == 0);
	FUZZ_CHECK(unlink(r.path) == 0); /* the socket stays */
	return &r;
}

static bool is(const char *text, const char *request)
{
	return strcmp(text, request) == 0;
}

static void request(struct recording *r, const char *text, size_t size)
{
	const struct live_calls calls = {
	    .context = r, .write = write_all, .keep = keep, .count = count};
	char sent[CONTROL_TEXT] = "", answer[1 << 15], more;
	const bool discarded = r->live.discards;
	const unsigned counts = r->counts;
	memcpy(sent, text, size < sizeof sent - 1 ? size : sizeof sent - 1);
	FUZZ_CHECK(send(r->client, text, size, 0) == (ssize_t)size);
	FUZZ_CHECK(live_control_answer(&r->live, &calls) == IOT_OK);
	const ssize_t n = recv(r->client, answer, sizeof answer, MSG_DONTWAIT);
	const bool switches = is(sent, "keep") || is(sent, "discard");
	FUZZ_CHECK(n > 1 && answer[n - 1] == '\n');
	FUZZ_CHECK(answer[0] == (switches || is(sent, "statistics") ? '0' : '1'));
	FUZZ_CHECK(r->live.discards == (switches ? is(sent, "discard") : discarded));
	FUZZ_CHECK(r->counts == counts + is(sent, "statistics"));
	FUZZ_CHECK(recv(r->client, &more, 1, MSG_DONTWAIT) < 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recording *r = start();
	const char *at = (const char *)data, *const end = at + size;
	while (at < end) {
		const char *line = memchr(at, '\n', (size_t)(end - at));
		const size_t n = (size_t)((line != NULL ? line : end) - at);
		if (n < 1 << 16)
			request(r, at, n);
		at += n + 1;
	}
	return 0;
}
