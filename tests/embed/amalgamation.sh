# The library as one file, compiled as docs/embedding.md says, by both compilers
# and without a warning: a host of examples/embed prints the same with it, the
# functions of csp.h are all that it shows, and a host may use every other name.
# What is wrong is printed.
# timeout: 300
# long: two compilers, each with all of the library
# once: it is compiled each time
. tests/embed/lib/installed.sh
# It is the same file for all builds: one of them tests it.
[ "$(basename "$build")" = build ] || exit 0
make_ amalgamation
one=$build/amalgamation
cp "$one/cspvm.c" "$one/csp.h" "$TMPDIR"
cd "$TMPDIR" || exit

compile() {
  "$1" -std=c11 -O2 -c cspvm.c -pthread -Wall -Wextra -Werror -o "$1.o" 2>&1
}
compile clang-19 &
compile gcc
wait

examples=$OLDPWD/examples/embed
grep -v '^#define' csp.h | grep -oE '\bcsp_[a-z0-9_]+\(' | tr -d '(' | sort -u > declared
{
  echo 'void abort(void);'
  nm -g --defined-only "$build/internals.a" | awk 'NF == 3 { print $3 }' | sort -u |
    grep -E '^[a-z][a-z0-9_]*$' | comm -23 - declared | sed 's/.*/void &(void) { abort(); }/'
} > clash.c
grep -q ' list_new(' clash.c || echo 'no names to clash with'
gcc -c -w -fno-builtin clash.c

for cc in gcc clang-19; do
  nm -g --defined-only $cc.o | awk '{ print $3 }' | sort | diff declared - | sed "s/^/$cc: /"
  gcc -std=gnu99 -I. "$examples/natives.c" $cc.o clash.o -lm -pthread -o host-$cc &&
    "./host-$cc" < /dev/null 2>&1 | diff "$examples/natives.expected" - | sed "s/^/$cc: /"
done
# Which dispatch each has: with tail calls an opcode is a function.
nm clang-19.o | grep -q ' t do_MULADD$' || echo 'clang-19: no tail calls'
nm gcc.o | grep -q ' t do_MULADD$' && echo 'gcc: an opcode is a function'

# Floats are rounded after each operation where the processor could do two at
# once, even with the flags of a host that wants GNU C.
[ "$(uname -m)" = x86_64 ] || exit 0
fused() { "$@" -O2 -mfma -S -o - -xc - | grep -c vfmadd; }
sum='double sum(double a, double b, double c) { return a * b + c; }'
begin=$(sed '/^\/\* --- /,$d' cspvm.c)
for cc in gcc clang-19; do
  [ "$(fused $cc -std=gnu11 <<< "$sum")" -gt 0 ] || echo "$cc: contracts nothing"
  for std in c11 gnu11; do
    [ "$(fused $cc -std=$std <<< "$begin"$'\n'"$sum")" = 0 ] || echo "$cc, $std: contracts"
  done
done
