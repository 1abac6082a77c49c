/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * METRIC(name, label, quantity, detail, split, definition), included by metrics.h and metrics.c.
 * METRIC_OF_PAPER has, after the name, the symbol that the study uses which defines the metric.
 * The split is an enum iot_split, or an enum metric_split of metrics.h.
 */
#ifndef METRIC_OF_PAPER
#define METRIC_OF_PAPER(name, symbol, ...) METRIC(name, __VA_ARGS__)
#endif
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
METRIC(file_system_bytes, "file system", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "The size of the file systems that contain the given directories, at the begin of the walk.")
METRIC(file_system_used, "used", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "The part of these file systems that was used then.")
METRIC(size_limits, "size limits", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "Shares of files, and of their bytes, up to some sizes.")
METRIC(size_limit, "size up to", IOT_BYTES, IOT_MAIN, IOT_ONE,
       "A limit of the sizes of files, inclusive.")
METRIC(files_share, "of files", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "The share of regular files.")
METRIC(bytes_share, "of bytes", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "The share of the bytes of regular files.")
METRIC(frequent_from, "from", IOT_BYTES, IOT_MAIN, IOT_ONE,
       "The lower limit of the most frequent class of sizes, inclusive; they double from 2 KiB on.")
METRIC(frequent_to, "to", IOT_BYTES, IOT_MAIN, IOT_ONE,
       "The upper limit of that class, inclusive.")
