# SPDX-License-Identifier: BSD-2-Clause
"""The names of docs/metrics.md for the symbols by which analyze_reference.py and the study call values."""

SUMMARIES = ["inter_arrival", "inter_arrival_process", "inter_arrival_file", "think_time", "idle_gap"]
# by the symbol without a direction: N is the symbol of N_r and N_w, too
DIRECTED = {
    "totals": {"N": "requests", "S": "bytes", "avg_size": "size_mean", "MB_s": "bytes_per_running_s", "IOs_s": "requests_per_running_s",
               "B_avg": "bytes_per_s", "IOPS_avg": "requests_per_s", "duration": "io_ns", "offset_unknown": "unknown_offsets",
               "offset_unknown_bytes": "unknown_offset_bytes", "asynchronous": "asynchronous_requests",
               "asynchronous_bytes": "asynchronous_bytes"},
    "sizes": {"small": "small_share", "variable": "variable_share", "common": "common_sizes", "common_share": "common_size_share",
              "common_other": "common_size_other", "aligned": "aligned_share", "aligned_length": "aligned_size_share",
              "offset_zero_bits": "offset_zero_bits", "length_zero_bits": "size_zero_bits", "size_L": "size_bins",
              "size_L_bytes": "size_bin_bytes", "size_darshan": "size_classes", "size_log2": "size_log2", "size_min": "size_min",
              "size_max": "size_max", "size_mean": "size_mean", "size_stddev": "size_stddev", "size_quantile": "size_quantile"},
    "order": {"consecutive": "consecutive_share", "forward": "forward_share", "re_access": "re_access_share",
              "backward": "backward_share", "strided": "strided_share", "followers": "followers", "common_strides": "common_strides",
              "pattern_bytes": "pattern_bytes", "pattern_requests": "pattern_requests", "pattern_streams": "pattern_streams"},
    "time": {"t": "time_ns", "B_max": "bytes_per_s_max", "IOPS_max": "requests_per_s_max", "intensity": "intensity",
             "burstiness": "burstiness", "active_bins": "active_bins", "active_pairs": "active_pairs",
             "op_concurrency_max": "active_process_share_max", "parallel_intensity": "parallel_intensity",
             "parallel_intensity_normalised": "parallel_intensity_normalised", "effective_rate": "io_bytes_per_s",
             "latency": "latency_ns"},
    "cycles": {"correlation": "correlation", "cycle_amount": "cycle_amount", "cycles": "cycles", "dispersion": "dispersion",
               "duty": "duty_share", "method": "period_method", "p": "p_value", "period_s": "period_s", "similarity": "similarity"},
    "counters": {"N": "requests", "S": "bytes", "collective": "collective_requests", "consecutive": "consecutive_requests",
                 "sequential": "sequential_requests", "t": "time_ns", "size": "size_classes"},
    "classes": {"bytes": "reason_bytes", "share": "reason_share", "MB_s": "reason_bytes_per_running_s"},
    "map": {"pattern": "pattern", "pattern_share": "pattern_share", "required": "required", "checkpoint": "checkpoint",
            "swapping": "swapping", "rewritten": "rewritten", "unknown": "unplaced", "type_period_s": "type_period_s", "posix": "posix",
            "mpiio": "mpiio", "counters_POSIX": "counters_POSIX", "counters_MPI-IO": "counters_MPI-IO",
            "counters_STDIO": "counters_STDIO"},
}
ONE = {
    "trace": {"P": "processes", "T": "run_time_s", "lost": "gaps", "other_N": "other_requests", "other_S": "other_bytes"},
    "totals": {"rw_ratio_bytes": "read_to_written_bytes", "rw_ratio_requests": "reads_to_writes", "running_time": "running_time_s",
               "data_size": "extent_bytes", "F_max": "extent_max", "F_min": "extent_min", "p_r_IOPs": "read_request_share",
               "p_w_IOPs": "write_request_share", "p_r_Bytes": "read_byte_share", "p_w_Bytes": "write_byte_share"},
    "order": {"followers_M": "followers", "sequential_M": "sequential_share", "same_size_M": "same_size_share",
              "switches": "switch_share", "sequential": "ascending_share", "runs": "sequential_runs", "seeks": "jumps",
              "seek_mean": "jump_mean", "seek_quantile": "jump_quantile"},
    "time": {"md_time": "operation_time_ns", "io_time": "io_time_ns", "io_md_time": "call_time_ns", "io_time_max": "io_time_max_ns",
             "io_md_share": "call_share", "metadata_share": "operation_share", "MiB_s": "slowest_bytes_per_s",
             "MiB_s_CN": "node_bytes_per_s", "N_cn": "compute_nodes", "overlap": "overlap_share",
             "asynchronous_share": "asynchronous_request_share", "asynchronous_share_bytes": "asynchronous_byte_share",
             "bin_width": "bin_width_s", "mean_rate": "bytes_per_s_mean", "idle_without": "idle_without_io",
             "idle_without_quantile": "idle_without_io_quantile_ns", "idle_below_5_quantile": "idle_below_5_quantile_ns", "idle_without_L": "idle_without_io_bins",
             "idle_without_class": "idle_without_io_class", "idle_without_class_ns": "idle_without_io_class_ns",
             "idle_without_hours_share": "idle_without_io_hours_share", "idle_without_longest_s": "idle_without_io_longest_s",
             "idle_below_5_L": "idle_below_5_bins", "operations_max": "operations_per_s_max",
             "operations_bins": "operation_bin_share", "burst_share": "burst_byte_share", "burst_bin_width": "burst_bin_width_s",
             "burst_duration_L": "burst_duration_bins", "burst_size_L": "burst_size_bins", "burst_peak_L": "burst_peak_bins",
             "burst_gap_L": "burst_gap_bins", "same_file_max": "same_file_share_max", "same_file_mean": "same_file_share_mean",
             "busy_ns": "io_busy_ns", "latency_r_quantile": "read_latency_quantile_ns",
             "latency_w_quantile": "write_latency_quantile_ns", "latency_r_L": "read_latency_bins", "latency_w_L": "write_latency_bins",
             **{s: s + "_ns" for s in SUMMARIES},
             **{s + "_quantile": s + "_quantile_ns" for s in SUMMARIES}, **{s + "_L": s + "_bins" for s in SUMMARIES}},
    "cycles": {"bin_width": "bin_width_s"},
    "metadata": {"operations_failed": "failed_operations", "operations_time": "operations_ns", "kind_time": "kind_ns",
                 "time": "operation_ns", "time_min": "operation_min_ns", "time_max": "operation_max_ns",
                 "time_mean": "operation_mean_ns", "calls_other": "other_calls", "errors_other": "other_errors", "F_open": "opens",
                 "F_close": "closes", "F_create": "creates", "F_dir": "directory_operations", "F_inode": "inode_operations"},
    "counters": {"records": "counter_records", "stats": "stat_calls", "switches": "direction_switches",
                 "not_aligned": "unaligned_requests", "md_time": "operation_time_ns", "files_bytes": "file_bytes",
                 "files_max_byte": "file_extents", "slowest_unique": "slowest_unique_ns",
                 "slowest_unique_md": "slowest_unique_operations_ns", "slowest_shared": "slowest_shared_ns",
                 "slowest_time": "slowest_ns", "MiB_s": "slowest_bytes_per_s"},
    "reuse": {"reuse": "reuse_ratio", "working_set_bin_width": "working_set_bin_width_s", "working_set_begin": "working_set_begin_s"},
    "files": {"task_local": "unshared_files", "shared": "shared_files", "top_time": "top_time_ns", "layout": "layout_files"},
    "processes": {"MiB_per_process": "bytes_per_process", "nodes": "hosts", "top_time": "top_time_ns"},
    "findings": {"saves": "cost_share", "trivial_saves": "trivial_cost_share"},
    "rows": {"rw_ratio": "read_to_written_bytes", "n_f": "processes", "A_f": "process_share", "mean_size": "size_mean",
             "first": "first_ns", "last": "last_ns"},
}
KINDS = {f"{kind}_{d}": f"{kind}_{requests}" for kind in ("metadata", "read_ahead", "virtual_memory")
         for d, requests in (("r", "reads"), ("w", "writes"))}


