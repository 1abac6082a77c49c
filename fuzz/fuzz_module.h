/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions of the harness for the modules that it loads, and what they report. */
#ifndef FUZZ_MODULE_H
#define FUZZ_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fuzz_script {
	const uint8_t *state; /* what save prints, in pieces */
	size_t size, piece;
	bool init_refuses, save_fails, load_refuses;
	/* reported */
	unsigned inits, finis, saves, loads;
	bool got_state; /* load had the bytes that save printed */
};

#endif
