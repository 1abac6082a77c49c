tar xf all.tar
cat files/* >one
