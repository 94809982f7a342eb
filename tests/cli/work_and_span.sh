# CSPDEBUG=workspan=1: the work and the span of programs for which both are
# known, as quotients, since these do not depend on how busy the machine is.
# timeout: 120
# expect: a tree of 8 leaves: ok
# expect: a tree, child first: ok
# expect: a group of 8: ok
# expect: a chain by channels: ok
# expect: a chain of tasks that have ended: ok
# expect: a chain of channels that were closed: ok
# expect: a chain of groups: ok
# expect: three stages, unbuffered: ok
# expect: three stages, buffered: ok
# expect: words that waited in a buffer: ok
# expect: words of a sender that waited: ok
# expect: by select: ok
# expect: work in a mutex: ok
# expect: work in a semaphore of 4: ok
# expect: the same with more Ps: ok
# expect: tries to enter: ok
# expect: nothing but sleep: ok
# expect: blocking calls: ok
# expect: nothing without the setting
cat > "$TMPDIR/work.csp" << 'END'
import "os"
import "sched"
import "sync"

func spin(n) {
  x := 0
  for i in n { x += i }
  return x
}

leaf := 400000

func tree(n) {
  if n == 1 { return spin(leaf) }
  other := go tree(n / 2)
  tree(n / 2)
  return <-other
}

func in_group() {
  group {
    for i in 8 { go spin(leaf) }
  }
}

// Members that have ended before the group does.
func chain_of_groups() {
  for i in 40 {
    group {
      go spin(20000)
      sched.yield()
    }
  }
}

func chain() {
  there := chan()
  back := chan()
  go {
    for v in there {
      spin(20000)
      back <- v
    }
  }
  for i in 40 {
    spin(20000)
    there <- i
    <-back
  }
}

func chain_of_tasks() {
  for i in 40 {
    t := go spin(20000)
    sched.yield()
    spin(1)
    <-t
  }
}

func chain_of_closes() {
  for i in 40 {
    c := chan()
    go {
      spin(20000)
      close(c)
    }
    sched.yield()
    <-c
  }
}

func stages(room) {
  a := chan(room)
  b := chan(room)
  go {
    for i in 60 {
      spin(20000)
      a <- i
    }
    close(a)
  }
  go {
    for v in a {
      spin(20000)
      b <- v
    }
    close(b)
  }
  for v in b { spin(20000) }
}

// Each takes a word that its sender has put into a buffer before it was started,
// by a goroutine that waits for neither.
func link(from, to) {
  v := <-from
  spin(20000)
  to <- v
}

func buffered() {
  from := chan(1)
  from <- 0
  for i in 40 {
    to := chan(1)
    go link(from, to)
    for len(to) == 0 { sched.yield() }
    from = to
  }
}

// The buffer is full, and the word of a sender that waits follows.
func waited() {
  c := chan(1)
  soon := chan(1)
  c <- 0
  go {
    spin(leaf)
    soon <- true
    c <- 1
  }
  for len(soon) == 0 { sched.yield() }
  for i in 100 { sched.yield() }
  group {
    go { <-c }
  }
  group {
    go {
      <-c
      spin(leaf)
    }
  }
}

func by_select() {
  a := chan()
  b := chan()
  never := chan()
  go {
    for i in 40 {
      select {
      case v := <-a: spin(20000)
      case <-never:
      }
      select {
      case b <- i:
      case <-never:
      }
    }
  }
  for i in 40 {
    spin(20000)
    a <- i
    <-b
  }
}

func locked() {
  m := sync.mutex()
  group {
    for i in 8 {
      go {
        for n in 10 {
          m.lock()
          spin(20000)
          m.unlock()
        }
      }
    }
  }
}

func in_semaphore() {
  s := sync.semaphore(4)
  group {
    for i in 64 { go s.with(func() => spin(100000)) }
  }
}

func tries() {
  m := sync.mutex()
  group {
    for i in 8 {
      go {
        for n in 10 {
          for !m.try_lock() { sched.yield() }
          spin(20000)
          m.unlock()
        }
      }
    }
  }
}

