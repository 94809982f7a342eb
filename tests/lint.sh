#!/bin/sh
# SPDX-License-Identifier: MIT
# lint.sh LAYER... (from the lowest to the highest) checks what no compiler
# does: no layer includes a header of one above it, the library modules use
# vm/csp.h alone, no memory comes from libc, no source file is over 800 lines
# (vm/csp.h, which is all that hosts see, 1000).
set -u
status=0

fail() {
  printf 'lint: %s\n%s\n' "$1" "$2" >&2
  status=1
}

layers=$*
while [ $# -gt 1 ]; do
  layer=$1
  shift
  above=$(echo "$*" | tr ' ' '|')
  found=$(grep -nE "#include \"(\.\./)?($above)/" \
    "$layer"/*.c "$layer"/*.h "$layer"/*.re "$layer"/*.y 2>/dev/null)
  [ -z "$found" ] || fail "$layer includes a layer above it" "$found"
done

found=$(grep -nE '#include "(\.\./)?(sched|lang|vm)/' stdlib/*.c stdlib/*.h \
  2>/dev/null | grep -v '"vm/csp.h"')
[ -z "$found" ] || fail 'stdlib uses more than vm/csp.h' "$found"

# All memory of a runtime comes from its host (sched/memory.h). libc's allocator
# is called by sched/memory.c, and by:
#   stdlib/freeze.c     a program of the build, in no library
#   lang/grammar.y      the names that lemon's stack has for mem_alloc's kind
#   sched/procs.c       getline of /proc: its buffer is libc's, as the FILE is
#   sched/stats.c       open_memstream: lines for who watches the scheduler
#   lang/format_check.c the same; the formatter has no runtime
allocates='malloc|calloc|realloc|reallocarray|strdup|strndup|v?asprintf|getline'
allocates="$allocates|getdelim|open_memstream|aligned_alloc|posix_memalign|free"
found=$(for layer in $layers; do
  [ "$layer" = cli ] || grep -nE "\\b($allocates)\\b" "$layer"/*.[chy] "$layer"/*.re \
    2>/dev/null
done | sed 's|//.*||; s/"[^"]*"//g' |
  grep -E "(^|[^a-zA-Z0-9_.>])($allocates) *\\(|[(,] *($allocates) *[,)]" |
  grep -vE '^(sched/memory\.c|stdlib/freeze\.c):|^lang/grammar\.y:[0-9]+:#(define|undef)' |
  grep -vE '^sched/procs\.c:.*getline|^(sched/stats|lang/format_check)\.c:.*open_mem')
[ -z "$found" ] || fail 'memory that is not of a Memory (sched/memory.h)' "$found"

for layer in $layers tests tests/unit; do
  found=$(wc -l "$layer"/*.c "$layer"/*.h "$layer"/*.re "$layer"/*.y \
    "$layer"/*.csp 2>/dev/null | awk '$1 > ($2 == "vm/csp.h" ? 1000 : 800) && $2 != "total"')
  [ -z "$found" ] || fail 'over 800 lines' "$found"
done
exit $status
