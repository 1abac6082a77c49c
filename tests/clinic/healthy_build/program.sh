for i in 1 2 3 4 5 6; do
    cc -O1 -c unit$i.c -o unit$i.o
done
cc -o program unit1.o unit2.o unit3.o unit4.o unit5.o unit6.o
