# Every wait of a handshake ends: by a time limit, a cancel, close, and for the
# turn of a side that another call has.
# expect: late: timeout tls.dial: no TLS with PEER: the handshake was not over after TIME
# expect: late server: timeout
# expect: cancelled: true tls
# expect: cancelled while it writes: true
# expect: closed: closed it was closed here
# expect: turn: cancelled, and read goes on: plain
# expect: turn, then closed: closed
# expect: turn, and the time is over: timeout closed
# expect: received before: tls something was received before TLS, and not read
# expect: twice: tls it has TLS already
# expect: stall: timeout
# procs: 1,2,8
. tests/stdlib/tls/lib/certs.sh
cat > script.csp << 'END'
import "net"
import "tls"
import "time"
config := tls.config("server.pem", "server.key")?
listener := net.listen("127.0.0.1:0")?
address := listener.address()

func pair() {
  c, _ := net.dial(address)
  s, _ := listener.accept()
  return c, s
}
func why(err) => "${err.code} " + err.message.split(": ").last()

// Nobody answers.
c, err := tls.dial(address, timeout: 20ms, roots: "root.pem")
text := err.message.replace(address, "PEER")
println("late:", err.code, text[:text.index("after")] + "after TIME")
silent := listener.accept()?
a, b := pair()
println("late server:", tls.server(b, config, 10ms).code)

a, b = pair()
ended := chan(1)
group g {
  go {
    defer func() { ended <- true }()
    tls.client(a, "localhost", roots: "root.pem", timeout: 0)
  }
  sleep(100ms)
  g.cancel()
}
println("cancelled:", <-ended, a.write("x").code)

// The other side takes nothing of a write.
a, b = pair()
group {
  go { println_if(tls.server(b, config)) }
  println_if(tls.client(a, "localhost", roots: "root.pem"))
}
func println_if(err) { if err != nil { println(err) } }
group g {
  go {
    defer func() { ended <- true }()
    for a.write("x".repeat(1 << 20)) == nil { }
  }
  sleep(200ms)
  g.cancel()
}
println("cancelled while it writes:", <-ended)

a, b = pair()
group {
  go {
    sleep(100ms)
    b.close()
  }
  println("closed:", why(tls.server(b, config)))
}

// A read has the turn.
a, b = pair()
got := chan(1)
go {
  data, _ := b.read()
  got <- data
}
sleep(50ms)
group g {
  go tls.server(b, config)
  sleep(100ms)
  g.cancel()
}
a.write("plain")?
println("turn: cancelled, and read goes on:", <-got)
a, b = pair()
go {
  data, _ := b.read()
  got <- data
}
sleep(50ms)
group {
  go {
    sleep(100ms)
    b.close()
  }
  println("turn, then closed:", tls.server(b, config).code)
}
a, b = pair()
reader := go b.read()
sleep(50ms)
late := tls.server(b, config, 10ms).code
_, err = <-reader
println("turn, and the time is over:", late, err.code)

a, b = pair()
a.write("ok\nmore")?
b.read_line()?
println("received before:", why(tls.server(b, config)))
a, b = pair()
group {
  go { println_if(tls.server(b, config)) }
  println_if(tls.client(a, "localhost", roots: "root.pem"))
}
a.stall(10ms)
_, err = a.read()
println("twice:", why(tls.server(b, config)))
println("stall:", err.code)
END
"$CSPVM" script.csp
