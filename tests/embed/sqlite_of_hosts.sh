# What sqlite may do in hosts: without files, and with a root, only databases in
# memory, and no statement reaches a file. A stepped host's time ends a query,
# and it does not wait for a FIFO.
# expect: --- without files
# expect: permission sqlite: cannot open a.db: the host allows only the database ":memory:"
# expect: permission sqlite: the host allows only the database ":memory:"
# expect: permission sqlite: the host allows only the database ":memory:"
# expect: permission sqlite: the host allows only the database ":memory:"
# expect: permission sqlite: the host allows only the database ":memory:"
# expect: permission sqlite: this pragma is not allowed here
# expect: {"n": 100000}
# expect: --- with a root
# expect: permission sqlite: cannot open a.db: the host allows only the database ":memory:"
# expect: permission sqlite: the host allows only the database ":memory:"
# expect: permission sqlite: the host allows only the database ":memory:"
# expect: permission sqlite: the host allows only the database ":memory:"
# expect: permission sqlite: the host allows only the database ":memory:"
# expect: permission sqlite: this pragma is not allowed here
# expect: {"n": 100000}
# expect: --- stepped
# expect: interrupted
# expect: invalid sqlite: cannot open fifo: it is a FIFO
# timeout: 60
# once: it is compiled each time
. tests/embed/lib/installed.sh
module_host sqlite || exit
cd "$TMPDIR" || exit
mkdir root
cat > refused.csp << 'END'
import "sqlite"
func show(f) {
  _, err := f()
  println(err.code, err)
}
show(func() => sqlite.open("a.db"))
db := sqlite.open(":memory:")?
show(func() => db.exec("attach 'a.db' as a"))
show(func() => db.exec("vacuum into 'a.db'"))
show(func() => db.exec("attach ? as a", "a.db"))
show(func() { return nil, db.backup("b.db") })
show(func() => db.exec("pragma temp_store = 1"))
println(db.one("with recursive r(n) as (select 1 union all select n + 1 from r limit 100000) select n from r order by -n")?)
END
cat > endless.csp << 'END'
import "sqlite"
db := sqlite.open(":memory:")?
db.one("with recursive r(n) as (select 1 union all select n + 1 from r) select sum(n) from r")
END
cat > fifo.csp << 'END'
import "sqlite"
_, err := sqlite.open("fifo", read_only: true)
println(err.code, err)
END
mkfifo fifo
echo '--- without files'
./host refused.csp
echo '--- with a root'
./host -f -r root refused.csp
echo '--- stepped'
./host -s 20000000 endless.csp
timeout 20 ./host -f -s 0 fifo.csp
ls ./*.db 2> /dev/null
ls root
