# Each function of the library that takes a path is tried with paths that lead
# out of CspConfig.root. Those of os are in unit/test_root.c, see
# stdlib/os_root_is_tried.sh. A new one fails here until it is tried, too.
# expect: gzip.open: inside true, 6 refused
# expect: gzip.lines: inside true, 6 refused
# expect: tar.open: inside true, 6 refused
# expect: zip.open: inside true, 6 refused
# expect: http.files: inside true, 6 refused
# expect: tar.extract: inside true, 6 refused
# expect: zip.extract: inside true, 6 refused
# expect: writer.add_path of tar: inside true, 5 refused
# expect: writer.add_path of zip: inside true, 5 refused
# expect: gzip.create: inside true, 6 refused
# expect: tar.create: inside true, 6 refused
# expect: zip.create: inside true, 6 refused
# expect: links below http.files: [404, 404, 200]
# expect: hash.file: inside true, 6 refused
# expect: tls.config: inside true, 6 refused
# expect: tls.config of a key: inside true, 6 refused
# expect: tls.config of client_roots: inside true, 6 refused
# expect: config.reload: inside true, 6 refused
# expect: tls.dial of roots: inside true, 6 refused
# expect: tls.dial of a certificate: inside true, 6 refused
# expect: tls.client of roots: inside true, 6 refused
# expect: tls.client of a certificate: inside true, 6 refused
# expect: sqlite.open: inside false, 6 refused
# expect: db.backup: inside false, 6 refused
# expect: as before
# expect: tried
# needs: openssl
# timeout: 60
# once: it is compiled each time
. tests/embed/lib/installed.sh
for module in zlib hash tls sqlite; do
  module_host $module || exit
  mv "$TMPDIR/host" "$TMPDIR/host_$module"
done
top=$PWD
script=$PWD/tests/embed/paths_in_a_root.sh
cd "$TMPDIR" || exit

# What is outside could be read, if a path led there.
mkdir outside root
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
  -keyout outside/key -out outside/pem -subj /CN=outside -days 30 -addext subjectAltName=IP:127.0.0.1 2> log || cat log
echo in > outside/text
mkdir outside/site
echo SECRET > outside/site/text
python3 - << 'END'
import gzip, tarfile, zipfile
gzip.open("outside/gz", "wb").write(b"in\n")
tarfile.open("outside/tar", "w").add("outside/text", "text")
zipfile.ZipFile("outside/zip", "w").write("outside/text", "text")
END
cp -r outside root/inside
sed -i 's/in/SECRET/' outside/text
echo in > root/inside/site/text
ln -s ../outside root/out
ln -s "$PWD/outside" root/host
for name in gz key new pem site tar text zip; do ln -s ../outside/$name root/link_$name; done
ln -s ../../../outside/site root/inside/site/up
ln -s "$PWD/outside/text" root/inside/site/absolute
ln -s text root/inside/site/again

# What is outside: names, times and contents.
outside() {
  find outside -printf '%p %m %s %T@\n' | sort
  find outside -type f -exec sha256sum {} + | sort
}
outside > before

cat > begin.csp << END
// Paths of what is outside by that name.
func hostile(name) => [
  "../outside/" + name, "/../../outside/" + name, "out/" + name, "host/" + name,
  "$PWD/outside/" + name, "link_" + name,
]
END
cat >> begin.csp << 'END'
// f(path) gives (value, nil), (nil, error), one of them, or panics.
func is_refused(f, path) {
  value, err := try(func() => f(path))
  return value is error || err != nil
}
func attempt(what, name, f, paths = nil) {
  count := 0
  for path in paths ?? hostile(name) {
    if is_refused(f, path) { count++ } else { println(what, "took", path) }
  }
  println("${what}: inside ${!is_refused(f, "/inside/" + name)}, ${count} refused")
}
END

