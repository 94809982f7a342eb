# All output arrives, also what was printed last and from goroutines.
# expect: 2000 lines
"$CSPVM" -e 'done := chan()
for i in 4 { go { for j in 500 { println("goroutine", i, "line", j) }; done <- true } }
for i in 4 { <-done }' > "$TMPDIR/out"
echo "$(grep -c '^goroutine [0-3] line [0-9]*$' "$TMPDIR/out") lines"
