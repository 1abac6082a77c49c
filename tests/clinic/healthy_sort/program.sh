sort numbers.txt >sorted.txt
gzip -1 -k sorted.txt
