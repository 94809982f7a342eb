# Waiting for input and for programs takes no thread: two are enough.
# expect: 20 programs
# expect: got hello
# expect: nil true
"$CSPVM" --procs 1 --max-threads 2 -e 'import "os"
tasks := []
for i in 0..20 {
  t := go os.run("sh", ["-c", "sleep 0.2; echo ${i}"])
  tasks.push(t)
}
n := 0
for t in tasks {
  r, err := <-t
  if err == nil && int(r.out.trim()) == n { n++ }
}
println(n, "programs")
reader := go os.stdin.read_line()
turns := 0
for turns < 100 { turns++
  sleep(1ms) }
line, _ := <-reader
println("got", line)
// Closing ends the wait of a reader, with an error.
late := go os.stdin.read_line()
sleep(20ms)
os.stdin.close()
line, err := <-late
println(line, err is error)' < <(sleep 0.5; echo hello; sleep 3)
