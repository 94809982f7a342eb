# Only a main goroutine that the cancellation ends gives the signal's status:
# one that ends in another way keeps its own, and reports what there is to
# report. The error of a deferred call is reported in any case.
# expect: 0 'recovered\n' True
# expect: 3 'exits\n' True
# expect: 1 '' False
# expect: 1 '' False
# expect: 143 'error of a deferred call\n' False
PYTHONPATH=tests/cli/lib python3 << 'END'
from program import Program

CODE = """
import "os"
func main() {
  defer {
    %s
  }
  println("ready")
  os.flush()
  sleep(1h)
}
main()
"""
for deferred in (
        'recover(); println("recovered")',
        'println("exits"); os.exit(3)',
        'panic("other")',
        'go { panic("of a goroutine") }; sleep(1h)',
        'println("error of a deferred call"); return error("dropped")'):
    p = Program(CODE % deferred)
    p.expect("ready")
    p.send("TERM")
    out, err, status = p.end()
    print(status, repr(out), err == "")
END
