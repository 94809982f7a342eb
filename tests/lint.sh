#!/bin/sh
# SPDX-License-Identifier: MIT
# lint.sh LAYER... (from the lowest to the highest) checks what no compiler
# does: no layer includes a header of one above it, the library modules use
# vm/csp.h alone (and utf8.h, search.h, suggest.h, order.h, whose.h), no memory
# comes from libc, no source file is over 800 lines (vm/csp.h, which is all that
# hosts see, 1200), no function takes more than six parameters, each atomic
# operation says why its order is enough (atomics.py), some fuzzer calls each
# function of vm/csp.h (fuzz/calls.py), the fuzzers compile, and what else
# CONTRIBUTING.md says of sources (style.py). Some test sees each function that
# says whether a structure is valid say no. Nothing strange lies at the top.
set -u
status=0

fail() {
  printf 'lint: %s\n%s\n' "$1" "$2" >&2
  status=1
}

# The files of a folder and its rooms that are written by hand.
sources() {
  find "$1" -name '*.[chy]' -o -name '*.re' | sort
}

# What a test or a person left at the top would be committed with the rest.
found=$(git ls-files 2>/dev/null | sed 's|/.*||' | sort -u | grep -vxF '.ci
.clang-format
.gitignore
CONTRIBUTING.md
LICENSE
Makefile
README.md
bench
cli
docs
examples
lang
sched
stdlib
tests
vm')
[ -z "$found" ] || fail 'this does not belong at the top' "$found"

# Includes have one form (style.py).
layers=$*
while [ $# -gt 1 ]; do
  layer=$1
  shift
  above=$(echo "$*" | tr ' ' '|')
  found=$(sources "$layer" | xargs grep -nE "#include \"($above)/")
  [ -z "$found" ] || fail "$layer includes a layer above it" "$found"
done

found=$(grep -nE '#include "(sched|lang|vm)/' stdlib/*.c stdlib/*.h \
  2>/dev/null | grep -vE '"vm/(csp|value/utf8|object/(search|suggest)|native/(order|whose))\.h"')
[ -z "$found" ] || fail 'stdlib uses more than csp.h, utf8.h, search.h, suggest.h, order.h and whose.h of vm/' "$found"

# A native module is linked with nothing of stdlib/ and utf8.h. It may have
# headers of its own.
found=$(grep -nE '#include "' stdlib/native/*.[ch] 2>/dev/null |
  grep -vE '"(vm/csp|stdlib/native/[a-z0-9_]+)\.h"')
[ -z "$found" ] || fail 'a native module uses more than csp.h' "$found"

# All memory of a runtime comes from its host (sched/memory.h). libc's allocator
# is called by sched/memory.c, and by:
#   stdlib/freeze.c     a program of the build, in no library
#   lang/parse/grammar.y  the names that lemon's stack has for mem_alloc's kind
#   sched/cpu_count.c   getline of /proc: its buffer is libc's, as the FILE is
#   sched/stats.c       open_memstream: lines for a watcher of the scheduler
#   lang/format/same_program.c  the same; the formatter has no runtime
allocates='malloc|calloc|realloc|reallocarray|strdup|strndup|v?asprintf|getline'
allocates="$allocates|getdelim|open_memstream|aligned_alloc|posix_memalign|free"
found=$(for layer in $layers; do
  [ "$layer" = cli ] || sources "$layer" | xargs grep -nE "\\b($allocates)\\b"
done | sed 's|//.*||; s/"[^"]*"//g' |
  grep -E "(^|[^a-zA-Z0-9_.>])($allocates) *\\(|[(,] *($allocates) *[,)]" |
  grep -vE '^(sched/memory\.c|stdlib/freeze\.c):|^lang/parse/grammar\.y:[0-9]+:#(define|undef)' |
  grep -vE '^sched/cpu_count\.c:.*getline|^(sched/stats|lang/format/same_program)\.c:.*open_mem')
[ -z "$found" ] || fail 'memory that is not of a Memory (sched/memory.h)' "$found"

for layer in $layers tests bench; do
  found=$({ sources "$layer"; find "$layer" -name '*.csp'; } | xargs wc -l |
    awk '$1 > ($2 == "vm/csp.h" ? 1200 : 800) && $2 != "total"')
  [ -z "$found" ] || fail 'over 800 lines' "$found"
done

# A function's head begins a line, and ends with the brace.
found=$(for layer in $layers; do
  sources "$layer" | xargs awk '
    /^[A-Za-z_].*\(/ && !/^typedef/ {
      head = ""; on = 1; at = FNR
    }
    on { head = head " " $0 }
    on && /[{;]( *\/\/.*)?$/ {
      on = 0
      if (head !~ /\) \{/ || head ~ /=/) next
      depth = 0; count = 1
      for (i = index(head, "("); i <= length(head); i++) {
        c = substr(head, i, 1)
        depth += (c == "(") - (c == ")")
        if (depth == 0) break
        count += c == "," && depth == 1
      }
      if (count > 6)
        printf "%s:%d: %d parameters\n", FILENAME, at, count
    }'
done)
[ -z "$found" ] || fail 'more than six parameters' "$found"

# A source of sched/ that is not in these lists comes from the library instead:
# the explorer sees none of its steps, and nothing says so. Of the system's own
# part the explorer has another (rt_explore.c); test_sched_locked.c takes two
# sources itself.
list_has_sources() { # LIST EXEMPT...
  local list=$1 source
  shift
  for source in sched/*.c; do
    case " $* " in *" $source "*) continue ;; esac
    grep -qF "\"$source\"" "$list" || fail "$list lacks" "$source"
  done
}
list_has_sources tests/explore/sched_explore.h sched/rt.c sched/rt_poll.c
list_has_sources tests/unit/sched_sources.h sched/lifecycle.c sched/proc.c

# Each function that says whether a structure is valid has to say no to one
# that a test broke.
found=$(for layer in $layers; do
  sources "$layer" | grep '\.h$' |
    xargs grep -ohE '\b[a-z_]+_(is|are)_valid\(const [A-Z]'
done | sed 's/(.*//' | while read -r name; do
  grep -qw "$name" tests/unit/test_valid_*.c || echo "$name"
done)
[ -z "$found" ] || fail 'no tests/unit/test_valid_*.c asks' "$found"

raw=$(grep -nE 'base\[INSTR_' vm/*/*.c vm/*/*.h)
[ -z "$raw" ] || fail "registers are reached as vm/code/operands.h says:" "$raw"

[ "$(wc -l < docs/language.md)" -le 1350 ] ||
  fail 'over 1,350 lines, which a newcomer reads in an evening:' docs/language.md

# A change to a module shows here, not at the end of a long run.
for fuzzer in tests/fuzz/fuzz_*.c; do
  cc -std=c11 -D_GNU_SOURCE -I. -Werror -fsyntax-only "$fuzzer" ||
    fail 'a fuzzer does not fit what it calls' "$fuzzer"
done

tests/atomics.py sched vm stdlib cli lang || status=1
tests/fuzz/calls.py || status=1
tests/style.py $layers examples tests bench || status=1
exit $status
