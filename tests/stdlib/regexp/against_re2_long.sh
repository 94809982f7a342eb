# As against_re2.sh, with four times as many random patterns, and with all
# patterns of up to four parts.
# long: against_re2.sh tries a part of these
# needs: /usr/include/re2/re2.h
# expect: re2: 4000 patterns, 20000 texts
# expect: wild: 4000 patterns, 8000 texts
# expect: small: 11916 patterns, 369396 texts
# timeout: 90
# small: CSPDEBUG=
# once: one thread, and the same each time
. tests/stdlib/regexp/lib/re2.sh
tried re2 4000
tried wild 4000
tried small 4
