# The module in docs/modules.md is complete: it is built with the installed
# header and nothing else, as C and as C++, without a warning, and the script
# there prints what it should.
# expect: as C
# expect: as C++
# once: it is compiled each time
own=1 . tests/embed/lib/installed.sh
fence() { awk -v kind="$1" '$0 == "```" kind { on = 1; next } /^```/ { on = 0 } on' docs/modules.md; }
fence 'c file words.c' > "$TMPDIR/words.c"
fence 'csp native' > "$TMPDIR/main.csp"
fence output > "$TMPDIR/output"
modules=$(echo "$lib"/cspvm/*)
for language in c c++; do
  rm -f "$modules/words.so"
  # A module without a sanitizer suits all builds of the program.
  gcc -x $language -Wall -Wextra -Wpedantic -Wshadow -Werror -shared -fPIC \
    -I"$stage$prefix/include" "$TMPDIR/words.c" -o "$modules/words.so"
  "$stage$prefix/bin/cspvm" "$TMPDIR/main.csp" 2>&1 | diff "$TMPDIR/output" - &&
    echo "as ${language^^}"
done
