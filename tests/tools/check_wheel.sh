#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The wheel, installed in an empty virtual environment, is all that the module and the program need: check_wheel.sh WHEEL
set -eu
wheel=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
log=$PWD/testdata/strace/cp.strace
${PYTHON:-python3} -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-index "$wheel"
cd "$folder"
unset IOTRACE_LIBRARY IOTRACE_COMMAND PYTHONPATH || true
venv/bin/python -c "
import sys, warnings, iotrace
warnings.simplefilter('ignore')
assert iotrace.open(sys.argv[1]).info['source'] == 'strace'
assert iotrace.stat(sys.argv[1])['total']['reads'] == 33
" "$log"
venv/bin/iotrace convert -q -o t.iot.zst "$log"
venv/bin/iotrace stat t.iot.zst >stat
venv/bin/iotrace record -q -o r.iot.zst true
venv/bin/python -c "import iotrace; iotrace.open('r.iot.zst')"
echo '1 passed, 0 failed'
