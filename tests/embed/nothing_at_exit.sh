# Native modules, and the libraries that they use, run nothing at exit: other
# threads may still use them then. What is registered (atexit, on_exit) is
# printed, with the library that it belongs to.
# once: it is compiled each time
# expect: hash: 2cf24dba
# expect: postgres: tls
# expect: tls: tls
# expect: zlib: hello
# expect: sqlite: 1
# expect: dns: syntax
# expect: seen: atexit of this test
own=1 . tests/embed/lib/installed.sh
. tests/embed/lib/modules.sh
cd "$TMPDIR" || exit
cat > watch.c << 'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
static void tell(const char *what, void *f) {
  Dl_info info;
  if (dladdr(f, &info) == 0) info.dli_fname = "?";
  const char *name = strrchr(info.dli_fname, '/');
  name = name != NULL ? name + 1 : info.dli_fname;
  if (!strncmp(name, "libcrypto", 9) || !strncmp(name, "libssl", 6) ||
      strstr(info.dli_fname, "/cspvm/") != NULL || !strncmp(name, "seen", 4))
    fprintf(stdout, "%s of %s\n", what, name), fflush(stdout);
}
int __cxa_atexit(void (*f)(void *), void *arg, void *of) {
  int (*next)(void (*)(void *), void *, void *);
  *(void **)&next = dlsym(RTLD_NEXT, "__cxa_atexit");
  tell("atexit", (void *)f);
  return next(f, arg, of);
}
int on_exit(void (*f)(int, void *), void *arg) {
  int (*next)(void (*)(int, void *), void *);
  *(void **)&next = dlsym(RTLD_NEXT, "on_exit");
  tell("on_exit", (void *)f);
  return next(f, arg);
}
END
gcc -shared -fPIC -w -o watch.so watch.c
# script NAME CODE: run with what tells of registrations.
script() {
  echo "$2" > "$1.csp"
  echo "$1: $(ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$PWD/watch.so "$program" "$1.csp" 2>&1)"
}
script hash 'import "hash"
println(hash.sha256("hello")[:4].hex())'
script postgres 'import "net"
import "postgres"
listener := net.listen("127.0.0.1:0")?
go {
  c := listener.accept()?
  c.read_exact(8)?
  c.write("S")?
  c.read(1)?
  c.write("this is no TLS")?
  c.close()
}
_, err := postgres.open("postgresql://a@${listener.address()}/b?sslmode=require")
println(err.code)'
script tls 'import "net"
import "tls"
listener := net.listen("127.0.0.1:0")?
go {
  c := listener.accept()?
  c.read(1)?
  c.write("this is no TLS")?
  c.close()
}
_, err := tls.dial(listener.address())
println(err.code)'
script zlib 'import "zlib"
println(zlib.decompress(zlib.compress("hello"))?.to_string())'
script sqlite 'import "sqlite"
println(sqlite.open(":memory:")?.one("select 1 as n")?.n)'
script dns 'import "dns"
_, err := dns.lookup("a..b")
println(err.code)'

# The watch sees what it has to.
cat > seen.c << 'END'
#include <stdlib.h>
static void f(void) {}
int main(void) { return atexit(f); }
END
gcc -o seen seen.c
LD_PRELOAD=$PWD/watch.so ./seen | sed 's/^/seen: /; s/of seen/of this test/'
