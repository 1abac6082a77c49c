/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "die.h"
#include "loopback.h"

static void expect_loopback(const struct sockaddr_in *at)
{
	char text[INET_ADDRSTRLEN] = "";
	inet_ntop(AF_INET, &at->sin_addr, text, sizeof(text));
	if (ntohl(at->sin_addr.s_addr) >> 24 != IN_LOOPBACKNET)
		die("%s is not a loopback address, expected 127.x.x.x", text);
}

/* Checks the addresses that the kernel reports for both ends, which may differ from the request. */
static void expect_loopback_ends(int fd)
{
	struct sockaddr_in own = {0}, peer = {0};
	socklen_t own_size = sizeof(own), peer_size = sizeof(peer);
	if (getsockname(fd, (struct sockaddr *)&own, &own_size) != 0 ||
	    getpeername(fd, (struct sockaddr *)&peer, &peer_size) != 0)
		die_errno("socket", "address");
	expect_loopback(&own);
	expect_loopback(&peer);
}

static int tcp_socket(void)
{
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		die_errno("socket", "create");
	return fd;
}

/* Listens at any port, and stores the address with it. */
static int listen_at(const char *address, struct sockaddr_in *at)
{
	socklen_t size = sizeof(*at);
	*at = (struct sockaddr_in){.sin_family = AF_INET};
	if (inet_pton(AF_INET, address, &at->sin_addr) != 1)
		die("--address is '%s', expected an address like 127.0.0.1", address);
	expect_loopback(at);
	const int fd = tcp_socket();
	if (bind(fd, (const struct sockaddr *)at, size) != 0 || listen(fd, 1) != 0 ||
	    getsockname(fd, (struct sockaddr *)at, &size) != 0)
		die_errno(address, "listen");
	return fd;
}

/* The connection waits in the queue of the listener until it is accepted. */
void loopback_pair(const char *address, int ends[2])
{
	struct sockaddr_in at;
	const int listener = listen_at(address, &at);
	ends[0] = tcp_socket();
	if (connect(ends[0], (const struct sockaddr *)&at, sizeof(at)) != 0)
		die_errno(address, "connect");
	ends[1] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (ends[1] < 0)
		die_errno(address, "accept");
	close(listener);
	for (int i = 0; i < 2; i++)
		expect_loopback_ends(ends[i]);
}
