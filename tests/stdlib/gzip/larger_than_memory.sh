# Log statistics over compressed files that are larger than memory.
# timeout: 120
# small: CSPDEBUG=
# expect: 400000 requests, 9200000 bytes, 0 lines that are none
# expect: 10/Oct/2000 400000
# expect: 200 400000  100.0 %
# expect: most bytes
# expect:    9200000  /a.gif
cd "$TMPDIR" || exit
line='127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a.gif HTTP/1.0" 200 23'
yes "$line" | head -n 200000 | gzip > a.gz
mkdir logs && yes "$line" | head -n 200000 > logs/b
tar czf b.tar.gz logs
"$CSPVM" --max-memory 8 "$OLDPWD/examples/gzlogs.csp" a.gz b.tar.gz
