# A host program that links the library, built as its comment says.
# expect: tea 3
# expect: coffee we have no coffee
# expect: 0
# expect: 1
# expect: 4
flags=
symbols=$(nm "$CSPVM")
case $symbols in *__asan_init*) flags=-fsanitize=address ;; esac
case $symbols in *__tsan_init*) flags=-fsanitize=thread ;; esac
case $symbols in *__ubsan_handle*) flags=-fsanitize=undefined ;; esac
gcc -I. $flags examples/host.c "$(dirname "$CSPVM")/libcspvm.a" \
  -lpthread -lm -o "$TMPDIR/host" && "$TMPDIR/host"
