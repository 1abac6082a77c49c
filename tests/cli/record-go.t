# SPDX-License-Identifier: BSD-2-Clause
# iotrace record: Go programs, whose system calls bypass libc, are reported, whether they load libc or not.
sh "$TOOLS/built.sh" libiotrace-record.so || exit 77
command -v go >which && command -v gcc >which || {
	echo 'no go, or no gcc'
	exit 77
}
GOCACHE=$PWD/cache GO111MODULE=off GOFLAGS=
export GOCACHE GO111MODULE GOFLAGS
program() {
	cat <<END
package main

import (
	"fmt"
	"os"
)

$1

func main() {
	$2
	f, err := os.Create("data")
	if err != nil {
		panic(err)
	}
	for i := 0; i < 10; i++ {
		f.Write(make([]byte, 1000))
	}
	f.Close()
	b, err := os.ReadFile("data")
	fmt.Println(len(b), err)
	os.Exit(3)
}
END
}
report() {
	"$IOTRACE" record "$@" 2>err
	echo "exit status $?"
	cat err
	"$IOTRACE" cat --format-version=1 a.iot | grep -o 'traced=no.*\|hidden[.]go=[0-9]*' | sort
	"$IOTRACE" stat -q --tsv a.iot | grep -c data
	"$IOTRACE" check a.iot | sed 's/, comments.*//'
}
program '' '' >alone.go
program '// #include <stdlib.h>
import "C"' 'C.free(nil)' >dynamic.go
CGO_ENABLED=0 go build -o alone alone.go && CGO_ENABLED=1 go build -o dynamic dynamic.go || exit 77

echo 'without libc:'
report -o a.iot ./alone
echo 'with libc:'
report -o a.iot ./dynamic
report --transport=pipe -o a.iot ./dynamic
echo 'as a child:'
report -o a.iot sh -c './dynamic; ./alone; exit 4'
