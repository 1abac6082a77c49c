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

/* Contents of file systems */
METRIC(regular_files, "files", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Regular files; one with several links counts once.")
METRIC(directories, "directories", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Directories below the given ones.")
METRIC(symlinks, "symbolic links", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Symbolic links, which are not followed.")
METRIC(special_files, "special files", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Devices, FIFOs and sockets, which are in no other value.")
METRIC(data_bytes, "data", IOT_BYTES, IOT_MAIN, IOT_ONE,
       "The sum of the sizes of files, directories and symbolic links.")
METRIC(capacity_bytes, "capacity", IOT_BYTES, IOT_MAIN, IOT_ONE,
       "The sum of the space that files, directories and symbolic links occupy.")
METRIC(file_mean_bytes, "mean size", IOT_RATIO, IOT_MAIN, IOT_ONE,
       "The mean size of regular files, in bytes.")
METRIC(file_median_bytes, "median size", IOT_RATIO, IOT_MAIN, IOT_ONE,
       "The median size of regular files in bytes, estimated from a histogram.")
METRIC(file_max_bytes, "largest", IOT_BYTES, IOT_MAIN, IOT_ONE,
       "The size of the largest regular file.")
METRIC(duplicate_links, "duplicate links", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Further names of files that have been counted.")
METRIC(sparse_files, "sparse files", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Regular files that occupy less than half of their size.")
METRIC(snapshot_directories, "snapshot directories", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Directories of snapshots, which were not entered.")
METRIC(other_devices, "other file systems", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Directories of other file systems, which were not entered.")
METRIC(loops, "loops", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Directories that contain themselves, which were not entered again.")
METRIC(vanished, "vanished", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Entries that were removed between the reading of their name and of their attributes.")
METRIC(moved, "moved", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Directories that something else replaced before they were opened.")
METRIC(unread_directories, "directories not read", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Directories of which the entries are missing in the values.")
METRIC(walk_errors, "errors", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Entries and directories that could not be read.")
METRIC(touched_directories, "access times", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Directories of which reading may have changed the access time.")
METRIC(size_limits, "size limits", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "Shares of files, and of their bytes, up to some sizes.")
METRIC(size_limit, "size up to", IOT_BYTES, IOT_MAIN, IOT_ONE,
       "A limit of the sizes of files, inclusive.")
METRIC(files_share, "of files", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "The share of regular files.")
METRIC(bytes_share, "of bytes", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "The share of the bytes of regular files.")
METRIC(age_limits, "age limits", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "Shares of files, and of their bytes, that were not used for some time.")
METRIC(age_days, "days", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "A number of days before the begin of the walk.")
METRIC(not_accessed_files, "not accessed", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "The share of files that were not accessed for this many days.")
METRIC(not_accessed_bytes, "of bytes", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "The share of the bytes of files that were not accessed for this many days.")
METRIC(not_modified_files, "not modified", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "The share of files that were not modified for this many days.")
METRIC(not_modified_bytes, "of bytes", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "The share of the bytes of files that were not modified for this many days.")
METRIC(future_times, "future times", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Files of which the time of the last modification is after the begin of the walk.")
METRIC(distributions, "histograms", IOT_NESTED, IOT_BINS, IOT_ONE,
       "The bins of all histograms that contain something.")
METRIC(distribution, "histogram", IOT_WORD, IOT_BINS, IOT_ONE,
       "The name of a histogram in the csv form.")
METRIC(bin_from, "from", IOT_COUNT, IOT_BINS, IOT_ONE,
       "The lower limit of a bin, inclusive, in bytes, entries, characters, links or days.")
METRIC(bin_to, "to", IOT_COUNT, IOT_BINS, IOT_ONE,
       "The upper limit of a bin, inclusive; absent: none.")
METRIC(bin_items, "items", IOT_COUNT, IOT_BINS, IOT_ONE,
       "Files or other items in a bin; of ages by KB, bytes.")
METRIC(bin_amount, "amount", IOT_RATIO, IOT_BINS, IOT_ONE,
       "The sum of the values in a bin; of ages by KB, of the products of days and bytes.")

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
METRIC(arrive, "arrive", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "What starts a record: processes (the end of the call before) or trace (its start time).")
METRIC(think, "think", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "The clock that measures computation between calls.")
METRIC(cpus, "processors", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The number of processors.")
METRIC(copies, "copies", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "How often each input runs at the same time.")
METRIC(share, "share", IOT_FLAG, IOT_DETAIL, IOT_ONE,
       "Whether copies of an input use the same files.")
METRIC(quantum_ns, "quantum", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The time slice of a process.")
METRIC(switch_cost_ns, "switch", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The processor time of a switch from one process to another.")
METRIC(syscall_cost_ns, "call", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The processor time of a call.")
METRIC(interrupt_cost_ns, "interrupt", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The processor time at the end of an I/O of the device.")
METRIC(copy_call_ns, "copy per call", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The processor time of copying blocks, for each call.")
METRIC(copy_kib_ns, "copy per KiB", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The processor time of copying blocks, for each KiB.")
METRIC(read_ahead, "read-ahead", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "The rule by which blocks are read ahead: none, request or window.")
METRIC(window, "window", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "The largest read-ahead window.")
METRIC(write_mode, "writes", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "When writes are issued: none (the process waits), immediate or delayed.")
METRIC(dirty_background_percent, "background %", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The share of dirty blocks, in percent, that starts writing.")
METRIC(dirty_percent, "dirty %", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The share of dirty blocks, in percent, at which writers wait.")
METRIC(writeback_interval_ns, "write-back interval", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The time between two searches for expired dirty blocks.")
METRIC(dirty_expire_ns, "dirty expire", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The age at which a dirty block expires.")
METRIC(process_limit_blocks, "process limit", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The number of blocks in the cache that a process may own; 0 means no limit.")
METRIC(direct, "direct", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "The pattern of files whose I/O bypasses the cache.")
METRIC(rate_ns, "rate", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The length of the intervals of --rate; 0 is none.")
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

/* The timing model: times and calls */
METRIC(inputs, "inputs", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "Counts of each input, which do not depend on a cache.")
METRIC(runs, "runs", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "The results of each policy and capacity.")
METRIC(wall_ns, "wall s", IOT_NS, IOT_MAIN, IOT_ONE,
       "The time from the start of the first process to the end of the last process.")
METRIC(busy_ns, "busy s", IOT_NS, IOT_MAIN, IOT_ONE,
       "The time for which processors computed, copied, switched and served calls and interrupts.")
METRIC(idle_ns, "idle s", IOT_NS, IOT_MAIN, IOT_ONE,
       "The time for which processors had no process to run, summed over processors.")
METRIC(utilisation, "used %", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "Busy time divided by the wall time of all processors.")
METRIC(think_ns, "compute s", IOT_NS, IOT_MAIN, IOT_ONE,
       "The time for which processes computed between their calls.")
METRIC(syscall_ns, "calls s", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The processor time of calls, without copying.")
METRIC(copy_ns, "copying s", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The processor time of copying blocks between processes and the cache.")
METRIC(switch_ns, "switches s", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The processor time of switches from one process to another.")
METRIC(interrupt_ns, "interrupts s", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The processor time of interrupts at the ends of the device's I/Os.")
METRIC(wait_ns, "wait s", IOT_NS, IOT_MAIN, IOT_ONE,
       "The time for which processes slept in the calls; of arrivals, the sum of the latencies.")
METRIC(calls, "calls", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Calls of processes: records and operations.")
METRIC(switches, "switches", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Switches of a processor from one process to another.")
METRIC(preemptions, "preemptions", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Switches at the end of a time slice.")
METRIC(interrupts, "interrupts", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Interrupts at the ends of the device's I/Os.")
METRIC(stalls, "stalls", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Calls that slept because no block could be replaced.")
METRIC(throttled, "throttled", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Calls that slept because too many blocks were dirty.")
METRIC(held_up, "stalls", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Stalls and throttled calls together.")
METRIC(requests, "requests", IOT_COUNT, IOT_MAIN, IOT_BY_DIRECTION,
       "Records of processes, each of which reads or writes.")

/* The timing model: cache and device */
METRIC(read_hit_ratio, "hit %", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "Blocks read that were present or prefetched, divided by all blocks read.")
METRIC(read_hit_blocks, "read hits", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Blocks that reads found in the cache, without the first use of prefetched blocks.")
METRIC(read_prefetched_blocks, "prefetched hits", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Prefetched blocks that a read was the first to use.")
METRIC(read_miss_blocks, "read misses", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Blocks that reads did not find in the cache.")
METRIC(write_hit_blocks, "write hits", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Blocks that writes found in the cache.")
METRIC(write_miss_blocks, "write misses", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Blocks that writes did not find in the cache.")
METRIC(direct_read_bytes, "direct read", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes that were read past the cache.")
METRIC(direct_written_bytes, "direct written", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes that were written past the cache.")
METRIC(device_reads, "device reads", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "I/Os by which the device reads.")
METRIC(device_writes, "device writes", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "I/Os by which the device writes.")
METRIC(partial_reads, "partial reads", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Blocks that were read because a write covers a part of them.")
METRIC(prefetched_blocks, "prefetched", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Blocks that were read ahead.")
METRIC(wasted_blocks, "wasted", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Blocks that were read ahead and not used.")
METRIC(cancelled_blocks, "cancelled", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Dirty blocks that were dropped, which the device never writes.")
METRIC(dirtied_blocks, "dirtied", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Times that a block became dirty.")
METRIC(cleaned_blocks, "cleaned", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Times that a dirty block was written or is due to be written.")
METRIC(dirty_blocks, "dirty", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Blocks that are dirty at the end.")
METRIC(pending_bytes, "unwritten", IOT_BYTES, IOT_MAIN, IOT_ONE,
       "Bytes that the device writes after the end of the last process.")
METRIC(pending_ns, "in s", IOT_NS, IOT_MAIN, IOT_ONE,
       "The time that the device needs to write the pending bytes.")
METRIC(device_busy_ns, "device busy s", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The time for which the device had at least one I/O.")
METRIC(device_utilisation, "used %", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "The time for which the device had at least one I/O, divided by the wall time.")
METRIC(depth_max, "max", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The largest number of I/Os that the device had at a time.")
METRIC(depth_mean, "depth", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The mean number of I/Os of the device while it had at least one.")

/* The timing model: latency of arrivals, in nanoseconds */
METRIC(latency, "latency", IOT_NESTED, IOT_BINS, IOT_ONE,
       "Quantiles of the latencies.")
METRIC(latencies, "latencies", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The number of latencies: one for each record.")
METRIC(latency_min_ns, "min ms", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The shortest time from the arrival of a record to the end of its call.")
METRIC(latency_p50_ns, "p50 ms", IOT_NS, IOT_MAIN, IOT_ONE,
       "The median latency.")
METRIC(latency_p90_ns, "p90 ms", IOT_NS, IOT_MAIN, IOT_ONE,
       "The latency that 90 % of the records do not exceed.")
METRIC(latency_p99_ns, "p99 ms", IOT_NS, IOT_MAIN, IOT_ONE,
       "The latency that 99 % of the records do not exceed.")
METRIC(latency_p999_ns, "p99.9 ms", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The latency that 999 of 1000 records do not exceed.")
METRIC(latency_max_ns, "max ms", IOT_NS, IOT_MAIN, IOT_ONE,
       "The longest latency.")

/* The timing model: processes, and intervals of --rate */
METRIC(process_list, "processes", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The times of each process.")
METRIC(input_number, "input", IOT_ID, IOT_DETAIL, IOT_ONE,
       "The number of the input, from 0.")
METRIC(copy, "copy", IOT_ID, IOT_DETAIL, IOT_ONE,
       "The number of the copy of the input, from 0.")
METRIC(process, "process", IOT_ID, IOT_MAIN, IOT_ONE,
       "The id of a process in the trace.")
METRIC(sleep_ns, "sleep s", IOT_NS, IOT_MAIN, IOT_ONE,
       "The time for which the process waited for I/O.")
METRIC(end_ns, "end s", IOT_NS, IOT_MAIN, IOT_ONE,
       "The time at which the process ended.")
METRIC(rates, "rates", IOT_NESTED, IOT_BINS, IOT_ONE,
       "Bytes and idle time in intervals of equal length.")
METRIC(start_ns, "time s", IOT_NS, IOT_BINS, IOT_ONE,
       "The begin of the interval.")
METRIC(cache_read_bytes, "cache read", IOT_BYTES, IOT_BINS, IOT_ONE,
       "Bytes that processes read.")
METRIC(cache_written_bytes, "written", IOT_BYTES, IOT_BINS, IOT_ONE,
       "Bytes that processes wrote.")
METRIC(device_read_rate, "dev. read", IOT_BYTES_PER_S, IOT_BINS, IOT_ONE,
       "Bytes per second that the device read in the interval.")
METRIC(device_written_rate, "written", IOT_BYTES_PER_S, IOT_BINS, IOT_ONE,
       "Bytes per second that the device wrote in the interval.")
METRIC(cache_read_rate, "cache read", IOT_BYTES_PER_S, IOT_BINS, IOT_ONE,
       "Bytes per second that processes read in the interval.")
METRIC(cache_written_rate, "written", IOT_BYTES_PER_S, IOT_BINS, IOT_ONE,
       "Bytes per second that processes wrote in the interval.")
METRIC(idle_share, "idle %", IOT_SHARE, IOT_BINS, IOT_ONE,
       "Idle time divided by the time of all processors in the interval.")

/* The timing model: inputs */
METRIC(path, "path", IOT_NAME, IOT_MAIN, IOT_ONE,
       "The name of the input as it was given.")
METRIC(processes, "processes", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Distinct processes.")
METRIC(files, "files", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Distinct files.")
METRIC(operations, "operations", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Operations that the model executes.")
METRIC(think_from_wall, "from wall time", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Computations whose time is wall time, which includes sleeping and waiting for others.")
METRIC(think_unknown, "unknown computation", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Computations of unknown time, which take no time.")
METRIC(cpu_backwards, "backward clocks", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Records before which the processor clock of a process runs backwards.")

/* Statistics of files, processes and other units */
METRIC(file, "file", IOT_ID, IOT_MAIN, IOT_ONE,
       "The number that a process gave a file when it opened the file.")
METRIC(object, "object", IOT_ID, IOT_MAIN, IOT_ONE,
       "The number of a file in the whole trace; 0 is none.")
METRIC(rank, "rank", IOT_ID, IOT_MAIN, IOT_ONE,
       "The MPI rank of the process.")
METRIC(name, "name", IOT_NAME, IOT_MAIN, IOT_ONE,
       "The path of a file or directory, or the name of a process, host or input.")
METRIC(label, "name", IOT_WORD, IOT_MAIN, IOT_ONE,
       "The ids and the name of a row, for people.")
METRIC(opens, "opens", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Successful calls that open or create a file.")
METRIC(io_ns, "in I/O s", IOT_NS, IOT_MAIN, IOT_ONE,
       "The sum of the durations of reads and writes.")
METRIC(timed, "timed", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Reads and writes, or calls of an operation, whose duration is known.")
METRIC(followers, "followers", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Reads and writes that are not the first of their process on an open file.")
METRIC(located, "located", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Followers whose offset is known, and whose predecessor's offset is known.")
METRIC(sequential, "sequential", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Located followers that begin where their predecessor ended.")
METRIC(sequential_share, "seq", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "Sequential followers divided by located followers.")
METRIC(same_size, "same size", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Followers with the length of their predecessor.")
METRIC(same_size_share, "same", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "Followers with the length of their predecessor, divided by followers.")
METRIC(sizes, "sizes", IOT_NESTED, IOT_BINS, IOT_ONE,
       "The number of reads and writes in each class of lengths.")
METRIC(size_from, "size from", IOT_BYTES, IOT_BINS, IOT_ONE,
       "The smallest length of a class, 0 or a power of two; the next class is its limit.")
METRIC(ios, "I/Os", IOT_COUNT, IOT_BINS, IOT_ONE,
       "Reads and writes.")
METRIC(bar, "bar", IOT_WORD, IOT_BINS, IOT_ONE,
       "A bar whose length is proportional to the number of reads and writes.")
METRIC(first_ns, "first s", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The earliest start of a read or write.")
METRIC(last_ns, "last s", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The latest start of a read or write.")
METRIC(total, "total", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "The counts of all rows together.")
METRIC(span_ns, "span s", IOT_NS, IOT_MAIN, IOT_ONE,
       "The time from the first start to the last end.")
METRIC(durations, "durations", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The durations of reads and of writes.")
METRIC(read_durations, "reads", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The durations of reads.")
METRIC(write_durations, "writes", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The durations of writes.")
METRIC(duration_min_ns, "min", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The shortest duration.")
METRIC(duration_mean_ns, "mean", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The mean duration.")
METRIC(duration_p50_ns, "p50", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The median duration, estimated from a histogram.")
METRIC(duration_p99_ns, "p99", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The duration that 99 % of the reads or writes do not exceed, estimated from a histogram.")
METRIC(duration_max_ns, "max", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The longest duration.")
METRIC(operation_list, "operations", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "The calls of each operation.")
METRIC(operation, "operation", IOT_NAME, IOT_MAIN, IOT_ONE,
       "The name of an operation, such as open.")
METRIC(failed, "failed", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Calls that returned an error.")
METRIC(operation_ns, "seconds", IOT_NS, IOT_MAIN, IOT_ONE,
       "The sum of the known durations of the calls of the operation.")
