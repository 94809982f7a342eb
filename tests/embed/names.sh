# The libraries show the functions that csp.h declares, no others; they write
# to no global variable, run nothing when loaded or at exit, and call nothing
# that changes the process behind the host's back. A host may itself use every
# name that is hidden: here one does, with functions that abort.
# What is wrong is printed.
# expect: tea 3
# once: it is compiled each time
. tests/embed/lib/installed.sh
static=$lib/libcspvm.a shared=$lib/libcspvm.so
grep -v '^#define' vm/csp.h | grep -oE '\bcsp_[a-z0-9_]+\(' | tr -d '(' | sort -u > "$TMPDIR/declared"

# names FILE FLAG... lists what it shows.
names() { nm --defined-only "$@" | awk 'NF == 3 { print $3 }' | sort; }

# Variables in sections that stay writable: only those of the C runtime, which
# every shared library holds, and what each thread knows of itself, where its
# stack is and (with DEBUG=1) which locks it holds and when it looked last.
writable() {
  objdump -t "$1" | awk '/ \.t?(data|bss)\t/ && $NF !~ /^\./ &&
    $NF !~ /^(__dso_handle|__TMC_END__|completed\.[0-9]+|held|held_count|work_steps|work_most|work_on_look|stack_low|stack_high)$/ {
    print "writable: " $NF }'
}

# A sanitizer adds names, variables and constructors of its own, to the only
# library there is then.
if [ -z "$san" ]; then
  names -g "$static" | diff "$TMPDIR/declared" -
  names -D "$shared" | diff "$TMPDIR/declared" -
  objdump -p "$shared" | grep -q 'SONAME *libcspvm\.so\.0$' || echo 'no soname'
  writable "$static"
  writable "$shared"
  objdump -h "$static" | grep -E ' \.(init_array|fini_array|ctors|dtors)'
  nm -u "$static" | grep -wE -e 'atexit|on_exit|__cxa_atexit|exit|signal' \
    -e 'sigaction|sigaltstack|pthread_atfork|pthread_key_create' \
    -e 'setlocale|setenv|putenv|tzset' -e 'getenv|secure_getenv'
  # The environment is the host's: what scripts may see of it is os.env's.
  nm -uA "$build/internals.a" | grep -wE 'environ|__environ' |
    grep -v ':os_env.o:'
fi

{
  echo 'void abort(void);'
  names -g "$build/internals.a" | grep -E '^[a-z][a-z0-9_]*$' |
    comm -23 - "$TMPDIR/declared" | sed 's/.*/void &(void) { abort(); }/'
} > "$TMPDIR/clash.c"
grep -q ' list_new(' "$TMPDIR/clash.c" || echo 'no names to clash with'
gcc -c -w -fno-builtin -o "$TMPDIR/clash.o" "$TMPDIR/clash.c"
for kind in $kinds; do
  host $kind "$TMPDIR/host" gcc -rdynamic -pthread \
    examples/embed/natives.c "$TMPDIR/clash.o" &&
    "$TMPDIR/host" | sed -n 1p
done | uniq
