# SPDX-License-Identifier: BSD-2-Clause
"""Checks what commands print with --json against docs/result.schema.json.

    check_schema.py IOTRACE PATH...

A PATH is a trace, a log, or a directory of them; files that a command refuses are left out. Prints a line for
each contradiction, and the number of documents of each command.
"""
import json
import os
import subprocess
import sys
import tempfile

with open("docs/result.schema.json", encoding="utf-8") as text:
    SCHEMA = json.load(text)
COMMANDS = [("info", ["info", "-q"]), ("check", ["check", "--all"]), ("stat", ["stat", "-q"]), ("stat", ["stat", "-q", "--by=process"]),
            ("stat", ["stat", "-q", "--by=op"]), ("top", ["top", "--once"]), ("top", ["top", "--once", "--by=op"]),
            ("analyze", ["analyze", "-q"]), ("analyze", ["analyze", "-q", "--dependencies", "--working-set"]),
            ("analyze_rows", ["analyze", "-q", "--by=file"]), ("analyze_rows", ["analyze", "-q", "--by=op"]),
            ("simulate", ["simulate", "-q", "-p", "lru,opt", "-c", "1MiB,10%", "--by=file"]),
            ("timing", ["simulate", "-q", "--time", "--rate=1s", "--by=process"]),
            ("mrc", ["mrc", "-q"]), ("mrc", ["mrc", "-q", "--method=shards", "--sample=0.5"])]
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int, "number": (int, float)}


def is_type(value, name):
    return isinstance(value, TYPES[name]) and not (isinstance(value, bool) and name in ("integer", "number"))


def members(value, schema, at):
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    for name in schema.get("required", []):
        if name not in value:
            yield f"{at}: has no '{name}'"
    for name, each in value.items():
        if name in properties:
            yield from wrong(each, properties[name], f"{at}.{name}")
        elif others is False:
            yield f"{at}: '{name}' is not in the schema"
        elif others is not True:
            yield from wrong(each, others, f"{at}.{name}")


def wrong(value, schema, at):
    """Yields where a value contradicts a schema: of the keywords that docs/result.schema.json uses."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema and not any(not list(wrong(value, each, at)) for each in schema["anyOf"]):
        yield f"{at}: {json.dumps(value)[:60]} is none of those that are possible"
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_type(value, name) for name in types):
        yield f"{at}: {json.dumps(value)[:60]} is not of type {' or '.join(types)}"
    elif isinstance(value, dict):
        yield from members(value, schema, at)
    elif isinstance(value, list) and "items" in schema:
        for i, each in enumerate(value):
            yield from wrong(each, schema["items"], f"{at}[{i}]")
    elif "minimum" in schema and value is not None and value < schema["minimum"]:
        yield f"{at}: {value} is less than {schema['minimum']}"


def reports(iotrace, path):
    """The commands that write a report into a file beside a trace."""
    with tempfile.TemporaryDirectory() as scratch:
        report, trace = os.path.join(scratch, "report"), os.path.join(scratch, "trace")
        for name in ("convert", "reorder"):
            subprocess.run([iotrace, name, "-q", "--no-fsync", "--report", report, "-o", trace, path], capture_output=True, timeout=120)
            if os.path.exists(report):
                with open(report, encoding="utf-8", errors="replace") as text:
                    yield name, "--report", text.read()
                os.remove(report)


def printed(iotrace, path):
    """Yields the definition, the options and the output of each command that takes a trace."""
    for name, words in COMMANDS:
        done = subprocess.run([iotrace, *words, "--json", path], capture_output=True, timeout=120)
        yield name, " ".join(words), done.stdout.decode(errors="replace")
    yield from reports(iotrace, path)


def documents(text):
    decoder, at = json.JSONDecoder(), 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        value, at = decoder.raw_decode(text, at)
        yield value


def others(iotrace):
    """Yields the same of commands that take other files than traces of I/O."""
    tools = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as scratch:
        state, system, logs = (os.path.join(scratch, name) for name in ("state", "system", "logs"))
        for words in (["--by=dir", "-s", state, "docs"], ["--against", state, "--reach=100", state]):
            done = subprocess.run([iotrace, "fsstats", "--json", *words], capture_output=True, timeout=120)
            yield "fsstats_change" if "--against" in words else "fsstats", " ".join(words), done.stdout.decode()
        with open(system, "w", encoding="ascii") as file:
            file.write("network = 1GB/s\n")
        with open(logs, "wb") as file:
            file.write(subprocess.run([sys.executable, f"{tools}/model_logs.py", "mixed", "4", "6"], capture_output=True, check=True).stdout)
        for words in ([], ["--variant", system], ["--fit=network=1GB/s:2GB/s:2"]):
            done = subprocess.run([iotrace, "model", "--json", *words, system, logs], capture_output=True, timeout=120)
            yield "model", " ".join(words), done.stdout.decode()


def main():
    paths = [os.path.join(at, name) for top in sys.argv[2:] for at, _, inside in os.walk(top) for name in inside] or sys.argv[2:]
    counts, found = {}, 0
    for name, options, text in others(sys.argv[1]):
        counts[name] = counts.get(name, 0) + 1
        for line in wrong(json.loads(text), {"$ref": name}, name):
            found += 1
            print(f"{options}: {line}")
    for path in sorted(paths):
        for name, options, text in printed(sys.argv[1], path):
            for value in documents(text):
                counts[name] = counts.get(name, 0) + 1
                for line in wrong(value, {"$ref": name}, name):
                    found += 1
                    print(f"{path}: {options}: {line}")
    print(", ".join(f"{name} {n}" for name, n in sorted(counts.items())) + f"; {found} contradictions")
    sys.exit(1 if found else 0)


main()
