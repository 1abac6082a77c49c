/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of liburing, which enters the kernel by instructions of its own. */
#include <dlfcn.h>
#include <errno.h>
#include <linux/io_uring.h>
#include <string.h>

#include "enter.h"
#include "uring.h"

struct io_uring { /* its beginning, in all versions of liburing.so.1 and .2 */
	uint64_t queues[24];
	unsigned flags;
	int ring_fd;
};

int io_uring_setup(unsigned entries, struct io_uring_params *p);
int io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags);
int io_uring_queue_init_params(unsigned entries, struct io_uring *ring, struct io_uring_params *p);
int io_uring_queue_init_mem(unsigned entries, struct io_uring *ring, struct io_uring_params *p,
			    void *memory, size_t size);
void io_uring_queue_exit(struct io_uring *ring);

/*
 * Stores the function that a caller would have called. The library of the caller comes first: it
 * may have been loaded with a liburing of its own, which RTLD_NEXT does not find.
 */
static bool find_for(const void *caller, const char *name, void *function)
{
	Dl_info info;
	void *library = NULL, *found = NULL;
	if (dladdr(caller, &info) != 0 && info.dli_fname != NULL)
		library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (library != NULL) {
		found = dlsym(library, name);
		dlclose(library);
	}
	if (found == NULL)
		found = dlsym(RTLD_NEXT, name);
	memcpy(function, &found, sizeof found);
	return found != NULL;
}

/* Functions of liburing that create a ring call each other: the outermost counts it. */
static _Thread_local int creating __attribute__((tls_model("initial-exec")));

/* A wrapper of a function that creates a ring. */
#define CREATES_RING(name, parameters, arguments, fd, params)                                      \
	EXPORT int name parameters                                                                 \
	{                                                                                          \
		__typeof__(name) *function;                                                        \
		if (!find_for(__builtin_return_address(0), #name, &function))                      \
			return -ENOSYS;                                                            \
		creating++;                                                                        \
		const int result = function arguments;                                             \
		if (--creating == 0 && result >= 0 && thread_here() != NULL)                       \
			uring_opened(fd, params);                                                  \
		return result;                                                                     \
	}

CREATES_RING(io_uring_setup, (unsigned entries, struct io_uring_params *p), (entries, p), result, p)
CREATES_RING(io_uring_queue_init, (unsigned entries, struct io_uring *ring, unsigned flags),
	     (entries, ring, flags), ring->ring_fd, NULL)
CREATES_RING(io_uring_queue_init_params,
	     (unsigned entries, struct io_uring *ring, struct io_uring_params *p),
	     (entries, ring, p), ring->ring_fd, p)
CREATES_RING(io_uring_queue_init_mem,
	     (unsigned entries, struct io_uring *ring, struct io_uring_params *p, void *memory,
	      size_t size),
	     (entries, ring, p, memory, size), ring->ring_fd, p)

EXPORT void io_uring_queue_exit(struct io_uring *ring)
{
	__typeof__(io_uring_queue_exit) *function;
	if (thread_here() != NULL) {
		uring_closes(ring->ring_fd);
		descriptor_reset(ring->ring_fd);
	}
	if (find_for(__builtin_return_address(0), "io_uring_queue_exit", &function))
		function(ring);
}