func sleeps() {
  group {
    for i in 8 { go sleep(50ms) }
  }
}

func calls() {
  group {
    for i in 4 {
      go {
        for n in 50 { os.read_file(os.args[1]) }
      }
    }
  }
}

switch os.args[0] {
case "tree": tree(8)
case "group": in_group()
case "chain": chain()
case "groups": chain_of_groups()
case "tasks": chain_of_tasks()
case "closes": chain_of_closes()
case "stages": stages(0)
case "stages4": stages(4)
case "buffered": buffered()
case "waited": waited()
case "select": by_select()
case "mutex": locked()
case "semaphore": in_semaphore()
case "tries": tries()
case "sleep": sleeps()
case "calls": calls()
}
END
head -c 100000 /dev/zero > "$TMPDIR/data"

# measure PROGRAM CONDITION OPTION...: tries it some times, as a thread that
# another program stops at the wrong moment makes one measurement useless.
measure() {
  local program=$1 condition=$2 try
  shift 2
  for ((try = 0; try < 25; try++)); do
    line=$(CSPDEBUG=workspan=1 "$CSPVM" "$@" "$TMPDIR/work.csp" \
      "$program" "$TMPDIR/data" 2>&1)
    echo "$line" | awk "
      !/^workspan: T1 [0-9]+\.[0-9]+ ms, Tinf [0-9]+\.[0-9]+ ms, parallelism [0-9]+\.[0-9]+\$/ { exit 1 }
      { T1 = \$3; Tinf = \$6; Q = \$9; exit !($condition) }" && return
  done
  return 1
}

# check TEXT PROGRAM CONDITION OPTION...: with each number of Ps, of the three
# numbers T1, Tinf and their quotient Q.
check() {
  local text=$1 program=$2 condition=$3 procs line
  shift 3
  for procs in ${PROCS:-1 2 8}; do
    measure "$program" "$condition" --procs $procs "$@" ||
      { echo "$text: with $procs Ps: $line" | head -3; return; }
  done
  echo "$text: ok"
}

check "a tree of 8 leaves" tree 'Q >= 3 && Q <= 8.2'
check "a tree, child first" tree 'Q >= 3 && Q <= 8.2' --spawn=child
check "a group of 8" group 'Q >= 3 && Q <= 8.2'
check "a chain by channels" chain 'Q >= 0.99 && Q <= 1.2'
check "a chain of tasks that have ended" tasks 'Q >= 0.99 && Q <= 1.3'
check "a chain of channels that were closed" closes 'Q >= 0.99 && Q <= 1.3'
check "a chain of groups" groups 'Q >= 0.99 && Q <= 1.3'
check "three stages, unbuffered" stages 'Q >= 1.9 && Q <= 3.1'
check "three stages, buffered" stages4 'Q >= 1.9 && Q <= 3.1'
# (The goroutine that starts them works, too, on another P.)
check "words that waited in a buffer" buffered 'Q >= 0.99 && Q <= 3'
check "words of a sender that waited" waited 'Q >= 0.99 && Q <= 1.75'
check "by select" select 'Q >= 0.99 && Q <= 1.2'
check "work in a mutex" mutex 'Q >= 0.99 && Q <= 1.3'
# (A goroutine may hold a place while its thread has no CPU: then there are 3.)
PROCS=1 check "work in a semaphore of 4" semaphore 'Q >= 3 && Q <= 4.4'
check "the same with more Ps" semaphore 'Q >= 1 && Q <= 4.6'
check "tries to enter" tries 'Q >= 0.99'
check "nothing but sleep" sleep 'Tinf >= 30 && T1 < Tinf / 2 && Tinf < 200'
check "blocking calls" calls 'T1 > 0.5 && Tinf > 0.1'
[ -z "$(CSPDEBUG='' "$CSPVM" "$TMPDIR/work.csp" chain 2>&1)" ] &&
  echo "nothing without the setting"
