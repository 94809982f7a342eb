# Random patterns and texts, signs in any order, and all patterns of up to three
# parts, beside RE2: the places of all matches and of their groups.
# lib/oracle.py tells what may differ, and why. SEED=N makes others. More of
# each kind are in against_re2_long.sh.
# needs: /usr/include/re2/re2.h
# expect: re2: 1000 patterns, 5000 texts
# expect: wild: 1000 patterns, 2000 texts
# expect: small: 981 patterns, 30411 texts
# timeout: 90
# small: CSPDEBUG=
# once: one thread, and the same each time
. tests/stdlib/regexp/lib/re2.sh
tried re2 1000
tried wild 1000
tried small 3
