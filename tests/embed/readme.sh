# The host in README.md is complete: it builds and runs, as C and as C++.
# expect: a goroutine heard hello
# expect: a goroutine heard hello
# once: it is compiled each time
. tests/embed/lib/installed.sh
awk '/^```c$/ { on = 1; next } /^```/ { on = 0 } on' README.md > "$TMPDIR/hello.c"
host static "$TMPDIR/c" gcc "$TMPDIR/hello.c" && "$TMPDIR/c"
host static "$TMPDIR/cpp" g++ -x c++ "$TMPDIR/hello.c" -x none && "$TMPDIR/cpp"
