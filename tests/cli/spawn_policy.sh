# --spawn=child runs the new goroutine first, --spawn=parent what follows `go`.
# expect: parent child
# expect: child parent
# expect: parent child
# expect: 6765 6765 6765 6765 
# expect stderr: cspvm: --spawn is parent or child, not `both`
# expect exit: 2
code='order := []
c := chan()
go { order.push("child")
  close(c) }
order.push("parent")
<-c
println(order[0], order[1])'
"$CSPVM" --procs 1 -e "$code"
"$CSPVM" --procs 1 --spawn=child -e "$code"
"$CSPVM" --procs 1 --spawn=parent -e "$code"
tree='func fib(n) {
  if n < 2 { return n }
  t := go fib(n - 1)
  u := go fib(n - 2)
  return <-t + <-u
}
print(fib(20), "")'
for procs in 1 2 8 64; do "$CSPVM" --procs $procs --spawn=child -e "$tree"; done
echo
"$CSPVM" --spawn=both -e ''
