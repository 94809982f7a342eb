# Files that import each other in a chain: 199, 200, and 201, which are too
# many. Beside each other there may be any number of them.
# expect: 199 fine
# expect: 200 fine
# expect: main.csp: imports are nested too deeply
# expect: 300 of 300
cd "$TMPDIR" || exit 1
chain() {  # of so many files
  for i in $(seq 1 $(($1 - 2))); do
    echo "import \"./m$((i + 1))\"" > "m$i.csp"
  done
  echo 'done := 1' > "m$(($1 - 1)).csp"
  printf 'import "./m1"\nprintln("%s fine")\n' "$1" > main.csp
  "$CSPVM" main.csp 2> errors || {
    sed -n '1s/.*error: /main.csp: /p' errors
  }
}
chain 199
chain 200
chain 201
for i in $(seq 1 300); do
  echo "one := 1" > "n$i.csp"
  echo "import \"./n$i\"" >> wide.csp
done
{ printf 'println(0'; for i in $(seq 1 300); do printf ' + n%s.one' "$i"; done; echo ', "of 300")'; } >> wide.csp
"$CSPVM" wide.csp
