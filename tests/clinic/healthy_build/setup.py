for i in range(1, 7):
    with open("unit%d.c" % i, "w") as f:
        f.write("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n")
        for k in range(300):
            f.write("int f%d_%d(int a) { char b[64]; snprintf(b, sizeof b, \"%%d\", a); return (int)strlen(b) + %d; }\n" % (i, k, k))
        if i == 1:
            f.write("int main(void) { return f1_0(1) == 9; }\n")
