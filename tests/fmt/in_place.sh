# Files are replaced whole, with their mode, behind links. What is in the style
# already is not touched. Folders are searched for *.csp.
# expect: status 0
# expect: a.csp 640: x := 1
# expect: link.csp is a link, to: y := 2
# expect: same: untouched
# expect: sub/deep/c.csp: z := 3
# expect: sub/d.txt: w:=4
# expect: sub/.e.csp: w:=4
# expect: a.csp link.csp same.csp sub target
cd "$TMPDIR" || exit
mkdir -p sub/deep
echo 'x:=1' > a.csp
chmod 640 a.csp
echo 'y:=2' > target
ln -s target link.csp
echo 'v := 0' > same.csp
echo 'z:=3' > sub/deep/c.csp
echo 'w:=4' | tee sub/d.txt > sub/.e.csp
inode=$(stat -c %i same.csp)
"$CSPVM" fmt a.csp link.csp same.csp sub
echo "status $?"
echo "a.csp $(stat -c %a a.csp): $(cat a.csp)"
[ -L link.csp ] && echo "link.csp is a link, to: $(cat target)"
[ "$(stat -c %i same.csp)" = "$inode" ] && echo 'same: untouched'
for file in sub/deep/c.csp sub/d.txt sub/.e.csp; do
  echo "$file: $(cat "$file")"
done
echo $(ls)
