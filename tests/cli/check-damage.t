# SPDX-License-Identifier: BSD-2-Clause
# Random damage: no wrong record, and no undamaged interval lost. tests/tools/show_repair.sh
# runs more of it.
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
build=${IOTRACE%/iotrace}
sh "$TOOLS/built.sh" random_trace || exit 77
cd "$TOOLS/../.." && MODE=${build##*/} sh tests/tools/show_repair.sh 60 42 | tail -n 1
