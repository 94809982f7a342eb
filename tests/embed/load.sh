# The shared library can be loaded and unloaded, often, and leaves nothing
# behind: no descriptor, thread, mapping, nor a byte of memory. What is left is
# printed.
. tests/embed/lib/installed.sh
[ -z "$san" ] || exit 0  # there is no shared library then
# The C library keeps no stacks of ended threads, no freed memory aside, and
# one heap: what is left can be compared.
export GLIBC_TUNABLES=glibc.pthread.stack_cache_size=0:glibc.malloc.arena_max=1
GLIBC_TUNABLES+=:glibc.malloc.tcache_count=0
gcc -std=gnu11 $flags $(pkg-config --cflags cspvm) -o "$TMPDIR/load" \
  tests/embed/data/load.c && "$TMPDIR/load" "$lib/libcspvm.so"
