tar cf all.tar big.*
mkdir out
tar xf all.tar -C out
