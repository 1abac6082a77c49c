# SPDX-License-Identifier: BSD-2-Clause
# While another process replaces directories by links, fsstats never follows one: a file outside is never counted.
mkdir -p outside/sub tree
head -c 12345 /dev/zero >outside/sub/file
python3 - <<'P' &
import os
for i in range(200):
    os.makedirs(f"tree/{i}/sub")
open("ready", "w").close()
while not os.path.exists("walked"):
    for i in range(200):
        os.rename(f"tree/{i}", f"kept{i}")
        os.symlink("../outside", f"tree/{i}")
        os.remove(f"tree/{i}")
        os.rename(f"kept{i}", f"tree/{i}")
P
until [ -e ready ]; do sleep 0.01; done
for walk in $(seq 20); do
	"$IOTRACE" fsstats -q --json tree >json 2>err
	[ $? -le 1 ] || cat err
	grep '"file_max_bytes": [0-9]\|"regular_files": [1-9]' json
done
: >walked
wait $! && echo "files outside are not counted"