METRIC(frequent_files, "files", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "The files in that class.")
METRIC(entries_max, "largest directory", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The largest number of entries of a directory.")
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

METRIC(joint, "sizes and ages", IOT_NESTED, IOT_BINS, IOT_ONE,
       "Files by class of size and of age; cells with few files are merged with their neighbours.")
METRIC(age_of, "age of", IOT_WORD, IOT_BINS, IOT_ONE,
       "The time that has the age: modified or accessed.")
METRIC(class_from, "size from", IOT_BYTES, IOT_BINS, IOT_ONE,
       "The lower limit of the sizes, inclusive.")
METRIC(class_to, "to", IOT_BYTES, IOT_BINS, IOT_ONE,
       "The upper limit of the sizes, inclusive; absent: none.")
METRIC(days_from, "days from", IOT_COUNT, IOT_BINS, IOT_ONE,
       "The lower limit of the ages, inclusive.")
METRIC(days_to, "to", IOT_COUNT, IOT_BINS, IOT_ONE,
       "The upper limit of the ages, inclusive; absent: none.")

METRIC(survey_keys, "keys", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "Files by owner, group, project or directory, in descending order of bytes.")
METRIC(survey_key, "key", IOT_WORD, IOT_MAIN, IOT_ONE,
       "An owner, a group, a project, or a directory; \"other\": all beyond 65,536 of them; "
       "\"several links\": files that can be in several directories.")
METRIC(oldest_s, "oldest", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The time of the last modification of the oldest file, in seconds since 1970.")
METRIC(newest_s, "newest", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The time of the last modification of the newest file, in seconds since 1970.")
METRIC(used_s, "last access", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The time of the last access to any of the files, in seconds since 1970.")
METRIC(largest_files, "largest files", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "The largest files, in descending order; with --names.")
METRIC(largest_directories, "largest directories", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "The directories with the most entries, in descending order; with --names.")
METRIC(unused_keys, "unused keys", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "The keys whose files have not been accessed for the longest time, in descending order.")
METRIC(unused_days, "days unused", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Days from the last access to any of the files to the begin of the walk.")
METRIC(survey_path, "path", IOT_WORD, IOT_MAIN, IOT_ONE,
       "The path of a file or directory.")
METRIC(directory_entries, "entries", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "The number of entries of a directory.")
METRIC(changes, "changes", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "Numbers of an earlier and a later survey.")
METRIC(changed, "number", IOT_WORD, IOT_MAIN, IOT_ONE,
       "What is compared: files, directories, bytes or capacity.")
METRIC(earlier, "earlier", IOT_RATIO, IOT_MAIN, IOT_ONE,
       "The number in the earlier survey.")
METRIC(later, "now", IOT_RATIO, IOT_MAIN, IOT_ONE,
       "The number in the later survey.")
METRIC(growth, "growth", IOT_RATIO, IOT_MAIN, IOT_ONE,
       "The later number minus the earlier one.")
METRIC(growth_share, "relative", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "The growth divided by the earlier number.")
METRIC(key_changes, "changes of keys", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "The growth of each owner, group, project or directory, in descending order of new files.")
METRIC(new_files, "new files", IOT_RATIO, IOT_MAIN, IOT_ONE,
       "The growth of the number of files; negative if there are fewer.")
METRIC(new_files_share, "of new files", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "The share in the growth of the number of files.")
METRIC(new_bytes, "new bytes", IOT_RATIO, IOT_MAIN, IOT_ONE,
       "The growth of the bytes of files; negative if there are fewer.")
METRIC(new_bytes_share, "of new bytes", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "The share in the growth of the bytes of files.")
METRIC(days_between, "days between", IOT_RATIO, IOT_MAIN, IOT_ONE,
       "Days from the earlier survey to the later one.")
METRIC(reached_s, "reached", IOT_RATIO, IOT_MAIN, IOT_ONE,
       "When the number of files reaches the value of --reach, in seconds since 1970, if it grows "
       "as between the two surveys.")

/* Counters of hosts, matched with jobs */
METRIC(match_strategy, "strategy", IOT_WORD, IOT_MAIN, IOT_ONE,
       "Who gets the samples of several jobs: weighted, simple, discard or double.")
METRIC(matched_bytes, "matched", IOT_BYTES, IOT_MAIN, IOT_ONE,
       "Bytes read and written according to the samples of jobs.")
METRIC(unmatched_bytes, "unmatched", IOT_BYTES, IOT_MAIN, IOT_ONE,
       "Bytes read and written according to the samples that no job gets.")
METRIC(sample_jobs, "jobs", IOT_WORD, IOT_MAIN, IOT_ONE,
       "How many jobs ran on the host of a sample during its interval: none, one or several.")
METRIC(matched_samples, "samples", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Samples of a job, or with this number of jobs.")
METRIC(job_run, "run", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The number of a run among the runs of one job, from 1.")
METRIC(match_bound, "bound", IOT_BYTES, IOT_MAIN, IOT_ONE,
       "The most by which the bytes of a job can differ from the true ones, as its samples that "
       "other jobs share do not show who caused them.")

/* The system model */
METRIC(model_requests, "requests", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Requests that were simulated, with the pieces of those that are too long.")
METRIC(model_splits, "splits", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Requests more than were logged, as long ones are split.")
METRIC(late_requests, "late", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Requests that were counted after the last interval of their I/O node.")
METRIC(gap_samples, "gaps", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Samples with gap=1, which are not simulated.")
METRIC(incomplete_samples, "incomplete", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Samples without read-bytes or written-bytes, which are not simulated.")
METRIC(wrong_samples, "wrong", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Samples without a host or a time, or with a value that is not a number.")
METRIC(unsynchronized_jobs, "unsynchronized", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Jobs whose I/O nodes do not begin together, as they wait for each other in a circle.")
METRIC(validation, "validation", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "The simulated counters of the original system beside the logged counters.")
METRIC(logged_counter, "counter", IOT_WORD, IOT_MAIN, IOT_ONE,
       "A counter of I/O nodes.")
METRIC(counter_logs, "logs", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Logs in which the counter is not 0.")
METRIC(differing_logs, "differ", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Logs whose simulated counter is another one.")
METRIC(mean_error, "mean error", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "The mean of |simulated - logged| / logged over the logs in which the counter is not 0.")
METRIC(io_nodes, "I/O nodes", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "The times of each I/O node.")
METRIC(model_jobs, "jobs", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "The times of each job.")
METRIC(original_io_ns, "I/O", IOT_NS, IOT_MAIN, IOT_ONE,
       "The time with requests in progress in the original system; of a job, on the I/O node that "
       "has most.")
METRIC(variant_io_ns, "variant", IOT_NS, IOT_MAIN, IOT_ONE,
       "The time with requests in progress in the variant.")
METRIC(io_ratio, "ratio", IOT_RATIO, IOT_MAIN, IOT_ONE,
       "The time with requests in progress in the variant divided by that in the original.")
METRIC(original_time_ns, "time", IOT_NS, IOT_MAIN, IOT_ONE,
       "The time from the first log to the end of the last one in the original system.")
METRIC(variant_time_ns, "variant", IOT_NS, IOT_MAIN, IOT_ONE,
       "The same time in the variant, with the same computation between logs.")
METRIC(time_ratio, "ratio", IOT_RATIO, IOT_MAIN, IOT_ONE,
       "The time in the variant divided by that in the original.")
METRIC(ratios, "ratios", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "The distributions of the ratios over jobs, or over I/O nodes if there are no jobs.")
METRIC(ratio_of, "ratio of", IOT_WORD, IOT_MAIN, IOT_ONE,
       "Which ratio the row is about.")
METRIC(ratio_count, "n", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Jobs, or I/O nodes, that have the ratio.")
METRIC(ratio_mean, "mean", IOT_RATIO, IOT_MAIN, IOT_ONE,
       "The mean of the ratios.")
METRIC(ratio_deviation, "sd", IOT_RATIO, IOT_MAIN, IOT_ONE,
       "The standard deviation of the ratios.")
METRIC(ratio_max, "maximum", IOT_RATIO, IOT_MAIN, IOT_ONE,
       "The largest ratio.")
METRIC(ratio_median, "median", IOT_RATIO, IOT_MAIN, IOT_ONE,
       "The median of the ratios.")
METRIC(slower_share, "over 1.1", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "The share of ratios above one by more than a tenth.")
METRIC(fits, "fits", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "The residuals of each value of --fit.")
METRIC(fit_setting, "setting", IOT_WORD, IOT_MAIN, IOT_ONE,
       "Values of the keys of --fit.")
METRIC(fit_read_residual, "reads", IOT_BYTES_PER_S, IOT_MAIN, IOT_ONE,
       "The root of the mean squared difference between simulated and logged rates of reads; "
       "unknown if fewer than 30 logs inform.")
METRIC(fit_write_residual, "writes", IOT_BYTES_PER_S, IOT_MAIN, IOT_ONE,
       "The same of writes.")
METRIC(best_read_setting, "reads", IOT_WORD, IOT_MAIN, IOT_ONE,
       "The setting with the smallest residual of reads; unknown: not determined.")
METRIC(best_write_setting, "writes", IOT_WORD, IOT_MAIN, IOT_ONE,
       "The setting with the smallest residual of writes; unknown: not determined.")

/* Parameters */
METRIC(input, "input", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "The name of a file, or of an input as it was given.")
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
METRIC(device_read_latency_ns, "read latency", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The time of each read in addition to positioning and transfer.")
METRIC(device_write_latency_ns, "write latency", IOT_NS, IOT_DETAIL, IOT_ONE,
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
       "Records; simulations count only records that refer to a block.")
METRIC_OF_PAPER(bytes, "S", "bytes", IOT_BYTES, IOT_MAIN, WRITTEN_BY_DIRECTION,
       "Bytes that the records transfer.")
METRIC(references, "references", IOT_COUNT, IOT_MAIN, IOT_BY_DIRECTION,
       "References to blocks: a record refers once to each block that contains one of its bytes.")
METRIC(first_references, "first", IOT_COUNT, IOT_MAIN, IOT_BY_DIRECTION,
       "References to a block that the trace did not refer to before; they miss in a cache of any "
       "size.")
METRIC(first_records, "first records", IOT_COUNT, IOT_DETAIL, IOT_BY_DIRECTION,
       "Records with at least one first reference.")
METRIC(first_bytes, "first bytes", IOT_BYTES, IOT_DETAIL, WRITTEN_BY_DIRECTION,
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
METRIC(unknown_offsets, "unknown", IOT_COUNT, IOT_DETAIL, IOT_BY_DIRECTION,
       "Records with an unknown offset.")
METRIC(unknown_offset_bytes, "unknown bytes", IOT_BYTES, IOT_DETAIL, WRITTEN_BY_DIRECTION,
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
       "The inputs, as they were given or with counts of each.")
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
METRIC_OF_PAPER(requests, "N", "requests", IOT_COUNT, IOT_MAIN, REQUESTS_BY_DIRECTION,
       "Reads and writes of processes.")

/* The timing model: cache and device */
METRIC(present_ratio, "hit %", IOT_SHARE, IOT_MAIN, IOT_ONE,
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
       "The begin of the interval or of the period.")
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
       "The name of a file, or of an input as it was given.")
METRIC(first_path, "first path", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "The first path of a file that the trace renames.")
METRIC_OF_PAPER(processes, "P", "processes", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Distinct processes.")
METRIC(files, "files", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Distinct files.")
METRIC(operations, "operations", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Calls that are neither reads nor writes.")
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
       "The path of a file or directory, or the name of a process, host, operation or value.")
METRIC(label, "name", IOT_WORD, IOT_MAIN, IOT_ONE,
       "The ids and the name of a row, for people.")
METRIC_OF_PAPER(opens, "F_open", "opens", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Successful calls that open or create a file.")
METRIC(io_ns, "in I/O s", IOT_NS, IOT_MAIN, IOT_BY_DIRECTION,
       "The sum of the durations of reads and writes.")
METRIC(timed, "timed", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Reads and writes, or calls of an operation, whose duration is known.")
METRIC(followers, "followers", IOT_COUNT, IOT_DETAIL, IOT_BY_DIRECTION,
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
METRIC(interval, "interval", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The counts of the last interval.")
METRIC(interval_ns, "interval", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The length of the last interval.")
METRIC(ended, "ended", IOT_FLAG, IOT_DETAIL, IOT_ONE,
       "Whether the trace has ended; if not, the counts cover what was written so far.")
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
       "The name of the operation that a finding concerns.")
METRIC(operation_kind, "kind", IOT_WORD, IOT_MAIN, IOT_ONE,
       "The kind of a call that succeeds: reads, writes, or as of `kind_calls`.")
METRIC(failed, "failed", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Calls that returned an error.")
METRIC(operation_ns, "seconds", IOT_NS, IOT_MAIN, IOT_ONE,
       "The sum of the known durations of the calls of the operation.")

/* Several jobs */
METRIC(key, "key", IOT_NAME, IOT_MAIN, IOT_ONE,
       "What a row is about: a process, file, host, operation or another unit, a job or a group.")
METRIC(second_key, "and", IOT_NAME, IOT_MAIN, IOT_ONE,
       "The second group of a row of crossed groups.")
METRIC(jobs, "jobs", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Jobs; as a part of a document, it has a member for each job.")
METRIC(job_values, "values", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "A population for each value: the values of all jobs that know it.")
METRIC(job_totals, "totals", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "Sums over all jobs.")
METRIC(population, "population", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "The values of all jobs that know a value.")
METRIC(section, "section", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "The part of the document that has a value.")
METRIC(value_key, "key", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "The key of a value among the values of one name.")
METRIC(unit, "unit", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "The unit of a value.")
METRIC(value, "value", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "The number or the name that a row or a list states, or from which a finding follows.")
METRIC(before, "that run", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "The value of the run that is compared with.")
METRIC(now, "this run", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "The value of the run that is analyzed.")
METRIC(ratio, "ratio", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The value of the run that is analyzed divided by the value of the other run.")
METRIC(against, "compared with", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "The input of the run that is compared with.")
METRIC(value_differences, "differences", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The values of two runs that differ noticeably.")
METRIC(compared, "compared", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Values that were compared, including equal ones.")
METRIC(note, "note", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "The reason why a value is unknown, or only a lower bound.")
METRIC(value_label, "of each job", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "A value in words.")
METRIC(known_jobs, "jobs", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Jobs that know the value.")
METRIC(quantile, "quantile", IOT_RATIO, IOT_MAIN, IOT_ONE,
       "The lowest value that at least this share of the jobs does not exceed.")
METRIC(mean, "mean", IOT_RATIO, IOT_MAIN, IOT_ONE,
       "The mean of the jobs that know the value.")
METRIC(stddev, "deviation", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The standard deviation of the jobs that know the value.")
METRIC(top_fifth_share, "top 20%", IOT_SHARE, IOT_DETAIL, IOT_ONE,
       "The share of the sum that the fifth of the jobs with the largest values has.")
METRIC(main_jobs_share, "have 80%", IOT_SHARE, IOT_DETAIL, IOT_ONE,
       "The smallest share of the jobs that have four fifths of the sum.")
METRIC(pooled_sizes, "pooled sizes", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The shares of the requests of all jobs, added together, up to some sizes.")
METRIC(request_limit, "requests up to", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "A size of requests, inclusive.")
METRIC(job_share, "of jobs", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "The share of all jobs.")
METRIC(job_bytes_share, "of bytes", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "The share of the bytes of all jobs.")
METRIC(job_time_share, "of time", IOT_SHARE, IOT_DETAIL, IOT_ONE,
       "The share of the run time of all jobs.")
METRIC(node_time_share, "of node time", IOT_SHARE, IOT_DETAIL, IOT_ONE,
       "The share of the product of run time and nodes of all jobs that know both.")
METRIC(core_hours, "core hours", IOT_RATIO, IOT_MAIN, IOT_ONE,
       "Run time by CPUs, as the list of jobs has them, of jobs with a log.")
METRIC(listed_core_hours, "listed", IOT_RATIO, IOT_MAIN, IOT_ONE,
       "Run time by CPUs of all jobs of the list.")
METRIC(core_hours_share, "covered", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "The share of the core hours of the list that jobs with a log have.")
METRIC(coverage, "coverage", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "Which jobs of the list have a log.")
METRIC(nodes, "nodes", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The nodes of a job, as the list of jobs has them, or else the trace.")
METRIC(listed_jobs, "listed jobs", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Runs of jobs in the list.")
METRIC(logged_jobs, "with a log", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Runs of jobs in the list that have a log.")
METRIC(unlisted_jobs, "not listed", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Jobs with a log that are not in the list.")
METRIC(listed_accounts, "accounts", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Different accounts in the list.")
METRIC(logged_accounts, "with a log", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Accounts in the list with at least one job that has a log.")
METRIC(jobs_without_log, "without a log", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The first jobs of the list without a log, by id.")
METRIC(jobs_not_listed, "not in the list", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The first jobs with a log that are not in the list.")
METRIC(selection, "selection", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "What each condition of --where keeps, and all of them together.")
METRIC(condition, "condition", IOT_NAME, IOT_MAIN, IOT_ONE,
       "A condition of --where.")
METRIC(picks, "picks", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "The jobs that --pick chooses.")
METRIC(workflow, "workflow", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The files that one job wrote and another one read.")
METRIC(flows, "flows", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Pairs of a job that wrote files and a job that read some of them.")
METRIC(uses_left_out, "left out", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Uses of files by jobs that are left out because of a limit.")
METRIC(lower_bound, "lower bound", IOT_FLAG, IOT_DETAIL, IOT_ONE,
       "Whether the counts are lower bounds because of a limit.")
METRIC(top_flows, "flows", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The flows with most bytes.")
METRIC(top_files, "files", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The files with most bytes that flow from job to job.")
METRIC(writer, "from job", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "The job that wrote the files.")
METRIC(reader, "to job", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "The job that read the files.")
METRIC(writers, "writers", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Jobs whose data of a file another job read.")
METRIC(readers, "readers", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Jobs that read data of a file which another job wrote.")
METRIC(pick, "pick", IOT_NAME, IOT_MAIN, IOT_ONE,
       "The rule that chose a job.")
METRIC(account, "account", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "The account or project of a job in the list.")
METRIC(job_state, "state", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "The state or the exit status of a job in the list.")

/* Analysis: trace */
METRIC(source, "source", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "The tool that wrote the trace.")
METRIC(command, "command", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "The command that the trace declares.")
METRIC(host, "host", IOT_NAME, IOT_MAIN, IOT_ONE,
       "The host that the trace declares for the row or the trace.")
METRIC(job, "job", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "The job that the trace declares, or that a row is about.")
METRIC(user, "user", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "The user that the trace declares, or the user's id.")
METRIC_OF_PAPER(run_time_s, "T", "run time s", IOT_RATIO, IOT_MAIN, IOT_ONE,
       "The run time in seconds, as the option --runtime defines it.")
METRIC(left_out, "left out", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Requests of the layer that was not selected.")
METRIC(left_out_physical, "left out", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Physical records, which were not selected.")
METRIC(left_out_logical, "left out", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Logical records, which were not selected.")
METRIC(gaps, "gaps", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Places at which records are missing; damage at which reading ends is one.")
METRIC(lost_records, "lost", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Records that the trace declares as lost.")
METRIC(unseen_programs, "not seen", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Programs that the tracer could not see, by reason.")
METRIC(unseen_program, "first of them", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "The first program that the tracer could not see, by reason.")
METRIC(unseen_calls, "calls not seen", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Calls that the tracer could not see, by kind.")
METRIC(unseen, "not seen", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "What the tracer could not see; unknown: nothing.")
METRIC(reasons, "reasons", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The programs that the tracer could not see, by reason.")
METRIC(why, "reason", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "Why the tracer could not see programs, as why= of %process states it.")
METRIC(ties, "ties", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "How I/Os of disks are tied to the calls that caused them; absent: the trace has no ties.")
METRIC(kinds, "kinds of ties", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The I/Os of disks by the kind of their tie.")
METRIC(tie, "tie", IOT_WORD, IOT_MAIN, IOT_ONE,
       "The evidence that ties an I/O of a disk to a call: direct, flush or map; or none.")
METRIC(tie_files, "files", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The files that have ties or extents, most bytes of disks first.")
METRIC(disk_ios, "disk I/Os", IOT_COUNT, IOT_MAIN, IOT_BY_DIRECTION,
       "I/Os of disks.")
METRIC(disk_bytes, "disk bytes", IOT_BYTES, IOT_MAIN, WRITTEN_BY_DIRECTION,
       "Bytes that disks transfer.")
METRIC(call_bytes, "call bytes", IOT_BYTES, IOT_MAIN, WRITTEN_BY_DIRECTION,
       "Bytes that calls transfer of files that have ties or extents.")
METRIC(tied_bytes, "tied bytes", IOT_BYTES, IOT_MAIN, WRITTEN_BY_DIRECTION,
       "Bytes that disks transfer and that are tied to calls.")
METRIC(amplification, "amplification", IOT_RATIO, IOT_MAIN, IOT_BY_DIRECTION,
       "Bytes of disks that are tied to calls, divided by the bytes that calls transfer.")
METRIC(read_ahead_bytes, "read ahead", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes of files that disks read while no call asked for them.")
METRIC(read_ahead_used_bytes, "read-ahead hits", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "The part of these bytes that a later call read.")
METRIC(read_ahead_used_share, "read-ahead hits", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "The share of the bytes read ahead that a later call read.")
METRIC(untied_share, "not tied", IOT_SHARE, IOT_MAIN, IOT_BY_DIRECTION,
       "The share of the bytes of disks that have no tie to a call.")
METRIC(lengths_requested, "requested", IOT_FLAG, IOT_DETAIL, IOT_ONE,
       "Whether lengths are the requested ones, not those transferred.")
METRIC(other_requests, "other", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Logical records that are not file data, by kind and direction.")
METRIC(other_bytes, "other bytes", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes of records that are not file data, by kind and direction.")
METRIC(traces, "traces", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Traces of one job.")

/* Analysis: totals */
METRIC(size_mean, "mean size", IOT_RATIO, IOT_MAIN, IOT_BY_DIRECTION,
       "The mean size of requests in bytes.")
METRIC(read_to_written_bytes, "r/w bytes", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "Bytes read divided by bytes written.")
METRIC(reads_to_writes, "r/w requests", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "Reads divided by writes.")
METRIC(running_time_s, "running time", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The CPU time of all processes, each from its first to its last request, or the run time "
       "without CPU times.")
METRIC(bytes_per_running_s, "B/running s", IOT_BYTES_PER_S, IOT_DETAIL, WRITTEN_BY_DIRECTION,
       "Bytes per second of the running time.")
METRIC(requests_per_running_s, "requests/running s", IOT_PER_S, IOT_DETAIL, IOT_BY_DIRECTION,
       "Requests per second of the running time.")
METRIC_OF_PAPER(bytes_per_s, "B_avg", "bytes/s", IOT_BYTES_PER_S, IOT_MAIN, WRITTEN_BY_DIRECTION,
       "Bytes per second of the run time.")
METRIC_OF_PAPER(requests_per_s, "IOPS_avg", "requests/s", IOT_PER_S, IOT_MAIN, IOT_BY_DIRECTION,
       "Requests per second of the run time.")
METRIC_OF_PAPER(request_share, "p_IOPs", "of requests", IOT_SHARE, IOT_DETAIL, IOT_BY_DIRECTION,
       "The share of all requests.")
METRIC_OF_PAPER(byte_share, "p_Bytes", "of bytes", IOT_SHARE, IOT_DETAIL, IOT_BY_DIRECTION,
       "The share of all bytes.")
METRIC(extent_bytes, "data size", IOT_BYTES, IOT_MAIN, IOT_ONE,
       "The sum of the extents of files, each the highest end of a request, a lower bound for the "
       "size of the file.")
METRIC_OF_PAPER(extent_max, "F_max", "largest extent", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "The largest extent of a file.")
METRIC_OF_PAPER(extent_min, "F_min", "smallest extent", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "The smallest extent of a file.")
METRIC(created, "created", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Successful opens that created the file.")
METRIC(asynchronous_requests, "asynchronous", IOT_COUNT, IOT_DETAIL, IOT_BY_DIRECTION,
       "Asynchronous requests.")
METRIC(asynchronous_bytes, "asynchronous bytes", IOT_BYTES, IOT_DETAIL, WRITTEN_BY_DIRECTION,
       "Bytes of asynchronous requests.")

/* Analysis: sizes of requests */
METRIC(size_min, "smallest", IOT_BYTES, IOT_MAIN, IOT_BY_DIRECTION,
       "The smallest size of a request.")
METRIC(size_max, "largest", IOT_BYTES, IOT_MAIN, IOT_BY_DIRECTION,
       "The largest size of a request.")
METRIC(size_stddev, "deviation", IOT_RATIO, IOT_DETAIL, IOT_BY_DIRECTION,
       "The standard deviation of the sizes, as of a population.")
METRIC(size_quantile, "quantiles", IOT_BYTES, IOT_DETAIL, IOT_BY_DIRECTION,
       "Quantiles of the sizes: mid-points of bins of at most a sixtieth of the size.")
METRIC(small_share, "small", IOT_SHARE, IOT_MAIN, IOT_BY_DIRECTION,
       "The share of the requests up to a size.")
METRIC(variable_share, "not of the usual size", IOT_SHARE, IOT_DETAIL, IOT_BY_DIRECTION,
       "The share of the requests that do not have the most common size of their process in their "
       "file.")
METRIC(common_sizes, "common", IOT_COUNT, IOT_DETAIL, IOT_BY_DIRECTION,
       "Requests of the ten most common sizes, by size.")
METRIC(common_size_share, "share", IOT_SHARE, IOT_DETAIL, IOT_BY_DIRECTION,
       "The shares of the requests with the ten most common sizes, by size.")
METRIC(common_size_other, "others", IOT_COUNT, IOT_DETAIL, IOT_BY_DIRECTION,
       "Requests of sizes outside of the sample that is counted if there are more than 16384.")
METRIC(aligned_share, "aligned", IOT_SHARE, IOT_MAIN, IOT_BY_DIRECTION,
       "The share of the offsets that are multiples of the alignment.")
METRIC(aligned_size_share, "aligned sizes", IOT_SHARE, IOT_DETAIL, IOT_BY_DIRECTION,
       "The share of the sizes that are multiples of the alignment.")
METRIC(offset_zero_bits, "zero bits", IOT_COUNT, IOT_BINS, IOT_BY_DIRECTION,
       "Offsets by their trailing zero bits, 64 for the offset 0.")
METRIC(size_zero_bits, "zero bits", IOT_COUNT, IOT_BINS, IOT_BY_DIRECTION,
       "Sizes by their trailing zero bits, 64 for the size 0.")
METRIC(size_classes, "classes", IOT_COUNT, IOT_BINS, IOT_BY_DIRECTION,
       "Requests by the ten size classes of Darshan.")
METRIC(size_log2, "up to", IOT_COUNT, IOT_BINS, IOT_BY_DIRECTION,
       "Requests by power of two: of more than half of it, and up to it.")
METRIC_OF_PAPER(size_bins, "L", "bins", IOT_COUNT, IOT_BINS, IOT_BY_DIRECTION,
       "Requests by the upper bounds of bins of sizes, 32 for each power of two.")
METRIC_OF_PAPER(size_bin_bytes, "L", "bytes in bins", IOT_BYTES, IOT_BINS, WRITTEN_BY_DIRECTION,
       "Bytes of requests by the upper bounds of bins of sizes.")

/* Analysis: order */
METRIC(switch_share, "switches", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "The share of the followers that have the other direction than their predecessor.")
METRIC(ascending_share, "ascending", IOT_SHARE, IOT_DETAIL, IOT_ONE,
       "The share of the followers of one direction that are consecutive or forward.")
METRIC(sequential_runs, "runs", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Maximal runs of sequential requests.")
METRIC(run_requests_mean, "requests in a run", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The mean number of requests in a sequential run.")
METRIC(run_requests_quantile, "quantiles", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "Quantiles of the requests in a sequential run.")
METRIC(run_bytes_mean, "bytes in a run", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The mean number of bytes in a sequential run.")
METRIC(run_bytes_quantile, "quantiles", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Quantiles of the bytes in a sequential run.")
METRIC(jumps, "jumps", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Followers that do not begin at the end of their predecessor.")
METRIC(jump_mean, "distance", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The mean distance in bytes from the end of the predecessor to a jump.")
METRIC(jump_quantile, "quantiles", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Quantiles of the distances of jumps.")
METRIC(consecutive_share, "consecutive", IOT_SHARE, IOT_MAIN, IOT_BY_DIRECTION,
       "The share of the followers of one direction that begin at the end of the predecessor.")
METRIC(forward_share, "forward", IOT_SHARE, IOT_DETAIL, IOT_BY_DIRECTION,
       "The share of the followers of one direction that begin beyond the end of the predecessor.")
METRIC(re_access_share, "again", IOT_SHARE, IOT_DETAIL, IOT_BY_DIRECTION,
       "The share of the followers of one direction that begin where the predecessor began.")
METRIC(backward_share, "backward", IOT_SHARE, IOT_MAIN, IOT_BY_DIRECTION,
       "The share of the followers of one direction that begin at any other place.")
METRIC(strided_share, "strided", IOT_SHARE, IOT_DETAIL, IOT_BY_DIRECTION,
       "The share of the followers whose distance from the predecessor repeats the previous "
       "distance, without consecutive ones.")
METRIC(pattern_streams, "streams", IOT_COUNT, IOT_DETAIL, IOT_BY_DIRECTION,
       "Streams of one direction, by pattern.")
METRIC(pattern_requests, "requests", IOT_COUNT, IOT_DETAIL, IOT_BY_DIRECTION,
       "Requests of the streams of a pattern.")
METRIC(pattern_bytes, "bytes", IOT_BYTES, IOT_DETAIL, WRITTEN_BY_DIRECTION,
       "Bytes of the streams of a pattern.")
METRIC(common_strides, "strides", IOT_COUNT, IOT_DETAIL, IOT_BY_DIRECTION,
       "The ten most common distances between requests, in bytes.")
METRIC(repetition, "repetition", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The repetition of requests of a process in one file: tokens, lag, covered requests, and "
       "whether they repeat.")
METRIC(repetition_any_file, "in any file", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The repetition of requests of a process in any file.")

/* Analysis: time in calls */
METRIC_OF_PAPER(time_ns, "t", "time", IOT_NS, IOT_MAIN, IOT_BY_DIRECTION,
       "The time in reads or writes, the sum over processes; overlaps in a process count once.")
METRIC(operation_time_ns, "in operations", IOT_NS, IOT_MAIN, IOT_ONE,
       "The time in operations, the sum over processes; overlaps in a process count once.")
METRIC(io_time_ns, "in I/O", IOT_NS, IOT_MAIN, IOT_ONE,
       "The time in reads and writes, the sum over processes; overlaps in a process count once.")
METRIC(call_time_ns, "in calls", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The time in reads, writes and operations, the sum over processes; overlaps in a process "
       "count once.")
METRIC(io_time_max_ns, "slowest", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The longest time in reads and writes of a process.")
METRIC(io_share, "in I/O", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "The mean share of the run time that a process spends in reads and writes.")
METRIC(call_share, "in calls", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "The mean share of the run time that a process spends in reads, writes and operations.")
METRIC(operation_share, "operations", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "The share of operations in the times in reads, in writes and in operations.")
METRIC(slowest_bytes_per_s, "bytes/s", IOT_BYTES_PER_S, IOT_DETAIL, IOT_ONE,
       "All bytes, by the time in calls of the process with most.")
METRIC(node_bytes_per_s, "bytes/s of a node", IOT_BYTES_PER_S, IOT_DETAIL, IOT_ONE,
       "All bytes, by the time in calls of the process with most, and by the nodes.")
METRIC_OF_PAPER(compute_nodes, "N_cn", "nodes", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The compute nodes, as the option --nodes or the trace declares.")
METRIC(overlap_share, "overlap", IOT_SHARE, IOT_DETAIL, IOT_ONE,
       "The value 1 minus the time in I/O divided by the sum of all durations.")
METRIC(asynchronous_request_share, "asynchronous", IOT_SHARE, IOT_DETAIL, IOT_ONE,
       "The share of asynchronous requests in all requests.")
METRIC(asynchronous_byte_share, "asynchronous bytes", IOT_SHARE, IOT_DETAIL, IOT_ONE,
       "The share of the bytes of asynchronous requests in all bytes.")
METRIC(latency_ns, "duration", IOT_NS, IOT_DETAIL, IOT_BY_DIRECTION,
       "A summary of the durations of requests, with asynchronous ones.")
METRIC(latency_quantile_ns, "quantiles", IOT_NS, IOT_DETAIL, IOT_BY_DIRECTION,
       "Quantiles of the durations of requests.")
METRIC(latency_bins, "bins", IOT_COUNT, IOT_BINS, IOT_BY_DIRECTION,
       "Requests by the upper bounds of bins of durations, in nanoseconds.")
METRIC(io_bytes_per_s, "bytes/s in calls", IOT_BYTES_PER_S, IOT_DETAIL, WRITTEN_BY_DIRECTION,
       "The bytes of requests of known duration by the sum of their durations.")

/* Analysis: i/O over time */
METRIC(bin_width_s, "bin width", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The width of bins of time in seconds.")
METRIC(bins, "bins", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Bins of time.")
METRIC_OF_PAPER(bytes_per_s_max, "B_max", "highest rate", IOT_BYTES_PER_S, IOT_MAIN,
       WRITTEN_BY_DIRECTION,
       "The bytes per second of the bin with most.")
METRIC_OF_PAPER(requests_per_s_max, "IOPS_max", "most requests/s", IOT_PER_S, IOT_MAIN,
       IOT_BY_DIRECTION,
       "The requests per second of the bin with most.")
METRIC(bytes_per_s_mean, "mean rate", IOT_BYTES_PER_S, IOT_DETAIL, IOT_ONE,
       "The mean of the bytes per second over bins.")
METRIC(intensity, "intensity", IOT_SHARE, IOT_DETAIL, IOT_BY_DIRECTION,
       "The share of the bins in which any process transfers more than a threshold in bytes per "
       "second.")
METRIC(burstiness, "burstiness", IOT_RATIO, IOT_DETAIL, IOT_BY_DIRECTION,
       "The value 1 - tanh(a / b) of the mean lengths of runs of active bins (a) and of other "
       "bins (b), by threshold.")
METRIC(active_bins, "active bins", IOT_COUNT, IOT_DETAIL, IOT_BY_DIRECTION,
       "Bins in which any process exceeds a threshold.")
METRIC(active_pairs, "active pairs", IOT_COUNT, IOT_DETAIL, IOT_BY_DIRECTION,
       "Pairs of a bin and a process that exceeds a threshold in it.")
METRIC(active_process_share_max, "processes at once", IOT_SHARE, IOT_DETAIL, IOT_BY_DIRECTION,
       "The largest share of the processes that exceed a threshold in one bin.")
METRIC(parallel_intensity, "parallel intensity", IOT_SHARE, IOT_DETAIL, IOT_BY_DIRECTION,
       "The mean share of the processes that exceed 1 MiB/s in bins in which any does.")
METRIC(parallel_intensity_normalised, "normalised", IOT_SHARE, IOT_DETAIL, IOT_BY_DIRECTION,
       "The parallel intensity p of P processes as (P p - 1) / (P - 1).")
METRIC(dominating_type, "dominated by", IOT_SHARE, IOT_DETAIL, IOT_ONE,
       "The share of bins whose requests are 90 % reads, 90 % writes, neither, or none.")
METRIC(peak_to_mean, "peak to mean", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The rate of the bin with most bytes divided by the mean rate.")
METRIC(below_33_percent_of_peak, "below a third", IOT_SHARE, IOT_DETAIL, IOT_ONE,
       "The share of the bins with less than 33 % of the bytes of the bin with most.")
METRIC(rate_cdf, "bins up to", IOT_SHARE, IOT_BINS, IOT_ONE,
       "The share of the bins up to a percentage of the highest rate.")
METRIC(operations_per_s_max, "most operations/s", IOT_PER_S, IOT_DETAIL, IOT_ONE,
       "The operations per second of the bin with most.")
METRIC(operation_bin_share, "bins with operations", IOT_SHARE, IOT_DETAIL, IOT_ONE,
       "The share of the bins in which an operation starts.")
METRIC(idle_below_5, "nearly idle", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "A summary of runs of bins with less than 5 % of the bytes of the bin with most.")
METRIC(idle_below_5_quantile_ns, "quantiles", IOT_NS, IOT_DETAIL, IOT_ONE,
       "Quantiles of the durations of nearly idle runs.")
METRIC(idle_below_5_bins, "bins", IOT_COUNT, IOT_BINS, IOT_ONE,
       "Nearly idle runs by the upper bounds of bins of durations.")
METRIC(idle_below_5_class, "by length", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Nearly idle runs by length, for bins of a minute or more.")
METRIC(idle_below_5_class_ns, "time", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The time in nearly idle runs by length.")
METRIC(idle_without_io, "idle", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "A summary of runs of bins without a request or an operation.")
METRIC(idle_without_io_quantile_ns, "quantiles", IOT_NS, IOT_DETAIL, IOT_ONE,
       "Quantiles of the durations of idle runs.")
METRIC(idle_without_io_bins, "bins", IOT_COUNT, IOT_BINS, IOT_ONE,
       "Idle runs by the upper bounds of bins of durations.")
METRIC(idle_without_io_class, "by length", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Idle runs by length, for bins of a minute or more.")
METRIC(idle_without_io_class_ns, "time", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The time in idle runs by length.")
METRIC(bursts, "bursts", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Runs of bins with more than a tenth of the median of bins with bytes, joined over short "
       "gaps.")
METRIC(burst_bytes, "bytes in bursts", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "The bytes in bursts.")
METRIC(burst_byte_share, "of bytes", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "The share of all bytes in bursts.")
METRIC(burst_bin_width_s, "bin width", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The width in seconds of the bins of bursts.")
METRIC(burst_type, "bursts by type", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Bursts by the direction that dominates them.")
METRIC(burst_duration, "length", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "A summary of the lengths of bursts in bins.")
METRIC(burst_duration_quantile, "quantiles", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "Quantiles of the lengths of bursts in bins.")
METRIC(burst_duration_bins, "bins", IOT_COUNT, IOT_BINS, IOT_ONE,
       "Bursts by the upper bounds of bins of lengths.")
METRIC(burst_size, "bytes", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "A summary of the bytes of bursts.")
METRIC(burst_size_quantile, "quantiles", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Quantiles of the bytes of bursts.")
METRIC(burst_size_bins, "bins", IOT_COUNT, IOT_BINS, IOT_ONE,
       "Bursts by the upper bounds of bins of bytes.")
METRIC(burst_peak, "peak", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "A summary of the bytes of the bins with most in bursts.")
METRIC(burst_peak_quantile, "quantiles", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Quantiles of the bytes of the bins with most in bursts.")
METRIC(burst_peak_bins, "bins", IOT_COUNT, IOT_BINS, IOT_ONE,
       "Bursts by the upper bounds of bins of the bytes of their bin with most.")
METRIC(burst_gap, "gap", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "A summary of the bins from one burst to the next.")
METRIC(burst_gap_quantile, "quantiles", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "Quantiles of the bins from one burst to the next.")
METRIC(burst_gap_bins, "bins", IOT_COUNT, IOT_BINS, IOT_ONE,
       "Bursts by the upper bounds of bins of gaps.")
METRIC(inter_arrival_ns, "from start to start", IOT_NS, IOT_DETAIL, IOT_ONE,
       "A summary of the times between the starts of successive requests in the trace.")
METRIC(inter_arrival_quantile_ns, "quantiles", IOT_NS, IOT_DETAIL, IOT_ONE,
       "Quantiles of the times between starts in the trace.")
METRIC(inter_arrival_bins, "bins", IOT_COUNT, IOT_BINS, IOT_ONE,
       "Requests by the upper bounds of bins of times between starts in the trace.")
METRIC(inter_arrival_process_ns, "in a process", IOT_NS, IOT_DETAIL, IOT_ONE,
       "A summary of the times between the starts of successive requests of a process.")
METRIC(inter_arrival_process_quantile_ns, "quantiles", IOT_NS, IOT_DETAIL, IOT_ONE,
       "Quantiles of the times between starts in a process.")
METRIC(inter_arrival_process_bins, "bins", IOT_COUNT, IOT_BINS, IOT_ONE,
       "Requests by the upper bounds of bins of times between starts in a process.")
METRIC(inter_arrival_file_ns, "in a file", IOT_NS, IOT_DETAIL, IOT_ONE,
       "A summary of the times between the starts of successive requests for a file.")
METRIC(inter_arrival_file_quantile_ns, "quantiles", IOT_NS, IOT_DETAIL, IOT_ONE,
       "Quantiles of the times between starts in a file.")
METRIC(inter_arrival_file_bins, "bins", IOT_COUNT, IOT_BINS, IOT_ONE,
       "Requests by the upper bounds of bins of times between starts in a file.")
METRIC(think_time_ns, "think time", IOT_NS, IOT_DETAIL, IOT_ONE,
       "A summary of the times from the end of a request to the start of the next one of its "
       "process, if that is later.")
METRIC(think_time_quantile_ns, "quantiles", IOT_NS, IOT_DETAIL, IOT_ONE,
       "Quantiles of the think times.")
METRIC(think_time_bins, "bins", IOT_COUNT, IOT_BINS, IOT_ONE,
       "Requests by the upper bounds of bins of think times.")
METRIC(concurrency_ns, "outstanding", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The time in which exactly a number of requests is outstanding.")
METRIC(concurrency_more_ns, "more", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The time in which more requests are outstanding than are counted one by one.")
METRIC(concurrency_max, "most outstanding", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "The largest number of outstanding requests.")
METRIC(concurrency_mean, "outstanding", IOT_RATIO, IOT_MAIN, IOT_ONE,
       "The mean number of outstanding requests over the run time.")
METRIC(io_busy_ns, "busy", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The time in which at least one request is outstanding.")
METRIC(idle_gap_ns, "gaps", IOT_NS, IOT_DETAIL, IOT_ONE,
       "A summary of the times without an outstanding request.")
METRIC(idle_gap_quantile_ns, "quantiles", IOT_NS, IOT_DETAIL, IOT_ONE,
       "Quantiles of the times without an outstanding request.")
METRIC(idle_gap_bins, "bins", IOT_COUNT, IOT_BINS, IOT_ONE,
       "Gaps by the upper bounds of bins of durations.")
METRIC(same_file_share_max, "processes of a file", IOT_SHARE, IOT_DETAIL, IOT_ONE,
       "The largest share of the processes that start requests for one file in one interval.")
METRIC(same_file_share_mean, "mean", IOT_SHARE, IOT_DETAIL, IOT_ONE,
       "The mean share of the processes that start requests for one file in an interval with any.")
METRIC(idle_below_5_hours_share, "in hours", IOT_SHARE, IOT_DETAIL, IOT_ONE,
       "The share of the time in nearly idle runs of an hour or more.")
METRIC(idle_below_5_longest_s, "longest", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The length of the longest nearly idle run in seconds, and its begin after the first bin.")
METRIC(idle_without_io_hours_share, "in hours", IOT_SHARE, IOT_DETAIL, IOT_ONE,
       "The share of the time in idle runs of an hour or more.")
METRIC(idle_without_io_longest_s, "longest", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The length of the longest idle run in seconds, and its begin after the first bin.")

/* Analysis: samples of counters */
METRIC(sample_count, "samples", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Samples of counters: a host, a target and an interval each.")
METRIC(sampled_hosts, "hosts", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Hosts that have samples.")
METRIC(samples_after_gaps, "after gaps", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Samples of intervals that are too long to say when anything happened.")
METRIC(samples_after_resets, "after resets", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Samples that are lower bounds, as the counters were reset in their interval.")
METRIC(doubtful_samples, "doubtful", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Samples with a higher rate than the system can have.")
METRIC(overlap_s, "overlap s", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The seconds that samples of one host, target and job cover again, and so count twice.")
METRIC(counted, "counted", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The sum of all samples, by key.")
METRIC(resolution_s, "resolution", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The usual interval of samples in seconds, over which increases are spread evenly.")
METRIC(sample_interval_ns, "intervals", IOT_NS, IOT_DETAIL, IOT_ONE,
       "A summary of the lengths of the intervals of samples.")
METRIC(sample_interval_quantile_ns, "quantiles", IOT_NS, IOT_DETAIL, IOT_ONE,
       "Quantiles of the lengths of intervals.")
METRIC(sample_interval_bins, "bins", IOT_COUNT, IOT_BINS, IOT_ONE,
       "Intervals by the upper bounds of bins of lengths.")
METRIC(observed_bins, "observed bins", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Bins in which samples cover nine tenths of the time of all hosts.")
METRIC(observed_days, "days", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Days in UTC in which samples cover nine tenths of the time of all hosts.")
METRIC(bytes_per_day, "bytes/day", IOT_BYTES, IOT_DETAIL, WRITTEN_BY_DIRECTION,
       "The mean, lowest and highest bytes of observed days.")
METRIC(unobserved_gaps, "gaps", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Runs of bins that are not observed.")
METRIC(observed_s, "observed s", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The time in seconds that is observed.")
METRIC(unobserved_s, "unobserved s", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The time in seconds that is not observed.")
METRIC(gap_begin_s, "gap begins", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The begins of the ten longest gaps in seconds after the begin of the trace.")
METRIC(gap_length_s, "length", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The lengths of these gaps in seconds.")
METRIC(gap_hosts, "hosts missing", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The hosts without samples in these gaps, rounded up.")

/* Analysis: cycles */
METRIC(period_s, "period s", IOT_RATIO, IOT_MAIN, SERIES_BY_DIRECTION,
       "The period of the I/O in seconds.")
METRIC(period_method, "method", IOT_WORD, IOT_DETAIL, SERIES_BY_DIRECTION,
       "The method that found the period: autocorrelation, intervals or none.")
METRIC(correlation, "correlation", IOT_RATIO, IOT_DETAIL, SERIES_BY_DIRECTION,
       "The highest peak of the autocorrelation.")
METRIC_OF_PAPER(p_value, "p", "p", IOT_RATIO, IOT_DETAIL, SERIES_BY_DIRECTION,
       "A hundredth if none of 99 series without a period has a peak as high.")
METRIC(dispersion, "dispersion", IOT_RATIO, IOT_DETAIL, SERIES_BY_DIRECTION,
       "The standard deviation of the intervals between starts of bursts divided by their mean.")
METRIC(cycles, "cycles", IOT_COUNT, IOT_MAIN, SERIES_BY_DIRECTION,
       "Cycles, from the first burst to the last one.")
METRIC(similarity, "similarity", IOT_RATIO, IOT_DETAIL, SERIES_BY_DIRECTION,
       "The mean correlation of each cycle with the mean cycle.")
METRIC(duty_share, "duty", IOT_SHARE, IOT_DETAIL, SERIES_BY_DIRECTION,
       "The median share of a cycle that its shortest window with 95 % of the energy takes.")
METRIC(cycle_amount, "bytes per cycle", IOT_RATIO, IOT_MAIN, SERIES_BY_DIRECTION,
       "Bytes or operations of a cycle: mean, and standard deviation divided by it.")
METRIC(cycle_requests, "requests per cycle", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "Requests of a cycle: mean, and standard deviation divided by it.")
METRIC(profile, "profile", IOT_BYTES_PER_S, IOT_BINS, IOT_ONE,
       "The mean rate of all cycles, by phase.")
METRIC(profile_low, "lower quartile", IOT_BYTES_PER_S, IOT_BINS, IOT_ONE,
       "The lower quartile of the rates of cycles, by phase.")
METRIC(profile_high, "upper quartile", IOT_BYTES_PER_S, IOT_BINS, IOT_ONE,
       "The upper quartile of the rates of cycles, by phase.")
METRIC(temporal_pattern, "pattern over time", IOT_WORD, IOT_MAIN, IOT_ONE,
       "Whether the I/O is periodic, steady or bursty.")
METRIC(type_period_s, "period by type", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The period in seconds of the bins that reads, writes or neither dominate.")
METRIC(type_pairs, "pairs", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Pairs of such bins one period apart.")

/* Analysis: limits of memory that were reached */
METRIC(streams, "streams", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Open files, least recently used, whose order ended early.")
METRIC(ranges, "ranges", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "The size to whose multiples ranges of bytes were rounded outward.")
METRIC(file_bins, "intervals", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Intervals in each bin of the concurrency of processes in a file.")
METRIC(names, "names", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Paths that were not kept.")

/* Analysis: operations */
METRIC(failed_operations, "failed", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Operations that returned an error.")
METRIC(operations_ns, "time", IOT_NS, IOT_MAIN, IOT_ONE,
       "The sum of the known durations of all operations, in which overlaps count twice.")
METRIC(kind_calls, "calls", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Calls by kind of operation.")
METRIC(kind_failed, "failed", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Calls that returned an error, by kind of operation.")
METRIC(kind_ns, "time", IOT_NS, IOT_MAIN, IOT_ONE,
       "The sum of the known durations, by kind of operation.")
METRIC(operation_min_ns, "min", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The shortest duration of an operation.")
METRIC(operation_max_ns, "max", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The longest duration of an operation.")
METRIC(operation_mean_ns, "mean", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The mean of the known durations of an operation.")
METRIC(errors, "errors", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Operations that returned an error, by error.")
METRIC(other_calls, "other calls", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Operations with further names.")
METRIC(other_errors, "other errors", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Operations that returned further errors.")
METRIC_OF_PAPER(closes, "F_close", "closes", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Successful operations that close a file.")
METRIC_OF_PAPER(creates, "F_create", "creates", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Successful operations named create.")
METRIC_OF_PAPER(directory_operations, "F_dir", "directories", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Successful operations that make, remove, open, read and close directories.")
METRIC_OF_PAPER(inode_operations, "F_inode", "inodes", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Successful operations that change inodes.")
METRIC(opens_per_file, "opens per file", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "Successful opens divided by files with a request.")
METRIC(operations_per_request, "operations per request", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "Operations divided by requests.")
METRIC(seeks_per_request, "seeks per request", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "Successful seeks divided by requests.")

/* Analysis: counters of Darshan */
METRIC(counter_records, "records", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Records of counters: one for each file and rank, or for each file of all ranks.")
METRIC(seeks, "seeks", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Calls of seek.")
METRIC(stat_calls, "stats", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Calls of stat.")
METRIC(mmaps, "mmaps", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Calls of mmap.")
METRIC(syncs, "syncs", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Calls of fsync and fdatasync.")
METRIC(collective_requests, "collective", IOT_COUNT, IOT_DETAIL, IOT_BY_DIRECTION,
       "Collective requests of MPI-IO.")
METRIC(consecutive_requests, "consecutive", IOT_COUNT, IOT_DETAIL, IOT_BY_DIRECTION,
       "Requests at the end of the previous one.")
METRIC(sequential_requests, "sequential", IOT_COUNT, IOT_DETAIL, IOT_BY_DIRECTION,
       "Requests at or after the end of the previous one.")
METRIC(direction_switches, "switches", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Changes between reads and writes.")
METRIC(unaligned_requests, "unaligned", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Requests at offsets that are not aligned.")
METRIC(common_size, "common size", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Requests of the four most common sizes.")
METRIC(common_stride, "common stride", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Requests at the four most common strides.")
METRIC(file_bytes, "bytes", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes of files, by class.")
METRIC(file_extents, "extents", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "The highest offset of a byte of files, by class.")
METRIC(slowest_rank, "slowest rank", IOT_ID, IOT_DETAIL, IOT_ONE,
       "The rank with the longest I/O in files of its own.")
METRIC(slowest_unique_ns, "its time", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The time of that rank in files of its own.")
METRIC(slowest_unique_operations_ns, "its operations", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The part of that time in operations.")
METRIC(slowest_shared_ns, "shared files", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The sum of the times of the slowest rank in each shared file.")
METRIC(slowest_ns, "slowest", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The times of the slowest ranks in shared files and in files of their own.")

/* Analysis: reuse of bytes */
METRIC(first_read, "first read", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes read that were neither read nor written before.")
METRIC(re_read, "read again", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes read that were read since they were last written or never written.")
METRIC(read_after_write, "read after write", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes read that were written since they were last read or never read.")
METRIC(first_write, "first write", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes written that were neither read nor written before.")
METRIC(write_after_read, "write after read", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes written that were only read before.")
METRIC(overwrite_unread, "overwritten unread", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes written that were written since they were last read or never read.")
METRIC(overwrite_read, "overwritten", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes written that were read since they were last written.")
METRIC(state_bytes, "state", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes of files by their state at the end: read, written, written-last or read-last.")
METRIC(unique_read, "read", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes of files that were read; each byte counts once.")
METRIC(unique_written, "written", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes of files that were written; each byte counts once.")
METRIC(footprint, "footprint", IOT_BYTES, IOT_MAIN, IOT_ONE,
       "Bytes of files that were read or written; each byte counts once.")
METRIC(reuse_ratio, "reuse", IOT_RATIO, IOT_MAIN, IOT_ONE,
       "The bytes of all requests divided by the footprint.")
METRIC(rounded, "rounded", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "The multiple of bytes to which ranges were rounded outward, or 0.")
METRIC(read_after_write_by, "by process", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes read after they were written, by the same or another process.")
METRIC(write_after_read_by, "by process", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes written after they were read, by the same or another process.")
METRIC(overwrite_unread_by, "by process", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes overwritten unread, by the same or another process.")
METRIC(overwrite_read_by, "by process", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes overwritten after they were read, by the same or another process.")
METRIC(pairs, "pairs", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Pairs of a process that wrote bytes last and another one that read them.")
METRIC(pair_bytes, "bytes", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes that a reader read and a writer had written last, by pair.")
METRIC(pair_first_bytes, "first", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes of a pair that no process had read since they were written.")
METRIC(pair_bytes_other, "others", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes of further pairs.")
METRIC(working_set, "working set", IOT_BYTES, IOT_BINS, IOT_ONE,
       "The bytes of the blocks that requests touch, by bin.")
METRIC(working_set_all, "all blocks", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "The bytes of all blocks that requests touch.")
METRIC(working_set_mean, "mean", IOT_BYTES, IOT_BINS, IOT_ONE,
       "The mean bytes of all windows of a number of bins.")
METRIC(working_set_max, "max", IOT_BYTES, IOT_BINS, IOT_ONE,
       "The highest bytes of all windows of a number of bins.")
METRIC(working_set_bin_width_s, "bin width", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The width of the bins of working sets in seconds.")
METRIC(working_set_bins, "bins", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The bins of working sets.")
METRIC(working_set_begin_s, "begin", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "Where the first bin begins, in seconds from the beginning of the trace.")

/* Analysis: reasons of transfers */
METRIC(reason_bytes, "bytes", IOT_BYTES, IOT_DETAIL, WRITTEN_BY_DIRECTION,
       "Bytes by the reason for which a program transfers them.")
METRIC(reason_share, "share", IOT_SHARE, IOT_MAIN, IOT_BY_DIRECTION,
       "The share of all bytes, by reason.")
METRIC(reason_bytes_per_running_s, "B/running s", IOT_BYTES_PER_S, IOT_DETAIL, WRITTEN_BY_DIRECTION,
       "Bytes per second of the running time, by reason.")
METRIC(checkpoint_files, "checkpoint files", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Files that belong to a series of checkpoints.")
METRIC(checkpoint_series, "series", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Series of checkpoints.")

/* Analysis: files and processes of an analysis */
METRIC(class_files, "files", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Files by class: unique, part-shared, shared, and by the directions of their requests.")
METRIC(class_bytes, "bytes", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "Bytes by class of files.")
METRIC(class_requests, "requests", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Requests by class of files.")
METRIC(class_extent, "extent", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "The largest extent by class of files.")
METRIC(unshared_files, "of one process", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Files of one process.")
METRIC(shared_files, "shared", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Files of several processes.")
METRIC(layout_files, "by layout", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Files of several processes by layout: segmented, interleaved or overlapping.")
METRIC(layout, "layout", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "How the processes of a file divide it: segmented, interleaved or overlapping.")
METRIC(strategy, "strategy", IOT_WORD, IOT_MAIN, IOT_ONE,
       "How processes divide data among files: serial, rank-0, N-1, N-M or N-N.")
METRIC(top_bytes, "most bytes", IOT_BYTES, IOT_MAIN, IOT_ONE,
       "The bytes of the files or processes with most.")
METRIC(top_requests, "most requests", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The requests of the files or processes with most.")
METRIC(top_time_ns, "most time", IOT_NS, IOT_MAIN, IOT_ONE,
       "The times of the files or processes with most.")
METRIC(top_path, "path", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "The path of a file of these lists.")
METRIC(top_program, "program", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "The program of a process of these lists.")
METRIC(top_rank, "rank", IOT_ID, IOT_DETAIL, IOT_ONE,
       "The rank of a process of these lists.")
METRIC(program, "program", IOT_NAME, IOT_MAIN, IOT_ONE,
       "The program of a process.")
METRIC(extent, "extent", IOT_BYTES, IOT_MAIN, IOT_ONE,
       "The highest end of a request for a file.")
METRIC_OF_PAPER(process_share, "A_f", "of processes", IOT_SHARE, IOT_DETAIL, IOT_ONE,
       "The processes of a file divided by all processes.")
METRIC(pattern, "pattern", IOT_WORD, IOT_MAIN, IOT_ONE,
       "The pattern of most requests of a file.")
METRIC(class, "reason", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "The reason of most bytes of a file.")
METRIC(stragglers, "stragglers", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The I/O times of the slowest and the fastest process of a file, their difference divided "
       "by the time of the file.")
METRIC(required, "required", IOT_BYTES, IOT_DETAIL, IOT_BY_DIRECTION,
       "Bytes read first, and bytes written that are not used later.")
METRIC(checkpoint, "checkpoint", IOT_BYTES, IOT_DETAIL, IOT_BY_DIRECTION,
       "Bytes written by a series of checkpoints.")
METRIC(swapping, "swapping", IOT_BYTES, IOT_DETAIL, IOT_BY_DIRECTION,
       "Other bytes read, and bytes written that are read before they are written again.")
METRIC(rewritten, "rewritten", IOT_BYTES, IOT_DETAIL, IOT_BY_DIRECTION,
       "Bytes that are written again without being read.")
METRIC(unplaced, "unplaced", IOT_BYTES, IOT_DETAIL, IOT_BY_DIRECTION,
       "Bytes at unknown offsets.")
METRIC(files_per_process, "files per process", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "Files divided by processes.")
METRIC(created_per_process, "created per process", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "Created files divided by processes.")
METRIC(bytes_per_process, "bytes per process", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "Bytes divided by processes.")
METRIC(imbalance_bytes, "of bytes", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The balance of the bytes of processes: mean, deviation, maximum to mean, spread, and the "
       "process with most.")
METRIC(imbalance_requests, "of requests", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The balance of the requests of processes.")
METRIC(imbalance_io_time, "of I/O time", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The balance of the I/O times of processes.")
METRIC(hosts, "hosts", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "The hosts of processes with a request or an operation.")

/* Analysis: findings */
METRIC(found, "findings", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Findings that are listed.")
METRIC(trivial, "trivial", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Findings that cost too little to be listed.")
METRIC(cause, "cause", IOT_WORD, IOT_MAIN, IOT_ONE,
       "The cause of a finding, from a fixed vocabulary.")
METRIC(cost_ns, "cost", IOT_NS, IOT_MAIN, IOT_ONE,
       "The time that the cause of a finding takes.")
METRIC(cost_share, "share", IOT_SHARE, IOT_MAIN, IOT_ONE,
       "That time as a share of the run, or what a remedy can save of the run time or the bytes.")
METRIC(trivial_cost_share, "share", IOT_SHARE, IOT_DETAIL, IOT_ONE,
       "The share of the cost of findings that are not listed.")
METRIC(threshold, "threshold", IOT_RATIO, IOT_DETAIL, IOT_ONE,
       "The threshold of that figure.")
METRIC(count, "count", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The requests, files or processes that a finding concerns.")
METRIC(finding_objects, "objects", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The file, directory, operation and rank that a finding concerns most.")
METRIC(evidence, "evidence", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The figures from which a finding follows.")
METRIC(directory, "directory", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "The directory that a finding concerns most.")
METRIC(sentence, "finding", IOT_NAME, IOT_MAIN, IOT_ONE,
       "The observation in words.")
METRIC(remedy, "remedy", IOT_NAME, IOT_MAIN, IOT_ONE,
       "A remedy to try.")

/* Contents of a trace or a log */
METRIC(format, "format", IOT_WORD, IOT_MAIN, IOT_ONE,
       "The format of a log of another tool; absent for traces.")
METRIC(state, "state", IOT_WORD, IOT_MAIN, IOT_ONE,
       "Whether an input is complete: complete, incomplete, cut short, damaged or being written; "
       "of a check: valid, questionable or damaged.")
METRIC(framed, "framed", IOT_FLAG, IOT_DETAIL, IOT_ONE,
       "Whether the trace has marks of its begin and its end.")
METRIC(epoch_ns, "start", IOT_NS, IOT_MAIN, IOT_ONE,
       "The time 0 of the trace, in nanoseconds since 1970.")
METRIC(lacks, "lacks", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "What the source of the trace does not know, as lacks= of %trace states it.")
METRIC(lengths, "lengths", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "Which lengths the records have, as lengths= of %trace states it.")
METRIC(clocks, "clocks", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "The clocks of the trace, as clocks= of %trace states them.")
METRIC(seen, "seen", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "How the tracer saw calls, as seen= of %trace states it.")
METRIC(comments, "comments", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Comment records of the trace, directives among them.")
METRIC(counters, "counters", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Directives %counter of the trace.")
METRIC(logical, "logical", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "Records of programs: reads, writes and their bytes.")
METRIC(physical, "disk", IOT_NESTED, IOT_MAIN, IOT_ONE,
       "Records of disks: reads, writes and their bytes.")
METRIC(unknown_durations, "unknown durations", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Records with an unknown duration.")
METRIC(unknown_cpu, "unknown processor times", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Records with an unknown clock of the processor.")
METRIC(unknown_starts, "unknown starts", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Records with an unknown start.")
METRIC(last_start_ns, "last start", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The latest start of a record.")
METRIC(last_end_ns, "last end", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The latest end of a record.")
METRIC(tick_ns, "tick", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The unit of times in the trace.")
METRIC(base, "base", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The base of the numbers in the text of the trace.")
METRIC(sync, "sync", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The number of records between two points at which reading can begin; 0: none.")
METRIC(compression, "compression", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "How the trace is compressed: plain, gzip or zstd.")
METRIC(text_bytes, "text", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "The size of the text of the trace.")
METRIC(stored_bytes, "size", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "The size of the trace as it is stored.")

/* What a check and a conversion notice */
METRIC(lines, "lines", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Lines of the input.")
METRIC(complete, "complete", IOT_FLAG, IOT_MAIN, IOT_ONE,
       "Whether the input was read to its end, and nothing is known to be missing.")
METRIC(counts, "counts", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "How often each kind of finding was noticed.")
METRIC(finding_list, "findings", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "Findings of one severity, with their positions.")
METRIC(code, "kind", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "The kind of a finding, or of what was noticed.")
METRIC(findings, "findings", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "How often it was noticed.")
METRIC(line, "line", IOT_ID, IOT_DETAIL, IOT_ONE,
       "The number of a line, from 1.")
METRIC(column, "column", IOT_ID, IOT_DETAIL, IOT_ONE,
       "The position in a line, from 1; 0: the whole line.")
METRIC(text, "text", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "A sentence, or a part of the input.")
METRIC(unparsed, "not understood", IOT_COUNT, IOT_MAIN, IOT_ONE,
       "Lines or other parts of a log that were not understood.")
METRIC(where, "where", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "The file or rank of which a sum differs.")
METRIC(what, "what", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "The sum that differs.")
METRIC(source_sum, "source", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The sum as the log states it.")
METRIC(records_sum, "records", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "The sum over the records that were made from the log.")
METRIC(output, "output", IOT_NAME, IOT_DETAIL, IOT_ONE,
       "The name of the trace that is written.")
METRIC(output_bytes, "written", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "The size of the trace that was written.")
METRIC(kept, "kept", IOT_FLAG, IOT_DETAIL, IOT_ONE,
       "Whether the output exists.")
METRIC(damage, "damage", IOT_WORD, IOT_DETAIL, IOT_ONE,
       "What ended the reading early; empty: nothing.")
METRIC(input_files, "files", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Files that were read.")
METRIC(files_skipped, "skipped", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Files of a directory or an archive that were not read.")
METRIC(input_calls, "calls", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Calls that a log contains.")
METRIC(first_unparsed, "not understood", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The first lines that were not understood.")
METRIC(notes, "notes", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Notes on the input.")
METRIC(first_notes, "notes", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The first notes on the input.")
METRIC(differences, "differences", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Sums that the log and the records state differently.")
METRIC(first_differences, "differences", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "The first sums that differ.")
METRIC(sorting, "sorting", IOT_NESTED, IOT_DETAIL, IOT_ONE,
       "How events were sorted by their start.")
METRIC(restarted, "restarted", IOT_FLAG, IOT_DETAIL, IOT_ONE,
       "Whether the conversion began again with a sort, as events were not in order.")
METRIC(sorted_runs, "runs", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Sorted runs in temporary files.")
METRIC(spilled_bytes, "spilled", IOT_BYTES, IOT_DETAIL, IOT_ONE,
       "The size of temporary files.")
METRIC(late, "late", IOT_COUNT, IOT_DETAIL, IOT_ONE,
       "Records that came too late to be written in order.")
METRIC(late_by_ns, "late by", IOT_NS, IOT_DETAIL, IOT_ONE,
       "The time by which the worst of them came late.")

#undef METRIC_OF_PAPER
