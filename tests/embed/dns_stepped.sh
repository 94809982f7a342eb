# A stepped host has net's names looked up by dns, also where nsswitch.conf
# names others: getaddrinfo would make it wait. Without dns nobody is asked.
# needs: unshare mount
# expect: with dns: ["192.0.2.7"]
# expect: without: unsupported
# timeout: 60
# once: it is compiled each time
. tests/embed/lib/installed.sh
module_host dns || exit
cd "$TMPDIR" || exit
printf '127.0.0.1 localhost\n192.0.2.7 known\n' > hosts
printf 'hosts: myhostname files dns\n' > nsswitch.conf
cat > with.csp << 'END'
import "dns"
import "net"
println("with dns:", net.lookup("known")?)
END
cat > without.csp << 'END'
import "net"
_, err := net.lookup("known")
println("without:", err.code)
END
cat > inside.sh << 'END'
for name in hosts nsswitch.conf; do mount --bind $name /etc/$name; done
./host -n -s 0 with.csp
./host -n -s 0 without.csp
END
unshare -Urm bash inside.sh
