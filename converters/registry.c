/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats that can be converted. A new one is one line here; the order does not matter. */
#include "converter.h"

extern const struct iot_converter iot_converter_darshan;
extern const struct iot_converter iot_converter_procstat;
extern const struct iot_converter iot_converter_recorder;
extern const struct iot_converter iot_converter_strace;

const struct iot_converter *const iot_converters[] = {
    &iot_converter_darshan,
    &iot_converter_procstat,
    &iot_converter_recorder,
    &iot_converter_strace,
    NULL,
};
