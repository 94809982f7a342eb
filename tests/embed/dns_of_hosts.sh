# What dns does in hosts: nothing without the network, the same when stepped as
# with threads, and a host may end while lookups wait. Nothing leaks then. No
# socket becomes a standard stream that the host has closed.
# expect: --- without the network
# expect: panic: dns.lookup: the program that runs this script does not allow scripts to use the network (CSP_NET)
# expect: --- with threads
# expect: ["192.0.2.5"] timeout
# expect: --- stepped
# expect: ["192.0.2.5"] timeout
# expect: --- without streams
# expect: [] timeout
# expect: [] timeout
# expect: --- ends
# expect: the same descriptors
# expect: the same descriptors
# timeout: 60
# once: it is compiled each time
. tests/embed/lib/installed.sh
module_host dns || exit
cd "$TMPDIR" || exit
cat > asks.csp << 'END'
import "dns"
_, err := try(func() => dns.lookup("a", timeout: 1ms, server: "127.0.0.1:1"))
println("panic:", err)
END
cat > waits.csp << 'END'
import "dns"
import "net"
silent := net.udp("127.0.0.1:0")?
ips, _ := dns.addresses("192.0.2.5")
_, err := dns.lookup("a", "MX", 20ms, silent.address())
println(ips, err.code)
END
cat > ends.csp << 'END'
import "dns"
import "net"
silent := net.udp("127.0.0.1:0")?
for i in 20 { go dns.lookup("a${i}", timeout: nil, server: silent.address()) }
for i in 20 { go dns.addresses("a${i}", 0, silent.address()) }
silent.receive()?
END
cat > closed.csp << 'END'
import "dns"
import "net"
import "os"
silent := net.udp("127.0.0.1:0")?
go dns.lookup("a", timeout: 10s, server: silent.address())
silent.receive()?
// A new socket may be one for a moment, before it is moved.
open := ["0", "1", "2"]
for _ in 3 {
  open = open.filter(func(fd) => os.exists("/proc/self/fd/" + fd))
  sleep(10ms)
}
_, err := dns.lookup("a", "MX", 20ms, silent.address())
os.write_file("seen", "${open} ${err.code}\n")?
END
echo '--- without the network'
./host asks.csp
echo '--- with threads'
./host -n waits.csp
echo '--- stepped'
./host -n -s 0 waits.csp
echo '--- without streams'
for how in '' '-s 0'; do
  rm -f seen
  ./host -n -f $how closed.csp <&- >&- 2>&-
  cat seen
done
echo '--- ends'
./host -n -t 10 ends.csp 2> err
./host -n -s 100000 -t 10 ends.csp | grep -v '^interrupted$'
