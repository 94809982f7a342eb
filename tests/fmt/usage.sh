# What is wrong with the arguments, or with the files, is said; status 2.
# expect stderr: fmt needs files, folders or -
# expect stderr: cspvm fmt --help
# expect stderr: fmt has no option --all
# expect stderr: cannot read missing.csp: No such file or directory
# expect: 2 2 2
# expect: usage: cspvm fmt
cd "$TMPDIR" || exit
"$CSPVM" fmt
a=$?
"$CSPVM" fmt --all x.csp
b=$?
"$CSPVM" fmt missing.csp
echo "$a $b $?"
"$CSPVM" fmt --help | head -1 | cut -c1-16
