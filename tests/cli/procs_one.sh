# Everything runs on one P, too.
# expect: 9900
exec "$CSPVM" --procs 1 -e 'c := chan()
for i in 100 { go { c <- 2 * i } }
sum := 0
for i in 100 { sum += <-c }
println(sum)'
