/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SECTION(name, bit) for each section of an analysis that an option selects, in the order in which
 * the program lists them, and OTHER_SECTION(name); included by names.h and others.
 */
/* clang-format off */
SECTION(totals, IOT_ANALYZE_TOTALS)
SECTION(sizes, IOT_ANALYZE_SIZES)
SECTION(order, IOT_ANALYZE_ORDER)
SECTION(time, IOT_ANALYZE_TIME)
SECTION(cycles, IOT_ANALYZE_CYCLES)
SECTION(metadata, IOT_ANALYZE_METADATA)
SECTION(files, IOT_ANALYZE_FILES)
SECTION(processes, IOT_ANALYZE_PROCESSES)
SECTION(reuse, IOT_ANALYZE_REUSE)
SECTION(classes, IOT_ANALYZE_CLASSES)
SECTION(counters, IOT_ANALYZE_COUNTERS)
SECTION(map, IOT_ANALYZE_MAP)
SECTION(findings, IOT_ANALYZE_FINDINGS)

#ifdef OTHER_SECTION
OTHER_SECTION(trace)
OTHER_SECTION(traces)
OTHER_SECTION(large)
OTHER_SECTION(samples)
OTHER_SECTION(ties)
OTHER_SECTION(limits)
/* Values of a job that is one of several: of the list of jobs, and per node. */
OTHER_SECTION(list)
OTHER_SECTION(node)
#endif
