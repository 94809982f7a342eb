# A reader that goes away ends the script, without a hang.
# expect: 1
# expect: 2
# expect: ended
timeout 20 "$CSPVM" -e 'for i := 1; true; i++ { println(i) }' 2> /dev/null | head -n 2
[ "${PIPESTATUS[0]}" != 124 ] && echo ended