def of_directions(symbol, name):
    written = "written_" if "bytes" in name else "write_"
    if name == "requests":
        return {symbol: name, symbol + "_r": "reads", symbol + "_w": "writes"}
    return {symbol: name, symbol + "_r": "read_" + name, symbol + "_w": written + name, symbol + "_op": "operation_" + name}


def table(*sections):
    names = {}
    for section in sections:
        for symbol, name in DIRECTED.get(section, {}).items():
            names |= of_directions(symbol, name)
        names |= ONE.get(section, {})
    return names


NAMES = {section: table(section) for section in {*DIRECTED, *ONE}}
NAMES["large"] = NAMES["totals"]
ROWS = table("map", "metadata", "order", "time", "totals", "reuse", "rows") | {"time": "time", "layout": "layout"}


def renamed(values, names):
    return {names.get(name, name): value for name, value in values.items()}


def named(section, values):
    """Returns the values of a section of the reference by the names of iotrace."""
    values = {name: {key: renamed(row, ROWS) for key, row in value.items()} if name.endswith("rows") else value
              for name, value in values.items()}
    if section == "trace":
        values = {name: renamed(value, KINDS) if name.startswith("other_") else value for name, value in values.items()}
    if section == "map":
        return {name: renamed(value, CRITERIA) if isinstance(value, dict) else value for name, value in values.items()}
    return renamed(values, NAMES.get(section, {}))


CRITERIA = {**table("map"), **{name: NAMES[section][name] for section, symbols in
            (("totals", ("N", "S", "B_avg", "IOPS_avg")), ("time", ("B_max", "IOPS_max", "intensity", "burstiness")),
             ("sizes", ("small", "variable"))) for symbol in symbols for name in (symbol, symbol + "_r", symbol + "_w")},
            "parallel_intensity_normalised": "parallel_normalised", "parallel_intensity_normalised_r": "read_parallel_normalised",
            "parallel_intensity_normalised_w": "write_parallel_normalised", "p_r_IOPs": "read_request_share", "p_w_IOPs": "write_request_share", "p_r_Bytes": "read_byte_share",
            "p_w_Bytes": "write_byte_share", "F_open": "opens", "F_close": "closes", "task_local": "unshared_files",
            "shared": "shared_files", "asynchronous_share": "asynchronous_request_share",
            "asynchronous_share_bytes": "asynchronous_byte_share"}
for d, verb in (("r", "read"), ("w", "write")):
    CRITERIA |= {f"counters_{module}_{d}": f"{verb}_counters_{module}" for module in ("POSIX", "MPI-IO", "STDIO")}
