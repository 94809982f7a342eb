#!/bin/sh
# SPDX-License-Identifier: MIT
# lint.sh LAYER... (from the lowest to the highest) checks what no compiler
# does: no layer includes a header of one above it, the library modules use
# vm/csp.h alone, no source file is over 800 lines.
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

for layer in $layers tests tests/unit; do
  found=$(wc -l "$layer"/*.c "$layer"/*.h "$layer"/*.re "$layer"/*.y \
    "$layer"/*.csp 2>/dev/null | awk '$1 > 800 && $2 != "total"')
  [ -z "$found" ] || fail 'over 800 lines' "$found"
done
exit $status
