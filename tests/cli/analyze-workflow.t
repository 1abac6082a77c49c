# SPDX-License-Identifier: BSD-2-Clause
# Workflow I/O: files that one of several jobs wrote and another one read.
trace() { # JOB EPOCH
	echo "255 %trace job=$1${2:+ epoch=$2}"
	for id in 1 2 3; do echo "255 %file process=1 id=$id object=$id path=/data/$id"; done
	echo "255 %file process=1 id=4 object=4"
	cat
}
{
	echo '192 32 0 1000 10 10 1 1 0' # file 1
	echo '192 32 0 4000 10 10 2 1 0' # file 2
	echo '192 32 0 500 10 10 4 1 0'  # has no path
} | trace make 1000000000 >make
{
	echo '128 32 0 700 10 10 1 1 0'
	echo '128 32 0 700 10 10 1 1 0'   # the same bytes again
	echo '192 32 700 100 10 10 1 1 0' # its own
	echo '128 32 700 100 10 10 1 1 0'
	echo '128 32 0 5000 10 10 2 1 0'  # more than was written
	echo '192 32 0 300 10 10 3 1 0'
	echo '128 32 0 500 10 10 4 1 0'
} | trace use 3000000000 >use
echo '128 32 0 1000 10 10 1 1 0' | trace early 500000000 >early # before anything was written
echo '128 32 0 900 10 10 3 1 0' | trace untimed >untimed        # by a clock of its own
"$IOTRACE" analyze -q --in-base=10 make use early untimed | sed '1,/^reuse/d'
"$IOTRACE" analyze -q --in-base=10 -t make use early untimed | grep ^workflow >all
cat all
"$IOTRACE" analyze -q --in-base=10 -j --top=1 untimed early use make | jq -c .workflow
echo "=== states"
for job in make use early untimed; do "$IOTRACE" analyze -q --no-fsync --in-base=10 -s $job.state $job; done
"$IOTRACE" analyze -q --no-fsync -s jobs.state make.state early.state
"$IOTRACE" analyze -q -t untimed.state use.state jobs.state | grep ^workflow | cmp - all && echo "the same"
echo "=== nothing in common"
"$IOTRACE" analyze -q --in-base=10 make early | sed '1,/^reuse/d'
"$IOTRACE" analyze -q --in-base=10 -j make early | jq -c .workflow
echo "=== names"
python3 - <<'CODE'
for job, kind in (("<script>alert(1)</script>", 192), ("a%0a%1b[31mb%09c", 128)):
    with open(f"hostile{kind}", "w") as file:
        print(f"255 %trace job={job}", f"255 %file process=1 id=1 object=1 path=/%3cb%3e%0a%1b%ff/{'x' * 8000}",
              f"{kind} 32 0 1000 10 10 1 1 0", sep="\n", file=file)
CODE
"$IOTRACE" analyze -q --in-base=10 hostile192 hostile128 | sed '1,/^reuse/d' | cut -c 1-90
"$IOTRACE" analyze -q --in-base=10 -t hostile192 hostile128 | grep ^workflow | cut -c 1-90
"$IOTRACE" analyze -q --in-base=10 -j hostile192 hostile128 | jq -c '.workflow.top_flows, (.workflow.top_files[0].path | length, .[0:12])'
