/* SPDX-License-Identifier: BSD-2-Clause */
/* The worked example of iotrace(5): its records. */
#ifndef TESTS_EXAMPLE_H
#define TESTS_EXAMPLE_H

#include <iotrace/iotrace.h>

static const struct iot_record example[4] = {
    {.start_ns = 0,
     .duration_ns = 500000,
     .offset = 0,
     .length = 4096,
     .file = 3,
     .process = 7,
     .type = IOT_LOGICAL | IOT_WRITE},
    {.start_ns = 1000000,
     .duration_ns = 501000,
     .cpu_ns = 1000000,
     .offset = 4096,
     .length = 4096,
     .file = 3,
     .process = 7,
     .type = IOT_LOGICAL | IOT_WRITE},
    {.start_ns = 1100000,
     .duration_ns = 50000,
     .cpu_ns = 1100000,
     .offset = 0,
     .length = 100,
     .file = 4,
     .process = 7,
     .type = IOT_LOGICAL},
    {.start_ns = 1110000,
     .duration_ns = 100000,
     .cpu_ns = 0,
     .offset = 1024,
     .length = 4096,
     .file = 3,
     .process = 9,
     .type = IOT_LOGICAL},
};

#endif