cat > zlib.csp << 'END'
import "gzip"
import "http"
import "tar"
import "zip"
attempt("gzip.open", "gz", func(path) => gzip.open(path)?.read_all())
attempt("gzip.lines", "gz", func(path) => gzip.lines(path)?())
attempt("tar.open", "tar", func(path) => tar.open(path)?.close())
attempt("zip.open", "zip", func(path) => zip.open(path)?.close())
attempt("http.files", "site", func(path) => http.test(http.files(path), "GET", "/text").text())
attempt("tar.extract", "tar", func(path) => tar.extract(path, "/made"))
attempt("zip.extract", "zip", func(path) => zip.extract(path, "/made"))
// (A link is put into an archive as it is.)
folders := hostile("text")[:5]
attempt("writer.add_path of tar", "text", func(path) => tar.create("/t")?.add_path(path), folders)
attempt("writer.add_path of zip", "text", func(path) => zip.create("/z")?.add_path(path), folders)
attempt("gzip.create", "new", func(path) => gzip.create(path)?.close())
attempt("tar.create", "new", func(path) => tar.create(path)?.close())
attempt("zip.create", "new", func(path) => zip.create(path)?.close())
below := http.files("/inside/site")
names := ["/up/text", "/absolute", "/again"]
println("links below http.files:", names.map(func(name) => http.test(below, "GET", name).status))
// Folders are made in the root, where it has none by that name.
for folder in hostile("folder") {
  _ = tar.extract("/inside/tar", folder)
  _ = zip.extract("/inside/zip", folder)
}
END
cat > hash.csp << 'END'
import "hash"
attempt("hash.file", "text", func(path) => hash.file("sha256", path))
END
cat > tls.csp << 'END'
import "net"
import "tls"
config := tls.config("/inside/pem", "/inside/key")?
listener := net.listen("127.0.0.1:0")?
go {
  for {
    c, err := listener.accept()
    if err != nil { return }
    go {
      err = tls.server(c, config)
      if err == nil { _ = c.read() }
      c.close()
    }
  }
}
at := listener.address()
func dial(roots, certificate) {
  c := tls.dial(at, roots: roots, certificate: certificate, key: "/inside/key")?
  c.close()
}
func client(roots, certificate) {
  c := net.dial(at)?
  defer c.close()
  return tls.client(c, "127.0.0.1", roots: roots, certificate: certificate, key: "/inside/key")
}
attempt("tls.config", "pem", func(path) => tls.config(path, "/inside/key"))
attempt("tls.config of a key", "key", func(path) => tls.config("/inside/pem", path))
attempt("tls.config of client_roots", "pem", func(path) => tls.config("/inside/pem", "/inside/key", client_roots: path))
attempt("config.reload", "pem", func(path) => config.reload(path, "/inside/key"))
attempt("tls.dial of roots", "pem", func(path) => dial(path, "/inside/pem"))
attempt("tls.dial of a certificate", "pem", func(path) => dial("/inside/pem", path))
attempt("tls.client of roots", "pem", func(path) => client(path, "/inside/pem"))
attempt("tls.client of a certificate", "pem", func(path) => client("/inside/pem", path))
listener.close()
END
cat > sqlite.csp << 'END'
import "sqlite"
attempt("sqlite.open", "new", func(path) => sqlite.open(path))
attempt("db.backup", "new", func(path) => sqlite.open(":memory:")?.backup(path))
END

for module in zlib hash tls sqlite; do
  # Imports come first.
  { grep '^import' $module.csp; cat begin.csp; grep -v '^import' $module.csp; } > main.csp
  "./host_$module" -n -f -r root main.csp 2>&1
done
outside | diff before - && echo as before

# What takes a path, by the names of parameters, and is not tried here.
cd "$top" || exit
python3 - "$script" << 'END'
import re, sys
sys.path.insert(0, "tests/docs")
import library

PATHS = {"path", "folder", "dir", "archive", "file", "certificate", "roots",
         "client_roots", "tls", "secure"}
# What is open already, or gives pieces. The path of json.stream is in its text.
OPEN = {"csv.rows", "gzip.reader", "gzip.writer", "json.lines", "json.stream",
        "tar.reader", "tar.writer", "zip.reader", "zip.writer"}
# Their files go to tls.client, and what tls.config gave.
BY_TLS = {"http.get", "http.post", "http.request", "http.serve", "websocket.dial"}
NO_FILE = {"http.cookie"}

takes = set()
for (owner, name), params in library.read_library().items():
    if owner != "os" and PATHS & set(re.findall(r"(\w+)(?: = [^,]+)?(?:,|$)", params or "")):
        takes.add("%s.%s" % (owner, name))
with open(sys.argv[1], encoding="utf-8") as f:
    tried = set(re.findall(r'^attempt\("(\w+\.\w+)', f.read(), re.M))
for name in sorted(takes - tried - OPEN - BY_TLS - NO_FILE):
    print("%s takes a path, and is not tried with a root" % name)
for name in sorted((tried | OPEN | BY_TLS | NO_FILE) - takes):
    print("%s is not there, or takes no path" % name)
print("tried" if len(takes) > 25 else sorted(takes))
END
