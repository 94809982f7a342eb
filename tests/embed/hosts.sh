# C and C++ hosts, built as pkg-config says with the static and with the shared
# library: one of the tests', and those in examples/embed, whose output stands
# beside them. What differs from that is printed.
# expect: C++: 42 6
# expect: C++: 17
# expect: C++: stoi of "many"
# expect: C++: 0
# expect: C++: 2
# expect: C++: 4
# timeout: 60
# once: they are compiled each time
. tests/embed/lib/installed.sh
here=examples/embed

# example KIND NAME COMPILER ARGUMENT... -- ARGUMENT OF THE PROGRAM...
example() {
  local kind=$1 name=$2 build=()
  shift 2
  while [ "$1" != -- ]; do
    build+=("$1")
    shift
  done
  shift
  host "$kind" "$TMPDIR/$name" "${build[@]}" &&
    "$TMPDIR/$name" "$@" < /dev/null 2>&1 | diff "$here/$name.expected" - |
    sed "s/^/$name, $kind: /"
}

# Those that end by their time get little of it; the others have as much as they
# need, so that the speed of the machine decides nothing.
all=$here/plugins
plugins=(60000 $all/{good,deadlock,environment,error_flood,exits,good}.csp
  $all/{files,goroutine_bomb,goroutine_fork,goroutine_left,good}.csp
  $all/{memory_list,memory_maps,memory_repeat,memory_string,good}.csp
  $all/{not_compiling,output_flood,panics,processes,recursion,good}.csp
  200 $all/endless_*.csp $all/memory_again.csp 60000 $all/good.csp)

for kind in $kinds; do
  host $kind "$TMPDIR/cpp" g++ -std=c++11 tests/embed/data/host.cpp &&
    "$TMPDIR/cpp" | sed 's/^/C++: /' > "$TMPDIR/$kind"
  example $kind natives gcc -std=gnu99 -pthread $here/natives.c --
  example $kind game g++ -std=c++11 $here/game.cpp --
  example $kind events gcc -std=gnu11 $here/events.c -luv --
  example $kind plugins gcc -std=gnu11 $here/plugins.c -- "${plugins[@]}"
done
cat "$TMPDIR/static"
[ -n "$san" ] || cmp "$TMPDIR/static" "$TMPDIR/shared"
