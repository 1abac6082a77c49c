i=0
while [ $i -lt 20000 ]; do
    echo "step $i" >>run.log
    i=$((i + 1))
done
