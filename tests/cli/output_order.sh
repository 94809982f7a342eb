# Standard output is written before what standard error reports.
# expect: first
# expect: panic: second
"$CSPVM" -e 'println("first"); panic("second")' 2>&1 | head -n 2
