# Where nothing but test programs were changed or added since a proof passed,
# those alone run again, and dis_all.sh. All else ends the record, and so does a
# program that was taken out.
# needs: git
# expect: recorded: holds
# expect: a changed program, an added one: tests/lists/a.csp,tests/lists/b.sh,unit/test_lists,tests/cli/dis_all.sh
# expect: again: holds
# expect: another changed: unit/test_lists,tests/cli/dis_all.sh
# expect: one is not committed: whole
# expect: what several share: whole
# expect: a header: whole
# expect: code: whole
# expect: a document's code block: whole
# expect: a program taken out: whole
# expect: a proof without a filter: whole
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
top=$TMPDIR/top
mkdir -p "$top/.ci"
cp .ci/proofs .ci/prove "$top/.ci"
cd "$top" || exit
mkdir -p sched vm lang stdlib cli examples docs bench tests/lists/lib \
  tests/gen tests/unit tests/relacy
touch README.md LICENSE Makefile sched/a.c vm/a.c lang/a.c stdlib/a.c cli/a.c \
  examples/a.csp docs/a.md bench/a.csp tests/run tests/lists/a.csp \
  tests/lists/lib/a.csp tests/gen/a.sh tests/unit/test_lists.c tests/unit/a.h
git init -q

save() {
  git add -A .
  git -c user.name=x -c user.email=x commit -qm x
}
# asked WORDS [FILE]: after one more line in FILE, which is taken back.
asked() {
  [ -z "${2-}" ] || { echo more >>"$2" && save; }
  if .ci/proofs holds thread; then
    echo "$1: holds"
  else
    echo "$1: $(.ci/proofs changed thread || echo whole)"
  fi
  [ -z "${2-}" ] || git reset -q --hard HEAD~
}

save
.ci/proofs record thread 9
save
asked recorded
echo more | tee -a tests/lists/a.csp tests/unit/test_lists.c >tests/lists/b.sh
save
asked 'a changed program, an added one'
.ci/proofs again thread
save
asked again
asked 'another changed' tests/unit/test_lists.c
echo more >>tests/lists/a.csp
asked 'one is not committed'
git checkout -q tests/lists/a.csp
asked 'what several share' tests/lists/lib/a.csp
asked 'a header' tests/unit/a.h
asked code vm/a.c
printf '```\nmore\n```\n' >>docs/a.md
save
asked "a document's code block"
git reset -q --hard HEAD~
git rm -q tests/lists/b.sh
save
asked 'a program taken out'
git reset -q --hard HEAD~
.ci/proofs record relacy 9
echo more >tests/relacy/a.cpp
save
echo "a proof without a filter: $(.ci/proofs changed relacy || echo whole)"
