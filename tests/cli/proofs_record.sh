# The record of the long proofs holds for the files that were proved, and no
# proof is recorded that has lost tests.
# needs: git
# expect: not proved
# expect: recorded: models 3 tests
# expect: holds
# expect: another file: holds
# expect: its own file: not proved
# expect: recorded: models 4 tests
# expect: proofs: models has passed with 2 tests, but it had 4; where are the others? If they were taken out: .ci/proofs fewer models 2
# expect: recorded: models 4 tests
# expect: taken out: not proved
# expect: recorded: models 2 tests
# expect: not committed: not proved
# expect: proofs: models: files are not committed
# expect: recorded: models 2 tests relacy 7 tests
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
top=$TMPDIR/top
mkdir -p "$top/.ci" "$top/tests/models" "$top/tests/relacy" "$top/sched"
cp .ci/proofs .ci/prove "$top/.ci"
cd "$top" || exit
touch tests/models/a.pml tests/relacy/b.c sched/c.c
git init -q

save() {
  git add -A tests .ci/proofs .ci/prove sched
  git -c user.name=x -c user.email=x commit -qm x
}
asked() { .ci/proofs holds models && echo "$1holds" || echo "$1not proved"; }
recorded() {
  echo "recorded:$(awk '{ printf " %s %s %s", $1, $3, $4 }' .ci/proved)"
}

save
asked ''
.ci/proofs record models 3
recorded
asked ''
echo more >sched/c.c
save
asked 'another file: '
echo more >tests/models/a.pml
save
asked 'its own file: '
.ci/proofs record models 4
recorded
.ci/proofs record models 2 2>&1
recorded
.ci/proofs fewer models 2
asked 'taken out: '
.ci/proofs record models 2
recorded
echo again >tests/models/a.pml
asked 'not committed: '
.ci/proofs record models 9
.ci/proofs record relacy 7
recorded
