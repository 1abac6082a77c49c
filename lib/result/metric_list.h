/* SPDX-License-Identifier: BSD-2-Clause */
/* METRIC(name, label, quantity, detail, split, definition), included by metrics.h and metrics.c. */
/* clang-format off */

/* Parts of a document */
METRIC(parameters, "parameters", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "What the results depend on: the input and the options.")
METRIC(trace, "trace", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "Counts of the input, which do not depend on a cache.")
METRIC(simulations, "simulations", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "The results of each policy and capacity.")
METRIC(points, "points", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "The points of a miss-ratio curve, in ascending order of the capacity.")
METRIC(rows, "rows", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The results of each file, process or other unit that the option --by selects.")

/* Parameters */
METRIC(input, "input", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "The name of the input as it was given.")
METRIC(reading, "reading", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The options of reading.")
METRIC(in_format, "format", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "The format that --in-format selects.")
METRIC(in_options, "options", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The settings that --in-option passes to the format.")
METRIC(in_option, "option", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "One setting of the format.")
METRIC(in_base, "base", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The base of numbers in the trace that --in-base states.")
METRIC(in_tick_ns, "tick", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The unit of times in the trace that --in-tick states.")
METRIC(verify, "verify", IOT_FLAG, IOT_DETAIL, IOT_ONE,
       "Whether the hashes of the trace are verified.")
METRIC(recover, "recover", IOT_FLAG, IOT_DETAIL, IOT_ONE,
       "Whether reading continues after damage.")
METRIC(allow_empty, "allow empty", IOT_FLAG, IOT_DETAIL, IOT_ONE,
       "Whether an input of blank lines only is an empty trace.")
METRIC(block, "block", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "The size of a block.")
METRIC(layer, "layer", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "The records that are simulated: logical (of programs) or physical (of disks).")
METRIC(unknown, "unknown", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "What becomes of records with unknown offsets: skip leaves them out, fresh lets each refer "
       "to blocks of its own.")
METRIC(write, "write", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "The policy for writes: back, through or around.")
METRIC(rmw, "rmw", IOT_FLAG, IOT_DETAIL, IOT_ONE,
       "Whether a write to a part of a block that is not in the cache reads the block first.")
METRIC(prefetch, "prefetch", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "The rule by which blocks are read into the cache before a record refers to them.")
METRIC(by, "by", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "The unit whose results are listed separately.")
METRIC(method, "method", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "How the curve was computed: exact, shards, aet, simulation or miniature.")
METRIC(point_count, "points", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The number of points that --points requests.")
METRIC(sample, "sample", IOT_SHARE, IOT_DETAIL, IOT_ONE,
       "The share of the blocks whose references were used.")
METRIC(samples, "samples", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The number of distinct blocks in the sample.")
METRIC(seed, "seed", IOT_ID, IOT_DETAIL, IOT_ONE,
       "The number that selects the sample.")
METRIC(max_request, "max. request", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "The length above which a record is an error.")
METRIC(memory, "memory", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "The limit of memory.")
METRIC(device, "device", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The model of the device.")
METRIC(near_ns, "near", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The time to position over a distance of nearly 0 in one file.")
METRIC(far_ns, "far", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The time to position over the span or more, or in another file.")
METRIC(span, "span", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "The distance from which positioning takes longest.")
METRIC(read_latency_ns, "read latency", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The time of each read in addition to positioning and transfer.")
METRIC(write_latency_ns, "write latency", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The time of each write in addition to positioning and transfer.")
METRIC(read_rate, "read rate", IOT_BYTES_PER_S, IOT_DETAIL, IOT_ONE,
       "The rate at which reads transfer bytes; 0 is infinite.")
METRIC(write_rate, "write rate", IOT_BYTES_PER_S, IOT_DETAIL, IOT_ONE,
       "The rate at which writes transfer bytes; 0 is infinite.")
METRIC(depth, "depth", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The number of I/Os that the device serves at a time; 0 is any number.")

/* Simulated caches */
METRIC(policy, "policy", IOT_WORD, IOT_MAIN, IOT_ONE,
       "The rule that selects the block to evict.")
METRIC(cache_blocks, "blocks", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "The capacity of the cache in blocks.")
METRIC(cache_bytes, "cache", IOT_BYTES, IOT_MAIN, IOT_ONE,
       "The capacity of the cache in bytes.")
METRIC(row, "row", IOT_WORD, IOT_MAIN, IOT_ONE,
       "The object, file, process, rank, kind of data or direction whose references are counted.")
METRIC(records, "records", IOT_COUNT, IOT_MAIN, IOT_BY_DIRECTION,
       "Records that refer to at least one block.")
METRIC(bytes, "bytes", IOT_BYTES, IOT_MAIN, IOT_BY_DIRECTION,
       "Bytes that the records transfer.")
METRIC(references, "references", IOT_COUNT, IOT_MAIN, IOT_BY_DIRECTION,
       "References to blocks: a record refers once to each block that contains one of its bytes.")
METRIC(first_references, "first", IOT_COUNT, IOT_MAIN, IOT_BY_DIRECTION,
       "References to a block that the trace did not refer to before; they miss in a cache of any "
       "size.")
METRIC(first_records, "first records", IOT_COUNT, IOT_DETAIL, IOT_BY_DIRECTION,
       "Records with at least one first reference.")
METRIC(first_bytes, "first bytes", IOT_BYTES, IOT_DETAIL, IOT_BY_DIRECTION,
       "Bytes of records in blocks to which these records refer first.")
METRIC(hits, "hits", IOT_COUNT, IOT_MAIN, IOT_BY_DIRECTION,
       "References to blocks that are in the cache.")
METRIC(record_hits, "record hits", IOT_COUNT, IOT_MAIN, IOT_BY_DIRECTION,
       "Records of which all references hit.")
METRIC(byte_hits, "byte hits", IOT_BYTES, IOT_MAIN, IOT_BY_DIRECTION,
       "Bytes of records in blocks that hit.")
METRIC(hit_ratio, "hit %", IOT_SHARE, IOT_MAIN, IOT_BY_DIRECTION,
       "Hits divided by references.")
METRIC(record_hit_ratio, "records", IOT_SHARE, IOT_MAIN, IOT_BY_DIRECTION,
       "Record hits divided by records.")
METRIC(byte_hit_ratio, "bytes", IOT_SHARE, IOT_MAIN, IOT_BY_DIRECTION,
       "Byte hits divided by bytes.")
METRIC(misses, "misses", IOT_COUNT, IOT_MAIN, IOT_BY_DIRECTION,
       "References to blocks that are not in the cache.")
METRIC(miss_ratio, "miss ratio", IOT_SHARE, IOT_MAIN, IOT_BY_DIRECTION,
       "Misses divided by references.")
METRIC(miss_ratio_low, "low", IOT_SHARE, IOT_DETAIL, IOT_ONE,
       "The lower bound of the 95 % confidence interval of an estimated miss ratio.")
METRIC(miss_ratio_high, "high", IOT_SHARE, IOT_DETAIL, IOT_ONE,
       "The upper bound of the 95 % confidence interval of an estimated miss ratio.")
METRIC(evictions, "evictions", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Blocks that left the cache because another block needed their place.")
METRIC(resident_blocks, "resident", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Blocks in the cache at the end of the trace.")
METRIC(dropped_blocks, "dropped", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Blocks that left the cache because their object was unlinked or truncated.")
METRIC(device_read_bytes, "dev. read", IOT_BYTES, IOT_MAIN, IOT_ONE,
       "Bytes that the device reads: the blocks of misses, of prefetching and of partial writes.")
METRIC(device_written_bytes, "dev. write", IOT_BYTES, IOT_MAIN, IOT_ONE,
       "Bytes that the device writes.")
METRIC(saved_writes, "saved writes", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "References of writes to dirty blocks, which need no further write of the device.")
METRIC(cancelled_writes, "cancelled writes", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Dirty blocks that were dropped, which the device never writes.")
METRIC(prefetched, "issued", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Blocks that were read into the cache before a record referred to them.")
METRIC(prefetch_used, "used", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Prefetched blocks to which a record referred while they were in the cache.")
METRIC(prefetch_wasted, "wasted", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Prefetched blocks that left the cache before a record referred to them.")
METRIC(estimate, "estimate", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "Estimated times of the device, without a model of processors and of concurrent I/O.")
METRIC(estimated_device_ns, "device s", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The sum of the times of the device's I/Os, as if it did one after the other.")
METRIC(estimated_idle_ns, "idle s, at most", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The part of the estimated device time for which a process waits.")

/* Reuse of blocks */
METRIC(reuse, "reuse", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "How often blocks are referred to again, and after what distance and time.")
METRIC(referenced_blocks, "blocks", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Distinct blocks to which the row refers.")
METRIC(references_per_block, "per block", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "References divided by referenced blocks.")
METRIC(repeated_blocks, "repeated", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Distinct blocks to which the row refers more than once.")
METRIC(repeated_share, "repeated %", IOT_SHARE, IOT_DETAIL, IOT_ONE,
       "Repeated blocks divided by referenced blocks.")
METRIC(reuses, "reuses", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "References of the row to blocks that any row referred to before.")
METRIC(reuse_distance, "distance", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The median over reuses of the number of distinct blocks since the previous reference to "
       "the block, this block included.")
METRIC(reuse_time_ns, "time s", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The median over reuses of the time between the starts of the two records.")

/* Input of simulations */
METRIC(distinct_blocks, "distinct", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Distinct blocks to which the trace refers.")
METRIC(objects, "objects", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Distinct objects to which the trace refers.")
METRIC(empty_records, "empty", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Records of length 0, which refer to no block.")
METRIC(unknown_offsets, "unknown", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Records with an unknown offset.")
METRIC(unknown_offset_bytes, "unknown bytes", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes of records with an unknown offset.")
METRIC(read_ahead_records, "read-ahead", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Records of the traced system's own read-ahead, which are left out.")
METRIC(other_layer_records, "other layer", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Records of the layer that was not selected, which are left out.")
METRIC(out_of_order, "out of order", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Records that start before the preceding record.")
METRIC(unlinked, "unlinked", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Objects whose last name was removed.")
METRIC(truncated, "truncated", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Truncations of an object to a known size.")
METRIC(truncated_to_unknown_size, "truncated", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Truncations of an object to an unknown size, which have no effect.")
METRIC(synced, "synced", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Calls of fsync and fdatasync that write an object.")
METRIC(traced_misses, "traced", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Records that missed the cache of the traced system.")
