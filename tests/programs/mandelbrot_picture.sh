# The Mandelbrot example writes a picture.
# small: CSPDEBUG=gcstress=31
# expect: wrote it
# expect: P6 64 48 255
# expect: 219655933 9229
cd "$TMPDIR" || exit 1
"$CSPVM" "$OLDPWD/examples/mandelbrot.csp" a.ppm 64 48 > out || cat out
[ -s a.ppm ] && echo wrote it
head -n 3 a.ppm | tr '\n' ' ' | sed 's/ $//'
echo
cksum < a.ppm
