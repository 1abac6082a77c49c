# SPDX-License-Identifier: BSD-2-Clause
"""Results of the commands of iotrace, which print them as JSON."""
import json
import os
import shutil
import subprocess
import sys
import warnings

from ._library import EFORMAT, IotraceError
from ._trace import paths_of


def command_path():
    """Returns the path of the program: $IOTRACE_COMMAND, beside the module, or in PATH."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "iotrace")
    found = os.environ.get("IOTRACE_COMMAND") or (beside if os.path.exists(beside) else shutil.which("iotrace"))
    if found is None:
        raise IotraceError(f"the program iotrace was not found; tried: $IOTRACE_COMMAND, {beside}, PATH")
    return found


def main():
    """Runs the program in place of Python: the command iotrace of an installed wheel."""
    path = command_path()
    os.execv(path, [path, *sys.argv[1:]])


def _option(key, value):
    if isinstance(value, (list, tuple)):
        value = ",".join(map(str, value))
    return "--" + key.replace("_", "-") + ("" if value is True else f"={value}")


def _run(command, paths, options):
    arguments = [command_path(), command, "--json"]
    arguments += [_option(key, value) for key, value in options.items() if value is not None and value is not False]
    done = subprocess.run([*arguments, "--", *paths_of(paths)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, check=False)
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode != 0:
        raise IotraceError(said.removeprefix("iotrace: ") or f"iotrace {command} ended with status {done.returncode}", EFORMAT)
    for line in said.splitlines():
        warnings.warn(line.removeprefix("iotrace: "), stacklevel=3)
    return json.loads(done.stdout)


def analyze(paths, sections=None, **options):
    """Returns the values of iotrace-analyze(1) as a dict {section: {name: value}}; an unknown value is None.

    paths: a path, or a list of them. sections: names such as "totals", "sizes"; default all. Other options are
    options of the command, with "_" for "-".
    """
    return _run("analyze", paths, {"section": sections, **options})


def stat(paths, **options):
    """Returns the rows of iotrace-stat(1) as a dict; takes options of the command, such as by="process"."""
    return _run("stat", paths, options)


def simulate(paths, **options):
    """Returns the simulations of iotrace-simulate(1) as a dict; takes options of the command, such as cache="64M"."""
    return _run("simulate", paths, options)


def mrc(paths, **options):
    """Returns the miss-ratio curves of iotrace-mrc(1) as a dict; takes options of the command."""
    return _run("mrc", paths, options)
