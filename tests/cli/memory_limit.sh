# Exhausted memory is a message and a status.
# expect: clean
case $(ldd "$CSPVM" 2> /dev/null; nm "$CSPVM" 2> /dev/null) in
*__asan* | *__tsan*) echo clean; exit 0 ;;
esac
(
  ulimit -v 400000
  timeout 60 "$CSPVM" --procs 2 -e 'import "strings"
import "os"
more := strings.repeat("more", int(os.args[0]))
xs := []
for { xs.push("some text ${len(xs)}" + more) }' "${SIZE:-1}" \
    > /dev/null 2> "$TMPDIR/err"
)
status=$?
if [ $status = 1 ] && grep -qi memory "$TMPDIR/err"; then
  echo clean
else
  echo "status $status"
  head -n 5 "$TMPDIR/err"
fi
# small: SIZE=200000
