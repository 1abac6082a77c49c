/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats that can be converted. A new one is one line here; the order does not matter. */
#include "converter.h"

extern const struct converter converter_darshan;
extern const struct converter converter_procstat;
extern const struct converter converter_recorder;
extern const struct converter converter_strace;

const struct converter *const converters[] = {
    &converter_darshan, &converter_procstat, &converter_recorder, &converter_strace, NULL,
};
