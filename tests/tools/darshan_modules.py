#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes a small Darshan log with one module, each of whose counters has a distinct value.

	darshan_modules.py MODULE VERSION [--big] [--as N] [--records N] [--servers N]
	    [--zeros BYTES] [--other] [--none] OUT

On standard output comes what a trace has to say of it: for each record a line with its rank, then a
line NAME=VALUE for each counter, in order. Values are 1000, 1001, ...; of seconds 0.5, 1.5, ...
--big: the other byte order. --as: what the log says the version is. --servers: of MDHIM, what it
says. --zeros: behind the records. --other: a layout that nobody knows.
--none: not compressed.
"""
import argparse
import struct
import zlib

MAGIC = 6567223
BINS = "0_100 100_1K 1K_10K 10K_100K 100K_1M 1M_4M 4M_10M 10M_100M 100M_1G 1G_PLUS".split()
SPANS = "OPEN_START READ_START WRITE_START CLOSE_START OPEN_END READ_END WRITE_END CLOSE_END".split()
SPENT = "READ WRITE META MAX_READ MAX_WRITE FASTEST_RANK SLOWEST_RANK".split()
VARIANCES = ["F_VARIANCE_RANK_TIME", "F_VARIANCE_RANK_BYTES"]
RANKS = ["FASTEST_RANK", "FASTEST_RANK_BYTES", "SLOWEST_RANK", "SLOWEST_RANK_BYTES"]
FOUR = [f"ACCESS{n}_{what}" for what in ("ACCESS", "COUNT") for n in range(1, 5)]
TIMES = [f"F_{t}_TIMESTAMP" for t in SPANS] + [f"F_{t}_TIME" for t in SPENT]


def bins(kind):
    return [f"SIZE_{op}{kind}_{b}" for op in ("READ", "WRITE") for b in BINS]


def shapes():
    return [f"ACCESS{n}_{part}" for n in range(1, 5)
            for part in ["ACCESS"] + [f"{w}_D{d}" for w in ("LENGTH", "STRIDE") for d in range(1, 6)]]


def h5f(version):
    ints = {1: "OPENS", 2: "OPENS", 3: "OPENS FLUSHES USE_MPIIO"}[version].split()
    spans = {1: "OPEN_START CLOSE_END"}.get(version, "OPEN_START CLOSE_START OPEN_END CLOSE_END").split()
    return [f"H5F_{n}" for n in ints + [f"F_{t}_TIMESTAMP" for t in spans] + ["F_META_TIME"] * (version == 3)]


def h5d(version):
    names = ("OPENS READS WRITES FLUSHES BYTES_READ BYTES_WRITTEN RW_SWITCHES REGULAR_HYPERSLAB_SELECTS "
             "IRREGULAR_HYPERSLAB_SELECTS POINT_SELECTS MAX_READ_TIME_SIZE MAX_WRITE_TIME_SIZE").split()
    names += bins("_AGG") + shapes() + FOUR[4:] + ["DATASPACE_NDIMS", "DATASPACE_NPOINTS", "DATATYPE_SIZE"]
    names += [f"CHUNK_SIZE_D{d}" for d in range(1, 6)] + ["USE_MPIIO_COLLECTIVE", "USE_DEPRECATED"]
    return [f"H5D_{n}" for n in ["FILE_REC_ID"] * (version == 2) + names + RANKS + TIMES + VARIANCES]


def pnetcdf_file(version):
    if version < 3:
        spans = "OPEN_START CLOSE_END" if version == 1 else "OPEN_START CLOSE_START OPEN_END CLOSE_END"
        return ["PNETCDF_INDEP_OPENS", "PNETCDF_COLL_OPENS"] + [
            f"PNETCDF_FILE_F_{t}_TIMESTAMP" for t in spans.split()]
    names = "CREATES OPENS REDEFS INDEP_WAITS COLL_WAITS SYNCS BYTES_READ BYTES_WRITTEN WAIT_FAILURES".split()
    spans = "OPEN_START CLOSE_START WAIT_START OPEN_END CLOSE_END WAIT_END".split()
    names += [f"F_{t}_TIMESTAMP" for t in spans] + ["F_META_TIME", "F_WAIT_TIME"]
    return [f"PNETCDF_FILE_{n}" for n in names]


def pnetcdf_var(_):
    names = ("FILE_REC_ID OPENS INDEP_READS INDEP_WRITES COLL_READS COLL_WRITES NB_READS NB_WRITES "
             "BYTES_READ BYTES_WRITTEN RW_SWITCHES").split()
    for call in ("PUT", "GET", "IPUT", "IGET", "BPUT"):
        names += [f"{call}_VAR{v}" for v in ["", "1", "A", "S", "M", "N"] + ["D"] * (len(call) == 3)]
    names += ["MAX_READ_TIME_SIZE", "MAX_WRITE_TIME_SIZE"] + bins("_AGG") + shapes() + FOUR[4:]
    names += ["NDIMS", "NPOINTS", "DATATYPE_SIZE", "IS_RECORD_VAR"]
    return [f"PNETCDF_VAR_{n}" for n in names + RANKS + TIMES + VARIANCES]


def bgq(version):
    names = "CSJOBID NNODES RANKSPERNODE DDRPERNODE INODES ANODES BNODES CNODES DNODES ENODES TORUSENABLED".split()
    return [f"BGQ_{n}" for n in ["ALIGNMENT"] * (version == 1) + names + ["F_TIMESTAMP"]]


def dfs(_):
    names = ("OPENS GLOBAL_OPENS LOOKUPS DUPS READS READXS WRITES WRITEXS NB_READS NB_WRITES GET_SIZES PUNCHES "
             "REMOVES STATS BYTES_READ BYTES_WRITTEN RW_SWITCHES MAX_READ_TIME_SIZE MAX_WRITE_TIME_SIZE").split()
    names += bins("") + FOUR + ["CHUNK_SIZE"] + RANKS + TIMES + ["POOL_UUID", "CONT_UUID"]
    return [f"DFS_{n}" for n in names]


def daos(_):
    names = [f"OBJ_{n}" for n in "OPENS FETCHES UPDATES PUNCHES DKEY_PUNCHES AKEY_PUNCHES DKEY_LISTS "
             "AKEY_LISTS RECX_LISTS".split()]
    names += [f"ARRAY_{n}" for n in "OPENS READS WRITES GET_SIZES SET_SIZES STATS PUNCHES DESTROYS".split()]
    names += [f"KV_{n}" for n in "OPENS GETS PUTS REMOVES LISTS DESTROYS".split()]
    names += "NB_OPS BYTES_READ BYTES_WRITTEN RW_SWITCHES MAX_READ_TIME_SIZE MAX_WRITE_TIME_SIZE".split()
    names += bins("") + FOUR + ["OBJ_OTYPE", "ARRAY_CELL_SIZE", "ARRAY_CHUNK_SIZE"] + RANKS + TIMES
    return [f"DAOS_{n}" for n in names + ["POOL_UUID", "CONT_UUID", "OID_HI", "OID_LO"]]


def mdhim(_):
    return [f"MDHIM_{n}" for n in "PUTS GETS PUT_MAX_SIZE GET_MAX_SIZE SERVERS F_PUT_TIMESTAMP F_GET_TIMESTAMP "
            "F_PUT_MAX_DURATION F_GET_MAX_DURATION SERVER_0 SERVER_1 SERVER_2".split()]


SENDS = "SEND SSEND RSEND BSEND RECV SENDRECV SENDRECV_REPLACE ISEND ISSEND IRSEND IBSEND IRECV".split()
WAITS = "PROBE IPROBE TEST TESTANY TESTALL TESTSOME WAIT WAITANY WAITALL WAITSOME BARRIER IBARRIER".split()
TOGETHER = ("BCAST GATHER GATHERV SCATTER SCATTERV SCAN EXSCAN ALLGATHER ALLGATHERV REDUCE ALLREDUCE "
            "REDUCE_SCATTER ALLTOALL ALLTOALLV ALLTOALLW").split()
PUTS = "PUT GET ACCUMULATE GET_ACCUMULATE".split()
WINDOWS = ("FETCH_AND_OP COMPARE_AND_SWAP WIN_FENCE WIN_START WIN_COMPLETE WIN_POST WIN_WAIT WIN_TEST WIN_LOCK "
           "WIN_UNLOCK WIN_UNLOCK_ALL WIN_FLUSH WIN_FLUSH_ALL WIN_FLUSH_LOCAL WIN_FLUSH_LOCAL_ALL WIN_SYNC").split()
OPS = SENDS + WAITS + TOGETHER + ["I" + op for op in TOGETHER] + PUTS + WINDOWS
MESSAGES = ["TOTAL_BYTES"] + [f"MSG_SIZE_AGG_{s}" for s in "0_256 256_1K 1K_8K 8K_256K 256K_1M 1M_PLUS".split()]


def apmpi(_):
    names = [f"{op}_{what}" for op in OPS
             for what in ["CALL_COUNT"] + (MESSAGES if op not in WAITS + WINDOWS else [])]
    names += [f"{op}_{what}_TIME" for op in OPS for what in ("TOTAL", "MIN", "MAX")]
    names += [f"{op}_TOTAL_SYNC_TIME" for op in ["BARRIER"] + TOGETHER]
    names += ["TOTAL_COMM_TIME", "TOTAL_COMM_SYNC_TIME", "PROCESSOR_NAME"]
    return [f"MPI_{n}" for n in names]


def apxc(_):
    names = ["GROUP", "CHASSIS", "BLADE", "NODE"]
    for row in range(5):
        for column in range(8):
            tile = f"AR_RTR_{row}_{column}_INQ_PRF"
            names += [f"{tile}_INCOMING_FLIT_VC{v}" for v in range(8)] + [f"{tile}_ROWBUS_STALL_CNT"]
    for column in range(8):
        port = f"AR_RTR_PT_5_{column}_INQ_PRF"
        names += [f"{port}_INCOMING_FLIT_VC{v}" for v in (0, 4)]
        names += [f"{port}_{way}_ROWBUS_STALL_CNT" for way in ("REQ", "RSP")]
    return [f"APXC_{n}" for n in names]


HEADS = {
    "APMPI": ["APMPI_MAGIC", "APMPI_SYNC_FLAG", "MPI_TOTAL_COMM_TIME_VARIANCE", "MPI_TOTAL_COMM_SYNC_TIME_VARIANCE"],
    "APXC": [f"APXC_{n}" for n in "MAGIC BLADES CHASSIS GROUPS MEMORY_MODE CLUSTER_MODE APPLICATION_ID".split()],
}
MODULES = {"H5F": h5f, "H5D": h5d, "PNETCDF_FILE": pnetcdf_file, "PNETCDF_VAR": pnetcdf_var, "BG/Q": bgq,
           "DFS": dfs, "DAOS": daos, "MDHIM": mdhim, "APMPI": apmpi, "APXC": apxc}
# In format 3.41; older formats have fewer modules, so that the others' ids are less.
IDS = {"H5F": 3, "H5D": 4, "PNETCDF_FILE": 5, "PNETCDF_VAR": 6, "BG/Q": 7, "MDHIM": 12, "APXC": 13, "APMPI": 14,
       "DFS": 16, "DAOS": 17}
FORMATS = {("H5F", 1): "3.00", ("H5F", 2): "3.10", ("H5D", 1): "3.20", ("PNETCDF_FILE", 1): "3.00",
           ("PNETCDF_FILE", 2): "3.21", ("BG/Q", 1): "3.00", ("BG/Q", 2): "3.10"}


def is_seconds(name):
    return "_F_" in name or name.endswith("_TIME") and name.startswith("MPI_") or "_VARIANCE" in name


def field(name, at, order, servers=3):
    """Returns its bytes and the text of its value."""
    fixed = {"MDHIM_SERVERS": servers, "APMPI_MAGIC": int.from_bytes(b"APMPI", "big"),
             "APXC_MAGIC": int.from_bytes(b"AUTOPERF", "big"), "DAOS_OID_HI": 2**64 - 2}
    if name.endswith("_UUID"):
        text = "".join("%02x" % (16 * (at % 8) + i) for i in range(16))
        return bytes.fromhex(text), "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
    if name == "MPI_PROCESSOR_NAME":
        return b"node 17".ljust(128, b"\0"), "node%2017"
    if name in ("BGQ_ALIGNMENT", "APMPI_SYNC_FLAG"):
        return struct.pack(order + "I4x", at), str(at)
    if is_seconds(name):
        return struct.pack(order + "d", at - 1000 + 0.5), str(at - 1000 + 0.5)
    value = fixed.get(name, at)
    return struct.pack(order + "Q", value), str(value)


def value(name, data):
    """Returns the text of a little-endian value and its size in bytes."""
    if name == "MPI_PROCESSOR_NAME":
        return data[:128].split(b"\0")[0].decode(), 128
    if name == "APMPI_SYNC_FLAG":
        return str(struct.unpack_from("<I", data)[0]), 8
    shape = "<d" if is_seconds(name) else "<Q"
    return repr(struct.unpack_from(shape, data)[0]), 8


def record(names, rank, name_id, order, first=1000, servers=3):
    fields = [field(n, first + i, order, servers) for i, n in enumerate(names)]
    said = [f"rank {rank}"] + [f"{n}={text}" for n, (_, text) in zip(names, fields)]
    return struct.pack(order + "Qq", name_id, rank) + b"".join(b for b, _ in fields), said


def log(module, version, said, data, order, packed=True):
    form = FORMATS.get((module, version), "3.41")
    module_id = IDS[module]
    if form != "3.41":
        module_id -= (module_id > 6) + (form < "3.20" and module_id > 4)
    new, names = form == "3.41", b""
    for name_id, name in ((77, b"/scratch/of all"), (78, b"/scratch/of one"), (79, b"head of job")):
        names += struct.pack(order + "Q", name_id)
        names += struct.pack(order + "I", len(name)) + name if form == "3.00" else name + b"\0"
    times = (1700000000, 5, 1700000600, 5) if new else (1700000000, 1700000600)
    job = struct.pack(f"{order}{len(times) + 3}q1024s", 1000, *times, 2, 4242, b"lib_ver=made\n")
    regions = [zlib.compress(r, 9) if packed else r for r in (job + b"/scratch/bin/app\next4\t/scratch\0", names, data)]
    at = [1328 if new else 360]
    for r in regions:
        at.append(at[-1] + len(r))
    count = 64 if new else 16
    maps = {0: (at[1], len(regions[1])), 1 + module_id: (at[2], len(regions[2]))}
    flat = [v for i in range(count + 1) for v in maps.get(i, (0, 0))]
    versions = [said if i == module_id else 0 for i in range(count)]
    head = struct.pack(order + ("8sqB7xQ" if new else "8sqB3xI"), form.encode(), MAGIC, 0 if packed else 2, 0)
    return head + struct.pack(f"{order}{len(flat)}Q{count}I", *flat, *versions) + b"".join(regions)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("module", choices=MODULES)
    p.add_argument("version", type=int)
    p.add_argument("--big", action="store_true")
    p.add_argument("--records", type=int, default=1, help="how many times each of the records is there")
    p.add_argument("--as", type=int, dest="said")
    p.add_argument("--servers", type=int, default=3)
    p.add_argument("--zeros", type=int, default=0)
    p.add_argument("--other", action="store_true")
    p.add_argument("--none", action="store_true")
    p.add_argument("out")
    a = p.parse_args()
    order, names = ">" if a.big else "<", MODULES[a.module](a.version)
    head = HEADS.get(a.module)
    records = [record(head, 0, 79, order)] if head else []
    ranks = ((78, 0), (78, 1)) if head else ((77, -1), (78, 1))
    records += [record(names, rank, name_id, order, 1000 + i, a.servers) for i, (name_id, rank) in enumerate(ranks)]
    data = b"".join(b * a.records for b, _ in records) + bytes(a.zeros)
    if a.other:
        data = data[:40] + data[48:]
    with open(a.out, "wb") as out:
        out.write(log(a.module, a.version, a.said or a.version, data, order, not a.none))
    for _, said in records:
        print("\n".join(said))


if __name__ == "__main__":
    main()
